/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Completions of shells, made of the tables of options and commands, and of what the installation
 * has. */
#include "options_internal.h"

#include <errno.h>
#include <string.h>

/* What stands behind an option. */
enum CompletionKind {
    COMPLETES_NOTHING, /* there is no argument, or it is part of the same word and no file */
    COMPLETES_ANY,     /* a number, or other text that nobody can guess */
    COMPLETES_FILE,
    COMPLETES_WORD, /* one of print_words */
    COMPLETES_LIST, /* some of them with commas */
    COMPLETES_MODEL,
    COMPLETES_FEATURE,
    COMPLETES_DEVICE, /* one of them, and a number */
};

static enum CompletionKind kind_of(const OptionInfo *row)
{
    switch (row->kind) {
    case OPTION_MODEL:
        return COMPLETES_MODEL;
    case OPTION_FEATURE:
        return COMPLETES_FEATURE;
    case OPTION_BACKEND:
        return COMPLETES_WORD;
    case OPTION_BACKEND_DEVICE:
        return COMPLETES_DEVICE;
    case OPTION_POOL:
        return COMPLETES_LIST;
    default:
        break;
    }
    if (!row->argument)
        return COMPLETES_NOTHING;
    if (row->values)
        return COMPLETES_WORD;
    if (strstr(row->argument, "FILE"))
        return COMPLETES_FILE;
    return row->argument[0] == '[' ? COMPLETES_NOTHING : COMPLETES_ANY;
}

static bool repeats(const OptionInfo *row)
{
    switch (row->kind) {
    case OPTION_DISTORTED:
    case OPTION_MODEL:
    case OPTION_FEATURE:
    case OPTION_OUTPUT:
    case OPTION_BACKEND_DEVICE:
        return true;
    default:
        return false;
    }
}

/* Options that are shown, in turn; NULL behind the last one. */
static const OptionInfo *next_shown(unsigned *index)
{
    const OptionInfo *row;
    while ((row = option_row((*index)++))) {
        if (row->help)
            return row;
    }
    return NULL;
}

/* Prints words one by one. */
typedef struct WordPrinter {
    const char *before;
    unsigned n;
} WordPrinter;

static void put_word(WordPrinter *printer, const char *word, size_t length, const char *after)
{
    printf("%s%s%.*s%s", printer->n++ ? " " : "", printer->before, (int)length, word, after);
}

static void put_values(WordPrinter *printer, const char *values)
{
    while (*values) {
        const size_t length = strcspn(values, "|");
        put_word(printer, values, length, "");
        values += length + (values[length] == '|');
    }
}

/* A file in the folder of plugins may have any name. */
static bool is_plain(const char *name)
{
    return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

/* Words of an option, each after `before`, with a space between two. */
static void print_words(const OptionInfo *row, const char *before)
{
    WordPrinter printer = {.before = before};
    const char *name;
    if (row->values)
        put_values(&printer, row->values);
    if (row->kind == OPTION_BACKEND)
        put_values(&printer, "auto|cpu");
    if (row->kind != OPTION_BACKEND && row->kind != OPTION_BACKEND_DEVICE)
        return;
    for (unsigned i = 0; (name = backend_next_installed(&i));) {
        if (is_plain(name))
            put_word(&printer, name, strlen(name), row->kind == OPTION_BACKEND ? "" : ":");
    }
}

static void print_models(const char *before)
{
    WordPrinter printer = {.before = before};
    VmafBuiltinModelInfo model;
    for (unsigned i = 0; catalogue_next_model(&i, &model);)
        put_word(&printer, model.name, strlen(model.name), "");
}

static void print_features(void)
{
    WordPrinter printer = {.before = ""};
    VmafExtractorInfo extractor;
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);)
        put_word(&printer, extractor.name, strlen(extractor.name), "");
}

static void print_commands(void)
{
    WordPrinter printer = {.before = ""};
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++)
        put_word(&printer, command->name, strlen(command->name), "");
}

/* Options of a feature: "NAME=", or, if it is switched on and off, "NAME=true" and "NAME=false". */
static void print_feature_options(const char *feature)
{
    WordPrinter printer = {.before = ""};
    VmafOptionInfo option;
    for (unsigned i = 0; catalogue_next_option(feature, &i, &option);) {
        const size_t length = strlen(option.name);
        const bool is_switch = option.type == VMAF_OPTION_TYPE_BOOL;
        put_word(&printer, option.name, length, is_switch ? "=true" : "=");
        if (is_switch)
            put_word(&printer, option.name, length, "=false");
    }
}

/* Text between single quotes; `escape` is what stands for one, and letters of `special` get a
 * backslash. */
static void print_quoted(const char *text, const char *escape, const char *special)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(escape, stdout);
            continue;
        }
        if (strchr(special, *text))
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

/* -- bash -- */

static void bash_print_names(const OptionInfo *row)
{
    if (row->short_name)
        printf("-%c | ", row->short_name);
    printf("--%s", row->name);
}

static void bash_print_case(const OptionInfo *row)
{
    static const char *const names[] = {
        [COMPLETES_ANY] = "any",     [COMPLETES_FILE] = "file",   [COMPLETES_WORD] = "word",
        [COMPLETES_LIST] = "list",   [COMPLETES_MODEL] = "model", [COMPLETES_FEATURE] = "feature",
        [COMPLETES_DEVICE] = "word",
    };
    const enum CompletionKind kind = kind_of(row);
    if (kind == COMPLETES_NOTHING)
        return;
    fputs("    ", stdout);
    bash_print_names(row);
    printf(") _vmaf_kind=%s _vmaf_words='", names[kind]);
    print_words(row, "");
    fputs("' ;;\n", stdout);
}

/* Sets what stands behind the option $1. */
static void bash_print_values(void)
{
    const OptionInfo *row;
    fputs("_vmaf_value()\n{\n    case $1 in\n", stdout);
    for (unsigned i = 0; (row = next_shown(&i));)
        bash_print_case(row);
    fputs("    *) return 1 ;;\n    esac\n}\n", stdout);
}

static void bash_print_feature_options(void)
{
    VmafExtractorInfo extractor;
    fputs("_vmaf_feature_options()\n{\n    case $1 in\n", stdout);
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        printf("    %s) _vmaf_words='", extractor.name);
        print_feature_options(extractor.name);
        fputs("' ;;\n", stdout);
    }
    fputs("    *) _vmaf_words= ;;\n    esac\n}\n", stdout);
}

static void bash_print_variables(void)
{
    const OptionInfo *row;
    fputs("_vmaf_options='", stdout);
    for (unsigned i = 0; (row = next_shown(&i));) {
        if (row->short_name)
            printf("-%c ", row->short_name);
        printf("--%s ", row->name);
    }
    fputs("'\n_vmaf_models='", stdout);
    print_models("version=");
    fputs("'\n_vmaf_features='", stdout);
    print_features();
    fputs("'\n_vmaf_commands='", stdout);
    print_commands();
    fputs("'\n", stdout);
}

/*
 * Readline begins a new word at = and :, so only what stands behind the last of them is replaced.
 * Without a reply it completes names of files.
 */
static const char bash_functions[] =
    "# Words that begin like $2 behind $1, which is there already.\n"
    "_vmaf_offer()\n"
    "{\n"
    "    local word tail=$1$2\n"
    "    [[ $COMP_WORDBREAKS == *=* ]] && tail=${tail##*=}\n"
    "    [[ $COMP_WORDBREAKS == *:* ]] && tail=${tail##*:}\n"
    "    local typed=$1$2\n"
    "    local cut=$((${#typed} - ${#tail}))\n"
    "    compopt +o default +o bashdefault 2>/dev/null\n"
    "    for word in $3; do\n"
    "        [[ $word == \"$2\"* ]] || continue\n"
    "        case $word in *[=:]) compopt -o nospace 2>/dev/null ;; esac\n"
    "        word=$1$word\n"
    "        COMPREPLY+=(\"${word:cut}\")\n"
    "    done\n"
    "}\n"
    "_vmaf_model() # what is there already, the argument so far\n"
    "{\n"
    "    local item=${2##*:}\n"
    "    local before=$1${2%\"$item\"} items='version= path= name= disable_clip enable_transform'\n"
    "    [[ $2 == *:* ]] || items=\"auto $items\"\n"
    "    case $item in\n"
    "    version=*) _vmaf_offer \"$before\" \"$item\" \"$_vmaf_models\" ;;\n"
    "    path=*) ;;\n"
    "    *) _vmaf_offer \"$before\" \"$item\" \"$items\" ;;\n"
    "    esac\n"
    "}\n"
    "_vmaf_feature()\n"
    "{\n"
    "    case $2 in\n"
    "    *=*)\n"
    "        local rest=${2#*=}\n"
    "        local item=${rest##*:}\n"
    "        _vmaf_feature_options \"${2%%=*}\"\n"
    "        _vmaf_offer \"$1${2%\"$item\"}\" \"$item\" \"$_vmaf_words\"\n"
    "        ;;\n"
    "    *) _vmaf_offer \"$1\" \"$2\" \"$_vmaf_features\" ;;\n"
    "    esac\n"
    "}\n"
    "_vmaf_argument()\n"
    "{\n"
    "    local last=${2##*,}\n"
    "    case $_vmaf_kind in\n"
    "    model) _vmaf_model \"$1\" \"$2\" ;;\n"
    "    feature) _vmaf_feature \"$1\" \"$2\" ;;\n"
    "    list) _vmaf_offer \"$1${2%\"$last\"}\" \"$last\" \"$_vmaf_words\" ;;\n"
    "    any | word) _vmaf_offer \"$1\" \"$2\" \"$_vmaf_words\" ;;\n"
    "    esac\n"
    "}\n"
    "_vmaf()\n"
    "{\n"
    "    local IFS=$' \\t\\n' _vmaf_kind _vmaf_words\n"
    "    local line=${COMP_LINE:0:COMP_POINT}\n"
    "    local current=${line##*[[:space:]]}\n"
    "    local before=${line%\"$current\"}\n"
    "    before=${before%\"${before##*[![:space:]]}\"}\n"
    "    local previous=${before##*[[:space:]]}\n"
    "    COMPREPLY=()\n"
    "    if [[ $current == --*=* ]]; then\n"
    "        _vmaf_value \"${current%%=*}\" && _vmaf_argument \"${current%%=*}=\" "
    "\"${current#*=}\"\n"
    "    elif _vmaf_value \"$previous\" && [[ $previous != --capabilities ]]; then\n"
    "        _vmaf_argument '' \"$current\"\n"
    "    elif [[ $current == -* ]]; then\n"
    "        _vmaf_offer '' \"$current\" \"$_vmaf_options\"\n"
    "    elif [[ $before != *[[:space:]]* ]] &&\n"
    "        compgen -W \"$_vmaf_commands\" -- \"$current\" >/dev/null; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        while IFS= read -r before; do\n"
    "            COMPREPLY+=(\"$before\")\n"
    "        done < <(compgen -f -W \"$_vmaf_commands\" -- \"$current\")\n"
    "    fi\n"
    "}\n"
    "complete -o bashdefault -o default -F _vmaf vmaf\n";

static void print_bash(void)
{
    bash_print_variables();
    bash_print_values();
    bash_print_feature_options();
    fputs(bash_functions, stdout);
}

/* -- zsh -- */

static void zsh_print_action(const OptionInfo *row)
{
    const enum CompletionKind kind = kind_of(row);
    const char *action = kind == COMPLETES_FILE      ? "_files"
                         : kind == COMPLETES_MODEL   ? "_vmaf_model"
                         : kind == COMPLETES_FEATURE ? "_vmaf_feature"
                                                     : "";
    printf(":%s:%s", row->name, action);
    if (kind == COMPLETES_WORD) {
        putchar('(');
        print_words(row, "");
        putchar(')');
    } else if (kind == COMPLETES_DEVICE) {
        fputs("{compadd -S \"\" -- ", stdout);
        print_words(row, "");
        putchar('}');
    } else if (kind == COMPLETES_LIST) {
        fputs("_values -s , value ", stdout);
        print_words(row, "");
    }
}

/* A specification for _arguments. */
static void zsh_print_option(const OptionInfo *row)
{
    const enum CompletionKind kind = kind_of(row);
    const bool optional = row->argument && row->argument[0] == '[';
    const char *joined = !row->argument ? "" : optional ? "=-" : "=";
    fputs("    ", stdout);
    if (repeats(row))
        fputs("'*'", stdout);
    else if (row->short_name)
        printf("'(-%c --%s)'", row->short_name, row->name);
    if (row->short_name)
        printf("{-%c%s,--%s%s}", row->short_name, row->argument ? "+" : "", row->name, joined);
    else
        printf("--%s%s", row->name, joined);
    fputs("'['", stdout);
    print_quoted(row->help, "'\\''", "[]:\\");
    fputs("']", stdout);
    if (row->argument && (kind != COMPLETES_NOTHING || !optional))
        zsh_print_action(row);
    fputs("'\n", stdout);
}

static void zsh_print_feature_options(void)
{
    VmafExtractorInfo extractor;
    fputs("_vmaf_feature() {\n"
          "  if [[ $PREFIX != *=* ]]; then\n"
          "    compadd -- ",
          stdout);
    print_features();
    fputs("\n"
          "    return\n"
          "  fi\n"
          "  local -a words\n"
          "  case ${PREFIX%%=*} in\n",
          stdout);
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        printf("  %s) words=(", extractor.name);
        print_feature_options(extractor.name);
        fputs(") ;;\n", stdout);
    }
    fputs("  esac\n"
          "  compset -P 1 '*='\n"
          "  compset -P '*:'\n"
          "  compadd -S '' -- ${(M)words:#*=}\n"
          "  compadd -- ${words:#*=}\n"
          "}\n",
          stdout);
}

static void zsh_print_model_items(void)
{
    fputs("_vmaf_model() {\n"
          "  compset -P '*:' || compadd -- auto\n"
          "  if compset -P 'path='; then\n"
          "    _files\n"
          "  elif compset -P 'version='; then\n"
          "    compadd -- ",
          stdout);
    print_models("");
    fputs("\n"
          "  else\n"
          "    compadd -S '' -- version= path= name=\n"
          "    compadd -- disable_clip enable_transform\n"
          "  fi\n"
          "}\n",
          stdout);
}

/* What stands behind those that do not take the options of a run. */
static void zsh_print_commands(void)
{
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++) {
        if (command->takes_options)
            continue;
        printf("  elif [[ $words[2] == %s ]]; then\n    _arguments ", command->name);
        if (command->flag)
            printf("'--%s[%s]' ", command->flag, command->flag_help);
        fputs("'*:file:_files'\n", stdout);
    }
}

static void print_zsh(void)
{
    const OptionInfo *row;
    zsh_print_model_items();
    zsh_print_feature_options();
    fputs("_vmaf() {\n"
          "  local -a options\n"
          "  options=(\n",
          stdout);
    for (unsigned i = 0; (row = next_shown(&i));)
        zsh_print_option(row);
    fputs("  )\n"
          "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
          "    _alternative 'commands:command:(",
          stdout);
    print_commands();
    fputs(")' 'files:video:_files'\n", stdout);
    zsh_print_commands();
    fputs("  else\n"
          "    _arguments -s -S $options '*:video:_files'\n"
          "  fi\n"
          "}\n"
          "(( $+functions[compdef] )) && compdef _vmaf vmaf\n",
          stdout);
}

/* -- fish -- */

/* Words that stand behind what was typed of the argument. */
static const char fish_functions[] =
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

static void fish_print_feature_options(void)
{
    VmafExtractorInfo extractor;
    fputs("function __vmaf_feature_options\n    switch $argv[1]\n", stdout);
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        printf("        case %s\n            string split ' ' '", extractor.name);
        print_feature_options(extractor.name);
        fputs("'\n", stdout);
    }
    fputs("    end\nend\n", stdout);
}

static void fish_print_argument(const OptionInfo *row)
{
    switch (kind_of(row)) {
    case COMPLETES_NOTHING:
        return;
    case COMPLETES_ANY:
        fputs(" -x", stdout);
        return;
    case COMPLETES_FILE:
        fputs(row->argument[0] == '[' ? " -F" : " -r -F", stdout);
        return;
    case COMPLETES_MODEL:
        fputs(" -x -a '(__vmaf_model)'", stdout);
        return;
    case COMPLETES_FEATURE:
        fputs(" -x -a '(__vmaf_feature)'", stdout);
        return;
    case COMPLETES_LIST:
        fputs(" -x -a '(__vmaf_list ", stdout);
        print_words(row, "");
        fputs(")'", stdout);
        return;
    case COMPLETES_WORD:
    case COMPLETES_DEVICE:
        fputs(" -x -a '", stdout);
        print_words(row, "");
        fputs("'", stdout);
        return;
    }
}

static void fish_print_option(const OptionInfo *row)
{
    fputs("complete -c vmaf", stdout);
    if (row->short_name)
        printf(" -s %c", row->short_name);
    printf(" -l %s", row->name);
    fish_print_argument(row);
    fputs(" -d ", stdout);
    print_quoted(row->help, "\\'", "\\");
    putchar('\n');
}

static void print_fish(void)
{
    const OptionInfo *row;
    fputs("set -g __vmaf_models ", stdout);
    print_models("version=");
    fputs("\nset -g __vmaf_features ", stdout);
    print_features();
    putchar('\n');
    fish_print_feature_options();
    fputs(fish_functions, stdout);
    for (unsigned i = 0; (row = next_shown(&i));)
        fish_print_option(row);
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++)
        printf("complete -c vmaf -n '__fish_is_first_token' -a %s -d '%s'\n", command->name,
               command->summary);
}

int completion_print(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {
        {"bash", print_bash},
        {"zsh", print_zsh},
        {"fish", print_fish},
    };
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, shell))
            continue;
        printf("# Completion of vmaf for %s: vmaf --completion %s\n", shell, shell);
        shells[i].print();
        return 0;
    }
    return -EINVAL;
}
