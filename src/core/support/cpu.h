/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_CPU_H
#define CORE_SUPPORT_CPU_H

/* Instruction sets: those of the processor, and functions that are compiled for each of them. */

#include <stdint.h>

/* The bit values are those of --cpumask, where a set bit disables. */
enum {
    CPU_SSE2 = 1 << 0,
    CPU_SSSE3 = 1 << 1,
    CPU_SSE41 = 1 << 2,
    CPU_AVX2 = 1 << 3,
    CPU_AVX512 = 1 << 4,
    CPU_AVX512_ICL = 1 << 5,
    CPU_AVX_VNNI = 1 << 6, /* of use with AVX2; libvmaf has no such bit */
    CPU_NEON = CPU_SSE2,   /* on Arm the same bit */
};

/* Instruction sets of this processor less those that the mask disables. */
unsigned cpu_flags(uint64_t disabled_mask);

/*
 * A metric has one table of row functions, which <metric>.c fills for a processor, with ISA_SELECT
 * of what is there. That has a name made by ISA_VARIANT: there is one of it for each instruction
 * set that its file is compiled for (cmake/InstructionSets.cmake). Such files are
 *
 *  - <metric>_vector.c, written with the vectors of support/vector.h: for AVX2, AVX-512 and NEON.
 *    ISA_DECLARE_NEON or its like, and ISA_SELECT_NEON. Without any of them there is
 *    <metric>_scalar.c, the formula. If that is slow, <metric>_portable.c is plain C that is tuned,
 *    ISA_SELECT_PORTABLE selects it, and the formula serves for tests only.
 *  - row functions in plain C that a compiler turns into vectors: one text, one arithmetic, several
 *    widths. On 64-bit Arm plain C has vectors anyway, so there is no other variant of it there.
 *    ISA_DECLARE or its like, and ISA_SELECT.
 */

#ifndef VMAF_ISA
#define VMAF_ISA scalar
#endif

#define ISA_VARIANT_NAME(name, isa)   name##_##isa
#define ISA_VARIANT_EXPAND(name, isa) ISA_VARIANT_NAME(name, isa)
/* The name of an object in the file that is compiled for each instruction set. */
#define ISA_VARIANT(name) ISA_VARIANT_EXPAND(name, VMAF_ISA)

#ifdef VMAF_ISA_VARIANTS
#define ISA_DECLARE(type, name) extern const type name##_scalar, name##_avx2, name##_avx512
#define ISA_DECLARE_FUNCTION(name, parameters)                                                     \
    void name##_scalar parameters, name##_avx2 parameters, name##_avx512 parameters
#define ISA_SELECT(name, flags)                                                                    \
    ((flags)&CPU_AVX512 ? &name##_avx512 : (flags)&CPU_AVX2 ? &name##_avx2 : &name##_scalar)
#else
#define ISA_DECLARE(type, name)                extern const type name##_scalar
#define ISA_DECLARE_FUNCTION(name, parameters) void name##_scalar parameters
#define ISA_SELECT(name, flags)                ((void)(flags), &name##_scalar)
#endif

#ifdef VMAF_NEON
#define ISA_DECLARE_NEON(type, name) extern const type name##_scalar, name##_neon
#define ISA_DECLARE_FUNCTION_NEON(name, parameters)                                                \
    void name##_scalar parameters, name##_neon parameters
#define ISA_SELECT_NEON(name, flags) ((flags)&CPU_NEON ? &name##_neon : &name##_scalar)
#else
#define ISA_DECLARE_NEON(type, name)                ISA_DECLARE(type, name)
#define ISA_DECLARE_FUNCTION_NEON(name, parameters) ISA_DECLARE_FUNCTION(name, parameters)
#define ISA_SELECT_NEON(name, flags)                ISA_SELECT(name, flags)
#endif

/* The same with one that is tuned for processors that have none of them. */
#define ISA_DECLARE_FUNCTION_PORTABLE(name, parameters)                                            \
    ISA_DECLARE_FUNCTION_NEON(name, parameters);                                                   \
    void name##_portable parameters
#if defined(VMAF_ISA_VARIANTS)
#define ISA_SELECT_PORTABLE(name, flags)                                                           \
    ((flags) & (CPU_AVX512 | CPU_AVX2) ? ISA_SELECT(name, flags) : &name##_portable)
#elif defined(VMAF_NEON)
#define ISA_SELECT_PORTABLE(name, flags) ((flags)&CPU_NEON ? &name##_neon : &name##_portable)
#else
#define ISA_SELECT_PORTABLE(name, flags) ((void)(flags), &name##_portable)
#endif

/* Functions that fill a table, or a part of it. */
#define ISA_DECLARE_INIT(type, name)          ISA_DECLARE_FUNCTION(name, (type *))
#define ISA_DECLARE_INIT_NEON(type, name)     ISA_DECLARE_FUNCTION_NEON(name, (type *))
#define ISA_DECLARE_INIT_PORTABLE(type, name) ISA_DECLARE_FUNCTION_PORTABLE(name, (type *))

#endif
