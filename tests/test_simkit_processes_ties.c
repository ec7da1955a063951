/* Room processes of simkit.h. What happens at one instant: every wait of a process against every way in which it can
 * end, before and after.
 *
 * The subject waits until t = 1. At t = 1, as a step before its wake-up or after it, something is done to it. It must
 * wake once or not at all, with the right answer; and who takes its place must not feel anything of it. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

typedef enum wait_kind { HOLD, COMPUTE, COMPUTE_AWAY, SEND, RECEIVE, SUSPEND, WAITS } wait_kind;
typedef enum deed { NOTHING, KILL, FAIL_HERE, FAIL_THERE, STOP, CLOSE, DOUBLE, DEEDS } deed;

static const char *const wait_names[WAITS] = { "hold", "compute", "compute away", "send", "receive", "suspend" };
static const char *const deed_names[DEEDS] = {
    "nothing", "kill", "fail here", "fail there", "stop", "close", "double"
};

static struct scene {
    wait_kind wait;
    deed deed;
    simkit_node here, there;
    simkit_mailbox box;     /* where the subject receives; it stands there */
    simkit_mailbox far_box; /* where it sends; it stands there, too */
    simkit_process subject;
    int woken, heirs_woken, delivered;
    simkit_result answer;
} scene;

static void subject(simkit_world *w, void *user)
{
    simkit_message message;
    (void)user;
    switch (scene.wait) {
    case HOLD: scene.answer = simkit_process_wait(w, 1); break;
    case COMPUTE: scene.answer = simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1 }, NULL); break;
    case COMPUTE_AWAY:
        scene.answer = simkit_process_compute(w, &(simkit_computation_desc){ .node = scene.there, .seconds = 1 }, NULL);
        break;
    case SEND:
        scene.answer = simkit_process_send(w, &(simkit_post_desc){ .to = scene.far_box, .bytes = 5e5 }, NULL);
        break;
    case RECEIVE: scene.answer = simkit_process_receive(w, scene.box, &message); break;
    default: scene.answer = simkit_process_suspend(w, "a friend");
    }
    ++scene.woken;
    assert_true(simkit_clock_now(w) == 1);
}

/* Takes the place of the subject, and perhaps its stack, its timer and its seat. */
static void heir(simkit_world *w, void *user)
{
    (void)user;
    assert_int_equal(simkit_process_wait(w, 1), SIMKIT_OK);
    assert_true(simkit_clock_now(w) == 2);
    assert_int_equal(simkit_process_suspend(w, "the end"), SIMKIT_OK);
    assert_true(simkit_clock_now(w) == 3);
    ++scene.heirs_woken;
}

static void resumes(simkit_world *w, void *user)
{
    whatever(simkit_process_resume(w, *(simkit_process *)user));
}

static void received(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w, (void)user;
    if (message) ++scene.delivered;
}

static void acts(simkit_world *w, void *user)
{
    static simkit_process heirs[3];
    (void)user;
    switch (scene.deed) {
    case KILL: whatever(simkit_process_kill(w, scene.subject)); break;
    case FAIL_HERE: assert_int_equal(simkit_node_fail(w, scene.here), SIMKIT_OK); break;
    case FAIL_THERE: assert_int_equal(simkit_node_fail(w, scene.there), SIMKIT_OK); break;
    case STOP: simkit_world_stop(w); break;
    case CLOSE:
        assert_int_equal(simkit_mailbox_close(w, scene.box), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_close(w, scene.far_box), SIMKIT_OK);
        break;
    case DOUBLE: /* all that could wake it, once more */
        whatever(simkit_process_resume(w, scene.subject));
        whatever(simkit_process_resume(w, scene.subject));
        assert_int_equal(simkit_mailbox_post(w, &(simkit_post_desc){ .from = scene.there, .to = scene.box }, NULL),
                         SIMKIT_OK);
        break;
    default: break;
    }
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(simkit_process_start(w, &(simkit_process_desc){ .body = heir }, &heirs[i]), SIMKIT_OK);
        assert_int_equal(simkit_step_at(w, 3, 0, resumes, &heirs[i], NULL), SIMKIT_OK);
    }
}

static void play(wait_kind wait, deed deed, int priority)
{
    const bool first = priority < 0;
    memset(&scene, 0, sizeof scene);
    scene.wait = wait;
    scene.deed = deed;
    reopen_world(&(simkit_world_desc){ .latency = 0.5 });
    scene.here = add_node(&(simkit_node_desc){ .name = "here", .up_bandwidth = 1e6, .down_bandwidth = 1e6 });
    scene.there = add_node(&(simkit_node_desc){ .name = "there", .up_bandwidth = 1e6, .down_bandwidth = 1e6 });
    assert_int_equal(simkit_mailbox_open(world, scene.there, "box", &scene.box), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_open(world, scene.there, "far box", &scene.far_box), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1, priority, acts, NULL, NULL), SIMKIT_OK);
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .node = scene.here, .body = subject }, &scene.subject),
        SIMKIT_OK);
    if (wait == RECEIVE) /* 0.5 s to go up here, and 0.5 s of bytes */
        assert_int_equal(
            simkit_mailbox_post(world, &(simkit_post_desc){ .from = scene.here, .to = scene.box, .bytes = 5e5 }, NULL),
            SIMKIT_OK);
    if (wait == SUSPEND) assert_int_equal(simkit_step_at(world, 1, 0, resumes, &scene.subject, NULL), SIMKIT_OK);

    simkit_result result = simkit_world_run(world);
    if (deed == STOP) {
        assert_int_equal(result, SIMKIT_STOPPED);
        result = simkit_world_run(world);
    }
    assert_int_equal(result, SIMKIT_OK);

    simkit_result expected = SIMKIT_OK;
    if (first && deed == FAIL_THERE && (wait == COMPUTE_AWAY || wait == SEND)) expected = SIMKIT_NODE_FAILED;
    if (first && (deed == CLOSE || deed == FAIL_THERE) && wait == RECEIVE) expected = SIMKIT_MAILBOX_CLOSED;
    const bool dies = first && (deed == KILL || deed == FAIL_HERE);
    if (scene.woken != !dies || (!dies && scene.answer != expected))
        fail_msg("%s, %s %s: woken %d times, answer %s", wait_names[wait], deed_names[deed], first ? "before" : "after",
                 scene.woken, simkit_result_text(scene.answer));
    assert_int_equal(scene.heirs_woken, 3);
    assert_int_equal(simkit_process_resume(world, scene.subject), SIMKIT_UNKNOWN_PROCESS);
    assert_int_equal(simkit_process_kill(world, scene.subject), SIMKIT_UNKNOWN_PROCESS);

    /* Whatever became of the receiver, its message is there for the next one, unless it had it. */
    if (wait == RECEIVE && (deed == KILL || deed == NOTHING)) {
        assert_int_equal(simkit_mailbox_messages(world, scene.box), dies ? 1 : 0);
        assert_int_equal(simkit_mailbox_take(world, scene.box, received, NULL, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(scene.delivered, dies ? 1 : 0);
    }
}

static void every_wait_against_every_deed(void **state)
{
    (void)state;
    for (int wait = 0; wait < WAITS; ++wait)
        for (int d = 0; d < DEEDS; ++d)
            for (int priority = -1; priority <= 1; priority += 2) {
                play((wait_kind)wait, (deed)d, priority);
                simkit_world_close(world);
                assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
            }
}

/* A receiver that is killed after it was given its message: the message goes to the one behind it, or back. */
static void takes_one(simkit_world *w, void *user)
{
    simkit_message message;
    if (simkit_process_receive(w, scene.box, &message) == SIMKIT_OK) *(double *)user = message.bytes;
}

/* The processes of the list, up to one that is 0. */
static void kills(simkit_world *w, void *user)
{
    for (const simkit_process *p = (const simkit_process *)user; *p; ++p)
        assert_int_equal(simkit_process_kill(w, *p), SIMKIT_OK);
}

static void a_killed_receiver_hands_on(void **state)
{
    double got[3] = { 0, 0, 0 };
    simkit_process p[3], killed[3] = { 0, 0, 0 };
    (void)state;
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &scene.box), SIMKIT_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(simkit_process_start(
                             world, &(simkit_process_desc){ .node = node, .body = takes_one, .user = &got[i] }, &p[i]),
                         SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1), SIMKIT_OK);
    for (int i = 1; i <= 2; ++i)
        assert_int_equal(
            simkit_mailbox_post(world, &(simkit_post_desc){ .from = node, .to = scene.box, .bytes = i }, NULL),
            SIMKIT_OK);
    killed[0] = p[0]; /* it was given the first, which goes to the third */
    assert_int_equal(simkit_step_at(world, 1, 0, kills, killed, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(got[0] == 0 && got[1] == 2 && got[2] == 1);

    /* With nobody behind them they go back, in their order. */
    for (int i = 0; i < 2; ++i)
        assert_int_equal(simkit_process_start(
                             world, &(simkit_process_desc){ .node = node, .body = takes_one, .user = &got[i] }, &p[i]),
                         SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 2), SIMKIT_OK);
    for (int i = 3; i <= 5; ++i)
        assert_int_equal(
            simkit_mailbox_post(world, &(simkit_post_desc){ .from = node, .to = scene.box, .bytes = i }, NULL),
            SIMKIT_OK);
    killed[0] = p[1], killed[1] = p[0];
    assert_int_equal(simkit_step_at(world, 2, 0, kills, killed, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 2), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_messages(world, scene.box), 3);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(simkit_process_start(
                             world, &(simkit_process_desc){ .node = node, .body = takes_one, .user = &got[i] }, &p[i]),
                         SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(got[0] == 3 && got[1] == 4 && got[2] == 5);
}

static void kills_itself(simkit_world *w, void *user)
{
    ++*(int *)user;
    whatever(simkit_process_kill(w, simkit_process_self(w)));
    *(int *)user = -1;
}

static void fails_its_node(simkit_world *w, void *user)
{
    ++*(int *)user;
    whatever(simkit_node_fail(w, 1));
    *(int *)user = -1;
}

static void a_process_may_end_itself(void **state)
{
    int killed = 0, failed = 0;
    simkit_process process;
    (void)state;
    const simkit_node node = add_node(NULL);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(
            simkit_process_start(world, &(simkit_process_desc){ .body = kills_itself, .user = &killed }, &process),
            SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(simkit_process_kill(world, process), SIMKIT_UNKNOWN_PROCESS);
    }
    assert_int_equal(killed, 100);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(
            simkit_process_start(world, &(simkit_process_desc){ .node = node, .body = fails_its_node, .user = &failed },
                                 NULL),
            SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(failed, 1);
}

/* What a host is told when a node fails: each thing once, done or lost. */
static int done[40], lost[40];

static void is_done(simkit_world *w, void *user)
{
    (void)w;
    ++done[(size_t)user];
}

static void is_lost(simkit_world *w, void *user)
{
    assert_true(simkit_clock_now(w) == 1);
    ++lost[(size_t)user];
}

static void a_host_is_told_what_was_lost(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    simkit_node node[3];
    simkit_mailbox box;
    size_t i = 0;

    (void)state;
    reopen_world(&(simkit_world_desc){ .latency = 0.2 });
    memset(done, 0, sizeof done);
    memset(lost, 0, sizeof lost);
    for (int n = 0; n < 3; ++n) node[n] = add_node(&desc);
    assert_int_equal(simkit_mailbox_open(world, node[0], NULL, &box), SIMKIT_OK);
    for (int nice = 0; nice < 2; ++nice) /* 0 .. 3: lost, lost, done, done */
        for (int n = 0; n < 2; n++, i++)
            assert_int_equal(simkit_computation_start(world,
                                                      &(simkit_computation_desc){ .node = node[nice ? 1 : 0],
                                                                                  .seconds = 2 + n,
                                                                                  .nice = 3 * n,
                                                                                  .done = is_done,
                                                                                  .lost = is_lost,
                                                                                  .user = (void *)i },
                                                      NULL),
                             SIMKIT_OK);
    for (int from = 0; from < 3; ++from) /* 4 .. 21: all that touch node 0 are lost, those in order behind others too */
        for (int to = 0; to < 3; ++to)
            for (int in_order = 0; in_order < 2; in_order++, i++)
                assert_int_equal(simkit_transfer_start(world,
                                                       &(simkit_transfer_desc){ .from = node[from],
                                                                                .to = node[to],
                                                                                .bytes = from == to ? 0 : 3e6,
                                                                                .in_order = in_order,
                                                                                .done = is_done,
                                                                                .lost = is_lost,
                                                                                .user = (void *)i },
                                                       NULL),
                                 SIMKIT_OK);
    for (int n = 0; n < 2; n++, i++) /* 22, 23: behind one in order, and in its start-up at t = 1 */
        assert_int_equal(simkit_transfer_start(world,
                                               &(simkit_transfer_desc){ .from = node[0],
                                                                        .to = node[1],
                                                                        .bytes = 1,
                                                                        .in_order = n == 0,
                                                                        .done = is_done,
                                                                        .lost = is_lost,
                                                                        .user = (void *)i },
                                               NULL),
                         SIMKIT_OK);
    assert_int_equal(
        simkit_mailbox_post(
            world,
            &(simkit_post_desc){
                .from = node[1], .to = box, .bytes = 2e6, .done = is_done, .lost = is_lost, .user = (void *)i },
            NULL),
        SIMKIT_OK); /* 24 */
    assert_int_equal(simkit_world_run_until(world, 1), SIMKIT_OK);
    assert_int_equal(simkit_node_fail(world, node[0]), SIMKIT_OK);
    assert_int_equal(simkit_node_running(world, node[0]), 0);
    assert_int_equal(simkit_node_fail(world, node[0]), SIMKIT_NODE_FAILED);
    assert_why("at 1 s: node 1 has failed already");
    assert_int_equal(simkit_computation_start(world, &(simkit_computation_desc){ .node = node[0] }, NULL),
                     SIMKIT_NODE_FAILED);
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node[1], .to = node[0] }, NULL),
                     SIMKIT_NODE_FAILED);
    assert_int_equal(simkit_mailbox_post(world, &(simkit_post_desc){ .from = node[1], .to = box }, NULL),
                     SIMKIT_MAILBOX_CLOSED);
    assert_int_equal(simkit_mailbox_open(world, node[0], NULL, &box), SIMKIT_NODE_FAILED);
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .node = node[0], .body = subject }, NULL),
                     SIMKIT_NODE_FAILED);
    assert_why("at 1 s: a process names node 1, which has failed");
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (size_t k = 0; k <= i; ++k) {
        bool gone = k < 2 || k > 22;
        if (k >= 4 && k < 22) { /* node 0 at one end; its transfers to itself took no time */
            const size_t from = (k - 4) / 6, to = (k - 4) / 2 % 3;
            gone = (from == 0) != (to == 0);
        }
        if (k == 23) gone = false; /* one byte: it was there at 0.2 s */
        if (k == 22) gone = true;
        assert_int_equal(done[k], !gone);
        assert_int_equal(lost[k], gone);
    }
}

static void counts_call(simkit_world *w, void *user)
{
    (void)w;
    ++*(int *)user;
}

/* Messages within a node take no time, but until they are there the node can fail: then each is lost. */
static void messages_at_an_instant_are_all_lost(void **state)
{
    int there = 0, gone = 0;
    simkit_mailbox box, elsewhere;
    (void)state;
    const simkit_node node = add_node(NULL), other = add_node(NULL);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &box), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_open(world, other, NULL, &elsewhere), SIMKIT_OK);
    for (int i = 0; i < 8; ++i)
        assert_int_equal(simkit_mailbox_post(world,
                                             &(simkit_post_desc){ .from = i % 2 ? node : other,
                                                                  .to = i % 2 ? box : elsewhere,
                                                                  .done = counts_call,
                                                                  .lost = counts_call,
                                                                  .user = i % 2 ? &gone : &there },
                                             NULL),
                         SIMKIT_OK);
    const simkit_post_desc last = { .from = node, .to = box, .done = counts_call, .lost = NULL, .user = &there };
    assert_int_equal(simkit_mailbox_post(world, &last, NULL), SIMKIT_OK); /* lost: nobody is told that it is there */
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(gone, 4);
    assert_int_equal(there, 4);
    assert_int_equal(simkit_mailbox_messages(world, elsewhere), 4);
}

/* The computations of a node that failed are lost, and only those: they cannot be taken back any more, others can. */
static void what_is_lost_cannot_be_taken_back(void **state)
{
    int gone = 0, done = 0;
    simkit_computation work[4];
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const simkit_computation_desc desc = { .node = add_node(NULL),
                                               .seconds = 1,
                                               .done = counts_call,
                                               .lost = counts_call,
                                               .user = i == 1 ? &gone : &done };
        assert_int_equal(simkit_computation_start(world, &desc, &work[i]), SIMKIT_OK);
    }
    assert_int_equal(simkit_node_fail(world, 2), SIMKIT_OK);
    for (int i = 0; i < 4; ++i) assert_int_equal(simkit_computation_cancel(world, work[i]), i != 1);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(gone, 1);
    assert_int_equal(done, 0);
}

/* One after another, though another node fails at the same instant, and transfers break off that took of the processor. */
static void all_that_a_node_computed_is_lost(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_outgoing = 0.5 };
    (void)state;
    memset(lost, 0, sizeof lost);
    const simkit_node fails = add_node(&desc), stays = add_node(&desc);
    for (size_t i = 0; i < 10; ++i) {
        assert_int_equal(
            simkit_computation_start(
                world, &(simkit_computation_desc){ .node = fails, .seconds = 5, .lost = is_lost, .user = (void *)i },
                NULL),
            SIMKIT_OK);
        assert_int_equal(simkit_transfer_start(
                             world,
                             &(simkit_transfer_desc){
                                 .from = fails, .to = stays, .bytes = 1e6, .lost = is_lost, .user = (void *)(10 + i) },
                             NULL),
                         SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run_until(world, 1), SIMKIT_OK);
    assert_int_equal(simkit_node_fail(world, fails), SIMKIT_OK);
    assert_int_equal(simkit_node_fail(world, stays), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (size_t i = 0; i < 20; ++i) assert_int_equal(lost[i], 1);
}

/* Whoever looks on, and whether somebody wants to hear of the end, changes nothing: programs out of everything that can
 * happen at one instant, each time without and with observers. */
enum { BOXES = 4, PLACES = 3, LOGGED = 4000 };

typedef enum observing { ALONE, WATCHED, LOOKED_AHEAD, CALLED_BACK, WAYS } observing;

static struct {
    observing how;
    simkit_random dice;
    int steps, logs;
    simkit_node place[PLACES];
    simkit_mailbox box[BOXES];
    simkit_step latest;
    struct {
        int what;
        double time, from;
    } log[WAYS][LOGGED];
} play_ground;

static void logs(simkit_world *w, int what, double from)
{
    if (play_ground.logs == LOGGED) return;
    play_ground.log[play_ground.how][play_ground.logs].what = what;
    play_ground.log[play_ground.how][play_ground.logs].time = simkit_clock_now(w);
    play_ground.log[play_ground.how][play_ground.logs++].from = from;
}

static void looks_on(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user, (void)event;
    if (play_ground.how == WATCHED) return;
    assert_true(simkit_clock_next(w) >= simkit_clock_now(w));
    assert_true(simkit_mailbox_messages(w, play_ground.box[0]) < LOGGED);
    assert_true(simkit_node_running(w, play_ground.place[0]) < LOGGED);
}

static void does_nothing(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

static void logs_call(simkit_world *w, void *user)
{
    logs(w, (int)(intptr_t)user, 0);
}

static void logs_message(simkit_world *w, void *user, const simkit_message *message)
{
    logs(w, (int)(intptr_t)user, message ? message->bytes + 1e7 * message->sent : -1);
}

static unsigned dice(unsigned sides)
{
    return (unsigned)(simkit_random_bits(&play_ground.dice) % sides);
}

/* Sizes that take no time, half a second alone, or a moment: so that things happen at the same instants. */
static double some_bytes(void)
{
    static const double sizes[] = { 0, 0, 0, 5e5, 1e6, 123 };
    return sizes[dice(6)];
}

static simkit_post_desc some_post(bool called)
{
    const simkit_post_desc post = { .from = play_ground.place[dice(PLACES)],
                                    .to = play_ground.box[dice(BOXES)],
                                    .bytes = some_bytes(),
                                    .in_order = dice(4) == 0,
                                    .done = called ? does_nothing : NULL };
    return post;
}

static void lives(simkit_world *w, void *user)
{
    const int me = (int)(intptr_t)user;
    for (unsigned n = 1 + dice(4); n > 0; --n) {
        simkit_message message = { 0, 0, 0, 0, NULL };
        simkit_post_desc post = some_post(false);
        simkit_result result;
        switch (dice(4)) {
        case 0: result = simkit_process_wait(w, 0.5 * dice(3)); break;
        case 1: result = simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 0.5 * dice(3) }, NULL); break;
        case 2: result = simkit_process_send(w, &post, NULL); break;
        default: result = simkit_process_receive(w, play_ground.box[dice(BOXES)], &message);
        }
        logs(w, 10 * me + (int)result, message.bytes + 1e7 * message.sent);
    }
}

static void acts_at_random(simkit_world *w, void *user)
{
    const intptr_t me = ++play_ground.steps;
    const bool called = play_ground.how == CALLED_BACK;
    (void)user;
    logs(w, (int)me, -2);
    for (unsigned n = 1 + dice(4); n > 0; --n) {
        const simkit_post_desc post = some_post(called);
        switch (dice(12)) {
        case 0:
        case 1:
        case 2:
        case 3: whatever(simkit_mailbox_post(w, &post, NULL)); break;
        case 4:
        case 5: whatever(simkit_mailbox_take(w, play_ground.box[dice(BOXES)], logs_message, (void *)(me * 100), NULL)); break;
        case 6:
            whatever(simkit_transfer_start(w,
                                           &(simkit_transfer_desc){ .from = play_ground.place[dice(PLACES)],
                                                                    .to = play_ground.place[dice(PLACES)],
                                                                    .bytes = some_bytes(),
                                                                    .done = logs_call,
                                                                    .lost = logs_call,
                                                                    .user = (void *)(me * 10000) },
                                           NULL));
            break;
        case 7:
            whatever(simkit_computation_start(w,
                                              &(simkit_computation_desc){ .node = play_ground.place[dice(PLACES)],
                                                                          .seconds = 0.25 * dice(4),
                                                                          .nice = (int)dice(2),
                                                                          .done = logs_call,
                                                                          .lost = logs_call,
                                                                          .user = (void *)(me * 10000) },
                                              NULL));
            break;
        case 8:
            whatever(simkit_process_start(w,
                                          &(simkit_process_desc){ .node = play_ground.place[dice(PLACES)],
                                                                  .body = lives,
                                                                  .user = (void *)(me * 1000) },
                                          NULL));
            break;
        case 9: simkit_step_cancel(w, play_ground.latest); break;
        case 10:
            if (dice(6) == 0) whatever(simkit_mailbox_close(w, play_ground.box[dice(BOXES)]));
            break;
        default:
            if (dice(20) == 0) whatever(simkit_node_fail(w, play_ground.place[dice(PLACES)]));
        }
    }
    for (unsigned n = play_ground.steps < 60 ? dice(4) : 0; n > 0; --n)
        whatever(simkit_step_after(w, 0.25 * dice(4), (int)dice(3) - 1, acts_at_random, NULL, &play_ground.latest));
}

static void observation_changes_nothing(void **state)
{
#ifdef TESTS_SLOW
    enum { PLAYS = 250 };
#else
    enum { PLAYS = 1000 };
#endif
    (void)state;
    for (uint64_t seed = 0; seed < PLAYS; ++seed) {
        int logged = 0;
        for (int how = ALONE; how < WAYS; ++how) {
            simkit_world *w;
            assert_int_equal(
                simkit_world_open(
                    &(simkit_world_desc){ .sharing = seed % 2 ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL }, &w),
                SIMKIT_OK);
            play_ground.how = (observing)how;
            play_ground.dice.state = seed;
            play_ground.steps = play_ground.logs = 0;
            play_ground.latest = 0;
            for (int i = 0; i < PLACES; ++i) {
                const simkit_node_desc desc = { .up_bandwidth = i ? 1e6 : 0,
                                                .down_bandwidth = 1e6,
                                                .cpu_per_incoming = dice(2) ? 0.1 : 0 };
                assert_int_equal(simkit_node_add(w, &desc, &play_ground.place[i]), SIMKIT_OK);
            }
            for (int i = 0; i < BOXES; ++i)
                assert_int_equal(simkit_mailbox_open(w, play_ground.place[i % PLACES], NULL, &play_ground.box[i]),
                                 SIMKIT_OK);
            if (how == WATCHED || how == LOOKED_AHEAD)
                assert_int_equal(simkit_watch_add(w, SIMKIT_WATCH_ALL, looks_on, NULL), SIMKIT_OK);
            for (int i = 0; i < 5; ++i)
                assert_int_equal(simkit_step_at(w, 0.5 * i, 0, acts_at_random, NULL, NULL), SIMKIT_OK);
            for (simkit_result result = SIMKIT_STOPPED; result == SIMKIT_STOPPED;) result = simkit_world_run(w);
            if (how == ALONE) logged = play_ground.logs;
            if (play_ground.logs != logged)
                fail_msg("program %d: %d events, observed %d", (int)seed, logged, play_ground.logs);
            for (int i = 0; i < logged; ++i)
                if (memcmp(&play_ground.log[ALONE][i], &play_ground.log[how][i], sizeof play_ground.log[ALONE][i]) != 0)
                    fail_msg("program %d, observed in way %d: event %d is %d from %.17g at %.17g, unobserved %d from "
                             "%.17g at %.17g",
                             (int)seed, how, i, play_ground.log[how][i].what, play_ground.log[how][i].from,
                             play_ground.log[how][i].time, play_ground.log[ALONE][i].what,
                             play_ground.log[ALONE][i].from, play_ground.log[ALONE][i].time);
            simkit_world_close(w);
        }
    }
}

static void computes_long(simkit_world *w, void *user)
{
    (void)user;
    whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 10 }, NULL));
}

static void fails_now(simkit_world *w, void *user)
{
    assert_int_equal(simkit_node_fail(w, *(simkit_node *)user), SIMKIT_OK);
}

static void is_told(simkit_world *w, void *user)
{
    (void)w;
    ++*(int *)user;
}

/* A process and what it computes end with their node. What is left is background, so the run is over. */
static void what_a_dead_process_computed_keeps_no_run_alive(void **state)
{
    int told = 0;
    simkit_node node = add_node(&(simkit_node_desc){ .speed = 1 });
    const simkit_computation_desc behind = {
        .node = node, .seconds = 10, .background = true, .lost = is_told, .user = &told
    };
    (void)state;
    assert_int_equal(simkit_computation_start(world, &behind, NULL), SIMKIT_OK);
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .node = node, .body = computes_long }, NULL),
                     SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1, 0, fails_now, &node, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(told, 0);
    assert_int_equal(simkit_world_run_until(world, 1), SIMKIT_OK);
    assert_int_equal(told, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(what_a_dead_process_computed_keeps_no_run_alive),
        WORLD_TEST(what_is_lost_cannot_be_taken_back),
        WORLD_TEST(messages_at_an_instant_are_all_lost),
        WORLD_TEST(every_wait_against_every_deed),
        WORLD_TEST(a_killed_receiver_hands_on),
        WORLD_TEST(a_process_may_end_itself),
        WORLD_TEST(a_host_is_told_what_was_lost),
        WORLD_TEST(all_that_a_node_computed_is_lost),
        WORLD_TEST(observation_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
