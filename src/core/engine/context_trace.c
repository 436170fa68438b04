/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/context_trace.h"

#include <stdio.h>

#include "report/report.h"

/* The first instance that a request serves. */
static const FeatureInstance *instance_of(const VmafContext *context, unsigned request)
{
    for (unsigned i = 0; i < context->features.count; i++) {
        if (context->features.instances[i]->request == (int)request)
            return context->features.instances[i];
    }
    return NULL;
}

void context_trace_describe(const VmafContext *context)
{
    if (!context->trace)
        return;
    const WorkList *work = &context->work;
    char text[FEATURE_KEY_SIZE];
    snprintf(text, sizeof(text), "%ux%u, %s, %u bit, %u threads", work->format.w[0],
             work->format.h[0], picture_format_name(work->format.pix_fmt), work->format.bpc,
             context->cfg.n_threads);
    trace_context_describe(context->trace, text);
    for (unsigned r = 0; r < work->n_requests; r++) {
        const FeatureInstance *instance = instance_of(context, r);
        text[0] = '\0';
        if (instance)
            feature_instance_key(instance, instance->extractor->name, text);
        trace_context_add_request(context->trace, text);
    }
}

void context_trace_end(TraceContext *trace, const Logger *logger)
{
    if (trace_context_end(trace))
        trace_write(logger);
}
