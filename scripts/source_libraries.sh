# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by the scripts that make libraries for a system for which Debian has no packages of them: gets
# its sources and builds static libraries of them. They set, beside the compiler $CC,
#
#     here     the folder of this file
#     work     a folder for the sources; those that are there already are not downloaded
#     prefix   where the libraries are installed: include, lib
#     host     processor and system, as configure has it
#     sources  the packages, of jansson, libtool, zlib, cmocka
#
# and hand what CMake needs for that system to build_libraries.
# shellcheck shell=sh disable=SC2154,SC2164

# Absolute paths of $work and of the folder that is made, and a way back if anything fails.
begin_root() { # FOLDER [WORK]
    [ ! -e "$1" ] || { echo "$1 exists" >&2; exit 2; }
    mkdir -p "$(dirname -- "$1")"
    target=$(cd "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
    if [ $# -gt 1 ]; then
        mkdir -p "$2"
        work=$(cd "$2" && pwd)
    else
        work=$(mktemp -d "$target.XXXXXX")
        trap 'rm -rf "$work"' EXIT
    fi
    prefix=$work/root-$host
    rm -rf "$prefix"
}

by_cmake() { # OPTION...
    rm -rf "build-$host"
    cmake -S . -B "build-$host" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build "build-$host" --target install
}

build_libraries() { # OPTION_OF_CMAKE...
    # shellcheck disable=SC2086 # a list of words
    "$here/debian_source.sh" "$work" $sources
    mkdir -p "$prefix/include" "$prefix/lib"
    for package in $sources; do
        (cd "$work/$package"-*/ && "build_$package" "$@")
    done
}

build_jansson() {
    by_cmake -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_BUILD_DOCS=OFF "$@"
}

build_cmocka() {
    by_cmake -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF "$@"
    # Which ends with the shared library in old versions, and with the static one in new ones.
    [ ! -e "$prefix/lib/libcmocka-static.a" ] || mv "$prefix/lib/libcmocka-static.a" "$prefix/lib/libcmocka.a"
    rm -rf "$prefix"/lib/libcmocka*.dylib "$prefix"/lib/libcmocka.so* "$prefix/lib/libcmocka.dll.a" "${prefix:?}/bin"
}

# Of libtool only the library that it loads modules with.
build_libtool() {
    cd libltdl
    # Patches have changed what these are made from, and the makefile would make them again.
    touch aclocal.m4
    touch configure config-h.in Makefile.in
    rm -rf "build-$host"
    mkdir "build-$host"
    cd "build-$host"
    sh ../configure --host="$host" CC="$CC" CFLAGS="-O2 ${CFLAGS:-}" --disable-shared --enable-ltdl-install \
        --prefix="$prefix"
    make -j2 install
}

build_zlib() {
    mkdir -p "build-$host"
    for name in adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil; do
        # shellcheck disable=SC2086 # a command and options
        $CC -O2 ${CFLAGS:-} -DHAVE_UNISTD_H -c "$name.c" -o "build-$host/$name.o"
    done
    "${AR:-ar}" rcs "$prefix/lib/libz.a" "build-$host"/*.o
    cp zlib.h zconf.h "$prefix/include/"
}

# What of a library that this system has can be linked with elsewhere, if it is there: its headers, a file
# for pkg-config, and the names of its functions, of which the function link_library, which the script
# defines, makes the file that linkers want.
borrow_library() { # NAME FOLDER_OF_HEADERS...
    library=$1
    shift
    pkg-config --exists "$library" || return 0
    includes=$(pkg-config --variable=includedir "$library")
    for headers in "$@"; do
        cp -R "$includes/$headers" "$prefix/include/"
    done
    link=$(pkg-config --libs-only-l "$library" | sed 's/^-l//; s/ .*//')
    nm -D --defined-only "$(pkg-config --variable=libdir "$library")/lib$link.so" |
        sed -n 's/^[0-9a-f]* [A-Z] \([A-Za-z][A-Za-z0-9_]*\)\(@.*\)\{0,1\}$/\1/p' |
        grep -vE '^LIB[A-Z]+_[0-9]+$' >"$work/$library.names"
    link_library "$link" "$work/$library.names"
    mkdir -p "$prefix/lib/pkgconfig"
    printf '%s\n' "prefix=$prefix" "Name: $library" 'Description: names of functions, to link with' \
        "Version: $(pkg-config --modversion "$library")" "Libs: -L\${prefix}/lib -l$link" \
        'Cflags: -I${prefix}/include' >"$prefix/lib/pkgconfig/$library.pc"
}

borrow_ffmpeg() {
    for part in avutil swscale avcodec avformat avfilter; do
        borrow_library lib$part lib$part
    done
}

# Licences go along with what is linked with libraries.
copy_licences() { # FOLDER
    mkdir -p "$1"
    cp "$work"/jansson-*/LICENSE "$1/jansson.txt"
    cp "$work"/libtool-*/libltdl/COPYING.LIB "$1/libltdl.txt"
    case " $sources " in
    *" zlib "*) cp "$work"/zlib-*/LICENSE "$1/zlib.txt" ;;
    esac
}

# Moves all to its place, and makes true there what pkg-config says.
end_root() {
    mv "$prefix" "$target"
    sed -i "s|^prefix=.*|prefix=$target|; s|$prefix|$target|g" "$target"/lib/pkgconfig/*.pc
}
