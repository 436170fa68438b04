/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/path.h"
#include "platform/windows/internal.h"

#include <psapi.h>

/* ---- What a module needs ---- */

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

/*
 * The first library that a module needs and that is not to be found, which the system does not tell
 * when it cannot load the module; "" if there is none, or what is missing is needed by another
 * library. None of their code is run. `path` has backslashes alone.
 */
static void missing_library(const wchar_t *path, char *name, size_t size)
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

/* ---- Loading ---- */

/* The system's words, without the line end behind them. */
static void describe(DWORD error, const char *path, char *why, size_t size)
{
    wchar_t words[256];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                  error, 0, words, 256, NULL);
    while (length && (words[length - 1] == L'\n' || words[length - 1] == L'\r' ||
                      words[length - 1] == L'.' || words[length - 1] == L' '))
        length--;
    words[length < 256 ? length : 255] = L'\0';
    char *text = vmaf_narrow_text(words);
    snprintf(why, size, "%s: %s", path, text && *text ? text : "it cannot be loaded");
    free(text);
}

/* A full path is found where it is; what it needs in its own folder, that of the program and those
 * of the system, and nowhere else. */
static HMODULE load_wide(const wchar_t *path)
{
    const bool is_full = (path[0] && path[1] == L':') || path[0] == L'\\';
    return LoadLibraryExW(path, NULL,
                          is_full
                              ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS
                              : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

/* Why it was not loaded: without the driver of a plugin, the system only says that something is
 * missing. */
static int explain(const wchar_t *wide, const char *path, char *why, size_t size)
{
    const DWORD error = GetLastError();
    const bool is_there = GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
    char library[128] = "";
    if (error == ERROR_MOD_NOT_FOUND && is_there)
        missing_library(wide, library, sizeof(library));
    if (*library)
        snprintf(why, size, "%s: it needs %s, which is not here", path, library);
    else
        describe(error, path, why, size);
    if (vmaf_error_from(error) == -ENOMEM)
        return -ENOMEM;
    return error == ERROR_MOD_NOT_FOUND && is_there ? -ENODEV : -ENOEXEC;
}

static int load(const char *path, HMODULE *module, char *why, size_t size)
{
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (err) {
        snprintf(why, size, "%s: %s", path, strerror(-err));
        return err == -ENOMEM ? err : -ENOEXEC;
    }
    /* In the form with backslashes alone, which the loader of modules wants. */
    for (wchar_t *c = wide; *c; c++) {
        if (*c == L'/')
            *c = L'\\';
    }
    *module = load_wide(wide);
    if (!*module)
        err = explain(wide, path, why, size);
    free(wide);
    return err;
}

bool vmaf_module_can_load(void)
{
    return true;
}

int vmaf_module_load(const char *path, char *why, size_t size)
{
    HMODULE module;
    return load(path, &module, why, size);
}

int vmaf_module_find(const char *path, const char *name, VmafCodeAddress *address, char *why,
                     size_t size)
{
    HMODULE module;
    const int err = load(path, &module, why, size);
    if (err)
        return err;
    *address = (VmafCodeAddress)(void *)GetProcAddress(module, name);
    if (*address)
        return 0;
    snprintf(why, size, "%s has no %s", path, name);
    return -ENOENT;
}

int vmaf_module_find_loaded(const char *name_of_module, const char *name, VmafCodeAddress *address)
{
    HMODULE modules[1024];
    DWORD size = 0;
    const HMODULE module = GetModuleHandleA(name_of_module);
    *address = module ? (VmafCodeAddress)(void *)GetProcAddress(module, name) : NULL;
    if (module || !K32EnumProcessModules(GetCurrentProcess(), modules, sizeof(modules), &size))
        return *address ? 0 : -ENOENT;
    const size_t count = size < sizeof(modules) ? size / sizeof(modules[0]) : 1024;
    for (size_t i = 0; i < count && !*address; i++)
        *address = (VmafCodeAddress)(void *)GetProcAddress(modules[i], name);
    return *address ? 0 : -ENOENT;
}

static bool find_module(const void *address, HMODULE *module)
{
    return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              address, module);
}

bool vmaf_module_has_code(VmafCodeAddress address)
{
    MEMORY_BASIC_INFORMATION memory;
    const DWORD code =
        PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    return VirtualQuery((const void *)(uintptr_t)address, &memory, sizeof(memory)) &&
           memory.Type == MEM_IMAGE && (memory.Protect & code);
}

/* Its file; NULL: no memory. */
static char *file_of(HMODULE module)
{
    for (DWORD size = MAX_PATH;; size *= 2) {
        wchar_t *path = malloc(size * sizeof(*path));
        const DWORD length = path ? GetModuleFileNameW(module, path, size) : 0;
        char *narrow = length && length < size ? vmaf_narrow_text(path) : NULL;
        free(path);
        if (!length || length < size)
            return narrow;
    }
}

int vmaf_module_folder_of(const void *address, char **folder)
{
    HMODULE module;
    *folder = NULL;
    if (!find_module(address, &module))
        return -ENOENT;
    char *file = file_of(module);
    if (!file)
        return -ENOMEM;
    const int err = vmaf_path_real(file, folder);
    free(file);
    if (!err)
        *(char *)vmaf_path_name(*folder) = '\0';
    const size_t length = err ? 0 : strlen(*folder);
    if (length > 3) /* the separator; not of "C:/" */
        (*folder)[length - 1] = '\0';
    return err;
}

bool vmaf_module_list(void (*name)(void *cookie, const char *path), void *cookie)
{
    HMODULE modules[1024];
    DWORD size = 0;
    if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof(modules), &size))
        return false;
    const size_t count = size < sizeof(modules) ? size / sizeof(modules[0]) : 1024;
    for (size_t i = 0; i < count; i++) {
        char *file = file_of(modules[i]);
        if (file)
            name(cookie, file);
        free(file);
    }
    return true;
}

/* They take the code page of the system, which lacks most characters; short names have few. */
static char *in_code_page(const wchar_t *wide)
{
    BOOL is_lossy = FALSE;
    BOOL *const asks = GetACP() == CP_UTF8 ? NULL : &is_lossy;
    const int size = WideCharToMultiByte(CP_ACP, 0, wide, -1, NULL, 0, NULL, asks);
    char *path = size > 0 && !is_lossy ? malloc((size_t)size) : NULL;
    if (path)
        WideCharToMultiByte(CP_ACP, 0, wide, -1, path, size, NULL, NULL);
    return path;
}

int vmaf_module_foreign_path(const char *path, char **foreign)
{
    wchar_t *wide, name[MAX_PATH];
    const int err = vmaf_wide_path(path, &wide);
    if (err)
        return err;
    *foreign = in_code_page(wide);
    const DWORD length = *foreign ? 0 : GetShortPathNameW(wide, name, MAX_PATH);
    if (length && length < MAX_PATH)
        *foreign = in_code_page(name);
    free(wide);
    return *foreign ? 0 : -EILSEQ;
}

const char *vmaf_module_index(void)
{
    return "";
}
