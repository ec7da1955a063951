/* examples/messages: collective operations, right by every algorithm, and nonblocking ones, also in their time. */
#include "programs.h"

/* All combinations take minutes: make soak sets TESTS_ALL. */
static bool all(void)
{
    return getenv("TESTS_ALL") != NULL;
}

/* Every collective with these numbers of ranks, by its usual algorithm or by another. Unless all are asked for, only with `some`: 3, 8, or
 * one of both (11), a power of two and another number. */
static void counts_are_right(const char *settings, int from, int to, int some)
{
    char settings_all[256];
    for (int ranks = from; ranks <= to; ++ranks) {
        if (!all() && ranks != some && (some != 11 || (ranks != 3 && ranks != 8))) continue;
        snprintf(settings_all, sizeof settings_all, "SIMKIT_NP=%d %s", ranks, settings);
        run(settings_all, "conform counts waited_counts"); /* blocking and nonblocking */
        if (status != 0) print_message("%s: %s\n", settings_all, errors);
        assert_int_equal(status, 0);
        assert_int_equal(lines(output), 2 * 31);
        for (const char *at = output; *at; at = strchr(at, '\n') + 1) {
            const char *end = strchr(at, '\n');
            if (memcmp(end - 2, "ok", 2) == 0) continue;
            print_message("%s: %.*s\n", settings_all, (int)(end - at), at);
            fail();
        }
    }
}

static void collectives_are_right_for_any_number(void **state)
{
    (void)state;
    counts_are_right("", 1, 9, 11);
    counts_are_right("", 12, 12, 0);
    counts_are_right("", 16, 17, 0);
}

static void every_algorithm_is_right(void **state)
{
    static const char *const choices[] = {
        "barrier=linear,bcast=linear,gather=linear,scatter=linear,allgather=linear,alltoall=linear,reduce=linear,"
        "allreduce=binomial,reduce_scatter=binomial,scan=linear",
        "barrier=dissemination,bcast=binomial,gather=binomial,scatter=binomial,allgather=ring,alltoall=pairwise,"
        "reduce=binomial,allreduce=recursive-doubling,reduce_scatter=pairwise,scan=recursive-doubling",
        "bcast=chain,allgather=bruck,alltoall=bruck,allreduce=ring", "bcast=ring,allreduce=ring,allgather=bruck",
        "bcast=binomial-nearest"
    };
    char settings[400];
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        snprintf(settings, sizeof settings, "SIMKIT_ALGORITHMS=%s", choices[i]);
        counts_are_right(settings, 2, 5, i % 2 ? 3 : 5);
        counts_are_right(settings, 8, 9, 8);
        counts_are_right(settings, 16 + i % 2, 16 + i % 2, 0); /* these take as long as all the others together */
    }
}

/* Where its ranks wait at once, a nonblocking call takes exactly as long as the blocking one, by every algorithm. */
static void nonblocking_collectives_take_as_long(void **state)
{
    static const char *const choices[] = {
        "",
        "SIMKIT_ALGORITHMS=barrier=linear,bcast=linear,gather=linear,scatter=linear,allgather=linear,alltoall=linear,"
        "reduce=linear,allreduce=binomial,reduce_scatter=binomial,scan=linear",
        "SIMKIT_ALGORITHMS=barrier=dissemination,bcast=chain,gather=binomial,scatter=binomial,allgather=bruck,"
        "alltoall=bruck,reduce=binomial,allreduce=ring,reduce_scatter=pairwise,scan=recursive-doubling",
        "SIMKIT_ALGORITHMS=bcast=ring,allgather=ring,alltoall=pairwise,allreduce=recursive-doubling",
    };
    static const int counts[] = { 1, 300, 20000 }, ranks[] = { 2, 3, 8, 9 };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof choices / sizeof *choices; ++i)
        for (size_t k = all() ? 0 : i % 3; k < (all() ? 3 : i % 3 + 1); ++k) {
            char settings[400], program[64], text[300];
            snprintf(text, sizeof text, "[machine]\nprogress = %s\n%s", i % 2 ? "calls" : "always",
                     ether + strlen("[machine]\n"));
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=%d %s", ranks[(i + k) % 4], choices[i / 2]);
            snprintf(program, sizeof program, "nonblocking times %d", counts[k]);
            run_on(text, settings, program);
            prints("0 differ\n");
        }
}

/* Eight ranks reduce one number in three rounds of 100 us, and each computes 1 ms meanwhile. */
static void nonblocking_collectives_overlap_with_computation(void **state)
{
    static const struct {
        const char *progress, *program, *ns;
    } cases[] = {
        { "always", "nonblocking overlap 1 1", "1000000\n" },
        /* The first round goes on by itself, each further one begins in a call. */
        { "calls", "nonblocking overlap 1 1", "1200000\n" },
        { "calls", "nonblocking overlap 1 2", "1100000\n" },
        { "calls", "nonblocking overlap 1 3", "1000000\n" },
        { "calls", "nonblocking overlap 1 10", "1000000\n" },
    };
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[machine]\nlook = 0 s\nprogress = %s\n[node node]\ntransmit = 100 us\n",
                 cases[i].progress);
        run_on(text, NOTHING "SIMKIT_NP=8", cases[i].program);
        prints(cases[i].ns);
    }
    /* Its messages take CPU time: three sends of 20.04 us and three receives of 30.08 us, beside 1 ms. A second core takes
     * it, but for the first send, which is done by the call itself. */
    run_on(ether, NOTHING "SIMKIT_NP=8", "nonblocking overlap 1 1");
    double ns = 0;
    assert_int_equal(sscanf(output, "%lf", &ns), 1);
    assert_true(fabs(ns - (1000e3 + 3 * (20.04e3 + 30.08e3))) < 1000);
    char two[300];
    snprintf(two, sizeof two, "%scores = 2\ncount = 8\n", ether);
    run_on(two, NOTHING "SIMKIT_PLACE=round-robin SIMKIT_NP=8", "nonblocking overlap 1 1");
    assert_int_equal(sscanf(output, "%lf", &ns), 1);
    assert_true(fabs(ns - (1000e3 + 20.04e3)) < 1000);
}

static void nonblocking_collectives_need_no_communicator(void **state)
{
    (void)state;
    run_on(ether, NOTHING "SIMKIT_NP=5", "nonblocking freed");
    prints("");
    assert_int_equal(status, 0);
    /* Rank 0 takes part in the sum while it waits for a message that is sent afterwards. */
    run("SIMKIT_NP=5", "nonblocking others");
    prints("10\n");
}

static void nonblocking_collectives_that_differ_are_told(void **state)
{
    static const struct {
        const char *program, *sentence;
    } cases[] = {
        { "nonblocking forms", "rank 0 called MPI_Ibarrier at 0 s, rank 1 called MPI_Barrier at 0 s: the ranks made" },
        { "nonblocking roots", "rank 1 called MPI_Ibcast(1 of MPI_INT, root 1) at 0 s: the roots differ" },
        { "nonblocking operations", "rank 0 called MPI_Iallreduce(1 of MPI_INT, MPI_PROD) at 0 s, rank 1 called "
                                    "MPI_Iallreduce(1 of MPI_INT, MPI_SUM) at 0 s: the operations differ" },
        { "nonblocking counts", "rank 1 called MPI_Iallreduce(0 of MPI_INT, MPI_SUM) at 0 s: the counts differ" },
        { "nonblocking order", "rank 0 called MPI_Ibarrier at 0 s, rank 1 called MPI_Ibcast(1 of MPI_INT, root 0)" },
        { "nonblocking late",
          "rank 0 has waited in MPI_Wait since 0 s for MPI_Iallreduce(1 of MPI_INT, MPI_SUM), which "
          "waits for rank 2" },
        { "nonblocking truncated",
          "MPI_ERR_TRUNCATE: the message is longer than the receive buffer: 12 B from rank 1" },
        { "mismatch_waited fatal root", "rank 1 called MPI_Ibcast(1 of MPI_INT, root 1)" },
        { "mismatch_waited fatal order", "collective call 2 on MPI_COMM_WORLD differs among the ranks: " },
        { "mismatch_waited fatal left_out", "rank 0 called MPI_Finalize at 0.25 s, rank 1 called MPI_Ibarrier" },
        { "mismatch_waited fatal never", "for MPI_Ibcast(1 of MPI_INT, root 0), which waits for rank 0" },
        { "mismatch_waited fatal allgatherv", "MPI_Iallgatherv(16 B)" },
    };
    static const char *const returned[] = { "bcast", "scatter", "gatherv", "reduce", "alltoall", "allgather" };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run_on("[machine]\nlook = 0 s\n[node node]\n", NOTHING "SIMKIT_NP=4", cases[i].program);
        says(cases[i].sentence);
        assert_int_equal(status, 1);
    }
    /* With an error handler that returns, the wait has the code of the blocking call. */
    for (size_t i = 0; i < sizeof returned / sizeof *returned; ++i) {
        char program[64];
        static char blocking[sizeof output];
        snprintf(program, sizeof program, "mismatch return %s 50", returned[i]);
        run(NOTHING "SIMKIT_NP=2", program);
        assert_int_equal(status, 0);
        memcpy(blocking, output, sizeof output);
        assert_non_null(strstr(blocking, "MPI_ERR_TRUNCATE"));
        snprintf(program, sizeof program, "mismatch_waited return %s 50", returned[i]);
        run(NOTHING "SIMKIT_NP=2", program);
        assert_int_equal(status, 0);
        for (int rank = 0; rank < 2; ++rank) { /* the order of lines may differ */
            char line[64];
            const char *found;
            snprintf(line, sizeof line, "rank %d:", rank);
            found = strstr(blocking, line);
            assert_non_null(found);
            snprintf(line, sizeof line, "%.*s", (int)strcspn(found, "\n"), found);
            if (!strstr(output, line)) fail_msg("%s: %s: %s", returned[i], line, output);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_are_right_for_any_number),
        cmocka_unit_test(every_algorithm_is_right),
        cmocka_unit_test(nonblocking_collectives_take_as_long),
        cmocka_unit_test(nonblocking_collectives_overlap_with_computation),
        cmocka_unit_test(nonblocking_collectives_need_no_communicator),
        cmocka_unit_test(nonblocking_collectives_that_differ_are_told),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
