/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The video of shots: what is run for it, how it is made and measured, and whether it pays. */
#include "tune/plan/per_shot_internal.h"

#include "platform/path.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail(const ShotTuning *tuning, int error, const char *path)
{
    return command_fail(tuning->session->command, TUNE_NO_RESULT, "%s: %s", path, strerror(-error));
}

/* -- versions of the video -- */

static ShotVersion version_kept(const ShotTuning *tuning, ShotMade *made)
{
    const ShotVersion shots = {tuning->shots, tuning->n, &tuning->options};
    if (made && made->single_is_kept)
        return (ShotVersion){&made->single, 1, measurer_options(tuning->whole.measurer)};
    if (made && tuning->settings->zones)
        return (ShotVersion){&made->zoned, 1, &made->zoned_options};
    return shots;
}

/* -- commands -- */

/* To be freed; NULL without memory. */
static char *path_in(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* The file of a shot, likewise. */
static char *segment_path(const char *folder, size_t shot)
{
    char *path;
    return asprintf(&path, "%s/shot_%04zu.mkv", folder, shot) < 0 ? NULL : path;
}

/* All passes of a shot's chosen encode, at the encoder's default quality before one is chosen, as
 * people run them. */
static int add_passes(const ShotTuning *tuning, const ShotVersion *version, size_t i,
                      ShotCommands *commands, Message *why)
{
    const TunedShot *shot = &version->shots[i];
    const size_t frames = shot_frames(&shot->shot);
    const SampleWindow window = {shot->shot.first, frames, frames};
    const MeasuredEncode *chosen = shot->n_encodes ? shot_chosen(shot) : NULL;
    EncodeSpec spec = tuning->plan.spec;
    char *path = segment_path(tuning->folder, i), *log;
    if (!path || asprintf(&log, "%s.pass", path) < 0) {
        free(path);
        return message_set(why, -ENOMEM, "out of memory");
    }
    spec.q = chosen ? chosen->spec.q : spec.encoder->default_q;
    const EncodeRequest request = {
        .source = tuning->source,
        .windows = &window,
        .n_windows = 1,
        .settings = version->options->encode,
        .spec = spec,
        .output = path,
        .is_plain = true,
    };
    const int passes = encode_passes(&spec);
    int err = 0;
    for (int number = 1; number <= passes && !err; number++) {
        const EncodePass pass = {
            .number = passes > 1 ? number : 0,
            .log = log,
            .kbps = chosen ? chosen->outcome.anchor_kbps : 0,
        };
        ArgumentList plain, *quiet = &commands->items[commands->n++];
        err = encode_command(&request, &pass, &plain, why);
        ffmpeg_begin(request.settings.ffmpeg, quiet);
        if (!err)
            arguments_add_all(quiet, (const char *const *)plain.items + 1);
        err = err ? err : quiet->error;
        arguments_free(&plain);
    }
    free(log);
    free(path);
    return err;
}

/* Since the container begins; frames that keep their times have them in milliseconds. */
static long long microseconds_at(const TuneSource *source, size_t frame)
{
    const FrameRate rate = source->rate;
    if (source->is_variable)
        return 1000 *
               llround(1e3 * (source->first_frame_time + source_times_at(&source->times, frame)));
    return llround(1e6 * source->first_frame_time +
                   (double)frame * 1e6 * rate.denominator / rate.numerator);
}

/* Durations are stated, since those of files are rounded, and errors would add up; and since a last
 * frame without one is not shown of MP4 files. */
static char *list_text(const ShotTuning *tuning, const ShotVersion *version)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    for (size_t i = 0; i < version->n && out; i++) {
        const Shot *shot = &version->shots[i].shot;
        const long long us = microseconds_at(tuning->source, shot->end) -
                             microseconds_at(tuning->source, shot->first);
        fprintf(out, "file 'shot_%04zu.mkv'\nduration %lld.%06lld\n", i, us / 1000000,
                us % 1000000);
    }
    return text_end(&buffer, 0);
}

/* Joins the segments in a folder, with what else the source has. */
static void add_join(const ShotTuning *tuning, const char *folder, const char *output,
                     ArgumentList *command)
{
    const TuneSource *source = tuning->source;
    const bool takes_others = !tuning->settings->video_only && !source->is_raw;
    const long long offset = microseconds_at(source, 0);
    ffmpeg_begin(tuning->options.encode.ffmpeg, command);
    if (offset && (takes_others || source->is_variable))
        arguments_option(command, "-itsoffset", "%.6f", (double)offset / 1e6);
    arguments_option(command, "-f", "concat");
    arguments_option(command, "-safe", "0");
    arguments_option(command, "-i", "file:%s/concat.txt", folder);
    if (takes_others) {
        encode_add_source(source, command);
    }
    arguments_option(command, "-map", "0:v:0");
    if (takes_others) {
        other_streams_keep(&source->others, 1, output, command);
        arguments_option(command, "-map_metadata", "1");
        arguments_option(command, "-map_chapters", "1");
    }
    arguments_option(command, "-c:v", "copy");
    arguments_add_path(command, output);
}

int shot_commands_make(const ShotTuning *tuning, const ShotMade *made, ShotCommands *commands)
{
    const ShotVersion version = version_kept(tuning, (ShotMade *)made);
    Message why = {"out of memory"};
    *commands = (ShotCommands){.items = calloc(2 * version.n + 1, sizeof(*commands->items)),
                               .list = list_text(tuning, &version)};
    int err = commands->items && commands->list ? 0 : -ENOMEM;
    for (size_t i = 0; i < version.n && !err; i++)
        err = add_passes(tuning, &version, i, commands, &why);
    if (!err) {
        ArgumentList *joining = &commands->items[commands->n++];
        add_join(tuning, tuning->folder, tuning->settings->output, joining);
        err = joining->error;
    }
    return err ? session_fail(tuning->session, err, why.text) : 0;
}

void shot_commands_free(ShotCommands *commands)
{
    for (size_t i = 0; i < commands->n; i++)
        arguments_free(&commands->items[i]);
    free(commands->items);
    free(commands->list);
}

char *shot_script(const ShotTuning *tuning, const ShotCommands *commands)
{
    const ArgumentList folder = {.items = (char *[]){tuning->folder, NULL}, .n = 1};
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    char *line = arguments_line(&folder, " ", QUOTES_ALWAYS);
    int err = out && line ? 0 : -ENOMEM;
    if (!err)
        fprintf(out,
                "#!/bin/sh\n# An encode for each shot, and all of them joined.\nset -eu\n"
                "segments=%s\n"
                "clean() {\n"
                "    rm -f -- \"$segments\"/shot_[0-9][0-9][0-9][0-9].mkv* "
                "\"$segments/concat.txt\"\n"
                "    rmdir -- \"$segments\" 2>/dev/null || :\n"
                "}\n"
                "trap clean EXIT\ntrap 'exit 130' INT TERM\n"
                "mkdir -p -- \"$segments\"\ncat >\"$segments/concat.txt\" <<'END'\n%sEND\n",
                line, commands->list);
    free(line);
    for (size_t i = 0; i < commands->n && !err; i++) {
        line = arguments_line(&commands->items[i], " ", QUOTES_ALWAYS);
        err = line ? 0 : -ENOMEM;
        if (line)
            fprintf(out, "%s\n", line);
        free(line);
    }
    return text_end(&buffer, err);
}

/* -- zones: a quality for each shot in a single encode, in the words of the encoder -- */

int shot_zones_check(const ShotTuning *tuning)
{
    const TuneCommand *command = tuning->session->command;
    const EncodeSpec *spec = &tuning->plan.spec;
    const char *name = spec->encoder->name;
    if (strcmp(name, "libx264") != 0 && strcmp(name, "libx265") != 0)
        return command_fail(command, TUNE_USAGE,
                            "--zones: %s takes none; libx264 and libx265 do. Without --zones, each "
                            "shot is an encode of its own",
                            name);
    if (spec->two_pass)
        return command_fail(command, TUNE_USAGE, "--zones are for one pass, not for --two-pass");
    return 0;
}

/* For parameters_option: x264 has crf= in zones, x265 only what multiplies the bitrate; the
 * quantisers of both double with 6 steps of CRF. */
static char *zones_text(const ShotTuning *tuning, double base)
{
    const QualityRange *range = &tuning->plan.search.qualities;
    const bool by_quality = !strcmp(tuning->plan.spec.encoder->name, "libx264");
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

static int make_zones(const ShotTuning *tuning, double base, ShotMade *made)
{
    const MeasureOptions *options = measurer_options(tuning->whole.measurer);
    const size_t n = options->encode.n_extra;
    made->zones = zones_text(tuning, base);
    made->extra = calloc(n + 2, sizeof(*made->extra));
    if (!made->zones || !made->extra)
        return session_fail(tuning->session, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        made->extra[i] = options->encode.extra[i];
    made->extra[n] = tuning->plan.spec.encoder->parameters_option;
    made->extra[n + 1] = made->zones;
    made->zoned_options = *options;
    made->zoned_options.encode.extra = made->extra;
    made->zoned_options.encode.n_extra = n + 2;
    return 0;
}

/* Encodes and scores the whole video with zones. */
static int measure_zones(ShotTuning *tuning, ShotMade *made)
{
    const double base = shot_middle_quality(tuning);
    Measurer *measurer = NULL;
    shot_made_free(made);
    made->zoned.shot.end = tuning->source->frames;
    int status = make_zones(tuning, base, made);
    if (!status)
        status = shot_open_measurer(tuning, &made->zoned_options, &made->zoned, &measurer);
    if (!status)
        status = shot_choose(tuning, measurer, base, &made->zoned);
    measurer_close(measurer);
    made->shots = status ? NULL : shot_chosen(&made->zoned);
    return status;
}

char *shot_zones_arguments(const ShotTuning *tuning, const ShotMade *made)
{
    const EncodeSpec *spec = &tuning->plan.spec;
    const bool is_single = made->single_is_kept || tuning->n == 1;
    const MeasureOptions *options =
        is_single ? measurer_options(tuning->whole.measurer) : &made->zoned_options;
    Message why;
    ArgumentList list = {0};
    arguments_option(&list, "-c:v", "%s", spec->encoder->name);
    arguments_option(&list, "-preset", "%s",
                     encoder_find_preset(spec->encoder, spec->preset, &why));
    arguments_option(&list, "-threads", "%d", options->encode.threads);
    arguments_option(&list, "-crf", "%g", made->result->spec.q);
    for (size_t i = 0; i < options->encode.n_extra; i++)
        arguments_add(&list, options->encode.extra[i]);
    arguments_merge(&list, spec->encoder->parameters_option);
    char *text = NULL, *line = list.error ? NULL : arguments_line(&list, " ", QUOTES_WHERE_NEEDED);
    if (line && asprintf(&text, "%s\n", line) < 0)
        text = NULL;
    arguments_free(&list);
    free(line);
    return text;
}

/* -- making it -- */

/* Where it is made, beside its place, and its segments, which may have another place. */
typedef struct Workshop {
    ScratchFolder segments, video;
    char *target; /* the place, behind links */
    char *path;   /* of the video */
} Workshop;

static int open_workshop(const ShotTuning *tuning, Workshop *workshop)
{
    const ShotSettings *settings = tuning->settings;
    const char *place = settings->segment_dir, *name = vmaf_path_name(settings->output);
    *workshop = (Workshop){.segments = {NULL, VMAF_FILE_NONE}, .video = {NULL, VMAF_FILE_NONE}};
    int err = vmaf_path_behind_links(settings->output, &workshop->target);
    if (!err && place)
        err = vmaf_folder_make(place);
    char *beside = place ? path_in(place, name) : NULL;
    if (!err)
        err = scratch_folder_make(&workshop->segments, beside ? beside : workshop->target);
    free(beside);
    if (!err)
        err = scratch_folder_make(&workshop->video, workshop->target);
    if (!err) {
        workshop->path = path_in(workshop->video.path, name);
        err = workshop->path ? 0 : -ENOMEM;
    }
    return err ? fail(tuning, err, settings->output) : 0;
}

/* What was encoded is worth a look if it could not be used. */
static void close_workshop(Workshop *workshop, int status)
{
    if (status && status != TUNE_INTERRUPTED && workshop->segments.path) {
        char *kept = scratch_folder_keep(&workshop->segments, ".segments");
        if (kept)
            print_error("vmaf-tune: the encodes of the shots stay in %s", kept);
        free(kept);
    }
    scratch_folder_remove(&workshop->segments);
    scratch_folder_remove(&workshop->video);
    free(workshop->target);
    free(workshop->path);
}

/* A copy of the encode, which is made again if it is not there any more. */
static int make_segment(ShotTuning *tuning, TunedShot *shot)
{
    const MeasureOptions *options = tuning->making->options;
    const MeasuredEncode *chosen = shot_chosen(shot);
    char *path = segment_path(tuning->segments, (size_t)(shot - tuning->making->shots));
    const bool is_there = path && chosen->path && !cache_copy_file(chosen->path, path);
    EncodeSpec spec = chosen->spec;
    MeasuredEncode again = {0};
    Measurer *measurer = NULL;
    spec.keeps_file = spec.is_unscored = true;
    int status = path ? 0 : shot_fail(tuning, -ENOMEM, "out of memory");
    if (!status && !is_there)
        status = shot_open_measurer(tuning, options, shot, &measurer);
    if (measurer)
        measure_encode(measurer, &spec, NULL, &again);
    if (again.path && (again.error = cache_copy_file(again.path, path)))
        message_set(&again.why, 0, "%s: %s", path, strerror(-again.error));
    if (again.path && !options->cache && !options->encode_dir)
        remove(again.path);
    if (again.error)
        status = shot_fail(tuning, again.error, again.why.text);
    measured_encode_free(&again);
    measurer_close(measurer);
    free(path);
    return status;
}

static int run_join(ShotTuning *tuning, const Workshop *workshop)
{
    const FfmpegLimits limits = {.stop = session_interrupt};
    ArgumentList command = {0};
    Message why, what;
    add_join(tuning, workshop->segments.path, workshop->path, &command);
    const int err = ffmpeg_run(&command, &limits, &why);
    arguments_free(&command);
    if (err == -ENOENT || err == -EINVAL)
        return fail(tuning, err, tuning->options.encode.ffmpeg);
    message_set(&what, 0, "the encodes of shots could not be joined: %s", why.text);
    return err ? shot_fail(tuning, err, what.text) : 0;
}

/* Makes the video in the workshop. */
static int make_video(ShotTuning *tuning, const ShotVersion *version, const Workshop *workshop,
                      MeasuredEncode *video)
{
    const MeasuredPart all = {0};
    char *text = list_text(tuning, version), *list = path_in(workshop->segments.path, "concat.txt");
    StreamFacts facts;
    Message why;
    tuning->making = version;
    tuning->segments = workshop->segments.path;
    int err = text && list ? text_write(list, text) : -ENOMEM;
    free(list);
    free(text);
    int status = err ? fail(tuning, err, tuning->segments) : 0;
    if (!status)
        status = version->shots == tuning->shots ? shot_each(tuning, make_segment)
                                                 : make_segment(tuning, version->shots);
    if (!status)
        status = run_join(tuning, workshop);
    if (status)
        return status;
    err = measure_examine_encode(tuning->source, &all, false, workshop->path, &facts, &why);
    measured_encode_free(video);
    video->frames = facts.frames;
    video->stream_bytes = facts.bytes;
    video->kbps = stream_kbps(&facts, tuning->source->rate);
    return err ? shot_fail(tuning, err, why.text) : 0;
}

static void report_scores(void *cookie, size_t frames)
{
    const ShotTuning *tuning = cookie;
    progress_advance(tuning->scoring, "scoring", frames, tuning->source->frames);
}

static int score_video(ShotTuning *tuning, const char *path, MeasuredEncode *video)
{
    const MeasureOptions *options = measurer_options(tuning->whole.measurer);
    const ScoreOptions score = score_share(&options->score, 1);
    const ScoreControl control = {options->stop, report_scores, tuning};
    ReferenceOptions frames = {.memory = options->reference_memory};
    TuneReference *reference = NULL;
    Message why;
    int err = scorer_check(&score, &tuning->source->format, &frames.planes, &why);
    if (!err)
        err = reference_open(&reference, tuning->source, &frames, &why);
    tuning->scoring = progress_begin(options->progress, "the whole video");
    if (!err)
        err = score_encode(reference, path, &score, &control, &video->scores, &why);
    progress_end(tuning->scoring, false);
    reference_close(reference);
    if (!err && isnan(shot_mean(video, "vmaf")))
        err = message_set(&why, -ENOENT, "the whole video has no scores of VMAF");
    return err ? shot_fail(tuning, err, why.text) : 0;
}

/* -- whether it pays -- */

static int make_shots(ShotTuning *tuning, const Workshop *workshop, ShotMade *made)
{
    const ShotVersion shots = version_kept(tuning, NULL);
    int status;
    if (tuning->settings->zones)
        return measure_zones(tuning, made);
    status = make_video(tuning, &shots, workshop, &made->joined);
    if (!status)
        status = score_video(tuning, workshop->path, &made->joined);
    made->shots = &made->joined;
    return status;
}

/* Until the video holds all conditions, if shots can do that. */
static int make_best_shots(ShotTuning *tuning, const Workshop *workshop, ShotMade *made)
{
    enum { MAX_VIDEOS = 3 };
    for (bool goes_on = true; goes_on;) {
        int status = make_shots(tuning, workshop, made);
        if (status)
            return status;
        made->n_videos++;
        made->misses = shot_misses(&tuning->plan.gates, made->shots);
        goes_on = made->misses && tuning->is_reached && made->n_videos < MAX_VIDEOS;
        if (goes_on && tuning->is_lagrange)
            status = shot_tuning_correct(tuning, made->shots, &goes_on);
        else
            goes_on = goes_on && tuning->settings->zones;
        tuning->shift += goes_on && !tuning->is_lagrange;
        if (status)
            return status;
    }
    return 0;
}

/* The shots' own mean and 1 % say no less. */
static bool is_implied(const TuneGate *gate, const TuneGate *goal)
{
    return !strcmp(gate->name, goal->name) && !gate->lower_is_better &&
           (gate->pool == POOL_MEAN || gate->pool == POOL_P1);
}

/* What a single quality has to reach: all that the shots do. */
static TuneGates gates_of(const ShotTuning *tuning, const ShotMade *made)
{
    const TuneGates *asked = &tuning->plan.gates;
    const TuneGate *goal = &asked->gate[tuning->goal];
    TuneGates gates = {.n = 0};
    if (!goal->lower_is_better) {
        gates = (TuneGates){.gate = {*goal, *goal}, .n = 2};
        gates.gate[0].pool = POOL_MEAN;
        gates.gate[0].target = shot_mean(made->shots, goal->name);
        gates.gate[1].pool = POOL_P1;
        gates.gate[1].target = shot_p1(made->shots, goal->name);
    }
    for (size_t i = 0; i < asked->n && gates.n < SEARCH_MAX_GATES; i++)
        if (!(made->misses >> i & 1) && !isnan(asked->gate[i].target) &&
            !is_implied(&asked->gate[i], goal))
            gates.gate[gates.n++] = asked->gate[i];
    return gates;
}

/* The search ends once an encode that is not as good has more bits than the shots: no other can
 * replace them. */
static int find_single(ShotTuning *tuning, bool is_needed, ShotMade *made)
{
    const TuneSource *source = tuning->source;
    SearchPlan plan = tuning->plan;
    Measurer *measurer;
    made->single.shot.end = source->frames;
    if (!is_needed)
        plan.gates = gates_of(tuning, made);
    made->gates = plan.gates;
    tune_gates_for_search(&plan.gates, plan.spec.encoder, (int)source->format.height, 0,
                          &plan.search);
    plan.search.has_start = true;
    plan.search.start = shot_middle_quality(tuning);
    plan.search.max_probes = 0;
    plan.search.max_kbps = is_needed ? 0 : made->shots->kbps;
    plan.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    int status = shot_open_measurer(tuning, measurer_options(tuning->whole.measurer), &made->single,
                                    &measurer);
    if (!status)
        status = shot_search(tuning, measurer, &plan, &made->single);
    measurer_close(measurer);
    return status;
}

/* A plan that does not hold what it promised is no plan. */
static int compare(ShotTuning *tuning, ShotMade *made)
{
    const bool is_needed = made->misses && tuning->is_reached;
    made->result = made->shots;
    made->is_compared = is_needed || (tuning->settings->compares && tuning->n > 1);
    const int status = made->is_compared ? find_single(tuning, is_needed, made) : 0;
    if (status || !made->is_compared || made->single.mark != SHOT_REACHED)
        return status;
    const MeasuredEncode *single = shot_chosen(&made->single);
    made->single_is_kept = is_needed || single->stream_bytes <= made->shots->stream_bytes;
    made->result = made->single_is_kept ? single : made->shots;
    return 0;
}

int shot_deliver(ShotTuning *tuning, ShotMade *made)
{
    const bool executes = tuning->settings->execute;
    Workshop workshop = {0};
    MeasuredEncode whole = {0};
    int status = executes ? open_workshop(tuning, &workshop) : 0;
    if (!status)
        status = make_best_shots(tuning, &workshop, made);
    if (!status)
        status = compare(tuning, made);
    const ShotVersion kept = version_kept(tuning, made);
    if (!status && executes && kept.shots != tuning->shots)
        status = make_video(tuning, &kept, &workshop, &whole);
    if (!status && executes && rename(workshop.path, workshop.target))
        status = fail(tuning, -errno, tuning->settings->output);
    if (executes)
        close_workshop(&workshop, status);
    return status;
}

void shot_made_free(ShotMade *made)
{
    measured_encode_free(&made->joined);
    tuned_shot_free(&made->single);
    tuned_shot_free(&made->zoned);
    free(made->zones);
    free(made->extra);
    made->zones = NULL;
    made->extra = NULL;
}
