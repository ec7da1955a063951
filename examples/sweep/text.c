/* text.c - texts that grow, and numbers in them: fast, exact, with a decimal point in every locale */
#include "core.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_text_add(sweep_text *t, const char *text, size_t length)
{
    if (t->failed) return;
    if (t->length + length + 1 > t->capacity) {
        const size_t capacity = 2 * (t->length + length) + 256;
        char *larger = (char *)realloc(t->text, capacity);
        if (!larger) {
            t->failed = true;
            return;
        }
        t->text = larger;
        t->capacity = capacity;
    }
    if (length > 0) memcpy(t->text + t->length, text, length);
    t->length += length;
    t->text[t->length] = 0;
}

void sweep_text_free(sweep_text *t)
{
    free(t->text);
    memset(t, 0, sizeof *t);
}

int sweep_text_read(sweep_text *t, const char *path)
{
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    if (!file) return errno;
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) sweep_text_add(t, chunk, got);
    const int error = ferror(file) ? EIO : 0;
    fclose(file);
    return error;
}

/* Powers of ten that are exact. */
static const double tens[23] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* value = digits * 10^exponent with at most `wanted` digits, 12 or 15, as near as they can be; false if the powers of ten
 * that it takes are not exact. Positive values only. */
static bool split(double value, int wanted, uint64_t *digits, int *exponent)
{
    int binary;
    frexp(value, &binary);
    int power = (int)floor((binary - 1) * 0.30102999566398120); /* of the first digit, or one less */
    power = wanted - 1 - power;
    if (power < -21 || power > 23) return false;
    double scaled = power > 22 ? tens[wanted] : power < 0 ? value / tens[-power] : value * tens[power];
    if (scaled >= tens[wanted]) { /* one less it was */
        --power;
        scaled = power < 0 ? value / tens[-power] : value * tens[power];
    }
    *digits = (uint64_t)floor(scaled + 0.5);
    *exponent = -power;
    return true;
}

static double join(uint64_t digits, int exponent)
{
    return exponent < 0 ? (double)digits / tens[-exponent] : (double)digits * tens[exponent];
}

double sweep_round(double value)
{
    uint64_t digits;
    int exponent;
    if (!(fabs(value) > 0 && fabs(value) < (double)INFINITY) || !split(fabs(value), 12, &digits, &exponent))
        return value;
    return copysign(join(digits, exponent), value);
}

/* Digits and a power of ten, as a person would write them. */
static void write_digits(sweep_text *t, bool negative, uint64_t digits, int exponent)
{
    char text[48], reversed[24];
    int count = 0, length = 0;
    while (digits > 0 && digits % 10 == 0) digits /= 10, ++exponent;
    do reversed[count++] = (char)('0' + digits % 10);
    while ((digits /= 10) > 0);
    const int first = count - 1 + exponent; /* power of the first digit */
    if (negative) text[length++] = '-';
    if (first >= -5 && first < 0) {
        text[length++] = '0';
        text[length++] = '.';
        for (int i = -1; i > first; --i) text[length++] = '0';
    }
    const bool plain = first >= -5 && first < 15;
    for (int i = 0; i < count; ++i) {
        text[length++] = reversed[count - 1 - i];
        if (i == (plain ? first : 0) && i + 1 < count) text[length++] = '.';
    }
    for (int i = count; plain && i <= first; ++i) text[length++] = '0';
    if (!plain) length += snprintf(text + length, 8, "e%d", first);
    sweep_text_add(t, text, (size_t)length);
}

void sweep_text_number(sweep_text *t, double value)
{
    const double size = fabs(value);
    uint64_t digits;
    int exponent;
    if (size <= 0) {
        sweep_text_add(t, "0", 1);
        return;
    }
    for (int wanted = 12; wanted <= 15 && size < (double)INFINITY; wanted += 3)
        if (split(size, wanted, &digits, &exponent) && join(digits, exponent) == size) {
            write_digits(t, value < 0, digits, exponent);
            return;
        }
    char text[40];
    int precision = split(size, 15, &digits, &exponent) ? 17 : 15; /* 15 were tried, unless it is very large or small */
    do snprintf(text, sizeof text, "%.*g", precision, value);
    while (strtod(text, NULL) != value && ++precision <= 17);
    size_t length = 0;
    for (const char *c = text; *c; ++c) { /* what a locale has for the decimal point becomes one */
        const bool usual = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (usual)
            text[length++] = *c;
        else if (length > 0 && text[length - 1] != '.')
            text[length++] = '.';
    }
    sweep_text_add(t, text, length);
}

const char *sweep_number_read(const char *from, const char *end, double *value)
{
    const char *c = from;
    const bool negative = c < end && *c == '-';
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    bool any = false, point = false;
    for (c += negative; c < end; ++c) {
        if (*c == '.' && !point) {
            point = true;
        } else if (*c >= '0' && *c <= '9') {
            any = true;
            if (digits > 0 || *c > '0') ++count;
            if (count <= 18) digits = 10 * digits + (uint64_t)(*c - '0');
            exponent -= point;
        } else {
            break;
        }
    }
    if (!any) return NULL;
    if (c < end && *c == 'e') {
        const bool minus = c + 1 < end && c[1] == '-';
        int power = 0;
        c += 1 + (minus || (c + 1 < end && c[1] == '+'));
        if (c == end || *c < '0' || *c > '9') return NULL;
        for (; c < end && *c >= '0' && *c <= '9'; ++c)
            if (power < 10000) power = 10 * power + (*c - '0');
        exponent += minus ? -power : power;
    }
    while (digits > 0 && exponent < 0 && digits % 10 == 0 && count <= 18) digits /= 10, ++exponent, --count;
    if (count <= 15 && exponent >= -22 &&
        exponent <= 22) { /* both are exact, so one rounding gives the nearest double */
        *value = join(digits, exponent);
        if (negative) *value = -*value;
        return c;
    }
    char text[400];
    const char *mark = localeconv()->decimal_point; /* strtod() follows the locale */
    size_t length = 0;
    if ((size_t)(c - from) + strlen(mark) >= sizeof text) return NULL;
    for (; from < c; ++from) {
        if (*from != '.') text[length++] = *from;
        for (const char *m = mark; *from == '.' && *m; ++m) text[length++] = *m;
    }
    text[length] = 0;
    *value = strtod(text, NULL);
    return c;
}

uint64_t sweep_hash(uint64_t before, const char *text, size_t length)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t hash = before ^ UINT64_C(0xcbf29ce484222325);
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word = 0;
        for (int i = 0; i < 8; ++i) word |= (uint64_t)(unsigned char)text[i] << (8 * i); /* the same on all machines */
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32;
    }
    for (; length > 0; ++text, --length) hash = (hash ^ (unsigned char)*text) * prime;
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ (hash >> 32);
}
