/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "catalogue.h"
#include "command_table.h"
#include "completion.h"

/* Words that stand behind what was typed of the argument. */
static const char functions[] =
    "function __vmaf_argument\n"
    "    string replace -r -- \"^($argv)\" '' (commandline -ct)\n"
    "end\n"
    "function __vmaf_list\n"
    "    set -l before (__vmaf_argument --pool= | string replace -r -- '[^,]*$' '')\n"
    "    printf '%s\\n' $before$argv\n"
    "end\n"
    "function __vmaf_model\n"
    "    set -l argument (__vmaf_argument '--model=|-m')\n"
    "    set -l before (string replace -r -- '[^:]*$' '' $argument)\n"
    "    set -l item (string replace -r -- '.*:' '' $argument)\n"
    "    test -n \"$before\"; or echo auto\n"
    "    if string match -q 'path=*' -- $item\n"
    "        printf '%s\\n' $before'path='(__fish_complete_path (string sub -s 6 -- $item))\n"
    "    else\n"
    "        printf '%s\\n' $before$__vmaf_models "
    "$before{path=,name=,disable_clip,enable_transform}\n"
    "    end\n"
    "end\n"
    "function __vmaf_feature\n"
    "    set -l argument (__vmaf_argument --feature=)\n"
    "    if not string match -q '*=*' -- $argument\n"
    "        printf '%s\\n' $__vmaf_features\n"
    "        return\n"
    "    end\n"
    "    set -l feature (string replace -r -- '=.*' '' $argument)\n"
    "    set -l before (string replace -r -- '^([^=]*=(.*:)?).*' '$1' $argument)\n"
    "    printf '%s\\n' $before(__vmaf_feature_options $feature)\n"
    "end\n";

static void print_feature_options(FILE *out)
{
    VmafExtractorInfo extractor;
    fputs("function __vmaf_feature_options\n    switch $argv[1]\n", out);
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        fprintf(out, "        case %s\n            string split ' ' '", extractor.name);
        completion_print_feature_options(out, extractor.name);
        fputs("'\n", out);
    }
    fputs("    end\nend\n", out);
}

static void print_argument(FILE *out, const OptionInfo *row)
{
    switch (completion_kind(row)) {
    case COMPLETES_NOTHING:
        return;
    case COMPLETES_ANY:
        fputs(" -x", out);
        return;
    case COMPLETES_FILE:
        fputs(row->argument[0] == '[' ? " -F" : " -r -F", out);
        return;
    case COMPLETES_MODEL:
        fputs(" -x -a '(__vmaf_model)'", out);
        return;
    case COMPLETES_FEATURE:
        fputs(" -x -a '(__vmaf_feature)'", out);
        return;
    case COMPLETES_LIST:
        fputs(" -x -a '(__vmaf_list ", out);
        completion_print_words(out, row, "");
        fputs(")'", out);
        return;
    case COMPLETES_WORD:
    case COMPLETES_DEVICE:
        fputs(" -x -a '", out);
        completion_print_words(out, row, "");
        fputs("'", out);
        return;
    }
}

static void print_option(FILE *out, const OptionInfo *row)
{
    fputs("complete -c vmaf", out);
    if (row->short_name)
        fprintf(out, " -s %c", row->short_name);
    fprintf(out, " -l %s", row->name);
    print_argument(out, row);
    fputs(" -d ", out);
    completion_print_quoted(out, row->help, "\\'", "\\");
    fputc('\n', out);
}

void completion_print_fish(FILE *out)
{
    const OptionInfo *row;
    fputs("set -g __vmaf_models ", out);
    completion_print_models(out, "version=");
    fputs("\nset -g __vmaf_features ", out);
    completion_print_features(out);
    fputc('\n', out);
    print_feature_options(out);
    fputs(functions, out);
    for (unsigned i = 0; (row = completion_next(&i));)
        print_option(out, row);
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++)
        fprintf(out, "complete -c vmaf -n '__fish_is_first_token' -a %s -d '%s'\n", command->name,
                command->summary);
}
