/* tests/differential/print.h   Prints a program as C. */
#ifndef PRINT_H
#define PRINT_H

#include "play.h"

static const char *print_number(double x)
{
    static char text[16][40];
    static int at;
    char *s = text[at = (at + 1) % 16];
    if (isnan(x)) return "NAN";
    if (isinf(x)) return x > 0 ? "INFINITY" : "-INFINITY";
    snprintf(s, 40, "%.15g", x);
    if (strtod(s, NULL) < x || strtod(s, NULL) > x) snprintf(s, 40, "%.17g", x);
    return s;
}

/* The handle that an operation made. */
static const char *print_handle(const program *p, int i)
{
    static char text[8][24];
    static int at;
    char *s = text[at = (at + 1) % 8];
    const bool made = i > 0 && p->ops[i].kind != NOTHING;
    snprintf(s, 24, made ? "h%d" : "0", i);
    return s;
}

static void print_field(FILE *f, const char *name, double x)
{
    if (!(x >= 0 && x <= 0)) fprintf(f, ", .%s = %s", name, print_number(x));
}

static bool print_child(const program *p, int i, int parent)
{
    return p->ops[i].by == parent && p->ops[i].kind != NOTHING;
}

/* A callback of an operation: its own if it does something, else one for all that only says so. */
static const char *print_callback(const program *p, const char *name, int i)
{
    static char text[4][24];
    static int at;
    char *s = text[at = (at + 1) % 4];
    snprintf(s, 24, "%s", name);
    for (int k = i + 1; k < p->count; ++k)
        if (print_child(p, k, i)) snprintf(s, 24, "%s%d", name, i);
    return s;
}

static void print_callbacks(FILE *f, const program *p, int i)
{
    fprintf(f, ", .done = %s, .lost = %s, .user = \"%d\"", print_callback(p, "done", i), print_callback(p, "lost", i), i);
}

static void print_op(FILE *f, const program *p, int i)
{
    const op *o = &p->ops[i];
    const double *x = o->x;
    const char *a = print_handle(p, o->a), *b = print_handle(p, o->b), *in_order = o->flag ? ", .in_order = true" : "";
    fprintf(f, "    say(w, %d, ", i);
    switch (o->kind) {
    case NODE:
        fprintf(f, "simkit_node_add(w, &(simkit_node_desc){ .speed = %s", print_number(x[0]));
        if (o->n > 0) fprintf(f, ", .cores = %d", o->n);
        print_field(f, "up_bandwidth", x[1]);
        print_field(f, "down_bandwidth", x[2]);
        print_field(f, "cpu_per_outgoing", x[5]);
        print_field(f, "cpu_per_incoming", x[6]);
        print_field(f, "quota", x[7]);
        print_field(f, "period", x[8]);
        print_field(f, "tick", x[9]);
        print_field(f, "slice", x[3]);
        print_field(f, "kept", x[4]);
        print_field(f, "host", x[10]);
        print_field(f, "burst", x[11]);
        print_field(f, "memory_bandwidth", x[12]);
        fprintf(f, "%s }, &h%d)", o->flag ? ", .nice_rule = CONTENTION_NICE_LINUX_2_2" : "", i);
        break;
    case FAIL: fprintf(f, "simkit_node_fail(w, %s)", a); break;
    case RUNNING: fprintf(f, "(int)simkit_node_running(w, %s)", a); break;
    case STEP_AT:
    case STEP_AFTER:
        fprintf(f, "%s(w, %s, %d, %s, \"%d\", &h%d)", kinds[o->kind].call, print_number(x[0]), o->n,
                print_callback(p, "run", i), i, i);
        break;
    case STEP_CANCEL:
    case STEP_PENDING:
    case STEP_BACKGROUND: fprintf(f, "%s(w, %s)", kinds[o->kind].call, a); break;
    case NEXT: fprintf(f, "(printf(\"%%.17g \", simkit_clock_next(w)), 0)"); break;
    case STOP: fprintf(f, "(simkit_world_stop(w), 0)"); break;
    case RUN_UNTIL:
        fprintf(f, "%s(w, simkit_clock_now(w) + %s)", !(x[0] < 1e300) ? "simkit_world_run_until" : "run_until", print_number(x[0]));
        break;
    case COMPUTE:
    case PROCESS_COMPUTE:
        fprintf(f, "%s(w, &(simkit_computation_desc){ .node = %s, .seconds = %s, .nice = %d", kinds[o->kind].call, a,
                print_number(x[0]), o->n);
        print_field(f, "memory_rate", x[1]);
        print_callbacks(f, p, i);
        fprintf(f, "%s }, &h%d)", o->flag ? ", .background = true" : "", i);
        break;
    case COMPUTE_CANCEL:
    case TRANSFER_CANCEL: fprintf(f, "%s(w, %s)", kinds[o->kind].call, a); break;
    case LOAD_KEEP: fprintf(f, "simkit_load_record(w, %s)", a); break;
    case LOAD_AVERAGE:
        fprintf(f, "(printf(\"%%.17g \", simkit_load_average(w, %s, %s, %s)), 0)", a, print_number(x[0]),
                print_number(x[1] + 0.25));
        break;
    case TRANSFER:
        fprintf(f, "simkit_transfer_start(w, &(simkit_transfer_desc){ .from = %s, .to = %s, .bytes = %s%s", a, b,
                print_number(x[0]), in_order);
        print_callbacks(f, p, i);
        fprintf(f, " }, &h%d)", i);
        break;
    case MODEL:
        fprintf(f, "simkit_pair_set(w, %s, %s, &(netmodel_link){ %s, %s })", a, b, print_number(x[0]),
                print_number(x[1]));
        break;
    case BOX: fprintf(f, "simkit_mailbox_open(w, %s, NULL, &h%d)", a, i); break;
    case BOX_CLOSE: fprintf(f, "simkit_mailbox_close(w, %s)", a); break;
    case BOX_COUNT: fprintf(f, "(int)simkit_mailbox_messages(w, %s)", a); break;
    case POST:
    case SEND:
        fprintf(f, "%s(w, &(simkit_post_desc){ .from = %s, .to = %s, .bytes = %s, .data = \"%d\"%s", kinds[o->kind].call,
                a, b, print_number(x[0]), i, in_order);
        if (!o->quiet) print_callbacks(f, p, i);
        fprintf(f, " }, &h%d)", i);
        break;
    case TAKE: fprintf(f, "simkit_mailbox_take(w, %s, %s, \"%d\", NULL)", a, print_callback(p, "got", i), i); break;
    case PROCESS:
        fprintf(f, "simkit_process_start(w, &(simkit_process_desc){ .node = %s, .body = %s, .user = \"%d\" }, &h%d)", a,
                print_callback(p, "run", i), i, i);
        break;
    case WAIT: fprintf(f, "simkit_process_wait(w, %s)", print_number(x[0])); break;
    case RECEIVE: fprintf(f, "receive(w, %s)", a); break;
    case SUSPEND: fprintf(f, "simkit_process_suspend(w, NULL)"); break;
    case RESUME:
    case KILL: fprintf(f, "%s(w, %s)", kinds[o->kind].call, a); break;
    case STACK: fprintf(f, "simkit_process_stack(w, %s, NULL) > 0", a); break;
    case WATCH: fprintf(f, "simkit_watch_add(w, %d, watch, \"%d\")", o->n, i); break;
    case WATCH_REMOVE: fprintf(f, "(simkit_watch_remove(w, watch, \"%d\"), 0)", o->a); break;
    case TELL:
        fprintf(f, "simkit_watch_emit(w, &(simkit_watch_event){ .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_PHASE_END, "
                   ".node = %s, .begin = %s, .time = %s })",
                a, print_number(x[0]), print_number(x[1]));
        break;
    case OPERATION:
        fprintf(f, "simkit_operation_add(w, &(simkit_operation_desc){ .policy = %d, .first = %d, .skip = %d, .every = %d, "
                   ".quantile = %s, .classes = %d, .power = %d, .seconds = %s }, &h%d)",
                o->n, o->b, (int)x[1], (int)x[2], print_number(x[3]), (int)x[4], x[4] >= 1 ? (int)x[5] : 0, print_number(x[0]), i);
        break;
    case OPERATE:
        fprintf(f, "operate(w, %s, %s, (double[]){ ", a, print_number(x[0]));
        for (int k = 1; k < NUMBERS; ++k) fprintf(f, "%s%s", k > 1 ? ", " : "", print_number(x[k]));
        fprintf(f, " })");
        break;
    default: fprintf(f, "0 /* %s, see play.h */", kinds[o->kind].name);
    }
    fprintf(f, ");\n");
}

static void print_body(FILE *f, const program *p, int parent, bool beside)
{
    for (int i = parent + 1; i < p->count; ++i) {
        if (!print_child(p, i, parent)) continue;
        if (beside) fprintf(f, "    beside(w);\n");
        print_op(f, p, i);
    }
}

/* The program as one that can be compiled; with an argument it plays it in the way. */
static void print_program(FILE *f, const program *p, const way *way)
{
    const bool beside = way->peeks || way->stale;
    static const char *const callbacks[] = { "run", "done", "lost" };
    static const char *const types[KIND_COUNT] = {
        [NODE] = "simkit_node",         [BOX] = "simkit_mailbox",         [STEP_AT] = "simkit_step",
        [STEP_AFTER] = "simkit_step",   [COMPUTE] = "simkit_computation", [PROCESS_COMPUTE] = "simkit_computation",
        [TRANSFER] = "simkit_transfer", [POST] = "simkit_transfer",       [SEND] = "simkit_transfer",
        [PROCESS] = "simkit_process",   [OPERATION] = "simkit_operation"
    };
    fprintf(f, "/* cc -g -I. THIS.c -o THIS -lm && ./THIS >one && ./THIS way >two; diff one two */\n"
               "#define SIMKIT_IMPLEMENTATION\n#include \"simkit.h\"\n#include <stdlib.h>\n\nstatic int way;\n");
    for (int i = 1; i < p->count; ++i)
        if (types[p->ops[i].kind]) fprintf(f, "static %s h%d;\n", types[p->ops[i].kind], i);
    fprintf(f, "\nstatic void say(simkit_world *w, int number, int answer)\n{\n"
               "    printf(\"%%.17g s: %%d answers %%d\\n\", simkit_clock_now(w), number, answer);\n}\n");
    for (int i = 0; i < 3; ++i)
        fprintf(f, "static inline void %s(simkit_world *w, void *user)\n{\n"
                   "    printf(\"%%.17g s: %%s %s\\n\", simkit_clock_now(w), (char *)user);\n}\n",
                callbacks[i], callbacks[i]);
    fprintf(f, "static inline void got(simkit_world *w, void *user, const simkit_message *m)\n{\n"
               "    printf(\"%%.17g s: %%s got %%s\\n\", simkit_clock_now(w), (char *)user, m ? (char *)m->data : \"none\");\n"
               "}\n");
    fprintf(f, "static void never(simkit_world *w, void *user)\n{\n    (void)w, (void)user;\n    abort();\n}\n"
               "static void watch(const simkit_world *w, void *user, const simkit_watch_event *event)\n{\n"
               "    (void)user, (void)event;\n    %s;\n}\n",
            way->peeks ? "simkit_clock_next(w)" : "(void)w");
    fprintf(f, "static inline void beside(simkit_world *w)\n{\n    if (!way) return;\n");
    if (way->peeks) fprintf(f, "    simkit_clock_next(w);\n");
    if (way->stale) fprintf(f, "    for (int i = 0; i < %d; ++i) {\n        simkit_step step;\n"
                               "        simkit_step_after(w, i %% 4, i %% 3 - 1, never, NULL, &step);\n"
                               "        simkit_step_cancel(w, step);\n    }\n",
                            way->stale);
    fprintf(f, "    (void)w, (void)never;\n}\n");
    fprintf(f, "static int run_until(simkit_world *w, double until)\n{\n"
               "    static const double slices[] = { 0");
    for (int i = 0; i < way->slices; ++i) fprintf(f, ", %s", print_number(way->slice[i]));
    fprintf(f, " };\n    for (int i = 0; way && i < (int)(sizeof slices / sizeof *slices); ++i) {\n"
               "        simkit_result result;\n"
               "        if (!(slices[i] > simkit_clock_now(w) && slices[i] < until)) continue;\n"
               "        if ((result = simkit_world_run_until(w, slices[i])) != SIMKIT_OK) return result;\n"
               "        simkit_clock_next(w);\n    }\n"
               "    return until < INFINITY ? simkit_world_run_until(w, until) : simkit_world_run(w);\n}\n");
    if (way->moves || way->refuses)
        fprintf(f, "static void *reallocate(void *user, void *old, size_t bytes, size_t wanted)\n{\n"
                   "    static long count;\n    (void)user;\n"
                   "    if (wanted > bytes && ++count == %ld) return NULL;\n"
                   "    void *fresh = wanted ? malloc(wanted) : NULL;\n"
                   "    if (fresh && old) memcpy(fresh, old, bytes < wanted ? bytes : wanted);\n"
                   "    if (old) memset(old, 0xa5, bytes);\n    free(old);\n    return fresh;\n}\n",
                way->refuses ? way->refuses + 1 : 0);
    fprintf(f, "static double processor;\nstatic double processor_time(void *user)\n{\n    (void)user;\n    return processor;\n}\n"
               "static void work(void *seconds)\n{\n    processor += *(double *)seconds;\n}\n"
               "static inline int operate(simkit_world *w, simkit_operation operation, double parameter, double *seconds)\n{\n"
               "    double taken, sum = 0;\n    int result = 0;\n    for (int i = 0; i < %d && result == 0; ++i) {\n"
               "        result = simkit_operation_run(w, operation, parameter, work, &seconds[i], &taken);\n"
               "        sum += taken;\n    }\n    printf(\"%%.17g s: \", sum);\n    return result;\n}\n", NUMBERS - 1);
    fprintf(f, "static inline int receive(simkit_world *w, simkit_mailbox box)\n{\n    simkit_message m;\n"
               "    simkit_result result = simkit_process_receive(w, box, &m);\n"
               "    if (result == SIMKIT_OK) printf(\"message %%s of %%.17g s, %%.17g s: \", (char *)m.data, m.sent, "
               "m.arrived);\n    return result;\n}\n\n");
    for (int i = p->count - 1; i > 0; --i) {
        const op *o = &p->ops[i];
        const bool runs = o->kind == STEP_AT || o->kind == STEP_AFTER || o->kind == PROCESS;
        if (!calls_back(o)) continue;
        if (strcmp(print_callback(p, "run", i), "run") == 0) continue; /* it does nothing */
        for (int c = runs ? 0 : 1; c < (runs ? 1 : 3); ++c) {
            const char *name = o->kind == TAKE ? "got" : callbacks[c];
            fprintf(f, "static void %s%d(simkit_world *w, void *user%s)\n{\n    %s(w, user%s);\n", name, i,
                    o->kind == TAKE ? ", const simkit_message *m" : "", name, o->kind == TAKE ? ", m" : "");
            print_body(f, p, i, beside);
            fprintf(f, beside ? "    beside(w);\n}\n" : "}\n");
            if (o->kind == TAKE) break;
        }
    }
    fprintf(f,
            "\nint main(int argc, char **argv)\n{\n    simkit_world *w;\n    simkit_result result;\n"
            "    (void)argv;\n    way = argc > 1;\n"
            "    simkit_world_desc desc = { .seed = %lluu, .sharing = %s, .latency = %s, .slow_links = true, "
            ".processor_time = processor_time };\n",
            (unsigned long long)p->seed, p->sharing ? "SIMKIT_SHARING_MAXMIN" : "SIMKIT_SHARING_EQUAL",
            print_number(p->ops[0].x[0]));
    if (way->worn) fprintf(f, "    /* and in this way timers are worn out: see wear_out() in tests/differential/play.h */\n");
    if (way->before)
        fprintf(f, "    /* and in this way the world was reset after another program: see play_before() in "
                   "tests/differential/play.h */\n");
    if (way->traced) fprintf(f, "    /* it has no other way: what it prints is wrong by itself, as said above */\n");
    if (way->moves || way->refuses) fprintf(f, "    if (way) desc.memory.reallocate = reallocate;\n");
    fprintf(f, "    if (simkit_world_open(&desc, &w) != SIMKIT_OK) return 1;\n"
               "    if (way && %u) simkit_watch_add(w, %u, watch, NULL);\n    (void)watch, (void)receive;\n",
            way->watched, way->watched ? way->watched : SIMKIT_WATCH_ALL);
    print_body(f, p, 0, beside);
    fprintf(f, "    do printf(\"%%.17g s: run ends %%d\\n\", simkit_clock_now(w), result = run_until(w, INFINITY));\n"
               "    while (result == SIMKIT_STOPPED);\n    simkit_world_close(w);\n    return 0;\n}\n");
}

#endif
