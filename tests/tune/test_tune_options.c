/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How arguments of subcommands become the members of structures. */

#include "support/cases.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tune/options/options.h"
#include "tune/options/output.h"

typedef struct Everything {
    bool on, off;
    const char *text, *maker;
    TextList texts, names, enc;
    int integer, choice;
    IntegerList integers;
    double number;
    NumberList numbers;
    double range[2], seconds, score;
} Everything;

static const TuneOption rows[] = {
    {.name = "on", .help = "switch on", .type = TUNE_FLAG, .target = offsetof(Everything, on)},
    {.name = "no-off",
     .help = "switch off",
     .type = TUNE_FLAG_OFF,
     .target = offsetof(Everything, off)},
    {.name = "text",
     .argument = "TEXT",
     .help = "a text",
     .type = TUNE_TEXT,
     .target = offsetof(Everything, text),
     .other_name = "word|writing",
     .short_name = 't'},
    {.name = "texts",
     .argument = "TEXT",
     .help = "a text each",
     .type = TUNE_TEXTS,
     .target = offsetof(Everything, texts)},
    {.name = "names",
     .argument = "A,B",
     .help = "names",
     .type = TUNE_NAMES,
     .target = offsetof(Everything, names)},
    {.name = "integer",
     .argument = "N",
     .help = "a number",
     .type = TUNE_INTEGER,
     .target = offsetof(Everything, integer),
     .lowest = -5,
     .highest = 50},
    {.name = "integers",
     .argument = "N,N",
     .help = "numbers",
     .type = TUNE_INTEGERS,
     .target = offsetof(Everything, integers),
     .lowest = 0,
     .highest = 51},
    {.name = "number",
     .argument = "X",
     .help = "a number",
     .type = TUNE_NUMBER,
     .target = offsetof(Everything, number)},
    {.name = "numbers",
     .argument = "X,X",
     .help = "numbers",
     .type = TUNE_NUMBERS,
     .target = offsetof(Everything, numbers)},
    {.name = "blue",
     .help = "the same as --choice blue",
     .type = TUNE_CHOSEN,
     .target = offsetof(Everything, choice),
     .lowest = 2},
    {.name = "range",
     .argument = "LOW:HIGH",
     .help = "from, to",
     .type = TUNE_RANGE,
     .target = offsetof(Everything, range),
     .lowest = 0,
     .highest = 51},
    {.name = "seconds",
     .argument = "S",
     .help = "a time",
     .type = TUNE_NUMBER,
     .target = offsetof(Everything, seconds)},
    {.name = "target-vmaf",
     .argument = "X",
     .help = "a score ({any}), or more",
     .type = TUNE_NUMBER,
     .target = offsetof(Everything, score),
     .other_name = "target"},
    {.name = "maker",
     .argument = "NAME",
     .help = "who, and how",
     .type = TUNE_TEXT,
     .target = offsetof(Everything, maker),
     .has_settings = true},
    {.name = "enc",
     .argument = "KEY=VALUE",
     .help = "what else",
     .type = TUNE_TEXTS,
     .target = offsetof(Everything, enc)},
    {.name = "choice",
     .help = "one of",
     .type = TUNE_CHOICE,
     .target = offsetof(Everything, choice),
     .values = "red|green|blue"},
};

static Everything everything;
static OptionWords words;
static Message why;

enum { MAX_ARGUMENTS = 16 };

/* Parses words between spaces. */
static int parse(const char *line)
{
    static char text[512];
    char *argv[MAX_ARGUMENTS];
    int argc = 0;
    const OptionGroup group = {"All", rows, sizeof rows / sizeof *rows, &everything};
    tune_options_free(&group, 1);
    everything = (Everything){.off = true, .integer = 7};
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    why.text[0] = '\0';
    return tune_options_parse(&group, 1, argc, argv, &words, &why);
}

CASE(given_each_type_then_its_member_is_set)
{
    assert_int_equal(parse("--on --no-off --text a -t b --integer=-5 --number 0.25 --choice blue"),
                     0);
    assert_true(everything.on);
    assert_false(everything.off);
    assert_string_equal(everything.text, "b");
    assert_int_equal(everything.integer, -5);
    assert_true(everything.number == 0.25);
    assert_int_equal(everything.choice, 2);
}

CASE(given_an_option_h_then_it_is_no_help)
{
    const TuneOption height = {.name = "height", .type = TUNE_INTEGER, .short_name = 'h'};
    int value = 0;
    const OptionGroup group = {"Size", &height, 1, &value};
    char name[] = "-h", number[] = "33", long_name[] = "--help";
    char *argv[] = {name, number}, *help[] = {long_name};
    assert_int_equal(tune_options_parse(&group, 1, 2, argv, &words, &why), 0);
    assert_int_equal(value, 33);
    assert_int_equal(tune_options_parse(&group, 1, 1, help, &words, &why), 1);
    assert_int_equal(parse("-h"), 1);
}

CASE(given_lists_then_all_of_them_are_kept)
{
    assert_int_equal(parse("--texts a,b --texts c --names a,bc --names d --integers 1,51 "
                           "--numbers 1.5,-2 --numbers=3"),
                     0);
    assert_int_equal(everything.texts.n, 2);
    assert_string_equal(everything.texts.text[0], "a,b");
    assert_int_equal(everything.names.n, 3);
    assert_string_equal(everything.names.text[1], "bc");
    assert_string_equal(everything.names.text[2], "d");
    assert_int_equal(everything.integers.n, 2);
    assert_int_equal(everything.integers.value[1], 51);
    assert_int_equal(everything.numbers.n, 3);
    assert_true(everything.numbers.value[1] == -2);
}

CASE(given_words_then_they_are_kept_in_order)
{
    assert_int_equal(parse("one --on - -- --off"), 0);
    assert_int_equal(words.n, 3);
    assert_string_equal(words.word[0], "one");
    assert_string_equal(words.word[1], "-");
    assert_string_equal(words.word[2], "--off");
}

CASE(given_beginnings_and_other_names_then_they_are_understood)
{
    assert_int_equal(parse("--word=x --cho green -ty"), 0);
    assert_string_equal(everything.text, "y");
    assert_int_equal(everything.choice, 1);
    assert_int_equal(parse("--num 3"), -EINVAL);
    assert_string_equal(why.text, "--num may be --number or --numbers");
    assert_int_equal(parse("--number 3"), 0);
}

CASE(given_several_other_names_then_each_is_understood)
{
    assert_int_equal(parse("--writing=x"), 0);
    assert_string_equal(everything.text, "x");
    assert_int_equal(parse("--wor y"), 0);
    assert_string_equal(everything.text, "y");
    assert_int_equal(parse("--word|writing y"), -EINVAL);
}

CASE(given_a_flag_of_a_choice_then_it_is_chosen)
{
    assert_int_equal(parse("--choice green --blue"), 0);
    assert_int_equal(everything.choice, 2);
    assert_int_equal(parse("--blue --choice green"), 0);
    assert_int_equal(everything.choice, 1);
    assert_int_equal(parse("--blue=1"), -EINVAL);
}

CASE(given_ranges_and_units_then_numbers_are_meant)
{
    assert_int_equal(parse("--range 10:40.5 --seconds 12m"), 0);
    assert_true(everything.range[0] == 10 && everything.range[1] == 40.5);
    assert_true(everything.seconds == 720);
    assert_int_equal(parse("--seconds 20s --number 5"), 0);
    assert_true(everything.seconds == 20 && everything.number == 5);
    assert_int_equal(parse("--seconds 1500ms"), 0);
    assert_true(everything.seconds == 1.5);
    assert_int_equal(parse("--number 5s"), -EINVAL);
    assert_int_equal(parse("--range 10"), -EINVAL);
    assert_int_equal(parse("--range 10:52"), -EINVAL);
    assert_string_equal(why.text, "--range is to be from 0 to 51, not 52");
}

CASE(given_a_metric_before_a_target_then_it_is_its_own)
{
    assert_int_equal(parse("--target vmaf=93.5"), 0);
    assert_true(everything.score == 93.5);
    assert_int_equal(parse("--target-vmaf 90"), 0);
    assert_true(everything.score == 90);
    assert_int_equal(parse("--target psnr=40"), -EINVAL);
    assert_int_equal(parse("--number vmaf=1"), -EINVAL);
}

CASE(given_a_default_then_help_has_it)
{
    const OptionGroup group = {"All", rows, sizeof rows / sizeof *rows, &everything};
    OptionPlace place;
    char help[OPTION_HELP_SIZE];
    size_t i = 0;
    parse("");
    while (option_at(&group, 1, i, &place) && strcmp(place.option->name, "target-vmaf") != 0)
        i++;
    tune_option_help(&place, help);
    assert_string_equal(help, "a score (any), or more");
    everything.score = 92.5;
    tune_option_help(&place, help);
    assert_string_equal(help, "a score (92.5), or more");
}

CASE(given_settings_behind_a_name_then_they_are_options)
{
    assert_int_equal(parse("--maker x:number=3:on:integer=4:deep=5"), 0);
    assert_string_equal(everything.maker, "x");
    assert_true(everything.number == 3 && everything.on && everything.integer == 4);
    assert_int_equal(everything.enc.n, 1);
    assert_string_equal(everything.enc.text[0], "deep=5");
    assert_int_equal(parse("--maker=y:integer=51"), -EINVAL);
    assert_string_equal(why.text, "--integer is to be from -5 to 50, not 51");
    assert_int_equal(parse("--text y:number=3"), 0);
    assert_string_equal(everything.text, "y:number=3");
}

CASE(given_an_unknown_option_then_it_is_told_apart)
{
    assert_int_equal(parse("--on --none=5"), -EINVAL);
    assert_string_equal(words.unknown, "none=5");
    assert_int_equal(parse("--number x"), -EINVAL);
    assert_null(words.unknown);
}

/* RFC 4180, 2. */
CASE(given_cells_of_csv_then_only_what_would_end_them_is_quoted)
{
    static const char *const cells[][2] = {{"plain, no", "\"plain, no\""},
                                           {"a b", "a b"},
                                           {"say \"no\"", "\"say \"\"no\"\"\""},
                                           {"two\nlines", "\"two\nlines\""}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char text[100] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        csv_text(out, cells[i][0]);
        fclose(out);
        assert_string_equal(text, cells[i][1]);
    }
}

CASE(given_help_anywhere_then_it_is_wanted)
{
    assert_int_equal(parse("--on --help --nonsense"), 1);
    assert_int_equal(parse("-h"), 1);
}

static void rejected(const char *line, const char *message)
{
    assert_int_equal(parse(line), -EINVAL);
    assert_string_equal(why.text, message);
}

CASE(given_what_makes_no_sense_then_it_is_refused)
{
    rejected("--chioce red", "unknown option --chioce; did you mean --choice?");
    rejected("--qqqqqq", "unknown option --qqqqqq (see --help)");
    rejected("-z", "unknown option -z (see --help)");
    rejected("--on=1", "--on takes no argument");
    rejected("--text", "--text needs an argument: TEXT");
    rejected("--integer 51", "--integer is to be from -5 to 50, not 51");
    rejected("--integer 1x", "--integer is to be a whole number, not \"1x\"");
    rejected("--integer 99999999999", "--integer is to be a whole number, not \"99999999999\"");
    rejected("--integers 1,,2", "--integers: an item of the list is empty or too long");
    rejected("--integers 1,52", "--integers is to be from 0 to 51, not 52");
    rejected("--number nan", "--number is to be a number, not \"nan\"");
    rejected("--numbers 1;2", "--numbers is to be a number, not \"1;2\"");
    rejected("--choice gre", "--choice is to be one of red|green|blue, not \"gre\"");
    rejected("--choice redder", "--choice is to be one of red|green|blue, not \"redder\"");
}

int main(int argc, char **argv)
{
    int failed = run_cases(argc, argv);
    parse("");
    return failed;
}
