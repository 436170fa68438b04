/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/plan/ladder_internal.h"

#include "platform/file.h"
#include "platform/path.h"
#include "tune/command/commands.h"
#include "tune/command/report.h"
#include "tune/options/options.h"
#include "tune/options/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- sizes -- */

static const int usual_heights[] = {2160, 1440, 1080, 720, 540, 360, 240};

enum { N_USUAL = sizeof usual_heights / sizeof *usual_heights, LARGEST = 32768 };

static int by_pixels(const void *a, const void *b)
{
    const LadderCurve *x = &((const LadderSize *)a)->curve, *y = &((const LadderSize *)b)->curve;
    const long long first = (long long)x->width * x->height,
                    second = (long long)y->width * y->height;
    if (first != second)
        return first > second ? 1 : -1;
    return (x->width > y->width) - (x->width < y->width);
}

/* One of the user's: no larger than the source, if that is not allowed, and even where its chroma
 * demands it. */
static int read_size(const Ladder *ladder, const char *name, LadderCurve *size, Message *why)
{
    const VideoFormat *format = &ladder->source->format;
    const enum VmafPixelFormat layout = format->pixel_format;
    char end;
    if (sscanf(name, "%5dx%5d%c", &size->width, &size->height, &end) != 2 || size->width < 1 ||
        size->height < 1 || size->width > LARGEST || size->height > LARGEST)
        return message_set(why, -EINVAL, "--sizes: \"%s\" is no size: WIDTHxHEIGHT", name);
    if ((size->width % 2 && (layout == VMAF_PIX_FMT_YUV420P || layout == VMAF_PIX_FMT_YUV422P)) ||
        (size->height % 2 && layout == VMAF_PIX_FMT_YUV420P))
        return message_set(why, -EINVAL, "--sizes: %s is odd, which %s cannot be", name,
                           ladder->source->pixel_format);
    if (!ladder->settings->allows_larger &&
        (size->width > (int)format->width || size->height > (int)format->height))
        return message_set(why, -EINVAL,
                           "--sizes: %s is larger than the source, %ux%u (--allow-upscale)", name,
                           format->width, format->height);
    return 0;
}

/* The source's, and usual heights below it of the same shape. */
static size_t add_usual(const VideoFormat *format, LadderSize *sizes)
{
    const int width = (int)format->width, height = (int)format->height;
    const enum VmafPixelFormat layout = format->pixel_format;
    const bool is_halved = layout == VMAF_PIX_FMT_YUV420P || layout == VMAF_PIX_FMT_YUV422P;
    size_t n = 0;
    sizes[n++].curve =
        (LadderCurve){.width = is_halved ? width & ~1 : width,
                      .height = layout == VMAF_PIX_FMT_YUV420P ? height & ~1 : height};
    for (size_t i = 0; i < N_USUAL; i++)
        if (usual_heights[i] < height)
            sizes[n++].curve =
                (LadderCurve){.width = 2 * ((width * usual_heights[i] + height) / (2 * height)),
                              .height = usual_heights[i]};
    return n;
}

/* From small to large, each once. */
static int choose_sizes(Ladder *ladder, Message *why)
{
    const TextList *names = &ladder->settings->sizes;
    LadderSize *sizes = ladder->sizes = calloc(names->n + 1 + N_USUAL, sizeof(*sizes));
    size_t n = names->n;
    int err = sizes ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n && !err; i++)
        err = read_size(ladder, names->text[i], &sizes[i].curve, why);
    if (err)
        return err;
    if (!n)
        n = add_usual(&ladder->source->format, sizes);
    qsort(sizes, n, sizeof(*sizes), by_pixels);
    for (size_t i = 0; i < n; i++)
        if (!ladder->n_sizes || by_pixels(&sizes[ladder->n_sizes - 1], &sizes[i]))
            sizes[ladder->n_sizes++] = sizes[i];
    return 0;
}

/* -- options -- */

enum { FORMAT_FOLDER, FORMAT_HLS, FORMAT_DASH, FORMAT_JSON };

#define AT(member) .target = offsetof(LadderSettings, member)

static const TuneOption encode_rows[] = {
    {"encoder", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "codec", .has_settings = true},
    {"preset", "NAME", "the encoder's own, or as in x264 (medium)", TEXT_AT(search.preset)},
    {"sizes", "WxH,...",
     "sizes to encode (the source's, and 2160, 1440, 1080, 720, 540, 360, 240 lines)",
     NAMES_AT(sizes), .other_name = "resolutions"},
    {"allow-upscale", NULL, "sizes may be larger than the source", FLAG_AT(allows_larger)},
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

static int check_settings(const Session *session, LadderSettings *settings)
{
    const TuneCommand *command = session->command;
    const char *output = settings->output;
    if (settings->highest_kbps > 0 && settings->lowest_kbps > settings->highest_kbps)
        return command_fail(command, TUNE_USAGE, "--min-bitrate is above --max-bitrate");
    if (settings->goals.values.n > LADDER_MAX_GOALS)
        return command_fail(command, TUNE_USAGE, "more than %d targets", LADDER_MAX_GOALS);
    if (settings->format == FORMAT_FOLDER && is_file_name(output))
        settings->format = FORMAT_HLS;
    settings->emits |= settings->format == FORMAT_FOLDER;
    if (settings->emits && (!output || !strcmp(output, "-")))
        return command_fail(command, TUNE_USAGE,
                            "--emit-media needs a file for the manifest: --output");
    if (settings->emits && session->options->sample_seconds > 0)
        return command_fail(command, TUNE_USAGE,
                            "streams need all of the video, not --sample-clip-seconds");
    if (settings->format == FORMAT_FOLDER)
        return 0;
    return command_check_output(command, output) ? 0 : TUNE_USAGE;
}

/* -- the encodes -- */

/* All rungs have keyframes where segments begin: whole frames, so that this is exact. */
static int place_keyframes(Ladder *ladder, size_t frames)
{
    const FrameRate rate = ladder->source->rate;
    const double fps = (double)rate.numerator / rate.denominator;
    const size_t step = (size_t)fmax(1, round(ladder->settings->segment_seconds * fps));
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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_falling_value(const void *a, const void *b)
{
    return by_value(b, a);
}

/* From that which least is to be done for. */
static int set_goals(Ladder *ladder)
{
    const NumberList *values = &ladder->settings->goals.values;
    qsort(values->value, values->n, sizeof(*values->value),
          ladder->plan.gates.gate[0].lower_is_better ? by_falling_value : by_value);
    ladder->goals = calloc(values->n, sizeof(*ladder->goals));
    for (size_t i = 0; ladder->goals && i < values->n; i++) {
        SearchPlan plan = ladder->plan;
        search_set_target(&plan, ladder->source, &ladder->settings->search, values->value[i]);
        ladder->goals[i] = plan.search;
    }
    return ladder->goals ? 0 : -ENOMEM;
}

/* What is encoded in all sizes. */
static int make_plan(Session *session, LadderSettings *settings, Ladder *ladder)
{
    SessionEncoder found;
    Message why;
    int status = session_find_encoder(session, settings->search.encoder, &found);
    for (size_t i = 0; i < settings->sweep.n && !status; i++)
        status = session_check_quality(session, &found, settings->sweep.value[i]);
    if (!status)
        status =
            search_make_plan(session, &settings->search, ladder->source, &found, &ladder->plan);
    const double most = ladder->plan.search.max_kbps;
    if (most > 0 && !(settings->highest_kbps > 0 && settings->highest_kbps < most))
        settings->highest_kbps = most;
    const int err = status ? 0 : choose_sizes(ladder, &why);
    return err ? session_fail(session, err, why.text) : status;
}

/* -- the result -- */

static int print_manifest(const Ladder *ladder, void (*print)(const Ladder *ladder, FILE *out),
                          const char *path)
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
    char *path = ladder_path(ladder, manifest, track->name, "m3u8");
    if (text_begin(&text))
        ladder_print_playlist(track, text.out);
    const int status = result_print(&text, ladder->session->command, path, path ? 0 : -ENOMEM);
    free(path);
    return status;
}

/* The playlists first: whoever finds the master playlist finds all. */
static int print_hls(const Ladder *ladder, const char *manifest)
{
    int status = 0;
    for (size_t i = 0; ladder->settings->emits && i < ladder->n_rungs && !status; i++)
        status = print_playlist(ladder, &ladder->rungs[i].track, manifest);
    for (size_t i = 0; i < ladder->n_audio && !status; i++)
        status = print_playlist(ladder, &ladder->audio[i], manifest);
    return status ? status : print_manifest(ladder, ladder_print_hls, manifest);
}

/* What each rung is, which manifests do not tell. */
static void report_rungs(const Ladder *ladder)
{
    const TuneGate *main = &ladder->plan.gates.gate[0];
    char label[GATE_LABEL_SIZE];
    tune_gate_label(main, label);
    for (size_t i = 0; i < ladder->n_rungs; i++) {
        const EncodePoint *point = &ladder->rungs[i].point;
        progress_print(ladder->session->progress,
                       "%5dx%-5d %s %-3g %9.1f kbit/s, at most %9.1f, %s %7.3f", point->width,
                       point->height, ladder->plan.spec.encoder->quality_name, point->q,
                       point->kbps, ladder->rungs[i].track.peak_kbps, label,
                       main->lower_is_better ? -point->score : point->score);
    }
    progress_print(ladder->session->progress, "%zu encode%s", ladder->n_encodes,
                   ladder->n_encodes == 1 ? "" : "s");
}

/* Measures, and prints the first of the manifests. */
static int make_ladder(Ladder *ladder, const char *output, int format)
{
    const char *manifest = ladder->settings->emits ? output : NULL;
    Message why;
    int err = manifest ? ladder_make_audio(ladder, NULL, &why) : 0;
    if (!err)
        err = ladder_sample(ladder, &why);
    if (!err)
        err = ladder_find_rungs(ladder, &why);
    if (!err)
        err = ladder_make_tracks(ladder, manifest, &why);
    if (err)
        return session_fail(ladder->session, err, why.text);
    report_rungs(ladder);
    if (format == FORMAT_JSON)
        return result_print_json(ladder->session->command, output, ladder_record(ladder));
    return format == FORMAT_DASH ? print_manifest(ladder, ladder_print_dash, output)
                                 : print_hls(ladder, output);
}

static int make_folder(Ladder *ladder, const char *folder)
{
    enum { MOST = 16 << 20 };
    ArgumentList paths = {0};
    char *earlier = NULL;
    size_t size;
    arguments_print(&paths, "%s/master.m3u8", folder);
    arguments_print(&paths, "%s/manifest.mpd", folder);
    const int err = paths.error ? paths.error : vmaf_folder_make(folder);
    if (!err && vmaf_file_load(paths.items[0], MOST, &earlier, &size))
        earlier = NULL; /* there was no ladder */
    int status =
        err ? command_fail(ladder->session->command, TUNE_USAGE, "%s: %s", folder, strerror(-err))
            : make_ladder(ladder, paths.items[0], FORMAT_HLS);
    if (!status)
        status = print_manifest(ladder, ladder_print_dash, paths.items[1]);
    if (!status && earlier)
        ladder_remove_old(ladder, paths.items[0], earlier);
    free(earlier);
    arguments_free(&paths);
    return status;
}

static int dry_run(const Ladder *ladder)
{
    const NumberList *sweep = &ladder->settings->sweep;
    Measurer *measurer = ladder->measurer->measurer;
    int status = 0;
    for (size_t i = 0; i < ladder->n_sizes && !status; i++) {
        EncodeSpec spec = ladder_spec(ladder, &ladder->sizes[i].curve);
        if (!sweep->n)
            status = session_print_example(ladder->session, measurer, &spec);
        for (size_t k = 0; k < sweep->n && !status; k++) {
            spec.q = sweep->value[k];
            status = session_print_commands(ladder->session, measurer, &spec);
        }
    }
    return status;
}

static int measure(Session *session, Ladder *ladder)
{
    const LadderSettings *settings = ladder->settings;
    SessionMeasurer measurer = {0};
    int status = session_open_measurer(session, ladder->source, NULL, &measurer);
    if (!status) {
        ladder->measurer = &measurer;
        /* Without a cache they would be gone when it is known which ones are rungs. */
        ladder->plan.spec.keeps_file = !measurer_options(measurer.measurer)->cache;
        if (place_keyframes(ladder, measurer_frames(measurer.measurer)) || set_goals(ladder))
            status = session_fail(session, -ENOMEM, "out of memory");
        else if (session->options->dry_run)
            status = dry_run(ladder);
        else if (settings->format == FORMAT_FOLDER)
            status = make_folder(ladder, settings->output);
        else
            status = make_ladder(ladder, settings->output, settings->format);
        if (!status && settings->report && !session->options->dry_run)
            status = report_file_write(session->command, settings->report, ladder_record(ladder));
    }
    ladder_free(ladder);
    session_close_measurer(&measurer);
    return status;
}

static int run_session(Session *session, const TuneSource *source, void *cookie)
{
    LadderSettings *settings = cookie;
    Ladder ladder = {.session = session, .source = source, .settings = settings};
    goals_lead(&settings->goals, &session->gates);
    int status = check_settings(session, settings);
    if (!status)
        status = make_plan(session, settings, &ladder);
    if (!status)
        return measure(session, &ladder);
    ladder_free(&ladder);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    static double usual[] = {60, 75, 85, 90, 95};
    LadderSettings *settings = cookie;
    const NumberList scores = {usual, sizeof usual / sizeof *usual};
    return goals_run(&settings->goals, command, options, &scores, run_session, settings);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    LadderSettings settings = {
        .search = search_choice(),
        .tiers = 5,
        .segment_seconds = 6,
    };
    const OptionGroup groups[] = {
        {"Samples", encode_rows, sizeof encode_rows / sizeof *encode_rows, &settings},
        goals_option_group(&settings.goals),
        {"Ladder", rung_rows, sizeof rung_rows / sizeof *rung_rows, &settings},
        search_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 4, begin, &settings);
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
