/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "ptx_fixture.h"

#include <stdio.h>

static char text[4096];
char ptx_error[PTX_ERROR_SIZE];
bool ptx_backwards;

PtxModule *ptx_load(const char *body)
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

int ptx_run_body(const char *body, uint32_t n, void *written, const void *read)
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

void ptx_check_case(const PtxCase *test, const char *sources)
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
