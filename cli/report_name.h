/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_REPORT_NAME_H
#define CLI_REPORT_NAME_H

#include <stdbool.h>

/* Names of the reports on several distorted videos: "{}" stands for the name of the video, without
 * folder and extension. */

bool report_name_has_place(const char *pattern);
/* To be freed; NULL if memory runs out. */
char *report_name_make(const char *pattern, const char *video);

#endif
