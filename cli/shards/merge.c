/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/merge.h"

#include "command_line.h"
#include "exit_status.h"
#include "run_outputs.h"
#include "shards/shard_info.h"
#include "shards/shard_set.h"
#include "shards/stored_run.h"

/* With the models and features of the run. */
static int finish(Options *options, const ShardSet *set)
{
    Message why;
    const int err = shard_header_take_choice(set->header, options, set->path, &why);
    return err ? stored_run_refuse(&why, err) : stored_run(options, set, false);
}

static int merge_parts(Options *options)
{
    Message why;
    ShardSet set;
    int status = run_outputs_check(options);
    if (status)
        return status;
    const int err = shard_set_open(&set, options->parts, options->n_parts, &why);
    status = err ? stored_run_refuse(&why, err) : finish(options, &set);
    shard_set_close(&set);
    return status;
}

int merge(int argc, char **argv)
{
    Options options;
    int status;
    if (command_line_parse_parts(&options, IN_MERGE, argc, argv, &status))
        status =
            options.info ? shard_info_print(options.parts, options.n_parts) : merge_parts(&options);
    command_line_free(&options);
    return status;
}
