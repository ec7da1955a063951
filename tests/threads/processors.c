/* How many processors a program sees, by each way to ask; and that a set of them can be asked for by number. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int in(const cpu_set_t *set, long bytes)
{
    return CPU_COUNT_S((size_t)bytes, set);
}

int main(void)
{
    cpu_set_t set, asked, one;
    sched_getaffinity(0, sizeof set, &set);
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof asked, &asked);
    printf("sysconf %ld, sched_getaffinity %d, syscall %d\n", sysconf(_SC_NPROCESSORS_ONLN), in(&set, sizeof set), in(&asked, bytes));
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    syscall(SYS_sched_setaffinity, 0, sizeof one, &one);
    syscall(SYS_sched_getaffinity, 0, sizeof asked, &asked);
    printf("a set of %d remains\n", in(&asked, bytes));
    if (syscall(SYS_sched_setaffinity, 0, bytes, NULL) != 0) printf("no set: %s\n", strerror(errno));
    return 0;
}
