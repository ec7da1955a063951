/* Two rules by which transfers share links: what does each give, and what does it leave unused?
 * cc -O2 -DNETMODEL_STATIC -I. examples/fair.c -o fair -lm && ./fair
 *
 * By equal shares a transfer gets the smaller of its shares at both ends, and what it leaves of the larger one stays
 * unused. Max-min fair, others get that too, until no rate can grow without reducing a smaller one. Here n transfers
 * leave node 1 for nodes 2, 3, ..., and the last of them meets m more at its receiver. By hand, for links of bandwidth
 * B: that one gets B / max(n, m + 1) either way; the others from node 1 get B / n, or all that is left, divided. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 4, NODES = 3 * MOST };

static const double bandwidth = 100; /* [MB/s], of every link */

/* Transfers from node 0 to 1 .. n; m others to node n, each from a node of its own. */
static size_t add(size_t n, size_t m, size_t from[], size_t to[])
{
    for (size_t i = 0; i < n; ++i) from[i] = 0, to[i] = 1 + i;
    for (size_t i = 0; i < m; ++i) from[n + i] = 1 + n + i, to[n + i] = n;
    return n + m;
}

int main(void)
{
    double links[NODES], equal[2 * MOST], fair[2 * MOST];
    size_t from[2 * MOST], to[2 * MOST], out[NODES], in[NODES], next[2 * 2 * MOST];
    netmodel_maxmin_link scratch[2 * NODES];
    const netmodel_link link = netmodel_link_of(0, bandwidth * 1e6);
    bool right = true;

    for (size_t i = 0; i < NODES; ++i) links[i] = netmodel_link_bandwidth(&link) * 1e-6;
    printf("                equal shares [MB/s]                  max-min fair [MB/s]\n"
           "n   m      first    last   others  unused       first    last   others  unused\n");
    for (size_t n = 2; n <= MOST; ++n)
        for (size_t m = 0; m <= MOST; m += 2) {
            netmodel_flows flows = { .nodes = NODES, .up = links, .down = links, .from = from, .to = to };
            flows.flows = add(n, m, from, to);
            if (netmodel_star_rates(&flows, out, in, equal) != NETMODEL_OK) return 1;
            if (netmodel_maxmin_rates(&flows, scratch, next, fair) != NETMODEL_OK) return 1;
            const double last = bandwidth / fmax((double)n, (double)m + 1),
                         first = (bandwidth - last) / ((double)n - 1);
            const double other = m > 0 ? (bandwidth - last) / (double)m : 0;
            printf("%zu   %zu", n, m);
            for (int rule = 0; rule < 2; ++rule) {
                const double *rate = rule ? fair : equal;
                double sum = 0;
                for (size_t i = 0; i < n; ++i) sum += rate[i]; /* what leaves node 1 */
                printf("   %8.2f%8.2f %8.2f%8.2f", rate[0], rate[n - 1], m > 0 ? rate[n] : 0, bandwidth - sum);
            }
            printf("\n");
            right = right && fabs(equal[0] - bandwidth / (double)n) < 1e-9 && fabs(equal[n - 1] - last) < 1e-9 &&
                    fabs(fair[0] - first) < 1e-9 && fabs(fair[n - 1] - last) < 1e-9 &&
                    (m == 0 || fabs(fair[n] - other) < 1e-9);
        }
    printf("\n%s\n", right ? "all rates are as by hand" : "SOME RATES ARE NOT AS BY HAND");
    return !right;
}
