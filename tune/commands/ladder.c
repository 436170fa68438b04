/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include "platform/path.h"
#include "tune/commands/commands.h"
#include "tune/commands/report.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned usual_heights[] = {2160, 1440, 1080, 720, 540, 360, 240};

enum { N_USUAL = sizeof usual_heights / sizeof *usual_heights, LARGEST = 32768 };

static unsigned step_of_width(const VideoFormat *format)
{
    const enum VmafPixelFormat layout = format->pixel_format;
    return layout == VMAF_PIX_FMT_YUV420P || layout == VMAF_PIX_FMT_YUV422P ? 2 : 1;
}

static unsigned step_of_height(const VideoFormat *format)
{
    return format->pixel_format == VMAF_PIX_FMT_YUV420P ? 2 : 1;
}

static int parse(const char *name, LadderSize *size, Message *why)
{
    char end;
    if (sscanf(name, "%5dx%5d%c", &size->width, &size->height, &end) != 2 || size->width < 1 ||
        size->height < 1 || size->width > LARGEST || size->height > LARGEST)
        return message_set(why, -EINVAL, "--sizes: \"%s\" is no size: WIDTHxHEIGHT", name);
    return 0;
}

static int check(const LadderSize *size, const TuneSource *source, bool allows_larger, Message *why)
{
    const VideoFormat *format = &source->format;
    if ((unsigned)size->width % step_of_width(format) ||
        (unsigned)size->height % step_of_height(format))
        return message_set(why, -EINVAL, "--sizes: %dx%d is odd, which %s cannot be", size->width,
                           size->height, source->pixel_format);
    if (!allows_larger &&
        ((unsigned)size->width > format->width || (unsigned)size->height > format->height))
        return message_set(why, -EINVAL,
                           "--sizes: %dx%d is larger than the source, %ux%u "
                           "(--allow-upscale)",
                           size->width, size->height, format->width, format->height);
    return 0;
}

static int by_pixels(const void *a, const void *b)
{
    const LadderSize *x = a, *y = b;
    const long long first = (long long)x->width * x->height,
                    second = (long long)y->width * y->height;
    if (first != second)
        return first > second ? 1 : -1;
    return (x->width > y->width) - (x->width < y->width);
}

/* Sizes of the source's shape. */
static size_t add_usual(const VideoFormat *format, LadderSize *sizes)
{
    size_t n = 0;
    sizes[n].width = (int)(format->width - format->width % step_of_width(format));
    sizes[n++].height = (int)(format->height - format->height % step_of_height(format));
    for (size_t i = 0; i < N_USUAL; i++) {
        const unsigned height = usual_heights[i];
        if (height >= format->height)
            continue;
        sizes[n].width =
            2 * (int)((format->width * height + format->height) / (2 * format->height));
        sizes[n++].height = (int)height;
    }
    return n;
}

int ladder_sizes(const TextList *names, const TuneSource *source, bool allows_larger,
                 LadderSize **sizes, size_t *n, Message *why)
{
    int err = 0;
    *n = 0;
    *sizes = calloc(names->n + 1 + N_USUAL, sizeof(**sizes));
    if (!*sizes)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < names->n && !err; i++) {
        LadderSize *size = &(*sizes)[(*n)++];
        err = parse(names->text[i], size, why);
        if (!err)
            err = check(size, source, allows_larger, why);
    }
    if (err)
        return err;
    if (!names->n)
        *n = add_usual(&source->format, *sizes);
    qsort(*sizes, *n, sizeof(**sizes), by_pixels);
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (!kept || by_pixels(&(*sizes)[kept - 1], &(*sizes)[i]))
            (*sizes)[kept++] = (*sizes)[i];
    *n = kept;
    return 0;
}

/* -- targets -- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int add_target(const char *text, NumberList *targets, const char **end)
{
    char *behind;
    const double value = strtod(text, &behind);
    double *grown = realloc(targets->value, (targets->n + 1) * sizeof(*grown));
    *end = behind;
    if (!grown)
        return -ENOMEM;
    targets->value = grown;
    grown[targets->n++] = value;
    return behind == text || !(value >= 0 && value <= 100) || (*behind && *behind != ',') ? -EINVAL
                                                                                          : 0;
}

int ladder_targets(const TextList *goals, NumberList *targets, Message *why)
{
    for (size_t i = 0; i < goals->n; i++) {
        const char *goal = goals->text[i], *at = goal + 4;
        if (strncmp(goal, "vmaf=", 5) != 0)
            return message_set(why, -EINVAL,
                               "--target: \"%s\" is not vmaf=VALUE,...; other pools are --pool, "
                               "conditions of other metrics --require",
                               goal);
        do {
            const int err = add_target(at + 1, targets, &at);
            if (err == -ENOMEM)
                return message_set(why, err, "out of memory");
            if (err)
                return message_set(why, err, "--target: \"%s\" is no list of numbers 0 to 100",
                                   goal);
        } while (*at);
    }
    qsort(targets->value, targets->n, sizeof(*targets->value), by_value);
    if (targets->n > LADDER_MAX_GOALS)
        return message_set(why, -EINVAL, "more than %d targets", LADDER_MAX_GOALS);
    return 0;
}

/* -- options -- */

enum { FORMAT_FOLDER, FORMAT_HLS, FORMAT_DASH, FORMAT_JSON };

typedef struct Settings {
    SearchChoice search;
    const char *output, *report;
    TextList sizes, goals;
    NumberList targets;
    NumberList sweep;
    int tiers;
    int format;
    int spacing; /* log_bitrate, vmaf, uniform */
    int axis;
    bool any_order, allows_larger, emits;
    double segment_seconds, lowest_kbps, highest_kbps;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption encode_rows[] = {
    {"encoder", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "codec"},
    {"preset", "NAME", "the encoder's own, or as in x264 (medium)", TEXT_AT(search.preset)},
    {"sizes", "WxH,...",
     "sizes to encode (the source's, and 2160, 1440, 1080, 720, 540, 360, 240 lines)",
     NAMES_AT(sizes), .other_name = "resolutions"},
    {"allow-upscale", NULL, "sizes may be larger than the source", FLAG_AT(allows_larger)},
    {"target", "vmaf=X,...", "scores that the rungs are to reach (vmaf=60,75,85,90,95)",
     TEXTS_AT(goals)},
    {"target-vmafs", "X,...", "the same without the name", NUMBERS_AT(targets, 0, 100)},
    {"crf-sweep", "Q,...", "measure these in each size instead of searching",
     NUMBERS_AT(sweep, 0, 255)},
    {"segment-seconds", "S", "keyframes are so far apart, and peaks are averages over it (6)",
     NUMBER_AT(segment_seconds, 0.1, 3600)},
};

static const TuneOption rung_rows[] = {
    {"quality-tiers", "N", "rungs at most (5)", INTEGER_AT(tiers, 1, 100)},
    {"spacing", NULL, "what rungs are equally far apart in (log_bitrate)",
     CHOICE_AT(spacing, "log_bitrate|vmaf|uniform")},
    {"hull", NULL,
     "the convex hull that is reported is of scores over bitrates, or their "
     "logarithms (linear)",
     CHOICE_AT(axis, "linear|log")},
    {"monotone-resolution", NULL, "no rung is smaller than a cheaper one (default)",
     FLAG_OFF_AT(any_order)},
    {"no-monotone-resolution", NULL, "whatever is cheapest", FLAG_AT(any_order)},
    {"min-bitrate", "KBPS", "leave out cheaper encodes", NUMBER_AT(lowest_kbps, 0, 1e9)},
    {"max-bitrate", "KBPS", "leave out dearer encodes", NUMBER_AT(highest_kbps, 0, 1e9)},
    {"output", "FOLDER", "write the streams, master.m3u8 and manifest.mpd there", TEXT_AT(output),
     .short_name = 'o', .file = TUNE_FILE_TEXT},
    {"format", NULL, "-o is a file for this manifest alone (hls, if it is named *.*)",
     CHOICE_AT(format, "folder|hls|dash|json")},
    {"emit-media", NULL, "write the streams beside that file, too", FLAG_AT(emits)},
    {"report", "FILE", "also write a .json, .csv, .md or .html", TEXT_AT(report),
     .file = TUNE_FILE_TEXT},
};

static const double default_targets[] = {60, 75, 85, 90, 95};

/* -- what is asked for -- */

static bool is_file_name(const char *output)
{
    VmafFileStatus status;
    if (!output || !strcmp(output, "-"))
        return true;
    if (!vmaf_file_status_at(output, &status))
        return status.kind != VMAF_FILE_FOLDER;
    return strchr(vmaf_path_name(output), '.') != NULL;
}

static int check_output(const Session *session, Settings *settings)
{
    const TuneCommand *command = session->command;
    if (settings->format == FORMAT_FOLDER && is_file_name(settings->output))
        settings->format = FORMAT_HLS;
    settings->emits |= settings->format == FORMAT_FOLDER;
    if (settings->emits && (!settings->output || !strcmp(settings->output, "-")))
        return command_fail(command, TUNE_USAGE,
                            "--emit-media needs a file for the manifest: --output");
    if (settings->emits && session->options->sample_seconds > 0)
        return command_fail(command, TUNE_USAGE,
                            "streams need all of the video, not --sample-clip-seconds");
    if (settings->format == FORMAT_FOLDER)
        return 0;
    return command_check_output(command, settings->output) ? 0 : TUNE_USAGE;
}

static int check_settings(const Session *session, Settings *settings)
{
    Message why;
    if (settings->highest_kbps > 0 && settings->lowest_kbps > settings->highest_kbps)
        return command_fail(session->command, TUNE_USAGE, "--min-bitrate is above --max-bitrate");
    const int err = ladder_targets(&settings->goals, &settings->targets, &why);
    if (err)
        return session_fail(session, err, why.text);
    return check_output(session, settings);
}

static LadderOptions read_options(const Settings *settings, const SearchPlan *plan)
{
    const double most = plan->search.max_kbps;
    LadderOptions options = {
        .n_rungs = (size_t)settings->tiers,
        .spacing = settings->spacing ? RUNGS_BY_SCORE : RUNGS_BY_LOG_BITRATE,
        .axis = settings->axis ? HULL_LOG : HULL_LINEAR,
        .any_order = settings->any_order,
        .lowest_kbps = settings->lowest_kbps,
        .highest_kbps = settings->highest_kbps,
        .max_encodes = settings->search.max_iterations,
        .sweep = settings->sweep.value,
        .n_sweep = settings->sweep.n,
    };
    if (most > 0 && !(options.highest_kbps > 0 && options.highest_kbps < most))
        options.highest_kbps = most;
    return options;
}

/* -- the encodes -- */

/* All rungs have keyframes where segments begin: whole frames, so that this is exact. */
static int place_keyframes(Ladder *ladder, double seconds, size_t frames)
{
    const FrameRate rate = ladder->source->rate;
    const double fps = (double)rate.numerator / rate.denominator;
    const size_t step = seconds * fps < 1 ? 1 : (size_t)llround(seconds * fps);
    ladder->segment_seconds = (double)step / fps;
    ladder->key_times = calloc(frames / step + 1, sizeof(*ladder->key_times));
    if (!ladder->key_times)
        return -ENOMEM;
    for (size_t frame = step; frame < frames; frame += step)
        ladder->key_times[ladder->n_key_times++] = (double)frame / fps;
    ladder->plan.spec.keyframes = (Keyframes){
        .interval = step > INT32_MAX ? 0 : (int)step,
        .forced = ladder->key_times,
        .n_forced = ladder->n_key_times,
    };
    return 0;
}

/* What is encoded in all sizes. */
static int make_plan(Session *session, const Settings *settings, const TuneSource *source,
                     SessionEncoder *found, SearchPlan *plan)
{
    const int status = session_find_encoder(session, settings->search.encoder, found);
    if (status)
        return status;
    const Encoder *encoder = found->encoder;
    for (size_t i = 0; i < settings->sweep.n; i++)
        if (settings->sweep.value[i] < encoder->qualities.lowest ||
            settings->sweep.value[i] > encoder->qualities.highest)
            return command_fail(session->command, TUNE_USAGE, "%s has %s from %d to %d",
                                encoder->name, encoder->quality_name, encoder->qualities.lowest,
                                encoder->qualities.highest);
    return search_make_plan(session, &settings->search, source, found, plan);
}

static int set_goals(const Settings *settings, Ladder *ladder)
{
    const NumberList *targets = &settings->targets;
    ladder->targets = targets->n ? targets->value : default_targets;
    ladder->n_targets = targets->n ? targets->n : sizeof default_targets / sizeof *default_targets;
    ladder->goals = calloc(ladder->n_targets, sizeof(*ladder->goals));
    for (size_t i = 0; ladder->goals && i < ladder->n_targets; i++) {
        SearchPlan plan = ladder->plan;
        search_set_target(&plan, ladder->source, &settings->search, ladder->targets[i]);
        ladder->goals[i] = plan.search;
    }
    return ladder->goals ? 0 : -ENOMEM;
}

/* -- the result -- */

typedef void Printer(const Ladder *ladder, FILE *out);

static int print_manifest(const Ladder *ladder, Printer *print, const char *path)
{
    TextBuffer text;
    if (text_begin(&text))
        print(ladder, text.out);
    return result_print(&text, ladder->session->command, path, 0);
}

/* The playlist of the file, beside the manifest. */
static int print_playlist(const Ladder *ladder, const LadderTrack *track, const char *manifest)
{
    TextBuffer text;
    ArgumentList path = {0};
    arguments_print(&path, "%.*s%s.m3u8", (int)(vmaf_path_name(manifest) - manifest), manifest,
                    track->name);
    if (text_begin(&text))
        ladder_print_playlist(track, text.out);
    const int status = result_print(&text, ladder->session->command,
                                    path.error ? NULL : path.items[0], path.error);
    arguments_free(&path);
    return status;
}

/* The playlists first: whoever finds the master playlist finds all. */
static int print_hls(const Ladder *ladder, const char *manifest)
{
    int status = 0;
    for (size_t i = 0; ladder->has_media && i < ladder->n_rungs && !status; i++)
        status = print_playlist(ladder, &ladder->rungs[i].track, manifest);
    for (size_t i = 0; i < ladder->n_audio && !status; i++)
        status = print_playlist(ladder, &ladder->audio[i], manifest);
    return status ? status : print_manifest(ladder, ladder_print_hls, manifest);
}

static int print(const Ladder *ladder, int format, const char *output)
{
    if (format == FORMAT_JSON)
        return result_print_json(ladder->session->command, output, ladder_record(ladder));
    if (format == FORMAT_DASH)
        return print_manifest(ladder, ladder_print_dash, output);
    return print_hls(ladder, output);
}

/* What each rung is, which manifests do not tell. */
static void report_rungs(const Ladder *ladder)
{
    const char *qualities = ladder->plan.spec.encoder->quality_name;
    for (size_t i = 0; i < ladder->n_rungs; i++) {
        const EncodePoint *point = &ladder->rungs[i].point;
        progress_print(ladder->session->progress,
                       "%5dx%-5d %s %-3g %9.1f kbit/s, at most %9.1f, VMAF %7.3f", point->width,
                       point->height, qualities, point->q, point->kbps,
                       ladder->rungs[i].track.peak_kbps, point->score);
    }
    progress_print(ladder->session->progress, "%zu encodes", ladder->n_encodes);
}

static int make_ladder(Ladder *ladder, const char *output, int format, bool emits)
{
    Message why;
    int err = ladder_sample(ladder, &why);
    if (!err)
        err = ladder_find_rungs(ladder, &why);
    if (!err && emits)
        err = ladder_emit(ladder, output, &why);
    if (err)
        return session_fail(ladder->session, err, why.text);
    report_rungs(ladder);
    return print(ladder, format, output);
}

static int make_folder(Ladder *ladder, const char *folder)
{
    ArgumentList paths = {0};
    arguments_print(&paths, "%s/master.m3u8", folder);
    arguments_print(&paths, "%s/manifest.mpd", folder);
    int err = paths.error ? paths.error : vmaf_folder_make(folder);
    int status =
        err ? command_fail(ladder->session->command, TUNE_USAGE, "%s: %s", folder, strerror(-err))
            : make_ladder(ladder, paths.items[0], FORMAT_HLS, true);
    if (!status)
        status = print(ladder, FORMAT_DASH, paths.items[1]);
    arguments_free(&paths);
    return status;
}

static int dry_run(const Ladder *ladder)
{
    const LadderOptions *options = ladder->options;
    Measurer *measurer = ladder->measurer->measurer;
    int status = 0;
    for (size_t i = 0; i < ladder->n_sizes && !status; i++) {
        EncodeSpec spec = ladder_spec(ladder, &ladder->sizes[i]);
        if (!options->n_sweep)
            status = session_print_example(ladder->session, measurer, &spec);
        for (size_t k = 0; k < options->n_sweep && !status; k++) {
            spec.q = options->sweep[k];
            status = session_print_commands(ladder->session, measurer, &spec);
        }
    }
    return status;
}

static int measure(Session *session, const Settings *settings, Ladder *ladder)
{
    SessionMeasurer measurer = {0};
    int status = session_open_measurer(session, ladder->source, NULL, &measurer);
    if (!status) {
        ladder->measurer = &measurer;
        /* Without a cache they would be gone when it is known which ones are rungs. */
        ladder->plan.spec.keeps_file = !measurer_options(measurer.measurer)->cache;
        const size_t frames = measurer_frames(measurer.measurer);
        if (place_keyframes(ladder, settings->segment_seconds, frames) ||
            set_goals(settings, ladder))
            status = session_fail(session, -ENOMEM, "out of memory");
        else if (session->options->dry_run)
            status = dry_run(ladder);
        else if (settings->format == FORMAT_FOLDER)
            status = make_folder(ladder, settings->output);
        else
            status = make_ladder(ladder, settings->output, settings->format, settings->emits);
        if (!status && settings->report && !session->options->dry_run)
            status = report_write(session->command, settings->report, ladder_record(ladder));
    }
    ladder_free(ladder);
    session_close_measurer(&measurer);
    return status;
}

static int run_session(Session *session, const TuneSource *source, void *cookie)
{
    Settings *settings = cookie;
    SessionEncoder encoder;
    Ladder ladder = {.session = session, .source = source};
    Message why;
    int status = check_settings(session, settings);
    if (!status)
        status = make_plan(session, settings, source, &encoder, &ladder.plan);
    if (status)
        return status;
    const LadderOptions options = read_options(settings, &ladder.plan);
    ladder.options = &options;
    const int err = ladder_sizes(&settings->sizes, source, settings->allows_larger, &ladder.sizes,
                                 &ladder.n_sizes, &why);
    if (!err)
        return measure(session, settings, &ladder);
    ladder_free(&ladder);
    return session_fail(session, err, why.text);
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    return session_run(command, options, 0, run_session, cookie);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .search = search_choice(),
        .tiers = 5,
        .segment_seconds = 6,
    };
    const OptionGroup groups[] = {
        {"Samples", encode_rows, sizeof encode_rows / sizeof *encode_rows, &settings},
        {"Ladder", rung_rows, sizeof rung_rows / sizeof *rung_rows, &settings},
        search_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 3, begin, &settings);
}

const TuneCommand ladder_command = {
    .takes_all = true,
    .name = "ladder",
    .operands = "SOURCE",
    .summary = "bitrates and sizes for adaptive streaming, as a manifest",
    .examples = "  vmaf-tune ladder film.mkv --encoder libx265 -o stream\n"
                "  vmaf-tune ladder film.mkv --sizes 1920x1080,1280x720,640x360 \\\n"
                "      --target vmaf=95,90,80,70 --format json -o film.json\n",
    .run = run_command,
};
