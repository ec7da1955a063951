/* A program that is linked with it. */
#include <mpi.h>

#include <stdio.h>

int sum_of_ranks(void);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("sum %d\n", sum_of_ranks());
    return MPI_Finalize();
}
