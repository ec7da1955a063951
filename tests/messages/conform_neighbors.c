/* conform_neighbors.c - distributed graphs, and collectives among the neighbors of grids and graphs. */
#include "conform.h"

static int *cells(int count)
{
    int *a = (int *)room((size_t)(count + 1) * sizeof *a);

    for (int i = 0; i <= count; ++i) a[i] = -1;
    return a;
}

/*=============================================================================
 * MARK: - >>distributed graphs
 *===========================================================================*/

/* From each rank to the next, and from rank 0 to all. */
static MPI_Comm star_in_ring(int weights)
{
    const int from_all = me > 0, to_all = me == 0 ? np - 1 : 0;
    int *sources = cells(2), *source_weights = cells(2), *targets = cells(np), *target_weights = cells(np);
    MPI_Comm comm;

    sources[0] = (me + np - 1) % np;
    source_weights[0] = 10 * sources[0];
    sources[1] = 0;
    source_weights[1] = me;
    targets[0] = (me + 1) % np;
    target_weights[0] = 10 * me;
    for (int i = 1; i <= to_all; ++i) targets[i] = target_weights[i] = i;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1 + from_all, sources, weights ? source_weights : MPI_UNWEIGHTED,
                                   1 + to_all, targets, weights ? target_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
    free(sources);
    free(source_weights);
    free(targets);
    free(target_weights);
    return comm;
}

static void say_graph(MPI_Comm comm)
{
    int in = -1, out = -1, weighted = -1, which = -1, *sources, *source_weights, *targets, *target_weights;

    MPI_Topo_test(comm, &which);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    say("graph %d in %d out %d weighted %d", which == MPI_DIST_GRAPH, in, out, weighted != 0);
    sources = cells(in);
    source_weights = cells(in);
    targets = cells(out);
    target_weights = cells(out);
    MPI_Dist_graph_neighbors(comm, in, sources, weighted ? source_weights : MPI_UNWEIGHTED, out, targets,
                             weighted ? target_weights : MPI_UNWEIGHTED);
    say_ints("from", sources, in);
    say_ints("to", targets, out);
    if (weighted) say_ints("weights from", source_weights, in);
    if (weighted) say_ints("to", target_weights, out);
    expect(sources[in] == -1 && targets[out] == -1, "beyond the end");
    free(sources);
    free(source_weights);
    free(targets);
    free(target_weights);
}

static void graph_adjacent(void)
{
    MPI_Comm comm = star_in_ring(0);

    say_graph(comm);
    MPI_Comm_free(&comm);
}

static void graph_weighted(void)
{
    MPI_Comm comm = star_in_ring(1), copy;

    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&comm);
    say_graph(copy);
    MPI_Comm_free(&copy);
}

/* Rank 0 knows all edges. */
static void graph_from_one(void)
{
    int *sources = cells(np), *degrees = cells(np), *targets = cells(np), *weights = cells(np);
    MPI_Comm comm;

    for (int i = 0; i < np; ++i) {
        sources[i] = i;
        degrees[i] = i > 0;
        if (i > 0) targets[i - 1] = i - 1;
        weights[i] = 5 * i;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, me == 0 ? np : 0, sources, degrees, targets, weights, MPI_INFO_NULL, 0,
                          &comm);
    say_graph(comm);
    MPI_Comm_free(&comm);
    free(sources);
    free(degrees);
    free(targets);
    free(weights);
}

/* Each rank knows an edge that begins at the next one, so that neighbors are in no certain order: say their sums. */
static void graph_from_all(void)
{
    const int source = (me + 1) % np, degree = 2, targets[2] = { (me + 2) % np, 0 };
    int in = -1, out = -1, weighted = -1, sum[2] = { 0, 0 };
    MPI_Comm comm;

    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    say("in %d out %d weighted %d", in, out, weighted != 0);
    int *from = cells(in), *to = cells(out);
    MPI_Dist_graph_neighbors(comm, in, from, MPI_UNWEIGHTED, out, to, MPI_UNWEIGHTED);
    for (int i = 0; i < in; ++i) sum[0] += from[i];
    for (int i = 0; i < out; ++i) sum[1] += to[i];
    say("sums %d %d", sum[0], sum[1]);
    free(from);
    free(to);
    MPI_Comm_free(&comm);
}

static void graph_errors(void)
{
    int a[3] = { 0, 0, 0 }, high = np, negative = -1, one = 1;
    MPI_Comm comm, made;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    say_class("count", MPI_Dist_graph_create_adjacent(comm, -1, a, MPI_UNWEIGHTED, 1, a, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                                      0, &made));
    say_class("rank", MPI_Dist_graph_create_adjacent(comm, 1, &high, MPI_UNWEIGHTED, 1, a, MPI_UNWEIGHTED,
                                                     MPI_INFO_NULL, 0, &made));
    say_class("degree", MPI_Dist_graph_create(comm, 1, a, &negative, a, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    say_class("target", MPI_Dist_graph_create(comm, 1, a, &one, &high, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    say_class("none", MPI_Dist_graph_neighbors_count(comm, a, a + 1, a + 2));
    MPI_Comm_free(&comm);
    comm = star_in_ring(0);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    say_class("room", MPI_Dist_graph_neighbors(comm, -1, a, MPI_UNWEIGHTED, 0, a, MPI_UNWEIGHTED));
    say_class("graph", MPI_Graph_neighbors_count(comm, 0, a));
    say_class("grid", MPI_Cartdim_get(comm, a));
    say_class("count", MPI_Neighbor_allgather(a, -1, MPI_INT, a, 1, MPI_INT, comm));
    say_class("type", MPI_Neighbor_allgather(a, 1, MPI_DATATYPE_NULL, a, 1, MPI_INT, comm));
    MPI_Comm_free(&comm);
}

/*=============================================================================
 * MARK: - >>exchanges
 *===========================================================================*/

/* All ten calls among neighbors, of which there are `in` and `out`; two numbers to each. */
static void exchange_all(MPI_Comm comm, int in, int out)
{
    int *mine = cells(2 * out), *got = cells(2 * in), *again = cells(2 * in);
    int *counts = cells(in + out), *in_places = cells(in), *out_places = cells(out);
    MPI_Aint *far_in = (MPI_Aint *)room((size_t)(in + 1) * sizeof *far_in);
    MPI_Aint *far_out = (MPI_Aint *)room((size_t)(out + 1) * sizeof *far_out);
    MPI_Datatype *types = (MPI_Datatype *)room((size_t)(in + out + 1) * sizeof(MPI_Datatype));
    MPI_Request request;

    for (int i = 0; i < 2 * out; ++i) mine[i] = 100 * me + i;
    for (int i = 0; i < in + out; ++i) {
        counts[i] = 2;
        types[i] = MPI_INT;
    }
    for (int i = 0; i < in; ++i) { /* the last one first */
        in_places[i] = 2 * (in - 1 - i);
        far_in[i] = (MPI_Aint)sizeof(int) * in_places[i];
    }
    for (int i = 0; i < out; ++i) {
        out_places[i] = 2 * i;
        far_out[i] = (MPI_Aint)sizeof(int) * out_places[i];
    }
#define BOTH(name, ...)                                                                                                \
    for (int i = 0; i < 2 * in; ++i) got[i] = again[i] = -1;                                                           \
    {                                                                                                                  \
        int *to = got;                                                                                                 \
        MPI_Neighbor_##name(__VA_ARGS__, comm);                                                                        \
        to = again;                                                                                                    \
        MPI_Ineighbor_##name(__VA_ARGS__, comm, &request);                                                             \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                         \
    }                                                                                                                  \
    expect(memcmp(got, again, 2 * (size_t)in * sizeof *got) == 0, #name " differs");                                   \
    say_ints(#name, got, 2 * in)
    BOTH(allgather, mine, 2, MPI_INT, to, 2, MPI_INT);
    BOTH(allgatherv, mine, 2, MPI_INT, to, counts, in_places, MPI_INT);
    BOTH(alltoall, mine, 2, MPI_INT, to, 2, MPI_INT);
    BOTH(alltoallv, mine, counts, out_places, MPI_INT, to, counts, in_places, MPI_INT);
    BOTH(alltoallw, mine, counts, far_out, types, to, counts, far_in, types);
#undef BOTH
    expect(got[2 * in] == -1, "beyond the end");
    free(mine);
    free(got);
    free(again);
    free(counts);
    free(in_places);
    free(out_places);
    free(far_in);
    free(far_out);
    free(types);
}

static void neighbors_in_distributed_graph(void)
{
    MPI_Comm comm = star_in_ring(0);

    exchange_all(comm, 1 + (me > 0), 1 + (me == 0 ? np - 1 : 0));
    MPI_Comm_free(&comm);
}

/* Two edges from each rank to the next, and one to itself. */
static void neighbors_twice(void)
{
    const int before = (me + np - 1) % np, after = (me + 1) % np;
    const int sources[3] = { before, before, me }, targets[3] = { after, me, after };
    MPI_Comm comm;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, targets, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    exchange_all(comm, 3, 3);
    MPI_Comm_free(&comm);
}

/* Rank 0 and all others. */
static void neighbors_in_graph(void)
{
    int *index = cells(np), *edges = cells(2 * np);
    MPI_Comm comm;

    index[0] = np - 1;
    for (int i = 1; i < np; ++i) {
        index[i] = np - 1 + i;
        edges[i - 1] = i;
        edges[np - 2 + i] = 0;
    }
    MPI_Graph_create(MPI_COMM_WORLD, np, index, edges, 0, &comm);
    exchange_all(comm, me == 0 ? np - 1 : 1, me == 0 ? np - 1 : 1);
    MPI_Comm_free(&comm);
    free(index);
    free(edges);
}

static void on_line(int periodic)
{
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &np, &periodic, 0, &comm);
    exchange_all(comm, 2, 2);
    MPI_Comm_free(&comm);
}

static void neighbors_on_line(void)
{
    on_line(0);
}

static void neighbors_on_ring(void)
{
    on_line(1);
}

/* A closed ring of rows that end at an edge; ranks that do not fit are left out. */
static void neighbors_on_grid(void)
{
    int sizes[2] = { np / 2, 2 }, periods[2] = { np / 2 > 2, 0 };
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &comm);
    if (comm == MPI_COMM_NULL) return;
    exchange_all(comm, 4, 4);
    MPI_Comm_free(&comm);
}

/* Both neighbors are the same rank: what it sends down comes from above. */
static void neighbors_on_two(void)
{
    int sizes[2] = { 2, 1 }, periods[2] = { 1, 1 }, out[4], in[4] = { -1, -1, -1, -1 };
    MPI_Comm comm;

    for (int i = 0; i < 4; ++i) out[i] = 10 * me + i;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &comm);
    if (comm == MPI_COMM_NULL) return;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    say_ints("", in, 4);
    MPI_Comm_free(&comm);
}

const conform_case conform_neighbors[] = {
    CASE(graph_adjacent, 1),
    CASE(graph_weighted, 1),
    CASE(graph_from_one, 1),
    CASE(graph_from_all, 1),
    CASE(graph_errors, 1),
    CASE(neighbors_in_distributed_graph, 1),
    CASE(neighbors_twice, 1),
    CASE(neighbors_in_graph, 2),
    CASE(neighbors_on_line, 1),
    CASE(neighbors_on_ring, 3),
    CASE(neighbors_on_grid, 2),
    CASE(neighbors_on_two, 2),
    NO_MORE_CASES,
};
