/* GOAL schedules: what is read, what is said of mistakes, and the LogGOPS model: against LogGOPSim's published results, closed
 * forms, and a slow second implementation on random schedules. */
#include "../../examples/goal/goal.h"
#include "../close.h"
#include "../hook.h"

#include <stdio.h>

/*=============================================================================
 * MARK: - >>texts
 *===========================================================================*/
static char text[1200000];
static size_t used;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    assert_true(used < sizeof text);
}

static goal_schedule *opened(const char *goal)
{
    simkit_parse_error error;
    goal_schedule *s;
    if (goal_read(&(simkit_input){ .text = goal, .length = strlen(goal) }, &s, &error) != SIMKIT_OK)
        fail_msg("%s", error.text);
    return s;
}

/* Replays the text and compares the ends of the ranks. */
static void assert_ends(const char *goal, goal_loggops_desc p, size_t count, const double *expected)
{
    double end[64];
    char why[GOAL_WHY];
    goal_schedule *s = opened(goal);
    assert_int_equal(s->ranks, count);
    if (goal_loggops(s, &p, NULL, NULL, end, why) != SIMKIT_OK) fail_msg("%s", why);
    for (size_t i = 0; i < count; ++i)
        if (end[i] != expected[i]) fail_msg("rank %zu ends at %.17g, not %.17g", i, end[i], expected[i]);
    goal_close(s);
}

static double last_end(const char *goal, goal_loggops_desc p)
{
    static double end[1024];
    char why[GOAL_WHY];
    double last = 0;
    goal_schedule *s = opened(goal);
    assert_true(s->ranks <= 1024);
    if (goal_loggops(s, &p, NULL, NULL, end, why) != SIMKIT_OK) fail_msg("%s", why);
    for (uint32_t i = 0; i < s->ranks; ++i) last = end[i] > last ? end[i] : last;
    goal_close(s);
    return last;
}

static const goal_loggops_desc usual = GOAL_LOGGOPS;

/*=============================================================================
 * MARK: - >>published
 *===========================================================================*/
static void put_dissemination(unsigned ranks, double bytes)
{
    used = 0;
    put("num_ranks %u\n", ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        put("rank %u {\n", r);
        for (unsigned d = 1, k = 0; d < ranks; d *= 2, ++k) {
            put("s%u: send %.0fb to %u tag 0\n", k, bytes, (r + d) % ranks);
            if (k) put("s%u requires r%u\n", k, k - 1);
            put("r%u: recv %.0fb from %u tag 0\n", k, bytes, (r + ranks - d) % ranks);
        }
        put("}\n");
    }
}

/* Rank r gets from r - d, with the largest power of two d up to r, then sends to r + 2d, r + 4d, ... */
static void put_broadcast(unsigned ranks, double bytes)
{
    used = 0;
    put("num_ranks %u\n", ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        unsigned d = 1;
        put("rank %u {\n", r);
        while (d <= r) d *= 2;
        if (r) put("r: recv %.0fb from %u\n", bytes, r - d / 2);
        for (; r + d < ranks; d *= 2) {
            put("s%u: send %.0fb to %u\n", d, bytes, r + d);
            if (r) put("s%u requires r\n", d);
        }
        put("}\n");
    }
}

/* The same tree from the leaves to the root. */
static void put_reduction(unsigned ranks, double bytes)
{
    used = 0;
    put("num_ranks %u\n", ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        unsigned d = 1, top = 1;
        while (d <= r) d *= 2;
        while (top < ranks) top *= 2;
        put("rank %u {\n", r);
        if (r) put("s: send %.0fb to %u\n", bytes, r - d / 2);
        for (unsigned e = top / 2; e >= d; e /= 2) {
            if (r + e >= ranks) continue;
            put("r%u: recv %.0fb from %u\n", e, bytes, r + e);
            if (r) put("s requires r%u\n", e);
        }
        put("}\n");
    }
}

/* README of LogGOPSim, and its examples. */
static void test_published(void **state)
{
    (void)state;
    static const unsigned ranks[] = { 8, 16, 32 };
    for (unsigned i = 0; i < 3; ++i) {
        put_dissemination(ranks[i], 1);
        assert_true(last_end(text, usual) == 16500 + 5500.0 * i);
    }
    put_broadcast(8, 1);
    assert_ends(text, usual, 8, (double[]){ 4500, 8500, 8500, 12500, 8500, 12500, 12500, 16500 });
    put_reduction(8, 1024);
    assert_ends(text, usual, 8, (double[]){ 34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500 });
}

/*=============================================================================
 * MARK: - >>formulas
 *===========================================================================*/
static void test_closed_forms(void **state)
{
    (void)state;
    const goal_loggops_desc p = { 7000, 300, 200, 0.5, 0.25, 1e9 };
    /* A message of s bytes: L + 2 o + (s - 1) G; of none, as of one byte. */
    assert_ends("num_ranks 2\nrank 0 {\nsend 101b to 1\n}\nrank 1 {\nrecv 101b from 0\n}", p, 2,
                (double[]){ 325, 7650 });
    assert_ends("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}", p, 2, (double[]){ 300, 7600 });
    /* n sends in a row leave every max(o + (s - 1) O, g + (s - 1) G). */
    used = 0;
    put("num_ranks 2\nrank 0 {\n");
    for (int i = 0; i < 20; ++i) put("send 2001b to 1\n");
    put("}\nrank 1 {\n");
    for (int i = 0; i < 20; ++i) put("recv 2001b from 0\n");
    put("}");
    assert_ends(text, p, 2, (double[]){ 19 * 1200 + 800, 19 * 1300 + 300 + 7000 + 1300 });
    /* A ring of n: n times a message; dissemination: log2 n rounds. */
    used = 0;
    put("num_ranks 50\n");
    for (int r = 0; r < 50; ++r) {
        put("rank %d {\n r: recv 11b from %d\n s: send 11b to %d\n", r, (r + 49) % 50, (r + 1) % 50);
        put(r ? "s requires r\n}\n" : "}\n");
    }
    assert_true(last_end(text, p) == 50 * (7000 + 2 * 300 + 10 * 0.5));
    put_dissemination(1024, 1);
    assert_true(last_end(text, p) == 10 * 7600);
    /* Binomial tree: the last rank is as far away as there are levels. */
    put_broadcast(1024, 1);
    assert_true(last_end(text, usual) == 10 * 5500);
}

/* Above S, a send ends when its message meets its receive; up to S it does not wait for it. */
static void test_rendezvous(void **state)
{
    (void)state;
    static const char goal[] = "num_ranks 2\nrank 0 {\na: send %db to 1\nb: calc 10\nb requires a\n}\n"
                               "rank 1 {\nc: calc 50000\nr: recv %db from 0\nr requires c\n}\n";
    used = 0;
    put(goal, 100, 100);
    goal_loggops_desc p = { 1000, 100, 50, 0, 0, 100 };
    assert_ends(text, p, 2, (double[]){ 110, 50100 });
    used = 0;
    put(goal, 101, 101);
    assert_ends(text, p, 2, (double[]){ 50010, 50100 });
}

static void test_needs(void **state)
{
    (void)state;
    const goal_loggops_desc p = { 1000, 100, 50, 0, 0, 1e9 };
    /* Two processors; `requires` waits for the end also on the other one, `irequires` for the start. */
    assert_ends("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 10 cpu 1\nb requires a\n}", p, 1, (double[]){ 110 });
    assert_ends("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 150 cpu 1\nb irequires a\n}", p, 1, (double[]){ 150 });
    assert_ends("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 10\n}", p, 1, (double[]){ 110 });
    /* Labels may be used before they are defined, and belong to their rank. */
    assert_ends(
        "num_ranks 2 rank 1 { a requires b\na: calc 5\n b: calc 3 }\nrank 0 { // none\n a: /* six\n */ calc 6 }", p, 2,
        (double[]){ 6, 8 });
    /* Two interfaces: the gap of one does not hold up the other. */
    const goal_loggops_desc slow = { 1000, 100, 5000, 0, 0, 1e9 };
    assert_ends(
        "num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1 nic 1\n}\nrank 1 {\nrecv 1b from 0\nrecv 1b from 0\n}", slow,
        2, (double[]){ 200, 1300 });
    assert_ends("num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\nrecv 1b from 0\n}",
                slow, 2, (double[]){ 5100, 6200 });
    /* From anyone, with any tag: in the order of arrival. */
    assert_ends(
        "num_ranks 3\nrank 0 {\na: recv 1b from -1 tag -1\nb: calc 1000\nb requires a\nc: recv 1b from 1 tag 7\n}\n"
        "rank 1 {\na: calc 700\nb: send 1b to 0 tag 7\nb requires a\n}\nrank 2 {\na: calc 300\nsend 1b to 0 tag 8\n}\n",
        p, 3, (double[]){ 2300, 800, 400 });
}

/*=============================================================================
 * MARK: - >>second implementation
 *===========================================================================*/
enum { MOST = 60 };
typedef struct one {
    goal_kind kind;
    double size;
    unsigned rank, cpu, nic, peer, tag; /* 99: any */
    unsigned needs[MOST], need_count;   /* + 1000: the start */
    double start, end, cpu_end, taken;  /* negative: not yet */
    double message;                     /* when its message wants to be received; negative: not on its way */
    unsigned turn, posted;
    double asks; /* when it wants to begin; negative: it does not */
} one;

/* All rules by looking at everything again and again. False if something waits for ever. */
static bool slowly(one *ops, unsigned count, unsigned ranks, goal_loggops_desc p, double *end)
{
    static double cpu[8][3], out[8][3], in[8][3];
    unsigned turn = 0, posts = 1;
    double now = 0;
    memset(cpu, 0, sizeof cpu), memset(out, 0, sizeof out), memset(in, 0, sizeof in);
    for (unsigned i = 0; i < ranks; ++i) end[i] = 0;
    for (;;) {
        /* What has become ready gets its turn: by rank, then sends, receives, calcs. */
        for (unsigned r = 0; r < ranks; ++r)
            for (unsigned kind = 0; kind < 3; ++kind)
                for (unsigned i = 0; i < count; ++i) {
                    one *o = &ops[i];
                    if (o->rank != r || o->kind != kind || o->asks >= 0 || o->start >= 0) continue;
                    double ready = now;
                    for (unsigned k = 0; k < o->need_count && ready >= 0; ++k) {
                        const one *on = &ops[o->needs[k] % 1000];
                        const double when = o->needs[k] >= 1000 ? on->start : on->end;
                        ready = when < 0 ? -1 : fmax(ready, when);
                    }
                    if (ready < 0) continue;
                    o->asks = kind == GOAL_RECV ? fmax(ready, cpu[r][o->cpu]) : ready;
                    o->turn = turn++;
                }
        /* Who goes first? What finds its resources taken asks again when they are free. */
        one *best = NULL;
        double when = 0;
        for (unsigned i = 0; i < count; ++i) {
            one *o = &ops[i];
            double t = o->message >= 0 ? o->message : o->asks;
            if (t < 0) continue;
            if (o->message >= 0)
                t = fmax(t, fmax(cpu[o->peer][o->cpu], in[o->peer][o->nic]));
            else if (o->kind == GOAL_CALC)
                t = fmax(t, cpu[o->rank][o->cpu]);
            else if (o->kind == GOAL_SEND)
                t = fmax(t, fmax(cpu[o->rank][o->cpu], out[o->rank][o->nic]));
            if (best && (t > when || (t == when && o->turn > best->turn))) continue;
            best = o, when = t;
        }
        if (!best) break;
        now = when;
        one *o = best;
        const double more = o->size > 1 ? o->size - 1 : 0;
        if (o->message >= 0) {
            const double done = now + p.o + more * fmax(p.O, p.G);
            one *first = NULL;
            cpu[o->peer][o->cpu] = done;
            in[o->peer][o->nic] = now + p.g + more * p.G;
            end[o->peer] = fmax(end[o->peer], done);
            o->message = -1;
            o->taken = done;
            for (unsigned i = 0; i < count; ++i) {
                one *r = &ops[i];
                if (r->kind != GOAL_RECV || r->start < 0 || r->end >= 0 || r->rank != o->peer) continue;
                if ((r->peer != 99 && r->peer != o->rank) || (r->tag != 99 && r->tag != o->tag)) continue;
                if (!first || r->posted < first->posted) first = r;
            }
            o->posted = posts++;
            if (!first) continue;
            o->posted = 0;
            first->end = done;
            if (o->end < 0) o->end = fmax(now, o->cpu_end);
            end[o->rank] = fmax(end[o->rank], o->end);
            end[first->rank] = fmax(end[first->rank], first->end);
        } else if (o->kind == GOAL_CALC) {
            o->start = now;
            o->asks = -1;
            o->end = cpu[o->rank][o->cpu] = now + o->size;
            end[o->rank] = fmax(end[o->rank], o->end);
        } else if (o->kind == GOAL_SEND) {
            o->start = now;
            o->asks = -1;
            o->cpu_end = cpu[o->rank][o->cpu] = now + p.o + more * p.O;
            out[o->rank][o->nic] = now + p.g + more * p.G;
            o->message = now + p.o + p.L;
            o->turn = turn++;
            if (o->size <= p.S) o->end = o->cpu_end;
            end[o->rank] = fmax(end[o->rank], o->cpu_end);
        } else {
            one *first = NULL;
            o->start = now;
            o->asks = -1;
            for (unsigned i = 0; i < count; ++i) {
                one *m = &ops[i];
                if (m->kind != GOAL_SEND || m->posted == 0 || m->peer != o->rank) continue;
                if ((o->peer != 99 && o->peer != m->rank) || (o->tag != 99 && o->tag != m->tag)) continue;
                if (!first || m->posted < first->posted) first = m;
            }
            if (!first) {
                o->posted = posts++;
                continue;
            }
            first->posted = 0;
            if (first->end < 0) first->end = fmax(now, first->cpu_end);
            o->end = fmax(now, first->taken);
            end[first->rank] = fmax(end[first->rank], first->end);
            end[o->rank] = fmax(end[o->rank], o->end);
        }
    }
    for (unsigned i = 0; i < count; ++i)
        if (ops[i].end < 0 || (ops[i].kind == GOAL_SEND && ops[i].posted)) return false;
    return true;
}

static unsigned below(unsigned n)
{
    static uint64_t state = 42;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* A random schedule, as a text and as a table. Messages come in pairs, some without the other end or with another tag. */
static unsigned draw(one *ops, unsigned ranks)
{
    unsigned count = 0;
    const unsigned pairs = 1 + below(20), wild = below(4), lonely = below(8) == 0;
    for (unsigned i = 0; i < pairs; ++i) {
        const unsigned from = below(ranks), to = (from + 1 + below(ranks - 1)) % ranks, cpu = below(8) / 6,
                       nic = below(8) / 6;
        const unsigned tag = below(3);
        const one send = { GOAL_SEND, below(5) ? below(30) : 200, from, cpu, nic, to, tag, .start = -1 };
        one receive = { GOAL_RECV, send.size, to, below(8) / 6, 0, from, tag, .start = -1 };
        if (wild == 0 && below(2)) receive.peer = 99;
        if (wild <= 1 && below(3) == 0) receive.tag = 99;
        if (!lonely || below(9)) ops[count++] = send;
        if (!lonely || below(9)) ops[count++] = receive;
        if (below(2)) ops[count++] = (one){ GOAL_CALC, below(4) * 50, from, below(8) / 6, .start = -1 };
    }
    used = 0;
    put("num_ranks %u\n", ranks);
    for (unsigned r = ranks; r-- > 0;) {
        put("rank %u {\n", r);
        for (unsigned i = 0; i < count; ++i) {
            one *o = &ops[i];
            if (o->rank != r) continue;
            o->end = o->cpu_end = o->taken = o->message = o->asks = -1;
            if (o->kind == GOAL_CALC) {
                put("l%u: calc %.0f cpu %u\n", i, o->size, o->cpu);
            } else {
                put("l%u: %s %.0fb %s %d tag %d ", i, o->kind == GOAL_SEND ? "send" : "recv", o->size,
                    o->kind == GOAL_SEND ? "to" : "from", o->peer == 99 ? -1 : (int)o->peer,
                    o->tag == 99 ? -1 : (int)o->tag);
                put("nic %u cpu %u\n", o->nic, o->cpu);
            }
            for (unsigned k = 0; k < i; ++k) {
                if (ops[k].rank != r || below(3)) continue;
                const bool start = below(3) == 0;
                o->needs[o->need_count++] = k + (start ? 1000 : 0);
                put("l%u %s l%u\n", i, start ? "irequires" : "requires", k);
            }
        }
        put("}\n");
    }
    return count;
}

static void test_random(void **state)
{
    (void)state;
    static one ops[MOST + 3];
    unsigned waited = 0;
    for (int i = 0; i < 10000; ++i) {
        const unsigned ranks = 2 + below(5);
        const goal_loggops_desc p = { below(4) * 50, below(3) * 10, below(3) * 15,
                                      below(3),      below(3),      below(2) ? 100 : 1e9 };
        double end[8], expected[8];
        char why[GOAL_WHY];
        memset(ops, 0, sizeof ops);
        const unsigned count = draw(ops, ranks);
        goal_schedule *s = opened(text);
        const bool ended = slowly(ops, count, ranks, p, expected);
        const simkit_result result = goal_loggops(s, &p, NULL, NULL, end, why);
        if (result != (ended ? SIMKIT_OK : SIMKIT_DEADLOCK)) fail_msg("case %d: %s\n%s", i, why, text);
        for (unsigned r = 0; r < ranks; ++r)
            if (end[r] != expected[r])
                fail_msg("case %d, rank %u: %.17g, not %.17g\n%s", i, r, end[r], expected[r], text);
        waited += !ended;
        goal_close(s);
    }
    assert_in_range(waited, 50, 8000);
}

/*=============================================================================
 * MARK: - >>mistakes
 *===========================================================================*/
static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *goal, *says;
    } cases[] = {
        { "", "x.goal:1:1: expected num_ranks (GOAL), a rank (trace) or a path (list), found the end of the file" },
        { "-1 init", "x.goal:1:1: expected num_ranks (GOAL), a rank (trace) or a path (list), found '-'" },
        { "zero init", "x.goal:1:1: expected num_ranks (GOAL), a rank (trace) or a path (list), found 'zero'" },
        { "rank 0 {}", "x.goal:1:6: expected num_ranks before the first rank" },
        { "num_ranks 0", "x.goal:1:11: expected at least one rank" },
        { "num_ranks x", "x.goal:1:11: expected a number of ranks, found 'x'" },
        { "num_ranks 99999999", "x.goal:1:11: expected a number of ranks up to 16777216, found 99999999" },
        { "num_ranks 2\nnum_ranks 2", "x.goal:2:11: num_ranks was given already" },
        { "num_ranks 2\n rank 2 {}", "x.goal:2:7: expected a rank up to 1, found 2" },
        { "num_ranks 2\nrank 1 {}\nrank 1 {}", "x.goal:3:6: rank 1 is described already, in line 2" },
        { "num_ranks 2\nrank 1 x", "x.goal:2:8: expected '{', found 'x'" },
        { "num_ranks 2\nrank 1 {\n calc 5",
          "x.goal:3:8: expected '}' at the end of a rank, found the end of the file" },
        { "num_ranks 2\nrank 1 {\n calc\n}", "x.goal:3:6: expected nanoseconds, found the end of the line" },
        { "num_ranks 2\nrank 1 {\n calc 9000000000000001\n}",
          "x.goal:3:7: expected nanoseconds up to 9000000000000000, found 9000000000000001" },
        { "num_ranks 2\nrank 1 {\n calc 20.5\n}", "x.goal:3:7: expected nanoseconds as a whole number, found 20.5" },
        { "num_ranks 2\nrank 1 {\n send 1.5b to 0\n}",
          "x.goal:3:7: expected the bytes of a message as a whole number, found 1.5" },
        { "num_ranks 2\nrank 1 {\n calc 5 tag 3\n}",
          "x.goal:3:9: expected cpu, nic or the end of the line, found 'tag'" },
        { "num_ranks 2\nrank 1 {\n a: jump 5\n}", "x.goal:3:5: expected calc, send or recv, found 'jump'" },
        { "num_ranks 2\nrank 1 {\n a needs b\n}", "x.goal:3:4: expected ':', requires or irequires, found 'needs'" },
        { "num_ranks 2\nrank 1 {\n a: calc 5\n a: calc 5\n}", "x.goal:4:2: rank 1 has a label 'a' already, in line 3" },
        { "num_ranks 2\nrank 1 {\n a: calc 5\n a requires b\n}", "x.goal:4:13: rank 1 has no label 'b'" },
        { "num_ranks 2\nrank 0 { b: calc 1 }\nrank 1 {\n c requires b\n b: calc 5\n}",
          "x.goal:4:2: rank 1 has no label 'c'" },
        { "num_ranks 2\nrank 1 {\n a: calc 5 b: calc 5\n}",
          "x.goal:3:12: expected cpu, nic or the end of the line, found 'b'" },
        { "num_ranks 2\nrank 1 {\n send 5 to 0\n}",
          "x.goal:3:9: expected 'b' behind the bytes of a message, found 'to'" },
        { "num_ranks 2\nrank 1 {\n send 5b from 0\n}", "x.goal:3:10: expected 'to' and a rank, found 'from'" },
        { "num_ranks 2\nrank 1 {\n send 5b to 2\n}", "x.goal:3:13: expected a rank up to 1, found 2" },
        { "num_ranks 2\nrank 1 {\n send 5b to 1\n}", "x.goal:3:13: rank 1 cannot send to itself" },
        { "num_ranks 2\nrank 1 {\n send 5b to -1\n}", "x.goal:3:13: expected a rank, found '-'" },
        { "num_ranks 2\nrank 1 {\n recv 5b from 0 tag 1 tag 2\n}",
          "x.goal:3:23: expected tag, cpu, nic or the end of the line, found 'tag'" },
        { "num_ranks 2\nrank 1 {\n recv 5b from 0 cpu 256\n}",
          "x.goal:3:21: expected the number of a processor up to 255, found 256" },
        { "num_ranks 2\nrank 1 {\n /* \n}\n", "x.goal:3:2: this comment has no end" },
        { "num_ranks 2\n\x01", "x.goal:2:1: expected rank, found the byte 1" },
        { "num_ranks 1\nrank 0 {\n a: calc 1\n b: calc 1\n c: calc 1\n a requires b\n b irequires c\n c requires a\n}",
          "x.goal:8:2: rank 0: operations wait in a circle: c waits for a, a waits for b, b waits for c" },
        { "num_ranks 1\nrank 0 {\n a: calc 1\n a requires a\n}", "x.goal:4:2: rank 0: a waits for itself" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        simkit_parse_error error;
        goal_schedule *s = (goal_schedule *)text;
        const simkit_input input = { .text = cases[i].goal, .length = strlen(cases[i].goal), .name = "x.goal" };
        assert_int_equal(goal_read(&input, &s, &error), SIMKIT_BAD_FILE);
        assert_null(s);
        if (!strstr(error.text, cases[i].says)) fail_msg("%s\nnot: %s", error.text, cases[i].says);
    }
    simkit_parse_error error;
    goal_schedule *s;
    assert_int_equal(goal_read(&(simkit_input){ .path = "/nowhere/x.goal" }, &s, &error), SIMKIT_NO_FILE);
    assert_string_equal(error.text, "/nowhere/x.goal: No such file or directory");
}

static void test_what_waits(void **state)
{
    (void)state;
    double end[3];
    char why[GOAL_WHY];
    goal_schedule *s = opened("num_ranks 3\nrank 0 {\na: recv 5b from 1 tag 3\nb: send 5b to 2\nb requires a\n}\n"
                              "rank 1 {\nx: send 5b to 0 tag 4\n}\nrank 2 {\nrecv 5b from -1 tag -1\n}\n");
    assert_int_equal(goal_loggops(s, &usual, NULL, NULL, end, why), SIMKIT_DEADLOCK);
    assert_string_equal(why, "rank 0: a (line 3): recv 5b from 1 tag 3: waits for a message that is never sent\n"
                             "rank 1: x (line 8): send 5b to 0 tag 4: its message is never received\n"
                             "rank 2: (line 11): recv 5b from anyone with any tag: waits for the send in line 4 of "
                             "rank 0, which never begins");
    goal_close(s);
    /* Each waits before it sends. Rank 0 receives a message more than rank 1 would send. */
    s = opened("num_ranks 2\nrank 0 {\na: recv 5b from 1\nb: recv 5b from 1\nc: send 5b to 1\nc requires a\n}\n"
               "rank 1 {\na: recv 5b from -1 tag -1\nb: send 5b to 0\nb requires a\n}\n");
    assert_int_equal(goal_loggops(s, &usual, NULL, NULL, end, why), SIMKIT_DEADLOCK);
    assert_string_equal(
        why,
        "rank 0: a (line 3): recv 5b from 1 tag 0: waits for the send in line 10 of rank 1, which never begins\n"
        "rank 0: b (line 4): recv 5b from 1 tag 0: waits for a message that is never sent\n"
        "rank 1: a (line 9): recv 5b from anyone with any tag: waits for the send in line 5 of rank 0, which never "
        "begins");
    goal_loggops_desc wrong = usual;
    wrong.g = -1;
    assert_int_equal(goal_loggops(s, &wrong, NULL, NULL, end, why), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(why, "g is -1: expected a time from 0 ns");
    goal_close(s);
}

static void test_refused_memory(void **state)
{
    (void)state;
    static one ops[MOST + 3];
    for (int k = 0; k < 20; ++k) {
        memset(ops, 0, sizeof ops);
        draw(ops, 5);
        hook h = { .left = 0 };
        for (long i = 0;; ++i) {
            simkit_parse_error error;
            goal_schedule *s;
            double end[5];
            char why[GOAL_WHY] = "";
            h.left = i;
            h.refused = false;
            h.once = k % 2;
            const simkit_input input = { .text = text, .length = strlen(text), .memory = { reallocate, &h } };
            simkit_result result = goal_read(&input, &s, &error);
            if (result != SIMKIT_OK)
                assert_string_equal(error.text, "schedule: no memory");
            else
                result = goal_loggops(s, &usual, NULL, NULL, end, why);
            if (h.refused) assert_int_equal(result, SIMKIT_NO_MEMORY);
            goal_close(s);
            assert_int_equal(h.blocks, 0);
            if (!h.refused) break;
        }
    }
}

/* What was written is read as the same schedule: its ends are the same with any parameters. */
static void test_writing(void **state)
{
    (void)state;
    static one ops[MOST + 3];
    static char written[1000000];
    for (int i = 0; i < 2000; ++i) {
        const goal_loggops_desc p = { below(4) * 50, below(3) * 10, below(3) * 15,
                                      below(3),      below(3),      below(2) ? 100 : 1e9 };
        double end[2][6];
        char why[2][GOAL_WHY];
        memset(ops, 0, sizeof ops);
        draw(ops, 6);
        FILE *file = tmpfile();
        assert_non_null(file);
        goal_schedule *s = opened(text);
        assert_true(goal_write(s, file));
        rewind(file);
        written[fread(written, 1, sizeof written - 1, file)] = 0;
        fclose(file);
        goal_schedule *again = opened(written);
        assert_int_equal(goal_loggops(s, &p, NULL, NULL, end[0], why[0]),
                         goal_loggops(again, &p, NULL, NULL, end[1], why[1]));
        for (int r = 0; r < 6; ++r)
            if (end[0][r] != end[1][r]) fail_msg("rank %d: %g, not %g\n%s\n%s", r, end[1][r], end[0][r], text, written);
        goal_close(again);
        goal_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),  cmocka_unit_test(test_closed_forms),   cmocka_unit_test(test_rendezvous),
        cmocka_unit_test(test_needs),      cmocka_unit_test(test_random),         cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_what_waits), cmocka_unit_test(test_refused_memory), cmocka_unit_test(test_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
