/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The interpreter of PTX: lanes, memory, branches, and everything it rejects. */
#include "ptx_fixture.h"
#include "support/cases.h"

#include <string.h>

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
