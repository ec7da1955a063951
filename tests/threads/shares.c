/* OpenMP hands out work to two threads, whose other calls no thread notices: `shares [NAME]`. Prints how much of the work of each construct
 * the thread with less of it has, or `shared`: that is a third or more. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PIECES = 400 };

static int done[2]; /* by each thread */

/* Takes what three calls are charged for. */
static void piece(void)
{
    for (int i = 0; i < 3; ++i) pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    ++done[omp_get_thread_num()];
}

static void dynamic(void)
{
#pragma omp for schedule(dynamic)
    for (int i = 0; i < PIECES; ++i) piece();
}

static void unsigned_dynamic(void)
{
#pragma omp for schedule(dynamic)
    for (unsigned long long i = 0; i < PIECES; ++i) piece();
}

static void singles(void)
{
    for (int i = 0; i < PIECES; ++i)
#pragma omp single nowait
        piece();
}

static void sections(void)
{
    for (int i = 0; i < PIECES / 4; ++i) {
#pragma omp sections
        {
#pragma omp section
            piece();
#pragma omp section
            piece();
#pragma omp section
            piece();
#pragma omp section
            piece();
        }
    }
}

/* Fewer than a library makes before it does the next one at once. */
static void tasks(void)
{
    for (int i = 0; i < PIECES / 40; ++i) {
#pragma omp single
        for (int k = 0; k < 40; ++k)
#pragma omp task
            piece();
    }
}

static void taskloop(void)
{
    for (int i = 0; i < PIECES / 40; ++i) {
#pragma omp single
#pragma omp taskloop grainsize(1)
        for (int k = 0; k < 40; ++k) piece();
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } constructs[] = {
        { "dynamic", dynamic }, { "unsigned dynamic", unsigned_dynamic },
        { "single", singles },  { "sections", sections },
        { "task", tasks },      { "taskloop", taskloop },
    };
#pragma omp parallel num_threads(2)
    {
        piece(); /* both are there */
    }
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; ++i) {
        if (argc > 1 && strcmp(argv[1], constructs[i].name) != 0) continue;
        done[0] = done[1] = 0;
#pragma omp parallel num_threads(2)
        constructs[i].run();
        const int less = done[0] < done[1] ? done[0] : done[1], all = done[0] + done[1];
        printf("%s ", constructs[i].name);
        if (all == PIECES && 3 * less >= all)
            printf("shared\n");
        else
            printf("%d of %d\n", less, all);
    }
    return 0;
}
