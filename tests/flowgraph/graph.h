/* What the tests of the flow-graph runtime share: a world with a graph in it, and operations that split, pass on and merge
 * numbers. Include after flowgraph.c. */
#ifndef GRAPH_H
#define GRAPH_H

#include "../close.h"

/* A world with nodes of one core on links without latency; a graph with a type `number` and one thread on each node. */
typedef struct fixture {
    simkit_world *world;
    flowgraph *graph;
    simkit_node nodes[8];
    flowgraph_type number;
    flowgraph_threads threads;
} fixture;

static fixture f;

static inline void open_graph(size_t nodes, double latency, double bandwidth, const simkit_world_desc *world,
                              flowgraph_desc how)
{
    const flowgraph_threads_desc workers = { .name = "workers", .count = nodes };

    memset(&f, 0, sizeof f);
    simkit_world_desc with = world ? *world : (simkit_world_desc){ 0 };
    with.latency = latency;
    assert_int_equal(simkit_world_open(&with, &f.world), SIMKIT_OK);
    for (size_t i = 0; i < nodes; ++i) {
        const simkit_node_desc node = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
        assert_int_equal(simkit_node_add(f.world, &node, &f.nodes[i]), SIMKIT_OK);
    }
    how.nodes = nodes;
    how.world = f.world;
    assert_int_equal(flowgraph_open(&how, &f.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(f.graph, "number", sizeof(int), &f.number), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_threads_add(f.graph, &workers, &f.threads), FLOWGRAPH_OK);
}

static inline void open_with(size_t nodes, double latency, double bandwidth, const simkit_world_desc *world)
{
    open_graph(nodes, latency, bandwidth, world, (flowgraph_desc){ .record = true });
}

/* On a network that takes no time. */
static inline void open_cluster(size_t nodes)
{
    open_with(nodes, 0, 0, NULL);
}

static inline void close_cluster(void)
{
    simkit_world_close(f.world);
    flowgraph_close(f.graph);
}

static inline flowgraph_result run(void)
{
    return flowgraph_run(f.graph, NULL);
}

typedef void run_operation(flowgraph_task *task, const void *object, void *user);
typedef size_t route_object(const void *object, size_t from, size_t count, void *user);

static inline flowgraph_operation add(const char *name, flowgraph_kind kind, run_operation *body, void *user)
{
    const flowgraph_operation_desc desc = { name, kind, f.threads, f.number, { f.number }, body, user, 0 };
    flowgraph_operation operation = 0;
    assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_OK);
    return operation;
}

static inline flowgraph_edge join(flowgraph_operation from, flowgraph_operation to, route_object *route)
{
    const flowgraph_edge_desc desc = { from, to, route, NULL, false };
    flowgraph_edge edge = 0;
    assert_int_equal(flowgraph_edge_add(f.graph, &desc, &edge), FLOWGRAPH_OK);
    return edge;
}

static inline flowgraph_edge join_outer(flowgraph_operation from, flowgraph_operation to)
{
    const flowgraph_edge_desc desc = { from, to, NULL, NULL, true };
    flowgraph_edge edge = 0;
    assert_int_equal(flowgraph_edge_add(f.graph, &desc, &edge), FLOWGRAPH_OK);
    return edge;
}

static inline flowgraph_result start(flowgraph_operation operation, int number)
{
    return flowgraph_start(f.graph, operation, 0, &number);
}

static inline void assert_why(const char *part)
{
    if (strstr(flowgraph_why(f.graph), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", flowgraph_why(f.graph), part);
}

static inline size_t by_number(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return (size_t) * (const int *)object % count;
}

static inline size_t to_neighbour(const void *object, size_t from, size_t count, void *user)
{
    (void)object;
    (void)user;
    return (from + 1) % count;
}

/* What the operations below share: where they post, and what came out. */
static struct {
    flowgraph_edge split, leaf, inner_split, inner_leaf, inner_merge, outer;
    int pieces, inner_pieces;
    double piece_time, leaf_time, merge_time, late_time;
    size_t bytes;
    double end[4]; /* of merge number */
    int sum[4], ends;
    int order[64], ordered;
} o;

static inline void reset(void)
{
    memset(&o, 0, sizeof o);
}

static inline void post(flowgraph_task *task, flowgraph_edge edge, const void *object, size_t bytes)
{
    flowgraph_data *data = bytes ? flowgraph_data_new(task, bytes) : NULL;
    flowgraph_post(task, edge, object, &data, data != NULL);
    flowgraph_data_drop(data);
}

/* What such an object takes on the network. */
static inline double wire(flowgraph_operation to)
{
    return (double)(flowgraph_envelope(f.graph, to) + (o.bytes ? 8 + o.bytes : 0));
}

static inline void split(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    for (int i = 0; i < o.pieces; ++i) {
        flowgraph_charge(task, o.piece_time);
        post(task, o.split, &i, o.bytes);
    }
    flowgraph_charge(task, o.late_time);
}

static inline void leaf(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    if (o.ordered < 64) o.order[o.ordered++] = *(const int *)object;
    flowgraph_charge(task, o.leaf_time);
    post(task, o.leaf, object, o.bytes);
}

static inline void end(flowgraph_task *task, const void *object, void *user)
{
    int sum = 0;
    (void)user;
    for (; object; object = flowgraph_next(task)) {
        flowgraph_charge(task, o.merge_time);
        sum += *(const int *)object;
    }
    o.end[o.ends] = flowgraph_now(task);
    o.sum[o.ends++] = sum;
}

static inline void nothing(flowgraph_task *task, const void *object, void *user)
{
    (void)task;
    (void)object;
    (void)user;
}

static inline flowgraph_operation split_leaf_merge(run_operation *a, run_operation *b, run_operation *c,
                                                   route_object *route)
{
    const flowgraph_operation first = add("a", FLOWGRAPH_SPLIT, a, NULL), second = add("b", FLOWGRAPH_LEAF, b, NULL),
                              third = add("c", FLOWGRAPH_MERGE, c, NULL);
    o.split = join(first, second, route);
    o.leaf = join(second, third, NULL);
    return first;
}

/* A process that computes for ever, on all nodes or on those that are named. */
#define HOG(nodes, nice) "[user hog]\n" nodes "[state burn]\ndemand = constant 1000000 s\nnice = " nice "\n"

static inline simkit_population *population_of(const char *text)
{
    simkit_population *population = NULL;
    simkit_parse_error error;
    if (simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text) }, &population, &error) !=
        SIMKIT_OK)
        fail_msg("%s", error.text);
    return population;
}

#endif
