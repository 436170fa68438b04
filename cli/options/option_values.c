/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The arguments of options, and what they set in Options. */
#include "options_internal.h"

#include "media/video_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int option_invalid_argument(const OptionMatch *match, const char *expected, Message *why)
{
    char label[64];
    return message_set(why, -EINVAL, "Invalid argument \"%s\" for option %s; should be %s",
                       match->value, option_label(match->info, label, sizeof(label)), expected);
}

/* The whole text as a number in C notation: decimal, 0x..., leading-zero octal, with sign. */
static bool parse_number(const char *text, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 0);
    return end != text && !*end && !errno;
}

static int take_number(const OptionMatch *match, unsigned *value, Message *why)
{
    const unsigned max = match->info->number;
    long long number;
    if (!parse_number(match->value, &number))
        return option_invalid_argument(match, "an integer", why);
    if (number < 0)
        return option_invalid_argument(match, "a non-negative integer", why);
    if (number > max) {
        char expected[48];
        snprintf(expected, sizeof(expected), "an integer up to %u", max);
        return option_invalid_argument(match, expected, why);
    }
    *value = (unsigned)number;
    return 0;
}

static int take_mask(const OptionMatch *match, uint32_t *mask, Message *why)
{
    long long number;
    if (!parse_number(match->value, &number))
        return option_invalid_argument(match, "an integer", why);
    *mask = (uint32_t)number;
    return 0;
}

/* Rejects an argument that is none of the option's values: "a, b or c". */
static int reject_choice(const OptionMatch *match, Message *why)
{
    char expected[128];
    size_t used = 0;
    const char *const values = match->info->values, *bar;
    for (const char *word = values; word && used < sizeof(expected); word = bar ? bar + 1 : NULL) {
        bar = strchr(word, '|');
        used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s%.*s",
                                 word == values ? ""
                                 : bar          ? ", "
                                                : " or ",
                                 (int)strcspn(word, "|"), word);
    }
    return option_invalid_argument(match, expected, why);
}

static int take_choice(const OptionMatch *match, unsigned *choice, Message *why)
{
    const char *word = match->info->values;
    for (unsigned i = 0; *word; i++) {
        const size_t length = strcspn(word, "|");
        if (!strncmp(word, match->value, length) && !match->value[length]) {
            *choice = i;
            return 0;
        }
        word += length + (word[length] == '|');
    }
    return reject_choice(match, why);
}

static int take_bit_depth(Options *options, const OptionMatch *match, Message *why)
{
    long long number;
    if (!parse_number(match->value, &number) ||
        (number != 8 && number != 10 && number != 12 && number != 16))
        return option_invalid_argument(match, "a valid bitdepth (8/10/12/16)", why);
    options->bit_depth = (unsigned)number;
    return 0;
}

static int take_pixel_format(Options *options, const OptionMatch *match, Message *why)
{
    if (!strcmp(match->value, "420"))
        options->pixel_format = VMAF_PIX_FMT_YUV420P;
    else if (!strcmp(match->value, "422"))
        options->pixel_format = VMAF_PIX_FMT_YUV422P;
    else if (!strcmp(match->value, "444"))
        options->pixel_format = VMAF_PIX_FMT_YUV444P;
    else
        return option_invalid_argument(match, "a valid pixel format (420/422/444)", why);
    return 0;
}

static bool parse_shard(ShardOption *shard, const char *text)
{
    enum { MOST = 1000000 };
    const char *slash = strchr(text, '/');
    const size_t digits = strspn(text, "0123456789");
    const size_t more = slash ? strspn(slash + 1, "0123456789") : 0;
    if (!slash || !digits || text + digits != slash || !more || slash[1 + more])
        return false;
    const unsigned long index = strtoul(text, NULL, 10), count = strtoul(slash + 1, NULL, 10);
    if (count > MOST || index >= count)
        return false;
    *shard = (ShardOption){true, (unsigned)index, (unsigned)count};
    return true;
}

static int take_shard(Options *options, const OptionMatch *match, Message *why)
{
    if (parse_shard(&options->shard, match->value))
        return 0;
    return option_invalid_argument(match, "I/N, with I from 0 to N-1, and N up to 1000000", why);
}

/* -- models, features, reports -- */

int option_add_distorted(Options *options, const char *path, Message *why)
{
    if (options->n_distorted == MAX_DISTORTED)
        return message_set(why, -EINVAL, "at most %d distorted videos", MAX_DISTORTED);
    options->all_distorted[options->n_distorted++] = path;
    options->distorted = options->all_distorted[0];
    return 0;
}

int option_add_model(Options *options, const char *text, Message *why)
{
    if (options->n_models == MAX_MODELS)
        return message_set(why, -EINVAL, "at most %d models", MAX_MODELS);
    int err = model_spec_parse(&options->models[options->n_models], text, why);
    if (!err)
        options->n_models++;
    return err;
}

static int add_feature(Options *options, const char *text, Message *why)
{
    if (options->n_features == MAX_FEATURES)
        return message_set(why, -EINVAL, "at most %d features", MAX_FEATURES);
    int err = feature_spec_parse(&options->features[options->n_features], text, why);
    if (!err)
        options->n_features++;
    return err;
}

static int add_output(Options *options, const char *path, Message *why)
{
    if (options->n_outputs == MAX_OUTPUTS)
        return message_set(why, -EINVAL, "at most %d reports", MAX_OUTPUTS);
    /* A file of that name is written ./- */
    options->outputs[options->n_outputs++].path = strcmp(path, "-") ? path : "/dev/stdout";
    return 0;
}

static int take_pool(Options *options, const OptionMatch *match, Message *why)
{
    const int err = vmaf_report_statistics(NULL, match->value);
    options->statistics = match->value;
    if (err == -E2BIG)
        return option_invalid_argument(match, "a list of at most 32", why);
    if (err || !*match->value)
        return option_invalid_argument(match, "a list of p0 to p100, median and stddev", why);
    return 0;
}

static int take_precision(Options *options, const char *value, Message *why)
{
    if (!strcmp(value, "legacy")) {
        options->score_format[0] = '\0';
    } else if (!strcmp(value, "max") || !strcmp(value, "full")) {
        strcpy(options->score_format, "%.17g");
    } else {
        size_t digits = strspn(value, "0123456789");
        long number = digits && digits <= 2 && !value[digits] ? strtol(value, NULL, 10) : 0;
        if (number < 1 || number > 17) {
            return message_set(why, -EINVAL,
                               "--precision must be an integer 1..17, or one of: max, full, legacy "
                               "(got: %s)",
                               value);
        }
        snprintf(options->score_format, sizeof(options->score_format), "%%.%ldg", number);
    }
    return 0;
}

/* -- presets -- */

/* Common test conditions: models and features that one option stands for. */
typedef struct Preset {
    const char *version;
    const char *const *models; /* two */
    const char *const *features;
    unsigned n_features;
    const char *replacement; /* replaces the first feature of its name, or NULL */
    bool mixed_depths;       /* inputs may differ in bit depth: the lower one is raised */
} Preset;

static const char *const aom_models[] = {
    "version=vmaf_v0.6.1:name=vmaf",
    "version=vmaf_v0.6.1neg:name=vmaf_neg",
};

static const char *const aom_features[] = {
    "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5",
    "ciede",
    "float_ssim=enable_db=true:clip_db=true",
    "float_ms_ssim=enable_db=true:clip_db=true",
    "psnr_hvs",
    "cambi",
};
enum { WITH_CAMBI = sizeof(aom_features) / sizeof(aom_features[0]), NO_CAMBI = WITH_CAMBI - 1 };

/* The Alliance for Open Media. */
static const Preset aom_presets[] = {
    {"v1.0", aom_models, aom_features, NO_CAMBI, NULL, false},
    {"v2.0", aom_models, aom_features, NO_CAMBI, NULL, false},
    {"v3.0", aom_models, aom_features, WITH_CAMBI, NULL, false},
    {"v4.0", aom_models, aom_features, WITH_CAMBI, NULL, false},
    {"v5.0", aom_models, aom_features, WITH_CAMBI, NULL, false},
    {"v6.0", aom_models, aom_features, WITH_CAMBI, NULL, true},
    /* Full-resolution SSIM; the place of the entry decides the order of columns. */
    {"v7.0", aom_models, aom_features, WITH_CAMBI, "float_ssim=scale=1:enable_db=true:clip_db=true",
     true},
};

static const char *const nflx_models[] = {
    "version=vmaf_4k_v0.6.1:name=vmaf",
    "version=vmaf_4k_v0.6.1neg:name=vmaf_neg",
};

static const char *const nflx_features[] = {
    "psnr=enable_chroma=true:enable_apsnr=true",
    "float_ssim=enable_db=true:clip_db=true",
    "cambi",
};

/* Netflix. */
static const Preset nflx_presets[] = {{"v1.0", nflx_models, nflx_features, 3, NULL, false}};

/* NULL: there is no such version. */
static const Preset *find_preset(const Preset *presets, size_t count, const char *version)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(presets[i].version, version))
            return &presets[i];
    }
    return NULL;
}

/* A preset never adds columns beside those of a feature that was asked for before. */
static int add_preset_feature(Options *options, const char *text, Message *why)
{
    int err = add_feature(options, text, why);
    if (err)
        return err;
    FeatureSpec *added = &options->features[options->n_features - 1];
    for (unsigned i = 0; &options->features[i] < added; i++) {
        if (feature_spec_same_keys(&options->features[i], added)) {
            feature_spec_free(added);
            options->n_features--;
            break;
        }
    }
    return 0;
}

static int replace_feature(Options *options, const char *text, Message *why)
{
    FeatureSpec replacement;
    int err = feature_spec_parse(&replacement, text, why);
    if (err)
        return err;
    for (unsigned i = 0; i < options->n_features; i++) {
        if (!strcmp(options->features[i].name, replacement.name)) {
            feature_spec_free(&options->features[i]);
            options->features[i] = replacement;
            return 0;
        }
    }
    feature_spec_free(&replacement);
    return 0;
}

static int add_preset(Options *options, const Preset *preset, Message *why)
{
    int err = 0;
    for (unsigned i = 0; i < 2 && !err; i++)
        err = option_add_model(options, preset->models[i], why);
    for (unsigned i = 0; i < preset->n_features && !err; i++)
        err = add_preset_feature(options, preset->features[i], why);
    if (!err && preset->replacement)
        err = replace_feature(options, preset->replacement, why);
    options->mixed_depths |= preset->mixed_depths;
    return err;
}

static int take_aom_ctc(Options *options, const char *version, Message *why)
{
    const Preset *preset =
        find_preset(aom_presets, sizeof(aom_presets) / sizeof(aom_presets[0]), version);
    if (preset)
        return add_preset(options, preset, why);
    if (!strcmp(version, "proposed")) {
        return message_set(why, -EINVAL,
                           "--aom_ctc proposed is deprecated; use one of v1.0 to v7.0");
    }
    return message_set(why, -EINVAL, "--aom_ctc \"%s\" does not exist; use one of v1.0 to v7.0",
                       version);
}

static int take_nflx_ctc(Options *options, const char *version, Message *why)
{
    const Preset *preset = find_preset(nflx_presets, 1, version);
    if (preset)
        return add_preset(options, preset, why);
    return message_set(why, -EINVAL, "--nflx_ctc \"%s\" does not exist; use v1.0", version);
}

/* -- backends -- */

bool backend_word_names_device(const BackendWord *word)
{
    return word->device_given && word->device >= 0;
}

const BackendWord *backend_words_find(const BackendWords *words, const char *name)
{
    for (unsigned i = 0; i < words->count; i++) {
        if (!strcmp(words->words[i].name, name))
            return &words->words[i];
    }
    return NULL;
}

BackendWord *backend_words_get(BackendWords *words, const char *name, size_t length)
{
    char whole[BACKEND_NAME_SIZE];
    if (length >= sizeof(whole))
        return NULL;
    memcpy(whole, name, length);
    whole[length] = '\0';
    BackendWord *found = (BackendWord *)backend_words_find(words, whole);
    if (found)
        return found;
    if (words->count == MAX_BACKEND_WORDS)
        return NULL;
    found = &words->words[words->count++];
    *found = (BackendWord){.device = -1};
    strcpy(found->name, whole);
    return found;
}

static int take_backend(Options *options, const char *value, Message *why)
{
    if (strcmp(value, "auto") && strcmp(value, "cpu") && !backend_exists(value)) {
        char known[128], installed[256];
        return message_set(
            why, -EINVAL,
            "Unknown --backend value '%s' (expected: auto|cpu|%s); installed here: %s", value,
            backend_list_known(known, sizeof(known)),
            backend_list_installed(installed, sizeof(installed)));
    }
    options->backend = value;
    return 0;
}

static int take_no_backend(Options *options, const OptionMatch *match, Message *why)
{
    BackendWord *word =
        backend_words_get(&options->backends, match->backend, strlen(match->backend));
    if (!word)
        return message_set(why, -EINVAL, "too many backends");
    word->excluded = true;
    return 0;
}

static int take_device(Options *options, const OptionMatch *match, const char *backend,
                       size_t length, const char *text, Message *why)
{
    long long number = ALL_DEVICES;
    const bool all = !strcmp(text, "all");
    if (!all && !parse_number(text, &number))
        return option_invalid_argument(match, "an integer or \"all\"", why);
    if (!all && (number < -1 || number > INT_MAX))
        return option_invalid_argument(
            match, "a non-negative integer, -1 for any device, or \"all\"", why);
    BackendWord *word = backend_words_get(&options->backends, backend, length);
    if (!word)
        return message_set(why, -EINVAL, "too many backends");
    word->device_given = true;
    word->device = (int)number;
    return 0;
}

static int take_backend_device(Options *options, const OptionMatch *match, Message *why)
{
    const char *colon = strchr(match->value, ':');
    char name[BACKEND_NAME_SIZE];
    size_t length = colon ? (size_t)(colon - match->value) : 0;
    if (!colon || length >= sizeof(name))
        return option_invalid_argument(match, "NAME:N", why);
    memcpy(name, match->value, length);
    name[length] = '\0';
    if (!backend_exists(name)) {
        char known[128], expected[192];
        snprintf(expected, sizeof(expected), "NAME:N with NAME one of %s, or an installed backend",
                 backend_list_known(known, sizeof(known)));
        return option_invalid_argument(match, expected, why);
    }
    return take_device(options, match, name, length, colon + 1, why);
}

/* -- media files -- */

/* Decimal digits and nothing else, up to what a picture or a number of frames can be. */
static bool parse_unsigned(const char *text, size_t length, unsigned *number)
{
    enum { MOST_DIGITS = 9 };
    if (!length || length > MOST_DIGITS || strspn(text, "0123456789") < length)
        return false;
    *number = (unsigned)strtoul(text, NULL, 10);
    return true;
}

/* N numbers with separators between them. */
static bool parse_list(const char *text, const char *separators, unsigned n, unsigned number[])
{
    for (unsigned i = 0; i < n; i++) {
        const size_t length = strspn(text, "0123456789");
        const char separator = i + 1 < n ? separators[i] : '\0';
        if (!parse_unsigned(text, length, &number[i]) || text[length] != separator)
            return false;
        text += length + 1;
    }
    return true;
}

static bool take_scale(InputOptions *options, const char *value)
{
    unsigned size[2];
    options->match.never_scale = !strcmp(value, "none");
    options->scales_to_model = !strcmp(value, "model");
    if (options->match.never_scale)
        return true;
    options->is_media = true;
    if (options->scales_to_model)
        return true;
    if (!parse_list(value, "x", 2, size) || !size[0] || !size[1] || size[0] > VIDEO_MAX_SIDE ||
        size[1] > VIDEO_MAX_SIDE)
        return false;
    options->match.width = size[0];
    options->match.height = size[1];
    return true;
}

static bool parse_crop(const char *value, MediaCrop *crop)
{
    unsigned number[4];
    if (!parse_list(value, ":::", 4, number) || !number[0] || !number[1])
        return false;
    *crop = (MediaCrop){number[0], number[1], number[2], number[3]};
    return true;
}

static bool take_crop_reference(InputOptions *options, const char *value)
{
    options->is_media = true;
    return parse_crop(value, &options->match.crop_reference);
}

static bool take_crop_distorted(InputOptions *options, const char *value)
{
    options->is_media = true;
    return parse_crop(value, &options->match.crop_distorted);
}

static bool take_hwaccel(InputOptions *options, const char *value)
{
    const bool is_none = !strcmp(value, "none");
    options->hwaccel = is_none ? NULL : media_decoder_name(value);
    return is_none || options->hwaccel;
}

/* Seconds, "12.5" or "12.5s", or minutes and hours before them: "0:01:02.5". */
static bool parse_seconds(const char *text, double *seconds)
{
    double sum = 0;
    for (unsigned parts = 0; parts < 3; parts++) {
        const size_t whole = strspn(text, "0123456789");
        size_t length = whole;
        if (text[length] == '.')
            length += 1 + strspn(text + length + 1, "0123456789");
        if (!whole || whole > 9 || length > 24)
            return false;
        sum = 60 * sum + strtod(text, NULL);
        const char *end = text + length;
        if (!*end || !strcmp(end, "s")) {
            *seconds = sum;
            return true;
        }
        if (*end != ':' || length != whole)
            return false;
        text = end + 1;
    }
    return false;
}

static bool take_start(InputOptions *options, const char *value)
{
    StartOption *start = &options->start;
    *start = (StartOption){.is_given = true};
    if (parse_unsigned(value, strlen(value), &start->frame))
        return true;
    start->is_time = options->is_media = true;
    return parse_seconds(value, &start->seconds);
}

static bool take_duration(InputOptions *options, const char *value)
{
    options->is_media = true;
    return parse_seconds(value, &options->duration) && options->duration > 0;
}

static bool take_sync(InputOptions *options, const char *value)
{
    options->pairs_by_time = !strcmp(value, "time");
    options->is_media |= options->pairs_by_time;
    return options->pairs_by_time || !strcmp(value, "frame");
}

static bool take_errors(InputOptions *options, const char *value)
{
    options->ignores_errors = !strcmp(value, "ignore");
    return options->ignores_errors || !strcmp(value, "stop");
}

static int take_input(Options *options, const OptionMatch *match, Message *why)
{
    static const struct {
        const char *name, *expected; /* NULL: one of the values */
        bool (*take)(InputOptions *options, const char *value);
    } known[] = {
        {"scale", "WxH, model or none", take_scale},
        {"crop-ref", "W:H:X:Y", take_crop_reference},
        {"crop-dist", "W:H:X:Y", take_crop_distorted},
        {"hwaccel", NULL, take_hwaccel},
        {"start", "a frame (250), or a time (10s, 12.5, 0:01:02)", take_start},
        {"duration", "a time above 0 (10, 12.5s, 0:01:02)", take_duration},
        {"sync", NULL, take_sync},
        {"errors", NULL, take_errors},
    };
    unsigned i = 0;
    while (strcmp(known[i].name, match->info->name) != 0)
        i++;
    if (known[i].take(&options->input, match->value))
        return 0;
    return known[i].expected ? option_invalid_argument(match, known[i].expected, why)
                             : reject_choice(match, why);
}

int input_options_stream(const InputOptions *options, bool is_distorted)
{
    const bool is_own =
        is_distorted ? options->distorted_stream_given : options->reference_stream_given;
    if (is_own)
        return (int)(is_distorted ? options->distorted_stream : options->reference_stream);
    return options->stream_given ? (int)options->stream : -1;
}

/* -- any of them -- */

static int take_special(Options *options, const OptionMatch *match, Message *why)
{
    switch (match->info->kind) {
    case OPTION_INPUT:
        return take_input(options, match, why);
    case OPTION_DISTORTED:
        return option_add_distorted(options, match->value, why);
    case OPTION_PIXEL_FORMAT:
        return take_pixel_format(options, match, why);
    case OPTION_BIT_DEPTH:
        return take_bit_depth(options, match, why);
    case OPTION_MODEL:
        return option_add_model(options, match->value, why);
    case OPTION_FEATURE:
        return add_feature(options, match->value, why);
    case OPTION_AOM_CTC:
        return take_aom_ctc(options, match->value, why);
    case OPTION_NFLX_CTC:
        return take_nflx_ctc(options, match->value, why);
    case OPTION_OUTPUT:
        return add_output(options, match->value, why);
    case OPTION_POOL:
        return take_pool(options, match, why);
    case OPTION_PRECISION:
        return take_precision(options, match->value, why);
    case OPTION_REQUIRE:
        return gates_parse(&options->gates, match->value, why);
    case OPTION_SHARD:
        return take_shard(options, match, why);
    case OPTION_BACKEND:
        return take_backend(options, match->value, why);
    case OPTION_BACKEND_DEVICE:
        return take_backend_device(options, match, why);
    case OPTION_NO_BACKEND:
        return take_no_backend(options, match, why);
    case OPTION_X_DEVICE:
        return take_device(options, match, match->backend, strlen(match->backend), match->value,
                           why);
    case OPTION_CAPABILITIES:
        options->task = TASK_CAPABILITIES;
        options->capabilities = match->value;
        return 0;
    default:
        return 0;
    }
}

int option_take(Options *options, const OptionMatch *match, Message *why)
{
    const OptionInfo *info = match->info;
    void *target = (char *)options + info->target;
    if (info->given)
        *(bool *)((char *)options + info->given) = true;
    switch (info->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)target = match->value;
        return 0;
    case OPTION_NUMBER:
        return take_number(match, target, why);
    case OPTION_MASK:
        return take_mask(match, target, why);
    case OPTION_CHOICE:
        return take_choice(match, target, why);
    case OPTION_CONSTANT:
        memcpy(target, &info->number, sizeof(info->number));
        return 0;
    default:
        return take_special(options, match, why);
    }
}
