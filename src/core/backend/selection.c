/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/selection.h"

#include <errno.h>
#include <string.h>

#include "platform/module.h"

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

typedef bool Condition(const SelectionCandidate *candidate);

static bool is_to_be_tried(const SelectionCandidate *candidate)
{
    return candidate->state == SELECTION_NEW || candidate->state == SELECTION_DEFERRED;
}

static bool is_to_be_examined(const SelectionCandidate *candidate)
{
    return candidate->state == SELECTION_NEW &&
           backend_name_is_native(candidate->name, candidate->class);
}

/* The most preferred candidate that takes part and of which the condition is true. */
static int first_candidate(const SelectionRequest *request, const SelectionEnvironment *environment,
                           Condition *condition)
{
    const SelectionCandidate *candidates = environment->candidates;
    int best = SELECTION_CPU;
    for (int i = 0; i < (int)environment->n_candidates; i++) {
        if (takes_part(request, candidates[i].name) && condition(&candidates[i]) &&
            (best < 0 || comes_before(&candidates[i], &candidates[best])))
            best = i;
    }
    return best;
}

/* Native ones are looked at in order until one with a discrete device works; then come those that
 * were put off, and the others. */
static int next_candidate(const SelectionRequest *request, const SelectionEnvironment *environment)
{
    const int native = environment->examine
                           ? first_candidate(request, environment, is_to_be_examined)
                           : SELECTION_CPU;
    return native >= 0 ? native : first_candidate(request, environment, is_to_be_tried);
}

static SelectionTarget target_of(const SelectionRequest *request, const char *name)
{
    const SelectionHint *hint = find_hint(request, name);
    const bool opted_in = hint && hint->considered;
    return (SelectionTarget){
        .name = name,
        .device = opted_in ? hint->device : -1,
        .hardware_only = !opted_in,
    };
}

/* True if a candidate works; else its state is why it does not. */
static bool works(const SelectionRequest *request, const SelectionEnvironment *environment,
                  SelectionCandidate *candidate, BackendAvailability *availability)
{
    const SelectionTarget target = target_of(request, candidate->name);
    bool its_turn = true;
    int err = 0;
    if (environment->examine && is_to_be_examined(candidate))
        err = environment->examine(environment->cookie, &target, &its_turn, availability);
    if (err >= 0 && its_turn)
        err = environment->try_backend(environment->cookie, &target, availability);
    if (err >= 0 && its_turn)
        return true;
    candidate->state = err < 0 ? SELECTION_FAILED : SELECTION_DEFERRED;
    return false;
}

static int choose_automatically(const SelectionRequest *request,
                                const SelectionEnvironment *environment)
{
    int chosen = SELECTION_CPU;
    int next = request->masked ? SELECTION_CPU : next_candidate(request, environment);
    while (next >= 0) {
        SelectionCandidate *candidate = &environment->candidates[next];
        BackendAvailability availability = {0};
        if (works(request, environment, candidate, &availability)) {
            chosen = chosen < 0 ? next : chosen;
            if (!environment->wants_more || !environment->wants_more(environment->cookie))
                break;
            candidate->state = SELECTION_CHOSEN;
        }
        next = next_candidate(request, environment);
        if (candidate->state == SELECTION_FAILED && environment->passed_over)
            environment->passed_over(environment->cookie, candidate->name, &availability,
                                     next >= 0 ? environment->candidates[next].name : "cpu");
    }
    return chosen;
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
                                    "no plugin libvmaf-backend-%s" VMAF_MODULE_SUFFIX " was found",
                                    request->name);
}

static bool is_avoided(const BackendDeviceRequest *request, const BackendDeviceDescription *device)
{
    for (unsigned i = 0; i < request->n_avoided; i++) {
        if (device_description_same(request->avoided[i], device))
            return true;
    }
    return false;
}

/* The lower, the better; the first of the best is taken. */
static unsigned rank_of(const BackendDeviceRequest *request, uint32_t kind)
{
    if (kind == VMAF_BACKEND_DEVICE_SOFTWARE)
        return 2;
    return request->discrete_first && kind != VMAF_BACKEND_DEVICE_DISCRETE;
}

static bool is_suitable(const BackendDeviceList *found, unsigned i, uint64_t opened,
                        const BackendDeviceRequest *request, bool *avoided)
{
    const BackendDeviceDescription *device = &found->devices[i];
    if (!(opened >> i & 1))
        return false;
    if (is_avoided(request, device)) {
        *avoided = true;
        return false;
    }
    return !request->hardware_only || device->kind != VMAF_BACKEND_DEVICE_SOFTWARE;
}

static int best_device(const BackendDeviceList *found, uint64_t opened,
                       const BackendDeviceRequest *request, bool *avoided)
{
    int best = -1;
    for (unsigned i = 0; i < found->n_devices; i++) {
        const uint32_t kind = found->devices[i].kind;
        if (is_suitable(found, i, opened, request, avoided) &&
            (best < 0 || rank_of(request, kind) < rank_of(request, found->devices[best].kind)))
            best = (int)i;
    }
    return best;
}

/* One that was asked for by its index. */
static int choose_by_index(const BackendDeviceRequest *request, const BackendDeviceList *found,
                           BackendAvailability *availability)
{
    const unsigned wanted = (unsigned)request->index;
    if (wanted < found->n_devices)
        return request->index;
    if (wanted - found->n_devices < found->n_unusable) {
        const BackendDeviceDescription *device = &found->unusable[wanted - found->n_devices];
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV, "%.80s: %s",
                                        device->name, device->unusable);
    }
    return backend_availability_set(availability, BACKEND_NO_DEVICE, -EINVAL,
                                    "there is no device %d; there are %u", request->index,
                                    found->n_devices);
}

int device_choose(BackendEntry *entry, const BackendDeviceRequest *request,
                  const BackendDeviceList *found, BackendAvailability *availability)
{
    bool avoided = false;
    const int index = request->index >= 0 ? choose_by_index(request, found, availability)
                                          : best_device(found, backend_entry_opened_devices(entry),
                                                        request, &avoided);
    if (request->index >= 0 && index < 0)
        return index;
    if (index < 0 && avoided)
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV,
                                        "its device is used by another backend, or has failed");
    if (index < 0 ||
        (request->hardware_only && found->devices[index].kind == VMAF_BACKEND_DEVICE_SOFTWARE))
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV,
                                        "there is no hardware device, only software");
    return index;
}

/* Two drivers of one backend may list the same device. */
static bool is_listed(const BackendDeviceList *found, const int indices[], unsigned n, unsigned i)
{
    for (unsigned k = 0; k < n; k++) {
        if (device_description_same(&found->devices[indices[k]], &found->devices[i]))
            return true;
    }
    return false;
}

int device_choose_all(BackendEntry *entry, const BackendDeviceRequest *request,
                      int indices[BACKEND_DEVICES_MAX], BackendAvailability *availability)
{
    BackendDeviceList found;
    bool avoided = false;
    const int err = backend_entry_enumerate(entry, &found, availability);
    const int best = err < 0 ? err : device_choose(entry, request, &found, availability);
    if (best < 0)
        return best;
    unsigned n = 0;
    indices[n++] = best;
    if (request->index >= 0)
        return (int)n;
    const uint64_t opened = backend_entry_opened_devices(entry);
    const bool software = found.devices[best].kind == VMAF_BACKEND_DEVICE_SOFTWARE;
    for (unsigned rank = 0; rank <= 2; rank++) {
        for (unsigned i = 0; i < found.n_devices; i++) {
            const uint32_t kind = found.devices[i].kind;
            if (rank_of(request, kind) == rank &&
                software == (kind == VMAF_BACKEND_DEVICE_SOFTWARE) &&
                is_suitable(&found, i, opened, request, &avoided) && (int)i != best &&
                !is_listed(&found, indices, n, i))
                indices[n++] = (int)i;
        }
    }
    return (int)n;
}

int device_examine(BackendEntry *entry, const BackendDeviceRequest *request, bool *discrete,
                   BackendAvailability *availability)
{
    BackendDeviceList found;
    *discrete = false;
    const int err = backend_entry_enumerate(entry, &found, availability);
    if (err < 0)
        return err;
    const int index = device_choose(entry, request, &found, availability);
    if (index >= 0)
        *discrete = found.devices[index].kind == VMAF_BACKEND_DEVICE_DISCRETE;
    return index;
}
