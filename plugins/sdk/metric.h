/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_METRIC_H
#define VMAF_SDK_METRIC_H

#include <libvmaf/backend.h>

#include "metrics/framework/metric_list.h"
#include "metrics/framework/option.h"
#include "program.h"

/*
 * A metric: how a feature is computed with kernels. It states its limits and which requests it
 * computes together, writes their program, and turns the resulting sums into the feature's record.
 * Metrics know no device; each has files *_device.c in its folder of src/metrics, which has its
 * options and numbers too, and a name in metric_list.h.
 */

/* The requests of a pass, which share kernels. */
typedef struct VmafMetricPass {
    const void *const *options; /* the feature's option struct of each request */
    uint32_t n_requests;        /* at least 1 */
} VmafMetricPass;

/* The largest width or height for kernels whose loops run once for each row or column: Mesa's
 * software device leaves loops after 65535 iterations. */
enum { VMAF_METRIC_MAX_SIDE = 32768 };

/* The results of a request's kernels, in the order in which build added them. */
typedef struct VmafMetricResults {
    const uint64_t *sums;
    const void *const *bytes;
} VmafMetricResults;

typedef struct VmafMetric {
    const char *name;   /* name of the extractor */
    const char *record; /* VMAF_RECORD_* */
    uint32_t record_version;
    uint64_t record_size;                     /* bytes of a record of kind SUMS */
    uint32_t pixel_formats;                   /* set of 1u << VMAF_BACKEND_PIXEL_* */
    uint32_t depth_min, depth_max;            /* bits per sample */
    uint32_t width_min, height_min;           /* smallest luma size in samples */
    uint32_t width_max, height_max;           /* 0: no limit */
    uint32_t planes, ref_before, dist_before; /* the most that any options need */
    /* The feature's options. Those that change the record are honoured, numbers and bools in their
     * range, strings where `admits` accepts them; the host applies all others. */
    const OptionSpec *options;
    size_t options_size; /* bytes of the struct that is passed to the functions below */

    /* Requests that `admits` declines, in words for the documentation ("heat maps"); NULL: none
     * that the library accepts. */
    const char *declines;
    /* Returns true if a request can be computed, for pictures within the limits above; otherwise
     * `why` receives the reason. NULL: every request can be computed. */
    bool (*admits)(const VmafGeometry *geometry, const void *options, VmafBackendReason *why);
    /* Returns true if these admitted requests make one pass, as they do without the last one. NULL:
     * any requests do. */
    bool (*is_pass)(const VmafGeometry *geometry, const VmafMetricPass *pass);
    /* Writes the program of a pass. */
    void (*build)(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass);
    /* Returns the size of a record of kind BYTES. NULL: the record is of kind SUMS. */
    uint64_t (*record_size_of)(const VmafGeometry *geometry, const void *options);
    /* Makes the record from the request's results. */
    void (*decode)(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record);
} VmafMetric;

#define VMAF_METRIC_COUNT(name, record, kind) +1
enum { VMAF_N_METRICS = 0 VMAF_DEVICE_METRICS(VMAF_METRIC_COUNT) };

#define VMAF_METRIC_DECLARE(name, record, kind) extern const VmafMetric vmaf_metric_##name;
VMAF_DEVICE_METRICS(VMAF_METRIC_DECLARE)
extern const VmafMetric *const vmaf_metrics[VMAF_N_METRICS];

/* Returns the metric of that name, or NULL. */
const VmafMetric *vmaf_metric_find(const char *name);
/* Returns VMAF_BACKEND_RECORD_BYTES or VMAF_BACKEND_RECORD_SUMS. */
static inline uint32_t vmaf_metric_record_kind(const VmafMetric *metric)
{
    return metric->record_size_of ? VMAF_BACKEND_RECORD_BYTES : VMAF_BACKEND_RECORD_SUMS;
}

/* Returns the option of that name if it is honoured, else NULL. */
const OptionSpec *vmaf_metric_option(const VmafMetric *metric, const char *name);
/* Returns true if an option of the table is honoured, since it changes the record. */
static inline bool vmaf_metric_honours(const OptionSpec *spec)
{
    return spec->flags & OPTION_ACCUMULATE;
}

#endif
