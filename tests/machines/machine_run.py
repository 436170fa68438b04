# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs of the program `vmaf` that gets its frames one by one, on machines that tests describe."""
import itertools
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from program_run import RUN_SECONDS, ProgramTest

WIDTH, HEIGHT = 80, 48
FRAME_BYTES = WIDTH * HEIGHT * 3 // 2
QUIET_SECONDS = 0.3
FEW_NANOSECONDS = 2_000_000
BETWEEN_FRAMES_SECONDS = 0.002  # so that whoever waits for frames gets some


def processor_nanoseconds(pid):
    """What the threads of a process have consumed; None if one of them runs, or the process has children."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        if (task / "stat").read_text().rsplit(") ", 1)[1][0] in "RD" or (task / "children").read_text().split():
            return None
        total += int((task / "schedstat").read_text().split()[0])
    return total


def wait_until_idle(process):
    """Waits until only more frames can make the program do anything: the backend has joined, or there is none."""
    before, since = None, time.monotonic()
    while process.poll() is None:
        try:
            now = processor_nanoseconds(process.pid)
        except OSError:  # a thread or the process has ended meanwhile
            now = None
        if now is None or before is None or now - before > FEW_NANOSECONDS:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > QUIET_SECONDS:
            return
        time.sleep(0.02)


class MachineTest(ProgramTest):
    """A test of runs whose frames wait for a backend to join."""

    size, frames, container = (WIDTH, HEIGHT), 120, "yuv"
    features = ("psnr", "motion")
    pauses = False  # a second time, half way

    def listed(self, *arguments, **variables):
        return self.listing("--list-backends", *arguments, **variables)

    def score_once(self, frames, arguments, variables):
        """The frames after the first come when all that it has caused is over: a backend has joined, or there is none.
        With `pauses`, the second half comes when another one has taken over."""
        inputs = ["-r", self.clip("ref"), "-d", "-", "-w", str(WIDTH), "-h", str(HEIGHT), "-p", "420", "-b", "8"]
        command = self.score_command(inputs, self.features,
                                     ["--threads", "1", "--frame_cnt", str(frames), *arguments])
        dist = self.clip("dist").read_bytes()[:frames * FRAME_BYTES]
        with subprocess.Popen(command, env=self.environment(**variables), stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            try:
                for i in range(frames):
                    process.stdin.write(dist[i * FRAME_BYTES:(i + 1) * FRAME_BYTES])
                    process.stdin.flush()
                    if i == 0 or (i == frames // 2 and self.pauses):
                        wait_until_idle(process)
                    time.sleep(BETWEEN_FRAMES_SECONDS)
                process.stdin.close()
                process.stdin = None
            except BrokenPipeError:
                process.stdin = None
            printed = process.communicate(timeout=RUN_SECONDS)[1].decode()
        return process.returncode, self.read_report(), printed

    def score_on_cpu(self, frames):
        return self.score_once(frames, ("--backend", "cpu"), {"VMAF_BACKEND_PATH": "/nowhere"})

    def assert_auto_device(self, document, name):
        devices = self.backend_in(document, document["auto_choice"])["devices"]
        self.assertEqual(devices[document["auto_device"]]["name"], name)

    def score(self, *arguments, wanted=None, **variables):
        """A run under "auto", whose scores are those of the CPU: the backends that took part, the report, and what was
        printed. On a busy machine the CPU may have been faster than `wanted`, so that it gets more frames then."""
        for frames in itertools.chain((24, 60), itertools.repeat(120)):
            status, report, printed = self.score_once(frames, ("--backend", "auto", *arguments), variables)
            self.assertEqual(status, 0, printed)
            self.assertEqual(len(report["frames"]), frames)
            self.assertEqual(self.scores_of(report), self.expected_scores(frames), printed)
            used = {entry["backend"] for entry in report["feature_backends"]}
            if wanted in (None, "cpu") or wanted in used:
                break
        return used, report, printed

    def assert_scored_by(self, wanted, *arguments, **variables):
        """The backend is among those that took part, the first of them; others have other devices."""
        used, report, printed = self.score(*arguments, wanted=wanted, **variables)
        joined = [entry["backend"] for entry in report.get("backend_devices", ())] or list(used)
        self.assertEqual(joined[0], wanted, printed)
        self.assertLessEqual(used, {*joined, "cpu"}, printed)
        self.assertIn(report["backend_used"], {*joined, "cpu"}, printed)
        self.assertNotIn("backend_events", report)
        return report, printed
