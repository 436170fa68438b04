/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/install_paths.h"
#include "backend/discovery/plugin.h"
#include "backend/discovery/privilege.h"
#include "backend/discovery/probe_cache.h"
#include "backend/discovery/probe_helper.h"
#include "backend/discovery/probe_report.h"
#include "backend/foreign_text.h"
#include "platform/child.h"
#include "platform/process.h"

static void judge_fault(PluginProbe *probe, int error, const char *what, const char *stage)
{
    static const struct {
        const char *stage;
        const char *words;
    } stages[] = {
        {"loading", " while it was loaded"},
        {"enumerating", " while it looked for devices"},
        {"opening", " while it opened a device"},
        {"ending", " while the process ended"},
    };
    const char *words = "";
    for (size_t i = 0; stage && i < sizeof(stages) / sizeof(stages[0]); i++)
        if (strcmp(stage, stages[i].stage) == 0)
            words = stages[i].words;
    backend_availability_set(&probe->fault, BACKEND_PLUGIN_LOAD_ERROR, error, "probe %s%s", what,
                             words);
}

static void judge_end(PluginProbe *probe, const ProbeReport *report, unsigned limit_ms)
{
    char what[64], signal_name[32];
    switch (report->end) {
    case PROBE_END_TIMEOUT:
        if (limit_ms % 1000)
            snprintf(what, sizeof(what), "timed out after %u ms", limit_ms);
        else
            snprintf(what, sizeof(what), "timed out after %u s", limit_ms / 1000);
        judge_fault(probe, -ETIMEDOUT, what, report->stage);
        break;
    case PROBE_END_SIGNAL:
        vmaf_signal_name(signal_name, sizeof(signal_name), report->end_number);
        snprintf(what, sizeof(what), "crashed (%s)", signal_name);
        judge_fault(probe, -EFAULT, what, report->stage);
        break;
    case PROBE_END_STATUS:
        snprintf(what, sizeof(what), "ended early (exit status %d)", report->end_number);
        judge_fault(probe, -ENOEXEC, what, report->stage);
        break;
    case PROBE_END_NONE:
    case PROBE_END_OK:
        judge_fault(probe, -EIO, "ended without a result", report->stage);
        break;
    }
}

static void judge_report(PluginProbe *probe, const ProbeReport *report, unsigned limit_ms)
{
    if (report->end == PROBE_END_OK && report->fault) {
        char fault[sizeof(probe->fault.why.text)];
        foreign_text(fault, sizeof(fault), report->fault, strlen(report->fault));
        backend_availability_set(&probe->fault, BACKEND_PLUGIN_LOAD_ERROR, -EPERM, "%s", fault);
    } else if (report->end != PROBE_END_OK || !report->has_availability) {
        judge_end(probe, report, limit_ms);
    } else {
        probe->asked_now = true;
        probe->availability = report->availability;
        probe->opened = report->opened;
    }
}

static void judge_no_helper(PluginProbe *probe, int error, const Reason *why)
{
    backend_availability_set(&probe->fault, BACKEND_PLUGIN_LOAD_ERROR, error, "%s", why->text);
}

/* The helper's path, if running it is permitted. */
static int find_helper(char **helper_out, Reason *why)
{
    *helper_out = NULL;
    char *helper = install_path_helper();
    if (!helper)
        return refuse(why, -ENOMEM, "out of memory");
    int err = vmaf_helper_check(helper);
    if (err)
        refuse(why, err, "the helper that probes plugins is missing: %s", helper);
    else
        err = privilege_resolve_file(helper_out, helper, why);
    free(helper);
    return err;
}

static void ask_helper(PluginProbe *probe, const char *path, unsigned limit_ms,
                       const ProbeCacheKey *key)
{
    Reason why;
    char *helper = NULL, *text = NULL;
    ProbeReport *report = malloc(sizeof(*report));
    int err = report ? find_helper(&helper, &why) : refuse(&why, -ENOMEM, "out of memory");
    if (!err)
        err = probe_helper_run(&text, helper, path, limit_ms, &why);
    if (err < 0) {
        judge_no_helper(probe, err, &why);
    } else {
        probe_report_parse(report, text);
        judge_report(probe, report, limit_ms);
        bool faulty = probe->fault.state != BACKEND_USABLE;
        /* If the helper itself was killed, its report says nothing about the plugin. */
        if (key && report->end != PROBE_END_NONE)
            probe_cache_store(key, report->libraries, report->n_libraries,
                              faulty ? &probe->fault.why : NULL);
    }
    free(text);
    free(helper);
    free(report);
}

void plugin_probe(PluginProbe *probe, const char *path, unsigned limit_ms)
{
    *probe = (PluginProbe){.scope = VMAF_PROCESS_OWN};
    const char *mode = secure_getenv("VMAF_BACKEND_PROBE");
    if (mode && strcmp(mode, "inprocess") == 0) {
        probe->scope = VMAF_PROCESS_ALL;
        return;
    }
    ProbeCacheKey *key = probe_cache_key_create(path);
    Reason fault;
    switch (key ? probe_cache_find(key, &fault) : PROBE_UNKNOWN) {
    case PROBE_UNKNOWN:
        ask_helper(probe, path, limit_ms, key);
        break;
    case PROBE_FAULTY:
        backend_availability_set(&probe->fault, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                 "%s (remembered)", fault.text);
        break;
    case PROBE_CLEAN:
        break;
    }
    probe_cache_key_free(key);
}
