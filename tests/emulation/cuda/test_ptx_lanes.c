/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The interpreter of PTX: lanes, memory, branches, and everything it refuses. */
#include "ptx_fixture.h"
#include "support/cases.h"

#include <stdio.h>
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

CASE(given_vectors_lane_memory_and_branches_then_they_work)
{
    uint64_t out[WORDS] = {0};
    const uint32_t in[WORDS * 2] = {1, 2, 3, 4};
    assert_int_equal(
        ptx_run_body("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];\n"
                     "mov.u64 %rd3, own;\ncvta.local.u64 %rd4, %rd3;\n"
                     "st.local.v2.u32 [%rd3+8], {%r4, %r3};\nld.u64 %rd5, [%rd4+8];\n"
                     "st.global.u64 [%rd1], %rd5;\n"
                     "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\n"
                     "L1:\nadd.s32 %r6, %r6, %r5;\nadd.s32 %r5, %r5, 1;\n"
                     "setp.lt.s32 %p1, %r5, 10;\n@%p1 bra L1;\n"
                     "@!%p1 st.global.u32 [%rd1+8], %r6;\n@%p1 st.global.u32 [%rd1+8], %r1;\n"
                     "bra.uni L2;\nst.global.u32 [%rd1+8], %r1;\nL2:\nret;",
                     1, out, in),
        0);
    assert_true(out[0] == (3ull << 32 | 4));
    assert_int_equal(out[1], 45);
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

CASE(given_loads_and_stores_of_each_size_then_only_those_bits_move)
{
    uint64_t out[WORDS];
    const uint64_t in[WORDS] = {UINT64_C(0x8182838485868788)};
    static const struct {
        const char *type;
        uint64_t loaded, stored;
    } cases[] = {{"u8", 0x88, 0xffffffffffffff88},
                 {"s8", MINUS(0x78), 0xffffffffffffff88},
                 {"u16", 0x8788, 0xffffffffffff8788},
                 {"s16", MINUS(0x7878), 0xffffffffffff8788},
                 {"u32", 0x85868788, 0xffffffff85868788},
                 {"s32", MINUS(0x7a797878), 0xffffffff85868788},
                 {"u64", 0x8182838485868788, 0x8182838485868788}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char body[512];
        memset(out, 0xff, sizeof(out));
        snprintf(body, sizeof(body),
                 "ld.global.%s %%rd3, [%%rd2];\nst.global.u64 [%%rd1], %%rd3;\n"
                 "ld.global.u64 %%rd4, [%%rd2];\nst.global.%s [%%rd1+8], %%rd4;\nret;",
                 cases[i].type, cases[i].type);
        assert_int_equal(ptx_run_body(body, 1, out, in), 0);
        assert_true(out[0] == cases[i].loaded);
        assert_true(out[1] == cases[i].stored);
    }
}

/* Lanes come in any order: each has the sum before its own, in one of them. */
static void assert_sums_of_some_order(const uint32_t *sums, uint32_t n)
{
    uint32_t before = 0;
    for (uint32_t step = 0; step < n; step++) {
        uint32_t lane = n - 1; /* lane 0 adds nothing, and may be anywhere */
        while (lane > 0 && sums[lane] != before)
            lane--;
        before += lane;
    }
    assert_int_equal(before, n * (n - 1) / 2);
}

CASE(given_atomic_operations_then_none_is_lost)
{
    uint32_t out[WORDS * 2] = {0};
    out[1] = 100;
    assert_int_equal(
        ptx_run_body("mov.u32 %r1, %tid.x;\natom.global.add.u32 %r2, [%rd1], %r1;\n"
                     "red.relaxed.gpu.global.min.s32 [%rd1+4], -7;\n"
                     "add.s32 %r5, %r1, 5;\natom.global.cas.b32 %r3, [%rd1+8], 0, %r5;\n"
                     "atom.global.exch.b32 %r4, [%rd1+12], %r1;\n"
                     "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
                     "st.global.u32 [%rd4+16], %r2;\nst.global.u32 [%rd4+144], %r3;\n"
                     "st.global.u32 [%rd4+272], %r4;\nret;",
                     32, out, out),
        0);
    assert_int_equal(out[0], 31 * 32 / 2);
    assert_sums_of_some_order(out + 4, 32);
    assert_int_equal((int32_t)out[1], -7);
    uint32_t found = 0, exchanged = out[3];
    for (uint32_t i = 0; i < 32; i++) {
        if (out[36 + i] == 0) {
            found++;
            assert_int_equal(out[2], i + 5); /* the only one that found 0 */
        } else {
            assert_int_equal(out[36 + i], out[2]);
        }
        exchanged += out[68 + i];
    }
    assert_int_equal(found, 1);
    assert_int_equal(exchanged, 31 * 32 / 2); /* each number is with somebody */
}

CASE(given_atomics_on_group_memory_then_the_group_counts)
{
    uint32_t out[WORDS * 2] = {0};
    assert_int_equal(
        ptx_run_body("mov.u32 %r1, %tid.x;\nmov.u64 %rd3, tile;\n"
                     "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n"
                     "st.shared.v2.u32 [%rd3], {%r1, %r1};\nL:\nbar.sync 0;\n"
                     "atom.shared.add.u32 %r2, [%rd3], 3;\n"
                     "cvta.shared.u64 %rd4, %rd3;\nred.max.u32 [%rd4+4], %r1;\n"
                     "bar.sync 0;\nld.shared.v2.u32 {%r3, %r4}, [%rd3];\n"
                     "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
                     "st.global.u32 [%rd6], %r3;\nst.global.u32 [%rd6+256], %r4;\nret;",
                     64, out, out),
        0);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(out[i], 192);
        assert_int_equal(out[64 + i], 63);
    }
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

/* Lanes that part and meet again; each counts as far as its number says. */
CASE(given_lanes_that_take_different_branches_then_each_has_its_own_result)
{
    uint32_t out[WORDS * 2] = {0};
    assert_int_equal(ptx_run_body("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                                  "LOOP:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra END;\n"
                                  "and.b32 %r4, %r3, 1;\nsetp.eq.s32 %p2, %r4, 0;\n@%p2 bra EVEN;\n"
                                  "add.s32 %r2, %r2, 100;\nbra.uni NEXT;\n"
                                  "EVEN:\nadd.s32 %r2, %r2, %r3;\n"
                                  "NEXT:\nadd.s32 %r3, %r3, 1;\nbra.uni LOOP;\n"
                                  "END:\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
                                  "st.global.u32 [%rd4], %r2;\nret;",
                                  32, out, out),
                     0);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t expected = 0;
        for (uint32_t k = 0; k < i; k++)
            expected += k % 2 ? 100 : k;
        assert_int_equal(out[i], expected);
    }
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

/* Variables of the module, and group memory whose size the launch says. */
CASE(given_variables_of_the_module_then_kernels_find_them)
{
    static const char code[] =
        ".version 6.3\n.target sm_70\n.address_size 64\n"
        ".const .align 4 .u32 table[4] = {10, 20, 30};\n.global .align 4 .b8 counter[4];\n"
        ".extern .shared .align 16 .b8 dynamic[];\n"
        ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
        ".reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [p0];\nld.const.u32 %r1, [table+8];\nmov.u64 %rd2, table;\n"
        "ld.global.u32 %r2, [%rd2+4];\natom.global.add.u32 %r3, [counter], 1;\n"
        "mov.u64 %rd3, dynamic;\nst.shared.u32 [%rd3+60], %r2;\n"
        "ld.shared.u32 %r4, [%rd3+60];\nst.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};\n"
        "ret;\n}\n";
    _Alignas(16) uint32_t out[4];
    const uint64_t param = (uintptr_t)out;
    const PtxAllocation memory = {.data = out, .size = sizeof(out)};
    PtxModule *module = ptx_module_load(code, ptx_error);
    if (!module)
        fail_msg("%s", ptx_error);
    PtxLaunch launch = {.entry = ptx_module_find(module, "k"),
                        .params = &param,
                        .lanes = {1, 1, 1},
                        .groups = {1, 1, 1},
                        .allocations = &memory,
                        .n_allocations = 1,
                        .shared_bytes = 64};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(ptx_run(&launch, ptx_error), 0);
        assert_int_equal(out[0], 30);
        assert_int_equal(out[1], 20);
        assert_int_equal(out[2], i);
        assert_int_equal(out[3], 20);
    }
    launch.shared_bytes = 60;
    assert_int_equal(ptx_run(&launch, ptx_error), -1);
    assert_non_null(strstr(ptx_error, "no group memory"));
    ptx_module_free(module);
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
    assert_fails("mov.u64 %rd3, own;\nst.local.u32 [%rd3+16], 1;\nret;", 1, "no lane memory");
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
