/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/sidecar/sidecar_command.h"

#include "tune/commands/sidecar/sidecar_actions.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    const char *encoder, *cache_dir, *adapters, *output;
    double target, score; /* NAN: not given */
    int shot, q;          /* -1: not given */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {.name = "encoder",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(encoder),
     .help = "status: FFmpeg's name of the encoder (libx264)",
     .other_name = "codec"},
    {.name = "target-vmaf",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(target),
     .help = "predict: the score that each shot is to reach (that of the file)"},
    {.name = "crf",
     .argument = "Q",
     .type = TUNE_INTEGER,
     AT(q),
     .lowest = 0,
     .highest = 255,
     .help = "predict: what is expected there; record: what was measured there"},
    {.name = "shot",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(shot),
     .lowest = 0,
     .highest = 1e6,
     .help = "record: which shot of the file, from 0"},
    {.name = "measured-vmaf",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(score),
     .lowest = 0,
     .highest = 100,
     .help = "record: its score"},
    {.name = "adapters",
     .argument = "FILE",
     .file = TUNE_FILE_READ,
     .type = TUNE_TEXT,
     AT(adapters),
     .help = "further encoders, as docs/tune.md describes"},
    {.name = "cache-dir",
     .argument = "FOLDER",
     .type = TUNE_TEXT,
     AT(cache_dir),
     .help = "where what was learned is kept (~/.cache/vmaf-tune)"},
    {.name = "output",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(output),
     .short_name = 'o',
     .help = "write the result to a file"},
};

typedef struct Sidecar {
    const TuneCommand *command;
    const Settings *settings;
    EncoderTable encoders;
    TuneCache *cache;
} Sidecar;

static int fail(const Sidecar *sidecar, int err, const Message *why)
{
    return command_fail(sidecar->command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s",
                        why->text);
}

/* Takes the reference. */
static int print(const Sidecar *sidecar, json_t *json)
{
    char *text = NULL;
    size_t size;
    FILE *out = json ? open_memstream(&text, &size) : NULL;
    int err = out ? json_document_print(json, 2, out) : -ENOMEM;
    if (out) {
        fputc('\n', out);
        if (fclose(out))
            err = -ENOMEM;
    }
    json_decref(json);
    const int status = err ? command_fail(sidecar->command, TUNE_NO_RESULT, "out of memory")
                           : command_print(sidecar->command, sidecar->settings->output, text);
    free(text);
    return status;
}

/* -- actions -- */

static int show_status(const Sidecar *sidecar, const char *const *files, size_t n)
{
    const char *encoder = sidecar->settings->encoder;
    SidecarState state;
    Message why;
    (void)files;
    if (n)
        return command_fail(sidecar->command, TUNE_USAGE, "status reads no file");
    if (!encoder_find(&sidecar->encoders, encoder, &why))
        return fail(sidecar, -EINVAL, &why);
    const int err = sidecar_load(&state, sidecar->cache, encoder, &why);
    const int status = err ? fail(sidecar, err, &why) : print(sidecar, sidecar_status(&state));
    sidecar_free(&state);
    return status;
}

/* A document, and what was learned of its encoder. Free both in either case. */
static int open_file(const Sidecar *sidecar, const char *path, PredictDocument *document,
                     SidecarState *state)
{
    Message why;
    *state = (SidecarState){0};
    int err = predict_document_load(document, &sidecar->encoders, path, &why);
    if (!err)
        err = sidecar_load(state, sidecar->cache, document->encoder->name, &why);
    return err ? fail(sidecar, err, &why) : 0;
}

static int check_q(const Sidecar *sidecar, const Encoder *encoder)
{
    const int q = sidecar->settings->q;
    if (q < 0 || (q >= encoder->knob.lowest && q <= encoder->knob.highest))
        return 0;
    return command_fail(sidecar->command, TUNE_USAGE, "%s has %s from %d to %d", encoder->name,
                        encoder->knob_name, encoder->knob.lowest, encoder->knob.highest);
}

static int predict(const Sidecar *sidecar, const char *const *files, size_t n)
{
    const Settings *settings = sidecar->settings;
    PredictDocument document;
    SidecarState state;
    Message why;
    int err;
    if (n != 1)
        return command_fail(sidecar->command, TUNE_USAGE,
                            "predict needs one file: what vmaf-tune predict printed");
    int status = open_file(sidecar, files[0], &document, &state);
    if (!status)
        status = check_q(sidecar, document.encoder);
    if (!status) {
        json_t *json =
            sidecar_predict(&state, &document, settings->target, settings->q, &err, &why);
        status = json ? print(sidecar, json) : fail(sidecar, err, &why);
    }
    sidecar_free(&state);
    predict_document_free(&document);
    return status;
}

static int record(const Sidecar *sidecar, const char *const *files, size_t n)
{
    const Settings *settings = sidecar->settings;
    PredictDocument document;
    SidecarState state;
    Message why;
    json_t *json = NULL;
    if (n != 1 || settings->shot < 0 || settings->q < 0 || isnan(settings->score))
        return command_fail(
            sidecar->command, TUNE_USAGE,
            "record needs one file of vmaf-tune predict, --shot, --crf and --measured-vmaf");
    const ShotMeasurement measurement = {(size_t)settings->shot, settings->q, settings->score};
    int status = open_file(sidecar, files[0], &document, &state);
    if (!status)
        status = check_q(sidecar, document.encoder);
    if (!status) {
        int err = sidecar_record(&state, &document, &measurement, &json, &why);
        if (!err)
            err = sidecar_save(&state, &why);
        status = err ? fail(sidecar, err, &why) : print(sidecar, json_incref(json));
    }
    json_decref(json);
    sidecar_free(&state);
    predict_document_free(&document);
    return status;
}

/* What is learned of each file is kept before the next one is read. */
static int record_file(const Sidecar *sidecar, const char *path, json_t *records)
{
    PredictDocument document;
    SidecarState state;
    Message why;
    json_t *json = NULL;
    int status = open_file(sidecar, path, &document, &state);
    if (!status) {
        int err = sidecar_record_all(&state, &document, &json, &why);
        if (!err)
            err = sidecar_save(&state, &why);
        status = err ? fail(sidecar, err, &why) : 0;
    }
    if (!status && json_array_append(records, json))
        status = command_fail(sidecar->command, TUNE_NO_RESULT, "out of memory");
    json_decref(json);
    sidecar_free(&state);
    predict_document_free(&document);
    return status;
}

static int batch_record(const Sidecar *sidecar, const char *const *files, size_t n)
{
    json_t *json = json_object(), *records = json_array();
    int status = 0;
    if (!n)
        status = command_fail(sidecar->command, TUNE_USAGE,
                              "batch-record needs files: what vmaf-tune predict printed");
    for (size_t i = 0; i < n && !status; i++)
        status = record_file(sidecar, files[i], records);
    if (json_put(json, "files", records) ||
        json_put(json, "schema", json_text_or_null("vmaf-tune-sidecar-batch-record/v1"))) {
        json_decref(json);
        json = NULL;
    }
    if (!status)
        return print(sidecar, json);
    json_decref(json);
    return status;
}

/* -- the subcommand -- */

static const struct {
    const char *name;
    int (*run)(const Sidecar *sidecar, const char *const *files, size_t n);
} actions[] = {
    {"status", show_status},
    {"predict", predict},
    {"record", record},
    {"batch-record", batch_record},
};

static int run_action(Sidecar *sidecar, const OptionWords *words)
{
    const Settings *settings = sidecar->settings;
    Message why;
    size_t i = 0;
    while (i < sizeof actions / sizeof *actions &&
           (!words->n || strcmp(actions[i].name, words->word[0])))
        i++;
    if (i == sizeof actions / sizeof *actions)
        return command_fail(sidecar->command, TUNE_USAGE,
                            "what is to be done: status, predict, record or batch-record?");
    int err = encoder_table_open(&sidecar->encoders, settings->adapters, &why);
    if (!err)
        err = cache_open(&sidecar->cache, settings->cache_dir, INT64_MAX, &why);
    return err ? fail(sidecar, err, &why) : actions[i].run(sidecar, words->word + 1, words->n - 1);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.encoder = "libx264", .target = NAN, .score = NAN, .shot = -1, .q = -1};
    const OptionGroup group = {"Options", rows, sizeof rows / sizeof *rows, &settings};
    Sidecar sidecar = {.command = command, .settings = &settings};
    OptionWords words;
    int status;
    if (command_parse(command, &group, 1, argc, argv, &words, &status)) {
        status = run_action(&sidecar, &words);
        cache_close(sidecar.cache);
        encoder_table_close(&sidecar.encoders);
    }
    tune_options_free(&group, 1);
    return status;
}

const TuneCommand sidecar_command = {
    .name = "sidecar",
    .operands = "status|predict|record|batch-record [FILE...]",
    .summary = "learns what predict misses by, and corrects its predictions",
    .examples =
        "  vmaf-tune predict --src film.mkv -o film.json\n"
        "  vmaf-tune sidecar batch-record film.json\n"
        "  vmaf-tune predict --src another.mkv --validate-k 1 --residual-threshold 100 -o b.json\n"
        "  vmaf-tune sidecar predict b.json --target-vmaf 93\n",
    .run = run_command,
};
