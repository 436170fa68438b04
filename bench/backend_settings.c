/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_drive.h"

static const char usage[] =
    "usage: vmaf-backend-bench --plugin FILE [options]\n"
    "\n"
    "Frames per second of a backend on generated pictures in memory, through the library and "
    "without\n"
    "it, and what the device spends its time on.\n"
    "\n"
    "  --plugin FILE    libvmaf-backend-NAME.so\n"
    "  --device N       of the backend (default: the first)\n"
    "  --size WxH       (default 1920x1080)\n"
    "  --depth N        (default 8)\n"
    "  --frames N       (default 100)\n"
    "  --limit SECONDS  for the frames of a figure: fewer of them if they take longer\n"
    "  --model NAME     or feature that the library computes; repeatable (default vmaf_v0.6.1)\n"
    "  --feature NAME[=OPTION=VALUE:...]\n"
    "                   that the backend computes on its own; repeatable (default: all it has)\n"
    "  --subject NAME   instead of --model and --feature, what one model needs or psnr: "
    "vmaf_v0.6.1,\n"
    "                   vmaf_v0.6.1neg (with vmaf_v0.6.1), vmaf_4k_v0.6.1, vmaf_b_v0.6.3 or psnr;\n"
    "                   repeatable\n"
    "  --source WHERE   pictures for the backend on its own are in memory of the host or of the\n"
    "                   device, or both (default host)\n"
    "  --in-flight N    frames at once (default 4)\n"
    "  --threads N      of the library (default 1)\n"
    "  --table NAME     library, backend, stages, opening, auto or selftest; repeatable\n"
    "                   (default: the first three)\n"
    "  --operations FILE\n"
    "                   lines KERNEL OPERATIONS: integer operations per luma sample of a frame\n"
    "  --clock MHZ      of the device's compute units, for the rate at which it issues operations\n"
    "  --json FILE      append the figures, one JSON object a line\n";

static int add_table(BackendSettings *s, const char *name)
{
    static const char *const names[] = {"library", "backend", "stages",
                                        "opening", "auto",    "selftest"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!strcmp(name, names[i])) {
            s->tables |= 1u << i;
            return 0;
        }
    }
    return -1;
}

/* The models of a subject for the library, and the features that they take for the backend. */
static const struct {
    ArgumentList features, models;
} known_subjects[] = {
    {{.items = {"adm", "motion", "vif"}, .n = 3}, {.items = {"vmaf_v0.6.1"}, .n = 1}},
    {{.items = {"adm", "adm=adm_enhn_gain_limit=1", "motion", "vif", "vif=vif_enhn_gain_limit=1"},
      .n = 5},
     {.items = {"vmaf_v0.6.1", "vmaf_v0.6.1neg"}, .n = 2}},
    {{.items = {"adm", "motion", "vif"}, .n = 3}, {.items = {"vmaf_4k_v0.6.1"}, .n = 1}},
    {{.items = {"adm", "motion", "vif"}, .n = 3}, {.items = {"vmaf_b_v0.6.3"}, .n = 1}},
    {{.items = {"psnr"}, .n = 1}, {.items = {"psnr"}, .n = 1}},
};

/* A subject is named after the last of its models. */
static int add_subject(BackendSettings *s, const char *name)
{
    for (size_t i = 0; i < sizeof known_subjects / sizeof known_subjects[0]; i++) {
        const ArgumentList *models = &known_subjects[i].models;
        if (!strcmp(name, models->items[models->n - 1]) && s->n_subjects < SUBJECTS_MAX) {
            s->subjects[s->n_subjects++] =
                (BackendSubject){known_subjects[i].features, known_subjects[i].models, true};
            return 0;
        }
    }
    return -1;
}

static int set_source(BackendSettings *s, const char *where)
{
    static const char *const names[] = {"host", "device", "both"};
    for (unsigned i = 0; i < 3; i++) {
        if (!strcmp(where, names[i])) {
            s->sources = i + 1;
            return 0;
        }
    }
    return -1;
}

static int set_text(BackendSettings *s, BackendSubject *own, const char *name, const char *value)
{
    if (!strcmp(name, "--plugin"))
        s->plugin = value;
    else if (!strcmp(name, "--size"))
        s->size = value;
    else if (!strcmp(name, "--json"))
        s->json = value;
    else if (!strcmp(name, "--operations"))
        s->operations = value;
    else if (!strcmp(name, "--model"))
        return argument_add(&own->models, value);
    else if (!strcmp(name, "--feature"))
        return own->features.n == DRIVE_MAX_FEATURES ? -1 : argument_add(&own->features, value);
    else if (!strcmp(name, "--subject"))
        return add_subject(s, value);
    else if (!strcmp(name, "--table"))
        return add_table(s, value);
    else if (!strcmp(name, "--source"))
        return set_source(s, value);
    else
        return 1;
    return 0;
}

static int set(BackendSettings *s, BackendSubject *own, const char *name, const char *value)
{
    const int err = set_text(s, own, name, value);
    long n = 0;
    if (err <= 0)
        return err;
    if (!strcmp(name, "--device") && !argument_number(value, 0, 63, &n))
        s->device = (int)n;
    else if (!strcmp(name, "--depth") && !argument_number(value, 8, 16, &n))
        s->depth = (unsigned)n;
    else if (!strcmp(name, "--frames") && !argument_number(value, 1, 1000000, &n))
        s->frames = (unsigned)n;
    else if (!strcmp(name, "--in-flight") && !argument_number(value, 1, 64, &n))
        s->in_flight = (unsigned)n;
    else if (!strcmp(name, "--threads") && !argument_number(value, 0, 1024, &n))
        s->threads = (unsigned)n;
    else if (!strcmp(name, "--limit") && !argument_number(value, 1, 86400, &n))
        s->limit = (double)n;
    else if (!strcmp(name, "--clock") && !argument_number(value, 1, 100000, &n))
        s->clock = 1e6 * (double)n;
    else
        return -1;
    return 0;
}

static int complain(const char *what)
{
    fprintf(stderr, "vmaf-backend-bench: %s\n\n%s", what, usage);
    return -1;
}

int backend_settings_read(BackendSettings *s, int argc, char **argv)
{
    BackendSubject own = {.models = {.n = 0}};
    *s = (BackendSettings){.size = "1920x1080",
                           .device = -1,
                           .depth = 8,
                           .frames = 100,
                           .in_flight = 4,
                           .threads = 1,
                           .sources = SOURCE_HOST};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || set(s, &own, argv[i], argv[i + 1]))
            return complain(argv[i]);
    }
    if (s->n_subjects && (own.models.n || own.features.n))
        return complain("--subject stands for models and features");
    if (!s->n_subjects) {
        if (!own.models.n)
            argument_add(&own.models, "vmaf_v0.6.1");
        s->subjects[s->n_subjects++] = own;
    }
    s->subject = &s->subjects[0];
    if (!s->tables)
        s->tables = TABLE_LIBRARY | TABLE_BACKEND | TABLE_STAGES;
    char rest;
    if (!s->plugin)
        return complain("--plugin is missing");
    if (sscanf(s->size, "%ux%u%c", &s->width, &s->height, &rest) != 2)
        return complain("--size");
    return 0;
}

const char *backend_settings_label(const ArgumentList *list, char *label, unsigned size)
{
    size_t length = 0;
    label[0] = '\0';
    for (int i = 0; i < list->n && length < size; i++)
        length +=
            (size_t)snprintf(label + length, size - length, "%s%s", i ? " + " : "", list->items[i]);
    return label;
}
