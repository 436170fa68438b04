/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_H
#define TESTS_EMULATION_CUDA_DRIVER_H

#include <stdbool.h>

#include "driver_api.h"
#include "machine.h"

/*
 * What the files of the driver share. One lock guards everything; every exported function takes it
 * in DRIVER_CALL, and all that is declared here and in the other headers is called with it held.
 */

typedef struct Device {
    DeviceState *state;
    CudaDeviceHandle ordinal;
    CudaContext primary;
    unsigned primary_users, primary_flags;
    unsigned n_contexts;
} Device;

struct CUctx_st {
    unsigned magic; /* of all objects: DRIVER_ALIVE, then DRIVER_DEAD, and they are not freed */
    CudaContext next;
    unsigned id;
    Device *device;
    bool is_primary;
    CudaResult broken; /* what every call returns since; 0: it works */
    CudaStream legacy;
};

enum { DRIVER_ALIVE = 0xa11fe, DRIVER_DEAD = 0xdead };

/* Whether an object, which its name says, exists; complains if not. */
bool driver_is_alive(const void *object, const char *name);

/* What machines and devices have of their own. */
enum { DRIVER_IS_MISMATCHED };
enum { DEVICE_CAPABILITY /* ten times, as 89 */, DEVICE_COMPUTE_MODE };

typedef struct Driver {
    Device devices[MACHINE_MAX_DEVICES];
    bool is_initialized;
    uint64_t serial;      /* of allocations, streams, contexts: ids that never return */
    uint64_t runs;        /* commands that ran */
    CudaContext contexts; /* all that were ever made, as with other objects */
} Driver;

extern Driver driver;

enum DriverNeeds {
    DRIVER_NEEDS_NOTHING,
    DRIVER_NEEDS_INIT,
    DRIVER_NEEDS_CURRENT, /* a context that is current, but may be broken */
    DRIVER_NEEDS_CONTEXT, /* one that works */
};

/* machine_begin, and a look at what the call needs. Followed by machine_end in any case. */
CudaResult driver_begin(const char *function, enum DriverNeeds needs, CudaContext *context);

#define DRIVER_CALL(needs, expression)                                                             \
    do {                                                                                           \
        CudaContext context = NULL;                                                                \
        CudaResult called = driver_begin(__func__, needs, &context);                               \
        (void)context;                                                                             \
        if (called == CUDA_SUCCESS)                                                                \
            called = (expression);                                                                 \
        return machine_end(__func__, called);                                                      \
    } while (0)

/* An exported function, as the tables of driver_api.h have it. */
#define DRIVER_DEFINE(name, needs, parameters, expression)                                         \
    CudaResult name parameters                                                                     \
    {                                                                                              \
        DRIVER_CALL(DRIVER_NEEDS_##needs, expression);                                             \
    }

/* What machine_runtime needs: everything is gone; devices are those of the machine; a device, or
 * that of this thread, is lost. */
void driver_forget(void);
void driver_set_up(void);
void driver_drop_device(DeviceState *device);
int driver_lose_current(int error);

/* -- devices and contexts -- */

/* NULL: there is no such device. */
Device *driver_device(CudaDeviceHandle handle);
CudaContext driver_current(void);
/* What calls in the context return: 0, or the error that stays. */
CudaResult driver_context_state(CudaContext context);
void driver_break_context(CudaContext context, CudaResult result);

enum PlaceKind {
    PLACE_DEVICE,
    PLACE_PINNED, /* of the host, known to the driver: read when the copy runs */
    PLACE_PAGEABLE,
    PLACE_STAGED, /* pageable memory, as it was when the copy was asked for */
};

/* Rows in memory. */
typedef struct Place {
    enum PlaceKind kind;
    uint64_t address;
    uint64_t pitch;
    uint64_t id; /* of the allocation, which has to be the same when the copy runs */
} Place;

typedef struct Copy {
    Place dst, src;
    uint64_t width, height;
} Copy;

typedef struct Fill {
    Place dst;
    uint64_t size;
    unsigned char value;
} Fill;

/* What a description means, with everything checked that a driver checks. */
CudaResult driver_resolve_copy(const CudaCopy3D *description, Copy *copy);

CudaResult driver_run_copy(const Copy *copy, Work *work);
CudaResult driver_run_fill(const Fill *fill, Work *work);
void driver_free_copy(Copy *copy);

/*
 * The code that modules hold. Each runtime that is made of these files has a kind of its own, and
 * defines the functions here: PTX in driver_ptx.c.
 */
typedef struct Code Code;

enum { CODE_ERROR_SIZE = 320 };

typedef struct CodeParam {
    uint32_t offset, size; /* bytes */
} CodeParam;

typedef struct CodeKernel {
    const char *name;
    CodeParam *params; /* free it */
    uint32_t n_params, params_size;
    uint32_t max_lanes;   /* of a group; 0: any number */
    uint32_t shared_size; /* bytes of group memory */
    const void *entry;    /* of the code */
} CodeKernel;

/* The code of an image for a device. A text says why it is rejected, "" if there is nothing to say;
 * free with driver_free_code. */
CudaResult driver_load_code(const Device *device, const void *image, Code **code,
                            char error[CODE_ERROR_SIZE]);
void driver_free_code(Code *code);

CudaResult driver_find_kernel(const Code *code, const char *name, CodeKernel *kernel);
struct CUfunc_st {
    unsigned magic;
    CudaFunction next; /* of the module */
    CudaModule module;
    CodeKernel kernel;
};

struct CUmod_st {
    unsigned magic;
    CudaModule next; /* of all */
    CudaContext context;
    unsigned id;
    Code *code;
    CudaFunction functions;
};

/* Whether a handle is a function of a module that is loaded. */
bool driver_is_function(CudaFunction function);
void driver_drop_modules(CudaContext context);

/* -- launches -- */

/* A kernel with everything it runs with. */
typedef struct Launch {
    CudaFunction function;
    uint32_t groups[3], lanes[3];
    unsigned char *params; /* its own */
} Launch;

/* Checks and copies what a launch was asked for with. Free with driver_free_launch. */
CudaResult driver_resolve_launch(CudaContext context, const CudaKernelNode *description,
                                 Launch *launch);
/* One that can be freed on its own. */
Launch driver_copy_launch(const Launch *launch);
CudaResult driver_run_launch(CudaContext context, const Launch *launch, Work *work);
void driver_free_launch(Launch *launch);

/* -- also of each kind of code -- */

/* Whether kernels of the context can access it. */
static inline bool driver_can_access(CudaContext context, const Memory *memory)
{
    return memory->kind != MEMORY_DEVICE || memory->owner == context;
}
/* Runs a launch whose function is there, and says on the standard error what is wrong. */
CudaResult driver_run_kernel(CudaContext context, const Launch *launch, Work *work);

/* Everything on a stream up to there. */
typedef struct Point {
    CudaStream stream; /* NULL: nothing */
    uint64_t position;
} Point;

enum CommandKind { COMMAND_EMPTY, COMMAND_COPY, COMMAND_FILL, COMMAND_KERNEL, COMMAND_RECORD };

typedef struct Command {
    Task task;
    enum CommandKind kind;
    CudaStream stream;
    uint64_t position;
    Point *after; /* what has to be done before, on other streams */
    unsigned n_after;
    union {
        Copy copy;
        Fill fill;
        Launch launch;
        struct {
            CudaEvent event;
            uint64_t record; /* that of its records which this one is */
        };
    };
} Command;

struct CUstream_st {
    unsigned magic;
    CudaStream next; /* of all */
    CudaContext context;
    unsigned id, flags;
    bool is_legacy;
    TaskQueue queue;
    uint64_t enqueued, completed; /* positions */
    uint64_t time_ns;             /* simulated, at which its last command ended */
};

struct CUevent_st {
    unsigned magic;
    CudaEvent next;
    CudaContext context;
    unsigned id, flags;
    Point point; /* of its last record */
    uint64_t records, done;
    uint64_t time_ns;
};

CudaStream driver_create_stream(CudaContext context, unsigned flags);
/* The stream that a handle means in the context; NULL: none, and an error in *result. */
CudaStream driver_stream(CudaContext context, CudaStream handle, CudaResult *result);

/*
 * Puts a command, of which the kind and its values are given, on a stream, behind what legacy
 * streams ask for. *point (may be NULL): where it is.
 */
CudaResult driver_put(CudaStream stream, const Command *command, Point *point);
/* What comes next on the stream waits for the point. */
void driver_put_wait(CudaStream stream, Point point);

/* Runs what is needed up to the point. What calls in the context return then. */
CudaResult driver_finish(CudaContext context, Point point);
CudaResult driver_finish_context(CudaContext context);

/* Nothing of it will run. */
void driver_drop_work(CudaContext context);
void driver_drop_streams(CudaContext context);

#endif
