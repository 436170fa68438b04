#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Shows that parity.py notices what it is there to notice, with a program in the place of vmaf that
writes what the test tells it to."""
import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from cases import run_cases

PARITY = Path(__file__).with_name("parity.py")
FAKE_VMAF = """#!{python}
import json, sys
from pathlib import Path
folder = Path(__file__).parent
if "--capabilities" in sys.argv:
    sys.stdout.write((folder / "capabilities").read_text())
    sys.exit(0)
option = lambda name: sys.argv[sys.argv.index(name) + 1]
report = json.loads((folder / option("--backend")).read_text())
if "exit" in report:
    sys.exit(report["exit"])
Path(option("--output")).write_text(json.dumps(report))
"""
CAPABILITIES = {"backends": [
    {"name": "cpu"},
    {"name": "mine", "devices": [{"index": 0, "name": "a device"}],
     "features": [{"name": "psnr", "exactness": "exact", "bound": 0.0}]},
]}
REPORT = {
    "version": "1", "fps": 1.0,
    "frames": [{"frameNum": n, "metrics": {"psnr_y": 30.25 + n}} for n in range(3)],
    "pooled_metrics": {"psnr_y": {"mean": 31.25}},
}


def report_of(extractor, backend):
    return {**copy.deepcopy(REPORT), "fps": len(backend),
            "feature_backends": [{"extractor": extractor, "backend": backend}], "backend_used": backend}


class Gate(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = Path(self.holder.name)
        self.addCleanup(self.holder.cleanup)
        vmaf = self.folder / "vmaf"
        vmaf.write_text(FAKE_VMAF.format(python=sys.executable))
        vmaf.chmod(0o755)
        (self.folder / "clip").write_text("")
        self.capabilities = copy.deepcopy(CAPABILITIES)
        self.cpu, self.mine = report_of("psnr", "cpu"), report_of("psnr_mine", "mine")

    def gate(self, *arguments):
        """The exit status, the only cell of the report, and the Markdown."""
        (self.folder / "capabilities").write_text(json.dumps(self.capabilities))
        for name, report in (("cpu", self.cpu), ("mine", self.mine)):
            (self.folder / name).write_text(json.dumps(report))
        outputs = [self.folder / "out.json", self.folder / "out.md"]
        run = subprocess.run(
            [sys.executable, str(PARITY), "--vmaf-binary", str(self.folder / "vmaf"), "--reference",
             str(self.folder / "clip"), "--distorted", str(self.folder / "clip"), "--backends", "mine", "cpu",
             "--json-out", str(outputs[0]), "--md-out", str(outputs[1]), *arguments],
            capture_output=True, text=True, check=False)
        if run.returncode == 2:
            return 2, None, run.stderr
        document = json.loads(outputs[0].read_text())
        self.assertEqual(document["schema_version"], 2)
        self.assertEqual(len(document["cells"]), 1)
        return run.returncode, document["cells"][0], outputs[1].read_text()

    def check_error(self, note):
        status, cell, markdown = self.gate()
        self.assertEqual((status, cell["status"], cell["n_frames"]), (1, "ERROR", 0))
        self.assertIn(note, cell["note"])
        self.assertIn("## Failures detail", markdown)

    def test_equal_reports_are_ok(self):
        status, cell, markdown = self.gate()
        self.assertEqual((status, cell["status"], cell["n_frames"]), (0, "OK", 3))
        self.assertEqual((cell["backend_a"], cell["backend_b"]), ("cpu", "mine"))
        self.assertEqual((cell["exactness"], cell["tolerance_abs"]), ("exact", 0.0))
        self.assertEqual(cell["device"], "a device")
        self.assertIn("--feature psnr_mine", cell["command_b"])
        self.assertIn("--precision max", cell["command_a"])
        self.assertIn("| `psnr` | cpu ↔ mine | 0.0e+00 | `default` | 3 | 0.000e+00 | OK |", markdown)

    def test_a_plus_sign_joins_what_is_scored_in_one_run(self):
        _, cell, _ = self.gate("--features", "psnr+psnr=enable_chroma=false")
        self.assertIn("--feature psnr_mine --feature psnr_mine=enable_chroma=false", cell["command_b"])
        self.assertEqual((cell["status"], cell["exactness"]), ("OK", "exact"))
        self.capabilities["backends"][1]["features"].append({"name": "other", "exactness": "none"})
        _, cell, _ = self.gate("--features", "psnr+other")
        self.assertEqual(cell["exactness"], "none")
        self.capabilities["backends"][1]["features"] = []
        self.cpu["feature_backends"] = self.mine["feature_backends"] = [{"extractor": "psnr", "backend": "cpu"}]
        _, cell, _ = self.gate("--models", "one+two")
        self.assertIn("--model version=one:name=one --model version=two:name=two", cell["command_a"])

    def test_no_number_on_both_sides_is_equal(self):
        for report in (self.cpu, self.mine):
            report["frames"][1]["metrics"]["psnr_y"] = None
        self.assertEqual(self.gate()[1]["status"], "OK")
        self.mine["frames"][1]["metrics"]["psnr_y"] = 31.25
        self.assertEqual(self.gate()[1]["status"], "FAIL")

    def test_the_last_bit_of_a_score_fails(self):
        self.mine["frames"][1]["metrics"]["psnr_y"] = 31.250000000000004
        status, cell, markdown = self.gate()
        self.assertEqual((status, cell["status"]), (1, "FAIL"))
        self.assertEqual(cell["per_metric_mismatches"], {"psnr_y": 1})
        self.assertEqual(cell["first_mismatch"],
                         {"frame": 1, "metric": "psnr_y", "a": 31.25, "b": 31.250000000000004})
        self.assertIn("### `psnr` (cpu ↔ mine) — FAIL", markdown)

    def test_a_bounded_feature_may_differ_within_its_bound(self):
        self.capabilities["backends"][1]["features"][0].update(exactness="bounded", bound=0.001)
        self.mine["frames"][1]["metrics"]["psnr_y"] += 0.0009
        self.assertEqual(self.gate()[1]["status"], "OK")
        self.mine["frames"][1]["metrics"]["psnr_y"] += 0.0009
        self.assertEqual(self.gate()[1]["status"], "FAIL")

    def test_other_parts_of_the_report_count(self):
        self.mine["pooled_metrics"]["psnr_y"]["mean"] = 31.0
        self.assertEqual(self.gate()[1]["status"], "FAIL")

    def test_nan_on_one_side_fails(self):
        self.mine["frames"][0]["metrics"]["psnr_y"] = float("nan")
        status, cell, _ = self.gate()
        self.assertEqual((status, cell["status"]), (1, "FAIL"))

    def test_a_missing_metric_is_an_error(self):
        self.cpu["frames"][2]["metrics"]["psnr_cb"] = 1.0
        self.check_error("only one side has psnr_cb")

    def test_a_missing_frame_is_an_error(self):
        self.mine["frames"].pop()
        self.check_error("frame-count mismatch a=3 b=2")

    def test_the_wrong_backend_is_an_error(self):
        self.mine["feature_backends"][0]["backend"] = "cpu"
        self.check_error("psnr was computed by cpu, not by mine")

    def test_an_event_is_an_error(self):
        self.mine["backend_events"] = [{"backend": "mine", "frame": 1, "reason": "lost"}]
        self.check_error("backend_events")

    def test_a_failed_run_is_an_error(self):
        self.mine = {"exit": 100}
        self.check_error("backend_b mine failed: exit status 100")

    def test_pictures_that_both_refuse_are_skipped_unless_the_feature_was_named(self):
        self.cpu = self.mine = {"exit": 234}
        self.assertEqual(self.gate()[0], 2)  # and then nothing is left
        status, cell, _ = self.gate("--features", "psnr")
        self.assertEqual((status, cell["status"]), (1, "ERROR"))

    def test_what_the_backend_does_not_compute_is_skipped(self):
        status, _, reason = self.gate("--features", "motion")
        self.assertEqual(status, 2)
        self.assertIn("no backend computes what is compared", reason)
        self.cpu["feature_backends"] = [{"extractor": "vif", "backend": "cpu"}]
        self.assertEqual(self.gate("--features", "motion", "--models", "one")[0], 2)

    def test_pictures_that_one_side_refuses_are_an_error(self):
        self.mine = {"exit": 234}
        self.check_error("refused")

    def test_a_table_of_devices_overrides_tolerances(self):
        self.mine["frames"][0]["metrics"]["psnr_y"] += 0.25
        table = self.folder / "table"
        table.write_text(json.dumps({"version": 1, "gpus": [
            {"id": "vulkan:0x10de:*", "status": "placeholder", "features": {"psnr": 0.1}},
            {"id": "vulkan:0x10de:0x2*", "status": "calibrated", "features": {"psnr": 0.5}}]}))
        status, cell, _ = self.gate("--calibration-table", str(table), "--gpu-id", "vulkan:0x10de:0x2204")
        self.assertEqual((status, cell["tolerance_abs"]), (0, 0.5))
        self.assertEqual(cell["tolerance_source"], "calibrated:vulkan:0x10de:0x2*")
        status, cell, _ = self.gate("--calibration-table", str(table), "--gpu-id", "vulkan:0x10de:0x1")
        self.assertEqual((status, cell["tolerance_source"]), (1, "placeholder:vulkan:0x10de:*"))

    def test_nothing_to_compare_has_a_status_of_its_own(self):
        self.capabilities["backends"][1]["features"] = []
        self.assertEqual(self.gate()[0], 2)
        self.assertEqual(self.gate("--reference", "/nowhere")[0], 2)


if __name__ == "__main__":
    run_cases(sys.argv[1:])
