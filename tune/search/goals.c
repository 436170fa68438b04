/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/goals.h"

#include "platform/text.h"
#include "tune/options/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) .target = offsetof(Goals, member)

static const TuneOption rows[] = {
    {"target", "METRIC=X,Y,...",
     "scores to be reached, each by an encode of its own: vmaf=95,88,78, psnr_y=42,38, vmaf.p1=85; "
     "one of another metric is a condition for all",
     TEXTS_AT(texts)},
    {"target-vmafs", "X,Y,...", "the same of VMAF", NUMBERS_AT(values, 0, 100),
     .other_name = "target-vmaf"},
};

OptionGroup goals_option_group(Goals *goals)
{
    return (OptionGroup){"Goals", rows, sizeof rows / sizeof *rows, goals};
}

static int add_value(NumberList *list, double value, Message *why)
{
    double *grown = realloc(list->value, (list->n + 1) * sizeof(*grown));
    if (!grown)
        return message_set(why, -ENOMEM, "out of memory");
    list->value = grown;
    grown[list->n++] = value;
    return 0;
}

/* A condition that the session reads from the options: what it may be, that checks. */
static int add_condition(SessionOptions *options, const char *text, Message *why)
{
    TextList *targets = &options->targets;
    char **grown = realloc(targets->text, (targets->n + 1) * sizeof(*grown));
    targets->text = grown ? grown : targets->text;
    if (!grown || !(grown[targets->n] = strdup(text)))
        return message_set(why, -ENOMEM, "out of memory");
    targets->n++;
    return 0;
}

static bool is_vmaf(const char *text)
{
    return !strncmp(text, "vmaf=", 5);
}

static int read_goals(Goals *goals, const char *text, Message *why)
{
    const char *at = text + strcspn(text, "=");
    int err = *at ? 0 : -EINVAL;
    while (*at && !err) {
        char *end;
        const double value = vmaf_c_strtod(at + 1, &end);
        if (end == at + 1 || (*end && *end != ',') || !isfinite(value) ||
            (is_vmaf(text) && !(value >= 0 && value <= 100)))
            err = -EINVAL;
        else
            err = add_value(&goals->values, value, why);
        at = end;
    }
    return err == -EINVAL
               ? message_set(why, err,
                             "--target: \"%s\" is no METRIC=VALUE,... or METRIC.POOL=VALUE,..., "
                             "such as vmaf=95,88 (0 to 100)",
                             text)
               : err;
}

/* The values of one --target are goals or, of another score than these, a condition. */
static int take_target(Goals *goals, SessionOptions *options, const char *text, Message *why)
{
    if (!goals->values.n && !is_vmaf(text))
        goals->name = text;
    const char *name = goals->name ? goals->name : "vmaf=";
    const size_t length = strcspn(name, "=") + 1;
    return strncmp(text, name, length) ? add_condition(options, text, why)
                                       : read_goals(goals, text, why);
}

int goals_run(Goals *goals, const TuneCommand *command, SessionOptions *options,
              const NumberList *usual,
              int (*work)(Session *session, const TuneSource *source, void *settings),
              void *settings)
{
    char one[2 * GATE_LABEL_SIZE];
    Message why;
    double most = NAN; /* which is checked */
    int err = 0;
    for (size_t i = 0; i < goals->texts.n && !err; i++)
        err = take_target(goals, options, goals->texts.text[i], &why);
    for (size_t i = 0, none = !goals->values.n; none && i < usual->n && !err; i++)
        err = add_value(&goals->values, usual->value[i], &why);
    for (size_t i = 0; i < goals->values.n; i++)
        most = fmax(most, goals->values.value[i]);
    if (goals->name && !err) {
        snprintf(one, sizeof one, "%.*s=%.17g", (int)strcspn(goals->name, "="), goals->name, most);
        err = add_condition(options, one, &why);
    }
    const int status =
        err ? command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text)
            : session_run(command, options, goals->name ? NAN : most, work, settings);
    for (size_t i = 0; i < options->targets.n; i++)
        free(options->targets.text[i]);
    free(options->targets.text);
    options->targets = (TextList){0};
    return status;
}

void gate_name(const TuneGate *gate, char name[GATE_LABEL_SIZE])
{
    snprintf(name, GATE_LABEL_SIZE, "%s.%s", gate->name, score_pool_name(gate->pool));
}

void goals_lead(const Goals *goals, TuneGates *gates)
{
    const size_t length = goals->name ? strcspn(goals->name, "=") : 0;
    for (size_t i = 0; goals->name && i < gates->n; i++) {
        const TuneGate gate = gates->gate[i];
        char name[GATE_LABEL_SIZE];
        gate_name(&gate, name);
        if (strncmp(name, goals->name, length) ||
            (name[length] && strcmp(name + length, ".mean") != 0))
            continue;
        memmove(gates->gate + 1, gates->gate, i * sizeof(gate));
        gates->gate[0] = gate;
        return;
    }
}

double gates_vmaf(const TuneGates *gates, const double *values)
{
    for (size_t i = 0; i < gates->n; i++)
        if (!strcmp(gates->gate[i].name, "vmaf"))
            return values[i];
    return NAN;
}
