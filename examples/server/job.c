/* job.c - see real.h: the processes of a job */
#define _DEFAULT_SOURCE
#include "programs.h"
#include "real.h"

#include "../flowgraph/flowgraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a job knows of its cluster. */
typedef struct job {
    size_t nodes, first, maximum;
    uint32_t places[FLOWGRAPH_NODES]; /* the cluster's number of each node of the graph */
    uint32_t slot[FLOWGRAPH_NODES];   /* the reverse */
} job;

/* One write is one line for the server, whichever thread it comes from. */
static void say(const char *line)
{
    char text[512];
    const int length = snprintf(text, sizeof text, "%.500s\n", line);
    if (write(STDOUT_FILENO, text, (size_t)length) != length) _exit(1); /* nobody listens: the job has no server */
}

static bool hear_nodes(const job *j, bool *has)
{
    char line[FLOWGRAPH_NODES + 16];
    size_t length = 0;
    while (length + 1 < sizeof line && read(STDIN_FILENO, line + length, 1) == 1 && line[length] != '\n') ++length;
    line[length] = 0;
    if (length != 6 + j->nodes || strncmp(line, "nodes ", 6) != 0) return false;
    for (size_t n = 0; n < j->nodes; ++n) has[j->slot[n]] = line[6 + n] == '1';
    return true;
}

static bool at_point(void *user, flowgraph_task *task, size_t iteration, bool *has)
{
    char line[40];
    (void)task;
    snprintf(line, sizeof line, "point %lu", (unsigned long)iteration);
    say(line);
    return hear_nodes((const job *)user, has);
}

static void has_changed(void *user)
{
    (void)user;
    say("changed");
}

static void has_left(void *user, flowgraph *graph, size_t node)
{
    char line[40];
    (void)graph;
    snprintf(line, sizeof line, "left %lu", (unsigned long)((const job *)user)->places[node]);
    say(line);
}

static bool read_places(job *j, const char *text)
{
    for (char *end; *text; text = *end ? end + 1 : end) {
        const unsigned long place = strtoul(text, &end, 10);
        if (end == text || (*end && *end != ',') || place >= FLOWGRAPH_NODES || j->nodes == FLOWGRAPH_NODES)
            return false;
        j->places[j->nodes] = (uint32_t)place;
        j->slot[place] = (uint32_t)j->nodes++;
    }
    return j->nodes > 0;
}

int job_main(int count, char **arguments)
{
    static job j; /* large */
    enum { PROGRAM = 2, ARGUMENTS, PLACES, FIRST, MAXIMUM, MACHINE, LAUNCH, ADDRESS, ALL };
    char why[200] = "", line[400];
    simkit_machine *machine = NULL;
    simkit_parse_error error = { 0 };
    program p;
    flowgraph *graph = NULL;
    bool right = true;
    if (count != ALL || !read_places(&j, arguments[PLACES])) {
        fprintf(stderr, "server: --job is for the server's own use\n");
        return 2;
    }
    j.first = strtoul(arguments[FIRST], NULL, 10);
    j.maximum = strtoul(arguments[MAXIMUM], NULL, 10);
    const char *path = arguments[MACHINE];
    if (*path && simkit_machine_read(&(simkit_input){ .path = path }, &machine, &error) != SIMKIT_OK) {
        snprintf(line, sizeof line, "failed %.300s", error.text);
        say(line);
        return 1;
    }
    const flowgraph_host host = { .left = has_left, .user = &j };
    const flowgraph_desc how = { .mode = FLOWGRAPH_REAL,
                                 .nodes = j.nodes,
                                 .at_first = j.first,
                                 .paced = machine != NULL,
                                 .arguments = arguments,
                                 .launch = *arguments[LAUNCH] ? arguments[LAUNCH] : NULL,
                                 .address = *arguments[ADDRESS] ? arguments[ADDRESS] : NULL,
                                 .places = j.places,
                                 .host = &host };
    const points_desc decides = {
        .nodes = j.nodes, .maximum = j.maximum, .ask = at_point, .changed = has_changed, .user = &j
    };
    const program_desc what = { arguments[PROGRAM], arguments[ARGUMENTS], machine, &decides, NULL };
    flowgraph_result result = flowgraph_open(&how, &graph);
    if (result == FLOWGRAPH_OK) result = program_open(graph, &what, &p, why);
    for (unsigned i = 0; result == FLOWGRAPH_OK && i < p.stages; ++i) {
        result = flowgraph_start(graph, p.entries[i], 0, NULL); /* returns on node 0 only */
        if (result == FLOWGRAPH_OK) result = flowgraph_run(graph, NULL);
    }
    if (result == FLOWGRAPH_OK)
        snprintf(line, sizeof line, "done %s", program_result(&p, false, &right));
    else
        snprintf(line, sizeof line, "failed %.380s", *why ? why : graph ? flowgraph_why(graph) : "no memory");
    flowgraph_close(graph);
    simkit_machine_close(machine);
    say(line);
    return result != FLOWGRAPH_OK;
}
