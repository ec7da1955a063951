/* What disturbs a measurement of messages, and how far off its values are then; tests/testbed/noise begins it.
 *
 *   noise spin SHARE SEED SECONDS              takes this part of a processor, in bursts of 1 ms to 1 s
 *   noise send SHARE SEED SECONDS ADDRESS MB/S   sends this part of what a link carries, likewise
 *   noise quota SHARE SEED SECONDS GROUP       takes this part from the quota of a cgroup, likewise; and gives it back
 *   noise judge QUIET SAMPLES...               values of calibrate --samples and of the estimator on parts of them, against QUIET
 *
 * Each ends after SECONDS, or at SIGTERM. The lengths of bursts are drawn evenly in their logarithm. */
#define _DEFAULT_SOURCE
#define NETMODEL_STATIC
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "../../examples/messages/programs/calibrate_estimate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static uint32_t state;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double unit(void)
{
    return centre_unit(&state);
}

static void sleep_until(double when)
{
    for (double left; !stopped && (left = when - now()) > 0;) usleep((useconds_t)(1e6 * fmin(left, 0.1)) + 1);
}

/* A number of a file; 0: there is none. */
static double number_in(const char *path)
{
    double number = 0;
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lf", &number) != 1) number = 0;
    if (f) fclose(f);
    return number;
}

static int put_number(const char *path, double number)
{
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    fprintf(f, "%.0f\n", number);
    return fclose(f) == 0;
}

/* One burst, until its end. */
static void burst_of_spin(double end)
{
    while (!stopped && now() < end) {
    }
}

static void burst_of_messages(double end, int socket, const struct sockaddr_in *to, double rate)
{
    static const char packet[1400];
    for (double next = now(); !stopped && next < end; next += (sizeof packet + 42) / rate) {
        sleep_until(next);
        if (sendto(socket, packet, sizeof packet, 0, (const struct sockaddr *)to, sizeof *to) < 0) usleep(1000);
    }
}

/* Bursts of a kind, with so much time between them that they have their share. A quota is smaller during half of the time. */
static int disturb(char **words, int count)
{
    const double share = strtod(words[1], NULL), end = now() + strtod(words[3], NULL);
    const int spins = strcmp(words[0], "spin") == 0, sends = strcmp(words[0], "send") == 0;
    const int out = sends ? socket(AF_INET, SOCK_DGRAM, 0) : -1;
    struct sockaddr_in to;
    char path[500];
    double quota = 0;
    state = (uint32_t)strtoul(words[2], NULL, 10);
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    if (sends && (out < 0 || count < 6 || inet_pton(AF_INET, words[4], &to.sin_addr) != 1)) return 1;
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", words[4]);
    if (!spins && !sends && !((quota = number_in(path)) > 0)) return 1;
    signal(SIGTERM, stop);
    while (!stopped && now() < end && share > 0) {
        const double length = 1e-3 * exp(unit() * log(1000)), begun = now();
        if (spins) burst_of_spin(begun + length);
        if (sends) burst_of_messages(begun + length, out, &to, 1e6 * strtod(words[5], NULL));
        if (!spins && !sends) {
            put_number(path, quota * (1 - share));
            sleep_until(begun + length);
            put_number(path, quota);
        }
        sleep_until(begun + length * (spins || sends ? 1 / share : 2));
    }
    if (quota > 0) put_number(path, quota);
    if (out >= 0) close(out);
    return 0;
}

static int read_samples(const char *path, samples *s)
{
    int kind_of, size, pair, round;
    double seconds;
    FILE *f = fopen(path, "r");
    memset(s, 0, sizeof *s);
    int right = f && fscanf(f, "eager %d, partners %d", &s->eager, &s->partners) == 2;
    while (right && fscanf(f, "%d %d %d %d %lf", &kind_of, &size, &pair, &round, &seconds) == 5)
        right = kind_of >= 0 && kind_of < KINDS && size >= 0 && size < SIZES && pair >= -1 && pair < MOST_PAIRS &&
                round >= -1 && round < MOST_ROUNDS && samples_add(s, (kind)kind_of, size, pair, round, seconds);
    right = right && feof(f);
    s->largest = s->eager + LARGE <= LARGEST / 2;
    if (f) fclose(f);
    return right && s->count > 0;
}

/* Values beside those of a quiet machine. */
typedef struct tally {
    int trials, near[JUDGED], told[JUDGED], either[JUDGED], held[JUDGED];
    double off[JUDGED];
} tally;

static void judge_one(tally *t, const samples *s, const double quiet[VALUES], const double quiet_error[VALUES])
{
    double v[VALUES], error[VALUES], correlation[VALUES];
    int with[VALUES];
    for (int k = 0; k < VALUES; ++k) with[k] = VALUES;
    if (!calibrate_derive(s, NULL, v) || !calibrate_errors(s, with, error, correlation)) return;
    ++t->trials;
    for (int i = 0; i < JUDGED; ++i) {
        const int k = judged[i].value;
        double off[VALUES] = { 0 };
        off[k] = fabs(v[k] - quiet[k]);
        const double far = relative_error(quiet, off, k), told = relative_error(v, error, k);
        t->off[i] += far;
        t->near[i] += far <= 0.05;
        t->told[i] += told > 0.05;
        t->either[i] += far <= 0.05 || told > 0.05;
        t->held[i] += off[k] <= 1.645 * hypot(error[k], quiet_error[k]) + 1e-12;
    }
}

static void tally_print(const tally *t, const char *what)
{
    printf("%s: %d\n%-20s %8s %14s %8s %8s %20s\n", what, t->trials, "", "mean", "within 5 %", "told", "either",
           "in 90 % intervals");
    for (int i = 0; i < JUDGED && t->trials > 0; ++i)
        printf("%-20s %6.1f %% %12.1f %% %6.1f %% %6.1f %% %18.1f %%\n", judged[i].name, 100 * t->off[i] / t->trials,
               100.0 * t->near[i] / t->trials, 100.0 * t->told[i] / t->trials, 100.0 * t->either[i] / t->trials,
               100.0 * t->held[i] / t->trials);
}

/* Of all recorded samples as many pairs in rounds as one trial has, drawn at random, as one more trial. */
static int draw_trial(const samples *all, int files, samples *drawn)
{
    const samples *like = &all[(int)(unit() * files)];
    const int pairs = like->pairs, rounds = like->rounds;
    memset(drawn, 0, sizeof *drawn);
    drawn->eager = like->eager;
    drawn->largest = like->largest;
    drawn->partners = like->partners;
    for (int round = 0; round < rounds; ++round) {
        for (int pair = -1; pair < pairs; ++pair) {
            const samples *from = &all[(int)(unit() * files)];
            const int its_round = (int)(unit() * from->rounds);
            for (size_t i = 0; i < from->count; ++i)
                if (from->of[i].pair == pair &&
                    (from->of[i].round == its_round || (round == 0 && from->of[i].round < 0)) &&
                    !samples_add(drawn, from->of[i].kind, from->of[i].size, pair, from->of[i].round < 0 ? -1 : round,
                                 from->of[i].seconds))
                    return 0;
        }
    }
    return 1;
}

static int judge(int count, char **paths)
{
    enum { DRAWS = 200 };
    double quiet[VALUES], quiet_error[VALUES], correlation[VALUES];
    int with[VALUES];
    tally real, drawn;
    samples *all = calloc((size_t)count, sizeof *all), one;
    if (!all) return 2;
    memset(&real, 0, sizeof real);
    memset(&drawn, 0, sizeof drawn);
    for (int i = 0; i < count; ++i)
        if (!read_samples(paths[i], &all[i]))
            return fprintf(stderr, "noise: cannot read samples in '%s'\n", paths[i]), 1;
    for (int k = 0; k < VALUES; ++k) with[k] = VALUES;
    if (!calibrate_derive(&all[0], NULL, quiet) || !calibrate_errors(&all[0], with, quiet_error, correlation)) return 2;
    for (int i = 1; i < count; ++i) judge_one(&real, &all[i], quiet, quiet_error);
    state = 1;
    for (int i = 0; i < DRAWS && count > 1; ++i) {
        if (!draw_trial(all + 1, count - 1, &one)) return 2;
        judge_one(&drawn, &one, quiet, quiet_error);
        free(one.of);
    }
    printf("quiet: half a round trip %.4g us, latency %.4g us, send %.4g us, receive %.4g us, watch %.4g us, wake %.4g "
           "us, %.5g MB/s\n",
           1e6 * quiet[HALF_TRIP], 1e6 * quiet[LATENCY], 1e6 * quiet[SEND], 1e6 * quiet[RECEIVE], 1e6 * quiet[WATCH],
           1e6 * quiet[WAKE], 1e-6 * quiet[BANDWIDTH]);
    tally_print(&real, "calibrations under noise");
    tally_print(&drawn, "the estimator on pairs and rounds drawn from these");
    for (int i = 0; i < count; ++i) free(all[i].of);
    free(all);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "judge") == 0) return judge(argc - 2, argv + 2);
    if (argc > 4 &&
        (strcmp(argv[1], "spin") == 0 || (argc > 5 && (!strcmp(argv[1], "send") || !strcmp(argv[1], "quota")))))
        return disturb(argv + 1, argc - 1);
    fprintf(stderr, "noise: expected spin, send, quota or judge, and what belongs to it\n");
    return 2;
}
