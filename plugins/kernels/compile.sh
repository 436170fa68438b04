#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles one kernel for one target.
#   compile.sh TARGET KERNEL.c OUTPUT
#   compile.sh common-key TARGET OUTPUT
# Targets: vulkan and opencl (SPIR-V), ptx (by clang; for an ARCHITECTURE such as sm_86 what ptxas
# makes of it, a cubin), cuda (PTX by nvcc), hip (a code object for ARCHITECTURE, such as gfx1030 or
# gfx11-generic), metal (source text without macros and other files; where METAL_STUB is a folder with a
# stub of Metal's header, CLANGXX checks its syntax). An OUTPUT that ends in .inc is written as a string
# of C, which compilers read ten times as fast as numbers; a text has a zero at its end.
# CONSTANTS is the folder that contains metrics/ with constants of metrics (src in the tree).
# Tools come from the environment too: CC, GLSLANG, SPIRV_VAL, CLANG, CLANGXX, HIP_CLANG,
# LLVM_SPIRV, PTXAS, NVCC; those that only check (SPIRV_VAL, PTXAS) may be empty. Warnings are errors
# if KERNEL_WERROR is not empty. HIP_LEVEL is how much HIP_CLANG optimises, -O3 if it is empty.
# KERNEL_CACHE is a folder in which outputs are kept: what has been made there of the same text, by
# the same tools, for the same target, is not made again. Empty or not set: no cache. Much of that is
# the same for all kernels of a target: common-key writes it down once, and COMMON_KEY names that file.
set -eu
target=$1 kernel=$2 output=$3
case $0 in
*/*) here=${0%/*} ;;
*) here=. ;;
esac

# Processes count here: there are thousands of kernels, and a clang that starts is a tenth of most of them.

find_tools() { # TARGET; sets tools, a name in each line
    case $1 in
    vulkan) set -- "${CC:-}" "${GLSLANG:-}" "${SPIRV_VAL:-}" ;;
    opencl) set -- "${CLANG:-}" "${LLVM_SPIRV:-}" "${SPIRV_VAL:-}" ;;
    ptx) set -- "${CLANG:-}" "${PTXAS:-}" ;;
    cuda) set -- "${NVCC:-}" ;;
    hip) set -- "${HIP_CLANG:-}" ;;
    *) set -- "${CC:-}" "${CLANGXX:-}" "${METAL_STUB:-}" ;;
    esac
    tools=
    for tool; do
        case $tool in
        '' | /*) ;;
        *) tool=$(command -v "$tool" || echo "$tool") ;;
        esac
        tools=$tools${tool:+$tool$newline}
    done
}
newline='
'

common_key() { # TARGET
    find_tools "$1"
    {
        cat "$0" "$here"/*/*.h "$here/dialect/glsl_preamble.txt"
        for folder in "$here/metrics" "$CONSTANTS/metrics"; do
            [ ! -d "$folder" ] || find "$folder/" -name '*_kernel.h' -o -name '*.kernel.h'
        done | LC_ALL=C sort | xargs cat
        # Clang is a small program with large libraries.
        case $1 in
        opencl | ptx | hip) "${tools%%"$newline"*}" --version ;;
        esac
    } | sha256sum
}
if [ "$target" = common-key ]; then
    common_key "$kernel" >"$output"
    exit
fi

# All that the output may depend on; tools by their files, since versions take long to ask for. Where the
# kernel's own source and its headers are does not matter.
key_of_output() {
    find_tools "$target"
    {
        echo "$target ${ARCHITECTURE:-} ${HIP_LEVEL:-} ${KERNEL_WERROR:+strict} ${output##*.}"
        set -- "${COMMON_KEY:-/dev/null}"
        while IFS= read -r line || [ -n "$line" ]; do
            case $line in
            '#include "/'*)
                source=${line#*\"}
                source=${source%\"}
                set -- "$@" "$source"
                case $source in
                */metrics/*) ;; # whose headers are in the common part
                *)
                    for header in "${source%/*}"/*.h; do
                        [ ! -e "$header" ] || set -- "$@" "$header"
                    done
                    ;;
                esac
                ;;
            *) printf '%s\n' "$line" ;;
            esac
        done <"$kernel"
        [ -n "${COMMON_KEY:-}" ] || common_key "$target"
        cat "$@"
        IFS=$newline
        # shellcheck disable=SC2086 # a list
        ls -ldL $tools
    } | sha256sum
}
cached=
if [ -n "${KERNEL_CACHE:-}" ]; then
    [ -d "$KERNEL_CACHE" ] || mkdir -p "$KERNEL_CACHE"
    cached=$(key_of_output)
    cached=$KERNEL_CACHE/${cached%% *}
    if [ -e "$cached" ]; then
        cp "$cached" "$output"
        exit
    fi
fi

array=
case $output in
*.inc)
    array=$output
    output=${output%.inc}.code
    ;;
esac
set -- "-I$here" "-I$CONSTANTS"
werror=${KERNEL_WERROR:+-Werror}
case $target in
vulkan)
    # The C preprocessor knows more than GLSL's; its line marks become #line, so that errors name
    # the kernel's own lines.
    { cat "$here/dialect/glsl_preamble.txt"
      "$CC" -E -x c -undef -DKERNEL_GLSL=1 "$@" "$kernel" |
          sed -E 's/^# ([0-9]+) ("[^"]*").*$/#line \1 \2/'
    } > "$output.comp"
    "$GLSLANG" -V --target-env vulkan1.2 "$output.comp" -o "$output" > "$output.log" ||
        { cat "$output.log" >&2; exit 1; }
    [ -z "${SPIRV_VAL:-}" ] || "$SPIRV_VAL" --target-env vulkan1.2 "$output"
    ;;
opencl)
    # The translator does not support everything in optimised code; drivers optimise anyway.
    "$CLANG" -x cl -cl-std=CL1.2 -target spir64 -O2 -Xclang -disable-llvm-passes \
        -ffp-contract=off -Xclang -finclude-default-header $werror "$@" \
        -emit-llvm -c "$kernel" -o "$output.bc"
    "$LLVM_SPIRV" --spirv-max-version=1.2 "$output.bc" -o "$output"
    [ -z "${SPIRV_VAL:-}" ] || "$SPIRV_VAL" --target-env opencl2.2 "$output"
    ;;
ptx)
    ptx=$output${ARCHITECTURE:+.ptx}
    "$CLANG" -x cuda --cuda-path=/nonexistent --cuda-gpu-arch=sm_70 -Xclang -target-feature \
        -Xclang +ptx63 -nocudainc -nocudalib --cuda-device-only -ffreestanding -std=c++17 -O3 \
        -ffp-contract=off $werror -Wno-unknown-cuda-version "$@" -S "$kernel" -o "$ptx"
    if [ -n "${ARCHITECTURE:-}" ]; then
        "$PTXAS" --gpu-name="$ARCHITECTURE" "$ptx" -o "$output"
    elif [ -n "${PTXAS:-}" ]; then
        "$PTXAS" -O0 --gpu-name=sm_80 "$output" -o "$output.cubin" # only whether it takes it
    fi
    ;;
cuda)
    "$NVCC" -x cu -std=c++17 -fmad=false ${werror:+-Werror all-warnings} "$@" -ptx -arch=compute_80 \
        "$kernel" -o "$output"
    ;;
hip)
    # The oldest version of the format that has the chip: every ROCm since 4.2 reads version 4.
    case $ARCHITECTURE in
    *-generic) version=6 ;;
    *) version=4 ;;
    esac
    # Clang 15 leaves folders there.
    export TMPDIR="$output.tmp"
    mkdir -p "$TMPDIR"
    trap 'rm -rf "$TMPDIR"' EXIT
    "$HIP_CLANG" -x hip --offload-arch="$ARCHITECTURE" -mcode-object-version=$version -nogpuinc \
        -nogpulib --cuda-device-only --no-gpu-bundle-output -ffreestanding -std=c++17 "${HIP_LEVEL:--O3}" \
        -ffp-contract=off -fuse-cuid=none $werror "$@" "$kernel" -o "$output"
    ;;
metal)
    # Metal's own header stays an #include.
    header=$output.include
    mkdir -p "$header"
    trap 'rm -r "$header"' EXIT
    : > "$header/metal_stdlib"
    { echo '#include <metal_stdlib>'
      "$CC" -E -P -x c -undef -D__METAL_VERSION__=230 -I"$header" "$@" "$kernel"
    } > "$output"
    # C++ has no automatic variables of other address spaces.
    if [ -n "${METAL_STUB:-}" ]; then
        sed 's/^threadgroup .*\];$/static &/' "$output" > "$output.cpp"
        "$CLANGXX" -std=c++14 -x c++ -I"$METAL_STUB" -Wall $werror -Wno-unknown-attributes \
            -Wno-unused-function -fsyntax-only "$output.cpp"
    fi
    ;;
*)
    echo "compile.sh: no target $target" >&2
    exit 2
    ;;
esac

if [ -n "$array" ]; then
    case $target:${ARCHITECTURE:-} in
    ptx: | cuda: | metal:) sed -e 's/[\\"?]/\\&/g' -e 's/.*/"&\\n"/' -e '$s/$/"\\0"/' "$output" ;;
    *) od -An -v -to1 "$output" | sed 's/ *$//; s/  */\\/g; s/.*/"&"/' ;;
    esac > "$array"
    output=$array
fi

if [ -n "$cached" ]; then
    cp "$output" "$cached.$$"
    mv "$cached.$$" "$cached"
fi
