/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The blocks of both kernels, which include this file as their body. */
FIRST
{
    for (i32 task = LANE; task < 2 * SEGMENTS * COLUMNS; task += LANES) {
        i32 column = task % COLUMNS;
        i32 segment = task / COLUMNS % SEGMENTS;
        i32 picture = task / (SEGMENTS * COLUMNS);
        i32 sample_x = mirrored_sample(2 * TILE_X - 3 + column, p.w);
        i32 first_y = 2 * (TILE_Y + segment * ROWS) - 3;
        f32 x2 = SAMPLE_AT(picture, mirrored_sample(first_y, p.h), sample_x);
        f32 x3 = SAMPLE_AT(picture, mirrored_sample(first_y + 1, p.h), sample_x);
        for (i32 k = 0; k < ROWS; ++k) {
            f32 x0 = x2, x1 = x3;
            x2 = SAMPLE_AT(picture, mirrored_sample(first_y + 2 * k + 2, p.h), sample_x);
            x3 = SAMPLE_AT(picture, mirrored_sample(first_y + 2 * k + 3, p.h), sample_x);
            i32 row = segment * ROWS + k;
            COLUMN_AT(picture, LOW, row, column) = low_pass(x0, x1, x2, x3);
            COLUMN_AT(picture, HIGH, row, column) = high_pass(x0, x1, x2, x3);
        }
    }
}
/* The horizontal pass. Positions of the border beyond the bands repeat others. */
THEN
{
    i32 band_columns = (p.w + 1) >> 1;
    i32 band_rows = (p.h + 1) >> 1;
    for (i32 task = LANE; task < 2 * BORDERED; task += LANES) {
        i32 picture = task / BORDERED;
        i32 i = task % BORDERED;
        i32 at_x = TILE_X + i % BORDERED_COLUMNS - 1;
        i32 at_y = TILE_Y + i / BORDERED_COLUMNS - 1;
        i32 column = 2 * (mirrored_position(at_x, band_columns) - TILE_X + 1);
        i32 row = mirrored_position(at_y, band_rows) - TILE_Y + 1;
        f32 low0 = COLUMN_AT(picture, LOW, row, column);
        f32 low1 = COLUMN_AT(picture, LOW, row, column + 1);
        f32 low2 = COLUMN_AT(picture, LOW, row, column + 2);
        f32 low3 = COLUMN_AT(picture, LOW, row, column + 3);
        if (p.approx_stride != 0 && at_x >= TILE_X && at_x < TILE_X + TILE_COLUMNS &&
            at_y >= TILE_Y && at_y < TILE_Y + TILE_ROWS && at_x < band_columns &&
            at_y < band_rows) {
            AT(approx, U32(picture * p.approx_dist + at_y * p.approx_stride + at_x)) =
                low_pass(low0, low1, low2, low3);
        }
        if (p.variants > 0 && TILE_IS_EVALUATED) {
            BAND_AT(picture, BAND_V, i) = high_pass(low0, low1, low2, low3);
            f32 high0 = COLUMN_AT(picture, HIGH, row, column);
            f32 high1 = COLUMN_AT(picture, HIGH, row, column + 1);
            f32 high2 = COLUMN_AT(picture, HIGH, row, column + 2);
            f32 high3 = COLUMN_AT(picture, HIGH, row, column + 3);
            BAND_AT(picture, BAND_H, i) = low_pass(high0, high1, high2, high3);
            BAND_AT(picture, BAND_D, i) = high_pass(high0, high1, high2, high3);
        }
    }
}
if (TILE_IS_EVALUATED) {
    for (i32 v = 0; v < p.variants; ++v) {
        /* Decoupling, terms of the reference. */
        THEN
        {
            u32 flags = AT(variants, v).flags;
            for (i32 i = LANE; i < BORDERED; i += LANES) {
                i32 near = is_near(BAND_AT(0, BAND_H, i), BAND_AT(0, BAND_V, i),
                                   BAND_AT(1, BAND_H, i), BAND_AT(1, BAND_V, i));
                i32 column = i % BORDERED_COLUMNS - 1, row = i / BORDERED_COLUMNS - 1;
                i32 at_x = TILE_X + column, at_y = TILE_Y + row;
                i32 is_own = column >= 0 && column < TILE_COLUMNS && row >= 0 && row < TILE_ROWS &&
                                     IS_EVALUATED(at_x, at_y)
                                 ? 1
                                 : 0;
                for (i32 band = 0; band < FLOAT_ADM_BANDS; ++band) {
                    f32 o = BAND_AT(0, band, i), t = BAND_AT(1, band, i);
                    f32 rest = limited_ratio(o, t);
                    if (near != 0 && is_equal_f32(rest, F32(0u)) == 0) {
                        f32 limit = F32(0u);
                        if ((flags & FLOAT_ADM_WIDE_GAIN) != 0u) {
                            limit =
                                amplified(rest, AT(variants, v).gain_upper,
                                          AT(variants, v).gain_lower, AT(variants, v).gain_unit);
                        } else {
                            limit = mul_f32(rest, f32_of_bits(AT(variants, v).gain));
                        }
                        rest = nearer(rest, limit, t);
                    }
                    f32 weight = f32_of_bits(band == BAND_D ? AT(variants, v).weight_d
                                                            : AT(variants, v).weight_hv);
                    f32 restored = abs_f32(mul_f32(weight, rest));
                    f32 added = abs_f32(mul_f32(weight, sub_f32(t, rest)));
                    MAGNITUDE_AT(RESTORED, band, i) = restored;
                    MAGNITUDE_AT(ADDED, band, i) = added;
                    MASKING_AT(RESTORED, band, i) = neighbour_masking(restored);
                    MASKING_AT(ADDED, band, i) = neighbour_masking(added);
                    if (is_own != 0 && (flags & FLOAT_ADM_WRITES_DEN) != 0u) {
                        i32 plane = AT(variants, v).den + band;
                        AT(terms, TERM_OF(plane, at_x, at_y)) =
                            cubed(abs_f32(mul_f32(weight, o)), flags);
                    }
                }
            }
        }
        /* Thresholds, and what exceeds them. */
        THEN
        {
            u32 flags = AT(variants, v).flags;
            i32 at_x = TILE_X + LX, at_y = TILE_Y + LY;
            i32 above = LY * BORDERED_COLUMNS + LX + 1;
            i32 here = above + BORDERED_COLUMNS, below = here + BORDERED_COLUMNS;
            if (IS_EVALUATED(at_x, at_y)) {
                for (i32 signal = 0; signal < 2; ++signal) {
                    i32 masker = 1 - signal;
                    f32 threshold = F32(0u);
                    if ((flags & FLOAT_ADM_NO_MASKING) == 0u) {
                        for (i32 band = 0; band < FLOAT_ADM_BANDS; ++band) {
                            f32 sum = add_f32(MASKING_AT(masker, band, above - 1),
                                              MASKING_AT(masker, band, above));
                            sum = add_f32(sum, MASKING_AT(masker, band, above + 1));
                            sum = add_f32(sum, MASKING_AT(masker, band, here - 1));
                            sum = add_own_masking(sum, MAGNITUDE_AT(masker, band, here));
                            sum = add_f32(sum, MASKING_AT(masker, band, here + 1));
                            sum = add_f32(sum, MASKING_AT(masker, band, below - 1));
                            sum = add_f32(sum, MASKING_AT(masker, band, below));
                            sum = add_f32(sum, MASKING_AT(masker, band, below + 1));
                            threshold = add_f32(threshold, sum);
                        }
                    }
                    for (i32 band = 0; band < FLOAT_ADM_BANDS; ++band) {
                        f32 excess = sub_f32(MAGNITUDE_AT(signal, band, here), threshold);
                        i32 plane = AT(variants, v).visible + signal * FLOAT_ADM_BANDS + band;
                        AT(terms, TERM_OF(plane, at_x, at_y)) =
                            cubed(max_f32(excess, F32(0u)), flags);
                    }
                }
            }
        }
    }
}
