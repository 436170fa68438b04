#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# docs/architecture.md is true: every file it names exists and has the functions that the same row
# names, and components include each other as its table says.
#   architecture.sh <source folder>         compares
#   architecture.sh <source folder> print   prints the arrows as they are, to be put into the table
set -eu
cd "$1"
page=docs/architecture.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
fail() {
    echo "architecture.sh: $*" >&2
    status=1
}

find include src common media cli plugins tune -name '*.h' | sort >"$folder/headers"
find include src common media cli plugins tune -name '*.[ch]' | sort >"$folder/sources"
arrows() { # said or true
    # shellcheck disable=SC2046 # no file has a space in its name
    awk -v kind="$1" -f tests/tree/architecture.awk "$page" "$folder/headers" \
        $(cat "$folder/sources")
}
if [ "${2:-}" = print ]; then
    arrows true
    exit
fi
arrows said >"$folder/said"
arrows true >"$folder/true"
[ "$(wc -l <"$folder/true")" -ge 10 ] || fail "the table of components was not found"
diff -u "$folder/said" "$folder/true" >&2 || fail "components include others than the page says (- page, + tree)"

# Whatever looks like a path of the tree; a star stands for anything.
grep -o '`[^` ]*`' "$page" | tr -d '`' | grep -E '^[A-Za-z.][A-Za-z_0-9.*/-]*(/|\.(c|h|md|txt|cmake|sh|awk|json|1))$' |
    sort -u >"$folder/paths"
[ "$(wc -l <"$folder/paths")" -ge 60 ] || fail "only $(wc -l <"$folder/paths") paths were found"
while read -r path; do
    case $path in
    *'*'*) [ -n "$(find . -path "./$path" | head -n 1)" ] || fail "there is no $path" ;;
    *) [ -e "$path" ] || fail "there is no $path" ;;
    esac
done <"$folder/paths"

# Rows of the ways: | `file` | `function` ... | what happens |
sed -n 's/^| `\([^` ]*\.[ch]\)` | \(`.*`\) |.*/\1 \2/p' "$page" | tr -d '`,' >"$folder/rows"
[ "$(wc -l <"$folder/rows")" -ge 30 ] || fail "only $(wc -l <"$folder/rows") rows with functions were found"
while read -r file functions; do
    [ -e "$file" ] || continue # told above
    for function in $functions; do
        grep -qw -- "$function" "$file" || fail "$file has no $function"
    done
done <"$folder/rows"

# Rows of changes: | change | N files, M folders | `file`, `file` ... |
sed -n 's/^| [^|`]* | \([0-9A-Z]*[^|`]*\) | \(`.*`\) |$/\1|\2/p' "$page" | tr -d '`' >"$folder/changes"
[ "$(wc -l <"$folder/changes")" -ge 5 ] || fail "only $(wc -l <"$folder/changes") rows of changes were found"
while IFS='|' read -r said files; do
    echo "$files" | tr ',' '\n' | tr -d ' ' | sort -u >"$folder/files"
    n_files=$(wc -l <"$folder/files")
    n_folders=$(sed '/\//!s,^,./,; s,/[^/]*$,,' "$folder/files" | sort -u | wc -l)
    [ "$said" = "$n_files, $n_folders" ] || fail "$files: $n_files, $n_folders; the page says $said"
done <"$folder/changes"
exit $status
