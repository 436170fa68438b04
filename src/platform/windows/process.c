/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/windows/native.h"

#include <psapi.h>

static UINT code_page_before;

static void restore_code_page(void)
{
    SetConsoleOutputCP(code_page_before);
}

/* The console shows UTF-8 until the program ends. */
static void prepare_console(void)
{
    code_page_before = GetConsoleOutputCP();
    if (code_page_before && code_page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        atexit(restore_code_page);
}

int vmaf_process_prepare(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    for (int i = 0; i < 3; i++) {
        if (_get_osfhandle(i) < 0 && !freopen("NUL", i ? "wb" : "rb", streams[i]))
            return -EBADF;
        _setmode(i, _O_BINARY);
    }
    /* Line ends that nobody waits for: what is said is seen at once. */
    setvbuf(stderr, NULL, _IONBF, 0);
    /* No dialogue asks for a disk, or offers to debug a crash: that is for whoever has started us.
     */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    prepare_console();
    return 0;
}

void vmaf_process_outlive_readers(void)
{
    /* It is an error of the call anyway. */
}

char *const *vmaf_process_environment(void)
{
    return _environ;
}

long vmaf_process_peak_memory_kib(void)
{
    PROCESS_MEMORY_COUNTERS counters;
    if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)))
        return 0;
    return (long)(counters.PeakWorkingSetSize / 1024);
}

int vmaf_process_id(void)
{
    return (int)GetCurrentProcessId();
}
