/* Rooms names and memory of simkit.h, as a program uses them for things of its own: names, an index, arrays, a store. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"
#include "hook.h"

static void names_have_numbers_in_order(void **state)
{
    enum { NAMES = 2000 };
    hook h = { .left = -1 };
    simkit_store store = { .memory = { reallocate, &h } };
    simkit_names names = { 0 };
    char name[32];

    (void)state;
    assert_int_equal(simkit_names_find(&names, "nobody"), SIMKIT_NONE);
    for (uint32_t i = 0; i < NAMES; ++i) {
        snprintf(name, sizeof name, "node %u", (unsigned)i);
        assert_int_equal(simkit_names_add(&store, &names, name), i);
        assert_int_equal(simkit_names_add(&store, &names, name), i);
    }
    assert_int_equal(simkit_array_count(names.texts), NAMES);
    for (uint32_t i = 0; i < NAMES; ++i) {
        snprintf(name, sizeof name, "node %u", (unsigned)i);
        assert_int_equal(simkit_names_find(&names, name), i);
        assert_string_equal(names.texts[i], name);
    }
    assert_int_equal(simkit_names_add(&store, &names, ""), NAMES); /* a name like any other */
    assert_int_equal(simkit_names_find(&names, "node"), SIMKIT_NONE);
    assert_int_equal(h.held, store.bytes);
    simkit_names_free(&store, &names);
    assert_int_equal(simkit_names_find(&names, "node 1"), SIMKIT_NONE);
    assert_int_equal(store.bytes, 0);
    assert_int_equal(h.held, 0);
    assert_true(store.peak > 0);
}

/* Whatever is refused: the name is not there, all others are, and nothing is lost. */
static void a_refused_name_changes_nothing(void **state)
{
    char name[32];

    (void)state;
    for (int denied = 0; denied < 60; ++denied) {
        hook h = { .left = denied, .once = true };
        simkit_store store = { .memory = { reallocate, &h } };
        simkit_names names = { 0 };
        unsigned refused = 0;
        for (unsigned i = 0; i < 20; ++i) {
            snprintf(name, sizeof name, "%u", i);
            const uint32_t number = simkit_names_add(&store, &names, name);
            if (number == SIMKIT_NONE) {
                ++refused;
                assert_int_equal(simkit_names_find(&names, name), SIMKIT_NONE);
                assert_int_equal(simkit_array_count(names.texts), i);
                assert_int_equal(simkit_names_add(&store, &names, name), i);
            } else {
                assert_int_equal(number, i);
            }
        }
        assert_true(refused <= 1);
        simkit_names_free(&store, &names);
        assert_int_equal(h.held, 0);
    }
}

/* The index finds exactly its elements, while elements are added and removed. */
static void an_index_finds_what_is_there(void **state)
{
    enum { THINGS = 3000 };
    static bool there[THINGS];
    uint64_t dice = 5;
    int held = 0;
    simkit_store store = { 0 };
    simkit_index index = { 0 };

    (void)state;
    for (int step = 0; step < 100000; ++step) {
        const uint32_t thing = (uint32_t)random_between(&dice, 0, step < 50000 ? THINGS : 40);
        const uint32_t hash = thing % 5 ? simkit_hash_number(thing) : thing % 100; /* some have the same hash */
        uint32_t found;
        size_t at = hash;
        while ((found = simkit_index_next(&index, hash, &at)) != SIMKIT_NONE && found != thing) {
        }
        assert_int_equal(found == thing, there[thing]);
        if (there[thing])
            simkit_index_drop(&index, hash, thing);
        else
            assert_true(simkit_index_put(&store, &index, hash, thing));
        there[thing] = !there[thing];
        held += there[thing] ? 1 : -1;
        assert_int_equal(index.used, held);
    }
    simkit_index_free(&store, &index);
    assert_int_equal(store.bytes, 0);
}

static void arrays_grow_and_shrink(void **state)
{
    simkit_store store = { 0 };
    double *numbers = NULL;

    (void)state;
    assert_int_equal(simkit_array_count(numbers), 0);
    simkit_array_cut(numbers, 0);
    for (int i = 0; i < 10000; ++i) {
        assert_true(simkit_array_reserve(&store, numbers, 1));
        simkit_array_push(numbers, i);
    }
    assert_int_equal(simkit_array_count(numbers), 10000);
    for (int i = 0; i < 10000; ++i) assert_true(numbers[i] >= i && numbers[i] <= i);
    simkit_array_cut(numbers, 20000); /* fewer are there */
    assert_int_equal(simkit_array_count(numbers), 10000);
    simkit_array_cut(numbers, 10);
    assert_int_equal(simkit_array_count(numbers), 10);
    const size_t bytes = store.bytes;
    assert_true(simkit_array_reserve(&store, numbers, 9990)); /* the memory has stayed */
    assert_int_equal(store.bytes, bytes);
    assert_false(simkit_array_reserve(&store, numbers, SIZE_MAX)); /* no such memory: nothing has changed */
    assert_false(simkit_array_reserve(&store, numbers, SIZE_MAX / sizeof *numbers));
    assert_int_equal(simkit_array_count(numbers), 10);
    assert_int_equal(store.bytes, bytes);
    simkit_array_discard(&store, numbers);
    assert_null(numbers);
    simkit_array_discard(&store, numbers);
    assert_int_equal(store.bytes, 0);
}

typedef struct owner {
    simkit_store store;
    double value;
} owner;

static void a_store_owns_its_struct(void **state)
{
    hook h = { .left = -1 };
    const simkit_memory memory = { reallocate, &h };

    (void)state;
    owner *o = (owner *)simkit_store_open(&memory, sizeof *o);
    assert_true(o->value <= 0 && o->value >= 0);
    assert_int_equal(o->store.bytes, sizeof *o);
    void *more = simkit_store_resize(&o->store, NULL, 0, 100);
    more = simkit_store_resize(&o->store, more, 100, 1000);
    assert_int_equal(o->store.bytes, sizeof *o + 1000);
    assert_null(simkit_store_resize(&o->store, more, 1000, 0));
    assert_int_equal(h.held, sizeof *o);
    simkit_store_close(&o->store, sizeof *o);
    assert_int_equal(h.held, 0);
    o = (owner *)simkit_store_open(NULL, sizeof *o); /* of the C library */
    simkit_store_close(&o->store, sizeof *o);
    h.left = 0;
    assert_null(simkit_store_open(&memory, sizeof *o));
}

static void what_a_world_lends_is_counted(void **state)
{
    simkit_world *world;
    int *numbers = NULL;

    (void)state;
    assert_null(simkit_world_store(NULL));
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    const size_t before = simkit_world_memory(world, NULL);
    assert_true(simkit_array_reserve(simkit_world_store(world), numbers, 100));
    assert_true(simkit_world_memory(world, NULL) >= before + 100 * sizeof *numbers);
    simkit_array_discard(simkit_world_store(world), numbers);
    assert_int_equal(simkit_world_memory(world, NULL), before);
    const double twice[2] = { 1, 2 }, other[2] = { 1, 2 };
    const void *kept = simkit_world_keep(world, twice, sizeof twice);
    assert_memory_equal(kept, twice, sizeof twice);
    assert_ptr_equal(simkit_world_keep(world, other, sizeof other), kept); /* each once */
    assert_string_equal((const char *)simkit_world_keep(world, "name", 5), "name");
    assert_null(simkit_world_keep(world, NULL, 1));
    assert_null(simkit_world_keep(world, twice, 0));
    assert_null(simkit_world_keep(NULL, twice, 1));
    simkit_world_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_numbers_in_order),  cmocka_unit_test(a_refused_name_changes_nothing),
        cmocka_unit_test(an_index_finds_what_is_there), cmocka_unit_test(arrays_grow_and_shrink),
        cmocka_unit_test(a_store_owns_its_struct),      cmocka_unit_test(what_a_world_lends_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
