/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include "common/json.h"
#include "common/output_guard.h"
#include "platform/child.h"
#include "platform/file.h"
#include "platform/path.h"
#include "tune/rows/row.h"
#include "tune/session/output.h"
#include "tune/session/search.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ITU-T H.264, profile_idc, and the byte of constraint flags behind it. */
typedef struct AvcProfile {
    const char *name;
    unsigned profile, constraints;
} AvcProfile;

static const AvcProfile avc_profiles[] = {
    {"Constrained Baseline", 0x42, 0xe0},
    {"Baseline", 0x42, 0x00},
    {"Main", 0x4d, 0x00},
    {"Extended", 0x58, 0x00},
    {"High", 0x64, 0x00},
    {"High 10", 0x6e, 0x00},
    {"High 10 Intra", 0x6e, 0x10},
    {"High 4:2:2", 0x7a, 0x00},
    {"High 4:2:2 Intra", 0x7a, 0x10},
    {"High 4:4:4 Predictive", 0xf4, 0x00},
    {"High 4:4:4 Intra", 0xf4, 0x10},
};

static bool print_avc(const StreamFacts *facts, char text[CODEC_STRING_SIZE])
{
    for (size_t i = 0; i < COUNT(avc_profiles) && facts->level > 0; i++) {
        const AvcProfile *profile = &avc_profiles[i];
        if (strcmp(facts->profile, profile->name))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "avc1.%02X%02X%02X", profile->profile,
                 profile->constraints, (unsigned)facts->level & 0xff);
        return true;
    }
    return false;
}

/* ISO/IEC 14496-15, E.3: the profile and which profiles it is compatible with. */
static bool print_hevc(const StreamFacts *facts, char text[CODEC_STRING_SIZE])
{
    static const char *const profiles[][2] = {
        {"Main", "1.6"}, {"Main 10", "2.4"}, {"Main Still Picture", "3.E"}, {"Rext", "4.10"}};
    for (size_t i = 0; i < COUNT(profiles) && facts->level > 0; i++) {
        if (strcmp(facts->profile, profiles[i][0]))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "hvc1.%s.L%d.B0", profiles[i][1], facts->level);
        return true;
    }
    return false;
}

/* What pictures and frames a level has room for. */
typedef struct Level {
    int number;
    double pixels, pixels_a_second;
} Level;

/* AV1 bitstream and decoding process specification, A.3: seq_level_idx. */
static const Level av1_levels[] = {
    {0, 147456, 4423680},       {1, 278784, 8363520},       {4, 665856, 19975680},
    {5, 1065024, 31950720},     {8, 2359296, 70778880},     {9, 2359296, 141557760},
    {12, 8912896, 267386880},   {13, 8912896, 534773760},   {14, 8912896, 1069547520},
    {16, 35651584, 1069547520}, {17, 35651584, 2139095040}, {18, 35651584, 4278190080.0},
};

/* VP9 levels, ten times. */
static const Level vp9_levels[] = {
    {10, 36864, 829440},          {11, 73728, 2764800},         {20, 122880, 4608000},
    {21, 245760, 9216000},        {30, 552960, 20736000},       {31, 983040, 36864000},
    {40, 2228224, 83558400},      {41, 2228224, 160432128},     {50, 8912896, 311951360},
    {51, 8912896, 588251136},     {52, 8912896, 1176502272},    {60, 35651584, 1176502272},
    {61, 35651584, 2353004544.0}, {62, 35651584, 4706009088.0},
};

/* The first one that has room, else the last. */
static int level_for(const Level *levels, size_t n, const StreamFacts *facts, FrameRate rate)
{
    const double pixels = (double)facts->width * facts->height;
    const double a_second = pixels * rate.numerator / rate.denominator;
    for (size_t i = 0; i < n; i++)
        if (pixels <= levels[i].pixels && a_second <= levels[i].pixels_a_second)
            return levels[i].number;
    return levels[n - 1].number;
}

static bool print_av1(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    static const char *const profiles[] = {"Main", "High", "Professional"};
    const int level =
        facts->level >= 0 ? facts->level : level_for(av1_levels, COUNT(av1_levels), facts, rate);
    for (unsigned i = 0; i < COUNT(profiles); i++) {
        if (strcmp(facts->profile, profiles[i]))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "av01.%u.%02dM.%02u", i, level, facts->bit_depth);
        return true;
    }
    return false;
}

static bool print_vp9(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    unsigned profile;
    if (sscanf(facts->profile, "Profile %u", &profile) != 1)
        return false;
    const int level =
        facts->level > 0 ? facts->level : level_for(vp9_levels, COUNT(vp9_levels), facts, rate);
    snprintf(text, CODEC_STRING_SIZE, "vp09.%02u.%02d.%02u", profile & 0xf, level,
             facts->bit_depth);
    return true;
}

bool codec_string(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    *text = '\0';
    if (!strcmp(facts->codec, "h264"))
        return print_avc(facts, text);
    if (!strcmp(facts->codec, "hevc"))
        return print_hevc(facts, text);
    if (!strcmp(facts->codec, "av1"))
        return print_av1(facts, rate, text);
    if (!strcmp(facts->codec, "vp9"))
        return print_vp9(facts, rate, text);
    if (strcmp(facts->codec, "vvc") || facts->level <= 0)
        return false;
    snprintf(text, CODEC_STRING_SIZE, "vvc1.1.L%d", facts->level);
    return true;
}

/* Where a file beside the manifest is, as no program takes for an option or a protocol. */
static void add_place(ArgumentList *list, const char *manifest, const char *name,
                      const char *extension)
{
    const int length = (int)(vmaf_path_name(manifest) - manifest);
    arguments_print(list, "%s%.*s%s.%s", vmaf_path_is_absolute(manifest) ? "" : "./", length,
                    manifest, name, extension);
}

static void add_all(ArgumentList *list, const char *const *arguments)
{
    for (; *arguments; arguments++)
        arguments_add(list, *arguments);
}

/* A moment less than a segment, so that rounded times are on the right side. */
static long long segment_us(const Ladder *ladder)
{
    return (long long)(ladder->segment_seconds * 1e6) - 1000;
}

/* Segments begin where all rungs have keyframes, and nowhere else. */
static void add_segments(const Ladder *ladder, bool playlist, ArgumentList *list)
{
    static const char *const hls[] = {
        "-f",   "hls",        "-hls_playlist_type", "vod",       "-hls_segment_type",
        "fmp4", "-hls_flags", "single_file",        "-hls_time", NULL};
    static const char *const mp4[] = {"-f",
                                      "mp4",
                                      "-movflags",
                                      "+dash+delay_moov+global_sidx+skip_trailer+frag_keyframe",
                                      "-min_frag_duration",
                                      NULL};
    add_all(list, playlist ? hls : mp4);
    arguments_print(list, playlist ? "%lldus" : "%lld", segment_us(ladder));
}

static void make_command(const Ladder *ladder, const LadderRung *rung, const char *manifest,
                         bool playlist, ArgumentList *list)
{
    static const char *const start[] = {"-nostdin", "-hide_banner", "-loglevel",
                                        "error",    "-y",           NULL};
    static const char *const copy[] = {"-map", "0:v:0", "-c", "copy", NULL};
    const char *path = rung->encode->path;
    arguments_add(list, ladder->session->options->ffmpeg);
    add_all(list, start);
    arguments_add(list, "-i");
    arguments_print(list, "%s%s", vmaf_path_is_absolute(path) ? "" : "./", path);
    add_all(list, copy);
    if (!strncmp(rung->codecs, "hvc1", 4)) {
        arguments_add(list, "-tag:v");
        arguments_add(list, "hvc1");
    }
    add_segments(ladder, playlist, list);
    add_place(list, manifest, rung->name, playlist ? "m3u8" : "mp4");
}

static int run(const ArgumentList *command, Message *why)
{
    VmafChildResult result;
    const VmafChildRun child = {
        .program = command->items[0],
        .arguments = (const char *const *)command->items,
        .stop = session_interrupt,
    };
    int err = vmaf_child_run(&child, &result);
    if (err)
        return message_set(why, err, "%s: %s", command->items[0], strerror(-err));
    if (result.ending == VMAF_CHILD_STOPPED)
        err = message_set(why, -ECANCELED, "interrupted");
    else if (result.ending != VMAF_CHILD_EXITED || result.number)
        err = message_set(why, -EIO, "ffmpeg could not write %s: %.300s",
                          command->items[command->n - 1], result.error_tail);
    vmaf_child_result_free(&result);
    return err;
}

static uint64_t big_endian(const unsigned char *bytes, size_t n)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Where the index is among the outermost boxes (ISO/IEC 14496-12). */
static int find_index(const char *path, LadderRung *rung)
{
    VmafFile file;
    int64_t position = 0;
    int err = vmaf_file_open(&file, path);
    if (err)
        return err;
    for (;;) {
        unsigned char head[16];
        size_t got = 0;
        err = vmaf_file_read_at(&file, head, sizeof head, position, &got);
        if (err || got < 8)
            break;
        uint64_t size = big_endian(head, 4);
        if (size == 1 && got == sizeof head)
            size = big_endian(head + 8, 8);
        if (size < 8 || size > INT64_MAX / 2)
            break;
        if (!memcmp(head + 4, "sidx", 4)) {
            rung->index_begin = (uint64_t)position;
            rung->index_end = (uint64_t)position + size;
            break;
        }
        position += (int64_t)size;
    }
    vmaf_file_close(&file);
    return err || rung->index_end ? err : -EINVAL;
}

/* Files of earlier ladders are replaced. */
static int spare_source(const Ladder *ladder, const char *path, Message *why)
{
    const TextList *sources = &ladder->session->options->sources;
    const GuardedOutput output = {.path = path, .name = "a rung", .overwrites = true};
    OutputGuard guard = {0};
    int err = 0;
    for (size_t i = 0; i < sources->n && !err; i++)
        err = output_guard_read(&guard, sources->text[i], "the source", why);
    if (!err)
        err = output_guard_write(&guard, &output, why);
    output_guard_free(&guard);
    return err;
}

int ladder_emit(Ladder *ladder, const char *manifest, bool playlists, Message *why)
{
    int err = 0;
    for (size_t i = 0; i < ladder->n_rungs && !err; i++) {
        LadderRung *rung = &ladder->rungs[i];
        ArgumentList command = {0};
        make_command(ladder, rung, manifest, playlists, &command);
        err = command.error ? message_set(why, command.error, "out of memory")
                            : spare_source(ladder, command.items[command.n - 1], why);
        if (!err)
            err = run(&command, why);
        if (!err && !playlists && (err = find_index(command.items[command.n - 1], rung)))
            message_set(why, err, "%s has no index", command.items[command.n - 1]);
        arguments_free(&command);
    }
    ladder->has_media = !err;
    return err;
}

static long long bits_per_second(double kbps)
{
    return llround(kbps * 1000);
}

static const char *video_range(const Ladder *ladder)
{
    if (!ladder->measurer->is_hdr)
        return NULL;
    return ladder->measurer->hdr.transfer == HDR_PQ ? "PQ" : "HLG";
}

/* With a point in every locale. */
static void print_thousandths(double number, FILE *out)
{
    const long long thousandths = llround(number * 1000);
    fprintf(out, "%lld.%03lld", thousandths / 1000, thousandths % 1000);
}

/* -- HLS -- */

void ladder_print_hls(const Ladder *ladder, FILE *out)
{
    const FrameRate rate = ladder->source->rate;
    const char *range = video_range(ladder);
    fputs("#EXTM3U\n#EXT-X-VERSION:6\n", out);
    for (size_t i = 0; i < ladder->n_rungs; i++) {
        const LadderRung *rung = &ladder->rungs[i];
        fprintf(out, "#EXT-X-STREAM-INF:BANDWIDTH=%lld,AVERAGE-BANDWIDTH=%lld,RESOLUTION=%dx%d",
                bits_per_second(rung->peak_kbps), bits_per_second(rung->kbps), rung->point.width,
                rung->point.height);
        if (*rung->codecs)
            fprintf(out, ",CODECS=\"%s\"", rung->codecs);
        fputs(",FRAME-RATE=", out);
        print_thousandths((double)rate.numerator / rate.denominator, out);
        if (range)
            fprintf(out, ",VIDEO-RANGE=%s", range);
        fprintf(out, "\n%s.m3u8\n", rung->name);
    }
}

/* -- DASH -- */

/* ISO/IEC 23091-2. */
static void print_colours(const Ladder *ladder, FILE *out)
{
    static const char scheme[] =
        "      <SupplementalProperty schemeIdUri=\"urn:mpeg:mpegB:cicp:%s\" value=\"%d\"/>\n";
    const HdrTags *hdr = &ladder->measurer->hdr;
    if (!ladder->measurer->is_hdr)
        return;
    fprintf(out, scheme, "ColourPrimaries", 9);
    fprintf(out, scheme, "TransferCharacteristics", hdr->transfer == HDR_PQ ? 16 : 18);
    fprintf(out, scheme, "MatrixCoefficients", hdr->constant_luminance ? 10 : 9);
}

static void print_representation(const Ladder *ladder, size_t i, FILE *out)
{
    const LadderRung *rung = &ladder->rungs[i];
    const FrameRate rate = ladder->source->rate;
    fprintf(out,
            "      <Representation id=\"r%zu\" bandwidth=\"%lld\" width=\"%d\" height=\"%d\" "
            "frameRate=\"%d",
            i, bits_per_second(rung->peak_kbps), rung->point.width, rung->point.height,
            rate.numerator);
    if (rate.denominator != 1)
        fprintf(out, "/%d", rate.denominator);
    fputc('"', out);
    if (*rung->codecs)
        fprintf(out, " codecs=\"%s\"", rung->codecs);
    fprintf(out, " mimeType=\"video/mp4\">\n        <BaseURL>%s.mp4</BaseURL>\n", rung->name);
    if (rung->index_end)
        fprintf(out,
                "        <SegmentBase indexRange=\"%" PRIu64 "-%" PRIu64 "\">\n"
                "          <Initialization range=\"0-%" PRIu64 "\"/>\n        </SegmentBase>\n",
                rung->index_begin, rung->index_end - 1, rung->index_begin - 1);
    fputs("      </Representation>\n", out);
}

void ladder_print_dash(const Ladder *ladder, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" minBufferTime=\"PT2S\" "
          "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\" "
          "mediaPresentationDuration=\"PT",
          out);
    print_thousandths(ladder->source->seconds, out);
    fputs("S\">\n  <Period>\n    <AdaptationSet contentType=\"video\" segmentAlignment=\"true\" "
          "subsegmentAlignment=\"true\" subsegmentStartsWithSAP=\"1\">\n",
          out);
    print_colours(ladder, out);
    for (size_t i = 0; i < ladder->n_rungs; i++)
        print_representation(ladder, i, out);
    fputs("    </AdaptationSet>\n  </Period>\n</MPD>\n", out);
}

/* -- JSON -- */

static json_t *point_json(const EncodePoint *point)
{
    json_t *json = json_object();
    int err = json_put_integer(json, "width", point->width);
    err |= json_put_integer(json, "height", point->height);
    err |= json_put_number(json, "bitrate_kbps", point->kbps);
    err |= json_put_number(json, "vmaf", point->score);
    err |= json_put(json, "crf", json_quality(point->q));
    return json_unless(err, json);
}

/* The highest target that a score reaches; NAN if the ladder has none. */
static double target_of(const Ladder *ladder, double score)
{
    const SearchGroup *group = &ladder->groups[0];
    double target = NAN;
    for (size_t i = 0; i < group->n_targets && !group->n_sweep; i++)
        if (group->targets[i] <= score) /* they rise */
            target = group->targets[i];
    return target;
}

static json_t *rung_json(const Ladder *ladder, const LadderRung *rung)
{
    char file[RUNG_NAME_SIZE + 8];
    json_t *json = point_json(&rung->point);
    snprintf(file, sizeof file, "%s.mp4", rung->name);
    int err = json_put_integer(json, "bandwidth_bps", bits_per_second(rung->kbps));
    err |= json_put_number(json, "target_vmaf", target_of(ladder, rung->point.score));
    err |= json_put_integer(json, "peak_bandwidth_bps", bits_per_second(rung->peak_kbps));
    err |= json_put_text(json, "codecs", *rung->codecs ? rung->codecs : NULL);
    if (ladder->has_media)
        err |= json_put_text(json, "uri", file);
    if (rung->encode->path && measurer_options(ladder->measurer->measurer)->encode_dir)
        err |= json_put_text(json, "encode_path", rung->encode->path);
    return json_unless(err, json);
}

static json_t *sample_json(const Ladder *ladder, size_t i)
{
    const MeasuredEncode *encode = ladder->encodes[i];
    const LadderSize *size = &ladder->sizes[ladder_size_of(ladder, &encode->spec)];
    json_t *json = search_sample(&ladder->groups[0].plan, encode);
    if (json && !measurer_options(ladder->measurer->measurer)->encode_dir)
        json_object_del(json, "encode_path"); /* of a file that will not stay */
    int err = json_put_integer(json, "width", size->width);
    err |= json_put_integer(json, "height", size->height);
    return json_unless(err, json);
}

static json_t *lists_json(const Ladder *ladder)
{
    json_t *json = json_object();
    json_t *renditions = json_array(), *hull = json_array(), *samples = json_array();
    for (size_t i = 0; i < ladder->n_rungs; i++)
        json_array_append_new(renditions, rung_json(ladder, &ladder->rungs[i]));
    for (size_t i = 0; i < ladder->n_hull; i++)
        json_array_append_new(hull, point_json(&ladder->hull[i]));
    for (size_t i = 0; i < ladder->n_encodes; i++)
        json_array_append_new(samples, sample_json(ladder, i));
    int err = json_put(json, "renditions", renditions);
    err |= json_put(json, "hull", hull);
    err |= json_put(json, "samples", samples);
    return json_unless(err, json);
}

json_t *ladder_record(const Ladder *ladder)
{
    const EncodeSpec *spec = &ladder->groups[0].plan.spec;
    const EncodeOutcome *outcome = &ladder->rungs[0].encode->outcome;
    const FrameRate rate = ladder->source->rate;
    json_t *json = lists_json(ladder);
    int err = json_put_text(json, "schema", "vmaf-tune-ladder/v1");
    err |= json_put_text(json, "source", ladder->source->path);
    err |= json_put_text(json, "encoder", spec->encoder->name);
    err |= json_put_text(json, "encoder_version", outcome->encoder_version);
    err |= json_put_text(json, "preset", spec->preset);
    err |= json_put_text(json, "vmaf_model", ladder->measurer->model);
    err |= json_put_flag(json, "model_calibrated", ladder->measurer->is_calibrated);
    err |= json_put_text(json, "clip_mode", ladder->measurer->clip_mode);
    err |= json_put_number(json, "duration_s", ladder->source->seconds);
    err |= json_put_number(json, "frame_rate", (double)rate.numerator / rate.denominator);
    err |= json_put_number(json, "segment_seconds", ladder->segment_seconds);
    if (video_range(ladder))
        err |= json_put_text(json, "video_range", video_range(ladder));
    return json_unless(err, json);
}
