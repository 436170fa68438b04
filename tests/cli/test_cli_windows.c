/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Large frames are used where the system keeps the file: same scores, and no crash without it. */
#include "clip.h"
#include "media/read_ahead.h"
#include "media/video_reader.h"
#include "options/options.h"
#include "program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

enum { WIDTH = 642, HEIGHT = 514, FRAMES = 3 };

static void open_y4m(VideoReader *reader, const char *path, unsigned wanted, unsigned depth)
{
    assert_int_equal(video_reader_open(reader, path), 0);
    assert_int_equal(video_reader_start_y4m(reader, true), 0);
    if (!depth)
        depth = reader->format.bit_depth;
    assert_int_equal(video_reader_prepare(reader, wanted, depth, 64), 0);
}

/* Each frame of a.y4m mapped by one reader and read by another is the same. */
static void check_file(unsigned wanted)
{
    VideoReader mapping, reading;
    open_y4m(&mapping, "a.y4m", wanted, 0);
    open_y4m(&reading, "a.y4m", wanted, 0);
    unsigned char *buffer = test_malloc(reading.buffer_bytes);
    for (int frame = 0; frame < FRAMES; frame++) {
        VmafFileWindow window = {0};
        void *planes[3];
        assert_int_equal(video_reader_next(&mapping), 1);
        assert_int_equal(video_reader_next(&reading), 1);
        assert_int_equal(video_reader_read(&reading, buffer), 0);
        assert_true(video_reader_map(&mapping, false, &window, planes));
        for (unsigned p = 0; p < 3; p++) {
            const bool is_there = p < reading.layout.n_planes && (wanted >> p & 1);
            assert_int_equal(planes[p] != NULL, is_there);
            if (is_there)
                assert_memory_equal(planes[p], buffer + reading.offset[p],
                                    reading.layout.plane[p].bytes);
        }
        vmaf_file_window_close(&window);
        assert_null(window.mapping);
    }
    assert_int_equal(video_reader_next(&mapping), 0);
    test_free(buffer);
    video_reader_close(&mapping);
    video_reader_close(&reading);
}

CASE(given_large_frames_then_windows_show_what_is_read)
{
    static const char *const tags[] = {"420jpeg", "422", "444", "444alpha", "mono"};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = FRAMES, .tag = tags[i]},
                   "a.y4m");
        check_file(7);
        check_file(1);
    }
}

/* Words that begin at odd addresses are read: the header of the file decides. */
CASE(given_deep_frames_then_only_aligned_ones_are_mapped)
{
    static const char *const headers[] = {"YUV4MPEG2 W642 H514 F30:1 Ip A1:1 C420p10\n",
                                          "YUV4MPEG2 W642 H514 F30:1 Ip A1:1 C420p10 XA\n"};
    unsigned n_mapped = 0;
    for (int i = 0; i < 2; i++) {
        VideoReader reader;
        VmafFileWindow window = {0};
        void *planes[3];
        clip_write(&(Clip){.width = WIDTH,
                           .height = HEIGHT,
                           .frames = FRAMES,
                           .tag = "420p10",
                           .header = headers[i]},
                   "a.y4m");
        open_y4m(&reader, "a.y4m", 7, 0);
        assert_int_equal(video_reader_next(&reader), 1);
        const bool is_mapped = video_reader_map(&reader, false, &window, planes);
        assert_int_equal(is_mapped, reader.input.position % 2 == 0);
        n_mapped += is_mapped;
        vmaf_file_window_close(&window);
        video_reader_close(&reader);
        if (is_mapped)
            check_file(7);
    }
    assert_int_equal(n_mapped, 1);
}

CASE(given_samples_to_raise_or_small_frames_then_they_are_read)
{
    VideoReader reader;
    VmafFileWindow window = {0};
    void *planes[3];
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = 1}, "a.y4m");
    open_y4m(&reader, "a.y4m", 7, 10);
    assert_int_equal(video_reader_next(&reader), 1);
    assert_false(video_reader_map(&reader, false, &window, planes));
    video_reader_close(&reader);
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 1}, "a.y4m");
    open_y4m(&reader, "a.y4m", 7, 0);
    assert_int_equal(video_reader_next(&reader), 1);
    assert_false(video_reader_map(&reader, false, &window, planes));
    assert_null(window.mapping);
    video_reader_close(&reader);
}

static long faults_of_this_thread(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_minflt + usage.ru_majflt;
}

/* Page faults of the thread that uses the frames of big.y4m. */
static long count_faults(unsigned n_scorers, unsigned n_processors)
{
    VideoReader reader;
    assert_int_equal(video_reader_open(&reader, "big.y4m"), 0);
    assert_int_equal(video_reader_start_y4m(&reader, true), 0);
    const ReadAheadConfig config = {.depth = 2,
                                    .max_buffers = 3,
                                    .n_scorers = n_scorers,
                                    .n_processors = n_processors,
                                    .wanted_planes = 1,
                                    .output_depth = 8};
    ReadAhead *ahead;
    assert_int_equal(read_ahead_start(&ahead, &reader, &config), 0);
    VmafPicture picture;
    Message why;
    long faults = 0;
    while (read_ahead_next(ahead, 60000, &picture, &why) == 1) {
        const volatile unsigned char *luma = picture.data[0];
        const long before = faults_of_this_thread();
        for (size_t i = 0; i < (size_t)2048 * 2048; i += 4096)
            (void)luma[i];
        faults += faults_of_this_thread() - before;
        vmaf_picture_unref(&picture);
    }
    read_ahead_stop(ahead);
    read_ahead_destroy(ahead);
    video_reader_close(&reader);
    return faults;
}

CASE(given_no_processor_to_spare_then_pages_are_brought_in_by_who_scores)
{
    enum { BIG_FRAMES = 5 }; /* of 1024 pages, of which many come with one fault */
#ifdef VMAF_SANITIZED
    skip(); /* they touch pages of their own */
#endif
    clip_write(&(Clip){.width = 2048, .height = 2048, .frames = BIG_FRAMES}, "big.y4m");
    VideoReader reader;
    assert_int_equal(video_reader_open(&reader, "big.y4m"), 0);
    const bool can_tell = vmaf_file_is_in_memory(&reader.input.source.file, 0, 4096);
    assert_false(vmaf_file_is_in_memory(&reader.input.source.file, 0, 1 << 30));
    video_reader_close(&reader);
    assert_in_range(count_faults(1, 2), 0, BIG_FRAMES - 1);
    assert_in_range(count_faults(2, 3), 0, BIG_FRAMES - 1);
    if (can_tell)
        assert_in_range(count_faults(2, 2), BIG_FRAMES, LONG_MAX);
    remove("big.y4m");
}

/* The report from the frames on: what stands before is the speed. To be freed. */
static char *scores_of(const char *report)
{
    char *content = file_content(report);
    assert_non_null(content);
    const char *frames = strstr(content, "\"frames\"");
    assert_non_null(frames);
    memmove(content, frames, strlen(frames) + 1);
    return content;
}

CASE(given_files_and_a_pipe_then_reports_are_equal)
{
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = FRAMES}, "a.y4m");
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = FRAMES, .distorted = true},
               "b.y4m");
    Run files = program_run("-r", "a.y4m", "-d", "b.y4m", "--feature", "psnr", "--feature", "ciede",
                            "--threads", "2", "--json", "-o", "files.json", NULL);
    assert_int_equal(files.status, 0);
    const char *const arguments[] = {"-r",        "-",     "-d",     "b.y4m", "--feature", "psnr",
                                     "--feature", "ciede", "--json", "-o",    "pipe.json", NULL};
    Run pipe = program_run_fed("cat a.y4m", arguments);
    assert_int_equal(pipe.status, 0);
    char *expected = scores_of("pipe.json"), *actual = scores_of("files.json");
    assert_string_equal(actual, expected);
    free(expected);
    free(actual);
    run_free(&files);
    run_free(&pipe);
}

/* A file that is shortened while its frames are scored. Holes, so it takes no room. */
static void check_file_that_is_shortened(const char *threads)
{
    const int fd = open("long.yuv", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)1920 * 1080 * 3 / 2 * 400), 0);
    close(fd);
    Run run = program_run_fed(
        "until [ -s long.ndjson ]; do sleep 0.01; done; truncate -s 1000 long.yuv",
        (const char *const[]){
            "-r",    "long.yuv",  "-d",  "long.yuv",    "-w",    "1920",      "-h",
            "1080",  "-p",        "420", "-b",          "8",     "-n",        "--threads",
            threads, "--cpumask", "63",  "--feature",   "ciede", "--feature", "float_vif",
            "-o",    "long.json", "-o",  "long.ndjson", NULL});
    assert_int_equal(run.status, STATUS_READ);
    assert_non_null(strstr(run.err, "Error reading YUV frame data."));
    assert_false(file_exists("long.json"));
    remove("long.ndjson");
    run_free(&run);
}

CASE(given_a_file_that_is_shortened_then_the_run_ends_with_a_reason)
{
    check_file_that_is_shortened("0"); /* a page is missed by the thread that reads, */
    check_file_that_is_shortened("3"); /* or by a worker */
}

/* What a feeder does that holds a frame back until the one before it was scored. */
enum { FRAME_BYTES = 642 * 514 * 3 / 2 };
#define UNTIL_SCORED "until [ -s scored.ndjson ]; do sleep 0.01; done; "

/*
 * Within its last page, what is cut off turns into zeros without a signal; and what is written into
 * a file that is in use is used. The other file comes through a pipe, whose second frame waits
 * until that has happened.
 */
static void check_file_that_is_changed(const char *change, bool is_reference)
{
    const char *const role = is_reference ? "-r" : "-d", *const other = is_reference ? "-d" : "-r";
    char feeder[512];
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = 2, .raw = true}, "ref.yuv");
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = 2, .raw = true}, "dis.yuv");
    /* Written long ago, so that a change shows in the time of change however coarse that is. */
    assert_int_equal(system("touch -d 2020-01-01 ref.yuv"), 0);
    snprintf(feeder, sizeof(feeder), "head -c %d dis.yuv; " UNTIL_SCORED "%s; tail -c +%d dis.yuv",
             FRAME_BYTES, change, FRAME_BYTES + 1);
    const char *const arguments[] = {
        role, "ref.yuv",   other,  "-",  "-w642",        "-h514", "-p420",         "-b8",
        "-n", "--feature", "psnr", "-o", "changed.json", "-o",    "scored.ndjson", NULL};
    Run run = program_run_fed(feeder, arguments);
    if (run.status != STATUS_READ)
        fail_msg("%s: status %d, said: %s", change, run.status, run.err);
    assert_non_null(strstr(run.err, "ref.yuv: the file was changed while it was being scored\n"));
    assert_false(file_exists("changed.json"));
    remove("scored.ndjson");
    run_free(&run);
}

CASE(given_a_file_that_is_shortened_within_its_last_page_then_234)
{
    check_file_that_is_changed("truncate -s -1000 ref.yuv", true);
    check_file_that_is_changed("truncate -s -1000 ref.yuv", false);
}

CASE(given_a_file_that_is_written_to_then_234)
{
    check_file_that_is_changed("printf x | dd of=ref.yuv bs=1 seek=700000 conv=notrunc 2>/dev/null",
                               true);
    check_file_that_is_changed("truncate -s -1000 ref.yuv; truncate -s +1000 ref.yuv", true);
}

CASE(given_a_file_that_grows_then_it_is_scored)
{
    char feeder[512];
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = 2, .raw = true}, "ref.yuv");
    clip_write(&(Clip){.width = WIDTH, .height = HEIGHT, .frames = 2, .raw = true}, "dis.yuv");
    snprintf(feeder, sizeof(feeder),
             "head -c %d dis.yuv; " UNTIL_SCORED "cat dis.yuv >> ref.yuv; tail -c +%d dis.yuv",
             FRAME_BYTES, FRAME_BYTES + 1);
    Run run = program_run_fed(feeder, (const char *const[]){"-r", "ref.yuv", "-d", "-", "-w642",
                                                            "-h514", "-p420", "-b8", "-n",
                                                            "--feature", "psnr", "--frame_cnt", "2",
                                                            "-o", "scored.ndjson", NULL});
    assert_int_equal(run.status, STATUS_OK);
    remove("scored.ndjson");
    run_free(&run);
}

CASES_SHARE(program_enter_folder, program_leave_folder);
