/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_METAL_H
#define TESTS_EMULATION_METAL_METAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel_set.h"
#include "machine.h"

/*
 * Objects, classes, messages and references, as the Objective-C runtime has them. Everything here
 * is called with the machine's lock held (machine.h), unless it says otherwise.
 *
 * References are counted twice: those of the program, and those that the runtime itself has, as a
 * command buffer has one of each resource. A program may only use what it has a reference of, or
 * what a pool of its thread will release; that something else keeps the object alive is luck.
 */

typedef unsigned long NSUInteger;
typedef long NSInteger;

typedef struct Object Object;
typedef struct Class Class;

/* What a program holds as SEL. */
typedef struct Selector {
    const char *name;
    struct Selector *next;
} Selector;

typedef struct Method {
    const char *name;
    void (*function)(void);
    int since; /* macOS that has it first, as 13; 0: all */
} Method;

#define METHOD(name, function)                                                                     \
    {                                                                                              \
        name, (void (*)(void))(function), 0                                                        \
    }
#define METHOD_SINCE(name, function, macos)                                                        \
    {                                                                                              \
        name, (void (*)(void))(function), macos                                                    \
    }
#define METHODS_END                                                                                \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

enum { OBJECT_ALIVE = 0xa11fe, OBJECT_DEAD = 0xdead, OBJECT_IS_CLASS = 0xc1a55 };

/* All objects begin with it. Dead ones stay for a while, so that their use is found. */
struct Object {
    const Class *class;
    unsigned magic;
    unsigned id;
    unsigned owned; /* references of the program, and of pools */
    unsigned used;  /* references of the runtime */
    unsigned generation;
    Object *previous, *next; /* of all that are alive; or of the dead */
};

struct Class {
    Object head; /* classes receive messages, too */
    const char *name;
    size_t size;
    void (*destroy)(Object *object); /* may be NULL */
    const Method *methods;
    const Method *class_methods; /* may be NULL */
    bool is_allocated;           /* programs may send alloc and new */
};

#define CLASS_HEAD                                                                                 \
    {                                                                                              \
        .magic = OBJECT_IS_CLASS                                                                   \
    }

/* A new object with one reference of the program, zero but for its head. */
void *object_create(const Class *class);
/* The same, which the thread's pool releases. */
void *object_create_autoreleased(const Class *class);

/* One more, one less reference of the program. */
void object_release(Object *object);
/* To be released when the pool is popped. */
void *object_autorelease(Object *object);
/* For what messages return that give no reference: valid until the pool is popped. */
void *object_lend(void *object);

/* One more, one less reference of the runtime. NULL is fine. */
void *object_use(void *object);
void object_unuse(void *object);

/* The argument of a message as an object of the class; ends the program if it is none. */
void *object_check(const void *argument, const Class *class, const char *message);

/* Objects that the program has references of; their number, of a class or (NULL) of all. */
uint64_t object_count(const char *class_name);
void object_forget_all(void);

/* Also without the lock. */
const Method *object_find_method(const Object *object, const char *name);
const Class *class_find(const char *name); /* NULL: there is none */

/* -- around every message and function -- */

/* Takes the lock, checks the receiver, counts, lets fail what the machine says: false. */
bool metal_enter(const Object *self, const char *message);
void metal_leave(const char *message);
/* The error that the machine lets this call fail with; 0: none. */
int metal_fault(void);

#define ANSWER(type, otherwise, expression)                                                        \
    do {                                                                                           \
        type answer = otherwise;                                                                   \
        if (metal_enter(self, message->name))                                                      \
            answer = (expression);                                                                 \
        metal_leave(message->name);                                                                \
        return answer;                                                                             \
    } while (0)
#define PERFORM(expression)                                                                        \
    do {                                                                                           \
        if (metal_enter(self, message->name))                                                      \
            (expression);                                                                          \
        metal_leave(message->name);                                                                \
    } while (0)

/* What a message with these parameters does: with an answer, which is 0 if it fails; without. */
#define SELF Object *self, const Selector *message
#define MESSAGE(type, function, parameters, expression)                                            \
    static type function parameters                                                                \
    {                                                                                              \
        ANSWER(type, (type)0, expression);                                                         \
    }
#define MESSAGE_VOID(function, parameters, expression)                                             \
    static void function parameters                                                                \
    {                                                                                              \
        PERFORM(expression);                                                                       \
    }

/* Says what the program does wrong, and ends it, as the checks of a Mac do. */
_Noreturn __attribute__((format(printf, 1, 2))) void metal_abort(const char *format, ...);

/* As in "MTLBuffer 17"; valid until the fourth call from now. */
const char *object_words(const Object *object);

/* The classes that have no header of their own, and those of Foundation. */

extern const Class string_class, error_class, array_class, process_info_class;

/* A string that the thread's pool releases; its text. */
Object *string_create(const char *text);
const char *string_text(const Object *string, const char *message);

/* Domains of errors, as Metal names them. */
#define ERROR_OF_COMMAND_BUFFERS "MTLCommandBufferErrorDomain"
#define ERROR_OF_LIBRARIES       "MTLLibraryErrorDomain"
#define ERROR_OF_PIPELINES       "AGXMetalG13X"

/* An error with no owner but the runtime (object_use). */
__attribute__((format(printf, 3, 4))) Object *error_create(const char *domain, NSInteger code,
                                                           const char *format, ...);
/* Stores an error, which the pool releases, where the program wants it. Returns NULL. */
__attribute__((format(printf, 4, 5))) void *error_store(Object **error, const char *domain,
                                                        NSInteger code, const char *format, ...);

/*
 * What the text of a library in the Metal shading language says of its kernels. The text is one
 * that the preprocessor has been through, but for #include of Metal's own headers.
 */

enum { MSL_MAX_BUFFERS = 31, MSL_NAME_SIZE = 64, MSL_ERROR_SIZE = 256 };

typedef struct MslBuffer {
    bool is_bound;   /* there is a parameter with [[buffer(n)]] */
    bool is_written; /* device memory that is not const */
    bool is_constant;
} MslBuffer;

typedef struct MslKernel {
    char name[MSL_NAME_SIZE];
    unsigned long max_threads; /* of a group; 0: it is not said */
    MslBuffer buffers[MSL_MAX_BUFFERS];
} MslKernel;

typedef struct MslText {
    MslKernel *kernels;
    size_t n_kernels;
} MslText;

typedef struct Device {
    Object head;
    DeviceState *state;
} Device;

extern const Class device_class;

/* Indices of MachineDevice.own and Machine.own. */
enum {
    DEVICE_FAMILY,     /* 7 for Apple7 ...; 0: not one of Apple's */
    DEVICE_MAX_BUFFER, /* MiB; 0: half of the memory */
    DEVICE_REGISTRY_ID,
    DEVICE_IS_REMOVABLE,
};
enum { MACHINE_ERRORS_SIGNAL };

/* Codes of ERROR_OF_COMMAND_BUFFERS. */
enum {
    ERROR_INTERNAL = 1,
    ERROR_TIMEOUT = 2,
    ERROR_PAGE_FAULT = 3,
    ERROR_ACCESS_REVOKED = 4,
    ERROR_NOT_PERMITTED = 7,
    ERROR_OUT_OF_MEMORY = 8,
    ERROR_INVALID_RESOURCE = 9,
    ERROR_DEVICE_REMOVED = 11,
};

uint64_t device_max_buffer(const Device *device);
/* Whether so much more may be allocated; counts allocations. */
bool device_has_memory(Device *device, uint64_t bytes);

/* The object that the message of this thread is sent to. */
void runtime_set_receiver(const Object *object);

/* What programs call, but for objc_msgSend, which is not written in C. */
#pragma GCC visibility push(default)

Selector *sel_registerName(const char *name);
Object *objc_getClass(const char *name);
void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);
void CFRelease(const void *reference);

Object *MTLCopyAllDevices(void);
Object *MTLCreateSystemDefaultDevice(void);

#pragma GCC visibility pop

/* Libraries, functions and pipelines. What runs is the same kernel as plain C, found by its name.
 */

typedef struct CompileOptions {
    Object head;
    bool is_exact; /* fast math was switched off */
    NSUInteger version;
} CompileOptions;

typedef struct Library {
    Object head;
    Device *device;
    MslText text;
} Library;

typedef struct Function {
    Object head;
    Library *library;
    const MslKernel *kernel;
} Function;

typedef struct Pipeline {
    Object head;
    Device *device;
    const VmafKernel *kernel;
    NSUInteger max_threads;
} Pipeline;

extern const Class compile_options_class, library_class, function_class, pipeline_class;

Object *library_create(Device *device, const Object *source, const Object *options, Object **error);
Object *pipeline_create(Device *device, Object *function, Object **error);

/* Buffers, surfaces of the system (IOSurface) and textures, which are planes of surfaces. */

enum { MAX_PLANES = 3 };

typedef struct Block Block;

typedef struct Buffer {
    Object head;
    Device *device;
    NSUInteger length;
    NSUInteger options;
    uint64_t address; /* of guarded memory; 0: it is the program's */
    unsigned char *bytes;
    const Block *deallocator;
} Buffer;

typedef struct SurfacePlane {
    size_t width, height, element_size, stride, offset;
} SurfacePlane;

typedef struct Surface {
    Object head;
    uint32_t format;
    unsigned n_planes; /* 0: there is one, but the surface is not planar */
    SurfacePlane planes[MAX_PLANES];
    size_t size;
    uint64_t address;          /* of guarded memory, which only who has locked it can access */
    unsigned readers, writers; /* locks */
} Surface;

typedef struct Texture {
    Object head;
    Device *device;
    Surface *surface;
    const SurfacePlane *plane;
    NSUInteger format, width, height;
} Texture;

typedef struct TextureDescriptor {
    Object head;
    NSUInteger format, width, height;
} TextureDescriptor;

extern const Class buffer_class, surface_class, texture_class, texture_descriptor_class;

enum {
    STORAGE_SHARED = 0,
    STORAGE_MANAGED = 1,
    STORAGE_PRIVATE = 2,
    HAZARDS_UNTRACKED = 1,
};

static inline unsigned buffer_storage(const Buffer *buffer)
{
    return (unsigned)(buffer->options >> 4) & 15;
}

static inline bool buffer_is_tracked(const Buffer *buffer)
{
    return (buffer->options >> 8 & 3) != HAZARDS_UNTRACKED;
}

Object *buffer_create(Device *device, NSUInteger length, NSUInteger options);
Object *buffer_create_around(Device *device, void *bytes, NSUInteger length, NSUInteger options,
                             const Block *deallocator);
Object *texture_create(Device *device, const Object *descriptor, Object *surface, NSUInteger plane);
/* Bytes of a sample of a format; 0: it is not known. */
size_t texture_element_size(NSUInteger format);

/* Lets the emulator itself read the surface, which begins there. */
unsigned char *surface_open(const Surface *surface);
void surface_close(const Surface *surface);

/*
 * Queues hold command buffers, which consist of steps: passes (what an encoder encoded), signals of
 * events and waits for them. Steps are tasks of core/schedule.h; schedule.c says what Metal orders.
 */

enum { MAX_BINDINGS = 31, MAX_BYTES = 4096, QUEUE_DEFAULT_BUFFERS = 64 };

typedef struct CommandBuffer CommandBuffer;
typedef struct Queue Queue;

typedef struct Size3 {
    NSUInteger width, height, depth;
} Size3;

typedef struct Origin3 {
    NSUInteger x, y, z;
} Origin3;

/* -- commands of a pass -- */

enum CommandKind { COMMAND_COPY, COMMAND_COPY_TEXTURE, COMMAND_DISPATCH, COMMAND_BARRIER };

typedef struct Binding {
    Buffer *buffer; /* NULL: nothing */
    NSUInteger offset;
} Binding;

/* A resource that a command or a pass accesses. */
typedef struct Use {
    Object *resource;
    bool reads, writes;
} Use;

typedef struct Command {
    enum CommandKind kind;
    Use *uses;
    unsigned n_uses;
    union {
        struct {
            Buffer *src, *dst;
            Texture *texture; /* instead of src */
            NSUInteger src_offset, dst_offset, size, stride;
            Origin3 origin;
            Size3 extent;
        } copy;
        struct {
            Pipeline *pipeline;
            Binding bindings[VMAF_KERNEL_MAX_BUFFERS];
            unsigned char args[VMAF_KERNEL_MAX_ARGS_SIZE];
            Binding args_buffer; /* instead of args */
            Size3 groups;
        } dispatch;
    };
} Command;

typedef struct Pass {
    bool is_compute, is_concurrent;
    Command *commands;
    size_t n_commands, capacity;
    size_t next;     /* command to run */
    bool is_ordered; /* each command waits for the one before; known once the first has run */
    Use *uses;       /* of all commands */
    unsigned n_uses;
} Pass;

/* -- steps of a command buffer -- */

typedef struct SharedEvent {
    Object head;
    uint64_t value;
    uint64_t time_ns; /* simulated, at which a queue signalled it last */
} SharedEvent;

enum StepKind { STEP_PASS, STEP_SIGNAL, STEP_WAIT };

typedef struct Step {
    Task task;
    CommandBuffer *commands;
    struct Step *next; /* of the command buffer, of those that have not run */
    enum StepKind kind;
    Pass *pass;
    SharedEvent *event;
    uint64_t value;
} Step;

enum Status {
    STATUS_NOT_ENQUEUED,
    STATUS_ENQUEUED,
    STATUS_COMMITTED,
    STATUS_SCHEDULED,
    STATUS_COMPLETED,
    STATUS_ERROR
};

typedef struct Encoder {
    Object head;
    CommandBuffer *commands; /* NULL: it has ended */
    Pass *pass;
    Pipeline *pipeline;
    Binding bindings[MAX_BINDINGS];
    unsigned char *bytes[MAX_BINDINGS]; /* set by value */
    NSUInteger n_bytes[MAX_BINDINGS];
} Encoder;

struct CommandBuffer {
    Object head;
    Queue *queue;
    CommandBuffer *next; /* of those that are committed and have not ended */
    uint64_t number;     /* of its queue, in the order of commit */
    Encoder *open;
    Step *first, **last;
    Object **kept; /* objects that it has references of until it ends */
    size_t n_kept;
    enum Status status;
    int fate;             /* of its steps, as Task has it */
    int failure;          /* code of an error with which it ends when its turn has come; 0: none */
    uint64_t stuck_since; /* nanoseconds; 0: it can go on */
    Object *error;
    uint64_t start_ns, end_ns; /* simulated */
};

struct Queue {
    Object head;
    Device *device;
    TaskQueue tasks;
    CommandBuffer *first, **last;
    Queue *next; /* of all */
    NSUInteger capacity, outstanding;
    uint64_t committed;  /* command buffers */
    uint64_t time_ns;    /* simulated, at which its last step ended */
    uint64_t retired_ns; /* ... its last command buffer */
};

extern const Class queue_class, command_buffer_class, compute_encoder_class, blit_encoder_class;
extern const Class shared_event_class;

/* -- command_buffer.c -- */

Object *queue_create(Device *device, NSUInteger capacity);
Object *shared_event_create(Device *device);
/* What is left of its work will not run; it ends with that error when its turn has come. */
__attribute__((format(printf, 3, 4))) void command_buffer_fail(CommandBuffer *commands, int code,
                                                               const char *format, ...);
/* Drops what those that have failed have left, and ends those that have nothing left to do. */
void queue_retire(Queue *queue);
/* A fault of the machine that is about this command buffer, which is not committed; NULL is fine.
 */
void command_buffer_apply(CommandBuffer *commands, const MachineFault *fault);
/* What the device has to do will not be done. */
void queues_drop_work(DeviceState *device);
/* Nothing ends what waits on queues: those that hang fail, or else the first one of the queue. */
void queue_expire(Queue *queue);
/* One step less. */
void step_free(Step *step);
/* Keeps what a command uses until the command buffer has ended. */
void command_buffer_keep(CommandBuffer *commands, Object *object);
Step *command_buffer_add(CommandBuffer *commands, enum StepKind kind);
static inline bool command_buffer_has_ended(const CommandBuffer *commands)
{
    return commands->status >= STATUS_COMPLETED;
}

/* -- encoder.c -- */

Object *encoder_create(CommandBuffer *commands, const Class *class, bool is_concurrent);
void pass_free(Pass *pass);

/* -- schedule.c -- */

/* Runs what is needed until the command buffer has ended, or hangs for too long. */
void wait_for_end(CommandBuffer *commands);
/* Runs a little of it. */
void poll_end(CommandBuffer *commands);
void poll_event(const SharedEvent *event);

#endif
