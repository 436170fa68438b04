#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What ends vmaf-tune encode before its time: check_faults.py SUBJECT VMAF_TUNE VMAF [POINTS]

However it ends, the source and what was at the place of the output are as they were, and nobody goes on encoding. Who was
asked to end leaves nothing behind; after anything else the next run removes it. That run has the same answer, and makes no
encode of samples again. POINTS of the run are tried: the beginning, the middle and the end of each ffmpeg.
"""
import hashlib
import os
import resource
import signal
import subprocess
import sys
import time

from tune_program import expect, ffmpeg, main, make_clip, packet_bytes

POINTS = int(sys.argv[4]) if len(sys.argv) > 4 else 4

# Writes down each run, and does at one of them what a file says: number, phase, words of sh.
FAULTY = """
echo "$*" >>'FOLDER/runs'
runs=$(wc -l <'FOLDER/runs')
read -r at phase what <'FOLDER/fault' || at=0
[ "$at" = "$runs" ] || exec ffmpeg "$@"
case $phase in
begin) eval "$what"; exec ffmpeg "$@" ;;
middle) { sleep 0.1; eval "$what"; } & exec ffmpeg "$@" ;;
late) { sleep 0.4; eval "$what"; } & exec ffmpeg "$@" ;;
esac
ffmpeg "$@"
status=$?
eval "$what"
exit $status
"""
PHASES = ("begin", "middle", "end", "late")


def digest(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Encodes:
    """Runs of one command, each in the folder that the ones before it have left."""

    def __init__(self, programs):
        self.programs, self.number = programs, 0
        make_clip(programs.path("clip.mkv"), frames=24)
        ffmpeg("-i", programs.path("clip.mkv"), "-f", "lavfi", "-i", "sine=440:d=2", "-c:v", "copy", "-c:a", "aac",
               programs.path("film.mkv"))
        self.film = digest(programs.path("film.mkv"))
        programs.script("faulty", FAULTY.replace("FOLDER", programs.folder))
        os.mkdir(programs.path("out"))
        self.fault()
        self.truth = self.result(self.command("--overwrite"))
        self.runs = programs.text("runs").splitlines()
        self.size = packet_bytes(programs.path("out/small.mkv"))
        expect(len(self.encodes(self.runs)) >= 3, f"{self.runs}")

    def command(self, *more):
        return ("encode", "film.mkv", "-o", "out/small.mkv", "--min-vmaf", "85", "--preset", "ultrafast", "--samples", "2",
                "--sample-duration", "0.4", "--ffmpeg-bin", self.programs.path("faulty"), "--json", "-q", "--cache-dir",
                self.programs.path(f"cache{self.number}"), *more)

    def points(self):
        """Run and phase of each point, over all of the command."""
        total = len(self.runs) * len(PHASES)
        for point in range(POINTS):
            at = point * total // POINTS + (total // POINTS) // 2
            yield 1 + at // len(PHASES), PHASES[at % len(PHASES)]

    def fault(self, at=0, phase="begin", what=":"):
        self.programs.write("fault", f"{at} {phase} {what}\n")
        self.programs.write("runs", "")

    def result(self, command):
        answer = self.programs.json(*command)["answer"]
        return {key: answer[key] for key in ("quality", "kbps", "scores", "packets_sha256")}

    @staticmethod
    def encodes(runs):
        return [run for run in runs if " -crf " in f" {run} " and "film.mkv" in run]

    def left(self):
        """What nobody has asked for: beside the output, and where encodes are in work."""
        names = [name for name in os.listdir(self.programs.path("out")) if name != "small.mkv"]
        for folder, _, files in os.walk(self.programs.path(f"cache{self.number}")):
            if folder.endswith(".part"):
                names.append(folder)
            names += [name for name in files if name.endswith((".part", ".mkv", ".y4m"))]
        return names

    def still_runs(self):
        """Programs whose words name this folder, other than this one."""
        found = subprocess.run(["pgrep", "-af", f"^ffmpeg.*{self.programs.folder}"], capture_output=True, text=True,
                               check=False)
        return found.stdout

    def expect_nobody(self, what):
        end = time.monotonic() + 5
        while self.still_runs() and time.monotonic() < end:
            time.sleep(0.05)
        expect(not self.still_runs(), f"{what}: {self.still_runs()} goes on")

    def begin(self, with_output):
        """A cache of its own, and an output that is there or not; what the output is."""
        self.number += 1
        path = self.programs.path("out/small.mkv")
        if os.path.exists(path):
            os.remove(path)
        if with_output:
            self.programs.write("out/small.mkv", "as it was")
        return digest(path)

    def expect_kept(self, before, what):
        programs = self.programs
        expect(digest(programs.path("film.mkv")) == self.film, f"{what}: the source was changed")
        now = digest(programs.path("out/small.mkv"))
        is_delivered = now != before and now is not None and packet_bytes(programs.path("out/small.mkv")) == self.size
        expect(now == before or is_delivered, f"{what}: the output was changed")
        return is_delivered

    def go_on(self, what):
        """The next run has what it would have had, and makes no sample that was finished again."""
        begun = self.encodes(self.programs.text("runs").splitlines())
        self.fault()
        result = self.result(self.command("--overwrite"))
        expect(result == self.truth, f"{what}: then {result}, not {self.truth}")
        again = self.encodes(self.programs.text("runs").splitlines())
        # The sample that was in work begins again, as do films.
        of_all, of_begun, of_again = (sum("-frames:v" in run for run in runs) for runs in (self.encodes(self.runs), begun, again))
        expect(of_again <= of_all - of_begun + 1 and len(again) - of_again <= len(self.encodes(self.runs)) - of_all,
               f"{what}: {len(again)} encodes again, of {len(self.encodes(self.runs))}, {len(begun)} begun")
        expect(not self.left(), f"{what}: the next run has left {self.left()}")


def check_signals(programs, number, name, leaves):
    encodes = Encodes(programs)
    for count, (at, phase) in enumerate(encodes.points()):
        what = f"{name} at the {phase} of run {at}"
        before = encodes.begin(count % 2)
        encodes.fault(at, phase, f"kill -{number} $PPID")
        with programs.start(*encodes.command("--overwrite"), stdout=subprocess.PIPE) as process:
            said = process.communicate()[1]
        status = process.returncode
        if status == 0: # it came too late
            expect(encodes.expect_kept(before, what), f"{what}: nothing was delivered")
            continue
        expect(status == (-number if leaves else 130), f"{what}: status {status}: {said}")
        encodes.expect_nobody(what)
        encodes.expect_kept(before, what)
        if not leaves:
            expect("interrupted" in said and not encodes.left(), f"{what}: {encodes.left()}: {said}")
        encodes.go_on(what)


def check_hang(programs):
    """It is ended by whoever waits for it, or by --step-timeout."""
    encodes = Encodes(programs)
    for count, (at, phase) in enumerate(encodes.points()):
        what = f"hanging at the {phase} of run {at}"
        before = encodes.begin(count % 2)
        is_encode = encodes.runs[at - 1] in encodes.encodes(encodes.runs)
        encodes.fault(at, "begin", "sleep 9876.5 & wait")
        limit = ("--step-timeout", "1") if is_encode and count % 4 else ()
        start = time.monotonic()
        with programs.start(*encodes.command("--overwrite", *limit), stdout=subprocess.PIPE) as process:
            while not limit and process.poll() is None and len(programs.text("runs").splitlines()) < at:
                time.sleep(0.02)
            if not limit:
                time.sleep(0.2)
                process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
        expect(process.returncode == (1 if limit else 130), f"{what}: {process.returncode}: {said}")
        expect(time.monotonic() - start < 60, f"{what}: it has waited for a minute")
        expect(not limit or "progress" in said, f"{what}: {said}")
        encodes.expect_kept(before, what)
        expect(not encodes.left(), f"{what}: {encodes.left()}")
        encodes.go_on(what)


def check_full(programs):
    """No file may be longer than this, as on a disk that is full."""
    encodes = Encodes(programs)
    whole = os.path.getsize(programs.path("out/small.mkv"))
    for count in range(POINTS):
        limit = count * whole // POINTS + 100
        what = f"{limit} bytes"
        before = encodes.begin(count % 2)
        encodes.fault()
        with programs.start(*encodes.command("--overwrite"), stdout=subprocess.PIPE,
                            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) as process:
            said = process.communicate()[1]
        expect(process.returncode in (1, 2) and said, f"{what}: {process.returncode}: {said}")
        encodes.expect_nobody(what)
        encodes.expect_kept(before, what)
        expect(not encodes.left(), f"{what}: {encodes.left()}: {said}")
        encodes.go_on(what)


def check_places(programs):
    """Neither the source nor what somebody else has put there is replaced, whatever becomes of the encode."""
    make_clip(programs.path("small.missed.mkv"), frames=8)
    before = digest(programs.path("small.missed.mkv"))
    common = ("--quality", "40", "--preset", "ultrafast", "-q", "-o", "small.mkv")
    programs.run("encode", "small.missed.mkv", *common, "--min-vmaf", "99.9", status=2)
    expect("would replace its source" in programs.said and digest(programs.path("small.missed.mkv")) == before, programs.said)
    os.rename(programs.path("small.missed.mkv"), programs.path("film.mkv"))
    programs.script("racing", f"""
case " $* " in *" -crf 40 "*) echo somebody else >'{programs.path("small.mkv")}' ;; esac
exec ffmpeg "$@"
""")
    racing = ("--ffmpeg-bin", programs.path("racing"))
    programs.run("encode", "film.mkv", *common, *racing, "--min-vmaf", "1", status=1)
    expect(programs.text("small.mkv") == "somebody else\n" and "the encode is small.missed.mkv" in programs.said, programs.said)
    expect(packet_bytes(programs.path("small.missed.mkv")) > 0, "the encode is lost")
    programs.run("encode", "film.mkv", *common, *racing, "--min-vmaf", "1", "--overwrite")
    expect(packet_bytes(programs.path("small.mkv")) == packet_bytes(programs.path("small.missed.mkv")), "another encode")


main({"killed": lambda programs, *_: check_signals(programs, signal.SIGKILL, "SIGKILL", True),
      "interrupted": lambda programs, *_: check_signals(programs, signal.SIGINT, "SIGINT", False),
      "terminated": lambda programs, *_: check_signals(programs, signal.SIGTERM, "SIGTERM", False),
      "hang": lambda programs, *_: check_hang(programs), "full": lambda programs, *_: check_full(programs),
      "places": lambda programs, *_: check_places(programs)})
