/* Ranks that wait for each other by way of the system, not by messages: `piped PATH`. Each line is what a call returns, and the virtual time. A
 * pipe with a name, a connection of sockets, and a lock on a file; then children, which are no part of the run. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static double began;
static char large[3000000];
static int rank;

static void together(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
}

static void tell(const char *what, long result)
{
    printf("%d: %s %ld at %.6f\n", rank, what, result, MPI_Wtime() - began);
    fflush(stdout);
}

static void pipe_with_name(const char *path)
{
    char bytes[8];
    if (rank == 0) mkfifo(path, 0600);
    together();
    if (rank == 0) {
        FILE *stream = fopen(path, "r");
        tell("fgets", fgets(bytes, sizeof bytes, stream) != NULL);
        tell("fgets", fgets(bytes, sizeof bytes, stream) != NULL);
        fclose(stream);
        unlink(path);
    } else if (rank == 1) {
        skeleton_compute(0.125);
        const int file = open(path, O_WRONLY);
        skeleton_compute(0.5);
        tell("write", write(file, "abc\n", 4));
        skeleton_compute(0.25);
        close(file);
    }
}

static void connection(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const socklen_t length = sizeof at;
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    char bytes[8];
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "piped-%d", process);
    if (rank == 0) {
        bind(file, (struct sockaddr *)&at, length);
        listen(file, 4);
    }
    together();
    if (rank == 0) {
        const int other = accept(file, NULL, NULL);
        struct pollfd one = { other, POLLIN, 0 };
        tell("accept", other > 0);
        tell("poll with a limit", poll(&one, 1, 50));
        tell("poll", poll(&one, 1, -1));
        tell("recv", recv(other, bytes, sizeof bytes, 0));
        skeleton_compute(0.5);
        tell("send", send(other, "hello", 5, 0));
        close(other);
    } else if (rank == 1) {
        skeleton_compute(0.25);
        tell("connect", connect(file, (struct sockaddr *)&at, length));
        skeleton_compute(1);
        tell("write", write(file, "abc", 3));
        tell("read", read(file, bytes, sizeof bytes));
        tell("read", read(file, bytes, sizeof bytes));
    }
    close(file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *path = argc > 1 ? argv[1] : "piped.fifo";
    pipe_with_name(path);
    connection();
    if (rank == 0) close(open(path, O_RDWR | O_CREAT, 0600));
    together();
    const int file = open(path, O_RDWR);
    if (rank < 2) {
        skeleton_compute(0.125 * rank);
        tell("flock", flock(file, LOCK_EX));
        skeleton_compute(1);
        flock(file, LOCK_UN);
    }
    together();
    if (rank == 0) {
        skeleton_compute(4);
        tell("write", write(file, large, sizeof large));
        tell("fsync", fsync(file));
        unlink(path);
        int status = 0;
        const pid_t child = fork();
        if (child == 0) _exit(5);
        waitpid(child, &status, 0);
        tell("child", WEXITSTATUS(status));
        tell("system", WEXITSTATUS(system("exit 6")));
    }
    return MPI_Finalize();
}
