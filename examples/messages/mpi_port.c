/* mpi_port.c - ports, by which groups of ranks connect, and names of services. They are those of one run, in shared memory. A
 * call looks at them at its virtual time, so the order of calls is that of the virtual clock. */
#include "mpi_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A root that waits at a port. */
typedef struct port_waiting {
    struct port_waiting *next;
    int32_t task;
} port_waiting;

typedef struct port_open {
    struct port_open *next;
    int32_t number;           /* the context of its messages */
    port_waiting *waiting[2]; /* those that connect, those that accept: one of the lists is empty */
} port_open;

typedef struct port_service {
    struct port_service *next;
    char name[MPI_MAX_PORT_NAME], port[MPI_MAX_PORT_NAME];
} port_service;

/* Where the pointer to an open port is; NULL: there is no such port. */
static port_open **port__find(const char *name)
{
    port_open **at = (port_open **)&messages->ports;
    int number, length = 0;
    if (sscanf(name, "simkit:%d%n", &number, &length) != 1 || name[length]) return NULL;
    for (; *at; at = &(*at)->next)
        if ((*at)->number == number) return at;
    return NULL;
}

/* Where the pointer to a service is, or belongs. */
static port_service **port__service(const char *name)
{
    port_service **at = (port_service **)&messages->names;
    while (*at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    return at;
}

int PMPI_Open_port(MPI_Info info, char *name)
{
    mpi_begin("MPI_Open_port");
    (void)info;
    if (!name) return mpi_end(NULL, MPI_ERR_ARG);
    messages_flush();
    port_open *p = direct_new(sizeof *p);
    p->number = mpi_context_take(1);
    p->next = messages->ports;
    messages->ports = p;
    snprintf(name, MPI_MAX_PORT_NAME, "simkit:%d", (int)p->number);
    return mpi_end(NULL, MPI_SUCCESS);
}

static void port__send(const port_open *p, int32_t to, int32_t tag, messages_chunk *chunk, size_t bytes)
{
    messages_send(to, (messages_envelope){ p->number, messages_self->number, tag, 0 }, chunk, bytes, MESSAGES_STANDARD,
                  NULL, NULL);
}

static int port__unknown(const char *name)
{
    return mpi_explain(MPI_ERR_PORT, "there is no port '%.128s', or it is closed", name);
}

/* Roots that wait at the port are refused, by an empty message. */
int PMPI_Close_port(const char *name)
{
    mpi_begin("MPI_Close_port");
    if (!name) return mpi_end(NULL, MPI_ERR_ARG);
    messages_flush();
    port_open **at = port__find(name);
    if (!at) return mpi_end(NULL, port__unknown(name));
    port_open *p = *at;
    *at = p->next;
    for (int accepting = 0; accepting < 2; ++accepting)
        for (port_waiting *w = p->waiting[accepting], *next; w; w = next) {
            next = w->next;
            port__send(p, w->task, accepting ? MESSAGES_CONNECTS : MESSAGES_ACCEPTS, messages_chunk_new(0), 0);
            direct_free(w, sizeof *w);
        }
    direct_free(p, sizeof *p);
    return mpi_end(NULL, MPI_SUCCESS);
}

/* The roots of both sides meet. The one that comes later knows the other one, and sends its group and the context first.
 * NULL: refused. */
static messages_request *port__meet(port_open *p, bool accepts, MPI_Comm comm, int32_t *context)
{
    const int32_t mine = accepts ? MESSAGES_ACCEPTS : MESSAGES_CONNECTS;
    const int32_t theirs = accepts ? MESSAGES_CONNECTS : MESSAGES_ACCEPTS;
    messages_request *r = messages_request_new(true);
    port_waiting *other = p->waiting[!accepts];
    port_open at = *p; /* it may be closed meanwhile */
    size_t bytes;
    if (other) {
        p->waiting[!accepts] = other->next;
        *context = mpi_context_take(2);
        messages_post(r, (messages_envelope){ at.number, other->task, theirs, 0 });
        messages_chunk *chunk = mpi_side_chunk(comm, *context, &bytes);
        port__send(&at, other->task, mine, chunk, bytes);
        direct_free(other, sizeof *other);
    } else {
        port_waiting **last = &p->waiting[accepts];
        while (*last) last = &(*last)->next;
        *last = direct_new(sizeof **last);
        (*last)->task = messages_self->number;
        messages_post(r, (messages_envelope){ at.number, MESSAGES_ANY, theirs, 0 });
    }
    messages_wait(&r, 1, 1);
    messages_flush();
    if (r->bytes == 0) {
        messages_request_drop(r);
        return NULL;
    }
    if (!other) {
        messages_chunk *chunk = mpi_side_chunk(comm, 0, &bytes);
        port__send(&at, r->from, mine, chunk, bytes);
        *context = 0;
    }
    return r;
}

static int port__join(const char *call, bool accepts, const char *name, int root, MPI_Comm comm, MPI_Comm *fresh)
{
    mpi_begin(call);
    int code = mpi_comm_check(comm);
    if (code || comm->remote) return mpi_end(code ? NULL : comm, MPI_ERR_COMM);
    if (root < 0 || root >= comm->group->size || !fresh) return mpi_end(comm, MPI_ERR_ARG);
    messages_request *r = NULL;
    int32_t context = 0;
    if (comm->group->rank == root) {
        messages_flush();
        port_open **at = name ? port__find(name) : NULL;
        if (at) r = port__meet(*at, accepts, comm, &context);
        code = !name ? MPI_ERR_ARG : r ? MPI_SUCCESS : port__unknown(name);
    }
    *fresh = MPI_COMM_NULL;
    return mpi_end(comm, mpi_side_join(comm, root, code, context, r, fresh));
}

int PMPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *fresh)
{
    (void)info;
    return port__join("MPI_Comm_accept", true, port, root, comm, fresh);
}

int PMPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *fresh)
{
    (void)info;
    return port__join("MPI_Comm_connect", false, port, root, comm, fresh);
}

/*=============================================================================
 * MARK: - >>names of services
 *===========================================================================*/

static int port__service_unknown(int code, const char *name)
{
    return mpi_explain(code, "no service '%.128s' has been published", name);
}

/* A name that exists gets the new port, as in Open MPI. */
int PMPI_Publish_name(const char *name, MPI_Info info, const char *port)
{
    mpi_begin("MPI_Publish_name");
    (void)info;
    if (!name || !port || strlen(name) >= MPI_MAX_PORT_NAME || strlen(port) >= MPI_MAX_PORT_NAME)
        return mpi_end(NULL, MPI_ERR_ARG);
    messages_flush();
    port_service **at = port__service(name);
    if (!*at) *at = direct_new(sizeof **at);
    strcpy((*at)->name, name);
    strcpy((*at)->port, port);
    messages_goes_on(); /* others may look it up again and again */
    return mpi_end(NULL, MPI_SUCCESS);
}

int PMPI_Unpublish_name(const char *name, MPI_Info info, const char *port)
{
    mpi_begin("MPI_Unpublish_name");
    (void)info;
    if (!name || !port) return mpi_end(NULL, MPI_ERR_ARG);
    messages_flush();
    port_service **at = port__service(name), *s = *at;
    if (!s) return mpi_end(NULL, port__service_unknown(MPI_ERR_SERVICE, name));
    *at = s->next;
    direct_free(s, sizeof *s);
    messages_goes_on();
    return mpi_end(NULL, MPI_SUCCESS);
}

/* It costs as much as a test that finds nothing, so that a loop that waits for a name makes time go on. */
int PMPI_Lookup_name(const char *name, MPI_Info info, char *port)
{
    mpi_begin("MPI_Lookup_name");
    (void)info;
    if (!name || !port) return mpi_end(NULL, MPI_ERR_ARG);
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
    const port_service *s = *port__service(name);
    if (!s) return mpi_end(NULL, port__service_unknown(MPI_ERR_NAME, name));
    strcpy(port, s->port);
    return mpi_end(NULL, MPI_SUCCESS);
}

/* clang-format off */
MPI_FIRST(Open_port) MPI_FIRST(Close_port) MPI_FIRST(Comm_accept) MPI_FIRST(Comm_connect) MPI_FIRST(Publish_name)
MPI_FIRST(Unpublish_name) MPI_FIRST(Lookup_name)
    /* clang-format on */
