/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures on the device, for backends that offer them. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { BUFFERS = 38, MARKS = 41, SHARED = 42 };

static bool has_buffers(const Subject *subject)
{
    const VmafBackend *api = subject->api;
    return api->struct_size >= offsetof(VmafBackend, get_extension) && api->buffer_create;
}

static VmafBackendBufferParams params_of(const Format *format, uint32_t kind)
{
    return (VmafBackendBufferParams){
        .struct_size = sizeof(VmafBackendBufferParams),
        .kind = kind,
        .width = format->width,
        .height = format->height,
        .depth = format->depth,
        .pixel_format = format->pixel_format,
        .planes = format->pixel_format == VMAF_BACKEND_PIXEL_400 ? 1 : 7,
    };
}

/* Creates a buffer with the content of a picture. */
static TestPicture upload(const Stream *stream, const TestPicture *picture, uint32_t kind)
{
    const VmafBackend *api = stream->subject->api;
    const VmafBackendBufferParams params = params_of(&stream->format, kind);
    VmafBackendBuffer *buffer = NULL;
    require(!api->buffer_create(stream->device, &params, &buffer) && buffer, BUFFERS,
            "buffer_create of kind %u fails", kind);
    VmafBackendBufferInfo info = {.struct_size = sizeof(info)};
    expect(!api->buffer_info(buffer, &info) && info.kind == kind, BUFFERS, "buffer_info");
    for (unsigned p = 0; p < 3; p++) {
        const bool there = kind != VMAF_BACKEND_BUFFER_UPLOADED && (params.planes >> p & 1);
        expect(there ? info.address[p] && info.stride[p] : !info.address[p], BUFFERS,
               "buffer_info: address of plane %u", p);
    }
    require(!api->buffer_upload(buffer, picture->view.data, picture->view.stride), BUFFERS,
            "buffer_upload fails");
    return (TestPicture){.view = {.struct_size = sizeof(VmafBackendPicture), .buffer = buffer}};
}

/* Checks that a download returns what was uploaded, and writes nothing beside it. */
static void check_download(const Stream *stream, const TestPicture *buffer,
                           const TestPicture *original)
{
    uint8_t *copy = calloc(1, original->size);
    void *data[3] = {NULL};
    size_t size[3] = {0}, used = 0;
    for (unsigned p = 0; p < 3 && original->view.data[p]; p++) {
        size[p] = test_plane_size(&stream->format, p);
        data[p] = copy + used;
        used += size[p] + 1; /* one more: a guard byte between planes */
    }
    require(
        !stream->subject->api->buffer_download(buffer->view.buffer, data, original->view.stride),
        BUFFERS, "buffer_download fails");
    for (unsigned p = 0; p < 3 && data[p]; p++)
        expect(!memcmp(data[p], original->view.data[p], size[p]) &&
                   ((uint8_t *)data[p])[size[p]] == 0,
               BUFFERS, "what is downloaded of plane %u is not what was uploaded", p);
    free(copy);
}

/* True if the backend offers this kind of buffer, since it need not offer all kinds. */
static bool offers(const Stream *stream, uint32_t kind)
{
    const VmafBackendBufferParams params = params_of(&stream->format, kind);
    VmafBackendBuffer *buffer = NULL;
    const int32_t result = stream->subject->api->buffer_create(stream->device, &params, &buffer);
    if (result == VMAF_BACKEND_OK)
        stream->subject->api->buffer_release(buffer);
    return result != VMAF_BACKEND_NOT_SUPPORTED;
}

static void score_buffers(Stream *stream, const Records *plain, uint32_t kind)
{
    Records *records = calloc(1, sizeof(*records));
    for (unsigned f = 0; f < N_FRAMES; f++) {
        TestPicture ref = test_picture(&stream->format, f, false, false, LAYOUT_TIGHT);
        TestPicture dist = test_picture(&stream->format, f, true, false, LAYOUT_TIGHT);
        TestPicture ref_buffer = upload(stream, &ref, kind);
        TestPicture dist_buffer = upload(stream, &dist, kind);
        check_download(stream, &dist_buffer, &dist);
        require(!stream_submit(stream, f, &ref_buffer, &dist_buffer, false, 1), BUFFERS,
                "submit of buffers fails");
        require(!stream_collect(stream, f, f, 1, records), BUFFERS, "collect fails");
        expect_equal(records, plain, f, BUFFERS, "pictures in buffers");
        stream->subject->api->buffer_release(ref_buffer.view.buffer);
        stream->subject->api->buffer_release(dist_buffer.view.buffer);
        test_picture_free(&ref);
        test_picture_free(&dist);
    }
    records_free(records);
    free(records);
}

/* Lets two sessions read the same reference from one buffer, and then the next one in that buffer.
 */
static void score_shared(Stream *stream, const Records *plain)
{
    const VmafBackend *api = stream->subject->api;
    Stream other = stream_open(stream->subject, stream->device, &stream->format, 2);
    Stream *streams[2] = {stream, &other};
    TestPicture shared = {.view = {.struct_size = sizeof(VmafBackendPicture)}};
    Records *records = calloc(2, sizeof(*records));
    for (unsigned f = 0; f < N_FRAMES; f++) {
        TestPicture ref = test_picture(&stream->format, f, false, false, LAYOUT_TIGHT);
        TestPicture dist = test_picture(&stream->format, f, true, false, LAYOUT_TIGHT);
        if (!shared.view.buffer)
            shared = upload(stream, &ref, VMAF_BACKEND_BUFFER_UPLOADED);
        else
            require(!api->buffer_upload(shared.view.buffer, ref.view.data, ref.view.stride), SHARED,
                    "buffer_upload fails the second time");
        test_picture_forbid(&ref);
        for (int i = 0; i < 2; i++)
            require(!stream_submit(streams[i], f, &shared, &dist, false, 1), SHARED,
                    "submit of a buffer that another session reads fails");
        for (int i = 0; i < 2; i++) {
            require(!stream_collect(streams[i], f, f, 1, &records[i]), SHARED, "collect fails");
            expect_equal(&records[i], plain, f, SHARED, "a buffer that two sessions read");
        }
        test_picture_free(&ref);
        test_picture_free(&dist);
    }
    api->buffer_release(shared.view.buffer);
    records_free(&records[0]);
    records_free(&records[1]);
    free(records);
    stream_close(&other);
}

/* Checks that the mark stays in a plane until something else is written there. */
static void check_marks(const Stream *stream)
{
    const VmafBackend *api = stream->subject->api;
    static const uint8_t mark[VMAF_BACKEND_MARK_SIZE] = {0x6d, 1, 2, 3, 4, 5, 6, 7, 0xff};
    const bool chroma = stream->format.pixel_format != VMAF_BACKEND_PIXEL_400;
    TestPicture picture = test_picture(&stream->format, 0, false, false, LAYOUT_TIGHT);
    TestPicture buffer = upload(stream, &picture, VMAF_BACKEND_BUFFER_DEVICE);
    const uint32_t all = chroma ? 7 : 1;
    uint32_t marked = all;
    require(!api->buffer_marked(buffer.view.buffer, &marked, mark), MARKS, "buffer_marked fails");
    expect(marked == 0, MARKS, "planes are marked that never were");
    require(!api->buffer_mark(buffer.view.buffer, all, mark), MARKS, "buffer_mark fails");
    uint32_t expected = 0;
    for (unsigned p = 0; p < 3; p++) {
        if ((all >> p & 1) && test_plane_size(&stream->format, p) >= VMAF_BACKEND_MARK_SIZE)
            expected |= 1u << p;
    }
    marked = expected;
    require(!api->buffer_marked(buffer.view.buffer, &marked, mark), MARKS, "buffer_marked fails");
    expect(marked == expected, MARKS, "marks are lost");
    const void *const luma[3] = {picture.view.data[0]};
    require(!api->buffer_upload(buffer.view.buffer, luma, picture.view.stride), BUFFERS,
            "buffer_upload of luma fails");
    marked = expected;
    require(!api->buffer_marked(buffer.view.buffer, &marked, mark), MARKS, "buffer_marked fails");
    expect(marked == (expected & ~1u), MARKS, "a plane that was written to counts as marked");
    api->buffer_release(buffer.view.buffer);
    test_picture_free(&picture);
}

/* True if the device names UPLOADED buffers, which several sessions may read. */
static bool offers_uploads(const Subject *subject)
{
    VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
    require(!subject->api->device_get(subject->device, &info), 12, "device_get fails");
    return info.buffers >> VMAF_BACKEND_BUFFER_UPLOADED & 1;
}

static bool has_marks(const Subject *subject)
{
    const VmafBackend *api = subject->api;
    return api->struct_size >= sizeof(VmafBackend) && api->buffer_mark;
}

static void run_buffers(const Subject *subject)
{
    if (!has_buffers(subject))
        return;
    const VmafBackend *api = subject->api;
    require(api->buffer_info && api->buffer_download && api->buffer_upload && api->buffer_release,
            BUFFERS, "some functions of buffers are missing");
    VmafBackendDevice *device = open_device(subject);
    Format format;
    bool offered = false;
    for (unsigned n = 0; n < SOME_FORMATS && format_to_try(subject, n, &format); n++) {
        Records *plain = calloc(1, sizeof(*plain));
        /* Older backends do not know the last kind. */
        const uint32_t last =
            offers_uploads(subject) ? VMAF_BACKEND_BUFFER_UPLOADED : VMAF_BACKEND_BUFFER_PINNED;
        for (uint32_t kind = 0; kind <= last; kind++) {
            Stream stream = stream_open(subject, device, &format, 2);
            if (kind == 0) {
                stream_score(&stream, plain);
            } else if (offers(&stream, kind)) {
                score_buffers(&stream, plain, kind);
                if (kind == VMAF_BACKEND_BUFFER_DEVICE && has_marks(subject))
                    check_marks(&stream);
                offered = true;
            }
            stream_close(&stream);
        }
        if (offers_uploads(subject)) {
            Stream stream = stream_open(subject, device, &format, 2);
            score_shared(&stream, plain);
            stream_close(&stream);
        }
        records_free(plain);
        free(plain);
    }
    expect(offered, BUFFERS, "buffers of no kind can be created");
    const VmafBackendBufferParams wrong = params_of(&format, 99);
    VmafBackendBuffer *buffer = NULL;
    expect(api->buffer_create(device, &wrong, &buffer) < 0, BUFFERS,
           "a buffer of an unknown kind is created");
    subject->api->device_close(device);
}

const Group buffers_group = {"buffers", run_buffers};
