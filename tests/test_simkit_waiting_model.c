/* Room waiting of simkit.h: random programs of processes and callbacks, held against a second implementation that is slow
 * and obvious. It keeps one list of events and one of waits, and searches both from end to end for whatever it needs; it was
 * written from the comments of the public calls. Times are small integers, so that almost everything happens at one instant
 * with something else. What must agree: which call answered what, which callback was called, when, and in which order. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

enum {
    PROCESSES = 6,
    OPS = 14,
    RESOURCES = 3,
    CONDITIONS = 2,
    BARRIERS = 2,
    CHOICES = 3,
    WAITS = 600,
    EVENTS = 3000,
    LOG = 1500
};

typedef enum deed {
    WAIT,
    ACQUIRE,
    LISTEN,
    ARRIVE,
    JOIN,
    SUSPEND,
    CHOOSE, /* up to here, they wait */
    RELEASE,
    SIGNAL,
    BROADCAST,
    RESUME,
    INTERRUPT,
    KILL,
    ASK, /* with a callback: for units */
    HARK,
    COME,
    ENDED,
    CANCEL,
    CLOSE,
    DEEDS
} deed;

typedef enum thing_kind { RESOURCE, CONDITION, BARRIER, END } thing_kind;

typedef struct thing { /* which resource, condition, barrier or process */
    thing_kind kind;
    int number;
} thing;

typedef struct op {
    deed deed;
    int number; /* of what it is about */
    int mutex;  /* of a condition: 1 + a resource; 0 */
    int units, priority;
    double time;  /* to wait */
    double limit; /* < 0: none */
    int choices;
    thing choice[CHOICES];
} op;

typedef struct program {
    op ops[PROCESSES][OPS];
    int capacity[RESOURCES], taken[RESOURCES], crowd[BARRIERS];
} program;

typedef struct entry {
    int who, what; /* a process and its operation; -1 and a wait with a callback */
    int result, which;
    double time;
} entry;

typedef struct history {
    entry entries[LOG];
    int count;
    int result;
    int available[RESOURCES];
} history;

static void tell(history *h, int who, int what, int result, int which, double time)
{
    assert_true(h->count < LOG);
    h->entries[h->count++] = (entry){ who, what, result, which, time };
}

/*=============================================================================
 * Programs
 *===========================================================================*/
static int dice(uint64_t *random, int below)
{
    return (int)(random_next(random) >> 33) % below;
}

static void generate(program *p, uint64_t seed)
{
    uint64_t random = seed;
    int weights[DEEDS], sum = 0;
    memset(p, 0, sizeof *p);
    for (int d = 0; d < DEEDS; ++d) {
        const int most = d == KILL || d == CLOSE ? 2 : d == WAIT || d == ACQUIRE || d == RELEASE ? 12 : 8;
        weights[d] = dice(&random, most);
        sum += weights[d];
    }
    for (int i = 0; i < RESOURCES; ++i) {
        p->capacity[i] = i == 0 ? 1 : 1 + dice(&random, 4);
        p->taken[i] = dice(&random, 3) ? 0 : dice(&random, p->capacity[i] + 1);
    }
    for (int i = 0; i < BARRIERS; ++i) p->crowd[i] = 1 + dice(&random, 4);
    for (int i = 0; i < PROCESSES; ++i)
        for (int k = 0; k < OPS; ++k) {
            op *o = &p->ops[i][k];
            int at = sum > 0 ? dice(&random, sum) : 0, d = 0;
            while (d < DEEDS - 1 && (at -= weights[d]) >= 0) ++d;
            o->deed = (deed)d;
            o->number = dice(&random, 6);
            o->units = 1 + (dice(&random, 3) ? 0 : dice(&random, 4));
            o->priority = dice(&random, 3) ? 0 : dice(&random, 3) - 1;
            o->time = dice(&random, 4);
            o->limit = dice(&random, 3) ? -1 : dice(&random, 4);
            o->mutex = dice(&random, 2) ? 0 : 1 + dice(&random, RESOURCES);
            if (d == LISTEN || d == SIGNAL || d == BROADCAST || d == HARK) o->number %= CONDITIONS;
            if (d == ARRIVE || d == COME) o->number %= BARRIERS;
            if (d == ACQUIRE || d == RELEASE || d == ASK) o->number %= RESOURCES;
            o->choices = 1 + dice(&random, CHOICES);
            const int resource =
                dice(&random, CHOICES); /* one at most: which of two queues moves first is not promised */
            for (int c = 0; c < CHOICES; ++c) {
                o->choice[c].kind = c == resource ? RESOURCE : dice(&random, 2) ? CONDITION : END;
                o->choice[c].number = dice(&random, 6);
                if (o->choice[c].kind == RESOURCE) o->choice[c].number %= RESOURCES;
                if (o->choice[c].kind == CONDITION) o->choice[c].number %= CONDITIONS;
            }
        }
}

/*=============================================================================
 * The kit
 *===========================================================================*/
static struct kit {
    const program *program;
    history *history;
    simkit_process process[PROCESSES];
    simkit_resource resource[RESOURCES];
    simkit_condition condition[CONDITIONS];
    simkit_barrier barrier[BARRIERS];
    simkit_wait wait[WAITS];
    int waits;
    int numbers[PROCESSES];
} kit;

static void is_called(simkit_world *w, void *user, simkit_result result)
{
    tell(kit.history, -1, (int)(intptr_t)user, (int)result, 0, simkit_clock_now(w));
}

static simkit_result kit_choose(simkit_world *w, const op *o, int *which)
{
    simkit_choice choices[CHOICES];
    size_t chosen = 0;
    memset(choices, 0, sizeof choices);
    for (int i = 0; i < o->choices; ++i) {
        const thing t = o->choice[i];
        if (t.kind == RESOURCE) {
            choices[i].resource = kit.resource[t.number];
            choices[i].units = (uint64_t)o->units;
            choices[i].priority = o->priority;
        } else if (t.kind == CONDITION)
            choices[i].condition = kit.condition[t.number];
        else
            choices[i].process = kit.process[t.number];
    }
    const simkit_result result = simkit_process_choose(w, choices, (size_t)o->choices, &chosen, NULL);
    *which = (int)chosen;
    return result;
}

static simkit_result kit_close(simkit_world *w, int number)
{
    if (number < 3) return simkit_resource_close(w, kit.resource[number]);
    if (number < 5) return simkit_condition_close(w, kit.condition[number - 3]);
    return simkit_barrier_close(w, kit.barrier[0]);
}

static void acts(simkit_world *w, void *user)
{
    const int me = *(int *)user;
    for (int k = 0; k < OPS; ++k) {
        const op *o = &kit.program->ops[me][k];
        void *const call = (void *)(intptr_t)kit.waits;
        simkit_wait *const wait = &kit.wait[kit.waits];
        simkit_result result = SIMKIT_OK;
        int which = 0;
        if (o->deed <= CHOOSE && o->limit >= 0) assert_int_equal(simkit_process_limit(w, o->limit), SIMKIT_OK);
        switch (o->deed) {
        case WAIT: result = simkit_process_wait(w, o->time); break;
        case ACQUIRE:
            result = simkit_process_acquire(w, kit.resource[o->number], (uint64_t)o->units, o->priority);
            break;
        case LISTEN:
            result = simkit_process_listen(w, kit.condition[o->number], o->mutex ? kit.resource[o->mutex - 1] : 0);
            break;
        case ARRIVE: result = simkit_process_arrive(w, kit.barrier[o->number]); break;
        case JOIN: result = simkit_process_join(w, kit.process[o->number]); break;
        case SUSPEND: result = simkit_process_suspend(w, NULL); break;
        case CHOOSE: result = kit_choose(w, o, &which); break;
        case RELEASE: result = simkit_resource_release(w, kit.resource[o->number], (uint64_t)o->units); break;
        case SIGNAL: result = simkit_condition_signal(w, kit.condition[o->number]); break;
        case BROADCAST: result = simkit_condition_broadcast(w, kit.condition[o->number]); break;
        case RESUME: result = simkit_process_resume(w, kit.process[o->number]); break;
        case INTERRUPT: result = simkit_process_interrupt(w, kit.process[o->number]); break;
        case KILL: result = simkit_process_kill(w, kit.process[o->number]); break;
        case ASK:
            result = simkit_resource_acquire(w, kit.resource[o->number], (uint64_t)o->units, o->priority, is_called,
                                             call, wait);
            break;
        case HARK: result = simkit_condition_wait(w, kit.condition[o->number], is_called, call, wait); break;
        case COME: result = simkit_barrier_arrive(w, kit.barrier[o->number], is_called, call, wait); break;
        case ENDED: result = simkit_process_ended(w, kit.process[o->number], is_called, call, wait); break;
        case CANCEL: which = kit.waits > o->number && simkit_wait_cancel(w, kit.wait[kit.waits - 1 - o->number]); break;
        default: result = kit_close(w, o->number);
        }
        if (o->deed >= ASK && o->deed <= ENDED) ++kit.waits;
        tell(kit.history, me, k, (int)result, which, simkit_clock_now(w));
    }
}

static void play(const program *p, history *h)
{
    memset(&kit, 0, sizeof kit);
    memset(h, 0, sizeof *h);
    reopen_world(NULL);
    kit.program = p;
    kit.history = h;
    for (int i = 0; i < RESOURCES; ++i)
        assert_int_equal(simkit_resource_open(world,
                                              &(simkit_resource_desc){ .capacity = (uint64_t)p->capacity[i],
                                                                       .taken = (uint64_t)p->taken[i] },
                                              &kit.resource[i]),
                         SIMKIT_OK);
    for (int i = 0; i < CONDITIONS; ++i)
        assert_int_equal(simkit_condition_open(world, NULL, &kit.condition[i]), SIMKIT_OK);
    for (int i = 0; i < BARRIERS; ++i)
        assert_int_equal(simkit_barrier_open(world, NULL, (size_t)p->crowd[i], &kit.barrier[i]), SIMKIT_OK);
    for (int i = 0; i < PROCESSES; ++i) {
        kit.numbers[i] = i;
        assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = acts, .user = &kit.numbers[i] },
                                              &kit.process[i]),
                         SIMKIT_OK);
    }
    h->result = (int)simkit_world_run(world);
    for (int i = 0; i < RESOURCES; ++i) h->available[i] = (int)simkit_resource_available(world, kit.resource[i]);
}

/*=============================================================================
 * The model
 *===========================================================================*/
typedef enum event_kind { RUNS, CALLS, IS_LATE } event_kind;

typedef struct event {
    bool pending;
    double time;
    event_kind kind;
    int number; /* of a process or a wait */
} event;

typedef enum wait_state { QUEUED, GIVEN, GONE } wait_state;

typedef struct wait {
    wait_state state;
    int process; /* or -1: a callback, with its number */
    int call;
    thing at;
    int units, priority, choice;
    bool signalled;
    int result, event;
} wait;

typedef enum phase { TO_BEGIN, ASKING, HOLDS, SUSPENDED, WAITING, LOCKING, READY, DEAD } phase;

static struct model {
    const program *program;
    history *history;
    double now;
    event events[EVENTS];
    int events_count;
    wait waits[WAITS * 2];
    int waits_count;
    int calls[WAITS], calls_count; /* the wait of each callback */
    int units[RESOURCES];
    int holder[RESOURCES]; /* of one unit: 1 + the process that has it; 0: unknown */
    bool closed[4][PROCESSES];
    struct {
        phase phase;
        int at; /* its operation */
        int answer, chosen;
        int event, late; /* 1 + those that are pending for it */
        bool interrupted, resumed, limited;
        int heard; /* what listening answered, while it acquires its mutex again */
        bool relocks;
    } processes[PROCESSES];
} m;

static int event_add(double time, event_kind kind, int number)
{
    assert_true(m.events_count < EVENTS);
    m.events[m.events_count] = (event){ true, time, kind, number };
    return m.events_count++;
}

static bool same(thing a, thing b)
{
    return a.kind == b.kind && a.number == b.number;
}

/* The first in the queue of a thing; -1. */
static int first_at(thing at)
{
    int first = -1;
    for (int i = 0; i < m.waits_count; ++i)
        if (m.waits[i].state == QUEUED && same(m.waits[i].at, at) &&
            (first < 0 || m.waits[i].priority < m.waits[first].priority))
            first = i;
    return first;
}

static int count_at(thing at)
{
    int count = 0;
    for (int i = 0; i < m.waits_count; ++i) count += m.waits[i].state == QUEUED && same(m.waits[i].at, at);
    return count;
}

static void serve(int resource);

/* No longer in a queue: those behind it may be served. */
static void wait_goes(int i)
{
    m.waits[i].state = GONE;
    if (m.waits[i].at.kind == RESOURCE) serve(m.waits[i].at.number);
}

static void wakes(int i, int result)
{
    wait *one = &m.waits[i];
    one->state = GIVEN;
    one->result = result;
    if (one->process < 0) {
        one->event = event_add(m.now, CALLS, i);
        return;
    }
    const int p = one->process;
    m.processes[p].phase = READY;
    m.processes[p].answer = result;
    m.processes[p].chosen = i;
    m.processes[p].event = 1 + event_add(m.now, RUNS, p);
    for (int k = m.waits_count; k-- > 0;)
        if (m.waits[k].state == QUEUED && m.waits[k].process == p) wait_goes(k);
}

static void holds(int resource, int process)
{
    if (m.program->capacity[resource] == 1) m.holder[resource] = 1 + process;
}

static void serve(int resource)
{
    const thing at = { RESOURCE, resource };
    for (int i; !m.closed[RESOURCE][resource] && (i = first_at(at)) >= 0 && m.waits[i].units <= m.units[resource];) {
        m.units[resource] -= m.waits[i].units;
        if (m.waits[i].process >= 0) holds(resource, m.waits[i].process);
        wakes(i, SIMKIT_OK);
    }
}

static void wakes_all(thing at, int result)
{
    for (int i; (i = first_at(at)) >= 0;) wakes(i, result);
}

static void signals(int condition)
{
    const int i = first_at((thing){ CONDITION, condition });
    if (i < 0) return;
    m.waits[i].signalled = true;
    wakes(i, SIMKIT_OK);
}

/* What a wait was given and nobody has seen goes to the next. */
static void gives_back(int i)
{
    const wait w = m.waits[i];
    m.waits[i].state = GONE;
    if (w.result != SIMKIT_OK || m.closed[w.at.kind][w.at.number]) return;
    if (w.at.kind == RESOURCE) {
        const int taken = m.program->capacity[w.at.number] - m.units[w.at.number]; /* others may have released them */
        m.units[w.at.number] += w.units < taken ? w.units : taken;
        m.holder[w.at.number] = 0;
        serve(w.at.number);
    }
    if (w.at.kind == CONDITION && w.signalled) signals(w.at.number);
}

static int wait_add(int process, thing at, int units, int priority)
{
    assert_true(m.waits_count < WAITS * 2);
    m.waits[m.waits_count] = (wait){ QUEUED, process, -1, at, units, priority, 0, false, SIMKIT_OK, -1 };
    return m.waits_count++;
}

/* Takes from a process what it waits for and what it was given. */
static void forgets(int p)
{
    if (m.processes[p].event) m.events[m.processes[p].event - 1].pending = false;
    m.processes[p].event = 0;
    const int chosen = m.processes[p].chosen;
    m.processes[p].chosen = -1;
    for (int k = m.waits_count; k-- > 0;)
        if (m.waits[k].state == QUEUED && m.waits[k].process == p) wait_goes(k);
    if (chosen >= 0) gives_back(chosen);
}

static void dies(int p)
{
    if (m.processes[p].late) m.events[m.processes[p].late - 1].pending = false;
    m.processes[p].phase = DEAD;
    wakes_all((thing){ END, p }, SIMKIT_OK);
}

static bool waits(int p)
{
    return m.processes[p].phase >= HOLDS && m.processes[p].phase <= WAITING;
}

static bool can_take(int resource, int units, int priority)
{
    const int first = first_at((thing){ RESOURCE, resource });
    return units <= m.units[resource] && (first < 0 || m.waits[first].priority > priority);
}

/* The process leaves, limited if its call is. */
static void blocks(int p, phase next, const op *o)
{
    m.processes[p].phase = next;
    m.processes[p].chosen = -1;
    if (o->limit < 0 || next == LOCKING) return;
    m.processes[p].late = 1 + event_add(m.now + o->limit, IS_LATE, p);
}

enum { BLOCKED = -1 };

/* What a call answers at once, or BLOCKED. */
static int asks(int p, const op *o, int *which)
{
    const thing resource = { RESOURCE, o->number }, condition = { CONDITION, o->number },
                barrier = { BARRIER, o->number };
    *which = o->deed == CHOOSE ? o->choices : 0;
    if (m.processes[p].interrupted) {
        m.processes[p].interrupted = false;
        return SIMKIT_INTERRUPTED;
    }
    switch (o->deed) {
    case WAIT:
        m.processes[p].event = 1 + event_add(m.now + o->time, RUNS, p);
        blocks(p, HOLDS, o);
        return BLOCKED;
    case ACQUIRE:
        if (m.closed[RESOURCE][o->number]) return SIMKIT_UNKNOWN_PLACE;
        if (o->units > m.program->capacity[o->number]) return SIMKIT_BAD_ARGUMENT;
        if (can_take(o->number, o->units, o->priority)) {
            m.units[o->number] -= o->units;
            holds(o->number, p);
            return SIMKIT_OK;
        }
        wait_add(p, resource, o->units, o->priority);
        blocks(p, WAITING, o);
        return BLOCKED;
    case LISTEN:
        if (m.closed[CONDITION][o->number]) return SIMKIT_UNKNOWN_PLACE;
        if (o->mutex) {
            if (m.closed[RESOURCE][o->mutex - 1]) return SIMKIT_UNKNOWN_PLACE;
            if (m.units[o->mutex - 1] == m.program->capacity[o->mutex - 1]) return SIMKIT_BAD_CALL;
            if (m.holder[o->mutex - 1] && m.holder[o->mutex - 1] != 1 + p) return SIMKIT_BAD_CALL;
            ++m.units[o->mutex - 1];
            m.holder[o->mutex - 1] = 0;
            serve(o->mutex - 1);
        }
        wait_add(p, condition, 0, 0);
        m.processes[p].relocks = o->mutex;
        blocks(p, WAITING, o);
        return BLOCKED;
    case ARRIVE:
        if (m.closed[BARRIER][o->number]) return SIMKIT_UNKNOWN_PLACE;
        if (count_at(barrier) + 1 >= m.program->crowd[o->number]) {
            wakes_all(barrier, SIMKIT_OK);
            return SIMKIT_OK;
        }
        wait_add(p, barrier, 0, 0);
        blocks(p, WAITING, o);
        return BLOCKED;
    case JOIN:
        if (o->number == p) return SIMKIT_BAD_CALL;
        if (m.processes[o->number].phase == DEAD) return SIMKIT_OK;
        wait_add(p, (thing){ END, o->number }, 0, 0);
        blocks(p, WAITING, o);
        return BLOCKED;
    case SUSPEND:
        if (m.processes[p].resumed) {
            m.processes[p].resumed = false;
            return SIMKIT_OK;
        }
        blocks(p, SUSPENDED, o);
        return BLOCKED;
    default: break;
    }
    for (int i = 0; i < o->choices; ++i) {
        const thing t = o->choice[i];
        if (t.kind == END ? t.number == p : m.closed[t.kind][t.number])
            return t.kind == END ? SIMKIT_BAD_CALL : SIMKIT_UNKNOWN_PLACE;
        if (t.kind == RESOURCE && o->units > m.program->capacity[t.number]) return SIMKIT_BAD_ARGUMENT;
    }
    for (int i = 0; i < o->choices; ++i) {
        const thing t = o->choice[i];
        *which = i;
        if (t.kind == END && m.processes[t.number].phase == DEAD) return SIMKIT_OK;
        if (t.kind == RESOURCE && can_take(t.number, o->units, o->priority)) {
            m.units[t.number] -= o->units;
            holds(t.number, p);
            return SIMKIT_OK;
        }
    }
    for (int i = 0; i < o->choices; ++i) {
        const thing t = o->choice[i];
        m.waits[wait_add(p, t, t.kind == RESOURCE ? o->units : 0, t.kind == RESOURCE ? o->priority : 0)].choice = i;
    }
    blocks(p, WAITING, o);
    return BLOCKED;
}

static bool is_closed_by(int number)
{
    const thing t = number < 3   ? (thing){ RESOURCE, number }
                    : number < 5 ? (thing){ CONDITION, number - 3 }
                                 : (thing){ BARRIER, 0 };
    if (m.closed[t.kind][t.number]) return false;
    m.closed[t.kind][t.number] = true;
    wakes_all(t, SIMKIT_CLOSED);
    return true;
}

/* A call that never waits; `dead` if it has ended its own process. */
static int acts_at_once(int p, const op *o, int *which, bool *dead)
{
    const int n = o->number;
    thing at = { o->deed == ASK ? RESOURCE : o->deed == HARK ? CONDITION : o->deed == COME ? BARRIER : END, n };
    *which = 0;
    switch (o->deed) {
    case RELEASE:
        if (m.closed[RESOURCE][n]) return SIMKIT_UNKNOWN_PLACE;
        if (o->units > m.program->capacity[n] - m.units[n]) return SIMKIT_BAD_CALL;
        m.units[n] += o->units;
        m.holder[n] = 0;
        serve(n);
        return SIMKIT_OK;
    case SIGNAL:
    case BROADCAST:
        if (m.closed[CONDITION][n]) return SIMKIT_UNKNOWN_PLACE;
        if (o->deed == SIGNAL)
            signals(n);
        else
            wakes_all((thing){ CONDITION, n }, SIMKIT_OK);
        return SIMKIT_OK;
    case RESUME:
        if (m.processes[n].phase == DEAD) return SIMKIT_UNKNOWN_PROCESS;
        m.processes[n].resumed = true;
        if (m.processes[n].phase != SUSPENDED) return SIMKIT_OK;
        m.processes[n].phase = READY;
        m.processes[n].answer = SIMKIT_OK;
        m.processes[n].event = 1 + event_add(m.now, RUNS, n);
        return SIMKIT_OK;
    case INTERRUPT:
        if (m.processes[n].phase == DEAD) return SIMKIT_UNKNOWN_PROCESS;
        if (!waits(n)) {
            m.processes[n].interrupted = true;
            return SIMKIT_OK;
        }
        forgets(n);
        m.processes[n].phase = READY;
        m.processes[n].answer = SIMKIT_INTERRUPTED;
        m.processes[n].event = 1 + event_add(m.now, RUNS, n);
        return SIMKIT_OK;
    case KILL:
        if (m.processes[n].phase == DEAD) return SIMKIT_UNKNOWN_PROCESS;
        *dead = n == p;
        if (n != p) forgets(n);
        dies(n);
        return SIMKIT_OK;
    case CANCEL: {
        if (m.calls_count <= n) return SIMKIT_OK;
        const int i = m.calls[m.calls_count - 1 - n];
        if (i < 0 || m.waits[i].state == GONE) return SIMKIT_OK;
        *which = 1;
        if (m.waits[i].state == QUEUED) {
            wait_goes(i);
        } else {
            m.events[m.waits[i].event].pending = false;
            gives_back(i);
        }
        return SIMKIT_OK;
    }
    case CLOSE: return is_closed_by(n) ? SIMKIT_OK : SIMKIT_UNKNOWN_PLACE;
    default: break;
    }
    const int call = m.calls_count++;
    assert_true(call < WAITS);
    m.calls[call] = -1;
    if (at.kind != END && m.closed[at.kind][n]) return SIMKIT_UNKNOWN_PLACE;
    if (at.kind == RESOURCE && o->units > m.program->capacity[n]) return SIMKIT_BAD_ARGUMENT;
    const int i = wait_add(-1, at, at.kind == RESOURCE ? o->units : 0, at.kind == RESOURCE ? o->priority : 0);
    m.calls[call] = i;
    m.waits[i].call = call;
    if (at.kind == RESOURCE) serve(n);
    if (at.kind == BARRIER && count_at(at) >= m.program->crowd[n]) wakes_all(at, SIMKIT_OK);
    if (at.kind == END && m.processes[n].phase == DEAD) wakes(i, SIMKIT_OK);
    return SIMKIT_OK;
}

/* From the operation at which it is. */
static void goes_on(int p)
{
    bool dead = false;
    for (; m.processes[p].at < OPS; ++m.processes[p].at) {
        const op *o = &m.program->ops[p][m.processes[p].at];
        int which = 0;
        m.processes[p].phase = ASKING;
        const int result = o->deed <= CHOOSE ? asks(p, o, &which) : acts_at_once(p, o, &which, &dead);
        if (result == BLOCKED || dead) return;
        tell(m.history, p, m.processes[p].at, result, which, m.now);
    }
    dies(p);
}

/* It was woken, or is late: what its call answers. */
static void returns(int p, int answer)
{
    const op *o = &m.program->ops[p][m.processes[p].at];
    const int chosen = m.processes[p].chosen;
    int which = o->deed == CHOOSE ? o->choices : 0;
    if (m.processes[p].late) m.events[m.processes[p].late - 1].pending = false;
    m.processes[p].event = m.processes[p].late = 0;
    m.processes[p].chosen = -1;
    if (chosen >= 0) m.waits[chosen].state = GONE;
    if (chosen >= 0 && o->deed == CHOOSE) which = m.waits[chosen].choice;
    if (o->deed == SUSPEND && answer == SIMKIT_OK) m.processes[p].resumed = false;
    if (m.processes[p].relocks) { /* the condition is over: now its mutex */
        const int mutex = o->mutex - 1;
        m.processes[p].relocks = false;
        m.processes[p].heard = answer;
        if (m.closed[RESOURCE][mutex]) {
            answer = SIMKIT_CLOSED;
        } else if (can_take(mutex, 1, 0)) {
            --m.units[mutex];
            holds(mutex, p);
        } else {
            wait_add(p, (thing){ RESOURCE, mutex }, 1, 0);
            blocks(p, LOCKING, o);
            return;
        }
    } else if (o->deed == LISTEN && o->mutex && answer == SIMKIT_OK) {
        answer = m.processes[p].heard;
    }
    tell(m.history, p, m.processes[p].at, answer, which, m.now);
    ++m.processes[p].at;
    goes_on(p);
}

static void happens(const event *e)
{
    const int n = e->number;
    if (e->kind == CALLS) {
        m.waits[n].state = GONE;
        tell(m.history, -1, m.waits[n].call, m.waits[n].result, 0, m.now);
    } else if (e->kind == IS_LATE) {
        m.processes[n].late = 0;
        if (!waits(n)) return;
        forgets(n);
        returns(n, SIMKIT_TIMED_OUT);
    } else if (m.processes[n].phase == TO_BEGIN) {
        m.processes[n].event = 0;
        goes_on(n);
    } else {
        returns(n, m.processes[n].phase == HOLDS ? SIMKIT_OK : m.processes[n].answer);
    }
}

static void predict(const program *p, history *h)
{
    memset(&m, 0, sizeof m);
    memset(h, 0, sizeof *h);
    m.program = p;
    m.history = h;
    for (int i = 0; i < RESOURCES; ++i) m.units[i] = p->capacity[i] - p->taken[i];
    for (int i = 0; i < PROCESSES; ++i) {
        m.processes[i].chosen = -1;
        m.processes[i].event = 1 + event_add(0, RUNS, i);
    }
    for (;;) {
        int next = -1;
        for (int i = 0; i < m.events_count; ++i)
            if (m.events[i].pending && (next < 0 || m.events[i].time < m.events[next].time)) next = i;
        if (next < 0) break;
        m.events[next].pending = false;
        m.now = m.events[next].time;
        happens(&m.events[next]);
    }
    h->result = SIMKIT_OK;
    for (int i = 0; i < PROCESSES; ++i)
        if (m.processes[i].phase != DEAD) h->result = SIMKIT_DEADLOCK;
    for (int i = 0; i < RESOURCES; ++i) h->available[i] = m.closed[RESOURCE][i] ? 0 : m.units[i];
}

/*=============================================================================
 * One against the other
 *===========================================================================*/
static void entry_print(const char *whose, const program *p, const history *h, int at)
{
    if (at >= h->count) {
        print_error("  %s: nothing\n", whose);
        return;
    }
    const entry *e = &h->entries[at];
    print_error("  %s: %d, %d (deed %d), result %d, which %d, at %g\n", whose, e->who, e->what,
                e->who < 0 ? -1 : (int)p->ops[e->who][e->what].deed, e->result, e->which, e->time);
}

static void random_programs_agree(void **state)
{
    static program p;
    static history ours, theirs;
    static uint64_t answers[32];
    const uint64_t programs = CASES(20000);
    (void)state;
    const char *only = getenv("PROGRAM");
    for (uint64_t seed = only ? strtoull(only, NULL, 0) : 1; seed <= programs; ++seed) {
        generate(&p, seed);
        predict(&p, &theirs);
        play(&p, &ours);
        int at = 0;
        while (at < ours.count && at < theirs.count &&
               memcmp(&ours.entries[at], &theirs.entries[at], sizeof(entry)) == 0)
            ++at;
        if (at < ours.count || at < theirs.count || ours.result != theirs.result ||
            memcmp(ours.available, theirs.available, sizeof ours.available) != 0) {
            print_error("program %lu, entry %d, results %d %d\n", (unsigned long)seed, at, ours.result, theirs.result);
            entry_print("kit", &p, &ours, at);
            entry_print("model", &p, &theirs, at);
            fail();
        }
        for (int i = 0; i < ours.count; ++i) ++answers[ours.entries[i].result];
        if (only) break;
    }
    if (only) return;
    static const simkit_result all[] = { SIMKIT_OK,     SIMKIT_BAD_ARGUMENT, SIMKIT_BAD_CALL,    SIMKIT_UNKNOWN_PROCESS,
                                         SIMKIT_CLOSED, SIMKIT_TIMED_OUT,    SIMKIT_INTERRUPTED, SIMKIT_UNKNOWN_PLACE };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (answers[all[i]] < programs / 20)
            fail_msg("%s was answered %lu times", simkit_result_text(all[i]), (unsigned long)answers[all[i]]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { WORLD_TEST(random_programs_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
