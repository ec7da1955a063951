/* How long does a schedule of a million operations take, in the language GOAL, from the text to the ends of its ranks?
 *
 * 64 ranks compute, send to the next one and receive from the one before, 3906 times, with labels and needs: 999 936 operations,
 * 49 MB of text, in memory. CPU time of reading and of replaying, medians of five, and memory for each operation. Goal: 2 s in
 * all. */
#define _POSIX_C_SOURCE 200809L
#include "../../examples/goal/goal.h"
#include "measure.h"

#include <string.h>

enum { RUNS = 5, RANKS = 64, ROUNDS = 3906 };

static size_t held, most;

static void *count(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    void *moved = NULL;
    if (new_bytes == 0)
        free(block);
    else if (!(moved = realloc(block, new_bytes)))
        return NULL;
    held += new_bytes - old_bytes;
    if (held > most) most = held;
    return moved;
}

static double cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static size_t write_ring(char *text)
{
    char *at = text + sprintf(text, "num_ranks %d\n", RANKS);
    for (int r = 0; r < RANKS; ++r) {
        at += sprintf(at, "rank %d {\n", r);
        for (int i = 0; i < ROUNDS; ++i) {
            at += sprintf(at, "c%d: calc %d\ns%d: send 1000b to %d tag 1\n", i, 1000 + (7 * r + i) % 13, i,
                          (r + 1) % RANKS);
            at += sprintf(at, "r%d: recv 1000b from %d tag 1\nw%d: calc 10\n", i, (r + RANKS - 1) % RANKS, i);
            if (i > 0) at += sprintf(at, "c%d requires w%d\n", i, i - 1);
            at += sprintf(at, "s%d requires c%d\nr%d irequires s%d\nw%d requires r%d\nw%d requires s%d\n", i, i, i, i,
                          i, i, i, i);
        }
        at += sprintf(at, "}\n");
    }
    return (size_t)(at - text);
}

int main(void)
{
    static const goal_loggops_desc usual = GOAL_LOGGOPS;
    char *text = malloc((size_t)RANKS * ROUNDS * 300);
    double reading[RUNS], replaying[RUNS], end[RANKS];
    size_t operations = 0;
    if (!text) return 1;
    const size_t length = write_ring(text);
    for (int i = 0; i < RUNS; ++i) {
        simkit_parse_error error;
        goal_schedule *s;
        char why[GOAL_WHY];
        const double begin = cpu_now();
        measure_ok(
            (int)goal_read(&(simkit_input){ .text = text, .length = length, .memory = { count, NULL } }, &s, &error));
        const double read = cpu_now();
        measure_ok((int)goal_loggops(s, &usual, NULL, NULL, end, why));
        reading[i] = read - begin;
        replaying[i] = cpu_now() - read;
        operations = s->count;
        goal_close(s);
    }
    qsort(reading, RUNS, sizeof *reading, measure_compare);
    qsort(replaying, RUNS, sizeof *replaying, measure_compare);
    printf(
        "%zu operations, %.0f MB of text: read in %.2f s, replayed in %.2f s (goal: 2 s in all); %.0f bytes for each\n",
        operations, (double)length / 1e6, reading[RUNS / 2], replaying[RUNS / 2], (double)most / (double)operations);
    free(text);
    return 0;
}
