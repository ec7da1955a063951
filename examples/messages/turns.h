/* turns.h - among the files that give and take turns: end.c, cores.c, turns.c, flush.c, enter.c, launch.c. Private to them. */
#ifndef MESSAGES_TURNS_H
#define MESSAGES_TURNS_H

#include "core.h"

#include <linux/futex.h>

/* A task's turn may also be: */
enum {
    MESSAGES_TURN_VISIT = DIRECT_TURN_MORE, /* it only applies deeds */
    MESSAGES_TURN_AHEAD                     /* it may go on without */
};

/* Reasons for waking the launcher. */
enum {
    MESSAGES_BELL_CHILD = 1,
    MESSAGES_BELL_SERVE = 2,
    MESSAGES_BELL_OVER = 4,
    MESSAGES_BELL_START = 8,
    MESSAGES_BELL_SLEEPS = 16,
    MESSAGES_BELL_INTERRUPTED = 32
};

/* end.c */
extern bool messages_is_launcher;
extern bool messages_is_child;                                  /* a process that fork() has made of a rank */
__attribute__((noreturn)) void messages_no_memory(size_t most); /* of the arena, which has so many bytes */
void messages_ring(uint32_t why);

/* cores.c */
void messages_cores_place(messages_task *task);
void messages_pin(pid_t process, int processor);
void messages_pin_together(void); /* this rank has made a thread */
void messages_cores_leave(void);
void messages_released_wake(bool goes_on);

/* turns.c */
void messages_turn_give(messages_task *t);
void messages_deeds_take(void);

/* flush.c */
void messages_hand_over(messages_task *t);

/* enter.c */
void messages_charge_begin(void);
void messages_only_thread(void); /* this thread is the only one that may make calls */

#endif
