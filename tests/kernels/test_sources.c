/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Where pictures come from: a session gets the same records from host memory that the processor
 * copies, registered memory, buffers of all kinds and imported pictures, in every order in which a
 * device may work, for odd sizes and all layouts. Takes the layer's name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "device_state.h"
#include "fixture.h"
#include "platform/machine.h"
#include "session.h"
#include "support/cases.h"
#include "test_sets.h"
#include "tested_metrics.h"

enum { FRAMES = 23, RECORD_BYTES = 1024, PADDING = 12 };

/* ---- Pictures ---- */

typedef struct Shape {
    uint32_t w, h, depth, format;
} Shape;

static uint32_t width_of(const Shape *shape, uint32_t plane)
{
    return plane && shape->format != VMAF_BACKEND_PIXEL_444 ? shape->w / 2 : shape->w;
}

static uint32_t height_of(const Shape *shape, uint32_t plane)
{
    return plane && shape->format == VMAF_BACKEND_PIXEL_420 ? shape->h / 2 : shape->h;
}

static uint32_t bytes_of(const Shape *shape)
{
    return shape->depth > 8 ? 2 : 1;
}

static uint32_t sample(const Shape *shape, uint32_t number, uint32_t plane, uint32_t x, uint32_t y)
{
    uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ (plane + 4 * number) * 0xc2b2ae3du;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return (h ^ h >> 12) & ((1u << shape->depth) - 1);
}

static void put(void *row, const Shape *shape, uint32_t index, uint32_t value)
{
    if (bytes_of(shape) == 1)
        ((unsigned char *)row)[index] = (unsigned char)value;
    else
        ((uint16_t *)row)[index] = (uint16_t)value;
}

/* How samples lie, apart from their shape. */
typedef struct Layout {
    bool semiplanar;
    uint32_t shift;
} Layout;

/* A picture in memory, planes one after the other. */
typedef struct Picture {
    unsigned char *memory;
    size_t size; /* whole pages */
    unsigned char *data[3];
    uint64_t stride[3];
} Picture;

static Picture picture_create(const Shape *shape, Layout layout)
{
    Picture picture = {0};
    uint64_t offset[3];
    for (uint32_t p = 0; p < 3; p++) {
        const uint32_t pairs = layout.semiplanar && p ? 2 : 1;
        picture.stride[p] = (uint64_t)width_of(shape, p) * bytes_of(shape) * pairs + PADDING;
        picture.stride[p] += (4 - picture.stride[p] % 4) % 4;
        offset[p] = picture.size;
        picture.size += picture.stride[p] * height_of(shape, p);
    }
    picture.size = (picture.size + 4095) / 4096 * 4096;
    picture.memory = vmaf_aligned_alloc(4096, picture.size);
    assert_non_null(picture.memory);
    memset(picture.memory, 0xaa, picture.size);
    for (uint32_t p = 0; p < 3; p++)
        picture.data[p] = picture.memory + offset[p];
    return picture;
}

/* Number 2 n is reference n, 2 n + 1 is distorted picture n. */
static void picture_fill(const Picture *picture, const Shape *shape, Layout layout, uint32_t number)
{
    for (uint32_t p = 0; p < 3; p++) {
        const bool pairs = layout.semiplanar && p;
        for (uint32_t y = 0; y < height_of(shape, p); y++) {
            unsigned char *row = picture->data[pairs ? 1 : p] + picture->stride[pairs ? 1 : p] * y;
            for (uint32_t x = 0; x < width_of(shape, p); x++)
                put(row, shape, pairs ? 2 * x + p - 1 : x,
                    sample(shape, number, p, x, y) << layout.shift |
                        ((x * 7 + y) & ((1u << layout.shift) - 1)));
        }
    }
}

/* ---- Sources ---- */

/* FETCHED: a buffer for uploads from registered memory. */
enum Kind { HOST, REGISTERED, PINNED, DEVICE, UPLOADED, FETCHED, STREAM, POINTER, TEXTURE };

typedef struct Source {
    enum Kind kind;
    Layout layout;
} Source;

/* A picture of a source, for one frame. */
typedef struct Given {
    Picture memory;
    VmafBackendMemory *registered;
    EmulatorTexture textures[3];
    EmulatorTimeline ready, done;
    VmafBackendSync wait, signal;
    VmafBackendPicture picture;
} Given;

static void make_import(Fixture *fixture, const Shape *shape, const Source *source, Given *given)
{
    given->wait = (VmafBackendSync){sizeof(given->wait), VMAF_BACKEND_SYNC_VULKAN_TIMELINE,
                                    (uint64_t)(uintptr_t)&given->ready, 3};
    given->signal = (VmafBackendSync){sizeof(given->signal), VMAF_BACKEND_SYNC_VULKAN_TIMELINE,
                                      (uint64_t)(uintptr_t)&given->done, 5};
    VmafBackendImport params = {
        .struct_size = sizeof(params),
        .kind = source->kind == TEXTURE ? VMAF_BACKEND_IMPORT_METAL_TEXTURE
                                        : VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .width = shape->w,
        .height = shape->h,
        .depth = shape->depth,
        .pixel_format = shape->format,
        .planes = 7,
        .n_handles = 3,
        .layout = source->layout.semiplanar,
        .shift = source->layout.shift,
        .wait = &given->wait,
        .signal = &given->signal,
    };
    for (uint32_t p = 0; p < 3; p++) {
        given->textures[p] = (EmulatorTexture){given->memory.data[p], given->memory.stride[p]};
        params.stride[p] = (int64_t)given->memory.stride[p];
        params.handles[p] = source->kind == TEXTURE ? (uint64_t)(uintptr_t)&given->textures[p]
                                                    : (uint64_t)(uintptr_t)given->memory.data[p];
    }
    assert_int_equal(vmaf_buffer_import(fixture->device, &params, &given->picture.buffer), 0);
    params.wait = params.signal = NULL; /* the buffer has copied them */
}

static void make_buffer(Fixture *fixture, const Shape *shape, const Source *source, Given *given)
{
    const VmafBackendBufferParams params = {
        .struct_size = sizeof(params),
        .kind = source->kind == PINNED                                ? VMAF_BACKEND_BUFFER_PINNED
                : source->kind == UPLOADED || source->kind == FETCHED ? VMAF_BACKEND_BUFFER_UPLOADED
                                                                      : VMAF_BACKEND_BUFFER_DEVICE,
        .width = shape->w,
        .height = shape->h,
        .depth = shape->depth,
        .pixel_format = shape->format,
        .planes = 7,
    };
    assert_int_equal(vmaf_buffer_create(fixture->device, &params, &given->picture.buffer), 0);
}

static void register_memory(Fixture *fixture, Given *given)
{
    assert_int_equal(vmaf_host_memory_register(fixture->device, given->memory.memory,
                                               given->memory.size, &given->registered),
                     0);
}

static void given_create(Given *given, Fixture *fixture, const Shape *shape, const Source *source)
{
    *given = (Given){.memory = picture_create(shape, source->layout),
                     .picture = {.struct_size = sizeof(given->picture)}};
    if (source->kind >= POINTER) {
        make_import(fixture, shape, source, given);
        return;
    }
    if (source->kind >= PINNED) {
        make_buffer(fixture, shape, source, given);
        if (source->kind == FETCHED)
            register_memory(fixture, given);
        return;
    }
    for (uint32_t p = 0; p < 3; p++) {
        given->picture.data[p] = given->memory.data[p];
        given->picture.stride[p] = (int64_t)given->memory.stride[p];
    }
    if (source->kind == REGISTERED)
        register_memory(fixture, given);
}

static void given_destroy(Given *given, Fixture *fixture)
{
    if (given->registered)
        vmaf_host_memory_unregister(fixture->device, given->registered);
    if (given->picture.buffer)
        vmaf_buffer_release(given->picture.buffer);
    vmaf_aligned_free(given->memory.memory);
}

/* Queues the planes in the application's stream, which nobody waits for. */
static void write_in_stream(Fixture *fixture, const Shape *shape, const Given *given)
{
    VmafBackendBufferInfo info = {.struct_size = sizeof(info)};
    assert_int_equal(vmaf_buffer_info(given->picture.buffer, &info), 0);
    for (uint32_t p = 0; p < 3; p++) {
        for (uint32_t y = 0; y < height_of(shape, p); y++)
            assert_int_equal(emulator_stream_write(
                                 fixture->device, info.address[p] + (uint64_t)info.stride[p] * y,
                                 given->memory.data[p] + given->memory.stride[p] * y,
                                 (size_t)width_of(shape, p) * bytes_of(shape)),
                             0);
    }
}

/* Puts the content where the session will find it. */
static void given_fill(Given *given, Fixture *fixture, const Shape *shape, const Source *source,
                       uint32_t number)
{
    int64_t stride[3];
    for (uint32_t p = 0; p < 3; p++)
        stride[p] = (int64_t)given->memory.stride[p];
    picture_fill(&given->memory, shape, source->layout, number);
    if (source->kind == STREAM)
        write_in_stream(fixture, shape, given);
    else if (source->kind >= PINNED && source->kind < STREAM)
        assert_int_equal(vmaf_buffer_upload(given->picture.buffer,
                                            (const void *const *)given->memory.data, stride),
                         0);
    atomic_store(&given->done.value, 0);
    atomic_store(&given->ready.value, 3);
}

/* Once the result was collected, the picture is the application's again. */
static void given_spoil(Given *given, const Source *source)
{
    memset(given->memory.memory, 0x55, given->memory.size);
    if (source->kind >= POINTER)
        assert_int_equal(atomic_load(&given->done.value), 5);
    atomic_store(&given->ready.value, 0);
}

/* ---- A session ---- */

typedef struct Records {
    _Alignas(16) unsigned char bytes[N_TESTED_METRICS][RECORD_BYTES];
} Records;

static VmafBackendPlan *make_plan(Fixture *fixture, const Shape *shape, uint32_t slots)
{
    const VmafBackendPlanParams params = {.width = shape->w,
                                          .height = shape->h,
                                          .depth = shape->depth,
                                          .pixel_format = shape->format,
                                          .frames_in_flight = slots};
    VmafBackendPlan *plan;
    assert_int_equal(tested_plan_create(fixture->device, tested_metrics, &params, &plan), 0);
    return plan;
}

static void collect(Fixture *fixture, VmafBackendSession *session, Records *records)
{
    void *list[N_TESTED_METRICS];
    int32_t status[N_TESTED_METRICS];
    for (uint32_t r = 0; r < N_TESTED_METRICS; r++)
        list[r] = records->bytes[r];
    VmafBackendResult result = {.struct_size = sizeof(result),
                                .n_requests = N_TESTED_METRICS,
                                .records = list,
                                .status = status};
    const int32_t answer = vmaf_session_collect(session, 1800000, &result);
    if (answer != VMAF_BACKEND_OK) {
        char text[256];
        fixture->layer->last_error(fixture->device, text, sizeof(text));
        fail_msg("collect: %d, %s", answer, text);
    }
}

static void submit(Fixture *fixture, VmafBackendSession *session, uint64_t sequence, bool context,
                   const Given pair[2])
{
    const VmafBackendFrame frame = {.struct_size = sizeof(frame),
                                    .flags = context ? VMAF_BACKEND_SUBMIT_CONTEXT : 0,
                                    .sequence = sequence,
                                    .wanted = {context ? 0 : UINT64_MAX},
                                    .ref = &pair[0].picture,
                                    .dist = context ? NULL : &pair[1].picture};
    const int32_t answer = vmaf_session_submit(session, &frame);
    if (answer != VMAF_BACKEND_OK) {
        char text[256];
        fixture->layer->last_error(fixture->device, text, sizeof(text));
        fail_msg("submit: %d, %s", answer, text);
    }
}

/* Whether frame `f` is only a neighbour: after a jump, before frames 6 and 12, and so many before
 * frame 21 that they need the positions of frames which were not collected. */
static bool is_context(uint32_t f)
{
    return f == 5 || f == 10 || f == 11 || (f >= 14 && f <= 20);
}

static uint64_t sequence_of(uint32_t f)
{
    return f + 100 * ((f >= 5) + (f >= 10) + (f >= 14));
}

typedef struct Job {
    Fixture *fixture;
    const Shape *shape;
    const Source *ref, *dist;
    uint32_t slots;
} Job;

/* Records of all frames, with as many of them in flight as can be. */
static void run_job(const Job *job, Records records[FRAMES])
{
    VmafBackendPlan *plan = make_plan(job->fixture, job->shape, job->slots);
    VmafBackendSession *session;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    const Source *sources[2] = {job->ref, job->dist};
    Given(*given)[2] = calloc(FRAMES, sizeof(*given));
    uint32_t outstanding[FRAMES], first = 0, end = 0;
    uint32_t spoilt = 0; /* frames below this one */
    assert_non_null(given);
    memset(records, 0, FRAMES * sizeof(*records));
    assert_int_equal(vmaf_session_open(plan, &session, &why), VMAF_BACKEND_OK);
    for (uint32_t f = 0; f < FRAMES || first < end;) {
        if (f < FRAMES && (is_context(f) || end - first < job->slots)) {
            for (int side = 0; side < 2; side++) {
                given_create(&given[f][side], job->fixture, job->shape, sources[side]);
                given_fill(&given[f][side], job->fixture, job->shape, sources[side],
                           2 * f + (uint32_t)side);
            }
            submit(job->fixture, session, sequence_of(f), is_context(f), given[f]);
            if (!is_context(f))
                outstanding[end++] = f;
            f++;
            continue;
        }
        const uint32_t done = outstanding[first++];
        collect(job->fixture, session, &records[done]);
        for (; spoilt <= done; spoilt++) {
            for (int side = 0; side < 2; side++) {
                if (side == 0 || !is_context(spoilt))
                    given_spoil(&given[spoilt][side], sources[side]);
                given_destroy(&given[spoilt][side], job->fixture);
            }
        }
    }
    vmaf_session_close(session);
    vmaf_plan_destroy(plan);
    free(given);
}

static const Source by_processor = {.kind = HOST};

static void expect(const Shape *shape, Records records[FRAMES])
{
    const EmulatorOptions simple = {.immediate = true, .copy_alignment = 1};
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), &simple);
    run_job(&(Job){&fixture, shape, &by_processor, &by_processor, 2}, records);
    fixture_close(&fixture);
}

static void compare(const Records *expected, const Records *found, const char *what)
{
    for (uint32_t f = 0; f < FRAMES; f++) {
        for (uint32_t r = 0; r < N_TESTED_METRICS; r++) {
            if (memcmp(expected[f].bytes[r], found[f].bytes[r], RECORD_BYTES) != 0)
                fail_msg("%s: the record of %s of frame %u differs", what, tested_metrics[r], f);
        }
    }
}

static void check(const Shape *shape, const Source *ref, const Source *dist,
                  const Records *expected)
{
    Records *found = calloc(FRAMES, sizeof(*found));
    assert_non_null(found);
    /* Half of the orders and kinds of memory for each shape, unless all are wanted: odd widths have
     * one half, even ones the other. */
    const uint32_t step = getenv("VMAF_TEST_ALL") ? 1 : 2;
    for (uint32_t k = is_emulator() ? shape->w % step : 0; k < (is_emulator() ? 6u : 1u);
         k += step) {
        const EmulatorOptions options = {
            .order = k / 2 == 0   ? EMULATOR_ORDER_FORWARD
                     : k / 2 == 1 ? EMULATOR_ORDER_REVERSE
                                  : EMULATOR_ORDER_RANDOM,
            .seed = 1 + k,
            .no_unified_memory = k % 2,
            .copy_alignment = k == 3 && dist->kind < POINTER && ref->kind < POINTER ? 4 : 1,
        };
        Fixture fixture;
        char what[128];
        fixture_open_kernels(&fixture, product_kernel_set(layer_name), &options);
        run_job(&(Job){&fixture, shape, ref, dist, 2 + k % 3}, found);
        fixture_close(&fixture);
        snprintf(what, sizeof(what), "%ux%u, %u bits, format %u, sources %d and %d, order %u",
                 shape->w, shape->h, shape->depth, shape->format, (int)ref->kind, (int)dist->kind,
                 k);
        compare(expected, found, what);
    }
    free(found);
}

static const Shape shapes[] = {
    {67, 51, 8, VMAF_BACKEND_PIXEL_420},
    {66, 50, 10, VMAF_BACKEND_PIXEL_420},
    {35, 33, 10, VMAF_BACKEND_PIXEL_422},
    {34, 35, 16, VMAF_BACKEND_PIXEL_444},
};
enum { N_SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static void check_kind(enum Kind kind)
{
    const Source source = {.kind = kind};
    Records *expected = calloc(FRAMES, sizeof(*expected));
    assert_non_null(expected);
    for (size_t i = 0; i < (is_emulator() ? N_SHAPES : 1); i++) {
        expect(&shapes[i], expected);
        check(&shapes[i], &source, &source, expected);
        if (is_emulator())
            check(&shapes[i], &by_processor, &source, expected);
    }
    free(expected);
}

CASE(given_host_memory_the_processor_copies)
{
    check_kind(HOST);
}

static bool has_kind(enum Kind kind)
{
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    const VmafDeviceCaps caps = fixture.device->info.caps;
    fixture_close(&fixture);
    return kind == REGISTERED || kind == FETCHED ? caps.host_memory_alignment > 0
           : kind == DEVICE                      ? caps.addresses
           : kind >= STREAM                      ? is_emulator()
                                                 : true;
}

CASE(given_registered_memory_it_is_read)
{
    if (has_kind(REGISTERED))
        check_kind(REGISTERED);
}

CASE(given_pinned_buffers_they_are_read)
{
    check_kind(PINNED);
}

CASE(given_device_buffers_they_are_read)
{
    if (has_kind(DEVICE))
        check_kind(DEVICE);
}

CASE(given_buffers_for_uploads_they_are_read)
{
    check_kind(UPLOADED);
    if (has_kind(FETCHED))
        check_kind(FETCHED);
}

CASE(given_work_in_the_default_stream_it_is_waited_for)
{
    if (has_kind(STREAM))
        check_kind(STREAM);
}

CASE(given_imported_pictures_of_any_layout_they_are_read)
{
    static const struct {
        Shape shape;
        Layout layout;
    } cases[] = {
        {{67, 51, 8, VMAF_BACKEND_PIXEL_420}, {false, 0}},
        {{67, 51, 8, VMAF_BACKEND_PIXEL_420}, {true, 0}},   /* NV12, odd */
        {{66, 50, 10, VMAF_BACKEND_PIXEL_420}, {true, 6}},  /* P010 */
        {{130, 35, 16, VMAF_BACKEND_PIXEL_420}, {true, 0}}, /* P016 */
        {{35, 33, 12, VMAF_BACKEND_PIXEL_422}, {false, 4}},
        {{34, 35, 10, VMAF_BACKEND_PIXEL_444}, {true, 6}},
    };
    Records *expected = calloc(FRAMES, sizeof(*expected));
    assert_non_null(expected);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && has_kind(POINTER); i++) {
        const Source pointer = {.kind = POINTER, .layout = cases[i].layout};
        const Source texture = {.kind = TEXTURE, .layout = cases[i].layout};
        expect(&cases[i].shape, expected);
        check(&cases[i].shape, &pointer, &pointer, expected);
        check(&cases[i].shape, &texture, &by_processor, expected);
        check(&cases[i].shape, &by_processor, &pointer, expected);
    }
    free(expected);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
