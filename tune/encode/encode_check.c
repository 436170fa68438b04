/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"
#include "tune/encode/encode_request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- What cannot be done ---- */

bool encode_option_is_ours(const char *name)
{
    static const char ours[] =
        "i ss sseof t to r f s vf filter lavfi map pix_fmt filter_complex c codec vcodec fps_mode "
        "vsync frames vframes pass y passlogfile progress vn n autorotate itsscale itsoffset "
        "output_ts_offset enc_time_base copyts aspect fpsmax force_key_frames filter_script "
        "filter_complex_script g preset b";
    return word_is_among(ours, name, strcspn(name, ":"));
}

/* Options that would break what is promised of the encode. */
static int check_extra(const EncodeRequest *request, Message *message)
{
    static const char ours[] = "-i -ss -t -to -r -f -vf -filter:v -lavfi -filter_complex -map "
                               "-frames:v -vframes -pass -passlogfile -progress -c:v -vcodec -y -n";
    if (request->settings.n_extra > 0 && request->settings.extra[0][0] != '-')
        return message_set(message, -EINVAL, "extra argument '%s' would be an output file",
                           request->settings.extra[0]);
    for (size_t i = 0; i < request->settings.n_extra; i++)
        if (word_is_among(ours, request->settings.extra[i], strlen(request->settings.extra[i])))
            return message_set(message, -EINVAL,
                               "extra argument '%s' cannot be used: it is set by the encode itself",
                               request->settings.extra[i]);
    return 0;
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
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(option, "="), option);
    if (!is_setting(option))
        return message_set(message, -EINVAL, "--enc %s is to be NAME=VALUE, such as tune=film",
                           option);
    if (encode_option_is_ours(name) || !strcmp(name, request->spec.encoder->quality_name))
        return message_set(message, -EINVAL,
                           "--enc %s cannot be used: the encode sets %s itself (see --vfilter, "
                           "--pix-format, --keyint, --preset, --quality)",
                           option, name);
    return 0;
}

static int check_input_option(const char *option, Message *message)
{
    if (is_setting(option) && (!strncmp(option, "hwaccel", strlen("hwaccel")) ||
                               !strncmp(option, "threads=", strlen("threads="))))
        return 0;
    return message_set(message, -EINVAL,
                       "--enc-input %s cannot be used: it is to be hwaccel=NAME, "
                       "hwaccel_...=VALUE or threads=N",
                       option);
}

static int check_options(const EncodeRequest *request, Message *message)
{
    const TuneSource *source = request->source;
    int err = check_extra(request, message);
    for (size_t i = 0; i < request->settings.n_options && !err; i++)
        err = check_option(request, request->settings.options[i], message);
    for (size_t i = 0; i < source->n_input_options && !err; i++)
        err = check_input_option(source->input_options[i], message);
    if (!err && request->settings.film_grain > 0 &&
        !encoder_arguments(request->spec.encoder, "film_grain"))
        err = message_set(message, -EINVAL,
                          "--film-grain: %s has no film grain that decoders make (the tune "
                          "\"grain\" of x264 and x265 keeps grain, which is something else)",
                          request->spec.encoder->name);
    return err ? err : other_streams_check(&source->others, message);
}

static int check_encoder(const EncodeRequest *request, Message *message)
{
    const Encoder *encoder = request->spec.encoder;
    if (!encoder_find_preset(encoder, request->spec.preset, message))
        return -EINVAL;
    if (request->spec.q < encoder->qualities.lowest || request->spec.q > encoder->qualities.highest)
        return message_set(message, -EINVAL, "%s: %s %g is not within %d to %d", encoder->name,
                           encoder->quality_name, request->spec.q, encoder->qualities.lowest,
                           encoder->qualities.highest);
    if (!quality_is_step(request->spec.q, encoder->steps))
        return message_set(message, -EINVAL, "%s: %s %g is not a multiple of %g", encoder->name,
                           encoder->quality_name, request->spec.q, 1.0 / encoder->steps);
    return 0;
}

static int check_frames(const EncodeRequest *request, Message *message)
{
    const TuneSource *source = request->source;
    size_t end = 0;
    if (source->rate.numerator <= 0 || source->rate.denominator <= 0)
        return message_set(message, -EINVAL, "%s: the frame rate is not known",
                           source->encoded_path);
    for (size_t i = 0; i < request->n_windows; i++) {
        const SampleWindow *window = &request->windows[i];
        if (window->frames == 0 || window->first < end)
            return message_set(message, -EINVAL, "sample windows are empty or overlap");
        end = window->first + window->frames;
    }
    if (request->n_windows > 1 && request->spec.streams == ENCODE_WITH_ALL_STREAMS)
        return message_set(message, -EINVAL,
                           "audio and subtitles can only be kept with one part of the video");
    return 0;
}

int encode_check(const EncodeRequest *request, Message *message)
{
    const char *name = vmaf_path_name(request->output), *dot = strrchr(name, '.');
    int err = check_encoder(request, message);
    if (!err)
        err = check_frames(request, message);
    if (!err)
        err = check_options(request, message);
    if (!err && (!dot || dot == name || !dot[1]))
        err = message_set(message, -EINVAL,
                          "%s: the output needs an extension such as .mkv, which tells its format",
                          request->output);
    return err;
}

void encode_warning(const EncodeSpec *spec, bool is_hdr, Message *warning)
{
    const Encoder *encoder = spec->encoder;
    const struct {
        bool is_so;
        const char *what;
    } parts[] = {
        {is_hdr && !encoder->hdr_known, "nobody can tell it the colours of HDR"},
        {spec->two_pass && encoder->two_pass == TWO_PASS_NONE,
         "it has no two passes, so there is one"},
        {spec->stats && !encoder->stats_file, "it writes no statistics"},
    };
    size_t used = 0;
    warning->text[0] = '\0';
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].is_so)
            used += (size_t)snprintf(warning->text + used, sizeof(warning->text) - used, "%s%s%s",
                                     used ? "; " : encoder->name, used ? "" : ": ", parts[i].what);
}
