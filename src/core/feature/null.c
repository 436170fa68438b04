/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/null.h"

static FeatureNeeds needs(const void *options, enum VmafPixelFormat pix_fmt)
{
    (void)options;
    (void)pix_fmt;
    return (FeatureNeeds){0};
}

static const FeatureOutput outputs[] = {{0}};
static const OptionSpec options[] = {{0}};

const FeatureExtractor null_extractor = {
    .name = "null",
    .summary = "accepts every frame and computes nothing: for timing input",
    .outputs = outputs,
    .options = options,
    .needs = needs,
};
