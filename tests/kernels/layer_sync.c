/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "layer_sync.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/cases.h"

static const LayerSync *driver;

/* The application: a stream and an event, and a picture of one plane. */
static void *stream, *event;
static uint64_t plane;

/* The trip's words, as a picture of 16-bit luma. */
enum { WIDTH = TRIP_BYTES / 2 / 8, HEIGHT = 8, PITCH = 1536 };

static VmafBackendImport picture_at(uint64_t address)
{
    return (VmafBackendImport){
        .struct_size = sizeof(VmafBackendImport),
        .kind = driver->pointers,
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

/* The application on a new machine, a device there, and its picture. */
static void begin(Trip *trip, VmafDeviceImage **image)
{
    const VmafDeviceOpenParams *params = driver->begin();
    assert_int_equal(driver->create_stream(&stream), 0);
    assert_int_equal(driver->create_event(&event, 0), 0);
    assert_int_equal(driver->allocate(&plane, PITCH * HEIGHT), 0);
    assert_int_equal(trip_begin(trip, params), 0);
    const VmafBackendImport picture = picture_at(plane);
    assert_int_equal(trip->layer->image_import(trip->device, image, &picture), 0);
}

static void end(Trip *trip, VmafDeviceImage *image)
{
    trip->layer->image_destroy(trip->device, image);
    trip_end(trip);
    assert_int_equal(driver->free(plane), 0);
    assert_int_equal(driver->destroy_event(event), 0);
    assert_int_equal(driver->destroy_stream(stream), 0);
    driver->end();
}

/* Takes the picture on the trip; the ticket of it. */
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

static void fill(unsigned char value, void *where)
{
    assert_int_equal(driver->fill(plane, value, PITCH * HEIGHT, where), 0);
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
    begin(&trip, &image);
    assert_int_equal(image->n_planes, 1);
    const VmafBackendSync legacy = sync_of(driver->streams, NULL);
    const VmafBackendSync own = sync_of(driver->streams, stream);
    const VmafBackendSync recorded = sync_of(driver->events, event);
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
    assert_int_equal(driver->record(event, stream), 0);
    fill(6, stream);
    assert_true(has_arrived(&trip, submit(&trip, image, &recorded, NULL), 5));
    end(&trip, image);
}

/* It is another one on the layer's threads. */
static void given_the_stream_of_a_thread_it_is_refused(void **state)
{
    Trip trip;
    VmafDeviceImage *image;
    VmafDeviceTicket ticket;
    begin(&trip, &image);
    VmafBackendSync sync = sync_of(driver->streams, NULL);
    sync.handle = 2;
    const VmafDeviceSubmit waits = {.struct_size = sizeof(waits), .waits = &sync, .n_waits = 1};
    const VmafDeviceSubmit signals = {
        .struct_size = sizeof(signals), .signals = &sync, .n_signals = 1};
    assert_int_equal(vmaf_device_submit(trip.queue, trip.list, &waits, &ticket), -EINVAL);
    assert_int_equal(vmaf_device_submit(trip.queue, trip.list, &signals, &ticket), -EINVAL);
    end(&trip, image);
}

static void given_what_to_signal_the_picture_is_not_overwritten_before(void **state)
{
    static const struct {
        bool on_own; /* stream of the application; else the legacy one */
        enum { SIGNAL_NONE, SIGNAL_STREAM, SIGNAL_EVENT } signal;
    } cases[] = {
        {false, SIGNAL_STREAM},
        {true, SIGNAL_STREAM},
        {false, SIGNAL_EVENT},
        {false, SIGNAL_NONE}, /* shows that this test can see one that is missing */
    };
    Trip trip;
    VmafDeviceImage *image;
    void *overwritten;
    begin(&trip, &image);
    assert_int_equal(driver->create_event(&overwritten, 0), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const unsigned char value = (unsigned char)(10 * i + 10);
        void *where = cases[i].on_own ? stream : NULL;
        const VmafBackendSync wait = sync_of(driver->streams, where);
        const VmafBackendSync signal =
            cases[i].signal == SIGNAL_EVENT ? sync_of(driver->events, event) : wait;
        fill(value, where);
        const VmafDeviceTicket ticket =
            submit(&trip, image, &wait, cases[i].signal != SIGNAL_NONE ? &signal : NULL);
        if (cases[i].signal == SIGNAL_EVENT)
            assert_int_equal(driver->synchronize_event(event), 0);
        fill((unsigned char)(value + 5), where);
        assert_int_equal(driver->record(overwritten, where), 0);
        assert_int_equal(driver->synchronize_event(overwritten), 0);
        assert_int_equal(has_arrived(&trip, ticket, value), cases[i].signal != SIGNAL_NONE);
    }
    assert_int_equal(driver->destroy_event(overwritten), 0);
    end(&trip, image);
}

static void given_device_buffers_their_addresses_are_the_applications_too(void **state)
{
    Trip trip;
    VmafDeviceImage *image;
    unsigned char bytes[TRIP_BYTES];
    begin(&trip, &image);
    const VmafBackendSync legacy = sync_of(driver->streams, NULL);
    const VmafDeviceSubmit params = {
        .struct_size = sizeof(params), .waits = &legacy, .n_waits = 1, .stream = 1};
    VmafDeviceTicket ticket;
    assert_true(trip.device->info.caps.addresses);
    assert_int_not_equal(trip.memory[0]->address, 0);
    assert_int_equal(driver->fill(trip.memory[0]->address, 77, TRIP_BYTES, NULL), 0);
    /* Without copies of its own a submission still waits. */
    assert_int_equal(vmaf_device_submit(trip.queue, trip.list, &params, &ticket), 0);
    assert_true(has_arrived(&trip, ticket, 77));
    assert_int_equal(driver->fetch(bytes, trip.memory[2]->address, TRIP_BYTES), 0);
    assert_memory_equal(bytes, trip.download->mapped, TRIP_BYTES);
    end(&trip, image);
}

static void reason_set(const Trip *trip, const VmafBackendImport *picture, int error,
                       const char *words)
{
    VmafDeviceImage *image;
    char text[256];
    assert_int_equal(trip->layer->image_import(trip->device, &image, picture), error);
    trip->layer->last_error(trip->device, text, sizeof(text));
    if (!strstr(text, words))
        fail_msg("%s: no %s", text, words);
    driver->assert_no_error();
}

static void given_pictures_that_cannot_be_read_they_are_refused_in_words(void **state)
{
    enum { NEEDED = PITCH * (HEIGHT - 1) + 2 * WIDTH };
    Trip trip;
    VmafDeviceImage *image, *other;
    unsigned char host[16];
    char kind[32], unknown[64];
    begin(&trip, &image);
    const uint64_t last = plane + PITCH * HEIGHT - NEEDED; /* where it just fits */
    struct {
        VmafBackendImport picture;
        int error;
        const char *words;
    } cases[] = {{picture_at(plane), -ENOTSUP, kind},
                 {picture_at(plane), -EINVAL, "closer than they are long"},
                 {picture_at(plane), -EINVAL, "closer than they are long"},
                 {picture_at(plane), -EINVAL, "larger than its memory"},
                 {picture_at((uintptr_t)host), -EINVAL, unknown},
                 {picture_at(0), -EINVAL, "no address"},
                 {picture_at(last + 1), -EINVAL, "larger than its memory"}};
    cases[0].picture.kind = driver->other_pointers;
    cases[1].picture.stride[0] = 2 * WIDTH - 2;
    cases[2].picture.stride[0] = -PITCH;
    cases[3].picture.size = NEEDED - 1;
    snprintf(kind, sizeof(kind), "kind %u", driver->other_pointers);
    snprintf(unknown, sizeof(unknown), "not in memory that %s knows", driver->driver);
    const size_t n = sizeof(cases) / sizeof(cases[0]) - (driver->knows_sizes ? 0 : 1);
    for (size_t i = 0; i < n; i++)
        reason_set(&trip, &cases[i].picture, cases[i].error, cases[i].words);
    const VmafBackendImport fits = picture_at(last);
    assert_int_equal(trip.layer->image_import(trip.device, &other, &fits), 0);
    trip.layer->image_destroy(trip.device, other);
    /* The device is still there. */
    const VmafBackendSync legacy = sync_of(driver->streams, NULL);
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

int layer_sync_run(const LayerSync *layer)
{
    driver = layer;
    trip_use_layer(layer->layer);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_what_to_wait_for_the_picture_is_read_after_it),
        cmocka_unit_test(given_the_stream_of_a_thread_it_is_refused),
        cmocka_unit_test(given_what_to_signal_the_picture_is_not_overwritten_before),
        cmocka_unit_test(given_device_buffers_their_addresses_are_the_applications_too),
        cmocka_unit_test(given_pictures_that_cannot_be_read_they_are_refused_in_words),
        cmocka_unit_test(given_formats_the_planes_are_as_long_as_they_need),
    };
    return run_case_group(tests, NULL, NULL);
}
