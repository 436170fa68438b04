/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/session_options.h"

#define AT(member) .target = offsetof(SessionOptions, member)
#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

static const TuneOption source_rows[] = {
    {.name = "src", .other_name = "source", .argument = "FILE", .type = TUNE_TEXTS, AT(sources),
     .help = "the video: any file that FFmpeg decodes, Y4M, or raw (.yuv, .raw)"},
    {.name = "width", .argument = "N", .type = TUNE_INTEGER, AT(width), .lowest = 1,
     .highest = 32768, .help = "of raw video, pixels"},
    {.name = "height", .argument = "N", .type = TUNE_INTEGER, AT(height), .lowest = 1,
     .highest = 32768, .help = "of raw video, pixels"},
    {.name = "pix-fmt", .argument = "NAME", .type = TUNE_TEXT, AT(pixel_format),
     .help = "of raw video, as FFmpeg calls it (yuv420p)"},
    {.name = "framerate", .argument = "RATE", .type = TUNE_TEXT, AT(frame_rate),
     .help = "frames a second where the file does not tell (24): 25, 24000/1001"},
    {.name = "duration", .argument = "SECONDS", .type = TUNE_NUMBER, AT(duration), .lowest = 0,
     .highest = 1e9, .help = "checked against the file"},
    {.name = "force-raw", .type = TUNE_FLAG, AT(force_raw),
     .help = "the file has no header, whatever it looks like"},
    {.name = "no-source-hash", .type = TUNE_FLAG, AT(no_source_hash),
     .help = "do not read the whole file first; nothing is cached then"},
    {.name = "auto-hdr", .type = TUNE_FLAG, AT(auto_hdr), .help = "PQ or HLG as the file says (default)"},
    {.name = "force-sdr", .type = TUNE_FLAG, AT(force_sdr), .help = "tell encoders nothing of HDR"},
    {.name = "force-hdr-pq", .type = TUNE_FLAG, AT(force_pq), .help = "the video is PQ (HDR10)"},
    {.name = "force-hdr-hlg", .type = TUNE_FLAG, AT(force_hlg), .help = "the video is HLG"},
};

static const TuneOption encode_rows[] = {
    {.name = "extra", .argument = "ARG", .type = TUNE_TEXTS, AT(extra),
     .help = "an argument for ffmpeg, behind those of the encoder; repeat it for each"},
    {.name = "ffmpeg-threads", .argument = "N", .type = TUNE_INTEGER, AT(ffmpeg_threads),
     .lowest = 0, .highest = 1024,
     .help = "threads of an encoder; changes the bits of some encoders (0: its choice)"},
    {.name = "two-pass", .type = TUNE_FLAG, AT(two_pass),
     .help = "two passes; x264 and x265: at the bitrate that the first one had"},
    {.name = "adapters", .argument = "FILE", .type = TUNE_TEXT, AT(adapters),
     .help = "further encoders, as docs/tune.md describes"},
    {.name = "ffmpeg-bin", .argument = "PROGRAM", .type = TUNE_TEXT, AT(ffmpeg),
     .help = "the ffmpeg that encodes"},
    {.name = "ffprobe-bin", .argument = "PROGRAM", .type = TUNE_TEXT, AT(ffprobe)},
};

static const TuneOption score_rows[] = {
    {.name = "vmaf-model", .argument = "MODEL", .type = TUNE_TEXT, AT(model),
     .help = "a built-in model, or path=FILE (by the height of the source)"},
    {.name = "resolution-aware", .type = TUNE_FLAG_OFF, AT(no_resolution_aware),
     .help = "the 4K model from 2160 lines on (default)"},
    {.name = "no-resolution-aware", .type = TUNE_FLAG, AT(no_resolution_aware),
     .help = "vmaf_v0.6.1 for all heights"},
    {.name = "feature", .argument = "NAME", .type = TUNE_TEXTS, AT(features),
     .help = "another metric: ssimulacra2, psnr, ...; repeat it for each"},
    {.name = "require", .argument = "GATES", .type = TUNE_TEXTS, AT(require),
     .help = "further conditions: vmaf.p1>=80,ssimulacra2.mean>=70"},
    {.name = "pool", .type = TUNE_CHOICE, AT(pool), .values = "mean|harmonic_mean|min|p1|p5|p10",
     .help = "how the scores of frames become one (mean)"},
    {.name = "score-backend", .argument = "NAME", .type = TUNE_TEXT, AT(backend),
     .help = "auto, cpu, or one that has to work: cuda, sycl, hip, metal, vulkan"},
    {.name = "score-threads", .argument = "N", .type = TUNE_INTEGER, AT(score_threads),
     .lowest = 0, .highest = 1024, .help = "threads of a comparison (0: all processors)"},
    {.name = "sample-clip-seconds", .argument = "S", .type = TUNE_NUMBER, AT(sample_seconds),
     .lowest = 0, .highest = 1e9, .help = "encode and score only so much of the video (0: all)"},
    {.name = "sample-windows", .argument = "N", .type = TUNE_INTEGER, AT(sample_windows),
     .lowest = 1, .highest = 256, .help = "in so many pieces (1)"},
    {.name = "allow-frame-mismatch", .type = TUNE_FLAG, AT(allows_frame_mismatch),
     .help = "encodes may have fewer frames than the source"},
    {.name = "vmaf-bin", .argument = "PROGRAM", .type = TUNE_TEXT, AT(vmaf)},
};

static const TuneOption work_rows[] = {
    {.name = "jobs", .argument = "N", .type = TUNE_INTEGER, AT(jobs), .lowest = 1, .highest = 256,
     .help = "encodes at a time (1)", .short_name = 'j'},
    {.name = "step-timeout", .argument = "S", .type = TUNE_NUMBER, AT(step_timeout), .lowest = 0,
     .highest = 1e9, .help = "kill an encode without progress for so long (0: never)"},
    {.name = "encode-dir", .argument = "FOLDER", .type = TUNE_TEXT, AT(encode_dir),
     .help = "where encodes are made, and stay with --keep-encodes"},
    {.name = "keep-encodes", .type = TUNE_FLAG, AT(keeps_encodes), .help = "keep all encodes"},
    {.name = "workdir", .argument = "FOLDER", .type = TUNE_TEXT, AT(work_dir),
     .help = "for temporary files (VMAFTUNE_WORKDIR, the cache, TMPDIR)"},
    {.name = "cache-dir", .argument = "FOLDER", .type = TUNE_TEXT, AT(cache_dir),
     .help = "where results are kept (~/.cache/vmaf-tune)"},
    {.name = "no-cache", .type = TUNE_FLAG, AT(no_cache), .help = "measure everything anew"},
    {.name = "cache-size", .argument = "GIB", .type = TUNE_NUMBER, AT(cache_gib), .lowest = 0,
     .highest = 1e6, .help = "the most that the cache takes (10)"},
    {.name = "memory", .argument = "GIB", .type = TUNE_NUMBER, AT(memory_gib), .lowest = 0,
     .highest = 1e6, .help = "for decoded frames of the source; longer ones are decoded again (2)"},
    {.name = "dry-run", .type = TUNE_FLAG, AT(dry_run),
     .help = "print the command lines of encodes and run none"},
    {.name = "quiet", .type = TUNE_FLAG, AT(is_quiet), .help = "no progress", .short_name = 'q'},
};

SessionOptions session_options(void)
{
    return (SessionOptions){
        .ffmpeg = "ffmpeg",
        .backend = "auto",
        .sample_windows = 1,
        .jobs = 1,
        .cache_gib = 10,
        .memory_gib = 2,
    };
}

void session_option_groups(SessionOptions *options, OptionGroup groups[SESSION_GROUPS])
{
    groups[0] = (OptionGroup){"Source", source_rows, COUNT(source_rows), options};
    groups[1] = (OptionGroup){"Encodes", encode_rows, COUNT(encode_rows), options};
    groups[2] = (OptionGroup){"Scores", score_rows, COUNT(score_rows), options};
    groups[3] = (OptionGroup){"Work", work_rows, COUNT(work_rows), options};
}
