/* model_lu.c - the LU factorization of the DPS paper as a model for sweeps */
#include "lu.h"
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N, R, NODES, PLACE, GRAPH, WINDOW, PARTS, NODE_PRICE, WAIT_PRICE, PARAMETERS };
enum { TIME, EFFICIENCY, NODE_SECONDS, COST, RESULTS };

static const sweep_quantity parameters[PARAMETERS] = {
    { "n", "1", 2592, NULL, "rows of the matrix" },
    { "r", "1", 324, NULL, "columns of a block column; divides n" },
    { "nodes", "1", 8, NULL, "on how many" },
    { "place", "1", 0, "block,round-robin,file", "which nodes of the machine; file: those that 'input' lists" },
    { "graph", "1", 0, "basic,pipelined", "pipelined: streams instead of merges and splits" },
    { "window", "1", 0, NULL, "flow control: multiplications in progress; 0: any number" },
    { "parts", "1", 1, NULL, "of each side of a product" },
    { "node-price", "1", 0, NULL, "of an hour of a node, in any currency" },
    { "wait-price", "1", 0, NULL, "of an hour of waiting for the result" },
};

static const sweep_quantity results[RESULTS] = {
    { "time", "s", 0, NULL, "of the factorization" },
    { "efficiency", "1", 0, NULL, "time spent computing / time of all nodes" },
    { "node-seconds", "s", 0, NULL, "nodes * time" },
    { "cost", "1", 0, NULL,
      "hours * (nodes * node-price + wait-price)" }, /* hours * (nodes * node-price + wait-price) */
};

/* Says which number the machine does not have. */
static int missing(const sweep_point *point)
{
    static const char *const numbers[][3] = { { "multiply", "rate", "flop/s" }, { "solve", "rate", "flop/s" },
                                              { "panel", "cached", "flop/s" },  { "panel", "streamed", "flop/s" },
                                              { "memory", "rate", "B/s" },      { "memory", "cache", "B" } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (isnan(simkit_machine_value(point->machine, numbers[i][0], numbers[i][1], numbers[i][2])))
            return sweep_fail(point,
                              "the machine file has no '%s' in [operation %s], in %s, which the LU factorization needs",
                              numbers[i][1], numbers[i][0], numbers[i][2]);
    return sweep_fail(point, "the machine file does not say what the LU factorization costs");
}

/* A file of places is for the value `file` of `place`. Each machine reads it anew: nodes may have names there. */
static bool open_places(const char *path, void **shared, char *why)
{
    const size_t size = path ? strlen(path) + 1 : 0;
    *shared = path ? malloc(size) : NULL;
    if (path && !*shared) return snprintf(why, SWEEP_WHY, "no memory for the name of a file") < 0;
    if (path) memcpy(*shared, path, size);
    return true;
}

/* Where the nodes are; NULL for the first ones of the machine. */
static bool find_places(const sweep_point *point, size_t nodes, uint32_t places[FLOWGRAPH_NODES],
                        const uint32_t **found)
{
    const char *how = point->value[PLACE] > 1 ? (const char *)point->shared : "round-robin";
    char why[200];
    *found = NULL;
    if (!(point->value[PLACE] > 0)) return true;
    if (!how) return sweep_fail(point, "'place' is 'file', but no 'input' in [sweep] names one") == 0;
    if (nodes > FLOWGRAPH_NODES)
        return sweep_fail(point, "'nodes' is %lu: expected at most %d", (unsigned long)nodes, FLOWGRAPH_NODES) == 0;
    *found = places;
    return flowgraph_places(point->machine, how, nodes, places, why) == FLOWGRAPH_OK ||
           sweep_fail(point, "%s", why) == 0;
}

static int run(const sweep_point *point, double *result)
{
    uint32_t places[FLOWGRAPH_NODES];
    lu_costs costs;
    lu_outcome outcome;
    lu_desc desc = { .pipelined = point->value[GRAPH] > 0, .costs = &costs };
    size_t nodes = 0;
    if (!models_whole(point, parameters, N, 1, &desc.n) || !models_whole(point, parameters, R, 1, &desc.r) ||
        !models_whole(point, parameters, NODES, 1, &nodes) ||
        !models_whole(point, parameters, WINDOW, 0, &desc.window) ||
        !models_whole(point, parameters, PARTS, 1, &desc.parts) || !find_places(point, nodes, places, &desc.places))
        return 1;
    if (desc.n % desc.r != 0 || desc.n / desc.r > LU_ITERATIONS)
        return sweep_fail(point, "r = %lu does not divide n = %lu into at most %d parts", (unsigned long)desc.r,
                          (unsigned long)desc.n, LU_ITERATIONS);
    if (lu_costs_of_machine(point->machine, desc.n, desc.r, desc.parts, &costs) != SIMKIT_OK) return missing(point);
    if (lu_predict(point->machine, nodes, &desc, NULL, NULL, &outcome) != FLOWGRAPH_OK)
        return sweep_fail(point, "%s", outcome.why);
    result[TIME] = outcome.seconds;
    result[EFFICIENCY] = outcome.efficiency[outcome.iterations];
    result[NODE_SECONDS] = (double)nodes * outcome.seconds;
    result[COST] = outcome.seconds / 3600 * ((double)nodes * point->value[NODE_PRICE] + point->value[WAIT_PRICE]);
    return 0;
}

const sweep_model model_lu = { "lu", 1,           parameters, PARAMETERS,  results, RESULTS,
                               run,  open_places, free,       SWEEP_NEEDS, "random" };
