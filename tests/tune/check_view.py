#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What is encoded is what is measured, whatever the source looks like: check_view.py SUBJECT VMAF_TUNE VMAF

The vmaf program scores the files, and other commands of ffmpeg make encodes of the same.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from tune_program import Programs, expect, ffmpeg, make_clip, need_encoder

DEPTHS = {8: "yuv420p", 10: "yuv420p10le", 12: "yuv420p12le"}


def score(programs, reference, distorted, *arguments):
    """The mean VMAF, all digits of it."""
    output = os.path.join(programs.folder, "score.json")
    subprocess.run([programs.vmaf, "-r", reference, "-d", distorted, "--json", "-o", output, "-q", "--precision", "max",
                    *arguments], check=True, capture_output=True, cwd=programs.folder, env=programs.environment)
    with open(output, encoding="utf-8") as file:
        return json.load(file)["pooled_metrics"]["vmaf"]["mean"]


def row(programs, source, *arguments):
    text, _ = programs.run("corpus", "--src", source, "--preset", "veryfast", "--no-cache", "--encode-dir", "kept",
                           "--keep-encodes", "--output", "-", *arguments)
    return json.loads(text)


# -- depth --


def depths_of(encoder):
    text = subprocess.run(["ffmpeg", "-hide_banner", "-h", f"encoder={encoder}"], capture_output=True, text=True,
                          check=False).stdout
    formats = re.search(r"Supported pixel formats: (.*)", text)
    return [depth for depth, name in DEPTHS.items() if formats and name in formats.group(1).split()]


def several_depths(programs):
    """Encodes of one source, of which the second has more bits than the others."""
    program = os.path.join(programs.folder, "deep-ffmpeg")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"#!{sys.executable}\nimport os, sys\narguments = sys.argv[1:]\n"
                   "if '-crf 41' in ' '.join(arguments):\n    arguments[-1:-1] = ['-pix_fmt', 'yuv420p10le']\n"
                   "os.execvp('ffmpeg', ['ffmpeg', *arguments])\n")
    os.chmod(program, 0o755)
    text, _ = programs.run("corpus", "--src", "s8.mkv", "--encoder", "libx264", "--preset", "veryfast", "--crf", "40,41,42",
                           "--no-cache", "--encode-dir", "kept", "--keep-encodes", "--output", "-", "--ffmpeg-bin", program)
    for made in map(json.loads, text.splitlines()):
        truth = score(programs, "s8.mkv", made["encode_path"])
        expect(made["vmaf_score"] == truth, f"CRF {made['crf']} has VMAF {made['vmaf_score']!r}, not {truth!r}")


def depth(programs):
    """Encodes with as many bits as the source, with more and with fewer."""
    wanted = [(encoder, bits) for encoder in ("libx264", "libx265", "libsvtav1") for bits in depths_of(encoder)]
    expect(any(bits > 8 for _, bits in wanted), f"no encoder makes more than 8 bits: {wanted}")
    for source_bits in (8, 10):
        source = f"s{source_bits}.mkv"
        make_clip(os.path.join(programs.folder, source), "-pix_fmt", DEPTHS[source_bits], frames=8)
        for encoder, bits in wanted:
            made = row(programs, source, "--encoder", encoder, "--crf", "40", "--extra", "-pix_fmt", "--extra", DEPTHS[bits])
            truth = score(programs, source, made["encode_path"])
            expect(made["vmaf_score"] == truth,
                   f"{source} by {encoder} with {bits} bits has VMAF {made['vmaf_score']!r}, not {truth!r}")
    several_depths(programs)


# -- colours --


def rgb(programs):
    """RGB becomes YUV by the matrix of each encode, of which one is tagged."""
    chain = "scale=out_color_matrix={}:out_range=tv:flags=bicubic+accurate_rnd+bitexact,format=yuv444p"
    make_clip(os.path.join(programs.folder, "rgb.mkv"), "-pix_fmt", "gbrp", frames=8)
    program = os.path.join(programs.folder, "tagging-ffmpeg")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"#!{sys.executable}\nimport os, sys\narguments = sys.argv[1:]\n"
                   "if '-crf 31' in ' '.join(arguments):\n    arguments[-1:-1] = ['-colorspace', 'bt709']\n"
                   "os.execvp('ffmpeg', ['ffmpeg', *arguments])\n")
    os.chmod(program, 0o755)
    text, _ = programs.run("corpus", "--src", "rgb.mkv", "--encoder", "libx264", "--preset", "veryfast", "--crf", "30,31,32",
                           "--extra", "-pix_fmt", "--extra", "yuv444p", "--no-cache", "--encode-dir", "kept",
                           "--keep-encodes", "--output", "-", "--ffmpeg-bin", program)
    for made in map(json.loads, text.splitlines()):
        matrix = "bt709" if made["crf"] == 31 else "bt601"
        for name, source, chosen in (("a.y4m", "rgb.mkv", chain.format(matrix)), ("b.y4m", made["encode_path"], "null")):
            ffmpeg("-i", os.path.join(programs.folder, source), "-vf", chosen, "-sws_flags",
                   "bicubic+accurate_rnd+bitexact", os.path.join(programs.folder, name))
        truth = score(programs, "a.y4m", "b.y4m")
        expect(made["vmaf_score"] == truth, f"RGB beside {matrix} has VMAF {made['vmaf_score']!r}, not {truth!r}")


def full_range(programs):
    """A Y4M source whose header tells that it has full range."""
    path = os.path.join(programs.folder, "full.y4m")
    make_clip(os.path.join(programs.folder, "full.mkv"), "-pix_fmt", "yuv420p", "-color_range", "pc", frames=8)
    ffmpeg("-i", os.path.join(programs.folder, "full.mkv"), path)
    with open(path, "rb") as file:
        line, frames = file.read().split(b"\n", 1)
    words = [word for word in line.split() if not word.startswith(b"XCOLORRANGE")]
    with open(path, "wb") as file:
        file.write(b" ".join([*words, b"XCOLORRANGE=FULL"]) + b"\n" + frames)
    made = row(programs, "full.y4m", "--encoder", "libx264", "--crf", "30")
    for name, source in (("a.y4m", "full.mkv"), ("b.y4m", made["encode_path"])):
        ffmpeg("-i", os.path.join(programs.folder, source), os.path.join(programs.folder, name))
    truth = score(programs, "a.y4m", "b.y4m")
    expect(made["vmaf_score"] == truth, f"Y4M of full range has VMAF {made['vmaf_score']!r}, not {truth!r}")


SUBJECTS = {"rgb": rgb, "full_range": full_range, "depth": depth}


def main():
    subject, tune, vmaf = sys.argv[1:]
    need_encoder("libx264")
    with tempfile.TemporaryDirectory() as folder:
        SUBJECTS[subject](Programs(tune, vmaf, folder))


main()
