/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists as graphs: one call starts all of a frame. What stands between two barriers depends
 * on everything before the first one, and on nothing else, so it may run at once.
 */
#include <errno.h>
#include <stdlib.h>

#include "cuda_internal.h"

typedef struct Graph {
    const CudaDevice *device;
    CUgraph graph;
    CUgraphNode before; /* the last barrier; NULL: there was none */
    CUgraphNode *nodes; /* since then */
    size_t n_nodes;
} Graph;

bool cuda_has_graphs(void)
{
    return cuGraphInstantiateWithFlags && cuGraphCreate && cuGraphAddKernelNode &&
           cuGraphAddMemcpyNode && cuGraphAddEmptyNode && cuGraphLaunch && cuGraphExecDestroy &&
           cuGraphDestroy;
}

/* Times are taken between commands of a stream, and nodes copy rows of a limited pitch. */
static bool fits_a_graph(const VmafStreamCommandList *list, uint64_t max_pitch)
{
    for (size_t i = 0; i < list->n_commands; i++) {
        const VmafStreamCommand *command = &list->commands[i];
        const VmafDeviceCopy *rows = &command->copy;
        if (command->kind == VMAF_STREAM_TIMESTAMP ||
            (command->kind == VMAF_STREAM_COPY &&
             (rows->dst_stride > max_pitch || rows->src_stride > max_pitch)))
            return false;
    }
    return list->n_commands > 0;
}

static CUresult add_copy(Graph *graph, const VmafDeviceCopy *rows, CUgraphNode *node)
{
    const CUdeviceptr src = cuda_copy_address(rows->src, rows->src_offset);
    const CUdeviceptr dst = cuda_copy_address(rows->dst, rows->dst_offset);
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcPitch = rows->src_stride,
        .srcHeight = rows->rows,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstPitch = rows->dst_stride,
        .dstHeight = rows->rows,
        .WidthInBytes = rows->row_size,
        .Height = rows->rows,
        .Depth = 1,
    };
    if (rows->src->memory != VMAF_MEMORY_DEVICE) {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = (const void *)(uintptr_t)src;
    } else {
        copy.srcDevice = src;
    }
    if (rows->dst->memory != VMAF_MEMORY_DEVICE) {
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = (void *)(uintptr_t)dst;
    } else {
        copy.dstDevice = dst;
    }
    return cuGraphAddMemcpyNode(node, graph->graph, &graph->before, graph->before != NULL, &copy,
                                graph->device->context);
}

static CUresult add_dispatch(Graph *graph, const VmafStreamDispatch *dispatch, CUgraphNode *node)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    CudaParameters parameters;
    cuda_parameters(dispatch, &parameters);
    const CUDA_KERNEL_NODE_PARAMS params = {
        .func = ((const CudaKernel *)dispatch->kernel)->function,
        .gridDimX = dispatch->groups[0],
        .gridDimY = dispatch->groups[1],
        .gridDimZ = dispatch->groups[2],
        .blockDimX = kernel->lanes[0],
        .blockDimY = kernel->lanes[1],
        .blockDimZ = 1,
        .kernelParams = parameters.list,
    };
    return cuGraphAddKernelNode(node, graph->graph, &graph->before, graph->before != NULL, &params);
}

static CUresult add_barrier(Graph *graph)
{
    CUresult result = CUDA_SUCCESS;
    if (graph->n_nodes == 1)
        graph->before = graph->nodes[0];
    else if (graph->n_nodes > 1)
        result = cuGraphAddEmptyNode(&graph->before, graph->graph, graph->nodes, graph->n_nodes);
    graph->n_nodes = 0;
    return result;
}

static CUresult add(Graph *graph, const VmafStreamCommand *command, const char **what)
{
    CUgraphNode *node = &graph->nodes[graph->n_nodes];
    switch (command->kind) {
    case VMAF_STREAM_COPY:
        *what = "cuGraphAddMemcpyNode";
        graph->n_nodes++;
        return add_copy(graph, &command->copy, node);
    case VMAF_STREAM_DISPATCH:
        *what = "cuGraphAddKernelNode";
        graph->n_nodes++;
        return add_dispatch(graph, &command->dispatch, node);
    case VMAF_STREAM_BARRIER:
        *what = "cuGraphAddEmptyNode";
        return add_barrier(graph);
    case VMAF_STREAM_TIMESTAMP:
        break;
    }
    return CUDA_ERROR_NOT_SUPPORTED; /* fits_a_graph */
}

static CUresult fill(Graph *graph, CudaCommandList *list, const char **what)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < list->base.n_commands && result == CUDA_SUCCESS; i++)
        result = add(graph, &list->base.commands[i], what);
    if (result == CUDA_SUCCESS) {
        *what = "cuGraphInstantiate";
        result = cuGraphInstantiateWithFlags(&list->graph, graph->graph, 0);
    }
    return result;
}

int cuda_graph_create(CudaDevice *device, CudaCommandList *list)
{
    Graph graph = {.device = device};
    const char *what = "a graph";
    if (!cuda_has_graphs() || !fits_a_graph(&list->base, device->max_pitch))
        return 0;
    graph.nodes = calloc(list->base.n_commands, sizeof(*graph.nodes));
    if (!graph.nodes)
        return vmaf_stream_fail(&device->base, -ENOMEM, "out of memory (a graph)");
    CUresult result = cuGraphCreate(&graph.graph, 0);
    if (result == CUDA_SUCCESS) {
        result = fill(&graph, list, &what);
        cuGraphDestroy(graph.graph);
    }
    free(graph.nodes);
    if (result != CUDA_SUCCESS)
        list->graph = NULL;
    /* What a graph cannot hold, a stream can. */
    return result == CUDA_ERROR_NOT_SUPPORTED ? 0 : driver_done(device, result, what);
}
