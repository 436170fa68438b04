/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What is allocated and registered; copies and fills: what they mean, what is wrong with them, how
 * they run. */
#include "driver.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE_UNIT = 512, ALIGNMENT = 256 };

static size_t in_units(size_t bytes)
{
    return (bytes + DEVICE_UNIT - 1) / DEVICE_UNIT * DEVICE_UNIT;
}

static CudaResult allocate(CudaContext context, uint64_t *address, size_t bytes)
{
    const Memory wanted = {.kind = MEMORY_DEVICE,
                           .size = bytes,
                           .owner = context,
                           .device = context->device->state,
                           .charge = bytes <= SIZE_MAX / 2 ? in_units(bytes) : bytes};
    machine_note(" bytes=%zu", bytes);
    if (!address || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const Memory *added = machine_has_memory(wanted.device, wanted.charge)
                              ? guarded_allocate(&wanted, ALIGNMENT, -1)
                              : NULL;
    if (!added)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *address = added->address;
    return CUDA_SUCCESS;
}

static CudaResult allocate_host(CudaContext context, void **memory, size_t bytes, unsigned flags)
{
    const Memory wanted = {.kind = MEMORY_HOST, .size = bytes, .owner = context, .flags = flags};
    machine_note(" bytes=%zu", bytes);
    if (!memory || bytes == 0 || flags > 7)
        return CUDA_ERROR_INVALID_VALUE;
    const Memory *added = machine_has_memory(NULL, bytes)
                              ? guarded_allocate(&wanted, (size_t)sysconf(_SC_PAGESIZE), -1)
                              : NULL;
    if (!added)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = added->storage;
    return CUDA_SUCCESS;
}

static CudaResult free_device(uint64_t address)
{
    Memory *found = guarded_find_whole(address);
    if (!found || found->kind != MEMORY_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (emulated_machine.free_waits) {
        const CudaResult result = driver_finish_context(found->owner);
        if (result != CUDA_SUCCESS)
            return result;
        found = guarded_find_whole(address);
    }
    if (found)
        guarded_free(found);
    return CUDA_SUCCESS;
}

static CudaResult free_host(void *memory, enum MemoryKind kind, CudaResult unknown)
{
    Memory *found = guarded_find_whole((uintptr_t)memory);
    if (!found || found->kind != kind)
        return unknown;
    guarded_free(found);
    return CUDA_SUCCESS;
}

static CudaResult allocate_pitch(CudaContext context, CudaAddress *address, size_t *pitch,
                                 size_t width, size_t height, unsigned element_size)
{
    if (!pitch || width == 0 || height == 0 ||
        (element_size != 4 && element_size != 8 && element_size != 16))
        return CUDA_ERROR_INVALID_VALUE;
    *pitch = in_units(width);
    if (height > SIZE_MAX / 2 / *pitch)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return allocate(context, address, *pitch * height);
}

static CudaResult register_host(CudaContext context, void *memory, size_t bytes, unsigned flags)
{
    const Memory wanted = {
        .address = (uintptr_t)memory, .size = bytes, .owner = context, .flags = flags};
    machine_note(" bytes=%zu", bytes);
    if (!memory || bytes == 0 || flags > 15 || wanted.address + bytes < wanted.address ||
        guarded_is_device_range(wanted.address))
        return CUDA_ERROR_INVALID_VALUE;
    if (guarded_is_known(wanted.address, bytes))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!machine_has_memory(NULL, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    guarded_register(&wanted);
    return CUDA_SUCCESS;
}

static bool is_host(const Memory *memory)
{
    return memory && memory->kind != MEMORY_DEVICE;
}

static CudaResult get_device_pointer(CudaAddress *address, void *memory, unsigned flags)
{
    const Memory *found = guarded_find((uintptr_t)memory);
    if (!address || flags != 0 || !is_host(found))
        return CUDA_ERROR_INVALID_VALUE;
    if (!(found->flags & CUDA_HOST_MAPPED)) {
        machine_complain("memory of the host has an address, but was not mapped for the device");
        return CUDA_ERROR_INVALID_VALUE;
    }
    *address = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

/* Only the type of the memory is asked for. */
static CudaResult get_pointer_attribute(void *value, int attribute, CudaAddress address)
{
    const Memory *found = guarded_find(address);
    if (!value || !found)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute != 2)
        return CUDA_ERROR_NOT_SUPPORTED;
    *(unsigned *)value = is_host(found) ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE;
    return CUDA_SUCCESS;
}

CUDA_MEMORY_FUNCTIONS(DRIVER_DEFINE)

static const char *const kinds[] = {"device", "pinned", "pageable", "staged"};

/* -- what they mean -- */

/* The last byte of rows is at address + extent - 1. */
static uint64_t extent(const Place *place, uint64_t width, uint64_t height)
{
    return height ? (height - 1) * place->pitch + width : 0;
}

/* Finds out what lies there, and whether all of it does. */
static CudaResult resolve(Place *place, uint32_t type, uint64_t width, uint64_t height)
{
    const Memory *found = guarded_find(place->address);
    const uint64_t size = extent(place, width, height);
    if (size == 0)
        return CUDA_SUCCESS;
    if (!found) {
        if (type == CUDA_MEMORY_DEVICE || guarded_is_device_range(place->address) ||
            place->address == 0)
            return CUDA_ERROR_INVALID_VALUE;
        place->kind = PLACE_PAGEABLE;
        return CUDA_SUCCESS;
    }
    if (type == CUDA_MEMORY_HOST && found->kind == MEMORY_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    place->kind = found->kind == MEMORY_DEVICE ? PLACE_DEVICE : PLACE_PINNED;
    place->id = found->id;
    if (size > found->address + found->size - place->address) {
        machine_complain("a copy of %" PRIu64 " bytes exceeds its memory, of which %" PRIu64
                         " are left",
                         size, found->address + found->size - place->address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Whether a row of one is part of a row of the other. */
static bool overlaps(const Copy *copy)
{
    const Place *dst = &copy->dst, *src = &copy->src;
    if (dst->address + extent(dst, copy->width, copy->height) <= src->address ||
        src->address + extent(src, copy->width, copy->height) <= dst->address)
        return false;
    uint64_t d = 0, s = 0;
    while (d < copy->height && s < copy->height) {
        const uint64_t to = dst->address + d * dst->pitch, from = src->address + s * src->pitch;
        if (to < from + copy->width && from < to + copy->width)
            return true;
        if (to < from)
            d++;
        else
            s++;
    }
    return false;
}

/* Bytes from one row to the next; 0 means that they lie side by side. */
static bool set_pitch(Place *place, size_t pitch, size_t x, size_t width, size_t height)
{
    place->pitch = pitch ? pitch : x + width;
    return (pitch == 0 && height <= 1) || (pitch >= x + width && pitch <= INT_MAX);
}

static bool is_linear(uint32_t type)
{
    return type == CUDA_MEMORY_HOST || type == CUDA_MEMORY_DEVICE || type == CUDA_MEMORY_UNIFIED;
}

CudaResult driver_resolve_copy(const CudaCopy3D *from, Copy *copy)
{
    if (from->src_type == CUDA_MEMORY_ARRAY || from->dst_type == CUDA_MEMORY_ARRAY ||
        from->depth > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!is_linear(from->src_type) || !is_linear(from->dst_type) || from->src_lod ||
        from->dst_lod || from->src_z || from->dst_z)
        return CUDA_ERROR_INVALID_VALUE;
    *copy = (Copy){.width = from->width, .height = from->depth ? from->height : 0};
    if (copy->width == 0 || copy->height == 0) {
        copy->width = copy->height = 0;
        return CUDA_SUCCESS;
    }
    if (!set_pitch(&copy->src, from->src_pitch, from->src_x, from->width, from->height) ||
        !set_pitch(&copy->dst, from->dst_pitch, from->dst_x, from->width, from->height))
        return CUDA_ERROR_INVALID_VALUE;
    copy->src.address =
        (from->src_type == CUDA_MEMORY_HOST ? (uintptr_t)from->src_host : from->src_device) +
        from->src_y * copy->src.pitch + from->src_x;
    copy->dst.address =
        (from->dst_type == CUDA_MEMORY_HOST ? (uintptr_t)from->dst_host : from->dst_device) +
        from->dst_y * copy->dst.pitch + from->dst_x;
    CudaResult result = resolve(&copy->src, from->src_type, copy->width, copy->height);
    if (result == CUDA_SUCCESS)
        result = resolve(&copy->dst, from->dst_type, copy->width, copy->height);
    if (result == CUDA_SUCCESS && overlaps(copy)) {
        machine_complain("the source and the destination of a copy overlap");
        result = CUDA_ERROR_INVALID_VALUE;
    }
    machine_note(" %s-to-%s bytes=%" PRIu64, kinds[copy->src.kind], kinds[copy->dst.kind],
                 copy->width * copy->height);
    return result;
}

/* -- how they run -- */

/* Where the bytes of a place are now; NULL if its memory is gone. */
static unsigned char *bytes_of(const Place *place)
{
    if (place->kind == PLACE_PAGEABLE || place->kind == PLACE_STAGED)
        return (unsigned char *)(uintptr_t)place->address;
    const Memory *found = guarded_find(place->address);
    if (!found || found->id != place->id) {
        machine_complain("%s memory was given back before a copy that uses it has run",
                         kinds[place->kind]);
        return NULL;
    }
    return found->storage + (place->address - found->address);
}

static void copy_rows(unsigned char *to, uint64_t to_pitch, const unsigned char *from,
                      uint64_t from_pitch, const Copy *copy)
{
    for (uint64_t row = 0; row < copy->height; row++)
        memcpy(to + row * to_pitch, from + row * from_pitch, copy->width);
}

CudaResult driver_run_copy(const Copy *copy, Work *work)
{
    if (copy->height == 0)
        return CUDA_SUCCESS;
    unsigned char *to = bytes_of(&copy->dst);
    const unsigned char *from = bytes_of(&copy->src);
    if (!to || !from)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    copy_rows(to, copy->dst.pitch, from, copy->src.pitch, copy);
    const bool to_device = copy->dst.kind == PLACE_DEVICE;
    const bool from_device = copy->src.kind == PLACE_DEVICE;
    *(to_device && from_device ? &work->memory_bytes : &work->bus_bytes) =
        copy->width * copy->height;
    work->is_download = from_device && !to_device;
    return CUDA_SUCCESS;
}

CudaResult driver_run_fill(const Fill *fill, Work *work)
{
    unsigned char *to = bytes_of(&fill->dst);
    if (!to)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    memset(to, fill->value, fill->size);
    work->memory_bytes = fill->size;
    return CUDA_SUCCESS;
}

void driver_free_copy(Copy *copy)
{
    if (copy->src.kind == PLACE_STAGED)
        free((void *)(uintptr_t)copy->src.address);
}

/* Pageable memory is read now. */
static void stage(Copy *copy)
{
    unsigned char *staged = malloc(copy->width * copy->height);
    copy_rows(staged, copy->width, (const unsigned char *)(uintptr_t)copy->src.address,
              copy->src.pitch, copy);
    copy->src = (Place){.kind = PLACE_STAGED, .address = (uintptr_t)staged, .pitch = copy->width};
}

/* -- calls -- */

/*
 * Asynchronous copies return at once, but for those that write pageable memory or copy from host to
 * host. The others are done when they return, but for those between devices, and those from
 * pageable memory, which has been read then.
 */
static CudaResult put_copy(CudaContext context, CudaStream handle, const CudaCopy3D *description,
                           bool is_async)
{
    Command command = {.kind = COMMAND_COPY};
    Copy *copy = &command.copy;
    Point point;
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (!stream)
        return result;
    result = driver_resolve_copy(description, copy);
    if (result != CUDA_SUCCESS || copy->height == 0)
        return result;
    const bool from_device = copy->src.kind == PLACE_DEVICE;
    const bool to_device = copy->dst.kind == PLACE_DEVICE;
    const bool waits =
        copy->dst.kind == PLACE_PAGEABLE || (!is_async && !(from_device && to_device) &&
                                             !(copy->src.kind == PLACE_PAGEABLE && to_device));
    if (copy->src.kind == PLACE_PAGEABLE && !waits)
        stage(copy);
    result = driver_put(stream, &command, &point);
    return result == CUDA_SUCCESS && waits ? driver_finish(context, point) : result;
}

static CudaResult copy_bytes(CudaContext context, uint64_t dst, uint32_t dst_type, uint64_t src,
                             uint32_t src_type, size_t bytes, CudaStream stream, bool is_async)
{
    CudaCopy3D copy = {.src_type = src_type,
                       .src_device = src,
                       .src_host = (const void *)(uintptr_t)src,
                       .dst_type = dst_type,
                       .dst_device = dst,
                       .dst_host = (void *)(uintptr_t)dst,
                       .width = bytes,
                       .height = 1,
                       .depth = 1};
    return put_copy(context, stream, &copy, is_async);
}

static CudaResult copy_any(CudaContext context, CudaAddress dst, CudaAddress src, size_t bytes,
                           CudaStream stream, bool is_async)
{
    return copy_bytes(context, dst, CUDA_MEMORY_UNIFIED, src, CUDA_MEMORY_UNIFIED, bytes, stream,
                      is_async);
}

static CudaResult download(CudaContext context, void *dst, CudaAddress src, size_t bytes,
                           CudaStream stream, bool is_async)
{
    return copy_bytes(context, (uintptr_t)dst, CUDA_MEMORY_HOST, src, CUDA_MEMORY_DEVICE, bytes,
                      stream, is_async);
}

static CudaResult copy_rows_2d(CudaContext context, const CudaCopy2D *from, CudaStream stream,
                               bool is_async)
{
    if (!from)
        return CUDA_ERROR_INVALID_VALUE;
    const CudaCopy3D copy = {.src_x = from->src_x,
                             .src_y = from->src_y,
                             .src_type = from->src_type,
                             .src_host = from->src_host,
                             .src_device = from->src_device,
                             .src_pitch = from->src_pitch,
                             .dst_x = from->dst_x,
                             .dst_y = from->dst_y,
                             .dst_type = from->dst_type,
                             .dst_host = from->dst_host,
                             .dst_device = from->dst_device,
                             .dst_pitch = from->dst_pitch,
                             .width = from->width,
                             .height = from->height,
                             .depth = 1};
    return put_copy(context, stream, &copy, is_async);
}

static CudaResult put_fill(CudaContext context, CudaStream handle, CudaAddress dst, size_t count,
                           unsigned char value)
{
    Command command = {
        .kind = COMMAND_FILL,
        .fill = {.dst = {.address = dst, .pitch = count}, .size = count, .value = value}};
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (!stream || count == 0)
        return result;
    machine_note(" fill bytes=%zu", count);
    result = resolve(&command.fill.dst, CUDA_MEMORY_DEVICE, count, 1);
    return result == CUDA_SUCCESS ? driver_put(stream, &command, NULL) : result;
}

CUDA_COPY_FUNCTIONS(DRIVER_DEFINE)
