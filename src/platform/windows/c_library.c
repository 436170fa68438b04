/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/c_library.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>

#include "platform/process.h"
#include "platform/thread.h"
#include "platform/windows/internal.h"

#undef fclose
#undef strerror

/* ---- Bytes ---- */

char *vmaf_stpcpy(char *to, const char *from)
{
    const size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

void *vmaf_memmem(const void *in, size_t in_size, const void *what, size_t what_size)
{
    const char *at = in;
    for (; in_size >= what_size; at++, in_size--) {
        if (!memcmp(at, what, what_size))
            return (void *)(uintptr_t)at;
    }
    return NULL;
}

char *vmaf_strndup(const char *text, size_t length)
{
    const size_t used = strnlen(text, length);
    char *copy = malloc(used + 1);
    if (copy) {
        memcpy(copy, text, used);
        copy[used] = '\0';
    }
    return copy;
}

char *vmaf_strsep(char **rest, const char *separators)
{
    char *part = *rest;
    if (part) {
        char *end = part + strcspn(part, separators);
        *rest = *end ? end + 1 : NULL;
        *end = '\0';
    }
    return part;
}

/* ---- Environment ---- */

/* Every value that was handed out: callers keep them. */
typedef struct Variable {
    struct Variable *next;
    char *name, *value;
} Variable;

static VmafMutex environment_lock = VMAF_MUTEX_INITIALIZER;
static Variable *environment;

static wchar_t *read_variable(const wchar_t *name)
{
    wchar_t *value = NULL;
    for (DWORD size = 256;;) {
        wchar_t *grown = realloc(value, size * sizeof(*value));
        if (!grown)
            break;
        value = grown;
        SetLastError(ERROR_SUCCESS);
        const DWORD needed = GetEnvironmentVariableW(name, value, size);
        if (needed == 0 && GetLastError() != ERROR_SUCCESS)
            break; /* an empty one is none of these */
        if (needed < size)
            return value;
        size = needed;
    }
    free(value);
    return NULL;
}

/* Takes the value over. */
static char *keep(const char *name, char *value)
{
    Variable *variable = environment;
    while (variable && (strcmp(variable->name, name) || strcmp(variable->value, value)))
        variable = variable->next;
    if (!variable && (variable = calloc(1, sizeof(*variable)))) {
        variable->name = _strdup(name);
        variable->value = _strdup(value);
        if (variable->name && variable->value) {
            variable->next = environment;
            environment = variable;
        } else {
            free(variable->name);
            free(variable->value);
            free(variable);
            variable = NULL;
        }
    }
    free(value);
    return variable ? variable->value : NULL;
}

char *vmaf_getenv(const char *name)
{
    wchar_t *wide_name = vmaf_wide_text(name), *wide = wide_name ? read_variable(wide_name) : NULL;
    char *value = wide ? vmaf_narrow_text(wide) : NULL;
    free(wide_name);
    free(wide);
    if (!value)
        return NULL;
    vmaf_mutex_lock(&environment_lock);
    char *kept = keep(name, value);
    vmaf_mutex_unlock(&environment_lock);
    return kept;
}

char *vmaf_secure_getenv(const char *name)
{
    return vmaf_privilege_is_borrowed() ? NULL : vmaf_getenv(name);
}

/* ---- Files ---- */

static int fail(int err)
{
    errno = -err;
    return -1;
}

FILE *vmaf_fopen(const char *path, const char *mode)
{
    wchar_t wide_mode[8], *wide;
    size_t used = 0;
    for (; *mode && used < 5; mode++) {
        if (*mode != 'e' && *mode != 'b')
            wide_mode[used++] = (wchar_t)*mode;
    }
    wide_mode[used++] = L'b';
    wide_mode[used++] = L'N'; /* not inherited */
    wide_mode[used] = L'\0';
    const int err = vmaf_wide_path(path, &wide);
    if (err) {
        fail(err);
        return NULL;
    }
    FILE *file = _wfopen(wide, wide_mode);
    free(wide);
    return file;
}

int vmaf_remove(const char *path)
{
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (err)
        return fail(err);
    const DWORD attributes = GetFileAttributesW(wide);
    const bool is_folder =
        attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
    if (!(is_folder ? RemoveDirectoryW(wide) : DeleteFileW(wide)))
        err = vmaf_last_error();
    free(wide);
    return err ? fail(err) : 0;
}

int vmaf_rename(const char *from, const char *to)
{
    wchar_t *wide_from, *wide_to = NULL;
    int err = vmaf_wide_path(from, &wide_from);
    if (!err)
        err = vmaf_wide_path(to, &wide_to);
    if (!err && !MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING))
        err = vmaf_last_error();
    free(wide_from);
    free(wide_to);
    return err ? fail(err) : 0;
}

/* ---- Streams in memory ---- */

/*
 * The C runtime cannot write into memory: such a stream is a file that the system keeps in its
 * cache and removes when it is closed.
 */
typedef struct MemoryStream {
    struct MemoryStream *next;
    FILE *stream;
    char **text;
    size_t *size;
} MemoryStream;

static VmafMutex streams_lock = VMAF_MUTEX_INITIALIZER;
static MemoryStream *streams;

static HANDLE create_temporary(void)
{
    static unsigned counter;
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 64];
    HANDLE file = INVALID_HANDLE_VALUE;
    if (!GetTempPathW(MAX_PATH + 1, folder))
        return file;
    vmaf_mutex_lock(&streams_lock);
    const unsigned number = counter++;
    vmaf_mutex_unlock(&streams_lock);
    for (unsigned attempt = 0; attempt < 100 && file == INVALID_HANDLE_VALUE; attempt++) {
        _snwprintf(path, MAX_PATH + 64, L"%lsvmaf-%lx-%x-%llx.tmp", folder, GetCurrentProcessId(),
                   number, (unsigned long long)vmaf_steady_ns());
        file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, 0, NULL, CREATE_NEW,
                           FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    }
    return file;
}

FILE *vmaf_open_memstream(char **text, size_t *size)
{
    MemoryStream *memory = malloc(sizeof(*memory));
    const HANDLE file = memory ? create_temporary() : INVALID_HANDLE_VALUE;
    const int descriptor =
        file == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)file, _O_BINARY);
    FILE *stream = descriptor < 0 ? NULL : _fdopen(descriptor, "w+b");
    if (!stream) {
        if (descriptor >= 0)
            _close(descriptor);
        else if (file != INVALID_HANDLE_VALUE)
            CloseHandle(file);
        free(memory);
        errno = ENOMEM;
        return NULL;
    }
    setvbuf(stream, NULL, _IOFBF, 65536);
    *text = NULL;
    *size = 0;
    *memory = (MemoryStream){.stream = stream, .text = text, .size = size};
    vmaf_mutex_lock(&streams_lock);
    memory->next = streams;
    streams = memory;
    vmaf_mutex_unlock(&streams_lock);
    return stream;
}

static MemoryStream *take_memory(FILE *stream)
{
    vmaf_mutex_lock(&streams_lock);
    MemoryStream **at = &streams;
    while (*at && (*at)->stream != stream)
        at = &(*at)->next;
    MemoryStream *memory = *at;
    if (memory)
        *at = memory->next;
    vmaf_mutex_unlock(&streams_lock);
    return memory;
}

/* What was written, with a zero byte behind it. 0; negative errno. */
static int read_back(FILE *stream, char **text, size_t *size)
{
    if (fflush(stream) || ferror(stream) || _fseeki64(stream, 0, SEEK_END))
        return -ENOSPC;
    const int64_t length = _ftelli64(stream);
    char *bytes = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!bytes)
        return -ENOMEM;
    rewind(stream);
    if (fread(bytes, 1, (size_t)length, stream) != (size_t)length) {
        free(bytes);
        return -EIO;
    }
    bytes[length] = '\0';
    *text = bytes;
    *size = (size_t)length;
    return 0;
}

int vmaf_fclose(FILE *stream)
{
    MemoryStream *memory = take_memory(stream);
    const int err = memory ? read_back(stream, memory->text, memory->size) : 0;
    free(memory);
    const int closed = fclose(stream);
    if (!err)
        return closed;
    errno = -err;
    return EOF;
}

/* ---- Errors ---- */

char *vmaf_strerror(int error)
{
    static const struct {
        int error;
        const char *text; /* of the GNU C library */
    } others[] = {
        {ECANCELED, "Operation canceled"},
        {ELOOP, "Too many levels of symbolic links"},
        {ENOTSUP, "Operation not supported"},
        {EOVERFLOW, "Value too large for defined data type"},
        {EPROTO, "Protocol error"},
        {ETIMEDOUT, "Connection timed out"},
        {ENODATA, "No data available"},
        {EALREADY, "Operation already in progress"},
        {EINPROGRESS, "Operation now in progress"},
        {EOPNOTSUPP, "Operation not supported"},
        {EBADMSG, "Bad message"},
        {ENOSYS, "Function not implemented"},
        {EACCES, "Permission denied"},
        {ENOMEM, "Cannot allocate memory"},
        {EIO, "Input/output error"},
        {EINVAL, "Invalid argument"},
        {EBUSY, "Device or resource busy"},
        {ERANGE, "Numerical result out of range"},
        {EDOM, "Numerical argument out of domain"},
        {EEXIST, "File exists"},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i].error == error)
            return (char *)(uintptr_t)others[i].text;
    }
    return strerror(error);
}
