/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_INFO_H
#define CLI_SHARD_INFO_H

/* Prints what is in files of stored records, for people. Returns the exit status: damaged ones are
 * STATUS_READ. */
int shard_info_print(const char *const paths[], unsigned count);

#endif
