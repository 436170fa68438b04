/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "code_object.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            return code_notes_read(object, note + sizeof(header) + name, header.n_descsz,
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
