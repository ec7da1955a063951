/* main.c - build/sweep: sweeps of the models that the kit has, and of those in shared objects */
#include "models.h"

int main(int count, char **arguments)
{
    const sweep_model models[] = { model_lu, model_star, model_balance, model_server };
    return sweep_main(count, arguments, models, sizeof models / sizeof *models);
}
