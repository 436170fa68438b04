/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_BATCH_H
#define CLI_BATCH_BATCH_H

/* vmaf batch: scores the pairs of a list, one after another or some at a time, while devices and
 * models stay open. The words behind the name; returns the exit status. */
int batch(int argc, char **argv);

#endif
