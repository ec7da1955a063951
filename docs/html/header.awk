# docs/html/header.awk   Prepares a header for Doxygen, which wants in each place what the header says once:
# the parameter `world` of every function is the world, and the comment of `double a, b; /**< [s] */` is that of both.
# The number of lines stays, so that Doxygen's messages have the right ones. Doxygen runs it as `awk -f docs/html/header.awk FILE`.
{ line[NR] = $0 }
END {
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^\/\*\*/) { begin = i; told = 0 }
        if (begin && line[i] ~ /@param(\[[a-z,]*\])? +world /) told = 1
        if (line[i] ~ /\*\/$/ && begin && line[i + 1] ~ /^[A-Z]+_API /) {
            declaration = ""
            for (k = i + 1; k <= NR && line[k - 1] !~ /;$/; k++) declaration = declaration line[k]
            if (!told && declaration ~ /simkit_world \*world[,)]/) sub(/ *\*\/$/, " @param world  The world. */", line[i])
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
