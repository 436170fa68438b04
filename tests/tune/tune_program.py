# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What tests of vmaf-tune share: the programs in a folder of their own, clips, and what others say of the same files.

    check_NAME.py SUBJECT VMAF_TUNE VMAF [ARGUMENT...]

Status 77: something is missing, such as ffmpeg or an encoder in it.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def expect(condition, text):
    if not condition:
        fail(text)


def skip(text):
    print(f"skipped: {text}")
    sys.exit(SKIPPED)


def near(a, b, tolerance=1e-4):
    return a is not None and b is not None and abs(a - b) <= tolerance


def close(a, b, tolerance=1e-9):
    """The same but for the last digits."""
    return near(a, b, tolerance * max(1, abs(b or 0)))


def run(*command, status=0, **options):
    """Output and messages; a status of None is any."""
    words = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL, **options)
    messages = result.stderr.decode(errors="replace")
    expect(status is None or result.returncode == status,
           f"{' '.join(words)} returned {result.returncode}, not {status}:\n{result.stdout[:9999]}\n{messages}")
    return result.stdout, messages


def ffmpeg(*arguments):
    return run("ffmpeg", "-v", "error", "-nostdin", "-y", *arguments)[0]


def encoders():
    """Names of those that ffmpeg has."""
    lines = run("ffmpeg", "-hide_banner", "-encoders")[0].decode().splitlines()
    return {line.split()[1] for line in lines if line.startswith(" V") and len(line.split()) > 1}


def need_encoder(*names):
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        skip("there is no ffmpeg")
    for name in names:
        if name not in encoders():
            skip(f"this ffmpeg has no {name}")


def probe(path, *arguments):
    return json.loads(run("ffprobe", "-v", "error", "-of", "json", *arguments, path)[0])


def packet_bytes(path):
    """Of the video alone."""
    packets = probe(path, "-select_streams", "v:0", "-show_entries", "packet=size")["packets"]
    return sum(int(packet["size"]) for packet in packets)


def chapters_of(path):
    """When each begins and ends, since the first frame is shown, and its title. Where sound begins before time 0, as FFmpeg
    7 reads it, ffmpeg moves all of a file until it begins there."""
    found = probe(path, "-select_streams", "V:0", "-show_chapters", "-show_entries", "packet=pts_time")
    first = min(float(packet["pts_time"]) for packet in found["packets"])
    return [(*(round(float(chapter[side]) - first, 3) for side in ("start_time", "end_time")), chapter["tags"]["title"])
            for chapter in found["chapters"]]


def make_clip(path, *extra, size="192x108", frames=24):
    """Two shots of that many frames each: test pattern and fractal, with noise."""
    parts = (f"testsrc2=s={size}:r=24,format=yuv420p,noise=alls=12:allf=t:all_seed=1,trim=end_frame={frames}[a];"
             f"mandelbrot=s={size}:r=24,format=yuv420p,noise=alls=6:allf=t:all_seed=2,trim=end_frame={frames}[b];"
             "[a][b]concat=n=2:v=1,settb=1/24,setpts=N[v]")
    ffmpeg("-filter_complex", parts, *extra, "-map", "[v]", "-c:v", "ffv1", "-r", "24", path)


class Programs:
    """vmaf-tune and vmaf, in a folder; names of files are those in the folder."""

    def __init__(self, tune, vmaf, folder):
        self.tune, self.vmaf, self.folder = os.path.abspath(tune), os.path.abspath(vmaf), os.path.realpath(folder)
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"), TMPDIR=self.folder, LC_ALL="C.UTF-8")
        self.environment.pop("VMAFTUNE_WORKDIR", None)
        self.said = ""

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def script(self, name, text):
        os.chmod(self.write(name, "#!/bin/sh\n" + text), 0o755)
        return self.path(name)

    def load(self, name):
        return json.loads(self.text(name))

    def rows(self, name):
        lines = self.text(name).split("\n")
        expect(lines[-1] == "", f"{name} does not end in a line")
        return [json.loads(line) for line in lines[:-1]]

    def telling_ffmpeg(self, where, *words):
        """An ffmpeg that is told more where arguments contain this."""
        return self.script("telling-ffmpeg", f"""
case " $* " in *" {where} "*) ;; *) exec ffmpeg "$@" ;; esac
count=$# left=$#
for word; do
    left=$((left - 1))
    [ $left != 0 ] || set -- "$@" {" ".join(words)}
    set -- "$@" "$word"
done
shift $count
exec ffmpeg "$@"
""")

    def run(self, *arguments, status=0, **environment):
        """Output and messages; a status of None is any."""
        text, self.said = run(self.tune, *arguments, status=status, cwd=self.folder,
                              env=dict(self.environment, **environment))
        return text.decode(), self.said

    def start(self, *arguments, **options):
        return subprocess.Popen([self.tune, *arguments], cwd=self.folder, env=self.environment, stderr=subprocess.PIPE,
                                text=True, **options)

    def json(self, *arguments, status=0, **environment):
        return json.loads(self.run(*arguments, status=status, **environment)[0])

    def report(self, reference, distorted, *arguments):
        """What the vmaf program tells of two files, all digits of it."""
        run(self.vmaf, "-r", self.path(reference), "-d", self.path(distorted), "--json", "-o", self.path("score.json"), "-q",
            "--precision", "max", *arguments, cwd=self.folder, env=self.environment)
        return self.load("score.json")

    def scores(self, reference, distorted, selection=None, size="192:108"):
        """VMAF of each frame of an encode by the vmaf program, both decoded (and scaled) by ffmpeg."""
        names = ("reference.y4m", "distorted.y4m")
        for name, path in zip(names, (reference, distorted)):
            chain = f"scale={size}:flags=bicubic+accurate_rnd+bitexact,format=yuv420p"
            if selection and name == "reference.y4m":
                chain = f"select='{selection}'," + chain
            ffmpeg("-i", self.path(path), "-vf", chain, "-fps_mode", "passthrough", "-map", "0:v:0", self.path(name))
        return [frame["metrics"]["vmaf"] for frame in self.report(*names)["frames"]]

    def score(self, *arguments, **options):
        scores = self.scores(*arguments, **options)
        return sum(scores) / len(scores)


def main(subjects, *needed, without_encoder=(), place=Programs):
    """Run the subject that is named, in a new folder; `place` may know more than Programs."""
    subject, tune, vmaf, *rest = sys.argv[1:]
    if subject not in without_encoder:
        need_encoder(*(needed or ("libx264",)))
    with tempfile.TemporaryDirectory() as folder:
        subjects[subject](place(tune, vmaf, folder), *rest)
