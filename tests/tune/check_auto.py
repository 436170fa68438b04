#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-tune auto, from outside: check_auto.py SUBJECT VMAF_TUNE VMAF"""
import glob
import json
import os

from tune_program import expect, ffmpeg, main, make_clip, near, packet_bytes, probe

FRAMES, RATE = 48, 24


def check_winner(result):
    """The rule once more: cheapest within the budget, else the least above it, else the best."""
    cells, metadata = result["cells"], result["metadata"]
    target, budget, winner = metadata["target_vmaf"], metadata["max_budget_kbps"], metadata["winner"]
    usable = [(i, c) for i, c in enumerate(cells) if c["estimated_vmaf"] is not None]
    passing = [(i, c) for i, c in usable if c["estimated_vmaf"] >= target]
    inside = [(i, c) for i, c in passing if c["estimated_bitrate_kbps"] <= budget]

    def cost(item):
        index, cell = item
        return cell["estimated_bitrate_kbps"], -cell["estimated_vmaf"], -cell["rung"], cell["codec"], index
    if inside:
        status, best = "budget_and_quality_met", min(inside, key=cost)
    elif passing:
        status, best = "quality_met_budget_exceeded", min(passing, key=cost)
    else:
        status = "target_unmet"
        best = max(usable, key=lambda item: (item[1]["estimated_vmaf"], -item[1]["estimated_bitrate_kbps"]))
    expect(winner["status"] == status and winner["cell_index"] == best[0], f"the winner is {best}, not {winner}")
    expect([c["selected"] for c in cells] == [i == best[0] for i in range(len(cells))], "another cell is selected")
    expect(near(winner["quality_margin"], best[1]["estimated_vmaf"] - target, 1e-9), "the margin is another")
    return best[1]


# -- probes --

def size_of(path):
    stream = probe(path, "-select_streams", "v:0", "-show_entries", "stream=width,height")["streams"][0]
    return stream["width"], stream["height"]


def check_probes(programs):
    clip = programs.path("clip.mkv")
    make_clip(clip)
    more = ("--src", clip, "--preset", "ultrafast", "--rungs", "108,72", "--target-vmaf", "80", "--sample-chunk-seconds",
            "0.75", "--allow-codecs", "libx264,libnothing")
    programs.run("auto", *more[:-1], "libx264", "--rungs", "107", status=2)
    result = programs.json("auto", *more, "--encode-dir", programs.folder, "--keep-encodes")
    sizes = {size_of(path) for path in glob.glob(programs.path("clip__*.mkv"))}
    expect(sizes == {(192, 108), (128, 72)}, f"encodes have sizes {sizes}")
    best = check_winner(result)
    size = f"{best['codec']} {best['width']}x{best['rung']}"
    expect(f"vmaf-tune: {size}, quality {best['crf']:g}, is the cheapest" in programs.said, programs.said)
    by_codec = {cell["codec"]: cell for cell in result["cells"]}
    expect(by_codec["libnothing"]["error"] and by_codec["libnothing"]["crf"] is None, "an encoder that is not there")
    rungs = {cell["rung"]: cell for cell in result["cells"] if cell["codec"] == "libx264"}
    expect(rungs[108]["crf"] > rungs[72]["crf"] and rungs[72]["width"] == 128, f"sizes make no difference: {rungs}")
    expect(best["prediction_source"] in ("probe", "bisect"), f"{best}")
    unmet = programs.json("auto", *more[:-1], "libx264", "--target-vmaf", "100", status=1)
    check_winner(unmet)
    expect(unmet["metadata"]["winner"]["status"] == "target_unmet", f"{unmet['metadata']['winner']}")


# -- encodes --

def streams_of(path):
    found = probe(path, "-show_entries", "stream=codec_type:stream_tags=language:chapter=id", "-show_chapters")
    return sorted(stream["codec_type"] for stream in found["streams"]), len(found["chapters"])


def make_film(programs):
    """A video with two sounds, subtitles and chapters."""
    clip, film = programs.path("clip.mkv"), programs.path("film.mkv")
    make_clip(clip)
    text = programs.write("text.srt", "1\n00:00:00,100 --> 00:00:01,000\nHello\n")
    chapters = programs.write("chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n"
                              "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Two\n")
    ffmpeg("-i", clip, "-f", "lavfi", "-i", "sine=d=2", "-f", "lavfi", "-i", "sine=f=99:d=2", "-i", text, "-i", chapters,
           "-map", "0:v", "-map", "1:a", "-map", "2:a", "-map", "3:s", "-map_chapters", "4", "-c:v", "copy", "-c:a", "pcm_s16le",
           "-c:s", "srt", film)
    return film


def check_execute(programs):
    film = make_film(programs)
    more = ("auto", "--src", film, "--preset", "ultrafast", "--target-vmaf", "85", "--sample-chunk-seconds", "0.75",
            "--runs-dir", "the runs")
    result = programs.json(*more, "--execute")
    lines = programs.rows("the runs/tune_results.jsonl")
    row = lines[-1]
    expect(row["estimated_vmaf"] == result["metadata"]["winner"]["estimated_vmaf"] and row["selected"], f"{row}")
    path = programs.path(row["encode_path"])
    expect(os.path.basename(path) == f"encode_000_libx264_ultrafast_crf{row['crf']}.mkv" and os.path.exists(path), path)
    expect(streams_of(path) == (["audio", "audio", "subtitle", "video"], 2), f"streams: {streams_of(path)}")
    expect(near(programs.score(film, path), row["vmaf_score"], 2e-4), f"VMAF is not {row['vmaf_score']}")
    expect(near(row["vmaf_score"], row["feature_vmaf_mean"], 1e-9) and row["vmaf_score"] >= 84.5, f"{row['vmaf_score']}")
    expect(near(row["bitrate_kbps"], packet_bytes(path) * 8 / 1000 / (FRAMES / RATE), 1e-6), "the bitrate is another")
    expect(row["encode_size_bytes"] == os.path.getsize(path) and row["encode_exit_status"] == 0, "size or status")
    programs.json(*more, "--execute", "--video-only")
    rows = programs.rows("the runs/tune_results.jsonl")
    expect(rows[:len(lines)] == lines and len(rows) > len(lines), "rows were not appended")
    found = streams_of(programs.path(rows[-1]["encode_path"]))
    expect(found == (["video"], 0), f"--video-only has more: {found}")
    # They are rows of a corpus, too.
    best = programs.json("recommend", "--from-corpus", "the runs/tune_results.jsonl", "--target-vmaf", "80", "--json")
    expect(best["encoder"] == "libx264" and best["crf"] in {row["crf"] for row in rows}, f"{best}")


def check_retries(programs):
    """Samples of the simple half say too little: better qualities are tried, three at most."""
    clip = programs.path("clip.mkv")
    # Samples are in the middle of thirds; noise is between them, and not in what is encoded around them.
    noisy = "+".join(f"between(n,{a},{b})" for a, b in ((0, 14), (34, 62), (82, 110), (130, 143)))
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=192x108:r=24:d=6", "-vf",
           f"format=yuv420p,noise=alls=60:allf=t:all_seed=3:enable='{noisy}'", "-c:v", "ffv1", clip)
    result = programs.json("auto", "--src", clip, "--preset", "ultrafast", "--target-vmaf", "90", "--sample-chunk-seconds",
                           "0.375", "--runs-dir", "runs", "--execute", status=1)
    rows = programs.rows("runs/tune_results.jsonl")
    first = result["metadata"]["winner"]["crf"]
    expect([row["crf"] for row in rows] == [first - i for i in range(4)], f"{[row['crf'] for row in rows]} after {first}")
    expect(all(row["vmaf_score"] < 89.5 for row in rows), "it reached the target")
    expect(sorted(name for name in os.listdir(programs.path("runs")) if name.endswith(".mkv")) ==
           [f"encode_000_libx264_ultrafast_crf{first - 3}.mkv"], "other files")


main({"probes": check_probes, "execute": check_execute, "retries": check_retries})
