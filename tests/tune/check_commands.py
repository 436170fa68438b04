#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Subcommands that read results, from outside: check_commands.py SUBJECT VMAF_TUNE [write]

`write` makes the files of tests/tune/golden anew: look at what changes.
"""
import csv
import html
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from random import Random

from tune_program import close, expect, make_clip, run
from tune_program import main as run_subjects

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")


def near(a, b):
    return close(a, b, 1e-11)


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, status=0):
        output, messages = run(self.path, *arguments, status=status, cwd=GOLDEN)
        return output.decode(), messages

    def result(self, *arguments, status=0):
        return self.run(*arguments, status=status)[0]


# -- results that are kept --

KEPT = {
    "recommend.txt": ("recommend", "--from-corpus", "corpus.jsonl", "--encoder", "libx265", "--target-vmaf", "94"),
    "recommend.json": ("recommend", "--from-corpus", "corpus.jsonl", "--preset", "slow", "--json"),
    "bd_rate.txt": ("bd-rate", "--ref", "corpus.jsonl", "--ref-encoder", "libx264", "--test-encoder", "libx265", "--at", "25"),
    "bd_rate.json": ("bd-rate", "--ref", "corpus.jsonl", "--ref-encoder", "libx264", "--test-encoder", "libx265", "--hull",
                     "--exact", "--format", "json"),
    "report.md": ("report", "corpus.jsonl", "ladder.json", "compare.json", "bisect.json", "--format", "markdown"),
}


def check_golden(program, write=False):
    for name, arguments in KEPT.items():
        path = os.path.join(GOLDEN, name)
        result = program.result(*arguments)
        if write:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(result)
        with open(path, encoding="utf-8", newline="") as file:
            expect(file.read() == result, f"{' '.join(arguments)} prints other than golden/{name}")
        # To a file it is the same.
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "result")
            expect(program.result(*arguments, "--output", output) == "", f"{name}: something on stdout")
            with open(output, encoding="utf-8", newline="") as file:
                expect(file.read() == result, f"{name}: --output writes something else")


NAMES = {"codec": "encoder", "q": "crf", "actual_kbps": "bitrate_kbps", "vmaf": "vmaf_score"}


def usable_rows():
    rows = []
    with open(os.path.join(GOLDEN, "corpus.jsonl"), encoding="utf-8") as file:
        for line in file.read().split("\n")[:-1]:  # the last one is torn
            row = {NAMES.get(key, key): value for key, value in json.loads(line).items()}
            if row["exit_status"] == 0 and math.isfinite(row["vmaf_score"]):
                rows.append(row)
    return rows


# Points and deltas of the document of this program's formulas (bd_rate.h; VCEG-M33).
CURVES = {
    "a.csv": "1000,80\n2000,88\n4000,94\n8000,97\n",
    "b.csv": "# comment\nmetric,bitrate_kbps\n97.5,7000\n 81 , 900\r\n\n93.5,3300\n88.5,1700\n",
    "e.csv": "rate,metric\n500,70\n1200,82\n2500,89\n5000,93\n9000,95",
    "h.csv": "8000,95\n4000,93\n2000,85\n3000,90.5\n1500,84\n800,76\n1400,80\n700,74.5\n350,62\n1000,70\n",
}
DELTAS = (
    ("a.csv", "b.csv", (), "bd_rate", -0.16709154780900),
    ("a.csv", "b.csv", ("--exact",), "bd_rate", -0.16708669855071),
    ("a.csv", "b.csv", ("--exact",), "bd_quality", 1.45447398635),
    ("b.csv", "a.csv", (), "bd_rate", 0.20061214094954),
    ("b.csv", "a.csv", ("--exact",), "bd_rate", 0.20060515093225),
    ("a.csv", "e.csv", (), "bd_rate", 0.17348086696189),
    ("a.csv", "e.csv", ("--exact",), "bd_rate", 0.17346580778529),
    ("a.csv", "e.csv", ("--exact",), "bd_quality", -1.39838217388),
    ("a.csv", "h.csv", ("--hull",), "bd_rate", 0.14817781532942),
    ("a.csv", "b.csv", ("--at", "50"), "bd_rate_at", -0.18684142703998),
)


def check_repeated_rows(program, folder):
    """A cell that was made twice is one point."""
    path = os.path.join(folder, "twice.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for encoder, text in (("a", CURVES["a.csv"]), ("e", CURVES["e.csv"].split("\n", 1)[1])):
            for line in 2 * text.split():
                rate, metric = line.split(",")
                file.write(f'{{"encoder": "{encoder}", "bitrate_kbps": {rate}, "vmaf": {metric}}}\n')
    result = json.loads(program.result("bd-rate", "--ref", path, "--ref-encoder", "a", "--test-encoder", "e", "--json"))
    expect(near(result["bd_rate"], 0.17348086696189), f"of repeated rows: {result['bd_rate']}")
    expect(result["sources"][0]["reference_points"] == 4, "repeated rows are points")


def check_deltas(program):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in CURVES.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        for reference, test, more, key, wanted in DELTAS:
            pair = ("--ref", os.path.join(folder, reference), "--test", os.path.join(folder, test))
            result = json.loads(program.result("bd-rate", *pair, *more, "--json"))
            expect(near(result[key], wanted), f"{reference} {test} {more}: {result[key]}, not {wanted}")
        pair = ("--ref", os.path.join(folder, "a.csv"), "--test", os.path.join(folder, "b.csv"))
        whole, upper = (json.loads(program.result("bd-rate", *pair, "--json", *more))["bd_rate"]
                        for more in ((), ("--min-metric", "90", "--max-metric", "96")))
        expect(abs(whole - upper) > 1e-4, "the limits of quality do nothing")
        check_repeated_rows(program, folder)
        text = program.result("bd-rate", *pair, "--at", "50")
        expect("BD-rate: -16.71 %\n" in text and ": -18.68 %\n" in text and "BD-quality: +1.4545\n" in text, text)


# -- how sure BD-rates are --

def slopes_of(x, y):
    """Of a monotone piecewise cubic (Fritsch and Butland), written down from the paper."""
    h = [right - left for left, right in zip(x, x[1:])]
    d = [(y[i + 1] - y[i]) / h[i] for i in range(len(h))]

    def end(h0, h1, d0, d1):
        slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        if slope * d0 <= 0:
            return 0
        return 3 * d0 if d0 * d1 <= 0 and abs(slope) > 3 * abs(d0) else slope

    inner = [0 if d[i] * d[i + 1] <= 0 else 3 * (h[i] + h[i + 1]) / ((2 * h[i + 1] + h[i]) / d[i] + (h[i + 1] + 2 * h[i]) / d[i + 1])
             for i in range(len(d) - 1)]
    return [end(h[0], h[1], d[0], d[1]), *inner, end(h[-1], h[-2], d[-1], d[-2])]


def mean_of_curve(points, low, high):
    """Of ln(rate) over quality; Simpson's rule is exact for cubics."""
    x, y = zip(*points)
    m, total = slopes_of(x, y), 0
    for i in range(len(x) - 1):
        left, right, h = max(low, x[i]), min(high, x[i + 1]), x[i + 1] - x[i]

        def at(place, i=i, h=h):
            t = (place - x[i]) / h
            return ((1 + 2 * t) * (1 - t)**2 * y[i] + t * (1 - t)**2 * h * m[i]
                    + t * t * (3 - 2 * t) * y[i + 1] - t * t * (1 - t) * h * m[i + 1])

        if left < right:
            total += (right - left) / 6 * (at(left) + 4 * at((left + right) / 2) + at(right))
    return total / (high - low)


def delta_of(curves):
    """BD-rate of two curves of (quality, ln(rate)), its 95 % interval, and where it was taken."""
    low, high = max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves)
    means = [mean_of_curve(curve, low, high) for curve in curves]
    changes = [mean_of_curve(curve[:i] + curve[i + 1:], low, high) - mean
               for curve, mean in zip(curves, means) for i in range(1, len(curve) - 1)]
    delta, half = means[1] - means[0], 2 * math.sqrt(sum(change**2 for change in changes))
    return [math.expm1(delta), math.expm1(delta - half), math.expm1(delta + half), low, high]


def synthetic_pair(random, points, noise):
    """Curves ln(rate) = a - ln(top - quality) / k, seen at some points and not quite; and their true difference."""
    curves, truths, top, a, k = [], [], random.uniform(98, 101), random.uniform(9, 13), random.uniform(0.5, 1.2)
    for _ in range(2):
        lowest, highest = random.uniform(60, 80), random.uniform(94, top - 1)
        ends = [-math.log(top - quality) for quality in (lowest, highest)]
        steps = [ends[0] + (ends[1] - ends[0]) * (i + (0 < i < points - 1) * random.uniform(-0.15, 0.15)) / (points - 1)
                 for i in range(points)]
        curves.append([(top - math.exp(-step), a + step / k + random.gauss(0, noise)) for step in steps])
        truths.append((a, k))
        a, k = a + random.uniform(-0.5, 0.2), k * random.uniform(0.85, 1.15)

    def mean(a, k, low, high):  # of the formula, integrated by hand
        return a + ((top - high) * (math.log(top - high) - 1) - (top - low) * (math.log(top - low) - 1)) / (high - low) / k

    return curves, lambda low, high: math.expm1(mean(*truths[1], low, high) - mean(*truths[0], low, high))


def check_confidence(program):
    """Intervals are those of another program, and have the truth in them, however many points and noise there are."""
    pairs, random = {}, Random(1)
    for points, noise in ((4, 0), (4, 0.01), (4, 0.03), (5, 0.01), (6, 0), (6, 0.03), (8, 0.01), (12, 0.02)):
        n = 0
        while n < 200:
            curves, truth = synthetic_pair(random, points, noise)
            if all(curve == sorted(curve, key=lambda point: point[1]) for curve in curves):
                pairs[f"{points} {noise} {n}"] = curves, truth
                n += 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "corpus.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for name, (curves, _) in pairs.items():
                for encoder, curve in zip("ab", curves):
                    for quality, log_rate in curve:
                        file.write(json.dumps({"src": name, "encoder": encoder, "vmaf_score": quality, "exit_status": 0,
                                               "bitrate_kbps": math.exp(log_rate)}) + "\n")
        words = ("bd-rate", "--ref", path, "--ref-encoder", "a", "--test-encoder", "b", "--confidence", "--exact")
        result = json.loads(program.result(*words, "--json"))
        covered, widths = {}, []
        for source in result["sources"]:
            curves, truth = pairs[source["src"]]
            *wanted, low, high = delta_of(curves)
            found = [source[key] for key in ("bd_rate", "bd_rate_low", "bd_rate_high")]
            expect(all(close(a, b, 1e-9) for a, b in zip(found, wanted)), f"{source['src']}: {found}, not {wanted}")
            kind = source["src"].rsplit(" ", 1)[0]
            covered[kind] = covered.get(kind, 0) + (found[1] <= truth(low, high) <= found[2])
            widths.append(math.log1p(found[2]) - math.log1p(found[1]))
        expect(len(covered) == 8 and min(covered.values()) >= 190, f"of 200 intervals have the truth in them: {covered}")
        # Of the mean: independent errors.
        half = math.sqrt(sum((width / 2)**2 for width in widths)) / len(widths)
        expect(close(result["bd_rate_high"], (1 + result["bd_rate"]) * math.exp(half) - 1, 1e-9), "the interval of the mean")
        expect("bd_rate_low" not in json.loads(program.result(*words[:-2], "--json")), "intervals nobody asked for")
        with open(path, "r+", encoding="utf-8") as file:
            lines = file.readlines()[:8]
            file.seek(0)
            file.truncate()
            file.writelines(lines)
        low, high = delta_of(pairs["4 0 0"][0])[1:3]
        text = program.result(*words)
        expect(f"\n  95 % confidence: {100 * low:+.2f} % to {100 * high:+.2f} %\n" in text, text)


# -- what the program returns --

def check_status(program):
    with tempfile.TemporaryDirectory() as folder:
        def file(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            return path

        empty = file("empty.jsonl", "")
        failed = file("failed.jsonl", '{"exit_status": 1, "vmaf_score": null, "encoder": "x"}\n')
        damaged = file("damaged.jsonl", '{"crf": 1}\n{"crf": }\n')
        low = file("low.jsonl", '{"encoder": "x", "crf": 30, "bitrate_kbps": 5, "vmaf_score": 50, "exit_status": 0}\n')
        three = file("three.csv", "1,1\n2,2\n3,3\n")
        apart = file("apart.csv", "1,1\n2,2\n3,3\n4,4\n")
        apart_too = file("apart_too.csv", "1,5\n2,6\n3,7\n4,8\n")
        for name in ("recommend",):
            given = (name, "--from-corpus")
            program.run(*given, low)  # unmet is a result
            expect("unmet" in program.result(*given, low).lower(), "unmet is not said")
            for path in (empty, failed):
                expect("no row" in program.run(*given, path, status=1)[1], "why not is not said")
            expect("line 2: " in program.run(*given, damaged, status=2)[1], "the line is not said")
            program.run(*given, os.path.join(folder, "none"), status=2)
            program.run(name, status=2)
            program.run(*given, low, "--no-such-option", status=2)
            program.run(*given, low, "word", status=1)  # no row is of that source
            program.run(*given, low, "--output", os.path.join(folder, "none", "x"), status=1)
            program.run(name, "--help")
        program.run("recommend", "--from-corpus", low, "--target-vmaf", "90", "--target-bitrate", "5", status=2)

        program.run("bd-rate", status=2)
        program.run("bd-rate", "--ref", apart, status=2)
        program.run("bd-rate", "--ref", apart, "--test", damaged, status=2)
        program.run("bd-rate", "--ref", apart, "--test", apart)
        named = file("named.csv", "rate,vmaf\n1,1\n2,2\n3,3\n4,4\n")
        swapped = file("swapped.csv", "ssim,bitrate_kbps\n1,1\n2,2\n3,3\n4,4\n")
        program.run("bd-rate", "--ref", named, "--test", swapped)
        words = file("words.csv", "qp,vmaf\n1,1\n2,2\n3,3\n4,4\n")
        expect("line 1: " in program.run("bd-rate", "--ref", words, "--test", words, status=2)[1], "rates are guessed")
        expect("no interval" in program.run("bd-rate", "--ref", apart, "--test", apart_too, status=1)[1], "no overlap")
        expect("fewer than 4" in program.run("bd-rate", "--ref", apart, "--test", three, status=1)[1], "too few points")
        program.run("bd-rate", "--ref", "corpus.jsonl", "--test-encoder", "libx265", status=2)  # of two encoders
        program.run("bd-rate", "--ref", "corpus.jsonl", "--ref-encoder", "libx264", "--test-encoder", "none", status=2)
        bad = file("bad.csv", "1,1\n2,x\n")
        expect("line 2: " in program.run("bd-rate", "--ref", bad, "--test", bad, status=2)[1], "the line is not said")

        made = file("made.jsonl", '{"exit_status": 1, "crf": 30, "encoder": "libx264", "src": "x"}\n')
        said = program.run("encode-profile", "--profile", made, "--output", os.path.join(folder, "x.mkv"), status=1)[1]
        expect("nothing in it that is meant" in said, f"a row that failed is a profile: {said}")
        said = program.run("encode-profile", "--profile", damaged, "--output", os.path.join(folder, "x"), status=2)[1]
        expect("damaged.jsonl: line 2: " in said and said.count("line ") == 1, f"the line is not said once: {said}")
        program.run("report", status=2)
        program.run("report", damaged, status=2)
        program.run("report", empty, status=2)
        program.run("report", file("array.json", "[1]"), status=2)
        program.run("report", failed)
        program.run("report", low, "--format", "nonsense", status=2)
        for name, begin in (("x.md", "# "), ("x.html", "<!DOCTYPE html>")):
            program.run("report", low, "-o", os.path.join(folder, name))
            with open(os.path.join(folder, name), encoding="utf-8") as written:
                expect(written.read().startswith(begin), f"{name} is something else")
        for arguments in (("report", "corpus.jsonl"), ("recommend", "--from-corpus", "corpus.jsonl"), KEPT["bd_rate.txt"]):
            expect("cut off" in program.run(*arguments)[1], f"{arguments[0]}: a torn line is not said")


# -- choices among rows --

POOLS = ("mean", "harmonic_mean", "min")


def random_rows(random):
    """Of two sources, with ties, failures, and what older programs left out."""
    rows = []
    encoders = random.choice((("libx264", "libx265"), ("h264_videotoolbox", "hevc_videotoolbox")))
    for _ in range(random.randrange(4, 30)):
        vmaf, pool = random.randrange(60, 100, 2), random.choice((None, "mean", "mean", "min"))
        row = {"src": random.choice(("a.mkv", "b\x1b.mkv")), "preset": random.choice(("medium", "slow")),
               "encoder": random.choice(encoders), "crf": random.randrange(20, 26),
               "vmaf_score": random.choice((vmaf, vmaf, vmaf, None)), "exit_status": random.choice((0, 0, 0, None, 65)),
               "bitrate_kbps": random.choice((None, 0, *[500.5 * step for step in range(1, 12)])), "pool": pool,
               "features": {"integer_psnr_y": {"mean": random.randrange(30, 45)},
                            "vmaf": {name: vmaf - random.randrange(20) for name in POOLS}}}
        row["features"]["vmaf"][pool or "mean"] = vmaf
        rows.append({key: value for key, value in row.items() if value is not None or random.random() < 0.5})
    return rows


def vmaf_of(row, pool=None):
    """What the row has, or what it has pooled so."""
    own = pool is None or row.get("pool") in (None, pool)
    return row["vmaf_score"] if own else row["features"]["vmaf"].get(pool, -1)


def strength(row):
    return -row["crf"] if "videotoolbox" in row["encoder"] else row["crf"]


def chosen(rows, score, target, holds=lambda row: True):
    """The cheapest that reaches it; of equals the better, then the more compressed; else the highest score."""
    def cost(row):
        return (row.get("bitrate_kbps") or math.inf, -score(row), -strength(row))
    good = [row for row in rows if score(row) >= target and holds(row)]
    with_rate = [row for row in good if row.get("bitrate_kbps")]
    if with_rate:
        return min(with_rate, key=cost), True
    if good:
        return max(good, key=lambda row: (strength(row), score(row))), True
    best = max(map(score, rows))
    return min((row for row in rows if score(row) == best), key=lambda row: -strength(row)), False


def same(row, found):
    return all(row.get(key) == found.get(key) for key in ("src", "encoder", "preset", "crf", "vmaf_score")) and \
        (row.get("bitrate_kbps") or 0) == (found.get("bitrate_kbps") or 0)


def check_recommended(program, path, rows, random):
    target, encoder = random.randrange(60, 101), random.choice((None, rows[0]["encoder"]))
    rows = [row for row in rows if encoder in (None, row["encoder"])]
    wanted = ("--encoder", encoder) if encoder else ()
    sources = list(dict.fromkeys(row["src"] for row in rows))
    if not rows:
        program.run("recommend", "--from-corpus", path, *wanted, status=1)
        return
    found = json.loads(program.result("recommend", "--from-corpus", path, "--target-vmaf", str(target), *wanted, "--json"))
    found = found if isinstance(found, list) else [found]
    expect([one["src"] for one in found] == sources, f"{[one['src'] for one in found]} of {sources}")
    lines = program.result("recommend", "--from-corpus", path, "--target-vmaf", str(target), *wanted).splitlines()
    several = len({(row["encoder"], row["preset"]) for row in rows}) > 1
    for one, source, line in zip(found, sources, lines):
        right, met = chosen([row for row in rows if row["src"] == source], vmaf_of, target)
        expect(same(right, one), f"{one} instead of {right}")
        expect((one["status"], one["margin"], one["predicate"]) ==
               ("OK" if met else "UNMET", one["vmaf_score"] - target, f"target_vmaf>={target}"), f"{one}")
        kbps = f"{right['bitrate_kbps']:.0f}" if right.get("bitrate_kbps") else "unknown"
        text = f"crf={right['crf']}  vmaf={right['vmaf_score']:.3f}  kbps={kbps}"
        text += f"  encoder={right['encoder']}  preset={right['preset']}" if several else ""
        source = f"src={source}  ".replace("\x1b", "\\x1b") if len(sources) > 1 else ""
        expect(line == f"{source}{text}  predicate=target_vmaf>={target}  [{one['status']}]", f"{line}\n{source}{text}")
    kbps = random.randrange(400, 6000)
    rows = [row for row in rows if row["src"] == sources[0] and row.get("bitrate_kbps")]
    if rows:
        found = json.loads(program.result("recommend", "--from-corpus", path, "--target-bitrate", str(kbps), *wanted, "--json"))
        one = found[0] if isinstance(found, list) else found
        least = min(abs(row["bitrate_kbps"] - kbps) for row in rows)
        expect(one["src"] != sources[0] or abs(one["margin"]) == least, f"{one['margin']}, and {least} is possible")


def check_searched(program, path, rows, random):
    source = random.choice((None, rows[0]["src"]))
    rows = [row for row in rows if source in (None, row["src"])]
    sources = list(dict.fromkeys(row["src"] for row in rows))
    vmaf, psnr, kbps = random.randrange(60, 100), random.randrange(30, 45), random.randrange(1000, 9000)
    command = ["search", *([source] if source else []), "--from", path, "--min-vmaf", str(vmaf), "--target",
               f"psnr_y={psnr}", "--require", "vmaf.min>=50", "--max-kbps", str(kbps)]

    def holds(row):
        return (row["features"]["integer_psnr_y"]["mean"] >= psnr and vmaf_of(row, "min") >= 50 and
                0 < (row.get("bitrate_kbps") or 0) <= kbps)
    right = [chosen([row for row in rows if row["src"] == one], lambda row: vmaf_of(row, "mean"), vmaf, holds)
             for one in sources]
    status = 0 if any(met for _, met in right) else 1
    found = json.loads(program.result(*command, "--json", status=status))
    found = found if isinstance(found, list) else [found]
    expect(len(found) == len(sources), f"{len(found)} documents of {sources}")
    for document, (row, met) in zip(found, right):
        answer = document["answer"]
        expect(answer["reached"] == met and answer["quality"] == row["crf"] and
               answer["kbps"] == row.get("bitrate_kbps"), f"{answer} instead of {row}")
        expect((document["request"]["encoder"], document["source"]["src"]) == (row["encoder"], row["src"]), "another row")
        expect(document["request"]["conditions"] == [f"vmaf.mean>={vmaf}", "vmaf.min>=50", f"psnr_y.mean>={psnr}"],
               f"{document['request']['conditions']}")
        expect(len(document["measurements"]) == sum(one["src"] == row["src"] for one in rows), "measurements")
    text, said = program.run(*command, status=status)
    for row, met in right:
        name = row["src"].replace("\x1b", "\\x1b")
        line = f"{name}: {row['encoder']} {row['preset']}, quality {row['crf']}, "
        expect((line in text) == met and (f"{name}: none of" in said) != met, f"{line} {met}: {text} {said}")


def check_choices(program):
    """Rows are chosen as an independent computation says."""
    random = Random(20)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(40):
            path = os.path.join(folder, f"{number}.jsonl")
            rows = random_rows(random)
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            rows = [row for row in rows if not row.get("exit_status") and row.get("vmaf_score") is not None]
            if rows:
                check_recommended(program, path, rows, random)
                check_searched(program, path, rows, random)
        for words in (("--quality", "20"), ("--max-encoded-percent", "50"), ("--report", os.path.join(folder, "x.csv"))):
            program.run("search", "--from", path, *words, status=2)
        program.run("bisect", "--from", path, status=2)
        program.run("search", "--from", path, "--encoder", "none", status=1)
        for name in ("libx264", "x264"):
            program.run("search", "--from", os.path.join(GOLDEN, "corpus.jsonl"), "--encoder", name, "--min-vmaf", "90")


# -- names --

def check_names(program):
    """What is not known here is answered with what is."""
    def says(*arguments):
        return program.run(*arguments, status=2)[1]

    for arguments, wanted in (
            (("encode", "x", "--resolutions", "1"), "--resolutions is an option of ladder, not of encode"),
            (("bd-rate", "--score-backend", "cpu"), "--score-backend is an option of "),
            (("encode", "x", "--target-quality", "95"), "--target vmaf=SCORE"),
            (("search", "x", "--vmaf", "n_threads=4"), "--vmaf may be --vmaf-tolerance or --vmaf-bin"),
            (("search", "x", "--downmix-to-stereo"), "--audio"),
            (("search", "x", "--qualty", "4"), "did you mean --quality?"),
            (("search", "x", "--preset"), "--preset needs an argument"),
            (("search", "x", "--target", "vmaf.p2=90"), '"p2" is no pool of scores: mean, harmonic_mean, min, p1, p5 or p10'),
            (("search", "x", "--target", "vmaf=-1"), "VMAF -1 cannot be: scores are from 0 to 100, to which models"),
            (("search", "x", "--target", "ssimulacra2=120"), "scores are from -inf to 100, as the metric is defined"),
            (("search", "x", "--require", "cambi.mean<=-1"), "scores are from 0 to inf"),
            (("search", "x", "--length", "0"), "--length is to be from 0.001 to 1000000000, not 0"),
            (("search", "x", "--length", "-5"), "--length is to be from 0.001 to 1000000000, not -5"),
            (("crf-serach",), "did you mean crf-search?"),
            (("print-completions",), "packages of vmaf-tune bring completions"),
            (("nonsense",), "see vmaf-tune --help")):
        expect(wanted in says(*arguments), f"{arguments}: {says(*arguments)}")
    rows = [line.split("\t") for line in program.result("--options").splitlines()]
    expect({len(row) for row in rows} == {7}, "rows of --options have 7 fields")
    named = {row[0] for row in rows}
    overview = program.result("--help")
    for row in rows:
        if not row[1]:
            expect(any(re.search(rf"[ \n]{name}\b", overview) for name in (row[0], *row[3].split("|")) if name),
                   f"--help does not name {row[0]}")
    for name in named:
        groups = {row[1] for row in rows if row[0] == name and row[1]}
        whole = program.result(name, "--help", "all")
        own = program.result(name, "--help")
        parts = own + "".join(program.result(name, "--help", group.lower()) for group in groups)
        for row in rows:
            if row[0] == name and row[1]:
                option = f"--{row[3].split('|')[0]}"
                expect(option in whole and option in parts, f"{name}: help lacks {option}")
        expect(len(own) <= len(whole), f"{name}: all is not all")
    for old, new in (("--src", "--source"), ("--ffmpeg-bin", "--ffmpeg"), ("--workers", "--jobs"), ("--workdir", "--work-dir"),
                     ("--vmaf-model", "--model"), ("--score-threads", "--threads"), ("--crf", "--quality")):
        mine = {row[0] for row in rows if new[2:] == row[3].split("|")[0]}
        kept = {row[0] for row in rows if new[2:] == row[3].split("|")[0] and old[2:] in row[3].split("|")}
        expect(len(mine) > 3 and "encode" in kept and (old == "--crf" or mine == kept), f"{old} is not {new}: {mine - kept}")


# -- pages --

class Page(HTMLParser):
    VOID = {"meta"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.stack, self.text = [], [], []
        self.feed(text)
        expect(not self.stack, f"elements are left open: {self.stack}")

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def handle_endtag(self, tag):
        expect(self.stack and self.stack[-1] == tag, f"</{tag}> ends {self.stack[-1:]}")
        self.stack.pop()

    def paths(self, kind):
        return [attrs["d"] for tag, attrs in self.tags if tag == "path" and attrs.get("class", "").split()[:1] == [kind]]


def check_page(text):
    """Well-formed, and nothing is loaded or run."""
    page = Page(text)
    for tag, attrs in page.tags:
        expect(tag not in ("script", "img", "link", "iframe", "object", "a"), f"there is an element {tag}")
        expect(not {"src", "href", "srcset", "action", "data"} & attrs.keys(), f"{tag} loads something")
        expect(not any(name.startswith("on") for name in attrs), f"{tag} has a script")
        if tag == "svg":
            expect(attrs.get("aria-label") or attrs.get("aria-hidden") == "true", "a drawing without a text")
    expect("@import" not in text and "url(" not in text, "the style sheet loads something")
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    expect(len(ids) == len(set(ids)), "an id stands twice")
    tidy = shutil.which("tidy")
    if tidy:
        result = subprocess.run([tidy, "-eq"], input=text.encode(), capture_output=True, check=False)
        expect(result.returncode == 0, result.stderr.decode()[:1000])
    return page


def page_of(program, *arguments):
    text = program.result("report", *arguments)
    return check_page(text), text


def places(path):
    return [tuple(map(float, place)) for place in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)]


def ticks(text, side, count):
    """What stands beside an axis: number and place, 0 to 1."""
    found = [(float(number.replace("\u202f", "").replace("\u2212", "-")), float(place) / 100)
             for place, number in re.findall(rf'style="{side}:([\d.]+)%">([\d.\u202f\u2212]+)</span>', text)]
    expect(len(found) >= count, f"ticks: {found}")
    return found


def check_plot(program):
    """Points are where the numbers beside the axes say: bitrate is logarithmic, scores are linear."""
    with open(os.path.join(GOLDEN, "bisect.json"), encoding="utf-8") as file:
        samples = json.load(file)["samples"]
    page, text = page_of(program, "bisect.json")
    ys = ticks(text[text.index('class="ys"'):], "bottom", 4)
    xs = ticks(text[text.index('class="xs"'):], "left", 3)
    (low, bottom), (high, top) = ys[0], ys[-1]
    (least, left), (most, right) = xs[0], xs[-1]

    def y_of(score):
        return 1000 * (1 - bottom - (score - low) / (high - low) * (top - bottom))

    def x_of(kbps):
        return 4000 * (left + math.log(kbps / least) / math.log(most / least) * (right - left))

    dots = [places(path)[0] for path in page.paths("dot") if not path.startswith("M14 ")]
    samples.sort(key=lambda sample: sample["kbps"])
    expect(len(dots) == len(samples), f"{len(dots)} points")
    for sample, (x, y) in zip(samples, dots):
        expect(0 <= x <= 4000 and 0 <= y <= 1000, f"{sample} is outside")
        expect(abs(x - x_of(sample["kbps"])) <= 4 and abs(y - y_of(sample["vmaf"])) <= 2, f"{sample} is at {x} {y}")
    target = float(re.match(r"M0 (-?[\d.]+)H", page.paths("target")[0])[1])
    expect(abs(target - y_of(92)) <= 2, f"the target is at {target}, not {y_of(92)}")


def hull_of(rows):
    """The upper convex hull of scores over the logarithm of bitrate."""
    hull = []
    for x, y in sorted((math.log(row["bitrate_kbps"]), row["vmaf_score"]) for row in rows):
        if hull and y <= hull[-1][1]:
            continue
        while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (y - hull[-2][1]) >= (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]):
            hull.pop()
        hull.append((x, y))
    return hull


def check_colours(text, wanted):
    """An encoder has the same colour wherever it is, and others have other ones."""
    colours = {}
    for colour, name in re.findall(r'class="dot (c\d d\d)" d="M14 4h0"/></svg>([^<]+)<', text):
        colours.setdefault(name, set()).add(colour)
    expect(len(colours) == wanted and all(len(found) == 1 for found in colours.values()), f"colours: {colours}")
    expect(len(set.union(*colours.values())) == wanted, f"colours: {colours}")


def check_far_below(program):
    """What is far below the target is left out of the plot, but not of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "corpus.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for crf, score in ((20, 97), (30, 90), (40, 70), (50, 30), (51, 20)):
                file.write(f'{{"encoder": "x", "crf": {crf}, "bitrate_kbps": {4000 / crf}, "vmaf_score": {score}}}\n')
        page, text = page_of(program, path)
        dots = [path for path in page.paths("dot") if not path.startswith("M14 ")]
        expect(len(dots) == 3 and "<td>20.000</td>" in text, f"{len(dots)} points")


def check_corpus(program):
    page, text = page_of(program, "corpus.jsonl")
    rows = usable_rows()
    hulls = [places(path) for path in page.paths("hull") if not path.startswith("M1 ")]
    wanted = [hull_of([row for row in rows if row["src"] == src]) for src in ("clips/crowd.y4m", "clips/sea.y4m")]
    expect([len(hull) for hull in hulls] == [len(hull) for hull in wanted], f"hulls of {hulls}, not {wanted}")
    check_colours(text, 3)
    # What misses the target is behind what reaches it, even if it costs less.
    text = program.result("report", "corpus.jsonl", "--target-vmaf", "97.5", "--format", "markdown")
    expect("- least for VMAF 97.5: **9800 kbit/s** (libx264 medium, CRF 20)" in text, "the least bitrate")
    expect(text.index("| libx264 medium | ok | 20 |") < text.index("| libx265 medium | unmet | 22 |"), "order of answers")


def check_encoders(program):
    """What each encoder needs over all sources is chosen once more from the rows."""
    for target in (85, 92, 97.5):
        text = program.result("report", "corpus.jsonl", "--target-vmaf", str(target), "--format", "markdown")
        lines = text.split(f"The cheapest row of each encoder that reaches VMAF {target:g}\n")[1].split("\n\n")[0].strip().splitlines()[2:]
        cells = [[cell.strip() for cell in line.split(" | ")] for line in (line.strip("| ") for line in lines)]
        cheapest = {}
        for row in usable_rows():
            place = row["encoder"], os.path.basename(row["src"])
            if row["vmaf_score"] >= target and row["bitrate_kbps"] < cheapest.get(place, {"bitrate_kbps": math.inf})["bitrate_kbps"]:
                cheapest[place] = row
        found = {(line[0], line[1]): line[2:5] for line in cells if len(line) == 8 and "reached" not in line[1]}
        expect(found == {place: [row["preset"], f"{row['crf']:g}", f"{row['bitrate_kbps']:.1f}"] for place, row in cheapest.items()},
               f"{target}: {found}, not {cheapest}")
        first = cells[0][0]
        for name in {encoder for encoder, _ in cheapest}:
            ratios = [math.log(row["bitrate_kbps"] / cheapest[first, source]["bitrate_kbps"])
                      for (encoder, source), row in cheapest.items() if encoder == name and (first, source) in cheapest]
            line = next(line for line in cells if line[0] == name and "reached" in line[1])
            wanted = f"{100 * math.expm1(sum(ratios) / len(ratios)):+.1f}" if ratios else "—"
            told = line[5].replace("\u2212", "-").removesuffix("\u202f%")
            expect(told.lstrip("+") == wanted.lstrip("+"), f"{name} at {target}: {line}, not {wanted}")
            expect(line[1] == f"{sum(encoder == name for encoder, _ in cheapest)} of 2 reached", f"{line}")


def check_pages(program):
    check_encoders(program)
    page, text = page_of(program, "corpus.jsonl", "ladder.json", "compare.json", "bisect.json")
    whole = " ".join(page.text)
    expect(sum(tag == "section" for tag, _ in page.tags) == 6, "sections")
    expect(sum(attrs.get("role") == "img" for _, attrs in page.tags) == 5, "plots")
    for words in ("crowd.y4m", "sea.y4m", "Ladder, libx264 slow", "Comparison of encoders", "Search, libx264 medium",
                  "target 92", "convex hull", "fail: Cannot load libcuda.so.1 | driver missing see the log",
                  "Svt[error]: | cannot open  <encoder>", "CRF 26", "1080p"):
        expect(words in whole, f"the page does not say {words}")
    expect("<encoder>" not in text, "markup of an error is markup of the page")
    with open(os.path.join(GOLDEN, "ladder.json"), encoding="utf-8") as file:
        ladder = json.load(file)
    alone, _ = page_of(program, "ladder.json")
    rings = [path for path in alone.paths("ring") if not path.startswith("M14 ")]
    expect(len(rings) == len(ladder["renditions"]), "a ring for each rung")
    hull = [path for path in alone.paths("hull") if not path.startswith("M1 ")]
    expect(len(hull) == 1 and len(places(hull[0])) == len(ladder["hull"]), "the hull has all its points")
    dots = [path for path in alone.paths("dot") if not path.startswith("M14 ")]
    expect(len(dots) == len(ladder["samples"]), "a point for each sample")
    page_of(program, "corpus.jsonl", "--title", "<b>\"&'\x7f", "--target-vmaf", "99.9")
    expect("unmet" in " ".join(page_of(program, "corpus.jsonl", "--target-vmaf", "99.9")[0].text), "unmet")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("bare.json", '{"renditions": []}'), ("rows.json", '{"rows": []}'), ("none.json", '{"best_crf": -1}'),
                           ("wrong.json", '{"rows": [1, {"ok": true}, {"codec": 5, "samples": [null, {"q": "x"}]}]}'),
                           ("ladder.json", '{"renditions": [{}], "samples": [{"vmaf": 1}], "hull": 5}'),
                           ("answer.json", '{"answer": {}}'), ("totals.json", '{"totals": {}}'),
                           ("search.json", '{"answer": {"scores": 5, "commands": 7, "quality": 3}, "request": {"conditions": [1, "x"]},'
                                           ' "measurements": [3, {}, {"of": "film", "kbps": 5, "scores": {"vmaf": 4}}], "shots": [null]}'),
                           ("shots.json", '{"totals": {}, "shots": [1, {"crf": "<x>"}], "comparison": {"single": {}, "kept": "?"}}'),
                           ("fast.json", '{"recommended_crf": null, "samples": {}, "verifications": [1]}'),
                           ("one.jsonl", '{"bitrate_kbps": 5, "vmaf_score": 90, "crf": 1, "src": "/"}')):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            page_of(program, path)
            program.run("report", path, "--format", "markdown")
    check_plot(program)
    check_corpus(program)
    check_far_below(program)
    # An encoder is third in the one, and the first in the other; of four, one failed.
    page, text = page_of(program, "compare.json", "bisect.json")
    check_colours(text, 4)
    rings = [path for path in page.paths("ring") if not path.startswith("M14 ")]
    expect(len(rings) == 3 + 1, f"{len(rings)} rings")


# -- files of --report --

def check_report_file(programs, words, points):
    """The page of a command, and the JSON of the same measurements: `points` takes them from the JSON."""
    stem = words[0]
    # The first one measures; the others find the same in the cache, and searches tell that.
    for ending in ("json", "html", "json") if stem == "search" else ("html", "json"):
        programs.run(*words, "--report", f"{stem}.{ending}")
    document, text = programs.load(f"{stem}.json"), programs.text(f"{stem}.html")
    page = check_page(text)
    dots = [path for path in page.paths("dot") if not path.startswith("M14 ")]
    wanted = points(document)
    expect(len(wanted) > 1 and len(dots) == len(wanted), f"{stem}: {len(dots)} points, not {len(wanted)}")
    for kbps, score in wanted:
        expect(f"{kbps:.{int(kbps < 100)}f} kbit/s, {score:.2f}</title>" in text, f"{stem}: no point at {kbps} {score}")
    times = re.compile(r"<small>\d+ s</small>|<td>[\d.]+</td><td>[\d.]+</td><td>(yes|no)</td>|<td>[\d.]+</td></tr>")
    again = programs.run("report", f"{stem}.json")[0]
    expect(times.sub("", again) == times.sub("", text), f"{stem}: report makes another page")
    return document, text


def check_reports(programs):
    make_clip(programs.path("film.mkv"), size="96x54", frames=12)
    film = ("film.mkv", "--preset", "ultrafast", "-q")

    def of_measurements(document):
        return [(one["kbps"], one["scores"]["vmaf"]["mean"]) for one in document["measurements"]]

    def of_samples(document):
        return [(one["bitrate_kbps"], one["vmaf"]) for one in document["samples"]]

    goal = ("--min-vmaf", "80", "--samples", "none")
    document, text = check_report_file(programs, ("search", *film, *goal), of_measurements)
    answer = document["answer"]
    shown = json.loads(programs.run("search", *film, *goal, "--json")[0])
    for key in ("kbps", "percent", "quality", "scores", "commands"):
        expect(shown["answer"][key] == answer[key], f"{key}: {shown['answer'][key]}, not {answer[key]}")
    for one in document["measurements"]:
        for number in (one["kbps"], one["percent"], one["scores"]["vmaf"]["p1"], one["scores"]["vmaf"]["mean"]):
            expect(f"<td>{number:.3f}</td>" in text, f"the page does not say {number}")
    for words in (f"<span>{answer['quality']:g}</span>", "for vmaf.mean&gt;=80", f"<span>{answer['percent']:.1f}<span",
                  f"{answer['kbps']:.0f}<span class=\"unit\">kbit/s</span>", html.escape(answer["commands"].strip()), "target 80"):
        expect(words in text, f"the page does not say {words}")
    # What is measured on samples has a curve of its own.
    programs.run("encode", *film, "--min-vmaf", "80", "--samples", "2", "--sample-duration", "0.2", "-o", "small.mkv",
                 "--report", "encode.html")
    text = programs.text("encode.html")
    check_page(text)
    expect("libx264, samples</li>" in text and "libx264</li>" in text and "of the film" in text, "kinds of encodes")
    check_report_file(programs, ("bisect", *film, "--target-vmaf", "80", "--format", "json"), of_samples)
    check_report_file(programs, ("fast", *film, "--target-vmaf", "80"), of_samples)
    check_report_file(programs, ("ladder", *film, "--resolutions", "96x54,64x36", "--target-vmafs", "50,80", "--format",
                                 "json", "-o", "l"), of_samples)
    # Of a text of a name with its own format the page is one, too.
    programs.run("bisect", *film, "--target-vmaf", "80", "--report", "text.html")
    expect(programs.text("text.html") == programs.text("bisect.html"), "bisect as text has no page")
    # One quality and shots have no curve.
    programs.run("sample", *film, "--quality", "30", "--report", "sample.html")
    check_page(programs.text("sample.html"))
    for ending in ("json", "html"):
        programs.run("shots", *film, "--target-vmaf", "80", "--report", f"shots.{ending}")
    check_page(programs.text("shots.html"))
    for shot in programs.load("shots.json")["shots"]:
        for number in (f"{shot['mean_vmaf']:.3f}", f"{shot['bitrate_kbps']:.1f}", f"{shot['crf']:g}"):
            expect(f"<td>{number}</td>" in programs.text("shots.html"), f"the page does not say {number}")


def main():
    subject, program = sys.argv[1], Program(sys.argv[2])
    if subject == "reports":
        run_subjects({"reports": check_reports})
        return
    if sys.argv[3:] == ["write"]:
        check_golden(program, True)
    {"golden": check_golden, "deltas": check_deltas, "confidence": check_confidence, "status": check_status,
     "names": check_names, "choices": check_choices,
     "pages": check_pages}[subject](program)


if __name__ == "__main__":
    main()
