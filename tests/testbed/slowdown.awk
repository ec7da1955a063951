# Tables and a histogram of tests/testbed/slowdown's runs, with the paper's errors beside:
# awk -v svg=FILE -f histogram.awk -f slowdown.awk tests/published/slowdown_errors.csv runs.csv
BEGIN { FS = "," }
function size(x) { return x < 0 ? -x : x }
function bar(length_of,    text) {
    text = ""
    while (length_of-- > 0) text = text "#"
    return text
}
function bin_of(error,    bin) { # of 2 %
    bin = int((error + 1000) / 2) - 500
    return bin < -10 ? -10 : bin > 9 ? 9 : bin
}
# Bursts are apart that are long: 1000 messages or more of 1000 words or more.
function group_of(table, burst,    part) {
    if (table != "table 8" && table != "table 10") return table
    split(burst, part, /[\/-]/)
    return table (part[1] >= 1000 && part[2] >= 1000 ? ", long" : ", short")
}
FNR == 1 { next }
FNR == NR {
    published++
    paper_table[published] = $1
    paper_burst[published] = $4
    paper_error[published] = $5
    next
}
{
    key = $1 SUBSEP $2 SUBSEP $3
    if (!(key in runs)) { keys[++rows] = key; competitors[key] = $5; k[key] = $6; first[key] = $4 }
    runs[key]++
    last[key] = $4
    sd[key] = $8
    found[key] += $14
    sum[key] += size($15)
    bias[key] += $15
    refined[key] += size($16)

    burst = substr($3, 7)
    group = group_of($1, burst)
    ran[$1, burst]++
    if (!(group in in_group)) groups[++kinds] = group
    in_group[group]++
    group_sum[group] += size($15)
    group_bias[group] += $15
    if (size($15) > size(group_worst[group])) group_worst[group] = $15
    group_refined[group] += size($16)
    group_timed[group] += size($17)
    if ($11 > 0) { stretch += $13 / $11; stretched++ }

    if ($1 == "groups") next # not by the paper's equations
    bins[bin_of($16)]++
    plain[bin_of($15)]++
    total++
}
END {
    if (rows == 0) { print "slowdown.awk: no runs" >"/dev/stderr"; exit 1 }
    for (i = 1; i <= published; i++) { # of the paper's bursts those that were run here, too
        g = group_of(paper_table[i], paper_burst[i])
        if (g != paper_table[i] && !((paper_table[i], paper_burst[i]) in ran)) continue
        paper[g] += paper_error[i]
        paper_rows[g]++
    }
    for (i = 1; i <= rows; i++) {
        key = keys[i]
        split(key, part, SUBSEP)
        if (part[1] != before)
            printf "%s%-12s %-16s %-9s %-44s %7s %6s %6s %8s %8s %9s\n", (i > 1 ? "\n" : ""), part[1], "application", "sizes", \
                "competitors", "Mword/s", "sd", "found", "|error|", "mean", "refined"
        before = part[1]
        printf "%10s   %-16s %-9s %-44s %7s %6.2f %6.2f %6.1f %% %+6.1f %% %s\n", part[2], part[3], first[key] "-" last[key], \
            competitors[key], (k[key] == "" ? "-" : sprintf("%.2f", k[key])), sd[key], found[key] / runs[key], sum[key] / runs[key], bias[key] / runs[key], \
            sprintf("%6.1f %%", refined[key] / runs[key])
    }
    printf "\n%-16s %5s %9s %9s %9s %9s %9s %9s %9s\n", "", "runs", "|error|", "mean", "largest", "refined", "as timed", "paper", "half"
    for (i = 1; i <= kinds; i++) {
        g = groups[i]
        printf "%-16s %5d %7.1f %% %+7.1f %% %+7.1f %% %7.1f %% %7.1f %%", g, in_group[g], group_sum[g] / in_group[g], \
            group_bias[g] / in_group[g], group_worst[g], group_refined[g] / in_group[g], group_timed[g] / in_group[g]
        if (g in paper) printf " %7.1f %% %7.1f %%", paper[g] / paper_rows[g], paper[g] / paper_rows[g] / 2
        printf "\n"
    }
    if (stretched) printf "\nAmong competitors programs used %.1f %% more of the processor than alone.\n", 100 * (stretch / stretched - 1)
    if (total == 0) exit
    print "\n  errors [%] of refined predictions, and of the paper's"
    for (bin = -10; bin <= 9; bin++) {
        if (bins[bin] > most) most = bins[bin]
        if (plain[bin] > most) most = plain[bin]
    }
    for (bin = -10; bin <= 9; bin++)
        printf "  %s %+3d .. %+3d %4d %4d %s\n", (bin == -10 ? "<" : bin == 9 ? ">" : " "), 2 * bin, 2 * bin + 2, bins[bin], plain[bin], \
            bar(int(50 * bins[bin] / most + 0.999))
    if (svg == "") exit
    histogram(svg, total " slowdowns: refined predictions and measurements", "runs", bins, 6, "paper's equations", plain)
}
