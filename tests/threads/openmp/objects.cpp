// objects.cpp - programs of OpenMP: C++, with a reduction of a type of its own, and tasks that sort.
#include <algorithm>
#include <vector>

#include "openmp.h"

struct moments {
    uint64_t count = 0, sum = 0, squares = 0, minimum = UINT64_MAX, maximum = 0;

    void add(uint64_t x)
    {
        ++count;
        sum += x;
        squares += x * x;
        minimum = std::min(minimum, x);
        maximum = std::max(maximum, x);
    }

    void add(const moments &other)
    {
        count += other.count;
        sum += other.sum;
        squares += other.squares;
        minimum = std::min(minimum, other.minimum);
        maximum = std::max(maximum, other.maximum);
    }
};
#pragma omp declare reduction(merge : moments : omp_out.add(omp_in))

// Loops of about 50 us over numbers 0 to n - 1 in another order, each with a reduction.
static uint64_t reduction(double scale)
{
    const uint64_t n = 32768; // numbers 5 i modulo n are 0 to n - 1
    const long loops = repeated(4000, scale);
    std::vector<uint64_t> x(n);
    uint64_t all = 0;
    for (uint64_t i = 0; i < n; ++i) x[i] = 5 * i % n;
    for (long loop = 0; loop < loops; ++loop) {
        moments m;
#pragma omp parallel for reduction(merge : m)
        for (uint64_t i = 0; i < n; ++i) m.add(x[i] ^ (uint64_t)(loop % 8));
        verify(m.count == n && m.minimum == 0 && m.maximum == n - 1 && m.sum == n * (n - 1) / 2);
        verify(m.squares == (n - 1) * n * (2 * n - 1) / 6);
        all = 31 * all + m.sum + m.squares;
    }
    return all;
}

using place = std::vector<uint64_t>::iterator;

static void sort_range(place first, place last)
{
    if (last - first < 500) return std::sort(first, last);
    const uint64_t middle = first[(last - first) / 2];
    const place low = std::partition(first, last, [=](uint64_t x) { return x < middle; });
    const place high = std::partition(low, last, [=](uint64_t x) { return x == middle; });
#pragma omp task
    sort_range(first, low);
#pragma omp task
    sort_range(high, last);
}

// Quicksort: short parts are sorted by one task each, of about 10 us.
static uint64_t sort(double scale)
{
    const long times = repeated(60, scale), n = 50000;
    std::vector<uint64_t> x((size_t)n);
    uint64_t all = 0;
    for (long time = 0; time < times; ++time) {
        uint64_t before = 0;
        for (long i = 0; i < n; ++i) before += x[(size_t)i] = worked((uint64_t)(i + time), 7);
#pragma omp parallel
#pragma omp single
        sort_range(x.begin(), x.end());
        for (uint64_t number : x) before -= number;
        verify(before == 0 && std::is_sorted(x.begin(), x.end()));
        all = 31 * all + checksum(x.data(), n);
    }
    return all;
}

const program programs[] = { { "reduction", reduction }, { "sort", sort }, { nullptr, nullptr } };
