/* Room line of netmodel.h: closed forms, every refusal, and no contraction of a product with a sum. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#include <float.h>

static void the_parts_add_up_to_a_line(void **state)
{
    netmodel_line_parts parts = { 3e-9, 80e-9, 5e-9, 120e-6 }, none = { 0, 0, 0, 0 };
    netmodel_line line = netmodel_line_from_parts(&parts), nothing = netmodel_line_from_parts(&none);
    (void)state;

    assert_close(line.slope, 88e-9, 1e-15);
    assert_equal(line.intercept, 120e-6);
    assert_close(netmodel_line_time(&line, 1000), 3e-6 + (80e-6 + 120e-6) + 5e-6, 1e-15);
    assert_equal(netmodel_line_time(&nothing, 1e9), 0);
}

static void a_fitted_line_may_be_negative(void **state)
{
    netmodel_line fit = { 2e-6, -1e-3 };
    (void)state;

    assert_equal(netmodel_line_time(&fit, 0), -1e-3);
    assert_close(netmodel_line_time(&fit, 1000), 1e-3, 1e-12);
}

static void a_line_is_a_link_where_it_can_be_one(void **state)
{
    netmodel_line line = { 8e-9, 50e-6 }, falling = { -1, 1 }, endless = { 1, INFINITY };
    netmodel_link link = netmodel_link_of_line(&line);
    (void)state;

    assert_equal(link.latency, 50e-6);
    assert_equal(link.byte_time, 8e-9);
    assert_nan(netmodel_link_of_line(&falling).latency);
    assert_nan(netmodel_link_of_line(&falling).byte_time);
    assert_nan(netmodel_link_of_line(&endless).latency);
}

static void a_line_refuses_the_impossible(void **state)
{
    netmodel_line fine = { 1, 1 }, slope = { NAN, 1 }, intercept = { 1, NAN };
    (void)state;

    assert_nan(netmodel_line_time(&fine, -1));
    assert_nan(netmodel_line_time(&fine, INFINITY));
    assert_nan(netmodel_line_time(&fine, NAN));
    assert_nan(netmodel_line_time(&slope, 0));
    assert_nan(netmodel_line_time(&intercept, 0));
}

static void a_product_is_rounded_before_the_sum(void **state)
{
    volatile double a = 1 + DBL_EPSILON, b = 1 - DBL_EPSILON; /* a*b is 1 - 2^-104, rounded 1 */
    netmodel_line line;
    (void)state;

    line.slope = a;
    line.intercept = -1;
    assert_equal(netmodel_line_time(&line, b), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_add_up_to_a_line),
        cmocka_unit_test(a_fitted_line_may_be_negative),
        cmocka_unit_test(a_line_is_a_link_where_it_can_be_one),
        cmocka_unit_test(a_line_refuses_the_impossible),
        cmocka_unit_test(a_product_is_rounded_before_the_sum),
    };
    return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
