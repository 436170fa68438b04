/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Code objects: chips that they are for, notes about them, and what is wrong with them. */
#include "code_object.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of the flags, since version 4 of the format. */
enum {
    FLAG_CHIP = 0xff,
    FLAG_XNACK = 0x300,
    FLAG_SRAMECC = 0xc00,
    XNACK_ANY = 0x100,
    SRAMECC_ANY = 0x400,
};

typedef struct Chip {
    const char *name;
    uint32_t flag;
    const char *family;    /* whose code it runs, too; NULL: it has none */
    unsigned has_features; /* FLAG_XNACK, FLAG_SRAMECC */
} Chip;

/* Flags and features as clang 22 writes them. */
static const Chip chips[] = {
    {"gfx900", 0x2c, "gfx9-generic", FLAG_XNACK},
    {"gfx902", 0x2d, "gfx9-generic", FLAG_XNACK},
    {"gfx904", 0x2e, "gfx9-generic", FLAG_XNACK},
    {"gfx906", 0x2f, "gfx9-generic", FLAG_XNACK | FLAG_SRAMECC},
    {"gfx908", 0x30, NULL, FLAG_XNACK | FLAG_SRAMECC},
    {"gfx909", 0x31, "gfx9-generic", FLAG_XNACK},
    {"gfx90a", 0x3f, NULL, FLAG_XNACK | FLAG_SRAMECC},
    {"gfx90c", 0x32, "gfx9-generic", FLAG_XNACK},
    {"gfx942", 0x4c, "gfx9-4-generic", FLAG_XNACK | FLAG_SRAMECC},
    {"gfx950", 0x4f, "gfx9-4-generic", FLAG_XNACK | FLAG_SRAMECC},
    {"gfx1010", 0x33, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1011", 0x34, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1012", 0x35, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1013", 0x42, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1030", 0x36, "gfx10-3-generic", 0},
    {"gfx1031", 0x37, "gfx10-3-generic", 0},
    {"gfx1032", 0x38, "gfx10-3-generic", 0},
    {"gfx1033", 0x39, "gfx10-3-generic", 0},
    {"gfx1034", 0x3e, "gfx10-3-generic", 0},
    {"gfx1035", 0x3d, "gfx10-3-generic", 0},
    {"gfx1036", 0x45, "gfx10-3-generic", 0},
    {"gfx1100", 0x41, "gfx11-generic", 0},
    {"gfx1101", 0x46, "gfx11-generic", 0},
    {"gfx1102", 0x47, "gfx11-generic", 0},
    {"gfx1103", 0x44, "gfx11-generic", 0},
    {"gfx1150", 0x43, "gfx11-generic", 0},
    {"gfx1151", 0x4a, "gfx11-generic", 0},
    {"gfx1152", 0x55, "gfx11-generic", 0},
    {"gfx1153", 0x58, "gfx11-generic", 0},
    {"gfx1200", 0x48, "gfx12-generic", 0},
    {"gfx1201", 0x4e, "gfx12-generic", 0},
    {"gfx9-generic", 0x51, NULL, FLAG_XNACK},
    {"gfx9-4-generic", 0x5f, NULL, FLAG_XNACK | FLAG_SRAMECC},
    {"gfx10-1-generic", 0x52, NULL, FLAG_XNACK},
    {"gfx10-3-generic", 0x53, NULL, 0},
    {"gfx11-generic", 0x54, NULL, 0},
    {"gfx12-generic", 0x59, NULL, 0},
};

/* The chip of a name, which features may follow. */
static const Chip *find(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        if (strlen(chips[i].name) == length && memcmp(chips[i].name, name, length) == 0)
            return &chips[i];
    }
    return NULL;
}

unsigned chip_target_version(const char *chip)
{
    unsigned number, stepping, length = (unsigned)strcspn(chip, ":");
    char digits[16];
    if (length < 6 || length >= sizeof(digits))
        return 0;
    memcpy(digits, chip, length);
    digits[length] = '\0';
    if (sscanf(digits + length - 1, "%x", &stepping) != 1)
        return 0;
    digits[length - 1] = '\0';
    if (sscanf(digits, "gfx%u", &number) != 1)
        return 0;
    return number / 10 * 10000 + number % 10 * 100 + stepping;
}

/* What a name says of a feature: 0 nothing, otherwise '+' or '-'. */
static char feature(const char *name, const char *which)
{
    const char *found = strstr(name, which);
    return found ? found[strlen(which)] : '\0';
}

/* Whether the flags say of a feature what the target does, and the chip has it so. */
static enum ChipMatch match_feature(const char *chip, const char *target, const char *which,
                                    uint32_t flags, uint32_t any, bool has_feature)
{
    static const char states[] = {'\0', '\0', '-', '+'}; /* there is none, any, off, on */
    const uint32_t state = flags / any & 3;
    const char wanted = feature(target, which), there = feature(chip, which);
    if (states[state] != wanted || (state != 0) != has_feature)
        return CHIP_CONTRADICTION;
    return wanted && wanted != (there ? there : '-') ? CHIP_DIFFERS : CHIP_MATCHES;
}

enum ChipMatch chip_match(const char *chip, uint32_t flags, const char *target, char *error,
                          size_t size)
{
    const Chip *device = find(chip), *code = find(target);
    enum ChipMatch match = CHIP_CONTRADICTION;
    if (code && code->flag == (flags & FLAG_CHIP)) {
        match = match_feature(chip, target, ":xnack", flags, XNACK_ANY,
                              code->has_features & FLAG_XNACK);
        if (match != CHIP_CONTRADICTION) {
            const enum ChipMatch other = match_feature(chip, target, ":sramecc", flags, SRAMECC_ANY,
                                                       code->has_features & FLAG_SRAMECC);
            match = other != CHIP_MATCHES ? other : match;
        }
    }
    if (match == CHIP_CONTRADICTION) {
        snprintf(error, size, "the flags %#x are not those of code for %s", flags, target);
        return match;
    }
    if (!device || (device != code && (!device->family || strcmp(device->family, code->name) != 0)))
        match = CHIP_DIFFERS;
    if (match == CHIP_DIFFERS)
        snprintf(error, size, "code for %s on a %s", target, chip);
    return match;
}

/* -- MessagePack, in which code objects say what they have -- */

enum Kind {
    END, /* or what is no MessagePack, or not in notes: fractions, bytes, extensions; nothing
            follows */
    INTEGER,
    TEXT,
    ARRAY,
    MAP,
    OTHER, /* nil, false, true */
};

typedef struct Reader {
    const unsigned char *at, *end;
    bool failed;
} Reader;

typedef struct Item {
    enum Kind kind;
    uint64_t value;   /* an integer, or the number of elements, or of pairs, that follow */
    const char *text; /* of `value` bytes, without a zero at its end */
} Item;

/* A number of 1, 2, 4 or 8 bytes, the highest first. */
static uint64_t take_bytes(Reader *reader, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->failed = true;
        return 0;
    }
    while (bytes-- > 0)
        value = value << 8 | *reader->at++;
    return value;
}

static Item item_of(Reader *reader, enum Kind kind, uint64_t value)
{
    Item item = {.kind = kind, .value = value, .text = (const char *)reader->at};
    if (kind == END || (kind == TEXT && value > (size_t)(reader->end - reader->at)))
        reader->failed = true;
    else if (kind == TEXT && !reader->failed)
        reader->at += value;
    return reader->failed ? (Item){.kind = END} : item;
}

static Item next_item(Reader *reader)
{
    const unsigned first = (unsigned)take_bytes(reader, 1);
    if (first < 0x80 || first >= 0xe0) /* negative ones matter to nobody here */
        return item_of(reader, INTEGER, first);
    if (first < 0xa0)
        return item_of(reader, first < 0x90 ? MAP : ARRAY, first & 15);
    if (first < 0xc0)
        return item_of(reader, TEXT, first & 31);
    if (first >= 0xcc && first <= 0xd3)
        return item_of(reader, INTEGER, take_bytes(reader, 1U << (first & 3)));
    if (first >= 0xd9 && first <= 0xdb)
        return item_of(reader, TEXT, take_bytes(reader, 1U << (first - 0xd9)));
    if (first >= 0xdc)
        return item_of(reader, first < 0xde ? ARRAY : MAP, take_bytes(reader, first & 1 ? 4 : 2));
    return item_of(reader, first == 0xc0 || first == 0xc2 || first == 0xc3 ? OTHER : END, 0);
}

static uint64_t parts_of(const Item *item)
{
    return item->kind == ARRAY ? item->value : item->kind == MAP ? 2 * item->value : 0;
}

/* Passes over a value, with all elements. */
static void skip_value(Reader *reader)
{
    for (uint64_t left = 1; left > 0 && !reader->failed; left--) {
        const Item item = next_item(reader);
        left += parts_of(&item);
    }
}

static bool is(const Item *item, const char *text)
{
    return item->kind == TEXT && item->value == strlen(text) &&
           memcmp(item->text, text, item->value) == 0;
}

/* -- the notes of a code object -- */

/* The number behind a key. */
static void read_number(Reader *reader, uint32_t *value)
{
    const Item item = next_item(reader);
    if (item.kind != INTEGER || item.value > UINT32_MAX)
        reader->failed = true;
    *value = (uint32_t)item.value;
}

static void read_text(Reader *reader, char *to, size_t size)
{
    const Item item = next_item(reader);
    if (item.kind != TEXT || item.value >= size)
        reader->failed = true;
    else
        snprintf(to, size, "%.*s", (int)item.value, item.text);
}

/* The number of elements, or pairs, of the item that follows. */
static uint64_t expect(Reader *reader, enum Kind kind)
{
    const Item item = next_item(reader);
    if (item.kind != kind)
        reader->failed = true;
    return reader->failed ? 0 : item.value;
}

/* False: the runtime adds the argument. */
static bool read_arg(Reader *reader, CodeObjectArg *arg)
{
    char kind[48] = "", access[16] = "";
    *arg = (CodeObjectArg){0};
    for (uint64_t n = expect(reader, MAP); n > 0 && !reader->failed; n--) {
        const Item key = next_item(reader);
        if (is(&key, ".offset"))
            read_number(reader, &arg->offset);
        else if (is(&key, ".size"))
            read_number(reader, &arg->size);
        else if (is(&key, ".value_kind"))
            read_text(reader, kind, sizeof(kind));
        else if (is(&key, ".access") || is(&key, ".actual_access"))
            read_text(reader, access, sizeof(access));
        else
            skip_value(reader);
    }
    arg->is_buffer = strcmp(kind, "global_buffer") == 0;
    arg->is_write_only = strcmp(access, "write_only") == 0;
    return strncmp(kind, "hidden_", 7) != 0;
}

static void read_args(Reader *reader, CodeObjectKernel *kernel)
{
    for (uint64_t n = expect(reader, ARRAY); n > 0 && !reader->failed; n--) {
        CodeObjectArg arg;
        if (!read_arg(reader, &arg))
            continue;
        if (kernel->n_args == CODE_OBJECT_MAX_ARGS) {
            reader->failed = true;
            return;
        }
        kernel->args[kernel->n_args++] = arg;
        if (arg.offset + arg.size > kernel->args_size)
            kernel->args_size = arg.offset + arg.size;
    }
}

static void read_kernel(Reader *reader, CodeObjectKernel *kernel)
{
    for (uint64_t n = expect(reader, MAP); n > 0 && !reader->failed; n--) {
        const Item key = next_item(reader);
        if (is(&key, ".name"))
            read_text(reader, kernel->name, sizeof(kernel->name));
        else if (is(&key, ".symbol"))
            read_text(reader, kernel->symbol, sizeof(kernel->symbol));
        else if (is(&key, ".args"))
            read_args(reader, kernel);
        else if (is(&key, ".kernarg_segment_size"))
            read_number(reader, &kernel->kernarg_size);
        else if (is(&key, ".group_segment_fixed_size"))
            read_number(reader, &kernel->group_size);
        else if (is(&key, ".private_segment_fixed_size"))
            read_number(reader, &kernel->private_size);
        else if (is(&key, ".max_flat_workgroup_size"))
            read_number(reader, &kernel->max_lanes);
        else
            skip_value(reader);
    }
}

static void read_kernels(Reader *reader, CodeObject *object)
{
    const uint64_t n = expect(reader, ARRAY);
    if (n > (uint64_t)(reader->end - reader->at)) /* each of them takes a byte at least */
        reader->failed = true;
    if (reader->failed || object->kernels)
        return;
    object->kernels = calloc(n + 1, sizeof(*object->kernels));
    while (object->n_kernels < n && !reader->failed)
        read_kernel(reader, &object->kernels[object->n_kernels++]);
}

/* Fills in target and kernels from the note NT_AMDGPU_METADATA. */
static bool read_metadata(CodeObject *object, const void *note, size_t size,
                          char error[CODE_OBJECT_ERROR_SIZE])
{
    static const char prefix[] = "amdgcn-amd-amdhsa--";
    Reader reader = {note, (const unsigned char *)note + size, false};
    char target[sizeof(prefix) - 1 + sizeof(object->target)] = "";
    for (uint64_t n = expect(&reader, MAP); n > 0 && !reader.failed; n--) {
        const Item key = next_item(&reader);
        if (is(&key, "amdhsa.target"))
            read_text(&reader, target, sizeof(target));
        else if (is(&key, "amdhsa.kernels"))
            read_kernels(&reader, object);
        else
            skip_value(&reader);
    }
    if (reader.failed || !object->kernels || strncmp(target, prefix, sizeof(prefix) - 1) != 0) {
        snprintf(error, CODE_OBJECT_ERROR_SIZE, "the notes of a code object are not understood");
        return false;
    }
    snprintf(object->target, sizeof(object->target), "%s", target + sizeof(prefix) - 1);
    return true;
}

/* -- its ELF file -- */

enum {
    OSABI_AMDGPU_HSA = 64,
    OLDEST_ABI = 2, /* version 4 of the format */
    NOTE_METADATA = 32,
    DESCRIPTOR_SIZE = 64,
    LARGEST = 1 << 28,
};

/* The first words of a kernel's descriptor. */
typedef struct Descriptor {
    uint32_t group_size, private_size, kernarg_size, reserved;
    int64_t entry; /* from here to the code */
} Descriptor;

typedef struct Image {
    const unsigned char *bytes;
    uint64_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    char *error;
} Image;

__attribute__((format(printf, 2, 3))) static bool reason_set(const Image *image, const char *format,
                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(image->error, CODE_OBJECT_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_header(Image *image)
{
    const Elf64_Ehdr *header = image->header;
    const unsigned char *ident = header->e_ident;
    if (memcmp(image->bytes, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0)
        return reason_set(image, "bundles of code objects are not emulated");
    if (memcmp(ident, ELFMAG, SELFMAG) != 0)
        return reason_set(image, "no ELF file");
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB ||
        ident[EI_OSABI] != OSABI_AMDGPU_HSA || header->e_machine != EM_AMDGPU ||
        header->e_type != ET_DYN)
        return reason_set(image, "no code object: OS ABI %u, machine %u, type %u", ident[EI_OSABI],
                          header->e_machine, header->e_type);
    if (ident[EI_ABIVERSION] < OLDEST_ABI)
        return reason_set(image, "version %u of the format is not emulated",
                          ident[EI_ABIVERSION] + 2U);
    const uint64_t table = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > LARGEST ||
        header->e_shoff % _Alignof(Elf64_Shdr) != 0 || !header->e_shnum)
        return reason_set(image, "the table of sections is damaged");
    image->size = header->e_shoff + table; /* which is the end of what linkers write */
    image->sections = (const Elf64_Shdr *)(image->bytes + header->e_shoff);
    return true;
}

static bool is_inside(const Image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

/* The section of that type; NULL: there is none, or it is not in the file. */
static const Elf64_Shdr *find_section(const Image *image, uint32_t type)
{
    for (unsigned i = 0; i < image->header->e_shnum; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_type == type && is_inside(image, section->sh_offset, section->sh_size))
            return section;
    }
    return NULL;
}

static bool read_notes(const Image *image, CodeObject *object)
{
    const Elf64_Shdr *section = find_section(image, SHT_NOTE);
    uint64_t at = 0;
    while (section && section->sh_size - at >= sizeof(Elf64_Nhdr)) {
        const unsigned char *note = image->bytes + section->sh_offset + at;
        Elf64_Nhdr header;
        memcpy(&header, note, sizeof(header));
        const uint64_t name = (header.n_namesz + 3ULL) / 4 * 4;
        const uint64_t length = sizeof(header) + name + (header.n_descsz + 3ULL) / 4 * 4;
        if (length > section->sh_size - at)
            return reason_set(image, "a note of the code object is damaged");
        if (header.n_type == NOTE_METADATA && header.n_namesz == 7 &&
            memcmp(note + sizeof(header), "AMDGPU", 7) == 0)
            return read_metadata(object, note + sizeof(header) + name, header.n_descsz,
                                 image->error);
        at += length;
    }
    return reason_set(image, "the code object has no notes");
}

/* -- symbols -- */

/* A symbol that is defined; NULL: there is none. */
static const Elf64_Sym *find_symbol(const Image *image, const char *name)
{
    const Elf64_Shdr *table = find_section(image, SHT_DYNSYM);
    if (!table || table->sh_offset % _Alignof(Elf64_Sym) != 0 ||
        table->sh_link >= image->header->e_shnum)
        return NULL;
    const Elf64_Shdr *names = &image->sections[table->sh_link];
    if (!is_inside(image, names->sh_offset, names->sh_size))
        return NULL;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(image->bytes + table->sh_offset);
    const size_t size = strlen(name) + 1;
    for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
        if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_shndx < image->header->e_shnum &&
            symbols[i].st_name <= names->sh_size && size <= names->sh_size - symbols[i].st_name &&
            memcmp(image->bytes + names->sh_offset + symbols[i].st_name, name, size) == 0)
            return &symbols[i];
    }
    return NULL;
}

/* The descriptor, and what the notes say: both count on a GPU. */
static bool check_kernel(const Image *image, const CodeObjectKernel *kernel)
{
    char function[CODE_OBJECT_NAME_SIZE];
    Descriptor descriptor;
    const Elf64_Sym *symbol = find_symbol(image, kernel->symbol);
    if (!kernel->name[0] || !symbol || symbol->st_size != DESCRIPTOR_SIZE)
        return reason_set(image, "kernel %s has no descriptor", kernel->name);
    const Elf64_Shdr *section = &image->sections[symbol->st_shndx];
    const uint64_t offset = section->sh_offset + symbol->st_value - section->sh_addr;
    if (symbol->st_value < section->sh_addr || !is_inside(image, offset, DESCRIPTOR_SIZE))
        return reason_set(image, "the descriptor of kernel %s is not in the file", kernel->name);
    memcpy(&descriptor, image->bytes + offset, sizeof(descriptor));
    if (descriptor.group_size != kernel->group_size ||
        descriptor.private_size != kernel->private_size ||
        descriptor.kernarg_size != kernel->kernarg_size)
        return reason_set(
            image,
            "kernel %s: the descriptor says %u, %u and %u bytes of group memory, lane "
            "memory and arguments, and the notes %u, %u and %u",
            kernel->name, descriptor.group_size, descriptor.private_size, descriptor.kernarg_size,
            kernel->group_size, kernel->private_size, kernel->kernarg_size);
    if (kernel->args_size > kernel->kernarg_size)
        return reason_set(image, "kernel %s has arguments beyond its %u bytes", kernel->name,
                          kernel->kernarg_size);
    snprintf(function, sizeof(function), "%s", kernel->symbol);
    char *end = strstr(function, ".kd");
    if (end)
        *end = '\0';
    const Elf64_Sym *code = find_symbol(image, function);
    if (!end || !code || symbol->st_value + (uint64_t)descriptor.entry != code->st_value)
        return reason_set(image, "the descriptor of kernel %s does not name its code",
                          kernel->name);
    return true;
}

static bool read_object(const void *bytes, CodeObject *object, char *error)
{
    Image image = {.bytes = bytes, .header = bytes, .error = error};
    if ((uintptr_t)bytes % _Alignof(Elf64_Ehdr) != 0)
        return reason_set(&image, "the code object is not aligned to 8 bytes");
    if (!check_header(&image))
        return false;
    object->flags = image.header->e_flags;
    object->version = image.header->e_ident[EI_ABIVERSION] + 2;
    if (!read_notes(&image, object))
        return false;
    for (uint32_t i = 0; i < object->n_kernels; i++) {
        if (!check_kernel(&image, &object->kernels[i]))
            return false;
    }
    return true;
}

CodeObject *code_object_read(const void *image, char error[CODE_OBJECT_ERROR_SIZE])
{
    CodeObject *object = calloc(1, sizeof(*object));
    if (read_object(image, object, error))
        return object;
    code_object_free(object);
    return NULL;
}

void code_object_free(CodeObject *object)
{
    if (object)
        free(object->kernels);
    free(object);
}
