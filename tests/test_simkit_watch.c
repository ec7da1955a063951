/* Room watch of simkit.h: what watchers see, what they are told of elsewhere, and fingerprints. */
#define _DEFAULT_SOURCE /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include "trace.h"

static char seen[2000];

static void see(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    static const char *const kinds[] = { "", "step", "compute", "", "transfer", "", "", "", "process" };
    static const char *const phases[] = { "asked", "begin", "flow", "wait", "go", "end" };
    (void)user;
    assert_true(event->time == simkit_clock_now(w));
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s %s %g\n",
             event->kind == SIMKIT_WATCH_NODE ? "node" : kinds[event->kind], phases[event->phase], event->time);
}

static void everything_is_seen_in_order(void **state)
{
    (void)state;
    seen[0] = 0;
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, see, NULL), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(seen, "transfer asked 0\ntransfer begin 0\ntransfer asked 0\ntransfer flow 0.5\n"
                              "transfer end 1.5\ntransfer begin 1.5\ntransfer flow 2\ntransfer end 3\n");
    simkit_watch_remove(world, see, NULL);
    simkit_watch_remove(world, see, NULL);
    seen[0] = 0;
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(seen, "");
}

static void tick(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

static void masks_choose_what_is_seen(void **state)
{
    simkit_node node;
    (void)state;
    seen[0] = 0;
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_STEP | SIMKIT_WATCH_NODE, see, NULL), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_step_at(world, 0.25, 0, tick, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_node_add(world, NULL, &node), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_non_null(strstr(seen, "node begin 0\n"));
    assert_non_null(strstr(seen, "step begin 0.25\n"));
    assert_null(strstr(seen, "transfer"));
    assert_null(strstr(seen, "compute"));
    assert_null(strstr(seen, "process"));
    assert_int_equal(simkit_watch_add(world, 0, see, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_watch_add(world, 64, see, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_watch_add(world, 1, NULL, NULL), SIMKIT_BAD_ARGUMENT);
}

/* What a program tells has one of the kinds, and the nodes that its kind needs. */
static void events_of_every_kind_can_be_told(void **state)
{
    static const struct {
        int kind;
        simkit_node node, to;
        simkit_result result;
    } events[] = {
        { SIMKIT_WATCH_STEP, 0, 0, SIMKIT_OK },
        { SIMKIT_WATCH_PROCESS, 0, 0, SIMKIT_OK },
        { SIMKIT_WATCH_NODE, 2, 0, SIMKIT_OK },
        { SIMKIT_WATCH_NODE, 3, 0, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_COMPUTE, 1, 0, SIMKIT_OK },
        { SIMKIT_WATCH_COMPUTE, 0, 0, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_TRANSFER, 1, 2, SIMKIT_OK },
        { SIMKIT_WATCH_TRANSFER, 1, 0, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_TRANSFER, 0, 1, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_TRANSFER, 1, 3, SIMKIT_UNKNOWN_NODE },
        { 0, 1, 2, SIMKIT_BAD_ARGUMENT },
        { 32, 1, 2, SIMKIT_BAD_ARGUMENT },
        { SIMKIT_WATCH_STEP | SIMKIT_WATCH_COMPUTE, 0, 0, SIMKIT_BAD_ARGUMENT }, /* no event is of two kinds */
        { SIMKIT_WATCH_ALL, 1, 2, SIMKIT_BAD_ARGUMENT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; ++i) {
        const simkit_watch_event event = { .kind = (simkit_watch_kind)events[i].kind,
                                           .phase = SIMKIT_PHASE_END,
                                           .node = events[i].node,
                                           .to = events[i].to };
        assert_int_equal(simkit_watch_emit(world, &event), events[i].result);
    }
    assert_int_equal(simkit_watch_emit(world, NULL), SIMKIT_BAD_ARGUMENT);
}

/* Of a world with two steps at one instant, in one order or the other, and a computation. */
static uint64_t fingerprint_of(bool swapped, double seconds, unsigned watched)
{
    simkit_world *w;
    simkit_step first, second;
    simkit_node node;
    succeeds(simkit_world_open(NULL, &w));
    assert_int_equal(simkit_fingerprint_value(w), 0);
    if (watched) succeeds(simkit_watch_add(w, watched, see, NULL));
    assert_int_equal(simkit_fingerprint_begin(w), SIMKIT_OK);
    succeeds(simkit_node_add(w, NULL, &node));
    succeeds(simkit_step_at(w, 1, 0, tick, NULL, &first));
    succeeds(simkit_step_at(w, 1, swapped ? -1 : 0, tick, NULL, &second));
    succeeds(simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = seconds }, NULL));
    succeeds(simkit_world_run_until(w, 0.5));
    simkit_watch_remove(w, see, NULL);
    succeeds(simkit_world_run(w));
    const uint64_t value = simkit_fingerprint_value(w);
    simkit_world_close(w);
    return value;
}

static void a_fingerprint_tells_runs_apart(void **state)
{
    (void)state;
    seen[0] = 0;
    const uint64_t one = fingerprint_of(false, 2, 0);
    assert_true(one != 0);
    assert_true(fingerprint_of(false, 2, 0) == one);
    assert_true(fingerprint_of(false, 2, SIMKIT_WATCH_ALL) == one); /* the watcher is removed before the end */
    assert_true(fingerprint_of(true, 2, 0) != one);
    assert_true(fingerprint_of(false, nextafter(2, 3), 0) != one);
}

static void hear(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    *(double *)user = message ? message->bytes : -1;
}

/* Which receiver gets a message is part of the fingerprint, although no watcher sees it. */
static uint64_t fingerprint_of_a_message(bool lost)
{
    double heard = 0;
    simkit_mailbox box;
    assert_int_equal(simkit_fingerprint_begin(world), SIMKIT_OK); /* anew */
    const uint64_t none = simkit_fingerprint_value(world);
    assert_int_equal(simkit_mailbox_open(world, a, NULL, &box), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_take(world, box, hear, &heard, NULL), SIMKIT_OK);
    if (lost)
        succeeds(simkit_mailbox_close(world, box));
    else
        assert_int_equal(simkit_mailbox_post(world, &(simkit_post_desc){ .from = a, .to = box, .bytes = 3 }, NULL),
                         SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(heard == (lost ? -1 : 3));
    assert_true(simkit_fingerprint_value(world) != none);
    return simkit_fingerprint_value(world);
}

static void a_fingerprint_counts_what_is_received(void **state)
{
    (void)state;
    assert_true(fingerprint_of_a_message(false) != fingerprint_of_a_message(true));
}

static void only_what_happens_is_in_a_fingerprint(void **state)
{
    (void)state;
    assert_int_equal(simkit_fingerprint_begin(world), SIMKIT_OK);
    const uint64_t one = simkit_fingerprint_value(world);
    const simkit_watch_event told = { .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_PHASE_END, .node = a };
    assert_int_equal(simkit_watch_emit(world, &told), SIMKIT_OK);
    assert_true(simkit_fingerprint_value(world) == one);
    assert_int_equal(simkit_fingerprint_begin(NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_fingerprint_value(NULL), 0);
}

typedef struct heard {
    int count;
    double begin, time;
    char name[32];
} heard;

static void hear_event(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    heard *h = (heard *)user;
    (void)w;
    ++h->count;
    h->begin = event->begin;
    h->time = event->time;
    snprintf(h->name, sizeof h->name, "%s", event->name);
}

static void watchers_hear_of_elsewhere(void **state)
{
    heard h;
    simkit_watch_event event;

    (void)state;
    memset(&h, 0, sizeof h);
    memset(&event, 0, sizeof event);
    add_node(NULL);
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_COMPUTE, hear_event, &h), SIMKIT_OK);
    event.kind = SIMKIT_WATCH_COMPUTE;
    event.phase = SIMKIT_PHASE_END;
    event.begin = 3, event.time = 5;
    event.node = 1;
    event.name = "real";
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_OK);
    assert_int_equal(h.count, 1);
    assert_equal(h.begin, 3);
    assert_equal(h.time, 5); /* not now, which is 0 */
    assert_string_equal(h.name, "real");
    event.name = NULL;
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_OK);
    assert_string_equal(h.name, "");
    event.node = 2;
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_UNKNOWN_NODE);
    event.node = 1;
    event.time = 2;
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_BAD_ARGUMENT);
    event.time = NAN;
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_watch_emit(world, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(h.count, 2);
}

typedef struct phases {
    int count;
    simkit_phase phase[8];
    simkit_node node[8];
} phases;

static void note_phase(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    phases *p = (phases *)user;
    (void)w;
    assert_true(p->count < 8);
    p->phase[p->count] = event->phase;
    p->node[p->count++] = event->node;
}

/* A node is seen to come and to fail, once. */
static void the_life_of_a_node_is_seen(void **state)
{
    phases p = { 0, { SIMKIT_PHASE_REQUESTED }, { 0 } };
    (void)state;
    add_node(NULL);
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_NODE, note_phase, &p), SIMKIT_OK);
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_int_not_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_int_equal(p.count, 2);
    assert_true(p.phase[0] == SIMKIT_PHASE_BEGIN && p.phase[1] == SIMKIT_PHASE_LOST);
    assert_true(p.node[0] == node && p.node[1] == node);
}

/* A message within a node takes no time, and is seen as any other: asked for, begun, ended. */
static void a_message_within_a_node_is_seen(void **state)
{
    phases p = { 0, { SIMKIT_PHASE_REQUESTED }, { 0 } };
    simkit_mailbox box;
    (void)state;
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &box), SIMKIT_OK);
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, note_phase, &p), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_post(world, &(simkit_post_desc){ .from = node, .to = box, .bytes = 1 }, NULL),
                     SIMKIT_OK);
    assert_int_equal(p.count, 2);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(p.count >= 3 && p.phase[0] == SIMKIT_PHASE_REQUESTED && p.phase[1] == SIMKIT_PHASE_BEGIN);
    assert_int_equal(p.phase[p.count - 1], SIMKIT_PHASE_END);
}

/* A watcher that wants the world for itself. */
typedef struct meddler {
    bool closes; /* also */
    int calls;
} meddler;

static void meddles(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    meddler *m = (meddler *)user;
    (void)event;
    assert_ptr_equal(w, world);
    ++m->calls;
    assert_int_equal(simkit_world_run(world), SIMKIT_BAD_CALL);
    assert_non_null(strstr(simkit_world_why(world), " s: a run was started "));
    assert_int_equal(simkit_world_run_until(world, simkit_clock_now(world) + 1), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_world_reset(world, NULL), SIMKIT_BAD_CALL);
    assert_non_null(strstr(simkit_world_why(world), " s: simkit_world_reset was called "));
    if (!m->closes) return;
    simkit_world_close(world);
    assert_non_null(strstr(simkit_world_why(world), " s: simkit_world_close was called "));
    assert_non_null(strstr(simkit_world_why(world), "; the world stays open"));
}

/* After each of these, which report outside a run, the world is open, and a run is possible. */
static void a_watcher_outside_a_run_does_not_get_the_world(void **state)
{
    meddler m = { true, 0 };
    simkit_computation computation;
    simkit_transfer transfer;
    simkit_mailbox box;
    simkit_node node;
    simkit_link link;
    int calls = 0;
    (void)state;
#define REPORTS(call)                                                                                                  \
    do {                                                                                                               \
        succeeds(call);                                                                                                \
        assert_true(m.calls > calls);                                                                                  \
        assert_non_null(strstr(simkit_world_why(world), "by a watcher or the logger"));                                \
        calls = m.calls;                                                                                               \
    } while (0)
    succeeds(simkit_mailbox_open(world, b, NULL, &box));
    succeeds(simkit_link_add(world, &(simkit_link_desc){ .bandwidth = 1e6 }, &link));
    succeeds(simkit_route_set(world, a, b, &(simkit_hop){ .link = link }, 1, false));
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, meddles, &m));
    REPORTS(simkit_node_add(world, NULL, &node));
    REPORTS(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6 }, &transfer));
    assert_why("at 0 s: simkit_world_close was called by a watcher or the logger; the world stays open");
    REPORTS(simkit_transfer_cancel(world, transfer) ? SIMKIT_OK : SIMKIT_CANCELLED);
    REPORTS(simkit_computation_start(world, &(simkit_computation_desc){ .node = a, .seconds = 1 }, &computation));
    REPORTS(simkit_computation_cancel(world, computation) ? SIMKIT_OK : SIMKIT_CANCELLED);
    REPORTS(simkit_mailbox_post(world, &(simkit_post_desc){ .from = a, .to = box, .bytes = 1 }, NULL));
    REPORTS(simkit_watch_emit(world, &(simkit_watch_event){ .kind = SIMKIT_WATCH_NODE, .node = a }));
    REPORTS(simkit_link_fail(world, link));
    REPORTS(simkit_node_fail(world, node));
#undef REPORTS
    simkit_watch_remove(world, meddles, &m);
    succeeds(simkit_link_repair(world, link));
    start_work();
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = b, .to = a, .bytes = 1e6 }, NULL),
                     SIMKIT_OK);
    succeeds(simkit_world_reset(world, NULL));
}

/* In a run, and on the stack of a process: the run goes on, unless it is the world that was to be closed. */
static void a_watcher_in_a_run_does_not_get_the_world(void **state)
{
    uint64_t fingerprints[2];
    (void)state;
    for (int watched = 0; watched < 2; ++watched) {
        meddler m = { false, 0 };
        close_world(NULL), open_pair(NULL);
        succeeds(simkit_fingerprint_begin(world));
        if (watched) succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, meddles, &m));
        start_work();
        succeeds(simkit_world_run(world));
        fingerprints[watched] = simkit_fingerprint_value(world);
        assert_true(watched ? m.calls > 10 : m.calls == 0);
        m.closes = true;
        start_work();
        if (watched) assert_int_equal(simkit_world_run(world), SIMKIT_BAD_CALL);
    }
    assert_true(fingerprints[0] == fingerprints[1]);
}

static simkit_trace *trace;
static simkit_reasons *reasons;

static void closes_records(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w;
    (void)user;
    (void)event;
    if (trace) succeeds(simkit_trace_close(trace));
    simkit_reasons_close(reasons);
    trace = NULL;
    reasons = NULL;
}

/* A watcher that closes a trace and a record of reasons, before or behind theirs: nobody uses them afterwards. */
static void records_may_end_in_a_watcher(void **state)
{
    (void)state;
    make_directory(NULL);
    for (int way = 0; way < 6; ++way) {
        close_world(NULL), open_pair(NULL);
        if (way % 2) succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, closes_records, NULL));
        succeeds(open_trace(world, place("a.csv"), &trace));
        succeeds(simkit_reasons_open(world, &reasons));
        if (way % 2 == 0) succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, closes_records, NULL));
        if (way / 2 == 0)
            succeeds(simkit_watch_emit(world, &(simkit_watch_event){ .kind = SIMKIT_WATCH_NODE, .node = a }));
        if (way / 2 == 1)
            succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = a, .seconds = 1 }, NULL));
        if (way / 2 == 2) start_work();
        assert_null(trace);
        succeeds(simkit_world_run(world));
        remove(place("a.csv"));
    }
    remove_directory(NULL);
}

static void waits_in_a_watcher(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w;
    if (event->phase == SIMKIT_PHASE_BEGIN && !(*(int *)user)++) whatever(simkit_process_wait(world, 10));
}

/* A watcher must not wait. After a run in which one did, the world can be reset and closed. */
static void after_a_run_no_watcher_is_left(void **state)
{
    int waits = 0;
    (void)state;
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_COMPUTE, waits_in_a_watcher, &waits));
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .node = a, .body = computes }, NULL));
    succeeds(simkit_world_run_until(world, 2));
    assert_int_equal(waits, 1);
    succeeds(simkit_world_reset(world, NULL));
}

typedef struct asker {
    int events, emitted, running;
} asker;

static void asks(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    asker *s = (asker *)user;
    ++s->events;
    s->emitted += simkit_watch_emitted(w);
    s->running += simkit_world_running(w);
    assert_int_equal(simkit_watch_emitted(w), event->number == 77);
}

static void emits(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_watch_emit(w, &(simkit_watch_event){ .kind = SIMKIT_WATCH_NODE, .node = a, .number = 77 }));
    assert_false(simkit_watch_emitted(w));
    assert_true(simkit_world_running(w));
}

/* A watcher can tell which events happened elsewhere, and whether the world runs. */
static void where_an_event_comes_from(void **state)
{
    asker s = { 0, 0, 0 };
    (void)state;
    assert_false(simkit_watch_emitted(NULL) || simkit_world_running(NULL) || simkit_world_running(world));
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_NODE | SIMKIT_WATCH_TRANSFER, asks, &s));
    succeeds(simkit_watch_emit(world, &(simkit_watch_event){ .kind = SIMKIT_WATCH_NODE, .node = a, .number = 77 }));
    add_node(NULL);
    assert_true(s.events == 2 && s.emitted == 1 && s.running == 0);
    succeeds(simkit_step_at(world, 1, 0, emits, NULL, NULL));
    succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1 }, NULL));
    assert_true(s.events == 4 && s.running == 0);
    succeeds(simkit_world_run(world));
    assert_true(s.events == 7 && s.emitted == 2 && s.running == 3);
    assert_false(simkit_world_running(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_watcher_outside_a_run_does_not_get_the_world),
        PAIR_TEST(a_watcher_in_a_run_does_not_get_the_world),
        PAIR_TEST(after_a_run_no_watcher_is_left),
        PAIR_TEST(records_may_end_in_a_watcher),
        PAIR_TEST(everything_is_seen_in_order),
        PAIR_TEST(masks_choose_what_is_seen),
        PAIR_TEST(events_of_every_kind_can_be_told),
        PAIR_TEST(a_fingerprint_tells_runs_apart),
        PAIR_TEST(a_fingerprint_counts_what_is_received),
        PAIR_TEST(only_what_happens_is_in_a_fingerprint),
        WORLD_TEST(watchers_hear_of_elsewhere),
        WORLD_TEST(the_life_of_a_node_is_seen),
        WORLD_TEST(a_message_within_a_node_is_seen),
        PAIR_TEST(where_an_event_comes_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
