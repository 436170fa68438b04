#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The rules of "auto", with plugins that pose as backends of any name (tests/backend/plugins/posing.c).

    test_rules.py VMAF SYNTH FOLDER-OF-PLUGINS [TEST...]
"""
import sys

from machine_run import MachineTest
from cases import run_cases

A, B = 32 * "a", 32 * "b"


class Rules(MachineTest):
    plugins = ""

    def machine(self, text):
        path = self.path / f"machine-{self.id()}"
        path.write_text(text)
        log = self.path / f"log-{self.id()}"
        log.unlink(missing_ok=True)
        return {"VMAF_BACKEND_PATH": self.plugins, "VMAF_TEST_POSING": str(path), "VMAF_TEST_POSING_LOG": str(log)}

    def opened(self):
        log = self.path / f"log-{self.id()}"
        return log.read_text().splitlines() if log.exists() else []

    def assert_chosen(self, text, backend, device=None, *arguments):
        """By the document, and by a run, whose scores are those of the CPU."""
        machine = self.machine(text)
        document = self.capabilities(*arguments, **machine)
        self.assertEqual(document["auto_choice"], backend)
        result = self.assert_scored_by(backend, *arguments, **machine)
        if device:
            self.assert_auto_device(document, device)
            self.assertEqual(self.opened()[0], f"{backend} {device}")
        else:
            self.assertIsNone(document["auto_device"])
            self.assertEqual(self.opened(), [])
        return document, *result

    # -- discrete before integrated --

    def test_native_backends_with_discrete_devices_come_before_those_with_others(self):
        document, _, printed = self.assert_chosen("sycl integrated UHD\nhip discrete Radeon\n", "hip", "Radeon")
        self.assertEqual(document["auto_order"], ["cuda", "hip", "metal", "aleph", "sycl", "vulkan", "zeta", "cpu"])
        self.assertNotIn("unavailable", printed)
        self.assert_chosen("cuda integrated Tegra\naleph discrete Card\n", "aleph", "Card")

    def test_the_order_of_names_decides_between_equals(self):
        document, _, _ = self.assert_chosen("hip discrete Radeon\nsycl discrete Arc\ncuda discrete GeForce\n", "cuda",
                                            "GeForce")
        self.assertEqual(document["auto_order"][:3], ["cuda", "sycl", "hip"])
        self.assert_chosen("hip integrated Radeon\nsycl integrated UHD\nmetal integrated M1\n", "sycl", "UHD")
        self.assert_chosen("hip unknown Radeon\nsycl virtual UHD\n", "sycl", "UHD")

    def test_portable_backends_come_last_whatever_they_have(self):
        self.assert_chosen("vulkan discrete Radeon\nsycl integrated UHD\n", "sycl", "UHD")
        self.assert_chosen("zeta discrete Radeon\nvulkan integrated UHD\n", "vulkan", "UHD")
        self.assert_chosen("zeta discrete Radeon\naleph integrated UHD\n", "aleph", "UHD")

    def test_of_one_backend_the_discrete_device_is_taken(self):
        self.assert_chosen("sycl integrated UHD\nsycl discrete Arc\nhip discrete Radeon\n", "sycl", "Arc")
        self.assert_chosen("vulkan software Pipe\nvulkan integrated UHD\nvulkan discrete Arc\n", "vulkan", "Arc")

    def test_a_discrete_device_that_cannot_be_used_does_not_count(self):
        self.assert_chosen("sycl integrated UHD\nhip discrete Radeon unusable=too-old\n", "sycl", "UHD")
        self.assert_chosen("sycl integrated UHD\nhip discrete Radeon open=fails\n", "sycl", "UHD")

    def test_a_device_that_starts_but_does_not_plan_gives_way_in_the_order(self):
        machine = self.machine("cuda integrated Tegra\nsycl integrated UHD\nhip discrete Radeon plan=fails\n")
        self.assertEqual(self.capabilities(**machine)["auto_order"][:3], ["hip", "metal", "aleph"])
        _, printed = self.assert_scored_by("cuda", **machine)
        self.assertIn("backend hip unavailable (init_failed: Radeon makes no plans), trying", printed)

    def test_software_is_passed_over(self):
        self.assert_chosen("vulkan software Pipe\n", "cpu")
        self.assert_chosen("cuda software Emulator\nvulkan virtual Card\n", "vulkan", "Card")

    def test_what_the_caller_says_limits_the_choice(self):
        text = "cuda discrete GeForce\nsycl integrated UHD\nsycl discrete Arc\nhip discrete Radeon\n"
        self.assert_chosen(text, "sycl", "Arc", "--no_cuda")
        machine = self.machine(text)
        self.assert_scored_by("hip", "--sycl_device", "0", "--hip_device", "0", **machine)
        self.assertEqual(self.opened()[:2], ["hip Radeon", "sycl UHD"])
        self.assert_scored_by("sycl", "--sycl_device", "1", "--hip_device", "0", **machine)

    # -- one device of several backends --

    def test_equal_uuids_make_devices_the_same(self):
        text = f"cuda discrete GeForce uuid={A}\nvulkan discrete GeForce uuid={A}\nvulkan integrated UHD uuid={B}\n"
        document, _, _ = self.assert_chosen(text, "cuda", "GeForce")
        self.assert_devices(self.backend_in(document, "vulkan"), "same_device_as", ["cuda:0", None])
        listed = self.listed(**self.machine(text))
        self.assertIn("0: GeForce (discrete, same device as cuda:0)\n", listed)
        self.assertIn("1: UHD (integrated)\n", listed)
        self.assertEqual(listed.count("same device"), 1)

    def test_equal_addresses_do_where_uuids_differ(self):
        listed = self.listed(**self.machine(f"hip discrete Radeon uuid={A} pci=0000:03:00.0\n"
                                            f"vulkan discrete RADV uuid={B} pci=00000000:03:00.0\n"
                                            "zeta discrete Third pci=0000:03:00.0\n"
                                            "aleph discrete Other pci=0000:04:00.0\n"))
        self.assertIn("RADV (discrete, same device as hip:0)", listed)
        self.assertIn("Third (discrete, same device as hip:0)", listed)
        self.assertIn("Other (discrete)", listed)

    def test_a_third_party_that_is_listed_later_counts_if_it_comes_first(self):
        listed = self.listed(**self.machine(f"vulkan discrete Card uuid={A}\naleph discrete Native uuid={A}\n"))
        self.assertIn("Card (discrete, same device as aleph:0)", listed)
        self.assertIn("Native (discrete)", listed)

    def test_parts_of_a_card_are_devices_of_their_own(self):
        listed = self.listed(**self.machine(f"cuda discrete Part-1 uuid={A} pci=0000:01:00.0\n"
                                            f"cuda discrete Part-2 uuid={B} pci=0000:01:00.0\n"
                                            f"vulkan discrete Whole uuid={16 * '12'} pci=0000:01:00.0\n"
                                            f"zeta discrete Second uuid={B} pci=0000:01:00.0\n"))
        self.assertIn("Whole (discrete)", listed)
        self.assertIn("Second (discrete, same device as cuda:1)", listed)
        self.assertEqual(listed.count("same device"), 1)

    def test_what_another_backend_cannot_use_is_no_duplicate(self):
        for how in ("unusable=too-old", "open=fails"):
            text = f"cuda discrete GeForce uuid={A} {how}\nvulkan discrete GeForce uuid={A}\n"
            self.assert_chosen(text, "vulkan", "GeForce")
            self.assertNotIn("same device", self.listed(**self.machine(text)))

    def test_of_several_devices_one_that_does_not_open_is_no_duplicate(self):
        text = (f"cuda discrete First uuid={A} open=fails\ncuda discrete Second uuid={B}\n"
                f"vulkan discrete First uuid={A}\nvulkan discrete Second uuid={B}\n")
        document, _, _ = self.assert_chosen(text, "cuda", "Second")
        self.assert_devices(self.backend_in(document, "vulkan"), "same_device_as", [None, "cuda:1"])
        listed = self.listed(**self.machine(text))
        self.assertIn("0: First (discrete), unusable: it could not be opened\n", listed)
        self.assertIn("1: Second (discrete, same device as cuda:1)\n", listed)
        self.assertIn("0: First (discrete)\n", listed)

    def test_devices_of_a_backend_that_cannot_list_them_do_not_count(self):
        text = (f"cuda discrete First uuid={A}\ncuda discrete Second id=none\n"
                f"vulkan discrete First uuid={A}\n")
        self.assert_chosen(text, "vulkan", "First")
        alone = {**self.machine(text), "VMAF_BACKEND_PROBE": "inprocess"}  # no helper has opened them
        self.assertNotIn("same device", self.listed(**alone))
        self.assertEqual(self.capabilities(**alone)["auto_choice"], "vulkan")

    def test_what_is_wrong_with_the_only_device_is_said_once(self):
        listed = self.listed(**self.machine("cuda discrete GeForce unusable=too-old\n"))
        self.assertIn("cuda       unavailable, version 1: GeForce: too-old\n", listed)

    # -- several devices --

    def test_every_device_is_used_once_by_the_first_backend_that_can(self):
        text = (f"cuda discrete GeForce uuid={A}\nvulkan discrete GeForce uuid={A}\nvulkan integrated UHD uuid={B}\n"
                "vulkan software Pipe\nzeta discrete Third\n")
        self.assert_chosen(text, "cuda", "GeForce")
        self.assertEqual(self.opened()[:3], ["cuda GeForce", "vulkan UHD", "zeta Third"])
        self.assertEqual(len(self.opened()) % 3, 0)

    def test_all_devices_of_one_backend(self):
        machine = self.machine("cuda integrated Tegra\ncuda discrete GeForce\nvulkan discrete Card\n")
        inputs = ("--backend", "cuda", "--backend-device", "cuda:all")
        status, report, printed = self.score_once(24, inputs, machine)
        self.assertEqual(status, 0, printed)
        self.assertEqual(self.scores_of(report), self.expected_scores(24))
        self.assertEqual(self.opened(), ["cuda GeForce", "cuda Tegra"])
        devices = report["backend_devices"]
        self.assertEqual([(d["backend"], d.get("name")) for d in devices],
                         [("cuda", "GeForce"), ("cuda", "Tegra"), ("cpu", None)])
        self.assertEqual(sum(d["frames"] for d in devices), 24)

    def test_one_of_all_devices_that_is_lost_is_an_event_and_the_last_one_status_100(self):
        inputs = ("--backend", "cuda", "--backend-device", "cuda:all")
        machine = self.machine("cuda discrete One lost=2\ncuda discrete Two\n")
        status, report, printed = self.score_once(24, inputs, machine)
        self.assertEqual(status, 0, printed)
        self.assertEqual(self.scores_of(report), self.expected_scores(24))
        self.assertEqual([(e["backend"], e["device"]) for e in report["backend_events"]], [("cuda", 0)])
        machine = self.machine("cuda discrete One lost=2\ncuda discrete Two lost=3\n")
        self.assertEqual(self.score_once(24, inputs, machine)[0], 100)

    # -- failures --

    def test_a_backend_that_does_not_start_leaves_the_device_to_the_next(self):
        for how, words in (("cuda no-driver", ""), ("cuda broken", "init_failed: its firmware is broken"),
                           (f"cuda discrete GeForce uuid={A} open=fails", "init_failed: GeForce does not open"),
                           (f"cuda discrete GeForce uuid={A} plan=fails", "init_failed: GeForce makes no plans")):
            _, printed = self.assert_scored_by("vulkan", **self.machine(
                f"{how}\nvulkan discrete GeForce uuid={A}\n"))
            self.assertEqual(set(self.opened()), {"vulkan GeForce"}, how)
            self.assertIn(f"backend cuda unavailable ({words}), trying " if words else "", printed)
            self.assertEqual("unavailable" in printed, bool(words), printed)

    def test_a_device_that_was_lost_is_not_used_again(self):
        self.pauses = True
        used, report, printed = self.score(wanted="cuda", **self.machine(
            f"cuda discrete GeForce uuid={A} lost=2\n"
            f"vulkan discrete GeForce uuid={A}\nvulkan integrated UHD uuid={B}\n"))
        self.assertIn("backend cuda failed at frame", printed)
        self.assertEqual([event["backend"] for event in report["backend_events"]], ["cuda"])
        self.assertLessEqual(used, {"cuda", "vulkan", "cpu"})
        self.assertEqual(self.opened()[:2], ["cuda GeForce", "vulkan UHD"])

    def test_a_part_that_was_lost_does_not_rule_out_its_neighbour(self):
        self.pauses = True
        _, report, _ = self.score(wanted="cuda", **self.machine(
            f"cuda discrete Part-1 uuid={A} pci=0000:01:00.0 lost=2\ncuda discrete Part-2 uuid={B} pci=0000:01:00.0\n"
            f"vulkan discrete Part-2 uuid={B} pci=0000:01:00.0\n"))
        self.assertEqual(len(report["backend_events"]), 1)
        self.assertEqual(self.opened()[:2], ["cuda Part-1", "cuda Part-2"])

    def test_a_device_without_memory_is_not_tried_again(self):
        self.assert_scored_by("cpu", **self.machine(
            f"hip discrete Radeon uuid={A} memory=none\nvulkan discrete Radeon uuid={A}\n"))
        self.assertEqual(self.opened(), [])


if __name__ == "__main__":
    Rules.vmaf, Rules.synth, Rules.plugins = sys.argv[1:4]
    run_cases(sys.argv[4:])
