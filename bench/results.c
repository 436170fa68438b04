/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

json_t *bench_results_new(const BenchCalibration *c)
{
    return json_pack("{s:{s:f,s:f,s:f},s:[]}", "calibration", "scalar_ms", c->scalar, "vector_ms",
                     c->vector, "copy_ms", c->copy, "results");
}

static double calibration_of(const json_t *results, const char *name)
{
    return json_number_value(json_object_get(json_object_get(results, "calibration"), name));
}

void bench_results_print_head(const BenchCalibration *c, const json_t *earlier)
{
    printf("calibration: scalar %.2f ms, vector %.2f ms, copy %.2f ms\n", c->scalar, c->vector,
           c->copy);
    if (earlier)
        printf("compared with: scalar %.2f ms, vector %.2f ms, copy %.2f ms\n",
               calibration_of(earlier, "scalar_ms"), calibration_of(earlier, "vector_ms"),
               calibration_of(earlier, "copy_ms"));
    printf("\n%-16s %-10s %5s %7s %7s | %9s %9s | %9s %9s | %8s%s\n", "ms per frame", "size",
           "depth", "threads", "cpumask", "cpu min", "median", "wall min", "median", "MiB",
           earlier ? " | ratio" : "");
}

/* True if the members that identify a measurement are equal. */
static int is_same_subject(const json_t *a, const json_t *b)
{
    static const char *const members[] = {"subject", "size", "depth", "threads", "cpumask"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i)
        if (!json_equal(json_object_get(a, members[i]), json_object_get(b, members[i])))
            return 0;
    return 1;
}

/*
 * Processor time now over processor time then, each in units of the vector calibration: 1 means as
 * fast as before, whatever the machines. 0 if there is no earlier measurement.
 */
static double ratio_of(const json_t *results, const json_t *earlier, const json_t *line)
{
    size_t i;
    json_t *old;
    json_array_foreach(json_object_get(earlier, "results"), i, old)
    {
        const double unit_now = calibration_of(results, "vector_ms");
        const double unit_then = calibration_of(earlier, "vector_ms");
        const double now = json_number_value(json_object_get(line, "cpu_median_ms"));
        const double then = json_number_value(json_object_get(old, "cpu_median_ms"));
        if (is_same_subject(line, old) && then > 0 && unit_now > 0)
            return now / unit_now / (then / unit_then);
    }
    return 0;
}

int bench_results_add(json_t *results, const json_t *earlier, const BenchSubject *subject,
                      const SynthClip *clip, const BenchFigures *figures)
{
    char size[32];
    snprintf(size, sizeof size, "%ux%u", clip->width, clip->height);
    json_t *line = json_pack("{s:s,s:s,s:i,s:i,s:I,s:i,s:f,s:f,s:f,s:f,s:f}", "subject",
                             subject->name, "size", size, "depth", (int)clip->depth, "threads",
                             (int)subject->threads, "cpumask", (json_int_t)subject->cpumask,
                             "frames", (int)subject->frames, "cpu_min_ms", figures->cpu_min,
                             "cpu_median_ms", figures->cpu_median, "wall_min_ms", figures->wall_min,
                             "wall_median_ms", figures->wall_median, "memory_mib", figures->memory);
    if (!line)
        return -ENOMEM;
    printf("%-16s %-10s %5u %7u %7llu | %9.3f %9.3f | %9.3f %9.3f | %8.1f", subject->name, size,
           clip->depth, subject->threads, (unsigned long long)subject->cpumask, figures->cpu_min,
           figures->cpu_median, figures->wall_min, figures->wall_median, figures->memory);
    const double ratio = ratio_of(results, earlier, line);
    if (ratio > 0)
        printf(" | %5.2f", ratio);
    printf("\n");
    fflush(stdout);
    return json_array_append_new(json_object_get(results, "results"), line) ? -ENOMEM : 0;
}
