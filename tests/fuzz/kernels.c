/* Times of kernels, as build/calibrate writes them: what is read can be computed with. */
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/flowgraph/kernels.c"

#include "fuzz.h"

static void is_time(double seconds)
{
    CHECK(seconds >= 0 && seconds - seconds >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kernels_times t;
    char *line = (char *)malloc(size + 1);
    CHECK(line);
    memcpy(line, data, size);
    line[size] = 0;
    if (kernels__line(line, &t)) {
        is_time(t.multiply);
        is_time(t.subtract);
        is_time(t.solve);
        is_time(t.pack);
        is_time(t.part);
        CHECK(t.points >= 1 && t.points <= 3);
        for (size_t i = 0; i < t.points; ++i) {
            is_time(t.panel[i]);
            is_time(t.exchange[i]);
            CHECK(i == 0 || t.rows[i] > t.rows[i - 1]);
        }
    }
    free(line);
    return 0;
}
