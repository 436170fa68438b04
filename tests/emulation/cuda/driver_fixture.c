/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_fixture.h"

CudaContext fixture_context;

void fixture_start(const char *machine, const char *order)
{
    CudaDeviceHandle device;
    assert_int_equal(emulated_cuda_configure(machine, order), 0);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&fixture_context, 0, device));
}

int fixture_set_up(void **state)
{
    fixture_start(NULL, "late");
    return 0;
}

int fixture_tear_down(void **state)
{
    return emulated_cuda_configure(NULL, "late");
}

CudaFunction fixture_fill_kernel(void)
{
    static const char text[] =
        ".version 6.3\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n"
        ".reg .b32 %r<19>;\n.reg .b64 %rd<19>;\n"
        "ld.param.u64 %rd1, [p0];\nld.param.u32 %r1, [p1];\n"
        "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
        "mad.lo.s32 %r5, %r2, %r3, %r4;\nmul.wide.u32 %rd2, %r5, 4;\n"
        "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";
    CudaModule module;
    CudaFunction function;
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&function, module, "k"));
    return function;
}

CudaResult fixture_fill(CudaFunction fill, CudaAddress to, uint32_t value, unsigned groups,
                        CudaStream stream)
{
    void *parameters[] = {&to, &value};
    return cuLaunchKernel(fill, groups, 1, 1, 64, 1, 1, 0, stream, parameters, NULL);
}

CudaAddress fixture_device_memory(size_t bytes)
{
    CudaAddress address = 0;
    OK(cuMemAlloc_v2(&address, bytes));
    return address;
}

uint32_t fixture_read(CudaAddress from)
{
    uint32_t word = 0;
    OK(cuMemcpyDtoH_v2(&word, from, sizeof(word)));
    return word;
}

void *fixture_pinned(size_t bytes)
{
    void *memory = NULL;
    OK(cuMemHostAlloc(&memory, bytes, 0));
    return memory;
}

CudaStream fixture_stream(unsigned flags)
{
    CudaStream stream = NULL;
    OK(cuStreamCreate(&stream, flags));
    return stream;
}

CudaEvent fixture_event(unsigned flags)
{
    CudaEvent event = NULL;
    OK(cuEventCreate(&event, flags));
    return event;
}
