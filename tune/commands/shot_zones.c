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

/* The quantiser of x265 doubles with 6 steps of CRF, and with half the bitrate. */
static char *zones_text(const ShotTuning *tuning, double base)
{
    const QualityRange *range = &tuning->plan.search.qualities;
    const bool by_quality = kind_of(tuning->plan.spec.encoder) == ZONES_BY_QUALITY;
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    for (size_t i = 0; i < tuning->n && out; i++) {
        const TunedShot *shot = &tuning->shots[i];
        const int k = quality_index(range, shot_chosen(shot)->spec.q) - tuning->shift;
        const double q = quality_value(range, k < 0 ? 0 : k);
        fprintf(out, "%s%zu,%zu,", i ? "/" : "zones=", shot->shot.first, shot->shot.end - 1);
        fprintf(out, by_quality ? "crf=%g" : "b=%.4f", by_quality ? q : exp2((base - q) / 6));
    }
    return text_end(&buffer, 0);
}

static int make_zones(const ShotTuning *tuning, ShotZones *zones)
{
    const MeasureOptions *options = measurer_options(tuning->whole.measurer);
    const size_t n = options->n_extra;
    shot_zones_free(zones);
    zones->base = shot_middle_quality(tuning);
    zones->text = zones_text(tuning, zones->base);
    zones->extra = calloc(n + 2, sizeof(*zones->extra));
    if (!zones->text || !zones->extra)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        zones->extra[i] = options->extra[i];
    zones->extra[n] = tuning->plan.spec.encoder->parameters_option;
    zones->extra[n + 1] = zones->text;
    zones->whole = *options;
    zones->whole.extra = zones->extra;
    zones->whole.n_extra = n + 2;
    return 0;
}

void shot_zones_free(ShotZones *zones)
{
    free(zones->text);
    free(zones->extra);
    *zones = (ShotZones){0};
}

int shot_zones_measure(ShotTuning *tuning, ShotZones *zones, TunedShot *zoned)
{
    Measurer *measurer = NULL;
    tuned_shot_free(zoned);
    zoned->shot.end = tuning->source->frames;
    int status = make_zones(tuning, zones) ? shot_fail(tuning, -ENOMEM, "out of memory") : 0;
    if (!status)
        status = shot_open_measurer(tuning, &zones->whole, zoned, &measurer);
    if (!status)
        status = shot_choose(tuning, measurer, zones->base, zoned);
    measurer_close(measurer);
    return status;
}

char *shot_zones_arguments(const ShotTuning *tuning, const ShotZones *zones, double q)
{
    const EncodeSpec *spec = &tuning->plan.spec;
    const MeasureOptions *options =
        zones ? &zones->whole : measurer_options(tuning->whole.measurer);
    Message why;
    ArgumentList list = {0};
    arguments_option(&list, "-c:v", "%s", spec->encoder->name);
    arguments_option(&list, "-preset", "%s",
                     encoder_find_preset(spec->encoder, spec->preset, &why));
    arguments_option(&list, "-threads", "%d", options->ffmpeg_threads);
    arguments_option(&list, "-crf", "%g", q);
    for (size_t i = 0; i < options->n_extra; i++)
        arguments_add(&list, options->extra[i]);
    arguments_merge(&list, spec->encoder->parameters_option);
    char *text = NULL, *line = list.error ? NULL : arguments_shell_line(&list);
    if (line && asprintf(&text, "%s\n", line) < 0)
        text = NULL;
    arguments_free(&list);
    free(line);
    return text;
}
