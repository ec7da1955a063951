/* tests/differential/network_print.h   Prints a program as C. */
#ifndef NETWORK_PRINT_H
#define NETWORK_PRINT_H

#include "network_reference.h"

static const char *print_number(double x)
{
    static char text[16][40];
    static int at;
    char *s = text[at = (at + 1) % 16];
    snprintf(s, 40, "%.15g", x);
    if (strtod(s, NULL) < x || strtod(s, NULL) > x) snprintf(s, 40, "%.17g", x);
    return s;
}

static void print_field(const char *name, double x)
{
    if (x > 0) printf(", .%s = %s", name, print_number(x));
}

static void print_entry(const program *p, const entry *e)
{
    printf("%.17g s: ", e->time);
    if (e->op > 0) printf("%d %s ", e->op, kind_names[p->ops[e->op].kind]);
    printf("%s", event_names[e->event]);
    if (e->event == ANSWERED || e->event == ENDED) printf(" %d", e->result);
    printf("\n");
}

static void print_map(const program *p)
{
    printf("map ? printf(\"");
    for (int l = 0; l < p->links; ++l) printf("%slink %d: %%.17g %%.17g", l ? ", " : "", l + 1);
    printf("\\n\"");
    for (int l = 0; l < p->links; ++l) printf(", simkit_loadmap_bytes(map, %d, false), simkit_loadmap_bytes(map, %d, true)", l + 1, l + 1);
    printf(") * 0 : 0");
}

static void print_op(const program *p, int i)
{
    const op *o = &p->ops[i];
    printf("    case %d: say(w, i, ", i);
    switch (o->kind) {
    case START:
        printf("simkit_transfer_start(w, &(simkit_transfer_desc){ .from = %d, .to = %d, .bytes = %s", o->a, o->b, print_number(o->x[0]));
        print_field("weight", o->x[1]);
        print_field("rate_limit", o->x[2]);
        printf("%s, .done = done, .lost = lost, .user = &numbers[i] }, &transfers[i])", o->flag ? ", .in_order = true" : "");
        break;
    case CANCEL: printf("simkit_transfer_cancel(w, transfers[%d])", o->a); break;
    case CHANGE: printf("simkit_link_change(w, %d, %s, %s)", o->a, print_number(o->x[0]), print_number(o->x[1])); break;
    case FAIL: printf("simkit_link_fail(w, %d)", o->a); break;
    case REPAIR: printf("simkit_link_repair(w, %d)", o->a); break;
    case FOLLOW:
        printf("simkit_link_follow(w, %d, (simkit_link_point[]){ ", o->a);
        for (int k = 0; k < o->n; ++k) printf("{ %s, %s }, ", print_number(o->rows[k][0]), print_number(o->rows[k][1]));
        printf("{ 0, 0 } }, %d, %s)", o->n, print_number(o->x[0]));
        break;
    case ROUTE:
        printf("simkit_route_%s(w, %d, %d, (simkit_hop[]){ ", o->x[0] > 0 ? "direct" : "set", o->a, o->b);
        for (int k = 0; k < o->n; ++k) printf("{ %d, %s }, ", o->hops[k] / 2 + 1, o->hops[k] % 2 ? "true" : "false");
        printf("{ 0, false } }, %d, %s)", o->n, o->flag ? "true" : "false");
        break;
    case PAIR:
        printf("simkit_pair_set(w, %d, %d, &(netmodel_link){ %s, %s })", o->a, o->b, print_number(o->x[0]), print_number(o->x[1]));
        break;
    case NODE_FAIL: printf("simkit_node_fail(w, %d)", o->a); break;
    case MAP_OPEN: printf("map ? 0 : simkit_loadmap_open(w, &map)"); break;
    case MAP_READ: print_map(p); break;
    default: printf("(simkit_loadmap_close(map), map = NULL, 0)"); break;
    }
    printf("); break;\n");
}

/* The operations that the end of each transfer executes. */
static void print_children(const program *p)
{
    printf("static void children(simkit_world *w, int i)\n{\n    (void)w;\n    switch (i) {\n");
    for (int i = 1; i < p->count; ++i) {
        bool any = false;
        for (int k = i + 1; k < p->count; ++k) {
            if (p->ops[k].kind == NOTHING || p->ops[k].by != i) continue;
            if (!any) printf("    case %d: ", i);
            any = true;
            printf("act(w, %d); ", k);
        }
        if (any) printf("break;\n");
    }
    printf("    default: break;\n    }\n}\n");
}

static void print_program(const program *p)
{
    printf("/* cc -g -I. THIS.c -o THIS -lm && ./THIS */\n#define SIMKIT_IMPLEMENTATION\n#include \"simkit.h\"\n"
           "#include \"util/simkit_trace.h\"\n#include \"util/simkit_why.h\"\n\n"
           "static simkit_transfer transfers[%d];\nstatic simkit_loadmap *map;\nstatic int numbers[%d];\n"
           "static void act(simkit_world *w, int i);\n"
           "static void say(simkit_world *w, int i, int answer)\n{\n    printf(\"%%.17g s: %%d answers %%d\\n\", simkit_clock_now(w), i, answer);\n}\n",
           MOST_OPS, MOST_OPS);
    print_children(p);
    printf("static void step(simkit_world *w, void *user)\n{\n    act(w, *(int *)user);\n}\n");
    for (int lost = 0; lost < 2; ++lost)
        printf("static void %s(simkit_world *w, void *user)\n{\n    printf(\"%%.17g s: %%d is %s\\n\", simkit_clock_now(w), *(int *)user);\n"
               "    children(w, *(int *)user);\n}\n",
               lost ? "lost" : "done", lost ? "lost" : "done");
    printf("static void act(simkit_world *w, int i)\n{\n    (void)done, (void)lost;\n    switch (i) {\n");
    for (int i = 1; i < p->count; ++i)
        if (p->ops[i].kind != NOTHING) print_op(p, i);
    printf("    default: break;\n    }\n}\n\nint main(void)\n{\n    simkit_world *w;\n    for (int i = 0; i < %d; ++i) numbers[i] = i;\n"
           "    if (simkit_world_open(&(simkit_world_desc){ .slow_links = true",
           MOST_OPS);
    if (p->maxmin) printf(", .sharing = SIMKIT_SHARING_MAXMIN");
    print_field("latency", p->latency);
    print_field("pair_duplex", p->pair_duplex);
    printf(" }, &w)) return 1;\n");
    for (int i = 0; i < p->nodes; ++i) {
        printf("    if (simkit_node_add(w, &(simkit_node_desc){ .cores = 1");
        print_field("up_bandwidth", p->up[i]);
        print_field("down_bandwidth", p->down[i]);
        print_field("duplex", p->node_duplex[i]);
        printf(" }, NULL)) return 1;\n");
    }
    for (int i = 0; i < p->links; ++i) {
        printf("    if (simkit_link_add(w, &(simkit_link_desc){ .name = \"\"");
        print_field("bandwidth", p->bandwidth[i]);
        print_field("latency", p->link_latency[i]);
        print_field("duplex", p->duplex[i]);
        printf(" }, NULL)) return 1;\n");
    }
    for (int i = 1; i < p->count; ++i) {
        const op *o = &p->ops[i];
        if (o->kind == NOTHING || o->by != 0) continue;
        if (o->time < 0)
            printf("    act(w, %d);\n", i);
        else
            printf("    if (simkit_step_at(w, %s, 0, step, &numbers[%d], NULL)) return 1;\n", print_number(o->time), i);
    }
    printf("    printf(\"run ends %%d\\n\", simkit_world_run(w));\n    (void)(");
    print_map(p);
    printf(");\n    simkit_world_close(w);\n    return 0;\n}\n");
}

#endif
