/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 256 };

bool machine_refuse(MachineReader *reader, const char *format, ...)
{
    const int length = snprintf(reader->error, MACHINE_ERROR_SIZE, "line %d: ", reader->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error + length, (size_t)(MACHINE_ERROR_SIZE - length), format, arguments);
    va_end(arguments);
    return false;
}

bool machine_read_number(MachineReader *reader, const char *word, uint64_t *value)
{
    char *end;
    *value = strtoull(word, &end, 10);
    static const char units[] = "KMGT";
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit) {
        *value <<= 10 * (unit - units + 1);
        end++;
    }
    return (end != word && *word != '-' && *end == '\0') ||
           machine_refuse(reader, "%s is no number", word);
}

bool machine_read_int(MachineReader *reader, const char *word, int *value)
{
    uint64_t number;
    if (!machine_read_number(reader, word, &number))
        return false;
    *value = (int)number;
    return true;
}

static bool machine_read_decimal(MachineReader *reader, const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return (end != word && *end == '\0' && *value > 0) ||
           machine_refuse(reader, "%s is no number above 0", word);
}

/* -- errors -- */

const MachineError *machine_error(int value)
{
    for (size_t i = 0; i < machine_runtime.n_errors; i++) {
        if (machine_runtime.errors[i].value == value)
            return &machine_runtime.errors[i];
    }
    return NULL;
}

/* The error of a name, or of a number. */
static bool find_error(const char *name, int *value)
{
    char *end;
    for (size_t i = 0; i < machine_runtime.n_errors; i++) {
        if (strcmp(machine_runtime.errors[i].name, name) == 0) {
            *value = machine_runtime.errors[i].value;
            return true;
        }
    }
    *value = (int)strtoll(name, &end, 0);
    return end != name && *end == '\0';
}

/* -- devices -- */

static void default_device(MachineDevice *device, int index)
{
    *device = (MachineDevice){.pci_bus = (unsigned)index + 1,
                              .memory = UINT64_C(8) << 30,
                              .copy_engines = 2,
                              .multiprocessors = 16,
                              .speed = 1};
    for (size_t i = 0; i < sizeof(device->uuid); i++)
        device->uuid[i] = (unsigned char)(0xe0 + i + 16 * (size_t)index);
    machine_runtime.set_default(device, index);
}

void machine_default(Machine *machine)
{
    *machine = (Machine){.driver = machine_runtime.driver, .n_devices = 1, .hang_seconds = 30};
    default_device(&machine->devices[0], 0);
}

static bool read_device(MachineReader *reader)
{
    Machine *machine = reader->machine;
    if (!reader->names_devices)
        machine->n_devices = 0;
    reader->names_devices = true;
    if (machine->n_devices == MACHINE_MAX_DEVICES)
        return machine_refuse(reader, "more than %d devices", MACHINE_MAX_DEVICES);
    MachineDevice *device = &machine->devices[machine->n_devices];
    reader->device = device;
    default_device(device, machine->n_devices++);
    if (reader->n_words > 1)
        device->name[0] = '\0';
    for (int i = 1; i < reader->n_words; i++) {
        const size_t length = strlen(device->name);
        snprintf(device->name + length, sizeof(device->name) - length, "%s%s", i > 1 ? " " : "",
                 reader->words[i]);
    }
    return true;
}

static bool read_kind(MachineReader *reader)
{
    const char *word = reader->words[1];
    reader->device->is_integrated = strcmp(word, "integrated") == 0;
    return reader->device->is_integrated || strcmp(word, "discrete") == 0 ||
           machine_refuse(reader, "the kind %s is not known", word);
}

static bool read_chip(MachineReader *reader)
{
    snprintf(reader->device->chip, sizeof(reader->device->chip), "%s", reader->words[1]);
    return true;
}

static bool read_pci(MachineReader *reader)
{
    MachineDevice *device = reader->device;
    const char *word = reader->words[1];
    int end = 0;
    return (sscanf(word, "%x:%x:%x.0%n", &device->pci_domain, &device->pci_bus, &device->pci_device,
                   &end) == 3 &&
            word[end] == '\0') ||
           machine_refuse(reader, "pci takes an address such as 0000:01:00.0, not %s", word);
}

static bool read_ids(MachineReader *reader)
{
    const char *word = reader->words[1];
    int end = 0;
    return (sscanf(word, "%x:%x%n", &reader->device->vendor_id, &reader->device->product_id,
                   &end) == 2 &&
            word[end] == '\0') ||
           machine_refuse(reader, "ids takes numbers such as 8086:56a0, not %s", word);
}

static bool read_uuid(MachineReader *reader)
{
    unsigned char *uuid = reader->device->uuid;
    size_t n = 0;
    for (const char *word = reader->words[1]; *word != '\0'; word++) {
        unsigned byte;
        if (*word == '-')
            continue;
        if (n == sizeof(reader->device->uuid) || sscanf(word, "%2x", &byte) != 1 || word[1] == '\0')
            return machine_refuse(reader, "uuid takes 32 hexadecimal digits");
        uuid[n++] = (unsigned char)byte;
        word++;
    }
    return n == sizeof(reader->device->uuid) ||
           machine_refuse(reader, "uuid takes 32 hexadecimal digits");
}

static bool read_memory(MachineReader *reader)
{
    return machine_read_number(reader, reader->words[1], &reader->device->memory);
}

static bool read_speed(MachineReader *reader)
{
    return machine_read_decimal(reader, reader->words[1], &reader->device->speed);
}

static bool read_copy_engines(MachineReader *reader)
{
    return machine_read_int(reader, reader->words[1], &reader->device->copy_engines);
}

static bool read_multiprocessors(MachineReader *reader)
{
    return machine_read_int(reader, reader->words[1], &reader->device->multiprocessors);
}

static bool read_busy(MachineReader *reader)
{
    reader->device->is_busy = true;
    return true;
}

/* -- faults -- */

static bool may_fail(const char *what)
{
    static const char *const words[] = {"call", "launch", "submission", "run"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], what) == 0)
            return true;
    }
    return machine_runtime.is_function(what);
}

/* fail CALL N ERROR, hang WORK N, lose CALL-OR-WORK N [ERROR], illegal-address WORK N */
static bool read_fault(MachineReader *reader, enum MachineFaultKind kind)
{
    Machine *machine = reader->machine;
    if (machine->n_faults == MACHINE_MAX_FAULTS)
        return machine_refuse(reader, "more than %d faults", MACHINE_MAX_FAULTS);
    MachineFault *fault = &machine->faults[machine->n_faults++];
    *fault = (MachineFault){.kind = kind, .error = machine_runtime.unknown_error};
    if (!may_fail(reader->words[1]))
        return machine_refuse(reader, "%s is no function", reader->words[1]);
    snprintf(fault->what, sizeof(fault->what), "%s", reader->words[1]);
    if (!machine_read_number(reader, reader->words[2], &fault->at) || fault->at == 0)
        return machine_refuse(reader, "%s is no number of a call", reader->words[2]);
    if (reader->n_words > 3 && !find_error(reader->words[3], &fault->error))
        return machine_refuse(reader, "there is no error %s", reader->words[3]);
    return true;
}

static bool read_fail(MachineReader *reader)
{
    return read_fault(reader, MACHINE_FAIL);
}

static bool read_hang(MachineReader *reader)
{
    return read_fault(reader, MACHINE_HANG);
}

static bool read_lose(MachineReader *reader)
{
    return read_fault(reader, MACHINE_LOSE);
}

static bool read_illegal_address(MachineReader *reader)
{
    return read_fault(reader, MACHINE_ILLEGAL);
}

static bool read_out_of_memory(MachineReader *reader)
{
    if (strcmp(reader->words[1], "at") == 0)
        return machine_read_number(reader, reader->words[2], &reader->machine->memory_calls);
    if (strcmp(reader->words[1], "beyond") == 0)
        return machine_read_number(reader, reader->words[2], &reader->machine->memory_limit);
    return machine_refuse(reader, "out-of-memory takes at or beyond, not %s", reader->words[1]);
}

/* -- the machine -- */

static bool read_no_device(MachineReader *reader)
{
    reader->machine->has_no_device = true;
    return true;
}

static bool read_free_waits(MachineReader *reader)
{
    reader->machine->free_waits = true;
    return true;
}

static bool read_hang_limit(MachineReader *reader)
{
    return machine_read_decimal(reader, reader->words[1], &reader->machine->hang_seconds);
}

static bool read_driver(MachineReader *reader)
{
    return machine_read_int(reader, reader->words[1], &reader->machine->driver);
}

static const MachineWord common_words[] = {
    {"driver", 1, 1, read_driver},
    {"device", 0, MACHINE_MAX_WORDS, read_device},
    {"kind", 1, 1, read_kind},
    {"chip", 1, 1, read_chip},
    {"pci", 1, 1, read_pci},
    {"ids", 1, 1, read_ids},
    {"uuid", 1, 1, read_uuid},
    {"memory", 1, 1, read_memory},
    {"speed", 1, 1, read_speed},
    {"copy-engines", 1, 1, read_copy_engines},
    {"multiprocessors", 1, 1, read_multiprocessors},
    {"busy", 0, 0, read_busy},
    {"no-device", 0, 0, read_no_device},
    {"free-waits", 0, 0, read_free_waits},
    {"hang-limit", 1, 1, read_hang_limit},
    {"fail", 3, 3, read_fail},
    {"hang", 2, 2, read_hang},
    {"lose", 2, 3, read_lose},
    {"illegal-address", 2, 2, read_illegal_address},
    {"out-of-memory", 2, 2, read_out_of_memory},
};

static const MachineWord *find_word(const MachineWord *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i].word, word) == 0)
            return &words[i];
    }
    return NULL;
}

static bool read_line(MachineReader *reader)
{
    const char *first = reader->words[0];
    const int n = reader->n_words - 1;
    const MachineWord *word = find_word(machine_runtime.words, machine_runtime.n_words, first);
    if (!word)
        word = find_word(common_words, sizeof(common_words) / sizeof(common_words[0]), first);
    if (!word)
        return machine_refuse(reader, "the word %s is not known", first);
    const int least = word->read ? word->least : 0, most = word->read ? word->most : 0;
    if (n < least || n > most)
        return machine_refuse(reader, "%s takes %d values, not %d", first, n < least ? least : most,
                              n);
    if (word->read)
        return word->read(reader);
    (word->least == OF_DEVICE ? reader->device->own : reader->machine->own)[word->most] = 1;
    return true;
}

bool machine_read(Machine *machine, const char *text, char error[MACHINE_ERROR_SIZE])
{
    MachineReader reader = {.machine = machine, .device = &machine->devices[0], .error = error};
    for (reader.line = 1; *text != '\0'; reader.line++) {
        char line[LINE_SIZE];
        const size_t length = strcspn(text, ";\n");
        if (length >= sizeof(line))
            return machine_refuse(&reader, "is too long");
        memcpy(line, text, length);
        line[length] = '\0';
        line[strcspn(line, "#")] = '\0';
        text += length + (text[length] != '\0');
        char *rest = line, *word;
        for (reader.n_words = 0; (word = strtok_r(rest, " \t\r", &rest)) != NULL;) {
            if (reader.n_words == MACHINE_MAX_WORDS)
                return machine_refuse(&reader, "has too many words");
            reader.words[reader.n_words++] = word;
        }
        if (reader.n_words > 0 && !read_line(&reader))
            return false;
    }
    return true;
}
