/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules, launches and graphs of the emulated driver. */
#include "driver_fixture.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 1024 };

/* -- modules -- */

/* Loads it with a buffer for the log of errors. */
static CudaResult load(const char *version, const char *target, const char *body, char log[256])
{
    enum { ERROR_LOG = 5, ERROR_LOG_SIZE = 6 };
    const int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
    void *values[] = {log, (void *)256};
    char text[512];
    CudaModule module;
    memset(log, 'x', 256);
    snprintf(text, sizeof(text),
             ".version %s\n.target %s\n.address_size 64\n.visible .entry k()\n{\n"
             ".reg .b32 %%r<9>;\n%s\nret;\n}\n",
             version, target, body);
    const CudaResult result = cuModuleLoadDataEx(&module, text, 2, options, values);
    if (result == CUDA_SUCCESS)
        OK(cuModuleUnload(module));
    assert_int_equal((uintptr_t)values[1], strlen(log));
    return result;
}

static void given_code_that_is_not_understood_then_the_log_names_it(void **state)
{
    char log[256];
    CudaModule module;
    (void)state;
    OK(load("6.3", "sm_70", "", log));
    assert_string_equal(log, "");
    assert_int_equal(load("6.3", "sm_70", "frobnicate.u32 %r1, %r2;", log), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "frobnicate.u32"));
    assert_int_equal(load("9.9", "sm_70", "", log), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_non_null(strstr(log, "9.9"));
    assert_int_equal(load("9.9", "sm_70", "frobnicate.u32 %r1, %r2;", log),
                     CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    OK(load("8.4", "sm_89", "", log));
    assert_int_equal(load("8.4", "sm_90", "", log), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(load("8.4", "sm_80a", "", log), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, "\x7f"
                                               "ELF"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
    fixture_start("driver 11000", "late");
    OK(load("7.0", "sm_70", "", log));
    assert_int_equal(load("7.1", "sm_70", "", log), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

static void given_a_module_that_is_unloaded_then_its_kernels_cannot_run(void **state)
{
    static const char code[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k()\n{\nret;\n}\n";
    CudaModule module;
    CudaFunction function, again;
    (void)state;
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

static void given_launches_that_make_no_sense_then_they_are_refused(void **state)
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
    (void)state;
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

static void given_parameters_in_one_buffer_then_the_size_has_to_fit(void **state)
{
    CudaFunction fill = fixture_fill_kernel();
    struct {
        CudaAddress memory;
        uint32_t value;
    } buffer = {fixture_device_memory(SIZE), 6};
    size_t size = 12;
    void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};
    (void)state;
    OK(cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    buffer.value = 7; /* it was copied */
    assert_int_equal(fixture_read(buffer.memory + 252), 6);
    size = 8;
    assert_int_equal(cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra),
                     CUDA_ERROR_INVALID_VALUE);
}

static void given_a_kernel_then_its_attributes_are_known(void **state)
{
    CudaFunction function =
        fixture_kernel("", ".shared .align 8 .b8 tile[3000];\n.local .align 8 .b8 own[16];\nret;");
    int value, blocks;
    (void)state;
    OK(cuFuncGetAttribute(&value, 0, function));
    assert_int_equal(value, 1024);
    OK(cuFuncGetAttribute(&value, 1, function));
    assert_int_equal(value, 3000);
    OK(cuFuncGetAttribute(&value, 3, function));
    assert_int_equal(value, 16);
    OK(cuFuncGetAttribute(&value, 5, function));
    assert_int_equal(value, 63);
    OK(cuFuncGetAttribute(&value, 6, function));
    assert_int_equal(value, 89);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
    assert_int_equal(blocks, 6);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 47000, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(function, 8, 47000));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 47000, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(cuFuncSetAttribute(function, 8, 110000), CUDA_ERROR_INVALID_VALUE);
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
    OK(cuGraphAddKernelNode_v2(&added, graph, &before, before != NULL, &node));
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
static uint32_t run_graph(bool depends, bool old_interface)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node;
    OK(cuGraphCreate(&graph, 0));
    OK(cuMemsetD32Async(memory, 1, 1, stream));
    node = add_fill(graph, fill, memory, 2, NULL);
    add_copy(graph, (uintptr_t)result, memory, 4, depends ? node : NULL);
    if (old_interface)
        OK(cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
    else
        OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph)); /* it was copied */
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphExecDestroy(exec)); /* it still runs */
    assert_int_equal(*result, 0xdbdbdbdb);
    OK(cuStreamSynchronize(stream));
    return *result;
}

static void given_a_graph_then_only_dependencies_order_it(void **state)
{
    (void)state;
    assert_int_equal(run_graph(true, false), 2);
    assert_int_equal(run_graph(true, true), 2);
    assert_int_equal(run_graph(false, false), 1);
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

static void given_a_graph_launched_twice_then_the_launches_follow_each_other(void **state)
{
    CudaStream a = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream b = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE), other = fixture_device_memory(SIZE);
    CudaFunction fill = fixture_fill_kernel();
    CudaGraph graph;
    CudaGraphExec exec;
    (void)state;
    OK(cuGraphCreate(&graph, 0));
    add_copy(graph, other, memory, 4, NULL);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(fixture_fill(fill, memory, 3, 1, a));
    OK(cuGraphLaunch(exec, a));
    OK(cuGraphLaunch(exec, b)); /* so b waits for what is on a */
    OK(cuStreamSynchronize(b));
    assert_int_equal(fixture_read(other), 3);
    assert_int_equal(emulated_cuda_count("submission"), 2);
}

static void count_up(void *data)
{
    ++*(int *)data;
}

static void given_each_kind_of_node_then_it_runs(void **state)
{
    CudaAddress memory = fixture_device_memory(SIZE);
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream other = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaEvent begin = fixture_event(0), end = fixture_event(0), before = fixture_event(0);
    CudaFunction fill = fixture_fill_kernel();
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node, nodes[8];
    int calls = 0;
    size_t count = 8;
    float ms = -1;
    const CudaMemsetNode set = {
        .dst = memory, .value = 5, .element_size = 4, .width = 2, .height = 1};
    const CudaHostNode call = {count_up, &calls};
    (void)state;
    OK(fixture_fill(fill, memory, 9, 1, other));
    OK(cuEventRecord(before, other));
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddEventWaitNode(&node, graph, NULL, 0, before));
    OK(cuGraphAddEventRecordNode(&node, graph, &node, 1, begin));
    OK(cuGraphAddMemsetNode(&node, graph, &node, 1, &set, fixture_context));
    OK(cuGraphAddEmptyNode(&node, graph, &node, 1));
    OK(cuGraphAddHostNode(&node, graph, &node, 1, &call));
    OK(cuGraphAddEventRecordNode(&node, graph, &node, 1, end));
    OK(cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 6);
    assert_ptr_equal(nodes[5], node);
    nodes[0] = nodes[1] = node;
    assert_int_equal(cuGraphAddEmptyNode(&node, graph, nodes, 2), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphUpload(exec, stream));
    OK(cuGraphLaunch(exec, stream));
    assert_int_equal(calls, 0);
    OK(cuStreamSynchronize(stream));
    assert_int_equal(calls, 1);
    assert_int_equal(fixture_read(memory + 4), 5);
    assert_int_equal(fixture_read(memory + 8), 9); /* it waited for the other stream */
    OK(cuEventElapsedTime(&ms, begin, end));
    assert_true(ms > 0);
    OK(cuGraphExecDestroy(exec));
    assert_int_equal(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_HANDLE);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(given_code_that_is_not_understood_then_the_log_names_it),
        TEST(given_a_module_that_is_unloaded_then_its_kernels_cannot_run),
        TEST(given_launches_that_make_no_sense_then_they_are_refused),
        TEST(given_parameters_in_one_buffer_then_the_size_has_to_fit),
        TEST(given_a_kernel_then_its_attributes_are_known),
        TEST(given_a_graph_then_only_dependencies_order_it),
        TEST(given_a_graph_launched_twice_then_the_launches_follow_each_other),
        TEST(given_each_kind_of_node_then_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
