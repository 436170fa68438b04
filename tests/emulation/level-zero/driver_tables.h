/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What level_zero_tables.c consists of; the build writes that file. */
#include "driver.h"

/* The driver does not have this one. */
#define UNSUPPORTED(function)                                                                      \
    static ze_result_t unsupported_##function(void)                                                \
    {                                                                                              \
        return driver_unsupported(#function);                                                      \
    }

#define TABLE(getter, type)                                                                        \
    __attribute__((visibility("default"))) ze_result_t getter(ze_api_version_t version,            \
                                                              type *table)                         \
    {                                                                                              \
        if (!table)                                                                                \
            return ZE_RESULT_ERROR_INVALID_NULL_POINTER;                                           \
        if (ZE_MAJOR_VERSION(version) != ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT))                 \
            return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;

#define NO_ENTRY(field, type, function) table->field = (type)(void (*)(void))unsupported_##function;

#define ENTRY(field, type, function)                                                               \
    if (emulated_##function)                                                                       \
        table->field = emulated_##function;                                                        \
    else                                                                                           \
        NO_ENTRY(field, type, function)

#define TABLE_END                                                                                  \
    return ZE_RESULT_SUCCESS;                                                                      \
    }

#define FUNCTIONS_BEGIN const char *const driver_functions[] = {
#define FUNCTIONS_END                                                                              \
    NULL                                                                                           \
    }                                                                                              \
    ;
