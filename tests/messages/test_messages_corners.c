/* examples/messages: programs that use corners of the standard, and what they print. */
#include "programs.h"

/* The same with ranks in one process, and on several cores. */
static void prints_everywhere(const char *machine_text, const char *settings, const char *program, const char *wanted)
{
    static const char *const ways[] = { "", "SIMKIT_RANKS=together ", "SIMKIT_CORES=2 SIMKIT_AHEAD=0 " };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        char all[256];
        snprintf(all, sizeof all, "%s%s", ways[i], settings);
        run_on(machine_text, all, program);
        if (strstr(errors, "not under a sanitizer")) continue;
        prints(wanted);
        if (status != 0 || lines(errors) != 1) print_message("%s %s: %s\n", all, program, errors);
        assert_int_equal(status, 0);
        assert_int_equal(lines(errors), 1); /* no warning */
    }
}

static void data_goes_in_one_direction_between_groups(void **state)
{
    (void)state;
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=2", "corners oneway", "0 wrong\n");
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=5", "corners oneway", "0 wrong\n");
    prints_everywhere(ether, "SIMKIT_NP=8", "corners oneway", "0 wrong\n");
}

static void functions_of_attributes_change_attributes(void **state)
{
    (void)state;
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=2", "corners attributes",
                      "0: 2/5 2/5 2/5, freed 6 6 6\n"
                      "1: 6/1 6/1 6/1, freed 6 6 6\n"
                      "2: 2/5 2/5 2/5, freed 6 6 6\n"
                      "3: 2/5 2/5 2/5, freed 6 6 6\n"
                      "4: 4/5 4/5 4/5, freed 9 9 9\n"
                      "5: 2/5 2/5 2/5, freed 6 6 6\n"
                      "6: 2/5 2/5 2/5, freed 6 6 6\n"
                      "7: 2/5 2/5 2/5, freed 6 6 6\n"
                      "copied 3, left 0, deleted 7\n"
                      "copied 1\n"
                      "24 B\n"
                      "finalize: c\nfinalize: b\nfinalize: a\n");
}

static void attributes_pass_between_languages(void **state)
{
    (void)state;
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=1", "corners languages",
                      "by Fortran: 1 1, in Fortran 1 5, copied 1, deleted 1, then by C 1 1\n"
                      "by MPI 1: -7 -7, copied -6, deleted -6\n"
                      "functions of C: 1 1, 1\n"
                      "type: 1 1, window: 1 1\n");
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=1", "corners extra", "extra state 119\n");
}

static void functions_of_the_program_make_calls(void **state)
{
    (void)state;
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=4", "corners calls",
                      "cancel 1, flag 1, count 3, queried 15, freed 3, handled 2, sum 6 24\n");
    prints_everywhere(ether, "SIMKIT_NP=4", "corners calls",
                      "cancel 1, flag 1, count 3, queried 15, freed 3, handled 2, sum 6 24\n");
}

/* A wait after MPI_Cancel returns, whatever others do. */
static void sends_are_cancelled(void **state)
{
    static const char *const machines[] = { ether, "[machine]\neager = 64 KiB\nprogress = calls\n[node a]\n" };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; ++i) {
        prints_everywhere(machines[i], NOTHING "SIMKIT_NP=1", "corners cancel",
                          "Issend 1\nIsend, Test 1\nWaitall 1\nWaitany 1 1\nRequest_get_status 1\nWaitsome 2 1\n"
                          "Ssend_init 1\nSsend_init 1\nreceived before 0\nleft 0\n");
        prints_everywhere(machines[i], NOTHING "SIMKIT_NP=3", "corners cancel_between",
                          "cancelled 1, received 0\ncancelled 1, received 0\ncancelled 0, received 1\n"
                          "cancelled 1, received 0\n");
    }
}

static void small_things_are_there(void **state)
{
    (void)state;
    prints_everywhere(machine_of_faults, NOTHING "SIMKIT_NP=1", "corners gaps",
                      "sum 0 2 0 2 0 2\n"
                      "grid of 0 dimensions: 0 0 0 0\n"
                      "swap 1 0 0 9 0 0\n"
                      "MPI_C_COMPLEX MPI_INTEGER1 MPI_INTEGER2 MPI_INTEGER8 MPI_2INTEGER MPI_INT8_T MPI_INT16_T "
                      "MPI_INT64_T MPI_2INT MPI_INTEGER4 MPI_REAL4 MPI_REAL8 MPI_COMPLEX8 MPI_COMPLEX16 MPI_LOGICAL4\n"
                      "1 2 1 2\n");
}

/* Large messages ask before they are sent, unless the machine file says otherwise. */
static void an_all_to_all_stays_in_step(void **state)
{
    static const char gigabit[] = "[network]\nlatency = 50 us\n[node]\ncount = 16\nbandwidth = 1 Gbit/s\n";
    static const char at_once[] = "[machine]\neager = 1000 GB\n[network]\nlatency = 50 us\n[node]\ncount = 16\n"
                                  "bandwidth = 1 Gbit/s\n";
    (void)state;
    run_on(gigabit, NOTHING "SIMKIT_NP=16", "corners late 0");
    says("simkit: 16 tasks, 0.01445 s\n");
    run_on(gigabit, NOTHING "SIMKIT_NP=16", "corners late 1e-4");
    says("simkit: 16 tasks, 0.01455 s\n");
    run_on(at_once, NOTHING "SIMKIT_NP=16", "corners late 0");
    says("simkit: 16 tasks, 0.01295 s\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_goes_in_one_direction_between_groups),
        cmocka_unit_test(functions_of_attributes_change_attributes),
        cmocka_unit_test(attributes_pass_between_languages),
        cmocka_unit_test(functions_of_the_program_make_calls),
        cmocka_unit_test(sends_are_cancelled),
        cmocka_unit_test(small_things_are_there),
        cmocka_unit_test(an_all_to_all_stays_in_step),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
