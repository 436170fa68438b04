#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiles one kernel for one target.
#   compile.sh TARGET KERNEL.c OUTPUT
#   compile.sh common-key TARGET OUTPUT
# Targets: vulkan and opencl (SPIR-V), ptx (by clang; for an ARCHITECTURE such as sm_86 what ptxas
# makes of it, a cubin), cuda (PTX by nvcc), hip (a code object for ARCHITECTURE, such as gfx1030 or
# gfx11-generic), metal (source text without macros and other files; where METAL_STUB is a folder with a
# stub of Metal's header, CLANGXX checks its syntax). An OUTPUT that ends in .inc is written as the
# initializers of a C array of 32-bit words, by CMAKE and its script EMBED_WORDS; text ends with a zero there.
# DEFINITION is the folder that contains definition/, the numbers of metrics (src in the tree).
# Tools come from the environment too: CC, GLSLANG, SPIRV_VAL, CLANG, CLANGXX, HIP_CLANG,
# LLVM_SPIRV, PTXAS, NVCC; those that only check (SPIRV_VAL, PTXAS) may be empty. Warnings are errors
# if KERNEL_WERROR is not empty.
# KERNEL_CACHE is a folder in which outputs are kept: what has been made there of the same text, by
# the same tools, for the same target, is not made again. Empty or not set: no cache. Much of that is
# the same for all kernels of a target: common-key writes it down once, and COMMON_KEY names that file.
set -eu
target=$1 kernel=$2 output=$3
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

tools_of() { # TARGET
    case $1 in
    vulkan) set -- "${CC:-}" "${GLSLANG:-}" "${SPIRV_VAL:-}" ;;
    opencl) set -- "${CLANG:-}" "${LLVM_SPIRV:-}" "${SPIRV_VAL:-}" ;;
    ptx) set -- "${CLANG:-}" "${PTXAS:-}" ;;
    cuda) set -- "${NVCC:-}" ;;
    hip) set -- "${HIP_CLANG:-}" ;;
    *) set -- "${CC:-}" "${CLANGXX:-}" "${METAL_STUB:-}" ;;
    esac
    for tool; do
        case $tool in
        '' | /*) ;;
        *) tool=$(command -v "$tool" || echo "$tool") ;;
        esac
        [ -z "$tool" ] || echo "$tool"
    done
}

common_key() { # TARGET
    {
        cat "$0" "$here"/*/*.h "$here/dialect/glsl_preamble.txt" "$DEFINITION"/definition/*/*.h \
            "${EMBED_WORDS:-/dev/null}"
        # Clang is a small program with large libraries.
        case $1 in
        opencl | ptx | hip) "$(tools_of "$1" | head -n 1)" --version ;;
        esac
    } | sha256sum
}
if [ "$target" = common-key ]; then
    common_key "$kernel" >"$output"
    exit
fi

# All that the output may depend on; tools by their files, since versions take long to ask for.
key_of_output() {
    {
        echo "$target ${ARCHITECTURE:-} ${KERNEL_WERROR:+strict} ${output##*.}"
        if [ -n "${COMMON_KEY:-}" ]; then
            cat "$COMMON_KEY"
        else
            common_key "$target"
        fi
        sed '/^#include "\/.*"$/d' "$kernel"
        sed -n 's/^#include "\(\/.*\)"$/\1/p' "$kernel" | while read -r source; do
            cat "$source"
            for header in "${source%/*}"/*.h; do
                [ ! -e "$header" ] || cat "$header"
            done
        done
        tools_of "$target" | tr '\n' '\0' | xargs -0 ls -ldL
    } | sha256sum | cut -d ' ' -f 1
}
cached=
if [ -n "${KERNEL_CACHE:-}" ]; then
    mkdir -p "$KERNEL_CACHE"
    cached=$KERNEL_CACHE/$(key_of_output)
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
set -- "-I$here" "-I$DEFINITION"
werror=${KERNEL_WERROR:+-Werror}
# Clang leaves folders there (15, for AMD's chips).
export TMPDIR="$output.tmp"
mkdir -p "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT

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
        "$PTXAS" -v --gpu-name=sm_80 "$output" -o "$output.cubin" 2> "$output.log" ||
            { cat "$output.log" >&2; exit 1; }
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
    "$HIP_CLANG" -x hip --offload-arch="$ARCHITECTURE" -mcode-object-version=$version -nogpuinc \
        -nogpulib --cuda-device-only --no-gpu-bundle-output -ffreestanding -std=c++17 -O3 \
        -ffp-contract=off -fuse-cuid=none $werror "$@" "$kernel" -o "$output"
    ;;
metal)
    # Metal's own header stays an #include.
    header=$(dirname -- "$output")/metal_header
    mkdir -p "$header"
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
    text=OFF
    case $target:${ARCHITECTURE:-} in
    ptx: | cuda: | metal:) text=ON ;;
    esac
    "$CMAKE" "-DINPUT=$output" "-DOUTPUT=$array" -DTEXT=$text -P "$EMBED_WORDS"
    output=$array
fi

if [ -n "$cached" ]; then
    part=$(mktemp "$KERNEL_CACHE/part.XXXXXX")
    cp "$output" "$part"
    mv "$part" "$cached"
fi
