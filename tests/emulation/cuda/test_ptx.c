/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The interpreter of PTX: instructions that few compilers write, lanes, memory, branches, and all
 * that it rejects; what kernels have is compared with plain C in test_ptx_kernels. */
#include <stdio.h>
#include <string.h>

#include "ptx.h"
#include "support/cases.h"

/* Kernels are made of a few lines. */

enum { WORDS = 64 }; /* of 64 bits, in a buffer */

typedef struct PtxCase {
    const char *name;
    uint64_t a, b, c, expected;
} PtxCase;

#define MINUS(n) (UINT64_C(0) - (n))
#define LOW(n)   ((UINT64_C(0) - (n)) & 0xffffffff)

static char text[4096];
static char ptx_error[PTX_ERROR_SIZE];

static bool ptx_backwards; /* lanes run from the last to the first */

static PtxModule *ptx_load(const char *body)
{
    snprintf(text, sizeof(text),
             ".version 6.3\n.target sm_70\n.address_size 64\n"
             ".visible .entry k(\n\t.param .u64 p0,\n\t.param .u64 p1)\n.maxntid 64, 1, 1\n{\n"
             "\t.reg .pred %%p<9>;\n\t.reg .b16 %%rs<9>;\n\t.reg .b32 %%r<19>;\n"
             "\t.reg .b64 %%rd<19>;\n"
             "\t.shared .align 8 .b8 tile[64];\n"
             "\tld.param.u64 %%rd1, [p0];\n\tld.param.u64 %%rd2, [p1];\n%s\n}\n",
             body);
    return ptx_module_load(text, ptx_error);
}

static int ptx_run_body(const char *body, uint32_t n, void *written, const void *read)
{
    PtxModule *module = ptx_load(body);
    if (!module)
        fail_msg("%s", ptx_error);
    const uint64_t params[2] = {(uintptr_t)written, (uintptr_t)read};
    const PtxAllocation memory[2] = {
        {.data = written, .size = WORDS * 8},
        {.data = (void *)(uintptr_t)read, .size = WORDS * 8, .is_read_only = true}};
    const PtxLaunch launch = {.entry = ptx_module_find(module, "k"),
                              .params = params,
                              .lanes = {n, 1, 1},
                              .groups = {1, 1, 1},
                              .allocations = memory,
                              .n_allocations = 2,
                              .backwards = ptx_backwards,
                              .max_instructions = 10000};
    const int status = ptx_run(&launch, ptx_error);
    ptx_module_free(module);
    return status;
}

static void ptx_check_case(const PtxCase *test, const char *sources)
{
    static uint64_t out[WORDS], in[WORDS];
    char body[1024];
    in[0] = test->a;
    in[1] = test->b;
    in[2] = test->c;
    snprintf(body, sizeof(body),
             "ld.global.u64 %%rd3, [%%rd2];\nld.global.u64 %%rd4, [%%rd2+8];\n"
             "ld.global.nc.u64 %%rd5, [%%rd2+16];\nsetp.ne.u64 %%p1, %%rd5, 0;\n"
             "%s %%rd6, %s;\nst.global.u64 [%%rd1], %%rd6;\nret;",
             test->name, sources);
    if (ptx_run_body(body, 1, out, in) != 0)
        fail_msg("%s", ptx_error);
    if (out[0] != test->expected)
        fail_msg("%s is 0x%llx, not 0x%llx", test->name, (unsigned long long)out[0],
                 (unsigned long long)test->expected);
}

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
        {"dp2a.lo.u32.u32", 0x0002ffff, 0x09090380, 1, 0x7fff87},
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

/* -- lanes -- */

/* Each lane stores its number, and reads its neighbour's behind the barrier. */
#define EXCHANGE(barrier)                                                                          \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, tile;\n"                      \
    "add.s64 %rd5, %rd4, %rd3;\nst.shared.u32 [%rd5], %r1;\n" barrier                              \
    "xor.b32 %r2, %r1, 1;\nmul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd7, %rd4, %rd6;\n"                \
    "ld.shared.u32 %r3, [%rd7];\nadd.s64 %rd8, %rd1, %rd3;\nst.global.u32 [%rd8], %r3;\nret;"

CASE(given_a_barrier_then_lanes_see_what_others_wrote)
{
    uint32_t out[WORDS * 2] = {0};
    assert_int_equal(ptx_run_body(EXCHANGE("bar.sync 0;\n"), 16, out, out), 0);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out[i], i ^ 1);
    assert_int_equal(ptx_run_body(EXCHANGE(""), 16, out, out), 0);
    assert_int_not_equal(out[0], 1); /* noise */
    assert_int_not_equal(out[0], 0);
    assert_int_equal(out[1], 0);
}

/* As newer compilers take values apart, each time in a block of its own. */
CASE(given_blocks_with_registers_of_their_own_then_halves_are_taken)
{
    static uint64_t out[WORDS], in[WORDS] = {0x123456789abcdef0};
    assert_int_equal(ptx_run_body("ld.global.u64 %rd3, [%rd2];\n"
                                  "{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd3; }\n"
                                  "{ .reg .b32 tmp; mov.b64 {%r2, tmp}, %rd3; }\n"
                                  "{ .reg .b16 half; mov.b32 {half, %rs1}, %r2; }\n"
                                  "setp.eq.s32 %p1, %r1, 0;\n@%p1 mov.b64 {%r1, %r2}, %rd3;\n"
                                  "mov.b64 %rd4, {%r2, %r1};\nst.global.u64 [%rd1+24], %rd4;\n"
                                  "mov.u64 %rd5, %rd3;\nmov.b64 {%rd5, %rd6}, %rd5;\n"
                                  "st.global.v2.u64 [%rd1+48], {%rd5, %rd6};\n"
                                  "mov.b32 %r3, {%rs1, 7};\nst.global.u32 [%rd1+32], %r3;\n"
                                  "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+8], %r2;\n"
                                  "st.global.u16 [%rd1+16], %rs1;\nret;",
                                  1, out, in),
                     0);
    assert_int_equal(out[0], 0x12345678);
    assert_int_equal(out[1], 0x9abcdef0);
    assert_int_equal(out[2], 0x9abc);
    assert_true(out[3] == in[0]);
    assert_int_equal(out[4], 0x79abc);
    assert_true(out[6] == 0x9abcdef0 && out[7] == 0x12345678);
}

CASE(given_both_orders_of_lanes_then_races_end_differently)
{
    uint32_t out[WORDS * 2] = {0};
    for (unsigned order = 0; order < 2; order++) {
        ptx_backwards = order == 1;
        assert_int_equal(
            ptx_run_body("mov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;\nret;", 64, out, out),
            0);
        assert_int_equal(out[0], ptx_backwards ? 0 : 62); /* 63 runs together with 0 */
    }
    ptx_backwards = false;
}

/* The value comes from code that stands behind, and stays where the condition does not hold. */
CASE(given_a_condition_then_the_old_value_is_kept)
{
    uint32_t out[WORDS * 2] = {0};
    assert_int_equal(
        ptx_run_body("mov.u32 %r9, %tid.x;\nsetp.eq.s32 %p1, %r9, 1;\nbra.uni A;\n"
                     "B:\n@%p1 mov.u32 %r2, 7;\nmul.wide.u32 %rd3, %r9, 4;\n"
                     "add.s64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], %r2;\nret;\n"
                     "A:\nmov.u32 %r2, 5;\nadd.s32 %r3, %r9, 100;\nadd.s32 %r4, %r3, %r3;\n"
                     "add.s32 %r5, %r4, %r3;\nadd.s32 %r6, %r5, %r4;\n"
                     "st.global.u32 [%rd1+256], %r6;\nbra.uni B;",
                     2, out, out),
        0);
    assert_int_equal(out[0], 5);
    assert_int_equal(out[1], 7);
}

static void assert_fails(const char *body, uint32_t lanes, const char *named)
{
    static _Alignas(16) uint64_t apart[4 * WORDS]; /* nothing is next to either buffer */
    ptx_error[0] = '\0';
    if (ptx_run_body(body, lanes, apart, apart + 2 * WORDS) == 0)
        fail_msg("%s does not fail", body);
    if (!strstr(ptx_error, named) || !strstr(ptx_error, "kernel k"))
        fail_msg("\"%s\" does not name \"%s\"", ptx_error, named);
}

CASE(given_what_no_gpu_would_report_then_the_run_fails)
{
    assert_fails("ld.global.u32 %r1, [%rd2+512];\nret;", 1, "\"ld.global.u32 %r1, [%rd2+512]\"");
    assert_fails("ld.global.u32 %r1, [%rd2+-4];\nret;", 1, "no global memory holds");
    assert_fails("st.global.u32 [%rd2], 1;\nret;", 1, "writes 4 bytes");
    assert_fails("st.global.v2.u64 [%rd1+504], {%rd1, %rd2};\nret;", 1, "aligned");
    assert_fails("ld.global.u32 %r1, [%rd2+2];\nret;", 1, "not aligned");
    assert_fails("mov.u64 %rd3, tile;\nld.shared.u32 %r1, [%rd3+64];\nret;", 1, "no group memory");
    assert_fails("ld.param.u32 %r1, [p1+8];\nret;", 1, "no arguments");
    assert_fails("mov.u64 %rd3, 0;\natom.global.add.u32 %r1, [%rd3], 1;\nret;", 1, "0x0");
    assert_fails("mov.u32 %r1, 0;\ndiv.u32 %r2, %r1, %r1;\nret;", 1, "divides by 0");
    assert_fails("L:\nbra L;\nret;", 1, "too many instructions");
    assert_fails("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nbar.sync 0;\nL:\n"
                 "ret;",
                 8, "lane (3, 0, 0), which has ended");
    assert_fails("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nbar.sync 0;\nret;\n"
                 "L:\nbar.sync 0;\nret;",
                 8, "waits at another barrier");
    assert_fails("ret;", 65, "65 lanes");
}

CASE(given_what_is_not_understood_then_the_module_is_refused)
{
    static const char *const cases[][2] = {
        {"fma.rn.f64 %rd1, %rd2, %rd3, %rd4;", "the instruction fma.rn.f64 is not supported"},
        {"ld.global.f64 %rd1, [%rd1];", "ld.global.f64"},
        {"(pack).b64 %rd1, %r1, %r2;", "the instruction ("},
        {"addc.cc.u8 %r1, %r2, %r3;", "addc.cc.u8"},
        {"atom.global.add.u64 %rd3, [%rd1], %rd2;", "atom.global.add.u64"},
        {"bar.sync 1;", "\"1\""},
        {"add.s32 %r1, %r2, %r19;", "\"%r19\""},
        {"add.s32 %r1, %r2;", "\",\" should be"},
        {"add.s32 5, %r2, %r3;", "is no register"},
        {"bra nowhere;", "there is no label nowhere"},
        {"L:\nL:\nret;", "stands twice"},
        {".callprototype x;", ".callprototype"},
        {"mov.u32 %r1, %laneid;", "%laneid"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        PtxModule *module = ptx_load(cases[i][0]);
        assert_null(module);
        if (!strstr(ptx_error, cases[i][1]) || !strstr(ptx_error, "PTX line"))
            fail_msg("\"%s\" does not name \"%s\"", ptx_error, cases[i][1]);
    }
    assert_null(ptx_module_load("", ptx_error));
    assert_null(ptx_module_load(".visible .entry k(", ptx_error));
    assert_null(ptx_module_load(".visible .entry k()\n{", ptx_error));
}
