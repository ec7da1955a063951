/* hosts.c - the hosts of a run: the costs of computing, packing, sending, transmitting and receiving, [clue] "Virtual
 * Machines", and the machine file that defines them. docs/messages.md describes it. */
#define _GNU_SOURCE
#include "core.h"
#include "keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 64 };

/*=============================================================================
 * MARK: - >>hosts and delays
 *===========================================================================*/

/* The place of a name in by_name, or a free place for it (FNV-1a with linear probing). */
static uint32_t *hosts__name_place(const messages_cluster *c, const char *name)
{
    const size_t places = 2 * c->room;
    uint32_t hash = 2166136261u;
    for (const char *at = name; *at; ++at) hash = (hash ^ (unsigned char)*at) * 16777619u;
    size_t place = hash % places;
    while (c->by_name[place] && strcmp(c->hosts[c->by_name[place] - 1].name, name) != 0) place = (place + 1) % places;
    return &c->by_name[place];
}

/* Adds a host to the names, unless an earlier host has its name. */
static void hosts__host_named(messages_cluster *c, size_t number)
{
    uint32_t *place = hosts__name_place(c, c->hosts[number].name);
    if (!*place) *place = (uint32_t)number + 1;
}

static messages_host *hosts__host_add(messages_cluster *c)
{
    if (c->count == c->room) {
        const size_t room = c->room ? 2 * c->room : 16;
        c->hosts = direct_reallocate(NULL, c->hosts, c->room * sizeof *c->hosts, room * sizeof *c->hosts);
        c->by_name =
            direct_reallocate(NULL, c->by_name, 2 * c->room * sizeof *c->by_name, 2 * room * sizeof *c->by_name);
        c->room = room;
        memset(c->by_name, 0, 2 * room * sizeof *c->by_name);
        for (size_t i = 0; i < c->count; ++i) hosts__host_named(c, i);
    }
    messages_host *host = &c->hosts[c->count++];
    memset(host, 0, sizeof *host);
    return host;
}

static void hosts__host_open(messages_cluster *c, simkit_world *world, int32_t number)
{
    messages_host *host = &c->hosts[number];
    host->desc.name = host->name; /* hosts move */
    simkit_result result = simkit_node_add(world, &host->desc, &host->node);
    if (result == SIMKIT_OK && c->population)
        result = simkit_population_start(world, c->population, (size_t)number + 1, host->node);
    if (result == SIMKIT_OK && c->loads) result = simkit_load_record(world, host->node);
    if (result != SIMKIT_OK) messages_end(1, "%s", simkit_world_why(world));
}

/* The pairs of a host with a bandwidth, with those hosts that are open: what is between two goes over the links of both and over this. */
static void hosts__pairs_open(const messages_cluster *c, simkit_world *world, int32_t host)
{
    for (size_t i = 0; i < c->pair_count; ++i) {
        const messages_pair *pair = &c->pairs[i];
        const int32_t other = pair->from == host ? pair->to : pair->from;
        if (!(pair->bandwidth > 0) || (pair->from != host && pair->to != host)) continue;
        if ((size_t)other >= c->count || !c->hosts[other].node) continue;
        const netmodel_link own = { 0, 1 / pair->bandwidth }; /* messages have their latency before their bytes flow */
        if (simkit_pair_set(world, c->hosts[pair->from].node, c->hosts[pair->to].node, &own) != SIMKIT_OK)
            messages_end(1, "%s", simkit_world_why(world));
    }
}

int32_t messages_host_open(messages_cluster *c, simkit_world *world, int32_t host)
{
    if (!c->hosts[host].node) {
        hosts__host_open(c, world, host);
        hosts__pairs_open(c, world, host);
    }
    return host;
}

simkit_node messages_switch_node(messages_cluster *c, simkit_world *world)
{
    const simkit_node_desc desc = { .name = "switch" };
    if (!c->between && simkit_node_add(world, &desc, &c->between) != SIMKIT_OK)
        messages_end(1, "%s", simkit_world_why(world));
    return c->between;
}

void messages_hosts_open(messages_cluster *c, simkit_world *world)
{
    for (size_t i = 0; i < c->count; ++i) messages_host_open(c, world, (int32_t)i);
}

static void hosts__keep(simkit_world *world, simkit_node node)
{
    if (node && simkit_load_record(world, node) != SIMKIT_OK) messages_end(1, "%s", simkit_world_why(world));
}

void messages_hosts_keep(messages_cluster *c, simkit_world *world)
{
    if (c->loads) return;
    c->loads = true;
    for (size_t i = 0; i < c->count; ++i) {
        const messages_host *h = &c->hosts[i];
        hosts__keep(world, h->node);
        for (uint32_t core = 0; h->parts && core < h->desc.cores; ++core) hosts__keep(world, h->parts[core].node);
    }
}

double messages_host_load(const messages_host *h, simkit_world *world, double beta, double interval)
{
    double load = simkit_load_average(world, h->node, beta, interval);
    for (uint32_t core = 0; h->parts && core < h->desc.cores; ++core)
        if (h->parts[core].node) load += simkit_load_average(world, h->parts[core].node, beta, interval);
    return load;
}

uint32_t messages_bound_cores(const messages_cluster *c, int32_t host)
{
    const messages_host *h = &c->hosts[host];
    switch (c->bind) {
    case MESSAGES_BIND_CORE: return c->threads < h->desc.cores ? (uint32_t)c->threads : h->desc.cores;
    case MESSAGES_BIND_SOCKET: return h->sockets > 0 ? h->desc.cores / h->sockets : h->desc.cores;
    default: return h->desc.cores;
    }
}

/* The first host on a computer that several share. */
static int32_t hosts__first_on_computer(const messages_cluster *c, unsigned computer)
{
    size_t i = 0;
    while (c->hosts[i].desc.host != computer) ++i;
    return (int32_t)i;
}

/* The copy of the first host with this index. */
static int32_t hosts__host_in_place(messages_cluster *c, size_t place)
{
    for (size_t i = place >= c->places && place > 0 ? c->count : 0; i < c->count; ++i)
        if (c->hosts[i].place == place && !c->hosts[i].only_asked) return (int32_t)i;
    if (place >= c->places) c->places = place + 1;
    messages_host *copy = hosts__host_add(c);
    *copy = c->hosts[0];
    const size_t computers = c->machine->kinds[0].hosts; /* the copies are on them in turn; 0: each is one of its own */
    const size_t turn = computers > 0 ? place % computers : place;
    if (copy->desc.place > 0) copy->desc.place += (unsigned)turn;
    if (computers > 0) copy->desc.host += (unsigned)turn;
    snprintf(copy->name, sizeof copy->name, "%.20s%zu", c->hosts[0].type, place);
    copy->node = 0;
    copy->queued = 0;
    copy->first_waiting = copy->last_waiting = NULL;
    copy->place = place;
    copy->tasks = 0;
    copy->parts = NULL;
    copy->busy_until = copy->disk.free_at = 0;
    copy->computer = computers > 0 ? hosts__first_on_computer(c, copy->desc.host) : (int32_t)c->count - 1;
    hosts__host_named(c, c->count - 1);
    return (int32_t)c->count - 1;
}

/* How many tasks a host takes by cores. */
static size_t hosts__takes(const messages_cluster *c, const messages_host *host)
{
    const size_t tasks = host->desc.cores / c->threads;
    return tasks > 0 ? tasks : 1;
}

/* A rule gives each core a task. Drops from such a placement the tasks for which their host has no core left. */
static void hosts__placed_thin(messages_cluster *c)
{
    size_t kept = 0, round = 0; /* after so many the rule begins again */
    const size_t bytes = (c->unlimited ? MESSAGES_MOST_TASKS : c->count) * sizeof(size_t);
    size_t *taken = direct_reallocate(NULL, NULL, 0, bytes);
    for (size_t i = 0; i < c->count; ++i) round += c->hosts[i].desc.cores;
    for (size_t i = 0; i < MESSAGES_MOST_TASKS; ++i) {
        const size_t host = c->placed[i];
        if (i == 0 || (!c->unlimited && i % round == 0)) memset(taken, 0, bytes);
        if (taken[host]++ < hosts__takes(c, &c->hosts[c->unlimited ? 0 : host])) c->placed[kept++] = host;
    }
    c->placed_count = kept;
    direct_reallocate(NULL, taken, bytes, 0);
}

const char *messages_cluster_place(messages_cluster *c, const char *how)
{
    static char MESSAGES_COMMON why[sizeof(simkit_parse_error) + 20];
    const simkit_machine *m = c->machine;
    simkit_parse_error error;
    const bool rule = strcmp(how, "block") == 0 || strcmp(how, "round-robin") == 0;
    if (c->unlimited && m->kind_count > 1)
        return "SIMKIT_PLACE: expected a 'count' of the first node in the machine file";
    const size_t nodes = m->nodes ? m->nodes : MESSAGES_MOST_TASKS, bytes = MESSAGES_MOST_TASKS * sizeof *c->placed;
    c->placed = direct_reallocate(NULL, NULL, 0, bytes);
    const simkit_result result = simkit_machine_placement(m, how, nodes, true, MESSAGES_MOST_TASKS, c->placed, &error);
    if (result != SIMKIT_OK) {
        snprintf(why, sizeof why, "%s%s", result == SIMKIT_NO_FILE ? "SIMKIT_PLACE=" : "",
                 error.text[0] ? error.text : simkit_result_text(result));
        return why;
    }
    c->placed_count = MESSAGES_MOST_TASKS;
    if (rule && c->threads > 1) hosts__placed_thin(c);
    const size_t count = c->placed_count;
    c->placed_count = 0;
    for (size_t i = 0; i < count; ++i) /* a rule leaves out hosts that are used only if asked for */
        if (!rule || c->unlimited || !c->hosts[c->placed[i]].only_asked) c->placed[c->placed_count++] = c->placed[i];
    return NULL;
}

int32_t messages_host_for(messages_cluster *c, simkit_world *world, size_t task)
{
    if (c->placed) task = c->placed[task % c->placed_count];
    if (c->unlimited) return messages_host_open(c, world, hosts__host_in_place(c, task));
    if (c->placed) return messages_host_open(c, world, (int32_t)task);
    for (size_t i = c->room_by_cores > 0 ? c->count : 0; i < c->count; ++i)
        if (!c->hosts[i].only_asked) c->room_by_cores += hosts__takes(c, &c->hosts[i]);
    task %= c->room_by_cores;
    if (task < c->before_filling) c->filling = c->before_filling = 0;
    for (;; ++c->filling) { /* goes on from the host of the task before */
        const messages_host *h = &c->hosts[c->filling];
        if (h->only_asked) continue;
        if (task - c->before_filling < hosts__takes(c, h)) break;
        c->before_filling += hosts__takes(c, h);
    }
    return messages_host_open(c, world, (int32_t)c->filling);
}

enum { PACK = 1, SEND = 2, TRANSMIT = 4, RECEIVE = 8, COPY = 16 };

/* Pairs are sorted, so that each message finds its own by a binary search. */
static int hosts__pair_order(const void *a, const void *b)
{
    const messages_pair *one = a, *other = b;
    if (one->from != other->from) return one->from < other->from ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

/* The pair of hosts in the machine file; NULL: not there. */
static const messages_pair *hosts__pair_between(const messages_cluster *c, int32_t from, int32_t to)
{
    const messages_pair wanted = { .from = from, .to = to };
    return c->pair_count > 0 ? bsearch(&wanted, c->pairs, c->pair_count, sizeof *c->pairs, hosts__pair_order) : NULL;
}

/* The delays of a message, for one `part`: those of the pair if it defines them, else those of the host `mine`. */
static const netmodel_message *hosts__delays(const messages_cluster *c, int32_t from, int32_t to, int32_t mine,
                                             unsigned part)
{
    const messages_pair *pair = hosts__pair_between(c, from, to);
    if (pair && pair->said & part) return &pair->delays;
    const messages_host *host = &c->hosts[mine];
    return from == to && host->self_said & part ? &host->self : &host->delays;
}

/*=============================================================================
 * MARK: - >>messages within a host
 *
 * They go through its memory: the sender copies a message into memory that both share, unless it is so large that it asks first,
 * and the receiver copies it from there. Each copy is CPU time, and reads and writes each byte.
 *===========================================================================*/

static bool hosts__says_transmit(const messages_host *h)
{
    return (h->self_said | h->said) & TRANSMIT;
}

static bool hosts__copies(const messages_cluster *c, int32_t from, int32_t to, unsigned part)
{
    const messages_host *h = &c->hosts[from];
    if (from != to || hosts__says_transmit(h) || (h->self_said | h->said) & part) return false;
    const messages_pair *pair = hosts__pair_between(c, from, to);
    return !pair || !(pair->said & (TRANSMIT | part));
}

/* Of a host: as its file says, or as measured here, or as fast as its memory, if that is known. */
static netmodel_delay hosts__copy(const messages_cluster *c, int32_t host)
{
    const messages_host *h = &c->hosts[host];
    netmodel_delay copy = { .link = { 0, 0 } };
    if (h->said & COPY) return h->copy;
    if (c->has_copy)
        copy.link = (netmodel_link){ c->copy.latency * h->factor, c->copy.byte_time * h->factor };
    else if (h->desc.memory_bandwidth > 0)
        copy.link.byte_time = 2 / h->desc.memory_bandwidth;
    return copy;
}

static messages_work hosts__copying(const messages_cluster *c, int32_t host, double bytes)
{
    const netmodel_delay copy = hosts__copy(c, host);
    const double seconds = fmax(netmodel_delay_time(&copy, bytes) - netmodel_delay_time(&copy, 0), 0);
    return (messages_work){ seconds, 2 * bytes };
}

bool messages_host_is_free(const messages_cluster *c, int32_t host)
{
    const messages_host *h = &c->hosts[host];
    return !c->has_copy && !(h->said & COPY) && !hosts__says_transmit(h) && !(h->desc.memory_bandwidth > 0);
}

void messages_host_joined(messages_cluster *c, int32_t host)
{
    const messages_host *h = &c->hosts[host];
    if (++c->hosts[host].tasks < 2 || !c->measures_copy || c->has_copy) return;
    if (h->said & COPY || hosts__says_transmit(h)) return;
    c->copy = messages_copy_measured();
    c->has_copy = true;
}

/*=============================================================================
 * MARK: - >>CPU time of messages
 *===========================================================================*/

double messages_pack_delay(const messages_cluster *c, int32_t host, double bytes)
{
    return netmodel_delay_time(&c->hosts[host].delays.pack, bytes);
}

/* The CPU time of a message, of which its fixed time is less if others are waiting, or soon after another one. */
static double hosts__cost(const messages_cluster *c, const netmodel_delay *delay, double bytes, double repeated,
                          double more, const messages_haste *haste)
{
    const double time = netmodel_delay_time(delay, bytes), fixed = netmodel_delay_time(delay, 0);
    double part = 1;
    if (haste->follows && more >= 0) return fmax(time - fixed, 0) + more;
    if (haste->computed < c->spacing) part = repeated + (1 - repeated) * haste->computed / c->spacing;
    return part < 1 ? fmax(time - (1 - part) * fixed, 0) : time;
}

messages_work messages_send_work(const messages_cluster *c, int32_t from, int32_t to, double bytes,
                                 const messages_haste *haste)
{
    const double more = from != to ? c->hosts[from].send_more : -1;
    if (hosts__copies(c, from, to, SEND)) return hosts__copying(c, from, c->eager < 0 || bytes <= c->eager ? bytes : 0);
    return (messages_work){
        hosts__cost(c, &hosts__delays(c, from, to, from, SEND)->send, bytes, c->repeated, more, haste), 0
    };
}

/* Each computation is taken to have a core, and all cores of the computer to share the work evenly. */
void messages_host_busy(messages_cluster *c, int32_t host, double now, double seconds)
{
    messages_host *computer = &c->hosts[c->hosts[host].computer];
    computer->busy_until = fmax(computer->busy_until, now) + seconds / computer->desc.cores;
}

double messages_watch_delay(const messages_cluster *c, int32_t host, double bytes, double waited, double now,
                            double *wake)
{
    const messages_host *h = &c->hosts[host];
    const double fixed = netmodel_delay_time(&h->watch, 0),
                 more = fmax(netmodel_delay_time(&h->watch, bytes) - fixed, 0);
    *wake = 0;
    if (h->watch_busy >= 0 && now <= c->hosts[h->computer].busy_until) return more + (waited > 0 ? h->watch_busy : 0);
    /* At first it polls; then it sleeps, and has to be woken, which takes as long as what it polled at most. */
    const double polled = fmin(2 * waited, fixed);
    if (fixed > 0) *wake = h->wake * polled / fixed;
    return more + polled;
}

messages_work messages_receive_work(const messages_cluster *c, int32_t from, int32_t to, double bytes,
                                    const messages_haste *haste)
{
    const double more = from != to ? c->hosts[to].receive_more : -1;
    if (hosts__copies(c, from, to, RECEIVE)) return hosts__copying(c, to, bytes);
    const netmodel_delay *receive = &hosts__delays(c, from, to, to, RECEIVE)->receive;
    return (messages_work){ hosts__cost(c, receive, bytes, c->repeated_receive, more, haste), 0 };
}

/*=============================================================================
 * MARK: - >>ways
 *===========================================================================*/

/* Returns true if a host is among those of a route's end. */
static bool hosts__among(int32_t host, size_t first, size_t count)
{
    return (size_t)host >= first && (size_t)host - first < count;
}

/* The route between two hosts: adds the latencies of its links to those that are there, and takes the smallest bandwidth. A
 * direct route has its own only. False without a route. */
static bool hosts__route_follow(const messages_cluster *c, int32_t from, int32_t to, double *latency, double *bandwidth)
{
    const simkit_machine *m = c->machine;
    for (size_t i = m->route_count; i-- > 0;) { /* the last one counts */
        const simkit_machine_route *r = &m->routes[i];
        if (!(hosts__among(from, r->from, r->from_count) && hosts__among(to, r->to, r->to_count)) &&
            (r->one_way || !(hosts__among(to, r->from, r->from_count) && hosts__among(from, r->to, r->to_count))))
            continue;
        if (r->direct) *latency = 0, *bandwidth = INFINITY;
        for (size_t k = r->first; k < r->first + r->count; ++k) {
            const simkit_machine_link *link = &m->links[m->hops[k].link - 1];
            *latency += c->link_latencies[m->hops[k].link - 1];
            if (link->bandwidth > 0 && link->bandwidth < *bandwidth) *bandwidth = link->bandwidth;
        }
        return true;
    }
    if (!m->topology) return false;
    const size_t a = c->hosts[from].desc.place - 1, b = c->hosts[to].desc.place - 1;
    const size_t count = netmodel_topology_route(m->topology, a, b, c->channels, c->channel_count);
    if (count == NETMODEL_NO_ROUTE) return false;
    for (size_t i = 0; i < count; ++i) {
        const netmodel_cable cable = netmodel_topology_link(m->topology, c->channels[i] / 2);
        *latency += cable.latency;
        if (cable.bandwidth < *bandwidth) *bandwidth = cable.bandwidth;
    }
    return count > 0;
}

/* The way between two hosts over the links of both and of the route, without what is special about the two. */
static messages_way hosts__links_between(const messages_cluster *c, int32_t from, int32_t to)
{
    const double up = c->hosts[from].desc.up_bandwidth, down = c->hosts[to].desc.down_bandwidth;
    messages_way way = { .latency = c->latency };
    double bandwidth = fmin(up > 0 ? up : INFINITY, down > 0 ? down : INFINITY);
    const bool routed = from != to && hosts__route_follow(c, from, to, &way.latency, &bandwidth);
    way.shared = from != to && bandwidth < INFINITY;
    way.bandwidth = bandwidth < INFINITY ? bandwidth : 0;
    /* with a duplex factor of pairs, both hosts of one must be known to each transfer */
    way.switched = way.shared && !routed && up > 0 && down > 0 && !(c->machine->pair_duplex > 0);
    return way;
}

messages_way messages_way_between(const messages_cluster *c, int32_t from, int32_t to)
{
    messages_way way = hosts__links_between(c, from, to);
    const messages_pair *pair = from != to ? hosts__pair_between(c, from, to) : NULL;
    if (pair && pair->latency >= 0) way.latency = pair->latency;
    if (pair && pair->bandwidth > 0) { /* shared by the messages of the pair: see hosts__pairs_open() */
        way.bandwidth = pair->bandwidth;
        way.shared = true;
        way.switched = false;
    }
    if (c->machine->window > 0 && way.latency > 0) {
        way.limit = netmodel_window_rate(c->machine->window, way.latency);
        if (!(way.bandwidth > 0) || way.limit < way.bandwidth) way.bandwidth = way.limit;
    }
    return way;
}

void messages_transmission(const messages_cluster *c, int32_t from, int32_t to, double bytes, double header,
                           double *latency, double *whole)
{
    const netmodel_message *message = hosts__delays(c, from, to, from, TRANSMIT);
    const netmodel_delay *delay = &message->transmit;
    const messages_way way = messages_way_between(c, from, to);
    if (message != &c->hosts[from].delays || c->hosts[from].said & TRANSMIT) {
        *latency = netmodel_delay_time(delay, 0);
        *whole = bytes > 0 ? netmodel_delay_time(delay, bytes) : *latency;
        if (*whole < *latency) *whole = *latency;
    } else if (from == to) {
        const netmodel_delay copy = hosts__copy(c, from);
        *latency = *whole = netmodel_delay_time(&copy, 0);
    } else {
        *latency = way.latency;
        *whole = *latency + (way.bandwidth > 0 ? (bytes + header) / way.bandwidth : 0);
    }
    /* Without a shared link all of it is latency. */
    if (!way.shared) *latency = *whole;
}

int32_t messages_host_find(const messages_cluster *c, const char *name)
{
    return c->count > 0 ? (int32_t)*hosts__name_place(c, name) - 1 : -1;
}

/*=============================================================================
 * MARK: - >>machine files
 *===========================================================================*/

/* The part of a machine file that simkit_machine_read() does not know. */
typedef struct reading {
    messages_cluster *cluster;
    messages_host *kinds; /* kinds[room]; the first `count` are known */
    size_t count, room;
    size_t pair_room;
    unsigned lines[2][32]; /* where each key of the machine, and of this node, was set */
} reading;

/* `TIME`, `TIME + BANDWIDTH` or `SIZE: TIME, SIZE: TIME, ...` */
static bool hosts__read_delay(simkit_reader *r, netmodel_delay *delay)
{
    double bytes[MOST_POINTS], seconds[MOST_POINTS], value;
    size_t count = 0;
    const char *from = r->at, *unit;
    if (!simkit_reader_quantity(r, NULL, &value, &unit)) return false;
    if (strcmp(unit, "s") == 0) {
        *delay = (netmodel_delay){ .link = { value, 0 } };
        if (!simkit_reader_accept(r, '+')) return true;
        double bandwidth;
        from = r->at;
        if (!simkit_reader_quantity(r, "B/s", &bandwidth, NULL)) return false;
        if (!(bandwidth > 0)) return simkit_reader_error(r, from, "the bandwidth is 0, expected a number > 0");
        delay->link.byte_time = 1 / bandwidth;
        return true;
    }
    for (;;) {
        if (count == MOST_POINTS) return simkit_reader_error(r, from, "more than %d points", MOST_POINTS);
        if (strcmp(unit, "B") != 0)
            return simkit_reader_error(
                r, from,
                "the unit is '%s', expected a time (s, ms, us, ns, min, h) or a size (B, kB, MB, GB, KiB, MiB, GiB)",
                unit);
        bytes[count] = value;
        if (!simkit_reader_accept(r, ':'))
            return simkit_reader_error(r, r->at, "expected ':' and a time after the size");
        if (!simkit_reader_quantity(r, "s", &seconds[count++], NULL)) return false;
        if (!simkit_reader_accept(r, ',')) break;
        from = r->at;
        if (!simkit_reader_quantity(r, NULL, &value, &unit)) return false;
    }
    double *kept = direct_new(2 * count * sizeof *kept);
    memcpy(kept, bytes, count * sizeof *kept);
    memcpy(kept + count, seconds, count * sizeof *kept);
    netmodel_curve curve;
    netmodel_result result = netmodel_curve_init_any(kept, kept + count, count, &curve, NULL);
    if (result != NETMODEL_OK) return simkit_reader_error(r, from, "%s", netmodel_result_text(result));
    *delay = (netmodel_delay){ .kind = NETMODEL_DELAY_CURVE, .curve = curve };
    return true;
}

enum { TIME, SIZE, RATE, COUNT, TEXT, PLACEMENT, PROGRESS, DELAY, SELF_DELAY };

typedef struct key {
    const char *name;
    int kind;
    size_t place;
    unsigned part;
} key;

#define NODE_KEY(NAME, KIND, FIELD, PART) { NAME, KIND, offsetof(messages_host, FIELD), PART },
#define MACHINE_KEY(NAME, KIND, FIELD, PART) { NAME, KIND, offsetof(messages_cluster, FIELD), PART },
#define PAIR_KEY(NAME, KIND, FIELD, PART) { NAME, KIND, offsetof(messages_pair, FIELD), PART },

static const key node_keys[] = { MESSAGES_NODE_KEYS(NODE_KEY){ NULL, 0, 0, 0 } };
static const key machine_keys[] = { MESSAGES_MACHINE_KEYS(MACHINE_KEY){ NULL, 0, 0, 0 } };
static const key pair_keys[] = { MESSAGES_PAIR_KEYS(PAIR_KEY){ NULL, 0, 0, 0 } };

static const key *hosts__find_key(const key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0) ++keys;
    return keys->name ? keys : NULL;
}

static bool hosts__read_value(simkit_reader *r, const key *k, void *base)
{
    static const char *const placements[] = { "any", "explicit" }, *const progress[] = { "always", "calls" };
    void *place = (char *)base + k->place;
    size_t chosen;
    switch (k->kind) {
    case TIME: return simkit_reader_quantity(r, "s", place, NULL);
    case SIZE: return simkit_reader_quantity(r, "B", place, NULL);
    case RATE: return simkit_reader_quantity(r, "B/s", place, NULL);
    case COUNT: return simkit_reader_integer(r, place);
    case TEXT:
        return k->place == offsetof(messages_cluster, users) ? simkit_reader_text(r, place, 1024)
                                                             : simkit_reader_word(r, place, "a type");
    case PLACEMENT:
    case PROGRESS:
        if (!simkit_reader_choice(r, k->kind == PROGRESS ? progress : placements, 2, &chosen)) return false;
        *(bool *)place = chosen == 1;
        return true;
    default: return hosts__read_delay(r, place);
    }
}

/* Adds the hosts' part of each kind of nodes; a key that a later kind does not set is that of the first kind. */
static void hosts__add_kinds(reading *in, const simkit_machine *m)
{
    for (; in->count < m->kind_count; ++in->count) {
        if (in->count == in->room) {
            const size_t room = in->room ? 2 * in->room : 8;
            in->kinds = direct_reallocate(NULL, in->kinds, in->room * sizeof *in->kinds, room * sizeof *in->kinds);
            in->room = room;
        }
        messages_host *kind = &in->kinds[in->count];
        memset(kind, 0, sizeof *kind);
        kind->send_more = kind->receive_more = kind->watch_busy = -1;
        if (in->count > 0) *kind = in->kinds[0];
        kind->only_asked = false;
        snprintf(kind->type, sizeof kind->type, "%s", m->kinds[in->count].name);
        memset(in->lines[1], 0, sizeof in->lines[1]);
    }
}

static void hosts__add_pairs(reading *in, const simkit_machine *m)
{
    messages_cluster *c = in->cluster;
    for (; c->pair_count < m->pair_count; ++c->pair_count) {
        if (c->pair_count == in->pair_room) {
            const size_t room = in->pair_room ? 2 * in->pair_room : 1;
            c->pairs = direct_reallocate(NULL, c->pairs, in->pair_room * sizeof *c->pairs, room * sizeof *c->pairs);
            in->pair_room = room;
        }
        messages_pair *pair = &c->pairs[c->pair_count];
        memset(pair, 0, sizeof *pair);
        pair->from = (int32_t)m->pairs[c->pair_count].from;
        pair->to = (int32_t)m->pairs[c->pair_count].to;
    }
}

/* Reads the keys of a machine file that only messages know. */
static bool hosts__read_key(void *user, simkit_reader *r, const simkit_machine *m, const char *section,
                            const char *name)
{
    reading *in = user;
    hosts__add_kinds(in, m);
    hosts__add_pairs(in, m);
    if (strcmp(section, "pair") == 0) {
        messages_pair *pair = &in->cluster->pairs[in->cluster->pair_count - 1];
        const key *k = hosts__find_key(pair_keys, name);
        if (k && pair->said & k->part) return simkit_reader_error(r, r->start, "duplicate key '%s' of this pair", name);
        if (k) pair->said |= k->part;
        return k && hosts__read_value(r, k, pair);
    }
    const bool node = strcmp(section, "node") == 0;
    const key *keys = node ? node_keys : strcmp(section, "machine") == 0 ? machine_keys : NULL;
    const key *k = keys ? hosts__find_key(keys, name) : NULL;
    if (!k) return false;
    messages_host *kind = node ? &in->kinds[in->count - 1] : NULL;
    unsigned *line = &in->lines[node][k - keys];
    if (*line) return simkit_reader_error(r, r->start, "duplicate key '%s', first set in line %u", name, *line);
    *line = r->line;
    if (k->kind == DELAY) kind->said |= k->part;
    if (k->kind == SELF_DELAY) kind->self_said |= k->part;
    return hosts__read_value(r, k, node ? (void *)kind : in->cluster);
}

/* A host for each node of the machine. */
static void hosts__add_hosts(reading *in, const simkit_machine *m)
{
    messages_cluster *c = in->cluster;
    for (size_t k = 0; k < m->kind_count; ++k)
        for (size_t i = 0; i < (m->kinds[k].count ? m->kinds[k].count : 1); ++i) {
            messages_host *host = hosts__host_add(c);
            *host = in->kinds[k];
            host->desc = simkit_machine_node(m, m->kinds[k].first + i, host->name);
            host->computer = (int32_t)(c->count - 1 - i + (m->kinds[k].hosts > 0 ? i % m->kinds[k].hosts : i));
            if (host->watch_busy >= 0) c->busy_counts = true;
            host->factor = host->desc.speed > 0 ? 1 / host->desc.speed : 1;
            host->desc.speed = 0;
            if (host->desc.cores == 0) host->desc.cores = 1;
            if (!host->name[0]) snprintf(host->name, sizeof host->name, "node%zu", c->count - 1);
            hosts__host_named(c, c->count - 1);
        }
}

/* The machine stays for its network. The latencies of its links are kept apart. */
static void hosts__keep_machine(messages_cluster *c, simkit_machine *m)
{
    c->machine = m;
    if (m->link_count > 0) c->link_latencies = direct_reallocate(NULL, NULL, 0, m->link_count * sizeof(double));
    for (size_t i = 0; i < m->link_count; ++i) {
        c->link_latencies[i] = m->links[i].latency;
        m->links[i].latency = 0;
    }
    if (!m->topology) return;
    c->channel_count = netmodel_topology_hops_max(m->topology);
    if (c->channel_count > 0) c->channels = direct_reallocate(NULL, NULL, 0, c->channel_count * sizeof *c->channels);
}

/* `[operation messages]`, as flow graphs have it. */
static void hosts__read_repeated(messages_cluster *c, const simkit_machine *m)
{
    const double spacing = simkit_machine_value(m, "messages", "spacing", "s");
    const double repeated = simkit_machine_value(m, "messages", "repeated", "1");
    const double received = simkit_machine_value(m, "messages", "repeated_receive", "1");
    c->repeated = c->repeated_receive = 1;
    /* They may be NaN. Fortran programs print a note at their end if an exception has been raised, so these must not. */
    if (!isgreater(spacing, 0) || !isgreaterequal(repeated, 0)) return;
    c->spacing = spacing;
    c->repeated = repeated;
    c->repeated_receive = isgreaterequal(received, 0) ? received : repeated;
}

/* A pair narrows its way, and cannot make it faster: refused, as simkit_pair_set() does. */
static void hosts__check_pairs(const messages_cluster *c, const char *file, char *why, size_t room)
{
    for (size_t i = 0; i < c->pair_count; ++i) {
        const messages_pair *pair = &c->pairs[i];
        if ((size_t)pair->from >= c->count || (size_t)pair->to >= c->count) continue;
        if (pair->from == pair->to && (pair->latency >= 0 || pair->bandwidth > 0)) {
            snprintf(why, room,
                     "%s: the pair %s %s has a latency or a bandwidth; within a host, 'self_transmit' of its "
                     "[node] is the time on the way",
                     file, c->hosts[pair->from].name, c->hosts[pair->to].name);
            return;
        }
        const messages_way way = hosts__links_between(c, pair->from, pair->to);
        if (!(way.bandwidth > 0) || pair->bandwidth <= way.bandwidth * (1 + 1e-12)) continue;
        snprintf(why, room,
                 "%s: the pair %s %s has %g B/s, but the way between them carries %g B/s; a cable beside the links of "
                 "the nodes is a [link] on a [route] with 'direct = yes'",
                 file, c->hosts[pair->from].name, c->hosts[pair->to].name, pair->bandwidth, way.bandwidth);
        return;
    }
}

static const char *hosts__parse(messages_cluster *c, simkit_input input)
{
    static char MESSAGES_COMMON why[sizeof(simkit_parse_error)];
    simkit_machine *m;
    simkit_parse_error error;
    reading in;
    memset(&in, 0, sizeof in);
    memset(c, 0, sizeof *c);
    in.cluster = c;
    c->eager = 65536; /* as MPI libraries on TCP have it, about */
    c->ahead = c->header_more = -1;
    c->look = 1e-6;
    input.key = hosts__read_key;
    input.user = &in;
    input.memory.reallocate = direct_reallocate; /* it stays, and all tasks look at it */
    const simkit_result result = simkit_machine_read(&input, &m, &error);
    if (result == SIMKIT_OK) {
        hosts__add_kinds(&in, m);
        hosts__add_pairs(&in, m);
        const size_t nodes = m->nodes ? m->nodes : m->kind_count;
        size_t usual = 0;
        for (size_t k = 0; k < in.count; ++k) usual += !in.kinds[k].only_asked;
        why[0] = 0;
        if (m->kind_count == 0)
            snprintf(why, sizeof why, "%s: expected at least one section [node NAME]; [node] alone will do",
                     input.path ? input.path : input.name);
        else if (in.kinds[0].only_asked)
            snprintf(why, sizeof why,
                     "%s: placement of the first node is explicit, expected any: it is the default for tasks",
                     input.path ? input.path : input.name);
        else if (nodes > MESSAGES_MOST_TASKS)
            snprintf(why, sizeof why, "%s: more than 65536 nodes", input.path ? input.path : input.name);
        else
            hosts__add_hosts(&in, m);
        snprintf(c->name, sizeof c->name, "%s", m->name);
        c->latency = m->latency;
        if (c->ahead < 0) c->ahead = c->buffer;
        if (c->header_more < 0) c->header_more = c->header;
        hosts__read_repeated(c, m);
        c->sharing = m->sharing;
        c->unlimited = m->kind_count > 0 && usual == 1 && m->kinds[0].count == 0; /* one host per task */
        for (size_t i = 0; i < m->pair_count; ++i) {
            c->pairs[i].latency = m->pairs[i].latency;
            c->pairs[i].bandwidth = m->pairs[i].bandwidth;
        }
        if (c->pair_count > 0) qsort(c->pairs, c->pair_count, sizeof *c->pairs, hosts__pair_order);
    } else {
        snprintf(why, sizeof why, "%s%.230s", result == SIMKIT_NO_FILE ? "SIMKIT_MACHINES=" : "", error.text);
    }
    if (in.kinds) direct_reallocate(NULL, in.kinds, in.room * sizeof *in.kinds, 0);
    if (why[0]) {
        simkit_machine_close(m);
    } else {
        hosts__keep_machine(c, m);
        hosts__check_pairs(c, input.path ? input.path : input.name, why, sizeof why);
    }
    return why[0] ? why : NULL;
}

/* The topology without latencies: messages have them before their bytes flow. */
static void hosts__forget_latencies(netmodel_topology *t)
{
    t->star.cable.latency = t->star.backbone.latency = t->clusters.backbone.latency = t->grid.host.latency = 0;
    for (size_t i = 0; i < NETMODEL_JOINED_CLUSTERS; ++i)
        t->clusters.cluster[i].cable.latency = t->clusters.cluster[i].up.latency = 0;
    for (size_t i = 0; i < NETMODEL_JOINTS; ++i) t->clusters.joint[i].cable.latency = 0;
    for (size_t i = 0; i < NETMODEL_TREE_LEVELS; ++i) t->tree.cable[i].latency = 0;
    for (size_t i = 0; i < NETMODEL_GRID_DIMENSIONS; ++i) t->grid.cable[i].latency = 0;
    t->dragonfly.host_cable.latency = t->dragonfly.green_cable.latency = 0;
    t->dragonfly.black_cable.latency = t->dragonfly.blue_cable.latency = 0;
}

void messages_world_describe(const messages_cluster *c, netmodel_topology *space, simkit_world_desc *desc)
{
    desc->sharing = c->sharing;
    desc->pair_duplex = c->machine->pair_duplex;
    if (!c->machine->topology) return;
    *space = *c->machine->topology;
    hosts__forget_latencies(space);
    desc->topology = space;
}

void messages_network_open(messages_cluster *c, simkit_world *world)
{
    if (c->machine->link_count == 0) return;
    messages_hosts_open(c, world);
    simkit_node *nodes = direct_reallocate(NULL, NULL, 0, c->count * sizeof *nodes);
    for (size_t i = 0; i < c->count; ++i) nodes[i] = c->hosts[i].node;
    if (simkit_machine_connect(world, c->machine, c->count, nodes) != SIMKIT_OK)
        messages_end(1, "%s", simkit_world_why(world));
    direct_reallocate(NULL, nodes, c->count * sizeof *nodes, 0);
}

void messages_cluster_note(const messages_cluster *c, uint64_t costless)
{
    const simkit_machine *m = c->machine;
    const bool networked = c->latency > 0 || m->topology || m->link_count > 0 || c->hosts[0].desc.up_bandwidth > 0 ||
                           c->hosts[0].said & TRANSMIT;
    bool limited = false;
    for (size_t k = 0; k < m->kind_count; ++k) {
        if (!(m->kinds[k].node.memory_bandwidth > 0)) continue;
        limited = true;
        if (!(c->memory_rate > 0))
            messages_note_add(-1, 1, NULL,
                              "node '%s' of the machine file has a memory_bandwidth, which slows no computation: how "
                              "many bytes a rank moves in a second of its CPU time is for --memory-rate to say",
                              m->kinds[k].name);
    }
    if (c->memory_rate > 0 && !limited)
        messages_note_add(-1, 1, NULL,
                          "SIMKIT_MEMORY_RATE has no effect: no node of the machine file has a memory_bandwidth");
    if (costless > 0 && networked)
        messages_note_add(-1, 1, NULL,
                          "%llu message%s between ranks of one host took no time, because without measured times "
                          "(SIMKIT_COMPUTE=none) the machine file has to say it: copy or self_transmit of a node",
                          (unsigned long long)costless, costless > 1 ? "s" : "");
}

/* The machine if no file is named. */
static const char usual[] = "[machine]\n"
                            "name = nodes on Gigabit Ethernet\n"
                            "[network]\n"
                            "latency = 50 us\n"
                            "[node node]\n"
                            "bandwidth = 117.6 MB/s\n"
                            "send = 2 us + 4 GB/s\n"
                            "receive = 2 us + 4 GB/s\n"
                            "self_transmit = 1 us + 4 GB/s\n";

const char *messages_cluster_load(const char *path, unsigned draw, messages_cluster *c)
{
    const simkit_input built_in = { .text = usual, .length = sizeof usual - 1, .name = "the built-in machine" };
    const simkit_input file = { .path = path, .draw = draw };
    return hosts__parse(c, path ? file : built_in);
}

const char *messages_host_change(messages_cluster *c, const char *host, const char *name, const char *value)
{
    static char MESSAGES_COMMON why[sizeof(simkit_parse_error)];
    const int32_t number = messages_host_find(c, host);
    const key *k = hosts__find_key(node_keys, name);
    const bool speed = strcmp(name, "speed") == 0;
    simkit_reader r;
    bool fine;
    if (number < 0) {
        snprintf(why, sizeof why, "host '%s' does not exist", host);
        return why;
    }
    if (!speed && (!k || k->kind == TEXT || k->kind == PLACEMENT)) {
        snprintf(why, sizeof why, "'%s' of host '%s' cannot change during a run", name, host);
        return why;
    }
    messages_host fresh = c->hosts[number];
    simkit_reader_init(&r, value, strlen(value), host);
    fine = simkit_reader_line(&r) || simkit_reader_error(&r, NULL, "expected a value");
    if (speed) {
        double number_of = 0;
        fine = fine && simkit_reader_quantity(&r, "1", &number_of, NULL) &&
               (number_of > 0 || simkit_reader_error(&r, r.start, "the speed is 0, expected a number > 0"));
        fresh.factor = 1 / number_of;
    } else {
        if (k->kind == DELAY) fresh.said |= k->part;
        if (k->kind == SELF_DELAY) fresh.self_said |= k->part;
        fine = fine && hosts__read_value(&r, k, &fresh);
    }
    if (!fine || !simkit_reader_end(&r)) {
        snprintf(why, sizeof why, "%s", r.error.text);
        return why;
    }
    c->hosts[number] = fresh;
    if (fresh.watch_busy >= 0) c->busy_counts = true;
    return NULL;
}
