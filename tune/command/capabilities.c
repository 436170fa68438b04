/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune capabilities: which encoders, backends and models are usable here. */
#include "tune/command/commands.h"

#include "common/json.h"
#include "media/video_reader.h"
#include "tune/measure/session.h"
#include "tune/options/options.h"
#include "tune/options/output.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Look {
    const char *program, *adapters, *output;
    TextList names; /* of encoders; none: all */
    EncoderTable encoders;
    FfmpegDescription ffmpeg;
    int ffmpeg_error;
    Message ffmpeg_why;
} Look;

#define AT(member) .target = offsetof(Look, member)

static const TuneOption rows[] = {
    {"encoder", "NAMES", "look at these alone (all that are known)", NAMES_AT(names),
     .other_name = "codec", .short_name = 'e'},
    {"adapters", "FILE", "further encoders, as docs/tune.md describes", TEXT_AT(adapters),
     .file = TUNE_FILE_READ},
    {"ffmpeg", "PROGRAM", "the ffmpeg that encodes", TEXT_AT(program), .other_name = "ffmpeg-bin",
     .file = TUNE_FILE_READ},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

static json_t *describe_module(void)
{
    const MediaModule *module = NULL;
    Message why;
    const bool works = !media_module_load(&module, &why);
    return json_pack("{s:b s:s? s:s? s:o}", "usable", works, "version", works ? module->name : NULL,
                     "scaler", works ? module->scaler : NULL, "reason",
                     json_text_or_null(works ? NULL : why.text));
}

static json_t *describe_encoder(const Encoder *encoder, const EncoderAvailability *found)
{
    static const char *const passes[] = {
        [TWO_PASS_NONE] = NULL, [TWO_PASS_NATIVE] = "native", [TWO_PASS_ANCHORED] = "anchored"};
    const bool works = found->usable;
    const QualityRange *qualities = works ? &found->qualities : &encoder->qualities;
    json_t *presets = json_array(), *value;
    const char *name;
    json_object_foreach((json_t *)encoder->presets, name, value)
        json_array_append_new(presets, json_string(name));
    return json_pack(
        "{s:s s:s s:b s:b s:o s:o s:I s:{s:s s:i s:i s:i s:s} s:o s:s? s:s? s:b s:b "
        "s:b}",
        "name", encoder->name, "codec", encoder->codec, "usable", works, "listed", found->listed,
        "version", json_text_or_null(works ? found->version : NULL), "reason",
        json_text_or_null(works ? NULL : found->reason.text), "adapter_version",
        (json_int_t)strtoll(encoder->row_version, NULL, 10), "knob", "name", encoder->quality_name,
        "lowest", qualities->lowest, "highest", qualities->highest, "default", encoder->default_q,
        "better", qualities->higher_is_better ? "high" : "low", "presets", presets,
        "default_preset", encoder->default_preset, "two_pass", passes[encoder->two_pass], "stats",
        encoder->stats_file != NULL, "hdr", encoder->hdr_known, "hardware", encoder->is_hardware);
}

/* 0; -ENOMEM; -ECANCELED. */
static int look_at(const Look *look, const Encoder *encoder, json_t *list)
{
    EncoderAvailability found = {.reason = look->ffmpeg_why};
    const int err = look->ffmpeg_error ? 0
                                       : encoder_probe(look->program, &look->ffmpeg, encoder,
                                                       &session_ffmpeg_limits, &found);
    if (err)
        return err;
    return json_array_append_new(list, describe_encoder(encoder, &found)) ? -ENOMEM : 0;
}

/* -- the document -- */

static json_t *describe_scoring(void)
{
    char *text;
    Message why;
    int err = vmaf_capabilities_json(&text, 0);
    if (err)
        return NULL;
    json_t *json = json_document_parse(text, strlen(text), &why, &err);
    free(text);
    return json;
}

static json_t *describe(const Look *look, json_t *list)
{
    const bool works = !look->ffmpeg_error;
    return json_pack("{s:s s:s s:{s:o s:b s:o s:o} s:o s:o s:o}", "schema",
                     "vmaf-tune-capabilities/v1", "version", vmaf_version(), "ffmpeg", "program",
                     json_text_or_null(look->program), "usable", works, "version",
                     json_text_or_null(works ? look->ffmpeg.version : NULL), "reason",
                     json_text_or_null(works ? NULL : look->ffmpeg_why.text), "media_module",
                     describe_module(), "scoring", describe_scoring(), "encoders", list);
}

static int print(const TuneCommand *command, Look *look)
{
    const size_t n = look->names.n ? look->names.n : look->encoders.n;
    Message why;
    for (size_t i = 0; i < look->names.n; i++)
        if (!encoder_find(&look->encoders, look->names.text[i], &why))
            return command_fail(command, TUNE_USAGE, "%s", why.text);
    json_t *list = json_array();
    int err = look->ffmpeg_error =
        ffmpeg_describe(look->program, &session_ffmpeg_limits, &look->ffmpeg, &look->ffmpeg_why);
    err = err == -ECANCELED ? err : 0; /* else that is said */
    for (size_t i = 0; i < n && !err; i++)
        err = look_at(look,
                      look->names.n ? encoder_find(&look->encoders, look->names.text[i], &why)
                                    : &look->encoders.encoders[i],
                      list);
    json_t *json = json_unless(err, describe(look, list));
    return err == -ECANCELED ? command_fail(command, TUNE_INTERRUPTED, "interrupted")
                             : result_print_json(command, look->output, json);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Look look = {.program = "ffmpeg"};
    const OptionGroup group = {"Options", rows, sizeof rows / sizeof *rows, &look};
    Message why;
    int status;
    if (command_parse_options(command, &group, 1, argc, argv, &status)) {
        session_note_interrupts();
        status = encoder_table_open(&look.encoders, look.adapters, &why)
                     ? command_fail(command, TUNE_USAGE, "%s", why.text)
                     : print(command, &look);
        ffmpeg_description_free(&look.ffmpeg);
        encoder_table_close(&look.encoders);
    }
    tune_options_free(&group, 1);
    return status;
}

const TuneCommand capabilities_command = {
    .name = "capabilities",
    .operands = "",
    .summary = "which encoders, backends and models are usable here, as JSON",
    .examples = "  vmaf-tune capabilities --output capabilities.json\n"
                "  vmaf-tune capabilities --encoder libx264,hevc_nvenc\n",
    .run = run_command,
};
