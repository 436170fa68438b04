# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs of the program `vmaf`, and what they say of backends."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

RUN_SECONDS = 1800


class ProgramTest(unittest.TestCase):
    """A test of runs over one pair of clips. What is remembered of backends is of another machine each time."""

    vmaf = synth = ""  # paths
    size, frames, container = (50, 38), 4, "y4m"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name)
        cls.cpu_scores = {}
        for name, distortion in (("ref", "identical"), ("dist", "blur")):
            subprocess.run([cls.synth, "--scene", "texture", "--size", "{}x{}".format(*cls.size), "--format", "420",
                            "--frames", str(cls.frames), "--distortion", distortion, "--output", cls.clip(name)],
                           check=True)

    @classmethod
    def clip(cls, name):
        return cls.path / f"{name}.{cls.container}"

    def environment(self, **variables):
        self.count = getattr(self, "count", 0) + 1
        return {**os.environ, "XDG_CACHE_HOME": str(self.path / f"cache-{self.id()}-{self.count}"), **variables}

    def broken_libraries(self, *names):
        """A folder that has these files, which are no libraries; empty without names."""
        folder = Path(tempfile.mkdtemp(dir=self.path))
        for name in names:
            (folder / name).write_text("no library\n")
        return folder

    # -- what there is --

    def listing(self, *arguments, **variables):
        """What a run prints that has no clips."""
        run = subprocess.run([self.vmaf, *arguments], env=self.environment(**variables), capture_output=True,
                             text=True, timeout=RUN_SECONDS, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def capabilities(self, *arguments, **variables):
        return json.loads(self.listing("--capabilities", *arguments, **variables))

    def backend_in(self, document, name):
        return next(backend for backend in document["backends"] if backend["name"] == name)

    def assert_devices(self, backend, word, values):
        self.assertEqual([device[word] for device in backend["devices"]], values)

    # -- scores --

    def score_command(self, inputs, features, arguments):
        """Of a run that leaves a report; that of the last one is removed."""
        (self.path / "report.json").unlink(missing_ok=True)
        return [self.vmaf, *inputs, "--no_prediction", *(word for name in features for word in ("--feature", name)),
                "--json", "-o", self.path / "report.json", "--precision", "max", *arguments]

    def read_report(self):
        report = self.path / "report.json"
        return json.loads(report.read_text()) if report.exists() else {}

    def scores_of(self, report):
        return [frame["metrics"] for frame in report["frames"]]

    def score_on_cpu(self, what):
        """Status, report, and what was printed; of `what`, the subclass knows the meaning."""
        raise NotImplementedError

    def expected_scores(self, what):
        """Those of the CPU, of which one run is enough."""
        if what not in self.cpu_scores:
            status, report, printed = self.score_on_cpu(what)
            self.assertEqual(status, 0, printed)
            self.cpu_scores[what] = self.scores_of(report)
        return self.cpu_scores[what]
