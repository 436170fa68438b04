#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Every subcommand that encodes, with one encoder: check_matrix.py ENCODER VMAF_TUNE VMAF

Videos that they keep are scored again by the vmaf program.
"""
import json
import sys

from tune_program import expect, main, make_clip, near

CLIP = "clip.mkv"
TARGET = 80
TOLERANCE = 1e-4


class Matrix:
    def __init__(self, programs, encoder):
        self.programs, self.encoder = programs, encoder
        self.common = ("--src", CLIP, "--preset", "veryfast", "--target-vmaf", str(TARGET))

    def again(self, what, encode, expected):
        """The same score by other means."""
        score = self.programs.score(CLIP, encode)
        expect(near(score, expected, TOLERANCE), f"{what}: {encode} has {score}, not {expected}")

    def check_bisect(self):
        found = self.programs.json("bisect", *self.common, "--encoder", self.encoder, "--format", "json",
                                   "--encode-dir", "kept", "--keep-encodes")
        self.programs.write("bisect.json", json.dumps(found))
        expect(found["ok"] and found["converged"] and found["measured_vmaf"] >= TARGET, f"bisect: {found}")
        best = next(sample for sample in found["samples"] if sample["crf"] == found["best_crf"])
        self.again("bisect", best["encode_path"], found["measured_vmaf"])
        return found["best_crf"], found["measured_vmaf"]

    def check_profile(self, q, score):
        self.programs.run("encode-profile", "--profile", "bisect.json", "-o", "profile.mkv", "--verify")
        self.again("encode-profile", "profile.mkv", score)
        expect(q >= 0, "no quality")

    def check_fast(self):
        found = self.programs.json("fast", *self.common, "--encoder", self.encoder, "--sample-chunk-seconds", "0.5",
                                   "--proxy-tolerance", "100")
        expect(found["verify_vmaf"] >= TARGET and found["encoder"] == self.encoder, f"fast: {found}")

    def check_compare(self, q, score):
        found = self.programs.json("compare", *self.common, "--encoders", self.encoder, "--format", "json")
        row = found["rows"][0]
        expect(row["ok"] and row["best_crf"] == q and near(row["vmaf_score"], score, 1e-9), f"compare: {row}")

    def check_corpus(self, q, score):
        self.programs.run("corpus", "--src", CLIP, "--preset", "veryfast", "--encoder", self.encoder,
                          "--crf", f"{q},{q - 2}", "--output", "corpus.jsonl")
        rows = {row["crf"]: row for row in self.programs.rows("corpus.jsonl")}
        expect(near(rows[q]["vmaf_score"], score, 1e-9) and rows[q - 2]["bitrate_kbps"] > rows[q]["bitrate_kbps"],
               f"corpus: {rows}")

    def check_recommend(self, q):
        text = self.programs.run("recommend", *self.common, "--encoder", self.encoder)[0]
        expect(f"crf={q} " in text, f"recommend: {text}")

    def check_ladder(self):
        found = self.programs.json("ladder", "--src", CLIP, "--preset", "veryfast", "--encoder", self.encoder,
                                   "--resolutions", "192x108,128x72", "--target-vmafs", "80,60", "--quality-tiers", "2",
                                   "--format", "json")
        rates = [rung["bitrate_kbps"] for rung in found["renditions"]]
        expect(len(rates) == 2 and rates == sorted(rates) and all(rung["codecs"] for rung in found["renditions"]),
               f"ladder: {found}")

    def check_per_shot(self):
        found = self.programs.json("tune-per-shot", *self.common, "--encoder", self.encoder, "--objective", "equal",
                                   "--execute", "--format", "json", "--output", "shots.mkv")
        expect(len(found["shots"]) == 2 and all(shot["predicted_vmaf"] >= TARGET for shot in found["shots"]),
               f"tune-per-shot: {found}")
        self.again("tune-per-shot", "shots.mkv", found["result"]["vmaf"])

    def check_auto(self):
        found = self.programs.json("auto", *self.common, "--codec", self.encoder, "--execute")
        winner = found["metadata"]["winner"]
        expect(winner["codec"] == self.encoder, f"auto: {winner}")
        row = self.programs.rows("runs/tune_results.jsonl")[-1]
        self.again("auto", row["encode_path"], row["vmaf_score"])

    def check_predict(self):
        found = self.programs.json("predict", "--src", CLIP, "--codec", self.encoder, "--target-vmaf", str(TARGET), "--per-shot")
        expect(len(found["shots"]) == 2 and found["answer"]["reached"], f"predict: {found}")


def check_all(programs):
    make_clip(programs.path(CLIP))
    matrix = Matrix(programs, ENCODER)
    q, score = matrix.check_bisect()
    matrix.check_profile(q, score)
    matrix.check_fast()
    matrix.check_compare(q, score)
    matrix.check_corpus(q, score)
    matrix.check_recommend(q)
    matrix.check_ladder()
    matrix.check_per_shot()
    matrix.check_auto()
    matrix.check_predict()


ENCODER = sys.argv[1]
main({ENCODER: check_all}, ENCODER)
