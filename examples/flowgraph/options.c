/* options.c - the body of options.h */
#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char options_usage[] =
    "  --mode real|direct|partial   default: partial\n"
    "  --nodes N                    maximum number of nodes; default: the machine's\n"
    "  --at-first N                 how many of them take part from the beginning; default: all\n"
    "  --machine FILE               nodes, network, and what messages and operations cost\n"
    "  --place HOW                  which of the machine's nodes: block, round-robin over its clusters, or a file with "
    "a\n"
    "                               node in each line; after --machine; default: block\n"
    "  --users FILE                 simulated: background users of the nodes\n"
    "  --link-loads FILE            simulated: how busy each link is over time: a picture (.svg) or a table (.csv)\n"
    "  --seed N                     simulated: seed of the users, and of the phases of quota periods\n"
    "  --policy KERNEL=POLICY       execute, measure, measure:TIMES, model, or model:SECONDS; KERNEL may be 'all'\n"
    "  --launch WORDS               real: words before the program on each node; %d is its number, from 0\n"
    "  --address PATTERN            real: where a node listens; %d is its number, %e its number + 1\n"
    "  --patience SECONDS           real: silence after which a node counts as lost; default: 20\n";

void options_begin(options *o, char **arguments)
{
    memset(o, 0, sizeof *o);
    o->desc.arguments = arguments;
    o->desc.policies = o->policies;
}

bool options_draw(options *o, unsigned draw, char why[200])
{
    const simkit_input input = { .path = o->machine_file, .draw = draw };
    simkit_parse_error error = { 0 };
    simkit_machine_close(o->drawn);
    o->drawn = NULL;
    o->desc.machine = o->machine;
    if (draw == 0) return true;
    if (simkit_machine_read(&input, &o->drawn, &error) != SIMKIT_OK) {
        snprintf(why, 200, "draw %u: %.180s", draw, *error.text ? error.text : "no memory for the machine");
        return false;
    }
    o->desc.machine = o->drawn;
    return true;
}

void options_end(options *o)
{
    simkit_population_close(o->users);
    simkit_machine_close(o->drawn);
    o->drawn = NULL;
    simkit_machine_close(o->machine);
    o->users = NULL;
    o->desc.users = NULL;
    o->machine = NULL;
    o->desc.machine = NULL;
}

const char *options_mode_text(const options *o)
{
    static const char *const modes[] = { "simulated, modelled kernels", "simulated, executed directly", "real" };
    return modes[o->desc.mode];
}

bool options_predict(const options *o)
{
    return o->desc.mode != FLOWGRAPH_REAL;
}

flowgraph_desc options_simulated(const options *o)
{
    flowgraph_desc desc = o->desc;
    desc.mode = FLOWGRAPH_PARTIAL;
    desc.policy_count = 0;
    return desc;
}

void options_rest(const options *o)
{
    const simkit_machine *machine = o->desc.mode == FLOWGRAPH_REAL ? o->machine : NULL;
    double seconds = 0;
    for (size_t i = 0; machine && i < machine->kind_count; ++i)
        if (machine->kinds[i].node.quota > 0) seconds = fmax(seconds, 2 * machine->kinds[i].node.period);
    const struct timespec moment = { (time_t)seconds, (long)(1e9 * (seconds - floor(seconds))) };
    if (seconds > 0) nanosleep(&moment, NULL);
}

bool options_number(const char *text, size_t least, size_t *number)
{
    char *end = NULL;
    if (!text || *text < '0' || *text > '9') return false;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != 0 || value < least || value > UINT32_MAX) return false;
    *number = value;
    return true;
}

bool options_amount(const char *text, double least, double *amount)
{
    char *end = NULL;
    const double value = text ? strtod(text, &end) : NAN;
    if (!text || end == text || *end != 0 || !isfinite(value) || value < least) return false;
    *amount = value;
    return true;
}

static int options__wrong(char why[200], const char *name, const char *value, const char *expected)
{
    snprintf(why, 200, "%.40s %.80s: expected %.70s", name, value ? value : "", expected);
    return -1;
}

/* KERNEL=POLICY */
static int options__policy(options *o, const char *text, char why[200])
{
    static const char expected[] = "KERNEL=execute, measure[:TIMES] or model[:SECONDS]";
    const char *equals = text ? strchr(text, '=') : NULL;
    flowgraph_policy *policy = &o->policies[o->desc.policy_count];

    if (o->desc.policy_count == OPTIONS_POLICIES) return options__wrong(why, "--policy", text, "fewer policies");
    if (!equals || equals - text > 31 || equals == text) return options__wrong(why, "--policy", text, expected);
    memcpy(o->names[o->desc.policy_count], text, (size_t)(equals - text));
    policy->kernel = strcmp(o->names[o->desc.policy_count], "all") == 0 ? NULL : o->names[o->desc.policy_count];
    ++equals;
    if (strcmp(equals, "execute") == 0) {
        policy->policy = SIMKIT_POLICY_EXECUTE;
    } else if (strncmp(equals, "measure", 7) == 0) {
        size_t first = 5;
        policy->policy = SIMKIT_POLICY_MEASURE;
        if (equals[7] && (equals[7] != ':' || !options_number(equals + 8, 1, &first) || first > 64))
            return options__wrong(why, "--policy", text, expected);
        policy->first = (unsigned)first;
    } else if (strncmp(equals, "model", 5) == 0) {
        policy->policy = SIMKIT_POLICY_MODEL;
        if (equals[5] && (equals[5] != ':' || !options_amount(equals + 6, 0, &policy->seconds) || policy->seconds <= 0))
            return options__wrong(why, "--policy", text, expected);
    } else {
        return options__wrong(why, "--policy", text, expected);
    }
    ++o->desc.policy_count;
    return 2;
}

/* Nodes of the machine for as many nodes of the graph as there may be. */
static int options__place(options *o, char why[200])
{
    char wrong[200];
    if (flowgraph_places(o->machine, o->place, FLOWGRAPH_NODES, o->places, wrong) != FLOWGRAPH_OK) {
        snprintf(why, 200, "--place: %.180s", wrong);
        return -1;
    }
    o->desc.places = o->places;
    return 2;
}

static int options__machine(options *o, const char *path, char why[200])
{
    simkit_parse_error error;
    simkit_machine *machine;
    if (!path) return options__wrong(why, "--machine", path, "a file");
    if (simkit_machine_read(&(simkit_input){ .path = path }, &machine, &error) != SIMKIT_OK) {
        snprintf(why, 200, "%.190s", error.text);
        return -1;
    }
    o->machine_file = path;
    simkit_machine_close(o->machine);
    o->desc.machine = o->machine = machine;
    if (o->desc.nodes == 0) o->desc.nodes = machine->nodes;
    return o->place ? options__place(o, why) : 2;
}

static int options__users(options *o, const char *path, char why[200])
{
    simkit_parse_error error;
    if (!path) return options__wrong(why, "--users", path, "a file");
    simkit_population_close(o->users);
    if (simkit_population_read(&(simkit_input){ .path = path }, &o->users, &error) != SIMKIT_OK) {
        snprintf(why, 200, "%.190s", error.text);
        return -1;
    }
    o->desc.users = o->users;
    return 2;
}

int options_take(options *o, const char *name, const char *value, char why[200])
{
    if (strcmp(name, "--mode") == 0) {
        static const char *const modes[] = { "partial", "direct", "real" };
        for (int i = 0; i < 3 && value; ++i)
            if (strcmp(value, modes[i]) == 0) {
                o->desc.mode = (flowgraph_mode)i;
                return 2;
            }
        return options__wrong(why, name, value, "real, direct or partial");
    }
    if (strcmp(name, "--nodes") == 0)
        return options_number(value, 1, &o->desc.nodes) ? 2 : options__wrong(why, name, value, "a whole number >= 1");
    if (strcmp(name, "--at-first") == 0)
        return options_number(value, 1, &o->desc.at_first) ? 2
                                                           : options__wrong(why, name, value, "a whole number >= 1");
    if (strcmp(name, "--machine") == 0) return options__machine(o, value, why);
    if (strcmp(name, "--place") == 0) {
        if (!value || !o->machine)
            return options__wrong(why, name, value, "block, round-robin or a file, after --machine");
        o->place = value;
        return options__place(o, why);
    }
    if (strcmp(name, "--users") == 0) return options__users(o, value, why);
    if (strcmp(name, "--link-loads") == 0) {
        if (!value) return options__wrong(why, name, value, "a file that ends in .svg or .csv");
        o->desc.link_loads = value;
        return 2;
    }
    if (strcmp(name, "--seed") == 0) {
        size_t seed = 0;
        if (!options_number(value, 0, &seed)) return options__wrong(why, name, value, "a whole number >= 0");
        o->desc.seed = seed;
        return 2;
    }
    if (strcmp(name, "--patience") == 0)
        return options_amount(value, 1, &o->desc.patience)
                   ? 2
                   : options__wrong(why, name, value, "a number of seconds >= 1");
    if (strcmp(name, "--policy") == 0) return options__policy(o, value, why);
    if (strcmp(name, "--launch") == 0 || strcmp(name, "--address") == 0) {
        if (!value) return options__wrong(why, name, value, "words");
        *(name[2] == 'l' ? &o->desc.launch : &o->desc.address) = value;
        return 2;
    }
    return 0;
}
