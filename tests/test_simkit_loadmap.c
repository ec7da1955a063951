/* Room loadmap of simkit.h: what each link carries, cell by cell and in sums; what is written; that a record changes nothing. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"
#include "formats.h"
#include "hook.h"
#include "written.h"

enum { MOST_NODES = 7, MOST_LINKS = 9, MOST_FLOWS = 40 };

#define FILE_NAME(ending) "build/test_simkit_loadmap" ending

static simkit_loadmap *map;

static void open_map(void)
{
    succeeds(simkit_loadmap_open(world, &map));
}

static simkit_link add_link(double bandwidth, double duplex)
{
    simkit_link link = 0;
    const simkit_link_desc desc = { .bandwidth = bandwidth, .duplex = duplex };
    succeeds(simkit_link_add(world, &desc, &link));
    return link;
}

static void route(simkit_node from, simkit_node to, const simkit_link *links, size_t count)
{
    simkit_hop hops[MOST_LINKS];
    for (size_t i = 0; i < count; ++i) hops[i] = (simkit_hop){ .link = links[i] };
    succeeds(simkit_route_set(world, from, to, hops, count, true));
}

static simkit_transfer send(simkit_node from, simkit_node to, double bytes)
{
    simkit_transfer transfer;
    succeeds(
        simkit_transfer_start(world, &(simkit_transfer_desc){ .from = from, .to = to, .bytes = bytes }, &transfer));
    return transfer;
}

/* The text of a file, until the next one. */
static const char *text_of(const char *path)
{
    static char *text;
    free(text);
    return text = take(path);
}

static const char *written(const simkit_loadmap_desc *desc)
{
    succeeds(simkit_loadmap_write(map, desc));
    return text_of(desc->path);
}

static const char *picture(void)
{
    const char *text = written(&(simkit_loadmap_desc){ .path = FILE_NAME(".svg"), .title = "<a> & \"b\"" });
    assert_true(xml_is_well_formed(text));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static double cell(uint32_t port, size_t column)
{
    assert_true(simkit__loadmap_catch_up(map));
    return port < simkit__count(map->bytes) && map->bytes[port] ? map->bytes[port][column] : 0;
}

static double link_cell(simkit_link link, bool back, size_t column)
{
    return cell(world->wires[link - 1].ports[back], column);
}

static double node_bytes(simkit_node node, int side)
{
    const uint32_t port = world->nodes[node - 1].ports[side];
    assert_true(simkit__loadmap_catch_up(map));
    return simkit__loadmap_sum(port < simkit__count(map->bytes) ? map->bytes[port] : NULL);
}

/* Links of 64 and 16 B/s in a row. The first transfer crosses one, the second both: it gets 16, the first 32, or max-min the
 * 48 that are left, and all when the second has ended. */
static void cell_by_cell(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 3; ++i) add_node(NULL);
        const simkit_link links[] = { add_link(64, 0), add_link(16, 0) };
        route(1, 2, links, 1);
        route(1, 3, links, 2);
        open_map();
        send(1, 2, 512);
        send(1, 3, 64);
        succeeds(simkit_world_run(world));
        assert_close(simkit_clock_now(world), policy ? 9 : 10, 1e-15);
        assert_equal(map->width, 1 / 16.0);
        for (size_t i = 0; i < 256; ++i) {
            const double first = i < 64 ? (policy ? 64 : 48) : i < (policy ? 144 : 160) ? 64 : 0;
            assert_close(link_cell(1, false, i), first / 16, 1e-14);
            assert_close(link_cell(2, false, i), i < 64 ? 1 : 0, 1e-14);
            assert_equal(link_cell(1, true, i), 0);
            assert_equal(link_cell(2, true, i), 0);
        }
        assert_close(simkit_loadmap_bytes(map, 1, false), 576, 1e-15);
        assert_close(simkit_loadmap_bytes(map, 2, false), 64, 1e-15);
        assert_equal(simkit_loadmap_bytes(map, 2, true), 0);
        assert_true(isnan(simkit_loadmap_bytes(map, 0, false)));
        assert_true(isnan(simkit_loadmap_bytes(map, 3, false)));
        assert_true(isnan(simkit_loadmap_bytes(NULL, 1, false)));
        picture();
    }
}

/* A weight of 3, a limit, half duplex, the links of nodes; and the picture of a moment. */
static void shares_of_all_kinds(void **state)
{
    (void)state;
    add_node(&(simkit_node_desc){ .up_bandwidth = 64, .down_bandwidth = 64, .duplex = 1 });
    add_node(&(simkit_node_desc){ .down_bandwidth = 8 });
    add_node(NULL);
    open_map();
    simkit_transfer_desc desc = { .from = 1, .to = 3, .bytes = 1e6, .weight = 3 };
    succeeds(simkit_transfer_start(world, &desc, NULL)); /* 64 * 3 / 5 */
    desc.to = 2, desc.weight = 1;
    succeeds(simkit_transfer_start(world, &desc, NULL)); /* 8 */
    desc.from = 3, desc.to = 1, desc.rate_limit = 4;
    succeeds(simkit_transfer_start(world, &desc, NULL)); /* 4 */
    succeeds(simkit_world_run_until(world, 10));
    assert_close(node_bytes(1, SIMKIT__UP), 10 * (64 * 0.6 + 8), 1e-14);
    assert_close(node_bytes(1, SIMKIT__DOWN), 10 * 4, 1e-14);
    assert_close(node_bytes(2, SIMKIT__DOWN), 10 * 8, 1e-14);
    assert_equal(node_bytes(2, SIMKIT__UP), 0); /* it has no bandwidth */
    const char *text = picture();
    assert_non_null(strstr(text, "<title>node 1, up: 70 to 75 %</title>"));
    assert_non_null(strstr(text, "<title>node 1, down: 5 to 10 %</title>"));
    assert_non_null(strstr(text, "<title>node 2, down: 95 to 100 %</title>"));
    assert_null(strstr(text, "node 3"));
    assert_non_null(strstr(text, "&lt;a&gt; &amp; &quot;b&quot;"));
}

/* What passes at once is in the column where the bytes begin to flow. */
static void bursts(void **state)
{
    (void)state;
    add_node(&(simkit_node_desc){ .up_bandwidth = 64, .burst = 100 });
    add_node(&(simkit_node_desc){ .down_bandwidth = 32 });
    add_node(NULL);
    open_map();
    send(1, 3, 164); /* 100 at once, then 64 in 1 s */
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 1);
    assert_equal(map->width, 1 / 128.0);
    for (size_t i = 0; i < 128; ++i) assert_close(cell(world->nodes[0].ports[0], i), i == 0 ? 100.5 : 0.5, 1e-14);
    succeeds(simkit_world_run_until(world, 6));
    send(1, 3, 80); /* all at once */
    succeeds(simkit_world_run(world));
    assert_close(node_bytes(1, SIMKIT__UP), 244, 1e-14);
    assert_close(cell(world->nodes[0].ports[0], 192), 80, 1e-14);
    picture();
}

/* A pair with a link of its own counts at the links of both nodes. */
static void links_of_pairs(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 3; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 10, .down_bandwidth = 10 });
        succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 1 / 32.0 }));
        open_map();
        send(1, 2, 64);
        send(1, 3, 20);
        send(1, 1, 5);
        succeeds(simkit_world_run_until(world, 1)); /* 16 and 5 */
        assert_close(node_bytes(2, SIMKIT__DOWN), 16, 1e-14);
        assert_close(node_bytes(3, SIMKIT__DOWN), 5, 1e-14);
        succeeds(simkit_world_run(world));
        assert_close(node_bytes(1, SIMKIT__UP), 84, 1e-14);
        picture(); /* more than its bandwidth is the last colour */
    }
}

/* A record that begins later has what is sent from then on; a second run goes on in it. */
static void it_begins_at_any_time(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        simkit_loadmap *other;
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 2; ++i) add_node(NULL);
        const simkit_link link = add_link(64, 0);
        add_link(1, 0);
        route(1, 2, &link, 1);
        succeeds(simkit_link_fail(world, 2));
        send(1, 2, 640);
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
        send(2, 1, 64);
        succeeds(simkit_world_run(world));
        assert_close(simkit_loadmap_bytes(map, 1, true), 64, 1e-14);
        assert_equal(simkit_loadmap_bytes(map, 1, false), 0);
    }
    simkit_loadmap_close(NULL);
}

static void change(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_link_change(w, 1, 32, 0));
}

static void fail_and_return(simkit_world *w, void *user)
{
    (void)user;
    if (w->wires[0].failed)
        succeeds(simkit_link_repair(w, 1));
    else
        succeeds(simkit_link_fail(w, 1));
}

/* The share of a column is that of what the link could carry in it. */
static void changes_are_marked(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) add_node(NULL);
    const simkit_link link = add_link(64, 0);
    route(1, 2, &link, 1);
    open_map();
    send(1, 2, 1000);
    succeeds(simkit_step_at(world, 4 + 1 / 32.0, 0, change, NULL, NULL));          /* in the middle of a column */
    succeeds(simkit_step_at(world, 6, 0, fail_and_return, NULL, NULL));            /* 258 + 63 B so far */
    succeeds(simkit_step_at(world, 8 + 3 / 64.0, 0, fail_and_return, NULL, NULL)); /* three quarters of one */
    succeeds(simkit_world_run(world));
    send(1, 2, 32);
    succeeds(simkit_world_run(world));
    assert_equal(map->width, 1 / 16.0);
    assert_close(simkit_loadmap_bytes(map, 1, false), 258 + 63 + 32, 1e-14);
    assert_close(link_cell(1, false, 64), 2 + 1, 1e-14);
    simkit__heat_row row;
    simkit__heat_row_of(map, 0, &row);
    for (size_t i = 0; i < simkit__heat_columns(map); ++i)
        assert_close(simkit__heat_share(map, &row, 0, i), i < 96 || i >= 128 ? 1 : 0, 1e-13);
    for (size_t i = 0; i < 256; ++i) {
        assert_close(row.changes->failed[i], i < 96 || i > 128 ? 0 : i < 128 ? 1 / 16.0 : 3 / 64.0, 1e-13);
        assert_equal(row.changes->resized[i], i == 64);
    }
    const char *text = picture();
    assert_non_null(strstr(text, "<title>link 1: failed</title>"));
    assert_non_null(strstr(text, "its bandwidth changed"));
    assert_null(strstr(text, "0 to 5 %"));
    /* columns double, and nothing is lost */
    succeeds(simkit_world_run_until(world, 1e5));
    assert_equal(map->width, 1 / 16.0);
    assert_close(simkit_loadmap_bytes(map, 1, false), 258 + 63 + 32, 1e-14);
    assert_equal(map->width, 512);
    assert_close(link_cell(1, false, 0), 258 + 63 + 32, 1e-14);
    simkit__heat_row_of(map, 0, &row);
    assert_close(simkit__loadmap_sum(row.changes->failed), 2 + 3 / 64.0, 1e-14);
    assert_close(simkit__loadmap_sum(row.changes->capacity), 64 * (4 + 1 / 32.0) + 32 * (1e5 - 6 - 5 / 64.0), 1e-14);
    text = picture(); /* too short to be hatched */
    assert_null(strstr(text, "failed</title>"));
    assert_non_null(strstr(text, "#cc3311"));
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
    send(2, 1, 1);
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
    for (int i = 0; i < 100; ++i) add_link(64, 0);
    route(1, 2, (simkit_link[]){ 70, 99 }, 2);
    open_map();
    send(2, 1, 64);
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

/*=============================================================================
 * Random networks
 *===========================================================================*/
typedef struct sent {
    simkit_transfer_desc desc;
    simkit_link links[MOST_LINKS];
    size_t count;
    simkit_transfer handle;
    int done, lost;
} sent;

static void note_done(simkit_world *w, void *user)
{
    (void)w;
    ++((sent *)user)->done;
}

static void note_lost(simkit_world *w, void *user)
{
    (void)w;
    ++((sent *)user)->lost;
}

static void start(simkit_world *w, void *user)
{
    sent *s = (sent *)user;
    succeeds(simkit_transfer_start(w, &s->desc, &s->handle));
}

static void change_one(simkit_world *w, void *user)
{
    simkit_random *r = (simkit_random *)user;
    const simkit_link link = (simkit_link)simkit_random_below(r, simkit_link_count(w)) + 1;
    succeeds(simkit_link_change(w, link, 10 + 90 * simkit_random_uniform(r), 0));
}

static void fail_one(simkit_world *w, void *user)
{
    simkit_random *r = (simkit_random *)user;
    const simkit_link link = (simkit_link)simkit_random_below(r, simkit_link_count(w)) + 1;
    if (w->wires[link - 1].failed)
        succeeds(simkit_link_repair(w, link));
    else
        succeeds(simkit_link_fail(w, link));
}

/* A random world, and what is sent in it, on the same routes in both directions. Gives the fingerprint. */
static uint64_t random_run(uint64_t seed, bool records, bool fails, sent all[MOST_FLOWS])
{
    simkit_random r = simkit_random_stream(world, seed);
    simkit_link links[MOST_NODES][MOST_NODES][MOST_LINKS];
    size_t counts[MOST_NODES][MOST_NODES];
    const bool plain = simkit_random_below(&r, 4) == 0; /* a star */
    reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)simkit_random_below(&r, 2),
                                       .latency = simkit_random_uniform(&r),
                                       .pair_duplex = simkit_random_below(&r, 4) == 0 ? 1.3 : 0 });
    for (int i = 0; i < MOST_NODES; ++i)
        add_node(
            &(simkit_node_desc){ .up_bandwidth = simkit_random_below(&r, 2) ? 20 + 50 * simkit_random_uniform(&r) : 0,
                                 .down_bandwidth = simkit_random_below(&r, 2) ? 50 : 0,
                                 .duplex = simkit_random_below(&r, 4) == 0 ? 1.5 : 0,
                                 .burst = simkit_random_below(&r, 3) == 0 ? 30 : 0 });
    for (int i = 0; i < MOST_LINKS; ++i) add_link(20 + 80 * simkit_random_uniform(&r), i % 3 == 0 ? 1.2 : 0);
    for (simkit_node from = 1; from <= MOST_NODES; ++from)
        for (simkit_node to = 1; to < from; ++to) {
            size_t count = 0;
            for (simkit_link link = 1; link <= MOST_LINKS && !plain; ++link)
                if (simkit_random_below(&r, 3) == 0) links[from - 1][to - 1][count++] = link;
            counts[from - 1][to - 1] = count;
            if (count > 0) route(from, to, links[from - 1][to - 1], count);
            if (simkit_random_below(&r, 8) == 0)
                succeeds(simkit_pair_set(world, from, to, &(netmodel_link){ 0.5, 0.02 }));
        }
    map = NULL;
    if (records) open_map();
    succeeds(simkit_fingerprint_begin(world));
    for (int i = 0; i < MOST_FLOWS; ++i) {
        sent *s = &all[i];
        memset(s, 0, sizeof *s);
        s->desc.from = (simkit_node)simkit_random_below(&r, MOST_NODES) + 1;
        s->desc.to = (simkit_node)simkit_random_below(&r, MOST_NODES) + 1;
        s->desc.bytes = 500 * simkit_random_uniform(&r);
        s->desc.in_order = simkit_random_below(&r, 3) == 0;
        if (simkit_random_below(&r, 3) == 0) s->desc.weight = 0.5 + 3 * simkit_random_uniform(&r);
        if (simkit_random_below(&r, 3) == 0) s->desc.rate_limit = 5 + 30 * simkit_random_uniform(&r);
        s->desc.done = note_done;
        s->desc.lost = note_lost;
        s->desc.user = s;
        const simkit_node more = s->desc.from > s->desc.to ? s->desc.from : s->desc.to;
        const simkit_node less = s->desc.from + s->desc.to - more;
        if (more != less) {
            s->count = counts[more - 1][less - 1];
            memcpy(s->links, links[more - 1][less - 1], sizeof s->links);
        }
        succeeds(simkit_step_at(world, 20 * simkit_random_uniform(&r), 0, start, s, NULL));
    }
    for (int i = 0; i < 6; ++i)
        succeeds(simkit_step_at(world, 40 * simkit_random_uniform(&r), 0, change_one, &r, NULL));
    for (int i = 0; i < 6 && fails; ++i)
        succeeds(simkit_step_at(world, 21 + 40 * simkit_random_uniform(&r), 0, fail_one, &r, NULL));
    succeeds(simkit_world_run(world));
    return simkit_fingerprint_value(world);
}

static void random_networks(void **state)
{
    static sent all[MOST_FLOWS], same[MOST_FLOWS];
    int lost = 0, finite = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 300; ++seed) {
        const bool fails = seed % 3 == 0;
        double links[MOST_LINKS][2] = { { 0 } }, nodes[MOST_NODES][2] = { { 0 } };
        const uint64_t fingerprint = random_run(seed, false, fails, same);
        assert_int_equal(random_run(seed, true, fails, all), fingerprint);
        if (seed % 16 == 0) picture();
        for (int i = 0; i < MOST_FLOWS; ++i) {
            const sent *s = &all[i];
            assert_int_equal(s->done + s->lost, 1);
            lost += s->lost;
            if (s->lost || s->desc.from == s->desc.to) continue;
            for (size_t k = 0; k < s->count; ++k) links[s->links[k] - 1][s->desc.from < s->desc.to] += s->desc.bytes;
            nodes[s->desc.from - 1][0] += s->desc.bytes;
            nodes[s->desc.to - 1][1] += s->desc.bytes;
        }
        for (int i = 0; i < MOST_LINKS; ++i)
            for (int back = 0; back < 2; ++back) {
                const double bytes = simkit_loadmap_bytes(map, (simkit_link)i + 1, back);
                if (fails)
                    assert_true(bytes >= links[i][back] * (1 - 1e-12));
                else
                    assert_close(bytes, links[i][back], 1e-12);
            }
        for (simkit_node i = 1; i <= MOST_NODES && !fails; ++i)
            for (int side = 0; side < 2; ++side) {
                if (!(world->ports[world->nodes[i - 1].ports[side]].bandwidth < (double)INFINITY)) continue;
                assert_close(node_bytes(i, side), nodes[i - 1][side], 1e-12);
                ++finite;
            }
        /* nothing carries more than it can, but for bursts, and for pairs with links of their own */
        for (size_t i = 0; i < MOST_LINKS; ++i) {
            simkit__heat_row row;
            simkit__heat_row_of(map, i, &row);
            for (size_t k = 0; k < simkit__heat_columns(map); ++k)
                for (int side = 0; side < 2; ++side) {
                    const double share = simkit__heat_share(map, &row, side, k);
                    bool pairs = false;
                    for (simkit_node from = 1; from <= MOST_NODES; ++from)
                        for (size_t n = 0; n < simkit__count(world->nodes[from - 1].pairs); ++n)
                            pairs = pairs || world->nodes[from - 1].pairs[n].own_link;
                    assert_true(share >= 0 && (pairs || share <= 1 + 1e-9));
                }
        }
    }
    assert_true(lost > 100 && finite > 500);
}

static void cancelled_and_lost(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 3; ++i) add_node(NULL);
        const simkit_link link = add_link(64, 0);
        route(1, 2, &link, 1);
        route(1, 3, &link, 1);
        open_map();
        const simkit_transfer transfer = send(1, 2, 640);
        send(1, 3, 640);
        succeeds(simkit_world_run_until(world, 2));
        assert_true(simkit_transfer_cancel(world, transfer));
        const simkit_transfer fresh = send(1, 2, 640); /* cancelled before it flows */
        assert_true(simkit_transfer_cancel(world, fresh));
        succeeds(simkit_world_run_until(world, 3));
        succeeds(simkit_node_fail(world, 3));
        succeeds(simkit_world_run_until(world, 5));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 3, 1e-14);
        send(1, 2, 64);
        succeeds(simkit_world_run(world));
        assert_close(simkit_loadmap_bytes(map, 1, false), 64 * 4, 1e-14);
    }
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
    for (int i = 0; i < 2; ++i) add_link(64, 0);
    route(1, 2, (simkit_link[]){ 1 }, 1);
    route(1, 3, (simkit_link[]){ 1, 2 }, 2);
    succeeds(simkit_fingerprint_begin(world));
    for (int i = 0; i < 20; ++i) send(1, (simkit_node)(2 + i % 2), 64);
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
        WORLD_TEST(cell_by_cell),
        WORLD_TEST(shares_of_all_kinds),
        WORLD_TEST(bursts),
        WORLD_TEST(links_of_pairs),
        WORLD_TEST(it_begins_at_any_time),
        WORLD_TEST(changes_are_marked),
        WORLD_TEST(tables),
        WORLD_TEST(the_busiest_are_shown),
        WORLD_TEST(random_networks),
        WORLD_TEST(cancelled_and_lost),
        WORLD_TEST(mistakes_are_told),
        WORLD_TEST(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
