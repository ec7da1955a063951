# The errors of runs.csv as the DPS paper's figure 13 has them: a table and a histogram, in text and as SVG.
# awk -v svg=FILE -f histogram.awk -f report.awk runs.csv
FNR > 1 {
    split($0, quoted, "\"")
    split(substr(quoted[3], 2), value, ",")
    runs++
    spread += value[5]
    direct = value[7] < 0 ? -value[7] : value[7]
    direct_sum += direct
    direct_within += direct <= 5
    size = value[4] < 0 ? -value[4] : value[4]
    sum += size
    bias += value[4]
    for (limit = 1; limit <= 12; limit++) within[limit] += size <= limit
    bin = int((value[4] + 1000) / 2) - 500 # of 2 %, [2 bin, 2 bin + 2)
    if (bin < -10) bin = -10
    if (bin > 9) bin = 9
    bins[bin]++
}
function bar(length_of,    text) {
    text = ""
    while (length_of-- > 0) text = text "#"
    return text
}
END {
    if (runs == 0) exit 1
    printf "%d configurations; mean |error| %.2f %%, mean error %+.2f %%, mean spread of the runs of one %.2f %%\n\n", \
        runs, sum / runs, bias / runs, spread / runs
    printf "  |error| <=       4 %%      6 %%     12 %%\n"
    printf "  here         %6.1f %% %6.1f %% %6.1f %%\n", 100 * within[4] / runs, 100 * within[6] / runs, 100 * within[12] / runs
    printf "  DPS paper      71.4 %%   81.6 %%   95.0 %%\n\n"
    printf "  executed directly: mean |error| %.2f %%, within 5 %% %.1f %%\n\n", direct_sum / runs, 100 * direct_within / runs
    for (bin = -10; bin <= 9; bin++) if (bins[bin] > most) most = bins[bin]
    printf "  error [%%]\n"
    for (bin = -10; bin <= 9; bin++)
        printf "  %s %+3d .. %+3d %4d %s\n", bin == -10 ? "<" : bin == 9 ? ">" : " ", 2 * bin, 2 * bin + 2, bins[bin], \
            bar(int(50 * bins[bin] / most + 0.999))
    printf "\n"
    if (svg == "") exit
    histogram(svg, sprintf("%d LU factorizations, predicted and run: %.1f / %.1f / %.1f %% within 4 / 6 / 12 %%", runs, \
        100 * within[4] / runs, 100 * within[6] / runs, 100 * within[12] / runs), "runs", bins, 4, "", bins)
}
