/* flowgraph_core.h - what flowgraph.c, flowgraph_net.c and record.c share; nothing for users
 *
 * Each node has an instance: the threads that are there, the frames that were opened there, the merges that collect
 * there. Instances talk by messages alone. Simulated, all of them are in one process and messages are transfers of the
 * world; in real mode a process has one, and messages are bytes on TCP. What stands in flowgraph.c is the same in both.
 */
#ifndef FLOWGRAPH_CORE_H
#define FLOWGRAPH_CORE_H

#include "flowgraph.h"

#include <pthread.h>

#define FLOWGRAPH__NOWHERE UINT32_MAX
#define FLOWGRAPH__GENERATIONS 16
#define FLOWGRAPH__SPARE_SIZES 4

typedef struct flowgraph__instance flowgraph__instance;
typedef struct flowgraph__executor flowgraph__executor;
typedef struct flowgraph__net flowgraph__net;

/*=============================================================================
 * MARK: - >>maps
 *===========================================================================*/
/* Numbers to pointers, by open addressing. */
typedef struct flowgraph__map {
    uint64_t *keys;
    void **values; /* NULL: free */
    size_t room, count;
} flowgraph__map;

void *flowgraph__map_get(const flowgraph__map *map, uint64_t key);
bool flowgraph__map_put(flowgraph__map *map, uint64_t key, void *value);
void *flowgraph__map_take(flowgraph__map *map, uint64_t key);
void flowgraph__map_free(flowgraph__map *map);

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
typedef enum flowgraph__kind {
    FLOWGRAPH__OBJECT,   /* a data object for a thread */
    FLOWGRAPH__WAKE,     /* in a queue only: its task can go on */
    FLOWGRAPH__REGISTER, /* to where a frame was opened: here it is merged */
    FLOWGRAPH__SEAL,     /* to where it is merged: so many objects are in it */
    FLOWGRAPH__ACK,      /* to where it was opened: its merge has taken one */
    FLOWGRAPH__END,      /* to node 0: an object has arrived at an end */
    FLOWGRAPH__RESIZE,   /* a collection has another number of threads */
    FLOWGRAPH__MOVE,     /* to where a thread is: it goes to node `cookie` */
    FLOWGRAPH__STATE,    /* a thread: here it is from now on */
    FLOWGRAPH__WHERE,    /* a thread is at `from` */
    FLOWGRAPH__LEAVE,    /* node `cookie` gives up its threads */
    FLOWGRAPH__JOIN,     /* to node 0: node `cookie` is wanted by task `by` */
    FLOWGRAPH__JOINED,   /* node `cookie` takes part; to the one who asked also `by` */
    /* real mode only */
    FLOWGRAPH__HELLO,   /* who I am, and where I listen */
    FLOWGRAPH__WELCOME, /* where all others listen, and where all threads are */
    FLOWGRAPH__PING,    /* what is the time? */
    FLOWGRAPH__PONG,    /* it is so late */
    FLOWGRAPH__READY,   /* I have all connections */
    FLOWGRAPH__BEGIN,   /* a run begins: forget the last */
    FLOWGRAPH__DONE,    /* done */
    FLOWGRAPH__FAIL,    /* the run has failed: result and sentence */
    FLOWGRAPH__FINISH,  /* the run is complete: tell what happened */
    FLOWGRAPH__RECORDS, /* what happened */
    FLOWGRAPH__POLL,    /* is something under way? */
    FLOWGRAPH__ANSWER,  /* sent, received, and what waits */
    FLOWGRAPH__BYE      /* that was all */
} flowgraph__kind;

/* What goes over the network before the frames, the sizes of the data, the content and the data itself. */
typedef struct flowgraph__header {
    uint8_t kind, depth;
    uint16_t data;      /* pieces of it */
    uint32_t operation; /* who takes it; or a collection; from 0 */
    uint32_t thread;    /* of the collection */
    uint32_t content;   /* [B] */
    uint64_t cookie;    /* a frame, or what the kind says */
    uint64_t id, by;    /* of itself, and of the activation that posted it, for records */
    double posted;      /* [s] */
    uint32_t adds;      /* objects put into the same frame on the way here */
    uint16_t from, to;  /* nodes */
    uint64_t total;     /* bytes that follow */
} flowgraph__header;

typedef struct flowgraph__message {
    struct flowgraph__message *before, *after; /* all that there are, so that closing finds them */
    struct flowgraph__message *next;           /* in a queue */
    flowgraph *graph;
    flowgraph_task *task; /* WAKE: which */
    double arrived;       /* [s] */
    flowgraph__header header;
    uint64_t trail[]; /* frames from the outermost, then data, then content */
} flowgraph__message;

struct flowgraph_data {
    struct flowgraph_data *before, *after; /* all of the graph */
    flowgraph *graph;
    size_t references, size;
    void *bytes; /* behind it, or NULL */
};

flowgraph__message *flowgraph__message_new(flowgraph *g, flowgraph__kind kind, size_t depth, size_t data,
                                           size_t content);
void flowgraph__message_free(flowgraph__message *message);

static inline uint64_t *flowgraph__frames(flowgraph__message *message)
{
    return message->trail;
}

static inline flowgraph_data **flowgraph__data(flowgraph__message *message)
{
    return (flowgraph_data **)(void *)(message->trail + message->header.depth);
}

static inline void *flowgraph__content(flowgraph__message *message)
{
    return message->trail + message->header.depth + message->header.data;
}

flowgraph_data *flowgraph__data_make(flowgraph *g, size_t size, bool bytes);

/* Bytes on the network. */
size_t flowgraph__wire(flowgraph__message *message);

/*=============================================================================
 * MARK: - >>records
 *===========================================================================*/
/* What an operation did between getting an execution thread and giving it up. */
typedef struct flowgraph__activation {
    uint64_t id, cause; /* `cause`: the message that it had waited for */
    double begin, end;  /* from the beginning of the run [s] */
    double work;        /* processor time [s], of here in real mode, at speed 1 else */
    uint32_t node, executor, operation, thread;
    double ready; /* when its cause had arrived [s] */
} flowgraph__activation;

/* A message that went from one activation to another. */
typedef struct flowgraph__passage {
    uint64_t id, by;
    double posted, arrived;
    double bytes;
    uint32_t from, to, operation, kind;
} flowgraph__passage;

/* A mark, or a node that joined or left. */
typedef struct flowgraph__event {
    uint64_t number;
    double time;
    uint32_t node, kind; /* 0: mark, 1: takes part, 2: is free */
} flowgraph__event;

/* What a user of a node computed. */
typedef struct flowgraph__guest {
    double begin, end; /* from the beginning of the run [s] */
    uint64_t number;   /* as for watchers */
    uint32_t node;
    bool open; /* has not ended */
    char name[32];
} flowgraph__guest;

typedef struct flowgraph__records {
    flowgraph__activation *activations;
    flowgraph__passage *passages;
    flowgraph__event *events;
    flowgraph__guest *guests;
    size_t activation_count, passage_count, event_count, guest_count;
} flowgraph__records;

/* Room for one more; an index doubles its room when its count is a power of two. */
bool flowgraph__grow(void *array, size_t count, size_t bytes);

/* What is given back when the graph closes. */
typedef struct flowgraph__belonging {
    void (*release)(void *user);
    void *user;
} flowgraph__belonging;

/*=============================================================================
 * MARK: - >>parts
 *===========================================================================*/
/* What one execution of a split or stream posts, where it was opened. */
typedef struct flowgraph__frame {
    uint64_t id;
    flowgraph_task *task;          /* that execution; NULL: has ended */
    uint64_t posted, taken;        /* `taken`: as the merge has told, if there is a window */
    uint32_t adds;                 /* put into the outer frame meanwhile */
    uint32_t operation;            /* who opened it */
    bool sealed;                   /* no more will come */
    bool told;                     /* the merge knows how many */
    uint32_t merger, thread, node; /* where it is merged; `node` NOWHERE: not known yet */
} flowgraph__frame;

/* A frame, where it is merged. */
typedef struct flowgraph__gather {
    uint64_t id;
    flowgraph_task *task; /* that collects it; NULL: not yet */
    uint32_t operation, thread;
    uint64_t taken, count;                                                      /* `count`: posted by who opened it */
    uint32_t taken_of[FLOWGRAPH__GENERATIONS], adds_of[FLOWGRAPH__GENERATIONS]; /* as told by those taken */
    uint32_t outer_adds;                                                        /* for the outer frame, from the seal */
    bool sealed;
} flowgraph__gather;

/* A frame that a moving thread collects, before its merge has begun. */
typedef struct flowgraph__packed {
    uint64_t id, count;
    uint32_t operation, outer_adds, sealed, unused;
} flowgraph__packed;

typedef struct flowgraph__thread {
    flowgraph *graph;
    uint32_t collection, number;
    uint32_t node; /* where it is, as far as is known here */
    uint32_t move_to;
    flowgraph__executor *executor; /* NULL: not here */
    size_t tasks;                  /* operations under way on it */
    uint32_t moves;                /* how often it has moved */
    flowgraph__map kept;           /* key to data */
    char name[48];
} flowgraph__thread;

/* An execution thread: runs one operation at a time. */
struct flowgraph__executor {
    flowgraph__instance *instance;
    flowgraph__executor *next;
    uint32_t execution, number;
    flowgraph__message *head, *tail; /* what its threads have to do */
    flowgraph_task *task;            /* NULL: free */
    size_t threads;                  /* that it serves */
    /* real mode only */
    simkit_world *world; /* operations are processes in it: functions that can wait */
    simkit_node node;
    pthread_t thread;
    pthread_cond_t work;
    bool started, ended;
};

/* One execution of an operation. */
struct flowgraph_task {
    flowgraph_task *before, *after; /* all that there are */
    flowgraph *graph;
    flowgraph__instance *instance;
    flowgraph__executor *executor;
    flowgraph__thread *thread;
    flowgraph__message *object;       /* in its hands; NULL: none */
    flowgraph__message *first, *last; /* came while it waited for its window */
    flowgraph__gather *gather;        /* what it collects */
    flowgraph__frame *opened;         /* what it fills */
    uint32_t operation;
    uint32_t adds; /* put into the outer frame, and not told yet */
    uint32_t outer_depth;
    uint64_t results; /* posted, but for outer edges */
    uint64_t id;
    double charged; /* [s], in the current step */
    double clock;   /* direct: processor time at the end of the last call */
    simkit_process process;
    bool waits;        /* for its next object */
    bool blocked;      /* for its window, or a node */
    bool woken;        /* stands in a queue to go on */
    uint32_t joining;  /* the node that it waits for; NOWHERE: none */
    size_t activation; /* of the records, + 1 */
    double begin, ready, work;
    uint64_t cause;
    uint64_t frames[]; /* outer frames */
};

typedef struct flowgraph__type {
    char name[32];
    size_t size;
} flowgraph__type;

typedef struct flowgraph__collection {
    char name[32];
    uint32_t execution;
    size_t count;
    flowgraph__thread *threads;
} flowgraph__collection;

typedef struct flowgraph__kernel {
    char name[32];
    flowgraph_kernel_desc desc;
    simkit_operation operation;
} flowgraph__kernel;

typedef struct flowgraph__operation {
    flowgraph_operation_desc desc;
    char name[32];
    uint32_t edges;  /* which leave it */
    int depth;       /* how many frames its objects are in; -1: nothing leads here */
    uint32_t merger; /* of what it opens */
} flowgraph__operation;

struct flowgraph__instance {
    flowgraph *graph;
    uint32_t number;
    simkit_node node;
    bool active, leaving;
    bool *taking_part;                      /* taking_part[nodes], as far as is known here */
    uint32_t **where;                       /* where[collections][threads] */
    uint32_t **moves;                       /* moves[collections][threads]: how often each had moved then */
    uint32_t *count;                        /* count[collections] */
    uint32_t *resized;                      /* resized[collections]: as said here; 0: not said here */
    flowgraph__message *early, *early_last; /* for threads that are on their way here */
    size_t hosted;                          /* threads that are here */
    flowgraph__map frames, gathers;
    flowgraph__executor *executors;
    uint32_t executor_count;
    uint64_t serial; /* of frames, messages and activations */
};

struct flowgraph {
    flowgraph_mode mode;
    size_t node_count, at_first;
    bool record;
    double speed;   /* of a node */
    unsigned cores; /* likewise */
    bool paced;
    simkit_world *world;
    bool own_world;
    bool users;         /* others use the nodes, in the background */
    netmodel_link send, receive; /* processor time of a message [s], [s/B] */
    double join_seconds;
    flowgraph_policy *policies;
    size_t policy_count;
    bool data; /* is allocated */
    double (*processor_time)(void *user);
    void *processor_time_user;
    char **arguments;
    char *launch, *address;
    double patience; /* [s] */

    flowgraph__type *types;
    flowgraph__collection *collections;
    flowgraph__kernel *kernels;
    flowgraph__operation *operations;
    flowgraph_edge_desc *edges;
    uint32_t type_count, collection_count, kernel_count, operation_count, edge_count;

    flowgraph__instance *instances;           /* instances[node_count] */
    uint32_t me;                              /* real: which node this process is */
    flowgraph__message ring;                  /* all messages */
    flowgraph_task tasks;                     /* all tasks */
    uint64_t expected, ended;                 /* at node 0: objects that must arrive at an end, and have */
    flowgraph__message *starts, *starts_last; /* real: to be sent when the run begins */
    double began;                             /* this run [s] */
    double finished;                          /* it was complete [s] */
    double *processor_times;                  /* real, node 0: processor_times[node_count] [s] */
    flowgraph__records records;
    flowgraph_result result; /* the first failure */
    bool started;            /* nothing can be added any more */
    bool complete;           /* of the run */
    flowgraph__net *net;
    pthread_mutex_t lock, data_lock;
    flowgraph_data data_ring;
    flowgraph_data *spare[FLOWGRAPH__SPARE_SIZES]; /* by `after`, each list of one size */
    size_t spare_bytes;
    flowgraph__belonging *belongings;
    size_t belonging_count;
    char why[640];
};

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/
/* Simulated, there is nobody to lock out. */
static inline void flowgraph__lock(flowgraph *g)
{
    if (g->mode == FLOWGRAPH_REAL) pthread_mutex_lock(&g->lock);
}

static inline void flowgraph__unlock(flowgraph *g)
{
    if (g->mode == FLOWGRAPH_REAL) pthread_mutex_unlock(&g->lock);
}

double flowgraph__time(const flowgraph *g); /* from the beginning of the run [s] */
flowgraph_result flowgraph__fail(flowgraph *g, flowgraph_result result, const char *format, ...);
flowgraph_result flowgraph__end(flowgraph *g,
                                flowgraph_result result); /* a failure: the first counts, and ends the run */
flowgraph_result flowgraph__no_memory(flowgraph *g);
/* A thread was said to be on node `where` after `moves` moves; the latest counts, so that a node which leaves and is
 * taken back before it has given up its threads does not believe what others knew before. */
void flowgraph__heard(flowgraph__instance *instance, uint32_t collection, uint32_t thread, uint32_t where,
                      uint32_t moves);
void flowgraph__deliver(flowgraph__instance *instance, flowgraph__message *message); /* it has arrived */
flowgraph_result flowgraph__ship(flowgraph__message *message);                       /* to `to`; takes the message */
void flowgraph__waiting(const flowgraph *g, char *text, size_t room);                /* the operations that wait here */
bool flowgraph__note(flowgraph *g, uint32_t kind, uint32_t node, uint64_t number);   /* an event, at this instant */
uint64_t flowgraph__next_id(flowgraph__instance *instance);

/* What an executor does next: the task to begin or go on with; NULL: nothing. */
flowgraph_task *flowgraph__take(flowgraph__executor *executor, bool *fresh);
/* Begins or goes on with a task that has its execution thread: its process runs as soon as the world does. */
simkit_result flowgraph__go_on(flowgraph_task *task, bool fresh, simkit_world *world, simkit_node node);

/* flowgraph_net.c */
flowgraph_result flowgraph__net_open(flowgraph *g);
bool flowgraph__net_close(flowgraph *g);         /* false: an operation still computes, and needs the graph */
void flowgraph__net_begin(flowgraph *g);         /* tells all others that a run begins now */
void flowgraph__depths(flowgraph *g);            /* how many frames objects are in, wherever they may enter */
flowgraph_result flowgraph__place(flowgraph *g); /* all threads that belong here, when it is known who this is */
void flowgraph__net_send(flowgraph *g, flowgraph__message *message);
void flowgraph__net_failed(flowgraph *g);   /* tells all others */
void flowgraph__net_finished(flowgraph *g); /* wakes the one who waits for the run */
void flowgraph__net_idle(flowgraph *g);     /* an operation has ended, perhaps the last */
flowgraph_result flowgraph__net_wait(flowgraph *g);
void flowgraph__net_deliver(flowgraph *g, flowgraph__message *message); /* one of those of real mode only */
flowgraph_result flowgraph__executor_open(flowgraph__executor *executor);

#endif
