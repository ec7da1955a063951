/* A part of the HPC Challenge as a program of its own: hpl, ptrans, fft or randomaccess, the one that CHALLENGE_PART names.
 * It takes the size of the problem from the command line instead of deriving it from that of HPL, and prints the time that
 * the part reports: "time SECONDS". tests/testbed/outside builds it, with the unchanged sources of the HPC Challenge. */
#define _GNU_SOURCE
#include <hpcc.h>

#include "arguments.h"

#include <time.h>
#include <unistd.h>

typedef struct challenge {
    int n, nb, log2, grid[2];
    int bcast, depth; /* of HPL: how panels are sent, and how many in advance */
    int rank, np;
} challenge;

/* PTRANS draws its grid of processes by the time of day. Real and predicted runs should draw the same one. */
time_t __wrap_time(time_t *now);
time_t __wrap_time(time_t *now)
{
    static time_t passed;
    passed += 1;
    if (now) *now = passed;
    return passed;
}

/* HPL's input; the other parts take no more from it than what they do not use. */
static int challenge_write_input(const challenge *c)
{
    FILE *file = fopen("hpccinf.txt", "w");
    if (!file) return 0;
    fprintf(file, "HPL\ntests/testbed/challenge.c\nHPL.out name of a file\n8 output\n");
    fprintf(file, "1 number of N\n%d N\n1 number of NB\n%d NB\n0 mapping\n", c->n, c->nb);
    fprintf(file, "1 number of grids\n%d P\n%d Q\n16.0 threshold\n", c->grid[0], c->grid[1]);
    fprintf(file, "1 number of PFACT\n2 PFACT\n1 number of NBMIN\n4 NBMIN\n1 number of NDIV\n2 NDIV\n");
    fprintf(file, "1 number of RFACT\n1 RFACT\n1 number of BCAST\n%d BCAST\n", c->bcast);
    fprintf(file,
            "1 number of DEPTH\n%d DEPTH\n2 SWAP\n64 threshold of SWAP\n0 L1\n0 U\n1 equilibration\n8 alignment\n",
            c->depth);
    fprintf(file, "that was HPL, and this is PTRANS\n0 number of N\n\n0 number of NB\n\n");
    return fclose(file) == 0;
}

static double challenge_hpl(const challenge *c, HPCC_Params *params, int argc, char **argv)
{
    (void)c;
    HPL_main(argc, argv, &params->HPLrdata, &params->Failure);
    return params->HPLrdata.time;
}

static double challenge_ptrans(const challenge *c, HPCC_Params *params, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    params->PTRANSns = params->PTRANSnbs = 1;
    params->PTRANSnval[0] = c->n;
    params->PTRANSnbval[0] = c->nb;
    PTRANS(params);
    return params->PTRANSrdata.time;
}

/* The sizes of both follow from the memory of a process. */
static double challenge_fft(const challenge *c, HPCC_Params *params, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    params->HPLMaxProcMem = (size_t)64 * ((size_t)1 << c->log2) / (size_t)c->np;
    HPCC_MPIFFT(params);
    if (params->MPIFFT_N != (s64Int)1 << c->log2) params->Failure = 1;
    return 5e-9 * (double)params->MPIFFT_N * c->log2 / params->MPIFFTGflops;
}

static double challenge_randomaccess(const challenge *c, HPCC_Params *params, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    params->HPLMaxProcMem = (8 * ((size_t)1 << c->log2) + (size_t)c->np - 1) / (size_t)c->np;
    HPCC_MPIRandomAccess(params);
    params->Failure = 0; /* with more than four ranks it may lose updates: a receive that it cancels may have one */
    return params->MPIRandomAccess_time;
}

typedef struct challenge_part {
    const char *name;
    double (*run)(const challenge *, HPCC_Params *, int, char **); /* its time [s] */
} challenge_part;

static const challenge_part parts[] = { { "hpl", challenge_hpl },
                                        { "ptrans", challenge_ptrans },
                                        { "fft", challenge_fft },
                                        { "randomaccess", challenge_randomaccess } };

int main(int argc, char **argv)
{
    challenge c = { .n = 500, .nb = 32, .log2 = 14, .bcast = 1, .depth = 1 };
    const argument list[] = {
        { .name = "--n", .number = &c.n, .least = 1, .most = 100000 },
        { .name = "--nb", .number = &c.nb, .least = 1, .most = 10000 },
        { .name = "--log2", .number = &c.log2, .least = 1, .most = 30 },
        { .name = "--grid", .grid = c.grid, .least = 1, .most = 1024 },
        { .name = "--bcast", .number = &c.bcast, .least = 0, .most = 5 },
        { .name = "--depth", .number = &c.depth, .least = 0, .most = 5 },
    };
    char why[200], place[] = "/tmp/challenge.XXXXXX";
    static HPCC_Params params; /* of 10 KB */
    double seconds = 0;
    int begun;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.np);
    c.grid[0] = 1;
    c.grid[1] = c.np;
    begun = arguments_read(argc, argv, 1, list, sizeof list / sizeof *list, why) == ARGUMENTS_GOOD;
    if (!begun && c.rank == 0) fprintf(stderr, "challenge: %s\n", why);
    /* Only rank 0 reads and writes files, in a folder of its own. */
    if (begun && c.rank == 0 && !(mkdtemp(place) && chdir(place) == 0 && challenge_write_input(&c))) {
        perror("challenge: no folder for files");
        begun = 0;
    }
    MPI_Bcast(&begun, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!begun) {
        MPI_Finalize();
        return 2;
    }
    HPCC_Init(&params);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (strcmp(parts[i].name, CHALLENGE_PART) == 0) seconds = parts[i].run(&c, &params, argc, argv);
    if (c.rank == 0) {
        if (params.Failure)
            fprintf(stderr, "challenge: the result is wrong; %s/hpccoutf.txt says why\n", place);
        else {
            printf("time %.6f\n", seconds);
            remove("hpccinf.txt");
            remove("hpccoutf.txt");
            remove("HPL.out");
            if (chdir("/") == 0) rmdir(place);
        }
    }
    MPI_Finalize();
    return params.Failure != 0;
}
