/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf-perShot program: where a video is cut, and a guess of what each shot needs. No encoder
 * is used. See docs/tune.md. */
#include "common/messages.h"
#include "platform/process.h"
#include "platform/text.h"
#include "tune/measure/source_shots.h"
#include "tune/options/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG = 1 };

typedef struct Settings {
    SourceOptions video;
    int chroma, bit_depth; /* of raw video: which of 420, 422, 444, and bits; -1, 0: not said */
    int errors;            /* 1: ignored */
    ShotOptions shots;
    int min_frames;
    double max_seconds;
    double target;
    int lowest, highest; /* CRF */
    const char *output;
    int format; /* 0: CSV, 1: JSON */
    bool overwrites;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption input_rows[] = {
    {"reference", "FILE", "the video: raw, Y4M, or any file that FFmpeg decodes",
     TEXT_AT(video.path), .short_name = 'r', .file = TUNE_FILE_READ},
    {"width", "N", "of raw video, pixels", INTEGER_AT(video.width, 16, 65535), .short_name = 'w'},
    {"height", "N", "of raw video, pixels", INTEGER_AT(video.height, 16, 65535), .short_name = 'h'},
    {"pixel_format", NULL, "of raw video (420)", CHOICE_AT(chroma, "420|422|444"),
     .other_name = "pixel-format", .short_name = 'p'},
    {"bitdepth", "N", "of raw video: 8, 10, 12 or 16 (8)", INTEGER_AT(bit_depth, 8, 16),
     .short_name = 'b'},
    {"framerate", "RATE", "frames a second where the file does not tell (24)",
     TEXT_AT(video.frame_rate)},
    {"stream", "N", "number of its video stream, from 0 (as ffmpeg chooses)",
     INTEGER_AT(video.stream, 0, 1e6)},
    {"start-number", "N", "number of the first picture of frame_%04d.png (the lowest)",
     INTEGER_AT(video.first_picture, 0, INT_MAX)},
    {"errors", NULL, "what damaged frames of it do (stop)", CHOICE_AT(errors, "stop|ignore")},
    {"force-raw", NULL, "the file has no header, whatever it looks like", FLAG_AT(video.force_raw)},
};

static const TuneOption shot_rows[] = {
    {"diff-threshold", "X",
     "what is a cut: mean difference of luma, of 255 (12); by content: 100 less the correlation in "
     "percent (30)",
     NUMBER_AT(shots.threshold, 0, 255), .short_name = 'd'},
    {"detector", NULL,
     "hist: also cuts between pictures of similar brightness; content: where pictures are "
     "replaced, whatever moves or flashes (diff)",
     CHOICE_AT(shots.kind, "diff|hist|content")},
    {"min-shot-frames", "N", "no cut before a shot has so many frames (4)",
     INTEGER_AT(min_frames, 1, 1e6)},
    {"max-shot-duration", "S", "cut longer shots into equal parts (0: none)",
     NUMBER_AT(max_seconds, 0, 1e9)},
    {"target-vmaf", "X", "the score that CRFs are guessed for (90)", NUMBER_AT(target, 0, 100),
     .short_name = 't'},
    {"crf-min", "Q", "the least CRF (18)", INTEGER_AT(lowest, 0, 63), .short_name = 'm'},
    {"crf-max", "Q", "the greatest CRF (35)", INTEGER_AT(highest, 0, 63), .short_name = 'M'},
    {"output", "FILE", "where the shots are written to; - for standard output", TEXT_AT(output),
     .short_name = 'o', .file = TUNE_FILE_TEXT},
    {"overwrite", NULL, "the output replaces a file of any kind, but never the video",
     FLAG_AT(overwrites)},
    {"format", NULL, "of the output (csv)", CHOICE_AT(format, "csv|json"), .short_name = 'f'},
};

enum { N_GROUPS = 2 };

static const char usage[] =
    "Usage: vmaf-perShot -r FILE [-w N -h N -p 420|422|444 -b 8|10|12|16] -o FILE [options]";

static int fail(const char *why)
{
    print_error("vmaf-perShot: %s", why);
    fprintf(stderr, "%s\n(see vmaf-perShot --help)\n", usage);
    return WRONG;
}

static void print_help(const OptionGroup *groups)
{
    printf(
        "vmaf-perShot: where a video is cut, and a guess of the CRF that each shot needs\n\n%s\n",
        usage);
    tune_options_print(groups, N_GROUPS);
    printf("\nThe end of a shot is its last frame. Exit status: 0, or 1 if anything is wrong.\n");
}

static const char *find_fault(const Settings *settings)
{
    const int depth = settings->bit_depth;
    if (!settings->video.path)
        return "no video: give -r FILE";
    if (!settings->output)
        return "nowhere to write to: give -o FILE, or -o -";
    if (depth && depth != 8 && depth != 10 && depth != 12 && depth != 16)
        return "--bitdepth is to be 8, 10, 12 or 16";
    if (settings->lowest > settings->highest)
        return "--crf-min is above --crf-max";
    return NULL;
}

/* -- the video -- */

/* By its name, or because all is said that a file with a header would tell. */
static bool is_raw(const Settings *settings)
{
    const SourceOptions *video = &settings->video;
    const char *dot = strrchr(video->path, '.'), *extension = dot ? dot + 1 : "";
    const bool is_described =
        video->width && video->height && settings->chroma >= 0 && settings->bit_depth;
    return video->force_raw || vmaf_ascii_alike(extension, "yuv") ||
           vmaf_ascii_alike(extension, "raw") ||
           (is_described && !vmaf_ascii_alike(extension, "y4m"));
}

static int open_video(const Settings *settings, TuneSource *source, Message *why)
{
    static const char *const chroma[] = {"420", "422", "444"};
    char format[PIXEL_FORMAT_SIZE], depth[8] = "";
    SourceOptions video = settings->video;
    if (settings->bit_depth > 8)
        snprintf(depth, sizeof depth, "%dle", settings->bit_depth);
    snprintf(format, sizeof format, "yuv%sp%s", chroma[settings->chroma < 0 ? 0 : settings->chroma],
             depth);
    video.force_raw = is_raw(settings);
    video.pixel_format = video.force_raw ? format : NULL;
    video.ignores_errors = settings->errors == 1;
    return source_open(source, &video, why);
}

/* -- the result -- */

/* A guess from motion and complexity alone, of a parameter whose higher values mean worse quality.
 */
static double predicted_q(const Settings *settings, const Shot *shot)
{
    const double lowest = settings->lowest, highest = settings->highest, range = highest - lowest;
    const double duration = shot_frames(shot) < 24 ? 0.5 : 1;
    double q = lowest + range / 2;
    q += 0.20 * range * fmin(1, 20 * shot->motion) * duration;
    q -= 0.20 * range * fmin(1, fmax(0, shot->complexity / 0.05));
    q -= 0.15 * range * fmin(1, fmax(0, (settings->target - 70) / 30));
    return fmin(highest, fmax(lowest, q));
}

static void print_shots(const Settings *settings, const SourceShots *found, FILE *out)
{
    const bool is_json = settings->format == 1;
    if (is_json)
        fprintf(out,
                "{\n  \"target_vmaf\": %.2f,\n  \"crf_min\": %d,\n  \"crf_max\": %d,\n"
                "  \"shots\": [",
                settings->target, settings->lowest, settings->highest);
    else
        fputs("shot_id,start_frame,end_frame,frames,mean_complexity,mean_motion,predicted_crf\n",
              out);
    for (size_t i = 0; i < found->n; i++) {
        const Shot *shot = &found->shots[i];
        const size_t last = shot->end - 1, frames = shot_frames(shot);
        const double q = predicted_q(settings, shot);
        if (is_json)
            fprintf(out,
                    "%s\n    {\"shot_id\": %zu, \"start_frame\": %zu, \"end_frame\": %zu, "
                    "\"frames\": %zu, \"mean_complexity\": %.6f, \"mean_motion\": %.6f, "
                    "\"predicted_crf\": %.2f}",
                    i ? "," : "", i, shot->first, last, frames, shot->complexity, shot->motion, q);
        else
            fprintf(out, "%zu,%zu,%zu,%zu,%.6f,%.6f,%.2f\n", i, shot->first, last, frames,
                    shot->complexity, shot->motion, q);
    }
    if (is_json)
        fputs("\n  ]\n}\n", out);
}

static int write_shots(const Settings *settings, const SourceShots *found, Message *why)
{
    const bool to_stdout = !strcmp(settings->output, "-");
    TextBuffer buffer;
    if (text_begin(&buffer))
        print_shots(settings, found, buffer.out);
    char *text = text_end(&buffer, 0);
    int err = text ? 0 : -ENOMEM;
    if (text && to_stdout)
        err = fputs(text, stdout) < 0 || fflush(stdout) ? -EIO : 0;
    else if (text)
        err = text_write(settings->output, text);
    free(text);
    if (err)
        return message_set(why, err, "cannot write %s: %s", settings->output, strerror(-err));
    print_line(to_stdout ? stderr : stdout, "vmaf-perShot: wrote %zu shot(s) to %s", found->n,
               settings->output);
    return 0;
}

static int detect(const Settings *settings)
{
    TuneSource source;
    SourceShots found = {0};
    Message why;
    int err = open_video(settings, &source, &why);
    if (!err) {
        ShotOptions options = settings->shots;
        options.min_frames = (size_t)settings->min_frames;
        options.max_frames =
            settings->max_seconds * source.rate.numerator / source.rate.denominator;
        err = source_shots_find(&source, &options, NULL, NULL, &found, &why);
    }
    if (!err)
        err = write_shots(settings, &found, &why);
    source_shots_free(&found);
    source_close(&source);
    return err ? fail(why.text) : 0;
}

int main(int argc, char **argv)
{
    Settings settings = {
        .video = {.stream = -1, .no_hash = true},
        .chroma = -1,
        .shots = {.threshold = -1},
        .target = 90,
        .lowest = 18,
        .highest = 35,
        .min_frames = SHOT_DEFAULT_MIN_FRAMES,
    };
    const OptionGroup groups[N_GROUPS] = {
        {"The video", input_rows, sizeof input_rows / sizeof *input_rows, &settings},
        {"Shots", shot_rows, sizeof shot_rows / sizeof *shot_rows, &settings},
    };
    OptionWords words;
    Message why;
    if (vmaf_process_prepare())
        return WRONG;
    int parsed = tune_options_parse(groups, N_GROUPS, argc - 1, argv + 1, &words, &why);
    if (!parsed)
        parsed = tune_options_check_files(groups, N_GROUPS, &words, &why);
    if (parsed < 0)
        return fail(why.text);
    if (parsed == 1) {
        print_help(groups);
        return 0;
    }
    if (words.n)
        return fail("a word that is no option");
    const char *fault = find_fault(&settings);
    return fault ? fail(fault) : detect(&settings);
}
