/* bind.c - the cores of its host on which a task computes. A task that is bound to some of them gets a node of the engine that stands
 * for these; messages, and what else is of the whole host, stay with the node of the host. docs/messages.md, "Binding", describes it. */
#define _GNU_SOURCE
#include "engine.h"

#include <stdio.h>
#include <string.h>

const char *const messages_bind_names[MESSAGES_BIND_NAMES] = { "none", "socket", "core" };

/* Reasons for which it is not known how bound ranks would share what a host has; NULL: none. */
static const char *bind__unknown(const messages_cluster *c, const messages_host *h)
{
    if (h->desc.quota > 0) return "a quota for all its cores together";
    if (h->desc.memory_bandwidth > 0) return "a memory_bandwidth, which its cores share";
    if (h->desc.host > 0 && !(h->core_quota > 0)) return "a computer that other hosts share";
    if (h->desc.cpu_per_outgoing > 0 || h->desc.cpu_per_incoming > 0) return "messages that take CPU time of no rank";
    return c->population ? "background users" : NULL;
}

/* Ends the run if a host cannot have its cores, or if ranks cannot be bound to them. */
static void bind__check(const messages_cluster *c, const messages_host *h)
{
    const char *unknown = c->bind != MESSAGES_BIND_NONE ? bind__unknown(c, h) : NULL,
               *name = messages_bind_names[c->bind];
    if (h->sockets > 0 && h->desc.cores % h->sockets != 0)
        messages_end(2, "host %s has %u sockets and %u cores, expected as many cores on each socket", h->name,
                     h->sockets, h->desc.cores);
    if (h->core_quota > 0 && !(h->desc.period > 0)) messages_end(2, "host %s has a core_quota, but no period", h->name);
    if (h->core_quota > 0 && c->bind != MESSAGES_BIND_CORE)
        messages_end(2,
                     "host %s has a core_quota, which acts on ranks that are bound to cores: expected --bind core "
                     "(SIMKIT_BIND), not %s",
                     h->name, name);
    if (unknown)
        messages_end(2,
                     "--bind %s (SIMKIT_BIND): host %s has %s; how bound ranks share that is not modelled, expected "
                     "--bind none",
                     name, h->name, unknown);
}

void messages_bind_check(const messages_cluster *c)
{
    for (size_t i = 0; i < c->count; ++i) bind__check(c, &c->hosts[i]);
}

/* Where hosts with a quota for each core share a computer, the cores with one number share a processor of it: its number, among those of
 * all computers and processors, as simkit_node_desc has it. */
static unsigned bind__processor(const messages_host *h, uint32_t core)
{
    const simkit_machine *m = messages->cluster.machine;
    const simkit_machine_kind *last = &m->kinds[m->kind_count - 1];
    return h->desc.host > 0 ? h->desc.host + (core + 1) * (last->node.host + last->hosts) : 0;
}

/* The node for `count` cores of a host from `first` on. */
static simkit_node bind__node(messages_host *h, uint32_t first, uint32_t count)
{
    char name[sizeof h->name + 32];
    if (h->parts[first].node) return h->parts[first].node;
    snprintf(name, sizeof name, "%s core %u", h->name, first);
    if (count > 1) snprintf(name, sizeof name, "%s cores %u-%u", h->name, first, first + count - 1);
    const simkit_node_desc desc = { .name = name,
                                    .cores = count,
                                    .host = bind__processor(h, first),
                                    .quota = h->core_quota,
                                    .period = h->desc.period,
                                    .tick = h->desc.tick,
                                    .slice = h->desc.slice,
                                    .kept = h->desc.kept,
                                    .nice_rule = h->desc.nice_rule,
                                    .place = h->desc.place };
    messages_check(simkit_node_add(direct->world, &desc, &h->parts[first].node));
    if (messages->cluster.loads) messages_check(simkit_load_record(direct->world, h->parts[first].node));
    return h->parts[first].node;
}

/* The first core of the part with the fewest ranks. */
static uint32_t bind__emptiest(const messages_host *h, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t first = 0; first + count <= h->desc.cores; first += count)
        if (h->parts[first].ranks < h->parts[best].ranks) best = first;
    return best;
}

void messages_bind(messages_task *t)
{
    messages_cluster *c = &messages->cluster;
    messages_host *h = &c->hosts[t->host];
    const uint32_t count = messages_bound_cores(c, t->host);
    t->part = (messages_cores){ .node = h->node, .cores = h->desc.cores, .sees = count };
    if (c->bind == MESSAGES_BIND_NONE) return;
    if (!h->parts) h->parts = direct_new(h->desc.cores * sizeof *h->parts);
    const uint32_t first = t->part.first = bind__emptiest(h, count);
    ++h->parts[first].ranks;
    if (c->only_places) return;
    if (c->threads > count)
        messages_end(
            2,
            "--bind %s (SIMKIT_BIND): %s has %zu threads, but %s %s has only %u core%s: expected fewer threads, "
            "larger hosts, or --bind none",
            c->bind == MESSAGES_BIND_CORE ? "core" : "socket", t->name, c->threads,
            c->bind == MESSAGES_BIND_CORE ? "host" : "a socket of", h->name, count, count == 1 ? "" : "s");
    if (c->bind == MESSAGES_BIND_CORE && h->parts[first].ranks > 1)
        messages_end(2,
                     "--bind core (SIMKIT_BIND): no core of host %s is left for %s: it has %u, and each rank takes %u "
                     "(--threads); expected fewer ranks or threads, more hosts, or --bind none",
                     h->name, t->name, h->desc.cores, count);
    t->part.cores = h->core_quota > 0 ? 1 : count;
    t->part.node = bind__node(h, first, t->part.cores);
}

void messages_bind_thread(messages_task *thread)
{
    messages_host *h = &messages->cluster.hosts[thread->host];
    thread->part = thread->of->part;
    if (h->core_quota > 0)
        thread->part.node = bind__node(h, thread->part.first + thread->thread % thread->part.sees, 1);
}

void messages_unbind(const messages_task *t)
{
    messages_host *h = &messages->cluster.hosts[t->host];
    if (h->parts) --h->parts[t->part.first].ranks;
}
