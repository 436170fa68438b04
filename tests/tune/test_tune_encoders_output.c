/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What encoders and ffmpeg say of an encode, and statistics of it: nothing is started. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder_fixture.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"
#include "tune/encode/ffmpeg_output.h"

/* ---- Statistics ---- */

static EncoderStats stats_of(const char *text)
{
    EncoderStats stats;
    file_put_text("stats", text);
    assert_int_equal(encoder_stats_load("stats", &stats), 0);
    return stats;
}

static void near(double value, double expected)
{
    assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

CASE_WITH(statistics_are_those_of_frames, test_folder_enter, test_folder_remove)
{
    const EncoderStats stats =
        stats_of("#options: 320x180 in:9 type:I q:99 tex:99\n"
                 "in:0 out:0 type:I dur:2 q:20.50 aq:9 tex:1000 mv:100 misc:10 imb:30 pmb:0 "
                 "smb:10 d:- ref:;\n"
                 "nothing of a frame q:50\n"
                 "in:2 out:1 type:P q:30.5 tex:400,mv:60,misc:6 IMB:5 pmb=20 smb:15\r\n"
                 "in:1 type:i q:abc tex:2000 mv:- misc:1.5 imb:40 pmb:0 smb:0\n"
                 "in:3 out:3 q:1 tex:1\n"
                 "in:4 type:b q:40 tex:x mv:20 misc:2 imb:0 pmb:0 smb:40");
    /* Frames: q 20.5 30.5 0 40; bits 1110 466 2001.5 22; mv 100 60 0 20. */
    assert_int_equal(stats.frames, 4);
    near(stats.qp_mean, 22.75);
    near(stats.qp_std, 14.834503699146797);
    near(stats.bits_mean, 899.875);
    near(stats.total_bits, 3599.5);
    near(stats.bits_std, 744.419604037266);
    near(stats.mv_mean, 45);
    near(stats.mv_std, 38.40572873934304);
    near(stats.itex_mean, 1500);
    near(stats.ptex_mean, 200);
    near(stats.intra_ratio, 75.0 / 160);
    near(stats.skip_ratio, 65.0 / 160);
}

CASE_WITH(statistics_of_x265_have_other_names, test_folder_enter, test_folder_remove)
{
    const EncoderStats stats = stats_of(
        "in:0 out:0 type:I q:28.26 q-aq:23.11 q-noVbv:99 q-Rceq:0.98 tex:30070 mv:3375 misc:326 "
        "icu:240.00 pcu:0.00 scu:0.00 sc:0 ;\n"
        "in:2 out:1 type:P q:28.76 q-aq:23.46 q-noVbv:99 q-Rceq:0.98 tex:17256 mv:1402 misc:570 "
        "icu:13.50 pcu:32.25 scu:194.25 sc:0 ;\n");
    near(stats.qp_mean, 28.51);
    near(stats.qp_std, 0.25);
    near(stats.intra_ratio, 253.5 / 480);
    near(stats.skip_ratio, 194.25 / 480);
    near(stats.itex_mean, 30070);
}

CASE_WITH(without_frames_all_is_zero, test_folder_enter, test_folder_remove)
{
    static const char *const texts[] = {"", "\n\n", "#options: in:0 type:I q:1", "type:I q:1",
                                        "in:1 q:1"};
    const EncoderStats none = {0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const EncoderStats stats = stats_of(texts[i]);
        assert_memory_equal(&stats, &none, sizeof(none));
    }
    const EncoderStats one = stats_of("in:0 type:P q:-1.5 tex:7");
    assert_int_equal(one.frames, 1);
    near(one.qp_mean, -1.5);
    near(one.qp_std, 0);
    near(one.itex_mean, 0);
    near(one.ptex_mean, 7);
}

/* ---- What ffmpeg says ---- */

static FfmpegLog log_of(const char *encoder, const char *text)
{
    FfmpegLog whole = {.encoder = find_encoder(encoder)},
              bytes = {.encoder = find_encoder(encoder)};
    ffmpeg_log_add(&whole, text, strlen(text));
    ffmpeg_log_end(&whole);
    for (; *text; text++)
        ffmpeg_log_add(&bytes, text, 1);
    ffmpeg_log_end(&bytes);
    assert_string_equal(whole.version, bytes.version);
    assert_string_equal(whole.cause, bytes.cause);
    return whole;
}

CASE(versions_of_encoders_are_found)
{
    static const struct {
        const char *encoder, *text, *version;
    } cases[] = {
        {"libx264",
         "[libx264 @ 0x55] [info] using SAR=1/1\n[libx264 @ 0x55] [info] 264 - core 164 r3095 b\n",
         "libx264-164"},
        {"libx265", "x265 [info]: HEVC encoder version 3.5+1-f0c1022b6\nx265 [info]: build info\n",
         "libx265-3.5+1-f0c1022b6"},
        {"libsvtav1", "Svt[info]: SVT [version]:\tSVT-AV1 Encoder Lib v1.4.1\n", "libsvtav1-1.4.1"},
        {"libsvtav1", "SVT [version]: svt-av1 encoder V2.0", "libsvtav1-2.0"},
        {"libvpx-vp9", "[libvpx-vp9 @ 0x5] [warning] very\n[libvpx-vp9 @ 0x56] [info] v1.12.0\n",
         "libvpx-1.12.0"},
        {"libaom-av1", "[libaom-av1 @ 0x56] v3.6.0\n", "libaom-3.6.0"},
        {"h264_nvenc", "anything\n", "h264_nvenc"},
        {"libvvenc", "anything\n", "unknown"},
        {"libx264", "264 - core x\n", "unknown"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(log_of(cases[i].encoder, cases[i].text).version, cases[i].version);
}

CASE(the_first_error_is_the_cause)
{
    static const struct {
        const char *text, *cause, *last;
    } cases[] = {
        {"[info] Input\nx264 [error]: invalid preset 'nonsense'\n[libx264 @ 0x55] [error] Error "
         "setting preset\n[info] Conversion failed!\n",
         "x264: invalid preset 'nonsense'", "[info] Conversion failed!"},
        {"[libaom-av1 encoder @ 0x5556] [error] Value 9 for parameter 'cpu-used' out of range\n",
         "libaom-av1 encoder: Value 9 for parameter 'cpu-used' out of range",
         "[libaom-av1 encoder @ 0x5556] [error] Value 9 for parameter 'cpu-used' out of range"},
        {"[fatal] in.mkv: No such file", "in.mkv: No such file", "[fatal] in.mkv: No such file"},
        {"[h264 @ 0x1] [error] broken frame\n[error] av_interleaved_write_frame(): No space left "
         "on "
         "device\n[error] Error writing trailer: No space left on device\r",
         "av_interleaved_write_frame(): No space left on device",
         "[error] Error writing trailer: No space left on device"},
        {"\n\nkilled by something\n\n", "", "killed by something"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const FfmpegLog log = log_of("libx264", cases[i].text);
        assert_string_equal(log.cause, cases[i].cause);
        assert_string_equal(log.last, cases[i].last);
    }
    char long_line[5000];
    memset(long_line, 'x', sizeof(long_line) - 1);
    long_line[sizeof(long_line) - 1] = '\0';
    assert_int_equal(strlen(log_of("libx264", long_line).last), 319);
}

static FfmpegProgress *add_progress(FfmpegProgress *progress, const char *text)
{
    ffmpeg_progress_add(progress, text, strlen(text));
    return progress;
}

CASE(progress_is_what_grows)
{
    FfmpegProgress progress = {0};
    const FfmpegProgress *news = add_progress(&progress, "frame=0\nfps=0.00\nbitrate=N/A\ntotal_");
    assert_false(news->reports || news->advances);
    news = add_progress(&progress, "size=0\nout_time=00:00:00.000000\nprogress=continue\n");
    assert_true(news->reports && !news->advances);
    news = add_progress(&progress, "frame=0\nfps=0.00\ntotal_size=0\nout_time=00:00:00.000000\n"
                                   "speed=   0x\nprogress=continue\n");
    assert_true(news->reports && !news->advances);
    news = add_progress(&progress, "frame=  12\r\nfps=23.98\ntotal_size=0\nprogress=continue\n");
    assert_true(news->reports && news->advances && !progress.ended);
    assert_int_equal(progress.frames, 12);
    news = add_progress(&progress, "frame=12\ntotal_size=512\nprogress=continue\n");
    assert_true(news->advances);
    /* To and fro, and a clock alone, is none. */
    news =
        add_progress(&progress, "frame=3\nout_time=01:00:00.5\ntotal_size=9\nprogress=continue\n");
    assert_true(news->reports && !news->advances);
    news =
        add_progress(&progress, "frame=12\nout_time=02:00:00\ntotal_size=512\nprogress=continue\n");
    assert_true(news->reports && !news->advances);
    news = add_progress(&progress, "frame=12\ntotal_size=512\nprogress=end\n");
    assert_true(news->reports && news->advances && progress.ended);
}

CASES_SHARE(open_encoders, close_encoders);
