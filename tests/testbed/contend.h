/* What the two files of build/contend share: the clock, sockets, what was said on the command line. See contend.c. */
#ifndef CONTEND_H
#define CONTEND_H

#include <stdbool.h>
#include <stddef.h>

enum { WORD = 4, MOST_NODES = 16 }; /* a word has 4 bytes, as an integer of a PVM message has */

/* All that may be said; --help lists it. */
typedef struct settings {
    const char *to; /* address of the other node */
    const char *peers, *fraction, *weight, *slowdown, *dedicated, *delays;
    double port, messages, words, passes;
    double compute, idle, jitter, seed, settle, sense, most;
    double repeat, pause;
    double n, sweeps, inner, rank, nodes;
    double bandwidth;
    char **rest; /* what is no option */
    int rest_count;
} settings;

/* How long something took, and how much of the processor it had. */
typedef struct span {
    double wall, processor; /* [s] */
} span;

double now(void); /* [s] since some moment */
span begin_span(void);
span end_span(span begun);
double random_part(double seed); /* the next of a sequence in [0, 1); the first seed counts */
bool fails(const char *format, ...);

int net_listen(int port);                       /* a socket, or < 0 after it said why */
int net_accept(int listener);                   /* the same */
int net_connect(const char *address, int port); /* tries for ten seconds; the same */
bool net_send(int socket, const void *bytes, size_t count);
bool net_receive(int socket, void *bytes, size_t count);
bool numbers_of(const char *name, const char *text, double value[], size_t count); /* comma-separated; says why not */

bool target_serial(const char *name, const settings *s); /* sor, matrix, multigrid on one node */
bool target_job(const char *name, const settings *s);    /* sor, jacobi, multigrid on several */

#endif
