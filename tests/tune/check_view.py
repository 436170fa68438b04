#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What is encoded is what is measured, whatever the source looks like: check_view.py SUBJECT VMAF_TUNE VMAF

The vmaf program scores the files, and other commands of ffmpeg make encodes of the same.
"""
import json
import os
import re
import shutil
import struct

from tune_program import expect, ffmpeg, main, make_clip, near, probe, run

DEPTHS = {8: "yuv420p", 10: "yuv420p10le", 12: "yuv420p12le"}


def score(programs, reference, distorted, *arguments):
    """The mean VMAF, all digits of it."""
    return programs.report(reference, distorted, *arguments)["pooled_metrics"]["vmaf"]["mean"]


def row(programs, source, *arguments):
    text, _ = programs.run("corpus", "--src", source, "--preset", "veryfast", "--no-cache", "--encode-dir", "kept",
                           "--keep-encodes", "--output", "-", *arguments)
    return json.loads(text)


# -- depth --


def depths_of(encoder):
    text = run("ffmpeg", "-hide_banner", "-h", f"encoder={encoder}", status=None)[0].decode()
    formats = re.search(r"Supported pixel formats: (.*)", text)
    return [depth for depth, name in DEPTHS.items() if formats and name in formats.group(1).split()]


def several_depths(programs):
    """Encodes of one source, of which the second has more bits than the others."""
    program = programs.telling_ffmpeg("-crf 41", "-pix_fmt", "yuv420p10le")
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
        make_clip(programs.path(source), "-pix_fmt", DEPTHS[source_bits], frames=8)
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
    make_clip(programs.path("rgb.mkv"), "-pix_fmt", "gbrp", frames=8)
    program = programs.telling_ffmpeg("-crf 31", "-colorspace", "bt709")
    text, _ = programs.run("corpus", "--src", "rgb.mkv", "--encoder", "libx264", "--preset", "veryfast", "--crf", "30,31,32",
                           "--extra", "-pix_fmt", "--extra", "yuv444p", "--no-cache", "--encode-dir", "kept",
                           "--keep-encodes", "--output", "-", "--ffmpeg-bin", program)
    for made in map(json.loads, text.splitlines()):
        matrix = "bt709" if made["crf"] == 31 else "bt601"
        for name, source, chosen in (("a.y4m", "rgb.mkv", chain.format(matrix)), ("b.y4m", made["encode_path"], "null")):
            ffmpeg("-i", programs.path(source), "-vf", chosen, "-sws_flags",
                   "bicubic+accurate_rnd+bitexact", programs.path(name))
        truth = score(programs, "a.y4m", "b.y4m")
        expect(made["vmaf_score"] == truth, f"RGB beside {matrix} has VMAF {made['vmaf_score']!r}, not {truth!r}")


def full_range(programs):
    """A Y4M source whose header tells that it has full range."""
    path = programs.path("full.y4m")
    make_clip(programs.path("full.mkv"), "-pix_fmt", "yuv420p", "-color_range", "pc", frames=8)
    ffmpeg("-i", programs.path("full.mkv"), path)
    with open(path, "rb") as file:
        line, frames = file.read().split(b"\n", 1)
    words = [word for word in line.split() if not word.startswith(b"XCOLORRANGE")]
    with open(path, "wb") as file:
        file.write(b" ".join([*words, b"XCOLORRANGE=FULL"]) + b"\n" + frames)
    made = row(programs, "full.y4m", "--encoder", "libx264", "--crf", "30")
    for name, source in (("a.y4m", "full.mkv"), ("b.y4m", made["encode_path"])):
        ffmpeg("-i", programs.path(source), programs.path(name))
    truth = score(programs, "a.y4m", "b.y4m")
    expect(made["vmaf_score"] == truth, f"Y4M of full range has VMAF {made['vmaf_score']!r}, not {truth!r}")


# -- orientation --

# As EXIF numbers them: x is shown at a x + c y, y at b x + d y.
MATRICES = {1: (1, 0, 0, 1), 2: (-1, 0, 0, 1), 3: (-1, 0, 0, -1), 4: (1, 0, 0, -1),
            5: (0, 1, 1, 0), 6: (0, 1, -1, 0), 7: (0, -1, -1, 0), 8: (0, -1, 1, 0)}
WIDTH, HEIGHT = 160, 96
TARGET = 80


def turned(plain, matrix, path):
    """The MP4 file with another matrix for each track; FFmpeg 5.1 writes no mirrored ones."""
    with open(plain, "rb") as file:
        data = bytearray(file.read())
    at, one = data.find(b"tkhd"), 1 << 16
    while at >= 0:
        end = at - 4 + struct.unpack_from(">I", data, at - 4)[0]
        a, b, c, d = (int(one * value) for value in matrix)
        data[end - 44:end - 8] = struct.pack(">9i", a, b, 0, c, d, 0, WIDTH * one * (a + c < 0), HEIGHT * one * (b + d < 0),
                                             1 << 30)
        at = data.find(b"tkhd", end)
    with open(path, "wb") as file:
        file.write(data)


def video_of(path):
    streams = probe(path, "-select_streams", "v", "-show_streams")["streams"]
    expect(len(streams) == 1, f"{path} has {len(streams)} video streams")
    return streams[0]


def expect_upright(programs, name, size, source, *said):
    """A written video has its pixels as they are shown, and no word of turning them. `said`: for vmaf."""
    video = video_of(programs.path(name))
    turned = [data for data in video.get("side_data_list", []) if data.get("rotation")]
    expect((video["width"], video["height"]) == size and not turned,
           f"{source}: {name} has {video['width']}x{video['height']}, {turned}")
    expect(score(programs, source, name, *said) >= TARGET, f"{source}: {name} does not look like it")


def expect_found(source, command, vmaf):
    expect(vmaf is not None and vmaf >= TARGET, f"{command} of {source}: VMAF {vmaf}")


def replayed(programs, found, *more):
    """What encodes this result again, at whatever quality."""
    programs.write("profile.json", json.dumps(found))
    said = programs.run("encode-profile", "--profile", "profile.json", "-o", "again.mkv", "--dry-run", *more)[0]
    return re.sub(r"-crf [0-9]+", "-crf", said)


def subcommands(programs, source, size, more=(), said=()):
    """Each one finds an encode that looks like the source; those that write it write it upright. `more` is told to them of
    the source, `said` to vmaf; without it, containers differ as well."""
    common = ("--src", source, "--preset", "veryfast", "--target-vmaf", str(TARGET), *more)
    found = programs.json("bisect", *common, "--format", "json")
    expect_found(source, "bisect", found["measured_vmaf"])
    truth = replayed(programs, found, *more)
    expect(replayed(programs, found) == truth, f"{source}: another video than {more} is encoded again")
    for extension in ("mkv",) if more else ("mkv", "mp4"):
        for kept in ((),) if more else ((), ("--video-only",)):
            programs.run("encode-profile", "--profile", "profile.json", "-o", f"profile.{extension}", "--overwrite", "--verify",
                         *kept)
            expect_upright(programs, f"profile.{extension}", size, source, *said)
        programs.run("tune-per-shot", *common, "--execute", "--overwrite", "-o", f"shots.{extension}")
        expect_upright(programs, f"shots.{extension}", size, source, *said)
    compared = programs.json("compare", *common, "--encoders", "libx264", "--format", "json")
    expect_found(source, "compare", compared["rows"][0]["vmaf_score"])
    sampled = programs.json("fast", *common, "--proxy-tolerance", "100")
    expect_found(source, "fast", sampled["verify_vmaf"])
    chosen = programs.json("recommend", *common, "--json")
    for made in (compared, sampled, chosen):
        expect(replayed(programs, made) == truth, f"{source}: another video than {more} is encoded again: {made}")
    programs.run("auto", *common, "--execute")
    made = programs.rows("runs/tune_results.jsonl")[-1]
    expect_found(source, "auto", made["vmaf_score"])
    expect_upright(programs, made["encode_path"], size, source, *said)
    for shot in programs.json("predict", "--src", source, "--target-vmaf", str(TARGET), "--per-shot", *more)["shots"]:
        expect_found(source, "predict", shot["measured_vmaf"])
    rungs = programs.json("ladder", "--src", source, "--preset", "veryfast", "--resolutions", f"{size[0]}x{size[1]}",
                          "--target-vmafs", str(TARGET), "--quality-tiers", "1", "--format", "json", *more)["renditions"]
    for rung in rungs:
        expect_found(source, "ladder", rung["vmaf"])


def orientation(programs, thorough=False):
    """Videos of phones: turned and mirrored."""
    plain = programs.path("plain.mp4")
    make_clip(programs.path("plain.mkv"), size=f"{WIDTH}x{HEIGHT}", frames=6)
    ffmpeg("-i", programs.path("plain.mkv"), "-c:v", "libx264", "-crf", "12", plain)
    oblique = programs.path("oblique.mp4")
    turned(plain, (0.8, 0.6, -0.6, 0.8), oblique)
    said = programs.run("corpus", "--src", oblique, "--crf", "24", "--no-cache", "--output", "-", status=2)[1]
    expect("multiple of 90 degrees" in said, f"an oblique video: {said}")
    for number, matrix in MATRICES.items():
        source, upright = f"o{number}.mp4", f"u{number}.mkv"
        size = (WIDTH, HEIGHT) if matrix[0] else (HEIGHT, WIDTH)
        turned(plain, matrix, programs.path(source))
        ffmpeg("-i", programs.path(source), "-c:v", "ffv1", programs.path(upright))
        made, truth = (row(programs, name, "--crf", "24") for name in (source, upright))
        for key in ("vmaf_score", "stream_size_bytes", "width", "height"):
            expect(made[key] == truth[key], f"{source}: {key} is {made[key]}, not {truth[key]}")
        expect_upright(programs, made["encode_path"], size, source)
        if thorough or number == 7:
            subcommands(programs, source, size)


# -- files that ffmpeg cannot read --


def long_headers(programs):
    """Y4M with comments that are longer than ffmpeg allows."""
    plain = programs.path("plain.y4m")
    make_clip(programs.path("s.mkv"), "-pix_fmt", "yuv420p", frames=8)
    ffmpeg("-i", programs.path("s.mkv"), plain)
    with open(plain, "rb") as file:
        line, frames = file.read().split(b"\n", 1)
    for name, begin, rest in (("header.y4m", line + b" XCOMMENT=" + b"a" * 300, frames),
                              ("frame.y4m", line, frames.replace(b"FRAME\n", b"FRAME XCOMMENT=" + b"a" * 150 + b"\n"))):
        with open(programs.path(name), "wb") as file:
            file.write(begin + b"\n" + rest)
        made = row(programs, name, "--encoder", "libx264", "--crf", "35")
        truth = score(programs, plain, made["encode_path"])
        expect(made["vmaf_score"] == truth, f"{name} has VMAF {made['vmaf_score']!r}, not {truth!r}")
        expect(made["src"] == name, f"{name} is called {made['src']}")


# -- what is said --


def messages(programs):
    """Of pictures that are too small, sources without a picture, encodes that lack something, and of a cache."""
    make_clip(programs.path("tiny.mkv"), size="16x16", frames=4)
    make_clip(programs.path("s.mkv"), frames=4)
    programs.write("file", "no folder")
    search = ("bisect", "--encoder", "libx264", "--preset", "veryfast", "--target-vmaf", "90")
    said = programs.run(*search, "--src", "tiny.mkv", "--no-cache", status=None)[1]
    expect("cannot score pictures of 16x16 samples" in said, said)
    said = programs.run(*search, "--src", "s.mkv", "--cache-dir", "file/cache", status=None)[1]
    expect("--cache-dir names another folder, --no-cache does without" in said, said)
    for name, text in (("empty.y4m", ""), ("empty.mkv", ""), ("broken.y4m", "YUV4MPEG2 W64\n")):
        programs.write(name, text)
        said = programs.run(*search, "--src", name, status=2)[1]
        expect(said.startswith(f"vmaf-tune bisect: {name}: The ") and said.count("\n") == 1, said)
    ffmpeg("-i", programs.path("s.mkv"), "-pix_fmt", "yuv420p", programs.path("s.y4m"))
    programs.write("notes.txt", "no video\n" * 40)
    programs.write("notes", "no video\n" * 40)
    for name, more, says in (("notes.txt", (), "has to be described: --force-raw --width N --height N --pix-fmt NAME\n"),
                             ("notes", (), "has to be described: --force-raw --width N --height N --pix-fmt NAME\n"),
                             ("s.mkv", ("--stream", "9"), "there is no video stream 9; it has 1\n"),
                             ("s.y4m", ("--stream", "9"), "there is no video stream 9; it has 1\n"),
                             ("s.mkv", ("--vfilter", "null,corp=9:9"), 'this ffmpeg has no filter "corp" (ffmpeg -filters'),
                             ("s.mkv", ("--vfilter", "hqdn3d"), 'is to be filtered by "hqdn3d" as well is not known: give')):
        said = programs.run(*search, "--src", name, *more, status=2)[1]
        expect(says in said and said.count("\n") == 1, said)
    # What of the source has no room in its encodes is said once.
    ffmpeg("-i", programs.path("s.mkv"), "-vf", "format=yuva444p", "-c:v", "ffv1", programs.path("rich.mkv"))
    for words, says in (((), "encodes are yuv444p: they lack alpha\n"),
                        (("--pix-format", "yuv420p"), "encodes are yuv420p: they lack alpha and part of the chroma\n"),
                        (("--pix-format", "yuv422p", "--vfilter", "format=yuv422p"), "encodes are yuv422p: they lack alpha")):
        said = programs.run("corpus", "--src", "rich.mkv", "--preset", "ultrafast", "--crf", "30,31", "--no-cache", "--output",
                            "-", *words)[1]
        expect(said.count("they lack") == 1 and says in said, said)
    # Frames that are equal have an infinite score, which reaches every condition.
    made = programs.json("encode", "s.mkv", "-o", "same.mkv", "--encoder", "libx264", "--preset", "ultrafast", "--quality", "0",
                         "--target", "ciede2000=150", "--json", "--overwrite")
    expect(made["answer"]["scores"]["ciede2000"]["mean"] == 200, made["answer"])


# -- streams --


def make_streams(programs):
    """Files with several videos, of which FFmpeg chooses another than the first, or the first of no larger ones."""
    def path(name):
        return programs.path(name)
    make_clip(path("small.mkv"), size="160x96", frames=8)
    make_clip(path("large.mkv"), size="192x112", frames=8)
    ffmpeg("-i", path("large.mkv"), "-vf", "hflip,negate", "-c:v", "ffv1", path("other.mkv"))
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=480x360", "-frames:v", "1", path("cover.png"))
    both = ("-map", "0:v", "-map", "1:v", "-c:v", "ffv1")
    second = ("-disposition:v:0", "0", "-disposition:v:1", "default")
    for name, videos, arguments in (
            ("two.mkv", ("small.mkv", "large.mkv"), (*both, *second)),
            ("first.mkv", ("small.mkv", "large.mkv"), (*both, "-disposition:v:0", "default", "-disposition:v:1", "0")),
            ("twins.mkv", ("other.mkv", "large.mkv"), (*both, *second)),
            ("programs.ts", ("small.mkv", "large.mkv"), ("-map", "0:v", "-map", "1:v", "-c:v", "libx264", "-crf", "12",
                                                         "-program", "title=a:st=0", "-program", "title=b:st=1")),
            ("cover.mp4", ("cover.png", "small.mkv"), ("-map", "0:v", "-map", "1:v", "-c:v:0", "mjpeg", "-c:v:1", "libx264",
                                                       "-crf:v:1", "12", "-disposition:v:0", "attached_pic"))):
        ffmpeg("-i", path(videos[0]), "-i", path(videos[1]), *arguments, path(name))
    return ("two.mkv", "first.mkv", "twins.mkv", "programs.ts", "cover.mp4")


def streams(programs):
    """The stream that FFmpeg chooses, or the one that is named."""
    truths = {}
    for source in make_streams(programs):
        path = programs.path(source)
        videos = probe(path, "-select_streams", "V", "-show_entries", "stream=width,height,index")["streams"]
        choices = [(), *((str(number),) for number in range(len(videos)))]
        for choice in choices:
            # Without -map, ffmpeg chooses; else V leaves out pictures that are attached.
            ffmpeg("-i", path, *(("-map", f"0:V:{choice[0]}") if choice else ()), "-c:v", "ffv1", "-an",
                   programs.path("chosen.mkv"))
            made = row(programs, source, "--crf", "30", *(("--stream", choice[0]) if choice else ()))
            with open(programs.path("chosen.mkv"), "rb") as file:
                chosen = file.read()
            if chosen not in truths:
                truths[chosen] = row(programs, "chosen.mkv", "--crf", "30")
            truth = truths[chosen]
            if choice:
                size = (videos[int(choice[0])]["width"], videos[int(choice[0])]["height"])
                expect((made["width"], made["height"]) == size, f"{source} {choice}: {made['width']}x{made['height']}")
            for key in ("vmaf_score", "stream_size_bytes", "width", "height", "frames"):
                expect(made[key] == truth[key], f"{source} {choice}: {key} is {made[key]}, not {truth[key]}")
    said = programs.run("corpus", "--src", "two.mkv", "--stream", "2", "--crf", "30", "--output", "-", status=2)[1]
    expect("there is no video stream 2; it has 2" in said, f"a stream that is not there: {said}")
    subcommands(programs, "twins.mkv", (192, 112), ("--stream", "0"), ("--stream-ref", "0"))


# -- pictures with numbers --


def sequences(programs):
    """They begin anywhere. The truth are the same ones, numbered from 0 on."""
    def path(name):
        return programs.path(name)
    make_clip(path("s.mkv"), size="160x96", frames=12)
    ffmpeg("-i", path("s.mkv"), "-start_number", "101", path("c_%04d.png"))
    for number in range(101, 125):
        shutil.copy(path(f"c_{number:04}.png"), path(f"all_{number - 101}.png"))
        if number >= 106:
            shutil.copy(path(f"c_{number:04}.png"), path(f"part_{number - 106}.png"))
    for told, same, frames in (((), "all_%d.png", 24), (("--start-number", "106"), "part_%d.png", 19)):
        for more in ((), ("--framerate", "30"), ("--sample-clip-seconds", "0.4", "--sample-windows", "2"),
                     ("--framerate", "30", "--sample-clip-seconds", "0.2")):
            made = row(programs, "c_%04d.png", "--crf", "30", *told, *more)
            truth = row(programs, same, "--crf", "30", *more)
            for key in ("vmaf_score", "stream_size_bytes", "frames", "framerate", "bitrate_kbps"):
                expect(made[key] == truth[key], f"{told} {more}: {key} is {made[key]}, not {truth[key]}")
            expect("--sample-clip-seconds" in more or made["frames"] == frames, f"{told}: {made['frames']} frames")
    subcommands(programs, "c_%04d.png", (160, 96), told, told)
    said = programs.run("sample", "c_%04d.png", "--quality", "30", "--max-encoded-percent", "1")[1]
    expect("--max-encoded-percent limits nothing" in said, said)
    # Each of them is part of what results are known by.
    search = ("corpus", "--src", "c_%04d.png", "--crf", "30", "--preset", "veryfast", "--cache-dir", "cache", "--output", "-")
    first, again = (programs.json(*search) for _ in range(2))
    shutil.copy(path("c_0101.png"), path("c_0124.png"))
    other = programs.json(*search)
    expect([made["cached"] for made in (first, again, other)] == [False, True, False], "a picture that has changed")


# -- files that end within a frame --


def damage(programs):
    """Captures that are cut: what ffmpeg makes of them is what is measured."""
    def path(name):
        return programs.path(name)
    make_clip(path("s.mkv"), size="160x96", frames=18)
    ffmpeg("-i", path("s.mkv"), "-c:v", "libx264", "-crf", "24", "-g", "12", path("s.mp4"))
    for name, arguments in (("cut.ts", ()), ("cut.mp4", ("-movflags", "faststart")),
                            ("fragments.mp4", ("-movflags", "frag_keyframe+empty_moov"))):
        ffmpeg("-i", path("s.mp4"), "-c", "copy", *arguments, path(name))
        with open(path(name), "r+b") as file:
            file.truncate(os.path.getsize(path(name)) * 2 // 3)
        said = programs.run("corpus", "--src", name, "--crf", "30", "--no-cache", "--output", "-", status=None)[1]
        expect("damaged" in said or "cut off" in said or "--errors ignore" in said, f"{name}: {said}")
        ffmpeg("-i", path(name), "-c:v", "libx264", "-preset", "veryfast", "-crf", "30", path("own.mkv"))
        frames = int(probe(path("own.mkv"), "-count_frames", "-show_entries",
                           "stream=nb_read_frames")["streams"][0]["nb_read_frames"])
        made = row(programs, name, "--encoder", "libx264", "--crf", "30", "--errors", "ignore")
        truth = score(programs, name, "own.mkv", "--errors", "ignore")
        expect(made["frames"] == frames < 36, f"{name}: {made['frames']} frames, not {frames}")
        # Threads make something else of what is missing.
        expect(near(made["vmaf_score"], truth, 0.5), f"{name} has VMAF {made['vmaf_score']!r}, not {truth!r}")
        told = ("--errors", "ignore")
        made = row(programs, name, "--crf", "30", *told, "--sample-clip-seconds", "0.4", "--sample-windows", "2")
        expect(made["vmaf_score"] > truth - 10, f"{name}: its windows have VMAF {made['vmaf_score']}")
    subcommands(programs, "cut.ts", (160, 96), told, told)


# With each subcommand for each of them, "orientations" takes longer.
main({"messages": messages, "long_headers": long_headers, "depth": depth, "rgb": rgb, "full_range": full_range,
      "orientation": orientation, "orientations": lambda programs: orientation(programs, True), "streams": streams,
      "sequences": sequences, "damage": damage})
