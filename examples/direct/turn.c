/* turn.c - the turn: who has it runs, all others sleep; those that are ready get it in order. */
#define _GNU_SOURCE
#include "direct.h"

#include <linux/futex.h>
#include <sys/syscall.h>

bool direct_slept DIRECT_COMMON;
void (*direct_keep_stack)(uint32_t *turn) DIRECT_COMMON;

long direct_futex(uint32_t *word, int what, uint32_t value, const struct timespec *limit)
{
    return direct_syscall(SYS_futex, word, direct && direct->shared ? what : what | FUTEX_PRIVATE_FLAG, value, limit,
                          NULL, 0);
}

void direct_ready(direct_task *t)
{
    t->next_ready = NULL;
    if (direct->last_ready)
        direct->last_ready->next_ready = t;
    else
        direct->first_ready = t;
    direct->last_ready = t;
    simkit_world_stop(direct->world);
}

direct_task *direct_ready_take(void)
{
    direct_task *t = direct->first_ready;
    if (!t) return NULL;
    direct->first_ready = t->next_ready;
    if (!t->next_ready) direct->last_ready = NULL;
    return t;
}

void direct_turn_give(uint32_t *turn, uint32_t value)
{
    if (__atomic_exchange_n(turn, value, __ATOMIC_SEQ_CST) == DIRECT_TURN_ASLEEP)
        direct_futex(turn, FUTEX_WAKE, 1, NULL);
}

uint32_t direct_turn_wait(uint32_t *turn, int spins)
{
    for (int i = spins; i > 0; --i) {
        if (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != DIRECT_TURN_NONE) break;
        direct_pause();
    }
    for (;;) {
        uint32_t was = DIRECT_TURN_NONE;
        if (!__atomic_compare_exchange_n(turn, &was, DIRECT_TURN_ASLEEP, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
            was != DIRECT_TURN_ASLEEP) { /* else it was woken for a turn that it has had */
            if (was != DIRECT_TURN_TELL) break;
            direct_keep_stack(turn);
            __atomic_store_n(turn, DIRECT_TURN_NONE, __ATOMIC_SEQ_CST);
            continue;
        }
        direct_futex(turn, FUTEX_WAIT, DIRECT_TURN_ASLEEP, NULL);
        direct_slept = true; /* not before: another thread of this process may have left a call meanwhile */
    }
    return __atomic_exchange_n(turn, DIRECT_TURN_NONE, __ATOMIC_SEQ_CST);
}
