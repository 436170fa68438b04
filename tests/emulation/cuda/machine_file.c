/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_error.h"

enum { MAX_WORDS = 6, LINE_SIZE = 256 };

typedef struct Reader {
    Machine *machine;
    char *words[MAX_WORDS];
    int n_words;
    int line;
    bool names_devices; /* the file has devices of its own */
    char *error;
} Reader;

__attribute__((format(printf, 2, 3))) static bool refuse(Reader *reader, const char *format, ...)
{
    const int length = snprintf(reader->error, MACHINE_ERROR_SIZE, "line %d: ", reader->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error + length, (size_t)(MACHINE_ERROR_SIZE - length), format, arguments);
    va_end(arguments);
    return false;
}

static bool expect_values(Reader *reader, int least, int most)
{
    const int n = reader->n_words - 1;
    return (n >= least && n <= most) || refuse(reader, "%s takes %d values, not %d",
                                               reader->words[0], n < least ? least : most, n);
}

/* A number, to which K, M, G and T may be added. */
static bool read_number(Reader *reader, const char *word, uint64_t *value)
{
    char *end;
    *value = strtoull(word, &end, 10);
    static const char units[] = "KMGT";
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit) {
        *value <<= 10 * (unit - units + 1);
        end++;
    }
    return (end != word && *word != '-' && *end == '\0') || refuse(reader, "%s is no number", word);
}

static bool read_decimal(Reader *reader, const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return (end != word && *end == '\0' && *value > 0) ||
           refuse(reader, "%s is no number above 0", word);
}

/* -- devices -- */

static void default_device(MachineDevice *device, int index)
{
    *device = (MachineDevice){.name = "Emulated NVIDIA GPU",
                              .capability = 89,
                              .pci_bus = (unsigned)index + 1,
                              .memory = UINT64_C(8) << 30,
                              .copy_engines = 2,
                              .multiprocessors = 16,
                              .speed = 1};
    for (size_t i = 0; i < sizeof(device->uuid.bytes); i++)
        device->uuid.bytes[i] = (unsigned char)(0xe0 + i + 16 * (size_t)index);
}

void machine_default(Machine *machine)
{
    *machine = (Machine){.driver = 12040, .n_devices = 1, .hang_seconds = 30};
    default_device(&machine->devices[0], 0);
}

static bool read_device(Reader *reader)
{
    Machine *machine = reader->machine;
    if (!reader->names_devices)
        machine->n_devices = 0;
    reader->names_devices = true;
    if (machine->n_devices == MACHINE_MAX_DEVICES)
        return refuse(reader, "more than %d devices", MACHINE_MAX_DEVICES);
    MachineDevice *device = &machine->devices[machine->n_devices];
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

static bool read_uuid(Reader *reader, MachineDevice *device, const char *word)
{
    size_t n = 0;
    for (; *word != '\0'; word++) {
        unsigned byte;
        if (*word == '-')
            continue;
        if (n == sizeof(device->uuid.bytes) || sscanf(word, "%2x", &byte) != 1 || word[1] == '\0')
            return refuse(reader, "uuid takes 32 hexadecimal digits");
        device->uuid.bytes[n++] = (unsigned char)byte;
        word++;
    }
    return n == sizeof(device->uuid.bytes) || refuse(reader, "uuid takes 32 hexadecimal digits");
}

static bool read_compute_mode(Reader *reader, MachineDevice *device, const char *word)
{
    if (strcmp(word, "default") == 0)
        device->compute_mode = CUDA_COMPUTE_DEFAULT;
    else if (strcmp(word, "exclusive") == 0)
        device->compute_mode = CUDA_COMPUTE_EXCLUSIVE;
    else if (strcmp(word, "prohibited") == 0)
        device->compute_mode = CUDA_COMPUTE_PROHIBITED;
    else
        return refuse(reader, "the compute mode %s is not known", word);
    return true;
}

static bool read_capability(Reader *reader, MachineDevice *device, const char *word)
{
    int major, minor, end = 0;
    if (sscanf(word, "%d.%d%n", &major, &minor, &end) != 2 || word[end] != '\0' || minor > 9)
        return refuse(reader, "capability takes a number such as 8.9, not %s", word);
    device->capability = 10 * major + minor;
    return true;
}

static bool read_kind(Reader *reader, MachineDevice *device, const char *word)
{
    device->is_integrated = strcmp(word, "integrated") == 0;
    return device->is_integrated || strcmp(word, "discrete") == 0 ||
           refuse(reader, "the kind %s is not known", word);
}

/* The words that describe the last device; *known: it is one of them. */
static bool read_device_word(Reader *reader, bool *known)
{
    static const char *const words[] = {"capability",      "kind",         "pci",   "uuid",
                                        "memory",          "compute-mode", "speed", "copy-engines",
                                        "multiprocessors", "busy"};
    MachineDevice *device = &reader->machine->devices[reader->machine->n_devices - 1];
    size_t which = 0;
    uint64_t number = 0;
    int end = 0;
    while (which < sizeof(words) / sizeof(words[0]) && strcmp(words[which], reader->words[0]) != 0)
        which++;
    *known = which < sizeof(words) / sizeof(words[0]);
    if (!*known)
        return true;
    if (!expect_values(reader, which != 9, which != 9))
        return false;
    const char *word = reader->words[1];
    switch (which) {
    case 0:
        return read_capability(reader, device, word);
    case 1:
        return read_kind(reader, device, word);
    case 2:
        return (sscanf(word, "%x:%x:%x.0%n", &device->pci_domain, &device->pci_bus,
                       &device->pci_device, &end) == 3 &&
                word[end] == '\0') ||
               refuse(reader, "pci takes an address such as 0000:01:00.0, not %s", word);
    case 3:
        return read_uuid(reader, device, word);
    case 4:
        return read_number(reader, word, &device->memory);
    case 5:
        return read_compute_mode(reader, device, word);
    case 6:
        return read_decimal(reader, word, &device->speed);
    case 7:
    case 8:
        if (!read_number(reader, word, &number))
            return false;
        *(which == 7 ? &device->copy_engines : &device->multiprocessors) = (int)number;
        return true;
    default:
        device->is_busy = true;
        return true;
    }
}

/* -- faults -- */

static bool is_function(const char *word)
{
    return strncmp(word, "cu", 2) == 0 && word[2] >= 'A' && word[2] <= 'Z';
}

/* fail CALL N ERROR, hang WORK N, lose CALL-OR-WORK N [ERROR], illegal-address WORK N */
static bool read_fault(Reader *reader, enum MachineFaultKind kind)
{
    Machine *machine = reader->machine;
    const bool may_name_error = kind == MACHINE_FAIL || kind == MACHINE_LOSE;
    if (!expect_values(reader, kind == MACHINE_FAIL ? 3 : 2, may_name_error ? 3 : 2))
        return false;
    if (machine->n_faults == MACHINE_MAX_FAULTS)
        return refuse(reader, "more than %d faults", MACHINE_MAX_FAULTS);
    MachineFault *fault = &machine->faults[machine->n_faults++];
    *fault = (MachineFault){.kind = kind, .error = CUDA_ERROR_UNKNOWN};
    const char *what = reader->words[1];
    if (!is_function(what) && strcmp(what, "call") != 0 && strcmp(what, "launch") != 0 &&
        strcmp(what, "submission") != 0 && strcmp(what, "run") != 0)
        return refuse(reader, "%s is no function", what);
    snprintf(fault->what, sizeof(fault->what), "%s", what);
    if (!read_number(reader, reader->words[2], &fault->at) || fault->at == 0)
        return refuse(reader, "%s is no number of a call", reader->words[2]);
    if (reader->n_words > 3 && !driver_error_of(reader->words[3], &fault->error))
        return refuse(reader, "there is no error %s", reader->words[3]);
    return true;
}

static bool read_out_of_memory(Reader *reader)
{
    if (!expect_values(reader, 2, 2))
        return false;
    if (strcmp(reader->words[1], "at") == 0)
        return read_number(reader, reader->words[2], &reader->machine->memory_calls);
    if (strcmp(reader->words[1], "beyond") == 0)
        return read_number(reader, reader->words[2], &reader->machine->memory_limit);
    return refuse(reader, "out-of-memory takes at or beyond, not %s", reader->words[1]);
}

static bool read_flag(Reader *reader, bool *flag)
{
    *flag = true;
    return expect_values(reader, 0, 0);
}

static bool read_line(Reader *reader)
{
    Machine *machine = reader->machine;
    const char *word = reader->words[0];
    bool known;
    uint64_t number;
    if (strcmp(word, "device") == 0)
        return read_device(reader);
    if (strcmp(word, "fail") == 0)
        return read_fault(reader, MACHINE_FAIL);
    if (strcmp(word, "hang") == 0)
        return read_fault(reader, MACHINE_HANG);
    if (strcmp(word, "lose") == 0)
        return read_fault(reader, MACHINE_LOSE);
    if (strcmp(word, "illegal-address") == 0)
        return read_fault(reader, MACHINE_ILLEGAL);
    if (strcmp(word, "out-of-memory") == 0)
        return read_out_of_memory(reader);
    if (strcmp(word, "no-device") == 0)
        return read_flag(reader, &machine->has_no_device);
    if (strcmp(word, "driver-mismatch") == 0)
        return read_flag(reader, &machine->is_mismatched);
    if (strcmp(word, "free-waits") == 0)
        return read_flag(reader, &machine->free_waits);
    if (strcmp(word, "hang-limit") == 0)
        return expect_values(reader, 1, 1) &&
               read_decimal(reader, reader->words[1], &machine->hang_seconds);
    if (strcmp(word, "driver") == 0) {
        if (!expect_values(reader, 1, 1) || !read_number(reader, reader->words[1], &number))
            return false;
        machine->driver = (int)number;
        return true;
    }
    return read_device_word(reader, &known) &&
           (known || refuse(reader, "the word %s is not known", word));
}

bool machine_read(Machine *machine, const char *text, char error[MACHINE_ERROR_SIZE])
{
    Reader reader = {.machine = machine, .error = error};
    for (reader.line = 1; *text != '\0'; reader.line++) {
        char line[LINE_SIZE];
        const size_t length = strcspn(text, ";\n");
        if (length >= sizeof(line))
            return refuse(&reader, "is too long");
        memcpy(line, text, length);
        line[length] = '\0';
        line[strcspn(line, "#")] = '\0';
        text += length + (text[length] != '\0');
        char *rest = line, *word;
        for (reader.n_words = 0; (word = strtok_r(rest, " \t\r", &rest)) != NULL;) {
            if (reader.n_words == MAX_WORDS)
                return refuse(&reader, "has too many words");
            reader.words[reader.n_words++] = word;
        }
        if (reader.n_words > 0 && !read_line(&reader))
            return false;
    }
    return true;
}
