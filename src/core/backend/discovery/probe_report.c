/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/probe_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin.h"
#include "backend/foreign_text.h"

/* The rest of a line that starts with the word and a blank; NULL for other lines. */
static char *argument_of(char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static bool parse_state(BackendState *state, const char *word)
{
    if (strcmp(word, "usable") == 0) {
        *state = BACKEND_USABLE;
        return true;
    }
    for (int i = BACKEND_PLUGIN_NOT_FOUND; i <= BACKEND_UNSUPPORTED_OS; i++) {
        if (strcmp(word, backend_reason_name((BackendState)i)) == 0) {
            *state = (BackendState)i;
            return true;
        }
    }
    return false;
}

static void parse_availability(ProbeReport *report, const char *text)
{
    char word[32];
    int error, length = 0;
    unsigned long long opened;
    BackendState state;
    if (sscanf(text, "%31s %d %llx%n", word, &error, &opened, &length) < 3 ||
        !parse_state(&state, word))
        return;
    text += length + (text[length] == ' ');
    report->has_availability = true;
    report->opened = opened;
    report->availability.state = state;
    report->availability.error = error < 0 && error > -4096 ? error : state ? -EIO : 0;
    foreign_text(report->availability.why.text, sizeof(report->availability.why.text), text,
                 strlen(text));
}

static void parse_end(ProbeReport *report, const char *text)
{
    if (strcmp(text, "ok") == 0)
        report->end = PROBE_END_OK;
    else if (strcmp(text, "timeout") == 0)
        report->end = PROBE_END_TIMEOUT;
    else if (sscanf(text, "status %d", &report->end_number) == 1)
        report->end = PROBE_END_STATUS;
    else if (sscanf(text, "signal %d", &report->end_number) == 1)
        report->end = PROBE_END_SIGNAL;
}

static void parse_line(ProbeReport *report, char *line)
{
    char *text;
    if ((text = argument_of(line, "stage"))) {
        report->stage = text;
    } else if ((text = argument_of(line, "fault"))) {
        if (!report->fault)
            report->fault = text;
    } else if ((text = argument_of(line, "availability"))) {
        parse_availability(report, text);
    } else if ((text = argument_of(line, "ended"))) {
        parse_end(report, text);
    } else if ((text = argument_of(line, "library"))) {
        if (report->n_libraries < PROBE_LIBRARIES_MAX)
            report->libraries[report->n_libraries++] = text;
    }
}

void probe_report_parse(ProbeReport *report, char *text)
{
    memset(report, 0, sizeof(*report));
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        parse_line(report, line);
    }
}

bool probe_report_is_complete(const char *text)
{
    const char *end = strncmp(text, "ended ", 6) == 0 ? text : strstr(text, "\nended ");
    return end && strchr(end + 1, '\n');
}
