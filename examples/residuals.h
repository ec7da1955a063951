/* residuals.h - how far validated runs were from their predictions. Made by tests/residuals --update of the tables in docs/. */
#ifndef RESIDUALS_H
#define RESIDUALS_H

/* A family of predictions: the table in docs/ (NAME.csv); how many real runs it has; on how many ranks, nodes or cores the largest of
 * them was, 0 if that was no question; 80 % and 95 % of them were at most so far from their predictions, |log(run / predicted)|. */
typedef struct residuals {
    const char *name;
    int runs, most;
    double within[2];
} residuals;

static const residuals residuals_of[] = {
    { "clusters", 300, 8, { 0.0232, 0.0607 } },
    { "hybrid", 72, 8, { 0.0494, 0.0670 } },
    { "messages", 219, 8, { 0.0392, 0.1300 } },
    { "openmp", 460, 2, { 0.1053, 0.2823 } },
    { "random", 69, 8, { 0.0223, 0.0560 } },
    { "server", 441, 8, { 0.0342, 0.0721 } },
    { "slowdown", 243, 0, { 0.0336, 0.1178 } },
    { "threads", 160, 2, { 0.2051, 0.3816 } },
    { "validation", 519, 8, { 0.0235, 0.0431 } },
};

#endif
