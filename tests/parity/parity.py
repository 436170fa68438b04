#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores one pair of clips with several backends and compares every frame and every metric.

    parity.py --vmaf-binary vmaf --reference a.y4m --distorted b.y4m --backends cpu vulkan

A cell is a feature (or a model) and a pair of backends. Without --features and --models all features that
the backends say they compute are compared. Features are pinned to their backend, so that none is quietly
computed by the CPU, and a model's features have to be where the backend's own list says. An exact
feature has tolerance 0, and then the whole reports have to be equal but for the keys that backends add.

What a backend does not compute, a feature or all features of a model, is no failure: the cell is SKIP. So are
pictures that the library does not take for a feature (because they are too small, for instance), where
features were not named.

A plus sign joins features, or models, that are scored in one run, where they may share work:

    --features vif+vif=vif_enhn_gain_limit=1.0 --models vmaf_v0.6.1+vmaf_v0.6.1neg

Exit status: 0 all cells are OK, 1 some are not, 2 nothing could be compared.
"""
import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ADDED_KEYS = ("feature_backends", "backend_used", "backend_events", "backend_spot_checks")
TIMED_KEYS = ("fps",)
KNOWN_BACKENDS = ("cuda", "sycl", "hip", "metal", "vulkan")
NOTE_LENGTH = 200
TIMEOUT_SECONDS = 600
DEFAULT_FP32_TOLERANCE = 5e-5
DEFAULT_FP16_TOLERANCE = 1e-2
REFUSED = 234  # status of the program for pictures that a feature does not take, among others


class CannotCompare(Exception):
    """Nothing can be said about any cell."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--vmaf-binary", required=True)
    add("--reference", required=True)
    add("--distorted", required=True)
    add("--width", type=int, help="raw clips only, as the next three")
    add("--height", type=int)
    add("--pixel-format", default="420")
    add("--bitdepth", type=int, default=8)
    add("--features", nargs="+", metavar="NAME[=OPTIONS][+...]", help="default: all that the backends offer")
    add("--models", nargs="+", default=[], metavar="MODEL[+...]",
        help="as after --model, version= may be left out")
    add("--backends", nargs="+", default=["cpu", "vulkan"])
    add("--fp16-features", nargs="+", default=[], help="features with the tolerance of half precision")
    for backend in KNOWN_BACKENDS:
        add(f"--{backend}-device", type=int, metavar="N")
    add("--device", action="append", default=[], metavar="NAME:N", help="device N of any backend")
    add("--workdir", help="keep the reports here")
    add("--json-out")
    add("--md-out")
    add("--gpu-id", help="key of the calibration table, such as vulkan:0x10de:0x2204")
    add("--calibration-table", help="JSON file with tolerances by device")
    add("--timeout", type=float, default=TIMEOUT_SECONDS, help="seconds for each run")
    return parser.parse_args()


# -- what backends can do --


def read_capabilities(vmaf):
    try:
        run = subprocess.run([vmaf, "--capabilities"], capture_output=True, text=True, check=True)
        return {backend["name"]: backend for backend in json.loads(run.stdout)["backends"]}
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise CannotCompare(f"{vmaf} --capabilities: {error}") from error


def offered_features(capabilities, backend):
    """The backend's entries of the capabilities, by feature."""
    entries = capabilities.get(backend, {}).get("features", [])
    return {entry["name"]: entry for entry in entries if not entry.get("own")}


def default_features(capabilities, backends):
    names = []
    for backend in backends:
        names += [name for name in offered_features(capabilities, backend) if name not in names]
    return names


def device_name(capabilities, backend, index):
    devices = capabilities.get(backend, {}).get("devices", [])
    return next((device["name"] for device in devices if device["index"] == index), backend)


# -- tolerances --


def calibrated_entry(table, gpu_id):
    """The entry of the table for a device: an exact key first, then the longest pattern."""
    best, best_length = None, -1
    for entry in table.get("gpus", []):
        key = entry["id"]
        if key == gpu_id:
            return entry
        if key.endswith("*") and gpu_id.startswith(key[:-1]) and len(key) - 1 > best_length:
            best, best_length = entry, len(key) - 1
    return best


def tolerance_of(feature, exactness, bound, arguments, table):
    """The largest difference allowed, and where that comes from."""
    if table is not None and arguments.gpu_id:
        entry = calibrated_entry(table, arguments.gpu_id)
        if entry is None:
            source = f"no-calibration:{arguments.gpu_id}"
        elif feature in entry.get("features", {}):
            return entry["features"][feature], f"{entry.get('status', 'calibrated')}:{entry['id']}"
        else:
            source = f"placeholder-default:{entry['id']}"
    else:
        table, source = {}, "default"
    if feature in arguments.fp16_features:
        return table.get("default_fp16_tolerance", DEFAULT_FP16_TOLERANCE), "fp16"
    if exactness == "exact":
        return 0.0, source
    if exactness == "bounded":
        return bound, source
    return table.get("default_fp32_tolerance", DEFAULT_FP32_TOLERANCE), source


# -- runs --


class Runner:
    """Scores with one backend at a time, and remembers the reports."""

    def __init__(self, arguments, workdir):
        self.arguments, self.workdir, self.done = arguments, Path(workdir), {}
        self.devices = {b: getattr(arguments, f"{b}_device") for b in KNOWN_BACKENDS}
        for choice in arguments.device:
            name, _, index = choice.partition(":")
            self.devices[name] = int(index or 0)

    def command(self, what, backend, output):
        arguments = self.arguments
        command = [arguments.vmaf_binary, "-r", arguments.reference, "-d", arguments.distorted]
        if arguments.width is not None:
            command += ["-w", str(arguments.width), "-h", str(arguments.height)]
            command += ["-p", arguments.pixel_format, "-b", str(arguments.bitdepth)]
        if what.startswith("model "):
            names = what[len("model "):].split("+")
            for name in names:
                unique = f":name={name}" if len(names) > 1 else ""
                command += ["--model", name if "=" in name else f"version={name}{unique}"]
        else:
            command.append("--no_prediction")
            for feature in what.split("+"):
                name, separator, options = feature.partition("=")
                pinned = name if backend == "cpu" else f"{name}_{backend}"
                command += ["--feature", pinned + separator + options]
        command += ["--precision", "max", "--json", "--output", str(output), "--backend", backend]
        if self.devices.get(backend) is not None:
            command += ["--backend-device", f"{backend}:{self.devices[backend]}"]
        return command

    def run(self, what, backend):
        """The command, and its report or the reason why there is none."""
        if (what, backend) not in self.done:
            output = self.workdir / f"{len(self.done):03}-{backend}.json"
            command = self.command(what, backend, output)
            self.done[what, backend] = (command, *self.score(command, output))
        return self.done[what, backend]

    def score(self, command, output):
        try:
            run = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                 timeout=self.arguments.timeout, check=False)
        except subprocess.TimeoutExpired:
            return None, "time is up"
        if run.returncode != 0:
            printed = " ".join(run.stderr.split())[:NOTE_LENGTH] or f"exit status {run.returncode}"
            return None, f"refused: {printed}" if run.returncode == REFUSED else printed
        try:
            return json.loads(output.read_text()), None
        except (OSError, ValueError) as error:
            return None, f"no report: {error}"[:NOTE_LENGTH]


def misplaced(report, backend, offered):
    """What the report says of who computed what, if that is not as it should be."""
    if report.get("backend_events"):
        return f"backend_events: {json.dumps(report['backend_events'])}"
    for entry in report.get("feature_backends", []):
        extractor = entry["extractor"]
        if extractor.endswith(f"_{backend}"):
            extractor = extractor[: -len(backend) - 1]
        expected = backend if extractor in offered else "cpu"
        if entry["backend"] != expected:
            return f"{extractor} was computed by {entry['backend']}, not by {expected}"
    if not report.get("feature_backends"):
        return "the report does not say who computed what"
    return None


# -- comparing --


def difference(a, b):
    a, b = (math.nan if value is None else value for value in (a, b))  # null: not a number
    if math.isnan(a) or math.isnan(b):
        return 0.0 if math.isnan(a) and math.isnan(b) else math.inf
    return 0.0 if a == b else abs(a - b)


def compare_frames(cell, frames_a, frames_b):
    worst, mismatches = cell["per_metric_max_abs_diff"], cell["per_metric_mismatches"]
    for a, b in zip(frames_a, frames_b):
        if a["metrics"].keys() != b["metrics"].keys():
            odd = sorted(a["metrics"].keys() ^ b["metrics"].keys())
            return f"frame {a['frameNum']}: only one side has {', '.join(odd)}"
        for metric, value in a["metrics"].items():
            apart = difference(value, b["metrics"][metric])
            worst[metric] = max(worst.get(metric, 0.0), apart)
            mismatches.setdefault(metric, 0)
            if apart > cell["tolerance_abs"]:
                mismatches[metric] += 1
                cell["first_mismatch"] = cell["first_mismatch"] or {
                    "frame": a["frameNum"], "metric": metric, "a": value, "b": b["metrics"][metric]}
    return None


def without_added(report):
    return {key: value for key, value in report.items() if key not in ADDED_KEYS + TIMED_KEYS}


def compare_reports(cell, a, b):
    """Fills in the cell; returns why it is an error, if it is one."""
    if len(a["frames"]) != len(b["frames"]):
        return f"frame-count mismatch a={len(a['frames'])} b={len(b['frames'])}"
    if not a["frames"]:
        return "no frames"
    error = compare_frames(cell, a["frames"], b["frames"])
    if error:
        return error
    cell["n_frames"] = len(a["frames"])
    if any(cell["per_metric_mismatches"].values()):
        cell["status"] = "FAIL"
    elif cell["tolerance_abs"] == 0 and repr(without_added(a)) != repr(without_added(b)):
        cell["status"] = "FAIL"
        cell["note"] = "the frames are equal, but the rest of the reports is not"
    return None


def exactness_of(what, pair, capabilities):
    """How close the two sides promise to be: as close as the worse of them. Models: exact."""
    ranks = ("exact", "bounded", "none")
    exactness, bound = "exact", 0.0
    for backend in pair:
        if backend == "cpu" or what.startswith("model "):
            continue
        offered = offered_features(capabilities, backend)
        entries = [offered.get(name.partition("=")[0], {"exactness": "none"}) for name in what.split("+")]
        exactness = max([exactness] + [entry["exactness"] for entry in entries], key=ranks.index)
        bound += max(entry.get("bound") or 0.0 for entry in entries)
    return exactness, bound


def not_computed(what, pair, runner, capabilities):
    """What a backend of the pair lacks of it, if that is all of a model or any feature."""
    for backend in pair:
        offered = offered_features(capabilities, backend)
        if not offered: # the run says why
            continue
        if what.startswith("model "):
            _, report, _ = runner.run(what, "cpu")
            needed = [entry["extractor"] for entry in (report or {}).get("feature_backends", [])]
            if needed and not any(name in offered for name in needed):
                return f"{backend} computes none of its features"
        else:
            names = [name.partition("=")[0] for name in what.split("+")]
            lacking = [name for name in names if name not in offered]
            if lacking:
                return f"{backend} does not compute {', '.join(lacking)}"
    return None


def compare_cell(what, pair, runner, capabilities, table):
    exactness, bound = exactness_of(what, pair, capabilities)
    feature = what.partition("=")[0]
    tolerance, source = tolerance_of(feature, exactness, bound, runner.arguments, table)
    cell = {
        "feature": what, "backend_a": pair[0], "backend_b": pair[1], "tolerance_abs": tolerance,
        "tolerance_source": source, "exactness": exactness, "n_frames": 0, "status": "OK", "note": "",
        "per_metric_max_abs_diff": {}, "per_metric_mismatches": {}, "first_mismatch": None,
        "device": device_name(capabilities, pair[1], runner.devices.get(pair[1]) or 0),
        "command_a": "", "command_b": "",
    }
    missing = not_computed(what, pair, runner, capabilities)
    if missing:
        cell.update(status="SKIP", note=missing)
        return cell
    reports, error, refusals = [], None, 0
    for side, backend in zip("ab", pair):
        command, report, reason = runner.run(what, backend)
        cell[f"command_{side}"] = " ".join(command)
        reports.append(report)
        refusals += bool(reason and reason.startswith("refused: "))
        if error is None and reason:
            error = f"backend_{side} {backend} failed: {reason}"
        elif error is None:
            error = misplaced(report, backend, offered_features(capabilities, backend))
    if refusals == len(pair) and runner.arguments.features is None:
        cell.update(status="SKIP", note=error)
        return cell
    error = error or compare_reports(cell, *reports)
    if error:
        cell.update(status="ERROR", note=error, n_frames=0, first_mismatch=None)
        for numbers in (cell["per_metric_max_abs_diff"], cell["per_metric_mismatches"]):
            numbers.update({metric: 0 for metric in numbers})
    return cell


# -- reports --


def markdown_of(cells):
    lines = ["# Cross-backend parity gate", "",
             "| feature | backend pair | tolerance | source | frames | max abs diff | status |",
             "|---|---|---:|---|---:|---:|---|"]
    for cell in cells:
        worst = max(cell["per_metric_max_abs_diff"].values(), default=0.0)
        lines.append(f"| `{cell['feature']}` | {cell['backend_a']} ↔ {cell['backend_b']} "
                     f"| {cell['tolerance_abs']:.1e} | `{cell['tolerance_source']}` | {cell['n_frames']} "
                     f"| {worst:.3e} | {cell['status']} |")
    bad = [cell for cell in cells if cell["status"] in ("FAIL", "ERROR")]
    if bad:
        lines += ["", "## Failures detail"]
    for cell in bad:
        lines += ["", f"### `{cell['feature']}` ({cell['backend_a']} ↔ {cell['backend_b']}) — {cell['status']}"]
        if cell["note"]:
            lines.append(f"- note: {cell['note']}")
        for metric, worst in sorted(cell["per_metric_max_abs_diff"].items()):
            lines.append(f"- `{metric}`: max_abs_diff={worst:.3e}, "
                         f"mismatches={cell['per_metric_mismatches'][metric]}")
    return "\n".join(lines) + "\n"


def line_of(cell):
    worst = max(cell["per_metric_max_abs_diff"].values(), default=0.0)
    note = f"  {cell['note']}" if cell["note"] else ""
    return (f"{cell['status']:5} {cell['feature']}: {cell['backend_a']} ↔ {cell['backend_b']}, "
            f"{cell['n_frames']} frames, max abs diff {worst:.3e}{note}")


def all_cells(arguments, capabilities):
    """What is compared with what: each feature that the second backend of a pair offers."""
    backends = sorted(dict.fromkeys(arguments.backends), key=lambda name: name != "cpu")
    pairs = [(a, b) for i, a in enumerate(backends) for b in backends[i + 1:]]
    features = arguments.features
    if features is None:
        features = default_features(capabilities, backends)
    for pair in pairs:
        for feature in features:
            missing = [b for b in pair if b != "cpu" and feature not in offered_features(capabilities, b)]
            if arguments.features or not missing:
                yield feature, pair
        for model in arguments.models:
            yield f"model {model}", pair


def gate(arguments, workdir):
    # A name without a folder is that of an installed program.
    arguments.vmaf_binary = shutil.which(arguments.vmaf_binary) or arguments.vmaf_binary
    for clip in (arguments.vmaf_binary, arguments.reference, arguments.distorted):
        if not Path(clip).is_file():
            raise CannotCompare(f"there is no {clip}")
    try:
        table = json.loads(Path(arguments.calibration_table).read_text()) if arguments.calibration_table else None
    except (OSError, ValueError) as error:
        raise CannotCompare(f"{arguments.calibration_table}: {error}") from error
    capabilities = read_capabilities(arguments.vmaf_binary)
    runner = Runner(arguments, workdir)
    cells = []
    for what, pair in all_cells(arguments, capabilities):
        cells.append(compare_cell(what, pair, runner, capabilities, table))
        print(line_of(cells[-1]), flush=True)
    if all(cell["status"] == "SKIP" for cell in cells):
        raise CannotCompare("the matrix is empty: no backend computes what is compared")
    if arguments.json_out:
        report = {"schema_version": 2, "cells": cells}
        Path(arguments.json_out).write_text(json.dumps(report, indent=2, sort_keys=True) + "\n")
    if arguments.md_out:
        Path(arguments.md_out).write_text(markdown_of(cells), encoding="utf-8")
    return 1 if any(cell["status"] in ("FAIL", "ERROR") for cell in cells) else 0


def main():
    arguments = parse_arguments()
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        if arguments.workdir:
            Path(arguments.workdir).mkdir(parents=True, exist_ok=True)
            return gate(arguments, arguments.workdir)
        with tempfile.TemporaryDirectory(prefix="vmaf-parity-") as workdir:
            return gate(arguments, workdir)
    except CannotCompare as error:
        print(f"parity.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
