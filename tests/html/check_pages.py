#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pages that the program writes, looked at from outside: check_pages.py SUBJECT VMAF SYNTH MAKE_PAGE"""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from html.parser import HTMLParser

sys.dont_write_bytecode = True  # the tree of the source stays as it is
from driven_browser import FLAGS, Browser, find_chromium  # pylint: disable=wrong-import-position

SKIPPED = 77
MEGABYTE = 1 << 20


def fail(text):
    sys.exit(f"check_pages.py: {text}")


def expect(condition, text):
    if not condition:
        fail(text)


class Page(HTMLParser):
    """What tests look at: attributes, rows of tables, texts."""
    VOID = {"meta", "img", "br"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.stack, self.rows, self.values = [], [], [], {}
        self.row = self.key = None
        self.feed(text)
        expect(not self.stack, f"elements are left open: {self.stack}")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        if tag not in self.VOID:
            self.stack.append(tag)
        if tag == "tr":
            self.row = []
        if tag in ("td", "th") and self.row is not None:
            self.row.append(["", attrs])
        if tag == "span" and "data-value" in attrs:
            self.values.setdefault(attrs.get("class"), []).append(attrs["data-value"])

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.row:
            self.row[-1][0] += data

    def handle_endtag(self, tag):
        expect(self.stack and self.stack[-1] == tag, f"</{tag}> ends {self.stack[-1:]}")
        self.stack.pop()
        if tag == "tr":
            self.rows.append(self.row)
            self.row = None


def check_png(data, wanted):
    expect(data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
    at, stream, kinds = 8, b"", []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        crc, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        expect(crc == zlib.crc32(kind + body), f"wrong checksum of {kind}")
        kinds.append(kind)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            stream += body
        at += 12 + size
    expect(kinds == [b"IHDR", b"IDAT", b"IEND"] and (depth, colour) == (8, 2), f"chunks {kinds}")
    raw = zlib.decompress(stream)
    expect(len(raw) == height * (1 + 3 * width), "wrong size of the image")
    return width, height, unfiltered(raw, width, height) if wanted else None


def unfiltered(raw, width, height):
    """The samples of an image, by the rules of ISO/IEC 15948, 9."""
    row_bytes, above, samples = 3 * width, bytes(3 * width), bytearray()
    for y in range(height):
        kind, row = raw[y * (1 + row_bytes)], bytearray(raw[y * (1 + row_bytes) + 1:(y + 1) * (1 + row_bytes)])
        expect(kind in (0, 2, 4), f"filter {kind}")
        for i in range(row_bytes if kind else 0):
            left, up, corner = (row[i - 3] if i >= 3 else 0), above[i], (above[i - 3] if i >= 3 else 0)
            estimate = left + up - corner
            nearest = min((left, up, corner), key=lambda value: abs(estimate - value))
            row[i] = (row[i] + (up if kind == 2 else nearest)) & 255
        samples += row
        above = row
    return bytes(samples)


def made_up_noise():
    """What make_page fills its images with."""
    state, samples = 1, bytearray()
    for _ in range(256 * 144 * 3):
        state = (state * 1664525 + 1013904223) & 0xffffffff
        samples.append(128 + (state >> 28))
    return bytes(samples)


def check_page(text, noise=None):
    """What holds for all pages. Returns the page, and the sizes of its images."""
    page, images = Page(text), []
    for tag, attrs in page.tags:
        for name in ("src", "href", "srcset", "action", "data", "poster"):
            value = attrs.get(name)
            if value is None:
                continue
            expect(tag == "img" and value.startswith("data:image/png;base64,"), f"{tag} loads {value[:60]}")
            *size, samples = check_png(base64.b64decode(value.split(",")[1], validate=True),
                                       noise is not None and not images)
            images.append(tuple(size))
            expect(samples in (None, noise), "an image has other samples")
            expect(images[-1] == (int(attrs["width"]), int(attrs["height"])) and attrs["alt"], "size or text of an image")
        if tag == "svg":
            expect(attrs.get("aria-label") or attrs.get("aria-hidden") == "true", "a drawing without a text")
    expect("@import" not in text and "url(" not in text, "the style sheet loads something")
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    expect(len(ids) == len(set(ids)), "an id stands twice")
    tidy = shutil.which("tidy")
    if tidy:
        result = subprocess.run([tidy, "-eq"], input=text.encode(), capture_output=True, check=False)
        expect(result.returncode == 0, result.stderr.decode()[:1000])
    return page, images


def make_pair(folder, synth, frames=48, size="320x180"):
    reference = os.path.join(folder, "reference.y4m")
    distorted = [os.path.join(folder, name) for name in ("one.y4m", "two.y4m")]
    for path, distortion, strength in ((reference, "identical", "1"), (distorted[0], "hadamard", "3"),
                                       (distorted[1], "hadamard", "6")):
        subprocess.run([synth, "--scene", "texture", "--distortion", distortion, "--strength", strength, "--size", size,
                        "--frames", str(frames), "--output", path], check=True, capture_output=True)
    return reference, distorted


def score(vmaf, *arguments):
    subprocess.run([vmaf, "-q", *arguments], check=True)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_numbers(page, report):
    """Pooled scores, figures and frames of the page are those of the JSON report."""
    pooled, n = report["pooled_metrics"], 0
    for row in page.rows:
        cells = {attrs["data-pool"]: text for text, attrs in row if "data-pool" in attrs}
        if not cells:
            continue
        n += 1
        for key in ("min", "max", "mean", "harmonic_mean"):
            expect(abs(float(cells[key]) - pooled[row[0][0]][key]) <= 5e-7, f"{row[0][0]} {key}: {cells[key]}")
    expect(n == len(pooled), f"{n} of {len(pooled)} scores")


def report(folder, vmaf, synth, _):
    reference, distorted = make_pair(folder, synth)
    page_path, alone, beside = (os.path.join(folder, name) for name in ("a.html", "alone.json", "beside.json"))
    score(vmaf, "-r", reference, "-d", distorted[0], "--feature", "psnr", "-o", page_path, "-o", beside)
    score(vmaf, "-r", reference, "-d", distorted[0], "--feature", "psnr", "-o", alone)
    without = [re.sub(r'"fps": .*', "", read(path)) for path in (alone, beside)]
    expect(without[0] == without[1], "the page changes the other report")
    document = json.loads(read(alone))
    page, images = check_page(read(page_path))
    check_numbers(page, document)
    scores = [frame["metrics"]["vmaf"] for frame in document["frames"]]
    worst = min(range(len(scores)), key=scores.__getitem__)
    expect(abs(float(page.values["mean"][0]) - document["pooled_metrics"]["vmaf"]["mean"]) <= 5e-7, "mean")
    expect(abs(float(page.values["min"][0]) - min(scores)) <= 5e-7, "minimum")
    expect(page.values["frame-number"][0] == str(worst), "frame of the minimum")
    expect(page.values["frame-number"][1] == str(worst), "the first of the worst frames")
    ordered = sorted(scores)
    place = (len(ordered) - 1) * 0.01
    first = ordered[int(place)] + (ordered[int(place) + 1] - ordered[int(place)]) * (place - int(place))
    expect(abs(float(page.values["worst_1"][0]) - first) <= 5e-6, "worst 1 %")
    expect(images and len(images) % 3 == 0 and images[0] == (256, 144), f"images {images}")
    for frame in range(1, 2):
        expect(f"{scores[frame]:.7g}" in read(page_path), "scores by frame")
    nothing = os.path.join(folder, "one_frame.html")
    score(vmaf, "-r", reference, "-d", distorted[0], "--frame_cnt", "1", "-o", nothing)
    _, images = check_page(read(nothing))
    expect(len(images) == 3, "a frame whose score is known at the end has no pictures")
    score(vmaf, "-r", reference, "-d", distorted[0], "-m", "version=vmaf_b_v0.6.3", "--subsample", "5", "-o", nothing)
    page, _ = check_page(read(nothing))
    expect(any(attrs.get("class", "").startswith("confidence") for _, attrs in page.tags), "no confidence interval")


def several(folder, vmaf, synth, _):
    reference, distorted = make_pair(folder, synth)
    page_path, json_path = os.path.join(folder, "a.html"), os.path.join(folder, "a.json")
    score(vmaf, "-r", reference, "-d", distorted[0], "-d", distorted[1], "-o", page_path, "-o", json_path)
    page, images = check_page(read(page_path))
    means = [float(value) for value in page.values["mean"]]
    results = json.loads(read(json_path))["results"]
    expect(len(means) == 2 and images, "two rows")
    for mean, result in zip(means, results):
        expect(abs(mean - result["report"]["pooled_metrics"]["vmaf"]["mean"]) <= 5e-7, "mean")
    score(vmaf, "-r", reference, "-d", distorted[0], "-d", distorted[1], "-o", os.path.join(folder, "of-{}.html"))
    check_page(read(os.path.join(folder, "of-two.html")))


def features(folder, vmaf, synth, _):
    reference, distorted = make_pair(folder, synth)
    page_path = os.path.join(folder, "a.html")
    for feature, worst, key in (("psnr", min, "psnr_y"), ("ciede", max, "ciede2000")):
        json_path = os.path.join(folder, "a.json")
        score(vmaf, "-r", reference, "-d", distorted[0], "-n", "--feature", feature, "-o", page_path, "-o", json_path)
        document = json.loads(read(json_path))
        page, images = check_page(read(page_path))
        check_numbers(page, document)
        scores = [frame["metrics"][key] for frame in document["frames"]]
        at = scores.index(worst(scores))
        expect(page.values["frame-number"][:2] == [str(at)] * 2, f"{feature}: {page.values['frame-number'][:2]}, not {at}")
        expect(images, "no images")


def hostile(folder, vmaf, synth, make_page):
    noise = made_up_noise()
    for arguments in (("60", "3", "1"), ("60", "3", "3"), ("1", "1", "1"), ("0", "1", "1"), ("5", "0", "1")):
        for more in ((), ("hostile",)):
            result = subprocess.run([make_page, *arguments, *more], check=True, capture_output=True)
            page, _ = check_page(result.stdout.decode("utf-8"), noise)
            noise = None  # once is enough
            expect(sum(tag == "script" for tag, _ in page.tags) == 2, "a script of somebody else")
            data = re.search(r'id="data">(.*?)</script>', result.stdout.decode(), re.S).group(1)
            json.loads(data, parse_constant=lambda name: fail(f"{name} in the data"))
    reference, distorted = make_pair(folder, synth, 5)
    name = os.fsencode(folder) + b"/\"'<script>alert(1)<\xff>&.y4m"
    shutil.copy(distorted[0], name)
    path = os.path.join(folder, "a.html")
    score(vmaf, "-r", reference, "-d", name, "-o", path)
    page, _ = check_page(read(path))
    expect(sum(tag == "script" for tag, _ in page.tags) == 2, "a script of somebody else")


def long(folder, vmaf, synth, make_page):
    for arguments in (("900000", "14", "1"), ("20000", "14", "64"), ("11000", "14", "1")):
        result = subprocess.run([make_page, *arguments], check=True, capture_output=True)
        expect(len(result.stdout) < 5 * MEGABYTE, f"{len(result.stdout)} bytes for {arguments}")
        check_page(result.stdout.decode("utf-8"))


def browser(folder, vmaf, synth, make_page):
    chromium = find_chromium()
    if not chromium:
        print("skipped: there is no Chromium")
        sys.exit(SKIPPED)
    flags = [*FLAGS, f"--user-data-dir={folder}/profile", "--enable-logging=stderr", "--virtual-time-budget=3000",
             "--dump-dom"]
    path = os.path.join(folder, "page.html")
    empty = os.path.join(folder, "empty.html")
    with open(empty, "w", encoding="utf-8") as file:
        file.write("<!DOCTYPE html><title>x</title>")
    if subprocess.run([chromium, *flags, "file://" + empty], capture_output=True, check=False).returncode:
        print("skipped: Chromium does not start here")
        sys.exit(SKIPPED)
    for arguments in (("300", "3", "2"), ("300", "3", "2", "hostile"), ("900000", "14", "1")):
        with open(path, "wb") as file:
            subprocess.run([make_page, *arguments], check=True, stdout=file)
        spent = []
        for file in (empty, path):
            before = os.times()
            result = subprocess.run([chromium, *flags, "file://" + file], capture_output=True, check=True)
            after = os.times()
            spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
        log = result.stderr.decode(errors="replace")
        expect("CONSOLE" not in log, "\n".join(line for line in log.splitlines() if "CONSOLE" in line))
        dom = result.stdout.decode(errors="replace")
        expect('class="scripted"' in dom and 'data-live=""' in dom, "the script does not run")
        # It takes 1.3 s where nothing else runs, and twice that where other programs share the caches.
        expect(spent[1] - spent[0] < 4, f"{spent[1] - spent[0]:.2f} s of processor time for {arguments}")


STATE = """(() => {
  const box = document.querySelector(".frame[data-live]"), part = name => box.querySelector(name);
  const area = part("svg").getBoundingClientRect(), ticks = [...box.querySelectorAll(".xs span")];
  return {area: [area.x, area.y, area.width, area.height], read: part(".read").hidden ? "" : part(".read").innerText,
    cursor: !part(".cursor").hidden, choice: !part(".choice").hidden, line: part(".line").getAttribute("d"),
    ticks: ticks.map(tick => tick.textContent)};
})()"""


def pointed_frame(state):
    found = re.match(r"frame (\d+), 0:(\d\d\.\d\d)\n", state["read"])
    if not found:
        return None
    expect(abs(int(found[1]) / 25 - float(found[2])) < 0.005, state["read"])
    return int(found[1])


def drive_pointer(page, at):
    """Reading off at a place; a drag looks closer; a double click shows everything."""
    before = page.value(STATE)
    expect(not before["read"] and not before["cursor"], "something is read off before a pointer comes")
    page.mouse("Moved", at(0.5))
    state = page.value(STATE)
    expect(state["cursor"] and pointed_frame(state) == 150, f"in the middle: {state['read']}")
    expect("one.y4m 76.72557\n" in state["read"] + "\n", f"no score of frame 150: {state['read']}")
    page.mouse("Moved", (5, 5))
    expect(not page.value(STATE)["read"], "something is read off without a pointer")

    page.mouse("Moved", at(0.25))
    page.mouse("Pressed", at(0.25), button="left", clickCount=1)
    page.mouse("Moved", at(0.6), button="left", buttons=1)
    expect(page.value(STATE)["choice"], "what is chosen is not shown")
    page.mouse("Released", at(0.75), button="left", clickCount=1)
    state = page.value(STATE)
    expect(not state["choice"] and state["line"] != before["line"], "a drag does not look closer")
    expect(state["ticks"][0] == "0:03" and state["ticks"][-1] == "0:08", f"closer: {state['ticks']}")
    for place, frame in ((0.001, 75), (0.5, 150), (0.999, 224)):
        page.mouse("Moved", at(place))
        expect(pointed_frame(page.value(STATE)) == frame, f"closer, at {place}: {page.value(STATE)['read']}")
    page.drag(at(0.5), at(0.507))
    expect(page.value(STATE)["ticks"] == state["ticks"], "a click is taken for a drag")
    page.double_click(at(0.5))
    expect(page.value(STATE)["ticks"] == before["ticks"], "a double click does not show everything")


def drive_keys(page):
    page.mouse("Moved", (5, 5))
    page.value('document.querySelector(".frame[data-live]").focus()')
    whole = page.value(STATE)["ticks"]
    begin = None
    for key, change in (("ArrowRight", None), ("ArrowRight", 1), ("ArrowLeft", -1), ("PageDown", 30), ("PageUp", -30),
                        ("+", 0), ("ArrowRight", 1), ("-", 0), ("=", 0)):
        page.key(key)
        state = page.value(STATE)
        frame = pointed_frame(state)
        expect(frame is not None, f"{key}: nothing is read off")
        expect(change is None or frame - begin == change, f"{key}: from frame {begin} to {frame}")
        expect(key not in "+=" or state["ticks"] != whole, f"{key} does not look closer")
        expect(key != "-" or state["ticks"] == whole, f"- shows {state['ticks']}")
        begin = frame
    page.key("Escape")
    expect(page.value(STATE)["ticks"] == whole, "Escape does not show everything")


def check_print(page):
    """While something is read off and a plot has the focus: paper has neither, and no label is cut off."""
    page.key("ArrowRight")
    expect(page.value(STATE)["read"], "nothing is read off")
    page.order("Emulation.setEmulatedMedia", media="print")
    shown = page.value("""({
      live: [...document.querySelectorAll(".read, .cursor, .choice, .script")].filter(e => e.getClientRects().length).length,
      outline: getComputedStyle(document.activeElement).outlineStyle, focus: document.activeElement.className,
      left: Math.min(...[...document.querySelectorAll(".ys span")].map(e => e.getBoundingClientRect().left)),
      labels: document.querySelectorAll(".ys span").length,
      gap: document.querySelector("main").getBoundingClientRect().top -
        document.querySelector("header p:last-of-type").getBoundingClientRect().bottom,
      legend: getComputedStyle(document.querySelector(".legend")).breakAfter})""")
    expect(shown["focus"].startswith("frame") and shown["outline"] == "none", f"printed focus: {shown}")
    expect(shown["live"] == 0, f"{shown['live']} parts that need a pointer are printed")
    expect(shown["labels"] > 5 and shown["left"] >= 0, f"labels are cut off at {shown['left']}")
    expect(shown["gap"] > 8, f"the head touches what follows: {shown['gap']}")
    expect(shown["legend"] == "avoid", "a legend can be parted from its plot")
    pdf = page.print()
    expect(pdf.startswith(b"%PDF") and 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) < 12, "pages")


def driven(folder, vmaf, synth, make_page):
    chromium = find_chromium()
    if not chromium:
        print("skipped: there is no Chromium")
        sys.exit(SKIPPED)
    path = os.path.join(folder, "page.html")
    with open(path, "wb") as file:
        page = subprocess.run([make_page, "300", "3", "2"], check=True, capture_output=True).stdout
        file.write(page.replace(b"distorted.y4m", b"one.y4m"))
    try:
        page = Browser(chromium, folder)
    except EOFError:
        print("skipped: Chromium cannot be driven here")
        sys.exit(SKIPPED)
    try:
        page.open(path)
        x, y, width, height = page.value(STATE)["area"]
        drive_pointer(page, lambda place: (x + place * width, y + height / 2))
        drive_keys(page)
        check_print(page)
        expect(not page.exceptions(), str(page.exceptions()))
    finally:
        page.close()


if __name__ == "__main__":
    # The browser's own processes may write for a moment after it has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        {check.__name__: check for check in (report, several, features, hostile, long, browser, driven)}[sys.argv[1]](
            scratch, *sys.argv[2:5])
