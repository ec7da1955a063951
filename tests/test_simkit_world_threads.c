/* Room world of simkit.h. Many worlds, several threads: a world belongs to one thread at a time and shares nothing with
 * the others. Under TSan this also shows that it is told of every switch. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

#include <pthread.h>

enum { WORLDS = 100, THREADS = 2, PROCESSES = 6, ROUNDS = 20 };

typedef struct arena {
    simkit_world *world;
    simkit_node node[2];
    simkit_mailbox box[PROCESSES];
    simkit_random dice[PROCESSES];
    uint64_t hash;
    int left;
    int number[PROCESSES];
} arena;

static arena arenas[WORLDS];

static arena *arena_of(simkit_world *w)
{
    for (int i = 0; i < WORLDS; ++i)
        if (arenas[i].world == w) return &arenas[i];
    return NULL;
}

static void busy(simkit_world *w, void *user)
{
    const int me = *(int *)user;
    arena *a = arena_of(w);
    for (int i = 0; i < ROUNDS; ++i) {
        simkit_message message;
        succeeds(simkit_process_wait(w, simkit_random_exponential(&a->dice[me], 1)));
        succeeds(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = simkit_random_uniform(&a->dice[me]) },
                                        NULL));
        succeeds(
            simkit_process_send(w, &(simkit_post_desc){ .to = a->box[(me + 1) % PROCESSES], .bytes = 1000 }, NULL));
        succeeds(simkit_process_receive(w, a->box[me], &message));
        a->hash = (a->hash ^ bits_of(simkit_clock_now(w))) * UINT64_C(1099511628211);
    }
    --a->left;
}

static void open_arena(arena *a, uint64_t seed)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_incoming = 0.1 };
    memset(a, 0, sizeof *a);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .seed = seed, .latency = 2e-3 }, &a->world), SIMKIT_OK);
    for (int i = 0; i < 2; ++i) assert_int_equal(simkit_node_add(a->world, &desc, &a->node[i]), SIMKIT_OK);
    for (int i = 0; i < PROCESSES; ++i) {
        a->number[i] = i;
        a->dice[i] = simkit_random_stream(a->world, (uint64_t)i);
        assert_int_equal(simkit_mailbox_open(a->world, a->node[i % 2], NULL, &a->box[i]), SIMKIT_OK);
        assert_int_equal(
            simkit_process_start(
                a->world, &(simkit_process_desc){ .node = a->node[i % 2], .body = busy, .user = &a->number[i] }, NULL),
            SIMKIT_OK);
        ++a->left;
    }
}

static void *run_some(void *user)
{
    const int first = *(int *)user;
    for (double until = 5;; until += 5) { /* by turns, so that their stacks are left and entered again */
        bool going = false;
        for (int i = first; i < WORLDS; i += THREADS) {
            if (arenas[i].left == 0) continue;
            if (simkit_world_run_until(arenas[i].world, until) != SIMKIT_OK) return NULL;
            going = true;
        }
        if (!going) return user;
    }
}

static void a_hundred_worlds_in_two_threads(void **state)
{
    uint64_t hashes[WORLDS];
    int first[THREADS];
    pthread_t threads[THREADS];

    (void)state;
    for (int round = 0; round < 2; ++round) {
        const int count = round ? THREADS : 1; /* first one by one, then at once */
        for (int i = 0; i < WORLDS; ++i) open_arena(&arenas[i], (uint64_t)i);
        for (int t = 0; t < THREADS; ++t) first[t] = t;
        if (count == 1) {
            for (int t = 0; t < THREADS; ++t) assert_non_null(run_some(&first[t]));
        } else {
            for (int t = 0; t < THREADS; ++t)
                assert_int_equal(pthread_create(&threads[t], NULL, run_some, &first[t]), 0);
            for (int t = 0; t < THREADS; ++t) {
                void *answer;
                assert_int_equal(pthread_join(threads[t], &answer), 0);
                assert_non_null(answer);
            }
        }
        for (int i = 0; i < WORLDS; ++i) {
            assert_int_equal(arenas[i].left, 0);
            if (round == 0) hashes[i] = arenas[i].hash;
            assert_true(arenas[i].hash == hashes[i]);
            simkit_world_close(arenas[i].world);
        }
    }
}

/* A world may move to another thread between two runs. */
static void *run_one(void *user)
{
    arena *a = user;
    succeeds(simkit_world_run_until(a->world, simkit_clock_now(a->world) + 5));
    return NULL;
}

static void a_world_moves_to_another_thread(void **state)
{
    (void)state;
    open_arena(&arenas[0], 1);
    while (arenas[0].left > 0) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_one, &arenas[0]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        run_one(&arenas[0]);
    }
    simkit_world_close(arenas[0].world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_worlds_in_two_threads),
        cmocka_unit_test(a_world_moves_to_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
