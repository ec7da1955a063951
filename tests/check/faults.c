/* Mistakes of a host's process that a sanitizer must see as what they are, whichever stack they are made on: with
 * `overflow` a process writes beyond an array of its own, with `race` processes of two worlds in two threads count in one
 * place. tests/check/engine wants the report. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <pthread.h>

static long shared;

static void overflows(simkit_world *w, void *user)
{
    char bytes[16];
    size_t many = *(size_t *)user;
    simkit_process_wait(w, 1);
    memset(bytes, 1, many);
    simkit_process_wait(w, bytes[3]);
}

static void races(simkit_world *w, void *user)
{
    (void)user;
    for (int i = 0; i < 1000; i++) {
        simkit_process_wait(w, 1);
        shared++;
    }
}

static void *run(void *user)
{
    simkit_world *w;
    size_t many = 20;
    const bool race = *(bool *)user;
    const simkit_process_desc desc = { .body = race ? races : overflows, .user = &many };
    if (simkit_world_open(NULL, &w) != SIMKIT_OK) return NULL;
    for (int i = 0; i < 2; i++) simkit_process_start(w, &desc, NULL);
    simkit_world_run(w);
    simkit_world_close(w);
    return NULL;
}

int main(int argc, char **argv)
{
    bool race = argc > 1 && strcmp(argv[1], "race") == 0;
    pthread_t other;
    if (race && pthread_create(&other, NULL, run, &race) != 0) return 1;
    run(&race);
    if (race) pthread_join(other, NULL);
    return 0;
}
