/* hosts.h - the machine of a run: its hosts, the ways between them, and what a message takes there (hosts.c). Private to
 * examples/messages. */
#ifndef MESSAGES_HOSTS_H
#define MESSAGES_HOSTS_H

#include "simkit.h"
#include "../direct/direct.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGES_MOST_TASKS = 65536 };

typedef struct messages_connection messages_connection;

/* To which cores of their hosts ranks are bound: all, those of a socket, or as many as a rank has threads. */
typedef enum messages_bind_to { MESSAGES_BIND_NONE, MESSAGES_BIND_SOCKET, MESSAGES_BIND_CORE } messages_bind_to;

/* Of a host, for ranks that are bound: those on one core, or on some, which are known by the first of them. */
typedef struct messages_core {
    simkit_node node; /* 0: not needed so far */
    uint32_t ranks;
} messages_core;

typedef struct messages_host {
    char name[32], type[32];
    bool only_asked; /* used only if requested by name or type */
    double factor;   /* computation time is multiplied by it: 1 / speed */
    double initialise, spawn;
    netmodel_message delays, self;
    direct_disk disk;
    netmodel_delay watch; /* CPU time of a task that waits for bytes, while they arrive */
    double wake;          /* time in which it is woken, without CPU time */
    double watch_busy;    /* the same, fixed, while its computer computes: it need not be woken then; < 0: as else */
    double send_more, receive_more; /* fixed CPU time of a message that finds others waiting; < 0: as for others */
    netmodel_delay copy;      /* of a message within the host: until another rank sees it, and copying its bytes */
    unsigned said, self_said; /* bits: pack, send, transmit, receive, copy */
    uint32_t tasks;           /* number of tasks that have been placed on it */
    simkit_node_desc desc;    /* of speed 1, whose seconds are those of its users */
    size_t place;             /* its index among the copies of the first host */
    int32_t computer;         /* the first host of its computer, which they share; itself if it has its own */
    double busy_until;        /* of that first one: when its computer will have done what has begun there [s] */
    simkit_node node;
    uint32_t sockets;     /* on which its cores are; 0: one */
    double core_quota;    /* CPU time of each core in each period [s]; 0: not rationed */
    messages_core *parts; /* parts[desc.cores], for ranks that are bound; NULL: none of them is */
    uint32_t queued;      /* number of messages whose last bytes are in the queue of its link */
    uint32_t receiving;   /* number of messages that come from other hosts; known only with acknowledgements */
    messages_connection *first_waiting, *last_waiting; /* wait until that queue is empty */
} messages_host;

typedef struct messages_pair {
    int32_t from, to;
    netmodel_message delays;
    unsigned said;    /* bits: pack, send, transmit, receive */
    double latency;   /* [s]; < 0: that of the network */
    double bandwidth; /* [B/s]; 0: that of the links */
} messages_pair;

typedef struct messages_cluster {
    char name[96];
    messages_host *hosts; /* hosts[count] */
    size_t count, room;
    uint32_t *by_name; /* by_name[2 * room]: hash table from names to numbers + 1; 0: free */
    messages_pair *pairs;
    size_t pair_count;
    bool unlimited;         /* the first host is copied as often as needed */
    double eager;           /* eager limit [B]; < 0: all messages are eager */
    double look, look_more; /* CPU time of a poll that finds nothing; what each task adds to it that was sent to */
    bool busy_counts;       /* some host has a `watch_busy`, so that it must be known when computers compute */
    bool progress_in_calls; /* a task handles messages only while it is in a call */
    double latency;         /* of the whole path between two hosts [s], without that of links on routes */
    simkit_sharing sharing; /* how messages share links */
    double early;           /* bytes sent with the request of a rendezvous */
    double buffer;          /* bytes of a message that may be in transit when its send completes */
    double ahead;           /* bytes of a large message that answers to its receiver wait for */
    double queue;           /* bytes that wait at the link of a host, in the order in which they came */
    double header,
        header_more; /* bytes on the links with each packet of messages; with each message that joins others in one */
    double acknowledge;                         /* bytes on the link of a receiver for each full packet */
    double spacing, repeated, repeated_receive; /* computing after a message from which on the next one takes its full
                                                   fixed time [s], and the part of it that it takes without, when sent
                                                   and when received; 0, 1, 1: always full */
    char users[1024];                           /* users file; empty: none */
    simkit_population *population;              /* background users; NULL: none */
    bool loads;                                 /* hosts record their load */
    simkit_machine *machine;                    /* the machine file; its links have no latency, which is in the next */
    double *link_latencies;                     /* link_latencies[machine->link_count] */
    size_t *channels;                           /* scratch for a route of the topology, channels[channel_count] */
    size_t channel_count;
    size_t *placed; /* placed[placed_count]: the host of each task, as SIMKIT_PLACE says; NULL: by cores */
    size_t placed_count;
    size_t places;                  /* number of copies of the first host that exist, or might */
    simkit_node between;            /* stands for the switch; 0: not needed so far */
    netmodel_link copy;             /* of this machine, measured; */
    bool measures_copy, has_copy;   /* it is to be measured when two tasks share a host; it has been */
    double memory_rate;             /* bytes that a task moves to and from memory in a second of its CPU time [B/s] */
    size_t threads;                 /* cores that each task takes where rules place it */
    messages_bind_to bind;          /* the cores on which it computes */
    bool only_places;               /* nothing runs, it is only asked where ranks would be */
    size_t room_by_cores;           /* number of tasks that all hosts take by cores; 0: not added up yet */
    size_t filling, before_filling; /* the host of the last task by cores; how many those before it take */
} messages_cluster;

/* Reasons for which a message takes less CPU time. */
typedef struct messages_haste {
    bool follows;    /* other messages are there as well, so that it takes no look of its own */
    double computed; /* by its task since the message before [s] */
} messages_haste;

/* CPU time, and the bytes that are moved to and from memory in it. */
typedef struct messages_work {
    double seconds, bytes;
} messages_work;

/* The way between two hosts. */
typedef struct messages_way {
    double latency;   /* [s] */
    double bandwidth; /* of the slowest link, or of the window of a connection [B/s]; 0: none is slow */
    double limit;     /* of that window [B/s]; 0: no limit */
    bool shared;      /* with other messages */
    bool switched;    /* by a switch alone, which joins the links of the two hosts */
} messages_way;

const char *messages_cluster_load(const char *path, unsigned draw, messages_cluster *cluster); /* NULL, or the error */
const char *messages_host_change(messages_cluster *cluster, const char *host, const char *key, const char *value);
void messages_network_open(messages_cluster *cluster,
                           simkit_world *world); /* adds the links of the file, and its routes */
void messages_world_describe(const messages_cluster *cluster, netmodel_topology *space, simkit_world_desc *desc);
const char *messages_cluster_place(messages_cluster *cluster, const char *how); /* NULL, or the error */
messages_way messages_way_between(const messages_cluster *cluster, int32_t from, int32_t to);
int32_t messages_host_find(const messages_cluster *cluster, const char *name); /* -1: unknown */
/* Notes what has no effect, and that `costless` messages within a host took no time. */
void messages_cluster_note(const messages_cluster *cluster, uint64_t costless);
void messages_host_joined(messages_cluster *cluster, int32_t host); /* a task has been placed on it */
bool messages_host_is_free(const messages_cluster *cluster,
                           int32_t host); /* messages within it take no time, and nobody said so */
int32_t messages_host_open(messages_cluster *cluster, simkit_world *world,
                           int32_t host);                                         /* adds its node to the world */
simkit_node messages_switch_node(messages_cluster *cluster, simkit_world *world); /* with links that nothing limits */
void messages_hosts_open(messages_cluster *cluster, simkit_world *world); /* adds the nodes of all hosts in the file */
void messages_hosts_keep(messages_cluster *cluster, simkit_world *world); /* starts recording their load */
double messages_host_load(const messages_host *host, simkit_world *world, double beta,
                          double interval); /* its load average, as simkit_load_average() has it */
/* The cores that a rank on this host may use. */
uint32_t messages_bound_cores(const messages_cluster *cluster, int32_t host);
int32_t messages_host_for(messages_cluster *cluster, simkit_world *world,
                          size_t task); /* by cores, round-robin, or as placed */
double messages_pack_delay(const messages_cluster *cluster, int32_t host, double bytes);
messages_work messages_send_work(const messages_cluster *cluster, int32_t from, int32_t to, double bytes,
                                 const messages_haste *haste);
/* Of a task that has waited for so long, and what it takes to wake it. */
double messages_watch_delay(const messages_cluster *cluster, int32_t host, double bytes, double waited, double now,
                            double *wake);
void messages_host_busy(messages_cluster *cluster, int32_t host, double now, double seconds); /* begins to compute */
messages_work messages_receive_work(const messages_cluster *cluster, int32_t from, int32_t to, double bytes,
                                    const messages_haste *haste);
void messages_transmission(const messages_cluster *cluster, int32_t from, int32_t to, double bytes, double header,
                           double *latency,
                           double *whole); /* the latency of an empty message, and the whole time of this one */

netmodel_link messages_copy_measured(void); /* memory.c: of this machine */

#endif
