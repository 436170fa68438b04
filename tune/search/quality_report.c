/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a search for a quality has found, as JSON and for people. */
#include "tune/search/quality_search.h"

#include "common/json.h"
#include "platform/file.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"
#include "tune/measure/row.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double percent_of(const QualitySearch *search, const MeasuredEncode *encode, bool is_film)
{
    return encode->kbps / quality_source_kbps(search, !is_film) * 100;
}

static TuneGates gates_of(const QualitySearch *search, bool is_film)
{
    TuneGates gates = search->plan.gates;
    if (is_film)
        gates.n_windows = 0;
    return gates;
}

/* False: it has none. */
static bool pool_of(const QualitySearch *search, const MeasuredEncode *encode, bool is_film,
                    const char *name, PooledScores *pooled)
{
    const TuneGates gates = gates_of(search, is_film);
    return !tune_gates_pool(&gates, encode, name, pooled);
}

static double bytes_of_film(const QualitySearch *search, const MeasuredEncode *encode, bool is_film)
{
    return is_film && !search->on_film.windows ? (double)encode->stream_bytes
                                               : encode->kbps * 125 * search->source->seconds;
}

/* -- the table -- */

static void print_heads(const QualitySearch *search, FILE *out)
{
    const TuneGates *gates = &search->plan.gates;
    const FrameRate rate = search->source->rate;
    char label[GATE_LABEL_SIZE];
    fprintf(out, "%9s  %6s  %8s  %6s", "quality", "size", "VMAF", "1 %");
    for (size_t i = 1; i < gates->n; i++)
        fprintf(out, "  %10s", tune_gate_label(&gates->gate[i], label));
    if (search->samples.n)
        fprintf(out, "   %zu sample%s of %.3g s", search->samples.n,
                search->samples.n == 1 ? "" : "s",
                (double)search->samples.windows->frames * rate.denominator / rate.numerator);
    fputc('\n', out);
}

void quality_show(const QualitySearch *search, const MeasuredEncode *measured, bool is_film)
{
    double values[SEARCH_MAX_GATES];
    const TuneGates gates = gates_of(search, is_film);
    PooledScores pooled;
    Message why;
    TextBuffer buffer;
    if (measured->error || !measured->has_scores || !vmaf_is_terminal(stderr) ||
        tune_gates_values(&gates, measured, values, &why))
        return;
    FILE *out = text_begin(&buffer);
    if (!out)
        return;
    if (!search->run.n_encodes && (!is_film || !search->samples.n))
        print_heads(search, out);
    fprintf(out, "%9.6g  %4.0f %%", measured->spec.q, percent_of(search, measured, is_film));
    if (pool_of(search, measured, is_film, "vmaf", &pooled))
        fprintf(out, "  %8.2f  %6.1f", pooled.mean, pooled.p1);
    for (size_t i = 1; i < gates.n; i++)
        fprintf(out, "  %10.4f", values[i]);
    fprintf(out, "%s%s", is_film ? "   the whole film" : "",
            tune_gates_reached(&gates, values) ? "" : "   missed");
    char *text = text_end(&buffer, 0), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        progress_print(search->session->progress, "%s", line);
    free(text);
}

/* -- for people -- */

static void print_size(double bytes, FILE *out)
{
    const char *const units[] = {"kB", "MB", "GB"};
    int unit = 0;
    for (bytes /= 1000; bytes >= 1000 && unit < 2; unit++)
        bytes /= 1000;
    fprintf(out, "%.*f %s", bytes < 10 ? 2 : bytes < 100 ? 1 : 0, bytes, units[unit]);
}

/* "1.15 MB; its video 458 kB, 20.5 % of that of film.mkv": a film has more, and its source too. */
static void print_sizes(const QualitySearch *search, const MeasuredEncode *encode, bool is_film,
                        const char *path, FILE *out)
{
    const double percent = percent_of(search, encode, is_film);
    VmafFileStatus status;
    if (path && !vmaf_file_status_at(path, &status)) {
        print_size((double)status.size, out);
        fputs("; its video ", out);
    }
    print_size(bytes_of_film(search, encode, is_film), out);
    if (isfinite(percent) && path)
        fprintf(out, ", %.1f %% of that of %s", percent, vmaf_path_name(search->source->path));
    else if (isfinite(percent))
        fprintf(out, ", %.1f %% of its video", percent);
}

static void print_time(double seconds, FILE *out)
{
    const long minutes = lround(seconds / 60);
    if (seconds < 100)
        fprintf(out, "%.1f s", seconds);
    else if (minutes < 100)
        fprintf(out, "%ld min", minutes);
    else
        fprintf(out, "%ld h %ld min", minutes / 60, minutes % 60);
}

/* How far the mean VMAF of samples may be from the film's, by how much they differ. */
static double standard_error(const QualitySearch *search, const MeasuredEncode *encode)
{
    const ScoreSeries *series = encode_scores_find(&encode->scores, "vmaf");
    const Samples *samples = &search->samples;
    double sum = 0, squares = 0;
    size_t at = 0;
    if (!series || samples->n < 2)
        return NAN;
    for (size_t i = 0; i < samples->n; i++) {
        double mean = 0;
        for (size_t k = 0; k < samples->windows[i].frames; k++)
            mean += series->values[at++] / (double)samples->windows[i].frames;
        sum += mean;
        squares += mean * mean;
    }
    const double n = (double)samples->n, variance = (squares - sum * sum / n) / (n - 1);
    return sqrt(fmax(0, variance) / n);
}

static void print_scores(const QualitySearch *search, const MeasuredEncode *encode, bool is_film,
                         FILE *out)
{
    const TuneGates gates = gates_of(search, is_film);
    double values[SEARCH_MAX_GATES];
    char label[GATE_LABEL_SIZE];
    PooledScores pooled;
    Message why;
    if (pool_of(search, encode, is_film, "vmaf", &pooled))
        fprintf(out, "; VMAF %.2f (1 %% %.1f, least %.1f)", pooled.mean, pooled.p1, pooled.min);
    const double error = is_film ? NAN : standard_error(search, encode);
    if (isfinite(error))
        fprintf(out, ", standard error of the samples %.2f", error);
    if (!encode->has_scores || tune_gates_values(&gates, encode, values, &why))
        return;
    for (size_t i = 1; i < gates.n; i++)
        fprintf(out, ", %s %.4f", tune_gate_label(&gates.gate[i], label), values[i]);
}

static void print_work(const QualitySearch *search, FILE *out)
{
    const size_t n = search->samples.n
                         ? search->n_films
                         : search->run.n_encodes + (search->run.n_encodes ? 0 : search->n_films);
    fputs("; ", out);
    if (search->samples.n && search->run.n_encodes)
        fprintf(out, "%zu sample%s %zu time%s, ", search->samples.n,
                search->samples.n == 1 ? "" : "s", search->run.n_encodes,
                search->run.n_encodes == 1 ? "" : "s");
    if (n)
        fprintf(out, "%zu encode%s, ", n, n == 1 ? "" : "s");
    print_time((double)(vmaf_steady_ms() - search->start_ms) / 1000, out);
}

char *quality_commands(const QualitySearch *search, const EncodeSpec *spec, const char *output)
{
    EncodeSpec film = *spec;
    Message why;
    Measurer *measurer = search->on_film.measurer;
    film.streams = search->streams;
    return measurer && !search->on_film.windows
               ? measure_command_lines(measurer, &film, output ? output : QUALITY_OUTPUT, &why)
               : NULL;
}

void quality_print(const QualitySearch *search, const FilmOutput *output, FILE *out)
{
    bool is_film;
    const MeasuredEncode *encode = quality_best(search, &is_film);
    const FilmEncode *nearest = quality_nearest(search);
    if (!encode && nearest) {
        encode = nearest->encode;
        is_film = true;
    }
    if (!encode)
        return;
    const char *path = output->left ? output->left : output->path;
    const char *source = vmaf_path_name(search->source->path);
    TextBuffer buffer;
    FILE *line = text_begin(&buffer);
    if (!line)
        return;
    const EncodeSpec *spec = &encode->spec;
    const VideoFormat *full = &search->source->format;
    fprintf(line, "%s: %s %dx%d, %s %g%s, ", path ? path : source, spec->encoder->name,
            spec->width ? spec->width : (int)full->width,
            spec->height ? spec->height : (int)full->height, spec->encoder->quality_name, spec->q,
            output->left ? ", which misses the goal" : "");
    print_sizes(search, encode, is_film, path, line);
    print_scores(search, encode, is_film, line);
    print_work(search, line);
    char *text = text_end(&buffer, 0);
    if (text)
        print_line(out, "%s", text);
    free(text);
    char *commands = quality_commands(search, spec, path);
    if (commands)
        fprintf(out, "%s: %s", path ? "the same packets again" : "to encode it", commands);
    free(commands);
}

/* -- JSON -- */

static json_t *scores_to_json(const QualitySearch *search, const MeasuredEncode *encode,
                              bool is_film)
{
    const TuneGates *gates = &search->plan.gates;
    json_t *json = json_object();
    for (size_t i = 0; i < gates->n; i++) {
        json_t *pools = json_object();
        PooledScores pooled;
        const bool has_scores = pool_of(search, encode, is_film, gates->gate[i].name, &pooled);
        for (int pool = POOL_MEAN; has_scores && pool <= POOL_P10; pool++)
            json_put_number(pools, score_pool_name((ScorePool)pool),
                            pooled_score(&pooled, (ScorePool)pool));
        if (has_scores)
            json_object_set(json, gates->gate[i].name, pools);
        json_decref(pools);
    }
    return json;
}

static json_t *measurement_to_json(const QualitySearch *search, const MeasuredEncode *encode,
                                   bool is_film)
{
    const char *of = is_film ? "film" : "samples";
    if (encode->error)
        return json_object_of("of:t quality:o error:t", of, json_quality(encode->spec.q),
                              encode->why.text);
    json_t *json = json_object_of(
        "of:t quality:o kbps:n video_bytes:l percent:n frames:z scores:o encode_seconds:n "
        "score_seconds:n encoder_version:t cached:b",
        of, json_quality(encode->spec.q), encode->kbps, encode->stream_bytes,
        percent_of(search, encode, is_film), encode->scores.frames,
        scores_to_json(search, encode, is_film), encode->outcome.wall_ms / 1000,
        encode->scores.ms / 1000, encode->outcome.encoder_version, encode->is_cached);
    int err = 0;
    if (!is_film)
        err |= json_put_number(json, "vmaf_standard_error", standard_error(search, encode));
    if (*encode->packets)
        err |= json_put_text(json, "packets_sha256", encode->packets);
    return json_unless(err, json);
}

static json_t *measurements_of(const QualitySearch *search)
{
    const SearchRun *run = &search->run;
    json_t *json = json_array();
    for (size_t i = 0; i < run->n_encodes; i++)
        json_array_append_new(json,
                              measurement_to_json(search, &run->encodes[i], !search->samples.n));
    for (size_t i = 0; i < search->n_films; i++)
        if (search->films[i].encode == &search->films[i].own)
            json_array_append_new(json, measurement_to_json(search, search->films[i].encode, true));
    return json;
}

json_t *samples_to_json(const Samples *samples)
{
    json_t *json = json_array();
    for (size_t i = 0; i < samples->n; i++) {
        const SampleWindow *window = &samples->windows[i];
        json_array_append_new(json,
                              json_object_of("first_frame:z frames:z stands_for:z", window->first,
                                             window->frames, window->stands_for));
    }
    return json;
}

static json_t *request_of(const QualitySearch *search)
{
    const EncodeSpec *spec = &search->plan.spec;
    const SearchOptions *options = &search->plan.search;
    const double quality = search->choice->quality, most = options->max_kbps;
    return json_object_of(
        "command:t encoder:t preset:t quality:o first_quality:o last_quality:o conditions:o "
        "max_kbps:n model:t threads:i two_pass:b samples:o",
        search->session->command->name, spec->encoder->name, spec->preset,
        json_quality(quality < 0 ? NAN : quality), json_quality(options->first),
        json_quality(options->last), search_conditions(&search->plan.gates), most > 0 ? most : NAN,
        search->samples.n ? search->on_samples.model : search->on_film.model,
        search->session->options->ffmpeg_threads, spec->two_pass,
        samples_to_json(&search->samples));
}

static json_t *source_of(const QualitySearch *search)
{
    const TuneSource *source = search->source;
    json_t *json = json_object_of(
        "sha256:t width:i height:i pix_fmt:t framerate:n frames:z seconds:n kbps:n",
        *source->sha256 ? source->sha256 : NULL, source->format.width, source->format.height,
        source->pixel_format, (double)source->rate.numerator / source->rate.denominator,
        source->frames, source->seconds, quality_source_kbps(search, false));
    return json_unless(search_put_source(json, source, search->session->options), json);
}

static int put_best(json_t *json, const QualitySearch *search, const MeasuredEncode *encode,
                    bool is_film, const char *path)
{
    char *commands = quality_commands(search, &encode->spec, path);
    int err = json_put_all(json, "quality:o of:t scores:o kbps:n video_bytes:n percent:n",
                           json_quality(encode->spec.q), is_film ? "film" : "samples",
                           scores_to_json(search, encode, is_film), encode->kbps,
                           rint(bytes_of_film(search, encode, is_film)),
                           percent_of(search, encode, is_film));
    if (!is_film)
        err |= json_put_number(json, "encode_seconds",
                               encode->outcome.wall_ms / 1000 * (double)search->source->frames /
                                   (double)encode->frames);
    if (is_film && *encode->packets)
        err |= json_put_text(json, "packets_sha256", encode->packets);
    if (commands)
        err |= json_put_text(json, "commands", commands);
    free(commands);
    return err;
}

static json_t *answer_of(const QualitySearch *search, const FilmOutput *output)
{
    bool is_film;
    const MeasuredEncode *encode = quality_best(search, &is_film);
    const char *path = output->left ? output->left : output->path;
    Message why;
    if (!encode)
        quality_explain(search, &why);
    json_t *json =
        json_object_of("reached:b error:t seconds:n", encode != NULL, encode ? NULL : why.text,
                       (double)(vmaf_steady_ms() - search->start_ms) / 1000);
    int err = encode ? put_best(json, search, encode, is_film, path) : 0;
    if (path && search->n_films)
        err |= json_put_text(json, "output", path);
    return json_unless(err, json);
}

json_t *quality_record(const QualitySearch *search, const FilmOutput *output)
{
    char schema[48];
    snprintf(schema, sizeof schema, "vmaf-tune-%s/v1", search->session->command->name);
    json_t *json = json_object_of("schema:t request:o source:o measurements:o answer:o", schema,
                                  request_of(search), source_of(search), measurements_of(search),
                                  answer_of(search, output));
    const bool has_failed = search->shots && json_object_set(json, "shots", search->shots);
    return json_unless(has_failed, json);
}
