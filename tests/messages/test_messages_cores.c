/* examples/messages: ranks that go wrong, and the same on several cores, where ranks run ahead of their turns. */
#include "programs.h"

static void a_rank_that_goes_wrong_ends_the_run(void **state)
{
    static const struct {
        const char *program;
        int status;
        const char *sentence;
    } cases[] = {
        { "faults crash", 139, "rank 1 on node1 was killed by signal 11" },
        { "faults crash", 139, "at 0.25" },
        { "faults crash", 139, "rank 0 has waited in MPI_Recv since 0.25" },
        { "faults crash", 139, "for a message from rank 1, which has ended, with tag 5\n" },
        { "faults early", 1, "rank 1 on node1 ended at 0 s without MPI_Finalize, after MPI_Init\n" },
        { "faults early_status", 5,
          "rank 1 on node1 ended with status 5 at 0.25 s without MPI_Finalize, after MPI_Recv\n" },
        { "faults vanish", 3, "rank 1 on node1 exited with status 3" },
        { "faults deadlock", 1, "deadlock at 0.5" },
        { "faults deadlock", 1, "rank 1 has waited in MPI_Recv since 0.5" },
        { "faults rendezvous", 1,
          "rank 0 has waited in MPI_Send since 0 s until rank 1 receives its message of 1048576 B with tag 0" },
        { "faults abort", 7, "rank 1 called MPI_Abort with 7 at 1 s" },
        { "faults tag", 1, "rank 0 in MPI_Send at 0 s: MPI_ERR_TAG" },
        { "faults rank", 1, "MPI_ERR_RANK" },
        { "faults truncate", 1, "rank 1 in MPI_Recv" },
        { "faults truncate", 1,
          "MPI_ERR_TRUNCATE: the message is longer than the receive buffer: 8 B, 2 of MPI_INT sent by MPI_Send from "
          "rank 0 "
          "with tag 5" },
        { "faults truncate", 1, ", but the buffer has 4 B" },
        { "faults freed", 1, "in MPI_Wait" },
        { "faults freed", 1, "MPI_ERR_REQUEST" },
        { "faults segment", 2, "called skeleton_compute with -1 s" },
        { "faults before", 1, "before MPI_Init" },
        { "faults after", 1, "called MPI_Barrier after MPI_Finalize" },
        { "faults status", 9, "simkit: 2 tasks" },
        { "faults outside", 6, "simkit: 2 tasks" },
        { "faults spin", 1, "endless polling at 0 s: the last 5000 calls only polled, and" },
        { "faults spin", 1, "and the clock stands still, because they cost no time (--polls or SIMKIT_POLLS" },
        { "faults spin", 1, "\n  rank 1 has waited in MPI_Finalize since 0 s for rank 0\n  rank 0 calls MPI_Wtime" },
        { "faults iprobe", 1,
          "the last 500 calls only polled, a tenth of --polls or SIMKIT_POLLS, and no message is in" },
        { "faults iprobe", 1, "\n  rank 0 calls MPI_Iprobe\n  rank 1 calls MPI_Iprobe" },
        { "faults test", 1, "\n  rank 0 has waited in MPI_Wait since 0 s for a message from 1 with tag 7" },
        { "faults test", 1, "\n  rank 1 calls MPI_Test" },
        { "faults patience", 0, "simkit: 2 tasks" },
        { "faults terminated", 143,
          "ended by signal 15, Terminated, at 0.25 s: rank 0 in MPI_Recv; rank 1 computing after MPI_Wtime\n" },
        { "faults threads", 1, "rank 0: a thread called MPI_" },
        { "faults threads", 1, "only one thread of a rank may be in a call at a time (MPI_THREAD_SERIALIZED)" },
        { "faults alone contiguous", 1, "rank 0 in MPI_Type_contiguous at 0 s: MPI_ERR_COUNT" },
        { "faults alone hvector", 1, "rank 0 in MPI_Type_hvector at 0 s: MPI_ERR_COUNT" },
        { "faults alone vector", 1, "rank 0 in MPI_Type_vector at 0 s: MPI_ERR_COUNT" },
        { "faults alone range_excl", 1, "rank 0 in MPI_Group_range_excl at 0 s: MPI_ERR_ARG" },
        { "faults alone difference", 1, "rank 0 in MPI_Group_difference at 0 s: MPI_ERR_GROUP" },
        { "faults alone comm_group", 1, "rank 0 in MPI_Comm_group at 0 s: MPI_ERR_COMM" },
        { "faults alone comm_free", 1, "rank 0 in MPI_Comm_free at 0 s: MPI_ERR_COMM" },
        { "faults alone disconnect", 1, "rank 0 in MPI_Comm_disconnect at 0 s: MPI_ERR_COMM" },
        { "faults alone dims", 1, "rank 0 in MPI_Dims_create at 0 s: MPI_ERR_DIMS" },
        { "faults alone get_count", 1, "rank 0 in MPI_Get_count at 0 s: MPI_ERR_TYPE" },
        { "faults alone handler", 1, "rank 0 in MPI_Errhandler_create at 0 s: MPI_ERR_ARG" },
        { "faults alone start", 1, "rank 0 in MPI_Start at 0 s: MPI_ERR_REQUEST" },
        { "faults alone freed_comm", 1, "rank 0 in MPI_Bcast at 0 s: MPI_ERR_COMM" },
        { "faults alone freed_twice", 1, "rank 0 in MPI_Comm_free at 0 s: MPI_ERR_COMM" },
        { "faults alone freed_type", 1, "rank 0 in MPI_Bcast at 0 s: MPI_ERR_TYPE" },
        { "faults alone leader", 1, "rank 0 in MPI_Intercomm_create at 0 s: MPI_ERR_RANK" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run_on(machine_of_faults, NOTHING "SIMKIT_POLLS=5000 SIMKIT_NP=2", cases[i].program);
        says(cases[i].sentence);
        if (status != cases[i].status) print_message("%s: status %d\n", cases[i].program, status);
        assert_int_equal(status, cases[i].status);
    }
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=2 SIMKIT_TIME_LIMIT=0.015", "faults patience");
    says("the time limit, --time-limit or SIMKIT_TIME_LIMIT=0.015, was exceeded at 0.015");
    says("\n  rank 1 calls MPI_Iprobe");
    assert_int_equal(status, 1);
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=2 SIMKIT_TIME_LIMIT=0.025", "faults patience");
    assert_int_equal(status, 0);
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=3", "faults crash_first");
    says("has not been called by rank 1, which has ended; rank 2, which has not begun\n");
    run("REFUSE_SETENV=1", "faults status");
    says("simkit: SIMKIT_PREPARED cannot be set: Cannot allocate memory");
    assert_int_equal(status, 1);
    run("SIMKIT_NP=2", "faults name");
    prints("faults\n");
#ifndef TESTS_SLOW /* sanitizers want more */
    run("ulimit -v 1000000; SIMKIT_NP=2", "faults none");
    says("simkit: 2 tasks");
    run("ulimit -v 100000; SIMKIT_NP=2", "faults none");
    says("0.0477 GiB must be mapped, of which only used pages take memory: half of the limit on address space (ulimit "
         "-v), expected at least 64 MiB; type 'ulimit -v unlimited', or 'ulimit -v 262144' or more");
    run("ulimit -v 1000000; SIMKIT_NP=3000 SIMKIT_CORES=1 SIMKIT_RANKS=together", "faults none");
    says(
        "ranks together: no memory for the stacks of 3000 ranks, 256 kB each; 'ulimit -v' is 1000000, and messages may "
        "take half of it\n");
    run("ulimit -f 1000; SIMKIT_NP=2", "faults none");
    says("File too large; 256 GiB must be mapped, of which only used pages take memory, but the file size is "
         "limited");
#endif
    run("SIMKIT_NP=1", "faults nowhere");
    prints("MPI_ERR_WIN: invalid window, 1\na copy that is refused: 1, no type\n");
    run("SIMKIT_NP=1", "faults spawn");
    prints("spawn: MPI_ERR_SPAWN\n");
}

/* A program with -g: error messages name lines. */
static void lines_of_calls_are_told(void **state)
{
    static const struct {
        const char *word, *sentence;
    } cases[] = {
        { "recv", "rank 1 has waited in MPI_Recv (line.c:10) since 0 s for" },
        { "recv", "rank 0 has waited in MPI_Finalize (line.c:17) since 0 s for" },
        { "recv", "has not been called by rank 1, which is in MPI_Recv (line.c:10)\n" },
        { "send", "warning: rank 1 never received a message from rank 0 with tag 5 on MPI_COMM_WORLD: 4 B, 1 of "
                  "MPI_INT sent by "
                  "MPI_Send (line.c:11) at 0 s\n" },
        { "irecv", "warning: rank 1 called MPI_Finalize with a request of MPI_Irecv (line.c:12) for a message from 0" },
        { "tag", "rank 0 in MPI_Send (line.c:13) at 0 s: MPI_ERR_TAG" },
        { "bcast", "called MPI_Bcast(1 of MPI_INT, root 1) (line.c:14) at 0 s" },
        { "exit", "rank 1 on node1 ended with status 3 (line.c:15) at 0 s without MPI_Finalize, after MPI_" },
        { "loop", "sets the limit): it computes (line.c:16), after MPI_" },
#ifndef TESTS_SLOW /* sanitizers report it first */
        { "crash", "rank 1 on node1 was killed by signal 11, Segmentation fault (line.c:16), at 0 s, after MPI_Init" },
#endif
    };
    static const char text[] =
        "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n#define IS(word) (strcmp(argv[1], word) == 0)\n"
        "int main(int argc, char **argv)\n{\nMPI_Request q;\nint r, v = 0, *volatile nowhere = NULL;\n"
        "MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
        "if (IS(\"recv\") && r == 1) MPI_Recv(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
        "if (IS(\"send\") && r == 0) MPI_Send(&v, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);\n"
        "if (IS(\"irecv\") && r == 1) MPI_Irecv(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &q);\n"
        "if (IS(\"tag\")) MPI_Send(&v, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);\n"
        "if (IS(\"bcast\")) MPI_Bcast(&v, 1, MPI_INT, r, MPI_COMM_WORLD);\n"
        "if (IS(\"exit\") && r == 1) exit(3);\n"
        "if (IS(\"crash\") && r == 1) *nowhere = 1; for (volatile int on = r; IS(\"loop\") && on;) continue;\n"
        "MPI_Finalize();\nreturn 0;\n}\n";
    char base[] = "/tmp/lines.XXXXXX", path[64], command[300];
    (void)state;
    if (system("command -v addr2line >/dev/null") != 0) skip();
    assert_non_null(mkdtemp(base));
    snprintf(path, sizeof path, "%s/line.c", base);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    snprintf(command, sizeof command, "../../simcc -g %s -o %s/line", path, base);
    run("", command);
#ifdef TESTS_SLOW
    if (status != 0) skip(); /* the library has sanitizers, which this link does not know */
#endif
    assert_int_equal(status, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(command, sizeof command, "../../simrun -np 2 --compute none --patience 3 --machine %s %s/line %s",
                 machine, base, cases[i].word);
        run_on(machine_of_faults, "env -u SIMKIT_LINES", command);
        says(cases[i].sentence);
    }
    snprintf(command, sizeof command, "rm -r %s", base);
    assert_int_equal(system(command), 0);
}

/* A program prints and reports the same on one core and, several times each, on four and on two. */
static void same_on_several_cores(const char *settings, const char *program, int times)
{
    char first[sizeof output], report[sizeof errors];
    setenv("SIMKIT_CORES", "1", 1);
    run(settings, program);
    memcpy(first, output, sizeof first);
    memcpy(report, errors, sizeof report);
    for (int k = 0; k < 2 * times; ++k) {
        setenv("SIMKIT_CORES", k % 2 ? "2" : "4", 1);
        run(settings, program);
        assert_string_equal(output, first);
        assert_string_equal(errors, report);
    }
}

/* With several cores ranks run ahead of their turns, here whenever they can. Events are the same, and so is what goes wrong. */
static void ranks_run_ahead_on_several_cores(void **state)
{
    static const struct {
        const char *program;
        int times; /* processes meet in a different way each time */
    } runs[] = { { "conform collectives", 1 }, { "conform p2p", 1 },          { "conform requests", 1 },
                 { "conform comms", 4 },       { "patterns barrier", 1 },     { "nonblocking", 1 },
                 { "segments exchange", 1 },   { "patterns serve 65536", 1 }, { "patterns rounds 40", 4 } };
    static const char *const ranks[] = { "SIMKIT_COMPUTE=none SIMKIT_REPORT=- SIMKIT_NP=6",
                                         "SIMKIT_COMPUTE=none SIMKIT_REPORT=- SIMKIT_NP=9" };
    /* All combinations take minutes: make soak sets TESTS_ALL. */
    const bool all = getenv("TESTS_ALL") != NULL;
#ifdef TESTS_SLOW
    enum { SEEDS = 3, MOST = 1 };
#else
    enum { SEEDS = 12, MOST = 4 };
#endif
    setenv("SIMKIT_AHEAD", "0", 1);
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i += all ? 1 : 3) /* 3: now one number of ranks, now the other */
        same_on_several_cores(ranks[i % 2], runs[i / 2].program, runs[i / 2].times < MOST ? runs[i / 2].times : MOST);
    assert_null(strstr(output, "wrong"));
    for (int seed = 1; seed <= (all ? SEEDS : SEEDS / 3); ++seed) {
        char program[40];
        snprintf(program, sizeof program, "patterns drawn %d", seed);
        same_on_several_cores(ranks[seed % 2], program, 1);
    }
    conforms(5);
#ifndef TESTS_SLOW
    conforms(2);
    conforms(8);
#endif
    run("SIMKIT_CORES=some", "patterns barrier");
    says("SIMKIT_CORES=some: expected a whole number from 1 to 1024, or all");
    run("SIMKIT_CORES=2 SIMKIT_RANKS=together", "patterns barrier");
    says("SIMKIT_CORES=2: ranks that share a process (SIMKIT_RANKS=together) use one core");
#ifndef TESTS_SLOW
    a_rank_that_goes_wrong_ends_the_run(state);
    lines_of_calls_are_told(state); /* may skip the rest */
#else
    (void)state;
#endif
}

static int cores_unset(void **state)
{
    (void)state;
    unsetenv("SIMKIT_CORES");
    unsetenv("SIMKIT_AHEAD");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_goes_wrong_ends_the_run),
        cmocka_unit_test(lines_of_calls_are_told),
        cmocka_unit_test_teardown(ranks_run_ahead_on_several_cores, cores_unset),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
