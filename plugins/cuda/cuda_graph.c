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
    CudaGraph graph;
    CudaGraphNode before; /* the last barrier; NULL: there was none */
    CudaGraphNode *nodes; /* since then */
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
        const VmafStreamRows *rows = &command->copy;
        if (command->kind == VMAF_STREAM_TIMESTAMP ||
            (command->kind == VMAF_STREAM_COPY &&
             (rows->dst_stride > max_pitch || rows->src_stride > max_pitch)))
            return false;
    }
    return list->n_commands > 0;
}

static CudaResult add_copy(Graph *graph, const VmafStreamRows *rows, CudaGraphNode *node)
{
    const CudaAddress src = vmaf_driver_copy_address(rows->src) + rows->src_offset;
    const CudaAddress dst = vmaf_driver_copy_address(rows->dst) + rows->dst_offset;
    CudaCopy3D copy = {
        .src_type = CUDA_MEMORY_DEVICE,
        .src_pitch = rows->src_stride,
        .src_height = rows->rows,
        .dst_type = CUDA_MEMORY_DEVICE,
        .dst_pitch = rows->dst_stride,
        .dst_height = rows->rows,
        .width = rows->row_size,
        .height = rows->rows,
        .depth = 1,
    };
    if (rows->src->head.memory != VMAF_MEMORY_DEVICE) {
        copy.src_type = CUDA_MEMORY_HOST;
        copy.src_host = (const void *)(uintptr_t)src;
    } else {
        copy.src_device = src;
    }
    if (rows->dst->head.memory != VMAF_MEMORY_DEVICE) {
        copy.dst_type = CUDA_MEMORY_HOST;
        copy.dst_host = (void *)(uintptr_t)dst;
    } else {
        copy.dst_device = dst;
    }
    return cuGraphAddMemcpyNode(node, graph->graph, &graph->before, graph->before != NULL, &copy,
                                graph->device->context);
}

static CudaResult add_dispatch(Graph *graph, const VmafStreamDispatch *dispatch,
                               CudaGraphNode *node)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    VmafDriverParameters parameters;
    vmaf_driver_parameters(dispatch, &parameters);
    const CudaKernelNode params = {
        .function = ((const VmafDriverKernel *)dispatch->kernel)->function,
        .grid_x = dispatch->groups[0],
        .grid_y = dispatch->groups[1],
        .grid_z = dispatch->groups[2],
        .block_x = kernel->lanes[0],
        .block_y = kernel->lanes[1],
        .block_z = 1,
        .parameters = parameters.list,
    };
    return cuGraphAddKernelNode(node, graph->graph, &graph->before, graph->before != NULL, &params);
}

static CudaResult add_barrier(Graph *graph)
{
    CudaResult result = CUDA_SUCCESS;
    if (graph->n_nodes == 1)
        graph->before = graph->nodes[0];
    else if (graph->n_nodes > 1)
        result = cuGraphAddEmptyNode(&graph->before, graph->graph, graph->nodes, graph->n_nodes);
    graph->n_nodes = 0;
    return result;
}

static CudaResult add(Graph *graph, const VmafStreamCommand *command, const char **what)
{
    CudaGraphNode *node = &graph->nodes[graph->n_nodes];
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

static CudaResult fill(Graph *graph, CudaCommandList *list, const char **what)
{
    CudaResult result = CUDA_SUCCESS;
    for (size_t i = 0; i < list->base.n_commands && result == CUDA_SUCCESS; i++)
        result = add(graph, &list->base.commands[i], what);
    if (result == CUDA_SUCCESS) {
        *what = "cuGraphInstantiate";
        result = cuGraphInstantiateWithFlags(&list->graph, graph->graph, 0);
    }
    return result;
}

int cuda_list_prepare(VmafStreamDevice *base, VmafStreamCommandList *list)
{
    Graph graph = {.device = (const CudaDevice *)base};
    const char *what = "a graph";
    if (!cuda_has_graphs() || !fits_a_graph(list, graph.device->max_pitch))
        return 0;
    graph.nodes = calloc(list->n_commands, sizeof(*graph.nodes));
    if (!graph.nodes)
        return vmaf_stream_fail(base, -ENOMEM, "out of memory (a graph)");
    CudaResult result = cuGraphCreate(&graph.graph, 0);
    if (result == CUDA_SUCCESS) {
        result = fill(&graph, (CudaCommandList *)list, &what);
        cuGraphDestroy(graph.graph);
    }
    free(graph.nodes);
    list->is_prepared = result == CUDA_SUCCESS;
    /* What a graph cannot hold, a stream can. */
    return result == CUDA_ERROR_NOT_SUPPORTED ? 0 : cuda_done(base, result, what);
}

int cuda_list_run(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream)
{
    const CudaResult result =
        cuGraphLaunch(((CudaCommandList *)list)->graph, vmaf_driver_stream(stream));
    return cuda_done(device, result, "cuGraphLaunch");
}

void cuda_list_release(VmafStreamDevice *device, VmafStreamCommandList *list)
{
    (void)device;
    if (((CudaCommandList *)list)->graph)
        cuGraphExecDestroy(((CudaCommandList *)list)->graph);
}
