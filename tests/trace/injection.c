/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trace/injection.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The interface from the other side; written down here once more, so that a mistake in the
 * library's own declarations is not repeated. Numbers are those of NVTX 3. */
typedef void (*Function)(void);

typedef struct Attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t colour_type;
    uint32_t colour;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
} Attributes;

typedef struct Callbacks {
    size_t size;
    int (*functions)(int module, Function ***table, unsigned *size);
} Callbacks;

typedef struct Version {
    size_t size;
    uint32_t version, reserved;
    void (*set)(uint32_t version);
} Version;

__attribute__((visibility("default"))) InjectionNotes injection_notes;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int the_domain;
static uint64_t n_ranges;

static InjectionNote *note(InjectionKind kind)
{
    InjectionNotes *notes = &injection_notes;
    if (notes->n_notes == INJECTION_NOTES)
        abort();
    InjectionNote *made = &notes->notes[notes->n_notes++];
    made->kind = kind;
    made->thread = (uint32_t)syscall(SYS_gettid);
    return made;
}

static uint64_t note_range(InjectionKind kind, const void *domain, const Attributes *attributes,
                           const char *text)
{
    pthread_mutex_lock(&lock);
    InjectionNote *made = note(kind);
    made->in_domain = domain == &the_domain;
    if (attributes) {
        if (attributes->version != 3 || attributes->size != sizeof(*attributes) ||
            attributes->message_type != 1)
            abort();
        made->has_frame = attributes->payload_type == 1;
        made->frame = attributes->payload;
        text = attributes->message;
    }
    snprintf(made->name, sizeof(made->name), "%s", text);
    made->range = ++n_ranges;
    const uint64_t range = made->range;
    pthread_mutex_unlock(&lock);
    return range;
}

static void note_end(InjectionKind kind, const void *domain, uint64_t range)
{
    pthread_mutex_lock(&lock);
    InjectionNote *made = note(kind);
    made->in_domain = domain == &the_domain;
    made->range = range;
    pthread_mutex_unlock(&lock);
}

/* ---- the functions of NVTX ---- */

static uint64_t range_start(const Attributes *attributes)
{
    return note_range(NOTE_START, NULL, attributes, NULL);
}

static uint64_t range_start_text(const char *text)
{
    return note_range(NOTE_START, NULL, NULL, text);
}

static void range_end(uint64_t range)
{
    note_end(NOTE_END, NULL, range);
}

static int range_push(const Attributes *attributes)
{
    note_range(NOTE_PUSH, NULL, attributes, NULL);
    return 0;
}

static int range_push_text(const char *text)
{
    note_range(NOTE_PUSH, NULL, NULL, text);
    return 0;
}

static int range_pop(void)
{
    note_end(NOTE_POP, NULL, 0);
    return 0;
}

static void name_thread(uint32_t thread, const char *name)
{
    pthread_mutex_lock(&lock);
    InjectionNotes *notes = &injection_notes;
    if (notes->n_names == INJECTION_NAMES)
        abort();
    notes->named[notes->n_names] = thread;
    snprintf(notes->names[notes->n_names++], INJECTION_NAME_SIZE, "%s", name);
    pthread_mutex_unlock(&lock);
}

static uint64_t domain_range_start(void *domain, const Attributes *attributes)
{
    return note_range(NOTE_START, domain, attributes, NULL);
}

static void domain_range_end(void *domain, uint64_t range)
{
    note_end(NOTE_END, domain, range);
}

static int domain_range_push(void *domain, const Attributes *attributes)
{
    note_range(NOTE_PUSH, domain, attributes, NULL);
    return 0;
}

static int domain_range_pop(void *domain)
{
    note_end(NOTE_POP, domain, 0);
    return 0;
}

static void *domain_create(const char *name)
{
    snprintf(injection_notes.domain, INJECTION_NAME_SIZE, "%s", name);
    injection_notes.n_domains++;
    return &the_domain;
}

static void initialize(const void *reserved)
{
    injection_notes.initialised = !reserved;
}

/* ---- attaching ---- */

/* As profilers do, to each place of a module, whether they know the function or not. */
static Function **attach(const Callbacks *callbacks, int module, unsigned expected)
{
    static Function unknown;
    Function **table = NULL;
    unsigned size = 0;
    if (!callbacks->functions(module, &table, &size) || !table || size != expected)
        abort();
    if (table[0] || table[size])
        abort();
    for (unsigned i = 1; i < size; i++)
        *table[i] = unknown;
    return table;
}

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export_table)(uint32_t table));

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t table))
{
    const char *behaviour = getenv("INJECTION");
    const Callbacks *callbacks = export_table(1);
    const Version *version = export_table(3);
    if (behaviour && !strcmp(behaviour, "refuse"))
        return 0;
    if (!callbacks || callbacks->size < sizeof(*callbacks) || !version ||
        version->size < sizeof(*version) || export_table(2) || export_table(99))
        abort();
    injection_notes.version = version->version;
    version->set(3);
    static const unsigned sizes[] = {0, 16, 9, 15, 7, 16, 7};
    Function **tables[7];
    for (int module = 1; module < 7; module++)
        tables[module] = attach(callbacks, module, sizes[module]);
    if (callbacks->functions(0, &tables[0], NULL) || callbacks->functions(7, &tables[0], NULL))
        abort();

    const bool text = behaviour && !strcmp(behaviour, "text");
    const bool attributes = behaviour && !strcmp(behaviour, "attributes");
    *tables[1][7] = (Function)range_end;
    *tables[1][11] = (Function)range_pop;
    *tables[1][14] = (Function)name_thread;
    *tables[1][5] = (Function)range_start_text;
    *tables[1][9] = (Function)range_push_text;
    *tables[5][15] = (Function)initialize;
    if (!text) {
        *tables[1][4] = (Function)range_start;
        *tables[1][8] = (Function)range_push;
    }
    if (!text && !attributes) {
        *tables[5][2] = (Function)domain_range_start;
        *tables[5][3] = (Function)domain_range_end;
        *tables[5][4] = (Function)domain_range_push;
        *tables[5][5] = (Function)domain_range_pop;
        *tables[5][12] = (Function)domain_create;
    }
    return 1;
}
