/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trace/nvtx.h"

#include "platform/module.h"
#include "platform/thread.h"

/* What the library stores when it is initialised; NULL: it does not listen to that. */
static NvtxFunction functions[NVTX_MODULES][NVTX_FUNCTIONS];

/* How ranges are handed over: the best way that the library knows. */
static enum { IN_DOMAIN, WITH_ATTRIBUTES, AS_TEXT } way;
static NvtxDomain *domain;

/* ---- what the library asks for ---- */

/* Functions of each module, none included. Libraries write to all of them, used or not. */
static const unsigned char sizes[NVTX_MODULES] = {0, 16, 9, 15, 7, 16, 7};

static int module_functions(int module, NvtxFunction ***table, unsigned *size)
{
    static NvtxFunction *tables[NVTX_MODULES][NVTX_FUNCTIONS + 1]; /* ends with NULL */
    if (module <= 0 || module >= NVTX_MODULES)
        return 0;
    for (unsigned i = 1; i < sizes[module]; i++)
        tables[module][i] = &functions[module][i];
    if (table)
        *table = tables[module];
    if (size)
        *size = sizes[module];
    return 1;
}

static void set_library_version(uint32_t version)
{
    (void)version;
}

static const void *export_table(uint32_t table)
{
    static const NvtxCallbacks callbacks = {sizeof(callbacks), module_functions};
    static const NvtxVersion version = {sizeof(version), NVTX_VERSION, 0, set_library_version};
    return table == NVTX_TABLE_CALLBACKS ? (const void *)&callbacks
           : table == NVTX_TABLE_VERSION ? (const void *)&version
                                         : NULL;
}

/* ---- loading ---- */

static bool has(int module, const int numbers[4])
{
    for (int i = 0; i < 4; i++) {
        if (!functions[module][numbers[i]])
            return false;
    }
    return true;
}

static void choose_way(void)
{
    static const int in_domain[] = {NVTX_DOMAIN_RANGE_PUSH, NVTX_DOMAIN_RANGE_POP,
                                    NVTX_DOMAIN_RANGE_START, NVTX_DOMAIN_RANGE_END};
    static const int plain[] = {NVTX_RANGE_PUSH, NVTX_RANGE_POP, NVTX_RANGE_START, NVTX_RANGE_END};
    way = has(NVTX_MODULE_CORE2, in_domain) ? IN_DOMAIN
          : has(NVTX_MODULE_CORE, plain)    ? WITH_ATTRIBUTES
                                            : AS_TEXT;
    const NvtxFunction create = functions[NVTX_MODULE_CORE2][NVTX_DOMAIN_CREATE];
    if (way == IN_DOMAIN && create)
        domain = ((NvtxDomain * (*)(const char *)) create)("libvmaf");
}

static bool load(const char *path, const Logger *logger)
{
    char why[256];
    VmafCodeAddress entry;
    if (vmaf_module_find(path, NVTX_ENTRY_POINT, &entry, why, sizeof(why))) {
        log_message(logger, VMAF_LOG_LEVEL_WARNING, "no NVTX ranges: %s", why);
        return false;
    }
    if (!((NvtxInitialize *)entry)(export_table)) {
        log_message(logger, VMAF_LOG_LEVEL_WARNING, "no NVTX ranges: %s does not want them", path);
        return false;
    }
    const NvtxFunction initialize = functions[NVTX_MODULE_CORE2][NVTX_INITIALIZE];
    if (initialize)
        ((void (*)(const void *))initialize)(NULL);
    choose_way();
    return true;
}

bool nvtx_load(const char *path, const Logger *logger)
{
    static VmafMutex lock = VMAF_MUTEX_INITIALIZER;
    static bool loaded, listens;
    vmaf_mutex_lock(&lock);
    if (!loaded)
        listens = load(path, logger);
    loaded = true;
    const bool result = listens;
    vmaf_mutex_unlock(&lock);
    return result;
}

/* ---- ranges ---- */

static NvtxAttributes attributes_of(const TraceSpan *span)
{
    return (NvtxAttributes){
        .version = NVTX_VERSION,
        .size = sizeof(NvtxAttributes),
        .payload_type = span->of_frame ? NVTX_PAYLOAD_UINT64 : 0,
        .payload.number = span->frame,
        .message_type = NVTX_MESSAGE_TEXT,
        .message.text = span->name,
    };
}

void nvtx_name_thread(const char *name)
{
    const NvtxFunction function = functions[NVTX_MODULE_CORE][NVTX_NAME_THREAD];
    if (function)
        ((void (*)(uint32_t, const char *))function)(vmaf_thread_number(), name);
}

void nvtx_push(const TraceSpan *span)
{
    const NvtxAttributes attributes = attributes_of(span);
    const NvtxFunction *const core = functions[NVTX_MODULE_CORE];
    if (way == IN_DOMAIN)
        ((int (*)(NvtxDomain *, const NvtxAttributes *))
             functions[NVTX_MODULE_CORE2][NVTX_DOMAIN_RANGE_PUSH])(domain, &attributes);
    else if (way == WITH_ATTRIBUTES)
        ((int (*)(const NvtxAttributes *))core[NVTX_RANGE_PUSH])(&attributes);
    else if (core[NVTX_RANGE_PUSH_TEXT])
        ((int (*)(const char *))core[NVTX_RANGE_PUSH_TEXT])(span->name);
}

void nvtx_pop(void)
{
    const NvtxFunction pop = functions[NVTX_MODULE_CORE][NVTX_RANGE_POP];
    if (way == IN_DOMAIN)
        ((int (*)(NvtxDomain *))functions[NVTX_MODULE_CORE2][NVTX_DOMAIN_RANGE_POP])(domain);
    else if (pop)
        ((int (*)(void))pop)();
}

uint64_t nvtx_start(unsigned frame)
{
    const TraceSpan span = {.name = "frame", .of_frame = true, .frame = frame};
    const NvtxAttributes attributes = attributes_of(&span);
    const NvtxFunction *const core = functions[NVTX_MODULE_CORE];
    if (way == IN_DOMAIN)
        return ((uint64_t(*)(NvtxDomain *, const NvtxAttributes *))
                    functions[NVTX_MODULE_CORE2][NVTX_DOMAIN_RANGE_START])(domain, &attributes);
    if (way == WITH_ATTRIBUTES)
        return ((uint64_t(*)(const NvtxAttributes *))core[NVTX_RANGE_START])(&attributes);
    if (core[NVTX_RANGE_START_TEXT])
        return ((uint64_t(*)(const char *))core[NVTX_RANGE_START_TEXT])(span.name);
    return 0;
}

void nvtx_end(uint64_t range)
{
    const NvtxFunction end = functions[NVTX_MODULE_CORE][NVTX_RANGE_END];
    if (way == IN_DOMAIN)
        ((void (*)(NvtxDomain *, uint64_t))functions[NVTX_MODULE_CORE2][NVTX_DOMAIN_RANGE_END])(
            domain, range);
    else if (end)
        ((void (*)(uint64_t))end)(range);
}
