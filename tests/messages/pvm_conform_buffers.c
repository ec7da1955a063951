/* pvm_conform_buffers.c - packing and unpacking, and the buffers that are packed and unpacked. */
#include "pvm_conform.h"

#include <float.h>
#include <limits.h>

enum { SOME = 5, MOST_STRIDE = 3 };
static const int encodings[] = { PvmDataDefault, PvmDataRaw, PvmDataInPlace };

/* -- one type after another --------------------------------------------------------------------------------------------- */

/* With each encoding and stride: what is packed is unpacked, and between the numbers nothing is changed. In place there
 * is but the stride 1. PVM of Debian takes the upper half off what is long and not raw, hence `least`. */
#define TYPE_CASE(name, type, parts, least)                                                                            \
    static void type_##name(void)                                                                                      \
    {                                                                                                                  \
        for (int e = 0; e < COUNT_OF(encodings); ++e)                                                                  \
            for (int stride = 1; stride <= (encodings[e] == PvmDataInPlace ? 1 : MOST_STRIDE); ++stride) {             \
                type from[SOME * MOST_STRIDE * parts], to[SOME * MOST_STRIDE * parts];                                 \
                const int room = SOME * MOST_STRIDE * parts;                                                           \
                int code;                                                                                              \
                for (int i = 0; i < room; ++i) {                                                                       \
                    from[i] = (type)(i * 7 + least);                                                                   \
                    to[i] = (type)1;                                                                                   \
                }                                                                                                      \
                pvm_initsend(encodings[e]);                                                                            \
                code = pvm_pk##name(from, SOME, stride);                                                               \
                if (code == PvmOk) code = pass();                                                                      \
                if (code > 0) code = pvm_upk##name(to, SOME, stride);                                                  \
                expect(code == PvmOk, "encoding %d, stride %d: %s", encodings[e], stride, code_name(code));            \
                for (int i = 0; code == PvmOk && i < room; ++i) {                                                      \
                    const int place = i / parts;                                                                       \
                    const type wanted = place % stride == 0 && place / stride < SOME ? from[i] : (type)1;              \
                    expect(memcmp(&to[i], &wanted, sizeof wanted) == 0, "encoding %d, stride %d: [%d]", encodings[e],  \
                           stride, i);                                                                                 \
                }                                                                                                      \
            }                                                                                                          \
    }
TYPE_CASE(byte, char, 1, -40)
TYPE_CASE(short, short, 1, -40)
TYPE_CASE(int, int, 1, -40)
TYPE_CASE(long, long, 1, 1)
TYPE_CASE(ushort, unsigned short, 1, -40)
TYPE_CASE(uint, unsigned, 1, -40)
TYPE_CASE(ulong, unsigned long, 1, 1)
TYPE_CASE(float, float, 1, -40)
TYPE_CASE(double, double, 1, -40)
TYPE_CASE(cplx, float, 2, -40)
TYPE_CASE(dcplx, double, 2, -40)

static void in_place_refused(void)
{
    int a[6] = { 1, 2, 3, 4, 5, 6 }, b[3] = { 0, 0, 0 };

    pvm_initsend(PvmDataInPlace);
    say_code("pkint", pvm_pkint(a, 3, 2));
    say_code("pkstr", pvm_pkstr("text"));
    say_some("pass", pass());
    say_code("upkint", pvm_upkint(b, 3, 1));
    say_ints("", b, 3);
}

static void extremes_of_integers(void)
{
    for (int e = 0; e < COUNT_OF(encodings); ++e) {
        short s[2] = { SHRT_MIN, SHRT_MAX };
        int i[2] = { INT_MIN, INT_MAX };
        long l[2] = { e ? LONG_MIN : 0, e ? LONG_MAX : INT_MAX };
        unsigned short us = USHRT_MAX;
        unsigned u = UINT_MAX;
        unsigned long ul = e ? ULONG_MAX : UINT_MAX;
        pvm_initsend(encodings[e]);
        pvm_pkshort(s, 2, 1);
        pvm_pkint(i, 2, 1);
        pvm_pklong(l, 2, 1);
        pvm_pkushort(&us, 1, 1);
        pvm_pkuint(&u, 1, 1);
        pvm_pkulong(&ul, 1, 1);
        pass();
        memset(s, 0, sizeof s);
        memset(i, 0, sizeof i);
        memset(l, 0, sizeof l);
        us = 0;
        u = 0;
        ul = 0;
        pvm_upkshort(s, 2, 1);
        pvm_upkint(i, 2, 1);
        pvm_upklong(l, 2, 1);
        pvm_upkushort(&us, 1, 1);
        pvm_upkuint(&u, 1, 1);
        pvm_upkulong(&ul, 1, 1);
        expect(s[0] == SHRT_MIN && s[1] == SHRT_MAX, "short %d %d", s[0], s[1]);
        expect(i[0] == INT_MIN && i[1] == INT_MAX, "int %d %d", i[0], i[1]);
        expect(l[0] == (e ? LONG_MIN : 0) && l[1] == (e ? LONG_MAX : INT_MAX), "long %ld %ld", l[0], l[1]);
        expect(us == USHRT_MAX && u == UINT_MAX && ul == (e ? ULONG_MAX : UINT_MAX), "unsigned %d %u %lu", us, u, ul);
    }
}

static void extremes_of_floats(void)
{
    for (int e = 0; e < COUNT_OF(encodings); ++e) {
        float f[3] = { FLT_MIN, -FLT_MAX, 1.0f / 3 }, g[3];
        double d[3] = { DBL_MIN, -DBL_MAX, 1.0 / 3 }, h[3];
        pvm_initsend(encodings[e]);
        pvm_pkfloat(f, 3, 1);
        pvm_pkdouble(d, 3, 1);
        pass();
        pvm_upkfloat(g, 3, 1);
        pvm_upkdouble(h, 3, 1);
        expect(memcmp(f, g, sizeof f) == 0, "%d: %g %g %g", e, g[0], g[1], g[2]);
        expect(memcmp(d, h, sizeof d) == 0, "%d: %g %g %g", e, h[0], h[1], h[2]);
    }
}

static void types_mixed(void)
{
    for (int e = 0; e < 2; ++e) {
        char c[3] = "ab", text[8];
        short s = -3;
        int i = 70000;
        double d = 2.5;
        long l = 1234567890;
        float f = 0.25f;
        pvm_initsend(encodings[e]);
        pvm_pkbyte(c, 3, 1);
        pvm_pkshort(&s, 1, 1);
        pvm_pkstr("mixed");
        pvm_pkdouble(&d, 1, 1);
        pvm_pkint(&i, 1, 1);
        pvm_pkfloat(&f, 1, 1);
        pvm_pklong(&l, 1, 1);
        pass();
        c[0] = 0;
        s = 0;
        i = 0;
        d = 0;
        l = 0;
        f = 0;
        pvm_upkbyte(c, 3, 1);
        pvm_upkshort(&s, 1, 1);
        pvm_upkstr(text);
        pvm_upkdouble(&d, 1, 1);
        pvm_upkint(&i, 1, 1);
        pvm_upkfloat(&f, 1, 1);
        pvm_upklong(&l, 1, 1);
        say("%s %d %s %g %d %g %ld", c, s, text, d, i, (double)f, l);
    }
}

static void strings(void)
{
    static char *const texts[] = { "", "a", "abc", "with spaces, and more than that", "" };

    for (int e = 0; e < 2; ++e) {
        char text[64];
        pvm_initsend(encodings[e]);
        for (int i = 0; i < COUNT_OF(texts); ++i) {
            int code = pvm_pkstr(texts[i]);
            expect(code == PvmOk, "encoding %d: %s", encodings[e], code_name(code));
        }
        pass();
        for (int i = 0; i < COUNT_OF(texts); ++i) {
            strcpy(text, "?");
            pvm_upkstr(text);
            expect(strcmp(text, texts[i]) == 0, "encoding %d: '%s'", encodings[e], text);
        }
    }
}

static void string_long(void)
{
    static char from[20001], to[20001];

    memset(from, 'x', sizeof from - 1);
    for (int e = 0; e < 2; ++e) {
        pvm_initsend(encodings[e]);
        say_code("pkstr", pvm_pkstr(from));
        pass();
        say_code("upkstr", pvm_upkstr(to));
        expect(strcmp(from, to) == 0, "another text");
    }
}

/* The calls of packing and of unpacking need not be the same, only the types. */
static void pieces(void)
{
    for (int e = 0; e < 2; ++e) {
        int a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 0 };
        pvm_initsend(encodings[e]);
        pvm_pkint(a, 1, 1);
        pvm_pkint(a + 1, 5, 1);
        pass();
        pvm_upkint(b, 4, 1);
        pvm_upkint(b + 4, 1, 1);
        pvm_upkint(b + 5, 1, 1);
        say_ints("", b, 6);
    }
}

static void strides_differ(void)
{
    int a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 0 };

    pvm_initsend(PvmDataDefault);
    pvm_pkint(a, 3, 2);
    pass();
    pvm_upkint(b, 2, 3);
    pvm_upkint(b + 5, 1, 1);
    say_ints("", b, 6);
}

static void strides_backwards(void)
{
    int a[3] = { 1, 2, 3 }, b[5] = { 0 };

    pvm_initsend(PvmDataDefault);
    say_code("0", pvm_pkint(a, 2, 0));
    say_code("-1", pvm_pkint(a + 2, 3, -1));
    pass();
    say_code("", pvm_upkint(b + 4, 5, -1));
    say_ints("", b, 5);
}

static void counts_zero(void)
{
    int a = 1;

    for (int e = 0; e < COUNT_OF(encodings); ++e) {
        pvm_initsend(encodings[e]);
        say_code("pack", pvm_pkint(&a, 0, 1));
        pass();
        say_code("unpack", pvm_upkint(&a, 0, 1));
        say_code("more", pvm_upkint(&a, 1, 1));
    }
}

static void pack_errors(void)
{
    int a = 1;

    pvm_initsend(PvmDataDefault);
    say_code("count -1", pvm_pkint(&a, -1, 1));
    pass();
    say_code("count -1", pvm_upkint(&a, -1, 1));
}

static void pack_without_buffer(void)
{
    int a = 1, sending = pvm_setsbuf(0), receiving = pvm_setrbuf(0);

    if (sending > 0) pvm_freebuf(sending);
    if (receiving > 0) pvm_freebuf(receiving);
    say_code("pkint", pvm_pkint(&a, 1, 1));
    say_code("pkstr", pvm_pkstr("a"));
    say_code("packf", pvm_packf("%d", 1));
    say_code("send", pvm_send(pvm_mytid(), 1));
    say_code("mcast", pvm_mcast(&a, 0, 1));
    say_code("upkint", pvm_upkint(&a, 1, 1));
    say_code("unpackf", pvm_unpackf("%d", &a));
    say_code("upkmesg", pvm_upkmesg());
}

static void past_the_end(void)
{
    for (int e = 0; e < 2; ++e) {
        int a[3] = { 1, 2, 3 }, b[3] = { 0 };
        char text[8];
        double d;
        pvm_initsend(encodings[e]);
        pvm_pkint(a, 2, 1);
        pass();
        pvm_upkint(b, 2, 1);
        say_code("int", pvm_upkint(b, 1, 1));
        say_code("byte", pvm_upkbyte(text, 1, 1));
        say_code("str", pvm_upkstr(text));
        say_code("double", pvm_upkdouble(&d, 1, 1));
        say_code("unpackf", pvm_unpackf("%d", &b[0]));
    }
}

static void more_than_there_is(void)
{
    for (int e = 0; e < 2; ++e) {
        int a[3] = { 1, 2, 3 }, b[3] = { 0 };
        pvm_initsend(encodings[e]);
        pvm_pkint(a, 2, 1);
        pass();
        say_code("", pvm_upkint(b, 3, 1));
    }
}

/* In place, the numbers go as they are when they are sent. */
static void in_place_changed(void)
{
    int a = 1, b = 0;

    pvm_initsend(PvmDataInPlace);
    pvm_pkint(&a, 1, 1);
    a = 2;
    pvm_send(pvm_mytid(), 1);
    a = 3;
    pvm_send(pvm_mytid(), 1);
    a = 4;
    for (int i = 0; i < 2; ++i) {
        pvm_recv(-1, 1);
        pvm_upkint(&b, 1, 1);
        say("%d", b);
    }
}

static void raw_changed(void)
{
    int a = 1, b = 0;

    pvm_initsend(PvmDataRaw);
    pvm_pkint(&a, 1, 1);
    a = 2;
    pass();
    pvm_upkint(&b, 1, 1);
    say("%d", b);
}

static void large(void)
{
    enum { COUNT = 100000 };
    int *from = (int *)malloc(COUNT * sizeof *from), *to = (int *)calloc(COUNT, sizeof *to);

    for (int e = 0; e < COUNT_OF(encodings) && from != NULL && to != NULL; ++e) {
        for (int i = 0; i < COUNT; ++i) from[i] = i * (e + 3);
        pvm_initsend(encodings[e]);
        say_code("", pvm_pkint(from, COUNT, 1));
        pass();
        say_code("", pvm_upkint(to, COUNT, 1));
        expect(memcmp(from, to, COUNT * sizeof *to) == 0, "other numbers");
    }
    free(from);
    free(to);
}

/* -- buffers ------------------------------------------------------------------------------------------------------------------ */

static void initsend(void)
{
    for (int e = 0; e < COUNT_OF(encodings); ++e) {
        int buffer = pvm_initsend(encodings[e]);
        say_some("", buffer);
        expect(pvm_getsbuf() == buffer, "is not the one that is sent");
    }
    say_code("-1", pvm_initsend(-1));
    say_code("99", pvm_initsend(99));
}

/* Another initsend throws away what was packed. */
static void initsend_again(void)
{
    int a = 1, b = 2, got = 0, first, second;

    first = pvm_initsend(PvmDataDefault);
    pvm_pkint(&a, 1, 1);
    second = pvm_initsend(PvmDataDefault);
    if (first != second) expect(pvm_bufinfo(first, NULL, NULL, NULL) == PvmNoSuchBuf, "is still there");
    pvm_pkint(&b, 1, 1);
    pass();
    pvm_upkint(&got, 1, 1);
    say("%d", got);
    say_code("more", pvm_upkint(&got, 1, 1));
}

static void mkbuf(void)
{
    int first = pvm_mkbuf(PvmDataDefault), second = pvm_mkbuf(PvmDataRaw), third = pvm_mkbuf(PvmDataInPlace);

    say_some("", first);
    say_some("", second);
    say_some("", third);
    say("%s", first != second && second != third && first != third ? "differ" : "the same");
    say_code("free", pvm_freebuf(second));
    say_code("again", pvm_freebuf(second));
    say_code("free", pvm_freebuf(first));
    say_code("free", pvm_freebuf(third));
    say_code("-1", pvm_mkbuf(-1));
    say_code("99", pvm_mkbuf(99));
}

static void freebuf_errors(void)
{
    say_code("0", pvm_freebuf(0));
    say_code("-1", pvm_freebuf(-1));
    say_code("unknown", pvm_freebuf(4711));
}

static void freebuf_current(void)
{
    pvm_initsend(PvmDataDefault);
    pass();
    say_code("sent", pvm_freebuf(pvm_getsbuf()));
    say_code("now", pvm_getsbuf());
    say_code("received", pvm_freebuf(pvm_getrbuf()));
    say_code("now", pvm_getrbuf());
}

static void setsbuf(void)
{
    int first = pvm_initsend(PvmDataDefault), second = pvm_mkbuf(PvmDataDefault);

    say("%s", pvm_setsbuf(second) == first ? "first" : "another");
    say("%s", pvm_getsbuf() == second ? "second" : "another");
    say("%s", pvm_setsbuf(0) == second ? "second" : "another");
    say_code("none", pvm_getsbuf());
    say_code("none", pvm_setsbuf(first));
    say_code("unknown", pvm_setsbuf(4711));
    say_code("-1", pvm_setsbuf(-1));
    say("%s", pvm_getsbuf() == first ? "first" : "another");
    pvm_freebuf(second);
}

static void setrbuf(void)
{
    int first, second, a = 0;

    for (int i = 1; i <= 2; ++i) send_int(pvm_mytid(), i, 10 * i);
    first = pvm_recv(-1, 1);
    say("%s", pvm_setrbuf(0) == first ? "first" : "another");
    say_code("none", pvm_getrbuf());
    second = pvm_recv(-1, 2);
    say("%s", pvm_setrbuf(first) == second ? "second" : "another");
    pvm_upkint(&a, 1, 1);
    say("%d", a);
    pvm_setrbuf(second);
    pvm_upkint(&a, 1, 1);
    say("%d", a);
    say_code("unknown", pvm_setrbuf(4711));
    say_code("-1", pvm_setrbuf(-1));
    say("%s", pvm_getrbuf() == second ? "second" : "another");
    say_code("free", pvm_freebuf(first));
    say_code("free", pvm_freebuf(second));
}

/* Does unpacking go on where it was, or begin again? */
static void setrbuf_position(void)
{
    int a[4] = { 1, 2, 3, 4 }, got = 0, buffer, other;

    pvm_initsend(PvmDataDefault);
    pvm_pkint(a, 4, 1);
    buffer = pass();
    pvm_upkint(&got, 1, 1);
    pvm_upkint(&got, 1, 1);
    say("%d", got);
    pvm_setrbuf(0);
    other = pass();
    pvm_setrbuf(buffer);
    say_code("", pvm_upkint(&got, 1, 1));
    say("%d", got);
    say_code("to itself", pvm_setrbuf(buffer) > 0);
    say_code("", pvm_upkint(&got, 1, 1));
    say("%d", got);
    pvm_freebuf(other);
}

/* The next receive frees what was received before. */
static void receive_frees(void)
{
    int first, second;

    for (int i = 1; i <= 3; ++i) send_int(pvm_mytid(), i, i);
    first = pvm_recv(-1, 1);
    second = pvm_recv(-1, 2);
    if (first != second) expect(pvm_bufinfo(first, NULL, NULL, NULL) == PvmNoSuchBuf, "is still there");
    pvm_setrbuf(0);
    pvm_recv(-1, 3);
    say_code("kept", pvm_bufinfo(second, NULL, NULL, NULL));
    say_code("free", pvm_freebuf(second));
}

/* What was kept is not changed by what comes later. */
static void kept(void)
{
    enum { MANY = 10 };
    int buffers[MANY], wrong = 0;

    for (int i = 0; i < MANY; ++i) {
        send_int(pvm_mytid(), 1, i);
        pvm_setrbuf(0);
        buffers[i] = pvm_recv(-1, 1);
    }
    for (int i = MANY - 1; i >= 0; --i) {
        int a = -1;
        pvm_setrbuf(buffers[i]);
        pvm_upkint(&a, 1, 1);
        wrong += a != i;
    }
    for (int i = 0; i < MANY; ++i) wrong += pvm_freebuf(buffers[i]) != PvmOk;
    say("%d wrong", wrong);
}

/* Two that are packed in turn, and sent. */
static void sent_in_turn(void)
{
    int first = pvm_mkbuf(PvmDataDefault), second = pvm_mkbuf(PvmDataRaw), before = pvm_getsbuf(), got[4];

    for (int i = 0; i < 4; ++i) {
        pvm_setsbuf(i % 2 ? second : first);
        pvm_pkint(&i, 1, 1);
    }
    pvm_setsbuf(first);
    pvm_send(pvm_mytid(), 1);
    pvm_setsbuf(second);
    pvm_send(pvm_mytid(), 2);
    pvm_recv(-1, 2);
    pvm_upkint(got, 2, 1);
    pvm_recv(-1, 1);
    pvm_upkint(got + 2, 2, 1);
    say_ints("", got, 4);
    pvm_setsbuf(before);
    pvm_freebuf(first);
    pvm_freebuf(second);
}

/* What was sent may be added to, and sent again. */
static void sent_again(void)
{
    int a = 1, b = 2, got[2] = { 0, 0 };

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&a, 1, 1);
    pvm_send(pvm_mytid(), 1);
    say_code("pkint", pvm_pkint(&b, 1, 1));
    pvm_send(pvm_mytid(), 1);
    pvm_recv(-1, 1);
    say_code("", pvm_upkint(got, 2, 1));
    pvm_recv(-1, 1);
    say_code("", pvm_upkint(got, 2, 1));
    say_ints("", got, 2);
}

/* What was received is sent on as it is. */
static void sent_on(void)
{
    int a[2] = { 5, 6 }, got[2] = { 0, 0 }, mine;

    pvm_initsend(PvmDataDefault);
    pvm_pkint(a, 2, 1);
    pass();
    pvm_upkint(got, 1, 1);
    mine = pvm_setsbuf(pvm_getrbuf());
    pvm_setrbuf(0);
    say_code("send", pvm_send(pvm_mytid(), 3));
    say_message(pvm_recv(-1, -1));
    say_code("", pvm_upkint(got, 2, 1));
    say_ints("", got, 2);
    pvm_freebuf(pvm_setsbuf(mine));
}

/* What was packed is unpacked where it is. */
static void unpacked_unsent(void)
{
    int a[2] = { 5, 6 }, got[2] = { 0, 0 };

    pvm_initsend(PvmDataDefault);
    pvm_pkint(a, 2, 1);
    pvm_setrbuf(pvm_getsbuf());
    say_code("", pvm_upkint(got, 2, 1));
    say_ints("", got, 2);
    pvm_setrbuf(0);
}

static void bufinfo(void)
{
    int a[3] = { 1, 2, 3 }, bytes = -1, tag = -1, tid = -1;

    pvm_initsend(PvmDataRaw);
    pvm_pkint(a, 3, 1);
    say_code("packed", pvm_bufinfo(pvm_getsbuf(), &bytes, NULL, NULL));
    say("%d bytes", bytes);
    say_code("received", pvm_bufinfo(pass(), &bytes, &tag, &tid));
    say("%d bytes tag %d", bytes, tag);
    say_tid("from", tid);
    pvm_upkint(a, 2, 1);
    pvm_bufinfo(pvm_getrbuf(), &bytes, NULL, NULL);
    say("%d bytes", bytes);
}

static void bufinfo_types(void)
{
    char c = 0;
    short s = 0;
    int i = 0, bytes;
    long l = 0;
    float f = 0;
    double d[2] = { 0, 0 };

    for (int n = 0; n < 10; ++n) {
        pvm_initsend(PvmDataRaw);
        switch (n) {
        case 0: pvm_pkbyte(&c, 1, 1); break;
        case 1: pvm_pkshort(&s, 1, 1); break;
        case 2: pvm_pkint(&i, 1, 1); break;
        case 3: pvm_pklong(&l, 1, 1); break;
        case 4: pvm_pkfloat(&f, 1, 1); break;
        case 5: pvm_pkdouble(d, 1, 1); break;
        case 6: pvm_pkdcplx(d, 1, 1); break;
        case 7: pvm_pkstr("abc"); break;
        case 8: pvm_pkstr(""); break;
        default: break;
        }
        pvm_bufinfo(pass(), &bytes, NULL, NULL);
        say("%d", bytes);
    }
}

static void bufinfo_errors(void)
{
    int bytes;

    say_code("0", pvm_bufinfo(0, &bytes, NULL, NULL));
    say_code("-1", pvm_bufinfo(-1, &bytes, NULL, NULL));
    say_code("unknown", pvm_bufinfo(4711, &bytes, NULL, NULL));
}

static void getminfo(void)
{
    struct pvmminfo info;
    int a[2] = { 1, 2 };

    pvm_initsend(PvmDataRaw);
    pvm_pkint(a, 2, 1);
    say_code("getminfo", pvm_getminfo(pass(), &info));
    say("%d bytes tag %d context %d", info.len, info.tag, info.ctx);
    say_tid("from", info.src);
    say_tid("to", info.dst);
    info.tag = 99;
    say_code("setminfo", pvm_setminfo(pvm_getrbuf(), &info));
    say_message(pvm_getrbuf());
    say_code("unknown", pvm_getminfo(4711, &info));
    say_code("unknown", pvm_setminfo(4711, &info));
}

/* -- messages in messages ------------------------------------------------------------------------------------------------------- */

static void pkmesg(void)
{
    int a[2] = { 8, 9 }, b = 10, got[2] = { 0, 0 }, inner, outer;

    send_int(pvm_mytid(), 5, 7);
    inner = pvm_recv(-1, 5);
    pvm_setrbuf(0);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(a, 2, 1);
    say_code("pkmesg", pvm_pkmesg(inner));
    pvm_pkint(&b, 1, 1);
    outer = pass();
    pvm_freebuf(inner);
    pvm_upkint(got, 2, 1);
    say_ints("", got, 2);
    inner = pvm_upkmesg();
    say_some("upkmesg", inner);
    say("%s", pvm_getrbuf() == outer ? "outer" : "another");
    say_message(inner);
    say_code("", pvm_upkint(got, 1, 1));
    say_ints("", got, 1);
    pvm_setrbuf(inner);
    say_code("", pvm_upkint(got, 1, 1));
    say_ints("", got, 1);
    say_code("more", pvm_upkint(got, 1, 1));
    pvm_freebuf(outer);
}

static void pkmesgbody(void)
{
    int a = 1, b[2] = { 2, 3 }, got[3] = { 0 }, body;

    body = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(body);
    pvm_pkint(b, 2, 1);
    pvm_setsbuf(0);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&a, 1, 1);
    say_code("pkmesgbody", pvm_pkmesgbody(body));
    pass();
    say_code("", pvm_upkint(got, 1, 1));
    say_code("", pvm_upkint(got + 1, 2, 1));
    say_code("more", pvm_upkint(got, 1, 1));
    say_ints("", got, 3);
    say_code("free", pvm_freebuf(body));
}

static void pkmesg_errors(void)
{
    pvm_initsend(PvmDataDefault);
    say_code("0", pvm_pkmesg(0));
    say_code("unknown", pvm_pkmesg(4711));
    say_code("itself", pvm_pkmesg(pvm_getsbuf()));
    say_code("body 0", pvm_pkmesgbody(0));
    say_code("body unknown", pvm_pkmesgbody(4711));
    say_code("body itself", pvm_pkmesgbody(pvm_getsbuf()));
    pass();
    say_code("nothing", pvm_upkmesg());
}

/* -- formats ---------------------------------------------------------------------------------------------------------------------- */

static void packf_values(void)
{
    int d = 0;
    short h = 0;
    long l = 0;
    float f = 0;
    double g = 0;
    char c = 0, s[16] = "";

    say_some("packf", pvm_packf("%+ %d %hd %ld %f %lf %c %s", PvmDataDefault, 1, 2, 3L, 4.5, 5.25, 'x', "text"));
    pass();
    say_code("unpackf", pvm_unpackf("%d %hd %ld %f %lf %c %s", &d, &h, &l, &f, &g, &c, s));
    say("%d %d %ld %g %g %c %s", d, h, l, (double)f, g, c, s);
}

static void packf_unsigned(void)
{
    unsigned d = 0;
    unsigned short h = 0;
    unsigned long l = 0;

    say_some("packf", pvm_packf("%+ %ud %uhd %uld", PvmDataRaw, 4000000000U, 60000, 4000000000UL));
    pass();
    say_code("unpackf", pvm_unpackf("%ud %uhd %uld", &d, &h, &l));
    say("%u %d %lu", d, h, l);
}

static void packf_counts(void)
{
    int a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 0 };
    double x[3] = { 0.5, 1.5, 2.5 }, y[3] = { 0 };

    say_some("packf", pvm_packf("%+ %3d %*d %3lf", PvmDataDefault, a, 3, a + 3, x));
    pass();
    say_code("unpackf", pvm_unpackf("%*d %4d %*lf", 2, b, b + 2, 3, y));
    say_ints("", b, 6);
    say("%g %g %g", y[0], y[1], y[2]);
}

static void packf_strides(void)
{
    int a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 0 };

    say_some("packf", pvm_packf("%+ %3.2d %*.*d", PvmDataDefault, a, 2, 3, a + 1));
    pass();
    say_code("unpackf", pvm_unpackf("%2.3d %*.*d", b, 3, 1, b + 1));
    say_ints("", b, 6);
}

static void packf_complex(void)
{
    float a[2] = { 1, 2 }, b[2] = { 0 };
    double x[2] = { 3, 4 }, y[2] = { 0 };

    say_some("packf", pvm_packf("%+ %x %lx", PvmDataDefault, a, x));
    pass();
    say_code("unpackf", pvm_unpackf("%x %lx", b, y));
    say("%g %g %g %g", (double)b[0], (double)b[1], y[0], y[1]);
}

static void packf_bytes(void)
{
    char a[4] = "abc", b[4] = "";

    say_some("packf", pvm_packf("%+ %4c", PvmDataDefault, a));
    pass();
    say_code("unpackf", pvm_unpackf("%4c", b));
    say("%s", b);
}

/* What packf has packed is unpacked by the other calls, and the other way round. */
static void packf_mixed(void)
{
    int a = 0, b = 3;
    double x = 0;
    char s[8] = "";

    pvm_packf("%+ %d", PvmDataDefault, 1);
    pvm_packf("%lf%s", 2.5, "end");
    pvm_pkint(&b, 1, 1);
    pass();
    pvm_upkint(&a, 1, 1);
    pvm_upkdouble(&x, 1, 1);
    pvm_upkstr(s);
    say_code("unpackf", pvm_unpackf("%d", &b));
    say("%d %g %s %d", a, x, s, b);
    say_code("more", pvm_unpackf("%d", &b));
}

static void packf_errors(void)
{
    int a;

    pvm_initsend(PvmDataDefault);
    say_code("unknown", pvm_packf("%q", 1));
    pass();
    say_code("unknown", pvm_unpackf("%q", &a));
    say_code("encoding", pvm_packf("%+", 99));
}

const pvm_case pvm_conform_buffers[] = {
    CASE(type_byte, 0),
    CASE(type_short, 0),
    CASE(type_int, 0),
    CASE(type_long, 0),
    CASE(type_ushort, 0),
    CASE(type_uint, 0),
    CASE(type_ulong, 0),
    CASE(type_float, 0),
    CASE(type_double, 0),
    CASE(type_cplx, 0),
    CASE(type_dcplx, 0),
    CASE(in_place_refused, 0),
    CASE(extremes_of_integers, 0),
    CASE(extremes_of_floats, 0),
    CASE(types_mixed, 0),
    CASE(strings, 0),
    CASE(string_long, 0),
    CASE(pieces, 0),
    CASE(strides_differ, 0),
    CASE(strides_backwards, 0),
    CASE(counts_zero, 0),
    CASE(pack_errors, 0),
    CASE(pack_without_buffer, 0),
    CASE(past_the_end, 0),
    CASE(more_than_there_is, 0),
    CASE(in_place_changed, 0),
    CASE(raw_changed, 0),
    CASE(large, 0),
    CASE(initsend, 0),
    CASE(initsend_again, 0),
    CASE(mkbuf, 0),
    CASE(freebuf_errors, 0),
    CASE(freebuf_current, 0),
    CASE(setsbuf, 0),
    CASE(setrbuf, 0),
    CASE(setrbuf_position, 0),
    CASE(receive_frees, 0),
    CASE(kept, 0),
    CASE(sent_in_turn, 0),
    CASE(sent_again, 0),
    CASE(sent_on, 0),
    CASE(unpacked_unsent, 0),
    CASE(bufinfo, 0),
    CASE(bufinfo_types, 0),
    CASE(bufinfo_errors, 0),
    CASE(getminfo, 0),
    CASE(pkmesg, 0),
    CASE(pkmesgbody, 0),
    CASE(pkmesg_errors, 0),
    CASE(packf_values, 0),
    CASE(packf_unsigned, 0),
    CASE(packf_counts, 0),
    CASE(packf_strides, 0),
    CASE(packf_complex, 0),
    CASE(packf_bytes, 0),
    CASE(packf_mixed, 0),
    CASE(packf_errors, 0),
    NO_MORE_CASES,
};
