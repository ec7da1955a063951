# Cost against size on two logarithmic axes, as SVG: awk -v row=ROW -f chart.awk results.csv
BEGIN {
    FS = ","
    split("#1f5fa8 #d1495b #e39a2d #3a8f5c #7a5195", colour, " ")
}
$1 == row && $5 !~ /^over/ {
    if (!($3 in seen)) { seen[$3] = 1; order[++programs] = $3 }
    if (!(($3, $2) in runs)) { sizes[$3]++; size[$3, sizes[$3]] = $2 }
    value[$3, $2, ++runs[$3, $2]] = $5
    unit = $6
}
function log10(x) { return log(x) / log(10) }
function median(p, n,    i, j, t, k) {
    k = runs[p, n]
    for (i = 2; i <= k; i++)
        for (j = i; j > 1 && value[p, n, j] + 0 < value[p, n, j - 1] + 0; j--) {
            t = value[p, n, j]; value[p, n, j] = value[p, n, j - 1]; value[p, n, j - 1] = t
        }
    return k % 2 ? value[p, n, (k + 1) / 2] : (value[p, n, k / 2] + value[p, n, k / 2 + 1]) / 2
}
function x_of(n) { return 80 + 460 * (log10(n) - x0) / (x1 - x0) }
function y_of(v) { return 330 - 270 * (log10(v) - y0) / (y1 - y0) }
function floor(x,    i) { i = int(x); return i > x ? i - 1 : i }
function text(x, y, anchor, words) { printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words }
function label(e) { # a power of ten, in a unit that keeps it short
    if (unit == "ns" && e >= 6) return 10 ^ (e - 6) " ms"
    if (unit == "ns" && e >= 3) return 10 ^ (e - 3) " us"
    return 10 ^ e " " unit
}
END {
    if (programs == 0) exit
    least = 1e300; few = 1e300
    for (i = 1; i <= programs; i++)
        for (j = 1; j <= sizes[order[i]]; j++) {
            n = size[order[i], j]; v = cost[order[i], j] = median(order[i], n)
            if (v <= 0) v = cost[order[i], j] = 0.01
            if (v < least) least = v
            if (v > most) most = v
            if (n + 0 < few) few = n + 0
            if (n + 0 > many) many = n + 0
        }
    x0 = log10(few); x1 = log10(many); if (x1 - x0 < 0.1) x1 = x0 + 1
    y0 = floor(log10(least)); y1 = floor(log10(most)) + 1
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 400\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#333\">"
    print "<rect width=\"700\" height=\"400\" fill=\"#fff\"/>"
    printf "<text x=\"80\" y=\"30\" font-size=\"17\">%s: cost against size</text>\n", row
    for (e = y0; e <= y1; e++) {
        y = y_of(10 ^ e)
        printf "<path d=\"M80 %.1fH540\" stroke=\"#ddd\"/>\n", y
        text(72, y + 4, "end", label(e))
    }
    last = -100
    for (j = 1; j <= sizes[order[1]]; j++) {
        x = x_of(size[order[1], j])
        printf "<path d=\"M%.1f 330v5\" stroke=\"#333\"/>\n", x
        if (x - last > 45) { text(x, 350, "middle", size[order[1], j]); last = x }
    }
    print "<path d=\"M80 60V330H540\" fill=\"none\" stroke=\"#333\"/>"
    text(310, 380, "middle", row ~ /^star/ ? "hosts" : row ~ /^(wait|mailbox)/ ? "processes" : "pending")
    for (i = 1; i <= programs; i++) {
        p = order[i]; path = ""
        for (j = 1; j <= sizes[p]; j++) path = path sprintf("%s%.1f %.1f", j == 1 ? "M" : "L", x_of(size[p, j]), y_of(cost[p, j]))
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", path, colour[i]
        for (j = 1; j <= sizes[p]; j++) printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x_of(size[p, j]), y_of(cost[p, j]), colour[i]
        printf "<path d=\"M560 %dh24\" stroke=\"%s\" stroke-width=\"3\"/>\n", 70 + 24 * i, colour[i]
        text(592, 74 + 24 * i, "start", p)
    }
    print "</svg>"
}
