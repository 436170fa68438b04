/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/discovery/plugin_file.h"
#include "backend/limited_call.h"
#include "libvmaf/libvmaf.h"
#include "platform/child.h"
#include "platform/file.h"
#include "platform/machine.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/process.h"

enum {
    RECORD_MAX = 128 * 1024,
    FAULT_SECONDS = 3600,
    PROBE_VERSION = 3, /* grows with what a plugin is probed for, and with the words of a record */
};

static const char cache_name[] = "libvmaf";
static const char clean_line[] = "clean\n";
static const char faulty_word[] = "faulty ";

/*
 * A record is text: the key, a line for each library in the format of describe_file, and the
 * result. To check a record, the present circumstances are written in the same format and compared.
 */
typedef struct Text {
    size_t used;
    bool too_long;
    char bytes[RECORD_MAX];
} Text;

struct ProbeCacheKey {
    VmafUserCache cache; /* which may not be there yet */
    char file_name[32];
    Text text;
};

__attribute__((format(printf, 2, 3))) static void append_text(Text *text, const char *format, ...)
{
    size_t room = sizeof(text->bytes) - text->used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        text->too_long = true;
    else
        text->used += (size_t)length;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return value;
}

/* ---- Circumstances ---- */

static void describe_file(Text *text, const char *path)
{
    VmafFileStatus status = {0};
    if (strchr(path, '\n') || vmaf_file_status_at(path, &status))
        status = (VmafFileStatus){0};
    append_text(text, "file %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n",
                status.volume, status.number, status.size, status.modified_ns, status.changed_ns,
                path);
}

/* The path in a line of describe_file, which follows the sixth blank. */
static const char *described_path(const char *line)
{
    for (int blanks = 0; blanks < 6; blanks++) {
        line = strchr(line, ' ');
        if (!line)
            return NULL;
        line++;
    }
    return line;
}

static bool matches(const char *pattern, const char *assignment)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*')
        return strncmp(pattern, assignment, length - 1) == 0;
    return strncmp(pattern, assignment, length) == 0 && assignment[length] == '=';
}

/* The order of the variables does not matter. */
static uint64_t hash_of_environment(void)
{
    uint64_t sum = 0;
    for (char *const *variable = vmaf_process_environment(); variable && *variable; variable++)
        for (const char *const *pattern = backend_driver_variables; *pattern; pattern++)
            if (matches(*pattern, *variable)) {
                sum += hash(*variable);
                break;
            }
    return sum;
}

static void append_boot_id(Text *text)
{
    char id[64];
    vmaf_machine_boot_id(id, sizeof(id));
    append_text(text, "boot %s\n", id);
}

/* ---- Keys ---- */

ProbeCacheKey *probe_cache_key_create(const char *plugin_path)
{
    ProbeCacheKey *key;
    if (vmaf_privilege_is_borrowed() || strchr(plugin_path, '\n') || !(key = malloc(sizeof(*key))))
        return NULL;
    vmaf_user_cache_open(&key->cache, cache_name, false);
    snprintf(key->file_name, sizeof(key->file_name), "probe-%016" PRIx64, hash(plugin_path));
    Text *text = &key->text;
    text->used = 0;
    text->too_long = false;
    append_text(text, "libvmaf %s probe %d\n", vmaf_version(), PROBE_VERSION);
    append_boot_id(text);
    append_text(text, "environment %016" PRIx64 "\n", hash_of_environment());
    describe_file(text, plugin_path);
    describe_file(text, vmaf_module_index());
    return key;
}

void probe_cache_key_free(ProbeCacheKey *key)
{
    if (!key)
        return;
    vmaf_user_cache_close(&key->cache);
    free(key);
}

/* ---- Reading ---- */

static bool read_record(const ProbeCacheKey *key, Text *record)
{
    if (!vmaf_user_cache_read(&key->cache, key->file_name, record->bytes, sizeof(record->bytes),
                              &record->used))
        return false;
    record->bytes[record->used] = '\0';
    return true;
}

/* True if a line describes a file as it is now. */
static bool still_holds(const char *line, Text *scratch)
{
    const char *path = described_path(line);
    if (!path)
        return false;
    scratch->used = 0;
    scratch->too_long = false;
    describe_file(scratch, path);
    return !scratch->too_long && strncmp(scratch->bytes, line, strlen(line)) == 0 &&
           scratch->used == strlen(line) + 1;
}

static ProbeMemory judge_result(const char *line, Reason *fault)
{
    if (strcmp(line, "clean") == 0)
        return PROBE_CLEAN;
    if (strncmp(line, faulty_word, sizeof(faulty_word) - 1) != 0)
        return PROBE_UNKNOWN;
    char *end;
    long long when = strtoll(line + sizeof(faulty_word) - 1, &end, 10);
    long long age = (long long)time(NULL) - when;
    if (*end != ' ' || age < 0 || age >= FAULT_SECONDS)
        return PROBE_UNKNOWN;
    foreign_text(fault->text, sizeof(fault->text), end + 1, strlen(end + 1));
    return PROBE_FAULTY;
}

static ProbeMemory judge_record(const ProbeCacheKey *key, Text *record, Text *scratch,
                                Reason *fault)
{
    const Text *expected = &key->text;
    if (expected->too_long || record->used < expected->used ||
        memcmp(record->bytes, expected->bytes, expected->used) != 0)
        return PROBE_UNKNOWN;
    for (char *line = record->bytes + expected->used, *end; (end = strchr(line, '\n'));
         line = end + 1) {
        *end = '\0';
        if (strncmp(line, "file ", 5) != 0)
            return end[1] == '\0' ? judge_result(line, fault) : PROBE_UNKNOWN;
        if (!still_holds(line, scratch))
            return PROBE_UNKNOWN;
    }
    return PROBE_UNKNOWN;
}

ProbeMemory probe_cache_find(const ProbeCacheKey *key, Reason *fault)
{
    if (!vmaf_user_cache_is_open(&key->cache))
        return PROBE_UNKNOWN;
    ProbeMemory memory = PROBE_UNKNOWN;
    Text *record = malloc(sizeof(*record)), *scratch = malloc(sizeof(*scratch));
    if (record && scratch && read_record(key, record))
        memory = judge_record(key, record, scratch, fault);
    free(record);
    free(scratch);
    return memory;
}

/* ---- Writing ---- */

void probe_cache_store(const ProbeCacheKey *key, const char *const libraries[],
                       unsigned n_libraries, const Reason *fault)
{
    VmafUserCache cache;
    Text *record = malloc(sizeof(*record));
    if (!vmaf_user_cache_open(&cache, cache_name, true) || !record)
        goto out;
    *record = key->text;
    for (unsigned i = 0; i < n_libraries; i++)
        describe_file(record, libraries[i]);
    if (fault)
        append_text(record, "%s%lld %s\n", faulty_word, (long long)time(NULL), fault->text);
    else
        append_text(record, "%s", clean_line);
    if (!record->too_long)
        vmaf_user_cache_write(&cache, key->file_name, record->bytes, record->used);
out:
    vmaf_user_cache_close(&cache);
    free(record);
}

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

enum {
    TEXT_MAX = 256 * 1024,
    GRACE_MS = 2000, /* granted to the helper in addition to the limit that it keeps itself */
};

/* 0 and the text (free); negative errno with a reason if the helper could not be started. */
static int run_helper(char **text, const char *helper, const char *plugin, unsigned limit_ms,
                      Reason *why)
{
    char limit[16];
    snprintf(limit, sizeof(limit), "%u", limit_ms);
    const char *const arguments[] = {plugin, limit, NULL};
    const VmafHelper run = {
        .program = helper,
        .arguments = arguments,
        .limit_ms = (int64_t)CALL_LIMIT_TIMES * limit_ms + GRACE_MS,
        .text_max = TEXT_MAX - 1,
        .is_complete = probe_report_is_complete,
    };
    const int err = vmaf_helper_run(&run, text);
    if (err == -ENOMEM)
        return reason_set(why, err, "out of memory");
    if (err)
        return reason_set(why, err, "the helper %s cannot be started: %s", helper, strerror(-err));
    return 0;
}

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

/* The helper's path, if running it is permitted. */
static int find_helper(char **helper_out, Reason *why)
{
    *helper_out = NULL;
    char *helper = install_path_helper();
    if (!helper)
        return reason_set(why, -ENOMEM, "out of memory");
    int err = vmaf_helper_check(helper);
    if (err)
        reason_set(why, err, "the helper that probes plugins is missing: %s", helper);
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
    int err = report ? find_helper(&helper, &why) : reason_set(&why, -ENOMEM, "out of memory");
    if (!err)
        err = run_helper(&text, helper, path, limit_ms, &why);
    if (err < 0) {
        backend_availability_set(&probe->fault, BACKEND_PLUGIN_LOAD_ERROR, err, "%s", why.text);
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
