#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What encodes and the reference of their scores both get: check_filters.py SUBJECT VMAF_TUNE VMAF

An encoder that loses nothing has to give the frames that a plain ffmpeg makes with the same filters, whatever part of the
source is encoded and however it is found; scores are those of decoded Y4M.
"""
import json
import os
import re

from tune_program import expect, ffmpeg, main, near, need_encoder, probe

ADAPTERS = {"format": 1, "encoders": [{
    "name": "ffv1", "codec": "ffv1", "row_version": "1", "installed_by": "ffmpeg",
    "knob": {"name": "slices", "lowest": 4, "highest": 24, "default": 4, "better": "low"},
    "presets": {"medium": "1"}, "arguments": ["-c:v", "{encoder}", "-level", "3", "-coder", "{preset}"],
    "quality": ["-slices", "{q}"]}]}
RATE = "24000/1001"


def mean(programs, reference, distorted, *arguments):
    return programs.report(reference, distorted, *arguments)["pooled_metrics"]["vmaf"]["mean"]


def make_source(programs, name="interlaced.mkv", fields=160):
    """Interlaced, with references between frames and tones that begin with it."""
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=128x96:rate=48000/1001,noise=alls=12:allf=t:all_seed=3,trim=end_frame={fields}",
           "-vf", "tinterlace=interleave_top,setfield=tff", "-c:v", "libx264", "-preset", "veryfast", "-flags", "+ildct+ilme",
           "-g", "30", "-bf", "2", "-crf", "12", "-pix_fmt", "yuv420p", programs.path(name))
    programs.write("adapters.json", json.dumps(ADAPTERS))


def frames_of(path, *arguments):
    """A hash of each decoded frame."""
    return [line.split(",")[-1].strip() for line in ffmpeg("-i", path, *arguments, "-fps_mode", "passthrough", "-f", "framemd5",
                                                           "-").decode().splitlines() if not line.startswith("#")]


def encode(programs, source, *arguments, encoder="ffv1", quality="4"):
    """The row of one encode, and where it is."""
    row = programs.json("corpus", "--src", source, "--adapters", "adapters.json", "--encoder", encoder, "--crf", quality,
                        "--preset", "medium", "--no-cache", "--keep-encodes", "--encode-dir", "kept", "--output", "-", *arguments)
    return row, programs.path(row["encode_path"])


def truth(chain, timed=True):
    """What a user would type: filters of frames at their exact rate."""
    return ["-vf", f"settb=1001/24000,setpts=N,fps={RATE},{chain}" if timed else chain]


FILTERS = {"crop": "crop=96:64:8:4", "transpose": "transpose=1", "yadif": "yadif", "bwdif": "bwdif", "double": "yadif=1,hflip",
           "fps": "fps=10", "decimate": "decimate", "moving": "crop=96:64:n/2:0"}


def check_null(programs, names):
    make_source(programs)
    for name in names:
        wanted = frames_of(programs.path("interlaced.mkv"), *truth(FILTERS[name]))
        row, path = encode(programs, "interlaced.mkv", "--vfilter", FILTERS[name])
        expect("the reference of scores is filtered as encodes are" in programs.said, programs.said)
        expect(frames_of(path) == wanted, f"{name}: other frames than ffmpeg makes")
        expect(row["frames"] == len(wanted), f"{name}: {row['frames']} frames, not {len(wanted)}")
        rate = probe(path, "-show_streams")["streams"][0]["avg_frame_rate"].split("/")
        expect(near(row["framerate"], int(rate[0]) / int(rate[1]), 1e-3), f"{name}: {row['framerate']} {rate}")
        # The frames of the reference are the same: their VMAF is that of two equal files.
        equal = mean(programs, path, path)
        expect(row["vmaf_score"] == equal, f"{name}: {row['vmaf_score']!r}, not {equal!r}")


def check_samples(programs, name, source="interlaced.mkv"):
    make_source(programs)
    if source != "interlaced.mkv":
        ffmpeg("-i", programs.path("interlaced.mkv"), "-c", "copy", programs.path(source))
    wanted = frames_of(programs.path("interlaced.mkv"), *truth(FILTERS[name]))
    for windows in ("1", "2"):
        row, path = encode(programs, source, "--vfilter", FILTERS[name], "--sample-clip-seconds", "0.8", "--sample-windows", windows)
        found = frames_of(path)
        # Each window is a run of frames of the whole.
        starts = [wanted.index(found[0])] + [wanted.index(b) for a, b in zip(found, found[1:])
                                            if wanted.index(b) != wanted.index(a) + 1]
        expect(len(starts) == int(windows) and starts[0] > 0, f"{name}: windows begin at {starts}")
        expect(row["vmaf_score"] == mean(programs, path, path), f"{name}: {row['vmaf_score']!r}")
        expect(row["frames"] == len(found), f"{name}: {row['frames']} {len(found)}")


def check_scores(programs):
    """Scores are those that vmaf gives for decoded files."""
    make_source(programs, fields=60)
    for chain, extra in ((FILTERS["bwdif"], ()), ("crop=96:64:8:4,scale=48:32", ("crop=96:64:8:4",)),
                         ("hqdn3d", ("null", "--reference-vfilter", "null"))):
        row, path = encode(programs, "interlaced.mkv", "--vfilter", chain, *extra[1:], encoder="libx264", quality="30")
        ffmpeg("-i", programs.path("interlaced.mkv"), *truth((extra[0] if extra else chain) + ",setfield=prog"), "-fps_mode", "passthrough",
               "-f", "yuv4mpegpipe", programs.path("reference.y4m"))
        wanted = mean(programs, programs.path("reference.y4m"), path)
        expect(row["vmaf_score"] == wanted, f"{chain}: {row['vmaf_score']!r}, not {wanted!r}")
        made = probe(path, "-show_streams")["streams"][0]
        expect("scale" not in chain or (made["width"], made["height"]) == (48, 32), f"{made}")


def check_kinds(programs):
    """Raw video, Y4M, rotation, 10 bits."""
    make_source(programs, fields=48)
    source = programs.path("interlaced.mkv")
    ffmpeg("-i", source, "-f", "rawvideo", programs.path("raw.yuv"))
    ffmpeg("-i", source, "-vf", "setfield=prog", programs.path("film.y4m"))
    ffmpeg("-i", source, "-c:v", "libx264", "-crf", "5", "-pix_fmt", "yuv420p10le", programs.path("deep.mp4"))
    ffmpeg("-i", programs.path("deep.mp4"), "-c", "copy", "-metadata:s:v", "rotate=90", programs.path("turned.mp4"))
    raw = ("--width", "128", "--height", "96", "--framerate", RATE)
    for name, arguments in (("raw.yuv", raw), ("film.y4m", ()), ("deep.mp4", ()), ("turned.mp4", ())):
        truth_of = source if name in ("raw.yuv", "film.y4m") else programs.path(name)
        for chain in (FILTERS["bwdif"], FILTERS["fps"], "crop=64:48:8:4"):
            row, path = encode(programs, name, "--vfilter", chain, *arguments, "--sample-clip-seconds", "0.5")
            wanted, found = frames_of(truth_of, *truth(chain)), frames_of(path)
            if name in ("raw.yuv", "film.y4m") and "bwdif" in chain:
                # These say nothing of fields, so that others come first: the reference is what tells.
                expect(len(found) == row["frames"], f"{name}: {row}")
            else:
                first = wanted.index(found[0])
                expect(found == wanted[first:first + len(found)], f"{name} {chain}: other frames")
            expect(row["vmaf_score"] == mean(programs, path, path), f"{name} {chain}: {row['vmaf_score']!r}")


def check_options(programs):
    """Arguments that are added, refused, and change the key."""
    make_source(programs, fields=48)
    common = ("bisect", "--src", "interlaced.mkv", "--preset", "ultrafast", "--dry-run", "--adapters", "adapters.json")
    refused = {("--vfilter", "hqdn3d"): "--reference-vfilter", ("--vfilter", "[0]split"): "no chain of filters",
               ("--vfilter", "scale=64:48,crop=8:8"): "behind something that scales", ("--enc", "vf=null"): "sets vf itself",
               ("--enc", "pix_fmt:v=gray"): "sets pix_fmt", ("--enc", "crf=20"): "sets crf itself", ("--enc", "tune"): "NAME=VALUE",
               ("--enc-input", "ss=3"): "hwaccel", ("--keyint", "1.5"): "--keyint", ("--film-grain", "8"): "keeps grain",
               ("--audio", "aac"): "--audio is to be", ("--audio", "-map 0:3"): "chooses streams",
               ("--audio", "-c:a libopus -b 1M"): "chooses streams", ("--audio", "-c:a flac -q:v 3"): "-q:v chooses streams",
               ("--audio", "-c:s srt"): "chooses streams", ("--audio", "-frames:a 9"): "chooses streams"}
    for words, told in refused.items():
        said = programs.run(*common, *words, status=2)[1]
        expect(told in said, f"{words}: {said}")
    for words in (("--audio", "-c:a libopus -b:a 96k -ac 2 -ar 48000 -filter:a volume=0.5"), ("--audio", "-c:a:0 aac -q:a 2 -af anull"),
                  ("--subs", "-c:s srt -metadata:s:s:0 language=eng")):
        programs.run(*common, *words)
    shown = {("--pix-format", "yuv444p"): "-pix_fmt yuv444p ", ("--keyint", "48"): "-g 48 ", ("--keyint", "2s"): "-g 48 ",
             ("--enc", "tune=grain"): "-tune grain ", ("--enc-input", "threads=2"): "-threads 2 -i ",
             ("--encoder", "libsvtav1", "--preset", "fast", "--film-grain", "9", "--enc", "svtav1-params=tune=0"):
             "-svtav1-params film-grain=9:tune=0 ",
             ("--encoder", "libaom-av1", "--preset", "fast", "--film-grain", "9"): "-denoise-noise-level 9 ",
             ("--encoder", "libaom-av1", "--preset", "fast"): "-pix_fmt yuv420p10le "}
    for words, told in shown.items():
        said = programs.run(*common[:3], *common[3:], *words)[0]
        expect(told in said, f"{words}: {said}")
    # Encoders go on without parameters that they do not know, and say so; that is told once.
    programs.run("sample", "interlaced.mkv", "--quality", "30", "--preset", "ultrafast", "--no-cache", "--samples", "2", "--sample-duration",
                 "0.2", "--enc", "x264-params=nothing=3:bframes=1", status=None)
    expect(programs.said.count("libx264 ignores settings: ") == 1 and "'nothing = 3'" in programs.said, programs.said)
    # ffmpeg would choose another format, and go on.
    said = programs.run("corpus", "--src", "interlaced.mkv", "--crf", "30", "--preset", "ultrafast", "--no-cache", "--output", "-",
                        "--pix-format", "yuv420p12le", status=None)[1]
    expect("does not take --pix-format yuv420p12le" in said, said)


def keys_of(programs, *arguments, source="short.mkv"):
    """Names of documents that are new in the cache: keys of an encode, and of its scores."""
    def documents():
        return {name for _, _, names in os.walk(programs.path("cache")) for name in names if re.fullmatch(r"[0-9a-f]{64}[.]json", name)}

    before = documents()
    programs.run("corpus", "--src", source, "--crf", "40", "--preset", "ultrafast", "--output", "-", *arguments)
    return documents() - before


NOTHING, SCORE, ENCODE = range(3)

# What each option changes that commands share: words that make it another one than before, and what is made anew. None:
# the clip is no source for it.
CHANGES = {
    "source": None, "width": (("128",), NOTHING), "height": (("96",), NOTHING), "pix-fmt": (("yuv420p",), NOTHING),
    "framerate": (("25",), ENCODE), "duration": (("0.25",), NOTHING), "start": (("0.05",), ENCODE), "length": (("0.1",), ENCODE),
    "stream": (("0",), NOTHING), "start-number": None, "errors": (("ignore",), ENCODE), "force-raw": None,
    "no-source-hash": ((), NOTHING), "auto-hdr": ((), NOTHING), "force-sdr": ((), NOTHING), "force-hdr-pq": ((), ENCODE),
    "force-hdr-hlg": ((), ENCODE), "pix-format": (("yuv444p",), ENCODE), "vfilter": (("hflip",), ENCODE),
    "reference-vfilter": None, "keyint": (("3",), ENCODE), "film-grain": None, "enc": (("tune=grain",), ENCODE),
    "enc-input": (("threads=1",), ENCODE), "audio": (("none",), NOTHING), "subs": (("none",), NOTHING),
    "extra": (("-tune", "--extra=film"), ENCODE), "ffmpeg-threads": (("1",), ENCODE), "two-pass": ((), ENCODE), "adapters": None,
    "ffmpeg": (("ffmpeg",), NOTHING), "model": (("vmaf_v0.6.1neg",), SCORE), "resolution-aware": ((), NOTHING),
    "no-resolution-aware": ((), NOTHING), "feature": (("psnr",), SCORE), "require": (("float_ssim.mean>=0",), SCORE),
    "pool": (("min",), NOTHING), "backend": (("cpu",), NOTHING), "threads": (("1",), NOTHING),
    "sample-clip-seconds": (("0.15",), ENCODE), "sample-windows": (("2",), NOTHING), "allow-frame-mismatch": ((), SCORE),
    "vmaf-bin": None, "jobs": (("2",), NOTHING), "step-timeout": (("100",), NOTHING), "encode-dir": (("made",), NOTHING),
    "keep-encodes": None, "work-dir": (("work",), NOTHING), "cache-dir": None, "no-cache": ((), NOTHING),
    "cache-size": (("9",), NOTHING), "memory": (("1",), NOTHING), "dry-run": ((), NOTHING), "quiet": ((), NOTHING),
}


def check_keys(programs):
    """Each option that commands share makes anew what it changes, and nothing else."""
    make_source(programs)
    ffmpeg("-i", programs.path("interlaced.mkv"), "-frames:v", "6", "-c:v", "ffv1", programs.path("short.mkv"))
    for folder in ("made", "work"):
        os.mkdir(programs.path(folder))
    first = keys_of(programs)
    expect(len(first) == ENCODE, f"an encode and its scores are two documents, not {first}")
    expect(not keys_of(programs), "the same is measured anew")
    rows = [line.split("\t") for line in programs.run("--options", "corpus")[0].splitlines()]
    shared = {row[3].split("|")[0] for row in rows if row[1] in ("Source", "Encoding", "Scoring", "Work")}
    expect(shared == set(CHANGES), f"options without a row here, or rows without one: {shared ^ set(CHANGES)}")
    for name, (words, changes) in filter(lambda item: item[1], CHANGES.items()):
        option = (f"--{name}={words[0]}", *words[1:]) if words else (f"--{name}",)
        made = keys_of(programs, *option)
        expect(len(made) == changes, f"{option}: {len(made)} documents are new, not {changes}")
    chain = ("--vfilter", "yadif")
    expect(keys_of(programs, *chain) and keys_of(programs, *chain, "--reference-vfilter", "bwdif=0"), "filters of the reference")
    # Of frames without a header the rate is said nowhere else.
    ffmpeg("-i", programs.path("short.mkv"), "-f", "rawvideo", programs.path("short.yuv"))
    for rate in ("24", "25"):
        made = keys_of(programs, "--width", "128", "--height", "96", "--framerate", rate, source="short.yuv")
        expect(len(made) == ENCODE, f"raw video at {rate}: {made}")


def check_grain(programs):
    need_encoder("libsvtav1")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=128x96:rate=24,noise=alls=20:allf=t:all_seed=5,trim=end_frame=24", "-c:v", "ffv1",
           "-pix_fmt", "yuv420p", programs.path("noise.mkv"))
    programs.write("adapters.json", json.dumps(ADAPTERS))
    row = programs.json("corpus", "--src", "noise.mkv", "--encoder", "libsvtav1", "--preset", "veryfast", "--crf", "40",
                        "--film-grain", "25", "--keep-encodes", "--encode-dir", "kept", "--no-cache", "--output", "-")
    expect("scored without the film grain" in programs.said, programs.said)
    path = programs.path(row["encode_path"])
    for name, options in (("without.y4m", ("-export_side_data", "film_grain")), ("with.y4m", ())):
        ffmpeg(*options, "-i", path, "-strict", "-1", "-pix_fmt", "yuv420p10le", programs.path(name))
    plain, grainy = (mean(programs, programs.path("noise.mkv"), programs.path(name)) for name in ("without.y4m", "with.y4m"))
    expect(plain != grainy, "there is no grain")
    expect(row["vmaf_score"] == plain, f"{row['vmaf_score']!r}, not {plain!r}")
    both = [mean(programs, "noise.mkv", path, *words)
            for words in (("--no-film-grain",), ())]
    expect(both == [plain, grainy], f"{both}, not {plain}, {grainy}")


main({"crop": lambda programs: check_null(programs, ("crop", "transpose", "moving")),
      "deinterlaced": lambda programs: check_null(programs, ("yadif", "bwdif", "double")),
      "times": lambda programs: check_null(programs, ("fps", "decimate")),
      "samples": lambda programs: [check_samples(programs, name) for name in ("crop", "moving", "bwdif", "fps")],
      "transport": lambda programs: [check_samples(programs, name, "film.ts") for name in ("transpose", "double")],
      "scores": check_scores, "kinds": check_kinds, "options": check_options, "keys": check_keys, "grain": check_grain})
