# What the DPS paper found, in the runs of runs.csv and in their predictions: awk -f findings.awk runs.csv
FNR > 1 {
    split($0, quoted, "\"")
    graph = quoted[2]
    nodes = quoted[1] + 0
    split(substr(quoted[3], 2), value, ",")
    split(value[1], option, " ")
    r = option[2]
    if (!(r in known)) { known[r] = 1; size[++sizes] = r }
    took[nodes, graph, r, "run"] = value[3]
    took[nodes, graph, r, "predicted"] = value[2]
}
function sort(    i, j, t) {
    for (i = 2; i <= sizes; i++)
        for (j = i; j > 1 && size[j] + 0 < size[j - 1] + 0; j--) { t = size[j]; size[j] = size[j - 1]; size[j - 1] = t }
}
function line(name, kind, nodes, graph, base,    i, r) { # base: percent more than that graph takes; empty: seconds
    printf "    %-22s %-10s", name, kind
    for (i = 1; i <= sizes; i++) {
        r = size[i]
        if (!((nodes, graph, r, kind) in took)) printf "%8s", ""
        else if (base == "") printf "%8.2f", took[nodes, graph, r, kind]
        else printf "%+8.1f", 100 * (took[nodes, graph, r, kind] / took[nodes, base, r, kind] - 1)
    }
    printf "\n"
}
function both(name, nodes, graph, base) {
    line(name, "run", nodes, graph, base)
    line("", "predicted", nodes, graph, base)
}
END {
    sort()
    printf "  %-35s", "r ="
    for (i = 1; i <= sizes; i++) printf "%8d", size[i]
    printf "\n  running time [s]\n"
    both("basic, 4 nodes", 4, "basic", "")
    both("basic, 8 nodes", 8, "basic", "")
    printf "  more than basic [%%]\n"
    for (nodes = 4; nodes <= 8; nodes += 4) {
        both("P, " nodes " nodes", nodes, "P", "basic")
        both("P+FC, " nodes " nodes", nodes, "P+FC", "basic")
        both("PM, " nodes " nodes", nodes, "PM", "basic")
    }
    printf "  columns on 4 of 8 nodes: more than with all to the end [%%]\n"
    both("kill 4 after 1", 8, "basic, kill 4 after 1", "basic, columns on 4")
    both("kill 4 after 2", 8, "basic, kill 4 after 2", "basic, columns on 4")
    both("kill 4 after 4", 8, "basic, kill 4 after 4", "basic, columns on 4")
    printf "\n"
}
