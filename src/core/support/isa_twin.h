/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_ISA_TWIN_H
#define CORE_SUPPORT_ISA_TWIN_H

/*
 * Row functions in plain C that a compiler turns into vectors are compiled once for each
 * instruction set (cmake/IsaTwins.cmake): one text, one arithmetic, several widths. Such a file
 * defines a table of its functions under a name made by ISA_TWIN; ISA_SELECT picks the widest one
 * that may be used.
 */

#include "support/cpu.h"

#ifndef VMAF_ISA
#define VMAF_ISA scalar
#endif

#define ISA_TWIN_NAME(name, isa)   name##_##isa
#define ISA_TWIN_EXPAND(name, isa) ISA_TWIN_NAME(name, isa)
/* The name of an object in the file that is compiled for each instruction set. */
#define ISA_TWIN(name) ISA_TWIN_EXPAND(name, VMAF_ISA)

#ifdef VMAF_ISA_TWINS
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

#endif
