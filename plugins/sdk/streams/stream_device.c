/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Devices and what belongs to one: its errors, kernels, buffers and pictures. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_planes.h"
#include "stream_layer.h"

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
void vmaf_stream_identify(VmafDeviceInfo *info, uint32_t index)
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

/* Devices of equal rank keep the driver's order. */
void vmaf_stream_add_candidate(VmafStreamCandidates *all, VmafStreamCandidate *found,
                               uint32_t index)
{
    VmafStreamCandidate *candidates = all->found;
    size_t n = all->n++;
    vmaf_stream_identify(&found->info, index);
    while (n > 0 && rank(&candidates[n - 1]) > rank(found)) {
        candidates[n] = candidates[n - 1];
        n--;
    }
    candidates[n] = *found;
}

int vmaf_stream_report(VmafStreamCandidates *all, const char *no_device, VmafDeviceInfo *infos,
                       size_t capacity, size_t *count, char *reason, size_t reason_size)
{
    if (!all) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    const char *unusable = all->n ? all->found[0].info.unusable : no_device;
    if (unusable[0])
        snprintf(reason, reason_size, "%s", unusable);
    for (size_t i = 0; i < all->n && i < capacity; i++)
        infos[i] = all->found[i].info;
    *count = all->n;
    free(all);
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

void vmaf_stream_last_error(VmafDevice *device, char *text, size_t size)
{
    vmaf_layer_state_text(&((VmafStreamDevice *)device)->state, text, size);
}

/* -- opening -- */

void *vmaf_stream_device_new(const VmafDeviceLayer *layer, size_t size, size_t kernel_size,
                             const VmafDeviceOpenParams *params)
{
    VmafStreamDevice *device = calloc(1, size);
    if (!device)
        return NULL;
    device->kernels = calloc(params->kernels->count, kernel_size);
    if (!device->kernels) {
        free(device);
        return NULL;
    }
    device->head.layer = layer;
    device->head.kernels = params->kernels;
    device->kernel_size = kernel_size;
    vmaf_layer_state_init(&device->state, params->faults);
    vmaf_mutex_init(&device->kernel_lock);
    vmaf_condition_init(&device->kernel_loaded);
    return device;
}

void vmaf_stream_device_free(VmafStreamDevice *device)
{
    vmaf_mutex_destroy(&device->state.lock);
    vmaf_mutex_destroy(&device->kernel_lock);
    vmaf_condition_destroy(&device->kernel_loaded);
    free(device->kernels);
    free(device);
}

int vmaf_stream_opened(VmafStreamDevice *device, int err, VmafDevice **opened, char *reason,
                       size_t reason_size)
{
    if (!device) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    if (err) {
        vmaf_stream_last_error(&device->head, reason, reason_size);
        device->head.layer->close(&device->head);
        return err;
    }
    *opened = &device->head;
    return 0;
}

int vmaf_stream_adopt(VmafStreamDevice *device, const VmafStreamCandidate *candidate)
{
    if (candidate->info.unusable[0])
        return vmaf_stream_fail(device, -ENOTSUP, "%s", candidate->info.unusable);
    device->head.info = candidate->info;
    return 0;
}

int vmaf_stream_choose(VmafStreamDevice *device, VmafStreamCandidates *all, const char *id,
                       const char *no_device, VmafStreamCandidate *chosen)
{
    if (!all)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory");
    size_t i = 0;
    int err = 0;
    while (i < all->n && id && strcmp(all->found[i].info.id, id) != 0)
        i++;
    if (i < all->n) {
        *chosen = all->found[i];
        err = vmaf_stream_adopt(device, chosen);
    } else if (id) {
        err = vmaf_stream_fail(device, -ENODEV, "there is no device %s", id);
    } else {
        err = vmaf_stream_fail(device, -ENODEV, "%s", no_device);
    }
    free(all);
    return err;
}

/* -- kernels are loaded on first use, each by one thread -- */

enum { KERNEL_UNLOADED, KERNEL_LOADING, KERNEL_LOADED };

static VmafStreamKernel *kernel_at(const VmafStreamDevice *device, size_t index)
{
    return (VmafStreamKernel *)(void *)(device->kernels + index * device->kernel_size);
}

/* Returns true if this thread has to load the kernel; waits while another one does. */
static bool begin_loading(VmafStreamDevice *device, VmafStreamKernel *kernel)
{
    vmaf_mutex_lock(&device->kernel_lock);
    while (kernel->state == KERNEL_LOADING)
        vmaf_condition_wait(&device->kernel_loaded, &device->kernel_lock);
    const bool loads = kernel->state == KERNEL_UNLOADED;
    if (loads)
        kernel->state = KERNEL_LOADING;
    vmaf_mutex_unlock(&device->kernel_lock);
    return loads;
}

void vmaf_stream_kernel_loaded(VmafStreamDevice *device, VmafStreamKernel *kernel, int err)
{
    vmaf_mutex_lock(&device->kernel_lock);
    kernel->state = err ? KERNEL_UNLOADED : KERNEL_LOADED;
    vmaf_condition_broadcast(&device->kernel_loaded);
    vmaf_mutex_unlock(&device->kernel_lock);
}

int vmaf_stream_kernel_find(VmafStreamDevice *device, const char *name, VmafStreamKernel **kernel,
                            bool *loads)
{
    const VmafKernelSet *set = device->head.kernels;
    const VmafKernel *source = vmaf_kernel_set_find(set, name);
    if (vmaf_layer_state_check(&device->state))
        return -ENODEV;
    if (!source)
        return vmaf_stream_fail(device, -ENOENT, "there is no kernel %s", name);
    *kernel = kernel_at(device, (size_t)(source - set->kernels));
    *loads = begin_loading(device, *kernel);
    if (*loads)
        (*kernel)->head.kernel = source;
    return 0;
}

VmafStreamKernel *vmaf_stream_next_loaded(const VmafStreamDevice *device, size_t *index)
{
    while (*index < device->head.kernels->count) {
        VmafStreamKernel *kernel = kernel_at(device, (*index)++);
        if (kernel->state == KERNEL_LOADED)
            return kernel;
    }
    return NULL;
}

/* -- buffers -- */

static bool can_wrap(const VmafDeviceCaps *caps, const VmafDeviceBufferParams *params)
{
    const uint32_t alignment = caps->host_memory_alignment;
    return params->memory == VMAF_MEMORY_UPLOAD && alignment &&
           (uintptr_t)params->host_memory % alignment == 0 && params->size % alignment == 0;
}

int vmaf_stream_buffer_new(VmafStreamDevice *device, const VmafDeviceBufferParams *params,
                           VmafStreamBuffer **created)
{
    const int err = vmaf_layer_state_count_buffer(&device->state);
    if (err)
        return err;
    if (params->host_memory && !can_wrap(&device->head.info.caps, params))
        return vmaf_stream_fail(device, -ENOTSUP, "this memory of the host cannot be wrapped");
    VmafStreamBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a buffer)");
    buffer->head.memory = params->memory;
    buffer->head.size = params->size;
    buffer->wraps = params->host_memory != NULL;
    *created = buffer;
    return 0;
}

int vmaf_stream_no_memory(VmafStreamDevice *device, const VmafDeviceBufferParams *params)
{
    return vmaf_stream_fail(device, -ENOMEM, "out of memory: no %llu bytes of %s memory",
                            (unsigned long long)params->size,
                            params->memory == VMAF_MEMORY_DEVICE ? "device" : "pinned host");
}

/* -- pictures of the application -- */

int vmaf_stream_image_new(VmafStreamDevice *device, const VmafBackendImport *picture, size_t size,
                          VmafStreamImage **created)
{
    if (vmaf_layer_state_check(&device->state))
        return -ENODEV;
    if (picture->kind >= 32 || !(device->head.info.caps.imports & 1u << picture->kind))
        return vmaf_stream_fail(device, -ENOTSUP, "pictures of kind %u cannot be read",
                                picture->kind);
    VmafStreamImage *image = calloc(1, size);
    if (!image)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a picture)");
    image->head.n_planes = vmaf_image_planes(picture);
    *created = image;
    return 0;
}

int vmaf_stream_import_addresses(VmafStreamDevice *device, VmafStreamImage *image,
                                 const VmafBackendImport *picture)
{
    char reason[96];
    for (uint32_t p = 0; p < image->head.n_planes; p++) {
        const uint64_t address = p < picture->n_handles ? picture->handles[p] : 0;
        VmafImagePlane plane;
        const int err = vmaf_image_plane(picture, p, &plane, reason, sizeof(reason));
        if (err)
            return vmaf_stream_fail(device, err, "%s", reason);
        if (!plane.is_present)
            continue;
        if (!address)
            return vmaf_stream_fail(device, -EINVAL, "plane %u has no address", p);
        image->planes[p].address = address;
        image->planes[p].head = (VmafDeviceBuffer){
            .memory = VMAF_MEMORY_DEVICE,
            .size = picture->size ? picture->size : plane.needed,
            .address = address,
        };
        image->head.buffers[p] = &image->planes[p].head;
        image->head.stride[p] = plane.stride;
    }
    return 0;
}
