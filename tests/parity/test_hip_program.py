#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The program on machines with other versions of ROCm and other AMD GPUs: what it chooses, reports and refuses.

    test_hip_program.py VMAF SYNTH BACKENDS EMULATION CHIPS

BACKENDS is the folder of the HIP plugin, EMULATION that of the emulated runtimes, CHIPS what the plugin has code for,
separated by commas.
"""
import sys
import unittest

from backend_run import BackendTest
from cases import run_cases

SEVERAL_CARDS = """
device Slow card
  chip gfx1032
  multiprocessors 8
  speed 0.25
device Fast card
  chip gfx1030
  multiprocessors 128
  speed 4
"""


class Program(BackendTest):
    vmaf, synth, plugins, emulation, *chips = sys.argv[1:sys.argv.index("--")]
    hip_5, hip_6, hip_7 = f"{emulation}/hip-5", f"{emulation}/hip", f"{emulation}/hip-7"
    backend, machine_variable, runtime = "hip", "VMAF_EMULATED_HIP", hip_6

    def assert_version(self, version, **machine):
        hip = self.described(**machine)
        self.assertTrue(hip["devices"][0]["driver"].startswith(f"HIP {version}."), hip["devices"])

    # -- reports --

    def test_a_card_is_reported_with_its_chip_and_the_version_of_rocm(self):
        for runtime, version in ((self.hip_5, "HIP 5."), (self.hip_6, "HIP 6."), (self.hip_7, "HIP 7.")):
            _, device = self.assert_chosen_alone(runtime=runtime)
            self.assertEqual(device["name"], "Emulated AMD GPU")
            self.assertTrue(device["driver"].startswith(version), device["driver"])
            self.assertTrue(device["driver"].endswith(", gfx1030"), device["driver"])
            self.assertEqual(device["type"], "discrete")
            self.assertEqual(device["id"], device["pci"])
            self.assertEqual(device["imports"], ["hip_pointer"])

    def test_the_chips_that_there_is_code_for_are_in_the_description(self):
        hip = self.described()
        self.assertEqual(hip["plugin"]["description"], f"AMD GPUs with ROCm: {', '.join(self.chips)}")

    def test_scores_are_those_of_the_cpu_with_every_version(self):
        for runtime in (self.hip_5, self.hip_6, self.hip_7):
            self.assert_scored("--backend", "hip", used="hip", feature="vif", runtime=runtime)

    def test_the_newest_version_is_used(self):
        self.assert_version(7, runtime=f"{self.hip_5}:{self.hip_7}:{self.hip_6}")

    def test_the_version_that_the_program_has_loaded_is_used(self):
        self.assert_version(5, runtime=self.hip_7, LD_PRELOAD=f"{self.hip_5}/libamdhip64.so.5",
                            VMAF_BACKEND_PROBE="inprocess")

    # -- what is missing or broken --

    def test_without_a_runtime_the_reason_is_said(self):
        self.assert_unavailable("there is no libamdhip64.so.7, .6 or .5", runtime=self.broken_libraries())

    def test_a_runtime_that_does_not_load_is_not_called_missing(self):
        broken = self.broken_libraries("libamdhip64.so.6")
        self.assert_unavailable("does not load: ", runtime=broken)
        # An older one that works is as good.
        self.assert_version(5, runtime=f"{broken}:{self.hip_5}")

    def test_a_function_that_is_missing_is_named(self):
        incomplete = f"{self.emulation}/hip-incomplete"
        self.assert_unavailable("libamdhip64.so.6 has no hip", runtime=incomplete)
        hip = self.described(runtime=incomplete)
        self.assertRegex(hip["reason_text"], r"^libamdhip64\.so\.6 has no hip[A-Z]\w+$")

    def test_a_runtime_that_does_not_start_says_why(self):
        self.assert_unavailable("there is no AMD GPU", machine="no-device")
        self.assert_unavailable("ROCm does not start: hipErrorUnknown", machine="fail hipInit 1 hipErrorUnknown")

    def test_a_chip_without_kernels_is_unavailable(self):
        odd = "device Odd card\n chip gfx2077"
        words = "no kernels for the chip of Odd card"
        hip = self.described(machine=odd)
        self.assertFalse(hip["usable"])
        self.assert_devices(hip, "reason", [words])
        self.assert_refused(words, machine=odd)

    # -- choosing --

    def test_a_pinned_feature_is_computed_there(self):
        self.check_pinned_feature(without_device="no AMD GPU")

    def test_several_cards_are_told_apart(self):
        hip = self.described(machine=SEVERAL_CARDS)
        self.assert_devices(hip, "name", ["Slow card", "Fast card"])
        self.assert_devices(hip, "compute_units", [8, 128])
        self.assert_devices(hip, "usable", [True, True])
        self.assertEqual(len({device["pci"] for device in hip["devices"]}), 2)
        for device, name in enumerate(("Slow card", "Fast card")):
            # The one without memory computes nothing, so it was the other.
            for small in ("Slow card", "Fast card"):
                machine = SEVERAL_CARDS.replace(f"device {small}\n", f"device {small}\n memory 64K\n")
                number = ("--hip_device", str(device))
                if small == name:
                    self.assert_refused("too large for the device", *number, feature="motion", machine=machine)
                else:
                    self.assert_scored("--backend", "hip", *number, used="hip", feature="motion", machine=machine)
        self.assert_refused("device", "--hip_device", "7", machine=SEVERAL_CARDS)

    def test_a_card_without_memory_is_left_to_the_cpu_under_auto_only(self):
        self.check_without_memory()


if __name__ == "__main__":
    run_cases(sys.argv[sys.argv.index("--") + 1:])
