/* The kernels of the LU factorization in examples/flowgraph: each against the obvious loops, and what is measured. */
#define _POSIX_C_SOURCE 200809L
#include "close.h"

#include "kernels.c"

static uint64_t dice = 1;

/* A block with its leading dimension, and a margin of NaN around it that nobody may touch. */
typedef struct block {
    size_t rows, columns, ld;
    double *all, *a;
} block;

static block make(size_t rows, size_t columns)
{
    block b = { rows, columns, rows + (size_t)random_between(&dice, 0, 5), NULL, NULL };
    const size_t size = b.ld * (columns + 2);
    b.all = (double *)malloc(size * sizeof *b.all);
    for (size_t i = 0; i < size; i++) b.all[i] = NAN;
    b.a = b.all + b.ld;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) b.a[i + j * b.ld] = random_between(&dice, -1, 1);
    return b;
}

static void release(block *b)
{
    const size_t size = b->ld * (b->columns + 2);
    for (size_t i = 0; i < size; i++) {
        const size_t row = i % b->ld, column = i / b->ld;
        assert_true((column >= 1 && column <= b->columns && row < b->rows) == !isnan(b->all[i]));
    }
    free(b->all);
}

static block copy(const block *b)
{
    block c = make(b->rows, b->columns);
    for (size_t j = 0; j < b->columns; j++)
        for (size_t i = 0; i < b->rows; i++) c.a[i + j * c.ld] = b->a[i + j * b->ld];
    return c;
}

static double at(const block *b, size_t i, size_t j)
{
    return b->a[i + j * b->ld];
}

static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 24, 31, 33, 47, 96, 97, 130 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void products_and_differences(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const size_t r = sizes[s];
        block a = make(r, r), b = make(r, r), c = make(r, r), d = copy(&c);
        double worst = 0;
        kernels_multiply(r, a.a, a.ld, b.a, b.ld, c.a, c.ld);
        for (size_t i = 0; i < r; i++)
            for (size_t j = 0; j < r; j++) {
                double sum = 0;
                for (size_t k = 0; k < r; k++) sum += at(&a, i, k) * at(&b, k, j);
                worst = fmax(worst, fabs(sum - at(&c, i, j)));
            }
        assert_true(worst < 1e-13 * (double)r);
        {
            block before = copy(&d);
            kernels_subtract(r, c.a, c.ld, d.a, d.ld);
            for (size_t i = 0; i < r; i++)
                for (size_t j = 0; j < r; j++) assert_equal(at(&d, i, j), at(&before, i, j) - at(&c, i, j));
            release(&before);
        }
        release(&a), release(&b), release(&c), release(&d);
    }
}

/* L T = A again; what is on and above the diagonal of L does not count. */
static void triangular_systems(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const size_t r = sizes[s];
        block l = make(r, r), a = make(r, r), t = copy(&a);
        double worst = 0;
        for (size_t j = 0; j < r; j++)
            for (size_t i = 0; i < r; i++) l.a[i + j * l.ld] = i > j ? at(&l, i, j) / (double)r : 1e300;
        kernels_solve(r, l.a, l.ld, t.a, t.ld);
        for (size_t i = 0; i < r; i++)
            for (size_t j = 0; j < r; j++) {
                double sum = at(&t, i, j);
                for (size_t k = 0; k < i; k++) sum += at(&l, i, k) * at(&t, k, j);
                worst = fmax(worst, fabs(sum - at(&a, i, j)));
            }
        assert_true(worst < 1e-12);
        release(&l), release(&a), release(&t);
    }
}

/* P A - L U of an m x r panel, relative to what rounding allows. */
static double residual(const block *a, const block *lu, const int *pivots)
{
    block p = copy(a);
    double worst = 0;

    kernels_exchange(a->columns, p.a, p.ld, pivots);
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < a->columns; j++) {
            double sum = i <= j ? at(lu, i, j) : 0;
            for (size_t k = 0; k < i && k <= j && k < a->columns; k++) sum += at(lu, i, k) * at(lu, k, j);
            worst = fmax(worst, fabs(sum - at(&p, i, j)));
        }
    release(&p);
    return worst / (1e-15 * (double)a->rows);
}

static void panels(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++)
        for (size_t m = sizes[s]; m < 4 * sizes[s]; m = 2 * m + 1) {
            const size_t r = sizes[s];
            block a = make(m, r), lu = copy(&a);
            int *pivots = (int *)malloc(r * sizeof *pivots);
            assert_int_equal(kernels_panel(m, r, lu.a, lu.ld, pivots), 0);
            assert_true(residual(&a, &lu, pivots) < 20);
            for (size_t j = 0; j < r; j++) {
                assert_true(pivots[j] >= (int)j + 1 && pivots[j] <= (int)m);
                for (size_t i = j + 1; i < m; i++) assert_true(fabs(at(&lu, i, j)) <= 1); /* partial pivoting */
            }
            free(pivots);
            release(&a), release(&lu);
        }
}

static void singular_panels_say_where(void **state)
{
    enum { M = 40, R = 20 };
    int pivots[R];
    block a = make(M, R), lu;

    (void)state;
    for (size_t i = 0; i < M; i++) a.a[i + 6 * a.ld] = 0; /* column 7 */
    lu = copy(&a);
    assert_int_equal(kernels_panel(M, R, lu.a, lu.ld, pivots), 7);
    assert_true(residual(&a, &lu, pivots) < 20);
    release(&a), release(&lu);
}

/* What the graph does, on one node: a whole matrix from the kernels, and P A - L U of it. */
static void blocks_make_a_factorization(void **state)
{
    enum { N = 120, R = 24, K = N / R };
    block a = make(N, N), lu = copy(&a);
    int pivots[N];

    (void)state;
    for (size_t k = 0; k < K; k++) {
        double *panel = lu.a + k * R + k * R * lu.ld;
        assert_int_equal(kernels_panel(N - k * R, R, panel, lu.ld, pivots + k * R), 0);
        for (size_t j = 0; j < K; j++) {
            double *column = lu.a + k * R + j * R * lu.ld;
            if (j == k) continue;
            kernels_exchange(R, column, lu.ld, pivots + k * R);
            if (j < k) continue;
            kernels_solve(R, panel, lu.ld, column, lu.ld);
            for (size_t i = k + 1; i < K; i++) {
                double product[R * R];
                kernels_multiply(R, lu.a + i * R + k * R * lu.ld, lu.ld, column, lu.ld, product, R);
                kernels_subtract(R, product, R, lu.a + i * R + j * R * lu.ld, lu.ld);
            }
        }
    }
    for (size_t k = 0; k < N; k++) pivots[k] += (int)(k / R * R); /* counted from the panel's first row */
    assert_true(residual(&a, &lu, pivots) < 20);
    release(&a), release(&lu);
}

static void times_are_measured(void **state)
{
    kernels_times times;

    (void)state;
    assert_int_equal(kernels_measure(200, 40, 0.05, &times), 0);
    assert_int_equal(times.points, 3);
    assert_true(times.runs >= 1);
    assert_true(times.multiply > 0 && times.subtract > 0 && times.solve > 0);
    for (size_t i = 0; i < 3; i++) {
        assert_true(times.panel[i] > 0 && times.exchange[i] > 0);
        assert_close(kernels_panel_time(&times, times.rows[i]), times.panel[i], 1e-12);
        assert_close(kernels_exchange_time(&times, times.rows[i]), times.exchange[i], 1e-12);
    }
    assert_nan(kernels_panel_time(&times, 39));
    assert_nan(kernels_exchange_time(&times, 0));
    assert_true(kernels_panel_time(&times, 400) > times.panel[2]);
    assert_close(kernels_exchange_time(&times, 400), times.exchange[2], 1e-12);
#ifndef TESTS_SLOW
    assert_true(times.spent < 5);
#endif
    assert_int_equal(kernels_measure(40, 40, 0, &times), 0);
    assert_int_equal(times.points, 1);
    assert_int_equal(kernels_measure(60, 40, 0, &times), 0); /* n / 2 < r < n */
    assert_int_equal(times.points, 2);
}

static void bad_sizes_are_refused(void **state)
{
    static const kernels_times zero;
    kernels_times times;
    (void)state;
    assert_int_equal(kernels_measure(100, 0, 1, &times), 2);
    assert_memory_equal(&times, &zero, sizeof zero);
    assert_int_equal(kernels_measure(100, 101, 1, &times), 2);
    assert_int_equal(kernels_measure((size_t)-1, 10, 1, &times), 2);
    assert_nan(kernels_panel_time(&zero, 10));
    assert_non_null(kernels_name());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_differences),
        cmocka_unit_test(triangular_systems),
        cmocka_unit_test(panels),
        cmocka_unit_test(singular_panels_say_where),
        cmocka_unit_test(blocks_make_a_factorization),
        cmocka_unit_test(times_are_measured),
        cmocka_unit_test(bad_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
