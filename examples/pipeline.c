/* One stage of a pipeline makes items, the next uses them, both at random: how large must the buffer between them be?
 * cc -O2 -DSIMKIT_STATIC -I. examples/pipeline.c -o pipeline -lm && ./pipeline        (--svg FILE draws it)
 *
 * A bounded mailbox is the buffer: a sender whose message finds it full waits until there is room. Both stages take 1 s per
 * item on average, exponential. Theory for a buffer of b items: (b + 2) / (b + 3) items per second
 * (Hillier and Boling, 1967). Without a bound the stages would reach 1 per second, with a queue that grows for ever. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "svg.h"

enum { ITEMS = 200000, BUFFERS = 6 };

typedef struct line {
    simkit_node node;
    simkit_mailbox buffer;
    simkit_random making, using_up; /* random streams */
    simkit_result result;           /* of the stage that failed */
} line;

static void maker(simkit_world *world, void *user)
{
    line *l = (line *)user;
    const simkit_post_desc item = { .to = l->buffer };
    for (int i = 0; i < ITEMS && !l->result; ++i) {
        l->result = simkit_process_wait(world, simkit_random_exponential(&l->making, 1));
        if (!l->result)
            l->result = simkit_process_send(world, &item, NULL); /* returns when the item is in the buffer */
    }
    if (l->result) simkit_world_stop(world);
}

static void user_of_items(simkit_world *world, void *user)
{
    line *l = (line *)user;
    for (int i = 0; i < ITEMS && !l->result; ++i) {
        l->result = simkit_process_receive(world, l->buffer, NULL);
        if (!l->result) l->result = simkit_process_wait(world, simkit_random_exponential(&l->using_up, 1));
    }
    if (l->result) simkit_world_stop(world);
}

/* Items per second; negative if it could not be found out. */
static double throughput(size_t buffer)
{
    simkit_world *world;
    line l = { 0 };
    simkit_result result = simkit_world_open(NULL, &world);
    l.making = simkit_random_stream(world, 1);
    l.using_up = simkit_random_stream(world, 2);
    if (!result) result = simkit_node_add(world, NULL, &l.node);
    if (!result) result = simkit_mailbox_open(world, l.node, "buffer", &l.buffer);
    if (!result) result = simkit_mailbox_bound(world, l.buffer, buffer);
    const simkit_process_desc stages[] = { { .name = "maker", .node = l.node, .body = maker, .user = &l },
                                           { .name = "user", .node = l.node, .body = user_of_items, .user = &l } };
    for (int i = 0; i < 2 && !result; ++i) result = simkit_process_start(world, &stages[i], NULL);
    if (!result) result = simkit_world_run(world);
    if (!result) result = l.result;
    if (result) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result));
    const double items = result ? -1 : ITEMS / simkit_clock_now(world);
    simkit_world_close(world);
    return items;
}

int main(int argc, char **argv)
{
    static const size_t buffers[BUFFERS] = { 1, 2, 4, 8, 16, 32 };
    double items[BUFFERS];
    bool near = true;
    svg picture;

    printf("buffer   simulated    theory\n");
    for (int i = 0; i < BUFFERS; ++i) {
        const double b = (double)buffers[i], theory = (b + 2) / (b + 3);
        if ((items[i] = throughput(buffers[i])) < 0) return 1;
        printf("%6.0f   %7.3f/s  %7.3f/s  %.*s\n", b, items[i], theory, (int)(50 * items[i] + 0.5),
               "##################################################");
        near = near && fabs(items[i] / theory - 1) < 0.01;
    }
    printf("\n%s\n", near ? "simulation and theory agree within 1 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 1 %");

    svg_open(&picture, svg_asked(argc, argv), "What a buffer between two stages of a pipeline is worth", 860, 360);
    svg_plot(&picture, 100, 640, (svg_axis){ .label = "items in the buffer", .to = 33 },
             (svg_axis){ .label = "throughput [items/s]", .from = 0.7, .to = 1 });
    svg_begin(&picture, SVG_LINE, svg_colours[0], "theory");
    for (double b = 1; b <= 32; b += 0.25) svg_at(&picture, b, (b + 2) / (b + 3));
    svg_end(&picture);
    svg_begin(&picture, SVG_POINTS, svg_colours[1], "simulated");
    for (int i = 0; i < BUFFERS; ++i) svg_at(&picture, (double)buffers[i], items[i]);
    svg_end(&picture);
    return !svg_close(&picture) || !near;
}
