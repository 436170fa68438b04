#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What vmaf-tune prints against docs/schemas: check_schemas.py SUBJECT VMAF_TUNE VMAF

Each schema that is in the text of the program has a file, and each file has a document here that fits; documents with a
member missing, or of another type, do not.
"""
import copy
import glob
import json
import os
import re

from tune_program import expect, main, make_clip, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GOLDEN = os.path.join(ROOT, "tests", "tune", "golden")
WITHOUT_NAME = {"bisect", "recommend", "fast", "auto"}  # of encode, search and sample: their documents are older than names
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None), "array": list, "object": dict}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


class Schema:
    """As much of JSON Schema as the files use: anything else in them is an error."""
    KNOWN = {"$schema", "title", "description", "definitions", "type", "enum", "required", "properties", "items",
             "additionalProperties", "$ref"}

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = json.load(file)

    def why_not(self, value, schema=None, place=""):
        """None if the document fits, else where it does not."""
        schema = self.root if schema is None else schema
        expect(set(schema) <= self.KNOWN, f"{place}: keys of the schema: {set(schema) - self.KNOWN}")
        if "$ref" in schema:
            return self.why_not(value, self.root["definitions"][schema["$ref"].rsplit("/", 1)[1]], place)
        if "enum" in schema and value not in schema["enum"]:
            return f"{place} is {value!r}"
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(is_type(value, name) for name in types):
            return f"{place} is {value!r}, not {' or '.join(types)}"
        for name in schema.get("required", []):
            if name not in value:
                return f"{place} has no {name}"
        parts = [(place + "[]", item, schema.get("items", {})) for item in value] if isinstance(value, list) else []
        if isinstance(value, dict):
            rest = schema.get("additionalProperties", {})
            parts = [(f"{place}.{name}", item, schema.get("properties", {}).get(name, rest)) for name, item in value.items()]
        return next((why for where, item, part in parts for why in [self.why_not(item, part, where)] if why), None)

    def check(self, document):
        why = self.why_not(document)
        expect(why is None, f"{document['schema']}: {why}")
        # And it would notice.
        for name in self.root["required"]:
            wrong = copy.deepcopy(document)
            del wrong[name]
            expect(self.why_not(wrong), f"{document['schema']}: {name} may be missing")
            wrong[name] = [[]] if not isinstance(document[name], list) else {}
            expect(self.why_not(wrong), f"{document['schema']}: {name} may be anything")


def load():
    schemas = {}
    for path in glob.glob(os.path.join(ROOT, "docs", "schemas", "*.json")):
        schema = Schema(path)
        for name in schema.root["properties"]["schema"]["enum"]:
            expect(name not in schemas, f"{name} stands in two files")
            schemas[name] = schema
    return schemas


class Bench:
    def __init__(self, tune, _, folder):
        self.tune, self.folder, self.schemas, self.seen = tune, folder, load(), set()

    def check(self, document):
        expect(document["schema"] in self.schemas, f"docs/schemas has no {document['schema']}")
        self.schemas[document["schema"]].check(document)
        self.seen.add(document["schema"])

    def fits(self, *arguments, status=0):
        self.check(json.loads(run(self.tune, *arguments, status=status, cwd=self.folder)[0]))


def named(bench):
    """Names in the source, and those of commands that have the options of a search on samples."""
    text = ""
    for folder, _, names in os.walk(os.path.join(ROOT, "tune")):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text += file.read()
    found = set(re.findall(r'"(vmaf-tune-[a-z-]+/v\d+)"', text))
    for line in run(bench.tune, "--options")[0].decode().splitlines():
        row = line.split("\t")
        if row[1] and row[3] == "samples" and row[0] not in WITHOUT_NAME:
            found.add(f"vmaf-tune-{row[0]}/v1")
    expect(len(found) >= 12, f"schemas: {found}")
    expect(not found - set(bench.schemas), f"without a file: {found - set(bench.schemas)}")


def documents(bench):
    with open(os.path.join(GOLDEN, "bd_rate.json"), encoding="utf-8") as file:
        bench.check(json.load(file))
    bench.fits("capabilities")
    make_clip(os.path.join(bench.folder, "film.mkv"))
    film = ("film.mkv", "--preset", "veryfast")
    goal = ("--min-vmaf", "80", "--samples", "none")
    bench.fits("search", *film, *goal, "--json")
    bench.fits("search", *film, "--min-vmaf", "100", "--samples", "none", "--json", status=1)
    bench.fits("search", *film, *goal, "--per-shot", "--json")
    bench.fits("sample", *film, "--quality", "30", "--sample-duration", "0.3", "--json")
    bench.fits("encode", *film, *goal, "-o", "small.mkv", "--json")
    run(bench.tune, "corpus", *film, "--crf", "24,34", "-o", "rows.jsonl", cwd=bench.folder)
    bench.fits("search", "--from", "rows.jsonl", "--min-vmaf", "80", "--target", "vmaf.p1=50", "--json")
    bench.fits("predict", *film, "--target-vmaf", "80")
    bench.fits("compare", *film, "--encoders", "libx264", "--target-vmafs", "70,80,88,92", "--format", "json")
    run(bench.tune, "ladder", *film, "--resolutions", "192x108,96x54", "--target-vmafs", "50,80", "--format", "json",
        "--output", "ladder.json", cwd=bench.folder)
    with open(os.path.join(bench.folder, "ladder.json"), encoding="utf-8") as file:
        bench.check(json.load(file))
    run(bench.tune, "bisect", *film, "--target-vmaf", "80", "--format", "json", "-o", "found.json", cwd=bench.folder)
    bench.fits("encode-profile", "film.mkv", "--profile", "found.json", "-o", "again.mkv", "--json", "--verify")
    files = {id(bench.schemas[name]) for name in bench.seen}
    rest = [name for name, schema in bench.schemas.items() if id(schema) not in files]
    expect(not rest, f"no document was looked at of {rest}")


if __name__ == "__main__":
    main({"named": named, "documents": documents}, without_encoder={"named"}, place=Bench)
