/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Contexts, which own what is made in them. */
#include "driver.h"
#include "driver_schedule.h"

static ze_result_t create_context(ze_driver_handle_t handle, ze_context_handle_t *context)
{
    ze_result_t result;
    if (!driver_find(handle, OBJECT_DRIVER, &result))
        return result;
    if (!context)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *context = driver_create_object(OBJECT_CONTEXT, sizeof(Context), NULL);
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeContextCreate(ze_driver_handle_t handle, const ze_context_desc_t *desc,
                                     ze_context_handle_t *context)
{
    DRIVER_CALL(desc ? create_context(handle, context) : ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

ze_result_t emulated_zeContextCreateEx(ze_driver_handle_t handle, const ze_context_desc_t *desc,
                                       uint32_t n_devices, ze_device_handle_t *devices,
                                       ze_context_handle_t *context)
{
    (void)n_devices;
    (void)devices;
    DRIVER_CALL(desc ? create_context(handle, context) : ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

ze_result_t emulated_zeContextDestroy(ze_context_handle_t handle)
{
    DRIVER_CALL(driver_give_back(handle, OBJECT_CONTEXT));
}

static ze_result_t get_context_status(ze_context_handle_t handle)
{
    ze_result_t result;
    return driver_find(handle, OBJECT_CONTEXT, &result) ? ZE_RESULT_SUCCESS : result;
}

ze_result_t emulated_zeContextGetStatus(ze_context_handle_t handle)
{
    DRIVER_CALL(get_context_status(handle));
}
