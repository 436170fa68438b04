/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/file_window.h"

#include <string.h>

#include "platform/memory.h"
#include "platform/windows/native.h"

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
