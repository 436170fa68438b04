#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-tune predict, from outside: check_predict.py SUBJECT VMAF_TUNE VMAF"""
import glob
import json
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
    programs.run(*arguments, "--alpha", "2", status=2)


def quantile(values, level):
    ordered, at = sorted(values), level * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def check_uncertainty(programs):
    arguments = prepare(programs)[1]
    more = ("--residual-threshold", "100", "--validate-k", "1", "--with-uncertainty", "--calibration-sidecar", "sidecar.json")
    first = programs.json(*arguments, *more)
    expect(first["uncertainty"]["calibrated"] is False and first["uncertainty"]["n"] == 1, f"{first['uncertainty']}")
    kept = programs.load("sidecar.json")
    expect(kept["residuals"] == [first["validation"]["residuals"][0]["residual"]] and kept["n"] == 1 and
           kept["method"] == "split-conformal", f"{kept}")
    residuals = [0.1 * i for i in range(1, 20)]
    programs.write("sidecar.json", json.dumps(dict(kept, residuals=residuals)))
    result = programs.json(*arguments, *more, "--alpha", "0.2")
    residuals.append(abs(kept["residuals"][0]))
    level = min(1, math.ceil((len(residuals) + 1) * 0.8) / len(residuals))
    half = quantile(residuals, level)
    expect(near(result["uncertainty"]["half_width"], half, 1e-9) and result["uncertainty"]["calibrated"], f"{half}")
    for shot in result["shots"]:
        low, high = shot["vmaf_interval"]
        expect(near(low, max(0, shot["predicted_vmaf"] - half), 1e-9) and
               near(high, min(100, shot["predicted_vmaf"] + half), 1e-9), f"{shot}")
    expect(len(programs.load("sidecar.json")["residuals"]) == 20, "this run was not added")
    programs.write("sidecar.json", "[")
    programs.run(*arguments, *more, status=2)


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


def check_sidecar(programs):
    """What real encodes have taught is what a ridge regression of them says."""
    arguments = prepare(programs)[1]
    document = programs.json(*arguments, "--residual-threshold", "0.01", status=2)
    path = programs.write("predict.json", json.dumps(document))
    empty = programs.json("sidecar", "status")
    expect(empty["n"] == 0 and set(empty["weights"]) == set(NAMES) and not any(empty["weights"].values()), f"{empty}")
    before = programs.json("sidecar", "predict", path)
    for shot, one in zip(document["shots"], before["shots"]):
        kbps = shot["features"]["probe_kbps"]
        expect(one["crf"] == pick(88, kbps) and near(one["corrected_vmaf"], model(one["crf"], kbps), 1e-9), f"{one}")

    batch = programs.json("sidecar", "batch-record", path)
    rows, residuals = [], []
    entries = [(e["shot"], e["crf"], e["measured_vmaf"]) for e in document["validation"]["residuals"]] + \
        [(i, s["crf"], s["measured_vmaf"]) for i, s in enumerate(document["shots"]) if s["source"] == "bisected"]
    for shot, crf, score in dict.fromkeys(entries):
        features = document["shots"][shot]["features"]
        rows.append(inputs(features, crf))
        residuals.append(score - model(crf, features["probe_kbps"]))
    expect(batch["schema"] == "vmaf-tune-sidecar-batch-record/v1" and batch["files"][0]["added"] == len(rows) >= 2, f"{batch}")
    again = programs.json("sidecar", "batch-record", path, path)
    expect([file["added"] for file in again["files"]] == [0, 0], f"known measurements count again: {again}")

    one = programs.json("sidecar", "record", path, "--shot", "1", "--crf", "33", "--measured-vmaf", "61.5")
    features = document["shots"][1]["features"]
    rows.append(inputs(features, 33))
    residuals.append(61.5 - model(33, features["probe_kbps"]))
    expect(near(one["residual"], residuals[-1], 1e-9) and one["n"] == len(rows) and not one["already_known"], f"{one}")
    again = programs.json("sidecar", "record", path, "--shot", "1", "--crf", "33", "--measured-vmaf", "61.5")
    expect(again["already_known"] and again["n"] == len(rows), f"{again}")

    weights = ridge(rows, residuals)
    status = programs.json("sidecar", "status")
    expect(status["schema"] == "vmaf-tune-sidecar-status/v1" and status["n"] == len(rows) == status["history"], f"{status}")
    for name, weight in zip(NAMES, weights):
        expect(near(status["weights"][name], weight, 1e-9), f"{name}: {status['weights'][name]}, not {weight}")
    expect(near(status["mean_abs_residual"], sum(map(abs, residuals)) / len(residuals), 1e-9), f"{status}")

    def corrected(features, crf):
        learned = sum(w * x for w, x in zip(weights, inputs(features, crf)))
        return max(0, min(100, model(crf, features["probe_kbps"]) + learned))

    after = programs.json("sidecar", "predict", path)
    expect(after["schema"] == "vmaf-tune-sidecar-predict/v1" and after["target_vmaf"] == 88, f"{after}")
    for shot, one in zip(document["shots"], after["shots"]):
        passing = [q for q in range(52) if all(corrected(shot["features"], k) >= 88 for k in range(q + 1))]
        expect(one["crf"] == max(passing, default=0) and one["reachable"] == bool(passing), f"{one}, not {passing}")
        expect(near(one["corrected_vmaf"], corrected(shot["features"], one["crf"]), 1e-9), f"{one}")
    there = programs.json("sidecar", "predict", path, "--crf", "40")
    for shot, one in zip(document["shots"], there["shots"]):
        expect(one["crf"] == 40 and near(one["corrected_vmaf"], corrected(shot["features"], 40), 1e-9), f"{one}")

    # What cannot be: nothing of it changes what was learned.
    programs.run("sidecar", status=2)
    programs.run("sidecar", "forget", status=2)
    programs.run("sidecar", "status", path, status=2)
    programs.run("sidecar", "status", "--encoder", "libx999", status=2)
    programs.run("sidecar", "predict", "/nonexistent", status=2)
    programs.run("sidecar", "predict", path, "--crf", "60", status=2)
    programs.run("sidecar", "record", path, "--shot", "2", "--crf", "30", "--measured-vmaf", "60", status=2)
    programs.run("sidecar", "record", path, "--crf", "30", "--measured-vmaf", "60", status=2)
    for change in ({"pool": "min"}, {"vmaf_model": "vmaf_v0.6.1neg"}, {"encoder": "h264_videotoolbox"}, {"shots": []}, {"pool": 3}):
        programs.write("bad.json", json.dumps(dict(document, **change)))
        programs.run("sidecar", "batch-record", "bad.json", status=2)
    expect(programs.json("sidecar", "status") == status, "refused files were learned from")
    for text in ("{", "[]", json.dumps(dict(programs.load(status["path"]), schema_version=2))):
        programs.write(status["path"], text)
        said = programs.run("sidecar", "status", status=2)[1]
        expect(status["path"] in said and said.count("\n") == 1, said)


main({"sidecar": check_sidecar, "gospel": check_gospel, "recalibrated": check_recalibrated, "refused": check_refused,
      "moved": check_moved, "uncertainty": check_uncertainty})
