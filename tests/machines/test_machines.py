#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What "auto" does on a whole machine: with all plugins installed, and each driver there, missing, broken, too old.

    test_machines.py VMAF SYNTH BACKENDS EMULATION LAVAPIPE MACHINE [TEST...]

BACKENDS are the folders of the plugins, separated by colons, EMULATION is that of the emulated runtimes, LAVAPIPE the
description of Mesa's software device, MACHINE a file (README.md).
"""
import ctypes
import os
import re
import sys
from pathlib import Path

from machine_run import MachineTest
from cases import run_cases

BACKENDS, EMULATION, LAVAPIPE = [], Path(), ""


def read_sections(path):
    sections, name = {}, None
    for line in Path(path).read_text().splitlines():
        heading = re.fullmatch(r"\[([a-z-]+)\]", line)
        if heading:
            name = heading[1]
            sections[name] = ""
        elif name:
            sections[name] += line + "\n"
    return sections


def plugin(backend):
    """Its file; None: it was not built."""
    files = [Path(folder) / f"libvmaf-backend-{backend}.so" for folder in BACKENDS]
    return next((file for file in files if file.exists()), None)


class Runtime:
    """The driver of a vendor, emulated by a library that is found by its name. Of each state that it may be in: words
    for the machine's file, and a pattern of the reason that is said then."""

    old = ""  # a line for each device that makes it too old

    def __init__(self, section, backend, libraries, faults):
        self.section, self.backend, self.libraries, self.faults = section, backend, libraries, faults
        self.variable = "VMAF_EMULATED_" + section.upper().replace("-", "_")

    def why_not_built(self):
        folder = EMULATION / self.section
        if not folder.is_dir() or not any(folder.iterdir()):
            return f"the emulated runtime {self.section} was not built"
        return None if plugin(self.backend) else f"the plugin {self.backend} was not built"

    def why_not_missing(self):
        """This computer has a real driver, which would be found instead."""
        for library in self.libraries:
            try:
                ctypes.CDLL(library)
            except OSError:
                continue
            return f"this computer has {library}"
        return None

    def folder(self, state, work):
        """Where the library is; None: nowhere."""
        if state == "missing":
            return None
        if state != "broken":
            return EMULATION / self.section
        broken = work / f"broken-{self.section}"
        broken.mkdir(exist_ok=True)
        for library in (EMULATION / self.section).glob("*.so*"):
            (broken / library.name).write_text("no library\n")
        return broken

    def variables(self, state, text, work):
        if state == "old" and self.old:
            text = re.sub(r"(?m)^(device .*)$", rf"\1\n  {self.old}", text)
        path = work / f"machine-{self.section}"
        path.write_text(text + self.faults.get(state, ("", ""))[0])
        return {self.variable: str(path)}

    def words(self, state):
        return self.faults[state][1]


class LevelZero(Runtime):
    """A driver; the loader is that of this computer."""

    old = "spirv 1.1"

    def folder(self, state, work):
        return None

    def variables(self, state, text, work):
        library = EMULATION / self.section / "libze_emulated.so"
        if state == "broken":
            library = work / "libze_broken.so"
            library.write_text("no library\n")
        driver = {} if state == "missing" else {"ZE_ENABLE_ALT_DRIVERS": str(library)}
        return {**super().variables(state, text, work), **driver, "OCL_ICD_VENDORS": "pocl.icd"}


class Vulkan(Runtime):
    """The layer, over the software device; the loader is that of this computer."""

    old = "version 1.1"

    def why_not_built(self):
        return super().why_not_built() or (None if LAVAPIPE else "Mesa's software device is not installed")

    def folder(self, state, work):
        return None

    def variables(self, state, text, work):
        icd = work / "broken.json"
        icd.write_text("{")
        driver = {"missing": "/nowhere.json", "broken": str(icd)}.get(state, LAVAPIPE)
        return {**super().variables(state, text, work), "VK_ICD_FILENAMES": driver, "NODEVICE_SELECT": "1",
                "VK_LAYER_PATH": str(EMULATION / self.section),
                "VK_INSTANCE_LAYERS": "VK_LAYER_VMAF_emulated_machine"}


RUNTIMES = [
    Runtime("cuda", "cuda", ["libcuda.so.1"], {
        "missing": ("", "libcuda.so.1: cannot open shared object file"),
        "broken": ("", "libcuda.so.1: "),
        "failing": ("driver-mismatch\n", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        "old": ("driver 9020\n", "CUDA 9.2, not 10.0")}),
    Runtime("hip", "hip", ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"], {
        "missing": ("", "HIP runtime is not installed"),
        "broken": ("", "HIP runtime does not load"),
        "failing": ("driver-mismatch\n", "ROCm does not start: hipErrorInsufficientDriver"),
        "old": ("chip gfx803\n", "no kernels for")}),
    LevelZero("level-zero", "sycl", ["libze_intel_gpu.so.1"], {
        "missing": ("", "no driver for Level Zero has found a GPU"),
        "broken": ("", "no driver for Level Zero has found a GPU"),
        "failing": ("driver-broken\n", "Level Zero does not start|no driver for Level Zero has found a GPU"),
        "without_device": ("no-device\n", "there is no GPU with a driver for Level Zero"),
        "old": ("", "takes SPIR-V 1.1, not 1.2 or later")}),
    Runtime("metal", "metal", ["libmetal.so.1"], {
        "missing": ("", "libmetal.so.1: cannot open shared object file"),
        "broken": ("", "libmetal.so.1: "),
        "failing": ("no-device\n", "there is no GPU that Metal knows"),
        "old": ("family apple6\n", "not one of Apple's GPUs of family 7")}),
    Vulkan("vulkan", "vulkan", [], {
        "missing": ("", "no Vulkan 1.2 driver is installed"),
        "broken": ("", "no Vulkan 1.2 driver is installed|vkCreateInstance failed"),
        "failing": ("fail vkCreateInstance 1 VK_ERROR_INITIALIZATION_FAILED\n", "vkCreateInstance failed"),
        "old": ("", "it has no Vulkan 1.2")}),
]


class WholeMachine(MachineTest):
    features = ("psnr",)
    sections = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plugins = cls.path / "plugins"
        cls.plugins.mkdir()
        for runtime in RUNTIMES:
            if plugin(runtime.backend):
                (cls.plugins / plugin(runtime.backend).name).symlink_to(plugin(runtime.backend))

    def environment_of(self, states):
        """Of the machine with these runtimes in these states; the others are there."""
        folders, variables = [], {"VMAF_BACKEND_PATH": str(self.plugins), "VK_ICD_FILENAMES": "/nowhere.json"}
        for runtime in RUNTIMES:
            if runtime.section in self.sections and not runtime.why_not_built():
                state = states.get(runtime.section, "there")
                folders.append(runtime.folder(state, self.path))
                variables.update(runtime.variables(state, self.sections[runtime.section], self.path))
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(str(folder) for folder in folders if folder)
        return variables

    def backends_of(self, states):
        return {runtime.backend for runtime in RUNTIMES if runtime.section in self.sections
                and runtime.section not in states and not runtime.why_not_built()}

    def lines(self, section):
        return [line.split(" ", 1) for line in self.sections[section].splitlines()]

    def expected_list(self, backends):
        """By backend, the lines about devices; what is not there is no duplicate either."""
        expected = {backend: [] for backend in backends}
        for backend, line in self.lines("list"):
            if backend in backends:
                twin = re.search(r", same device as ([a-z]+):\d+", line)
                expected[backend].append(line.replace(twin[0], "") if twin and twin[1] not in backends else line)
        return expected

    def parse_list(self, text):
        devices, reasons, backend = {}, {}, None
        for line in text.splitlines():
            first = re.match(r"([a-z]\S*) +(usable|unavailable)(.*)", line)
            if first:
                backend = first[1]
                if first[2] == "usable":
                    devices[backend] = []
                else:
                    reasons[backend] = first[3]
            elif re.match(r" +\d+: ", line) and backend in devices:
                devices[backend].append(line.strip())
        devices.pop("cpu")
        return devices, reasons

    def check(self, states):
        variables, backends = self.environment_of(states), self.backends_of(states)
        choice, name = next(([b, n] for b, n in self.lines("order") if b in backends), ("cpu", None))

        devices, reasons = self.parse_list(self.listed(**variables))
        self.assertEqual(devices, self.expected_list(backends), reasons)
        for runtime in RUNTIMES:
            if runtime.section in states:
                self.assertRegex(reasons[runtime.backend], runtime.words(states[runtime.section]))

        document = self.capabilities(**variables)
        self.assertEqual(document["auto_choice"], choice)
        if name:
            self.assert_auto_device(document, name)
            self.assertEqual([b for b in document["auto_order"] if b in backends][0], choice)

        _, printed = self.assert_scored_by(choice, **variables)
        self.assertNotIn("crashed", printed)

    def test_as_it_is(self):
        self.check({})

    def test_a_card_that_is_lost_is_not_used_through_vulkan(self):
        runtime = RUNTIMES[0]
        why = next((r.why_not_built() for r in (runtime, RUNTIMES[-1]) if r.why_not_built()), None)
        if why or runtime.section not in self.sections:
            self.skipTest(why or "there is no NVIDIA card")
        self.pauses = True
        log = self.path / "vulkan.log"
        variables = self.environment_of({})
        variables |= {"VMAF_BACKEND_PROBE": "inprocess", "VMAF_EMULATED_VULKAN_LOG": str(log),
                      f"{runtime.variable}_FAULTS": "lose launch 60"}
        _, report, printed = self.score(wanted=runtime.backend, **variables)
        self.assertEqual([event["backend"] for event in report["backend_events"]], [runtime.backend], printed)
        name = dict(self.lines("order"))[runtime.backend]
        used = log.read_text() if log.exists() else ""
        self.assertNotIn(f"vkCreateDevice {name}", used)

    def test_without_any_driver(self):
        states = {runtime.section: "missing" for runtime in RUNTIMES
                  if runtime.section in self.sections and not runtime.why_not_built() and not runtime.why_not_missing()}
        self.check(states)


def add_tests(runtime):
    def add(state):
        def test(self):
            why = runtime.why_not_built() or (runtime.why_not_missing() if state == "missing" else None)
            if why:
                self.skipTest(why)
            self.check({runtime.section: state})
        setattr(WholeMachine, f"test_{runtime.section.replace('-', '_')}_{state}", test)

    for state in runtime.faults:
        add(state)


def main():
    global BACKENDS, EMULATION, LAVAPIPE
    WholeMachine.vmaf, WholeMachine.synth, BACKENDS, EMULATION, LAVAPIPE, machine = sys.argv[1:7]
    BACKENDS, EMULATION = BACKENDS.split(":"), Path(EMULATION)
    WholeMachine.sections = read_sections(machine)
    here = [runtime for runtime in RUNTIMES if runtime.section in WholeMachine.sections]
    for runtime in here:
        why = runtime.why_not_built()
        if why:
            print(f"left out: {why}")
        add_tests(runtime)
    if all(runtime.why_not_built() for runtime in here):
        print("skipped: none of the runtimes of this machine was built")
        sys.exit(77)
    run_cases(sys.argv[7:])


if __name__ == "__main__":
    main()
