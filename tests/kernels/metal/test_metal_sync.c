/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Pictures of an application as surfaces and textures, what a submission waits for before it reads
 * them, and what waits for it.
 */
#include <errno.h>
#include <string.h>

#include "application.h"
#include "metal_layer.h"
#include "support/cases.h"

static const VmafDeviceOpenParams usual;

/* Of luma; the sizes of chroma are rounded up in surfaces, and down in pictures. */
enum { WIDTH = 37, HEIGHT = 9 };

static VmafBackendImport picture_of(MetalObject surface, uint32_t depth)
{
    return (VmafBackendImport){
        .struct_size = sizeof(VmafBackendImport),
        .kind = VMAF_BACKEND_IMPORT_IOSURFACE,
        .width = WIDTH,
        .height = HEIGHT,
        .depth = depth,
        .pixel_format = VMAF_BACKEND_PIXEL_420,
        .layout = VMAF_BACKEND_LAYOUT_SEMIPLANAR,
        .planes = 7,
        .n_handles = 4,
        .handles = {(uintptr_t)surface, 0, (uintptr_t)surface, 1},
    };
}

static void begin(Trip *trip, const char *order)
{
    metal_use_machine(NULL, order);
    assert_int_equal(trip_begin(trip, &usual), 0);
}

static VmafDeviceImage *import(const Trip *trip, const VmafBackendImport *picture)
{
    VmafDeviceImage *image = NULL;
    const int err = trip->layer->image_import(trip->device, &image, picture);
    if (err) {
        char text[256];
        trip->layer->last_error(trip->device, text, sizeof(text));
        fail_msg("error %d: %s", err, text);
    }
    return image;
}

/* Copies a plane to where the trip's list takes it down; row_size as the pipeline rounds it. */
static int submit(const Trip *trip, const VmafDeviceImage *image, uint32_t plane, uint64_t row_size,
                  uint32_t rows, const VmafBackendSync *wait, const VmafBackendSync *signal,
                  VmafDeviceTicket *ticket)
{
    const VmafDeviceCopy copy = {.dst = trip->memory[0],
                                 .dst_stride = 96,
                                 .image = image,
                                 .image_plane = plane,
                                 .row_size = (row_size + 3) / 4 * 4,
                                 .rows = rows};
    const VmafDeviceSubmit params = {.struct_size = sizeof(params),
                                     .copies = &copy,
                                     .n_copies = 1,
                                     .waits = wait,
                                     .n_waits = wait != NULL,
                                     .signals = signal,
                                     .n_signals = signal != NULL};
    return vmaf_device_submit(trip->queue, trip->list, &params, ticket);
}

static VmafDeviceTicket read_plane(const Trip *trip, const VmafDeviceImage *image, uint32_t plane,
                                   uint64_t row_size, uint32_t rows, const VmafBackendSync *wait,
                                   const VmafBackendSync *signal)
{
    VmafDeviceTicket ticket;
    assert_int_equal(submit(trip, image, plane, row_size, rows, wait, signal, &ticket), 0);
    return ticket;
}

/* Whether these samples have arrived. */
static bool has_arrived(const Trip *trip, VmafDeviceTicket ticket, unsigned char seed,
                        uint64_t row_size, uint32_t rows)
{
    size_t wrong = 0;
    assert_int_equal(trip->layer->wait(trip->queue, ticket, UINT64_MAX), 0);
    const unsigned char *bytes = trip->download->mapped;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint64_t x = 0; x < row_size; x++)
            wrong += bytes[96 * y + x] != metal_byte(seed, x, y);
    }
    return wrong == 0;
}

CASE(given_surfaces_of_two_planes_their_samples_arrive)
{
    for (uint32_t depth = 8; depth <= 10; depth += 2) {
        const size_t bytes = depth > 8 ? 2 : 1;
        Trip trip;
        begin(&trip, "2");
        const MetalObject surface = metal_new_surface(WIDTH, HEIGHT, bytes);
        const VmafBackendImport picture = picture_of(surface, depth);
        VmafDeviceImage *image = import(&trip, &picture);
        assert_int_equal(image->n_planes, 2);
        assert_null(image->buffers[0]);
        for (uint32_t p = 0; p < 2; p++) {
            const uint64_t row = p ? WIDTH / 2 * 2 * bytes : WIDTH * bytes;
            const uint32_t rows = p ? HEIGHT / 2 : HEIGHT;
            metal_fill_plane(surface, p, (unsigned char)(depth + p));
            const VmafDeviceTicket ticket = read_plane(&trip, image, p, row, rows, NULL, NULL);
            assert_true(has_arrived(&trip, ticket, (unsigned char)(depth + p), row, rows));
        }
        metal_fill_plane(surface, 0, 99);
        CFRelease(surface); /* the image keeps it */
        assert_true(has_arrived(&trip,
                                read_plane(&trip, image, 0, WIDTH * bytes, HEIGHT, NULL, NULL), 99,
                                WIDTH * bytes, HEIGHT));
        trip.layer->image_destroy(trip.device, image);
        trip_end(&trip);
        metal_end(0);
    }
}

CASE(given_textures_their_samples_arrive)
{
    static const MetalUInteger formats[] = {METAL_R8_UNORM, METAL_R8_UINT};
    Trip trip;
    begin(&trip, NULL);
    const MetalObject device = MTLCreateSystemDefaultDevice();
    const MetalObject surface = metal_new_surface(WIDTH, HEIGHT, 1);
    for (size_t i = 0; i < 2; i++) {
        const MetalObject descriptor = metal_texture_descriptor(
            objc_getClass("MTLTextureDescriptor"), formats[i], WIDTH, HEIGHT, 0);
        const MetalObject texture = metal_new_texture_of(device, descriptor, surface, 0);
        VmafBackendImport picture = picture_of(surface, 8);
        picture.kind = VMAF_BACKEND_IMPORT_METAL_TEXTURE;
        picture.layout = VMAF_BACKEND_LAYOUT_PLANAR;
        picture.pixel_format = VMAF_BACKEND_PIXEL_400;
        picture.handles[0] = (uintptr_t)texture;
        picture.n_handles = 1;
        VmafDeviceImage *image = import(&trip, &picture);
        metal_release(texture); /* the image keeps it */
        metal_fill_plane(surface, 0, (unsigned char)(50 + i));
        const VmafDeviceTicket ticket = read_plane(&trip, image, 0, WIDTH, HEIGHT, NULL, NULL);
        assert_true(has_arrived(&trip, ticket, (unsigned char)(50 + i), WIDTH, HEIGHT));
        trip.layer->image_destroy(trip.device, image);
    }
    metal_release(device);
    CFRelease(surface);
    trip_end(&trip);
    metal_end(0);
}

/* A texture of the surface, in the application's own way. */
static MetalObject new_texture(MetalObject device, MetalObject surface, MetalUInteger format,
                               MetalUInteger width)
{
    const MetalObject descriptor =
        metal_texture_descriptor(objc_getClass("MTLTextureDescriptor"), format, width, HEIGHT, 0);
    return metal_new_texture_of(device, descriptor, surface, 0);
}

static void reason_set(const Trip *trip, const VmafBackendImport *picture, int error,
                       const char *words)
{
    VmafDeviceImage *image;
    char text[256];
    const uint64_t textures = emulated_metal_count("MTLTexture");
    assert_int_equal(trip->layer->image_import(trip->device, &image, picture), error);
    assert_null(image);
    trip->layer->last_error(trip->device, text, sizeof(text));
    if (!strstr(text, words))
        fail_msg("%s: no %s", text, words);
    assert_int_equal(emulated_metal_count("MTLTexture"), textures);
}

CASE(given_pictures_that_cannot_be_read_they_are_refused_in_words)
{
    Trip trip;
    metal_use_machine("device One\ndevice Two", NULL);
    assert_int_equal(trip_begin(&trip, &usual), 0);
    const MetalObject surface = metal_new_surface(WIDTH, HEIGHT, 1);
    const VmafBackendImport good = picture_of(surface, 8);
    VmafBackendImport picture = good;
    picture.kind = VMAF_BACKEND_IMPORT_CUDA_POINTER;
    reason_set(&trip, &picture, -ENOTSUP, "kind 0");
    picture = good;
    picture.handles[2] = 0;
    reason_set(&trip, &picture, -EINVAL, "plane 1 has no IOSurface");
    picture = good;
    picture.handles[3] = 2;
    reason_set(&trip, &picture, -EINVAL, "no plane 2");
    picture = good;
    picture.depth = 10;
    reason_set(&trip, &picture, -EINVAL, "other samples");
    picture = good;
    picture.handles[3] = 0;
    reason_set(&trip, &picture, -EINVAL, "other samples");
    picture = good;
    picture.width = WIDTH + 1;
    reason_set(&trip, &picture, -EINVAL, "smaller than the picture");
    picture = good;
    picture.height = HEIGHT + 1;
    reason_set(&trip, &picture, -EINVAL, "smaller than the picture");

    const MetalObject list = MTLCopyAllDevices();
    picture = good;
    picture.kind = VMAF_BACKEND_IMPORT_METAL_TEXTURE;
    picture.planes = 1;
    picture.handles[0] = 0;
    reason_set(&trip, &picture, -EINVAL, "plane 0 has no texture");
    const MetalObject others = new_texture(metal_object_at(list, 1), surface, METAL_R8_UNORM, 16);
    picture.handles[0] = (uintptr_t)others;
    reason_set(&trip, &picture, -EINVAL, "another device's");
    const MetalObject wide = new_texture(metal_object_at(list, 0), surface, METAL_R8_UNORM, 16);
    picture.handles[0] = (uintptr_t)wide;
    reason_set(&trip, &picture, -EINVAL, "smaller than the picture");
    picture.depth = 10;
    reason_set(&trip, &picture, -ENOTSUP, "format 10");
    metal_release(others);
    metal_release(wide);
    metal_release(list);

    VmafDeviceImage *image = import(&trip, &good); /* all is as it was */
    trip.layer->image_destroy(trip.device, image);
    CFRelease(surface);
    trip_end(&trip);
    metal_end(0);
}

/* -- events -- */

static VmafBackendSync sync_of(MetalObject event, uint64_t value)
{
    return (VmafBackendSync){.struct_size = sizeof(VmafBackendSync),
                             .kind = VMAF_BACKEND_SYNC_METAL_EVENT,
                             .handle = (uintptr_t)event,
                             .value = value};
}

/* An application with an event and a surface, and the surface as a picture on a trip. */
typedef struct Scene {
    Trip trip;
    MetalObject device, event, surface;
    VmafDeviceImage *image;
} Scene;

static void begin_scene(Scene *scene, const char *machine, const char *order)
{
    metal_use_machine(machine, order);
    assert_int_equal(trip_begin(&scene->trip, &usual), 0);
    scene->device = MTLCreateSystemDefaultDevice();
    scene->event = metal_new_shared_event(scene->device);
    scene->surface = metal_new_surface(WIDTH, HEIGHT, 1);
    const VmafBackendImport picture = picture_of(scene->surface, 8);
    scene->image = import(&scene->trip, &picture);
}

static void end_scene(Scene *scene)
{
    scene->trip.layer->image_destroy(scene->trip.device, scene->image);
    CFRelease(scene->surface);
    metal_release(scene->event);
    metal_release(scene->device);
    trip_end(&scene->trip);
    metal_end(0);
}

CASE(given_what_to_wait_for_the_picture_is_read_after_it)
{
    Scene scene;
    begin_scene(&scene, NULL, "early");
    const Trip *trip = &scene.trip;
    const VmafBackendSync wait = sync_of(scene.event, 5);
    for (int waits = 0; waits < 2; waits++) {
        metal_fill_plane(scene.surface, 0, 1);
        const VmafDeviceTicket ticket =
            read_plane(trip, scene.image, 0, WIDTH, HEIGHT, waits ? &wait : NULL, NULL);
        assert_int_equal(trip->layer->wait(trip->queue, ticket, 0), waits ? -ETIMEDOUT : 0);
        metal_fill_plane(scene.surface, 0, 2);
        metal_set_signaled_value(scene.event, waits ? 5 : 4);
        assert_true(has_arrived(trip, ticket, waits ? 2 : 1, WIDTH, HEIGHT));
    }
    end_scene(&scene);
}

CASE(given_what_to_signal_the_picture_is_not_overwritten_before)
{
    Scene scene;
    begin_scene(&scene, NULL, "late");
    for (uint64_t value = 1; value < 4; value++) {
        const VmafBackendSync signal = sync_of(scene.event, value);
        const unsigned char seed = (unsigned char)(10 * value);
        metal_fill_plane(scene.surface, 0, seed);
        const VmafDeviceTicket ticket =
            read_plane(&scene.trip, scene.image, 0, WIDTH, HEIGHT, NULL, &signal);
        while (metal_signaled_value(scene.event) < value)
            continue;
        metal_fill_plane(scene.surface, 0, (unsigned char)(seed + 1));
        assert_true(has_arrived(&scene.trip, ticket, seed, WIDTH, HEIGHT));
    }
    end_scene(&scene);
}

/* What an application waits for comes, although the copies have failed; so does the error. */
CASE(given_copies_that_fail_the_application_is_not_left_waiting)
{
    static const char *const machines[] = {"fail commit 1 8", "fail commit 1 2", "fail commit 1 1",
                                           "fail commit 1 8\nerrors-signal"};
    static const int errors[] = {-ENOMEM, -ENODEV, -EIO, -ENOMEM};
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        Scene scene;
        char text[256];
        VmafDeviceTicket ticket;
        begin_scene(&scene, machines[i], "late");
        const Trip *trip = &scene.trip;
        const VmafBackendSync signal = sync_of(scene.event, 1);
        metal_fill_plane(scene.surface, 0, 1);
        int err = submit(trip, scene.image, 0, WIDTH, HEIGHT, NULL, &signal, &ticket);
        if (!err) /* it may have failed at once */
            err = trip->layer->wait(trip->queue, ticket, UINT64_MAX);
        assert_int_equal(err, errors[i]);
        assert_int_equal(metal_signaled_value(scene.event), 1);
        /* So does everything that follows, at once. */
        assert_int_equal(submit(trip, scene.image, 0, WIDTH, HEIGHT, NULL, NULL, &ticket),
                         errors[i]);
        trip->layer->last_error(trip->device, text, sizeof(text));
        assert_non_null(strstr(text, "a command buffer"));
        end_scene(&scene);
    }
}

/* What was committed later signals more, and setting the event must not take that back: so it gets
 * the last value at once. */
CASE(given_copies_that_fail_before_others_the_application_sees_the_last_signal)
{
    Scene scene;
    VmafDeviceTicket first, second;
    begin_scene(&scene, "illegal-address commit 1", "late");
    const Trip *trip = &scene.trip;
    const MetalObject starts = metal_new_shared_event(scene.device);
    const VmafBackendSync signals[] = {sync_of(scene.event, 1), sync_of(scene.event, 2)};
    const VmafBackendSync wait = sync_of(starts, 1);
    metal_fill_plane(scene.surface, 0, 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(submit(trip, scene.image, 0, WIDTH, HEIGHT, i ? NULL : &wait, &signals[i],
                                i ? &second : &first),
                         0);
    metal_set_signaled_value(starts, 1);
    assert_int_equal(trip->layer->wait(trip->queue, first, UINT64_MAX), -ENODEV);
    assert_int_equal(metal_signaled_value(scene.event), 2);
    metal_release(starts);
    end_scene(&scene);
}

int main(int argc, char **argv)
{
    trip_use_layer("metal");
    return run_cases(argc, argv);
}
