# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What tests of vmaf-tune share that encode: a clip, the programs, independent scores."""
import json
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def expect(condition, text):
    if not condition:
        fail(text)


def skip(text):
    print(f"skipped: {text}")
    sys.exit(SKIPPED)


def need_encoder(name):
    if not shutil.which("ffmpeg"):
        skip("there is no ffmpeg")
    encoders = subprocess.run(["ffmpeg", "-hide_banner", "-encoders"], capture_output=True, text=True, check=False).stdout
    if not any(line.split()[1:2] == [name] for line in encoders.splitlines()):
        skip(f"this ffmpeg has no {name}")


def ffmpeg(*arguments):
    result = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], capture_output=True, text=True,
                            check=False)
    expect(result.returncode == 0, f"ffmpeg {' '.join(arguments)}: {result.stderr}")


def make_clip(path, *extra, size="192x108", frames=24):
    """Two shots of that many frames each: test pattern and fractal, with noise."""
    parts = (f"testsrc2=s={size}:r=24,format=yuv420p,noise=alls=12:allf=t:all_seed=1,trim=end_frame={frames}[a];"
             f"mandelbrot=s={size}:r=24,format=yuv420p,noise=alls=6:allf=t:all_seed=2,trim=end_frame={frames}[b];"
             "[a][b]concat=n=2:v=1,settb=1/24,setpts=N[v]")
    ffmpeg("-filter_complex", parts, *extra, "-map", "[v]", "-c:v", "ffv1", "-r", "24", path)


class Programs:
    def __init__(self, tune, vmaf, folder):
        self.tune, self.vmaf, self.folder = tune, vmaf, folder
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        self.environment.pop("VMAFTUNE_WORKDIR", None)

    def run(self, *arguments, status=0):
        """Output and messages; a status of None is any."""
        result = subprocess.run([self.tune, *arguments], capture_output=True, text=True, check=False, cwd=self.folder,
                                env=self.environment)
        expect(status is None or result.returncode == status,
               f"{' '.join(arguments)} returned {result.returncode}, not {status}: {result.stdout}{result.stderr}")
        return result.stdout, result.stderr

    def json(self, *arguments, status=0):
        return json.loads(self.run(*arguments, status=status)[0])

    def scores(self, reference, distorted, selection=None, size="192:108"):
        """VMAF of each frame of an encode by the vmaf program, both decoded (and scaled) by ffmpeg."""
        paths = []
        for name, path in (("reference", reference), ("distorted", distorted)):
            paths.append(os.path.join(self.folder, f"{name}.y4m"))
            chain = f"scale={size}:flags=bicubic,format=yuv420p"
            if selection and name == "reference":
                chain = f"select='{selection}'," + chain
            ffmpeg("-i", path, "-vf", chain, "-fps_mode", "passthrough", "-map", "0:v:0", paths[-1])
        output = os.path.join(self.folder, "score.json")
        subprocess.run([self.vmaf, "-r", paths[0], "-d", paths[1], "--json", "-o", output, "-q"], check=True,
                       capture_output=True)
        with open(output, encoding="utf-8") as file:
            return [frame["metrics"]["vmaf"] for frame in json.load(file)["frames"]]

    def score(self, *arguments, **options):
        scores = self.scores(*arguments, **options)
        return sum(scores) / len(scores)


def packet_bytes(path):
    """Of the video alone."""
    result = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size", "-of",
                             "csv=p=0", path], capture_output=True, text=True, check=True)
    return sum(int(line.strip(",")) for line in result.stdout.split() if line.strip(","))


def near(a, b, tolerance=1e-4):
    return a is not None and b is not None and abs(a - b) <= tolerance
