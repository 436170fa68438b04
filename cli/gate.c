/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gate.h"

#include "common/messages.h"
#include "exit_status.h"
#include "run_steps.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the list -- */

/* Longer ones first. */
static const struct {
    const char *sign;
    enum GateRelation relation;
} relations[] = {
    {">=", GATE_AT_LEAST},
    {"<=", GATE_AT_MOST},
    {">", GATE_ABOVE},
    {"<", GATE_BELOW},
};

static const char *const methods[] = {
    [VMAF_POOL_METHOD_MIN] = "min",
    [VMAF_POOL_METHOD_MAX] = "max",
    [VMAF_POOL_METHOD_MEAN] = "mean",
    [VMAF_POOL_METHOD_HARMONIC_MEAN] = "harmonic_mean",
};
enum { N_METHODS = sizeof(methods) / sizeof(methods[0]) };

static enum VmafPoolingMethod method_of(const char *pool)
{
    for (unsigned i = VMAF_POOL_METHOD_MIN; i < N_METHODS; i++) {
        if (!strcmp(methods[i], pool))
            return (enum VmafPoolingMethod)i;
    }
    return VMAF_POOL_METHOD_UNKNOWN;
}

/* The rest of a gate: a relation and a number. False: it is none. */
static bool parse_limit(Gate *gate, const char *text)
{
    char *end;
    size_t i = 0;
    while (i < 4 && strncmp(text, relations[i].sign, strlen(relations[i].sign)))
        i++;
    if (i == 4)
        return false;
    gate->relation = relations[i].relation;
    const char *number = text + strlen(relations[i].sign);
    if (*number != '-' && *number != '+' && *number != '.' && (*number < '0' || *number > '9'))
        return false;
    gate->limit = strtod(number, &end);
    return end == gate->text + gate->length && isfinite(gate->limit);
}

/* NAME.POOL: names may contain points. */
static bool parse_pool(Gate *gate, const char *end)
{
    const char *point = end;
    while (point > gate->text && *point != '.')
        point--;
    const size_t length = (size_t)(end - point);
    if (point == gate->text || length < 2 || length > GATE_POOL_SIZE)
        return false;
    gate->name_length = (size_t)(point - gate->text);
    memcpy(gate->pool, point + 1, length - 1);
    gate->pool[length - 1] = '\0';
    return method_of(gate->pool) || !vmaf_report_statistics(NULL, gate->pool);
}

int gates_parse(GateList *gates, const char *text, Message *why)
{
    for (bool more = true; more; text++) {
        Gate gate = {.text = text, .length = strcspn(text, ",")};
        const char *sign = text + strcspn(text, ",<>");
        if (!parse_pool(&gate, sign) || !parse_limit(&gate, sign)) {
            return message_set(why, -EINVAL,
                               "--require: \"%.*s\" is no NAME.POOL>=NUMBER, with a pool of min, "
                               "max, mean, harmonic_mean, median, stddev, p0 to p100, and one of "
                               ">=, >, <=, <",
                               (int)gate.length, gate.text);
        }
        if (gates->count == MAX_GATES)
            return message_set(why, -EINVAL, "--require: at most %d conditions", MAX_GATES);
        gates->items[gates->count++] = gate;
        text += gate.length;
        more = *text != '\0';
    }
    return 0;
}

/* -- names -- */

static bool is_name(const Gate *gate, const char *name)
{
    return strlen(name) == gate->name_length && !memcmp(gate->text, name, gate->name_length);
}

/* Key of the score that a gate is about. 0; -ERANGE: there is none yet; another negative errno. */
static int find_key(const Run *run, const Gate *gate, const char **key)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    int err = 0;
    for (unsigned i = 0; !(err = vmaf_report_column(run->vmaf, i, &info)); i++) {
        *key = info.key;
        if (is_name(gate, info.name) || is_name(gate, info.key))
            break;
    }
    return err;
}

/* The scores of models have no columns before they are asked for: each name, and then NULL. */
static const char *model_score(const Run *run, unsigned index, char name[256])
{
    static const char *const suffixes[] = {"", "_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"};
    for (unsigned i = 0; i < run->n_models && !run->options->no_prediction; i++) {
        const unsigned n = run->models[i].collection ? 5 : 1;
        if (index < n) {
            snprintf(name, 256, "%s%s", run->models[i].spec->name, suffixes[index]);
            return name;
        }
        index -= n;
    }
    return NULL;
}

/* NAME_0001 and so on, of which nobody knows how many there are. */
static bool is_of_member(const Run *run, const Gate *gate)
{
    for (unsigned i = 0; i < run->n_models && !run->options->no_prediction; i++) {
        const char *name = run->models[i].spec->name;
        const size_t length = strlen(name);
        if (run->models[i].collection && gate->name_length == length + 5 &&
            !strncmp(gate->text, name, length) && gate->text[length] == '_' &&
            strspn(gate->text + length + 1, "0123456789") == 4)
            return true;
    }
    return false;
}

static bool is_of_model(const Run *run, const Gate *gate)
{
    char name[256];
    for (unsigned i = 0; model_score(run, i, name); i++) {
        if (is_name(gate, name))
            return true;
    }
    return is_of_member(run, gate);
}

static int refuse(const Run *run, const Gate *gate)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    char *list = NULL, name[256];
    size_t size;
    FILE *out = open_memstream(&list, &size);
    const char *comma = "";
    for (unsigned i = 0; out && model_score(run, i, name); i++, comma = ", ")
        fprintf(out, "%s%s", comma, name);
    for (unsigned i = 0; out && !vmaf_report_column(run->vmaf, i, &info); i++, comma = ", ")
        fprintf(out, "%s%s", comma, info.name);
    const bool made = out && !fclose(out);
    say("--require: there is no score \"%.*s\"; there are: %s", (int)gate->name_length, gate->text,
        made ? list : "");
    free(list);
    return STATUS_FAILURE;
}

static int failed(int err)
{
    say("--require: %s", strerror(-err));
    return STATUS_FAILURE;
}

int gates_check(Run *run)
{
    const GateList *gates = &run->options->gates;
    for (unsigned i = 0; i < gates->count; i++) {
        const Gate *gate = &gates->items[i];
        const char *key;
        const int err = is_of_model(run, gate) ? 0 : find_key(run, gate, &key);
        if (err)
            return err == -ERANGE ? refuse(run, gate) : failed(err);
    }
    return STATUS_OK;
}

/* -- values -- */

static bool is_met(const Gate *gate, double value)
{
    switch (gate->relation) {
    case GATE_AT_LEAST:
        return value >= gate->limit;
    case GATE_ABOVE:
        return value > gate->limit;
    case GATE_AT_MOST:
        return value <= gate->limit;
    case GATE_BELOW:
        return value < gate->limit;
    }
    return false;
}

/* 0; -ERANGE: there is no such score; another negative errno. */
static int measure(const Run *run, const Gate *gate, double *value)
{
    const char *key;
    const enum VmafPoolingMethod method = method_of(gate->pool);
    const unsigned last = run->frames - 1;
    int err = find_key(run, gate, &key);
    if (err)
        return err;
    err = method ? vmaf_feature_score_pooled(run->vmaf, key, method, value, 0, last)
                 : vmaf_feature_score_statistic(run->vmaf, key, gate->pool, value, 0, last);
    return err == -EINVAL ? -ERANGE : err;
}

/* With as many digits as it takes to see that the gate is not met. */
static void print_value(char *text, size_t size, const Gate *gate, double value)
{
    snprintf(text, size, "%.6f", value);
    for (int digits = 8; digits <= 17 && is_met(gate, strtod(text, NULL)); digits++)
        snprintf(text, size, "%.*g", digits, value);
}

/* The exit status; what is wrong is said. */
static int judge(const Run *run, const Gate *gate)
{
    const bool several = run->options->n_distorted > 1;
    const char *video = several ? run->options->distorted : "", *colon = several ? ": " : "";
    char text[400] = "not there";
    double value;
    const int err = measure(run, gate, &value);
    if (err && err != -ERANGE)
        return failed(err);
    if (!err && is_met(gate, value))
        return STATUS_OK;
    if (!err)
        print_value(text, sizeof(text), gate, value);
    say("%s%srequired %.*s: it is %s", video, colon, (int)gate->length, gate->text, text);
    return STATUS_GATE;
}

int gates_judge(const Run *run)
{
    const GateList *gates = &run->options->gates;
    int worst = STATUS_OK;
    for (unsigned i = 0; i < gates->count; i++) {
        const int status = judge(run, &gates->items[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
