/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores by key and frame. */
#include "metrics/framework/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/framework/extractor.h"

struct Column {
    char *key;
    uint32_t hash; /* of the key, to tell keys apart quickly */
    ColumnRank rank;
    size_t serial; /* order of creation */
    size_t place;  /* among all columns: planned ones may have the serial of another */
    bool planned;  /* announced, not created yet */
    Series scores;
};

int collector_init(Collector *collector, const Logger *logger)
{
    *collector = (Collector){.logger = logger};
    return vmaf_mutex_init(&collector->lock) ? -ENOMEM : 0;
}

static void column_destroy(Column *column)
{
    if (!column)
        return;
    series_clear(&column->scores);
    free(column->key);
    free(column);
}

void collector_destroy(Collector *collector)
{
    for (size_t i = 0; i < collector->n_columns; i++)
        column_destroy(collector->columns[i]);
    free(collector->columns);
    for (size_t i = 0; i < collector->n_aggregates; i++)
        free(collector->aggregates[i].name);
    free(collector->aggregates);
    vmaf_mutex_destroy(&collector->lock);
}

/* Makes room for one more element; the array grows by doubling. */
static int grow(void **array, size_t count, size_t *capacity, size_t element_size)
{
    if (count < *capacity)
        return 0;
    size_t larger = *capacity ? *capacity * 2 : 16;
    void *moved = reallocarray(*array, larger, element_size);
    if (!moved)
        return -ENOMEM;
    *array = moved;
    *capacity = larger;
    return 0;
}

/* FNV-1a */
static uint32_t hash_of(const char *key)
{
    uint32_t hash = 2166136261u;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash;
}

static Column *find(const Collector *collector, const char *key)
{
    uint32_t hash = hash_of(key);
    for (size_t i = 0; i < collector->n_columns; i++) {
        Column *column = collector->columns[i];
        if (column->hash == hash && !strcmp(column->key, key))
            return column;
    }
    return NULL;
}

static Column *column_create(const char *key, ColumnRank rank, size_t serial)
{
    Column *column = calloc(1, sizeof(*column));
    if (!column)
        return NULL;
    column->key = strdup(key);
    if (!column->key) {
        free(column);
        return NULL;
    }
    column->hash = hash_of(key);
    column->rank = rank;
    column->serial = serial;
    series_init(&column->scores);
    return column;
}

static int add_column(Collector *collector, const char *key, ColumnRank rank, Column **column)
{
    if (grow((void **)&collector->columns, collector->n_columns, &collector->columns_capacity,
             sizeof(Column *)))
        return -ENOMEM;
    *column = column_create(key, rank, collector->n_columns);
    if (!*column)
        return -ENOMEM;
    (*column)->place = collector->n_columns;
    collector->columns[collector->n_columns++] = *column;
    return 0;
}

static int find_or_create(Collector *collector, const char *key, ColumnRank rank, Column **column)
{
    *column = find(collector, key);
    if (*column && !(*column)->planned)
        return 0;
    const int err = *column ? 0 : add_column(collector, key, rank, column);
    if (err)
        return err;
    (*column)->planned = false;
    (*column)->rank = rank;
    (*column)->serial = collector->n_created++;
    return 0;
}

int collector_plan(Collector *collector, const char *key, ColumnRank rank)
{
    Column *column;
    int err = 0;
    vmaf_mutex_lock(&collector->lock);
    if (!find(collector, key)) {
        err = add_column(collector, key, rank, &column);
        if (!err)
            column->planned = true;
    }
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

static int put(Collector *collector, Column *column, unsigned index, double value)
{
    int err = series_put(&column->scores, index, value);
    if (err != -EEXIST)
        return err;
    log_message(collector->logger, VMAF_LOG_LEVEL_WARNING,
                "feature \"%s\" cannot be overwritten at index %u", column->key, index);
    return -EINVAL;
}

int collector_column(Collector *collector, const char *key, ColumnRank rank, Column **column)
{
    vmaf_mutex_lock(&collector->lock);
    int err = find_or_create(collector, key, rank, column);
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

int collector_put(Collector *collector, Column *column, unsigned index, double value)
{
    vmaf_mutex_lock(&collector->lock);
    int err = put(collector, column, index, value);
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

int collector_put_key(Collector *collector, const char *key, ColumnRank rank, unsigned index,
                      double value)
{
    Column *column;
    vmaf_mutex_lock(&collector->lock);
    int err = find_or_create(collector, key, rank, &column);
    if (!err)
        err = put(collector, column, index, value);
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

int collector_keep_key(Collector *collector, const char *key, ColumnRank rank, unsigned index,
                       double value)
{
    Column *column;
    vmaf_mutex_lock(&collector->lock);
    int err = find_or_create(collector, key, rank, &column);
    if (!err)
        err = series_put(&column->scores, index, value);
    vmaf_mutex_unlock(&collector->lock);
    return err == -EEXIST ? 0 : err;
}

int collector_get(Collector *collector, const char *key, unsigned index, double *value)
{
    vmaf_mutex_lock(&collector->lock);
    const Column *column = find(collector, key);
    bool found = column && series_get(&column->scores, index, value);
    vmaf_mutex_unlock(&collector->lock);
    return found ? 0 : -EINVAL;
}

int collector_pool(Collector *collector, const char *key, unsigned low, unsigned high,
                   unsigned n_subsample, Pooled *pooled)
{
    vmaf_mutex_lock(&collector->lock);
    const Column *column = find(collector, key);
    int err = column ? pool_series(&column->scores, low, high, n_subsample, pooled) : -EINVAL;
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

int collector_pool_statistic(Collector *collector, const char *key, unsigned low, unsigned high,
                             unsigned n_subsample, const Statistic *statistic, double *value)
{
    const StatisticList list = {.count = 1, .items = {*statistic}};
    double *scratch = calloc(pool_sample_count(low, high, n_subsample) + 1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    vmaf_mutex_lock(&collector->lock);
    const Column *column = find(collector, key);
    const int err =
        column ? pool_statistics(&column->scores, low, high, n_subsample, &list, scratch, value)
               : -EINVAL;
    vmaf_mutex_unlock(&collector->lock);
    free(scratch);
    return err;
}

static int set_aggregate(Collector *collector, const char *name, double value)
{
    for (size_t i = 0; i < collector->n_aggregates; i++) {
        if (!strcmp(collector->aggregates[i].name, name))
            return collector->aggregates[i].value == value ? 0 : -EINVAL;
    }
    if (grow((void **)&collector->aggregates, collector->n_aggregates,
             &collector->aggregates_capacity, sizeof(Aggregate)))
        return -ENOMEM;
    char *copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    collector->aggregates[collector->n_aggregates++] = (Aggregate){copy, value};
    return 0;
}

int collector_set_aggregate(Collector *collector, const char *name, double value)
{
    vmaf_mutex_lock(&collector->lock);
    int err = set_aggregate(collector, name, value);
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

void collector_stamp(Collector *collector)
{
    const int64_t now = vmaf_clock_us();
    vmaf_mutex_lock(&collector->lock);
    if (!collector->stamped)
        collector->first_us = now;
    collector->last_us = now;
    collector->stamped = true;
    vmaf_mutex_unlock(&collector->lock);
}

static int compare_columns(const void *a, const void *b)
{
    const Column *x = *(const Column *const *)a, *y = *(const Column *const *)b;
    if (x->rank.class != y->rank.class)
        return x->rank.class < y->rank.class ? -1 : 1;
    if (x->rank.event != y->rank.event)
        return x->rank.event < y->rank.event ? -1 : 1;
    if (x->rank.ordinal != y->rank.ordinal)
        return x->rank.ordinal < y->rank.ordinal ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    /* Not every qsort leaves those in their order that compare equal. */
    return x->place < y->place ? -1 : x->place > y->place;
}

/* What reports call a column: its alias, unless a score was imported under that name. */
static const char *report_name(const Collector *collector, const char *key)
{
    const char *alias = feature_alias(key);
    const Column *other = alias == key ? NULL : find(collector, alias);
    return other && !other->planned ? key : alias;
}

/* Columns that have scores, or are planned, in the order of reports, in an array with room for all.
 */
static size_t sort_columns(const Collector *collector, bool with_planned, const Column **sorted)
{
    size_t n_sorted = 0;
    for (size_t i = 0; i < collector->n_columns; i++) {
        const Column *column = collector->columns[i];
        if (column->scores.count || (with_planned && column->planned))
            sorted[n_sorted++] = column;
    }
    qsort(sorted, n_sorted, sizeof(*sorted), compare_columns);
    return n_sorted;
}

int collector_name(Collector *collector, size_t index, bool with_planned, const char **key,
                   const char **name)
{
    vmaf_mutex_lock(&collector->lock);
    const Column **sorted = calloc(collector->n_columns + 1, sizeof(*sorted));
    int err = sorted ? 0 : -ENOMEM;
    if (!err && index >= sort_columns(collector, with_planned, sorted))
        err = -ERANGE;
    if (!err) {
        *key = sorted[index]->key;
        *name = report_name(collector, sorted[index]->key);
    }
    free(sorted);
    vmaf_mutex_unlock(&collector->lock);
    return err;
}

int collector_row(Collector *collector, unsigned index, RowScore **scores, size_t *n)
{
    CollectorView view;
    *scores = NULL;
    *n = 0;
    int err = collector_view_begin(collector, &view);
    if (err)
        return err;
    *scores = calloc(view.n_columns + 1, sizeof(**scores));
    err = *scores ? 0 : -ENOMEM;
    for (size_t i = 0; i < view.n_columns && !err; i++) {
        RowScore *score = &(*scores)[*n];
        if (series_get(view.columns[i].scores, index, &score->value)) {
            score->name = view.columns[i].name;
            ++*n;
        }
    }
    collector_view_end(collector, &view);
    return err;
}

int collector_view_begin(Collector *collector, CollectorView *view)
{
    vmaf_mutex_lock(&collector->lock);
    *view = (CollectorView){
        .columns = calloc(collector->n_columns + 1, sizeof(*view->columns)),
        .aggregates = calloc(collector->n_aggregates + 1, sizeof(*view->aggregates)),
    };
    const Column **sorted = calloc(collector->n_columns + 1, sizeof(*sorted));
    if (!view->columns || !view->aggregates || !sorted) {
        free(sorted);
        collector_view_end(collector, view);
        return -ENOMEM;
    }

    const size_t n_sorted = sort_columns(collector, false, sorted);
    for (size_t i = 0; i < n_sorted; i++)
        view->columns[i] =
            (ScoreColumn){report_name(collector, sorted[i]->key), &sorted[i]->scores};
    view->n_columns = n_sorted;
    free(sorted);

    for (size_t i = 0; i < collector->n_aggregates; i++)
        view->aggregates[i] =
            (ScoreAggregate){collector->aggregates[i].name, collector->aggregates[i].value};
    view->n_aggregates = collector->n_aggregates;

    /* In whole microseconds, as in libvmaf. */
    view->seconds = (double)(collector->last_us - collector->first_us) / 1e6;
    return 0;
}

void collector_view_end(Collector *collector, CollectorView *view)
{
    free(view->columns);
    free(view->aggregates);
    *view = (CollectorView){0};
    vmaf_mutex_unlock(&collector->lock);
}
