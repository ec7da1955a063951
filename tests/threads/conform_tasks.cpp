// OpenMP hands over data to tasks and to threads: objects, which are copied, loops of tasks, reductions, many variables, locks.
#include <cstdio>
#include <string>

#include <omp.h>

static int copies;

struct object {
    std::string text = "a string that is longer than what fits in place";

    object() = default;
    object(const object &other) : text(other.text)
    {
#pragma omp atomic
        ++copies;
    }
};

static void objects()
{
    object o;
    long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(o) shared(sum)
        {
#pragma omp atomic
            sum += (long)o.text.size() + (o.text[0] == 'a');
            o.text[0] = 'x';
        }
    }
    printf("objects of tasks %ld, copied %d\n", sum, copies >= 100);
    sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop firstprivate(o) grainsize(3) shared(sum)
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
        sum += i * (o.text[0] == 'a');
    }
    printf("objects of a loop of tasks %ld\n", sum);
}

static void reductions()
{
    long sum = 0;
    unsigned long long product = 1;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(7)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop reduction(* : product) num_tasks(7)
    for (unsigned long long i = 1; i <= 20; ++i) product *= i;
    printf("loops %ld %llu\n", sum, product);
    sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
    }
    printf("tasks %ld\n", sum);
}

static void variables()
{
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15,
        p = 16, q = 17;
    int few = 0, all = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        few += a + b + c;
#pragma omp barrier
#pragma omp single
        ++a, ++b, ++c;
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        all += a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q;
#pragma omp barrier
#pragma omp single
        ++a, ++b, ++c, ++d, ++e, ++f, ++g, ++h, ++i, ++j, ++k, ++l, ++m, ++n, ++o, ++p, ++q;
    }
    printf("variables %d %d %d\n", few, all, a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q);
}

static void bytes()
{
    char three[3] = { 1, 2, 3 };
    int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(three) if (i % 2)
        {
#pragma omp atomic
            sum += three[0] + three[1] + three[2];
            three[0] = 9;
        }
    }
    printf("bytes %d %d\n", sum, three[0]);
}

static void dependences()
{
    int x = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : x) priority(i % 3)
            x = 3 * x % 1001 + i;
        }
#pragma omp taskwait
    }
    printf("dependences %d\n", x);
}

static void locks()
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    int sum = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 100; ++i) {
        if (omp_test_lock(&lock)) omp_unset_lock(&lock);
        omp_set_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        ++sum;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("locks %d\n", sum);
}

int main()
{
    objects();
    reductions();
    variables();
    bytes();
    dependences();
    locks();
    return 0;
}
