/* notes.h - what is told of a run: mistakes that do not end it, the lines of calls, traces and reports (mistakes.c, where.c,
 * record.c). Private to examples/messages. */
#ifndef MESSAGES_NOTES_H
#define MESSAGES_NOTES_H

#include "task.h"

typedef struct messages_note messages_note;
typedef struct messages_side messages_side;

/* The mistakes that are reported without ending the run; the last: also handles that are never freed. */
typedef enum messages_warnings {
    MESSAGES_NO_WARNINGS,
    MESSAGES_USUAL_WARNINGS,
    MESSAGES_ALL_WARNINGS
} messages_warnings;

/*=============================================================================
 * MARK: - >>mistakes
 *===========================================================================*/
/* Notes a mistake, or so many equal ones; at: the virtual time of the first, < 0: none. The line where the text has
 * MESSAGES_HERE is that of the caller, an address; if NULL, of the call that the task is in. */
__attribute__((format(printf, 4, 5))) void messages_note_add(double at, uint64_t times, const void *caller,
                                                             const char *format, ...);
/* Notes that a run has once at most, about the first rank and call that give reason for them. */
typedef enum messages_about {
    MESSAGES_ABOUT_FILES,
    MESSAGES_ABOUT_SLEEPING,
    MESSAGES_ABOUT_CLOCKS,
    MESSAGES_ABOUT_THREADS,
    MESSAGES_ABOUT_MULTIPLE
} messages_about;
__attribute__((format(printf, 3, 4))) void messages_note_once(messages_about about, const void *caller,
                                                              const char *format, ...);
void messages_notes_print(void);
messages_side *messages_side_add(int32_t context, const int32_t *tasks, int32_t size, const int32_t *far,
                                 int32_t far_size); /* by each of its ranks; one description for all */
void messages_side_inner(messages_side *side);      /* the program cannot call on it */
bool messages_is_inner(const messages_task *task, int32_t context);
void messages_side_name(messages_side *side, const char *name);
void messages_side_drop(messages_side *side);
const char *messages_communicator_text(const messages_task *task, int32_t context);
const messages_task *messages_task_of_source(const messages_task *task, int32_t context, int32_t source); /* or NULL */
const messages_task *messages_task_of_side(const messages_task *task, int32_t context,
                                           int32_t rank); /* on its own side */
const char *messages_rank_text(const messages_task *task, int32_t context, int32_t rank);
const char *messages_envelope_text(const messages_task *task, messages_envelope envelope); /* for what a task waits */
void messages_unreceived(const messages_task *to, const messages_task *from, messages_envelope envelope, size_t bytes,
                         double sent, const void *caller);
void messages_real_note(void); /* in a call: tells that this rank has slept, or read a clock of this machine */

/*=============================================================================
 * MARK: - >>lines of calls
 *===========================================================================*/
void messages_stack_keep(messages_task *self);           /* of this task */
const char *messages_where_kept(const messages_task *t); /* a mark for the line of the stack that it has kept */
const char *messages_where(messages_task *t);            /* a mark for the line of its call; empty: unknown */
messages_stack *messages_stack_copy(const void *caller); /* for a note; of the address alone, if it is not NULL */
/* A call at a line of the program, counted with --why, --calls and --json; numbers from 1. */
typedef struct messages_site {
    char call[20];
    uint64_t calls;
    double bytes; /* of the messages that it sent [B] */
    messages_stack *stack;
} messages_site;
void messages_sites_open(void);
uint32_t messages_site_enter(const char *call);               /* the one that this task has called */
void messages_site_note(messages_task *task, uint32_t count); /* its last call has added the last of so many actions */
uint32_t messages_site_now(const messages_task *task);        /* that has added the action at which its script is */
void messages_site_sends(const messages_task *task, double bytes);
messages_site *messages_site_at(uint32_t number);
uint32_t messages_site_count(void);
void messages_site_line(uint32_t number, char *line, size_t room); /* file.c:12; empty: unknown */
#define MESSAGES_HERE "\003"                                       /* in a note: the line */
/* To stderr, with lines instead of marks, as ` (file.c:12)`. */
void messages_where_print(const char *text, const messages_stack *here);

/*=============================================================================
 * MARK: - >>traces and reports
 *===========================================================================*/
void messages_log_open(void);
void messages_log_state(messages_task *task, double now);
void messages_log_users(void);     /* records also their computations */
uint32_t messages_log_order(void); /* the number of what happens now, in a message's `order` */
void messages_log_message(int32_t from, int32_t to, double bytes, double sent, uint32_t order); /* it arrives */
/* A message had asked its receiver before the receive was posted, which is now. */
void messages_log_late(int32_t from, int32_t to, uint32_t order);
void messages_path_report(void);  /* the critical path and the calls, as --why, --calls and --json want them */
void messages_report_check(void); /* ends the run if its files cannot be written */
void messages_report(void);

#endif
