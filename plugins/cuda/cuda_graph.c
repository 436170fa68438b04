/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists as graphs: one call starts all of a frame. What stands between two barriers depends
 * on everything before the first one, and on nothing else, so it may run at once.
 */
#include <stdlib.h>

#include "cuda_internal.h"

typedef struct Graph {
    CudaCommandList *list;
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

static uint64_t max_pitch(const CudaCommandList *list)
{
    return ((const CudaDevice *)list->head.device)->max_pitch;
}

/* Times are taken between commands of a stream, and nodes copy rows of a limited pitch. */
static bool fits_a_graph(const CudaCommandList *list)
{
    for (size_t i = 0; i < list->n_commands; i++) {
        const CudaCommand *command = &list->commands[i];
        const CudaRows *rows = &command->copy;
        if (command->kind == COMMAND_TIMESTAMP ||
            (command->kind == COMMAND_COPY &&
             (rows->dst_stride > max_pitch(list) || rows->src_stride > max_pitch(list))))
            return false;
    }
    return list->n_commands > 0;
}

static CudaResult add_copy(Graph *graph, const CudaRows *rows, CudaGraphNode *node)
{
    const CudaDevice *device = (const CudaDevice *)graph->list->head.device;
    CudaCopy3D copy = {
        .src_type = rows->src_is_host ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE,
        .src_pitch = rows->src_stride,
        .src_height = rows->rows,
        .dst_type = rows->dst_is_host ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE,
        .dst_pitch = rows->dst_stride,
        .dst_height = rows->rows,
        .width = rows->row_size,
        .height = rows->rows,
        .depth = 1,
    };
    if (rows->src_is_host)
        copy.src_host = (const void *)(uintptr_t)rows->src;
    else
        copy.src_device = rows->src;
    if (rows->dst_is_host)
        copy.dst_host = (void *)(uintptr_t)rows->dst;
    else
        copy.dst_device = rows->dst;
    return cuGraphAddMemcpyNode(node, graph->graph, &graph->before, graph->before != NULL, &copy,
                                device->context);
}

static CudaResult add_dispatch(Graph *graph, const CudaDispatch *dispatch, CudaGraphNode *node)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    CudaParameters parameters;
    cuda_parameters(dispatch, &parameters);
    const CudaKernelNode params = {
        .function = dispatch->kernel->function,
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

static CudaResult add(Graph *graph, const CudaCommand *command, const char **what)
{
    CudaGraphNode *node = &graph->nodes[graph->n_nodes];
    switch (command->kind) {
    case COMMAND_COPY:
        *what = "cuGraphAddMemcpyNode";
        graph->n_nodes++;
        return add_copy(graph, &command->copy, node);
    case COMMAND_DISPATCH:
        *what = "cuGraphAddKernelNode";
        graph->n_nodes++;
        return add_dispatch(graph, &command->dispatch, node);
    case COMMAND_BARRIER:
        *what = "cuGraphAddEmptyNode";
        return add_barrier(graph);
    case COMMAND_TIMESTAMP:
        break;
    }
    return CUDA_ERROR_NOT_SUPPORTED; /* fits_a_graph */
}

static CudaResult fill(Graph *graph, const char **what)
{
    CudaCommandList *list = graph->list;
    CudaResult result = CUDA_SUCCESS;
    for (size_t i = 0; i < list->n_commands && result == CUDA_SUCCESS; i++)
        result = add(graph, &list->commands[i], what);
    if (result == CUDA_SUCCESS) {
        *what = "cuGraphInstantiate";
        result = cuGraphInstantiateWithFlags(&list->graph, graph->graph, 0);
    }
    return result;
}

CudaResult cuda_graph_make(CudaCommandList *list, const char **what)
{
    Graph graph = {.list = list};
    if (!cuda_has_graphs() || !fits_a_graph(list))
        return CUDA_SUCCESS;
    *what = "a graph";
    graph.nodes = calloc(list->n_commands, sizeof(*graph.nodes));
    if (!graph.nodes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CudaResult result = cuGraphCreate(&graph.graph, 0);
    if (result == CUDA_SUCCESS) {
        result = fill(&graph, what);
        cuGraphDestroy(graph.graph);
    }
    free(graph.nodes);
    /* What a graph cannot hold, a stream can. */
    return result == CUDA_ERROR_NOT_SUPPORTED ? CUDA_SUCCESS : result;
}
