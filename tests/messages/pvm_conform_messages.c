/* pvm_conform_messages.c - messages between tasks: which one is received, in what order, and how it is waited for. */
#include "pvm_conform.h"

enum { TAG = 1, LARGE = 1 << 20 };

static void say_received(int buffer)
{
    int value = -1;

    if (buffer <= 0) {
        say_code("", buffer);
        return;
    }
    say_message(buffer);
    pvm_upkint(&value, 1, 1);
    say("%d;", value);
}

/* -- which message is received -------------------------------------------------------------------------------------------- */

static void by_tid(void)
{
    if (me > 0)
        send_int(all[0], TAG, me);
    else
        for (int i = np - 1; i > 0; --i) say_received(pvm_recv(all[i], TAG));
}

static void by_tag(void)
{
    if (me > 0)
        for (int tag = 1; tag <= 4; ++tag) send_int(all[0], tag, 10 * tag);
    else
        for (int tag = 4; tag > 0; --tag) say_received(pvm_recv(all[1], tag));
}

static void any_tag(void)
{
    if (me > 0)
        for (int tag = 4; tag > 0; --tag) send_int(all[0], tag, 10 * tag);
    else
        for (int i = 0; i < 4; ++i) say_received(pvm_recv(all[1], -1));
}

static void any_tid(void)
{
    int sum = 0;

    if (me > 0)
        send_int(all[0], TAG, 1 << me);
    else
        for (int i = 1; i < np; ++i) sum += recv_int(-1, TAG);
    say("%d", sum);
}

static void any_tid_any_tag(void)
{
    if (me == 1) send_int(all[2], 7, 70);
    if (me == 2) say_received(pvm_recv(-1, -1));
}

/* The first that fits, of those that have come. */
static void first_that_fits(void)
{
    if (me > 0) {
        send_int(all[0], 1, 1);
        send_int(all[0], 2, 2);
        send_int(all[0], 1, 3);
        send_int(all[0], 3, 4);
        arrive();
        return;
    }
    arrive();
    say_received(pvm_recv(-1, 3));
    say_received(pvm_recv(-1, 1));
    say_received(pvm_recv(all[1], -1));
    say_received(pvm_recv(-1, -1));
}

static void in_order(void)
{
    enum { MANY = 300 };
    int wrong = 0;

    if (me > 0)
        for (int i = 0; i < MANY; ++i) send_int(all[0], TAG, i);
    else
        for (int i = 0; i < MANY; ++i)
            for (int k = 1; k < np; ++k) wrong += recv_int(all[k], TAG) != i;
    say("%d wrong", wrong);
}

/* Of several sizes, and packed in several ways: the order is the same. */
static void in_order_of_sizes(void)
{
    static char bytes[100000];
    static const int sizes[] = { 100000, 1, 5000, 0, 50000, 10 };

    for (int i = 0; i < COUNT_OF(sizes); ++i)
        if (me > 0) {
            pvm_initsend(i % 2 ? PvmDataDefault : PvmDataRaw);
            pvm_pkint(&i, 1, 1);
            pvm_pkbyte(bytes, sizes[i], 1);
            pvm_send(all[0], TAG);
        } else {
            int number = -1;
            pvm_recv(all[1], TAG);
            pvm_upkint(&number, 1, 1);
            say("%d", number);
            say_code("", pvm_upkbyte(bytes, sizes[i], 1));
            expect(pvm_upkbyte(bytes, 1, 1) == PvmNoData, "more");
        }
}

static void to_itself(void)
{
    for (int i = 0; i < 3; ++i) send_int(all[me], TAG + i, 5 * i);
    for (int i = 2; i >= 0; --i) say_received(pvm_recv(all[me], TAG + i));
}

static void empty(void)
{
    int value, bytes = -1;

    if (me > 0) {
        pvm_initsend(PvmDataDefault);
        pvm_send(all[0], TAG);
        return;
    }
    pvm_bufinfo(pvm_recv(all[1], TAG), &bytes, NULL, NULL);
    say("%d bytes", bytes);
    say_code("", pvm_upkint(&value, 1, 1));
}

static void ring(void)
{
    if (me > 0) send_int(all[(me + 1) % np], TAG, recv_int(all[me - 1], TAG) + me);
    if (me > 0) return;
    send_int(all[1], TAG, 100);
    say("%d", recv_int(all[np - 1], TAG));
}

static void all_to_all(void)
{
    int sum = 0;

    for (int i = 0; i < np; ++i)
        if (i != me) send_int(all[i], TAG, 10 * me + i);
    for (int i = 0; i < np; ++i)
        if (i != me) sum += recv_int(all[i], TAG);
    say("%d", sum);
}

static void head_to_head(void)
{
    int *numbers = (int *)calloc(LARGE / 4, sizeof *numbers);

    if (!numbers) return;
    for (int i = 0; i < LARGE / 4; ++i) numbers[i] = i + me;
    pvm_initsend(PvmDataRaw);
    pvm_pkint(numbers, LARGE / 4, 1);
    pvm_send(all[1 - me], TAG);
    pvm_recv(all[1 - me], TAG);
    pvm_upkint(numbers, LARGE / 4, 1);
    for (int i = 0; i < LARGE / 4; ++i) expect(numbers[i] == i + 1 - me, "[%d] %d", i, numbers[i]);
    free(numbers);
}

static void large_encodings(void)
{
    static const int encodings[] = { PvmDataDefault, PvmDataRaw, PvmDataInPlace };
    double *numbers = (double *)calloc(LARGE / 8, sizeof *numbers);

    for (int e = 0; e < COUNT_OF(encodings) && numbers != NULL; ++e)
        if (me == 0) {
            for (int i = 0; i < LARGE / 8; ++i) numbers[i] = i * 0.5 + e;
            pvm_initsend(encodings[e]);
            pvm_pkdouble(numbers, LARGE / 8, 1);
            say_code("", pvm_send(all[1], TAG));
        } else {
            pvm_recv(all[0], TAG);
            say_code("", pvm_upkdouble(numbers, LARGE / 8, 1));
            for (int i = 0; i < LARGE / 8; ++i) expect(numbers[i] == i * 0.5 + e, "[%d] %g", i, numbers[i]);
        }
    free(numbers);
}

static void routed_directly(void)
{
    pvm_setopt(PvmRoute, PvmRouteDirect);
    for (int i = 0; i < 20; ++i)
        if (me > 0)
            send_int(all[0], TAG, recv_int(all[0], TAG) + 1);
        else {
            send_int(all[1], TAG, i);
            expect(recv_int(all[1], TAG) == i + 1, "%d", i);
        }
    say("route %d", pvm_setopt(PvmRoute, PvmAllowDirect));
}

/* -- mcast -------------------------------------------------------------------------------------------------------------------- */

static void mcast(void)
{
    int value = 4;

    if (me > 0) {
        say_received(pvm_recv(all[0], TAG));
        return;
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    say_code("mcast", pvm_mcast(all, np, TAG));
    say_code("mine", pvm_nrecv(-1, TAG));
}

static void mcast_by_slave(void)
{
    int value = 8;

    if (me == 2) {
        pvm_initsend(PvmDataRaw);
        pvm_pkint(&value, 1, 1);
        say_code("mcast", pvm_mcast(all, np, TAG));
    } else
        say_received(pvm_recv(-1, TAG));
}

static void mcast_to_nobody(void)
{
    pvm_initsend(PvmDataDefault);
    say_code("none", pvm_mcast(all, 0, TAG));
    say_code("itself", pvm_mcast(all, 1, TAG));
    say_code("mine", pvm_nrecv(-1, TAG));
}

static void mcast_errors(void)
{
    int tid = -1;

    pvm_initsend(PvmDataDefault);
    say_code("count -1", pvm_mcast(all, -1, TAG));
    say_code("tag -1", pvm_mcast(all, 1, -1));
    say_code("tid -1", pvm_mcast(&tid, 1, TAG));
}

/* -- errors --------------------------------------------------------------------------------------------------------------------- */

static void send_errors(void)
{
    pvm_initsend(PvmDataDefault);
    say_code("tid 0", pvm_send(0, TAG));
    say_code("tid -1", pvm_send(-1, TAG));
    say_code("tag -1", pvm_send(pvm_mytid(), -1));
}

/* Nobody is told that a message goes to nobody. */
static void send_to_ended(void)
{
    if (me > 0) hand_in_and_exit();
    wait_for_end(all[1]);
    pvm_initsend(PvmDataDefault);
    say_code("send", pvm_send(all[1], TAG));
    say_code("mcast", pvm_mcast(all, np, TAG));
    say_code("psend", pvm_psend(all[1], TAG, "a", 1, PVM_BYTE));
}

static void psend_errors(void)
{
    int a = 1;

    say_code("tid 0", pvm_psend(0, TAG, &a, 1, PVM_INT));
    say_code("tag -1", pvm_psend(pvm_mytid(), -1, &a, 1, PVM_INT));
    say_code("type 99", pvm_psend(pvm_mytid(), TAG, &a, 1, 99));
    say_code("type -1", pvm_psend(pvm_mytid(), TAG, &a, 1, -1));
}

/* -- nrecv, probe, trecv ----------------------------------------------------------------------------------------------------------- */

static void nrecv(void)
{
    int buffer;

    if (me > 0) {
        arrive();
        send_int(all[0], TAG, 3);
        return;
    }
    say_code("nothing", pvm_nrecv(-1, TAG));
    say_code("nothing", pvm_nrecv(all[1], -1));
    arrive();
    while ((buffer = pvm_nrecv(all[1], TAG)) == 0) usleep(1000);
    say_received(buffer);
    say("%s", pvm_getrbuf() == buffer ? "current" : "another");
    say_code("nothing", pvm_nrecv(-1, TAG));
}

/* Also a receive that gets nothing frees what was received before. */
static void nrecv_frees(void)
{
    int value = 0, buffer;

    send_int(all[0], TAG, 6);
    buffer = pvm_recv(-1, TAG);
    say_code("", pvm_nrecv(-1, TAG));
    say("%s", pvm_getrbuf() == buffer ? "kept" : "another");
    say_code("current", pvm_getrbuf());
    say_code("", pvm_upkint(&value, 1, 1));
    say_code("", pvm_bufinfo(buffer, NULL, NULL, NULL));
}

static void trecv_frees(void)
{
    struct timeval most = { 0, 1000 };
    int buffer;

    send_int(all[0], TAG, 6);
    buffer = pvm_recv(-1, TAG);
    say_code("", pvm_trecv(-1, TAG, &most));
    say_code("current", pvm_getrbuf());
    say_code("", pvm_bufinfo(buffer, NULL, NULL, NULL));
}

/* A loop without a pause comes to its end. */
static void nrecv_busy(void)
{
    int buffer;

    if (me > 0) {
        send_int(all[0], TAG, recv_int(all[0], TAG) + 1);
        return;
    }
    send_int(all[1], TAG, 1);
    while ((buffer = pvm_nrecv(-1, -1)) == 0) continue;
    say_received(buffer);
}

static void probe(void)
{
    int buffer, bytes, tag, tid, value = 0;

    if (me > 0) {
        arrive();
        value = 9;
        pvm_initsend(PvmDataRaw);
        pvm_pkint(&value, 1, 1);
        pvm_send(all[0], 33);
        return;
    }
    say_code("nothing", pvm_probe(-1, -1));
    arrive();
    while ((buffer = pvm_probe(-1, -1)) == 0) continue;
    say_some("probe", buffer);
    pvm_bufinfo(buffer, &bytes, &tag, &tid);
    say("%d bytes tag %d", bytes, tag);
    say_tid("from", tid);
    say_some("again", pvm_probe(tid, tag));
    say_code("another tag", pvm_probe(tid, tag + 1));
    say_code("itself", pvm_probe(all[0], -1));
    say_received(pvm_recv(tid, tag));
    say_code("then", pvm_probe(-1, -1));
}

static void probe_keeps_buffer(void)
{
    int value = 0, buffer;

    send_int(all[0], TAG, 6);
    send_int(all[0], TAG + 1, 7);
    buffer = pvm_recv(-1, TAG + 1);
    say_some("", pvm_probe(-1, -1));
    say("%s", pvm_getrbuf() == buffer ? "kept" : "another");
    say_code("", pvm_upkint(&value, 1, 1));
    say("%d", value);
    say_received(pvm_recv(-1, -1));
}

/* The first that fits, again and again, and pvm_recv() gets the same. */
static void probe_first(void)
{
    int tag;

    for (int i = 3; i >= 0; --i) send_int(all[0], i, i);
    pvm_recv(-1, 0);
    pvm_bufinfo(pvm_probe(-1, -1), NULL, &tag, NULL);
    say("%d", tag);
    pvm_bufinfo(pvm_probe(-1, -1), NULL, &tag, NULL);
    say("%d", tag);
    pvm_bufinfo(pvm_probe(-1, 1), NULL, &tag, NULL);
    say("%d", tag);
    for (int i = 0; i < 3; ++i) say_received(pvm_recv(-1, -1));
}

static void trecv_expires(void)
{
    struct timeval most = { 0, 20000 }, none = { 0, 0 }, before, after;
    double seconds;

    gettimeofday(&before, NULL);
    say_code("", pvm_trecv(-1, TAG, &most));
    gettimeofday(&after, NULL);
    seconds = (double)(after.tv_sec - before.tv_sec) + 1e-6 * (double)(after.tv_usec - before.tv_usec);
    expect(seconds > 0.0199 && seconds < 2, "after %g s", seconds);
    say_code("at once", pvm_trecv(-1, TAG, &none));
}

static void trecv_receives(void)
{
    struct timeval most = { 10, 0 };

    if (me > 0) {
        usleep(5000);
        send_int(all[0], TAG, 4);
        return;
    }
    say_received(pvm_trecv(all[1], TAG, &most));
}

static void trecv_without_limit(void)
{
    if (me > 0)
        send_int(all[0], TAG, 4);
    else
        say_received(pvm_trecv(all[1], TAG, NULL));
}

/* Another message does not end the wait. */
static void trecv_other_tag(void)
{
    struct timeval most = { 0, 30000 };

    if (me > 0) {
        send_int(all[0], TAG + 1, 4);
        arrive();
        return;
    }
    arrive();
    say_code("", pvm_trecv(-1, TAG, &most));
    say_received(pvm_recv(-1, -1));
}

/* -- psend, precv ------------------------------------------------------------------------------------------------------------------- */

#define PSEND_CASE(name, type, parts, constant)                                                                        \
    static void psend_##name(void)                                                                                     \
    {                                                                                                                  \
        type a[4 * parts];                                                                                             \
        int from = 0, tag = 0, count = 0;                                                                              \
        for (int i = 0; i < 4 * parts; ++i) a[i] = (type)(me > 0 ? 3 * i + 1 : 0);                                     \
        if (me > 0) {                                                                                                  \
            say_code("", pvm_psend(all[0], TAG, a, 4, constant));                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        say_code("", pvm_precv(all[1], TAG, a, 4, constant, &from, &tag, &count));                                     \
        for (int i = 0; i < 4 * parts; ++i) say("%g", (double)a[i]);                                                   \
        say_tid("from", from);                                                                                         \
        say("tag %d count %d", tag, count);                                                                            \
    }
PSEND_CASE(byte, char, 1, PVM_BYTE)
PSEND_CASE(short, short, 1, PVM_SHORT)
PSEND_CASE(int, int, 1, PVM_INT)
PSEND_CASE(long, long, 1, PVM_LONG)
PSEND_CASE(ushort, unsigned short, 1, PVM_USHORT)
PSEND_CASE(uint, unsigned, 1, PVM_UINT)
PSEND_CASE(ulong, unsigned long, 1, PVM_ULONG)
PSEND_CASE(float, float, 1, PVM_FLOAT)
PSEND_CASE(double, double, 1, PVM_DOUBLE)
PSEND_CASE(cplx, float, 2, PVM_CPLX)
PSEND_CASE(dcplx, double, 2, PVM_DCPLX)

static void precv_less(void)
{
    int a[4] = { 1, 2, 3, 4 }, b[4] = { 0 }, count = 0;

    pvm_psend(all[0], TAG, a, 2, PVM_INT);
    say_code("less", pvm_precv(-1, -1, b, 4, PVM_INT, NULL, NULL, &count));
    say("count %d", count);
    say_ints("", b, 4);
}

static void precv_nothing_wanted(void)
{
    int a[4] = { 1, 2, 3, 4 };

    pvm_psend(all[0], TAG, a, 4, PVM_INT);
    a[3] = 0;
    say_code("", pvm_precv(all[0], TAG, a, 4, PVM_INT, NULL, NULL, NULL));
    say_ints("", a, 4);
}

/* More has come than there is room for. */
static void precv_more(void)
{
    int a[4] = { 1, 2, 3, 4 }, b[4] = { 0 }, count = 0;

    pvm_psend(all[0], TAG, a, 4, PVM_INT);
    say_code("", pvm_precv(-1, -1, b, 2, PVM_INT, NULL, NULL, &count));
    say("count %d", count);
    say_ints("", b, 4);
}

/* The buffers stay as they are. */
static void psend_keeps_buffers(void)
{
    int a = 1, b = 0, sending, receiving;

    send_int(all[0], 5, 50);
    receiving = pvm_recv(-1, 5);
    sending = pvm_initsend(PvmDataDefault);
    pvm_psend(all[0], TAG, &a, 1, PVM_INT);
    pvm_precv(-1, TAG, &b, 1, PVM_INT, NULL, NULL, NULL);
    say("%s", pvm_getsbuf() == sending ? "sent" : "another");
    say("%s", pvm_getrbuf() == receiving ? "received" : "another");
    say_code("", pvm_upkint(&b, 1, 1));
    say("%d", b);
}

/* What pvm_psend() sends may be unpacked, and what was packed raw may be got by pvm_precv(). */
static void psend_unpacked(void)
{
    int a[2] = { 1, 2 }, b[2] = { 0, 0 }, bytes = 0;

    pvm_psend(all[0], TAG, a, 2, PVM_INT);
    pvm_bufinfo(pvm_recv(-1, TAG), &bytes, NULL, NULL);
    say("%d bytes", bytes);
    say_code("", pvm_upkint(b, 2, 1));
    say_ints("", b, 2);
    pvm_initsend(PvmDataRaw);
    pvm_pkint(a, 2, 1);
    pvm_send(all[0], TAG);
    b[0] = b[1] = 0;
    say_code("", pvm_precv(-1, TAG, b, 2, PVM_INT, NULL, NULL, NULL));
    say_ints("", b, 2);
}

static void psend_large(void)
{
    double *numbers = (double *)calloc(LARGE / 8, sizeof *numbers);
    int count = 0;

    if (!numbers) return;
    if (me > 0) {
        for (int i = 0; i < LARGE / 8; ++i) numbers[i] = i;
        pvm_psend(all[0], TAG, numbers, LARGE / 8, PVM_DOUBLE);
    } else {
        say_code("", pvm_precv(-1, TAG, numbers, LARGE / 8, PVM_DOUBLE, NULL, NULL, &count));
        say("count %d", count);
        for (int i = 0; i < LARGE / 8; ++i) expect(numbers[i] == i, "[%d] %g", i, numbers[i]);
    }
    free(numbers);
}

/* -- contexts --------------------------------------------------------------------------------------------------------------------------- */

static void contexts(void)
{
    int first = pvm_newcontext(), second = pvm_newcontext();

    say("base %d", pvm_getcontext());
    expect(first > 0 && second > 0 && first != second, "%d and %d", first, second);
    say("before %d", pvm_setcontext(first));
    say("%s", pvm_getcontext() == first ? "first" : "another");
    say("%s", pvm_setcontext(second) == first ? "first" : "another");
    say("%s", pvm_setcontext(PvmBaseContext) == second ? "second" : "another");
    say_code("free", pvm_freecontext(first));
    say_code("free", pvm_freecontext(second));
}

static void context_freed_twice(void)
{
    int context = pvm_newcontext();

    say_code("free", pvm_freecontext(context));
    say_code("again", pvm_freecontext(context));
    say_code("-1", pvm_freecontext(-1));
}

static void context_unseen(void)
{
    int context = pvm_newcontext();

    pvm_setcontext(context);
    send_int(all[0], TAG, 1);
    pvm_setcontext(PvmBaseContext);
    send_int(all[0], TAG, 2);
    say_received(pvm_recv(-1, TAG));
    say_code("nrecv", pvm_nrecv(-1, -1));
    say_code("probe", pvm_probe(-1, -1));
    pvm_setcontext(context);
    say_received(pvm_recv(-1, TAG));
    pvm_setcontext(PvmBaseContext);
    pvm_freecontext(context);
}

/* The context in which it is sent counts, not the one in which it was packed. */
static void context_of_sending(void)
{
    struct pvmminfo info;
    int context = pvm_newcontext(), value = 3;

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_setcontext(context);
    pvm_send(all[0], TAG);
    pvm_getminfo(pvm_recv(-1, TAG), &info);
    say("%s", info.ctx == context ? "the new one" : "another");
    pvm_setcontext(PvmBaseContext);
    pvm_freecontext(context);
}

/* A context is told to others by a message. */
static void context_shared(void)
{
    int context = me > 0 ? recv_int(all[0], TAG) : pvm_newcontext();

    if (me == 0)
        for (int i = 1; i < np; ++i) send_int(all[i], TAG, context);
    if (me > 0) send_int(all[0], TAG, 1);
    pvm_setcontext(context);
    if (me > 0) send_int(all[0], TAG, 2);
    for (int i = 1; i < np && me == 0; ++i) say("%d", recv_int(all[i], TAG));
    pvm_setcontext(PvmBaseContext);
    for (int i = 1; i < np && me == 0; ++i) say("%d", recv_int(all[i], TAG));
}

/* What is spawned begins in the context of its parent. */
static void context_of_spawned(void)
{
    char number[16], *arguments[] = { "stranger", number, NULL };
    int context = pvm_newcontext(), tid;

    snprintf(number, sizeof number, "%d", pvm_mytid());
    pvm_setcontext(context);
    say_code("spawn", pvm_spawn(own_path, arguments, PvmTaskDefault, NULL, 1, &tid));
    pvm_setcontext(PvmBaseContext);
    wait_for_end(tid);
    say_some("base", pvm_nrecv(-1, TAG));
    pvm_setcontext(context);
    say_some("new", pvm_nrecv(-1, TAG));
    pvm_setcontext(PvmBaseContext);
}

static void psend_context(void)
{
    int context = pvm_newcontext(), a = 4, b = 0;

    pvm_setcontext(context);
    pvm_psend(all[0], TAG, &a, 1, PVM_INT);
    pvm_setcontext(PvmBaseContext);
    send_int(all[0], TAG, 5);
    say("%d", recv_int(-1, -1));
    pvm_setcontext(context);
    pvm_precv(-1, -1, &b, 1, PVM_INT, NULL, NULL, NULL);
    say("%d", b);
    pvm_setcontext(PvmBaseContext);
}

const pvm_case pvm_conform_messages[] = {
    CASE(by_tid, 3),
    CASE(by_tag, 1),
    CASE(any_tag, 1),
    CASE(any_tid, 4),
    CASE(any_tid_any_tag, 2),
    CASE(first_that_fits, 1),
    CASE(in_order, 3),
    CASE(in_order_of_sizes, 1),
    CASE(to_itself, 2),
    CASE(empty, 1),
    CASE(ring, 4),
    CASE(all_to_all, 3),
    CASE(head_to_head, 1),
    CASE(large_encodings, 1),
    CASE(routed_directly, 1),
    CASE(mcast, 3),
    CASE(mcast_by_slave, 3),
    CASE(mcast_to_nobody, 0),
    CASE(mcast_errors, 0),
    CASE(send_errors, 0),
    CASE(send_to_ended, 1),
    CASE(psend_errors, 0),
    CASE(nrecv, 1),
    CASE(nrecv_frees, 0),
    CASE(nrecv_busy, 1),
    CASE(probe, 1),
    CASE(probe_keeps_buffer, 0),
    CASE(probe_first, 0),
    CASE(trecv_expires, 0),
    CASE(trecv_receives, 1),
    CASE(trecv_without_limit, 1),
    CASE(trecv_other_tag, 1),
    CASE(trecv_frees, 0),
    CASE(psend_byte, 1),
    CASE(psend_short, 1),
    CASE(psend_int, 1),
    CASE(psend_long, 1),
    CASE(psend_ushort, 1),
    CASE(psend_uint, 1),
    CASE(psend_ulong, 1),
    CASE(psend_float, 1),
    CASE(psend_double, 1),
    CASE(psend_cplx, 1),
    CASE(psend_dcplx, 1),
    CASE(precv_less, 0),
    CASE(precv_more, 0),
    CASE(precv_nothing_wanted, 0),
    CASE(psend_keeps_buffers, 0),
    CASE(psend_unpacked, 0),
    CASE(psend_large, 1),
    CASE(contexts, 0),
    CASE(context_freed_twice, 0),
    CASE(context_unseen, 0),
    CASE(context_of_sending, 0),
    CASE(context_shared, 2),
    CASE(context_of_spawned, 0),
    CASE(psend_context, 0),
    NO_MORE_CASES,
};
