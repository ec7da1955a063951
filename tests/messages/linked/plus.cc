// A program of C++: constructors before main(), exceptions, streams.
#include <mpi.h>

#include <iostream>
#include <string>
#include <vector>

static const std::vector<int> numbers(3, 7);

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        if (rank == 1) throw std::string("rank 1 has ");
    } catch (const std::string &text) {
        std::cout << text << numbers.at(2) << std::endl;
    }
    return MPI_Finalize();
}
