/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_STANDARD_OUTPUT_H
#define CLI_STANDARD_OUTPUT_H

/*
 * Exit status of a run whose result stands on standard output. One that could not be written, as
 * with `vmaf --help > /dev/full`, is a failure, which is said on stderr.
 */
int standard_output_finish(void);

#endif
