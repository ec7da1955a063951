/* Tables: what is read is finite and has its shape, and memory is linear in the length. */
#include "simkit.h"
#include "util/simkit_files.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    budget b = { 0, 4096 + 128 * size, false };
    const simkit_input input = { .text = text, .length = size, .name = "t", .memory = { spend, &b } };
    simkit_table *table;
    simkit_parse_error error;
    memset(&error, 0, sizeof error);
    const simkit_result result = simkit_table_read(&input, &table, &error);
    free(text);
    CHECK(!b.exceeded);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    if (result == SIMKIT_OK) {
        CHECK(table->rows > 0 && table->columns > 0 && table->rows * table->columns <= size + 1);
        for (size_t c = 0; c < table->columns; ++c) {
            const simkit_column *column = &table->column[c];
            CHECK(strlen(column->name) <= size);
            CHECK(simkit_table_column(table, column->name) <= column);
            CHECK(!column->numbers == !!column->texts);
            for (size_t r = 0; r < table->rows; ++r) {
                if (column->numbers) CHECK(column->numbers[r] - column->numbers[r] >= 0);
                if (column->texts) CHECK(strlen(column->texts[r]) <= size);
            }
        }
        for (size_t r = 1; r < table->rows; ++r) CHECK(table->line[r] > table->line[r - 1]);
    } else {
        CHECK(!table);
        check_error(&error);
    }
    simkit_table_close(table);
    CHECK(b.held == 0);
    return 0;
}
