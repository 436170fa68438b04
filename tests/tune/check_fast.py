#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-tune fast, from outside: check_fast.py SUBJECT VMAF_TUNE VMAF"""
from tune_program import expect, ffmpeg, main, make_clip, near, packet_bytes

FRAMES, RATE, LEAD = 48, 24, 6


# -- a video --

def arguments(clip, *more):
    return ("fast", "--src", clip, "--preset", "ultrafast", "--sample-chunk-seconds", "0.75", *more)


def sampled(programs, clip, windows, quality):
    """VMAF of encodes of these windows, with frames around them that do not count."""
    total, path = 0, programs.path("window.mkv")
    for window in windows:
        begin, end = max(0, window["first_frame"] - LEAD), min(FRAMES, window["first_frame"] + window["frames"] + LEAD)
        chosen = f"between(n,{begin},{end - 1})"
        ffmpeg("-i", clip, "-vf", f"select='{chosen}',setpts=N/{RATE}/TB", "-r", RATE, "-c:v", "libx264", "-preset", "ultrafast",
               "-crf", quality, path)
        part = programs.scores(clip, path, selection=chosen)[window["first_frame"] - begin:][:window["frames"]]
        total += sum(part) / len(part) * window["stands_for"]
    return total / FRAMES


def check_result(programs, clip, result, target, tolerance):
    windows = result["windows"]
    expect(sum(window["stands_for"] for window in windows) == FRAMES, f"windows stand for other frames: {windows}")
    best = [sample for sample in result["verifications"] if sample["crf"] == result["recommended_crf"]]
    expect(len(best) == 1, f"the answer was not encoded: {result}")
    path = best[0]["encode_path"]
    expect(near(programs.score(clip, path), result["verify_vmaf"], 2e-4), f"VMAF is not {result['verify_vmaf']}")
    kbps = packet_bytes(path) * 8 / 1000 / (FRAMES / RATE)
    expect(near(kbps, result["verify_kbps"], 1e-6), f"{kbps} kbit/s, not {result['verify_kbps']}")
    expect(result["verify_vmaf"] >= target, "the answer misses the target")
    expect(near(result["proxy_verify_gap"], abs(result["predicted_vmaf"] - result["verify_vmaf"]), 1e-9), "the gap is another")
    # What samples say: the same frames, scored by the other program.
    for sample in result["samples"]:
        expect(near(sampled(programs, clip, windows, sample["crf"]), sample["vmaf"], 2e-4),
               f"CRF {sample['crf']}: the sample has another VMAF")
        if sample["crf"] == result["recommended_crf"]:
            expect(near(sample["vmaf"], result["predicted_vmaf"], 1e-9), "the prediction is not that of the samples")
    # The cheapest one: the next one fails, on the whole video or, with the difference that was measured, on samples.
    answer = result["recommended_crf"]
    whole = {entry["crf"]: entry["vmaf"] for entry in result["verifications"]}
    parts = {entry["crf"]: entry["vmaf"] for entry in result["samples"]}
    next_score = whole.get(answer + 1)
    if next_score is None and answer in parts and answer + 1 in parts:
        next_score = parts[answer + 1] + whole[answer] - parts[answer]
    expect(next_score is None or next_score < target, f"{answer + 1} would do as well: {result}")
    again = programs.path("again.mkv")
    ffmpeg("-i", clip, "-c:v", "libx264", "-preset", "ultrafast", "-crf", str(answer + 1), again)
    expect(programs.score(clip, again) < target + tolerance, f"{answer + 1} has {programs.score(clip, again)}")


def check_search(programs):
    clip = programs.path("a clip.mkv")
    make_clip(clip)
    for target in (80, 90, 95):
        more = ("--target-vmaf", str(target), "--proxy-tolerance", "6")
        result = programs.json(*arguments(clip, *more, "--encode-dir", programs.folder, "--keep-encodes"))
        check_result(programs, clip, result, target, 0.5)
        expect(result["n_trials"] <= 6 and result["score_backend"], "trials or backend")
        again = programs.json(*arguments(clip, *more))
        expect(all(sample["cached"] for sample in again["samples"] + again["verifications"]), "encoded twice")
        expect(again["recommended_crf"] == result["recommended_crf"], "another answer from the cache")


def check_whole(programs):
    """A video that is shorter than samples: nothing is left to be verified."""
    clip = programs.path("clip.mkv")
    make_clip(clip)
    result = programs.json("fast", "--src", clip, "--preset", "ultrafast", "--target-vmaf", "88")
    expect(result["windows"] == [] and result["verifications"] == [] and result["proxy_verify_gap"] == 0, f"{result}")
    answers = {sample["crf"]: sample["vmaf"] for sample in result["samples"]}
    answer = result["recommended_crf"]
    expect(answers[answer] >= 88 > answers[answer + 1] and result["verify_vmaf"] == answers[answer], f"{result}")


def check_status(programs):
    clip = programs.path("clip.mkv")
    make_clip(clip)
    result = programs.json(*arguments(clip, "--target-vmaf", "90", "--proxy-tolerance", "0"), status=3)
    expect(result["recommended_crf"] > 0 and result["proxy_verify_gap"] > 0 and result["verify_vmaf"] >= 90,
           "status 3 without a result")
    result = programs.json(*arguments(clip, "--target-vmaf", "99", "--crf-min", "35"), status=1)
    expect(result["recommended_crf"] == -1 and result["verifications"] == [] and "unreachable" in result["notes"], f"{result}")
    result = programs.json(*arguments(clip, "--target-vmaf", "89.5", "--n-trials", "2", "--proxy-tolerance", "50"))
    expect(len(result["samples"]) == 2, "2 trials were allowed")
    for target in ("82", "90"):  # whether the only encode passes or not
        late = programs.json(*arguments(clip, "--target-vmaf", target, "--no-cache", "--time-budget-s", "0.001",
                                        "--proxy-tolerance", "90"), status=None)
        expect(len(late["samples"]) == 1, f"encodes began after the time budget: {late}")
        expect((late["recommended_crf"] >= 0) == bool(late["verifications"]), f"{late}")
    programs.run("fast", "--src", clip, status=2)
    programs.run(*arguments(clip, "--target-vmaf", "90", "--sample-clip-seconds", "1"), status=2)
    programs.run(*arguments(clip, "--target-vmaf", "90", "--crf-max", "60"), status=2)
    programs.run("fast", "--src", "nothing.mkv", "--target-vmaf", "90", status=2)
    text = programs.run(*arguments(clip, "--target-vmaf", "90", "--format", "text", "--proxy-tolerance", "6"))[0]
    expect("; VMAF " in text, text)


main({"search": check_search, "whole": check_whole, "status": check_status})
