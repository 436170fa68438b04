/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Events that queues and programs signal, and fences. */
#include "command_buffer.h"

Object *shared_event_create(Device *device)
{
    if (!device_has_memory(device, 0))
        return NULL;
    SharedEvent *event = object_create(&shared_event_class);
    machine_note(" = %s", object_words(&event->head));
    return &event->head;
}

/* What it was before something ran now. */
static uint64_t signaled_value(Object *self)
{
    const SharedEvent *event = (const SharedEvent *)self;
    const uint64_t before = event->value;
    schedule_poll_event(event);
    machine_note(" = %lu", (unsigned long)before);
    return before;
}

static uint64_t event_signaled_value(Object *self, const Selector *message)
{
    ANSWER(uint64_t, 0, signaled_value(self));
}

static void set_value(Object *self, uint64_t value)
{
    SharedEvent *event = (SharedEvent *)self;
    if (value < event->value)
        machine_complain("%s goes back from %lu to %lu", object_words(self),
                         (unsigned long)event->value, (unsigned long)value);
    event->value = value;
    machine_note(" = %lu", (unsigned long)value);
    schedule_progress();
}

static void event_set_signaled_value(Object *self, const Selector *message, uint64_t value)
{
    PERFORM(set_value(self, value));
}

const Class shared_event_class = {
    .head = CLASS_HEAD,
    .name = "MTLSharedEvent",
    .size = sizeof(SharedEvent),
    .methods = (const Method[]){METHOD("signaledValue", event_signaled_value),
                                METHOD("setSignaledValue:", event_set_signaled_value), METHODS_END},
};

Object *fence_create(Device *device)
{
    return device_has_memory(device, 0) ? object_create(&fence_class) : NULL;
}

const Class fence_class = {
    .head = CLASS_HEAD,
    .name = "MTLFence",
    .size = sizeof(Fence),
    .methods = (const Method[]){METHODS_END},
};
