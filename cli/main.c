/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf program: scores a distorted video against its reference. See docs/cli.md. */

#include "run/run.h"

#include "platform/process.h"

#include <stddef.h>

static int run_alone(const Options *options)
{
    const RunHost host = run_host_alone();
    const int status = outputs_check(options);
    return status ? status : run(options, &host, NULL);
}

static int describe(const Options *options)
{
    const int status = outputs_check(options);
    return status ? status : backend_report_capabilities(options);
}

int main(int argc, char **argv)
{
    if (vmaf_process_prepare())
        return STATUS_FAILURE;

    const Command *command = argc > 1 ? command_find(argv[1]) : NULL;
    if (command)
        return command->run(argc - 2, argv + 2);
    Options options;
    int status;
    if (command_line_parse(&options, argc, argv, &status)) {
        switch (options.task) {
        case TASK_SCORE:
            status = run_alone(&options);
            break;
        case TASK_LIST_BACKENDS:
            status = backend_report_list(&options);
            break;
        case TASK_CAPABILITIES:
            status = describe(&options);
            break;
        }
    }
    command_line_free(&options);
    return status;
}
