/* turns.h - among the files that give and take turns: end.c, cores.c, turns.c, flush.c, enter.c, launch.c. Private to them. */
#ifndef MESSAGES_TURNS_H
#define MESSAGES_TURNS_H

#include "core.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A task's turn. */
enum {
    MESSAGES_TURN_NONE,
    MESSAGES_TURN_GO,
    MESSAGES_TURN_ASLEEP,
    MESSAGES_TURN_VISIT, /* it only applies deeds */
    MESSAGES_TURN_TELL,  /* it keeps its stack and waits on */
    MESSAGES_TURN_AHEAD  /* it may go on without */
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

static inline long messages_futex(uint32_t *word, int what, uint32_t value)
{
    return syscall(SYS_futex, word, what, value, NULL, NULL, 0);
}

/* end.c */
extern bool messages_is_launcher;
void messages_ring(uint32_t why);

/* cores.c */
void messages_cores_place(messages_task *task);
void messages_pin(pid_t process, int processor);
void messages_cores_leave(void);
void messages_released_wake(bool goes_on);

/* turns.c */
extern bool messages_slept; /* this process has, since this was set to false */
void messages_turn_give(messages_task *t);
void messages_deeds_take(void);
uint32_t messages_turn_sleep(uint32_t *turn);

/* flush.c */
void messages_hand_over(messages_task *t);

/* enter.c */
void messages_charge_begin(void);
void messages_only_thread(void); /* this thread is the only one that may make calls */
double messages_clock_of(clockid_t which);

#endif
