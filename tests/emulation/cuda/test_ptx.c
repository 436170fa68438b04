/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The interpreter of PTX: instructions that few compilers write, and the limits of others; what
 * kernels have is compared with plain C in test_ptx_kernels. */
#include "ptx_fixture.h"
#include "support/cases.h"

CASE(given_instructions_of_two_sources_then_values_are_as_defined)
{
    static const PtxCase cases[] = {
        {"add.s16", 0xffff, 3, 0, 2},
        {"mul.lo.s64", 1ull << 40, (1ull << 30) + 1, 0, 1ull << 40},
        {"mul.hi.u16", 0xffff, 0xffff, 0, 0xfffe},
        {"mul.hi.u64", MINUS(1), MINUS(1), 0, MINUS(2)},
        {"mul.hi.s64", MINUS(1), 2, 0, MINUS(1)},
        {"mul.wide.u16", 0xffff, 0xffff, 0, 0xfffe0001},
        {"mul.wide.s16", 0xffff, 2, 0, LOW(2)},
        {"div.s32", LOW(7), 2, 0, LOW(3)},
        {"div.s32", 0x80000000, 0xffffffff, 0, 0x80000000},
        {"rem.s32", LOW(7), 4, 0, LOW(3)},
        {"shl.b32", 3, 32, 0, 0},
        {"shl.b64", 3, 64, 0, 0},
        {"shr.u32", 0x80000000, 32, 0, 0},
        {"shr.s32", 0x80000000, 40, 0, 0xffffffff},
        {"shr.s16", 0x8000, 4, 0, 0xf800},
        {"shr.u16", 0x8000, 4, 0, 0x800},
        {"setp.gt.u16", 0x1ffff, 0xfffe, 0, 1},
        {"setp.eq.b32", 1ull << 32, 0, 0, 1},
        {"setp.ne.s16", 0x10001, 1, 0, 0},
        {"mul24.lo.u32", 0xff000003, 0xff000005, 0, 15},
        {"mul24.lo.s32", 0x00ffffff, 5, 0, LOW(5)},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ptx_check_case(&cases[i], "%rd3, %rd4");
}

CASE(given_instructions_of_one_source_then_values_are_as_defined)
{
    static const PtxCase cases[] = {
        {"mov.u32", 0x123456789, 0, 0, 0x23456789},
        {"abs.s32", 0x80000000, 0, 0, 0x80000000},
        {"clz.b32", 0, 0, 0, 32},
        {"clz.b64", 0, 0, 0, 64},
        {"popc.b32", 0xf0f, 0, 0, 8},
        {"cvt.u32.u8", 0x1ff, 0, 0, 255},
        {"cvt.u64.u32", MINUS(1), 0, 0, 0xffffffff},
        {"cvt.s64.s32", 0xffffffff, 0, 0, MINUS(1)},
        {"cvt.u32.u64", 0x1ffffffff, 0, 0, 0xffffffff},
        {"cvt.s64.s16", 0x18000, 0, 0, MINUS(0x8000)},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ptx_check_case(&cases[i], "%rd3");
}

CASE(given_instructions_of_three_sources_then_values_are_as_defined)
{
    static const PtxCase cases[] = {
        {"mad.lo.u64", 1ull << 63, 2, 9, 9},
        {"mad.hi.u32", 0xffffffff, 0xffffffff, 3, 1},
        {"mad.hi.s32", 0xffffffff, 2, 3, 2},
        {"mad.wide.u32", 0xffffffff, 2, 5, 0x200000003},
        {"mad.wide.s32", 0xffffffff, 2, 5, 3},
        {"bfe.u32", 0xabcd, 4, 8, 0xbc},
        {"bfe.u64", MINUS(1), 60, 8, 15},
        {"bfe.s32", 0xabcd, 4, 8, LOW(0x44)},
        {"bfe.s64", 0x80, 0, 8, MINUS(0x80)},
        {"prmt.b32", 0x44332211, 0x88776655, 0x7410, 0x88552211},
        {"prmt.b32", 0x80, 0, 0x1118, 0xff},
        {"shf.l.wrap.b32", 0x80000001, 2, 33, 5},
        {"shf.l.clamp.b32", 0x80000001, 2, 33, 0x80000001},
        {"shf.r.wrap.b32", 0x10, 1, 4, 0x10000001},
        {"shf.r.clamp.b32", 0x10, 1, 99, 1},
        {"sad.s32", LOW(5), 7, 100, 112},
        {"dp2a.lo.u32.u32", 0x0002ffff, 0x09090380, 1, 0x7fff87},
        {"dp2a.hi.s32.u32", 0x0002ffff, 0x03800909, 10, LOW(112)},
        {"dp2a.lo.u32.s32", 0x00020001, 0x0380, 0, LOW(122)},
        {"dp4a.s32.s32", 0xff020304, 0x05fe0706, 100, 136},
        {"dp4a.u32.u32", 0xff020304, 0x01010101, 0, 264},
        {"mad24.lo.s32", 0x00ffffff, 5, 7, 2},
    };
    static const PtxCase selections[] = {{"selp.b32", 1, 2, 1, 1}, {"selp.u64", 1, 2, 0, 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ptx_check_case(&cases[i], "%rd3, %rd4, %rd5");
    ptx_check_case(&(PtxCase){"bfi.b32", 0xff, 0x12345678, 0, 0x123457f8}, "%rd3, %rd4, 3, 9");
    ptx_check_case(&(PtxCase){"bfi.b64", 0xff, 0, 0, 0xff00000000}, "%rd3, %rd4, 32, 8");
    ptx_check_case(&(PtxCase){"lop3.b32", 0xf0, 0xcc, 0xaa, 0x96}, "%rd3, %rd4, %rd5, 0x96");
    for (size_t i = 0; i < sizeof(selections) / sizeof(selections[0]); i++)
        ptx_check_case(&selections[i], "%rd3, %rd4, %p1");
}

CASE(given_carries_then_they_go_from_word_to_word)
{
    static uint64_t out[WORDS], in[WORDS] = {UINT64_C(0xffffffffffffffff), 1, 2, 3};
    assert_int_equal(ptx_run_body("ld.global.v2.u64 {%rd3, %rd4}, [%rd2];\n"
                                  "ld.global.v2.u64 {%rd5, %rd6}, [%rd2+16];\n"
                                  "add.cc.s64 %rd7, %rd3, %rd5;\naddc.s64 %rd8, %rd4, %rd6;\n"
                                  "st.global.v2.u64 [%rd1], {%rd7, %rd8};\n"
                                  "sub.cc.u64 %rd9, %rd5, %rd3;\nsubc.u64 %rd10, %rd6, %rd4;\n"
                                  "st.global.v2.u64 [%rd1+16], {%rd9, %rd10};\n"
                                  "cvt.u32.u64 %r1, %rd3;\nadd.cc.u32 %r1, %r1, %r1;\n"
                                  "addc.cc.u32 %r2, %r1, 1;\naddc.u32 %r3, 0, 0;\n"
                                  "st.global.v2.u32 [%rd1+32], {%r2, %r3};\nret;",
                                  1, out, in),
                     0);
    assert_true(out[0] == 1 && out[1] == 5);
    assert_true(out[2] == 3 && out[3] == 1);
    assert_true(out[4] == (UINT64_C(1) << 32)); /* fffffffe + 1 + 1 */
}

/* Single precision, as bits. */
CASE(given_single_precision_then_it_is_rounded_as_ieee_says)
{
    static const PtxCase cases[] = {
        {"add.f32", 0x3f800000, 0x33800000, 0, 0x3f800000},    /* 1 + 2^-24: to even */
        {"add.rn.f32", 0x3f800001, 0x33800000, 0, 0x3f800002}, /* to even, upwards */
        {"add.f32", 0x00000001, 0x00000001, 0, 0x00000002},    /* denormals */
        {"sub.f32", 0x00800001, 0x00800000, 0, 0x00000001},
        {"mul.rn.f32", 0x3f000000, 0x00000003, 0, 0x00000002}, /* 1.5 of the least: to even */
        {"mul.f32", 0x7f000000, 0x40000000, 0, 0x7f800000},    /* infinity */
        {"div.rn.f32", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
        {"div.rn.f32", 0, 0, 0, 0x7fffffff}, /* no number */
        {"min.f32", 0x80000000, 0, 0, 0x80000000},
        {"min.f32", 0x7fc00000, 0x40000000, 0, 0x40000000},
        {"min.f32", 0, 0x80000000, 0, 0x80000000},
        {"max.f32", 0x80000000, 0, 0, 0},
        {"max.f32", 0, 0x80000000, 0, 0},
        {"max.f32", 0xc0000000, 0x3f800000, 0, 0x3f800000},
        {"setp.lt.f32", 0xc0000000, 0x3f800000, 0, 1},
        {"setp.eq.f32", 0x80000000, 0, 0, 1},
        {"setp.ne.f32", 0x7fc00000, 0, 0, 0},
        {"setp.neu.f32", 0x7fc00000, 0, 0, 1},
        {"setp.gtu.f32", 0x7fc00000, 0, 0, 1},
        {"setp.num.f32", 0x7fc00000, 0, 0, 0},
    };
    static const PtxCase ones[] = {
        {"sqrt.rn.f32", 0x40000000, 0, 0, 0x3fb504f3},
        {"rcp.rn.f32", 0x40400000, 0, 0, 0x3eaaaaab},
        {"neg.f32", 0x3f800000, 0, 0, 0xbf800000},
        {"abs.f32", 0xbf800000, 0, 0, 0x3f800000},
        {"cvt.rn.f32.s32", LOW(16777217), 0, 0, 0xcb800000},
        {"cvt.rn.f32.u32", 0xffffffff, 0, 0, 0x4f800000},
        {"cvt.rn.f32.u64", 1ull << 40, 0, 0, 0x53800000},
        {"cvt.rzi.s32.f32", 0xc0200000, 0, 0, LOW(2)}, /* -2.5 */
        {"cvt.rni.s32.f32", 0xc0200000, 0, 0, LOW(2)},
        {"cvt.rmi.s32.f32", 0xc0200000, 0, 0, LOW(3)},
        {"cvt.rpi.s32.f32", 0x40200000, 0, 0, 3},
        {"cvt.rzi.u32.f32", 0xbf800000, 0, 0, 0},          /* not below 0 */
        {"cvt.rzi.s32.f32", 0x7f800000, 0, 0, 0x7fffffff}, /* not above */
        {"cvt.rzi.s64.f32", 0xc0200000, 0, 0, MINUS(2)},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ptx_check_case(&cases[i], "%rd3, %rd4");
    for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++)
        ptx_check_case(&ones[i], "%rd3");
    /* (1 + 2^-23) (1 + 2^-22) - 1 has its last bit only if it is rounded once. */
    ptx_check_case(&(PtxCase){"fma.rn.f32", 0x3f800001, 0x3f800002, 0xbf800000, 0x34c00001},
                   "%rd3, %rd4, %rd5");
    ptx_check_case(&(PtxCase){"fma.rn.f32", 0x3f800001, 0x3f800001, 0, 0x40000001},
                   "%rd3, %rd4, 0f3F800000");
    assert_null(ptx_load("add.ftz.f32 %r1, %r1, %r1;"));
    assert_null(ptx_load("div.approx.f32 %r1, %r1, %r1;"));
}
