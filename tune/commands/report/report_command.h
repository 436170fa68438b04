/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_REPORT_COMMAND_H
#define TUNE_COMMANDS_REPORT_REPORT_COMMAND_H

#include "tune/command_line/command.h"

/* vmaf-tune report: results as a page for people. */
extern const TuneCommand report_command;

#endif
