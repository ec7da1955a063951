/* tests/differential/generate.h   Random programs: some with ties of small integers, some with numbers of any size; each
 * with a taste of its own, so that what is rare elsewhere is often done in one of them. */
#ifndef GENERATE_H
#define GENERATE_H

#include "program.h"

#include <float.h>

typedef enum palette { INTEGERS, REALS, WIDE, EXTREMES } palette;

typedef struct maker {
    program *p;
    uint64_t random;
    palette palette;
    double weights[KIND_COUNT]; /* how often each kind is chosen */
} maker;

static double make_amount(maker *m)
{
    static const double extremes[] = { 5e-324, 1e-310, 1e-300, 1e-15, 1, 1 + 0x1p-52, 1e15, 0x1p53, 1e300, 1e308, DBL_MAX,
                                       -0.0, -1, -1e-310, INFINITY, -INFINITY, NAN };
    if (chance(&m->random, 0.1)) return 0;
    if (m->palette == EXTREMES && chance(&m->random, 0.3))
        return extremes[random_below(&m->random, chance(&m->random, 0.8) ? 11 : 17)];
    switch (m->palette == INTEGERS || !chance(&m->random, 0.2) ? m->palette : INTEGERS) {
    case INTEGERS: return (double)random_below(&m->random, 9) / (double)(1 << random_below(&m->random, 3));
    case REALS: return 8 * random_unit(&m->random);
    default: return pow(10, -6 + 12 * random_unit(&m->random));
    }
}

static bool make_fits(kind wanted, kind kind)
{
    return kind == wanted || (wanted == STEP_AT && kind == STEP_AFTER) ||
           (wanted == COMPUTE && kind == PROCESS_COMPUTE) || (wanted == TRANSFER && (kind == POST || kind == SEND)) ||
           (wanted == ASK && (kind == HARK || kind == COME || kind == END || kind == TAKE));
}

/* An operation of a kind: one of all or, as often, one of the latest; now and then none. */
static int make_reference(maker *m, kind kind)
{
    int found = 0, seen = 0;
    const int most = chance(&m->random, 0.5) ? 3 : MOST_OPS;
    if (chance(&m->random, 0.01)) return 0;
    for (int i = m->p->count - 1; i > 0 && seen < most; --i)
        if (make_fits(kind, m->p->ops[i].kind) && random_below(&m->random, ++seen) == 0) found = i;
    return found;
}

/* Whose callback or body an operation is for: often that of a process, which needs many to do something. */
static int make_parent(maker *m)
{
    int found = 0, seen = 0;
    if (chance(&m->random, 0.2)) return 0;
    for (int i = 1; i < m->p->count; ++i) {
        const int weight = m->p->ops[i].kind == PROCESS ? 8 : 1;
        if (calls_back(&m->p->ops[i]) && random_below(&m->random, seen += weight) < weight) found = i;
    }
    return found;
}

static op make_op(maker *m, kind kind, int by)
{
    static const unsigned cores[] = { 0, 1, 1, 2, 3, 4, 8 };
    static const int nices[] = { 0, 0, 0, 0, 1, 5, -5, 10, 19, -20 };
    op o;
    memset(&o, 0, sizeof o);
    o.kind = kind;
    o.by = by;
    for (int i = 0; i < NUMBERS; ++i) o.x[i] = make_amount(m);
    switch (kind) {
    case NODE:
        o.x[0] = chance(&m->random, 0.5) ? 1 : m->palette == INTEGERS ? (double)(1 << random_below(&m->random, 3)) : o.x[0];
        o.n = (int)cores[random_below(&m->random, 7)];
        for (int i = 1; i < 3 && m->palette != EXTREMES; ++i) /* bandwidths */
            if (o.x[i] > 0) o.x[i] = fmax(1 / o.x[i], 0.002);
        if (chance(&m->random, 0.7)) o.x[5] = o.x[6] = 0; /* cores that transfers take */
        o.x[5] /= 8;
        o.x[6] /= 8;
        /* A quota; not where a million periods pass before anything else happens. */
        if (m->palette >= WIDE || chance(&m->random, 0.6)) o.x[7] = 0;
        if (o.x[7] > 0) o.x[7] += 0.125;
        if (o.x[7] > 0) o.x[8] = o.x[7] * (double)(1 + random_below(&m->random, 3)) / 2; /* period */
        if (chance(&m->random, 0.5) || o.x[8] <= 0) o.x[9] = 0;
        if (chance(&m->random, 0.3)) o.x[3] = 0; /* slice */
        o.x[4] = o.x[3] * (double)random_below(&m->random, 3) / 2; /* kept */
        o.x[10] = chance(&m->random, 0.4) ? 1 + random_below(&m->random, 2) : 0; /* host */
        if (chance(&m->random, 0.6)) o.x[11] = 0; /* burst */
        if (chance(&m->random, 0.6)) o.x[12] = 0; /* memory bandwidth */
        if (o.x[12] > 0 && m->palette != EXTREMES) o.x[12] = fmax(o.x[12], 0.002);
        o.flag = chance(&m->random, 0.2); /* the nice rule of Linux 2.2 */
        break;
    case STEP_AT:
    case STEP_AFTER:
        if (chance(&m->random, 0.3)) o.n = random_below(&m->random, 5) - 2;
        if (chance(&m->random, 0.01)) o.n = chance(&m->random, 0.5) ? -32768 : 32767;
        break;
    case STEP_CANCEL:
    case STEP_PENDING:
    case STEP_BACKGROUND: o.a = make_reference(m, STEP_AT); break;
    case COMPUTE:
    case PROCESS_COMPUTE:
        if (kind == COMPUTE || chance(&m->random, 0.3)) o.a = make_reference(m, NODE);
        o.n = nices[random_below(&m->random, 10)];
        o.x[1] = chance(&m->random, 0.3) ? 0 : chance(&m->random, 0.5) ? random_below(&m->random, 4) : o.x[1]; /* memory rate */
        o.flag = chance(&m->random, 0.15);
        break;
    case COMPUTE_CANCEL: o.a = make_reference(m, COMPUTE); break;
    case TRANSFER_CANCEL: o.a = make_reference(m, TRANSFER); break;
    case FAIL:
    case RUNNING:
    case LOAD_KEEP:
    case BOX:
    case LOAD_AVERAGE:
        o.a = make_reference(m, NODE);
        o.x[0] = o.x[0] > 1 ? 0.5 : o.x[0]; /* beta */
        break;
    case TRANSFER:
    case MODEL:
        o.a = make_reference(m, NODE);
        o.b = make_reference(m, NODE);
        o.flag = chance(&m->random, 0.3);
        break;
    case POST:
    case SEND:
        if (kind == POST || chance(&m->random, 0.3)) o.a = make_reference(m, NODE);
        o.b = make_reference(m, BOX);
        o.flag = chance(&m->random, 0.3);
        o.quiet = chance(&m->random, 0.6);
        break;
    case BOX_CLOSE:
    case BOX_COUNT:
    case TAKE:
    case RECEIVE: o.a = make_reference(m, BOX); break;
    case PROCESS:
    case TELL: o.a = make_reference(m, NODE); break;
    case WATCH: o.n = 1 + random_below(&m->random, SIMKIT_WATCH_ALL); break;
    case WATCH_REMOVE: o.a = make_reference(m, WATCH); break;
    case OPERATION:
        o.n = random_below(&m->random, 3); /* its policy */
        o.b = random_below(&m->random, 9); /* measured so many times */
        o.x[1] = chance(&m->random, 0.4) ? random_below(&m->random, 4) : 0;        /* runs to skip */
        o.x[2] = chance(&m->random, 0.4) ? random_below(&m->random, 20) : 0;       /* again every so many uses */
        o.x[3] = chance(&m->random, 0.4) ? random_below(&m->random, 9) / 8.0 : 0;  /* quantile */
        o.x[4] = chance(&m->random, 0.4) ? 1 + random_below(&m->random, 4) : 0;    /* size classes */
        o.x[5] = o.x[4] > 0 && chance(&m->random, 0.6) ? random_below(&m->random, 4) : 0; /* power */
        break;
    case OPERATE:
        o.a = make_reference(m, OPERATION);
        o.x[0] = random_below(&m->random, 3);                /* parameter */
        if (chance(&m->random, 0.3)) o.x[0] = random_below(&m->random, 32) / 8.0;
        for (int i = 1; i < NUMBERS; ++i) /* how long it takes when it is run, time after time */
            o.x[i] = (double)random_below(&m->random, 9) / 4 + 100 * chance(&m->random, 0.1);
        break;
    case USERS:
        o.a = make_reference(m, NODE);
        o.n = random_below(&m->random, 3); /* a stream, a trace or a user */
        o.b = random_below(&m->random, 4); /* law */
        for (int i = 0; i < NUMBERS; ++i) o.x[i] = m->palette == EXTREMES ? 1 : fmin(o.x[i], 8);
        break;
    case RESOURCE:
        o.n = 1 + random_below(&m->random, 3); /* units */
        o.b = random_below(&m->random, 1 + o.n);
        if (chance(&m->random, 0.7)) o.b = 0; /* taken */
        o.flag = chance(&m->random, 0.2);
        break;
    case BARRIER: o.n = 1 + random_below(&m->random, 3); break;
    case ACQUIRE:
    case ASK:
    case RELEASE:
    case MEASURE:
        o.a = make_reference(m, RESOURCE);
        o.n = random_below(&m->random, 3) - 1; /* priority */
        o.x[0] = 1 + (chance(&m->random, 0.3) ? random_below(&m->random, 4) : 0); /* units */
        break;
    case LISTEN:
        if (chance(&m->random, 0.6)) o.b = make_reference(m, RESOURCE);
        o.a = make_reference(m, CONDITION);
        break;
    case HARK:
    case SIGNAL:
    case BROADCAST: o.a = make_reference(m, CONDITION); break;
    case ARRIVE:
    case COME: o.a = make_reference(m, BARRIER); break;
    case SHUT: o.a = make_reference(m, chance(&m->random, 0.5) ? RESOURCE : chance(&m->random, 0.5) ? CONDITION : BARRIER); break;
    case WAIT_CANCEL: o.a = make_reference(m, ASK); break;
    case BOUND:
        o.a = make_reference(m, BOX);
        o.n = random_below(&m->random, 4);
        break;
    case CHOOSE: {
        static const enum kind things[] = { RESOURCE, CONDITION, BOX, PROCESS, COMPUTE, TRANSFER };
        const int first = random_below(&m->random, 6), second = random_below(&m->random, 6);
        o.a = make_reference(m, things[first]);
        o.b = make_reference(m, things[second]);
        o.x[0] = 1 + (chance(&m->random, 0.3) ? random_below(&m->random, 3) : 0);
        break;
    }
    case JOIN:
    case END:
    case INTERRUPT:
    case STACK:
    case RESUME:
    case KILL:
        o.a = make_reference(m, PROCESS);
        if (m->p->ops[by].kind != POST || chance(&m->random, 0.5)) break;
        for (int i = 1; i < m->p->count; ++i) /* who has just been given a message */
            if (m->p->ops[i].kind == RECEIVE && m->p->ops[i].a == m->p->ops[by].b &&
                m->p->ops[m->p->ops[i].by].kind == PROCESS)
                o.a = m->p->ops[i].by;
        break;
    default: break;
    }
    return o;
}

static double make_weight(const maker *m, kind kind, bool in_process)
{
    return m->weights[kind] * (kind < WAIT || kind > SUSPEND ? 1 : in_process ? 3 : 0.01);
}

static kind make_kind(maker *m, bool in_process)
{
    double sum = 0, at;
    for (int k = 0; k < KIND_COUNT; ++k) sum += make_weight(m, (kind)k, in_process);
    at = sum * random_unit(&m->random);
    for (int k = 0; k < KIND_COUNT; ++k)
        if ((at -= make_weight(m, (kind)k, in_process)) < 0) return (kind)k;
    return STEP_AFTER;
}

static int make_add(maker *m, kind kind, int by)
{
    m->p->ops[m->p->count] = make_op(m, kind, by);
    return m->p->count++;
}

/* What chance seldom brings together: two messages at one instant for a process that is killed with the first in hand. */
static void make_scene(maker *m)
{
    const int node = make_add(m, NODE, 0), box = make_add(m, BOX, 0), process = make_add(m, PROCESS, 0);
    const int step = make_add(m, STEP_AT, 0);
    m->p->ops[node].x[7] = 0;
    m->p->ops[box].a = node;
    m->p->ops[make_add(m, RECEIVE, process)].a = box;
    for (int i = 0; i < 2; ++i) {
        op *post = &m->p->ops[make_add(m, POST, step)];
        post->a = node;
        post->b = box;
    }
    const int later = make_add(m, STEP_AFTER, step);
    m->p->ops[later].x[0] = 0;
    m->p->ops[make_add(m, KILL, later)].a = process;
    for (int i = 0; i < 2; ++i) m->p->ops[make_add(m, TAKE, later)].a = box;
}

/* Which rooms of the engine a program may use. */
enum { STEPS = 1, COMPUTATIONS = 2, TRANSFERS = 4, MAILBOXES = 8, PROCESSES = 16, FAILURES = 32, QUOTAS = 64, LOADS = 128, WATCHERS = 256, OPERATIONS = 512,
       CROWDS = 1024, PLACES = 2048, PATIENCE = 4096, ROOMS = 8191, ROOM_COUNT = 13 };

static void generate(program *p, uint64_t seed, unsigned rooms)
{
    static const kind by_room[][11] = {
        { STEP_AT, STEP_AT, STEP_AFTER, STEP_AFTER, STEP_AFTER, STEP_CANCEL, STEP_CANCEL, STEP_PENDING, STOP, NEXT,
          STEP_BACKGROUND },
        { COMPUTE, COMPUTE, COMPUTE, COMPUTE, COMPUTE_CANCEL, RUNNING, NODE, RUN_UNTIL, NOTHING },
        { TRANSFER, TRANSFER, TRANSFER, TRANSFER, TRANSFER_CANCEL, MODEL, NODE, NOTHING },
        { POST, POST, POST, TAKE, TAKE, TRANSFER_CANCEL, BOX_COUNT, BOX, BOX_CLOSE, NOTHING },
        { PROCESS, WAIT, PROCESS_COMPUTE, SEND, RECEIVE, SUSPEND, RESUME, KILL, NOTHING },
        { FAIL, NOTHING },
        { NOTHING },
        { LOAD_KEEP, LOAD_AVERAGE, NOTHING },
        { WATCH, WATCH_REMOVE, TELL, NOTHING },
        { OPERATION, OPERATE, OPERATE, STACK, NOTHING },
        { USERS, NOTHING },
        { RESOURCE, CONDITION, BARRIER, ASK, HARK, COME, RELEASE, SIGNAL, BROADCAST, WAIT_CANCEL, SHUT },
        { ACQUIRE, LISTEN, ARRIVE, JOIN, CHOOSE, LIMIT, INTERRUPT, END, BOUND, RELEASE, MEASURE },
    };
    maker m;
    int nodes, wanted;
    memset(p, 0, sizeof *p);
    memset(&m, 0, sizeof m);
    m.p = p;
    m.random = p->seed = seed;
    m.palette = chance(&m.random, 0.1) ? EXTREMES : (palette)random_below(&m.random, EXTREMES);
    p->extreme = m.palette == EXTREMES;
    p->sharing = random_below(&m.random, 2);
    for (int room = 0; room < ROOM_COUNT; ++room) {
        double weight = chance(&m.random, 0.3) ? 0 : 0.1 + random_unit(&m.random);
        if (!(rooms >> room & 1)) continue;
        if (1u << room == FAILURES) weight *= 0.05;
        if ((1u << room) & (LOADS | WATCHERS | OPERATIONS)) weight *= 0.3;
        if ((1u << room) & (PLACES | PATIENCE)) weight *= chance(&m.random, 0.4); /* the reference does not know them */
        if (1u << room == CROWDS) weight *= chance(&m.random, 0.1) ? 0.2 : 0; /* the reference does not know them */
        for (int i = 0; i < 11 && by_room[room][i] != NOTHING; ++i) m.weights[by_room[room][i]] += weight;
    }
    m.weights[NODE] *= 0.1;
    m.weights[BOX] *= 0.2;
    m.weights[BOX_CLOSE] *= 0.2;
    m.weights[STOP] *= 0.2;
    m.weights[RUN_UNTIL] *= 0.3;
    m.weights[MODEL] *= 0.3;
    m.weights[KILL] *= 0.5;
    m.weights[SHUT] *= 0.1;
    m.weights[STEP_AFTER] += 0.01;
    p->ops[p->count++].kind = HOST;
    p->ops[0].x[0] = chance(&m.random, 0.7) ? make_amount(&m) : 0; /* latency */
    if (!(p->ops[0].x[0] >= 0 && p->ops[0].x[0] < INFINITY)) p->ops[0].x[0] = 0;
    nodes = 1 + random_below(&m.random, 4);
    for (int i = 0; i < nodes; ++i) p->ops[p->count++] = make_op(&m, NODE, 0);
    if (rooms & MAILBOXES)
        for (int i = 0; i < nodes; ++i) p->ops[p->count++] = make_op(&m, BOX, 0);
    if (m.weights[RESOURCE] > 0 || m.weights[ACQUIRE] > 0)
        for (int i = 0; i < 6; ++i) p->ops[p->count++] = make_op(&m, i < 3 ? RESOURCE : i < 5 ? CONDITION : BARRIER, 0);
    if (!(rooms & QUOTAS))
        for (int i = 0; i < p->count; ++i) p->ops[i].x[7] = 0;
    if ((rooms & MAILBOXES) && (rooms & PROCESSES) && chance(&m.random, 0.05)) make_scene(&m);
    wanted = p->count + 2 + random_below(&m.random, chance(&m.random, 0.1) ? 400 : 60);
    while (p->count < wanted && p->count < MOST_OPS) {
        const int by = make_parent(&m);
        op o = make_op(&m, make_kind(&m, p->ops[by].kind == PROCESS), by);
        if (o.kind == NODE && !(rooms & QUOTAS)) o.x[7] = 0;
        p->ops[p->count++] = o;
    }
}

#endif
