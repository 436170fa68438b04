/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "metrics/framework/collector.h"

static const Logger silent = {VMAF_LOG_LEVEL_NONE};

static void put(Collector *c, const char *key, ColumnRank rank, unsigned index, double value)
{
    assert_int_equal(collector_put_key(c, key, rank, index, value), 0);
}

CASE(given_a_score_when_written_again_then_the_first_stays)
{
    Collector c;
    assert_int_equal(collector_init(&c, &silent), 0);
    put(&c, "x", (ColumnRank){0}, 7, 1.5);
    assert_int_equal(collector_put_key(&c, "x", (ColumnRank){0}, 7, 2), -EINVAL);
    double value = 0;
    assert_int_equal(collector_get(&c, "x", 7, &value), 0);
    assert_true(value == 1.5);
    assert_int_equal(collector_get(&c, "x", 6, &value), -EINVAL);
    assert_int_equal(collector_get(&c, "y", 7, &value), -EINVAL);
    collector_destroy(&c);
}

CASE(given_columns_made_in_any_order_when_viewed_then_serial_order)
{
    Collector c;
    assert_int_equal(collector_init(&c, &silent), 0);
    put(&c, "vmaf", (ColumnRank){COLUMN_AFTER, 0, 0}, 0, 1);
    put(&c, "VMAF_integer_feature_motion2_score", (ColumnRank){COLUMN_FLUSH, 0, 1}, 0, 1);
    put(&c, "late of first", (ColumnRank){COLUMN_FLUSH, 0, 0}, 0, 1);
    put(&c, "second frame", (ColumnRank){COLUMN_FRAME, 3, 0}, 0, 1);
    put(&c, "import after first frame", (ColumnRank){COLUMN_FRAME, 2, 0}, 0, 1);
    put(&c, "psnr_y", (ColumnRank){COLUMN_FRAME, 1, 5}, 0, 1);
    put(&c, "psnr_cb", (ColumnRank){COLUMN_FRAME, 1, 5}, 0, 1);
    put(&c, "first extractor", (ColumnRank){COLUMN_FRAME, 1, 0}, 0, 1);
    put(&c, "import", (ColumnRank){COLUMN_FRAME, 0, 0}, 0, 1);
    put(&c, "bagging", (ColumnRank){COLUMN_AFTER, 0, 0}, 0, 1);
    Column *empty;
    assert_int_equal(collector_column(&c, "never written", (ColumnRank){0}, &empty), 0);

    static const char *const expected[] = {
        "import",       "first extractor", "psnr_y",          "psnr_cb", "import after first frame",
        "second frame", "late of first",   "integer_motion2", "vmaf",    "bagging",
    };
    CollectorView view;
    assert_int_equal(collector_view_begin(&c, &view), 0);
    assert_int_equal(view.n_columns, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < view.n_columns; i++)
        assert_string_equal(view.columns[i].name, expected[i]);
    collector_view_end(&c, &view);
    collector_destroy(&c);
}

CASE(given_an_import_under_a_report_name_then_no_name_is_used_twice)
{
    Collector c;
    assert_int_equal(collector_init(&c, &silent), 0);
    put(&c, "VMAF_feature_adm2_score", (ColumnRank){0}, 0, 1);
    put(&c, "VMAF_feature_vif_scale0_score", (ColumnRank){0}, 0, 1);
    put(&c, "adm2", (ColumnRank){0}, 0, 1);
    CollectorView view;
    assert_int_equal(collector_view_begin(&c, &view), 0);
    assert_int_equal(view.n_columns, 3);
    assert_string_equal(view.columns[0].name, "VMAF_feature_adm2_score");
    assert_string_equal(view.columns[1].name, "vif_scale0");
    assert_string_equal(view.columns[2].name, "adm2");
    collector_view_end(&c, &view);
    collector_destroy(&c);
}

CASE(given_aggregates_then_only_equal_repetitions_are_accepted)
{
    Collector c;
    assert_int_equal(collector_init(&c, &silent), 0);
    assert_int_equal(collector_set_aggregate(&c, "apsnr_y", 40), 0);
    assert_int_equal(collector_set_aggregate(&c, "apsnr_cb", -INFINITY), 0);
    assert_int_equal(collector_set_aggregate(&c, "apsnr_y", 40), 0);
    assert_int_equal(collector_set_aggregate(&c, "apsnr_cb", -INFINITY), 0);
    assert_int_equal(collector_set_aggregate(&c, "apsnr_y", 41), -EINVAL);
    CollectorView view;
    assert_int_equal(collector_view_begin(&c, &view), 0);
    assert_int_equal(view.n_aggregates, 2);
    assert_string_equal(view.aggregates[0].name, "apsnr_y");
    assert_true(view.aggregates[0].value == 40);
    assert_true(isinf(view.aggregates[1].value));
    collector_view_end(&c, &view);
    collector_destroy(&c);
}

CASE(given_scores_when_pooled_by_key_then_missing_keys_are_refused)
{
    Collector c;
    assert_int_equal(collector_init(&c, &silent), 0);
    for (unsigned i = 0; i < 1000; i++)
        put(&c, "x", (ColumnRank){0}, 999 - i, i);
    Pooled pooled;
    assert_int_equal(collector_pool(&c, "x", 0, 999, 0, &pooled), 0);
    assert_true(pooled.mean == 499.5 && pooled.max == 999);
    assert_int_equal(collector_pool(&c, "x", 0, 1000, 0, &pooled), -EINVAL);
    assert_int_equal(collector_pool(&c, "y", 0, 1, 0, &pooled), -EINVAL);
    collector_destroy(&c);
}

CASE(given_planned_columns_then_they_decide_nothing)
{
    Collector c;
    const char *key, *name;
    CollectorView view;
    assert_int_equal(collector_init(&c, &silent), 0);
    put(&c, "first", (ColumnRank){COLUMN_FRAME, 1, 1}, 0, 1);
    assert_int_equal(collector_plan(&c, "never", (ColumnRank){COLUMN_FRAME, 1, 0}), 0);
    assert_int_equal(collector_plan(&c, "psnr_y", (ColumnRank){COLUMN_FRAME, 1, 0}), 0);
    assert_int_equal(collector_plan(&c, "first", (ColumnRank){COLUMN_FLUSH, 1, 9}), 0);
    /* Would hide an alias if it had scores. */
    assert_int_equal(collector_plan(&c, "integer_motion2", (ColumnRank){COLUMN_FLUSH, 0, 0}), 0);
    put(&c, "VMAF_integer_feature_motion2_score", (ColumnRank){COLUMN_FRAME, 1, 0}, 0, 1);
    /* It comes with another rank, and after the others of that. */
    put(&c, "psnr_y", (ColumnRank){COLUMN_FRAME, 1, 1}, 0, 1);

    static const char *const announced[] = {"never", "integer_motion2", "first", "psnr_y",
                                            "integer_motion2"};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(collector_name(&c, i, true, &key, &name), 0);
        assert_string_equal(name, announced[i]);
    }
    assert_int_equal(collector_name(&c, 5, true, &key, &name), -ERANGE);
    assert_int_equal(collector_name(&c, 2, false, &key, &name), 0);
    assert_string_equal(key, "psnr_y");
    assert_int_equal(collector_name(&c, 3, false, &key, &name), -ERANGE);
    assert_int_equal(collector_view_begin(&c, &view), 0);
    assert_int_equal(view.n_columns, 3);
    assert_string_equal(view.columns[0].name, "integer_motion2");
    assert_string_equal(view.columns[1].name, "first");
    assert_string_equal(view.columns[2].name, "psnr_y");
    collector_view_end(&c, &view);
    collector_destroy(&c);
}

CASE(given_a_score_to_keep_when_it_is_there_then_nothing_happens)
{
    Collector c;
    double value;
    assert_int_equal(collector_init(&c, &silent), 0);
    assert_int_equal(collector_keep_key(&c, "x", (ColumnRank){0}, 3, 1.5), 0);
    assert_int_equal(collector_keep_key(&c, "x", (ColumnRank){0}, 3, 2.5), 0);
    assert_int_equal(collector_get(&c, "x", 3, &value), 0);
    assert_true(value == 1.5);
    collector_destroy(&c);
}

CASE(given_a_row_then_the_scores_that_are_there_in_order)
{
    Collector c;
    RowScore *row;
    size_t n;
    assert_int_equal(collector_init(&c, &silent), 0);
    put(&c, "b", (ColumnRank){COLUMN_FRAME, 1, 1}, 0, 1);
    put(&c, "a", (ColumnRank){COLUMN_FRAME, 1, 0}, 0, 2);
    put(&c, "a", (ColumnRank){COLUMN_FRAME, 1, 0}, 1, 3);
    assert_int_equal(collector_row(&c, 0, &row, &n), 0);
    assert_int_equal(n, 2);
    assert_string_equal(row[0].name, "a");
    assert_true(row[0].value == 2 && row[1].value == 1);
    free(row);
    assert_int_equal(collector_row(&c, 1, &row, &n), 0);
    assert_int_equal(n, 1);
    free(row);
    assert_int_equal(collector_row(&c, 2, &row, &n), 0);
    assert_int_equal(n, 0);
    free(row);
    collector_destroy(&c);
}
