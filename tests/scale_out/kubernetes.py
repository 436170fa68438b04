#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The manifests in tools/kubernetes. There is no cluster here: a parser reads them, what Kubernetes needs of such Jobs
is compared with a list, and the commands of the containers run as they are, in local folders, as the pods of an
indexed Job would run them.

    kubernetes.py <source folder> <vmaf> <synth>
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: there is no Python module yaml (Debian package python3-yaml)")
    sys.exit(77)

source, vmaf, synth = sys.argv[1:]
failures = 0


def check(holds, text):
    global failures
    if not holds:
        print(f"kubernetes.py: {text}", file=sys.stderr)
        failures += 1


class Strict(yaml.SafeLoader):
    """Refuses keys that come twice, of which the parser would take the last."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise yaml.YAMLError(f"a key comes twice: {keys}")
        return super().construct_mapping(node, deep)


def read(name):
    with open(f"{source}/tools/kubernetes/{name}.yaml", encoding="utf-8") as file:
        return yaml.load(file, Loader=Strict)


def has(name, manifest, path, expected):
    """path: a.b.0.c; expected: a value, a type, or a function that says whether the value will do."""
    value = manifest
    for step in path.split("."):
        try:
            value = value[int(step) if step.isdigit() else step]
        except (KeyError, IndexError, TypeError):
            check(False, f"{name}: there is no {path}")
            return
    if isinstance(expected, type):
        check(type(value) is expected, f"{name}: {path} is {value!r}, no {expected.__name__}")
    elif callable(expected):
        check(expected(value), f"{name}: {path} is {value!r}")
    else:
        check(value == expected and type(value) is type(expected), f"{name}: {path} is {value!r}, not {expected!r}")


def known_keys(name, value, known, path):
    check(isinstance(value, dict) and set(value) <= set(known), f"{name}: unknown in {path}: {set(value) - set(known)}")


POD = "spec.template.spec"
CONTAINER = f"{POD}.containers.0"
BOTH = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata.name": lambda value: re.fullmatch("[a-z0-9]([-a-z0-9]*[a-z0-9])?", value),
    f"{POD}.restartPolicy": "Never",  # what podFailurePolicy needs
    f"{POD}.securityContext.runAsNonRoot": True,
    f"{POD}.securityContext.runAsUser": int,
    f"{POD}.securityContext.fsGroup": int,
    f"{POD}.containers": lambda value: len(value) == 1,
    f"{CONTAINER}.name": "vmaf",
    f"{CONTAINER}.image": str,
    f"{CONTAINER}.command": lambda value: value[:2] == ["sh", "-c"] and len(value) == 4,
    f"{CONTAINER}.args": lambda value: all(type(word) is str for word in value),
    f"{CONTAINER}.resources.requests.cpu": str,
    f"{CONTAINER}.resources.requests.memory": str,
    f"{CONTAINER}.resources.limits.cpu": str,
    f"{CONTAINER}.resources.limits.memory": str,
    "spec.podFailurePolicy.rules.0.action": "FailJob",
    "spec.podFailurePolicy.rules.0.onExitCodes.containerName": "vmaf",
    "spec.podFailurePolicy.rules.0.onExitCodes.operator": "In",
    # Environment variables are strings.
    f"{CONTAINER}.env": lambda value: all(type(entry.get("value", "")) is str for entry in value),
}
SHARDS = {
    "spec.completionMode": "Indexed",
    "spec.completions": int,
    "spec.parallelism": int,
    "spec.backoffLimitPerIndex": 3,
    "spec.podFailurePolicy.rules.0.onExitCodes.values": [1],
    "spec.podFailurePolicy.rules.1.action": "Ignore",
    "spec.podFailurePolicy.rules.1.onPodConditions.0.type": "DisruptionTarget",
    "spec.podFailurePolicy.rules.1.onPodConditions.0.status": "True",
}
MERGE = {
    "spec.backoffLimit": int,
    "spec.podFailurePolicy.rules.0.onExitCodes.values": [1, 3, 234],
}


def variables(manifest):
    found = {}
    for entry in manifest["spec"]["template"]["spec"]["containers"][0]["env"]:
        found[entry["name"]] = entry.get("value", f"field {entry.get('valueFrom', {}).get('fieldRef', {}).get('fieldPath')}")
    return found


def check_manifest(name, manifest, more):
    for path, expected in {**BOTH, **more}.items():
        has(name, manifest, path, expected)
    known_keys(name, manifest, ["apiVersion", "kind", "metadata", "spec"], "the manifest")
    known_keys(name, manifest["spec"], ["completionMode", "completions", "parallelism", "backoffLimitPerIndex",
                                        "backoffLimit", "podFailurePolicy", "template"], "spec")
    pod = manifest["spec"]["template"]["spec"]
    known_keys(name, pod, ["restartPolicy", "securityContext", "containers", "volumes"], POD)
    container = pod["containers"][0]
    known_keys(name, container, ["name", "image", "command", "args", "env", "resources", "volumeMounts"], CONTAINER)
    volumes = {volume["name"]: volume["persistentVolumeClaim"] for volume in pod["volumes"]}
    mounts = {mount["name"]: mount for mount in container["volumeMounts"]}
    check(set(volumes) == set(mounts), f"{name}: volumes {set(volumes)}, mounted are {set(mounts)}")
    for volume, claim in volumes.items():
        check(type(claim.get("claimName")) is str, f"{name}: {volume} has no claim")
        check(claim.get("readOnly", False) == mounts[volume].get("readOnly", False), f"{name}: {volume} is read-only?")
    paths = tuple(mount["mountPath"] for mount in mounts.values())
    for word in container["args"] + [variables(manifest)["PARTS"]]:
        check(not word.startswith("/") or word.startswith(paths), f"{name}: {word} is on no volume")
    return volumes


shards, merge = read("shards"), read("merge")
volumes = check_manifest("shards.yaml", shards, SHARDS)
check(check_manifest("merge.yaml", merge, MERGE)["parts"] == volumes["parts"], "the jobs have other volumes for parts")
check(volumes["media"].get("readOnly"), "shards can write to the videos")
total = shards["spec"]["completions"]
check(variables(shards)["SHARDS"] == variables(merge)["SHARDS"] == str(total), "the manifests count other shards")
check(variables(shards)["PARTS"] == variables(merge)["PARTS"], "the parts are in another folder")
check(variables(shards)["POD"] == "field metadata.uid", "pods of an index cannot be told apart")
for manifest in shards, merge:
    check("JOB_COMPLETION_INDEX" not in variables(manifest), "Kubernetes sets JOB_COMPLETION_INDEX")

# The commands, with three shards.
folder = tempfile.TemporaryDirectory()
parts = f"{folder.name}/the parts"
os.mkdir(parts)
os.mkdir(f"{folder.name}/bin")
os.symlink(vmaf, f"{folder.name}/bin/vmaf")
clips = [f"{folder.name}/a {side}.y4m" for side in ("identical", "blur")]
for clip in clips:
    side = clip.split()[-1].removesuffix(".y4m")
    subprocess.run([synth, "--scene", "texture", "--distortion", side, "--size", "96x64", "--frames", "7", "--output",
                    clip], check=True)
OPTIONS = ["-r", clips[0], "-d", clips[1], "-n", "--feature", "psnr"]


def run(manifest, words, **more):
    command = manifest["spec"]["template"]["spec"]["containers"][0]["command"]
    environment = dict(os.environ, PATH=f"{folder.name}/bin:{os.environ['PATH']}")
    environment.update({name: value for name, value in variables(manifest).items() if not value.startswith("field ")})
    environment.update(SHARDS="3", PARTS=parts, POD="0-1-2", **more)
    return subprocess.run(command + words, env=environment, cwd=folder.name, stderr=subprocess.DEVNULL).returncode


def names():
    return sorted(os.listdir(parts))


def part(index):
    return f"shard-{index}-of-3.vmafs"


def without_fps(name):
    with open(f"{folder.name}/{name}", encoding="utf-8") as file:
        return re.sub(r'"fps": [^,]+', "", file.read())


subprocess.run([vmaf, *OPTIONS, "-o", f"{folder.name}/single.json"], check=True)
for index in 2, 0, 1, 1:  # a pod may be started twice
    check(run(shards, OPTIONS, JOB_COMPLETION_INDEX=str(index)) == 0, f"shard {index} fails")
check(names() == [part(index) for index in range(3)], f"parts are {names()}")
report = ["-o", f"{folder.name}/merged.json"]
check(run(merge, report) == 0, "the merge fails")
check(without_fps("merged.json") == without_fps("single.json"), "the report is not that of a single run")

# What fails leaves nothing, and its status says whether another attempt may help.
os.remove(f"{parts}/{part(1)}")
check(run(shards, OPTIONS + ["--nonsense"], JOB_COMPLETION_INDEX="1") == 1, "wrong options have another status")
check(run(shards, ["-r", "none", *OPTIONS[2:]], JOB_COMPLETION_INDEX="1") not in (0, 1), "a file that is not there")
check(names() == [part(0), part(2)], f"left: {names()}")
os.remove(f"{folder.name}/merged.json")
check(run(merge, report) not in (0, 1), "a merge succeeds without a part")
check(not os.path.exists(f"{folder.name}/merged.json"), "a merge without a part writes something")

# A part that cannot take its name is no part, and is not left under another.
os.makedirs(f"{parts}/{part(1)}/.shard-1-of-3.0-1-2.vmafs/x")
check(run(shards, OPTIONS, JOB_COMPLETION_INDEX="1") == 255, "a part without a name is a success")
check(names() == [part(index) for index in range(3)], f"left: {names()}")
shutil.rmtree(f"{parts}/{part(1)}")

# The missing one alone; the others would be damaged by these options.
for index in range(3):
    options = OPTIONS if index == 1 else ["--nonsense"]
    check(run(shards, options, JOB_COMPLETION_INDEX=str(index), MISSING="yes") == 0, f"shard {index} is not skipped")
check(run(merge, report) == 0, "the merge fails when the missing part is there")
check(without_fps("merged.json") == without_fps("single.json"), "the second report is not that of a single run")
check(run(shards, ["--nonsense"], JOB_COMPLETION_INDEX="0") == 1, "a shard is skipped although that was not asked for")

print("all is well" if not failures else f"{failures} failures")
sys.exit(failures > 0)
