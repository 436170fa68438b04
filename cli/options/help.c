/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What --help prints, made of the tables of options and commands. */
#include "options_internal.h"

#include "common/messages.h"

#include <errno.h>
#include <string.h>

enum { TEXT_COLUMN = 30, NAMES_COLUMN = 16 };

/* Options that belong together, in the order of the table. */
typedef struct Group {
    const char *name, *title;
    const char *examples; /* lines, or NULL */
    const char *more;     /* lines below the options, or NULL */
} Group;

static const Group groups[] = {
    {"input", "Videos",
     "  vmaf original.y4m encoded.y4m -o scores.json\n"
     "      two words without an option are reference and distorted video\n"
     "  vmaf -r original.y4m -d 1080p.y4m -d 720p.y4m -o 'scores-{}.json'\n"
     "      several encodes in one pass, a report on each: {} is the name of the video\n"
     "  ffmpeg -v error -i encoded.mp4 -fps_mode passthrough -strict -1 \\\n"
     "      -f yuv4mpegpipe - | vmaf -r original.y4m -d - -o scores.json\n"
     "      one of them from a pipe\n",
     "Videos are Y4M, raw (--help raw) or media files (--help media).\n"},
    {"raw", "Raw video",
     "  vmaf a.yuv b.yuv -w 1920 -h 1080 -p 420 -b 8 -o scores.xml\n"
     "      planes one after another, as ffmpeg -f rawvideo writes them\n",
     "Any of these makes both files raw, and then all four are needed.\n"},
    {"media", "Media files: what FFmpeg decodes",
     "  vmaf master.mkv encoded.mp4 -o scores.json\n"
     "      the distorted video is scaled to the size of the reference\n"
     "  vmaf master.mkv encoded.mp4 --scale model -o scores.json\n"
     "      both are scaled to the size that the model was made for\n"
     "  vmaf probe encoded.mp4\n"
     "      what is in a file\n",
     "Media files need the package vmaf-media-ffmpeg.\n"},
    {"frames", "Which frames are scored",
     "  vmaf master.mkv encoded.mp4 --start 0:10:00 --duration 10s -o scores.json\n"
     "      ten seconds from the tenth minute on\n"
     "  vmaf a.y4m b.y4m --frame_skip_ref 3 --frames 250 -o scores.json\n"
     "      the encoder has lost the first three frames\n",
     NULL},
    {"alignment", "Do the videos line up?",
     "  vmaf master.mkv encoded.mp4 --align auto -o scores.json\n"
     "      passes over the frames that one of them has more at its beginning\n"
     "  vmaf master.mkv encoded.mp4 --align strict -o scores.json\n"
     "      fails with status 234 if frames do not line up\n",
     "Findings are lines on stderr. Without the option media files are checked, and\n"
     "Y4M files if stderr is a terminal.\n"},
    {"models", "Models and features",
     "  vmaf a.y4m b.y4m -m version=vmaf_v0.6.1neg -o scores.json\n"
     "      another model (--list-models)\n"
     "  vmaf a.y4m b.y4m -m version=vmaf_v0.6.1 -m version=vmaf_v0.6.1neg:name=neg \\\n"
     "      --feature psnr -o scores.json\n"
     "      two models, and PSNR (--list-features)\n"
     "  vmaf a.y4m b.y4m -n --feature psnr=enable_chroma=false -o scores.csv\n"
     "      one feature alone\n",
     "MODEL is a list of items separated by colons:\n"
     "  version=NAME              built-in model\n"
     "  auto                      built-in model for the size of the videos: above\n"
     "                            2560x1440 vmaf_4k_v0.6.1, else vmaf_v0.6.1\n"
     "  path=FILE                 model file\n"
     "  name=TEXT                 name of the score in the report [vmaf]\n"
     "  disable_clip              do not clip the score to the model's range\n"
     "  enable_transform          apply the model's score transform (phone model)\n"
     "  FEATURE.OPTION=VALUE      change an option of a feature that the model uses\n"
     "FEATURE is NAME or NAME=OPTION=VALUE:OPTION=VALUE...\n"},
    {"reports", "Reports",
     "  vmaf a.y4m b.y4m -o scores.json -o report.html\n"
     "      the scores of every frame, and a page to look at\n"
     "  vmaf a.y4m b.y4m --csv -o - | head\n"
     "      to standard output\n"
     "  vmaf a.y4m b.y4m --pool p1,p5,median --precision max -o scores.json\n"
     "      percentiles, and all digits\n",
     "The format follows the name: .xml, .json, .csv, .sub or .html.\n"},
    {"parts", "Runs in parts",
     "  vmaf a.y4m b.y4m --shard 0/4 -o part-0.vmafs\n"
     "      the first of four parts, on any machine; then 1/4, 2/4 and 3/4\n"
     "  vmaf merge part-*.vmafs -o scores.json -o scores.csv\n"
     "      the reports of the whole run; they are those of a run at once\n"
     "  vmaf a.y4m b.y4m --resume run.vmafs -o scores.json\n"
     "      goes on where it was interrupted, with the same line\n"
     "  vmaf rescore run.vmafs -m version=vmaf_v0.6.1neg -o neg.json\n"
     "      another model, without the videos\n",
     "merge and rescore take the options of reports, and rescore those of models.\n"},
    {"speed", "Speed", "  vmaf a.y4m b.y4m --threads 4 -o scores.json\n", NULL},
    {"backends", "Where it is computed",
     "  vmaf a.y4m b.y4m --backend cuda -o scores.json\n"
     "      on the GPU or, if that fails, not at all\n"
     "  vmaf --list-backends\n"
     "      what is here, and why something cannot be used\n",
     NULL},
    {"batch", "Many pairs",
     "  vmaf batch list.ndjson > results.ndjson\n"
     "      one pair a line, while models and devices stay open:\n"
     "      {\"reference\": \"a.y4m\", \"distorted\": \"b.y4m\", \"output\": \"b.json\"}\n"
     "  vmaf batch - --jobs 4 -m version=vmaf_v0.6.1neg\n"
     "      four at a time, as they come on standard input; options for all of them\n",
     "A line can have options of its own: \"options\": [\"--feature\", \"psnr\"].\n"
     "Results are lines of JSON. Status 0, or 255 if a pair failed.\n"},
    {"information", "Information",
     "  vmaf --help models\n"
     "  source <(vmaf --completion bash)\n",
     NULL},
};
enum { N_GROUPS = sizeof(groups) / sizeof(groups[0]) };

static const char *const most_used[] = {
    "reference", "distorted", "output",  "model",   "feature",
    "align",     "frames",    "threads", "backend", "quiet",
};

static const char exit_status[] =
    "Exit status: 0 success, 1 wrong usage, 3 a score is not as --require demands,\n"
    "100 the backend that was asked for is not available, 234 frames could not be\n"
    "read or scored, 255 anything else.\n";

/* -- rows -- */

/* Goes through the rows of a group, or of all groups if it is NULL. */
static const OptionInfo *next_row(const Group *group, unsigned *index)
{
    const char *at = NULL;
    const OptionInfo *row;
    for (unsigned i = 0; (row = option_row(i)); i++) {
        if (row->group)
            at = row->group;
        if (i < *index || !row->help || (group && strcmp(at, group->name) != 0))
            continue;
        *index = i + 1;
        return row;
    }
    return NULL;
}

static void print_row(const OptionInfo *info)
{
    const char *argument = info->argument ? info->argument : "";
    char option[64];
    snprintf(option, sizeof(option), "%c%c%c --%s%s%s", info->short_name ? '-' : ' ',
             info->short_name ? info->short_name : ' ', info->short_name ? ',' : ' ', info->name,
             *argument && *argument != '[' ? " " : "", argument);
    print_help_row(option, TEXT_COLUMN, info->help);
}

static void print_named_row(const char *name)
{
    const OptionInfo *row;
    for (unsigned i = 0; (row = next_row(NULL, &i));) {
        if (!strcmp(row->name, name))
            print_row(row);
    }
}

static void print_group(const Group *group)
{
    printf("%s\n\n", group->title);
    if (group->examples)
        printf("%s\n", group->examples);
    const OptionInfo *row;
    for (unsigned i = 0; (row = next_row(group, &i));)
        print_row(row);
    if (group->more)
        printf("\n%s", group->more);
}

/* The names of a group's options. */
static void print_names(const Group *group)
{
    char names[512] = "";
    size_t used = 0;
    const OptionInfo *row;
    for (unsigned i = 0; (row = next_row(group, &i)) && used < sizeof(names);) {
        char label[64];
        used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
                                 option_label(row, label, sizeof(label)));
    }
    print_help_row(group->name, NAMES_COLUMN, names + 1);
}

/* -- pages -- */

void help_print_usage(void)
{
    fputs("Usage: vmaf -r REFERENCE -d DISTORTED [options], or vmaf REFERENCE DISTORTED [options]; "
          "see --help\n",
          stderr);
}

static void print_introduction(void)
{
    fputs("vmaf compares a distorted video with its reference and scores how good it looks.\n"
          "\n"
          "Usage: vmaf REFERENCE DISTORTED [options]\n"
          "       vmaf -r REFERENCE -d DISTORTED [-d DISTORTED]... [options]\n",
          stdout);
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++)
        printf("       vmaf %s %s\n", command->name, command->arguments);
}

void help_print(void)
{
    print_introduction();
    fputs("\n"
          "Examples:\n"
          "  vmaf original.y4m encoded.y4m -o scores.json\n"
          "      the default model, and the scores of every frame\n"
          "  vmaf master.mkv encoded.mp4 -o report.html -o scores.csv\n"
          "      media files, with the package vmaf-media-ffmpeg; a page to look at\n"
          "  vmaf a.yuv b.yuv -w 1920 -h 1080 -p 420 -b 8 -o scores.xml\n"
          "      raw video\n"
          "  vmaf -r original.y4m -d 1080p.y4m -d 720p.y4m -o 'scores-{}.json'\n"
          "      several encodes in one pass, a report on each\n"
          "  vmaf a.y4m b.y4m -m version=vmaf_v0.6.1neg --feature psnr -o scores.json\n"
          "      another model, and PSNR\n"
          "\n"
          "Most used:\n",
          stdout);
    for (size_t i = 0; i < sizeof(most_used) / sizeof(most_used[0]); i++)
        print_named_row(most_used[i]);
    fputs("\n"
          "All options by group; vmaf --help GROUP says what they do, --help all of all:\n",
          stdout);
    for (int i = 0; i < N_GROUPS; i++)
        print_names(&groups[i]);
    printf("\n%s", exit_status);
}

static void print_all(void)
{
    print_introduction();
    for (int i = 0; i < N_GROUPS; i++) {
        putchar('\n');
        print_group(&groups[i]);
    }
    printf("\n%s", exit_status);
}

/* -- topics -- */

static const Group *find_group(const char *topic)
{
    const Group *found = NULL;
    const size_t length = strlen(topic);
    for (int i = 0; i < N_GROUPS && length; i++) {
        if (strncmp(groups[i].name, topic, length))
            continue;
        if (found)
            return NULL; /* it begins two names */
        found = &groups[i];
    }
    return found;
}

static const Group *find_group_of_option(const char *name)
{
    for (int k = 0; k < N_GROUPS; k++) {
        const OptionInfo *row;
        for (unsigned i = 0; (row = next_row(&groups[k], &i));) {
            if (!strcmp(row->name, name) || (name[0] && !name[1] && name[0] == row->short_name))
                return &groups[k];
        }
    }
    return NULL;
}

static int unknown_topic(const char *topic, Message *why)
{
    Suggestion suggestion = {.wanted = topic};
    char names[128] = "";
    for (int i = 0; i < N_GROUPS; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", groups[i].name);
        suggestion_offer(&suggestion, groups[i].name);
    }
    const OptionInfo *row;
    for (unsigned i = 0; (row = next_row(NULL, &i));)
        suggestion_offer(&suggestion, row->name);
    const char *nearest = suggestion_result(&suggestion);
    return message_set(
        why, -EINVAL, "no help on '%s'%s%s%s; there is help on all, %s, and on every option", topic,
        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", names);
}

int help_print_topic(const char *topic, Message *why)
{
    if (!strcmp(topic, "all")) {
        print_all();
        return 0;
    }
    const Group *group = find_group_of_option(topic + strspn(topic, "-"));
    if (!group)
        group = find_group(topic);
    if (!group)
        return unknown_topic(topic, why);
    print_group(group);
    return 0;
}
