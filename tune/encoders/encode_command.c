/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "platform/path.h"
#include "tune/encoders/arguments.h"
#include "tune/encoders/encode_request.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Colours of HDR, as arguments of encoders say them ---- */

typedef struct HdrTexts {
    char mastering_integers[160], mastering_decimals[320], light[32];
} HdrTexts;

/* Units of the message of ST 2086 in HEVC (ITU-T H.265, D.3.28). */
static const double chromaticity_units = 50000, luminance_units = 10000;

static void print_integers(const MasteringDisplay *display, char *text, size_t size)
{
    const double *const points[] = {display->green, display->blue, display->red, display->white};
    long xy[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            xy[i][j] = lround(points[i][j] * chromaticity_units);
    snprintf(text, size, "G(%ld,%ld)B(%ld,%ld)R(%ld,%ld)WP(%ld,%ld)L(%ld,%ld)", xy[0][0], xy[0][1],
             xy[1][0], xy[1][1], xy[2][0], xy[2][1], xy[3][0], xy[3][1],
             lround(display->highest * luminance_units), lround(display->lowest * luminance_units));
}

/* "12.3456", or less of it; with a point in every locale. */
static void print_decimal(double value, int digits, char *text, size_t size)
{
    long long units = 1;
    for (int i = 0; i < digits; i++)
        units *= 10;
    const long long whole = llround(value * (double)units);
    snprintf(text, size, "%lld.%0*lld", whole / units, digits, whole % units);
}

static void print_decimals(const MasteringDisplay *display, char *text, size_t size)
{
    const double *const points[] = {display->green, display->blue, display->red, display->white};
    char xy[4][2][24], highest[24], lowest[24];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            print_decimal(points[i][j], 5, xy[i][j], sizeof(xy[i][j]));
    print_decimal(display->highest, 4, highest, sizeof(highest));
    print_decimal(display->lowest, 4, lowest, sizeof(lowest));
    snprintf(text, size, "G(%s,%s)B(%s,%s)R(%s,%s)WP(%s,%s)L(%s,%s)", xy[0][0], xy[0][1], xy[1][0],
             xy[1][1], xy[2][0], xy[2][1], xy[3][0], xy[3][1], highest, lowest);
}

/* Numbers are those of ITU-T H.273. */
static void hdr_values(const HdrTags *tags, HdrTexts *texts, TemplateValues *values)
{
    const bool pq = tags->transfer == HDR_PQ;
    values->of[PLACE_TRANSFER] = pq ? "smpte2084" : "arib-std-b67";
    values->of[PLACE_TRANSFER_NUMBER] = pq ? "16" : "18";
    values->of[PLACE_MATRIX] = tags->constant_luminance ? "bt2020c" : "bt2020nc";
    values->of[PLACE_MATRIX_NUMBER] = tags->constant_luminance ? "10" : "9";
    values->of[PLACE_RANGE] = tags->full_range ? "pc" : "tv";
    values->of[PLACE_RANGE_WORD] = tags->full_range ? "full" : "limited";
    values->of[PLACE_RANGE_NUMBER] = tags->full_range ? "1" : "0";
    if (tags->mastering.known) {
        print_integers(&tags->mastering, texts->mastering_integers,
                       sizeof(texts->mastering_integers));
        print_decimals(&tags->mastering, texts->mastering_decimals,
                       sizeof(texts->mastering_decimals));
        values->of[PLACE_MASTERING_INTEGERS] = texts->mastering_integers;
        values->of[PLACE_MASTERING_DECIMALS] = texts->mastering_decimals;
    }
    if (tags->light.known) {
        snprintf(texts->light, sizeof(texts->light), "%d,%d", tags->light.maximum,
                 tags->light.frame_average);
        values->of[PLACE_LIGHT] = texts->light;
    }
}

/* ---- Frames without a header ---- */

/* Samples of a frame as multiples of a quarter of its luma, if width and height are even. */
typedef struct RawLayout {
    const char *name;       /* without the depth */
    int chroma_x, chroma_y; /* luma samples for each of chroma; 0: no chroma */
} RawLayout;

static const RawLayout layouts[] = {
    {"yuv420p", 2, 2}, {"yuv422p", 2, 1}, {"yuv444p", 1, 1},
    {"nv12", 2, 2},    {"p010le", 2, 2},  {"gray", 0, 0},
};

/* Bytes of a sample by what follows the name of a layout; 0: not known. */
static int sample_bytes(const RawLayout *layout, const char *depth)
{
    static const char *const wide[] = {"9le", "10le", "12le", "14le", "16le"};
    if (!*depth)
        return strcmp(layout->name, "p010le") ? 1 : 2;
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
        if (!strcmp(depth, wide[i]))
            return 2;
    return 0;
}

int64_t raw_frame_bytes(const char *pixel_format, int width, int height)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        const RawLayout *layout = &layouts[i];
        const size_t length = strlen(layout->name);
        const int bytes = strncmp(pixel_format, layout->name, length)
                              ? 0
                              : sample_bytes(layout, pixel_format + length);
        if (bytes == 0)
            continue;
        int64_t samples = (int64_t)width * height;
        if (layout->chroma_x > 0)
            samples += 2 * (int64_t)((width + layout->chroma_x - 1) / layout->chroma_x) *
                       ((height + layout->chroma_y - 1) / layout->chroma_y);
        return samples * bytes;
    }
    return 0;
}

/* ---- What cannot be done ---- */

static int check_source(const EncodeSource *source, Message *message)
{
    if (source->rate.numerator <= 0 || source->rate.denominator <= 0)
        return message_set(message, -EINVAL, "%s: the frame rate is not known", source->path);
    if (source->is_raw && (source->width <= 0 || source->height <= 0 || !source->pixel_format))
        return message_set(message, -EINVAL,
                           "%s: frames without a header need a width, a height and a pixel format",
                           source->path);
    return 0;
}

static int check_windows(const EncodeRequest *request, Message *message)
{
    size_t end = 0;
    for (size_t i = 0; i < request->n_windows; i++) {
        const SampleWindow *window = &request->windows[i];
        if (window->frames == 0 || window->first < end)
            return message_set(message, -EINVAL, "sample windows are empty or overlap");
        end = window->first + window->frames;
    }
    if (request->n_windows > 0 && request->streams == ENCODE_WITH_ALL_STREAMS)
        return message_set(message, -EINVAL,
                           "audio and subtitles can only be kept with the whole video");
    return 0;
}

static int check_size(const EncodeRequest *request, Message *message)
{
    if ((request->width > 0) != (request->height > 0) || request->width < 0)
        return message_set(message, -EINVAL, "%dx%d is no size to scale to", request->width,
                           request->height);
    return 0;
}

/* Options that would break what is promised of the encode. */
static int check_extra(const EncodeRequest *request, Message *message)
{
    static const char *const ours[] = {
        "-i",        "-ss",       "-t",        "-to",    "-r",
        "-f",        "-vf",       "-filter:v", "-lavfi", "-filter_complex",
        "-map",      "-frames:v", "-vframes",  "-pass",  "-passlogfile",
        "-progress", "-c:v",      "-vcodec",   "-y",     "-n"};
    if (request->n_extra > 0 && request->extra[0][0] != '-')
        return message_set(message, -EINVAL, "extra argument '%s' would be an output file",
                           request->extra[0]);
    for (size_t i = 0; i < request->n_extra; i++)
        for (size_t j = 0; j < sizeof(ours) / sizeof(ours[0]); j++)
            if (!strcmp(request->extra[i], ours[j]))
                return message_set(message, -EINVAL,
                                   "extra argument '%s' cannot be used: it is set by the encode "
                                   "itself",
                                   ours[j]);
    return 0;
}

bool encode_option_is_ours(const char *name)
{
    static const char *const ours[] = {"i",
                                       "ss",
                                       "sseof",
                                       "t",
                                       "to",
                                       "r",
                                       "f",
                                       "s",
                                       "vf",
                                       "filter",
                                       "lavfi",
                                       "map",
                                       "pix_fmt",
                                       "filter_complex",
                                       "c",
                                       "codec",
                                       "vcodec",
                                       "fps_mode",
                                       "vsync",
                                       "frames",
                                       "vframes",
                                       "pass",
                                       "y",
                                       "passlogfile",
                                       "progress",
                                       "vn",
                                       "n",
                                       "autorotate",
                                       "itsscale",
                                       "itsoffset",
                                       "output_ts_offset",
                                       "enc_time_base",
                                       "copyts",
                                       "aspect",
                                       "fpsmax",
                                       "force_key_frames",
                                       "filter_script",
                                       "filter_complex_script",
                                       "g",
                                       "preset",
                                       "b"};
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strlen(ours[i]) == length && !strncmp(name, ours[i], length))
            return true;
    return false;
}

/* "name=value", without the name's dash. */
static bool is_setting(const char *text)
{
    const char *value = strchr(text, '=');
    return value && value > text && text[0] != '-';
}

/* Settings that the encode itself has, which stand for something in results. */
static int check_option(const EncodeRequest *request, const char *option, Message *message)
{
    const char *quality = request->encoder->quality_name;
    const size_t name = strcspn(option, "=");
    if (!is_setting(option))
        return message_set(message, -EINVAL, "--enc %s is to be NAME=VALUE, such as tune=film",
                           option);
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)name, option);
    if (!encode_option_is_ours(text) && strcmp(text, quality) != 0)
        return 0;
    return message_set(message, -EINVAL,
                       "--enc %s cannot be used: the encode sets %s itself (see --vfilter, "
                       "--pix-format, --keyint, --preset, --quality)",
                       option, text);
}

static int check_input_option(const char *option, Message *message)
{
    const bool is_known = is_setting(option) && (!strncmp(option, "hwaccel", strlen("hwaccel")) ||
                                                 !strncmp(option, "threads=", strlen("threads=")));
    return is_known ? 0
                    : message_set(message, -EINVAL,
                                  "--enc-input %s cannot be used: it is to be hwaccel=NAME, "
                                  "hwaccel_...=VALUE or threads=N",
                                  option);
}

static int check_options(const EncodeRequest *request, Message *message)
{
    const EncodeSource *source = &request->source;
    int err = 0;
    for (size_t i = 0; i < request->n_options && !err; i++)
        err = check_option(request, request->options[i], message);
    for (size_t i = 0; i < source->n_input_options && !err; i++)
        err = check_input_option(source->input_options[i], message);
    if (!err && request->film_grain > 0 && request->encoder->templates.film_grain.n == 0)
        err =
            message_set(message, -EINVAL, "--film-grain: %s has no film grain that decoders make%s",
                        request->encoder->name,
                        request->encoder->templates.film_grain.n == 0 &&
                                !strncmp(request->encoder->name, "libx26", 6)
                            ? " (its tune \"grain\" keeps grain, which is something else)"
                            : "");
    return err ? err : other_streams_check(&source->others, message);
}

static int check_output(const char *output, Message *message)
{
    const char *name = vmaf_path_name(output), *dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1])
        return message_set(message, -EINVAL,
                           "%s: the output needs an extension such as .mkv, which tells its format",
                           output);
    return 0;
}

static int check_encoder(const EncodeRequest *request, Message *message)
{
    const Encoder *encoder = request->encoder;
    if (!encoder_find_preset(encoder, request->preset, message))
        return -EINVAL;
    if (request->q < encoder->qualities.lowest || request->q > encoder->qualities.highest)
        return message_set(message, -EINVAL, "%s: %s %g is not within %d to %d", encoder->name,
                           encoder->quality_name, request->q, encoder->qualities.lowest,
                           encoder->qualities.highest);
    if (!quality_is_step(request->q, encoder->steps))
        return message_set(message, -EINVAL, "%s: %s %g is not a multiple of %g", encoder->name,
                           encoder->quality_name, request->q, 1.0 / encoder->steps);
    return 0;
}

int encode_check(const EncodeRequest *request, Message *message)
{
    int err = check_encoder(request, message);
    if (!err)
        err = check_source(&request->source, message);
    if (!err)
        err = check_windows(request, message);
    if (!err)
        err = check_size(request, message);
    if (!err)
        err = check_extra(request, message);
    if (!err)
        err = check_options(request, message);
    return err ? err : check_output(request->output, message);
}

void encode_warning(const EncodeRequest *request, Message *warning)
{
    const Encoder *encoder = request->encoder;
    const bool hdr = request->hdr && !encoder->hdr_known;
    const bool passes = request->two_pass && encoder->two_pass == TWO_PASS_NONE;
    const bool stats = request->stats && encoder->stats == ENCODER_STATS_NONE;
    const char *const parts[] = {
        hdr ? "nobody can tell it the colours of HDR" : NULL,
        passes ? "it has no two passes, so there is one" : NULL,
        stats ? "it writes no statistics" : NULL,
    };
    size_t used = 0;
    warning->text[0] = '\0';
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i])
            used += (size_t)snprintf(warning->text + used, sizeof(warning->text) - used, "%s%s%s",
                                     used ? "; " : encoder->name, used ? "" : ": ", parts[i]);
}

int encode_passes(const EncodeRequest *request)
{
    return request->two_pass && request->encoder->two_pass != TWO_PASS_NONE ? 2 : 1;
}

void encode_rate_control(const EncodeRequest *request, char name[RATE_CONTROL_SIZE])
{
    const Encoder *encoder = request->encoder;
    const char *suffix = "";
    if (encode_passes(request) > 1)
        suffix = encoder->two_pass == TWO_PASS_ANCHORED ? "2pass" : "_2pass";
    snprintf(name, RATE_CONTROL_SIZE, "%s%s", encoder->quality_name, suffix);
}

size_t encode_frames(const EncodeRequest *request)
{
    size_t frames = 0;
    for (size_t i = 0; i < request->n_windows; i++)
        frames += request->windows[i].frames;
    return frames;
}

/* ---- The command line ---- */

/* A command line that is being made. */
typedef struct Builder {
    const EncodeRequest *request;
    const EncodePass *pass;
    ArgumentList *list;
    TemplateValues values;
    bool is_key; /* what decides about the content only */
    int err;
    char q[16], kbps[32], rate[32], grain[16];
} Builder;

static void prepare_values(Builder *builder, const char *preset)
{
    const EncodeRequest *request = builder->request;
    const Encoder *encoder = request->encoder;
    const char **of = builder->values.of;
    snprintf(builder->q, sizeof(builder->q), "%g", request->q);
    snprintf(builder->kbps, sizeof(builder->kbps), "%.0f",
             builder->pass->kbps < 1 ? 1 : builder->pass->kbps);
    snprintf(builder->rate, sizeof(builder->rate), "%d/%d", request->source.rate.numerator,
             request->source.rate.denominator);
    snprintf(builder->grain, sizeof(builder->grain), "%d", request->film_grain);
    of[PLACE_RATE] = builder->rate;
    of[PLACE_GRAIN] = builder->grain;
    of[PLACE_ENCODER] = encoder->name;
    of[PLACE_PRESET] = preset;
    of[PLACE_Q] = builder->q;
    if (encoder->value_names)
        of[PLACE_VALUE] = encoder->value_names[(int)request->q - encoder->qualities.lowest];
    of[PLACE_KBPS] = builder->pass->kbps > 0 && !builder->is_key ? builder->kbps : "KBPS";
    of[PLACE_LOG] = builder->pass->log && !builder->is_key ? builder->pass->log : "LOG";
}

static void add_templates(Builder *builder, const ArgumentList *templates)
{
    if (!builder->err)
        builder->err = template_add_all(builder->list, templates, &builder->values,
                                        builder->request->encoder->parameters_option);
}

/* ---- Behind the inputs ---- */

static void add_streams(Builder *builder, bool discards)
{
    ArgumentList *list = builder->list;
    if (builder->request->streams == ENCODE_VIDEO_ONLY || discards) {
        arguments_add(list, "-an");
        arguments_add(list, "-sn");
        arguments_add(list, "-dn");
        return;
    }
    static const char *const kept[] = {"-dn", "-map_metadata", "0", "-map_chapters", "0"};
    const EncodeRequest *request = builder->request;
    const int input = encode_shift(request) > 0;
    other_streams_keep(&request->source.others, input, request->output, list);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        arguments_add(list, kept[i]);
    if (input > 0) {
        arguments_add(list, "-output_ts_offset");
        arguments_seconds(list, encode_shift(request));
    }
}

/* AV1 loses less with 10 bits, and all of its decoders have them. */
const char *encode_default_pixel_format(const Encoder *encoder, const char *of_source)
{
    static const char *const deeper[][2] = {
        {"yuv420p", "yuv420p10le"},  {"yuvj420p", "yuv420p10le"}, {"nv12", "yuv420p10le"},
        {"yuv422p", "yuv422p10le"},  {"yuvj422p", "yuv422p10le"}, {"yuv444p", "yuv444p10le"},
        {"yuvj444p", "yuv444p10le"},
    };
    if (strcmp(encoder->codec, "av1") != 0 || !of_source)
        return NULL;
    if (encoder->is_hardware)
        return encoder->hdr_pixel_format;
    if (!strcmp(encoder->name, "libsvtav1")) /* which has no other chroma */
        return "yuv420p10le";
    for (size_t i = 0; i < sizeof(deeper) / sizeof(deeper[0]); i++)
        if (!strcmp(of_source, deeper[i][0]))
            return deeper[i][1];
    return NULL;
}

static void add_pixel_format(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const char *format = request->pixel_format;
    if (!format && request->hdr)
        format = request->encoder->hdr_pixel_format;
    if (!format)
        format = encode_default_pixel_format(request->encoder, request->source.pixel_format);
    if (format && !request->encoder->upload_formats) /* the filter that uploads has it */
        arguments_option(builder->list, "-pix_fmt", "%s", format);
}

static void add_quality(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const EncoderTemplates *templates = &request->encoder->templates;
    const int pass = builder->pass->number;
    add_templates(builder, &templates->arguments);
    add_templates(builder, pass == 2 && request->encoder->two_pass == TWO_PASS_ANCHORED
                               ? &templates->bitrate
                               : encoder_quality_templates(request->encoder, request->q));
    if (pass == 1)
        add_templates(builder, &templates->first_pass);
    else if (pass == 2)
        add_templates(builder, &templates->second_pass);
    else if (request->stats)
        add_templates(builder, &templates->stats);
}

static void add_keyframes(Builder *builder)
{
    const Keyframes *keyframes = &builder->request->keyframes;
    ArgumentList *list = builder->list;
    if (keyframes->interval > 0)
        arguments_option(list, "-g", "%d", keyframes->interval);
    if (keyframes->minimum > 0)
        arguments_option(list, "-keyint_min", "%d", keyframes->minimum);
    if (keyframes->n_forced == 0 || builder->err)
        return;
    ArgumentList times = {0};
    for (size_t i = 0; i < keyframes->n_forced; i++)
        arguments_seconds(&times, keyframes->forced[i]);
    arguments_add(list, "-force_key_frames");
    builder->err = arguments_add_joined(list, &times, ",");
    arguments_free(&times);
    add_templates(builder, &builder->request->encoder->templates.forced_keys);
}

int encode_hdr_arguments(const Encoder *encoder, const HdrTags *hdr, ArgumentList *list)
{
    const EncoderTemplates *templates = &encoder->templates;
    const ArgumentList *const parts[] = {
        &templates->hdr,
        hdr->transfer == HDR_PQ ? &templates->hdr_pq : NULL,
        hdr->mastering.known ? &templates->hdr_mastering : NULL,
        hdr->light.known ? &templates->hdr_light : NULL,
    };
    TemplateValues values = {{NULL}};
    HdrTexts texts;
    hdr_values(hdr, &texts, &values);
    int err = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++)
        if (parts[i])
            err = template_add_all(list, parts[i], &values, encoder->parameters_option);
    return err;
}

static void add_hdr(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    if (request->hdr && !builder->err)
        builder->err = encode_hdr_arguments(request->encoder, request->hdr, builder->list);
}

static void add_user(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    if (request->threads > 0)
        arguments_option(builder->list, "-threads", "%d", request->threads);
    for (size_t i = 0; i < request->n_options; i++)
        arguments_add_setting(builder->list, request->options[i]);
    for (size_t i = 0; i < request->n_extra; i++)
        arguments_add(builder->list, request->extra[i]);
}

static void add_output(Builder *builder, bool discards)
{
    ArgumentList *list = builder->list;
    if (discards)
        arguments_option(list, "-f", "null");
    if (builder->is_key)
        return;
    if (discards)
        arguments_add(list, "-");
    else
        arguments_add_path(list, builder->pass->output ? builder->pass->output
                                                       : builder->request->output);
}

/* What the output of people says of how it was made: the arguments from number `first` on. */
static void add_tags(Builder *builder, size_t first)
{
    const EncodeRequest *request = builder->request;
    const bool is_for_file = !builder->is_key && !request->is_plain && !builder->list->error;
    ArgumentList settings = {0};
    if (request->streams == ENCODE_VIDEO_ONLY || builder->err)
        return;
    const ArgumentList said = {.items = builder->list->items + first,
                               .n = is_for_file ? builder->list->n - first : 0};
    if (is_for_file)
        builder->err = arguments_add_joined(&settings, &said, " ");
    output_add_tags(request->output, request->encoder->codec, settings.n ? settings.items[0] : NULL,
                    builder->list);
    arguments_free(&settings);
}

static void add_encode(Builder *builder)
{
    const bool discards = builder->pass->number == 1;
    if (!builder->err)
        builder->err = encode_add_filters(builder->request, builder->list);
    add_streams(builder, discards);
    const size_t first = builder->list->n;
    add_pixel_format(builder);
    add_quality(builder);
    add_keyframes(builder);
    if (encode_keeps_times(builder->request))
        add_templates(builder, &builder->request->encoder->templates.variable_rate);
    add_hdr(builder);
    if (builder->request->film_grain > 0)
        add_templates(builder, &builder->request->encoder->templates.film_grain);
    add_user(builder);
    if (!discards)
        add_tags(builder, first);
    add_output(builder, discards);
}

static int build(Builder *builder, Message *message)
{
    const EncodeRequest *request = builder->request;
    int err = encode_check(request, message);
    if (err)
        return err;
    prepare_values(builder, encoder_find_preset(request->encoder, request->preset, message));
    if (!builder->is_key)
        encode_add_inputs(request, builder->list);
    else if (request->source.ignores_errors) /* as one thread decodes them */
        arguments_option(builder->list, "-max_error_rate", "1");
    if (builder->is_key)
        encode_add_input_options(&request->source, builder->list);
    const size_t behind = builder->list->n;
    add_encode(builder);
    err = builder->err ? builder->err : builder->list->error;
    if (!err && request->encoder->parameters_option) {
        /* Only the arguments of this pass are merged: a key has those of all passes. */
        ArgumentList ours = {.items = builder->list->items + behind,
                             .n = builder->list->n - behind};
        arguments_merge(&ours, request->encoder->parameters_option);
        builder->list->n = behind + ours.n;
        err = ours.error;
    }
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    if (err)
        message_set(message, err,
                    "%s: its row of the table of encoders asks for what is not known here",
                    request->encoder->name);
    return err;
}

int encode_command(const EncodeRequest *request, const EncodePass *pass, ArgumentList *command,
                   Message *message)
{
    *command = (ArgumentList){0};
    Builder builder = {.request = request, .pass = pass, .list = command};
    const int err = build(&builder, message);
    if (err)
        arguments_free(command);
    return err;
}

int encode_key_arguments(const EncodeRequest *request, ArgumentList *arguments, Message *message)
{
    const int passes = encode_passes(request);
    int err = 0;
    *arguments = (ArgumentList){0};
    for (int i = 1; i <= passes && !err; i++) {
        const EncodePass pass = {.number = passes > 1 ? i : 0};
        Builder builder = {.request = request, .pass = &pass, .list = arguments, .is_key = true};
        err = build(&builder, message);
    }
    if (err)
        arguments_free(arguments);
    return err;
}
