/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf program: scores a distorted video against its reference. See docs/cli.md. */
#include "backend_report.h"
#include "command_line.h"
#include "exit_status.h"
#include "run.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/*
 * A program started with closed standard streams would open a video as number 2 and print messages
 * into it.
 */
static int occupy_standard_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return -1;
    return close(fd);
}

int main(int argc, char **argv)
{
    if (occupy_standard_streams())
        return STATUS_FAILURE;

    /* A report that exceeds a limit on the size of files is an error to be told, not the end. */
    signal(SIGXFSZ, SIG_IGN);

    Options options;
    int status;
    if (command_line_parse(&options, argc, argv, &status)) {
        switch (options.task) {
        case TASK_SCORE:
            status = run(&options);
            break;
        case TASK_LIST_BACKENDS:
            status = backend_report_list(&options);
            break;
        case TASK_CAPABILITIES:
            status = backend_report_capabilities(&options);
            break;
        }
    }
    command_line_free(&options);
    return status;
}
