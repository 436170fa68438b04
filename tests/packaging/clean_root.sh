# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by debian.sh: a root without libvmaf, in which packages are installed. With privileges and
# debootstrap that is a minimal system of its own, kept as an archive from one run to the next.
# Otherwise packages are unpacked into a folder and run from there, beside the system.
#   $root: the folder; $seen: its path as programs in it see it; $kind: what it is, for people
#   install_package name..., install_file name file, remove_package name..., in_root command...,
#   run_script script below the prefix, arguments...
# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034 # settings come from outside, results go there

# The dependencies of the packages under test: the root contains them from the beginning, and no
# more, so that dpkg refuses a package with an unexpected dependency.
needed=$(for package in "$library"_*.deb vmaf_*.deb ./*-backend-*.deb; do
    [ ! -e "$package" ] || names_in "${package%%_*}" Depends
done | grep -v '^libvmaf' | sort -u | tr '\n' ',' | sed 's/,$//')

suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") # the one on which packages were made
make_archive() { # archive
    # shellcheck disable=SC2016 # a format of apt
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" 'Created-By: Packages' \
        2>/dev/null | grep -m 1 '^http') || mirror=
    # A temporary root need not survive a power cut.
    mkdir -p "$folder/base/etc/dpkg/dpkg.cfg.d"
    echo force-unsafe-io >"$folder/base/etc/dpkg/dpkg.cfg.d/test"
    # shellcheck disable=SC2086 # none, or one word
    timeout 3000 debootstrap --variant=minbase --include="$needed" "$suite" "$folder/base" $mirror \
        >"$folder/debootstrap.log" 2>&1 || return 1
    rm -rf "$folder/base/var/cache/apt/archives" "$folder/base/var/lib/apt/lists" \
        "$folder/base/dev" "$folder/base/usr/share/locale"
    mkdir "$folder/base/dev"
    tar -C "$folder/base" -cf "$folder/base.tar" . && rm -rf "$folder/base" "$work"/root-*.tar &&
        mv "$folder/base.tar" "$1"
}

unpacked_because() { # reason
    kind="unpacked beside the system ($1)"
    root=$folder/root
    seen=$root
    mkdir "$root"
    install_file() {
        dpkg-deb -c "$2" | sed 's,.* \./,,; s, -> .*,,; /^$/d' >"$folder/files-of-$1"
        dpkg-deb -x "$2" "$root"
    }
    remove_package() {
        for name; do
            grep -v '/$' "$folder/files-of-$name" | while read -r file; do
                rm "$root/$file"
            done
            LC_ALL=C sort -r "$folder/files-of-$name" | grep '/.*/$' | while read -r directory; do
                rmdir "$root/$directory" 2>/dev/null || true
            done
        done
    }
    in_root() {
        program=$1
        shift
        env -u VMAF_BACKEND -u VMAF_BACKEND_PATH -u VMAF_BACKEND_PROBE \
            XDG_CACHE_HOME="$folder/cache" LD_LIBRARY_PATH="$root$prefix/$libdir" \
            "$root$prefix/$bindir/$program" "$@"
    }
    run_script() {
        in_root "../$@"
    }
}

system_of_its_own() { # archive
    kind="a clean Debian root"
    root=$folder/root
    seen=
    mkdir "$root"
    tar -C "$root" -xf "$1"
    mknod -m 666 "$root/dev/null" c 1 3 2>/dev/null || : >"$root/dev/null"
    install_file() {
        cp "$2" "$root/$1.deb"
        in_root dpkg -i "/$1.deb" >"$folder/log" 2>&1 || fail "$1 cannot be installed"
    }
    remove_package() {
        in_root dpkg --purge "$@" >"$folder/log" 2>&1 || fail "$* cannot be removed"
        for name; do
            rm "$root/$name.deb"
        done
    }
    in_root() {
        chroot "$root" env -i HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
            PATH="$prefix/$bindir:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
    }
    run_script() {
        in_root "$prefix/$bindir/../$@"
    }
}

install_package() {
    for name; do
        install_file "$name" "$(echo "$folder/packages/$name"_*.deb)"
    done
}

archive=$work/root-$(echo "$suite $needed" | cksum | cut -d ' ' -f 1).tar
if [ "$(id -u)" -ne 0 ]; then
    unpacked_because "not root"
elif ! has debootstrap; then
    unpacked_because "debootstrap is not installed"
elif [ ! -e "$archive" ] && ! make_archive "$archive"; then
    unpacked_because "debootstrap failed: $(tail -n 1 "$folder/debootstrap.log" 2>/dev/null)"
else
    system_of_its_own "$archive"
fi
