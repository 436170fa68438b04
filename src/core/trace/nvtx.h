/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_TRACE_NVTX_H
#define CORE_TRACE_NVTX_H

/*
 * Ranges for profilers that inject a library for version 3 of NVTX, an interface for annotations:
 * spans are pushed and popped, frames started and ended, all in a domain "libvmaf", or in the
 * default one if the library knows none.
 */

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* ---- ranges ---- */

/* Loads the library, once in a process; true if it listens. A failure is a warning. */
bool nvtx_load(const char *path, const Logger *logger);

/* Only if it does. */
void nvtx_name_thread(const char *name);
void nvtx_push(const TraceSpan *span);
void nvtx_pop(void);
uint64_t nvtx_start(unsigned frame);
void nvtx_end(uint64_t range);

/* ---- the interface ---- */

/*
 * As much of the binary interface between a program and an injected library as is used here.
 *
 * The program loads the library and calls InitializeInjectionNvtx2 with a function that hands out
 * tables. The library asks for the one with callbacks, and through it, by module, for an array of
 * addresses at which the program keeps its function pointers; it stores its own functions there.
 * What it leaves alone stays NULL and does nothing.
 */

#define NVTX_ENTRY_POINT "InitializeInjectionNvtx2"

enum { NVTX_VERSION = 3 };

/* Tables that are exported. */
enum { NVTX_TABLE_CALLBACKS = 1, NVTX_TABLE_VERSION = 3 };

/* Modules of functions, and the numbers of functions in them; 0 is none. */
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5, NVTX_MODULES = 7 };
enum {
    NVTX_RANGE_START = 4, /* with attributes, as the next */
    NVTX_RANGE_START_TEXT = 5,
    NVTX_RANGE_END = 7,
    NVTX_RANGE_PUSH = 8,
    NVTX_RANGE_PUSH_TEXT = 9,
    NVTX_RANGE_POP = 11,
    NVTX_NAME_THREAD = 14,
};
enum {
    NVTX_DOMAIN_RANGE_START = 2,
    NVTX_DOMAIN_RANGE_END = 3,
    NVTX_DOMAIN_RANGE_PUSH = 4,
    NVTX_DOMAIN_RANGE_POP = 5,
    NVTX_DOMAIN_CREATE = 12,
    NVTX_INITIALIZE = 15,
};

enum { NVTX_FUNCTIONS = 16 }; /* of the largest module, with none */

typedef void (*NvtxFunction)(void);

typedef struct NvtxCallbacks {
    size_t struct_size;
    /* 1; 0: there is no such module. */
    int (*module_functions)(int module, NvtxFunction ***functions, unsigned *size);
} NvtxCallbacks;

typedef struct NvtxVersion {
    size_t struct_size;
    uint32_t version;
    uint32_t reserved;
    void (*set_library_version)(uint32_t version);
} NvtxVersion;

typedef const void *NvtxExport(uint32_t table);
/* 0: the library does not want to listen. */
typedef int NvtxInitialize(NvtxExport *tables);

typedef struct NvtxDomain NvtxDomain;

/* What the payload and the message of a range are. */
enum { NVTX_PAYLOAD_UINT64 = 1, NVTX_MESSAGE_TEXT = 1 };

typedef struct NvtxAttributes {
    uint16_t version, size;
    uint32_t category;
    int32_t colour_type;
    uint32_t colour;
    int32_t payload_type, reserved;
    union {
        uint64_t number;
        double real;
    } payload;
    int32_t message_type;
    union {
        const char *text;
        const void *handle;
    } message;
} NvtxAttributes;

_Static_assert(sizeof(NvtxVersion) == 2 * sizeof(size_t) + sizeof(uint64_t), "not NVTX's layout");
_Static_assert(offsetof(NvtxAttributes, payload) == 24, "not NVTX's layout");
_Static_assert(offsetof(NvtxAttributes, message) == 32 + sizeof(void *), "not NVTX's layout");

#endif
