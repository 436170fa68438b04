/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_OBJECT_H
#define TESTS_EMULATION_METAL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
void *object_retain(Object *object);
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

/* -- pools -- */

void *pool_push(void);
void pool_pop(void *pool);

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

#endif
