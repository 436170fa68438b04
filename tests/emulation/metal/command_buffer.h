/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_COMMAND_BUFFER_H
#define TESTS_EMULATION_METAL_COMMAND_BUFFER_H

#include "library.h"
#include "memory.h"

/*
 * Queues hold command buffers, which consist of steps: passes (what an encoder encoded), signals of
 * events and waits for them. Steps run when somebody waits or asks, and in no better order than
 * Metal promises; schedule.c says what that is.
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

enum CommandKind {
    COMMAND_COPY,
    COMMAND_COPY_TEXTURE,
    COMMAND_FILL,
    COMMAND_DISPATCH,
    COMMAND_BARRIER
};

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
            uint8_t value; /* to fill with */
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
    uint64_t serial;
    bool is_compute, is_concurrent;
    Command *commands;
    size_t n_commands, capacity;
    size_t next;     /* command to run */
    bool is_ordered; /* each command waits for the one before; known once the first has run */
    Use *uses;       /* of all commands */
    unsigned n_uses;
    uint64_t *waits; /* serials of passes that fences order before this one */
    unsigned n_waits;
} Pass;

/* -- steps of a command buffer -- */

typedef struct SharedEvent {
    Object head;
    uint64_t value;
    double time; /* simulated, at which a queue signalled it last */
} SharedEvent;

typedef struct Fence {
    Object head;
    uint64_t updated_by; /* serial of a pass; 0: none */
    const Queue *queue;
} Fence;

enum StepKind { STEP_PASS, STEP_SIGNAL, STEP_WAIT };

typedef struct Step {
    enum StepKind kind;
    bool is_done;
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
    bool is_unretained;
    Encoder *open;
    Step *steps;
    size_t n_steps;
    Object **kept; /* objects that it has references of until it ends */
    size_t n_kept;
    enum Status status;
    enum { WORK_RUNS, WORK_HANGS, WORK_FAILS } fate;
    int failure;        /* code of an error with which it ends when its turn has come; 0: none */
    double stuck_since; /* seconds; 0: it can go on */
    Object *error;
    double start, end; /* simulated seconds */
};

struct Queue {
    Object head;
    Device *device;
    CommandBuffer *first, **last;
    Queue *next; /* of all */
    NSUInteger capacity, outstanding;
    double time;    /* simulated, at which its last step ended */
    double retired; /* ... its last command buffer */
};

extern const Class queue_class, command_buffer_class, compute_encoder_class, blit_encoder_class;
extern const Class shared_event_class, fence_class;

/* -- queue.c -- */

Object *queue_create(Device *device, NSUInteger capacity);
Queue *queues(void); /* all that exist */
void command_buffer_destroy(Object *commands);
/* What is left of its work will not run; it ends with that error when its turn has come. */
__attribute__((format(printf, 3, 4))) void command_buffer_fail(CommandBuffer *commands, int code,
                                                               const char *format, ...);
/* Ends those command buffers of the queue that have nothing left to do. */
void queue_retire(Queue *queue);
/* A fault of the machine that is about this command buffer; NULL is fine. */
void command_buffer_apply(CommandBuffer *commands, const MachineFault *fault);
/* Keeps what a command uses until the command buffer has ended. */
void command_buffer_keep(CommandBuffer *commands, Object *object);
Step *command_buffer_add(CommandBuffer *commands, enum StepKind kind);
static inline bool command_buffer_has_ended(const CommandBuffer *commands)
{
    return commands->status >= STATUS_COMPLETED;
}

/* -- encoder.c, blit.c, compute.c -- */

Object *encoder_create(CommandBuffer *commands, const Class *class, bool is_concurrent);
/* The pass that an encoder fills; ends the program if it has ended. */
Pass *encoder_pass(Object *encoder, const char *message);
Command *encoder_add(Object *encoder, enum CommandKind kind, const char *message);
void encoder_use(Object *encoder, Command *command, Object *resource, bool writes);
void encoder_end(Object *encoder, const char *message);
void encoder_destroy(Object *encoder);
void pass_free(Pass *pass);
/* Messages that all encoders have. */
void encoder_end_encoding(Object *self, const Selector *message);
void encoder_update_fence(Object *self, const Selector *message, Object *fence);
void encoder_wait_for_fence(Object *self, const Selector *message, Object *fence);

/* -- event.c -- */

Object *shared_event_create(Device *device);
Object *fence_create(Device *device);

/* -- schedule.c -- */

/* Runs what is needed until the command buffer has ended, or hangs for too long. */
void schedule_finish(CommandBuffer *commands);
/* Runs a little of it. */
void schedule_poll(CommandBuffer *commands);
void schedule_poll_event(const SharedEvent *event);
/* What may run at once, after something was committed. */
void schedule_progress(void);
/* Ends what runs on devices that are lost. */
void schedule_drop_lost(void);

/* -- run.c -- */

/* Executes the commands of a pass, in random order only the next of them: then false, unless these
 * were the last. The command buffer fails if they do. */
bool run_pass(CommandBuffer *commands, Pass *pass);

#endif
