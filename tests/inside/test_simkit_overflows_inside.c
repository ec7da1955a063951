/* Room overflows of simkit.h: with SIMKIT_CATCH_OVERFLOW a stack overflow is a result, the handlers of the program are
 * there before and after a run, and faults that are none of ours are theirs. */
#define _DEFAULT_SOURCE /* sigaltstack(), MAP_ANONYMOUS */
#define SIMKIT_CATCH_OVERFLOW
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../world.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* Skips a test where stacks have no guards, or tools have handlers of their own. */
static void need_guards(void)
{
#if defined(TESTS_SLOW) || !defined(SIMKIT__MAPPED)
    skip();
#endif
}

static void start_in(simkit_world *w, const char *name, simkit_call *body, void *user)
{
    succeeds(simkit_process_start(w, &(simkit_process_desc){ .name = name, .body = body, .user = user }, NULL));
}

/* More than its stack in one frame, whose far end lies in the guard. */
static void needs_much(simkit_world *w, void *user)
{
    volatile char much[75000];
    (void)user;
    memset((char *)much, 1, sizeof much);
    whatever(simkit_process_wait(w, much[7]));
}

static void recurses(simkit_world *w, void *user)
{
    volatile char page[1024];
    volatile char *volatile all = page; /* so that no compiler keeps less of it */
    all[0] = 1;
    if (*(int *)user < 1000000 && ++*(int *)user > 0) recurses(w, user);
    page[1] = page[0];
}

static void waits_long(simkit_world *w, void *user)
{
    for (int i = 0; i < 50; ++i)
        if (simkit_process_wait(w, 0.01) != SIMKIT_OK) return;
    ++*(int *)user;
}

static bool same_action(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_flags == b->sa_flags && a->sa_sigaction == b->sa_sigaction;
}

static void an_overflow_is_a_result(void **state)
{
    struct sigaction before[2], after[2];
    stack_t stack_before, stack_after;
    (void)state;
    need_guards();
    sigaction(SIGSEGV, NULL, &before[0]), sigaction(SIGBUS, NULL, &before[1]);
    assert_int_equal(sigaltstack(NULL, &stack_before), 0);
    for (int round = 0; round < 3; ++round) {
        int depth = 0, ended = 0;
        start_in(world, NULL, waits_long, &ended);
        start_in(world, "deep", recurses, &depth);
        start_in(world, NULL, waits_long, &ended);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_non_null(strstr(simkit_world_why(world), ": process 'deep' has used more than its "));
        assert_int_equal(ended, 0);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK); /* the others go on */
        assert_int_equal(ended, 2);
        sigaction(SIGSEGV, NULL, &after[0]), sigaction(SIGBUS, NULL, &after[1]);
        assert_true(same_action(&before[0], &after[0]) && same_action(&before[1], &after[1]));
        assert_int_equal(sigaltstack(NULL, &stack_after), 0);
        assert_true(stack_before.ss_flags == stack_after.ss_flags);
    }
}

/* A frame that reaches beyond the guard: here as its fault alone, because it could hit whatever lies there. */
static void leaps(simkit_world *w, void *user)
{
    assert_false(simkit_process_overflow(w, w->current->block - 2000000));
    assert_false(simkit_process_overflow(w, w->current->context.stack));
    simkit_process_overflow(w, w->current->block - 40000);
    ++*(int *)user;
}

static void a_large_frame_is_caught(void **state)
{
    (void)state;
    need_guards();
    start_in(world, NULL, needs_much, NULL);
    assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
    assert_why_begins("at 0 s: process 1 has used more than its ");
    int back = 0;
    start_in(world, "leaper", leaps, &back);
    assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
    assert_int_equal(back, 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
}

/* Worlds in threads of their own, all at once: each has its own overflows, and all handlers are gone in the end. */
static void *runs_alone(void *user)
{
    long failures = 0;
    (void)user;
    for (int round = 0; round < 40; ++round) {
        int depth = 0, ended = 0;
        simkit_world *w;
        if (simkit_world_open(NULL, &w) != SIMKIT_OK) return (void *)1;
        const simkit_process_desc deep = { .body = recurses, .user = &depth },
                                  plain = { .body = waits_long, .user = &ended };
        failures += simkit_process_start(w, &plain, NULL) != SIMKIT_OK;
        failures += simkit_process_start(w, &deep, NULL) != SIMKIT_OK;
        failures += simkit_world_run(w) != SIMKIT_STACK_OVERFLOW;
        failures += simkit_world_run(w) != SIMKIT_OK;
        failures += ended != 1;
        simkit_world_close(w);
    }
    return (void *)failures;
}

static void worlds_of_all_threads_have_their_own(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    struct sigaction before, after;
    (void)state;
    need_guards();
    sigaction(SIGSEGV, NULL, &before);
    for (int i = 0; i < THREADS; ++i) assert_int_equal(pthread_create(&thread[i], NULL, runs_alone, NULL), 0);
    for (int i = 0; i < THREADS; ++i) {
        void *failures;
        assert_int_equal(pthread_join(thread[i], &failures), 0);
        assert_null(failures);
    }
    sigaction(SIGSEGV, NULL, &after);
    assert_true(same_action(&before, &after));
}

/* The process of a world runs another world, whose process overflows; then itself does. */
static void runs_another(simkit_world *w, void *user)
{
    int depth = 0, *results = (int *)user;
    simkit_world *inner;
    (void)w;
    if (simkit_world_open(NULL, &inner) != SIMKIT_OK) return;
    start_in(inner, NULL, recurses, &depth);
    results[0] = (int)simkit_world_run(inner);
    simkit_world_close(inner);
    depth = 0;
    recurses(w, &depth);
    results[1] = 1;
}

static void a_world_within_a_process(void **state)
{
    int results[2] = { 0, 0 };
    (void)state;
    need_guards();
    const simkit_process_desc outer = { .body = runs_another, .user = results, .stack_bytes = 256 * 1024 };
    succeeds(simkit_process_start(world, &outer, NULL));
    assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
    assert_int_equal(results[0], SIMKIT_STACK_OVERFLOW);
    assert_int_equal(results[1], 0);
    assert_null(simkit__catch_world);
    assert_int_equal(simkit__catch_runs, 0);
}

/* A page that the program's own handler opens when it is touched, as garbage collectors do. */
static char *closed_page;
static volatile sig_atomic_t opened, informed;

static void opens(int number)
{
    (void)number;
    ++opened;
    if (mprotect(closed_page, 4096, PROT_READ | PROT_WRITE) != 0) _exit(7);
}

static void opens_informed(int number, siginfo_t *info, void *context)
{
    informed += info->si_addr == closed_page + 5 && context;
    opens(number);
}

static void touches(simkit_world *w, void *user)
{
    (void)user;
    whatever(mprotect(closed_page, 4096, PROT_NONE));
    ((volatile char *)closed_page)[5] = 1;
    if (simkit_process_self(w)) succeeds(simkit_process_wait(w, 1));
}

static void other_faults_are_the_programs(void **state)
{
    struct sigaction plain, before;
    (void)state;
    need_guards();
    memset(&plain, 0, sizeof plain);
    closed_page = (char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(closed_page != MAP_FAILED);
    for (int informs = 0; informs < 2; ++informs) {
        if (informs)
            plain.sa_sigaction = opens_informed, plain.sa_flags = SA_SIGINFO;
        else
            plain.sa_handler = opens;
        assert_int_equal(sigaction(SIGSEGV, &plain, &before), 0);
        opened = informed = 0;
        start_in(world, NULL, touches, NULL);                            /* on a process's stack */
        succeeds(simkit_step_after(world, 0.5, 0, touches, NULL, NULL)); /* on the host's */
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        touches(world, NULL); /* outside a run */
        assert_int_equal(opened, 3);
        assert_int_equal(informed, 3 * informs);
        sigaction(SIGSEGV, &before, NULL);
    }
    munmap(closed_page, 4096);
}

/* In a child: by itself a fault that is none of ours ends the program by its signal, as does one that somebody sends. */
static char *volatile nowhere;

static void touches_nothing(simkit_world *w, void *user)
{
    (void)w;
    if (*(int *)user == 0) *(volatile char *)nowhere = 1;
    if (*(int *)user == 1) raise(SIGSEGV);
    if (*(int *)user == 2) raise(SIGBUS);
}

static void by_default_other_faults_end_the_program(void **state)
{
    (void)state;
    need_guards();
    for (int how = 0; how < 3; ++how) {
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL), signal(SIGBUS, SIG_DFL); /* cmocka has its own */
            start_in(world, NULL, touches_nothing, &how);
            _exit(simkit_world_run(world) == SIMKIT_OK ? 8 : 9);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), how == 2 ? SIGBUS : SIGSEGV);
    }
}

/* A handler that the program installs in a run stays when the run ends. */
static void installs(simkit_world *w, void *user)
{
    (void)w;
    assert_int_equal(sigaction(SIGSEGV, (const struct sigaction *)user, NULL), 0);
}

static void a_handler_of_the_run_stays(void **state)
{
    struct sigaction own, before, after;
    (void)state;
    need_guards();
    memset(&own, 0, sizeof own);
    own.sa_handler = opens;
    sigaction(SIGSEGV, NULL, &before);
    start_in(world, NULL, installs, &own);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    sigaction(SIGSEGV, &before, &after);
    assert_true(after.sa_handler == opens);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WORLD_TEST(an_overflow_is_a_result),
        WORLD_TEST(a_large_frame_is_caught),
        WORLD_TEST(worlds_of_all_threads_have_their_own),
        WORLD_TEST(a_world_within_a_process),
        WORLD_TEST(other_faults_are_the_programs),
        WORLD_TEST(by_default_other_faults_end_the_program),
        WORLD_TEST(a_handler_of_the_run_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
