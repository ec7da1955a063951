# A histogram of errors as SVG, for the scripts beside it: awk -f histogram.awk -f SCRIPT.
# counts[-10 .. 9] are of bins of 2 %, the outermost of all beyond; blue up to `fine` %, orange up to 12 %, red beyond.
# lines[-10 .. 9] is a second histogram, drawn as a line, if `line` names it.
function histogram(svg, title, what, counts, fine, line, lines,    bin, x, y, most, step, colours, names, k) {
    for (bin = -10; bin <= 9; bin++) {
        if (counts[bin] > most) most = counts[bin]
        if (line && lines[bin] > most) most = lines[bin]
    }
    for (step = 1; step * 6 < most; step *= 10) { }
    if (step >= 10 && step / 5 * 6 >= most) step /= 5
    else if (step >= 10 && step / 2 * 6 >= most) step /= 2
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"780\" height=\"370\" viewBox=\"0 0 780 370\" font-family=\"sans-serif\" font-size=\"13\">\n" >svg
    printf "<rect width=\"780\" height=\"370\" fill=\"white\"/>\n<text x=\"20\" y=\"28\" font-size=\"16\">%s</text>\n", title >svg
    for (k = 0; k <= most; k += step) {
        y = 310 - 240 * k / most
        printf "<line x1=\"60\" y1=\"%.1f\" x2=\"620\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", y, y, y + 4.5, k >svg
    }
    printf "<text x=\"52\" y=\"54\" text-anchor=\"end\">%s</text>\n", what >svg
    for (bin = -10; bin <= 10; bin++) {
        x = 60 + 28 * (bin + 10)
        if (bin % 2 == 0) printf "<text x=\"%d\" y=\"328\" text-anchor=\"middle\">%s</text>\n", x, (bin ? sprintf("%+d", 2 * bin) : "0") >svg
        if (bin == 10 || !counts[bin]) continue
        y = 310 - 240 * counts[bin] / most
        k = 2 * bin >= -fine && 2 * bin + 2 <= fine ? "#4477aa" : bin >= -6 && bin <= 5 ? "#ee9933" : "#cc3355"
        printf "<rect x=\"%d\" y=\"%.1f\" width=\"26\" height=\"%.1f\" fill=\"%s\"><title>%+d to %+d %%: %d</title></rect>\n", x + 1, y, 310 - y, k, 2 * bin, 2 * bin + 2, counts[bin] >svg
    }
    if (line) {
        printf "<path d=\"M60 310" >svg
        for (bin = -10; bin <= 9; bin++) printf "V%.1fh28", 310 - 240 * lines[bin] / most >svg
        printf "V310\" fill=\"none\" stroke=\"black\" stroke-width=\"2\"/>\n" >svg
    }
    printf "<line x1=\"60\" y1=\"310\" x2=\"620\" y2=\"310\" stroke=\"black\"/>\n" >svg
    printf "<text x=\"340\" y=\"356\" text-anchor=\"middle\">error of the prediction [%%]; the outermost bins have all beyond</text>\n" >svg
    split("#4477aa #ee9933 #cc3355", colours, " ")
    names[1] = "within " fine " %"; names[2] = "within 12 %"; names[3] = "beyond"
    for (k = 1; k <= 3; k++)
        printf "<rect x=\"640\" y=\"%d\" width=\"14\" height=\"12\" fill=\"%s\"/>\n<text x=\"662\" y=\"%d\">%s</text>\n", 58 + 22 * k, colours[k], 69 + 22 * k, names[k] >svg
    if (line) printf "<path d=\"M638 152h18\" stroke=\"black\" stroke-width=\"2\"/>\n<text x=\"662\" y=\"157\">%s</text>\n", line >svg
    print "</svg>" >svg
    close(svg)
}
