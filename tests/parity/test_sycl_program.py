#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The program on machines with other drivers and GPUs: what it chooses, reports and refuses.

    test_sycl_program.py VMAF SYNTH BACKENDS DRIVER

BACKENDS is the folder of the SYCL plugin, DRIVER the emulated Level Zero driver.
"""
import json
import sys

from backend_run import BackendTest
from cases import run_cases

SEVERAL_GPUS = """
device Integrated GPU
  kind integrated
  pci 0000:00:02.0
  uuid 11111111111111111111111111111111
  copy-engines 0
  no-fp64
device Small card
  pci 0000:03:00.0
  uuid 22222222222222222222222222222222
  multiprocessors 8
device Large card
  pci 0000:04:00.0
  uuid 33333333333333333333333333333333
  multiprocessors 64
"""


class Program(BackendTest):
    vmaf, synth, plugins, runtime = sys.argv[1:5]
    backend, machine_variable, runtime_variable = "sycl", "VMAF_EMULATED_LEVEL_ZERO", "ZE_ENABLE_ALT_DRIVERS"
    variables = {"OCL_ICD_VENDORS": "pocl.icd"}

    def test_a_gpu_is_reported_with_the_version_of_the_driver(self):
        _, device = self.assert_chosen_alone(machine="driver 16867328\napi 1.3")
        self.assertEqual(device["name"], "Emulated Intel GPU")
        self.assertEqual(device["driver"], "Level Zero 1.3, driver 1.1.24576")
        self.assertEqual(device["type"], "discrete")
        self.assertEqual(device["imports"], ["usm_pointer", "dmabuf", "va_surface"])

    def test_without_a_usable_driver_the_reason_is_said(self):
        none = "no driver for Level Zero has found a GPU"
        folder = self.broken_libraries("broken.so")
        for library in ("broken.so", "absent.so"):
            self.assert_unavailable(none, runtime=folder / library)
        for words, machine in ((none, "driver-broken"),
                               ("does not start: ZE_RESULT_ERROR_UNKNOWN", "fail zeInit 1 ZE_RESULT_ERROR_UNKNOWN")):
            self.assert_unavailable(words, machine=machine)
        # Newer loaders do not tell this from the first case.
        said = self.backend_in(self.capabilities(machine="no-device"), self.backend)["reason_text"]
        self.assert_unavailable(none if none in said else "there is no GPU with a driver for Level Zero",
                                machine="no-device")

    def test_auto_takes_the_gpu_and_its_scores_are_those_of_the_cpu(self):
        self.check_choices("motion")

    def test_several_gpus_are_told_apart(self):
        sycl = self.described(machine=SEVERAL_GPUS)
        self.assert_devices(sycl, "name", ["Small card", "Large card", "Integrated GPU"])
        self.assert_devices(sycl, "pci", ["0000:03:00.0", "0000:04:00.0", "0000:00:02.0"])
        self.assert_devices(sycl, "fp64", [True, True, False])
        for device in range(3):
            self.assert_scored("--backend", "sycl", "--sycl_device", str(device), machine=SEVERAL_GPUS)
        self.assert_refused("3", "--sycl_device", "3", machine=SEVERAL_GPUS)

    def test_an_old_driver_has_no_frequency_and_scores_are_the_same(self):
        self.assert_scored("--backend", "sycl", machine="api 1.0")

    def test_a_gpu_that_is_lost_ends_the_run_or_the_cpu_goes_on(self):
        machine = "lose launch 30 ZE_RESULT_ERROR_DEVICE_LOST"
        status, document, printed = self.score("--backend", "sycl", machine=machine)
        self.assertEqual(status, 100, printed)
        self.assertIn("lost", json.dumps(document) + printed)
        self.assert_scored("--backend", "auto", machine=machine)


if __name__ == "__main__":
    run_cases(sys.argv[5:])
