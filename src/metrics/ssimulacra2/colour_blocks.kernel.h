/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The blocks of a kernel that makes XYB of a scale, and linear RGB of the next one: a lane does two
 * by two pixels. LOAD_PIXEL(rgb, x, y) is the kernel's own and sets a pixel of linear RGB; the
 * kernel has the buffers out_x, out_y, out_b and next.
 *
 * Beyond an odd last column or row that one counts twice.
 */
FIRST
{
    i32 next_x = GX * WX + LX;
    i32 next_y = GY * WY + LY;
    if (2 * next_x < p.w && 2 * next_y < p.h) {
        ssimulacra2_pixel sum;
        sum.v0 = F32(0u);
        sum.v1 = F32(0u);
        sum.v2 = F32(0u);
        for (i32 k = 0; k < 4; ++k) {
            i32 x = 2 * next_x + k % 2;
            i32 y = 2 * next_y + k / 2;
            i32 from_x = min_i32(x, p.w - 1);
            i32 from_y = min_i32(y, p.h - 1);
            ssimulacra2_pixel rgb;
            LOAD_PIXEL(rgb, from_x, from_y)
            sum = add_pixels(sum, rgb);
            if (x < p.w && y < p.h) {
                ssimulacra2_pixel xyb = xyb_of(rgb);
                AT(out_x, y * p.w + x) = xyb.v0;
                AT(out_y, y * p.w + x) = xyb.v1;
                AT(out_b, y * p.w + x) = xyb.v2;
            }
        }
        if (p.next_plane != 0) {
            i32 at = next_y * ((p.w + 1) / 2) + next_x;
            AT(next, at) = mul_f32(sum.v0, QUARTER);
            AT(next, p.next_plane + at) = mul_f32(sum.v1, QUARTER);
            AT(next, 2 * p.next_plane + at) = mul_f32(sum.v2, QUARTER);
        }
    }
}
