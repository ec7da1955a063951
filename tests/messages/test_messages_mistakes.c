/* examples/messages: mistakes in programs, settings and machine files, and how they are told. */
#include "programs.h"

/* Sanitizers look at a quarter of the mistakes: each is a run of some processes. */
#ifdef TESTS_SLOW
enum { EACH = 4 };
#else
enum { EACH = 1 };
#endif

/* A rank whose count is larger than that of the others overwrites nothing, and whoever has no room for it is told. */
static void counts_that_differ_are_truncated(void **state)
{
    static const struct {
        const char *word;
        int told; /* of 2 ranks */
    } cases[] = {
        { "gather", 0 },    { "gatherv", 0 },    { "scatter", 1 },        { "scatterv", 1 },  { "bcast", 1 },
        { "reduce", 0 },    { "allreduce", 0 },  { "alltoall", 0 },       { "alltoallv", 0 }, { "bcast_vector", 1 },
        { "allgather", 0 }, { "allgatherv", 0 }, { "reduce_scatter", 0 },
    };
    static const char *const algorithms[] = { "", "SIMKIT_ALGORITHMS=gather=binomial,scatter=binomial",
                                              "SIMKIT_ALGORITHMS=allgather=linear,alltoall=pairwise" };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += EACH)
        for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; ++k) {
            char settings[128], program[64], wanted[64];
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=2 %s", algorithms[k]);
            snprintf(program, sizeof program, "mismatch return %s 50", cases[i].word);
            run(settings, program);
            snprintf(wanted, sizeof wanted, "rank %d: MPI_ERR_TRUNCATE\n", cases[i].told);
            if (status != 0 || !strstr(output, wanted))
                print_message("%s %s: %s%s\n", settings, program, output, errors);
            assert_int_equal(status, 0);
            assert_non_null(strstr(output, wanted));
            assert_null(strstr(output, "overwritten"));
            assert_null(strstr(output, "wrong"));
            if (strcmp(cases[i].word, "alltoallv") == 0) continue; /* there the one has no room for its own either */
            snprintf(wanted, sizeof wanted, "rank %d: MPI_SUCCESS\n", !cases[i].told);
            assert_non_null(strstr(output, wanted));
        }
    for (size_t i = 0; i < sizeof cases / sizeof *cases;
         i += EACH) /* of more ranks, each may choose an algorithm of its own */
        for (int ranks = 16; ranks <= 17; ++ranks) {
            char settings[64], program[64];
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=%d", ranks);
            snprintf(program, sizeof program, "mismatch return %s 100", cases[i].word);
            run(settings, program);
            const bool told = status == 0 ? strstr(output, "MPI_ERR_TRUNCATE") != NULL
                                          : status == 1 && strstr(errors, ": the counts differ\n");
            if (!told) print_message("%s %s: %s%s\n", settings, program, output, errors);
            assert_true(told);
            assert_null(strstr(output, "overwritten"));
            assert_null(strstr(output, "wrong"));
        }
}

/* Collective calls that are not the same on all ranks end the run, with what two of them called and when. */
static void collective_calls_that_differ_are_told(void **state)
{
    static const struct {
        const char *word, *sentence;
    } cases[] = {
        { "root", "rank 0 called MPI_Bcast(1 of MPI_INT, root 0) at 0.25 s, "
                  "rank 1 called MPI_Bcast(1 of MPI_INT, root 1) at 0.25 s: the roots differ" },
        { "operation", "rank 0 called MPI_Allreduce(1 of MPI_INT, MPI_PROD) at 0.25 s, "
                       "rank 1 called MPI_Allreduce(1 of MPI_INT, MPI_SUM) at 0.25 s: the operations differ" },
        { "other", "collective call 1 on MPI_COMM_WORLD differs among the ranks: rank 0 called MPI_Barrier at 0.25 s, "
                   "rank 1 called MPI_Bcast(1 of MPI_INT, root 0) at 0.25 s: the ranks made different calls, or" },
        { "order", "collective call 2 on MPI_COMM_WORLD differs among the ranks: " },
        { "order", "rank 0 called MPI_Allreduce(1 of MPI_INT, MPI_SUM) at 0.25 s" },
        { "order", "called MPI_Allgather(1 of MPI_INT) at 0.25 s" },
        { "left_out",
          "rank 0 called MPI_Finalize at 0.25 s, rank 1 called MPI_Barrier at 0.25 s: the ranks made different calls" },
        { "made", "collective call 1 on a communicator of 2 ranks made by MPI_Comm_split differs among the ranks: " },
        { "made", "rank 2 (1 in it) called MPI_Comm_dup at 0.25 s" },
        { "made", "rank 0 (0 in it) called MPI_Barrier at 0.25 s" },
        { "leaders", "rank 0 in MPI_Intercomm_create at 0.25 s: rank 1 of the other communicator made another call" },
        { "never", "MPI_Bcast(1 of MPI_INT, root 0), collective call 1 on MPI_COMM_WORLD, has not been called by rank "
                   "0, which is "
                   "in MPI_Recv\n" },
        { "never", "rank 1 has waited in MPI_Bcast(1 of MPI_INT, root 0) since 0.25 s for rank 0" },
        { "never", "rank 0 has waited in MPI_Recv since 0.25 s for a message from 1 with tag 3" },
        { "bcast", "rank 0 called MPI_Bcast(3 of MPI_INT, root 0) at 0.25 s, "
                   "rank 1 called MPI_Bcast(1 of MPI_INT, root 0) at 0.25 s: the counts differ" },
        { "bcast_vector", "MPI_Bcast(24 B, root 0)" },
        { "gather", "rank 0 called MPI_Gather(1 of MPI_INT, root 0) at 0.25 s, rank 3 called MPI_Gather(3 of" },
        { "reduce", "MPI_Reduce(3 of MPI_INT, MPI_SUM, root 0)" },
        { "allgatherv", "MPI_Allgatherv(16 B) at 0.25 s, rank 3 called MPI_Allgatherv(48 B) at 0.25 s" },
        { "alltoall_sent", "rank 0 called MPI_Alltoall(1 of MPI_INT) at 0.25 s, "
                           "rank 3 called MPI_Alltoall(1 of MPI_INT, sends 12 B) at 0.25 s: the counts differ" },
        { "allgather_sent", "rank 3 called MPI_Allgather(1 of MPI_INT, sends 12 B) at 0.25 s: the counts differ" },
        { "gatherv", "rank 0 in MPI_Gatherv at 0.25 s: MPI_ERR_TRUNCATE" },
        { "gatherv", ": 12 B from rank 3 with tag 0, but the buffer has 4 B" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char program[64];
        snprintf(program, sizeof program, "mismatch fatal %s", cases[i].word);
        run_on(machine_of_faults, NOTHING "SIMKIT_NP=4", program);
        says(cases[i].sentence);
        assert_int_equal(status, 1);
    }
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=4 SIMKIT_ALGORITHMS=bcast=chain", "mismatch return bcast");
    says(": the counts differ"); /* its messages are not the same in number, so that a code would not do */
    assert_int_equal(status, 1);
}

/* Mistakes that end a run, and warnings about others. */
static void mistakes_are_told(void **state)
{
    static const struct {
        const char *word;
        int status;
        const char *sentence;
    } cases[] = {
        { "unreceived", 0,
          "simkit: warning: rank 1 never received a message from rank 0 with tag 5 on MPI_COMM_WORLD: 4 B, 1 of "
          "MPI_INT sent by MPI_Send, first at 0.25 s, 3 times\n" },
        { "unreceived_half", 0,
          "warning: rank 1 never received a message from rank 3 with tag 6 on 'half', a communicator of 2 "
          "ranks made by MPI_Comm_split: 16 B, 16 of MPI_BYTE sent by MPI_Send at 0.25 s\n" },
        { "unreceived_late", 0,
          "warning: rank 1 never received a message from rank 0 with tag 5 on MPI_COMM_WORLD: 1048576 B, " },
        { "many", 0, "with tag 15 on" },
        { "many", 0, "simkit: and 24 other warnings\nsimkit: 4 tasks, " },
        { "incomplete", 0,
          "warning: rank 2 called MPI_Finalize with a request of MPI_Irecv for a message from 3 with tag 8, "
          "which no wait or test has completed\n" },
        { "incomplete", 0,
          "warning: rank 0 called MPI_Finalize with a request of MPI_Isend of a message to rank 1 with tag 9 on "
          "MPI_COMM_WORLD, which no wait or test has completed\n" },
        { "arrived", 1,
          "MPI_Finalize, collective call 1 on MPI_COMM_WORLD, has not been called by rank 1, which is in MPI_Recv\n" },
        { "arrived", 1,
          "rank 1 has waited in MPI_Recv since 0.25 s for a message from 0 with tag 8; what has arrived is from 0 "
          "with tag 7\n" },
        { "synchronous", 1,
          "rank 0 has waited in MPI_Ssend since 0.25 s until rank 1 receives its message of 4 B with tag 7\n" },
        { "half", 1, "has not been called by rank 2, which is in MPI_Recv; rank 3, which is in MPI_Recv\n" },
        { "half", 1,
          "rank 2 has waited in MPI_Recv since 0.25 s for a message from 0 (rank 0) with tag 4 on a communicator of 2 "
          "ranks made by MPI_Comm_split\n" },
        { "half", 1,
          "for a message from 0 (rank 0) with tag 4 on an intercommunicator of 2 and 2 ranks made by "
          "MPI_Intercomm_create" },
        { "types", 0,
          "warning: rank 1 received in MPI_Recv as MPI_DOUBLE a message from 0 with tag 5: 8 B, 2 of MPI_INT sent by "
          "MPI_Send: the types differ\n" },
        { "truncated", 1,
          "rank 1 in MPI_Waitall at 0.25 s: MPI_ERR_IN_STATUS: see the statuses for the error: 16 B, 4 of MPI_INT "
          "sent by MPI_Send from rank 0 with tag 5, but the buffer has 8 B\n" },
        { "types_bcast", 0,
          "rank 0 called MPI_Bcast(1 of MPI_INT, root 0) at 0.25 s, rank 1 called MPI_Bcast(1 of MPI_FLOAT, root "
          "0) at 0.25 s: the types differ\n" },
        { "in_place", 1, "rank 3 called MPI_Allgather(2 of MPI_INT) at 0.25 s: the counts differ\n" },
        { "short", 0,
          "warning: rank 0 called MPI_Gatherv and expected 12 B from rank 2, which sent 4 B: the counts differ\n" },
        { "half_root", 1, "rank 3 (1 in it) called MPI_Bcast(1 of MPI_INT, root 1) at 0.25 s" },
        { "half_root", 1, "rank 1 (0 in it) called MPI_Bcast(1 of MPI_INT, root 0) at 0.25 s" },
        { "sides", 1,
          "collective call 1 on an intercommunicator of 2 and 2 ranks made by MPI_Intercomm_create differs among " },
        { "sides", 1, "called MPI_Allreduce(1 of MPI_INT, MPI_SUM) at 0.25 s" },
        { "sides_root", 1, "called MPI_Bcast(1 of MPI_INT, MPI_ROOT) at 0.25 s: the roots differ\n" },
        { "sides_roots", 1, "on an intercommunicator of 2 and 2 ranks" },
        { "sides_name", 1, ": one side has MPI_ROOT, and the other one names its rank\n" },
        { "sides_operation", 1, ": the operations differ\n" },
        { "sides_count", 1, ": the counts differ\n" },
        { "sides_alltoall", 1, "called MPI_Alltoall(1 of MPI_INT, sends 0 B) at 0.25 s" },
        { "sides_alltoall", 1, ": the counts differ\n" },
        { "sides_absent", 1,
          "MPI_Barrier, collective call 1 on an intercommunicator of 2 and 2 ranks made by MPI_Intercomm_create, "
          "has not been called by rank 3, which is in MPI_Recv\n  rank 0" },
        { "long_name", 1, "MPI_Dist_graph_create_adjacent, collective call 1 on MPI_COMM_WORLD, has not been called " },
        { "bad_rank", 1, "rank 0 in MPI_Send at 0.25 s: MPI_ERR_RANK: invalid rank 4, expected 0 .. 3\n" },
        { "bad_root", 1, "rank 0 in MPI_Bcast at 0.25 s: MPI_ERR_ROOT: invalid root -7, expected 0 .. 3\n" },
        { "bad_tag", 1, ": MPI_ERR_TAG: invalid tag -5, expected 0 .. 1073741823\n" },
        { "bad_count", 1, ": MPI_ERR_COUNT: a count is -1, expected 0 or more\n" },
        { "started_twice", 1,
          "in MPI_Start at 0.25 s: MPI_ERR_REQUEST: the request is active: started, not yet compl" },
        { "uncommitted", 1, "in MPI_Bcast at 0.25 s: MPI_ERR_TYPE: the datatype has not been committed\n" },
        { "freed_type", 1, "in MPI_Bcast at 0.25 s: MPI_ERR_TYPE: the datatype was freed\n" },
        { "null_comm", 1, "in MPI_Barrier at 0.25 s: MPI_ERR_COMM: the communicator is MPI_COMM_NULL\n" },
        { "in_place_elsewhere", 1, "rank 1 in MPI_Reduce at 0.25 s: MPI_ERR_ARG: MPI_IN_PLACE is only for the root\n" },
        { "beyond_window", 1,
          "rank 0 in MPI_Put at 0.25 s: MPI_ERR_RMA_RANGE: bytes 90 to 105 of rank 1's window of 100 B\n" },
        { "no_program", 1, "rank 0 in MPI_Comm_spawn at 0.25 s: MPI_ERR_SPAWN: ./nothing could not be started\n" },
        { "no_service", 1,
          "in MPI_Lookup_name at 0.250001 s: MPI_ERR_NAME: no service 'nothing' has been published\n" },
        { "leaders_tags", 1,
          "4 of 4 tasks wait:\n  rank 0 has waited in MPI_Intercomm_create since 0.25 s for rank 1, the other leader, "
          "with tag 5 on MPI_COMM_WORLD, which has tag 6\n" },
        { "leaders_names", 1, "for rank 1, the other leader, with tag 5 on MPI_COMM_WORLD, which names rank 2\n" },
        { "idup_left_out", 1,
          "MPI_Comm_idup, collective call 1 on MPI_COMM_WORLD, has not been called by rank 1, which is in MPI_Recv\n" },
        { "idup_dup", 1, "rank 1 called MPI_Comm_dup at 0.25 s: the ranks made different calls, or in a different " },
        { "idup_barrier", 1, "rank 0 called MPI_Comm_idup at 0.25 s, rank 1 called MPI_Ibarrier at 0.25 s: the " },
        { "idup_copy", 1, "rank 0 in MPI_Comm_idup" },
        { "absent", 1,
          "MPI_Allreduce(1 of MPI_INT, MPI_SUM), collective call 1 on MPI_COMM_WORLD, has not been called by rank 2, "
          "which is in MPI_Recv\n" },
        { "stopped", 1,
          "of real time (--patience or SIMKIT_PATIENCE sets the limit): it is stopped by a signal, after " },
        { "computes", 1, "rank 2 on node2, process " },
        { "computes", 1, "it computes, after MPI_Barrier at 0.25 s\n" },
        { "reads", 1, "it waits in read(), " },
        { "other_thread", 0, " called MPI_Barrier, but MPI_THREAD_SINGLE was provided" },
        { "other_thread", 0,
          "rank 3: a thread other than that of MPI_Init" },
#ifndef TESTS_SLOW /* with a sanitizer, ranks have no library between them and the C library */
        { "usleep", 0, "simkit: 4 tasks, 0.251 s\n" },
        { "nanosleep", 0, "simkit: 4 tasks, 0.250001 s\n" },
        { "select", 0, "simkit: 4 tasks, 0.251 s\n" },
        { "poll", 0, "simkit: 4 tasks, 0.251 s\n" },
        { "gettimeofday", 0, "simkit: 4 tasks, 0.25 s\n" },
#endif
#ifdef TESTS_SLOW
        { "multiple", 0,
          "warning: rank 0 asked for MPI_THREAD_MULTIPLE and got MPI_THREAD_SERIALIZED: the threads of this program are "
          "not on the virtual clock\nsimkit: 4 tasks, " },
#else
        { "multiple", 0, "simkit: 4 tasks, " },
#endif
        { "files", 0,
          "warning: files are not modelled: rank 0 called MPI_File_open and got MPI_ERR_UNSUPPORTED_OPERATION, as for "
          "all "
          "calls for files\nsimkit: 4 tasks, " },
        { "files_fatal", 1, "rank 0 in MPI_File_open at 0.25 s: MPI_ERR_UNSUPPORTED_OPERATION: not supported\n" },
        { "freed_op", 1, "rank 0 in MPI_Allreduce at 0.25 s: MPI_ERR_OP: invalid operation" },
        { "after", 1, "used a communicator after MPI_Finalize" },
#ifndef TESTS_SLOW /* sanitizers report it first */
        { "bad_buffer", 139, "rank 0 on node was killed by signal 11, Segmentation fault, at 0.25 s, in MPI_Send\n" },
#endif
    };
    static const char *const right[] = { "real_right", "types_right", "sides_right", "handles_freed", "nothing" };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += EACH) {
        char program[64];
        snprintf(program, sizeof program, "mistakes %s", cases[i].word);
        run_on(machine_of_faults, NOTHING "SIMKIT_NP=4 SIMKIT_PATIENCE=2", program);
        says(cases[i].sentence);
        if (status != cases[i].status) print_message("%s: status %d\n", program, status);
        assert_int_equal(status, cases[i].status);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; ++i) {
        char program[64];
        snprintf(program, sizeof program, "mistakes %s", right[i]);
        run_on(machine_of_faults, NOTHING "SIMKIT_NP=4 SIMKIT_WARNINGS=all", program);
        if (lines(errors) != 1) print_message("%s: %s\n", program, errors);
        assert_int_equal(lines(errors), 1);
        assert_int_equal(status, 0);
    }
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=4 SIMKIT_WARNINGS=all", "mistakes handles");
    says("warning: a communicator made by MPI_Comm_split was never freed, 4 times\n");
    says("warning: a communicator made by MPI_Intercomm_create was never freed, 4 times\n");
    says("warning: a datatype made by MPI_Type_vector was never freed, 4 times\n");
    says("warning: a group was never freed, 4 times\n");
    says("warning: an operation made by MPI_Op_create was never freed, 4 times\n");
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=4", "mistakes handles");
    assert_int_equal(lines(errors), 1);
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=4 SIMKIT_WARNINGS=none", "mistakes many");
    assert_int_equal(lines(errors), 1);
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=2", "patterns");
    says("usage: patterns PATTERN [BYTES]");
    assert_int_equal(status, 2);
}

/* What is charged, or not, without being modelled. */
/* Ranks that share a process have no library between them and the C library. */
static void waits_together_are_told(void **state)
{
    static const char *const cases[][2] = {
        { "usleep", "rank 0 called usleep(): sleeping takes no virtual time\nsimkit: 4 tasks, " },
        { "nanosleep", "rank 0 called nanosleep(): sleeping takes no virtual time\nsimkit: 4 tasks, " },
        { "select", "rank 0 called select(): sleeping takes no virtual time\nsimkit: 4 tasks, " },
        { "poll", "rank 0 called poll(): sleeping takes no virtual time\nsimkit: 4 tasks, " },
        { "gettimeofday", "rank 0 reads a clock of this machine by gettimeofday(): only MPI_Wtime() is virtual\nsimkit: 4 " },
        { "clock_gettime", "rank 0 reads a clock of this machine by clock_gettime(): only MPI_Wtime()" },
        { "time", "rank 0 reads a clock of this machine by time(): only MPI_Wtime()" },
    };
    (void)state;
#ifdef TESTS_SLOW /* under sanitizers, ranks share no process */
    skip();
#endif
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += EACH) {
        char program[64];
        snprintf(program, sizeof program, "mistakes %s", cases[i][0]);
        run_on(machine_of_faults, NOTHING "SIMKIT_RANKS=together SIMKIT_NP=4", program);
        says(cases[i][1]);
        assert_int_equal(status, 0);
    }
}

/* The rank computes for 2 ms before it ends in that way; the others, for 1 and 3 ms, compute for 10 ms more, and end without
 * MPI_Finalize, or wait for it. */
static void ends_are_predicted(void **state)
{
    static const char of_others[] =
        "warning: rank 2 on a2 ended at 0.013 s without MPI_Finalize, after skeleton_compute\nsimkit: 3 tasks, 0.013 s\n";
    static const struct {
        const char *way;
        int status;
        const char *sentence, *last;
    } cases[] = {
        { "return", 0, "rank 1 on a1 ended at 0.002 s without MPI_Finalize, after skeleton_compute\n", of_others },
        { "exit3", 3, "rank 1 on a1 ended with status 3 at 0.002 s without MPI_Finalize, after ", of_others },
        { "finalize3", 3, "rank 1 on a1 ended with status 3 at 0.014 s, after MPI_Finalize\n", "simkit: 3 tasks, 0.015 s\n" },
        { "abort3", 3, "warning: rank 1 called MPI_Abort with 3 at 0.002 s: the run ends there\n",
          "simkit: 3 tasks, 0.002 s\n" },
        { "abort256", 1, "warning: rank 1 called MPI_Abort with 256 at 0.002 s: the run ends there\n",
          "simkit: 3 tasks, 0.002 s\n" },
        { "wait_return", 1, "deadlock at 0.005 s: no event is left, but 2 of 3 tasks wait:\n",
          "has not been called by rank 1, which has ended\n" },
        { "wait_exit3", 3, "deadlock at 0.005 s: no event is left, but 2 of 3 tasks wait:\n",
          "warning: rank 1 on a1 ended with status 3 at 0.002 s without MPI_Finalize, after skeleton_compute\n" },
        { "before_exit3", 3, "rank 1 on a1 ended with status 3 at 0 s, after its start\n", "simkit: 3 tasks, 0 s\n" },
#ifndef TESTS_SLOW /* with a sanitizer, ranks have no library between them and the C library */
        { "_exit", 0, "rank 1 on a1 ended at 0.002 s without MPI_Finalize, after skeleton_compute\n", of_others },
        { "_Exit3", 3, "rank 1 on a1 ended with status 3 at 0.002 s without MPI_Finalize, after ", of_others },
        { "quick_exit3", 3, "rank 1 on a1 ended with status 3 at 0.002 s without MPI_Finalize, after ", of_others },
        { "syscall3", 3, "rank 1 on a1 ended with status 3 at 0.002 s without MPI_Finalize, after ", of_others },
        { "thread3", 3, "rank 1 on a1 ended with status 3 at 0.002 s without MPI_Finalize, after pthread_join\n", of_others },
        { "finalize_exit3", 3, "rank 1 on a1 ended with status 3 at 0.014 s, after MPI_Finalize\n",
          "simkit: 3 tasks, 0.015 s\n" },
#endif
    };
    static const char hosts[] = "[network]\nlatency = 1 ms\n[node a]\n";
    (void)state;
    for (int cores = 1; cores <= 2; ++cores)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i += EACH) {
            char settings[64], program[64];
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=3 SIMKIT_CORES=%d", cores);
            snprintf(program, sizeof program, "ends %s 1", cases[i].way);
            run_on(hosts, settings, program);
            says(cases[i].sentence);
            says(cases[i].last);
            assert_int_equal(status, cases[i].status);
        }
    run_on(hosts, NOTHING "SIMKIT_NP=3", "ends exit3 -1"); /* all of them */
    says("rank 2 on a2 ended with status 3 at 0.003 s without MPI_Finalize, after skeleton_compute\n");
    says("simkit: 3 tasks, 0.003 s\n");
    assert_int_equal(status, 3);
}

static void gaps_of_the_model_are_told(void **state)
{
    static const char one_host[] = "[network]\nlatency = 1 ms\n[node a]\ncount = 1\ncores = 4\n";
    char with_memory[160];
    (void)state;
    run_on(machine_of_faults, NOTHING "SIMKIT_NP=4", "mistakes files");
    prints("4 1\n");
    run_on(one_host, NOTHING "SIMKIT_NP=4", "mistakes incomplete");
    says(" messages between ranks of one host took no time, because without measured times (SIMKIT_COMPUTE=none) the "
         "machine file has to say it: copy or self_transmit of a node\n");
    run_on(one_host, NOTHING "SIMKIT_NP=4 SIMKIT_MEMORY_RATE='1 GB/s'", "mistakes incomplete");
    says("warning: SIMKIT_MEMORY_RATE has no effect: no node of the machine file has a memory_bandwidth\n");
    run_on(one_host, NOTHING "SIMKIT_NP=4 SIMKIT_WARNINGS=none", "mistakes incomplete");
    assert_int_equal(lines(errors), 1);
    snprintf(with_memory, sizeof with_memory, "%smemory_bandwidth = 1 GB/s\n", one_host);
    run_on(with_memory, NOTHING "SIMKIT_NP=4", "mistakes incomplete");
    says("warning: node 'a' of the machine file has a memory_bandwidth, which slows no computation: how many bytes a "
         "rank moves in a second of its CPU time is for --memory-rate to say\n");
    assert_null(strstr(errors, "took no time"));
}

static void bad_settings_are_told(void **state)
{
    static const struct {
        const char *settings, *sentence;
    } cases[] = {
        { "SIMKIT_NP=0", "SIMKIT_NP=0: expected a whole number from 1 to 65536" },
        { "SIMKIT_NP=-3", "SIMKIT_NP=-3: expected" },
        { "SIMKIT_NP=two", "SIMKIT_NP=two: expected" },
        { "SIMKIT_NP=", "SIMKIT_NP=: expected" },
        { "SIMKIT_NP=1000000000", "expected a whole number" },
        { "SIMKIT_MACHINES=/nowhere", "SIMKIT_MACHINES=/nowhere: the file cannot be read: No such file or directory" },
        { "SIMKIT_PLACE=/nowhere", "SIMKIT_PLACE=/nowhere: the file cannot be read: No such file or directory" },
        { "SIMKIT_SEED=day", "SIMKIT_SEED=day: expected a whole number from 0" },
        { "SIMKIT_USERS=/nowhere", "/nowhere: the file cannot be read: No such file or directory" },
        { "SIMKIT_MEMORY_RATE=2", "SIMKIT_MEMORY_RATE=2: expected bytes in a second, such as 2 GB/s" },
        { "SIMKIT_COMPUTE=some", "SIMKIT_COMPUTE=some: expected measured or none" },
        { "SIMKIT_POLLS=-1", "SIMKIT_POLLS=-1: expected a whole number from 0" },
        { "SIMKIT_TIME_LIMIT=0", "SIMKIT_TIME_LIMIT=0: expected a number of seconds > 0" },
        { "SIMKIT_TIME_LIMIT=nan", "SIMKIT_TIME_LIMIT=nan: expected a number of seconds" },
        { "SIMKIT_PATIENCE=-1", "SIMKIT_PATIENCE=-1: expected a number of seconds > 0" },
        { "SIMKIT_WARNINGS=loud", "SIMKIT_WARNINGS=loud: expected usual, all or none" },
        { "SIMKIT_TIME_LIMIT=3h", "SIMKIT_TIME_LIMIT=3h: expected a number of seconds" },
        { "SIMKIT_NP=2 SIMKIT_ALGORITHMS=bcast=magic",
          "'bcast=magic': expected for bcast: automatic, linear, binomial, binomial-nearest, ring, chain" },
        { "SIMKIT_NP=2 SIMKIT_ALGORITHMS=broadcast=ring", "'broadcast=ring': expected one of barrier, bcast, " },
        { "SIMKIT_TRACE=x.svg,x.txt", "SIMKIT_TRACE: x.txt: expected a path that ends in .svg, " },
        { "SIMKIT_TRACE=/nowhere/x.svg", "SIMKIT_TRACE: /nowhere/x.svg: No such file or directory" },
        { "SIMKIT_REPORT=/nowhere/x", "SIMKIT_REPORT=/nowhere/x: No such file or directory" },
        { "SIMKIT_REPORT=/tmp", "SIMKIT_REPORT=/tmp: Is a directory" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run(cases[i].settings, "patterns bcast 1");
        says(cases[i].sentence);
        assert_string_equal(output, ""); /* nothing has run */
        assert_int_equal(status, 2);
        assert_int_equal(lines(errors), 1);
    }
}

static void bad_machine_files_are_told(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        { "", "expected at least one section [node NAME]" },
        { "[machine]\nname = x\n", "expected at least one section [node NAME]" },
        { "speed = 2\n", ":1:1: key 'speed' is before the first [section]" },
        { "[node a\nspeed = 2\n", ":1:8: expected ']'" },
        { "[nodes a]\n", ":1:2: 'nodes' is unknown, expected machine, network, node, pair, link, route or operation" },
        { "[host a]\n", ":1:2: [host NAME] is now [node NAME]" },
        { "[type a]\n", ":1:2: [type NAME] is now [node NAME]" },
        { "[node a]\nfactor = 2\n", ":2:1: 'factor' of [node] is now 'speed', its reciprocal" },
        { "[node a]\nlatency = 2 us\n", ":2:1: 'latency' of [node] is now 'latency' of [network], of the whole path" },
        { "[machine]\nsharing = equal\n", ":2:1: 'sharing' of [machine] is now 'sharing' of [network]" },
        { "[node a]\nspeed = 0\n", ":2:9: 'speed' is 0, expected a number > 0" },
        { "[node a]\nspeed = 2\nspeed = 3\n", ":3:1: duplicate key 'speed', first set in line 2" },
        { "[node a]\nspawn = 2 s\nspawn = 3 s\n", ":3:1: duplicate key 'spawn', first set in line 2" },
        { "[node a]\ncolour = 1\n", ":2:1: section [node] has no key 'colour'" },
        { "[node a]\ncores = 0\n", ":2:9: expected a whole number" },
        { "[node a]\ncount = 65535\n[node b]\ncount = 2\n", "more than 65536 nodes" },
        { "[node a]\nbandwidth = 0 MB/s\n", ":2:13: 'bandwidth' is 0, expected a number > 0" },
        { "[network]\nlatency = 5\n", ":2:12: there is no unit, expected one of: s, ms, us, ns, min, h" },
        { "[node a]\nsend = 5 MB/s\n", ":2:8: the unit is 'B/s', expected a time (s, ms, us, ns, min, h) or a size" },
        { "[node a]\nsend = 5 us + 3 s\n",
          ":2:17: the unit is 's', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
        { "[node a]\nsend = 5 us + 0 B/s\n", ":2:15: the bandwidth is 0, expected a number > 0" },
        { "[node a]\nsend = 1 kB 5 us\n", "expected ':' and a time after the size" },
        { "[node a]\nsend = 1 kB: 5 us, 0 B: 6 us\n", ":2:20: " },
        { "[node a]\nsend = 1 us x\n", "expected the end of the line" },
        { "[node a]\n[node a]\n", ":2:7: duplicate node 'a'" },
        { "[node a]\nplacement = explicit\n", "placement of the first node is explicit, expected any" },
        { "[node a]\nplacement = here\n", ":2:13: 'here' is unknown, expected any or explicit" },
        { "[node a]\n[pair a b]\n", ":2:9: there is no node 'b' above" },
        { "[node a]\n[pair a a]\n[pair a a]\n", ":3:7: duplicate pair" },
        { "[node a]\n[pair a a]\nsend = 1 us\nreceive = 1 us\nsend = 2 us\n",
          ":5:1: duplicate key 'send' of this pair" },
        { "[node a]\nsend = 1 us\n[node b]\nsend = 2 us\nsend = 2 us\n",
          ":5:1: duplicate key 'send', first set in line 4" },
        { "[machine]\nlook = 1 us\n[node a]\n[machine]\nlook = 2 us\n",
          ":5:1: duplicate key 'look', first set in line 2" },
        { "[node a]\n[pair a a]\nspeed = 1\n", ":3:1: section [pair] has no key 'speed'" },
        { "[node a]\n[pair a a]\nlatency = 1 us\n",
          ": the pair a a has a latency or a bandwidth; within a host, 'self_transmit' of its [node] is the time on the way" },
        { "[node a]\nbandwidth = 1 MB/s\n[node b]\n[pair a b]\nbandwidth = 2 MB/s\n",
          ": the pair a b has 2e+06 B/s, but the way between them carries 1e+06 B/s; a cable beside the links of the nodes is "
          "a [link] on a [route] with 'direct = yes'" },
        { "[node a]\nquota = 2 ms\n", ":1:1: node 'a' has a quota, but no period" },
        { "[machine]\nprogress = never\n", ":2:12: 'never' is unknown, expected always or calls" },
        { "[network]\nsharing = fair\n", ":2:11: 'fair' is unknown, expected equal or maxmin" },
        { "[node a]\nnice_rule = unix\n", ":2:13: 'unix' is unknown, expected linux_today or linux_2_2" },
        { "[machine]\nusers =\n", ":2:8: expected" },
        { "[machine]\nearly = 3 s\n", ":2:11: the unit is 's', expected one of: B, kB, MB, GB, KiB, MiB, GiB" },
        { "[machine]\nsize = 3\n", ":2:1: section [machine] has no key 'size'" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run_on(cases[i].text, "SIMKIT_NP=2", "patterns bcast 1");
        says(cases[i].sentence);
        assert_int_equal(status, 2);
        assert_int_equal(lines(errors), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_differ_are_truncated),
        cmocka_unit_test(collective_calls_that_differ_are_told),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(waits_together_are_told),
        cmocka_unit_test(ends_are_predicted),
        cmocka_unit_test(gaps_of_the_model_are_told),
        cmocka_unit_test(bad_settings_are_told),
        cmocka_unit_test(bad_machine_files_are_told),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
