/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/windows/module_needs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that is mapped as the loader does it, but not linked with anything. */
typedef struct Image {
    HMODULE module;
    const uint8_t *base;
    size_t size;
} Image;

static const void *at(const Image *image, size_t offset, size_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->base + offset : NULL;
}

static bool open_image(Image *image, const wchar_t *path)
{
    *image = (Image){.module = LoadLibraryExW(path, NULL, LOAD_LIBRARY_AS_IMAGE_RESOURCE)};
    if (!image->module)
        return false;
    /* The lowest bits of the handle say how it was loaded. */
    image->base = (const uint8_t *)((uintptr_t)image->module & ~(uintptr_t)3);
    const IMAGE_DOS_HEADER *const dos = (const void *)image->base;
    const IMAGE_NT_HEADERS *const headers = (const void *)(image->base + dos->e_lfanew);
    image->size = headers->OptionalHeader.SizeOfImage;
    return true;
}

static const IMAGE_IMPORT_DESCRIPTOR *import_at(const Image *image, size_t index)
{
    const IMAGE_DOS_HEADER *const dos = (const void *)image->base;
    const IMAGE_NT_HEADERS *const headers = (const void *)(image->base + dos->e_lfanew);
    const size_t begin =
        headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
    const IMAGE_IMPORT_DESCRIPTOR *const import =
        begin ? at(image, begin + index * sizeof(*import), sizeof(*import)) : NULL;
    return import && import->Name ? import : NULL;
}

static const char *name_of(const Image *image, const IMAGE_IMPORT_DESCRIPTOR *import)
{
    const char *const name = at(image, import->Name, 1);
    return name && memchr(name, 0, image->size - import->Name) ? name : NULL;
}

/* In this process, where the system looks, or beside the module. */
static bool is_found(const char *name, const wchar_t *path)
{
    if (GetModuleHandleA(name))
        return true;
    const HMODULE file =
        LoadLibraryExA(name, NULL, LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (file) {
        FreeLibrary(file);
        return true;
    }
    const wchar_t *const separator = wcsrchr(path, L'\\');
    const size_t folder = separator ? (size_t)(separator + 1 - path) : 0;
    wchar_t *beside = malloc((folder + strlen(name) + 1) * sizeof(*beside));
    if (!beside)
        return true;
    wmemcpy(beside, path, folder);
    for (size_t i = 0; i <= strlen(name); i++)
        beside[folder + i] = (wchar_t)name[i];
    const bool is_there = GetFileAttributesW(beside) != INVALID_FILE_ATTRIBUTES;
    free(beside);
    return is_there;
}

void vmaf_module_missing_library(const wchar_t *path, char *name, size_t size)
{
    Image image;
    const IMAGE_IMPORT_DESCRIPTOR *import;
    *name = '\0';
    if (!open_image(&image, path))
        return;
    for (size_t i = 0; !*name && (import = import_at(&image, i)); i++) {
        const char *const library = name_of(&image, import);
        if (library && !is_found(library, path))
            snprintf(name, size, "%s", library);
    }
    FreeLibrary(image.module);
}
