/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_HTML_REPORT_H
#define CLI_HTML_REPORT_H

#include "output.h"

#include "libvmaf/picture.h"

struct Run;

/* Reports as web pages: what a run knows, as common/html/ takes it. */

/* Prepares to keep pictures of the worst frames if a page is wanted. 0; -ENOMEM. */
int html_report_watch(struct Run *run);
/* A pair that is about to be scored. */
void html_report_see(struct Run *run, const VmafPicture *reference, const VmafPicture *distorted);

int html_report_write(const Output *output, const ScoredVideo *video);
/* One page on several distorted videos. */
int html_report_write_all(const Output *output, const ScoredVideo videos[], unsigned n);

#endif
