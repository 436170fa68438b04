#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Several devices of a machine, and everything that the program can do with a video: parts of a run, batches, several
distorted videos. The plugins pose as backends (tests/backend/plugins/posing.c).

    test_several.py VMAF SYNTH FOLDER-OF-PLUGINS [TEST...]
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from cases import run_cases
from program_run import RUN_SECONDS, ProgramTest

TWO = "cuda discrete One\ncuda discrete Two\n"
ALL = ("--backend", "cuda", "--backend-device", "cuda:all")
FEATURES = ("-n", "--feature", "psnr", "--feature", "motion")
PRECISE = ("--precision", "max")
FRAMES = 30
ATTEMPTS = 20  # a busy machine may leave a device without a frame


def without_rate(text):
    return re.sub(r'"fps": [^,]*', "", text)


class SeveralDevices(ProgramTest):
    plugins = ""
    size, frames = (80, 48), FRAMES

    def start(self, text, *arguments, **variables):
        """The status, and what was printed. Files are in a folder that is the test's own."""
        folder = self.path / self.id()
        folder.mkdir(exist_ok=True)
        (folder / "machine").write_text(text)
        environment = self.environment(VMAF_BACKEND_PATH=self.plugins, VMAF_TEST_POSING=str(folder / "machine"),
                                       **variables)
        run = subprocess.run([self.vmaf, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
                             timeout=RUN_SECONDS, check=False)
        return run.returncode, run.stderr

    def score(self, text, *arguments, status=0, precise=True, clips=True, **variables):
        inputs = ("-r", self.clip("ref"), "-d", self.clip("dist")) if clips else ()
        ended, printed = self.start(text, *inputs, *FEATURES, *(PRECISE if precise else ()), *arguments, **variables)
        self.assertEqual(ended, status, printed)
        return printed

    def read(self, name):
        return (self.path / self.id() / name).read_text()

    def scores(self, name):
        return self.scores_of(json.loads(self.read(name)))

    def assert_cpu_scores(self, *names):
        self.score("", "--backend", "cpu", "-o", "cpu.json")
        for name in names:
            self.assertEqual(self.scores(name), self.scores("cpu.json"))

    def assert_all_devices(self, name, frames=FRAMES):
        devices = json.loads(self.read(name))["backend_devices"]
        self.assertEqual([device.get("name") for device in devices], ["One", "Two", None])
        self.assertEqual(sum(device["frames"] for device in devices[:2]), frames)
        self.assertEqual(devices[2], {"backend": "cpu", "frames": 0})

    # -- parts of a run --

    def test_the_merge_of_shards_is_the_report_of_the_run(self):
        self.score("", "-o", "cpu.json", "-o", "cpu.csv")
        parts = [f"part-{i}.vmafs" for i in range(3)]
        for i, part in enumerate(parts):
            self.score(TWO, *ALL, "--shard", f"{i}/3", "-o", part, precise=False)
        ended, printed = self.start("", "merge", *parts, "-o", "all.json", "-o", "all.csv", *PRECISE)
        self.assertEqual(ended, 0, printed)
        self.assertEqual(without_rate(self.read("all.json")), without_rate(self.read("cpu.json")))
        self.assertEqual(self.read("all.csv"), self.read("cpu.csv"))

    def test_kept_records_and_a_run_that_is_resumed(self):
        self.score("", "-o", "cpu.json")
        self.score(TWO, *ALL, "--keep-records", "run.vmafs", "-o", "kept.json")
        self.assert_all_devices("kept.json")
        ended, printed = self.start("", "merge", "run.vmafs", "-o", "all.json", *PRECISE)
        self.assertEqual(ended, 0, printed)
        self.assertEqual(without_rate(self.read("all.json")), without_rate(self.read("cpu.json")))

        records = self.path / self.id() / "run.vmafs"
        os.truncate(records, records.stat().st_size // 2)
        self.score(TWO, *ALL, "--resume", "run.vmafs", "-o", "resumed.json")
        self.assert_cpu_scores("kept.json", "resumed.json")

    def test_a_shard_without_its_last_device_is_none(self):
        self.score("cuda discrete One lost=1\ncuda discrete Two lost=1\n", *ALL, "--shard", "0/2", "-o", "part.vmafs",
                   status=100, precise=False)
        ended, _ = self.start("", "merge", "part.vmafs", "-o", "all.json")
        self.assertNotEqual(ended, 0)

    # -- several videos --

    def test_several_distorted_videos(self):
        self.score(TWO, "-d", self.clip("ref"), *ALL, "-o", "of-{}.json")
        for name in ("of-dist.json", "of-ref.json"):
            self.assert_all_devices(name)
        self.assert_cpu_scores("of-dist.json")

    def pairs(self, n):
        lines = [json.dumps({"reference": str(self.clip("ref")), "distorted": str(self.clip("dist")),
                             "output": f"pair-{i}.json"}) for i in range(n)]
        folder = self.path / self.id()
        folder.mkdir(exist_ok=True)
        (folder / "pairs.jsonl").write_text("".join(line + "\n" for line in lines))
        return [f"pair-{i}.json" for i in range(n)]

    def batch(self, machine, n, jobs):
        reports = self.pairs(n)
        ended, printed = self.start(machine, "batch", "pairs.jsonl", *FEATURES, *PRECISE, "--jobs", str(jobs), *ALL,
                                    VMAF_TRACE="trace.json")
        self.assertEqual(ended, 0, printed)
        self.assert_cpu_scores(*reports)
        return reports, self.read("trace.json").count('"open the device"')

    def test_a_batch_opens_each_device_once(self):
        for jobs in (1, 2):
            reports, n_opened = self.batch(TWO, 4, jobs)
            for report in reports:
                self.assert_all_devices(report)
            self.assertEqual(n_opened, 2)

    def test_a_batch_opens_a_lost_device_anew_and_no_other(self):
        reports, n_opened = self.batch("cuda discrete One lost=1\ncuda discrete Two\n", 4, 1)
        # In the last one it is lost for good; on a busy machine, a pair may end without a frame for it.
        n_lost = sum(bool(json.loads(self.read(report)).get("backend_events")) for report in reports[:-1])
        self.assertEqual(n_opened, 2 + n_lost)

    # -- failures --

    def test_the_last_device_that_is_lost_ends_the_run(self):
        for lost in ("lost=1", "lost=4"):
            printed = self.score(f"cuda discrete One {lost}\ncuda discrete Two {lost}\n", *ALL, "-o", "lost.json",
                                 status=100)
            self.assertRegex(printed, r"ERROR backend cuda failed at frame \d+ \(device [01]\): [^;]*\n")
            self.assertEqual({*re.findall(r" \(device ([01])\): ", printed)}, {"0", "1"}, printed)
            error = json.loads(self.read("lost.json"))
            self.assertEqual((error["backend_requested"], error["exit_code"]), ("cuda", 100))

    def test_one_device_that_lies_ends_the_run_and_is_named(self):
        for _ in range(ATTEMPTS):
            ended, printed = self.start(
                "cuda discrete One\ncuda discrete Two wrong=1\n", "-r", self.clip("ref"), "-d", self.clip("dist"),
                *FEATURES, *ALL, "-o", "lie.json", VMAF_BACKEND_SPOT_CHECK="1")
            if ended:
                break
        self.assertEqual(ended, 100, printed)
        self.assertRegex(printed, r"backend cuda \(Two\): .*record of (psnr|motion) of frame")
        self.assertEqual(json.loads(self.read("lie.json"))["exit_code"], 100)

    # -- which take part --

    def opened(self, text, *arguments):
        """The devices that a run has opened for scoring."""
        log = self.path / self.id() / "opened"
        log.unlink(missing_ok=True)
        self.score(text, *arguments, "-o", "opened.json", VMAF_TEST_POSING_LOG=str(log))
        return log.read_text().split("\n")[:-1]

    def test_a_device_that_two_drivers_list_is_used_once(self):
        for identity in (f"uuid={32 * 'a'}", "pci=0000:0a:00.0"):
            twice = f"cuda discrete One {identity} driver=x\ncuda discrete Again {identity} driver=y\n"
            self.assertEqual(self.opened(twice, *ALL), ["cuda One"])
            self.assertNotIn("backend_devices", self.read("opened.json"))
            self.assertEqual(self.opened(twice + "cuda discrete Two\n", *ALL), ["cuda One", "cuda Two"])

    def test_software_is_used_where_there_is_nothing_else(self):
        self.assertEqual(self.opened("cuda software Pipe\ncuda discrete One\ncuda integrated Two\n", *ALL),
                         ["cuda One", "cuda Two"])
        self.assertEqual(self.opened("cuda software Pipe\ncuda software Soft\n", *ALL), ["cuda Pipe", "cuda Soft"])

    def test_a_frame_that_repeats_is_of_the_device_of_the_one_before(self):
        content = self.clip("ref").read_bytes()
        header = content.index(b"\n") + 1
        frame = content[header:header + len("FRAME\n") + self.size[0] * self.size[1] * 3 // 2]
        (self.path / "still.y4m").write_bytes(content[:header] + frame * FRAMES)
        self.score("cuda discrete One lost=1\ncuda discrete Two\n", *ALL, "-r", self.path / "still.y4m", "-o",
                   "still.json", "-d", self.path / "still.y4m", "--feature", "vif", clips=False)
        self.assertEqual([device["frames"] for device in json.loads(self.read("still.json"))["backend_devices"]],
                         [0, FRAMES, 0])

    # -- the command line --

    def test_words_that_are_no_devices(self):
        for arguments, words in ((("--backend", "cuda:all"), "cuda:all"),
                                 (("--backend", "cuda", "--backend-device", "cuda:every"), 'an integer or "all"'),
                                 (("--backend", "cuda", "--backend-device", "all"), "all"),
                                 (("--backend", "cuda", "--backend-device", "cuda:-2"), 'or "all"')):
            ended, printed = self.start(TWO, self.clip("ref"), self.clip("dist"), *arguments)
            self.assertEqual(ended, 1, (arguments, printed))
            self.assertIn(words, printed)

    def test_auto_with_all_devices_of_one_backend(self):
        self.score(TWO + "vulkan discrete Three\n", "--backend", "auto", "--backend-device", "cuda:all", "-o", "auto.json")
        self.assertNotIn("vulkan", self.read("auto.json"))
        self.assert_cpu_scores("auto.json")


if __name__ == "__main__":
    SeveralDevices.vmaf, SeveralDevices.synth, SeveralDevices.plugins = sys.argv[1:4]
    run_cases(sys.argv[4:])
