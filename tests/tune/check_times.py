#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""When frames are shown: check_times.py SUBJECT VMAF_TUNE VMAF

Rates and times that vmaf-tune takes from files, and gives to those that it writes, are compared with what ffprobe finds in
them.
"""
import json
import os
import subprocess

from tune_program import encoders, expect, ffmpeg, main, make_clip, near, probe

# Thousandths of a second: 25 frames in a second, then 12.5, a pause, and 25 again.
VARIABLE = [40 * n for n in range(20)] + [800 + 80 * n for n in range(20)] + [9000 + 40 * n for n in range(20)]


def times_of(programs, name, kind="v:0"):
    packets = probe(programs.path(name), "-select_streams", kind, "-show_entries", "packet=pts_time,flags")["packets"]
    return sorted(float(packet["pts_time"]) for packet in packets if kind[0] != "v" or "D" not in packet["flags"])


def make_variable(programs):
    """60 frames of a clip, with a tone that begins a tenth of a second before them."""
    make_clip(programs.path("steady.mkv"), frames=30)
    table = "+".join(f"eq(N,{n})*{ms}" for n, ms in enumerate(VARIABLE))
    for name in ("vary.mkv", "vary.mp4"):
        ffmpeg("-i", programs.path("steady.mkv"), "-f", "lavfi", "-i", "sine=f=440:r=8000:d=10",
               "-vf", f"settb=1/1000,setpts='100+{table}'", "-fps_mode", "passthrough", "-enc_time_base", "1/1000",
               "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-bf", "2", "-crf", "12", "-c:a", "aac", programs.path(name))
        times = times_of(programs, name)
        # FFmpeg 7 does not show the last frame of such an MP4 file.
        expect(len(times) in (59, 60), f"{name}: {len(times)} frames")
        expect(all(near(1000 * (time - times[0]), ms, 0.6) for time, ms in zip(times, VARIABLE)), f"{name}: {times}")


def expect_times(programs, source, made, tick=0.001):
    """The same times since the file begins, rounded to the container's ticks."""
    begins, starts = [min(times_of(programs, name, kind)[0] for kind in ("v:0", "a:0")) for name in (source, made)]
    for kind in ("v:0", "a:0"):
        wanted, found = times_of(programs, source, kind), times_of(programs, made, kind)
        expect(len(wanted) == len(found), f"{made}, {kind}: {len(found)} packets of {len(wanted)}")
        apart = max(abs(a - begins - b + starts) for a, b in zip(wanted, found))
        expect(apart <= tick / 2 + 1e-6, f"{made}, {kind}: times are {apart} s apart")


# -- one rate, whatever the container says --

def patch(programs, source, target, mark, value):
    with open(programs.path(source), "rb") as file:
        film = bytearray(file.read())
    place = film.find(mark)
    expect(place >= 0, f"{source}: there is no {mark}")
    film[place + len(mark):place + len(mark) + len(value)] = value
    with open(programs.path(target), "wb") as file:
        file.write(film)


def check_rates(programs):
    make_clip(programs.path("lossless.mkv"))
    ffmpeg("-i", programs.path("lossless.mkv"), "-vf", "settb=1/30,setpts=N", "-r", "30", "-c:v", "libx264", "-crf", "12",
           programs.path("true.mkv"))
    ffmpeg("-i", programs.path("true.mkv"), "-c", "copy", programs.path("true.flv"))
    patch(programs, "true.mkv", "false.mkv", b"\x23\xe3\x83\x84", (1000000).to_bytes(4, "big"))
    patch(programs, "true.flv", "false.flv", b"\x00\x09framerate\x00", b"\x40\x8f\x40" + bytes(5))
    rates = [probe(programs.path(name), "-show_streams")["streams"][0]["avg_frame_rate"] for name in ("false.mkv", "false.flv")]
    expect(rates == ["1000/1", "1000/1"], f"the files are wrong in another way: {rates}")
    common = ("--crf", "24", "--preset", "ultrafast", "--output", "-", "--no-cache", "-q")
    rows = {name: programs.json("corpus", "--src", name, *common) for name in ("true.mkv", "false.mkv", "false.flv")}
    for name, row in rows.items():
        wanted = rows["true.mkv"]
        expect(row["framerate"] == 30 and near(row["duration_s"], 48 / 30), f"{name}: {row}")
        for key in ("bitrate_kbps", "vmaf_score"):
            expect(near(row[key], wanted[key]), f"{name}: {key} is {row[key]}, not {wanted[key]}")
    # The user knows better than the file, and than its times.
    row = programs.json("corpus", "--src", "false.mkv", "--framerate", "24000/1001", *common)
    expect(row["framerate"] == 24000 / 1001, f"{row['framerate']}")
    for name in ("out.mkv", "out.mp4"):
        programs.write("row.json", json.dumps(rows["false.mkv"]))
        programs.run("encode-profile", "--profile", "row.json", "-o", name, "-q")
        rate = probe(programs.path(name), "-show_streams")["streams"][0]["avg_frame_rate"]
        expect(rate == "30/1" and len(times_of(programs, name)) == 48, f"{name}: {rate}")


# -- times that vary --

def check_profile(programs):
    make_variable(programs)
    for source, encoder, crfs in (("vary.mkv", "libx265", (30, 31)), ("vary.mp4", "libx264", (27, 28))):
        if encoder not in encoders():
            print(f"without {encoder}")
            continue
        text = programs.run("bisect", "--src", source, "--encoder", encoder, "--preset", "ultrafast", "--target-vmaf", "50",
                            "--crf-min", str(crfs[0]), "--crf-max", str(crfs[1]), "--format", "json", "--keep-encodes",
                            "--encode-dir", "kept", "-q")[0]
        programs.write("found.json", text)
        expected = json.loads(text)["measured_vmaf"]
        for made in ("out.mkv", "out.mp4"):
            # What was measured is what is written: not another encode at a constant rate.
            result = programs.json("encode-profile", "--src", source, "--profile", "found.json", "-o", made, "--overwrite",
                                   "--verify", "--json", "-q")
            expect_times(programs, source, made)
            found = result["measurements"][0]
            expect(near(found["scores"]["vmaf"]["mean"], expected), f"{encoder}: {result}")
            times = times_of(programs, source)
            seconds = (times[-1] - times[0]) * len(times) / (len(times) - 1)
            expect(near(found["kbps"], found["video_bytes"] * 8 / 1000 / seconds, 1e-3), str(result))
        score = programs.score(programs.path(source), programs.path(made))
        expect(near(score, found["scores"]["vmaf"]["mean"], 1e-3), f"{made}: {score} {result}")
    for name in os.listdir(programs.path("kept")):
        expect(len(times_of(programs, os.path.join("kept", name))) >= 59, f"{name} has lost frames")


def check_auto(programs):
    make_variable(programs)
    programs.run("auto", "--src", "vary.mp4", "--preset", "ultrafast", "--target-vmaf", "85", "--execute", "--runs-dir", "runs",
                 "-q")
    made = [name for name in os.listdir(programs.path("runs")) if name.endswith(".mkv")]
    expect(len(made) == 1, str(made))
    expect_times(programs, "vary.mp4", os.path.join("runs", made[0]))


def check_shots(programs):
    make_variable(programs)
    for source, made in (("vary.mkv", "out.mp4"), ("vary.mp4", "out.mkv")):
        plan = programs.json("tune-per-shot", "--src", source, "--preset", "ultrafast", "--target-vmaf", "85", "--crf-min", "26",
                             "--crf-max", "28", "--execute", "-o", made, "-q")
        expect(len(plan["shots"]) > 1, str(plan["shots"]))
        expect_times(programs, source, made)  # segments are Matroska files, which count milliseconds
    score = programs.score(programs.path(source), programs.path(made))
    expect(near(score, plan["result"]["vmaf"], 1e-3), f"{made}: {score} {plan['result']}")
    # One shot, whose encode does not say how long its last frame is.
    ffmpeg("-i", programs.path("vary.mkv"), "-frames:v", "30", "-fps_mode", "passthrough", "-enc_time_base", "1/1000", "-c:v", "ffv1",
           "-c:a", "copy", programs.path("one.mkv"))
    plan = programs.json("tune-per-shot", "--src", "one.mkv", "--preset", "ultrafast", "--target-vmaf", "85", "--crf-min", "27",
                         "--crf-max", "27", "--execute", "-o", "one.mp4", "-q")
    expect(len(plan["shots"]) == 1, str(plan["shots"]))
    expect_times(programs, "one.mkv", "one.mp4")
    # Without the sound, which begins before the first frame, this is shown as late as it was.
    for made in ("alone.mkv", "alone.mp4"):
        common = ("vary.mkv", "--preset", "ultrafast", "--video-only", "-q")
        programs.run("shots", *common, "--min-vmaf", "85", "--crf-min", "27", "--crf-max", "27", "-o", made)
        programs.run("encode", *common, "--quality", "27", "--no-verify", "-o", "encode-" + made)
        found, wanted = times_of(programs, made), times_of(programs, "encode-" + made)
        expect(len(found) == len(wanted) and all(near(a, b, 0.0011) for a, b in zip(found, wanted)) and found[0] > 0.05,
               f"{made}: {found}, and encode has {wanted}")


def check_windows(programs):
    """Windows begin at 0 and follow each other at a frame's distance; times within are the source's."""
    make_variable(programs)
    programs.run("corpus", "--src", "vary.mkv", "--crf", "24", "--preset", "ultrafast", "--output", "rows.jsonl", "--no-cache",
                 "--sample-clip-seconds", "2", "--sample-windows", "2", "--keep-encodes", "--encode-dir", "kept", "-q")
    row, = programs.rows("rows.jsonl")
    made = os.path.join("kept", os.listdir(programs.path("kept"))[0])
    times = [round(1000 * time) for time in times_of(programs, made)]
    expect(times[0] == 0 and 4 < len(times) < 59, str(times))
    half, average = len(times) // 2, round(VARIABLE[-1] / 59)
    steps = [b - a for a, b in zip(times, times[1:])]
    known = {b - a for a, b in zip(VARIABLE, VARIABLE[1:])}
    expect(steps[half - 1] == average and set(steps[:half - 1] + steps[half:]) <= known, f"{steps} {row['clip_mode']}")


def check_keys(programs):
    """Windows do not begin where a container only says that there is a key frame."""
    make_clip(programs.path("lossless.mkv"))
    common = ("--crf", "20", "--preset", "ultrafast", "--output", "-", "--no-cache", "-q", "--sample-clip-seconds", "0.4",
              "--sample-windows", "2")
    for encoder in ("mpeg4", "libx264"):
        ffmpeg("-i", programs.path("lossless.mkv"), "-c:v", encoder, "-g", "250", "-pix_fmt", "yuv420p", "-b:v", "200k",
               programs.path("honest.mp4"))
        with open(programs.path("honest.mp4"), "rb") as file:
            film = file.read()
        expect(film.count(b"stss") == 1, f"{encoder}: {film.count(b'stss')} lists of key frames")
        with open(programs.path("lying.mp4"), "wb") as file:
            file.write(film.replace(b"stss", b"free"))
        rows = [programs.json("corpus", "--src", name, *common) for name in ("honest.mp4", "lying.mp4")]
        expect(rows[0]["frames"] == 10 and rows[1]["frames"] == 10, f"{encoder}: {[row['frames'] for row in rows]}")
        expect(near(rows[0]["vmaf_score"], rows[1]["vmaf_score"]), f"{encoder}: {[row['vmaf_score'] for row in rows]}")


# -- files that are cut, though ffmpeg says that all is well --

CUTTER = """
ffmpeg "$@" || exit
for out; do :; done
out=${out#file:}
case $out in *WHICH*) size=$(wc -c <"$out"); head -c $((size * 7 / 10)) "$out" >"$out.cut" && mv "$out.cut" "$out" ;; esac
"""

PER_SHOT = ("tune-per-shot", "--src", "film.mkv", "--preset", "ultrafast", "--target-vmaf", "80", "--no-cache", "--execute",
            "--segment-dir", "segments", "-q")

HURRIER = """
n=$# i=0
while [ $i -lt $n ]; do word=$1; shift; i=$((i + 1)); [ $i != $n ] || set -- "$@" -bsf:v setts=ts=TS/2; set -- "$@" "$word"; done
exec ffmpeg "$@"
"""


def expect_refused(programs, program, words, *arguments):
    """Status 1, words on standard error; what was there is there, and nothing else."""
    programs.script("bad_ffmpeg", program)
    before = sorted(os.listdir(programs.folder))
    errors = programs.run(*arguments, "--ffmpeg-bin", programs.path("bad_ffmpeg"), status=1)[1]
    expect(all(word in errors for word in words), f"{arguments}: {errors}")
    after = sorted(os.listdir(programs.folder))
    expect(after == before, f"{arguments}: {set(after) ^ set(before)} came or went")


def check_cut(programs):
    make_clip(programs.path("film.mkv"))
    common = ("--crf", "24", "--preset", "ultrafast", "--output", "-", "--no-cache", "-q")
    programs.write("row.json", programs.run("corpus", "--src", "film.mkv", *common)[0])
    for name, found in (("out.mkv", "frame_count_mismatch"), ("out.mp4", "cannot be read")):
        programs.write(name, "as it was")
        encode = ("encode-profile", "--profile", "row.json", "-o", name, "--overwrite", "-q", "--no-cache")
        expect_refused(programs, CUTTER.replace("WHICH", "/video."), [found], *encode)
        # After 0.979 s, or 1.000 s where "setts" leaves the duration of the last frame.
        expect_refused(programs, HURRIER, ["has made ends after", " s, and the source after 1.958 s"], *encode)
        expect(programs.text(name) == "as it was", f"{name} was changed")
        os.remove(programs.path(name))
    os.mkdir(programs.path("segments"))  # stays for who wants to know
    for which in ("/video.", "out."):  # an encode, and what joins them
        expect_refused(programs, CUTTER.replace("WHICH", which), ["frame_count_mismatch"], *PER_SHOT, "--crf-min", "26",
                       "--crf-max", "27", "-o", "out.mkv")
    check_full_disk(programs)


def check_full_disk(programs):
    disk = programs.path("disk")
    os.mkdir(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "none", disk], capture_output=True, check=False)
    if mounted.returncode:
        print(f"without a full disk: {mounted.stderr.decode().strip()}")
        return
    try:
        for name in ("disk/out.mkv", "disk/out.mp4"):
            errors = programs.run("encode-profile", "--profile", "row.json", "--extra", "-crf", "--extra", "5", "-o", name,
                                  "-q", status=1)[1]
            expect("No space left on device" in errors and not os.listdir(disk), f"{name}: {errors} {os.listdir(disk)}")
        errors = programs.run(*PER_SHOT, "--crf-min", "5", "--crf-max", "6", "-o", "disk/out.mkv", status=1)[1]
        expect("could not be joined" in errors and "No space left on device" in errors and not os.listdir(disk), errors)
    finally:
        subprocess.run(["umount", disk], check=True)


main({"cut": check_cut, "rates": check_rates, "keys": check_keys, "profile": check_profile, "auto": check_auto,
      "shots": check_shots, "windows": check_windows})
