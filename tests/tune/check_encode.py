#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-tune encode, search and sample, from outside: check_encode.py SUBJECT VMAF_TUNE VMAF"""
import csv
import json
import math
import os
import re
import shlex
import statistics

from tune_program import (chapters_of, encoders, expect, ffmpeg, main, make_clip, near, need_encoder, packet_bytes, probe, run,
                          skip)

FRAMES, RATE, LEAD = 96, 24, 6


def make_film(programs, name="a film.mkv"):
    """With two audio streams, subtitles, chapters and a font, as films have them."""
    clip, film = programs.path("clip.mkv"), programs.path(name)
    make_clip(clip, frames=FRAMES // 2)
    subtitles = programs.write("words.srt", "1\n00:00:00,500 --> 00:00:01,500\nwords\n")
    chapters = programs.write("chapters.txt", ";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\n"
                              "title=one\n")
    font = programs.write("font.ttf", "a font")
    ffmpeg("-i", clip, "-f", "lavfi", "-i", "sine=440:d=4", "-f", "lavfi", "-i", "sine=880:d=4", "-i", subtitles, "-i",
           chapters, "-map", "0:v", "-map", "1:a", "-map", "2:a", "-map", "3:s", "-map_metadata", "4", "-attach", font,
           "-metadata:s:t", "mimetype=font/ttf", "-c:v", "copy", "-c:a", "aac", "-c:s", "srt", film)
    return film


def packets(path, stream="0:v:0"):
    return run("ffmpeg", "-v", "error", "-i", path, "-map", stream, "-c", "copy", "-f", "streamhash", "-hash", "sha256", "-")[0]


def streams(path):
    return [(stream["codec_type"], stream.get("codec_name"))
            for stream in probe(path, "-show_entries", "stream=codec_type,codec_name")["streams"]]


def arguments(film, *more):
    return (film, "--preset", "ultrafast", "--sample-duration", "0.5", "--json", *more)


def exact_mean(programs, film, encode, frames=FRAMES):
    """What the vmaf program tells of frames that ffmpeg decodes, to the last digit."""
    expect(len(programs.scores(film, encode)) == frames, "other frames")
    return programs.load("score.json")["pooled_metrics"]["vmaf"]["mean"]


def check_answer(programs, film, result, output, target, frames=FRAMES, size=None):
    answer = result["answer"]
    expect(answer["reached"] and answer["output"] == output and answer["of"] == "film", f"{answer}")
    path = programs.path(output)
    score = exact_mean(programs, film, path, frames)
    expect(answer["scores"]["vmaf"]["mean"] == score and score >= target, f"{answer} is {score:.17g}")
    expect(answer["video_bytes"] == packet_bytes(path), "another size")
    percent = 100 * packet_bytes(path) / (size or packet_bytes(film))
    expect(near(answer["percent"], percent, 1e-6), f"{answer['percent']} %, not {percent}")
    # The command makes the same packets, elsewhere.
    lines = answer["commands"].splitlines()
    expect(len(lines) == 1, "one command")
    os.rename(path, programs.path("delivered.mkv"))
    run(*shlex.split(lines[0]), cwd=programs.folder)
    expect(packets(path) == packets(programs.path("delivered.mkv")), "the command makes other packets")
    os.rename(programs.path("delivered.mkv"), path)


def check_steps(programs):
    """Quarters of the CRF where SVT-AV1 has them, which is since 4.0: what is delivered is what the command makes."""
    need_encoder("libsvtav1")
    film, preset = make_film(programs), ("--encoder", "svtav1:preset=12", "--pix-format", "yuv420p")
    version = programs.json("capabilities", "--encoder", "libsvtav1")["encoders"][0]["version"]
    has_quarters = int(re.search(r"[0-9]+", version.removeprefix("libsvtav1-"))[0]) >= 4
    result = programs.json("encode", film, *preset, "--samples", "none", "--json", "-o", "small.mkv", "--min-vmaf", "90",
                           "--quality-step", "0")
    tried = [encode["quality"] for encode in result["measurements"]]
    expect(any(q != int(q) for q in tried) == has_quarters and all(q * 4 == int(q * 4) for q in tried), f"{version}: {tried}")
    check_answer(programs, film, result, "small.mkv", 90)
    said = programs.run("encode", film, *preset, "-o", "other.mkv", "--quality", "34.25", status=0 if has_quarters else 2)[1]
    expect(has_quarters or f"in steps of 1 (asked: {version})" in said, said)


def check_deliver(programs):
    film = make_film(programs)
    result = programs.json("encode", *arguments(film, "-o", "small.mkv", "--min-vmaf", "85"))
    path = programs.path("small.mkv")
    check_answer(programs, film, result, "small.mkv", 85)
    expect(streams(path)[1:] == streams(film)[1:] and streams(path)[0] == ("video", "h264"), f"{streams(path)}")
    expect(chapters_of(path) == chapters_of(film), f"{chapters_of(path)}, not {chapters_of(film)}")
    expect(probe(path, "-show_entries", "format_tags=title") == probe(film, "-show_entries", "format_tags=title"), "other titles")
    for stream in ("0:a:0", "0:a:1", "0:s:0"):
        expect(packets(path, stream) == packets(film, stream), f"stream {stream} was changed")
    times = [[float(packet["pts_time"]) for packet in probe(name, "-select_streams", "v", "-show_entries", "packet=pts_time")
              ["packets"]] for name in (path, film)]
    times = [[round(time - min(shown), 3) for time in sorted(shown)] for shown in times]
    expect(times[0] == times[1], "other times")
    tags = probe(path, "-select_streams", "v", "-show_entries", "stream_tags")["streams"][0]["tags"]
    expect("-preset ultrafast -crf" in tags["ENCODER_SETTINGS"], f"{tags}")
    # Measured films are known, and made again without being scored.
    again = programs.json("encode", *arguments(film, "-o", "again.mkv", "--min-vmaf", "85"))
    expect(again["answer"]["packets_sha256"] == result["answer"]["packets_sha256"], "other packets")
    expect(packets(path) == packets(programs.path("again.mkv")), "other packets")
    for sample in again["measurements"]:
        expect(sample["cached"] == (sample["of"] == "samples"), f"{sample}")
    seconds = [[entry["score_seconds"] for entry in document["measurements"]] for document in (result, again)]
    expect(seconds[0] == seconds[1], "scored again")
    expect(not [name for name in os.listdir(programs.folder) if "part" in name], f"{os.listdir(programs.folder)}")
    # Searched on all of it: the encode of the search is the one that is delivered, and is made again where it is known.
    for name in ("whole.mkv", "known.mkv"):
        result = programs.json("encode", *arguments(film, "-o", name, "--min-vmaf", "80", "--samples", "none"))
        check_answer(programs, film, result, name, 80)
    programs.run("encode", *arguments(film, "-o", "small.mkv"), status=2)
    programs.run("encode", *arguments("small.mkv", "-o", "small.mkv", "--overwrite"), status=2)


def check_missed(programs):
    film = make_film(programs)
    said = programs.run("encode", film, "-o", "no.mkv", "--encoder", "libx266", status=2)[1]
    expect("libx266" in said and "cannot hold" not in said, said)
    said = programs.run("sample", film, "--quality", "99", status=2)[1]
    expect("from 0 to 51 in steps of 0.1" in said, said)
    result = programs.json("encode", *arguments(film, "-o", "no.mkv", "--min-vmaf", "97", "--crf-min", "30", "--quality", "31"),
                           status=1)
    answer = result["answer"]
    expect(not answer["reached"] and answer["output"] == "no.missed.mkv" and "VMAF 97" in answer["error"], f"{answer}")
    expect(not os.path.exists(programs.path("no.mkv")), "it was delivered")
    expect(exact_mean(programs, film, "no.missed.mkv") < 97, "it does not miss")
    result = programs.json("search", *arguments(film, "--min-vmaf", "99", "--crf-min", "35"), status=1)
    expect(not result["answer"]["reached"] and "unreachable" in result["answer"]["error"], f"{result['answer']}")
    result = programs.json("encode", *arguments(film, "-o", "no.mkv", "--max-encoded-percent", "0.5", "--quality", "31"), status=1)
    expect("too large" in result["answer"]["error"] and "--max-encoded-percent is 0.5" in result["answer"]["error"],
           f"{result['answer']}")
    result = programs.json("search", *arguments(film, "--min-vmaf", "20", "--crf-max", "20", "--max-encoded-percent", "0.5"), status=1)
    told = result["answer"]["error"]
    expect("reached only above" in told and "--max-encoded-percent is 0.5" in told and "miss" not in told, told)
    for wrong in (("--target", "vmaf"), ("--min-xpsnr", "40"), ("--target", "nothing=3"), ("--samples", "few")):
        programs.run("search", *arguments(film, *wrong), status=2)
    programs.run("encode", *arguments(film), status=2)
    programs.run("encode", *arguments(film, "-o", "film"), status=2)
    programs.run("sample", *arguments(film), status=2)


def check_goals(programs):
    """All conditions hold, of frames that others score; what one encode less would miss."""
    film = make_film(programs)
    goals = ("--target", "vmaf=80", "--target", "vmaf.p5=72", "--target", "psnr_y=30", "--target", "ciede2000=33")
    result = programs.json("search", *arguments(film, "--samples", "none", *goals))
    expect(result["request"]["conditions"] == ["vmaf.mean>=80", "vmaf.p5>=72", "psnr_y.mean>=30", "ciede2000.mean>=33"],
           f"{result['request']}")
    answer = result["answer"]["quality"]

    def holds(quality):
        path = programs.path("own.mkv")
        ffmpeg("-i", film, "-map", "0:v", "-c:v", "libx264", "-preset", "ultrafast", "-crf", quality, "-threads",
               result["request"]["threads"], path)
        programs.scores(film, path)
        frames = programs.report("reference.y4m", "distorted.y4m", "--feature", "psnr", "--feature", "ciede")["frames"]
        vmaf, psnr, ciede = ([frame["metrics"][name] for frame in frames] for name in ("vmaf", "psnr_y", "ciede2000"))
        place = 0.05 * (len(vmaf) - 1)
        low = sorted(vmaf)[int(place):int(place) + 2]
        p5 = low[0] + (low[1] - low[0]) * (place - int(place))
        return (sum(vmaf) / len(vmaf) >= 80 and p5 >= 72 and sum(psnr) / len(psnr) >= 30
                and sum(ciede) / len(ciede) >= 33)

    expect(holds(answer) and not holds(answer + 1), f"{answer} is not the last that holds")
    # A condition on the least score is none of samples.
    result = programs.json("search", *arguments(film, "--target", "vmaf.min=60"))
    expect(not result["request"]["samples"] and result["answer"]["of"] == "film", f"{result}")


def check_sample(programs):
    """Samples are encodes of their own with frames around them, which do not count."""
    film = make_film(programs)
    more = ("--quality", "33", "--samples", "5", "--require", "integer_motion2.mean>=0")
    text = programs.run("sample", film, "--preset", "ultrafast", "--sample-duration", "0.5", "--quality", "33", "--samples", "1")[0]
    expect("; 1 sample 1 time, " in text, text)
    result = programs.json("sample", *arguments(film, *more))
    windows, (measured,) = result["request"]["samples"], result["measurements"]
    expect(len(windows) == 5 and sum(window["stands_for"] for window in windows) == FRAMES, f"{windows}")
    expect(len({window["stands_for"] for window in windows}) > 1, "all stand for the same: this tells nothing")
    ffmpeg("-i", film, "-map", "0:v", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p",
           programs.path("whole.y4m"))
    whole = programs.report("whole.y4m", "whole.y4m")["frames"]
    scores, motion, kbps, frames, encoded, means = 0, 0, 0, 0, 0, []
    for window in windows:
        first, end = max(0, window["first_frame"] - LEAD), min(FRAMES, window["first_frame"] + window["frames"] + LEAD)
        chosen, path = f"between(n,{first},{end - 1})", programs.path("window.mkv")
        ffmpeg("-i", film, "-map", "0:v", "-vf", f"select='{chosen}',setpts=N/{RATE}/TB", "-r", RATE, "-c:v", "libx264",
               "-preset", "ultrafast", "-crf", "33", "-threads", result["request"]["threads"], path)
        counted = slice(window["first_frame"] - first, window["first_frame"] - first + window["frames"])
        part = programs.scores(film, path, selection=chosen)[counted]
        scores += sum(part) / len(part) * window["stands_for"]
        means.append(sum(part) / len(part))
        part = [frame["metrics"]["integer_motion2"] for frame in whole][window["first_frame"]:][:window["frames"]]
        motion += sum(part) / len(part) * window["stands_for"]
        kbps += packet_bytes(path) * 8 / 1000 / ((end - first) / RATE) * window["stands_for"]
        frames += window["frames"]
        encoded += end - first
    expect(measured["frames"] == frames, f"{measured['frames']} frames, not {frames}")
    expect(near(measured["scores"]["vmaf"]["mean"], scores / FRAMES, 1e-9), f"VMAF {scores / FRAMES}: {measured}")
    expect(near(measured["scores"]["integer_motion2"]["mean"], motion / FRAMES, 1e-9), f"motion {motion / FRAMES}: {measured}")
    expect(near(measured["vmaf_standard_error"], statistics.stdev(means) / len(means) ** 0.5, 1e-9), f"{means}: {measured}")
    expect(near(measured["kbps"], kbps / FRAMES, 1e-6), f"{kbps / FRAMES} kbit/s: {measured}")
    expect(near(result["answer"]["video_bytes"], kbps / FRAMES * 125 * FRAMES / RATE, 1), f"{result['answer']}")
    expect(near(result["answer"]["encode_seconds"], measured["encode_seconds"] * FRAMES / encoded, 1e-9), f"{encoded}: {result}")


def check_containers(programs):
    if "libx265" not in encoders():
        skip("this ffmpeg has no libx265")
    film = make_film(programs)
    result = programs.json("encode", "-i", film, "-o", "small.mp4", "--encoder", "libx265", "--preset", "ultrafast",
                           "--quality", "30", "--json")
    expect("left out" in programs.said and result["answer"]["reached"], programs.said)
    path = programs.path("small.mp4")
    stream = probe(path, "-select_streams", "v", "-show_entries", "stream=codec_tag_string,nb_frames")["streams"][0]
    expect(stream == {"codec_tag_string": "hvc1", "nb_frames": str(FRAMES)}, f"{stream}")
    expect(result["answer"]["scores"]["vmaf"]["mean"] == exact_mean(programs, film, path), "another score")
    text = programs.run("encode", film, "-o", "text.mkv", "--quality", "30", "--preset", "ultrafast", "--video-only")[0]
    expect("text.mkv: libx264 192x108, crf 30, " in text and "the same packets again: ffmpeg " in text and "\033" not in text + programs.said, text)
    expect(streams(programs.path("text.mkv")) == [("video", "h264")], "more than the video")
    path = programs.path("sound.mkv")
    text = programs.run("encode", film, "-o", "sound.mkv", "--quality", "30", "--preset", "ultrafast")[0]
    video = packet_bytes(path)
    expect(f"crf 30, {os.path.getsize(path) / 1000:.3g} kB; its video {video / 1000:.3g} kB, "
           f"{100 * video / packet_bytes(film):.1f} % of that of a film.mkv; VMAF" in text, text)
    expect(not probe(programs.path("text.mkv"), "-show_chapters")["chapters"], "it has chapters")
    # Commands alone: those of samples, then the one that the answer would have.
    *parts, whole = programs.run("encode", film, "-o", "dry.mkv", "--dry-run", "--sample-duration", "0.5")[0].splitlines()
    expect(len(parts) == 3 and all(line.startswith("ffmpeg ") for line in parts), f"{parts}")
    expect(not os.path.exists(programs.path("dry.mkv")), "encoded though --dry-run")
    for words in (("encode", film, "-o", "sound.mkv", "--overwrite"), ("search", film)):
        words = (*words, "--quality", "30", "--preset", "ultrafast")
        line, = programs.run(*words, "--dry-run")[0].splitlines()
        expect(programs.run(*words, status=None)[0].splitlines()[-1].endswith(f": {line}"), f"another command: {line}")


def check_percent(programs):
    """Of what the source takes for the same time, whatever filters make of its frames."""
    film = make_film(programs)
    for chain in ("fps=12", "fps=48", "crop=96:64:8:4"):
        quality = ("--vfilter", chain, "--quality", "30")
        made = programs.json("encode", *arguments(film, "-o", "small.mkv", *quality, "--overwrite"), status=None)["answer"]
        path = programs.path(made["output"])
        percent = 100 * packet_bytes(path) / packet_bytes(film)
        expect(near(made["percent"], percent, 1e-6), f"{chain}: {made['percent']} %, not {percent}")
        # A part of it: as much time of the source, by what ffprobe says of its packets.
        part = programs.json("sample", *arguments(film, *quality, "--samples", "1"), status=None)
        window, = part["request"]["samples"]
        rate = {"fps=12": 12, "fps=48": 48}.get(chain, RATE)
        begin, end = (at / rate - 0.002 for at in (window["first_frame"], window["first_frame"] + window["frames"]))
        packets_of = probe(film, "-select_streams", "v:0", "-show_entries", "packet=pts_time,size")["packets"]
        size = sum(int(packet["size"]) for packet in packets_of if begin <= float(packet["pts_time"]) < end)
        measured, = part["measurements"]
        wanted = 100 * measured["kbps"] * (window["frames"] / rate) * 125 / size
        expect(near(measured["percent"], wanted, 1e-6), f"{chain}: {measured['percent']} %, not {wanted}")
    # A limit is of all of the source's video, though samples take another part of theirs.
    whole = ("encode", *arguments(film, "-o", "small.mkv", "--overwrite", "--quality", "30"))
    percent = programs.json(*whole)["answer"]["percent"]
    for part, status in ((1.0001, 0), (0.9999, 1)):
        programs.json(*whole, "--max-encoded-percent", repr(part * percent), status=status)


def check_tables(programs, film, result):
    """The same measurements as tables."""
    goal = ("--min-vmaf", "85", "--verify")
    programs.run("search", *arguments(film, *goal, "--report", "found.csv"))
    with open(programs.path("found.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expect(len(rows) == len(result["measurements"]), f"{rows}")
    for row, measured in zip(rows, result["measurements"]):
        expect((row["of"], float(row["quality"])) == (measured["of"], measured["quality"]), f"{row}")
        for key, value in (("kbps", measured["kbps"]), ("vmaf.mean", measured["scores"]["vmaf"]["mean"]),
                           ("vmaf_p1", measured["scores"]["vmaf"]["p1"]), ("percent", measured["percent"])):
            expect(near(float(row[key]), value, 6e-4), f"{key}: {row}, not {value}")
        is_answer = (measured["of"], measured["quality"]) == ("film", result["answer"]["quality"])
        expect(row["answer"] == ("yes" if is_answer else "no"), f"{row}: the answer is {result['answer']}")
        expect((row["source"], row["encoder"], row["preset"]) == (film, "libx264", "ultrafast"), f"{row}")
    expect([row["answer"] for row in rows].count("yes") == 1, f"{rows}")
    programs.run("search", *arguments(film, *goal, "--report", "found.md"))
    lines = programs.text("found.md").splitlines()
    expect(len(lines) == len(rows) + 2 and set(lines[1]) == set("|-:"), f"{lines}")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    expect(cells[0] == list(rows[0]) and [cell or "—" for cell in rows[0].values()] == cells[2], f"{cells}")
    unmet = ("--min-vmaf", "99.99", "--max-iterations", "1")
    said = programs.run("search", *arguments(film, *unmet, "--report", "unmet.csv"), status=1)[1]
    expect(" after 1 iteration (" in said, said)
    with open(programs.path("unmet.csv"), encoding="utf-8", newline="") as file:
        answers = [row["answer"] for row in csv.DictReader(file)]
    expect(answers == ["none reaches the goal"], f"{answers}")


def check_verify(programs):
    film = make_film(programs)
    before = set(os.listdir(programs.folder))
    result = programs.json("search", *arguments(film, "--min-vmaf", "85", "--verify", "--report", "found.json"))
    expect(result["answer"]["of"] == "film" and result["answer"]["scores"]["vmaf"]["mean"] >= 85, f"{result['answer']}")
    expect(programs.load("found.json")["answer"]["quality"] == result["answer"]["quality"], "the report is another")
    expect(set(os.listdir(programs.folder)) - before == {"cache", "found.json"}, "it left a video")
    check_tables(programs, film, result)
    made = programs.json("encode", "--from", "found.json", "-o", "from.mkv", "--json")["answer"]
    expect(made["packets_sha256"] == result["answer"]["packets_sha256"] and made["quality"] == result["answer"]["quality"],
           f"{made}")
    run(*shlex.split(result["answer"]["commands"]), cwd=programs.folder)
    expect(exact_mean(programs, film, "output.mkv") == result["answer"]["scores"]["vmaf"]["mean"], "another score")


def check_auto(programs):
    """Of two sizes the one that reaches the goal with fewer bits, which the other one's film tells."""
    film = make_film(programs)
    more = ("--auto", "--allow-codecs", "libx264,libnothing", "--min-vmaf", "80")
    result = programs.json("encode", *arguments(film, "-o", "small.mkv", *more, "--rungs", "108,72"))
    expect(result["answer"]["reached"] and result["answer"]["scores"]["vmaf"]["mean"] >= 80, f"{result['answer']}")
    kbps = {}
    for height in (108, 72):
        name = f"{height}.mkv"
        made = programs.json("encode", *arguments(film, "-o", name, *more, "--rungs", str(height)), status=None)["answer"]
        expect(not made["reached"] or video_height(programs.path(name)) == height, f"{name} has another size")
        kbps[height] = made["kbps"] if made["reached"] else math.inf
    expect(video_height(programs.path("small.mkv")) == min(kbps, key=kbps.get), f"{kbps}")
    # What is chosen is said.
    common = (film, "--preset", "ultrafast", "--sample-duration", "0.5")
    text = programs.run("encode", *common, "-o", "72.mkv", "--overwrite", *more, "--rungs", "72")[0]
    expect(text.startswith("72.mkv: libx264 128x72, crf "), text)
    expect("vmaf-tune: libx264 128x72, quality " in programs.said, programs.said)


def video_height(path):
    return probe(path, "-select_streams", "v:0", "-show_entries", "stream=height")["streams"][0]["height"]


def check_aliases(programs):
    """Names of others: the same answers, in lines of JSON."""
    film = make_film(programs)
    common = ("-e", "libx264", "--preset", "ultrafast", "--sample-duration", "0.5", "--min-vmaf", "85")
    found = programs.json("search", film, *common[:-2], "--json", *common[-2:], "--crf-min", "20", "--crf-max", "40")
    lines = programs.run("crf-search", "-i", film, *common, "--min-crf", "20", "--max-crf", "40", "--stdout-format", "json")[0]
    *samples, answer = map(json.loads, lines.splitlines())
    expect(answer["type"] == "crf-search-done" and answer["quality"] == found["answer"]["quality"], lines)
    expect([sample["quality"] for sample in samples] == [sample["quality"] for sample in found["measurements"]], lines)
    expect(all(sample["cached"] and sample["type"] == "sample-encode-done" for sample in samples), lines)
    lines = programs.run("crf-search", "-i", film, *common, "--max-encoded-percent", "0.1", "--stdout-format", "json", status=1)[0]
    expect(json.loads(lines.splitlines()[-1])["type"] == "crf-search-error", lines)
    line, = programs.run("sample-encode", "-i", film, *common, "--crf", "30", "--stdout-format", "json", status=None)[0].splitlines()
    expect(json.loads(line)["quality"] == 30 and json.loads(line)["scores"]["vmaf"]["mean"] > 0, line)
    programs.run("auto-encode", "-i", film, *common, "--acodec", "flac", "--enc", "tune=psnr")
    path = programs.path("a film.libx264.mkv")
    expect(exact_mean(programs, film, path) >= 85, "it misses the goal")
    expect(streams(path)[1:3] == [("audio", "flac")] * 2, f"{streams(path)}")
    tags = probe(path, "-select_streams", "v", "-show_entries", "stream_tags")["streams"][0]["tags"]
    expect("-tune psnr" in tags["ENCODER_SETTINGS"], f"{tags}")
    # Steps above 1 are 1, help has the defaults of each name, and what this build cannot measure is said.
    again = programs.run("crf-search", "-i", film, *common, "--crf-increment", "2", "--stdout-format", "json")[0]
    whole = programs.run("crf-search", "-i", film, *common, "--crf-increment", "1", "--stdout-format", "json")[0]
    expect(json.loads(again.splitlines()[-1])["quality"] == json.loads(whole.splitlines()[-1])["quality"], again)
    for name, told in (("crf-search", ("(libsvtav1)", "(80)", "(95,")), ("search", ("(libx264)", "(95,")), ("predict", ("(93,",))):
        text = programs.run(name, "--help")[0]
        expect(all(part in text for part in told) and ("(80)" in told) == ("(80)" in text), f"{name}: {text}")
    has_xpsnr = any(feature["name"] == "xpsnr" for feature in programs.json("capabilities", "--encoder", "libx264")["scoring"]["features"])
    expect(has_xpsnr or 'no feature has a score "xpsnr"' in programs.run("search", film, "--min-xpsnr", "40", status=2)[1], "xpsnr")
    # Shots of the film, each with the last quality that reaches the goal.
    more = ("--src", film, "--preset", "ultrafast", "--target-vmaf", "85", "--per-shot", "-o", "found.json")
    programs.run("predict", *more)
    shots = programs.load("found.json")["shots"]
    expect([(shot["first_frame"], shot["frames"]) for shot in shots] == [(0, FRAMES // 2), (FRAMES // 2, FRAMES // 2)], f"{shots}")
    for shot in shots:
        expect(shot["reachable"] and shot["measured_vmaf"] >= 85 and shot["bitrate_kbps"] > 0, f"{shot}")


def check_part(programs):
    """What counts is a part: searched, encoded, scored, with its sounds; the same frames by a plain ffmpeg."""
    film, begin, length = make_film(programs), 30, 48
    seconds = ("--start", str(begin / RATE), "--length", f"{1000 * length / RATE}ms")
    part = programs.path("part.mkv")
    ffmpeg("-i", film, "-map", "0:v", "-vf", f"select='between(n,{begin},{begin + length - 1})',setpts=N/{RATE}/TB", "-r", RATE,
           "-c:v", "ffv1", part)
    result = programs.json("encode", *arguments(film, "-o", "small.mkv", "--min-vmaf", "85", *seconds))
    source, answer = result["source"], result["answer"]
    expect((source["frames"], source["start"], source["length"]) == (length, begin / RATE, length / RATE), f"{source}")
    windows = result["request"]["samples"]
    expect(windows and sum(window["stands_for"] for window in windows) == length, f"{windows}")
    expect(all(begin <= window["first_frame"] <= begin + length - window["frames"] for window in windows), f"{windows}")
    sizes = [int(packet["size"]) for packet in
             probe(film, "-select_streams", "v:0", "-show_entries", "packet=size")["packets"]]
    check_answer(programs, part, result, "small.mkv", 85, length, sum(sizes[begin:begin + length]))
    compared = programs.json("compare", film, "--preset", "ultrafast", "--no-bisect", "--crf-sweep", "30", "--encoder", "libx264",
                             "--target", "vmaf=10", "--no-speed", "--json", *seconds)
    expect(near(compared["source_kbps"], sum(sizes[begin:begin + length]) * 0.008 / (length / RATE), 1e-6), f"{compared}")
    path = programs.path("small.mkv")
    own = programs.path("own.mkv")
    ffmpeg("-i", part, "-c:v", "libx264", "-preset", "ultrafast", "-crf", answer["quality"], "-threads", result["request"]["threads"],
           own)
    expect(packets(path) == packets(own), "other packets than those of an encode of the part")
    expect(streams(path)[1:] == streams(film)[1:], f"{streams(path)}")

    def times(name, stream):
        return [float(packet["pts_time"]) for packet in probe(name, "-select_streams", stream, "-show_entries", "packet=pts_time")["packets"]]
    expect(times(path, "v")[0] == 0 and len(times(path, "v")) == length, f"{times(path, 'v')}")
    shown = times(film, "v")[begin]
    for stream in ("a:0", "a:1"):
        wanted = [time - shown for time in times(film, stream) if 0 <= time - shown < length / RATE]
        found = times(path, stream)
        expect(abs(len(found) - len(wanted)) <= 1 and all(near(a, b, 0.0021) for a, b in zip(found, wanted)), f"{found}: {wanted}")
    chapter, = probe(path, "-show_chapters")["chapters"]
    expect(near(float(chapter["end_time"]), 2 - shown, 0.002), f"{chapter}")
    # As JSON says it, and of sources whose frames are counted, filtered, or have no header.
    made = programs.json("encode", "--from", programs.write("found.json", json.dumps(result)), "-o", "from.mkv", "--json")
    expect(made["answer"]["packets_sha256"] == answer["packets_sha256"] and made["source"]["frames"] == length, f"{made}")
    for name, more in (("film.ts", ()), ("film.y4m", ()), (film, ("--errors", "ignore"))):
        if name != film:
            ffmpeg("-i", film, "-map", "0:v", "-pix_fmt", "yuv420p", *(("-c:v", "mpeg2video", "-q:v", "2") if name == "film.ts" else ()),
                   programs.path(name))
        found = programs.json("search", *arguments(programs.path(name), "--quality", "30", *seconds, "--samples", "none", *more))
        chosen = f"between(n,{begin},{begin + length - 1})"
        ffmpeg("-i", programs.path(name), "-map", "0:v", "-vf", f"select='{chosen}',setpts=N/{RATE}/TB", "-r", RATE, "-c:v", "libx264",
               "-preset", "ultrafast", "-crf", "30", "-threads", found["request"]["threads"], own)
        mean = statistics.mean(programs.scores(programs.path(name), own, selection=chosen))
        expect(near(found["answer"]["scores"]["vmaf"]["mean"], mean, 1e-9), f"{name}: {mean}, not {found['answer']}")
    halves = programs.json("search", *arguments(film, "--quality", "30", *seconds, "--samples", "none", "--vfilter", "fps=12"))
    expect(halves["source"]["frames"] == length // 2, f"{halves['source']}")
    said = programs.run("search", *arguments(film, "--start", "1h"), status=2)[1]
    expect("leave no frames" in said, said)


main({"deliver": check_deliver, "part": check_part, "steps": check_steps, "missed": check_missed, "goals": check_goals, "sample": check_sample,
      "containers": check_containers, "verify": check_verify, "percent": check_percent, "auto": check_auto, "aliases": check_aliases})
