/* Patterns of messages whose times can be said beforehand: the virtual time at which each rank is through is printed
 * by rank 0, in nanoseconds, one line. test_messages_times knows what they should be. */
#include "mpi.h"
#include "skeleton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char *room;
static MPI_Request pending = MPI_REQUEST_NULL; /* still, when the time is taken */

/* Collective calls of several rounds, so many times; the ranks come at different times, in a different order each time. */
static void rounds(int times)
{
    const int triangle = size * (size - 1) / 2;
    int *ones = calloc((size_t)size, sizeof *ones);
    for (int i = 0; i < size; ++i) ones[i] = 1;
    for (int i = 0; i < times; ++i) {
        const int other = (rank + i) % size;
        int sum = 0, own = 0, before = 0, half = 0;
        int *all = calloc((size_t)size, sizeof *all);
        MPI_Comm part;
        skeleton_compute(1e-6 * ((rank * 7 + i * 5) % 23));
        MPI_Allreduce(&other, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        skeleton_compute(1e-6 * ((rank * 5 + i * 3) % 7));
        for (int k = 0; k < size; ++k) all[k] = k + rank;
        MPI_Reduce_scatter(all, &own, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Scan(&rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Comm_split(MPI_COMM_WORLD, other % 2, rank, &part);
        MPI_Allreduce(&other, &half, 1, MPI_INT, MPI_MIN, part);
        MPI_Comm_free(&part);
        MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        if (sum != triangle || own != triangle + rank * size || before != rank * (rank + 1) / 2 || half != other % 2 ||
            all[other] != triangle + other * size)
            printf("rank %d, time %d: wrong\n", rank, i);
        free(all);
    }
    free(ones);
}

/* A number from 0 to `below` - 1 of a sequence. */
static int draw(unsigned *seed, int below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)((*seed >> 8) % (unsigned)below);
}

/* All others send to one rank, which takes what comes first and answers; returns the order in which it did. */
static unsigned served(int server, int tag)
{
    MPI_Status status;
    unsigned order = 0;
    int data = rank;
    if (rank != server) {
        MPI_Send(&data, 1, MPI_INT, server, tag, MPI_COMM_WORLD);
        MPI_Recv(&data, 1, MPI_INT, server, tag + 1, MPI_COMM_WORLD, &status);
        return 0;
    }
    for (int i = 1; i < size; ++i) {
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        order = order * 31 + (unsigned)status.MPI_SOURCE;
        skeleton_compute(1e-6 * (status.MPI_SOURCE + 1));
        MPI_Send(&data, 1, MPI_INT, status.MPI_SOURCE, tag + 1, MPI_COMM_WORLD);
    }
    return order;
}

/* Calls drawn from a seed that all ranks have, with computations that each rank draws for itself. */
static void drawn(int seed_of_all)
{
    enum { CALLS = 40, MOST = 1 << 14 };
    unsigned common = (unsigned)seed_of_all, own = common + 77u * (unsigned)rank, order = 0, all = 0;
    char *in = calloc(2, MOST), *out = calloc(2, MOST);
    for (int i = 0; i < CALLS; ++i) {
        const int what = draw(&common, 8), bytes = 1 << draw(&common, 14), far = draw(&common, size);
        const int to = (rank + far) % size, from = (rank + size - far) % size;
        MPI_Request requests[2];
        if (draw(&own, 3) > 0) skeleton_compute(1e-6 * draw(&own, 200));
        switch (what) {
        case 0:
            MPI_Sendrecv(out, bytes, MPI_CHAR, to, i, in, bytes, MPI_CHAR, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Irecv(in, bytes, MPI_CHAR, from, i, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, bytes, MPI_CHAR, to, i, MPI_COMM_WORLD, &requests[1]);
            skeleton_compute(1e-6 * draw(&own, 50));
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            break;
        case 2: MPI_Allreduce(out, in, bytes, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD); break;
        case 3: MPI_Bcast(in, bytes, MPI_CHAR, far, MPI_COMM_WORLD); break;
        case 4: MPI_Reduce(out, in, bytes, MPI_SIGNED_CHAR, MPI_MAX, far, MPI_COMM_WORLD); break;
        case 5: MPI_Barrier(MPI_COMM_WORLD); break;
        default: order = order * 131 + served(far, 2 * CALLS + 2 * i);
        }
    }
    MPI_Reduce(&order, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%u ", all);
    free(in);
    free(out);
}

static void run(const char *what, int bytes)
{
    MPI_Status status;
    if (strcmp(what, "pingpong") == 0) {
        if (rank == 0) MPI_Send(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        if (rank < 2) MPI_Recv(room, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &status);
        if (rank == 1) MPI_Send(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "bcast") == 0) {
        MPI_Bcast(room, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(what, "serve") == 0) { /* an exchange, then rank 1 serves the others as they come */
        skeleton_compute(rank == 1 ? 900e-6 : 10e-6 * (1 + rank * 7 % 5));
        MPI_Sendrecv(room, bytes, MPI_CHAR, (rank + 1) % size, 0, room + bytes, bytes, MPI_CHAR,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);
        if (rank != 1) MPI_Send(room, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        for (int i = 1; i < size && rank == 1; ++i) {
            MPI_Recv(room, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            skeleton_compute(1e-3);
            MPI_Send(room, 1, MPI_CHAR, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        }
        if (rank != 1) MPI_Recv(room, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "drawn") == 0) {
        drawn(bytes);
    } else if (strcmp(what, "rounds") == 0) {
        rounds(bytes);
    } else if (strcmp(what, "gather") == 0) { /* all send to one at once: they share its link */
        if (rank > 0) MPI_Send(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        for (int i = 1; i < size && rank == 0; ++i)
            MPI_Recv(room, bytes, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "compute") == 0) {
        skeleton_compute(1e-3 * (rank + 1));
    } else if (strcmp(what, "change") == 0) {
        skeleton_compute(1e-3);
        if (rank == 0 && skeleton_change("node", "speed", "0.25")) printf("cannot change\n");
        MPI_Barrier(MPI_COMM_WORLD);
        skeleton_compute(1e-3);
    } else if (strcmp(what, "send") == 0) {
        if (rank == 0) MPI_Send(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "behind") == 0) { /* an answer waits behind what goes its way */
        MPI_Request request;
        if (rank == 0) MPI_Send(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(room, 60000, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status);
        if (rank == 1) MPI_Isend(room, 60000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        if (rank == 1) MPI_Recv(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
        if (rank == 1) MPI_Wait(&request, &status);
    } else if (strcmp(what, "row") == 0) { /* three messages; the receiver computes for so many microseconds before */
        if (rank == 0) skeleton_compute(1e-3);
        if (rank == 1) skeleton_compute(1e-6 * bytes);
        for (int i = 0; i < 3; ++i) {
            if (rank == 0) MPI_Send(NULL, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            if (rank == 1) MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
        }
    } else if (strcmp(what, "two") == 0) { /* messages to two others at once */
        MPI_Request requests[2];
        for (int i = 0; i < 2 && rank == 0; ++i)
            MPI_Isend(room, bytes, MPI_CHAR, 1 + i, 0, MPI_COMM_WORLD, &requests[i]);
        if (rank == 0) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank > 0) MPI_Recv(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "tie") == 0) { /* the others send at once; what the first one says takes long */
        int from = rank, wait = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        skeleton_compute(1e-3);
        if (rank > 0) MPI_Send(&from, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        for (int i = 1; rank == 0 && i < size; ++i) {
            MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (i == 1) wait = from;
        }
        skeleton_compute(0.01 * wait);
    } else if (strcmp(what, "crowd") == 0) { /* messages to the one to which another sends, and then to somebody else */
        for (int i = 0; i < 2 && rank == 1; ++i) MPI_Send(room, bytes, MPI_CHAR, 3 * i, 0, MPI_COMM_WORLD);
        if (rank == 2) MPI_Send(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        if (rank == 0 || rank == 3) MPI_Recv(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status);
        if (rank == 0) MPI_Recv(room, bytes, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "round") == 0) { /* each to the next one */
        MPI_Sendrecv(room, bytes, MPI_CHAR, (rank + 1) % size, 0, room + bytes, bytes, MPI_CHAR,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "looks") == 0) { /* in vain: before any message is sent, and after one to each other rank */
        int found;
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
        for (int i = 1; i < size && rank == 0; ++i) MPI_Send(NULL, 0, MPI_CHAR, i, 0, MPI_COMM_WORLD);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
        if (rank > 0) MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
    } else if (strcmp(what, "swap") == 0) { /* both send at once, again and again; one of them begins later */
        MPI_Request requests[2];
        if (rank == 1) skeleton_compute(1e-3);
        for (int i = 0; i < 4 && rank < 2; ++i) {
            MPI_Irecv(room + bytes, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(room, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    } else if (strcmp(what, "behind_large") == 0) { /* how long a second send takes while a large message comes */
        if (rank == 0) MPI_Irecv(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &pending);
        if (rank == 0) skeleton_compute(10e-3);
        if (rank == 0) MPI_Send(room + bytes, 50000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Irecv(room + bytes, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &pending);
        if (rank == 1) MPI_Send(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "matched") == 0) { /* the bytes come when they are received, not when they are matched */
        MPI_Message message;
        if (rank == 0) MPI_Send(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
        if (rank == 1) skeleton_compute(1e-3);
        if (rank == 1) MPI_Mrecv(room, bytes, MPI_CHAR, &message, &status);
    } else if (strcmp(what, "overlap") == 0) { /* the transfer goes on while the ranks compute */
        MPI_Request request;
        if (rank == 0) MPI_Isend(room, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        if (rank == 1) MPI_Irecv(room, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        skeleton_compute(1e-3);
        if (rank < 2) MPI_Wait(&request, &status);
    }
}

/* A receive that was freed is taken when its message is there. */
static void forget(void)
{
    MPI_Request request;
    MPI_Status status;
    int first = rank == 0 ? 7 : 0, second = 0;
    if (rank == 0) {
        MPI_Send(&first, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&second, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Recv(&second, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
        printf("%d\n", first);
    }
}

/* A wildcard takes what comes first in virtual time, though it is sent last in real time: rank 0 really runs first. */
static void wildcard(void)
{
    MPI_Status status;
    if (rank < size - 1) {
        skeleton_compute(1e-3 * (size - rank));
        MPI_Send(&rank, 1, MPI_INT, size - 1, rank, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < size - 1; ++i) {
        int value;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        printf("%d ", value);
    }
    printf("\n");
}

/* What external32 makes of types whose sizes differ among machines, which Open MPI 4.1 packs in another way. */
static void external(void)
{
    long longs[2] = { -5, 7 }, long_back[2] = { 0, 0 };
    long double reals[2] = { 1.5L, -0.125L }, real_back[2] = { 0, 0 };
    char form[] = "external32", packed[64];
    MPI_Aint end = 0, place = 0;
    MPI_Pack_external(form, longs, 2, MPI_LONG, packed, sizeof packed, &end);
    MPI_Pack_external(form, reals, 2, MPI_LONG_DOUBLE, packed, sizeof packed, &end);
    for (int i = 0; i < end; ++i) printf("%02x%s", (unsigned char)packed[i], i == 7 ? " " : "");
    MPI_Unpack_external(form, packed, end, &place, long_back, 2, MPI_LONG);
    MPI_Unpack_external(form, packed, end, &place, real_back, 2, MPI_LONG_DOUBLE);
    printf(" %ld %ld %Lg %Lg\n", long_back[0], long_back[1], real_back[0], real_back[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "";
    int bytes = argc > 2 ? atoi(argv[2]) : 1;
    room = calloc(2, (size_t)bytes + 1);
    if (!*what) {
        if (rank == 0)
            fprintf(
                stderr,
                "usage: patterns PATTERN [BYTES]; patterns: pingpong bcast barrier rounds gather compute change send "
                "behind row two tie crowd round looks swap behind_large matched overlap serve drawn wildcard forget "
                "external\n");
        MPI_Finalize();
        return 2;
    }
    if (strcmp(what, "wildcard") == 0) {
        wildcard();
    } else if (strcmp(what, "forget") == 0) {
        forget();
    } else if (strcmp(what, "external") == 0) {
        external();
    } else {
        run(what, bytes);
        double mine = MPI_Wtime(), *all = malloc((size_t)size * sizeof *all);
        MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < size && rank == 0; ++i) printf("%.0f%c", all[i] * 1e9, i + 1 < size ? ' ' : '\n');
        free(all);
    }
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    free(room);
    MPI_Finalize();
    return 0;
}
