/* Ports and names of services, beyond what conform_ports.c can compare with Open MPI; one case for each word. */
#include "mpi.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static const char *class_of(int code)
{
    int which;
    MPI_Error_class(code, &which);
    return which == MPI_SUCCESS       ? "SUCCESS"
           : which == MPI_ERR_PORT    ? "PORT"
           : which == MPI_ERR_SERVICE ? "SERVICE"
           : which == MPI_ERR_NAME    ? "NAME"
                                      : "another class";
}

/* A port that rank 0 opened. */
static char *port_of_first(void)
{
    static char port[MPI_MAX_PORT_NAME];
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    return port;
}

/* All ranks but the first connect at the same time, each for itself. */
static void serve_all(void)
{
    char *port = port_of_first();
    MPI_Comm inter;
    for (int i = 1; rank == 0 && i < size; ++i) {
        int client;
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        MPI_Recv(&client, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
        printf("served %d\n", client);
        MPI_Comm_disconnect(&inter);
    }
    if (rank == 0) return;
    skeleton_compute((size - rank) * 1e-3);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, inter);
    MPI_Comm_disconnect(&inter);
}

/* The port is closed while a rank waits there. */
static void refuse(void)
{
    char *port = port_of_first();
    MPI_Comm inter;
    if (rank == 0) {
        skeleton_compute(0.5);
        MPI_Close_port(port);
    } else {
        const char *first = class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        printf("%s at %.3f s, null %d, then %s\n", first, MPI_Wtime(), inter == MPI_COMM_NULL,
               class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)));
    }
}

static void be_wrong(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    printf("%d: connect %s", rank, class_of(MPI_Comm_connect("simkit:10x", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)));
    printf(" accept %s", class_of(MPI_Comm_accept("simkit:1", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)));
    printf(" close %s", class_of(MPI_Close_port("nowhere")));
    printf(" unpublish %s", class_of(MPI_Unpublish_name("service", MPI_INFO_NULL, "port")));
    printf(" lookup %s\n", class_of(MPI_Lookup_name("service", MPI_INFO_NULL, port)));
}

/* Looks a name up until it is there. */
static void poll_for_a_name(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    if (rank == 0) {
        skeleton_compute(0.25);
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("service", MPI_INFO_NULL, port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    } else {
        while (MPI_Lookup_name("service", MPI_INFO_NULL, port) != MPI_SUCCESS) continue;
        printf("found at %.4f s\n", MPI_Wtime());
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    }
    MPI_Comm_disconnect(&inter);
}

/* Both sides come at once: a message there, and one back. */
static void take_time(const char *how)
{
    char *port = port_of_first();
    double begun, ended;
    MPI_Comm inter;
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    if (is(how, "late") && rank == 1) skeleton_compute(0.010);
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    ended = MPI_Wtime();
    MPI_Comm_disconnect(&inter);
    if (rank == 0) printf("%.4f ms\n", 1e3 * (ended - begun));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) printf("%.4f ms\n", 1e3 * (ended - begun));
}

/* Those of the same program are a group; the first program serves the second. */
static void connect_programs(int program)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int parts = 0, value = rank;
    MPI_Comm mine, inter;
    MPI_Comm_split(MPI_COMM_WORLD, program, 0, &mine);
    MPI_Comm_size(mine, &parts);
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port), MPI_Publish_name("programs", MPI_INFO_NULL, port);
    MPI_Barrier(MPI_COMM_WORLD);
    if (program == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, mine, &inter);
    else if (program == 1)
        MPI_Lookup_name("programs", MPI_INFO_NULL, port), MPI_Comm_connect(port, MPI_INFO_NULL, 0, mine, &inter);
    else
        return;
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, inter);
    printf("rank %d of program %d with %d: %d from the other\n", rank, program, parts, value);
    MPI_Comm_disconnect(&inter);
}

/* Children connect to their parents by a port, beside the way that they have. */
static void spawn_clients(char *name, MPI_Comm parent, const char *port)
{
    MPI_Comm children, inter;
    int value = rank;
    if (parent == MPI_COMM_NULL) {
        char *opened = port_of_first(), spawned[] = "spawned", *argv[] = { spawned, opened, NULL };
        MPI_Comm_spawn(name, argv, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Comm_accept(opened, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    } else {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    }
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, inter);
    if (parent == MPI_COMM_NULL) printf("children %d\n", value);
    MPI_Comm_disconnect(&inter);
    MPI_Comm_disconnect(parent == MPI_COMM_NULL ? &children : &parent);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Comm inter, parent;
    int *program, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (is(how, "all")) serve_all();
    if (is(how, "refused")) refuse();
    if (is(how, "wrong")) be_wrong();
    if (is(how, "poll")) poll_for_a_name();
    if (is(how, "time") || is(how, "late")) take_time(how);
    if (is(how, "spawn") || is(how, "spawned")) spawn_clients(argv[0], parent, argc > 2 ? argv[2] : "");
    if (is(how, "programs")) {
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &flag);
        connect_programs(*program);
    }
    if (is(how, "nobody")) { /* accepts, and later connects to another port */
        char *port = port_of_first();
        if (rank == 1) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        port = port_of_first();
        if (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    }
    if (is(how, "fatal")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_connect("elsewhere", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    }
    return MPI_Finalize();
}
