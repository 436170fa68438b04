/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder/ladder.h"

#include "tune/commands/session/search_record.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

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

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

static json_t *checked(json_t *json, int err)
{
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *point_json(const EncodePoint *point)
{
    json_t *json = json_object();
    int err = json_put(json, "width", json_integer(point->width));
    err |= json_put(json, "height", json_integer(point->height));
    err |= put_number(json, "bitrate_kbps", point->kbps);
    err |= put_number(json, "vmaf", point->score);
    err |= json_put(json, "crf", json_integer(point->q));
    if (!isnan(point->low) && !isnan(point->high)) {
        json_t *interval = json_object();
        err |= put_number(interval, "low", point->low);
        err |= put_number(interval, "high", point->high);
        err |= json_put(json, "vmaf_interval", interval);
    }
    return checked(json, err);
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
    int err = json_put(json, "bandwidth_bps", json_integer(bits_per_second(rung->kbps)));
    err |= put_number(json, "target_vmaf", target_of(ladder, rung->point.score));
    err |= json_put(json, "peak_bandwidth_bps", json_integer(bits_per_second(rung->peak_kbps)));
    err |= put_text(json, "codecs", *rung->codecs ? rung->codecs : NULL);
    if (ladder->has_media)
        err |= put_text(json, "uri", file);
    if (rung->encode->path && measurer_options(ladder->measurer->measurer)->encode_dir)
        err |= put_text(json, "encode_path", rung->encode->path);
    return checked(json, err);
}

static json_t *sample_json(const Ladder *ladder, size_t i)
{
    const MeasuredEncode *encode = ladder->encodes[i];
    const LadderSize *size = &ladder->sizes[ladder_size_of(ladder, &encode->spec)];
    json_t *json = search_sample(&ladder->groups[0].plan, encode);
    if (json && !measurer_options(ladder->measurer->measurer)->encode_dir)
        json_object_del(json, "encode_path"); /* of a file that will not stay */
    int err = json_put(json, "width", json_integer(size->width));
    err |= json_put(json, "height", json_integer(size->height));
    return checked(json, err);
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
    return checked(json, err);
}

int ladder_print_json(const Ladder *ladder, FILE *out)
{
    const EncodeSpec *spec = &ladder->groups[0].plan.spec;
    const EncodeOutcome *outcome = &ladder->rungs[0].encode->outcome;
    const FrameRate rate = ladder->source->rate;
    json_t *json = lists_json(ladder);
    int err = put_text(json, "schema", "vmaf-tune-ladder/v1");
    err |= put_text(json, "source", ladder->source->path);
    err |= put_text(json, "encoder", spec->encoder->name);
    err |= put_text(json, "encoder_version", outcome->encoder_version);
    err |= put_text(json, "preset", spec->preset);
    err |= put_text(json, "vmaf_model", ladder->measurer->model);
    err |= json_put(json, "model_calibrated", json_boolean(ladder->measurer->is_calibrated));
    err |= put_text(json, "clip_mode", ladder->measurer->clip_mode);
    err |= put_number(json, "duration_s", ladder->source->seconds);
    err |= put_number(json, "frame_rate", (double)rate.numerator / rate.denominator);
    err |= put_number(json, "segment_seconds", ladder->segment_seconds);
    if (video_range(ladder))
        err |= put_text(json, "video_range", video_range(ladder));
    if (!err)
        err = json_document_print(json, 2, out);
    fputc('\n', out);
    json_decref(json);
    return err ? -ENOMEM : 0;
}
