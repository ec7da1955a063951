/* Bucket sort of integers, as in the kernel IS of the NAS parallel benchmarks: in each iteration two keys change and
 * all are ranked again. Keys are counted by bucket, neighbouring buckets are assigned to ranks so that all get about
 * the same number of keys, keys travel to the ranks of their buckets, and are counted there. After the last iteration
 * they are sorted and checked. */
#include <mpi.h>

#include "arguments.h"

#include <limits.h>
#include <stdint.h>

enum { SORT_TESTS = 5 }; /* keys whose ranks are published for some classes of NAS IS */

typedef struct sort_class {
    const char *name;
    int log2, max_log2, index[SORT_TESTS], rank[SORT_TESTS];
    int lower,
        first[2]; /* number of ranks that grow by one per iteration, and the first iteration; the others shrink */
} sort_class;

static const sort_class sort_classes[] = {
    { "S", 16, 11, { 48427, 17148, 23627, 62548, 4431 }, { 0, 18, 346, 64917, 65463 }, 3, { 0, 0 } },
    { "W",
      20,
      16,
      { 357773, 934767, 875723, 898999, 404505 },
      { 1249, 11698, 1039987, 1043896, 1048018 },
      2,
      { 2, 0 } },
    { "A",
      23,
      19,
      { 2112377, 662041, 5336171, 3642833, 4250760 },
      { 104, 17523, 123928, 8288932, 8388264 },
      3,
      { 1, 1 } },
};

typedef struct sort_state {
    int rank, np, log2, max_log2, iterations;
    const sort_class *known; /* NULL: unknown */
    int64_t total, first;    /* keys of all ranks, and of lower ranks */
    int local, max_key, buckets, shift;
    int *keys, *grouped;                                  /* initial keys of this rank: as generated, and by bucket */
    int *received, *sorted, *counts;                      /* keys of its buckets; number of keys up to each value */
    int received_count, capacity, lowest, range, smaller; /* keys are lowest to lowest + range - 1; number below */
    int *sizes, *totals;                                  /* of buckets, here and of all ranks; then the tested keys */
    int *starts;                                          /* of the buckets in `grouped` */
    int *send_counts, *send_starts, *receive_counts, *receive_starts;
    int passed; /* known ranks found here */
} sort_state;

static void *sort_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "sort: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/*=============================================================================
 * MARK: - >>keys
 *===========================================================================*/
/* x = a x mod 2^46 with a = 5^13: the generator of NAS. */
static const uint64_t sort_multiplier = 1220703125u, sort_seed = 314159265u, sort_mask = ((uint64_t)1 << 46) - 1;

static uint64_t sort_skip(uint64_t seed, uint64_t steps)
{
    for (uint64_t a = sort_multiplier; steps > 0; steps >>= 1, a = a * a & sort_mask)
        if (steps & 1) seed = seed * a & sort_mask;
    return seed;
}

/* Each is the average of four. */
static void sort_generate(sort_state *s)
{
    const double unit = 1.0 / (double)((uint64_t)1 << 46);
    uint64_t x = sort_skip(sort_seed, 4 * (uint64_t)s->first);
    for (int i = 0; i < s->local; ++i) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            x = x * sort_multiplier & sort_mask;
            sum += (double)x * unit;
        }
        s->keys[i] = (int)((s->max_key / 4) * sum);
    }
}

/* Changes two keys in each iteration. */
static void sort_change(sort_state *s, int iteration)
{
    const int64_t a = iteration - s->first, b = iteration + s->iterations - s->first;
    if (a >= 0 && a < s->local) s->keys[a] = iteration;
    if (b >= 0 && b < s->local) s->keys[b] = s->max_key - iteration;
}

/*=============================================================================
 * MARK: - >>ranking
 *===========================================================================*/
static void sort_count_buckets(sort_state *s)
{
    memset(s->sizes, 0, (size_t)(s->buckets + SORT_TESTS) * sizeof *s->sizes);
    for (int i = 0; i < s->local; ++i) s->sizes[s->keys[i] >> s->shift]++;
    for (int t = 0; t < SORT_TESTS && s->known; ++t) {
        const int64_t at = s->known->index[t] - s->first;
        if (at >= 0 && at < s->local) s->sizes[s->buckets + t] = s->keys[at];
    }
}

static void sort_group(sort_state *s)
{
    s->starts[0] = 0;
    for (int b = 1; b < s->buckets; ++b) s->starts[b] = s->starts[b - 1] + s->sizes[b - 1];
    for (int i = 0; i < s->local; ++i) s->grouped[s->starts[s->keys[i] >> s->shift]++] = s->keys[i];
}

/* Assigns buckets to ranks: a rank is full once the ranks up to it have their share of all keys. */
static void sort_deal(sort_state *s)
{
    int64_t dealt = 0;
    int bucket = 0, start = 0;
    for (int to = 0; to < s->np; ++to) {
        const int from = bucket;
        const int64_t share = s->total * (to + 1) / s->np;
        int count = 0;
        if (to == s->rank) s->smaller = (int)dealt;
        while (bucket < s->buckets && (dealt < share || to == s->np - 1)) {
            dealt += s->totals[bucket];
            count += s->sizes[bucket++];
        }
        s->send_counts[to] = count;
        s->send_starts[to] = start;
        start += count;
        if (to != s->rank) continue;
        s->lowest = from << s->shift;
        s->range = (bucket - from) << s->shift;
        s->received_count = (int)(dealt - s->smaller);
    }
}

static void sort_room(sort_state *s)
{
    if (s->received_count <= s->capacity) return;
    free(s->received);
    s->capacity = s->received_count + s->received_count / 16;
    s->received = (int *)sort_memory((size_t)s->capacity, sizeof *s->received);
}

static void sort_count_keys(sort_state *s)
{
    memset(s->counts, 0, (size_t)s->range * sizeof *s->counts);
    for (int i = 0; i < s->received_count; ++i) s->counts[s->received[i] - s->lowest]++;
    for (int k = 1; k < s->range; ++k) s->counts[k] += s->counts[k - 1];
}

static void sort_rank(sort_state *s)
{
    sort_count_buckets(s);
    MPI_Allreduce(s->sizes, s->totals, s->buckets + SORT_TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sort_group(s);
    sort_deal(s);
    MPI_Alltoall(s->send_counts, 1, MPI_INT, s->receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    s->receive_starts[0] = 0;
    for (int i = 1; i < s->np; ++i) s->receive_starts[i] = s->receive_starts[i - 1] + s->receive_counts[i - 1];
    sort_room(s);
    MPI_Alltoallv(s->grouped, s->send_counts, s->send_starts, MPI_INT, s->received, s->receive_counts,
                  s->receive_starts, MPI_INT, MPI_COMM_WORLD);
    sort_count_keys(s);
}

/*=============================================================================
 * MARK: - >>checks
 *===========================================================================*/
static void sort_check_known(sort_state *s, int iteration)
{
    for (int t = 0; t < SORT_TESTS && s->known; ++t) {
        const int key = s->totals[s->buckets + t], upper = t >= s->known->lower, at = key - s->lowest;
        const int drift = iteration - s->known->first[upper];
        if (at < 0 || at >= s->range) continue;
        if (s->smaller + (at > 0 ? s->counts[at - 1] : 0) == s->known->rank[t] + (upper ? -drift : drift)) ++s->passed;
    }
}

static void sort_place(sort_state *s)
{
    s->sorted = (int *)sort_memory((size_t)s->received_count, sizeof *s->sorted);
    for (int i = s->received_count - 1; i >= 0; --i)
        s->sorted[--s->counts[s->received[i] - s->lowest]] = s->received[i];
}

/* A checksum that is the same for any permutation of the keys, and hardly ever for other keys. */
static int64_t sort_checksum(const int *keys, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; ++i) {
        uint64_t x = (uint64_t)keys[i] + 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        sum += (x ^ x >> 31) >> 24; /* 40 bits, so that sums of 2^23 fit */
    }
    return (int64_t)(sum & (((uint64_t)1 << 40) - 1));
}

/* Neighbours compare their outer keys; a rank without keys passes on the key that it received. */
static int sort_ordered(const sort_state *s)
{
    int good = 1, last = -1;
    for (int i = 1; i < s->received_count; ++i) good = good && s->sorted[i - 1] <= s->sorted[i];
    if (s->rank > 0) MPI_Recv(&last, 1, MPI_INT, s->rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (s->received_count > 0) {
        good = good && last <= s->sorted[0];
        last = s->sorted[s->received_count - 1];
    }
    if (s->rank < s->np - 1) MPI_Send(&last, 1, MPI_INT, s->rank + 1, 1, MPI_COMM_WORLD);
    return good;
}

/* Checks the result; returns on rank 0 whether it is correct. */
static int sort_check(sort_state *s)
{
    const int tests = s->known ? SORT_TESTS * s->iterations : 0;
    long long mine[4], all[4] = { 0, 0, 0, 0 };
    int good = 0, all_good = 0;
    sort_place(s);
    good = sort_ordered(s);
    mine[0] = s->received_count;
    mine[1] = sort_checksum(s->keys, s->local);
    mine[2] = sort_checksum(s->sorted, s->received_count);
    mine[3] = s->passed;
    MPI_Reduce(mine, all, 4, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (s->rank != 0) return 1;
    for (int i = 1; i < 3; ++i) all[i] &= ((long long)1 << 40) - 1;
    printf("keys %lld of %lld below %d, %d iterations\n", all[0], (long long)s->total, s->max_key, s->iterations);
    printf("checksum %010llx, expected %010llx\n", (unsigned long long)all[2], (unsigned long long)all[1]);
    printf("sorted: %s\n", all_good ? "yes" : "no");
    if (s->known) printf("known ranks of class %s: %lld of %d\n", s->known->name, all[3], tests);
    return all[0] == s->total && all[1] == all[2] && all_good && all[3] == tests;
}

/*=============================================================================
 * MARK: - >>main
 *===========================================================================*/
static void sort_open(sort_state *s)
{
    const size_t np = (size_t)s->np;
    for (size_t i = 0; i < sizeof sort_classes / sizeof *sort_classes; ++i)
        if (sort_classes[i].log2 == s->log2 && sort_classes[i].max_log2 == s->max_log2 && s->iterations == 10)
            s->known = &sort_classes[i];
    s->total = (int64_t)1 << s->log2;
    s->first = s->total * s->rank / s->np;
    s->local = (int)(s->total * (s->rank + 1) / s->np - s->first);
    s->max_key = 1 << s->max_log2;
    s->shift = s->max_log2 > 10 ? s->max_log2 - 10 : 0;
    s->buckets = s->max_key >> s->shift;
    s->keys = (int *)sort_memory((size_t)s->local, sizeof(int));
    s->grouped = (int *)sort_memory((size_t)s->local, sizeof(int));
    s->counts = (int *)sort_memory((size_t)s->max_key, sizeof(int));
    s->sizes = (int *)sort_memory((size_t)s->buckets + SORT_TESTS, sizeof(int));
    s->totals = (int *)sort_memory((size_t)s->buckets + SORT_TESTS, sizeof(int));
    s->starts = (int *)sort_memory((size_t)s->buckets, sizeof(int));
    s->send_counts = (int *)sort_memory(np, sizeof(int));
    s->send_starts = (int *)sort_memory(np, sizeof(int));
    s->receive_counts = (int *)sort_memory(np, sizeof(int));
    s->receive_starts = (int *)sort_memory(np, sizeof(int));
}

static void sort_close(sort_state *s)
{
    int *const all[] = { s->keys,   s->grouped, s->received,    s->sorted,      s->counts,         s->sizes,
                         s->totals, s->starts,  s->send_counts, s->send_starts, s->receive_counts, s->receive_starts };

    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

static const char sort_usage[] = "usage: sort [OPTION VALUE]...\n"
                                 "Bucket sort of integers over all ranks, as in NAS IS.\n"
                                 "  --log2 N         2^N keys in total; default: 20\n"
                                 "  --max-log2 N     keys are below 2^N; default: 16\n"
                                 "  --iterations N   number of rankings; default: 10\n"
                                 "  --help           prints this\n";

int main(int argc, char **argv)
{
    sort_state s = { .log2 = 20, .max_log2 = 16, .iterations = 10 };
    const argument list[] = { { .name = "--log2", .number = &s.log2, .least = 1, .most = 30 },
                              { .name = "--max-log2", .number = &s.max_log2, .least = 3, .most = 30 },
                              { .name = "--iterations", .number = &s.iterations, .least = 1, .most = INT_MAX / 2 } };
    char why[200];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.np);
    argument_answer answer = arguments_read(argc, argv, 1, list, sizeof list / sizeof *list, why);
    if (answer == ARGUMENTS_GOOD && s.iterations >= 1 << s.max_log2) {
        snprintf(why, sizeof why, "--iterations %d: expected less than the number of key values, %d", s.iterations,
                 1 << s.max_log2);
        answer = ARGUMENTS_WRONG;
    }
    if (answer != ARGUMENTS_GOOD) {
        if (s.rank == 0 && answer == ARGUMENTS_HELP) fputs(sort_usage, stdout);
        if (s.rank == 0 && answer == ARGUMENTS_WRONG) fprintf(stderr, "sort: %s\n", why);
        MPI_Finalize();
        return answer == ARGUMENTS_HELP ? 0 : 2;
    }
    sort_open(&s);
    sort_generate(&s);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    for (int i = 1; i <= s.iterations; ++i) {
        sort_change(&s, i);
        sort_rank(&s);
        sort_check_known(&s, i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;
    int good = sort_check(&s);
    if (s.rank == 0 && !good) fprintf(stderr, "sort: the check failed\n");
    if (s.rank == 0) printf("time %.6f s\n", seconds);
    sort_close(&s);
    MPI_Finalize();
    return good ? 0 : 1;
}
