/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_STORED_REPORT_H
#define CLI_STORED_REPORT_H

#include <jansson.h>

/*
 * What reports say of a video behind its name, made of the object in a stored header: the text that
 * input_print_members printed in the run, to be freed. NULL for anything that it does not print, or
 * without memory.
 */
char *stored_report_text(const json_t *report);

#endif
