# docs/html/page.awk   Prepares a page for Doxygen; the pages themselves are plain Markdown, as GitHub shows it.
# Headings get the identifiers that GitHub gives them, behind the page's: `## Machine files` of simkit.md is simkit-machine-files.
# One that comes again ends with -1, -2 and so on.
# Links become references: to a page, to one of its sections, or to a group of a header (simkit.h#simkit_clock). Numbered lists
# of pages in the README become the order in which they are read. Doxygen runs it as `awk -f docs/html/page.awk PAGE`.
function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}

function resolve(text, link,    path, fragment, page) {
    path = link
    sub(/#.*/, "", path)
    fragment = index(link, "#") ? substr(link, length(path) + 2) : ""
    if (path == "") page = name
    else if (path ~ /(^|\/)README\.md$/) page = "index"
    else if (path ~ /\.md$/) { page = tolower(path); sub(/.*\//, "", page); sub(/\.md$/, "", page) }
    else if (path ~ /\.h$/ && fragment != "") return "@ref " fragment " \"" text "\""
    else {
        sub(/^(\.\.\/)+/, "", path)
        if (path ~ /\.(svg|png)$/) sub(/.*\//, "", path)
        return "[" text "](" path ")"
    }
    if (fragment != "") return "@ref " page "-" fragment " \"" text "\""
    if (ordered && page != "index" && !(page in placed)) { placed[page] = 1; return "\\subpage " page " \"" text "\"" }
    return "@ref " page " \"" text "\""
}

NR == 1 { name = tolower(FILENAME); sub(/.*\//, "", name); sub(/\.md$/, "", name); if (name == "readme") name = "index" }

/^```/ { code = !code }
code || /^    / { print; next }

/^# / && !titled { titled = 1; print (name == "index" ? $0 : $0 " {#" name "}"); next }
/^##* / {
    heading = $0; sub(/^#+ /, "", heading)
    label = slug(heading)
    print $0 " {#" name "-" label (seen[label]++ ? "-" seen[label] - 1 : "") "}"
    next
}

{
    ordered = name == "index" && /^[0-9]+\. /
    out = ""
    while (match($0, /\[[^][]*\]\([^)]*\)/)) {
        link = substr($0, RSTART, RLENGTH)
        image = RSTART > 1 && substr($0, RSTART - 1, 1) == "!"
        out = out substr($0, 1, RSTART - 1)
        $0 = substr($0, RSTART + RLENGTH)
        text = link; sub(/^\[/, "", text); sub(/\]\(.*/, "", text)
        sub(/.*\]\(/, "", link); sub(/\)$/, "", link)
        if (image) sub(/.*\//, "", link)
        out = out (image || link ~ /^https?:/ ? "[" text "](" link ")" : resolve(text, link))
    }
    print out $0
}
