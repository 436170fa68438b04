/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "catalogue.h"
#include "command_table.h"
#include "completion.h"

static void print_action(FILE *out, const OptionInfo *row)
{
    const enum CompletionKind kind = completion_kind(row);
    const char *action = kind == COMPLETES_FILE      ? "_files"
                         : kind == COMPLETES_MODEL   ? "_vmaf_model"
                         : kind == COMPLETES_FEATURE ? "_vmaf_feature"
                                                     : "";
    fprintf(out, ":%s:%s", row->name, action);
    if (kind == COMPLETES_WORD) {
        fputc('(', out);
        completion_print_words(out, row, "");
        fputc(')', out);
    } else if (kind == COMPLETES_DEVICE) {
        fputs("{compadd -S \"\" -- ", out);
        completion_print_words(out, row, "");
        fputc('}', out);
    } else if (kind == COMPLETES_LIST) {
        fputs("_values -s , value ", out);
        completion_print_words(out, row, "");
    }
}

/* A specification for _arguments. */
static void print_option(FILE *out, const OptionInfo *row)
{
    const enum CompletionKind kind = completion_kind(row);
    const bool optional = row->argument && row->argument[0] == '[';
    const char *joined = !row->argument ? "" : optional ? "=-" : "=";
    fputs("    ", out);
    if (completion_repeats(row))
        fputs("'*'", out);
    else if (row->short_name)
        fprintf(out, "'(-%c --%s)'", row->short_name, row->name);
    if (row->short_name)
        fprintf(out, "{-%c%s,--%s%s}", row->short_name, row->argument ? "+" : "", row->name,
                joined);
    else
        fprintf(out, "--%s%s", row->name, joined);
    fputs("'['", out);
    completion_print_quoted(out, row->help, "'\\''", "[]:\\");
    fputs("']", out);
    if (row->argument && (kind != COMPLETES_NOTHING || !optional))
        print_action(out, row);
    fputs("'\n", out);
}

static void print_feature_options(FILE *out)
{
    VmafExtractorInfo extractor;
    fputs("_vmaf_feature() {\n"
          "  if [[ $PREFIX != *=* ]]; then\n"
          "    compadd -- ",
          out);
    completion_print_features(out);
    fputs("\n"
          "    return\n"
          "  fi\n"
          "  local -a words\n"
          "  case ${PREFIX%%=*} in\n",
          out);
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        fprintf(out, "  %s) words=(", extractor.name);
        completion_print_feature_options(out, extractor.name);
        fputs(") ;;\n", out);
    }
    fputs("  esac\n"
          "  compset -P 1 '*='\n"
          "  compset -P '*:'\n"
          "  compadd -S '' -- ${(M)words:#*=}\n"
          "  compadd -- ${words:#*=}\n"
          "}\n",
          out);
}

static void print_model_items(FILE *out)
{
    fputs("_vmaf_model() {\n"
          "  compset -P '*:' || compadd -- auto\n"
          "  if compset -P 'path='; then\n"
          "    _files\n"
          "  elif compset -P 'version='; then\n"
          "    compadd -- ",
          out);
    completion_print_models(out, "");
    fputs("\n"
          "  else\n"
          "    compadd -S '' -- version= path= name=\n"
          "    compadd -- disable_clip enable_transform\n"
          "  fi\n"
          "}\n",
          out);
}

/* What stands behind those that do not take the options of a run. */
static void print_commands(FILE *out)
{
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++) {
        if (command->takes_options)
            continue;
        fprintf(out, "  elif [[ $words[2] == %s ]]; then\n    _arguments ", command->name);
        if (command->flag)
            fprintf(out, "'--%s[%s]' ", command->flag, command->flag_help);
        fputs("'*:file:_files'\n", out);
    }
}

void completion_print_zsh(FILE *out)
{
    const OptionInfo *row;
    print_model_items(out);
    print_feature_options(out);
    fputs("_vmaf() {\n"
          "  local -a options\n"
          "  options=(\n",
          out);
    for (unsigned i = 0; (row = completion_next(&i));)
        print_option(out, row);
    fputs("  )\n"
          "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
          "    _alternative 'commands:command:(",
          out);
    completion_print_commands(out);
    fputs(")' 'files:video:_files'\n", out);
    print_commands(out);
    fputs("  else\n"
          "    _arguments -s -S $options '*:video:_files'\n"
          "  fi\n"
          "}\n"
          "(( $+functions[compdef] )) && compdef _vmaf vmaf\n",
          out);
}
