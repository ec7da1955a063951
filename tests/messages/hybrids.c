/* hybrids.c - the frame of the cases of ranks with threads.
 *
 * mpirun -np N ./hybrids LEVEL [CASE|TOPIC...]: LEVEL is single, funneled, serialized or multiple; all cases that it allows
 * run, or those named. N is even. tests/messages/hybrids.LEVEL.npN.txt is what Open MPI 4.1 prints. This records it again:
 *
 *     mpicc -O1 -fopenmp tests/messages/hybrids*.c tests/messages/conform_frame.c -o hybrids
 *     for n in 2 4; do for level in single funneled serialized multiple; do
 *         mpirun --oversubscribe --mca mpi_yield_when_idle 1 -np $n ./hybrids $level >tests/messages/hybrids.$level.np$n.txt
 *     done; done
 */
#include "hybrids.h"

#include <stdarg.h>

int peer;
MPI_Comm own[THREADS];

static char notes[MANY][256];

void note(int thread, const char *format, ...)
{
    char *text = notes[thread];
    const size_t used = strlen(text), space = used > 0;
    va_list list;

    if (used + space + 1 >= sizeof notes[0]) return;
    if (space) strcpy(text + used, " ");
    va_start(list, format);
    vsnprintf(text + used + space, sizeof notes[0] - used - space, format, list);
    va_end(list);
}

void note_wrong(int thread, bool fine, const char *text)
{
    if (!fine) note(thread, "%s", text);
}

void say_notes(void)
{
    bool same = true;

    for (int i = 1; i < THREADS; ++i) same = same && strcmp(notes[i], notes[0]) == 0;
    if (same && *notes[0]) say("each: %s", notes[0]);
    for (int i = 0; i < MANY; ++i) {
        if (!(same && i < THREADS) && *notes[i]) say("[%d %s]", i, notes[i]);
        notes[i][0] = '\0';
    }
}

typedef struct part {
    void (*body)(int thread);
    int thread;
} part;

static void *run_part(void *given)
{
    const part *it = given;

    it->body(it->thread);
    return NULL;
}

void each(void (*body)(int thread))
{
    pthread_t threads[THREADS];
    part parts[THREADS];

    for (int i = 0; i < THREADS; ++i) {
        parts[i] = (part){ body, i };
        if (pthread_create(&threads[i], NULL, run_part, &parts[i]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    say_notes();
}

int swap(int value, int tag, MPI_Comm comm)
{
    int got = -1;

    MPI_Sendrecv(&value, 1, MPI_INT, peer, tag, &got, 1, MPI_INT, peer, tag, comm, MPI_STATUS_IGNORE);
    return got;
}

static const struct {
    const char *name;
    int value;
    int topics; /* the first ones of the table */
} levels[] = { { "single", MPI_THREAD_SINGLE, 1 },
               { "funneled", MPI_THREAD_FUNNELED, 2 },
               { "serialized", MPI_THREAD_SERIALIZED, 3 },
               { "multiple", MPI_THREAD_MULTIPLE, 13 } };

const char *level_name(int level)
{
    for (int i = 0; i < COUNT_OF(levels); ++i)
        if (levels[i].value == level) return levels[i].name;
    return "another level";
}

int main(int argc, char **argv)
{
    const conform_topic topics[] = { { "levels", hybrids_levels },         { "funneled", hybrids_funneled },
                                     { "serialized", hybrids_serialized }, { "messages", hybrids_messages },
                                     { "probes", hybrids_probes },         { "requests", hybrids_requests },
                                     { "comms", hybrids_comms },           { "objects", hybrids_objects },
                                     { "windows", hybrids_windows },       { "openmp", hybrids_openmp },
                                     { "posix", hybrids_posix },           { "patterns", hybrids_patterns },
                                     { "random", hybrids_random } };
    int l = 0, provided, rank;

    while (l < COUNT_OF(levels) && (argc < 2 || strcmp(argv[1], levels[l].name) != 0)) ++l;
    if (l == COUNT_OF(levels)) {
        fprintf(stderr, "usage: hybrids single|funneled|serialized|multiple [CASE|TOPIC...]\n");
        return 2;
    }
    MPI_Init_thread(&argc, &argv, levels[l].value, &provided);
    if (provided < levels[l].value) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = rank ^ 1;
    omp_set_dynamic(0);
    omp_set_num_threads(THREADS);
    const bool multiple = levels[l].value == MPI_THREAD_MULTIPLE;
    for (int i = 0; multiple && i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    run_topics(topics, levels[l].topics, argc - 1, argv + 1);
    for (int i = 0; multiple && i < THREADS; ++i) MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return 0;
}
