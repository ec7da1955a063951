# docs/html/header.awk   Prepares a header for Doxygen, which wants in each place what the header says once:
# the parameter `world` of every function is the world, `reader` the reader, `random` the stream, `error` the first error; what a
# function closes may be NULL; and the comment of `double a, b; /**< [s] */` is that of both.
# The number of lines stays, so that Doxygen's messages have the right ones. Doxygen runs it as `awk -f docs/html/header.awk FILE`.
BEGIN {
    text["world"] = "The world."; text["reader"] = "The reader."; text["random"] = "The stream of random numbers."
    text["error"] = "The first error; may be NULL."
}
{ line[NR] = $0 }
END {
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^\/\*\*/) { begin = i; split("", told) }
        if (begin && match(line[i], /@param(\[[a-z,]*\])? +[a-z_]+ /)) {
            name_of = substr(line[i], RSTART, RLENGTH - 1)
            sub(/.* /, "", name_of)
            told[name_of] = 1
        }
        if (line[i] ~ /\*\/$/ && begin && line[i + 1] ~ /^[A-Z]+_API /) {
            declaration = ""
            for (k = i + 1; k <= NR && line[k - 1] !~ /;$/; k++) declaration = declaration line[k]
            for (parameter in text)
                if (!(parameter in told) && declaration ~ ("simkit_[a-z_]+ \\*" parameter "[,)]"))
                    sub(/ *\*\/$/, " @param " parameter "  " text[parameter] " */", line[i])
            if (match(declaration, /_close\(simkit_[a-z]+ \*[a-z]+\)/)) {
                closed = substr(declaration, RSTART, RLENGTH - 1)
                sub(/.*\*/, "", closed)
                if (!(closed in told) && !(closed in text))
                    sub(/ *\*\/$/, " @param " closed "  The " closed "; may be NULL. */", line[i])
            }
        }
        if (line[i] ~ /\*\/$/) begin = 0
        if (line[i] ~ /^    [a-z_ 0-9]+ \*?[a-z_]+(, \*?[a-z_]+)+; +\/\*\*< .*\*\/$/) {
            comment = line[i]; sub(/^[^;]*; +/, "", comment)
            names = line[i]; sub(/;.*/, "", names)
            count = split(names, name, /, /)
            type = name[1]; sub(/\*?[a-z_]+$/, "", type)
            line[i] = name[1] "; " comment
            for (k = 2; k <= count; k++) line[i] = line[i] " " type name[k] "; " comment
        }
    }
    for (i = 1; i <= NR; i++) print line[i]
}
