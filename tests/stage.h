/* Small plays: what the tests of waiting, of mailboxes and of the waits of processes share. Include after simkit.h.
 *
 * A script is the name of a process and what it does, "a: acquire r, wait 2, release r"; whatever waits is written down when
 * it ends, "a.acquire@0 a.wait@2 ", with its result unless that is SIMKIT_OK. A script whose name is a number is a step of
 * the host at that time; its calls take callbacks, which write "3.acquire@3 ". */
#ifndef STAGE_H
#define STAGE_H

#include "world.h"

#include <stdio.h>

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

static inline const char *short_result(simkit_result result)
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

static inline void write_down(const char *who, const char *what, const char *detail, simkit_result result)
{
    const size_t used = strlen(stage.told);
    snprintf(stage.told + used, sizeof stage.told - used, "%s.%s%s%s%s%s@%g ", who, what, detail ? ":" : "",
             detail ? detail : "", result == SIMKIT_OK ? "" : "=", result == SIMKIT_OK ? "" : short_result(result),
             simkit_clock_now(world));
    assert_true(strlen(stage.told) + 100 < sizeof stage.told);
}

static inline thing *named(const char *name)
{
    for (int processes = 0; processes < 2; ++processes) /* the latest of this name, rather not a process */
        for (size_t i = stage.count; i-- > 0;)
            if (strcmp(stage.things[i].name, name) == 0 && stage.things[i].what != WAIT &&
                (processes || stage.things[i].what != PROCESS))
                return &stage.things[i];
    fail_msg("the script names '%s'", name);
    return NULL;
}

static inline thing *thing_new(kind what, const char *name, uint64_t handle)
{
    assert_true(stage.count < THINGS && strlen(name) < sizeof stage.things[0].name);
    thing *t = &stage.things[stage.count++];
    strcpy(t->name, name);
    t->what = what;
    t->handle = handle;
    return t;
}

static inline uint64_t of_kind(kind what, const char *name)
{
    for (size_t i = stage.count; i-- > 0;)
        if (stage.things[i].what == what && strcmp(stage.things[i].name, name) == 0) return stage.things[i].handle;
    fail_msg("the script names '%s'", name);
    return 0;
}

/* The parts of a label are what write_down() writes. */
static inline char *label_new(const char *who, const char *what)
{
    assert_true(stage.labels_count < THINGS);
    char *label = stage.labels[stage.labels_count++];
    snprintf(label, sizeof stage.labels[0], "%s.%s", who, what);
    return label;
}

static inline void label_tell(const char *label, const char *detail, simkit_result result)
{
    const char *point = strchr(label, '.');
    char who[16];
    snprintf(who, sizeof who, "%.*s", (int)(point - label), label);
    write_down(who, point + 1, detail, result);
}

static inline void is_called(simkit_world *w, void *user, simkit_result result)
{
    (void)w;
    label_tell((const char *)user, NULL, result);
}

static inline void is_done(simkit_world *w, void *user)
{
    (void)w;
    label_tell((const char *)user, "done", SIMKIT_OK);
}

static inline void is_lost(simkit_world *w, void *user)
{
    (void)w;
    label_tell((const char *)user, "lost", SIMKIT_OK);
}

static inline void is_given(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    label_tell((const char *)user, message ? (const char *)message->data : "nothing", SIMKIT_OK);
}

static inline double number(const char *text, double otherwise)
{
    return text ? strtod(text, NULL) : otherwise;
}

static inline simkit_result choose(const char *who, char **words, int count)
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
    write_down(who, "choose", detail, result);
    return result;
}

/* It may have ended. */
static inline void told_process(simkit_result result)
{
    assert_true(result == SIMKIT_OK || result == SIMKIT_UNKNOWN_PROCESS);
}

/* One deed; `in` says whether by a process. */
static inline void act(const char *who, bool in, char **words, int count)
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
        if (result != SIMKIT_OK) write_down(who, what, NULL, result);                                                  \
    } while (0)
    if (IS("wait")) {
        write_down(who, what, NULL, simkit_process_wait(world, number(a, 0)));
    } else if (IS("limit")) {
        assert_int_equal(simkit_process_limit(world, number(a, 0)), SIMKIT_OK);
    } else if (IS("acquire") && in) {
        result = simkit_process_acquire(world, of_kind(RESOURCE, a), (uint64_t)number(b, 1), (int)number(c, 0));
        write_down(who, what, NULL, result);
    } else if (IS("acquire") || IS("ask")) {
        CALLBACK(simkit_resource_acquire(world, of_kind(RESOURCE, a), (uint64_t)number(b, 1), (int)number(c, 0),
                                         is_called, label_new(who, what), &wait));
    } else if (IS("release")) {
        result = simkit_resource_release(world, of_kind(RESOURCE, a), (uint64_t)number(b, 1));
        if (result != SIMKIT_OK) write_down(who, what, NULL, result);
    } else if (IS("listen") && in) {
        write_down(who, what, NULL, simkit_process_listen(world, of_kind(CONDITION, a), b ? of_kind(RESOURCE, b) : 0));
    } else if (IS("listen") || IS("hark")) {
        CALLBACK(simkit_condition_wait(world, of_kind(CONDITION, a), is_called, label_new(who, what), &wait));
    } else if (IS("signal")) {
        assert_int_equal(simkit_condition_signal(world, of_kind(CONDITION, a)), SIMKIT_OK);
    } else if (IS("broadcast")) {
        assert_int_equal(simkit_condition_broadcast(world, of_kind(CONDITION, a)), SIMKIT_OK);
    } else if (IS("arrive") && in) {
        write_down(who, what, NULL, simkit_process_arrive(world, of_kind(BARRIER, a)));
    } else if (IS("arrive") || IS("come")) {
        CALLBACK(simkit_barrier_arrive(world, of_kind(BARRIER, a), is_called, label_new(who, what), &wait));
    } else if (IS("join") && in) {
        write_down(who, what, NULL, simkit_process_join(world, of_kind(PROCESS, a)));
    } else if (IS("join") || IS("ended")) {
        CALLBACK(simkit_process_ended(world, of_kind(PROCESS, a), is_called, label_new(who, what), &wait));
    } else if (IS("suspend")) {
        write_down(who, what, NULL, simkit_process_suspend(world, "a friend"));
    } else if (IS("resume")) {
        told_process(simkit_process_resume(world, of_kind(PROCESS, a)));
    } else if (IS("interrupt")) {
        told_process(simkit_process_interrupt(world, of_kind(PROCESS, a)));
    } else if (IS("kill")) {
        told_process(simkit_process_kill(world, of_kind(PROCESS, a)));
    } else if (IS("receive") && in) {
        simkit_message message = { .data = NULL };
        result = simkit_process_receive(world, (simkit_mailbox)of_kind(MAILBOX, a), &message);
        write_down(who, what, (const char *)message.data, result);
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
            write_down(who, what, b, simkit_process_send(world, &desc, &transfer));
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
        write_down(who, what, NULL, result);
    } else if (IS("drop")) { /* cancels a computation or a transfer */
        const thing *t = named(a);
        const bool was = t->what == COMPUTATION ? simkit_computation_cancel(world, t->handle)
                                                : simkit_transfer_cancel(world, t->handle);
        write_down(who, what, was ? "yes" : "no", SIMKIT_OK);
    } else if (IS("cancel")) { /* cancel NAME [MANY]: waits with a callback, of the script of that name; the latest */
        write_down(who, what, simkit_wait_cancel(world, of_kind(WAIT, a)) ? "yes" : "no", SIMKIT_OK);
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

static inline void follow(const char *who, bool in, const char *script)
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

static inline void performs(simkit_world *w, void *user)
{
    const actor *a = (const actor *)user;
    follow(a->name, simkit_process_self(w) != 0, a->script);
}

/* After open_stage() and what the play needs: "name: script". A process on the near node, or at a time a step of the host;
 * "1-" before the other events of that instant, "1+" after them. */
static inline void enter(const char *text)
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

static inline void open_stage(void)
{
    memset(&stage, 0, sizeof stage);
    reopen_world(NULL);
    stage.node =
        add_node(&(simkit_node_desc){ .name = "near", .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cores = 8 });
    stage.far = add_node(&(simkit_node_desc){ .name = "far", .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cores = 8 });
}

static inline void resource(const char *name, uint64_t capacity, uint64_t taken)
{
    const simkit_resource_desc desc = { .name = name, .capacity = capacity, .taken = taken };
    simkit_resource handle;
    assert_int_equal(simkit_resource_open(world, &desc, &handle), SIMKIT_OK);
    thing_new(RESOURCE, name, handle);
}

static inline void semaphore(const char *name, uint64_t value)
{
    simkit_resource handle;
    assert_int_equal(simkit_semaphore_open(world, name, value, &handle), SIMKIT_OK);
    thing_new(RESOURCE, name, handle);
}

static inline void condition(const char *name)
{
    simkit_condition handle;
    assert_int_equal(simkit_condition_open(world, name, &handle), SIMKIT_OK);
    thing_new(CONDITION, name, handle);
}

static inline void barrier(const char *name, size_t count)
{
    simkit_barrier handle;
    assert_int_equal(simkit_barrier_open(world, name, count, &handle), SIMKIT_OK);
    thing_new(BARRIER, name, handle);
}

static inline void mailbox(const char *name, size_t bound)
{
    simkit_mailbox handle;
    assert_int_equal(simkit_mailbox_open(world, stage.node, name, &handle), SIMKIT_OK);
    if (bound) assert_int_equal(simkit_mailbox_bound(world, handle, bound), SIMKIT_OK);
    thing_new(MAILBOX, name, handle);
}

/* Runs the play; it ends as `result` says and has told this. */
static inline void ends_as(int line, simkit_result result, const char *told)
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
static inline void open_all(void)
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

static inline uint64_t available(const char *name)
{
    return simkit_resource_available(world, of_kind(RESOURCE, name));
}

#endif
