/* examples/messages: how programs are compiled and started, with simcc and simrun. Each test runs a command, and looks at its
 * exit status and at all that it prints. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], output[1 << 18];
static int status;

/* What another compiler links, or a shared library, has no run-time library of a sanitizer. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
enum { SANITIZED = __has_feature(address_sanitizer) };
#else
enum { SANITIZED = 0 };
#endif

/* Runs a command of the shell; in it, $BUILD is where everything was built, $PLACE a folder of this test,
 * and $FROM that of the programs that it compiles. */
static void run(const char *command)
{
    char all[4096];
    snprintf(all, sizeof all, "{ %s\n} 2>&1 </dev/null", command);
    FILE *f = popen(all, "r");
    assert_non_null(f);
    output[fread(output, 1, sizeof output - 1, f)] = 0;
    const int result = pclose(f);
    status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

static void prints(const char *command, int wanted_status, const char *wanted)
{
    run(command);
    if (status == wanted_status && strstr(output, wanted)) return;
    print_message("%s\nexpected status %d and: %s\nfound status %d and: %s\n", command, wanted_status, wanted, status,
                  output);
    fail();
}

#define SIMRUN "SIMKIT_REPORT=none $BUILD/simrun "
#define LAUNCHED "$BUILD/messages/bin/launched "
#define PORTS "$BUILD/messages/bin/ports "

static void the_launcher_starts_ranks(void **state)
{
    (void)state;
    prints(SIMRUN "-np 2 " LAUNCHED "a 'b c' ''", 0,
           "0 of 2 on node, launched: 'a' 'b c' ''\n1 of 2 on node1, launched: 'a' 'b c' ''\n");
    prints(SIMRUN "-n 1 -x COLOUR=red " LAUNCHED, 0, "0 of 1 on node, launched: red\n");
    prints("COLOUR=blue " SIMRUN "-x COLOUR " LAUNCHED, 0, "0 of 1 on node, launched: blue\n");
    prints("SIMKIT_NP=3 " SIMRUN LAUNCHED, 0, "2 of 3 on node2, launched:\n");
    prints("SIMKIT_NP=3 " SIMRUN "-np 2 " LAUNCHED, 0, "1 of 2 on node1, launched:\n");
    prints("PATH=$BUILD/messages/bin:$PATH " SIMRUN "launched", 0, "0 of 1 on node, launched:\n");
    prints("PATH=/usr/bin:/bin simrun=$(realpath $BUILD/simrun) && cd $BUILD/messages/bin && SIMKIT_REPORT=none "
           "$simrun launched",
           0, "0 of 1 on node, launched:\n");
}

/* Every option arrives where its variable would. */
static void options_are_those_of_the_variables(void **state)
{
    (void)state;
    run("printf '[network]\\nlatency = 1 ms\\n[node a]\\ncount = 2\\ncores = 2\\nbandwidth = 1 MB/s\\n' "
        ">$PLACE/pair.machine;"
        "printf 'a1\\n' >$PLACE/second; printf 'segment,parameter,seconds\\n' >$PLACE/segments");
    prints(SIMRUN "-np 3 --machine $PLACE/pair.machine " LAUNCHED, 0, "2 of 3 on a1, launched:\n");
    prints(SIMRUN "-np 3 -machine=$PLACE/pair.machine --map round-robin " LAUNCHED, 0, "1 of 3 on a1, launched:\n");
    prints(SIMRUN "-np 1 --machine $PLACE/pair.machine --map=$PLACE/second " LAUNCHED, 0, "0 of 1 on a1, launched:\n");
    prints("$BUILD/simrun -np 2 --compute none --seed 3 --users none --polls 0 --segments $PLACE/segments " LAUNCHED, 0,
           "simkit: 2 tasks, 0.000162036014 s");
    prints(SIMRUN "-np 2 --compute none --time-limit 0.00001 " LAUNCHED, 1,
           "the time limit, --time-limit or SIMKIT_TIME_LIMIT=1e-05, was exceeded");
    prints("$BUILD/simrun -np 2 --report none " LAUNCHED, 0, "1 of 2");
    assert_null(strstr(output, "simkit:"));
    prints(SIMRUN "--algorithms bcast=none " LAUNCHED, 2, "SIMKIT_ALGORITHMS: 'bcast=none': expected");
    prints(SIMRUN "--trace $PLACE/trace.csv " LAUNCHED "&& head -c 4 $PLACE/trace.csv", 0, "kind");
}

/* A rule gives each rank as many cores as it has threads, if a host has them. */
static void ranks_are_placed_by_threads(void **state)
{
    static const char *const rules[] = { "", "--map block ", "--map round-robin " };
    char command[512];
    (void)state;
    run("printf '[network]\\nlatency = 1 ms\\n[node a]\\ncount = 1\\ncores = 3\\n[node b]\\ncount = 1\\ncores = 4\\n' "
        ">$PLACE/unequal.machine;"
        "printf '[node c]\\ncores = 4\\n' >$PLACE/one.machine; printf 'b\\nb\\na\\n' >$PLACE/named");
    for (int i = 0; i < 3; ++i) {
        snprintf(command, sizeof command, SIMRUN "-np 5 --threads 2 --machine $PLACE/unequal.machine %s" LAUNCHED,
                 rules[i]);
        prints(command, 0,
               "0 of 5 on a, launched:\n1 of 5 on b, launched:\n2 of 5 on b, launched:\n3 of 5 on a, launched:\n"
               "4 of 5 on b, launched:\n");
    }
    prints(SIMRUN "-np 3 --threads 2 --machine $PLACE/unequal.machine --map $PLACE/named " LAUNCHED, 0,
           "1 of 3 on b, launched:\n2 of 3 on a, launched:\n");
    prints(SIMRUN "-np 3 --threads 2 --machine $PLACE/one.machine --map block " LAUNCHED, 0,
           "0 of 3 on c, launched:\n1 of 3 on c, launched:\n2 of 3 on c1, launched:\n");
    prints(SIMRUN "-np 3 --threads 9 --machine $PLACE/unequal.machine " LAUNCHED, 0,
           "0 of 3 on a, launched:\n1 of 3 on b, launched:\n2 of 3 on a, launched:\n");
    prints("SIMKIT_THREADS=x " LAUNCHED, 2, "SIMKIT_THREADS=x: expected a whole number");
}

/* Several numbers of ranks: a table, with what failed and what was left out. */
static void lists_make_tables(void **state)
{
    (void)state;
    prints(SIMRUN "-np 4,2 --threads 1 --machine $PLACE/unequal.machine --compute none " LAUNCHED, 0,
           "* the fastest; speed-up and efficiency are relative to 2 ranks with 1 thread, on 2 cores: no split on "
           "fewer has "
           "run\n");
    assert_null(strstr(output, "launched:"));
    prints(SIMRUN "-np 2,9 --machine $PLACE/unequal.machine --compute none " LAUNCHED, 0,
           "left out: ranks 9, threads 1: host a has 3 cores, expected 5 for 5 ranks on it\n");
    prints(SIMRUN "-np 1,2 --machine $PLACE/one.machine --compute none --svg $PLACE/none.svg " LAUNCHED, 0,
           "simrun: --svg");
    assert_non_null(strstr(output, "none.svg: no picture, as the fastest run took no time\n"));
    prints("SIMKIT_NP=3 " SIMRUN "--threads 2,1 --machine $PLACE/unequal.machine --compute none " LAUNCHED, 0,
           "    3       1     3 ");
    prints(SIMRUN "-np 2,3 --compute none --svg $PLACE/none.svg " LAUNCHED
                  "interrupted; s=$?; ls $PLACE/none.svg; exit $s",
           130,
           "simrun: 2 ranks with 1 thread: exit status 130, with these errors:\nsimkit: ended by signal 2, Interrupt");
    assert_non_null(strstr(output, "    3       1     3       failed\n"));
    assert_non_null(strstr(output, "No such file or directory"));
    prints("printf '[node]\\nwhat = 1\\n' >$PLACE/wrong.machine; " SIMRUN
           "-np 2,3 --machine $PLACE/wrong.machine " LAUNCHED,
           2, "wrong.machine:2:1: section [node] has no key 'what'");
}

static void programs_after_a_colon_are_further_ranks(void **state)
{
    (void)state;
    run("cp " LAUNCHED " $PLACE/other");
    prints(SIMRUN "-np 2 -x COLOUR=red " LAUNCHED
                  "1 : -np 2 $PLACE/other 'x y' '' '\\' ':x' 'a : b' '0' : $PLACE/other",
           0,
           "0 of 5 on node, launched: '1' red\n"
           "1 of 5 on node1, launched: '1' red\n"
           "2 of 5 on node2, other: 'x y' '' '\\' ':x' 'a : b' '0' red\n"
           "3 of 5 on node3, other: 'x y' '' '\\' ':x' 'a : b' '0' red\n"
           "4 of 5 on node4, other: red\n");
    /* each has a number, MPI_APPNUM, and they may connect by a port */
    prints(SIMRUN "-np 2 " PORTS "programs : -np 3 " PORTS "programs : " PORTS "programs | sort", 0,
           "rank 0 of program 0 with 2: 9 from the other\nrank 1 of program 0 with 2: 9 from the other\n"
           "rank 2 of program 1 with 3: 1 from the other\nrank 3 of program 1 with 3: 1 from the other\n"
           "rank 4 of program 1 with 3: 1 from the other\n");
    prints(SIMRUN LAUNCHED ": -np 2 /bin/true", 1, "exited with status 0 at 0 s, after its start");
    prints("SIMKIT_PROGRAMS='2 /none' SIMKIT_REPORT=none " LAUNCHED, 2,
           "rank 1: /none cannot be started: No such file or directory");
    prints("SIMKIT_PROGRAMS='x y' " LAUNCHED, 2,
           "SIMKIT_PROGRAMS=x y: expected RANKS PROGRAM ARGUMENTS, separated by ' : '");
    prints(SIMRUN "-np 65536 " LAUNCHED ": " LAUNCHED, 2, "65537 ranks of all programs, expected up to 65536");
    prints("SIMKIT_NP=3 " SIMRUN LAUNCHED ": -np 2 " LAUNCHED, 0, "2 of 3 on node2");
}

static void wrong_options_are_told(void **state)
{
    static const char *const cases[][2] = {
        { "", "expected a program; simrun --help" },
        { "-np 2", "expected a program; simrun --help" },
        { "-np", "-np: expected a value after it" },
        { "-np 0 " LAUNCHED, "-np 0: expected a whole number from 1 to 65536" },
        { "-n x " LAUNCHED, "-n x: expected a whole number from 1 to 65536" },
        { "-np=70000 " LAUNCHED, "-np 70000: expected a whole number from 1 to 65536" },
        { "--machine /none " LAUNCHED, "--machine /none: No such file or directory" },
        { "--map what " LAUNCHED, "--map what: No such file or directory; expected a file or block|round-robin" },
        { "--users /none " LAUNCHED, "--users /none: No such file or directory; expected a file or none" },
        { "--compute x " LAUNCHED, "--compute x: expected measured|none" },
        { "--compute '' " LAUNCHED, "--compute : expected measured|none" },
        { "--seed -1 " LAUNCHED, "--seed -1: expected a whole number >= 0" },
        { "--time-limit 0 " LAUNCHED, "--time-limit 0: expected a number of seconds > 0" },
        { "-x =3 " LAUNCHED, "-x =3: expected NAME=VALUE" },
        { "-hostfile x " LAUNCHED, "-hostfile is an option of other launchers: --machine FILE describes the hosts" },
        { "--map-by core " LAUNCHED, "--map-by is an option of other launchers: --map block" },
        { "--what " LAUNCHED, "unknown option --what; simrun --help" },
        { "--goal x.goal -np 4", "-np: expected no number of ranks with --goal: x.goal says how many there are" },
        { "--goal x.goal ./program", "./program: expected no program with --goal, which replays" },
        { "--goal=x.goal --seed 3", "--seed: it has no effect on a replay (--goal)" },
        { "--goal x.goal --trace a.svg,b.json", "--trace a.svg,b.json: expected one file with --goal" },
        { "--goal", "--goal: expected a value after it" },
        { "--loggops L=1 " LAUNCHED, "--loggops: expected with --goal FILE only" },
        { "--quiet " LAUNCHED, "--quiet: expected with --goal FILE only" },
        { "--quiet=yes " LAUNCHED, "--quiet: expected no value" },
        { LAUNCHED ": -x A=B " LAUNCHED, "-x: expected before the first program; only -np may follow a colon" },
        { LAUNCHED ":", "expected a program after the colon" },
        { LAUNCHED ": " LAUNCHED ":", "expected a program after the colon" },
        { "-np 1,2,x " LAUNCHED, "-np x: expected a whole number from 1 to 65536" },
        { "-np 1,0 " LAUNCHED, "-np 0: expected a whole number from 1 to 65536" },
        { "-np 1,2,2 " LAUNCHED, "-np 1,2,2: '2' is there twice" },
        { "-np 1,,2 " LAUNCHED, "-np 1,,2: expected a number before and after each comma" },
        { "-np 2 --threads 1, " LAUNCHED, "--threads 1,: expected a number before and after each comma" },
        { "--threads 0 " LAUNCHED, "--threads 0: expected a whole number from 1 to 65536" },
        { "--threads 2,4 " LAUNCHED, "no split fits the machine: with ranks 1 and threads 2, the smallest, host node "
                                     "has 1 core, expected 2 for 1 rank" },
        { "--svg a.svg -np 2 " LAUNCHED, "--svg: expected with a list of ranks or threads only" },
        { "--svg /none/a.svg -np 2,3 " LAUNCHED, "--svg /none/a.svg: No such file or directory" },
        { "-np 2,3 " LAUNCHED ": " LAUNCHED, "a list of ranks or threads: expected one program" },
        { "-np 2 " LAUNCHED ": -np 2,3 " LAUNCHED, "-np 2,3: expected a whole number" },
        { "-np 2,3 --goal x.goal", "-np: expected no number of ranks with --goal" },
        { "--threads 2 --goal x.goal", "--threads: it has no effect on a replay (--goal)" },
        { "-np 2,3 --trace a.csv " LAUNCHED, "--trace, or SIMKIT_TRACE: expected with one split only" },
        { "-np 2,3 --report a.txt " LAUNCHED, "--report, or SIMKIT_REPORT: expected with one split only" },
        { "--threads 2,3 --ranks together " LAUNCHED, "--ranks together: threads of such ranks are charged one after" },
        { "-np 2,3 /bin/true",
          "/bin/true: it does not tell where its ranks would be, expected a program linked by simcc" },
        { "./none", "./none: No such file or directory" },
        { "/tmp", "/tmp: Is a directory" },
        { "./README.md", "./README.md: Permission denied" },
        { "no-such-program", "no-such-program: no such program, neither in PATH nor here" },
    };
    char command[512], wanted[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(command, sizeof command, SIMRUN "%s", cases[i][0]);
        snprintf(wanted, sizeof wanted, "simrun: %s", cases[i][1]);
        prints(command, 2, wanted);
    }
    /* the name of another MPI in a program stands for being linked with it */
    prints("printf 'static const char name[] = \"libmpi.so.40\"; int main(void) { return name[3] == 0; }' | "
           "${CC:-cc} -x c - -o $PLACE/real && " SIMRUN "$PLACE/real",
           2, "/real: it was linked with another MPI, expected a program linked by simcc");
}

/* simrun becomes the program goal, with what options and variables say. */
static void recorded_programs_are_replayed(void **state)
{
    (void)state;
    run("printf 'num_ranks 2\\nrank 0 {\\na: calc 1000\\nb: send 1b to 1\\nb requires a\\n}\\nrank 1 {\\nrecv 1b from "
        "0\\n}\\n' "
        ">$PLACE/one.goal;"
        "printf '0 init\\n1 init\\n0 compute 2000\\n0 send 1 0 1 6\\n1 recv 0 0 1 6\\n' >$PLACE/one.trace;"
        "printf '[network]\\nlatency = 1 ms\\n[node a]\\ncount = 2\\ncores = 2\\nspeed = 0.5\\nbandwidth = 1 MB/s\\n' "
        ">$PLACE/slow.machine");
    prints("$BUILD/simrun --goal $PLACE/one.goal", 0,
           "rank 0                    2500 ns\nrank 1                    6500 ns\n3 operations on 2 ranks: the last");
    prints("$BUILD/simrun --quiet --loggops=L=100,o=10 -goal=$PLACE/one.goal", 0,
           "3 operations on 2 ranks: the last ends at 1120 ns");
    prints("$BUILD/simrun --flops 1e9 --goal $PLACE/one.trace", 0, "ends at 7500 ns");
    prints("$BUILD/simrun --goal $PLACE/one.goal --machine $PLACE/slow.machine", 0, "ends at 2000 ns");
    prints("$BUILD/simrun --goal $PLACE/one.goal --machine $PLACE/slow.machine --map round-robin", 0,
           "ends at 1003000 ns");
    prints("$BUILD/simrun --goal $PLACE/one.goal --machine $PLACE/slow.machine --place round-robin", 0,
           "ends at 1003000 ns");
    prints("SIMKIT_MACHINES=$PLACE/slow.machine SIMKIT_PLACE=round-robin SIMKIT_TRACE=$PLACE/one.csv "
           "$BUILD/simrun --goal $PLACE/one.goal && grep -c compute $PLACE/one.csv",
           0, "ends at 1003000 ns, rank 1\nno interval: replays have not been compared with real runs\n1\n");
    prints("$BUILD/simrun --flops 1e9 --goal $PLACE/one.trace --write $PLACE/written.goal && cat $PLACE/written.goal",
           0, "calc 2000");
    prints("$BUILD/simrun --goal $PLACE/one.goal --map block", 2, "goal: --map goes with --machine");
    prints("$BUILD/simrun --goal $PLACE/none.goal", 2, "none.goal: No such file or directory");
    prints("cp $BUILD/simrun $PLACE && $PLACE/simrun --goal $PLACE/one.goal", 2,
           "/goal, which replays schedules, is not there: 'make build/goal' makes it");
}

static void help_names_each_variable(void **state)
{
    static const char *const names[] = { "NP",         "MACHINES",   "PLACE",  "USERS", "SEED",     "COMPUTE", "POLLS",
                                         "TIME_LIMIT", "ALGORITHMS", "REPORT", "TRACE", "SEGMENTS", "THREADS" };
    (void)state;
    prints("$BUILD/simrun --help", 0, "simrun -np N [OPTION]... PROGRAM");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char whole[40];
        snprintf(whole, sizeof whole, " SIMKIT_%s ", names[i]);
        if (!strstr(output, whole)) print_message("%s is not there\n", whole);
        assert_non_null(strstr(output, whole));
    }
}

static void ctrl_c_tells_where_the_ranks_were(void **state)
{
    (void)state;
    prints(SIMRUN "-np 15 --compute none " LAUNCHED "interrupted", 130,
           "simkit: ended by signal 2, Interrupt, at 5.40360136e-05 s: ranks 0, 3, 6 and 2 others in MPI_Barrier; "
           "ranks 1, 2, 4, 5, 7, 8 and 3 others in MPI_Recv; rank 14 computing after MPI_Recv\n");
    prints(SIMRUN "-np 4 --compute none " LAUNCHED "interrupted", 130, "ranks 1, 2 in MPI_Recv; rank 3 computing");
}

#define LINKED "-Wl,--push-state,--no-as-needed THREADS -Wl,--pop-state"

static void wrappers_show_what_they_would_run(void **state)
{
    static const char *const cases[][2] = {
        { "-show a.c 'b c.c' '' \"d'e\" -o f", "cc -IINCLUDE a.c 'b c.c' '' 'd'\\''e' -o f LIBRARY " LINKED " -lm" },
        { "-O2 -c a.c -showme", "cc -IINCLUDE -O2 -c a.c" },
        { "-compile_info a.c", "cc -IINCLUDE -c a.c" },
        { "-link_info a.o", "cc -IINCLUDE a.o LIBRARY " LINKED " -lm" },
        { "-show", "cc -IINCLUDE LIBRARY " LINKED " -lm" },
        { "-showme:command", "cc" },
        { "-showme:compile", "-IINCLUDE" },
        { "-showme:link", "LIBRARY " LINKED " -lm" },
        { "-showme:incdirs", "INCLUDE" },
        { "-showme:libs", "messages m" },
        { "-showme:version", "simcc: simkit, MPI 3.1" },
    };
    char command[512], wanted[160];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(command, sizeof command,
                 "SIMKIT_CC=cc $BUILD/simcc %s | sed \"s|$(realpath examples/messages)|INCLUDE|; "
                 "s|$(realpath $BUILD)/libmessages.a|LIBRARY|; s|$(realpath $BUILD)/libsimthreads.so|THREADS|\"",
                 cases[i][0]);
        snprintf(wanted, sizeof wanted, "%s\n", cases[i][1]);
        prints(command, 0, wanted);
        assert_string_equal(output, wanted);
    }
    prints("$BUILD/simcc -showme:what", 2, "simcc: -showme:what: expected -showme:command, compile, link");
    prints("$BUILD/simcc -v", 0, "");
    assert_null(strstr(output, "undefined reference"));
    prints("SIMKIT_CXX=c++ $BUILD/simc++ -showme:command", 0, "c++\n");
}

/* A program and its libraries have one copy of the library behind mpi.h, whatever the order of linking. */
static void shared_libraries_call_mpi(void **state)
{
    static const char *const links[] = {
        "$BUILD/simcc $FROM/main.c -L$PLACE -lsum -o $PLACE/program",
        "$BUILD/simcc $FROM/main.c $BUILD/libmessages.a -L$PLACE -lsum -o $PLACE/program",
        "$BUILD/simcc $FROM/main.c -L$PLACE -Wl,--no-as-needed -lsum -lmore -o $PLACE/program",
        "${CC:-cc} $FROM/late.c -o $PLACE/program -ldl",
        "$BUILD/simcc -DITSELF -rdynamic $FROM/late.c -o $PLACE/program -ldl",
    };
    char command[256];
    (void)state;
    if (SANITIZED) skip();
    prints("for name in sum more; do $BUILD/simcc -shared -fPIC $FROM/sum.c -o $PLACE/lib$name.so; done", 0, "");
    for (size_t i = 0; i < sizeof links / sizeof *links; ++i) {
        prints(links[i], 0, "");
        snprintf(command, sizeof command, "simrun=$(realpath $BUILD/simrun) && cd $PLACE && LD_LIBRARY_PATH=. %s",
                 "SIMKIT_REPORT=none timeout 60 $simrun -np 3 ./program");
        prints(command, 0, "");
        if (strcmp(output, "sum 3\nsum 3\nsum 3\n") != 0) print_message("%s: %s\n", links[i], output);
        assert_string_equal(output, "sum 3\nsum 3\nsum 3\n");
    }
    prints("$BUILD/simcc -DITSELF $FROM/late.c -o $PLACE/program -ldl && cd $PLACE && timeout 60 ./program", 2,
           "program loads a library that simcc has linked with a second copy of MPI: link program with -rdynamic");
}

static void programs_are_linked_statically(void **state)
{
    (void)state;
    if (SANITIZED) skip();
    prints("$BUILD/simcc -static $FROM/main.c $FROM/sum.c -o $PLACE/whole && " SIMRUN "-np 3 $PLACE/whole", 0,
           "sum 3\n");
    prints(SIMRUN "-np 3 --ranks together $PLACE/whole", 2, "the program is linked statically");
}

static void programs_of_cplusplus_link(void **state)
{
    (void)state;
    run("command -v ${CXX:-c++}");
    if (status != 0 || SANITIZED) skip();
    prints("$BUILD/simc++ $FROM/plus.cc -o $PLACE/plus && " SIMRUN "-np 2 $PLACE/plus", 0, "rank 1 has 7\n");
}

/* calls.txt, more.txt, windows.txt and f08.txt are what Open MPI printed. */
static void programs_of_fortran_run(void **state)
{
    (void)state;
    run("[ -x $BUILD/simf90 ]");
    if (status != 0 || SANITIZED) {
        print_message("left out: programs of Fortran need gfortran, and no sanitizer\n");
        skip();
    }
    static const char *const others[] = { "calls", "more", "windows", "f08", "nonblocking" };
    for (size_t i = 0; i < 2 * sizeof others / sizeof *others; ++i) {
        char command[512];
        snprintf(command, sizeof command,
                 "program=%s; $BUILD/simf90 -Wall -Werror -O1 -J$PLACE $FROM/$program.f90 -o $PLACE/$program && " SIMRUN
                 "-np 4 --ranks %s $PLACE/$program >$PLACE/$program.txt; diff $PLACE/$program.txt $FROM/$program.txt",
                 others[i / 2], i % 2 ? "together" : "processes");
        prints(command, 0, "");
        assert_string_equal(output, "");
    }
    prints("printf 'use mpi_f08\\ntype(MPI_Status) :: s\\ninteger :: old(MPI_STATUS_SIZE)\\nold = 7\\n"
           "call MPI_Status_f2f08(old, s)\\ns%%MPI_TAG = 8\\ncall MPI_Status_f082f(s, old)\\n"
           "print *, old(MPI_TAG), s%%MPI_SOURCE\\nend' >$PLACE/status.f90; "
           "$BUILD/simf90 $PLACE/status.f90 -o $PLACE/status && " SIMRUN "$PLACE/status",
           0, " 8           7\n");
    static const char *const handles[][2] = { { "mpi", "integer :: file, request" },
                                              { "mpi_f08", "type(MPI_File) :: file; type(MPI_Request) :: request" } };
    for (size_t i = 0; i < sizeof handles / sizeof *handles; ++i) {
        char command[1024];
        snprintf(command, sizeof command,
                 "printf 'use %s\\ncharacter(9) :: name\\ninteger :: e, n\\n%s\\ncall MPI_Init(e)\\n"
                 "call MPI_File_open(MPI_COMM_SELF, \"data\", MPI_MODE_RDONLY, MPI_INFO_NULL, file, e)\\n"
                 "print *, e == MPI_ERR_UNSUPPORTED_OPERATION, file == MPI_FILE_NULL\\n"
                 "call MPI_File_iread(file, n, 1, MPI_INTEGER, request, e)\\n"
                 "print *, e == MPI_ERR_UNSUPPORTED_OPERATION, request == MPI_REQUEST_NULL\\n"
                 "call MPI_Type_get_name(MPI_REAL4, name, n, e)\\nprint *, name\\ncall MPI_Finalize(e)\\nend\\n' "
                 ">$PLACE/file.f90; $BUILD/simf90 $PLACE/file.f90 -o $PLACE/file && " SIMRUN "$PLACE/file 2>/dev/null",
                 handles[i][0], handles[i][1]);
        prints(command, 0, " T T\n T T\n MPI_REAL4\n");
    }
    prints("printf 'use mpi\\ninteger :: e, i, n\\ncall MPI_Init(e)\\ndo i = 1, 2\\ncall system_clock(n)\\nend do\\n"
           "call sleep(1)\\ncall MPI_Finalize(e)\\nend\\n' >$PLACE/clock.f90; $BUILD/simf90 $PLACE/clock.f90 -o "
           "$PLACE/clock && SIMKIT_COMPUTE=none $BUILD/simrun $PLACE/clock 2>&1",
           0, "simkit: 1 task, 1 s\n");
    prints("$BUILD/simf90 $FROM/fixed.f -o $PLACE/fixed && " SIMRUN "-np 3 --compute none $PLACE/fixed | sort", 0,
           "rank 0: pi is 3.141593\nrank 1: pi is 3.141593\nrank 2: pi is 3.141593\n");
    /* mistakes have the names of the calls */
    prints("printf 'use mpi\\ninteger :: e\\ncall MPI_INIT(e)\\ncall MPI_SEND(e, 1, MPI_INTEGER, 7, 0, MPI_COMM_WORLD, "
           "e)\\nend' "
           ">$PLACE/wrong.f90; $BUILD/simf90 $PLACE/wrong.f90 -o $PLACE/wrong && " SIMRUN "$PLACE/wrong",
           1, ": MPI_ERR_RANK: invalid rank");
}

/* The numbers of mpif.h, and the version, are those of mpi.h; texts of Fortran have no 0 at their end. */
static void numbers_of_fortran_are_those_of_c(void **state)
{
    (void)state;
    prints("{ echo '#include <mpi.h>'; sed -n -e 's/parameter (MPI_VERSION = \\(.*\\), MPI_SUBVERSION = "
           "\\(.*\\))/MPI_VERSION "
           "\\1\\nMPI_SUBVERSION \\2/p' "
           "-e '/^! Numbers$/,/^! Kinds/s/.*parameter (\\(.*\\) = \\(.*\\))/\\1 \\2/p' "
           "examples/messages/mpif.h | while read -r name value; do case $name in MPI_MAX_*) value=$((value + 1)) ;; "
           "esac; "
           "echo \"typedef char same_$name[$name == $value ? 1 : -1];\"; done; } >$PLACE/numbers.c; "
           "$BUILD/simcc -c $PLACE/numbers.c -o $PLACE/numbers.o && grep -c typedef $PLACE/numbers.c",
           0, "");
    assert_true(atoi(output) > 40);
    prints("grep -Ec 'same_MPI_(SUB)?VERSION\\[' $PLACE/numbers.c", 0, "2");
}

/* Every call of C has its like in Fortran, and all but the old ones are in the module mpi_f08. An error code may be left out
 * there, so no call may write it without looking. */
static void fortran_has_the_calls_of_c(void **state)
{
    (void)state;
    prints(
        "nm $BUILD/libmessages.a 2>/dev/null | sed -n 's/.* T //p' | sort -u >$PLACE/defined; "
        "sed -n '/^#define SIMKIT_MPI_CALLS/,/[^\\\\]$/p' examples/messages/mpi.h | grep -o 'of([A-Z][a-z0-9_A-Z]*)' | "
        "sed 's/of(\\(.*\\))/\\1/' | grep -v '_[cf]2[cf]$' | grep -v '^T_' | sort >$PLACE/calls; "
        "sed -n 's/^\\([A-Z][^ ]*\\).*/\\1/p' examples/messages/mpi_f08.list | sort >$PLACE/new; "
        "tr A-Z a-z <$PLACE/calls | sed 's/.*/mpi_&_/' | sort -u | comm -23 - $PLACE/defined; "
        "grep -Ev "
        "'^(Attr_|Keyval_|Errhandler_[csg]|Address|Type_(hvector|hindexed|struct|extent|lb|ub)$|Pcontrol|Wti|Aint_|T_)'"
        " "
        "$PLACE/calls | comm -23 - $PLACE/new; "
        "grep -nE '(^|[^r]) [*]error' examples/messages/fortran.c; wc -l <$PLACE/calls",
        0, "");
    if (atoi(output) <= 200) print_message("%s", output); /* missing ones come before the number */
    assert_true(atoi(output) > 200);
}

static int begin(void **state)
{
    static const char *const others[] = { "NP",      "MACHINES", "PLACE",      "USERS",      "SEED",
                                          "COMPUTE", "POLLS",    "TIME_LIMIT", "ALGORITHMS", "REPORT",
                                          "TRACE",   "SEGMENTS", "PROGRAMS",   "THREADS" };
    char name[40];
    (void)state;
    if (!getenv("BUILD")) setenv("BUILD", "build", 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        snprintf(name, sizeof name, "SIMKIT_%s", others[i]);
        unsetenv(name);
    }
#ifdef TESTS_SLOW
    setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0", 1);
#endif
    snprintf(folder, sizeof folder, "/tmp/launcher.XXXXXX");
    if (!mkdtemp(folder)) return -1;
    setenv("PLACE", folder, 1);
    setenv("FROM", "tests/messages/linked", 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    run("rm -r $PLACE");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_launcher_starts_ranks),
        cmocka_unit_test(options_are_those_of_the_variables),
        cmocka_unit_test(ranks_are_placed_by_threads),
        cmocka_unit_test(lists_make_tables),
        cmocka_unit_test(programs_after_a_colon_are_further_ranks),
        cmocka_unit_test(wrong_options_are_told),
        cmocka_unit_test(recorded_programs_are_replayed),
        cmocka_unit_test(help_names_each_variable),
        cmocka_unit_test(ctrl_c_tells_where_the_ranks_were),
        cmocka_unit_test(wrappers_show_what_they_would_run),
        cmocka_unit_test(shared_libraries_call_mpi),
        cmocka_unit_test(programs_are_linked_statically),
        cmocka_unit_test(programs_of_cplusplus_link),
        cmocka_unit_test(programs_of_fortran_run),
        cmocka_unit_test(numbers_of_fortran_are_those_of_c),
        cmocka_unit_test(fortran_has_the_calls_of_c),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
