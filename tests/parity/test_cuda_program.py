#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The program on machines with other drivers and cards: what it chooses, reports and refuses.

    test_cuda_program.py VMAF SYNTH BACKENDS EMULATION

BACKENDS is the folder of the CUDA plugin, EMULATION that of the emulated drivers.
"""
import sys

from backend_run import BackendTest
from cases import run_cases

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


class Program(BackendTest):
    vmaf, synth, plugins, emulation = sys.argv[1:5]
    backend, machine_variable, runtime = "cuda", "VMAF_EMULATED_CUDA", f"{emulation}/cuda"

    # -- reports --

    def test_a_card_is_reported_with_the_version_of_the_driver(self):
        cuda, device = self.assert_chosen_alone()
        self.assertEqual(device["name"], "Emulated NVIDIA GPU")
        self.assertEqual(device["driver"], "CUDA 12.4, compute capability 8.9")
        self.assertEqual(device["type"], "discrete")
        self.assertEqual(device["id"], "e0e1e2e3e4e5e6e7e8e9eaebecedeeef")
        self.assertEqual(device["imports"], ["cuda_pointer"])
        self.assertIn("vif", [feature["name"] for feature in cuda["features"]])

    def test_without_a_usable_driver_the_reason_is_said(self):
        self.assert_unavailable("libcuda.so.1", runtime=self.broken_libraries("libcuda.so.1"))
        for words, machine in (("CUDA 9.2, not 10.0", "driver 9020"),
                               ("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "driver-mismatch"),
                               ("no NVIDIA GPU", "no-device"),
                               ("CUDA_ERROR_UNKNOWN", "fail cuInit 1 CUDA_ERROR_UNKNOWN")):
            self.assert_unavailable(words, machine=machine)

    def test_an_old_driver_works_without_graphs(self):
        machine = {"runtime": f"{self.emulation}/cuda-old", "machine": "driver 11000"}
        cuda = self.described(**machine)
        self.assertEqual(cuda["devices"][0]["driver"], "CUDA 11.0 without graphs, compute capability 8.9")
        self.assert_scored("--backend", "cuda", used="cuda", feature="motion", **machine)

    # -- choosing --

    def test_auto_takes_the_card_and_its_scores_are_those_of_the_cpu(self):
        self.check_choices("vif")

    def test_a_pinned_feature_is_computed_there(self):
        self.check_pinned_feature(without_device="no NVIDIA GPU")

    def test_several_cards_are_told_apart(self):
        cuda = self.described(machine=SEVERAL_CARDS)
        self.assert_devices(cuda, "name", ["Slow card", "Fast card", "Old card"])
        self.assert_devices(cuda, "pci", ["0000:01:00.0", "0000:03:00.0", "0000:02:00.0"])
        self.assert_devices(cuda, "compute_units", [8, 128, 16])
        self.assert_devices(cuda, "usable", [True, True, False])
        self.assertIn("compute capability 6.1, not 7.0", cuda["devices"][2]["reason"])
        for device, name in enumerate(("Slow card", "Fast card")):
            # The other one cannot be used, so it was this one.
            for busy in ("Slow card", "Fast card"):
                machine = SEVERAL_CARDS.replace(f"device {busy}\n", f"device {busy}\n busy\n")
                if busy == name:
                    self.assert_refused(f"{name} is in use", "--cuda_device", str(device), machine=machine)
                else:
                    self.assert_scored("--backend", "cuda", "--cuda_device", str(device), used="cuda", machine=machine)
        self.assert_refused("device", "--cuda_device", "7", machine=SEVERAL_CARDS)

    # -- cards that cannot be used now --

    def test_a_card_that_is_in_use_is_refused_in_words(self):
        busy = "device Shared card\n compute-mode exclusive\n busy"
        self.assert_refused("in use by another process", machine=busy)
        report = self.assert_scored("--backend", "auto", machine=busy)
        self.assertNotEqual(report.get("backend_used"), "cuda")

    def test_a_card_without_memory_is_left_to_the_cpu_under_auto_only(self):
        self.check_without_memory()


if __name__ == "__main__":
    run_cases(sys.argv[5:])
