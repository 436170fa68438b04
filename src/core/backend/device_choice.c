/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/device_choice.h"

#include <errno.h>

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

static int choose_automatically(const BackendDeviceList *found, uint64_t opened,
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
    const int index =
        request->index >= 0
            ? choose_by_index(request, found, availability)
            : choose_automatically(found, backend_entry_opened_devices(entry), request, &avoided);
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
