/* Room processes of simkit.h: stack overflows, with the test's own handler of the fault or found without one. The tests write to
 * the far end of a stack, or go down to a given distance from it. */
#define _DEFAULT_SOURCE /* sigaltstack() */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "../processes.h"

#include <signal.h>

static void is_no_process(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

/* An overflow that is found when its process already waits for something: nothing looks for it any more. */
typedef struct sunk {
    int what, woken, heirs;
    simkit_node here, there;
    simkit_mailbox box, far_box;
} sunk;

static void sinks(simkit_world *w, void *user)
{
    sunk *s = (sunk *)user;
    memset(w->current->context.stack, 7, 16); /* as an overflow does */
    switch (s->what) {
    case 0: whatever(simkit_process_wait(w, 1)); break;
    case 1: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1 }, NULL)); break;
    case 2: whatever(simkit_process_send(w, &(simkit_post_desc){ .to = s->far_box, .bytes = 1e6 }, NULL)); break;
    case 3: whatever(simkit_process_receive(w, s->box, NULL)); break;
    default: whatever(simkit_process_suspend(w, "help"));
    }
    ++s->woken;
}

static void takes_its_place(simkit_world *w, void *user)
{
    simkit_message message;
    assert_int_equal(simkit_process_wait(w, 5), SIMKIT_OK);
    assert_true(simkit_clock_now(w) == 5);
    assert_int_equal(simkit_process_receive(w, ((sunk *)user)->box, &message), SIMKIT_OK);
    assert_true(message.sent == 0 && message.arrived == 1 && message.bytes == 1e6);
    ((sunk *)user)->heirs++;
}

static void nothing_looks_for_who_overflowed(void **state)
{
    const simkit_world_desc hook = { .memory = { .reallocate = from_the_library } };
    const simkit_node_desc slow = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    (void)state;
    for (int what = 0; what < 5; ++what) {
        sunk s = { .what = what };
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&hook, &world), SIMKIT_OK);
        s.here = add_node(&slow);
        s.there = add_node(&slow);
        assert_int_equal(simkit_mailbox_open(world, s.here, NULL, &s.box), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_open(world, s.there, NULL, &s.far_box), SIMKIT_OK);
        spawn("sinker", s.here, sinks, &s);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins("at 0 s: process 'sinker' has used more than its ");
        assert_int_equal(simkit_node_running(world, s.here), 0);
        spawn("heir", s.here, takes_its_place, &s);
        assert_int_equal(
            simkit_mailbox_post(world, &(simkit_post_desc){ .from = s.there, .to = s.box, .bytes = 1e6 }, NULL),
            SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(s.woken, 0);
        assert_int_equal(s.heirs, 1);
        assert_int_equal(simkit_mailbox_messages(world, s.far_box), what == 2 ? 1 : 0);
    }
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    simkit_process_overflow(world, info->si_addr);
    signal(signal_number, SIG_DFL); /* none of ours: happens again, and ends the program */
}

static struct sigaction uncaught; /* what the signal of an overflow did before */

/* From now on an overflow is a result; skips the test where stacks have no guards. */
static void catch_overflows(void)
{
    static char own_stack[64 * 1024];
    const stack_t alternate = { .ss_sp = own_stack, .ss_size = sizeof own_stack };
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

#if defined(TESTS_SLOW) || !defined(SIMKIT__MAPPED)
    skip();
#endif
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaltstack(&alternate, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, &uncaught), 0);
}

static void recurses(simkit_world *w, void *user)
{
    volatile char page[1024];
    volatile char *volatile all = page; /* so that no compiler keeps less of it */
    all[0] = 1;
    if (*(int *)user < 1000000 && ++*(int *)user > 0) recurses(w, user);
    page[1] = page[0];
}

/* With a guard: the fault becomes a result, the others are as they were, and the world goes on. */
static void a_guard_stops_an_overflow(void **state)
{
    int depth = 0, ended = 0;

    (void)state;
    catch_overflows();
    const simkit_process_desc neighbour = { .body = waits_long, .user = &ended };
    const simkit_process_desc deep = { .name = "deep", .body = recurses, .user = &depth };
    for (int round = 0; round < 3; ++round) {
        depth = 0;
        assert_int_equal(simkit_process_start(world, &neighbour, NULL), SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &deep, NULL), SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &neighbour, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins(round == 0 ? "at 0 s: process 'deep' has used" : "at ");
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(ended, 2 * round + 2);
        assert_in_range(depth, 40, 80);
    }
    sigaction(SIGSEGV, &uncaught, NULL);
}

/* An overflow in the engine: a process goes down to so many bytes above the end of its stack, then calls. */
typedef struct diver {
    int what;
    size_t left;
    simkit_node here, there;
    simkit_mailbox box;
    int others, back;
    void (*calls)(simkit_world *w, struct diver *d); /* NULL: calls_down_there */
} diver;

static void calls_down_there(simkit_world *w, diver *d)
{
    switch (d->what) {
    case 0: whatever(simkit_process_wait(w, 0.5)); break;
    case 1: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 0.5, .nice = 3 }, NULL)); break;
    case 2: whatever(simkit_process_send(w, &(simkit_post_desc){ .to = d->box, .bytes = 1e5 }, NULL)); break;
    case 3: whatever(simkit_process_wait(w, -1)); break;
    case 4:
        whatever(simkit_computation_start(w, &(simkit_computation_desc){ .node = d->here, .seconds = 0.5 }, NULL));
        break;
    case 5:
        whatever(simkit_mailbox_post(w, &(simkit_post_desc){ .from = d->here, .to = d->box, .bytes = 1e5 }, NULL));
        break;
    case 6: whatever(simkit_mailbox_post(w, &(simkit_post_desc){ .from = d->there, .to = d->box }, NULL)); break;
    default: whatever(simkit_step_after(w, 1, 0, is_no_process, d, NULL));
    }
}

static void dives(simkit_world *w, void *user)
{
    diver *d = (diver *)user;
    volatile char frame[256];
    frame[0] = 1;
    if ((size_t)((const char *)&frame[0] - w->current->context.stack) > d->left)
        dives(w, user);
    else if (d->calls)
        d->calls(w, d);
    else
        calls_down_there(w, d);
    d->back += frame[0] == 1;
}

static void goes_on(simkit_world *w, void *user)
{
    diver *d = (diver *)user;
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(simkit_process_wait(w, 0.25), SIMKIT_OK);
        assert_int_equal(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 0.1 }, NULL), SIMKIT_OK);
    }
    ++d->others;
}

static void counts_other(simkit_world *w, void *user)
{
    (void)w;
    ((diver *)user)->others++;
}

static void an_overflow_in_the_engine_harms_nobody(void **state)
{
    int overflows = 0, finished = 0;

    (void)state;
    catch_overflows();
    for (int policy = 0; policy < 2; ++policy)
        for (int what = 0; what < 8; ++what)
            for (size_t left = 300; left < 7500; left += 92) {
                const simkit_node_desc slow = { .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_incoming = .1 };
                diver d = { .what = what, .left = left };
                simkit_world_close(world);
                assert_int_equal(simkit_world_open(&(simkit_world_desc){ .sharing = (simkit_sharing)policy }, &world),
                                 SIMKIT_OK);
                d.here = add_node(&slow);
                d.there = add_node(&slow);
                assert_int_equal(simkit_mailbox_open(world, d.there, NULL, &d.box), SIMKIT_OK);
                spawn("diver", d.here, dives, &d);
                for (int i = 0; i < 4; ++i) {
                    spawn(NULL, i % 2 ? d.here : d.there, goes_on, &d);
                    assert_int_equal(
                        simkit_computation_start(
                            world,
                            &(simkit_computation_desc){
                                .node = d.there, .seconds = 0.1 * i, .nice = i, .done = counts_other, .user = &d },
                            NULL),
                        SIMKIT_OK);
                    assert_int_equal(
                        simkit_transfer_start(
                            world,
                            &(simkit_transfer_desc){
                                .from = d.here, .to = d.there, .bytes = 1e5 * i, .done = counts_other, .user = &d },
                            NULL),
                        SIMKIT_OK);
                }
                simkit_result result = simkit_world_run(world);
                if (result == SIMKIT_STACK_OVERFLOW) {
                    assert_why_begins("at 0 s: process 'diver' has used more than its ");
                    assert_int_equal(d.back, 0);
                    ++overflows;
                    result = simkit_world_run(world);
                } else {
                    assert_true(d.back > 0);
                    ++finished;
                }
                assert_int_equal(result, SIMKIT_OK);
                assert_int_equal(d.others, 12);
            }
    sigaction(SIGSEGV, &uncaught, NULL);
    assert_true(overflows > 300 && finished > 300);
}

/* Whatever a process calls with less left than the engine needs is an overflow, without a fault. */
typedef struct caller {
    diver d; /* first: dives() sees this one */
    simkit_node other;
    simkit_step step;
    simkit_process sleeper;
    simkit_operation operation;
    simkit_source users;
    simkit_transfer transfer;
    simkit_computation work;
    simkit_process other_process;
} caller;

static void takes_nothing(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    (void)user;
    (void)message;
}

static void is_resumed(simkit_world *w, void *user)
{
    (void)user;
    whatever(simkit_process_suspend(w, NULL));
}

static void watches_nothing(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)w;
    (void)event;
}

static void calls_with_little(simkit_world *w, diver *d)
{
    static const simkit_user_state state = { .name = "rests", .think = { .law = SIMKIT_LAW_CONSTANT, .mean = 1 } };
    caller *c = (caller *)d;
    simkit_source users;
    double seconds;
    bool run;
    switch (d->what) {
    case 0: whatever(simkit_process_resume(w, c->sleeper)); break;
    case 1: simkit_step_cancel(w, c->step); break;
    case 2: whatever(simkit_node_add(w, NULL, &c->other)); break;
    case 3: whatever(simkit_mailbox_open(w, d->here, NULL, &d->box)); break;
    case 4: whatever(simkit_pair_set(w, d->here, d->there, &(netmodel_link){ 0, 0 })); break;
    case 5: whatever(simkit_load_record(w, d->here)); break;
    case 6: simkit_load_average(w, d->here, 0.5, 1); break;
    case 7: whatever(simkit_operation_add(w, &(simkit_operation_desc){ .name = "it" }, &c->operation)); break;
    case 8: whatever(simkit_operation_begin(w, c->operation, 1, &run, &seconds)); break;
    case 9: whatever(simkit_operation_end(w, c->operation, 1, 1)); break;
    case 10: whatever(simkit_arrivals_start(w, &(simkit_arrivals_desc){ .node = d->here, .rate = 1 }, &users)); break;
    case 11: whatever(simkit_replay_start(w, &(simkit_replay_desc){ .node = d->here }, &users)); break;
    case 12:
        whatever(simkit_user_start(w, &(simkit_user_desc){ .node = d->here, .states = &state, .count = 1 }, &users));
        break;
    case 13: simkit_source_stop(w, c->users); break;
    case 14:
        whatever(simkit_computation_start(w, &(simkit_computation_desc){ .node = d->here, .seconds = 1 }, NULL));
        break;
    case 15: simkit_computation_cancel(w, c->work); break;
    case 16: whatever(simkit_node_fail(w, d->there)); break;
    case 17:
        whatever(
            simkit_transfer_start(w, &(simkit_transfer_desc){ .from = d->here, .to = d->there, .bytes = 1 }, NULL));
        break;
    case 18: simkit_transfer_cancel(w, c->transfer); break;
    case 19: whatever(simkit_mailbox_close(w, d->box)); break;
    case 20: whatever(simkit_mailbox_post(w, &(simkit_post_desc){ .from = d->here, .to = d->box }, NULL)); break;
    case 21: whatever(simkit_mailbox_take(w, d->box, takes_nothing, NULL, NULL)); break;
    case 22: whatever(simkit_process_kill(w, c->sleeper)); break;
    case 23: whatever(simkit_process_start(w, &(simkit_process_desc){ .body = is_resumed }, &c->other_process)); break;
    case 24: whatever(simkit_process_wait(w, 1)); break;
    case 25: whatever(simkit_process_suspend(w, NULL)); break;
    case 26: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1 }, NULL)); break;
    case 27: whatever(simkit_process_send(w, &(simkit_post_desc){ .to = d->box }, NULL)); break;
    case 28: whatever(simkit_process_receive(w, d->box, NULL)); break;
    case 29: whatever(simkit_watch_add(w, SIMKIT_WATCH_ALL, watches_nothing, NULL)); break;
    default: whatever(simkit_watch_emit(w, &(simkit_watch_event){ .kind = SIMKIT_WATCH_COMPUTE, .node = d->here }));
    }
}

static void every_call_needs_stack(void **state)
{
    (void)state;
#if defined(TESTS_SLOW)
    skip();
#endif
    for (int what = 0; what < 31; ++what) {
        caller c = { .d = { .what = what, .left = 3000, .calls = calls_with_little } };
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        c.d.here = add_node(NULL);
        c.d.there = add_node(NULL);
        assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "op" }, &c.operation),
                         SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = is_resumed }, &c.sleeper),
                         SIMKIT_OK);
        assert_int_equal(simkit_step_at(world, 1, 0, is_no_process, &c, &c.step), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_open(world, c.d.there, NULL, &c.d.box), SIMKIT_OK);
        assert_int_equal(
            simkit_computation_start(world, &(simkit_computation_desc){ .node = c.d.there, .seconds = 1 }, &c.work),
            SIMKIT_OK);
        assert_int_equal(
            simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = c.d.here, .rate = 1e-3 }, &c.users),
            SIMKIT_OK);
        assert_int_equal(
            simkit_transfer_start(world, &(simkit_transfer_desc){ .from = c.d.here, .to = c.d.there }, &c.transfer),
            SIMKIT_OK);
        spawn("diver", c.d.here, dives, &c);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins("at 0 s: process 'diver' has used more than its ");
        assert_int_equal(c.d.back, 0);
        assert_int_equal(simkit_process_resume(world, c.sleeper), SIMKIT_OK);
        assert_true(simkit_step_pending(world, c.step));
        assert_int_equal(simkit_node_count(world), 2);
        assert_int_equal(simkit_node_running(world, c.d.here), 0);
        assert_int_equal(simkit_node_running(world, c.d.there), 1);
        assert_true(simkit_computation_cancel(world, c.work));
    }
}

/* An overflow in a watcher, on the stack of a process that has just asked for something: that is taken back, or goes on
 * without it. */
static simkit_phase too_deep;

static void watches_too_deep(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    if (simkit_process_self(w) != 0 && event->phase == too_deep && strcmp(event->name, "deep") == 0)
        recurses(world, user);
}

static void is_watched(simkit_world *w, void *user)
{
    diver *d = (diver *)user;
    if (d->what == 0)
        whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1, .name = "deep" }, NULL));
    else
        whatever(simkit_process_send(
            w, &(simkit_post_desc){ .to = d->box, .bytes = d->what == 1 ? 0 : 1e6, .name = "deep" }, NULL));
    ++d->back;
}

static void an_overflow_in_a_watcher_leaves_nothing(void **state)
{
    (void)state;
    catch_overflows();
    for (int what = 0; what < 5; ++what) { /* from 3 on when it is asked for, else when it begins */
        const simkit_node_desc slow = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
        diver d = { .what = what < 3 ? what : what - 2 };
        int depth = 0;
        too_deep = what < 3 ? SIMKIT_PHASE_BEGIN : SIMKIT_PHASE_REQUESTED;
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        d.here = add_node(&slow);
        d.there = add_node(&slow);
        assert_int_equal(simkit_mailbox_open(world, d.what == 1 ? d.here : d.there, NULL, &d.box), SIMKIT_OK);
        assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_ALL, watches_too_deep, &depth), SIMKIT_OK);
        spawn("watched", d.here, is_watched, &d);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins("at 0 s: process 'watched' has used more than its ");
        assert_int_equal(simkit_node_running(world, d.here), 0);
        spawn("heir", d.here, goes_on, &d);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(d.others, 1);
        assert_int_equal(d.back, 0);
    }
    sigaction(SIGSEGV, &uncaught, NULL);
}

/* The same on the stack of a process that takes back, kills or lets a node fail: nothing is left half done. */
typedef struct breaker {
    int what, kind; /* whose loss the watcher does not survive */
    simkit_node here, there;
    simkit_mailbox box;
    simkit_computation computation;
    simkit_process victim;
    int lost, woken;
} breaker;

static void watches_losses(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    breaker *b = (breaker *)user;
    int depth = 0;
    if (event->phase != SIMKIT_PHASE_LOST) return;
    ++b->lost;
    if (simkit_process_self(w) == 0 || (int)event->kind != b->kind) return;
    b->kind = 0;
    recurses(world, &depth);
}

static void is_broken(simkit_world *w, void *user)
{
    breaker *b = (breaker *)user;
    simkit_message message;
    if (b->what == 2)
        whatever(simkit_process_receive(w, b->box, &message));
    else
        whatever(
            simkit_process_compute(w, &(simkit_computation_desc){ .node = b->there, .seconds = 9 }, &b->computation));
    ++b->woken;
}

static void breaks(simkit_world *w, void *user)
{
    breaker *b = (breaker *)user;
    whatever(simkit_process_wait(w, 0.05));
    switch (b->what) {
    case 0: simkit_computation_cancel(w, b->computation); break;
    case 1:
    case 2: whatever(simkit_process_kill(w, b->victim)); break;
    default: whatever(simkit_node_fail(w, b->there));
    }
}

static void a_watcher_that_overflows_leaves_nothing_half_done(void **state)
{
    static const int kinds[] = { SIMKIT_WATCH_COMPUTE, SIMKIT_WATCH_TRANSFER, SIMKIT_WATCH_PROCESS, SIMKIT_WATCH_NODE };
    int overflows = 0;

    (void)state;
    catch_overflows();
    for (int what = 0; what < 4; ++what)
        for (int kind = 0; kind < 4; ++kind) {
            const simkit_node_desc slow = { .up_bandwidth = 1e6 };
            breaker b = { .what = what, .kind = kinds[kind] };
            reopen_world(&(simkit_world_desc){ .latency = 0.1 });
            b.here = add_node(&slow);
            b.there = add_node(NULL);
            assert_int_equal(simkit_mailbox_open(world, b.there, NULL, &b.box), SIMKIT_OK);
            assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_ALL, watches_losses, &b), SIMKIT_OK);
            assert_int_equal(
                simkit_process_start(world, &(simkit_process_desc){ .node = b.there, .body = is_broken, .user = &b },
                                     &b.victim),
                SIMKIT_OK);
            assert_int_equal(simkit_transfer_start(
                                 world, &(simkit_transfer_desc){ .from = b.here, .to = b.there, .bytes = 1e6 }, NULL),
                             SIMKIT_OK);
            spawn("breaker", b.here, breaks, &b);
            simkit_result result = simkit_world_run(world);
            if (result == SIMKIT_STACK_OVERFLOW) {
                ++overflows;
                assert_why_begins("at 0.05 s: process 'breaker' has used more than its ");
                whatever(
                    simkit_process_kill(world, b.victim)); /* where the watcher saw its end, it may be there still */
                result = simkit_world_run(world);
            }
            assert_int_equal(result, SIMKIT_OK);
            assert_int_equal(b.woken, what == 0 && kind > 0);
            assert_int_equal(simkit_node_running(world, b.there), 0);
            if (what == 3) assert_int_equal(b.lost, kind == 2 ? 5 : 4);
        }
    assert_int_equal(overflows, 8);
    sigaction(SIGSEGV, &uncaught, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(nothing_looks_for_who_overflowed),
        WORLD_TEST(a_guard_stops_an_overflow),
        WORLD_TEST(an_overflow_in_the_engine_harms_nobody),
        WORLD_TEST(every_call_needs_stack),
        WORLD_TEST(an_overflow_in_a_watcher_leaves_nothing),
        WORLD_TEST(a_watcher_that_overflows_leaves_nothing_half_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
