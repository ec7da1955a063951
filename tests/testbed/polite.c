/* Open MPI looks for messages without rest while it waits. On a node of the testbed that would use up the quota of the
 * processor, and the message would find the node stopped. With mpi_yield_when_idle it calls sched_yield() when it has
 * found nothing. Here that sleeps until one of the sockets has something, which it last looked at with poll(); so
 * waiting takes no processor time, as on a cluster whose MPI blocks. Calls that test for messages and return do not sleep.
 * Loaded with LD_PRELOAD by `testbed mpi`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 256, LONGEST = 10, PATIENCE = 3 }; /* sockets; how long it sleeps at most [ms]; looks in vain before */

typedef int poll_call(struct pollfd *, nfds_t, int);

static struct pollfd looked_at[MOST];
static nfds_t count;
static int vain;    /* looks that found nothing since one did: Open MPI looks once more when it has what it wants */
static int testing; /* in a call that only tests */

/* The function that would be called without this library. */
static void next(const char *name, void *to, size_t size)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(to, &symbol, size);
}

static poll_call *real_poll(void)
{
    static poll_call *found;
    if (!found) next("poll", &found, sizeof found);
    return found;
}

int poll(struct pollfd *sockets, nfds_t number, int timeout)
{
    /* Only the first thread looks for messages; those of Open MPI's daemons have sockets of their own. */
    const int found = real_poll()(sockets, number, timeout);
    if (timeout == 0 && number <= MOST && getpid() == (pid_t)syscall(SYS_gettid)) {
        memcpy(looked_at, sockets, number * sizeof *sockets);
        count = number;
        vain = found ? 0 : vain + 1;
    }
    return found;
}

int sched_yield(void)
{
    if (!testing && count > 0 && vain > PATIENCE) real_poll()(looked_at, count, LONGEST);
    return 0;
}

/* C calls the first, Fortran the second. */
#define TEST(NAME, PARAMETERS, ARGUMENTS)                                                                              \
    TEST_ONE(MPI_##NAME, PARAMETERS, ARGUMENTS)                                                                        \
    TEST_ONE(PMPI_##NAME, PARAMETERS, ARGUMENTS)
#define TEST_ONE(NAME, PARAMETERS, ARGUMENTS)                                                                          \
    int NAME PARAMETERS;                                                                                               \
    int NAME PARAMETERS                                                                                                \
    {                                                                                                                  \
        static int(*found) PARAMETERS;                                                                                 \
        int result;                                                                                                    \
        if (!found) next(#NAME, &found, sizeof found);                                                                 \
        ++testing;                                                                                                     \
        result = found ARGUMENTS;                                                                                      \
        --testing;                                                                                                     \
        return result;                                                                                                 \
    }

TEST(Test, (void **request, int *flag, void *status), (request, flag, status))
TEST(Testany, (int number, void **requests, int *index, int *flag, void *status),
     (number, requests, index, flag, status))
TEST(Testall, (int number, void **requests, int *flag, void *statuses), (number, requests, flag, statuses))
TEST(Testsome, (int number, void **requests, int *some, int *indices, void *statuses),
     (number, requests, some, indices, statuses))
TEST(Request_get_status, (void *request, int *flag, void *status), (request, flag, status))
TEST(Iprobe, (int source, int tag, void *comm, int *flag, void *status), (source, tag, comm, flag, status))
TEST(Improbe, (int source, int tag, void *comm, int *flag, void **message, void *status),
     (source, tag, comm, flag, message, status))
