/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The process that calls: all of platform/process.h but its state, and its locale. */
#include "platform/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/internal.h"
#include "platform/path.h"
#include "platform/text.h"
#include "platform/windows/internal.h"

#include <aclapi.h>
#include <psapi.h>
#include <sddl.h>

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

/* ---- The terminal ---- */

/* A console that understands escape sequences, from now on. */
bool vmaf_is_terminal(FILE *stream)
{
    DWORD mode;
    const HANDLE handle = vmaf_standard_handle(stream == stderr ? 2 : 1);
    if (handle == INVALID_HANDLE_VALUE || !GetConsoleMode(handle, &mode))
        return false;
    return (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) ||
           SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

unsigned vmaf_stderr_columns(void)
{
    enum { USUAL = 80, MOST = 100000 };
    const char *wanted = getenv("COLUMNS");
    const long columns = wanted ? strtol(wanted, NULL, 10) : 0;
    if (columns > 0 && columns < MOST)
        return (unsigned)columns;
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(vmaf_standard_handle(2), &info))
        return USUAL;
    const int width = info.srWindow.Right - info.srWindow.Left + 1;
    return width > 0 ? (unsigned)width : USUAL;
}

/* ---- The locale ---- */

/*
 * The C runtime has locales of threads, too: a thread either has one of its own or follows that of
 * the process, which it starts with.
 */
typedef struct Previous {
    int mode; /* of _configthreadlocale */
    char locale[];
} Previous;

int vmaf_c_locale_enter(VmafCLocaleScope *scope)
{
    *scope = (VmafCLocaleScope){0};
    const char *now = setlocale(LC_ALL, NULL);
    if (now && !strcmp(now, "C"))
        return 0;
    const size_t size = now ? strlen(now) + 1 : 1;
    Previous *previous = malloc(sizeof(*previous) + size);
    if (!previous)
        return -ENOMEM;
    memcpy(previous->locale, now ? now : "", size);
    previous->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    setlocale(LC_ALL, "C");
    scope->previous = previous;
    return 0;
}

void vmaf_c_locale_leave(VmafCLocaleScope *scope)
{
    Previous *previous = scope->previous;
    if (!previous)
        return;
    setlocale(LC_ALL,
              previous->locale); /* the thread's, even if it is to follow the process again */
    if (previous->mode != _ENABLE_PER_THREAD_LOCALE)
        _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
    free(previous);
}

/* ---- Signals ---- */

/* Signals interrupt no thread here: Ctrl-C is a thread of its own, and faults are exceptions. */
void vmaf_signals_block(VmafSignals *before)
{
    *before = (VmafSignals){{0}};
}

void vmaf_signals_restore(const VmafSignals *before)
{
    (void)before;
}

/* ---- Handlers ---- */

static const int signals[] = {SIGABRT, SIGFPE, SIGILL, SIGINT, SIGSEGV, SIGTERM};
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

typedef void (*Handler)(int);

typedef struct SignalHandlers {
    Handler handlers[N_SIGNALS];
    LPTOP_LEVEL_EXCEPTION_FILTER filter;
} SignalHandlers;

static_assert(sizeof(SignalHandlers) <= sizeof(VmafSignalHandlers) &&
                  alignof(SignalHandlers) <= alignof(VmafSignalHandlers),
              "VmafSignalHandlers is too small for this system");

/* They can only be asked by setting another one. */
void vmaf_signal_handlers_keep(VmafSignalHandlers *handlers)
{
    SignalHandlers *kept = (SignalHandlers *)(void *)handlers;
    for (int i = 0; i < N_SIGNALS; i++) {
        kept->handlers[i] = signal(signals[i], SIG_DFL);
        if (kept->handlers[i] != SIG_ERR && kept->handlers[i] != SIG_DFL)
            signal(signals[i], kept->handlers[i]);
    }
    kept->filter = SetUnhandledExceptionFilter(NULL);
    SetUnhandledExceptionFilter(kept->filter);
}

void vmaf_signal_handlers_restore(const VmafSignalHandlers *handlers)
{
    const SignalHandlers *kept = (const SignalHandlers *)(const void *)handlers;
    for (int i = 0; i < N_SIGNALS; i++) {
        if (kept->handlers[i] != SIG_ERR)
            signal(signals[i], kept->handlers[i]);
    }
    SetUnhandledExceptionFilter(kept->filter);
}

/* ---- Requests to end ---- */

static _Atomic(atomic_bool *) interrupted;

/* The first request sets the flag; the second does what the system does without us. */
static BOOL WINAPI note_interrupt(DWORD event)
{
    (void)event;
    atomic_bool *flag = atomic_load(&interrupted);
    return flag && !atomic_exchange(flag, true);
}

void vmaf_interrupts_note(atomic_bool *flag)
{
    atomic_store(&interrupted, flag);
    SetConsoleCtrlHandler(note_interrupt, TRUE);
}

/* ---- Names ---- */

void vmaf_signal_name(char *name, size_t size, int number)
{
    static const struct {
        uint32_t number;
        const char *name;
    } known[] = {
        {VMAF_EXIT_ABORTED, "SIGABRT"},
        {(uint32_t)STATUS_ACCESS_VIOLATION, "SIGSEGV"},
        {(uint32_t)STATUS_STACK_OVERFLOW, "SIGSEGV (stack overflow)"},
        {(uint32_t)STATUS_ILLEGAL_INSTRUCTION, "SIGILL"},
        {(uint32_t)STATUS_PRIVILEGED_INSTRUCTION, "SIGILL"},
        {(uint32_t)STATUS_INTEGER_DIVIDE_BY_ZERO, "SIGFPE"},
        {(uint32_t)STATUS_FLOAT_DIVIDE_BY_ZERO, "SIGFPE"},
        {(uint32_t)STATUS_IN_PAGE_ERROR, "SIGBUS"},
        {(uint32_t)STATUS_CONTROL_C_EXIT, "SIGINT"},
        {0xc0000374u, "SIGABRT (heap corruption)"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].number == (uint32_t)number) {
            snprintf(name, size, "%s", known[i].name);
            return;
        }
    }
    snprintf(name, size, "exception %08x", (unsigned)number);
}

/* ---- Rights ---- */

/* A program has the rights of whoever starts it, or asks that user for more. */
bool vmaf_privilege_is_borrowed(void)
{
    return false;
}

/* ---- Who we are ---- */

typedef struct Rights {
    bool is_elevated; /* administrators' rights, or the system's */
    TOKEN_USER *user; /* to be freed */
} Rights;

static void *query(HANDLE token, TOKEN_INFORMATION_CLASS what)
{
    DWORD size = 0;
    GetTokenInformation(token, what, NULL, 0, &size);
    void *information = size ? malloc(size) : NULL;
    if (information && GetTokenInformation(token, what, information, size, &size))
        return information;
    free(information);
    return NULL;
}

static int find_rights(Rights *rights)
{
    HANDLE token;
    *rights = (Rights){0};
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return vmaf_last_error();
    TOKEN_ELEVATION *elevation = query(token, TokenElevation);
    rights->user = query(token, TokenUser);
    CloseHandle(token);
    const int err = rights->user ? 0 : -ENOMEM;
    if (!err) {
        rights->is_elevated = (elevation && elevation->TokenIsElevated) ||
                              IsWellKnownSid(rights->user->User.Sid, WinLocalSystemSid);
    }
    free(elevation);
    return err;
}

/* ---- Who may change a file ---- */

/* TrustedInstaller, which the files of the system belong to. */
static bool is_installer(PSID sid)
{
    PSID installer;
    if (!ConvertStringSidToSidW(L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
                                &installer))
        return false;
    const bool is = EqualSid(sid, installer);
    LocalFree(installer);
    return is;
}

/* Programs of one user can do what they like with each other, elevated or not (User Account Control
 * is no boundary of security). */
static bool is_trusted(PSID sid, const Rights *rights)
{
    return IsWellKnownSid(sid, WinLocalSystemSid) ||
           IsWellKnownSid(sid, WinCreatorOwnerRightsSid) || /* the owner is looked at, too */
           IsWellKnownSid(sid, WinBuiltinAdministratorsSid) || is_installer(sid) ||
           EqualSid(sid, rights->user->User.Sid);
}

/* What lets somebody change a file, or take the place of one in a folder. */
enum {
    OWN = DELETE | WRITE_DAC | WRITE_OWNER | (int)GENERIC_ALL | GENERIC_WRITE,
    CHANGE_FILE = OWN | FILE_WRITE_DATA | FILE_APPEND_DATA,
    CHANGE_FOLDER = OWN | FILE_DELETE_CHILD,
    ADD_TO_FOLDER = CHANGE_FOLDER | FILE_ADD_FILE,
};

/* True if somebody else is allowed any of these. */
static bool allows_others(PACL list, int access, const Rights *rights)
{
    if (!list)
        return true; /* everybody may do everything */
    for (DWORD i = 0; i < list->AceCount; i++) {
        ACE_HEADER *entry;
        if (!GetAce(list, i, (void **)&entry))
            return true;
        if ((entry->AceFlags & INHERIT_ONLY_ACE) || entry->AceType == ACCESS_DENIED_ACE_TYPE)
            continue;
        if (entry->AceType != ACCESS_ALLOWED_ACE_TYPE)
            return true; /* of a kind that files do not have, perhaps with conditions */
        ACCESS_ALLOWED_ACE *allowed = (ACCESS_ALLOWED_ACE *)(void *)entry;
        if ((allowed->Mask & (DWORD)access) && !is_trusted(&allowed->SidStart, rights))
            return true;
    }
    return false;
}

static int check(const char *path, const char *what, int access, const Rights *rights,
                 const VmafWhy *why)
{
    PSID owner = NULL;
    PACL list = NULL;
    PSECURITY_DESCRIPTOR security = NULL;
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (err)
        return vmaf_error_set(why, err, "%s", strerror(-err));
    const DWORD error = GetNamedSecurityInfoW(
        wide, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL,
        &list, NULL, &security);
    free(wide);
    if (error) {
        err = vmaf_error_from(error);
        return vmaf_error_set(why, err, "%s: %s", path, strerror(-err));
    }
    if (!owner || !is_trusted(owner, rights))
        err = vmaf_error_set(why, -EACCES,
                             "refused in a privileged program: the %s %s belongs to another user",
                             what, path);
    else if (allows_others(list, access, rights))
        err = vmaf_error_set(why, -EACCES,
                             "refused in a privileged program: the %s %s is writable by others",
                             what, path);
    LocalFree(security);
    return err;
}

/* ---- The file and what is above it ---- */

/* True if a file in `folder` lies below `path`, which ends without a slash unless it is a root. */
static bool holds(const char *path, const char *folder)
{
    const size_t length = strlen(path);
    return folder && strncmp(folder, path, length) == 0 &&
           (path[length - 1] == '/' || folder[length] == '/' || folder[length] == '\0');
}

/* Cuts off the last part: of "C:/file" remains "C:/". False if nothing was left to cut. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !slash[1])
        return false;
    slash[slash > path && slash[-1] == ':'] = '\0';
    return *path != '\0' && strcmp(path, "/") != 0;
}

static int check_folders(const char *file, const char *trusted, const Rights *rights,
                         const VmafWhy *why)
{
    char *folder = _strdup(file);
    int err = folder ? 0 : vmaf_error_set(why, -ENOMEM, "out of memory");
    for (bool direct = true; !err && go_up(folder); direct = false) {
        if (direct || !holds(folder, trusted))
            err = check(folder, "directory", direct ? ADD_TO_FOLDER : CHANGE_FOLDER, rights, why);
    }
    free(folder);
    return err;
}

static int check_all(const char *path, const char *trusted, const Rights *rights,
                     const VmafWhy *why)
{
    VmafFileStatus status;
    int err = vmaf_file_status_at(path, &status);
    if (err)
        return vmaf_error_set(why, err, "%s", strerror(-err));
    if (status.kind != VMAF_FILE_REGULAR)
        return vmaf_error_set(why, -EINVAL, "not a regular file");
    err = check(path, "file", CHANGE_FILE, rights, why);
    return err ? err : check_folders(path, trusted, rights, why);
}

int vmaf_privilege_resolve_file(char **resolved, const char *path, const char *trusted_folder,
                                char *text, size_t size)
{
    const VmafWhy why = {text, size};
    Rights rights;
    *resolved = NULL;
    int err = find_rights(&rights);
    if (err)
        return vmaf_error_set(&why, err, "%s", strerror(-err));
    if (rights.is_elevated)
        err = vmaf_path_real(path, resolved);
    else if (!(*resolved = _strdup(path)))
        err = -ENOMEM;
    if (err)
        vmaf_error_set(&why, err, "%s", err == -ENOMEM ? "out of memory" : strerror(-err));
    else if (rights.is_elevated)
        err = check_all(*resolved, trusted_folder, &rights, &why);
    free(rights.user);
    if (err) {
        free(*resolved);
        *resolved = NULL;
    }
    return err;
}
