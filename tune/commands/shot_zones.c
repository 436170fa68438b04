/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Zones: a quality for each shot in a single encode, in the words of the encoder. */
#include "tune/commands/per_shot_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How an encoder takes them behind its parameters_option: x264 has crf= in zones; x265 only what
 * multiplies the bitrate. Others, such as SVT-AV1, have none. */
typedef enum ZoneKind { ZONES_NONE, ZONES_BY_QUALITY, ZONES_BY_FACTOR } ZoneKind;

static ZoneKind kind_of(const Encoder *encoder)
{
    if (!strcmp(encoder->name, "libx264"))
        return ZONES_BY_QUALITY;
    return strcmp(encoder->name, "libx265") ? ZONES_NONE : ZONES_BY_FACTOR;
}

int shot_zones_check(const ShotTuning *tuning)
{
    const TuneCommand *command = tuning->session->command;
    const EncodeSpec *spec = &tuning->plan.spec;
    if (kind_of(spec->encoder) == ZONES_NONE)
        return command_fail(command, TUNE_USAGE,
                            "--zones: %s takes none; libx264 and libx265 do. Without --zones, each "
                            "shot is an encode of its own",
                            spec->encoder->name);
    if (spec->two_pass)
        return command_fail(command, TUNE_USAGE, "--zones are for one pass, not for --two-pass");
    return 0;
}

static double shifted_quality(const ShotTuning *tuning, const TunedShot *shot, int shift)
{
    const QualityRange *range = &tuning->plan.spec.encoder->qualities;
    const int k = quality_index(range, tuned_shot_chosen(shot)->spec.q) - shift;
    const int last = quality_last_index(range);
    return quality_value(range, k < 0 ? 0 : k > last ? last : k);
}

/* The quantiser of both encoders doubles with 6 steps of it. */
static double bitrate_factor(double base, double q)
{
    return exp2((base - q) / 6);
}

static char *zones_text(const ShotTuning *tuning, double base, int shift)
{
    const bool by_quality = kind_of(tuning->plan.spec.encoder) == ZONES_BY_QUALITY;
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    for (size_t i = 0; i < tuning->n; i++) {
        const TunedShot *shot = &tuning->shots[i];
        const double q = shifted_quality(tuning, shot, shift);
        fprintf(out, "%s%zu,%zu,", i ? "/" : "zones=", shot->shot.first, shot->shot.end - 1);
        if (by_quality)
            fprintf(out, "crf=%g", q);
        else
            fprintf(out, "b=%.4f", bitrate_factor(base, q));
    }
    return text_end(&buffer, 0);
}

double shot_middle_quality(const ShotTuning *tuning)
{
    const QualityRange *range = &tuning->plan.spec.encoder->qualities;
    double sum = 0, frames = 0;
    for (size_t i = 0; i < tuning->n; i++) {
        const double n = (double)shot_frames(&tuning->shots[i].shot);
        sum += n * quality_index(range, tuned_shot_chosen(&tuning->shots[i])->spec.q);
        frames += n;
    }
    return quality_value(range, (int)lrint(sum / frames));
}

static int make_zones(const ShotTuning *tuning, int shift, ShotZones *zones)
{
    const MeasureOptions *options = &tuning->options;
    shot_zones_free(zones);
    zones->base = shot_middle_quality(tuning);
    zones->text = zones_text(tuning, zones->base, shift);
    zones->arguments = calloc(options->n_extra + 2, sizeof(*zones->arguments));
    if (!zones->text || !zones->arguments)
        return -ENOMEM;
    for (size_t i = 0; i < options->n_extra; i++)
        zones->arguments[zones->n++] = options->extra[i];
    zones->arguments[zones->n++] = tuning->plan.spec.encoder->parameters_option;
    zones->arguments[zones->n++] = zones->text;
    return 0;
}

void shot_zones_free(ShotZones *zones)
{
    free(zones->text);
    free(zones->arguments);
    *zones = (ShotZones){0};
}

void shot_zones_apply(const ShotZones *zones, ShotTuning *whole)
{
    whole->options.extra = zones->arguments;
    whole->options.n_extra = zones->n;
}

static bool holds_all(const TuneGates *gates, const ShotResult *result)
{
    bool holds = true;
    for (size_t i = 0; i < gates->n; i++)
        holds = holds && result->holds[i];
    return holds;
}

int shot_zones_measure(ShotTuning *tuning, ShotZones *zones, TunedShot *whole, ShotResult *result)
{
    enum { MAX_ENCODES = 3 };
    const ShotTotals totals = shot_totals(tuning);
    const size_t frames = tuning->source->frames;
    ShotTuning zoned = shot_tuning_of_whole(tuning);
    for (int shift = 0; shift < MAX_ENCODES; shift++) {
        if (make_zones(tuning, shift, zones))
            return session_fail(tuning->session, -ENOMEM, "out of memory");
        tuned_shot_free(whole);
        *whole = (TunedShot){.shot = {.end = frames}, .window = {0, frames, frames}};
        shot_zones_apply(zones, &zoned);
        const int status = tuned_shot_measure(&zoned, zones->base, whole);
        if (status)
            return status;
        *result = shot_result_of(tuning, tuned_shot_chosen(whole));
        if (totals.missed || holds_all(&tuning->plan.gates, result))
            break;
    }
    return 0;
}

char *shot_zones_arguments(const ShotTuning *tuning, const ShotZones *zones, double q)
{
    const EncodeSpec *spec = &tuning->plan.spec;
    Message why;
    ArgumentList list = {0};
    const char *preset = encoder_find_preset(spec->encoder, spec->preset, &why);
    arguments_option(&list, "-c:v", "%s", spec->encoder->name);
    arguments_option(&list, "-preset", "%s", preset ? preset : "medium");
    if (tuning->whole_threads)
        arguments_option(&list, "-threads", "%d", tuning->whole_threads);
    arguments_option(&list, "-crf", "%g", q);
    for (size_t i = 0; i < tuning->options.n_extra; i++)
        arguments_add(&list, tuning->options.extra[i]);
    if (zones)
        arguments_option(&list, spec->encoder->parameters_option, "%s", zones->text);
    arguments_merge(&list, spec->encoder->parameters_option);
    char *line = list.error ? NULL : arguments_shell_line(&list);
    arguments_free(&list);
    return line;
}
