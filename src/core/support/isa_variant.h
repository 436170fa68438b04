/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_ISA_VARIANT_H
#define CORE_SUPPORT_ISA_VARIANT_H

/*
 * Row functions in plain C that a compiler turns into vectors are compiled once for each
 * instruction set (cmake/InstructionSets.cmake): one text, one arithmetic, several widths. Such a
 * file defines a table of its functions under a name made by ISA_VARIANT; ISA_SELECT picks the
 * widest one that may be used.
 *
 * On 64-bit Arm plain C has vectors anyway. Only what is declared with ISA_DECLARE_NEON, or its
 * like, has intrinsics of NEON there, in such a variant (vmaf_add_neon_variants) or in a file of
 * its own (vmaf_add_neon_sources). Elsewhere those are the same as ISA_DECLARE and so on.
 */

#include "support/cpu.h"

#ifndef VMAF_ISA
#define VMAF_ISA scalar
#endif

#define ISA_VARIANT_NAME(name, isa)   name##_##isa
#define ISA_VARIANT_EXPAND(name, isa) ISA_VARIANT_NAME(name, isa)
/* The name of an object in the file that is compiled for each instruction set. */
#define ISA_VARIANT(name) ISA_VARIANT_EXPAND(name, VMAF_ISA)

#ifdef VMAF_ISA_VARIANTS
#define ISA_DECLARE(type, name) extern const type name##_scalar, name##_avx2, name##_avx512
#define ISA_DECLARE_INIT(type, name)                                                               \
    void name##_scalar(type *), name##_avx2(type *), name##_avx512(type *)
#define ISA_SELECT(name, flags)                                                                    \
    ((flags)&CPU_AVX512 ? &name##_avx512 : (flags)&CPU_AVX2 ? &name##_avx2 : &name##_scalar)
#else
#define ISA_DECLARE(type, name)      extern const type name##_scalar
#define ISA_DECLARE_INIT(type, name) void name##_scalar(type *)
#define ISA_SELECT(name, flags)      ((void)(flags), &name##_scalar)
#endif

#ifdef VMAF_NEON
#define ISA_DECLARE_NEON(type, name)      extern const type name##_scalar, name##_neon
#define ISA_DECLARE_INIT_NEON(type, name) void name##_scalar(type *), name##_neon(type *)
#define ISA_SELECT_NEON(name, flags)      ((flags)&CPU_NEON ? &name##_neon : &name##_scalar)
#else
#define ISA_DECLARE_NEON(type, name)      ISA_DECLARE(type, name)
#define ISA_DECLARE_INIT_NEON(type, name) ISA_DECLARE_INIT(type, name)
#define ISA_SELECT_NEON(name, flags)      ISA_SELECT(name, flags)
#endif

#endif
