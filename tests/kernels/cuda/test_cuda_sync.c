/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Pictures of an application that uses the same device: their addresses, what a submission waits
 * for before it reads them, and what waits for it. The emulated driver runs of all that is queued
 * only what it must, so that whatever is not waited for comes too late.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_layer.h"
#include "test_sets.h"
#include "trip.h"

static const Emulated *driver;

/* The application: a context, a stream and an event, and a picture of one plane. */
static CudaContext mine;
static CudaStream stream;
static CudaEvent event;
static CudaAddress plane;

/* The trip's words, as a picture of 16-bit luma. */
enum { WIDTH = TRIP_BYTES / 2 / 8, HEIGHT = 8, PITCH = 1536 };

static CudaExternal external;

static int set_up(void **state)
{
    (void)state;
    return driver->configure(NULL, NULL) || driver->init(0) ||
           driver->create_context(&mine, 0, 0) || driver->create_stream(&stream, 0) ||
           driver->create_event(&event, 0) || driver->allocate(&plane, PITCH * HEIGHT);
}

static VmafBackendImport picture_at(CudaAddress address)
{
    return (VmafBackendImport){
        .struct_size = sizeof(VmafBackendImport),
        .kind = VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .width = WIDTH,
        .height = HEIGHT,
        .depth = 10,
        .pixel_format = VMAF_BACKEND_PIXEL_400,
        .planes = 1,
        .n_handles = 1,
        .handles = {address},
        .stride = {PITCH},
    };
}

/* A device in the application's context, and its picture there. */
static void begin(Trip *trip, VmafDeviceImage **image)
{
    const VmafDeviceOpenParams params = {.external = &external};
    external.context = (uintptr_t)mine;
    assert_int_equal(trip_begin(trip, &params), 0);
    const VmafBackendImport picture = picture_at(plane);
    assert_int_equal(trip->layer->image_import(trip->device, image, &picture), 0);
}

static void end(Trip *trip, VmafDeviceImage *image)
{
    trip->layer->image_destroy(trip->device, image);
    trip_end(trip);
    assert_int_equal(driver->free(plane), CUDA_SUCCESS);
    assert_int_equal(driver->destroy_event(event), CUDA_SUCCESS);
    assert_int_equal(driver->destroy_stream(stream), CUDA_SUCCESS);
    assert_int_equal(driver->destroy_context(mine), CUDA_SUCCESS);
    assert_int_equal(driver->count("memory"), 0);
}

/* Scores the picture, so to say; the ticket of it. */
static VmafDeviceTicket submit(const Trip *trip, const VmafDeviceImage *image,
                               const VmafBackendSync *wait, const VmafBackendSync *signal)
{
    const VmafDeviceCopy copy = {.dst = trip->memory[0],
                                 .src = image->buffers[0],
                                 .src_offset = image->offset[0],
                                 .src_stride = image->stride[0],
                                 .dst_stride = 2 * WIDTH,
                                 .row_size = 2 * WIDTH,
                                 .rows = HEIGHT};
    const VmafDeviceSubmit params = {.struct_size = sizeof(params),
                                     .copies = &copy,
                                     .n_copies = 1,
                                     .waits = wait,
                                     .n_waits = wait != NULL,
                                     .signals = signal,
                                     .n_signals = signal != NULL};
    VmafDeviceTicket ticket;
    assert_int_equal(vmaf_device_submit(trip->queue, trip->list, &params, &ticket), 0);
    return ticket;
}

/* Whether all that has arrived is this byte. */
static bool has_arrived(const Trip *trip, VmafDeviceTicket ticket, unsigned char value)
{
    assert_int_equal(trip->layer->wait(trip->queue, ticket, UINT64_MAX), 0);
    const unsigned char *bytes = trip->download->mapped;
    size_t equal = 0;
    for (size_t i = 0; i < TRIP_BYTES; i++)
        equal += bytes[i] == value;
    return equal == TRIP_BYTES;
}

static void fill(unsigned char value, CudaStream where)
{
    assert_int_equal(driver->fill(plane, value, PITCH * HEIGHT, where), CUDA_SUCCESS);
}

static VmafBackendSync sync_of(uint32_t kind, const void *handle)
{
    return (VmafBackendSync){
        .struct_size = sizeof(VmafBackendSync), .kind = kind, .handle = (uintptr_t)handle};
}

static void given_what_to_wait_for_the_picture_is_read_after_it(void **state)
{
    Trip trip;
    VmafDeviceImage *image;
    (void)state;
    begin(&trip, &image);
    assert_int_equal(image->n_planes, 1);
    const VmafBackendSync legacy = sync_of(VMAF_BACKEND_SYNC_CUDA_STREAM, NULL);
    const VmafBackendSync own = sync_of(VMAF_BACKEND_SYNC_CUDA_STREAM, stream);
    const VmafBackendSync recorded = sync_of(VMAF_BACKEND_SYNC_CUDA_EVENT, event);
    fill(1, NULL);
    assert_true(has_arrived(&trip, submit(&trip, image, &legacy, NULL), 1));
    fill(2, NULL); /* this test can see a wait that is missing */
    assert_false(has_arrived(&trip, submit(&trip, image, NULL, NULL), 2));
    fill(3, stream);
    assert_true(has_arrived(&trip, submit(&trip, image, &own, NULL), 3));
    /* The legacy stream follows the application's streams, which are not of the other kind. */
    fill(4, stream);
    assert_true(has_arrived(&trip, submit(&trip, image, &legacy, NULL), 4));
    fill(5, stream);
    assert_int_equal(driver->record(event, stream), CUDA_SUCCESS);
    fill(6, stream);
    assert_true(has_arrived(&trip, submit(&trip, image, &recorded, NULL), 5));
    end(&trip, image);
}

static void given_what_to_signal_the_picture_is_not_overwritten_before(void **state)
{
    Trip trip;
    VmafDeviceImage *image;
    (void)state;
    begin(&trip, &image);
    const VmafBackendSync legacy = sync_of(VMAF_BACKEND_SYNC_CUDA_STREAM, NULL);
    const VmafBackendSync own = sync_of(VMAF_BACKEND_SYNC_CUDA_STREAM, stream);
    const VmafBackendSync recorded = sync_of(VMAF_BACKEND_SYNC_CUDA_EVENT, event);
    CudaEvent overwritten;
    assert_int_equal(driver->create_event(&overwritten, 0), CUDA_SUCCESS);
    for (unsigned char value = 10; value < 50; value = (unsigned char)(value + 10)) {
        const bool uses_own = value == 20;
        CudaStream where = uses_own ? stream : NULL;
        fill(value, where);
        const VmafDeviceTicket ticket = submit(&trip, image, uses_own ? &own : &legacy,
                                               value == 10   ? &legacy
                                               : value == 20 ? &own
                                               : value == 30 ? &recorded
                                                             : NULL);
        if (value == 30)
            assert_int_equal(driver->synchronize_event(event), CUDA_SUCCESS);
        fill((unsigned char)(value + 5), where);
        assert_int_equal(driver->record(overwritten, where), CUDA_SUCCESS);
        assert_int_equal(driver->synchronize_event(overwritten), CUDA_SUCCESS);
        /* The last one shows that this test can see a signal that is missing. */
        assert_int_equal(has_arrived(&trip, ticket, value), value != 40);
    }
    assert_int_equal(driver->destroy_event(overwritten), CUDA_SUCCESS);
    end(&trip, image);
}

static void given_device_buffers_their_addresses_are_the_applications_too(void **state)
{
    Trip trip;
    VmafDeviceImage *image;
    unsigned char bytes[TRIP_BYTES];
    (void)state;
    begin(&trip, &image);
    const VmafBackendSync legacy = sync_of(VMAF_BACKEND_SYNC_CUDA_STREAM, NULL);
    const VmafDeviceSubmit params = {
        .struct_size = sizeof(params), .waits = &legacy, .n_waits = 1, .lane = 1};
    VmafDeviceTicket ticket;
    assert_true(trip.device->info.caps.addresses);
    assert_int_not_equal(trip.memory[0]->address, 0);
    assert_int_equal(driver->fill(trip.memory[0]->address, 77, TRIP_BYTES, NULL), CUDA_SUCCESS);
    /* Without copies of its own a submission still waits. */
    assert_int_equal(vmaf_device_submit(trip.queue, trip.list, &params, &ticket), 0);
    assert_true(has_arrived(&trip, ticket, 77));
    assert_int_equal(driver->fetch(bytes, trip.memory[2]->address, TRIP_BYTES), CUDA_SUCCESS);
    assert_memory_equal(bytes, trip.download->mapped, TRIP_BYTES);
    end(&trip, image);
}

static void given_pictures_that_cannot_be_read_they_are_refused_in_words(void **state)
{
    Trip trip;
    VmafDeviceImage *image, *refused;
    unsigned char host[16];
    char text[256];
    (void)state;
    begin(&trip, &image);
    struct {
        VmafBackendImport picture;
        int error;
        const char *words;
    } cases[] = {{picture_at(plane), -ENOTSUP, "kind 1"},
                 {picture_at(plane), -EINVAL, "closer than they are long"},
                 {picture_at(plane), -EINVAL, "closer than they are long"},
                 {picture_at(plane), -EINVAL, "larger than its memory"},
                 {picture_at((uintptr_t)host), -EINVAL, "not in memory that CUDA knows"}};
    cases[0].picture.kind = VMAF_BACKEND_IMPORT_HIP_POINTER;
    cases[1].picture.stride[0] = 2 * WIDTH - 2;
    cases[2].picture.stride[0] = -PITCH;
    cases[3].picture.size = PITCH * (HEIGHT - 1) + 2 * WIDTH - 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(trip.layer->image_import(trip.device, &refused, &cases[i].picture),
                         cases[i].error);
        trip.layer->last_error(trip.device, text, sizeof(text));
        if (!strstr(text, cases[i].words))
            fail_msg("%s: no %s", text, cases[i].words);
    }
    /* The device is still there. */
    const VmafBackendSync legacy = sync_of(VMAF_BACKEND_SYNC_CUDA_STREAM, NULL);
    fill(9, NULL);
    assert_true(has_arrived(&trip, submit(&trip, image, &legacy, NULL), 9));
    end(&trip, image);
}

static void given_formats_the_planes_are_as_long_as_they_need(void **state)
{
    static const struct {
        uint32_t format, layout, depth, n_planes;
        uint64_t size[3];
    } cases[] = {
        {VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_PLANAR, 8, 3, {64 * 6 + 33, 64 * 2 + 16, 144}},
        {VMAF_BACKEND_PIXEL_422, VMAF_BACKEND_LAYOUT_PLANAR, 8, 3, {417, 64 * 6 + 16, 400}},
        {VMAF_BACKEND_PIXEL_444, VMAF_BACKEND_LAYOUT_PLANAR, 8, 3, {417, 417, 417}},
        {VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_SEMIPLANAR, 8, 2, {417, 64 * 2 + 32, 0}},
        {VMAF_BACKEND_PIXEL_400, VMAF_BACKEND_LAYOUT_PLANAR, 8, 1, {417, 0, 0}},
    };
    Trip trip;
    VmafDeviceImage *image, *small;
    (void)state;
    begin(&trip, &image);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VmafBackendImport picture = picture_at(plane);
        picture.width = 33;
        picture.height = 7;
        picture.depth = cases[i].depth;
        picture.pixel_format = cases[i].format;
        picture.layout = cases[i].layout;
        picture.planes = cases[i].n_planes == 1 ? VMAF_BACKEND_PLANE_Y : 7;
        picture.n_handles = 3;
        for (int p = 0; p < 3; p++) {
            picture.handles[p] = plane + 2048 * (uint64_t)p;
            picture.stride[p] = 64;
        }
        assert_int_equal(trip.layer->image_import(trip.device, &small, &picture), 0);
        assert_int_equal(small->n_planes, cases[i].n_planes);
        for (int p = 0; p < 3; p++) {
            assert_int_equal(small->buffers[p] != NULL, cases[i].size[p] != 0);
            if (small->buffers[p]) {
                assert_int_equal(small->buffers[p]->size, cases[i].size[p]);
                assert_true(small->buffers[p]->address == picture.handles[p]);
            }
        }
        trip.layer->image_destroy(trip.device, small);
    }
    end(&trip, image);
}

int main(void)
{
    driver = emulated_load();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(given_what_to_wait_for_the_picture_is_read_after_it, set_up),
        cmocka_unit_test_setup(given_what_to_signal_the_picture_is_not_overwritten_before, set_up),
        cmocka_unit_test_setup(given_device_buffers_their_addresses_are_the_applications_too,
                               set_up),
        cmocka_unit_test_setup(given_pictures_that_cannot_be_read_they_are_refused_in_words,
                               set_up),
        cmocka_unit_test_setup(given_formats_the_planes_are_as_long_as_they_need, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
