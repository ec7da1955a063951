/* Mistakes of a host's process that a sanitizer must see as what they are, whichever stack they are made on: with
 * `overflow` a process writes beyond an array of its own, with `race` processes of two worlds in two threads count in one
 * place, with `unset` it waits as long as an array says that it never set. tests/check/engine wants the report. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <pthread.h>

static long shared;

static void whatever(simkit_result result)
{
    (void)result;
}

static void overflows(simkit_world *w, void *user)
{
    char bytes[16];
    size_t many = *(size_t *)user;
    whatever(simkit_process_wait(w, 1));
    memset(bytes, 1, many);
    whatever(simkit_process_wait(w, bytes[3]));
}

static void reads_unset(simkit_world *w, void *user)
{
    double seconds[4];
    seconds[0] = (double)*(size_t *)user;
    whatever(simkit_process_wait(w, 1));
    whatever(simkit_process_wait(w, seconds[*(volatile size_t *)user % 4 + 1]));
}

static void races(simkit_world *w, void *user)
{
    (void)user;
    for (int i = 0; i < 1000; ++i) {
        whatever(simkit_process_wait(w, 1));
        ++shared;
    }
}

static void *run(void *user)
{
    simkit_world *w;
    size_t many = 20;
    const simkit_process_desc desc = { .body = *(simkit_call **)user, .user = &many };
    if (simkit_world_open(NULL, &w) != SIMKIT_OK) return NULL;
    for (int i = 0; i < 2; ++i) whatever(simkit_process_start(w, &desc, NULL));
    whatever(simkit_world_run(w));
    simkit_world_close(w);
    return NULL;
}

int main(int argc, char **argv)
{
    const bool race = argc > 1 && strcmp(argv[1], "race") == 0, unset = argc > 1 && strcmp(argv[1], "unset") == 0;
    simkit_call *body = race ? races : unset ? reads_unset : overflows;
    pthread_t other;
    if (race && pthread_create(&other, NULL, run, &body) != 0) return 1;
    run(&body);
    if (race) pthread_join(other, NULL);
    return 0;
}
