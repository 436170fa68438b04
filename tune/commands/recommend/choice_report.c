/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/recommend/corpus_choice.h"

#include "common/messages.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PREDICATE_SIZE = 64 };

static const char *predicate_of(const ChoiceRequest *request, char text[PREDICATE_SIZE])
{
    if (isnan(request->target))
        snprintf(text, PREDICATE_SIZE, "target_bitrate~%g", request->kbps);
    else
        snprintf(text, PREDICATE_SIZE, "target_vmaf>=%g", request->target);
    return text;
}

/* -- text -- */

static const char *certainty_text(const RowChoice *choice, char text[PREDICATE_SIZE])
{
    switch (choice->certainty) {
    case CERTAINTY_TIGHT:
        snprintf(text, PREDICATE_SIZE, " (TIGHT, low=%.3f)", choice->interval.low);
        return text;
    case CERTAINTY_EXCLUDED:
        return " (UNMET, interval-excluded)";
    case CERTAINTY_WIDE:
        return " (UNCERTAIN)";
    case CERTAINTY_NONE:
        break;
    }
    return "";
}

static void print_number(FILE *out, const char *name, const char *format, double value)
{
    fputs(name, out);
    if (isfinite(value))
        fprintf(out, format, value);
    else
        fputs("unknown", out);
}

void row_choices_print_text(const RowChoices *choices, const ChoiceRequest *request, FILE *out)
{
    char predicate[PREDICATE_SIZE], certainty[PREDICATE_SIZE];
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        char *line = NULL;
        size_t size;
        FILE *rest = open_memstream(&line, &size);
        if (!rest)
            return;
        if (choice->row->crf == ROW_NO_INTEGER)
            fputs("crf=unknown", rest);
        else
            fprintf(rest, "crf=%lld", (long long)choice->row->crf);
        print_number(rest, "  vmaf=", "%.3f", choice->row->vmaf_score);
        print_number(rest, "  kbps=", "%.0f", row_kbps(choice->row));
        fprintf(rest, "  predicate=%s  [%s]%s", predicate_of(request, predicate),
                choice->met ? "OK" : "UNMET", certainty_text(choice, certainty));
        if (fclose(rest) || !line) {
            free(line);
            return;
        }
        if (choices->n > 1)
            print_line(out, "src=%s  %s", choice->row->src ? choice->row->src : "", line);
        else
            print_line(out, "%s", line);
        free(line);
    }
}

/* -- JSON -- */

static int put_uncertainty(json_t *json, const RowChoice *choice, const Uncertainty *uncertainty)
{
    static const char *const names[] = {[CERTAINTY_NONE] = "none",
                                        [CERTAINTY_TIGHT] = "tight",
                                        [CERTAINTY_EXCLUDED] = "interval-excluded",
                                        [CERTAINTY_WIDE] = "uncertain"};
    if (json_put(json, "certainty", json_string(names[choice->certainty])) ||
        json_put(json, "visited", json_integer((json_int_t)choice->visited)) ||
        json_put(json, "candidates", json_integer((json_int_t)choice->of)))
        return -ENOMEM;
    if (uncertainty->has_residuals &&
        json_put(json, "calibrated", json_boolean(uncertainty->calibration.calibrated)))
        return -ENOMEM;
    json_t *interval;
    if (isnan(choice->interval.low))
        return 0;
    interval = json_object();
    if (json_put(json, "vmaf_interval", interval) ||
        json_put(interval, "low", json_number_or_null(choice->interval.low)) ||
        json_put(interval, "high", json_number_or_null(choice->interval.high)))
        return -ENOMEM;
    return 0;
}

/* A new reference; NULL without memory. */
static json_t *choice_to_json(const RowChoice *choice, const ChoiceRequest *request)
{
    char predicate[PREDICATE_SIZE];
    json_t *json = row_to_json(choice->row);
    if (!json)
        return NULL;
    if (json_put(json, "predicate", json_string(predicate_of(request, predicate))) ||
        json_put(json, "margin", json_number_or_null(choice->margin)) ||
        json_put(json, "status", json_string(choice->met ? "OK" : "UNMET")) ||
        (request->uncertainty && !isnan(request->target) &&
         put_uncertainty(json, choice, request->uncertainty))) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *choices_to_json(const RowChoices *choices, const ChoiceRequest *request)
{
    if (choices->n == 1)
        return choice_to_json(&choices->choices[0], request);
    json_t *array = json_array();
    for (size_t i = 0; i < choices->n && array; i++)
        if (json_array_append_new(array, choice_to_json(&choices->choices[i], request))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

int row_choices_print_json(const RowChoices *choices, const ChoiceRequest *request, FILE *out)
{
    json_t *json = choices_to_json(choices, request);
    if (!json)
        return -ENOMEM;
    const int err = json_document_print(json, 2, out);
    fputc('\n', out);
    json_decref(json);
    return err;
}
