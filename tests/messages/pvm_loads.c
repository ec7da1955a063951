/* The same with PVM: a master starts workers, asks them for the load of their hosts, and gives the work to who has the
 * least. test_messages_users gives the hosts users, and looks at the time. */
#include "pvm3.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOAD = 1, WORK, DONE, WORKERS = 3 };

static double now(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static void worker(int parent)
{
    double load, work;
    sleep(60);
    load = skeleton_load_average(60);
    pvm_psend(parent, LOAD, &load, 1, PVM_DOUBLE);
    pvm_precv(parent, WORK, &work, 1, PVM_DOUBLE, NULL, NULL, NULL);
    skeleton_compute(work);
    pvm_psend(parent, DONE, &work, 1, PVM_DOUBLE);
}

int main(int argc, char **argv)
{
    const double work = argc > 1 ? atof(argv[1]) : 0, none = 0;
    double loads[WORKERS], begun, done;
    int tids[WORKERS], chosen = 0;
    if (pvm_parent() >= 0) {
        worker(pvm_parent());
        pvm_exit();
        return 0;
    }
    pvm_spawn(argv[0], NULL, PvmTaskDefault, "", WORKERS, tids);
    for (int i = 0; i < WORKERS; ++i) {
        pvm_precv(tids[i], LOAD, &loads[i], 1, PVM_DOUBLE, NULL, NULL, NULL);
        if (loads[i] < loads[chosen]) chosen = i;
    }
    begun = now();
    for (int i = 0; i < WORKERS; ++i) pvm_psend(tids[i], WORK, (void *)(i == chosen ? &work : &none), 1, PVM_DOUBLE);
    for (int i = 0; i < WORKERS; ++i) pvm_precv(tids[i], DONE, &done, 1, PVM_DOUBLE, NULL, NULL, NULL);
    printf("worker %d, load %.6f, others %.6f %.6f, %.3f s\n", chosen, loads[chosen], loads[(chosen + 1) % WORKERS],
           loads[(chosen + 2) % WORKERS], now() - begun);
    pvm_exit();
    return 0;
}
