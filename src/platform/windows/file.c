/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/internal.h"
#include "platform/machine.h"
#include "platform/thread.h"
#include "platform/windows/internal.h"

enum { PART_MAX = 1 << 30 }; /* one call moves less than 4 GiB */

static HANDLE handle_of(const VmafFile *file)
{
    return (HANDLE)file->handle;
}

/* ---- Handles ---- */

int vmaf_handle_copy(HANDLE *copy, HANDLE handle)
{
    const HANDLE here = GetCurrentProcess();
    *copy = INVALID_HANDLE_VALUE;
    if (handle == INVALID_HANDLE_VALUE)
        return -EBADF;
    return DuplicateHandle(here, handle, here, copy, 0, FALSE, DUPLICATE_SAME_ACCESS)
               ? 0
               : vmaf_last_error();
}

/* Windows does not tell that a part of a path is a file instead of a folder. */
static bool lies_below_file(const wchar_t *path)
{
    wchar_t *above = _wcsdup(path);
    bool is_below = false;
    for (size_t end = above ? wcslen(above) : 0; end > 0 && !is_below; end--) {
        if (above[end] != L'/' && above[end] != L'\\')
            continue;
        above[end] = L'\0';
        const DWORD attributes = GetFileAttributesW(above);
        is_below =
            attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
    }
    free(above);
    return is_below;
}

int vmaf_handle_open(HANDLE *handle, const char *path, DWORD access, DWORD disposition, DWORD flags)
{
    *handle = INVALID_HANDLE_VALUE;
    const int stream = vmaf_standard_stream_named(path);
    if (stream >= 0)
        return vmaf_handle_copy(handle, vmaf_standard_handle(stream));
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (err)
        return err;
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    *handle = CreateFileW(wide, access, share, NULL, disposition, flags, NULL);
    if (*handle == INVALID_HANDLE_VALUE) {
        err = vmaf_last_error();
        if (err == -ENOENT && lies_below_file(wide))
            err = -ENOTDIR;
    }
    free(wide);
    return err;
}

int64_t vmaf_handle_read(HANDLE handle, void *buffer, size_t size)
{
    DWORD got = 0;
    if (ReadFile(handle, buffer, size < PART_MAX ? (DWORD)size : PART_MAX, &got, NULL))
        return got;
    const DWORD error = GetLastError();
    return error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF ? 0 : vmaf_error_from(error);
}

int vmaf_handle_write(HANDLE handle, const void *data, size_t size)
{
    const char *bytes = data;
    while (size) {
        DWORD n = 0;
        if (!WriteFile(handle, bytes, size < PART_MAX ? (DWORD)size : PART_MAX, &n, NULL))
            return vmaf_last_error();
        if (!n)
            return -EIO;
        bytes += n;
        size -= n;
    }
    return 0;
}

/* ---- Status ---- */

static int64_t since_1970(int64_t ticks)
{
    return (ticks - INT64_C(116444736000000000)) * 100;
}

/* Pipes and devices have no number; the handle has one while it is open. */
static int status_of_other(HANDLE handle, DWORD type, VmafFileStatus *status)
{
    if (type == FILE_TYPE_UNKNOWN && GetLastError() != ERROR_SUCCESS)
        return vmaf_last_error();
    *status = (VmafFileStatus){
        .kind = type == FILE_TYPE_PIPE ? VMAF_FILE_PIPE : VMAF_FILE_OTHER,
        .volume = UINT64_MAX,
        .number = (uintptr_t)handle,
    };
    return 0;
}

/* A file whose system does not know it by a number, or that was inherited from outside of Wine. */
static int status_of_nameless(HANDLE handle, VmafFileStatus *status)
{
    const int err = vmaf_last_error();
    LARGE_INTEGER size;
    FILETIME written = {0};
    if (!GetFileSizeEx(handle, &size))
        return err;
    GetFileTime(handle, NULL, NULL, &written);
    const int64_t time = since_1970(vmaf_filetime_number(written));
    *status = (VmafFileStatus){
        .kind = VMAF_FILE_REGULAR,
        .volume = UINT64_MAX,
        .number = (uintptr_t)handle,
        .size = size.QuadPart,
        .modified_ns = time,
        .changed_ns = time,
    };
    return 0;
}

static int vmaf_handle_status(HANDLE handle, VmafFileStatus *status)
{
    SetLastError(ERROR_SUCCESS);
    const DWORD type = GetFileType(handle);
    if (type != FILE_TYPE_DISK)
        return status_of_other(handle, type, status);
    BY_HANDLE_FILE_INFORMATION file;
    FILE_BASIC_INFO times;
    if (!GetFileInformationByHandle(handle, &file))
        return status_of_nameless(handle, status);
    const int64_t written = vmaf_filetime_number(file.ftLastWriteTime);
    const bool knows_change =
        GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof(times)) &&
        times.ChangeTime.QuadPart;
    const bool is_folder = file.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    *status = (VmafFileStatus){
        .kind = is_folder ? VMAF_FILE_FOLDER : VMAF_FILE_REGULAR,
        .volume = file.dwVolumeSerialNumber,
        .number = (uint64_t)file.nFileIndexHigh << 32 | file.nFileIndexLow,
        .size = (int64_t)((uint64_t)file.nFileSizeHigh << 32 | file.nFileSizeLow),
        .modified_ns = since_1970(written),
        .changed_ns = since_1970(knows_change ? times.ChangeTime.QuadPart : written),
    };
    return 0;
}

/* To open a named pipe would be to connect to it. */
static bool names_pipe(const char *path)
{
    static const char pipe[] = "//./pipe/";
    for (size_t i = 0; i < sizeof(pipe) - 1; i++) {
        const char c = path[i] == '\\' ? '/' : path[i];
        if (c != pipe[i])
            return false;
    }
    return true;
}

int vmaf_file_status_at(const char *path, VmafFileStatus *status)
{
    if (names_pipe(path)) {
        *status = (VmafFileStatus){.kind = VMAF_FILE_PIPE, .volume = UINT64_MAX};
        return 0;
    }
    HANDLE handle;
    int err = vmaf_handle_open(&handle, path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
    if (err)
        return err;
    err = vmaf_handle_status(handle, status);
    CloseHandle(handle);
    return err;
}

int vmaf_file_status(const VmafFile *file, VmafFileStatus *status)
{
    return vmaf_handle_status(handle_of(file), status);
}

int vmaf_file_standard_stream(const VmafFileStatus *status)
{
    for (int i = 1; i <= 2; i++) {
        VmafFileStatus stream;
        const HANDLE handle = vmaf_standard_handle(i);
        if (handle != INVALID_HANDLE_VALUE && !vmaf_handle_status(handle, &stream) &&
            vmaf_file_is_same(&stream, status))
            return i;
    }
    return -1;
}

/* ---- Files ---- */

static int open_file(VmafFile *file, const char *path, DWORD access, DWORD disposition, DWORD flags)
{
    HANDLE handle;
    const int err = vmaf_handle_open(&handle, path, access, disposition, flags);
    file->handle = (intptr_t)handle;
    return err;
}

int vmaf_file_open(VmafFile *file, const char *path)
{
    /* Folders are opened, too, as elsewhere: their status tells that they are. */
    return open_file(file, path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
}

int vmaf_file_create(VmafFile *file, const char *path)
{
    return open_file(file, path, GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL);
}

int vmaf_file_open_to_append(VmafFile *file, const char *path, int64_t size)
{
    int err = open_file(file, path, GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
    if (err)
        return err;
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = size};
    if (SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof(end)))
        return 0;
    err = vmaf_last_error();
    vmaf_file_close(file);
    return err;
}

/* One byte far behind any content, which others can still read and write. */
int vmaf_file_lock(const VmafFile *file)
{
    OVERLAPPED place = {.OffsetHigh = 0x40000000};
    if (LockFileEx((HANDLE)file->handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1,
                   0, &place))
        return 0;
    return GetLastError() == ERROR_LOCK_VIOLATION ? -EAGAIN : vmaf_last_error();
}

void vmaf_file_close(VmafFile *file)
{
    if (handle_of(file) != INVALID_HANDLE_VALUE)
        CloseHandle(handle_of(file));
    *file = VMAF_FILE_NONE;
}

static OVERLAPPED at_position(int64_t position)
{
    return (OVERLAPPED){.Offset = (DWORD)position, .OffsetHigh = (DWORD)(position >> 32)};
}

int vmaf_file_read_at(const VmafFile *file, void *buffer, size_t size, int64_t position,
                      size_t *got)
{
    OVERLAPPED place = at_position(position);
    DWORD n = 0;
    *got = 0;
    if (!ReadFile(handle_of(file), buffer, size < PART_MAX ? (DWORD)size : PART_MAX, &n, &place)) {
        const DWORD error = GetLastError();
        return error == ERROR_HANDLE_EOF ? 0 : vmaf_error_from(error);
    }
    *got = n;
    return 0;
}

int vmaf_file_write_at(const VmafFile *file, const void *data, size_t size, int64_t position)
{
    const char *bytes = data;
    while (size) {
        OVERLAPPED place = at_position(position);
        DWORD n = 0;
        if (!WriteFile(handle_of(file), bytes, size < PART_MAX ? (DWORD)size : PART_MAX, &n,
                       &place))
            return vmaf_last_error();
        if (!n)
            return -EIO;
        bytes += n;
        position += n;
        size -= n;
    }
    return 0;
}

int vmaf_file_open_at_once(VmafFile *file, const char *path)
{
    VmafFileStatus status;
    const int err = vmaf_file_status_at(path, &status);
    if (err)
        return err;
    return status.kind == VMAF_FILE_REGULAR ? vmaf_file_open(file, path) : -EINVAL;
}

/* ---- Windows onto files ---- */

int vmaf_file_window_open(VmafFileWindow *window, const VmafFile *file, int64_t position,
                          size_t size)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    const int64_t into_unit = position & (system.dwAllocationGranularity - 1);
    const int64_t begin = position - into_unit;
    const size_t mapping_size = size + (size_t)into_unit;
    const HANDLE section =
        CreateFileMappingW((HANDLE)file->handle, NULL, PAGE_READONLY, 0, 0, NULL);
    if (!section)
        return vmaf_last_error();
    void *mapping = MapViewOfFile(section, FILE_MAP_READ, (DWORD)((uint64_t)begin >> 32),
                                  (DWORD)begin, mapping_size);
    const int err = mapping ? 0 : vmaf_last_error();
    CloseHandle(section); /* the view keeps what it needs */
    if (!err)
        *window = (VmafFileWindow){mapping, mapping_size, (unsigned char *)mapping + into_unit};
    return err;
}

/* Asks for all of it at once, then touches each page: the system does not wait for the first. */
int vmaf_file_window_bring_in(const VmafFileWindow *window)
{
    WIN32_MEMORY_RANGE_ENTRY range = {window->mapping, window->mapping_size};
    PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0);
    const volatile unsigned char *bytes = window->mapping;
    const size_t page = vmaf_page_size();
    unsigned char sum = 0;
    for (size_t i = 0; i < window->mapping_size; i += page)
        sum ^= bytes[i];
    (void)sum;
    return 0;
}

/* It cannot be asked. */
bool vmaf_file_is_in_memory(const VmafFile *file, int64_t position, size_t size)
{
    (void)file;
    (void)position;
    (void)size;
    return false;
}

void vmaf_file_window_close(VmafFileWindow *window)
{
    if (window->mapping)
        UnmapViewOfFile(window->mapping);
    *window = (VmafFileWindow){0};
}

static struct {
    const char *message;
    int status;
} loss;

/* Nobody can shorten a file that is mapped, but the machine that has it may go away. */
static LONG CALLBACK end_program(EXCEPTION_POINTERS *exception)
{
    if (exception->ExceptionRecord->ExceptionCode != (DWORD)STATUS_IN_PAGE_ERROR)
        return EXCEPTION_CONTINUE_SEARCH;
    DWORD written;
    const HANDLE errors = vmaf_standard_handle(2);
    if (errors != INVALID_HANDLE_VALUE)
        WriteFile(errors, loss.message, (DWORD)strlen(loss.message), &written, NULL);
    TerminateProcess(GetCurrentProcess(), (UINT)loss.status);
    return EXCEPTION_CONTINUE_SEARCH;
}

void vmaf_file_window_guard(const char *message, int status)
{
    const bool is_first = !loss.message;
    loss.message = message;
    loss.status = status;
    if (is_first)
        AddVectoredExceptionHandler(1, end_program);
}

/* ---- Inputs ---- */

/*
 * Nothing can wait for a pipe and for something else at once, and waiting costs processor time or
 * is late. So a thread of its own reads pipes ahead, and readers wait for that thread.
 */
enum { PUMP_SIZE = 1 << 20, PART_SIZE = 1 << 18 };

typedef struct Pump {
    VmafMutex lock;
    VmafCondition changed;
    HANDLE source; /* its own */
    VmafThread thread;
    unsigned users; /* the input and the thread; the last one frees */
    bool interrupted, ended;
    int error; /* behind all bytes */
    size_t first, count;
    unsigned char bytes[PUMP_SIZE]; /* a ring */
} Pump;

static void release(Pump *pump)
{
    vmaf_mutex_lock(&pump->lock);
    const bool is_last = --pump->users == 0;
    vmaf_condition_broadcast(&pump->changed); /* the thread may wait for room */
    vmaf_mutex_unlock(&pump->lock);
    if (!is_last)
        return;
    CloseHandle(pump->source);
    vmaf_mutex_destroy(&pump->lock);
    vmaf_condition_destroy(&pump->changed);
    free(pump);
}

/* The free bytes behind those that are there, as far as they are in one piece; waits for some.
 * False: the input is closed. Locked. */
static bool wait_for_room(Pump *pump, unsigned char **room, size_t *size)
{
    while (pump->count == PUMP_SIZE && pump->users > 1)
        vmaf_condition_wait(&pump->changed, &pump->lock);
    const size_t begin = (pump->first + pump->count) % PUMP_SIZE;
    const size_t free_bytes = PUMP_SIZE - pump->count, to_end = PUMP_SIZE - begin;
    *room = pump->bytes + begin;
    *size = free_bytes < to_end ? free_bytes : to_end;
    if (*size > PART_SIZE)
        *size = PART_SIZE;
    return pump->users > 1;
}

static void *run(void *argument)
{
    Pump *pump = argument;
    unsigned char *room;
    size_t size;
    vmaf_mutex_lock(&pump->lock);
    while (!pump->ended && wait_for_room(pump, &room, &size)) {
        vmaf_mutex_unlock(&pump->lock);
        const int64_t n = vmaf_handle_read(pump->source, room, size);
        vmaf_mutex_lock(&pump->lock);
        pump->count += n > 0 ? (size_t)n : 0;
        pump->error = n < 0 ? (int)n : 0;
        pump->ended = n <= 0;
        vmaf_condition_broadcast(&pump->changed);
    }
    vmaf_mutex_unlock(&pump->lock);
    release(pump);
    return NULL;
}

static int start_pump(VmafInput *input)
{
    Pump *pump = malloc(sizeof(*pump));
    if (!pump)
        return -ENOMEM;
    memset(pump, 0, offsetof(Pump, bytes));
    pump->source = (HANDLE)input->file.handle;
    vmaf_mutex_init(&pump->lock);
    vmaf_condition_init(&pump->changed);
    pump->users = 2;
    const int err = vmaf_thread_start(&pump->thread, run, pump);
    if (err) {
        free(pump);
        return err;
    }
    input->wake[0] = (intptr_t)pump;
    return 0;
}

static Pump *pump_of(const VmafInput *input)
{
    return input->wake[0] == -1 ? NULL : (Pump *)input->wake[0];
}

int vmaf_input_open(VmafInput *input, const char *path)
{
    *input = (VmafInput){.file = VMAF_FILE_NONE, .wake = {-1, -1}};
    const int err = vmaf_file_open(&input->file, path ? path : "/dev/stdin");
    if (err)
        return err;
    const int unknown = vmaf_file_status(&input->file, &input->status);
    if (unknown)
        return unknown;
    if (input->status.kind == VMAF_FILE_FOLDER)
        return -EISDIR;
    if (input->status.kind != VMAF_FILE_REGULAR)
        return start_pump(input);
    LARGE_INTEGER begin;
    if (!SetFilePointerEx((HANDLE)input->file.handle, (LARGE_INTEGER){.QuadPart = 0}, &begin,
                          FILE_CURRENT))
        return vmaf_last_error();
    input->is_file = true;
    input->begin = begin.QuadPart;
    return 0;
}

void vmaf_input_close(VmafInput *input)
{
    Pump *pump = pump_of(input);
    if (!pump) {
        vmaf_file_close(&input->file);
        return;
    }
    /* The thread may wait for bytes that never come. If it cannot be told, it ends with them. */
    const VmafThread thread = pump->thread;
    HANDLE handle;
    memcpy(&handle, thread.bytes, sizeof(handle));
    CancelSynchronousIo(handle);
    release(pump);
    vmaf_thread_detach(thread);
    input->file = VMAF_FILE_NONE;
    input->wake[0] = -1;
}

int vmaf_input_read(const VmafInput *input, void *buffer, size_t size, int64_t position,
                    size_t *got)
{
    if (input->is_file)
        return vmaf_file_read_at(&input->file, buffer, size, position, got);
    Pump *pump = pump_of(input);
    vmaf_mutex_lock(&pump->lock);
    while (!pump->interrupted && !pump->ended && !pump->count)
        vmaf_condition_wait(&pump->changed, &pump->lock);
    const size_t to_end = PUMP_SIZE - pump->first;
    *got = pump->count < size ? pump->count : size;
    if (*got > to_end)
        *got = to_end;
    int err = pump->interrupted ? -ECANCELED : pump->count ? 0 : pump->error;
    if (err)
        *got = 0;
    memcpy(buffer, pump->bytes + pump->first, *got);
    pump->first = (pump->first + *got) % PUMP_SIZE;
    pump->count -= *got;
    vmaf_mutex_unlock(&pump->lock);
    vmaf_condition_broadcast(&pump->changed);
    return err;
}

void vmaf_input_interrupt(const VmafInput *input)
{
    Pump *pump = pump_of(input);
    if (!pump)
        return;
    vmaf_mutex_lock(&pump->lock);
    pump->interrupted = true;
    vmaf_mutex_unlock(&pump->lock);
    vmaf_condition_broadcast(&pump->changed);
}
