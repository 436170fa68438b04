/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Graphs. A launch puts the nodes on the stream in one of the orders that their dependencies allow:
 * unless told otherwise the one that is least like that in which they were added, so that a
 * dependency that is missing shows.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum NodeKind { NODE_EMPTY, NODE_KERNEL, NODE_COPY };

typedef struct NodeWork {
    enum NodeKind kind;
    union {
        Launch launch;
        Copy copy;
    };
} NodeWork;

struct CUgraphNode_st {
    unsigned magic;
    CudaGraph graph;
    size_t index;
    NodeWork work;
    size_t *before; /* indexes of nodes that come before it */
    size_t n_before;
};

struct CUgraph_st {
    unsigned magic;
    CudaGraph next; /* of all */
    CudaGraphNode *nodes;
    size_t n_nodes;
};

struct CUgraphExec_st {
    unsigned magic;
    CudaGraphExec next; /* of all */
    CudaContext context;
    CudaGraphNode *nodes; /* copies */
    size_t n_nodes;
    Point last; /* launches of it follow each other */
};

static CudaGraph graphs;
static CudaGraphExec execs;

static void free_node(CudaGraphNode node)
{
    if (node->work.kind == NODE_KERNEL)
        driver_free_launch(&node->work.launch);
    free(node->before);
    free(node);
}

static void free_nodes(CudaGraphNode *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free_node(nodes[i]);
    free(nodes);
}

/* -- making them -- */

static CudaResult create_graph(CudaGraph *graph, unsigned flags)
{
    if (!graph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = calloc(1, sizeof(**graph));
    **graph = (struct CUgraph_st){.magic = DRIVER_ALIVE, .next = graphs};
    graphs = *graph;
    return CUDA_SUCCESS;
}

static CudaResult destroy_graph(CudaGraph graph)
{
    if (!driver_is_alive(graph, "a graph"))
        return CUDA_ERROR_INVALID_HANDLE;
    graph->magic = DRIVER_DEAD;
    free_nodes(graph->nodes, graph->n_nodes);
    graph->nodes = NULL;
    return CUDA_SUCCESS;
}

/* What is checked before the work of a node. */
static CudaResult check_node(CudaGraphNode *node, CudaGraph graph, const CudaGraphNode *before,
                             size_t n_before)
{
    if (!node || (n_before && !before))
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_alive(graph, "a graph"))
        return CUDA_ERROR_INVALID_HANDLE;
    for (size_t i = 0; i < n_before; i++) {
        if (!before[i] || before[i]->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
        for (size_t k = 0; k < i; k++) {
            if (before[k] == before[i])
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static CudaResult add_node(CudaGraphNode *node, CudaGraph graph, const CudaGraphNode *before,
                           size_t n_before, const NodeWork *work)
{
    CudaGraphNode added = calloc(1, sizeof(*added));
    *added = (struct CUgraphNode_st){.magic = DRIVER_ALIVE,
                                     .graph = graph,
                                     .index = graph->n_nodes,
                                     .work = *work,
                                     .n_before = n_before,
                                     .before = malloc((n_before + 1) * sizeof(size_t))};
    for (size_t i = 0; i < n_before; i++)
        added->before[i] = before[i]->index;
    graph->nodes = realloc(graph->nodes, (graph->n_nodes + 1) * sizeof(CudaGraphNode));
    graph->nodes[graph->n_nodes++] = *node = added;
    return CUDA_SUCCESS;
}

static CudaResult add_kernel(CudaContext context, CudaGraphNode *node, CudaGraph graph,
                             const CudaGraphNode *before, size_t n_before,
                             const CudaKernelNode *parameters)
{
    NodeWork work = {.kind = NODE_KERNEL};
    CudaResult result = check_node(node, graph, before, n_before);
    if (result == CUDA_SUCCESS)
        result = parameters ? driver_resolve_launch(context, parameters, &work.launch)
                            : CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? add_node(node, graph, before, n_before, &work) : result;
}

/* Nodes run in a context, which is named. */
static CudaResult check_context(CudaContext named)
{
    return named && named->magic == DRIVER_ALIVE ? driver_context_state(named)
                                                 : CUDA_ERROR_INVALID_VALUE;
}

static CudaResult add_copy(CudaGraphNode *node, CudaGraph graph, const CudaGraphNode *before,
                           size_t n_before, const CudaCopy3D *copy, CudaContext named)
{
    NodeWork work = {.kind = NODE_COPY};
    CudaResult result = check_node(node, graph, before, n_before);
    if (result == CUDA_SUCCESS)
        result = check_context(named);
    if (result == CUDA_SUCCESS)
        result = copy ? driver_resolve_copy(copy, &work.copy) : CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? add_node(node, graph, before, n_before, &work) : result;
}

static CudaResult add_empty(CudaGraphNode *node, CudaGraph graph, const CudaGraphNode *before,
                            size_t n_before)
{
    const NodeWork work = {.kind = NODE_EMPTY};
    const CudaResult result = check_node(node, graph, before, n_before);
    return result == CUDA_SUCCESS ? add_node(node, graph, before, n_before, &work) : result;
}

/* -- running them -- */

static CudaGraphNode copy_node(CudaGraphNode node)
{
    CudaGraphNode copy = malloc(sizeof(*copy));
    *copy = *node;
    copy->before = malloc((node->n_before + 1) * sizeof(size_t));
    memcpy(copy->before, node->before, node->n_before * sizeof(size_t));
    if (node->work.kind == NODE_KERNEL)
        copy->work.launch = driver_copy_launch(&node->work.launch);
    return copy;
}

static CudaResult instantiate(CudaContext context, CudaGraphExec *exec, CudaGraph graph,
                              unsigned long long flags)
{
    if (!exec || flags > 15)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_alive(graph, "a graph"))
        return CUDA_ERROR_INVALID_HANDLE;
    *exec = calloc(1, sizeof(**exec));
    **exec = (struct CUgraphExec_st){.magic = DRIVER_ALIVE,
                                     .next = execs,
                                     .context = context,
                                     .n_nodes = graph->n_nodes,
                                     .nodes = malloc((graph->n_nodes + 1) * sizeof(CudaGraphNode))};
    for (size_t i = 0; i < graph->n_nodes; i++)
        (*exec)->nodes[i] = copy_node(graph->nodes[i]);
    execs = *exec;
    return CUDA_SUCCESS;
}

static CudaResult destroy_exec(CudaGraphExec exec)
{
    if (!driver_is_alive(exec, "an instantiated graph"))
        return CUDA_ERROR_INVALID_HANDLE;
    exec->magic = DRIVER_DEAD;
    free_nodes(exec->nodes, exec->n_nodes);
    exec->nodes = NULL;
    return CUDA_SUCCESS;
}

static CudaResult put_node(CudaStream stream, const NodeWork *work)
{
    Command command = {.kind = COMMAND_EMPTY};
    switch (work->kind) {
    case NODE_EMPTY:
        break;
    case NODE_KERNEL:
        if (!driver_is_function(work->launch.function))
            return CUDA_ERROR_INVALID_HANDLE;
        command.kind = COMMAND_KERNEL;
        command.launch = driver_copy_launch(&work->launch);
        break;
    case NODE_COPY:
        command.kind = COMMAND_COPY;
        command.copy = work->copy;
        break;
    }
    return driver_put(stream, &command, NULL);
}

/* A node that can be next, of those that were not put there yet. */
static size_t choose(const struct CUgraphExec_st *exec, const bool *is_put)
{
    size_t chosen = exec->n_nodes;
    uint64_t n = 0;
    for (size_t i = 0; i < exec->n_nodes; i++) {
        const struct CUgraphNode_st *node = exec->nodes[i];
        size_t k = 0;
        while (k < node->n_before && is_put[node->before[k]])
            k++;
        if (is_put[i] || k < node->n_before)
            continue;
        if (machine_order == MACHINE_EARLY)
            return i;
        if (machine_order != MACHINE_RANDOM || machine_random(++n) == 0)
            chosen = i;
    }
    return chosen;
}

static CudaResult launch(CudaContext context, CudaGraphExec exec, CudaStream handle)
{
    CudaResult result;
    if (!driver_is_alive(exec, "an instantiated graph"))
        return CUDA_ERROR_INVALID_HANDLE;
    CudaStream stream = driver_stream(context, handle, &result);
    if (!stream)
        return result;
    const MachineFault *fault = machine_count("submission");
    if (fault && fault->kind == MACHINE_LOSE)
        return machine_lose_device(context->device->state, fault->error);
    if (fault)
        machine_arm(fault);
    bool *is_put = calloc(exec->n_nodes + 1, sizeof(*is_put));
    driver_put_wait(stream, exec->last);
    for (size_t i = 0; i < exec->n_nodes && result == CUDA_SUCCESS; i++) {
        const size_t chosen = choose(exec, is_put);
        is_put[chosen] = true;
        result = put_node(stream, &exec->nodes[chosen]->work);
    }
    exec->last = (Point){stream, stream->enqueued};
    machine_note(" nodes=%zu", exec->n_nodes);
    free(is_put);
    return result;
}

CUDA_GRAPH_FUNCTIONS(DRIVER_DEFINE)
