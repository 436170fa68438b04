#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The commands for GNU parallel and xargs in docs/scale-out.md do what they say, word for word: in a folder with files
# of the names in them, they make the report of a single run; and no report if a shard fails.
#   one_liners.sh <source folder> <vmaf> <synth>
set -u
source=$1
vmaf=$2
synth=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "one_liners.sh: $*" >&2
    failures=$((failures + 1))
}
# Whole commands of the page: indented lines from that beginning on, as long as a line asks for the next one.
command_of() { # beginning
    awk -v start="    $1" 'index($0, start) == 1 { on = 1 }
        on { print substr($0, 5); if (!/(\\|&&|\|)$/) exit }' "$source/docs/scale-out.md"
}
mkdir "$folder/bin"
cat >"$folder/bin/vmaf" <<END
#!/bin/sh
echo x >>"$folder/calls"
case "\$FAULT \$*" in
"fault "*" --shard 3/"*) exit 255 ;;
esac
exec "$vmaf" "\$@"
END
chmod +x "$folder/bin/vmaf"
PATH=$folder/bin:$PATH
export FAULT=''
cd "$folder" || exit 1
"$synth" --scene texture --size 96x64 --frames 50 --output film.y4m &&
    "$synth" --scene texture --distortion blur --size 96x64 --frames 50 --output encode.y4m || exit 1
"$vmaf" -r film.y4m -d encode.y4m -o single.json || exit 1
no_fps() {
    sed 's/"fps": [^,]*//' "$1"
}
no_fps single.json >expected
tried=0
for beginning in 'seq 0 99 | parallel' 'seq 0 99 | xargs'; do
    tool=${beginning##* }
    text=$(command_of "$beginning")
    case $text in
    *--shard*merge*) ;;
    *) fail "no such command in docs/scale-out.md: $beginning" && continue ;;
    esac
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed: not tried"
        continue
    fi
    tried=$((tried + 1))
    for FAULT in '' fault; do
        rm -rf parts scores.json calls
        mkdir parts
        status=0
        sh -c "$text" >log 2>&1 || status=$?
        case $FAULT in
        '')
            [ $status -eq 0 ] || fail "$tool: status $status: $(cat log)"
            no_fps scores.json | cmp - expected || fail "$tool: the report is not that of a single run"
            [ "$(wc -l <calls)" -eq 101 ] || fail "$tool: $(wc -l <calls) calls for 100 shards and a merge"
            ;;
        *)
            [ $status -ne 0 ] || fail "$tool: status 0 although a shard has failed"
            [ ! -e scores.json ] || fail "$tool: a report although a shard has failed"
            ;;
        esac
    done
done
[ $failures -eq 0 ] || exit 1
[ $tried -eq 2 ] || { echo "skipped: GNU parallel is not installed (Debian package parallel)"; exit 77; }
echo "all is well"
