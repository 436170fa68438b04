/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a ladder is for players, HLS and DASH, and for programs. */
#include "tune/plan/ladder_internal.h"

#include "common/json.h"
#include "tune/measure/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- what manifests say -- */

static long long bits_per_second(double kbps)
{
    return llround(kbps * 1000);
}

static const char *video_range(const Ladder *ladder)
{
    static const char *const ranges[] = {[HDR_PQ] = "PQ", [HDR_HLG] = "HLG"};
    return ranges[ladder->measurer->hdr];
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
    const HdrTransfer hdr = ladder->measurer->hdr;
    const bool is_constant = !strcmp(ladder->source->matrix, "bt2020c");
    if (hdr == HDR_NONE)
        return;
    fprintf(out, scheme, "ColourPrimaries", 9);
    fprintf(out, scheme, "TransferCharacteristics", hdr == HDR_PQ ? 16 : 18);
    fprintf(out, scheme, "MatrixCoefficients", is_constant ? 10 : 9);
}

/* What all have from their codec on, and the file. */
static void end_representation(const LadderTrack *track, const char *mime_type, bool has_file,
                               FILE *out)
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
    if (has_file)
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
    end_representation(&rung->track, "video/mp4", ladder->settings->emits, out);
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
    end_representation(track, "audio/mp4", true, out);
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

/* What all lists have of an encode, and what it scores. */
static json_t *point_json(const Ladder *ladder, const EncodePoint *point)
{
    const TuneGates *gates = &ladder->plan.gates;
    double values[SEARCH_MAX_GATES];
    ladder_values(ladder, &ladder->encodes[point->source], values);
    return json_object_of("width:i height:i bitrate_kbps:n vmaf:n score:n crf:o", point->width,
                          point->height, point->kbps, gates_vmaf(gates, values), values[0],
                          json_quality(point->q));
}

static bool is_reached(const Ladder *ladder, double goal, const EncodePoint *point)
{
    return (ladder->plan.gates.gate[0].lower_is_better ? -goal : goal) <= point->score;
}

static json_t *rung_json(const Ladder *ladder, const LadderRung *rung)
{
    const LadderTrack *track = &rung->track;
    const NumberList *goals = &ladder->settings->goals.values;
    const bool is_vmaf = !strcmp(ladder->plan.gates.gate[0].name, "vmaf");
    double goal = NAN; /* the highest that it reaches: they rise */
    for (size_t i = 0; i < goals->n && !ladder->settings->sweep.n; i++)
        if (is_reached(ladder, goals->value[i], &rung->point))
            goal = goals->value[i];
    json_t *json = point_json(ladder, &rung->point);
    int err =
        json_put_all(json, "bandwidth_bps:l target:n target_vmaf:n peak_bandwidth_bps:l codecs:t",
                     bits_per_second(track->kbps), goal, is_vmaf ? goal : NAN,
                     bits_per_second(track->peak_kbps), *track->codecs ? track->codecs : NULL);
    if (ladder->settings->emits)
        err |= json_put(json, "uri", json_sprintf("%s.mp4", track->name));
    if (rung->encode->path && measurer_options(ladder->measurer->measurer)->encode_dir)
        err |= json_put_text(json, "encode_path", rung->encode->path);
    return json_unless(err, json);
}

static json_t *sample_json(const Ladder *ladder, const MeasuredEncode *encode)
{
    const int width = (int)ladder->source->format.width,
              height = (int)ladder->source->format.height;
    const EncodeSpec *spec = &encode->spec;
    json_t *json = search_sample(&ladder->plan, encode);
    if (json && !measurer_options(ladder->measurer->measurer)->encode_dir)
        json_object_del(json, "encode_path"); /* of a file that will not stay */
    const int err = json_put_all(json, "width:i height:i", spec->width ? spec->width : width,
                                 spec->height ? spec->height : height);
    return json_unless(err, json);
}

json_t *ladder_record(const Ladder *ladder)
{
    const EncodeSpec *spec = &ladder->plan.spec;
    const NumberList *goals = &ladder->settings->goals.values;
    const FrameRate rate = ladder->source->rate;
    char metric[GATE_LABEL_SIZE];
    json_t *renditions = json_array(), *unreachable = json_array(), *hull = json_array();
    json_t *samples = json_array();
    for (size_t i = 0; i < ladder->n_rungs; i++)
        json_array_append_new(renditions, rung_json(ladder, &ladder->rungs[i]));
    for (size_t i = 0; i < goals->n && !ladder->settings->sweep.n; i++)
        if (!is_reached(ladder, goals->value[i], &ladder->rungs[ladder->n_rungs - 1].point))
            json_array_append_new(unreachable, json_real(goals->value[i]));
    for (size_t i = 0; i < ladder->n_hull; i++)
        json_array_append_new(hull, point_json(ladder, &ladder->hull[i]));
    for (size_t i = 0; i < ladder->n_encodes; i++)
        json_array_append_new(samples, sample_json(ladder, &ladder->encodes[i]));
    gate_name(&ladder->plan.gates.gate[0], metric);
    json_t *json = json_object_of(
        "renditions:o unreachable_targets:o hull:o samples:o schema:t metric:t source:t encoder:t "
        "encoder_version:t preset:t vmaf_model:t model_calibrated:b clip_mode:t duration_s:n "
        "frame_rate:n segment_seconds:n",
        renditions, unreachable, hull, samples, "vmaf-tune-ladder/v1", metric, ladder->source->path,
        spec->encoder->name, ladder->rungs[0].encode->outcome.encoder_version, spec->preset,
        ladder->measurer->model, ladder->measurer->is_calibrated, ladder->measurer->clip_mode,
        ladder->source->seconds, (double)rate.numerator / rate.denominator,
        ladder->segment_seconds);
    int err = 0;
    if (video_range(ladder))
        err |= json_put_text(json, "video_range", video_range(ladder));
    return json_unless(err, json);
}
