/* Room waiting of simkit.h, and what processes wait for: resources, conditions, barriers, ends, choices, time limits,
 * interrupts and bounded mailboxes.
 *
 * Most tests here are small plays. A script is the name of a process and what it does, "a: acquire r, wait 2, release r";
 * whatever waits is written down when it ends, "a.acquire@0 a.wait@2 ", with its result unless that is SIMKIT_OK. A script
 * whose name is a number is a step of the host at that time; its calls take callbacks, which write "3.acquire@3 ". */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "hook.h"
#include "world.h"

/*=============================================================================
 * The stage
 *===========================================================================*/
typedef enum kind { NO_KIND, RESOURCE, CONDITION, BARRIER, MAILBOX, PROCESS, COMPUTATION, TRANSFER, WAIT } kind;

typedef struct thing {
    char name[8];
    kind what;
    uint64_t handle;
} thing;

enum { THINGS = 64, SCRIPTS = 16, WORDS = 8 };

typedef struct actor {
    char name[8];
    const char *script; /* what is left of it */
    int priority;       /* of the host's step */
} actor;

static struct stage {
    thing things[THINGS];
    size_t count;
    actor actors[SCRIPTS];
    size_t actors_count;
    simkit_node node, far;
    char told[4000];
    size_t posts;
    simkit_result ran;
    char labels[THINGS][24]; /* whom a callback is for */
    size_t labels_count;
} stage;

static const char *short_result(simkit_result result)
{
    switch (result) {
    case SIMKIT_TIMED_OUT: return "late";
    case SIMKIT_INTERRUPTED: return "interrupted";
    case SIMKIT_CLOSED: return "closed";
    case SIMKIT_MAILBOX_CLOSED: return "shut";
    case SIMKIT_CANCELLED: return "cancelled";
    case SIMKIT_NODE_FAILED: return "lost";
    case SIMKIT_UNKNOWN_PLACE: return "unknown";
    case SIMKIT_BAD_CALL: return "bad call";
    case SIMKIT_BAD_ARGUMENT: return "bad argument";
    case SIMKIT_NO_MEMORY: return "no memory";
    default: return simkit_result_text(result);
    }
}

static void tell(const char *who, const char *what, const char *detail, simkit_result result)
{
    const size_t used = strlen(stage.told);
    snprintf(stage.told + used, sizeof stage.told - used, "%s.%s%s%s%s%s@%g ", who, what, detail ? ":" : "",
             detail ? detail : "", result == SIMKIT_OK ? "" : "=", result == SIMKIT_OK ? "" : short_result(result),
             simkit_clock_now(world));
    assert_true(strlen(stage.told) + 100 < sizeof stage.told);
}

static thing *named(const char *name)
{
    for (int processes = 0; processes < 2; ++processes) /* the latest of this name, rather not a process */
        for (size_t i = stage.count; i-- > 0;)
            if (strcmp(stage.things[i].name, name) == 0 && stage.things[i].what != WAIT &&
                (processes || stage.things[i].what != PROCESS))
                return &stage.things[i];
    fail_msg("the script names '%s'", name);
    return NULL;
}

static thing *thing_new(kind what, const char *name, uint64_t handle)
{
    assert_true(stage.count < THINGS && strlen(name) < sizeof stage.things[0].name);
    thing *t = &stage.things[stage.count++];
    strcpy(t->name, name);
    t->what = what;
    t->handle = handle;
    return t;
}

static uint64_t of_kind(kind what, const char *name)
{
    for (size_t i = stage.count; i-- > 0;)
        if (stage.things[i].what == what && strcmp(stage.things[i].name, name) == 0) return stage.things[i].handle;
    fail_msg("the script names '%s'", name);
    return 0;
}

/* The parts of a label are what tell() writes. */
static char *label_new(const char *who, const char *what)
{
    assert_true(stage.labels_count < THINGS);
    char *label = stage.labels[stage.labels_count++];
    snprintf(label, sizeof stage.labels[0], "%s.%s", who, what);
    return label;
}

static void label_tell(const char *label, const char *detail, simkit_result result)
{
    const char *point = strchr(label, '.');
    char who[16];
    snprintf(who, sizeof who, "%.*s", (int)(point - label), label);
    tell(who, point + 1, detail, result);
}

static void is_called(simkit_world *w, void *user, simkit_result result)
{
    (void)w;
    label_tell((const char *)user, NULL, result);
}

static void is_done(simkit_world *w, void *user)
{
    (void)w;
    label_tell((const char *)user, "done", SIMKIT_OK);
}

static void is_lost(simkit_world *w, void *user)
{
    (void)w;
    label_tell((const char *)user, "lost", SIMKIT_OK);
}

static void is_given(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    label_tell((const char *)user, message ? (const char *)message->data : "nothing", SIMKIT_OK);
}

static double number(const char *text, double otherwise)
{
    return text ? strtod(text, NULL) : otherwise;
}

static simkit_result choose(const char *who, char **words, int count)
{
    simkit_choice choices[WORDS];
    simkit_message message = { .data = NULL };
    size_t which = 99;
    memset(choices, 0, sizeof choices);
    for (int i = 0; i < count; ++i) {
        char name[8] = "";
        memcpy(name, words[i], strcspn(words[i], "*")); /* "s*2": two units */
        const thing *t = named(name);
        switch (t->what) {
        case RESOURCE:
            choices[i].resource = t->handle;
            choices[i].units = (uint64_t)number(words[i] + strcspn(words[i], "*") + (strchr(words[i], '*') != NULL), 0);
            break;
        case CONDITION: choices[i].condition = t->handle; break;
        case MAILBOX: choices[i].mailbox = (simkit_mailbox)t->handle; break;
        case PROCESS: choices[i].process = t->handle; break;
        case COMPUTATION: choices[i].computation = t->handle; break;
        default: choices[i].transfer = t->handle;
        }
    }
    const simkit_result result = simkit_process_choose(world, choices, (size_t)count, &which, &message);
    char detail[32];
    snprintf(detail, sizeof detail, "%s%s%s", which < (size_t)count ? words[which] : "none", message.data ? "," : "",
             message.data ? (const char *)message.data : "");
    tell(who, "choose", detail, result);
    return result;
}

/* It may have ended. */
static void told_process(simkit_result result)
{
    assert_true(result == SIMKIT_OK || result == SIMKIT_UNKNOWN_PROCESS);
}

/* One deed; `in` says whether by a process. */
static void act(const char *who, bool in, char **words, int count)
{
    const char *what = words[0], *a = count > 1 ? words[1] : NULL, *b = count > 2 ? words[2] : NULL,
               *c = count > 3 ? words[3] : NULL;
    simkit_wait wait = 0;
    simkit_result result;
#define IS(text) (strcmp(what, text) == 0)
#define CALLBACK(call)                                                                                                 \
    do {                                                                                                               \
        result = (call);                                                                                               \
        thing_new(WAIT, who, wait);                                                                                    \
        if (result != SIMKIT_OK) tell(who, what, NULL, result);                                                        \
    } while (0)
    if (IS("wait")) {
        tell(who, what, NULL, simkit_process_wait(world, number(a, 0)));
    } else if (IS("limit")) {
        assert_int_equal(simkit_process_limit(world, number(a, 0)), SIMKIT_OK);
    } else if (IS("acquire") && in) {
        result = simkit_process_acquire(world, of_kind(RESOURCE, a), (uint64_t)number(b, 1), (int)number(c, 0));
        tell(who, what, NULL, result);
    } else if (IS("acquire") || IS("ask")) {
        CALLBACK(simkit_resource_acquire(world, of_kind(RESOURCE, a), (uint64_t)number(b, 1), (int)number(c, 0),
                                         is_called, label_new(who, what), &wait));
    } else if (IS("release")) {
        result = simkit_resource_release(world, of_kind(RESOURCE, a), (uint64_t)number(b, 1));
        if (result != SIMKIT_OK) tell(who, what, NULL, result);
    } else if (IS("listen") && in) {
        tell(who, what, NULL, simkit_process_listen(world, of_kind(CONDITION, a), b ? of_kind(RESOURCE, b) : 0));
    } else if (IS("listen") || IS("hark")) {
        CALLBACK(simkit_condition_wait(world, of_kind(CONDITION, a), is_called, label_new(who, what), &wait));
    } else if (IS("signal")) {
        assert_int_equal(simkit_condition_signal(world, of_kind(CONDITION, a)), SIMKIT_OK);
    } else if (IS("broadcast")) {
        assert_int_equal(simkit_condition_broadcast(world, of_kind(CONDITION, a)), SIMKIT_OK);
    } else if (IS("arrive") && in) {
        tell(who, what, NULL, simkit_process_arrive(world, of_kind(BARRIER, a)));
    } else if (IS("arrive") || IS("come")) {
        CALLBACK(simkit_barrier_arrive(world, of_kind(BARRIER, a), is_called, label_new(who, what), &wait));
    } else if (IS("join") && in) {
        tell(who, what, NULL, simkit_process_join(world, of_kind(PROCESS, a)));
    } else if (IS("join") || IS("ended")) {
        CALLBACK(simkit_process_ended(world, of_kind(PROCESS, a), is_called, label_new(who, what), &wait));
    } else if (IS("suspend")) {
        tell(who, what, NULL, simkit_process_suspend(world, "a friend"));
    } else if (IS("resume")) {
        told_process(simkit_process_resume(world, of_kind(PROCESS, a)));
    } else if (IS("interrupt")) {
        told_process(simkit_process_interrupt(world, of_kind(PROCESS, a)));
    } else if (IS("kill")) {
        told_process(simkit_process_kill(world, of_kind(PROCESS, a)));
    } else if (IS("receive") && in) {
        simkit_message message = { .data = NULL };
        result = simkit_process_receive(world, (simkit_mailbox)of_kind(MAILBOX, a), &message);
        tell(who, what, (const char *)message.data, result);
    } else if (IS("receive") || IS("take")) {
        CALLBACK(
            simkit_mailbox_take(world, (simkit_mailbox)of_kind(MAILBOX, a), is_given, label_new(who, what), &wait));
    } else if (IS("send") || IS("post")) { /* send MAILBOX TEXT [BYTES], 1 MB/s, from the far node */
        static char texts[THINGS][8];
        char *text = texts[stage.posts++ % THINGS];
        snprintf(text, sizeof texts[0], "%s", b);
        const bool waits = IS("send");
        simkit_post_desc desc = { .from = stage.far,
                                  .to = (simkit_mailbox)of_kind(MAILBOX, a),
                                  .bytes = number(c, 0),
                                  .data = text,
                                  .name = text };
        simkit_transfer transfer = 0;
        if (waits) {
            tell(who, what, b, simkit_process_send(world, &desc, &transfer));
        } else {
            if (text[0] != '_') { /* silent: nobody is called */
                desc.done = is_done;
                desc.lost = is_lost;
                desc.user = label_new(who, b);
            }
            assert_int_equal(simkit_mailbox_post(world, &desc, &transfer), SIMKIT_OK);
            thing_new(TRANSFER, b, transfer);
        }
    } else if (IS("start")) { /* start NAME SECONDS, a computation on the far node */
        simkit_computation job;
        const simkit_computation_desc desc = {
            .node = stage.far, .seconds = number(b, 1), .done = is_done, .lost = is_lost, .user = label_new(who, a)
        };
        assert_int_equal(simkit_computation_start(world, &desc, &job), SIMKIT_OK);
        thing_new(COMPUTATION, a, job);
    } else if (IS("compute")) { /* compute SECONDS [NAME], whose handle the others know at once */
        thing *t = thing_new(COMPUTATION, b ? b : "none", 0);
        result =
            simkit_process_compute(world, &(simkit_computation_desc){ .seconds = number(a, 1), .name = b }, &t->handle);
        tell(who, what, NULL, result);
    } else if (IS("drop")) { /* cancels a computation or a transfer */
        const thing *t = named(a);
        const bool was = t->what == COMPUTATION ? simkit_computation_cancel(world, t->handle)
                                                : simkit_transfer_cancel(world, t->handle);
        tell(who, what, was ? "yes" : "no", SIMKIT_OK);
    } else if (IS("cancel")) { /* cancel NAME [MANY]: waits with a callback, of the script of that name; the latest */
        tell(who, what, simkit_wait_cancel(world, of_kind(WAIT, a)) ? "yes" : "no", SIMKIT_OK);
    } else if (IS("fail")) {
        assert_int_equal(simkit_node_fail(world, strcmp(a, "far") == 0 ? stage.far : stage.node), SIMKIT_OK);
    } else if (IS("bound")) {
        assert_int_equal(simkit_mailbox_bound(world, (simkit_mailbox)of_kind(MAILBOX, a), (size_t)number(b, 0)),
                         SIMKIT_OK);
    } else if (IS("close")) {
        const thing *t = named(a);
        switch (t->what) {
        case RESOURCE: result = simkit_resource_close(world, t->handle); break;
        case CONDITION: result = simkit_condition_close(world, t->handle); break;
        case BARRIER: result = simkit_barrier_close(world, t->handle); break;
        default: result = simkit_mailbox_close(world, (simkit_mailbox)t->handle);
        }
        assert_int_equal(result, SIMKIT_OK);
    } else if (IS("choose")) {
        choose(who, words + 1, count - 1);
    } else if (IS("why")) {
        const size_t used = strlen(stage.told);
        snprintf(stage.told + used, sizeof stage.told - used, "[%s] ", simkit_world_why(world));
    } else {
        fail_msg("the script says '%s'", what);
    }
#undef CALLBACK
#undef IS
}

static void follow(const char *who, bool in, const char *script)
{
    while (*script) {
        char line[80], *words[WORDS + 1];
        const size_t length = strcspn(script, ",");
        int count = 0;
        assert_true(length < sizeof line);
        memcpy(line, script, length);
        line[length] = 0;
        script += length + (script[length] == ',');
        for (char *at = line;;) {
            at += strspn(at, " ");
            if (!*at) break;
            assert_true(count < WORDS);
            words[count++] = at;
            at += strcspn(at, " ");
            if (*at) *at++ = 0;
        }
        if (count) act(who, in, words, count);
    }
}

static void performs(simkit_world *w, void *user)
{
    const actor *a = (const actor *)user;
    follow(a->name, simkit_process_self(w) != 0, a->script);
}

/* After open_stage() and what the play needs: "name: script". A process on the near node, or at a time a step of the host;
 * "1-" before the other events of that instant, "1+" after them. */
static void enter(const char *text)
{
    const char *colon = strchr(text, ':');
    assert_true(stage.actors_count < SCRIPTS && colon - text < 8);
    actor *a = &stage.actors[stage.actors_count++];
    memset(a, 0, sizeof *a);
    memcpy(a->name, text, (size_t)(colon - text));
    a->script = colon + 1;
    if (text[0] >= '0' && text[0] <= '9') {
        char *end;
        const double time = strtod(a->name, &end);
        a->priority = *end == '-' ? -1 : *end == '+';
        *end = 0;
        assert_int_equal(simkit_step_at(world, time, a->priority, performs, a, NULL), SIMKIT_OK);
    } else {
        simkit_process process;
        const simkit_process_desc desc = { .name = a->name, .node = stage.node, .body = performs, .user = a };
        assert_int_equal(simkit_process_start(world, &desc, &process), SIMKIT_OK);
        thing_new(PROCESS, a->name, process);
    }
}

static void open_stage(void)
{
    memset(&stage, 0, sizeof stage);
    reopen_world(NULL);
    stage.node =
        add_node(&(simkit_node_desc){ .name = "near", .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cores = 8 });
    stage.far = add_node(&(simkit_node_desc){ .name = "far", .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cores = 8 });
}

static void resource(const char *name, uint64_t capacity, uint64_t taken)
{
    const simkit_resource_desc desc = { .name = name, .capacity = capacity, .taken = taken };
    simkit_resource handle;
    assert_int_equal(simkit_resource_open(world, &desc, &handle), SIMKIT_OK);
    thing_new(RESOURCE, name, handle);
}

static void semaphore(const char *name, uint64_t value)
{
    simkit_resource handle;
    assert_int_equal(simkit_semaphore_open(world, name, value, &handle), SIMKIT_OK);
    thing_new(RESOURCE, name, handle);
}

static void condition(const char *name)
{
    simkit_condition handle;
    assert_int_equal(simkit_condition_open(world, name, &handle), SIMKIT_OK);
    thing_new(CONDITION, name, handle);
}

static void barrier(const char *name, size_t count)
{
    simkit_barrier handle;
    assert_int_equal(simkit_barrier_open(world, name, count, &handle), SIMKIT_OK);
    thing_new(BARRIER, name, handle);
}

static void mailbox(const char *name, size_t bound)
{
    simkit_mailbox handle;
    assert_int_equal(simkit_mailbox_open(world, stage.node, name, &handle), SIMKIT_OK);
    if (bound) assert_int_equal(simkit_mailbox_bound(world, handle, bound), SIMKIT_OK);
    thing_new(MAILBOX, name, handle);
}

/* Runs the play; it ends as `result` says and has told this. */
static void ends_as(int line, simkit_result result, const char *told)
{
    stage.ran = simkit_world_run(world);
    if (stage.ran == result && strcmp(stage.told, told) == 0) return;
    print_error("line %d: %s, %s\n  told     %s\n  not      %s\n", line, simkit_result_text(stage.ran),
                simkit_world_why(world), stage.told, told);
    fail();
}
#define TOLD(told) ends_as(__LINE__, SIMKIT_OK, told)
#define STUCK(told) ends_as(__LINE__, SIMKIT_DEADLOCK, told)

/* A stage with everything: r, s (resources of 1 and 3 units), sem (a semaphore, 0), c, d (conditions), b (a barrier for 3),
 * m, n (mailboxes, n for one message). */
static void open_all(void)
{
    open_stage();
    resource("r", 1, 0);
    resource("s", 3, 0);
    semaphore("sem", 0);
    condition("c");
    condition("d");
    barrier("b", 3);
    mailbox("m", 0);
    mailbox("n", 1);
}

static uint64_t available(const char *name)
{
    return simkit_resource_available(world, of_kind(RESOURCE, name));
}

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
        tell("a", "send", NULL, simkit_process_send(w, &desc, &transfer->handle));
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
        assert_int_equal(simkit_step_at(world, 9, 0, spoils_choices, NULL, &steps[i]), SIMKIT_OK);
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
        WORLD_TEST(the_end_of_a_process_is_waited_for),
        WORLD_TEST(what_never_was_a_process_is_refused),
        WORLD_TEST(each_kind_can_be_chosen),
        WORLD_TEST(what_is_there_already_is_taken),
        WORLD_TEST(two_may_wait_for_one_end),
        WORLD_TEST(the_other_requests_are_cancelled),
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
        WORLD_TEST(a_full_mailbox_slows_its_sender),
        WORLD_TEST(a_bound_can_change),
        WORLD_TEST(a_sender_outside_gives_up),
        WORLD_TEST(a_mailbox_is_closed_on_those_outside),
        WORLD_TEST(a_transfer_ends_before_a_full_mailbox),
        WORLD_TEST(a_message_given_back_keeps_its_place),
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
