/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Surfaces of the emulated libva, and their memory on an emulated device. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "support/cases.h"
#include "va.h"

enum { WIDTH = 6, HEIGHT = 4 };

static VASurfaceID create(uint32_t fourcc, unsigned n_objects)
{
    const VASurfaceID surface = emulated_va_create(fourcc, WIDTH, HEIGHT, 0, n_objects);
    assert_int_not_equal(surface, 0);
    return surface;
}

static VADRMPRIMESurfaceDescriptor export(VASurfaceID surface, uint32_t layers)
{
    VADRMPRIMESurfaceDescriptor described;
    OK(vaExportSurfaceHandle(emulated_va_display(), surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2,
                             VA_EXPORT_SURFACE_READ_ONLY | layers, &described));
    return described;
}

static void close_objects(const VADRMPRIMESurfaceDescriptor *described)
{
    for (uint32_t i = 0; i < described->num_objects; i++)
        close(described->objects[i].fd);
}

static uint8_t byte_at(int descriptor, uint32_t offset)
{
    uint8_t byte = 0;
    assert_int_equal(pread(descriptor, &byte, 1, offset), 1);
    return byte;
}

CASE(what_is_written_is_seen_after_a_sync)
{
    const VASurfaceID surface = create(VA_FOURCC_NV12, 1);
    uint8_t luma[WIDTH * HEIGHT], chroma[WIDTH * HEIGHT / 2];
    memset(luma, 1, sizeof(luma));
    memset(chroma, 2, sizeof(chroma));
    luma[WIDTH] = 3;
    assert_int_equal(emulated_va_write(surface, 0, luma), 0);
    assert_int_equal(emulated_va_write(surface, 1, chroma), 0);
    const VADRMPRIMESurfaceDescriptor described =
        export(surface, VA_EXPORT_SURFACE_SEPARATE_LAYERS);
    assert_int_equal(described.num_layers, 2);
    const uint32_t pitch = described.layers[0].pitch[0];
    assert_int_equal(byte_at(described.objects[0].fd, pitch), 0xdb);
    OK(vaSyncSurface(emulated_va_display(), surface));
    assert_int_equal(byte_at(described.objects[0].fd, pitch), 3);
    assert_int_equal(byte_at(described.objects[0].fd, pitch + WIDTH - 1), 1);
    assert_int_equal(byte_at(described.objects[0].fd, pitch + WIDTH), 0xdb);
    assert_int_equal(byte_at(described.objects[0].fd, described.layers[1].offset[0]), 2);
    close_objects(&described);
    emulated_va_destroy(surface);
}

CASE(what_is_wrong_is_refused)
{
    const VASurfaceID surface = create(VA_FOURCC_NV12, 1);
    VADRMPRIMESurfaceDescriptor described;
    VADisplay display = emulated_va_display();
    const uint32_t type = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, flags = 5;
    assert_int_equal(vaSyncSurface(&described, surface), VA_STATUS_ERROR_INVALID_DISPLAY);
    assert_int_equal(vaSyncSurface(display, surface + 1), VA_STATUS_ERROR_INVALID_SURFACE);
    assert_int_equal(vaExportSurfaceHandle(NULL, surface, type, flags, &described),
                     VA_STATUS_ERROR_INVALID_DISPLAY);
    assert_int_equal(vaExportSurfaceHandle(display, 0, type, flags, &described),
                     VA_STATUS_ERROR_INVALID_SURFACE);
    assert_int_equal(vaExportSurfaceHandle(display, surface, 1, flags, &described),
                     VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
    assert_int_equal(vaExportSurfaceHandle(display, surface, type, 1, &described),
                     VA_STATUS_ERROR_INVALID_PARAMETER);
    emulated_va_fail(VA_STATUS_SUCCESS, VA_STATUS_ERROR_OPERATION_FAILED);
    OK(vaSyncSurface(display, surface));
    assert_int_equal(vaExportSurfaceHandle(display, surface, type, flags, &described),
                     VA_STATUS_ERROR_OPERATION_FAILED);
    emulated_va_fail(VA_STATUS_SUCCESS, VA_STATUS_SUCCESS);
    emulated_va_destroy(surface);
    assert_int_equal(vaSyncSurface(display, surface), VA_STATUS_ERROR_INVALID_SURFACE);
    assert_int_equal(emulated_va_create(1, 2, 2, 0, 1), 0);
}

/* -- on the device -- */

static ze_result_t import(int descriptor, size_t size, uint32_t **memory)
{
    const ze_external_memory_import_fd_t external = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
        .fd = descriptor};
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                             .pNext = &external};
    return zeMemAllocDevice(fixture_context, &desc, size, 0, fixture_device, (void **)memory);
}

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(objects_are_imported_as_they_are_unless_closed)
{
    const int descriptor = memfd_create("object", MFD_CLOEXEC);
    uint32_t *memory = NULL;
    void *begin = NULL;
    size_t size = 0;
    assert_int_equal(ftruncate(descriptor, 4096), 0);
    OK(import(descriptor, 8192, &memory));
    OK(zeMemGetAddressRange(fixture_context, memory, &begin, &size));
    assert_ptr_equal(begin, memory);
    assert_int_equal(size, 4096);
    OK(zeMemFree(fixture_context, memory));
    assert_int_equal(ftruncate(descriptor, 0), 0);
    assert_int_equal(import(descriptor, 4096, &memory), ZE_RESULT_ERROR_INVALID_SIZE);
    close(descriptor);
    assert_int_equal(import(descriptor, 4096, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fixture_complaints(), 1);
    assert_int_equal(fixture_count("memory"), 0);
}

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
