/* conform_omp.c - OpenMP. It prints the same with real threads and on the virtual clock. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static long tree(int depth)
{
    long left, right;
    if (depth == 0) return 1;
#pragma omp task shared(left)
    left = tree(depth - 1);
#pragma omp task shared(right)
    right = tree(depth - 1);
#pragma omp taskwait
    return left + right;
}

int main(void)
{
    long sum = 0, critical = 0, leaves = 0, ordered = 0, wrong = 0;
    int threads = 0;
    double begin = omp_get_wtime();
    omp_set_num_threads(4);
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for reduction(+ : sum) schedule(dynamic, 7)
        for (int i = 1; i <= 1000; ++i) sum += i;
        for (int i = 0; i < 100; ++i) {
#pragma omp critical
            {
                const long before = critical;
                if (i % 50 == 0) usleep(500);
                critical = before + 1;
            }
        }
#pragma omp barrier
        if (critical != 400) wrong = 1;
#pragma omp for ordered
        for (int i = 0; i < 20; ++i) {
#pragma omp ordered
            {
                if (ordered != i) wrong = 2;
                ordered = i + 1;
            }
        }
#pragma omp single
        leaves = tree(10);
    }
    usleep(2000);
    printf("threads %d, sum %ld, critical %ld, ordered %ld, leaves %ld, wrong %ld, time %d\n", threads, sum, critical, ordered,
           leaves, wrong, omp_get_wtime() - begin >= 0.002);
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int round = 0; round < 20; ++round)
#pragma omp parallel
    {
        omp_set_lock(&lock);
        ++sum;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    printf("sum %ld, processors %d\n", sum, omp_get_num_procs() >= 1);
    return 0;
}
