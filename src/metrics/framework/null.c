/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/null.h"

static const FeatureOutput outputs[] = {{0}};

const FeatureExtractor null_extractor = {
    .name = "null",
    .summary = "accepts every frame and computes nothing: for timing input",
    .outputs = outputs,
    .options = no_options,
};
