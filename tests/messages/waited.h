/* waited.h - included before a file of tests: its blocking collectives become nonblocking ones that are waited for, in one
 * of several ways by turns. */
#ifndef WAITED_H
#define WAITED_H

#include <mpi.h>

static MPI_Request waited_request;

static int waited(int code)
{
    static int turn;
    int index, flag = 0;

    if (code != MPI_SUCCESS) return code;
    switch (turn++ % 3) {
    case 0: return MPI_Wait(&waited_request, MPI_STATUS_IGNORE);
    case 1: return MPI_Waitany(1, &waited_request, &index, MPI_STATUS_IGNORE);
    default:
        code = MPI_Test(&waited_request, &flag, MPI_STATUS_IGNORE);
        return code == MPI_SUCCESS && !flag ? MPI_Wait(&waited_request, MPI_STATUS_IGNORE) : code;
    }
}

#define MPI_Barrier(...) waited(MPI_Ibarrier(__VA_ARGS__, &waited_request))
#define MPI_Bcast(...) waited(MPI_Ibcast(__VA_ARGS__, &waited_request))
#define MPI_Gather(...) waited(MPI_Igather(__VA_ARGS__, &waited_request))
#define MPI_Gatherv(...) waited(MPI_Igatherv(__VA_ARGS__, &waited_request))
#define MPI_Scatter(...) waited(MPI_Iscatter(__VA_ARGS__, &waited_request))
#define MPI_Scatterv(...) waited(MPI_Iscatterv(__VA_ARGS__, &waited_request))
#define MPI_Allgather(...) waited(MPI_Iallgather(__VA_ARGS__, &waited_request))
#define MPI_Allgatherv(...) waited(MPI_Iallgatherv(__VA_ARGS__, &waited_request))
#define MPI_Alltoall(...) waited(MPI_Ialltoall(__VA_ARGS__, &waited_request))
#define MPI_Alltoallv(...) waited(MPI_Ialltoallv(__VA_ARGS__, &waited_request))
#define MPI_Alltoallw(...) waited(MPI_Ialltoallw(__VA_ARGS__, &waited_request))
#define MPI_Reduce(...) waited(MPI_Ireduce(__VA_ARGS__, &waited_request))
#define MPI_Allreduce(...) waited(MPI_Iallreduce(__VA_ARGS__, &waited_request))
#define MPI_Reduce_scatter(...) waited(MPI_Ireduce_scatter(__VA_ARGS__, &waited_request))
#define MPI_Reduce_scatter_block(...) waited(MPI_Ireduce_scatter_block(__VA_ARGS__, &waited_request))
#define MPI_Scan(...) waited(MPI_Iscan(__VA_ARGS__, &waited_request))
#define MPI_Exscan(...) waited(MPI_Iexscan(__VA_ARGS__, &waited_request))

#endif
