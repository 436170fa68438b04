#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Which folder may include headers of which: data flows one way.
#   includes.sh <source folder>
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
broken=0

# Headers that Windows does not have, and functions that come with others, are used in src/platform
# alone. The files in posix_headers.txt may have them as well, and it says why.
posix='(arpa/.*|aio|dirent|dlfcn|elf|fcntl|glob|grp|libgen|link|linux/.*|malloc|netinet/.*|poll|pthread|pwd|sched'
posix="$posix|semaphore|signal|spawn|strings|sys/.*|syslog|termios|ucontext|unistd|utime)\.h>"
posix="#[[:space:]]*include[[:space:]]+<$posix|\b(pthread_[a-z_]+|clock_gettime|nanosleep)\("
find src common media cli plugins tune bench tools -name '*.[ch]' ! -path 'src/platform/*' -exec grep -lE "$posix" {} + |
    LC_ALL=C sort >"$scratch/found"
grep -v '^#' tests/tree/posix_headers.txt | LC_ALL=C sort >"$scratch/listed"
if ! diff "$scratch/listed" "$scratch/found" >&2; then
    echo "  ^ >: only src/platform uses headers of POSIX; <: take it out of posix_headers.txt" >&2
    broken=1
fi

# Those of Windows are in one folder.
windows='#[[:space:]]*include[[:space:]]+<(windows|winsock2?|winbase|winternl|aclapi|sddl|tlhelp32|psapi|bcrypt|io|direct)\.h>'
if find src common media cli plugins tune bench tools -name '*.[ch]' ! -path 'src/platform/windows/*' -exec grep -nE "$windows" {} +; then
    echo "  ^ only src/platform/windows uses headers of Windows" >&2
    broken=1
fi

# Files that are found include nothing that matches: prints those that do.
forbid() { # why, extended regular expression, file or folder...
    why=$1 pattern=$2
    shift 2
    if grep -rnE --include='*.c' --include='*.h' "^[[:space:]]*#[[:space:]]*include[[:space:]]+[\"<]$pattern" "$@"; then
        echo "  ^ $why" >&2
        broken=1
    fi
}

# A component of the library and those that it must not know: all that stand to its right in
#   support <- trace <- picture <- metrics <- model, backend <- report <- engine <- api
# In a metric's folder suffixes say who contains a file. Kernels (*.kernel.c) are in the dialect, which reads *.kernel.h
# and *_kernel.h; *_device.[ch] belong to the SDK of backends. What vmaf_definition contains is shared by
# SDK and library: it knows nothing but itself and C, and computes, with no input or output and no memory of its own.
forbid_others() { # why, extended regular expression of what may be included, file...
    why=$1 pattern=$2
    shift 2
    # shellcheck disable=SC2016 # a pattern
    if grep -nE '^[[:space:]]*#[[:space:]]*include' "$@" | grep -vE "#[[:space:]]*include $pattern"; then
        echo "  ^ $why" >&2
        broken=1
    fi
}
# shellcheck disable=SC2046 # no file has a space in its name
forbid_others "kernels read the dialect, and what is made for it" \
    '"(dialect/[a-z0-9_]+\.h|reduce/[a-z_]+\.h|metrics/[a-z0-9_]+/[a-z0-9_]+[._]kernel\.h)"' \
    $(find src/metrics -name '*.kernel.[ch]' -o -name '*_kernel.h')
# The library sees no more than macros in *_kernel.h: the rest needs the types of the dialect.
# shellcheck disable=SC2046 # no file has a space in its name
if awk 'FNR == 1 { dialect = continued = 0 }
    /^#(include |if __has_include\()"dialect\/types\.h"/ { dialect = 1 }
    !dialect && !continued && /^[[:space:]]*([^#\/ *[:space:]]|#[[:space:]]*(include|if |el|undef))/ {
        print FILENAME ":" FNR ": " $0
        found = 1
    }
    { continued = /\\$/ }
    END { exit !found }' $(find src/metrics -name '*_kernel.h'); then
    echo "  ^ constants are what kernels can include: macros only" >&2
    broken=1
fi
definition=$(find src/metrics -name '*_definition.c' && awk '/^target_sources\(vmaf_definition/ { shared = 1 }
    shared { while (match($0, /[a-z0-9_\/]+\.c/)) {
        print "src/metrics/common/" substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
    } }
    /\)$/ { shared = 0 }' src/metrics/common/CMakeLists.txt)
[ "$(echo "$definition" | wc -l)" -ge 14 ] || {
    echo "  ^ only that much is shared: $definition" >&2
    broken=1
}
# shellcheck disable=SC2086 # a list
forbid_others "what library and SDK share knows nothing but itself and C" \
    '("metrics/[a-z0-9_/]+\.h"|<(float|math|stdbool|stddef|stdint|string)\.h>)$' $definition
# shellcheck disable=SC2046 # no file has a space in its name
forbid "what a metric is for devices knows the SDK, not the library" \
    '(support|trace|picture|model|backend|report|engine|api)/|metrics/framework/([^o]|option[^.])' \
    $(find src/metrics -name '*_device.[ch]')
# shellcheck disable=SC2046 # no file has a space in its name
forbid "the library knows nothing of devices' half of a metric" '(metrics/[a-z0-9_]+/[a-z0-9_]+_device|program|session|metric)\.h' \
    $(find src/core src/metrics -name '*.[ch]' ! -name '*_device.[ch]')
forbid "the platform layer is a leaf" '(support|picture|metrics|model|backend|report|engine|api|core|common|libvmaf)/' src/platform
forbid "headers of the tree are named from their component's folder" '(core|\.\.)/' src plugins
forbid "support is used by all others" '(trace|picture|metrics|model|backend|report|engine|api)/' src/core/support
forbid "traces are told what happens, and know nothing of it" '(picture|metrics|model|backend|report|engine|api)/' src/core/trace
forbid "sinks of traces are their own, and the writer's" 'trace/(nvtx|recording)\.h' src/core/support \
    src/core/picture src/metrics src/core/model src/core/backend src/core/engine src/core/api src/interop
forbid "picture knows support only" '(metrics|model|backend|report|engine|api)/' src/core/picture
forbid "metrics know pictures, not who uses them" '(model|backend|report|engine|api)/' src/metrics
forbid "model does not know backends" '(backend|report|engine|api)/' src/core/model
forbid "backend does not know who uses it" '(model|report|engine|api)/' src/core/backend
forbid "what all backends are made of knows neither their files nor their sessions" 'backend/(discovery|session)/' \
    src/core/backend/names.h src/core/backend/availability.h src/core/backend/availability.c \
    src/core/backend/limited_call.c src/core/backend/limited_call.h
forbid "discovery knows files, not sessions or choices" 'backend/(session/|registry|device\.h|selection)' \
    src/core/backend/discovery
forbid "report writes what it is given" '(engine|api)/' src/core/report
forbid "engine does not know the interface" 'api/' src/core/engine
# Inside of it: work list <- queue <- workers <- backends <- the context.
forbid "the work list knows not who does the work" '(backend|report|model)/|engine/[^w]' src/core/engine/work_list.[ch]
forbid "the queue knows neither workers nor backends" '(backend|report|model)/|engine/[^fw]' src/core/engine/frame_queue*.[ch]
forbid "workers know the queue, not who starts them" '(report|model)/|engine/(context|records|scores|backend_)' \
    src/core/engine/cpu_*.[ch] src/core/engine/device_workers.[ch] src/core/engine/spot_check.[ch]
forbid "the manager of backends is told what it needs, and knows no context" 'model/|engine/(context|records|scores)' \
    src/core/engine/backend_*.[ch]
# Four tests look inside of the queue: at who is woken first, at frames that have arrived, at its balance, at rows.
# shellcheck disable=SC2046 # no file has a space in its name
forbid "the state of the queue is its own" 'engine/frame_queue_internal\.h' \
    $(find src/core/engine -name '*.[ch]' ! -name 'frame_queue*') src/core/api src/interop \
    $(find tests -name '*.[ch]' ! -path tests/unit/test_wake_up.c ! -path tests/unit/test_condense.c \
        ! -path tests/unit/test_load_balance.c ! -path tests/unit/test_unit_rows.c)
# shellcheck disable=SC2046 # no file has a space in its name
forbid "the state of the manager is its own" 'engine/backend_manager_internal\.h' \
    $(find src/core/engine -name '*.[ch]' ! -name 'backend_*') src/core/api src/interop tests
forbid "the library knows no vendor" '(cuda|hip/|level_zero|vulkan|Metal|CL/|libvmaf/libvmaf_(cuda|hip|sycl|vulkan|metal))' src/core

forbid "pages are made of plain data" '(options/|run/|reports/|libvmaf|media|common/(messages|output_guard))' common/html
forbid "readers do not know who reads" '(options|input|run|reports|batch|shards)/' media common
forbid "the program uses public headers only" '(support|picture|metrics/framework|model|backend|report|engine|api)/' media cli common docs/examples
# plugins/kernels/picture has headers of arguments only.
forbid "plugins know the ABI, not the library" '(support|metrics/framework/([^o]|option_)|model|backend|report|engine|api)/|picture/[a-z_]*([^s]|[^g]s)\.h"' plugins
forbid "plugins know the ABI, not the library" 'libvmaf/(libvmaf|model|picture|feature)\.h' plugins
forbid "the example uses the installed header only" '"(device|program|session|plan|metric)' plugins/example
forbid "the ABI depends on nothing" '(libvmaf|model|picture|feature|libvmaf_ext)\.h' \
    include/libvmaf/backend.h include/libvmaf/backend_records.h
# What tunes encoders decides without doing anything: no library, no system, no input and output.
headers='' sources=''
engine=$(sed -n '/^add_library(vmaf_tune_engine/,/)/s,^  \([a-z_/]*\)\.c)\{0\,1\}$,tune/\1,p' tune/CMakeLists.txt)
for file in $engine; do
    headers="$headers|${file#tune/}"
    sources="$sources $file.c $([ ! -e "$file.h" ] || echo "$file.h")"
done
# shellcheck disable=SC2016,SC2086 # a pattern; files without spaces
if grep -nE '^[[:space:]]*#[[:space:]]*include' $sources |
    grep -vE '#include ("(tune/('"encode/encode_point|${headers#?}"')|metrics/common/[a-z0-9_]+)\.h"|<(errno|limits|math|stdbool|stddef|stdint|stdio|stdlib|string)\.h>)$' ||
    grep -nE '\b(fopen|fread|fwrite|fprintf|printf|puts|system|popen|getenv|time)\(' $sources; then
    echo "  ^ the engine of tune/ knows no files, no processes and nothing of the library but definitions" >&2
    broken=1
fi
# The known backends, and all that the core says of vendors, stand in one place.
vendors='(cuda|sycl|hip|metal|vulkan|CUDA|SYCL|HIP|Metal|Vulkan)'
if grep -rnE --include='*.c' --include='*.h' "\"([^\"]*[^\"A-Za-z0-9])?$vendors([^\"A-Za-z0-9][^\"]*)?\"" src/core |
    grep -v '^src/core/backend/names\.[ch]:' || grep -rnE --include='*.c' --include='*.h' "\"$vendors\"" cli; then
    echo "  ^ a name of a backend; ask backend_known_names or vmaf_backend_known" >&2
    broken=1
fi
# shellcheck disable=SC2016 # a pattern
if grep -rnE --include='*.c' --include='*.h' '#[[:space:]]*include[[:space:]]+".*\.c"' src common media cli tune plugins bench; then
    echo "  ^ nobody includes a .c" >&2
    broken=1
fi
# What belongs to one metric is in its folder. (Speed is also just a word.)
metrics=$(cd src/metrics && find . -mindepth 1 -maxdepth 1 -type d ! -name speed ! -name common ! -name framework | sed 's,^\./,,' | tr '\n' '|')
for folder in plugins/vulkan plugins/cuda plugins/hip plugins/sycl plugins/metal plugins/sdk plugins/sdk/emulator; do
    [ -d "$folder" ] || continue
    if find "$folder" -maxdepth 1 -name '*.[ch]' -exec grep -nHiE "(^|[^a-z])(${metrics%|})([^a-z]|\$)" {} +; then
        echo "  ^ what serves all metrics names none" >&2
        broken=1
    fi
    if find "$folder" -maxdepth 1 | grep -E "/(${metrics%|})[^/]*\$"; then
        echo "  ^ what serves all metrics names none" >&2
        broken=1
    fi
done
exit $broken
