/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/report_writers.h"

/* As in libvmaf, a missing score leaves no empty field: the columns after it move left. */
void report_write_csv(VmafAtomicFile *file, const Report *report)
{
    uint64_t cursor = 0;
    uint32_t index;

    vmaf_atomic_file_puts(file, "Frame,");
    for (size_t k = 0; k < report->n_columns; k++) {
        report_put_csv_field(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, ",");
    }
    vmaf_atomic_file_puts(file, "\n");

    while (report_next_frame(report, &cursor, &index)) {
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, ",");
        for (size_t k = 0; k < report->n_columns; k++) {
            double score;
            if (!series_get(report->columns[k].scores, index, &score))
                continue;
            report_put_score(file, report, score);
            vmaf_atomic_file_puts(file, ",");
        }
        vmaf_atomic_file_puts(file, "\n");
    }
}
