#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""No output of a program replaces what it reads, another output, or a video:
check_outputs.py SUBJECT VMAF_TUNE VMAF VMAF_PERSHOT

Options are those that --help or --options shows, so one that names a file and is in no list here is taken for an output, and has
to be refused."""
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from tune_program import Programs, expect, make_clip, need_encoder

TUNE, VMAF, PER_SHOT = sys.argv[2:5]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")

# Options whose files are read.
READ = {"source", "adapters", "profile", "from", "from-corpus", "ref", "test", "input", "reference", "distorted"}
# Outputs about whose place the subcommand decides, later than of the others: subject `others` tries them.
LATER = {("corpus", "output"), ("encode", "output"), ("auto-encode", "output"), ("encode-profile", "output"),
         ("shots", "output"), ("tune-per-shot", "output"), ("ladder", "output")}


def run(*command, folder, environment=None):
    return subprocess.run(command, capture_output=True, check=False, cwd=folder, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(environment or {})))


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def refuses(command, kept, says, folder, environment=None):
    """The files are what they were, and the program says why."""
    before = [digest(os.path.join(folder, path)) for path in kept]
    result = run(*command, folder=folder, environment=environment)
    words = result.stderr.decode(errors="replace")
    expect(result.returncode not in (0, 1, 77) or (result.returncode == 1 and command[0] == PER_SHOT),
           f"{command} returned {result.returncode}: {words}")
    expect(says in words, f"{command} does not say \"{says}\": {words}")
    expect(before == [digest(os.path.join(folder, path)) for path in kept], f"{command} has changed {kept}")


def write_y4m(path, seed):
    """Bytes that are all characters: only the header tells that it is no text."""
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W64 H64 F25:1 Ip A1:1 C420jpeg\n")
        for frame in range(3):
            file.write(b"FRAME\n" + bytes(32 + (i * 7 + frame * 3 + seed * (i % 5)) % 90 for i in range(64 * 64 * 3 // 2)))


def files_of(program, *command, folder):
    """Names of the options that name a file, and whether words do."""
    text = run(program, *command, folder=folder).stdout.decode()
    names = re.findall(r"^\s+(?:-\w, )?--([\w-]+) (?:FILE|PATH)\b", text, re.M)
    names += re.findall(r"^\s+--([\w-]+)\[=FILE\]", text, re.M)
    expect(names and "--overwrite" in text, f"{command}: --help shows no file, or no --overwrite")
    usage = re.search(r"^Usage: .*", text, re.M).group(0)
    return names, "FILE..." in usage


def files_of_command(command, folder):
    """The same of a command of vmaf-tune, as it prints its options."""
    rows = [line.split("\t") for line in run(TUNE, "--options", command, folder=folder).stdout.decode().splitlines()]
    names = [row[3].split("|")[0] for row in rows
             if (row[4] in ("FILE", "PATH") and row[1]) or (row[3] == "output" and row[4] == "FOLDER")]
    expect(names and any(row[3] == "overwrite" for row in rows), f"{command}: --options shows no file, or no --overwrite")
    return names, "FILE..." in rows[0][4]


def try_path(command, option, victim, says, folder):
    refuses([*command, option, victim, "--overwrite"], [victim], says, folder)


def try_links(command, option, victim, says, folder):
    """The path of the victim, and three others of the same file."""
    os.symlink(victim, os.path.join(folder, "link"))
    os.link(os.path.join(folder, victim), os.path.join(folder, "hard"))
    for path in (victim, f"./{victim}", "link", "hard"):
        refuses([*command, option, path], [victim], says, folder)
        refuses([*command, option, path, "--overwrite"], [victim], says, folder)
    os.remove(os.path.join(folder, "link"))
    os.remove(os.path.join(folder, "hard"))


def check_command(program, command, folder):
    names, has_words = files_of_command(command[0], folder) if command else files_of(program, "--help", folder=folder)
    inputs = [name for name in names if name in READ]
    outputs = [name for name in names if name not in READ]
    expect(outputs, f"{command} has no output")
    try_output = try_links  # once of each subcommand
    shutil.copy(os.path.join(GOLDEN, "corpus.jsonl"), os.path.join(folder, "rows"))
    for output in outputs:
        for name in inputs:
            for victim in ("film.y4m", "rows"):
                try_output([program, *command, f"--{name}", victim], f"--{output}", victim,
                           f"--{output} would replace the file of --{name}", folder)
                try_output = try_path
        if "source" in inputs:  # which may be there several times
            try_path([program, *command, "--source", "film.y4m", "--source", "rows"], f"--{output}", "rows",
                     f"--{output} would replace the file of --source", folder)
        if has_words:
            try_links([program, *command, "rows"], f"--{output}", "rows", f"--{output} would replace a file", folder)
        if (*command, output) not in LATER:
            refuses([program, *command, f"--{output}", "film.y4m"], ["film.y4m"],
                    "exists and is nothing like what goes there: --overwrite", folder)
    with open(os.path.join(folder, "text"), "w", encoding="utf-8") as file:
        file.write("words\n")
    for first in range(len(outputs)):
        for second in range(first + 1, len(outputs)):
            refuses([program, *command, f"--{outputs[first]}", "x", f"--{outputs[second]}", "./x"], ["film.y4m"],
                    f"would replace --{outputs[first]}", folder)
            try_two = try_links if first + second == 1 else try_path
            try_two([program, *command, f"--{outputs[first]}", "text"], f"--{outputs[second]}", "text",
                    f"would replace --{outputs[first]}", folder)
    expect(not os.path.exists(os.path.join(folder, "x")), f"{command} has written")


def check_tables(folder):
    write_y4m(os.path.join(folder, "film.y4m"), 0)
    commands = re.findall(r"^([\w-]+)\t\t", run(TUNE, "--options", folder=folder).stdout.decode(), re.M)
    expect(len(commands) > 15, f"subcommands: {commands}")
    for command in commands:
        check_command(TUNE, (command,), folder)
    check_command(PER_SHOT, (), folder)
    refuses([TUNE, "report", "rows", "--output", "x"], ["film.y4m"], "VMAF_TRACE: film.y4m exists and is no trace", folder,
            {"VMAF_TRACE": "film.y4m"})


def check_replaced(folder):
    """What may be replaced, by a subcommand that needs neither video nor encoder."""
    corpus = os.path.join(GOLDEN, "corpus.jsonl")
    place = os.path.join(folder, "result")
    command = [TUNE, "recommend", "--from-corpus", corpus, "--output", "result"]
    truth = run(*command[:-2], folder=folder).stdout
    expect(truth, "recommend prints nothing")

    def writes(content, *more):
        with open(place, "wb") as file:
            file.write(content)
        result = run(*command, *more, folder=folder)
        with open(place, "rb") as file:
            now = file.read()
        expect(now == (content if result.returncode else truth), "the file is neither the result nor what it was")
        return result.returncode == 0

    for text in (b"", b"a table\r\n\tof text\n", "Zwölf Boxkämpfer \U0001f600\n".encode(), b"\xef\xbb\xbfa,b\n",
                 b"a" * 4095 + "ö".encode()):
        expect(writes(text), f"{text[:40]} is not replaced")
    for data in (b"a\0b", b"\x1a\x45\xdf\xa3\x01", b"YUV4MPEG2 W64 H64\nFRAME\n" + b"A" * 99, b"\xff\xd8\xff\xe0", b"a\x01",
                 b"ISO-8859: \xe4", b"\x89VMAFS\r\n"):
        expect(not writes(data), f"{data} is replaced")
        expect(writes(data, "--overwrite"), f"{data} is not replaced with --overwrite")
    os.remove(place)
    os.mkfifo(place)
    got = []
    reader = threading.Thread(target=lambda: got.append(open(place, "rb").read()))
    reader.start()
    result = run(*command, folder=folder)
    reader.join()
    expect(result.returncode == 0 and got == [truth], f"a FIFO: {result.stderr}")
    expect(run(*command[:-1], "/dev/null", folder=folder).returncode == 0, "/dev/null")
    expect(run(*command[:-1], "/dev/stdout", folder=folder).stdout == truth, "/dev/stdout")
    with open(os.path.join(folder, "log"), "wb") as file: # which is not replaced but written on
        file.write(b"\0before\n")
        file.flush()
        subprocess.run([*command[:-1], "/dev/stdout"], stdout=file, check=True, cwd=folder)
    with open(os.path.join(folder, "log"), "rb") as file:
        expect(file.read() == b"\0before\n" + truth, "the file of standard output")


def check_vmaf(folder):
    write_y4m(os.path.join(folder, "film.y4m"), 0)
    write_y4m(os.path.join(folder, "encode.y4m"), 1)
    names, _ = files_of(VMAF, "--help=all", folder=folder)
    outputs = [name for name in names if name not in READ]
    expect({"output", "keep-records", "resume", "capabilities"} <= set(outputs), f"outputs: {outputs}")
    videos = ["film.y4m", "encode.y4m"]
    pair = [VMAF, "-q", *videos]
    for output in outputs:
        if output == "capabilities":
            refuses([VMAF, "--capabilities=film.y4m"], videos, "exists and is nothing like", folder)
            continue
        for victim in videos:
            try_links(pair, f"--{output}", victim, "would replace a video", folder)
    shutil.copy(os.path.join(folder, "film.y4m"), os.path.join(folder, "other"))
    os.mkfifo(os.path.join(folder, "fifo"))
    for output in ("output", "keep-records"):
        refuses([*pair, f"--{output}", "other"], ["other"], "exists and is nothing like", folder)
    refuses([*pair, "--resume", "other"], ["other"], "no file of stored records", folder)
    for words in (["--keep-records", "fifo"], ["--resume", "fifo"], ["--shard", "0/1", "-o", "fifo"],
                  ["--keep-records", "/dev/stdout"]):
        refuses([*pair, *words], videos, "cannot go to a pipe", folder)
    refuses([*pair, "--shard", "0/1", "-o", "film.y4m"], videos, "would replace a video", folder)
    refuses([*pair, "--keep-records", "a", "-o", "./a"], videos, "the report would replace the records", folder)
    refuses([VMAF, "-q", "-r", "film.y4m", "-d", "encode.y4m", "-d", "other", "-o", "{}.y4m", "--json"], videos,
            "would replace a video: encode.y4m", folder)
    for trace, says in (("film.y4m", "would replace a video"), ("other", "is no trace"), ("fifo", "cannot go to a pipe")):
        refuses(pair, [*videos, "other"], says, folder, {"VMAF_TRACE": trace})
    # The library looks as well, since only it knows the name that %p makes.
    result = run("sh", "-c", 'cp other "trace-$$" && exec "$@"', "sh", VMAF, *videos, folder=folder,
                 environment={"VMAF_TRACE": "trace-%p"})
    name = next(name for name in os.listdir(folder) if name.startswith("trace-"))
    expect(digest(os.path.join(folder, name)) == digest(os.path.join(folder, "other")) and b"trace" in result.stderr,
           f"the library has replaced {name}: {result.stderr}")
    with open(os.path.join(folder, "film.y4m"), "rb") as stdin: # which is also an input by its path
        result = subprocess.run([VMAF, "-q", "-", "encode.y4m", "-o", "film.y4m", "--overwrite"], stdin=stdin,
                                capture_output=True, check=False, cwd=folder)
    expect(result.returncode and b"would replace a video" in result.stderr, f"standard input: {result.stderr}")
    # Heat maps have names of their own in their folder, which are the same for all videos.
    os.mkdir(os.path.join(folder, "maps"))
    heat_map = "maps/cambi_heatmap_scale_0_64x64_16b.gray"
    shutil.copy(os.path.join(folder, "film.y4m"), os.path.join(folder, heat_map))
    for words in (["--feature", "cambi=heatmaps_path=maps/"], ["-m", "version=vmaf_v0.6.1:cambi.heatmaps_path=./maps"]):
        refuses([VMAF, "-q", heat_map, "film.y4m", *words], [heat_map], "the heat maps would replace a video", folder)
    refuses([VMAF, "-q", "-r", "film.y4m", "-d", "encode.y4m", "-d", "other", "--feature", "cambi=heatmaps_path=x"], videos,
            "heat maps of two videos", folder)
    check_parts(pair, folder)
    check_batch(folder)


def check_parts(pair, folder):
    expect(run(*pair, "--keep-records", "a.vmafs", folder=folder).returncode == 0, "records are not kept")
    expect(run(*pair, "--keep-records", "a.vmafs", folder=folder).returncode == 0, "records are not kept anew")
    model = os.path.join(folder, "model.json")
    with open(model, "w", encoding="utf-8") as file:
        file.write("{}\n")
    for command in ("merge", "rescore"):
        try_links([VMAF, command, "a.vmafs"], "-o", "a.vmafs", "the report would replace a file of records", folder)
    refuses([VMAF, "rescore", "a.vmafs", "-m", "path=model.json", "-o", "model.json"], ["model.json"],
            "would replace a model", folder)
    refuses([*pair, "-m", "path=model.json", "-o", "model.json"], ["model.json"], "would replace a model", folder)
    refuses([*pair, "-m", "path=model.json", "--keep-records", "model.json", "--overwrite"], ["model.json"],
            "would replace a model", folder)


def check_batch(folder):
    def line(*options, output=None):
        words = ", ".join(f'"{word}"' for word in options)
        report = f', "output": "{output}"' if output else ""
        return f'{{"reference": "film.y4m", "distorted": "encode.y4m", "options": [{words}]{report}}}\n'

    kept = ["film.y4m", "encode.y4m", "list", "model.json", "a.vmafs"]
    cases = (
        ([line("--keep-records", "film.y4m")], "would replace a video"),
        ([line("--keep-records", "list", "--overwrite")], "the records would replace the list"),
        ([line(output="./list")], "the report would replace the list"),
        ([line("-m", "path=model.json", "--keep-records", "model.json", "--overwrite")], "would replace a model"),
        ([line("-m", "path=model.json", output="x"), line(output="model.json")], "would replace a model"),
        ([line("--keep-records", "x"), line("--keep-records", "./x")], "the records would replace what line 1 writes"),
        ([line("--resume", "x"), line(output="x")], "the report would replace what line 1 writes"),
        ([line("--keep-records", "/dev/stdout")], "cannot go to"),
        ([line("--keep-records", "fifo")], "cannot go to"),
        ([line("--feature", "cambi=heatmaps_path=new"), line("--feature", "cambi=heatmaps_path=./new/")],
         "heat maps of two videos cannot be in one folder"),
    )
    for lines, says in cases:
        with open(os.path.join(folder, "list"), "w", encoding="utf-8") as file:
            file.write("".join(lines))
        before = [digest(os.path.join(folder, path)) for path in kept]
        result = run(VMAF, "batch", "list", folder=folder)
        expect(result.returncode == 255 and says in result.stderr.decode(), f"{lines}: {result.stderr}")
        expect(before == [digest(os.path.join(folder, path)) for path in kept], f"{lines} has changed a file")
        if os.path.exists(os.path.join(folder, "x")):
            os.remove(os.path.join(folder, "x"))


def check_others(folder):
    """Outputs whose place is decided by the subcommand."""
    need_encoder("libx264")
    film, other = os.path.join(folder, "film.mkv"), os.path.join(folder, "other.mkv")
    make_clip(film, frames=8)
    shutil.copy(film, other)
    programs = Programs(TUNE, VMAF, folder)
    common = ["--preset", "ultrafast", "--quiet"]
    programs.run("bisect", "--src", "film.mkv", *common, "--target-vmaf", "80", "--format", "json", "-o", "profile")
    for words, option in ((["corpus", "--src", "film.mkv", "--crf", "30"], "--output"),
                          (["encode-profile", "--src", "film.mkv", "--profile", "profile"], "--output"),
                          (["tune-per-shot", "--src", "film.mkv", "--target-vmaf", "80", "--execute"], "--output")):
        before = digest(other)
        _, said = programs.run(*words, *common[2 * (words[0] == "encode-profile"):], option, "other.mkv", status=2)
        expect("other.mkv" in said and digest(other) == before, f"{words}: {said}")
    # A video is put in the place of what is there, which would be the end of a device.
    os.mkfifo(os.path.join(folder, "fifo.mkv"))
    os.symlink("/dev/null", os.path.join(folder, "null.mkv"))
    for place in ("fifo.mkv", "null.mkv"):
        _, said = programs.run("encode-profile", "--src", "film.mkv", "--profile", "profile", "--quiet", "--overwrite", "-o",
                               place, status=2)
        expect("cannot go to a pipe, a device" in said, said)
    # The source that a profile names is an input as well.
    _, said = programs.run("encode-profile", "--profile", "profile", "--quiet", "--overwrite", "-o", "film.mkv", status=2)
    expect("its source" in said, said)
    programs.run("encode-profile", "--profile", "profile", "--quiet", "--overwrite", "-o", "other.mkv")
    expect(digest(other) != digest(film), "--overwrite does not replace")
    # Names that subcommands make up.
    auto = ["auto", *common, "--target-vmaf", "80", "--execute", "--video-only"]
    programs.run(*auto, "--src", "film.mkv")
    name = next(name for name in os.listdir(os.path.join(folder, "runs")) if name.endswith(".mkv"))
    programs.run(*auto, "--src", "film.mkv")
    shutil.copy(film, os.path.join(folder, "runs", name))
    _, said = programs.run(*auto, "--src", os.path.join("runs", name), status=2)
    expect("would replace its source" in said and digest(os.path.join(folder, "runs", name)) == digest(film), said)
    ladder = ["ladder", *common, "--crf-sweep", "30", "--resolutions", "96x54", "--quality-tiers", "1", "--emit-media",
              "--format", "dash", "-o", "film.mpd"]
    programs.run(*ladder, "--src", "film.mkv")
    name = next(name for name in os.listdir(folder) if name.startswith("rendition_"))
    shutil.copy(film, os.path.join(folder, name))
    _, said = programs.run(*ladder, "--src", name, status=2)
    expect("would replace the source" in said and digest(os.path.join(folder, name)) == digest(film), said)


def check_scratch(folder):
    """Encodes in work are in a folder of their own, which goes with the run or with the next one."""
    need_encoder("libx264")
    film, work = os.path.join(folder, "film.mkv"), os.path.join(folder, "work")
    make_clip(film, frames=8)
    os.mkdir(work)
    wrapper = os.path.join(folder, "ffmpeg")
    with open(wrapper, "w", encoding="utf-8") as file: # `ls` sees the folder while the encode is made
        file.write(f"#!/bin/sh\nfor last; do :; done\ncase $last in *.mkv) ls -ld '{work}'/* >>'{folder}/seen'\n"
                   f"[ -z \"$KILL\" ] || kill -9 \"$PPID\" ;; esac\nexec ffmpeg \"$@\"\n")
    os.chmod(wrapper, 0o755)
    programs = Programs(TUNE, VMAF, folder)
    command = ["corpus", "--src", "film.mkv", "--encoder", "libx264", "--preset", "ultrafast", "--crf", "30", "--no-cache",
               "--quiet", "--output", "-", "--ffmpeg-bin", wrapper, "--workdir", work]

    def seen():
        with open(os.path.join(folder, "seen"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.remove(os.path.join(folder, "seen"))
        return lines

    names = set()
    for _ in range(2):
        programs.run(*command)
        lines = seen()
        expect(len(lines) == 1 and lines[0].startswith("drwx------"), f"the folder of a run: {lines}")
        names.add(lines[0].split()[-1])
        expect(not os.listdir(work), f"a run has left {os.listdir(work)}")
    expect(len(names) == 2, f"two runs have used {names}")
    programs.environment["KILL"] = "1"
    programs.run(*command, status=-9)
    expect(len(os.listdir(work)) == 1, f"a killed run has left {os.listdir(work)}")
    del programs.environment["KILL"]
    programs.run(*command)
    expect(not os.listdir(work), f"the next run has left {os.listdir(work)}")


def rows_of(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_cache(folder):
    """Numbers of the cache that cannot be are not believed."""
    need_encoder("libx264")
    make_clip(os.path.join(folder, "film.mkv"), frames=8)
    programs = Programs(TUNE, VMAF, folder)
    cache = os.path.join(folder, "own")
    command = ["corpus", "--src", "film.mkv", "--encoder", "libx264", "--preset", "ultrafast", "--crf", "30", "--quiet",
               "--cache-dir", cache, "--overwrite", "--output", "rows"]

    def row():
        programs.run(*command)
        rows = rows_of(folder, "rows")
        expect(len(rows) == 1, rows)
        return rows[0]

    def document():
        """That of the encode, and its path."""
        for name in os.listdir(os.path.join(cache, "meta")):
            path = os.path.join(cache, "meta", name)
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            if "stream_size" in content:
                return path, content
        return None

    truth = row()
    expect(not truth["cached"] and row()["cached"], "the second run is not from the cache")
    for name, value in (("size", 0), ("size", -1), ("stream_size", -5), ("stream_size", 2**50), ("frames", 0),
                        ("frames", -24), ("kbps", 0.0), ("kbps", -1.5), ("wall_ms", -1.0)):
        path, content = document()
        content[name] = value
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        again = row()
        expect(not again["cached"] and again["bitrate_kbps"] == truth["bitrate_kbps"], f"{name} {value} is believed: {again}")
    # A file that is cut off is no encode, where one is needed: for scores that are not there.
    path, _ = document()
    os.truncate(os.path.join(cache, "blobs", os.path.basename(path).replace(".json", ".bin")), 3000)
    for name in os.listdir(os.path.join(cache, "meta")):
        if name != os.path.basename(path):
            os.remove(os.path.join(cache, "meta", name))
    again = row()
    expect(again["vmaf_score"] == truth["vmaf_score"] and not again["cached"], f"an encode that is cut off: {again}")
    # One that cannot be written is read, and nothing is added. The superuser could write it.
    nobody = {"user": 65534} if os.geteuid() == 0 else {}
    os.makedirs(os.path.join(folder, "tmp"), mode=0o777)
    for path in (folder, os.path.join(folder, "tmp"), os.path.join(folder, "film.mkv")):
        os.chmod(path, 0o777)
    before = sorted(os.listdir(os.path.join(cache, "meta")))
    for path in (cache, *(os.path.join(cache, name) for name in ("meta", "blobs", "work"))):
        os.chmod(path, 0o555)
    for crf, is_known in (("30", True), ("31", False)):
        try:
            result = subprocess.run([TUNE, *command[:7], "--crf", crf, "--cache-dir", cache, "--output", "-"], check=False,
                                    cwd=folder, env=dict(programs.environment, TMPDIR=os.path.join(folder, "tmp")),
                                    capture_output=True, stdin=subprocess.DEVNULL, **nobody)
        except PermissionError: # the program is where nobody else can run it
            return
        said = result.stderr.decode()
        expect(result.returncode == 0 and "cannot be written" in said, f"returned {result.returncode}: {said}")
        expect(json.loads(result.stdout)["cached"] == is_known, f"crf {crf}: {result.stdout}")
    expect(sorted(os.listdir(os.path.join(cache, "meta"))) == before and not os.listdir(os.path.join(folder, "tmp")), said)
    for path in (cache, *(os.path.join(cache, name) for name in ("meta", "blobs", "work"))):
        os.chmod(path, 0o777)


def check_at_once(folder):
    """Programs that write one file at the same time make each row once."""
    need_encoder("libx264")
    make_clip(os.path.join(folder, "film.mkv"), frames=4)
    programs = Programs(TUNE, VMAF, folder)
    command = [TUNE, "corpus", "--src", "film.mkv", "--encoder", "libx264", "--preset", "ultrafast", "--crf", "24,30,36",
               "--no-cache", "--quiet", "--resume", "--output", "rows"]
    running = [subprocess.Popen(command, cwd=folder, env=programs.environment, stderr=subprocess.PIPE) for _ in range(4)]
    for program in running:
        _, said = program.communicate()
        expect(program.returncode == 0, f"returned {program.returncode}: {said}")
    rows = rows_of(folder, "rows")
    expect(sorted(row["crf"] for row in rows) == [24, 30, 36], f"rows of {[row['crf'] for row in rows]}")
    # One that is locked by a program which goes on for ever is waited for, and Ctrl-C ends that.
    with open(os.path.join(folder, "rows"), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        waiting = subprocess.Popen(command, cwd=folder, env=programs.environment, stderr=subprocess.PIPE)
        said = waiting.stderr.readline()
        expect(b"another program writes rows" in said, said)
        waiting.send_signal(signal.SIGINT)
        waiting.communicate()
        expect(waiting.returncode == 130, f"interrupted: {waiting.returncode}")


def main():
    checks = {"cache": check_cache, "at_once": check_at_once, "scratch": check_scratch, "tables": check_tables, "replaced": check_replaced, "vmaf": check_vmaf, "others": check_others}
    with tempfile.TemporaryDirectory() as folder:
        checks[sys.argv[1]](folder)


main()
