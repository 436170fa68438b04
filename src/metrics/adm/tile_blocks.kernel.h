/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The blocks after the vertical pass, for both kernels: they include this file inside KERNEL_BODY,
 * and define with POSITION_AT how the bands of a position follow from the pool.
 *
 * Variants share everything up to the ratio of coefficients and the angle; what masks and what is
 * visible is their own.
 */

/* Horizontal pass, approximations, decoupling, denominators; contributions to thresholds go into
 * the pool. */
THEN
{
    i32 band_columns = (p.w + 1) >> 1;
    i32 band_rows = (p.h + 1) >> 1;
    UNROLL
    for (i32 k = 0; k < ADM_SUMS(VARIANTS); ++k) {
        MINE(sums)[k] = U64(0);
    }
    UNROLL
    for (i32 k = 0; k <= LANE_COLUMNS; ++k) {
        /* Column and row in the tile with its border. */
        i32 column = LX + k * WX + 1, row = LY + 1;
        if (k == LANE_COLUMNS) {
            i32 sides = LANE - 2 * BORDERED_COLUMNS;
            column = sides >= 0 ? (sides & 1) * (BORDERED_COLUMNS - 1) : LANE % BORDERED_COLUMNS;
            row = sides >= 0 ? (sides >> 1) + 1 : LANE / BORDERED_COLUMNS * (BORDERED_ROWS - 1);
        }
        if (k < LANE_COLUMNS || (LANE < BORDER && TILE_IS_EVALUATED)) {
            i32 x = mirrored_position(TILE_X + column - 1, band_columns) - TILE_X + 1;
            i32 y = mirrored_position(TILE_Y + row - 1, band_rows) - TILE_Y + 1;
            adm_position ref_position = POSITION_AT(0, y, x);
            adm_position dist_position = POSITION_AT(1, y, x);
            i32 at_x = TILE_X + column - 1, at_y = TILE_Y + row - 1;
            if (k < LANE_COLUMNS && p.approx_stride != 0 && at_x < band_columns &&
                at_y < band_rows) {
                u32 at = U32(at_y * p.approx_stride + at_x);
                AT(approx, at) = APPROX_TYPE(ref_position.a);
                AT(approx, at + U32(p.approx_dist)) = APPROX_TYPE(dist_position.a);
            }
            if (TILE_IS_EVALUATED) {
                adm_bands ref_bands, dist_bands;
                ref_bands.h = ref_position.h;
                ref_bands.v = ref_position.v;
                ref_bands.d = ref_position.d;
                dist_bands.h = dist_position.h;
                dist_bands.v = dist_position.v;
                dist_bands.d = dist_position.d;
                adm_rests rests = rests_of(ref_bands, dist_bands);
                adm_limits limits[VARIANTS];
                i32 near = 0;
                UNROLL
                for (i32 v = 0; v < VARIANTS; ++v) {
                    adm_gain gain;
                    gain.mantissa = p.variants[v].gain_mantissa;
                    gain.factor = p.variants[v].gain_factor;
                    gain.shift = p.variants[v].gain_shift;
                    limits[v] = limits_of(rests, gain);
                    near |= is_limited(rests, limits[v]);
                }
                if (near != 0) {
                    near = is_near(ref_bands.h, ref_bands.v, dist_bands.h, dist_bands.v);
                }
                UNROLL
                for (i32 v = 0; v < VARIANTS; ++v) {
                    adm_bands rest = decoupled(ref_bands, rests, limits[v], near);
                    adm_bands added;
                    added.h = I32(U32(dist_position.h) - U32(rest.h));
                    added.v = I32(U32(dist_position.v) - U32(rest.v));
                    added.d = I32(U32(dist_position.d) - U32(rest.d));
                    adm_signal rest_signal =
                        signal_of(rest, p.variants[v].weight_hv, p.variants[v].weight_d);
                    adm_signal added_signal =
                        signal_of(added, p.variants[v].weight_hv, p.variants[v].weight_d);
                    NEIGHBOUR_AT(v, row, column) =
                        U64(rest_signal.neighbours) | U64(added_signal.neighbours) << 32;
                    if (k < LANE_COLUMNS) {
                        i32 at = v * LANE_COLUMNS + k;
                        MINE(weighted)[6 * at] = rest_signal.h;
                        MINE(weighted)[6 * at + 1] = rest_signal.v;
                        MINE(weighted)[6 * at + 2] = rest_signal.d;
                        MINE(weighted)[6 * at + 3] = added_signal.h;
                        MINE(weighted)[6 * at + 4] = added_signal.v;
                        MINE(weighted)[6 * at + 5] = added_signal.d;
                        MINE(centre)[2 * at] = rest_signal.centre;
                        MINE(centre)[2 * at + 1] = added_signal.centre;
                    }
                }
                if (k < LANE_COLUMNS && IS_EVALUATED(at_x, at_y)) {
                    MINE(sums)[0] += REFERENCE_CUBE(ref_position.h);
                    MINE(sums)[1] += REFERENCE_CUBE(ref_position.v);
                    MINE(sums)[2] += REFERENCE_CUBE(ref_position.d);
                }
            }
        }
    }
}
if (TILE_IS_EVALUATED) {
    /* Thresholds, and the energies above them. */
    THEN
    {
        UNROLL
        for (i32 at = 0; at < VARIANTS * LANE_COLUMNS; ++at) {
            i32 v = at / LANE_COLUMNS;
            i32 column = LX + at % LANE_COLUMNS * WX;
            if (IS_EVALUATED(TILE_X + column, TILE_Y + LY)) {
                u32 from_rest = MINE(centre)[2 * at], from_added = MINE(centre)[2 * at + 1];
                UNROLL
                for (i32 j = 0; j < 9; ++j) {
                    u64 parts = NEIGHBOUR_AT(v, LY + j / 3, column + j % 3);
                    from_rest += U32(parts);
                    from_added += U32(parts >> 32);
                }
                UNROLL
                for (i32 band = 0; band < 3; ++band) {
                    i32 sum = ADM_SUMS(v) + band;
                    i32 up = band < 2 ? THRESHOLD_SHIFT_HV : THRESHOLD_SHIFT_D;
                    i32 down = band < 2 ? SQUARE_SHIFT_HV : SQUARE_SHIFT_D;
                    i32 term = band < 2 ? p.term_hv : p.term_d;
                    u32 target = MINE(weighted)[6 * at + band];
                    MINE(sums)[sum] += visible_energy(target, from_added << up, down, term);
                    if (((p.skip_aim >> v) & 1u) == 0u) {
                        target = MINE(weighted)[6 * at + 3 + band];
                        MINE(sums)[sum + 3] += visible_energy(target, from_rest << up, down, term);
                    }
                }
            }
        }
    }
    /* Sums of each row. */
    UNROLL
    for (i32 v = 0; v < VARIANTS; ++v) {
        THEN
        {
            /* One number of turns for all variants: some compilers know a number that depends on v
             * too late to keep the sums in registers. */
            UNROLL
            for (i32 k = 0; k < ADM_SUMS(1); ++k) {
                if (k < SUMS_OF(v)) {
                    AT(pool, LX * SUMS_PITCH + k * TILE_ROWS + LY) = MINE(sums)[FIRST_SUM(v) + k];
                }
            }
        }
        THEN
        {
            /* A lane for each. */
            i32 sum = LANE / TILE_ROWS;
            i32 y = TILE_Y + LANE % TILE_ROWS;
            i32 skipped = ((p.skip_aim >> v) & 1u) != 0u ? 3 : 0;
            if (sum < SUMS_OF(v) - skipped && y >= p.window_y0 && y < p.window_y1) {
                u64 total = U64(0);
                UNROLL
                for (i32 k = 0; k < WX; ++k) {
                    total += AT(pool, k * SUMS_PITCH + LANE);
                }
                i32 column = (FIRST_SUM(v) + sum) * p.partial_columns + GX -
                             (p.window_x0 - p.first_x) / ADM_TILE_COLUMNS;
                AT(partials, column * (p.window_y1 - p.window_y0) + y - p.window_y0) = total;
            }
        }
    }
}
