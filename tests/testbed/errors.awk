# The errors of predicted runs of message-passing programs: a table, and as SVG a bar for each run.
# awk -v svg=FILE -f errors.awk runs.csv; fails if a run has no time.
BEGIN { FS = "," }
function size(x) { return x < 0 ? -x : x }
function rows(program,    i) { # of the picture
    for (i = 1; i <= runs; i++) if (name[i] == program) order[++drawn] = i
}
FNR > 1 {
    name[++runs] = $1; arguments[runs] = $2; ranks[runs] = $3; predicted[runs] = $4; error[runs] = $8
    found[runs] = $4 / (1 + $8 / 100)
    least = $5 < $6 ? $5 : $6; if ($7 < least) least = $7
    most = $5 > $6 ? $5 : $6; if ($7 > most) most = $7
    if ($8 != $8 + 0 || $4 != $4 + 0) bad = 1
    if (!($1 in count)) programs[++kinds] = $1
    count[$1]++
    sum[$1] += size($8)
    spread[$1] += 100 * (most - least) / found[runs]
    if (size($8) > worst[$1]) worst[$1] = size($8)
    six += size($8) <= 6; twelve += size($8) <= 12; total += size($8)
}
END {
    if (runs == 0) exit 1
    for (k = 1; k <= kinds; k++) rows(programs[k])
    printf "%-12s %-52s %5s %11s %11s %8s\n", "program", "arguments", "ranks", "predicted", "found", "error"
    for (d = 1; d <= drawn; d++) {
        i = order[d]
        printf "%-12s %-52s %5d %9.3f s %9.3f s %+6.1f %%\n", name[i], arguments[i], ranks[i], predicted[i], found[i], error[i]
    }
    print ""
    for (k = 1; k <= kinds; k++) {
        p = programs[k]
        printf "%-12s %2d runs: mean |error| %.1f %%, largest %.1f %%; mean spread of the three runs of one %.1f %%\n", \
            p, count[p], sum[p] / count[p], worst[p], spread[p] / count[p]
    }
    printf "%-12s %2d runs: mean |error| %.1f %%; within 6 %%: %d, %.1f %%; within 12 %%: %d, %.1f %%\n", \
        "all", runs, total / runs, six, 100 * six / runs, twelve, 100 * twelve / runs
    if (!svg) exit bad
    split("#4878a8 #b0682c #4f8f4f #8a5a9e", colors, " ")
    height = 46 + 15 * drawn
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">\n", height >svg
    printf "<rect width=\"800\" height=\"%d\" fill=\"white\"/>\n", height >svg
    printf "<text x=\"10\" y=\"16\" font-size=\"12\">Predicted against found: error [%%]; the band is 6 %%</text>\n" >svg
    printf "<rect x=\"500\" y=\"24\" width=\"120\" height=\"%d\" fill=\"#eeeeee\"/>\n", 15 * drawn + 4 >svg
    for (x = -20; x <= 20; x += 5) {
        printf "<line x1=\"%d\" y1=\"24\" x2=\"%d\" y2=\"%d\" stroke=\"#cccccc\"/>\n", 560 + 10 * x, 560 + 10 * x, height - 18 >svg
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", 560 + 10 * x, height - 6, x >svg
    }
    for (d = 1; d <= drawn; d++) {
        i = order[d]
        for (k = 1; programs[k] != name[i]; k++) { }
        e = error[i] > 20 ? 20 : error[i] < -20 ? -20 : error[i]
        y = 27 + 15 * (d - 1)
        printf "<text x=\"350\" y=\"%d\" text-anchor=\"end\">%s %s, %d ranks</text>\n", y + 10, name[i], arguments[i], ranks[i] >svg
        printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"11\" fill=\"%s\"/>\n", e < 0 ? 560 + 10 * e : 560, y, size(10 * e), colors[(k - 1) % 4 + 1] >svg
        if (e != error[i]) # beyond the scale
            printf "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"white\">%+.0f</text>\n", 560 + 9.7 * e, y + 9, e < 0 ? "start" : "end", error[i] >svg
    }
    print "</svg>" >svg
    exit bad
}
