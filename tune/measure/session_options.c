/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/session.h"

#include "tune/options/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define AT(member)  .target = offsetof(SessionOptions, member)
#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

static const TuneOption source_rows[] = {
    {"source", "FILE", "the video: any file that FFmpeg decodes, Y4M, or raw (.yuv, .raw)",
     TEXTS_AT(sources), .other_name = "src|input", .short_name = 'i', .file = TUNE_FILE_READ},
    {"width", "N", "of raw video, pixels", INTEGER_AT(source.width, 1, 32768)},
    {"height", "N", "of raw video, pixels", INTEGER_AT(source.height, 1, 32768)},
    {"pix-fmt", "NAME", "of raw video, as FFmpeg calls it (yuv420p)", TEXT_AT(source.pixel_format)},
    {"framerate", "RATE", "frames a second, whatever times the file has (raw: 24): 25, 24000/1001",
     TEXT_AT(source.frame_rate)},
    {"duration", "S", "checked against the file", NUMBER_AT(source.duration, 0, 1e9)},
    {"start", "S", "where the part begins that counts (0)", NUMBER_AT(source.start, 0, 1e9)},
    {"length", "S", "of that part (until the end)", NUMBER_AT(source.length, 0.001, 1e9)},
    {"stream", "N", "number of its video stream, from 0 (as ffmpeg chooses)",
     INTEGER_AT(source.stream, 0, 1e6)},
    {"start-number", "N", "number of the first picture of frame_%04d.png (the lowest)",
     INTEGER_AT(source.first_picture, 0, INT_MAX)},
    {"errors", NULL, "what damaged frames of it do (stop)", CHOICE_AT(errors, "stop|ignore")},
    {"force-raw", NULL, "the file has no header, whatever it looks like",
     FLAG_AT(source.force_raw)},
    {"no-source-hash", NULL, "do not read the whole file first; nothing is cached then",
     FLAG_AT(source.no_hash)},
    {"auto-hdr", NULL, "PQ or HLG as the file says (default)", FLAG_AT(auto_hdr)},
    {"force-sdr", NULL, "tell encoders nothing of HDR", FLAG_AT(force_sdr)},
    {"force-hdr-pq", NULL, "the video is PQ (HDR10)", FLAG_AT(force_pq)},
    {"force-hdr-hlg", NULL, "the video is HLG", FLAG_AT(force_hlg)},
};

static const TuneOption encode_rows[] = {
    {"pix-format", "NAME", "to encode, as FFmpeg calls it (AV1: yuv420p10le; else as the source)",
     TEXT_AT(pixel_format_out)},
    {"vfilter", "CHAIN", "filters of ffmpeg for encodes: crop=..., bwdif, fps=25, scale=1280:-2",
     TEXT_AT(source.filter)},
    {"reference-vfilter", "CHAIN",
     "those of the reference of scores (what crops, turns, deinterlaces, times and maps tones); "
     "null: "
     "none",
     TEXT_AT(source.reference_filter)},
    {"keyint", "N|Ns", "frames, or seconds, between keyframes at most", TEXT_AT(keyint)},
    {"film-grain", "N", "grain that decoders make (libsvtav1, libaom-av1); scored without it",
     INTEGER_AT(film_grain, 0, 50)},
    {"enc", "NAME=VALUE", "an option of the encoder, such as tune=film; repeat it for each",
     TEXTS_AT(enc)},
    {"enc-input", "NAME=VALUE", "an option for reading the source: hwaccel=NAME, threads=N",
     TEXTS_AT(enc_input)},
    {"audio", "WISH", "copy, none, or arguments: \"-c:a libopus -b:a 96k\" (copy)",
     TEXT_AT(source.audio)},
    {"subs", "WISH", "the same for subtitles (copy)", TEXT_AT(source.subs)},
    {"extra", "ARG", "an argument for ffmpeg, behind those of the encoder; repeat it for each",
     TEXTS_AT(extra)},
    {"ffmpeg-threads", "N",
     "threads of an encoder; changes the bits of some encoders (0: its choice)",
     INTEGER_AT(ffmpeg_threads, 0, 1024)},
    {"two-pass", NULL, "two passes; x264 and x265: at the bitrate that the first one had",
     FLAG_AT(two_pass)},
    {"adapters", "FILE", "further encoders, as docs/tune.md describes", TEXT_AT(adapters),
     .file = TUNE_FILE_READ},
    {"ffmpeg", "PROGRAM", "the ffmpeg that encodes", TEXT_AT(ffmpeg), .other_name = "ffmpeg-bin",
     .file = TUNE_FILE_READ},
};

static const TuneOption score_rows[] = {
    {"model", "MODEL", "a built-in model, or path=FILE (by the height of the source)",
     TEXT_AT(model), .other_name = "vmaf-model", .file = TUNE_FILE_READ},
    {"resolution-aware", NULL, "the 4K model from 2160 lines on (default)",
     FLAG_OFF_AT(no_resolution_aware)},
    {"no-resolution-aware", NULL, "vmaf_v0.6.1 for all heights", FLAG_AT(no_resolution_aware)},
    {"feature", "NAME", "another metric: ssimulacra2, psnr, ...; repeat it for each",
     TEXTS_AT(features)},
    {"require", "GATES", "further conditions: vmaf.p1>=80,ssimulacra2.mean>=70", TEXTS_AT(require)},
    {"pool", NULL, "how the scores of frames become one (mean)",
     CHOICE_AT(pool, "mean|harmonic_mean|min|p1|p5|p10")},
    {"backend", "NAME", "auto, cpu, or one that has to work: cuda, sycl, hip, metal, vulkan",
     TEXT_AT(backend), .other_name = "score-backend"},
    {"threads", "N", "threads of a comparison (0: all processors)",
     INTEGER_AT(score_threads, 0, 1024), .other_name = "score-threads"},
    {"sample-clip-seconds", "S", "encode and score only so much of the video (0: all)",
     NUMBER_AT(sample_seconds, 0, 1e9)},
    {"sample-windows", "N", "in so many pieces (1)", INTEGER_AT(sample_windows, 1, 256)},
    {"allow-frame-mismatch", NULL, "encodes may have fewer frames than the source",
     FLAG_AT(allows_frame_mismatch)},
    {"vmaf-bin", "PROGRAM",
     "score with this vmaf instead of in this program, for comparisons: slower", TEXT_AT(vmaf),
     .file = TUNE_FILE_READ},
};

static const TuneOption work_rows[] = {
    {"jobs", "N", "encodes at a time (1)", INTEGER_AT(jobs, 1, 256), .other_name = "workers",
     .short_name = 'j'},
    {"step-timeout", "S", "kill an encode without progress for so long (0: never)",
     NUMBER_AT(step_timeout, 0, 1e9)},
    {"encode-dir", "FOLDER", "where encodes are made, and stay with --keep-encodes",
     TEXT_AT(encode_dir)},
    {"keep-encodes", NULL, "keep all encodes", FLAG_AT(keeps_encodes)},
    {"work-dir", "FOLDER", "for temporary files (VMAFTUNE_WORKDIR, the cache, TMPDIR)",
     TEXT_AT(work_dir), .other_name = "workdir"},
    {"cache-dir", "FOLDER", "where results are kept (~/.cache/vmaf-tune)", TEXT_AT(cache_dir)},
    {"no-cache", NULL, "measure everything anew", FLAG_AT(no_cache)},
    {"cache-size", "GIB", "the most that the cache takes (10)", NUMBER_AT(cache_gib, 0, 1e6)},
    {"memory", "GIB", "for decoded frames of the source; longer ones are decoded again (2)",
     NUMBER_AT(memory_gib, 0, 1e6)},
    {"dry-run", NULL, "print the command lines of encodes and run none", FLAG_AT(dry_run)},
    {"quiet", NULL, "no progress", FLAG_AT(is_quiet), .short_name = 'q'},
};

int session_command(const TuneCommand *command, int argc, char **argv, const OptionGroup *own,
                    size_t n_own,
                    int (*begin)(const TuneCommand *command, SessionOptions *options,
                                 void *settings),
                    void *settings)
{
    SessionOptions options = {
        .source = {.stream = -1},
        .ffmpeg = "ffmpeg",
        .backend = "auto",
        .film_grain = -1,
        .sample_windows = 1,
        .jobs = 1,
        .cache_gib = 10,
        .memory_gib = 2,
    };
    OptionGroup groups[SESSION_OWN_GROUPS + 4];
    size_t n = n_own;
    int status;
    memcpy(groups, own, n_own * sizeof(*own));
    groups[n++] = (OptionGroup){"Source: stream, part, raw video, pictures, damage, HDR",
                                source_rows, COUNT(source_rows), &options};
    groups[n++] = (OptionGroup){"Encoding: formats, filters, arguments for ffmpeg, two passes",
                                encode_rows, COUNT(encode_rows), &options};
    groups[n++] = (OptionGroup){"Scoring: model, backend, threads, further metrics and conditions",
                                score_rows, COUNT(score_rows), &options};
    groups[n++] = (OptionGroup){"Work: encodes at a time, folders, cache, progress", work_rows,
                                COUNT(work_rows), &options};
    OptionWords words;
    if (command_parse(command, groups, n, argc, argv, &words, &status)) {
        int err = 0;
        for (size_t i = 0; i < words.n; i++)
            err |= text_list_add(&options.sources, "%s", words.word[i]);
        status = err ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                     : begin(command, &options, settings);
    }
    tune_options_free(groups, n);
    return status;
}
