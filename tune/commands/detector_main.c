/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf-perShot program: where a video is cut, and a guess of what each shot needs. No encoder
 * is used. See docs/tune.md. */
#include "common/messages.h"
#include "platform/process.h"
#include "platform/text.h"
#include "tune/command_line/options.h"
#include "tune/measure/source_shots.h"
#include "tune/session/option_rows.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG = 1 };

typedef struct Settings {
    const char *reference, *output, *frame_rate;
    int width, height;
    int chroma;        /* of `chroma_formats`; -1: not said */
    int bit_depth;     /* 0: not said */
    int stream;        /* -1: as ffmpeg chooses */
    int first_picture; /* of sequences; 0: the lowest */
    int errors;        /* 1: ignored */
    bool force_raw, overwrites;
    double target, threshold, max_seconds;
    int lowest, highest; /* CRF */
    int format;          /* 0: CSV, 1: JSON */
    int detector;        /* ShotDetectorKind */
    int min_frames;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const char *const chroma_formats[] = {"420", "422", "444"};

static const TuneOption input_rows[] = {
    {"reference", "FILE", "the video: raw, Y4M, or any file that FFmpeg decodes",
     TEXT_AT(reference), .short_name = 'r', .file = TUNE_FILE_READ},
    {"width", "N", "of raw video, pixels", INTEGER_AT(width, 16, 65535), .short_name = 'w'},
    {"height", "N", "of raw video, pixels", INTEGER_AT(height, 16, 65535), .short_name = 'h'},
    {"pixel_format", NULL, "of raw video (420)", CHOICE_AT(chroma, "420|422|444"),
     .other_name = "pixel-format", .short_name = 'p'},
    {"bitdepth", "N", "of raw video: 8, 10, 12 or 16 (8)", INTEGER_AT(bit_depth, 8, 16),
     .short_name = 'b'},
    {"framerate", "RATE", "frames a second where the file does not tell (24)", TEXT_AT(frame_rate)},
    {"stream", "N", "number of its video stream, from 0 (as ffmpeg chooses)",
     INTEGER_AT(stream, 0, 1e6)},
    {"start-number", "N", "number of the first picture of frame_%04d.png (the lowest)",
     INTEGER_AT(first_picture, 0, INT_MAX)},
    {"errors", NULL, "what damaged frames of it do (stop)", CHOICE_AT(errors, "stop|ignore")},
    {"force-raw", NULL, "the file has no header, whatever it looks like", FLAG_AT(force_raw)},
};

static const TuneOption shot_rows[] = {
    {"diff-threshold", "X",
     "what is a cut: mean difference of luma, of 255 (12); by content: 100 less the correlation in "
     "percent (30)",
     NUMBER_AT(threshold, 0, 255), .short_name = 'd'},
    {"detector", NULL,
     "hist: also cuts between pictures of similar brightness; content: where pictures are "
     "replaced, whatever moves or flashes (diff)",
     CHOICE_AT(detector, "diff|hist|content")},
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
    if (!settings->reference)
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

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && vmaf_ascii_alike(dot + 1, extension);
}

/* By its name, or because all is said that a file with a header would tell. */
static bool is_raw(const Settings *settings)
{
    const char *path = settings->reference;
    const bool is_described =
        settings->width && settings->height && settings->chroma >= 0 && settings->bit_depth;
    return settings->force_raw || has_extension(path, "yuv") || has_extension(path, "raw") ||
           (is_described && !has_extension(path, "y4m"));
}

static int open_video(const Settings *settings, TuneSource *source, Message *why)
{
    char format[PIXEL_FORMAT_SIZE];
    const int depth = settings->bit_depth ? settings->bit_depth : 8;
    const char *chroma = chroma_formats[settings->chroma < 0 ? 0 : settings->chroma];
    snprintf(format, sizeof format, "yuv%sp", chroma);
    if (depth > 8)
        snprintf(format, sizeof format, "yuv%sp%dle", chroma, depth);
    const bool takes_raw = is_raw(settings);
    const SourceOptions options = {
        .path = settings->reference,
        .width = settings->width,
        .height = settings->height,
        .pixel_format = takes_raw ? format : NULL,
        .frame_rate = settings->frame_rate,
        .stream = settings->stream,
        .first_picture = (unsigned)settings->first_picture,
        .ignores_errors = settings->errors == 1,
        .force_raw = takes_raw,
        .no_hash = true,
    };
    return source_open(source, &options, why);
}

/* -- the result -- */

static void print_csv(const Shot *shots, size_t n, const ShotPlan *plan, FILE *out)
{
    fprintf(out,
            "shot_id,start_frame,end_frame,frames,mean_complexity,mean_motion,predicted_crf\n");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%zu,%zu,%zu,%zu,%.6f,%.6f,%.2f\n", i, shots[i].first, shots[i].end - 1,
                shot_frames(&shots[i]), shots[i].complexity, shots[i].motion,
                shot_predicted_q(&shots[i], plan));
}

static void print_json(const Shot *shots, size_t n, const ShotPlan *plan, FILE *out)
{
    fprintf(out, "{\n  \"target_vmaf\": %.2f,\n  \"crf_min\": %.0f,\n  \"crf_max\": %.0f,\n",
            plan->target, plan->lowest, plan->highest);
    fprintf(out, "  \"shots\": [");
    for (size_t i = 0; i < n; i++)
        fprintf(out,
                "%s\n    {\"shot_id\": %zu, \"start_frame\": %zu, \"end_frame\": %zu, "
                "\"frames\": %zu, \"mean_complexity\": %.6f, \"mean_motion\": %.6f, "
                "\"predicted_crf\": %.2f}",
                i ? "," : "", i, shots[i].first, shots[i].end - 1, shot_frames(&shots[i]),
                shots[i].complexity, shots[i].motion, shot_predicted_q(&shots[i], plan));
    fprintf(out, "\n  ]\n}\n");
}

static int print_text(const char *path, const char *text)
{
    if (strcmp(path, "-") != 0)
        return text_write(path, text);
    return fputs(text, stdout) < 0 || fflush(stdout) ? -EIO : 0;
}

static int write_shots(const Settings *settings, const Shot *shots, size_t n, Message *why)
{
    const ShotPlan plan = {settings->target, settings->lowest, settings->highest};
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return message_set(why, -ENOMEM, "out of memory");
    (settings->format ? print_json : print_csv)(shots, n, &plan, out);
    char *text = text_end(&buffer, 0);
    int err = text ? print_text(settings->output, text) : -ENOMEM;
    free(text);
    if (err)
        return message_set(why, err, "cannot write %s: %s", settings->output, strerror(-err));
    print_line(strcmp(settings->output, "-") ? stdout : stderr,
               "vmaf-perShot: wrote %zu shot(s) to %s", n, settings->output);
    return 0;
}

static int detect(const Settings *settings)
{
    const ShotScan scan = {
        .kind = (ShotDetectorKind)settings->detector,
        .threshold = settings->threshold,
        .min_frames = (size_t)settings->min_frames,
        .max_seconds = settings->max_seconds,
    };
    TuneSource source;
    Message why;
    Shot *shots = NULL;
    size_t n;
    int err = open_video(settings, &source, &why);
    if (!err)
        err = shot_scan(&source, &scan, &shots, &n, &why);
    if (!err)
        err = write_shots(settings, shots, n, &why);
    free(shots);
    source_close(&source);
    return err ? fail(why.text) : 0;
}

int main(int argc, char **argv)
{
    Settings settings = {
        .chroma = -1,
        .stream = -1,
        .target = 90,
        .threshold = -1,
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
