/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Which chip a device has, as the HIP layer sees it, and which code it gets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"
#include "hip_internal.h"
#include "support/cases.h"
#include "test_sets.h"
#include "trip.h"

static const Emulated *runtime;
static const VmafDeviceOpenParams usual;

/* The device's own description, or why it cannot be used. */
static void describe(const char *chip, bool has_topology, VmafDeviceInfo *info)
{
    char machine[96], reason[256];
    size_t count;
    snprintf(machine, sizeof(machine), "device Card\n chip %s\n pci 0001:2a:1b.0", chip);
    emulated_use(machine, has_topology);
    assert_int_equal(runtime->layer->enumerate(info, 1, &count, reason, sizeof(reason)), 0);
    assert_int_equal(count, 1);
    /* What is tried is not kept. */
    if (!info->unusable[0])
        assert_int_equal(runtime->count("hipModuleUnload"), has_topology ? 0 : 1);
}

CASE(given_a_topology_the_chip_is_what_it_says)
{
    VmafDeviceInfo info;
    char reason[256];
    size_t count;
    describe("gfx906", true, &info);
    assert_string_equal(info.unusable, "");
    assert_non_null(strstr(info.driver, ", gfx906"));
    assert_int_equal(runtime->count("hipModuleLoadData"), 0);
    describe("gfx90a", true, &info); /* its version is 90010 */
    assert_non_null(strstr(info.driver, ", gfx90a"));
    /* Of a chip that is yet to come, code that its driver would take is not tried. */
    emulated_use("device Card\n chip gfx1030\n", true);
    emulated_say_version("100300", "130102");
    assert_int_equal(runtime->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), 0);
    assert_string_equal(info.unusable, "no kernels for gfx1312 (Card)");
    assert_int_equal(runtime->count("hipModuleLoadData"), 0);
}

CASE(given_two_cards_that_differ_by_domain_alone_each_has_its_chip)
{
    VmafDeviceInfo infos[2];
    char reason[256];
    size_t count;
    emulated_use("device First\n chip gfx1030\n pci 0000:03:00.0\n"
                 "device Second\n chip gfx906\n pci 0001:03:00.0\n",
                 true);
    assert_int_equal(runtime->layer->enumerate(infos, 2, &count, reason, sizeof(reason)), 0);
    assert_int_equal(count, 2);
    assert_non_null(strstr(infos[0].driver, ", gfx1030"));
    assert_non_null(strstr(infos[1].driver, ", gfx906"));
}

CASE(given_no_topology_the_chip_is_the_one_whose_code_is_taken)
{
    VmafDeviceInfo info;
    Trip trip;
    describe("gfx1030", false, &info);
    assert_string_equal(info.unusable, "");
    assert_non_null(strstr(info.driver, ", gfx1030"));
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_int_equal(trip_run(&trip, 4), 0);
    trip_end(&trip);
    assert_int_equal(runtime->count("memory"), 0);
}

CASE(given_a_chip_for_which_anothers_code_is_right_it_runs_that)
{
    static const char *const chips[] = {"gfx1031", "gfx1032", "gfx1033",
                                        "gfx1034", "gfx1035", "gfx1036"};
    for (size_t i = 0; i < 2 * sizeof(chips) / sizeof(chips[0]); i++) {
        VmafDeviceInfo info;
        Trip trip;
        describe(chips[i / 2], i % 2, &info);
        assert_string_equal(info.unusable, "");
        assert_string_equal(strrchr(info.driver, ' ') + 1, chips[i / 2]);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_int_equal(trip_run(&trip, 4), 0);
        trip_end(&trip);
        assert_int_equal(runtime->count("memory"), 0);
    }
}

/* A machine on which every code is rejected with this error, the first time. */
static void refuse_all(const char *error, VmafDeviceInfo *info)
{
    char machine[4096] = "device Card\n chip gfx1030\n", reason[256];
    const VmafKernelCode *code;
    size_t count, length = strlen(machine), n_chips = 0;
    while (hip_chip_with_code(test_kernel_set("hip")->kernels, n_chips, &code))
        n_chips++;
    for (size_t n = 1; n <= n_chips; n++)
        length += (size_t)snprintf(machine + length, sizeof(machine) - length,
                                   "fail hipModuleLoadData %zu %s\n", n, error);
    emulated_use(machine, false);
    assert_int_equal(runtime->layer->enumerate(info, 1, &count, reason, sizeof(reason)), 0);
    assert_int_equal(count, 1);
    assert_int_equal(runtime->count("hipModuleLoadData"), n_chips);
    assert_int_equal(runtime->count("hipModuleUnload"), 0);
    assert_int_equal(runtime->peek_error(), hipSuccess);
}

CASE(given_no_topology_and_no_code_that_is_taken_there_are_no_kernels)
{
    VmafDeviceInfo info;
    refuse_all("hipErrorNoBinaryForGpu", &info);
    assert_string_equal(info.unusable, "no kernels for the chip of Card");
    refuse_all("303", &info); /* what loaders of code say */
    assert_string_equal(info.unusable, "no kernels for the chip of Card");
    refuse_all("hipErrorUnknown", &info); /* the chip is not to blame */
    assert_non_null(strstr(info.unusable, "Card loads no kernels: hipErrorUnknown"));
}

CASE(given_a_chip_that_rocm_is_told_to_take_it_for_the_driver_is_asked)
{
    static const char *const variables[] = {"HSA_OVERRIDE_GFX_VERSION",
                                            "HSA_OVERRIDE_GFX_VERSION_1"};
    VmafDeviceInfo info;
    char reason[256];
    size_t count;
    for (int i = 0; i < 2; i++) {
        emulated_use("device Card\n chip gfx1030\n", true);
        emulated_say_version("100300", "100301"); /* the kernel's own truth */
        setenv(variables[i], "10.3.0", 1);
        assert_int_equal(runtime->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), 0);
        unsetenv(variables[i]);
        assert_string_equal(info.unusable, "");
        assert_non_null(strstr(info.driver, ", gfx10"));
        assert_int_not_equal(runtime->count("hipModuleLoadData"), 0);
    }
}

CASE(given_no_topology_and_no_memory_that_is_what_is_said)
{
    VmafDeviceInfo info;
    char reason[256];
    size_t count;
    emulated_use("device Card\n chip gfx1030\nfail hipModuleLoadData 1 hipErrorOutOfMemory\n",
                 false);
    assert_int_equal(runtime->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), 0);
    assert_non_null(strstr(info.unusable, "Card loads no kernels: hipErrorOutOfMemory"));
    assert_int_equal(runtime->count("hipModuleLoadData"), 1);
    assert_int_equal(runtime->count("hipModuleUnload"), 0);
}

/* Loads a kernel that comes as these codes, all of them made for gfx1030, on a device of that chip.
 * How many are tried; *err: the outcome. */
static uint64_t tries(const char *const architectures[3], int *err)
{
    const VmafKernelSet *set = test_kernel_set("hip");
    const VmafKernel *source = vmaf_kernel_set_find(set, "reads_outside");
    VmafKernelCode codes[3];
    VmafKernel kernel = *source;
    const VmafKernelSet own = {.target = set->target, .kernels = &kernel, .count = 1};
    const VmafDeviceOpenParams params = {.kernels = &own};
    Trip trip;
    size_t made = 0;
    while (strcmp(source->codes[made].architecture, "gfx1030") != 0)
        made++;
    for (int i = 0; i < 3; i++) {
        codes[i] = source->codes[made];
        codes[i].architecture = architectures[i];
    }
    kernel.codes = codes;
    kernel.n_codes = 3;
    emulated_use("device\n chip gfx1030", true);
    *err = trip_begin(&trip, &params);
    if (!*err)
        assert_int_equal(trip_run(&trip, 3), 0);
    const uint64_t loads = runtime->count("hipModuleLoadData");
    trip_end(&trip);
    return loads;
}

CASE(given_codes_the_chips_own_comes_before_its_familys_and_others_never)
{
    static const struct {
        const char *architectures[3];
        uint64_t tries;
        int error;
    } cases[] = {
        {{"gfx10-3-generic", "gfx1030", "gfx906"}, 1, 0},
        {{"gfx906", "gfx11-generic", "gfx10-3-generic"}, 1, 0},
        {{"gfx906", "gfx1100", "gfx1031"}, 0, -ENOTSUP},
        {{"gfx10-1-generic", "gfx103", "gfx10300"}, 0, -ENOTSUP},
        {{"gfx9-generic", "gfx9-4-generic", "gfx12-generic"}, 0, -ENOTSUP},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int err;
        const uint64_t found = tries(cases[i].architectures, &err);
        if (err != cases[i].error || found != cases[i].tries)
            fail_msg("case %zu: error %d, %d tries", i, err, (int)found);
    }
}

CASE(given_own_code_that_is_refused_the_familys_is_tried)
{
    static const char *const architectures[] = {"gfx10-3-generic", "gfx1030", "gfx906"};
    const VmafKernelSet *set = test_kernel_set("hip");
    const VmafKernel *source = vmaf_kernel_set_find(set, "reads_outside");
    VmafKernelCode codes[3] = {{0}};
    VmafKernel kernel = *source;
    const VmafKernelSet own = {.target = set->target, .kernels = &kernel, .count = 1};
    const VmafDeviceOpenParams params = {.kernels = &own};
    Trip trip;
    for (int i = 0; i < 3; i++) {
        size_t made = 0;
        /* What is called gfx1030 is another chip's. */
        while (strcmp(source->codes[made].architecture, i == 1 ? "gfx906" : "gfx1030") != 0)
            made++;
        codes[i] = source->codes[made];
        codes[i].architecture = architectures[i];
    }
    kernel.codes = codes;
    kernel.n_codes = 3;
    emulated_use("device\n chip gfx1030", true);
    assert_int_equal(trip_begin(&trip, &params), 0);
    assert_int_equal(runtime->count("hipModuleLoadData"), 2);
    assert_int_equal(trip_run(&trip, 8), 0);
    trip_end(&trip);
    assert_int_equal(runtime->peek_error(), hipSuccess);
}

CASE(given_code_that_the_runtime_refuses_the_kernel_is_not_found)
{
    Trip trip;
    char text[256];
    emulated_use("fail hipModuleLoadData 1 hipErrorNoBinaryForGpu", true);
    assert_int_equal(trip_begin(&trip, &usual), -ENOTSUP);
    trip.layer->last_error(trip.device, text, sizeof(text));
    assert_non_null(strstr(text, "reads_outside failed with hipErrorNoBinaryForGpu"));
    trip_forget(&trip);
    assert_int_equal(trip_prepare(&trip), 0); /* asks again */
    assert_int_equal(trip_run(&trip, 1), 0);
    trip_end(&trip);
}

CASE(given_families_they_have_their_chips_and_no_others)
{
    static const struct {
        const char *name, *chips[9];
    } families[] = {
        {"gfx9-generic", {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
        {"gfx9-4-generic", {"gfx942", "gfx950"}},
        {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
        {"gfx10-3-generic",
         {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
        {"gfx11-generic",
         {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
        {"gfx12-generic", {"gfx1200", "gfx1201"}},
    };
    enum { N = sizeof(families) / sizeof(families[0]) };
    static const char *const none[] = {"gfx908", "gfx90a", "gfx103", "gfx1037", "gfx1300", ""};
    for (size_t f = 0; f < N; f++) {
        for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
            assert_int_equal(hip_code_fits(families[f].name, none[i]), 0);
        for (size_t other = 0; other < N; other++) {
            for (const char *const *chip = families[other].chips; *chip; chip++)
                assert_int_equal(hip_code_fits(families[f].name, *chip), f == other);
        }
    }
    assert_int_equal(hip_code_fits("gfx90a", "gfx90a"), HIP_CODE_OWN);
    assert_int_equal(hip_code_fits("gfx90a", "gfx90c"), HIP_CODE_NOT);
    assert_int_equal(hip_code_fits("gfx900", "gfx90c"), HIP_CODE_TWIN);
    assert_int_equal(hip_code_fits("gfx90c", "gfx900"), HIP_CODE_NOT);
}

int main(int argc, char **argv)
{
    runtime = emulated_load();
    trip_use_layer("hip");
    const int failed = run_cases(argc, argv);
    emulated_unload();
    return failed;
}
