/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Pictures of the application on the emulated Level Zero driver: by address, as dma-bufs, as
 * surfaces of VA-API; its context, its events.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulated.h"
#include "support/cases.h"
#include "sycl_layer.h"
#include "test_sets.h"

static const Emulated *driver;

enum { W = 24, H = 10, PITCH = 40, CHROMA = 4096, SIZE = 8192 };

typedef struct Session {
    const VmafDeviceLayer *layer;
    VmafDevice *device;
    VmafDeviceQueue *queue;
    ze_context_handle_t context; /* of the application; NULL: the device is the layer's own */
} Session;

static void begin(Session *session, bool borrows)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    VmafDeviceOpenParams params = {.kernels = test_kernel_set("sycl")};
    SyclExternal external;
    char reason[256];
    *session = (Session){.layer = driver->layer};
    assert_int_equal(driver->configure("api 1.3", NULL), 0);
    if (borrows) {
        assert_int_equal(zeContextCreate(emulated_driver(), &desc, &session->context), 0);
        external = (SyclExternal){.context = (uintptr_t)session->context,
                                  .device = (uintptr_t)emulated_device()};
        params.external = &external;
    }
    assert_int_equal(session->layer->open(&session->device, &params, reason, sizeof(reason)), 0);
    assert_int_equal(session->layer->queue_create(session->device, &session->queue), 0);
}

static void end(Session *session)
{
    session->layer->queue_destroy(session->queue);
    session->layer->close(session->device);
    assert_int_equal(driver->count("memory"), 0);
    if (session->context) {
        assert_int_equal(driver->count("zeContextDestroy"), 0); /* it was borrowed */
        assert_int_equal(zeContextDestroy(session->context), 0);
    }
    assert_int_equal(driver->count("complaint"), 0);
}

static uint8_t luma_at(unsigned x, unsigned y)
{
    return (uint8_t)(3 * x + 17 * y + 1);
}

/* Rows of 8-bit luma, and of interleaved chroma, at a pitch. */
static void draw(uint8_t *memory, unsigned pitch)
{
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < W; x++)
            memory[y * pitch + x] = luma_at(x, y);
    }
    for (unsigned y = 0; y < H / 2; y++) {
        for (unsigned x = 0; x < W; x++)
            memory[CHROMA + y * pitch + x] = (uint8_t)~luma_at(x, y);
    }
}

/* Copies a plane to the host and compares it. */
static void assert_plane(const Session *session, const VmafDeviceImage *image, uint32_t plane,
                         const VmafBackendSync *wait, const VmafBackendSync *signal)
{
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DOWNLOAD, .size = W * H};
    VmafDeviceBuffer *down;
    VmafDeviceTicket ticket;
    assert_int_equal(session->layer->buffer_create(session->device, &down, &params), 0);
    const uint32_t rows = plane ? H / 2 : H;
    const VmafDeviceCopy copy = {
        .dst = down,
        .dst_stride = W,
        .src = image->buffers[plane],
        .src_offset = image->offset[plane],
        .src_stride = image->stride[plane],
        .row_size = W,
        .rows = rows,
    };
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit),
        .copies = &copy,
        .n_copies = 1,
        .waits = wait,
        .n_waits = wait != NULL,
        .signals = signal,
        .n_signals = signal != NULL,
    };
    assert_int_equal(vmaf_device_submit(session->queue, NULL, &submit, &ticket), 0);
    if (wait) {
        assert_int_equal(session->layer->wait(session->queue, ticket, 2000000), -ETIMEDOUT);
        assert_int_equal(zeEventHostSignal((ze_event_handle_t)(uintptr_t)wait->handle), 0);
    }
    assert_int_equal(session->layer->wait(session->queue, ticket, UINT64_MAX), 0);
    const uint8_t *samples = down->mapped;
    for (unsigned i = 0; i < W * rows; i++) {
        const uint8_t drawn = luma_at(i % W, i / W);
        assert_int_equal(samples[i], plane ? (uint8_t)~drawn : drawn);
    }
    session->layer->buffer_destroy(session->device, down);
}

static VmafBackendImport nv12(uint32_t kind, unsigned pitch)
{
    return (VmafBackendImport){
        .struct_size = sizeof(VmafBackendImport),
        .kind = kind,
        .width = W,
        .height = H,
        .depth = 8,
        .pixel_format = VMAF_BACKEND_PIXEL_420,
        .planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR,
        .layout = VMAF_BACKEND_LAYOUT_SEMIPLANAR,
        .stride = {pitch, pitch},
    };
}

static void check_picture(const Session *session, const VmafBackendImport *picture)
{
    VmafDeviceImage *image;
    assert_int_equal(session->layer->image_import(session->device, &image, picture), 0);
    assert_int_equal(image->n_planes, 2);
    assert_plane(session, image, 0, NULL, NULL);
    assert_plane(session, image, 1, NULL, NULL);
    session->layer->image_destroy(session->device, image);
}

static void assert_refused(const Session *session, const VmafBackendImport *picture, int expected,
                           const char *words)
{
    VmafDeviceImage *image;
    char text[256];
    const int err = session->layer->image_import(session->device, &image, picture);
    session->layer->last_error(session->device, text, sizeof(text));
    if (err != expected || !strstr(text, words))
        fail_msg("error %d with \"%s\", not %d with \"%s\"", err, text, expected, words);
    assert_null(image);
}

/* -- addresses -- */

static uint8_t *allocate(const Session *session, size_t size, bool on_device)
{
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    assert_int_equal(on_device ? zeMemAllocDevice(session->context, &device, size, 64,
                                                  emulated_device(), &memory)
                               : zeMemAllocHost(session->context, &host, size, 64, &memory),
                     0);
    return memory;
}

CASE(given_addresses_in_memory_that_is_known_planes_are_read)
{
    Session session;
    begin(&session, true);
    uint8_t *memory = allocate(&session, CHROMA + PITCH * (H / 2), false);
    draw(memory, PITCH);
    VmafBackendImport picture = nv12(VMAF_BACKEND_IMPORT_USM_POINTER, PITCH);
    picture.n_handles = 2;
    picture.handles[0] = (uintptr_t)memory;
    picture.handles[1] = (uintptr_t)memory + CHROMA;
    check_picture(&session, &picture);
    picture.handles[1] += PITCH; /* the last row is outside */
    assert_refused(&session, &picture, -EINVAL, "plane 1 is larger than its memory");
    picture.handles[1] = 0;
    assert_refused(&session, &picture, -EINVAL, "plane 1 has no address");
    picture.handles[1] = (uintptr_t)&session;
    assert_refused(&session, &picture, -EINVAL, "plane 1 is not in memory that Level Zero knows");
    picture.handles[0] = 0x1000;
    assert_refused(&session, &picture, -EINVAL, "plane 0 is not in memory that Level Zero knows");
    picture.kind = VMAF_BACKEND_IMPORT_CUDA_POINTER;
    assert_refused(&session, &picture, -ENOTSUP, "kind 0");
    assert_int_equal(zeMemFree(session.context, memory), 0);
    end(&session);
}

static ze_event_handle_t make_event(const Session *session, ze_event_pool_handle_t *pool)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                        .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                        .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_device_handle_t device = emulated_device();
    ze_event_handle_t event;
    assert_int_equal(zeEventPoolCreate(session->context, &desc, 1, &device, pool), 0);
    assert_int_equal(zeEventCreate(*pool, &event_desc, &event), 0);
    return event;
}

CASE(given_events_of_the_application_they_are_waited_for_and_signalled)
{
    Session session;
    VmafDeviceImage *image;
    ze_event_pool_handle_t pools[2];
    begin(&session, true);
    assert_int_equal(session.device->info.caps.syncs, 1u << VMAF_BACKEND_SYNC_ZE_EVENT);
    const VmafBackendSync ready = {.struct_size = sizeof(ready),
                                   .kind = VMAF_BACKEND_SYNC_ZE_EVENT,
                                   .handle = (uintptr_t)make_event(&session, &pools[0])};
    const VmafBackendSync read = {.struct_size = sizeof(read),
                                  .kind = VMAF_BACKEND_SYNC_ZE_EVENT,
                                  .handle = (uintptr_t)make_event(&session, &pools[1])};
    uint8_t *memory = allocate(&session, SIZE, false);
    draw(memory, PITCH);
    VmafBackendImport picture = nv12(VMAF_BACKEND_IMPORT_USM_POINTER, PITCH);
    picture.n_handles = 2;
    picture.handles[0] = (uintptr_t)memory;
    picture.handles[1] = (uintptr_t)memory + CHROMA;
    assert_int_equal(session.layer->image_import(session.device, &image, &picture), 0);
    assert_int_equal(zeEventQueryStatus((ze_event_handle_t)(uintptr_t)read.handle),
                     ZE_RESULT_NOT_READY);
    assert_plane(&session, image, 1, &ready, &read);
    assert_int_equal(zeEventHostSynchronize((ze_event_handle_t)(uintptr_t)read.handle, UINT64_MAX),
                     0);
    session.layer->image_destroy(session.device, image);
    assert_int_equal(zeEventDestroy((ze_event_handle_t)(uintptr_t)ready.handle), 0);
    assert_int_equal(zeEventDestroy((ze_event_handle_t)(uintptr_t)read.handle), 0);
    assert_int_equal(zeEventPoolDestroy(pools[0]), 0);
    assert_int_equal(zeEventPoolDestroy(pools[1]), 0);
    assert_int_equal(zeMemFree(session.context, memory), 0);
    end(&session);
}

CASE(given_handles_that_are_none_the_device_is_not_borrowed)
{
    VmafDevice *device;
    char reason[256];
    int something;
    const SyclExternal cases[] = {{0, 0},
                                  {(uintptr_t)&something, 0},
                                  {0, (uintptr_t)emulated_device()},
                                  {(uintptr_t)&something, (uintptr_t)&something}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const VmafDeviceOpenParams params = {.kernels = test_kernel_set("sycl"),
                                             .external = &cases[i]};
        assert_int_equal(driver->layer->open(&device, &params, reason, sizeof(reason)), -EINVAL);
        assert_non_null(strstr(reason, "missing or unknown"));
    }
}

/* -- dma-bufs -- */

static int make_file(unsigned pitch)
{
    int fd = memfd_create("picture", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, SIZE) == 0);
    uint8_t *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(memory != MAP_FAILED);
    draw(memory, pitch);
    munmap(memory, SIZE);
    return fd;
}

static unsigned open_files(void)
{
    unsigned n = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

CASE(given_dma_bufs_in_either_form_planes_are_read)
{
    Session session;
    begin(&session, false);
    const int fd = make_file(PITCH), other = make_file(PITCH);
    const unsigned n_files = open_files();
    VmafBackendImport plain = nv12(VMAF_BACKEND_IMPORT_DMABUF, PITCH);
    plain.n_handles = 4;
    memcpy(plain.handles, (const uint64_t[]){(uint64_t)fd, SIZE, 0, CHROMA}, 32);
    check_picture(&session, &plain);
    VmafBackendImport picture = nv12(VMAF_BACKEND_IMPORT_DMABUF, PITCH);
    picture.fourcc = 0x3231564e; /* NV12 */
    for (uint32_t n = 1; n <= 2; n++) {
        picture.n_objects = n;
        for (uint32_t i = 0; i < n; i++) {
            picture.object[i] = (uint64_t)(i ? other : fd);
            picture.object_size[i] = SIZE;
        }
        picture.plane_object[1] = n - 1;
        picture.plane_offset[1] = CHROMA;
        check_picture(&session, &picture);
    }
    assert_int_equal(open_files(), n_files); /* they are the caller's */
    assert_int_equal(close(fd), 0);
    assert_int_equal(close(other), 0);
    end(&session);
}

CASE(given_dma_bufs_that_cannot_be_read_they_are_refused_in_words)
{
    Session session;
    begin(&session, false);
    const int fd = make_file(PITCH);
    VmafBackendImport good = nv12(VMAF_BACKEND_IMPORT_DMABUF, PITCH), bad;
    good.n_objects = 1;
    good.object[0] = (uint64_t)fd;
    good.object_size[0] = SIZE;
    good.plane_offset[1] = CHROMA;
#define REFUSED(member, value, error, words)                                                       \
    bad = good;                                                                                    \
    bad.member = value;                                                                            \
    assert_refused(&session, &bad, error, words)
    const uint64_t memory = driver->count("memory");
    REFUSED(modifier, 1, -ENOTSUP, "tiled (modifier 0x1)");
    REFUSED(modifier, UINT64_C(0x00ffffffffffffff), -ENOTSUP, "tiled");
    REFUSED(fourcc, 0x34325258, -ENOTSUP, "format 0x34325258"); /* XR24 */
    REFUSED(fourcc, 0x30313050, -EINVAL, "another format");     /* P010 */
    REFUSED(fourcc, 0x32315559, -EINVAL, "another format");     /* YU12 */
    REFUSED(plane_object[1], 1, -EINVAL, "plane 1 has no memory");
    REFUSED(plane_offset[1], SIZE + 1, -EINVAL, "plane 1 has no memory");
    REFUSED(plane_offset[1], SIZE - PITCH, -EINVAL, "plane 1 is larger than its memory");
    REFUSED(stride[0], W - 1, -EINVAL, "closer than they are long");
    REFUSED(n_objects, 5, -EINVAL, "5 objects");
    REFUSED(n_objects, 0, -EINVAL, "0 objects");
    REFUSED(object[0], UINT32_MAX, -EINVAL, "descriptor -1");
    /* Drivers import what there is, which the last plane would reach beyond. */
    REFUSED(object_size[0], 2 * SIZE, -EINVAL, "a dma-buf has");
    assert_int_equal(driver->count("memory"), memory);
    check_picture(&session, &good);
    assert_int_equal(close(fd), 0);
    end(&session);
}

/* -- surfaces -- */

#include "va.h"

static struct {
    VADisplay (*display)(void);
    VASurfaceID (*create)(uint32_t fourcc, uint32_t width, uint32_t height, uint64_t modifier,
                          unsigned n_objects);
    int (*write)(VASurfaceID surface, unsigned plane, const void *data);
    void (*destroy)(VASurfaceID surface);
    void (*let_fail)(VAStatus sync, VAStatus export_handle);
} va;

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    memcpy(function, &found, sizeof(found));
}

static void load_va(void)
{
    void *library = dlopen(EMULATED_VA, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    find(library, "emulated_va_display", &va.display);
    find(library, "emulated_va_create", &va.create);
    find(library, "emulated_va_write", &va.write);
    find(library, "emulated_va_destroy", &va.destroy);
    find(library, "emulated_va_fail", &va.let_fail);
}

static VmafBackendImport surface_picture(VASurfaceID surface)
{
    VmafBackendImport picture = nv12(VMAF_BACKEND_IMPORT_VA_SURFACE, 0);
    picture.n_handles = 2;
    picture.handles[0] = (uintptr_t)va.display();
    picture.handles[1] = surface;
    return picture;
}

/* The first one of surfaces: the others load what stands in for libva. */
CASE(given_no_libva_in_the_process_surfaces_are_refused)
{
    Session session;
    begin(&session, false);
    VmafBackendImport picture = nv12(VMAF_BACKEND_IMPORT_VA_SURFACE, 0);
    picture.n_handles = 2;
    picture.handles[0] = picture.handles[1] = 1;
    assert_refused(&session, &picture, -ENOTSUP, "has not loaded libva.so.2");
    end(&session);
}

CASE(given_surfaces_their_planes_are_read_after_the_decoder_has_ended)
{
    Session session;
    uint8_t memory[SIZE];
    load_va();
    begin(&session, false);
    draw(memory, W);
    for (unsigned n_objects = 1; n_objects <= 2; n_objects++) {
        const VASurfaceID surface = va.create(VA_FOURCC_NV12, W, H, 0, n_objects);
        assert_int_not_equal(surface, 0);
        assert_int_equal(va.write(surface, 0, memory), 0);
        assert_int_equal(va.write(surface, 1, memory + CHROMA), 0);
        const unsigned n_files = open_files();
        const VmafBackendImport picture = surface_picture(surface);
        check_picture(&session, &picture);
        assert_int_equal(open_files(), n_files); /* what libva has exported is closed */
        va.destroy(surface);
    }
    end(&session);
}

CASE(given_surfaces_that_cannot_be_read_they_are_refused_in_words)
{
    Session session;
    load_va();
    begin(&session, false);
    const VASurfaceID linear = va.create(VA_FOURCC_NV12, W, H, 0, 2);
    const VASurfaceID tiled = va.create(VA_FOURCC_NV12, W, H, UINT64_C(0x0100000000000009), 2);
    const VASurfaceID deep = va.create(VA_FOURCC_P010, W, H, 0, 1);
    const unsigned n_files = open_files();
    VmafBackendImport picture = surface_picture(tiled);
    assert_refused(&session, &picture, -ENOTSUP, "tiled (modifier 0x100000000000009)");
    picture = surface_picture(deep);
    assert_refused(&session, &picture, -EINVAL, "another format");
    picture = surface_picture(linear);
    picture.width = W + 2;
    assert_refused(&session, &picture, -EINVAL, "smaller than the picture");
    picture = surface_picture(linear);
    picture.layout = VMAF_BACKEND_LAYOUT_PLANAR;
    assert_refused(&session, &picture, -EINVAL, "another format");
    picture = surface_picture(linear);
    picture.n_handles = 1;
    assert_refused(&session, &picture, -EINVAL, "handle of the surface");
    va.let_fail(VA_STATUS_ERROR_INVALID_SURFACE, VA_STATUS_SUCCESS);
    picture = surface_picture(linear);
    assert_refused(&session, &picture, -EINVAL, "vaSyncSurface failed with VAStatus 0x6");
    va.let_fail(VA_STATUS_ERROR_OPERATION_FAILED, VA_STATUS_SUCCESS);
    assert_refused(&session, &picture, -EIO, "vaSyncSurface failed with VAStatus 0x1");
    va.let_fail(VA_STATUS_SUCCESS, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE);
    assert_refused(&session, &picture, -ENOTSUP, "vaExportSurfaceHandle failed with VAStatus 0x24");
    va.let_fail(VA_STATUS_SUCCESS, VA_STATUS_SUCCESS);
    assert_int_equal(open_files(), n_files);
    va.destroy(linear);
    va.destroy(tiled);
    va.destroy(deep);
    end(&session);
}

int main(int argc, char **argv)
{
    driver = emulated_load();
    return run_cases(argc, argv);
}
