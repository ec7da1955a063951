/* quadrature.c - the body of integrals.h: globally adaptive quadrature as in QAG of QUADPACK, and the integrands */
#include "integrals.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>

/*=============================================================================
 * MARK: - >>integrands
 *
 * Jumps and peaks lie at thirds and sevenths: halving never reaches them, so that none hides between the end of an
 * interval and the first point of the rule.
 *===========================================================================*/
static const double integrals_pi = 3.14159265358979323846;
static const double integrals_third = 1.0 / 3;

static double integrals_wave(double x, double w) /* integral of cos(w x) from 0 */
{
    return w > 0 ? sin(w * x) / w : x;
}

static double integrals_width(double alpha, double decades)
{
    return pow(10, -1 - decades * alpha);
}

static double integrals_bell(double x, double width)
{
    const double d = x - integrals_third;
    return width / (d * d + width * width);
}

static double integrals_steps(double alpha)
{
    return 1 + floor(6 * alpha);
}

static double integrals_power(double alpha)
{
    return 0.25 * alpha;
}

static double integrals_log_cosh(double y)
{
    return y + log1p(exp(-2 * y)) - log(2);
}

/* Seven oscillate, eight have singularities, peaks or jumps, six have both. */
static double integrals_value(int family, double alpha, double x)
{
    switch (family) {
    case 0: return x * (1 + sin(600 * alpha * x));
    case 1: return exp(-x) * cos(600 * alpha * x);
    case 2: return pow(sin(300 * alpha * x), 2);
    case 3: return x * sin(50 * alpha * x * x);
    case 4: return cos(400 * alpha * sin(x));
    case 5: return sin(300 * alpha * x) * sin(330 * alpha * x);
    case 6: return exp(sin(300 * alpha * x));
    case 7: return pow(x, -0.9 * alpha);
    case 8: return -log(x) * pow(x, -0.8 * alpha);
    case 9: return integrals_bell(x, integrals_width(alpha, 3));
    case 10: return 1 + tanh((x - integrals_third) / integrals_width(alpha, 4));
    case 11: return exp(-fabs(x - integrals_third) / integrals_width(alpha, 1.5));
    case 12: return x < integrals_third ? 1 : 2 + floor(9 * alpha);
    case 13: return floor(7 * x) < integrals_steps(alpha) ? 1 + floor(7 * x) : 1 + integrals_steps(alpha);
    case 14: return integrals_width(alpha, 2) / (pow(sin(5 * x), 2) + pow(integrals_width(alpha, 2), 2));
    case 15: return pow(x, -0.5 * alpha) + cos(400 * alpha * x);
    case 16: return cos(1 / (x + 0.002 + 0.1 * (1 - alpha)));
    case 17: return -log(x) * sin(300 * alpha * x);
    case 18: return integrals_bell(x, integrals_width(alpha, 3)) * pow(cos(200 * alpha * x), 2);
    case 19: return x < integrals_third ? sin(300 * alpha * x) : -sin(300 * alpha * x);
    default: break;
    }
    x = fabs(x - integrals_third);
    return x > 0 ? pow(x, -integrals_power(alpha)) + cos(300 * alpha * x) : 0;
}

/* Each starts at 0. */
static double integrals_end(int family)
{
    return family < 7 ? 2 * integrals_pi : family == 14 ? integrals_pi : 1;
}

double integrals_known(integrals_task task)
{
    const double alpha = task.alpha, x = integrals_end(task.family), c = integrals_third;
    double w = 600 * alpha, sum = 0;
    switch (task.family) {
    case 0: return x * x / 2 + (w > 0 ? (sin(w * x) / w - x * cos(w * x)) / w : 0);
    case 1: return (1 + exp(-x) * (w * sin(w * x) - cos(w * x))) / (1 + w * w);
    case 2: return (x - integrals_wave(x, w)) / 2;
    case 3: return w > 0 ? (1 - cos(w / 12 * x * x)) / (w / 6) : 0;
    case 5: return (integrals_wave(x, 30 * alpha) - integrals_wave(x, 630 * alpha)) / 2;
    case 7: return 1 / (1 - 0.9 * alpha);
    case 8: return 1 / pow(1 - 0.8 * alpha, 2);
    case 9: w = integrals_width(alpha, 3); return atan((1 - c) / w) + atan(c / w);
    case 10:
        w = integrals_width(alpha, 4);
        return 1 + w * (integrals_log_cosh((1 - c) / w) - integrals_log_cosh(c / w));
    case 11: w = integrals_width(alpha, 1.5); return w * (2 - exp(-c / w) - exp((c - 1) / w));
    case 12: return c + (1 - c) * (2 + floor(9 * alpha));
    case 13:
        for (int k = 1; k <= (int)integrals_steps(alpha); ++k) sum += 1 - k / 7.0;
        return 1 + sum;
    case 14: return integrals_pi / sqrt(1 + pow(integrals_width(alpha, 2), 2));
    case 15: return 1 / (1 - 0.5 * alpha) + integrals_wave(1, 400 * alpha);
    case 19: w = 300 * alpha; return w > 0 ? (1 - 2 * cos(w * c) + cos(w)) / w : 0;
    case 20:
        w = 300 * alpha;
        double p = 1 - integrals_power(alpha);
        return (pow(c, p) + pow(1 - c, p)) / p + integrals_wave(c, w) + integrals_wave(1 - c, w);
    default: return NAN;
    }
}

/*=============================================================================
 * MARK: - >>quadrature
 *===========================================================================*/
/* Points from the end to the middle; every second one also belongs to the Gauss rule. */
typedef struct quadrature_rule {
    int points;
    double at[16], kronrod[16], gauss[8];
} quadrature_rule;

static const quadrature_rule quadrature_rules[] = {
    { 15,
      { 0.9914553711208126392, 0.9491079123427585245, 0.8648644233597690728, 0.7415311855993944399,
        0.5860872354676911303, 0.4058451513773971669, 0.2077849550078984676, 0 },
      { 0.02293532201052922496, 0.06309209262997855329, 0.1047900103222501838, 0.1406532597155259187,
        0.1690047266392679028, 0.1903505780647854099, 0.2044329400752988924, 0.209482141084727828 },
      { 0.1294849661688696933, 0.2797053914892766679, 0.381830050505118945, 0.4179591836734693878 } },
    { 21,
      { 0.9956571630258080807, 0.9739065285171717201, 0.930157491355708226, 0.8650633666889845107,
        0.7808177265864168971, 0.6794095682990244062, 0.5627571346686046833, 0.4333953941292471908,
        0.2943928627014601981, 0.1488743389816312109, 0 },
      { 0.01169463886737187428, 0.03255816230796472748, 0.05475589657435199603, 0.07503967481091995277,
        0.09312545458369760554, 0.1093871588022976419, 0.1234919762620658511, 0.1347092173114733259,
        0.1427759385770600808, 0.1477391049013384914, 0.1494455540029169057 },
      { 0.06667134430868813759, 0.1494513491505805931, 0.219086362515982044, 0.2692667193099963551,
        0.2955242247147528702 } },
    { 31,
      { 0.9980022986933970603, 0.9879925180204854285, 0.9677390756791391343, 0.9372733924007059043,
        0.8972645323440819009, 0.8482065834104272162, 0.790418501442465933, 0.7244177313601700474,
        0.6509967412974169705, 0.5709721726085388475, 0.4850818636402396807, 0.3941513470775633699,
        0.2991800071531688122, 0.2011940939974345223, 0.101142066918717499, 0 },
      { 0.005377479872923348988, 0.01500794732931612254, 0.02546084732671532019, 0.03534636079137584622,
        0.04458975132476487661, 0.05348152469092808727, 0.06200956780067064029, 0.06985412131872825871,
        0.07684968075772037889, 0.08308050282313302104, 0.08856444305621177065, 0.09312659817082532123,
        0.09664272698362367851, 0.09917359872179195933, 0.100769845523875595, 0.101330007014791549 },
      { 0.03075324199611726835, 0.07036604748810812471, 0.107159220467171935, 0.1395706779261543144,
        0.1662692058169939336, 0.186161000015562211, 0.1984314853271115765, 0.2025782419255612729 } },
};

enum { QUADRATURE_INTERVALS = 1 << 16 }; /* maximum number; beyond it the error stays larger */

typedef struct quadrature_interval {
    double begin, end, value, error;
} quadrature_interval;

struct quadrature {
    const quadrature_rule *rule;
    double tau;
    int scale, count;
    quadrature_interval *heap; /* the interval with the largest error first */
};

quadrature *quadrature_open(const integrals_options *o)
{
    quadrature *q = (quadrature *)malloc(sizeof *q);
    if (!q) return NULL;
    q->rule = &quadrature_rules[o->points / 10 - 1];
    q->tau = o->tau;
    q->scale = o->scale;
    q->heap = (quadrature_interval *)malloc(QUADRATURE_INTERVALS * sizeof *q->heap);
    if (q->heap) return q;
    free(q);
    return NULL;
}

void quadrature_close(quadrature *q)
{
    if (q) free(q->heap);
    free(q);
}

/* Evaluates the integrand `scale` times, although the value is the same. */
static double quadrature_evaluate(const quadrature *q, integrals_task task, double x)
{
    volatile double at = x, value = 0;
    for (int i = 0; i < q->scale; ++i) value = integrals_value(task.family, task.alpha, at);
    return value;
}

/* The sum by the longer rule, and its estimated error, as in QUADPACK. */
static quadrature_interval quadrature_estimate(const quadrature *q, integrals_task task, double begin, double end)
{
    const quadrature_rule *rule = q->rule;
    const int half = rule->points / 2;
    const double middle = (begin + end) / 2, wide = (end - begin) / 2;
    double values[32], kronrod = 0, gauss = 0, size = 0, spread = 0;
    for (int i = 0; i <= half; ++i) {
        const double left = quadrature_evaluate(q, task, middle - wide * rule->at[i]);
        const double right = i < half ? quadrature_evaluate(q, task, middle + wide * rule->at[i]) : 0;
        values[2 * i] = left;
        values[2 * i + 1] = right;
        kronrod += rule->kronrod[i] * (left + right);
        size += rule->kronrod[i] * (fabs(left) + fabs(right));
        if (i % 2) gauss += rule->gauss[i / 2] * (left + right);
    }
    for (int i = 0; i < rule->points; ++i) spread += rule->kronrod[i / 2] * fabs(values[i] - kronrod / 2);
    double error = fabs((kronrod - gauss) * wide);
    spread *= wide;
    size *= wide;
    if (spread > 0 && error > 0) error = spread * fmin(1, pow(200 * error / spread, 1.5));
    if (size > DBL_MIN / (50 * DBL_EPSILON)) error = fmax(error, 50 * DBL_EPSILON * size);
    return (quadrature_interval){ begin, end, kronrod * wide, error };
}

static void quadrature_sink(quadrature *q, quadrature_interval interval)
{
    int at = 0, child;
    for (; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && q->heap[child + 1].error > q->heap[child].error) ++child;
        if (q->heap[child].error <= interval.error) break;
        q->heap[at] = q->heap[child];
    }
    q->heap[at] = interval;
}

static void quadrature_add(quadrature *q, quadrature_interval interval)
{
    int at = q->count++;
    for (; at > 0 && q->heap[(at - 1) / 2].error < interval.error; at = (at - 1) / 2)
        q->heap[at] = q->heap[(at - 1) / 2];
    q->heap[at] = interval;
}

static void quadrature_sum(const quadrature *q, integrals_result *result)
{
    result->value = result->error = 0;
    for (int i = 0; i < q->count; ++i) {
        result->value += q->heap[i].value;
        result->error += q->heap[i].error;
    }
}

integrals_result quadrature_integrate(quadrature *q, integrals_task task)
{
    integrals_result result = { 0, 0, q->rule->points };
    q->count = 0;
    quadrature_add(q, quadrature_estimate(q, task, 0, integrals_end(task.family)));
    quadrature_sum(q, &result);
    while (q->count < QUADRATURE_INTERVALS) {
        const quadrature_interval worst = q->heap[0];
        const double middle = (worst.begin + worst.end) / 2;
        if (result.error <= q->tau) quadrature_sum(q, &result); /* removes accumulated rounding errors */
        if (result.error <= q->tau || !(worst.begin < middle && middle < worst.end)) break;
        quadrature_interval left = quadrature_estimate(q, task, worst.begin, middle);
        quadrature_interval right = quadrature_estimate(q, task, middle, worst.end);
        result.error += left.error + right.error - worst.error;
        result.evaluations += 2 * q->rule->points;
        quadrature_sink(q, left);
        quadrature_add(q, right);
    }
    quadrature_sum(q, &result);
    return result;
}

/*=============================================================================
 * MARK: - >>bag
 *===========================================================================*/
const char integrals_usage[] =
    "  --tasks N        integrals in the bag; default: 10000\n"
    "  --tau E          maximum error of an integral, at most 1e-6; default: 1e-8\n"
    "  --bytes N        size of the message that carries a task, at least 24; default: 10240\n"
    "  --points N       points of the Gauss-Kronrod rule: 15, 21 or 31; default: 15\n"
    "  --seed N         seed of the random bag; default: 1\n"
    "  --work-scale N   number of evaluations at each point; default: 1\n"
    "  --help           prints this\n";

void integrals_begin(integrals_options *o, argument list[INTEGRALS_OPTIONS])
{
    *o = (integrals_options){ .tasks = 10000, .bytes = 10240, .points = 15, .seed = 1, .scale = 1, .tau = 1e-8 };
    list[0] = (argument){ .name = "--tasks", .number = &o->tasks, .least = 1, .most = 100000000 };
    list[1] = (argument){ .name = "--tau", .amount = &o->tau };
    list[2] = (argument){ .name = "--bytes", .number = &o->bytes, .least = 24, .most = 1 << 28 };
    list[3] = (argument){ .name = "--points", .number = &o->points, .least = 15, .most = 31 };
    list[4] = (argument){ .name = "--seed", .number = &o->seed, .least = 0, .most = INT_MAX };
    list[5] = (argument){ .name = "--work-scale", .number = &o->scale, .least = 1, .most = INT_MAX };
}

int integrals_wrong(const integrals_options *o, char why[200])
{
    const int points = o->points == 15 || o->points == 21 || o->points == 31;
    if (points && o->tau <= 1e-6) return 0;
    if (points)
        snprintf(why, 200, "--tau %g: expected at most 1e-6, because peaks are missed otherwise", o->tau);
    else
        snprintf(why, 200, "--points %d: expected 15, 21 or 31", o->points);
    return 1;
}

static uint64_t integrals_random(uint64_t *state) /* splitmix64 */
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

integrals_task *integrals_bag(const integrals_options *o)
{
    uint64_t state = (uint64_t)o->seed;
    integrals_task *tasks = (integrals_task *)malloc((size_t)o->tasks * sizeof *tasks);
    for (int i = 0; i < o->tasks && tasks; ++i) {
        tasks[i].family = (int)(integrals_random(&state) % INTEGRALS_FAMILIES);
        tasks[i].alpha = (double)(integrals_random(&state) >> 11) / (double)((uint64_t)1 << 53);
    }
    return tasks;
}

/* One result in this many may have a larger error than estimated: both rules sometimes agree by chance. */
enum { QUADRATURE_CHANCE = 1000 };

int integrals_report(const integrals_options *o, const integrals_task *tasks, const integrals_result *results)
{
    double sum = 0, evaluations = 0, most = 0, largest = 0;
    int known = 0, wrong = 0, short_of = 0;
    for (int i = 0; i < o->tasks; ++i) {
        const integrals_result *r = &results[i];
        const double off = fabs(r->value - integrals_known(tasks[i]));
        sum += r->value;
        evaluations += r->evaluations;
        most = fmax(most, r->evaluations);
        short_of += r->error > o->tau;
        if (isnan(off)) continue;
        ++known;
        largest = fmax(largest, off);
        wrong += off > 10 * fmax(o->tau, r->error);
    }
    printf("integrals %d, error limit %g, exceeded in %d\n", o->tasks, o->tau, short_of);
    printf("sum %.12g\n", sum);
    printf("evaluations %.12g, maximum %.12g in one integral\n", evaluations, most);
    printf("known integrals %d, maximum error %.3e, larger than estimated in %d\n", known, largest, wrong);
    return wrong <= 1 + known / QUADRATURE_CHANCE;
}
