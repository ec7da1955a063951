/* points.c - designs: which values a point has. Nothing is stored: a point is computed from its number. */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 32, DIMENSIONS = 2 * SWEEP_PARAMETERS };

/* Dimension 2 and up: the degree s and the coefficients a of a primitive polynomial over GF(2), and m_1 .. m_s.
 * Source: S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30
 * (2008), their table new-joe-kuo-6. */
static const struct joe_kuo {
    unsigned char s, a;
    unsigned short m[8];
} joe_kuo[DIMENSIONS - 1] = {
    { 1, 0, { 1 } },
    { 2, 1, { 1, 3 } },
    { 3, 1, { 1, 3, 1 } },
    { 3, 2, { 1, 1, 1 } },
    { 4, 1, { 1, 1, 3, 3 } },
    { 4, 4, { 1, 3, 5, 13 } },
    { 5, 2, { 1, 1, 5, 5, 17 } },
    { 5, 4, { 1, 1, 5, 5, 5 } },
    { 5, 7, { 1, 1, 7, 11, 19 } },
    { 5, 11, { 1, 1, 5, 1, 1 } },
    { 5, 13, { 1, 1, 1, 3, 11 } },
    { 5, 14, { 1, 3, 5, 5, 31 } },
    { 6, 1, { 1, 3, 3, 9, 7, 49 } },
    { 6, 13, { 1, 1, 1, 15, 21, 21 } },
    { 6, 16, { 1, 3, 1, 13, 27, 49 } },
    { 6, 19, { 1, 1, 1, 15, 7, 5 } },
    { 6, 22, { 1, 3, 1, 15, 13, 25 } },
    { 6, 25, { 1, 1, 5, 5, 19, 61 } },
    { 7, 1, { 1, 3, 7, 11, 23, 15, 103 } },
    { 7, 4, { 1, 3, 7, 13, 13, 15, 69 } },
    { 7, 7, { 1, 1, 3, 13, 7, 35, 63 } },
    { 7, 8, { 1, 3, 5, 9, 1, 25, 53 } },
    { 7, 14, { 1, 3, 1, 13, 9, 35, 107 } },
    { 7, 19, { 1, 3, 1, 5, 27, 61, 31 } },
    { 7, 21, { 1, 1, 5, 11, 19, 41, 61 } },
    { 7, 28, { 1, 3, 5, 3, 3, 13, 69 } },
    { 7, 31, { 1, 1, 7, 13, 1, 19, 1 } },
    { 7, 32, { 1, 3, 7, 5, 13, 19, 59 } },
    { 7, 37, { 1, 1, 3, 9, 25, 29, 41 } },
    { 7, 41, { 1, 3, 5, 13, 23, 1, 55 } },
    { 7, 42, { 1, 3, 7, 3, 13, 59, 17 } },
    { 7, 50, { 1, 3, 1, 3, 5, 53, 69 } },
    { 7, 55, { 1, 1, 5, 5, 23, 33, 13 } },
    { 7, 56, { 1, 1, 7, 7, 1, 61, 123 } },
    { 7, 59, { 1, 1, 7, 9, 13, 61, 49 } },
    { 7, 62, { 1, 3, 3, 5, 3, 55, 33 } },
    { 8, 14, { 1, 3, 1, 15, 31, 13, 49, 245 } },
    { 8, 21, { 1, 3, 5, 15, 31, 59, 63, 97 } },
    { 8, 22, { 1, 3, 1, 11, 11, 11, 77, 249 } },
    { 8, 38, { 1, 3, 1, 11, 27, 43, 71, 9 } },
    { 8, 47, { 1, 1, 7, 15, 21, 11, 81, 45 } },
    { 8, 49, { 1, 3, 7, 3, 25, 31, 65, 79 } },
    { 8, 50, { 1, 3, 1, 1, 19, 11, 3, 205 } },
    { 8, 52, { 1, 1, 5, 9, 19, 21, 29, 157 } },
    { 8, 56, { 1, 3, 7, 11, 1, 33, 89, 185 } },
    { 8, 67, { 1, 3, 3, 3, 15, 9, 79, 71 } },
    { 8, 70, { 1, 3, 7, 11, 15, 39, 119, 27 } },
};

bool sweep_points_open(sweep *s)
{
    const size_t dimensions = s->design == SWEEP_SALTELLI ? 2 * s->parameters : s->parameters;
    if (s->design != SWEEP_SOBOL && s->design != SWEEP_SALTELLI) return true;
    s->direction = (uint32_t(*)[BITS])calloc(dimensions + 1, sizeof *s->direction);
    if (!s->direction) return sweep_says(s, "no memory for the design");
    for (size_t d = 0; d < dimensions; ++d) {
        uint32_t *v = s->direction[d];
        if (d == 0) {
            for (int i = 0; i < BITS; ++i) v[i] = UINT32_C(1) << (BITS - 1 - i);
            continue;
        }
        const struct joe_kuo *row = &joe_kuo[d - 1];
        const int degree = row->s;
        for (int i = 0; i < BITS; ++i) {
            if (i < degree) {
                v[i] = (uint32_t)row->m[i] << (BITS - 1 - i);
                continue;
            }
            v[i] = v[i - degree] ^ (v[i - degree] >> degree);
            for (int k = 1; k < degree; ++k)
                if (row->a >> (degree - 1 - k) & 1) v[i] ^= v[i - k];
        }
    }
    return true;
}

static uint64_t mixed(uint64_t seed, uint64_t a, uint64_t b)
{
    simkit_random random;
    random.state = seed;
    random.state = simkit_random_bits(&random) + a;
    random.state = simkit_random_bits(&random) + b;
    return simkit_random_bits(&random);
}

static double sobol(const sweep *s, size_t dimension, size_t row)
{
    uint32_t gray = (uint32_t)(row ^ (row >> 1)), x = (uint32_t)(mixed(s->shift, 1, dimension) >> 32);
    for (int i = 0; gray > 0; ++i, gray >>= 1)
        if (gray & 1) x ^= s->direction[dimension][i];
    return (x + 0.5) / 4294967296.0;
}

/* The place of a row in a random order of all rows: a Feistel network of four rounds on the smallest even number of bits,
 * applied until the result is a row. */
static size_t shuffled(uint64_t seed, size_t dimension, size_t row, size_t rows)
{
    int half = 1;
    while (2 * half < 64 && (UINT64_C(1) << (2 * half)) < rows) ++half;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t at = row;
    do {
        uint64_t left = at >> half, right = at & mask;
        for (uint64_t round = 0; round < 4; ++round) {
            const uint64_t next = left ^ (mixed(seed, 2 + 4 * dimension + round, right) & mask);
            left = right;
            right = next;
        }
        at = left << half | right;
    } while (at >= rows);
    return (size_t)at;
}

static double latin(const sweep *s, size_t dimension, size_t row)
{
    const double within =
        ((double)(mixed(s->shift ^ UINT64_C(0x1a71), dimension, row) >> 11) + 0.5) / 9007199254740992.0;
    return ((double)shuffled(s->shift, dimension, row, s->base) + within) / (double)s->base;
}

/* The quantile of the standard normal distribution: Abramowitz and Stegun 26.2.23, then Halley's method on erfc(). */
static double normal(double part)
{
    const double tail = part < 0.5 ? part : 1 - part, t = sqrt(-2 * log(tail));
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 2; ++i) {
        const double off = 0.5 * erfc(z * sqrt(0.5)) - tail, step = off / (0.3989422804014327 * exp(-0.5 * z * z));
        z += step / (1 - 0.5 * z * step);
    }
    return part < 0.5 ? -z : z;
}

/* The quantile of a law without a list. */
double sweep_law_quantile(const sweep_parameter *p, double part)
{
    const double *n = p->number;
    switch (p->law) {
    case SWEEP_LINEAR:
        return p->whole ? fmin(n[0] + floor(part * (n[1] - n[0] + 1)), n[1]) : n[0] + (n[1] - n[0]) * part;
    case SWEEP_LOGARITHMIC: return n[0] * pow(n[1] / n[0], part);
    case SWEEP_NORMAL: return n[0] + n[1] * normal(part);
    case SWEEP_LOG_NORMAL: return n[0] * pow(n[1], normal(part));
    case SWEEP_EXPONENTIAL: return -n[0] * log1p(-part);
    case SWEEP_TRIANGULAR: {
        const double width = n[2] - n[0], left = n[1] - n[0];
        if (!(width > 0)) return n[0];
        return part < left / width ? n[0] + sqrt(part * width * left) : n[2] - sqrt((1 - part) * width * (n[2] - n[1]));
    }
    default: return (double)NAN;
    }
}

double sweep_law_value(const sweep_parameter *p, double part)
{
    if (p->count > 0) return p->values[(size_t)fmin(floor(part * (double)p->count), (double)(p->count - 1))];
    const double value = sweep_law_quantile(p, part);
    return sweep_round(p->whole ? floor(value + 0.5) : value);
}

const char *sweep_word(const sweep_parameter *p, double value)
{
    for (size_t i = 0; i < p->count && p->words; ++i)
        if (p->values[i] <= value && p->values[i] >= value) return p->words[i];
    return NULL;
}

void sweep_values(const sweep *s, size_t point, double *value)
{
    const size_t count = s->parameters;
    if (s->design == SWEEP_FACTORIAL) {
        for (size_t i = count; i-- > 0; point /= s->parameter[i].count)
            value[i] = s->parameter[i].values[point % s->parameter[i].count];
        return;
    }
    const size_t rows = s->design == SWEEP_SALTELLI ? count + 2 : 1, row = point / rows, kind = point % rows;
    for (size_t i = 0; i < count; ++i) {
        const size_t dimension = kind == 1 || kind == i + 2 ? count + i : i; /* of B, of A */
        value[i] =
            sweep_law_value(&s->parameter[i], s->design == SWEEP_LATIN ? latin(s, i, row) : sobol(s, dimension, row));
    }
}
