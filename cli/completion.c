/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "completion.h"

#include "catalogue.h"
#include "command_table.h"

#include <errno.h>
#include <string.h>

enum CompletionKind completion_kind(const OptionInfo *row)
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

bool completion_repeats(const OptionInfo *row)
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

const OptionInfo *completion_next(unsigned *index)
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
    FILE *out;
    const char *before;
    unsigned n;
} WordPrinter;

static void put_word(WordPrinter *printer, const char *word, size_t length, const char *after)
{
    fprintf(printer->out, "%s%s%.*s%s", printer->n++ ? " " : "", printer->before, (int)length, word,
            after);
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

void completion_print_words(FILE *out, const OptionInfo *row, const char *before)
{
    WordPrinter printer = {.out = out, .before = before};
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

void completion_print_models(FILE *out, const char *before)
{
    WordPrinter printer = {.out = out, .before = before};
    VmafBuiltinModelInfo model;
    for (unsigned i = 0; catalogue_next_model(&i, &model);)
        put_word(&printer, model.name, strlen(model.name), "");
}

void completion_print_features(FILE *out)
{
    WordPrinter printer = {.out = out, .before = ""};
    VmafExtractorInfo extractor;
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);)
        put_word(&printer, extractor.name, strlen(extractor.name), "");
}

void completion_print_commands(FILE *out)
{
    WordPrinter printer = {.out = out, .before = ""};
    const Command *command;
    for (unsigned i = 0; (command = command_row(i)); i++)
        put_word(&printer, command->name, strlen(command->name), "");
}

bool completion_print_feature_options(FILE *out, const char *feature)
{
    WordPrinter printer = {.out = out, .before = ""};
    VmafOptionInfo option;
    for (unsigned i = 0; catalogue_next_option(feature, &i, &option);) {
        const size_t length = strlen(option.name);
        const bool is_switch = option.type == VMAF_OPTION_TYPE_BOOL;
        put_word(&printer, option.name, length, is_switch ? "=true" : "=");
        if (is_switch)
            put_word(&printer, option.name, length, "=false");
    }
    return printer.n > 0;
}

void completion_print_quoted(FILE *out, const char *text, const char *escape, const char *special)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(escape, out);
            continue;
        }
        if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

int completion_print(const char *shell, FILE *out)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shells[] = {
        {"bash", completion_print_bash},
        {"zsh", completion_print_zsh},
        {"fish", completion_print_fish},
    };
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, shell))
            continue;
        fprintf(out, "# Completion of vmaf for %s: vmaf --completion %s\n", shell, shell);
        shells[i].print(out);
        return 0;
    }
    return -EINVAL;
}
