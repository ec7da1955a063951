/* Machine files as examples/messages has them: read, changed while a run goes on, and asked for every delay. */
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/messages/hosts.c"

#include "fuzz.h"

#include <setjmp.h>

static jmp_buf ended;

void *direct_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, new_bytes);
    CHECK(block);
    return block;
}

static void *blocks[100000]; /* of the arena: given back when the input has been seen */
static size_t block_count;

void *direct_new(size_t bytes)
{
    CHECK(block_count < sizeof blocks / sizeof *blocks);
    blocks[block_count] = calloc(1, bytes ? bytes : 1);
    CHECK(blocks[block_count]);
    return blocks[block_count++];
}

void messages_end(int status, const char *format, ...)
{
    CHECK(status != 0 && format[0]);
    longjmp(ended, 1);
}

void messages_note_add(double at, uint64_t times, const void *caller, const char *format, ...)
{
    (void)at;
    (void)caller;
    CHECK(times > 0 && format[0]);
}

static void is_delay(double seconds)
{
    CHECK(seconds >= 0);
}

static void is_work(messages_work work)
{
    is_delay(work.seconds);
    is_delay(work.bytes);
}

/* memory.c measures it on this machine. */
netmodel_link messages_copy_measured(void)
{
    return (netmodel_link){ 0.2e-6, 1 / 8e9 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static messages_cluster cluster;
    static simkit_world *world;
    char *text = exact_copy(data, size);
    const char *why = hosts__parse(&cluster, (simkit_input){ .text = text, .length = size, .name = "h" });
    free(text);
    if (why) {
        CHECK(why[0]);
    } else {
        CHECK(cluster.count > 0);
        const int32_t last = cluster.count > 3 ? 3 : (int32_t)cluster.count;
        for (int32_t i = 0; i < last; ++i)
            for (int32_t j = 0; j < last; ++j)
                for (double bytes = 0; bytes < 1e7; bytes = bytes * 30 + 1) {
                    const messages_haste haste = { .follows = j % 2, .computed = bytes * 1e-9 };
                    double latency, whole, wake;
                    messages_host_busy(&cluster, i, j, bytes * 1e-9);
                    is_delay(messages_pack_delay(&cluster, i, bytes));
                    is_work(messages_send_work(&cluster, i, j, bytes, &haste));
                    is_delay(messages_watch_delay(&cluster, i, bytes, bytes * 1e-9, j, &wake));
                    is_delay(wake);
                    is_work(messages_receive_work(&cluster, i, j, bytes, &haste));
                    messages_transmission(&cluster, i, j, bytes, cluster.header, &latency, &whole);
                    is_delay(latency);
                    is_delay(whole);
                }
        messages_cluster_note(&cluster, 1);
        CHECK(simkit_world_open(NULL, &world) == SIMKIT_OK);
        if (setjmp(ended) == 0)
            for (int32_t i = 0; i < last; ++i) {
                CHECK(messages_host_find(&cluster, cluster.hosts[i].name) >= 0);
                messages_host_open(&cluster, world, i);
                messages_host_change(&cluster, cluster.hosts[i].name, "send", "1 us + 1 GB/s");
            }
        simkit_world_close(world);
        world = NULL;
    }
    simkit_machine_close(cluster.machine);
    free(cluster.link_latencies);
    free(cluster.channels);
    free(cluster.hosts);
    free(cluster.by_name);
    free(cluster.pairs);
    memset(&cluster, 0, sizeof cluster);
    while (block_count > 0) free(blocks[--block_count]);
    return 0;
}
