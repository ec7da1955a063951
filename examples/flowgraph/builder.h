/*
builder.h - a graph under construction: after the first failure nothing more is added, so one check at the end suffices
*/
#ifndef BUILDER_H
#define BUILDER_H

#include "flowgraph.h"

/* A graph under construction. */
typedef struct builder {
    flowgraph *graph;        /* the graph */
    flowgraph_result result; /* the first failure */
} builder;

/* An operation's function. */
typedef void builder_run(flowgraph_task *task, const void *object, void *user);

/* A routing function. */
typedef size_t builder_route(const void *object, size_t from, size_t count, void *user);

/* A kernel's model. */
typedef double builder_model(double parameter, void *user);

/* As flowgraph_type_add(). */
static inline flowgraph_type builder_type(builder *b, const char *name, size_t size)
{
    flowgraph_type type = 0;
    if (b->result == FLOWGRAPH_OK) b->result = flowgraph_type_add(b->graph, name, size, &type);
    return type;
}

/* As flowgraph_threads_add(), placed round-robin. */
static inline flowgraph_threads builder_threads(builder *b, const char *name, size_t count, uint32_t execution)
{
    const flowgraph_threads_desc desc = { name, count, NULL, execution };
    flowgraph_threads threads = 0;
    if (b->result == FLOWGRAPH_OK) b->result = flowgraph_threads_add(b->graph, &desc, &threads);
    return threads;
}

/* As flowgraph_kernel_add(). */
static inline flowgraph_kernel builder_kernel(builder *b, const char *name, builder_model *model, void *user)
{
    const flowgraph_kernel_desc desc = { name, model, user };
    flowgraph_kernel kernel = 0;
    if (b->result == FLOWGRAPH_OK) b->result = flowgraph_kernel_add(b->graph, &desc, &kernel);
    return kernel;
}

/* As flowgraph_operation_add(); `also`: a second type that it gives, or 0. */
static inline flowgraph_operation builder_operation(builder *b, const char *name, flowgraph_kind kind, builder_run *run,
                                                    void *user, flowgraph_type takes, flowgraph_type gives,
                                                    flowgraph_type also, flowgraph_threads threads, size_t window)
{
    const flowgraph_operation_desc desc = { name, kind, threads, takes, { gives, also }, run, user, window };
    flowgraph_operation operation = 0;
    if (b->result == FLOWGRAPH_OK) b->result = flowgraph_operation_add(b->graph, &desc, &operation);
    return operation;
}

/* As flowgraph_edge_add(). */
static inline flowgraph_edge builder_edge(builder *b, flowgraph_operation from, flowgraph_operation to,
                                          builder_route *route, void *user, bool outer)
{
    const flowgraph_edge_desc desc = { from, to, route, user, outer };
    flowgraph_edge edge = 0;
    if (b->result == FLOWGRAPH_OK) b->result = flowgraph_edge_add(b->graph, &desc, &edge);
    return edge;
}

#endif
