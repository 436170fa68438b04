/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include "common/json.h"
#include "common/output_guard.h"
#include "platform/child.h"
#include "platform/path.h"
#include "tune/rows/row.h"
#include "tune/session/search.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- files -- */

static void begin_command(const Ladder *ladder, ArgumentList *list)
{
    static const char *const start[] = {"-nostdin", "-hide_banner", "-loglevel",
                                        "error",    "-y",           NULL};
    arguments_add(list, ladder->session->options->ffmpeg);
    for (size_t i = 0; start[i]; i++)
        arguments_add(list, start[i]);
}

/*
 * Segments of video begin where all rungs have keyframes, and nowhere else: a moment less than a
 * segment, so that rounded times are on the right side. The file gets its name when it is whole.
 */
static void add_output(const Ladder *ladder, const char *path, bool is_audio, ArgumentList *list)
{
    arguments_option(list, "-f", "mp4");
    arguments_option(list, "-movflags", "+dash+delay_moov+global_sidx+skip_trailer%s",
                     is_audio ? "" : "+frag_keyframe");
    arguments_option(list, is_audio ? "-frag_duration" : "-min_frag_duration", "%lld",
                     (long long)(ladder->segment_seconds * 1e6) - 1000);
    arguments_print(list, "%s%s.part", vmaf_path_is_absolute(path) ? "" : "./", path);
}

static void add_rung(const Ladder *ladder, const LadderRung *rung, ArgumentList *list)
{
    begin_command(ladder, list);
    arguments_add(list, "-i");
    arguments_add_path(list, rung->encode->path);
    arguments_option(list, "-map", "0:v:0");
    arguments_option(list, "-c", "copy");
    if (!strncmp(rung->track.codecs, "hvc1", 4))
        arguments_option(list, "-tag:v", "hvc1");
}

/* Players take or leave a group of audio as a whole, so that all of it has one codec: that of the
 * source, if MP4 and players take it, or AAC. */
static bool is_copied(const OtherStreams *others)
{
    const char *codec = NULL;
    for (size_t i = 0; i < others->n; i++) {
        const OtherStream *stream = &others->stream[i];
        if (stream->kind != OTHER_AUDIO)
            continue;
        if (codec ? strcmp(codec, stream->codec) != 0
                  : strcmp(stream->codec, "aac") != 0 && strcmp(stream->codec, "ac3") != 0 &&
                        strcmp(stream->codec, "eac3") != 0)
            return false;
        codec = stream->codec;
    }
    return true;
}

/* Stream `n` of the source's audio, beginning and ending with the video; `codec`: "copy" or an
 * encoder. */
static void add_audio(const Ladder *ladder, size_t n, const char *codec, ArgumentList *list)
{
    const TuneSource *source = ladder->source;
    begin_command(ladder, list);
    if (source->first_frame_time >= 1e-6) {
        arguments_add(list, "-ss");
        arguments_seconds(list, source->first_frame_time);
    }
    arguments_add(list, "-i");
    arguments_add_path(list, source->path);
    arguments_add(list, "-t");
    arguments_seconds(list, source->seconds);
    arguments_add(list, "-map");
    arguments_print(list, "0:a:%zu", n);
    arguments_option(list, "-map_chapters", "-1");
    arguments_option(list, "-c:a", "%s", codec);
    /* AAC has numbers for these, which are all that players know. */
    if (strcmp(codec, "copy") != 0)
        arguments_option(list, "-af", "aformat=channel_layouts=mono|stereo|3.0|4.0|5.0|5.1");
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

/* Makes one file, and reads what manifests say of it. */
static int make_track(const Ladder *ladder, const char *manifest, bool is_audio,
                      ArgumentList *command, LadderTrack *track, Message *why)
{
    ArgumentList path = {0};
    arguments_print(&path, "%.*s%s.mp4", (int)(vmaf_path_name(manifest) - manifest), manifest,
                    track->name);
    if (!path.error)
        add_output(ladder, path.items[0], is_audio, command);
    int err = path.error ? path.error : command->error;
    if (err) {
        arguments_free(&path);
        return message_set(why, err, "out of memory");
    }
    const char *partial = command->items[command->n - 1];
    err = spare_source(ladder, path.items[0], why);
    if (!err && !(err = run(command, why)))
        err = track_read(partial, ladder->segment_seconds, track, why);
    if (!err && rename(partial, path.items[0]))
        err = message_set(why, -errno, "%s cannot be written", path.items[0]);
    if (err)
        remove(partial);
    arguments_free(&path);
    return err;
}

/* A rendition for each of the source's audio streams. */
static int emit_audio(Ladder *ladder, const char *manifest, Message *why)
{
    const OtherStreams *others = &ladder->source->others;
    const bool copies = is_copied(others);
    int err = 0;
    ladder->audio = calloc(others->n + 1, sizeof(*ladder->audio));
    if (!ladder->audio)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < others->n && !err; i++) {
        const OtherStream *stream = &others->stream[i];
        const size_t n = ladder->n_audio;
        ArgumentList command = {0};
        if (stream->kind == OTHER_TEXT || stream->kind == OTHER_BITMAP)
            progress_print(ladder->session->progress, "subtitles (%s) are left out", stream->codec);
        if (stream->kind != OTHER_AUDIO)
            continue;
        if (!copies && strcmp(stream->codec, "aac") != 0)
            progress_print(ladder->session->progress, "audio %zu: %s becomes AAC", n + 1,
                           stream->codec);
        snprintf(ladder->audio[n].name, TRACK_NAME_SIZE, "audio_%zu", n);
        add_audio(ladder, n, copies || !strcmp(stream->codec, "aac") ? "copy" : "aac", &command);
        err = make_track(ladder, manifest, true, &command, &ladder->audio[n], why);
        ladder->n_audio++;
        arguments_free(&command);
    }
    return err;
}

int ladder_emit(Ladder *ladder, const char *manifest, Message *why)
{
    int err = 0;
    for (size_t i = 0; i < ladder->n_rungs && !err; i++) {
        ArgumentList command = {0};
        add_rung(ladder, &ladder->rungs[i], &command);
        err = make_track(ladder, manifest, false, &command, &ladder->rungs[i].track, why);
        arguments_free(&command);
    }
    if (!err)
        err = emit_audio(ladder, manifest, why);
    ladder->has_media = !err;
    return err;
}

/* -- what manifests say -- */

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
static void print_decimal(double number, long long parts, int digits, FILE *out)
{
    const long long all = llround(number * (double)parts);
    fprintf(out, "%lld.%0*lld", all / parts, digits, all % parts);
}

/* BCP 47 has two letters for these; NULL: the language is unknown. */
static const char *language_of(const LadderTrack *track)
{
    static const char *const two[][2] = {
        {"ara", "ar"}, {"ces", "cs"}, {"cze", "cs"}, {"dan", "da"}, {"deu", "de"}, {"dut", "nl"},
        {"ell", "el"}, {"eng", "en"}, {"fin", "fi"}, {"fra", "fr"}, {"fre", "fr"}, {"ger", "de"},
        {"heb", "he"}, {"hin", "hi"}, {"hun", "hu"}, {"ita", "it"}, {"jpn", "ja"}, {"kor", "ko"},
        {"nld", "nl"}, {"nor", "no"}, {"pol", "pl"}, {"por", "pt"}, {"ron", "ro"}, {"rus", "ru"},
        {"spa", "es"}, {"swe", "sv"}, {"tha", "th"}, {"tur", "tr"}, {"ukr", "uk"}, {"vie", "vi"},
        {"zho", "zh"}, {"chi", "zh"}};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (!strcmp(track->language, two[i][0]))
            return two[i][1];
    return *track->language && strcmp(track->language, "und") != 0 ? track->language : NULL;
}

/* -- HLS -- */

static void print_audio_hls(const Ladder *ladder, size_t i, FILE *out)
{
    const LadderTrack *track = &ladder->audio[i];
    const char *language = language_of(track);
    fprintf(out, "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"%zu%s%s\"", i + 1,
            language ? " " : "", language ? language : "");
    if (language)
        fprintf(out, ",LANGUAGE=\"%s\"", language);
    fprintf(out, ",DEFAULT=%s,AUTOSELECT=YES", i ? "NO" : "YES");
    if (track->channels)
        fprintf(out, ",CHANNELS=\"%d\"", track->channels);
    fprintf(out, ",URI=\"%s.m3u8\"\n", track->name);
}

/* The codec of the video, and each of the audio once: kinds of AAC may differ. */
static void print_codecs(const Ladder *ladder, const LadderTrack *video, FILE *out)
{
    fprintf(out, ",CODECS=\"%s", video->codecs);
    for (size_t i = 0; i < ladder->n_audio; i++) {
        size_t first = 0;
        while (strcmp(ladder->audio[first].codecs, ladder->audio[i].codecs) != 0)
            first++;
        if (first == i)
            fprintf(out, ",%s", ladder->audio[i].codecs);
    }
    fputc('"', out);
}

void ladder_print_hls(const Ladder *ladder, FILE *out)
{
    const FrameRate rate = ladder->source->rate;
    const char *range = video_range(ladder);
    double audio = 0, audio_peak = 0;
    fputs("#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n", out);
    for (size_t i = 0; i < ladder->n_audio; i++) {
        print_audio_hls(ladder, i, out);
        audio = fmax(audio, ladder->audio[i].kbps);
        audio_peak = fmax(audio_peak, ladder->audio[i].peak_kbps);
    }
    for (size_t i = 0; i < ladder->n_rungs; i++) {
        const LadderRung *rung = &ladder->rungs[i];
        fprintf(out, "#EXT-X-STREAM-INF:BANDWIDTH=%lld,AVERAGE-BANDWIDTH=%lld,RESOLUTION=%dx%d",
                bits_per_second(rung->track.peak_kbps + audio_peak),
                bits_per_second(rung->track.kbps + audio), rung->point.width, rung->point.height);
        if (*rung->track.codecs)
            print_codecs(ladder, &rung->track, out);
        fputs(",FRAME-RATE=", out);
        print_decimal((double)rate.numerator / rate.denominator, 1000, 3, out);
        if (range)
            fprintf(out, ",VIDEO-RANGE=%s", range);
        fprintf(out, "%s\n%s.m3u8\n", ladder->n_audio ? ",AUDIO=\"audio\"" : "", rung->track.name);
    }
}

void ladder_print_playlist(const LadderTrack *track, FILE *out)
{
    double longest = 1;
    uint64_t at = track->index_end;
    for (size_t i = 0; i < track->n_segments; i++)
        longest = fmax(longest, track->segments[i].seconds);
    fprintf(out,
            "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:%lld\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            "#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MAP:URI=\"%s.mp4\",BYTERANGE=\"%" PRIu64 "@0\"\n",
            llround(longest), track->name, track->index_begin);
    for (size_t i = 0; i < track->n_segments; i++) {
        fputs("#EXTINF:", out);
        print_decimal(track->segments[i].seconds, 1000000, 6, out);
        fprintf(out, ",\n#EXT-X-BYTERANGE:%" PRIu64 "@%" PRIu64 "\n%s.mp4\n",
                track->segments[i].bytes, at, track->name);
        at += track->segments[i].bytes;
    }
    fputs("#EXT-X-ENDLIST\n", out);
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

/* What all have from their codec on, and the file. */
static void end_representation(const LadderTrack *track, const char *mime_type, FILE *out)
{
    if (*track->codecs)
        fprintf(out, " codecs=\"%s\"", track->codecs);
    fprintf(out, " mimeType=\"%s\">\n", mime_type);
    if (track->channels)
        fprintf(out,
                "        <AudioChannelConfiguration schemeIdUri=\"urn:mpeg:dash:23003:3:"
                "audio_channel_configuration:2011\" value=\"%d\"/>\n",
                track->channels);
    fprintf(out, "        <BaseURL>%s.mp4</BaseURL>\n", track->name);
    if (track->index_end)
        fprintf(out,
                "        <SegmentBase indexRange=\"%" PRIu64 "-%" PRIu64 "\">\n"
                "          <Initialization range=\"0-%" PRIu64 "\"/>\n        </SegmentBase>\n",
                track->index_begin, track->index_end - 1, track->index_begin - 1);
    fputs("      </Representation>\n", out);
}

static void print_video(const Ladder *ladder, size_t i, FILE *out)
{
    const LadderRung *rung = &ladder->rungs[i];
    const FrameRate rate = ladder->source->rate;
    fprintf(out,
            "      <Representation id=\"r%zu\" bandwidth=\"%lld\" width=\"%d\" height=\"%d\" "
            "frameRate=\"%d",
            i, bits_per_second(rung->track.peak_kbps), rung->point.width, rung->point.height,
            rate.numerator);
    if (rate.denominator != 1)
        fprintf(out, "/%d", rate.denominator);
    fputc('"', out);
    end_representation(&rung->track, "video/mp4", out);
}

static const char common_attributes[] = "segmentAlignment=\"true\" subsegmentAlignment=\"true\" "
                                        "subsegmentStartsWithSAP=\"1\">\n";

static void print_audio(const Ladder *ladder, size_t i, FILE *out)
{
    const LadderTrack *track = &ladder->audio[i];
    const char *language = language_of(track);
    fputs("    <AdaptationSet contentType=\"audio\" ", out);
    if (language)
        fprintf(out, "lang=\"%s\" ", language);
    fprintf(out,
            "%s      <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"%s\"/>\n"
            "      <Representation id=\"a%zu\" bandwidth=\"%lld\" audioSamplingRate=\"%d\"",
            common_attributes, i ? "alternate" : "main", i, bits_per_second(track->peak_kbps),
            track->sample_rate);
    end_representation(track, "audio/mp4", out);
    fputs("    </AdaptationSet>\n", out);
}

void ladder_print_dash(const Ladder *ladder, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" minBufferTime=\"PT2S\" "
          "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\" "
          "mediaPresentationDuration=\"PT",
          out);
    print_decimal(ladder->source->seconds, 1000, 3, out);
    fprintf(out, "S\">\n  <Period>\n    <AdaptationSet contentType=\"video\" %s",
            common_attributes);
    print_colours(ladder, out);
    for (size_t i = 0; i < ladder->n_rungs; i++)
        print_video(ladder, i, out);
    fputs("    </AdaptationSet>\n", out);
    for (size_t i = 0; i < ladder->n_audio; i++)
        print_audio(ladder, i, out);
    fputs("  </Period>\n</MPD>\n", out);
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
    double target = NAN;
    for (size_t i = 0; i < ladder->n_targets && !ladder->options->n_sweep; i++)
        if (ladder->targets[i] <= score) /* they rise */
            target = ladder->targets[i];
    return target;
}

static json_t *rung_json(const Ladder *ladder, const LadderRung *rung)
{
    const LadderTrack *track = &rung->track;
    char file[TRACK_NAME_SIZE + 8];
    json_t *json = point_json(&rung->point);
    snprintf(file, sizeof file, "%s.mp4", track->name);
    int err = json_put_integer(json, "bandwidth_bps", bits_per_second(track->kbps));
    err |= json_put_number(json, "target_vmaf", target_of(ladder, rung->point.score));
    err |= json_put_integer(json, "peak_bandwidth_bps", bits_per_second(track->peak_kbps));
    err |= json_put_text(json, "codecs", *track->codecs ? track->codecs : NULL);
    if (ladder->has_media)
        err |= json_put_text(json, "uri", file);
    if (rung->encode->path && measurer_options(ladder->measurer->measurer)->encode_dir)
        err |= json_put_text(json, "encode_path", rung->encode->path);
    return json_unless(err, json);
}

static json_t *sample_json(const Ladder *ladder, const MeasuredEncode *encode)
{
    const LadderSize *size = ladder_size_of(ladder, &encode->spec);
    json_t *json = search_sample(&ladder->plan, encode);
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
    json_t *unreachable = json_array();
    for (size_t i = 0; i < ladder->n_rungs; i++)
        json_array_append_new(renditions, rung_json(ladder, &ladder->rungs[i]));
    for (size_t i = 0; i < ladder->n_targets && !ladder->options->n_sweep; i++)
        if (ladder->targets[i] > ladder->rungs[ladder->n_rungs - 1].point.score) /* both rise */
            json_array_append_new(unreachable, json_real(ladder->targets[i]));
    for (size_t i = 0; i < ladder->n_hull; i++)
        json_array_append_new(hull, point_json(&ladder->hull[i]));
    for (size_t i = 0; i < ladder->n_encodes; i++)
        json_array_append_new(samples, sample_json(ladder, ladder->encodes[i]));
    int err = json_put(json, "renditions", renditions);
    err |= json_put(json, "unreachable_targets", unreachable);
    err |= json_put(json, "hull", hull);
    err |= json_put(json, "samples", samples);
    return json_unless(err, json);
}

json_t *ladder_record(const Ladder *ladder)
{
    const EncodeSpec *spec = &ladder->plan.spec;
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
