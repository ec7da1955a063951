/* conform_ports.c - groups of ranks that connect by ports, names of services, and how ranks were started. One connection at a time is made, because Open
 * MPI mixes up those that are made at once. */
#include "conform.h"

/* A port that rank `opener` opened. */
static char *port_of(int opener)
{
    static char port[MPI_MAX_PORT_NAME];

    memset(port, 0, sizeof port);
    if (me == opener) MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, opener, MPI_COMM_WORLD);
    return port;
}

static void say_inter(MPI_Comm inter)
{
    int rank = -1, size = -1, remote = -1, flag = -1;

    MPI_Comm_test_inter(inter, &flag);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    say("inter %d rank %d of %d to %d", flag, rank, size, remote);
}

/* The second half of the ranks serves the first. */
static void connect_halves(void)
{
    const int serves = me >= np / 2;
    int values[8], rank = -1;
    MPI_Comm half, inter, all;
    char *port = port_of(np / 2);

    MPI_Comm_split(MPI_COMM_WORLD, serves, 0, &half);
    if (serves)
        say_class("accept", MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter));
    else
        say_class("connect", MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter));
    say_inter(inter);
    for (int i = 0; i < 8; ++i) values[i] = -1;
    MPI_Allgather(&me, 1, MPI_INT, values, 1, MPI_INT, inter);
    say_ints("other side", values, 8);
    MPI_Intercomm_merge(inter, serves, &all);
    MPI_Comm_rank(all, &rank);
    say("merged %d", rank);
    MPI_Comm_free(&all);
    say_class("disconnect", MPI_Comm_disconnect(&inter));
    say("null %d", inter == MPI_COMM_NULL);
    if (me == np / 2) say_class("close", MPI_Close_port(port));
    MPI_Comm_free(&half);
}

/* The roots are the last ranks; the name of the port matters to them only. */
static void connect_by_last_ranks(void)
{
    const int connects = me % 2, size = connects ? np / 2 : (np + 1) / 2;
    int value = me;
    MPI_Comm half, inter;
    char *port = port_of(2 * ((np + 1) / 2) - 2);

    MPI_Comm_split(MPI_COMM_WORLD, connects, 0, &half);
    if (me + 2 < np) memset(port, 0, MPI_MAX_PORT_NAME);
    if (connects)
        MPI_Comm_connect(port, MPI_INFO_NULL, size - 1, half, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, size - 1, half, &inter);
    say_inter(inter);
    MPI_Bcast(&value, 1, MPI_INT, connects ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    say("%d", value);
    MPI_Comm_disconnect(&inter);
    MPI_Comm_free(&half);
}

/* The port was opened by a rank that takes no part. */
static void port_of_another_rank(void)
{
    int value = me;
    MPI_Comm inter;
    char *port = port_of(0);

    if (me == 1) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    if (me == 2) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    if (me == 1 || me == 2) {
        say_inter(inter);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 0, 0, 0, inter, MPI_STATUS_IGNORE);
        say("%d", value);
        MPI_Comm_disconnect(&inter);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) say_class("close", MPI_Close_port(port));
}

/* Two connections of the same ranks do not mix their messages. */
static void connect_twice(void)
{
    int values[2] = { -1, -1 };
    MPI_Comm inter[2];

    for (int i = 0; i < 2; ++i) {
        char *port = port_of(0);
        if (me == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter[i]);
        if (me == 1) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter[i]);
        if (me == 0) MPI_Close_port(port);
    }
    if (me == 0) {
        for (int i = 0; i < 2; ++i) values[i] = 10 + i, MPI_Send(&values[i], 1, MPI_INT, 0, 3, inter[i]);
    } else if (me == 1) {
        for (int i = 1; i >= 0; --i) MPI_Recv(&values[i], 1, MPI_INT, 0, 3, inter[i], MPI_STATUS_IGNORE);
        say_ints("got", values, 2);
    }
    for (int i = 0; i < 2 && me < 2; ++i) MPI_Comm_disconnect(&inter[i]);
}

static void names_of_services(void)
{
    char *port = port_of(0), found[MPI_MAX_PORT_NAME];

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    say_class("before", MPI_Lookup_name("conform ports", MPI_INFO_NULL, found));
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == np - 1) say_class("publish", MPI_Publish_name("conform ports", MPI_INFO_NULL, port));
    MPI_Barrier(MPI_COMM_WORLD);
    say_class("lookup", MPI_Lookup_name("conform ports", MPI_INFO_NULL, found));
    say("same %d", strcmp(found, port) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == np - 1) say_class("unpublish", MPI_Unpublish_name("conform ports", MPI_INFO_NULL, port));
    MPI_Barrier(MPI_COMM_WORLD);
    say_class("after", MPI_Lookup_name("conform ports", MPI_INFO_NULL, found));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (me == 0) MPI_Close_port(port);
}

/* The port of a service may change. */
static void name_published_again(void)
{
    char ports[2][MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME] = "";

    if (me == 0) {
        for (int i = 0; i < 2; ++i) MPI_Open_port(MPI_INFO_NULL, ports[i]);
        say("other %d", strcmp(ports[0], ports[1]) != 0);
        MPI_Publish_name("conform again", MPI_INFO_NULL, ports[0]);
        say_class("again", MPI_Publish_name("conform again", MPI_INFO_NULL, ports[1]));
        MPI_Lookup_name("conform again", MPI_INFO_NULL, found);
        say("%s", strcmp(found, ports[0]) == 0 ? "first" : strcmp(found, ports[1]) == 0 ? "second" : "another");
        MPI_Unpublish_name("conform again", MPI_INFO_NULL, ports[1]);
        for (int i = 0; i < 2; ++i) MPI_Close_port(ports[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_ports(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter, null = MPI_COMM_NULL;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    say_class("open", MPI_Open_port(MPI_INFO_NULL, NULL));
    say_class("close", MPI_Close_port(NULL));
    say_class("publish", MPI_Publish_name(NULL, MPI_INFO_NULL, port));
    say_class("", MPI_Publish_name("a", MPI_INFO_NULL, NULL));
    say_class("unpublish", MPI_Unpublish_name(NULL, MPI_INFO_NULL, port));
    say_class("lookup", MPI_Lookup_name(NULL, MPI_INFO_NULL, port));
    say_class("accept", MPI_Comm_accept("a", MPI_INFO_NULL, 0, MPI_COMM_SELF, NULL));
    say_class("", MPI_Comm_accept("a", MPI_INFO_NULL, 1, MPI_COMM_SELF, &inter));
    say_class("", MPI_Comm_accept("a", MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter));
    say_class("", MPI_Comm_accept(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    say_class("connect", MPI_Comm_connect("a", MPI_INFO_NULL, 0, MPI_COMM_SELF, NULL));
    say_class("", MPI_Comm_connect("a", MPI_INFO_NULL, -1, MPI_COMM_SELF, &inter));
    say_class("", MPI_Comm_connect("a", MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter));
    say_class("", MPI_Comm_connect(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    say_class("disconnect", MPI_Comm_disconnect(&null));
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Messages that were sent before are received after others have begun to disconnect. */
static void disconnect_waits(void)
{
    int value = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (me == 0) MPI_Isend(&me, 1, MPI_INT, np - 1, 1, comm, &request);
    if (me == np - 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_class("", MPI_Comm_disconnect(&comm));
    say("%d %d", comm == MPI_COMM_NULL, value);
}

static void number_of_the_program(void)
{
    int *number = NULL, flag = 0;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
    say("%d %d", flag, flag ? *number : -1);
}

static void say_how(MPI_Info info, const char *key, bool known)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = -1;

    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
    say("%s %d %s", key, flag, known ? value : *value ? "text" : "none");
}

static void how_ranks_were_started(void)
{
    int count = -1;
    MPI_Info info;

    MPI_Info_get_nkeys(MPI_INFO_ENV, &count);
    say("%d", count >= 7);
    say_how(MPI_INFO_ENV, "command", true);
    say_how(MPI_INFO_ENV, "soft", np > 1);
    MPI_Info_dup(MPI_INFO_ENV, &info);
    say_how(info, "maxprocs", true);
    say_how(info, "thread_level", true);
    MPI_Info_free(&info);
    say_how(MPI_INFO_ENV, "host", false);
    say_how(MPI_INFO_ENV, "arch", false);
    say_how(MPI_INFO_ENV, "wdir", false);
    say_how(MPI_INFO_ENV, "weather", false);
}

const conform_case conform_ports[] = {
    CASE(connect_halves, 2),
    CASE(connect_by_last_ranks, 2),
    CASE(port_of_another_rank, 3),
    CASE(connect_twice, 2),
    CASE(names_of_services, 1),
    CASE(name_published_again, 1),
    CASE(wrong_ports, 1),
    CASE(disconnect_waits, 1),
    CASE(number_of_the_program, 1),
    CASE(how_ranks_were_started, 1),
    NO_MORE_CASES,
};
