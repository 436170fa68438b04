#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Shots, from outside: check_per_shot.py SUBJECT VMAF_TUNE VMAF VMAF_PER_SHOT

What the programs say is compared with what FFmpeg and the vmaf program make of the same files.
"""
import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from fractions import Fraction

from tune_program import Programs, encoders, expect, ffmpeg, main, near, need_encoder, run, skip
from tune_program import probe as probe_path

RATE = Fraction(24000, 1001)
CUTS = [0, 22, 41, 56]  # of the clip
WIDTH, HEIGHT = 192, 108


class Place(Programs):
    """With the clip in it."""

    def per_shot(self, *arguments, status=0):
        """Shots of few frames, as clips have them, each at the target; the last of equal options holds."""
        return self.run("tune-per-shot", "-q", "--min-shot-frames", "4", "--objective", "equal", *map(str, arguments),
                        status=status)

    def plan(self, *arguments):
        return json.loads(self.per_shot(*arguments)[0])

    def clip(self, name="clip.mkv"):
        """Three shots that need different qualities, with sound, a subtitle and a chapter."""
        self.write("titles.srt", "1\n00:00:00,500 --> 00:00:01,000\nhello\n")
        self.write("chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=one\n")
        size = f"s={WIDTH}x{HEIGHT}:r={RATE}"
        parts = ["trim=end_frame=22,noise=alls=12:all_seed=1", "trim=end_frame=19", "trim=end_frame=15,boxblur=2"]
        graph = "".join(f"[{i}]{part},setpts=PTS-STARTPTS,setsar=1[v{i}];" for i, part in enumerate(parts))
        ffmpeg("-f", "lavfi", "-i", f"testsrc2={size}", "-f", "lavfi", "-i", f"mandelbrot={size}",
               "-f", "lavfi", "-i", f"cellauto={size}:rule=110:random_seed=1", "-f", "lavfi", "-i", "sine=d=2.3",
               "-i", self.path("titles.srt"), "-i", self.path("chapters.txt"),
               "-filter_complex", f"{graph}[v0][v1][v2]concat=n=3,format=yuv420p[v]", "-map", "[v]", "-map", "3:a",
               "-map", "4:s", "-map_metadata", "5", "-c:v", "ffv1", "-c:a", "aac", "-c:s", "srt", self.path(name))
        return name


def frames_of(place, name, first=0, end=None):
    """Decoded frames of a file, without a header."""
    chain = f"trim=start_frame={first}" + (f":end_frame={end}" if end else "") + ",setpts=PTS-STARTPTS"
    return ffmpeg("-i", place.path(name), "-map", "0:v:0", "-vf", chain, "-fps_mode", "passthrough",
                  "-pix_fmt", "yuv420p", "-f", "rawvideo", "-")


FRAME_BYTES = WIDTH * HEIGHT * 3 // 2


def scores_of(place, reference, distorted):
    """What the vmaf program tells of raw frames."""
    expect(len(reference) == len(distorted), f"{len(reference)} and {len(distorted)} bytes are compared")
    for name, data in (("ref.yuv", reference), ("dist.yuv", distorted)):
        with open(place.path(name), "wb") as out:
            out.write(data)
    report = place.report("ref.yuv", "dist.yuv", "-w", WIDTH, "-h", HEIGHT, "-p", "420", "-b", "8")
    return [frame["metrics"]["vmaf"] for frame in report["frames"]]


def mean_of(scores):
    return sum(scores) / len(scores)


def p1_of(scores):
    place = (len(scores) - 1) / 100
    low, high = sorted(scores)[int(place):][:2]
    return low + (high - low) * (place - int(place))


def vmaf_of(place, reference, distorted):
    return mean_of(scores_of(place, reference, distorted))


# -- the detector --

def known_frames():
    """The video that the numbers below are of."""
    for t in range(60):
        yield bytes((7 * x + 13 * y + 3 * t) & 255 if t < 20 else 30 if t < 22 else
                    (((x >> 3) * 9 + (y >> 3) * 5 + 2 * t) & 127) + 40 for y in range(64) for x in range(64))


HEAD = "shot_id,start_frame,end_frame,frames,mean_complexity,mean_motion,predicted_crf"
KNOWN = [HEAD, "0,0,19,20,0.083189,0.021876,21.89", "1,20,59,40,0.022888,0.037001,25.50"]
STARTS = [0, 4, 8, 12, 16, 20, 25, 29, 33, 37, 41, 45, 50, 55]


def check_detector(place):
    known = list(known_frames())
    raw, y4m, other = place.path("known.yuv"), place.path("known.y4m"), place.path("known.bin")
    with open(raw, "wb") as out, open(y4m, "wb") as header:
        header.write(b"YUV4MPEG2 W64 H64 F25:1 C420jpeg\n")
        for frame in known:
            out.write(frame + bytes(64 * 32))
            header.write(b"FRAME\n" + frame + bytes(64 * 32))
    shutil.copy(raw, other)
    geometry = ("-w", 64, "-h", 64, "-p", "420", "-b", 8)

    def lines(*arguments):
        text, errors = run(PER_SHOT, *arguments, "-o", "-")
        expect("vmaf-perShot: wrote " in errors and "wrote" not in text.decode(), f"{arguments}: {errors}")
        return text.decode().splitlines()

    for arguments in (("-r", raw, *geometry), ("--reference", y4m), ("-r", other, *geometry), (f"-r{raw}", "-w64", "-h64")):
        expect(lines(*arguments, "-t", 93) == KNOWN, f"{arguments}: {lines(*arguments, '-t', 93)}")
    many = lines("-r", raw, *geometry, "-t", 93, "-m", 20, "-M", 40, "-d", 5)
    expect([int(line.split(",")[1]) for line in many[1:]] == STARTS, str(many))
    expect(many[6] == "5,20,24,5,0.009097,0.159051,28.97", many[6])
    check_formats(place, raw, geometry, known)
    check_limits(place, raw, y4m, lines)
    check_faults(place, raw, geometry)


def check_formats(place, raw, geometry, known):
    text, errors = run(PER_SHOT, "-r", raw, *geometry, "-t", 93, "-f", "json", "-o", place.path("o.json"))
    expect(text.decode() == f"vmaf-perShot: wrote 2 shot(s) to {place.path('o.json')}\n" and not errors, text.decode())
    document = place.load("o.json")
    expect({key: document[key] for key in ("target_vmaf", "crf_min", "crf_max")} ==
           {"target_vmaf": 93, "crf_min": 18, "crf_max": 35}, str(document))
    cells = [",".join(str(shot[key]) for key in ("shot_id", "start_frame", "end_frame", "frames"))
             for shot in document["shots"]]
    expect(cells == [",".join(line.split(",")[:4]) for line in KNOWN[1:]], str(cells))
    expect(near(document["shots"][1]["predicted_crf"], 25.5, 1e-9), str(document["shots"][1]))
    # Ten bits, of the same picture but for the scale; and an odd size, whose chroma is rounded up.
    with open(place.path("deep.yuv"), "wb") as out:
        for frame in known:
            out.write(b"".join((v * 1023 // 255).to_bytes(2, "little") for v in frame) + bytes(64 * 64))
    text = run(PER_SHOT, "-r", place.path("deep.yuv"), "-w", 64, "-h", 64, "-p", "420", "-b", 10, "-t", 93, "-o",
               "-")[0].decode().splitlines()
    expect([line.split(",")[:4] for line in text] == [line.split(",")[:4] for line in KNOWN], str(text))
    with open(place.path("odd.yuv"), "wb") as out:
        out.write(bytes(63 * 33 + 2 * 32 * 17) * 7)
    text = run(PER_SHOT, "-r", place.path("odd.yuv"), "-w", 63, "-h", 33, "-p", "420", "-b", 8, "-o", "-")[0]
    expect(text.decode().splitlines()[1].startswith("0,0,6,7,"), text.decode())


def check_limits(place, raw, y4m, lines):
    geometry = ("-w", 64, "-h", 64)
    # 20 and 40 frames at 24 a second: no more than 12 each; at 25 of the Y4M, no more than 12.5.
    split = lines("-r", raw, *geometry, "--max-shot-duration", 0.5)
    expect([int(line.split(",")[1]) for line in split[1:]] == [0, 10, 20, 30, 40, 50], str(split))
    split = lines("-r", y4m, "--max-shot-duration", 0.8)
    expect([int(line.split(",")[1]) for line in split[1:]] == [0, 20, 40], str(split))
    split = lines("-r", raw, *geometry, "--min-shot-frames", 30)
    expect([int(line.split(",")[1]) for line in split[1:]] == [0], str(split))
    flash = lines("-r", raw, *geometry, "--min-shot-frames", 2)
    expect([int(line.split(",")[1]) for line in flash[1:]] == [0, 20, 22], str(flash))
    # The last shot may be short.
    with open(raw, "rb") as file, open(place.path("short.yuv"), "wb") as out:
        out.write(file.read(22 * 64 * 96))
    short = lines("-r", place.path("short.yuv"), *geometry)
    expect([int(line.split(",")[1]) for line in short[1:]] == [0, 20], str(short))
    # A cut between pictures of the same mean.
    with open(place.path("similar.yuv"), "wb") as out:
        for t in range(16):
            out.write(bytes([100 if t < 8 else 92 + 16 * (x % 2) for x in range(64 * 64)]) + bytes(64 * 32))
    for detector, starts in (("diff", [0]), ("hist", [0, 8])):
        found = lines("-r", place.path("similar.yuv"), *geometry, "--detector", detector)
        expect([int(line.split(",")[1]) for line in found[1:]] == starts, f"{detector}: {found}")


def check_faults(place, raw, geometry):
    with open(place.path("part.yuv"), "wb") as out:
        out.write(bytes(64 * 96 + 1))
    with open(place.path("empty.yuv"), "wb"):
        pass
    good = ("-r", raw, *geometry, "-o", "-")
    for wrong in (("-r", place.path("part.yuv"), *geometry, "-o", "-"), ("-r", place.path("empty.yuv"), *geometry, "-o", "-"),
                  ("-r", place.path("none.yuv"), *geometry, "-o", "-"), ("-r", raw, *geometry), ("-o", "-"),
                  (*good, "-b", 9), (*good, "-p", "411"), (*good, "-w", 15), (*good, "-d", 256), (*good, "-t", 101),
                  (*good, "-M", 64), (*good, "-m", 36), (*good, "-f", "xml"), (*good, "word"), (*good, "--wrong"),
                  ("-r", raw, *geometry, "-o", place.path("missing/o.csv"))):
        text, errors = run(PER_SHOT, *wrong, status=1)
        expect(not text and "Usage: vmaf-perShot" in errors, f"{wrong}: {text} {errors}")
    text, errors = run(PER_SHOT, "--help")
    expect(b"--diff-threshold" in text and not errors, errors)


# -- plans --

def check_totals(plan):
    shots, totals = plan["shots"], plan["totals"]
    frames = sum(shot["end_frame"] - shot["start_frame"] for shot in shots)
    expect(frames == totals["frames"] == CUTS[-1], str(totals))
    mean = sum(shot["mean_vmaf"] * (shot["end_frame"] - shot["start_frame"]) for shot in shots) / frames
    expect(near(totals["expected_vmaf"], mean, 1e-9), f"{totals} {mean}")
    kbps = sum(shot["bytes"] for shot in shots) * 8 / 1000 / (frames / RATE)
    expect(near(totals["expected_kbps"], kbps, 1e-6), f"{totals} {float(kbps)}")
    expect([shot["start_frame"] for shot in shots] == [0] + [shot["end_frame"] for shot in shots][:-1], str(shots))


def check_plan(place):
    clip = place.clip()
    plan = place.plan("--src", clip, "--target-vmaf", 90, "--execute", "-o", "out.mkv", "--plan-out", "plan.json")
    expect(place.load("plan.json") == plan, "--plan-out is not what is printed")
    expect([shot["start_frame"] for shot in plan["shots"]] == CUTS[:-1], str(plan["shots"]))
    expect(plan["encoder"] == "libx264" and plan["target_vmaf"] == 90 and near(plan["framerate"], RATE, 1e-12), "keys")
    expect(len(plan["segment_commands"]) == 3 and "concat" in plan["concat_command"], str(plan["concat_command"]))
    check_totals(plan)
    for i, shot in enumerate(plan["shots"]):
        # What an encode of these frames alone scores, as the vmaf program says.
        frames = frames_of(place, clip, shot["start_frame"], shot["end_frame"])
        segment = frames_of(place, "out.mkv", shot["start_frame"], shot["end_frame"])
        expect(len(frames) == (CUTS[i + 1] - CUTS[i]) * FRAME_BYTES, f"shot {i}: {len(frames)} bytes")
        score = vmaf_of(place, frames, segment)
        expect(near(score, shot["predicted_vmaf"], 1e-5), f"shot {i}: {score}, not {shot['predicted_vmaf']}")
        expect(shot["predicted_vmaf"] >= 90 and shot["status"] == "ok", str(shot))
        reaching = [sample["bitrate_kbps"] for sample in shot["samples"] if sample["vmaf"] >= 90]
        expect(shot["bitrate_kbps"] == min(reaching), f"shot {i}: {shot['bitrate_kbps']}, not the least of {reaching}")
        worse = [sample for sample in shot["samples"] if sample["crf"] == shot["crf"] + 1]
        expect(worse and worse[0]["vmaf"] < 90, f"shot {i}: {shot['crf']} + 1 was not refuted")
    expect(len({shot["crf"] for shot in plan["shots"]}) > 1, "all shots have the same CRF")
    check_result(place, clip, plan)


def check_result(place, clip, plan):
    result = plan["result"]
    single, shots = plan["comparison"]["single"], plan["comparison"]["per_shot"]
    expect(plan["comparison"]["kept"] == "per_shot" and shots == result, str(plan["comparison"]))
    expect(single is None or single["bytes"] > shots["bytes"], str(plan["comparison"]))
    whole = frames_of(place, "out.mkv")
    expect(len(whole) == CUTS[-1] * FRAME_BYTES and result["frames"] == CUTS[-1], f"{len(whole)} bytes, {result}")
    score = vmaf_of(place, frames_of(place, clip), whole)
    expect(near(score, result["vmaf"], 1e-5), f"{score}, not {result['vmaf']}")
    expect(near(score, plan["totals"]["expected_vmaf"], 0.5), f"{score}, expected {plan['totals']['expected_vmaf']}")
    expect(near(result["bitrate_kbps"] / plan["totals"]["expected_kbps"], 1, 0.03), str(result))
    expect(near(result["difference_vmaf"], result["vmaf"] - plan["totals"]["expected_vmaf"], 1e-9), str(result))
    # Sound, titles and chapters are those of the source, at the same times since its beginning, which sound of AAC may
    # have before 0 (FFmpeg 7 writes that).
    starts = [float(probe(place, name, "-show_format")["format"]["start_time"]) for name in (clip, "out.mkv")]
    for kind in ("a", "s", "v"):
        first = [probe(place, name, "-select_streams", kind, "-show_entries", "packet=pts_time")["packets"]
                 for name in (clip, "out.mkv")]
        expect(len(first[0]) == len(first[1]) > 0, f"{kind}: {len(first[0])} packets, then {len(first[1])}")
        times = [[float(packet["pts_time"]) - start for packet in packets] for packets, start in zip(first, starts)]
        apart = max(abs(a - b) for a, b in zip(sorted(times[0]), sorted(times[1])))
        expect(apart < 0.0021, f"{kind}: times are {apart} s apart")
    expect(len(probe(place, "out.mkv", "-show_chapters")["chapters"]) == 1, "no chapter")


def probe(place, name, *arguments):
    return probe_path(place.path(name), *arguments)


# -- scripts, and other inputs --

def check_script(place):
    clip, out = place.clip("it's a clip.mkv"), "my $out; video.mkv"
    common = ("--src", clip, "--target-vmaf", 88, "-o", out, "--segment-dir", "the segments")
    plan = place.plan(*common, "--script-out", "run.sh", "--execute", "--two-pass")
    made = frames_of(place, out)
    check_quotes(place.text("run.sh").splitlines(), plan)
    expect(plan["concat_list"] in place.text("run.sh"), "the script writes another list")
    for kept in ((), ("notes.txt",)):  # of somebody else
        shutil.rmtree(place.path("the segments"), ignore_errors=True)
        for name in kept:
            os.mkdir(place.path("the segments"))
            place.write(f"the segments/{name}", "mine")
        os.remove(place.path(out))
        said = run("sh", "run.sh", cwd=place.folder, env=place.environment)
        expect(not any(said), f"the script says {said}")
        expect(frames_of(place, out) == made, "the script makes another video than --execute")
        left = os.listdir(place.path("the segments")) if os.path.exists(place.path("the segments")) else []
        expect(left == list(kept) and (kept or not os.path.exists(place.path("the segments"))), f"the script leaves {left}")
    # An encoder that fails ends the script, which cleans up all the same.
    broken = place.text("run.sh").replace("'-crf'", "'-wrong'", 1)
    os.remove(place.path(out))
    result = subprocess.run(["sh", "-c", broken], cwd=place.folder, env=place.environment, capture_output=True, check=False)
    expect(result.returncode != 0 and not os.path.exists(place.path(out)), "a script went on after a failure")
    expect(result.stderr and os.listdir(place.path("the segments")) == ["notes.txt"], f"a failure leaves {result.stderr}")


def check_quotes(lines, plan):
    expect(lines[0] == "#!/bin/sh" and "set -eu" in lines, str(lines[:3]))
    commands = [line for line in lines if line.startswith("'ffmpeg'")]
    words = [shlex.split(line) for line in commands]
    expect(words == plan["segment_commands"] + [plan["concat_command"]], "script and plan differ")
    for line, arguments in zip(commands, words):
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in arguments)
        expect(line == quoted, f"not quoted: {line}")


def check_inputs(place):
    clip = place.clip()
    whole = frames_of(place, clip)
    with open(place.path("clip.yuv"), "wb") as out:
        out.write(whole)
    ffmpeg("-i", place.path(clip), "-map", "0:v", "-fps_mode", "passthrough", "-strict", "-1", place.path("clip.y4m"))
    raw = ("--width", WIDTH, "--height", HEIGHT, "--framerate", RATE)
    plans = []
    for name, more in (("clip.yuv", raw), ("clip.y4m", ())):
        plans.append(place.plan("--source", name, *more, "--target-vmaf", 85, "--execute", "--overwrite", "-o", "out.mp4"))
        check_totals(plans[-1])
        score = vmaf_of(place, whole, frames_of(place, "out.mp4"))
        expect(near(score, plans[-1]["result"]["vmaf"], 1e-5), f"{name}: {score}, not {plans[-1]['result']['vmaf']}")
    expect([s["crf"] for s in plans[0]["shots"]] == [s["crf"] for s in plans[1]["shots"]], f"raw and Y4M differ: {plans}")
    commands = plans[0]["segment_commands"]
    skipped = commands[1][commands[1].index("-skip_initial_bytes") + 1]
    expect(int(skipped) == CUTS[1] * FRAME_BYTES, f"{skipped} bytes are skipped")


def check_encoders(place):
    """Others than x264, whose segments have other headers."""
    whole = frames_of(place, place.clip())
    for encoder in ("libx265", "libsvtav1", "libvpx-vp9"):
        if encoder not in encoders():
            print(f"without {encoder}")
            continue
        plan = place.plan("--src", "clip.mkv", "--encoder", encoder, "--preset", "veryfast", "--target-vmaf", 80, "-j2",
                          "--pix-format", "yuv420p", "--crf-min", 30, "--crf-max", 31, "--execute", "--overwrite", "-o", "out.mkv")
        score = vmaf_of(place, whole, frames_of(place, "out.mkv"))
        expect(near(score, plan["result"]["vmaf"], 1e-5), f"{encoder}: {score}, not {plan['result']['vmaf']}")
        expect(near(score, plan["totals"]["expected_vmaf"], 0.5), f"{encoder}: {plan['totals']}, but {score}")


# -- packets that are not shown --

def check_hidden(place):
    """VP8 with alternate references: packets that are decoded and never shown are no frames."""
    need_encoder("libvpx")
    parts = [f"{name}=s={WIDTH}x{HEIGHT}:r=25,trim=end_frame=30" for name in ("testsrc2", "mandelbrot")]
    ffmpeg("-filter_complex", f"{parts[0]}[a];{parts[1]}[b];[a][b]concat=n=2,format=yuv420p", "-c:v", "ffv1",
           place.path("shown.mkv"))
    for number in (1, 2):
        ffmpeg("-i", place.path("shown.mkv"), "-c:v", "libvpx", "-b:v", "300k", "-auto-alt-ref", 1, "-lag-in-frames", 16,
               "-arnr-maxframes", 5, "-cpu-used", 5, "-pass", number, "-passlogfile", place.path("log"), place.path("hidden.webm"))
    counts = probe(place, "hidden.webm", "-count_packets", "-count_frames", "-show_entries",
                   "stream=nb_read_packets,nb_read_frames")["streams"][0]
    if counts["nb_read_packets"] == counts["nb_read_frames"]:
        skip("libvpx has hidden no frames")
    expect(int(counts["nb_read_frames"]) == 60, str(counts))
    shots = run(PER_SHOT, "-r", place.path("hidden.webm"), "-o", "-", "-f", "json")[0]
    expect([shot["frames"] for shot in json.loads(shots)["shots"]] == [30, 30], shots)
    more = ("--src", "hidden.webm", "--preset", "ultrafast", "--target-vmaf", 80)
    plan = place.plan(*more, "--execute", "-o", "out.mkv")
    expect([shot["frames"] for shot in plan["shots"]] == [30, 30] and plan["result"]["frames"] == 60, str(plan["result"]))
    expect(len(frames_of(place, "out.mkv")) == 60 * FRAME_BYTES, "the result has other frames")
    expect(plan["result"]["vmaf"] >= 80, str(plan["result"]))
    found = place.json("predict", "--per-shot", "-q", *map(str, more))
    expect(sum(shot["frames"] for shot in found["shots"]) == 60, str(found["shots"]))


# -- one quality instead of many --

def check_single(place):
    """Cuts that are none: keyframes that nobody needs."""
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=24,noise=alls=10:allf=t:all_seed=3", "-frames:v", 60,
           "-pix_fmt", "yuv420p", "-c:v", "ffv1", place.path("still.mkv"))
    source = frames_of(place, "still.mkv")
    common = ("--src", "still.mkv", "--preset", "veryfast", "--target-vmaf", 88)
    whole = place.plan(*common, "--min-shot-frames", 24, "--scene-threshold", 0)
    lengths = [shot["end_frame"] - shot["start_frame"] for shot in whole["shots"]]
    expect(min(lengths) >= 24 and sum(lengths) == 60, f"{lengths}")
    usual = place.plan(*common, "--max-shot-duration", 0.5, "--execute", "-o", "out.mkv", "--script-out",
                       "run.sh")
    expect(len(usual["shots"]) == 5 and usual["comparison"]["kept"] == "single", str(usual["comparison"]))
    shots, single = usual["comparison"]["per_shot"], usual["comparison"]["single"]
    expect(single["bytes"] <= shots["bytes"], str(usual["comparison"]))
    # The cheapest one that is as good, found again by ffmpeg and vmaf.
    for q, is_as_good in ((single["crf"], True), (single["crf"] + 1, False)):
        ffmpeg("-i", place.path("still.mkv"), "-c:v", "libx264", "-preset", "veryfast", "-threads", single["encoder_threads"],
               "-crf", q, place.path("again.mkv"))
        scores = scores_of(place, source, frames_of(place, "again.mkv"))
        good = mean_of(scores) > shots["vmaf"] - 1e-5 and p1_of(scores) > shots["vmaf_p1"] - 1e-5
        expect(good == is_as_good, f"{q}: {mean_of(scores)}, {p1_of(scores)}, {shots}")
    missed = [label for label, score, least in (("VMAF", mean_of(scores), shots["vmaf"]),
                                                ("VMAF p1", p1_of(scores), shots["vmaf_p1"])) if score < least]
    expect(usual["comparison"]["decided_by"] == missed, f"{usual['comparison']}, but crf {q} misses {missed}")
    quick = place.plan(*common, "--max-shot-duration", 0.5, "--execute", "--no-comparison", "-o", "quick.mkv")
    expect(quick["comparison"]["single"] is None and quick["result"] == quick["comparison"]["per_shot"] == shots, str(quick))
    made = frames_of(place, "out.mkv")
    scores = scores_of(place, source, made)
    for key, score in (("vmaf", mean_of(scores)), ("vmaf_p1", p1_of(scores))):
        expect(near(score, usual["result"][key], 1e-5) and score > shots[key] - 1e-5, f"{key} {score}: {usual['result']}")
    least = min(mean_of(scores[shot["start_frame"]:shot["end_frame"]]) for shot in usual["shots"])
    expect(near(least, usual["result"]["least_shot_vmaf"], 1e-5), f"{least}, not {usual['result']}")
    expect(len(usual["segment_commands"]) == 1, str(usual["segment_commands"]))
    again = ("-q", "--format", "text", *common, "--max-shot-duration", 0.5, "--execute", "--overwrite", "-o", "text.mkv")
    text = place.per_shot(*again)[0]
    expect(f"p1 {single['vmaf_p1']:.3f}, least shot {least:.3f}; it is kept" in text, text)
    expect(f"decided: crf {q}, " in text and " kbit/s, misses VMAF" in text, text)
    os.remove(place.path("out.mkv"))
    run("sh", "run.sh", cwd=place.folder, env=place.environment)
    expect(frames_of(place, "out.mkv") == made, "the script makes another video")
    # A film shorter than a shot is one, of which there is nothing to compare.
    alone = place.plan("--src", place.clip(), "--min-shot-frames", 24, "--target-vmaf", 80, "--execute", "-o", "alone.mkv")
    expect(len(alone["shots"]) == 1 and alone["comparison"]["single"] is None, str(alone["comparison"]))


# -- bits where they help most --

def check_lagrange(place):
    clip = place.clip()
    equal = place.plan("--src", clip, "--target-vmaf", 90)
    plan = place.plan("--src", clip, "--target-vmaf", 90, "--objective", "lagrange")
    check_totals(plan)
    usual = place.json("tune-per-shot", "-q", "--min-shot-frames", "4", "--src", clip, "--target-vmaf", "90")
    expect(usual["objective"] == "lagrange" and usual["totals"] == plan["totals"], "equal slope is not the default")
    strict = place.json("tune-per-shot", "-q", "--min-shot-frames", "4", "--src", clip, "--target-vmaf", "90", "--crf-min",
                        "20", "--pool", "min")
    expect(strict["objective"] == "equal", "--pool has another default")
    expect(plan["totals"]["expected_vmaf"] >= 90, str(plan["totals"]))
    expect(plan["totals"]["expected_kbps"] < equal["totals"]["expected_kbps"], f"{plan['totals']} {equal['totals']}")
    # Of all that was measured, no choice is much cheaper.
    frames = [shot["end_frame"] - shot["start_frame"] for shot in plan["shots"]]
    choices = [[(sample["vmaf"] * n, sample["bitrate_kbps"] * n) for sample in shot["samples"]]
               for shot, n in zip(plan["shots"], frames)]
    choices = [[(score, kbps) for score, kbps in choice if score >= 80 * n] for choice, n in zip(choices, frames)]
    best = min(sum(kbps for _, kbps in choice) for choice in itertools.product(*choices)
               if sum(score for score, _ in choice) >= 90 * sum(frames)) / sum(frames)
    expect(plan["totals"]["expected_kbps"] <= 1.06 * best, f"{plan['totals']}, but {best} is possible")
    for shot in plan["shots"]:  # neighbours of what was chosen were looked at
        crfs = {sample["crf"] for sample in shot["samples"]}
        expect({shot["crf"] - 1, shot["crf"] + 1} <= crfs, f"{shot['crf']} of {sorted(crfs)}")
    # No shot pays for the others with all that it has.
    least = min(shot["mean_vmaf"] for shot in plan["shots"])
    expect(80 <= least < 89.5, f"shots have at least {least}")
    even = place.plan("--src", clip, "--target-vmaf", 90, "--objective", "lagrange", "--shot-floor", 0.5)
    expect(min(shot["mean_vmaf"] for shot in even["shots"]) >= 89.5, str(even["totals"]))
    expect(even["totals"]["expected_kbps"] >= plan["totals"]["expected_kbps"], f"{even['totals']} {plan['totals']}")
    out = place.plan("--src", clip, "--target-vmaf", 99.9, "--crf-min", 12, "--objective", "lagrange")
    expect(all(shot["crf"] == 12 and shot["status"] == "unreachable" for shot in out["shots"]), str(out["totals"]))


# -- bits for several conditions, and for other metrics --

def series_of(place, reference, distorted, *features):
    """Scores of each frame, of VMAF and further features, as the vmaf program tells them."""
    for name, data in (("ref.yuv", reference), ("dist.yuv", distorted)):
        with open(place.path(name), "wb") as out:
            out.write(data)
    more = [word for feature in features for word in ("--feature", feature)]
    report = place.report("ref.yuv", "dist.yuv", "-w", WIDTH, "-h", HEIGHT, "-p", "420", "-b", "8", *more)
    return {name: [frame["metrics"][name] for frame in report["frames"]] for name in report["frames"][0]["metrics"]}


def check_conditions(place):
    """Slopes that conditions on the whole video decide."""
    clip = place.clip()
    whole = frames_of(place, clip)
    common = ("--src", clip, "--preset", "ultrafast", "--objective", "lagrange", "--crf-min", 20, "--crf-max", 34, "--execute",
              "--no-comparison", "--overwrite")
    plain = place.plan(*common, "--target-vmaf", 85, "-o", "plain.mkv")
    least = round(plain["result"]["vmaf_p1"] + 4, 3)  # which the mean alone does not bring
    for target in (("--target-vmaf", 85), ()):
        plan = place.plan(*common, *target, "--require", f"vmaf.p1>={least}", "-o", "out.mkv")
        scores = scores_of(place, whole, frames_of(place, "out.mkv"))
        expect(plan["objective"] == "lagrange" and f"vmaf.p1>={least:.15g}" in plan["conditions"], str(plan["conditions"]))
        expect(p1_of(scores) >= least - 1e-5 and (not target or mean_of(scores) >= 85), f"{target}: {plan['result']}")
        expect(plan["result"]["reached"] and near(p1_of(scores), plan["result"]["scores"]["vmaf.p1"], 1e-5), str(plan["result"]))
        expect(plan["result"]["bytes"] > plain["result"]["bytes"] or not target, f"{plan['result']} {plain['result']}")
    # Of another metric, whatever VMAF is.
    plan = place.plan(*common, "--target", "psnr_y=34", "-o", "out.mkv")
    found = series_of(place, whole, frames_of(place, "out.mkv"), "psnr")
    expect(plan["slopes_of"] == "psnr_y" and plan["target_vmaf"] is None, f"{plan['slopes_of']} {plan['target_vmaf']}")
    expect(mean_of(found["psnr_y"]) >= 34 - 1e-5, f"{mean_of(found['psnr_y'])}: {plan['result']}")
    expect(near(plan["result"]["scores"]["psnr_y.mean"], mean_of(found["psnr_y"]), 1e-5), str(plan["result"]))
    expect(near(plan["result"]["vmaf"], mean_of(found["vmaf"]), 1e-5), str(plan["result"]))
    # No choice of what was measured is much cheaper.
    if plan["comparison"]["kept"] == "per_shot":
        frames = [shot["end_frame"] - shot["start_frame"] for shot in plan["shots"]]
        choices = [[(sample["scores"]["psnr_y.mean"] * n, sample["bitrate_kbps"] * n) for sample in shot["samples"]]
                   for shot, n in zip(plan["shots"], frames)]
        best = min(sum(kbps for _, kbps in choice) for choice in itertools.product(*choices)
                   if sum(score for score, _ in choice) >= 34 * sum(frames)) / sum(frames)
        expect(plan["totals"]["expected_kbps"] <= 1.06 * best, f"{plan['totals']}, but {best} is possible")
    # Both, of which the second is what decides.
    both = place.plan(*common, "--target", "vmaf=60", "--target", "psnr_y=34", "-o", "out.mkv")
    found = series_of(place, whole, frames_of(place, "out.mkv"), "psnr")
    expect(both["slopes_of"] == "vmaf" and mean_of(found["psnr_y"]) >= 34 - 1e-5 and mean_of(found["vmaf"]) >= 60, str(both["result"]))


LOSER = """
case " $* " in *" concat "*) ;; *) exec ffmpeg "$@" ;; esac
grep -q shot_0001 "{folder}"/*.part/concat.txt || exec ffmpeg "$@" # a single encode
[ ! -e worse ] || for file in "{folder}"/*.part/shot_*.mkv; do ffmpeg -v error -nostdin -y -i "$file" \
    -c:v libx264 -crf 45 "$file.mkv" </dev/null && mv "$file.mkv" "$file"; done
echo join >> "{folder}/joins"
exec ffmpeg "$@"
"""


def check_broken_promise(place):
    """Where the video of shots is worse than they promise, it is made again, then a single quality is taken."""
    clip = place.clip()
    whole = frames_of(place, clip)
    loser = place.script("loser.sh", LOSER.format(folder=place.folder))
    place.write("worse", "")
    common = ("--src", clip, "--preset", "ultrafast", "--objective", "lagrange", "--target-vmaf", 85, "--crf-min", 16,
              "--crf-max", 34, "--execute", "--overwrite", "--ffmpeg-bin", loser, "-o", "out.mkv")
    for more in (("--no-comparison",), ("--require", "vmaf.min>=60")):
        plan = place.plan(*common, *more)
        compared = plan["comparison"]
        expect(compared["kept"] == "single" and not compared["per_shot"]["reached"], str(compared))
        expect(1 <= compared["videos"] <= 3 and plan["result"]["reached"], str(compared))
        scores = scores_of(place, whole, frames_of(place, "out.mkv"))
        expect(mean_of(scores) >= 85 and near(mean_of(scores), plan["result"]["vmaf"], 1e-5), f"{more}: {plan['result']}")
        expect(not more or "min" not in more[-1] or min(scores) >= 60, f"{min(scores)}: {plan['result']}")


# -- several at a time --

NOTING = """
case " $* " in *" -crf "*) echo "$*" >> "{log}"; echo begin >> "{log}.times"; sleep {pause}; ffmpeg "$@"; status=$?
    echo end >> "{log}.times"; exit $status;;
esac
exec ffmpeg "$@"
"""


def check_workers(place):
    clip, log = place.clip(), place.path("log")
    noting = place.script("noting.sh", NOTING.format(log=log, pause=0))
    slow = place.script("slow.sh", NOTING.format(log=log, pause=0.3))  # so that some are made at a time on a busy machine
    common = ("--src", clip, "--target-vmaf", 88, "--preset", "veryfast", "--ffmpeg-bin", noting, "--ffmpeg-threads", 1,
              "--no-cache", "--execute", "--overwrite")
    alone = place.plan(*common, "-o", "alone.mkv")
    plans = [place.plan(*common, "--workers", 3, "-o", "both.mkv") for _ in range(2)]
    os.remove(log + ".times")
    place.plan(*common[:-2], "--workers", 3, "--ffmpeg-bin", slow)
    running = most = 0
    for line in place.text("log.times").split():
        running += 1 if line == "begin" else -1
        most = max(most, running)
    expect(most in (2, 3), f"{most} encodes at a time")
    for plan in plans:
        expect(plan["workers"] == 3 and alone["workers"] == 1, f"{plan['workers']} {alone['workers']}")
        expect([s["crf"] for s in plan["shots"]] == [s["crf"] for s in alone["shots"]], f"{plan} {alone}")
        expect(plan["result"] == alone["result"], f"{plan['result']} {alone['result']}")
    samples = [[[s["crf"] for s in shot["samples"]] for shot in plan["shots"]] for plan in plans]
    expect(samples[0] == samples[1], f"what is encoded depends on time: {samples}")
    expect(frames_of(place, "both.mkv") == frames_of(place, "alone.mkv"), "workers change the video")
    # The threads of encoders are shared out, and are the same for all encodes.
    os.remove(log)
    shared = place.plan("--src", clip, "--target-vmaf", 88, "--preset", "veryfast", "--ffmpeg-bin", noting, "--no-cache",
                        "--workers", 2, "--zones", "zones.txt")
    threads = max(1, len(os.sched_getaffinity(0)) // 2)
    expect(shared["encoder_threads"] <= threads, f"{shared['encoder_threads']} threads")
    said = {line.split(" -threads ")[1].split()[0] for line in place.text("log").splitlines() if "file:clip.mkv" in line}
    every = min(16, len(os.sched_getaffinity(0)))  # those of the whole video have the processors for themselves
    expect(said == {str(shared["encoder_threads"]), str(every)}, f"threads of encoders: {said}")


# -- one encode with zones --

def sizes_of(place, name):
    packets = probe(place, name, "-select_streams", "v", "-show_entries", "packet=pts_time,size")["packets"]
    return [int(packet["size"]) for packet in sorted(packets, key=lambda packet: float(packet["pts_time"]))]


def check_zones(place):
    clip = place.clip()
    whole = frames_of(place, clip)
    plan = place.plan("--src", clip, "--target-vmaf", 88, "--objective", "lagrange", "--write-zones", "zones.txt", "--execute",
                      "-o", "out.mkv")
    result, kept = plan["result"], plan["comparison"]
    expect(kept["kept"] == "per_shot", str(kept))
    expect(kept["single"] is None or kept["single"]["bytes"] > kept["per_shot"]["bytes"], str(kept))
    expect(result["vmaf"] >= 88, str(result))
    expect(result["bytes"] == kept["per_shot"]["bytes"], f"{result} {kept}")
    # What the file says makes that video, and its score is what was claimed.
    ffmpeg("-i", place.path(clip), "-an", "-sn", *shlex.split(place.text("zones.txt")), place.path("again.mkv"))
    again = frames_of(place, "again.mkv")
    expect(again == frames_of(place, "out.mkv"), "the options of --zones make another video")
    expect(sum(sizes_of(place, "again.mkv")) == result["bytes"], f"{sum(sizes_of(place, 'again.mkv'))}, not {result}")
    scores = scores_of(place, whole, again)
    expect(near(mean_of(scores), result["vmaf"], 1e-5) and near(p1_of(scores), result["vmaf_p1"], 1e-5), str(result))
    zones = plan["zones"].removeprefix("zones=").split("/")
    expect([tuple(map(int, zone.split(",")[:2])) for zone in zones] ==
           [(shot["start_frame"], shot["end_frame"] - 1) for shot in plan["shots"]], plan["zones"])
    kinds = {stream["codec_type"] for stream in probe(place, "out.mkv", "-show_streams")["streams"]}
    expect(kinds == {"video", "audio", "subtitle"}, str(kinds))
    expect(len(probe(place, "out.mkv", "-show_chapters")["chapters"]) == 1, "no chapter")
    # The encoder obeys each of them: a worse zone has fewer bits, and the others about as many.
    sizes = sizes_of(place, "again.mkv")
    for i, zone in enumerate(zones):
        first, last, quality = zone.split(",")
        worse = zones[:i] + [f"{first},{last},crf={float(quality.removeprefix('crf=')) + 8:g}"] + zones[i + 1:]
        words = shlex.split(place.text("zones.txt"))
        words[words.index("-x264-params") + 1] = "zones=" + "/".join(worse)
        ffmpeg("-i", place.path(clip), "-an", "-sn", *words, place.path("worse.mkv"))
        changed = sizes_of(place, "worse.mkv")
        for k, other in enumerate(zones):
            a, b = (int(word) for word in other.split(",")[:2])
            ratio = sum(changed[a:b + 1]) / sum(sizes[a:b + 1])
            expect(ratio < 0.8 if k == i else 0.85 < ratio < 1.15, f"zone {k} after a change of {i}: {ratio}")
    # A film without shots has no zones, and encoders that take none are named.
    place.plan("--src", clip, "--target-vmaf", 80, "--min-shot-frames", 24, "--zones", "one.txt", "--preset", "veryfast")
    expect(place.text("one.txt").endswith("\n"), "a file of text without its last newline")
    expect("zones" not in place.text("one.txt") and "-crf" in place.text("one.txt"), place.text("one.txt"))
    if "libsvtav1" in encoders():
        text, errors = place.per_shot("--src", clip, "--encoder", "libsvtav1", "--zones", "none.txt", status=2)
        expect(not text and "libsvtav1 takes none" in errors, errors)
        expect(not os.path.exists(place.path("none.txt")), "a file of zones")
    place.per_shot("--src", clip, "--two-pass", "--zones", "none.txt", status=2)


def check_zones_of_x265(place):
    """Which multiply the bitrate."""
    need_encoder("libx265")
    clip = place.clip()
    whole = frames_of(place, clip)
    plan = place.plan("--src", clip, "--encoder", "libx265", "--preset", "ultrafast", "--target-vmaf", 80, "--zones",
                      "zones.txt", "--crf-min", 24, "--crf-max", 34)
    expect(plan["comparison"]["kept"] == "single" or plan["zones"].count("b=") == 3, plan["zones"])
    ffmpeg("-i", place.path(clip), "-an", "-sn", *shlex.split(place.text("zones.txt")), place.path("again.mkv"))
    score = vmaf_of(place, whole, frames_of(place, "again.mkv"))
    expect(near(score, plan["result"]["vmaf"], 1e-5), f"{score}, not {plan['result']['vmaf']}")
    sizes = []
    for words in (("-crf", 28), ("-crf", 22, "-x265-params", f"zones=0,{CUTS[-1] - 1},b={2 ** -1:.4f}")):
        ffmpeg("-i", place.path(clip), "-an", "-sn", "-c:v", "libx265", "-preset", "ultrafast", *words, place.path("x.mkv"))
        sizes.append(sum(sizes_of(place, "x.mkv")))
    expect(near(sizes[1] / sizes[0], 1, 0.05), f"a factor of half is not 6 steps of CRF: {sizes}")


# -- what cannot be reached, and wrong usage --

def check_limits_of_plans(place):
    clip = place.clip()
    out = place.plan("--src", clip, "--target-vmaf", 98.5, "--crf-min", 12, "--crf-max", 30)
    marks = [shot["status"] for shot in out["shots"]]
    expect(set(marks) == {"ok", "unreachable"} and out["totals"]["missed_shots"] == marks.count("unreachable"), str(marks))
    for shot in out["shots"]:
        expect((shot["status"] == "ok") == (shot["predicted_vmaf"] >= 98.5), str(shot))
        expect(shot["status"] == "ok" or shot["crf"] == 12, str(shot))
    out = place.plan("--src", clip, "--target-vmaf", 92.9, "--max-iterations", 1)
    expect("exhausted" in [shot["status"] for shot in out["shots"]], str(out["shots"]))
    text = place.per_shot("--src", clip, "--target-vmaf", 80, "--format", "text", "--max-shot-duration", 0.5)[0]
    expect(len(text.splitlines()) == 1 + 6 + 2 and "6 shots" in text, text)
    text = place.per_shot("--src", clip, "--dry-run", "--min-shot-frames", 20)[0].splitlines()
    expect(len(text) == 3 and shlex.split(text[1])[-1] == "file:segments/shot_0001.mkv", str(text))
    for wrong in (("--sample-clip-seconds", 1), ("--bitdepth", 10), ("--total-frames", 55),
                  ("--execute", "-o", "missing/out.mkv"), ("--execute", "-o", "out"), ("--execute", "-o", "./out"), ("--execute", "-o", clip),
                  ("--execute", "-o", "out.webm"),  # which cannot hold H.264
                  ("--objective", "lagrange", "--pool", "min"), ("--max-encoded-percent", 50), ("--crf-min", 52)):
        text, errors = place.per_shot("--src", clip, *wrong, status=2)
        expect(not text and errors, f"{wrong}: {text} {errors}")
    expect(not os.path.exists(place.path("out.webm")) and not os.path.exists(place.path("out.mp4.part.mp4")), "a rest")
    place.per_shot("--src", clip, "--target-vmaf", 80, "--execute", "-o", "out.mp4", "--video-only")
    streams = probe(place, "out.mp4", "-show_streams")["streams"]
    expect([stream["codec_type"] for stream in streams] == ["video"], str(streams))
    check_loss(place)


def check_loss(place):
    """An ffmpeg that loses frames where segments are joined."""
    loser = place.telling_ffmpeg("concat", "-frames:v", "50")
    text, errors = place.per_shot("--src", "clip.mkv", "--target-vmaf", 80, "--execute", "-o", "lost.mkv", "--ffmpeg-bin",
                                  loser, status=1)
    expect(not text and "has 50 frames, and the source 56" in errors, errors)
    # The encodes stay, and are named; the next run leaves them alone.
    kept = [line.rpartition(" stay in ")[2] for line in errors.splitlines() if " stay in " in line]
    expect(len(kept) == 1, errors)
    for _ in range(2):
        found = sorted(os.listdir(os.path.join(place.folder, kept[0])))
        expect(found == ["concat.txt", "shot_0000.mkv", "shot_0001.mkv", "shot_0002.mkv"], f"{kept}: {found}")
        place.per_shot("--src", "clip.mkv", "--target-vmaf", 80, "--execute", "-o", "lost.mkv", "--overwrite")
    expect(not [name for name in os.listdir(place.folder) if name.endswith(".part")], str(os.listdir(place.folder)))


def check_together(place):
    """Two films at the same time in one folder: each is made of its own shots, and nothing else stays."""
    place.clip("one.mkv")
    ffmpeg("-i", place.path("one.mkv"), "-vf", "negate,hflip", "-map", "0:v:0", "-c:v", "ffv1", place.path("two.mkv"))
    for more in ((), ("--segment-dir", "parts")):
        runs = [place.start("tune-per-shot", "-q", "--src", f"{name}.mkv", "--min-shot-frames", "4", "--preset", "ultrafast",
                            "--target-vmaf", "85", "--crf-min", "20", "--crf-max", "26", "--no-cache", "--execute", "--video-only", "--overwrite", "-o",
                            f"{name}-out.mkv", *more, stdout=subprocess.PIPE) for name in ("one", "two")]
        for name, program in zip(("one", "two"), runs):
            text, errors = program.communicate()
            expect(program.returncode == 0, errors)
            score = vmaf_of(place, frames_of(place, f"{name}.mkv"), frames_of(place, f"{name}-out.mkv"))
            expect(score >= 85 and near(score, json.loads(text)["result"]["vmaf"], 1e-5), f"{name}: {score}")
        folders = [name for name in os.listdir(place.folder) if os.path.isdir(place.path(name))]
        expect(set(folders) <= {"cache", "parts"} and (not more or not os.listdir(place.path("parts"))), str(folders))


# -- going on after Ctrl-C --

PLAYER = """
case " $* " in *"file:clip.mkv "*" -crf "*)
    echo x >> "{log}"
    while [ -e hold ] && [ "$(wc -l <"{log}")" -ge 5 ]; do sleep 0.01; done;;
esac
exec ffmpeg "$@"
"""


def encodes_in(log):
    try:
        with open(log, encoding="ascii") as file:
            return len(file.readlines())
    except FileNotFoundError:
        return 0


def check_resume(place):
    clip, log = place.clip(), place.path("log")
    player = place.script("ffmpeg.sh", PLAYER.format(log=log))
    common = ["--src", clip, "--target-vmaf", "90", "--min-shot-frames", "4", "--ffmpeg-bin", player]
    whole = place.plan(*common, "--cache-dir", "other")
    n_all = encodes_in(log)
    os.remove(log)
    place.write("hold", "")
    with place.start("tune-per-shot", *common, stdout=subprocess.PIPE) as child:
        while child.poll() is None and encodes_in(log) < 5:
            time.sleep(0.005)
        child.send_signal(signal.SIGINT)
        text, errors = child.communicate()
    os.remove(place.path("hold"))
    begun = encodes_in(log)
    expect(child.returncode == 130 and not text, f"{child.returncode}: {errors}")
    said = [line for line in errors.splitlines() if "terrupted" in line or "stopped" in line]
    expect(said == ["vmaf-tune tune-per-shot: interrupted; what was measured is kept, and the same command goes on from there"],
           errors)
    os.remove(log)
    again = place.plan(*common)
    expect(encodes_in(log) <= n_all - (begun - 1), f"{n_all} encodes: {begun}, then {encodes_in(log)}")
    known = [sample["cached"] for shot in again["shots"] for sample in shot["samples"]]
    expect(sum(known) >= begun - 1 >= 4, f"{sum(known)} of {begun} were known")
    keys = ("crf", "predicted_vmaf", "bitrate_kbps", "status")
    expect([[shot[key] for key in keys] for shot in again["shots"]] ==
           [[shot[key] for key in keys] for shot in whole["shots"]], "another plan than without Ctrl-C")


PER_SHOT = os.path.abspath(sys.argv.pop())
def check_shots(place):
    """The newer name makes the video that -o names, and a plan for people without it."""
    clip = place.clip()
    more = ("shots", clip, "-q", "--min-shot-frames", "4", "--preset", "ultrafast", "--min-vmaf", "80")
    plan = place.run(*more)[0]
    expect("3 shots" in plan and not os.path.exists(place.path("out.mkv")), plan)
    made = place.run(*more, "-o", "out.mkv")[0]
    expect("the whole video: 56 frames" in made, made)
    scores = place.scores(clip, place.path("out.mkv"))
    expect(len(scores) == 56 and sum(scores) / 56 >= 80, f"{scores}")


main({"detector": check_detector, "plan": check_plan, "script": check_script, "inputs": check_inputs, "encoders": check_encoders,
      "lagrange": check_lagrange, "conditions": check_conditions, "promise": check_broken_promise, "shots": check_shots, "workers": check_workers,
      "zones": check_zones, "zones_x265": check_zones_of_x265, "single": check_single, "hidden": check_hidden, "together": check_together,
      "limits": check_limits_of_plans, "resume": check_resume}, without_encoder=("detector",), place=Place)
