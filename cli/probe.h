/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H

/* `vmaf probe FILE [--json]`: what a video is. Returns the exit status. */
int probe(int argc, char **argv);

#endif
