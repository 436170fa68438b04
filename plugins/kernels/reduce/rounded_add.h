/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_REDUCE_ROUNDED_ADD_H
#define KERNELS_REDUCE_ROUNDED_ADD_H

/* Addition of two numbers, rounded to nearest, ties to even; of numbers as in ordered_units.h. */

FN WORD rounded_add(WORD a, WORD b)
{
    WORD sign_bit = TO_WORD(1) << LAST_BIT;
    WORD infinity = TO_WORD(MOST_EXPONENT) << FRACTION;
    WORD size_a = a & (sign_bit - TO_WORD(1));
    WORD size_b = b & (sign_bit - TO_WORD(1));
    if (size_a < size_b) {
        WORD swapped = a;
        a = b;
        b = swapped;
        swapped = size_a;
        size_a = size_b;
        size_b = swapped;
    }
    if (size_a >= infinity) {
        return size_a > infinity || (size_b == infinity && a != b)
                   ? infinity | (TO_WORD(1) << (FRACTION - 1))
                   : a;
    }
    i32 exponent = unit_of(exponent_of(a));
    i32 shift = min_i32(exponent - unit_of(exponent_of(b)), FRACTION + 3);
    /* Three bits below the mantissa hold what b loses when it is aligned. */
    WORD aligned = mantissa_of(b) << 3;
    WORD shifted = aligned >> shift;
    if ((shifted << shift) != aligned) {
        shifted |= TO_WORD(1);
    }
    WORD mantissa = mantissa_of(a) << 3;
    mantissa = sign_of(a) == sign_of(b) ? mantissa + shifted : mantissa - shifted;
    if (mantissa == TO_WORD(0)) {
        return a & b & sign_bit;
    }
    i32 drop = MSB_WORD(mantissa) - (FRACTION + 3);
    if (drop > 0) {
        mantissa = (mantissa >> 1) | (mantissa & TO_WORD(1));
        exponent += 1;
    } else {
        i32 up = min_i32(-drop, exponent - 1);
        mantissa = mantissa << up;
        exponent -= up;
    }
    WORD odd = (mantissa >> 3) & TO_WORD(1);
    WORD is_up = (mantissa & TO_WORD(7)) + odd > TO_WORD(4) ? TO_WORD(1) : TO_WORD(0);
    WORD size = (TO_WORD(exponent - 1) << FRACTION) + (mantissa >> 3) + is_up;
    return (a & sign_bit) | (size > infinity ? infinity : size);
}

#endif
