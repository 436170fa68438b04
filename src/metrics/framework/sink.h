/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_SINK_H
#define METRICS_FRAMEWORK_SINK_H

#include "metrics/framework/extractor.h"

/*
 * Receives scores from finish functions. A receiver embeds this struct and fills in the functions,
 * which store an error in `status`; after an error nothing more is delivered.
 */
struct FeatureSink {
    int status; /* 0 or the first error */
    void (*write)(FeatureSink *sink, unsigned output, unsigned index, double value);
    void (*aggregate)(FeatureSink *sink, const char *name, double value);
    unsigned index; /* of the frame that is being finished */
};

#endif
