/* write.c - goal_write(): the text form of GOAL */
#include "goal.h"

#include <math.h>

static void write_operation(FILE *file, const goal_op *o, size_t label)
{
    static const char *const words[][2] = { { "send", "to" }, { "recv", "from" } };
    if (o->kind == GOAL_CALC) {
        fprintf(file, "l%zu: calc %.0f", label, floor(o->size + 0.5));
    } else {
        fprintf(file, "l%zu: %s %.0fb %s ", label, words[o->kind][0], floor(o->size + 0.5), words[o->kind][1]);
        fprintf(file, o->peer == GOAL_ANY ? "-1" : "%lu", (unsigned long)o->peer);
        fprintf(file, o->tag == GOAL_ANY ? " tag -1" : " tag %lu", (unsigned long)o->tag);
    }
    if (o->cpu > 0) fprintf(file, " cpu %u", (unsigned)o->cpu);
    if (o->nic > 0) fprintf(file, " nic %u", (unsigned)o->nic);
    fprintf(file, "\n");
}

bool goal_write(const goal_schedule *s, FILE *file)
{
    size_t first = 0;
    fprintf(file, "num_ranks %lu\n", (unsigned long)s->ranks);
    for (uint32_t rank = 0; rank < s->ranks && !ferror(file); ++rank) {
        size_t last = first;
        fprintf(file, "\nrank %lu {\n", (unsigned long)rank);
        for (; last < s->count && s->ops[last].rank == rank; ++last)
            write_operation(file, &s->ops[last], last - first + 1);
        for (size_t i = first; i < last; ++i)
            for (uint32_t k = s->first[i]; k < s->first[i + 1]; ++k)
                fprintf(file, "l%zu %s l%zu\n", (s->after[k] & ~GOAL_START) - first + 1,
                        s->after[k] & GOAL_START ? "irequires" : "requires", i - first + 1);
        fprintf(file, "}\n");
        first = last;
    }
    return !ferror(file);
}
