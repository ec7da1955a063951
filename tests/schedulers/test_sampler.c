/* examples/schedulers/sampler.c on made-up machines: files as Linux writes them, in a folder of this test. */
#include "../../examples/schedulers/sampler.c"

#include "../close.h"

#include <sys/stat.h>

static char top[64], removal[80];
static sampler *s;
static const sampler_view *view;

/* Writes a file, with the folders above it; the same file, so that who has it open sees the new text. */
static void put(const char *file, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", top, file);
    for (char *p = path + strlen(top) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') *p = '\0', mkdir(path, 0755);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

/* A thread; `nice` 100 and more is a scheduling policy. */
static void thread_is(long pid, long thread, char state, int core, int nice, int threads)
{
    char file[80], text[300];
    const int policy = nice >= 100 ? nice - 100 : 0;
    snprintf(
        text, sizeof text,
        "%ld (a (b) c) %c 1 1 1 0 -1 4194304 9 0 0 0 11 12 13 14 20 %d %d 0 77 1000 2 18446744073709551615 1 1 1 0 0 0 "
        "0 0 0 0 0 0 17 %d 0 %d 0 0 0\n",
        thread, state, policy ? 0 : nice, threads, core, policy);
    snprintf(file, sizeof file, "proc/%ld/task/%ld/stat", pid, thread);
    put(file, text);
    snprintf(file, sizeof file, "proc/%ld/stat", thread); /* every thread can be opened by its number */
    put(file, text);
}

static void process_is(long pid, char state, int core, int nice)
{
    thread_is(pid, pid, state, core, nice, 1);
}

static void status_is(long thread, long process, const char *allowed)
{
    char file[80], text[200];
    snprintf(file, sizeof file, "proc/%ld/status", thread);
    snprintf(text, sizeof text, "Name:\ta\nTgid:\t%ld\nCpus_allowed:\t%s\nCpus_allowed_list:\t0\n", process, allowed);
    put(file, text);
}

static void group_is(long pid, const char *path)
{
    char file[80], text[400];
    snprintf(file, sizeof file, "proc/%ld/cgroup", pid);
    snprintf(text, sizeof text, "3:cpuset:/x\n2:cpu,cpuacct:%s\n", path);
    put(file, text);
}

/* The process 7 looks, on core 0; the kernel counts so many runnable threads. */
static void machine(int running, long newest)
{
    char text[80];
    snprintf(text, sizeof text, "0.50 0.40 0.30 %d/99 %ld\n", running, newest);
    put("proc/loadavg", text);
}

static int setup(void **state)
{
    (void)state;
    s = NULL;
    snprintf(top, sizeof top, "%s/sampler.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(top));
    put("proc/stat",
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 0 1 5 1 0 0 0 0 0\ncpu1 9 0 0 0 0 0 0 0 0 0\nintr 5 1 1\nctxt 7\n");
    put("proc/pressure/cpu", "some avg10=12.50 avg60=0.98 avg300=0.43 total=2744245\n");
    put("proc/sys/kernel/sched_autogroup_enabled", "0\n");
    put("cgroup/readme", "");
    process_is(7, 'R', 0, 0);
    status_is(7, 7, "3");
    machine(1, 50);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sampler_close(s);
    snprintf(removal, sizeof removal, "rm -rf %s", top);
    return system(removal);
}

static void begin(void)
{
    char proc[80], cgroups[80];
    const sampler_desc desc = {
        .proc = proc, .cgroups = cgroups, .self = 7, .budget = 1
    }; /* a second is for slow machines */
    snprintf(proc, sizeof proc, "%s/proc", top);
    snprintf(cgroups, sizeof cgroups, "%s/cgroup", top);
    if (!sampler_open(&desc, &s)) fail_msg("%s", sampler_why(s));
    view = sampler_view_of(s);
}

static void looks(int count)
{
    while (count-- > 0) sampler_look(s);
}

static const sampler_task *task_of(long pid)
{
    for (size_t i = 0; i < view->tasks; ++i)
        if (view->task[i].pid == pid) return &view->task[i];
    return NULL;
}

static void a_line_of_stat(void **state)
{
    sampler_process p;
    char text[400];
    (void)state;

    process_is(20, 'R', 5, -3);
    begin();
    assert_true(sampler_process_read(s->proc, "20", &p));
    assert_string_equal(p.name, "a (b) c");
    assert_int_equal(p.pid, 20);
    assert_int_equal(p.state, 'R');
    assert_int_equal(p.parent, 1);
    assert_int_equal(p.flags, 4194304);
    assert_int_equal(p.user, 11);
    assert_int_equal(p.system, 12);
    assert_int_equal(p.ended_user, 13);
    assert_int_equal(p.ended_system, 14);
    assert_int_equal(p.nice, -3);
    assert_int_equal(p.threads, 1);
    assert_int_equal(p.start, 77);
    assert_int_equal(p.core, 5);
    assert_int_equal(p.policy, 0);
    assert_false(sampler_process_read(s->proc, "21", &p));
    /* every shorter line is refused */
    assert_true(sampler__text(s->proc, "20/stat", text, sizeof text) > 0);
    for (size_t length = strlen(text) - 8; length-- > 0;) {
        text[length] = '\0';
        assert_false(sampler__parse(text, &p));
    }
}

static void an_idle_machine(void **state)
{
    (void)state;
    begin();
    sampler_look(s);
    assert_int_equal(view->cores, 2);
    assert_int_equal(view->online, 2);
    assert_equal(view->busy[0], 0.25);
    assert_equal(view->busy[1], 1);
    assert_equal(view->pressure, 0.125);
    assert_null(view->hidden);
    assert_int_equal(view->tasks, 1); /* itself */
    assert_true(view->task[0].own);
    assert_equal(sampler_share(view, NULL, 0), 1);
    assert_equal(sampler_share_anywhere(view, 1), 1);
    assert_close(sampler_share_anywhere(view, 4), 0.5, 1e-15);
    assert_nan(sampler_share(view, NULL, 2));
    assert_nan(sampler_share(view, (const double[]){ 0, 1 }, 0));
    assert_nan(sampler_share_anywhere(view, 0));
    assert_nan(sampler_share_anywhere(view, -1));
}

/* Without groups: one process on core 1, one nicer, one real-time for half the time. */
static void processes_of_the_root(void **state)
{
    (void)state;
    process_is(20, 'R', 1, 0);
    process_is(21, 'R', 1, 5);
    process_is(22, 'S', 0, 0);
    process_is(23, 'R', 0, 105);
    status_is(20, 20, "2");
    status_is(21, 21, "00000000,00000002");
    status_is(23, 23, "1");
    begin();
    assert_int_equal(view->tasks, 4);
    assert_int_equal(task_of(20)->allowed, 1);
    assert_int_equal(task_of(21)->mask[0], 2);
    assert_equal(task_of(20)->runnable, 1);
    assert_null(task_of(22));
    assert_close(sampler_share(view, NULL, 1), 1024. / (1024 + 1024 + 335), 1e-15);
    assert_close(sampler_share(view, NULL, 0), 1024. / (1024 + 3), 1e-15);
    assert_close(sampler_share(view, (const double[]){ 0, 2 }, 1), 1024. / (3 * 1024 + 335), 1e-15);
    assert_close(sampler_share_anywhere(view, 1),
                 2 * 1024. / (2 * 1024 + 335 + 3) < 1 ? 2 * 1024. / (2 * 1024 + 338) : 1, 1e-15);

    process_is(24, 'R', 1, 102);
    status_is(24, 24, "2");
    sampler_scan(s);
    assert_true(task_of(24)->real_time);
    assert_true(view->real_time > 0);
    s->view.task[s->view.tasks - 1].runnable = 0.5;
    assert_close(sampler_share(view, NULL, 1), 0.5 * 1024. / (1024 + 1024 + 335), 1e-15);
}

/* Who may move goes to a core with less on it; who may not stays. */
static void affinity(void **state)
{
    (void)state;
    process_is(20, 'R', 1, 0);
    process_is(21, 'R', 1, 0);
    status_is(20, 20, "2");
    status_is(21, 21, "3");
    begin();
    assert_equal(sampler_share(view, NULL, 1), 0.5); /* 21 moves to core 0 */
    assert_equal(sampler_share(view, NULL, 0), 1);   /* it stays on core 1, where one is, as here */
    assert_close(sampler_share(view, (const double[]){ 1, 1 }, 1), 0.5, 1e-15);
    assert_equal(sampler_share(view, (const double[]){ 1, 1 }, 0), 0.5);
    status_is(21, 21, "2");
    looks(64);
    assert_int_equal(task_of(21)->allowed, 1);
    assert_close(sampler_share(view, NULL, 1), 1. / 3, 1e-15);
}

/* Sessions are groups. What a group weighs on a core is the part of its load that is there. */
static void autogroups(void **state)
{
    (void)state;
    put("proc/sys/kernel/sched_autogroup_enabled", "1\n");
    put("proc/7/autogroup", "/autogroup-3 nice 0\n");
    put("proc/20/autogroup", "/autogroup-4 nice 0\n");
    put("proc/21/autogroup", "/autogroup-4 nice 0\n");
    put("proc/22/autogroup", "/autogroup-3 nice 0\n");
    for (long pid = 20; pid <= 22; ++pid) process_is(pid, 'R', 1, 0), status_is(pid, pid, "2");
    begin();
    assert_true(view->autogroup);
    assert_int_equal(view->groups, 2);
    assert_close(sampler_share(view, NULL, 1), 0.25, 1e-15); /* two sessions, and mine has one more */
    /* one of mine on core 0: my session has a third of its load there, so it weighs 2/3 here, against 1 of the other */
    assert_close(sampler_share(view, (const double[]){ 1, 1 }, 1), 0.5 * (2. / 3) / (1 + 2. / 3), 1e-15);
    assert_equal(sampler_share(view, (const double[]){ 1, 1 }, 0), 1);

    put("proc/20/autogroup", "/autogroup-4 nice 5\n"); /* found with one of its processes */
    put("proc/21/autogroup", "/autogroup-4 nice 5\n");
    looks(64);
    assert_close(sampler_share(view, NULL, 1), 0.5 * 1024. / (1024 + 335), 1e-15);
}

/* Control groups of version 1, one within another, with a quota; a thread that changes its group, a group its weight. */
static void control_groups_of_version_1(void **state)
{
    (void)state;
    put("cgroup/cpu/cpu.shares", "1024\n");
    put("cgroup/cpu/a/cpu.shares", "3072\n");
    put("cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
    put("cgroup/cpu/a/b/cpu.shares", "1024\n");
    put("cgroup/cpu/a/b/cpu.cfs_quota_us", "5000\n");
    put("cgroup/cpu/a/b/cpu.cfs_period_us", "50000\n");
    process_is(20, 'R', 1, 0), status_is(20, 20, "2");
    process_is(21, 'R', 1, 0), status_is(21, 21, "2");
    group_is(7, "/");
    group_is(20, "/a");
    group_is(21, "/a/b");
    begin();
    assert_null(view->hidden);
    assert_int_equal(view->groups, 2);
    assert_equal(view->member[task_of(21)->member].weight, 1024);
    assert_close(view->member[view->member[task_of(21)->member].parent].limit, 0.1, 1e-15);
    assert_close(sampler_share(view, NULL, 1), 0.25, 1e-15);
    put("cgroup/cpu/a/cpu.shares", "1024\n");
    looks(100);
    assert_close(sampler_share(view, NULL, 1), 0.5, 1e-15);
    put("cgroup/cpu/a/cpu.cfs_quota_us", "20000\n");
    put("cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    looks(100);
    assert_close(sampler_share(view, NULL, 1), 0.8, 1e-15);
    put("proc/20/cgroup", "2:cpu:/\n");
    put("proc/21/cgroup", "2:cpu:/\n");
    looks(100);
    assert_close(sampler_share(view, NULL, 1), 1. / 3, 1e-15);
}

/* Those of version 2; where the processor is not divided, the group above counts, and at the root the session. */
static void control_groups_of_version_2(void **state)
{
    (void)state;
    put("proc/sys/kernel/sched_autogroup_enabled", "1\n");
    put("cgroup/cgroup.controllers", "cpu memory\n");
    put("cgroup/system.slice/cpu.weight", "50\n");
    put("cgroup/system.slice/cpu.max", "max 100000\n");
    put("cgroup/system.slice/a.service/cgroup.procs", "");
    put("cgroup/user.slice/cgroup.procs", "");
    put("cgroup/idle/cpu.weight", "0\n");
    put("cgroup/limited/cpu.weight", "100\n");
    put("cgroup/limited/cpu.max", "25000 50000\n");
    for (long pid = 20; pid <= 22; ++pid) process_is(pid, 'R', 1, 0), status_is(pid, pid, "2");
    put("proc/7/cgroup", "1:name=systemd:/x\n0::/user.slice\n");
    put("proc/7/autogroup", "/autogroup-9 nice 0\n");
    put("proc/20/cgroup", "0::/system.slice/a.service\n");
    put("proc/20/autogroup", "/autogroup-1 nice 0\n");
    put("proc/21/cgroup", "0::/idle\n");
    put("proc/22/cgroup", "0::/limited\n");
    begin();
    assert_null(view->hidden);
    assert_int_equal(view->groups, 4);
    assert_close(sampler_share(view, NULL, 1), 1024. / (1024 + 512 + 3 + 1024), 1e-15);
    assert_close(view->member[view->member[task_of(22)->member].parent].limit, 0.5, 1e-15);
}

/* Threads of one process; those of its own count for nobody. */
static void threads(void **state)
{
    (void)state;
    thread_is(20, 20, 'S', 0, 0, 3);
    thread_is(20, 31, 'R', 1, 0, 3);
    thread_is(20, 32, 'R', 1, 0, 3);
    thread_is(7, 8, 'R', 1, 0, 2);
    thread_is(7, 7, 'R', 0, 0, 2);
    status_is(31, 20, "2");
    status_is(32, 20, "2");
    status_is(8, 7, "2");
    begin();
    assert_null(task_of(20));
    assert_true(task_of(8)->own);
    assert_false(task_of(31)->own);
    assert_close(sampler_share(view, NULL, 1), 1. / 3, 1e-15);
}

/* A new process is found at the next look by its number, an ended one is gone, a load rises and falls as the average. */
static void processes_come_and_go(void **state)
{
    (void)state;
    begin();
    sampler_look(s);
    process_is(51, 'R', 1, 0);
    status_is(51, 51, "2");
    machine(2, 51);
    s->saved = -1; /* nothing left for the search */
    sampler_look(s);
    assert_non_null(task_of(51));
    double load = task_of(51)->runnable;
    assert_true(load > 0 && load < 1);
    usleep(20000);
    sampler_look(s);
    assert_true(task_of(51)->runnable > load);
    load = task_of(51)->runnable;
    process_is(51, 'S', 1, 0);
    usleep(20000);
    sampler_look(s);
    assert_true(task_of(51)->runnable < load);
    s->watch[1].ran -= 10, s->watch[0].ran -= 10; /* long ago */
    looks(4);
    assert_null(task_of(51));
    process_is(51, 'R', 1, 0);
    sampler_scan(s);
    assert_non_null(task_of(51));
    put("proc/51/stat", "");
    looks(4);
    assert_null(task_of(51));
}

/* Somebody of 300 sleepers wakes up: found by the search, in small slices, and sooner if the kernel counts one more. */
static void a_sleeper_wakes_up(void **state)
{
    int taken[2];
    (void)state;
    for (long pid = 100; pid < 400; ++pid) process_is(pid, 'S', 0, 0);
    machine(2, 400);
    begin();
    s->longest = 1;
    for (int told = 0; told < 2; ++told) {
        process_is(250, 'R', 1, 0);
        machine(2 + told, 400);
        s->budget = 1e-9, s->saved = 2, s->patience = 0, s->told = s->seen + told;
        for (taken[told] = 0; !task_of(250) && taken[told] < 20000; ++taken[told]) sampler_look(s);
        process_is(250, 'S', 1, 0);
        while (s->view.tasks > 0) sampler__drop(s, 0);
    }
    assert_true(taken[0] > 1 && taken[0] <= 32 * 302); /* without a budget, one of them in 32 looks */
    assert_true(taken[1] <= 2);                        /* to the end of the list, and from its beginning */
}

/* Threads of the kernel are passed over, until their numbers are given again. */
static void threads_of_the_kernel(void **state)
{
    (void)state;
    put("proc/40/stat",
        "40 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0\n");
    begin();
    assert_int_equal(s->kernel[5], 1);
    process_is(40, 'R', 0, 0);
    sampler_scan(s);
    assert_null(task_of(40));
    machine(2, 40);
    sampler_look(s); /* numbers begin anew */
    sampler_scan(s);
    assert_non_null(task_of(40));
}

/* More runnable threads than are watched: those that sleep make room, nothing else happens. */
static void more_than_are_watched(void **state)
{
    char proc[80];
    (void)state;
    for (long pid = 100; pid < 120; ++pid) process_is(pid, 'R', 0, 0);
    machine(21, 200);
    snprintf(proc, sizeof proc, "%s/proc", top);
    assert_true(sampler_open(&(sampler_desc){ .proc = proc, .cgroups = proc, .self = 7, .tasks = 5, .budget = 1 }, &s));
    view = sampler_view_of(s);
    assert_int_equal(view->tasks, 5);
    for (size_t i = 0; i < 5; ++i) process_is(view->task[i].pid, 'S', 0, 0);
    looks(40);
    assert_int_equal(view->tasks, 5);
    assert_int_equal(view->known, 5); /* others of the twenty */
}

/* Views that are not the whole machine say so. */
static void containers(void **state)
{
    (void)state;
    put("cgroup/cpu/cpu.shares", "1024\n");
    group_is(7, "/docker/1234");
    begin();
    assert_string_equal(view->hidden, "this is a container, from which control groups are not visible");
    sampler_close(s);
    s = NULL;
    group_is(7, "/");
    machine(9, 50);
    begin();
    assert_string_equal(view->hidden, "this is a container, from which other processes are not visible");
}

/* 300 sessions are more than fit; when they are gone, all is well again. */
static void too_many_groups(void **state)
{
    (void)state;
    put("proc/sys/kernel/sched_autogroup_enabled", "1\n");
    put("proc/7/autogroup", "/autogroup-1 nice 0\n");
    for (int i = 0; i < 200; ++i) {
        char file[60], text[60];
        process_is(100 + i, 'R', 1, 0);
        snprintf(file, sizeof file, "proc/%d/autogroup", 100 + i);
        snprintf(text, sizeof text, "/autogroup-%d nice 0\n", 100 + i);
        put(file, text);
    }
    begin();
    assert_null(view->hidden); /* only 64 are watched */
    s->room = SAMPLER_TASKS;
    sampler_scan(s);
    assert_string_equal(view->hidden, "there are more than 256 groups and classes of processes here");
    for (int i = 1; i < 200; ++i) {
        char file[60];
        snprintf(file, sizeof file, "proc/%d/stat", 100 + i);
        put(file, "");
    }
    looks(130);
    assert_null(view->hidden);
    assert_int_equal(view->groups, 2);
}

static void what_cannot_be_opened(void **state)
{
    char proc[80], nothing[80];
    sampler *bad;
    (void)state;
    snprintf(nothing, sizeof nothing, "%s/nothing", top);
    assert_false(sampler_open(&(sampler_desc){ .proc = nothing }, &bad));
    assert_non_null(strstr(sampler_why(bad), "/nothing: No such file or directory"));
    sampler_close(bad);
    snprintf(proc, sizeof proc, "%s/cgroup", top);
    assert_false(sampler_open(&(sampler_desc){ .proc = proc }, &bad));
    assert_non_null(strstr(sampler_why(bad), "/cgroup/loadavg: cannot be read; expected the files of Linux"));
    sampler_close(bad);
    put("cgroup/loadavg", "0 0 0 1/1 1\n");
    put("cgroup/stat", "cpu 1 2 3\n");
    assert_false(sampler_open(&(sampler_desc){ .proc = proc }, &bad));
    assert_non_null(strstr(sampler_why(bad), "/stat: has no line of a core; expected one such as 'cpu0 1 2 3 4'"));
    sampler_close(bad);
    put("cgroup/stat", "cpu 1 2 3\ncpu1024 1 2 3 4\n");
    assert_false(sampler_open(&(sampler_desc){ .proc = proc }, &bad));
    assert_non_null(strstr(sampler_why(bad), "/stat: has more than 1024 cores"));
    sampler_close(bad);
    assert_false(sampler_open(&(sampler_desc){ .budget = -1 }, &bad));
    assert_string_equal(sampler_why(bad), "sampler_desc: window, budget and longest are times, 0 or more");
    sampler_close(bad);
    sampler_close(NULL);
    assert_string_equal(sampler_why(NULL), "no memory for a sampler");
    begin();
}

static void a_thread_looks(void **state)
{
    static sampler_view latest;
    unsigned long number = 0;
    (void)state;
    process_is(20, 'R', 1, 0);
    status_is(20, 20, "2");
    begin();
    assert_false(sampler_start(s, 0));
    assert_true(sampler_start(s, 0.001));
    assert_false(sampler_start(s, 0.001));
    for (int i = 0; i < 10000 && number < 3; ++i) {
        const unsigned long next = sampler_latest(s, number, &latest);
        assert_true(next >= number);
        number = next;
        usleep(1000);
    }
    assert_true(number >= 3);
    assert_equal(sampler_share(&latest, NULL, 1), 0.5);
    sampler_stop(s);
    sampler_stop(s);
    number = sampler_latest(s, number, &latest);
    assert_int_equal(sampler_latest(s, number, &latest), number);
    assert_true(sampler_start(s, 1000)); /* ends at once all the same */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_line_of_stat),
        TEST(an_idle_machine),
        TEST(processes_of_the_root),
        TEST(affinity),
        TEST(autogroups),
        TEST(control_groups_of_version_1),
        TEST(control_groups_of_version_2),
        TEST(threads),
        TEST(processes_come_and_go),
        TEST(a_sleeper_wakes_up),
        TEST(threads_of_the_kernel),
        TEST(more_than_are_watched),
        TEST(containers),
        TEST(too_many_groups),
        TEST(what_cannot_be_opened),
        TEST(a_thread_looks),
    };
    return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
