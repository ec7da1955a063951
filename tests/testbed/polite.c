/* Open MPI looks for messages without rest while it waits. On a node of the testbed that would use up the quota of the
 * processor, and the message would find the node stopped. With mpi_yield_when_idle it calls sched_yield() when it has
 * found nothing. Here that sleeps until one of the sockets has something, which it last looked at with poll(); so
 * waiting takes no processor time, as on a cluster whose MPI blocks. Loaded with LD_PRELOAD by `testbed mpi`. */
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
static int vain; /* looks that found nothing since one did: Open MPI looks once more when it has what it wants */

static poll_call *real_poll(void)
{
    static poll_call *found;
    if (!found) {
        void *symbol = dlsym(RTLD_NEXT, "poll");
        memcpy(&found, &symbol, sizeof found);
    }
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
    if (count > 0 && vain > PATIENCE) real_poll()(looked_at, count, LONGEST);
    return 0;
}
