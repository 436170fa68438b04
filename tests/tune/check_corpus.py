#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Subcommands that encode grids and stored results, with a real ffmpeg: check_corpus.py SUBJECT VMAF_TUNE VMAF"""
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

from tune_program import close, encoders, expect, fail, ffmpeg, main, make_clip, need_encoder, packet_bytes, probe

RATE = 24
# What differs between two runs that do the same.
OF_A_RUN = {"run_id", "timestamp", "encode_time_ms", "score_time_ms", "encode_speed_fps", "score_speed_fps", "cached"}


def make_film(tune):
    """Two shots of 24 and 36 frames, two tracks of sound, subtitles and chapters."""
    tune.write("words.srt", "1\n00:00:00,000 --> 00:00:01,000\nWords\n")
    tune.write("chapters", ";FFMETADATA1\n" + "".join(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}\n"
                                                     for title, start, end in (("one", 0, 1000), ("two", 1000, 2500))))
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=192x108:rate={RATE}:duration=1",
           "-f", "lavfi", "-i", f"mandelbrot=size=192x108:rate={RATE}",
           "-f", "lavfi", "-i", "sine=duration=2.5", "-f", "lavfi", "-i", "sine=frequency=700:duration=2.5",
           "-i", tune.path("words.srt"), "-i", tune.path("chapters"),
           "-filter_complex", "[0:v]format=yuv420p[a];[1:v]trim=end_frame=36,format=yuv420p[b];"
           "[a][b]concat,noise=alls=8:allf=t:all_seed=1[v]",
           "-map", "[v]", "-map", "2", "-map", "3", "-map", "4", "-map_metadata", "5", "-map_chapters", "5",
           "-c:v", "ffv1", "-c:a", "flac", "-c:s", "srt", tune.path("film.mkv"))


def lasting(rows):
    """Rows without what differs from run to run, in an order of their own."""
    kept = [{key: value for key, value in row.items() if key not in OF_A_RUN} for row in rows]
    return sorted(kept, key=lambda row: (row["encoder"], row["preset"], row["crf"]))


def cells(rows):
    return sorted((row["encoder"], row["preset"], row["crf"]) for row in rows)


def scores_of(tune, encode):
    """Those of each frame, by the program vmaf."""
    return [frame["metrics"] for frame in tune.report("film.mkv", encode)["frames"]]


# -- subjects --


def x264_statistics(tune, crf, preset):
    """Of each frame, from a log that another run of ffmpeg writes."""
    log = tune.path(f"log{crf}")
    ffmpeg("-i", tune.path("film.mkv"), "-map", "0:v:0", "-c:v", "libx264", "-preset", preset, "-crf", str(crf),
           "-pass", "1", "-fastfirstpass", "0", "-passlogfile", log, tune.path("log.mkv"))
    return [dict(word.rstrip(";").split(":", 1) for word in line.split() if ":" in word)
            for line in tune.text(log + "-0.log").splitlines() if line.startswith("in:")]


def check_statistics(tune, row):
    frames = x264_statistics(tune, row["crf"], row["preset"])
    qps = [float(frame["q"]) for frame in frames]
    blocks = {name: sum(int(frame[name]) for frame in frames) for name in ("imb", "pmb", "smb")}
    bits = [sum(int(frame[name]) for name in ("tex", "mv", "misc")) for frame in frames]
    for key, value in (("qp_mean", statistics.fmean(qps)), ("qp_std", statistics.pstdev(qps)),
                       ("bits_mean", statistics.fmean(bits)), ("bits_std", statistics.pstdev(bits)),
                       ("intra_ratio", blocks["imb"] / sum(blocks.values())),
                       ("skip_ratio", blocks["smb"] / sum(blocks.values()))):
        got = row[f"enc_internal_{key}"]
        expect(close(got, value), f"{key} of crf {row['crf']} is {got} instead of {value}")


def check_row(tune, row):
    """Everything that can be known otherwise."""
    size = packet_bytes(row["encode_path"])
    frames = scores_of(tune, row["encode_path"])
    vmaf = [frame["vmaf"] for frame in frames]
    expected = {
        "schema_version": 4, "width": 192, "height": 108, "pix_fmt": "yuv420p", "framerate": 24.0, "fps_num": 24,
        "fps_den": 1, "duration_s": 2.5, "frames": 60, "score_frames": 60, "clip_mode": "full", "pool": "mean",
        "vmaf_model": "vmaf_v0.6.1", "model_calibrated": True, "hdr_transfer": "", "hdr_primaries": "",
        "hdr_forced": False, "rate_control": "crf", "exit_status": 0, "error": None, "score_backend": "cpu",
        "adapter_version": 1, "extra_params": [], "shot_count": 2, "encode_size_bytes": os.path.getsize(row["encode_path"]),
        "stream_size_bytes": size, "src": "film.mkv",
    }
    for key, value in expected.items():
        expect(row[key] == value, f"{key} is {row[key]} instead of {value}")
    expect(close(row["shot_avg_duration_sec"], 1.25) and close(row["shot_duration_std_sec"], 0.25), "lengths of shots")
    expect(close(row["bitrate_kbps"], size * 8 / 1000 / 2.5), "bitrate")
    # The program prints six digits of the scores of frames.
    expect(abs(row["vmaf_score"] - statistics.fmean(vmaf)) < 1e-6, "vmaf_score differs from that of vmaf")
    for name in ("adm2", "motion2", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"):
        values = [frame[f"integer_{name}"] for frame in frames]
        expect(abs(row[f"{name}_mean"] - statistics.fmean(values)) < 1e-6, f"{name}_mean")
        expect(abs(row[f"{name}_std"] - statistics.pstdev(values)) < 1e-5, f"{name}_std")
    feature = row["features"]["vmaf"]
    expect(abs(feature["min"] - min(vmaf)) < 1e-5 and abs(feature["max"] - max(vmaf)) < 1e-5, "extremes of features")
    expect(abs(feature["std"] - statistics.pstdev(vmaf)) < 1e-5, "std of features")
    expect(abs(feature["p1"] - statistics.quantiles(vmaf, n=100, method="inclusive")[0]) < 1e-5, "p1 of features")
    for time_key, speed, count in (("encode_time_ms", "encode_speed_fps", "frames"),
                                   ("score_time_ms", "score_speed_fps", "score_frames")):
        expect(row[time_key] > 0 and close(row[speed], row[count] * 1000 / row[time_key]), speed)
    expect(len(row["run_id"]) == 32 and row["timestamp"].endswith("Z") and len(row["src_sha256"]) == 64, "identities")


def columns(tune):
    """All columns of a grid of two encoders."""
    need_encoder("libx265")
    make_film(tune)
    tune.run("corpus", "--src", "film.mkv", "--encoder", "libx264,libx265", "--preset", "superfast", "--crf", "24,34",
             "--encoder-stats", "--keep-encodes", "--encode-dir", tune.folder, "-o", "a.jsonl")
    rows = tune.rows("a.jsonl")
    expect(cells(rows) == [(encoder, "superfast", q) for encoder in ("libx264", "libx265") for q in (24, 34)],
           f"cells {cells(rows)}")
    expect(len({row["run_id"] for row in rows}) == 4, "run_id is not different in each row")
    for row in rows:
        check_row(tune, row)
        version = "libx264-" if row["encoder"] == "libx264" else "libx265-"
        expect(row["encoder_version"].startswith(version), f"encoder_version {row['encoder_version']}")
        expect(row["enc_internal_bits_mean"] > 0, "no statistics of an encoder")
        if row["encoder"] == "libx264":
            check_statistics(tune, row)


def variants(tune):
    """Options that change rows: samples, pooling, HDR, two passes, extra arguments, several sources."""
    need_encoder("libx265")
    make_film(tune)
    common = ["corpus", "--preset", "ultrafast", "--crf", "30"]

    def only(*arguments):
        tune.run(*common, *arguments, "--overwrite", "-o", "v.jsonl")
        rows = tune.rows("v.jsonl")
        expect(len(rows) == 1, f"{arguments}: {len(rows)} rows")
        return rows[0]

    whole = only("--src", "film.mkv")
    expect(whole["enc_internal_qp_mean"] is None, "statistics that nobody asked for")
    row = only("--src", "film.mkv", "--sample-clip-seconds", "1")
    expect((row["clip_mode"], row["frames"], row["duration_s"], row["shot_count"]) == ("sample_1s", 24, 2.5, 2), "sample")
    row = only("--src", "film.mkv", "--sample-clip-seconds", "1", "--sample-windows", "2")
    expect(row["clip_mode"] not in ("sample_1s", "full") and row["frames"] == 24, "windows of samples")
    row = only("--src", "film.mkv", "--pool", "min")
    expect(row["pool"] == "min" and row["vmaf_score"] == whole["features"]["vmaf"]["min"], "pool")
    row = only("--src", "film.mkv", "--two-pass")
    expect(row["rate_control"] == "crf2pass" and row["bitrate_kbps"] != whole["bitrate_kbps"], "two passes")
    row = only("--src", "film.mkv", "--extra", "-tune", "--extra", "psnr")
    expect(row["extra_params"] == ["-tune", "psnr"], "extra_params")
    row = only("--src", "film.mkv", "--no-source-hash")
    expect(row["src_sha256"] == "" and row["cached"] is False, "no hash")
    row = only("--src", "film.mkv", "--force-hdr-pq", "--encoder", "libx265")
    expect((row["hdr_transfer"], row["hdr_primaries"], row["hdr_forced"], row["model_calibrated"]) ==
           ("pq", "bt2020", True, False), "HDR")
    expect("smpte2084" in row["extra_params"] and any("hdr10-opt" in word for word in row["extra_params"]),
           f"arguments of HDR: {row['extra_params']}")

    # What was measured before comes from the cache, with the times of then.
    again = only("--src", "film.mkv")
    expect(again["cached"] is True and again["encode_time_ms"] == whole["encode_time_ms"], "cache")
    expect(lasting([again]) == lasting([whole]), "a row of the cache differs")

    shutil.copy(tune.path("film.mkv"), tune.path("other.mkv"))
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=192x108:rate=24:duration=1", "-c:v", "ffv1", tune.path("third.mkv"))
    tune.run(*common, "--src", "film.mkv", "--source", "third.mkv", "--crf", "30,31", "-o", "two.jsonl")
    expect([row["src"] for row in tune.rows("two.jsonl")].count("third.mkv") == 2, "two sources")
    text, _ = tune.run(*common, "--src", "third.mkv", "-o", "-")
    expect(json.loads(text)["src"] == "third.mkv", "rows on standard output")
    text, _ = tune.run(*common, "--src", "third.mkv", "--dry-run", "--no-cache", "-o", "dry.jsonl")
    expect("-crf 30" in text and not os.path.exists(tune.path("dry.jsonl")), "dry run")


def coarse(tune):
    """Coarse to fine, also where higher values are better."""
    make_clip(tune.path("film.mkv"), size="96x64", frames=12)

    def measured(name, *arguments):
        tune.run("corpus", "--src", "film.mkv", "--preset", "ultrafast", "--coarse-to-fine", *arguments, "-o", name)
        return {row["crf"]: row["vmaf_score"] for row in tune.rows(name)}

    everything = {}
    tune.run("corpus", "--src", "film.mkv", "--preset", "ultrafast", "--crf", ",".join(map(str, range(5, 52))),
             "-o", "all.jsonl", "--jobs", "2")
    for row in tune.rows("all.jsonl"):
        everything[row["crf"]] = row["vmaf_score"]
    for target in (97.0, 88.0, 60.0):
        scores = measured(f"t{target}.jsonl", "--target-vmaf", str(target))
        grid = {10, 20, 30, 40, 50}
        best = max(q for q in grid if scores[q] >= target)
        fine = {q for q in range(best - 5, best + 6) if 0 <= q <= 51} - grid
        answer = max(q for q in scores if scores[q] >= target)
        right = min(q for q in everything if everything[q] < target) - 1
        expect(grid | fine <= set(scores), f"target {target}: {sorted(scores)}")
        expect(set(scores) - grid - fine <= set(range(best + 6, best + 10)), f"target {target}: {sorted(scores)}")
        expect(answer >= right and scores[answer] >= target, f"target {target}: {answer}, and {right} is right")
        expect(all(scores[q] == everything[q] for q in scores), "scores differ")
    scores = measured("none.jsonl")
    expect(set(scores) == {10, 20, 30, 40, 50} | set(range(5, 16)), f"without target: {sorted(scores)}")
    scores = measured("easy.jsonl", "--target-vmaf", "1")
    expect(set(scores) == {10, 20, 30, 40, 50}, f"a target that all reach: {sorted(scores)}")

    # Of two presets, each has its own best: one reaches the target where the other does not.
    grid = ("corpus", "--src", "film.mkv", "--preset", "veryfast")
    tune.run(*grid, "--crf", "30", "-o", "one.jsonl")
    between = str((tune.rows("one.jsonl")[0]["vmaf_score"] + everything[30]) / 2)
    tune.run(*grid, "--coarse-to-fine", "--target-vmaf", between, "-o", "alone.jsonl")
    alone = measured("first.jsonl", "--target-vmaf", between)
    tune.run(*grid, "--preset", "ultrafast", "--coarse-to-fine", "--target-vmaf", between, "-o", "both.jsonl")
    wanted = sorted([("libx264", "ultrafast", q) for q in alone] + cells(tune.rows("alone.jsonl")))
    expect(cells(tune.rows("both.jsonl")) == wanted, f"{cells(tune.rows('both.jsonl'))}, not {wanted}")

    # The same curve behind a knob that goes the other way.
    tune.write("encoders.json", json.dumps({"format": 1, "encoders": [{
        "name": "libx264", "codec": "h264", "row_version": "7", "installed_by": "ffmpeg",
        "knob": {"name": "level", "lowest": 0, "highest": 51, "default": 20, "better": "high",
                 "values": [str(51 - level) for level in range(52)]},
        "presets": {"ultrafast": "ultrafast"}, "default_preset": "ultrafast", "probe": None,
        "arguments": ["-c:v", "{encoder}", "-preset", "{preset}"], "quality": ["-crf", "{value}"],
        "version": {"behind": ["264 - core "], "prefix": "libx264-"}}]}))
    scores = measured("high.jsonl", "--target-vmaf", "88", "--adapters", "encoders.json")
    straight = {row["crf"]: row["vmaf_score"] for row in tune.rows("t88.0.jsonl")}
    expect({51 - level: score for level, score in scores.items()} == straight, f"levels {sorted(scores)}")
    expect(all(row["adapter_version"] == 7 for row in tune.rows("high.jsonl")), "adapter_version")


def wait_for(condition, process, what):
    while not condition():
        if process.poll() is not None:
            fail(f"the program ended before {what}: {process.stderr.read()}")
        time.sleep(0.02)


def holding(tune):
    """An ffmpeg that waits before it encodes crf 32, as long as there is a file `hold`."""
    hold = tune.write("hold", "")
    return hold, tune.script("slow-ffmpeg", f"""
case " $* " in *" -crf 32 "*) : > '{tune.path("waiting")}'; while [ -e '{hold}' ]; do sleep 0.05; done;; esac
exec ffmpeg "$@"
""")


def resume(tune):
    """Killed, interrupted or failed: the file that results is the same."""
    make_clip(tune.path("film.mkv"), size="96x64", frames=12)
    grid = ["corpus", "--src", "film.mkv", "--preset", "ultrafast,superfast", "--crf", "24,28,32,36"]
    tune.run(*grid, "-o", "whole.jsonl", "--no-cache")
    whole = lasting(tune.rows("whole.jsonl"))
    expect(len(whole) == 8, "8 cells")
    for number, cache in ((signal.SIGKILL, []), (signal.SIGKILL, ["--no-cache"]), (signal.SIGINT, ["--no-cache"])):
        shutil.rmtree(tune.path("cache"), ignore_errors=True)
        for left in ("part.jsonl", "waiting"):
            if os.path.exists(tune.path(left)):
                os.remove(tune.path(left))
        hold, slow = holding(tune)
        run = [*grid, "-o", "part.jsonl", *cache]
        process = tune.start(*run, "--ffmpeg-bin", slow, stdout=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(tune.path("waiting")), process, "it waited")
        process.send_signal(number)
        said = process.communicate()[1]
        expected = 130 if number == signal.SIGINT else -number
        expect(process.returncode == expected, f"status {process.returncode} after {number}: {said}")
        os.remove(hold)
        part = tune.rows("part.jsonl")
        expect(cells(part) == [("libx264", "ultrafast", 24), ("libx264", "ultrafast", 28)], f"kept {cells(part)}")
        if number == signal.SIGKILL and not cache:  # in the middle of a line
            with open(tune.path("part.jsonl"), "a", encoding="utf-8") as file:
                file.write('{"adapter_version": 1, "bitra')
        tune.run(*run, "--resume")
        expect("2 there already" in tune.said and "6 encodes measured" in tune.said, tune.said)
        rows = tune.rows("part.jsonl")
        expect(rows[:2] == part, "rows that were there have changed")
        expect(lasting(rows) == whole, f"rows differ after signal {number}")
        text = tune.text("part.jsonl")
        tune.run(*run, "--resume")
        expect(tune.text("part.jsonl") == text, "resumed though all was there")
    # Another cell: one that differs in one thing.
    for more in (["--extra", "-tune", "--extra", "psnr"], ["--pool", "min"], ["--sample-clip-seconds", "0.5"],
                 ["--vmaf-model", "vmaf_v0.6.1neg"], ["--two-pass"]):
        tune.run(*grid, "-o", "part.jsonl", "--resume", "--crf", "24", *more)
        expect(" 0 there already" in tune.said, f"{more}: {tune.said}")
    tune.run(*grid, "-o", "part.jsonl", status=2)
    expect("--resume" in tune.said, tune.said)

    tune.write("empty.jsonl", "")
    for name in ("empty.jsonl", "new.jsonl"):
        tune.run(*grid, "-o", name, "--resume")
        expect(lasting(tune.rows(name)) == whole, f"rows of {name}")

    # Coarse to fine needs the scores of rows that are there.
    search = ["corpus", "--src", "film.mkv", "--preset", "ultrafast", "--coarse-to-fine", "--target-vmaf", "88",
              "--no-cache"]
    tune.run(*search, "-o", "search.jsonl")
    rows = tune.rows("search.jsonl")
    tune.write("search.jsonl", "".join(tune.text("search.jsonl").splitlines(True)[:7]))
    tune.run(*search, "-o", "search.jsonl", "--resume", "--jobs", "2")
    expect(lasting(tune.rows("search.jsonl")) == lasting(rows), "a resumed search differs")


def failures(tune):
    """An encoder that fails, or is missing, stops no other."""
    need_encoder("libx265")
    make_film(tune)
    broken = tune.script("broken-ffmpeg", """
case " $* " in *"libx265"*" -crf 34 "*) echo '[error] it burns' >&2; exit 3;; esac
exec ffmpeg "$@"
""")
    grid = ["corpus", "--src", "film.mkv", "--preset", "ultrafast", "--encoder", "libx265,libvvenc,libx264",
            "--crf", "30,34", "-o", "f.jsonl", "--resume"]
    vvenc = "libvvenc" in encoders()
    if vvenc:
        grid[grid.index("libx265,libvvenc,libx264")] = "libx265,libx264"
    tune.run(*grid, "--ffmpeg-bin", broken)
    rows = tune.rows("f.jsonl")
    bad = [row for row in rows if row["exit_status"] != 0]
    expect(len(rows) == 4 and len(bad) == 1, f"{len(rows)} rows, {len(bad)} failed")
    expect(bad[0]["crf"] == 34 and bad[0]["encoder"] == "libx265" and bad[0]["exit_status"] == 3, "which failed")
    expect("it burns" in bad[0]["error"] and bad[0]["vmaf_score"] is None and bad[0]["bitrate_kbps"] is None, "error")
    expect(vvenc or "libvvenc is left out" in tune.said, tune.said)
    tune.run(*grid)
    rows = tune.rows("f.jsonl")
    expect(len(rows) == 5 and rows[4]["exit_status"] == 0 and rows[4]["crf"] == 34, "a failed cell was not made again")
    always = tune.script("no-ffmpeg", """
case " $* " in *matroska*|*.mkv*) exit 4;; esac
exec ffmpeg "$@"
""")
    tune.run("corpus", "--src", "film.mkv", "--crf", "30", "-o", "g.jsonl", "--ffmpeg-bin", always, "--no-cache", status=1)
    expect(tune.rows("g.jsonl")[0]["exit_status"] == 4, "a failed row is not in the file")
    usage = (["--crf", "52"], ["--crf", "30", "--preset", "x"], [], ["--crf", "30", "--coarse-to-fine"],
             ["--crf", "30", "--encoder", "libx26"], ["--crf", "30", "--resume", "--overwrite"],
             ["--crf", "30", "--extra", "-vf", "--extra", "null"], ["--crf", "30", "--ffmpeg-bin", "/nowhere/ffmpeg"])
    for more in usage:
        tune.run("corpus", "--src", "film.mkv", "-o", "u.jsonl", *more, status=2)
        expect(not os.path.exists(tune.path("u.jsonl")) or os.path.getsize(tune.path("u.jsonl")) == 0, f"{more}")
    tune.run("corpus", "--src", "nothing.mkv", "--crf", "30", "-o", "u.jsonl", status=2)
    elsewhere = "cuda" if sys.platform == "darwin" else "metal"
    tune.run("corpus", "--src", "film.mkv", "--crf", "30", "-o", "u2.jsonl", "--score-backend", elsewhere, "--no-cache",
             "--preset", "ultrafast", status=100)


def recommend(tune):
    """Of a video the strongest compression that passes, of rows the cheapest."""
    make_clip(tune.path("film.mkv"), size="96x64", frames=12)

    tune.run("corpus", "--src", "film.mkv", "--preset", "ultrafast", "--crf", ",".join(map(str, range(5, 52))), "-o",
             "made.jsonl", "--jobs", "2")
    everything = tune.rows("made.jsonl")
    near_kbps = min(everything, key=lambda row: abs(row["bitrate_kbps"] - 300))
    text, _ = tune.run("recommend", "--from-corpus", "made.jsonl", "--target-bitrate", "300")
    expect(text.startswith(f"crf={near_kbps['crf']} "), f"{text} {near_kbps['crf']}")
    one = ["recommend", "--src", "film.mkv", "--preset", "ultrafast"]
    for target in (90.0, 75.0):
        line = tune.run(*one, "--target-vmaf", str(target))[0]
        right = max((row for row in everything if row["vmaf_score"] >= target), key=lambda row: row["crf"])
        begin = f"src=film.mkv preset=ultrafast crf={right['crf']} vmaf={right['vmaf_score']:.3f} (visited "
        expect(line.startswith(begin) and line.endswith(" encodes)\n"), f"{line}\n{begin}")
        expect(2 <= int(line.split()[-2]) <= 8, line)
    row = tune.json(*one, "--target-vmaf", "75", "--json")
    expect(row["status"] == "OK" and row["predicate"] == "target_vmaf>=75" and
           close(row["margin"], row["vmaf_score"] - 75), "JSON")
    expect(lasting([row])[0].items() >= {key: value for key, value in lasting([right])[0].items()
                                         if not key.startswith("shot_") and value is not None}.items(), "another row")
    tune.run(*one, "--target-vmaf", "100", "--crf-min", "20", "--crf-max", "22", status=1)
    expect("100" in tune.said, tune.said)
    row = tune.json(*one, "--target-vmaf", "100", "--crf-min", "20", "--crf-max", "22", "--json", status=1)
    expect(row["status"] == "UNMET" and row["crf"] == 20, "JSON of a target that is missed")
    lines, _ = tune.run(*one, "--target-vmaf", "75", "-o", "out.txt")
    expect(lines == "" and " encodes)" in tune.text("out.txt"), "a file")
    # All conditions count, of what is made and of rows.
    scores = {row["crf"]: row["features"]["vmaf"] for row in everything}
    least = scores[22]["min"]
    condition = ("--target-vmaf", "60", "--require", f"vmaf.min>={least}")
    found = int(re.search(r" crf=(\d+) ", tune.run(*one, *condition)[0]).group(1))
    expect(scores[found]["min"] >= least > scores[found + 1]["min"] and scores[found + 1]["mean"] >= 60, f"{found}")
    # Of rows the cheapest, though it be less compressed.
    larger = tune.telling_ffmpeg("-crf 30", "-g", "1")
    tune.run("corpus", *one[1:], "--crf", "28,30", "--no-cache", "--ffmpeg-bin", larger, "-o", "larger.jsonl")
    kbps = {row["crf"]: row["bitrate_kbps"] for row in tune.rows("larger.jsonl")}
    expect(kbps[30] > kbps[28], f"{kbps}")
    text, _ = tune.run("recommend", "--from-corpus", "larger.jsonl", "--target-vmaf", "30")
    expect(text.startswith("crf=28 "), text)
    tune.run("recommend", "--from-corpus", "made.jsonl", "--target-vmaf", "90", "--target-bitrate", "300", status=2)
    tune.run(*one, "--target-bitrate", "300", status=2)
    tune.run("recommend", "--target-vmaf", "90", status=2)


def capabilities(tune):
    """What is usable, and why the rest is not."""
    tune.run("capabilities", "-o", "c.json")
    document = tune.load("c.json")
    expect(document["schema"] == "vmaf-tune-capabilities/v1", "schema")
    encoders = {encoder["name"]: encoder for encoder in document["encoders"]}
    expect(len(encoders) >= 19 and encoders["libx264"]["usable"], f"{len(encoders)} encoders")
    expect(encoders["libx264"]["version"].startswith("libx264-"), "version of x264")
    for name, encoder in encoders.items():
        expect(bool(encoder["reason"]) != encoder["usable"] and bool(encoder["version"]) == encoder["usable"], name)
    expect(not encoders["h264_videotoolbox"]["usable"] or sys.platform == "darwin", "VideoToolbox")
    knob = encoders["libx264"]["knob"]
    expect((knob["name"], knob["lowest"], knob["highest"], knob["better"]) == ("crf", 0, 51, "low"), "knob")
    version = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True).stdout.split()[2]
    expect(document["ffmpeg"] == {"program": "ffmpeg", "reason": None, "usable": True, "version": version}, "ffmpeg")
    said = subprocess.run([tune.vmaf, "--version"], capture_output=True, text=True)
    expect(document["version"] in said.stdout + said.stderr, "version of the library")
    module = document["media_module"]
    expect(module["usable"] and "libavcodec" in module["version"], "media module")
    models = {model["version"] for model in document["scoring"]["models"]}
    expect({"vmaf_v0.6.1", "vmaf_4k_v0.6.1"} <= models, "models")
    expect({"cpu"} <= {backend["name"] for backend in document["scoring"]["backends"]}, "backends")
    none = tune.json("capabilities", "--ffmpeg-bin", "/nowhere/ffmpeg", "--encoder", "libx264")
    expect(not none["ffmpeg"]["usable"] and not none["encoders"][0]["usable"] and len(none["encoders"]) == 1,
           "without ffmpeg")
    tune.run("capabilities", "--encoder", "libx26", status=2)


def streams(path):
    document = probe(path, "-show_entries", "stream=codec_name", "-show_chapters")
    return ([stream["codec_name"] for stream in document["streams"]],
            [chapter["tags"]["title"] for chapter in document["chapters"]])


def profile(tune):
    """Stored results encode the same again, with all streams."""
    need_encoder("libx265")
    make_film(tune)
    tune.run("bisect", "--src", "film.mkv", "--preset", "superfast", "--target-vmaf", "85", "--format", "json",
             "--extra", "-tune", "--extra", "psnr", "-o", "bisect.json")
    found = tune.load("bisect.json")
    result = tune.json("encode-profile", "--profile", "bisect.json", "-o", "out.mkv", "--verify", "--json")
    expect(streams(tune.path("out.mkv")) == (["h264", "flac", "flac", "subrip"], ["one", "two"]),
           f"{streams(tune.path('out.mkv'))}")
    request, answer = result["request"], result["answer"]
    expect(result["schema"] == "vmaf-tune-encode-profile/v1" and answer["reached"] is True, "result")
    expect((answer["quality"], request["preset"], request["encoder"]) == (found["best_crf"], "superfast", "libx264"), "what")
    score = answer["scores"]["vmaf"]["mean"]
    expect(close(score, found["measured_vmaf"]), "another score than the search's")
    expect(close(score, statistics.fmean(f["vmaf"] for f in scores_of(tune, "out.mkv")), 1e-7), "score")
    expect(close(answer["kbps"], found["bitrate_kbps"], 1e-3), "another bitrate than the search's")
    tune.run("encode-profile", "--profile", "bisect.json", "-o", "bare.mkv", "--video-only")
    expect(streams(tune.path("bare.mkv")) == (["h264"], []), "video only")
    expect(packet_bytes(tune.path("bare.mkv")) == packet_bytes(tune.path("out.mkv")), "other video")

    # Others keep the user's arguments and two passes as well.
    told = ("--src", "film.mkv", "--preset", "ultrafast", "--target-vmaf", "60", "--crf-min", "30", "--crf-max", "31", "--two-pass",
            "--extra", "-tune", "--extra", "psnr")
    for words in (("bisect", "--format", "json"), ("compare", "--encoders", "libx264", "--format", "json"),
                  ("fast", "--proxy-tolerance", "100")):
        tune.run(*words, *told, "-o", "kept.json")
        text, _ = tune.run("encode-profile", "--profile", "kept.json", "-o", "kept.mkv", "--dry-run")
        expect(text.count("-tune psnr") == 2, f"{words[0]} does not keep what it was told: {text}")

    # A result that is in the way, the source, a target that is missed.
    tune.run("encode-profile", "--profile", "bisect.json", "-o", "out.mkv", status=2)
    tune.run("encode-profile", "--profile", "bisect.json", "-o", "film.mkv", "--overwrite", status=2)
    found["target_vmaf"] = 99
    tune.write("high.json", json.dumps(found))
    tune.run("encode-profile", "--profile", "high.json", "-o", "out.mkv", "--overwrite", "--verify", status=1)
    expect("VMAF 99 is not reached" in tune.said and os.path.exists(tune.path("out.missed.mkv")), tune.said)
    found.update(ok=False, best_crf=-1)
    tune.write("none.json", json.dumps(found))
    tune.run("encode-profile", "--profile", "none.json", "-o", "none.mkv", status=1)

    # Of another film it says nothing, whatever that is called; of the same one elsewhere it does.
    tune.run("search", "film.mkv", "--preset", "ultrafast", "--quality", "40", "--samples", "none", "--report", "s.json")
    shutil.copy(tune.path("film.mkv"), tune.path("copy.mkv"))
    make_clip(tune.path("other.mkv"), size="96x64", frames=12)
    for profile_of, name, said in (("s.json", "copy.mkv", None), ("s.json", "other.mkv", "is"), ("bisect.json", "film.mkv", None),
                                   ("bisect.json", "./film.mkv", None), ("bisect.json", "other.mkv", "may be")):
        tune.run("encode", name, "--from", profile_of, "-o", "from.mkv", "--overwrite", "--no-verify")
        expect(f"{name} {said} another film than film.mkv" in tune.said if said else "another film" not in tune.said,
               f"{profile_of}, {name}: {tune.said}")

    # Rows of a corpus, recommendations, comparisons.
    tune.run("corpus", "--src", "film.mkv", "--encoder", "libx264,libx265", "--preset", "ultrafast", "--crf", "26,32",
             "--two-pass", "-o", "c.jsonl")
    rows = tune.rows("c.jsonl")
    tune.run("encode-profile", "--profile", "c.jsonl", "-o", "c.mkv", status=2)
    text, _ = tune.run("encode-profile", "--profile", "c.jsonl", "-o", "c.mkv", "--dry-run", "--crf", "32", "--encoder",
                    "libx265")
    expect(text.count("\n") == 2 and "-c:v libx265" in text and "-crf 32" in text, f"two passes: {text}")
    text, _ = tune.run("recommend", "--from-corpus", "c.jsonl", "--target-vmaf", "50", "--json", "-o", "r.json")
    row = tune.load("r.json")
    result = tune.json("encode-profile", "--profile", "r.json", "-o", "r.mkv", "--verify", "--json")
    request = result["request"]
    expect((request["encoder"], result["answer"]["quality"], request["two_pass"]) == (row["encoder"], row["crf"], True), "row")
    expect(request["conditions"] == ["vmaf.mean>=50"], "target of a recommendation")
    compared = {"src": "film.mkv", "target_vmaf": 80, "rows": [
        {"codec": "libx264", "best_crf": 30, "bitrate_kbps": 200.0, "vmaf_score": 81, "ok": True, "preset": "ultrafast"},
        {"codec": "libx265", "best_crf": 31, "bitrate_kbps": 150.0, "vmaf_score": 82, "ok": True, "preset": "ultrafast"},
        {"codec": "libsvtav1", "best_crf": -1, "bitrate_kbps": 10.0, "ok": False, "error": "no"}]}
    tune.write("compare.json", json.dumps(compared))
    text, _ = tune.run("encode-profile", "--profile", "compare.json", "-o", "x.mkv", "--dry-run")
    expect("libx265" in text and "-crf 31" in text, "the cheapest of a comparison")
    text, _ = tune.run("encode-profile", "--profile", "compare.json", "-o", "x.mkv", "--dry-run", "--encoder", "libx264")
    expect("libx264" in text and "-crf 30" in text and "-c:a copy" in text, "another of a comparison")
    expect(len(rows) == 4 and math.isfinite(rows[0]["vmaf_score"]), "rows")


def readers(tune):
    """Subcommands that read rows, on those of real encodes."""
    make_film(tune)
    tune.run("corpus", "--src", "film.mkv", "--encoder", "libx264", "--preset", "ultrafast,veryfast", "--crf", "20,26,32,38",
             "--output", "a.jsonl")
    rows = tune.rows("a.jsonl")
    passing = [row for row in rows if row["vmaf_score"] >= 80]
    expect(len(rows) == 8 and passing, f"{rows}")
    cheapest = min(passing, key=lambda row: row["bitrate_kbps"])
    page = tune.run("report", "a.jsonl", "--target-vmaf", "80", "--format", "markdown")[0]
    best = f"** (libx264 {cheapest['preset']}, CRF {cheapest['crf']})\n"
    expect("- least for VMAF 80: **" in page and best in page and "- encodes: **8**" in page, f"not {best}: {page}")
    for preset in ("ultrafast", "veryfast"):
        tune.write(f"{preset}.csv", "".join(f"{row['bitrate_kbps']!r},{row['vmaf_score']!r}\n"
                                            for row in rows if row["preset"] == preset))
    of_rows = tune.json("bd-rate", "--ref", "a.jsonl", "--test", "a.jsonl", "--ref-preset", "ultrafast",
                                  "--test-preset", "veryfast", "--json")
    of_points = tune.json("bd-rate", "--ref", "ultrafast.csv", "--test", "veryfast.csv", "--json")
    expect(close(of_rows["bd_rate"], of_points["bd_rate"]) and of_rows["bd_rate"] < 0, f"{of_rows}, {of_points}")
    tune.run("report", "a.jsonl", "--output", "a.html")
    page = tune.text("a.html")
    expect("<svg" in page and "film.mkv" in page, "a page without a plot")
    for row in rows:
        expect(f"{row['vmaf_score']:.3f}" in page, f"an encode is not on the page: {row}")


main({"readers": readers, "columns": columns, "variants": variants, "coarse": coarse, "resume": resume, "failures": failures,
      "recommend": recommend, "capabilities": capabilities, "profile": profile})
