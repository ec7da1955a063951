/* clocks.c - ranks that look at a clock until some time has passed, and what they look for meanwhile: clocks MODE SECONDS. Each prints
 * how long that was, and how often it looked. */
#define _GNU_SOURCE
#include <mpi.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *mode;
static volatile sig_atomic_t alarms;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count(int signal)
{
    (void)signal;
    ++alarms;
}

/* Looks; returns true if what it looks for is there, or enough alarms have come. */
static int found(MPI_Request *request)
{
    int flag = 0;
    if (is("probe")) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (is("test") || is("message")) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    if (is("yield")) sched_yield();
    return flag;
}

static double now(void)
{
    if (is("monotonic")) return seconds(CLOCK_MONOTONIC);
    if (is("cpu")) return seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (is("both") && seconds(CLOCK_REALTIME) < 0) return 0;
    return MPI_Wtime();
}

/* An interval timer, by whose signals waits end; and a sleep that goes on without it. */
static void alarm_often(void)
{
    const struct itimerval often = { { 0, 10000 }, { 0, 20000 } }, never = { { 0, 0 }, { 0, 0 } };
    const struct timespec time = { 0, 100000000 };
    struct timespec left = { 0, 0 };
    signal(SIGALRM, count);
    setitimer(ITIMER_REAL, &often, NULL);
    pause();
    nanosleep(&time, &left);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%.9f s, %d alarms, %.9f s left\n", MPI_Wtime(), (int)alarms, (double)left.tv_nsec * 1e-9);
}

int main(int argc, char **argv)
{
    int rank, byte = 0;
    long looks = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mode = argc > 1 ? argv[1] : "";
    const double duration = argc > 2 ? atof(argv[2]) : 0;
    MPI_Irecv(&byte, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    if (is("message") && rank == 0) { /* it waits, the others look for it */
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        usleep(250000);
        for (int i = 1; i < size; ++i) MPI_Send(&byte, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    } else if (is("alarm")) {
        alarm_often();
    } else {
        const double begin = now();
        double end;
        int there;
        do {
            there = found(&request);
            end = now();
            ++looks;
        } while (end - begin < duration && !there);
        printf("%.9f s, %ld looks\n", end - begin, looks);
    }
    if (request != MPI_REQUEST_NULL) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
