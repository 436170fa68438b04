/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/sink.h"

void feature_sink_write(FeatureSink *sink, unsigned output, double value)
{
    feature_sink_write_at(sink, output, sink->index, value);
}

void feature_sink_write_at(FeatureSink *sink, unsigned output, unsigned index, double value)
{
    if (!sink->status)
        sink->write(sink, output, index, value);
}

void feature_sink_aggregate(FeatureSink *sink, const char *name, double value)
{
    if (!sink->status)
        sink->aggregate(sink, name, value);
}
