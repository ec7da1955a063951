/* Room keys of util/simkit_files.h: a table of keys reads a format of one's own, and says what is wrong with a file. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "close.h"

#include <stdio.h>

enum { KIND_LEVEL = SIMKIT_KEY_OTHER };

typedef struct disk {
    char name[32];
    double bandwidth, latency;
    unsigned spindles, level;
} disk;

static const simkit_key table[] = {
    { "store", "total", SIMKIT_KEY_POSITIVE, "B", 0 },
    { "disk", "bandwidth", SIMKIT_KEY_POSITIVE, "B/s", offsetof(disk, bandwidth) },
    { "disk", "latency", SIMKIT_KEY_QUANTITY, "s", offsetof(disk, latency) },
    { "disk", "spindles", SIMKIT_KEY_INTEGER, "1", offsetof(disk, spindles) },
    { "disk", "level", KIND_LEVEL, NULL, offsetof(disk, level) },
};
enum { KEYS = sizeof table / sizeof *table };
static const char *const sections[] = { "store", "disk", "empty" };

typedef struct contents {
    double total;
    disk disks[4];
    size_t count;
    unsigned lines[KEYS];
    const char *more;
    simkit_reader r;
} contents;

static bool section(contents *c, simkit_keys *keys)
{
    size_t which = 9;
    if (!simkit_keys_section(keys, &c->r, &which)) return false;
    assert_ptr_equal(keys->section, sections[which]);
    if (which == 1) {
        simkit_keys_again(keys);
        memset(&c->disks[c->count], 0, sizeof *c->disks);
        if (!simkit_reader_word(&c->r, c->disks[c->count++].name, "the name of a disk")) return false;
    }
    return simkit_reader_accept(&c->r, ']') || simkit_reader_error(&c->r, c->r.at, "expected ']'");
}

static bool key_of(contents *c, simkit_keys *keys)
{
    static const char *const levels[] = { "fast", "slow" };
    char name[32];
    const simkit_key *key;
    const char *from = c->r.at;
    size_t chosen;
    if (!simkit_keys_next(keys, &c->r, name, &key)) return false;
    if (!key) return simkit_keys_unknown(keys, &c->r, from, name, c->more);
    assert_string_equal(key->name, name);
    void *base = strcmp(key->section, "store") == 0 ? (void *)&c->total : (void *)&c->disks[c->count - 1];
    if (key->kind != KIND_LEVEL) return simkit_keys_value(key, &c->r, base);
    if (!simkit_reader_choice(&c->r, levels, 2, &chosen)) return false;
    *(unsigned *)(void *)((char *)base + key->offset) = (unsigned)chosen;
    return true;
}

/* Reads a text; the sentence of its error, or NULL. */
static const char *read_text(contents *c, const char *text)
{
    simkit_keys keys = { table, KEYS, sections, 3, c->lines, NULL };
    const char *more = c->more;
    memset(c, 0, sizeof *c);
    c->more = more;
    simkit_reader_init(&c->r, text, strlen(text), "f");
    while (simkit_reader_line(&c->r)) {
        if (!(*c->r.at == '[' ? section(c, &keys) : key_of(c, &keys)) || !simkit_reader_end(&c->r))
            return c->r.error.text;
        if (c->count == 0) continue;
        if (strcmp(keys.section, "disk") == 0)
            assert_int_equal(simkit_keys_line(&keys, "disk", "bandwidth") > 0, c->disks[c->count - 1].bandwidth > 0);
        assert_int_equal(simkit_keys_line(&keys, "disk", "colour"), 0);
        assert_int_equal(simkit_keys_line(&keys, "tape", "bandwidth"), 0);
    }
    return NULL;
}

static void values_go_where_the_table_says(void **state)
{
    contents c = { .more = NULL };
    (void)state;
    assert_null(read_text(&c, "[store]\ntotal = 3 GB\n[disk a]\nbandwidth = 100 MB/s\nlatency = 5 ms\nlevel = slow\n"
                              "[ disk b ]\nspindles = 8\nbandwidth = 1 GB/s # fast\n[empty]\n"));
    assert_equal(c.total, 3e9);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.disks[0].name, "a");
    assert_equal(c.disks[0].bandwidth, 100e6);
    assert_equal(c.disks[0].latency, 5e-3);
    assert_int_equal(c.disks[0].level, 1);
    assert_string_equal(c.disks[1].name, "b");
    assert_int_equal(c.disks[1].spindles, 8);
    assert_equal(c.disks[1].bandwidth, 1e9);
    assert_int_equal(c.lines[0], 2);
    assert_int_equal(c.lines[1], 9); /* of the last disk */
    assert_int_equal(c.lines[2], 0);
}

static void every_mistake_is_named(void **state)
{
    static const char *const wrong[][2] = {
        { "[tape]", "f:1:2: 'tape' is unknown, expected store, disk or empty" },
        { "[", "f:1:2: expected store, disk or empty" },
        { "total = 1 B", "f:1:1: key 'total' is before the first [section]" },
        { "[store]\n= 1", "f:2:1: expected a key, a [section] or a # comment" },
        { "[store]\ntotal 1 B", "f:2:7: expected '=' after 'total'" },
        { "[store]\ntotal = 0 B", "f:2:9: 'total' is 0, expected a number > 0" },
        { "[store]\ntotal = 1 s", "f:2:11: the unit is 's', expected one of: B, kB, MB, GB, KiB, MiB, GiB" },
        { "[store]\ntotal = 1 B\n[store]\ntotal = 2 B", "f:4:1: duplicate key 'total', first set in line 2" },
        { "[disk a]\nlatency = 0 s\nlatency = 0 s", "f:3:1: duplicate key 'latency', first set in line 2" },
        { "[disk a]\nspindles = 0", "f:2:12: expected a whole number from 1 to 1000000" },
        { "[disk a]\nspindles = 1000001", "f:2:12: expected a whole number from 1 to 1000000" },
        { "[disk a]\ntotal = 1 B",
          "f:2:1: section [disk] has no key 'total', only bandwidth, latency, spindles, level" },
        { "[empty]\ntotal = 1 B", "f:2:1: section [empty] has no key 'total', only " },
        { "[disk a]\nlevel = high", "f:2:9: 'high' is unknown, expected fast or slow" },
        { "[disk a]\nlatency = 1 s s", "f:2:15: expected the end of the line" },
    };
    contents c = { .more = NULL };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const char *text = read_text(&c, wrong[i][0]);
        assert_non_null(text);
        assert_string_equal(text, wrong[i][1]);
    }
    c.more = ", and those of this program";
    assert_string_equal(read_text(&c, "[store]\nsize = 1 B"),
                        "f:2:1: section [store] has no key 'size', only total, and those of this program");
}

static void a_list_of_keys_is_cut(void **state)
{
    static char names[40][16];
    simkit_key many[40];
    unsigned lines[40] = { 0 };
    const char *const one[] = { "s" };
    simkit_keys keys = { many, 40, one, 1, lines, NULL };
    simkit_reader r;
    size_t which;
    (void)state;
    for (int i = 0; i < 40; ++i) {
        snprintf(names[i], sizeof names[i], "longer_key_%d", i);
        many[i] = (simkit_key){ "s", names[i], SIMKIT_KEY_QUANTITY, "1", 0 };
    }
    simkit_keys_again(&keys); /* before any section: harmless */
    simkit_reader_init(&r, "[s]", 3, "f");
    assert_false(simkit_keys_unknown(&keys, &r, NULL, "x", NULL)); /* likewise */
    assert_string_equal(r.error.text, "f: section [] has no key 'x', only ");
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_keys_section(&keys, &r, &which));
    assert_int_equal(which, 0);
    assert_int_equal(*r.at, ']');
    assert_false(simkit_keys_unknown(&keys, &r, r.at, "x", NULL));
    assert_non_null(strstr(r.error.text, "f:1:3: section [s] has no key 'x', only longer_key_0, longer_key_1, "));
    assert_int_equal(strlen(strstr(r.error.text, "longer_key_0")), 191);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_where_the_table_says),
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(a_list_of_keys_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
