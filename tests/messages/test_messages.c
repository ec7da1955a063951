/* examples/messages: programs of MPI and PVM on the virtual clock. Each test runs a program that build/simcc has made,
 * and looks at what it prints, what it says when something goes wrong, and at the virtual time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char programs[512], machine[64], people[64], output[1 << 20], errors[1 << 16];
static int status;

static size_t slurp(const char *path, char *text, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t length = f ? fread(text, 1, room - 1, f) : 0;
    text[length] = 0;
    if (f) fclose(f);
    return length;
}

/* Runs a program with settings before it, such as "SIMKIT_NP=2". */
static void run(const char *settings, const char *program)
{
    char command[2048], out[64] = "/tmp/messages.XXXXXX", err[64] = "/tmp/messages.XXXXXX";
    int made[2] = { mkstemp(out), mkstemp(err) };
    assert_true(made[0] >= 0 && made[1] >= 0);
    close(made[0]);
    close(made[1]);
    snprintf(command, sizeof command, "%s timeout 120 %s/%s >%s 2>%s </dev/null", settings, programs, program, out,
             err);
    int result = system(command);
    status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    slurp(out, output, sizeof output);
    slurp(err, errors, sizeof errors);
    unlink(out);
    unlink(err);
}

/* The same with a machine file of this text. */
static void run_on(const char *text, const char *settings, const char *program)
{
    char all[1024];
    FILE *f = fopen(machine, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    snprintf(all, sizeof all, "SIMKIT_MACHINES=%s %s", machine, settings);
    run(all, program);
    unlink(machine);
}

/* The same where others use the hosts, too: a users file of this text. */
static void run_among(const char *users, const char *text, const char *settings, const char *program)
{
    char all[1024];
    FILE *f = fopen(people, "w");
    assert_non_null(f);
    fputs(users, f);
    fclose(f);
    snprintf(all, sizeof all, "SIMKIT_USERS=%s %s", people, settings);
    run_on(text, all, program);
    unlink(people);
}

static void says(const char *wanted)
{
    if (strstr(errors, wanted)) return;
    print_message("expected '%s' in:\n%s\n%s\n", wanted, errors, output);
    fail();
}

/* -- conformance --------------------------------------------------------------------------------------------------------- */

static int lines(const char *text)
{
    int count = 0;
    for (; *text; ++text) count += *text == '\n';
    return count;
}

/* What the real one printed, to the letter. */
static void equals(const char *path, const char *settings, const char *program)
{
    static char wanted[1 << 20];
    assert_true(slurp(path, wanted, sizeof wanted) > 1000);
    run(settings, program);
    if (status != 0) print_message("%s %s: %s\n", settings, program, errors);
    assert_int_equal(status, 0);
    assert_true(lines(wanted) >= 150);
    for (char *mine = output, *theirs = wanted; *mine || *theirs;) {
        size_t length = strcspn(mine, "\n"), other = strcspn(theirs, "\n");
        if (length != other || memcmp(mine, theirs, length) != 0) {
            print_message("%s %s:\nhere %.*s\nreal %.*s\n", settings, program, (int)length, mine, (int)other, theirs);
            fail();
        }
        mine += length + (mine[length] == '\n');
        theirs += other + (theirs[other] == '\n');
    }
}

static void conforms(int ranks)
{
    char path[128], settings[64];
    snprintf(path, sizeof path, "tests/messages/conform.np%d.txt", ranks);
    snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks);
    equals(path, settings, "conform");
}

static void pvm_conforms(void **state)
{
    (void)state;
    equals("tests/messages/pvm_conform.txt", "", "pvm_conform");
}

static void conforms_with_1(void **state)
{
    (void)state;
    conforms(1);
}
static void conforms_with_2(void **state)
{
    (void)state;
    conforms(2);
}
static void conforms_with_4(void **state)
{
    (void)state;
    conforms(4);
}
static void conforms_with_5(void **state)
{
    (void)state;
    conforms(5);
}
static void conforms_with_8(void **state)
{
    (void)state;
    conforms(8);
}

/* A call that is not implemented compiles, and the linker names it. */
static void absent_calls_do_not_link(void **state)
{
    char compiler[96], path[] = "/tmp/messages.XXXXXX.c";
    (void)state;
    int file = mkstemps(path, 2);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    assert_non_null(f);
    fputs("#include <mpi.h>\n"
          "static int sync(MPI_File file) { return MPI_File_sync(file); }\n"
          "int main(int argc, char **argv)\n"
          "{ (void)argv; return argc == 1 ? sync(MPI_FILE_NULL) : PMPI_File_close(NULL); }\n",
          f);
    fclose(f);
    snprintf(compiler, sizeof compiler, "../../simcc %s -o %s.out", path, path);
    run("", compiler);
    unlink(path);
    assert_int_not_equal(status, 0);
    says("MPI_File_sync");
    says("PMPI_File_close");
    assert_null(strstr(errors, "declar")); /* by the compiler: implicit declaration, undeclared */
}

/* Every collective with every number of ranks, by its usual algorithm and by each of the others. */
static void counts_are_right(const char *settings, int from, int to)
{
    char all[256];
    for (int ranks = from; ranks <= to; ++ranks) {
#ifdef TESTS_SLOW /* a sanitizer takes three times as long: a power of two, and not one */
        if (ranks != 3 && ranks != 8) continue;
#endif
        snprintf(all, sizeof all, "SIMKIT_NP=%d %s", ranks, settings);
        run(all, "conform counts waited_counts"); /* blocking and nonblocking */
        if (status != 0) print_message("%s: %s\n", all, errors);
        assert_int_equal(status, 0);
        assert_int_equal(lines(output), 2 * 31);
        for (const char *at = output; *at; at = strchr(at, '\n') + 1) {
            const char *end = strchr(at, '\n');
            if (memcmp(end - 2, "ok", 2) == 0) continue;
            print_message("%s: %.*s\n", all, (int)(end - at), at);
            fail();
        }
    }
}

static void collectives_are_right_for_1_to_17(void **state)
{
    (void)state;
    counts_are_right("", 1, 17);
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
        counts_are_right(settings, 2, 9);
        counts_are_right(settings, 16, 17);
    }
}

/* -- time ------------------------------------------------------------------------------------------------------------------ */

#define NOTHING "SIMKIT_COMPUTE=none "

/* The LogGOPS parameters L = 2500, o = 1500, G = 6 ns, as delays. */
static const char loggops[] = "[machine]\nlook = 0 s\n[node node]\nsend = 1500 ns\nreceive = 1500 ns\n"
                              "transmit = 1 B: 2500 ns, 1000001 B: 6002500 ns\n";

static void prints(const char *wanted)
{
    if (strcmp(output, wanted) == 0) return;
    print_message("expected %sfound    %s%s\n", wanted, output, errors);
    fail();
}

/* Against LogGOPSim, which gives these times for these parameters. */
static void trees_take_what_loggopsim_says(void **state)
{
    (void)state;
    run_on(loggops, NOTHING "SIMKIT_NP=8 SIMKIT_ALGORITHMS=bcast=binomial", "patterns bcast 1");
    prints("4500 8500 8500 12500 8500 12500 12500 16500\n");
    run_on(loggops, NOTHING "SIMKIT_NP=6 SIMKIT_ALGORITHMS=bcast=binomial", "patterns bcast 1");
    prints("4500 8500 8500 12500 7000 11000\n");
    run_on(loggops, NOTHING "SIMKIT_NP=6 SIMKIT_ALGORITHMS=bcast=binomial-nearest", "patterns bcast 1");
    prints("4500 8500 7000 11000 8500 12500\n");
    run_on(loggops, NOTHING "SIMKIT_NP=8", "patterns barrier");
    prints("16500 16500 16500 16500 16500 16500 16500 16500\n");
    run_on(loggops, NOTHING "SIMKIT_NP=16", "patterns barrier");
    assert_memory_equal(output, "22000 22000 ", 12);
    run_on(loggops, NOTHING "SIMKIT_NP=32", "patterns barrier");
    assert_memory_equal(output, "27500 27500 ", 12);
}

/* A connection takes a message there and one back, 54 us each; the side that comes first waits for the other. */
static void connections_take_two_messages(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=2", "ports time");
    prints("0.1083 ms\n0.1061 ms\n");
    run(NOTHING "SIMKIT_NP=2", "ports late");
    prints("10.0061 ms\n10.1083 ms\n"); /* the later side sends first, so the other one is through with its answer */
}

static void ports_serve_and_refuse(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=4", "ports all"); /* in the order of virtual time */
    prints("served 3\nserved 2\nserved 1\n");
    run(NOTHING "SIMKIT_NP=2", "ports refused");
    prints("PORT at 0.500 s, null 1, then PORT\n");
    run(NOTHING "SIMKIT_NP=2", "ports wrong");
    assert_non_null(strstr(output, "1: connect PORT accept PORT close PORT unpublish SERVICE lookup NAME\n"));
    run(NOTHING "SIMKIT_NP=2", "ports poll");
    prints("found at 0.2500 s\n");
    run(NOTHING "SIMKIT_NP=2", "ports spawn");
    prints("children 3\nchildren 3\n");
    run(NOTHING "SIMKIT_NP=2", "ports nobody");
    assert_int_equal(status, 1);
    says("deadlock at ");
    says("rank 0 has waited in MPI_Comm_accept since 4.512e-06 s for MPI_Comm_connect at port simkit:8\n");
    says("rank 1 has waited in MPI_Comm_connect since 6.3219483e-05 s for MPI_Comm_accept at port simkit:6\n");
    run(NOTHING "SIMKIT_NP=1", "ports fatal");
    assert_int_equal(status, 1);
    says("rank 0 in MPI_Comm_connect at 0 s: MPI_ERR_PORT: there is no port 'elsewhere', or it is closed");
}

static const char ether[] = "[machine]\neager = 64 KiB\n[network]\nlatency = 100 us\n[node node]\nbandwidth = 10 MB/s\n"
                            "send = 20 us + 100 MB/s\nreceive = 30 us + 50 MB/s\n";

static void a_message_takes_the_sum_of_its_delays(void **state)
{
    (void)state;
    /* 10 kB: send 120 us, transmit 100 + 1000 us, receive 230 us */
    run_on(ether, NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
    prints("2900000 1570000\n");
    /* 1 MB waits for its receiver: it asks, hears, and then comes; what sending takes is paid before it asks */
    run_on(ether, NOTHING "SIMKIT_NP=2", "patterns pingpong 1000000");
    double back, there;
    assert_int_equal(sscanf(output, "%lf %lf", &back, &there), 2);
    assert_true(fabs(back - 2 * (10.02e6 + 0.3e6 + 100e6 + 20.03e6)) < 1.0);
}

/* As a send call where the library asks first instead of copying. */
static void a_delay_may_fall_with_the_size(void **state)
{
    static const char falls[] = "[network]\nlatency = 100 us\n[node node]\nbandwidth = 10 MB/s\n"
                                "send = 0 B: 20 us, 8 kB: 60 us, 8 kB: 30 us, 12 kB: 10 us\n";
    (void)state;
    /* 10 kB: send 20 us, transmit 100 + 1000 us, and the peer has sent it back 20 us later */
    run_on(falls, NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
    prints("2240000 1140000\n");
}

/* What the calls of one-sided communication cost in messages, of 64 B for each access and 32 B for the rest. */
static void accesses_take_the_sum_of_their_messages(void **state)
{
    static const char nodes[] = "[machine]\neager = 64 KiB\n%s[network]\nlatency = 100 us\n[node node]\ncores = 2\n"
                                "bandwidth = 10 MB/s\nsend = 20 us + 100 MB/s\nreceive = 30 us + 50 MB/s\n";
    char machine[300];
    (void)state;
    snprintf(machine, sizeof machine, nodes, "");
    /* n bytes take s(n) = 20 us + 10 ns/B * n, l(n) = 100 us + 100 ns/B * n, r(n) = 30 us + 20 ns/B * n, in all m(n);
     * a fence: rank 1 sends 8 B, rank 0 answers with 4 B, then a barrier */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows fence 0");
    prints("451560 351560\n");
    /* with a put before it: s(64 + 1000) + l(64 + 1000), the 8 B behind it: 0.8 us + r(8), m(4), m(0) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows fence 1000");
    prints("568520 468520\n");
    /* lock: m(32) to ask, m(32) back; the put and the unlock: m(64 + 1000 + 32); the receipt: m(32) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows lock 1000");
    prints("754960 0\n");
    /* a large put asks first: l(0) + l(0) + m(64 + 100 000); the unlock has come meanwhile: r(32) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows lock 100000");
    prints("13851440 0\n");
    /* nothing is asked for the lock: m(64), m(32 + 1000); then the receipt, 2 m(32) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows get 1000");
    prints("750800 0\n");
    /* ten small puts go together: m(10 * 164 + 32) + m(32); of larger ones not more than 8192 B */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows many 100");
    prints("521520 0\n");
    /* post: m(32); the put with the end of the epoch: m(64 + 1000 + 32), of which the origin only waits for s() */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows pscw 1000");
    prints("185120 446640\n");
    /* a target that computes is no hindrance, */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows busy 1000");
    prints("754960 10000000\n");
    /* but if messages are only received in calls, the request for the lock waits for its next one */
    snprintf(machine, sizeof machine, nodes, "progress = calls\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows busy 1000");
    prints("10631440 10000000\n");
}

/* Random accesses, with any types and each synchronization, do to the windows what an obvious model does. */
static void accesses_do_what_they_should(void **state)
{
    static const char one_host[] = "[node node]\ncores = 8\ncount = 1\n";
    static const char *const flavors[] = { "create", "allocate", "dynamic" };
    (void)state;
    for (int ranks = 1; ranks <= 5; ++ranks)
        for (int i = 0; i < 3; ++i) {
            char settings[64], program[64];
            snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks);
            snprintf(program, sizeof program, "windows random 20 %s", flavors[i]);
            run(settings, program);
            prints("0\n");
        }
    run_on(one_host, "SIMKIT_NP=4", "windows random 20 shared");
    prints("0\n");
    run_on(one_host, "SIMKIT_NP=4", "windows shared");
    prints("0\n");
    /* the same where all messages ask first, and overtake each other */
    run_on("[machine]\neager = 64 B\n[node node]\nbandwidth = 10 MB/s\nsend = 1 us\nreceive = 2 us\n", "SIMKIT_NP=4",
           "windows random 20");
    prints("0\n");
    run_on(ether, "SIMKIT_NP=5", "windows exclude 10");
    prints("50 0\n");
    run_on(ether, "SIMKIT_NP=64", "windows count 20");
    prints("1280 0\n");
    run("SIMKIT_NP=6", "windows maximum");
    prints("4 of 2\n");
    run("SIMKIT_NP=2", "windows errors");
    prints("range fine range flavor other fine fine range \n");
    for (int ranks = 1; ranks <= 4; ++ranks) {
        char settings[64];
        snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks);
        run_on(ether, settings, "windows halo");
        prints("0\n");
    }
    run("SIMKIT_NP=3", "windows nobody");
    assert_int_equal(status, 1);
    says("rank 0 has waited in MPI_Win_wait");
    says("for MPI_Win_complete of those that access the window of rank 0");
    says("for the lock of the window of rank 2");
}

/* Each direction has its own pair; the file has them in any order. */
static void pairs_of_hosts_have_delays_of_their_own(void **state)
{
    static const char pairs[] =
        "[machine]\neager = 64 KiB\n[network]\nlatency = 100 us\n[node a]\nbandwidth = 10 MB/s\n"
        "send = 20 us + 100 MB/s\nreceive = 30 us + 50 MB/s\n[node b]\n[node c]\n"
        "[pair c a]\nlatency = 1 s\n[pair b a]\nlatency = 400 us\n[pair b c]\nlatency = 1 s\n"
        "[pair a c]\nreceive = 1 s\n[pair a b]\nlatency = 200 us\nreceive = 1 us\n[pair a a]\n";
    (void)state;
    /* 10 kB there: 120 us + 200 + 1000 us + 1 us; and back: 120 us + 400 + 1000 us + 230 us */
    run_on(pairs, NOTHING "SIMKIT_NP=3", "patterns pingpong 10000");
    prints("3071000 1441000 0\n");
}

static void large_messages_go_in_parts(void **state)
{
    const char *const links =
        "[machine]\neager = 64 KiB\n%s[network]\nlatency = 100 us\n[node node]\nbandwidth = 10 MB/s\n";
    char machine[200];
    (void)state;
    /* the question and its answer take 100 us each, then come 100 us and 100 ms */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns send 1000000");
    prints("100300000 100300000\n");
    /* a matched probe, which takes 1 us, and 1 ms of computation delay the answer */
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns matched 1000000");
    prints("101301000 101301000\n");
    /* 50 kB of it go with the question; the sender is through when all but 100 kB have gone */
    snprintf(machine, sizeof machine, links, "early = 50 kB\nbuffer = 100 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns send 1000000");
    prints("90300000 100300000\n");
    /* of 120 kB the rest finds room at once */
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns send 120000");
    prints("5300000 12300000\n");
    /* the answer waits for 6 ms of other bytes that go its way */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns behind 1000000");
    prints("106200000 106200000\n");
}

static void an_answer_waits_for_what_is_handed_over(void **state)
{
    const char *const links =
        "[machine]\neager = 1 kB\n%s[network]\nlatency = 10 us\n[node node]\nbandwidth = 10 MB/s\n";
    char machine[200];
    double first, second;
    (void)state;
    /* Four times 1 MB each way: 100 ms each, for both ways at once, and 30 us to ask and hear. Rank 1 begins 1 ms later. */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns swap 1000000");
    assert_int_equal(sscanf(output, "%lf %lf", &first, &second), 2);
    assert_true(fabs(second - (1e6 + 4 * 100.03e6)) < 20e3);
    /* An answer that finds a large message on its way waits for 200 kB of it. The part of 50 kB that is being transferred
     * counts as a whole, so it waits for 15 to 20 ms; its own message takes 5 ms. */
    snprintf(machine, sizeof machine, links, "ahead = 200 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns behind_large 1000000");
    assert_int_equal(sscanf(output, "%lf %lf", &first, &second), 2);
    assert_true(first > 10e6 + 15e6 + 5e6 && first < 10e6 + 20e6 + 5e6 + 0.1e6);
    snprintf(machine, sizeof machine, links, "ahead = 0 B\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns behind_large 1000000");
    assert_int_equal(sscanf(output, "%lf %lf", &first, &second), 2);
    assert_true(first > 10e6 + 5e6 && first < 10e6 + 5e6 + 0.1e6);
}

static void what_follows_costs_less(void **state)
{
    const char *const costs = "[machine]\nheader = 100 B\nheader_more = 20 B\n[network]\nlatency = 100 us\n"
                              "[operation messages]\nspacing = 1 ms\nrepeated = 50 %\n"
                              "[node node]\nbandwidth = 1 MB/s\nsend = 10 us\nreceive = 8 us\nwatch = 6 us\n"
                              "wake = 5 us\nsend_more = 1 us\nreceive_more = 2 us\n";
    (void)state;
    /* After computing the first send takes 10 us, the others, which find it on its way, 1 us each. The receiver computes
     * for longer than they need to arrive: 8 us for the first, 2 us for what is found with it. */
    run_on(costs, NOTHING "SIMKIT_NP=2", "patterns row 2000");
    prints("1012000 2012000\n");
    /* It waits: woken while the 100 B of the first header pass, from 1110 to 1210 us; the next ones come 20 and 40 us later.
     * None finds others, and without computing each takes half of 8 us. */
    run_on(costs, NOTHING "SIMKIT_NP=2", "patterns row 0");
    prints("1012000 1254000\n");
    /* of the receives a quarter */
    run_on("[machine]\nheader = 100 B\nheader_more = 20 B\n[network]\nlatency = 100 us\n"
           "[operation messages]\nspacing = 1 ms\nrepeated = 50 %\nrepeated_receive = 25 %\n"
           "[node node]\nbandwidth = 1 MB/s\nsend = 10 us\nreceive = 8 us\nsend_more = 1 us\n",
           NOTHING "SIMKIT_NP=2", "patterns row 0");
    prints("1012000 1252000\n");
}

static void a_receiver_of_a_busy_computer_is_awake(void **state)
{
    const char *const nodes = "[machine]\nlook = 1 us\n%s[node node]\n%ssend = 10 us\nreceive = 8 us\nwatch = 6 us\n"
                              "wake = 5 us\n%s";
    char machine[200];
    (void)state;
    /* There and back: each sends for 10 us, is woken in 5 us, watches for 6 us and receives for 8 us. */
    snprintf(machine, sizeof machine, nodes, "", "count = 4\nhosts = 2\n", "watch_busy = 1 us\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
    prints("58000 39000\n");
    /* On one computer the sender was active when the message came, which then takes 1 us instead of 5 and 6; at the end
     * rank 0 shares the core with rank 1, which sends its time and then ends. */
    const char *const one[] = { "count = 4\nhosts = 1\n", "hosts = 1\n" };
    for (int i = 0; i < 2; ++i) {
        snprintf(machine, sizeof machine, nodes, "", one[i], "watch_busy = 1 us\n");
        run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
        prints("47000 29000\n");
    }
    snprintf(machine, sizeof machine, nodes, "", one[0], "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
    prints("72000 39000\n");
    /* but not if the message comes 100 us later */
    snprintf(machine, sizeof machine, nodes, "[network]\nlatency = 100 us\n", one[0], "watch_busy = 1 us\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
    prints("258000 139000\n");
}

static void a_look_takes_longer_with_more_connections(void **state)
{
    (void)state;
    run_on("[machine]\nlook = 2 us\nlook_more = 3 us\n[node node]\n", NOTHING "SIMKIT_NP=3", "patterns looks");
    prints("10000 4000 4000\n"); /* 2 us, and 2 + 2 * 3 us after two messages */
}

static void a_link_takes_messages_in_their_order(void **state)
{
    const char *const links = "[machine]\n%s[node node]\nbandwidth = 1 MB/s\n";
    char machine[200];
    (void)state;
    /* two messages of 1000 B to two others share the link of their sender, or come one after the other */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=3", "patterns two 1000");
    prints("0 2000000 2000000\n");
    snprintf(machine, sizeof machine, links, "queue = 2 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=3", "patterns two 1000");
    prints("0 1000000 2000000\n");
    /* they are larger than the queue: they take turns */
    snprintf(machine, sizeof machine, links, "queue = 500 B\n");
    run_on(machine, NOTHING "SIMKIT_NP=3", "patterns two 1000");
    prints("0 2000000 2000000\n");
}

static void a_switch_stores_small_messages(void **state)
{
    const char *const links =
        "[machine]\nqueue = 10 kB\n%s[network]\nsharing = maxmin\n[node node]\nbandwidth = 1 MB/s\n";
    char machine[200];
    (void)state;
    /* Ranks 1 and 2 send 10 kB each to rank 0, whose link takes 20 ms for them. Then 1 sends to 3. Its first message is in
     * the queue for 10 ms, but leaves at half the speed, so the next one has the other half until 20 ms. For 8 us
     * a third message, of 8 B, takes its turn: rank 1 says when it was through. */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=4", "patterns crowd 10000");
    prints("20000000 0 0 25008000\n");
    /* if it is stored, it leaves at full speed, after 10 ms; what is too large is not */
    snprintf(machine, sizeof machine, links, "buffer = 10 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=4", "patterns crowd 10000");
    prints("20000000 0 0 20000000\n");
    snprintf(machine, sizeof machine, links, "buffer = 9999 B\n");
    run_on(machine, NOTHING "SIMKIT_NP=4", "patterns crowd 10000");
    prints("20000000 0 0 25008000\n");
}

static void acknowledgements_take_their_part_of_a_link(void **state)
{
    const char *const links =
        "[machine]\n%sacknowledge = 73 B\n[network]\nsharing = maxmin\n[node node]\nbandwidth = 1 MB/s\n";
    const char *const buffers[] = { "queue = 2 kB\n", "queue = 2 kB\nbuffer = 20 kB\n" };
    char machine[200];
    (void)state;
    for (int i = 0; i < 2; ++i) {
        snprintf(machine, sizeof machine, links, buffers[i]);
        /* ten packets: a host that only receives has nothing to send but acknowledgements */
        run_on(machine, NOTHING "SIMKIT_NP=3", "patterns send 14600");
        prints("0 14600000 0\n");
        /* 730 B beside what each sends to another one than that from which it receives */
        run_on(machine, NOTHING "SIMKIT_NP=3", "patterns round 14600");
        prints("15330000 15330000 15330000\n");
        /* two acknowledge with what they send to each other */
        run_on(machine, NOTHING "SIMKIT_NP=2", "patterns round 14600");
        prints("14600000 14600000\n");
    }
}

static void links_are_shared_as_the_machine_says(void **state)
{
    const char *const links = "[network]\n%s[node fast]\nbandwidth = 20 MB/s\n"
                              "[node slow]\nbandwidth = 10 MB/s\n[node third]\n[node fourth]\nbandwidth = 1 MB/s\n";
    char machine[300];
    (void)state;
    /* 100 kB to each: a third of the first one's link, of which the last can use but 1 MB/s */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=4 SIMKIT_ALGORITHMS=bcast=linear", "patterns bcast 100000");
    prints("0 15000000 15000000 100000000\n");
    snprintf(machine, sizeof machine, links, "sharing = maxmin\n");
    run_on(machine, NOTHING "SIMKIT_NP=4 SIMKIT_ALGORITHMS=bcast=linear", "patterns bcast 100000");
    prints("0 10526316 10526316 100000000\n");
}

/* Two clusters of two hosts: 10 MB/s in a cluster, and 1 MB/s and 900 us more between them. */
static const char clusters[] =
    "[network]\nlatency = 100 us\n[node a]\ncount = 2\nbandwidth = 10 MB/s\n[node b]\ncount = 2\n"
    "[link thin]\nbandwidth = 1 MB/s\nlatency = 900 us\n[route a b]\nlinks = thin\n";
static const char joined[] =
    "[network]\nlatency = 100 us\ntopology = clusters\nhosts = 2, 2\nlink_bandwidth = 10 MB/s\n"
    "joints = 1-2\njoint_bandwidth = 1 MB/s\njoint_latency = 900 us\n[node n]\n";

static void ranks_are_placed_on_a_network(void **state)
{
    char path[80], settings[200];
    (void)state;
    snprintf(path, sizeof path, "%s.place", machine);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=3 SIMKIT_PLACE=%s", path);
    for (int i = 0; i < 2; ++i) {
        const char *text = i ? joined : clusters;
        /* 10 kB there and back: 100 us + 1 ms each in a cluster, 1 ms + 10 ms each between them */
        run_on(text, NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
        prints("2200000 1100000\n");
        run_on(text, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=block", "patterns pingpong 10000");
        prints("2200000 1100000\n");
        run_on(text, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=round-robin", "patterns pingpong 10000");
        prints("22000000 11000000\n");
        /* 50 kB from each of two ranks, over the link that both share: 1 ms + 100 ms; within a cluster 100 us + 5 ms */
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(i ? "n0\nn2 # the other cluster\nn3\n" : "a0\nb0 # the other cluster\nb1\n", file);
        fclose(file);
        run_on(text, settings, "patterns gather 50000");
        prints("101000000 0 0\n");
        assert_non_null(file = fopen(path, "w"));
        fputs("1\n0\n2\n", file);
        fclose(file);
        run_on(text, settings, "patterns gather 50000");
        prints("51000000 0 0\n");
        assert_non_null(file = fopen(path, "w"));
        fputs("1\n 4\n", file);
        fclose(file);
        run_on(text, settings, "patterns gather 50000");
        says(".place:2:2: there is no node 4: the last is 3");
        assert_int_equal(status, 2);
    }
    remove(path);
    /* Ranks on one host share memory. */
    run_on("[node a]\ncores = 2\ncount = 4\n", "SIMKIT_NP=6", "conform split_by_memory");
    prints("split_by_memory: 0-4: ok | 5: null\n");
    /* Ranks on the cores of hosts: node after node, or one on each in turn. */
    static const char two[] =
        "[network]\nlatency = 100 us\n[node a]\ncores = 2\nbandwidth = 10 MB/s\nself_transmit = 1 us\n[node b]\n";
    run_on(two, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=block", "patterns pingpong 10000");
    prints("2000 1000\n");
    run_on(two, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=round-robin", "patterns pingpong 10000");
    prints("2200000 1100000\n");
    /* A TCP window of 1 kB and a round trip of 200 us: 5 MB/s. */
    run_on("[network]\nlatency = 100 us\nwindow = 1 kB\n[node a]\nbandwidth = 10 MB/s\n", NOTHING "SIMKIT_NP=2",
           "patterns pingpong 10000");
    prints("4200000 2100000\n");
}

static void senders_to_one_share_its_link(void **state)
{
    double times[4];
    (void)state;
    /* three messages of 50 kB into one: 20 us + 500 us, 100 us, then 15 ms for all; receives of 1.03 ms one by one */
    run_on(ether, NOTHING "SIMKIT_NP=4", "patterns gather 50000");
    assert_int_equal(sscanf(output, "%lf %lf %lf %lf", &times[0], &times[1], &times[2], &times[3]), 4);
    assert_true(fabs(times[0] - (620e3 + 15e6 + 3 * 1030e3)) < 1.0);
    assert_true(fabs(times[3] - 520e3) < 1.0);
}

static void tasks_on_one_core_share_it(void **state)
{
    (void)state;
    run_on("[node node]\ncount = 1\n", NOTHING "SIMKIT_NP=2", "patterns compute");
    prints("2000000 3000000\n");
    run_on("[node node]\ncount = 1\ncores = 2\n", NOTHING "SIMKIT_NP=2", "patterns compute");
    prints("1000000 2000000\n");
    run_on("[node node]\nspeed = 0.4\n", NOTHING "SIMKIT_NP=2", "patterns compute");
    prints("2500000 5000000\n");
}

static void parameters_change_during_a_run(void **state)
{
    (void)state;
    run_on("[machine]\nlook = 0 s\n[node node]\ncount = 1\ncores = 4\n", NOTHING "SIMKIT_NP=2", "patterns change");
    prints("5000000 5000000\n");
    run_on("[node node]\ncount = 2\n", NOTHING "SIMKIT_NP=2", "patterns change");
    prints("cannot change\n2000000 2000000\n"); /* they are called node0 and node1 */
}

static void transfers_go_on_while_ranks_compute(void **state)
{
    double times[2];
    (void)state;
    /* 5 kB: 70 us sending, then 600 us on the way, within the millisecond that both compute */
    run_on(ether, NOTHING "SIMKIT_NP=2", "patterns overlap 5000");
    assert_int_equal(sscanf(output, "%lf %lf", &times[0], &times[1]), 2);
    assert_true(fabs(times[0] - 1070e3) < 1 && fabs(times[1] - 1130e3) < 1);
}

static void a_wildcard_takes_what_is_first_in_virtual_time(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=9", "patterns wildcard");
    prints("7 6 5 4 3 2 1 0 \n");
}

static void a_freed_receive_is_taken(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=2", "patterns forget");
    prints("7\n");
}

static void external32_is_that_of_the_standard(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=1", "patterns external");
    prints("fffffffb00000007 3fff8000000000000000000000000000bffc0000000000000000000000000000 -5 7 1.5 -0.125\n");
}

static void the_same_run_takes_the_same_time(void **state)
{
    char first[256];
    (void)state;
    run(NOTHING "SIMKIT_NP=8", "conform collectives");
    assert_int_equal(status, 0);
    char *end = strstr(errors, "simkit: 8 tasks, ");
    assert_non_null(end);
    snprintf(first, sizeof first, "%s", end);
    /* and when the machine has other things to do */
    pid_t busy[4];
    for (int i = 0; i < 4; ++i) {
        busy[i] = fork();
        assert_true(busy[i] >= 0);
        for (time_t until = time(NULL) + 20; busy[i] == 0;)
            if (time(NULL) > until) _exit(0);
    }
    run(NOTHING "SIMKIT_NP=8", "conform collectives");
    for (int i = 0; i < 4; ++i) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    assert_string_equal(strstr(errors, "simkit: 8 tasks, "), first);
}

/* -- skeletons --------------------------------------------------------------------------------------------------------------- */

static void segments_run_the_first_times_only(void **state)
{
    char settings[128], path[] = "/tmp/segments.XXXXXX";
    (void)state;
    run("SIMKIT_NP=3", "segments measure");
    prints("runs as asked\ntime plausible\n");
    /* what they took is known from elsewhere: none runs */
    int made = mkstemp(path);
    assert_true(made >= 0);
    assert_true(write(made, "segment,parameter,seconds\nwork,200000,0.004\n", 44) == 44);
    close(made);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_SEGMENTS=%s SIMKIT_NP=2", path);
    run(settings, "segments measure");
    prints("runs else\ntime plausible\n");
    unlink(path);
}

static void arrays_without_content_are_shared(void **state)
{
    (void)state;
    run("SIMKIT_NP=16", "segments share");
    prints("count 1073741824, then 15\n");
    run("SIMKIT_NP=13 SIMKIT_ALGORITHMS=alltoall=bruck", "segments exchange");
    prints("wrong 0\n");
    run("SIMKIT_NP=13 SIMKIT_ALGORITHMS=alltoall=pairwise", "segments exchange");
    prints("wrong 0\n");
    run("SIMKIT_NP=13 SIMKIT_ALGORITHMS=alltoall=linear", "segments exchange");
    prints("wrong 0\n");
}

static void tasks_are_spawned(void **state)
{
    (void)state;
    run("SIMKIT_NP=2", "segments spawn");
    prints("remote 3, all 5, sum 304\n");
    assert_int_equal(status, 0);
}

static void a_wait_for_any_takes_what_ends_meanwhile(void **state)
{
    (void)state;
    run("SIMKIT_NP=2", "segments any");
    prints("both 1\nboth 1\n");
    run("SIMKIT_NP=1", "segments gone");
    prints("count 1048576\n");
}

static void tasks_of_pvm_end_as_they_like(void **state)
{
    (void)state;
    run(NOTHING, "pvm_ends waits");
    prints("kill 0\nafter 21 s\n");
    run(NOTHING, "pvm_ends leaves");
    prints("kill 0\nafter 0 s\n");
    run(NOTHING, "pvm_ends outlives");
    prints("status 0, 1 tasks\nnotice came\nstatus -31, 0 tasks\nafter 4 s\n");
    run(NOTHING, "pvm_ends sends");
    prints("bytes 1048576\nafter 3 s\n");
    run_on("[node slow]\n[node fast]\nplacement = explicit\nspeed = 2\n", NOTHING, "pvm_ends type");
    prints("on fast\n");
}

static void a_thousand_ranks_run(void **state)
{
    (void)state;
#ifdef TESTS_SLOW
    run(NOTHING "SIMKIT_NP=50", "patterns barrier");
#else
    run(NOTHING "SIMKIT_NP=1000", "patterns barrier");
#endif
    assert_int_equal(status, 0);
}

/* Ranks that share a process do the same as ranks that are processes, at the same virtual times. */
static void ranks_share_a_process(void **state)
{
    static const char *const programs_of[] = { "conform collectives", "segments exchange", "patterns barrier" };
    static char report[sizeof output];
    (void)state;
    run("SIMKIT_RANKS=together SIMKIT_NP=17", "segments globals");
    if (strstr(errors, "not under a sanitizer")) return;
    prints("wrong 0, sum 7650\n");
    assert_int_equal(status, 23);
    run("SIMKIT_NP=17", "segments globals");
    prints("wrong 0, sum 7650\n");
    assert_int_equal(status, 23);
    equals("tests/messages/conform.np8.txt", "SIMKIT_RANKS=together SIMKIT_NP=8", "conform");
    for (int i = 0; i < 3; ++i) {
        run(NOTHING "SIMKIT_REPORT=- SIMKIT_NP=13", programs_of[i]);
        assert_int_equal(status, 0);
        memcpy(report, output, sizeof report);
        run(NOTHING "SIMKIT_REPORT=- SIMKIT_RANKS=together SIMKIT_NP=13", programs_of[i]);
        assert_string_equal(output, report);
    }
    run(NOTHING "SIMKIT_RANKS=together SIMKIT_NP=2", "segments spawn");
    prints("remote 3, all 5, sum 304\n");
    run(NOTHING "SIMKIT_RANKS=together SIMKIT_NP=16", "segments share");
    prints("count 1073741824, then 15\n");
    run(NOTHING "SIMKIT_RANKS=together SIMKIT_NP=3", "faults threads");
    says("a thread called MPI_");
    says("impossible when ranks share a process");
    run("SIMKIT_RANKS=some", "costs pingpong 1");
    says("SIMKIT_RANKS=some: expected processes or together");
    assert_int_equal(status, 2);
}

/* A system that cannot start so many processes is told at once, with what can be done. */
static void too_many_processes_are_told(void **state)
{
    long most = 0;
    (void)state;
    FILE *f = fopen("/proc/sys/kernel/pid_max", "r");
    if (f && fscanf(f, "%ld", &most) != 1) most = 0;
    if (f) fclose(f);
    if (most < 1 || most > 65536) return;
    run("SIMKIT_NP=65536", "costs pingpong 1");
    says("65536 ranks are as many processes, but kernel.pid_max is ");
    says("raises it; with SIMKIT_RANKS=together all ranks are in one process");
    assert_int_equal(status, 2);
}

/* -- users --------------------------------------------------------------------------------------------------------------- */

static const char silent[] = "[machine]\nlook = 0 s\n[node node]\n"; /* messages take no time */
/* A process that computes for ever. */
static const char endless[] = "[user hog]\n[state burn]\ndemand = constant 1000000 s\n";
/* People who come and go, on all nodes. */
static const char office[] = "[day]\nlength = 100 s\n"
                             "[arrivals mail]\nrate = 0.2 /s, 3 /min\ndemand = pareto 1.5: 0.1 s, 100 s\n"
                             "[user writer]\ncopies = 2\n[state edit]\nthink = exponential 5 s\n"
                             "demand = exponential 0.5 s\nnext = edit 0.8, compile 0.2\n[state compile]\n"
                             "demand = exponential 10 s\nnice = 5\nnext = edit 1\n";

static double load_after(double running, double samples, double n)
{
    return running * (1 - pow(n / (n + 1), samples));
}

/* What each rank has taken, and the load that it sees then. */
static void takes(int ranks, double seconds, double load)
{
    const char *at = output;
    if (status != 0) print_message("%s\n", errors);
    assert_int_equal(status, 0);
    assert_int_equal(lines(output), ranks);
    for (int i = 0; i < ranks; i++, at = strchr(at, '\n') + 1) {
        double took = NAN, saw = NAN;
        assert_int_equal(sscanf(at, "%lf %lf", &took, &saw), 2);
        if (fabs(took - seconds) < 1e-8 && fabs(saw - load) < 2e-9) continue;
        print_message("expected %.9f %.9f\nfound    %s\n", seconds, load, output);
        fail();
    }
}

/* -- nonblocking collectives --------------------------------------------------------------------------------------------- */

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
        for (size_t k = 0; k < 3; ++k) {
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

static void users_take_their_share(void **state)
{
    char nice[200];
    (void)state;
    run_on(silent, NOTHING, "loads frame 10 60");
    takes(1, 10, load_after(1, 10, 60));
    run_among(endless, silent, NOTHING, "loads frame 10 60");
    takes(1, 20, load_after(2, 20, 60));
    says("simkit: 1 task, 20 s"); /* the run ends with its ranks */
    run_among(endless, silent, NOTHING "SIMKIT_NP=3", "loads frame 10 300");
    takes(3, 20, load_after(2, 20, 300));
    run_among(endless, silent, NOTHING, "loads frame 10 0");
    takes(1, 20, 2);
    run_among(endless, "[machine]\nlook = 0 s\n[node a]\ncount = 1\n", NOTHING "SIMKIT_NP=2", "loads frame 10 60");
    takes(2, 30, load_after(3, 30, 60));
    run_among(endless, "[node a]\ncores = 2\nspeed = 0.5\n", NOTHING, "loads frame 10 60");
    takes(1, 20, load_after(2, 20, 60));
    /* logs in after 5 s and computes for 4 s: from 5 s to 13 s there are two */
    run_among("[user late]\nbegin = 5 s\n[state once]\ndemand = constant 4 s\n", silent, NOTHING, "loads frame 10 60");
    takes(1, 14, load_after(1, 14, 60) + load_after(1, 8, 60) * 60 / 61);
    /* nice 19: 15 parts to 1024, and one to 20 */
    snprintf(nice, sizeof nice, "%snice = 19\n", endless);
    run_among(nice, silent, NOTHING, "loads frame 1024 60");
    takes(1, 1039, load_after(2, 1039, 60));
    run_among(nice, "[node old]\nnice_rule = linux_2_2\n", NOTHING, "loads frame 10 60");
    takes(1, 10.5, load_after(2, 10, 60));
    snprintf(nice, sizeof nice, "%snice = -20\n", endless);
    run_among(nice, "[node old]\nnice_rule = linux_2_2\n", NOTHING, "loads frame 10 60");
    takes(1, 30, load_after(2, 30, 60));
}

static void the_file_of_the_hosts_names_the_users(void **state)
{
    char text[200], settings[200];
    FILE *f = fopen(people, "w");
    (void)state;
    assert_non_null(f);
    fprintf(f, "%snice = 0\n[user other]\nnodes = 2\n[state burn]\ndemand = constant 9000 s\n", endless);
    fclose(f);
    /* beside it, and each host is a node of it */
    snprintf(text, sizeof text, "[machine]\nusers = %s\nlook = 0 s\n[node a]\ncount = 2\n", strrchr(people, '/') + 1);
    run_on(text, NOTHING "SIMKIT_NP=1", "loads frame 10 60");
    takes(1, 20, load_after(2, 20, 60));
    run_on(text, NOTHING "SIMKIT_NP=2", "loads frame 10 60");
    double times[2];
    assert_int_equal(sscanf(output, "%lf %*f %lf", &times[0], &times[1]), 2);
    assert_true(fabs(times[0] - 20) < 1e-8 && fabs(times[1] - 30) < 1e-8);
    /* what the setting says counts */
    run_on(text, NOTHING "SIMKIT_USERS=none", "loads frame 10 60");
    takes(1, 10, load_after(1, 10, 60));
    unlink(people);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=2");
    run_on(text, settings, "loads frame 10 60");
    snprintf(text, sizeof text, "%s: the file cannot be read: No such file or directory", people);
    says(text);
    assert_int_equal(status, 2);
}

static void unix_load_averages_are_those_of_the_host(void **state)
{
    double loads[3], one;
    int told, alone;
    (void)state;
    /* 12 looks in 62 s */
    run_among(endless, silent, NOTHING, "loads unix 62");
    assert_int_equal(sscanf(output, "%d %lf %lf %lf %d %lf", &told, &loads[0], &loads[1], &loads[2], &alone, &one), 6);
    assert_int_equal(told, 3);
    assert_int_equal(alone, 1);
    const double betas[] = { 1884.0 / 2048, 2014.0 / 2048, 2037.0 / 2048 };
    for (int i = 0; i < 3; ++i) assert_true(fabs(loads[i] - (1 - pow(betas[i], 12))) < 2e-9);
    assert_true(fabs(one - loads[0]) < 1e-12);
    run_on(silent, NOTHING, "loads unix 62");
    prints("3 0.000000000 0.000000000 0.000000000 1 0.000000000\n");
    run_among(endless, silent, NOTHING, "loads child");
    prints("refused\n");
}

static void work_goes_to_the_least_loaded(void **state)
{
    char users[200], wanted[200];
    (void)state;
    snprintf(users, sizeof users, "[user hog]\nnodes = 1, 2, 4\n%s", strchr(endless, '\n') + 1);
    run_among(users, silent, NOTHING "SIMKIT_NP=4", "loads least 10 2");
    snprintf(wanted, sizeof wanted, "rank 2, load 0.000000, 10.000000 s\nrank 2, load %.6f, 10.000000 s\n",
             load_after(1, 10, 60));
    prints(wanted);
    /* with nobody else they take turns: who has worked is seen to have */
    run_on(silent, NOTHING "SIMKIT_NP=2", "loads least 10 3");
    snprintf(wanted, sizeof wanted,
             "rank 0, load 0.000000, 10.000000 s\nrank 1, load 0.000000, 10.000000 s\n"
             "rank 0, load %.6f, 10.000000 s\n",
             load_after(1, 10, 60) * pow(60.0 / 61, 10));
    prints(wanted);
    run_among(users, "[node a]\ncount = 4\n", NOTHING, "pvm_loads 10");
    snprintf(wanted, sizeof wanted, "worker 1, load 0.000000, others %.6f %.6f, 10.000 s\n", load_after(1, 60, 60),
             load_after(1, 60, 60));
    prints(wanted);
}

static void a_deadlock_among_users_is_told(void **state)
{
    static const char *const users[] = { endless, office };
    (void)state;
    for (int i = 0; i < 2; ++i) {
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults deadlock");
        says(i == 0 ? "deadlock at 1 s: no event is left, but 2 of 2 tasks wait" : "deadlock at ");
        says(i == 0 ? "rank 1 has waited in MPI_Recv since 1 s for a message from 0 with tag 42"
                    : "rank 1 has waited in MPI_Recv");
        assert_int_equal(status, 1);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults rendezvous");
        assert_int_equal(status, 0); /* here all messages are sent at once */
        run_among(users[i], "[machine]\neager = 64 KiB\n[node node]\n", NOTHING "SIMKIT_NP=2", "faults rendezvous");
        says("rank 0 has waited in MPI_Send since 0 s until rank 1 receives its message of 1048576 B with tag 0");
        assert_int_equal(status, 1);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults crash");
        says("rank 1 on node1 was killed by signal 11");
        assert_int_equal(status, 139);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults vanish");
        says("rank 1 on node1 exited with status 3");
        assert_int_equal(status, 3);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults abort");
        assert_int_equal(status, 7);
        run_among(users[i], silent, NOTHING, "pvm_ends waits");
        prints("kill 0\nafter 21 s\n");
        run_among(users[i], silent, NOTHING, "pvm_ends leaves");
        prints("kill 0\nafter 0 s\n");
        run_among(users[i], silent, NOTHING, "pvm_ends sends");
        prints("bytes 1048576\nafter 3 s\n");
    }
}

static void a_seed_is_a_day(void **state)
{
    static char same[64], other[64];
    (void)state;
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=7", "loads frame 100 60");
    assert_int_equal(status, 0);
    assert_int_equal(lines(output), 3);
    snprintf(same, sizeof same, "%.60s", output);
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=7", "loads frame 100 60");
    snprintf(other, sizeof other, "%.60s", output);
    assert_string_equal(other, same);
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=8", "loads frame 100 60");
    snprintf(other, sizeof other, "%.60s", output);
    assert_string_not_equal(other, same);
    /* no seed is seed 0 */
    run_among(office, silent, NOTHING "SIMKIT_NP=3", "loads frame 100 60");
    snprintf(same, sizeof same, "%.60s", output);
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=0", "loads frame 100 60");
    snprintf(other, sizeof other, "%.60s", output);
    assert_string_equal(other, same);
    /* who uses a host does not depend on how many others work */
    run_among(office, silent, NOTHING "SIMKIT_NP=2", "loads frame 100 60");
    assert_memory_equal(output, same, 30);
}

static void bad_users_files_are_told(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        { "[arrivals a]\nrate = 1\n", ".users:2:9: there is no unit, expected one of: /s, /min, /h" },
        { "[user a]\n", ".users:1:1: user 'a' has no states" },
        { "\n[users a]\n", ".users:2:2: 'users' is unknown, expected arrivals, user, trace, sessions, day or state" },
        { "[user a]\n[state b]\nnice = 20\n", ".users:3:8: expected a whole number from -20 to 19" },
        { "[trace a]\nfile = nowhere.csv\n", "nowhere.csv: the file cannot be read: No such file or directory" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run_among(cases[i].text, silent, "SIMKIT_NP=2", "patterns bcast 1");
        says(cases[i].sentence);
        assert_int_equal(status, 2);
        assert_int_equal(lines(errors), 1);
    }
}

static void users_are_shown(void **state)
{
    static char text[1 << 20];
    char settings[512], base[] = "/tmp/traces.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(base));
    snprintf(settings, sizeof settings,
             NOTHING "SIMKIT_SEED=3 SIMKIT_NP=2 SIMKIT_REPORT=%s/report SIMKIT_TRACE=%s/t.csv,%s/t.json,%s/t.svg", base,
             base, base, base);
    run_among(office, silent, settings, "loads frame 100 60");
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/t.svg", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(strstr(text, "compile"));
    snprintf(path, sizeof path, "%s/t.json", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_string_equal(text + strlen(text) - 3, "]}\n");
    snprintf(path, sizeof path, "%s/t.csv", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "compute,\"compile\",\"node1\",\"\",\"users\","));
    assert_non_null(strstr(text, "compute,\"computing\",\"node1\",\"\",\"rank 1\",0.000000000000,"));
    /* one that computes for ever is there from the beginning to the end */
    run_among(endless, silent, settings, "loads frame 10 60");
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "compute,\"burn\",\"node\",\"\",\"users\",0.000000000000,20.000000000000,0\n"));
    snprintf(path, sizeof path, "%s/report", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "users: 2 processes, 0 of them ended"));
    assert_non_null(strstr(text, "\nnode            10.000000    20.000000        2.000   0.56 0.13 0.04\n"));
    assert_non_null(strstr(text, "\nrank 0       node            20.000000     100.0%"));
    snprintf(settings, sizeof settings, "rm -r %s", base);
    assert_int_equal(system(settings), 0);
}

/* -- what goes wrong ------------------------------------------------------------------------------------------------------------ */

/* Messages take no time on it. */
static const char machine_of_faults[] = "[machine]\neager = 64 KiB\n[node node]\ninitialise = 0 s\n";

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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
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
         i++) /* of more ranks, each may choose an algorithm of its own */
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
        { "absent", 1,
          "MPI_Allreduce(1 of MPI_INT, MPI_SUM), collective call 1 on MPI_COMM_WORLD, has not been called by rank 2, "
          "which is in MPI_Recv\n" },
        { "stopped", 1,
          "of real time (--patience or SIMKIT_PATIENCE sets the limit): it is stopped by a signal, after " },
        { "computes", 1, "rank 2 on node2, process " },
        { "computes", 1, "it computes, after MPI_Barrier at 0.25 s\n" },
        { "reads", 1, "it waits for the system, as in a read or a sleep, after " },
        { "other_thread", 0,
          "rank 3: a thread other than that of MPI_Init called MPI_Barrier, but MPI_THREAD_SINGLE was " },
        { "freed_op", 1, "rank 0 in MPI_Allreduce at 0.25 s: MPI_ERR_OP: invalid operation" },
        { "after", 1, "used a communicator after MPI_Finalize" },
#ifndef TESTS_SLOW /* sanitizers report it first */
        { "bad_buffer", 139, "rank 0 on node was killed by signal 11, Segmentation fault, at 0.25 s, in MPI_Send\n" },
#endif
    };
    static const char *const right[] = { "types_right", "sides_right", "handles_freed", "nothing" };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
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
        { "[node a]\nsend = 5 MB/s\n", ":2:8: the unit is 'B/s', expected a time or a size" },
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
        { "[node a]\n[pair a a]\nspeed = 1\n", ":3:1: section [pair] has no key 'speed'" },
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

/* -- what it shows ---------------------------------------------------------------------------------------------------------------- */

static void a_run_can_be_looked_at(void **state)
{
    static char text[1 << 20];
    char settings[512], base[] = "/tmp/traces.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(base));
    snprintf(settings, sizeof settings,
             NOTHING "SIMKIT_NP=4 SIMKIT_REPORT=%s/report SIMKIT_TRACE=%s/t.json,%s/t.paje,%s/t.csv,%s/t.svg", base,
             base, base, base, base);
    run_on(ether, settings, "patterns gather 50000");
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/report", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "waiting times between tasks"));
    assert_non_null(strstr(text, "rank 0       for rank 1"));
    assert_non_null(strstr(text, "32768 .. 65535"));
    snprintf(path, sizeof path, "%s/t.json", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "\"waiting\""));
    assert_non_null(strstr(text, "\"bytes\":50000"));
    assert_string_equal(text + strlen(text) - 3, "]}\n");
    snprintf(path, sizeof path, "%s/t.paje", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    int starts = 0, ends = 0;
    for (char *at = text; (at = strstr(at, "\n6 ")); ++at) ++starts;
    for (char *at = text; (at = strstr(at, "\n7 ")); ++at) ++ends;
    assert_true(starts >= 3);
    assert_int_equal(starts, ends);
    snprintf(path, sizeof path, "%s/t.csv", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_memory_equal(text, "kind,name,node,to,lane,begin [s],end [s],bytes [B]\n", 51);
    assert_non_null(strstr(text, "transfer,\"\",\"node1\",\"node\",\"\",0.000520000000,"));
    snprintf(path, sizeof path, "%s/t.svg", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "</svg>"));
    snprintf(settings, sizeof settings, "rm -r %s", base);
    assert_int_equal(system(settings), 0);
}

/* What SIMKIT_TRACE=x.goal writes, build/goal replays on the same machine in the same time. */
static void schedules_replay_alike(void **state)
{
#define PLAIN(nodes) "[machine]\nname = x\n" nodes "bandwidth = 10 MB/s\n[network]\nlatency = 100 us\n"
    static const char plain[] = PLAIN("[node]\n");
    static const char *const runs[][2] = {
        { "gather 50000", plain },
        { "pingpong 10000", plain },
        { "bcast 3000", plain },
        { "barrier 1", plain },
        { "overlap 5000", plain },
        /* several ranks on a core; nodes that are slow, or have a quota: a calc is CPU time at speed 1 */
        { "gather 50000", PLAIN("[node]\ncount = 2\n") },
        /* messages between two ranks follow one another in a run; in a replay they share the link */
        { "rounds 3", PLAIN("[node]\ncount = 2\n") },
        { "overlap 5000", PLAIN("[node]\nspeed = 0.4\n") },
        { "overlap 5000", PLAIN("[node]\nquota = 200 us\nperiod = 1 ms\n") },
    };
    static char text[1 << 20];
    const char *build = getenv("BUILD");
    char settings[200], command[400], base[] = "/tmp/goal.XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(base));
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        char program[60];
        double seconds = 0, ns = 0;
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=4 SIMKIT_TRACE=%s/t.goal", base);
        snprintf(program, sizeof program, "patterns %s", runs[i][0]);
        run_on(runs[i][1], settings, program);
        assert_int_equal(status, 0);
        const char *told = strstr(errors, "4 tasks, ");
        assert_non_null(told);
        assert_int_equal(sscanf(told, "4 tasks, %lf", &seconds), 1);
        FILE *file = fopen(machine, "w");
        assert_non_null(file);
        fputs(runs[i][1], file);
        fclose(file);
        snprintf(command, sizeof command, "%s/goal %s/t.goal --quiet --machine %s", build ? build : "build", base,
                 machine);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        text[fread(text, 1, sizeof text - 1, pipe)] = 0;
        assert_int_equal(pclose(pipe), 0);
        unlink(machine);
        told = strstr(text, "ends at ");
        if (!told || sscanf(told, "ends at %lf", &ns) != 1) fail_msg("%s: %s", command, text);
        if (!(fabs(ns - seconds * 1e9) <= (strstr(program, "rounds") ? 5e-3 : 1e-6) * ns))
            fail_msg("%s: %.0f ns instead of %.0f", program, ns, 1e9 * seconds);
    }
    snprintf(settings, sizeof settings, "rm -r %s", base);
    assert_int_equal(system(settings), 0);
}

/* -- programs ------------------------------------------------------------------------------------------------------------------------- */

static void programs_compute_what_they_should(void **state)
{
    static const char *const cases[][3] = {
        { "SIMKIT_NP=5", "sort --log2 16 --max-log2 11", "known ranks of class S: 50 of 50" },
        { "SIMKIT_NP=3", "multigrid --rows 96 --columns 64 --cycles 2", "cycle 2 residual" },
        { "SIMKIT_NP=4", "integrals --tasks 500", "exceeded in 0" },
        { "", "integrals_pvm --tasks 500", "exceeded in 0" },
        { "SIMKIT_NP=5", "streams pipeline --rows 50 --columns 23", "pipeline: the check passed" },
        { "SIMKIT_NP=6", "streams stencil --rows 20 --columns 31 --grid 2x3", "stencil: the check passed" },
        { "SIMKIT_NP=4", "streams transpose --rows 20 --turns 3", "transpose: the check passed" },
        { "SIMKIT_NP=5", "streams reduce_scatter --bytes 100", "reduce_scatter: the check passed" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run(cases[i][0], cases[i][1]);
        if (status != 0) print_message("%s: %s%s\n", cases[i][1], output, errors);
        assert_int_equal(status, 0);
        assert_non_null(strstr(output, cases[i][2]));
    }
}

static int begin(void **state)
{
    const char *build = getenv("BUILD");
    (void)state;
    snprintf(programs, sizeof programs, "%s/messages/bin", build ? build : "build");
    snprintf(machine, sizeof machine, "/tmp/messages.%ld.machine", (long)getpid());
    snprintf(people, sizeof people, "/tmp/messages.%ld.users", (long)getpid());
#ifdef TESTS_SLOW
    setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0", 1); /* a rank leaves, and crashes, as programs do */
#endif
    setenv("SIMKIT_LINES", "", 1); /* no lines, also where programs are compiled with -g */
    unsetenv("SIMKIT_REPORT");
    unsetenv("SIMKIT_TRACE");
    unsetenv("SIMKIT_USERS");
    unsetenv("SIMKIT_SEED");
    return 0;
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
#ifdef TESTS_SLOW
    enum { SEEDS = 3, MOST = 1 };
#else
    enum { SEEDS = 12, MOST = 4 };
#endif
    setenv("SIMKIT_AHEAD", "0", 1);
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; ++i)
        same_on_several_cores(ranks[i % 2], runs[i / 2].program, runs[i / 2].times < MOST ? runs[i / 2].times : MOST);
    assert_null(strstr(output, "wrong"));
    for (int seed = 1; seed <= SEEDS; ++seed) {
        char program[40];
        snprintf(program, sizeof program, "patterns drawn %d", seed);
        same_on_several_cores(ranks[seed % 2], program, 1);
    }
    conforms(2);
    conforms(5);
    conforms(8);
    run("SIMKIT_CORES=some", "patterns barrier");
    says("SIMKIT_CORES=some: expected a whole number from 1 to 1024, or all");
    run("SIMKIT_CORES=2 SIMKIT_RANKS=together", "patterns barrier");
    says("SIMKIT_CORES=2: ranks that share a process (SIMKIT_RANKS=together) use one core");
    a_rank_that_goes_wrong_ends_the_run(state);
    lines_of_calls_are_told(state); /* may skip the rest */
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
        cmocka_unit_test(conforms_with_1),
        cmocka_unit_test(conforms_with_2),
        cmocka_unit_test(conforms_with_4),
        cmocka_unit_test(conforms_with_5),
        cmocka_unit_test(conforms_with_8),
        cmocka_unit_test_teardown(ranks_run_ahead_on_several_cores, cores_unset),
        cmocka_unit_test(absent_calls_do_not_link),
        cmocka_unit_test(pvm_conforms),
        cmocka_unit_test(collectives_are_right_for_1_to_17),
        cmocka_unit_test(every_algorithm_is_right),
        cmocka_unit_test(trees_take_what_loggopsim_says),
        cmocka_unit_test(a_message_takes_the_sum_of_its_delays),
        cmocka_unit_test(a_delay_may_fall_with_the_size),
        cmocka_unit_test(accesses_take_the_sum_of_their_messages),
        cmocka_unit_test(accesses_do_what_they_should),
        cmocka_unit_test(pairs_of_hosts_have_delays_of_their_own),
        cmocka_unit_test(large_messages_go_in_parts),
        cmocka_unit_test(an_answer_waits_for_what_is_handed_over),
        cmocka_unit_test(what_follows_costs_less),
        cmocka_unit_test(a_switch_stores_small_messages),
        cmocka_unit_test(acknowledgements_take_their_part_of_a_link),
        cmocka_unit_test(a_receiver_of_a_busy_computer_is_awake),
        cmocka_unit_test(a_look_takes_longer_with_more_connections),
        cmocka_unit_test(a_link_takes_messages_in_their_order),
        cmocka_unit_test(links_are_shared_as_the_machine_says),
        cmocka_unit_test(connections_take_two_messages),
        cmocka_unit_test(ports_serve_and_refuse),
        cmocka_unit_test(ranks_are_placed_on_a_network),
        cmocka_unit_test(senders_to_one_share_its_link),
        cmocka_unit_test(tasks_on_one_core_share_it),
        cmocka_unit_test(parameters_change_during_a_run),
        cmocka_unit_test(transfers_go_on_while_ranks_compute),
        cmocka_unit_test(a_wildcard_takes_what_is_first_in_virtual_time),
        cmocka_unit_test(a_freed_receive_is_taken),
        cmocka_unit_test(external32_is_that_of_the_standard),
        cmocka_unit_test(the_same_run_takes_the_same_time),
        cmocka_unit_test(segments_run_the_first_times_only),
        cmocka_unit_test(arrays_without_content_are_shared),
        cmocka_unit_test(tasks_are_spawned),
        cmocka_unit_test(a_wait_for_any_takes_what_ends_meanwhile),
        cmocka_unit_test(tasks_of_pvm_end_as_they_like),
        cmocka_unit_test(a_thousand_ranks_run),
        cmocka_unit_test(nonblocking_collectives_take_as_long),
        cmocka_unit_test(nonblocking_collectives_overlap_with_computation),
        cmocka_unit_test(nonblocking_collectives_need_no_communicator),
        cmocka_unit_test(nonblocking_collectives_that_differ_are_told),
        cmocka_unit_test(ranks_share_a_process),
        cmocka_unit_test(too_many_processes_are_told),
        cmocka_unit_test(users_take_their_share),
        cmocka_unit_test(the_file_of_the_hosts_names_the_users),
        cmocka_unit_test(unix_load_averages_are_those_of_the_host),
        cmocka_unit_test(work_goes_to_the_least_loaded),
        cmocka_unit_test(a_deadlock_among_users_is_told),
        cmocka_unit_test(a_seed_is_a_day),
        cmocka_unit_test(bad_users_files_are_told),
        cmocka_unit_test(users_are_shown),
        cmocka_unit_test(a_rank_that_goes_wrong_ends_the_run),
        cmocka_unit_test(counts_that_differ_are_truncated),
        cmocka_unit_test(collective_calls_that_differ_are_told),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(lines_of_calls_are_told),
        cmocka_unit_test(bad_settings_are_told),
        cmocka_unit_test(bad_machine_files_are_told),
        cmocka_unit_test(a_run_can_be_looked_at),
        cmocka_unit_test(schedules_replay_alike),
        cmocka_unit_test(programs_compute_what_they_should),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
