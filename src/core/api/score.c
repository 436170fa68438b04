/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: scores and reports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "engine/scores.h"
#include "libvmaf/libvmaf_ext.h"

VMAF_API int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                                       unsigned index)
{
    if (!vmaf || !feature_name)
        return -EINVAL;
    return context_import(vmaf, feature_name, index, value);
}

VMAF_API int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index)
{
    if (!vmaf || !model || !score)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "score", TRACE_INDEX(index));
    return predict_at(vmaf, model, index, score);
}

VMAF_API int vmaf_score_at_index_model_collection(VmafContext *vmaf,
                                                  VmafModelCollection *model_collection,
                                                  VmafModelCollectionScore *score, unsigned index)
{
    if (!vmaf || !model_collection || !score)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "score", TRACE_INDEX(index));
    return predict_collection_at(vmaf, model_collection, index, score);
}

VMAF_API int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score,
                                         unsigned index)
{
    if (!vmaf || !feature_name || !score)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "score", TRACE_INDEX(index));
    return context_score(vmaf, feature_name, index, score);
}

VMAF_API int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model,
                               enum VmafPoolingMethod pool_method, double *score,
                               unsigned index_low, unsigned index_high)
{
    if (!vmaf || !model || !score)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "pooled score");
    return predict_pooled(vmaf, model, pool_method, index_low, index_high, score);
}

VMAF_API int vmaf_score_pooled_model_collection(VmafContext *vmaf,
                                                VmafModelCollection *model_collection,
                                                enum VmafPoolingMethod pool_method,
                                                VmafModelCollectionScore *score, unsigned index_low,
                                                unsigned index_high)
{
    if (!vmaf || !model_collection || !score)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "pooled score");
    return predict_collection_pooled(vmaf, model_collection, pool_method, index_low, index_high,
                                     score);
}

VMAF_API int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name,
                                       enum VmafPoolingMethod pool_method, double *score,
                                       unsigned index_low, unsigned index_high)
{
    if (!vmaf || !feature_name || !score)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "pooled score");
    return feature_pooled(vmaf, feature_name, pool_method, index_low, index_high, score);
}

VMAF_API int vmaf_feature_score_statistic(VmafContext *vmaf, const char *feature_name,
                                          const char *statistic, double *value, unsigned index_low,
                                          unsigned index_high)
{
    Statistic parsed;
    if (!vmaf || !feature_name || !statistic || !value ||
        !statistic_parse(&parsed, statistic, strlen(statistic)))
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "pooled score");
    return feature_statistic(vmaf, feature_name, &parsed, index_low, index_high, value);
}

VMAF_API int vmaf_report_statistics(VmafContext *vmaf, const char *statistics)
{
    StatisticList list;
    const int err = statistic_list_parse(&list, statistics);
    if (!err && vmaf)
        vmaf->statistics = list;
    return err;
}

/* To a file, or to a text if there is no path. */
static int write_output(VmafContext *vmaf, const char *output_path, char **text,
                        enum VmafOutputFormat fmt, const char *score_format)
{
    TRACE_CALL(vmaf->trace, "report");
    Report report;
    CollectorView view;
    void *members;
    int err = atomic_load(&vmaf->error);
    if (!err)
        err = context_report(vmaf, &report, &view, &members);
    if (err)
        return err;
    report.score_format = score_format;
    err = output_path ? report_write(&report, output_path, fmt) : report_print(&report, text, fmt);
    collector_view_end(&vmaf->collector, &view);
    free(members);
    return err;
}

VMAF_API int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path,
                                           enum VmafOutputFormat fmt, const char *score_format)
{
    if (!vmaf || !output_path || (score_format && report_check_score_format(score_format)))
        return -EINVAL;
    return write_output(vmaf, output_path, NULL, fmt, score_format);
}

VMAF_API int vmaf_output_text(VmafContext *vmaf, char **text, enum VmafOutputFormat fmt,
                              const char *score_format)
{
    if (!vmaf || !text || (score_format && report_check_score_format(score_format)))
        return -EINVAL;
    *text = NULL;
    return write_output(vmaf, NULL, text, fmt, score_format);
}

VMAF_API int vmaf_write_output(VmafContext *vmaf, const char *output_path,
                               enum VmafOutputFormat fmt)
{
    return vmaf_write_output_with_format(vmaf, output_path, fmt, NULL);
}

VMAF_API int vmaf_score_info(VmafContext *vmaf, unsigned index, VmafScoreInfo *info)
{
    if (!vmaf || !info)
        return -EINVAL;
    VmafScoreInfo all = {0};
    int err = collector_name(&vmaf->collector, index, false, &all.key, &all.name);
    return err ? err : deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_report_column(VmafContext *vmaf, unsigned index, VmafScoreInfo *info)
{
    if (!vmaf || !info)
        return -EINVAL;
    VmafScoreInfo all = {0};
    int err = rows_column(vmaf, index, &all.key, &all.name);
    return err ? err : deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_report_row(VmafContext *vmaf, unsigned index,
                             void (*score)(void *cookie, const char *name, double value),
                             void *cookie)
{
    if (!vmaf)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "report", TRACE_INDEX(index));
    RowScore *scores;
    size_t n;
    int err = rows_wait(vmaf, index);
    if (err || !score)
        return err;
    err = collector_row(&vmaf->collector, index, &scores, &n);
    for (size_t i = 0; i < n; i++)
        score(cookie, scores[i].name, scores[i].value);
    free(scores);
    return err;
}

/* A report as far as lines of it go, until collector_view_end. */
static int begin_lines(VmafContext *vmaf, Report *report, CollectorView *view,
                       const char *score_format)
{
    const int err = collector_view_begin(&vmaf->collector, view);
    if (err)
        return err;
    *report = (Report){
        .n_subsample = vmaf->cfg.n_subsample,
        .picture_count = vmaf->picture_count,
        .n_columns = view->n_columns,
        .columns = view->columns,
        .n_aggregates = view->n_aggregates,
        .aggregates = view->aggregates,
        .statistics = &vmaf->statistics,
        .score_format = score_format,
    };
    return 0;
}

VMAF_API int vmaf_report_row_text(VmafContext *vmaf, unsigned index, double time, char **text,
                                  const char *score_format)
{
    if (!vmaf || !text)
        return -EINVAL;
    *text = NULL;
    TRACE_CALL(vmaf->trace, "report", TRACE_INDEX(index));
    Report report;
    CollectorView view;
    int err = rows_wait(vmaf, index);
    if (!err)
        err = begin_lines(vmaf, &report, &view, score_format);
    if (err)
        return err;
    err = report_print_row(&report, text, index, time);
    collector_view_end(&vmaf->collector, &view);
    return err;
}

VMAF_API int vmaf_report_end_text(VmafContext *vmaf, char **text, const char *score_format)
{
    if (!vmaf || !text)
        return -EINVAL;
    *text = NULL;
    TRACE_CALL(vmaf->trace, "report");
    Report report;
    CollectorView view;
    int err = context_wait(vmaf);
    if (!err)
        err = begin_lines(vmaf, &report, &view, score_format);
    if (err)
        return err;
    err = report_print_end(&report, text);
    collector_view_end(&vmaf->collector, &view);
    return err;
}
