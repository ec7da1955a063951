/* C++ exceptions and processes: one that is thrown and caught within a process, with waits on the way but none inside a
 * catch block, is its own affair, however many processes do the same. Exit status 0 says so.
 *
 * With `out`, a process lets one out of its body: std::terminate() is called, whose handler here exits with status 3. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

enum { PROCESSES = 50, ROUNDS = 40 };

static int caught, unwound, wrong;

struct guard {
    ~guard()
    {
        ++unwound;
    }
};

/* Deeper with each level, a wait on the way down; from the bottom through all of them. */
static void descend(simkit_world *world, int level, const std::string &text)
{
    guard here;
    if (simkit_process_wait(world, 0.001 * (level % 3)) != SIMKIT_OK) ++wrong;
    if (level == 0) throw std::runtime_error(text);
    descend(world, level - 1, text);
}

static void throws(simkit_world *world, void *user)
{
    const int number = *static_cast<int *>(user);
    for (int round = 0; round < ROUNDS; ++round) {
        const std::string text = "process " + std::to_string(number) + ", round " + std::to_string(round);
        std::string found;
        try {
            descend(world, number % 7, text);
        } catch (const std::exception &e) {
            found = e.what();
        }
        if (simkit_process_wait(world, 0.001 * (number % 5)) != SIMKIT_OK) ++wrong; /* after the catch block */
        if (found == text && !std::current_exception())
            ++caught;
        else
            ++wrong;
    }
}

static void lets_out(simkit_world *world, void *)
{
    if (simkit_process_wait(world, 1) != SIMKIT_OK) ++wrong;
    throw std::runtime_error("nobody catches this");
}

static void terminated()
{
    std::_Exit(3);
}

int main(int argc, char **argv)
{
    const bool out = argc > 1 && std::strcmp(argv[1], "out") == 0;
    int numbers[PROCESSES], expected = 0;
    simkit_world *world;
    std::set_terminate(terminated);
    if (simkit_world_open(nullptr, &world) != SIMKIT_OK) return 2;
    for (int i = 0; i < PROCESSES; ++i) {
        simkit_process_desc desc = simkit_process_desc();
        numbers[i] = i;
        desc.body = out ? lets_out : throws;
        desc.user = &numbers[i];
        if (simkit_process_start(world, &desc, nullptr) != SIMKIT_OK) return 2;
        expected += ROUNDS * (i % 7 + 1);
    }
    const simkit_result result = simkit_world_run(world);
    simkit_world_close(world);
    std::printf("%d caught, %d wrong, %d unwound of %d\n", caught, wrong, unwound, expected);
    return result != SIMKIT_OK || caught != PROCESSES * ROUNDS || wrong > 0 || unwound != expected;
}
