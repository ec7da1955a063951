/* simrun.c - starts programs that simcc has linked, as mpirun does. Each option sets the environment variable of the same
 * meaning; the program that it becomes is the launcher (launch.c). With --goal it becomes examples/goal instead; with lists of
 * ranks or threads it stays, and runs the program with each (splits.c). */
#define _GNU_SOURCE
#include "simrun_base.h"
#include "splits.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANY, WORDS, WORDS_OR_FILE, WORDS_OR_WHOLE, WHOLE, TIMES, SECONDS, NOTHING }; /* what the value of an option is */
enum { OF_RUNS, OF_BOTH, OF_REPLAYS };                                              /* with a program, with --goal */

typedef struct option {
    const char *name, *value, *variable;
    int kind;
    const char *words;     /* the possible values, separated by '|' */
    const char *const *is; /* the lines of its explanation, up to NULL */
    int of;
} option;

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })
static const option options[] = {
    { "machine", "FILE", "SIMKIT_MACHINES", WORDS_OR_FILE, NULL,
      LINES("the machine file; default: nodes on Gigabit Ethernet"), OF_BOTH },
    { "map", "HOW", "SIMKIT_PLACE", WORDS_OR_FILE, "block|round-robin",
      LINES("on which hosts the ranks are: block (default), round-robin,",
            "or a file with the host of a rank in each line"),
      OF_BOTH },
    { "threads", "N[,N]...", "SIMKIT_THREADS", ANY, NULL,
      LINES("OMP_NUM_THREADS of every rank, which MKL takes as well, and",
            "cores that it takes where --map is a rule; default: 1;", "a list: see below"),
      OF_RUNS },
    { "bind", "WHERE", "SIMKIT_BIND", WORDS, "core|socket|none",
      LINES("cores of its host that a rank may use: core: as many as",
            "--threads says, no other rank has them; socket: those of", "a socket; none: all (default)"),
      OF_RUNS },
    { "users", "FILE", "SIMKIT_USERS", WORDS_OR_FILE, "none",
      LINES("background users of the hosts, instead of those of the", "machine file; none: no users"), OF_RUNS },
    { "seed", "N", "SIMKIT_SEED", WHOLE, NULL, LINES("of the users' days and of the phases of quotas; default: 0"),
      OF_RUNS },
    { "draw", "N", "SIMKIT_DRAW", WHOLE, NULL,
      LINES("which draw of the values in the machine file that have an",
            "error, such as 58 us +- 2 us; default: 0, as they stand"),
      OF_RUNS },
    { "repeat", "N", NULL, TIMES, NULL,
      LINES("N runs, 2 or more, with seeds and draws of their own: a", "table with intervals, see below"), OF_RUNS },
    { "disturb", "N", NULL, TIMES, NULL,
      LINES("N runs, of which all but the first have times that differ",
            "by a billionth, by chance: does their order matter?"),
      OF_RUNS },
    { "compute", "HOW", "SIMKIT_COMPUTE", WORDS, "measured|none",
      LINES("measured: CPU time between calls counts (default);", "none: only what a skeleton charges"), OF_RUNS },
    { "memory-rate", "RATE", "SIMKIT_MEMORY_RATE", ANY, NULL,
      LINES("bytes that a rank moves in memory in a second of its CPU", "time, such as '2 GB/s'; default: none"),
      OF_RUNS },
    { "ranks", "HOW", "SIMKIT_RANKS", WORDS, "processes|together",
      LINES("processes: each rank is a process (default);", "together: all in one, for tens of thousands of ranks"),
      OF_RUNS },
    { "cores", "N", "SIMKIT_CORES", WORDS_OR_WHOLE, "all",
      LINES("on how many processors of this machine ranks compute at the", "same time, or all; default: 1"), OF_RUNS },
    { "time-limit", "S", "SIMKIT_TIME_LIMIT", SECONDS, NULL, LINES("limit of the virtual time [s]; default: no limit"),
      OF_RUNS },
    { "polls", "N", "SIMKIT_POLLS", WHOLE, NULL,
      LINES("limit of polling calls in a row; default: 10000000; 0: no limit"), OF_RUNS },
    { "patience", "S", "SIMKIT_PATIENCE", SECONDS, NULL,
      LINES("limit of the real time that a rank may take without a call [s];", "default: no limit"), OF_RUNS },
    { "warnings", "WHICH", "SIMKIT_WARNINGS", WORDS, "usual|all|none",
      LINES("mistakes that do not end the run: usual (default), all:", "also handles that are never freed, none"),
      OF_RUNS },
    { "algorithms", "LIST", "SIMKIT_ALGORITHMS", ANY, NULL,
      LINES("of collectives, such as bcast=ring,alltoall=pairwise"), OF_RUNS },
    { "report", "FILE", "SIMKIT_REPORT", ANY, NULL,
      LINES("what each rank's time was spent on; -: to standard error;", "none: not even the last line"), OF_RUNS },
    { "why", "", "SIMKIT_WHY", NOTHING, NULL,
      LINES("the critical path, to standard error: calls and lines,", "messages, waits, seconds and per cent"),
      OF_RUNS },
    { "calls", "", "SIMKIT_CALLS", NOTHING, NULL,
      LINES("a table by call and line: calls, bytes, times, and for", "whom they waited, to standard error"), OF_RUNS },
    { "json", "FILE", "SIMKIT_JSON", ANY, NULL, LINES("both as JSON: docs/why.md"), OF_RUNS },
    { "trace", "FILES", "SIMKIT_TRACE", ANY, NULL,
      LINES("of the run, separated by commas: .json, .paje, .csv, .svg,", ".goal"), OF_BOTH },
    { "svg", "FILE", NULL, ANY, NULL, LINES("of a list: a picture of the times"), OF_RUNS },
    { "segments", "FILE", "SIMKIT_SEGMENTS", WORDS_OR_FILE, NULL,
      LINES("a table segment,parameter,seconds of a skeleton"), OF_RUNS },
    /* the program goal checks the values of these */
    { "goal", "FILE", NULL, ANY, NULL, LINES("replays a GOAL schedule or a time-independent trace"), OF_REPLAYS },
    { "loggops", "LIST", NULL, ANY, NULL, LINES("parameters of the LogGOPS model, such as L=2500,o=1500"), OF_REPLAYS },
    { "flops", "RATE", NULL, ANY, NULL, LINES("of a trace: how many flop a rank computes in a second"), OF_REPLAYS },
    { "write", "FILE", NULL, ANY, NULL, LINES("writes the schedule in GOAL and replays nothing"), OF_REPLAYS },
    { "quiet", "", NULL, NOTHING, NULL, LINES("prints only the end of the last rank"), OF_REPLAYS },
};
enum { OPTIONS = sizeof options / sizeof *options };
static const char *given[OPTIONS]; /* the values of options on the command line; NULL: not given */

static void help_options(int first, int last)
{
    for (int i = 0; i < OPTIONS; ++i) {
        const option *o = &options[i];
        for (int line = 0; o->of >= first && o->of <= last && o->is[line]; ++line)
            if (line == 0)
                printf("  --%s %-*s%-18s %s\n", o->name, 16 - (int)strlen(o->name), o->value,
                       o->variable ? o->variable : "", o->is[0]);
            else
                printf("%40s%s\n", "", o->is[line]);
    }
}

static void __attribute__((noreturn)) help(void)
{
    puts("simrun -np N [OPTION]... PROGRAM [ARGUMENT]... [: -np N PROGRAM [ARGUMENT]...]...\n"
         "simrun --goal FILE [OPTION]...\n\n"
         "Runs an MPI or PVM program on the virtual clock; simcc, simc++ or simf90 must have linked it.\n\n"
         "  -np N, -n N        SIMKIT_NP          number of ranks; default: 1; a list: see below");
    help_options(OF_RUNS, OF_BOTH);
    puts("  -x NAME=VALUE                         sets an environment variable of all programs\n"
         "  --help                                this text\n\n"
         "With a list of ranks, of threads, or both, such as -np 1,2,4 --threads 1,2, it runs each split for which the "
         "hosts have\n"
         "enough cores, without input and output, and prints a table of the predicted times, with shares of the cores' "
         "time:\n"
         "computing, sending and receiving messages, waiting for messages, for other threads, sleeping. With --repeat, "
         "also of\n"
         "one split, times are medians, and 80 % and 95 % intervals say where a real run is expected.\n\n"
         "With --goal it replays a recorded program (docs/goal.md). Then there are --machine, --map, --trace and\n");
    help_options(OF_REPLAYS, OF_REPLAYS);
    puts("\n"
         "Each option sets the environment variable beside it. A variable that is set without its option holds as "
         "well, and\n"
         "a program may be started without simrun: SIMKIT_NP=4 ./program. Programs after a colon are further ranks of "
         "the\n"
         "same MPI_COMM_WORLD. The last line on standard error is the virtual time at which the last rank ended. The "
         "exit\n"
         "status is that of the first rank that failed, or 2 for wrong options and files.");
    exit(0);
}

/* Returns true if a value is among the words `a|b|c`. */
static bool among(const char *value, const char *words)
{
    const size_t length = strlen(value);
    for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (length > 0 && strcspn(at, "|") == length && memcmp(at, value, length) == 0) return true;
    return false;
}

/* The value of an option on the command line; NULL: not given. */
static const char *given_of(const char *name)
{
    for (int i = 0; i < OPTIONS; ++i)
        if (strcmp(options[i].name, name) == 0) return given[i];
    return NULL;
}

static void check(const option *o, const char *value)
{
    char *end;
    errno = 0;
    switch (o->kind) {
    case WORDS:
        if (!among(value, o->words)) simrun_stop("--%s %s: expected %s", o->name, value, o->words);
        break;
    case WORDS_OR_FILE:
        if (among(value, o->words) || access(value, R_OK) == 0) break;
        simrun_stop("--%s %s: %s%s%s", o->name, value, strerror(errno), o->words ? "; expected a file or " : "",
                    o->words ? o->words : "");
    case WORDS_OR_WHOLE:
        if (among(value, o->words)) break;
        if (strtol(value, &end, 10) < 1 || errno || end == value || *end)
            simrun_stop("--%s %s: expected a whole number >= 1, or %s", o->name, value, o->words);
        break;
    case WHOLE:
        if (strtol(value, &end, 10) < 0 || errno || end == value || *end)
            simrun_stop("--%s %s: expected a whole number >= 0", o->name, value);
        break;
    case TIMES:
        if (strtol(value, &end, 10) < 2 || strtol(value, &end, 10) > SPLITS_REPEATS || end == value || *end)
            simrun_stop("--%s %s: expected a whole number from 2 to %d", o->name, value, SPLITS_REPEATS);
        break;
    case SECONDS:
        if (!(strtod(value, &end) > 0) || end == value || *end)
            simrun_stop("--%s %s: expected a number of seconds > 0", o->name, value);
        break;
    default: break;
    }
}

/* Options of other launchers, and what takes their place. */
static void __attribute__((noreturn)) refuse(const char *word, const char *name)
{
    static const char hosts[] = "--machine FILE describes the hosts, --map FILE places ranks on them";
    static const char *const others[][2] = {
        { "hostfile", hosts },
        { "machinefile", hosts },
        { "host", hosts },
        { "hosts", hosts },
        { "H", hosts },
        { "f", hosts },
        { "ppn", hosts },
        { "npernode", hosts },
        { "map-by", "--map block or --map round-robin places ranks" },
        { "genv", "-x NAME=VALUE sets a variable" },
        { "env", "-x NAME=VALUE sets a variable" },
        { "bind-to", "--bind core|socket|none binds ranks" },
        { "cpus-per-rank", "--threads N is the number of cores of a rank" },
        { "cpus-per-task", "--threads N is the number of cores of a rank" },
        { "oversubscribe", "a virtual host may have any number of ranks" },
        { "mca", "simrun has no components of Open MPI" },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strcmp(name, others[i][0]) == 0) simrun_stop("%s is an option of other launchers: %s", word, others[i][1]);
    simrun_stop("unknown option %s; simrun --help lists the options", word);
}

/* A program and its arguments: argv[count]. */
typedef struct command {
    long ranks;         /* 0: not given, or a list */
    const char *listed; /* the list of them; NULL: not a list */
    char **argv;
    int count;
} command;

/* Reads the options of one command; those of the first one are for all. Returns the number of words used. */
static int command_read(char **words, int count, bool first, command *c)
{
    int at = 0;
    c->ranks = 0;
    c->listed = NULL;
    for (; at < count && words[at][0] == '-'; ++at) {
        const char *word = words[at], *name = word + 1 + (word[1] == '-'),
                   *value = at + 1 < count ? words[at + 1] : NULL;
        const option *found = NULL;
        char own[32]; /* the word up to '=' */
        if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0) help();
        const size_t length = strcspn(word, "=");
        const bool own_value = length < sizeof own && word[length];
        if (own_value) { /* --NAME=VALUE */
            value = word + length + 1;
            snprintf(own, sizeof own, "%.*s", (int)length, word);
            name = own + (name - word);
            word = own;
            --at;
        }
        if (strcmp(name, "place") == 0) name = "map"; /* as other programs of the kit call it */
        for (int i = 0; i < OPTIONS; ++i)
            if (strcmp(name, options[i].name) == 0) found = &options[i];
        const bool size = strcmp(name, "np") == 0 || strcmp(name, "n") == 0, variable = strcmp(name, "x") == 0;
        if (!found && !size && !variable) refuse(word, name);
        if (!size && !first) simrun_stop("%s: expected before the first program; only -np may follow a colon", word);
        if (found && found->kind == NOTHING) {
            if (own_value) simrun_stop("%s: expected no value", word);
            given[found - options] = "";
            if (found->variable) simrun_set(found->variable, "1");
            continue;
        }
        if (!value) simrun_stop("%s: expected a value after it", word);
        ++at;
        if (size) {
            c->listed = first && splits_is_list(value) ? value : NULL;
            c->ranks = c->listed ? 0 : simrun_number(word, value);
        } else if (variable) {
            const char *equals = strchr(value, '=');
            char *copy = strdup(value);
            if (!copy) simrun_stop("no memory");
            if (equals == value) simrun_stop("%s %s: expected NAME=VALUE", word, value);
            if (equals)
                putenv(copy); /* without a value, the programs inherit it anyway */
            else
                free(copy);
        } else {
            check(found, value);
            if (found->variable) simrun_set(found->variable, value);
            given[found - options] = value;
        }
    }
    c->argv = words + at;
    for (c->count = 0; at < count && strcmp(words[at], ":") != 0; ++at) ++c->count;
    if (c->count == 0 && !given_of("goal"))
        simrun_stop("expected a program%s", first ? "; simrun --help lists the options" : " after the colon");
    return at;
}

static bool runnable(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* A program without '/' is searched in PATH, then here. */
static char *find(char *program)
{
    static const char usual[] = "/usr/local/bin:/usr/bin:/bin";
    const char *path = getenv("PATH") ? getenv("PATH") : usual;
    char whole[PATH_MAX];
    if (strchr(program, '/')) {
        if (runnable(program)) return program;
        struct stat s;
        if (stat(program, &s) == 0) errno = S_ISDIR(s.st_mode) ? EISDIR : EACCES;
        simrun_stop("%s: %s", program, strerror(errno));
    }
    for (; *path; path += strcspn(path, ":"), path += *path == ':') {
        const int length = (int)strcspn(path, ":");
        snprintf(whole, sizeof whole, "%.*s/%s", length ? length : 1, length ? path : ".", program);
        if (runnable(whole)) return program; /* execvp() finds it, too, and the program sees the name that was typed */
    }
    snprintf(whole, sizeof whole, "./%s", program);
    char *here = runnable(whole) ? strdup(whole) : NULL;
    if (!here) simrun_stop("%s: no such program, neither in PATH nor here", program);
    return here;
}

/* Returns true if a file has these bytes. */
static bool contains(FILE *f, const char *bytes)
{
    static char block[1 << 16];
    const size_t length = strlen(bytes);
    size_t kept = 0, more;
    rewind(f);
    while ((more = fread(block + kept, 1, sizeof block - kept, f)) > 0) {
        if (memmem(block, kept + more, bytes, length)) return true;
        kept = kept + more < length ? kept + more : length - 1;
        memmove(block, block + sizeof block - kept, kept);
        if (more + kept < sizeof block) return false; /* the last block */
    }
    return false;
}

/* A program that another MPI has linked would run alone, in real time, and nobody would notice. */
static void check_linked(const char *program)
{
    char magic[4];
    FILE *f = strchr(program, '/') ? fopen(program, "rb") : NULL;
    if (!f) return;
    const bool binary = fread(magic, 1, 4, f) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    if (binary && contains(f, "libmpi") && !contains(f, "SIMKIT_TASK"))
        simrun_stop("%s: it was linked with another MPI, expected a program linked by simcc, simc++ or simf90",
                    program);
    fclose(f);
}

/* Appends a word; a backslash quotes blanks, backslashes and the colon between programs, and `\0` is an empty word. */
static void append(char **at, const char *word, bool quote)
{
    if (quote && !*word) *(*at)++ = '\\', *(*at)++ = '0';
    if (quote && strcmp(word, ":") == 0) *(*at)++ = '\\';
    for (; *word; ++word) {
        if (quote && (*word == ' ' || *word == '\\')) *(*at)++ = '\\';
        *(*at)++ = *word;
    }
    *(*at)++ = ' ';
}

/* The other programs, for the launcher: `RANKS PROGRAM ARGUMENT... : RANKS ...`. */
static void others_set(char **words, int count)
{
    size_t room = 1;
    for (int i = 0; i < count; ++i) room += 2 * strlen(words[i]) + 32;
    char *text = malloc(room), *at = text;
    if (!text) simrun_stop("no memory");
    while (count > 0) {
        command c;
        char ranks[24];
        const int used = command_read(words, count, false, &c);
        snprintf(ranks, sizeof ranks, "%ld", c.ranks ? c.ranks : 1);
        char *program = find(c.argv[0]);
        check_linked(program);
        append(&at, ranks, false);
        append(&at, program, true);
        for (int i = 1; i < c.count; ++i) append(&at, c.argv[i], true);
        words += used, count -= used;
        if (count > 0) {
            append(&at, ":", false);
            ++words, --count;
            if (count == 0) simrun_stop("expected a program after the colon");
        }
    }
    *at = 0;
    simrun_set("SIMKIT_PROGRAMS", text);
    free(text);
}

/* Becomes the program goal, which is beside this one. */
static void __attribute__((noreturn)) become_goal(const char *file, const command *c)
{
    static char goal[PATH_MAX], words[OPTIONS][24];
    char *arguments[2 * OPTIONS + 3] = { goal }, **at = arguments + 1;
    if (c->ranks || c->listed)
        simrun_stop("-np: expected no number of ranks with --goal: %s says how many there are", file);
    if (c->count > 0) simrun_stop("%s: expected no program with --goal, which replays what %s says", c->argv[0], file);
    for (int i = 0; i < OPTIONS; ++i) {
        const option *o = &options[i];
        const char *value = o->of == OF_BOTH ? getenv(o->variable) : given[i];
        if (o->of == OF_RUNS && given[i]) simrun_stop("--%s: it has no effect on a replay (--goal)", o->name);
        if (o->of == OF_RUNS || !value || value == file) continue;
        if (strcmp(o->name, "trace") == 0 && strchr(value, ','))
            simrun_stop("--trace %s: expected one file with --goal", value);
        snprintf(words[i], sizeof words[i], "--%s", o->name);
        *at++ = words[i];
        if (o->kind != NOTHING) *at++ = strdup(value);
    }
    *at++ = strdup(file);
    *at = NULL;
    const ssize_t length = readlink("/proc/self/exe", goal, sizeof goal - sizeof "goal");
    char *slash = length > 0 ? memrchr(goal, '/', (size_t)length) : NULL;
    if (slash) strcpy(slash + 1, "goal");
    execv(goal, arguments);
    if (errno == ENOENT)
        simrun_stop("--goal: %s, which replays schedules, is not there: 'make build/goal' makes it", goal);
    simrun_stop("--goal: %s: %s", goal, strerror(errno));
}

/* Runs the program with each number of ranks and threads, if there is a list, and does not return then. */
static void run_splits(const command *c, bool alone)
{
    char ranks[24];
    const char *threads = given_of("threads"), *svg = given_of("svg"), *np = getenv("SIMKIT_NP");
    const char *disturb = given_of("disturb"), *repeat = disturb ? disturb : given_of("repeat"),
               *seed = getenv("SIMKIT_SEED");
    if (!c->listed && !splits_is_list(threads) && !repeat) {
        if (threads) simrun_number("--threads", threads);
        if (svg) simrun_stop("--svg: expected with a list of ranks or threads only, such as -np 1,2,4");
        return;
    }
    if (!alone)
        simrun_stop("%s: expected one program, without a colon after it", disturb  ? "--disturb"
                                                                          : repeat ? "--repeat"
                                                                                   : "a list of ranks or threads");
    static const char *const of_one[] = { "why", "calls", "json" };
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; ++i)
        if (given_of(of_one[i]))
            simrun_stop("--%s: expected with one number of ranks and of threads, and without --repeat and --disturb: "
                        "it is about "
                        "one run",
                        of_one[i]);
    if (disturb && given_of("repeat")) simrun_stop("--disturb: expected without --repeat, which does it as well");
    if (repeat && !disturb && given_of("draw"))
        simrun_stop("--draw: expected without --repeat, whose runs have a draw each");
    snprintf(ranks, sizeof ranks, "%ld", c->ranks);
    if (!threads) threads = getenv("SIMKIT_THREADS");
    const splits_request request = { .ranks = c->listed  ? c->listed
                                              : c->ranks ? ranks
                                              : np       ? np
                                                         : "1",
                                     .threads = threads ? threads : "1",
                                     .svg = svg,
                                     .repeat = repeat ? (int)strtol(repeat, NULL, 10) : 1,
                                     .disturb = disturb != NULL,
                                     .seed = seed ? strtol(seed, NULL, 10) : 0,
                                     .argv = c->argv };
    exit(splits_run(&request));
}

int main(int argc, char **argv)
{
    command c;
    char ranks[24];
    if (argc < 2) simrun_stop("expected a program; simrun --help lists the options");
    const int used = command_read(argv + 1, argc - 1, true, &c) + 1;
    if (given_of("goal")) become_goal(given_of("goal"), &c);
    for (int i = 0; i < OPTIONS; ++i)
        if (options[i].of == OF_REPLAYS && given[i])
            simrun_stop("--%s: expected with --goal FILE only", options[i].name);
    char *program = find(c.argv[0]);
    check_linked(program);
    unsetenv("SIMKIT_PROGRAMS");
    c.argv[0] = program;
    const bool alone = used == argc;
    if (alone) c.argv[c.count] = NULL;
    run_splits(&c, alone);
    if (c.ranks) {
        snprintf(ranks, sizeof ranks, "%ld", c.ranks);
        simrun_set("SIMKIT_NP", ranks);
    }
    if (used < argc) {
        if (!c.ranks) simrun_set("SIMKIT_NP", "1");
        if (used + 1 == argc) simrun_stop("expected a program after the colon");
        others_set(argv + used + 1, argc - used - 1);
    }
    c.argv[c.count] = NULL;
    execvp(program, c.argv);
    simrun_stop("%s: %s", program, strerror(errno));
}
