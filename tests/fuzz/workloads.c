/* Workloads of the cluster server: as a log, which comes back as it was, and as a file of our own, whose jobs make sense. */
/* libraries: -lz */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/server/work.c"
#include "../../examples/server/workload.c"

#include "fuzz.h"

static void same_log(const workload *one, const workload *other)
{
    CHECK(one->record_count == other->record_count && one->comment_count == other->comment_count);
    CHECK(one->count == other->count && one->nodes == other->nodes);
    for (size_t i = 0; i < one->record_count; ++i)
        for (int k = 0; k < WORKLOAD_FIELDS; ++k) {
            const double a = one->records[i].field[k], b = other->records[i].field[k];
            CHECK(a >= b && a <= b);
        }
    for (size_t i = 0; i < one->comment_count; ++i) {
        const workload_comment *a = &one->comments[i], *b = &other->comments[i];
        CHECK(a->before == b->before && a->length == b->length && memcmp(a->text, b->text, a->length) == 0);
    }
}

static void read_as_log(const char *text, size_t size)
{
    char line[1024];
    budget b = { 0, 65536 + 128 * size, false };
    simkit_input input = { .text = text, .length = size, .name = "l", .memory = { spend, &b } };
    simkit_parse_error error;
    workload *w;
    memset(&error, 0, sizeof error);
    const simkit_result result = workload_read_swf(&input, 0, &w, &error);
    CHECK(!b.exceeded);
    if (result != SIMKIT_OK) {
        CHECK(result == SIMKIT_BAD_FILE && !w && b.held == 0);
        check_error(&error);
        return;
    }
    const workload_counts *c = &w->counts;
    CHECK(c->lines == w->record_count);
    CHECK(c->lines == w->count + c->partial + c->cancelled + c->timeless + c->sizeless + c->undated);
    for (size_t i = 0; i < w->count; ++i) {
        const server_job_desc *job = &w->jobs[i];
        CHECK(job->preferred > 0 && job->submit >= 0 && job->run > 0 && job->estimate >= job->run && job->work);
        CHECK(w->record[i] < w->record_count);
    }
    workload_counts_text(w, line, sizeof line);
    CHECK(strlen(line) < 512);
    if (w->record_count + w->comment_count > 0) {
        char *copy = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&copy, &length);
        CHECK(file && workload_write_swf(w, file) == SIMKIT_OK);
        fclose(file);
        workload *again;
        input = (simkit_input){ .text = copy, .length = length };
        CHECK(workload_read_swf(&input, 0, &again, &error) == SIMKIT_OK);
        same_log(w, again);
        workload_close(again);
        free(copy);
    }
    workload_close(w);
    CHECK(b.held == 0);
}

static void read_as_ours(const char *text, size_t size)
{
    budget b = { 0, 4 << 20, false }; /* a line can say that there are a million jobs */
    const simkit_input input = { .text = text, .length = size, .name = "o", .memory = { spend, &b } };
    simkit_parse_error error;
    workload *w;
    memset(&error, 0, sizeof error);
    const simkit_result result = workload_read(&input, &w, &error);
    if (result != SIMKIT_OK) {
        CHECK(result == (b.exceeded ? SIMKIT_NO_MEMORY : SIMKIT_BAD_FILE) && !w && b.held == 0);
        check_error(&error);
        return;
    }
    CHECK(w->count > 0);
    for (size_t i = 0; i < w->count; ++i) {
        const server_job_desc *job = &w->jobs[i];
        const work *does = (const work *)job->work;
        CHECK(job->preferred > 0 && job->submit >= 0 && job->submit < INFINITY && job->estimate > 0 && w->names[i][0]);
        CHECK(job->minimum <= job->preferred && (job->maximum == 0 || job->maximum >= job->preferred));
        CHECK(isnan(job->run) == (does->kind == WORK_SKELETON || does->kind == WORK_PROGRAM));
        CHECK(isnan(job->run) || (job->run >= 0 && job->run < INFINITY));
    }
    workload_close(w);
    CHECK(b.held == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    read_as_log(text, size);
    read_as_ours(text, size);
    free(text);
    return 0;
}
