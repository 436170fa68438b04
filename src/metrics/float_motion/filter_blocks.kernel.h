/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The blocks of float_motion_rows and float_motion_kept, which each includes inside KERNEL_BODY
 * (filter.kernel.h before). A group covers 124 x 16 pixels. Each lane walks down a column of
 * both pictures, with the last five samples of each in registers, and leaves what the filter makes
 * of them in group memory; then it filters along the rows, for one column again. KEEP(to, a, b)
 * takes both filtered values of a pixel.
 */
FIRST
{
    /* Where the rows begin. */
    if (LANE < SPAN) {
        AT(rows, LANE) = reflect(GY * FLOAT_MOTION_ROWS + LANE - RADIUS, p.h) * p.stride;
    }
}
THEN
{
    f32 tap0 = f32_of_bits(p.tap0), tap1 = f32_of_bits(p.tap1), tap2 = f32_of_bits(p.tap2);
    i32 x = reflect(GX * FLOAT_MOTION_COLUMNS + LANE - RADIUS, p.w);
    f32 a0 = F32(0u), a1 = a0, a2 = a0, a3 = a0;
    f32 b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (i32 i = 0; i < SPAN; ++i) {
        u32 at = U32(AT(rows, i) + x);
        f32 a4 = f32_of_i32(I32(AT(earlier, at)) - p.centre);
        f32 b4 = f32_of_i32(I32(AT(ref, at)) - p.centre);
        if (i >= 2 * RADIUS) {
            i32 to = (i - 2 * RADIUS) * LANES + LANE;
            AT(columns, to) = filtered(a0, a1, a2, a3, a4, tap0, tap1, tap2);
            AT(columns, TILE + to) = filtered(b0, b1, b2, b3, b4, tap0, tap1, tap2);
        }
        a0 = a1;
        a1 = a2;
        a2 = a3;
        a3 = a4;
        b0 = b1;
        b1 = b2;
        b2 = b3;
        b3 = b4;
    }
}
THEN
{
    f32 tap0 = f32_of_bits(p.tap0), tap1 = f32_of_bits(p.tap1), tap2 = f32_of_bits(p.tap2);
    i32 x = GX * FLOAT_MOTION_COLUMNS + LANE;
    i32 end = min_i32(p.h - GY * FLOAT_MOTION_ROWS, FLOAT_MOTION_ROWS);
    if (LANE < FLOAT_MOTION_COLUMNS && x < p.w) {
        for (i32 y = 0; y < end; ++y) {
            i32 from = y * LANES + LANE;
            u32 to = U32((GY * FLOAT_MOTION_ROWS + y) * p.w + x);
            f32 a = filtered(AT(columns, from), AT(columns, from + 1), AT(columns, from + 2),
                             AT(columns, from + 3), AT(columns, from + 4), tap0, tap1, tap2);
            from += TILE;
            f32 b = filtered(AT(columns, from), AT(columns, from + 1), AT(columns, from + 2),
                             AT(columns, from + 3), AT(columns, from + 4), tap0, tap1, tap2);
            AT(differences, to) = abs_f32(sub_f32(a, b));
            KEEP(to, a, b)
        }
    }
}
