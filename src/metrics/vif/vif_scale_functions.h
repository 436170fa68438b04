/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * One function for each scale, so that the number of taps is a constant in it and its loops unroll.
 * Included once by a file of kernels, after its functions that take the scale, which it names:
 *
 *   local_variances(out, in, w, scale), decimate_row(out, in, w, scale)
 *   COLUMNS_OF_SCALE(out, window, w, depth, scale), MEANS_OF_SCALE(out, rows, w, depth, scale)
 */
#ifndef METRICS_VIF_VIF_SCALE_FUNCTIONS_H
#define METRICS_VIF_VIF_SCALE_FUNCTIONS_H

#define WINDOW_FUNCTIONS(scale)                                                                    \
    static void filter_columns_##scale(const VifColumnMoments *out, const VifWindow *window,       \
                                       unsigned w, unsigned depth)                                 \
    {                                                                                              \
        COLUMNS_OF_SCALE(out, window, w, depth, scale);                                            \
    }                                                                                              \
    static void local_variances_##scale(const VifVariances *out, const VifColumnMoments *in,       \
                                        unsigned w)                                                \
    {                                                                                              \
        local_variances(out, in, w, scale);                                                        \
    }

#define DECIMATION_FUNCTIONS(scale)                                                                \
    static void decimate_columns_##scale(uint16_t *out, const void *const rows[], unsigned w,      \
                                         unsigned depth)                                           \
    {                                                                                              \
        MEANS_OF_SCALE(out, rows, w, depth, scale);                                                \
    }                                                                                              \
    static void decimate_row_##scale(uint16_t *out, const uint16_t *in, unsigned w)                \
    {                                                                                              \
        decimate_row(out, in, w, scale);                                                           \
    }

WINDOW_FUNCTIONS(0)
WINDOW_FUNCTIONS(1)
WINDOW_FUNCTIONS(2)
WINDOW_FUNCTIONS(3)
DECIMATION_FUNCTIONS(1)
DECIMATION_FUNCTIONS(2)
DECIMATION_FUNCTIONS(3)

#undef WINDOW_FUNCTIONS
#undef DECIMATION_FUNCTIONS

/* Entries of a table of kernels: by scale; the columns also by the samples, of which the bytes are
 * the caller's. */
#define COLUMNS_OF_SCALES filter_columns_0, filter_columns_1, filter_columns_2, filter_columns_3
#define VARIANCES_OF_SCALES                                                                        \
    local_variances_0, local_variances_1, local_variances_2, local_variances_3
#define MEANS_OF_SCALES NULL, decimate_columns_1, decimate_columns_2, decimate_columns_3
#define ROWS_OF_SCALES  NULL, decimate_row_1, decimate_row_2, decimate_row_3

#endif
