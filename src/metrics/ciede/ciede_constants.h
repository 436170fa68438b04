/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CIEDE_CIEDE_CONSTANTS_H
#define METRICS_CIEDE_CIEDE_CONSTANTS_H

/* Numbers that the definition and the kernels of CIEDE2000 share. Products and quotients are folded
 * in the order in which they are written. */

#define CIEDE_PI 3.14159265358979323846

/* YCbCr to RGB, BT.709. */
#define CIEDE_R_OF_V 1.28033
#define CIEDE_G_OF_U 0.21482
#define CIEDE_G_OF_V 0.38059
#define CIEDE_B_OF_U 2.12798

/* RGB to linear light, sRGB; libvmaf has the threshold of a line at 10/255. */
#define CIEDE_GAMMA_THRESHOLD (10.0 / 255)
#define CIEDE_GAMMA_OFFSET    0.055
#define CIEDE_GAMMA_SCALE     (1 / 1.055)
#define CIEDE_GAMMA_SLOPE     (1 / 12.92)
#define CIEDE_GAMMA           2.4

/* Linear light to CIE XYZ: coefficients of R, G and B. */
#define CIEDE_X_OF_R 0.4124564390896921
#define CIEDE_X_OF_G 0.357576077643909
#define CIEDE_X_OF_B 0.18043748326639894
#define CIEDE_Y_OF_R 0.21267285140562248
#define CIEDE_Y_OF_G 0.715152155287818
#define CIEDE_Y_OF_B 0.07217499330655958
#define CIEDE_Z_OF_R 0.019333895582329317
#define CIEDE_Z_OF_G 0.119192025881303
#define CIEDE_Z_OF_B 0.9503040785363677

/* White point D65. */
#define CIEDE_WHITE_X (1 / 0.95047)
#define CIEDE_WHITE_Z (1 / 1.08883)

/* CIE L*a*b*: the cube root, and the line that continues it in the dark. */
#define CIEDE_LIGHTNESS_THRESHOLD (216.0 / 24389)
#define CIEDE_LIGHTNESS_SLOPE     (24389.0 / 27)
#define CIEDE_LIGHTNESS_OFFSET    16
#define CIEDE_LIGHTNESS_SCALE     (1.0 / 116)

#define CIEDE_25_TO_7  6103515625.0
#define CIEDE_25_TO_7F 6103515648.0f /* rounded to binary32 */

/* Parametric factors of Yang, Ming and Yu for lightness, chroma and hue. */
#define CIEDE_K_L 0.65f
#define CIEDE_K_C 1.0f
#define CIEDE_K_H 4.0f

#endif
