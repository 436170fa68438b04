/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the command line means: options, model and feature strings, presets, suggestions. */
#include "common/messages.h"
#include "options/options.h"

#include "libvmaf/libvmaf_ext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cases.h"

enum { MAX_ARGUMENTS = 160 };

/* Of the last command line. */
static Options options;

/* Parses "-r a -d b" and the given arguments; messages go nowhere. Returns what parsing returns. */
static bool parse(int *status, const char *const extra[])
{
    static const char *argv[MAX_ARGUMENTS];
    int argc = 0;
    argv[argc++] = "vmaf";
    for (int i = 0; extra[i]; i++)
        argv[argc++] = extra[i];
    argv[argc++] = "-ra";
    argv[argc++] = "--distorted=b";
    argv[argc] = NULL;

    command_line_free(&options);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    FILE *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    dup2(fileno(nowhere), STDERR_FILENO);
    *status = -1;
    bool go_on = command_line_parse(&options, argc, (char **)(uintptr_t)argv, status);
    dup2(saved, STDERR_FILENO);
    close(saved);
    fclose(nowhere);
    return go_on;
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void accept(const char *const arguments[])
{
    int status;
    if (!parse(&status, arguments))
        fail_msg("%s ... was refused", arguments[0]);
}

static void reason_set(const char *const arguments[])
{
    int status;
    if (parse(&status, arguments))
        fail_msg("%s ... was accepted", arguments[0]);
    assert_int_equal(status, 1);
}

CASE(given_every_spelling_of_an_option_then_it_is_understood)
{
    accept(ARGUMENTS("-o", "x", "--json", "--width=64", "-h48", "-p", "422", "-b", "10"));
    assert_string_equal(options.reference, "a");
    assert_string_equal(options.distorted, "b");
    assert_string_equal(options.outputs[0].path, "x");
    assert_int_equal(options.outputs[0].format, VMAF_OUTPUT_FORMAT_JSON);
    assert_true(options.raw);
    assert_int_equal(options.width, 64);
    assert_int_equal(options.height, 48);
    assert_int_equal(options.pixel_format, VMAF_PIX_FMT_YUV422P);
    assert_int_equal(options.bit_depth, 10);

    accept(ARGUMENTS("-qnoname"));
    assert_true(options.quiet && options.no_prediction);
    assert_string_equal(options.outputs[0].path, "name");

    accept(ARGUMENTS("-c", "anything"));
}

CASE(given_beginnings_of_names_then_those_of_libvmaf_win)
{
    accept(ARGUMENTS("--no", "--feat", "psnr", "--thr", "2"));
    assert_true(options.no_prediction);
    assert_int_equal(options.n_features, 1);
    assert_int_equal(options.threads, 2);
    reason_set(ARGUMENTS("--c"));            /* csv, cpumask */
    reason_set(ARGUMENTS("--frame_s", "1")); /* frame_skip_ref, frame_skip_dist */
}

CASE(given_two_formats_then_the_last_one_wins)
{
    accept(ARGUMENTS("--json", "--csv"));
    assert_int_equal(options.format, VMAF_OUTPUT_FORMAT_CSV);
    accept(ARGUMENTS("-q"));
    assert_int_equal(options.format, VMAF_OUTPUT_FORMAT_XML);
}

/* The formats of outputs `first` and `second`, with an option before them. */
static void expect_formats(const char *option, const char *first, const char *second, unsigned a,
                           unsigned b)
{
    accept(ARGUMENTS(option, "-o", first, "-o", second));
    assert_int_equal(options.n_outputs, 2);
    assert_string_equal(options.outputs[0].path, first);
    assert_string_equal(options.outputs[1].path, second);
    assert_int_equal(options.outputs[0].format, a);
    assert_int_equal(options.outputs[1].format, b);
}

CASE(given_several_outputs_then_each_follows_its_name)
{
    enum { XML = VMAF_OUTPUT_FORMAT_XML, JSON = VMAF_OUTPUT_FORMAT_JSON };
    enum { CSV = VMAF_OUTPUT_FORMAT_CSV, SUB = VMAF_OUTPUT_FORMAT_SUB };
    expect_formats("-q", "a.xml", "a.json", XML, JSON);
    expect_formats("-q", "a.CSV", "./a.b.sub", CSV, SUB);
    expect_formats("-q", "a", "a.txt", XML, XML);
    expect_formats("--json", "a.csv", "a", CSV, JSON);
    expect_formats("--csv", "a.json", "/dev/stdout", JSON, CSV);
    accept(ARGUMENTS("--csv", "-o", "a.json"));
    assert_int_equal(options.outputs[0].format, CSV);
}

CASE(given_outputs_of_one_name_or_too_many_then_a_refusal)
{
    reason_set(ARGUMENTS("-o", "a.json", "-o", "a.json"));
    reason_set(ARGUMENTS("-o", "-", "-o", "-"));
    reason_set(ARGUMENTS("-o", "-", "-o", "/dev/stdout"));
    const char *names[] = {"0", "1",  "2",  "3",  "4",  "5",  "6",  "7", "8",
                           "9", "10", "11", "12", "13", "14", "15", "16"};
    const char *arguments[2 * 17 + 1] = {NULL};
    for (int i = 0; i < 16; i++) {
        arguments[2 * i] = "-o";
        arguments[2 * i + 1] = names[i];
    }
    accept(arguments);
    assert_int_equal(options.n_outputs, 16);
    arguments[32] = "-o";
    arguments[33] = names[16];
    reason_set(arguments);
}

CASE(given_numbers_in_c_notation_then_they_are_read_whole)
{
    accept(ARGUMENTS("--threads", "0x10", "--subsample", "010", "--cpumask", "63"));
    assert_int_equal(options.threads, 16);
    assert_int_equal(options.subsample, 8);
    assert_int_equal(options.cpumask, 63);
    reason_set(ARGUMENTS("--threads", "x"));
    reason_set(ARGUMENTS("--threads", ""));
    reason_set(ARGUMENTS("--threads", "4x"));
    reason_set(ARGUMENTS("--threads", "-1"));
    reason_set(ARGUMENTS("--subsample", "4294967296"));
    reason_set(ARGUMENTS("--frame_cnt", "99999999999999999999"));
}

CASE(given_a_mask_of_minus_one_then_all_bits_are_set)
{
    accept(ARGUMENTS("--gpumask", "-1"));
    assert_true(options.gpumask == UINT32_MAX);
}

CASE(given_no_model_then_the_default_unless_prediction_is_off)
{
    accept(ARGUMENTS("-q"));
    assert_int_equal(options.n_models, 1);
    assert_string_equal(options.models[0].version, "vmaf_v0.6.1");
    assert_string_equal(options.models[0].name, "vmaf");
    accept(ARGUMENTS("-n"));
    assert_int_equal(options.n_models, 0);
}

CASE(given_a_model_string_then_all_items_are_found_in_any_order)
{
    accept(ARGUMENTS("-m", "disable_clip:name=one::adm.adm_enhn_gain_limit=1.1:version=v:name=two:"
                           "enable_transform=no:vif.debug=a=b"));
    const ModelSpec *model = &options.models[0];
    assert_string_equal(model->version, "v");
    assert_null(model->path);
    assert_string_equal(model->name, "two");
    assert_int_equal(model->flags, VMAF_MODEL_FLAG_DISABLE_CLIP);
    assert_int_equal(model->n_overloads, 2);
    assert_string_equal(model->overloads[0].extractor, "adm");
    assert_string_equal(model->overloads[0].option, "adm_enhn_gain_limit");
    assert_string_equal(model->overloads[0].value, "1.1");
    assert_string_equal(model->overloads[1].value, "a=b");

    accept(ARGUMENTS("-m", "version=v:enable_transform=true"));
    assert_int_equal(options.models[0].flags, VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
}

CASE(given_a_bad_model_string_then_it_is_refused)
{
    reason_set(ARGUMENTS("-m", "nosuch"));
    reason_set(ARGUMENTS("-m", "nosuch=1:version=vmaf_v0.6.1"));
    reason_set(ARGUMENTS("-m", "name=only"));
    reason_set(ARGUMENTS("-m", ""));
    reason_set(ARGUMENTS("-m", "version=a:adm.no_such=1"));
    reason_set(ARGUMENTS("-m", "version=a:amd.adm_min_val=1"));
    reason_set(ARGUMENTS("-m", "version=a", "-m", "version=b"));
    reason_set(ARGUMENTS("-m", "version=a:path=b"));
    reason_set(ARGUMENTS("-m", "path=b:version=a"));
}

CASE(given_a_feature_string_then_name_and_options_are_found)
{
    accept(ARGUMENTS("-n", "--feature", "psnr=enable_chroma=false::enable_mse=true"));
    const FeatureSpec *feature = &options.features[0];
    assert_string_equal(feature->name, "psnr");
    assert_int_equal(feature->n_options, 2);
    assert_string_equal(feature->options[1].name, "enable_mse");
    assert_string_equal(feature->options[1].value, "true");
    reason_set(ARGUMENTS("--feature", "adm=debug"));
    reason_set(ARGUMENTS("--feature", "adm=no_such=1"));
    reason_set(ARGUMENTS("--feature", "adm=egl=1")); /* the short name is not an option */
    reason_set(ARGUMENTS("--feature", ""));
}

CASE(given_more_than_32_then_models_features_and_overloads_are_refused)
{
    static char names[33][40];
    const char *models[67] = {0}, *features[67] = {0};
    for (int i = 0; i < 33; i++) {
        snprintf(names[i], sizeof(names[i]), "version=vmaf_v0.6.1:name=m%d", i);
        models[2 * i] = "-m";
        models[2 * i + 1] = names[i];
        features[2 * i] = "--feature";
        features[2 * i + 1] = "psnr";
    }
    reason_set(models);
    reason_set(features);
    models[64] = features[64] = NULL; /* 32 of each */
    accept(models);
    assert_int_equal(options.n_models, 32);
    accept(features);
    assert_int_equal(options.n_features, 32);

    char text[2048] = "version=a";
    for (int i = 0; i < 32; i++)
        strcat(text, ":adm.adm_min_val=0.5");
    accept(ARGUMENTS("-m", text));
    strcat(text, ":adm.adm_min_val=0.5");
    reason_set(ARGUMENTS("-m", text));
}

static void expect_features(const char *const names[])
{
    unsigned count = 0;
    for (; names[count]; count++) {
        assert_true(count < options.n_features);
        assert_string_equal(options.features[count].name, names[count]);
    }
    assert_int_equal(options.n_features, count);
}

CASE(given_an_aom_preset_then_its_models_and_features_in_order)
{
    accept(ARGUMENTS("--aom_ctc", "v1.0"));
    assert_int_equal(options.n_models, 2);
    assert_string_equal(options.models[0].version, "vmaf_v0.6.1");
    assert_string_equal(options.models[0].name, "vmaf");
    assert_string_equal(options.models[1].version, "vmaf_v0.6.1neg");
    assert_string_equal(options.models[1].name, "vmaf_neg");
    expect_features(ARGUMENTS("psnr", "ciede", "float_ssim", "float_ms_ssim", "psnr_hvs"));
    assert_int_equal(options.features[0].n_options, 3);
    assert_string_equal(options.features[0].options[2].value, "0.5");
    assert_false(options.mixed_depths);

    for (int version = 3; version <= 7; version++) {
        char text[8];
        snprintf(text, sizeof(text), "v%d.0", version);
        accept(ARGUMENTS("--aom_ctc", text));
        expect_features(
            ARGUMENTS("psnr", "ciede", "float_ssim", "float_ms_ssim", "psnr_hvs", "cambi"));
        assert_int_equal(options.mixed_depths, version >= 6);
        const FeatureSpec *ssim = &options.features[2];
        assert_int_equal(ssim->n_options, version == 7 ? 3 : 2);
        assert_string_equal(ssim->options[0].name, version == 7 ? "scale" : "enable_db");
    }
}

CASE(given_an_own_float_ssim_before_v7_then_that_one_is_replaced)
{
    accept(ARGUMENTS("--feature", "float_ssim", "--aom_ctc", "v7.0"));
    assert_string_equal(options.features[0].options[0].name, "scale");
    assert_int_equal(options.features[0].n_options, 3);
    for (unsigned i = 1; i < options.n_features; i++)
        assert_string_not_equal(options.features[i].name, "float_ssim");
}

CASE(given_a_feature_and_a_preset_with_it_then_the_preset_adds_none)
{
    accept(ARGUMENTS("--feature", "psnr=enable_mse=true", "--nflx_ctc", "v1.0"));
    assert_int_equal(options.n_features, 3);
    assert_string_equal(options.features[0].name, "psnr");
    assert_string_equal(options.features[0].options[0].name, "enable_mse");
    assert_string_equal(options.features[1].name, "float_ssim");

    /* One that its keys tell apart is another feature. */
    accept(ARGUMENTS("--feature", "cambi=topk=0.5", "--nflx_ctc", "v1.0"));
    assert_int_equal(options.n_features, 4);
}

CASE(given_a_model_name_that_would_break_reports_then_refused)
{
    reason_set(ARGUMENTS("-m", "version=vmaf_v0.6.1:name=a\"b"));
    reason_set(ARGUMENTS("-m", "version=vmaf_v0.6.1:name=a<b"));
    reason_set(ARGUMENTS("-m", "version=vmaf_v0.6.1:name=a\nb"));
    reason_set(ARGUMENTS("-m", "version=vmaf_v0.6.1:name="));
    accept(ARGUMENTS("-m", "version=vmaf_v0.6.1:name=phone \xc3\xa4 (1)"));
}

CASE(given_the_netflix_preset_then_4k_models)
{
    accept(ARGUMENTS("--nflx_ctc", "v1.0"));
    assert_string_equal(options.models[0].version, "vmaf_4k_v0.6.1");
    assert_string_equal(options.models[1].version, "vmaf_4k_v0.6.1neg");
    expect_features(ARGUMENTS("psnr", "float_ssim", "cambi"));
}

CASE(given_a_preset_and_an_unnamed_model_then_names_clash)
{
    reason_set(ARGUMENTS("--aom_ctc", "v1.0", "-m", "version=vmaf_v0.6.1"));
    reason_set(ARGUMENTS("--aom_ctc", "v1.0", "--nflx_ctc", "v1.0"));
    reason_set(ARGUMENTS("--aom_ctc", "v8.0"));
    reason_set(ARGUMENTS("--aom_ctc", "proposed"));
    reason_set(ARGUMENTS("--nflx_ctc", "v2.0"));
}

CASE(given_a_precision_then_a_format)
{
    accept(ARGUMENTS("--precision", "legacy"));
    assert_string_equal(options.score_format, "");
    accept(ARGUMENTS("--precision", "max"));
    assert_string_equal(options.score_format, "%.17g");
    accept(ARGUMENTS("--precision", "full"));
    assert_string_equal(options.score_format, "%.17g");
    accept(ARGUMENTS("--precision", "17"));
    assert_string_equal(options.score_format, "%.17g");
    accept(ARGUMENTS("--precision", "3"));
    assert_string_equal(options.score_format, "%.3g");
    reason_set(ARGUMENTS("--precision", "0"));
    reason_set(ARGUMENTS("--precision", "18"));
    reason_set(ARGUMENTS("--precision", "-3"));
    reason_set(ARGUMENTS("--precision", "3.5"));
    reason_set(ARGUMENTS("--precision", ""));
}

CASE(given_backend_options_then_names_and_devices_are_checked)
{
    accept(ARGUMENTS("--backend", "cuda", "--backend", "auto", "--vulkan_device", "-1",
                     "--backend-device", "hip:2", "--no_sycl"));
    assert_string_equal(options.backend, "auto");
    const BackendWord *vulkan = backend_words_find(&options.backends, "vulkan");
    assert_true(vulkan->device_given);
    assert_int_equal(vulkan->device, -1);
    const BackendWord *hip = backend_words_find(&options.backends, "hip");
    assert_true(hip->device_given);
    assert_int_equal(hip->device, 2);
    assert_false(hip->excluded);
    assert_true(backend_words_find(&options.backends, "sycl")->excluded);
    assert_null(backend_words_find(&options.backends, "cuda"));
    accept(ARGUMENTS("--backend", "cuda", "--backend-device", "cuda:all", "--hip_device", "all"));
    assert_int_equal(backend_words_find(&options.backends, "cuda")->device, ALL_DEVICES);
    assert_int_equal(backend_words_find(&options.backends, "hip")->device, ALL_DEVICES);
    assert_false(backend_word_names_device(backend_words_find(&options.backends, "cuda")));
    reason_set(ARGUMENTS("--cuda_device", "alle"));
    reason_set(ARGUMENTS("--backend", "nosuch"));
    reason_set(ARGUMENTS("--backend", "cuda", "--no_cuda"));
    reason_set(ARGUMENTS("--cuda_device", "x"));
    reason_set(ARGUMENTS("--cuda_device", "-2"));
    reason_set(ARGUMENTS("--backend-device", "cuda"));
    reason_set(ARGUMENTS("--backend-device", "cuda:"));
    reason_set(ARGUMENTS("--backend-device", "cpu:0"));
    accept(ARGUMENTS("--backend", "cuda", "--no_vulkan"));
}

CASE(given_two_texts_then_the_distance_counts_single_slips)
{
    assert_int_equal(edit_distance("threads", "threads"), 0);
    assert_int_equal(edit_distance("treads", "threads"), 1);
    assert_int_equal(edit_distance("thraeds", "threads"), 1);
    assert_int_equal(edit_distance("", "xml"), 3);
    assert_int_equal(edit_distance("kitten", "sitting"), 3);
}

CASE(given_a_far_name_then_nothing_is_suggested)
{
    Suggestion far = {.wanted = "colour"};
    suggestion_offer(&far, "threads");
    assert_null(suggestion_result(&far));
    Suggestion near = {.wanted = "outptu"};
    suggestion_offer(&near, "threads");
    suggestion_offer(&near, "output");
    assert_string_equal(suggestion_result(&near), "output");
    /* A third of the letters, no more. */
    Suggestion third = {.wanted = "abcdef"}, more = {.wanted = "abcdef"};
    suggestion_offer(&third, "abcdxy");
    assert_string_equal(suggestion_result(&third), "abcdxy");
    suggestion_offer(&more, "abcxyz");
    assert_null(suggestion_result(&more));
}

/* What a text becomes as a line for people. */
static void expect_line(const char *text, const char *expected)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    assert_non_null(out);
    print_line(out, "%s", text);
    assert_int_equal(fclose(out), 0);
    assert_true(size > 0 && line[size - 1] == '\n');
    line[size - 1] = '\0';
    assert_string_equal(line, expected);
    free(line);
}

CASE(given_any_text_then_the_line_is_readable)
{
    expect_line("", "");
    expect_line("a b~\\", "a b~\\");
    expect_line("\x01\n\t\x1f\x7f", "\\x01\\x0a\\x09\\x1f\\x7f");
    /* Printable: U+00A0, U+2027, U+202F, U+2065, U+206A, U+20AC, U+D7FF, U+10FFFF */
    static const char *const printable[] = {
        "\xc2\xa0",     "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5",
        "\xe2\x81\xaa", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf",
    };
    for (size_t i = 0; i < sizeof(printable) / sizeof(printable[0]); i++)
        expect_line(printable[i], printable[i]);
    /* Not: U+0080, U+009F, U+2028, U+202E, U+2066, U+2069, and no UTF-8: overlong, a surrogate,
     * beyond Unicode, cut off */
    static const char *const other[][2] = {
        {"\xc2\x80", "\\xc2\\x80"},
        {"\xc2\x9f", "\\xc2\\x9f"},
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
        {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
        {"\xe2\x81\xa9", "\\xe2\\x81\\xa9"},
        {"\xc1\xbf", "\\xc1\\xbf"},
        {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
        {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        {"\xe2\x82", "\\xe2\\x82"},
        {"a\xff", "a\\xff"},
    };
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
        expect_line(other[i][0], other[i][1]);

    /* Around the sizes of the buffers. */
    char text[3000], expected[4 * 3000 + 1];
    for (size_t length = 1020; length <= 1030; length++) {
        memset(text, 'x', length);
        text[length] = '\0';
        expect_line(text, text);
        memset(text, '\x1b', length);
        for (size_t i = 0; i < length; i++)
            memcpy(expected + 4 * i, "\\x1b", 5);
        expect_line(text, expected);
    }
}

CASE(given_any_known_backend_then_it_has_its_options)
{
    const char *name, *title = NULL;
    unsigned n = 0;
    for (; (name = vmaf_backend_known(n, &title)); n++) {
        assert_int_equal(strlen(title), strlen(name));
        char excluded[32], device[32];
        snprintf(excluded, sizeof(excluded), "--no_%s", name);
        snprintf(device, sizeof(device), "--%s_device=%u", name, n);
        accept(ARGUMENTS(excluded));
        assert_true(backend_words_find(&options.backends, name)->excluded);
        accept(ARGUMENTS(device));
        assert_int_equal(backend_words_find(&options.backends, name)->device, n);
    }
    assert_int_equal(n, 5);
    assert_ptr_equal(vmaf_backend_known(0, NULL), vmaf_backend_known(0, &title));
    title = "untouched";
    assert_null(vmaf_backend_known(n, &title));
    assert_string_equal(title, "untouched");
}

int main(int argc, char **argv)
{
    const int failed = run_cases(argc, argv);
    command_line_free(&options);
    return failed;
}
