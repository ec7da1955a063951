/* tests/differential/network_play.h   Plays a program in a world, and keeps what happens. */
#ifndef NETWORK_PLAY_H
#define NETWORK_PLAY_H

#include "network_program.h"

typedef enum event { ANSWERED, DONE, LOST, ENDED } event;

static const char *const event_names[] = { "answers", "is done", "is lost", "run ends" };

typedef struct entry {
    double time;
    int op;
    event event;
    int result;
    double rows[MOST_LINKS]; /* rows that each link had taken of its table before that; or of the whole run */
    double bytes[MOST_LINKS][2]; /* of a load map that is read; negative: there is none */
} entry;

enum { MOST_ENTRIES = 2 * MOST_OPS + 1 };

typedef struct player {
    simkit_world *w;
    simkit_loadmap *map;
    const program *p;
    simkit_transfer transfer[MOST_OPS];
    int count;
    entry entries[MOST_ENTRIES];
} player;

static player playing;
static int numbers[MOST_OPS];

/* A note of what has happened; what an operation answers is noted later. The rows that were taken are known to the engine only:
 * at one instant they may come before or after anything else. */
static entry *note(int op, event event)
{
    if (playing.count == MOST_ENTRIES) abort();
    entry *e = &playing.entries[playing.count++];
    memset(e, 0, sizeof *e);
    e->time = simkit_clock_now(playing.w);
    e->op = op;
    e->event = event;
    for (int l = 0; l < playing.p->links; ++l) {
        const simkit__course *course = playing.w->wires[l].course;
        e->rows[l] = course ? course->round * (double)course->count + (double)course->at : 0;
        for (int side = 0; side < 2; ++side) e->bytes[l][side] = -1;
    }
    return e;
}

static void note_map(entry *e)
{
    for (int l = 0; l < playing.p->links && playing.map; ++l)
        for (int side = 0; side < 2; ++side) e->bytes[l][side] = simkit_loadmap_bytes(playing.map, (simkit_link)l + 1, side != 0);
}

static void act(int i);

static void act_children(int of)
{
    for (int i = of + 1; i < playing.p->count; ++i)
        if (playing.p->ops[i].by == of) act(i);
}

static void play_step(simkit_world *w, void *user)
{
    (void)w;
    act(*(int *)user);
}

static void play_done(simkit_world *w, void *user)
{
    (void)w;
    note(*(int *)user, DONE);
    act_children(*(int *)user);
}

static void play_lost(simkit_world *w, void *user)
{
    (void)w;
    note(*(int *)user, LOST);
    act_children(*(int *)user);
}

static int act_start(simkit_world *w, const op *o, int i)
{
    const simkit_transfer_desc desc = { .from = (simkit_node)o->a,
                                        .to = (simkit_node)o->b,
                                        .bytes = o->x[0],
                                        .weight = o->x[1],
                                        .rate_limit = o->x[2],
                                        .in_order = o->flag,
                                        .done = play_done,
                                        .lost = play_lost,
                                        .user = &numbers[i] };
    return simkit_transfer_start(w, &desc, &playing.transfer[i]);
}

static int act_follow(simkit_world *w, const op *o)
{
    simkit_link_point rows[MOST_ROWS];
    for (int k = 0; k < o->n; ++k) rows[k] = (simkit_link_point){ o->rows[k][0], o->rows[k][1] };
    return simkit_link_follow(w, (simkit_link)o->a, rows, (size_t)o->n, o->x[0]);
}

static int act_route(simkit_world *w, const op *o)
{
    simkit_hop hops[MOST_LINKS];
    for (int k = 0; k < o->n; ++k) hops[k] = (simkit_hop){ (simkit_link)(o->hops[k] / 2) + 1, o->hops[k] % 2 != 0 };
    const simkit_node from = (simkit_node)o->a, to = (simkit_node)o->b;
    return o->x[0] > 0 ? simkit_route_direct(w, from, to, hops, (size_t)o->n, o->flag)
                       : simkit_route_set(w, from, to, hops, (size_t)o->n, o->flag);
}

static int act_map(simkit_world *w, kind kind)
{
    if (kind == MAP_OPEN) return playing.map ? SIMKIT_OK : (int)simkit_loadmap_open(w, &playing.map);
    simkit_loadmap_close(playing.map);
    playing.map = NULL;
    return SIMKIT_OK;
}

static void act(int i)
{
    simkit_world *w = playing.w;
    const op *o = &playing.p->ops[i];
    if (o->kind == NOTHING) return;
    entry *e = note(i, ANSWERED);
    switch (o->kind) {
    case START: e->result = act_start(w, o, i); break;
    case CANCEL: e->result = simkit_transfer_cancel(w, playing.transfer[o->a]); break;
    case CHANGE: e->result = simkit_link_change(w, (simkit_link)o->a, o->x[0], o->x[1]); break;
    case FAIL: e->result = simkit_link_fail(w, (simkit_link)o->a); break;
    case REPAIR: e->result = simkit_link_repair(w, (simkit_link)o->a); break;
    case FOLLOW: e->result = act_follow(w, o); break;
    case ROUTE: e->result = act_route(w, o); break;
    case PAIR: e->result = simkit_pair_set(w, (simkit_node)o->a, (simkit_node)o->b, &(netmodel_link){ o->x[0], o->x[1] }); break;
    case NODE_FAIL: e->result = simkit_node_fail(w, (simkit_node)o->a); break;
    case MAP_OPEN:
    case MAP_CLOSE: e->result = act_map(w, o->kind); break;
    case MAP_READ: note_map(e); break;
    default: break;
    }
}

static void must(simkit_result result)
{
    if (result == SIMKIT_OK) return;
    printf("%s\n", simkit_world_why(playing.w));
    abort();
}

static void play(const program *p)
{
    memset(&playing, 0, sizeof playing);
    playing.p = p;
    must(simkit_world_open(&(simkit_world_desc){ .sharing = p->maxmin ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL,
                                                 .latency = p->latency,
                                                 .pair_duplex = p->pair_duplex,
                                                 .slow_links = true },
                           &playing.w));
    simkit_world *w = playing.w;
    for (int i = 0; i < p->nodes; ++i)
        must(simkit_node_add(w,
                             &(simkit_node_desc){ .up_bandwidth = p->up[i], .down_bandwidth = p->down[i], .duplex = p->node_duplex[i] },
                             NULL));
    for (int i = 0; i < p->links; ++i)
        must(simkit_link_add(
            w, &(simkit_link_desc){ .bandwidth = p->bandwidth[i], .latency = p->link_latency[i], .duplex = p->duplex[i] }, NULL));
    for (int i = 1; i < p->count; ++i) {
        const op *o = &p->ops[i];
        numbers[i] = i;
        if (o->kind == NOTHING || o->by != 0) continue;
        if (o->time < 0)
            act(i);
        else
            must(simkit_step_at(w, o->time, 0, play_step, &numbers[i], NULL));
    }
    const int result = simkit_world_run(w);
    entry *e = note(0, ENDED);
    e->result = result;
    note_map(e);
    simkit_world_close(w);
}

#endif
