/* Room results of netmodel.h: the sentences of its results. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

static void every_result_has_its_own_sentence(void **state)
{
    int i, k;
    (void)state;

    for (i = NETMODEL_OK; i <= NETMODEL_LINK_TWICE; ++i)
        for (k = NETMODEL_OK; k < i; ++k)
            assert_string_not_equal(netmodel_result_text((netmodel_result)i), netmodel_result_text((netmodel_result)k));
    assert_string_equal(netmodel_result_text((netmodel_result)99), "not a result of netmodel.h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_its_own_sentence),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
