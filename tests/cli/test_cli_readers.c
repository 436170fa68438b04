/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Y4M and raw video: every layout, every malformed header, files and pipes, raised depths. */
#include "clip.h"
#include "media/read_ahead.h"
#include "media/video_reader.h"
#include "platform/machine.h"
#include "program.h"
#include "run/models.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"
#include "support/files.h"

/* CRC-32 of zlib, bit by bit. */
static uint32_t crc32_add(uint32_t crc, unsigned char byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    return crc;
}

/* CRC of the part of a plane that belongs to the picture, samples as 16 bits, little endian. */
static uint32_t plane_crc(uint32_t crc, const VideoReader *reader, const unsigned char *buffer,
                          unsigned p)
{
    enum VmafPixelFormat format = reader->format.pixel_format;
    unsigned w = reader->format.width, h = reader->format.height;
    if (p && format != VMAF_PIX_FMT_YUV444P)
        w /= 2;
    if (p && format == VMAF_PIX_FMT_YUV420P)
        h /= 2;
    for (unsigned y = 0; y < h; y++) {
        const unsigned char *row = buffer + reader->offset[p] + (ptrdiff_t)y * reader->stride[p];
        for (unsigned x = 0; x < w; x++) {
            uint16_t sample;
            if (reader->output_depth > 8)
                memcpy(&sample, row + 2 * x, 2);
            else
                sample = row[x];
            crc = crc32_add(crc, (unsigned char)sample);
            crc = crc32_add(crc, (unsigned char)(sample >> 8));
        }
    }
    return crc;
}

static void open_y4m(VideoReader *reader, const char *path)
{
    assert_int_equal(video_reader_open(reader, path), 0);
    assert_int_equal(video_reader_start_y4m(reader, true), 0);
}

/* libvmaf 3.2 reference values; 420paldv and 422 without the chroma shift of libvmaf 3.1. */
static const struct {
    const char *tag;
    size_t frame_bytes;
    uint32_t crc[3];
} layouts[] = {
    {"420", 867, {0xf165a914, 0xb64bce78, 0xfbfc9b0f}},
    {"420jpeg", 867, {0xf165a914, 0xb64bce78, 0xfbfc9b0f}},
    {"420mpeg2", 867, {0xf165a914, 0xb64bce78, 0xfbfc9b0f}},
    {"420paldv", 867, {0xf165a914, 0xb64bce78, 0xfbfc9b0f}},
    {"420p10", 1734, {0x43283a80, 0xb2540a9d, 0x8bff6455}},
    {"420p12", 1734, {0x53901350, 0xdd345f23, 0xac8098cc}},
    {"420p16", 1734, {0x1fc2fe4d, 0x6047edcd, 0x5fc3a74c}},
    {"422", 1139, {0xf165a914, 0xbdcb8457, 0xe46f7fbc}},
    {"422p10", 2278, {0x43283a80, 0x089a5724, 0xd5810f72}},
    {"422p12", 2278, {0x53901350, 0xac7a8e91, 0xe913a889}},
    {"444", 1683, {0xf165a914, 0x55100183, 0x3e68d45c}},
    {"444alpha", 2244, {0xf165a914, 0x55100183, 0x3e68d45c}},
    {"444p10", 3366, {0x43283a80, 0x767de2e7, 0x73e1e99f}},
    {"444p12", 3366, {0x53901350, 0x3c84da46, 0x0a358e45}},
    {"mono", 561, {0xf165a914, 0, 0}},
};
enum { N_LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

CASE(given_an_odd_sized_file_of_each_layout_then_planes_have_known_checksums)
{
    for (int i = 0; i < N_LAYOUTS; i++) {
        clip_write(&(Clip){.width = 33, .height = 17, .frames = 1, .tag = layouts[i].tag}, "a.y4m");
        VideoReader reader;
        open_y4m(&reader, "a.y4m");
        assert_int_equal(reader.layout.frame_bytes, layouts[i].frame_bytes);
        assert_int_equal(video_reader_prepare(&reader, 7, reader.format.bit_depth, 4096), 0);
        unsigned char *buffer = test_malloc(reader.buffer_bytes);
        assert_int_equal(video_reader_next(&reader), 1);
        assert_int_equal(video_reader_read(&reader, buffer), 0);
        for (unsigned p = 0; p < 3 && layouts[i].crc[p]; p++) {
            assert_int_equal(reader.offset[p] % 4096, 0);
            uint32_t crc = ~plane_crc(~0u, &reader, buffer, p);
            if (crc != layouts[i].crc[p])
                fail_msg("%s plane %u: %08x", layouts[i].tag, p, (unsigned)crc);
        }
        assert_int_equal(video_reader_next(&reader), 0);
        test_free(buffer);
        video_reader_close(&reader);
    }
}

CASE(given_eight_bits_raised_to_ten_then_the_known_checksum)
{
    clip_write(&(Clip){.width = 33, .height = 17, .frames = 1}, "a.y4m");
    VideoReader reader;
    open_y4m(&reader, "a.y4m");
    assert_int_equal(video_reader_prepare(&reader, 7, 10, 4096), 0);
    unsigned char *buffer = test_malloc(reader.buffer_bytes);
    assert_int_equal(video_reader_next(&reader), 1);
    assert_int_equal(video_reader_read(&reader, buffer), 0);
    uint32_t crc = ~0u;
    for (unsigned p = 0; p < 3; p++)
        crc = plane_crc(crc, &reader, buffer, p);
    assert_int_equal(~crc, 0x666f36b2); /* libvmaf 3.1 reference value */
    test_free(buffer);
    video_reader_close(&reader);
}

CASE(given_ten_bits_raised_to_twelve_then_samples_are_four_times_as_large)
{
    clip_write(&(Clip){.width = 8, .height = 4, .frames = 1, .tag = "420p10", .raw = true},
               "a.yuv");
    const VideoFormat format = {VMAF_PIX_FMT_YUV420P, 8, 4, 10, false, 0, 0};
    VideoReader reader;
    uint16_t plain[2 * 4096], raised[2 * 4096];
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(video_reader_open(&reader, "a.yuv"), 0);
        assert_int_equal(video_reader_start_raw(&reader, &format), 0);
        assert_int_equal(video_reader_prepare(&reader, 1, pass ? 12 : 10, 64), 0);
        assert_int_equal(video_reader_next(&reader), 1);
        assert_int_equal(video_reader_read(&reader, pass ? raised : plain), 0);
        video_reader_close(&reader);
    }
    for (int i = 0; i < 32; i++)
        assert_int_equal(raised[i], 4 * plain[i]);
}

/* Reads luma of all frames through a path and returns the number of frames; *crc over all. */
static int read_luma(const char *path, uint32_t *crc)
{
    VideoReader reader;
    open_y4m(&reader, path);
    assert_int_equal(video_reader_prepare(&reader, 1, 8, 64), 0);
    unsigned char *buffer = test_malloc(reader.buffer_bytes);
    int frames = 0, more;
    *crc = ~0u;
    while ((more = video_reader_next(&reader)) > 0) {
        assert_int_equal(video_reader_read(&reader, buffer), 0);
        *crc = plane_crc(*crc, &reader, buffer, 0);
        frames++;
    }
    test_free(buffer);
    video_reader_close(&reader);
    return more < 0 ? more : frames;
}

static void *feed(void *path)
{
    size_t size;
    unsigned char *bytes = clip_make(&(Clip){.width = 66, .height = 34, .frames = 4}, &size);
    FILE *pipe = fopen(path, "wb");
    fwrite(bytes, 1, size, pipe);
    fclose(pipe);
    free(bytes);
    return NULL;
}

CASE(given_luma_alone_then_files_and_pipes_skip_chroma_alike)
{
    clip_write(&(Clip){.width = 66, .height = 34, .frames = 4}, "a.y4m");
    uint32_t of_file, of_pipe;
    assert_int_equal(read_luma("a.y4m", &of_file), 4);

    static char path[] = "fifo";
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t feeder;
    assert_int_equal(pthread_create(&feeder, NULL, feed, path), 0);
    assert_int_equal(read_luma(path, &of_pipe), 4);
    pthread_join(feeder, NULL);
    assert_int_equal(of_file, of_pipe);
    remove(path);
}

CASE(given_a_raw_file_on_a_pipe_then_the_end_is_found)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    char path[32];
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    Input input;
    assert_int_equal(input_open(&input, path), 0);
    close(ends[0]);
    char text[4] = "";
    size_t got;
    assert_int_equal(input_at_end(&input), 0);
    assert_int_equal(input_at_end(&input), 0);
    assert_int_equal(input_read(&input, text, 2, &got), 0);
    assert_string_equal(text, "ab");
    assert_int_equal(input_skip(&input, 5, &got), 0);
    assert_int_equal(got, 1);
    assert_int_equal(input_at_end(&input), 1);
    vmaf_input_close(&input.source);
}

/* Header lines and whether they are accepted; the frame after them has 64x64 samples. */
static const struct {
    const char *header;
    bool accepted;
} headers[] = {
    {"YUV4MPEG2 W64 H64 F25:1 Ip A1:1 C420jpeg\n", true},
    {"YUV4MPEG2 H64 W64 C420 F30000:1001\n", true},
    {"YUV4MPEG2  W64   H64 F25:1 I? A0:0 C420mpeg2 XYSCSS=420MPEG2\n", true},
    {"YUV4MPEG2 W64 H64 F25:1\n", true},
    {"YUV4MPEG2 W32 W64 H64 F25:1\n", true}, /* the last one wins */
    {"YUV4MPEG3 W64 H64 F25:1\n", true},     /* said, but accepted */
    {"YUV3MPEG2 W64 H64 F25:1\n", false},
    {"YUV4MPEG2 H64 F25:1\n", false},
    {"YUV4MPEG2 W64 F25:1\n", false},
    {"YUV4MPEG2 W64 H64\n", false},
    {"YUV4MPEG2 W64 H64 F25\n", false},
    {"YUV4MPEG2 W64 H64 F25:x\n", false},
    {"YUV4MPEG2 Wx H64 F25:1\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 A1\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 It\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 Ib\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 Im\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C410\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C411\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C440\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C420p8\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C420p17\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C420p010\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C420p1\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 Cmono8\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C0123456789abcdef\n", false},
    {"YUV4MPEG2 W64 H64 F25:1 C420\r\n", false},
    {"YUV4MPEG2 W64 H64\tF25:1\n", false},
    {"YUV4MPEG2 W0 H64 F25:1\n", false},
    {"YUV4MPEG2 W-64 H64 F25:1\n", false},
    {"YUV4MPEG2 W64 H0 F25:1\n", false},
    {"YUV4MPEG2 W2147483648 H64 F25:1\n", false},
    {"YUV4MPEG2 W99999999999999999999 H64 F25:1\n", false},
    {"YUV4MPEG2 W32769 H64 F25:1\n", false},
    {"YUV4MPEG2 W64 H4294967360 F25:1\n", false},
    {"YUV4MPEG2 W64 H64 F25:1", false}, /* no line feed */
    {"\n", false},
    {"", false},
};

static int silence_stderr(void)
{
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
    return saved;
}

static void restore_stderr(int saved)
{
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

CASE(given_headers_right_and_wrong_then_each_is_judged)
{
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        unsigned frames = strchr(headers[i].header, '\n') ? 1 : 0;
        clip_write(
            &(Clip){.width = 64, .height = 64, .frames = frames, .header = headers[i].header},
            "a.y4m");
        VideoReader reader;
        int saved = silence_stderr();
        int err = video_reader_open(&reader, "a.y4m");
        assert_int_equal(err, 0);
        err = video_reader_start_y4m(&reader, true);
        restore_stderr(saved);
        if (headers[i].accepted != !err)
            fail_msg("wrong availability on: %s", headers[i].header);
        if (!err) {
            assert_int_equal(reader.format.width, 64);
            assert_int_equal(reader.format.height, 64);
            assert_int_equal(video_reader_next(&reader), 1);
            assert_int_equal(video_reader_skip(&reader), 0);
            assert_int_equal(video_reader_next(&reader), 0);
        }
        video_reader_close(&reader);
    }
}

CASE(given_tags_with_a_depth_then_format_and_depth_are_read)
{
    static const struct {
        const char *prefix;
        enum VmafPixelFormat format;
    } families[] = {
        {"420p", VMAF_PIX_FMT_YUV420P},
        {"422p", VMAF_PIX_FMT_YUV422P},
        {"444p", VMAF_PIX_FMT_YUV444P},
        {"mono", VMAF_PIX_FMT_YUV400P},
    };
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned depth = 9; depth <= 16; depth++) {
            char header[64];
            snprintf(header, sizeof(header), "YUV4MPEG2 W64 H64 F25:1 C%s%u\n", families[i].prefix,
                     depth);
            clip_write(&(Clip){.width = 64, .height = 64, .frames = 0, .header = header}, "a.y4m");
            VideoReader reader;
            int saved = silence_stderr();
            assert_int_equal(video_reader_open(&reader, "a.y4m"), 0);
            assert_int_equal(video_reader_start_y4m(&reader, true), 0);
            restore_stderr(saved);
            assert_int_equal(reader.format.pixel_format, families[i].format);
            assert_int_equal(reader.format.bit_depth, depth);
            video_reader_close(&reader);
        }
    }
}

/* A line that begins so, filled up to a number of bytes without its end. */
static char *long_line(const char *beginning, size_t length)
{
    char *line = malloc(length + 2);
    const size_t begun = strlen(beginning);
    memcpy(line, beginning, begun);
    memset(line + begun, 'x', length - begun);
    strcpy(line + length, "\n");
    return line;
}

CASE(given_a_long_header_then_comments_are_passed_over)
{
    static const size_t lengths[] = {254, 255, 256, 400, 16383, 16384};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        char *header = long_line("YUV4MPEG2 W64 H64 F25:1 X", lengths[i]);
        clip_write(&(Clip){.width = 64, .height = 64, .frames = 3, .header = header}, "a.y4m");
        free(header);
        VideoReader reader;
        assert_int_equal(video_reader_open(&reader, "a.y4m"), 0);
        if (lengths[i] < 16384) {
            assert_int_equal(video_reader_start_y4m(&reader, true), 0);
            assert_int_equal(video_reader_next(&reader), 1);
            assert_int_equal(video_reader_count(&reader), 3);
        } else {
            assert_int_equal(video_reader_start_y4m(&reader, true), -EINVAL);
        }
        video_reader_close(&reader);
    }
}

CASE(given_frame_headers_then_parameters_are_passed_over)
{
    static const size_t lengths[] = {84, 85, 128, 400, 10000, 16384 + 10};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        char *line = long_line("FRAME ", lengths[i]);
        clip_write(&(Clip){.width = 64, .height = 64, .frames = 2, .frame_header = line}, "a.y4m");
        free(line);
        VideoReader reader;
        open_y4m(&reader, "a.y4m");
        int more = video_reader_next(&reader);
        if (lengths[i] < 16384) {
            assert_int_equal(more, 1);
            assert_int_equal(video_reader_skip(&reader), 0);
            assert_int_equal(video_reader_next(&reader), 1);
            assert_int_equal(video_reader_count(&reader), 2);
        } else {
            assert_true(more < 0);
            assert_string_equal(reader.error.text, "Error parsing YUV frame header");
        }
        video_reader_close(&reader);
    }
}

CASE(given_a_fragment_of_a_frame_at_the_end_then_it_is_no_clean_end)
{
    size_t frame = 6 + 64 * 64 * 3 / 2;
    for (size_t kept = 0; kept <= 7; kept++) {
        clip_write(&(Clip){.width = 64, .height = 64, .frames = 2, .cut = frame - kept}, "a.y4m");
        VideoReader reader;
        open_y4m(&reader, "a.y4m");
        assert_int_equal(video_reader_next(&reader), 1);
        assert_int_equal(video_reader_skip(&reader), 0);
        if (!kept) {
            assert_int_equal(video_reader_next(&reader), 0);
        } else {
            assert_true(video_reader_next(&reader) < 0);
            assert_string_equal(reader.error.text, kept < 6 ? "The file ends inside a frame header."
                                                            : "Error reading YUV frame data.");
        }
        video_reader_close(&reader);
    }
}

CASE(given_sizes_that_no_video_has_then_raw_input_is_refused)
{
    static const unsigned sizes[][2] = {{0, 64},     {64, 0},          {32769, 64},
                                        {64, 32769}, {2147483648u, 2}, {4294967295u, 4294967295u}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const VideoFormat format = {VMAF_PIX_FMT_YUV420P, sizes[i][0], sizes[i][1], 8, false, 0, 0};
        FileLayout layout;
        Message why;
        assert_true(video_format_layout(&format, &layout, &why) < 0);
    }
    const VideoFormat deep = {VMAF_PIX_FMT_YUV420P, 64, 64, 17, false, 0, 0};
    FileLayout layout;
    Message why;
    assert_true(video_format_layout(&deep, &layout, &why) < 0);
    const VideoFormat largest = {VMAF_PIX_FMT_YUV444P, 32768, 32768, 16, false, 0, 0};
    assert_int_equal(video_format_layout(&largest, &layout, &why), 0);
    assert_true(layout.frame_bytes == 6442450944u);
}

CASE(given_read_ahead_then_frames_arrive_in_order_and_the_end_stays)
{
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 20}, "a.y4m");
    VideoReader reader;
    open_y4m(&reader, "a.y4m");
    const ReadAheadConfig config = {.depth = 2,
                                    .max_buffers = 3,
                                    .skip = 3,
                                    .limit = 10,
                                    .wanted_planes = 1,
                                    .output_depth = 8};
    ReadAhead *ahead;
    assert_int_equal(read_ahead_start(&ahead, &reader, &config), 0);
    VmafPicture picture;
    Message why;
    for (unsigned f = 3; f < 13; f++) {
        assert_int_equal(read_ahead_next(ahead, 60000, &picture, &why), 1);
        const unsigned char *luma = picture.data[0];
        assert_int_equal(luma[0], 5 * f);
        assert_null(picture.data[1]);
        vmaf_picture_unref(&picture);
    }
    assert_int_equal(read_ahead_next(ahead, 60000, &picture, &why), 0);
    assert_int_equal(read_ahead_next(ahead, 60000, &picture, &why), 0);
    read_ahead_stop(ahead);
    read_ahead_destroy(ahead);
    video_reader_close(&reader);
}

CASE(given_a_reader_that_waits_for_a_pipe_then_stopping_does_not_hang)
{
    assert_int_equal(mkfifo("fifo", 0600), 0);
    int writer = open("fifo", O_RDWR); /* never writes, never closes */
    VideoReader reader;
    assert_int_equal(video_reader_open(&reader, "fifo"), 0);
    const VideoFormat format = {VMAF_PIX_FMT_YUV420P, 64, 64, 8, false, 0, 0};
    assert_int_equal(video_reader_start_raw(&reader, &format), 0);
    const ReadAheadConfig config = {
        .depth = 2, .max_buffers = 3, .wanted_planes = 7, .output_depth = 8};
    ReadAhead *ahead;
    assert_int_equal(read_ahead_start(&ahead, &reader, &config), 0);
    read_ahead_stop(ahead);
    read_ahead_destroy(ahead);
    video_reader_close(&reader);
    close(writer);
    remove("fifo");
}

CASE(given_model_files_then_collections_are_told_from_single_models)
{
    file_put_text("m.json", "{\"model_dict\": {\"0\": 1, \"1\": 2}, \"param_dict\": {}}");
    assert_false(model_file_is_collection("m.json"));
    file_put_text("m.json",
                  "{\n \"x\\\"{\": [1, {\"model_dict\": 3}],\n \"0\" : {\"model_dict\": {}}}");
    assert_true(model_file_is_collection("m.json"));
    /* Only numbers are names of members. */
    file_put_text("m.json", "{\"note\": \"x\", \"1a\": 0, \"model_dict\": {\"0\": 1}}");
    assert_false(model_file_is_collection("m.json"));
    file_put_text("m.json", "no model");
    assert_false(model_file_is_collection("m.json"));
    assert_false(model_file_is_collection("does-not-exist.json"));
}

CASE(given_control_groups_then_the_smallest_quota_counts)
{
    char mount[256];
    assert_non_null(getcwd(mount, sizeof(mount)));
    file_put_text("membership", "0::/a\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 0);
    file_put_text("cpu.max", "max 100000\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 0);
    file_put_text("cpu.max", "250000 100000\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 3); /* rounded up */
    assert_int_equal(mkdir("a", 0700), 0);
    file_put_text("a/cpu.max", "150000 100000\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 2);
    file_put_text("cpu.max", "100000 100000\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 1);
    remove("a/cpu.max");
    remove("cpu.max");

    /* Version 1: the controller has a hierarchy of its own. */
    file_put_text("membership", "4:cpu,cpuacct:/not/here\n3:memory:/\n");
    assert_int_equal(mkdir("cpu,cpuacct", 0700), 0);
    file_put_text("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    file_put_text("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 0);
    file_put_text("cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "membership"), 4);
    remove("cpu,cpuacct/cpu.cfs_period_us");
    remove("cpu,cpuacct/cpu.cfs_quota_us");
    assert_int_equal(vmaf_processors_cgroup_quota(mount, "no-such-file"), 0);
    assert_true(vmaf_processors_usable() >= 1);
}

CASES_SHARE(program_enter_folder, program_leave_folder);
