/* interval_machine.h - does a machine file say how sure its values are? Apart from interval.h, which also programs without simkit
 * include. */
#ifndef INTERVAL_MACHINE_H
#define INTERVAL_MACHINE_H

#include "simkit.h"
#include "util/simkit_files.h"

#include "interval.h"

/* The file does not say how sure it is: no value has an error, and there is no [operation calibration], which build/calibrate writes. NULL: there
 * is no file. */
static inline bool interval_unsure(const simkit_machine *machine)
{
    for (size_t i = 0; machine && i < machine->operation_count; ++i)
        if (strcmp(machine->operations[i].name, "calibration") == 0 && machine->operations[i].value > 0) return false;
    return !machine || machine->errors == 0;
}

#endif
