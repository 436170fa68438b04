/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RESCORE_H
#define CLI_RESCORE_H

/* vmaf rescore: scores stored records with other models and features. The words are those behind
 * the name. Returns the exit status. */
int rescore(int argc, char **argv);

#endif
