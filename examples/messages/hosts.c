/* The hosts of a run: what computing, packing, sending, transmitting and receiving take on them, as [clue] has it in
 * "Virtual Machines", and the file that says so. docs/messages.md has its form. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 64, MOST_SECTIONS = 10000 };

/* -- what a run asks ------------------------------------------------------------------------------------------------- */

/* The place of a name in by_name: of its host, or a free one (FNV-1a, then the next places). */
static uint32_t *name_place(const messages_cluster *c, const char *name)
{
    const size_t places = 2 * c->room;
    uint32_t hash = 2166136261u;
    for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    size_t place = hash % places;
    while (c->by_name[place] && strcmp(c->hosts[c->by_name[place] - 1].name, name) != 0) place = (place + 1) % places;
    return &c->by_name[place];
}

/* Enters a host by its name; if two hosts share a name, the first stays. */
static void host_named(messages_cluster *c, size_t number)
{
    uint32_t *place = name_place(c, c->hosts[number].name);
    if (!*place) *place = (uint32_t)number + 1;
}

static messages_host *host_add(messages_cluster *c)
{
    if (c->count == c->room) {
        const size_t room = c->room ? 2 * c->room : 16;
        c->hosts = messages_reallocate(NULL, c->hosts, c->room * sizeof *c->hosts, room * sizeof *c->hosts);
        c->by_name = messages_reallocate(NULL, c->by_name, 2 * c->room * sizeof *c->by_name, 2 * room * sizeof *c->by_name);
        c->room = room;
        memset(c->by_name, 0, 2 * room * sizeof *c->by_name);
        for (size_t i = 0; i < c->count; i++) host_named(c, i);
    }
    messages_host *host = &c->hosts[c->count++];
    memset(host, 0, sizeof *host);
    return host;
}

static void host_open(messages_cluster *c, simkit_world *world, int32_t number)
{
    messages_host *host = &c->hosts[number];
    simkit_node_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = host->name;
    desc.cores = host->cores;
    desc.quota = host->quota;
    desc.period = host->period;
    desc.tick = host->tick;
    desc.cpu_per_outgoing = host->cpu_per_outgoing;
    desc.cpu_per_incoming = host->cpu_per_incoming;
    desc.nice_rule = host->nice_rule;
    if (host->bandwidth > 0) desc.up.byte_time = desc.down.byte_time = 1 / host->bandwidth;
    simkit_result result = simkit_node_add(world, &desc, &host->node);
    if (result == SIMKIT_OK && c->population)
        result = simkit_population_start(world, c->population, (size_t)number + 1, host->node);
    if (result == SIMKIT_OK && c->loads) result = simkit_load_keep(world, host->node);
    if (result != SIMKIT_OK) messages_end(1, "%s", simkit_world_why(world));
}

int32_t messages_host_open(messages_cluster *c, simkit_world *world, int32_t host)
{
    if (!c->hosts[host].node) host_open(c, world, host);
    return host;
}

void messages_hosts_open(messages_cluster *c, simkit_world *world)
{
    for (size_t i = 0; i < c->count; i++) messages_host_open(c, world, (int32_t)i);
}

void messages_hosts_keep(messages_cluster *c, simkit_world *world)
{
    if (c->loads) return;
    c->loads = true;
    for (size_t i = 0; i < c->count; i++)
        if (c->hosts[i].node && simkit_load_keep(world, c->hosts[i].node) != SIMKIT_OK)
            messages_end(1, "%s", simkit_world_why(world));
}

/* Of the first, which stands for as many as are needed: the one in this place. */
static int32_t host_in_place(messages_cluster *c, size_t place)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->hosts[i].place == place && !c->hosts[i].only_asked) return (int32_t)i;
    messages_host *copy = host_add(c);
    *copy = c->hosts[0];
    snprintf(copy->name, sizeof copy->name, "%.20s%zu", c->hosts[0].type, place);
    copy->node = 0;
    copy->place = place;
    host_named(c, c->count - 1);
    return (int32_t)c->count - 1;
}

int32_t messages_host_for(messages_cluster *c, simkit_world *world, size_t task)
{
    if (c->unlimited) return messages_host_open(c, world, host_in_place(c, task));
    size_t cores = 0, host = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!c->hosts[i].only_asked) cores += c->hosts[i].cores;
    for (task %= cores; c->hosts[host].only_asked || task >= c->hosts[host].cores; host++)
        if (!c->hosts[host].only_asked) task -= c->hosts[host].cores;
    return messages_host_open(c, world, (int32_t)host);
}

enum { PACK = 1, SEND = 2, TRANSMIT = 4, RECEIVE = 8 };

/* The delays between two hosts, of which `part` is asked for; `mine` is the host whose own they are. */
static const netmodel_message *delays(const messages_cluster *c, int32_t from, int32_t to, int32_t mine, unsigned part)
{
    for (size_t i = 0; i < c->pair_count; i++)
        if (c->pairs[i].from == from && c->pairs[i].to == to && c->pairs[i].said & part) return &c->pairs[i].delays;
    const messages_host *host = &c->hosts[mine];
    return from == to && host->self_said & part ? &host->self : &host->delays;
}

double messages_pack_delay(const messages_cluster *c, int32_t host, double bytes)
{
    return netmodel_delay_time(&c->hosts[host].delays.pack, bytes);
}

double messages_send_delay(const messages_cluster *c, int32_t from, int32_t to, double bytes)
{
    return netmodel_delay_time(&delays(c, from, to, from, SEND)->send, bytes);
}

double messages_watch_delay(const messages_cluster *c, int32_t host, double bytes)
{
    return netmodel_delay_time(&c->hosts[host].watch, bytes);
}

double messages_receive_delay(const messages_cluster *c, int32_t from, int32_t to, double bytes)
{
    return netmodel_delay_time(&delays(c, from, to, to, RECEIVE)->receive, bytes);
}

void messages_transmission(const messages_cluster *c, int32_t from, int32_t to, double bytes, double *latency,
                           double *whole)
{
    const netmodel_delay *delay = &delays(c, from, to, from, TRANSMIT)->transmit;
    const messages_host *one = &c->hosts[from], *two = &c->hosts[to];
    if (delay->kind != NETMODEL_DELAY_NONE) {
        *latency = netmodel_delay_time(delay, 0);
        *whole = bytes > 0 ? netmodel_delay_time(delay, bytes) : *latency;
        if (*whole < *latency) *whole = *latency;
    } else if (from == to) {
        *latency = *whole = 0;
    } else {
        double slower = one->bandwidth < two->bandwidth ? one->bandwidth : two->bandwidth;
        *latency = one->latency > two->latency ? one->latency : two->latency;
        *whole = *latency + (slower > 0 ? bytes / slower : 0);
    }
    /* What nobody shares is all latency. */
    if (from == to || !(one->bandwidth > 0) || !(two->bandwidth > 0)) *latency = *whole;
}

int32_t messages_host_find(const messages_cluster *c, const char *name)
{
    return c->count > 0 ? (int32_t)*name_place(c, name) - 1 : -1;
}

/* -- the file ------------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    simkit_reader r;
    messages_cluster *cluster;
    messages_host *host; /* of the section; NULL: none */
    messages_pair *pair;
    char section[32];
    unsigned sections;
    unsigned long long said; /* keys of the section */
} reading;

static bool wrong(reading *in, const char *at, const char *format, const char *text)
{
    char whole[160];
    snprintf(whole, sizeof whole, format, text);
    return simkit_reader_wrong(&in->r, at, whole);
}

/* `TIME`, `TIME + BANDWIDTH` or `SIZE: TIME, SIZE: TIME, ...` */
static bool read_delay(reading *in, netmodel_delay *delay)
{
    double bytes[MOST_POINTS], seconds[MOST_POINTS], value;
    size_t count = 0;
    const char *from = in->r.at, *unit;
    if (!simkit_reader_quantity(&in->r, NULL, &value, &unit)) return false;
    if (strcmp(unit, "s") == 0) {
        *delay = netmodel_delay_constant(value);
        if (!simkit_reader_take(&in->r, '+')) return true;
        double bandwidth;
        from = in->r.at;
        if (!simkit_reader_quantity(&in->r, "B/s", &bandwidth, NULL)) return false;
        if (!(bandwidth > 0)) return wrong(in, from, "a bandwidth of 0 %s", "would never end");
        *delay = netmodel_delay_link((netmodel_link){ value, 1 / bandwidth });
        return true;
    }
    for (;;) {
        if (count == MOST_POINTS) return wrong(in, from, "more than 64 points%s", "");
        if (strcmp(unit, "B") != 0) return wrong(in, from, "the unit is '%s', expected a time or a size", unit);
        bytes[count] = value;
        if (!simkit_reader_take(&in->r, ':'))
            return wrong(in, in->r.at, "expected ':' and a time after the size%s", "");
        if (!simkit_reader_quantity(&in->r, "s", &seconds[count++], NULL)) return false;
        if (!simkit_reader_take(&in->r, ',')) break;
        from = in->r.at;
        if (!simkit_reader_quantity(&in->r, NULL, &value, &unit)) return false;
    }
    double *kept = messages_new(2 * count * sizeof *kept);
    memcpy(kept, bytes, count * sizeof *kept);
    memcpy(kept + count, seconds, count * sizeof *kept);
    netmodel_curve curve;
    netmodel_result result = netmodel_curve_init(&curve, kept, kept + count, count, NULL);
    if (result != NETMODEL_OK) return wrong(in, from, "%s", netmodel_result_text(result));
    *delay = netmodel_delay_curve(curve);
    return true;
}

enum { NUMBER, TIME, SPEED, WHOLE, TEXT, RULE, DELAY, SELF_DELAY };

static const struct {
    const char *key;
    int kind;
    size_t place;
    unsigned part;
} host_keys[] = {
    { "type", TEXT, offsetof(messages_host, type), 0 },
    { "cores", WHOLE, offsetof(messages_host, cores), 0 },
    { "count", WHOLE, offsetof(messages_host, copies), 0 },
    { "factor", NUMBER, offsetof(messages_host, factor), 0 },
    { "initialise", TIME, offsetof(messages_host, initialise), 0 },
    { "spawn", TIME, offsetof(messages_host, spawn), 0 },
    { "latency", TIME, offsetof(messages_host, latency), 0 },
    { "bandwidth", SPEED, offsetof(messages_host, bandwidth), 0 },
    { "quota", TIME, offsetof(messages_host, quota), 0 },
    { "period", TIME, offsetof(messages_host, period), 0 },
    { "tick", TIME, offsetof(messages_host, tick), 0 },
    { "cpu_per_outgoing", NUMBER, offsetof(messages_host, cpu_per_outgoing), 0 },
    { "cpu_per_incoming", NUMBER, offsetof(messages_host, cpu_per_incoming), 0 },
    { "nice_rule", RULE, offsetof(messages_host, nice_rule), 0 },
    { "pack", DELAY, offsetof(messages_host, delays.pack), PACK },
    { "send", DELAY, offsetof(messages_host, delays.send), SEND },
    { "transmit", DELAY, offsetof(messages_host, delays.transmit), TRANSMIT },
    { "receive", DELAY, offsetof(messages_host, delays.receive), RECEIVE },
    { "watch", DELAY, offsetof(messages_host, watch), 0 },
    { "self_send", SELF_DELAY, offsetof(messages_host, self.send), SEND },
    { "self_transmit", SELF_DELAY, offsetof(messages_host, self.transmit), TRANSMIT },
    { "self_receive", SELF_DELAY, offsetof(messages_host, self.receive), RECEIVE },
};
#define HOST_KEYS (sizeof host_keys / sizeof *host_keys)

static bool read_host_key(reading *in, messages_host *host, size_t which)
{
    void *place = (char *)host + host_keys[which].place;
    const char *from = in->r.at;
    switch (host_keys[which].kind) {
    case TEXT: return simkit_reader_word(&in->r, place, "a type");
    case WHOLE:
        return simkit_reader_count(&in->r, place) &&
               (in->cluster->count + host->copies <= MESSAGES_MOST_TASKS ||
                wrong(in, from, "more than 65536 hosts%s", ""));
    case RULE: return simkit_reader_nice_rule(&in->r, place);
    case TIME: return simkit_reader_quantity(&in->r, "s", place, NULL);
    case SPEED:
        return simkit_reader_quantity(&in->r, "B/s", place, NULL) &&
               (*(double *)place > 0 || wrong(in, from, "a bandwidth of 0 %s", "would never end"));
    case NUMBER:
        return simkit_reader_quantity(&in->r, "1", place, NULL) &&
               (*(double *)place > 0 || strcmp(host_keys[which].key, "factor") != 0 ||
                wrong(in, from, "a factor of 0 %s", "would take no time at all; model the computations instead"));
    default:
        if (host_keys[which].kind == SELF_DELAY) host->self_said |= host_keys[which].part;
        return read_delay(in, place);
    }
}

static bool read_machine_key(reading *in, const char *key, const char *at)
{
    messages_cluster *c = in->cluster;
    char word[32];
    const char *from = in->r.at;
    if (strcmp(key, "name") == 0) return simkit_reader_text(&in->r, c->name, sizeof c->name);
    if (strcmp(key, "users") == 0) return simkit_reader_path(&in->r, in->cluster->users, sizeof in->cluster->users);
    if (strcmp(key, "look") == 0) return simkit_reader_quantity(&in->r, "s", &c->look, NULL);
    if (strcmp(key, "eager") == 0) return simkit_reader_quantity(&in->r, "B", &c->eager, NULL);
    if (strcmp(key, "early") == 0) return simkit_reader_quantity(&in->r, "B", &c->early, NULL);
    if (strcmp(key, "buffer") == 0) return simkit_reader_quantity(&in->r, "B", &c->buffer, NULL);
    if (strcmp(key, "sharing") == 0) {
        if (!simkit_reader_word(&in->r, word, "equal or maxmin")) return false;
        c->star = strcmp(word, "maxmin") == 0 ? SIMKIT_STAR_MAXMIN : SIMKIT_STAR_EQUAL;
        return c->star == SIMKIT_STAR_MAXMIN || strcmp(word, "equal") == 0 ||
               wrong(in, from, "'%s' is neither equal nor maxmin", word);
    }
    if (strcmp(key, "progress") == 0) {
        if (!simkit_reader_word(&in->r, word, "always or calls")) return false;
        c->progress_in_calls = strcmp(word, "calls") == 0;
        return c->progress_in_calls || strcmp(word, "always") == 0 ||
               wrong(in, from, "'%s' is neither always nor calls", word);
    }
    return wrong(in, at, "section [machine] has no key '%s'", key);
}

static bool read_pair_key(reading *in, const char *key, const char *at)
{
    const char *const names[] = { "pack", "send", "transmit", "receive" };
    netmodel_message *d = &in->pair->delays;
    netmodel_delay *const places[] = { &d->pack, &d->send, &d->transmit, &d->receive };
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(names[i], key) == 0) {
            in->pair->said |= 1u << i;
            return read_delay(in, places[i]);
        }
    return wrong(in, at, "section [pair] has no key '%s'", key);
}

static bool read_pair(reading *in)
{
    messages_cluster *c = in->cluster;
    char name[2][32];
    int32_t found[2];
    for (int i = 0; i < 2; i++) {
        const char *from = in->r.at;
        if (!simkit_reader_word(&in->r, name[i], "the name of a host")) return false;
        simkit_reader_take(&in->r, ' ');
        found[i] = messages_host_find(c, name[i]);
        if (found[i] < 0) return wrong(in, from, "there is no host '%s' above", name[i]);
    }
    for (size_t i = 0; i < c->pair_count; i++)
        if (c->pairs[i].from == found[0] && c->pairs[i].to == found[1])
            return wrong(in, in->r.at, "the pair %s was said before", name[0]);
    if ((c->pair_count & (c->pair_count - 1)) == 0) { /* there is room for a power of two */
        const size_t room = c->pair_count ? 2 * c->pair_count : 1;
        c->pairs = messages_reallocate(NULL, c->pairs, c->pair_count * sizeof *c->pairs, room * sizeof *c->pairs);
    }
    in->pair = &c->pairs[c->pair_count++];
    memset(in->pair, 0, sizeof *in->pair);
    in->pair->from = found[0];
    in->pair->to = found[1];
    return true;
}

/* What was said of a host makes as many as it asked for. */
static void finish_host(reading *in)
{
    messages_cluster *c = in->cluster;
    if (!in->host) return;
    messages_host host = *in->host;
    in->host = NULL;
    if (host.copies <= 1) {
        c->hosts[c->count - 1].copies = host.copies;
        return;
    }
    c->count--;
    for (unsigned i = 0; i < host.copies; i++) {
        messages_host *copy = host_add(c);
        *copy = host;
        copy->copies = 1;
        snprintf(copy->name, sizeof copy->name, "%.20s%u", host.name, i);
        host_named(c, c->count - 1);
    }
}

static bool read_section(reading *in)
{
    messages_cluster *c = in->cluster;
    const char *from = in->r.at;
    char name[32];
    if (++in->sections > MOST_SECTIONS) return wrong(in, from, "more than 10000 sections%s", "");
    finish_host(in);
    in->pair = NULL;
    in->said = 0;
    simkit_reader_take(&in->r, '[');
    if (!simkit_reader_word(&in->r, in->section, "a section: machine, host NAME, type NAME or pair FROM TO"))
        return false;
    simkit_reader_take(&in->r, ' ');
    if (strcmp(in->section, "host") == 0 || strcmp(in->section, "type") == 0) {
        const char *at = in->r.at;
        if (!simkit_reader_word(&in->r, name, "a name")) return false;
        if (messages_host_find(c, name) >= 0) return wrong(in, at, "the host '%s' was said before", name);
        if (c->count == 0 && strcmp(in->section, "type") == 0)
            return wrong(in, from, "the first must be a host%s",
                         ", for it is what is taken where nothing is asked for");
        messages_host first;
        if (c->count > 0) first = c->hosts[0];
        in->host = host_add(c);
        if (c->count > 1) *in->host = first; /* what is not said is as with the first */
        in->host->copies = 0;
        in->host->node = 0;
        in->host->only_asked = strcmp(in->section, "type") == 0;
        if (c->count == 1) in->host->factor = in->host->cores = 1;
        snprintf(in->host->name, sizeof in->host->name, "%s", name);
        snprintf(in->host->type, sizeof in->host->type, "%s", name);
        host_named(c, c->count - 1);
    } else if (strcmp(in->section, "pair") == 0) {
        if (!read_pair(in)) return false;
    } else if (strcmp(in->section, "machine") != 0) {
        return wrong(in, from, "section '%s' is unknown, expected machine, host NAME, type NAME or pair FROM TO",
                     in->section);
    }
    return simkit_reader_take(&in->r, ']') || wrong(in, in->r.at, "expected ']'%s", "");
}

static bool read_key(reading *in)
{
    const char *from = in->r.at;
    char key[32];
    if (!simkit_reader_word(&in->r, key, "a key, a [section] or a # comment")) return false;
    if (!simkit_reader_take(&in->r, '=')) return wrong(in, in->r.at, "expected '=' after '%s'", key);
    if (!in->section[0]) return wrong(in, from, "'%s' stands before the first [section]", key);
    if (in->pair) return read_pair_key(in, key, from);
    if (!in->host) return read_machine_key(in, key, from);
    for (size_t i = 0; i < HOST_KEYS; i++) {
        if (strcmp(host_keys[i].key, key) != 0) continue;
        if (in->said >> i & 1) return wrong(in, from, "'%s' was said before", key);
        in->said |= 1ull << i;
        return read_host_key(in, in->host, i);
    }
    return wrong(in, from, "section [host] has no key '%s'", key);
}

static const char *cluster_check(messages_cluster *c, const char *path)
{
    static char why[240];
    for (size_t i = 0; i < c->count; i++)
        if (c->hosts[i].quota > 0 && !(c->hosts[i].period > 0)) {
            snprintf(why, sizeof why, "%s: host '%s' has a quota, but no period", path, c->hosts[i].name);
            return why;
        }
    if (c->count == 0) {
        snprintf(why, sizeof why, "%s: there is no [host] in it", path);
        return why;
    }
    return NULL;
}

static const char *parse(messages_cluster *c, const char *text, size_t length, const char *path)
{
    static char why[sizeof(simkit_mistake)];
    reading in;
    memset(&in, 0, sizeof in);
    memset(c, 0, sizeof *c);
    in.cluster = c;
    c->eager = -1;
    c->look = 1e-6;
    simkit_reader_open(&in.r, text, length, path);
    while (simkit_reader_line(&in.r))
        if (!(*in.r.at == '[' ? read_section(&in) : read_key(&in)) || !simkit_reader_end(&in.r)) {
            snprintf(why, sizeof why, "%s", in.r.mistake.text);
            return why;
        }
    finish_host(&in);
    const char *wrong_in_all = cluster_check(c, path);
    if (wrong_in_all) return wrong_in_all;
    /* One host that does not say how many: as many as there are tasks. */
    size_t usual = 0;
    for (size_t i = 0; i < c->count; i++) usual += !c->hosts[i].only_asked;
    c->unlimited = usual == 1 && c->hosts[0].copies == 0;
    return NULL;
}

/* What is taken where no file is named. */
static const char usual[] = "[machine]\n"
                            "name = nodes on Gigabit Ethernet\n"
                            "eager = 64 KiB\n"
                            "[host node]\n"
                            "latency = 50 us\n"
                            "bandwidth = 117.6 MB/s\n"
                            "send = 2 us + 4 GB/s\n"
                            "receive = 2 us + 4 GB/s\n"
                            "self_transmit = 1 us + 4 GB/s\n";

const char *messages_cluster_load(const char *path, messages_cluster *c)
{
    enum { MOST = 1024 * 1024 };
    static char why[240];
    if (!path) return parse(c, usual, sizeof usual - 1, "the built-in machine");
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST + 1) : NULL;
    size_t length = text ? fread(text, 1, MOST + 1, file) : 0;
    const char *wrong_in = why;
    if (!file)
        snprintf(why, sizeof why, "SIMKIT_MACHINES=%s: %s", path, strerror(errno));
    else if (!text || ferror(file) || length > MOST)
        snprintf(why, sizeof why, "%s: %s", path, length > MOST ? "longer than 1 MiB" : "it cannot be read");
    else
        wrong_in = parse(c, text, length, path);
    free(text);
    if (file) fclose(file);
    return wrong_in;
}

const char *messages_host_change(messages_cluster *c, const char *host, const char *key, const char *value)
{
    static char why[sizeof(simkit_mistake)];
    const int32_t number = messages_host_find(c, host);
    reading in;
    memset(&in, 0, sizeof in);
    if (number < 0) {
        snprintf(why, sizeof why, "there is no host '%s'", host);
        return why;
    }
    simkit_reader_open(&in.r, value, strlen(value), host);
    in.cluster = c;
    for (size_t i = 0; i < HOST_KEYS; i++) {
        if (strcmp(host_keys[i].key, key) != 0) continue;
        messages_host fresh = c->hosts[number];
        const bool fixed = host_keys[i].kind == SPEED || host_keys[i].kind == WHOLE || host_keys[i].kind == TEXT ||
                           host_keys[i].kind == RULE || strcmp(key, "quota") == 0 || strcmp(key, "period") == 0 ||
                           strcmp(key, "tick") == 0 || strncmp(key, "cpu_per", 7) == 0;
        if (fixed) {
            snprintf(why, sizeof why, "'%s' of host '%s' cannot change during a run", key, host);
            return why;
        }
        if (!simkit_reader_line(&in.r) || !read_host_key(&in, &fresh, i) || !simkit_reader_end(&in.r)) {
            snprintf(why, sizeof why, "%s", in.r.mistake.text[0] ? in.r.mistake.text : "expected a value");
            return why;
        }
        c->hosts[number] = fresh;
        return NULL;
    }
    snprintf(why, sizeof why, "a host has no key '%s'", key);
    return why;
}
