/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules, launches and graphs of the emulated driver. */
#include "driver_fixture.h"
#include "support/cases.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 1024 };

/* -- modules -- */

static CudaResult load(const char *version, const char *target, const char *body)
{
    char text[512];
    CudaModule module;
    snprintf(text, sizeof(text),
             ".version %s\n.target %s\n.address_size 64\n.visible .entry k()\n{\n"
             ".reg .b32 %%r<9>;\n%s\nret;\n}\n",
             version, target, body);
    const CudaResult result = cuModuleLoadData(&module, text);
    if (result == CUDA_SUCCESS)
        OK(cuModuleUnload(module));
    return result;
}

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_code_that_is_not_understood_then_it_is_refused)
{
    CudaModule module;
    OK(load("6.3", "sm_70", ""));
    assert_int_equal(load("6.3", "sm_70", "frobnicate.u32 %r1, %r2;"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(load("9.9", "sm_70", ""), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(load("9.9", "sm_70", "frobnicate.u32 %r1, %r2;"),
                     CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    OK(load("8.4", "sm_89", ""));
    assert_int_equal(load("8.4", "sm_90", ""), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(load("8.4", "sm_80a", ""), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, "\x7f"
                                               "ELF"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
    fixture_start("driver 11000", "late");
    OK(load("7.0", "sm_70", ""));
    assert_int_equal(load("7.1", "sm_70", ""), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST(given_a_module_that_is_unloaded_then_its_kernels_cannot_run)
{
    static const char code[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k()\n{\nret;\n}\n";
    CudaModule module;
    CudaFunction function, again;
    OK(cuModuleLoadData(&module, code));
    OK(cuModuleGetFunction(&function, module, "k"));
    OK(cuModuleGetFunction(&again, module, "k"));
    assert_ptr_equal(function, again);
    assert_int_equal(cuModuleGetFunction(&again, module, "no"), CUDA_ERROR_NOT_FOUND);
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleUnload(module));
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED); /* the first never ran */
}

/* -- launches -- */

TEST(given_launches_that_make_no_sense_then_they_are_refused)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t value = 1;
    void *parameters[] = {&memory, &value};
    static const struct {
        unsigned grid[3], block[3], shared;
    } bad[] = {{{0, 1, 1}, {1, 1, 1}, 0},     {{1, 65536, 1}, {1, 1, 1}, 0},
               {{1, 1, 65536}, {1, 1, 1}, 0}, {{1u << 31, 1, 1}, {1, 1, 1}, 0},
               {{1, 1, 1}, {1025, 1, 1}, 0},  {{1, 1, 1}, {33, 32, 1}, 0},
               {{1, 1, 1}, {1, 1, 65}, 0},    {{1, 1, 1}, {0, 1, 1}, 0},
               {{1, 1, 1}, {1, 1, 1}, 49153}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cuLaunchKernel(fill, bad[i].grid[0], bad[i].grid[1], bad[i].grid[2],
                                        bad[i].block[0], bad[i].block[1], bad[i].block[2],
                                        bad[i].shared, NULL, parameters, NULL),
                         CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    parameters[1] = NULL;
    assert_int_equal(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(emulated_cuda_count("launch"), 0);
}

/* -- graphs -- */

static CudaGraphNode add_fill(CudaGraph graph, CudaFunction fill, CudaAddress to, uint32_t value,
                              CudaGraphNode before)
{
    void *parameters[] = {&to, &value};
    const CudaKernelNode node = {.function = fill,
                                 .grid_x = 1,
                                 .grid_y = 1,
                                 .grid_z = 1,
                                 .block_x = 64,
                                 .block_y = 1,
                                 .block_z = 1,
                                 .parameters = parameters};
    CudaGraphNode added;
    OK(cuGraphAddKernelNode(&added, graph, &before, before != NULL, &node));
    return added;
}

static CudaGraphNode add_copy(CudaGraph graph, uint64_t to, CudaAddress from, size_t bytes,
                              CudaGraphNode before)
{
    const CudaCopy3D copy = {.src_type = CUDA_MEMORY_DEVICE,
                             .src_device = from,
                             .dst_type = CUDA_MEMORY_UNIFIED,
                             .dst_device = to,
                             .width = bytes,
                             .height = 1,
                             .depth = 1};
    CudaGraphNode added;
    OK(cuGraphAddMemcpyNode(&added, graph, &before, before != NULL, &copy, fixture_context));
    return added;
}

/* A fill, a copy to the host and an event, which may depend on each other. */
static uint32_t run_graph(bool depends)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node;
    OK(cuGraphCreate(&graph, 0));
    OK(cuMemsetD8Async(memory, 1, 4, stream));
    node = add_fill(graph, fill, memory, 2, NULL);
    add_copy(graph, (uintptr_t)result, memory, 4, depends ? node : NULL);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph)); /* it was copied */
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphExecDestroy(exec)); /* it still runs */
    assert_int_equal(*result, 0xdbdbdbdb);
    OK(cuStreamSynchronize(stream));
    return *result;
}

TEST(given_a_graph_then_only_dependencies_order_it)
{
    assert_int_equal(run_graph(true), 2);
    assert_int_equal(run_graph(false), 0x01010101);
    for (int seed = 1; seed < 6; seed++) {
        const char order[] = {(char)('0' + seed), '\0'};
        fixture_start(NULL, order);
        CudaFunction fill = fixture_fill_kernel();
        CudaAddress memory = fixture_device_memory(SIZE);
        CudaGraph graph;
        CudaGraphExec exec;
        CudaGraphNode node = NULL;
        OK(cuGraphCreate(&graph, 0));
        for (uint32_t i = 0; i < 20; i++)
            node = add_fill(graph, fill, memory, i, node);
        OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
        OK(cuGraphLaunch(exec, NULL));
        assert_int_equal(fixture_read(memory), 19);
        assert_int_equal(emulated_cuda_count("launch"), 20);
    }
}

TEST(given_a_graph_launched_twice_then_the_launches_follow_each_other)
{
    CudaStream a = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream b = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE), other = fixture_device_memory(SIZE);
    CudaFunction fill = fixture_fill_kernel();
    CudaGraph graph;
    CudaGraphExec exec;
    OK(cuGraphCreate(&graph, 0));
    add_copy(graph, other, memory, 4, NULL);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(fixture_fill(fill, memory, 3, 1, a));
    OK(cuGraphLaunch(exec, a));
    OK(cuGraphLaunch(exec, b)); /* so b waits for what is on a */
    OK(cuStreamSynchronize(b));
    assert_int_equal(fixture_read(other), 3);
    assert_int_equal(emulated_cuda_count("submission"), 2);
    OK(cuGraphExecDestroy(exec));
    assert_int_equal(cuGraphLaunch(exec, b), CUDA_ERROR_INVALID_HANDLE);
}

TEST(given_nodes_that_make_no_sense_then_they_are_refused)
{
    CudaGraph graph, other;
    CudaGraphNode node, twice[2];
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphCreate(&other, 0));
    OK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    twice[0] = twice[1] = node;
    assert_int_equal(cuGraphAddEmptyNode(&node, graph, twice, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddEmptyNode(&node, other, twice, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(graph));
    assert_int_equal(cuGraphAddEmptyNode(&node, graph, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
}
