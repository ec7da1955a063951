/* machine.c - the machine file of a module: that of the DPS paper with other numbers */
#include "module.h"

#include <errno.h>
#include <string.h>

static const char original[] = "examples/machines/dps.machine";

/* Says whether a line is `key = ...`. */
static bool machine__is_key(const char *line, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && strncmp(line + length, " =", 2) == 0;
}

/* Writes a line without its comment and the blanks before that. */
static void machine__put_line(const char *line, FILE *out)
{
    size_t length = strcspn(line, "#\n");
    while (length > 0 && line[length - 1] == ' ') --length;
    fprintf(out, "%.*s\n", (int)length, line);
}

bool module_write_machine(const module_run *run, const char *latency, const char *bandwidth, const char *speed,
                          unsigned nodes, module_answer *a)
{
    const char *const keys[] = { "latency", "bandwidth", "speed" }, *const texts[] = { latency, bandwidth, speed };
    FILE *in = fopen(original, "r"), *out;
    char line[256];
    bool begun = false;
    if (!in)
        return module_fail(a, "cannot read %s: %s; run this from the top of the project", original, strerror(errno));
    out = module_open(run, "cluster.machine", a);
    if (!out) return fclose(in), false;
    fprintf(out,
            "# The cluster of the DPS paper, see %s, with numbers of your own.\n"
            "# build/demo --machine FILE predicts for it.\n\n",
            original);
    while (fgets(line, sizeof line, in)) {
        size_t k = 0;
        begun |= line[0] == '[';
        if (!begun) continue;
        while (k < 3 && !(texts[k] && machine__is_key(line, keys[k]))) ++k;
        if (k < 3)
            fprintf(out, "%s = %s\n", keys[k], texts[k]);
        else if (nodes > 0 && machine__is_key(line, "count"))
            fprintf(out, "count = %u\n", nodes);
        else
            machine__put_line(line, out);
    }
    fclose(in);
    return module_close(out, "cluster.machine", a);
}
