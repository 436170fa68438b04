/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The table of encoders, command lines and statistics: nothing is started. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/test_folder.h"
#include "tune/encoders/encode_request.h"
#include "tune/encoders/encode_stats.h"
#include "tune/encoders/ffmpeg_log.h"
#include "tune/encoders/ffmpeg_progress.h"
#include "tune/encoders/template.h"

#define START "ffmpeg -y -nostdin -hide_banner -loglevel level+info -nostats -progress pipe:1 "
#define ONLY  "-map 0:v:0 -r 24000/1001 -an -sn -dn "
#define COUNT "settb=1001/24000,setpts=N"
#define GLOBAL_PQ                                                                                  \
    "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv"

static EncoderTable table;

static int open_table(void **state)
{
    (void)state;
    Message message = {""};
    const int err = encoder_table_open(&table, NULL, &message);
    if (err)
        fprintf(stderr, "%s\n", message.text);
    return err;
}

static int close_table(void **state)
{
    (void)state;
    encoder_table_close(&table);
    return 0;
}

static const Encoder *find(const char *name)
{
    Message message;
    const Encoder *encoder = encoder_find(&table, name, &message);
    assert_non_null(encoder);
    return encoder;
}

static EncodeRequest request_of(const char *encoder)
{
    const Encoder *found = find(encoder);
    return (EncodeRequest){
        .ffmpeg = "ffmpeg",
        .encoder = found,
        .q = found->default_q,
        .source = {.path = "in.mkv", .rate = {24000, 1001}},
        .output = "out.mkv",
    };
}

static void expect_pass(const EncodeRequest *request, EncodePass pass, const char *expected)
{
    ArgumentList command;
    Message message = {""};
    assert_int_equal(encode_command(request, &pass, &command, &message), 0);
    char *line = arguments_shell_line(&command);
    assert_string_equal(line, expected);
    assert_null(command.items[command.n]);
    free(line);
    arguments_free(&command);
}

static void expect_command(const EncodeRequest *request, const char *expected)
{
    expect_pass(request, (EncodePass){.number = 0}, expected);
}

/* ---- The table ---- */

typedef struct Row {
    const char *name, *codec, *knob;
    int lowest, highest, default_q;
    bool higher_is_better;
    int first, last; /* of the first probes */
    const char *probe_preset;
    int probe_q;
} Row;

static const Row rows[] = {
    {"libx264", "h264", "crf", 0, 51, 23, false, 0, 51, "ultrafast", 28},
    {"libx265", "hevc", "crf", 0, 51, 28, false, 15, 40, "ultrafast", 28},
    {"libsvtav1", "av1", "crf", 1, 63, 35, false, 20, 50, "veryfast", 35},
    {"libaom-av1", "av1", "crf", 0, 63, 35, false, 0, 63, "ultrafast", 35},
    {"libvpx-vp9", "vp9", "crf", 0, 63, 32, false, 0, 63, "ultrafast", 32},
    {"libvvenc", "vvc", "qp", 0, 63, 32, false, 17, 50, "faster", 32},
    {"h264_nvenc", "h264", "cq", 1, 51, 23, false, 15, 40, "ultrafast", 28},
    {"hevc_nvenc", "hevc", "cq", 1, 51, 23, false, 15, 40, "ultrafast", 28},
    {"av1_nvenc", "av1", "cq", 1, 63, 23, false, 15, 40, "ultrafast", 28},
    {"h264_qsv", "h264", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"hevc_qsv", "hevc", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"av1_qsv", "av1", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"h264_amf", "h264", "qp", 0, 51, 23, false, 15, 40, "ultrafast", 28},
    {"hevc_amf", "hevc", "qp", 0, 51, 23, false, 15, 40, "ultrafast", 28},
    {"av1_amf", "av1", "qp", 0, 255, 23, false, 0, 255, "ultrafast", 28},
    {"h264_videotoolbox", "h264", "q:v", 1, 100, 50, true, 1, 100, "ultrafast", 60},
    {"hevc_videotoolbox", "hevc", "q:v", 1, 100, 50, true, 1, 100, "ultrafast", 60},
    {"prores_videotoolbox", "prores", "profile", 0, 5, 3, true, 0, 5, NULL, 0},
    {"av1_videotoolbox", "av1", "q:v", 1, 100, 50, true, 1, 100, "ultrafast", 60},
};

static void the_table_has_all_encoders(void **state)
{
    (void)state;
    assert_int_equal(table.n, sizeof(rows) / sizeof(rows[0]));
    for (size_t i = 0; i < table.n; i++) {
        const Row *row = &rows[i];
        const Encoder *encoder = &table.encoders[i];
        assert_string_equal(encoder->name, row->name);
        assert_string_equal(encoder->codec, row->codec);
        assert_string_equal(encoder->knob_name, row->knob);
        assert_int_equal(encoder->knob.lowest, row->lowest);
        assert_int_equal(encoder->knob.highest, row->highest);
        assert_int_equal(encoder->default_q, row->default_q);
        assert_int_equal(encoder->knob.higher_is_better, row->higher_is_better);
        assert_int_equal(encoder->first_probes.lowest, row->first);
        assert_int_equal(encoder->first_probes.highest, row->last);
        assert_int_equal(encoder->first_probes.higher_is_better, row->higher_is_better);
        if (row->probe_preset)
            assert_string_equal(encoder->probe_preset, row->probe_preset);
        else
            assert_null(encoder->probe_preset);
        assert_int_equal(encoder->probe_q, row->probe_q);
        assert_string_equal(encoder->default_preset, "medium");
        assert_true(strlen(encoder->installed_by) > 10);
        assert_true(strlen(encoder->row_version) > 0);
        assert_int_equal(encoder->is_hardware, i >= 6);
    }
}

static void presets_are_what_encoders_call_them(void **state)
{
    (void)state;
    static const struct {
        const char *encoder, *presets; /* name=value, from quick to slow */
    } cases[] = {
        {"libx264", "ultrafast=ultrafast superfast=superfast veryfast=veryfast faster=faster "
                    "fast=fast medium=medium slow=slow slower=slower veryslow=veryslow"},
        {"libx265", "ultrafast=ultrafast superfast=superfast veryfast=veryfast faster=faster "
                    "fast=fast medium=medium slow=slow slower=slower veryslow=veryslow "
                    "placebo=placebo"},
        {"libsvtav1", "veryfast=13 faster=11 fast=9 medium=7 slow=5 slower=3 slowest=1 placebo=0"},
        {"libaom-av1",
         "ultrafast=8 superfast=8 veryfast=7 faster=6 fast=5 medium=4 slow=3 slower=2 "
         "slowest=1 placebo=0"},
        {"libvpx-vp9",
         "ultrafast=5 superfast=5 veryfast=5 faster=5 fast=4 medium=3 slow=2 slower=1 "
         "slowest=0 placebo=0"},
        {"libvvenc", "ultrafast=faster superfast=faster veryfast=faster faster=faster fast=fast "
                     "medium=medium slow=slow slower=slower slowest=slower placebo=slower"},
        {"hevc_nvenc", "ultrafast=p1 superfast=p1 veryfast=p1 faster=p2 fast=p3 medium=p4 slow=p5 "
                       "slower=p6 slowest=p7 placebo=p7"},
        {"av1_qsv", "veryfast=veryfast faster=faster fast=fast medium=medium slow=slow "
                    "slower=slower veryslow=veryslow"},
        {"h264_amf", "ultrafast=speed superfast=speed veryfast=speed faster=speed fast=speed "
                     "medium=balanced slow=quality slower=quality slowest=quality placebo=quality"},
        {"prores_videotoolbox",
         "ultrafast=1 superfast=1 veryfast=1 faster=1 fast=1 medium=0 slow=0 "
         "slower=0 veryslow=0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const Encoder *encoder = find(cases[i].encoder);
        char text[1024] = "";
        for (size_t j = 0; j < encoder->n_presets; j++) {
            strcat(text, j > 0 ? " " : "");
            strcat(text, encoder->presets[j].name);
            strcat(text, "=");
            strcat(text, encoder->presets[j].value);
        }
        assert_string_equal(text, cases[i].presets);
    }
}

static void unknown_names_are_told(void **state)
{
    (void)state;
    Message message;
    assert_null(encoder_find(&table, "libx256", &message));
    assert_string_equal(message.text, "unknown encoder 'libx256'; did you mean 'libx265'?");
    assert_null(encoder_find_preset(find("libsvtav1"), "ultrafast", &message));
    assert_string_equal(
        message.text, "libsvtav1 has no preset 'ultrafast'; it has veryfast, faster, fast, medium, "
                      "slow, slower, slowest, placebo");
    assert_string_equal(encoder_find_preset(find("libsvtav1"), NULL, &message)->value, "7");
}

/* ---- Files of encoders ---- */

#define FILE_OF(rows) "{\"format\": 1, \"encoders\": [" rows "]}"
#define MINIMAL                                                                                    \
    "\"name\": \"x\", \"codec\": \"h264\", \"row_version\": \"1\", \"installed_by\": \"y\","       \
    "\"arguments\": [\"-c:v\", \"{encoder}\"], \"quality\": [\"-q\", \"{q}\"]"
#define KNOB                                                                                       \
    "\"knob\": {\"name\": \"q\", \"lowest\": 1, \"highest\": 9, \"default\": 5, \"better\": "      \
    "\"low\"}"
#define PRESETS "\"presets\": {\"a\": \"1\", \"b\": \"2\", \"c\": \"3\"}"

static void a_file_replaces_and_adds_encoders(void **state)
{
    (void)state;
    test_folder_put(
        "more.json",
        FILE_OF("{" MINIMAL "," KNOB "," PRESETS "},"
                "{\"name\": \"libx264\", \"like\": \"libx264\", \"row_version\": \"7\"},"
                "{\"name\": \"slow\", \"like\": \"x\", \"default_preset\": \"c\"}"));
    EncoderTable more;
    Message message = {""};
    assert_int_equal(encoder_table_open(&more, "more.json", &message), 0);
    assert_int_equal(more.n, table.n + 2);
    assert_string_equal(more.encoders[0].name, "libx264");
    assert_string_equal(more.encoders[0].row_version, "7");
    assert_int_equal(more.encoders[0].n_presets, 9);
    const Encoder *x = encoder_find(&more, "x", &message);
    assert_string_equal(x->default_preset, "b"); /* the middle */
    assert_null(x->probe_preset);
    assert_int_equal(x->two_pass, TWO_PASS_NONE);
    assert_string_equal(encoder_find(&more, "slow", &message)->default_preset, "c");
    EncodeRequest request = request_of("libx264");
    request.encoder = x;
    request.q = 5;
    expect_command(&request,
                   START "-noautorotate -i in.mkv -vf " COUNT " " ONLY "-c:v x -q 5 out.mkv");
    encoder_table_close(&more);
}

static void wrong_files_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{", "more.json:1: string or '}' expected near end of file"},
        {"[]", "more.json: not a table of encoders: {\"format\": 1, \"encoders\": [...]}"},
        {"{\"format\": 2, \"encoders\": []}",
         "more.json: not a table of encoders: {\"format\": 1, \"encoders\": [...]}"},
        {FILE_OF("{\"codec\": \"h264\"}"), "more.json: ?: \"name\" is not a text"},
        {FILE_OF("3"), "more.json: ?: \"name\" is not a text"},
        {FILE_OF("{" MINIMAL "," PRESETS "}"), "more.json: x: \"name\" is not a text"},
        {FILE_OF("{" MINIMAL "," KNOB "}"), "more.json: x: \"presets\" is not an object of texts"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"prset\": 1}"),
         "more.json: x: \"prset\" is not a key of the table of encoders"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"like\": \"libx266\"}"),
         "more.json: x: \"like\" is not the name of a row above"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"default_preset\": \"d\"}"),
         "more.json: x: \"default_preset\" is not one of the presets"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"probe\": {\"preset\": \"a\", \"q\": 10}}"),
         "more.json: x: \"probe\" is not within the range of the knob"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"forced_keyframes\": [\"-g\", \"{gop}\"]}"),
         "more.json: x: \"forced_keyframes\" has {gop}, which stands for nothing"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"two_pass\": {\"kind\": \"anchored\", "
                 "\"first\": [\"a\"], \"second\": [\"b\"]}}"),
         "more.json: x: \"two_pass\" is anchored: it needs \"stats\" and \"bitrate\""},
        {FILE_OF(
             "{\"name\": \"y\", \"like\": \"libx264\", \"knob\": {\"name\": \"crf\", \"lowest\": "
             "5, \"highest\": 5, \"default\": 5, \"better\": \"low\"}}"),
         "more.json: y: \"knob\" has no range"},
        {FILE_OF(
             "{\"name\": \"y\", \"like\": \"libx264\", \"knob\": {\"name\": \"crf\", \"lowest\": "
             "5, \"highest\": 9, \"default\": 4, \"better\": \"low\"}}"),
         "more.json: y: \"default\" is not within the range"},
        {FILE_OF(
             "{\"name\": \"y\", \"like\": \"libx264\", \"knob\": {\"name\": \"crf\", \"lowest\": "
             "5, \"highest\": 9, \"default\": 6, \"better\": \"lower\"}}"),
         "more.json: y: \"better\" is neither \"low\" nor \"high\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EncoderTable more;
        Message message = {""};
        test_folder_put("more.json", cases[i].text);
        assert_int_equal(encoder_table_open(&more, "more.json", &message), -EINVAL);
        assert_string_equal(message.text, cases[i].message);
        assert_int_equal(more.n, 0);
    }
    EncoderTable more;
    Message message;
    assert_int_equal(encoder_table_open(&more, "none.json", &message), -ENOENT);
    assert_string_equal(message.text, "none.json: No such file or directory");
}

/* ---- Command lines ---- */

static void each_encoder_has_its_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *encoder, *arguments;
    } cases[] = {
        {"libx264", "-c:v libx264 -preset medium -crf 23"},
        {"libx265", "-c:v libx265 -preset medium -crf 28"},
        {"libsvtav1", "-c:v libsvtav1 -preset 7 -crf 35"},
        {"libaom-av1", "-c:v libaom-av1 -cpu-used 4 -crf 35 -b:v 0 -row-mt 1"},
        {"libvpx-vp9", "-c:v libvpx-vp9 -deadline good -cpu-used 3 -crf 32 -b:v 0 -row-mt 1"},
        {"libvvenc", "-c:v libvvenc -preset medium -qp 32"},
        {"av1_nvenc", "-c:v av1_nvenc -preset p4 -rc vbr -cq 23 -b:v 0"},
        {"hevc_qsv", "-c:v hevc_qsv -preset medium -global_quality 23"},
        {"h264_amf", "-c:v h264_amf -quality balanced -rc cqp -qp_i 23 -qp_p 23"},
        {"hevc_videotoolbox", "-c:v hevc_videotoolbox -realtime 0 -q:v 50"},
        {"prores_videotoolbox", "-c:v prores_videotoolbox -realtime 0 -profile:v hq"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const EncodeRequest request = request_of(cases[i].encoder);
        char expected[1024];
        snprintf(expected, sizeof(expected), "%s%s%s",
                 START "-noautorotate -i in.mkv -vf " COUNT " " ONLY, cases[i].arguments,
                 " out.mkv");
        expect_command(&request, expected);
    }
}

static void windows_are_sought_a_little_early(void **state)
{
    (void)state;
    const SampleWindow windows[] = {{100, 24, 1}, {1000, 12, 1}};
    EncodeRequest request = request_of("libx264");
    request.windows = windows;
    request.n_windows = 1;
    /* 99.75 * 1001 / 24000 */
    expect_command(&request, START "-noautorotate -ss 4.160406 -i in.mkv -vf " COUNT
                                   " -map 0:v:0 -frames:v 24 -r 24000/1001 -an -sn -dn "
                                   "-c:v libx264 -preset medium -crf 23 out.mkv");
    request.source.first_frame_time = 0.08;
    request.n_windows = 2;
    expect_command(&request, START
                   "-noautorotate -ss 4.240406 -i in.mkv -noautorotate -ss 41.777906 -i in.mkv "
                   "-filter_complex '[0:v:0]trim=end_frame=24[w0];[1:v:0]trim=end_frame=12[w1];"
                   "[w0][w1]concat=n=2:v=1:a=0," COUNT
                   "[v]' -map '[v]' -frames:v 36 -r 24000/1001 -an -sn -dn "
                   "-c:v libx264 -preset medium -crf 23 out.mkv");
    request.source.count_frames = true;
    request.width = 640;
    request.height = 360;
    expect_command(&request, START
                   "-noautorotate -i in.mkv -vf 'select='\\''between(n,100,123)+between(n,1000,"
                   "1011)'\\'',scale=640:360:flags=lanczos,setsar=1," COUNT
                   "' -map 0:v:0 -frames:v 36 -r 24000/1001 -an -sn -dn "
                   "-c:v libx264 -preset medium -crf 23 out.mkv");
    assert_int_equal(encode_frames(&request), 36);
}

static void a_window_at_the_start_is_not_sought(void **state)
{
    (void)state;
    const SampleWindow window = {0, 24, 1};
    EncodeRequest request = request_of("libx264");
    request.windows = &window;
    request.n_windows = 1;
    expect_command(&request, START "-noautorotate -i in.mkv -vf " COUNT
                                   " -map 0:v:0 -frames:v 24 -r 24000/1001 -an -sn -dn "
                                   "-c:v libx264 -preset medium -crf 23 out.mkv");
}

static void raw_frames_are_found_by_their_place(void **state)
{
    (void)state;
    const SampleWindow windows[] = {{0, 5, 1}, {10, 4, 1}};
    EncodeRequest request = request_of("libx264");
    request.source = (EncodeSource){.path = "in.yuv",
                                    .rate = {30, 1},
                                    .is_raw = true,
                                    .width = 64,
                                    .height = 48,
                                    .pixel_format = "yuv420p10le"};
#define RAW  "-f rawvideo -pix_fmt yuv420p10le -s 64x48 -r 30/1 "
#define X264 "-an -sn -dn -c:v libx264 -preset medium -crf 23 out.mkv"
    expect_command(&request, START RAW "-i in.yuv -map 0:v:0 " X264);
    request.windows = &windows[1];
    request.n_windows = 1;
    expect_command(&request,
                   START RAW "-skip_initial_bytes 92160 -i in.yuv -map 0:v:0 -frames:v 4 " X264);
    request.windows = windows;
    request.n_windows = 2;
    expect_command(&request,
                   START RAW "-i in.yuv " RAW "-skip_initial_bytes 92160 -i in.yuv -filter_complex "
                             "'[0:v:0]trim=end_frame=5[w0];[1:v:0]trim=end_frame=4[w1];"
                             "[w0][w1]concat=n=2:v=1:a=0,settb=1/30,setpts=N[v]' -map '[v]' "
                             "-frames:v 9 " X264);
    /* Of a format whose frames have an unknown size. */
    request.source.pixel_format = "xyz12le";
    expect_command(&request, START "-f rawvideo -pix_fmt xyz12le -s 64x48 -r 30/1 -i in.yuv -vf "
                                   "'select='\\''between(n,0,4)+between(n,10,13)'\\'',settb=1/30,"
                                   "setpts=N' -map 0:v:0 -frames:v 9 " X264);
}

static void sizes_of_raw_frames_are_known(void **state)
{
    (void)state;
    assert_int_equal(raw_frame_bytes("yuv420p", 64, 48), 64 * 48 * 3 / 2);
    assert_int_equal(raw_frame_bytes("yuv420p", 65, 49), 65 * 49 + 2 * 33 * 25);
    assert_int_equal(raw_frame_bytes("yuv422p", 65, 49), 65 * 49 + 2 * 33 * 49);
    assert_int_equal(raw_frame_bytes("yuv444p12le", 65, 49), 65 * 49 * 6);
    assert_int_equal(raw_frame_bytes("gray", 65, 49), 65 * 49);
    assert_int_equal(raw_frame_bytes("gray10le", 65, 49), 65 * 49 * 2);
    assert_int_equal(raw_frame_bytes("nv12", 64, 48), 64 * 48 * 3 / 2);
    assert_int_equal(raw_frame_bytes("p010le", 64, 48), 64 * 48 * 3);
    assert_int_equal(raw_frame_bytes("yuv420p", 100000, 100000), INT64_C(15000000000));
    assert_int_equal(raw_frame_bytes("yuv420p10be", 64, 48), 0);
    assert_int_equal(raw_frame_bytes("rgb24", 64, 48), 0);
    assert_int_equal(raw_frame_bytes("yuv410p", 64, 48), 0);
}

static void everything_at_once_has_its_place(void **state)
{
    (void)state;
    const double forced[] = {0, 1.5, 2.0000004};
    const char *const extra[] = {"-x264-params", "aq-mode=3",    "-tune",
                                 "film",         "-x264-params", "me=umh"};
    EncodeRequest request = request_of("libx264");
    request.preset = "slow";
    request.q = 30;
    request.width = 1280;
    request.height = 720;
    request.pixel_format = "yuv420p";
    request.keyframes = (Keyframes){48, 24, forced, 3};
    request.threads = 4;
    request.extra = extra;
    request.n_extra = 6;
    request.stats = true;
    request.ffmpeg = "/opt/my ffmpeg";
    request.source.path = "-it's: a.mkv";
    request.output = "x:y.mp4";
    expect_pass(&request, (EncodePass){.log = "log"},
                "'/opt/my ffmpeg' -y -nostdin -hide_banner -loglevel level+info -nostats -progress "
                "pipe:1 -noautorotate -i './-it'\\''s: a.mkv' "
                "-vf scale=1280:720:flags=lanczos,setsar=1," COUNT " " ONLY
                "-pix_fmt yuv420p -c:v libx264 -preset slow -crf 30 -pass 1 -passlogfile log "
                "-fastfirstpass 0 -g 48 -keyint_min 24 -force_key_frames "
                "0.000000,1.500000,2.000000 -threads 4 -x264-params aq-mode=3:me=umh -tune film "
                "./x:y.mp4");
    request = request_of("hevc_nvenc");
    request.keyframes = (Keyframes){0, 0, forced, 2};
    expect_command(&request, START "-noautorotate -i in.mkv -vf " COUNT " " ONLY
                                   "-c:v hevc_nvenc -preset p4 -rc vbr -cq 23 -b:v 0 "
                                   "-force_key_frames 0.000000,1.500000 -forced-idr 1 out.mkv");
}

static void two_passes_have_a_quality_and_then_a_bitrate(void **state)
{
    (void)state;
    EncodeRequest request = request_of("libx264");
#define BEFORE START "-noautorotate -i in.mkv -vf " COUNT " " ONLY
    request.two_pass = true;
    assert_int_equal(encode_passes(&request), 2);
    expect_pass(&request, (EncodePass){1, NULL, "a:b/log", 0},
                BEFORE "-c:v libx264 -preset medium -crf 23 -pass 1 -passlogfile a:b/log "
                       "-fastfirstpass 0 -f null -");
    expect_pass(&request, (EncodePass){2, "t.mkv", "a:b/log", 1234.6},
                BEFORE "-c:v libx264 -preset medium -b:v 1235k -pass 2 -passlogfile a:b/log t.mkv");
    expect_pass(&request, (EncodePass){2, NULL, NULL, 0},
                BEFORE "-c:v libx264 -preset medium -b:v KBPSk -pass 2 -passlogfile LOG out.mkv");
    const char *const extra[] = {"-x265-params", "aq-mode=3"};
    request.encoder = find("libx265");
    request.extra = extra;
    request.n_extra = 2;
    expect_pass(&request, (EncodePass){1, NULL, "a:b/it's log", 0},
                BEFORE
                "-c:v libx265 -preset medium -crf 23 -x265-params "
                "'pass=1:slow-firstpass=1:stats=a\\:b/it\\'\\''s\\ log:aq-mode=3' -f null -");
    expect_pass(&request, (EncodePass){2, NULL, "log", 99.4},
                BEFORE "-c:v libx265 -preset medium -b:v 99k -x265-params "
                       "pass=2:stats=log:aq-mode=3 out.mkv");
    request.encoder = find("libvpx-vp9");
    request.n_extra = 0;
    expect_pass(&request, (EncodePass){2, NULL, "log", 0},
                BEFORE
                "-c:v libvpx-vp9 -deadline good -cpu-used 3 -crf 23 -b:v 0 -row-mt 1 -pass 2 "
                "-passlogfile log out.mkv");
    request.encoder = find("libsvtav1");
    assert_int_equal(encode_passes(&request), 1);
}

static void hdr_is_told_to_each_encoder_in_its_way(void **state)
{
    (void)state;
    const HdrTags tags = {
        .transfer = HDR_PQ,
        .mastering =
            {true, {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}, 0.0001, 1000},
        .light = {true, 1000, 400},
    };
    const HdrTags hlg = {.transfer = HDR_HLG, .constant_luminance = true, .full_range = true};
    static const struct {
        const char *encoder, *format, *arguments;
    } cases[] = {
        {"libx264", "", GLOBAL_PQ},
        {"libaom-av1", "", GLOBAL_PQ},
        {"libvvenc", "", GLOBAL_PQ},
        {"libx265", "",
         GLOBAL_PQ " -x265-params 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range="
                   "limited:hdr10-opt=1:master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP("
                   "15635,16450)L(10000000,1):max-cll=1000,400'"},
        {"libsvtav1", "",
         GLOBAL_PQ
         " -svtav1-params 'color-primaries=9:transfer-characteristics=16:matrix-coefficients"
         "=9:color-range=0:mastering-display=G(0.17000,0.79700)B(0.13100,0.04600)R(0.70800,"
         "0.29200)WP(0.31270,0.32900)L(1000.0000,0.0001):content-light=1000,400'"},
        {"hevc_nvenc", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"hevc_qsv", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"hevc_amf", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"hevc_videotoolbox", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"av1_nvenc", "-pix_fmt p010le ", GLOBAL_PQ},
        {"av1_qsv", "-pix_fmt p010le ", GLOBAL_PQ},
        {"av1_amf", "-pix_fmt p010le ", GLOBAL_PQ},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EncodeRequest request = request_of(cases[i].encoder);
        ArgumentList plain, with;
        Message message;
        const EncodePass pass = {.number = 0};
        assert_int_equal(encode_command(&request, &pass, &plain, &message), 0);
        request.hdr = &tags;
        assert_int_equal(encode_command(&request, &pass, &with, &message), 0);
        encode_warning(&request, &message);
        assert_string_equal(message.text, "");
        char *before = arguments_shell_line(&plain), *after = arguments_shell_line(&with);
        char expected[2048];
        const char *codec = strstr(before, "-c:v "), *output = strstr(before, " out.mkv");
        snprintf(expected, sizeof(expected), "%.*s%s%.*s %s out.mkv", (int)(codec - before), before,
                 cases[i].format, (int)(output - codec), codec, cases[i].arguments);
        assert_string_equal(after, expected);
        free(before);
        free(after);
        arguments_free(&plain);
        arguments_free(&with);
    }
    EncodeRequest request = request_of("libx265");
    request.hdr = &hlg;
    expect_command(&request,
                   BEFORE "-c:v libx265 -preset medium -crf 28 -color_primaries bt2020 -color_trc "
                          "arib-std-b67 -colorspace bt2020c -color_range pc -x265-params "
                          "colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020c:range=full "
                          "out.mkv");
    request.encoder = find("hevc_nvenc");
    request.pixel_format = "yuv420p10le"; /* what is asked for wins */
    request.q = 23;
    expect_command(&request,
                   BEFORE "-pix_fmt yuv420p10le -c:v hevc_nvenc -preset p4 -rc vbr -cq 23 "
                          "-b:v 0 -profile:v main10 -color_primaries bt2020 -color_trc "
                          "arib-std-b67 -colorspace bt2020c -color_range pc out.mkv");
}

static void what_an_encoder_cannot_do_is_told(void **state)
{
    (void)state;
    const HdrTags tags = {.transfer = HDR_PQ};
    EncodeRequest request = request_of("h264_nvenc");
    Message warning;
    request.hdr = &tags;
    request.two_pass = true;
    request.stats = true;
    encode_warning(&request, &warning);
    assert_string_equal(warning.text,
                        "h264_nvenc: nobody can tell it the colours of HDR; it has no two "
                        "passes, so there is one; it writes no statistics");
    expect_command(&request, BEFORE "-c:v h264_nvenc -preset p4 -rc vbr -cq 23 -b:v 0 out.mkv");
    request.hdr = NULL;
    request.encoder = find("libx265");
    encode_warning(&request, &warning);
    assert_string_equal(warning.text, "");
}

static void encodes_for_people_keep_all_streams(void **state)
{
    (void)state;
    EncodeRequest request = request_of("libx264");
    request.streams = ENCODE_WITH_ALL_STREAMS;
    request.width = 640;
    request.height = 360;
    expect_command(&request, START
                   "-i in.mkv -vf scale=640:360:flags=lanczos,setsar=1 -map 0:v:0 -map '0:a?' "
                   "-map '0:s?' -c:a copy -c:s copy -dn -map_metadata 0 -map_chapters 0 "
                   "-c:v libx264 -preset medium -crf 23 out.mkv");
    request.two_pass = true;
    request.width = request.height = 0;
    expect_pass(&request, (EncodePass){1, NULL, "log", 0},
                START
                "-i in.mkv -map 0:v:0 -an -sn -dn -c:v libx264 -preset medium -crf 23 -pass 1 "
                "-passlogfile log -fastfirstpass 0 -f null -");
    const SampleWindow window = {0, 24, 1};
    Message message;
    request.windows = &window;
    request.n_windows = 1;
    assert_int_equal(encode_check(&request, &message), -EINVAL);
    assert_string_equal(message.text, "audio and subtitles can only be kept with the whole video");
}

static void expect_refusal(const EncodeRequest *request, const char *expected)
{
    Message message = {""};
    ArgumentList command;
    const EncodePass pass = {.number = 0};
    assert_int_equal(encode_command(request, &pass, &command, &message), -EINVAL);
    assert_string_equal(message.text, expected);
    assert_null(command.items);
}

static void impossible_requests_are_refused(void **state)
{
    (void)state;
    const EncodeRequest good = request_of("libsvtav1");
    EncodeRequest request = good;
    request.q = 0;
    expect_refusal(&request, "libsvtav1: crf 0 is not within 1 to 63");
    request.q = 64;
    expect_refusal(&request, "libsvtav1: crf 64 is not within 1 to 63");
    request = good;
    request.source.rate.denominator = 0;
    expect_refusal(&request, "in.mkv: the frame rate is not known");
    request = good;
    request.source.is_raw = true;
    expect_refusal(&request,
                   "in.mkv: frames without a header need a width, a height and a pixel format");
    request = good;
    request.width = 640;
    expect_refusal(&request, "640x0 is no size to scale to");
    const SampleWindow overlapping[] = {{0, 10, 1}, {9, 10, 1}}, empty[] = {{5, 0, 1}};
    request = good;
    request.windows = overlapping;
    request.n_windows = 2;
    expect_refusal(&request, "sample windows are empty or overlap");
    request.windows = empty;
    request.n_windows = 1;
    expect_refusal(&request, "sample windows are empty or overlap");
    request = good;
    const char *const filter[] = {"-tune", "0", "-vf", "hflip"}, *const bare[] = {"film"};
    request.extra = filter;
    request.n_extra = 4;
    expect_refusal(&request, "extra argument '-vf' cannot be used: it is set by the encode itself");
    request.extra = bare;
    request.n_extra = 1;
    expect_refusal(&request, "extra argument 'film' would be an output file");
    request = good;
    request.output = "some.folder/out";
    expect_refusal(&request,
                   "some.folder/out: the output needs an extension such as .mkv, which tells "
                   "its format");
    request = good;
    request.preset = "superfast";
    expect_refusal(&request, "libsvtav1 has no preset 'superfast'; it has veryfast, faster, fast, "
                             "medium, slow, slower, slowest, placebo");
}

static void expect_key(const EncodeRequest *request, const char *expected)
{
    ArgumentList key;
    Message message;
    assert_int_equal(encode_key_arguments(request, &key, &message), 0);
    char *line = arguments_shell_line(&key);
    assert_string_equal(line, expected);
    free(line);
    arguments_free(&key);
}

static void keys_know_what_decides_about_the_content(void **state)
{
    (void)state;
    EncodeRequest request = request_of("libx265");
    const char *const extra[] = {"-x265-params", "me=3"};
#define KEY "-vf " COUNT " " ONLY "-c:v libx265 -preset medium "
    request.extra = extra;
    request.n_extra = 2;
    request.threads = 8;
    expect_key(&request, KEY "-crf 28 -x265-params me=3");
    request.two_pass = true;
    request.output = "other.mkv";
    request.source.path = "other source.mkv";
    expect_key(&request,
               KEY "-crf 28 -x265-params pass=1:slow-firstpass=1:stats=LOG:me=3 -f null " KEY
                   "-b:v KBPSk -x265-params pass=2:stats=LOG:me=3");
}

/* ---- Arguments ---- */

static void shell_lines_are_quoted(void **state)
{
    (void)state;
    ArgumentList list = {0};
    static const char *const items[] = {"a",         "",  "it's", "$HOME", "a b",
                                        "x=y:z,1/2", "*", "ä",    "\n"};
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        arguments_add(&list, items[i]);
    char *line = arguments_shell_line(&list);
    assert_string_equal(line, "a '' 'it'\\''s' '$HOME' 'a b' x=y:z,1/2 '*' 'ä' '\n'");
    free(line);
    line = arguments_quoted_line(&list);
    assert_string_equal(line, "'a' '' 'it'\\''s' '$HOME' 'a b' 'x=y:z,1/2' '*' 'ä' '\n'");
    free(line);
    arguments_free(&list);
}

static void only_fragments_of_one_name_are_merged(void **state)
{
    (void)state;
    static const struct {
        const char *const items[10];
        const char *expected;
    } cases[] = {
        {{"-p", "a=1", "-q", "b", "-p", "c=2", "-p", "d=3"}, "-p a=1:c=2:d=3 -q b"},
        {{"-p", "a=1"}, "-p a=1"},
        {{"-p", "", "-p", "b=1"}, "-p b=1"},
        {{"-p", "a=1", "-p", ""}, "-p a=1"},
        {{"-q", "a", "-p"}, "-q a -p"},
        {{NULL}, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ArgumentList list = {0};
        for (size_t j = 0; cases[i].items[j]; j++)
            arguments_add(&list, cases[i].items[j]);
        arguments_merge(&list, "-p");
        char *line = arguments_shell_line(&list);
        assert_string_equal(line, cases[i].expected);
        free(line);
        arguments_free(&list);
    }
}

static void placeholders_are_replaced(void **state)
{
    (void)state;
    TemplateValues values = {{[PLACE_Q] = "7", [PLACE_LOG] = "a:b c\\'"}};
    ArgumentList list = {0};
    size_t length;
    assert_int_equal(template_add(&list, "x{q}y{q}", &values, false), 0);
    assert_int_equal(template_add(&list, "{log}", &values, false), 0);
    assert_int_equal(template_add(&list, "s={log}", &values, true), 0);
    assert_int_equal(template_add(&list, "{preset}", &values, false), -EINVAL);
    assert_string_equal(list.items[0], "x7y7");
    assert_string_equal(list.items[1], "a:b c\\'");
    assert_string_equal(list.items[2], "s=a\\:b\\ c\\\\\\'");
    assert_int_equal(list.n, 3);
    assert_null(template_find_unknown("{q} {preset}", &length));
    assert_string_equal(template_find_unknown("{q} {qq}", &length), "{qq}");
    assert_int_equal(length, 4);
    assert_string_equal(template_find_unknown("{q", &length), "{q");
    assert_string_equal(template_find_unknown("{}", &length), "{}");
    assert_true(template_uses("a{q}{log}", PLACE_LOG));
    assert_false(template_uses("a{q}{log}", PLACE_KBPS));
    arguments_free(&list);
}

/* ---- Statistics ---- */

static void near(double value, double expected)
{
    assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

static void statistics_are_those_of_frames(void **state)
{
    (void)state;
    EncoderStats stats;
    encoder_stats_parse("#options: 320x180 in:9 type:I q:99 tex:99\n"
                        "in:0 out:0 type:I dur:2 q:20.50 aq:9 tex:1000 mv:100 misc:10 imb:30 pmb:0 "
                        "smb:10 d:- ref:;\n"
                        "nothing of a frame q:50\n"
                        "in:2 out:1 type:P q:30.5 tex:400,mv:60,misc:6 IMB:5 pmb=20 smb:15\r\n"
                        "in:1 type:i q:abc tex:2000 mv:- misc:1.5 imb:40 pmb:0 smb:0\n"
                        "in:3 out:3 q:1 tex:1\n"
                        "in:4 type:b q:40 tex:x mv:20 misc:2 imb:0 pmb:0 smb:40",
                        &stats);
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

static void statistics_of_x265_have_other_names(void **state)
{
    (void)state;
    EncoderStats stats;
    encoder_stats_parse(
        "in:0 out:0 type:I q:28.26 q-aq:23.11 q-noVbv:99 q-Rceq:0.98 tex:30070 mv:3375 misc:326 "
        "icu:240.00 pcu:0.00 scu:0.00 sc:0 ;\n"
        "in:2 out:1 type:P q:28.76 q-aq:23.46 q-noVbv:99 q-Rceq:0.98 tex:17256 mv:1402 misc:570 "
        "icu:13.50 pcu:32.25 scu:194.25 sc:0 ;\n",
        &stats);
    near(stats.qp_mean, 28.51);
    near(stats.qp_std, 0.25);
    near(stats.intra_ratio, 253.5 / 480);
    near(stats.skip_ratio, 194.25 / 480);
    near(stats.itex_mean, 30070);
}

static void without_frames_all_is_zero(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n\n", "#options: in:0 type:I q:1", "type:I q:1",
                                        "in:1 q:1"};
    const EncoderStats none = {0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        EncoderStats stats;
        encoder_stats_parse(texts[i], &stats);
        assert_memory_equal(&stats, &none, sizeof(none));
    }
    EncoderStats one;
    encoder_stats_parse("in:0 type:P q:-1.5 tex:7", &one);
    assert_int_equal(one.frames, 1);
    near(one.qp_mean, -1.5);
    near(one.qp_std, 0);
    near(one.itex_mean, 0);
    near(one.ptex_mean, 7);
}

/* ---- What ffmpeg says ---- */

static FfmpegLog log_of(const char *encoder, const char *text)
{
    FfmpegLog whole = {.encoder = find(encoder)}, bytes = {.encoder = find(encoder)};
    ffmpeg_log_add(&whole, text, strlen(text));
    ffmpeg_log_end(&whole);
    for (; *text; text++)
        ffmpeg_log_add(&bytes, text, 1);
    ffmpeg_log_end(&bytes);
    assert_string_equal(whole.version, bytes.version);
    assert_string_equal(whole.cause, bytes.cause);
    return whole;
}

static void versions_of_encoders_are_found(void **state)
{
    (void)state;
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

static void the_first_error_is_the_cause(void **state)
{
    (void)state;
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

static ProgressNews add_progress(FfmpegProgress *progress, const char *text)
{
    return ffmpeg_progress_add(progress, text, strlen(text));
}

static void progress_is_what_has_changed(void **state)
{
    (void)state;
    FfmpegProgress progress = {0};
    ProgressNews news = add_progress(&progress, "frame=0\nfps=0.00\nbitrate=N/A\ntotal_");
    assert_false(news.reported || news.advanced);
    news = add_progress(&progress, "size=0\nout_time=00:00:00.000000\nprogress=continue\n");
    assert_true(news.reported && news.advanced); /* the first one */
    news = add_progress(&progress, "frame=0\nfps=0.00\ntotal_size=0\nout_time=00:00:00.000000\n"
                                   "speed=   0x\nprogress=continue\n");
    assert_true(news.reported && !news.advanced);
    news = add_progress(&progress, "frame=  12\r\nfps=23.98\ntotal_size=0\nprogress=continue\n");
    assert_true(news.reported && news.advanced && !progress.ended);
    assert_int_equal(progress.frames, 12);
    near(progress.fps, 23.98);
    news = add_progress(&progress, "frame=12\ntotal_size=512\nprogress=continue\n");
    assert_true(news.advanced);
    news = add_progress(&progress, "frame=12\ntotal_size=512\nprogress=end\n");
    assert_true(news.reported && news.advanced && progress.ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_all_encoders),
        cmocka_unit_test(presets_are_what_encoders_call_them),
        cmocka_unit_test(unknown_names_are_told),
        cmocka_unit_test_setup_teardown(a_file_replaces_and_adds_encoders, test_folder_enter,
                                        test_folder_remove),
        cmocka_unit_test_setup_teardown(wrong_files_are_told, test_folder_enter,
                                        test_folder_remove),
        cmocka_unit_test(each_encoder_has_its_arguments),
        cmocka_unit_test(windows_are_sought_a_little_early),
        cmocka_unit_test(a_window_at_the_start_is_not_sought),
        cmocka_unit_test(raw_frames_are_found_by_their_place),
        cmocka_unit_test(sizes_of_raw_frames_are_known),
        cmocka_unit_test(everything_at_once_has_its_place),
        cmocka_unit_test(two_passes_have_a_quality_and_then_a_bitrate),
        cmocka_unit_test(hdr_is_told_to_each_encoder_in_its_way),
        cmocka_unit_test(what_an_encoder_cannot_do_is_told),
        cmocka_unit_test(encodes_for_people_keep_all_streams),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(keys_know_what_decides_about_the_content),
        cmocka_unit_test(shell_lines_are_quoted),
        cmocka_unit_test(only_fragments_of_one_name_are_merged),
        cmocka_unit_test(placeholders_are_replaced),
        cmocka_unit_test(statistics_are_those_of_frames),
        cmocka_unit_test(statistics_of_x265_have_other_names),
        cmocka_unit_test(without_frames_all_is_zero),
        cmocka_unit_test(versions_of_encoders_are_found),
        cmocka_unit_test(the_first_error_is_the_cause),
        cmocka_unit_test(progress_is_what_has_changed),
    };
    return cmocka_run_group_tests(tests, open_table, close_table);
}
