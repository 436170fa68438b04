#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The program on emulated Macs: what it chooses, reports and refuses.

    test_metal_program.py VMAF SYNTH BACKENDS LIBRARIES

BACKENDS is the folder of the Metal plugin, LIBRARIES that of the emulated Metal.
"""
import sys

from backend_run import BackendTest
from cases import run_cases

SEVERAL_DEVICES = """
driver 13
device AMD Radeon Pro 5500M
  family mac2
device Apple A12Z
  family apple5
device Apple M2 Max
  family apple8
  registry-id 77
"""


class Program(BackendTest):
    vmaf, synth, plugins, runtime = sys.argv[1:5]
    backend, machine_variable = "metal", "VMAF_EMULATED_METAL"

    def test_a_device_is_reported_with_the_version_of_the_system(self):
        metal, device = self.assert_chosen_alone(machine="driver 14")
        self.assertEqual(device["name"], "Emulated Apple GPU")
        self.assertIn("macOS 14", device["driver"])
        self.assertEqual(device["type"], "integrated")
        self.assertEqual(sorted(device["imports"]), ["iosurface", "metal_texture"])
        self.assertIn("vif", [feature["name"] for feature in metal["features"]])

    def test_without_metal_or_a_device_the_reason_is_said(self):
        self.assert_unavailable("libmetal.so.1", runtime=self.broken_libraries())
        self.assert_unavailable("there is no GPU that Metal knows", machine="no-device")
        self.assert_unavailable("family 7 (M1) or newer", machine="device Old\n family apple6")

    def test_devices_that_cannot_be_used_come_last_with_the_reason(self):
        metal = self.described(machine=SEVERAL_DEVICES)
        self.assert_devices(metal, "name", ["Apple M2 Max", "AMD Radeon Pro 5500M", "Apple A12Z"])
        self.assert_devices(metal, "usable", [True, False, False])
        for device in metal["devices"][1:]:
            self.assertIn("not one of Apple's GPUs of family 7 (M1) or newer", device["reason"])
        self.assertEqual(metal["devices"][0]["id"], "000000010000004d")

    def test_scores_are_those_of_the_cpu_on_all_systems(self):
        for version in (11, 12, 15):
            machine = f"driver {version}"
            self.assert_scored("--backend", "metal", used="metal", feature="vif", machine=machine)
            for arguments in (("--backend", "auto"), ("--metal_device", "0")):
                self.assert_scored(*arguments, feature="vif", machine=machine)

    def test_nothing_is_done_that_metal_forbids(self):
        log = self.path / "log"
        self.assert_scored("--backend", "metal", feature="adm", VMAF_EMULATED_METAL_LOG=str(log))
        lines = log.read_text().splitlines()
        self.assertGreater(len(lines), 100)
        self.assertEqual([line for line in lines if line.startswith("!")], [])

    def test_a_device_without_memory_is_left_to_the_cpu_under_auto_only(self):
        self.check_without_memory()


if __name__ == "__main__":
    run_cases(sys.argv[5:])
