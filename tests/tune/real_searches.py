#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Searches by real encodes of the segments of record_curves.py's set `long`: vmaf-tune as a program, and ab-av1's.

    real_searches.py --clips FOLDER --vmaf PROGRAM --vmaf-tune PROGRAM --curves long_curves.txt --output real.jsonl

The rule is record_curves.py's. vmaf-tune has the settings of the recordings by --enc, and searches the whole segment
(--samples none) in the finest steps of the encoder. ab-av1's search, as comparison.c has it, makes and scores its
encodes by record_curves.py's own functions. Each search is a line of the output: what it asked for, its encodes, answer
and seconds, and its bits over the optimum of the recorded curve. Segments without a recorded curve are left out;
searches that the output has already are not made again. At the end, means and means of the worst tenth are printed.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile
import time

import record_curves

OPTIONS = {
    "libx264": ["threads=1", "bsf:v=filter_units=remove_types=6"],
    "libx265": ["x265-params=pools=1:frame-threads=1:log-level=none:info=0"],
    "libsvtav1": ["svtav1-params=lp=1"],
}


def read_curves(path):
    curves = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if line.startswith("curve "):
                points = curves.setdefault((words[1], int(words[2]), words[4]), {})
            elif words and words[0] != "#":
                points[float(words[0])] = float(words[1]), float(words[2])
    return curves


def end_slope(h0, h1, d0, d1):
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return 0.0
    return 3 * d0 if d0 * d1 <= 0 and abs(slope) > 3 * abs(d0) else slope


def optimum(points, target):
    """The lowest bitrate where a monotone cubic through whole numbers, made isotonic, has that score, or None."""
    best = {}
    for q, (kbps, score) in points.items():
        if q == int(q):
            best[kbps] = max(score, best.get(kbps, 0))
    x, blocks = [math.log(kbps) for kbps in sorted(best)], []
    for kbps in sorted(best):
        blocks.append([best[kbps], 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks.pop(-2), blocks.pop()
            blocks.append([(a * n + b * m) / (n + m), n + m])
    y = [score for score, n in blocks for _ in range(n)]
    above = next((i for i, score in enumerate(y) if score >= target), None)
    if not above:
        return None
    h = [b - a for a, b in zip(x, x[1:])]
    d = [(b - a) / step for a, b, step in zip(y, y[1:], h)]
    slopes = [end_slope(h[0], h[1], d[0], d[1])]
    for i in range(1, len(d)):
        w0, w1 = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
        slopes.append((w0 + w1) / (w0 / d[i - 1] + w1 / d[i]) if d[i - 1] * d[i] > 0 else 0.0)
    slopes.append(end_slope(h[-1], h[-2], d[-1], d[-2]))
    i, low, high = above - 1, 0.0, 1.0
    for _ in range(60):
        t = (low + high) / 2
        value = ((1 + 2 * t) * (1 - t)**2 * y[i] + t * (1 - t)**2 * h[i] * slopes[i] +
                 t * t * (3 - 2 * t) * y[i + 1] + t * t * (t - 1) * h[i] * slopes[i + 1])
        low, high = (t, high) if value < target else (low, t)
    return math.exp(x[i] + high * h[i])


def ab_av1(measure, encoder, steps, target):
    """(encodes, (q, kbps, score) or None); see comparison.c."""
    lowest, highest = (5 if encoder == "libsvtav1" else 10) * steps, (63 if encoder == "libsvtav1" else 46) * steps
    better, worse, answer, encodes, q = None, None, None, 0, (lowest + highest) // 2
    while True:
        kbps, score = measure(q / steps)
        encodes += 1
        if score > target:
            better, answer = (q, score), (q / steps, kbps, score)
            if score < target + max(0.1, 0.1 / steps * 2**(encodes - 1)):
                return encodes, answer
        else:
            worse = q, score
        if better and worse:
            width = worse[0] - better[0]
            if width == 1:
                return encodes, answer
            part = (target - worse[1]) / (better[1] - worse[1])
            q = min(max(math.floor(worse[0] - width * part + 0.5), better[0] + 1), worse[0] - 1)
        else:
            end = highest if better else lowest
            if q == end:
                return encodes, answer
            q = math.floor(0.4 * q + 0.6 * end + 0.5) if encodes == 1 else end


def vmaf_tune(program, reference, encoder, preset, target):
    options = [word for option in OPTIONS[encoder] for word in ("--enc", option)]
    found = subprocess.run([program, "search", reference, "--encoder", encoder, "--preset", preset,
                            "--target", f"vmaf={target:g}", "--samples", "none", "--quality-step", "0",
                            "--on-nonmonotonic", "keep", "--no-cache", "--json", *options],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    document = json.loads(found.stdout)
    answer = document["answer"]
    reached = answer and answer["reached"]
    return len(document["measurements"]), ((answer["quality"], answer["kbps"], answer["scores"]["vmaf"]["mean"])
                                           if reached else None)


def spread(values):
    values = sorted(values)
    tenth = (len(values) + 9) // 10
    return f"{sum(values) / len(values):.2f} (worst tenth {sum(values[-tenth:]) / tenth:.2f})" if values else "-"


def summarise(lines):
    for encoder in (*OPTIONS, None):
        for search in ("vmaf-tune", "ab-av1"):
            these = [line for line in lines if line["search"] == search and encoder in (line["encoder"], None)]
            answers = [line for line in these if line["q"] is not None]
            print(f"{encoder or 'all'} {search}: {len(these)} searches, encodes {spread([x['encodes'] for x in these])}, "
                  f"error {spread([abs(x['score'] - x['target']) for x in answers])}, "
                  f"bits over {spread([x['over'] for x in answers])} %, seconds {spread([x['seconds'] for x in these])}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("clips", "vmaf", "vmaf-tune", "curves", "output"):
        parser.add_argument("--" + name, required=True)
    arguments = parser.parse_args()
    curves, lines = read_curves(arguments.curves), []
    if os.path.exists(arguments.output):
        with open(arguments.output, encoding="ascii") as file:
            lines = [json.loads(line) for line in file]
    key = ("clip", "first", "encoder", "target", "search")
    made = {tuple(line[name] for name in key) for line in lines}
    with tempfile.TemporaryDirectory() as folder:
        for segment in record_curves.LONG_SEGMENTS:
            clip, first, frames, _ = segment
            reference = os.path.join(folder, f"{clip}_{first}.y4m")
            for encoder, settings in record_curves.LONG_ENCODERS.items():
                points = curves.get((clip, first, encoder))
                if not points:
                    continue
                if not os.path.exists(reference):
                    record_curves.cut(arguments.clips, segment, reference)
                for target in record_curves.TARGETS:
                    best = optimum(points, target)
                    for search in ("vmaf-tune", "ab-av1"):
                        if not best or (clip, first, encoder, target, search) in made:
                            continue
                        begin = time.monotonic()
                        if search == "ab-av1":
                            encodes, answer = ab_av1(lambda q: record_curves.measure(
                                reference, frames, encoder, settings, arguments.vmaf, [q])[q][:2], encoder, settings[4],
                                                     target)
                        else:
                            encodes, answer = vmaf_tune(arguments.vmaf_tune, reference, encoder, settings[0], target)
                        q, kbps, score = answer or (None, None, None)
                        lines.append({**dict(zip(key, (clip, first, encoder, target, search))),
                                      "encodes": encodes, "q": q, "kbps": kbps, "score": score, "over": answer and (kbps / best - 1) * 100,
                                      "seconds": round(time.monotonic() - begin, 2)})
                        with open(arguments.output, "a", encoding="ascii") as file:
                            file.write(json.dumps(lines[-1]) + "\n")
    summarise(lines)


if __name__ == "__main__":
    main()
