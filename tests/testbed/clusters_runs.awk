# Cases, predictions and runs of tests/testbed/clusters as CSV: awk -f clusters_runs.awk plan predictions measured.
BEGIN { FS = "\t"; OFS = "," }
FILENAME == ARGV[1] { cases = FNR; kind[FNR] = $1; place[FNR] = $2; ranks[FNR] = $3; name[FNR] = $4; what[FNR] = $5 }
FILENAME == ARGV[2] { predicted[FNR] = $1 }
FILENAME == ARGV[3] { run[$1, ++runs[$1]] = $2; stamp[$1] = $3 }
function line(i, column, called,    v, k, j, t, m, p, all, parts) {
    for (k = 1; k <= runs[i]; k++) {
        split(run[i, k], parts, " ")
        v[k] = parts[column]
        all = all (k > 1 ? " " : "") v[k]
    }
    k = runs[i]
    for (m = 2; m <= k; m++) for (j = m; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    m = k % 2 ? v[(k + 1) / 2] : (v[k / 2] + v[k / 2 + 1]) / 2
    split(predicted[i], parts, " ")
    p = parts[column]
    print kind[i], place[i], ranks[i], "\"" called "\"", p, m, sprintf("%.2f", 100 * (p / m - 1)), sprintf("%.2f", 100 * (v[k] - v[1]) / m), all, stamp[i]
}
END {
    print "kind,placement,nodes,case,predicted [s],median [s],error [%],spread [%],runs [s],date,version,processor"
    for (i = 1; i <= cases; i++) {
        if (kind[i] == "transfers") {
            line(i, 1, name[i] ": last")
            line(i, 2, name[i] ": mean")
        } else line(i, 1, name[i] " " what[i])
    }
}
