/* Room waiting of simkit.h: resources, conditions and barriers, as plays (stage.h); what a wait says, its handle, and its
 * memory. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "hook.h"
#include "stage.h"

/*=============================================================================
 * Resources
 *===========================================================================*/
static void units_go_to_the_first(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, wait 2, release r");
    enter("b: acquire r, wait 3, release r");
    enter("c: acquire r, wait 1, release r");
    TOLD("a.acquire@0 a.wait@2 b.acquire@2 b.wait@5 c.acquire@5 c.wait@6 ");
    assert_int_equal(available("r"), 1);
}

static void callbacks_and_processes_share_a_queue(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, wait 2, release r");
    enter("1: acquire r");
    enter("b: wait 1.5, acquire r, wait 1, release r");
    enter("3: release r, ask r");
    TOLD("a.acquire@0 b.wait@1.5 a.wait@2 1.acquire@2 b.acquire@3 b.wait@4 3.ask@4 ");
    assert_int_equal(available("r"), 0);
}

static void smaller_priorities_go_first(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, wait 1, release r");
    enter("b: acquire r 1 5, release r");
    enter("c: acquire r 1 5, release r");
    enter("d: acquire r 1 -5, release r");
    enter("e: acquire r 1 0, release r");
    TOLD("a.acquire@0 a.wait@1 d.acquire@1 e.acquire@1 b.acquire@1 c.acquire@1 ");
}

/* The head of the queue waits for three units, and blocks those who need one; but not those of smaller priority. */
static void the_head_of_a_queue_lets_none_pass(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire s 2, wait 2, release s 2");
    enter("b: acquire s 3, wait 1, release s 3");
    enter("c: acquire s 1");
    enter("d: acquire s 1 -1, wait 3, release s");
    TOLD("a.acquire@0 d.acquire@0 a.wait@2 d.wait@3 b.acquire@3 b.wait@4 c.acquire@4 ");

    open_all(); /* the same with callbacks */
    enter("0: ask s 2, ask s 3, ask s 1, ask s 1 -1");
    enter("1: release s 2");
    enter("2: release s 1");
    enter("3: release s 3");
    TOLD("0.ask@0 0.ask@0 0.ask@2 0.ask@3 ");
}

/* Who leaves the head of a queue lets the next have what is free. */
static void who_gives_up_lets_others_pass(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire s 2, wait 9, release s 2");
    enter("b: limit 2, acquire s 3, why");
    enter("c: acquire s 1");
    TOLD(
        "a.acquire@0 b.acquire=late@2 [at 2 s: process 'b' waited for 3 units of resource 's', until its time limit of "
        "2 s "
        "had passed] c.acquire@2 a.wait@9 ");

    open_all();
    enter("a: acquire s 2, wait 9, release s 2");
    enter("b: acquire s 3, why");
    enter("c: acquire s 1");
    enter("1: interrupt b");
    TOLD("a.acquire@0 c.acquire@1 b.acquire=interrupted@1 [at 1 s: process 'b' was interrupted] a.wait@9 ");

    open_all();
    enter("a: acquire s 2, wait 9, release s 2");
    enter("b: acquire s 3");
    enter("c: acquire s 1");
    enter("1: kill b");
    TOLD("a.acquire@0 c.acquire@1 a.wait@9 ");

    open_all();
    enter("0: ask s 2");
    enter("1: ask s 3");
    enter("2: ask s 1");
    enter("3: cancel 1, cancel 1");
    TOLD("0.ask@0 3.cancel:yes@3 3.cancel:no@3 2.ask@3 ");
}

static void semaphores_count(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire sem, acquire sem 2, acquire sem");
    enter("1: release sem");
    enter("2: release sem 3");
    TOLD("a.acquire@1 a.acquire@2 a.acquire@2 ");
    assert_int_equal(available("sem"), 0);
    assert_int_equal(simkit_resource_release(world, of_kind(RESOURCE, "sem"), UINT64_MAX), SIMKIT_OK);
    assert_int_equal(available("sem"), UINT64_MAX);
    assert_int_equal(simkit_resource_release(world, of_kind(RESOURCE, "sem"), 1), SIMKIT_BAD_CALL);
    simkit_resource all;
    assert_int_equal(simkit_semaphore_open(world, NULL, UINT64_MAX, &all), SIMKIT_OK);
    assert_int_equal(simkit_resource_release(world, all, 1), SIMKIT_BAD_CALL);
}

static void units_can_be_taken_at_the_start(void **state)
{
    (void)state;
    open_stage();
    resource("t", 4, 4);
    assert_int_equal(available("t"), 0);
    enter("a: acquire t 4");
    enter("1: release t 3");
    enter("2: release t 1");
    TOLD("a.acquire@2 ");
}

/* Units that were given and not seen go to the next: the release is at t = 1, and after it, before the receiver runs. */
static void units_unseen_go_to_the_next(void **state)
{
    static const char *const ends[] = { "1: release r, kill b", "1: release r, interrupt b, kill b" };
    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        open_all();
        enter("a: acquire r");
        enter("b: acquire r");
        enter("c: acquire r, wait 1, release r");
        enter(ends[i]);
        TOLD("a.acquire@0 c.acquire@1 c.wait@2 ");
        assert_int_equal(available("r"), 1);
    }
    open_all();
    enter("0: ask r");
    enter("0.1: ask r");
    enter("0.2: ask r");
    enter("1: release r, cancel 0.1");
    TOLD("0.ask@0 1.cancel:yes@1 0.2.ask@1 ");
    open_all(); /* even the first one */
    enter("0: ask r, cancel 0");
    enter("a: acquire r");
    TOLD("0.cancel:yes@0 a.acquire@0 ");
    open_all(); /* somebody has released them meanwhile: no unit comes back twice */
    enter("0: ask s 2, release s 1, cancel 0");
    TOLD("0.cancel:yes@0 ");
    assert_int_equal(available("s"), 3);
    open_all(); /* an interrupt that comes after the units is for the next wait */
    enter("a: acquire r");
    enter("b: acquire r, wait 5, wait 5");
    enter("1: release r, interrupt b");
    TOLD("a.acquire@0 b.acquire@1 b.wait=interrupted@1 b.wait@6 ");
}

static void a_closed_resource_ends_every_wait(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r");
    enter("b: acquire r, why");
    enter("1: ask r");
    enter("2: close r");
    TOLD(
        "a.acquire@0 b.acquire=closed@2 [at 2 s: the resource that process 'b' waited for was closed] 1.ask=closed@2 ");
    const simkit_resource r = of_kind(RESOURCE, "r");
    assert_int_equal(simkit_resource_close(world, r), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(simkit_resource_release(world, r, 1), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(simkit_resource_acquire(world, r, 1, 0, is_called, NULL, NULL), SIMKIT_UNKNOWN_PLACE);
    assert_why("at 2 s: a call names a resource that is closed, or was never in this world");
    assert_int_equal(simkit_resource_available(world, r), 0);
    assert_int_equal(simkit_resource_waiting(world, r), 0);

    open_all(); /* units that were given just before stay given, and those that were to go back go nowhere */
    enter("a: acquire r");
    enter("b: acquire r");
    enter("1: release r, close r");
    TOLD("a.acquire@0 b.acquire@1 ");
    open_all();
    enter("a: acquire r");
    enter("b: acquire r");
    enter("1: release r, close r, kill b");
    TOLD("a.acquire@0 ");
}

/* A process asks for the same resource twice. When that is closed, its second request goes, and must not let the one
 * behind it pass into a resource that is closing. */
static void nobody_gets_units_of_a_closing_resource(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire s 2");
    enter("b: choose s*3 s*2");
    enter("c: acquire s 1");
    enter("1: close s");
    TOLD("a.acquire@0 b.choose:s*3=closed@1 c.acquire=closed@1 ");
}

/*=============================================================================
 * Conditions
 *===========================================================================*/
static void a_signal_wakes_the_first(void **state)
{
    (void)state;
    open_all();
    enter("0: signal c"); /* without a wait: forgotten */
    enter("a: listen c");
    enter("b: listen c");
    enter("0.5: hark c");
    enter("d: wait 0.7, listen c");
    enter("1: signal c");
    enter("2: broadcast c");
    TOLD("d.wait@0.7 a.listen@1 b.listen@2 0.5.hark@2 d.listen@2 ");
    assert_int_equal(simkit_condition_waiting(world, of_kind(CONDITION, "c")), 0);
}

static void a_mutex_is_acquired_again(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, listen c r, wait 1, release r");
    enter("b: acquire r, listen c r, wait 1, release r");
    enter("p: wait 1, acquire r, broadcast c, wait 2, release r");
    TOLD("a.acquire@0 b.acquire@0 p.wait@1 p.acquire@1 p.wait@3 a.listen@3 a.wait@4 b.listen@4 b.wait@5 ");
    assert_int_equal(available("r"), 1);
}

/* The limit is for the signal. When it has passed, the mutex is still waited for. */
static void a_time_limit_keeps_the_mutex(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, limit 1, listen c r, why, wait 1, release r");
    enter("p: acquire r, wait 3, release r");
    TOLD("a.acquire@0 p.acquire@0 p.wait@3 a.listen=late@3 [at 3 s: process 'a' waited for a condition: the time limit "
         "of the wait has passed; then it waited for its mutex] a.wait@4 ");
    open_all();
    enter("a: acquire r, limit 1, listen c r, why, wait 1, release r");
    TOLD("a.acquire@0 a.listen=late@1 [at 1 s: process 'a' waited for condition 'c', until its time limit of 1 s had "
         "passed] "
         "a.wait@2 ");
}

/* An interrupt of the wait for the signal; and one of the wait for the mutex, which is kept for the next wait. */
static void an_interrupt_keeps_the_mutex(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, listen c r, why, wait 1, release r");
    enter("p: acquire r, wait 3, release r");
    enter("1: interrupt a");
    TOLD("a.acquire@0 p.acquire@0 p.wait@3 a.listen=interrupted@3 [at 3 s: process 'a' waited for a "
         "condition: the wait was interrupted; then it waited for its mutex] a.wait@4 ");
    open_all();
    enter("a: acquire r, listen c r, wait 9, wait 1, release r");
    enter("p: acquire r, wait 3, release r");
    enter("1: signal c");
    enter("2: interrupt a");
    TOLD("a.acquire@0 p.acquire@0 p.wait@3 a.listen@3 a.wait=interrupted@3 a.wait@4 ");
    assert_int_equal(available("r"), 1);
    open_all(); /* both */
    enter("a: acquire r, listen c r, wait 9, wait 1, release r");
    enter("p: acquire r, wait 3, release r");
    enter("1: interrupt a");
    enter("2: interrupt a");
    TOLD("a.acquire@0 p.acquire@0 p.wait@3 a.listen=interrupted@3 a.wait=interrupted@3 a.wait@4 ");
    open_all(); /* before: the mutex was never released */
    enter("a: acquire r, interrupt a, listen c r, wait 1, release r");
    TOLD("a.acquire@0 a.listen=interrupted@0 a.wait@1 ");
    assert_int_equal(available("r"), 1);
}

static void a_condition_or_its_mutex_is_closed(void **state)
{
    (void)state;
    open_all();
    enter("a: acquire r, listen c r, wait 1, release r");
    enter("p: acquire r, wait 3, release r");
    enter("1: close c");
    TOLD("a.acquire@0 p.acquire@0 p.wait@3 a.listen=closed@3 a.wait@4 ");
    assert_int_equal(simkit_condition_signal(world, of_kind(CONDITION, "c")), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(simkit_condition_broadcast(world, of_kind(CONDITION, "c")), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(simkit_condition_close(world, of_kind(CONDITION, "c")), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(available("r"), 1);
    open_all();
    enter("a: acquire r, listen c r");
    enter("1: close r");
    enter("2: signal c");
    TOLD("a.acquire@0 a.listen=closed@2 ");
    open_all();
    enter("a: acquire r, listen c r");
    enter("p: acquire r, wait 3");
    enter("1: signal c");
    enter("2: close r");
    TOLD("a.acquire@0 p.acquire@0 a.listen=closed@2 p.wait@3 ");
    open_all();
    enter("a: listen c r, why");
    TOLD("a.listen=bad call@0 [at 0 s: process 'a' waits for condition 'c', but resource 'r' is not taken] ");
}

static void a_signal_unseen_goes_to_the_next(void **state)
{
    (void)state;
    open_all();
    enter("a: listen c");
    enter("b: listen c");
    enter("1: signal c, kill a");
    TOLD("b.listen@1 ");
    open_all();
    enter("0: hark c");
    enter("0.1: hark c");
    enter("1: signal c, cancel 0");
    TOLD("1.cancel:yes@1 0.1.hark@1 ");
    open_all(); /* that of a broadcast does not: they had theirs, and who comes later has not */
    enter("a: listen c");
    enter("b: listen c");
    enter("1: broadcast c, hark c, kill a");
    TOLD("b.listen@1 ");
    assert_int_equal(simkit_condition_waiting(world, of_kind(CONDITION, "c")), 1);
    open_all(); /* of a condition that was closed meanwhile: nobody gets it */
    enter("a: listen c");
    enter("1: signal c, close c, kill a");
    TOLD("");
}

/*=============================================================================
 * Barriers
 *===========================================================================*/
static void a_barrier_serves_again_and_again(void **state)
{
    (void)state;
    open_all();
    enter("a: wait 1, arrive b, arrive b");
    enter("b: wait 2, arrive b, wait 2, arrive b");
    enter("c: wait 3, arrive b, wait 3, arrive b");
    TOLD("a.wait@1 b.wait@2 c.wait@3 c.arrive@3 a.arrive@3 b.arrive@3 b.wait@5 c.wait@6 c.arrive@6 a.arrive@6 "
         "b.arrive@6 ");
    open_all();
    enter("0: come b");
    enter("1: come b, come b, come b");
    enter("2: come b");
    enter("a: wait 3, arrive b");
    TOLD("0.come@1 1.come@1 1.come@1 a.wait@3 a.arrive@3 1.come@3 2.come@3 ");
    open_stage();
    barrier("one", 1);
    enter("a: arrive one, arrive one");
    enter("0: come one");
    TOLD("a.arrive@0 a.arrive@0 0.come@0 ");
}

/* Who gives up has not arrived; who was let go has. */
static void who_leaves_a_barrier_has_not_arrived(void **state)
{
    (void)state;
    open_all();
    enter("a: limit 1, arrive b, why, wait 2, arrive b");
    enter("b: arrive b");
    enter("c: wait 2, arrive b");
    TOLD("a.arrive=late@1 [at 1 s: process 'a' waited at barrier 'b', where 2 of 3 have arrived, until its time limit "
         "of 1 s had passed] c.wait@2 a.wait@3 a.arrive@3 b.arrive@3 c.arrive@3 ");
    open_all();
    enter("0: come b");
    enter("1: come b");
    enter("2: cancel 0, come b");
    enter("3: come b, cancel 1");
    TOLD("2.cancel:yes@2 3.cancel:yes@3 2.come@3 3.come@3 ");
    open_all();
    enter("a: arrive b");
    enter("b: arrive b");
    enter("1: kill a");
    enter("2: come b");
    enter("3: interrupt b");
    TOLD("b.arrive=interrupted@3 ");
    assert_int_equal(simkit_barrier_waiting(world, of_kind(BARRIER, "b")), 1);
}

static void a_closed_barrier_ends_every_wait(void **state)
{
    (void)state;
    open_all();
    enter("a: arrive b");
    enter("0: come b");
    enter("1: close b");
    TOLD("a.arrive=closed@1 0.come=closed@1 ");
    const simkit_barrier b = of_kind(BARRIER, "b");
    assert_int_equal(simkit_barrier_close(world, b), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(simkit_barrier_arrive(world, b, is_called, NULL, NULL), SIMKIT_UNKNOWN_PLACE);
    assert_int_equal(simkit_barrier_waiting(world, b), 0);
    open_all(); /* all have come before */
    enter("a: arrive b");
    enter("0: come b, come b, close b");
    TOLD("a.arrive@0 0.come@0 0.come@0 ");
}

/*=============================================================================
 * Sentences, handles, memory
 *===========================================================================*/
/* The sentence about a time limit is only made when it is asked for, which may be late. */
static void a_sentence_can_wait(void **state)
{
    (void)state;
    open_all();
    enter("a: limit 1, listen c, wait 1, close c, why");
    TOLD("a.listen=late@1 a.wait@2 [at 1 s: process 'a' waited for what has been closed or has ended since, until its "
         "time "
         "limit of 1 s had passed] ");
    open_all();
    enter("p: wait 3");
    enter("a: limit 1, choose m c p sem d");
    enter("2: why");
    TOLD("a.choose:none=late@1 [at 1 s: process 'a' waited for a message in mailbox 'm', or for condition 'c', or for "
         "the end "
         "of process 'p', or for 2 more, until its time limit of 1 s had passed] p.wait@3 ");
    open_all(); /* nobody asked while the process was there */
    enter("p: wait 3");
    enter("a: limit 1, choose c p");
    TOLD("a.choose:none=late@1 p.wait@3 ");
    assert_why(
        "at 1 s: process 'a' waited for condition 'c', or for what has been closed or has ended since, until its time "
        "limit of 1 s had passed");
    open_all(); /* the next error is told instead */
    enter("a: limit 1, suspend, release r, why, interrupt a, wait 1");
    TOLD("a.suspend=late@1 a.release=bad call@1 [at 1 s: 1 units of resource 'r' were released, but only 0 of its 1 "
         "are taken] "
         "a.wait=interrupted@1 ");
    assert_why("at 1 s: process 'a' was interrupted before this call");
}

static void a_deadlock_names_what_everyone_waits_for(void **state)
{
    (void)state;
    open_stage();
    resource("r", 1, 0);
    resource("q", 1, 0);
    enter("a: acquire r, wait 1, acquire q");
    enter("b: acquire q, wait 1, acquire r");
    STUCK("a.acquire@0 b.acquire@0 a.wait@1 b.wait@1 ");
    assert_why(
        "at 1 s: no event is left, but 2 processes wait: process 'a' on node 'near' for 1 unit of resource 'q', which "
        "process 'b' has; process 'b' on node 'near' for 1 unit of resource 'r', which process 'a' has");
    open_all();
    enter("a: arrive b");
    enter("b: listen c");
    enter("d: join a");
    enter("e: acquire s 2, acquire s 2");
    STUCK("e.acquire@0 ");
    assert_why(
        "at 0 s: no event is left, but 4 processes wait: process 'a' on node 'near' at barrier 'b', where 1 of 3 have "
        "arrived; process 'b' on node 'near' for condition 'c'; process 'd' on node 'near' for the end of process 'a'; "
        "process 'e' on node "
        "'near' for 2 units of resource 's'");
    open_all();
    enter("a: choose m c sem");
    enter("b: send n 1, send n 2");
    STUCK("b.send:1@0 ");
    assert_why("at 0 s: no event is left, but 2 processes wait: process 'a' on node 'near' for a message in mailbox "
               "'m', or for "
               "condition 'c', or for 1 unit of resource 'sem'; process 'b' on node 'near' for room in mailbox 'n'");
    open_all(); /* somebody else's mutex */
    enter("a: acquire r, wait 2, release r");
    enter("b: wait 1, listen c r, why");
    TOLD("a.acquire@0 b.wait@1 b.listen=bad call@1 [at 1 s: process 'b' waits for condition 'c' with resource 'r', "
         "which "
         "process 'a' has] a.wait@2 ");
    open_all(); /* a mutex whose holder has ended, and one that a callback has */
    enter("a: acquire r");
    enter("b: wait 1, acquire r");
    STUCK("a.acquire@0 b.wait@1 ");
    assert_why("at 1 s: no event is left, but 1 process waits: process 'b' on node 'near' for 1 unit of resource 'r', "
               "which a process had that has ended");
    open_all();
    enter("0: ask r");
    enter("b: wait 1, acquire r");
    STUCK("0.ask@0 b.wait@1 ");
    assert_why("at 1 s: no event is left, but 1 process waits: process 'b' on node 'near' for 1 unit of resource 'r'");
}
static int called;

static void is_counted(simkit_world *w, void *user, simkit_result result)
{
    (void)w, (void)user, (void)result;
    ++called;
}

static void counts_message(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w, (void)user, (void)message;
    ++called;
}

static void stale_handles_do_nothing(void **state)
{
    simkit_resource r[3];
    simkit_condition c;
    simkit_barrier b;
    simkit_mailbox m;
    simkit_wait wait[4], later[4];
    (void)state;
    called = 0;
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &m), SIMKIT_OK);
    for (int round = 0; round < 100; ++round) {
        assert_int_equal(simkit_resource_open(world, NULL, &r[0]), SIMKIT_OK);
        assert_int_equal(simkit_condition_open(world, NULL, &c), SIMKIT_OK);
        assert_int_equal(simkit_barrier_open(world, NULL, 2, &b), SIMKIT_OK);
        assert_true(r[0] != c && c != b && r[0] != b);
        assert_int_equal(simkit_resource_release(world, c, 1), SIMKIT_UNKNOWN_PLACE); /* of another kind */
        assert_int_equal(simkit_condition_signal(world, b), SIMKIT_UNKNOWN_PLACE);
        assert_int_equal(simkit_barrier_close(world, r[0]), SIMKIT_UNKNOWN_PLACE);
        assert_int_equal(simkit_resource_acquire(world, r[0], 1, 0, is_counted, NULL, &wait[0]), SIMKIT_OK);
        assert_int_equal(simkit_condition_wait(world, c, is_counted, NULL, &wait[1]), SIMKIT_OK);
        assert_int_equal(simkit_barrier_arrive(world, b, is_counted, NULL, &wait[2]), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_take(world, m, counts_message, NULL, &wait[3]), SIMKIT_OK);
        if (round)
            for (int i = 0; i < 4; ++i) assert_false(simkit_wait_cancel(world, later[i])); /* of the round before */
        for (int i = 0; i < 4; ++i) assert_true(wait[i] != 0 && (!round || wait[i] != later[i]));
        if (round % 2) {
            assert_int_equal(simkit_resource_close(world, r[0]), SIMKIT_OK);
            assert_int_equal(simkit_condition_close(world, c), SIMKIT_OK);
            assert_int_equal(simkit_barrier_close(world, b), SIMKIT_OK);
            assert_int_equal(simkit_resource_open(world, NULL, &r[1]), SIMKIT_OK); /* their places are used again */
            assert_int_equal(simkit_resource_open(world, NULL, &r[2]), SIMKIT_OK);
        }
        for (int i = 0; i < 4; ++i) {
            if (round % 4 < 2) assert_true(simkit_wait_cancel(world, wait[i]));
            if (round % 4 < 2) assert_false(simkit_wait_cancel(world, wait[i]));
            later[i] = wait[i];
        }
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        if (round % 2) {
            assert_int_equal(simkit_resource_available(world, r[1]), 1);
            assert_int_equal(simkit_resource_available(world, r[2]), 1);
            assert_int_equal(simkit_resource_close(world, r[1]), SIMKIT_OK);
            assert_int_equal(simkit_resource_close(world, r[2]), SIMKIT_OK);
            assert_int_equal(simkit_resource_release(world, r[0], 1), SIMKIT_UNKNOWN_PLACE);
        } else {
            assert_int_equal(simkit_resource_available(world, r[0]), round % 4 < 2);
            assert_int_equal(simkit_resource_close(world, r[0]), SIMKIT_OK);
            assert_int_equal(simkit_condition_close(world, c), SIMKIT_OK);
            assert_int_equal(simkit_barrier_close(world, b), SIMKIT_OK);
        }
        if (round % 4 >= 2) {
            assert_int_equal(simkit_mailbox_close(world, m), SIMKIT_OK);
            assert_int_equal(simkit_mailbox_open(world, node, NULL, &m), SIMKIT_OK);
        }
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    }
    assert_int_equal(called, 25 * 8);
}

static void what_is_wrong_is_refused(void **state)
{
    simkit_resource r = 7;
    simkit_condition c = 7;
    simkit_barrier b = 7;
    simkit_wait wait = 7;
    (void)state;
    const simkit_node node = add_node(NULL);
    simkit_mailbox m;
    assert_int_equal(simkit_resource_open(world, &(simkit_resource_desc){ .name = "x", .capacity = 2, .taken = 3 }, &r),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: resource 'x' has 2 units, but 3 are taken at the start");
    assert_int_equal(r, 0);
    assert_int_equal(simkit_resource_open(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a resource needs a pointer for its handle");
    assert_int_equal(simkit_semaphore_open(world, NULL, 1, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_condition_open(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a condition needs a pointer for its handle");
    assert_int_equal(simkit_barrier_open(world, NULL, 0, &b), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(b, 0);
    assert_int_equal(simkit_barrier_open(world, NULL, 1, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_resource_open(world, NULL, &r), SIMKIT_OK);
    assert_int_equal(simkit_resource_acquire(world, r, 0, 0, is_counted, NULL, &wait), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(wait, 0);
    assert_why("at 0 s: 0 units of resource 1 were asked for, expected 1 to 1");
    assert_int_equal(simkit_resource_acquire(world, r, 2, 0, is_counted, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_resource_acquire(world, r, 1, 0, NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a wait for resource 1 needs a function to call");
    assert_int_equal(simkit_resource_release(world, r, 0), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: 0 units of resource 1 were released");
    assert_int_equal(simkit_resource_release(world, r, 1), SIMKIT_BAD_CALL);
    assert_why("at 0 s: 1 units of resource 1 were released, but only 0 of its 1 are taken");
    assert_int_equal(simkit_condition_open(world, NULL, &c), SIMKIT_OK);
    assert_int_equal(simkit_condition_wait(world, c, NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a wait for condition 1 needs a function to call"); /* counted by kind */
    assert_int_equal(simkit_barrier_open(world, NULL, 1, &b), SIMKIT_OK);
    assert_int_equal(simkit_barrier_arrive(world, b, NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a wait for barrier 1 needs a function to call");
    assert_int_equal(simkit_mailbox_bound(world, 9, 1), SIMKIT_UNKNOWN_MAILBOX);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &m), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_close(world, m), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_bound(world, m, 1), SIMKIT_MAILBOX_CLOSED);
    assert_false(simkit_wait_cancel(world, 0));
    assert_false(simkit_wait_cancel(world, UINT64_MAX));
    assert_false(simkit_wait_cancel(world, 1));
    assert_false(simkit_wait_cancel(NULL, 1));
    assert_int_equal(simkit_resource_open(NULL, NULL, &r), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_semaphore_open(NULL, NULL, 0, &r), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_resource_close(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_resource_acquire(NULL, 1, 1, 0, is_counted, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_resource_release(NULL, 1, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_resource_available(NULL, 1), 0);
    assert_int_equal(simkit_resource_waiting(NULL, 1), 0);
    assert_int_equal(simkit_condition_open(NULL, NULL, &c), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_condition_close(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_condition_wait(NULL, 1, is_counted, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_condition_signal(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_condition_broadcast(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_condition_waiting(NULL, 1), 0);
    assert_int_equal(simkit_barrier_open(NULL, NULL, 1, &b), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_barrier_close(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_barrier_arrive(NULL, 1, is_counted, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_barrier_waiting(NULL, 1), 0);
    assert_int_equal(simkit_mailbox_bound(NULL, 1, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_process_ended(NULL, 1, is_counted, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_null(simkit_process_user(NULL, 1));
    assert_null(simkit_process_user(world, 1));
    assert_null(simkit_process_user(world, 0));
}

static void knows_its_user(simkit_world *w, void *user)
{
    assert_ptr_equal(simkit_process_user(w, 0), user);
    assert_ptr_equal(simkit_process_user(w, simkit_process_self(w)), user);
    whatever(simkit_process_wait(w, 1));
    ++*(int *)user;
}

static void a_process_has_a_user(void **state)
{
    int user = 0;
    simkit_process p;
    (void)state;
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = knows_its_user, .user = &user }, &p),
                     SIMKIT_OK);
    assert_ptr_equal(simkit_process_user(world, p), &user);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(user, 1);
    assert_null(simkit_process_user(world, p));
}

/* A play that uses everything while the hook says no from some allocation on, or once. Every call answers that there is no
 * memory or does its work; nothing leaks, and afterwards the world still runs. */
typedef struct starving {
    hook h;
    simkit_world *world;
    simkit_node node;
    simkit_resource r, mutex;
    simkit_condition c;
    simkit_barrier b;
    simkit_mailbox m;
    int lacked, ended;
} starving;

static bool fed(starving *s, simkit_result result)
{
    if (result == SIMKIT_OK || result == SIMKIT_TIMED_OUT || result == SIMKIT_INTERRUPTED || result == SIMKIT_CLOSED)
        return result == SIMKIT_OK;
    if (result != SIMKIT_NO_MEMORY) fail_msg("%s: %s", simkit_result_text(result), simkit_world_why(s->world));
    ++s->lacked;
    return false;
}

static void starves(simkit_world *w, void *user)
{
    starving *s = (starving *)user;
    simkit_choice any[6];
    simkit_computation job;
    simkit_transfer transfer;
    simkit_message message;
    for (int i = 0; i < 3; ++i) {
        memset(any, 0, sizeof any);
        fed(s, simkit_process_limit(w, 5));
        if (fed(s, simkit_process_acquire(w, s->r, 2, i)) && fed(s, simkit_process_wait(w, 0.1)))
            whatever(simkit_resource_release(w, s->r, 2));
        if (fed(s, simkit_process_acquire(w, s->mutex, 1, 0))) {
            fed(s, simkit_process_limit(w, 1));
            const uint64_t before = simkit_resource_available(w, s->mutex);
            assert_int_equal(before, 0);
            fed(s, simkit_process_listen(w, s->c, s->mutex));
            assert_int_equal(simkit_resource_available(w, s->mutex), 0); /* whatever it returned */
            fed(s, simkit_resource_release(w, s->mutex, 1));
        }
        fed(s, simkit_process_limit(w, 3));
        fed(s, simkit_process_arrive(w, s->b));
        any[0].resource = s->r;
        any[0].units = 3;
        any[1].condition = s->c;
        any[2].mailbox = s->m;
        size_t count = 3;
        if (fed(s, simkit_computation_start(w, &(simkit_computation_desc){ .node = s->node, .seconds = 2 }, &job)))
            any[count++].computation = job;
        if (fed(s, simkit_mailbox_post(w, &(simkit_post_desc){ .from = s->node, .to = s->m, .bytes = 100 }, &transfer)))
            any[count++].transfer = transfer;
        fed(s, simkit_process_choose(w, any, count, NULL, &message));
        fed(s, simkit_condition_signal(w, s->c));
        fed(s, simkit_process_limit(w, 2));
        fed(s, simkit_process_receive(w, s->m, &message));
    }
    ++s->ended;
}

static void serves(simkit_world *w, void *user)
{
    starving *s = (starving *)user;
    fed(s, simkit_resource_acquire(w, s->r, 1, 0, is_counted, NULL, NULL));
    fed(s, simkit_condition_wait(w, s->c, is_counted, NULL, NULL));
    fed(s, simkit_barrier_arrive(w, s->b, is_counted, NULL, NULL));
    fed(s, simkit_mailbox_take(w, s->m, counts_message, NULL, NULL));
    if (simkit_resource_available(w, s->r) < 3)
        whatever(simkit_resource_release(w, s->r, 1)); /* perhaps those of a process */
    fed(s, simkit_mailbox_bound(w, s->m, simkit_clock_now(w) < 5 ? 1 : 0));
}

/* Gives whether the hook said no. */
static bool starve(long allowed, bool once, bool open)
{
    starving s;
    memset(&s, 0, sizeof s);
    s.h.left = open ? allowed : -1;
    s.h.once = once;
    const simkit_world_desc desc = { .memory = { .reallocate = reallocate, .user = &s.h } };
    if (simkit_world_open(&desc, &s.world) == SIMKIT_OK) {
        simkit_process p[4] = { 0, 0, 0, 0 };
        if (fed(&s, simkit_node_add(s.world, NULL, &s.node)) &&
            fed(&s, simkit_mailbox_open(s.world, s.node, "m", &s.m)) &&
            fed(&s, simkit_resource_open(s.world, &(simkit_resource_desc){ .name = "r", .capacity = 3 }, &s.r)) &&
            fed(&s, simkit_resource_open(s.world, NULL, &s.mutex)) &&
            fed(&s, simkit_condition_open(s.world, "c", &s.c)) &&
            fed(&s, simkit_barrier_open(s.world, NULL, 2, &s.b))) {
            if (!open) s.h.left = allowed;
            int started = 0;
            for (int i = 0; i < 4; ++i)
                started += fed(
                    &s, simkit_process_start(s.world, &(simkit_process_desc){ .body = starves, .user = &s }, &p[i]));
            for (int i = 0; i < 10; ++i) fed(&s, simkit_step_at(s.world, i, 0, serves, &s, NULL));
            if (p[0]) fed(&s, simkit_process_ended(s.world, p[0], is_counted, NULL, NULL));
            assert_int_equal(simkit_world_run_until(s.world, 2), SIMKIT_OK);
            if (p[1]) whatever(simkit_process_interrupt(s.world, p[1]));
            if (p[2] && simkit_process_kill(s.world, p[2]) == SIMKIT_OK) --started;
            whatever(simkit_world_run_until(s.world, 1000));
            s.h.left = -1; /* there is memory again: what is left over can be ended */
            assert_int_equal(simkit_condition_broadcast(s.world, s.c), SIMKIT_OK);
            for (int i = 0; i < 40; ++i) {
                for (int k = 0; k < 4; ++k)
                    if (p[k]) (void)(simkit_process_interrupt(s.world, p[k]) == SIMKIT_OK);
                if (simkit_resource_available(s.world, s.mutex) == 0)
                    whatever(simkit_resource_release(s.world, s.mutex, 1));
                assert_int_equal(simkit_world_run_until(s.world, 1001 + i), SIMKIT_OK);
            }
            assert_int_equal(s.ended, started);
        }
        simkit_world_close(s.world);
    }
    assert_int_equal(s.h.held, 0);
    assert_int_equal(s.h.blocks, 0);
    if (s.h.refused) assert_true(s.lacked > 0 || s.world == NULL || once);
    return s.h.refused;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int how = 0; how < 4; ++how) {
        long allowed = 0;
        while (starve(allowed, how % 2, how / 2)) ++allowed;
        assert_in_range(allowed, 10, 300);
    }
}

/* A process that is interrupted while it has released its mutex gets it again even when all memory for waits has gone to
 * others at that instant. */
static simkit_process listener;

static void listens_and_locks(simkit_world *w, void *user)
{
    starving *s = (starving *)user;
    assert_int_equal(simkit_process_acquire(w, s->mutex, 1, 0), SIMKIT_OK);
    assert_int_equal(simkit_process_listen(w, s->c, s->mutex), SIMKIT_INTERRUPTED);
    assert_true(simkit_clock_now(w) == 3);
    assert_int_equal(simkit_resource_available(w, s->mutex), 0);
    ++s->ended;
}

static void locks(simkit_world *w, void *user)
{
    starving *s = (starving *)user;
    assert_int_equal(simkit_process_acquire(w, s->mutex, 1, 0), SIMKIT_OK);
    assert_int_equal(simkit_process_wait(w, 3), SIMKIT_OK);
    s->h.left = -1;
    assert_int_equal(simkit_resource_release(w, s->mutex, 1), SIMKIT_OK);
}

static void eats_all(simkit_world *w, void *user)
{
    starving *s = (starving *)user;
    simkit_condition other;
    assert_int_equal(simkit_condition_open(w, NULL, &other), SIMKIT_OK);
    assert_int_equal(simkit_process_interrupt(w, listener), SIMKIT_OK);
    s->h.left = 0;
    while (simkit_condition_wait(w, other, is_counted, NULL, NULL) == SIMKIT_OK) ++s->lacked;
}

static void a_mutex_needs_no_memory(void **state)
{
    starving s;
    (void)state;
    memset(&s, 0, sizeof s);
    s.h.left = -1;
    reopen_world(&(simkit_world_desc){ .memory = { .reallocate = reallocate, .user = &s.h } });
    simkit_step steps[1000]; /* room for timers: what there will be no memory for is waits */
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(simkit_step_at(world, 9, 0, eats_all, NULL, &steps[i]), SIMKIT_OK);
    for (int i = 0; i < 1000; ++i) simkit_step_cancel(world, steps[i]);
    assert_int_equal(simkit_resource_open(world, NULL, &s.mutex), SIMKIT_OK);
    assert_int_equal(simkit_condition_open(world, NULL, &s.c), SIMKIT_OK);
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .body = listens_and_locks, .user = &s }, &listener),
        SIMKIT_OK);
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = locks, .user = &s }, NULL), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1, 0, eats_all, &s, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(s.ended, 1);
    assert_true(s.lacked > 0);
    reopen_world(NULL); /* the hook is on this stack */
}

/* Waits with a callback are part of the fingerprint, by what ends them, when, and in which order. */
static uint64_t fingerprint(int what)
{
    simkit_resource r;
    simkit_wait first;
    reopen_world(NULL);
    assert_int_equal(simkit_fingerprint_begin(world), SIMKIT_OK);
    assert_int_equal(simkit_resource_open(world, NULL, &r), SIMKIT_OK);
    assert_int_equal(simkit_resource_acquire(world, r, 1, 0, is_counted, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_resource_acquire(world, r, 1, what == 1, is_counted, NULL, &first), SIMKIT_OK);
    assert_int_equal(simkit_resource_acquire(world, r, 1, 0, is_counted, NULL, NULL), SIMKIT_OK);
    if (what == 2) assert_true(simkit_wait_cancel(world, first));
    if (what == 3) assert_int_equal(simkit_resource_close(world, r), SIMKIT_OK);
    for (int i = 0; i < 2 && what != 3; ++i) assert_int_equal(simkit_resource_release(world, r, 1), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    return simkit_fingerprint_value(world);
}

static void waits_are_in_the_fingerprint(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
            if ((fingerprint(i) == fingerprint(k)) != (i == k)) fail_msg("%d and %d", i, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(units_go_to_the_first),
        WORLD_TEST(callbacks_and_processes_share_a_queue),
        WORLD_TEST(smaller_priorities_go_first),
        WORLD_TEST(the_head_of_a_queue_lets_none_pass),
        WORLD_TEST(who_gives_up_lets_others_pass),
        WORLD_TEST(semaphores_count),
        WORLD_TEST(units_can_be_taken_at_the_start),
        WORLD_TEST(units_unseen_go_to_the_next),
        WORLD_TEST(a_closed_resource_ends_every_wait),
        WORLD_TEST(nobody_gets_units_of_a_closing_resource),
        WORLD_TEST(a_signal_wakes_the_first),
        WORLD_TEST(a_mutex_is_acquired_again),
        WORLD_TEST(a_time_limit_keeps_the_mutex),
        WORLD_TEST(an_interrupt_keeps_the_mutex),
        WORLD_TEST(a_condition_or_its_mutex_is_closed),
        WORLD_TEST(a_signal_unseen_goes_to_the_next),
        WORLD_TEST(a_barrier_serves_again_and_again),
        WORLD_TEST(who_leaves_a_barrier_has_not_arrived),
        WORLD_TEST(a_closed_barrier_ends_every_wait),
        WORLD_TEST(a_sentence_can_wait),
        WORLD_TEST(a_deadlock_names_what_everyone_waits_for),
        WORLD_TEST(stale_handles_do_nothing),
        WORLD_TEST(what_is_wrong_is_refused),
        WORLD_TEST(a_process_has_a_user),
        WORLD_TEST(every_allocation_may_fail),
        WORLD_TEST(a_mutex_needs_no_memory),
        WORLD_TEST(waits_are_in_the_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
