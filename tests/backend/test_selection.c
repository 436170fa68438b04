/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The choice of a backend for every combination of what is installed, works, is excluded and is
 * asked for, for the five known backends and one of a third party.
 */

#include "support/cases.h"

#include <errno.h>
#include <string.h>

#include "backend/selection.h"
#include "libvmaf/backend.h"

enum { BACKENDS = 6 };

/* What a machine has of one backend. */
enum { ABSENT, BROKEN, SOFTWARE, INTEGRATED, DISCRETE, CONDITIONS };

/* What the caller has said of one backend. */
enum { NO_WORD, EXCLUDED, CONSIDERED, WORDS };

typedef struct Machine {
    const char *names[BACKENDS]; /* in the order that the specification gives */
    int condition[BACKENDS];
    bool looks;               /* at native ones, before one is chosen */
    unsigned tried, examined; /* bits: in this order */
    int tries;
} Machine;

static const char *const with_native_third_party[BACKENDS] = {"cuda",  "sycl", "hip",
                                                              "metal", "zeta", "vulkan"};
static const char *const with_portable_third_party[BACKENDS] = {"cuda",  "sycl",   "hip",
                                                                "metal", "vulkan", "alpha"};

static int place(const Machine *machine, const char *name)
{
    for (int i = 0; i < BACKENDS; i++) {
        if (!strcmp(machine->names[i], name))
            return i;
    }
    fail_msg("%s is not on this machine", name);
    return -1;
}

static int try_backend(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability)
{
    Machine *machine = cookie;
    int i = place(machine, target->name);
    assert_int_not_equal(machine->condition[i], ABSENT);
    machine->tried |= 1u << i;
    machine->tries++;
    if (machine->condition[i] == BROKEN)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO, "broken");
    if (machine->condition[i] == SOFTWARE && target->hardware_only)
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV, "software only");
    return 0;
}

static int examine(void *cookie, const SelectionTarget *target, bool *discrete,
                   BackendAvailability *availability)
{
    Machine *machine = cookie;
    int i = place(machine, target->name);
    assert_int_not_equal(machine->condition[i], ABSENT);
    assert_string_not_equal(target->name, "vulkan");
    assert_string_not_equal(target->name, "alpha");
    assert_false(machine->examined >> i & 1);
    machine->examined |= 1u << i;
    *discrete = machine->condition[i] == DISCRETE;
    if (machine->condition[i] == SOFTWARE && target->hardware_only)
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV, "software only");
    return 7; /* any number that is not negative; what is broken shows later */
}

/* Candidates are what is installed, offered in an order that means nothing. */
static unsigned list_candidates(const Machine *machine, SelectionCandidate candidates[BACKENDS])
{
    static const int shuffled[BACKENDS] = {4, 1, 5, 0, 3, 2};
    unsigned n = 0;
    for (int i = 0; i < BACKENDS; i++) {
        const char *name = machine->names[shuffled[i]];
        bool portable = !strcmp(name, "vulkan") || !strcmp(name, "alpha");
        if (machine->condition[shuffled[i]] != ABSENT)
            candidates[n++] = (SelectionCandidate){.name = name,
                                                   .class = portable ? VMAF_BACKEND_CLASS_PORTABLE
                                                                     : VMAF_BACKEND_CLASS_NATIVE};
    }
    return n;
}

/* The name that is chosen, "cpu", or NULL for an error. */
static const char *choose(Machine *machine, const char *requested, const int words[BACKENDS],
                          bool masked, BackendAvailability *availability)
{
    SelectionCandidate candidates[BACKENDS];
    SelectionHint hints[BACKENDS];
    unsigned n_hints = 0;
    for (int i = 0; i < BACKENDS; i++) {
        if (words[i] != NO_WORD)
            hints[n_hints++] = (SelectionHint){.name = machine->names[i],
                                               .excluded = words[i] == EXCLUDED,
                                               .considered = words[i] == CONSIDERED,
                                               .device = -1};
    }
    machine->tried = 0;
    machine->examined = 0;
    machine->tries = 0;
    const SelectionEnvironment environment = {
        .cookie = machine,
        .n_candidates = list_candidates(machine, candidates),
        .candidates = candidates,
        .examine = machine->looks ? examine : NULL,
        .try_backend = try_backend,
    };
    const SelectionRequest request = {
        .name = requested, .device = -1, .masked = masked, .n_hints = n_hints, .hints = hints};
    int chosen = selection_choose(&request, &environment, availability);
    if (chosen >= 0)
        return candidates[chosen].name;
    return chosen == SELECTION_CPU ? "cpu" : NULL;
}

/* Runs over all values of n digits of a number system; false when it wraps. */
static bool next_combination(int digits[], int n, int base)
{
    for (int i = 0; i < n; i++) {
        if (++digits[i] < base)
            return true;
        digits[i] = 0;
    }
    return false;
}

static bool takes_part(const Machine *machine, const int words[BACKENDS], int i)
{
    bool flags_given = false;
    for (int k = 0; k < BACKENDS; k++)
        flags_given |= words[k] == CONSIDERED;
    return machine->condition[i] != ABSENT &&
           (flags_given ? words[i] == CONSIDERED : words[i] != EXCLUDED);
}

static bool works(const Machine *machine, const int words[BACKENDS], int i)
{
    return takes_part(machine, words, i) &&
           (machine->condition[i] >= INTEGRATED ||
            (machine->condition[i] == SOFTWARE && words[i] == CONSIDERED));
}

static bool is_portable(const char *name)
{
    return !strcmp(name, "vulkan") || !strcmp(name, "alpha");
}

/* By the words of the specification, one backend after the other. */
static const char *expected_of_auto(const Machine *machine, const int words[BACKENDS])
{
    for (int i = 0; i < BACKENDS && machine->looks; i++) {
        if (!is_portable(machine->names[i]) && machine->condition[i] == DISCRETE &&
            works(machine, words, i))
            return machine->names[i];
    }
    for (int i = 0; i < BACKENDS; i++) {
        if (works(machine, words, i))
            return machine->names[i];
    }
    return "cpu";
}

/* Nothing that was excluded, and nothing behind the choice, is ever touched. */
static void check_touched(const Machine *machine, const int words[BACKENDS], const char *chosen)
{
    const bool any = strcmp(chosen, "cpu") != 0;
    const int last = any ? place(machine, chosen) : BACKENDS;
    const bool first_round = any && machine->looks && machine->condition[last] == DISCRETE &&
                             !is_portable(machine->names[last]);
    for (int i = 0; i < BACKENDS; i++) {
        const bool tried = machine->tried >> i & 1, examined = machine->examined >> i & 1;
        assert_false((tried || examined) && words[i] == EXCLUDED);
        assert_false(tried && i > last && machine->condition[i] != DISCRETE);
        assert_false(examined && i > last && first_round);
        assert_false(tried && i != last && works(machine, words, i));
    }
}

/* The words are the first ones. Of all combinations, one in `stride`. */
static void check_auto(const char *const names[BACKENDS], bool looks, int n_words, int stride)
{
    bool more = true;
    Machine machine = {.looks = looks};
    int state[BACKENDS] = {0};
    memcpy(machine.names, names, sizeof(machine.names));
    while (more) {
        int words[BACKENDS];
        for (int i = 0; i < BACKENDS; i++) {
            machine.condition[i] = state[i] % CONDITIONS;
            words[i] = state[i] / CONDITIONS;
        }
        BackendAvailability availability = {0};
        const char *chosen = choose(&machine, "auto", words, false, &availability);
        const char *expected = expected_of_auto(&machine, words);
        if (!chosen || strcmp(chosen, expected))
            fail_msg("chose %s instead of %s", chosen ? chosen : "an error", expected);
        check_touched(&machine, words, expected);
        for (int i = 0; i < stride && more; i++)
            more = next_combination(state, BACKENDS, CONDITIONS * n_words);
    }
}

CASE(given_auto_when_anything_is_installed_then_the_first_that_works_is_taken)
{
    check_auto(with_native_third_party, false, EXCLUDED + 1, 1);
    check_auto(with_portable_third_party, false, EXCLUDED + 1, 1);
}

CASE(given_native_backends_then_one_with_a_discrete_device_comes_first)
{
    check_auto(with_native_third_party, true, WORDS, 7);
    check_auto(with_portable_third_party, true, EXCLUDED + 1, 1);
}

CASE(given_a_name_when_anything_else_works_then_it_is_that_backend_or_an_error)
{
    Machine machine = {.looks = true};
    memcpy(machine.names, with_native_third_party, sizeof(machine.names));
    for (int requested = 0; requested < BACKENDS; requested++) {
        int state_of[BACKENDS] = {0};
        do {
            /* Exclusions are about auto only; the program rejects the contradiction. */
            int words[BACKENDS];
            for (int i = 0; i < BACKENDS; i++) {
                machine.condition[i] = state_of[i] % CONDITIONS;
                words[i] = state_of[i] / CONDITIONS ? EXCLUDED : NO_WORD;
            }
            BackendAvailability availability = {0};
            const char *name = machine.names[requested];
            const char *chosen = choose(&machine, name, words, false, &availability);
            int condition = machine.condition[requested];
            if (condition >= SOFTWARE)
                assert_ptr_equal(chosen, name);
            else
                assert_null(chosen);
            if (condition == ABSENT)
                assert_int_equal(availability.state, BACKEND_PLUGIN_NOT_FOUND);
            if (condition == BROKEN)
                assert_int_equal(availability.state, BACKEND_INIT_FAILED);
            assert_int_equal(machine.tried, condition == ABSENT ? 0 : 1u << requested);
        } while (next_combination(state_of, BACKENDS, CONDITIONS * 2));
    }
}

CASE(given_cpu_or_a_mask_when_everything_works_then_nothing_is_tried)
{
    Machine machine = {.looks = true};
    const int no_words[BACKENDS] = {0};
    memcpy(machine.names, with_native_third_party, sizeof(machine.names));
    for (int i = 0; i < BACKENDS; i++)
        machine.condition[i] = DISCRETE;
    BackendAvailability availability = {0};
    assert_string_equal(choose(&machine, "cpu", no_words, false, &availability), "cpu");
    assert_int_equal(machine.tries, 0);
    assert_string_equal(choose(&machine, "auto", no_words, true, &availability), "cpu");
    assert_int_equal(machine.tries, 0);
    /* A mask does not change what was asked for by name. */
    assert_string_equal(choose(&machine, "hip", no_words, true, &availability), "hip");
}

static void count_message(void *cookie, const char *name, const BackendAvailability *availability,
                          const char *next)
{
    char *text = cookie;
    strcat(text, name);
    strcat(text, availability->state == BACKEND_INIT_FAILED ? "!" : "?");
    strcat(text, next);
    strcat(text, " ");
}

static int nothing_works(void *cookie, const SelectionTarget *target,
                         BackendAvailability *availability)
{
    bool broken = !strcmp(target->name, "hip");
    return backend_availability_set(
        availability, broken ? BACKEND_INIT_FAILED : BACKEND_DRIVER_MISSING, -ENODEV, "no");
}

CASE(given_auto_when_candidates_fail_then_each_is_reported_with_its_successor)
{
    char text[128] = "";
    SelectionCandidate candidates[] = {{.name = "vulkan", .class = VMAF_BACKEND_CLASS_PORTABLE},
                                       {.name = "hip", .class = VMAF_BACKEND_CLASS_NATIVE},
                                       {.name = "other", .class = VMAF_BACKEND_CLASS_NATIVE}};
    const SelectionEnvironment environment = {.cookie = text,
                                              .n_candidates = 3,
                                              .candidates = candidates,
                                              .try_backend = nothing_works,
                                              .passed_over = count_message};
    const SelectionRequest request = {.name = "auto", .device = -1};
    BackendAvailability availability;
    assert_int_equal(selection_choose(&request, &environment, &availability), SELECTION_CPU);
    assert_string_equal(text, "hip!other other?vulkan vulkan?cpu ");
}

/* "aleph" is broken before its device is known, "hip" has a discrete device that does not open. */
static int some_devices(void *cookie, const SelectionTarget *target, bool *discrete,
                        BackendAvailability *availability)
{
    *discrete = !strcmp(target->name, "hip");
    return strcmp(target->name, "aleph") != 0
               ? 0
               : backend_availability_set(availability, BACKEND_DRIVER_MISSING, -ENODEV, "no");
}

CASE(given_devices_of_all_kinds_then_failures_are_reported_in_the_order_of_tries)
{
    char text[128] = "";
    SelectionCandidate candidates[] = {{.name = "vulkan"},
                                       {.name = "hip"},
                                       {.name = "sycl"},
                                       {.name = "aleph", .class = VMAF_BACKEND_CLASS_NATIVE}};
    const SelectionEnvironment environment = {.cookie = text,
                                              .n_candidates = 4,
                                              .candidates = candidates,
                                              .examine = some_devices,
                                              .try_backend = nothing_works,
                                              .passed_over = count_message};
    const SelectionRequest request = {.name = "auto", .device = -1};
    BackendAvailability availability;
    assert_int_equal(selection_choose(&request, &environment, &availability), SELECTION_CPU);
    assert_string_equal(text, "hip!aleph aleph?sycl sycl?vulkan vulkan?cpu ");
}

typedef struct Tries {
    char text[128];
    unsigned n, wanted; /* that work */
} Tries;

/* "hip" does not. */
static int try_one(void *cookie, const SelectionTarget *target, BackendAvailability *availability)
{
    Tries *tries = cookie;
    strcat(strcat(tries->text, target->name), " ");
    if (!strcmp(target->name, "hip"))
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENODEV, "no");
    tries->n++;
    return 0;
}

static bool wants_more(void *cookie)
{
    const Tries *tries = cookie;
    return tries->n < tries->wanted;
}

CASE(given_several_are_wanted_then_each_is_tried_once_until_there_are_enough)
{
    static const char *const tried[] = {"cuda ", "cuda sycl ", "cuda sycl hip vulkan ",
                                        "cuda sycl hip vulkan "};
    for (unsigned wanted = 1; wanted <= 4; wanted++) {
        Tries tries = {.wanted = wanted};
        SelectionCandidate candidates[] = {
            {.name = "vulkan"}, {.name = "sycl"}, {.name = "hip"}, {.name = "cuda"}};
        const SelectionEnvironment environment = {.cookie = &tries,
                                                  .n_candidates = 4,
                                                  .candidates = candidates,
                                                  .try_backend = try_one,
                                                  .wants_more = wants_more};
        const SelectionRequest request = {.name = "auto", .device = -1};
        BackendAvailability availability;
        assert_int_equal(selection_choose(&request, &environment, &availability), 3);
        assert_string_equal(tries.text, tried[wanted - 1]);
    }
}

static int check_device(void *cookie, const SelectionTarget *target,
                        BackendAvailability *availability)
{
    *(SelectionTarget *)cookie = *target;
    return 0;
}

CASE(given_a_device_when_a_backend_is_tried_then_it_is_that_device)
{
    SelectionTarget seen;
    SelectionCandidate candidate = {.name = "vulkan", .class = VMAF_BACKEND_CLASS_PORTABLE};
    const SelectionEnvironment environment = {
        .cookie = &seen, .n_candidates = 1, .candidates = &candidate, .try_backend = check_device};
    const SelectionHint hint = {.name = "vulkan", .considered = true, .device = 3};
    SelectionRequest request = {.name = "auto", .device = -1, .n_hints = 1, .hints = &hint};
    BackendAvailability availability;
    assert_int_equal(selection_choose(&request, &environment, &availability), 0);
    assert_int_equal(seen.device, 3);
    assert_false(seen.hardware_only);

    request = (SelectionRequest){.name = "vulkan", .device = 2};
    assert_int_equal(selection_choose(&request, &environment, &availability), 0);
    assert_int_equal(seen.device, 2);
    assert_false(seen.hardware_only);

    request = (SelectionRequest){.name = "auto", .device = -1};
    assert_int_equal(selection_choose(&request, &environment, &availability), 0);
    assert_int_equal(seen.device, -1);
    assert_true(seen.hardware_only);
}
