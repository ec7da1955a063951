/* OpenBLAS in ranks: each multiplies two matrices of 400 x 400 ones, checks the result, and prints how many threads OpenBLAS has. */
#include "mpi.h"

#include <stdio.h>

enum { N = 400 };
static double a[N * N], b[N * N], c[N * N];

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
int openblas_get_num_threads(void);

int main(int argc, char **argv)
{
    const int n = N;
    const double one = 1, zero = 0;
    int rank, right = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N * N; ++i) a[i] = b[i] = 1;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    for (int i = 0; i < N * N; ++i) right += c[i] == N;
    printf("rank %d: %d threads, %s\n", rank, openblas_get_num_threads(), right == N * N ? "right" : "wrong");
    return MPI_Finalize();
}
