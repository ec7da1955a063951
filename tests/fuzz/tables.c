/* Tables: what is read is finite and has its shape, and memory is linear in the length. */
#include "simkit.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    budget b = { 0, 4096 + 128 * size, false };
    const simkit_world_desc memory = { .memory = { .reallocate = spend, .user = &b } };
    simkit_table *table;
    simkit_parse_error mistake;
    memset(&mistake, 0, sizeof mistake);
    const simkit_result result = simkit_table_parse(text, size, "t", &memory, &table, &mistake);
    free(text);
    CHECK(!b.exceeded);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    if (result == SIMKIT_OK) {
        const size_t rows = simkit_table_rows(table), columns = simkit_table_columns(table);
        CHECK(rows > 0 && columns > 0 && rows * columns <= size + 1);
        for (size_t c = 0; c < columns; c++) {
            const double *numbers = simkit_table_numbers(table, c);
            CHECK(strlen(simkit_table_name(table, c)) <= size);
            CHECK(simkit_table_find(table, simkit_table_name(table, c)) <= c);
            for (size_t r = 0; r < rows; r++) {
                if (numbers) CHECK(numbers[r] - numbers[r] >= 0);
                CHECK(strlen(simkit_table_text(table, c, r)) <= size);
            }
        }
        for (size_t r = 1; r < rows; r++) CHECK(simkit_table_line(table, r) > simkit_table_line(table, r - 1));
    } else {
        CHECK(!table);
        check_mistake(&mistake);
    }
    simkit_table_close(table);
    CHECK(b.held == 0);
    return 0;
}
