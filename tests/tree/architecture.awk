# SPDX-License-Identifier: BSD-2-Clause-Patent
# Which component includes which. Reads the page with the table of components, a list of all headers, then all
# sources. Prints "component<TAB>components that it includes" for each row of the table, as the page says it
# (kind=said) or as the sources have it (kind=true), and what belongs to no component.

function component_of(file,    best, component) {
    best = ""
    for (component in said)
        if (index(file, component "/") == 1 && length(component) > length(best))
            best = component
    return best
}

# The header of the tree that is meant, or "" if it is one of the system.
function resolve(file, name,    folder, i) {
    folder = file
    sub(/[^\/]*$/, "", folder)
    if ((folder name) in header)
        return folder name
    for (i = 1; i <= n_roots; i++)
        if ((roots[i] name) in header)
            return roots[i] name
    return (name in header) ? name : ""
}

BEGIN {
    # Folders for the search of headers, as the build has them.
    n_roots = split("include/ src/core/ src/ plugins/sdk/ plugins/kernels/ plugins/ cli/", roots, " ")
}
FNR == 1 { nth++ }
nth == 1 && /^\| `[^`]*\/` \|/ {
    split($0, cell, /[ ]*\|[ ]*/)
    component = cell[2]
    gsub(/\/`$|`/, "", component)
    order[++n_components] = component
    said[component] = 1
    n = split(cell[4], names, /, */)
    for (i = 1; i <= n; i++) {
        gsub(/\/`$|`/, "", names[i])
        if (names[i] != "nothing")
            claims[component, names[i]] = 1
    }
    next
}
nth == 2 { header[$0] = 1; next }
nth > 2 && FNR == 1 {
    here = component_of(FILENAME)
    if (here == "" && kind == "true")
        print FILENAME "\tis in no component"
}
nth > 2 && /^[ \t]*#[ \t]*include[ \t]+["<]/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*/, "", name)
    target = resolve(FILENAME, name)
    if (target != "" && (there = component_of(target)) != here)
        found[here, there] = 1
}
END {
    for (i = 1; i <= n_components; i++) {
        line = order[i] "/\t"
        separator = ""
        for (j = 1; j <= n_components; j++)
            if (kind == "said" ? ((order[i], order[j]) in claims) : ((order[i], order[j]) in found)) {
                line = line separator order[j] "/"
                separator = ", "
            }
        print line
    }
    if (kind == "said")
        for (pair in claims) {
            split(pair, part, SUBSEP)
            if (!(part[2] in said))
                print part[1] "/\tnames " part[2] "/, which is no component of the table"
        }
}
