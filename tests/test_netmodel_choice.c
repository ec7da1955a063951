/* Room choice of util/netmodel_fit.h: costs, lists of choices against a slow, obvious way, and every refusal. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "runs.h"

enum { CLUSTERS = 3, GRIDS = 2, LIST = 2000 };

static netmodel_choice list[LIST];

static void what_processors_cost(void **state)
{
    const size_t processes[] = { 32, 32 };
    const double price[] = { 1, 2 }, bad[] = { 1, -1 };
    (void)state;

    assert_equal(netmodel_choice_cost(3600, 2, processes, price), 96);
    assert_equal(netmodel_choice_cost(0, 2, processes, price), 0);
    assert_equal(netmodel_choice_cost(100, 0, NULL, NULL), 0);
    assert_nan(netmodel_choice_cost(-1, 2, processes, price));
    assert_nan(netmodel_choice_cost(NAN, 2, processes, price));
    assert_nan(netmodel_choice_cost(1, 2, processes, bad));
}

/* Two clusters, all that is free: one, the other, both; and what has no memory is not in the list. */
static void three_choices_of_two_clusters(void **state)
{
    netmodel_scaling model[2] = { truth, truth };
    netmodel_cluster cluster[] = { { 64, 2048, 1, 0, NULL, 0 }, { 32, 2048, 2, 0, NULL, 0 } };
    netmodel_grid grid = { 65536, 131072, model };
    netmodel_choice_desc desc = { cluster, 2, &grid, 1, NETMODEL_SPLIT_EQUAL, 0 };
    size_t count, where;
    (void)state;

    assert_int_equal(netmodel_choice_list(&desc, 0, NULL, &count, &where), NETMODEL_OK);
    assert_int_equal(count, 2); /* 32 processors would need 4 GB each */
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);
    assert_int_equal(list[0].processes[0], 64);
    assert_int_equal(list[0].processes[1], 0);
    assert_equal(list[0].work[0], 2048);
    assert_equal(list[0].time, netmodel_scaling_time(&truth, 64, 2048));
    assert_equal(list[0].low, list[0].time);
    assert_close(list[0].cost, list[0].time / 3600 * 64, 1e-15);
    assert_int_equal(list[1].processes[1], 32);
    assert_close(list[1].work[0], 131072.0 / 96, 1e-15);
    assert_close(list[1].cost, list[1].time / 3600 * 128, 1e-15);
    assert_equal(list[1].side, 65536);

    assert_int_equal(netmodel_choice_list(&desc, 1, list, &count, &where), NETMODEL_LIST_FULL);
    assert_int_equal(count, 2);
    assert_int_equal(list[0].processes[0], 64);
    cluster[1].memory = INFINITY;
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);
    assert_int_equal(count, 3);
    assert_equal(list[1].work[1], 4096);
    cluster[1].alone = 1;
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);
    assert_int_equal(count, 2);
    cluster[0].free = 0;
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);
    assert_int_equal(count, 1);
    assert_int_equal(list[0].processes[1], 32);

    /* a model that promises no time makes no choice */
    memset(model, 0, sizeof model);
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);
    assert_int_equal(count, 1);
    assert_nan(list[0].time);
    assert_nan(list[0].cost);
    assert_int_equal(netmodel_choice_fastest(list, count, 0, INFINITY), count);
}

/* Is a cluster left without work if the others can end, all full or none later than it, before it has even begun? */
static int somebody_idle(const netmodel_choice_desc *desc, size_t grid, const size_t processes[])
{
    for (size_t k = 0; k < desc->clusters; ++k) {
        double begins, room = 0;
        if (processes[k] == 0) continue;
        begins = netmodel_scaling_time(&desc->grid[grid].scaling[k], processes[k], 0);
        for (size_t other = 0; other < desc->clusters; ++other) {
            const netmodel_scaling *model = &desc->grid[grid].scaling[other];
            double low = 0, high = desc->cluster[other].memory;
            if (other == k || processes[other] == 0) continue;
            for (int i = 0; i < 200; ++i) { /* the most work with which it ends by then */
                const double work = (low + high) / 2;
                if (netmodel_scaling_time(model, processes[other], work) <= begins)
                    low = work;
                else
                    high = work;
            }
            room += (double)processes[other] * low;
        }
        if (room >= desc->grid[grid].work) return 1;
    }
    return 0;
}

/* Random clusters: the list is what nested loops find, a balanced job ends everywhere at once or where memory is full, and
 * no other way to share it out is faster. */
static void random_lists_equal_nested_loops(void **state)
{
    static const size_t tries[][3] = { { 1, 2, 8 }, { 3, 5, 7 }, { 4, 16, 64 } };
    uint64_t seed = 8;
    size_t balanced = 0, full = 0;
    (void)state;

    for (int round = 0; round < CASES(300); ++round) {
        netmodel_scaling model[GRIDS][CLUSTERS];
        netmodel_cluster cluster[CLUSTERS];
        netmodel_grid grid[GRIDS];
        netmodel_choice_desc desc = { cluster, CLUSTERS, grid, GRIDS, (netmodel_split)(round % 2), 0.9 };
        size_t count, where, next = 0;

        for (size_t k = 0; k < CLUSTERS; ++k) {
            cluster[k].free = 64;
            cluster[k].memory = random_between(&seed, 500, 4000);
            cluster[k].price = random_between(&seed, 0, 3);
            cluster[k].alone = random_next(&seed) % 4 == 0;
            cluster[k].tries = tries[k];
            cluster[k].count = 3;
        }
        for (size_t i = 0; i < GRIDS; ++i) {
            grid[i].side = (double)(32768 << i);
            grid[i].work = random_between(&seed, 3000, 60000);
            grid[i].scaling = model[i];
            for (size_t k = 0; k < CLUSTERS; ++k) {
                netmodel_run run[6];
                const double speed = random_between(&seed, 0.5, 3);
                measure(run, 1, 0.001, &seed);
                for (int r = 0; r < 6; ++r) run[r].seconds /= speed;
                assert_int_equal(netmodel_scaling_fit(run, 6, &(netmodel_scaling_desc){ 0, 0.02 }, &model[i][k], NULL),
                                 NETMODEL_OK);
            }
        }
        assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);

        for (size_t i = 0; i < GRIDS; ++i)
            for (size_t at = 1; at < 64; ++at) {
                const size_t digit[] = { at % 4, at / 4 % 4, at / 16 };
                const netmodel_choice *choice = &list[next];
                double all = 0, room = 0, slowest = 0, sum = 0, hourly = 0;
                int used = 0, alone = 0, fits = 1;
                size_t processes[CLUSTERS];
                for (size_t k = 0; k < CLUSTERS; ++k) {
                    const double own = digit[k] ? (double)tries[k][digit[k] - 1] : 0;
                    used += digit[k] > 0;
                    alone += digit[k] > 0 && cluster[k].alone;
                    all += own;
                    room += own * cluster[k].memory;
                }
                for (size_t k = 0; k < CLUSTERS; ++k)
                    if (digit[k] && grid[i].work / all > cluster[k].memory) fits = 0;
                if (alone && used > 1) continue;
                if (desc.split == NETMODEL_SPLIT_EQUAL || used == 1 ? !fits : room < grid[i].work) continue;
                for (size_t k = 0; k < CLUSTERS; ++k) processes[k] = digit[k] ? tries[k][digit[k] - 1] : 0;
                if (desc.split == NETMODEL_SPLIT_BALANCED && used > 1 && somebody_idle(&desc, i, processes)) continue;
                assert_true(next < count);
                assert_int_equal(choice->grid, i);
                for (size_t k = 0; k < CLUSTERS; ++k) assert_int_equal(choice->processes[k], processes[k]);
                ++next;
                for (size_t k = 0; k < CLUSTERS; ++k) {
                    if (digit[k] == 0) continue;
                    const double time = netmodel_scaling_time(&model[i][k], choice->processes[k], choice->work[k]);
                    assert_true(choice->work[k] > 0 && choice->work[k] <= cluster[k].memory);
                    sum += (double)choice->processes[k] * choice->work[k];
                    hourly += (double)choice->processes[k] * cluster[k].price;
                    slowest = fmax(slowest, time);
                    if (desc.split == NETMODEL_SPLIT_EQUAL) assert_close(choice->work[k], grid[i].work / all, 1e-14);
                }
                assert_close(sum, grid[i].work, 1e-11);
                assert_equal(choice->time, slowest);
                assert_close(choice->cost, slowest / 3600 * hourly, 1e-14);
                assert_true(choice->low < choice->time && choice->high > choice->time);
                if (desc.split == NETMODEL_SPLIT_EQUAL || used == 1) continue;
                for (size_t k = 0; k < CLUSTERS; ++k) { /* as late as all, or full */
                    if (digit[k] == 0) continue;
                    const double time = netmodel_scaling_time(&model[i][k], choice->processes[k], choice->work[k]);
                    const int is_full = choice->work[k] >= cluster[k].memory;
                    if (!is_full) assert_close(time, slowest, 1e-10);
                    full += (size_t)is_full;
                    ++balanced;
                }
            }
        assert_int_equal(next, count);

        /* the best, by looking at all */
        for (size_t i = 0; i < GRIDS; ++i) {
            const double budget = random_between(&seed, 0, 3), deadline = random_between(&seed, 0, 4000);
            size_t fastest = count, cheapest = count, finest = count;
            for (size_t n = 0; n < count; ++n) {
                if (list[n].grid == i && list[n].cost <= budget &&
                    (fastest == count || list[n].time < list[fastest].time))
                    fastest = n;
                if (list[n].grid == i && list[n].time <= deadline &&
                    (cheapest == count || list[n].cost < list[cheapest].cost))
                    cheapest = n;
                if (list[n].time <= deadline && list[n].cost <= budget &&
                    (finest == count || list[n].side > list[finest].side ||
                     (list[n].side == list[finest].side && list[n].cost < list[finest].cost)))
                    finest = n;
            }
            assert_int_equal(netmodel_choice_fastest(list, count, i, budget), fastest);
            assert_int_equal(netmodel_choice_cheapest(list, count, i, deadline), cheapest);
            assert_int_equal(netmodel_choice_finest(list, count, budget, deadline), finest);
        }
    }
    assert_true(balanced > 1000);
    assert_true(full > 100);
}

/* A cluster that needs less time for more work cannot be balanced against another: each is a choice, both are none. */
static void what_cannot_be_balanced_is_no_choice(void **state)
{
    netmodel_scaling odd = truth, model[2];
    const netmodel_cluster cluster[] = { { 4, 4096, 1, 0, NULL, 0 }, { 4, 4096, 1, 0, NULL, 0 } };
    const netmodel_grid grid = { 1, 1000, model };
    netmodel_choice_desc desc = { cluster, 2, &grid, 1, NETMODEL_SPLIT_BALANCED, 0 };
    size_t count;
    (void)state;

    odd.g = -1 - odd.per_work;
    model[0] = truth;
    model[1] = odd;
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, NULL), NETMODEL_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(list[i].processes[0] > 0, list[i].processes[1] == 0);
        assert_equal(list[i].work[0] + list[i].work[1], 1000. / 4); /* one alone needs no balance: just its part */
    }
    desc.split = NETMODEL_SPLIT_EQUAL; /* equal parts need no balance */
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, NULL), NETMODEL_OK);
    assert_int_equal(count, 3);
}

static void of_equals_the_other_thing_counts(void **state)
{
    const netmodel_choice coarser[2] = { { .time = 2, .cost = 9, .side = 2 }, { .time = 1, .cost = 1, .side = 1 } };
    netmodel_choice equal[4] = { { .time = 2, .cost = 9, .side = 1 },
                                 { .time = 2, .cost = 7, .side = 1 },
                                 { .time = 2, .cost = 7, .side = 1 },
                                 { .time = 1, .cost = 9, .side = 1, .grid = 1 } };
    (void)state;

    assert_int_equal(netmodel_choice_fastest(equal, 4, 0, INFINITY), 1);
    assert_int_equal(netmodel_choice_cheapest(equal, 4, 0, INFINITY), 1);
    assert_int_equal(netmodel_choice_finest(equal, 4, INFINITY, INFINITY), 1);
    assert_int_equal(netmodel_choice_finest(equal, 4, INFINITY, 1.5), 3);
    equal[3].cost = 7;
    assert_int_equal(netmodel_choice_finest(equal, 4, INFINITY, INFINITY), 3);
    assert_int_equal(netmodel_choice_fastest(equal, 4, 2, INFINITY), 4);
    assert_int_equal(netmodel_choice_fastest(equal, 4, 0, NAN), 4);
    assert_int_equal(netmodel_choice_fastest(equal, 4, 0, 6), 4);
    assert_int_equal(netmodel_choice_cheapest(equal, 0, 0, INFINITY), 0);
    assert_int_equal(netmodel_choice_finest(coarser, 2, INFINITY, INFINITY), 0);
    assert_int_equal(netmodel_choice_finest(coarser, 2, 8, INFINITY), 1);
}

static void refused_questions_have_no_choices(void **state)
{
    static const double bad[] = { -1, -INFINITY, INFINITY, NAN };
    static const size_t too_many[] = { 8, 65 }, none[] = { 0 }, ones[] = { 1 };
    const netmodel_scaling model[NETMODEL_CLUSTERS_MAX + 1] = { truth, truth, truth, truth, truth,
                                                                truth, truth, truth, truth };
    netmodel_cluster cluster[NETMODEL_CLUSTERS_MAX + 1], fine = { 64, 4096, 1, 0, NULL, 0 };
    netmodel_grid grid[2] = { { 1, 100, model }, { 2, 200, model } };
    netmodel_choice_desc desc = { cluster, 2, grid, 2, NETMODEL_SPLIT_EQUAL, 0.9 }, broken;
    size_t count, where = 99;
    (void)state;

    for (size_t i = 0; i < COUNT(cluster); ++i) cluster[i] = fine;
#define REFUSED(desc, code)                                                                                            \
    (memset(list, 1, sizeof list), count = 99,                                                                         \
     assert_int_equal(netmodel_choice_list((desc), LIST, list, &count, &where), (code)), assert_int_equal(count, 0),   \
     assert_equal(list[0].time, 0), assert_equal(list[LIST - 1].cost, 0))
    for (size_t i = 0; i < COUNT(bad); ++i) {
        cluster[1].price = bad[i];
        REFUSED(&desc, NETMODEL_BAD_CLUSTER);
        assert_int_equal(where, 1);
        assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, NULL), NETMODEL_BAD_CLUSTER);
        cluster[1] = fine;
        grid[1].work = bad[i];
        REFUSED(&desc, NETMODEL_BAD_GRID);
        assert_int_equal(where, 1);
        assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, NULL), NETMODEL_BAD_GRID);
        grid[1].work = 0;
        REFUSED(&desc, NETMODEL_BAD_GRID);
        grid[1].work = 200;
        broken = desc, broken.level = bad[i];
        REFUSED(&broken, NETMODEL_BAD_LEVEL);
        if (bad[i] > 0) continue;
        cluster[0].memory = bad[i];
        REFUSED(&desc, NETMODEL_BAD_CLUSTER);
        assert_int_equal(where, 0);
        cluster[0].memory = 0;
        REFUSED(&desc, NETMODEL_BAD_CLUSTER);
        cluster[0] = fine;
    }
    broken = desc, broken.level = 1;
    REFUSED(&broken, NETMODEL_BAD_LEVEL);
    grid[0].side = NAN;
    REFUSED(&desc, NETMODEL_BAD_GRID);
    grid[0].side = 1, grid[0].scaling = NULL;
    REFUSED(&desc, NETMODEL_BAD_GRID);
    assert_int_equal(where, 0);
    grid[0].scaling = model;
    cluster[1].tries = too_many, cluster[1].count = 2;
    REFUSED(&desc, NETMODEL_BAD_CLUSTER);
    cluster[1].count = 1;
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, &count, &where), NETMODEL_OK);
    cluster[1].tries = none;
    REFUSED(&desc, NETMODEL_BAD_CLUSTER);
    cluster[1].tries = ones, cluster[1].free = 0;
    REFUSED(&desc, NETMODEL_BAD_CLUSTER);
    cluster[1] = fine;
    broken = desc, broken.clusters = NETMODEL_CLUSTERS_MAX + 1;
    REFUSED(&broken, NETMODEL_BAD_CLUSTER);
    assert_int_equal(where, NETMODEL_CLUSTERS_MAX);
    where = 99;
    broken = desc, broken.clusters = 0;
    REFUSED(&broken, NETMODEL_EMPTY);
    broken = desc, broken.grids = 0;
    REFUSED(&broken, NETMODEL_EMPTY);
    broken = desc, broken.cluster = NULL;
    REFUSED(&broken, NETMODEL_MISSING);
    broken = desc, broken.grid = NULL;
    REFUSED(&broken, NETMODEL_MISSING);
    broken = desc, broken.split = (netmodel_split)2;
    REFUSED(&broken, NETMODEL_BAD_OPTION);
    REFUSED(NULL, NETMODEL_MISSING);
    assert_int_equal(netmodel_choice_list(&desc, 5, NULL, &count, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_choice_list(&desc, LIST, list, NULL, &where), NETMODEL_MISSING);
    assert_int_equal(where, 99);
    assert_int_equal(netmodel_choice_list(&desc, 0, NULL, &count, NULL), NETMODEL_OK);
    assert_int_equal(count, 6);
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_processors_cost),
        cmocka_unit_test(three_choices_of_two_clusters),
        cmocka_unit_test(random_lists_equal_nested_loops),
        cmocka_unit_test(what_cannot_be_balanced_is_no_choice),
        cmocka_unit_test(of_equals_the_other_thing_counts),
        cmocka_unit_test(refused_questions_have_no_choices),
    };
    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
