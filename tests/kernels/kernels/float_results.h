/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FLOAT_RESULTS_H
#define TESTS_KERNELS_FLOAT_RESULTS_H

/*
 * What the tests of floating point compute from operands, for kernels and as plain C:
 * FLOAT_RESULTS_OF(STORE) is STORE(number, bits) for each of FLOAT_RESULTS, of a, b and c, which
 * are f32, DOUBLE_RESULTS_OF(STORE) for each of DOUBLE_RESULTS, of a and b, which are f64. What
 * float_expected() and double_expected() give is the same by the machine's own arithmetic.
 */
#define FLOAT_RESULTS_OF(STORE)                                                                    \
    STORE(0, bits_of_f32(add_f32(a, b)))                                                           \
    STORE(1, bits_of_f32(sub_f32(a, b)))                                                           \
    STORE(2, bits_of_f32(mul_f32(a, b)))                                                           \
    STORE(3, bits_of_f32(div_f32(a, b)))                                                           \
    STORE(4, bits_of_f32(sqrt_f32(a)))                                                             \
    STORE(5, any_nan(bits_of_f32(min_f32(a, b))))                                                  \
    STORE(6, any_nan(bits_of_f32(max_f32(a, b))))                                                  \
    STORE(7, any_nan(bits_of_f32(neg_f32(a))))                                                     \
    STORE(8, any_nan(bits_of_f32(abs_f32(a))))                                                     \
    STORE(9, bits_of_f32(scale_f32(a, I32(any_nan(bits_of_f32(b)) % 254u) - 126)))                 \
    STORE(10, U32(is_less_f32(a, b) + 2 * is_equal_f32(a, b)))                                     \
    STORE(11, bits_of_f32(f32_of_i32(I32(any_nan(bits_of_f32(a))))))                               \
    STORE(12, bits_of_f32(f32_of_u32(any_nan(bits_of_f32(a)))))                                    \
    STORE(13, bits_of_f32(f32_of_i64(wide(a, b, c))))                                              \
    STORE(14, is_less_f32(abs_f32(a), F32(0x4f000000u)) != 0 ? U32(i32_of_f32(a)) : 0u)            \
    STORE(15, bits_of_f32(add_f32(mul_f32(a, b), c)))                                              \
    STORE(16, bits_of_f32(sub_f32(c, mul_f32(a, b))))                                              \
    STORE(17, bits_of_f32(add_f32(add_f32(a, b), c)))                                              \
    STORE(18, bits_of_f32(sub_f32(add_f32(a, b), a)))                                              \
    STORE(19, bits_of_f32(mul_f32(mul_f32(a, b), c)))                                              \
    STORE(20, bits_of_f32(div_f32(mul_f32(a, b), b)))                                              \
    STORE(21, bits_of_f32(mul_f32(a, add_f32(b, c))))                                              \
    STORE(22, U32(is_less_f32(add_f32(a, b), c)))                                                  \
    STORE(23, bits_of_f32(div_f32(F32(0x3f800000u), a)))                                           \
    STORE(24, bits_of_f32(f32_of_f64(add_f64(f64_of_f32(a), f64_of_f32(b)))))                      \
    STORE(25, bits_of_f32(add_f32(mul_f32(a, F32(0x3f800000u)), F32(0u))))                         \
    /* products that nothing else needs, for compilers that would contract these */                \
    STORE(26, bits_of_f32(add_f32(mul_f32(a, c), b)))                                              \
    STORE(27, bits_of_f32(sub_f32(a, mul_f32(b, c))))

#define DOUBLE_RESULTS_OF(STORE)                                                                   \
    STORE(0, bits_of_f64(add_f64(a, b)))                                                           \
    STORE(1, bits_of_f64(sub_f64(a, b)))                                                           \
    STORE(2, bits_of_f64(mul_f64(a, b)))                                                           \
    STORE(3, bits_of_f64(div_f64(a, b)))                                                           \
    STORE(4, bits_of_f64(sqrt_f64(a)))                                                             \
    STORE(5, bits_of_f64(min_f64(a, b)))                                                           \
    STORE(6, bits_of_f64(max_f64(a, b)))                                                           \
    STORE(7, bits_of_f64(neg_f64(a)))                                                              \
    STORE(8, bits_of_f64(abs_f64(a)))                                                              \
    STORE(9, bits_of_f64(scale_f64(a, I32(U32(bits_of_f64(b) >> 40) % 2046u) - 1022)))             \
    STORE(10, U64(U32(is_less_f64(a, b) + 2 * is_equal_f64(a, b))))                                \
    STORE(11, bits_of_f64(f64_of_i32(I32(U32(bits_of_f64(a))))))                                   \
    STORE(12, bits_of_f64(f64_of_u32(U32(bits_of_f64(a)))))                                        \
    STORE(13, bits_of_f64(f64_of_i64(I64(bits_of_f64(a)) >> I32(U32(bits_of_f64(b)) & 63u))))      \
    STORE(14,                                                                                      \
          is_less_f64(abs_f64(a), F64_BITS(0x43e00000u, 0u)) != 0 ? U64(i64_of_f64(a)) : U64(0))   \
    STORE(15, U64(bits_of_f32(f32_of_f64(a))))                                                     \
    STORE(16, bits_of_f64(f64_of_f32(f32_of_bits(U32(bits_of_f64(a) >> 31)))))                     \
    STORE(17, bits_of_f64(f64_of_f32(add_f32(f32_of_f64(a), f32_of_f64(b)))))

#if defined(FN)
/* The one NaN for all: the functions that only choose or change the sign keep an operand's. */
FN u32 any_nan(u32 bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

/* A number of any magnitude and sign. */
FN i64 wide(f32 upper, f32 lower, f32 shift)
{
    return I64((U64(any_nan(bits_of_f32(upper))) << 32) | U64(any_nan(bits_of_f32(lower)))) >>
           I32(any_nan(bits_of_f32(shift)) & 63u);
}
#endif

#endif
