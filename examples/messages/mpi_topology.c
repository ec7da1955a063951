/* mpi_topology.c - MPI: topologies of communicators: grids, graphs, and distributed graphs, of which each rank knows
 * only its neighbors. The calls here ask; those that make communicators with a topology are in mpi_comm.c. */
#include "mpi_core.h"

#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>topologies
 *===========================================================================*/

static int *topology__numbers_copy(const int *from, int count)
{
    int *copy = mpi_new((size_t)count, sizeof *copy);
    if (count > 0) memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

mpi_edges mpi_edges_copy(int count, const int *ranks, const int *weights)
{
    mpi_edges copy = { count, topology__numbers_copy(ranks, count),
                       weights ? topology__numbers_copy(weights, count) : NULL };
    return copy;
}

static void topology__cart_place(const mpi_topology *t, int rank, int *coordinates)
{
    for (int i = t->dimensions - 1; i >= 0; --i) {
        coordinates[i] = rank % t->sizes[i];
        rank /= t->sizes[i];
    }
}

mpi_topology *mpi_topology_cart(int dimensions, const int *sizes, const int *periods, int rank)
{
    mpi_topology *t = mpi_new(1, sizeof *t);
    t->kind = MPI_CART;
    t->dimensions = dimensions;
    t->sizes = topology__numbers_copy(sizes, dimensions);
    t->periods = topology__numbers_copy(periods, dimensions);
    for (int i = 0; i < dimensions; ++i) t->periods[i] = periods[i] != 0;
    t->coordinates = topology__numbers_copy(sizes, dimensions);
    topology__cart_place(t, rank, t->coordinates);
    return t;
}

mpi_topology *mpi_topology_graph(int nodes, const int *index, int edges, const int *neighbors)
{
    mpi_topology *t = mpi_new(1, sizeof *t);
    t->kind = MPI_GRAPH;
    t->nodes = nodes;
    t->edges = edges;
    t->index = topology__numbers_copy(index, nodes);
    t->neighbors = topology__numbers_copy(neighbors, edges);
    return t;
}

mpi_topology *mpi_topology_copy(const mpi_topology *from)
{
    if (!from) return NULL;
    mpi_topology *t = mpi_new(1, sizeof *t);
    *t = *from;
    if (from->kind == MPI_CART) {
        t->sizes = topology__numbers_copy(from->sizes, from->dimensions);
        t->periods = topology__numbers_copy(from->periods, from->dimensions);
        t->coordinates = topology__numbers_copy(from->coordinates, from->dimensions);
    } else if (from->kind == MPI_DIST_GRAPH) {
        t->sources = mpi_edges_copy(from->sources.count, from->sources.ranks, from->sources.weights);
        t->targets = mpi_edges_copy(from->targets.count, from->targets.ranks, from->targets.weights);
    } else {
        t->index = topology__numbers_copy(from->index, from->nodes);
        t->neighbors = topology__numbers_copy(from->neighbors, from->edges);
    }
    return t;
}

void mpi_topology_free(mpi_topology *t)
{
    if (!t) return;
    free(t->sizes);
    free(t->periods);
    free(t->coordinates);
    free(t->index);
    free(t->neighbors);
    free(t->sources.ranks);
    free(t->sources.weights);
    free(t->targets.ranks);
    free(t->targets.weights);
    free(t);
}

int PMPI_Topo_test(MPI_Comm comm, int *which)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!which) return mpi_fail(comm, MPI_ERR_ARG);
    *which = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>grids
 *===========================================================================*/

/* Spreads the prime factors of the rest as evenly as possible: the largest first, each to the smallest dimension. */
int PMPI_Dims_create(int nodes, int dimensions, int sizes[])
{
    int rest = nodes, open = 0, factors[32], count = 0, own[32];
    if (nodes < 1 || dimensions < 0) return mpi_fail(NULL, dimensions < 0 ? MPI_ERR_DIMS : MPI_ERR_ARG);
    if (dimensions > 0 && !sizes) return mpi_fail(NULL, MPI_ERR_ARG);
    for (int i = 0; i < dimensions; ++i) {
        if (sizes[i] < 0) return mpi_fail(NULL, MPI_ERR_DIMS);
        if (sizes[i] == 0)
            ++open;
        else if (rest % sizes[i])
            return mpi_fail(NULL, MPI_ERR_DIMS);
        else
            rest /= sizes[i];
    }
    if (open == 0) return rest == 1 ? MPI_SUCCESS : mpi_fail(NULL, MPI_ERR_DIMS);
    if (open > 32) return mpi_fail(NULL, MPI_ERR_DIMS);
    for (int p = 2; rest > 1; ++p)
        for (; rest % p == 0; rest /= p) factors[count++] = p;
    for (int i = 0; i < open; ++i) own[i] = 1;
    while (count > 0) {
        int least = 0;
        for (int i = 1; i < open; ++i)
            if (own[i] < own[least]) least = i;
        own[least] *= factors[--count];
    }
    for (int i = 1; i < open; ++i) /* in descending order */
        for (int k = i; k > 0 && own[k] > own[k - 1]; --k) {
            int moved = own[k];
            own[k] = own[k - 1];
            own[k - 1] = moved;
        }
    for (int i = 0, at = 0; i < dimensions; ++i)
        if (sizes[i] == 0) sizes[i] = own[at++];
    return MPI_SUCCESS;
}

int mpi_cart_check(MPI_Comm comm)
{
    int code = mpi_comm_check(comm);
    if (code) return code;
    return comm->topology && comm->topology->kind == MPI_CART ? MPI_SUCCESS : MPI_ERR_TOPOLOGY;
}

/* MPI_PROC_NULL beyond an edge. */
static int topology__cart_rank(const mpi_topology *t, const int *coordinates)
{
    int rank = 0;
    for (int i = 0; i < t->dimensions; ++i) {
        int at = coordinates[i];
        if (t->periods[i])
            at = (at % t->sizes[i] + t->sizes[i]) % t->sizes[i];
        else if (at < 0 || at >= t->sizes[i])
            return MPI_PROC_NULL;
        rank = rank * t->sizes[i] + at;
    }
    return rank;
}

int PMPI_Cartdim_get(MPI_Comm comm, int *dimensions)
{
    int code = mpi_cart_check(comm);
    if (code) return mpi_fail(comm, code);
    if (!dimensions) return mpi_fail(comm, MPI_ERR_ARG);
    *dimensions = comm->topology->dimensions;
    return MPI_SUCCESS;
}

int PMPI_Cart_get(MPI_Comm comm, int most, int sizes[], int periods[], int coordinates[])
{
    int code = mpi_cart_check(comm);
    if (code) return mpi_fail(comm, code);
    const mpi_topology *t = comm->topology;
    if (most < t->dimensions || (t->dimensions > 0 && (!sizes || !periods || !coordinates)))
        return mpi_fail(comm, MPI_ERR_ARG);
    for (int i = 0; i < t->dimensions; ++i) {
        sizes[i] = t->sizes[i];
        periods[i] = t->periods[i];
        coordinates[i] = t->coordinates[i];
    }
    return MPI_SUCCESS;
}

int PMPI_Cart_rank(MPI_Comm comm, const int coordinates[], int *rank)
{
    int code = mpi_cart_check(comm);
    if (code) return mpi_fail(comm, code);
    if ((!coordinates && comm->topology->dimensions > 0) || !rank) return mpi_fail(comm, MPI_ERR_ARG);
    int found = topology__cart_rank(comm->topology, coordinates);
    if (found == MPI_PROC_NULL) return mpi_fail(comm, MPI_ERR_ARG);
    *rank = found;
    return MPI_SUCCESS;
}

int PMPI_Cart_coords(MPI_Comm comm, int rank, int most, int coordinates[])
{
    int code = mpi_cart_check(comm);
    if (code) return mpi_fail(comm, code);
    if (rank < 0 || rank >= comm->group->size) return mpi_fail(comm, MPI_ERR_RANK);
    const int dimensions = comm->topology->dimensions;
    if (most < dimensions || (dimensions > 0 && !coordinates)) return mpi_fail(comm, MPI_ERR_ARG);
    topology__cart_place(comm->topology, rank, coordinates);
    return MPI_SUCCESS;
}

int PMPI_Cart_shift(MPI_Comm comm, int dimension, int by, int *source, int *target)
{
    int code = mpi_cart_check(comm);
    if (code) return mpi_fail(comm, code);
    if (!source || !target) return mpi_fail(comm, MPI_ERR_ARG);
    const mpi_topology *t = comm->topology;
    if (dimension < 0 || dimension >= t->dimensions) return mpi_fail(comm, MPI_ERR_DIMS);
    int *at = topology__numbers_copy(t->coordinates, t->dimensions);
    at[dimension] = t->coordinates[dimension] + by;
    *target = topology__cart_rank(t, at);
    at[dimension] = t->coordinates[dimension] - by;
    *source = topology__cart_rank(t, at);
    free(at);
    return MPI_SUCCESS;
}

int PMPI_Cart_map(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int *rank)
{
    int code = mpi_comm_check(comm), total = 1;
    (void)periods;
    if (code) return mpi_fail(NULL, code);
    if (!rank || (dimensions > 0 && (!sizes || !periods))) return mpi_fail(comm, MPI_ERR_ARG);
    for (int i = 0; i < dimensions; ++i) total *= sizes[i];
    if (total > comm->group->size) return mpi_fail(comm, MPI_ERR_DIMS);
    *rank = comm->group->rank < total ? comm->group->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>graphs
 *===========================================================================*/

static int topology__graph_check(MPI_Comm comm)
{
    int code = mpi_comm_check(comm);
    if (code) return code;
    return comm->topology && comm->topology->kind == MPI_GRAPH ? MPI_SUCCESS : MPI_ERR_TOPOLOGY;
}

int PMPI_Graphdims_get(MPI_Comm comm, int *nodes, int *edges)
{
    int code = topology__graph_check(comm);
    if (code) return mpi_fail(comm, code);
    if (!nodes || !edges) return mpi_fail(comm, MPI_ERR_ARG);
    *nodes = comm->topology->nodes;
    *edges = comm->topology->edges;
    return MPI_SUCCESS;
}

int PMPI_Graph_get(MPI_Comm comm, int most_nodes, int most_edges, int index[], int edges[])
{
    int code = topology__graph_check(comm);
    if (code) return mpi_fail(comm, code);
    const mpi_topology *t = comm->topology;
    if ((!index && most_nodes > 0) || (!edges && most_edges > 0)) return mpi_fail(comm, MPI_ERR_ARG);
    for (int i = 0; i < t->nodes && i < most_nodes; ++i) index[i] = t->index[i];
    for (int i = 0; i < t->edges && i < most_edges; ++i) edges[i] = t->neighbors[i];
    return MPI_SUCCESS;
}

static int topology__graph_first(const mpi_topology *t, int rank)
{
    return rank > 0 ? t->index[rank - 1] : 0;
}

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count)
{
    int code = topology__graph_check(comm);
    if (code) return mpi_fail(comm, code);
    if (!count) return mpi_fail(comm, MPI_ERR_ARG);
    if (rank < 0 || rank >= comm->topology->nodes) return mpi_fail(comm, MPI_ERR_RANK);
    *count = comm->topology->index[rank] - topology__graph_first(comm->topology, rank);
    return MPI_SUCCESS;
}

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int most, int neighbors[])
{
    int count, code = MPI_AS(PMPI_Graph_neighbors_count(comm, rank, &count));
    if (code) return code;
    if (!neighbors && most > 0) return mpi_fail(comm, MPI_ERR_ARG);
    for (int i = 0; i < count && i < most; ++i)
        neighbors[i] = comm->topology->neighbors[topology__graph_first(comm->topology, rank) + i];
    return MPI_SUCCESS;
}

int PMPI_Graph_map(MPI_Comm comm, int nodes, const int index[], const int edges[], int *rank)
{
    int code = mpi_comm_check(comm);
    (void)index;
    (void)edges;
    if (code) return mpi_fail(NULL, code);
    if (!rank || (nodes > 0 && (!index || !edges))) return mpi_fail(comm, MPI_ERR_ARG);
    if (nodes > comm->group->size) return mpi_fail(comm, MPI_ERR_ARG);
    *rank = comm->group->rank < nodes ? comm->group->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>distributed graphs
 *===========================================================================*/

static int topology__dist_graph_check(MPI_Comm comm)
{
    int code = mpi_comm_check(comm);
    if (code) return code;
    return comm->topology && comm->topology->kind == MPI_DIST_GRAPH ? MPI_SUCCESS : MPI_ERR_TOPOLOGY;
}

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *sources, int *targets, int *weighted)
{
    const int code = topology__dist_graph_check(comm);
    if (code) return mpi_fail(code == MPI_ERR_COMM ? NULL : comm, code);
    if (!sources || !targets || !weighted) return mpi_fail(comm, MPI_ERR_ARG);
    *sources = comm->topology->sources.count;
    *targets = comm->topology->targets.count;
    *weighted = comm->topology->weighted;
    return MPI_SUCCESS;
}

static void topology__edges_give(const mpi_edges *e, int most, int *ranks, int *weights)
{
    const size_t bytes = (size_t)(most < e->count ? most : e->count) * sizeof *ranks;
    if (bytes == 0) return;
    memcpy(ranks, e->ranks, bytes);
    if (e->weights && weights != MPI_UNWEIGHTED) memcpy(weights, e->weights, bytes);
}

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int most_sources, int sources[], int *source_weights, int most_targets,
                              int targets[], int *target_weights)
{
    const int code = topology__dist_graph_check(comm);
    if (code) return mpi_fail(code == MPI_ERR_COMM ? NULL : comm, code);
    if (most_sources < 0 || most_targets < 0 || (most_sources > 0 && (!sources || !source_weights)) ||
        (most_targets > 0 && (!targets || !target_weights)))
        return mpi_fail(comm, MPI_ERR_ARG);
    topology__edges_give(&comm->topology->sources, most_sources, sources, source_weights);
    topology__edges_give(&comm->topology->targets, most_targets, targets, target_weights);
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>neighbors in all topologies
 *===========================================================================*/

mpi_edges mpi_neighbors(MPI_Comm comm, bool sources)
{
    const mpi_topology *t = comm->topology;
    const int rank = comm->group->rank;
    if (!t) return (mpi_edges){ 0, NULL, NULL };
    if (t->kind == MPI_GRAPH) {
        const int first = topology__graph_first(t, rank);
        return mpi_edges_copy(t->index[rank] - first, t->neighbors + first, NULL);
    }
    if (t->kind == MPI_DIST_GRAPH) {
        const mpi_edges *e = sources ? &t->sources : &t->targets;
        return mpi_edges_copy(e->count, e->ranks, NULL);
    }
    mpi_edges e = { 2 * t->dimensions, mpi_new(2 * (size_t)t->dimensions, sizeof(int)), NULL };
    int *at = topology__numbers_copy(t->coordinates, t->dimensions);
    for (int i = 0; i < e.count; ++i) { /* in each dimension the one below, then the one above */
        at[i / 2] = t->coordinates[i / 2] + (i % 2 ? 1 : -1);
        e.ranks[i] = topology__cart_rank(t, at);
        at[i / 2] = t->coordinates[i / 2];
    }
    free(at);
    return e;
}

/* clang-format off */
MPI_FIRST(Dims_create) MPI_FIRST(Cartdim_get) MPI_FIRST(Cart_get) MPI_FIRST(Cart_rank) MPI_FIRST(Cart_coords)
MPI_FIRST(Cart_shift) MPI_FIRST(Cart_map) MPI_FIRST(Graphdims_get) MPI_FIRST(Graph_get) MPI_FIRST(Graph_neighbors_count)
MPI_FIRST(Graph_neighbors) MPI_FIRST(Graph_map) MPI_FIRST(Topo_test) MPI_FIRST(Dist_graph_neighbors_count)
MPI_FIRST(Dist_graph_neighbors)
    /* clang-format on */
