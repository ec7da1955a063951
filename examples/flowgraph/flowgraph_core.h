/* flowgraph_core.h - shared by flowgraph.c, flowgraph_net.c and record.c; not for programs
 *
 * Each node has an instance: its threads, the frames opened there, and the merges that collect there. Instances
 * communicate only by messages. In a simulation all instances are in one process and messages are transfers of the
 * world; in real mode each process has one instance and messages are sent over TCP. flowgraph.c serves both.
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
/* A hash table from numbers to pointers, with open addressing. */
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
    FLOWGRAPH__REGISTER, /* to the opener of a frame: this is where it is merged */
    FLOWGRAPH__SEAL,     /* to the merge of a frame: its number of objects */
    FLOWGRAPH__ACK,      /* to the opener of a frame: the merge has taken an object */
    FLOWGRAPH__END,      /* to node 0: an object has reached an end of the graph */
    FLOWGRAPH__RESIZE,   /* a collection has another number of threads */
    FLOWGRAPH__MOVE,     /* to the node of a thread: move it to node `cookie` */
    FLOWGRAPH__STATE,    /* a thread that moves */
    FLOWGRAPH__WHERE,    /* a thread is at `from` */
    FLOWGRAPH__LEAVE,    /* node `cookie` gives up its threads */
    FLOWGRAPH__LEFT,     /* to node 0, if there is a host that wants to know: node `cookie` is free */
    FLOWGRAPH__JOIN,     /* to node 0: task `by` asks for node `cookie` */
    FLOWGRAPH__JOINED,   /* node `cookie` takes part; to the node that asked also `by` */
    /* real mode only */
    FLOWGRAPH__HELLO,   /* my number, and where I listen */
    FLOWGRAPH__WELCOME, /* where all others listen, and where all threads are */
    FLOWGRAPH__PING,    /* asks for the time */
    FLOWGRAPH__PONG,    /* the time */
    FLOWGRAPH__READY,   /* I am connected to all nodes */
    FLOWGRAPH__BEGIN,   /* a run begins */
    FLOWGRAPH__DONE,    /* done */
    FLOWGRAPH__FAIL,    /* the run has failed, with result and sentence */
    FLOWGRAPH__FINISH,  /* the run is complete: send your records */
    FLOWGRAPH__RECORDS, /* records */
    FLOWGRAPH__POLL,    /* asks whether anything is in progress */
    FLOWGRAPH__ANSWER,  /* messages sent and received, and the waiting operations */
    FLOWGRAPH__BYE      /* the graph is closed */
} flowgraph__kind;

/* The header of a message; frames, sizes of data, content and data follow. */
typedef struct flowgraph__header {
    uint8_t kind, depth;
    uint16_t data;      /* pieces of it */
    uint32_t operation; /* operation that takes it, or a collection; from 0 */
    uint32_t thread;    /* of the collection */
    uint32_t content;   /* [B] */
    uint64_t cookie;    /* a frame, or by kind */
    uint64_t id, by;    /* its own number, and that of the activation that posted it, for records */
    double posted;      /* [s] */
    uint32_t adds;      /* objects put into the same frame on the way here */
    uint16_t from, to;  /* nodes */
    uint64_t total;     /* bytes that follow */
} flowgraph__header;

/* What a message is on its way as, in a simulation. */
typedef enum flowgraph__way {
    FLOWGRAPH__NO_WAY,
    FLOWGRAPH__TRANSFER,
    FLOWGRAPH__COMPUTATION,
    FLOWGRAPH__STEP
} flowgraph__way;

typedef struct flowgraph__message {
    struct flowgraph__message *before, *after; /* ring of all messages, so that closing frees them */
    struct flowgraph__message *next;           /* in a queue */
    flowgraph *graph;
    flowgraph_task *task; /* of WAKE */
    double arrived;       /* [s] */
    uint64_t handle;      /* of what it is on its way as */
    flowgraph__way way;
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
/* An activation: a task between getting its execution thread and giving it up. */
typedef struct flowgraph__activation {
    uint64_t id, cause; /* `cause`: the message that it waited for */
    double begin, end;  /* from the beginning of the run [s] */
    double work;        /* CPU time [s]: simulated at speed 1, in real mode of this machine */
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

/* A computation of a background user. */
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

/* Capacity for one more item: it doubles when the count is a power of two. */
bool flowgraph__grow(void *array, size_t count, size_t bytes);

/* Functions to call when the graph is closed. */
typedef struct flowgraph__belonging {
    void (*release)(void *user);
    void *user;
} flowgraph__belonging;

/*=============================================================================
 * MARK: - >>parts
 *===========================================================================*/
/* A frame at its opener: the objects posted by one execution of a split or stream. */
typedef struct flowgraph__frame {
    uint64_t id;
    flowgraph_task *task;          /* that execution; NULL: it has ended */
    uint64_t posted, taken;        /* `taken`: reported by the merge, if there is a window */
    uint32_t adds;                 /* objects added to the outer frame */
    uint32_t operation;            /* that opened it */
    bool sealed;                   /* its number of objects is final */
    bool told;                     /* the merge knows the number of objects */
    uint32_t merger, thread, node; /* where it is merged; `node` NOWHERE: not known yet */
} flowgraph__frame;

/* A frame at its merge. */
typedef struct flowgraph__gather {
    uint64_t id;
    flowgraph_task *task; /* the task that collects it; NULL: none yet */
    uint32_t operation, thread;
    uint64_t taken, count;                                                      /* `count`: posted by the opener */
    uint32_t taken_of[FLOWGRAPH__GENERATIONS], adds_of[FLOWGRAPH__GENERATIONS]; /* as reported by the objects taken */
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
    uint32_t node; /* its node, as far as this node knows */
    uint32_t move_to;
    flowgraph__executor *executor; /* NULL: not here */
    size_t tasks;                  /* operations in progress on it */
    uint32_t moves;                /* how often it has moved */
    flowgraph__map kept;           /* key to data */
    char name[48];
} flowgraph__thread;

/* An execution thread: it runs one operation at a time. */
struct flowgraph__executor {
    flowgraph__instance *instance;
    flowgraph__executor *next;
    uint32_t execution, number;
    flowgraph__message *head, *tail; /* queue of messages for its threads */
    flowgraph_task *task;            /* NULL: free */
    size_t threads;                  /* threads that it serves */
    /* real mode only */
    simkit_world *world; /* its operations are processes of this world, because they can wait */
    simkit_node node;
    pthread_t thread;
    pthread_cond_t work;
    bool started, ended;
};

/* One execution of an operation. */
struct flowgraph_task {
    flowgraph_task *before, *after; /* ring of all tasks */
    flowgraph *graph;
    flowgraph__instance *instance;
    flowgraph__executor *executor;
    flowgraph__thread *thread;
    flowgraph__message *object;       /* current object; NULL: none */
    flowgraph__message *first, *last; /* arrived while it waited for its window */
    flowgraph__gather *gather;        /* what it collects */
    flowgraph__frame *opened;         /* what it fills */
    uint32_t operation;
    uint32_t adds; /* added to the outer frame and not reported yet */
    uint32_t outer_depth;
    uint64_t results; /* objects posted, outer edges excluded */
    uint64_t id;
    double charged; /* [s], in the current step */
    double clock;   /* direct: CPU time at the end of the last call */
    simkit_process process;
    bool waits;        /* for its next object */
    bool blocked;      /* for its window, or a node */
    bool woken;        /* is queued to be resumed */
    uint32_t joining;  /* the node that it waits for; NOWHERE: none */
    bool held;         /* by the host, until flowgraph_continue() */
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
    int depth;       /* depth of the frames of its objects; -1: unreachable */
    uint32_t merger; /* of what it opens */
} flowgraph__operation;

struct flowgraph__instance {
    flowgraph *graph;
    uint32_t number;
    simkit_node node;
    bool active, leaving;
    bool known;                             /* it has taken part */
    bool *taking_part;                      /* taking_part[nodes], as far as this node knows */
    uint32_t **where;                       /* where[collections][threads] */
    uint32_t **moves;                       /* moves[collections][threads]: how often each had moved then */
    uint32_t *count;                        /* count[collections] */
    uint32_t *resized;                      /* resized[collections]: set by this node; 0: not set here */
    flowgraph__message *early, *early_last; /* messages for threads that will arrive here */
    flowgraph__message *come, *come_last;   /* simulated: messages that have arrived, until they are received */
    bool receiving;                         /* one of them is; as in real mode, one thread receives all */
    size_t hosted;                          /* threads that are here */
    flowgraph__map frames, gathers;
    flowgraph__executor *executors;
    uint32_t executor_count;
    uint64_t serial; /* of frames, messages and activations */
};

/* CPU time of a message [s] over its bytes: one line for small messages, another from `large` bytes on. */
typedef struct flowgraph__cost {
    netmodel_link small, big;
    double large; /* [B]; INFINITY: there is no other line */
} flowgraph__cost;

struct flowgraph {
    flowgraph_mode mode;
    size_t node_count, at_first;
    bool record;
    double speed;   /* of a node */
    unsigned cores; /* likewise */
    bool paced;
    simkit_world *world;
    bool own_world;
    bool users;                  /* the nodes have background users */
    const char *link_loads;      /* the file for the load of links; NULL: none */
    simkit_loadmap *loadmap;     /* what goes into it */
    flowgraph__cost send, receive; /* CPU time of a message at both ends */
    double post_seconds;           /* CPU time of a post, whatever becomes of it [s] */
    double spacing, repeated;      /* gap [s] after a message from which on the next one takes its full fixed time; part
                                      of that time [1] that a message takes right after another */
    double *handled;               /* simulated: handled[node_count], when a node last had to do with a message [s] */
    double join_seconds;
    flowgraph_policy *policies;
    size_t policy_count;
    bool data; /* is allocated */
    double (*processor_time)(void *user);
    void *processor_time_user;
    char **arguments;
    char *launch, *address;
    const uint32_t *places;
    flowgraph_host host;
    simkit_step reports; /* to the host, that the run has ended */
    double patience;     /* [s] */

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
    uint64_t expected, ended;                 /* at node 0: objects that must reach an end, and those that have */
    flowgraph__message *starts, *starts_last; /* real: to be sent when the run begins */
    double began;                             /* this run [s] */
    double finished;                          /* when it was complete [s] */
    double *processor_times;                  /* processor_times[node_count] [s]; real: of node 0 */
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
/* A simulation has one thread. */
static inline void flowgraph__lock(flowgraph *g)
{
    if (g->mode == FLOWGRAPH_REAL) pthread_mutex_lock(&g->lock);
}

static inline void flowgraph__unlock(flowgraph *g)
{
    if (g->mode == FLOWGRAPH_REAL) pthread_mutex_unlock(&g->lock);
}

/* Which number stands for a node outside: in launch commands and addresses. */
static inline uint32_t flowgraph__outside(const flowgraph *g, uint32_t node)
{
    return g->places ? g->places[node] : node;
}

double flowgraph__time(const flowgraph *g); /* from the beginning of the run [s] */
flowgraph_result flowgraph__fail(flowgraph *g, flowgraph_result result, const char *format, ...);
flowgraph_result flowgraph__end(flowgraph *g,
                                flowgraph_result result); /* a failure: the first counts, and ends the run */
flowgraph_result flowgraph__no_memory(flowgraph *g);
/* A report that a thread is on node `where` after `moves` moves. The report with most moves counts, so a node that
 * leaves and rejoins before its threads have moved is not confused by older reports. */
void flowgraph__heard(flowgraph__instance *instance, uint32_t collection, uint32_t thread, uint32_t where,
                      uint32_t moves);
void flowgraph__deliver(flowgraph__instance *instance, flowgraph__message *message); /* it has arrived */
flowgraph_result flowgraph__ship(flowgraph__message *message);                       /* to `to`; takes the message */
void flowgraph__waiting(const flowgraph *g, char *text, size_t room);                /* the operations that wait here */
bool flowgraph__note(flowgraph *g, uint32_t kind, uint32_t node, uint64_t number);   /* an event, at this instant */
uint64_t flowgraph__next_id(flowgraph__instance *instance);

/* The next task of an executor, to be started or resumed; NULL: none. */
flowgraph_task *flowgraph__take(flowgraph__executor *executor, bool *fresh);
/* Starts or resumes the process of a task that has its execution thread. */
simkit_result flowgraph__go_on(flowgraph_task *task, bool fresh, simkit_world *world, simkit_node node);

/* flowgraph_net.c */
flowgraph_result flowgraph__net_open(flowgraph *g);
bool flowgraph__net_close(flowgraph *g);         /* false: an operation has not returned and uses the graph */
void flowgraph__net_begin(flowgraph *g);         /* tells all others that a run begins now */
void flowgraph__depths(flowgraph *g);            /* depths of frames for all possible entries */
flowgraph_result flowgraph__place(flowgraph *g); /* creates the threads of this node */
void flowgraph__net_send(flowgraph *g, flowgraph__message *message);
void flowgraph__net_failed(flowgraph *g);   /* tells all others */
void flowgraph__net_finished(flowgraph *g); /* wakes the caller of flowgraph_run() */
void flowgraph__net_idle(flowgraph *g);     /* an operation has ended, perhaps the last */
flowgraph_result flowgraph__net_wait(flowgraph *g);
void flowgraph__net_deliver(flowgraph *g, flowgraph__message *message); /* one of those of real mode only */
flowgraph_result flowgraph__executor_open(flowgraph__executor *executor);

#endif
