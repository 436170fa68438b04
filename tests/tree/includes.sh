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
find src media cli plugins tune bench tools -name '*.[ch]' ! -path 'src/platform/*' -exec grep -lE "$posix" {} + |
    LC_ALL=C sort >"$scratch/found"
grep -v '^#' tests/tree/posix_headers.txt | LC_ALL=C sort >"$scratch/listed"
if ! diff "$scratch/listed" "$scratch/found" >&2; then
    echo "  ^ >: only src/platform uses headers of POSIX; <: take it out of posix_headers.txt" >&2
    broken=1
fi

# Those of Windows are in one folder.
windows='#[[:space:]]*include[[:space:]]+<(windows|winsock2?|winbase|winternl|aclapi|sddl|tlhelp32|psapi|bcrypt|io|direct)\.h>'
if find src media cli plugins tune bench tools -name '*.[ch]' ! -path 'src/platform/windows/*' -exec grep -nE "$windows" {} +; then
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
#   definition, support <- trace <- picture <- feature <- model, backend <- report <- engine <- api
# The definition knows nothing but itself and C, and computes: no input and output, no memory.
# shellcheck disable=SC2016 # a pattern
if grep -rnE '^[[:space:]]*#[[:space:]]*include' src/definition |
    grep -vE '#include ("definition/[a-z0-9_/]+\.h"|<(float|math|stdbool|stddef|stdint|string)\.h>)$'; then
    echo "  ^ definition knows nothing but itself and C" >&2
    broken=1
fi
if grep -nE '^[[:space:]]*([^#/ *[:space:]]|#[[:space:]]*(include|if |el|undef))' src/definition/*/*_constants.h; then
    echo "  ^ constants are what kernels can include: macros only" >&2
    broken=1
fi
forbid "the platform layer is a leaf" '(support|picture|feature|model|backend|report|engine|api|core|definition|libvmaf)/' src/platform
forbid "headers of the tree are named from their component's folder" '(core|\.\.)/' src plugins
forbid "support is used by all others" '(trace|picture|feature|model|backend|report|engine|api)/' src/core/support
forbid "traces are told what happens, and know nothing of it" '(picture|feature|model|backend|report|engine|api)/' src/core/trace
forbid "sinks of traces are their own, and the writer's" 'trace/(nvtx|nvtx_interface|recording)\.h' src/core/support \
    src/core/picture src/core/feature src/core/model src/core/backend src/core/engine src/core/api src/interop
forbid "picture knows support only" '(feature|model|backend|report|engine|api)/' src/core/picture
forbid "feature knows pictures, not who uses it" '(model|backend|report|engine|api)/' src/core/feature
forbid "model does not know backends" '(backend|report|engine|api)/' src/core/model
forbid "backend does not know who uses it" '(model|report|engine|api)/' src/core/backend
forbid "what all backends are made of knows neither their files nor their sessions" 'backend/(discovery|session)/' \
    src/core/backend/names.h src/core/backend/availability.h src/core/backend/availability.c src/core/backend/foreign_text.c \
    src/core/backend/limited_call.c src/core/backend/host_state.c src/core/backend/device_description.h
forbid "discovery knows files, not sessions or choices" 'backend/(session/|registry|backend_device\.h|selection)' \
    src/core/backend/discovery
forbid "report writes what it is given" '(engine|api)/' src/core/report
forbid "engine does not know the interface" 'api/' src/core/engine
# Inside of it: requests <- queue <- executors <- backends <- the context, in the folder itself.
forbid "the work list knows not who does the work" '(backend|report|model)/|engine/([a-z_]*\.h|queue/|executors/|backends/)' \
    src/core/engine/requests
forbid "the queue knows neither executors nor backends" '(backend|report|model)/|engine/([a-z_]*\.h|executors/|backends/)' \
    src/core/engine/queue
forbid "executors know the queue, not who starts them" '(report|model)/|engine/([a-z_]*\.h|backends/)' src/core/engine/executors
forbid "the manager of backends is told what it needs, and knows no context" 'model/|engine/[a-z_]*\.h' src/core/engine/backends
# Two tests look at who is woken first, and at frames that have arrived.
# shellcheck disable=SC2046 # no file has a space in its name
forbid "the state of the queue is its own" 'engine/queue/queue_state\.h' src/core/engine/*.[ch] src/core/engine/executors \
    src/core/engine/backends src/core/engine/requests src/core/api src/interop \
    $(find tests -name '*.[ch]' ! -path tests/unit/test_wake_up.c ! -path tests/unit/test_condense.c)
forbid "the state of the manager is its own" 'engine/backends/manager_state\.h' src/core/engine/*.[ch] \
    src/core/engine/executors src/core/engine/queue src/core/api src/interop tests
forbid "the library knows no vendor" '(cuda|hip/|level_zero|vulkan|Metal|CL/|libvmaf/libvmaf_(cuda|hip|sycl|vulkan|metal))' src/core

forbid "pages are made of plain data" '(command_line|run_steps|output|libvmaf|media|text/say)' src/html
forbid "readers do not know who reads" '(command_line|option_table|run|run_steps)\.h' media src/text
forbid "the program uses public headers only" '(support|picture|feature|model|backend|report|engine|api)/' media cli src/text src/html docs/examples
# plugins/kernels/picture has headers of arguments only.
forbid "plugins know the ABI, not the library" '(support|feature|model|backend|report|engine|api)/|picture/[a-z_]*([^s]|[^g]s)\.h"' plugins
forbid "plugins know the ABI, not the library" 'libvmaf/(libvmaf|model|picture|feature)\.h' plugins
forbid "the example uses the installed header only" '"(device|program|session|plan|metric)' plugins/example
forbid "the ABI depends on nothing" '(libvmaf|model|picture|feature|libvmaf_ext)\.h' \
    include/libvmaf/backend.h include/libvmaf/backend_records.h
# What tunes encoders decides without doing anything: no library, no system, no input and output.
# shellcheck disable=SC2016 # a pattern
if grep -rnE '^[[:space:]]*#[[:space:]]*include' tune/engine |
    grep -vE '#include ("(tune/engine|definition/common)/[a-z0-9_]+\.h"|"hash/sha256\.h"|<(errno|limits|math|stdbool|stddef|stdint|stdio|stdlib|string)\.h>)$' ||
    grep -rnE '\b(fopen|fread|fwrite|fprintf|printf|puts|system|popen|getenv|time)\(' --include='*.c' tune/engine; then
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
if grep -rnE --include='*.c' --include='*.h' '#[[:space:]]*include[[:space:]]+".*\.c"' src media cli plugins/sdk plugins/vulkan plugins/cuda bench; then
    echo "  ^ nobody includes a .c" >&2
    broken=1
fi
# What belongs to one metric is in its folders of definition, kernels and metrics. (Speed is also
# just a word.)
metrics=$(cd src/core/feature && find . -mindepth 1 -maxdepth 1 -type d ! -name speed ! -name common ! -name scores | sed 's,^\./,,' | tr '\n' '|')
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
