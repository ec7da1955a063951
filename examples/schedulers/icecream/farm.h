/* A simulated farm of compile servers, and icecream's scheduler, which decides for it: what they tell each other. */
#ifndef FARM_H
#define FARM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The scheduler's side, scheduler.cpp. Each call is a message of a machine's daemon, by number from 0; before it returns, the
 * scheduler has read it and has answered what it can answer. */

/* Connects the daemons of so many machines with so many cores each. False, after a message, where that fails. */
bool scheduler_open(int machines, const unsigned cores[]);
void scheduler_close(void);
/* Whether it is the one with our placement. */
bool scheduler_is_patched(void);
/* A client wants a file compiled. The machine has so many clients. */
void scheduler_request(int machine, unsigned client, unsigned clients);
/* How much others use of the machine [1/1000], and its load average [1/1000]. */
void scheduler_stats(int machine, unsigned load, unsigned average, unsigned clients);
void scheduler_begin(int machine, unsigned job, unsigned clients);
/* A job has ended: on its server, or on the machine of its client that compiled it itself. Times in ms. */
void scheduler_done(int machine, unsigned job, bool server, double real, double user, double bytes, unsigned clients);

/* The farm's side, farm.c. */

/* A client may have its file compiled, as this job, on this server. */
void farm_answer(unsigned client, unsigned job, int server);
/* The virtual time [s]. */
double farm_now(void);
uint32_t farm_random(void);

#ifdef __cplusplus
}
#endif

#endif
