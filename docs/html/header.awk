# docs/html/header.awk   Prepares a header for Doxygen, which wants in each place what the header says once:
# the parameter `world` of every function is the world, `reader` the reader, `random` the stream, `error` the first error; what a
# function closes may be NULL, and so may a handle that it gives back; a parameter without a description has that of the function
# before it in the room, or its type's name; a comment of one line says what is returned; and the comment of `double a, b; /**< [s] */`
# is that of both.
# The number of lines stays, so that Doxygen's messages have the right ones. Doxygen runs it as `awk -f docs/html/header.awk FILE`.
BEGIN {
    text["world"] = "The world."; text["reader"] = "The reader."; text["random"] = "The stream of random numbers."
    text["error"] = "The first error; may be NULL."
    always["level"] = "Level of the intervals [1], between 0 and 1, such as 0.95."
    always["desc"] = "The description."
    always["hash"] = "The hash of its key."
    always["number"] = "Its number."
    always["array"] = "The array."
    always["count"] = "How many."
    always["text"] = "The text."
    always["size"] = "Its size [B]."
    always["values"] = "The values for the format."
    always["where"] = "Index or place of what is refused, if anything; may be NULL."
}
{ line[NR] = $0 }
# What a header of util/ declares only beside another one is documented anyway.
FILENAME ~ /simkit_users\.h$/ && /^#(ifdef SIMKIT_FILES_H|endif .. SIMKIT_FILES_H ..)$/ { line[NR] = "" }

# The descriptions of the comment that begins and ends there, into told[].
function read_params(from, to, i, k, name, names, each, rest) {
    split("", told)
    for (i = from; i <= to; i++) {
        rest = line[i]
        sub(/ *\*\/$/, "", rest)
        if (match(rest, /@param(\[[a-z,]*\])? +[a-z_,]+ +/)) {
            name = substr(rest, RSTART, RLENGTH)
            sub(/ +$/, "", name)
            sub(/.* /, "", name)
            rest = substr(rest, RSTART + RLENGTH)
            names = split(name, each, /,/)
            for (k = 1; k <= names; k++) told[each[k]] = rest
        } else if (rest ~ /^ \*      / && name != "") {
            sub(/^ \* +/, " ", rest)
            for (k = 1; k <= names; k++) told[each[k]] = told[each[k]] rest
        } else {
            name = ""
        }
    }
}

# What to say of a parameter that its comment leaves out: `declared` is its declaration.
function described(declared, name) {
    if (name in always) return always[name]
    if (declared in known) return known[declared]
    if (declared ~ /^simkit_(step|node|computation|transfer|process|source) \*/) return "Its handle; may be NULL."
    if (declared ~ /(netmodel|contention|simkit)_[a-z_]+ \*?[a-z]+$/) return "The " name "."
    return ""
}

# Appends to the comment that ends in line i; it stays one line.
function add(i, words) { sub(/ *\*\/$/, "", line[i]); line[i] = line[i] " " words " */" }
function say(i, parameter, words) {
    told[parameter] = 1
    add(i, "@param " parameter "  " words)
}

END {
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /@defgroup/) split("", known)
        if (line[i] ~ /^\/\*\*/) begin = i
        if (line[i] ~ /\*\/$/ && begin && line[i + 1] ~ /^[A-Z]+_(API|_CHECKED) /) {
            declaration = ""
            for (k = i + 1; k <= NR && line[k - 1] !~ /;$/; k++) declaration = declaration line[k]
            read_params(begin, i)
            if (begin == i && declaration !~ /_(API|_CHECKED) void /) {
                brief = line[i]
                gsub(/^\/\*\* *| *\*\/$/, "", brief)
                add(i, "@return " brief)
            }
            for (parameter in text)
                if (!(parameter in told) && declaration ~ ("simkit_[a-z_]+ \\*" parameter "[,)]"))
                    say(i, parameter, text[parameter])
            if (match(declaration, /_close\(simkit_[a-z]+ \*[a-z]+\)/)) {
                closed = substr(declaration, RSTART, RLENGTH - 1)
                sub(/.*\*/, "", closed)
                if (!(closed in told) && !(closed in text))
                    say(i, closed, "The " closed "; may be NULL.")
            }
            declared = declaration
            gsub(/^[^(]*\(|\);$|\[[^\]]*\]/, "", declared)
            gsub(/const /, "", declared)
            gsub(/  +/, " ", declared)
            count = split(declared, each, /, */)
            for (k = 1; k <= count; k++) {
                parameter = each[k]
                sub(/.*[ *]/, "", parameter)
                if (parameter in told)
                    known[each[k]] = told[parameter] # for the rest of the room
                else if (described(each[k], parameter) != "")
                    say(i, parameter, described(each[k], parameter))
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
