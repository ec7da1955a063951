/* conform.c - the cases of ranks without threads. */
#include "conform.h"

int main(int argc, char **argv)
{
    const conform_topic topics[] = {
        { "p2p", conform_p2p },
        { "order", conform_order },
        { "requests", conform_requests },
        { "types", conform_types },
        { "types", conform_packing },
        { "collectives", conform_collectives },
        { "collectives", conform_reductions },
        { "counts", conform_counts },
        { "comms", conform_comms },
        { "errors", conform_errors },
        { "misc", conform_misc },
        { "old", conform_old },
        { "names", conform_names },
        { "mpi3", conform_mpi3 },
        { "ports", conform_ports },
        { "win", conform_win },
        { "tools", conform_tools },
        { "waited_counts", conform_waited_counts },
        { "waited_collectives", conform_waited_collectives },
        { "waited_collectives", conform_waited_reductions },
        { "nonblocking", conform_nonblocking },
        { "neighbors", conform_neighbors },
    };

    MPI_Init(&argc, &argv);
    run_topics(topics, COUNT_OF(topics), argc, argv);
    MPI_Finalize();
    return 0;
}
