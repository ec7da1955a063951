# Tables and a histogram of tests/testbed/slowdown's runs, with the paper's errors beside: awk -v svg=FILE -f slowdown.awk runs.csv
BEGIN {
    FS = ","
    # Means over the rows of the paper's tables; of tables 8 and 10 apart for bursts of 1000 messages or more of 1000
    # words or more, and for all others. For parallel programs it says: all within 15 %.
    paper["figure 3"] = 3; paper["table 5"] = 4.7; paper["table 6"] = 5.3; paper["figure 6"] = 17; paper["table 7"] = 9.4
    paper["table 8, long"] = 5.8; paper["table 8, short"] = 77.8; paper["table 10, long"] = 4; paper["table 10, short"] = 20.5
}
function size(x) { return x < 0 ? -x : x }
function bar(length_of,    text) {
    text = ""
    while (length_of-- > 0) text = text "#"
    return text
}
FNR > 1 {
    key = $1 SUBSEP $2 SUBSEP $3
    if (!(key in runs)) { keys[++rows] = key; competitors[key] = $5; k[key] = $6; first[key] = $4 }
    runs[key]++
    last[key] = $4
    sd[key] = $8
    found[key] += $11 / $9
    sum[key] += size($12)
    bias[key] += $12
    if ($14 != "") refined[key] += size($14)

    group = $1
    if ($3 ~ /^burst/) {
        split($3, burst, /[ \/-]/)
        group = group (burst[2] >= 1000 && burst[3] >= 1000 ? ", long" : ", short")
    }
    if (!(group in in_group)) groups[++kinds] = group
    in_group[group]++
    group_sum[group] += size($12)
    group_bias[group] += $12
    if (size($12) > size(group_worst[group])) group_worst[group] = $12
    if ($14 != "") group_refined[group] += size($14)

    e = $14 != "" ? $14 : $12
    bin = int((e + 1000) / 2) - 500 # of 2 %
    if (bin < -10) bin = -10
    if (bin > 9) bin = 9
    bins[bin]++
    total++
}
END {
    if (total == 0) { print "slowdown.awk: no runs" >"/dev/stderr"; exit 1 }
    for (i = 1; i <= rows; i++) {
        key = keys[i]
        split(key, part, SUBSEP)
        if (part[1] != before)
            printf "%s%-12s %-16s %-9s %-44s %7s %6s %6s %8s %8s %9s\n", (i > 1 ? "\n" : ""), part[1], "application", "sizes", \
                "competitors", "Mword/s", "sd", "found", "|error|", "mean", "refined"
        before = part[1]
        printf "%10s   %-16s %-9s %-44s %7.2f %6.2f %6.2f %6.1f %% %+6.1f %% %s\n", part[2], part[3], first[key] "-" last[key], \
            competitors[key], k[key], sd[key], found[key] / runs[key], sum[key] / runs[key], bias[key] / runs[key], \
            (key in refined ? sprintf("%6.1f %%", refined[key] / runs[key]) : "")
    }
    printf "\n%-16s %5s %9s %9s %9s %9s %9s\n", "", "runs", "|error|", "mean", "largest", "refined", "paper"
    for (i = 1; i <= kinds; i++) {
        g = groups[i]
        printf "%-16s %5d %7.1f %% %+7.1f %% %+7.1f %% %9s %9s\n", g, in_group[g], group_sum[g] / in_group[g], group_bias[g] / in_group[g], \
            group_worst[g], (g in group_refined ? sprintf("%.1f %%", group_refined[g] / in_group[g]) : ""), \
            (g in paper ? sprintf("%.1f %%", paper[g]) : g == "between" ? "" : "< 15 %")
    }
    print "\n  errors [%], refined where there is such a prediction"
    for (bin = -10; bin <= 9; bin++) if (bins[bin] > most) most = bins[bin]
    for (bin = -10; bin <= 9; bin++)
        printf "  %s %+3d .. %+3d %4d %s\n", (bin == -10 ? "<" : bin == 9 ? ">" : " "), 2 * bin, 2 * bin + 2, bins[bin], bar(int(50 * bins[bin] / most + 0.999))
    if (svg == "") exit
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 360\" font-family=\"sans-serif\" font-size=\"13\">\n" >svg
    printf "<rect width=\"640\" height=\"360\" fill=\"white\"/>\n<text x=\"320\" y=\"24\" text-anchor=\"middle\" font-size=\"14\">Slowdowns of %d runs, predicted and measured; refined where there is such a prediction</text>\n", total >svg
    for (bin = -10; bin <= 9; bin++) {
        height = 250 * bins[bin] / most
        colour = bin >= -3 && bin <= 2 ? "#1f5fa8" : bin >= -6 && bin <= 5 ? "#e39a2d" : "#d1495b"
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"%.1f\" fill=\"%s\"><title>%+d to %+d %%: %d</title></rect>\n", \
            62 + 28 * (bin + 10), 300 - height, height, colour, 2 * bin, 2 * bin + 2, bins[bin] >svg
        if (bins[bin]) printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n", 75 + 28 * (bin + 10), 295 - height, bins[bin] >svg
        if (bin % 2 == 0) printf "<text x=\"%.1f\" y=\"318\" text-anchor=\"middle\">%s</text>\n", 61 + 28 * (bin + 10), (bin ? sprintf("%+d", 2 * bin) : "0") >svg
    }
    printf "<line x1=\"60\" y1=\"300\" x2=\"624\" y2=\"300\" stroke=\"black\"/>\n<text x=\"340\" y=\"344\" text-anchor=\"middle\">error of the prediction [%%]; the outermost are all beyond</text>\n</svg>\n" >svg
}
