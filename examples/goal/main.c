/* main.c - build/goal: how long does a recorded program take? docs/goal.md */
#include "../messages/keys.h"
#include "goal.h"
#include "util/simkit_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "goal FILE [OPTIONS]   replays a schedule in the language GOAL, or a time-independent trace, and says when each "
    "rank ends\n"
    "\n"
    "  --loggops LIST   the parameters that differ from L=2500,o=1500,g=1000,G=6,O=0,S=65535: times in ns,\n"
    "                   G and O for each byte, S in bytes\n"
    "  --flops RATE     of a trace: how many flop a rank computes in a second, such as 2.5e9\n"
    "  --machine FILE   on the nodes and the network of a machine file: of the parameters only o, O and S count, and o "
    "is 0\n"
    "                   unless it is given\n"
    "  --map HOW        ranks on its nodes: block, round-robin or a file (--place is the same)\n"
    "  --trace FILE     draw it: .svg, or .json, .paje and .csv for viewers\n"
    "  --write FILE     write it as a schedule in GOAL, also if it was a trace, and replay nothing\n"
    "  --quiet          only the whole, no ranks\n"
    "\n"
    "Exit status: 0; 1 operations that wait for ever; 2 any other error.\n";

typedef struct options {
    const char *file, *loggops_text, *machine, *map, *picture, *written;
    goal_loggops_desc loggops;
    goal_trace_desc trace;
    bool quiet;
} options;

static bool fails(const char *what, const char *why)
{
    fprintf(stderr, "goal: %s%s\n", what, why);
    return false;
}

/* L=2500,o=1500 and so on. */
static bool read_loggops(goal_loggops_desc *p, const char *text)
{
    double *const places[] = { &p->L, &p->o, &p->g, &p->G, &p->O, &p->S };
    static const char names[] = "LogGOS";
    char given[sizeof names] = "";
    for (const char *at = text; at && *at;) {
        const char *name = strchr(names, *at);
        char *end = NULL;
        if (!name || at[1] != '=') return fails("--loggops: expected one of L= o= g= G= O= S= at ", at);
        if (strchr(given, *at)) return fails("--loggops: this parameter is given twice: ", at);
        given[strlen(given)] = *at;
        const double value = (at[2] >= '0' && at[2] <= '9') || at[2] == '.' ? strtod(at + 2, &end) : -1;
        if (!(value >= 0 && value <= GOAL_LARGEST) || (*end && *end != ','))
            return fails("--loggops: expected a number from 0 to 9e15, then a comma or the end, at ", at);
        *places[name - names] = value;
        at = *end ? end + 1 : end;
    }
    return text ? true : fails("--loggops: expected parameters behind it, such as L=2500,o=1500", "");
}

static bool read_rate(double *rate, const char *text)
{
    char *end = NULL;
    *rate = text && *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (*rate > 0 && *rate <= 1e30 && *end == 0) return true;
    return fails("--flops: expected a rate in flop/s, such as 2.5e9, found ", text ? text : "nothing");
}

/* Where the value of an option belongs; NULL: it is not one of these. */
static const char **text_of(options *o, const char *name)
{
    if (strcmp(name, "--machine") == 0) return &o->machine;
    if (strcmp(name, "--map") == 0 || strcmp(name, "--place") == 0) return &o->map;
    if (strcmp(name, "--trace") == 0) return &o->picture;
    if (strcmp(name, "--write") == 0) return &o->written;
    return NULL;
}

static bool take_arguments(options *o, int count, char **arguments)
{
    for (int i = 1; i < count; ++i) {
        const char *a = arguments[i];
        if (strcmp(a, "--quiet") == 0) {
            o->quiet = true;
        } else if (strcmp(a, "--loggops") == 0) {
            o->loggops_text = i + 1 < count ? arguments[++i] : NULL;
            if (!read_loggops(&o->loggops, o->loggops_text)) return false;
        } else if (strcmp(a, "--flops") == 0) {
            if (!read_rate(&o->trace.rate, i + 1 < count ? arguments[++i] : NULL)) return false;
        } else if (text_of(o, a)) {
            if (i + 1 == count) return fails(a, ": expected a word behind it");
            *text_of(o, a) = arguments[++i];
        } else if (*a == '-' && a[1]) {
            return fails("there is no such option; --help lists all: ", a);
        } else if (o->file) {
            return fails("expected one file, found also ", a);
        } else {
            o->file = a;
        }
    }
    if (!o->machine && o->map) return fails("--map goes with --machine", "");
    return o->file ? true : fails("expected a file; --help says more", "");
}

static void print_ends(const options *o, const goal_schedule *s, const double *end)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < s->ranks; ++i) {
        if (!o->quiet) printf("rank %-6u %18.15g ns\n", (unsigned)i, end[i]);
        if (end[i] > end[last]) last = i;
    }
    printf("%zu operation%s on %u rank%s: the last ends at %.15g ns, rank %u\n", s->count, s->count == 1 ? "" : "s",
           (unsigned)s->ranks, s->ranks == 1 ? "" : "s", end[last], (unsigned)last);
    if (!o->quiet) puts("no interval: replays have not been compared with real runs");
}

/* Where a machine file first says how long messages are on their way: the lines, 0: nowhere. */
typedef struct ignored {
    unsigned transmit, self_transmit, copy, core_quota;
} ignored;

/* What only message-passing programs look for in a machine file (docs/messages.md) is skipped. */
static bool skip_key(void *user, simkit_reader *r, const simkit_machine *machine, const char *section, const char *key)
{
#define KEY_NAME(NAME, KIND, FIELD, PART) NAME,
    static const char *const keys[] = { MESSAGES_NODE_KEYS(KEY_NAME) MESSAGES_MACHINE_KEYS(KEY_NAME)
                                            MESSAGES_PAIR_KEYS(KEY_NAME) };
    char text[1000];
    ignored *lines = user;
    (void)machine;
    (void)section;
    if (strcmp(key, "transmit") == 0 && !lines->transmit) lines->transmit = r->line;
    if (strcmp(key, "self_transmit") == 0 && !lines->self_transmit) lines->self_transmit = r->line;
    if (strcmp(key, "copy") == 0 && !lines->copy) lines->copy = r->line;
    if (strcmp(key, "core_quota") == 0 && !lines->core_quota) lines->core_quota = r->line;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        if (strcmp(keys[i], key) == 0) return simkit_reader_text(r, text, sizeof text);
    return false;
}

/* `pack`, `send` and `receive` are skipped without a note: o and O of --loggops replace them, nothing replaces these. */
static void note_ignored(const char *file, const ignored *lines)
{
    if (lines->transmit)
        fprintf(stderr, "goal: %s:%u: a replay ignores `transmit`: messages take what `latency` and `bandwidth` say\n",
                file, lines->transmit);
    if (lines->self_transmit || lines->copy)
        fprintf(stderr, "goal: %s:%u: a replay ignores `%s`: messages within one node take no time\n", file,
                lines->self_transmit ? lines->self_transmit : lines->copy,
                lines->self_transmit ? "self_transmit" : "copy");
    if (lines->core_quota)
        fprintf(stderr, "goal: %s:%u: a replay ignores `core_quota`: processors are not rationed\n", file,
                lines->core_quota);
}

static simkit_result on_machine(const options *o, const goal_schedule *s, double *end, char why[GOAL_WHY])
{
    goal_loggops_desc p = { 0, 0, 0, 0, 0, 65535 };
    simkit_parse_error error;
    simkit_machine *machine;
    ignored lines = { 0, 0, 0, 0 };
    const simkit_input input = { .path = o->machine, .key = skip_key, .user = &lines };
    simkit_result result = simkit_machine_read(&input, &machine, &error);
    if (result != SIMKIT_OK) return snprintf(why, GOAL_WHY, "%s", error.text), result;
    note_ignored(o->machine, &lines);
    if (o->loggops_text) read_loggops(&p, o->loggops_text);
    if (p.L > 0 || p.g > 0 || p.G > 0) {
        snprintf(why, GOAL_WHY, "--loggops: L, g and G do not go with --machine, whose network is in the file");
        result = SIMKIT_BAD_ARGUMENT;
    } else {
        const goal_machine_desc desc = { machine, o->map, p.o, p.O, p.S, o->picture };
        result = goal_machine(s, &desc, end, why);
    }
    simkit_machine_close(machine);
    return result;
}

/* A picture of a run in the model: what takes the processors of each rank. */
typedef struct drawing {
    simkit_world *world;
    simkit_node *nodes; /* of each rank */
    uint64_t bars;
    simkit_result result;
} drawing;

static void draw_bar(void *user, const goal_schedule *s, uint32_t op, bool receiving, double begin, double end)
{
    static const char *const kinds[] = { "send", "recv", "calc" };
    drawing *d = user;
    const goal_op *o = &s->ops[op];
    char lane[16];
    if (d->result != SIMKIT_OK || !(end > begin)) return;
    snprintf(lane, sizeof lane, "cpu %u", (unsigned)o->cpu);
    simkit_watch_event e = { .kind = SIMKIT_WATCH_COMPUTE,
                             .phase = SIMKIT_PHASE_BEGIN,
                             .time = begin * 1e-9,
                             .begin = begin * 1e-9,
                             .seconds = (end - begin) * 1e-9,
                             .node = d->nodes[receiving ? o->peer : o->rank],
                             .name = kinds[receiving ? GOAL_RECV : o->kind],
                             .lane = lane,
                             .number = ++d->bars };
    d->result = simkit_watch_emit(d->world, &e);
    e.phase = SIMKIT_PHASE_END;
    e.time = end * 1e-9;
    if (d->result == SIMKIT_OK) d->result = simkit_watch_emit(d->world, &e);
}

static simkit_result in_model(const options *o, const goal_schedule *s, double *end, char why[GOAL_WHY])
{
    if (!o->picture) return goal_loggops(s, &o->loggops, NULL, NULL, end, why);
    drawing d = { .nodes = malloc(s->ranks * sizeof *d.nodes) };
    simkit_trace *trace = NULL;
    simkit_result result = d.nodes ? simkit_world_open(NULL, &d.world) : SIMKIT_NO_MEMORY;
    for (uint32_t i = 0; i < s->ranks && result == SIMKIT_OK; ++i) {
        char name[24];
        snprintf(name, sizeof name, "rank %u", (unsigned)i);
        result = simkit_node_add(d.world, &(simkit_node_desc){ .name = name }, &d.nodes[i]);
    }
    errno = 0;
    if (result == SIMKIT_OK)
        result = simkit_trace_open(d.world, &(simkit_trace_desc){ .path = o->picture, .title = s->name }, &trace);
    why[0] = 0;
    if (result == SIMKIT_BAD_ARGUMENT) snprintf(why, GOAL_WHY, "%s", simkit_world_why(d.world));
    if (result == SIMKIT_OK) result = goal_loggops(s, &o->loggops, draw_bar, &d, end, why);
    if (result == SIMKIT_OK) result = d.result;
    const simkit_result closed = simkit_trace_close(trace);
    if (result == SIMKIT_OK) result = closed;
    if (result != SIMKIT_OK && !why[0])
        snprintf(why, GOAL_WHY, "%s: %s", o->picture,
                 result == SIMKIT_NO_FILE && errno ? strerror(errno) : simkit_result_text(result));
    simkit_world_close(d.world);
    free(d.nodes);
    return result;
}

enum { OK, DEADLOCK, WRONG }; /* exit status */

static int replay(const options *o, const goal_schedule *s)
{
    char why[GOAL_WHY] = "no memory";
    double *end = malloc(s->ranks * sizeof *end);
    const simkit_result result = !end         ? SIMKIT_NO_MEMORY
                                 : o->machine ? on_machine(o, s, end, why)
                                              : in_model(o, s, end, why);
    if (result == SIMKIT_OK)
        print_ends(o, s, end);
    else if (result == SIMKIT_DEADLOCK)
        fprintf(stderr, "%s: operations wait for ever:\n%s\n", s->name, why);
    else
        fails("", why);
    free(end);
    return result == SIMKIT_OK ? OK : result == SIMKIT_DEADLOCK ? DEADLOCK : WRONG;
}

static bool write_schedule(const char *path, const goal_schedule *s)
{
    FILE *file = fopen(path, "w");
    if (!file) return fails(path, ": cannot be written");
    const bool written = goal_write(s, file);
    return (fclose(file) == 0 && written) || fails(path, ": could not be written to its end");
}

/* Schedule, trace or list. The file is read only once, because a pipe gives its text only once. */
static simkit_result read_program(const options *o, goal_schedule **s, simkit_parse_error *error)
{
    char *text;
    size_t length, room;
    goal_form form;
    simkit_result result = goal_text(&(simkit_input){ .path = o->file }, &text, &length, &room, error);
    if (result != SIMKIT_OK) return result;
    const simkit_input input = { .text = text, .length = length, .name = o->file };
    result = goal_form_of(&input, &form, error);
    if (result == SIMKIT_OK)
        result = form == GOAL_SCHEDULE ? goal_read(&input, s, error) : goal_read_trace(&input, &o->trace, s, error);
    free(text);
    return result;
}

int main(int count, char **arguments)
{
    options o = { .loggops = GOAL_LOGGOPS };
    simkit_parse_error error;
    goal_schedule *s;
    for (int i = 1; i < count; ++i)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) return fputs(usage, stdout) < 0;
    if (count < 2) return fputs(usage, stderr), WRONG;
    if (!take_arguments(&o, count, arguments)) return WRONG;
    if (read_program(&o, &s, &error) != SIMKIT_OK) return fails("", error.text), WRONG;
    const int status = !o.written ? replay(&o, s) : write_schedule(o.written, s) ? OK : WRONG;
    goal_close(s);
    return fflush(stdout) == 0 ? status : WRONG;
}
