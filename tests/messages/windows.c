/* One-sided communication: the times of its calls, which can be computed beforehand, and what it does to memory, against
 * a model that does the same in the obvious way. test_messages_times knows what should be printed. */
#include "mpi.h"
#include "skeleton.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void *room_for(size_t count, size_t bytes)
{
    void *room = calloc(count ? count : 1, bytes);
    if (!room) MPI_Abort(MPI_COMM_WORLD, 1);
    return room;
}

static uint64_t drawn = 1;

/* The same on all ranks, from 0 to below. */
static int draw(int below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((drawn >> 33) % (uint64_t)below);
}

/*=============================================================================
 * MARK: - >>times
 *===========================================================================*/

enum { MOST = 1 << 20 };

static char window[MOST], data[MOST];

static void access_window(const char *what, int bytes, MPI_Win win)
{
    MPI_Group world, group;
    const int other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    if (strcmp(what, "fence") == 0) {
        if (bytes > 0) MPI_Put(data, bytes, MPI_CHAR, other, 0, bytes, MPI_CHAR, win);
        MPI_Win_fence(0, win);
    } else if (strcmp(what, "fence-get") == 0) {
        MPI_Get(data, bytes, MPI_CHAR, other, 0, bytes, MPI_CHAR, win);
        MPI_Win_fence(0, win);
    } else if (strcmp(what, "lock") == 0 && rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(data, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, win);
        MPI_Win_unlock(1, win);
    } else if (strcmp(what, "get") == 0 && rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);
        MPI_Get(data, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, win);
        MPI_Win_flush_local(1, win);
        MPI_Win_unlock(1, win);
    } else if (strcmp(what, "many") == 0 && rank == 0) { /* small puts go together */
        MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);
        for (int i = 0; i < 10; ++i) MPI_Put(data, bytes, MPI_CHAR, 1, bytes * i, bytes, MPI_CHAR, win);
        MPI_Win_unlock(1, win);
    } else if (strcmp(what, "pscw") == 0 && rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Put(data, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, win);
        MPI_Win_complete(win);
    } else if (strcmp(what, "pscw") == 0) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else if (strcmp(what, "busy") == 0 && rank == 0) { /* the target computes for 10 ms */
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(data, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, win);
        MPI_Win_unlock(1, win);
    } else if (strcmp(what, "busy") == 0) {
        skeleton_compute(10e-3);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* Prints how long it took on both ranks [ns]. */
static void take_time(const char *what, int bytes)
{
    MPI_Win win;
    double times[2] = { 0, 0 };
    MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (strncmp(what, "fence", 5) == 0) MPI_Win_fence(0, win);
    skeleton_compute(1.0 - MPI_Wtime()); /* begins at the same time on both */
    const double begin = MPI_Wtime();
    access_window(what, bytes, win);
    const double took = MPI_Wtime() - begin;
    if (strncmp(what, "fence", 5) == 0) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Gather(&took, 1, MPI_DOUBLE, times, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.0f %.0f\n", 1e9 * times[0], 1e9 * times[1]);
    MPI_Win_free(&win);
}

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/

/* Each rank's window: slots that only one rank accesses in a round, then counters for sums of all. */
enum { SLOTS = 12, SLOT = 16, COUNTERS = 8, WHOLE = SLOTS * SLOT + COUNTERS };

typedef enum access_kind { PUT, GET, ADD, FETCH, KINDS } access_kind;
typedef enum sync_kind { FENCE, LOCK, LOCK_ALL, FLUSH_ALL, POST, SYNCS } sync_kind;

static MPI_Datatype types[4]; /* of six integers, within a slot */
static const int places[4][6] = {
    { 0, 1, 2, 3, 4, 5 }, { 0, 2, 4, 6, 8, 10 }, { 9, 10, 11, 1, 2, 5 }, { 0, 1, 5, 6, 10, 11 }
};

static void types_make(void)
{
    const int lengths[] = { 3, 2, 1 }, starts[] = { 9, 1, 5 };
    MPI_Datatype column;
    MPI_Type_contiguous(6, MPI_INT, &types[0]);
    MPI_Type_vector(6, 1, 2, MPI_INT, &types[1]);
    MPI_Type_indexed(3, lengths, starts, MPI_INT, &types[2]);
    MPI_Type_vector(2, 1, 1, MPI_INT, &column);
    MPI_Type_create_hvector(3, 1, 5 * sizeof(int), column, &types[3]);
    for (int i = 0; i < 4; ++i) MPI_Type_commit(&types[i]);
    MPI_Type_free(&column);
}

static void open_epoch(sync_kind how, MPI_Group all, MPI_Win win)
{
    if (how == FENCE) MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (how == LOCK_ALL || how == FLUSH_ALL) MPI_Win_lock_all(0, win);
    if (how == POST) MPI_Win_post(all, 0, win);
    if (how == POST) MPI_Win_start(all, 0, win);
}

static void close_epoch(sync_kind how, MPI_Win win)
{
    if (how == FENCE) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (how == FLUSH_ALL) MPI_Win_flush_all(win);
    if (how == LOCK_ALL || how == FLUSH_ALL) MPI_Win_unlock_all(win);
    if (how == POST) MPI_Win_complete(win);
    if (how == POST) MPI_Win_wait(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One access of one rank: all compute what it does, that rank does it. */
static void one_access(int origin, int target, int slot, sync_kind how, MPI_Win win, MPI_Aint base, int **model,
                       int *given, int *got, int *wanted)
{
    const int kind = draw(KINDS), type = draw(4), value = draw(1000);
    int *theirs = model[target] + slot * SLOT;
    const MPI_Aint place = base + (base ? (MPI_Aint)sizeof(int) : 1) * slot * SLOT;
    for (int i = 0; i < 6; ++i) {
        int *at = &theirs[places[type][i]];
        given[i] = value + i;
        wanted[i] = kind == GET || kind == FETCH ? *at : -1;
        got[i] = -1;
        *at = kind == PUT ? given[i] : kind == GET ? *at : *at + given[i];
    }
    if (origin != rank) return;
    if (how == LOCK) MPI_Win_lock(slot % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
    if (kind == PUT) MPI_Put(given, 6, MPI_INT, target, place, 1, types[type], win);
    if (kind == GET) MPI_Get(got, 6, MPI_INT, target, place, 1, types[type], win);
    if (kind == ADD) MPI_Accumulate(given, 6, MPI_INT, target, place, 1, types[type], MPI_SUM, win);
    if (kind == FETCH)
        MPI_Get_accumulate(given, 6, MPI_INT, got, 6, MPI_INT, target, place, 1, types[type], MPI_SUM, win);
    if (how == LOCK) MPI_Win_unlock(target, win);
}

/* Rounds of random accesses. */
static void random_accesses(const char *flavor, int rounds)
{
    int **model = room_for((size_t)size, sizeof *model), *mine = NULL, wrong = 0, all_wrong = 0;
    MPI_Aint *bases = room_for((size_t)size, sizeof *bases), base = 0;
    int *given = room_for((size_t)(size * SLOTS * 6), sizeof(int));
    int *got = room_for((size_t)(size * SLOTS * 6), sizeof(int)),
        *wanted = room_for((size_t)(size * SLOTS * 6), sizeof(int));
    MPI_Group all;
    MPI_Win win;
    types_make();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size; ++i) model[i] = room_for(WHOLE, sizeof(int));
    if (strcmp(flavor, "allocate") == 0) {
        MPI_Win_allocate(WHOLE * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    } else if (strcmp(flavor, "shared") == 0) {
        MPI_Win_allocate_shared(WHOLE * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    } else {
        mine = room_for(WHOLE, sizeof(int));
        if (strcmp(flavor, "dynamic") == 0) {
            MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
            MPI_Win_attach(win, mine, WHOLE * sizeof(int));
            MPI_Get_address(mine, &base);
        } else {
            MPI_Win_create(mine, WHOLE * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        }
    }
    memset(mine, 0, WHOLE * sizeof(int));
    MPI_Allgather(&base, 1, MPI_AINT, bases, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int round = 0; round < rounds; ++round) {
        const sync_kind how = (sync_kind)draw(SYNCS);
        int count = 0;
        open_epoch(how, all, win);
        for (int target = 0; target < size; ++target)
            for (int slot = 0; slot < SLOTS; ++slot) {
                const int origin = draw(size);
                one_access(origin, target, slot, how, win, bases[target], model, given + 6 * count, got + 6 * count,
                           wanted + 6 * count);
                if (origin != rank) memcpy(got + 6 * count, wanted + 6 * count, 6 * sizeof(int));
                ++count;
            }
        for (int origin = 0; origin < size; ++origin)
            for (int i = 0; i < 3; ++i) { /* sums of all ranks */
                const int target = draw(size), counter = SLOTS * SLOT + draw(COUNTERS), value = draw(100);
                model[target][counter] += value;
                if (origin != rank) continue;
                const MPI_Aint place = bases[target] + (bases[target] ? (MPI_Aint)sizeof(int) : 1) * counter;
                if (how == LOCK) MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
                MPI_Accumulate(&value, 1, MPI_INT, target, place, 1, MPI_INT, MPI_SUM, win);
                if (how == LOCK) MPI_Win_unlock(target, win);
            }
        close_epoch(how, win);
        wrong += memcmp(got, wanted, (size_t)count * 6 * sizeof(int)) != 0;
        wrong += memcmp(mine, model[rank], WHOLE * sizeof(int)) != 0;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d\n", all_wrong);
    if (base) MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    if (strcmp(flavor, "create") == 0 || base) free(mine);
    for (int i = 0; i < 4; ++i) MPI_Type_free(&types[i]);
    for (int i = 0; i < size; ++i) free(model[i]);
    free(model);
    free(bases);
    free(given);
    free(got);
    free(wanted);
    MPI_Group_free(&all);
}

/* Ranks enter a section one by one: what one reads is what it wrote last, or another one. */
static void exclude(int rounds)
{
    int memory[2] = { 0, -1 }, wrong = 0, all_wrong = 0;
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < rounds; ++i) {
        int seen[2], mark[2], none = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(seen, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        MPI_Win_flush(0, win);
        wrong += seen[1] != -1; /* somebody else is inside */
        mark[0] = seen[0] + 1;
        mark[1] = rank;
        MPI_Put(mark, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        MPI_Win_flush(0, win);
        skeleton_compute(1e-4 * (rank + 1));
        MPI_Get(seen, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        MPI_Win_flush(0, win);
        wrong += seen[1] != rank || seen[0] != mark[0];
        MPI_Put(&none, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %d\n", memory[0], all_wrong);
    MPI_Win_free(&win);
}

/* Tickets from a counter: each only once. */
static void count_tickets(int rounds)
{
    const int all = size * rounds;
    int counter = 0, *taken = room_for((size_t)all, sizeof *taken), *sums = room_for((size_t)all, sizeof *sums);
    MPI_Win win;
    MPI_Win_create(&counter, sizeof counter, sizeof counter, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < rounds; ++i) {
        const int one = 1;
        int ticket = -1;
        MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        if (ticket >= 0 && ticket < all) ++taken[ticket];
    }
    MPI_Win_unlock_all(win);
    MPI_Reduce(taken, sums, all, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    int wrong = 0;
    for (int i = 0; i < all; ++i) wrong += sums[i] != 1;
    if (rank == 0) printf("%d %d\n", counter, wrong);
    MPI_Win_free(&win);
    free(taken);
    free(sums);
}

/* Pairs with gaps in memory, which Open MPI refuses. */
static void find_maximum(void)
{
    struct {
        double value;
        int rank;
    } memory = { 0.5, -1 }, own = { (rank * 7) % 5, rank };
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    if (rank == 0) printf("%g of %d\n", memory.value, memory.rank);
    MPI_Win_free(&win);
}

/* Errors that Open MPI does not report. */
static void err(void)
{
    char memory[64];
    int value = 0, which;
    MPI_Win win, dynamic;
    MPI_Aint place;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, dynamic);
    MPI_Get_address(memory, &place);
    const int codes[] = { MPI_Put(&value, 1, MPI_INT, 0, 61, 1, MPI_INT, win),
                          MPI_Put(&value, 1, MPI_INT, 0, 60, 1, MPI_INT, win),
                          MPI_Put(&value, 1, MPI_INT, rank, place, 1, MPI_INT, dynamic),
                          MPI_Win_attach(win, memory, 8),
                          MPI_Win_detach(dynamic, memory),
                          MPI_Win_attach(dynamic, memory, 4),
                          MPI_Put(&value, 1, MPI_INT, rank, place, 1, MPI_INT, dynamic),
                          MPI_Put(&value, 1, MPI_INT, rank, place + 1, 1, MPI_INT, dynamic) };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i) {
        MPI_Error_class(codes[i], &which);
        if (rank == 0)
            printf("%s ", which == MPI_SUCCESS          ? "fine"
                          : which == MPI_ERR_RMA_RANGE  ? "range"
                          : which == MPI_ERR_RMA_FLAVOR ? "flavor"
                                                        : "other");
    }
    if (rank == 0) printf("\n");
    MPI_Win_fence(0, dynamic);
    MPI_Win_fence(0, win);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&win);
}

/*=============================================================================
 * MARK: - >>halo: a field on a ring of ranks, whose ends go to the neighbors
 *===========================================================================*/

enum { CELLS = 50, STEPS = 20 };

typedef enum exchange_kind { BY_MESSAGES, BY_FENCE, BY_POST, BY_LOCK, EXCHANGES } exchange_kind;

static void exchange(exchange_kind how, double *field, MPI_Win win, MPI_Group both)
{
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    if (how == BY_MESSAGES) {
        MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, left, 0, &field[CELLS + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&field[CELLS], 1, MPI_DOUBLE, right, 1, &field[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return;
    }
    if (how == BY_FENCE) MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (how == BY_POST) MPI_Win_post(both, 0, win);
    if (how == BY_POST) MPI_Win_start(both, 0, win);
    if (how == BY_LOCK) MPI_Barrier(MPI_COMM_WORLD);
    if (how == BY_LOCK) MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
    MPI_Put(&field[1], 1, MPI_DOUBLE, left, CELLS + 1, 1, MPI_DOUBLE, win);
    if (how == BY_LOCK) MPI_Win_unlock(left, win);
    if (how == BY_LOCK) MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(&field[CELLS], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    if (how == BY_LOCK) MPI_Win_unlock(right, win);
    if (how == BY_FENCE) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (how == BY_POST) MPI_Win_complete(win);
    if (how == BY_POST) MPI_Win_wait(win);
    if (how == BY_LOCK) MPI_Barrier(MPI_COMM_WORLD);
}

static void halo(void)
{
    double fields[EXCHANGES][CELLS + 2], next[CELLS + 2] = { 0 };
    const int left = (rank + size - 1) % size, right = (rank + 1) % size, neighbors[] = { left, right };
    MPI_Group world, both;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, left == right ? 1 : 2, neighbors, &both);
    for (int how = 0; how < EXCHANGES; ++how) {
        double *field = fields[how];
        MPI_Win win;
        for (int i = 0; i < CELLS + 2; ++i) field[i] = i > 0 && i <= CELLS ? (rank * CELLS + i) % 7 : 0;
        MPI_Win_create(field, sizeof fields[how], sizeof *field, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        for (int step = 0; step < STEPS; ++step) {
            exchange((exchange_kind)how, field, win, both);
            for (int i = 1; i <= CELLS; ++i) next[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
            memcpy(field + 1, next + 1, CELLS * sizeof *next);
        }
        MPI_Win_free(&win);
    }
    int wrong = 0, all_wrong = 0;
    for (int how = 1; how < EXCHANGES; ++how)
        wrong += memcmp(fields[0] + 1, fields[how] + 1, CELLS * sizeof(double)) != 0;
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d\n", all_wrong);
    MPI_Group_free(&both);
    MPI_Group_free(&world);
}

/* What a rank has put and flushed is read from shared memory, of which the window is another one. */
static void read_shared(void)
{
    MPI_Win shared, win;
    MPI_Aint bytes;
    int *base, *theirs, unit, wrong = 0, all_wrong = 0;
    const int target = (rank + 1) % size;
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared);
    MPI_Win_shared_query(shared, target, &bytes, &unit, &theirs);
    *base = 0;
    MPI_Win_create(base, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, shared);
    MPI_Win_lock_all(0, win);
    for (int i = 1; i <= 10; ++i) {
        MPI_Put(&i, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        MPI_Win_flush(target, win);
        wrong += *(volatile int *)theirs != i;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(shared);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d\n", all_wrong);
    MPI_Win_free(&win);
    MPI_Win_free(&shared);
}

/* A rank waits for an access that does not come. */
static void wait_for_nobody(void)
{
    MPI_Group world;
    MPI_Win win;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0) MPI_Win_post(world, 0, win);
    if (rank == 0) MPI_Win_wait(win);
    if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
    if (rank == 1) MPI_Recv(data, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) skeleton_compute(1);
    if (rank == 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? atoi(argv[2]) : 1;
    if (strcmp(what, "random") == 0)
        random_accesses(argc > 3 ? argv[3] : "create", count);
    else if (strcmp(what, "exclude") == 0)
        exclude(count);
    else if (strcmp(what, "count") == 0)
        count_tickets(count);
    else if (strcmp(what, "maximum") == 0)
        find_maximum();
    else if (strcmp(what, "errors") == 0)
        err();
    else if (strcmp(what, "halo") == 0)
        halo();
    else if (strcmp(what, "shared") == 0)
        read_shared();
    else if (strcmp(what, "nobody") == 0)
        wait_for_nobody();
    else
        take_time(what, count);
    MPI_Finalize();
    return 0;
}
