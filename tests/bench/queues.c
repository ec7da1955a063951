/* Which queue? The hold model for three structures that all carry a callback, its pointer, a priority and a handle:
 *
 *   radix    what simkit.h has: a radix heap with a sorted front
 *   heap     an implicit heap of four children, keys apart from what to call; who is called knows its place, so that
 *            cancelling takes it out at once
 *   ladder   one rung of buckets as wide as four events, the first of them a heap, and a heap-less rest that becomes the
 *            next rung; cancelled entries stay until they are due
 *
 * Nanoseconds an operation, a pop and a push; medians of five. queues [N ...] */
#define _POSIX_C_SOURCE 200809L
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "measure.h"
#include "work.h"

enum { RUNS = 5, HOLDS = 2000000 };

typedef struct key {
    double time;
    uint64_t rank; /* priority and number */
    uint32_t slot;
} key;

typedef struct slot {
    uint32_t next, generation, at;
    void (*call)(void *user);
    void *user;
} slot;

static slot *slots;
static uint32_t free_slot;
static uint64_t numbers, called;

static bool before(const key *a, const key *b)
{
    return a->time < b->time || (a->time == b->time && a->rank < b->rank);
}

static void calls(void *user)
{
    called += (uint64_t)(uintptr_t)user;
}

static key new_key(double time)
{
    key k = { time, UINT64_C(1) << 63 | numbers++, free_slot };
    slot *s = &slots[k.slot];
    free_slot = s->next;
    s->call = calls;
    s->user = &slots[k.slot];
    return k;
}

static void run_key(const key *k)
{
    slot *s = &slots[k->slot];
    ++s->generation;
    s->next = free_slot;
    free_slot = k->slot;
    s->call(s->user);
}

static void *get(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory) exit(1);
    return memory;
}

static void make_slots(size_t n)
{
    slots = get(n + 1, sizeof *slots);
    for (size_t i = 0; i <= n; ++i) slots[i].next = (uint32_t)i + 1;
    free_slot = 0;
}

/* --- the heap, whose entries know their places --- */
static void place(key *heap, size_t at, key k)
{
    heap[at] = k;
    slots[k.slot].at = (uint32_t)at;
}

static void heap_push(key *heap, size_t *count, key k)
{
    size_t at = (*count)++;
    for (; at > 0 && before(&k, &heap[(at - 1) / 4]); at = (at - 1) / 4) place(heap, at, heap[(at - 1) / 4]);
    place(heap, at, k);
}

static key heap_pop(key *heap, size_t *count)
{
    const key top = heap[0], last = heap[--*count];
    size_t at = 0;
    for (size_t child; (child = 4 * at + 1) < *count;) {
        const size_t end = child + 4 < *count ? child + 4 : *count;
        size_t least = child;
        for (size_t i = child + 1; i < end; ++i)
            if (before(&heap[i], &heap[least])) least = i;
        if (!before(&heap[least], &last)) break;
        place(heap, at, heap[least]);
        at = least;
    }
    if (*count > 0) place(heap, at, last);
    return top;
}

static double hold_heap(size_t n)
{
    key *heap = get(n + 1, sizeof *heap);
    size_t count = 0;
    double start = 0;
    make_slots(n);
    for (size_t i = 0; i < n; ++i) heap_push(heap, &count, new_key(work_time()));
    for (size_t i = 0; i < 2 * n + HOLDS; ++i) {
        if (i == 2 * n) start = measure_now();
        const key k = heap_pop(heap, &count);
        run_key(&k);
        heap_push(heap, &count, new_key(k.time + work_time()));
    }
    start = measure_now() - start;
    free(heap);
    free(slots);
    return start / HOLDS * 1e9;
}

/* --- the ladder --- */
typedef struct bucket {
    key *keys;
    size_t count, room;
} bucket;

typedef struct ladder {
    bucket *rung;
    size_t buckets, at;
    double from, width, to;
    bucket near, rest;
} ladder;

static void add(bucket *b, key k)
{
    if (b->count == b->room) {
        b->room = b->room ? 2 * b->room : 8;
        b->keys = realloc(b->keys, b->room * sizeof *b->keys);
        if (!b->keys) exit(1);
    }
    b->keys[b->count++] = k;
}

static void ladder_push(ladder *l, key k)
{
    if (k.time >= l->to) {
        add(&l->rest, k);
        return;
    }
    const size_t which = (size_t)((k.time - l->from) / l->width);
    if (which > l->at && which < l->buckets) {
        add(&l->rung[which], k);
        return;
    }
    add(&l->near, k);
    --l->near.count;
    heap_push(l->near.keys, &l->near.count, k);
}

static void ladder_next(ladder *l)
{
    while (l->near.count == 0) {
        if (++l->at < l->buckets) { /* the next bucket becomes a heap */
            bucket *b = &l->rung[l->at];
            for (size_t i = 0; i < b->count; ++i) {
                add(&l->near, b->keys[i]);
                --l->near.count;
                heap_push(l->near.keys, &l->near.count, b->keys[i]);
            }
            b->count = 0;
            continue;
        }
        double least = INFINITY, most = 0;
        const bucket all = l->rest;
        for (size_t i = 0; i < all.count; ++i) {
            least = fmin(least, all.keys[i].time);
            most = fmax(most, all.keys[i].time);
        }
        l->from = least;
        l->width = fmax(4 * (most - least) / (double)all.count, 1e-12 * (1 + most));
        l->at = SIZE_MAX;
        l->buckets = all.count / 4 + 1;
        l->to = least + (double)l->buckets * l->width;
        memset(&l->rest, 0, sizeof l->rest);
        for (size_t i = 0; i < all.count; ++i) {
            const size_t which = (size_t)((all.keys[i].time - l->from) / l->width);
            add(&l->rung[which < l->buckets ? which : l->buckets - 1], all.keys[i]);
        }
        free(all.keys);
    }
}

static double hold_ladder(size_t n)
{
    ladder l;
    double start = 0;
    memset(&l, 0, sizeof l);
    l.rung = get(n / 4 + 2, sizeof *l.rung);
    make_slots(n);
    for (size_t i = 0; i < n; ++i) ladder_push(&l, new_key(work_time()));
    for (size_t i = 0; i < 2 * n + HOLDS; ++i) {
        if (i == 2 * n) start = measure_now();
        ladder_next(&l);
        const key k = heap_pop(l.near.keys, &l.near.count);
        run_key(&k);
        ladder_push(&l, new_key(k.time + work_time()));
    }
    start = measure_now() - start;
    for (size_t i = 0; i < n / 4 + 2; ++i) free(l.rung[i].keys);
    free(l.rung);
    free(l.near.keys);
    free(l.rest.keys);
    free(slots);
    return start / HOLDS * 1e9;
}

/* --- simkit.h --- */
static size_t left;

static void holds(simkit_world *w, void *user)
{
    simkit_step step;
    if (--left == 0) simkit_world_stop(w);
    called += (uint64_t)(uintptr_t)user;
    measure_ok(simkit_step_after(w, work_time(), 0, holds, user, &step));
}

static double hold_radix(size_t n)
{
    simkit_world *w;
    if (simkit_world_open(NULL, &w) != SIMKIT_OK) exit(1);
    for (size_t i = 0; i < n; ++i) measure_ok(simkit_step_after(w, work_time(), 0, holds, NULL, NULL));
    left = 2 * n;
    if (simkit_world_run(w) != SIMKIT_STOPPED) exit(1);
    left = HOLDS;
    const double start = measure_now();
    if (simkit_world_run(w) != SIMKIT_STOPPED) exit(1);
    const double seconds = measure_now() - start;
    simkit_world_close(w);
    return seconds / HOLDS * 1e9;
}

int main(int argc, char **argv)
{
    static const char *const sizes[] = { "100", "1000", "10000", "100000", "1000000" };
    static const struct {
        const char *name;
        double (*hold)(size_t n);
    } queues[] = { { "radix", hold_radix }, { "heap", hold_heap }, { "ladder", hold_ladder } };
    printf("hold model, ns an operation; medians of %d and the range\n   pending\n", RUNS);
    for (int a = 0; a < (argc > 1 ? argc - 1 : 5); ++a) {
        double ns[3][RUNS];
        const size_t n = strtoul(argc > 1 ? argv[a + 1] : sizes[a], NULL, 10);
        if (n < 1) return 1;
        for (int i = 0; i < RUNS; ++i)
            for (int q = 0; q < 3; ++q) ns[q][i] = queues[q].hold(n);
        printf("%10lu", (unsigned long)n);
        for (int q = 0; q < 3; ++q) {
            measure_sort(ns[q], RUNS);
            printf("   %s %.1f [%.1f .. %.1f]", queues[q].name, ns[q][RUNS / 2], ns[q][0], ns[q][RUNS - 1]);
        }
        printf("\n");
        fflush(stdout);
    }
    return called == 1;
}
