/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_CONSTANTS_H
#define METRICS_FLOAT_SSIM_SSIM_CONSTANTS_H

/* Numbers of SSIM that the library and kernels share: macros that any of their compilers takes.
 * Binary32 numbers stand with their bits, for kernels, which compute with these. */

/* The Gaussian window exp(-x^2 / 4.5), normalised, rounded to six decimals; one half with the
 * centre. It adds up to 1.000002. */
#define SSIM_TAPS          11
#define SSIM_TAP_0(number) number(0.001028f, 0x3a86bdf5u)
#define SSIM_TAP_1(number) number(0.007599f, 0x3bf90108u)
#define SSIM_TAP_2(number) number(0.036001f, 0x3d1375c9u)
#define SSIM_TAP_3(number) number(0.109361f, 0x3ddff8a9u)
#define SSIM_TAP_4(number) number(0.213006f, 0x3e5a1e3fu)
#define SSIM_TAP_5(number) number(0.266012f, 0x3e8832bau)
#define SSIM_OUTER_TAPS(n) SSIM_TAP_0(n), SSIM_TAP_1(n), SSIM_TAP_2(n)
#define SSIM_INNER_TAPS(n) SSIM_TAP_3(n), SSIM_TAP_4(n), SSIM_TAP_5(n)
#define SSIM_WINDOW(n)     SSIM_OUTER_TAPS(n), SSIM_INNER_TAPS(n)

/* The low-pass filter between the scales of MS-SSIM. */
#define SSIM_PYRAMID_RADIUS 4
#define SSIM_PYRAMID_TAPS   (2 * SSIM_PYRAMID_RADIUS + 1)

/* The constants of the paper, (0.01 L)^2, (0.03 L)^2 and half of that with L = 255, each operation
 * rounded to binary32. */
#define SSIM_C1(number) number(6.50249958f, 0x40d0147au)
#define SSIM_C2(number) number(58.5224953f, 0x426a1709u)
#define SSIM_C3(number) number(29.2612476f, 0x41ea1709u)

/* What the macros above are given. */
#define SSIM_NUMBER(number, bits) number
#define SSIM_BITS(number, bits)   bits

#endif
