/* Room groups of contention.h: closed forms, a second way that bisects at every level of the tree, every refusal. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "close.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MOST = 40 };

static uint64_t dice = 1;
static double share[MOST], scratch[MOST];

static contention_group_member group(size_t in, double weight, double limit)
{
    const contention_group_member x = { in, weight, 0, limit };
    return x;
}

static contention_group_member class_of(size_t in, double processes)
{
    const contention_group_member x = { in, 1024, processes, 0 };
    return x;
}

static contention_group_member nice_class(size_t in, int nice, double processes)
{
    const contention_group_member x = { in, contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, nice), processes, 0 };
    return x;
}

#define SHARE(cores, members) contention_share_groups(cores, 0, COUNT(members), members, scratch, share)

/* Two sessions on one core, one with one process, one with ten: half a core for each session. */
static void a_process_alone_in_its_group_gets_as_much_as_ten(void **state)
{
    const contention_group_member tree[] = { group(CONTENTION_ROOT, 1024, 0), group(CONTENTION_ROOT, 1024, 0),
                                             class_of(0, 1), class_of(1, 10) };
    (void)state;

    assert_int_equal(SHARE(1, tree), CONTENTION_OK);
    assert_equal(share[0], 0.5);
    assert_equal(share[1], 0.5);
    assert_equal(share[2], 0.5);
    assert_close(share[3], 0.05, 1e-15);
    assert_int_equal(SHARE(2, tree), CONTENTION_OK); /* on two cores it has one of them */
    assert_equal(share[2], 1);
    assert_close(share[3], 0.1, 1e-15);
    assert_int_equal(SHARE(4, tree), CONTENTION_OK); /* more it cannot use: the others have three */
    assert_equal(share[2], 1);
    assert_equal(share[1], 3);
    assert_close(share[3], 0.3, 1e-15);
    assert_int_equal(SHARE(100, tree), CONTENTION_OK);
    assert_equal(share[2], 1);
    assert_equal(share[3], 1);
    assert_equal(share[1], 10);
    assert_int_equal(contention_share_groups(2, 1.5, COUNT(tree), tree, scratch, share), CONTENTION_OK);
    assert_equal(share[2], 0.25);
    assert_close(share[3], 0.025, 1e-15);
    assert_int_equal(contention_share_groups(2, 3, COUNT(tree), tree, scratch, share), CONTENTION_OK);
    for (size_t i = 0; i < COUNT(tree); ++i) assert_equal(share[i], 0);
    assert_int_equal(SHARE(INFINITY, tree), CONTENTION_OK);
    assert_equal(share[1], 10);
    assert_equal(share[3], 1);
}

/* A nice level counts only within the group; that of the group counts outside. */
static void nice_levels_count_within_their_group(void **state)
{
    const contention_group_member tree[] = { group(CONTENTION_ROOT, 1024, 0), group(CONTENTION_ROOT, 3072, 0),
                                             nice_class(0, 0, 1), nice_class(1, 0, 1), nice_class(1, 19, 2) };
    const double all = 1024 + 2 * 15;
    (void)state;

    assert_int_equal(SHARE(1, tree), CONTENTION_OK);
    assert_equal(share[2], 0.25);
    assert_close(share[3], 0.75 * 1024 / all, 1e-15);
    assert_close(share[4], 0.75 * 15 / all, 1e-15);
}

static void limits_cap_a_group_and_a_class(void **state)
{
    contention_group_member tree[] = { group(CONTENTION_ROOT, 1024, 0.5), class_of(0, 3), class_of(CONTENTION_ROOT, 2),
                                       group(0, 1024, 0.1), class_of(3, 1) };
    (void)state;

    assert_int_equal(SHARE(2, tree), CONTENTION_OK);
    assert_close(share[0], 0.5, 1e-15);
    assert_equal(share[2], 0.75);
    assert_close(share[3], 0.1, 1e-15); /* a fourth of half a core is more than its limit */
    assert_close(share[4], 0.1, 1e-15);
    assert_close(share[1], 0.4 / 3, 1e-15);
    tree[0].limit = 50; /* more than it can use: no limit */
    assert_int_equal(SHARE(8, tree), CONTENTION_OK);
    assert_close(share[0], 3.1, 1e-15);
    tree[0].limit = INFINITY;
    assert_int_equal(SHARE(8, tree), CONTENTION_OK);
    assert_close(share[0], 3.1, 1e-15);
    tree[1].limit = 0.6; /* of a class: for all of it */
    assert_int_equal(SHARE(8, tree), CONTENTION_OK);
    assert_close(share[1], 0.2, 1e-15);
    assert_close(share[0], 0.7, 1e-15);
}

/* Groups of nobody, classes of nobody, nothing at all. */
static void who_is_not_there_gets_nothing(void **state)
{
    const contention_group_member tree[] = { group(CONTENTION_ROOT, 1024, 0), group(0, 1024, 0),
                                             class_of(CONTENTION_ROOT, 0), class_of(CONTENTION_ROOT, 2) };
    (void)state;

    assert_int_equal(SHARE(1, tree), CONTENTION_OK);
    assert_equal(share[0], 0);
    assert_equal(share[1], 0);
    assert_equal(share[2], 0);
    assert_equal(share[3], 0.5);
    assert_int_equal(contention_share_groups(1, 0, 0, NULL, NULL, NULL), CONTENTION_OK);
}

/* On one level it is contention_share_weighted(), to the bit; and a group in a group in a group changes nothing. */
static void one_level_is_weighted_sharing(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3000; ++trial) {
        contention_group_member tree[MOST];
        double weight[MOST], count[MOST], expected[MOST], deep[MOST];
        const size_t classes = 1 + (size_t)random_between(&dice, 0, 8), depth = (size_t)random_between(&dice, 1, 5);
        const double cores = random_between(&dice, 0.1, 12), taken = random_between(&dice, 0, 2);
        for (size_t i = 0; i < classes; ++i) {
            weight[i] = trial % 3 ? exp(random_between(&dice, -3, 3)) : 1024;
            count[i] = trial % 2 ? floor(random_between(&dice, 0, 4)) : random_between(&dice, 0, 3);
            tree[i].parent = CONTENTION_ROOT;
            tree[i].weight = weight[i];
            tree[i].processes = count[i];
            tree[i].limit = 0;
        }
        assert_int_equal(contention_share_weighted(cores, taken, classes, weight, count, expected), CONTENTION_OK);
        assert_int_equal(contention_share_groups(cores, taken, classes, tree, scratch, share), CONTENTION_OK);
        for (size_t i = 0; i < classes; ++i) assert_equal(share[i], expected[i]);

        memmove(tree + depth, tree, classes * sizeof *tree);
        for (size_t i = 0; i < depth; ++i) tree[i] = group(i > 0 ? i - 1 : CONTENTION_ROOT, weight[0], 0);
        for (size_t i = 0; i < classes; ++i) tree[depth + i].parent = depth - 1;
        assert_int_equal(contention_share_groups(cores, taken, depth + classes, tree, scratch, deep), CONTENTION_OK);
        for (size_t i = 0; i < classes; ++i) assert_close(deep[depth + i], expected[i], 1e-13);
    }
}

/*=============================================================================
 * Random trees, another way
 *===========================================================================*/
/* What a member can use at most, from its definition. */
static long double can_use(const contention_group_member *tree, size_t members, size_t i)
{
    long double sum = tree[i].processes;
    if (!(tree[i].processes > 0))
        for (size_t k = i + 1; k < members; ++k)
            if (tree[k].parent == i) sum += can_use(tree, members, k);
    return tree[i].limit > 0 && tree[i].limit < sum ? tree[i].limit : sum;
}

/* What a member gets at a level of the water. */
static long double gets(const contention_group_member *tree, size_t members, size_t i, long double level)
{
    const long double wants = level * tree[i].weight * (tree[i].processes > 0 ? tree[i].processes : 1);
    const long double most = can_use(tree, members, i);
    return wants < most ? wants : most;
}

/* Raises the level in a group until all it has is used, or all members have their most; then does so in each of them. */
static void pour(const contention_group_member *tree, size_t members, size_t in, long double has, long double *total)
{
    long double low = 0, high = 1e6L;
    for (int step = 0; step < 200; ++step) {
        const long double level = (low + high) / 2;
        long double sum = 0;
        for (size_t i = 0; i < members; ++i)
            if (tree[i].parent == in) sum += gets(tree, members, i, level);
        if (sum > has)
            high = level;
        else
            low = level;
    }
    for (size_t i = 0; i < members; ++i)
        if (tree[i].parent == in) {
            total[i] = gets(tree, members, i, low);
            pour(tree, members, i, total[i], total);
        }
}

static void random_trees_equal_rising_water(void **state)
{
#ifdef TESTS_SLOW
    const int trials = 100;
#else
    const int trials = 2000;
#endif
    (void)state;
    for (int trial = 0; trial < trials; ++trial) {
        contention_group_member tree[MOST];
        long double total[MOST];
        const size_t members = 1 + (size_t)random_between(&dice, 0, 14);
        const double cores = floor(random_between(&dice, 1, 9)), taken = trial % 3 ? 0 : random_between(&dice, 0, 2);
        for (size_t i = 0; i < members; ++i) {
            size_t in = CONTENTION_ROOT;
            if (i > 0 && random_between(&dice, 0, 1) < 0.7) in = (size_t)random_between(&dice, 0, (double)i);
            if (in != CONTENTION_ROOT && tree[in].processes > 0) in = tree[in].parent;
            tree[i].parent = in;
            tree[i].weight = trial % 2 ? 1024 : exp(random_between(&dice, -2, 2));
            tree[i].processes = random_between(&dice, 0, 1) < 0.6 ? floor(random_between(&dice, 0, 5)) : 0;
            tree[i].limit = random_between(&dice, 0, 1) < 0.2 ? random_between(&dice, 0, 3) : 0;
        }
        assert_int_equal(contention_share_groups(cores, taken, members, tree, scratch, share), CONTENTION_OK);
        pour(tree, members, CONTENTION_ROOT, cores > taken ? cores - taken : 0, total);
        for (size_t i = 0; i < members; ++i) {
            const double all = share[i] * (tree[i].processes > 0 ? tree[i].processes : 1);
            assert_true(fabs(all - (double)total[i]) <= 1e-12 * (1 + all));
        }
    }
}

static void what_cannot_be_is_refused(void **state)
{
    const contention_group_member good[] = { group(CONTENTION_ROOT, 1024, 0), class_of(0, 2), group(0, 512, 1) };
    contention_group_member tree[COUNT(good)];
    static const double bad[] = { -1, NAN };
    (void)state;

    for (size_t i = 0; i < COUNT(good); ++i) share[i] = 7;
#define REFUSED(code)                                                                                                  \
    (assert_int_equal(SHARE(1, tree), code), assert_equal(share[0], 7), assert_equal(share[1], 7),                     \
     assert_equal(share[2], 7), (void)memcpy(tree, good, sizeof tree))
    memcpy(tree, good, sizeof tree);
    for (size_t i = 0; i < COUNT(bad); ++i) {
        tree[2].weight = bad[i];
        REFUSED(CONTENTION_BAD_WEIGHT);
        tree[1].processes = bad[i];
        REFUSED(CONTENTION_BAD_COUNT);
        tree[2].limit = bad[i];
        REFUSED(CONTENTION_BAD_LIMIT);
        assert_int_equal(SHARE(bad[i], tree), CONTENTION_BAD_CORES);
        assert_int_equal(contention_share_groups(1, bad[i], 3, tree, scratch, share), CONTENTION_BAD_TAKEN);
    }
    tree[0].weight = 0;
    REFUSED(CONTENTION_BAD_WEIGHT);
    tree[1].weight = INFINITY;
    REFUSED(CONTENTION_BAD_WEIGHT);
    tree[1].processes = INFINITY;
    REFUSED(CONTENTION_BAD_COUNT);
    tree[2].parent = 1; /* a class of processes is no group */
    REFUSED(CONTENTION_BAD_GROUP);
    tree[1].parent = 1; /* nor is anything its own */
    REFUSED(CONTENTION_BAD_GROUP);
    tree[0].parent = 2;
    REFUSED(CONTENTION_BAD_GROUP);
    tree[2].parent = 77;
    REFUSED(CONTENTION_BAD_GROUP);
#undef REFUSED
    assert_int_equal(SHARE(0, tree), CONTENTION_BAD_CORES);
    assert_int_equal(contention_share_groups(1, 0, 3, NULL, scratch, share), CONTENTION_MISSING);
    assert_int_equal(contention_share_groups(1, 0, 3, tree, scratch, NULL), CONTENTION_MISSING);
    assert_int_equal(contention_share_groups(1, 0, 3, tree, NULL, share), CONTENTION_MISSING);
    assert_equal(share[1], 7);
    assert_int_equal(SHARE(1, tree), CONTENTION_OK);
}

/* kernel/sched/sched.h: DIV_ROUND_CLOSEST_ULL(cgrp_weight * 1024, 100) */
static void weights_of_control_groups(void **state)
{
    static const double bad[] = { 0, 0.99, -100, 10001, INFINITY, NAN };
    (void)state;

    assert_equal(contention_group_weight(100), contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 0));
    for (uint64_t w = 1; w <= 10000; ++w)
        assert_equal(contention_group_weight((double)w), (double)((w * 1024 + 50) / 100));
    for (size_t i = 0; i < COUNT(bad); ++i) assert_nan(contention_group_weight(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_alone_in_its_group_gets_as_much_as_ten),
        cmocka_unit_test(nice_levels_count_within_their_group),
        cmocka_unit_test(limits_cap_a_group_and_a_class),
        cmocka_unit_test(who_is_not_there_gets_nothing),
        cmocka_unit_test(one_level_is_weighted_sharing),
        cmocka_unit_test(random_trees_equal_rising_water),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(weights_of_control_groups),
    };
    return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
