/* Where should a compile job run? On the server where it is predicted to end first, by the formulas of contention.h. */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a scheduler knows of a server. */
typedef struct placement_server {
    double speed;  /* work that a core does in a second, in any unit, > 0 */
    double cores;  /* which is also how many jobs it runs at a time */
    double jobs;   /* jobs of ours that were sent there and have not ended */
    double others; /* processes of others that want a core; may be an average */
    bool nice;     /* jobs run at nice level 5, as icecream's daemons run them, else at 0 */
} placement_server;

/* Time of one more job for a unit of work, with the wait for those before it; NaN for impossible numbers. */
double placement_seconds(const placement_server *server);

/* What daemons say in the field that has their load average: the number of processes of others, if that is known. */
enum { PLACEMENT_BY_LOAD, PLACEMENT_BY_COUNT };
extern int placement_by;

#ifdef __cplusplus
}
#endif

#endif
