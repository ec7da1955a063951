/* pvm_conform_groups.c - groups: who is in them, and what they do together. */
#include "pvm_conform.h"

enum { TAG = 1 };

/* Each of the tasks has its number as instance then. */
static void join(char *group)
{
    for (int i = 0; i < np; ++i) {
        if (i == me) {
            int instance = pvm_joingroup(group);
            expect(instance == i, "instance %d", instance);
        }
        arrive();
    }
}

static void leave(char *group)
{
    arrive();
    pvm_lvgroup(group);
}

/* -- members ---------------------------------------------------------------------------------------------------------------- */

static void group_join(void)
{
    for (int i = np - 1; i >= 0; --i) {
        if (i == me) say("instance %d", pvm_joingroup("join"));
        arrive();
    }
    leave("join");
}

static void group_of_one(void)
{
    say("%d", pvm_joingroup("one"));
    say("size %d", pvm_gsize("one"));
    say_tid("", pvm_gettid("one", 0));
    say("%d", pvm_getinst("one", pvm_mytid()));
    say_code("barrier", pvm_barrier("one", 1));
    say_code("leave", pvm_lvgroup("one"));
    say_code("size", pvm_gsize("one"));
}

static void group_seen(void)
{
    join("seen");
    say("size %d", pvm_gsize("seen"));
    for (int i = 0; i < np; ++i) {
        say_tid("", pvm_gettid("seen", i));
        say_code("is", pvm_getinst("seen", all[i]));
    }
    leave("seen");
}

/* By a task that is not in it. */
static void group_seen_outside(void)
{
    if (me > 0) say("instance %d", me == 1 ? pvm_joingroup("outside") : 1);
    arrive();
    if (me == 2) pvm_joingroup("outside");
    arrive();
    if (me == 0) {
        say("size %d", pvm_gsize("outside"));
        say_tid("", pvm_gettid("outside", 1));
        say_code("", pvm_getinst("outside", all[1]));
        say_code("mine", pvm_getinst("outside", all[0]));
        say_code("barrier", pvm_barrier("outside", 3));
        say_code("leave", pvm_lvgroup("outside"));
    }
    arrive();
    if (me > 0) pvm_lvgroup("outside");
}

/* The lowest instance that is free is given next. */
static void group_reuse(void)
{
    join("reuse");
    if (me == 1 || me == 2) say_code("leave", pvm_lvgroup("reuse"));
    arrive();
    if (me == 0) {
        say("size %d", pvm_gsize("reuse"));
        say_code("", pvm_gettid("reuse", 1));
    }
    arrive();
    if (me == 2) say("instance %d", pvm_joingroup("reuse"));
    arrive();
    if (me == 1) say("instance %d", pvm_joingroup("reuse"));
    arrive();
    if (me == 0) say("size %d", pvm_gsize("reuse"));
    leave("reuse");
}

static void group_gone(void)
{
    for (int i = 0; i < 2; ++i) {
        join("gone");
        arrive();
        say_code("leave", pvm_lvgroup("gone"));
        arrive();
        say_code("size", pvm_gsize("gone"));
        arrive();
    }
}

/* Who ends leaves. */
static void group_left_by_end(void)
{
    join("ending");
    if (me == 1) hand_in_and_exit();
    if (me == 2) return;
    wait_for_end(all[1]);
    while (pvm_gsize("ending") == np) usleep(1000);
    say("size %d", pvm_gsize("ending"));
    say_code("", pvm_gettid("ending", 1));
    say_code("", pvm_getinst("ending", all[1]));
    say_tid("", pvm_gettid("ending", 2));
}

static void groups_several(void)
{
    char name[16];

    for (int i = 0; i < 3; ++i) {
        snprintf(name, sizeof name, "several%d", i);
        if (me != i) say_code("", pvm_joingroup(name) >= 0 ? PvmOk : PvmNoGroup);
        pvm_barrier(name, me == i ? 1 : np - 1);
    }
    arrive();
    for (int i = 0; i < 3; ++i) {
        snprintf(name, sizeof name, "several%d", i);
        say("%d", pvm_gsize(name));
    }
    arrive();
    for (int i = 0; i < 3; ++i) {
        snprintf(name, sizeof name, "several%d", i);
        pvm_lvgroup(name);
    }
}

static void group_twice(void)
{
    say("%d", pvm_joingroup("twice"));
    say_code("again", pvm_joingroup("twice"));
    say("size %d", pvm_gsize("twice"));
    say_code("leave", pvm_lvgroup("twice"));
    say_code("again", pvm_lvgroup("twice"));
}

static void group_unknown(void)
{
    pvm_initsend(PvmDataDefault);
    say_code("leave", pvm_lvgroup("unknown"));
    say_code("size", pvm_gsize("unknown"));
    say_code("tid", pvm_gettid("unknown", 0));
    say_code("instance", pvm_getinst("unknown", pvm_mytid()));
    say_code("barrier", pvm_barrier("unknown", 1));
    say_code("bcast", pvm_bcast("unknown", TAG));
}

static void group_no_name(void)
{
    pvm_initsend(PvmDataDefault);
    say_code("join", pvm_joingroup(""));
    say_code("leave", pvm_lvgroup(""));
    say_code("size", pvm_gsize(""));
    say_code("tid", pvm_gettid("", 0));
    say_code("instance", pvm_getinst("", pvm_mytid()));
    say_code("barrier", pvm_barrier("", 1));
    say_code("bcast", pvm_bcast("", TAG));
    say_code("no join", pvm_joingroup(NULL));
    say_code("no leave", pvm_lvgroup(NULL));
    say_code("no size", pvm_gsize(NULL));
    say_code("no tid", pvm_gettid(NULL, 0));
}

static void group_errors(void)
{
    pvm_joingroup("errors");
    say_code("tid 1", pvm_gettid("errors", 1));
    say_code("tid -1", pvm_gettid("errors", -1));
    say_code("tid 1000", pvm_gettid("errors", 1000));
    say_code("instance 0", pvm_getinst("errors", 0));
    say_code("instance of another", pvm_getinst("errors", pvm_mytid() + 77));
    pvm_lvgroup("errors");
}

/* -- together ----------------------------------------------------------------------------------------------------------------- */

static void group_barrier(void)
{
    join("barrier");
    for (int i = 0; i < 20; ++i) {
        int code = pvm_barrier("barrier", np);
        expect(code == PvmOk, "%s", code_name(code));
    }
    leave("barrier");
}

/* Nobody goes on before the last has come. */
static void group_barrier_waits(void)
{
    join("waits");
    if (me == np - 1) {
        usleep(5000);
        for (int i = 0; i < np - 1; ++i) send_int(all[i], TAG, 1);
    }
    say_code("", pvm_barrier("waits", np));
    if (me < np - 1) say("%d", recv_int(all[np - 1], TAG));
    leave("waits");
}

static void group_barrier_of_some(void)
{
    join("some");
    if (me < 2) say_code("", pvm_barrier("some", 2));
    arrive();
    if (me > 1) say_code("", pvm_barrier("some", 2));
    leave("some");
}

static void group_barrier_all(void)
{
    join("all");
    say_code("", pvm_barrier("all", -1));
    leave("all");
}

static void group_bcast(void)
{
    int value = 10 + me;

    join("bcast");
    if (me == 1) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&value, 1, 1);
        say_code("bcast", pvm_bcast("bcast", TAG));
        arrive();
        say_code("mine", pvm_nrecv(-1, TAG));
    } else {
        say("%d", recv_int(all[1], TAG));
        arrive();
    }
    leave("bcast");
}

static void group_bcast_outside(void)
{
    int value = 7;

    for (int i = 1; i < np; ++i) {
        if (i == me) pvm_joingroup("bcaster");
        arrive();
    }
    if (me == 0) {
        pvm_initsend(PvmDataRaw);
        pvm_pkint(&value, 1, 1);
        say_code("bcast", pvm_bcast("bcaster", TAG));
    } else
        say("%d", recv_int(all[0], TAG));
    arrive();
    if (me > 0) pvm_lvgroup("bcaster");
}

static void group_bcast_alone(void)
{
    pvm_joingroup("alone");
    pvm_initsend(PvmDataDefault);
    say_code("bcast", pvm_bcast("alone", TAG));
    say_code("mine", pvm_nrecv(-1, TAG));
    pvm_lvgroup("alone");
}

static void group_gather(void)
{
    int mine[2] = { 10 * me, 10 * me + 1 }, result[8] = { 0 };

    join("gather");
    for (int root = 0; root < np; ++root) {
        memset(result, 0, sizeof result);
        say_code("", pvm_gather(result, mine, 2, PVM_INT, TAG + root, "gather", root));
        if (root == me) say_ints("", result, 2 * np);
    }
    leave("gather");
}

static void group_gather_doubles(void)
{
    double mine = 0.5 * me, result[4] = { 0 };

    join("doubles");
    pvm_gather(result, &mine, 1, PVM_DOUBLE, TAG, "doubles", 1);
    for (int i = 0; i < np && me == 1; ++i) say("%g", result[i]);
    leave("doubles");
}

static void group_scatter(void)
{
    int from[8], mine[2] = { 0, 0 };

    join("scatter");
    for (int root = 0; root < np; ++root) {
        for (int i = 0; i < 2 * np; ++i) from[i] = 100 * me + i;
        say_code("", pvm_scatter(mine, from, 2, PVM_INT, TAG + root, "scatter", root));
        say_ints("", mine, 2);
    }
    leave("scatter");
}

static void group_scatter_bytes(void)
{
    char from[] = "abcdefgh", mine[3] = "";

    join("bytes");
    say_code("", pvm_scatter(mine, me == 2 ? from : NULL, 2, PVM_BYTE, TAG, "bytes", 2));
    say("%s", mine);
    leave("bytes");
}

/* Two after another, with the same tag. */
static void group_gather_and_scatter(void)
{
    long mine = me + 1, result[4] = { 0 };

    join("both");
    for (int i = 0; i < 3; ++i) {
        pvm_gather(result, &mine, 1, PVM_LONG, TAG, "both", 0);
        pvm_scatter(&mine, result, 1, PVM_LONG, TAG, "both", 0);
        mine += 10;
        pvm_barrier("both", np);
    }
    say("%ld", mine);
    leave("both");
}

static void group_collective_errors(void)
{
    int a[4] = { 0 };

    pvm_joingroup("wrong");
    say_code("gather type", pvm_gather(a, a + 2, 1, 99, TAG, "wrong", 0));
    say_code("scatter type", pvm_scatter(a, a + 2, 1, 99, TAG, "wrong", 0));
    say_code("reduce type", pvm_reduce(PvmSum, a, 1, 99, TAG, "wrong", 0));
    say_code("gather root", pvm_gather(a, a + 2, 1, PVM_INT, TAG, "wrong", 5));
    say_code("scatter root", pvm_scatter(a, a + 2, 1, PVM_INT, TAG, "wrong", 5));
    say_code("reduce root", pvm_reduce(PvmSum, a, 1, PVM_INT, TAG, "wrong", 5));
    pvm_lvgroup("wrong");
    say_code("gather group", pvm_gather(a, a + 2, 1, PVM_INT, TAG, "unknown", 0));
    say_code("scatter group", pvm_scatter(a, a + 2, 1, PVM_INT, TAG, "unknown", 0));
    say_code("reduce group", pvm_reduce(PvmSum, a, 1, PVM_INT, TAG, "unknown", 0));
}

static void group_collective_alone(void)
{
    int a[2] = { 3, 4 }, b[2] = { 0, 0 };

    pvm_joingroup("single");
    say_code("gather", pvm_gather(b, a, 2, PVM_INT, TAG, "single", 0));
    say_ints("", b, 2);
    a[0] = 5;
    say_code("scatter", pvm_scatter(b, a, 2, PVM_INT, TAG, "single", 0));
    say_ints("", b, 2);
    say_code("reduce", pvm_reduce(PvmSum, a, 2, PVM_INT, TAG, "single", 0));
    say_ints("", a, 2);
    pvm_lvgroup("single");
}

static void group_bcast_errors(void)
{
    join("tags");
    if (me == 0) {
        int buffer = pvm_setsbuf(0);
        say_code("without buffer", pvm_bcast("tags", TAG));
        if (buffer > 0) pvm_freebuf(buffer);
        pvm_initsend(PvmDataDefault);
        say_code("tag -1", pvm_bcast("tags", -1));
    }
    leave("tags");
}

/* -- reductions ------------------------------------------------------------------------------------------------------------------- */

typedef void reduction(int *type, void *mine, void *others, int *count, int *info);

static reduction *const reductions[] = { PvmSum, PvmMax, PvmMin, PvmProduct };

/* There are no sums of bytes, and no products. */
#define REDUCE_CASE(name, type, parts, constant)                                                                       \
    static void reduce_##name(void)                                                                                    \
    {                                                                                                                  \
        join("reduce_" #name);                                                                                         \
        for (int r = constant == PVM_BYTE; r < (constant == PVM_BYTE ? 3 : 4); ++r) {                                  \
            type a[2 * parts];                                                                                         \
            int code;                                                                                                  \
            for (int i = 0; i < 2 * parts; ++i) a[i] = (type)((3 * me + 5 * i) % 7 + 1);                               \
            code = pvm_reduce(reductions[r], a, 2, constant, TAG + r, "reduce_" #name, 1);                             \
            if (me == 1) say_code(r ? "," : "", code);                                                                 \
            for (int i = 0; i < 2 * parts && me == 1; ++i) say("%g", (double)a[i]);                                    \
            arrive();                                                                                                  \
        }                                                                                                              \
        leave("reduce_" #name);                                                                                        \
    }
REDUCE_CASE(int, int, 1, PVM_INT)
REDUCE_CASE(long, long, 1, PVM_LONG)
REDUCE_CASE(short, short, 1, PVM_SHORT)
REDUCE_CASE(float, float, 1, PVM_FLOAT)
REDUCE_CASE(double, double, 1, PVM_DOUBLE)
REDUCE_CASE(byte, char, 1, PVM_BYTE)
REDUCE_CASE(cplx, float, 2, PVM_CPLX)
REDUCE_CASE(dcplx, double, 2, PVM_DCPLX)

/* Of which types there are sums and the others: the functions may be called. */
static void reduce_types(void)
{
    for (int type = PVM_BYTE; type <= PVM_ULONG; ++type) {
        say("%d:", type);
        for (int r = 0; r < COUNT_OF(reductions); ++r) {
            double a[2] = { 0, 0 }, b[2] = { 0, 0 };
            int wanted = type, count = 1, info = 9;
            reductions[r](&wanted, a, b, &count, &info);
            say_code("", info);
        }
    }
}

/* The larger of complex numbers has the larger modulus; of equal ones, what is there stays. */
static void reduce_moduli(void)
{
    float a[8] = { 3, 4, 5, 0, 1, 1, 0, 2 }, b[8] = { 4, 3, 0, 6, -1, 1, 1, 0 };
    double x[8] = { 3, 4, 5, 0, 1, 1, 0, 2 }, y[8] = { 4, 3, 0, 6, -1, 1, 1, 0 };
    int type = PVM_CPLX, count = 4, info = 9;

    PvmMax(&type, a, b, &count, &info);
    for (int i = 0; i < 8; ++i) say("%g", (double)a[i]);
    type = PVM_DCPLX;
    PvmMin(&type, x, y, &count, &info);
    for (int i = 0; i < 8; ++i) say("%g", x[i]);
}

static void differences(int *type, void *mine, void *others, int *count, int *info)
{
    int *a = (int *)mine, *b = (int *)others;

    for (int i = 0; i < *count; ++i) a[i] = 100 * a[i] + b[i];
    *info = *type == PVM_INT ? PvmOk : PvmBadParam;
}

/* Of two: in which order those of more come is open. */
static void reduce_by_own_function(void)
{
    int a[2] = { me + 1, me + 3 };

    join("own");
    say_code("", pvm_reduce(differences, a, 2, PVM_INT, TAG, "own", 0));
    if (me == 0) say_ints("", a, 2);
    leave("own");
}

static void reduce_roots(void)
{
    join("roots");
    for (int root = 0; root < np; ++root) {
        int a = me + root;
        pvm_reduce(PvmSum, &a, 1, PVM_INT, TAG + root, "roots", root);
        if (me == root) say("%d", a);
    }
    leave("roots");
}

static void reduce_negative(void)
{
    int a[3] = { -me, me - 5, -1 };
    double x[2] = { -0.5 * me, 1e10 };

    join("negative");
    pvm_reduce(PvmMax, a, 3, PVM_INT, TAG, "negative", 0);
    pvm_reduce(PvmMin, x, 2, PVM_DOUBLE, TAG + 1, "negative", 0);
    if (me == 0) {
        say_ints("", a, 3);
        say("%g %g", x[0], x[1]);
    }
    leave("negative");
}

static void reduce_then_bcast(void)
{
    int sum = me;

    join("then");
    for (int i = 0; i < 4; ++i) {
        pvm_reduce(PvmSum, &sum, 1, PVM_INT, TAG, "then", 0);
        if (me == 0) {
            pvm_initsend(PvmDataDefault);
            pvm_pkint(&sum, 1, 1);
            pvm_bcast("then", TAG + 1);
        } else
            sum = recv_int(-1, TAG + 1);
    }
    say("%d", sum);
    leave("then");
}

static void group_freeze(void)
{
    join("frozen");
    say("freeze %s", pvm_freezegroup("frozen", np) >= 0 ? "ok" : "fails");
    say("size %d", pvm_gsize("frozen"));
    say_tid("", pvm_gettid("frozen", 1));
    say_code("", pvm_getinst("frozen", all[2]));
    say_code("barrier", pvm_barrier("frozen", np));
    leave("frozen");
}

static void group_freeze_errors(void)
{
    say_code("unknown", pvm_freezegroup("unknown", 1));
    say_code("no name", pvm_freezegroup("", 1));
}

const pvm_case pvm_conform_groups[] = {
    CASE(group_join, 3),
    CASE(group_of_one, 0),
    CASE(group_seen, 2),
    CASE(group_seen_outside, 2),
    CASE(group_reuse, 3),
    CASE(group_gone, 1),
    CASE(group_left_by_end, 2),
    CASE(groups_several, 2),
    CASE(group_twice, 0),
    CASE(group_unknown, 0),
    CASE(group_no_name, 0),
    CASE(group_errors, 0),
    CASE(group_barrier, 3),
    CASE(group_barrier_waits, 2),
    CASE(group_barrier_of_some, 3),
    CASE(group_barrier_all, 2),
    CASE(group_bcast, 3),
    CASE(group_bcast_outside, 2),
    CASE(group_bcast_alone, 0),
    CASE(group_bcast_errors, 1),
    CASE(group_gather, 3),
    CASE(group_gather_doubles, 2),
    CASE(group_scatter, 3),
    CASE(group_scatter_bytes, 3),
    CASE(group_gather_and_scatter, 3),
    CASE(group_collective_errors, 0),
    CASE(group_collective_alone, 0),
    CASE(reduce_int, 3),
    CASE(reduce_long, 3),
    CASE(reduce_short, 3),
    CASE(reduce_float, 3),
    CASE(reduce_double, 3),
    CASE(reduce_byte, 3),
    CASE(reduce_cplx, 3),
    CASE(reduce_dcplx, 3),
    CASE(reduce_types, 0),
    CASE(reduce_moduli, 0),
    CASE(reduce_by_own_function, 1),
    CASE(reduce_roots, 3),
    CASE(reduce_negative, 3),
    CASE(reduce_then_bcast, 3),
    CASE(group_freeze, 2),
    CASE(group_freeze_errors, 0),
    NO_MORE_CASES,
};
