/* Hosts that all send to each other, one message after another: how much does the smallest change of one message change the end?
 * cc -O2 -DSIMKIT_STATIC -I. examples/studies/chaos.c -o chaos -lm && ./chaos
 *
 * Each of n hosts sends n - 1 messages of random sizes, to one host after the other. Which messages share a link, and so how long
 * each takes, depends on who was ready first. So a difference of one message grows, as in any chaotic system: one that is as small
 * as a double can have, 2^-52 of its size, is nothing for 32 hosts and may be a percent of the end for 128. It says how far the
 * prediction of such a program can be trusted, however good its model is. All runs are repeatable to the bit. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>

enum { HOSTS = 256 };

typedef struct exchange {
    unsigned hosts, sent[HOSTS];
    double bytes[HOSTS][HOSTS];
    simkit_result result;
} exchange;

typedef struct host {
    exchange *all;
    unsigned number;
} host;

/* The next message of a host, which begins when the one before has arrived. */
static void next(simkit_world *world, void *user)
{
    const host *h = user;
    exchange *x = h->all;
    if (++x->sent[h->number] >= x->hosts) return;
    const unsigned to = (h->number + x->sent[h->number]) % x->hosts;
    const simkit_transfer_desc desc = {
        .from = h->number + 1, .to = to + 1, .bytes = x->bytes[h->number][to], .done = next, .user = user
    };
    if (x->result == SIMKIT_OK) x->result = simkit_transfer_start(world, &desc, NULL);
}

/* When the last message has arrived [s]; NaN where something failed. The first message of host number `changed` is larger by its
 * last bit; HOSTS: none is. */
static double end_of(unsigned hosts, simkit_sharing sharing, uint64_t seed, unsigned changed)
{
    static exchange x;
    static host all[HOSTS];
    simkit_world *world;
    memset(&x, 0, sizeof x);
    x.hosts = hosts;
    if (simkit_world_open(&(simkit_world_desc){ .seed = seed, .sharing = sharing, .latency = 50e-6 }, &world))
        return NAN;
    simkit_random random = simkit_random_stream(world, 0);
    for (unsigned i = 0; i < hosts; ++i) {
        const simkit_node_desc desc = { .up_bandwidth = 125e6, .down_bandwidth = 125e6 };
        if (x.result == SIMKIT_OK) x.result = simkit_node_add(world, &desc, NULL);
        for (unsigned k = 0; k < hosts; ++k) x.bytes[i][k] = 1e4 + 1e6 * simkit_random_uniform(&random);
    }
    if (changed < hosts) x.bytes[changed][changed + 1] = nextafter(x.bytes[changed][changed + 1], INFINITY);
    for (unsigned i = 0; i < hosts && x.result == SIMKIT_OK; ++i) {
        all[i] = (host){ &x, i };
        next(world, &all[i]);
    }
    if (x.result == SIMKIT_OK) x.result = simkit_world_run(world);
    if (x.result != SIMKIT_OK) fprintf(stderr, "chaos: %s\n", simkit_world_why(world));
    const double end = x.result == SIMKIT_OK ? simkit_clock_now(world) : NAN;
    simkit_world_close(world);
    return end;
}

int main(void)
{
    static const unsigned sizes[] = { 8, 16, 32, 48, 64, 96, 128, 192, 256 };
    printf("hosts   end, equal shares   it moves by at most   end, max-min fair   it moves by at most\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        printf("%5u", sizes[i]);
        for (int sharing = SIMKIT_SHARING_EQUAL; sharing <= SIMKIT_SHARING_MAXMIN; ++sharing) {
            double most = 0, first = 0;
            for (uint64_t seed = 1; seed <= 2; ++seed) {
                const double end = end_of(sizes[i], (simkit_sharing)sharing, seed, HOSTS);
                for (unsigned changed = 0; changed < 4; ++changed) {
                    const double other = end_of(sizes[i], (simkit_sharing)sharing, seed, changed);
                    if (!(end > 0 && other > 0)) return 1;
                    most = fmax(most, fabs(other / end - 1));
                }
                if (seed == 1) first = end;
            }
            printf("   %15.6f s   %19.0e", first, most);
        }
        printf("\n");
    }
    return 0;
}
