/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_COMMANDS_H
#define TUNE_COMMANDS_COMMANDS_H

#include "tune/command_line/command.h"

extern const TuneCommand bisect_command;

extern const TuneCommand fast_command;

extern const TuneCommand compare_command;

/* vmaf-tune corpus: rows of encodes of many sources, encoders, presets and qualities. */
extern const TuneCommand corpus_command;

/* vmaf-tune recommend: which quality to encode with. */
extern const TuneCommand recommend_command;

extern const TuneCommand ladder_command;

extern const TuneCommand per_shot_command;

extern const TuneCommand predict_command;

extern const TuneCommand auto_command;

/* vmaf-tune encode-profile: encodes a video as a result of another subcommand says. */
extern const TuneCommand encode_profile_command;

/* vmaf-tune bd-rate: how much less an encoder needs than another. */
extern const TuneCommand bd_rate_command;

/* vmaf-tune benchmark: encoders of a corpus side by side. */
extern const TuneCommand benchmark_command;

/* vmaf-tune report: results as a page for people. */
extern const TuneCommand report_command;

extern const TuneCommand sidecar_command;

/* vmaf-tune capabilities: which encoders, backends and models are usable here. */
extern const TuneCommand capabilities_command;

#endif
