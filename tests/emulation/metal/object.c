/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* References of objects, and pools; messages, selectors, and what every object answers. */
#include "metal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Dead objects that stay, so that their use is found. */
enum { MAX_DEAD = 65536 };

typedef struct Pool {
    struct Pool *below;
    Object **objects;
    size_t count, capacity;
} Pool;

static Object *alive;
static Object *oldest_dead, **newest_dead = &oldest_dead;
static unsigned n_dead;
static unsigned serial, generation;
static bool is_forgetting;

static pthread_key_t pools_key;
static pthread_once_t pools_once = PTHREAD_ONCE_INIT;

/* -- what is said of them -- */

const char *object_words(const Object *object)
{
    static _Thread_local char texts[4][64];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 4];
    if (!object)
        return "nil";
    if (object->magic == OBJECT_IS_CLASS)
        snprintf(text, sizeof(texts[0]), "the class %s", ((const Class *)object)->name);
    else
        snprintf(text, sizeof(texts[0]), "%s %u", object->class->name, object->id);
    return text;
}

void metal_abort(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    machine_complain("%s", text);
    abort();
}

/* -- life -- */

void *object_create(const Class *class)
{
    Object *object = calloc(1, class->size);
    object->class = class;
    object->magic = OBJECT_ALIVE;
    object->id = ++serial;
    object->owned = 1;
    object->generation = generation;
    object->next = alive;
    if (alive)
        alive->previous = object;
    alive = object;
    return object;
}

static void unlink_alive(Object *object)
{
    if (object->previous)
        object->previous->next = object->next;
    else
        alive = object->next;
    if (object->next)
        object->next->previous = object->previous;
}

static void bury(Object *object)
{
    unlink_alive(object);
    object->magic = OBJECT_DEAD;
    object->next = NULL;
    *newest_dead = object;
    newest_dead = &object->next;
    if (++n_dead > MAX_DEAD) {
        Object *oldest = oldest_dead;
        oldest_dead = oldest->next;
        n_dead--;
        free(oldest);
    }
}

static void destroy_unless_needed(Object *object)
{
    if (object->owned > 0 || object->used > 0 || object->magic != OBJECT_ALIVE)
        return;
    bury(object);
    if (object->class->destroy)
        object->class->destroy(object);
}

void object_forget_all(void)
{
    is_forgetting = true;
    while (alive) {
        Object *object = alive;
        bury(object);
        if (object->class->destroy)
            object->class->destroy(object);
    }
    is_forgetting = false;
    generation++;
}

static void check_owned(const Object *object, const char *what)
{
    if (object->magic != OBJECT_ALIVE)
        metal_abort("%s is %s, but was freed before", object_words(object), what);
    if (object->owned == 0)
        metal_abort("%s is %s, but the program has no reference of it any more",
                    object_words(object), what);
}

/* One more, one less reference of the program. */
static void *object_retain(Object *object)
{
    if (object && object->magic != OBJECT_IS_CLASS) {
        check_owned(object, "retained");
        object->owned++;
    }
    return object;
}

void object_release(Object *object)
{
    if (!object || object->magic == OBJECT_IS_CLASS)
        return;
    check_owned(object, "released");
    object->owned--;
    destroy_unless_needed(object);
}

void *object_use(void *object)
{
    if (object)
        ((Object *)object)->used++;
    return object;
}

void object_unuse(void *object)
{
    if (!object || is_forgetting)
        return;
    ((Object *)object)->used--;
    destroy_unless_needed(object);
}

void *object_check(const void *argument, const Class *class, const char *message)
{
    const Object *object = argument;
    if (!object)
        metal_abort("%s is called with nil instead of %s", message, class->name);
    if (object->class != class || object->magic == OBJECT_IS_CLASS)
        metal_abort("%s is called with %s instead of %s", message, object_words(object),
                    class->name);
    check_owned(object, message);
    return (void *)argument;
}

uint64_t object_count(const char *class_name)
{
    uint64_t count = 0;
    for (const Object *object = alive; object; object = object->next)
        count += object->owned > 0 && (!class_name || strcmp(class_name, object->class->name) == 0);
    return count;
}

/* -- pools -- */

static void free_pool(Pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->objects[i]->generation == generation)
            object_release(pool->objects[i]);
    }
    free(pool->objects);
    free(pool);
}

/* A thread ends: what it left behind is released, as on a Mac. */
static void drain(void *pools)
{
    machine_begin("pthread_exit");
    machine_complain("a thread ends with a pool that was not popped");
    for (Pool *pool = pools; pool;) {
        Pool *below = pool->below;
        free_pool(pool);
        pool = below;
    }
    machine_end("pthread_exit", 0);
}

static void create_key(void)
{
    pthread_key_create(&pools_key, drain);
}

static Pool *top_pool(void)
{
    pthread_once(&pools_once, create_key);
    return pthread_getspecific(pools_key);
}

static void *pool_push(void)
{
    Pool *pool = calloc(1, sizeof(*pool));
    pool->below = top_pool();
    pthread_setspecific(pools_key, pool);
    return pool;
}

static void pool_pop(void *token)
{
    const Pool *pool = top_pool();
    while (pool && pool != token)
        pool = pool->below;
    if (!pool)
        metal_abort("objc_autoreleasePoolPop: this thread has no such pool");
    for (bool is_last = false; !is_last;) {
        Pool *top = top_pool();
        is_last = top == token;
        pthread_setspecific(pools_key, top->below);
        free_pool(top);
    }
}

void *object_autorelease(Object *object)
{
    if (!object || object->magic == OBJECT_IS_CLASS)
        return object;
    check_owned(object, "autoreleased");
    Pool *pool = top_pool();
    if (!pool) {
        machine_complain("%s is autoreleased, but there is no pool: it leaks",
                         object_words(object));
        return object;
    }
    if (pool->count == pool->capacity) {
        pool->capacity = pool->capacity ? 2 * pool->capacity : 16;
        pool->objects = realloc(pool->objects, pool->capacity * sizeof(*pool->objects));
    }
    pool->objects[pool->count++] = object;
    return object;
}

void *object_create_autoreleased(const Class *class)
{
    return object_autorelease(object_create(class));
}

void *object_lend(void *object)
{
    if (object)
        ((Object *)object)->owned++;
    return object_autorelease(object);
}

static Selector *selectors; /* all that were registered; they stay */
static pthread_mutex_t selector_lock = PTHREAD_MUTEX_INITIALIZER;

/* -- around every message -- */

static _Thread_local int fault;

bool metal_enter(const Object *self, const char *message)
{
    runtime_set_receiver(self);
    fault = machine_begin(message);
    if (!self)
        return fault == 0;
    machine_note(" %s", object_words(self));
    if (self->magic == OBJECT_DEAD)
        metal_abort("%s is sent to %s, which was freed before", message, object_words(self));
    if (self->magic == OBJECT_ALIVE && self->owned == 0)
        metal_abort("%s is sent to %s, of which the program has no reference any more", message,
                    object_words(self));
    return fault == 0;
}

void metal_leave(const char *message)
{
    machine_end(message, fault);
    fault = 0;
}

int metal_fault(void)
{
    return fault;
}

/* -- what every object answers -- */

static Object *base_retain(Object *self, const Selector *message)
{
    machine_begin(message->name);
    machine_note(" %s", object_words(self));
    Object *retained = object_retain(self);
    machine_end(message->name, 0);
    return retained;
}

static void base_release(Object *self, const Selector *message)
{
    machine_begin(message->name);
    machine_note(" %s", object_words(self));
    object_release(self);
    machine_end(message->name, 0);
}

static Object *base_autorelease(Object *self, const Selector *message)
{
    machine_begin(message->name);
    machine_note(" %s", object_words(self));
    Object *same = object_autorelease(self);
    machine_end(message->name, 0);
    return same;
}

MESSAGE(bool, base_responds, (SELF, const Selector *other),
        object_find_method(self, other->name) != NULL)

static const Method base_methods[] = {
    METHOD("retain", base_retain),
    METHOD("release", base_release),
    METHOD("autorelease", base_autorelease),
    METHOD("respondsToSelector:", base_responds),
    METHODS_END,
};

MESSAGE(Object *, class_new, (SELF), object_create((const Class *)self))
MESSAGE(Object *, base_init, (SELF), self)

static const Method allocating_methods[] = {
    METHOD("new", class_new),
    METHOD("alloc", class_new),
    METHODS_END,
};

static const Method allocated_methods[] = {
    METHOD("init", base_init),
    METHODS_END,
};

/* -- finding methods -- */

static const Method *find(const Method *methods, const char *name)
{
    for (; methods && methods->name; methods++) {
        if (strcmp(methods->name, name) == 0)
            return methods->since <= emulated_machine.driver ? methods : NULL;
    }
    return NULL;
}

/* Also without the lock. */
const Method *object_find_method(const Object *object, const char *name)
{
    const bool is_class = object->magic == OBJECT_IS_CLASS;
    const Class *class = is_class ? (const Class *)object : object->class;
    const Method *found = find(is_class ? class->class_methods : class->methods, name);
    if (!found && class->is_allocated)
        found = find(is_class ? allocating_methods : allocated_methods, name);
    return found ? found : find(base_methods, name);
}

static bool is_known(const Selector *selector)
{
    pthread_mutex_lock(&selector_lock);
    const Selector *known = selectors;
    while (known && known != selector)
        known = known->next;
    pthread_mutex_unlock(&selector_lock);
    return known != NULL;
}

/* The function that a message calls, for objc_msgSend (send.S). NULL: it is sent to nil. */
__attribute__((used)) void (*metal_find_function(const Object *receiver,
                                                 const Selector *selector))(void);

void (*metal_find_function(const Object *receiver, const Selector *selector))(void)
{
    const Method *method = NULL;
    if (!is_known(selector)) {
        machine_begin("objc_msgSend");
        metal_abort("objc_msgSend: a selector that sel_registerName did not make");
    }
    if (receiver && !(method = object_find_method(receiver, selector->name))) {
        machine_begin(selector->name);
        metal_abort("unrecognized selector %s sent to %s", selector->name, object_words(receiver));
    }
    return receiver ? method->function : NULL;
}

/* -- functions of the runtime -- */

Selector *sel_registerName(const char *name)
{
    machine_begin(__func__);
    pthread_mutex_lock(&selector_lock);
    Selector *selector = selectors;
    while (selector && strcmp(selector->name, name) != 0)
        selector = selector->next;
    if (!selector) {
        selector = malloc(sizeof(*selector));
        *selector = (Selector){strdup(name), selectors};
        selectors = selector;
    }
    pthread_mutex_unlock(&selector_lock);
    machine_note(" %s", name);
    machine_end(__func__, 0);
    return selector;
}

Object *objc_getClass(const char *name)
{
    machine_begin(__func__);
    const Class *class = class_find(name);
    machine_note(" %s", name);
    if (!class)
        machine_complain("there is no class %s", name);
    machine_end(__func__, 0);
    return (Object *)class;
}

void *objc_autoreleasePoolPush(void)
{
    machine_begin(__func__);
    void *pool = pool_push();
    machine_end(__func__, 0);
    return pool;
}

void objc_autoreleasePoolPop(void *pool)
{
    machine_begin(__func__);
    pool_pop(pool);
    machine_end(__func__, 0);
}

void CFRelease(const void *reference)
{
    Object *object = (Object *)reference;
    if (!object)
        abort(); /* as CoreFoundation does */
    machine_begin(__func__);
    machine_note(" %s", object_words(object));
    object_release(object);
    machine_end(__func__, 0);
}
