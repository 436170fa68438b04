#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Comparisons and ladders, from outside: check_ladder.py SUBJECT VMAF_TUNE VMAF

What the program says is computed once more from encodes that it keeps.
"""
import csv
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from tune_program import Programs, close, encoders, expect, ffmpeg, main, probe

WIDTH, HEIGHT, RATE, FRAMES = 160, 96, 24, 48


class Bench(Programs):
    """With a clip."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.clip = self.make_clip("clip.y4m", "yuv420p")

    def make_clip(self, name, pixel_format, rate=RATE):
        """A cut in the middle of a segment, so that encoders put keyframes where segments do not begin."""
        size = f"{WIDTH}x{HEIGHT}"
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate},trim=end_frame=16", "-f", "lavfi", "-i",
               f"mandelbrot=s={size}:r={rate}:start_scale=0.5,trim=end_frame={FRAMES - 16}", "-filter_complex",
               f"[0:v][1:v]concat=n=2,format={pixel_format},noise=alls=6:allf=t:all_seed=7", "-pix_fmt", pixel_format,
               "-strict", "-1", self.path(name))
        return self.path(name)

    def call(self, *arguments, status=0):
        return self.run(*arguments, status=status)[0]

    def json(self, *arguments, status=0):
        return json.loads(self.call(*arguments, "--format", "json", status=status))

    def refuse(self, *arguments, status=2):
        expect(self.call(*arguments, status=status) == "", f"{arguments}: refused, but something is on stdout")

    def packets(self, path):
        """(seconds, bytes, is a keyframe) in the order of times."""
        packets = probe(path, "-select_streams", "v:0", "-show_entries", "packet=pts_time,size,flags")["packets"]
        return sorted((float(packet["pts_time"]), int(packet["size"]), "K" in packet["flags"]) for packet in packets)

    def stream(self, path):
        return probe(path, "-select_streams", "v:0", "-show_streams")["streams"][0]

    def score(self, path):
        """Decoded by ffmpeg, scaled to the clip's size, scored by the other program."""
        scores = self.scores(self.clip, path, size=f"{WIDTH}:{HEIGHT}")
        expect(len(scores) == FRAMES, f"{path} has {len(scores)} frames")
        return sum(scores) / FRAMES


# -- compare --

def samples_by_codec(document):
    samples = {}
    for row in document["rows"]:
        for sample in row["samples"]:
            known = samples.setdefault(row["codec"], {})
            expect(sample["crf"] not in known, f"{row['codec']} was encoded twice at {sample['crf']}")
            known[sample["crf"]] = sample
    return samples


def check_order(document):
    expect(document["schema"] == "vmaf-tune-compare/v1", "another schema")
    n = len(document["rows"]) // len(document["targets"])
    for t, target in enumerate(document["targets"]):
        rows = document["rows"][t * n:(t + 1) * n]
        expect(all(row["target_vmaf"] == target for row in rows), "rows of targets are mixed")
        places = [(not row["ok"], row["bitrate_kbps"] if row["ok"] else 0, row["codec"]) for row in rows]
        expect(places == sorted(places), f"rows are not in order: {places}")


def check_answers(document):
    """The most compressed that passes: one step further was measured, and fails."""
    samples = samples_by_codec(document)
    for row in document["rows"]:
        if not row["ok"]:
            continue
        of = samples[row["codec"]]
        expect(row["vmaf_score"] >= row["target_vmaf"], f"{row['codec']} misses {row['target_vmaf']}")
        expect(close(of[row["best_crf"]]["vmaf"], row["vmaf_score"]), "the answer is none of the samples")
        expect(of[row["best_crf"]]["bitrate_kbps"] == row["bitrate_kbps"], "another bitrate than that of the sample")
        following = of.get(row["best_crf"] + 1)
        expect(following and following["vmaf"] < row["target_vmaf"], f"{row['codec']}: {row['best_crf']} is not the last")
    return samples


def check_deltas(bench, document, samples):
    for delta in document["bd_rates"]:
        for name in ("reference", "codec"):
            bench.write(f"{name}.csv", "rate,metric\n" + "".join(f"{sample['bitrate_kbps']!r},{sample['vmaf']!r}\n"
                                                                 for sample in samples[delta[name]].values()))
        other = json.loads(bench.call("bd-rate", "--ref", "reference.csv", "--test", "codec.csv", "--hull", "--json"))
        expect(close(delta["bd_rate"], other["bd_rate"], 1e-9), f"{delta}: bd-rate says {other['bd_rate']}")


def check_formats(bench, arguments, document):
    table = list(csv.DictReader(io.StringIO(bench.call(*arguments, "--format", "csv"))))
    expect(list(table[0])[:9] == ["codec", "encoder_version", "best_crf", "bitrate_kbps", "encode_time_ms", "vmaf_score",
                                  "target_vmaf", "ok", "error"], f"columns of CSV: {list(table[0])}")
    for line, row in zip(table, document["rows"]):
        expect((line["codec"], int(line["best_crf"]), line["ok"]) == (row["codec"], row["best_crf"], str(row["ok"]).lower()),
               f"CSV has {line} for {row['codec']}")
        expect(not row["ok"] or abs(float(line["vmaf_score"]) - row["vmaf_score"]) < 0.001, "CSV has another score")
        expect(row["ok"] or line["error"] == row["error"], f"CSV has the error {line['error']}")
        for key in ("size_bytes", "percent_of_source", "speed_fps"):
            # Speeds of what is cached are measured each time.
            wanted = row[key] if key != "speed_fps" or not row["ok"] else float(line[key] or "nan")
            expect(line[key] == ("" if wanted is None else f"{wanted:.3f}"), f"CSV has {key} {line[key]}, not {row[key]}")
    page = bench.call(*arguments)
    for row in document["rows"]:
        cells = (f"| {row['best_crf']} | {row['bitrate_kbps']:.1f} |" if row["ok"] else f"| {row['codec']} | — |")
        expect(cells in page, f"no {cells} in {page}")
    expect(page.count("**Smallest file**") == len(document["targets"]), "not a smallest file for each target")


def check_kept(bench, arguments, document):
    """An encode that is kept is decoded and scored by others."""
    row = next(row for row in document["rows"] if row["ok"] and row["codec"] == "libx264")
    bench.call(*arguments, "--keep-encodes", "--encode-dir", bench.path("kept"))
    names = [name for name in os.listdir(bench.path("kept")) if f"__libx264__veryfast__crf{row['best_crf']}__" in name]
    expect(len(names) == 1, f"{names} are kept of the answer")
    path = os.path.join(bench.path("kept"), names[0])
    score, packets = bench.score(path), bench.packets(path)
    expect(abs(score - row["vmaf_score"]) < 2e-6, f"the answer scores {score}, not {row['vmaf_score']}")
    kbps = sum(packet[1] for packet in packets) * 8 / 1000 / (FRAMES / RATE)
    expect(close(kbps, row["bitrate_kbps"]), f"the answer has {kbps} kbit/s, not {row['bitrate_kbps']}")


def check_sweep(bench, common):
    sweep = [20, 26, 31, 36, 44]
    document = bench.json(*common, "--encoders", "libx264", "--no-bisect", "--crf-sweep", ",".join(map(str, sweep)),
                          "--target-vmafs", "60,90,99.99")
    of = samples_by_codec(document)["libx264"]
    expect(sorted(of) == sweep, f"measured {sorted(of)}")
    for row in document["rows"]:
        passing = [sample for sample in of.values() if sample["vmaf"] >= row["target_vmaf"]]
        expect(row["ok"] == bool(passing), f"{row['target_vmaf']}: ok is {row['ok']}")
        if passing:
            best = min(passing, key=lambda sample: sample["bitrate_kbps"])
            expect(row["best_crf"] == best["crf"], f"{row['target_vmaf']}: {row['best_crf']}, not {best['crf']}")
        else:
            expect("99.99" in row["error"], f"the error is {row['error']}")
    expect(not document["rows"][2]["ok"], "99.99 is reached by CRF 20")


def check_refusals(bench, common):
    bench.refuse(*common, "--encoders", "libx999")
    bench.refuse(*common)
    bench.refuse(*common, "--encoders", "libx264,libx264")
    bench.refuse(*common, "--encoders", "libx264", "--no-bisect")
    bench.refuse(*common, "--encoders", "libx264", "--crf-sweep", "20")
    bench.refuse(*common, "--encoders", "libx264", "--encoder-ffmpeg-bin", "libx265=/bin/true")
    bench.refuse(*common, "--encoders", "libx264", "--output", bench.path("missing/file"))
    none = bench.json(*common, "--encoders", "libx264@gone", "--encoder-ffmpeg-bin", "libx264@gone=/nonexistent", status=1)
    expect([row["ok"] for row in none["rows"]] == [False], "what is not there is ok")
    none = bench.json(*common, "--encoders", "libx264", "--target-vmaf", "100", "--crf-min", "30", status=1)
    expect("unreachable" in none["rows"][0]["error"], f"the error is {none['rows'][0]['error']}")


def check_interrupt(bench, common):
    """Ctrl-C while the second encoder encodes: what the first has found is told."""
    begun = bench.path("begun")
    script = bench.script("slow-ffmpeg", f'case "$*" in *clip.y4m*) : >{begun}; exec sleep 1000;; esac\nexec ffmpeg "$@"\n')
    with bench.start(*common, "--encoders", "libx264,libx264@slow", "--encoder-ffmpeg-bin", f"libx264@slow={script}",
                     "--target-vmaf", "80", "--no-cache", "--format", "json", stdout=subprocess.PIPE,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as program:
        while not os.path.exists(begun) and program.poll() is None:
            time.sleep(0.05)
        program.send_signal(signal.SIGINT)
        output = program.communicate()[0]
    expect(program.returncode == 130, f"interrupted, it returns {program.returncode}")
    expect([(row["codec"], row["ok"]) for row in json.loads(output)["rows"]] == [("libx264", True), ("libx264@slow", False)],
           f"interrupted, it prints {output}")


def check_share(bench, common):
    """Encoders together make as many encodes at a time as there are jobs. Each encode notes how many there are."""
    notes = bench.path("notes")
    os.mkdir(notes)
    script = bench.script("noting-ffmpeg", f'case "$*" in *clip.y4m*) ;; *) exec ffmpeg "$@";; esac\ncd {notes}\n: >running.$$\n'
                          # Those that were killed have left their notes behind.
                          'n=0\nfor note in running.*; do kill -0 ${note#running.} 2>/dev/null && n=$((n + 1)); done\n'
                          'echo $n >>count\nffmpeg "$@"\nstatus=$?\nsleep 0.2\nrm running.$$\nexit $status\n')
    for jobs, targets, encoders in ((3, "80", "libx264@a,libx264@b"), (2, "70,90", "libx264@a,libx264@b,libx264@c")):
        bench.json(*common, "--no-cache", "--workdir", bench.folder, "--encoders", encoders,
                   "--target-vmafs", targets, "--ffmpeg-bin", script, "-j", str(jobs), status=0)
        counts = [int(line) for line in bench.text("notes/count").splitlines()]
        expect(counts and max(counts) <= jobs, f"{max(counts)} encodes at a time, not {jobs}")
        os.remove(os.path.join(notes, "count"))


def check_compare(bench):
    common = ("compare", "--src", bench.clip, "--preset", "veryfast", "-q")
    named = ["libx264", "libx264@same", "libx264@gone"] + (["libx265"] if "libx265" in encoders() else [])
    arguments = (*common, "--encoders", ",".join(named), "--target-vmafs", "70,80,88,94", "--encoder-ffmpeg-bin",
                 f"libx264@same={shutil.which('ffmpeg')}", "--encoder-ffmpeg-bin", "libx264@gone=/nonexistent")
    document = bench.json(*arguments, "-j", "3")
    expect(len(document["rows"]) == 4 * len(named), f"{len(document['rows'])} rows")
    check_order(document)
    samples = check_answers(document)
    for row in document["rows"]:
        expect(row["ok"] == (row["codec"] != "libx264@gone"), f"{row['codec']}: {row['error']}")
        expect(row["ok"] or "/nonexistent" in row["error"], f"the error is {row['error']}")
    by = {(row["codec"], row["target_vmaf"]): row for row in document["rows"]}
    for target in document["targets"]:
        expect(by["libx264", target]["bitrate_kbps"] == by["libx264@same", target]["bitrate_kbps"], "one ffmpeg, two results")
    n = len(samples)
    expect(len(document["bd_rates"]) == n * (n - 1), f"{len(document['bd_rates'])} deltas of {n} encoders")
    check_deltas(bench, document, samples)
    # Alone, and one at a time, the answers are the same.
    bisect = bench.json("bisect", "--src", bench.clip, "--preset", "veryfast", "--target-vmaf", "88", "--no-cache", "-q")
    expect(bisect["best_crf"] == by["libx264", 88]["best_crf"], "bisect finds another CRF")
    serial = bench.json(*arguments, "--no-parallel")
    expect([(row["codec"], row["best_crf"]) for row in serial["rows"]] ==
           [(row["codec"], row["best_crf"]) for row in document["rows"]], "with jobs the answers are others")
    expect("bd_rates" not in bench.json(*common, "--encoders", "libx264", "--target-vmaf", "80"), "deltas of one target")
    check_formats(bench, arguments, serial)
    check_kept(bench, arguments, serial)
    check_sweep(bench, common)
    check_refusals(bench, common)
    check_interrupt(bench, common)
    check_share(bench, common)
    bench.write("compare.json", json.dumps(document))
    page = bench.call("report", "compare.json", "--format", "markdown")
    for row in document["rows"]:
        expect(not row["ok"] or f"{row['bitrate_kbps']:.1f}" in page, f"{row['codec']} is not in the report")


def check_row(bench, row, folder):
    """Size, percent and score of an answer, by an ffmpeg command of one's own and the vmaf program."""
    path = os.path.join(folder, "own.mkv")
    preset = row["codec"].partition(":preset=")[2]
    ffmpeg("-i", bench.clip, "-c:v", "libx264", "-preset", preset, "-crf", str(row["best_crf"]), "-pix_fmt", "yuv420p", path)
    packets = bench.packets(path)
    expect(row["size_bytes"] == sum(packet[1] for packet in packets), f"{row['size_bytes']} bytes, not {packets}")
    of_source = sum(packet[1] for packet in bench.packets(bench.clip))
    expect(close(row["percent_of_source"], 100 * row["size_bytes"] / of_source), f"{row['percent_of_source']} % of the source")
    score = bench.score(path)
    expect(abs(score - row["vmaf_score"]) < 2e-6, f"{row['codec']} scores {score}, not {row['vmaf_score']}")


def check_speed(bench, common):
    """Speeds are those of encodes beside which none is made, with all that such an encode takes."""
    notes = bench.path("speeds")
    os.mkdir(notes)
    script = bench.script("timed-ffmpeg", f'case "$*" in *clip.y4m*) ;; *) exec ffmpeg "$@";; esac\ncd {notes}\n: >running.$$\n'
                          'n=$(ls running.* | wc -l)\nbegun=$(date +%s%N)\nffmpeg "$@"\nstatus=$?\nsleep 0.3\n'
                          'echo "$n $(($(date +%s%N) - begun)) $*" >>log\nrm running.$$\nexit $status\n')
    words = (*common, "--encoder", "libx264@a,libx264@b", "--target", "vmaf=80", "--ffmpeg-bin", script)
    for more, encodes_more in (("--no-cache", False), (("-j", "2"), True), (("-j", "1"), True)):
        more = (more,) if isinstance(more, str) else more
        rows = bench.json(*words, *more)["rows"]
        log = [line.split(" ", 2) for line in bench.text("speeds/log").splitlines()]
        alone = [(int(n), int(ns) / 1e9) for n, ns, line in log if ("alone.mkv" in line) == encodes_more
                 and f"-crf {rows[0]['best_crf']} " in line]
        expect(len(alone) == 2 and max(n for n, _ in alone) == 1, f"{more}: encodes to be timed: {log}")
        # The program counts what it takes to begin the script as well, which is long on a busy machine.
        slowest, fastest = FRAMES / max(s for _, s in alone) * 0.2, FRAMES / min(s for _, s in alone) * 1.2
        for row in rows:
            expect(slowest <= row["speed_fps"] <= fastest, f"{more}: {row['speed_fps']}, not {slowest} to {fastest}")
        os.remove(os.path.join(notes, "log"))
    rows = bench.json(*words, "-j", "2", "--no-speed")["rows"]
    expect(not os.path.exists(os.path.join(notes, "log")) and [row["speed_fps"] for row in rows] == [None, None], f"{rows}")


def check_speed_interrupted(bench, common):
    """Ctrl-C while a speed is measured: what was found is told without it, and nothing is left behind."""
    begun = bench.path("begun-alone")
    script = bench.script("slow-alone", f'case "$*" in *alone.mkv*) : >{begun}; exec sleep 1000;; esac\nexec ffmpeg "$@"\n')
    before = sorted(os.listdir(bench.folder))
    with bench.start(*common, "--encoder", "libx264", "--target", "vmaf=80", "-j", "2", "--ffmpeg-bin", script, "--json",
                     stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as program:
        while not os.path.exists(begun) and program.poll() is None:
            time.sleep(0.05)
        program.send_signal(signal.SIGINT)
        output = program.communicate()[0]
    expect(program.returncode == 130, f"interrupted, it returns {program.returncode}")
    expect([(row["ok"], row["speed_fps"]) for row in json.loads(output)["rows"]] == [(True, None)], output)
    expect(sorted(os.listdir(bench.folder)) == sorted([*before, "begun-alone"]), "something is left behind")


def check_progress(bench, common):
    """On a terminal a line that is written again, else one for each encode."""
    words = [bench.tune, *common[:-1], "--encoder", "libx264", "--target", "vmaf=80", "--no-cache", "--no-speed"]
    shown = subprocess.run(words, capture_output=True, check=True, env=bench.environment).stderr.decode()
    expect(shown and "\x1b" not in shown and "\r" not in shown, f"no terminal: {shown!r}")
    expect(all(" crf " in line for line in shown.splitlines()), f"no terminal: {shown!r}")
    leader, follower = os.openpty()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=follower, env=bench.environment) as program:
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 4096):
                shown += piece
        except OSError:  # the other end is closed
            pass
        os.close(leader)
    expect(program.returncode == 0 and b"\r" in shown and b"libx264" in shown, f"terminal: {shown!r}")


def check_table(bench):
    """What the table says of presets side by side, as a page and in files."""
    common = ("compare", "--src", bench.clip, "-q")
    names = ["libx264:preset=ultrafast", "libx264:preset=fast"]
    page, table = bench.path("page.html"), bench.path("table.csv")
    words = (*common, "--encoder", names[0], "--encoder", names[1], "--target", "vmaf=70,80,88,94")
    document = json.loads(bench.call(*words, "--json", "--report", page))
    for row in document["rows"]:
        expect(row["ok"] and row["preset"] == row["codec"].partition("=")[2], f"{row}")
        if row["target_vmaf"] in (80, 94):
            check_row(bench, row, bench.folder)
    expect(document["baseline"] == names[0], f"the baseline is {document['baseline']}")
    delta = next(delta for delta in document["bd_rates"] if delta["codec"] == names[1])
    expect(delta["bd_rate_low"] < delta["bd_rate"] < delta["bd_rate_high"], f"{delta}")
    text = bench.text("page.html")
    for words_of_page in ("<!DOCTYPE html>", names[0], names[1], f"{100 * abs(delta['bd_rate']):.1f}\u202f%", "frames/s"):
        expect(words_of_page in text, f"the page does not say {words_of_page}")
    again = json.loads(bench.call(*words, "--no-speed", "--baseline", names[1], "-o", table, "--json"))
    expect(again["bd_rates"] == document["bd_rates"] and again["baseline"] == names[1], "JSON beside a file")
    with open(table, encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    other = next(delta for delta in document["bd_rates"] if delta["codec"] == names[0])
    for line in lines:
        wanted = "" if line["codec"] == names[1] else f"{other['bd_rate']:.3f}"
        expect(line["bd_rate"] == wanted, f"BD-rate {line['bd_rate']}, not {wanted}")
    markdown = bench.call(*words)
    expect(f"| {100 * delta['bd_rate']:+.1f} % ({100 * delta['bd_rate_low']:+.1f} to {100 * delta['bd_rate_high']:+.1f}) |"
           in markdown, markdown)
    for wrong in (("--baseline", "libx265"), ("--report", bench.path("x.txt")), ("--target", "psnr=40"), ("--target", "vmaf=101"),
                  ("--target", "vmaf=80,"), ("--encoder", "libx264:tune=film"), ("--encoder", names[0])):
        bench.refuse(*words, *wrong)
    # Of samples, the same frames of the source.
    row = bench.json(*common, "--encoder", "libx264", "--target", "vmaf=80", "--sample-clip-seconds", "1")["rows"][0]
    packets = [packet[1] for packet in bench.packets(bench.clip)]
    frames = round(RATE)
    first = (FRAMES - frames) // 2
    percent = 100 * row["size_bytes"] / sum(packets[first:first + frames])
    expect(close(row["percent_of_source"], percent), f"of samples {row['percent_of_source']} %, not {percent}")
    # A raw source takes what its frames take.
    raw = bench.path("clip.yuv")
    ffmpeg("-i", bench.clip, "-f", "rawvideo", raw)
    raw_words = ("compare", "--src", raw, "--width", WIDTH, "--height", HEIGHT, "--framerate", RATE, "-q", "--encoder", "libx264",
                 "--target", "vmaf=80", "--no-speed")
    row = bench.json(*raw_words)["rows"][0]
    expect(close(row["percent_of_source"], 100 * row["size_bytes"] / os.path.getsize(raw)), f"of raw video {row}")
    bench.call(*raw_words, "--dry-run")
    check_speed(bench, common)
    check_speed_interrupted(bench, common)
    check_progress(bench, common)


# -- ladder --

def pixels(point):
    return point["width"] * point["height"]


def hull_of(samples, monotone=True):
    """Upper convex hull of the Pareto front; then no size below that of a cheaper one."""
    front = []
    for point in sorted(samples, key=lambda sample: (sample["bitrate_kbps"], -sample["vmaf"])):
        if not front or point["vmaf"] > front[-1]["vmaf"]:
            front.append(point)
    hull = []
    for point in front:
        while len(hull) >= 2:
            (x0, y0), (x1, y1) = ((p["bitrate_kbps"], p["vmaf"]) for p in hull[-2:])
            if (x1 - x0) * (point["vmaf"] - y0) - (y1 - y0) * (point["bitrate_kbps"] - x0) < 0:
                break
            hull.pop()
        hull.append(point)
    kept = []
    for point in hull:
        if not monotone or not kept or pixels(point) >= max(map(pixels, kept)):
            kept.append(point)
    return kept


def choose(hull, n):
    if len(hull) <= n:
        return hull
    places = [math.log(point["bitrate_kbps"]) for point in hull]
    taken = {0, len(hull) - 1}
    for i in range(1, n - 1):
        wanted = places[0] + (places[-1] - places[0]) * i / (n - 1)
        nearest = min(range(len(hull)), key=lambda k: abs(places[k] - wanted))
        free = [k for k in range(nearest, len(hull)) if k not in taken]
        free += [k for k in range(nearest, -1, -1) if k not in taken]
        taken.add(free[0])
    return [hull[k] for k in sorted(taken)]


def identity(point):
    return (point["width"], point["height"], point["crf"], point["bitrate_kbps"])


def check_choice(document, n):
    samples = [sample for sample in document["samples"] if "error" not in sample]
    expect(len({identity(sample)[:3] for sample in samples}) == len(samples), "something was measured twice")
    hull = hull_of(samples)
    expect(list(map(identity, document["hull"])) == list(map(identity, hull)), "another hull")
    expect(list(map(identity, document["renditions"])) == list(map(identity, choose(hull, n))), "other rungs")
    expect(len(document["renditions"]) == n, f"{len(document['renditions'])} rungs")


def answers_of(samples, targets):
    """The cheapest of what reaches each target, no size below that of a cheaper one."""
    rungs = []
    for target in sorted(targets):
        passing = [sample for sample in samples if sample["vmaf"] >= target and
                   (not rungs or pixels(sample) >= pixels(rungs[-1]))]
        best = min(passing, key=lambda sample: (sample["bitrate_kbps"], -sample["vmaf"]), default=None)
        if best and best not in rungs:
            rungs.append(best)
    return rungs


TARGETS = (45, 60, 75, 90)
SIZES = ((160, 96), (80, 48), (120, 72))


def check_rungs(document, n=len(TARGETS), lowest=0, highest=math.inf):
    samples = document["samples"]
    expect(len({identity(sample)[:3] for sample in samples}) == len(samples), "something was measured twice")
    wanted = choose(answers_of([s for s in samples if lowest <= s["bitrate_kbps"] <= highest], TARGETS), n)
    expect(list(map(identity, document["renditions"])) == list(map(identity, wanted)), f"{document['renditions']}, not {wanted}")
    for rung in document["renditions"]:
        expect(rung["target_vmaf"] == max(target for target in TARGETS if target <= rung["vmaf"]), f"{rung}")


def check_cheapest(bench, rung):
    """One step of CRF more, made by ffmpeg alone, misses the target."""
    path = bench.path("more.mkv")
    ffmpeg("-i", bench.clip, "-vf",
           f"scale={rung['width']}:{rung['height']}:flags=lanczos,setsar=1", "-c:v", "libx264", "-preset", "veryfast", "-crf",
           str(rung["crf"] + 1), "-g", "12", "-force_key_frames", "0.5,1,1.5", path)
    score = bench.score(path)
    expect(score < rung["target_vmaf"] <= rung["vmaf"], f"CRF {rung['crf'] + 1} has {score}: {rung}")


def crossing(samples, target):
    """Bitrate at which the line through its logarithm over the score has a target; None: out of reach."""
    points = sorted((sample["vmaf"], math.log(sample["bitrate_kbps"])) for sample in samples)
    for (low, cheap), (high, dear) in zip(points, points[1:]):
        if low < target <= high:
            return math.exp(cheap + (dear - cheap) * (target - low) / (high - low))
    return None


def check_few(bench, arguments, document):
    """A sweep of all sizes tells what the best answers are. Clips take about 16 encodes; of this one smaller sizes end
    far below what priors expect."""
    expect(len(document["samples"]) <= 20, f"{len(document['samples'])} encodes")
    sweep = bench.json(*arguments, "--crf-sweep", ",".join(map(str, range(14, 50, 3))), "-j", "2")["samples"]
    expect(len(sweep) == 36, f"the sweep has {len(sweep)} encodes")
    lost = []
    for rung in document["renditions"]:
        curves = [[s for s in sweep if (s["width"], s["height"]) == size] for size in SIZES]
        best = min(filter(None, (crossing(curve, rung["target_vmaf"]) for curve in curves)))
        lost.append(rung["bitrate_kbps"] / best - 1)
    # A step of CRF is 12 % of the bits.
    expect(max(lost) < 0.25 and sum(lost) / len(lost) < 0.12, f"rungs are dearer than the best by {lost}")


PROFILES = {"Constrained Baseline": "42E0", "Main": "4D00", "High": "6400", "High 10": "6E00"}


def segments_of(path):
    """Bytes of the fragments of an MP4, by its outermost boxes; and where the index begins."""
    segments, index, position = [], None, 0
    with open(path, "rb") as file:
        content = file.read()
    while position < len(content):
        size, name = int.from_bytes(content[position:position + 4], "big"), content[position + 4:position + 8]
        if name == b"sidx":
            index = position
        elif name == b"moof":
            segments.append(size)
        elif name == b"mdat":
            segments[-1] += size
        position += size
    return segments, index


def check_rung(bench, rung, seconds):
    path = bench.path(os.path.join("media", rung["uri"]))
    stream, packets = bench.stream(path), bench.packets(path)
    expect((stream["width"], stream["height"]) == (rung["width"], rung["height"]), f"{rung['uri']} has another size")
    expect(rung["codecs"] == f"avc1.{PROFILES[stream['profile']]}{stream['level']:02X}", f"{rung['codecs']}: {stream['profile']}")
    expect(len(packets) == FRAMES, f"{rung['uri']} has {len(packets)} frames")
    segments = segments_of(path)[0]
    expect(len(segments) == 4, f"{rung['uri']} has {len(segments)} fragments")
    # How long the last frame is, ffmpeg guesses.
    average, peak = sum(segments) * 8 / (FRAMES / RATE), max(segments) * 8 / seconds
    expect(close(rung["bandwidth_bps"], average, 0.01), f"{rung['uri']}: {average} bit/s, not {rung['bandwidth_bps']}")
    expect(close(rung["peak_bandwidth_bps"], peak, 0.03), f"{rung['uri']}: {peak} at most, not {rung['peak_bandwidth_bps']}")
    expect(peak > average * 1.05, "the clip has no peak, so this tells nothing")
    keys = {round(time * RATE) for time, _, is_key in packets if is_key}
    wanted = set(range(0, FRAMES, round(seconds * RATE)))
    expect(wanted <= keys, f"{rung['uri']} has keyframes at {sorted(keys)}")
    score = bench.score(path)
    expect(abs(score - rung["vmaf"]) < 2e-6, f"{rung['uri']} scores {score}, not {rung['vmaf']}")
    return keys - wanted


def attributes(line):
    return dict(re.findall(r'([A-Z-]+)=("[^"]*"|[^",]+)(?:,|$)', line.split(":", 1)[1]))


def check_hls(bench, arguments, document):
    bench.call(*arguments, "--format", "hls", "--emit-media", "-o", bench.path("media/ladder.m3u8"))
    lines = bench.text("media/ladder.m3u8").split("\n")
    head = ["#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-INDEPENDENT-SEGMENTS"]
    expect(lines[:3] == head and lines[-1] == "", f"begins with {lines[:3]}")
    lines = lines[3:-1]
    expect(len(lines) == 2 * len(document["renditions"]), f"{len(lines)} lines")
    for rung, line, uri in zip(document["renditions"], lines[::2], lines[1::2]):
        wanted = {"BANDWIDTH": str(rung["peak_bandwidth_bps"]), "AVERAGE-BANDWIDTH": str(rung["bandwidth_bps"]),
                  "RESOLUTION": f"{rung['width']}x{rung['height']}", "CODECS": f'"{rung["codecs"]}"', "FRAME-RATE": "24.000"}
        expect(line.startswith("#EXT-X-STREAM-INF:") and attributes(line) == wanted, f"{line}, not {wanted}")
        expect(uri == f"rendition_{rung['width']}x{rung['height']}_{rung['bitrate_kbps']:.0f}k.m3u8", f"the URI is {uri}")
        durations = [float(number) for number in re.findall(r"#EXTINF:([\d.]+)", bench.text("media/" + uri))]
        # ffmpeg guesses how long the last frame is.
        expect(durations[:3] == [0.5, 0.5, 0.5] and len(durations) == 4 and abs(durations[3] - 0.5) < 0.02, f"{uri} has segments of {durations}")
        expect(len(bench.packets(bench.path("media/" + uri))) == FRAMES, f"{uri} does not play")


def check_dash(bench, arguments, document):
    namespace = "{urn:mpeg:dash:schema:mpd:2011}"
    bench.call(*arguments, "--format", "dash", "--emit-media", "-o", bench.path("media/ladder.mpd"))
    mpd = ElementTree.parse(bench.path("media/ladder.mpd")).getroot()
    expect(mpd.tag == namespace + "MPD" and mpd.get("type") == "static", f"the root is {mpd.tag}")
    expect(mpd.get("mediaPresentationDuration") == "PT2.000S", f"it lasts {mpd.get('mediaPresentationDuration')}")
    sets = mpd.findall(f"{namespace}Period/{namespace}AdaptationSet")
    expect(len(sets) == 1 and sets[0].get("contentType") == "video", "not one set of videos")
    representations = sets[0].findall(namespace + "Representation")
    expect(len(representations) == len(document["renditions"]), f"{len(representations)} representations")
    for i, (rung, element) in enumerate(zip(document["renditions"], representations)):
        wanted = {"id": f"r{i}", "bandwidth": str(rung["peak_bandwidth_bps"]), "width": str(rung["width"]),
                  "height": str(rung["height"]), "frameRate": "24", "codecs": rung["codecs"], "mimeType": "video/mp4"}
        expect(element.attrib == wanted, f"{element.attrib}, not {wanted}")
        uri = element.find(namespace + "BaseURL").text
        expect(uri == rung["uri"], f"the URI is {uri}")
        base = element.find(namespace + "SegmentBase")
        first, last = map(int, base.get("indexRange").split("-"))
        with open(bench.path("media/" + uri), "rb") as file:
            content = file.read()
        expect(content[first + 4:first + 8] == b"sidx" and int.from_bytes(content[first:first + 4], "big") == last + 1 - first,
               f"{uri}: no index at {first}")
        expect(base.find(namespace + "Initialization").get("range") == f"0-{first - 1}", "the beginning is elsewhere")
        references = int.from_bytes(content[first + 38:first + 40], "big")
        expect(references == 4, f"{uri} has {references} segments")


def check_folder(bench):
    """A folder with both manifests, and the sound in three languages, which plays."""
    source = bench.path("spoken.mkv")
    tones = [word for i in range(3) for word in ("-f", "lavfi", "-i", f"sine={220 << i}:d=2")]
    ffmpeg("-i", bench.clip, *tones, "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "ffv1", "-c:a:0", "aac",
           "-ac:a:1", "6", "-c:a:1", "ac3", "-c:a:2", "pcm_s16le", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1",
           "language=deu", source)
    said = bench.run("ladder", "--src", source, "--preset", "veryfast", "--sizes", "160x96,80x48", "--target", "vmaf=75,45",
                     "--segment-seconds", "0.5", "-o", bench.path("stream"))[1]
    expect("audio 2: ac3 becomes AAC" in said and "audio 3: pcm_s16le becomes AAC" in said and "audio 1" not in said, said)
    names = sorted(os.listdir(bench.path("stream")))
    expect(names.count("master.m3u8") == 1 and names.count("manifest.mpd") == 1 and
           len([name for name in names if name.endswith(".mp4")]) == 5 and len(names) == 12, f"{names}")
    lines = bench.text("stream/master.m3u8").splitlines()
    audio = [attributes(line) for line in lines if line.startswith("#EXT-X-MEDIA:")]
    expect([(a.get("LANGUAGE"), a["CHANNELS"], a["DEFAULT"], a["URI"]) for a in audio] ==
           [('"en"', '"1"', "YES", '"audio_0.m3u8"'), ('"de"', '"6"', "NO", '"audio_1.m3u8"'),
            (None, '"1"', "NO", '"audio_2.m3u8"')], f"{audio}")
    expect(len({a["NAME"] for a in audio}) == 3, f"{audio}")
    sound = [segments_of(bench.path(f"stream/audio_{i}.mp4"))[0] for i in range(3)]
    heard = [sum(int(packet["size"]) for packet in probe(bench.path(f"stream/audio_{i}.mp4"), "-show_entries", "packet=size")["packets"])
             for i in range(3)]
    expect(all(len(segments) in (4, 5) for segments in sound), f"{sound}")
    variants = [(attributes(line), lines[i + 1]) for i, line in enumerate(lines) if line.startswith("#EXT-X-STREAM-INF:")]
    expect(len(variants) == 2, f"{lines}")
    for variant, uri in variants:
        segments = segments_of(bench.path("stream/" + uri.replace(".m3u8", ".mp4")))[0]
        average = (sum(segments) + max(map(sum, sound))) * 8 / 2
        expect(close(int(variant["AVERAGE-BANDWIDTH"]), average, 0.05), f"{variant}: {average}")
        # Headers of fragments come on top of packets: some 60 bytes, and some for each packet.
        packets = bench.packets(bench.path("stream/" + uri.replace(".m3u8", ".mp4")))
        of_packets = (sum(packet[1] for packet in packets) + max(heard)) * 8 / 2
        expect(0 < int(variant["AVERAGE-BANDWIDTH"]) - of_packets < 0.05 * of_packets + 16000, f"{variant}: packets have {of_packets}")
        in_segment = max(sum(size for time, size, _ in packets if i / 2 <= time < (i + 1) / 2) for i in range(4)) * 16
        expect(int(variant["BANDWIDTH"]) > in_segment, f"{variant}: packets of a segment have {in_segment}")
        expect(int(variant["BANDWIDTH"]) > int(variant["AVERAGE-BANDWIDTH"]), f"{variant}")
        expect(variant["AUDIO"] == '"audio"' and re.fullmatch('"avc1[.][0-9A-F]{6},mp4a.40.2"', variant["CODECS"]), f"{variant}")
    for manifest in ("master.m3u8", "manifest.mpd"):
        path = bench.path("stream/" + manifest)
        streams = probe(path, "-show_streams")["streams"]
        expect(sorted(stream["codec_type"] for stream in streams) == ["audio"] * 3 + ["video"] * 2, f"{manifest}: {streams}")
        expect(len(ffmpeg("-i", path, "-map", "0:v:0", "-f", "rawvideo", "-pix_fmt", "gray", "-")) % FRAMES == 0, manifest)
        for i in range(3):
            heard = len(ffmpeg("-i", path, "-map", f"0:a:{i}", "-f", "s16le", "-ac", "1", "-ar", "44100", "-")) / 2 / 44100
            expect(abs(heard - 2) < 0.06, f"{manifest}: {heard} s of audio {i}")


def check_audio(bench):
    """Sound as it is asked for, and what an earlier ladder has left in the folder."""
    source, folder = bench.path("heard.mkv"), bench.path("stream")
    tones = [word for i in range(3) for word in ("-f", "lavfi", "-i", f"sine={220 << i}:d=2")]
    bench.write("chapters.txt", ";FFMETADATA1\n" + "".join(
        f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={i * 1000}\nEND={i * 1000 + 1000}\ntitle=part {i}\n" for i in range(2)))
    ffmpeg("-i", bench.clip, *tones, "-i", bench.path("chapters.txt"), "-map", "0", "-map", "1", "-map", "2", "-map", "3",
           "-map_chapters", "4", "-c:v", "ffv1", "-c:a", "aac", source)
    words = ("ladder", "--src", source, "--preset", "veryfast", "-q", "--sizes", "80x48", "--segment-seconds", "0.5", "-o", folder)

    def listed():
        return sorted(os.listdir(folder))

    def rungs():
        return [name for name in listed() if name.startswith("rendition_")]

    bench.call(*words, "--target", "vmaf=40")
    before = rungs()
    expect([name for name in listed() if name.startswith("audio")] ==
           [f"audio_{i}.{ending}" for i in range(3) for ending in ("m3u8", "mp4")], f"{listed()}")
    mine = ["audio_7.mp4", "audio_book.mp4", "rendition_of_a_song.mp4", "notes.txt"]
    for name in mine:
        bench.write("stream/" + name, "mine")
    # A run that fails leaves all of it; so does one with sound that cannot be made, which no encode is needed for.
    everything = listed()
    bench.call(*words, "--target", "vmaf=40")
    expect(listed() == everything, f"the same once more: {listed()}, not {everything}")
    bench.call(*words, "--target", "vmaf=99.9", "--crf-max", "51", "--crf-min", "50", status=1)
    said = bench.run(*words, "--target", "vmaf=40", "--audio", "-c:a nonsense", "--ffmpeg", bench.script(
        "counting-ffmpeg", f'case "$*" in *heard.mkv*libx264*) echo x >>{bench.path("encodes")};; esac\nexec ffmpeg "$@"\n'), "--no-cache", status=1)[1]
    expect("audio 1 (--audio): " in said and "nonsense" in said and "\\x0a" not in said, said)
    expect(not os.path.exists(bench.path("encodes")), "encodes before the sound was tried")
    expect(listed() == everything, f"{listed()}, not {everything}")
    # Without sound there is no group of it, and no file.
    bench.call(*words, "--target", "vmaf=40", "--audio", "none")
    expect(listed() == sorted([*before, *mine, "manifest.mpd", "master.m3u8"]), f"{listed()}")
    for manifest in ("master.m3u8", "manifest.mpd"):
        expect("audio" not in bench.text("stream/" + manifest).lower(), bench.text("stream/" + manifest))
        streams = probe(os.path.join(folder, manifest), "-show_streams")["streams"]
        expect([stream["codec_type"] for stream in streams] == ["video"], f"{manifest}: {streams}")
    # With arguments, and other rungs: those of before go.
    bench.call(*words, "--target", "vmaf=55", "--audio", "-c:a flac -strict -2")
    expect(not set(rungs()) - {"rendition_of_a_song.mp4"} & set(before), f"{rungs()}, {before}")
    expect(len(rungs()) == 3 and set(mine) <= set(listed()), f"{listed()}")
    line = next(line for line in bench.text("stream/master.m3u8").splitlines() if line.startswith("#EXT-X-STREAM-INF"))
    expect(re.search(r'CODECS="avc1[.][0-9A-F]{6},fLaC"', line), line)
    for manifest in ("master.m3u8", "manifest.mpd"):
        streams = probe(os.path.join(folder, manifest), "-show_streams")["streams"]
        expect(sorted(stream["codec_name"] for stream in streams) == ["flac"] * 3 + ["h264"], f"{manifest}: {streams}")
    expect(all(bench.text("stream/" + name) == "mine" for name in mine), "files of the user")
    # Of a video that begins late, the sound of then: there is none before.
    ffmpeg("-itsoffset", "0.5", "-i", bench.clip, "-f", "lavfi", "-i", "sine=d=2.5,volume=0:enable='lt(t,0.45)'", "-map", "0", "-map", "1",
           "-c:v", "ffv1", "-c:a", "aac", bench.path("late.mkv"))
    bench.call("ladder", "--src", bench.path("late.mkv"), "--preset", "veryfast", "-q", "--sizes", "80x48", "--crf-sweep", "40", "-o", folder)
    samples = ffmpeg("-i", bench.path("stream/audio_0.mp4"), "-t", "0.3", "-f", "s16le", "-ac", "1", "-")
    expect(max(samples[len(samples) // 3 | 1::2]) > 0, "the sound begins before the video")


def check_sizes(bench):
    """What sizes and targets are, by the commands that a dry run prints."""
    def sizes(source, *more):
        # The size of the source itself is not scaled to.
        text = bench.call("ladder", "--src", source, "-q", "--dry-run", *more)
        return [tuple(map(int, found)) for found in re.findall(r"scale=(?:w=)?(\d+):(?:h=)?(\d+)", text)], text.count("libx264")

    for size, layout, wanted in (("1920x1080", "yuv420p", [(426, 240), (640, 360), (960, 540), (1280, 720)]),
                                 ("1913x801", "yuv420p", [(574, 240), (860, 360), (1290, 540), (1720, 720), (1912, 800)])):
        ffmpeg("-f", "lavfi", "-i", f"color=s={size},format=gbrp,format={layout}", "-frames:v", "2", "-c:v", "ffv1", bench.path("plain.mkv"))
        found, n = sizes("plain.mkv")
        expect(found == wanted and n == 5, f"{size}: {found}, {n}")
    for layout, good, bad in (("yuv420p", ["640x360"], ["639x360", "640x359"]), ("yuv422p", ["640x359"], ["639x360"]),
                              ("yuv444p", ["639x359"], [])):
        ffmpeg("-f", "lavfi", "-i", f"color=s=640x360,format={layout}", "-frames:v", "2", "-c:v", "ffv1", bench.path("small.mkv"))
        for name in good:
            sizes("small.mkv", "--sizes", name)
        for name in bad:
            bench.refuse("ladder", "--src", "small.mkv", "-q", "--dry-run", "--sizes", name)
    for name in ("", "640", "640x", "x360", "640x360p", "0x360", "-2x-2", "640x-360", "99999x10", "640 360", "640X360", "642x360",
                 "640x362"):
        bench.refuse("ladder", "--src", "small.mkv", "-q", "--dry-run", "--sizes", name)
    sizes("small.mkv", "--sizes", "1280x720", "--allow-upscale")
    expect(sizes("small.mkv", "--sizes", "320x180,160x90,320x180")[0] == [(160, 90), (320, 180)], "each once, from small to large")
    for goal in ("vmaf", "vmaf=", "vmaf=a", "vmaf=95,", "vmaf=101", "vmaf=-1", "95", "vmaf=95;80", "psnr=40", "=3",
                 "vmaf=" + ",".join(map(str, range(40)))):
        bench.refuse("ladder", "--src", "small.mkv", "-q", "--dry-run", "--target", goal)
    bench.refuse("ladder", "--src", "small.mkv", "-q", "--dry-run", "--target", "vmaf=90", "--target", "psnr_y=40,42")


def check_variants(bench, arguments, document):
    rungs = list(map(identity, document["renditions"]))
    # Without a cache it is the same, and nothing is left.
    os.mkdir(bench.path("work"))
    again = bench.json(*arguments, "--no-cache", "--workdir", bench.path("work"), "-j", "2")
    expect(set(map(identity, again["renditions"])) <= set(map(identity, again["samples"])), "a rung was not measured")
    check_rungs(again)
    expect(os.listdir(bench.path("work")) == [], f"{os.listdir(bench.path('work'))} is left")
    # Encodes that the cache has lost are made again.
    shutil.rmtree(bench.path("cache/vmaf-tune/blobs"))
    expect(list(map(identity, bench.json(*arguments)["renditions"])) == rungs, "other rungs after the cache was cleared")
    least, most = (document["renditions"][i]["bitrate_kbps"] for i in (1, -2))
    below = bench.json(*arguments, "--max-bitrate", str(most), "--min-bitrate", str(least))
    check_rungs(below, lowest=least, highest=most)
    expect(identity(below["renditions"][-1]) == rungs[-2], f"another highest rung below a limit: {below['renditions']}, {rungs}")
    said = bench.run(*arguments, "--max-bitrate", str(most))[1]
    expect(90 in bench.json(*arguments, "--max-bitrate", str(most))["unreachable_targets"], "JSON lacks the target")
    expect("VMAF 90 is unreachable" in said and "VMAF 75 is unreachable" not in said, said)
    check_rungs(bench.json(*arguments, "--quality-tiers", "3"), 3)
    one = bench.json(*arguments, "--quality-tiers", "1")["renditions"]
    expect(list(map(identity, one)) == rungs[-1:], "one rung is not the best")


def check_sweep_of_sizes(bench):
    """A coarse sweep: the hull has a large, poor encode before a good one that is a little smaller."""
    arguments = ("ladder", "--src", bench.clip, "--preset", "veryfast", "-q", "--resolutions", "80x48,128x76,160x96",
                 "--crf-sweep", "24,45", "--quality-tiers", "3", "--segment-seconds", "0.5")
    document = bench.json(*arguments)
    samples = document["samples"]
    expect({identity(sample)[:3] for sample in samples} ==
           {(w, h, q) for w, h in ((80, 48), (128, 76), (160, 96)) for q in (24, 45)}, "other samples than those of the sweep")
    check_choice(document, len(document["renditions"]))
    expect(hull_of(samples) != hull_of(samples, monotone=False), "sizes rise without a rule: this tells nothing")
    free = bench.json(*arguments, "--no-monotone-resolution")
    expect(list(map(identity, free["hull"])) == list(map(identity, hull_of(samples, monotone=False))), "another free hull")


def check_ladder(bench):
    arguments = ("ladder", "--src", bench.clip, "--preset", "veryfast", "-q", "--resolutions", "160x96,80x48,120x72",
                 "--target-vmafs", "90,60,45,75", "--quality-tiers", "4", "--segment-seconds", "0.5")
    os.mkdir(bench.path("media"))
    bench.call(*arguments, "--format", "json", "--emit-media", "-o", "media/ladder.json")
    document = bench.load("media/ladder.json")
    expect(document["schema"] == "vmaf-tune-ladder/v1" and document["encoder"] == "libx264", "another document")
    check_rungs(document)
    check_few(bench, arguments, document)
    expect(len(document["renditions"]) == len(TARGETS), f"{document['renditions']}")
    for rung in document["renditions"]:
        check_cheapest(bench, rung)
    for size in SIZES:
        scores = [sample["vmaf"] for sample in document["samples"] if (sample["width"], sample["height"]) == size]
        expect(scores, f"nothing of {size}")
    others = [check_rung(bench, rung, 0.5) for rung in document["renditions"]]
    expect(any(others), "no keyframe at the cut: nothing is known of segments with several")
    check_hls(bench, arguments, document)
    check_dash(bench, arguments, document)
    check_variants(bench, arguments, document)
    check_sweep_of_sizes(bench)
    check_folder(bench)
    page = bench.call("report", "media/ladder.json", "--format", "markdown")
    for rung in document["renditions"]:
        expect(f"| {rung['width']}×{rung['height']} | {rung['bitrate_kbps']:.0f} |" in page, f"{rung} is not in the report")
    bench.refuse(*arguments, "--resolutions", "320x192")
    bench.refuse(*arguments, "--resolutions", "81x48")
    bench.refuse(*arguments, "--resolutions", "80")
    bench.refuse(*arguments, "--emit-media")
    bench.refuse(*arguments, "--crf-sweep", "52")
    bench.refuse(*arguments, "-o", bench.path("missing/ladder.m3u8"))
    bench.refuse(*arguments, "--max-bitrate", "0.001", status=1)


# -- goals of other scores --

def psnr(bench, path):
    """Mean of luma by the other program, of what ffmpeg decodes and scales."""
    bench.scores(bench.clip, path, size=f"{WIDTH}:{HEIGHT}")
    frames = bench.report("reference.y4m", "distorted.y4m", "--feature", "psnr")["frames"]
    return sum(frame["metrics"]["psnr_y"] for frame in frames) / len(frames)


def expect_own_scores(samples):
    for sample in samples:
        expect((sample["vmaf"], sample["score"]) == (sample["scores"]["vmaf.mean"], sample["scores"]["psnr_y.mean"]), f"{sample}")


def check_goals_of_compare(bench, common):
    words = ("compare", *common, "--encoder", "libx264", "--no-speed", "--target", "psnr_y=34")
    document = bench.json(*words)
    row = document["rows"][0]
    expect(document["metric"] == "psnr_y.mean" and document["target_vmaf"] is None and document["targets"] == [34], f"{document}")
    expect(row["target"] == 34 and row["target_vmaf"] is None and row["conditions"] == ["psnr_y.mean>=34"], f"{row}")
    expect_own_scores(row["samples"])
    own = bench.path("own.mkv")
    for q in (row["best_crf"], row["best_crf"] + 1):
        ffmpeg("-i", bench.clip, "-c:v", "libx264", "-preset", "veryfast", "-crf", str(q), "-pix_fmt", "yuv420p", own)
        score = psnr(bench, own)
        expect((score >= 34) == (q == row["best_crf"]), f"{q} has {score}")
        if q == row["best_crf"]:
            expect(abs(score - row["score"]) < 2e-6, f"{score}, not {row['score']}")
            expect(abs(bench.score(own) - row["vmaf_score"]) < 2e-6, f"{row}")
    line = next(csv.DictReader(io.StringIO(bench.call(*words, "--format", "csv"))))
    expect((line["metric"], line["target"], line["target_vmaf"]) == ("psnr_y.mean", "34.000", ""), f"{line}")
    expect((line["score"], line["vmaf_score"]) == (f"{row['score']:.3f}", f"{row['vmaf_score']:.3f}"), f"{line}")
    page = bench.call(*words)
    for text in ("target psnr_y mean 34\n", "| psnr_y mean | VMAF | Status |", f"| {row['score']:.2f} | {row['vmaf_score']:.2f} | ok |",
                 f"(psnr_y mean {row['score']:.2f})"):
        expect(text in page, f"no {text} in {page}")
    shown = bench.call(*words, "--format", "html")
    for text in ("psnr_y.mean", f"{row['score']:.2f}"):
        expect(text in shown and f"VMAF {row['score']:.2f}" not in shown, f"no {text} in {shown}")
    # Several of a pool of VMAF; and a condition for all of another score, also beside the old name.
    rows = bench.json("compare", *common, "--encoder", "libx264", "--no-speed", "--target", "vmaf.p5=60,75")["rows"]
    expect([(row["target"], row["target_vmaf"], row["conditions"]) for row in rows] ==
           [(60, 60, ["vmaf.p5>=60"]), (75, 75, ["vmaf.p5>=75"])], f"{rows}")
    for goals in (("--target", "vmaf=50,60"), ("--target-vmafs", "50,60"), ("--target-vmaf", "50", "--target", "vmaf=60")):
        rows = bench.json("compare", *common, "--encoder", "libx264", "--no-speed", *goals, "--target", "psnr_y=34")["rows"]
        expect([row["target_vmaf"] for row in rows] == [50, 60] and {row["best_crf"] for row in rows} == {document["rows"][0]["best_crf"]},
               f"{goals}: {rows}")


def check_errors_of_compare(bench):
    """A score of which less is better, by a sweep."""
    clip = bench.path("bands.mkv")
    ffmpeg("-f", "lavfi", "-i", "gradients=s=320x240:r=24:d=0.25:c0=black:c1=gray:seed=1", "-pix_fmt", "yuv420p", "-c:v", "ffv1", clip)
    words = ("compare", "--src", clip, "--preset", "veryfast", "--encoder", "libx264", "--no-speed", "--no-bisect", "--crf-sweep", "20,30,40")
    samples = bench.json(*words, "--target", "cambi=24")["rows"][0]["samples"]
    scores = sorted(sample["score"] for sample in samples)
    expect(0 < scores[0] < scores[1] < scores[2], f"{scores} tell nothing")
    row, none = bench.json(*words, "--target", f"cambi={scores[1]!r},{scores[0] / 2!r}")["rows"]
    best = min((sample for sample in samples if sample["score"] <= scores[1]), key=lambda sample: sample["bitrate_kbps"])
    expect(row["ok"] and row["best_crf"] == best["crf"] and row["score"] == best["score"], f"{row}, not {best}")
    expect(not none["ok"] and f"reaches cambi mean {scores[0] / 2:g}" in none["error"], f"{none}")


def check_goals_of_ladder(bench, common):
    words = ("ladder", *common, "--sizes", "160x96,80x48", "--target", "psnr_y=36,28,99", "--segment-seconds", "0.5")
    os.mkdir(bench.path("media"))
    said = bench.run(*words, "--format", "json", "--emit-media", "-o", "media/ladder.json")[1]
    expect("psnr_y mean 99 is unreachable" in said and re.search(r"kbit/s, at most +[\d.]+, psnr_y mean +[\d.]+", said), said)
    document = bench.load("media/ladder.json")
    expect(document["metric"] == "psnr_y.mean" and document["unreachable_targets"] == [99], f"{document}")
    expect_own_scores(document["samples"])
    rungs = document["renditions"]
    expect([rung["target"] for rung in rungs] == [28, 36] and [rung["target_vmaf"] for rung in rungs] == [None, None], f"{rungs}")
    for rung in rungs:
        path = bench.path("media/" + rung["uri"])
        score, vmaf = psnr(bench, path), bench.score(path)
        expect(abs(score - rung["score"]) < 2e-6 and score >= rung["target"], f"{score} of {rung}")
        expect(abs(vmaf - rung["vmaf"]) < 2e-6, f"VMAF {vmaf} of {rung}")
        expect(rung["score"] == next(sample["scores"]["psnr_y.mean"] for sample in document["samples"]
                                     if identity(sample) == identity(rung)), f"{rung}")
        cheaper = [sample for sample in document["samples"] if sample["scores"]["psnr_y.mean"] >= rung["target"]
                   and sample["bitrate_kbps"] < rung["bitrate_kbps"]]
        expect(not cheaper, f"{cheaper} reach {rung['target']} as well")


def check_goals(bench):
    common = ("--src", bench.clip, "--preset", "veryfast")
    check_goals_of_compare(bench, common)
    check_errors_of_compare(bench)
    check_goals_of_ladder(bench, common)


CODECS = {
    "libx265": r"hvc1\.1\.6\.L(\d+)\.B0",
    "libsvtav1": r"av01\.0\.(\d\d)M\.10",
    "libaom-av1": r"av01\.0\.(\d\d)M\.10",
    "libvpx-vp9": r"vp09\.00\.(\d\d)\.08",
}


def check_codecs(bench):
    ntsc = bench.make_clip("ntsc.y4m", "yuv420p", "24000/1001")
    common = ("--crf-sweep", "40", "--preset", "fast", "-q", "--segment-seconds", "0.5", "--ffmpeg-threads", "1")
    os.mkdir(bench.path("media"))
    for encoder, pattern in CODECS.items():
        if encoder not in encoders():
            continue
        arguments = ("ladder", "--src", ntsc, "--encoder", encoder, "--resolutions", "160x96", *common)
        bench.call(*arguments, "--format", "json", "--emit-media", "-o", "media/ladder.json")
        rung = bench.load("media/ladder.json")["renditions"][0]
        found = re.fullmatch(pattern, rung["codecs"] or "")
        expect(found, f"{encoder}: {rung['codecs']}")
        stream = bench.stream(bench.path("media/" + rung["uri"]))
        expect(stream["level"] in (-99, int(found.group(1))), f"{encoder}: level {stream['level']}, but {rung['codecs']}")
        expect(not encoder.startswith("libx265") or stream["codec_tag_string"] == "hvc1", "players want another tag")
        keys = [round(packet[0] * 24000 / 1001) for packet in bench.packets(bench.path("media/" + rung["uri"])) if packet[2]]
        expect({0, 12, 24, 36} <= set(keys), f"{encoder} has keyframes at {keys}")
        mpd = ElementTree.fromstring(bench.call(*arguments, "--format", "dash"))
        expect(mpd.get("mediaPresentationDuration") == "PT2.002S", f"it lasts {mpd.get('mediaPresentationDuration')}")
        expect(next(mpd.iter("{urn:mpeg:dash:schema:mpd:2011}Representation")).get("frameRate") == "24000/1001", "another rate")
        expect("FRAME-RATE=23.976\n" in bench.call(*arguments, "--format", "hls"), "another rate in HLS")
    check_hdr(bench, common)


def check_hdr(bench, common):
    if "libx265" not in encoders():
        return
    clip = bench.make_clip("hdr.y4m", "yuv420p10le")
    arguments = ("ladder", "--src", clip, "--encoder", "libx265", "--resolutions", "160x96", *common)
    for option, name, number in (("--force-hdr-pq", "PQ", "16"), ("--force-hdr-hlg", "HLG", "18")):
        hls = bench.call(*arguments, option)
        expect(f"VIDEO-RANGE={name}\n" in hls and 'CODECS="hvc1.2.4.L' in hls, f"{option}: {hls}")
        mpd = ElementTree.fromstring(bench.call(*arguments, option, "--format", "dash"))
        found = {element.get("schemeIdUri").rsplit(":", 1)[1]: element.get("value")
                 for element in mpd.iter("{urn:mpeg:dash:schema:mpd:2011}SupplementalProperty")}
        expect(found == {"ColourPrimaries": "9", "TransferCharacteristics": number, "MatrixCoefficients": "9"}, f"{found}")
    expect("VIDEO-RANGE" not in bench.call(*arguments, "--force-sdr"), "SDR has a range")


main({"compare": check_compare, "table": check_table, "ladder": check_ladder, "codecs": check_codecs, "audio": check_audio,
      "goals": check_goals, "sizes": check_sizes}, place=Bench)
