/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "combined_report.h"

#include "common/messages.h"
#include "exit_status.h"
#include "input_steps.h"
#include "output_file.h"
#include "run_steps.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The report of a video as a text; or `why` there is none, and the exit status. */
static int take_report(const ScoredVideo *video, char **text, Message *why)
{
    const Options *options = video->run->options;
    *text = NULL;
    if (video->error)
        return STATUS_OK;
    int err = vmaf_output_text(video->run->vmaf, text, VMAF_OUTPUT_FORMAT_JSON,
                               options->score_format[0] ? options->score_format : NULL);
    if (!err && input_is_media(video->run)) {
        *text = input_extend_report(video->run, *text);
        err = *text ? 0 : -ENOMEM;
    }
    if (!err) {
        (*text)[strlen(*text) - 1] = '\0'; /* the line feed */
        return STATUS_OK;
    }
    say_also_to(why);
    output_failed(options->distorted, err);
    say_also_to(NULL);
    return STATUS_FAILURE;
}

static int print_result(const ScoredVideo *video, FILE *out)
{
    char *text;
    Message why = {""};
    const int status = take_report(video, &text, &why);
    fputs("{\"distorted\": ", out);
    json_string_print(out, video->run->options->distorted);
    fprintf(out, ", \"report\": %s, \"error\": ", text ? text : "null");
    if (text)
        fputs("null", out);
    else
        json_string_print(out, video->error ? video->error : why.text);
    fputs("}", out);
    free(text);
    return status;
}

int combined_report_write(const Output *output, const ScoredVideo videos[], unsigned n)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return output_failed(output->path, -ENOMEM);
    int status = STATUS_OK;
    fputs("{\"results\": [", out);
    for (unsigned i = 0; i < n; i++) {
        fputs(i ? ",\n" : "\n", out);
        const int result = print_result(&videos[i], out);
        if (result)
            status = result;
    }
    fputs("\n]}\n", out);
    const int err = fclose(out) ? -ENOMEM : output_file_write(output->path, text);
    free(text);
    return err ? output_failed(output->path, err) : status;
}
