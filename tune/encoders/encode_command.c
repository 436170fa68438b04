/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/encode_input.h"
#include "tune/encoders/encode_request.h"
#include "tune/encoders/hdr_values.h"
#include "tune/encoders/template.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A command line that is being made. */
typedef struct Builder {
    const EncodeRequest *request;
    const EncodePass *pass;
    ArgumentList *list;
    TemplateValues values;
    bool is_key; /* what decides about the content only */
    int err;
    char q[16], kbps[32], rate[32];
} Builder;

static void prepare_values(Builder *builder, const EncoderPreset *preset)
{
    const EncodeRequest *request = builder->request;
    const Encoder *encoder = request->encoder;
    const char **of = builder->values.of;
    snprintf(builder->q, sizeof(builder->q), "%d", request->q);
    snprintf(builder->kbps, sizeof(builder->kbps), "%.0f",
             builder->pass->kbps < 1 ? 1 : builder->pass->kbps);
    snprintf(builder->rate, sizeof(builder->rate), "%d/%d", request->source.rate.numerator,
             request->source.rate.denominator);
    of[PLACE_RATE] = builder->rate;
    of[PLACE_ENCODER] = encoder->name;
    of[PLACE_PRESET] = preset->value;
    of[PLACE_Q] = builder->q;
    if (encoder->value_names)
        of[PLACE_VALUE] = encoder->value_names[request->q - encoder->knob.lowest];
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

static void add_pixel_format(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const char *format = request->pixel_format;
    if (!format && request->hdr)
        format = request->encoder->hdr_pixel_format;
    if (format) {
        arguments_add(builder->list, "-pix_fmt");
        arguments_add(builder->list, format);
    }
}

static void add_quality(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const EncoderTemplates *templates = &request->encoder->templates;
    const int pass = builder->pass->number;
    add_templates(builder, &templates->arguments);
    add_templates(builder, pass == 2 && request->encoder->two_pass == TWO_PASS_ANCHORED
                               ? &templates->bitrate
                               : &templates->quality);
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
    if (keyframes->interval > 0) {
        arguments_add(list, "-g");
        arguments_print(list, "%d", keyframes->interval);
    }
    if (keyframes->minimum > 0) {
        arguments_add(list, "-keyint_min");
        arguments_print(list, "%d", keyframes->minimum);
    }
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
    if (request->threads > 0) {
        arguments_add(builder->list, "-threads");
        arguments_print(builder->list, "%d", request->threads);
    }
    for (size_t i = 0; i < request->n_extra; i++)
        arguments_add(builder->list, request->extra[i]);
}

static void add_output(Builder *builder, bool discards)
{
    ArgumentList *list = builder->list;
    if (discards) {
        arguments_add(list, "-f");
        arguments_add(list, "null");
    }
    if (builder->is_key)
        return;
    if (discards)
        arguments_add(list, "-");
    else
        arguments_add_path(list, builder->pass->output ? builder->pass->output
                                                       : builder->request->output);
}

static void add_encode(Builder *builder)
{
    const bool discards = builder->pass->number == 1;
    if (!builder->err)
        builder->err = encode_add_filters(builder->request, builder->list);
    add_streams(builder, discards);
    add_pixel_format(builder);
    add_quality(builder);
    add_keyframes(builder);
    if (encode_keeps_times(builder->request))
        add_templates(builder, &builder->request->encoder->templates.variable_rate);
    add_hdr(builder);
    add_user(builder);
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
