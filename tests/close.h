/* What all tests share: cmocka, floating-point checks which no NaN ever passes, and numbers to try. */
#ifndef CLOSE_H
#define CLOSE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For a call whose result, of any of the headers, is that all went well; and for one whose result does not matter here. */
#define succeeds(call) assert_int_equal((call), 0)
static inline void whatever(int result)
{
    (void)result;
}

/* How many random cases a test takes: fewer where a sanitizer makes each of them slow. */
#ifdef TESTS_SLOW
#define CASES(count) ((count) / 10)
#else
#define CASES(count) (count)
#endif

/* |actual - expected| <= rel * |expected|; so with rel 0, or expected 0 or infinite, they must be equal. */
#define assert_close(actual, expected, rel) close_check((actual), (expected), (rel), #actual, __FILE__, __LINE__)
#define assert_equal(actual, expected) assert_close(actual, expected, 0)
#define assert_nan(actual) close_check_nan((actual), #actual, __FILE__, __LINE__)

static inline void close_check(double actual, double expected, double rel, const char *text, const char *file, int line)
{
    if (actual == expected || fabs(actual - expected) <= rel * fabs(expected)) return;
    print_error("%s\n  is       %.17g\n  not      %.17g\n  relative error %.3g, allowed %.3g\n", text, actual, expected,
                fabs(actual - expected) / fabs(expected), rel);
    _fail(file, line);
}

static inline void close_check_nan(double actual, const char *text, const char *file, int line)
{
    if (isnan(actual)) return;
    print_error("%s\n  is       %.17g\n  not      NaN\n", text, actual);
    _fail(file, line);
}

/* The bits of a double, for a hash of results. */
static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The next of a repeatable sequence (splitmix64), and a double made of it in low..high. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double random_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(random_next(state) >> 11) * 0x1p-53);
}

/* Normal, mean 0 and deviation 1, by the polar method. */
static inline double random_normal(uint64_t *state)
{
    for (;;) {
        const double x = random_between(state, -1, 1), y = random_between(state, -1, 1), s = x * x + y * y;
        if (s > 0 && s < 1) return x * sqrt(-2 * log(s) / s);
    }
}

#endif
