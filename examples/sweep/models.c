/* models.c - what the models share */
#include "models.h"

#include <math.h>

bool models_whole(const sweep_point *point, const sweep_quantity *quantities, size_t parameter, size_t least,
                  size_t *number)
{
    const double value = point->value[parameter];
    if (!(value >= (double)least && value <= 1e9) || value > floor(value))
        return sweep_fail(point, "'%s' is %.12g: expected a whole number from %lu to 1e9", quantities[parameter].name,
                          value, (unsigned long)least) == 0;
    *number = (size_t)value;
    return true;
}
