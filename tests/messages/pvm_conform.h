/* pvm_conform.h - cases of PVM 3 whose output is the same with PVM itself and on the virtual clock.
 *
 * ./pvm_conform [CASE|TOPIC...] runs the cases (all, or those named) in order: pvm_conform_real does so with PVM, and
 * pvm_conform.txt is what it printed. For each case the master spawns this program again, as often as the case says.
 * The master prints one line for each, `name: 0: text | 1-3: text`: what it has said (0), and what its slaves have said;
 * tasks that follow each other and say the same are one item.
 */
#ifndef PVM_CONFORM_H
#define PVM_CONFORM_H

#define _DEFAULT_SOURCE

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <pvm3.h>

extern int pvm_errno; /* PVM's own pvm3.h does not have it */

typedef struct pvm_case {
    const char *name;
    void (*run)(void); /* by the master and by its slaves */
    int slaves;
} pvm_case;

#define CASE(name, slaves)                                                                                             \
    {                                                                                                                  \
#name, name, slaves                                                                                            \
    }
#define NO_MORE_CASES                                                                                                  \
    {                                                                                                                  \
        NULL, NULL, 0                                                                                                  \
    }
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))
enum { MOST_TASKS = 16 };

/* Each ends with NO_MORE_CASES. */
extern const pvm_case pvm_conform_tasks[], pvm_conform_buffers[], pvm_conform_messages[], pvm_conform_groups[],
    pvm_conform_mailbox[];

extern int me, np;          /* 0 is the master; np counts it too */
extern int all[MOST_TASKS]; /* their tids */
extern char own_path[4096]; /* this program */
extern char **words;        /* what a slave has got beside its case */

/* Adds a word to what this task says in the case. A task that says nothing is printed as `ok`. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says the text if not fine; only the first time in a case. */
void expect(bool fine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `what code`, by the name of the code; a number as it is. */
void say_code(const char *what, int code);
/* The same, but all that is greater than 0 is `some`: a buffer, a tid. */
void say_some(const char *what, int code);
/* `what n`: the n-th of all, or `daemon`, `none`, `another`, or a code. */
void say_tid(const char *what, int tid);
/* Tag and sender of a message. */
void say_message(int buffer);
void say_ints(const char *what, const int *a, int count);
const char *code_name(int code);

/* A message of one int. What is received says so itself if it is none. */
void send_int(int to, int tag, int value);
int recv_int(int from, int tag);
/* The buffer that was packed, to this task itself: what pvm_recv() returns then. */
int pass(void);
/* Waits for a message of every slave, or tells them. In a context of its own, so that a case never sees it. */
void arrive(void);
/* A slave hands in its text before the case ends, so that it may go or be killed. */
void hand_in(void);
void hand_in_and_exit(void);
void hand_in_and_hang(void); /* arrives before */
/* Asks for a notice of the task, and waits for it: it is gone then. */
void wait_for_end(int tid);

#endif
