/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Devices: enumerating them, opening one, and its errors. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream_internal.h"

/* -- enumeration -- */

/* Converts the PCI address to lower case, as other interfaces write it. */
static void clean_pci(VmafDeviceInfo *info)
{
    info->pci[sizeof(info->pci) - 1] = '\0';
    for (char *c = info->pci; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'F' ? *c - 'A' + 'a' : *c);
}

/* Sets the id: the UUID, which other interfaces report too; else the PCI address; else the id that
 * the API has set; else the device's number. A UUID of zeros counts as unknown. */
static void identify(VmafDeviceInfo *info, uint32_t index)
{
    unsigned all = 0;
    clean_pci(info);
    for (size_t i = 0; i < sizeof(info->uuid); i++)
        all |= info->uuid[i];
    if (!all)
        info->identities &= ~VMAF_BACKEND_IDENTITY_UUID;
    if (info->id[0])
        return; /* the API's id is better than the number */
    if (info->identities & VMAF_BACKEND_IDENTITY_UUID) {
        for (size_t i = 0; i < sizeof(info->uuid); i++)
            snprintf(info->id + 2 * i, sizeof(info->id) - 2 * i, "%02x", info->uuid[i]);
    } else if (info->identities & VMAF_BACKEND_IDENTITY_PCI) {
        snprintf(info->id, sizeof(info->id), "%s", info->pci);
    } else if (!info->id[0]) {
        snprintf(info->id, sizeof(info->id), "device-%u", (unsigned)index);
    }
}

/* Order of kinds; devices that cannot be used come last. */
static int rank(const VmafStreamCandidate *candidate)
{
    return candidate->info.unusable[0] ? VMAF_DEVICE_SOFTWARE + 1 : (int)candidate->info.kind;
}

/* Inserts a candidate by rank; devices of equal rank keep the driver's order. */
static void insert(VmafStreamCandidate *candidates, size_t n, const VmafStreamCandidate *added)
{
    while (n > 0 && rank(&candidates[n - 1]) > rank(added)) {
        candidates[n] = candidates[n - 1];
        n--;
    }
    candidates[n] = *added;
}

/* Finds discrete devices, integrated ones, and those that cannot be used, each in the driver's
 * order. If none is usable, the reason says why. */
static size_t find_candidates(const VmafStreamApi *api, VmafStreamCandidate *candidates,
                              char *reason, size_t reason_size)
{
    const uint32_t count = api->count();
    size_t n = 0;
    for (uint32_t i = 0; i < count && n < VMAF_STREAM_MAX_DEVICES; i++) {
        VmafStreamCandidate found = {.handle = 0};
        if (!api->describe(i, &found))
            continue;
        identify(&found.info, i);
        insert(candidates, n++, &found);
    }
    if (!n || candidates[0].info.unusable[0])
        snprintf(reason, reason_size, "%s", n ? candidates[0].info.unusable : api->no_device);
    return n;
}

static VmafStreamCandidate *new_candidates(void)
{
    return calloc(VMAF_STREAM_MAX_DEVICES, sizeof(VmafStreamCandidate));
}

int vmaf_stream_enumerate(const VmafStreamApi *api, VmafDeviceInfo *infos, size_t capacity,
                          size_t *count, char *reason, size_t reason_size)
{
    *count = 0;
    const int err = api->start(reason, reason_size);
    if (err)
        return err == -ENXIO ? 0 : err; /* the driver works, but has no device */
    VmafStreamCandidate *candidates = new_candidates();
    if (!candidates) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    const size_t n = find_candidates(api, candidates, reason, reason_size);
    for (size_t i = 0; i < n && i < capacity; i++)
        infos[i] = candidates[i].info;
    *count = n;
    free(candidates);
    return 0;
}

/* -- errors -- */

int vmaf_stream_fail(VmafStreamDevice *device, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vmaf_layer_state_fail(&device->state, error, format, arguments);
    va_end(arguments);
    return error;
}

int vmaf_stream_failed(VmafStreamDevice *device, int error, const char *what, const char *words)
{
    return vmaf_layer_state_failed(&device->state, error, what, words);
}

int vmaf_stream_check(VmafStreamDevice *device)
{
    return vmaf_layer_state_check(&device->state);
}

void vmaf_stream_last_error(VmafDevice *device, char *text, size_t size)
{
    vmaf_layer_state_text(&((VmafStreamDevice *)device)->state, text, size);
}

int vmaf_stream_enter(VmafStreamDevice *device)
{
    return device->api->enter ? device->api->enter(device) : 0;
}

void vmaf_stream_leave(VmafStreamDevice *device)
{
    if (device->api->leave)
        device->api->leave(device);
}

/* -- opening -- */

void vmaf_stream_close(VmafDevice *base)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    if (device->is_open) {
        if (vmaf_stream_enter(device) == 0) {
            vmaf_stream_unload_kernels(device);
            vmaf_stream_leave(device);
        }
        device->api->close(device);
    }
    vmaf_layer_state_destroy(&device->state);
    vmaf_mutex_destroy(&device->kernel_lock);
    vmaf_condition_destroy(&device->kernel_loaded);
    free(device->kernels);
    free(device);
}

/* Takes the candidate's description. Returns 0, or -ENOTSUP if the device cannot be used. */
static int adopt(VmafStreamDevice *device, const VmafStreamCandidate *candidate)
{
    if (candidate->info.unusable[0])
        return vmaf_stream_fail(device, -ENOTSUP, "%s", candidate->info.unusable);
    device->head.info = candidate->info;
    return 0;
}

static int open_candidate(VmafStreamDevice *device, const VmafStreamCandidate *candidate,
                          const VmafDeviceOpenParams *params)
{
    const int err = adopt(device, candidate);
    return err ? err : device->api->open(device, candidate, params);
}

static int open_own(VmafStreamDevice *device, const VmafDeviceOpenParams *params)
{
    char reason[192];
    VmafStreamCandidate *candidates = new_candidates();
    if (!candidates)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory");
    const size_t n = find_candidates(device->api, candidates, reason, sizeof(reason));
    size_t chosen = 0;
    while (chosen < n && params->id && strcmp(candidates[chosen].info.id, params->id) != 0)
        chosen++;
    int err;
    if (chosen < n)
        err = open_candidate(device, &candidates[chosen], params);
    else if (params->id)
        err = vmaf_stream_fail(device, -ENODEV, "there is no device %s", params->id);
    else
        err = vmaf_stream_fail(device, -ENODEV, "%s", reason);
    free(candidates);
    return err;
}

static int borrow(VmafStreamDevice *device, const VmafDeviceOpenParams *params)
{
    VmafStreamCandidate candidate = {.handle = 0};
    device->borrowed = true;
    if (!device->api->borrow)
        return vmaf_stream_fail(device, -ENOTSUP, "devices of applications are not taken");
    const int err = device->api->borrow(device, params->external, &candidate, params);
    if (err)
        return err;
    device->is_open = true;
    identify(&candidate.info, 0);
    return adopt(device, &candidate);
}

static int set_up(VmafStreamDevice *device, const VmafDeviceOpenParams *params)
{
    char reason[192];
    device->kernels = calloc(params->kernels->count, device->api->kernel_size);
    if (!device->kernels)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory");
    int err = device->api->start(reason, sizeof(reason));
    if (err)
        return vmaf_stream_fail(device, err == -ENXIO ? -ENODEV : err, "%s", reason);
    if (params->external)
        return borrow(device, params);
    err = open_own(device, params);
    device->is_open = err == 0;
    return err;
}

int vmaf_stream_open(const VmafStreamApi *api, VmafDevice **opened,
                     const VmafDeviceOpenParams *params, char *reason, size_t reason_size)
{
    VmafStreamDevice *device = calloc(1, api->device_size);
    if (!device) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    vmaf_layer_state_init(&device->state, params->faults);
    vmaf_mutex_init(&device->kernel_lock);
    vmaf_condition_init(&device->kernel_loaded);
    device->api = api;
    device->head.layer = api->layer;
    device->head.kernels = params->kernels;
    const int err = set_up(device, params);
    if (err) {
        vmaf_stream_last_error(&device->head, reason, reason_size);
        vmaf_stream_close(&device->head);
        return err;
    }
    *opened = &device->head;
    return 0;
}
