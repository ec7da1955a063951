/* MPI and OpenMP: `zones`, a ring of ZONES zones of different widths, as the multi-zone versions of the NAS benchmarks have them. Zones
 * are dealt out to ranks, the widest first. In each step the threads of a rank share its zones and get their borders, by messages from
 * zones of other ranks; then they share the columns of each zone, which take a Jacobi step. Rank 0 prints a checksum, which
 * depends neither on ranks nor on threads, and compares it with that of a serial computation. */
#include "mpi.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ZONES = 8, HEIGHT = 24, STEPS = 20 };
static const int widths[ZONES] = { 3, 4, 6, 8, 11, 15, 20, 27 };

typedef double column[HEIGHT + 2]; /* its ends keep their values */

typedef struct zone {
    int owner, first;   /* a rank; the place of its first column in the ring */
    column *now, *next; /* with the border on both sides */
    MPI_Request requests[4];
    int count; /* of them */
} zone;

static zone zones[ZONES];
static int rank;

static double at_first(int x, int y)
{
    return y == 0 || y == HEIGHT + 1 ? 1 + 0.125 * (x % 29) + 0.5 * y : 0.25 * (x % 7);
}

static void compute(column *to, column *from, int x)
{
    for (int y = 1; y <= HEIGHT; ++y)
        to[x][y] = 0.25 * (from[x - 1][y] + from[x + 1][y] + from[x][y - 1] + from[x][y + 1]);
}

/* Columns from `first` on, and room for the borders before and after them. */
static column *make_columns(int first, int width)
{
    column *made = malloc(sizeof *made * (size_t)(width + 2));
    if (!made) {
        fprintf(stderr, "zones: no memory for %d columns\n", width);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int x = 0; x < width + 2; ++x)
        for (int y = 0; y < HEIGHT + 2; ++y) made[x][y] = at_first(first + x - 1, y);
    return made;
}

static uint64_t checksum(column *columns, int width)
{
    uint64_t sum = 14695981039346656037u;
    for (int x = 1; x <= width; ++x)
        for (int y = 0; y < HEIGHT + 2; ++y) {
            uint64_t bits;
            memcpy(&bits, &columns[x][y], sizeof bits);
            sum = (sum ^ bits) * 1099511628211u;
        }
    return sum;
}

/* The widest zone that is left goes to the rank that has the fewest columns. */
static void deal_out(int size)
{
    int *columns = calloc((size_t)size, sizeof *columns);
    if (!columns) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int z = ZONES - 1; z >= 0; --z) {
        int fewest = 0;
        for (int i = 1; i < size; ++i)
            if (columns[i] < columns[fewest]) fewest = i;
        zones[z].owner = fewest;
        columns[fewest] += widths[z];
    }
    free(columns);
    for (int z = 0, first = 0; z < ZONES; first += widths[z++]) {
        zones[z].first = first;
        if (zones[z].owner != rank) continue;
        zones[z].now = make_columns(first, widths[z]);
        zones[z].next = make_columns(first, widths[z]);
    }
}

/* A message to a zone of another rank, from it the one that fills this border. The tag names the border that gets it. */
static void begin_message(zone *it, int owner, double *border, int tag, double *edge, int tag_there)
{
    MPI_Irecv(border, HEIGHT + 2, MPI_DOUBLE, owner, tag, MPI_COMM_WORLD, &it->requests[it->count++]);
    MPI_Isend(edge, HEIGHT + 2, MPI_DOUBLE, owner, tag_there, MPI_COMM_WORLD, &it->requests[it->count++]);
}

static void begin_exchange(int z)
{
    const int left = (z + ZONES - 1) % ZONES, right = (z + 1) % ZONES, width = widths[z];
    zone *it = &zones[z];
    it->count = 0;
    if (zones[left].owner == rank)
        memcpy(it->now[0], zones[left].now[widths[left]], sizeof(column));
    else
        begin_message(it, zones[left].owner, it->now[0], 2 * z, it->now[1], 2 * left + 1);
    if (zones[right].owner == rank)
        memcpy(it->now[width + 1], zones[right].now[1], sizeof(column));
    else
        begin_message(it, zones[right].owner, it->now[width + 1], 2 * z + 1, it->now[width], 2 * right);
}

/* A thread waits for any zone, also where another one has begun the exchange: all have begun before the first waits. */
static void take_steps(void)
{
#pragma omp parallel
    for (int step = 0; step < STEPS; ++step) {
#pragma omp for schedule(dynamic, 1)
        for (int z = 0; z < ZONES; ++z)
            if (zones[z].owner == rank) begin_exchange(z);
#pragma omp for schedule(dynamic, 1)
        for (int z = 0; z < ZONES; ++z)
            if (zones[z].owner == rank) MPI_Waitall(zones[z].count, zones[z].requests, MPI_STATUSES_IGNORE);
        for (int z = 0; z < ZONES; ++z) {
            if (zones[z].owner != rank) continue;
#pragma omp for schedule(dynamic, 2) nowait
            for (int x = 1; x <= widths[z]; ++x) compute(zones[z].next, zones[z].now, x);
        }
#pragma omp barrier
#pragma omp single
        for (int z = 0; z < ZONES; ++z) {
            column *last = zones[z].now;
            zones[z].now = zones[z].next;
            zones[z].next = last;
        }
    }
}

/* The sum of the checksums of all zones, computed on the ring as a whole. */
static uint64_t serial(void)
{
    int all = 0;
    uint64_t sum = 0;
    for (int z = 0; z < ZONES; ++z) all += widths[z];
    column *now = make_columns(0, all), *next = make_columns(0, all);
    for (int step = 0; step < STEPS; ++step) {
        column *last = now;
        memcpy(now[0], now[all], sizeof(column));
        memcpy(now[all + 1], now[1], sizeof(column));
        for (int x = 1; x <= all; ++x) compute(next, now, x);
        now = next;
        next = last;
    }
    for (int z = 0; z < ZONES; ++z) sum += checksum(now + zones[z].first, widths[z]);
    free(now);
    free(next);
    return sum;
}

int main(int argc, char **argv)
{
    int size, provided;
    uint64_t mine = 0, all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    deal_out(size);
    take_steps();
    for (int z = 0; z < ZONES; ++z) {
        if (zones[z].owner != rank) continue;
        mine += checksum(zones[z].now, widths[z]);
        free(zones[z].now);
        free(zones[z].next);
    }
    MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("zones %016llx %s\n", (unsigned long long)all, all == serial() ? "verified" : "wrong");
    MPI_Finalize();
    return 0;
}
