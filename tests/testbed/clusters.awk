# Report of tests/testbed/clusters: awk -v svg=FILE -f histogram.awk -f clusters.awk runs.csv
function size(x) { return x < 0 ? -x : x }
function bin_of(error,    bin) { # of 2 %
    bin = int((error + 1000) / 2) - 500
    return bin < -10 ? -10 : bin > 9 ? 9 : bin
}
function add(g, e, spread) {
    ++n[g]
    sum[g] += size(e)
    bias[g] += e
    spreads[g] += spread
    six[g] += size(e) <= 6
    twelve[g] += size(e) <= 12
}
FNR == 1 { printf "%-10s %-12s %5s  %-50s %11s %11s %9s\n", "kind", "placement", "nodes", "case", "predicted", "measured", "error"; next }
{
    split($0, quoted, "\"")
    split(quoted[1], head, ",")
    split(substr(quoted[3], 2), value, ",")
    e = value[3]
    printf "%-10s %-12s %5d  %-50s %9.3f s %9.3f s %+7.1f %%\n", head[1], head[2], head[3], quoted[2], value[1], value[2], e
    add("all", e, value[4])
    add(head[1], e, value[4])
    ++bins[bin_of(e)]
}
END {
    if (n["all"] == 0) exit 1
    printf "\n            cases   within 6 %%     12 %%   mean |error|     bias   mean spread of the runs of one\n"
    m = split("all transfers lu mpi", order, " ")
    for (i = 1; i <= m; ++i) {
        g = order[i]
        if (!n[g]) continue
        printf "  %-9s %5d %9.1f %% %6.1f %% %12.1f %% %+6.1f %% %12.1f %%\n", g, n[g], 100 * six[g] / n[g], 100 * twelve[g] / n[g], \
            sum[g] / n[g], bias[g] / n[g], spreads[g] / n[g]
    }
    reached = six["all"] >= 0.9 * n["all"] && twelve["all"] == n["all"]
    printf "\n90 %% within 6 %% and all within 12 %%: %s\n", reached ? "yes" : "no"
    if (svg != "") histogram(svg, sprintf("%d cases on two clusters: %.1f / %.1f %% within 6 / 12 %%", n["all"], \
        100 * six["all"] / n["all"], 100 * twelve["all"] / n["all"]), "cases", bins, 6)
    exit !reached
}
