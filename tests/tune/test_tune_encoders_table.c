/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The table of encoders, and files that change it: nothing is started. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder_fixture.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"

typedef struct Row {
    const char *name, *codec, *qualities;
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
    {"librav1e", "av1", "qp", 0, 255, 100, false, 40, 200, "ultrafast", 100},
    {"h264_nvenc", "h264", "cq", 1, 51, 23, false, 15, 40, "ultrafast", 28},
    {"hevc_nvenc", "hevc", "cq", 1, 51, 23, false, 15, 40, "ultrafast", 28},
    {"av1_nvenc", "av1", "cq", 1, 63, 23, false, 15, 40, "ultrafast", 28},
    {"h264_qsv", "h264", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"hevc_qsv", "hevc", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"av1_qsv", "av1", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"vp9_qsv", "vp9", "global_quality", 1, 51, 23, false, 1, 51, "veryfast", 23},
    {"h264_amf", "h264", "qp", 0, 51, 23, false, 15, 40, "ultrafast", 28},
    {"hevc_amf", "hevc", "qp", 0, 51, 23, false, 15, 40, "ultrafast", 28},
    {"av1_amf", "av1", "qp", 0, 255, 23, false, 0, 255, "ultrafast", 28},
    {"h264_vaapi", "h264", "global_quality", 1, 51, 23, false, 1, 51, "ultrafast", 28},
    {"hevc_vaapi", "hevc", "global_quality", 1, 51, 23, false, 1, 51, "ultrafast", 28},
    {"vp9_vaapi", "vp9", "global_quality", 1, 255, 100, false, 1, 255, "ultrafast", 100},
    {"av1_vaapi", "av1", "global_quality", 1, 255, 128, false, 1, 255, "ultrafast", 128},
    {"h264_vulkan", "h264", "qp", 0, 51, 23, false, 15, 40, "medium", 28},
    {"hevc_vulkan", "hevc", "qp", 0, 51, 23, false, 15, 40, "medium", 28},
    {"av1_vulkan", "av1", "qp", 0, 255, 128, false, 0, 255, "medium", 128},
    {"h264_videotoolbox", "h264", "q:v", 1, 100, 50, true, 1, 100, "ultrafast", 60},
    {"hevc_videotoolbox", "hevc", "q:v", 1, 100, 50, true, 1, 100, "ultrafast", 60},
    {"prores_videotoolbox", "prores", "profile", 0, 5, 3, true, 0, 5, NULL, 0},
    {"av1_videotoolbox", "av1", "q:v", 1, 100, 50, true, 1, 100, "ultrafast", 60},
};

CASE(the_table_has_all_encoders)
{
    assert_int_equal(encoders.n, sizeof(rows) / sizeof(rows[0]));
    for (size_t i = 0; i < encoders.n; i++) {
        const Row *row = &rows[i];
        const Encoder *encoder = &encoders.encoders[i];
        assert_string_equal(encoder->name, row->name);
        assert_string_equal(encoder->codec, row->codec);
        assert_string_equal(encoder->quality_name, row->qualities);
        assert_int_equal(encoder->qualities.lowest, row->lowest);
        assert_int_equal(encoder->qualities.highest, row->highest);
        assert_int_equal(encoder->default_q, row->default_q);
        assert_int_equal(encoder->qualities.higher_is_better, row->higher_is_better);
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
        assert_int_equal(encoder->is_hardware, i >= 7);
        assert_int_equal(encoder->steps, i < 2 ? 10 : i == 2 ? 4 : 1);
        assert_int_equal(encoder_arguments(encoder, "fraction") != NULL, i == 2);
    }
}

CASE(presets_are_what_encoders_call_them)
{
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
        const Encoder *encoder = find_encoder(cases[i].encoder);
        char text[1024] = "";
        const char *name;
        json_t *value;
        json_object_foreach((json_t *)encoder->presets, name, value)
        {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s=%s", used ? " " : "", name,
                     json_string_value(value));
        }
        assert_string_equal(text, cases[i].presets);
    }
}

CASE(unknown_names_are_told)
{
    Message message;
    assert_null(encoder_find(&encoders, "libx256", &message));
    assert_string_equal(message.text, "unknown encoder 'libx256'; did you mean 'libx265'?");
    assert_null(encoder_find_preset(find_encoder("libsvtav1"), "ultrafast", &message));
    assert_string_equal(
        message.text, "libsvtav1 has no preset 'ultrafast'; it has veryfast, faster, fast, medium, "
                      "slow, slower, slowest, placebo, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "
                      "10, 11, 12, 13");
    assert_string_equal(encoder_find_preset(find_encoder("libsvtav1"), NULL, &message), "7");
}

CASE(names_of_other_programs_are_known)
{
    static const char *const names[][2] = {
        {"x264", "libx264"},      {"x265", "libx265"},       {"svtav1", "libsvtav1"},
        {"svt-av1", "libsvtav1"}, {"aom", "libaom-av1"},     {"aom-av1", "libaom-av1"},
        {"vp9", "libvpx-vp9"},    {"vpx-vp9", "libvpx-vp9"}, {"vvenc", "libvvenc"},
    };
    Message message;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_string_equal(find_encoder(names[i][0])->name, names[i][1]);
    assert_null(encoder_find(&encoders, "lib", &message));
    assert_null(encoder_find(&encoders, "", &message));
}

CASE(presets_of_the_encoder_itself_are_known)
{
    static const char *const presets[][3] = {
        {"libsvtav1", "8", "8"},        {"libsvtav1", "13", "13"},   {"libsvtav1", "fast", "9"},
        {"libaom-av1", "4", "4"},       {"libvpx-vp9", "5", "5"},    {"hevc_nvenc", "p5", "p5"},
        {"h264_amf", "speed", "speed"}, {"libx265", "slow", "slow"},
    };
    Message message;
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
        assert_string_equal(
            encoder_find_preset(find_encoder(presets[i][0]), presets[i][1], &message),
            presets[i][2]);
    assert_null(encoder_find_preset(find_encoder("libsvtav1"), "14", &message));
    assert_null(encoder_find_preset(find_encoder("hevc_nvenc"), "p8", &message));
    assert_null(encoder_find_preset(find_encoder("libx264"), "8", &message));
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

CASE_WITH(a_file_replaces_and_adds_encoders, test_folder_enter, test_folder_remove)
{
    file_put_text("more.json",
                  FILE_OF("{" MINIMAL "," KNOB "," PRESETS "},"
                          "{\"name\": \"libx264\", \"like\": \"libx264\", \"row_version\": \"7\"},"
                          "{\"name\": \"slow\", \"like\": \"x\", \"default_preset\": \"c\"}"));
    EncoderTable more;
    Message message = {""};
    assert_int_equal(encoder_table_open(&more, "more.json", &message), 0);
    assert_int_equal(more.n, encoders.n + 2);
    assert_string_equal(more.encoders[0].name, "libx264");
    assert_string_equal(more.encoders[0].row_version, "7");
    assert_int_equal(json_object_size(more.encoders[0].presets), 9);
    const Encoder *x = encoder_find(&more, "x", &message);
    assert_string_equal(x->default_preset, "b"); /* the middle */
    assert_null(x->probe_preset);
    assert_int_equal(x->two_pass, TWO_PASS_NONE);
    assert_string_equal(encoder_find(&more, "slow", &message)->default_preset, "c");
    EncodeRequest request = request_of("libx264");
    request.spec.encoder = x;
    request.spec.q = 5;
    expect_command(&request, START "-i file:in.mkv -vf " COUNT " " ONLY "-c:v x -q 5 file:out.mkv");
    encoder_table_close(&more);
}

CASE_WITH(wrong_files_are_told, test_folder_enter, test_folder_remove)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{", "more.json:1: string or '}' expected near end of file"},
        {"[]", "more.json: not a table of encoders: {\"format\": 1, \"encoders\": [...]}"},
        {"{\"format\": 2, \"encoders\": []}",
         "more.json: not a table of encoders: {\"format\": 1, \"encoders\": [...]}"},
        {FILE_OF("{\"codec\": \"h264\"}"), "more.json: ?: \"name\" is not a text"},
        {FILE_OF("3"), "more.json: ?: \"name\" is not a text"},
        {FILE_OF("{" MINIMAL "," PRESETS "}"), "more.json: x: Object item not found: knob"},
        {FILE_OF("{" MINIMAL "," KNOB "}"), "more.json: x: Object item not found: presets"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"prset\": 1}"),
         "more.json: x: 1 object item(s) left unpacked: prset"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"hdr\": {\"arguments\": [\"a\"], \"p\": 1}}"),
         "more.json: x: 1 object item(s) left unpacked: p"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"hdr\": {\"pq\": [\"a\"]}}"),
         "more.json: x: Object item not found: arguments"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"hdr\": 3}"),
         "more.json: x: Expected object, got integer"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"bitrate\": [\"-b\", 3]}"),
         "more.json: x: \"bitrate\" is not a list of texts"},
        {FILE_OF("{" MINIMAL "," KNOB "," PRESETS ", \"hardware\": 1}"),
         "more.json: x: Expected true or false, got integer"},
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
         "more.json: y: \"knob\" has no range within 0 to 10000"},
        {FILE_OF(
             "{\"name\": \"y\", \"like\": \"libx264\", \"knob\": {\"name\": \"crf\", \"lowest\": "
             "5, \"highest\": 9, \"default\": 4, \"better\": \"low\"}}"),
         "more.json: y: \"default\" is not within the range"},
        {FILE_OF(
             "{\"name\": \"y\", \"like\": \"libx264\", \"knob\": {\"name\": \"crf\", \"lowest\": "
             "5, \"highest\": 9, \"default\": 6, \"better\": \"lower\"}}"),
         "more.json: y: \"better\" is neither \"low\" nor \"high\""},
        {FILE_OF(
             "{\"name\": \"y\", \"like\": \"libx264\", \"knob\": {\"name\": \"crf\", "
             "\"lowest\": 5, \"highest\": 9, \"default\": 6, \"better\": \"low\", \"steps\": 0}}"),
         "more.json: y: \"steps\" is not from 1 to 10"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EncoderTable more;
        Message message = {""};
        file_put_text("more.json", cases[i].text);
        assert_int_equal(encoder_table_open(&more, "more.json", &message), -EINVAL);
        assert_string_equal(message.text, cases[i].message);
        assert_int_equal(more.n, 0);
    }
    EncoderTable more;
    Message message;
    assert_int_equal(encoder_table_open(&more, "none.json", &message), -ENOENT);
    assert_string_equal(message.text, "none.json: No such file or directory");
}

CASES_SHARE(open_encoders, close_encoders);
