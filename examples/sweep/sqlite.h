/* sqlite.h - the results of a sweep as a table of an SQLite database */
/** @file */
#ifndef SWEEP_SQLITE_H
#define SWEEP_SQLITE_H

#include "sweep.h"

/** Writes the runs that have ended into a table `runs`, which replaces an older one of this name: one row for each, with the
 *  columns of the CSV, without `check`. Either the whole table is written, or nothing changes.
 *
 *  @param[in]  path  The database; created if it does not exist.
 *  @param[out] why   why[SWEEP_WHY]: what went wrong; also that the program was built without SQLite.
 *  @return  Whether it was written.
 */
bool sweep_sqlite_write(const sweep *s, const char *path, char *why);

#endif
