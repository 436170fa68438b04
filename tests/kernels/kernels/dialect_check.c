/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Uses every word of the dialect once; test_dialect.c computes the same in ordinary C. */
#define WX 16
#define WY 4
#include "dialect/kernel.h"
#include "dialect_check_args.h"

KERNEL_TABLE(i32, weights, 4) = {7, -3, 65536, 1};

FN u32 hash(u32 x)
{
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ (x >> 12);
}

KERNEL_BEGIN
KERNEL_IN(0, u8, bytes)
KERNEL_IN(1, i16, words)
KERNEL_OUT(2, u64, results)
KERNEL_OUT(3, u16, halves)
KERNEL_OUT(4, u8, packed)
KERNEL_ARGS(5, dialect_check_args, p)
GROUP_MEMORY(u32, tile, LANES)
GROUP_MEMORY(u64, sums, 2 * LANES)
LANE_STATE(i64, total)
LANE_STATE_ARRAY(u32, history, 2)
KERNEL_BODY
    FIRST
    {
        i32 i = ((GZ * NGY + GY) * NGX + GX) * LANES + LANE;
        i32 k = i % p.n;
        u32 b = U32(AT(bytes, k));
        AT(tile, LANE) = b * 256u + U32(LX) * 16u + U32(LY);
        MINE(total) = I64(AT(words, k)) * I64(AT(words, k)) * I64(0x7fffffff) + p.wide;
        MINE(history)[0] = hash(b);
        MINE(history)[1] = hash(U32(i)) & p.mask;
    }
    for (i32 turn = 0; turn < 3; ++turn) {
        THEN
        {
            i32 from = (LANE + 1 + turn) % LANES;
            MINE(total) += I64(AT(tile, from)) << (turn * 8);
        }
    }
    THEN
    {
        AT(sums, LANE) = U64(MINE(total));
        AT(sums, LANES + LANE) = U64(1);
    }
    GROUP_SUMS(sums, 2)
    THEN
    {
        i32 i = ((GZ * NGY + GY) * NGX + GX) * LANES + LANE;
        i32 k = i % p.n;
        i32 at = i * DIALECT_RESULTS;
        i32 w = I32(AT(words, k));
        u32 h = MINE(history)[0] | 1u;
        u64 wide = U64(h) * U64(h);
        i64 weighted = I64(0);
        UNROLL
        for (i32 t = 0; t < 4; ++t)
            weighted += I64(weights[t]) * I64(w + t);
        AT(results, at) = U64(MINE(total));
        AT(results, at + 1) = AT(sums, 0);
        AT(results, at + 2) = AT(sums, LANES);
        AT(results, at + 3) = U64(weighted);
        AT(results, at + 4) = U64(MSB32(h)) * U64(100) + U64(msb_u64(wide));
        AT(results, at + 5) = U64(round_shift_i64(I64(w) * I64(1000003), 7));
        AT(results, at + 6) = round_shift_u64(wide, 33);
        AT(results, at + 7) = U64(mul_hi_u32(h, 0xdeadbeefu)) + U64(abs_i64(I64(w)));
        AT(results, at + 8) = wide / U64(MINE(history)[1] + 1u);
        AT(results, at + 9) = U64(I64(clamp_i32(w, -100, 100) + abs_i32(w)));
        AT(results, at + 10) = U64(I64(w) >> 3);
        AT(results, at + 11) = (U64(GX) << 40) | (U64(GY) << 20) | U64(GZ);
        AT(results, at + 12) = U64(I64(MAD24(w * 255, clamp_i32(w, -255, 255), w)));
        sum48 sum = sum48_begin(32768u);
        sum = sum48_add(sum, 60000u, h);
        sum = sum48_add(sum, 5536u, ~h);
        AT(results, at + 13) = U64(sum48_end(sum, 16));
        AT(results, at + 14) = U64(sum48_end(sum, 5));
        AT(halves, i) = U16(h >> 3);
        AT(packed, i) = U8(h & 0xffu);
    }
KERNEL_END
