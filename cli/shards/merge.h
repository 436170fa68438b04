/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

/* vmaf merge: makes the reports of a run of its parts. The words are those behind the name. Returns
 * the exit status. */
int merge(int argc, char **argv);

#endif
