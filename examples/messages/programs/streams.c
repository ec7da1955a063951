/* Many messages in a row, as programs send them: a wavefront that goes through all ranks, a stencil with four
 * neighbours, a transpose, and each collective call again and again. Each checks its own result. The time of a message
 * differs here from that of a single one after a pause: a call that finds more than one message takes less time for
 * each. */
#include <mpi.h>

#include "arguments.h"

#include <limits.h>

typedef struct streams {
    int rank, np;
    int rows, columns, bytes, turns;
    int grid[2]; /* of processes: rows and columns */
    int failed;  /* a result here is wrong */
} streams;

static double *streams_memory(size_t count)
{
    double *memory = calloc(count ? count : 1, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "streams: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* The first of n rows or columns that part number `part` of `parts` has. */
static int streams_first(int n, int part, int parts)
{
    return (int)((long long)n * part / parts);
}

static int streams_differ(double one, double other)
{
    return !(fabs(one - other) <= 1e-9 * (1 + fabs(other)));
}

/*=============================================================================
 * MARK: - >>wavefront
 *===========================================================================*/
/* a(i, j) = a(i-1, j) + a(i, j-1) - a(i-1, j-1), row after row; each rank has some columns, and sends the last of each
 * row to the next rank: a message of 8 bytes a row. With a(i, 0) = i and a(0, j) = j, a(i, j) = i + j. */
static void streams_pipeline(streams *s)
{
    const int begin = streams_first(s->columns, s->rank, s->np), end = streams_first(s->columns, s->rank + 1, s->np);
    const int mine = end - begin;
    double *row = streams_memory((size_t)mine + 1);
    for (int turn = 0; turn < s->turns; ++turn) {
        for (int j = 0; j <= mine; ++j) row[j] = begin + j;
        for (int i = 1; i < s->rows; ++i) {
            double left = i, corner = row[0];
            if (s->rank > 0) MPI_Recv(&left, 1, MPI_DOUBLE, s->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            row[0] = left;
            for (int j = 1; j <= mine; ++j) {
                const double above = row[j];
                row[j] = above + row[j - 1] - corner;
                corner = above;
            }
            if (s->rank + 1 < s->np) MPI_Send(&row[mine], 1, MPI_DOUBLE, s->rank + 1, 0, MPI_COMM_WORLD);
        }
        s->failed |= streams_differ(row[mine], s->rows - 1 + end);
    }
    free(row);
}

/*=============================================================================
 * MARK: - >>stencil
 *===========================================================================*/
/* b = a + (the four neighbours of a - 4 a) / 4 + 1: of a field x + y, which is its own mean, that adds 1 in each turn. */
static void streams_stencil(streams *s)
{
    const int up = s->rank / s->grid[1], left = s->rank % s->grid[1];
    const int top = streams_first(s->rows, up, s->grid[0]), first = streams_first(s->columns, left, s->grid[1]);
    const int m = streams_first(s->rows, up + 1, s->grid[0]) - top;
    const int n = streams_first(s->columns, left + 1, s->grid[1]) - first, wide = n + 2;
    double *a = streams_memory((size_t)(m + 2) * (size_t)wide), *b = streams_memory((size_t)(m + 2) * (size_t)wide);
    const int near_by[4] = { up > 0 ? s->rank - s->grid[1] : MPI_PROC_NULL,
                             up + 1 < s->grid[0] ? s->rank + s->grid[1] : MPI_PROC_NULL,
                             left > 0 ? s->rank - 1 : MPI_PROC_NULL,
                             left + 1 < s->grid[1] ? s->rank + 1 : MPI_PROC_NULL };
    MPI_Datatype column;
    MPI_Type_vector(m, 1, wide, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < m + 2; ++i)
        for (int j = 0; j < wide; ++j) a[i * wide + j] = top + i + first + j;
    for (int turn = 0; turn < s->turns; ++turn) {
        double *const from[4] = { a + wide + 1, a + m * wide + 1, a + wide + 1, a + wide + n };
        double *const to[4] = { a + 1, a + (m + 1) * wide + 1, a + wide, a + wide + n + 1 };
        MPI_Request requests[8];
        for (int k = 0; k < 4; ++k) {
            MPI_Irecv(to[k], k < 2 ? n : 1, k < 2 ? MPI_DOUBLE : column, near_by[k], k ^ 1, MPI_COMM_WORLD,
                      &requests[k]);
            MPI_Isend(from[k], k < 2 ? n : 1, k < 2 ? MPI_DOUBLE : column, near_by[k], k, MPI_COMM_WORLD,
                      &requests[4 + k]);
        }
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= m; ++i)
            for (int j = 1; j <= n; ++j) {
                const double *x = a + i * wide + j;
                b[i * wide + j] = 0.25 * (x[-wide] + x[wide] + x[-1] + x[1]) + 1;
            }
        for (int k = 0; k < 4; ++k) /* the boundary of the whole field grows as well */
            for (int i = 0; near_by[k] == MPI_PROC_NULL && i < (k < 2 ? n : m); ++i) {
                const ptrdiff_t place = to[k] - a + (k < 2 ? i : i * wide);
                b[place] = a[place] + 1;
            }
        double *const old = a;
        a = b;
        b = old;
    }
    for (int i = 1; i <= m; ++i)
        for (int j = 1; j <= n; ++j)
            s->failed |= streams_differ(a[i * wide + j], top + i + first + j + (double)s->turns);
    MPI_Type_free(&column);
    free(a);
    free(b);
}

/*=============================================================================
 * MARK: - >>transpose
 *===========================================================================*/
/* Of a square matrix whose columns are dealt in strips: blocks are packed, exchanged and unpacked. */
static void streams_transpose(streams *s)
{
    const int n = s->rows, mine = n / s->np, block = mine * mine;
    double *a = streams_memory((size_t)n * (size_t)mine), *packed = streams_memory((size_t)n * (size_t)mine);
    double *came = streams_memory((size_t)n * (size_t)mine);
    for (int j = 0; j < mine; ++j)
        for (int i = 0; i < n; ++i) a[j * n + i] = (double)n * (s->rank * mine + j) + i;
    for (int turn = 0; turn < s->turns; ++turn) {
        for (int to = 0; to < s->np; ++to)
            for (int j = 0; j < mine; ++j)
                for (int i = 0; i < mine; ++i) packed[to * block + i * mine + j] = a[j * n + to * mine + i];
        MPI_Alltoall(packed, block, MPI_DOUBLE, came, block, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int from = 0; from < s->np; ++from)
            for (int j = 0; j < mine; ++j)
                for (int i = 0; i < mine; ++i) a[j * n + from * mine + i] = came[from * block + j * mine + i];
    }
    for (int j = 0; j < mine; ++j)
        for (int i = 0; i < n; ++i) {
            const double before = (double)n * (s->rank * mine + j) + i, after = (double)n * i + s->rank * mine + j;
            s->failed |= streams_differ(a[j * n + i], s->turns % 2 ? after : before);
        }
    free(a);
    free(packed);
    free(came);
}

/*=============================================================================
 * MARK: - >>collectives
 *===========================================================================*/
static const char *const streams_collectives[] = { "barrier",   "bcast",    "gather", "scatter",   "reduce",
                                                   "allgather", "alltoall", "scan",   "allreduce", "reduce_scatter" };
enum { BARRIER, BCAST, GATHER, SCATTER, REDUCE, ALLGATHER, ALLTOALL, SCAN, ALLREDUCE, REDUCE_SCATTER, COLLECTIVES };

/* Rank r sends r + 1 everywhere, or r + 1 times the place of the receiver + 1. */
static void streams_collective(streams *s, int which)
{
    const int count = (s->bytes + 7) / 8, np = s->np, root = np / 2;
    const double all = 0.5 * np * (np + 1);
    double *in = streams_memory((size_t)count * (size_t)np), *out = streams_memory((size_t)count * (size_t)np);
    for (int turn = 0; turn < s->turns; ++turn) {
        const int many = which == SCATTER || which == ALLTOALL || which == REDUCE_SCATTER;
        for (int i = 0; turn == 0 && i < count * np; ++i) in[i] = (s->rank + 1.0) * (many && count ? i / count + 1 : 1);
        switch (which) {
        case BARRIER: MPI_Barrier(MPI_COMM_WORLD); break;
        case BCAST: MPI_Bcast(s->rank == root ? in : out, count, MPI_DOUBLE, root, MPI_COMM_WORLD); break;
        case GATHER: MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, MPI_COMM_WORLD); break;
        case SCATTER: MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, MPI_COMM_WORLD); break;
        case REDUCE: MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD); break;
        case ALLGATHER: MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD); break;
        case ALLTOALL: MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD); break;
        case SCAN: MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
        case ALLREDUCE: MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
        default: MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
        }
    }
    for (int i = 0; which != BARRIER && i < count; ++i) {
        const double sum[COLLECTIVES] = { [BCAST] = root + 1,
                                          [GATHER] = 1,
                                          [SCATTER] = (root + 1.0) * (s->rank + 1),
                                          [REDUCE] = all,
                                          [ALLGATHER] = 1,
                                          [ALLTOALL] = s->rank + 1,
                                          [SCAN] = 0.5 * (s->rank + 1) * (s->rank + 2),
                                          [ALLREDUCE] = all,
                                          [REDUCE_SCATTER] = all * (s->rank + 1) };
        const int at_root = which == GATHER || which == REDUCE;
        if ((at_root && s->rank != root) || (which == BCAST && s->rank == root)) continue;
        s->failed |= streams_differ(out[i], sum[which]);
    }
    free(in);
    free(out);
}

/*=============================================================================
 * MARK: - >>main
 *===========================================================================*/
static const char streams_usage[] =
    "usage: streams pipeline|stencil|transpose|COLLECTIVE [OPTION VALUE]...\n"
    "Many messages in a row. COLLECTIVE is barrier, bcast, gather, scatter, reduce, allgather, alltoall, scan,\n"
    "allreduce or reduce_scatter.\n"
    "  --rows N      of the field; of the transpose also the columns, a multiple of the ranks; default: 480\n"
    "  --columns N   of the field, at least as many as ranks; default: 480\n"
    "  --grid RxC    of processes, for the stencil; default: as square as possible\n"
    "  --bytes N     of each part of a collective call; default: 8\n"
    "  --turns N     how often all of it is done; default: 10\n"
    "  --help        prints this\n";

static int streams_kind(const char *name)
{
    for (int i = 0; i < COLLECTIVES; ++i)
        if (strcmp(name, streams_collectives[i]) == 0) return i;
    return strcmp(name, "pipeline") == 0    ? -1
           : strcmp(name, "stencil") == 0   ? -2
           : strcmp(name, "transpose") == 0 ? -3
                                            : -4;
}

static argument_answer streams_read(int argc, char **argv, streams *s, char why[200])
{
    const argument list[] = { { .name = "--rows", .number = &s->rows, .least = 1, .most = 100000 },
                              { .name = "--columns", .number = &s->columns, .least = 1, .most = 100000 },
                              { .name = "--grid", .grid = s->grid, .least = 1, .most = 100000 },
                              { .name = "--bytes", .number = &s->bytes, .least = 0, .most = 1 << 28 },
                              { .name = "--turns", .number = &s->turns, .least = 1, .most = 100000000 } };
    const argument_answer answer = arguments_read(argc, argv, 2, list, sizeof list / sizeof *list, why);
    const char *name = argc > 1 ? argv[1] : "no argument";
    const int kind = streams_kind(name);

    if (answer == ARGUMENTS_HELP) return answer;
    if (kind == -4) {
        snprintf(why, 200, "%.60s: expected pipeline, stencil, transpose or a collective call; --help lists all", name);
        return ARGUMENTS_WRONG;
    }
    if (answer != ARGUMENTS_GOOD) return answer;
    if (s->grid[0] == 0) MPI_Dims_create(s->np, 2, s->grid);
    if ((long long)s->grid[0] * s->grid[1] != s->np)
        snprintf(why, 200, "--grid %dx%d: expected %d in total, the number of processes", s->grid[0], s->grid[1],
                 s->np);
    else if (kind == -1 && s->columns < s->np)
        snprintf(why, 200, "--columns %d: expected at least one for each of %d ranks", s->columns, s->np);
    else if (kind == -2 && (s->rows < s->grid[0] || s->columns < s->grid[1]))
        snprintf(why, 200, "a field of %d x %d: expected at least one row and column for each of %d x %d ranks",
                 s->rows, s->columns, s->grid[0], s->grid[1]);
    else if (kind == -3 && s->rows % s->np != 0)
        snprintf(why, 200, "--rows %d: expected a multiple of %d, the number of ranks", s->rows, s->np);
    else
        return answer;
    return ARGUMENTS_WRONG;
}

/* Returns the exit status. */
static int streams_run(streams *s, const char *name)
{
    const int kind = streams_kind(name);
    int failed = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    switch (kind) {
    case -1: streams_pipeline(s); break;
    case -2: streams_stencil(s); break;
    case -3: streams_transpose(s); break;
    default: streams_collective(s, kind); break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(&s->failed, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (s->rank == 0) {
        printf("%s: the check %s\n", name, failed ? "failed" : "passed");
        printf("time %.6f s\n", seconds);
    }
    return failed;
}

int main(int argc, char **argv)
{
    streams s = { .rows = 480, .columns = 480, .bytes = 8, .turns = 10 };
    char why[200];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.np);
    const argument_answer answer = streams_read(argc, argv, &s, why);
    if (s.rank == 0 && answer == ARGUMENTS_HELP) fputs(streams_usage, stdout);
    if (s.rank == 0 && answer == ARGUMENTS_WRONG) fprintf(stderr, "streams: %s\n", why);
    const int status = answer == ARGUMENTS_GOOD ? streams_run(&s, argv[1]) : answer == ARGUMENTS_HELP ? 0 : 2;
    MPI_Finalize();
    return status;
}
