# Of runs.csv of tests/testbed/hybrid: how many predictions are near, and of each problem which split is the faster one, predicted
# and found. A split counts as found if its real runs are the faster ones, or if the median of each split is within the runs of the other.
BEGIN { FS = "," }
function size(x) { return x < 0 ? -x : x }
function smaller(x, y) { return x < y ? x : y }
function larger(x, y) { return x > y ? x : y }
function least(i) { return smaller(run[i, 1], smaller(run[i, 2], run[i, 3])) }
function most(i) { return larger(run[i, 1], larger(run[i, 2], run[i, 3])) }
function within(x, i) { return x >= least(i) && x <= most(i) }
FNR > 1 && $4 + 0 > 0 && $8 == $8 + 0 {
    n++
    for (k = 1; k <= 3; k++) run[n, k] = $(4 + k) + 0
    predicted[n] = $4; median[n] = $4 / (1 + $8 / 100); threads[n] = $9
    good += size($8) <= 8 || within($4, n); far += size($8) > 15
    problem = $1 "," $2 "," $10
    if (problem in other) {
        a = other[problem]; b = n
        problems++
        tie = within(median[a], b) && within(median[b], a)
        right = tie || (predicted[a] < predicted[b]) == (median[a] < median[b])
        found += right
        fast = predicted[a] < predicted[b] ? a : b; slow = a + b - fast
        first = median[a] < median[b] ? a : b; second = a + b - first
        gain = 100 * (1 - predicted[fast] / predicted[slow])
        truth = "equal within their spread"
        if (!tie) truth = sprintf("that of %d by %4.1f %%", threads[first], 100 * (1 - median[first] / median[second]))
        printf("%-8s %-20s %s nodes: the split with ranks of %d predicted faster by %4.1f %%, found %s%s\n", \
            $1, $2, $10, threads[fast], gain, truth, right ? "" : ": WRONG")
    } else
        other[problem] = n
}
END {
    printf "within 8 %% or the spread of the runs: %d of %d; beyond 15 %%: %d; the faster split found: %d of %d problems\n", \
        good, n, far, found, problems
}
