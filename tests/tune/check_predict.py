#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-tune predict, from outside: check_predict.py SUBJECT VMAF_TUNE VMAF"""
import glob
import math

from tune_program import expect, ffmpeg, main, make_clip, near

X264 = {"a": 95, "b": 1.2, "c": 0.012, "d": 1.5, "reference": 23}


def model(q, kbps, a=X264["a"]):
    delta = q - X264["reference"]
    score = a - X264["b"] * delta - X264["c"] * delta * delta + X264["d"] * math.log10(max(kbps, 1))
    return max(0, min(100, score))


def pick(target, kbps, a=X264["a"]):
    passing = [q for q in range(52) if model(q, kbps, a) >= target]
    return max(passing) if passing else 0


def verdict(residuals, threshold):
    if not residuals:
        return "FALL_BACK"
    if max(abs(r) for r in residuals) <= threshold:
        return "GOSPEL"
    mean = sum(residuals) / len(residuals)
    return "RECALIBRATE" if max(residuals) - min(residuals) <= 2 * threshold and abs(mean) > threshold else "FALL_BACK"


def prepare(programs):
    clip = programs.path("clip.mkv")
    make_clip(clip)
    return clip, ("predict", "--src", clip, "--preset", "ultrafast", "--target-vmaf", "88")


def check_validation(result, threshold):
    """Residuals, the verdict and what was predicted, once more."""
    validation = result["validation"]
    residuals = [entry["residual"] for entry in validation["residuals"]]
    expect(validation["verdict"] == verdict(residuals, threshold), f"{validation['verdict']} of {residuals}")
    expect(validation["n_validated"] == len(residuals), "shots were counted otherwise")
    for entry in validation["residuals"]:
        kbps = result["shots"][entry["shot"]]["features"]["probe_kbps"]
        expect(entry["crf"] == pick(result["target_vmaf"], kbps), f"another quality was picked: {entry}")
        expect(near(entry["predicted_vmaf"], model(entry["crf"], kbps), 1e-9), f"another prediction: {entry}")
        expect(near(entry["residual"], entry["measured_vmaf"] - entry["predicted_vmaf"], 1e-9), f"{entry}")
    return residuals


def check_measured(programs, clip, shot, crf, score):
    """Some encode that was kept is that of the shot at that quality."""
    first, last = shot["first_frame"], shot["first_frame"] + shot["frames"] - 1
    paths = glob.glob(programs.path(f"clip__libx264__ultrafast__crf{crf}__*.mkv"))
    scores = [programs.score(clip, path, selection=f"between(n,{first},{last})") for path in paths]
    expect(any(near(found, score, 2e-4) for found in scores), f"CRF {crf} has VMAF {scores}, not {score}")


def check_gospel(programs):
    clip, arguments = prepare(programs)
    result = programs.json(*arguments, "--residual-threshold", "100", "--report-out", "report.json", "--encode-dir",
                           programs.folder, "--keep-encodes")
    check_validation(result, 100)
    expect(programs.load("report.json") == result["validation"], "--report-out has another report")
    expect([(shot["first_frame"], shot["frames"]) for shot in result["shots"]] == [(0, 24), (24, 24)], "other shots")
    for shot in result["shots"]:
        expect(shot["source"] == "measured" and shot["features"]["probe_kbps"] > 0, f"{shot}")
        check_measured(programs, clip, shot, shot["crf"], shot["measured_vmaf"])
    one = programs.json(*arguments, "--residual-threshold", "100", "--validate-k", "1")
    check_validation(one, 100)
    expect(sorted(shot["source"] for shot in one["shots"]) == ["measured", "predicted"], "one shot is validated")
    for shot in one["shots"]:
        expect(shot["crf"] == pick(88, shot["features"]["probe_kbps"]), f"{shot}")


def check_recalibrated(programs):
    """One residual is no spread: the model is moved by it."""
    arguments = prepare(programs)[1]
    result = programs.json(*arguments, "--validate-k", "1", "--residual-threshold", "0.5")
    residual, = check_validation(result, 0.5)
    validation = result["validation"]
    expect(validation["verdict"] == "RECALIBRATE" and near(validation["bias"], residual, 1e-9), f"{validation}")
    expect(near(validation["model"]["a"], 95 + residual, 1e-9) and not validation["model"]["refitted"], f"{validation}")
    for shot in result["shots"]:
        kbps = shot["features"]["probe_kbps"]
        expect(shot["crf"] == pick(88, kbps, 95 + residual), f"not picked again: {shot}")
        expect(near(shot["predicted_vmaf"], model(shot["crf"], kbps, 95 + residual), 1e-9), f"{shot}")


def check_refused(programs):
    clip, arguments = prepare(programs)
    result = programs.json(*arguments, "--residual-threshold", "0.01", "--encode-dir", programs.folder, "--keep-encodes",
                           status=2)
    check_validation(result, 0.01)
    expect(result["validation"]["verdict"] == "FALL_BACK", f"{result['validation']}")
    for shot in result["shots"]:
        expect(shot["source"] == "bisected" and shot["reachable"] and shot["measured_vmaf"] >= 88, f"{shot}")
        check_measured(programs, clip, shot, shot["crf"], shot["measured_vmaf"])
        # The next one was encoded, too, and fails.
        first, last = shot["first_frame"], shot["first_frame"] + shot["frames"] - 1
        paths = glob.glob(programs.path(f"clip__libx264__ultrafast__crf{shot['crf'] + 1}__*.mkv"))
        scores = [programs.score(clip, path, selection=f"between(n,{first},{last})") for path in paths]
        expect(any(score < 88 for score in scores), f"CRF {shot['crf'] + 1} was not seen to fail: {scores}")
    none = programs.json(*arguments, "--validate-k", "0", status=2)
    expect([shot["crf"] for shot in none["shots"]] == [shot["crf"] for shot in result["shots"]], "without validation")
    programs.run(*arguments, "--codec", "libx999", status=2)


def check_moved(programs):
    """Shots that are alike, all better than predicted: the model is moved by their mean."""
    clip = programs.path("clip.mkv")
    parts = "".join(f"testsrc2=s=192x108:r=24,format=yuv420p,eq=brightness={'0.3' if i % 2 else '-0.3'},"
                    f"noise=alls={i}:allf=t:all_seed={i},trim=end_frame=24[p{i}];" for i in range(5))
    ffmpeg("-filter_complex", parts + "".join(f"[p{i}]" for i in range(5)) + "concat=n=5:v=1,settb=1/24,setpts=N[v]", "-map",
           "[v]", "-c:v", "ffv1", "-r", "24", clip)
    arguments = ("predict", "--src", clip, "--preset", "ultrafast", "--target-vmaf", "88")
    measured = programs.json(*arguments, "--residual-threshold", "100")
    residuals = [entry["residual"] for entry in measured["validation"]["residuals"]]
    expect(len(residuals) == 5, f"{len(residuals)} shots")
    spread, mean = max(residuals) - min(residuals), sum(residuals) / len(residuals)
    threshold = spread / 2 + 1e-6
    expect(mean > threshold, f"the clip is of no use: {residuals}")
    result = programs.json(*arguments, "--residual-threshold", str(threshold))
    check_validation(result, threshold)
    fitted = result["validation"]["model"]
    expect(result["validation"]["verdict"] == "RECALIBRATE", f"{result['validation']['verdict']}")
    # All have the same quality, so that no slope could be fitted.
    expect(not fitted["refitted"] and near(fitted["a"], 95 + mean, 1e-9), f"{fitted}")
    for shot in result["shots"]:
        kbps = shot["features"]["probe_kbps"]
        expect(shot["crf"] == pick(88, kbps, fitted["a"]), f"not picked again: {shot}")
        expect(shot["source"] == "predicted" and shot["measured_vmaf"] is None, f"not what was measured: {shot}")


NAMES = ["constant", "crf", "probe_kbps", "probe_i_bytes", "probe_p_bytes", "probe_b_bytes", "saliency_mean",
         "saliency_variance", "frame_difference", "luma_mean", "luma_variance", "frames", "fps", "width"]


def inputs(features, crf):
    known = {"constant": 1, "crf": (crf - 28) / 10, "probe_kbps": (math.log10(features["probe_kbps"]) - 3) / 0.7,
             "frame_difference": (features["frame_difference"] - 0.03) / 0.03, "luma_mean": (features["luma_mean"] - 0.4) / 0.2,
             "luma_variance": (features["luma_variance"] - 0.04) / 0.03, "frames": (math.log10(features["frames"]) - 2) / 0.5,
             "fps": (features["fps"] - 30) / 15, "width": (math.log10(features["width"]) - 3.1) / 0.3}
    return [known.get(name, 0) for name in NAMES]


def ridge(rows, residuals):
    """Weights that minimise the sum of squares, by elimination."""
    n = len(NAMES)
    matrix = [[float(i == j) + sum(row[i] * row[j] for row in rows) for j in range(n)] +
              [sum(row[i] * r for row, r in zip(rows, residuals))] for i in range(n)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(matrix[i][k]))
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        for i in range(n):
            if i != k:
                factor = matrix[i][k] / matrix[k][k]
                matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[k])]
    return [matrix[k][n] / matrix[k][k] for k in range(n)]


main({"gospel": check_gospel, "recalibrated": check_recalibrated, "refused": check_refused,
      "moved": check_moved})
