/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/selection.h"

#include <errno.h>
#include <string.h>

#include "backend/names.h"

static const SelectionHint *find_hint(const SelectionRequest *request, const char *name)
{
    for (unsigned i = 0; i < request->n_hints; i++) {
        if (!strcmp(request->hints[i].name, name))
            return &request->hints[i];
    }
    return NULL;
}

static bool any_considered(const SelectionRequest *request)
{
    for (unsigned i = 0; i < request->n_hints; i++) {
        if (request->hints[i].considered)
            return true;
    }
    return false;
}

static bool takes_part(const SelectionRequest *request, const char *name)
{
    const SelectionHint *hint = find_hint(request, name);
    if (hint && hint->excluded)
        return false;
    return !any_considered(request) || (hint && hint->considered);
}

static bool comes_before(const SelectionCandidate *a, const SelectionCandidate *b)
{
    return backend_name_compare(a->name, a->class, b->name, b->class) < 0;
}

/* The most preferred candidate that takes part and comes after `previous` (-1: any). */
static int next_candidate(const SelectionRequest *request, const SelectionEnvironment *environment,
                          int previous)
{
    const SelectionCandidate *candidates = environment->candidates;
    int best = SELECTION_CPU;
    for (int i = 0; i < (int)environment->n_candidates; i++) {
        if (!takes_part(request, candidates[i].name))
            continue;
        if (previous >= 0 && !comes_before(&candidates[previous], &candidates[i]))
            continue;
        if (best < 0 || comes_before(&candidates[i], &candidates[best]))
            best = i;
    }
    return best;
}

static int choose_automatically(const SelectionRequest *request,
                                const SelectionEnvironment *environment)
{
    if (request->masked)
        return SELECTION_CPU;
    int candidate = next_candidate(request, environment, -1);
    while (candidate >= 0) {
        const char *name = environment->candidates[candidate].name;
        const SelectionHint *hint = find_hint(request, name);
        bool opted_in = hint && hint->considered;
        const SelectionTarget target = {
            .name = name,
            .device = opted_in ? hint->device : -1,
            .hardware_only = !opted_in,
        };
        BackendAvailability availability = {0};
        if (!environment->try_backend(environment->cookie, &target, &availability))
            return candidate;
        int next = next_candidate(request, environment, candidate);
        if (environment->passed_over)
            environment->passed_over(environment->cookie, name, &availability,
                                     next >= 0 ? environment->candidates[next].name : "cpu");
        candidate = next;
    }
    return SELECTION_CPU;
}

int selection_choose(const SelectionRequest *request, const SelectionEnvironment *environment,
                     BackendAvailability *availability)
{
    if (!strcmp(request->name, "cpu"))
        return SELECTION_CPU;
    if (!strcmp(request->name, "auto"))
        return choose_automatically(request, environment);
    for (unsigned i = 0; i < environment->n_candidates; i++) {
        const SelectionTarget target = {.name = request->name, .device = request->device};
        if (strcmp(environment->candidates[i].name, request->name))
            continue;
        int err = environment->try_backend(environment->cookie, &target, availability);
        /* -EPERM is SELECTION_CPU, which a strict choice never falls back to. */
        return err == SELECTION_CPU ? -ENODEV : err ? err : (int)i;
    }
    return backend_availability_set(availability, BACKEND_PLUGIN_NOT_FOUND, -ENODEV,
                                    "no plugin libvmaf-backend-%s.so was found", request->name);
}
