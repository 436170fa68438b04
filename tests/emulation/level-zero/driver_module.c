/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules, what their compiler says, and what is asked about them. */
#include "driver_module.h"

#include <stdlib.h>
#include <string.h>

#include "driver_command.h"

typedef struct Log {
    Object object;
    char *text;
} Log;

static void create_log(ze_module_build_log_handle_t *handle, const char *text)
{
    if (!handle)
        return;
    Log *log = driver_create_object(OBJECT_LOG, sizeof(*log), NULL);
    log->text = strdup(text);
    *handle = (ze_module_build_log_handle_t)log;
}

/* Options of the interface, and of OpenCL's compiler, have these beginnings. */
static bool are_known(const char *flags, char error[256])
{
    for (const char *at = flags ? flags : ""; *at;) {
        const int length = (int)strcspn(at, " ");
        if (length > 0 && strncmp(at, "-ze-", 4) != 0 && strncmp(at, "-cl-", 4) != 0) {
            snprintf(error, 256, "the option %.*s is not known", length, at);
            return false;
        }
        at += length + (at[length] == ' ');
    }
    return true;
}

static bool can_run(const Device *device, const Spirv *spirv, char error[256])
{
    const uint32_t taken = driver_spirv_of(device);
    const uint32_t major = spirv->version >> 16, minor = spirv->version >> 8 & 0xff;
    if (ZE_MAKE_VERSION(major, minor) > taken || major != ZE_MAJOR_VERSION(taken)) {
        snprintf(error, 256, "the device takes SPIR-V %u.%u, not %u.%u", ZE_MAJOR_VERSION(taken),
                 ZE_MINOR_VERSION(taken), major, minor);
        return false;
    }
    if (spirv->uses_fp64 && device->state->machine->own[DEVICE_NO_FP64]) {
        snprintf(error, 256, "double precision is not supported by the device");
        return false;
    }
    return true;
}

static Spirv *compile(const Device *device, const ze_module_desc_t *desc, OpenclProgram **program,
                      ze_module_build_log_handle_t *handle)
{
    char error[256] = "";
    char *log = NULL;
    Spirv *spirv = spirv_read(desc->pInputModule, desc->inputSize, error);
    const bool is_good =
        spirv && are_known(desc->pBuildFlags, error) && can_run(device, spirv, error);
    if (is_good)
        spirv_stop_unrolling(spirv);
    *program = is_good ? opencl_build(spirv->words, desc->inputSize, &log) : NULL;
    create_log(handle, *error || !log ? error : log);
    if (!*program) {
        machine_log("! %.200s", *error || !log ? error : log);
        if (spirv)
            spirv_free(spirv);
        spirv = NULL;
    }
    free(log);
    return spirv;
}

static ze_result_t create_module(ze_context_handle_t context_handle, ze_device_handle_t handle,
                                 const ze_module_desc_t *desc, ze_module_handle_t *created,
                                 ze_module_build_log_handle_t *log)
{
    ze_result_t result;
    OpenclProgram *program = NULL;
    Context *context = driver_find(context_handle, OBJECT_CONTEXT, &result);
    Device *device = context ? driver_find(handle, OBJECT_DEVICE, &result) : NULL;
    if (!device)
        return result;
    if (!desc || !desc->pInputModule || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->inputSize == 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    if (desc->format == ZE_MODULE_FORMAT_NATIVE)
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV || desc->pNext)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    Spirv *spirv = compile(device, desc, &program, log);
    if (!spirv)
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    Module *module = driver_create_object(OBJECT_MODULE, sizeof(*module), device);
    module->context = context;
    module->spirv = spirv;
    module->program = program;
    *created = (ze_module_handle_t)module;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleCreate,
              (ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t *desc,
               ze_module_handle_t *module, ze_module_build_log_handle_t *log),
              create_module(context, device, desc, module, log))

static ze_result_t destroy_module(ze_module_handle_t handle)
{
    ze_result_t result;
    Module *module = driver_find_lost(handle, OBJECT_MODULE, &result);
    if (!module)
        return result;
    if (module->n_kernels > 0)
        machine_complain("a module is destroyed that has %u kernels", module->n_kernels);
    driver_spoil(&module->object);
    driver_destroy_object(&module->object); /* its kernels may still look at the code */
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleDestroy, (ze_module_handle_t handle), destroy_module(handle))

static ze_result_t get_log(ze_module_build_log_handle_t handle, size_t *size, char *text)
{
    ze_result_t result;
    const Log *log = driver_find(handle, OBJECT_LOG, &result);
    if (!log)
        return result;
    if (!size)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const size_t all = strlen(log->text) + 1;
    if (text) {
        if (*size < all)
            return ZE_RESULT_ERROR_INVALID_SIZE;
        memcpy(text, log->text, all);
    }
    *size = all;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleBuildLogGetString,
              (ze_module_build_log_handle_t handle, size_t *size, char *text),
              get_log(handle, size, text))

static ze_result_t destroy_log(ze_module_build_log_handle_t handle)
{
    ze_result_t result;
    Log *log = driver_find_lost(handle, OBJECT_LOG, &result);
    if (!log)
        return result;
    free(log->text);
    driver_destroy_object(&log->object);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleBuildLogDestroy, (ze_module_build_log_handle_t handle), destroy_log(handle))
