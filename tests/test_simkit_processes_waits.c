/* Room processes of simkit.h: waits for the end of a process and for the first of several things, time limits and
 * interrupts, as plays (stage.h). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "stage.h"

/*=============================================================================
 * The end of a process
 *===========================================================================*/
static void the_end_of_a_process_is_waited_for(void **state)
{
    (void)state;
    open_all();
    enter("p: wait 2");
    enter("a: join p, join p"); /* the second time it has ended */
    enter("1: ended p");
    enter("3: ended p");
    TOLD("p.wait@2 a.join@2 a.join@2 1.ended@2 3.ended@3 ");
    open_all(); /* a kill, by itself too, and the failure of its node */
    enter("p: wait 9");
    enter("q: wait 2, kill q");
    enter("1: ended p, ended q, kill p");
    TOLD("1.ended@1 q.wait@2 1.ended@2 ");
    open_all();
    simkit_process p;
    actor far = { .script = "wait 9" };
    strcpy(far.name, "far");
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .node = stage.far, .body = performs, .user = &far }, &p),
        SIMKIT_OK);
    thing_new(PROCESS, "p", p);
    enter("a: join p");
    enter("1: fail far, ended p");
    TOLD("a.join@1 1.ended@1 ");
    assert_int_equal(simkit_process_ended(world, p, is_called, label_new("x", "y"), NULL), SIMKIT_OK);
    open_all(); /* it ends before the one that joins it is asked */
    enter("p: wait 2");
    enter("a: limit 2, join p");
    enter("b: limit 1, join p, join p");
    enter("1.5: ended p");
    enter("1.7: cancel 1.5");
    TOLD("b.join=late@1 1.7.cancel:yes@1.7 p.wait@2 a.join@2 b.join@2 ");
}

static void what_never_was_a_process_is_refused(void **state)
{
    (void)state;
    open_all();
    enter("p: wait 1");
    const simkit_process p = of_kind(PROCESS, "p"), other = p + ((uint64_t)1 << 32);
    TOLD("p.wait@1 ");
    assert_int_equal(simkit_process_ended(world, p, is_called, label_new("x", "ended"), NULL), SIMKIT_OK);
    /* of a seat that is free, the handle that the next process there will have */
    assert_int_equal(simkit_process_ended(world, other, is_called, NULL, NULL), SIMKIT_UNKNOWN_PROCESS);
    assert_why("at 1 s: a call waits for the end of a process that never existed");
    assert_int_equal(simkit_process_ended(world, other + ((uint64_t)1 << 32), is_called, NULL, NULL),
                     SIMKIT_UNKNOWN_PROCESS);
    assert_int_equal(simkit_process_ended(world, 0, is_called, NULL, NULL), SIMKIT_UNKNOWN_PROCESS);
    assert_int_equal(simkit_process_ended(world, p + 1, is_called, NULL, NULL), SIMKIT_UNKNOWN_PROCESS);
    assert_int_equal(simkit_process_ended(world, p, NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    TOLD("p.wait@1 x.ended@1 ");
    enter("q: wait 1");
    assert_int_equal(of_kind(PROCESS, "q"), other);
    assert_int_equal(simkit_process_ended(world, other, is_called, label_new("y", "ended"), NULL), SIMKIT_OK);
    TOLD("p.wait@1 x.ended@1 q.wait@2 y.ended@2 ");
}

/*=============================================================================
 * The first of several things
 *===========================================================================*/
static void each_kind_can_be_chosen(void **state)
{
    static const struct {
        const char *how, *told;
    } cases[] = {
        { "1: post m x", "1.x:done@1 a.choose:m,x@1 " },
        { "1: release r", "a.choose:r@1 " },
        { "1: signal c", "a.choose:c@1 " },
        { "1: broadcast c", "a.choose:c@1 " },
        { "1: kill p", "a.choose:p@1 " },
        { "1: drop j", "1.drop:yes@1 a.choose:j=cancelled@1 " },
        { "1: drop t", "1.drop:yes@1 a.choose:t=cancelled@1 " },
        { "1: close m", "a.choose:m=shut@1 " },
        { "1: close r", "a.choose:r=closed@1 " },
        { "1: close c", "a.choose:c=closed@1 " },
        { "1: fail far", "0.j:lost@1 0.t:lost@1 a.choose:j=lost@1 " },
        { "1: interrupt a", "a.choose:none=interrupted@1 " },
        { "1: kill a", "" },
        { "1: bound m 1", "0.j:done@20 a.choose:j@20 0.t:done@21 " },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        open_all();
        enter("0: start j 20, post m t 21e6, ask r");
        enter("p: suspend");
        enter("a: choose m r c p j t, kill p, interrupt a"); /* an interrupt that nobody feels */
        enter(cases[i].how);
        stage.ran = simkit_world_run_until(world, i == 13 ? 30 : 15);
        char told[400];
        snprintf(told, sizeof told, "0.ask@0 %s", cases[i].told);
        if (strcmp(stage.told, told) != 0) fail_msg("%s\n  told %s\n  not  %s", cases[i].how, stage.told, told);
        assert_int_equal(simkit_resource_waiting(world, of_kind(RESOURCE, "r")), i == 8 ? 0 : 0);
        assert_int_equal(simkit_condition_waiting(world, of_kind(CONDITION, "c")), 0);
    }
}

static void what_is_there_already_is_taken(void **state)
{
    (void)state;
    open_all();
    enter("0: post m x, start j 0, start k 5, post m _t");
    enter("p: wait 0");
    enter("a: wait 1, choose c s m, choose m s, choose c s, choose c p, choose k j, choose m k, why");
    TOLD("0.x:done@0 0.j:done@0 p.wait@0 a.wait@1 a.choose:s@1 a.choose:m,x@1 a.choose:s@1 a.choose:p@1 a.choose:j@1 "
         "a.choose:m,_t@1 [] 0.k:done@5 ");
}

static void two_may_wait_for_one_end(void **state)
{
    (void)state;
    open_all();
    enter("0: start j 2, post m _t 2e6");
    enter("a: choose j, choose j");
    enter("b: choose c j");
    enter("d: choose _t, choose _t");
    enter("e: choose c _t");
    TOLD("0.j:done@2 a.choose:j@2 a.choose:j@2 b.choose:j@2 d.choose:_t@2 d.choose:_t@2 e.choose:_t@2 ");
    open_all(); /* a computation that a process waits for itself */
    enter("p: compute 2 j, wait 1");
    enter("a: wait 0, choose j");
    TOLD("a.wait@0 p.compute@2 a.choose:j@2 p.wait@3 ");
    open_all();
    enter("p: compute 2 j, wait 1");
    enter("a: wait 0, choose j");
    enter("1: drop j");
    TOLD("a.wait@0 1.drop:yes@1 a.choose:j=cancelled@1 p.compute=cancelled@1 p.wait@2 ");
    open_all();
    enter("p: compute 2 j, wait 1");
    enter("a: wait 0, choose j");
    enter("1: kill p");
    TOLD("a.wait@0 a.choose:j=cancelled@1 ");
    open_all();
    enter("p: limit 1, compute 2 j, wait 1");
    enter("a: wait 0, choose j");
    TOLD("a.wait@0 p.compute=late@1 a.choose:j=cancelled@1 p.wait@2 ");
    open_all();
    enter("p: compute 2 j, wait 1");
    enter("a: wait 0, choose j");
    enter("1: interrupt p");
    TOLD("a.wait@0 a.choose:j=cancelled@1 p.compute=interrupted@1 p.wait@2 ");
    open_all(); /* who only watches gives up: the computation goes on */
    enter("p: compute 2 j, wait 1");
    enter("a: wait 0, limit 1, choose j, choose j");
    enter("b: wait 0.5, choose j");
    enter("1.2: kill b");
    TOLD("a.wait@0 b.wait@0.5 a.choose:none=late@1 p.compute@2 a.choose:j@2 p.wait@3 ");
}

/* The one thing that came takes the others back, also in the queues of others. */
static void the_other_requests_are_cancelled(void **state)
{
    (void)state;
    open_all();
    enter("h: acquire s 2");
    enter("a: choose s*3 c m");
    enter("b: acquire s, wait 1, release s");
    enter("1: signal c");
    TOLD("h.acquire@0 a.choose:c@1 b.acquire@1 b.wait@2 ");
    open_all(); /* those who wait for two queues each: one release lets all pass */
    resource("t", 1, 1);
    resource("u", 1, 1);
    enter("h: acquire s 2");
    enter("a: choose s*3 t");
    enter("b: choose s*2 u");
    enter("d: acquire s");
    enter("1: release t");
    enter("2: release u");
    TOLD("h.acquire@0 a.choose:t@1 b.choose:u@2 d.acquire@2 ");
    open_all();
    resource("t", 3, 3);
    enter("a: acquire r");
    enter("b: choose r t");
    enter("d: choose t*2 r");
    enter("e: choose r t");
    enter("1: release t 3");
    STUCK("a.acquire@0 b.choose:t@1 d.choose:t*2@1 ");
}

/* Requests that are cancelled let others pass, at several resources in a fixed order. */
static void resources_are_served_in_order(void **state)
{
    static const struct {
        const char *chooses, *ends, *told;
    } cases[] = {
        /* after units: as in the array */
        { "a: choose r x*2 y*2", "1: release r", "a.choose:r@1 p.acquire@1 q.acquire@1 " },
        { "a: choose r y*2 x*2", "1: release r", "a.choose:r@1 q.acquire@1 p.acquire@1 " },
        { "a: choose y*2 r x*2", "1: release r", "a.choose:r@1 q.acquire@1 p.acquire@1 " },
        /* after all else: from its end */
        { "a: choose c x*2 y*2", "1: signal c", "a.choose:c@1 q.acquire@1 p.acquire@1 " },
        { "a: choose y*2 x*2 c", "1: signal c", "a.choose:c@1 p.acquire@1 q.acquire@1 " },
        { "a: choose m x*2 y*2", "1: post m _t", "a.choose:m,_t@1 q.acquire@1 p.acquire@1 " },
        { "a: choose c x*2 y*2", "1: kill a", "q.acquire@1 p.acquire@1 " },
        { "a: choose c x*2 y*2", "1: interrupt a", "q.acquire@1 p.acquire@1 a.choose:none=interrupted@1 " },
        { "a: limit 1, choose c x*2 y*2", "1: wait", "a.choose:none=late@1 q.acquire@1 p.acquire@1 " },
        { "a: choose r x*2 y*2", "1: close r", "a.choose:r=closed@1 q.acquire@1 p.acquire@1 " },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        open_stage();
        resource("r", 1, 1);
        resource("x", 2, 1);
        resource("y", 2, 1);
        condition("c");
        mailbox("m", 0);
        enter(cases[i].chooses);
        enter("q: acquire y");
        enter("p: acquire x");
        if (!strstr(cases[i].ends, "wait")) enter(cases[i].ends);
        TOLD(cases[i].told);
    }
    /* two that get their units at once: those of the second come first, and all that pass at the resource itself before */
    open_stage();
    resource("s", 4, 4);
    resource("x", 2, 1);
    resource("y", 2, 1);
    enter("a: choose s x*2");
    enter("b: choose s y*2");
    enter("d: acquire s");
    enter("p: acquire x");
    enter("q: acquire y");
    enter("1: release s 3");
    TOLD("a.choose:s@1 b.choose:s@1 d.acquire@1 q.acquire@1 p.acquire@1 ");
}

static simkit_choice borrowed[2];

static void spoils_choices(simkit_world *w, void *user)
{
    (void)user;
    memset(borrowed, 0xff, sizeof borrowed);
    assert_int_equal(simkit_mailbox_close(w, (simkit_mailbox)of_kind(MAILBOX, "m")), SIMKIT_OK);
}

static void chooses_borrowed(simkit_world *w, void *user)
{
    size_t which;
    (void)user;
    memset(borrowed, 0, sizeof borrowed);
    borrowed[0].condition = of_kind(CONDITION, "c");
    borrowed[1].mailbox = (simkit_mailbox)of_kind(MAILBOX, "m");
    assert_int_equal(simkit_process_choose(w, borrowed, 2, &which, NULL), SIMKIT_MAILBOX_CLOSED);
    assert_int_equal(which, 1);
    assert_why("at 1 s: mailbox 'm' was closed while process 'chooser' waited there");
    ++*(int *)user;
}

static void choices_are_copied(void **state)
{
    int chosen = 0;
    (void)state;
    open_all();
    assert_int_equal(simkit_process_start(
                         world, &(simkit_process_desc){ .name = "chooser", .body = chooses_borrowed, .user = &chosen },
                         &(simkit_process){ 0 }),
                     SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1, 0, spoils_choices, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(chosen, 1);
}

/* What was given to one who then is killed before it runs. `q` runs between: it is resumed after the message is under way. */
static void unseen_choices_go_to_the_next(void **state)
{
    (void)state;
    open_all();
    enter("0: ask r");
    enter("a: choose c r m");
    enter("b: acquire r");
    enter("1: release r, kill a");
    TOLD("0.ask@0 b.acquire@1 ");
    open_all();
    enter("a: choose c m");
    enter("b: receive m");
    enter("q: suspend, kill a");
    enter("1: post m _x, resume q");
    TOLD("q.suspend@1 b.receive:_x@1 ");
    open_all(); /* nobody waits for it: it is the first in its mailbox again */
    enter("a: choose c m");
    enter("q: suspend, kill a, receive m, receive m");
    enter("1: post m _x, post m _y, resume q");
    TOLD("q.suspend@1 q.receive:_x@1 q.receive:_y@1 ");
    open_all();
    enter("a: choose c m");
    enter("b: listen c");
    enter("1: signal c, kill a");
    TOLD("b.listen@1 ");
}

static void bad_choices_are_refused(void **state)
{
    (void)state;
    open_all();
    enter("p: wait 1");
    enter("1: close m");
    TOLD("p.wait@1 ");
    enter("a: choose c m, why, choose a, why, choose c s*4, why");
    TOLD("p.wait@1 a.choose:m=shut@1 [at 1 s: a choice: mailbox 'm' on node 'near' is closed] a.choose:none=bad call@1 "
         "[at 1 "
         "s: process 'a' cannot wait for its own end] a.choose:none=bad argument@1 [at 1 s: 4 units of resource 's' "
         "were "
         "asked for, expected 1 to 3] ");
    open_all();
    enter("1: close c, close r");
    enter("a: wait 1, choose c, why, choose m r, why");
    TOLD(
        "a.wait@1 a.choose:none=unknown@1 [at 1 s: a call names a condition that is closed, or was never in this "
        "world] a.choose:none=unknown@1 [at 1 s: a call names a resource that is closed, or was never in this world] ");
}

/*=============================================================================
 * Time limits and interrupts
 *===========================================================================*/
/* Waits that nothing ends, each with a limit of a second; and what each does to those behind it. */
static const char *const waits[] = { "wait 9",   "compute 9", "send m x 9e6", "receive m",    "acquire r", "listen c",
                                     "arrive b", "join h",    "suspend",      "choose c r m", "send n y" };
enum { WAITS = sizeof waits / sizeof waits[0] };

static void enter_waiting(const char *before, const char *wait, const char *after)
{
    static char text[SCRIPTS][200];
    char *t = text[stage.actors_count];
    snprintf(t, sizeof text[0], "a: %s%s%s", before, wait, after);
    enter(t);
}

static void expect_wait(const char *wait, const char *result, const char *after)
{
    char told[200], word[20];
    sscanf(wait, "%19s", word);
    const char *detail = strcmp(word, "send") == 0     ? (wait[5] == 'm' ? ":x" : ":y")
                         : strcmp(word, "choose") == 0 ? ":none"
                                                       : "";
    snprintf(told, sizeof told, "a.%s%s=%s@%s", word, detail, result, after);
    if (strcmp(stage.told, told) != 0) fail_msg("%s:\n  told %s\n  not  %s", wait, stage.told, told);
}

static void open_waits(void)
{
    open_all();
    enter("h: suspend");
    assert_int_equal(
        simkit_mailbox_post(
            world, &(simkit_post_desc){ .from = stage.node, .to = (simkit_mailbox)of_kind(MAILBOX, "n") }, NULL),
        SIMKIT_OK); /* n is full */
    assert_int_equal(simkit_resource_acquire(world, of_kind(RESOURCE, "r"), 1, 0, is_called, label_new("", ""), NULL),
                     SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 0), SIMKIT_OK);
    stage.told[0] = 0;
}

static void every_wait_has_a_limit(void **state)
{
    (void)state;
    for (int i = 0; i < WAITS; ++i) {
        open_waits();
        enter_waiting("limit 1, ", waits[i], ", wait 3"); /* the limit is for one wait */
        assert_int_equal(simkit_world_run_until(world, 8), SIMKIT_OK);
        expect_wait(waits[i], "late", "1 a.wait@4 ");
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "late", "1 a.wait@4 ");
        open_waits();
        enter_waiting("limit 0, ", waits[i], "");
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "late", "0 ");
        open_waits(); /* a limit that is never due */
        enter_waiting("limit 1e308, ", waits[i], "");
        enter("1: interrupt a");
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "interrupted", "1 ");
    }
}

static void every_wait_can_be_interrupted(void **state)
{
    (void)state;
    for (int i = 0; i < WAITS; ++i) {
        open_waits();
        enter_waiting("", waits[i], ", wait 3");
        enter("1: interrupt a, interrupt a"); /* the second is for the wait after it */
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "interrupted", "1 a.wait=interrupted@1 ");
        open_waits();
        enter_waiting("interrupt a, interrupt a, ", waits[i], ", wait 3"); /* before: counts as one */
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "interrupted", "0 a.wait@3 ");
        open_waits();
        enter_waiting("limit 1, ", waits[i], ", wait 3"); /* at the instant of the limit, before it and after it */
        enter("1-: interrupt a");
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "interrupted", "1 a.wait@4 ");
        open_waits();
        enter_waiting("limit 1, ", waits[i], ", wait 3");
        enter("1+: interrupt a");
        assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
        expect_wait(waits[i], "late", "1 a.wait=interrupted@1 ");
    }
}

/* Ends each wait in its own way. */
static const char *const end_waits[] = {
    "", "", "", "post m z", "release r", "signal c", "come b, come b", "kill h", "resume a", "signal c", "take n"
};

static void what_came_first_wins(void **state)
{
    (void)state;
    for (int i = 3; i < WAITS; ++i)
        for (int first = 0; first < 2; ++first) {
            char deed[40];
            open_waits();
            enter_waiting("limit 1, ", waits[i], "");
            snprintf(deed, sizeof deed, "1%s: %s", first ? "-" : "+", end_waits[i]);
            enter(deed);
            assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
            const char *a = strstr(stage.told, "a.");
            assert_non_null(a);
            /* a message that is posted at this instant comes by an event of its own, after the limit that is due already */
            if ((strstr(a, "=late@1") == NULL) != (first && i != 3)) fail_msg("%s, %s: %s", waits[i], deed, stage.told);
            assert_null(strstr(a + 2, " a."));
        }
    open_all(); /* and what lasts exactly as long as its limit */
    enter("a: limit 1, wait 1, limit 1, compute 1");
    TOLD("a.wait@1 a.compute@2 ");
    open_all(); /* except a transfer: what one instant does to shares is settled when all else has happened there */
    enter("a: limit 1, send m _x 1e6");
    TOLD("a.send:_x=late@1 ");
}

/* A limit is for the next call that could wait, whether it waits, goes on at once, or is refused. */
static void a_limit_is_for_one_call(void **state)
{
    (void)state;
    open_all();
    enter("0: post m _x");
    enter("1: post m _y");
    enter("a: limit 1, acquire r, wait 2, limit 1, receive m, wait 2, resume a, limit 1, suspend, wait 2");
    TOLD("a.acquire@0 a.wait@2 a.receive:_x@2 a.wait@4 a.suspend@4 a.wait@6 ");
    open_all();
    barrier("one", 1);
    enter("a: limit 1, choose s, wait 2, limit 1, arrive one, wait 2, interrupt a, limit 1, wait 3, wait 2");
    TOLD("a.choose:s@0 a.wait@2 a.arrive@2 a.wait@4 a.wait=interrupted@4 a.wait@6 ");
    open_all();
    enter("a: limit 1, acquire r 2, wait 2, limit 1, listen c r, wait 2, limit 1, join a, wait 2, limit 5, limit 1, "
          "wait 2");
    TOLD("a.acquire=bad argument@0 a.wait@2 a.listen=bad call@2 a.wait@4 a.join=bad call@4 a.wait@6 a.wait=late@7 ");
}

static void refused_calls_end_a_limit(simkit_world *w, void *user)
{
    const simkit_computation_desc bad = { .seconds = -1 };
    const simkit_post_desc nowhere = { .to = 99 };
    simkit_choice none;
    memset(&none, 0, sizeof none);
    for (int i = 0; i < 9; ++i) {
        assert_int_equal(simkit_process_limit(w, 1), SIMKIT_OK);
        switch (i) {
        case 0: assert_int_equal(simkit_process_wait(w, -1), SIMKIT_BAD_TIME); break;
        case 1: assert_int_equal(simkit_process_compute(w, &bad, NULL), SIMKIT_BAD_ARGUMENT); break;
        case 2: assert_int_equal(simkit_process_compute(w, NULL, NULL), SIMKIT_BAD_ARGUMENT); break;
        case 3: assert_int_equal(simkit_process_send(w, &nowhere, NULL), SIMKIT_UNKNOWN_MAILBOX); break;
        case 4: assert_int_equal(simkit_process_send(w, NULL, NULL), SIMKIT_BAD_ARGUMENT); break;
        case 5: assert_int_equal(simkit_process_receive(w, 99, NULL), SIMKIT_UNKNOWN_MAILBOX); break;
        case 6: assert_int_equal(simkit_process_arrive(w, 99), SIMKIT_UNKNOWN_PLACE); break;
        case 7: assert_int_equal(simkit_process_join(w, 0), SIMKIT_UNKNOWN_PROCESS); break;
        default: assert_int_equal(simkit_process_choose(w, &none, 1, NULL, NULL), SIMKIT_BAD_ARGUMENT);
        }
        assert_int_equal(simkit_process_wait(w, 2), SIMKIT_OK);
    }
    ++*(int *)user;
}

static void a_refused_call_ends_a_limit(void **state)
{
    int ended = 0;
    (void)state;
    open_all();
    assert_int_equal(
        simkit_process_start(
            world, &(simkit_process_desc){ .node = stage.node, .body = refused_calls_end_a_limit, .user = &ended },
            NULL),
        SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(ended, 1);
}

/* What a killed process was given or waits for goes to the others; in every state nothing of it acts later. */
static void every_wait_can_be_killed(void **state)
{
    (void)state;
    for (int i = 0; i < WAITS; ++i)
        for (int woken = 0; woken < 2; ++woken) {
            char deed[80];
            open_waits();
            enter_waiting("limit 5, ", waits[i], "");
            snprintf(deed, sizeof deed, "1: %s%skill a", woken ? end_waits[i] : "",
                     woken && end_waits[i][0] ? ", " : "");
            if (strstr(deed, "kill h")) strcpy(deed, woken ? "1: kill h, kill a" : "1: kill a");
            enter(deed);
            enter("i: wait 1.5, wait 9"); /* has its seat */
            assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
            if (strstr(stage.told, "a.")) fail_msg("%s: %s", waits[i], stage.told);
            assert_non_null(strstr(stage.told, "i.wait@1.5 "));
            assert_non_null(strstr(stage.told, "i.wait@10.5 "));
        }
}

static void a_resume_is_remembered(void **state)
{
    (void)state;
    open_all();
    enter("a: wait 2, suspend, suspend");
    enter("1: resume a, resume a");
    enter("3: resume a");
    TOLD("a.wait@2 a.suspend@2 a.suspend@3 ");
    open_all();
    enter("a: resume a, suspend, limit 1, suspend, why, suspend");
    enter("2: resume a");
    TOLD(
        "a.suspend@0 a.suspend=late@1 [at 1 s: process 'a' waited on a friend, until its time limit of 1 s had passed] "
        "a.suspend@2 ");
    open_all(); /* after an interrupt at the same instant: it counts for the next one */
    enter("a: suspend, suspend, suspend");
    enter("1: interrupt a, resume a");
    enter("2: resume a, interrupt a"); /* the resume came first */
    TOLD("a.suspend=interrupted@1 a.suspend@1 a.suspend@2 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_end_of_a_process_is_waited_for),
        WORLD_TEST(what_never_was_a_process_is_refused),
        WORLD_TEST(each_kind_can_be_chosen),
        WORLD_TEST(what_is_there_already_is_taken),
        WORLD_TEST(two_may_wait_for_one_end),
        WORLD_TEST(the_other_requests_are_cancelled),
        WORLD_TEST(resources_are_served_in_order),
        WORLD_TEST(choices_are_copied),
        WORLD_TEST(unseen_choices_go_to_the_next),
        WORLD_TEST(bad_choices_are_refused),
        WORLD_TEST(every_wait_has_a_limit),
        WORLD_TEST(every_wait_can_be_interrupted),
        WORLD_TEST(what_came_first_wins),
        WORLD_TEST(a_limit_is_for_one_call),
        WORLD_TEST(a_refused_call_ends_a_limit),
        WORLD_TEST(every_wait_can_be_killed),
        WORLD_TEST(a_resume_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
