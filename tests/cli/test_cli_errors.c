/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the program rejects: with which exit status, which words, and without leaving a report. */
#include "clip.h"
#include "parts.h"
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

#define RUN(...) program_run(__VA_ARGS__, NULL)

/* Fails unless the run ended so, said so, and left no report. */
static void expect(Run run, int status, const char *said, const char *what)
{
    if (run.status != status || !strstr(run.err, said) || file_exists("report"))
        fail_msg("%s: status %d instead of %d, report: %d, expected to read \"%s\" in:\n%s", what,
                 run.status, status, file_exists("report"), said, run.err);
    if (status) /* --version aside, nothing that fails prints to stdout */
        assert_string_equal(run.out, "");
    run_free(&run);
}

static void expect_words(const char *words, int status, const char *said)
{
    expect(run_words("%s", words), status, said, words);
}

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 2}, "ref.y4m");
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 2, .distorted = true}, "dis.y4m");
    return 0;
}

CASE(given_a_wrong_command_line_then_status_1_and_the_reason_last)
{
    static const struct {
        const char *arguments[6];
        const char *said;
    } cases[] = {
        {{"--nosuch"}, "unrecognized option '--nosuch'"},
        {{"--treads", "2"}, "did you mean '--threads'?"},
        {{"--frame-cnt", "2"}, "did you mean '--frame_cnt'?"},
        {{"-threads", "2"}, "did you mean '--threads'?"},
        {{"-x"}, "unrecognized option '-x'"},
        {{"--json=yes"}, "does not take an argument"},
        {{"--sub=1"}, "does not take an argument"},
        {{"--cp"}, "requires an argument"},
        {{"--threads", "x"}, "Invalid argument \"x\" for option --threads; should be an integer"},
        {{"--threads", "-2"}, "should be a non-negative integer"},
        {{"--subsample", ""}, "Invalid argument \"\" for option --subsample; should be an integer"},
        {{"--cpumask", "4x"}, "should be an integer"},
        {{"--width", "w"}, "Invalid argument \"w\" for option -w/--width; should be an integer"},
        {{"--bitdepth", "9"},
         "Invalid argument \"9\" for option -b/--bitdepth; "
         "should be a valid bitdepth (8/10/12/16)"},
        {{"--pixel_format", "400"},
         "Invalid argument \"400\" for option -p/--pixel_format; "
         "should be a valid pixel format (420/422/444)"},
        {{"--width", "64"}, "raw input needs all of"},
        {{"-w", "64", "-h", "0", "-p420", "-b8"}, "raw input needs all of"},
        {{"--aom_ctc", "v9.9"}, "v9.9"},
        {{"--aom_ctc", "proposed"}, "deprecated"},
        {{"--nflx_ctc", "v2.0"}, "v2.0"},
        {{"--feature", "adm=debug"}, "bad option string \"debug\""},
        {{"--feature", "adm=no_such_option=1"}, "feature \"adm\" has no option"},
        {{"--feature", "adm=adm_enhn_gain_limti=1"}, "did you mean \"adm_enhn_gain_limit\"?"},
        {{"--feature", "adm=egl=1"}, "did you mean \"adm_enhn_gain_limit\"?"},
        {{"--model", "nosuch"}, "bad option string \"nosuch\""},
        {{"--model", "vmaf_v0.6.1"}, "did you mean \"version=vmaf_v0.6.1\"?"},
        {{"--model", "vmaf_v061"}, "did you mean \"version=vmaf_v0.6.1\"?"},
        {{"--model", "./ref.y4m"}, "did you mean \"path=./ref.y4m\"?"},
        {{"--model", "version=vmaf_v0.6.1:path=x.json"}, "has both version= and path="},
        {{"--model", "path=x.json:version=vmaf_v0.6.1"}, "has both version= and path="},
        {{"--model", "versoin=vmaf_v0.6.1"}, "did you mean \"version\"?"},
        {{"--model", "nosuch=1"}, "Problem parsing model"},
        {{"--model", "name=x"}, "no version= and no path="},
        {{"--model", "version=vmaf_v0.6.1:adm.no_such=1"}, "feature \"adm\" has no option"},
        {{"--model", "version=vmaf_v0.6.1:vfi.debug=true"}, "did you mean \"vif\"?"},
        {{"-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg"},
         "each model should be uniquely named"},
        {{"--precision", "18"},
         "--precision must be an integer 1..17, or one of: max, full, legacy (got: 18)"},
        {{"--backend", "nosuch"},
         "Unknown --backend value 'nosuch' (expected: auto|cpu|cuda|sycl|hip|metal|vulkan)"},
        {{"--backend", "cuda", "--no_cuda"}, "contradict"},
        {{"--no_sycl", "--sycl_device", "1"}, "--no_sycl and device 1 of it contradict"},
        {{"--feature", "psnr", "enable_chroma=false"}, "unexpected argument 'enable_chroma=false'"},
        {{"word"}, "unexpected argument 'word'"},
        {{"--", "word"}, "unexpected argument 'word'"},
        {{"-"}, "unexpected argument '-'"},
        {{"--sycl_device", "x"}, "should be an integer"},
        {{"--backend-device", "cuda"}, "NAME:N"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *a = cases[i].arguments;
        /* The input comes first, so that an argument may be missing at the end. */
        Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", "report", a[0], a[1], a[2], a[3],
                      a[4], a[5]);
        /* Two lines, the reason last: what the options are does not push it off the screen. */
        assert_int_equal(strncmp(run.err, "Usage: ", 7), 0);
        assert_int_equal(occurrences(run.err, "\n"), 2);
        assert_non_null(strstr(run.err, "see --help\n"));
        expect(run, 1, cases[i].said, a[0]);
    }
    expect_words("-d dis.y4m", 1, "reference file is required");
    expect_words("-r ref.y4m", 1, "distorted file is required");
    expect_words("-r - -d -", 1, "standard input");
}

CASE(given_files_that_cannot_be_opened_then_255_reference_first)
{
    expect_words("-r none-a -d none-b -o report", 255, "could not open file: none-a");
    expect_words("-r ref.y4m -d none-b -o report", 255, "could not open file: none-b");
    expect_words("-r ref.y4m -d . -o report", 255, "could not open file: .");
    /* Files are looked at before models. */
    expect_words("-r none-a -d dis.y4m -m version=none", 255, "could not open file: none-a");
}

CASE(given_two_different_videos_then_255_and_each_difference)
{
    static const struct {
        Clip clip;
        const char *said;
    } cases[] = {
        {{.width = 66, .height = 64, .frames = 2}, "dimensions do not match: 64x64, 66x64"},
        {{.width = 62, .height = 64, .frames = 2}, "dimensions do not match: 64x64, 62x64"},
        {{.width = 64, .height = 64, .frames = 2, .tag = "444"},
         "pixel formats do not match: 4:2:0, 4:4:4"},
        {{.width = 64, .height = 64, .frames = 2, .tag = "mono"},
         "pixel formats do not match: 4:2:0, 4:0:0"},
        {{.width = 64, .height = 64, .frames = 2, .tag = "420p10"},
         "bitdepths do not match: 8, 10"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clip_write(&cases[i].clip, "other.y4m");
        Run run = RUN("-r", "ref.y4m", "-d", "other.y4m", "-o", "report");
        assert_non_null(strstr(run.err, "videos are incompatible, 1 problem.\n"));
        expect(run, 255, cases[i].said, "difference");
    }
    clip_write(&(Clip){.width = 32, .height = 32, .frames = 2, .tag = "444p10"}, "other.y4m");
    expect_words("-r ref.y4m -d other.y4m -o report", 255, "videos are incompatible, 3 problems.");
}

CASE(given_a_damaged_stream_header_then_255_and_the_file)
{
    static const struct {
        const char *header;
        const char *said;
    } cases[] = {
        {"", "Error opening y4m file."},
        {"YUV4", "The file ends inside its header."},
        {"YUV4MPEG2 H64 F25:1 Ip\n", "Error parsing YUV4MPEG2 header."},
        {"YUV4MPEG2 W64 H64 Ip\n", "Error parsing YUV4MPEG2 header."},
        {"YUV4MPEG2 W64 H64 F25:1 It\n", "Unknown file type."},
        {"YUV4MPEG2 W64 H64 F25:1 C410\n", "Unknown chroma sampling type: 410"},
        {"YUV4MPEG2 W64 H64 F25:1 C411\n", "Unknown chroma sampling type: 411"},
        {"YUV4MPEG2 W64 H64 F2", "Error parsing YUV4MPEG2 header."},
        {"YUV4MPEG2 W2147483648 H64 F25:1 Ip\n", "other.y4m"},
        {"YUV4MPEG2 W64 H99999999 F25:1 Ip\n", "other.y4m: frame size 64x99999999"},
        {"YUV4MPEG2 W0 H64 F25:1 Ip\n", "frame size 0x64"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clip_write(&(Clip){.header = cases[i].header}, "other.y4m");
        Run run = RUN("-r", "other.y4m", "-d", "dis.y4m", "-o", "report");
        assert_non_null(strstr(run.err, "problem with reference file: other.y4m\n"));
        expect(run, 255, cases[i].said, cases[i].header);
        run = RUN("-r", "ref.y4m", "-d", "other.y4m", "-o", "report");
        assert_non_null(strstr(run.err, "problem with distorted file: other.y4m\n"));
        expect(run, 255, cases[i].said, cases[i].header);
    }
}

/* Writes `size` bytes and zeros up to 1000. */
static void write_head(const char *path, const char *head, size_t size)
{
    char bytes[1000] = "";
    memcpy(bytes, head, size);
    file_put(path, bytes, sizeof(bytes));
}

CASE(given_a_file_that_is_no_y4m_then_one_line_says_what_it_is_and_what_to_do)
{
    static char transport[1000] = {[0] = 'G', [188] = 'G', [376] = 'G'};
    static char timed_transport[1000] = {[4] = 'G', [196] = 'G', [388] = 'G'};
#define HEAD(text) text, sizeof(text) - 1
    static const struct {
        const char *name, *head;
        size_t size;
        const char *seems;
    } cases[] = {
        {"a.bin",
         HEAD("\0\0\0\x20"
              "ftypisom\0\0\2\0"),
         "MP4 or MOV"},
        {"a.bin",
         HEAD("\0\0\0\x08"
              "wide"),
         "MP4 or MOV"},
        {"a.bin", HEAD("\x1a\x45\xdf\xa3\xa3\x42\x86\x81\1\x42\x82\x88matroska"), "Matroska"},
        {"a.bin", HEAD("\x1a\x45\xdf\xa3\x9f\x42\x86\x81\1\x42\x82\x84webm"), "WebM"},
        {"a.bin", HEAD("RIFF\0\1\2\3AVI LIST"), "AVI"},
        {"a.bin", transport, sizeof(transport), "MPEG-TS"},
        {"a.bin", timed_transport, sizeof(timed_transport), "MPEG-TS"},
        {"a.bin", HEAD("DKIF\0\0\x20\0AV01"), "IVF"},
        {"a.bin", HEAD("\0\0\0\1\x40\1\x0c\1\xff\xff"), "an HEVC stream"},
        {"a.bin", HEAD("\0\0\1\x46\1\x50"), "an HEVC stream"},
        {"a.bin", HEAD("\0\0\0\1\x67\x64\0\x1f"), "an AVC stream"},
        {"a.bin", HEAD("\0\0\0\1\x09\xf0\0\0"), "an AVC stream"},
        {"a.bin", HEAD("\0\0\0\1\0\x79\0\xad"), "a VVC stream"},
        {"a.bin", HEAD("\x12\0\x0a\x0b\0\0"), "an AV1 stream"},
        {"a.bin", HEAD("\0\0\1\xba\x44"), "an MPEG program stream"},
        {"a.bin", HEAD("OggS"), "Ogg"},
        {"a.bin", HEAD("FLV\1"), "FLV"},
        {"a.MKV", HEAD("?"), "Matroska"},
        {"a.265", HEAD("?"), "an HEVC stream"},
    };
#undef HEAD
    char expected[512];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_head(cases[i].name, cases[i].head, cases[i].size);
        snprintf(expected, sizeof(expected),
                 "problem with reference file: %s: this seems to be %s, not Y4M: install the "
                 "package vmaf-media-ffmpeg, or decode it first: ffmpeg -i %s -fps_mode "
                 "passthrough -strict -1 video.y4m\n",
                 cases[i].name, cases[i].seems, cases[i].name);
        Run run = RUN("-r", cases[i].name, "-d", "dis.y4m", "-o", "report");
        assert_string_equal(run.err, expected);
        expect(run, 255, expected, cases[i].seems);
        remove(cases[i].name);
    }

    write_head("a b", "\x1f\x8b\x08", 3);
    expect(RUN("-r", "ref.y4m", "-d", "a b", "-o", "report"), 255,
           "distorted file: a b: this seems to be gzip, not Y4M. Unpack it first\n", "gzip");
    write_head("a b", "\x10\x10\x10", 3);
    expect(RUN("-r", "a b", "-d", "dis.y4m", "-o", "report"), 255,
           "a b: this is not Y4M. If it is raw video, say what is in it: -w WIDTH -h HEIGHT",
           "raw?");
    expect(RUN("-r", "a b", "-d", "dis.y4m", "-o", "report"), 255,
           "ffmpeg -i INPUT -fps_mode passthrough -strict -1 video.y4m\n",
           "a name that a shell takes apart");
    remove("a b");
    write_head("a.yuv", "\x10\x10\x10", 3);
    expect_words("-r a.yuv -d dis.y4m -o report", 255,
                 "a.yuv: this seems to be raw video, not Y4M: say what is in it: -w");
    remove("a.yuv");
}

/* Else the first file that is opened would take the place of standard input. */
CASE(given_closed_standard_streams_then_no_file_takes_their_place)
{
    char command[512];
    snprintf(command, sizeof(command), "'%s' -r ref.y4m -d - <&- 2>said", getenv("VMAF"));
    assert_int_equal(system(command) >> 8, 255);
    char *said = file_content("said");
    assert_non_null(strstr(said, "The file is empty."));
    free(said);
    remove("said");
}

CASE(given_too_little_memory_then_it_is_said)
{
#ifdef VMAF_SANITIZED
    skip(); /* sanitizers need room of their own */
#else
    /* One frame of 100 MB, with holes. Little memory fails the reader, more of it a feature. */
    FILE *file = fopen("large.yuv", "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 8192L * 8192 * 3 / 2), 0);
    assert_int_equal(fclose(file), 0);
    unsigned failures = 0;
    for (unsigned kilobytes = 200000; kilobytes <= 260000; kilobytes += 60000) {
        char command[512];
        snprintf(command, sizeof(command),
                 "ulimit -v %u; exec '%s' -r large.yuv -d large.yuv -w8192 -h8192 -p420 -b8 "
                 "--threads 1 -n --feature vif 2>said",
                 kilobytes, getenv("VMAF"));
        const int status = system(command) >> 8;
        char *said = file_content("said");
        if (status && !strstr(said, strerror(ENOMEM)) && !strstr(said, "out of memory"))
            fail_msg("%u kB: %s", kilobytes, said);
        failures += status == 234;
        free(said);
    }
    assert_true(failures > 1);
    remove("said");
    remove("large.yuv");
#endif
}

CASE(given_absurd_raw_sizes_then_255_without_taking_memory)
{
    static const char *const sizes[][2] = {
        {"2147483648", "64"}, {"64", "4294967295"}, {"40000", "40000"}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", "-p", "444", "-b", "16", "-w", sizes[i][0],
                      "-h", sizes[i][1], "-o", "report");
        expect(run, 255, "ref.y4m: frame size", sizes[i][0]);
    }
    expect_words("-r ref.y4m -d dis.y4m -p 444 -b 17 -w 64 -h 64", 1, "valid bitdepth");
    /* A size that exists, but not in this file: found before gigabytes are asked for. */
    expect_words("-r ref.y4m -d dis.y4m -p 444 -b 16 -w 32768 -h 32768 -o report", 234,
                 "its size is no whole number of frames: 0 of 6442450944 bytes");
}

CASE(given_unknown_features_and_models_then_255_and_a_suggestion)
{
    expect_words("-r ref.y4m -d dis.y4m -o report --feature nosuch", 255,
                 "problem loading feature extractor: nosuch");
    expect_words("-r ref.y4m -d dis.y4m -o report --feature psrn", 255, "did you mean \"psnr\"?");
    expect_words("-r ref.y4m -d dis.y4m -o report --feature ms_ssim", 255,
                 "did you mean \"float_ms_ssim\"?");
    expect_words("-r ref.y4m -d dis.y4m -o report --feature adm=adm_enhn_gain_limit=0.5", 255,
                 "problem loading feature extractor: adm");
    expect_words("-r ref.y4m -d dis.y4m -o report --feature psnr=enable_chroma=1", 255,
                 "problem loading feature extractor: psnr");
    expect_words("-r ref.y4m -d dis.y4m -o report -m version=vmaf_v9", 255,
                 "problem loading model: vmaf_v9");
    expect_words("-r ref.y4m -d dis.y4m -o report -m version=vmaf_v0.6.2", 255,
                 "did you mean \"vmaf_v0.6.1\"?");
    expect_words("-r ref.y4m -d dis.y4m -o report -m path=none.json", 255,
                 "problem loading model: none.json");
    expect_words("-r ref.y4m -d dis.y4m -o report -m path=ref.y4m", 255,
                 "problem loading model: ref.y4m");
    expect_words("-r ref.y4m -d dis.y4m -o report -m path=/dev/zero", 255, "more than 16 MiB");
    expect_words(
        "-r ref.y4m -d dis.y4m -o report -m version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=0.5", 255,
        "vmaf_v0.6.1");
}

CASE(given_a_truncated_or_damaged_frame_then_234_whichever_file_it_is)
{
    static const struct {
        Clip clip;
        const char *said;
    } cases[] = {
        {{.width = 64, .height = 64, .frames = 2, .cut = 100}, "Error reading YUV frame data."},
        {{.width = 64, .height = 64, .frames = 2, .cut = 6000}, "Error reading YUV frame data."},
        {{.width = 64, .height = 64, .frames = 2, .frame_header = "FRAMX\n"},
         "Loss of framing in YUV input data"},
        {{.width = 64, .height = 64, .frames = 1, .frame_header = "FRAME x", .cut = 6144},
         "Error parsing YUV frame header"},
    };
    static const char *const threads[] = {"0", "3"};
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        clip_write(&cases[i / 2].clip, "other.y4m");
        for (int swapped = 0; swapped < 2; swapped++) {
            Run run = RUN("-r", swapped ? "ref.y4m" : "other.y4m", "-d",
                          swapped ? "other.y4m" : "dis.y4m", "-o", "report", "--feature", "psnr",
                          "--threads", threads[i % 2]);
            assert_non_null(strstr(run.err, "problem reading pictures\n"));
            assert_non_null(strstr(run.err, "problem flushing context\n"));
            assert_non_null(strstr(run.err, "other.y4m"));
            expect(run, 234, cases[i / 2].said, cases[i / 2].said);
        }
        /* Both at once. */
        expect_words("-r other.y4m -d other.y4m -o report", 234, cases[i / 2].said);
    }
}

CASE(given_a_broken_frame_after_the_other_files_end_then_234)
{
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 3, .cut = 10}, "other.y4m");
    expect_words("-r other.y4m -d dis.y4m -o report", 234, "other.y4m: frame 2 cannot be read");
    expect_words("-r ref.y4m -d other.y4m -o report", 234, "other.y4m: frame 2 cannot be read");
}

CASE(given_y4m_that_ends_inside_a_frame_header_then_234)
{
    /* Of the last frame there are 1 to 5 bytes, in either file or both. */
    for (size_t left = 1; left <= 5; left++) {
        clip_write(&(Clip){.width = 64, .height = 64, .frames = 3, .cut = 64 * 96 + 6 - left},
                   "other.y4m");
        static const char said[] = "The file ends inside a frame header.";
        expect_words("-r other.y4m -d dis.y4m -o report", 234, said);
        expect_words("-r ref.y4m -d other.y4m -o report", 234, said);
        expect_words("-r other.y4m -d other.y4m -o report", 234, said);
    }
}

CASE(given_a_zero_byte_in_the_header_then_255)
{
    size_t size;
    unsigned char *bytes =
        clip_make(&(Clip){.width = 64, .height = 64, .frames = 2, .tag = "420?jpeg"}, &size);
    unsigned char *mark = memchr(bytes, '?', 255);
    assert_non_null(mark);
    *mark = 0;
    file_put("other.y4m", bytes, size);
    free(bytes);
    expect_words("-r other.y4m -d dis.y4m -o report", 255, "The header has a zero byte.");
}

CASE(given_a_raw_file_that_ends_inside_a_frame_then_234_at_the_start)
{
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 3, .raw = true}, "whole.yuv");
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 3, .raw = true, .cut = 1}, "cut.yuv");
    static const char said[] =
        "cut.yuv: its size is no whole number of frames: 2 of 6144 bytes "
        "each, and 6143 bytes (64x64, 4:2:0, 8 bits: is that what is in it?)";
    static const char *const pairs[][2] = {{"whole.yuv", "cut.yuv"}, {"cut.yuv", "whole.yuv"}};
    for (int i = 0; i < 2; i++) {
        Run run = RUN("-r", pairs[i][0], "-d", pairs[i][1], "-w64", "-h64", "-p420", "-b8", "-o",
                      "report");
        assert_int_equal(occurrences(run.err, "\n"), 1); /* before anything is scored */
        expect(run, 234, said, pairs[i][0]);
        expect(RUN("-r", pairs[i][0], "-d", pairs[i][1], "-w64", "-h64", "-p420", "-b8", "-o",
                   "report", "--frame_cnt", "3"),
               234, said, "all frames");
        expect(RUN("-r", pairs[i][0], "-d", pairs[i][1], "-w64", "-h64", "-p420", "-b8", "-o",
                   "report", "--frame_skip_ref", "1", "--frame_skip_dist", "1", "--frame_cnt", "2"),
               234, said, "the last frames");
        /* A run that ends before is none the worse for it, but the size may be the wrong one. */
        run = RUN("-r", pairs[i][0], "-d", pairs[i][1], "-w64", "-h64", "-p420", "-b8",
                  "--frame_cnt", "2");
        assert_int_equal(strncmp(run.err, "warning: cut.yuv: its size", 26), 0);
        expect(run, 0, said, "the first frames");
        run = RUN("-r", pairs[i][0], "-d", pairs[i][1], "-w64", "-h64", "-p420", "-b8",
                  "--frame_cnt", "2", "-q");
        assert_string_equal(run.err, "");
        expect(run, 0, "", "the first frames");
    }
    /* Through a pipe it shows only when it is read. */
    /* clang-format off */
    const char *const arguments[] = {
        "-r", "whole.yuv", "-d", "-", "-w64", "-h64", "-p420", "-b8", "-o", "report",
        "--frame_skip_ref", "1", "--frame_skip_dist", "1", NULL,
    };
    /* clang-format on */
    expect(program_run_fed("cat cut.yuv", arguments), 234, "-: frame 2 cannot be read",
           "frames are numbered as they are in the file");
}

/* A pipe does not say before how much there is; planes that no feature needs are passed over. */
CASE(given_a_pipe_that_ends_within_the_last_plane_then_234)
{
    static const char *const features[] = {"psnr", "vif"};
    static const char *const feeders[] = {"head -c 12287 whole.yuv", "head -c 11264 whole.yuv"};
    for (unsigned i = 0; i < 4; i++) {
        const char *const arguments[] = {
            "-r",  "-",  "-d", "whole.yuv", "-w64",      "-h64",          "-p420",
            "-b8", "-n", "-o", "report",    "--feature", features[i % 2], NULL};
        expect(program_run_fed(feeders[i / 2], arguments), 234, "-: frame 1 cannot be read",
               features[i % 2]);
    }
}

CASE(given_no_frames_then_234)
{
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 0}, "empty.y4m");
    expect_words("-r empty.y4m -d empty.y4m -o report", 234, "problem flushing context");
    expect_words("-r ref.y4m -d dis.y4m --frame_skip_ref 5 --frame_skip_dist 5 -o report", 234,
                 "problem flushing context");
}

CASE(given_frames_too_small_for_a_feature_then_234_with_and_without_threads)
{
    clip_write(&(Clip){.width = 6, .height = 6, .frames = 3}, "small.y4m");
    static const char *const threads[] = {"1", "4"};
    for (int i = 0; i < 2; i++) {
        Run run = RUN("-r", "small.y4m", "-d", "small.y4m", "-n", "--feature", "vif", "--threads",
                      threads[i], "-o", "report");
        expect(run, 234, "problem flushing context", "too small");
    }
}

CASE(given_a_report_that_cannot_be_written_then_255_and_nothing_left)
{
    unsigned before = file_count();
    expect_words("-r ref.y4m -d dis.y4m -o no/such/folder", 255, "no/such/folder");
    expect_words("-r ref.y4m -d dis.y4m -o .", 255, "could not open file: .");
    expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", ""), 255, "could not open file", "no name");
    if (file_exists("/dev/full"))
        expect_words("-r ref.y4m -d dis.y4m -o /dev/full", 255,
                     "problem writing output: /dev/full");
    expect_words("-r ref.y4m -d dis.y4m -o ./dis.y4m", 255,
                 "the report would replace a video: ./dis.y4m");
    /* Nor does the document on a backend that is not there replace a video. */
    expect_words("-r ref.y4m -d dis.y4m --json -o ./dis.y4m --backend cuda", 255,
                 "the report would replace a video: ./dis.y4m");
    expect_words("-r ref.y4m -d dis.y4m --json -o ref.y4m --feature vif_cuda", 255,
                 "the report would replace a video: ref.y4m");
    assert_int_equal(file_count(), before);

    if (geteuid() == 0)
        return; /* root may write anywhere */
    assert_int_equal(mkdir("locked", 0500), 0);
    expect_words("-r ref.y4m -d dis.y4m -o locked/report", 255, "locked/report");
    rmdir("locked");
}

CASE(given_a_full_disk_then_the_old_report_stays)
{
    file_put_text("old", "the report of yesterday");
    /* A limit on file sizes stands in for a full disk; the report is larger than 1 KiB. */
    unsigned before = file_count();
    char command[1024];
    snprintf(command, sizeof(command),
             "trap '' XFSZ; ulimit -f 1; exec '%s' -r ref.y4m -d dis.y4m --json -o old 2>said",
             getenv("VMAF"));
    int status = system(command);
    assert_int_equal(status >> 8, 255);
    char *content = file_content("old");
    assert_string_equal(content, "the report of yesterday");
    free(content);
    assert_int_equal(file_count(), before + 1); /* what was said */
    remove("said");
    remove("old");
}

/* The system ends programs that exceed a limit on the size of files, unless they say otherwise. */
CASE(given_a_limit_on_the_size_of_files_then_255_and_nothing_left)
{
    char command[1024];
    unsigned before = file_count();
    assert_int_equal(symlink("target", "link"), 0);
    static const char *const outputs[] = {"report", "link"};
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof(command),
                 "bash -c \"trap - XFSZ; ulimit -f 1; exec '%s' -r ref.y4m -d dis.y4m --json "
                 "--feature psnr --feature float_psnr -o %s\" 2>&1 | cat >said",
                 getenv("VMAF"), outputs[i]);
        assert_int_equal(system(command), 0);
        char *said = file_content("said");
        char expected[64];
        snprintf(expected, sizeof(expected), "problem writing output: %s (%s)\n", outputs[i],
                 strerror(EFBIG));
        assert_string_equal(said, expected);
        free(said);
        assert_int_equal(file_count(), before + 2);
    }
    remove("said");
    remove("link");
}

static const char *const gpu_backends[] = {"cuda", "sycl", "hip", "vulkan", "metal"};

CASE(given_a_backend_that_is_not_there_then_100_and_the_error_document)
{
    for (size_t i = 0; i < sizeof(gpu_backends) / sizeof(gpu_backends[0]); i++) {
        const char *name = gpu_backends[i];
        Run run =
            RUN("-r", "ref.y4m", "-d", "dis.y4m", "--json", "-o", "document", "--backend", name);
        assert_int_equal(occurrences(run.err, "\n"), 1);
        char said[64];
        snprintf(said, sizeof(said), "--backend %s requested", name);
        assert_non_null(strstr(run.err, "refusing to silently fall back to CPU"));
        expect(run, 100, said, name);
        char expected[256];
        snprintf(expected, sizeof(expected),
                 "{\"error\": \"%s\", \"backend_requested\": \"%s\", \"errno\": 0, "
                 "\"adr\": \"ADR-0498\", \"exit_code\": 100}\n",
                 strcmp(name, "metal") ? "plugin not found" : "backend not compiled in", name);
        char *document = file_content("document");
        assert_non_null(document);
        assert_string_equal(document, expected);
        free(document);
    }
    remove("document");
}

CASE(given_a_device_that_is_not_there_then_100_also_under_auto)
{
    static const char *const options[][4] = {{"--cuda_device", "0"},
                                             {"--backend-device", "cuda:3"},
                                             {"--backend", "auto", "--cuda_device", "0"}};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const char *const *o = options[i];
        Run run =
            RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", "document.json", o[0], o[1], o[2], o[3]);
        assert_int_equal(occurrences(run.err, "\n"), 1);
        expect(run, 100, "of cuda requested but there is no libvmaf-backend-cuda.so", o[0]);
        char *document = file_content("document.json");
        assert_string_equal(document, "{\"error\": \"plugin not found\", \"backend_requested\": "
                                      "\"cuda\", \"errno\": 0, \"adr\": \"ADR-0498\", "
                                      "\"exit_code\": 100}\n");
        free(document);
        remove("document.json");
    }
    expect_words("-r ref.y4m -d dis.y4m --backend cpu --cuda_device 1", 0,
                 "warning: device 1 of cuda is not used with --backend cpu");
}

CASE(given_another_format_or_path_then_100_and_files_as_they_were)
{
    file_put_text("old", "old");
    expect_words(
        "-r ref.y4m -d dis.y4m -o old --backend cuda", 100,
        "--backend cuda requested but there is no libvmaf-backend-cuda.so in the search path; "
        "refusing");
    char *content = file_content("old");
    assert_string_equal(content, "old");
    free(content);
    remove("old");
    expect_words("-r ref.y4m -d dis.y4m --json -o no/such/folder --backend cuda", 100,
                 "no/such/folder");
    expect_words("-r ref.y4m -d dis.y4m --json --backend hip", 100, "--backend hip requested");
    Run run =
        RUN("-r", "ref.y4m", "-d", "dis.y4m", "--json", "-o", "/dev/stdout", "--backend", "hip");
    assert_int_equal(run.status, 100);
    assert_non_null(strstr(run.out, "\"exit_code\": 100}\n"));
    run_free(&run);
}

CASE(given_a_link_then_the_document_replaces_what_it_points_to)
{
    file_put_text("old", "");
    assert_int_equal(symlink("old", "link"), 0);
    expect_words("-r ref.y4m -d dis.y4m --json -o link --backend cuda", 100,
                 "--backend cuda requested");
    char target[16];
    assert_int_equal(readlink("link", target, sizeof(target)), 3);
    char *content = file_content("old");
    assert_non_null(strstr(content, "\"exit_code\": 100"));
    free(content);

    /* The same where it points to nothing yet. What was there keeps its mode. */
    struct stat status;
    assert_int_equal(chmod("old", 0660), 0);
    expect_words("-r ref.y4m -d dis.y4m --json -o link --backend cuda", 100,
                 "--backend cuda requested");
    assert_int_equal(stat("old", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0660);
    remove("old");
    const mode_t mask = umask(026);
    expect_words("-r ref.y4m -d dis.y4m --json -o link --backend cuda", 100,
                 "--backend cuda requested");
    umask(mask);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("old", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    remove("link");
    remove("old");
}

CASE(given_a_feature_pinned_to_an_absent_backend_then_100)
{
    Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", "--json", "-o", "document", "--backend", "cpu",
                  "--feature", "motion_hip");
    expect(run, 100, "is pinned to hip backend", "pinned");
    char *document = file_content("document");
    assert_non_null(document);
    assert_non_null(strstr(document, "\"error\": \"feature pinned to inactive backend\""));
    assert_non_null(strstr(document, "\"backend_requested\": \"hip\""));
    free(document);
    remove("document");
    /* Features of the backend itself, too; and the name of the report says that it is JSON. */
    expect_words("-r ref.y4m -d dis.y4m -o document.json --feature hip_grain", 100,
                 "'hip_grain' is pinned to hip backend");
    document = file_content("document.json");
    assert_non_null(document);
    assert_non_null(strstr(document, "\"backend_requested\": \"hip\""));
    free(document);
    remove("document.json");
    expect_words("-r ref.y4m -d dis.y4m --feature nosuch_hip", 255,
                 "problem loading feature extractor: nosuch_hip");
}

CASE(given_a_backend_by_the_environment_then_the_status_is_that_of_the_option)
{
    static const struct {
        const char *name;
        int status;
        const char *words;
    } cases[] = {
        {"cuda", 100, "--backend cuda requested"},
        {"metal", 100, "--backend metal requested"},
        {"nosuch", 1, "value 'nosuch' (expected: auto|cpu|cuda|sycl|hip|metal|vulkan); installed"},
        {"Not a name", 1, "value 'Not a name' (expected"},
        {"cpu", 0, ""},
        {"auto", 0, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--feature", "psnr", "--no_prediction",
                   "--backend", cases[i].name),
               cases[i].status, cases[i].words, cases[i].name);
        setenv("VMAF_BACKEND", cases[i].name, 1);
        expect_words("-r ref.y4m -d dis.y4m --feature psnr --no_prediction", cases[i].status,
                     cases[i].words);
        /* The option comes first. */
        expect_words("-r ref.y4m -d dis.y4m --feature psnr --no_prediction --backend cpu", 0, "");
        unsetenv("VMAF_BACKEND");
    }
}

/* Paths, tags and names can hold what a terminal would obey. */
CASE(given_control_characters_then_they_are_shown_not_sent)
{
    static const char evil[] = "\033]0;x\007\n\xc2\x9b\xe2\x80\xae";
    static const char shown[] = "\\x1b]0;x\\x07\\x0a\\xc2\\x9b\\xe2\\x80\\xae";
    char text[256], version[64];
    expect(RUN("-r", evil, "-d", "dis.y4m"), 255, shown, "path");
    snprintf(text, sizeof(text), "path=%s", evil);
    expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-m", text), 255, shown, "model");
    snprintf(version, sizeof(version), "version=%s", evil);
    expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-m", version), 255, shown, "version");
    expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--feature", evil), 255, shown, "feature");
    snprintf(text, sizeof(text), "psnr=%s=1", evil);
    expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--feature", text), 1, shown, "option");
    snprintf(text, sizeof(text), "--%s", evil);
    expect(RUN("-r", "ref.y4m", "-d", "dis.y4m", text), 1, shown, "command line");
    clip_write(&(Clip){.header = "YUV4MPEG2 W64 H64 F25:1 C\033[31m\n"}, "other.y4m");
    expect_words("-r ref.y4m -d other.y4m", 255, "type: \\x1b[31m");
    clip_write(&(Clip){.header = "YUV4MPEG2 W64 H\033[31m F25:1\n"}, "other.y4m");
    expect_words("-r ref.y4m -d other.y4m", 255, "H\\x1b[31m");

    static const char *const runs[] = {"-r\033[31m", "--\033[31m", "-m\033[31m=1"};
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", runs[i]);
        assert_int_not_equal(run.status, 0);
        assert_null(strchr(run.err, '\033'));
        run_free(&run);
    }
    assert_int_equal(setenv("VMAF_BACKEND", "\033[31m", 1), 0);
    Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m");
    unsetenv("VMAF_BACKEND");
    assert_int_not_equal(run.status, 0);
    assert_null(strchr(run.err, '\033'));
    assert_non_null(strstr(run.err, "\\x1b[31m"));
    run_free(&run);
}

CASES_SHARE(make_clips, program_leave_folder);
