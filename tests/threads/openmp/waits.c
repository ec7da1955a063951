/* waits.c - programs of OpenMP: threads that wait for each other. */
#include "openmp.h"

/* Four sections of 100 to 400 us. */
static uint64_t sections(double scale)
{
    uint64_t x[4] = { 1, 2, 3, 4 };
    const long times = repeated(200, scale);
    for (long n = 0; n < times; ++n) {
#pragma omp parallel sections
        {
#pragma omp section
            x[0] = work(x[0], 100 * US);
#pragma omp section
            x[1] = work(x[1], 200 * US);
#pragma omp section
            x[2] = work(x[2], 300 * US);
#pragma omp section
            x[3] = work(x[3], 400 * US);
        }
    }
    for (int i = 0; i < 4; ++i) verify(x[i] == worked((uint64_t)i + 1, times * (i + 1) * 100 * US));
    return checksum(x, 4);
}

/* Steps of 4 us alone and 1 us in a critical section. */
static uint64_t critical(double scale)
{
    const long n = repeated(40000, scale);
    uint64_t shared = 1, sum = 0, right = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; ++i) {
        sum += work((uint64_t)i, 4 * US);
#pragma omp critical
        shared = work(shared, US);
    }
    for (long i = 0; i < n; ++i) right += worked((uint64_t)i, 4 * US);
    verify(shared == worked(1, n * US));
    verify(sum == right);
    return sum + shared;
}

/* A histogram whose columns are shared. */
static uint64_t atomic(double scale)
{
    static uint64_t columns[256];
    const long n = repeated(500000, scale);
    uint64_t sum = 0;
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
        const uint64_t x = work((uint64_t)i, US / 2);
#pragma omp atomic
        columns[x >> 56] += 1;
    }
    for (int i = 0; i < LENGTH(columns); ++i) sum += columns[i];
    verify(sum == (uint64_t)n);
    return checksum(columns, LENGTH(columns));
}

/* Two threads, each of which shares loops of 1 ms with one more. */
static uint64_t nested(double scale)
{
    uint64_t x[2][50];
    const long loops = repeated(100, scale);
    for (int i = 0; i < 100; ++i) x[i / 50][i % 50] = (uint64_t)i;
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int half = 0; half < 2; ++half)
        for (long n = 0; n < loops; ++n)
#pragma omp parallel for num_threads(2)
            for (int i = 0; i < 50; ++i) x[half][i] = work(x[half][i], 20 * US);
    for (int i = 0; i < 100; ++i) verify(x[i / 50][i % 50] == worked((uint64_t)i, loops * 20 * US));
    return checksum(x[0], 50) + checksum(x[1], 50);
}

/* Steps of 50 us with a barrier after each. */
static uint64_t barrier(double scale)
{
    uint64_t x[100];
    const long steps = repeated(4000, scale);
    for (int i = 0; i < LENGTH(x); ++i) x[i] = (uint64_t)i;
#pragma omp parallel
    {
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        const long first = LENGTH(x) * me / threads, end = LENGTH(x) * (me + 1) / threads;
        for (long n = 0; n < steps; ++n) {
            for (long i = first; i < end; ++i) x[i] = work(x[i], US / 2);
#pragma omp barrier
        }
    }
    for (int i = 0; i < LENGTH(x); ++i) verify(x[i] == worked((uint64_t)i, steps * (US / 2)));
    return checksum(x, LENGTH(x));
}

/* One thread has 100 us to do and the master 50 us, while others begin with a loop of 300 us. */
static uint64_t single(double scale)
{
    uint64_t x[30], one = 1, master = 2;
    const long steps = repeated(400, scale);
    for (int i = 0; i < LENGTH(x); ++i) x[i] = (uint64_t)i;
#pragma omp parallel
    for (long n = 0; n < steps; ++n) {
#pragma omp single nowait
        one = work(one, 100 * US);
#pragma omp master
        master = work(master, 50 * US);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < LENGTH(x); ++i) x[i] = work(x[i], 10 * US);
    }
    for (int i = 0; i < LENGTH(x); ++i) verify(x[i] == worked((uint64_t)i, steps * 10 * US));
    verify(one == worked(1, steps * 100 * US));
    verify(master == worked(2, steps * 50 * US));
    return checksum(x, LENGTH(x)) + one + master;
}

/* Payments between accounts, each of which has a lock. */
static uint64_t locks(double scale)
{
    enum { ACCOUNTS = 16 };
    omp_lock_t lock[ACCOUNTS];
    uint64_t account[ACCOUNTS] = { 0 }, sum = 0;
    const long n = repeated(150000, scale);
    for (int i = 0; i < ACCOUNTS; ++i) omp_init_lock(&lock[i]);
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
        const int from = (int)drawn(i, ACCOUNTS), to = (from + 1 + (int)drawn(i + n, ACCOUNTS - 1)) % ACCOUNTS;
        const uint64_t amount = work((uint64_t)i, US);
        omp_set_lock(&lock[from < to ? from : to]);
        omp_set_lock(&lock[from < to ? to : from]);
        account[from] -= work(amount, US / 4);
        account[to] += worked(amount, US / 4);
        omp_unset_lock(&lock[from]);
        omp_unset_lock(&lock[to]);
    }
    for (int i = 0; i < ACCOUNTS; ++i) {
        omp_destroy_lock(&lock[i]);
        sum += account[i];
    }
    verify(sum == 0);
    return checksum(account, ACCOUNTS);
}

const program programs[] = {
    { "sections", sections }, { "critical", critical }, { "atomic", atomic }, { "nested", nested },
    { "barrier", barrier },   { "single", single },     { "locks", locks },   { NULL, NULL },
};
