/* One host has data that all others need: in which order should it be sent on?
 * cc -O2 -DNETMODEL_STATIC -I. examples/message.c -o message -lm && ./message
 *
 * A message takes four delays: the sender packs it and is in the send call, o together; the network transmits it, l; the
 * receiver is in the receive call, r. Among p hosts, the last has it after (p - 1) o + l + r if the first sends to all, one
 * after another; after (p - 1) (o + l + r) along a chain; after log2(p) (o + l + r) if every host that has it
 * sends it on, a binomial tree. A pair of hosts may have delays of its own. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 64 };

static const netmodel_message usual = { .pack = { .link = { 2e-6, 1e-9 } },
                                        .send = { .link = { 5e-6, 1e-9 } },
                                        .transmit = { .link = { 50.3e-6, 8e-9 } },
                                        .receive = { .link = { 4e-6, 1e-9 } } };

/* Host `from` sends to host `to`, which waits; records when both continue. */
static void pass(const netmodel_messages *messages, double bytes, size_t from, size_t to, double free[])
{
    const netmodel_message *message = netmodel_messages_between(messages, from, to);
    const netmodel_message_times when = netmodel_message_when(message, bytes, free[from], 0);

    free[from] = when.sent;
    free[to] = when.received;
}

static double last_of(const double free[], size_t hosts)
{
    double last = 0;
    for (size_t i = 1; i < hosts; ++i) last = fmax(last, free[i]);
    return last;
}

int main(void)
{
    netmodel_message slow = usual;
    bool equal = true;

    slow.transmit.link = netmodel_link_of(20e-3, 1e6); /* far away */
    for (double bytes = 1e2; bytes <= 1e5; bytes *= 1e3) {
        const double o = netmodel_delay_time(&usual.pack, bytes) + netmodel_delay_time(&usual.send, bytes);
        const double hop = netmodel_message_time(&usual, bytes), far = netmodel_message_time(&slow, bytes);
        printf("%.0f B, when the last has it [ms], by moments and by hand\n"
               "hosts   one after another          a chain            a tree   and the last is far away\n",
               bytes);
        for (size_t hosts = 2; hosts <= MOST; hosts *= 2) {
            const netmodel_message_pair pair = { 0, hosts - 1, &slow };
            netmodel_messages near, mixed;
            double star[MOST] = { 0 }, chain[MOST] = { 0 }, tree[MOST] = { 0 }, distant[MOST] = { 0 };
            if (netmodel_messages_init(&usual, NULL, NULL, 0, &near, NULL) != NETMODEL_OK ||
                netmodel_messages_init(&usual, NULL, &pair, 1, &mixed, NULL) != NETMODEL_OK)
                return 1;
            for (size_t i = 1; i < hosts; ++i) {
                pass(&near, bytes, 0, i, star);
                pass(&near, bytes, i - 1, i, chain);
                pass(&mixed, bytes, 0, i, distant);
            }
            for (size_t have = 1; have < hosts; have *= 2)
                for (size_t i = 0; i < have; ++i) pass(&near, bytes, i, i + have, tree);
            const double n = (double)hosts - 1, seen[] = { last_of(star, hosts), last_of(chain, hosts),
                                                           last_of(tree, hosts), last_of(distant, hosts) };
            const double hand[] = { (n - 1) * o + hop, n * hop, log2((double)hosts) * hop, (n - 1) * o + far };
            printf("%5zu", hosts);
            for (int i = 0; i < 4; ++i) {
                printf("   %7.3f %7.3f", 1e3 * seen[i], 1e3 * hand[i]);
                equal = equal && fabs(seen[i] / hand[i] - 1) < 1e-9;
            }
            printf("\n");
        }
        printf("\n");
    }
    printf("%s\n", equal ? "moments and formulas are equal" : "MOMENTS AND FORMULAS DIFFER");
    return !equal;
}
