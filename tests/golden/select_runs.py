#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Selects the golden runs that this library can be tested with.

    select_runs.py FULL_SET_FOLDER

Reads the golden files of a full set (all features, all models; not part of this tree) and writes those runs
that need only the features and models listed below to this folder, and likewise the command-line cases to
reports/. To cover a new feature: add its name here, run this, review the difference.
"""
import json
import os
import shutil
import sys

FEATURES = {"adm", "vif", "motion", "psnr", "null", "float_psnr", "float_ansnr", "float_moment", "float_motion",
            "float_adm", "float_vif", "cambi", "ciede", "float_ssim", "float_ms_ssim", "psnr_hvs", "speed_chroma",
            "speed_temporal", "ssim", "ssimulacra2"}
MODELS = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg", "vmaf_b_v0.6.3",
          "vmaf_float_v0.6.1", "vmaf_float_v0.6.1neg", "vmaf_float_4k_v0.6.1", "vmaf_float_b_v0.6.3",
          "vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_3d0h_2160", "vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_1d5h_2160",
          "vmaf_v1.0.16_hfr_3d0h", "vmaf_v1.0.16_hfr_3d0h_2160", "vmaf_v1.0.16_hfr_5d0h",
          "vmaf_v1.0.16_hfr_1d5h_2160"}
# Names that must be refused: no such features and models exist.
UNKNOWN = {"foo", "ms_ssim", "integer_adm", "ADM", "VMAF_integer_feature_adm2_score", "vmaf_v0.6.2", "VMAF_V0.6.1"}

# Decisions: the smallest width and height of a feature, and features that refuse odd depths.
MINIMUM = {"adm": 17, "float_adm": 17, "vif": 8, "float_vif": 16, "motion": 3, "float_motion": 3,
           "float_ssim": 11, "float_ms_ssim": 176}
MIRRORED_BELOW = {"adm": 33, "float_adm": 33}
EVEN_DEPTHS_ONLY = {"float_adm", "float_vif", "float_motion", "float_ssim", "float_moment", "float_psnr",
                    "float_ansnr"}

FILES = ["features-8bit", "features-hbd", "options-adm", "options-motion", "options-psnr", "options-vif",
         "options-float_adm", "options-float_vif", "options-cambi", "options-ssim", "options-speed", "ssimulacra2",
         "models", "temporal", "sizes", "errors"]
MAX_FILE_SIZE = 400000  # characters of runs; larger sets are cut into several files
RUN_MEMBERS_LEFT_OUT = {"reference_simd_differs"}

HERE = os.path.dirname(os.path.abspath(__file__))


def read(path):
    """Numbers keep their value as doubles: minus zero is not an integer."""
    with open(path) as f:
        return json.load(f, parse_int=lambda text: -0.0 if text == "-0" else int(text))


def is_supported(run):
    known = FEATURES | MODELS | UNKNOWN
    return all(f["name"] in known for f in run.get("features", [])) and all(
        m.get("version") in known for m in run.get("models", []))


def write_list(path, head, name, rows):
    """One row a line, so that differences can be read."""
    with open(path, "w") as f:
        f.write("{%s, \"%s\": [\n" % (head, name))
        f.write(",\n".join(rows))
        f.write("\n]}\n")


def text_of_run(run):
    metrics = [json.dumps(m) for m in run.get("metrics", [])]
    rest = {k: v for k, v in run.items() if k not in RUN_MEMBERS_LEFT_OUT and k != "metrics"}
    text = json.dumps(rest)
    if "metrics" not in run:
        return "  " + text
    return "  %s, \"metrics\": [%s]}" % (text[:-1], "".join("\n   " + m + ("," if i + 1 < len(metrics) else "")
                                                           for i, m in enumerate(metrics)))


def add_pooled(metric):
    """The set for ssimulacra2 has the scores of frames only; pooling is the same for all features."""
    values = metric["values"]
    if "min" not in metric and all(isinstance(v, (int, float)) for v in values):
        total = inverse = 0.0
        for v in values:
            total += v
            inverse += 1.0 / (v + 1.0)
        metric.update({"min": min(values), "max": max(values), "mean": total / len(values),
                       "harmonic_mean": len(values) / inverse - 1.0})


def parts(rows):
    part = []
    for row in rows:
        if part and sum(map(len, part)) + len(row) > MAX_FILE_SIZE:
            yield part
            part = []
        part.append(row)
    if part:
        yield part


REFUSED = {"status": "error", "stage": "read_pictures", "frame": 0, "code": -22}


def exception(group, case, run):
    """What this library does instead of the golden outcome: decision and outcome, or None."""
    names = [f["name"] for f in run.get("features", [])]
    side = min(int(n) for n in case["ref"]["synth"]["size"].split("x"))
    chroma_side = side // 2 if case["ref"]["synth"]["format"] == "420" else side
    for name in names:
        if group == "sizes" and side < MINIMUM.get(name, 1):
            return "smaller than the %dx%d that %s needs: refused" % (MINIMUM[name], MINIMUM[name], name), REFUSED
        if group == "sizes" and run["status"] == "undefined" and side < MIRRORED_BELOW.get(name, 0):
            return "17 to 32 columns or rows are scored by the mirror rule", {"status": "finite"}
        if case["id"] in ("depth-9", "depth-14") and name in EVEN_DEPTHS_ONLY:
            return "depths other than 8, 10, 12 and 16 are refused", REFUSED
        if name == "float_ms_ssim" and side < MINIMUM[name]:
            return "smaller than the 176x176 that float_ms_ssim needs: refused", REFUSED
        if name == "psnr_hvs" and run["status"] == "ok" and chroma_side < 8:
            return "a plane smaller than the 8x8 that psnr_hvs needs: refused", REFUSED
        if name == "ssim":
            return "a feature of its own, with integer arithmetic", {"status": "finite"}
        if run["id"] in ("float_vif-vif_kernelscale=3.3", "float_vif-vif_prescale_method=area",
                         "speed_temporal-speed_prescale_method=foo", "speed_temporal-speed_kernelscale=0.77"):
            return ("a text or a number off the list of the option is refused at once",
                    {"status": "error", "stage": "use_feature", "code": -22})
        if run["id"] == "speed_temporal-speed_prescale=0.1":
            return "too small after scaling: refused", {"metrics": [], **REFUSED}
    if run["id"] == "feature-twice-differing":
        suffixed = {**run["metrics"][0], "key": run["metrics"][0]["key"] + "_enable_chroma_false"}
        return ("a second instance that was asked for explicitly gets suffixed keys",
                {"metrics": run["metrics"] + [suffixed]})
    return None


def write_exceptions(found):
    rows = ["  " + json.dumps({"group": group, "case": case, "run": run, "decision": decision, "expect": expect})
            for group, case, run, decision, expect in found]
    note = "Golden runs whose outcome this library changes on purpose. Members of expect replace those of the run."
    write_list(os.path.join(HERE, "exceptions.json"), '"format": "golden-exceptions-1", "note": "%s"' % note,
               "exceptions", rows)


def select_scores(source):
    exceptions = []
    for name in FILES:
        golden = read(os.path.join(source, name + ".json"))
        rows = []
        for case in golden["cases"]:
            if "synth" not in case["ref"]: # real clips are not part of this tree
                continue
            runs = []
            for run in filter(is_supported, case["runs"]):
                if name == "ssimulacra2":
                    for metric in run.get("metrics", []):
                        add_pooled(metric)
                runs.append(text_of_run(run))
                change = exception(name, case, run)
                if change:
                    exceptions.append((name, case["id"], run["id"]) + change)
            if runs:
                head = json.dumps({k: v for k, v in case.items() if k != "runs"})
                rows.append(" %s, \"runs\": [\n%s]}" % (head[:-1], ",\n".join(runs)))
        for number, part in enumerate(parts(rows)):
            path = os.path.join(HERE, name + ("-%d" % (number + 1) if number else "") + ".json")
            write_list(path, '"format": "golden-1", "group": "%s"' % name, "cases", part)
    write_exceptions(exceptions)


def names_in_arguments(args):
    for option, value in zip(args, args[1:]):
        if option == "--feature":
            yield value.split("=")[0]
        elif option in ("--model", "-m"):
            yield from (item[len("version="):] for item in value.split(":") if item.startswith("version="))
            yield from ("(path)" for item in value.split(":") if item.startswith("path="))


NOBODYS_NAMES = {"nosuch", "vmaf_v9"}

# How a test damages an input file, by the words of the full set.
EDITS = {
    "an empty file": {"keep": 0},
    "first 9 bytes YUV3MPEG2": {"find": "YUV4MPEG2", "replace": "YUV3MPEG2"},
    '"W64 " removed from the header': {"find": "W64 ", "replace": ""},
    '"F25:1 " removed from the header': {"find": "F25:1 ", "replace": ""},
    "Ip replaced by It": {"find": "Ip", "replace": "It"},
    '"Ip " removed from the header': {"find": "Ip ", "replace": ""},
    '" C420jpeg" removed from the header': {"find": " C420jpeg", "replace": ""},
    "C420jpeg replaced by C410": {"find": "C420jpeg", "replace": "C410"},
    "last 100 bytes removed": {"keep": -100},
    "only the first 20 bytes": {"keep": 20},
    "first FRAME replaced by FRAMX": {"find": "FRAME", "replace": "FRAMX"},
    'every FRAME line replaced by "FRAME Ip Xfoo=1"': {"find": "FRAME\n", "replace": "FRAME Ip Xfoo=1\n", "all": True},
    '" C420jpeg" replaced by " XYSCSS=420JPEG XCOLORRANGE=FULL C420mpeg2"':
        {"find": " C420jpeg", "replace": " XYSCSS=420JPEG XCOLORRANGE=FULL C420mpeg2"},
}

# Where this program differs from the reference on purpose.
COMMAND_LINE_DECISIONS = {
    "err-unknown-option": {"exit": 1, "decision": "an unknown option is a usage error"},
    "err-output-dir": {"exit": 255, "decision": "a report that cannot be written is a failure"},
    "err-size-within-16": {"exit": 255, "decision": "true sizes are compared, before scoring"},
    "err-ms-ssim-too-small": {"exit": 234, "decision": "a feature that fails is a failure to read"},
    "err-bad-number": {"exit": 1, "decision": "a bad number is a usage error"},
    "err-mono": {"exit": 0, "frames": 2, "decision": "mono Y4M is read"},
    "err-y4m-422-8bit": {"exit": 0, "frames": 2, "decision": "8-bit 4:2:2 Y4M is read"},
    "err-y4m-16bit": {"exit": 0, "frames": 2, "decision": "16-bit Y4M is read"},
    "err-odd-size": {"exit": 0, "frames": 2, "decision": "odd sizes are read"},
    "err-odd-size-one-frame": {"exit": 0, "frames": 1, "decision": "odd sizes are read"},
    "y4m-truncated": {"exit": 234, "decision": "an unreadable frame is a failure, without a report"},
    "y4m-bad-frame-line": {"exit": 234, "decision": "an unreadable frame is a failure, without a report"},
}


def text_of_clip(clip):
    clip = {k: v for k, v in clip.items() if k != "sha256"}
    if "edit" in clip:
        clip["edit"] = EDITS[clip["edit"]]
    return clip


def select_reports(source):
    golden = read(os.path.join(source, "cli.json"))
    rows = []
    for case in golden["cases"]:
        if not set(names_in_arguments(case["args"])) <= FEATURES | MODELS | NOBODYS_NAMES:
            continue
        case = {**case, "ref": text_of_clip(case["ref"]), "dis": text_of_clip(case["dis"])}
        case.pop("note", None)
        if case["id"] in COMMAND_LINE_DECISIONS:
            case.pop("output", None)
            case.update(COMMAND_LINE_DECISIONS[case["id"]])
        if "output" in case:
            name = os.path.basename(case["output"])
            shutil.copyfile(os.path.join(source, case["output"]), os.path.join(HERE, "reports", name))
            case["output"] = name
        rows.append(" " + json.dumps(case))
    write_list(os.path.join(HERE, "reports", "cases.json"), '"format": "golden-cli-1"', "cases", rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    select_scores(sys.argv[1])
    select_reports(sys.argv[1])
