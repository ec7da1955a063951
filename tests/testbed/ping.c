/* How long does a message take over TCP? Prints a line for each size and turn: bytes, and half of a round trip [s].
 *
 * ping listen PORT      answers one peer, then ends
 * ping ADDRESS PORT     asks it */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 15, MOST = 1 << 20 };

static char bytes[MOST];

static bool all(int s, bool writes, size_t count)
{
    for (size_t at = 0; at < count;) {
        const ssize_t n = writes ? write(s, bytes + at, count - at) : read(s, bytes + at, count - at);
        if (n <= 0) return false;
        at += (size_t)n;
    }
    return true;
}

static int fails(const char *what)
{
    perror(what);
    return 1;
}

int main(int count, char **arguments)
{
    struct sockaddr_in address;
    const int on = 1;
    const bool listens = count == 3 && strcmp(arguments[1], "listen") == 0;
    int s = socket(AF_INET, SOCK_STREAM, 0), peer;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)(count == 3 ? atoi(arguments[2]) : 0));
    if (count != 3 || s < 0 || (!listens && inet_pton(AF_INET, arguments[1], &address.sin_addr) != 1)) {
        fprintf(stderr, "ping listen PORT | ping ADDRESS PORT\n");
        return 2;
    }
    if (listens) {
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(s, (struct sockaddr *)&address, sizeof address) != 0 || listen(s, 1) != 0)
            return fails("ping: listen");
        if ((peer = accept(s, NULL, NULL)) < 0) return fails("ping: accept");
    } else {
        for (int try = 0; connect(s, (struct sockaddr *)&address, sizeof address) != 0; ++try) {
            if (try == 50) return fails("ping: connect");
            usleep(100000);
        }
        peer = s;
    }
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (int turn = -1; turn < TURNS; ++turn) /* the first is not counted */
        for (size_t size = 1; size <= MOST; size *= 2) {
            struct timespec begin, end;
            usleep(listens ? 0 : 5000);
            clock_gettime(CLOCK_MONOTONIC, &begin);
            if (!all(peer, !listens, size) || !all(peer, listens, size)) return fails("ping");
            clock_gettime(CLOCK_MONOTONIC, &end);
            if (!listens && turn >= 0)
                printf("%lu %.9f\n", (unsigned long)size,
                       0.5 * ((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec)));
        }
    return 0;
}
