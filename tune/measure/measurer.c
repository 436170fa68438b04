/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/measurer.h"

#include "libvmaf/libvmaf.h"
#include "media/video_reader.h"
#include "platform/path.h"
#include "platform/thread.h"
#include "tune/measure/measure_internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one encode is made of, and its scores. */
typedef struct Sample {
    MeasuredPart part;
    SampleWindow window;             /* that the part is, if it is one */
    size_t first_counted, n_counted; /* of its frames */
    TuneReference *reference;
} Sample;

struct Measurer {
    const TuneSource *source;
    MeasureOptions options; /* scores have threads for their share of the machine */
    VmafMutex device;       /* one comparison at a time where a device is named */
    atomic_uint names;      /* of temporary files so far */
    Sample *samples;
    size_t n_samples;
    bool are_apart; /* their frames are put together; else there is one sample, which is all */
    const char *film_folder, *film_extension; /* see MeasuredPart */
};

const TuneSource *measurer_source(const Measurer *measurer)
{
    return measurer->source;
}

const MeasureOptions *measurer_options(const Measurer *measurer)
{
    return &measurer->options;
}

size_t measurer_frames(const Measurer *measurer)
{
    size_t frames = 0;
    for (size_t i = 0; i < measurer->n_samples; i++)
        frames += measurer->samples[i].n_counted;
    return frames;
}

/* The frames of a window, with those around it, as far as the source or its part has any. */
static void set_sample(Sample *sample, const SampleWindow *window, size_t lead,
                       const TuneSource *source)
{
    const size_t begin = source->part.first, last = begin + source->frames;
    const size_t before = lead < window->first - begin ? lead : window->first - begin;
    const size_t end = window->first + window->frames, rest = last > end ? last - end : 0;
    sample->window = (SampleWindow){
        .first = window->first - before,
        .frames = before + window->frames + (lead < rest ? lead : rest),
        .stands_for = window->stands_for,
    };
    sample->part = (MeasuredPart){.windows = &sample->window, .n_windows = 1};
    sample->first_counted = before;
    sample->n_counted = window->frames;
}

/* As much of a film as metrics remember of it. */
#define LEAD_SECONDS 0.25

static int open_samples(Measurer *measurer, const MeasuredPart *part, unsigned planes, Message *why)
{
    int err = 0;
    const FrameRate rate = measurer->source->rate;
    const size_t lead =
        part->apart ? (size_t)ceil(LEAD_SECONDS * rate.numerator / rate.denominator) : 0;
    measurer->are_apart = part->apart && part->n_windows;
    measurer->n_samples = measurer->are_apart ? part->n_windows : 1;
    measurer->samples = calloc(measurer->n_samples, sizeof(*measurer->samples));
    if (!measurer->samples)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < measurer->n_samples && !err; i++) {
        Sample *sample = &measurer->samples[i];
        sample->part = *part;
        if (measurer->are_apart || part->n_windows == 1)
            set_sample(sample, &part->windows[i], lead, measurer->source);
        const ReferenceOptions reference = {
            .windows = sample->part.windows,
            .n_windows = sample->part.n_windows,
            .planes = planes,
            .memory = measurer->options.reference_memory / measurer->n_samples,
        };
        err = reference_open(&sample->reference, measurer->source, &reference, why);
        if (!err && !measurer->are_apart)
            sample->n_counted = reference_frames(sample->reference);
    }
    return err;
}

int measurer_open(Measurer **opened, const TuneSource *source, const MeasuredPart *part,
                  const MeasureOptions *options, Message *why)
{
    Measurer *measurer = calloc(1, sizeof(*measurer));
    *opened = NULL;
    if (!measurer)
        return message_set(why, -ENOMEM, "out of memory");
    MeasuredPart taken = *part;
    if (!part->n_windows && source->part.frames) {
        taken.windows = &source->part;
        taken.n_windows = 1;
    }
    measurer->source = source;
    measurer->film_folder = part->folder;
    measurer->film_extension = part->extension;
    measurer->options = *options;
    measurer->options.score = score_share(&options->score, options->jobs);
    vmaf_mutex_init(&measurer->device);
    unsigned planes;
    int err = scorer_check(&options->score, &source->format, &planes, why);
    if (!err && options->encode_dir && (err = vmaf_folder_make(options->encode_dir)))
        message_set(why, err, "cannot make %s: %s", options->encode_dir, strerror(-err));
    if (!err)
        err = open_samples(measurer, &taken, planes, why);
    if (err)
        measurer_close(measurer);
    else
        *opened = measurer;
    return err;
}

void measurer_close(Measurer *measurer)
{
    if (!measurer)
        return;
    for (size_t i = 0; measurer->samples && i < measurer->n_samples; i++)
        reference_close(measurer->samples[i].reference);
    free(measurer->samples);
    vmaf_mutex_destroy(&measurer->device);
    free(measurer);
}

/* -- what is to be run -- */

/* One encode of a sample, from the question what it is called to its scores. */
typedef struct Job {
    Measurer *measurer;
    const Sample *sample;
    const EncodeSpec *spec;
    MeasuredEncode *measured;
    const atomic_bool *stop;
    ProgressTask *task;
    size_t frames; /* that the task shows as the end */
    MeasureKeys keys;
} Job;

static EncodeRequest request_of(const Job *job, const char *output)
{
    return (EncodeRequest){
        .source = job->measurer->source,
        .windows = job->sample->part.windows,
        .n_windows = job->sample->part.n_windows,
        .settings = job->measurer->options.encode,
        .spec = *job->spec,
        .output = output,
    };
}

/* Where an encode is made: named after what it is if it is to be kept. NULL without memory. */
static char *output_path(const Job *job)
{
    const MeasureOptions *options = &job->measurer->options;
    const EncodeSpec *spec = job->spec;
    const char *key = job->keys.encode, *work = options->work_dir;
    const char *name = vmaf_path_name(job->measurer->source->path), *dot = strrchr(name, '.');
    const int stem = (int)(dot && dot != name ? dot - name : (ptrdiff_t)strlen(name));
    char *path;
    int length;
    if (job->measurer->film_folder)
        length = asprintf(&path, "%s/%.16s%s", job->measurer->film_folder, key,
                          job->measurer->film_extension);
    else if (options->encode_dir)
        length =
            asprintf(&path, "%s/%.*s__%s__%s__crf%g__%.8s.mkv", options->encode_dir, stem, name,
                     spec->encoder->name,
                     spec->preset ? spec->preset : spec->encoder->default_preset, spec->q, key);
    else
        length = asprintf(&path, "%s/%.16s-%u.mkv", work ? work : vmaf_folder_temporary(), key,
                          atomic_fetch_add(&job->measurer->names, 1));
    return length < 0 ? NULL : path;
}

/* An output for keys: its extension is all that matters of it. */
static int find_keys(Job *job, Message *why)
{
    char name[64];
    snprintf(name, sizeof name, "output%s",
             job->measurer->film_folder ? job->measurer->film_extension : ".mkv");
    const EncodeRequest request = request_of(job, name);
    return measure_encode_key(&job->measurer->options, &request, &job->keys, why);
}

static int print_commands(const EncodeRequest *request, FILE *out, Message *why)
{
    const int passes = encode_passes(&request->spec);
    int err = 0;
    for (int pass = 1; pass <= passes && !err; pass++) {
        ArgumentList command = {0};
        const EncodePass one = {.number = passes > 1 ? pass : 0, .log = "passlog"};
        err = encode_command(request, &one, &command, why);
        char *line = err ? NULL : arguments_line(&command, " ", QUOTES_WHERE_NEEDED);
        if (line)
            fprintf(out, "%s\n", line);
        free(line);
        arguments_free(&command);
    }
    return err;
}

char *measure_command_lines(Measurer *measurer, const EncodeSpec *spec, const char *plain,
                            Message *why)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    int err = out ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < measurer->n_samples && !err; i++) {
        Job job = {.measurer = measurer, .sample = &measurer->samples[i], .spec = spec};
        err = plain ? 0 : find_keys(&job, why);
        char *path = err ? NULL : plain ? strdup(plain) : output_path(&job);
        if (!err && !path)
            err = message_set(why, -ENOMEM, "out of memory");
        EncodeRequest request = request_of(&job, path);
        request.is_plain = plain != NULL;
        if (!err)
            err = print_commands(&request, out, why);
        free(path);
    }
    return text_end(&buffer, err);
}

/* -- encoding -- */

static void report_encode(void *cookie, int pass, int passes, size_t frames)
{
    static const char *const does[] = {"encoding", "encoding (1 of 2)", "encoding (2 of 2)"};
    const Job *job = cookie;
    progress_advance(job->task, does[passes > 1 ? pass : 0], frames, job->frames);
}

static void report_scores(void *cookie, size_t frames)
{
    const Job *job = cookie;
    progress_advance(job->task, "scoring", frames, job->frames);
}

static int check_encode(void *cookie, const char *path, Message *why)
{
    const Job *job = cookie;
    const Measurer *measurer = job->measurer;
    StreamFacts facts;
    int err =
        measure_examine_encode(measurer->source, &job->sample->part,
                               measurer->options.score.allows_frame_mismatch, path, &facts, why);
    if (!err)
        err = measure_check_format(measurer->source, &measurer->options, &facts, why);
    if (!err) {
        job->measured->stream_bytes = facts.bytes;
        job->measured->frames = facts.frames;
        job->measured->kbps = stream_kbps(&facts, measurer->source->rate);
    }
    return err;
}

/* Scores of another encode do not count, though it was made in the same way. */
static int hash_packets(const Job *job, const char *path)
{
    const FfmpegLimits limits = {.stop = job->stop};
    MeasuredEncode *measured = job->measured;
    char before[SHA256_TEXT_SIZE];
    memcpy(before, measured->packets, sizeof before);
    const int err = ffmpeg_hash_packets(job->measurer->options.encode.ffmpeg, path, &limits,
                                        measured->packets, &measured->why);
    if (!err && measured->has_scores && strcmp(before, measured->packets) != 0) {
        encode_scores_free(&measured->scores);
        measured->has_scores = false;
    }
    return err;
}

static int make_encode(Job *job)
{
    const MeasureOptions *options = &job->measurer->options;
    MeasuredEncode *measured = job->measured;
    TuneCache *cache = options->cache;
    const EncodeControl control = {
        .stop = job->stop,
        .limit_ms = options->encode_limit_ms,
        .on_progress = report_encode,
        .check = check_encode,
        .cookie = job,
    };
    char *path = output_path(job), *stored;
    if (!path)
        return message_set(&measured->why, -ENOMEM, "out of memory");
    const EncodeRequest request = request_of(job, path);
    measured->is_cached = false;
    int err = encode_run(&request, &control, &measured->outcome, &measured->why);
    if (measured->outcome.complaint[0])
        progress_warn(options->progress, "vmaf-tune: %s ignores settings: %s",
                      job->spec->encoder->name, measured->outcome.complaint);
    if (!err && job->measurer->film_folder && (err = hash_packets(job, path)))
        remove(path);
    if (err) {
        free(path);
        return err;
    }
    if (cache && !options->encode_dir && !job->measurer->film_folder &&
        !cache_add_file(cache, job->keys.encode, path, &stored)) {
        free(path);
        path = stored;
    }
    measured->has_encode = true;
    measured->path = path;
    encode_record_store(cache, job->keys.encode, measured);
    return 0;
}

/* -- scoring -- */

static int make_scores(Job *job)
{
    Measurer *measurer = job->measurer;
    MeasuredEncode *measured = job->measured;
    const ScoreControl control = {.stop = job->stop, .on_progress = report_scores, .cookie = job};
    const bool is_device = score_needs_device(&measurer->options.score);
    measured->is_cached = false;
    if (is_device)
        vmaf_mutex_lock(&measurer->device);
    const int err = score_encode(job->sample->reference, measured->path, &measurer->options.score,
                                 &control, &measured->scores, &measured->why);
    if (is_device)
        vmaf_mutex_unlock(&measurer->device);
    measured->has_scores = !err;
    if (!err)
        score_record_store(measurer->options.cache, job->keys.score, &measured->scores);
    return err;
}

/* Encodes are kept where users find them; films have a folder of their own, in which is what this
 * run has made already. */
static void find_results(Job *job, bool keeps_copies)
{
    const bool is_film = job->measurer->film_folder;
    TuneCache *cache = job->measurer->options.cache;
    MeasuredEncode *measured = job->measured;
    VmafFileStatus status;
    measured->has_encode = encode_record_find(cache, job->keys.encode, measured);
    if (!measured->has_encode)
        return;
    const int64_t size = measured->outcome.size;
    measured->has_scores = score_record_find(cache, job->keys.score, &measured->scores);
    char *path = is_film ? output_path(job) : cache_find_file(cache, job->keys.encode, size);
    if (is_film && path && (vmaf_file_status_at(path, &status) || status.size != size)) {
        free(path);
        path = NULL;
    }
    measured->path = path;
    /* Who wants to keep it gets a file; and what has no scores needs one for them. */
    const bool needs_file = keeps_copies || job->spec->keeps_file || !measured->has_scores;
    measured->has_encode = path || !needs_file;
}

static int keep_copy(const Job *job)
{
    MeasuredEncode *measured = job->measured;
    char *path = output_path(job);
    const int err = path ? cache_copy_file(measured->path, path) : -ENOMEM;
    if (err) {
        message_set(&measured->why, err, "cannot write %s: %s", path ? path : "the encode",
                    strerror(-err));
        free(path);
        return err;
    }
    free(measured->path);
    measured->path = path;
    return 0;
}

static int measure_sample(Job *job)
{
    const MeasureOptions *options = &job->measurer->options;
    MeasuredEncode *measured = job->measured;
    const bool keeps_copies = options->encode_dir && !job->measurer->film_folder;
    int err = find_keys(job, &measured->why);
    if (err)
        return err;
    find_results(job, keeps_copies);
    if (!measured->has_encode)
        err = make_encode(job);
    else if (keeps_copies)
        err = keep_copy(job);
    if (!err && !measured->has_scores && !job->spec->is_unscored)
        err = make_scores(job);
    const bool is_kept = options->cache || options->encode_dir || job->measurer->film_folder ||
                         (job->spec->keeps_file && !err);
    if (measured->path && !is_kept) {
        remove(measured->path);
        free(measured->path);
        measured->path = NULL;
    }
    return err;
}

/* -- samples, which count as one encode -- */

static int add_scores(EncodeScores *all, EncodeScores *one, size_t first, size_t n)
{
    if (first + n > one->frames)
        return -ERANGE;
    if (!all->frames) { /* the first one is taken over */
        *all = *one;
        *one = (EncodeScores){0};
        for (size_t i = 0; i < all->n_series; i++)
            memmove(all->series[i].values, all->series[i].values + first, n * sizeof(double));
        all->frames = n;
        return 0;
    }
    for (size_t i = 0; i < all->n_series; i++) {
        ScoreSeries *series = &all->series[i];
        const ScoreSeries *more = encode_scores_find(one, series->name);
        double *values = more ? realloc(series->values, (all->frames + n) * sizeof(*values)) : NULL;
        if (!values)
            return -ENOMEM;
        series->values = values;
        memcpy(values + all->frames, more->values + first, n * sizeof(*values));
    }
    all->frames += n;
    all->ms += one->ms;
    return 0;
}

static int add_sample(const Sample *sample, MeasuredEncode *one, MeasuredEncode *all)
{
    const EncodeOutcome before = all->outcome;
    EncodeOutcome *sum = &all->outcome;
    *sum = one->outcome;
    sum->size += before.size;
    sum->frames += before.frames;
    sum->wall_ms += before.wall_ms;
    sum->has_stats = false;
    all->stream_bytes += one->stream_bytes;
    all->frames += one->frames;
    all->kbps += one->kbps * (double)sample->window.stands_for;
    all->is_cached = all->is_cached && one->is_cached;
    return add_scores(&all->scores, &one->scores, sample->first_counted, sample->n_counted);
}

static int measure_samples(Job *job)
{
    const Measurer *measurer = job->measurer;
    MeasuredEncode *measured = job->measured;
    double weight = 0;
    int err = 0;
    for (size_t i = 0; i < measurer->n_samples && !err; i++) {
        const Sample *sample = &measurer->samples[i];
        MeasuredEncode one = {.spec = *job->spec, .is_cached = true};
        Job of_sample = *job;
        of_sample.sample = sample;
        of_sample.measured = &one;
        of_sample.frames = reference_frames(sample->reference);
        err = measure_sample(&of_sample);
        if (err)
            measured->why = one.why;
        else if ((err = add_sample(sample, &one, measured)))
            message_set(&measured->why, err, "the scores of samples cannot be joined");
        weight += (double)sample->window.stands_for;
        measured_encode_free(&one);
    }
    measured->kbps /= weight;
    measured->has_encode = measured->has_scores = !err;
    return err;
}

/* For whoever waits where there is no terminal: hours may pass until the result. */
static void note_encode(const Measurer *measurer, const char *name, const MeasuredEncode *measured)
{
    Progress *progress = measurer->options.progress;
    PooledScores pooled;
    if (measured->error == -ECANCELED)
        return;
    if (measured->error)
        progress_note(progress, "%s: %s", name, measured->why.text);
    else if (measured_pool(measured, "vmaf", &pooled))
        progress_note(progress, "%s: %.1f kbit/s", name, measured->kbps);
    else if (measured->is_cached)
        progress_note(progress, "%s: %.1f kbit/s, VMAF %.3f, known", name, measured->kbps,
                      pooled.mean);
    else
        progress_note(progress, "%s: %.1f kbit/s, VMAF %.3f, encoded in %.1f s, scored in %.1f s",
                      name, measured->kbps, pooled.mean, measured->outcome.wall_ms / 1000,
                      measured->scores.ms / 1000);
}

void measure_encode(Measurer *measurer, const EncodeSpec *spec, const atomic_bool *stop,
                    MeasuredEncode *measured)
{
    char name[48];
    *measured = (MeasuredEncode){.spec = *spec, .is_cached = true};
    snprintf(name, sizeof name, "%s %s %g", spec->encoder->name, spec->encoder->quality_name,
             spec->q);
    Job job = {
        .measurer = measurer,
        .sample = measurer->samples,
        .spec = spec,
        .measured = measured,
        .stop = stop ? stop : measurer->options.stop,
        .task = progress_begin(measurer->options.progress, name),
        .frames = measurer_frames(measurer),
    };
    measured->error = measurer->are_apart ? measure_samples(&job) : measure_sample(&job);
    progress_end(job.task, true);
    note_encode(measurer, name, measured);
}

void measured_encode_free(MeasuredEncode *measured)
{
    encode_scores_free(&measured->scores);
    free(measured->path);
    *measured = (MeasuredEncode){0};
}

int measured_pool(const MeasuredEncode *measured, const char *name, PooledScores *pooled)
{
    const ScoreSeries *series = encode_scores_find(&measured->scores, name);
    return series ? pool_scores(series->values, measured->scores.frames, pooled) : -ENOENT;
}
