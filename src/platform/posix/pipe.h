/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_POSIX_PIPE_H
#define VMAF_PLATFORM_POSIX_PIPE_H

/* A pipe that other programs do not inherit, and of which no end is one of the standard streams in
 * programs that have closed theirs. [0] is read. 0; negative errno. */
int vmaf_pipe_open(int ends[2]);

#endif
