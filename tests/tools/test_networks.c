/* examples/tools/networks.c: what it prints and draws of any network is whole, and every mistake has its sentence. */
#define _POSIX_C_SOURCE 200809L
#define main networks
#include "../../examples/tools/networks.c"
#undef main

#include "../written.h"
#include "run.h"

/* Runs it with arguments up to END; what it printed and complained about is kept. */
static int run(const char *first, ...)
{
    char *arguments[12] = { (char *)"networks" };
    int count = 1;
    va_list more;
    va_start(more, first);
    for (const char *next = first; next; next = va_arg(more, char *)) {
        assert_true(count < 11);
        arguments[count++] = (char *)next;
    }
    va_end(more);
    return run_tool(networks, count, arguments);
}

/* The picture of a network has all of its links, its places and its route, and only numbers. */
static void check_picture(const char *kind, const char *numbers, const char *from, const char *to, size_t links,
                          size_t hosts, size_t switches, size_t hops)
{
    char path[] = "/tmp/networks_XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    assert_int_equal(run(kind, numbers, "--route", from, to, "--svg", path, END), 0);
    char *drawn = take(path);
    assert_int_equal(occurrences(drawn, "<path d="), links + hops);
    assert_int_equal(occurrences(drawn, "stroke=\"#ee7733\""), hops);
    assert_int_equal(occurrences(drawn, "<circle"), hosts);
    assert_int_equal(occurrences(drawn, "rx=\"3\""), switches);
    assert_int_equal(occurrences(drawn, "</svg>"), 1);
    assert_int_equal(occurrences(drawn, "nan") + occurrences(drawn, "inf"), 0);
    assert_int_equal(occurrences(printed, "  link "), hops);
    assert_string_equal(complained, "");
    free(drawn);
}

static void pictures_are_whole(void **state)
{
    (void)state;
    check_picture("star", "5", "0", "4", 5, 5, 1, 2);
    check_picture("star", "1", "0", "0", 1, 1, 1, 0);
    check_picture("clusters", "3,4", "0", "6", 9, 7, 3, 4);
    check_picture("clusters", "3,4,1;0-1,1-2", "0", "7", 10, 8, 3, 4);
    check_picture("fat-tree", "4,4;1,2;1,2", "1", "14", 32, 16, 6, 4);
    check_picture("fat-tree", "2,2,2;1,2,2;2,2,3", "0", "7", 16 + 16 + 24, 8, 4 + 4 + 4, 6);
    check_picture("torus", "7", "0", "3", 7, 7, 0, 3);
    check_picture("torus", "3,1,2,2,3", "0", "35", 36 + 18 + 18 + 36, 36, 0, 4);
    check_picture("mesh", "1", "0", "0", 0, 1, 0, 0);
    check_picture("mesh", "4,3,3", "0", "35", 75, 36, 0, 7);
    check_picture("dragonfly", "4,1;2,1;4,1;1", "7", "30", 102, 32, 32, 6);
    check_picture("dragonfly", "1,1;1,1;1,1;3", "0", "2", 3, 3, 1, 2);
}

static void mistakes_have_sentences(void **state)
{
    static const char *const wrong[][2] = {
        { "torus", "" },
        { "torus", "3," },
        { "torus", "3,x" },
        { "torus", "-3" },
        { "torus", "3;4" },
        { "star", "3,4" },
        { "fat-tree", "4,4;1,2" },
        { "fat-tree", "4;1;1;1" },
        { "dragonfly", "3,1;2,1;4,1" },
        { "dragonfly", "3;2;4;1" },
        { "clusters", "3,4;0" },
        { "torus", "3;4;5;6;7" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char expected[200];
        sprintf(expected, "networks: %s %s: expected %s\n", wrong[i][0], wrong[i][1], form_of(wrong[i][0]));
        assert_int_equal(run(wrong[i][0], wrong[i][1], END), 1);
        assert_string_equal(complained, expected);
        assert_string_equal(printed, "");
    }
    assert_int_equal(run("hypercube", "3", END), 1);
    assert_string_equal(complained,
                        "networks: hypercube: no such kind; there are star, clusters, fat-tree, torus, mesh "
                        "and dragonfly\n");
    assert_int_equal(run("torus", "3,0", END), 1);
    assert_string_equal(
        complained,
        "networks: 3,0: hosts, children, parents, lengths, groups, chassis, blades and nodes must be >= 1\n");
    assert_int_equal(run("torus", "3,3,3,3,3,3", END), 1);
    assert_string_equal(complained, "networks: 3,3,3,3,3,3: a torus or mesh must have 1 to 5 dimensions\n");
    assert_int_equal(run("torus", "99999999999999999999999", END), 1);
    assert_string_equal(complained, "networks: 99999999999999999999999: a topology must not have more than 2^30 hosts, "
                                    "switches or links\n");
    assert_int_equal(run("torus", "3", "--route", "0", "3", END), 1);
    assert_string_equal(complained, "networks: --route: there is no such host\n");
    assert_int_equal(run("torus", "3", "--route", "0", "x", END), 1);
    assert_true(strstr(complained, usage) == complained);
    assert_int_equal(run("torus", "3", "--route", "0", END), 1);
    assert_int_equal(run("--route", "0", "1", END), 1);
    assert_int_equal(run("--svg", END), 1);
    assert_int_equal(run("torus", END), 1);
    assert_int_equal(run("torus", "100,100", "--svg", "/tmp/x.svg", END), 1);
    assert_string_equal(complained, "networks: 100,100: too many links for a picture\n");
    assert_int_equal(run("--svg", "/no/such/folder/x.svg", END), 1);
    assert_true(strstr(complained, "/no/such/folder/x.svg: ") == complained);
    assert_int_equal(run("--help", END), 0);
    assert_true(strstr(printed, usage) == printed);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) assert_non_null(strstr(printed, forms[i].numbers));
}

/* Of many hosts, the mean is that of some senders: in a torus all see the same. */
static void many_hosts_are_sampled(void **state)
{
    (void)state;
    assert_int_equal(run("torus", "30,30", END), 0);
    assert_non_null(strstr(printed, "  15.02 "));             /* 30 / 2 * 900 / 899 */
    assert_int_equal(run("fat_tree", "4,4;1,2;1,2", END), 0); /* as machine files write it */
    assert_non_null(strstr(printed, "fat-tree   4,4;1,2;1,2 "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_whole),
        cmocka_unit_test(mistakes_have_sentences),
        cmocka_unit_test(many_hosts_are_sampled),
    };
    return cmocka_run_group_tests_name("networks", tests, NULL, NULL);
}
