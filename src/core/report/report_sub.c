/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/report_writers.h"

/* MicroDVD subtitles: {first frame}{last frame}text, '|' breaks a line on the screen. */
void report_write_sub(VmafAtomicFile *file, const Report *report)
{
    uint64_t cursor = 0;
    uint32_t index;

    while (report_next_frame(report, &cursor, &index)) {
        vmaf_atomic_file_puts(file, "{");
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, "}{");
        report_put_unsigned(file, (uint64_t)index + 1);
        vmaf_atomic_file_puts(file, "}frame: ");
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, "|");
        for (size_t k = 0; k < report->n_columns; k++) {
            double score;
            if (!series_get(report->columns[k].scores, index, &score))
                continue;
            report_put_line_text(file, report->columns[k].name);
            vmaf_atomic_file_puts(file, ": ");
            report_put_score(file, report, score);
            vmaf_atomic_file_puts(file, "|");
        }
        vmaf_atomic_file_puts(file, "\n");
    }
}
