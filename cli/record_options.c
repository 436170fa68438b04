/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "record_options.h"

#include "catalogue.h"
#include "common/messages.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool shard_option_parse(ShardOption *shard, const char *text)
{
    enum { MOST = 1000000 };
    const char *slash = strchr(text, '/');
    const size_t digits = strspn(text, "0123456789");
    const size_t more = slash ? strspn(slash + 1, "0123456789") : 0;
    if (!slash || !digits || text + digits != slash || !more || slash[1 + more])
        return false;
    const unsigned long index = strtoul(text, NULL, 10), count = strtoul(slash + 1, NULL, 10);
    if (count > MOST || index >= count)
        return false;
    *shard = (ShardOption){true, (unsigned)index, (unsigned)count};
    return true;
}

/* Features that only a backend has, or that name the one which computes them: whoever finishes
 * records may have another one. */
static const char *find_pinned(const Options *options)
{
    char stem[64];
    for (unsigned i = 0; i < options->n_features; i++) {
        const char *name = options->features[i].name;
        if (!catalogue_has_extractor(name) && (backend_of_pinned_name(name, stem, sizeof(stem)) ||
                                               backend_of_own_feature(name, stem, sizeof(stem))))
            return name;
    }
    return NULL;
}

/* What neither a part of a run can do nor what goes on behind another one. */
static int check_part(const Options *options, const char *name, Message *why)
{
    const InputOptions *input = &options->input;
    if (!strcmp(options->reference, "-") || !strcmp(options->distorted, "-"))
        return message_set(why, -EINVAL, "%s needs files: standard input cannot be read in parts",
                           name);
    if (input->pairs_by_time)
        return message_set(why, -EINVAL, "%s goes without --sync time, which pairs whole files",
                           name);
    if (input->ignores_errors)
        return message_set(why, -EINVAL,
                           "%s goes without --errors ignore: frames behind damage have no number",
                           name);
    return 0;
}

static int check_shard(const Options *options, Message *why)
{
    if (options->keep_records || options->resume)
        return message_set(why, -EINVAL,
                           "--shard keeps records by itself: it goes without "
                           "--keep-records and --resume");
    if (options->n_outputs != 1)
        return message_set(why, -EINVAL, "--shard writes one file, which -o names");
    const char *path = options->outputs[0].path;
    if (options->format_given || output_kind_of_name(path))
        return message_set(why, -EINVAL,
                           "%s: a shard is no report: call it NAME.vmafs; vmaf merge makes the "
                           "reports",
                           path);
    if (options->statistics || options->score_format[0] || options->gates.count)
        return message_set(why, -EINVAL,
                           "--pool, --precision and --require are for vmaf merge, not for --shard");
    if (options->align == ALIGN_AUTO)
        return message_set(why, -EINVAL,
                           "--align auto would look at each shard anew: give the offset with "
                           "--frame_skip_ref or --frame_skip_dist");
    return check_part(options, "--shard", why);
}

static int check_resume(const Options *options, Message *why)
{
    if (options->keep_records)
        return message_set(why, -EINVAL, "--resume keeps records: it goes without --keep-records");
    if (options->input.duration > 0)
        return message_set(why, -EINVAL, "--resume goes without --duration: give --frames");
    return check_part(options, "--resume", why);
}

int record_options_check(const Options *options, Message *why)
{
    if (!options->shard.is_given && !options->keep_records && !options->resume)
        return options->sha256 ? message_set(why, -EINVAL,
                                             "--sha256 goes into files of records: it goes with "
                                             "--shard, --keep-records or --resume")
                               : 0;
    const char *pinned = find_pinned(options);
    if (pinned)
        return message_set(why, -EINVAL,
                           "records of \"%s\" are of no use without its backend: name the feature "
                           "alone, and the backend with --backend",
                           pinned);
    if (options->n_distorted > 1)
        return message_set(why, -EINVAL, "records are kept of one distorted video");
    if (options->shard.is_given)
        return check_shard(options, why);
    return options->resume ? check_resume(options, why) : 0;
}

/* What features write to files, records do not have. */
static void say_files(const char *extractor, const char *option)
{
    if (catalogue_option_names_files(extractor, option))
        say("warning: %s of %s has no effect: a shard writes its records alone, and they hold "
            "nothing of it",
            option, extractor);
}

static void say_all_files(const Options *options)
{
    for (unsigned i = 0; i < options->n_features; i++) {
        for (unsigned j = 0; j < options->features[i].n_options; j++)
            say_files(options->features[i].name, options->features[i].options[j].name);
    }
    for (unsigned i = 0; i < options->n_models; i++) {
        for (unsigned j = 0; j < options->models[i].n_overloads; j++)
            say_files(options->models[i].overloads[j].extractor,
                      options->models[i].overloads[j].option);
    }
}

void record_options_prepare(Options *options)
{
    const bool keeps = options->shard.is_given || options->keep_records || options->resume;
    if (options->shard.is_given && !options->quiet)
        say_all_files(options);
    for (unsigned i = 0; i < options->n_models && keeps; i++)
        model_spec_read_file(&options->models[i]);
}
