/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_TYPES_H
#define KERNELS_DIALECT_TYPES_H

/*
 * Scalar types of the kernel dialect, and the structs that kernels and their callers share.
 *
 * i32, u32, i64 and u64 are for arithmetic. u8, i8, u16 and i16 exist only as elements of buffers
 * and of group memory of the C family: load them through I32() or U32(), store them through U8(),
 * I16() and so on. f32 and f64 are the bits of IEEE binary32 and binary64 numbers, without
 * operators, for the functions of dialect/binary32.h and dialect/binary64.h; F32(bits) and
 * F64_BITS(upper 32 bits, lower 32 bits) are constants.
 *
 *     struct blur_args {
 *         i32 w, h;
 *     };
 *     KERNEL_STRUCT(blur_args)
 */
#if defined(KERNEL_GLSL)

#define i8     int8_t
#define u8     uint8_t
#define i16    int16_t
#define u16    uint16_t
#define i32    int
#define u32    uint
#define i64    int64_t
#define u64    uint64_t
#define I8(x)  int8_t(x)
#define U8(x)  uint8_t(x)
#define I16(x) int16_t(x)
#define U16(x) uint16_t(x)
#define I32(x) int(x)
#define U32(x) uint(x)
#define I64(x) int64_t(x)
#define U64(x) uint64_t(x)
#define f64    uint64_t

#define KERNEL_STRUCT(name)

#else

#if defined(__METAL_VERSION__) || defined(__OPENCL_C_VERSION__)
#if defined(__METAL_VERSION__)
#include <metal_stdlib>
#endif
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef ulong f64;
#else
#include <stdint.h>
typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef uint64_t f64;
#endif

#define I8(x)  ((i8)(x))
#define U8(x)  ((u8)(x))
#define I16(x) ((i16)(x))
#define U16(x) ((u16)(x))
#define I32(x) ((i32)(x))
#define U32(x) ((u32)(x))
#define I64(x) ((i64)(x))
#define U64(x) ((u64)(x))

#define KERNEL_STRUCT(name) typedef struct name name;

#endif

/* Kernels that run only on devices with exact binary32; see dialect/binary32.h. */
#if defined(NATIVE_F32)
#define f32       float
#define F32(bits) FLOAT_OF_BITS(U32(bits))
#else
#define f32       u32
#define F32(bits) U32(bits)
#endif

#define F64_BITS(upper, lower) ((U64(upper) << 32) | U64(lower))

#endif
