/* Room probe of simkit.h: what observers hear of events, transfers and links, how they come and go; and what can be asked of
 * transfers and links meanwhile. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "hook.h"
#include "network.h"

static char heard[4000];

__attribute__((format(printf, 1, 2))) static void hear(const char *format, ...)
{
    va_list arguments;
    const size_t used = strlen(heard);
    va_start(arguments, format);
    vsnprintf(heard + used, sizeof heard - used, format, arguments);
    va_end(arguments);
}

static void add(const simkit_probe *probe, void *user)
{
    heard[0] = 0;
    succeeds(simkit_probe_add(world, probe, user));
}

static void nothing(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

/*=============================================================================
 * Events
 *===========================================================================*/
enum { PLACES = 100 };
static struct {
    uint64_t numbers[PLACES]; /* by place: of events that are pending */
    int armed, due, foreign;  /* foreign: due without being armed */
    uint64_t last;
    bool background;
} events;

static void hear_armed(const simkit_world *w, void *user, const simkit_probe_event *event)
{
    (void)w, (void)user;
    assert_true(event->place < PLACES && event->number != 0);
    assert_false(event->background);
    ++events.armed;
    events.numbers[event->place] = events.last = event->number;
}

static void hear_due(const simkit_world *w, void *user, const simkit_probe_event *event)
{
    (void)w, (void)user;
    assert_true(event->place < PLACES);
    const bool known = events.numbers[event->place] == event->number;
    if (known) events.numbers[event->place] = 0;
    ++*(known ? &events.due : &events.foreign);
    events.background = event->background;
}

static const simkit_probe of_events = { .armed = hear_armed, .due = hear_due };

static void steps_are_asked_for_and_due(void **state)
{
    simkit_step step[8], more;
    (void)state;
    memset(&events, 0, sizeof events);
    succeeds(simkit_step_at(world, 1, 0, nothing, NULL, &step[0])); /* before anybody looks */
    add(&of_events, NULL);
    for (int i = 1; i < 8; ++i) {
        succeeds(simkit_step_at(world, i, 0, nothing, NULL, &step[i]));
        assert_int_equal(events.last, step[i]);
    }
    assert_true(simkit_step_cancel(world, step[3]));
    assert_true(simkit_step_background(world, step[7]));
    succeeds(simkit_step_at(world, 3, 0, nothing, NULL, &more));
    assert_int_equal(events.last, more);
    succeeds(simkit_world_run_until(world, 6));
    assert_int_equal(events.armed, 8);
    assert_int_equal(events.due, 6);
    assert_int_equal(events.foreign, 1);
    assert_false(events.background);
    succeeds(simkit_world_run_until(world, 7));
    assert_true(events.background);
    assert_int_equal(events.due, 7);
    simkit_probe_remove(world, NULL);
    succeeds(simkit_step_after(world, 1, 0, nothing, NULL, NULL));
    succeeds(simkit_world_run(world));
    assert_int_equal(events.armed + events.due, 15);
}

/* The end of a computation is the engine's; that a loss is reported at this instant, what ran before has asked for. */
static void losses_are_asked_for(void **state)
{
    ended e = { 0 };
    (void)state;
    memset(&events, 0, sizeof events);
    for (int i = 0; i < 2; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 64 });
    add(&of_events, NULL);
    succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = 1, .seconds = 1 }, NULL));
    send(2, 1, 640, &e);
    succeeds(simkit_world_run_until(world, 2));
    assert_int_equal(events.armed + events.due, 0);
    assert_int_equal(events.foreign, 2); /* the computation has ended, the bytes have begun to flow */
    succeeds(simkit_node_fail(world, 2));
    assert_int_equal(events.armed, 1);
    succeeds(simkit_world_run(world));
    assert_int_equal(events.due, 1);
    assert_int_equal(e.lost, 1);
}

#ifndef SIMKIT_NO_PROCESSES
static simkit_mailbox box;

static void takes(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_wait(w, 1)); /* a time of its own is not asked for */
    succeeds(simkit_process_receive(w, box, &(simkit_message){ 0 }));
}

static void gives(simkit_world *w, void *user)
{
    const simkit_post_desc message = { .from = 1, .to = box };
    (void)user;
    succeeds(simkit_process_wait(w, 2));
    const int before = events.armed;
    succeeds(simkit_mailbox_post(w, &message, NULL));
    assert_true(events.armed > before); /* by this process: the one that waits resumes */
}

static void processes_are_resumed(void **state)
{
    (void)state;
    memset(&events, 0, sizeof events);
    add_node(NULL);
    succeeds(simkit_mailbox_open(world, 1, "box", &box));
    add(&of_events, NULL);
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .node = 1, .body = takes }, NULL));
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .node = 1, .body = gives }, NULL));
    succeeds(simkit_world_run(world));
    assert_int_equal(events.armed, events.due);
}
#endif

/*=============================================================================
 * Transfers
 *===========================================================================*/
static void hear_rate(const simkit_world *w, void *user, simkit_transfer transfer, double rate, uint64_t *own)
{
    double *last = (double *)user;
    simkit_transfer_state now;
    assert_true(simkit_transfer_get(w, transfer, &now) && now.flows && now.rate == rate);
    if (*own == 0) *own = now.to;
    assert_int_equal(*own, now.to);
    if (last[now.to] != rate) hear("%g s: to %u %g B/s\n", simkit_clock_now(w), now.to, rate);
    last[now.to] = rate;
}

static void hear_ended(const simkit_world *w, void *user, simkit_transfer transfer, uint64_t *own)
{
    simkit_transfer_state now;
    (void)user;
    assert_true(simkit_transfer_get(w, transfer, &now) && !now.lost);
    assert_true(now.from == now.to || now.left <= 1e-9 * now.bytes);
    hear("%g s: to %u ended, %u\n", simkit_clock_now(w), now.to, (unsigned)*own);
}

static void hear_lost(const simkit_world *w, void *user, simkit_transfer transfer, uint64_t *own)
{
    simkit_crossing all[4];
    simkit_transfer_state now;
    (void)user;
    assert_true(simkit_transfer_get(w, transfer, &now));
    assert_int_equal(simkit_transfer_crosses(w, transfer, all, 4), 1); /* it is still there */
    hear("%g s: to %u lost, %u\n", simkit_clock_now(w), now.to, (unsigned)*own);
}

static const simkit_probe of_transfers = { .rate = hear_rate, .ended = hear_ended, .lost = hear_lost };

/* Two share a link of 64 B/s, until one ends; then a third is cancelled, and the link fails. */
static void rates_are_told_when_they_change(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        double last[5] = { 0 };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        add_nodes(4);
        const simkit_link link = add_link(64, 0, 0);
        for (simkit_node to = 2; to <= 4; ++to) route(1, to, &link, 1);
        add(&of_transfers, last);
        send(1, 2, 64, NULL);
        send(1, 3, 640, NULL);
        succeeds(simkit_world_run_until(world, 3));
        assert_true(simkit_transfer_cancel(world, send(1, 4, 64, NULL))); /* it has never flowed */
        const simkit_transfer third = send(1, 4, 640, NULL);
        succeeds(simkit_world_run_until(world, 4));
        assert_true(simkit_transfer_cancel(world, third));
        succeeds(simkit_world_run_until(world, 5));
        succeeds(simkit_link_change(world, link, 16, 0));
        succeeds(simkit_world_run_until(world, 6));
        succeeds(simkit_link_fail(world, link));
        send(1, 1, 1, NULL);
        succeeds(simkit_world_run(world));
        const char *at_3 = strstr(heard, "3 s: to 3 32 B/s\n3 s: to 4 32 B/s\n"); /* in some order, always the same */
        if (!at_3) at_3 = strstr(heard, "3 s: to 4 32 B/s\n3 s: to 3 32 B/s\n");
        assert_non_null(at_3);
        memset(heard + (at_3 - heard), '.', strlen("3 s: to 3 32 B/s\n3 s: to 4 32 B/s\n"));
        assert_string_equal(heard, "0 s: to 2 32 B/s\n0 s: to 3 32 B/s\n2 s: to 2 ended, 2\n2 s: to 3 64 B/s\n"
                                   "3 s: to 4 lost, 0\n..................................4 s: to 4 lost, 4\n"
                                   "4 s: to 3 64 B/s\n5 s: to 3 16 B/s\n6 s: to 3 lost, 3\n6 s: to 1 ended, 0\n");
    }
}

/* An observer that comes later has all rates told; the numbers of others are not its own. */
static void rates_can_be_asked_for(void **state)
{
    double first[4] = { 0 }, second[4] = { 0 };
    (void)state;
    add_nodes(3);
    const simkit_link link = add_link(64, 0, 0);
    route(1, 2, &link, 1);
    route(1, 3, &link, 1);
    add(&of_transfers, first);
    send(1, 2, 640, NULL);
    send(1, 3, 640, NULL);
    succeeds(simkit_world_run_until(world, 1));
    add(&of_transfers, second);
    simkit_probe_rates(world, second);
    assert_string_equal(heard, "1 s: to 2 32 B/s\n1 s: to 3 32 B/s\n");
    simkit_probe_rates(world, NULL);
    simkit_probe_rates(NULL, second);
    heard[0] = 0;
    succeeds(simkit_link_change(world, link, 32, 0));
    succeeds(simkit_world_run_until(world, 2));
    assert_string_equal(heard, "1 s: to 2 16 B/s\n1 s: to 3 16 B/s\n1 s: to 2 16 B/s\n1 s: to 3 16 B/s\n");
}

static void state_of_a_transfer(void **state)
{
    simkit_transfer_state now;
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .latency = 0.5 });
        add_node(&(simkit_node_desc){ .up_bandwidth = 64, .burst = 32 });
        add_node(NULL);
        const simkit_transfer burst = send(1, 2, 160, NULL);
        assert_true(simkit_transfer_get(world, burst, &now));
        assert_true(now.from == 1 && now.to == 2 && now.bytes == 160 && now.left == 160 && now.rate == 0);
        assert_false(now.flows || now.lost);
        succeeds(simkit_world_run_until(world, 1));
        assert_true(simkit_transfer_get(world, burst, &now));
        assert_true(now.flows && now.rate == 64);
        assert_close(now.left, 160 - 32 - 32, 1e-14);
        succeeds(simkit_world_run(world));
        assert_false(simkit_transfer_get(world, burst, &now));
        assert_true(now.from == 0 && now.bytes == 0);
        /* with a link of its own; and to itself */
        succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 1 / 16.0 }));
        succeeds(simkit_pair_set(world, 2, 2, &(netmodel_link){ 1, 1 / 8.0 }));
        const simkit_transfer own = send(1, 2, 160, NULL), self = send(2, 2, 80, NULL);
        const double begin = simkit_clock_now(world);
        succeeds(simkit_world_run_until(world, begin + 5));
        assert_true(simkit_transfer_get(world, own, &now));
        assert_close(now.rate, 16, 1e-14);
        assert_close(now.left, 80, 1e-14);
        assert_true(simkit_transfer_get(world, self, &now));
        assert_close(now.rate, 8, 1e-14);
        assert_close(now.left, 80 - 4 * 8, 1e-14);
        succeeds(simkit_node_fail(world, 1));
        assert_true(simkit_transfer_get(world, own, &now));
        assert_true(now.lost && !now.flows && now.rate == 0);
        assert_true(simkit_transfer_get(world, self, NULL));
        succeeds(simkit_world_run(world));
        assert_false(simkit_transfer_get(world, self, NULL));
        assert_false(simkit_transfer_get(NULL, self, &now));
        assert_false(simkit_transfer_get(world, 0, &now));
    }
}

static void crossings_of_a_transfer(void **state)
{
    simkit_crossing all[8];
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .pair_duplex = 1.5 });
        add_node(&(simkit_node_desc){ .up_bandwidth = 64, .down_bandwidth = 64, .duplex = 1.5 });
        add_node(&(simkit_node_desc){ .down_bandwidth = 64 });
        add_node(NULL);
        const simkit_link links[] = { add_link(64, 0, 1.5), add_link(0, 0, 0), add_link(16, 0, 0) };
        assert_int_equal(simkit_transfer_crosses(world, send(1, 2, 64, NULL), all, 8), 2);
        assert_true(all[0].node == 1 && all[0].link == 0 && !all[0].back);
        assert_true(all[1].node == 2 && all[1].link == 0 && all[1].back);
        route(1, 3, links, 3);
        simkit_transfer_desc desc = { .from = 3, .to = 1, .bytes = 64, .rate_limit = 10, .weight = 2 };
        simkit_transfer transfer;
        succeeds(simkit_transfer_start(world, &desc, &transfer));
        assert_int_equal(simkit_transfer_crosses(world, transfer, NULL, 0), 3);
        assert_int_equal(simkit_transfer_crosses(world, transfer, all, 2), 3);
        assert_int_equal(simkit_transfer_crosses(world, transfer, all, 8), 3); /* the second has no bandwidth */
        assert_true(all[0].link == 3 && all[0].back && all[0].node == 0);
        assert_true(all[1].link == 1 && all[1].back);
        assert_true(all[2].node == 1 && all[2].back);
        succeeds(simkit_link_change(world, 2, 32, 0));
        assert_int_equal(simkit_transfer_crosses(world, transfer, all, 8), 4);
        succeeds(
            simkit_pair_set(world, 1, 2, &(netmodel_link){ 1, 1 / 8.0 })); /* its own link is none that has a name */
        assert_int_equal(simkit_transfer_crosses(world, send(1, 2, 64, NULL), all, 8), 2);
        succeeds(simkit_route_direct(world, 1, 2, &(simkit_hop){ .link = links[0] }, 1, false));
        assert_int_equal(simkit_transfer_crosses(world, send(1, 2, 64, NULL), all, 8), 1);
        succeeds(simkit_pair_set(world, 2, 2, &(netmodel_link){ 1, 1 }));
        assert_int_equal(simkit_transfer_crosses(world, send(2, 2, 64, NULL), all, 8), 0);
        assert_int_equal(simkit_transfer_crosses(NULL, transfer, all, 8), 0);
        assert_int_equal(simkit_transfer_crosses(world, 0, all, 8), 0);
        succeeds(simkit_world_run(world));
        assert_int_equal(simkit_transfer_crosses(world, transfer, all, 8), 0);
    }
}

/* An observer adds up rates times time in a record of each transfer: what is left must be the rest. */
enum { FLOWS = 200 };
static struct record {
    double since, rate, sent;
    bool ended;
} records[FLOWS + 1];
static uint64_t used;
static double largest; /* deviation, as a part of the size */

static uint64_t dice;
static unsigned draw(unsigned below)
{
    dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(dice >> 33) % below;
}

static void check_left(const simkit_world *w, simkit_transfer transfer, struct record *r)
{
    simkit_transfer_state now;
    assert_true(simkit_transfer_get(w, transfer, &now));
    if (r->rate < (double)INFINITY) r->sent += r->rate * (simkit_clock_now(w) - r->since);
    r->since = simkit_clock_now(w);
    largest = fmax(largest, fabs(now.bytes - now.left - r->sent) / now.bytes);
}

static void sum_rate(const simkit_world *w, void *user, simkit_transfer transfer, double rate, uint64_t *own)
{
    simkit_transfer_state now;
    (void)user;
    if (*own == 0) {
        assert_true(simkit_transfer_get(w, transfer, &now));
        *own = ++used;
        assert_true(used <= FLOWS);
        records[used] = (struct record){ .since = simkit_clock_now(w), .sent = now.bytes - now.left };
    }
    assert_false(records[*own].ended);
    check_left(w, transfer, &records[*own]);
    records[*own].rate = rate;
}

static void sum_ended(const simkit_world *w, void *user, simkit_transfer transfer, uint64_t *own)
{
    (void)user;
    if (*own == 0) return;
    check_left(w, transfer, &records[*own]);
    records[*own].ended = true;
}

static const simkit_probe sums = { .rate = sum_rate, .ended = sum_ended, .lost = sum_ended };

static double some(void)
{
    return 1 + draw(1000) / 7.0;
}

static void some_network(unsigned nodes, unsigned links)
{
    for (unsigned i = 0; i < nodes; ++i)
        add_node(&(simkit_node_desc){ .up_bandwidth = draw(3) ? some() : 0,
                                      .down_bandwidth = draw(3) ? some() : 0,
                                      .burst = draw(3) ? 0 : some(),
                                      .duplex = draw(4) ? 0 : 1.25 });
    for (unsigned i = 0; i < links; ++i) add_link(draw(5) ? some() : 0, draw(3) / 64.0, draw(3) ? 0 : 1.5);
    for (unsigned i = 0; i < 8; ++i) {
        const simkit_node from = 1 + draw(nodes), to = 1 + draw(nodes);
        const simkit_link way[] = { 1 + draw(links), 1 + draw(links) };
        if (from != to) route(from, to, way, way[0] == way[1] ? 1 : 2);
    }
    if (draw(2)) whatever(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 1 / some() })); /* it may be too fast */
}

static uint64_t some_run(uint64_t seed, bool observed)
{
    enum { NODES = 5, LINKS = 4 };
    simkit_transfer last = 0;
    dice = seed;
    used = 0;
    reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)(seed % 2), .pair_duplex = draw(4) ? 0 : 1.5 });
    some_network(NODES, LINKS);
    succeeds(simkit_fingerprint_begin(world));
    if (observed) succeeds(simkit_probe_add(world, &sums, NULL));
    for (int round = 0; round < 40; ++round) {
        for (unsigned i = draw(5); i > 0; --i) {
            const simkit_transfer_desc desc = { .from = 1 + draw(NODES),
                                                .to = 1 + draw(NODES),
                                                .bytes = some(),
                                                .weight = draw(3),
                                                .rate_limit = draw(4) ? 0 : some() };
            if (simkit_transfer_start(world, &desc, &last) != SIMKIT_OK) last = 0;
        }
        if (draw(6) == 0) (void)simkit_transfer_cancel(world, last);
        if (draw(4) == 0) succeeds(simkit_link_change(world, 1 + draw(LINKS), some(), 0));
        if (draw(8) == 0) succeeds(simkit_link_repair(world, 1));
        if (draw(12) == 0 && simkit_link_fail(world, 1) != SIMKIT_OK) continue;
        succeeds(simkit_world_run_until(world, simkit_clock_now(world) + draw(64) / 64.0));
        simkit_probe_rates(world, NULL);
    }
    succeeds(simkit_world_run(world));
    return simkit_fingerprint_value(world);
}

static void rates_add_up_and_change_nothing(void **state)
{
    (void)state;
    largest = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
        const uint64_t alone = some_run(seed, false);
        assert_int_equal(some_run(seed, true), alone);
        assert_true(used > 20);
        for (uint64_t i = 1; i <= used; ++i) assert_true(records[i].ended);
    }
    assert_true(largest < 1e-9);
}

/*=============================================================================
 * Links
 *===========================================================================*/
static void hear_link(const simkit_world *w, void *user, simkit_link link, simkit_probe_change change)
{
    static const char *const words[] = { "changes", "fails", "is repaired" };
    bool failed;
    (void)user;
    const double bandwidth = simkit_link_bandwidth(w, link, &failed);
    hear("%g s: link %u of %g B/s%s %s\n", simkit_clock_now(w), link, bandwidth, failed ? ", failed," : "",
         words[change]);
}

static const simkit_probe of_links = { .link = hear_link };

static void links_change(void **state)
{
    bool failed = true;
    (void)state;
    add_link(64, 0, 0);
    add_link(0, 0, 0);
    assert_equal(simkit_link_bandwidth(world, 1, &failed), 64);
    assert_false(failed);
    assert_equal(simkit_link_bandwidth(world, 2, NULL), (double)INFINITY);
    assert_true(isnan(simkit_link_bandwidth(world, 3, &failed)) && isnan(simkit_link_bandwidth(world, 0, NULL)));
    assert_true(isnan(simkit_link_bandwidth(NULL, 1, NULL)));
    add(&of_links, NULL);
    succeeds(simkit_link_change(world, 2, 16, 0));
    succeeds(simkit_link_change(world, 2, 16, 0.5)); /* only its latency */
    succeeds(simkit_link_repair(world, 1));          /* it works */
    succeeds(simkit_link_fail(world, 1));
    assert_int_equal(simkit_link_fail(world, 1), SIMKIT_LINK_FAILED);
    succeeds(simkit_link_change(world, 1, 32, 0));
    const simkit_link_point points[] = { { 1, 8 }, { 2, 0 }, { 3, 8 } };
    succeeds(simkit_link_follow(world, 1, points, 3, 0));
    succeeds(simkit_world_run_until(world, 5));
    assert_string_equal(heard, "0 s: link 2 of inf B/s changes\n0 s: link 1 of 64 B/s fails\n"
                               "0 s: link 1 of 64 B/s, failed, changes\n1 s: link 1 of 32 B/s, failed, is repaired\n"
                               "1 s: link 1 of 32 B/s changes\n2 s: link 1 of 8 B/s fails\n"
                               "3 s: link 1 of 8 B/s, failed, is repaired\n");
}

/*=============================================================================
 * Coming and going
 *===========================================================================*/
static void hear_close(simkit_world *w, void *user)
{
    assert_null(simkit_probe_find(w, (const simkit_probe *)user));
    simkit_probe_remove(w, user);
    hear("close %u nodes\n", simkit_node_count(w));
}

static void hear_reset(simkit_world *w, void *user)
{
    (void)user;
    hear("reset %u nodes, %g s\n", simkit_node_count(w), simkit_clock_now(w));
}

static void closes_another(simkit_world *w, void *user)
{
    hear("closes another\n");
    simkit_probe_remove(w, (char *)user + 1);
}

static const simkit_probe closes = { .close = hear_close }, resets = { .reset = hear_reset, .close = hear_close },
                          removes = { .close = closes_another };

static void they_come_and_go(void **state)
{
    char places[2];
    (void)state;
    assert_null(simkit_probe_find(world, &closes));
    assert_null(simkit_probe_find(NULL, &closes));
    add(&closes, (void *)(uintptr_t)&closes);
    assert_ptr_equal(simkit_probe_find(world, &closes), &closes);
    assert_int_equal(simkit_probe_add(world, &resets, (void *)(uintptr_t)&closes), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a probe has the same user as another one of this world");
    assert_int_equal(simkit_probe_add(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a probe needs its functions");
    assert_int_equal(simkit_probe_add(NULL, &closes, NULL), SIMKIT_BAD_ARGUMENT);
    simkit_probe_remove(world, places);
    simkit_probe_remove(NULL, places);
    add_node(NULL);
    add(&resets, (void *)(uintptr_t)&resets);
    succeeds(simkit_step_at(world, 1, 0, nothing, NULL, NULL));
    succeeds(simkit_world_run(world));
    succeeds(simkit_world_reset(world, NULL));
    assert_string_equal(heard, "close 1 nodes\nreset 0 nodes, 0 s\n"); /* one ends, the other goes on */
    assert_null(simkit_probe_find(world, &closes));
    assert_ptr_equal(simkit_probe_find(world, &resets), &resets);
    add_node(NULL);
    succeeds(simkit_probe_add(world, &closes, (void *)(uintptr_t)&closes));
    succeeds(simkit_probe_add(world, &closes, places + 1));
    add(&removes, places);
    reopen_world(NULL);
    assert_string_equal(heard, "closes another\nclose 1 nodes\nclose 1 nodes\n"); /* the latest first */
}

/* A transfer of the run before has left no number, and events are heard again. */
static void they_go_on_after_a_reset(void **state)
{
    static const simkit_probe all = { .due = hear_due, .rate = sum_rate, .ended = sum_ended, .reset = hear_reset };
    (void)state;
    memset(&events, 0, sizeof events);
    add(&all, NULL);
    for (int run = 0; run < 3; ++run) {
        used = 0;
        for (int i = 0; i < 2; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 64 });
        for (int i = 0; i < 20; ++i) send(1, 2, 64, NULL);
        succeeds(simkit_world_run_until(world, 1));
        assert_int_equal(used, 20);
        assert_int_equal(events.foreign, 20 * (run + 1));
        succeeds(simkit_world_reset(world, NULL));
    }
}

static simkit_result refused;

static void runs(const simkit_world *w, void *user, const simkit_probe_event *event)
{
    (void)user, (void)event;
    refused = simkit_world_run((simkit_world *)(uintptr_t)w);
}

static void runs_at_a_rate(const simkit_world *w, void *user, simkit_transfer transfer, double rate, uint64_t *own)
{
    (void)transfer, (void)rate, (void)own;
    runs(w, user, NULL);
}

static void they_cannot_run_the_world(void **state)
{
    static const simkit_probe at_events = { .armed = runs }, at_rates = { .rate = runs_at_a_rate };
    (void)state;
    refused = SIMKIT_OK;
    for (int i = 0; i < 2; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 64 });
    add(&at_events, NULL);
    succeeds(simkit_step_at(world, 1, 0, nothing, NULL, NULL));
    assert_int_equal(refused, SIMKIT_BAD_CALL);
    simkit_probe_remove(world, NULL);
    send(1, 2, 640, NULL);
    succeeds(simkit_world_run_until(world, 2));
    refused = SIMKIT_OK;
    add(&at_rates, NULL);
    simkit_probe_rates(world, NULL);
    assert_int_equal(refused, SIMKIT_BAD_CALL);
    succeeds(simkit_world_run_until(world, 3)); /* and from then on it can */
}

/* Memory runs out: a probe is not added, or its numbers are not kept, and the run goes on. */
static int unkept;

static void needs_a_number(const simkit_world *w, void *user, simkit_transfer transfer, double rate, uint64_t *own)
{
    (void)w, (void)user, (void)transfer, (void)rate;
    unkept += own == NULL;
}

static void memory_is_refused(void **state)
{
    static const simkit_probe needs = { .rate = needs_a_number };
    (void)state;
    simkit_world_close(world);
    for (int allowed = 0; allowed < 2; ++allowed) {
        hook h = { .left = -1 };
        ended e = { 0 };
        unkept = 0;
        succeeds(simkit_world_open(&(simkit_world_desc){ .memory = { reallocate, &h } }, &world));
        for (int i = 0; i < 2; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 64 });
        for (int i = 0; i < 20; ++i) send(1, 2, 64, &e);
        h.left = allowed;
        assert_int_equal(simkit_probe_add(world, &needs, NULL), allowed ? SIMKIT_OK : SIMKIT_NO_MEMORY);
        succeeds(simkit_world_run(world));
        assert_int_equal(e.done, 20);
        assert_int_equal(unkept > 0, allowed);
        simkit_world_close(world);
        assert_int_equal(h.blocks, 0);
    }
    succeeds(simkit_world_open(NULL, &world));
}

/* What is left for others and taken, by callbacks: a message, units, what a barrier is for; and in order, as a watcher sees it. */
static char passes[400];

static void hear_pass(const simkit_world *w, void *user, const simkit_probe_pass *pass)
{
    const size_t used = strlen(passes);
    (void)w, (void)user;
    snprintf(passes + used, sizeof passes - used, "%s%d%c%lu/%lu", used ? " " : "", (int)pass->thing,
             pass->taken ? '-' : '+', (unsigned long)pass->count, (unsigned long)pass->available);
}

static void got_message(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w, (void)user;
    assert_non_null(message);
}

static void got(simkit_world *w, void *user, simkit_result result)
{
    (void)w, (void)user;
    succeeds(result);
}

static void sees_order(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w;
    *(int *)user += event->in_order ? 1 : 100;
}

static void things_are_left_and_taken(void **state)
{
    static const simkit_probe of_passes = { .passed = hear_pass };
    simkit_mailbox box;
    simkit_resource units;
    simkit_barrier fence;
    simkit_step step;
    int ordered = 0;
    (void)state;
    for (int i = 0; i < 2; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 64 });
    succeeds(simkit_mailbox_open(world, 1, NULL, &box));
    succeeds(simkit_resource_open(world, &(simkit_resource_desc){ .capacity = 3, .taken = 1 }, &units));
    succeeds(simkit_barrier_open(world, NULL, 2, &fence));
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, sees_order, &ordered));
    add(&of_passes, NULL);
    succeeds(
        simkit_mailbox_post(world, &(simkit_post_desc){ .from = 2, .to = box, .bytes = 64, .in_order = true }, NULL));
    succeeds(simkit_world_run(world));
    assert_int_equal(ordered, 4);
    assert_string_equal(passes, "0+0/0");
    passes[0] = 0;
    succeeds(simkit_mailbox_take(world, box, got_message, NULL, NULL));
    succeeds(simkit_world_run(world));
    assert_string_equal(passes, "1+0/0 1-0/0 0-0/0");
    passes[0] = 0;
    succeeds(simkit_resource_acquire(world, units, 2, 0, got, NULL, NULL));
    succeeds(simkit_world_run(world));
    succeeds(simkit_resource_release(world, units, 1));
    assert_string_equal(passes, "2+0/0 3-2/2 2-0/0 3+1/0");
    passes[0] = 0;
    for (int i = 0; i < 2; ++i) succeeds(simkit_barrier_arrive(world, fence, got, NULL, NULL));
    succeeds(simkit_world_run(world));
    assert_string_equal(passes, "2+0/0 4+0/0 2+0/0 4+0/0 4-0/0 4+0/0 2-0/0 2-0/0");
    passes[0] = 0;
    succeeds(simkit_step_after(world, 1, 0, nothing, NULL, &step));
    assert_true(simkit_step_cancel(world, step));
    assert_false(simkit_step_cancel(world, step));
    assert_string_equal(passes, "7-0/0");
    passes[0] = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(steps_are_asked_for_and_due),
        WORLD_TEST(losses_are_asked_for),
#ifndef SIMKIT_NO_PROCESSES
        WORLD_TEST(processes_are_resumed),
#endif
        WORLD_TEST(rates_are_told_when_they_change),
        WORLD_TEST(rates_can_be_asked_for),
        WORLD_TEST(state_of_a_transfer),
        WORLD_TEST(crossings_of_a_transfer),
        WORLD_TEST(rates_add_up_and_change_nothing),
        WORLD_TEST(links_change),
        WORLD_TEST(things_are_left_and_taken),
        WORLD_TEST(they_come_and_go),
        WORLD_TEST(they_go_on_after_a_reset),
        WORLD_TEST(they_cannot_run_the_world),
        WORLD_TEST(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
