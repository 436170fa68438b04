/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_CLI_PARTS_H
#define TESTS_CLI_PARTS_H

#include "program.h"

/* Runs in parts, of command lines as texts: words with one space between two. */

/* Runs the program with such words. */
Run run_words(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and the status is 0. */
void do_words(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Scores `run` ("ref.y4m dis.y4m --feature psnr") in n shards, part-0.vmafs and so on, with other
 * numbers of threads. */
void make_shards(const char *run, unsigned n);
/* "part-0.vmafs part-1.vmafs", in an order that is not theirs; static. */
const char *part_names(unsigned n);
void remove_shards(unsigned n);
/* The merge of such files fails, says so, and writes nothing. */
void expect_rejection(const char *files, const char *says);

/* Reports in all formats, whole.xml and so on: of a run at once. */
void score_whole(const char *run);
/* The same of its shards, or of a file, by such a command ("merge", "rescore"), are equal. */
void expect_whole(const char *command, const char *files, const char *options);
void remove_whole(void);

/* The run at once and its n shards give the same reports. */
void expect_same_in_shards(const char *run, unsigned n);

#endif
