/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "catalogue.h"
#include "completion.h"

static void print_option_names(FILE *out, const OptionInfo *row)
{
    if (row->short_name)
        fprintf(out, "-%c | ", row->short_name);
    fprintf(out, "--%s", row->name);
}

static void print_case(FILE *out, const OptionInfo *row)
{
    static const char *const names[] = {
        [COMPLETES_ANY] = "any",     [COMPLETES_FILE] = "file",   [COMPLETES_WORD] = "word",
        [COMPLETES_LIST] = "list",   [COMPLETES_MODEL] = "model", [COMPLETES_FEATURE] = "feature",
        [COMPLETES_DEVICE] = "word",
    };
    const enum CompletionKind kind = completion_kind(row);
    if (kind == COMPLETES_NOTHING)
        return;
    fputs("    ", out);
    print_option_names(out, row);
    fprintf(out, ") _vmaf_kind=%s _vmaf_words='", names[kind]);
    completion_print_words(out, row, "");
    fputs("' ;;\n", out);
}

/* Sets what stands behind the option $1. */
static void print_values(FILE *out)
{
    const OptionInfo *row;
    fputs("_vmaf_value()\n{\n    case $1 in\n", out);
    for (unsigned i = 0; (row = completion_next(&i));)
        print_case(out, row);
    fputs("    *) return 1 ;;\n    esac\n}\n", out);
}

static void print_feature_options(FILE *out)
{
    VmafExtractorInfo extractor;
    fputs("_vmaf_feature_options()\n{\n    case $1 in\n", out);
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        fprintf(out, "    %s) _vmaf_words='", extractor.name);
        completion_print_feature_options(out, extractor.name);
        fputs("' ;;\n", out);
    }
    fputs("    *) _vmaf_words= ;;\n    esac\n}\n", out);
}

static void print_variables(FILE *out)
{
    const OptionInfo *row;
    fputs("_vmaf_options='", out);
    for (unsigned i = 0; (row = completion_next(&i));) {
        if (row->short_name)
            fprintf(out, "-%c ", row->short_name);
        fprintf(out, "--%s ", row->name);
    }
    fputs("'\n_vmaf_models='", out);
    completion_print_models(out, "version=");
    fputs("'\n_vmaf_features='", out);
    completion_print_features(out);
    fputs("'\n_vmaf_commands='", out);
    completion_print_commands(out);
    fputs("'\n", out);
}

/*
 * Readline begins a new word at = and :, so only what stands behind the last of them is replaced.
 * Without a reply it completes names of files.
 */
static const char functions[] =
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

void completion_print_bash(FILE *out)
{
    print_variables(out);
    print_values(out);
    print_feature_options(out);
    fputs(functions, out);
}
