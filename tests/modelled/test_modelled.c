/* docs/modelled.md against what happens: each call of its tables has an entry in calls.c, and each entry is in a table; the word there is
 * tried in all forms of the call, by a threaded program under simthreads and by a rank. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TESTS_SLOW /* with a sanitizer, threads of ranks are not on the virtual clock */
#define NEEDS_RANKS skip()
#define WITH_RANKS false
#else
#define NEEDS_RANKS (void)0
#define WITH_RANKS true
#endif

enum { MOST = 400, WORD = 64, CORES = 3, THREADS = 0, RANKS, RUNTIMES };

typedef struct entry {
    char name[WORD], form[WORD], amount[WORD];
    double seconds;
} entry;

typedef struct row {
    char name[WORD], word[RUNTIMES][WORD];
    bool fails;      /* the call, and the run goes on */
    char also[WORD]; /* the name in the sentence, where it is that of a call below this one */
} row;

static entry entries[MOST];
static row rows[MOST];
static int entry_count, row_count;
static char build[512], output[1 << 16], machine[64];

/*=============================================================================
 * MARK: - >>reading
 *===========================================================================*/

static const row *row_of(const char *name)
{
    for (int i = 0; i < row_count; ++i)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

/* The next cell of a line of a table; returns what is behind it. */
static const char *cell(const char *line, char *text, size_t room)
{
    const size_t length = strcspn(line, "|\n");
    snprintf(text, room, "%.*s", (int)length, line);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';) text[--end] = 0;
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
    return line[length] == '|' ? line + length + 1 : line + length;
}

static bool is_word(const char *text)
{
    return strcmp(text, "time") == 0 || strcmp(text, "sentence") == 0 || strcmp(text, "free") == 0;
}

static void read_page(void)
{
    char line[2048], names[1024], words[RUNTIMES][WORD];
    FILE *f = fopen("docs/modelled.md", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "| `", 3) != 0) continue;
        const char *rest = cell(line + 1, names, sizeof names);
        for (int r = 0; r < RUNTIMES; ++r) rest = cell(rest, words[r], sizeof words[r]);
        const char *below = strstr(rest, "names `");
        for (const char *at = strchr(names, '`'); at; at = strchr(at, '`')) {
            row *new = &rows[row_count++];
            assert_true(row_count < MOST);
            const size_t length = strcspn(++at, "`(");
            snprintf(new->name, sizeof new->name, "%.*s", (int)length, at);
            snprintf(new->also, sizeof new->also, "%.*s", below ? (int)strcspn(below + 7, "(`") : 0,
                     below ? below + 7 : "");
            new->fails = strstr(rest, "fails") != NULL;
            for (int r = 0; r < RUNTIMES; ++r) {
                if (!is_word(words[r])) fail_msg("%s: '%s' is none of time, sentence and free", new->name, words[r]);
                memcpy(new->word[r], words[r], sizeof words[r]);
            }
            at += strcspn(at, "`") + 1;
        }
    }
    fclose(f);
}

static void read_entries(void)
{
    char command[700], line[256];
    snprintf(command, sizeof command, "%s/threads/calls", build);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        entry *e = &entries[entry_count++];
        assert_true(entry_count < MOST);
        assert_int_equal(sscanf(line, "%63[^\t]\t%63[^\t]\t%63[^\t]\t%lf", e->name, e->form, e->amount, &e->seconds),
                         4);
    }
    assert_int_equal(pclose(f), 0);
}

/* Begins to run a program in one of the runtimes; measured: its CPU time counts. */
static FILE *begin_run(int runtime, bool measured, const char *program, const char *arguments)
{
    char command[1 << 14];
    if (runtime == THREADS)
        snprintf(command, sizeof command,
                 "SIMTHREADS_REPORT=none %s SIMTHREADS_DISK_BANDWIDTH=1e6 SIMTHREADS_DISK_LATENCY=0.02 "
                 "SIMTHREADS_WAKE=0 SIMTHREADS_CORES=%d timeout 100 env "
                 "LD_PRELOAD=%s/libsimthreads.so %s %s 2>&1 </dev/null",
                 measured ? "" : "SIMTHREADS_CHARGE=0", CORES, build, program, arguments);
    else
        snprintf(command, sizeof command, "%s SIMKIT_MACHINES=%s SIMKIT_NP=1 timeout 100 %s %s 2>&1 </dev/null",
                 measured ? "" : "SIMKIT_COMPUTE=none", machine, program, arguments);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    return f;
}

/* Keeps what it prints and says; returns its status. */
static int end_run(FILE *f)
{
    output[fread(output, 1, sizeof output - 1, f)] = 0;
    const int result = pclose(f);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

static FILE *begin_calls(int runtime, bool measured, const char *names)
{
    char program[600];
    snprintf(program, sizeof program, "%s/%s/calls", build, runtime == THREADS ? "threads" : "messages/bin");
    return begin_run(runtime, measured, program, names);
}

/*=============================================================================
 * MARK: - >>tests
 *===========================================================================*/

static void each_call_is_on_the_page(void **state)
{
    int missing = 0;
    (void)state;
    for (int i = 0; i < entry_count; ++i)
        if (!row_of(entries[i].name))
            print_error("%s is in no table of docs/modelled.md\n", entries[i].name), ++missing;
    for (int i = 0; i < row_count; ++i) {
        bool found = false;
        for (int k = 0; k < entry_count; ++k) found |= strcmp(entries[k].name, rows[i].name) == 0;
        if (!found) print_error("%s of docs/modelled.md is not tried\n", rows[i].name), ++missing;
        if (row_of(rows[i].name) != &rows[i]) print_error("%s is twice in docs/modelled.md\n", rows[i].name), ++missing;
    }
    assert_int_equal(missing, 0);
}

/* Without a clock of a finer tick, times() is late by as much. */
static bool as_expected(const entry *e, const char *word, double seconds)
{
    if (strcmp(word, "free") == 0) return true;
    if (strcmp(e->amount, "some") == 0) return seconds > 1e-3;
    if (strcmp(e->amount, "machine") == 0) return fabs(seconds - CORES) < 1e-9;
    return fabs(seconds - e->seconds) < (strcmp(e->name, "times") == 0 ? 0.0101 : 2e-6);
}

/* How often the entry of a call has printed a line: two forms for system calls, by the function and by an instruction. */
static int check_lines(int runtime, const char *word)
{
    char *rest = output;
    int wrong = 0, seen = 0;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        char name[WORD], form[WORD];
        double seconds;
        if (sscanf(line, "%63[^\t]\t%63[^\t]\t%lf", name, form, &seconds) != 3) continue;
        const row *r = row_of(name);
        const bool bare = strcmp(form, "syscall()") == 0 || strcmp(form, "instruction") == 0;
        for (int i = 0; i < entry_count; ++i) {
            const entry *e = &entries[i];
            if (strcmp(e->name, name) != 0 || strcmp(e->form, bare ? "system call" : form) != 0) continue;
            ++seen;
            if (as_expected(e, word, seconds)) continue;
            print_error("%s %s (%s): expected %g of %s, found %.6f\n", runtime == THREADS ? "threads:" : "ranks:", name,
                        form, e->seconds, e->amount, seconds);
            ++wrong;
        }
        assert_non_null(r);
    }
    return wrong + (seen == 0);
}

static bool is_measured(const char *name)
{
    for (int i = 0; i < entry_count; ++i)
        if (strcmp(entries[i].name, name) == 0) return strcmp(entries[i].amount, "some") == 0;
    return false;
}

/* What a child takes is measured; all else takes what it takes, to the microsecond. */
static void take_their_time(int runtime, const char *word)
{
    for (int measured = 0; measured < 2; ++measured) {
        char names[1 << 13] = "";
        for (int i = 0; i < row_count; ++i)
            if (strcmp(rows[i].word[runtime], word) == 0 && is_measured(rows[i].name) == measured)
                strcat(strcat(names, " "), rows[i].name);
        if (!*names) continue;
        const int status = end_run(begin_calls(runtime, measured, names));
        if (status != 0) fail_msg("status %d: %s", status, output);
        assert_int_equal(check_lines(runtime, word), 0);
    }
}

/* A sentence names the call, or that behind it, and the run ends, unless the call only fails. */
static void end_with_a_sentence(int runtime)
{
    static FILE *runs[MOST]; /* side by side, because most of them sleep */
    int wrong = 0;
    for (int i = 0; i < row_count; ++i)
        runs[i] = strcmp(rows[i].word[runtime], "sentence") == 0 ? begin_calls(runtime, false, rows[i].name) : NULL;
    for (int i = 0; i < row_count; ++i) {
        char call[WORD + 2];
        if (!runs[i]) continue;
        const int status = end_run(runs[i]);
        snprintf(call, sizeof call, "%.*s()", WORD - 1, *rows[i].also ? rows[i].also : rows[i].name);
        if ((status != 0 || rows[i].fails) && status < 124 && strstr(output, call)) continue;
        print_error("%s %s: expected an end with a sentence about %s, found status %d: %s\n",
                    runtime == THREADS ? "threads:" : "ranks:", rows[i].name, call, status, output);
        ++wrong;
    }
    assert_int_equal(wrong, 0);
}

static void threads_take_their_time(void **state)
{
    (void)state;
    take_their_time(THREADS, "time");
    take_their_time(THREADS, "free");
}

static void ranks_take_their_time(void **state)
{
    (void)state;
    NEEDS_RANKS;
    take_their_time(RANKS, "time");
    take_their_time(RANKS, "free");
}

static void sentences_end_threads(void **state)
{
    (void)state;
    end_with_a_sentence(THREADS);
}

static void sentences_end_ranks(void **state)
{
    (void)state;
    NEEDS_RANKS;
    end_with_a_sentence(RANKS);
}

/* A program of another language prints names, what it expects, and what it finds. */
static void language(int runtime, const char *program)
{
    char cores[16];
    int lines = 0, wrong = 0;
    snprintf(cores, sizeof cores, "%d", CORES);
    if (end_run(begin_run(runtime, false, program, cores)) != 0) fail_msg("%s: %s", program, output);
    char *rest = output;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        char name[WORD];
        double expected, found;
        if (sscanf(line, "%63[^\t]\t%lf\t%lf", name, &expected, &found) != 3) continue;
        ++lines;
        if (fabs(found - expected) < 1e-3) continue; /* the C library may read a file, about the time zone, say */
        print_error("%s: %s: expected %g, found %g\n", program, name, expected, found);
        ++wrong;
    }
    assert_int_equal(wrong, 0);
    assert_true(lines > 2);
}

static void languages_show_it(void **state)
{
    (void)state;
    for (int i = 0; i < 5; ++i) {
        static const char *const programs[] = { "threads/languages_cpp", "threads/languages_f90",
                                                "messages/bin/languages_cpp", "messages/bin/languages_f90",
                                                "threads/languages.py" };
        char program[700];
        snprintf(program, sizeof program, "%s/%s", build, programs[i]);
        if (i == 4) snprintf(program, sizeof program, "python3 tests/modelled/languages.py");
        if (i < 4 && access(program, X_OK) != 0) continue; /* there is no such compiler */
        if ((i == 2 || i == 3) && !WITH_RANKS) continue;
        language(i == 2 || i == 3 ? RANKS : THREADS, program);
    }
}

static int begin(void **state)
{
    char self[512];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)state;
    self[length > 0 ? length : 0] = 0;
    for (int up = 0; up < 2; ++up)
        if (strrchr(self, '/')) *strrchr(self, '/') = 0;
    memcpy(build, self, sizeof build);
    snprintf(machine, sizeof machine, "/tmp/modelled.%d.machine", (int)getpid());
    FILE *f = fopen(machine, "w");
    if (!f) return -1;
    fprintf(f, "[machine]\n[node a]\ncores = %d\ndisk_bandwidth = 1 MB/s\ndisk_latency = 20 ms\n", CORES);
    fclose(f);
    read_page();
    read_entries();
    return 0;
}

static int end(void **state)
{
    (void)state;
    return unlink(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_is_on_the_page), cmocka_unit_test(threads_take_their_time),
        cmocka_unit_test(ranks_take_their_time),    cmocka_unit_test(sentences_end_threads),
        cmocka_unit_test(sentences_end_ranks),      cmocka_unit_test(languages_show_it),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
