/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/rescore.h"

#include "catalogue.h"
#include "command_line.h"
#include "exit_status.h"
#include "run_outputs.h"
#include "shards/json_text.h"
#include "shards/shard_set.h"
#include "shards/stored_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- features that are stored -- */

/* As few digits as read back to the same number. */
static void put_real(FILE *out, double real)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    fputs(text, out);
}

static void put_value(FILE *out, const json_t *value)
{
    if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        put_real(out, json_real_value(value));
    else if (json_is_string(value))
        fputs(json_string_value(value), out);
}

/* Such an option is not given: a default need not be in the range of the option. */
static bool is_default(const json_t *value, const VmafOptionInfo *option)
{
    if (json_is_boolean(value))
        return json_is_true(value) == (option->default_value != 0);
    if (json_is_number(value))
        return json_number_value(value) == option->default_value;
    return json_is_null(value) || (json_is_string(value) && option->default_string &&
                                   !strcmp(json_string_value(value), option->default_string));
}

/* As --feature takes it, to be freed, and what it should be taken apart to; NULL: out of memory, or
 * it is none. */
static char *feature_text(const json_t *record, unsigned *n_options)
{
    const char *name = json_text_get(record, "feature");
    const json_t *options = json_object_get(record, "options");
    char *text = NULL;
    size_t size;
    VmafOptionInfo option;
    FILE *out = name ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    fputs(name, out);
    *n_options = 0;
    for (unsigned i = 0; catalogue_next_option(name, &i, &option);) {
        const json_t *value = json_object_get(options, option.name);
        if (!value || is_default(value, &option))
            continue;
        fprintf(out, "%c%s=", (*n_options)++ ? ':' : '=', option.name);
        put_value(out, value);
    }
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

static bool has(const Options *options, const FeatureSpec *wanted)
{
    for (unsigned i = 0; i < options->n_features; i++) {
        if (feature_spec_same_keys(&options->features[i], wanted))
            return true;
    }
    return false;
}

static int add_feature(Options *options, const json_t *record, const char *path, Message *why)
{
    FeatureSpec *spec = &options->features[options->n_features];
    if (options->n_features == MAX_FEATURES)
        return message_set(why, -EINVAL, "%s: --all: at most %d features", path, MAX_FEATURES);
    unsigned n_options;
    char *text = feature_text(record, &n_options);
    int err = text ? feature_spec_parse(spec, text, why) : -ENOMEM;
    free(text);
    if (!err && spec->n_options != n_options) {
        feature_spec_free(spec);
        err = -EBADMSG;
    }
    if (err)
        return message_set(why, err, "%s: its layout is wrong", path);
    if (!catalogue_has_extractor(spec->name) || has(options, spec))
        feature_spec_free(spec);
    else
        options->n_features++;
    return 0;
}

static int add_all_features(Options *options, const ShardReader *reader, Message *why)
{
    const json_t *layout = json_object_get(shard_reader_header(reader), "layout");
    const json_t *records = json_object_get(layout, "records");
    int err = 0;
    for (size_t i = 0; i < json_array_size(records) && !err; i++)
        err = add_feature(options, json_array_get(records, i), shard_reader_path(reader), why);
    return err;
}

/* -- the command -- */

/* Others are scored, but those of the run are part of what a file says. */
static int check_choice(const ShardSet *set, Message *why)
{
    Options *of_run = calloc(1, sizeof(*of_run));
    if (!of_run)
        return message_set(why, -ENOMEM, "out of memory");
    const int err = shard_header_take_choice(set->header, of_run, set->path, why);
    command_line_free(of_run);
    free(of_run);
    return err;
}

static int finish(Options *options, const ShardSet *set)
{
    Message why;
    int err = check_choice(set, &why);
    if (!err && options->all_features)
        err = add_all_features(options, set->parts[0].reader, &why);
    return err ? stored_run_refuse(&why, err) : stored_run(options, set, true);
}

static int rescore_parts(Options *options)
{
    ShardSet set;
    Message why;
    int status = run_outputs_check(options);
    if (status)
        return status;
    const int err = shard_set_open(&set, options->parts, options->n_parts, &why);
    status = err ? stored_run_refuse(&why, err) : finish(options, &set);
    shard_set_close(&set);
    return status;
}

int rescore(int argc, char **argv)
{
    Options options;
    int status;
    if (command_line_parse_parts(&options, IN_RESCORE, argc, argv, &status))
        status = rescore_parts(&options);
    command_line_free(&options);
    return status;
}
