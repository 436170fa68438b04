#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""An FFmpeg that costs little, anew for each run of tests: ffmpeg_stand_ins.py FOLDER COMPILER FFMPEG

FOLDER/programs has those that remember; FOLDER/libraries has stand-ins for what FFmpeg links and no test needs. A start
of ffmpeg, or of a program that loads libavcodec, takes ten times as long as what tests let it do, since it links 200
libraries. With that folder in LD_LIBRARY_PATH there are 40: one library has the names of the others, and the symbols
that FFmpeg's libraries look for in them, which end the program if they are called.
"""
import os
import re
import shutil
import subprocess
import sys

FFMPEGS_OWN = re.compile(r"lib(av[a-z]+|postproc|swresample|swscale)\.so")
# Encoders and decoders of tests, what is asked about every file or at every start, and what plugins and the drivers
# that they look for link.
NEEDED = re.compile(r"lib(SvtAv1Enc|aom|bz2|dav1d|gme|lzma|openmpt|ssl|vpx|x264|x265|z)\.so"
                    r"|lib(OpenCL|drm|va|vulkan|xcb[-a-z]*|xml2)\.so"
                    r"|lib(c|dl|gcc_s|m|pthread|rt|stdc\+\+)\.so|ld-linux")


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def names_needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-dW", path))


def symbols(path):
    """(size, kind, defined, name, version) of each one; the version is "" if there is none or it is an old one."""
    for words in map(str.split, said("readelf", "-W", "--dyn-syms", path).splitlines()):
        if len(words) >= 8 and words[0].rstrip(":").isdigit():
            name, _, version = words[7].partition("@")
            yield int(words[2], 0), words[3], words[6] != "UND", name, version


def make_stand_ins(folder, compiler, ffmpeg):
    paths = dict(re.findall(r"^\s*(\S+) => (/\S+)", said("ldd", ffmpeg), re.MULTILINE))
    users = [ffmpeg] + [path for name, path in paths.items() if FFMPEGS_OWN.match(name)]
    linked = {name for path in users for name in names_needed(path)} & set(paths)
    kept, new = set(), {name for name in linked if NEEDED.match(name)}
    while new:
        kept |= new
        new = {name for known in new for name in names_needed(paths[known])} & set(paths) - kept
    replaced = sorted(name for name in linked - kept if not FFMPEGS_OWN.match(name))
    wanted = {symbol[3] for path in users for symbol in symbols(path) if not symbol[2]}
    wanted -= {symbol[3] for name in kept for symbol in symbols(paths[name]) if symbol[2]}
    code, versions = ["#include <stdio.h>", "#include <stdlib.h>"], {}
    for library in replaced:
        for size, kind, defined, name, version in symbols(paths[library]):
            if not defined or name not in wanted or version and version[0] != "@":
                continue
            wanted.remove(name)
            versions.setdefault(version[1:] or "NONE", []).append(name)
            # What is called at every start has nothing to do.
            body = ("return 0;" if name.startswith("gnutls_global_") else
                    f'fputs("tests have no {library} ({name})\\n", stderr); abort();')
            code.append(f"char {name}[{size}];" if kind == "OBJECT" else f"int {name}(void) {{ {body} }}")
    for name, lines in (("all.c", code), ("all.map", (f"{version} {{ {'; '.join(names)}; }};"
                                                      for version, names in versions.items()))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    subprocess.run([compiler, "-w", "-fno-builtin", "-shared", "-fPIC", "-Wl,--version-script=all.map", "-o", "all.so", "all.c"],
                   cwd=folder, check=True)
    for name in replaced:
        os.link(os.path.join(folder, "all.so"), os.path.join(folder, name))


def main(folder, compiler, ffmpeg):
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("answers", "libraries", "programs"):
        os.makedirs(os.path.join(folder, name))
    programs = os.path.join(folder, "programs")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "remembering_ffmpeg.c")
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", "ffmpeg", source], cwd=programs, check=True)
    os.link(os.path.join(programs, "ffmpeg"), os.path.join(programs, "ffprobe"))
    libraries = os.path.join(folder, "libraries")
    try:
        make_stand_ins(libraries, compiler, ffmpeg)
        said("env", f"LD_LIBRARY_PATH={libraries}", ffmpeg, "-version")
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"no stand-ins, tests take longer: {error}")
        shutil.rmtree(libraries)


main(*sys.argv[1:])
