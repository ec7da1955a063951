/* Flow graphs for real: this program starts itself as one process a node, which talk over loopback. What simulated modes
 * compute comes out here, too; and what goes wrong on one node ends all of them, with a sentence. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../close.h"

#include "flowgraph.c"
#include "flowgraph_net.c"
#include "kernels.c"
#include "lu.c"
#include "points.c"
#include "record.c"

#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>

/*=============================================================================
 * MARK: - >>programs
 *
 * What runs on the nodes; called with the name of a program, which prints a line and exits with 0, or the sentence with 1.
 *===========================================================================*/
/* How long a node may be silent here [s]; a slow one is not to be taken for a dead one. */
#ifdef TESTS_SLOW
enum { PATIENCE = 10 };
#else
enum { PATIENCE = 2 };
#endif

static struct {
    flowgraph *graph;
    flowgraph_threads workers;
    flowgraph_operation split, leaf, merge;
    flowgraph_edge out, back;
    const char *name;
    int pieces;
    long sum;
    bool released;
} p;

static bool is(const char *name)
{
    return strcmp(p.name, name) == 0;
}

/* Data of many sizes, so that reads end in all places of a message. */
static size_t size_of(int piece)
{
    static const size_t sizes[] = { 1, 8, 100, 4095, 4097, 30000, 70000, 200001 };
    return sizes[piece % 8];
}

static void split(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    for (int i = 0; i < p.pieces; ++i) {
        flowgraph_data *data = flowgraph_data_new(task, size_of(i));
        if (!data) return;
        memset(flowgraph_data_bytes(data), i % 251, size_of(i));
        if (i == 1 && is("move")) flowgraph_move(task, p.workers, 1, 2);
        if (i == 1 && (is("leave") || is("again"))) flowgraph_leave(task, 1);
        if (i == 20 && is("again")) {
            flowgraph_join(task, 1);
            flowgraph_move(task, p.workers, 1, 1);
        }
        if (i == 1 && (is("join") || is("join-late"))) {
            flowgraph_join(task, 3);
            flowgraph_move(task, p.workers, 1, 3);
        }
        flowgraph_post(task, p.out, &i, &data, 1);
        flowgraph_data_drop(data);
    }
}

/* On node 1, an operation that will never end, nor do anything. */
static void leave_undone(flowgraph_task *task)
{
    static flowgraph_task undone;
    flowgraph *g = task->graph;

    if (undone.graph) return;
    flowgraph__lock(g);
    undone.graph = g;
    undone.thread = task->thread;
    undone.operation = task->operation;
    undone.before = g->tasks.before;
    undone.after = &g->tasks;
    undone.before->after = g->tasks.before = &undone;
    flowgraph__unlock(g);
}

/* Counts how many came to the thread, in what it keeps, which moves with it. */
static void leaf(flowgraph_task *task, const void *object, void *user)
{
    const int piece = *(const int *)object;
    const unsigned char *bytes = (const unsigned char *)flowgraph_data_bytes(flowgraph_part(task, 0));
    const size_t size = flowgraph_data_size(flowgraph_part(task, 0));
    flowgraph_data *kept = flowgraph_stored(task, 1);
    long number = piece;

    (void)user;
    for (size_t i = 0; i < size; ++i) number += bytes[i] != piece % 251 ? 1000000 : 0;
    if (size != size_of(piece)) number += 1000000000;
    if (!kept) {
        flowgraph_data *fresh = flowgraph_data_new(task, sizeof(long));
        if (!fresh) return;
        *(long *)flowgraph_data_bytes(fresh) = 0;
        flowgraph_store(task, 1, fresh);
        flowgraph_data_drop(fresh);
        kept = flowgraph_stored(task, 1);
        if (!kept) return; /* the run has ended meanwhile, on another node, and nothing is stored any more */
    }
    ++*(long *)flowgraph_data_bytes(kept);
    if (is("count")) number = *(long *)flowgraph_data_bytes(kept);
    if (is("fails") && piece == 5) flowgraph_charge(task, -1);
    if ((is("crashes") || is("busy")) && piece == 5) _exit(3);
    for (int i = 0; is("busy") && piece == 0 && i < 100; ++i) { /* long enough for node 0 to hear that 2 has gone */
        usleep(5000);
        if (p.released) abort();
    }
    if (is("stops") && piece == 5) raise(SIGSTOP);
    if (is("undone") && piece == 1) leave_undone(task);
    if (is("waits") && piece == 0) {
        printf("pid %ld\n", (long)getpid());
        fflush(stdout);
        for (bool failed = false; !failed; usleep(5000)) {
            flowgraph__lock(p.graph);
            failed = p.graph->result != FLOWGRAPH_OK;
            flowgraph__unlock(p.graph);
        }
    }
    if (is("hangs") && piece == 0) {
        printf("pid %ld\n", (long)getpid());
        fflush(stdout);
        for (;;) sleep(1);
    }
    flowgraph_post(task, p.back, &number, NULL, 0);
}

static void merge(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    if (is("loses")) task->gather->count++, task->gather->sealed = true; /* as if one had been lost on the way */
    if (!is("pair")) p.sum = 0;
    for (; object; object = flowgraph_next(task)) p.sum += *(const long *)object;
}

static size_t to_worker(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return is("move") || is("join") || is("leave") || is("again") ? 1 : (size_t) * (const int *)object % count;
}

static void release(void *user)
{
    *(bool *)user = true;
}

static int ends(flowgraph_result result)
{
    if (result != FLOWGRAPH_OK) fprintf(stderr, "why: %s\n", flowgraph_why(p.graph));
    flowgraph_close(p.graph);
    if (p.released) fprintf(stderr, "released\n");
    return result != FLOWGRAPH_OK;
}

static int run_pieces(flowgraph_desc how)
{
    const flowgraph_threads_desc here = { .name = "here", .count = 1 };
    const uint32_t nodes[] = { 0, 1, 2 };
    const flowgraph_threads_desc workers = { .name = "workers", .count = 3, .nodes = nodes };
    const int number = 0;
    flowgraph_type piece, result_type;
    flowgraph_threads one;
    flowgraph_result result;
    double seconds;

    result = flowgraph_open(&how, &p.graph);
    if (result == FLOWGRAPH_OK) result = flowgraph_type_add(p.graph, "piece", sizeof(int), &piece);
    if (result == FLOWGRAPH_OK) result = flowgraph_type_add(p.graph, "result", sizeof(long), &result_type);
    if (result == FLOWGRAPH_OK) result = flowgraph_threads_add(p.graph, &here, &one);
    if (result == FLOWGRAPH_OK) result = flowgraph_threads_add(p.graph, &workers, &p.workers);
    if (result != FLOWGRAPH_OK) return ends(result);
    const flowgraph_operation_desc a = {
        "a", FLOWGRAPH_SPLIT, one, piece, { piece }, split, NULL, is("window") ? 3 : 0
    };
    const flowgraph_operation_desc b = { "b", FLOWGRAPH_LEAF, p.workers, piece, { result_type }, leaf, NULL, 0 };
    const flowgraph_operation_desc c = { "c", FLOWGRAPH_MERGE, one, result_type, { 0 }, merge, NULL, 0 };
    result = flowgraph_operation_add(p.graph, &a, &p.split);
    if (result == FLOWGRAPH_OK) result = flowgraph_operation_add(p.graph, &b, &p.leaf);
    if (result == FLOWGRAPH_OK) result = flowgraph_operation_add(p.graph, &c, &p.merge);
    if (result == FLOWGRAPH_OK)
        result = flowgraph_edge_add(p.graph, &(flowgraph_edge_desc){ p.split, p.leaf, to_worker, NULL, false }, &p.out);
    if (result == FLOWGRAPH_OK)
        result = flowgraph_edge_add(p.graph, &(flowgraph_edge_desc){ p.leaf, p.merge, NULL, NULL, false }, &p.back);
    if (result == FLOWGRAPH_OK && (is("busy") || is("hangs")))
        result = flowgraph_at_close(p.graph, release, &p.released);
    for (int i = 0; i < (is("twice") ? 2 : 1) && result == FLOWGRAPH_OK; ++i) {
        result = flowgraph_start(p.graph, p.split, 0, &number);
        if (result == FLOWGRAPH_OK && is("pair")) result = flowgraph_start(p.graph, p.split, 0, &number);
        if (result == FLOWGRAPH_OK) result = flowgraph_run(p.graph, &seconds);
    }
    if (result == FLOWGRAPH_OK && is("between")) {
        printf("pid %ld\n", (long)getpid());
        fflush(stdout);
        for (int i = 0; i < 400; ++i) usleep(50000);
    }
    if (result == FLOWGRAPH_OK)
        printf("sum %ld, time %s, efficiency %s\n", p.sum, seconds > 0 && seconds < 60 ? "well" : "wrong",
               record_efficiency(p.graph, 0, seconds) > 0 && record_efficiency(p.graph, 0, seconds) <= 1 ? "well"
                                                                                                         : "wrong");
    return ends(result);
}

static int run_lu(flowgraph_desc how, const char *variant)
{
    static const lu_release releases[] = { { 1, 1 }, { 3, 1 } };
    const lu_desc what = { .n = 96,
                           .r = 12,
                           .pipelined = strchr(variant, 'P') != NULL,
                           .window = strchr(variant, 'F') ? 5 : 0,
                           .parts = strchr(variant, 'M') ? 3 : 1,
                           .column_nodes = strchr(variant, 'R') ? 2 : 0,
                           .releases = releases,
                           .release_count = strchr(variant, 'R') ? 2 : 0 };
    flowgraph_result result = flowgraph_open(&how, &p.graph);
    lu_outcome outcome;
    lu *all = NULL;
    double residual = NAN;
    char why[200] = "";

    if (result == FLOWGRAPH_OK) result = lu_open(p.graph, &what, &all, why);
    if (result == FLOWGRAPH_OK) result = lu_factor(all, &outcome);
    if (result == FLOWGRAPH_OK) result = lu_check(all, &residual);
    if (result == FLOWGRAPH_OK) printf("residual %.6g\n", residual);
    return ends(result);
}

/* Before a node, as a launcher: PROGRAM strangers-first env FLOWGRAPH_NODE=1 FLOWGRAPH_AT=HOST:PORT PROGRAM ... Connections
 * that say nothing, what is no message, the beginning of one of 8 GiB, and a greeting with a token of its own; they stay
 * open while the node runs, which is this process. */
static int strangers_first(char **arguments)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    const flowgraph__header huge = { .kind = FLOWGRAPH__HELLO, .content = UINT32_MAX, .total = (uint64_t)8 << 30 };
    const struct {
        flowgraph__header header;
        net__hello hello;
    } guess = { { .kind = FLOWGRAPH__HELLO, .content = sizeof(net__hello), .total = sizeof(net__hello) },
                { { 0 }, 0, 2, 1 } };
    char noise[300];

    address.sin_port = htons((uint16_t)atoi(strrchr(arguments[4], ':') + 1));
    for (int i = 0; i < 300; ++i) noise[i] = (char)(i * i);
    for (int i = 0; i < 150; ++i) {
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) return 7;
        if (i % 4 == 1 && send(fd, noise, (size_t)(2 * i), MSG_NOSIGNAL) < 0 && errno != EPIPE) return 7;
        if (i % 4 == 2 && send(fd, &huge, sizeof huge, MSG_NOSIGNAL) < 0) return 7;
        if (i % 4 == 3 && send(fd, &guess, sizeof guess, MSG_NOSIGNAL) < 0) return 7;
    }
    execvp(arguments[2], arguments + 2);
    return 7;
}

/* PROGRAM MODE: as a child. */
static int program(char **arguments)
{
    char launch[1100];
    flowgraph_desc how = {
        .mode = (flowgraph_mode)atoi(arguments[2]), .nodes = 3, .record = true, .arguments = arguments
    };

#ifdef __linux__
    if (!getenv("FLOWGRAPH_NODE")) prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is killed leaves no run behind */
#endif
    p.name = arguments[1];
    p.pieces = is("many") ? 3000 : 40;
    snprintf(launch, sizeof launch, "%s strangers-first", arguments[0]);
    if (is("join") || is("join-late")) how.nodes = 4, how.at_first = 3;
    if (is("join-late") && getenv("FLOWGRAPH_NODE") && atoi(getenv("FLOWGRAPH_NODE")) == 3) return 2;
    if (is("stops") || is("undone")) how.patience = PATIENCE;
    if (is("strangers")) how.launch = launch;
    if (is("launch")) how.launch = "no-such-command-%d";
    if (is("nobody")) how.launch = "false";
    if (is("address")) how.address = "no.such.host.invalid";
    if (strncmp(p.name, "lu", 2) == 0) return run_lu(how, p.name + 2);
    return run_pieces(how);
}

/*=============================================================================
 * MARK: - >>tests
 *===========================================================================*/
static char self[1000];
static char output[4000];

/* Runs a program as a group of its own; gives its exit status. What it printed, errors too, is in `output`. */
static int run_program(const char *name, flowgraph_mode mode, void (*meanwhile)(void))
{
    char number[4];
    char *const arguments[] = { self, (char *)(uintptr_t)name, number, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t heeded;
    int ends[2], status;
    size_t length = 0;
    ssize_t came;
    pid_t pid;

    snprintf(number, sizeof number, "%d", (int)mode);
    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawnattr_init(&attributes);
    sigemptyset(&heeded); /* where this test runs in the background, SIGINT is ignored, and the program would inherit that */
    sigaddset(&heeded, SIGINT);
    sigaddset(&heeded, SIGHUP);
    sigaddset(&heeded, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes, &heeded);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    assert_int_equal(posix_spawn(&pid, self, &actions, &attributes, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    while ((came = read(ends[0], output + length, sizeof output - 1 - length)) > 0) {
        length += (size_t)came;
        output[length] = 0;
        if (meanwhile && strstr(output, "pid ")) {
            meanwhile();
            meanwhile = NULL;
        }
        if (length == sizeof output - 1) length = sizeof output / 2;
    }
    output[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    /* Nobody is left: of the group, each node's process was a member. */
    for (int i = 0; i < 200 && kill(-pid, 0) == 0; ++i) usleep(10000);
    if (kill(-pid, 0) == 0) {
        kill(-pid, SIGKILL);
        fail_msg("%s: processes are left behind", name);
    }
    assert_int_equal(errno, ESRCH);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_ends(const char *name, flowgraph_mode mode, void (*meanwhile)(void), int status)
{
    const int ended = run_program(name, mode, meanwhile);
    if (ended != status) fail_msg("%s ended with %d: %s", name, ended, output);
}

static void assert_says(const char *text)
{
    if (strstr(output, text) == NULL) fail_msg("\"%s\" does not say \"%s\"", output, text);
}

/* The same program prints the same, whichever way it is run. */
static void all_modes_compute_the_same(void **state)
{
    static const char *const names[] = { "pair", "sum", "count", "window", "twice" };
    char first[200];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (int mode = FLOWGRAPH_PARTIAL; mode <= FLOWGRAPH_REAL; ++mode) {
            assert_ends(names[i], (flowgraph_mode)mode, NULL, 0);
            *strchr(output, ',') = 0;
            if (mode == FLOWGRAPH_PARTIAL) snprintf(first, sizeof first, "%.150s", output);
            assert_string_equal(output, first);
        }
    assert_string_equal(first, "sum 780");
}

static void a_run_is_timed_and_recorded(void **state)
{
    (void)state;
    assert_ends("sum", FLOWGRAPH_REAL, NULL, 0);
    assert_string_equal(output, "sum 780, time well, efficiency well\n");
}

static void many_messages_of_all_sizes_arrive(void **state)
{
    (void)state;
    assert_ends("many", FLOWGRAPH_REAL, NULL, 0);
    assert_says("sum 4498500, time well");
}

static void threads_move_and_nodes_come_and_go(void **state)
{
    static const char *const names[] = { "move", "leave", "join", "again" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (int mode = FLOWGRAPH_DIRECT; mode <= FLOWGRAPH_REAL; ++mode) {
            assert_ends(names[i], (flowgraph_mode)mode, NULL, 0);
            assert_says("sum 780,");
        }
}

static void factorizations_are_the_same_in_all_modes(void **state)
{
    static const char *const names[] = { "lu", "luP", "luPF", "luM", "luPFM", "luR", "luPR" };
    char first[200] = "";

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (int mode = FLOWGRAPH_DIRECT; mode <= FLOWGRAPH_REAL; ++mode) {
            double residual = NAN;
            assert_ends(names[i], (flowgraph_mode)mode, NULL, 0);
            if (!*first) snprintf(first, sizeof first, "%.150s", output);
            assert_string_equal(output, first); /* to all printed digits */
            assert_int_equal(sscanf(output, "residual %lf", &residual), 1);
            assert_true(residual > 0 && residual < 4);
        }
}

static void a_failure_on_one_node_ends_all(void **state)
{
    (void)state;
    assert_ends("fails", FLOWGRAPH_REAL, NULL, 1);
    assert_says("why: at ");
    assert_says("'b' on workers 2 is charged -1 s");
}

static void a_node_that_crashes_is_named(void **state)
{
    (void)state;
    assert_ends("crashes", FLOWGRAPH_REAL, NULL, 1);
    assert_says("node 2 (127.0.0.1) was lost");
}

static double killed_at;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The leaf on the first worker hangs; its process says who it is, and then the one of the second is killed. */
static void kill_worker(void)
{
    long pid = 0, group;
    char path[64], line[4096];

    assert_int_equal(sscanf(strstr(output, "pid "), "pid %ld", &pid), 1);
    group = getpgid((pid_t)pid);
    for (long other = group; other < group + 4000; ++other) { /* of that group, the one that is node 2 */
        FILE *file;
        size_t got;
        if (getpgid((pid_t)other) != group) continue;
        snprintf(path, sizeof path, "/proc/%ld/environ", other);
        file = fopen(path, "r");
        if (!file) continue;
        got = fread(line, 1, sizeof line - 1, file);
        fclose(file);
        line[got] = 0;
        if (memmem(line, got, "FLOWGRAPH_NODE=2", 17) == NULL) continue;
        killed_at = now();
        kill((pid_t)other, SIGKILL);
        return;
    }
    fail_msg("node 2 is not to be found");
}

static void a_node_that_is_killed_is_named_within_five_seconds(void **state)
{
    (void)state;
    killed_at = 0;
    assert_ends("hangs", FLOWGRAPH_REAL, kill_worker, 1);
    assert_true(killed_at > 0);
#ifndef TESTS_SLOW
    assert_true(now() - killed_at < 5);
#endif
    assert_says("node 2 (127.0.0.1) was lost");
    if (strstr(output, "released")) fail_msg("an operation runs, and what it uses was released: %s", output);
}

static void what_operations_use_is_released_after_the_last_of_them(void **state)
{
    (void)state;
    assert_ends("busy", FLOWGRAPH_REAL, NULL, 1);
    assert_says("node 2 (127.0.0.1) was lost");
    assert_says("released");
}

static void interrupt(void)
{
    long pid = 0;
    assert_int_equal(sscanf(strstr(output, "pid "), "pid %ld", &pid), 1);
    kill((pid_t)pid, SIGINT);
}

static void a_signal_ends_a_run_with_a_sentence(void **state)
{
    (void)state;
    assert_ends("waits", FLOWGRAPH_REAL, interrupt, 1);
    assert_says("why: at ");
    assert_says("SIGINT ended the run at node 0: 'b' on workers 0 was computing");
    assert_ends("between", FLOWGRAPH_REAL, interrupt, -1);
    assert_says("SIGINT ended the run at node 0: no operation was in progress there");
}

static void a_node_that_stands_still_is_given_up(void **state)
{
    (void)state;
    assert_ends("stops", FLOWGRAPH_REAL, NULL, 1);
    assert_says("node 2 (127.0.0.1) was lost: it was silent for ");
}

static void an_operation_that_never_ends_is_named(void **state)
{
    (void)state;
    assert_ends("undone", FLOWGRAPH_REAL, NULL, 1);
    assert_says("all objects have arrived, but leaf 'b' on workers 1 waits for something other than an object");
}

static void strangers_keep_no_node_out(void **state)
{
    (void)state;
    assert_ends("strangers", FLOWGRAPH_REAL, NULL, 0);
    assert_says("sum 780,");
}

static void a_lost_object_is_named(void **state)
{
    (void)state;
    assert_ends("loses", FLOWGRAPH_REAL, NULL, 1);
    assert_says("deadlock: merge 'c' on here 0 has 40 of 41 objects and waits for a 'result'");
}

static void nodes_that_do_not_come_are_named(void **state)
{
    (void)state;
    assert_ends("launch", FLOWGRAPH_REAL, NULL, 1);
    assert_says("node 1 cannot be started with 'no-such-command-1'");
    assert_ends("nobody", FLOWGRAPH_REAL, NULL, 1);
    assert_says("ended before it joined");
    assert_ends("join-late", FLOWGRAPH_REAL, NULL, 1);
    assert_says("node 3 ended before it joined");
    assert_ends("address", FLOWGRAPH_REAL, NULL, 1);
    assert_says("node 0 cannot listen: its address 'no.such.host.invalid' cannot be resolved: ");
}

/* Node 0 of two, in this process alone, with a connection from whom it may be; what it says there is read by nobody. */
static net__peer *connected(uint32_t node)
{
    static const uint32_t nodes[] = { 0, 1 };
    const flowgraph_threads_desc threads = { .name = "threads", .count = 2, .nodes = nodes };
    flowgraph_threads both;
    int pair[2];

    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .mode = FLOWGRAPH_REAL, .nodes = 2 }, &p.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_threads_add(p.graph, &threads, &both), FLOWGRAPH_OK);
    assert_int_equal(net__make(p.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph__place(p.graph), FLOWGRAPH_OK);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    p.graph->net->listener = pair[1]; /* is closed at the end */
    return net__peer_new(p.graph->net, pair[0], node);
}

/* A node is asked from time to time how far it is, and may end meanwhile: when it answers, it may have been asked for
 * something else. */
static void an_answer_to_another_question_does_not_count(void **state)
{
    const flowgraph__kind asked[] = { FLOWGRAPH__DONE, FLOWGRAPH__RECORDS, FLOWGRAPH__ANSWER };

    (void)state;
    assert_non_null(connected(1));
    for (int i = 0; i < 3; ++i) {
        net *n = p.graph->net;
        flowgraph__message *m = flowgraph__message_new(p.graph, FLOWGRAPH__ANSWER, 0, 0, sizeof(net__answer));
        assert_non_null(m);
        m->header.from = 1;
        flowgraph__lock(p.graph);
        n->asked[1] = true;
        n->awaited = 1;
        n->answer = asked[i];
        flowgraph__net_deliver(p.graph, m);
        assert_int_equal(n->awaited, asked[i] != FLOWGRAPH__ANSWER);
        flowgraph__unlock(p.graph);
    }
    flowgraph_close(p.graph);
}

/* Who has the token may still say a wrong number: there is one node of each. */
static void a_second_node_0_is_not_let_in(void **state)
{
    (void)state;
    for (uint32_t node = 0; node < 3; ++node) {
        net__peer *peer = connected(FLOWGRAPH__NOWHERE);
        net *n = p.graph->net;
        net__hello hello = net__hello_of(n, 1);
        flowgraph__message *m = flowgraph__message_new(p.graph, FLOWGRAPH__HELLO, 0, 0, sizeof hello);
        assert_non_null(peer);
        assert_non_null(m);
        hello.node = node;
        memcpy(flowgraph__content(m), &hello, sizeof hello);
        flowgraph__lock(p.graph);
        net__greeted(n, peer, m);
        assert_int_equal(peer->gone, node != 1);
        flowgraph__message_free(m);
        flowgraph__unlock(p.graph);
        flowgraph_close(p.graph);
    }
}

/* Where no descriptor is left, who comes waits, and this thread does not turn round and round meanwhile. */
static void who_comes_waits_for_a_descriptor(void **state)
{
    struct rlimit all, few;
    struct sockaddr_in at;
    struct epoll_event event;
    socklen_t length = sizeof at;
    uint16_t port;

    (void)state;
    assert_non_null(connected(1));
    net *n = p.graph->net;
    const int end = n->listener;
    assert_int_equal(net__listen(n, &port), FLOWGRAPH_OK);
    net__hear(n, EPOLL_CTL_ADD, true);
    assert_int_equal(getsockname(n->listener, (struct sockaddr *)&at, &length), 0);
    const int comer = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(comer >= 0);
    assert_int_equal(connect(comer, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(epoll_wait(n->epoll, &event, 1, 10000), 1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
    few = all;
    few.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    net__accept(n);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
    assert_int_equal(n->strangers, 0);
    assert_int_equal(epoll_wait(n->epoll, &event, 1, 0), 0);
    n->looked = net__now() - 1;
    flowgraph__lock(p.graph);
    net__look(n);
    flowgraph__unlock(p.graph);
    assert_int_equal(epoll_wait(n->epoll, &event, 1, 10000), 1);
    net__accept(n);
    assert_int_equal(n->strangers, 1);
    close(comer);
    close(end);
    flowgraph_close(p.graph);
}

/* A node is started with all arguments of the program, however many, behind all words of the launcher. */
static void all_arguments_reach_a_node(void **state)
{
    char *arguments[204] = { "sh", "-c", "test $# = 199 && test ${199} = last", "sh" }, word[] = "word",
         last[] = "last";
    int status = -1;

    (void)state;
    assert_non_null(connected(FLOWGRAPH__NOWHERE));
    for (int i = 4; i < 203; ++i) arguments[i] = word;
    arguments[202] = last;
    p.graph->arguments = arguments;
    assert_int_equal(net__start(p.graph->net, 1), FLOWGRAPH_OK);
    assert_int_equal(waitpid(p.graph->net->children[1], &status, 0), p.graph->net->children[1]);
    assert_int_equal(status, 0);
    p.graph->net->children[1] = 0;
    flowgraph_close(p.graph);
}

/* Applications do not know how they are run: nothing in them names a mode. */
static void the_program_text_has_no_mode_switch(void **state)
{
    static const char *const files[] = { "lu.c", "lu.h", "kernels.c", "kernels.h", "factor.c", "demo.c", "paper.c" };
    static const char *const words[] = { "FLOWGRAPH_REAL", "FLOWGRAPH_DIRECT", "FLOWGRAPH_PARTIAL", "desc.mode",
                                         ".mode",          "FLOWGRAPH_NODE\"", "flowgraph_core" };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[100];
        static char text[200000];
        FILE *file;
        size_t got;
        snprintf(path, sizeof path, "examples/flowgraph/%s", files[i]);
        file = fopen(path, "r");
        if (!file) fail_msg("%s cannot be read", path);
        got = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[got] = 0;
        assert_true(got > 1000);
        for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
            if (strstr(text, words[k])) fail_msg("%s says %s", path, words[k]);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modes_compute_the_same),
        cmocka_unit_test(a_run_is_timed_and_recorded),
        cmocka_unit_test(many_messages_of_all_sizes_arrive),
        cmocka_unit_test(threads_move_and_nodes_come_and_go),
        cmocka_unit_test(factorizations_are_the_same_in_all_modes),
        cmocka_unit_test(a_failure_on_one_node_ends_all),
        cmocka_unit_test(a_node_that_crashes_is_named),
        cmocka_unit_test(a_node_that_is_killed_is_named_within_five_seconds),
        cmocka_unit_test(what_operations_use_is_released_after_the_last_of_them),
        cmocka_unit_test(a_signal_ends_a_run_with_a_sentence),
        cmocka_unit_test(a_node_that_stands_still_is_given_up),
        cmocka_unit_test(an_operation_that_never_ends_is_named),
        cmocka_unit_test(strangers_keep_no_node_out),
        cmocka_unit_test(a_lost_object_is_named),
        cmocka_unit_test(nodes_that_do_not_come_are_named),
        cmocka_unit_test(an_answer_to_another_question_does_not_count),
        cmocka_unit_test(a_second_node_0_is_not_let_in),
        cmocka_unit_test(who_comes_waits_for_a_descriptor),
        cmocka_unit_test(all_arguments_reach_a_node),
        cmocka_unit_test(the_program_text_has_no_mode_switch),
    };

    if (count == 3) return program(arguments);
    if (count > 3 && strcmp(arguments[1], "strangers-first") == 0) return strangers_first(arguments);
    if (realpath(arguments[0], self) == NULL) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
