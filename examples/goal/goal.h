/* goal.h - programs recorded elsewhere: schedules in the language GOAL, and their replay
 *
 * A schedule has for each rank a graph of operations: send, receive, compute. goal_read() reads one; goal_loggops() replays
 * it in the LogGOPS model, as LogGOPSim does. docs/goal.md describes the language, the model and the program build/goal. */
#ifndef GOAL_H
#define GOAL_H

#include "simkit.h"
#include "util/simkit_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    GOAL_RANKS = 1 << 24, /* at most so many ranks */
    GOAL_OPS = 1 << 30,   /* at most so many operations */
    GOAL_WHY = 2000       /* bytes of an explanation */
};
#define GOAL_ANY UINT32_MAX    /* any sender, or any tag */
#define GOAL_NONE UINT32_MAX   /* no operation */
#define GOAL_LARGEST 9e15      /* of nanoseconds and bytes: doubles count so far exactly */
#define GOAL_START 0x80000000u /* a bit in `after`: it waits for the start, not for the end */

/* In the order in which operations that become ready together ask for the processor. */
typedef enum goal_kind { GOAL_SEND, GOAL_RECV, GOAL_CALC } goal_kind;

typedef struct goal_op {
    double size;      /* of a calc [ns]; of a message [B] */
    uint32_t rank;    /* whose it is */
    uint32_t peer;    /* receiver or sender; a receive: or GOAL_ANY */
    uint32_t tag;     /* of a message; a receive: or GOAL_ANY */
    uint32_t label;   /* its label begins at labels[label]; 0: it has none */
    uint32_t line;    /* of its file */
    uint32_t channel; /* what it sends on, or receives from; set by goal_finish() */
    unsigned char kind, cpu, nic;
} goal_op;

/* `op` begins when `on` has ended, or has begun. */
typedef struct goal_need {
    uint32_t op, on;
    uint32_t line, column;
    bool start;
} goal_need;

/* Sender, receiver and tag of messages, or what a receive with GOAL_ANY takes. */
typedef struct goal_channel {
    uint32_t from, to, tag;
} goal_channel;

typedef struct goal_schedule {
    simkit_memory memory;
    char name[100]; /* of its file */
    uint32_t ranks;
    goal_op *ops; /* ops[count]; after goal_finish() by rank, those of a rank in the order of the file */
    size_t count, op_room;
    goal_need *needs; /* needs[need_count]; only until goal_finish() */
    size_t need_count, need_room;
    char *labels; /* labels[label_bytes], each with a zero byte at its end */
    size_t label_bytes, label_room;
    /* The rest is made by goal_finish(). */
    uint32_t *first;
    uint32_t *after;  /* the operations that wait for operation i: after[first[i]] to after[first[i + 1] - 1], with
                         GOAL_START added where they wait only for its start */
    uint32_t *needed; /* how many operations each one waits for */
    goal_channel *channels; /* channels[channel_count] */
    uint32_t *table;        /* table[table_room]: a hash table of channels, counted from 1; 0: empty */
    size_t channel_count, channel_room, table_room;
    bool any; /* there is a receive with GOAL_ANY */
} goal_schedule;

/* Reads a schedule. After a failure *schedule is NULL; error->text is a sentence in any case, with line and column where there
 * is a place. Results: SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_NO_MEMORY. */
simkit_result goal_read(const simkit_input *input, goal_schedule **schedule, simkit_parse_error *error);

/* Time-independent traces: actions of MPI programs, with computations in flop. */
typedef struct goal_trace_desc {
    double rate; /* flop that a rank computes in a second [flop/s]; 0: unknown, and a trace that computes is refused */
} goal_trace_desc;

/* Reads a trace, or a list of traces, as goal_read() reads a schedule. Paths of a list begin in the folder of its path, or of
 * its name if it is a text. */
simkit_result goal_read_trace(const simkit_input *input, const goal_trace_desc *desc, goal_schedule **schedule,
                              simkit_parse_error *error);

/* What a file is, by its first words. SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY. */
typedef enum goal_form { GOAL_SCHEDULE, GOAL_TRACE, GOAL_LIST } goal_form;
simkit_result goal_form_of(const simkit_input *input, goal_form *form, simkit_parse_error *error);

/* Makes a schedule by calls: open it, add operations and needs, finish it. SIMKIT_NO_MEMORY and, for goal_finish(),
 * SIMKIT_BAD_FILE for a cycle. */
simkit_result goal_open(const simkit_memory *memory, const char *name, goal_schedule **schedule);
simkit_result goal_add(goal_schedule *s, const goal_op *op, uint32_t *number);
simkit_result goal_label(goal_schedule *s, const char *text, size_t length, uint32_t *label);
simkit_result goal_wait(goal_schedule *s, const goal_need *need);
simkit_result goal_finish(goal_schedule *s, simkit_parse_error *error);
void goal_close(goal_schedule *s);

/* The channel of these, from 0; GOAL_NONE if no operation names it. */
uint32_t goal_channel_of(const goal_schedule *s, uint32_t from, uint32_t to, uint32_t tag);
/* How an operation is called in sentences, such as "l3 (line 7): recv 8b from 0 tag 2". */
void goal_name(const goal_schedule *s, uint32_t op, char text[200]);
/* The text of an input; free it with goal_memory(). */
simkit_result goal_text(const simkit_input *input, char **text, size_t *length, size_t *room,
                        simkit_parse_error *error);
/* Like realloc(); an array grows to at least `needed` entries, twice as many as before. */
void *goal_memory(const simkit_memory *memory, void *block, size_t old_bytes, size_t new_bytes);
bool goal_grow(const simkit_memory *memory, void *array, size_t *room, size_t needed, size_t bytes);

/* Writes a schedule in the language GOAL: goal_read() gives the same one, except that calcs are rounded to whole nanoseconds, and
 * labels are l1, l2, ... in each rank. False if the file takes no more. */
bool goal_write(const goal_schedule *s, FILE *file);

/* Messages and receives that wait for each other. */
typedef struct goal_match {
    const goal_schedule *s;
    struct goal_lists *lists; /* of each channel */
    uint32_t *next, *order;   /* of each operation: the next one in its list; in which order receives were posted */
    uint32_t *ends, *links;   /* messages of all channels: the ends of each rank's list, the links of each message */
    uint32_t posted;
} goal_match;

bool goal_match_open(goal_match *m, const goal_schedule *s); /* false: no memory; close it in any case */
void goal_match_close(goal_match *m);
/* What meets a receive or the message of a send; GOAL_NONE: nothing so far, it waits. */
uint32_t goal_match_receive(goal_match *m, uint32_t receive);
uint32_t goal_match_message(goal_match *m, uint32_t message);

/* What a run that is over has left of an operation. */
typedef enum goal_fate {
    GOAL_FINE,       /* nothing to say */
    GOAL_UNBEGUN,    /* what it needs has never ended or begun */
    GOAL_UNSENT,     /* a receive: it waits for a message that nobody has sent */
    GOAL_UNRECEIVED, /* a send: its message is never received */
} goal_fate;
typedef goal_fate goal_fate_of(const void *run, uint32_t op);
/* A line for each that waits for ever, except for those that have not begun: that follows from the others. False if there is
 * nothing to say. */
bool goal_explain(const goal_schedule *s, goal_fate_of *fate, const void *run, char why[GOAL_WHY]);

/* The model: times in ns, sizes in bytes. A send takes its processor for o + (s - 1) O, and its network interface for
 * g + (s - 1) G; L + o after its beginning the message reaches the receiver, where it takes the processor for o + (s - 1)
 * max(O, G) and the interface for g + (s - 1) G. A send of more than S bytes ends when its message meets its receive. */
typedef struct goal_loggops_desc {
    double L, o, g, G, O, S;
} goal_loggops_desc;
#define GOAL_LOGGOPS                                                                                                   \
    {                                                                                                                  \
        2500, 1500, 1000, 6, 0, 65535                                                                                  \
    } /* those of LogGOPSim */

/* Tells what takes a processor: a calc, a send, or the receiving of the message of a send (`receiving`), and from when to
 * when [ns]. */
typedef void goal_teller(void *user, const goal_schedule *s, uint32_t op, bool receiving, double begin, double end);

/* A replay. `end` is end[s->ranks]: when each rank has ended [ns]. `tell` may be NULL. Results: SIMKIT_OK; SIMKIT_DEADLOCK,
 * also if a message is never received, and then `why` says what waits; SIMKIT_BAD_ARGUMENT; SIMKIT_NO_MEMORY. */
simkit_result goal_loggops(const goal_schedule *s, const goal_loggops_desc *desc, goal_teller *tell, void *user,
                           double *end, char why[GOAL_WHY]);

/* On a machine of simkit instead: the ranks are placed on its nodes, messages share its links, computations its cores. Of the
 * model, only o, O and S are left. */
typedef struct goal_machine_desc {
    const simkit_machine *machine;
    const char *place; /* as in simkit_machine_placement() */
    double o, O, S;
    const char *trace; /* a file for simkit_trace_open(); NULL: none */
} goal_machine_desc;
simkit_result goal_machine(const goal_schedule *s, const goal_machine_desc *desc, double *end, char why[GOAL_WHY]);

#endif
