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

/* -- the video stream of an encode -- */

static int by_time(const void *a, const void *b)
{
    const double first = ((const StreamPacket *)a)->time, second = ((const StreamPacket *)b)->time;
    return (first > second) - (first < second);
}

static bool have_times(const MediaPackets *packets)
{
    for (size_t i = 0; i < packets->count; i++)
        if (!packets->packet[i].shown.den)
            return false;
    return true;
}

static int take_packets(StreamFacts *facts, const MediaPackets *packets, FrameRate rate)
{
    const bool are_timed = have_times(packets);
    facts->packets = malloc((packets->count + 1) * sizeof(*facts->packets));
    if (!facts->packets)
        return -ENOMEM;
    for (size_t i = 0; i < packets->count; i++) {
        const MediaTime *shown = &packets->packet[i].shown;
        facts->bytes += packets->packet[i].bytes;
        facts->packets[i].bytes = packets->packet[i].bytes;
        facts->packets[i].time = are_timed ? (double)shown->ticks * shown->num / shown->den
                                           : (double)i * rate.denominator / rate.numerator;
    }
    facts->n_packets = packets->count;
    qsort(facts->packets, facts->n_packets, sizeof(*facts->packets), by_time);
    for (size_t i = facts->n_packets; i-- > 0;)
        facts->packets[i].time -= facts->packets[0].time;
    return 0;
}

static void describe(StreamFacts *facts, const MediaProperties *properties)
{
    snprintf(facts->codec, sizeof facts->codec, "%s", properties->codec);
    snprintf(facts->profile, sizeof facts->profile, "%s", properties->profile);
    snprintf(facts->transfer, sizeof facts->transfer, "%s", properties->transfer);
    facts->level = properties->level;
    facts->width = properties->format.width;
    facts->height = properties->format.height;
    facts->bit_depth = properties->format.bit_depth;
    facts->pixel_format = properties->format.pixel_format;
}

static int examine(VideoReader *reader, int stream, FrameRate rate, StreamFacts *facts)
{
    const MediaSettings settings = {.stream = stream, .threads = 1};
    MediaPackets packets;
    int err = video_reader_start_media(reader, &settings);
    if (!err)
        err = reader->module->list_packets(reader->media, &packets, &reader->error);
    if (err)
        return err;
    describe(facts, video_reader_properties(reader));
    err = take_packets(facts, &packets, rate);
    reader->module->free_packets(&packets);
    return err;
}

int stream_examine(const char *path, int stream, FrameRate rate, StreamFacts *facts, Message *why)
{
    VideoReader reader;
    *facts = (StreamFacts){0};
    int err = video_reader_open(&reader, path);
    if (!err)
        err = examine(&reader, stream, rate, facts);
    if (err)
        message_set(why, 0, "%s: %s", path,
                    *reader.error.text ? reader.error.text : strerror(-err));
    video_reader_close(&reader);
    return err;
}

void stream_free(StreamFacts *facts)
{
    free(facts->packets);
    *facts = (StreamFacts){0};
}

static double kbps(uint64_t bytes, double seconds)
{
    return (double)bytes * 8 / 1000 / seconds;
}

static double frame_seconds(FrameRate rate)
{
    return (double)rate.denominator / rate.numerator;
}

double stream_kbps(const StreamFacts *facts, FrameRate rate)
{
    return kbps(facts->bytes, (double)facts->n_packets * frame_seconds(rate));
}

double stream_peak_kbps(const StreamFacts *facts, FrameRate rate, double seconds)
{
    const StreamPacket *packets = facts->packets;
    const double half_frame = frame_seconds(rate) / 2;
    uint64_t bytes = 0, most = 0;
    size_t first = 0;
    if (!facts->n_packets ||
        packets[facts->n_packets - 1].time + frame_seconds(rate) <= seconds + half_frame)
        return stream_kbps(facts, rate);
    for (size_t i = 0; i < facts->n_packets; i++) {
        bytes += packets[i].bytes;
        while (packets[i].time - packets[first].time >= seconds - half_frame)
            bytes -= packets[first++].bytes;
        most = bytes > most ? bytes : most;
    }
    return kbps(most, seconds);
}

/* -- measurers -- */

struct Measurer {
    const TuneSource *source;
    MeasuredPart part;
    MeasureOptions options;
    ScoreOptions score; /* with threads for its share of the machine */
    TuneReference *reference;
    VmafMutex device;   /* one comparison at a time where a device is named */
    atomic_uint names;  /* of temporary files so far */
    Measurer **samples; /* of windows that are encodes of their own, instead of a reference */
    /* The only window, the first of its frames that counts, and how many do; 0: all. */
    SampleWindow window;
    size_t first_counted, n_counted;
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
    size_t frames = measurer->n_counted;
    if (measurer->samples)
        for (size_t i = 0; i < measurer->part.n_windows; i++)
            frames += measurer_frames(measurer->samples[i]);
    return frames ? frames : reference_frames(measurer->reference);
}

/* A measurer for each window, with the frames around it. */
static int open_samples(Measurer *measurer, Message *why)
{
    const MeasuredPart *part = &measurer->part;
    MeasureOptions options = measurer->options;
    int err = 0;
    options.reference_memory /= part->n_windows;
    measurer->samples = calloc(part->n_windows, sizeof(Measurer *));
    if (!measurer->samples)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < part->n_windows && !err; i++) {
        const SampleWindow *window = &part->windows[i];
        const size_t first = window->first > part->lead ? window->first - part->lead : 0;
        size_t end = window->first + window->frames + part->lead;
        end = end < measurer->source->frames ? end : measurer->source->frames;
        const SampleWindow wide = {first, end - first, window->stands_for};
        const MeasuredPart one = {.windows = &wide, .n_windows = 1};
        Measurer **sample = &measurer->samples[i];
        err = measurer_open(sample, measurer->source, &one, &options, why);
        if (!err) {
            (*sample)->first_counted = window->first - first;
            (*sample)->n_counted = window->frames;
        }
    }
    return err;
}

static int open_reference(Measurer *measurer, unsigned planes, Message *why)
{
    const ReferenceOptions reference = {
        .windows = measurer->part.windows,
        .n_windows = measurer->part.n_windows,
        .planes = planes,
        .memory = measurer->options.reference_memory,
        .decoders = 2,
    };
    return reference_open(&measurer->reference, measurer->source, &reference, why);
}

int measurer_open(Measurer **opened, const TuneSource *source, const MeasuredPart *part,
                  const MeasureOptions *options, Message *why)
{
    Measurer *measurer = calloc(1, sizeof(*measurer));
    *opened = NULL;
    if (!measurer)
        return message_set(why, -ENOMEM, "out of memory");
    measurer->source = source;
    measurer->part = *part;
    measurer->options = *options;
    measurer->score = score_share(&options->score, options->jobs);
    vmaf_mutex_init(&measurer->device);
    if (part->n_windows == 1) {
        measurer->window = part->windows[0];
        measurer->part.windows = &measurer->window;
    }
    unsigned planes;
    int err = scorer_check(&options->score, &source->format, &planes, why);
    if (!err && options->encode_dir && (err = vmaf_folder_make(options->encode_dir)))
        message_set(why, err, "cannot make %s: %s", options->encode_dir, strerror(-err));
    if (!err)
        err = part->lead && part->n_windows ? open_samples(measurer, why)
                                            : open_reference(measurer, planes, why);
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
    for (size_t i = 0; measurer->samples && i < measurer->part.n_windows; i++)
        measurer_close(measurer->samples[i]);
    free(measurer->samples);
    reference_close(measurer->reference);
    vmaf_mutex_destroy(&measurer->device);
    free(measurer);
}

/* -- what is to be run -- */

EncodeSource measure_encode_source(const TuneSource *source)
{
    FileLayout layout = {0};
    Message ignored;
    if (source->is_raw)
        (void)video_format_layout(&source->stored, &layout, &ignored);
    return (EncodeSource){
        .path = source->encoded_path,
        .index = source->index,
        .rate = source->rate,
        .is_raw = source->is_raw,
        .width = (int)source->stored.width,
        .height = (int)source->stored.height,
        .frame_bytes = (int64_t)layout.frame_bytes,
        .pixel_format = source->pixel_format,
        .first_frame_time = source->first_frame_time,
        .count_frames = source->is_irregular,
        .is_sequence = source->is_sequence,
        .first_picture = source->first_picture,
        .ignores_errors = source->ignores_errors,
        .tick_num = source->is_variable ? source->times.num : 0,
        .tick_den = source->is_variable ? source->times.den : 0,
        .others = source->others,
        .filters = &source->filters,
        .stored_rate = source->stored_rate,
        .stored_varies = source->stored_varies,
        .input_options = source->input_options,
        .n_input_options = source->n_input_options,
    };
}

EncodeRequest measure_request(const TuneSource *source, const MeasuredPart *part,
                              const MeasureOptions *options, const EncodeSpec *spec,
                              const char *output)
{
    Keyframes keyframes = spec->keyframes;
    if (!keyframes.interval && options->keyint > 0)
        keyframes.interval = (int)fmin(fmax(1, round(options->keyint)), INT_MAX);
    else if (!keyframes.interval && options->keyint < 0)
        keyframes.interval = (int)fmin(
            fmax(1, round(-options->keyint * source->rate.numerator / source->rate.denominator)),
            INT_MAX);
    return (EncodeRequest){
        .ffmpeg = spec->ffmpeg ? spec->ffmpeg : options->ffmpeg,
        .encoder = spec->encoder,
        .preset = spec->preset,
        .q = spec->q,
        .source = measure_encode_source(source),
        .windows = part->windows,
        .n_windows = part->n_windows,
        .width = spec->width,
        .height = spec->height,
        .hdr = options->hdr,
        .pixel_format = options->pixel_format,
        .keyframes = keyframes,
        .film_grain = options->film_grain,
        .options = options->options,
        .n_options = options->n_options,
        .two_pass = spec->two_pass,
        .stats = spec->stats,
        .threads = options->ffmpeg_threads,
        .extra = options->extra,
        .n_extra = options->n_extra,
        .streams = spec->streams,
        .output = output,
    };
}

static EncodeRequest request_of(const Measurer *measurer, const EncodeSpec *spec,
                                const char *output)
{
    return measure_request(measurer->source, &measurer->part, &measurer->options, spec, output);
}

/* Where an encode is made: named after what it is if it is to be kept. */
static char *output_path(Measurer *measurer, const EncodeSpec *spec, const char *key)
{
    const MeasureOptions *options = &measurer->options;
    const char *name = vmaf_path_name(measurer->source->path), *dot = strrchr(name, '.');
    const int stem = (int)(dot && dot != name ? dot - name : (ptrdiff_t)strlen(name));
    char *path;
    if (options->film_folder)
        return asprintf(&path, "%s/%.16s%s", options->film_folder, key, options->film_extension) < 0
                   ? NULL
                   : path;
    const int length =
        options->encode_dir
            ? asprintf(&path, "%s/%.*s__%s__%s__crf%g__%.8s.mkv", options->encode_dir, stem, name,
                       spec->encoder->name,
                       spec->preset ? spec->preset : spec->encoder->default_preset, spec->q, key)
            : asprintf(&path, "%s/%.16s-%u.mkv",
                       options->work_dir ? options->work_dir : vmaf_folder_temporary(), key,
                       atomic_fetch_add(&measurer->names, 1));
    return length < 0 ? NULL : path;
}

/* An output for keys: its extension is all that matters of it. */
static int find_keys(const Measurer *measurer, const EncodeSpec *spec, MeasureKeys *keys,
                     Message *why)
{
    char name[64];
    const MeasureOptions *options = &measurer->options;
    snprintf(name, sizeof name, "output%s",
             options->film_folder ? options->film_extension : ".mkv");
    const EncodeRequest request = request_of(measurer, spec, name);
    return measure_encode_key(measurer->source, options, spec, &request, keys, why);
}

static int print_commands(const EncodeRequest *request, FILE *out, Message *why)
{
    const int passes = encode_passes(request);
    int err = 0;
    for (int pass = 1; pass <= passes && !err; pass++) {
        ArgumentList command = {0};
        const EncodePass one = {.number = passes > 1 ? pass : 0, .log = "passlog"};
        err = encode_command(request, &one, &command, why);
        char *line = err ? NULL : arguments_shell_line(&command);
        if (line)
            fprintf(out, "%s\n", line);
        free(line);
        arguments_free(&command);
    }
    return err;
}

static int print_all_commands(Measurer *measurer, const EncodeSpec *spec, FILE *out, Message *why)
{
    MeasureKeys keys;
    int err = 0;
    if (measurer->samples) {
        for (size_t i = 0; i < measurer->part.n_windows && !err; i++)
            err = print_all_commands(measurer->samples[i], spec, out, why);
        return err;
    }
    err = find_keys(measurer, spec, &keys, why);
    if (err)
        return err;
    char *path = output_path(measurer, spec, keys.encode);
    if (path) {
        const EncodeRequest request = request_of(measurer, spec, path);
        err = print_commands(&request, out, why);
    }
    free(path);
    return path ? err : message_set(why, -ENOMEM, "out of memory");
}

char *measure_command_lines(Measurer *measurer, const EncodeSpec *spec, Message *why)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    const int err = out ? print_all_commands(measurer, spec, out, why)
                        : message_set(why, -ENOMEM, "out of memory");
    return text_end(&buffer, err);
}

char *measure_plain_commands(Measurer *measurer, const EncodeSpec *spec, const char *output,
                             Message *why)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    EncodeRequest request = request_of(measurer, spec, output);
    request.is_plain = true;
    const int err =
        out ? print_commands(&request, out, why) : message_set(why, -ENOMEM, "out of memory");
    return text_end(&buffer, err);
}

/* -- encoding -- */

/* What a task shows, and what an encode or a comparison tells of itself. */
typedef struct Reporter {
    ProgressTask *task;
    size_t total;
    const Measurer *measurer;
    MeasuredEncode *measured;
} Reporter;

static void report_encode(void *cookie, const EncodeProgress *progress)
{
    const Reporter *reporter = cookie;
    static const char *const does[] = {"encoding", "encoding (1 of 2)", "encoding (2 of 2)"};
    progress_advance(reporter->task, does[progress->passes > 1 ? progress->pass : 0],
                     progress->frames, reporter->total);
}

static void report_scores(void *cookie, size_t frames)
{
    const Reporter *reporter = cookie;
    progress_advance(reporter->task, "scoring", frames, reporter->total);
}

/* Frames of the part, and seconds from the first to the last; -1: they are not known. */
static size_t demanded_frames(const TuneSource *source, const MeasuredPart *part, double *seconds)
{
    size_t frames = part->n_windows ? 0 : source->frames;
    for (size_t i = 0; i < part->n_windows; i++)
        frames += part->windows[i].frames;
    *seconds = (double)(frames - 1) * source->rate.denominator / source->rate.numerator;
    if (!source->is_variable)
        return frames;
    const size_t first = part->n_windows == 1 ? part->windows->first : 0;
    *seconds = part->n_windows > 1 ? -1
                                   : source_times_at(&source->times, first + frames - 1) -
                                         source_times_at(&source->times, first);
    return frames;
}

int measure_examine_encode(const TuneSource *source, const MeasuredPart *part, bool may_differ,
                           const char *path, StreamFacts *facts, Message *why)
{
    double seconds;
    const size_t frames = demanded_frames(source, part, &seconds);
    Message unreadable;
    const int err = stream_examine(path, -1, source->rate, facts, &unreadable);
    if (err == -ENOMEM)
        return message_set(why, err, "out of memory");
    if (err || !facts->n_packets)
        return message_set(why, -EIO, "what ffmpeg has made cannot be read");
    if (may_differ)
        return 0;
    if (facts->n_packets != frames)
        return message_set(why, -EIO,
                           "frame_count_mismatch: what ffmpeg has made has %zu frames, and the "
                           "source %zu",
                           facts->n_packets, frames);
    const double end = facts->packets[frames - 1].time;
    const double frame = (double)source->rate.denominator / source->rate.numerator;
    if (seconds >= 0 && fabs(end - seconds) > fmax(0.002, frame / 2))
        return message_set(why, -EIO,
                           "what ffmpeg has made ends after %.3f s, and the source after %.3f s",
                           end, seconds);
    return 0;
}

/* ffmpeg chooses another format where the encoder does not take the one that it is told. */
static int check_samples(const MeasureOptions *options, const StreamFacts *facts, Message *why)
{
    VideoFormat wanted = {.bit_depth = 0};
    char made[PIXEL_FORMAT_SIZE];
    const VideoFormat format = {.pixel_format = facts->pixel_format, .bit_depth = facts->bit_depth};
    if (!options->pixel_format || !pixel_format_parse(options->pixel_format, &wanted) ||
        (wanted.pixel_format == format.pixel_format && wanted.bit_depth == format.bit_depth))
        return 0;
    pixel_format_name(&format, made);
    return message_set(why, -EINVAL,
                       "the encoder does not take --pix-format %s: ffmpeg has made it %s",
                       options->pixel_format, made);
}

static int check_encode(void *cookie, const char *path, Message *why)
{
    Reporter *reporter = cookie;
    const Measurer *measurer = reporter->measurer;
    const FrameRate rate = measurer->source->rate;
    MeasuredEncode *measured = reporter->measured;
    StreamFacts facts;
    int err =
        measure_examine_encode(measurer->source, &measurer->part,
                               measurer->options.score.allows_frame_mismatch, path, &facts, why);
    if (!err)
        err = check_samples(&measurer->options, &facts, why);
    if (!err) {
        measured->stream_bytes = facts.bytes;
        measured->frames = facts.n_packets;
        measured->kbps = stream_kbps(&facts, rate);
    }
    stream_free(&facts);
    return err;
}

/* Where the encode is from now on: in the cache, or where it was made. */
static char *store_encode(const Measurer *measurer, const char *key, char *path)
{
    char *stored;
    TuneCache *cache = measurer->options.cache;
    const bool moves = !measurer->options.encode_dir;
    if (!cache || !moves || measurer->options.film_folder ||
        cache_add_file(cache, key, path, moves, &stored))
        return path;
    free(path);
    return stored;
}

/* Scores of another encode do not count, though it was made in the same way. */
static int hash_packets(const Measurer *measurer, const char *path, MeasuredEncode *measured)
{
    const FfmpegLimits limits = {.stop = measurer->options.stop};
    char before[SHA256_TEXT_SIZE];
    memcpy(before, measured->packets, sizeof before);
    const int err = ffmpeg_hash_packets(measurer->options.ffmpeg, path, &limits, measured->packets,
                                        &measured->why);
    if (!err && measured->has_scores && strcmp(before, measured->packets) != 0) {
        encode_scores_free(&measured->scores);
        measured->has_scores = false;
    }
    return err;
}

static void print_complaint(const Measurer *measurer, const MeasuredEncode *measured)
{
    char text[512];
    if (!measured->outcome.complaint[0])
        return;
    snprintf(text, sizeof text, "vmaf-tune: %s ignores settings: %s", measured->spec.encoder->name,
             measured->outcome.complaint);
    progress_warn(measurer->options.progress, text);
}

static int make_encode(Measurer *measurer, const MeasureKeys *keys, Reporter *reporter,
                       const atomic_bool *stop, MeasuredEncode *measured)
{
    const EncodeControl control = {
        .stop = stop ? stop : measurer->options.stop,
        .limit_ms = measurer->options.encode_limit_ms,
        .on_progress = report_encode,
        .check = check_encode,
        .cookie = reporter,
    };
    char *path = output_path(measurer, &measured->spec, keys->encode);
    if (!path)
        return message_set(&measured->why, -ENOMEM, "out of memory");
    const EncodeRequest request = request_of(measurer, &measured->spec, path);
    measured->is_cached = false;
    int err = encode_run(&request, &control, &measured->outcome, &measured->why);
    print_complaint(measurer, measured);
    if (err) {
        free(path);
        return err;
    }
    if (measurer->options.film_folder && (err = hash_packets(measurer, path, measured))) {
        remove(path);
        free(path);
        return err;
    }
    measured->has_encode = true;
    measured->path = store_encode(measurer, keys->encode, path);
    encode_record_store(measurer->options.cache, keys->encode, measured);
    return 0;
}

/* -- scoring -- */

static int make_scores(Measurer *measurer, const MeasureKeys *keys, Reporter *reporter,
                       const atomic_bool *stop, MeasuredEncode *measured)
{
    const ScoreControl control = {
        .stop = stop ? stop : measurer->options.stop,
        .on_progress = report_scores,
        .cookie = reporter,
    };
    const bool is_device = score_needs_device(&measurer->score);
    measured->is_cached = false;
    if (is_device)
        vmaf_mutex_lock(&measurer->device);
    const int err = score_encode(measurer->reference, measured->path, &measurer->score, &control,
                                 &measured->scores, &measured->why);
    if (is_device)
        vmaf_mutex_unlock(&measurer->device);
    measured->has_scores = !err;
    if (!err)
        score_record_store(measurer->options.cache, keys->score, &measured->scores);
    return err;
}

/* Where users find them; films have a folder of their own. */
static bool keeps_copies(const Measurer *measurer)
{
    return measurer->options.encode_dir && !measurer->options.film_folder;
}

/* What this run has made already. */
static char *find_film(Measurer *measurer, const MeasureKeys *keys, const MeasuredEncode *measured)
{
    VmafFileStatus status;
    char *path = output_path(measurer, &measured->spec, keys->encode);
    if (path && !vmaf_file_status_at(path, &status) && status.size == measured->outcome.size)
        return path;
    free(path);
    return NULL;
}

static void find_results(Measurer *measurer, const MeasureKeys *keys, MeasuredEncode *measured)
{
    TuneCache *cache = measurer->options.cache;
    measured->has_encode = encode_record_find(cache, keys->encode, measured);
    measured->has_scores =
        measured->has_encode && score_record_find(cache, keys->score, &measured->scores);
    if (measured->has_encode)
        measured->path = measurer->options.film_folder
                             ? find_film(measurer, keys, measured)
                             : cache_find_file(cache, keys->encode, measured->outcome.size);
    /* Who wants to keep it gets a file; and what has no scores needs one for them. */
    const bool needs_file =
        keeps_copies(measurer) || measured->spec.keeps_file || !measured->has_scores;
    if (measured->has_encode && needs_file && !measured->path)
        measured->has_encode = false;
}

static int keep_copy(Measurer *measurer, const MeasureKeys *keys, MeasuredEncode *measured)
{
    char *path = output_path(measurer, &measured->spec, keys->encode);
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

static int measure_one(Measurer *measurer, const atomic_bool *stop, Reporter *reporter,
                       MeasuredEncode *measured)
{
    MeasureKeys keys;
    int err = find_keys(measurer, &measured->spec, &keys, &measured->why);
    if (err)
        return err;
    find_results(measurer, &keys, measured);
    if (measured->has_encode)
        err = keeps_copies(measurer) ? keep_copy(measurer, &keys, measured) : 0;
    else
        err = make_encode(measurer, &keys, reporter, stop, measured);
    if (!err && !measured->has_scores && !measured->spec.is_unscored)
        err = make_scores(measurer, &keys, reporter, stop, measured);
    const bool is_kept = measurer->options.encode_dir || measurer->options.film_folder ||
                         (measured->spec.keeps_file && !err);
    if (measured->path && !is_kept && !measurer->options.cache) {
        remove(measured->path);
        free(measured->path);
        measured->path = NULL;
    }
    return err;
}

/* -- samples, which count as one encode -- */

static int add_scores(EncodeScores *all, EncodeScores *one, size_t first, size_t n)
{
    const bool is_first = !all->n_series;
    if (is_first) {
        all->series = calloc(one->n_series, sizeof(*all->series));
        all->n_series = all->series ? one->n_series : 0;
        all->backend = one->backend;
        all->device = one->device;
        one->backend = one->device = NULL;
    }
    for (size_t i = 0; i < all->n_series; i++) {
        ScoreSeries *series = &all->series[i];
        const ScoreSeries *more =
            is_first ? &one->series[i] : encode_scores_find(one, series->name);
        double *values = more && first + n <= one->frames
                             ? realloc(series->values, (all->frames + n) * sizeof(*values))
                             : NULL;
        if (!values)
            return -ENOMEM;
        series->values = values;
        memcpy(values + all->frames, more->values + first, n * sizeof(*values));
        if (is_first && !(series->name = strdup(more->name)))
            return -ENOMEM;
    }
    all->frames += n;
    all->ms += one->ms;
    return all->n_series ? 0 : -ENOMEM;
}

static int add_sample(const Measurer *sample, MeasuredEncode *one, MeasuredEncode *all)
{
    EncodeOutcome *sum = &all->outcome;
    const EncodeOutcome *outcome = &one->outcome;
    const EncodeOutcome before = *sum;
    *sum = *outcome;
    sum->size += before.size;
    sum->frames += before.frames;
    sum->wall_ms += before.wall_ms;
    sum->processor_ms += before.processor_ms;
    sum->has_stats = false;
    all->stream_bytes += one->stream_bytes;
    all->frames += one->frames;
    all->kbps += one->kbps * (double)sample->window.stands_for;
    all->is_cached = all->is_cached && one->is_cached;
    return add_scores(&all->scores, &one->scores, sample->first_counted, sample->n_counted);
}

static int measure_samples(Measurer *measurer, const atomic_bool *stop, Reporter *reporter,
                           MeasuredEncode *measured)
{
    double weight = 0;
    int err = 0;
    for (size_t i = 0; i < measurer->part.n_windows && !err; i++) {
        Measurer *sample = measurer->samples[i];
        MeasuredEncode one = {.spec = measured->spec, .is_cached = true};
        Reporter of_sample = {
            .task = reporter->task,
            .total = reference_frames(sample->reference),
            .measurer = sample,
            .measured = &one,
        };
        err = measure_one(sample, stop, &of_sample, &one);
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

static int measure(Measurer *measurer, const atomic_bool *stop, Reporter *reporter,
                   MeasuredEncode *measured)
{
    return measurer->samples ? measure_samples(measurer, stop, reporter, measured)
                             : measure_one(measurer, stop, reporter, measured);
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
    Reporter reporter = {
        .task = progress_begin(measurer->options.progress, name),
        .total = measurer_frames(measurer),
        .measurer = measurer,
        .measured = measured,
    };
    measured->error = measure(measurer, stop, &reporter, measured);
    progress_end(reporter.task, true);
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
