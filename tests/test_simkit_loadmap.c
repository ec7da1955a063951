/* Room loadmap of simkit.h: what is written of the loads of links, and records that begin, end and fail. What each link carries,
 * cell by cell, is tested in tests/inside. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#define FILE_NAME(ending) scratch("test_simkit_loadmap", &ending[1])

#include "loadmap.h"
#include "hook.h"

/* A record that begins later has what is sent from then on; a second run goes on in it. */
static void it_begins_at_any_time(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        simkit_loadmap *other;
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 2; ++i) add_node(NULL);
        const simkit_link link = add_link(64, 0, 0);
        add_link(1, 0, 0);
        route(1, 2, &link, 1);
        succeeds(simkit_link_fail(world, 2));
        send(1, 2, 640, NULL);
        succeeds(simkit_world_run_until(world, 1000 / 1024.0));
        open_map();
        assert_int_equal(simkit_loadmap_open(world, &other), SIMKIT_BAD_CALL);
        assert_why("at 0.9765625 s: this world has a record of loads already");
        assert_null(other);
        picture(); /* of no time */
        succeeds(simkit_world_run_until(world, 2));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 1.0234375, 1e-14);
        succeeds(simkit_world_run_until(world, 3));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 2.0234375, 1e-14);
        assert_non_null(strstr(picture(), "<title>link 2: failed</title>"));
        succeeds(simkit_world_run(world));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 9.0234375, 1e-14);
        assert_non_null(strstr(picture(), ">3</text>"));
        simkit_loadmap_close(map);
        open_map();
        send(2, 1, 64, NULL);
        succeeds(simkit_world_run(world));
        assert_close(simkit_loadmap_bytes(map, 1, true), 64, 1e-14);
        assert_equal(simkit_loadmap_bytes(map, 1, false), 0);
    }
    simkit_loadmap_close(NULL);
}

static void tables(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 64 });
    succeeds(simkit_link_add(world, &(simkit_link_desc){ .name = "a \"b\"", .bandwidth = 16 }, NULL));
    route(1, 2, (simkit_link[]){ 1 }, 1);
    open_map();
    assert_string_equal(written(&(simkit_loadmap_desc){ .path = FILE_NAME(".csv") }),
                        "link,direction,begin [s],end [s],bytes [B],share [1]\n");
    send(2, 1, 1, NULL);
    succeeds(simkit_world_run_until(world, 15.0625));
    assert_string_equal(written(&(simkit_loadmap_desc){ .path = FILE_NAME(".csv") }),
                        "link,direction,begin [s],end [s],bytes [B],share [1]\n"
                        "\"a 'b'\",back,0.000000000000,0.062500000000,1.000000,1.000000000\n"
                        "\"node 2\",up,0.000000000000,0.062500000000,1.000000,0.250000000\n");
    assert_non_null(strstr(picture(), ">upper: forth, or up from a node; lower: back, or down to it<")); /* all of it */
}

/* Where the name of a row stands in a picture [px]. */
static double height_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    while (strncmp(at, " y=\"", 4) != 0) --at;
    return strtod(at + 4, NULL);
}

static void the_busiest_are_shown(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) add_node(NULL);
    for (int i = 0; i < 100; ++i) add_link(64, 0, 0);
    route(1, 2, (simkit_link[]){ 70, 99 }, 2);
    open_map();
    send(2, 1, 64, NULL);
    succeeds(simkit_world_run(world));
    const char *text = picture();
    assert_non_null(strstr(text, ">the 60 busiest of 100 links<"));
    assert_non_null(strstr(text, ">link 70<"));
    assert_non_null(strstr(text, ">link 99<"));
    assert_non_null(strstr(text, ">link 58<"));
    assert_null(strstr(text, ">link 59<"));
    text = written(&(simkit_loadmap_desc){ .path = FILE_NAME(".svg"), .links = 1 });
    assert_non_null(strstr(text, ">link 70<"));
    assert_null(strstr(text, ">link 99<"));
    text = written(&(simkit_loadmap_desc){ .path = FILE_NAME(".svg"), .links = 100 });
    assert_null(strstr(text, "busiest"));
    assert_true(height_of(text, ">link 2<") - height_of(text, ">link 1<") == 11); /* thinner rows for so many */
    text = picture();
    assert_true(height_of(text, ">link 2<") - height_of(text, ">link 1<") == 17);
}

static void cancelled_and_lost(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 3; ++i) add_node(NULL);
        const simkit_link link = add_link(64, 0, 0);
        route(1, 2, &link, 1);
        route(1, 3, &link, 1);
        open_map();
        const simkit_transfer transfer = send(1, 2, 640, NULL);
        send(1, 3, 640, NULL);
        succeeds(simkit_world_run_until(world, 2));
        assert_true(simkit_transfer_cancel(world, transfer));
        const simkit_transfer fresh = send(1, 2, 640, NULL); /* cancelled before it flows */
        assert_true(simkit_transfer_cancel(world, fresh));
        succeeds(simkit_world_run_until(world, 3));
        succeeds(simkit_node_fail(world, 3));
        succeeds(simkit_world_run_until(world, 5));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 3, 1e-14);
        send(1, 2, 64, NULL);
        succeeds(simkit_world_run(world));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 4, 1e-14);
    }
}

/* A map that is read in the middle of an instant, after a link has changed and before the shares are settled, goes on with those
 * that are settled at its end. */
static void reading_changes_nothing(void **state)
{
    (void)state;
    reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN });
    add_node(&(simkit_node_desc){ .up_bandwidth = 50 });
    add_nodes(2);
    const simkit_link link = add_link(20, 0, 0);
    route(1, 2, &link, 1);
    succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 0.1 }));
    open_map();
    send(1, 2, 160, NULL);
    send(1, 3, 150, NULL);
    send(1, 3, 1100, NULL);
    for (int i = 0; i < 4; ++i) {
        succeeds(simkit_world_run_until(world, 3.5 + i));
        succeeds(simkit_link_change(world, link, i % 2 ? 20 : 100, 0));
        (void)simkit_loadmap_bytes(map, link, false);
    }
    succeeds(simkit_world_run(world));
    assert_close(simkit_loadmap_bytes(map, link, false), 160, 1e-14);
    const char *text = written(&(simkit_loadmap_desc){ .path = FILE_NAME(".csv") });
    assert_null(strstr(text, "-0."));
    double most = 0;
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *share = strchr(line + 1, '\n');
        while (*--share != ',') continue;
        most = fmax(most, strtod(share + 1, NULL));
    }
    assert_true(most <= 1);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    assert_int_equal(simkit_loadmap_open(NULL, &map), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_loadmap_open(world, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a record of loads needs a place for it");
    open_map();
    picture(); /* of nothing */
    assert_int_equal(simkit_loadmap_write(NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_loadmap_write(map, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a map of loads needs a path");
    assert_int_equal(simkit_loadmap_write(map, &(simkit_loadmap_desc){ .path = "x.json" }), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: the path of a map of loads is 'x.json', expected one that ends in .svg or .csv");
    assert_int_equal(simkit_loadmap_write(map, &(simkit_loadmap_desc){ .path = "x" }), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_loadmap_write(map, &(simkit_loadmap_desc){ .path = "nowhere/x.svg" }), SIMKIT_NO_FILE);
    assert_why("at 0 s: cannot write 'nowhere/x.svg'");
}

/* Every allocation is refused, from then on or once: the run is the same, and what is missing is told. */
static void open_refusing(hook *h)
{
    succeeds(simkit_world_open(&(simkit_world_desc){ .memory = { reallocate, h } }, &world));
    for (int i = 0; i < 3; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 50 });
    for (int i = 0; i < 2; ++i) add_link(64, 0, 0);
    route(1, 2, (simkit_link[]){ 1 }, 1);
    route(1, 3, (simkit_link[]){ 1, 2 }, 2);
    succeeds(simkit_fingerprint_begin(world));
    for (int i = 0; i < 20; ++i) send(1, (simkit_node)(2 + i % 2), 64, NULL);
}

static void memory_is_refused(void **state)
{
    uint64_t expected = 0;
    (void)state;
    simkit_world_close(world);
    for (int once = 0; once < 2; ++once)
        for (long allowed = -1;; ++allowed) {
            hook h = { .left = -1, .once = once };
            simkit_loadmap *m;
            open_refusing(&h);
            h.left = allowed;
            simkit_result result = simkit_loadmap_open(world, &m);
            const bool opened = result == SIMKIT_OK;
            assert_int_equal(opened, m != NULL);
            if (!opened) assert_int_equal(result, SIMKIT_NO_MEMORY);
            succeeds(simkit_world_run_until(world, 2));
            succeeds(simkit_link_change(world, 1, 32, 0));
            succeeds(simkit_world_run_until(world, 4));
            succeeds(simkit_link_fail(world, 2));
            succeeds(simkit_world_run(world));
            if (expected == 0) expected = simkit_fingerprint_value(world);
            assert_int_equal(simkit_fingerprint_value(world), expected);
            if (opened) result = simkit_loadmap_write(m, &(simkit_loadmap_desc){ .path = FILE_NAME(".svg") });
            assert_int_equal(result, h.refused ? SIMKIT_NO_MEMORY : SIMKIT_OK);
            if (result == SIMKIT_OK) assert_true(xml_is_well_formed(text_of(FILE_NAME(".svg"))));
            if (allowed % 2) simkit_loadmap_close(opened ? m : NULL);
            simkit_world_close(world);
            assert_int_equal(h.blocks, 0);
            if (allowed >= 0 && !h.refused) break;
        }
    succeeds(simkit_world_open(NULL, &world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(it_begins_at_any_time),   WORLD_TEST(tables),
        WORLD_TEST(the_busiest_are_shown),   WORLD_TEST(cancelled_and_lost),
        WORLD_TEST(reading_changes_nothing), WORLD_TEST(mistakes_are_told),
        WORLD_TEST(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
