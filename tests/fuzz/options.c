/* The command line of flow-graph programs: words between zero bytes. Files and users are not opened: the name of every
 * file begins with /dev/null/, where there is none. */
/* libraries: examples/flowgraph/flowgraph.c examples/flowgraph/flowgraph_net.c */
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/flowgraph/options.c"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1001], path[1100], why[200];
    options o;
    char *arguments[] = { NULL };
    if (size > 1000) return -1;
    memcpy(text, data, size);
    text[size] = 0;
    options_begin(&o, arguments);
    for (char *at = text, *end = text + size; at <= end;) {
        const char *name = at, *value = at + strlen(at) + 1;
        if (value > end) value = NULL;
        if (value && (strcmp(name, "--machine") == 0 || strcmp(name, "--users") == 0)) {
            snprintf(path, sizeof path, "/dev/null/%s", value);
            value = path;
        }
        memset(why, 0x55, sizeof why);
        const int took = options_take(&o, name, value, why);
        CHECK(took == 2 || took == 0 || took == -1);
        if (took == -1) CHECK(memchr(why, 0, sizeof why) && why[0]);
        CHECK(o.desc.policy_count <= OPTIONS_POLICIES);
        if (took == 2) CHECK(options_mode_text(&o)[0]);
        at += strlen(at) + 1;
        if (took == 2) at += strlen(at) + 1;
    }
    for (size_t i = 0; i < o.desc.policy_count; ++i) {
        CHECK(memchr(o.names[i], 0, sizeof o.names[i]));
        CHECK(o.policies[i].seconds >= 0 && o.policies[i].seconds < 1e308 * 10);
        CHECK(o.policies[i].policy != SIMKIT_POLICY_MEASURE || (o.policies[i].first >= 1 && o.policies[i].first <= 64));
    }
    CHECK(options_simulated(&o).policy_count == 0);
    options_end(&o);
    return 0;
}
