/*
models.h - the models that build/sweep has

| model | a run is | needs |
|---|---|---|
| `lu` | the LU factorization of the DPS paper on the machine of the sweep: lu.h | `machine`; `input`, a file of places, for `place = file` |
| `star` | transfers between the nodes of a star | - |
| `balance` | a day of jobs on workstations with users: balance.h | `input`, a users file |
| `server` | a cluster server with synthetic jobs: simulate.h, workload.h | - |

`build/sweep --models` lists their parameters and results.
*/
/** @file */
#ifndef SWEEP_MODELS_H
#define SWEEP_MODELS_H

#include "sweep.h"

/** The LU factorization. */
extern const sweep_model model_lu;
/** Transfers between the nodes of a star. */
extern const sweep_model model_star;
/** Jobs on workstations with users. */
extern const sweep_model model_balance;
/** A cluster server. */
extern const sweep_model model_server;

/** The value of a parameter as a whole number.
 *
 *  @param[in]  parameter  Which one, of `quantities`.
 *  @param[in]  quantities Parameters of the model.
 *  @param[in]  least      The smallest number that is possible.
 *  @param[out] number     The value.
 *  @return  Whether it is one; otherwise sweep_fail() was called.
 */
bool models_whole(const sweep_point *point, const sweep_quantity *quantities, size_t parameter, size_t least,
                  size_t *number);

#endif
