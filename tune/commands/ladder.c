/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include "tune/commands/commands.h"
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
        return message_set(why, -EINVAL, "--resolutions: \"%s\" is no size: WIDTHxHEIGHT", name);
    return 0;
}

static int check(const LadderSize *size, const TuneSource *source, bool allows_larger, Message *why)
{
    const VideoFormat *format = &source->format;
    if ((unsigned)size->width % step_of_width(format) ||
        (unsigned)size->height % step_of_height(format))
        return message_set(why, -EINVAL, "--resolutions: %dx%d is odd, which %s cannot be",
                           size->width, size->height, source->pixel_format);
    if (!allows_larger &&
        ((unsigned)size->width > format->width || (unsigned)size->height > format->height))
        return message_set(why, -EINVAL,
                           "--resolutions: %dx%d is larger than the source, %ux%u "
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
    sizes[n++] = (LadderSize){(int)(format->width - format->width % step_of_width(format)),
                              (int)(format->height - format->height % step_of_height(format))};
    for (size_t i = 0; i < N_USUAL; i++) {
        const unsigned height = usual_heights[i];
        if (height < format->height)
            sizes[n++] = (LadderSize){
                2 * (int)((format->width * height + format->height) / (2 * format->height)),
                (int)height};
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

enum { FORMAT_HLS, FORMAT_DASH, FORMAT_JSON };

typedef struct Settings {
    SearchChoice search;
    const char *output;
    TextList sizes;
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
    {"preset", "NAME", "as in x264, whatever the encoder (medium)", TEXT_AT(search.preset)},
    {"resolutions", "WxH,...",
     "sizes to encode (the source's, and 2160, 1440, 1080, 720, 540, 360, 240 lines)",
     NAMES_AT(sizes)},
    {"allow-upscale", NULL, "sizes may be larger than the source", FLAG_AT(allows_larger)},
    {"target-vmafs", "X,...", "scores that the rungs are to reach (60,75,85,90,95)",
     NUMBERS_AT(targets, 0, 100)},
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
    {"format", NULL, "of the manifest", CHOICE_AT(format, "hls|dash|json")},
    {"output", "FILE", "write the manifest to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"emit-media", NULL, "write the rungs, too, beside the file of --output", FLAG_AT(emits)},
};

static const double default_targets[] = {60, 75, 85, 90, 95};

/* -- what is asked for -- */

static int check_settings(const Session *session, const Settings *settings)
{
    if (settings->emits && (!settings->output || !strcmp(settings->output, "-")))
        return command_fail(session->command, TUNE_USAGE,
                            "--emit-media needs a file for the manifest: --output");
    if (settings->emits && session->options->sample_seconds > 0)
        return command_fail(session->command, TUNE_USAGE,
                            "--emit-media needs all of the video, not --sample-clip-seconds");
    if (!command_check_output(session->command, settings->output))
        return TUNE_USAGE;
    if (settings->highest_kbps > 0 && settings->lowest_kbps > settings->highest_kbps)
        return command_fail(session->command, TUNE_USAGE, "--min-bitrate is above --max-bitrate");
    return 0;
}

static int read_options(const Session *session, const Settings *settings, LadderOptions *options)
{
    *options = (LadderOptions){
        .n_rungs = (size_t)settings->tiers,
        .spacing = settings->spacing ? RUNGS_BY_SCORE : RUNGS_BY_LOG_BITRATE,
        .axis = settings->axis ? HULL_LOG : HULL_LINEAR,
        .any_order = settings->any_order,
        .lowest_kbps = settings->lowest_kbps,
        .highest_kbps = settings->highest_kbps,
    };
    return check_settings(session, settings);
}

/* -- the encodes -- */

/* All rungs have keyframes where segments begin: whole frames, so that this is exact. */
static int place_keyframes(Ladder *ladder, double seconds, size_t frames, Keyframes *keyframes)
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
    *keyframes = (Keyframes){
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

/* What is encoded in all sizes. */
static int make_plan(Session *session, Settings *settings, const TuneSource *source,
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
    if (settings->targets.n)
        qsort(settings->targets.value, settings->targets.n, sizeof(double), by_value);
    return search_make_plan(session, &settings->search, source, found, plan);
}

static int prepare_groups(const Settings *settings, const SearchPlan *plan, Ladder *ladder)
{
    const VideoFormat *format = &ladder->source->format;
    int err = 0;
    ladder->groups = calloc(ladder->n_sizes, sizeof(*ladder->groups));
    for (size_t i = 0; ladder->groups && i < ladder->n_sizes && !err; i++) {
        const LadderSize *size = &ladder->sizes[i];
        SearchGroup *group = &ladder->groups[i];
        group->plan = *plan;
        group->choice = &settings->search;
        group->targets = settings->targets.n ? settings->targets.value : default_targets;
        group->n_targets = settings->targets.n ? settings->targets.n
                                               : sizeof default_targets / sizeof *default_targets;
        group->sweep = settings->sweep.value;
        group->n_sweep = settings->sweep.n;
        if (size->width != (int)format->width || size->height != (int)format->height) {
            group->plan.spec.width = size->width;
            group->plan.spec.height = size->height;
        }
        err = search_group_prepare(group);
    }
    return ladder->groups ? err : -ENOMEM;
}

/* -- the result -- */

static int print(const Ladder *ladder, const Settings *settings)
{
    const TuneCommand *command = ladder->session->command;
    TextBuffer text;
    if (settings->format == FORMAT_JSON)
        return result_print_json(command, settings->output, ladder_record(ladder));
    if (text_begin(&text) && settings->format == FORMAT_DASH)
        ladder_print_dash(ladder, text.out);
    else if (text.out)
        ladder_print_hls(ladder, text.out);
    return result_print(&text, command, settings->output, 0);
}

/* What each rung is, which manifests do not tell. */
static void report_rungs(const Ladder *ladder)
{
    const char *qualities = ladder->groups[0].plan.spec.encoder->quality_name;
    for (size_t i = 0; i < ladder->n_rungs; i++) {
        const EncodePoint *point = &ladder->rungs[i].point;
        progress_print(ladder->session->progress,
                       "%5dx%-5d %s %-3g %9.1f kbit/s, at most %9.1f, VMAF %7.3f", point->width,
                       point->height, qualities, point->q, point->kbps, ladder->rungs[i].peak_kbps,
                       point->score);
    }
}

static int make_ladder(Ladder *ladder, const Settings *settings)
{
    Message why;
    int err = ladder_sample(ladder, &why);
    if (!err)
        err = ladder_find_rungs(ladder, &why);
    if (!err && settings->emits)
        err = ladder_emit(ladder, settings->output, settings->format == FORMAT_HLS, &why);
    if (err)
        return session_fail(ladder->session, err, why.text);
    report_rungs(ladder);
    return print(ladder, settings);
}

static int dry_run(const Ladder *ladder)
{
    int status = 0;
    for (size_t i = 0; i < ladder->n_sizes && !status; i++)
        status = search_group_print_commands(ladder->session, ladder->measurer->measurer,
                                             &ladder->groups[i]);
    return status;
}

static int measure(Session *session, const Settings *settings, SearchPlan *plan, Ladder *ladder)
{
    SessionMeasurer measurer = {0};
    int status = session_open_measurer(session, ladder->source, &measurer);
    if (!status) {
        ladder->measurer = &measurer;
        /* Without a cache they would be gone when it is known which ones are rungs. */
        plan->spec.keeps_file = !measurer_options(measurer.measurer)->cache;
        const int err = place_keyframes(ladder, settings->segment_seconds,
                                        measurer_frames(measurer.measurer), &plan->spec.keyframes);
        if (err || prepare_groups(settings, plan, ladder))
            status = session_fail(session, -ENOMEM, "out of memory");
        else
            status = session->options->dry_run ? dry_run(ladder) : make_ladder(ladder, settings);
    }
    ladder_free(ladder);
    session_close_measurer(&measurer);
    return status;
}

static int run_session(Session *session, const TuneSource *source, void *cookie)
{
    Settings *settings = cookie;
    LadderOptions options;
    SessionEncoder encoder;
    SearchPlan plan;
    Ladder ladder = {.session = session, .source = source, .options = &options};
    Message why;
    int status = read_options(session, settings, &options);
    if (!status)
        status = make_plan(session, settings, source, &encoder, &plan);
    if (status)
        return status;
    const int err = ladder_sizes(&settings->sizes, source, settings->allows_larger, &ladder.sizes,
                                 &ladder.n_sizes, &why);
    if (!err)
        return measure(session, settings, &plan, &ladder);
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
    .name = "ladder",
    .operands = "",
    .summary = "bitrates and sizes for adaptive streaming, as a manifest",
    .examples = "  vmaf-tune ladder --src film.mkv --encoder libx265 --format dash -o film.mpd\n"
                "  vmaf-tune ladder --src film.mkv --resolutions 1920x1080,1280x720,640x360 \\\n"
                "      --target-vmafs 70,80,90,95 --quality-tiers 4 -o film.m3u8 --emit-media\n",
    .run = run_command,
};
