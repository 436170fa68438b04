#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The program on machines with other drivers and cards: what it chooses, reports and refuses.

    test_cuda_program.py VMAF SYNTH BACKENDS EMULATION

BACKENDS is the folder of the CUDA plugin, EMULATION that of the emulated drivers.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

VMAF, SYNTH, BACKENDS, EMULATION = sys.argv[1:5]
SEVERAL_CARDS = """
device Slow card
  capability 7.5
  multiprocessors 8
  speed 0.25
device Old card
  capability 6.1
device Fast card
  capability 9.0
  multiprocessors 128
  speed 4
"""


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        for name, distortion in (("ref", "identical"), ("dist", "blur")):
            subprocess.run([SYNTH, "--scene", "texture", "--size", "50x38", "--format", "420", "--frames", "4",
                            "--distortion", distortion, "--output", cls.path / f"{name}.y4m"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_vmaf(self, *arguments, machine="", driver="cuda", faults=""):
        """A run of the program; what is remembered of backends is of another machine each time."""
        self.count = getattr(self, "count", 0) + 1
        (self.path / "machine").write_text(machine)
        libraries = driver if os.path.isabs(driver) else os.path.join(EMULATION, driver)
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "VMAF_BACKEND_PATH": BACKENDS,
                       "VMAF_EMULATED_CUDA": str(self.path / "machine"), "VMAF_EMULATED_CUDA_FAULTS": faults,
                       "XDG_CACHE_HOME": str(self.path / f"cache-{self.id()}-{self.count}")}
        return subprocess.run([VMAF, *arguments], env=environment, capture_output=True, text=True, timeout=600,
                              check=False)

    def capabilities(self, **machine):
        run = self.run_vmaf("--capabilities", **machine)
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)
        return document, next(b for b in document["backends"] if b["name"] == "cuda")

    def score(self, *arguments, feature="psnr", **machine):
        """Status, report, and what was printed."""
        report = self.path / "report.json"
        report.unlink(missing_ok=True)
        run = self.run_vmaf("-r", self.path / "ref.y4m", "-d", self.path / "dist.y4m", "--no_prediction", "--feature",
                            feature, "--json", "-o", report, "--precision", "max", *arguments, **machine)
        return run.returncode, json.loads(report.read_text()) if report.exists() else {}, run.stderr

    def scores(self, report):
        return [frame["metrics"] for frame in report["frames"]]

    def assert_refused(self, words, *arguments, **machine):
        status, document, printed = self.score("--backend", "cuda", *arguments, **machine)
        self.assertEqual(status, 100, printed)
        self.assertEqual(document["exit_code"], 100)
        self.assertIn(words, json.dumps(document))

    # -- reports --

    def test_a_card_is_reported_with_the_version_of_the_driver(self):
        document, cuda = self.capabilities()
        self.assertTrue(cuda["usable"])
        self.assertEqual(document["auto_choice"], "cuda")
        device, = cuda["devices"]
        self.assertEqual(device["name"], "Emulated NVIDIA GPU")
        self.assertEqual(device["driver"], "CUDA 12.4, compute capability 8.9")
        self.assertEqual(device["type"], "discrete")
        self.assertEqual(device["id"], "e0e1e2e3e4e5e6e7e8e9eaebecedeeef")
        self.assertEqual(device["imports"], ["cuda_pointer"])
        self.assertIn("vif", [feature["name"] for feature in cuda["features"]])

    def test_without_a_usable_driver_the_reason_is_said(self):
        broken = self.path / "broken"
        broken.mkdir(exist_ok=True)
        (broken / "libcuda.so.1").write_text("no library")
        for words, machine in (("libcuda.so.1", {"driver": str(broken)}),
                               ("CUDA 9.2, not 10.0", {"machine": "driver 9020"}),
                               ("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", {"machine": "driver-mismatch"}),
                               ("no NVIDIA GPU", {"machine": "no-device"}),
                               ("CUDA_ERROR_UNKNOWN", {"machine": "fail cuInit 1 CUDA_ERROR_UNKNOWN"})):
            document, cuda = self.capabilities(**machine)
            self.assertFalse(cuda["usable"])
            self.assertIn(words, cuda["reason_text"])
            self.assertNotEqual(document["auto_choice"], "cuda")
            self.assert_refused(words, **machine)

    def test_an_old_driver_works_without_graphs(self):
        machine = {"driver": "cuda-old", "machine": "driver 11000"}
        _, cuda = self.capabilities(**machine)
        self.assertEqual(cuda["devices"][0]["driver"], "CUDA 11.0 without graphs, compute capability 8.9")
        status, report, printed = self.score("--backend", "cuda", feature="motion", **machine)
        self.assertEqual(status, 0, printed)
        self.assertEqual(report["backend_used"], "cuda")
        self.assertEqual(self.scores(report), self.scores(self.score("--backend", "cpu", feature="motion")[1]))

    # -- choosing --

    def test_auto_takes_the_card_and_its_scores_are_those_of_the_cpu(self):
        _, cpu, _ = self.score("--backend", "cpu", feature="vif")
        for arguments in (("--backend", "auto"), ("--backend", "cuda"), ("--backend", "cuda", "--cuda_device", "0")):
            status, report, printed = self.score(*arguments, feature="vif")
            self.assertEqual(status, 0, printed)
            self.assertEqual(self.scores(report), self.scores(cpu))
            if arguments[1] == "cuda":
                self.assertEqual(report["backend_used"], "cuda")

    def test_a_pinned_feature_is_computed_there(self):
        status, report, printed = self.score(feature="vif_cuda")
        self.assertEqual(status, 0, printed)
        self.assertEqual({entry["backend"] for entry in report["feature_backends"]}, {"cuda"})
        _, cpu, _ = self.score("--backend", "cpu", feature="vif")
        self.assertEqual(self.scores(report), self.scores(cpu))
        status, _, printed = self.score(feature="vif_cuda", machine="no-device")
        self.assertEqual(status, 100, printed)
        self.assertIn("no NVIDIA GPU", printed)

    def test_several_cards_are_told_apart(self):
        _, cuda = self.capabilities(machine=SEVERAL_CARDS)
        self.assertEqual([device["name"] for device in cuda["devices"]], ["Slow card", "Fast card", "Old card"])
        self.assertEqual([device["pci"] for device in cuda["devices"]],
                         ["0000:01:00.0", "0000:03:00.0", "0000:02:00.0"])
        self.assertEqual([device["compute_units"] for device in cuda["devices"]], [8, 128, 16])
        self.assertEqual([device["usable"] for device in cuda["devices"]], [True, True, False])
        self.assertIn("compute capability 6.1, not 7.0", cuda["devices"][2]["reason"])
        for device, name in enumerate(("Slow card", "Fast card")):
            # The other one cannot be used, so it was this one.
            for busy in ("Slow card", "Fast card"):
                machine = SEVERAL_CARDS.replace(f"device {busy}\n", f"device {busy}\n busy\n")
                status, report, printed = self.score("--backend", "cuda", "--cuda_device", str(device), machine=machine)
                self.assertEqual(status, 100 if busy == name else 0, printed)
                if busy == name:
                    self.assertIn(f"{name} is in use", json.dumps(report))
                else:
                    self.assertEqual(report["backend_used"], "cuda")
        self.assert_refused("device", "--cuda_device", "7", machine=SEVERAL_CARDS)

    # -- cards that cannot be used now --

    def test_a_card_that_is_in_use_is_refused_in_words(self):
        busy = "device Shared card\n compute-mode exclusive\n busy"
        self.assert_refused("in use by another process", machine=busy)
        status, report, printed = self.score("--backend", "auto", machine=busy)
        self.assertEqual(status, 0, printed)
        self.assertNotEqual(report.get("backend_used"), "cuda")

    def test_a_card_without_memory_is_left_to_the_cpu_under_auto_only(self):
        _, cpu, _ = self.score("--backend", "cpu", feature="motion")
        little = "out-of-memory beyond 64K"
        self.assert_refused("memory", feature="motion", machine=little)
        status, report, printed = self.score("--backend", "auto", feature="motion", machine=little)
        self.assertEqual(status, 0, printed)
        self.assertEqual(self.scores(report), self.scores(cpu))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
