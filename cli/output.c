/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output.h"

#include "combined_report.h"
#include "common/messages.h"
#include "exit_status.h"
#include "html_report.h"
#include "input_steps.h"
#include "live_report.h"
#include "output_file.h"
#include "run_steps.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"

int output_failed(const char *name, int err)
{
    say("problem writing output: %s (%s)", name, strerror(-err));
    return STATUS_FAILURE;
}

/* What the library writes by itself. */
static int write_report(const Output *output, const ScoredVideo *video)
{
    const char *format = video->run->options->score_format;
    const int err = vmaf_write_output_with_format(video->run->vmaf, output->path,
                                                  (enum VmafOutputFormat)output->format,
                                                  *format ? format : NULL);
    return err ? output_failed(output->path, err) : STATUS_OK;
}

/* With what is known of media files. */
static int write_json(const Output *output, const ScoredVideo *video)
{
    if (!input_is_media(video->run))
        return write_report(output, video);
    const char *format = video->run->options->score_format;
    char *text;
    int err =
        vmaf_output_text(video->run->vmaf, &text, VMAF_OUTPUT_FORMAT_JSON, *format ? format : NULL);
    if (err)
        return output_failed(output->path, err);
    text = input_extend_report(video->run, text);
    err = text ? output_file_write(output->path, text) : -ENOMEM;
    free(text);
    return err ? output_failed(output->path, err) : STATUS_OK;
}

static const OutputKind kinds[] = {
    {VMAF_OUTPUT_FORMAT_XML, ".xml", write_report, NULL},
    {VMAF_OUTPUT_FORMAT_JSON, ".json", write_json, combined_report_write},
    {VMAF_OUTPUT_FORMAT_CSV, ".csv", write_report, NULL},
    {VMAF_OUTPUT_FORMAT_SUB, ".sub", write_report, NULL},
    {VMAF_OUTPUT_FORMAT_NDJSON, ".ndjson", live_report_write, NULL},
    {VMAF_OUTPUT_FORMAT_HTML, ".html", html_report_write, html_report_write_all},
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const OutputKind *output_kind(unsigned format)
{
    for (int i = 0; i < N_KINDS; i++) {
        if (kinds[i].format == format)
            return &kinds[i];
    }
    return NULL;
}

const OutputKind *output_kind_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < N_KINDS; i++) {
        if (vmaf_ascii_alike(dot, kinds[i].extension))
            return &kinds[i];
    }
    return NULL;
}

bool output_is_wanted(const Options *options, unsigned format)
{
    for (unsigned i = 0; i < options->n_outputs; i++) {
        if (options->outputs[i].format == format)
            return true;
    }
    return false;
}
