#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Searches on real encodes: check_bisect.py SUBJECT VMAF_TUNE VMAF [BACKEND FOLDER]

What the program finds is found again with ffmpeg and vmaf alone.
"""
import json
import os
import re
import signal
import subprocess
import time

from tune_program import Programs, encoders, expect, ffmpeg, main, need_encoder, packet_bytes, skip

RATE = "24000/1001"


class Work(Programs):
    """With a video."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.video = self.path("a source.mkv")
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=160x96:rate={RATE}:duration=1.5,noise=alls=12:allf=t",
               "-c:v", "ffv1", "-pix_fmt", "yuv420p", self.video)

    def bisect(self, *arguments, **options):
        return self.run("bisect", *arguments, **options)

    def search(self, *arguments, **options):
        return json.loads(self.bisect("--src", self.video, "--format", "json", *arguments, **options)[0])

    def score(self, encode, *arguments):
        return self.report(self.video, encode, *arguments)

    def encode(self, name, *arguments):
        ffmpeg("-i", self.video, *arguments, "-map", "0:v:0", self.path(name))
        return self.path(name)


# What a user would type for the same encode.
LINES = {
    "libx264": ["-c:v", "libx264", "-preset", "veryfast", "-crf", "{q}"],
    "libx265": ["-c:v", "libx265", "-preset", "veryfast", "-crf", "{q}"],
    "libsvtav1": ["-pix_fmt", "yuv420p10le", "-c:v", "libsvtav1", "-preset", "13", "-crf", "{q}"],
    "libvpx-vp9": ["-c:v", "libvpx-vp9", "-deadline", "good", "-cpu-used", "5", "-crf", "{q}", "-b:v", "0", "-row-mt", "1"],
    "libaom-av1": ["-pix_fmt", "yuv420p10le", "-c:v", "libaom-av1", "-cpu-used", "7", "-crf", "{q}", "-b:v", "0",
                   "-row-mt", "1"],
}


def check_encoder(work, encoder):
    need_encoder(encoder)
    target = 80
    found = work.search("--encoder", encoder, "--preset", "veryfast", "--target-vmaf", str(target))
    expect(found["ok"] and found["converged"] and found["codec"] == encoder, f"{encoder}: {found}")
    expect(found["encoder_version"] not in ("", "unknown", None), f"{encoder}: no version: {found}")
    best = found["best_crf"]
    samples = {sample["crf"]: sample for sample in found["samples"]}
    expect(len(samples) == found["n_iterations"] and best in samples, f"{encoder}: {found}")
    expect(samples[best]["vmaf"] == found["measured_vmaf"] >= target, f"{encoder}: {found}")
    expect(best + 1 not in samples or samples[best + 1]["vmaf"] < target, f"{encoder}: {found}")
    expect(best == 63 or best + 1 in samples, f"{encoder}: {best} + 1 was not measured: {found}")

    line = [argument.format(q=best) for argument in LINES[encoder]]
    encode = work.encode("again.mkv", *line)
    kbps = packet_bytes(encode) * 8 / 1000 / (36 * 1001 / 24000)
    expect(abs(kbps - found["bitrate_kbps"]) < 1e-9 * kbps, f"{encoder}: {kbps} kbit/s, not {found['bitrate_kbps']}")
    mean = work.score(encode)["pooled_metrics"]["vmaf"]["mean"]
    expect(abs(mean - found["measured_vmaf"]) < 1e-9, f"{encoder}: {mean}, not {found['measured_vmaf']}")
    if best < 63:
        stronger = work.encode("stronger.mkv", *[argument.format(q=best + 1) for argument in LINES[encoder]])
        mean = work.score(stronger)["pooled_metrics"]["vmaf"]["mean"]
        expect(mean < target, f"{encoder}: {best + 1} reaches the target, too, with {mean}")


def check_results(work):
    common = ["--preset", "veryfast", "--target-vmaf", "85"]
    first = work.search(*common)
    expect(not any(sample["cached"] for sample in first["samples"]), "something was known in an empty cache")
    again = work.search(*common)
    expect(all(sample["cached"] for sample in again["samples"]), f"not all was known: {again}")
    for sample in first["samples"] + again["samples"]:
        del sample["cached"]
    expect(first == again, f"{first}\nis not\n{again}")

    jobs = work.search(*common, "--jobs", "3", "--no-cache")
    for key in ("best_crf", "measured_vmaf", "bitrate_kbps", "converged"):
        expect(jobs[key] == first[key], f"{key}: {jobs}\nis not\n{first}")

    # A better quality has a higher bitrate; a tolerance ends earlier; the table says the same.
    better = work.search("--preset", "veryfast", "--target-vmaf", "95")
    expect(better["best_crf"] < first["best_crf"] and better["bitrate_kbps"] > first["bitrate_kbps"], f"{better}")
    rough = work.search("--preset", "veryfast", "--target-vmaf", "85", "--vmaf-tolerance", "6", "--no-cache")
    expect(85 <= rough["measured_vmaf"] <= 91 and rough["n_iterations"] <= first["n_iterations"], f"{rough}")
    table, said = work.bisect("--src", work.video, *common)
    lines = said.splitlines()  # no terminal: a line for each encode
    expect(len(lines) == len(first["samples"]) and all(line.endswith(", known") for line in lines), said)
    for line, sample in zip(lines, first["samples"]):
        expect(line.startswith(f"libx264 crf {sample['crf']}: {sample['bitrate_kbps']:.1f} kbit/s, VMAF {sample['vmaf']:.3f}"), said)
    text, said = work.bisect("--src", work.video, *common, "--no-cache", "--format", "json")
    expect(said.splitlines() == [
        f"libx264 crf {sample['crf']}: {sample['bitrate_kbps']:.1f} kbit/s, VMAF {sample['vmaf']:.3f}, encoded in "
        f"{sample['encode_time_ms'] / 1000:.1f} s, scored in {sample['score_time_ms'] / 1000:.1f} s"
        for sample in json.loads(text)["samples"]], f"{said} {text}")
    expect(work.bisect("--src", work.video, *common, "-q")[1] == "", "-q says something")
    expect(f"crf {first['best_crf']}, " in table and f"VMAF {first['measured_vmaf']:.2f} (" in table, table)


def check_steps(work):
    """Between whole numbers: what is found is what a plain line makes, and encoders say what they have."""
    common = ["--preset", "veryfast", "--target-vmaf", "85"]
    whole = work.search(*common)
    fine = work.search(*common, "--quality-step", "0")
    best = fine["best_crf"]
    expect(fine["ok"] and fine["converged"] and fine["measured_vmaf"] >= 85, f"{fine}")
    expect(whole["best_crf"] - 1 < best < whole["best_crf"] + 1.5 and abs(best * 10 - round(best * 10)) < 1e-9, f"{fine}")
    expect(any(sample["crf"] != int(sample["crf"]) for sample in fine["samples"]), f"{fine}")
    encode = work.encode("tenths.mkv", *[argument.format(q=best) for argument in LINES["libx264"]])
    kbps = packet_bytes(encode) * 8 / 1000 / (36 * 1001 / 24000)
    expect(abs(kbps - fine["bitrate_kbps"]) < 1e-9 * kbps, f"{kbps} kbit/s, not {fine['bitrate_kbps']}")
    mean = work.score(encode)["pooled_metrics"]["vmaf"]["mean"]
    expect(abs(mean - fine["measured_vmaf"]) < 1e-9, f"{mean}, not {fine['measured_vmaf']}")

    for step, said in (("0.3", "libx264 has crf from 0 to 51 in steps of 0.1 (asked: libx264-"), ("300", "0 to 255")):
        text = work.bisect("--src", work.video, *common, "--quality-step", step, status=2)[1]
        expect(said in text, text)
    text = work.bisect("--src", work.video, *common, "--crf-min", "20.5", status=2)[1]
    expect("crf 20.5 is between the steps of this search, which are 1" in text, text)
    text = work.run("corpus", "--src", work.video, "--encoder", "libx264", "--preset", "veryfast", "--crf", "23.15",
                    "--output", work.path("rows.jsonl"), status=2)[1]
    expect("in steps of 0.1" in text and text.rstrip().endswith("not 23.15"), text)


def check_playlist(work):
    """Other segments behind the same list are another video."""
    folder = work.path("list")
    os.mkdir(folder)
    listed = ["--src", os.path.join(folder, "film.m3u8"), "--preset", "ultrafast", "--target-vmaf", "85", "--format", "json"]
    found = []
    for chain in ("null", "negate,hflip,scale=iw/2:-2,scale=2*iw:-2", "null"):
        ffmpeg("-i", work.video, "-vf", chain, "-c:v", "libx264", "-crf", "8", "-g", "12", "-hls_time", "0.5", "-hls_list_size",
               "0", "-hls_segment_filename", os.path.join(folder, "part%d.ts"), "-y", os.path.join(folder, "new.m3u8"))
        os.replace(os.path.join(folder, "new.m3u8"), os.path.join(folder, "film.m3u8"))
        found.append(json.loads(work.bisect(*listed)[0]))
    known = [[sample["cached"] for sample in result["samples"]] for result in found]
    expect(not any(known[0]) and not any(known[1]) and all(known[2]), f"{known}")
    expect(found[0]["bitrate_kbps"] == found[2]["bitrate_kbps"] != found[1]["bitrate_kbps"], "the old result")
    last = max(name for name in os.listdir(folder) if name.startswith("part"))
    os.remove(os.path.join(folder, last))
    said = work.bisect(*listed, status=2)[1]
    expect(f"{last}, which it names, does not exist" in said, said)


def check_conditions(work):
    """Several conditions at once, and pools."""
    common = ["--preset", "veryfast", "--target-vmaf", "80"]
    plain = work.search(*common)
    more = work.search(*common, "--require", "psnr_y.mean>=1", "--feature", "psnr")
    expect(more["best_crf"] == plain["best_crf"], f"scores of another set of metrics were taken: {more}")
    strict = work.search(*common, "--require", "vmaf.min>=84,psnr_y.mean>=30", "--feature", "psnr")
    expect(strict["best_crf"] < plain["best_crf"], f"{strict}")
    for sample in strict["samples"]:
        if sample["crf"] in (strict["best_crf"], strict["best_crf"] + 1):
            met = sample["scores"]["vmaf.mean"] >= 80 and sample["scores"]["vmaf.min"] >= 84 and \
                sample["scores"]["psnr_y.mean"] >= 30
            expect(met == (sample["crf"] == strict["best_crf"]), f"{sample}")
    encode = work.encode("strict.mkv", "-c:v", "libx264", "-preset", "veryfast", "-crf", str(strict["best_crf"]))
    pooled = work.score(encode, "--feature", "psnr")["pooled_metrics"]
    scores = next(s["scores"] for s in strict["samples"] if s["crf"] == strict["best_crf"])
    expect(abs(pooled["vmaf"]["min"] - scores["vmaf.min"]) < 1e-9, f"{pooled['vmaf']} {scores}")
    expect(abs(pooled["psnr_y"]["mean"] - scores["psnr_y.mean"]) < 1e-9, f"{pooled['psnr_y']} {scores}")
    low = work.search("--preset", "veryfast", "--target-vmaf", "84", "--pool", "min")
    expect(low["conditions"] == ["vmaf.min>=84"] and low["best_crf"] == strict["best_crf"], f"{low}\n{strict}")

    # Conditions alone: no other one holds, and the features that they need are there.
    alone = work.search("--preset", "veryfast", "--require", "psnr_y.mean>=30,ssimulacra2.mean>=40")
    expect(alone["target_vmaf"] is None and alone["conditions"] == ["psnr_y.mean>=30", "ssimulacra2.mean>=40"], f"{alone}")
    for q, met in ((alone["best_crf"], True), (alone["best_crf"] + 1, False)):
        encode = work.encode("alone.mkv", "-c:v", "libx264", "-preset", "veryfast", "-crf", str(q))
        pooled = work.score(encode, "--feature", "psnr", "--feature", "ssimulacra2")["pooled_metrics"]
        expect((pooled["psnr_y"]["mean"] >= 30 and pooled["ssimulacra2"]["mean"] >= 40) == met, f"{q}: {pooled}")
    expect(alone["measured_vmaf"] < 92, f"the default would have held as well: {alone}")

    # Threads decide about the bytes of some encoders, so what was measured with others is not known.
    threads = [work.search(*common, "--ffmpeg-threads", n)["samples"] for n in ("1", "2", "2")]
    known = [[sample["cached"] for sample in samples] for samples in threads]
    expect(not any(known[0]) and not any(known[1]) and all(known[2]), f"{known}")

    check_playlist(work)

    # Sizes: half of what the answer takes is too little.
    source_kbps = packet_bytes(work.video) * 8 / 1000 / (36 * 1001 / 24000)
    percent = 50 * plain["bitrate_kbps"] / source_kbps
    _, said = work.bisect("--src", work.video, *common, "--max-encoded-percent", str(percent), status=1)
    expect("bitrate" in said or "kbit/s" in said, said)
    for share, status in ((1.0001, 0), (0.9999, 1)):  # the limit is that of the source's bitrate, and no other
        limited = work.search(*common, "--max-encoded-percent", str(2 * share * percent), status=status)
        expect(limited["ok"] == (status == 0), f"{share}: {limited}")
        expect(not limited["ok"] or limited["best_crf"] == plain["best_crf"], f"{limited}")


def check_sources(work):
    """The same frames in other files, and parts of them."""
    common = ["--preset", "veryfast", "--target-vmaf", "85", "--format", "json"]
    of_container = work.search(*common)
    y4m, raw = (work.path(name) for name in ("source.y4m", "source.yuv"))
    ffmpeg("-i", work.video, y4m)
    ffmpeg("-i", work.video, "-f", "rawvideo", raw)
    told = ["--width", "160", "--height", "96", "--framerate", "23.976"]
    for arguments in (["--src", y4m], ["--source", raw, *told], ["--src", y4m, "--memory", "0"]):
        found = json.loads(work.bisect(*arguments, *common, "--no-cache")[0])
        for key in ("best_crf", "measured_vmaf"):
            expect(found[key] == of_container[key], f"{arguments}: {key} is {found[key]}, not {of_container[key]}")
    work.bisect("--src", y4m, "--width", "320", *common, status=2)
    work.bisect("--src", raw, *common, status=2)
    work.bisect("--src", raw, "--width", "160", "--height", "100", *common, status=2)

    # Two windows of 6 frames: the same frames, encoded and scored by hand.
    seconds = str(12 * 1001 / 24000)
    part = work.search("--preset", "veryfast", "--target-vmaf", "85", "--sample-clip-seconds", seconds,
                       "--sample-windows", "2")
    expect(part["clip_mode"].startswith("sample_"), f"{part}")
    clip = work.path("clip.y4m")
    ffmpeg("-i", work.video, "-vf", "select='between(n,6,11)+between(n,24,29)',setpts=N/FRAME_RATE/TB", "-r", RATE, clip)
    of_clip = json.loads(work.bisect("--src", clip, *common)[0])
    windows = ["--sample-clip-seconds", seconds, "--sample-windows", "2"]
    parts = [part] + [json.loads(work.bisect(*arguments, *common, *windows)[0])
                      for arguments in (["--src", y4m], ["--src", raw, *told])]
    for found in parts:
        for key in ("best_crf", "measured_vmaf", "bitrate_kbps"):
            expect(abs(of_clip[key] - found[key]) < 1e-9 * abs(found[key]),
                   f"{key} of windows is {found[key]}, not {of_clip[key]}")


def fail_in_time(work, what, *arguments):
    """It says this in the end; steps that are not ended need longer on a busy machine."""
    limit, said = 1, ""
    while what not in said:
        expect(limit < 3600, f"{what} is missing: {said}")
        said = work.bisect(*arguments, "--step-timeout", str(limit), status=1)[1]
        limit *= 4


def check_program(work):
    """Scores by the vmaf program itself, and by programs that are none."""
    common = ["--preset", "veryfast", "--target-vmaf", "85"]
    here = work.search(*common)
    there = work.search(*common, "--vmaf-bin", work.vmaf)
    expect(not any(s["score_time_ms"] == t["score_time_ms"] for s in here["samples"] for t in there["samples"]),
           f"scores of this program were taken: {there}")
    expect(there["best_crf"] == here["best_crf"] and there["n_iterations"] == here["n_iterations"], f"{there}\n{here}")
    for one, other in zip(here["samples"], there["samples"]):
        expect(abs(one["vmaf"] - other["vmaf"]) < 2e-6, f"{other}, not {one}")  # reports have six digits
    expect(there["score_backend"] == "cpu", f"{there}")
    expect(all(sample["cached"] for sample in work.search(*common, "--vmaf-bin", work.vmaf)["samples"]), "not cached")
    left = [name for _, folders, files in os.walk(work.folder) for name in folders + files if name.endswith((".part", ".y4m"))]
    expect(not left, f"left behind: {left}")

    # Windows, 10 bits without full planes of chroma, and further metrics.
    deep = work.path("deep.mkv")
    ffmpeg("-i", work.video, "-pix_fmt", "yuv422p10le", "-c:v", "ffv1", deep)
    more = ["--src", deep, *common, "--format", "json", "--feature", "psnr", "--require", "psnr_cb.mean>=20",
            "--sample-clip-seconds", "0.5", "--no-cache", "--extra", "-pix_fmt", "--extra", "yuv422p10le"]
    here, there = (json.loads(work.bisect(*more, *program)[0]) for program in ([], ["--vmaf-bin", work.vmaf]))
    for one, other in zip(here["samples"], there["samples"]):
        for key in ("vmaf.mean", "psnr_cb.mean"):
            expect(abs(one["scores"][key] - other["scores"][key]) < 2e-6, f"{other}, not {one}")

    src = ["--src", work.video, *common, "--no-cache"]
    work.bisect(*src, "--vmaf-bin", "/nonexistent", status=2)
    work.bisect(*src, "--vmaf-bin", "false", status=2)
    _, said = work.bisect(*src, "--vmaf-bin", work.vmaf, "--vmaf-model", "vmaf_9", status=1)
    expect("vmaf_9" in said, said)
    _, said = work.bisect(*src, "--vmaf-bin", work.vmaf, "--score-backend", "metal", status=100)
    expect("metal" in said, said)
    no_scores = json.dumps({"frames": [{"metrics": {"vmaf": 90}}] * 35 + [{"metrics": {"psnr_y": 40}}]})
    for text, what in (("exit 0", "left no report"), ("kill -9 $$", "SIGKILL"), ("sleep 98762", "said nothing"),
                       ("while [ \"$1\" != --output ]; do shift; done; echo '{\"frames\": []}' >\"$2\"", "36 frames"),
                       (f"while [ \"$1\" != --output ]; do shift; done; echo '{no_scores}' >\"$2\"", "36 frames")):
        script = work.script("scorer", f"case $1 in --version) echo 1.0; exit;; esac\n{text}\n")
        fail_in_time(work, what, *src, "--vmaf-bin", script)


def check_status(work):
    src = ["--src", work.video]
    missing = next(name for name in ("h264_amf", "h264_videotoolbox") if name not in encoders())
    for arguments in ([], ["--src", "/nonexistent.mkv"], [*src, "--encoder", "libx266"], [*src, "--preset", "fastest"],
                      [*src, "--encoder", missing],
                      [*src, "--crf-min", "30", "--crf-max", "20"], [*src, "--crf-max", "60"], [*src, "--vmaf-model", "vmaf_9"],
                      [*src, "--require", "vmaf>=3"], [*src, "--nonsense"], [*src, "word"], [*src, "--ffmpeg-bin", "/nonexistent"],
                      [*src, "--force-sdr", "--force-hdr-pq"], [*src, "--keep-encodes"], [*src, "--feature", "nothing"], [*src, "--target-vmaf", "100.5"],
                      [*src, "--require", "vmaf.p1>=101"], [*src, "--require", "vmaf.mean<=80"] + ["--target-vmaf", "90"],
                      [*src, "--require", "psnr.mean>=30"]):
        _, said = work.bisect(*arguments, status=2)
        expect(said.startswith("vmaf-tune bisect: ") and said.count("\n") == 1, f"{arguments}: {said}")
    _, said = work.bisect(*src, "--score-backend", "nothing", status=100)
    expect("nothing" in said, said)
    _, said = work.bisect(*src, "--extra", "-nonsense", "--extra", "1", status=1)
    expect("nonsense" in said, said)

    # Encodes that are shorter than the source.
    script = work.script("short-ffmpeg", 'case "$*" in *a?source*) exec ffmpeg -t 0.4 "$@";; *) exec ffmpeg "$@";; esac\n')
    shorter = ["--preset", "veryfast", "--target-vmaf", "80", "--ffmpeg-bin", script, "--no-cache"]
    _, said = work.bisect(*src, *shorter, status=1)
    expect("frame_count_mismatch" in said and "10 frames" in said, said)
    expect(work.search(*shorter, "--allow-frame-mismatch")["ok"], "a shorter encode is refused")

    # A source without frames, and one that is none.
    work.bisect("--src", work.write("empty.yuv", ""), "--width", "16", "--height", "16", status=2)
    work.bisect("--src", work.write("text.mkv", "no video\n" * 100), status=2)

    # A disk that is full.
    if os.path.exists("/dev/full"):
        _, said = work.bisect(*src, "--preset", "veryfast", "-o", "/dev/full", "-q", status=1)
        expect("/dev/full" in said, said)

    # An encoder that hangs.
    script = work.script("ffmpeg", 'case "$*" in *libx264*a?source*|*a?source*libx264*) sleep 98761;; *) exec ffmpeg "$@";; esac\n')
    fail_in_time(work, "progress", *src, "--ffmpeg-bin", script, "--no-cache")
    expect(subprocess.run(["pgrep", "-f", "sleep 98761"], check=False, capture_output=True).returncode, "a child is left")


def documents(cache):
    """Those that are complete."""
    meta = os.path.join(cache, "meta")
    names = os.listdir(meta) if os.path.isdir(meta) else []
    return [os.path.join(meta, name) for name in names if re.fullmatch(r"[0-9a-f]{64}\.json", name)]


def interrupt(work, number, cache):
    """The status of a search that receives a signal while it makes its third encode."""
    begun, hold = work.write("begun", ""), work.write("hold", "")
    slow = work.script("slow-ffmpeg", f"""
case " $* " in
*" -f null "*) ;;
*" -crf "*)
    echo >>'{begun}'
    while [ -e '{hold}' ] && [ "$(wc -l <'{begun}')" -ge 3 ]; do sleep 0.02; done
    ;;
esac
exec ffmpeg "$@"
""")
    with work.start("bisect", "--src", work.video, "--preset", "veryfast", "--format", "json",
                    "--target-vmaf", "85", "--cache-dir", cache, "--ffmpeg-bin", slow, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and len(work.text("begun")) < 3:
            time.sleep(0.005)
        process.send_signal(number)
        process.communicate()
    os.remove(hold)
    return process.returncode


def check_interruption(work):
    """Whoever is killed has lost one encode; whoever is interrupted says so with 130."""
    common = ("--preset", "veryfast", "--target-vmaf", "85")
    anew = work.search(*common, "--no-cache")
    for number, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130), (signal.SIGTERM, 130)):
        cache = work.path(f"cache {number}")
        ended = interrupt(work, number, cache)
        expect(ended == status, f"{ended}, not {status}")
        expect(documents(cache), "nothing was kept")
        found = work.search(*common, "--cache-dir", cache)
        expect(sum(sample["cached"] for sample in found["samples"]) == 2, f"other than two were kept: {found}")
        for key in ("best_crf", "measured_vmaf", "bitrate_kbps", "n_iterations"):
            expect(found[key] == anew[key], f"{key}: {found[key]} and {anew[key]}")
        for path in documents(cache):
            work.load(path)


def check_backend(work, backend, folder):
    """A device that computes the same makes the same decisions."""
    common = ["--preset", "veryfast", "--target-vmaf", "85", "--crf-min", "20", "--crf-max", "27", "--no-cache"]
    work.environment.update(VMAF_BACKEND_PATH=folder, VMAF_BACKEND_PROBE="inprocess")
    probe = subprocess.run([work.vmaf, work.video, work.video, "--backend", backend, "-q"], capture_output=True,
                           check=False, env=work.environment)
    if probe.returncode == 100:
        skip(f"{backend} is not available: {probe.stderr.decode()}")
    ffmpeg("-i", work.video, "-frames:v", "8", "-c:v", "copy", work.path("short.mkv"))
    work.video = work.path("short.mkv")
    on_device, on_cpu = (work.search(*common, "--score-backend", name) for name in (backend, "cpu"))
    expect(on_device["score_backend"] == backend and on_cpu["score_backend"] == "cpu", f"{on_device}")
    for key in ("best_crf", "measured_vmaf", "bitrate_kbps", "n_iterations"):
        expect(on_device[key] == on_cpu[key], f"{key}: {on_device[key]} on {backend}, {on_cpu[key]} on the processor")


def check_lost(work, backend, folder):
    """A device that is lost, or is not there, is not replaced where it was named; where it was not, it is."""
    common = ["--src", work.video, "--preset", "veryfast", "--target-vmaf", "85", "--no-cache"]
    variable = f"VMAF_EMULATED_{backend.upper()}_FAULTS"
    work.environment.update(VMAF_BACKEND_PATH=folder, VMAF_BACKEND_PROBE="inprocess")
    expected = work.search("--preset", "veryfast", "--target-vmaf", "85", "--score-backend", "cpu")
    for fault, said in (("no-device", "is not available"), ("lose launch 60", "was lost")):
        faulty = {variable: fault}
        out, err = work.bisect(*common, "--format", "json", "--score-backend", backend, status=100, **faulty)
        expect(backend in err and said in err, f"{fault}: {err}")
        expect(not out or not json.loads(out)["ok"], f"{fault}: {out}")
        found = work.search("--preset", "veryfast", "--target-vmaf", "85", "--no-cache", **faulty)
        for key in ("best_crf", "measured_vmaf"):
            expect(found[key] == expected[key], f"{fault}: {key} is {found[key]}, not {expected[key]}")


SUBJECTS = {"results": check_results, "steps": check_steps, "conditions": check_conditions, "sources": check_sources, "status": check_status,
            "program": check_program, "interruption": check_interruption, "backend": check_backend, "lost": check_lost,
            **{encoder: (lambda work, name=encoder: check_encoder(work, name)) for encoder in LINES}}
main(SUBJECTS, place=Work)
