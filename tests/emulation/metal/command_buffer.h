/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_COMMAND_BUFFER_H
#define TESTS_EMULATION_METAL_COMMAND_BUFFER_H

#include "library.h"
#include "memory.h"
#include "schedule.h"

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
