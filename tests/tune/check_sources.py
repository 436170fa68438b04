#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Kinds of sources through vmaf-tune encode, and through every command without loss: check_sources.py SUBJECT VMAF_TUNE VMAF

ffprobe tells what became of frames, times, streams and tags; the vmaf program scores what ffmpeg decodes, to the last digit.
What no encoder here writes is patched into the boxes of files.
"""
import array
import json
import os
import struct

from tune_program import chapters_of, encoders, expect, ffmpeg, main, near, probe, run

SIZE, FRAMES = (176, 144), 24
X264 = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "12")
TONE = ("-f", "lavfi", "-i", "sine=440:d=1")
FFV1 = {"format": 1, "encoders": [{
    "name": "ffv1", "codec": "ffv1", "row_version": "1", "installed_by": "any ffmpeg",
    "knob": {"name": "knob", "lowest": 0, "highest": 3, "default": 1, "better": "low"}, "presets": {"medium": "1"},
    "probe": {"preset": "medium", "q": 1}, "arguments": ["-c:v", "{encoder}", "-level", "3"],
    "quality": ["-metadata:s:v", "knob={q}"], "version": {"behind": ["Lavc"], "prefix": "ffv1-"}}]}


def pattern(pixels="yuv420p", size=SIZE, frames=FRAMES, rate="25", seed=1):
    return ("-f", "lavfi", "-i", f"testsrc2=s={size[0]}x{size[1]}:r={rate},format={pixels},noise=alls=10:allf=t:all_seed={seed},"
            f"trim=end_frame={frames},format={pixels}")


# -- boxes --

def patch(source, target, change):
    with open(source, "rb") as file:
        data = bytearray(file.read())
    change(data)
    with open(target, "wb") as file:
        file.write(data)


def turn(matrix):
    def change(data):
        at = data.find(b"tkhd")
        struct.pack_into(">9i", data, at + 8 + (32 if data[at + 4] else 20) + 16, *matrix)
    return change


QUARTER = turn((0, 65536, 0, -65536, 0, 0, SIZE[1] << 16, 0, 1 << 30))


def trim(frames, rate):
    """An edit list that leaves out frames at both ends, as phones do it."""
    def change(data):
        ticks, movie = (struct.unpack_from(">I", data, data.find(box) + 16)[0] for box in (b"mdhd", b"mvhd"))
        at = data.find(b"elst") + 12
        length, begin = struct.unpack_from(">Ii", data, at)
        struct.pack_into(">Ii", data, at, length - 2 * frames * movie // rate, begin + frames * ticks // rate)
    return change


def add_dolby_vision(profile, compatible):
    """A record behind the last box of the sample entry, and sizes around it."""
    def change(data):
        record = bytes([1, 0, profile << 1, 1 << 3 | 1 << 2 | 1, compatible << 4]) + bytes(19)
        box = struct.pack(">I", 8 + len(record)) + b"dvvC" + record
        begin = data.find(b"hvcC") - 4
        end = begin + struct.unpack_from(">I", data, begin)[0]
        for name in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"hvc1"):
            at = data.find(name) - 4
            struct.pack_into(">I", data, at, struct.unpack_from(">I", data, at)[0] + len(box))
        data[end:end] = box
    return change


# -- what others say --

def times_of(path, stream="V:0"):
    packets = probe(path, "-select_streams", stream, "-show_entries", "packet=pts_time,flags")["packets"]
    times = sorted(float(packet["pts_time"]) for packet in packets if "D" not in packet["flags"])
    return [time - times[0] for time in times]


def facts_of(path, *names):
    return [[stream.get(name) for name in names] for stream in
            probe(path, "-select_streams", "V", "-show_entries", "stream=" + ",".join(names))["streams"]]


def prepare(path, shift):
    """A Y4M file that says it is progressive, with so many bits more."""
    with open(path, "rb") as file:
        header, data = file.read().split(b"\n", 1)
    for fields in (b" It", b" Ib", b" Im"):
        header = header.replace(fields, b" Ip")
    if shift:
        header = header.replace(b"p10", b"p12")
        frames, size = [], len(data) // data.count(b"FRAME\n")
        for begin in range(0, len(data), size):
            samples = array.array("H", data[begin + 6:begin + size])
            frames.append(b"FRAME\n" + array.array("H", [sample << shift for sample in samples]).tobytes())
        data = b"".join(frames)
    with open(path, "wb") as file:
        file.write(header + b"\n" + data)


class Kinds:
    """Encodes of sources in a folder."""

    def __init__(self, programs):
        self.programs = programs

    def path(self, name):
        return self.programs.path(name)

    def make(self, name, *arguments):
        ffmpeg(*arguments, self.path(name))
        return name

    def encode(self, source, *more, output="out.mkv", status=0):
        return self.programs.json("encode", source, "-o", output, "--overwrite", "--quality", "30", "--target", "vmaf=1",
                                  "--json", *(() if "--encoder" in more else ("--preset", "ultrafast")), *more, status=status)

    def check(self, source, *more, output="out.mkv", stream="0:V:0", inputs=(), shift=0, timed=True):
        """The score is the one of what ffmpeg decodes; frames have the times that they had."""
        answer = self.encode(source, *more, output=output)["answer"]
        for name, words in (("reference.y4m", (*inputs, "-i", self.path(source), "-map", stream)),
                            ("distorted.y4m", ("-i", self.path(output), "-map", "0:V:0"))):
            ffmpeg(*words, "-fps_mode", "passthrough", "-strict", "-1", self.path(name))
            prepare(self.path(name), shift if name == "distorted.y4m" else 0)
        report = self.programs.report("reference.y4m", "distorted.y4m")
        truth = report["pooled_metrics"]["vmaf"]["mean"]
        expect(answer["scores"]["vmaf"]["mean"] == truth, f"{source}: {answer['scores']} is {truth!r}")
        if timed:
            before, after = times_of(self.path(source), stream[2:]), times_of(self.path(output))
            expect(len(before) == len(after) == len(report["frames"]), f"{source}: {len(after)} frames of {len(before)}")
            expect(all(near(a, b, 0.00101) for a, b in zip(before, after)), f"{source}: {after}, not {before}")
        return answer


def check_shapes(programs):
    kinds = Kinds(programs)
    kinds.make("plain.mp4", *pattern(), *X264)
    patch(kinds.path("plain.mp4"), kinds.path("turned.mp4"), QUARTER)
    kinds.check("turned.mp4")
    expect(facts_of(kinds.path("out.mkv"), "width", "height") == [[SIZE[1], SIZE[0]]], "it is not upright")
    variable = ("-vf", "settb=1/1000,setpts='if(lt(N,9),40*N,900+80*N)'", "-fps_mode", "passthrough", "-enc_time_base", "1/1000")
    for name in ("vary.mkv", "vary.mp4"):
        kinds.check(kinds.make(name, *pattern(), *variable, *X264, "-bf", "2"))
    fields = kinds.make("fields.mkv", *pattern(rate="50", frames=48), "-vf", "interlace", *X264, "-flags", "+ilme+ildct")
    kinds.check(fields)
    expect("it is interlaced" in programs.said, programs.said)
    kinds.check(kinds.make("wide.mkv", *pattern(), "-vf", "setsar=16/11", *X264))
    expect(facts_of(kinds.path("out.mkv"), "sample_aspect_ratio") == [["16:11"]], "other shapes of pixels")
    for frames in (1, 2):
        kinds.check(kinds.make("short.mkv", *pattern(frames=frames), *X264))
    odd = kinds.make("odd.mkv", *pattern("yuv444p", (175, 143)), "-pix_fmt", "yuv420p", "-c:v", "ffv1")
    programs.run("encode", odd, "-o", "no.mkv", "--quality", "30", status=1)
    expect("not divisible by 2" in programs.said, programs.said)
    kinds.check(kinds.make("odd444.mkv", *pattern("yuv444p", (175, 143)), "-c:v", "ffv1"))
    for lines, model in ((2158, "vmaf_v0.6.1"), (2160, "vmaf_4k_v0.6.1")):
        high = kinds.make("high.mkv", *pattern(size=(64, lines), frames=2), *X264)
        found = programs.json("sample", high, "--quality", "30", "--preset", "ultrafast", "--json")["request"]["model"]
        expect(found == model, f"{lines} lines: {found}")


def check_depths(programs):
    kinds = Kinds(programs)
    for pixels in ("yuv420p10le", "yuv422p", "yuv422p10le", "yuv444p"):
        kinds.check(kinds.make(f"{pixels}.mkv", *pattern(pixels), "-c:v", "ffv1"))
        expect(facts_of(kinds.path("out.mkv"), "pix_fmt") == [[pixels]], f"{facts_of(kinds.path('out.mkv'), 'pix_fmt')}")
    twelve = kinds.make("twelve.mkv", *pattern("yuv420p12le"), "-c:v", "ffv1")
    kinds.check(twelve, shift=2)  # x264 has 10 bits
    full = kinds.make("full.mov", *pattern("yuvj420p"), "-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p")
    kinds.check(full)
    expect(facts_of(kinds.path("out.mkv"), "color_range") == [["pc"]], "another range")


COLOURS = ("color_primaries", "color_transfer", "color_space", "color_range")
PQ = ["bt2020", "smpte2084", "bt2020nc", "tv"]
SCREEN = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"


def lights(path):
    """Mastering display and light levels of the first frame."""
    frame = probe(path, "-select_streams", "V:0", "-read_intervals", "%+#1", "-show_frames")["frames"][0]
    return sorted((data for data in frame.get("side_data_list", []) if "Mastering" in data["side_data_type"]
                   or "Content light" in data["side_data_type"]), key=lambda data: data["side_data_type"])


def make_hdr(kinds, name, transfer, light, spread=("limited", "tv")):
    return kinds.make(name, *pattern("yuv420p10le"), "-c:v", "libx265", "-preset", "ultrafast", "-crf", "15", "-x265-params",
                      f"repeat-headers=1:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc:range={spread[0]}:"
                      f"log-level=error{light}", "-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc",
                      "-color_range", spread[1], *(("-tag:v", "hvc1") if name.endswith("mp4") else ()))


def check_colours(programs):
    kinds = Kinds(programs)
    x265 = ("--encoder", "libx265", "--preset", "ultrafast")
    film = make_hdr(kinds, "pq.mp4", "smpte2084", f":master-display={SCREEN}:max-cll=1000,400")
    expect(len(lights(kinds.path(film))) == 2, "the source has no lights")
    for output in ("out.mkv", "out.mp4"):
        kinds.check(film, *x265, output=output)
        expect(facts_of(kinds.path(output), *COLOURS, "pix_fmt") == [[*PQ, "yuv420p10le"]], f"{output}: other colours")
        expect(lights(kinds.path(output)) == lights(kinds.path(film)), f"{output}: {lights(kinds.path(output))}")
        expect("has 8 bits" not in programs.said, programs.said)
    programs.run("encode", film, "-o", "eight.mkv", "--quality", "30", *x265, "--pix-format", "yuv420p")
    expect("is HDR, and --pix-format yuv420p has 8 bits" in programs.said, programs.said)
    kinds.check(film)
    expect(facts_of(kinds.path("out.mkv"), *COLOURS) == [PQ], "x264: other colours")
    with open(kinds.path("out.mkv"), "rb") as file: # FFmpeg 5 does not decode these messages of H.264
        data = file.read()
    expect(struct.pack(">HH", 1000, 400) in data and struct.pack(">I", 10000000) in data, "x264 has written no lights")
    kinds.check(make_hdr(kinds, "hlg.mkv", "arib-std-b67", ""), *x265)
    expect(facts_of(kinds.path("out.mkv"), *COLOURS) == [["bt2020", "arib-std-b67", "bt2020nc", "tv"]], "HLG: other colours")
    kinds.encode(make_hdr(kinds, "full.mkv", "smpte2084", "", ("full", "pc")), *x265)
    expect(facts_of(kinds.path("out.mkv"), *COLOURS) == [[*PQ[:3], "pc"]], f"full range: {facts_of(kinds.path('out.mkv'), *COLOURS)}")
    for profile, compatible in ((8, 1), (5, 0)):
        patch(kinds.path(film), kinds.path("dolby.mp4"), add_dolby_vision(profile, compatible))
        expect("DOVI" in json.dumps(probe(kinds.path("dolby.mp4"), "-show_streams")), "no Dolby Vision was made")
        programs.run("encode", "dolby.mp4", "-o", "no.mkv", "--quality", "30", status=2)
        expect("Dolby Vision" in programs.said and not os.path.exists(kinds.path("no.mkv")), programs.said)
        if compatible:
            kinds.check("dolby.mp4", *x265, output="out.mp4")
            expect("left out: Dolby Vision" in programs.said, programs.said)
            expect("DOVI" not in json.dumps(probe(kinds.path("out.mp4"), "-show_streams")), "it claims Dolby Vision")
            expect(lights(kinds.path("out.mp4")) == lights(kinds.path(film)), "other lights")
    programs.run("encode", "dolby.mp4", "-o", "no.mp4", "--quality", "30", status=2)


def said_of(path):
    """Kind, codec, language, title and what is set of all streams but pictures."""
    return [(stream["codec_type"], stream["codec_type"] != "video" and stream.get("codec_name"),
             stream.get("tags", {}).get("language"), stream.get("tags", {}).get("title"),
             [name for name, is_set in stream["disposition"].items() if is_set and stream["codec_type"] != "video"])
            for stream in probe(path, "-show_streams")["streams"] if not stream["disposition"]["attached_pic"]]


def check_streams(programs):
    kinds = Kinds(programs)
    words = programs.write("words.srt", "1\n00:00:00,100 --> 00:00:00,500\nwords\n")
    chapters = programs.write("chapters.txt", ";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\n"
                              "END=500\ntitle=zwölf\n")
    font = programs.write("a font.ttf", "a font")
    cover = kinds.path(kinds.make("cover.png", *pattern(frames=1, size=(96, 96)), "-frames:v", "1"))
    film = kinds.make("film.mkv", *pattern(), *TONE, *TONE, "-i", words, "-i", words, "-i", chapters, "-map", "0", "-map", "1",
                      "-map", "2", "-map", "3", "-map", "4", "-map_metadata", "5", "-attach", font, "-attach", cover,
                      "-metadata:s:t:0", "mimetype=font/ttf", "-metadata:s:t:1", "mimetype=image/png", *X264, "-c:a:0", "aac",
                      "-c:a:1", "ac3", "-c:s", "srt", "-metadata:s:v:0", "language=jpn", "-metadata:s:a:0", "language=ger",
                      "-metadata:s:a:1", "language=fra", "-metadata:s:a:1", "title=Words", "-metadata:s:s:0", "language=ger",
                      "-metadata:s:s:1", "language=eng", "-disposition:a:0", "0", "-disposition:a:1", "default",
                      "-disposition:s:0", "forced", "-disposition:s:1", "hearing_impaired")
    kinds.check(film)
    expect("left out: cover art (1)" in programs.said, programs.said)
    expect(said_of(kinds.path("out.mkv")) == said_of(kinds.path(film)), f"{said_of(kinds.path('out.mkv'))}")
    for said in (chapters_of, lambda path: probe(path, "-show_entries", "format_tags=title")):
        both = [said(kinds.path(name)) for name in (film, "out.mkv")]
        expect(both[0] == both[1], f"{both}")
    kinds.check(film, output="out.mp4")
    found = said_of(kinds.path("out.mp4"))
    expect([stream[2] for stream in found[:5]] == ["jpn", "ger", "fra", "ger", "eng"] and "forced" in found[3][4], f"{found}")
    several = kinds.make("several.mkv", *pattern(size=(160, 96)), *pattern(seed=2), "-map", "0", "-map", "1", *X264,
                         "-disposition:v:0", "0", "-disposition:v:1", "default")
    for more, stream in (((), "0:v:1"), (("--stream", "0"), "0:v:0")):
        kinds.check(several, *more, stream=stream)
        expect(len(facts_of(kinds.path("out.mkv"), "width")) == 1, "more than one video")


def check_containers(programs):
    kinds = Kinds(programs)
    kinds.make("upright.mov", *pattern(rate="30", frames=30), *TONE, *X264, "-bf", "2", "-c:a", "aac", "-timecode", "01:00:00:00")
    patch(kinds.path("upright.mov"), kinds.path("phone.mov"), QUARTER)
    expect("tmcd" in json.dumps(probe(kinds.path("phone.mov"), "-show_streams")), "there is no time code")
    for output in ("out.mkv", "out.mp4"):
        kinds.check("phone.mov", output=output)
        expect(facts_of(kinds.path(output), "width", "height") == [[SIZE[1], SIZE[0]]], "it is not upright")
    kinds.make("long.mov", *pattern(frames=30), *X264, "-bf", "0", "-g", "30")
    patch(kinds.path("long.mov"), kinds.path("trimmed.mov"), trim(5, 25))
    kinds.check("trimmed.mov", timed=False)
    expect(len(times_of(kinds.path("out.mkv"))) == 20, f"{len(times_of(kinds.path('out.mkv')))} frames, not 20")
    kinds.check(kinds.make("film.ts", *pattern(frames=30), *TONE, *X264, "-bf", "2", "-c:a", "mp2"))
    kinds.check(kinds.make("film.y4m", *pattern(), "-pix_fmt", "yuv420p"))
    raw = ("-f", "rawvideo", "-pix_fmt", "yuv422p10le")
    kinds.make("film.yuv", *pattern("yuv422p10le"), *raw)
    kinds.check("film.yuv", "--width", str(SIZE[0]), "--height", str(SIZE[1]), "--pix-fmt", "yuv422p10le", "--framerate", "25",
                inputs=(*raw, "-s", f"{SIZE[0]}x{SIZE[1]}", "-r", "25"), timed=False)
    kinds.make("picture_%03d.pgm", *pattern("gray"), "-start_number", "7")
    kinds.encode("picture_%03d.pgm")
    expect(len(times_of(kinds.path("out.mkv"))) == FRAMES, "other pictures")


# -- without loss --

def make_null(kinds):
    """Sources, what is told of them, and what ffmpeg is told to see the same frames. Noise makes all frames different."""
    kinds.programs.write("ffv1.json", json.dumps(FFV1))
    kinds.make("plain.mp4", *pattern(frames=48), *X264, "-bf", "2")
    patch(kinds.path("plain.mp4"), kinds.path("turned.mp4"), QUARTER)
    kinds.make("vary.mkv", *pattern(frames=48), "-vf", "settb=1/1000,setpts='if(lt(N,20),40*N,800+80*(N-20))'", "-fps_mode",
               "passthrough", "-enc_time_base", "1/1000", *X264, "-bf", "2")
    kinds.make("film.ts", *pattern(frames=48), *TONE, *X264, "-bf", "2", "-c:a", "mp2")
    kinds.make("deep.mkv", *pattern("yuv422p10le", frames=48), "-c:v", "ffv1")
    kinds.make("long.mov", *pattern(frames=58), *X264, "-bf", "0", "-g", "24")
    patch(kinds.path("long.mov"), kinds.path("trimmed.mov"), trim(5, 25))
    kinds.make("fields.mkv", *pattern(rate="50", frames=96), "-vf", "interlace", *X264, "-flags", "+ilme+ildct")
    kinds.make("several.mkv", *pattern(size=(160, 96), frames=48), *pattern(seed=2, frames=48), "-map", "0", "-map", "1", *X264)
    fields, crop = "yadif=0:-1:0", "crop=160:128:4:2"
    return (("turned.mp4", (), ()), ("vary.mkv", (), ()), ("film.ts", (), ()), ("deep.mkv", (), ()), ("trimmed.mov", (), ()),
            ("several.mkv", ("--stream", "0"), None), ("fields.mkv", ("--vfilter", fields), ("-vf", fields)),
            ("deep.mkv", ("--vfilter", crop), ("-vf", crop)))


class Null:
    """One source and a lossless encoder: what each command makes has the source's frames, and is without loss."""

    def __init__(self, kinds, source, told, seen):
        self.kinds, self.programs, self.source, self.told = kinds, kinds.programs, source, told
        self.pixels = facts_of(kinds.path(source), "pix_fmt")[0][0]
        selected = ("-map", "0:v:0") if seen is None else ("-map", "0:V:0")
        self.truth = self.hashes(source, *selected, *(seen or ()))
        expect(len(set(self.truth)) == len(self.truth) >= 48, f"{source}: frames are alike")

    def hashes(self, name, *more):
        lines = ffmpeg("-i", self.kinds.path(name), *(more or ("-map", "0:V:0")), "-fps_mode", "passthrough", "-pix_fmt",
                       self.pixels, "-f", "framemd5", "-").decode().splitlines()
        return [line.split(",")[-1].strip() for line in lines if not line.startswith("#")]

    def expect_whole(self, name, what):
        found = self.hashes(name)
        expect(found == self.truth, f"{what} of {self.source}: {len(found)} frames, not the {len(self.truth)} of the source")

    def runs(self, name, what):
        """First and number of frames that follow each other in the source."""
        runs = []
        for frame in self.hashes(name):
            expect(frame in self.truth, f"{what} of {self.source}: another frame")
            number = self.truth.index(frame)
            if runs and number == sum(runs[-1]):
                runs[-1][1] += 1
            else:
                runs.append([number, 1])
        return runs

    def command(self, name, *more, status=0):
        """Encodes that it has kept, and what it has printed."""
        for old in os.listdir(self.kinds.path("kept")) if os.path.isdir(self.kinds.path("kept")) else ():
            os.remove(self.kinds.path(f"kept/{old}"))
        text, _ = self.programs.run(name, "--src", self.source, "--adapters", "ffv1.json", *self.told, "--no-cache", "-q",
                                    *more, status=status)
        return sorted(os.listdir(self.kinds.path("kept"))) if "--keep-encodes" in more else (), text


KEPT = ("--encode-dir", "kept", "--keep-encodes")


def check_samples(null):
    """Each sample and its neighbours are one piece of the source."""
    one = ("--encoder", "ffv1", *KEPT)
    for name, more in (("search", ("--samples", "2", "--crf-max", "1")), ("sample", ("--samples", "2", "--quality", "1"))):
        kept, text = null.command(name, *one, "--sample-duration", "0.4", "--target", "psnr_y=60", "--json", *more)
        windows = json.loads(text)["request"]["samples"]
        expect(len(windows) == 2, f"{name} of {null.source}: {windows}")
        found = set()
        for path in kept:
            runs = null.runs(f"kept/{path}", name)
            expect(len(runs) == 1, f"{name} of {null.source}: {runs}")
            found |= {number for number, window in enumerate(windows) if runs[0][0] <= window["first_frame"] and
                      sum(runs[0]) >= window["first_frame"] + window["frames"]}
        expect(found == {0, 1}, f"{name} of {null.source}: a sample is missing")
        for measured in json.loads(text)["measurements"]:
            expect(measured["scores"]["psnr_y"]["min"] >= 60, f"{name} of {null.source}: {measured['scores']}")
    kept, text = null.command("corpus", *one, "--sample-clip-seconds", "0.4", "--sample-windows", "2", "--crf", "1", "-o", "-")
    runs = null.runs(f"kept/{kept[0]}", "corpus")
    expect(len(runs) == 2 and runs[0][1] == runs[1][1], f"corpus of {null.source}: {runs}")


def check_wholes(null):
    one = ("--encoder", "ffv1")
    null.command("encode", *one, "-o", "out.mkv", "--overwrite", "--quality", "1")
    null.expect_whole("out.mkv", "encode")
    size = "x".join(map(str, facts_of(null.kinds.path("out.mkv"), "width", "height")[0]))
    null.command("tune-per-shot", *one, "--execute", "-o", "out.mkv", "--overwrite", "--target-vmaf", "90", "--crf-min", "1",
                 "--crf-max", "2")
    null.expect_whole("out.mkv", "tune-per-shot")
    for name, more in (("bisect", (*one, "--target-vmaf", "90", "--crf-min", "1", "--crf-max", "2")),
                       ("corpus", (*one, "--crf", "1", "-o", "-")),
                       ("compare", ("--encoders", "ffv1", "--target-vmaf", "90", "--crf-min", "1", "--crf-max", "2")),
                       ("ladder", (*one, "--resolutions", size, "--target-vmafs", "90", "--quality-tiers", "1"))):
        kept, _ = null.command(name, *more, *KEPT)
        expect(kept, f"{name} of {null.source} has kept nothing")
        null.expect_whole(f"kept/{kept[0]}", name)


def check_null(programs, check, first=0, last=None):
    kinds = Kinds(programs)
    for source, told, seen in make_null(kinds)[first:last]:
        check(Null(kinds, source, told, seen))


main({"shapes": check_shapes, "depths": check_depths, "colours": check_colours, "streams": check_streams,
      "containers": check_containers, "samples": lambda programs: check_null(programs, check_samples, 0, 4),
      "samples_more": lambda programs: check_null(programs, check_samples, 4),
      "wholes": lambda programs: check_null(programs, check_wholes, 0, 3),
      "wholes_told": lambda programs: check_null(programs, check_wholes, 6),
      "wholes_more": lambda programs: check_null(programs, check_wholes, 3, 6)})
