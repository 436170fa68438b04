/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune capabilities: which encoders, backends and models are usable here. */
#include "tune/commands/commands.h"

#include "common/json.h"
#include "media/video_reader.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/session.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    const char *ffmpeg, *adapters, *output;
    TextList encoders;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"encoder", "NAMES", "look at these alone (all that are known)", NAMES_AT(encoders),
     .other_name = "codec", .short_name = 'e'},
    {"adapters", "FILE", "further encoders, as docs/tune.md describes", TEXT_AT(adapters),
     .file = TUNE_FILE_READ},
    {"ffmpeg", "PROGRAM", "the ffmpeg that encodes", TEXT_AT(ffmpeg), .other_name = "ffmpeg-bin",
     .file = TUNE_FILE_READ},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* What is looked at. */
typedef struct Look {
    const TuneCommand *command;
    const Settings *settings;
    EncoderTable encoders;
    FfmpegDescription ffmpeg;
    int ffmpeg_error;
    Message ffmpeg_why;
} Look;

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
    return json_pack("{s:s s:s s:b s:b s:o s:o s:I s:{s:s s:i s:i s:i s:s} s:o s:s? s:s? s:b s:b "
                     "s:b}",
                     "name", encoder->name, "codec", encoder->codec, "usable", works, "listed",
                     found->listed, "version", json_text_or_null(works ? found->version : NULL),
                     "reason", json_text_or_null(works ? NULL : found->reason.text),
                     "adapter_version", (json_int_t)strtoll(encoder->row_version, NULL, 10), "knob",
                     "name", encoder->quality_name, "lowest", qualities->lowest, "highest",
                     qualities->highest, "default", encoder->default_q, "better",
                     qualities->higher_is_better ? "high" : "low", "presets", presets,
                     "default_preset", encoder->default_preset, "two_pass",
                     passes[encoder->two_pass], "stats", encoder->stats != ENCODER_STATS_NONE,
                     "hdr", encoder->hdr_known, "hardware", encoder->is_hardware);
}

/* 0; -ENOMEM; -ECANCELED. */
static int look_at(const Look *look, const Encoder *encoder, json_t *list)
{
    EncoderAvailability found = {.usable = false};
    int err = 0;
    if (look->ffmpeg_error)
        found.reason = look->ffmpeg_why;
    else
        err = encoder_probe(look->settings->ffmpeg, &look->ffmpeg, encoder, &session_ffmpeg_limits,
                            &found);
    if (!err && json_array_append_new(list, describe_encoder(encoder, &found)))
        err = -ENOMEM;
    return err;
}

static int look_at_encoders(const Look *look, json_t *list)
{
    const TextList *names = &look->settings->encoders;
    int err = 0;
    for (size_t i = 0; i < names->n && !err; i++)
        err = look_at(look, encoder_find(&look->encoders, names->text[i], NULL), list);
    for (size_t i = 0; i < look->encoders.n && !names->n && !err; i++)
        err = look_at(look, &look->encoders.encoders[i], list);
    return err;
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

static int print(const Look *look)
{
    json_t *list = json_array();
    const bool works = !look->ffmpeg_error;
    const int err = look_at_encoders(look, list);
    json_t *json = json_pack(
        "{s:s s:s s:{s:o s:b s:o s:o} s:o s:o s:o}", "schema", "vmaf-tune-capabilities/v1",
        "version", vmaf_version(), "ffmpeg", "program", json_text_or_null(look->settings->ffmpeg),
        "usable", works, "version", json_text_or_null(works ? look->ffmpeg.version : NULL),
        "reason", json_text_or_null(works ? NULL : look->ffmpeg_why.text), "media_module",
        describe_module(), "scoring", describe_scoring(), "encoders", list);
    json = json_unless(err, json);
    return err == -ECANCELED ? command_fail(look->command, TUNE_INTERRUPTED, "interrupted")
                             : result_print_json(look->command, look->settings->output, json);
}

static int open_look(Look *look)
{
    Message why;
    if (encoder_table_open(&look->encoders, look->settings->adapters, &why))
        return command_fail(look->command, TUNE_USAGE, "%s", why.text);
    for (size_t i = 0; i < look->settings->encoders.n; i++)
        if (!encoder_find(&look->encoders, look->settings->encoders.text[i], &why))
            return command_fail(look->command, TUNE_USAGE, "%s", why.text);
    look->ffmpeg_error = ffmpeg_describe(look->settings->ffmpeg, &session_ffmpeg_limits,
                                         &look->ffmpeg, &look->ffmpeg_why);
    return look->ffmpeg_error == -ECANCELED
               ? command_fail(look->command, TUNE_INTERRUPTED, "interrupted")
               : 0;
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.ffmpeg = "ffmpeg"};
    const OptionGroup group = {"Options", rows, sizeof rows / sizeof *rows, &settings};
    Look look = {.command = command, .settings = &settings};
    int status;
    if (command_parse_options(command, &group, 1, argc, argv, &status)) {
        session_note_interrupts();
        status = open_look(&look);
        if (!status)
            status = print(&look);
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
