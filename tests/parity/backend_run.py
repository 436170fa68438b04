# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs of the program with the plugin of one backend, on machines of its emulated runtime that tests describe."""
import json
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from program_run import RUN_SECONDS, ProgramTest


class BackendTest(ProgramTest):
    """A test of one backend. Methods take, as `**machine`: the text of a machine file (`machine`), where the emulated
    runtime is (`runtime`), and environment variables."""

    backend = ""
    plugins = ""  # the folder that has that of the backend
    machine_variable = ""  # has the path of the machine file
    runtime_variable = "LD_LIBRARY_PATH"
    runtime = ""
    variables = {}  # more of them, for every run

    def environment(self, machine="", runtime=None, **variables):
        path = self.path / "machine"
        path.write_text(machine)
        return super().environment(**{"VMAF_BACKEND_PATH": self.plugins, self.machine_variable: str(path),
                                      self.runtime_variable: str(runtime or self.runtime), **self.variables,
                                      **variables})

    def described(self, **machine):
        """What the program says of the backend."""
        return self.backend_in(self.capabilities(**machine), self.backend)

    def score(self, *arguments, feature="psnr", **machine):
        """Status, report, and what was printed."""
        command = self.score_command(["-r", self.clip("ref"), "-d", self.clip("dist")], [feature], arguments)
        run = subprocess.run(command, env=self.environment(**machine), capture_output=True, text=True,
                             timeout=RUN_SECONDS, check=False)
        return run.returncode, self.read_report(), run.stderr

    def score_on_cpu(self, feature):
        return self.score("--backend", "cpu", feature=feature)

    # -- what is asserted --

    def assert_scored(self, *arguments, used=None, feature="psnr", plain=None, **machine):
        """A run whose scores are those of the CPU, by the backend `used` if it is given: the report. `plain` is the
        feature without the name of a backend."""
        status, report, printed = self.score(*arguments, feature=feature, **machine)
        self.assertEqual(status, 0, printed)
        self.assertEqual(len(report["frames"]), self.frames)
        self.assertEqual(self.scores_of(report), self.expected_scores(plain or feature))
        if used:
            self.assertEqual(report["backend_used"], used, printed)
        return report

    def assert_refused(self, words, *arguments, **machine):
        status, report, printed = self.score("--backend", self.backend, *arguments, **machine)
        self.assertEqual(status, 100, printed)
        self.assertEqual(report["exit_code"], 100)
        self.assertIn(words, json.dumps(report))

    def assert_unavailable(self, words, **machine):
        """There is no device, and the reason is said."""
        document = self.capabilities(**machine)
        backend = self.backend_in(document, self.backend)
        self.assertFalse(backend["usable"])
        self.assertIn(words, backend["reason_text"])
        self.assertNotEqual(document["auto_choice"], self.backend)
        self.assert_refused(words, **machine)

    def assert_chosen_alone(self, **machine):
        """There is one device, which "auto" chooses: what is said of the backend, and of the device."""
        document = self.capabilities(**machine)
        backend = self.backend_in(document, self.backend)
        self.assertTrue(backend["usable"], backend)
        self.assertEqual(document["auto_choice"], self.backend)
        device, = backend["devices"]
        return backend, device

    # -- cases of several backends --

    def check_choices(self, feature, **machine):
        """Whether it is chosen or asked for, and with the number of its device, its scores are those of the CPU."""
        self.assert_scored("--backend", "auto", feature=feature, **machine)
        for device in ((), (f"--{self.backend}_device", "0")):
            self.assert_scored("--backend", self.backend, *device, used=self.backend, feature=feature, **machine)

    def check_pinned_feature(self, without_device):
        """One that has the name of the backend is computed there or not at all."""
        pinned = f"vif_{self.backend}"
        report = self.assert_scored(feature=pinned, plain="vif")
        self.assertEqual({entry["backend"] for entry in report["feature_backends"]}, {self.backend})
        status, _, printed = self.score(feature=pinned, machine="no-device")
        self.assertEqual(status, 100, printed)
        self.assertIn(without_device, printed)

    def check_without_memory(self):
        """Only under "auto" the CPU does what the device has no memory for."""
        little = "out-of-memory beyond 64K"
        self.assert_refused("memory", feature="motion", machine=little)
        self.assert_scored("--backend", "auto", feature="motion", machine=little)
