/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reports as web pages: what a run knows, as common/html/ takes it. */
#include "reports_internal.h"

#include "common/messages.h"
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    WANTED_FRAMES = 10,  /* of one video; of several together not much more */
    SHOWN_VIDEOS = 10,   /* that have any */
    LONGEST_SIDE = 256,  /* of small pictures */
    LONGEST_PLAIN = 192, /* of those that are not compressed */
    DEFAULT_PIECE = 24,  /* frames, where the rate is not known */
    SCORING_FRAMES = 10, /* frames that may pass until a score is known, beside those in work */
    MAX_FACTS = 24,
    MAX_NOTES = 128,
};

/* -- which scores are bad -- */

/* The first part that is in the name decides. */
static const struct {
    const char *part;
    HtmlSense sense;
} senses[] = {
    {"motion", HTML_NO_SENSE}, /* of the reference */
    {"moment", HTML_NO_SENSE},   {"_num", HTML_NO_SENSE},      {"_den", HTML_NO_SENSE},
    {"ansnr", HTML_LOW_IS_BAD},  {"mse_", HTML_HIGH_IS_BAD},   {"ciede", HTML_HIGH_IS_BAD},
    {"cambi", HTML_HIGH_IS_BAD}, {"speed_", HTML_HIGH_IS_BAD}, {"aim", HTML_HIGH_IS_BAD},
    {"adm", HTML_LOW_IS_BAD},    {"vif", HTML_LOW_IS_BAD},     {"psnr", HTML_LOW_IS_BAD},
    {"ssim", HTML_LOW_IS_BAD}, /* also of ssimulacra2 */
};

HtmlSense score_sense(const char *name)
{
    for (size_t i = 0; i < sizeof(senses) / sizeof(senses[0]); i++) {
        if (strstr(name, senses[i].part))
            return senses[i].sense;
    }
    return HTML_NO_SENSE;
}

/* -- during the run -- */

static HtmlSense lead_sense(const Run *run)
{
    for (unsigned i = 0; !run->options->n_models && i < run->options->n_features; i++) {
        const HtmlSense sense = score_sense(run->options->features[i].name);
        if (sense != HTML_NO_SENSE)
            return sense;
    }
    return HTML_LOW_IS_BAD;
}

/* Without models, frames are judged by the first score that distinguishes better from worse. */
static void find_lead(Run *run)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; !*run->lead && !vmaf_score_info(run->vmaf, i, &info); i++) {
        if (score_sense(info.name) == lead_sense(run) && strlen(info.key) < sizeof(run->lead))
            strcpy(run->lead, info.key);
    }
}

static int score_at(void *cookie, unsigned frame, double *score)
{
    Run *run = cookie;
    if (run_predicts(run))
        return vmaf_score_at_index(run->vmaf, run->models[0].model, score, frame);
    if (!*run->lead)
        find_lead(run);
    return *run->lead ? vmaf_feature_score_at_index(run->vmaf, run->lead, score, frame) : -EINVAL;
}

int html_report_watch(Run *run)
{
    const Options *options = run->options;
    const double rate = input_frame_rate(&run->reference->reader.format);
    if (!output_is_wanted(options, VMAF_OUTPUT_FORMAT_HTML))
        return 0;
    const unsigned n = options->n_distorted > 1 ? options->n_distorted : 1;
    const WorstFramesConfig config = {
        .wanted = n > SHOWN_VIDEOS ? 1 : WANTED_FRAMES / n,
        .piece = rate >= 2 && rate <= 1000 ? (unsigned)(rate + 0.5) : DEFAULT_PIECE,
        .held = 2 * run->n_threads + SCORING_FRAMES,
        .longest = html_images_are_compressed() ? LONGEST_SIDE : LONGEST_PLAIN,
        .high_is_bad = lead_sense(run) == HTML_HIGH_IS_BAD,
        .score = score_at,
        .cookie = run,
    };
    return worst_frames_create(&run->worst, &config);
}

void html_report_see(Run *run, const VmafPicture *reference, const VmafPicture *distorted)
{
    if (run->options->subsample > 1 && run->frames % run->options->subsample)
        return;
    worst_frames_add(run->worst, reference, distorted, run->frames);
}

/* -- scores -- */

/* What a page needs of one video, with the memory behind it. */
typedef struct Material {
    HtmlVideo video;
    size_t n_texts, n_facts, n_notes, n_series;
    char *texts[MAX_FACTS + MAX_NOTES];
    HtmlFact facts[MAX_FACTS];
    const char *notes[MAX_NOTES];
    HtmlSeries *series;
    HtmlFrame worst[WANTED_FRAMES];
    int err;
} Material;

static bool is_model_name(const Run *run, const char *name, const char **label)
{
    for (unsigned i = 0; i < run->n_models; i++) {
        if (strcmp(run->models[i].spec->name, name))
            continue;
        *label = model_spec_label(run->models[i].spec);
        return true;
    }
    return false;
}

/* The parts of the confidence interval belong to the score of their model. */
static bool is_part_of_model(const Run *run, const char *name)
{
    for (unsigned i = 0; i < run->n_models; i++) {
        const size_t length = strlen(run->models[i].spec->name);
        if (run->models[i].collection && !strncmp(name, run->models[i].spec->name, length) &&
            name[length] == '_')
            return true;
    }
    return false;
}

/* All scores of a key: those that there are. */
static int take_scores(const Run *run, const char *key, HtmlSeries *series)
{
    const unsigned step = run->options->subsample > 1 ? run->options->subsample : 1;
    const size_t most = run->frames / step + 1;
    double *scores = malloc(most * sizeof(*scores));
    uint32_t *frames = malloc(most * sizeof(*frames));
    if (!scores || !frames) {
        free(scores);
        free(frames);
        return -ENOMEM;
    }
    for (unsigned frame = 0; frame < run->frames; frame += step) {
        if (vmaf_feature_score_at_index(run->vmaf, key, &scores[series->n], frame))
            continue;
        frames[series->n++] = frame;
    }
    series->scores = scores;
    series->frames = frames;
    return 0;
}

static void take_series(Material *material, const Run *run, const VmafScoreInfo *info)
{
    HtmlSeries *series = &material->series[material->n_series];
    *series = (HtmlSeries){.name = info->name};
    series->is_model = is_model_name(run, info->name, &series->about);
    series->sense = series->is_model                    ? HTML_LOW_IS_BAD
                    : is_part_of_model(run, info->name) ? HTML_NO_SENSE
                                                        : score_sense(info->name);
    material->err = take_scores(run, info->key, series);
    if (!strcmp(run->lead, info->key))
        material->video.lead = material->n_series;
    if (!material->err)
        material->n_series++;
}

static const HtmlSeries *series_of(const Material *material, const char *name, const char *suffix)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < material->n_series; i++) {
        const char *other = material->series[i].name;
        if (!strncmp(other, name, length) && !strcmp(other + length, suffix))
            return &material->series[i];
    }
    return NULL;
}

static void join_intervals(Material *material)
{
    for (size_t i = 0; i < material->n_series; i++) {
        HtmlSeries *series = &material->series[i];
        const HtmlSeries *low = series_of(material, series->name, "_ci_p95_lo");
        const HtmlSeries *high = series_of(material, series->name, "_ci_p95_hi");
        if (!series->is_model || !low || !high || low->n != series->n || high->n != series->n)
            continue;
        series->low = low->scores;
        series->high = high->scores;
    }
}

static void take_all_series(Material *material, const Run *run)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    unsigned n = 0;
    while (!vmaf_score_info(run->vmaf, n, &info))
        n++;
    material->series = calloc(n ? n : 1, sizeof(*material->series));
    material->err = material->series ? 0 : -ENOMEM;
    for (unsigned i = 0; i < n && !material->err; i++) {
        material->err = vmaf_score_info(run->vmaf, i, &info);
        if (!material->err)
            take_series(material, run, &info);
    }
    join_intervals(material);
    if (!*run->lead)
        material->video.lead = html_lead_series(material->series, material->n_series);
}

/* -- what was compared -- */

static char *keep_text(Material *material, const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        material->err = -ENOMEM;
        return NULL;
    }
    material->texts[material->n_texts++] = text;
    return text;
}

__attribute__((format(printf, 3, 4))) static void add_fact(Material *material, const char *label,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text =
        material->n_facts < MAX_FACTS ? keep_text(material, format, arguments) : NULL;
    va_end(arguments);
    if (text)
        material->facts[material->n_facts++] = (HtmlFact){label, text};
}

__attribute__((format(printf, 2, 3))) static void add_note(Material *material, const char *format,
                                                           ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text =
        material->n_notes < MAX_NOTES ? keep_text(material, format, arguments) : NULL;
    va_end(arguments);
    if (text)
        material->notes[material->n_notes++] = text;
}

static void add_video(Material *material, const char *label, const char *path,
                      const VideoFormat *format)
{
    char rate[64] = "";
    if (format->rate_den)
        snprintf(rate, sizeof(rate), ", %.6g frames a second",
                 format->rate_num / (double)format->rate_den);
    add_fact(material, label, "%s", path);
    add_fact(material, "Picture format", "%u\xc3\x97%u, %s, %u bits%s", format->width,
             format->height, video_format_name(format->pixel_format), format->bit_depth, rate);
}

static void add_models(Material *material, const Run *run)
{
    for (unsigned i = 0; i < run->n_models; i++) {
        const ModelSpec *spec = run->models[i].spec;
        add_fact(material, "Model", "%s: %s%s%s", spec->name, model_spec_label(spec),
                 spec->flags & VMAF_MODEL_FLAG_DISABLE_CLIP ? ", not clipped" : "",
                 spec->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM ? ", transformed" : "");
    }
    for (unsigned i = 0; i < run->options->n_features; i++) {
        const FeatureSpec *spec = &run->options->features[i];
        char options[256] = "";
        for (unsigned k = 0; k < spec->n_options; k++) {
            const size_t used = strlen(options);
            snprintf(options + used, sizeof(options) - used, "%s%s=%s", k ? ", " : ": ",
                     spec->options[k].name, spec->options[k].value);
        }
        add_fact(material, "Feature", "%s%s", spec->name, options);
    }
}

static void add_backend(Material *material, const Run *run)
{
    if (run->stored) /* by whoever has made the records */
        return;
    add_fact(material, "Computed by", "%s", backend_choice_where(run->vmaf, run->n_threads).text);
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    char label[DEVICES_LABEL_SIZE];
    const bool others = backend_choice_count_devices(run->vmaf, label) > 0;
    for (unsigned i = 0; !vmaf_backend_event(run->vmaf, i, &event); i++)
        add_note(material, "The backend %s was lost at frame %u (%s); %s went on.", event.backend,
                 event.frame, event.reason, others ? "the others" : "the CPU");
}

static void add_options(Material *material, const Run *run)
{
    const Options *options = run->options;
    if (options->subsample > 1)
        add_fact(material, "Subsampling", "every %uth frame has a score", options->subsample);
    if (options->skip_reference || options->skip_distorted)
        add_fact(material, "Passed over", "%u frames of the reference, %u of the distorted video",
                 options->skip_reference, options->skip_distorted);
    if (options->cpumask)
        add_fact(material, "Instruction sets", "cpumask %u", (unsigned)options->cpumask);
}

static void add_all_notes(Material *material, const Notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        add_note(material, "%s", notes->text[i]);
}

static void add_notes(Material *material, const Run *run)
{
    add_all_notes(material, &run->reference->notes);
    add_all_notes(material, &run->notes);
    if (input_is_media(run)) /* whose notes have all of this */
        return;
    const VideoFormat *reference = &run->reference->reader.format;
    const VideoFormat *distorted = &run->distorted.format;
    const double rate = input_frame_rate(&run->reference->reader.format);
    const double other = input_frame_rate(distorted);
    if (reference->bit_depth != distorted->bit_depth)
        add_note(material, "Samples of %u bits were raised to %u.",
                 reference->bit_depth < distorted->bit_depth ? reference->bit_depth
                                                             : distorted->bit_depth,
                 run_depth(run));
    if (rate > 0 && other > 0 && (other / rate > 1.001 || rate / other > 1.001))
        add_note(material, "The videos have different frame rates: %.6g and %.6g.", rate, other);
    if (run->ended_first)
        add_note(material, "The %s video has fewer frames than the other: %u pairs were scored.",
                 run->ended_first, run->frames);
}

/* -- the page -- */

/* When each frame is shown, unless that is the same as by its number. */
static double *take_times(const Run *run, const Run *const runs[], unsigned n, size_t *n_times)
{
    FrameClock *clock = &run->reference->clock;
    *n_times = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!runs[i]->status && runs[i]->frames > *n_times)
            *n_times = runs[i]->frames;
    }
    double *times =
        frame_clock_is_plain(clock) || !*n_times ? NULL : calloc(*n_times, sizeof(*times));
    for (size_t i = 0; times && i < *n_times; i++) {
        times[i] = frame_clock_at(clock, (unsigned)i);
        if (isnan(times[i])) {
            free(times);
            times = NULL;
        }
    }
    if (!times)
        *n_times = 0;
    return times;
}

/* Members that failed have closed what they had. */
static void take_material(Material *material, const Run *run)
{
    material->video.name = run->options->distorted;
    material->video.error = run->status ? run->said.text : NULL;
    if (run->status) {
        add_fact(material, "Distorted", "%s", run->options->distorted);
    } else {
        take_all_series(material, run);
        add_video(material, "Distorted", run->options->distorted, &run->distorted.format);
        add_fact(material, "Frames", "%u", run->frames);
        add_backend(material, run);
        add_notes(material, run);
        material->video.n_worst = worst_frames_get(run->worst, material->worst);
    }
    material->video.facts = material->facts;
    material->video.n_facts = material->n_facts;
    material->video.notes = material->notes;
    material->video.n_notes = material->n_notes;
    material->video.series = material->series;
    material->video.n_series = material->n_series;
    material->video.worst = material->worst;
}

static void free_material(Material *material)
{
    for (size_t i = 0; i < material->n_series; i++) {
        free((void *)material->series[i].scores);
        free((void *)material->series[i].frames);
    }
    free(material->series);
    for (size_t i = 0; i < material->n_texts; i++)
        free(material->texts[i]);
}

/* Among many videos, only those with the worst frames have pictures. */
static void limit_pictures(HtmlVideo *videos, unsigned n, bool high_is_bad)
{
    for (unsigned shown = 0; n > SHOWN_VIDEOS && shown < n - SHOWN_VIDEOS; shown++) {
        HtmlVideo *best = NULL;
        for (unsigned i = 0; i < n; i++) {
            HtmlVideo *video = &videos[i];
            if (!video->n_worst)
                continue;
            const double score = high_is_bad ? -video->worst[0].score : video->worst[0].score;
            if (!best || score > (high_is_bad ? -best->worst[0].score : best->worst[0].score))
                best = video;
        }
        if (best)
            best->n_worst = 0;
    }
}

static const Run *first_run(const Run *const runs[], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!runs[i]->status)
            return runs[i];
    }
    return runs[0];
}

static int print_page(FILE *out, const Run *const runs[], Material *materials, Material *common,
                      HtmlVideo *videos, unsigned n)
{
    const Run *run = first_run(runs, n);
    char worst_note[160];
    add_video(common, "Reference", run->options->reference, &run->reference->reader.format);
    add_models(common, run);
    add_options(common, run);
    int err = common->err;
    for (unsigned i = 0; i < n && !err; i++) {
        take_material(&materials[i], runs[i]);
        videos[i] = materials[i].video;
        err = materials[i].err;
    }
    if (err)
        return err;
    limit_pictures(videos, n, lead_sense(run) == HTML_HIGH_IS_BAD);
    snprintf(worst_note, sizeof(worst_note),
             "Pictures are reduced; differences of luma are %d times as bright as they are.",
             DIFFERENCE_GAIN);
    size_t n_times;
    double *times = take_times(run, runs, n, &n_times);
    const HtmlPage page = {
        .reference = run->options->reference,
        .version = vmaf_version(),
        .rate = input_frame_rate(&run->reference->reader.format),
        .times = times,
        .n_times = n_times,
        .score_format = output_score_format(run->options),
        .worst_note = worst_note,
        .n_facts = common->n_facts,
        .facts = common->facts,
        .n_videos = n,
        .videos = videos,
    };
    err = html_page_print(&page, out);
    free(times);
    return err;
}

int html_report_write(const Output *output, const Run *const runs[], unsigned n)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    Material *materials = calloc(n + 1, sizeof(*materials));
    HtmlVideo *videos = calloc(n, sizeof(*videos));
    int err = out && materials && videos
                  ? print_page(out, runs, materials, &materials[n], videos, n)
                  : -ENOMEM;
    char *text = text_end(&buffer, err);
    if (!text && !err)
        err = -ENOMEM;
    if (!err)
        err = text_write(output->path, text);
    for (unsigned i = 0; materials && i <= n; i++)
        free_material(&materials[i]);
    free(materials);
    free(videos);
    free(text);
    return err ? output_failed(output->path, err) : STATUS_OK;
}
