/* Room results of contention.h: the sentences of its results. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void every_result_has_its_own_sentence(void **state)
{
    static const char *const words[] = { "success",
                                         "NULL",
                                         "cores of a node",
                                         "taken by communication",
                                         "a weight must be",
                                         "a number of processes",
                                         "from 0 to 1, and so must their sum",
                                         "the mix has",
                                         "number of an application",
                                         "a time must be",
                                         "a slowdown must be",
                                         "capacities of all nodes",
                                         "an edge must lead",
                                         "a limit of cores",
                                         "parent of a member" };
    int i, k;
    (void)state;

    assert_int_equal(COUNT(words), CONTENTION_BAD_GROUP + 1);
    for (i = CONTENTION_OK; i <= CONTENTION_BAD_GROUP; ++i) {
        assert_non_null(strstr(contention_result_text((contention_result)i), words[i]));
        for (k = CONTENTION_OK; k < i; ++k)
            assert_string_not_equal(contention_result_text((contention_result)i),
                                    contention_result_text((contention_result)k));
    }
    assert_string_equal(contention_result_text((contention_result)99), "not a result of contention.h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_its_own_sentence),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
