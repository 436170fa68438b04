/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Encodes with the ffmpeg that is installed: 77 if there is none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platform/child.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"
#include "tune/encode/encode_run.h"

enum { FRAMES = 72, OUTPUT_MAX = 1 << 22, WIDTH = 160, HEIGHT = 96, SKIPPED = 77 };

/* FFV1 is lossless: what comes out is what went in. */
static const char lossless[] =
    "{\"format\": 1, \"encoders\": [{\"name\": \"ffv1\", \"codec\": \"ffv1\", \"row_version\": "
    "\"1\","
    "\"installed_by\": \"ffmpeg\", \"knob\": {\"name\": \"level\", \"lowest\": 1, \"highest\": 3,"
    "\"default\": 3, \"better\": \"high\"}, \"presets\": {\"only\": \"\"},"
    "\"arguments\": [\"-c:v\", \"{encoder}\"], \"quality\": [\"-level\", \"{q}\"]}]}";

static EncoderTable table;
static const FfmpegLimits limits = {.limit_ms = 120000};
static FfmpegDescription ffmpeg;
static TuneSource source; /* of the request that was made last */

/* What a program prints; to be freed. It has to succeed. */
static char *ask(const char *line)
{
    const char *const arguments[] = {"sh", "-c", line, NULL};
    const VmafChildRun run = {.program = "sh", .arguments = arguments, .output_max = OUTPUT_MAX};
    VmafChildResult result;
    assert_int_equal(vmaf_child_run(&run, &result), 0);
    if (result.ending != VMAF_CHILD_EXITED || result.number != 0)
        fail_msg("%s: %s", line, result.error_tail);
    return result.output;
}

static void make(const char *line)
{
    free(ask(line));
}

static int enter(void **state)
{
    Message message = {""};
    if (test_folder_enter(state) < 0)
        return -1;
    file_put_text("lossless.json", lossless);
    if (encoder_table_open(&table, "lossless.json", &message) < 0)
        return -1;
    make("ffmpeg -v error -f lavfi -i testsrc2=s=160x96:r=24000/1001 -frames:v 72 -pix_fmt yuv420p "
         "s.y4m");
    return 0;
}

static int leave(void **state)
{
    encoder_table_close(&table);
    return test_folder_remove(state);
}

#define IN_A_FOLDER(test) CASE_WITH(test, enter, leave)

static const Encoder *find(const char *name)
{
    Message message;
    const Encoder *encoder = encoder_find(&table, name, &message);
    assert_non_null(encoder);
    return encoder;
}

/* Whether this ffmpeg has it; said if not. */
static bool has(const char *name)
{
    EncoderAvailability availability;
    assert_int_equal(encoder_probe("ffmpeg", &ffmpeg, find(name), &limits, &availability), 0);
    if (!availability.usable)
        print_message("left out: %s\n", availability.reason.text);
    return availability.usable;
}

static EncodeRequest request_of(const char *encoder)
{
    const Encoder *found = find(encoder);
    source =
        (TuneSource){.encoded_path = "s.y4m", .rate = {24000, 1001}, .stored_rate = {24000, 1001}};
    return (EncodeRequest){
        .source = &source,
        .settings = {.ffmpeg = "ffmpeg"},
        .spec = {.encoder = found, .preset = found->probe_preset, .q = found->default_q},
        .output = "out.mkv",
    };
}

static EncodeOutcome encode(const EncodeRequest *request)
{
    EncodeOutcome outcome;
    Message message = {""};
    if (encode_run(request, NULL, &outcome, &message) < 0)
        fail_msg("%s", message.text);
    return outcome;
}

/* ---- Which frames ---- */

/* Hashes of the decoded frames of a file, and how many. */
typedef struct Hashes {
    char of[FRAMES + 1][40];
    size_t n;
} Hashes;

static Hashes hashes_of(const char *path)
{
    char line[256];
    snprintf(line, sizeof(line),
             "ffmpeg -v error -i '%s' -map 0:v:0 -fps_mode passthrough -f framemd5 -", path);
    char *text = ask(line);
    Hashes hashes = {.n = 0};
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
        const char *hash = strrchr(at, ',');
        if (*at == '#' || !hash)
            continue;
        assert_true(hashes.n <= FRAMES);
        snprintf(hashes.of[hashes.n++], sizeof(hashes.of[0]), "%s",
                 hash + 1 + strspn(hash + 1, " "));
    }
    free(text);
    return hashes;
}

static void expect_windows(EncodeRequest *request, const Hashes *all, const SampleWindow *windows,
                           size_t n_windows)
{
    size_t at = 0;
    request->windows = windows;
    request->n_windows = n_windows;
    const EncodeOutcome outcome = encode(request);
    const Hashes got = hashes_of("out.mkv");
    const size_t expected = n_windows ? encode_frames(request) : all->n;
    assert_int_equal(outcome.frames, expected);
    assert_int_equal(got.n, expected);
    if (n_windows == 0)
        assert_memory_equal(got.of, all->of, sizeof(all->of));
    for (size_t i = 0; i < n_windows; i++)
        for (size_t frame = 0; frame < windows[i].frames; frame++)
            assert_string_equal(got.of[at++], all->of[windows[i].first + frame]);
}

static void expect_all_windows(EncodeRequest *request)
{
    static const SampleWindow windows[] = {{0, 5, 1}, {23, 7, 1}, {30, 1, 1}, {61, 11, 1}};
    const Hashes all = hashes_of(source.is_raw ? "s.y4m" : source.encoded_path);
    assert_int_equal(all.n, FRAMES);
    for (size_t i = 1; i < all.n; i++)
        assert_string_not_equal(all.of[i], all.of[i - 1]);
    expect_windows(request, &all, NULL, 0);
    for (size_t i = 0; i < 4; i++)
        expect_windows(request, &all, &windows[i], 1);
    expect_windows(request, &all, windows, 4);
}

/* Y4M has one tick for each frame, Matroska rounds times to milliseconds, MP4 has an edit list
 * because of B-frames. */
IN_A_FOLDER(exactly_the_frames_of_windows_are_encoded)
{
    static const char *const paths[] = {"s.y4m", "s.mkv", "s.mp4"};
    make("ffmpeg -v error -i s.y4m -c:v libx264 -crf 30 -g 25 -bf 3 s.mkv");
    make("ffmpeg -v error -i s.y4m -c:v libx264 -crf 30 -g 25 -bf 3 s.mp4");
    EncodeRequest request = request_of("ffv1");
    for (size_t i = 0; i < 3; i++) {
        source.encoded_path = paths[i];
        expect_all_windows(&request);
    }
    source.is_irregular = true;
    expect_all_windows(&request);
}

IN_A_FOLDER(raw_windows_are_exact)
{
    make("ffmpeg -v error -i s.y4m -f rawvideo -pix_fmt yuv420p s.yuv");
    EncodeRequest request = request_of("ffv1");
    source = (TuneSource){.encoded_path = "s.yuv",
                          .rate = {24000, 1001},
                          .stored_rate = {24000, 1001},
                          .is_raw = true,
                          .stored = {.width = WIDTH, .height = HEIGHT},
                          .raw_bytes = WIDTH * HEIGHT * 3 / 2,
                          .pixel_format = "yuv420p"};
    expect_all_windows(&request);
}

/* Audio begins 40 ms before the video. */
IN_A_FOLDER(the_delay_of_a_video_is_considered)
{
    make("ffmpeg -v error -itsoffset 0.04 -i s.y4m -f lavfi -i sine=d=3 -c:v libx264 -crf 30 -g 25 "
         "-c:a pcm_s16le s.mkv");
    EncodeRequest request = request_of("ffv1");
    source.encoded_path = "s.mkv";
    source.first_frame_time = 0.04;
    expect_all_windows(&request);
}

/* Times that are irregular: every frame once, whatever its time. */
IN_A_FOLDER(irregular_times_neither_drop_nor_repeat_frames)
{
    make("ffmpeg -v error -i s.y4m -vf 'setpts=(N+0.9*mod(N\\,3)+gt(N\\,40)*30)/24/TB' -fps_mode "
         "passthrough -c:v ffv1 s.mkv");
    EncodeRequest request = request_of("ffv1");
    source.encoded_path = "s.mkv";
    source.is_irregular = true;
    expect_all_windows(&request);
}

/* ---- Encoders ---- */

static char *probe(const char *arguments)
{
    char line[512];
    snprintf(line, sizeof(line), "ffprobe -v error %s -of csv=p=0 out.mkv", arguments);
    return ask(line);
}

static void expect_probe(const char *arguments, const char *expected)
{
    char *text = probe(arguments);
    assert_string_equal(text, expected);
    free(text);
}

IN_A_FOLDER(each_encoder_encodes)
{
    static const char *const names[] = {"libx264", "libx265", "libsvtav1", "libvpx-vp9",
                                        "libaom-av1"};
    const SampleWindow window = {10, 12, 1};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        EncodeRequest request = request_of(names[i]);
        char expected[64];
        if (!has(names[i]))
            continue;
        request.windows = &window;
        request.n_windows = 1;
        request.spec.width = 128;
        request.spec.height = 64;
        const EncodeOutcome outcome = encode(&request);
        assert_int_equal(outcome.frames, 12);
        assert_int_equal(outcome.exit_status, 0);
        assert_int_equal(strncmp(outcome.encoder_version, request.spec.encoder->version_prefix,
                                 strlen(request.spec.encoder->version_prefix)),
                         0);
        struct stat status;
        assert_int_equal(stat("out.mkv", &status), 0);
        assert_int_equal(status.st_size, outcome.size);
        snprintf(expected, sizeof(expected), "%s,128,64,1:1,24000/1001\n",
                 request.spec.encoder->codec);
        expect_probe(
            "-show_entries stream=codec_name,width,height,sample_aspect_ratio,r_frame_rate",
            expected);
    }
}

static void expect_same_packets(const char *a, const char *b)
{
    char line[256], *sums[2];
    const char *const paths[] = {a, b};
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof(line), "ffmpeg -v error -i %s -map 0:v -c copy -f md5 -", paths[i]);
        sums[i] = ask(line);
    }
    assert_string_equal(sums[0], sums[1]);
    free(sums[0]);
    free(sums[1]);
}

/* The bytes are those that a plain line of ffmpeg makes. */
/* What the table says of x264 and x265, and what SVT-AV1 says: tenths, and quarters since 4.0. */
IN_A_FOLDER(steps_of_a_unit_are_those_of_the_encoder_that_is_there)
{
    static const char *const names[] = {"libx264", "libx265", "libsvtav1"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        EncoderAvailability found;
        const Encoder *encoder = find(names[i]);
        assert_int_equal(encoder_probe("ffmpeg", &ffmpeg, encoder, &limits, &found), 0);
        if (!found.usable)
            continue;
        assert_int_equal(encoder_find_steps("ffmpeg", encoder, &limits, &found), 0);
        const bool is_svt = !strcmp(names[i], "libsvtav1");
        const bool rounds = is_svt && atoi(found.version + strlen("libsvtav1-v")) < 4 &&
                            atoi(found.version + strlen("libsvtav1-")) < 4;
        assert_int_equal(found.qualities.per_unit, rounds ? 1 : encoder->steps);
        char whole[64], next[64], line[512];
        const double step = 1.0 / encoder->steps;
        for (int k = 0; k < 2; k++) {
            const double q = 30 + (k + 1) * step;
            snprintf(line, sizeof(line),
                     "ffmpeg -v error -f lavfi -i testsrc2=s=256x256:r=24 -frames:v 1 -c:v %s %s%g "
                     "-f md5 - 2>/dev/null",
                     names[i], is_svt ? "-svtav1-params crf=" : "-crf ", q);
            char *text = ask(line);
            snprintf(k ? next : whole, 64, "%s", text);
            free(text);
        }
        assert_int_equal(!strcmp(whole, next), rounds);
    }
}

IN_A_FOLDER(encodes_are_those_of_a_plain_line)
{
    static const struct {
        const char *encoder, *arguments;
    } cases[] = {
        {"libx264", "-preset ultrafast -crf 23"},
        {"libx265", "-preset ultrafast -crf 28"},
        {"libsvtav1", "-preset 13 -crf 35"},
        {"libvpx-vp9", "-deadline good -cpu-used 5 -crf 32 -b:v 0 -row-mt 1"},
    };
    make("ffmpeg -v error -i s.y4m -c:v libx264 -crf 30 -g 25 s.mkv");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[512];
        if (!has(cases[i].encoder))
            continue;
        snprintf(line, sizeof(line), "ffmpeg -y -v error -i s.mkv -c:v %s %s plain.mkv",
                 cases[i].encoder, cases[i].arguments);
        make(line);
        EncodeRequest request = request_of(cases[i].encoder);
        source.encoded_path = "s.mkv";
        encode(&request);
        expect_same_packets("out.mkv", "plain.mkv");
    }
}

IN_A_FOLDER(the_user_has_a_say)
{
    const char *const extra[] = {"-x264-params", "bframes=0", "-x264-params", "ref=1:keyint=7"};
    EncodeRequest request = request_of("libx264");
    if (!has("libx264"))
        skip();
    request.settings.extra = extra;
    request.settings.n_extra = 4;
    encode(&request);
    expect_probe("-show_entries stream=has_b_frames", "0\n");
    char *keys = probe("-show_entries packet=flags");
    size_t n = 0;
    for (const char *line = strtok(keys, "\n"); line; line = strtok(NULL, "\n"), n++)
        assert_int_equal(line[0] == 'K', n % 7 == 0);
    assert_int_equal(n, FRAMES);
    free(keys);
}

IN_A_FOLDER(keyframes_are_where_they_are_wanted)
{
    static const double forced[] = {0.5, 1.0};
    static const char *const names[] = {"libx264", "libx265", "libvpx-vp9"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        EncodeRequest request = request_of(names[i]);
        if (!has(names[i]))
            continue;
        request.spec.keyframes = (Keyframes){100, forced, 2};
        encode(&request);
        char *times = probe("-show_entries packet=pts_time,flags");
        double time[8];
        size_t n = 0;
        for (char *line = strtok(times, "\n"); line && n < 8; line = strtok(NULL, "\n"))
            if (strstr(line, ",K"))
                time[n++] = strtod(line, NULL);
        free(times);
        assert_int_equal(n, 3); /* the first frames from there on: 12 and 24 */
        assert_true(time[1] > 0.499 && time[1] < 0.502);
        assert_true(time[2] > 1.000 && time[2] < 1.002);
    }
}

/* ---- Passes and statistics ---- */

IN_A_FOLDER(two_passes_reach_the_bitrate_of_the_first)
{
    static const char *const names[] = {"libx264", "libx265"};
    /* Names that options of encoders would fall for. */
    assert_int_equal(mkdir("it's a:b", 0755), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!has(names[i]))
            continue;
        EncodeRequest request = request_of(names[i]);
        request.spec.preset = "veryfast";
        request.output = "it's a:b/out.mkv";
        const EncodeOutcome once = encode(&request);
        request.spec.two_pass = true;
        request.spec.stats = true;
        const EncodeOutcome twice = encode(&request);
        assert_string_equal(twice.rate_control, "crf2pass");
        assert_true(twice.has_stats);
        assert_int_equal(twice.stats.frames, FRAMES);
        assert_true(twice.anchor_kbps > 10);
        const double ratio = (double)twice.size / (double)once.size;
        assert_true(ratio > 0.8 && ratio < 1.25);
        free(ask("[ \"$(ls \"it's a:b\")\" = out.mkv ]"));
    }
}

IN_A_FOLDER(vp9_has_two_passes_of_one_quality)
{
    if (!has("libvpx-vp9"))
        skip();
    EncodeRequest request = request_of("libvpx-vp9");
    request.spec.two_pass = true;
    const EncodeOutcome outcome = encode(&request);
    assert_int_equal(outcome.frames, FRAMES);
    assert_true(outcome.anchor_kbps == 0);
    assert_string_equal(outcome.rate_control, "crf_2pass");
}

IN_A_FOLDER(statistics_do_not_change_the_encode)
{
    static const char *const names[] = {"libx264", "libx265"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!has(names[i]))
            continue;
        EncodeRequest request = request_of(names[i]);
        request.spec.preset = "fast";
        encode(&request);
        assert_int_equal(rename("out.mkv", "without.mkv"), 0);
        request.spec.stats = true;
        const EncodeOutcome outcome = encode(&request);
        const Hashes with = hashes_of("out.mkv"), without = hashes_of("without.mkv");
        assert_memory_equal(&with, &without, sizeof(with));
        const EncoderStats *stats = &outcome.stats;
        assert_true(outcome.has_stats);
        assert_int_equal(stats->frames, FRAMES);
        assert_true(stats->qp_mean > 10 && stats->qp_mean < 51);
        assert_true(stats->itex_mean > stats->ptex_mean && stats->ptex_mean > 0);
        assert_true(stats->intra_ratio > 0 && stats->intra_ratio + stats->skip_ratio <= 1);
        /* The file has the same bits, and headers. */
        const double bits = 8.0 * (double)outcome.size;
        assert_true(stats->total_bits > 0.5 * bits && stats->total_bits < 1.02 * bits);
    }
}

/* ---- Colours ---- */

static const MediaLight light = {
    true, true, {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}, 0.005, 1000,
    1000, 400};

static void expect_hdr(const char *encoder)
{
    if (!has(encoder))
        return;
    EncodeRequest request = request_of(encoder);
    const char *const extra[] = {"-x265-params", "log-level=1"};
    request.settings.pixel_format = "yuv420p10le";
    source.light = light;
    request.settings.hdr = HDR_PQ;
    if (!strcmp(encoder, "libx265")) { /* the user's are merged with ours */
        request.settings.extra = extra;
        request.settings.n_extra = 2;
    }
    encode(&request);
    expect_probe(
        "-show_entries stream=pix_fmt,color_range,color_space,color_transfer,color_primaries",
        "yuv420p10le,tv,bt2020nc,smpte2084,bt2020\n");
    char *text = ask("ffprobe -v error -read_intervals %+#1 -show_frames out.mkv");
    static const char *const lines[] = {"red_x=35400/50000\n", "green_y=39850/50000\n",
                                        "white_point_x=15635/50000\n", "max_content=1000\n",
                                        "max_average=400\n"};
    if (strcmp(encoder, "libx265") != 0) { /* in units of 1/65536 */
        const char *red = strstr(text, "red_x=");
        assert_non_null(red);
        double numerator, denominator;
        assert_int_equal(sscanf(red, "red_x=%lf/%lf", &numerator, &denominator), 2);
        assert_true(numerator / denominator > 0.7079 && numerator / denominator < 0.7081);
        const char *highest = strstr(text, "max_luminance=");
        assert_int_equal(sscanf(highest, "max_luminance=%lf/%lf", &numerator, &denominator), 2);
        assert_true(numerator / denominator > 999.9 && numerator / denominator < 1000.1);
    } else {
        for (size_t i = 0; i < 3; i++)
            assert_non_null(strstr(text, lines[i]));
        assert_non_null(strstr(text, "max_luminance=10000000/10000\n"));
        assert_non_null(strstr(text, "min_luminance=50/10000\n"));
    }
    for (size_t i = 3; i < 5; i++)
        assert_non_null(strstr(text, lines[i]));
    free(text);
}

IN_A_FOLDER(hdr_arrives_in_the_stream)
{
    expect_hdr("libx265");
    expect_hdr("libsvtav1");
}

/* ---- For people ---- */

IN_A_FOLDER(audio_subtitles_and_chapters_are_kept)
{
    if (!has("libx264"))
        skip();
    file_put_text("s.srt", "1\n00:00:00,500 --> 00:00:01,500\nHello\n");
    file_put_text("s.txt",
                  ";FFMETADATA1\ntitle=T\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\n"
                  "title=one\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=3000\ntitle=two\n");
    make("ffmpeg -v error -i s.y4m -f lavfi -i sine=d=3 -f lavfi -i sine=f=500:d=3 -i s.srt -i "
         "s.txt "
         "-map 0 -map 1 -map 2 -map 3 -map_metadata 4 -c:v libx264 -c:a pcm_s16le -c:s srt s.mkv");
    EncodeRequest request = request_of("libx264");
    source.encoded_path = "s.mkv";
    request.spec.streams = ENCODE_WITH_ALL_STREAMS;
    assert_int_equal(encode(&request).frames, FRAMES);
    expect_probe("-show_entries stream=codec_name", "h264\npcm_s16le\npcm_s16le\nsubrip\n");
    char *chapters = probe("-show_chapters");
    assert_non_null(strstr(chapters, "one"));
    assert_non_null(strstr(chapters, "two"));
    free(chapters);
    expect_same_packets("out.mkv", "out.mkv");
    request.spec.streams = ENCODE_VIDEO_ONLY;
    encode(&request);
    expect_probe("-show_entries stream=codec_name", "h264\n");
}

/* ---- What does not work ---- */

IN_A_FOLDER(errors_of_encoders_are_told)
{
    const char *const extra[] = {"-profile:v", "nonsense"};
    EncodeRequest request = request_of("libx264");
    EncodeOutcome outcome;
    Message message;
    if (!has("libx264"))
        skip();
    request.settings.extra = extra;
    request.settings.n_extra = 2;
    assert_int_equal(encode_run(&request, NULL, &outcome, &message), -EIO);
    assert_non_null(strstr(message.text, "x264: invalid profile"));
    request.settings.n_extra = 0;
    source.encoded_path = "none.mkv";
    assert_int_equal(encode_run(&request, NULL, &outcome, &message), -EIO);
    /* FFmpeg 7 no longer names the file in that line. */
    assert_non_null(strstr(message.text, "No such file or directory"));
    assert_null(strchr(message.text, '\n'));
    free(ask("[ \"$(ls)\" = \"$(printf 'lossless.json\\ns.y4m')\" ]"));
}

int main(int argc, char **argv)
{
    Message message;
    if (ffmpeg_describe("ffmpeg", &limits, &ffmpeg, &message) < 0) {
        printf("skipped: %s\n", message.text);
        return SKIPPED;
    }
    const int failed = run_cases(argc, argv);
    ffmpeg_description_free(&ffmpeg);
    return failed;
}
