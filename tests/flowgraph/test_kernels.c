/* The kernels of the LU factorization in examples/flowgraph: each against the obvious loops, and what is measured. */
#include "kernels.c" /* first: it asks for clock_gettime() by itself */

#include "../close.h"
#include "../scratch.h"

#include <float.h>

static uint64_t seed = 1;

/* A block with its leading dimension. What stands around it, and under its columns, nobody may touch: it is NaN, so
 * that a number which came from there shows, or 1000, so that one which went there does. */
typedef struct block {
    size_t rows, columns, ld;
    double around, *all, *a;
} block;

static size_t block_size(const block *b)
{
    return b->ld * (b->columns + 2);
}

static block make(size_t rows, size_t columns)
{
    block b = { rows, columns, rows + random_next(&seed) % 5, random_next(&seed) % 2 ? NAN : 1000, NULL, NULL };

    b.all = (double *)malloc(block_size(&b) * sizeof *b.all);
    assert_non_null(b.all);
    b.a = b.all + b.ld;
    for (size_t i = 0; i < block_size(&b); ++i) b.all[i] = b.around;
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < rows; ++i) b.a[i + j * b.ld] = random_between(&seed, -1, 1);
    return b;
}

static block copy(const block *b)
{
    block c = make(b->rows, b->columns);

    for (size_t j = 0; j < b->columns; ++j) memcpy(c.a + j * c.ld, b->a + j * b->ld, b->rows * sizeof *c.a);
    return c;
}

static void release(block *b)
{
    for (size_t i = 0; i < block_size(b); ++i) {
        const size_t row = i % b->ld, column = i / b->ld;
        if (row < b->rows && column >= 1 && column <= b->columns) continue;
        assert_true(isnan(b->around) ? isnan(b->all[i]) : b->all[i] == b->around);
    }
    free(b->all);
}

static double *at(const block *b, size_t i, size_t j)
{
    return b->a + i + j * b->ld;
}

static void same(const block *a, const block *b)
{
    for (size_t j = 0; j < a->columns; ++j) assert_memory_equal(at(a, 0, j), at(b, 0, j), a->rows * sizeof(double));
}

/* A sum of so many products, whose absolute values add up to size, in any order of addition. NaN never passes. */
#define assert_sum(actual, expected, terms, size)                                                                      \
    assert_true(fabs((actual) - (expected)) <= 4 * (double)((terms) + 1) * DBL_EPSILON * (size))

/* Where the loops change: by 2 and 4, a column's 8, a panel's 16, a triangle's 24, a strip's 32, its depth of 96. */
static const size_t sizes[] = { 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 63, 65, 95, 96, 97, 131 };

enum { SIZES = sizeof sizes / sizeof *sizes, AGAIN = 4 /* other margins */ };

/*=============================================================================
 * MARK: - >>kernels
 *===========================================================================*/
static void products(void **state)
{
    (void)state;

    for (size_t s = 0; s < SIZES * AGAIN; ++s) {
        const size_t r = sizes[s / AGAIN];
        block a = make(r, r), b = make(r, r), c = make(r, r), a0 = copy(&a), b0 = copy(&b);

        if (s % 2) *at(&c, r / 2, r - 1) = NAN; /* what was in C does not count */
        kernels_multiply(r, r, r, a.a, a.ld, b.a, b.ld, c.a, c.ld);
        for (size_t i = 0; i < r; ++i)
            for (size_t j = 0; j < r; ++j) {
                double sum = 0, size = 0;
                for (size_t k = 0; k < r; ++k) {
                    sum += *at(&a, i, k) * *at(&b, k, j);
                    size += fabs(*at(&a, i, k) * *at(&b, k, j));
                }
                assert_sum(*at(&c, i, j), sum, r, size);
            }
        same(&a, &a0);
        same(&b, &b0);
        release(&a), release(&b), release(&c), release(&a0), release(&b0);
    }
}

static void differences(void **state)
{
    (void)state;

    for (size_t s = 0; s < SIZES * AGAIN; ++s) {
        const size_t r = sizes[s / AGAIN];
        block p = make(r, r), c = make(r, r), p0 = copy(&p), c0 = copy(&c);

        kernels_subtract(r, p.a, p.ld, c.a, c.ld);
        for (size_t i = 0; i < r; ++i)
            for (size_t j = 0; j < r; ++j) assert_equal(*at(&c, i, j), *at(&c0, i, j) - *at(&p, i, j));
        same(&p, &p0);
        release(&p), release(&c), release(&p0), release(&c0);
    }
}

/* L T is A again. What stands on the diagonal of L and above it does not count. */
static void triangular_systems(void **state)
{
    (void)state;

    for (size_t s = 0; s < SIZES * AGAIN; ++s) {
        const size_t r = sizes[s / AGAIN];
        block l = make(r, r), a = make(r, r), t = copy(&a), l0;

        for (size_t j = 0; j < r; ++j)
            for (size_t i = 0; i <= j; ++i) *at(&l, i, j) = s % 2 ? NAN : 1e300;
        l0 = copy(&l);
        kernels_solve(r, l.a, l.ld, t.a, t.ld);
        for (size_t i = 0; i < r; ++i)
            for (size_t j = 0; j < r; ++j) {
                double sum = *at(&t, i, j), size = fabs(sum);
                for (size_t k = 0; k < i; ++k) {
                    sum += *at(&l, i, k) * *at(&t, k, j);
                    size += fabs(*at(&l, i, k) * *at(&t, k, j));
                }
                assert_sum(sum, *at(&a, i, j), r, size);
            }
        same(&l, &l0);
        release(&l), release(&a), release(&t), release(&l0);
    }
}

/* Rows of a change places as the pivots say, the obvious way. */
static void exchange(block *a, size_t count, const int *pivots)
{
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < a->columns; ++j) {
            const size_t p = (size_t)pivots[i] - 1;
            const double keep = *at(a, i, j);
            *at(a, i, j) = *at(a, p, j);
            *at(a, p, j) = keep;
        }
}

static void exchanges(void **state)
{
    (void)state;

    for (size_t s = 0; s < SIZES * AGAIN; ++s) {
        const size_t r = sizes[s / AGAIN], m = s % 2 ? r : 2 * r + 1;
        block a = make(m, r), expected = copy(&a);
        int pivots[131];

        for (size_t i = 0; i < r; ++i) pivots[i] = (int)(i + random_next(&seed) % (m - i)) + 1;
        exchange(&expected, r, pivots);
        kernels_exchange(r, a.a, a.ld, pivots);
        same(&a, &expected);
        release(&a), release(&expected);
    }
}

/* P A = L U, element by element as near as rounding allows; and no element of L is above 1. */
static void assert_factored(const block *a, const block *lu, const int *pivots)
{
    block p = copy(a);

    exchange(&p, a->columns, pivots);
    for (size_t j = 0; j < a->columns; ++j)
        for (size_t i = 0; i < a->rows; ++i) {
            double sum = i <= j ? *at(lu, i, j) : 0, size = fabs(sum);
            for (size_t k = 0; k < i && k <= j; ++k) {
                sum += *at(lu, i, k) * *at(lu, k, j);
                size += fabs(*at(lu, i, k) * *at(lu, k, j));
            }
            assert_sum(sum, *at(&p, i, j), a->columns, size);
            if (i > j) assert_true(fabs(*at(lu, i, j)) <= 1 + DBL_EPSILON);
        }
    release(&p);
}

static size_t factor(const block *a, block *lu)
{
    int pivots[132];
    size_t singular;

    *lu = copy(a);
    pivots[a->columns] = -7;
    singular = kernels_panel(a->rows, a->columns, lu->a, lu->ld, pivots);
    assert_int_equal(pivots[a->columns], -7);
    for (size_t j = 0; j < a->columns; ++j) assert_in_range(pivots[j], j + 1, a->rows);
    assert_factored(a, lu, pivots);
    return singular;
}

static void panels(void **state)
{
    (void)state;

    for (size_t s = 0; s < SIZES * AGAIN; ++s) {
        const size_t r = sizes[s / AGAIN], rows[AGAIN] = { r, r + 1, 2 * r + 3, 5 * r };
        block a = make(rows[s % AGAIN], r), lu;

        assert_int_equal(factor(&a, &lu), 0);
        release(&a), release(&lu);
    }
}

static void singular_panels_say_where(void **state)
{
    enum { R = 45 };
    (void)state;

    for (size_t j = 0; j < R; ++j)
        for (size_t m = R; m <= 2 * R; m += R) {
            block a = make(m, R), lu;

            for (size_t i = 0; i < m; ++i) *at(&a, i, j) = *at(&a, i, (j + R) / 2) = 0; /* the first of two */
            assert_int_equal(factor(&a, &lu), j + 1);
            release(&a), release(&lu);
        }
}

#ifndef KERNELS_BLAS
/* Their inverse would be infinite. */
static void tiny_pivots_divide(void **state)
{
    enum { R = 20 };
    block a = make(2 * R, R), lu;
    (void)state;

    for (size_t j = 0; j < R; ++j)
        for (size_t i = 0; i < 2 * R; ++i) *at(&a, i, j) = i == j ? 0x1p-1030 : i == j + R ? 0x1p-1031 : 0;
    assert_int_equal(factor(&a, &lu), 0);
    for (size_t j = 0; j < R; ++j) assert_equal(*at(&lu, j + R, j), 0.5);
    release(&a), release(&lu);
}
#endif

/* What the flow graph does, on one node: a whole matrix. */
static void blocks_make_a_factorization(void **state)
{
    static const size_t shapes[][2] = { { 120, 24 }, { 117, 39 }, { 99, 33 }, { 35, 35 }, { 12, 1 } };
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        const size_t n = shapes[s][0], r = shapes[s][1];
        block a = make(n, n), lu = copy(&a), product = make(r, r);
        int pivots[120];

        for (size_t k = 0; k < n; k += r) {
            assert_int_equal(kernels_panel(n - k, r, at(&lu, k, k), lu.ld, pivots + k), 0);
            for (size_t j = 0; j < n; j += r) {
                if (j != k) kernels_exchange(r, at(&lu, k, j), lu.ld, pivots + k);
                if (j <= k) continue;
                kernels_solve(r, at(&lu, k, k), lu.ld, at(&lu, k, j), lu.ld);
                for (size_t i = k + r; i < n; i += r) {
                    kernels_multiply(r, r, r, at(&lu, i, k), lu.ld, at(&lu, k, j), lu.ld, product.a, product.ld);
                    kernels_subtract(r, product.a, product.ld, at(&lu, i, j), lu.ld);
                }
            }
        }
        for (size_t k = 0; k < n; ++k) pivots[k] += (int)(k / r * r); /* counted from the matrix's first row */
        assert_factored(&a, &lu, pivots);
        release(&a), release(&lu), release(&product);
    }
}

/*=============================================================================
 * MARK: - >>times
 *===========================================================================*/
static void a_time(double seconds)
{
    assert_true(seconds > 0 && seconds < 1e6);
}

static void every_kernel_gets_its_time(void **state)
{
    static const struct {
        size_t n, r, points, rows[3];
    } shapes[] = {
        { 200, 40, 3, { 40, 100, 200 } }, { 83, 41, 2, { 41, 83, 0 } }, { 60, 40, 2, { 40, 60, 0 } },
        { 40, 40, 1, { 40, 0, 0 } },      { 7, 2, 3, { 2, 3, 7 } },     { 1, 1, 1, { 1, 0, 0 } },
    };
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        kernels_times times;

        assert_int_equal(kernels_measure(shapes[s].n, shapes[s].r, 1, 0, &times), 0);
        assert_int_equal(times.n, shapes[s].n);
        assert_int_equal(times.r, shapes[s].r);
        assert_int_equal(times.runs, 1);
        assert_int_equal(times.points, shapes[s].points);
        assert_memory_equal(times.rows, shapes[s].rows, sizeof times.rows);
        a_time(times.multiply);
        a_time(times.subtract);
        a_time(times.solve);
        a_time(times.spent);
        for (size_t i = 0; i < times.points; ++i) {
            a_time(times.panel[i]);
            a_time(times.exchange[i]);
            assert_close(kernels_panel_time(&times, times.rows[i]), times.panel[i], 1e-15);
            assert_equal(kernels_exchange_time(&times, times.rows[i]), times.exchange[i]);
        }
        for (size_t i = times.points; i < 3; ++i) {
            assert_equal(times.panel[i], 0);
            assert_equal(times.exchange[i], 0);
        }
    }
}

static void a_budget_buys_rounds(void **state)
{
    kernels_times times;
    (void)state;

    assert_int_equal(kernels_measure(8, 2, 1, INFINITY, &times), 0);
    assert_int_equal(times.runs, 99);
    assert_int_equal(kernels_measure(8, 2, 1, -1, &times), 0);
    assert_int_equal(times.runs, 1);
    assert_int_equal(kernels_measure(8, 2, 1, NAN, &times), 0);
    assert_int_equal(times.runs, 1);
#ifndef TESTS_SLOW
    assert_int_equal(kernels_measure(288, 48, 1, 0.2, &times), 0); /* a round takes a twentieth of that */
    assert_true(times.runs > 1);
    assert_true(times.spent < 5);
    assert_true(times.subtract < times.multiply);
    assert_true(times.panel[0] < times.panel[1] && times.panel[1] < times.panel[2]);
#endif
}

static double panel_flop(double m)
{
    return 40 * 40 * (m - 40 / 3.);
}

static void measurements_are_compared(void **state)
{
    const kernels_times one = { .n = 30, .r = 10, .parts = 1, .multiply = 2, .subtract = 1, .solve = 4, .pack = 1, .points = 2,
                                .rows = { 10, 30 }, .panel = { 8, 16 } };
    kernels_times other = one;

    (void)state;
    assert_equal(kernels_difference(&one, &one), 0);
    other.subtract = 100; /* no large part of a factorization */
    assert_equal(kernels_difference(&one, &other), 0);
    other.multiply = 2.5;
    assert_close(kernels_difference(&one, &other), 0.25, 1e-15);
    assert_close(kernels_difference(&other, &one), 0.25, 1e-15);
    other.solve = 2;
    assert_close(kernels_difference(&one, &other), 1, 1e-15);
    other.panel[1] = 48;
    assert_close(kernels_difference(&one, &other), 2, 1e-15);
    other.panel[0] = 0;
    assert_nan(kernels_difference(&one, &other));
    other = one;
    other.multiply = (double)NAN;
    assert_nan(kernels_difference(&one, &other));
    other = one;
    other.solve = -1;
    assert_nan(kernels_difference(&one, &other));
    other = one;
    other.r = 15;
    assert_nan(kernels_difference(&one, &other));
    other = one;
    other.points = 1;
    assert_nan(kernels_difference(&one, &other));
}

static void times_between_rows(void **state)
{
    static const kernels_times none = { 0 },
                               one = { .r = 40, .points = 1, .rows = { 40 }, .panel = { 3 }, .exchange = { 5 } };
    kernels_times times = { .n = 200, .r = 40, .points = 3, .rows = { 40, 100, 200 }, .exchange = { 1, 4, 5 } };
    (void)state;

    times.panel[0] = panel_flop(40) / 1e9;
    times.panel[1] = panel_flop(100) / 3e9;
    times.panel[2] = panel_flop(200) / 2e9;
    assert_equal(kernels_exchange_time(&times, 40), 1);
    assert_close(kernels_exchange_time(&times, 60), 2, 1e-15);
    assert_close(kernels_exchange_time(&times, 175), 4.75, 1e-15);
    assert_equal(kernels_exchange_time(&times, 400), 5);
    assert_close(kernels_panel_time(&times, 70), panel_flop(70) / 2e9, 1e-14);
    assert_close(kernels_panel_time(&times, 125), panel_flop(125) / 2.75e9, 1e-14);
    assert_close(kernels_panel_time(&times, 400), panel_flop(400) / 2e9, 1e-14);
    assert_nan(kernels_panel_time(&times, 39));
    assert_nan(kernels_panel_time(&times, 0));
    assert_nan(kernels_exchange_time(&times, 39));

    assert_close(kernels_panel_time(&one, 80), 3 * panel_flop(80) / panel_flop(40), 1e-14);
    assert_equal(kernels_exchange_time(&one, 80), 5);
    assert_nan(kernels_panel_time(&none, 10));
    assert_nan(kernels_exchange_time(&none, 10));
}

static void refused(size_t n, size_t r, int expected)
{
    static const kernels_times zero = { 0 };
    kernels_times times;

    memset(&times, 1, sizeof times);
    assert_int_equal(kernels_measure(n, r, 1, 1, &times), expected);
    assert_memory_equal(&times, &zero, sizeof times);
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;

    refused(100, 0, 2);
    refused(0, 0, 2);
    refused(100, 101, 2);
    refused((size_t)INT_MAX + 1, 10, 2);
    refused(SIZE_MAX, SIZE_MAX, 2);
    refused(INT_MAX, INT_MAX, 1); /* its bytes cannot be counted */
#ifndef TESTS_SLOW                /* a sanitizer stops the program instead */
    refused(INT_MAX, 1 << 20, 1); /* they can, but nobody has them */
#endif
}

/* Blocks without gaps, as they are sent. */
static void blocks_are_packed(void **state)
{
    double a[7 * 5], b[3 * 4];

    (void)state;
    for (int i = 0; i < 35; ++i) a[i] = i;
    kernels_pack(3, 4, a + 2, 7, b);
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 3; ++i) assert_equal(b[i + 3 * j], 2 + i + 7 * j);
}

/* What was written is found again, to the last bit of its digits; what is not there is said. */
static void times_are_saved_and_found(void **state)
{
    const kernels_times some = { .n = 200,
                                 .r = 40,
                                 .multiply = 1.25e-3,
                                 .subtract = 2e-5,
                                 .solve = 3e-4,
                                 .pack = 1e-6,
                                 .parts = 2,
                                 .part = 4e-4,
                                 .points = 3,
                                 .rows = { 40, 100, 200 },
                                 .panel = { 1e-3, 2e-3, 3e-3 },
                                 .exchange = { 1e-5, 4e-5, 5e-5 } };
    kernels_times other = some, found;
    const char *path = scratch("test_kernels", "csv");
    FILE *file = fopen(path, "w");

    (void)state;
    assert_non_null(file);
    other.multiply = 9;
    kernels_save(file, NULL);
    kernels_save(file, &other);
    kernels_save(file, &some);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kernels_load(path, 200, 40, 2, &found), 0);
    assert_close(found.multiply, some.multiply, 1e-8); /* the last line counts */
    assert_close(found.subtract, some.subtract, 1e-8);
    assert_close(found.solve, some.solve, 1e-8);
    assert_close(found.pack, some.pack, 1e-8);
    assert_close(found.part, some.part, 1e-8);
    assert_int_equal(found.points, 3);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(found.rows[i], some.rows[i]);
        assert_close(found.panel[i], some.panel[i], 1e-8);
        assert_close(found.exchange[i], some.exchange[i], 1e-8);
    }
    assert_int_equal(kernels_load(path, 200, 40, 1, &found), 2);
    assert_int_equal(kernels_load(path, 200, 20, 2, &found), 2);
    assert_int_equal(kernels_load("build/no-such-file.csv", 200, 40, 2, &found), 1);
    static const char *const wrong[] = { "nan", "-1", "inf", "1e999", "x" }; /* times that are none */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_non_null(file = fopen(path, "w"));
        fprintf(file, "200,40,2,1,1,1,1,1,40,1,%s,100,1,1,200,1,1\n", wrong[i]);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(kernels_load(path, 200, 40, 2, &found), 2);
    }
    remove(path);
}

static void kernels_have_a_name(void **state)
{
    (void)state;

#ifdef KERNELS_BLAS
    assert_non_null(strstr(kernels_name(), "BLAS"));
#else
    assert_string_equal(kernels_name(), "own loops");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(differences),
        cmocka_unit_test(triangular_systems),
        cmocka_unit_test(exchanges),
        cmocka_unit_test(panels),
        cmocka_unit_test(singular_panels_say_where),
#ifndef KERNELS_BLAS
        cmocka_unit_test(tiny_pivots_divide),
#endif
        cmocka_unit_test(blocks_make_a_factorization),
        cmocka_unit_test(every_kernel_gets_its_time),
        cmocka_unit_test(a_budget_buys_rounds),
        cmocka_unit_test(measurements_are_compared),
        cmocka_unit_test(times_between_rows),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(blocks_are_packed),
        cmocka_unit_test(times_are_saved_and_found),
        cmocka_unit_test(kernels_have_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
