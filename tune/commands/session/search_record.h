/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SEARCH_RECORD_H
#define TUNE_COMMANDS_SEARCH_RECORD_H

/* What a search has found, as JSON and for people. */

#include "tune/commands/session/session.h"

#include <jansson.h>
#include <stdio.h>

/*
 * codec, preset, best_crf (-1: none), measured_vmaf, bitrate_kbps, encode_time_ms, n_iterations,
 * encoder_version, ok, error, converged, target_vmaf, samples[] and what else tells how it was
 * found. A new reference; NULL without memory.
 */
json_t *search_record(const SearchPlan *plan, const SearchRun *run);

/* src, extra_params, and which part of the file was taken if that could be another: stream,
 * start_number, errors. What encodes it again needs these. 0; -ENOMEM. */
int search_put_source(json_t *json, const TuneSource *source, const SessionOptions *options);

/* One encode of a search: crf, bitrate_kbps, vmaf, values of further gates, times, cached, error.
 */
json_t *search_sample(const SearchPlan *plan, const MeasuredEncode *encode);

/* A table of the encodes, and the answer below it. */
void search_print_text(const SearchPlan *plan, const SearchRun *run, double seconds, FILE *out);

#endif
