/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_COLLECTOR_H
#define METRICS_FRAMEWORK_COLLECTOR_H

/*
 * The store of scores: key x frame index -> double, and aggregates of the whole run. Synchronised:
 * workers write while the caller reads.
 */

#include <stdbool.h>
#include <stdint.h>

#include "metrics/framework/pooling.h"
#include "platform/thread.h"
#include "support/log.h"
#include "support/series.h"

/*
 * Columns of reports are in the order in which a run without workers, which writes late scores only
 * at the flush, would first have written them. The rank says when that is.
 */
enum ColumnClass {
    COLUMN_FRAME, /* while frames are read; by event, then by extractor */
    COLUMN_FLUSH, /* at the end of the stream; by extractor */
    COLUMN_AFTER, /* predictions, and imports after the flush; in the order of their creation */
};

typedef struct ColumnRank {
    enum ColumnClass class;
    uint64_t event; /* COLUMN_FRAME: 2 n + 1 for frame n in the order of calls, 2 n for calls before
                       it */
    unsigned ordinal; /* of the extractor instance */
} ColumnRank;

typedef struct Column Column;

typedef struct Aggregate {
    char *name;
    double value;
} Aggregate;

typedef struct Collector {
    VmafMutex lock;
    const Logger *logger;
    Column **columns;
    size_t n_columns, columns_capacity, n_created; /* by scores, not planned alone */
    Aggregate *aggregates;
    size_t n_aggregates, aggregates_capacity;
    bool stamped;
    int64_t first_us, last_us; /* vmaf_clock_us of the first and of the last score */
} Collector;

/* `logger` must outlive the collector. 0, -ENOMEM. */
int collector_init(Collector *collector, const Logger *logger);
void collector_destroy(Collector *collector);

/* The column of a key, created if there is none; it lives as long as the collector. 0, -ENOMEM. */
int collector_column(Collector *collector, const char *key, ColumnRank rank, Column **column);
/* 0; -EINVAL with a warning if the index has a score, which is kept; -ENOMEM. */
int collector_put(Collector *collector, Column *column, unsigned index, double value);
/* collector_column and collector_put in one. */
int collector_put_key(Collector *collector, const char *key, ColumnRank rank, unsigned index,
                      double value);
/* The same for a value that is a function of others: a score that is there is not put again. */
int collector_keep_key(Collector *collector, const char *key, ColumnRank rank, unsigned index,
                       double value);
/* 0; -EINVAL if there is no such score. */
int collector_get(Collector *collector, const char *key, unsigned index, double *value);
int collector_pool(Collector *collector, const char *key, unsigned low, unsigned high,
                   unsigned n_subsample, Pooled *pooled);
int collector_pool_statistic(Collector *collector, const char *key, unsigned low, unsigned high,
                             unsigned n_subsample, const Statistic *statistic, double *value);
/* 0, also if the same value is set again; -EINVAL for another value; -ENOMEM. */
int collector_set_aggregate(Collector *collector, const char *name, double value);
/* Announces a column that is expected to be created with this rank, which decides nothing. 0,
 * -ENOMEM. */
int collector_plan(Collector *collector, const char *key, ColumnRank rank);
/* Key and report name of column `index` of those that have scores, or are announced, in the order
 * of reports; both live as long as the collector. 0; -ERANGE past the last one; -ENOMEM. */
int collector_name(Collector *collector, size_t index, bool with_planned, const char **key,
                   const char **name);

typedef struct RowScore {
    const char *name; /* in reports; lives as long as the collector */
    double value;
} RowScore;

/* The scores of a frame (free) in the order of reports. 0; -ENOMEM: none. */
int collector_row(Collector *collector, unsigned index, RowScore **scores, size_t *n);

/* Records the processor time, from which reports derive the frame rate. */
void collector_stamp(Collector *collector);

/*
 * A view for reports: columns that have scores, in order, and aggregates. Arrays belong to the
 * view; scores may not change before collector_view_end, so writers wait. 0, -ENOMEM.
 */
typedef struct CollectorView {
    ScoreColumn *columns;
    size_t n_columns;
    ScoreAggregate *aggregates;
    size_t n_aggregates;
    double seconds; /* between the first and the last score, by vmaf_clock_us */
} CollectorView;

int collector_view_begin(Collector *collector, CollectorView *view);
void collector_view_end(Collector *collector, CollectorView *view);

#endif
