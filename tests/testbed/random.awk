# Report of tests/testbed/random: awk -v svg=FILE -v seed=S -f histogram.awk -f random.awk runs.csv
# `sure` and the lines of programs count the draws whose predictions nothing makes doubtful.
BEGIN { FS = "," }
function size(x) { return x < 0 ? -x : x }
function bin_of(error,    bin) { # of 2 %
    bin = int((error + 1000) / 2) - 500
    return bin < -10 ? -10 : bin > 9 ? 9 : bin
}
FNR == 1 {
    for (i = 1; i <= NF; ++i) column[$i] = i
    next
}
function of(name, other) { return name in column ? $column[name] : other }
{
    e = of("error [%]")
    kind = of("program")
    if (kind == "sort" || kind == "multigrid") kind = "MPI"
    else if (kind !~ /^(stencil|farm|hybrid)$/) kind = "LU"
    split(of("doubt") == "" ? "all sure " kind : "all doubtful", groups, " ")
    for (i in groups) {
        g = groups[i]
        ++n[g]
        sum[g] += size(e)
        bias[g] += e
        four[g] += size(e) <= 4
        six[g] += size(e) <= 6
        twelve[g] += size(e) <= 12
        k = split(of("runs [s]"), run, " ")
        for (j = 1; j <= k && of("from [s]") != "nan"; ++j) { # where there is an interval
            ++runs[g]
            inside[g] += run[j] >= of("from [s]") && run[j] <= of("to [s]")
            narrow[g] += run[j] >= of("from 80 [s]", 0) && run[j] <= of("to 80 [s]", 0)
        }
    }
    ++bins[bin_of(e)]
    if (size(e) > size(worst)) { worst = e; worst_draw = $1 }
}
END {
    if (n["all"] == 0) { print "no draw was run"; exit 1 }
    printf "%d draws of seed %s; the largest error, %+.1f %%, is that of draw %d\n\n", n["all"], seed, worst, worst_draw
    printf "            draws   within 4 %%      6 %%     12 %%   mean |error|     bias   runs in their 80 %% and 95 %% intervals\n"
    m = split("all sure LU stencil farm MPI hybrid doubtful", order, " ")
    for (i = 1; i <= m; ++i) {
        g = order[i]
        if (!n[g]) continue
        printf "  %-9s %5d %9.1f %% %6.1f %% %6.1f %% %12.1f %% %+6.1f %%", g, n[g], 100 * four[g] / n[g], \
            100 * six[g] / n[g], 100 * twelve[g] / n[g], sum[g] / n[g], bias[g] / n[g]
        if (runs[g]) printf " %10s %6.1f %% of %d", ("from 80 [s]" in column ? sprintf("%.1f %%", 100 * narrow[g] / runs[g]) : "-"), \
            100 * inside[g] / runs[g], runs[g]
        printf "\n"
    }
    if (svg != "") histogram(svg, n["all"] " testbeds and programs: predictions and runs", "draws", bins, 4)
}
