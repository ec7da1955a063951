/* Room mailboxes of simkit.h: messages between callbacks and between processes; closed mailboxes; bounded mailboxes, as
 * plays (stage.h). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "processes.h"
#include "stage.h"

typedef struct inbox {
    int count;
    simkit_message messages[8];
    int closed;
} inbox;

static void receive(simkit_world *w, void *user, const simkit_message *message)
{
    inbox *box = (inbox *)user;
    (void)w;
    if (message)
        box->messages[box->count++] = *message;
    else
        ++box->closed;
}

static void mailboxes_are_first_come_first_served(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    reopen_world(&(simkit_world_desc){ .latency = 1 });
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    inbox early = { 0 }, late = { 0 };
    simkit_mailbox box;
    int marks[3] = { 0, 1, 2 };
    double done = -1;

    (void)state;
    assert_int_equal(simkit_mailbox_open(world, b, NULL, &box), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_take(world, box, receive, &early, NULL), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_take(world, box, receive, &late, NULL), SIMKIT_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(simkit_mailbox_post(world,
                                             &(simkit_post_desc){ .from = a,
                                                                  .to = box,
                                                                  .bytes = 1e6,
                                                                  .data = &marks[i],
                                                                  .in_order = true,
                                                                  .done = note_time,
                                                                  .user = &done },
                                             NULL),
                         SIMKIT_OK);
    succeeds(simkit_world_run(world));
    assert_int_equal(early.count, 1);
    assert_int_equal(late.count, 1);
    assert_ptr_equal(early.messages[0].data, &marks[0]);
    assert_ptr_equal(late.messages[0].data, &marks[1]);
    assert_int_equal(early.messages[0].from, a);
    assert_equal(early.messages[0].bytes, 1e6);
    assert_equal(early.messages[0].sent, 0);
    assert_close(early.messages[0].arrived, 2, 1e-12);
    assert_close(late.messages[0].arrived, 4, 1e-12);
    assert_close(done, 6, 1e-12);
    assert_int_equal(simkit_mailbox_messages(world, box), 1);
    assert_int_equal(simkit_mailbox_take(world, box, receive, &late, NULL), SIMKIT_OK);
    assert_int_equal(late.count, 1); /* a step of its own */
    succeeds(simkit_world_run(world));
    assert_int_equal(late.count, 2);
    assert_int_equal(simkit_mailbox_messages(world, box), 0);
    assert_int_equal(simkit_mailbox_messages(world, 77), 0);
}

static void a_closed_mailbox_refuses(void **state)
{
    const simkit_node a = add_node(NULL);
    inbox waiting = { 0 };
    simkit_mailbox box;
    const simkit_post_desc *post;

    (void)state;
    assert_int_equal(simkit_mailbox_open(world, a, "orders", &box), SIMKIT_OK);
    post = &(simkit_post_desc){ .from = a, .to = box };
    assert_int_equal(simkit_mailbox_take(world, box, receive, &waiting, NULL), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_close(world, box), SIMKIT_OK);
    succeeds(simkit_world_run(world));
    assert_int_equal(waiting.closed, 1);
    assert_int_equal(waiting.count, 0);
    assert_int_equal(simkit_mailbox_post(world, post, NULL), SIMKIT_MAILBOX_CLOSED);
    assert_why("at 0 s: a message: mailbox 'orders' on node 1 is closed");
    assert_int_equal(simkit_mailbox_take(world, box, receive, &waiting, NULL), SIMKIT_MAILBOX_CLOSED);
    assert_int_equal(simkit_mailbox_close(world, box), SIMKIT_MAILBOX_CLOSED);
    assert_int_equal(simkit_mailbox_close(world, 5), SIMKIT_UNKNOWN_MAILBOX);
    assert_int_equal(simkit_mailbox_post(world, &(simkit_post_desc){ .from = a, .to = 5 }, NULL),
                     SIMKIT_UNKNOWN_MAILBOX);
    assert_why("at 0 s: a message names mailbox 5, but there is only mailbox 1");
}

/* What is on its way when its mailbox closes is lost, and nothing waits for it. */
static void what_arrives_at_a_closed_mailbox_is_lost(void **state)
{
    reopen_world(&(simkit_world_desc){ .latency = 1 });
    const simkit_node a = add_node(NULL), b = add_node(NULL);
    simkit_mailbox box;
    double done = -1;

    (void)state;
    assert_int_equal(simkit_mailbox_open(world, b, NULL, &box), SIMKIT_OK);
    assert_int_equal(
        simkit_mailbox_post(world, &(simkit_post_desc){ .from = a, .to = box, .done = note_time, .user = &done }, NULL),
        SIMKIT_OK);
    assert_int_equal(simkit_mailbox_close(world, box), SIMKIT_OK);
    succeeds(simkit_world_run(world));
    assert_equal(done, 1);
    assert_int_equal(simkit_mailbox_messages(world, box), 0);
}

typedef struct pair {
    simkit_mailbox box;
    int value;
} pair;

static void sends(simkit_world *w, void *user)
{
    pair *p = (pair *)user;
    for (p->value = 1; p->value <= 3; ++p->value)
        assert_int_equal(
            simkit_process_send(w, &(simkit_post_desc){ .to = p->box, .bytes = 1e6, .data = &p->value }, NULL),
            SIMKIT_OK);
    tell("sent");
}

static void receives(simkit_world *w, void *user)
{
    pair *p = (pair *)user;
    simkit_message message;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(simkit_process_receive(w, p->box, &message), SIMKIT_OK);
        assert_ptr_equal(message.data, &p->value);
        tell("got");
    }
    assert_int_equal(simkit_process_receive(w, p->box, NULL), SIMKIT_MAILBOX_CLOSED);
    tell("closed");
}

static void closes(simkit_world *w, void *user)
{
    assert_int_equal(simkit_mailbox_close(w, ((pair *)user)->box), SIMKIT_OK);
}

static void messages_go_from_one_to_the_other(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    pair p;
    (void)state;
    told[0] = 0;
    assert_int_equal(simkit_mailbox_open(world, b, "b's", &p.box), SIMKIT_OK);
    spawn("sender", a, sends, &p);
    spawn("receiver", b, receives, &p);
    assert_int_equal(simkit_step_at(world, 10, 0, closes, &p, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_non_null(strstr(told, "got@1 "));
    assert_non_null(strstr(told, "got@2 "));
    assert_non_null(strstr(told, "got@3 "));
    assert_non_null(strstr(told, "sent@3 "));
    assert_non_null(strstr(told, "closed@10 "));
    assert_why("at 10 s: mailbox 'b's' was closed while process 'receiver' waited there");
}

/*=============================================================================
 * Bounded mailboxes
 *===========================================================================*/
static void a_full_mailbox_slows_its_sender(void **state)
{
    (void)state;
    open_all();
    enter("a: send n 1, send n 2, send n 3, send n 4");
    enter("b: wait 1, receive n, wait 1, receive n, wait 1, receive n, receive n");
    TOLD("a.send:1@0 b.wait@1 b.receive:1@1 a.send:2@1 b.wait@2 b.receive:2@2 a.send:3@2 b.wait@3 b.receive:3@3 "
         "a.send:4@3 b.receive:4@3 ");
    open_all(); /* with callbacks: `done` when there is room */
    enter("0: post n 1, post n 2, post n 3");
    enter("1: take n");
    enter("2: take n, take n, take n");
    enter("3: post n 4");
    TOLD("0.1:done@0 0.2:done@1 1.take:1@1 0.3:done@2 2.take:2@2 2.take:3@2 3.4:done@3 2.take:4@3 ");
}

/* The order stays, whatever is done to the bound. */
static void a_bound_can_change(void **state)
{
    (void)state;
    open_all();
    enter("0: post m 1, post m 2, post m 3");
    enter("1: bound m 1, post m 4, post m 5");
    enter("2: take m, take m"); /* there is one left, so none comes in */
    enter("3: take m");
    enter("4: bound m 3");
    enter("5: post m 6, post m 7, bound m 0, post m 8");
    enter("6: take m, take m, take m, take m, take m");
    TOLD(
        "0.1:done@0 0.2:done@0 0.3:done@0 2.take:1@2 2.take:2@2 1.4:done@3 3.take:3@3 1.5:done@4 5.6:done@5 5.7:done@5 "
        "5.8:done@5 6.take:4@6 6.take:5@6 6.take:6@6 6.take:7@6 6.take:8@6 ");
    open_all(); /* bounded while they travel: none has a timer of its own so far */
    enter("0: post m 1 1e6, post m 2 2e6, post m 3 3e6");
    enter("0.5: bound m 1");
    enter("a: wait 9, receive m, receive m, receive m");
    TOLD("0.1:done@3 a.wait@9 a.receive:1@9 0.2:done@9 a.receive:2@9 0.3:done@9 a.receive:3@9 ");
    open_all(); /* without a bound, those outside still come first */
    enter("0: post n 1, post n 2, post n 3");
    enter("1: post n 4, bound n 0");
    enter("2: take n, take n, take n, take n");
    TOLD("0.1:done@0 0.2:done@1 0.3:done@1 1.4:done@1 2.take:1@2 2.take:2@2 2.take:3@2 2.take:4@2 ");
}

static void a_sender_outside_gives_up(void **state)
{
    (void)state;
    open_all();
    enter("a: send n 1, limit 2, send n 2, why");
    enter("b: wait 1, send n 3");
    enter("e: wait 4, receive n, receive n, limit 1, receive n");
    TOLD("a.send:1@0 b.wait@1 a.send:2=late@2 [at 2 s: process 'a' waited for room in mailbox 'n', until its time "
         "limit of 2 s had passed] e.wait@4 e.receive:1@4 b.send:3@4 e.receive:3@4 e.receive=late@5 ");
    open_all();
    enter("a: send n 1, send n 2");
    enter("b: wait 1, send n 3");
    enter("2: interrupt b");
    enter("3: kill a");
    enter("e: wait 4, receive n, limit 1, receive n");
    TOLD("a.send:1@0 b.wait@1 b.send:3=interrupted@2 e.wait@4 e.receive:1@4 e.receive=late@5 ");
    open_all(); /* at the instant at which there is room: what came first */
    enter("a: send n 1, limit 2, send n 2");
    enter("2-: take n");
    enter("3: take n");
    TOLD("a.send:1@0 a.send:2@2 2.take:1@2 3.take:2@3 ");
    open_all();
    enter("a: send n 1, send n 2, wait 1");
    enter("2: take n, interrupt a"); /* it is in already */
    enter("3: take n");
    TOLD("a.send:1@0 a.send:2@2 a.wait=interrupted@2 2.take:1@2 3.take:2@3 ");
    open_all();
    enter("a: send n 1, send n 2");
    enter("2: take n, kill a"); /* likewise */
    enter("3: take n");
    TOLD("a.send:1@0 2.take:1@2 3.take:2@3 ");
}

static void a_mailbox_is_closed_on_those_outside(void **state)
{
    (void)state;
    open_all();
    enter("a: send n 1, send n 2, why");
    enter("1: post n 3");
    enter("2: close n");
    TOLD("a.send:1@0 a.send:2=shut@2 [at 2 s: mailbox 'n' was closed while a message of process 'a' waited there] "
         "1.3:done@2 ");
    open_all(); /* let in, but not yet there */
    enter("a: send n 1, send n 2");
    enter("1: take n, close n");
    TOLD("a.send:1@0 a.send:2=shut@1 1.take:1@1 ");
}

static void sends_twice(simkit_world *w, void *user)
{
    (void)user;
    const simkit_post_desc desc = { .from = stage.far, .to = (simkit_mailbox)of_kind(MAILBOX, "n"), .bytes = 1e6 };
    for (int i = 1; i <= 2; ++i) {
        thing *transfer = thing_new(TRANSFER, i == 1 ? "t1" : "t2", 0);
        write_down("a", "send", NULL, simkit_process_send(w, &desc, &transfer->handle));
    }
}

/* The transfer of a message ends when it reaches the mailbox, for those who have chosen it, also if it then waits outside. */
static void a_transfer_ends_before_a_full_mailbox(void **state)
{
    static const char *const ends[] = { "3: close n", "3: kill a", "3: interrupt a", "3: take n" };
    static const char *const told[] = { "a.send=shut@3 ", "", "a.send=interrupted@3 ", "3.take:(null)@3 a.send@3 " };
    (void)state;
    for (int i = 0; i < 4; ++i) {
        char all[200];
        open_all();
        simkit_process a;
        assert_int_equal(simkit_process_start(
                             world, &(simkit_process_desc){ .name = "a", .node = stage.node, .body = sends_twice }, &a),
                         SIMKIT_OK);
        thing_new(PROCESS, "a", a);
        enter("b: wait 1.5, choose t2, wait 0.5, choose t2"); /* attached before, and asked for after */
        enter(ends[i]);
        snprintf(all, sizeof all, "a.send@1 b.wait@1.5 b.choose:t2@2 b.wait@2.5 b.choose:t2@2.5 %s", told[i]);
        if (i == 3) snprintf(all, sizeof all, "a.send@1 b.wait@1.5 b.choose:t2@2 b.wait@2.5 b.choose:t2@2.5 ");
        stage.ran = simkit_world_run(world);
        assert_int_equal(stage.ran, SIMKIT_OK);
        if (strncmp(stage.told, all, strlen(all)) != 0) fail_msg("%s\n  told %s\n  not  %s", ends[i], stage.told, all);
    }
}

/* A message that was given back is the first again, even if the mailbox is then fuller than its bound. */
static void a_message_given_back_keeps_its_place(void **state)
{
    (void)state;
    open_all();
    enter("a: receive n");
    enter("q: suspend, kill a, receive n, receive n, receive n");
    enter("1: post n 1, post n 2, resume q");
    enter("2: post n 3");
    TOLD("1.1:done@1 1.2:done@1 q.suspend@1 q.receive:1@1 q.receive:2@1 2.3:done@2 q.receive:3@2 ");
    open_all(); /* a callback */
    enter("0: take m");
    enter("0.5: take m");
    enter("q: suspend, cancel 0, cancel 0.5");
    enter("1: post m 1, resume q");
    TOLD("1.1:done@1 q.suspend@1 q.cancel:yes@1 q.cancel:yes@1 ");
    assert_int_equal(simkit_mailbox_messages(world, (simkit_mailbox)of_kind(MAILBOX, "m")), 1);
    open_all(); /* the mailbox was closed, which it has not been told yet */
    enter("0: take m");
    enter("1: close m, cancel 0, cancel 0");
    TOLD("1.cancel:yes@1 1.cancel:no@1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(mailboxes_are_first_come_first_served),
        WORLD_TEST(a_closed_mailbox_refuses),
        WORLD_TEST(what_arrives_at_a_closed_mailbox_is_lost),
        WORLD_TEST(messages_go_from_one_to_the_other),
        WORLD_TEST(a_full_mailbox_slows_its_sender),
        WORLD_TEST(a_bound_can_change),
        WORLD_TEST(a_sender_outside_gives_up),
        WORLD_TEST(a_mailbox_is_closed_on_those_outside),
        WORLD_TEST(a_transfer_ends_before_a_full_mailbox),
        WORLD_TEST(a_message_given_back_keeps_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
