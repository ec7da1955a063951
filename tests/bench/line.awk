# One line of the table: awk -v row=ROW -v n=N -v goal=GOAL -f line.awk results.csv
BEGIN { FS = "," }
$1 == row && $2 == n {
    if (!($3 in count)) order[++programs] = $3
    unit = $6 != "" ? $6 : unit
    if ($5 ~ /^over/) { over[$3] = $5; count[$3] += 0; next }
    value[$3, ++count[$3]] = $5
}
function median(p,    i, j, t) {
    for (i = 2; i <= count[p]; i++)
        for (j = i; j > 1 && value[p, j] + 0 < value[p, j - 1] + 0; j--) {
            t = value[p, j]; value[p, j] = value[p, j - 1]; value[p, j - 1] = t
        }
    return count[p] % 2 ? value[p, (count[p] + 1) / 2] : (value[p, count[p] / 2] + value[p, count[p] / 2 + 1]) / 2
}
function digits(x) { return sprintf(x >= 1000 ? "%.0f" : x >= 100 ? "%.1f" : "%.2f", x) }
function judge(goal,    part, rival) {
    if (goal == "-") return ""
    if (goal !~ /^x/) return sprintf("goal %s %s: %s", goal, unit, mine <= goal + 0 ? "met" : "missed")
    split(substr(goal, 2), part, ":")
    rival = part[2] in middle ? middle[part[2]] : 0
    return rival ? sprintf("goal %s of %s: %s", part[1], part[2], mine <= part[1] * rival ? "met" : sprintf("missed, %.3g", mine / rival)) : ""
}
END {
    for (i = 1; i <= programs; i++) {
        p = order[i]
        if (count[p] == 0) { text = text sprintf("   %s %s", p, over[p]); continue }
        middle[p] = median(p)
        text = text sprintf("   %s %s [%s .. %s]", p, digits(middle[p]), digits(value[p, 1]), digits(value[p, count[p]]))
        if (p != "simkit" && (best == "" || middle[p] < best)) best = middle[p]
    }
    if (!("simkit" in middle)) { printf "%-24s %9s %s: not measured\n", row, n, text; exit }
    mine = middle["simkit"]
    parts = split(goal, goals, "+")
    for (i = 1; i <= parts; i++) verdict = verdict (verdict && judge(goals[i]) ? "   " : "") judge(goals[i])
    printf "%-24s %9s %s %s%s%s\n", row, n, substr(text, 3), unit, best ? sprintf("   ratio %.4g", mine / best) : "", verdict ? "   " verdict : ""
}
