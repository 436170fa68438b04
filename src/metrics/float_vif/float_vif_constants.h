/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_CONSTANTS_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_CONSTANTS_H

/* The logarithm to base 2 of a mantissa, 1 <= m < 2, is a polynomial of m - 1: coefficients from
 * the eighth power to the first. */
#define FLOAT_VIF_LOG2_8 -0.012671635276421f
#define FLOAT_VIF_LOG2_7 0.064841182402670f
#define FLOAT_VIF_LOG2_6 -0.157048836463065f
#define FLOAT_VIF_LOG2_5 0.257167726303123f
#define FLOAT_VIF_LOG2_4 -0.353800560300520f
#define FLOAT_VIF_LOG2_3 0.480131410397451f
#define FLOAT_VIF_LOG2_2 -0.721314327952201f
#define FLOAT_VIF_LOG2_1 1.442694803896991f

/* A variance below it is none. */
#define FLOAT_VIF_EPSILON 1e-10f

/* The bits of these binary32 numbers. */
#define FLOAT_VIF_LOG2_8_BITS  0xbc4f9cb1u
#define FLOAT_VIF_LOG2_7_BITS  0x3d84cb74u
#define FLOAT_VIF_LOG2_6_BITS  0xbe20d169u
#define FLOAT_VIF_LOG2_5_BITS  0x3e83ab7du
#define FLOAT_VIF_LOG2_4_BITS  0xbeb52559u
#define FLOAT_VIF_LOG2_3_BITS  0x3ef5d3c9u
#define FLOAT_VIF_LOG2_2_BITS  0xbf38a80eu
#define FLOAT_VIF_LOG2_1_BITS  0x3fb8aa39u
#define FLOAT_VIF_EPSILON_BITS 0x2edbe6ffu

#endif
