// Rows of the hold model for std::priority_queue. PROGRAM ROW N; the size of an entry comes from -DENTRY.
#include "../work.h"

#include <cstdlib>
#include <cstring>
#include <queue>
#include <vector>

struct entry {
    double time;
    uint64_t payload[ENTRY / 8 - 1];
};

struct later {
    bool operator()(const entry &a, const entry &b) const { return a.time > b.time; }
};

int main(int, char **argv)
{
    const char *row = argv[1];
    const size_t n = std::strtoul(argv[2], nullptr, 10);
    const bool equal = !std::strcmp(row, "hold-equal"), clusters = !std::strcmp(row, "hold-clusters");
    const bool grows = !std::strcmp(row, "hold-growing");
    const size_t rounds = 3000000;
    std::priority_queue<entry, std::vector<entry>, later> queue;
    entry e{};
    uint64_t sum = 0;
    if (!equal && !clusters && !grows && std::strcmp(row, "hold")) return 2;
    if (grows) {
        const double start = work_now();
        double time = 0;
        for (size_t i = 0; i < n; ++i) queue.push(e), e.time = time += work_time(), e.payload[0] = i;
        for (size_t i = 0; i < n; ++i) sum += queue.top().payload[0], queue.pop();
        work_report(row, double(n), (work_now() - start) / double(n) * 1e9 + double(sum == 1), "ns");
        return 0;
    }
    for (size_t i = 0; i < n; ++i) e.time = equal ? 0 : work_time(), e.payload[0] = i, queue.push(e);
    double start = 0;
    for (size_t i = 0; i < 2 * n + rounds; ++i) {
        if (i == 2 * n) start = work_now();
        e = queue.top();
        queue.pop();
        sum += e.payload[0];
        const double delay = work_time();
        e.time += equal ? 0 : clusters && i % 2 ? 1e9 * delay : delay;
        queue.push(e);
    }
    work_report(row, double(n), (work_now() - start) / double(rounds) * 1e9 + double(sum == 1), "ns");
}
