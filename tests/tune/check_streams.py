#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What is beside the video: check_streams.py SUBJECT VMAF_TUNE VMAF

Subtitles, attachments, covers and data streams are kept, converted, or said to be left out, and what an output cannot hold
is found before the first encode. ffprobe tells what came of it.
"""
import os

from tune_program import expect, ffmpeg, main, make_clip, probe

TITLES = "1\n00:00:00,200 --> 00:00:00,800\nFirst line.\n\n2\n00:00:01,200 --> 00:00:01,700\nSecond line.\n"
TEXTS = ["First line.", "Second line."]
CRFS = ("--preset", "ultrafast", "--target-vmaf", "50", "--crf-min", "30", "--crf-max", "31")

# Writes down that an encode of the film was begun.
WATCHER = """
case " $* " in *odd.mkv*" -crf "*) : >LOG ;; esac
exec ffmpeg "$@"
"""

# Has no room for the frame that is encoded first.
FULL = """
case " $* " in *" -t 0.1 "*) echo '[error] full.mp4: No space left on device' >&2; exit 1 ;; esac
exec ffmpeg "$@"
"""

# Complains about the streams of one output, then neither ends nor says more; with the other it is only slow.
HANGING = """
case " $* " in
*" -t 0.1 "*webm*) printf 'Svt[info]: 1\\n[webm @ 0] [error] WebM has no AAC\\n' >&2; exec sleep 100 ;;
*" -t 0.1 "*) echo 'Svt[info]: 1' >&2; exec sleep 100 ;;
esac
exec ffmpeg "$@"
"""


def streams_of(programs, name):
    """(kind, codec) of each stream but the sound."""
    return [(stream["codec_type"], stream.get("codec_name")) for stream in probe(programs.path(name), "-show_streams")["streams"]
            if stream["codec_type"] != "audio"]


def texts_of(programs, name):
    text = ffmpeg("-i", programs.path(name), "-map", "0:s:0", "-f", "srt", "-").decode()
    return [line for line in text.splitlines() if line.endswith("line.")]


def make_films(programs):
    make_clip(programs.path("silent.mkv"))
    programs.write("titles.srt", TITLES)
    with open(programs.path("font.ttf"), "wb") as file:
        file.write(bytes(range(256)))
    ffmpeg("-i", programs.path("silent.mkv"), "-frames:v", "1", programs.path("cover.png"))
    ffmpeg("-i", programs.path("silent.mkv"), "-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264", "-crf", "12", "-c:a", "aac",
           programs.path("film.mkv"))
    film, titles = programs.path("film.mkv"), programs.path("titles.srt")
    attached = ("-attach", programs.path("font.ttf"), "-metadata:s:t:0", "mimetype=application/x-truetype-font")
    for name, more in (("srt.mkv", ("-c:s", "srt", *attached)), ("ass.mkv", ("-c:s", "ass")), ("text.mp4", ("-c:s", "mov_text"))):
        ffmpeg("-i", film, "-i", titles, "-map", "0", "-map", "1", "-c", "copy", *more, programs.path(name))
    ffmpeg("-i", film, "-i", programs.path("cover.png"), "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:1",
           "attached_pic", programs.path("cover.mp4"))
    ffmpeg("-i", film, "-map", "0", "-c", "copy", "-timecode", "01:00:00:00", programs.path("timecode.mov"))


def check_profile(programs):
    make_films(programs)
    text = programs.run("bisect", "--src", "film.mkv", *CRFS, "--format", "json", "-q")[0]
    programs.write("found.json", text)
    font, video = ("attachment", "ttf"), ("video", "h264")
    cases = (("srt.mkv", "out.mp4", [("subtitle", "mov_text")], "left out: attachments, such as fonts (1); subtitles that are "
                                                                "converted to mov_text: 1"),
             ("srt.mkv", "out.mkv", [("subtitle", "subrip"), font], ""),
             ("ass.mkv", "out.mp4", [("subtitle", "mov_text")], "converted to mov_text: 1"),
             ("ass.mkv", "out.mkv", [("subtitle", "ass")], ""),
             ("text.mp4", "out.mkv", [("subtitle", "subrip")], "converted to srt: 1"),
             ("text.mp4", "out.mp4", [("subtitle", "mov_text")], ""),
             ("cover.mp4", "out.mp4", [], "left out: cover art (1)"),
             ("timecode.mov", "out.mkv", [], "left out: data streams (1)"))
    for source, made, others, words in cases:
        errors = programs.run("encode-profile", "--src", source, "--profile", "found.json", "-o", made, "--overwrite")[1]
        notes = [line for line in errors.splitlines() if "left out" in line or "converted" in line]
        expect(words in errors if words else not notes, f"{source} to {made}: {errors}")
        streams = streams_of(programs, made)
        expect(streams == [video, *others], f"{source} to {made}: {streams}")
        if others and source != "cover.mp4":
            expect(texts_of(programs, made) == TEXTS, f"{source} to {made}: {texts_of(programs, made)}")
    errors = programs.run("encode-profile", "--src", "srt.mkv", "--profile", "found.json", "-o", "out.mp4", "--overwrite",
                          "--video-only", "-q")[1]
    expect("left out" not in errors and streams_of(programs, "out.mp4") == [video], f"{errors}")


def check_others(programs):
    """Each subcommand that keeps them, and what is found before the first encode."""
    make_films(programs)
    errors = programs.run("auto", "--src", "text.mp4", *CRFS[:4], "--execute", "--runs-dir", "runs")[1]
    made = [name for name in os.listdir(programs.path("runs")) if name.endswith(".mkv")][0]
    expect(streams_of(programs, f"runs/{made}")[1:] == [("subtitle", "subrip")] and "converted to srt: 1" in errors, errors)
    for source, made, others in (("ass.mkv", "out.mp4", [("subtitle", "mov_text")]), ("text.mp4", "out.mkv", [("subtitle", "subrip")])):
        programs.run("tune-per-shot", "--src", source, *CRFS, "--execute", "-o", made, "-q")
        expect(streams_of(programs, made)[1:] == others, f"{source} to {made}: {streams_of(programs, made)}")
        expect(texts_of(programs, made) == TEXTS, f"{source} to {made}: {texts_of(programs, made)}")
    ffmpeg("-i", programs.path("film.mkv"), "-c:v", "copy", "-c:a", "adpcm_ms", programs.path("odd.mkv"))
    programs.script("watcher", WATCHER.replace("LOG", programs.path("log")))
    programs.write("row.json", programs.run("corpus", "--src", "film.mkv", "--crf", "30", "--preset", "ultrafast", "--output", "-", "-q")[0])
    for command in (("tune-per-shot", *CRFS, "--execute"), ("encode-profile", "--profile", "row.json")):
        errors = programs.run(*command, "--src", "odd.mkv", "-o", "odd.mp4", "-q", "--ffmpeg-bin", programs.path("watcher"),
                              status=2)[1]
        expect("odd.mp4 cannot hold the streams of the source" in errors, f"{command}: {errors}")
        expect(not os.path.exists(programs.path("log")), f"{command}: an encode was begun")
    errors = programs.run("encode", "film.mkv", "-o", "full.mp4", "--quality", "30", "--preset", "ultrafast", "--ffmpeg-bin",
                          programs.script("full", FULL), status=1)[1]
    expect("No space left on device" in errors and "cannot hold" not in errors, f"{errors}")


def check_part(programs):
    """Subtitles are kept whole or not at all: with a part of the film that is said."""
    make_films(programs)
    for source, more, wanted in (("srt.mkv", ("--start", "0.4", "--length", "1"), True), ("srt.mkv", (), False),
                                 ("srt.mkv", ("--start", "0.4", "--subs", "none"), False),
                                 ("film.mkv", ("--start", "0.4"), False)):
        errors = programs.run("encode", source, "-o", "part.mkv", "--overwrite", "--quality", "30", "--preset", "ultrafast",
                              *more)[1]
        expect(("subtitles that begin before the part" in errors) == wanted, f"{source} {more}: {errors}")
        if wanted:
            expect(texts_of(programs, "part.mkv") == TEXTS[1:], f"{texts_of(programs, 'part.mkv')}")


def check_odd_sizes(programs):
    """What can be encoded by a filter or in a pixel format alone is no fault of the container."""
    make_clip(programs.path("film.mkv"))
    ffmpeg("-i", programs.path("film.mkv"), "-vf", "scale=193:109", "-c:v", "ffv1", programs.path("odd.mkv"))
    how = ("encode", "odd.mkv", "--quality", "30", "--preset", "ultrafast", "-o")
    for made, size, more in (("cropped.mkv", (192, 108), ("--vfilter", "crop=192:108:0:0")),
                             ("whole.mkv", (193, 109), ("--pix-format", "yuv444p"))):
        programs.run(*how, made, *more)
        video = probe(programs.path(made), "-show_streams")["streams"][0]
        expect((video["width"], video["height"]) == size, f"{made}: {video}")
    errors = programs.run(*how, "none.mkv", status=1)[1]
    expect("not divisible by 2" in errors and "cannot hold" not in errors, f"{errors}")


def check_hanging(programs):
    """A trial that hangs is ended soon, and what it has said is told."""
    make_clip(programs.path("film.mkv"))
    how = ("--quality", "30", "--preset", "ultrafast", "--ffmpeg-bin", programs.script("hanging", HANGING))
    errors = programs.run("encode", "film.mkv", "-o", "film.webm", *how, status=2)[1]
    expect("film.webm cannot hold" in errors and "WebM has no AAC" in errors, f"{errors}")
    programs.run("encode", "film.mkv", "-o", "slow.mkv", *how)


def check_interlaced(programs):
    """Nothing makes fields of an encode's frames: whoever has some is told."""
    make_clip(programs.path("film.mkv"))
    ffmpeg("-i", programs.path("film.mkv"), "-vf", "interlace", "-c:v", "libx264", "-crf", "12", "-flags", "+ilme+ildct",
           programs.path("fields.mkv"))
    for name, wanted in (("film.mkv", False), ("fields.mkv", True)):
        errors = programs.run("bisect", "--src", name, *CRFS)[1]
        expect(("it is interlaced, and encodes are progressive" in errors) == wanted, f"{name}: {errors}")


main({"profile": check_profile, "others": check_others, "odd_sizes": check_odd_sizes,
      "hanging": check_hanging, "part": check_part, "interlaced": check_interlaced})
