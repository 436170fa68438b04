/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Command lists and queues. */
#include "driver_list.h"

#include <stdlib.h>

/* -- queues -- */

/* Context, device and description of a queue, or of an immediate list. */
static Device *check_queue(ze_context_handle_t context_handle, ze_device_handle_t device_handle,
                           const ze_command_queue_desc_t *desc, Context **context,
                           ze_result_t *result)
{
    *context = driver_find(context_handle, OBJECT_CONTEXT, result);
    Device *device = *context ? driver_find(device_handle, OBJECT_DEVICE, result) : NULL;
    if (!device)
        return NULL;
    *result = ZE_RESULT_SUCCESS;
    if (!desc)
        *result = ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    else if (desc->flags & ~(ze_command_queue_flags_t)ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY)
        *result = ZE_RESULT_ERROR_INVALID_ENUMERATION;
    else if (!driver_has_queue(device, desc->ordinal, desc->index))
        *result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return *result == ZE_RESULT_SUCCESS ? device : NULL;
}

static ze_result_t create_queue(ze_context_handle_t context_handle, ze_device_handle_t handle,
                                const ze_command_queue_desc_t *desc,
                                ze_command_queue_handle_t *created)
{
    ze_result_t result;
    Context *context;
    Device *device = check_queue(context_handle, handle, desc, &context, &result);
    if (!device)
        return result;
    if (!created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    Queue *queue = driver_create_object(OBJECT_QUEUE, sizeof(*queue), device);
    queue->context = context;
    queue->ordinal = desc->ordinal;
    queue->is_synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    *created = (ze_command_queue_handle_t)queue;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                                          const ze_command_queue_desc_t *desc,
                                          ze_command_queue_handle_t *queue)
{
    DRIVER_CALL(create_queue(context, device, desc, queue));
}

ze_result_t emulated_zeCommandQueueDestroy(ze_command_queue_handle_t handle)
{
    DRIVER_CALL(driver_give_back(handle, OBJECT_QUEUE));
}

static ze_result_t synchronize(ze_command_queue_handle_t handle, uint64_t timeout_ns)
{
    ze_result_t result;
    Queue *queue = driver_find(handle, OBJECT_QUEUE, &result);
    if (!queue)
        return result;
    return driver_wait(queue->object.device, &(Target){.queue = queue}, timeout_ns);
}

ze_result_t emulated_zeCommandQueueSynchronize(ze_command_queue_handle_t handle,
                                               uint64_t timeout_ns)
{
    DRIVER_CALL(synchronize(handle, timeout_ns));
}

/* -- execution -- */

static ze_result_t check_lists(const Queue *queue, uint32_t n, ze_command_list_handle_t *handles)
{
    ze_result_t result;
    if (!handles)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (n == 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    for (uint32_t i = 0; i < n; i++) {
        const List *list = driver_find(handles[i], OBJECT_LIST, &result);
        if (!list)
            return result;
        if (list->is_immediate || list->ordinal != queue->ordinal ||
            list->context != queue->context || list->object.device != queue->object.device)
            return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
        if (!list->is_closed || driver_is_used(&list->object)) {
            machine_complain(list->is_closed ? "a list is executed that runs already"
                                             : "a list is executed that is not closed");
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static void submit_list(Queue *queue, List *list, uint64_t submission)
{
    for (size_t i = 0; i < list->n_commands; i++) {
        Command *command = driver_copy_command(list->commands[i]);
        command->queue = queue;
        command->sequence = &queue->sequence;
        command->submission = submission;
        driver_submit(command);
    }
}

static ze_result_t execute(ze_command_queue_handle_t handle, uint32_t n,
                           ze_command_list_handle_t *handles, ze_fence_handle_t fence_handle)
{
    ze_result_t result;
    Fence *fence = NULL;
    Queue *queue = driver_find(handle, OBJECT_QUEUE, &result);
    if (!queue)
        return result;
    if (fence_handle && !(fence = driver_find(fence_handle, OBJECT_FENCE, &result)))
        return result;
    if (fence && fence->queue != queue)
        return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    result = check_lists(queue, n, handles);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    driver_begin_submission();
    const uint64_t submission = driver_new_submission();
    for (uint32_t i = 0; i < n; i++)
        submit_list(queue, (List *)(void *)handles[i], submission);
    if (fence) {
        Command *command = calloc(1, sizeof(*command));
        *command = (Command){.kind = COMMAND_FENCE,
                             .fence = fence,
                             .queue = queue,
                             .sequence = &queue->sequence,
                             .context = queue->context,
                             .device = queue->object.device,
                             .submission = submission};
        machine_arm(NULL);
        driver_submit(command);
    }
    driver_make_progress();
    return queue->is_synchronous
               ? driver_finish(queue->object.device, &(Target){.queue = queue}, UINT64_MAX)
               : queue->object.device->lost;
}

ze_result_t emulated_zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t handle, uint32_t n,
                                                       ze_command_list_handle_t *lists,
                                                       ze_fence_handle_t fence)
{
    DRIVER_CALL(execute(handle, n, lists, fence));
}

/* -- lists -- */

static ze_result_t create_list(ze_context_handle_t context_handle, ze_device_handle_t handle,
                               const ze_command_list_desc_t *desc,
                               ze_command_list_handle_t *created)
{
    ze_result_t result;
    Context *context = driver_find(context_handle, OBJECT_CONTEXT, &result);
    Device *device = context ? driver_find(handle, OBJECT_DEVICE, &result) : NULL;
    if (!device)
        return result;
    if (!desc || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags > 7)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!driver_has_queue(device, desc->commandQueueGroupOrdinal, 0))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    List *list = driver_create_object(OBJECT_LIST, sizeof(*list), device);
    list->context = context;
    list->ordinal = desc->commandQueueGroupOrdinal;
    *created = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
                                         const ze_command_list_desc_t *desc,
                                         ze_command_list_handle_t *list)
{
    DRIVER_CALL(create_list(context, device, desc, list));
}

static ze_result_t create_immediate(ze_context_handle_t context_handle, ze_device_handle_t handle,
                                    const ze_command_queue_desc_t *desc,
                                    ze_command_list_handle_t *created)
{
    ze_result_t result;
    Context *context;
    Device *device = check_queue(context_handle, handle, desc, &context, &result);
    if (!device)
        return result;
    if (!created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    List *list = driver_create_object(OBJECT_LIST, sizeof(*list), device);
    list->context = context;
    list->ordinal = desc->ordinal;
    list->is_immediate = true;
    list->is_synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    *created = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeCommandListCreateImmediate(ze_context_handle_t context,
                                                  ze_device_handle_t device,
                                                  const ze_command_queue_desc_t *desc,
                                                  ze_command_list_handle_t *list)
{
    DRIVER_CALL(create_immediate(context, device, desc, list));
}

static void drop_commands(List *list)
{
    for (size_t i = 0; i < list->n_commands; i++)
        driver_free_command(list->commands[i]);
    free(list->commands);
    list->commands = NULL;
    list->n_commands = 0;
}

static ze_result_t destroy_list(ze_command_list_handle_t handle)
{
    ze_result_t result;
    List *list = driver_find_lost(handle, OBJECT_LIST, &result);
    if (!list)
        return result;
    driver_spoil(&list->object);
    driver_destroy_object(&list->object);
    drop_commands(list);
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeCommandListDestroy(ze_command_list_handle_t handle)
{
    DRIVER_CALL(destroy_list(handle));
}

static List *find_regular(ze_command_list_handle_t handle, ze_result_t *result)
{
    List *list = driver_find(handle, OBJECT_LIST, result);
    if (list && list->is_immediate) {
        *result = ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
        return NULL;
    }
    return list;
}

static ze_result_t close_list(ze_command_list_handle_t handle)
{
    ze_result_t result;
    List *list = find_regular(handle, &result);
    if (!list)
        return result;
    list->is_closed = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeCommandListClose(ze_command_list_handle_t handle)
{
    DRIVER_CALL(close_list(handle));
}

static ze_result_t reset_list(ze_command_list_handle_t handle)
{
    ze_result_t result;
    List *list = find_regular(handle, &result);
    if (!list)
        return result;
    driver_spoil(&list->object);
    drop_commands(list);
    list->is_closed = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeCommandListReset(ze_command_list_handle_t handle)
{
    DRIVER_CALL(reset_list(handle));
}

#ifdef HAS_zeCommandListHostSynchronize
static ze_result_t synchronize_list(ze_command_list_handle_t handle, uint64_t timeout_ns)
{
    ze_result_t result;
    List *list = driver_find(handle, OBJECT_LIST, &result);
    if (!list)
        return result;
    if (!list->is_immediate)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return driver_wait(list->object.device, &(Target){.list = list}, timeout_ns);
}

ze_result_t emulated_zeCommandListHostSynchronize(ze_command_list_handle_t handle,
                                                  uint64_t timeout_ns)
{
    DRIVER_CALL(synchronize_list(handle, timeout_ns));
}
#endif

/* -- adding to them -- */

void driver_begin_submission(void)
{
    const MachineFault *fault = machine_count("submission");
    if (fault)
        machine_arm(fault);
}

ze_result_t driver_append(List *list, const Command *command)
{
    Device *device = list->object.device;
    Command *added = malloc(sizeof(*added));
    *added = *command;
    added->list = list;
    added->context = list->context;
    added->device = device;
    if (!list->is_immediate) {
        list->commands = realloc(list->commands, (list->n_commands + 1) * sizeof(Command *));
        list->commands[list->n_commands++] = added;
        return ZE_RESULT_SUCCESS;
    }
    driver_begin_submission();
    added->sequence = &list->sequence;
    added->submission = driver_new_submission();
    driver_submit(added);
    driver_make_progress();
    return list->is_synchronous ? driver_finish(device, &(Target){.list = list}, UINT64_MAX)
                                : device->lost;
}
