/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Threads, clocks, modules and processes of src/platform/windows. The program also is the program
 * that it runs: a first argument says what that does. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/child.h"
#include "platform/machine.h"
#include "platform/module.h"
#include "platform/process.h"
#include "platform/text.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "platform/windows/internal.h"
#include "support/cases.h"

enum {
    NOTHING_TO_PLAY = -1,
    LONG_MS = 120 * 1000,
    LIMIT_MS = 3000,
    NS_PER_MS = 1000000,
};

static const char *own_path; /* of this program */

/* ---- What the program does if it is told to ---- */

static void say_and_exit(void *argument, const VmafReport *report)
{
    /* Programs that it starts are not supervised, and no dialogue appears. */
    vmaf_report_print(report, "report %d\n",
                      !getenv("VMAF_SUPERVISED") && (GetErrorMode() & SEM_NOGPFAULTERRORBOX));
    printf("lost");
    fflush(stdout);
    fputs("lost as well", stderr);
    exit(5);
}

static void abort_work(void *argument, const VmafReport *report)
{
    abort();
}

static void read_nothing(void *argument, const VmafReport *report)
{
    exit(*(volatile int *)NULL);
}

static void hang(void *argument, const VmafReport *report)
{
    for (;;)
        vmaf_sleep_ns(NS_PER_MS);
}

static void spin(void *argument, const VmafReport *report)
{
    while (vmaf_thread_time_us() < 3 * LIMIT_MS * 1000 / 2) {
    }
    exit(0);
}

static int supervise(const char *what)
{
    static const struct {
        const char *name;
        void (*function)(void *argument, const VmafReport *report);
    } works[] = {{"say", say_and_exit},
                 {"abort", abort_work},
                 {"fault", read_nothing},
                 {"hang", hang},
                 {"spin", spin}};
    const bool ends = strcmp(what, "hang") != 0 && strcmp(what, "spin") != 0;
    VmafWork work = {.limit_ms = ends ? LONG_MS : LIMIT_MS, .limit_times = 100};
    VmafReport report;
    VmafWorkResult result;
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
        if (!strcmp(works[i].name, what))
            work.function = works[i].function;
    if (vmaf_supervise(&work, &report, &result))
        return 1;
    char name[64];
    vmaf_signal_name(name, sizeof(name), result.number);
    vmaf_report_print(&report, "end %d %s printed %d\n", (int)result.end,
                      result.end == VMAF_WORK_CRASHED  ? name
                      : result.end == VMAF_WORK_EXITED ? (result.number == 5 ? "5" : "0")
                                                       : "-",
                      result.printed);
    return 0;
}

/* Something that is there as long as the process is. */
static void be_seen(const char *number)
{
    wchar_t name[64];
    _snwprintf(name, 64, L"vmaf-test-%hs", number);
    CreateEventW(NULL, TRUE, FALSE, name);
}

/* Runs another program until it is killed itself. */
static int host(char *path, char *number)
{
    VmafChildResult result;
    const VmafChildRun child = {.program = path,
                                .arguments = (const char *const[]){path, "be-seen", number, NULL}};
    return vmaf_child_run(&child, &result) != 0;
}

static int play(int argc, char **argv)
{
    const char *what = argv[1];
    vmaf_process_prepare();
    if (!strcmp(what, "supervise"))
        return supervise(argv[2]);
    if (!strcmp(what, "arguments")) {
        for (int i = 2; i < argc; i++)
            printf("[%s]\n", argv[i]);
    } else if (!strcmp(what, "exit")) {
        fputs("complaint", stderr);
        printf("text\n");
        return atoi(argv[2]);
    } else if (!strcmp(what, "input")) {
        printf("%d", getchar());
    } else if (!strcmp(what, "folder")) {
        wchar_t folder[MAX_PATH];
        GetCurrentDirectoryW(MAX_PATH, folder);
        char *text = vmaf_narrow_text(folder);
        fputs(text, stdout);
    } else if (!strcmp(what, "much")) {
        for (int i = 0; i < 20000; i++)
            printf("%06d\n", i);
    } else if (!strcmp(what, "handle")) {
        DWORD flags;
        const HANDLE handle = (HANDLE)(uintptr_t)strtoull(argv[2], NULL, 10);
        printf("%d",
               GetHandleInformation(handle, &flags) != 0 && GetFileType(handle) == FILE_TYPE_DISK);
    } else if (!strcmp(what, "say-and-hang")) {
        printf("end\n");
        fflush(stdout);
        hang(NULL, NULL);
    } else if (!strcmp(what, "be-seen")) {
        be_seen(argv[2]);
        hang(NULL, NULL);
    } else if (!strcmp(what, "host")) {
        return host(argv[0], argv[2]);
    } else if (!strcmp(what, "leave")) {
        STARTUPINFOW start = {.cb = sizeof(start)};
        PROCESS_INFORMATION made;
        wchar_t line[1100], *path = vmaf_wide_text(argv[0]);
        _snwprintf(line, 1100, L"\"%ls\" say-and-hang", path);
        if (!CreateProcessW(path, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &made))
            return 1;
        printf("%lu", made.dwProcessId);
    } else if (!strcmp(what, "fault")) {
        return *(volatile int *)NULL;
    } else {
        return NOTHING_TO_PLAY;
    }
    return 0;
}

/* ---- Threads and clocks ---- */

CASE(a_timed_wait_obeys_the_steady_clock)
{
    VmafMutex mutex;
    VmafCondition condition;
    assert_int_equal(vmaf_mutex_init(&mutex), 0);
    assert_int_equal(vmaf_condition_init(&condition), 0);
    vmaf_mutex_lock(&mutex);
    const int64_t begin = vmaf_steady_ns();
    const VmafDeadline deadline = vmaf_deadline_after(30);
    int status = 0;
    while (!status)
        status = vmaf_condition_wait_until(&condition, &mutex, deadline);
    assert_int_equal(status, -ETIMEDOUT);
    assert_true(vmaf_steady_ns() - begin >= INT64_C(30) * NS_PER_MS);
    assert_int_equal(vmaf_condition_wait_until(&condition, &mutex, (VmafDeadline){1}), -ETIMEDOUT);
    vmaf_mutex_unlock(&mutex);
}

CASE(sleeping_takes_time)
{
    const int64_t begin = vmaf_steady_us(), consumed = vmaf_thread_time_us();
    vmaf_sleep_ns(100 * NS_PER_MS);
    const int64_t passed = vmaf_steady_us() - begin;
    assert_true(passed >= 99 * 1000); /* the clocks are two */
    assert_true(vmaf_thread_time_us() - consumed < 50 * 1000);
    vmaf_sleep_ns(0);
    const int64_t now = vmaf_time_of_day_ns() / 1000000000;
    assert_true(now > INT64_C(1700000000) && now < INT64_C(10000000000));
}

typedef struct Meeting {
    VmafMutex lock;
    VmafCondition changed;
    unsigned sum;
    bool working, seen;
    VmafThread worker; /* as the thread itself says */
} Meeting;

static Meeting meeting = {.lock = VMAF_MUTEX_INITIALIZER};

static void *count_up(void *argument)
{
    Meeting *here = argument;
    for (unsigned i = 0; i < 10000; i++) {
        vmaf_mutex_lock(&here->lock);
        here->sum++;
        vmaf_mutex_unlock(&here->lock);
    }
    return NULL;
}

CASE(a_static_mutex_excludes)
{
    VmafThread threads[4];
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(vmaf_thread_start(&threads[i], count_up, &meeting), 0);
    for (unsigned i = 0; i < 4; i++)
        vmaf_thread_join(threads[i]);
    assert_int_equal(meeting.sum, 40000);
}

/* Works for a while, then waits until somebody has looked at how long. */
static void *work_and_wait(void *argument)
{
    Meeting *here = argument;
    vmaf_thread_set_name("worker");
    while (vmaf_thread_time_us() < 60 * 1000)
        ;
    vmaf_mutex_lock(&here->lock);
    here->worker = vmaf_thread_self();
    here->working = false;
    vmaf_condition_signal(&here->changed);
    while (!here->seen)
        vmaf_condition_wait(&here->changed, &here->lock);
    vmaf_mutex_unlock(&here->lock);
    return NULL;
}

CASE(the_time_of_another_thread_is_its_own)
{
    Meeting here = {.working = true};
    VmafThread thread;
    const int64_t moment = vmaf_thread_times_now();
    const int64_t mine = vmaf_thread_time_of_us(vmaf_thread_self());
    assert_int_equal(vmaf_thread_start(&thread, work_and_wait, &here), 0);
    vmaf_mutex_lock(&here.lock);
    while (here.working)
        vmaf_condition_wait(&here.changed, &here.lock);
    assert_true(vmaf_thread_time_of_us(thread) >= 60 * 1000);
    assert_true(vmaf_thread_times_since(moment, "") >= 60 * 1000);
    assert_int_equal(vmaf_thread_times_since(moment, "worker"), 0);
    assert_true(vmaf_thread_equal(here.worker, thread));
    assert_true(vmaf_thread_equal(vmaf_thread_self(), vmaf_thread_self()));
    assert_false(vmaf_thread_equal(vmaf_thread_self(), thread));
    here.seen = true;
    vmaf_condition_broadcast(&here.changed);
    vmaf_mutex_unlock(&here.lock);
    vmaf_thread_join(thread);
    assert_true(vmaf_thread_time_of_us(vmaf_thread_self()) - mine < 60 * 1000);
    assert_true(vmaf_process_time_us() >= 60 * 1000);
}

/* A run may be shorter than a tick of 16 ms. */
CASE(the_clock_of_runs_is_fine)
{
    int64_t smallest = INT64_MAX, before = vmaf_clock_us();
    for (int steps = 0; steps < 100;) {
        const int64_t now = vmaf_clock_us();
        if (now == before)
            continue;
        if (now - before < smallest)
            smallest = now - before;
        before = now;
        steps++;
    }
    assert_in_range(smallest, 1, 500);
}

/* ---- The machine ---- */

CASE(memory_is_aligned_as_asked)
{
    const size_t page = vmaf_page_size();
    for (size_t alignment = sizeof(void *); alignment <= page; alignment *= 2) {
        unsigned char *block = vmaf_aligned_alloc(alignment, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        memset(block, 1, 3);
        vmaf_aligned_free(block);
    }
    assert_null(vmaf_aligned_alloc(page, SIZE_MAX / 2));
    vmaf_aligned_free(NULL);
}

CASE(the_machine_tells_about_itself)
{
    char id[64], again[64];
    uint64_t first[2] = {0}, second[2] = {0};
    vmaf_machine_boot_id(id, sizeof(id));
    vmaf_machine_boot_id(again, sizeof(again));
    assert_true(id[0]);
    assert_string_equal(id, again);
    assert_in_range(vmaf_processors_usable(), 1, vmaf_processors_online());
    assert_true(vmaf_random_bytes(first, sizeof(first)) &&
                vmaf_random_bytes(second, sizeof(second)));
    assert_memory_not_equal(first, second, sizeof(first));
    assert_true(vmaf_process_peak_memory_kib() > 100);
    assert_true(vmaf_process_id() != 0);
}

CASE(numbers_have_a_point_in_every_locale)
{
    VmafCLocaleScope scope;
    char text[32], *end;
    if (!setlocale(LC_ALL, "German_Germany.1252"))
        skip();
    assert_int_equal(vmaf_c_locale_enter(&scope), 0);
    snprintf(text, sizeof(text), "%.17g", 0.1);
    vmaf_c_locale_leave(&scope);
    assert_string_equal(text, "0.10000000000000001");
    assert_true(vmaf_c_strtod("1.5", &end) == 1.5 && !*end);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

/* ---- Modules ---- */

CASE(only_code_of_files_is_code)
{
    static const char constant[] = "read only";
    void *block = malloc(16);
    assert_true(vmaf_module_has_code((VmafCodeAddress)only_code_of_files_is_code));
    assert_false(vmaf_module_has_code((VmafCodeAddress)(uintptr_t)constant));
    assert_false(vmaf_module_has_code((VmafCodeAddress)(uintptr_t)block));
    assert_false(vmaf_module_has_code((VmafCodeAddress)(uintptr_t)16));
    free(block);
}

static void note_kernel32(void *cookie, const char *path)
{
    if (strstr(path, "kernel32"))
        *(bool *)cookie = true;
}

CASE(modules_are_found)
{
    VmafCodeAddress found;
    char why[64] = "", cut[8] = "", *folder, *foreign;
    bool listed = false;
    assert_int_equal(vmaf_module_find("bcrypt.dll", "BCryptGenRandom", &found, why, 64), 0);
    assert_true(vmaf_module_has_code(found));
    assert_int_equal(vmaf_module_find("bcrypt.dll", "nothing", &found, why, 64), -ENOENT);
    assert_int_equal(vmaf_module_load("C:/nothing/here.dll", why, sizeof(why)), -ENOEXEC);
    assert_non_null(strstr(why, "C:/nothing/here.dll: "));
    assert_int_equal(vmaf_module_load("C:/nothing/here.dll", cut, sizeof(cut)), -ENOEXEC);
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
    assert_int_equal(vmaf_module_find_loaded("kernel32.dll", "ExitProcess", &found), 0);
    assert_int_equal(vmaf_module_find_loaded("absent.dll", "ExitProcess", &found), 0);
    assert_int_equal(vmaf_module_find_loaded("kernel32.dll", "nothing", &found), -ENOENT);
    assert_true(vmaf_module_list(note_kernel32, &listed));
    assert_true(listed);
    assert_int_equal(vmaf_module_folder_of(&own_path, &folder), 0);
    assert_true(strlen(folder) > 2 && !strchr(folder, '\\') && folder[strlen(folder) - 1] != '/');
    char needy[1200], reason[1400] = "";
    snprintf(needy, sizeof(needy), "%s/../tests/windows/needs_absent.dll", folder);
    free(folder);
    assert_int_equal(vmaf_module_load(needy, reason, sizeof(reason)), -ENODEV);
    assert_non_null(strstr(reason, "needs_absent.dll: it needs libabsent.dll, which is not here"));
    assert_int_equal(vmaf_module_foreign_path("C:/x.dll", &foreign), 0);
    free(foreign);
}

/* ---- Programs ---- */

static VmafChildResult run(const char *const *arguments, int64_t limit_ms, const char *folder)
{
    VmafChildResult result;
    const char *all[8] = {own_path};
    for (int i = 0; arguments[i]; i++)
        all[i + 1] = arguments[i];
    const VmafChildRun child = {.program = own_path,
                                .arguments = all,
                                .folder = folder,
                                .limit_ms = limit_ms,
                                .output_max = 1 << 22};
    assert_int_equal(vmaf_child_run(&child, &result), 0);
    return result;
}

#define RUN(limit_ms, ...) run((const char *const[]){__VA_ARGS__, NULL}, limit_ms, NULL)

CASE(a_program_is_heard_until_it_has_ended)
{
    VmafChildResult result = RUN(LONG_MS, "exit", "3");
    assert_int_equal(result.ending, VMAF_CHILD_EXITED);
    assert_int_equal(result.number, 3);
    assert_string_equal(result.output, "text\n");
    assert_string_equal(result.error_tail, "complaint");
    assert_true(result.wall_ns > 0);
    vmaf_child_result_free(&result);
    result = RUN(LONG_MS, "input");
    assert_string_equal(result.output, "-1"); /* there is none */
    vmaf_child_result_free(&result);
    result = RUN(LONG_MS, "much");
    assert_int_equal(result.output_size, 20000 * 7);
    assert_string_equal(result.output + result.output_size - 7, "019999\n");
    vmaf_child_result_free(&result);
    result = run((const char *const[]){"folder", NULL}, LONG_MS, "C:/windows");
    assert_true(!_stricmp(result.output, "C:\\windows"));
    vmaf_child_result_free(&result);
}

CASE(arguments_arrive_as_they_are)
{
    VmafChildResult result = RUN(LONG_MS, "arguments", "", "a b\\", "c\\\"d\"",
                                 "\xc3\xa4\xe6\xbc\xa2\\\\", "%PATH% ^&|");
    assert_string_equal(result.output,
                        "[]\n[a b\\]\n[c\\\"d\"]\n[\xc3\xa4\xe6\xbc\xa2\\\\]\n[%PATH% ^&|]\n");
    vmaf_child_result_free(&result);
}

CASE(a_program_is_stopped)
{
    VmafChildResult result;
    int64_t begin, limit = LIMIT_MS;
    /* On a busy machine it takes longer before it says anything. */
    for (bool heard = false; !heard; limit *= 4) {
        begin = vmaf_steady_ms();
        result = RUN(limit, "say-and-hang");
        assert_int_equal(result.ending, VMAF_CHILD_LATE);
        assert_int_equal(result.number, 1); /* killed; a program beyond help has ended with none */
        assert_true(vmaf_steady_ms() - begin >= limit);
        heard = limit > LONG_MS || result.output_size > 0;
        if (heard)
            assert_string_equal(result.output, "end\n");
        vmaf_child_result_free(&result);
    }
    const atomic_bool stop = true;
    const char *const arguments[] = {own_path, "say-and-hang", NULL};
    const VmafChildRun child = {.program = own_path, .arguments = arguments, .stop = &stop};
    begin = vmaf_steady_ms();
    assert_int_equal(vmaf_child_run(&child, &result), 0);
    assert_int_equal(result.ending, VMAF_CHILD_STOPPED);
    assert_int_equal(result.number, 1);
    assert_true(vmaf_steady_ms() - begin < LONG_MS / 2);
    vmaf_child_result_free(&result);
}

CASE(a_crash_is_told)
{
    char name[32];
    VmafChildResult result = RUN(LONG_MS, "fault");
    assert_int_equal(result.ending, VMAF_CHILD_SIGNALLED);
    vmaf_signal_name(name, sizeof(name), result.number);
    assert_string_equal(name, "SIGSEGV");
    vmaf_child_result_free(&result);
    vmaf_signal_name(name, sizeof(name), 42);
    assert_string_equal(name, "exception 0000002a");
}

CASE(what_a_program_leaves_behind_ends_with_it)
{
    VmafChildResult result = RUN(LONG_MS, "leave");
    const DWORD process = (DWORD)strtoul(result.output, NULL, 10);
    assert_true(process != 0);
    vmaf_child_result_free(&result);
    const HANDLE left = OpenProcess(SYNCHRONIZE, FALSE, process);
    if (left) {
        assert_int_equal(WaitForSingleObject(left, 10000), WAIT_OBJECT_0);
        CloseHandle(left);
    }
}

static bool is_seen(const char *number)
{
    wchar_t name[64];
    _snwprintf(name, 64, L"vmaf-test-%hs", number);
    const HANDLE event = OpenEventW(SYNCHRONIZE, FALSE, name);
    if (event)
        CloseHandle(event);
    return event != NULL;
}

static bool wait_until_seen(const char *number, bool seen)
{
    const int64_t begin = vmaf_steady_ms();
    while (is_seen(number) != seen && vmaf_steady_ms() - begin < LONG_MS / 4)
        vmaf_sleep_ns(20 * NS_PER_MS);
    return is_seen(number) == seen;
}

CASE(a_program_ends_with_the_one_that_runs_it)
{
    char number[32];
    wchar_t line[1100], *path = vmaf_wide_text(own_path);
    STARTUPINFOW start = {.cb = sizeof(start)};
    PROCESS_INFORMATION made;
    snprintf(number, sizeof(number), "%d", vmaf_process_id());
    _snwprintf(line, 1100, L"\"%ls\" host %hs", path, number);
    assert_true(CreateProcessW(path, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &made));
    const bool was_seen = wait_until_seen(number, true);
    TerminateProcess(made.hProcess, 1);
    CloseHandle(made.hProcess);
    CloseHandle(made.hThread);
    free(path);
    assert_true(was_seen);
    assert_true(wait_until_seen(number, false));
}

CASE(a_program_inherits_no_files)
{
    char number[32];
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = TRUE};
    const HANDLE file = CreateFileW(L"C:\\windows\\win.ini", GENERIC_READ, FILE_SHARE_READ,
                                    &inherited, OPEN_ALWAYS, 0, NULL);
    assert_true(file != INVALID_HANDLE_VALUE);
    snprintf(number, sizeof(number), "%llu", (unsigned long long)(uintptr_t)file);
    VmafChildResult result = RUN(LONG_MS, "handle", number);
    assert_string_equal(result.output, "0");
    vmaf_child_result_free(&result);
    CloseHandle(file);
}

CASE(what_is_no_program_is_told)
{
    VmafChildResult result;
    const char *const arguments[] = {"x", NULL};
    const struct {
        const char *program;
        int error;
    } cases[] = {{"C:/nothing/here", -ENOENT},
                 {"no such program", -ENOENT},
                 {"", -ENOENT},
                 {"C:/windows", -EACCES}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const VmafChildRun child = {.program = cases[i].program, .arguments = arguments};
        assert_int_equal(vmaf_child_run(&child, &result), cases[i].error);
    }
    assert_int_equal(vmaf_helper_check("C:/nothing/here"), -ENOENT);
    assert_int_equal(vmaf_helper_check(own_path), 0);
    assert_int_equal(vmaf_helper_check("C:/windows/win.ini"), -EACCES);
    /* In PATH, without its extension. */
    const VmafChildRun child = {.program = "cmd",
                                .arguments = (const char *const[]){"cmd", "/c", "exit", "7", NULL}};
    assert_int_equal(vmaf_child_run(&child, &result), 0);
    assert_int_equal(result.number, 7);
    vmaf_child_result_free(&result);
}

static bool says_end(const char *text)
{
    return strstr(text, "end\n") != NULL || strstr(text, "end 0") != NULL;
}

static char *ask(int64_t limit_ms, const char *what, const char *more)
{
    const char *const arguments[] = {what, more, NULL};
    const VmafHelper helper = {own_path, arguments, limit_ms, 4096, says_end};
    char *text;
    assert_int_equal(vmaf_helper_run(&helper, &text), 0);
    return text;
}

CASE(a_helper_is_heard)
{
    int64_t begin = vmaf_steady_ms();
    char *text = ask(LONG_MS, "exit", "0"); /* has ended without saying all */
    assert_string_equal(text, "text\n");
    free(text);
    assert_true(vmaf_steady_ms() - begin < LONG_MS / 2);
    begin = vmaf_steady_ms();
    text = ask(LONG_MS, "say-and-hang", NULL); /* has said all */
    assert_string_equal(text, "end\n");
    free(text);
    assert_true(vmaf_steady_ms() - begin < LONG_MS / 2);
    text = ask(LONG_MS, "much", NULL);
    assert_int_equal(strlen(text), 4096);
    free(text);
    begin = vmaf_steady_ms();
    text = ask(LIMIT_MS, "supervise", "spin"); /* longer than the limit */
    free(text);
    assert_true(vmaf_steady_ms() - begin >= LIMIT_MS && vmaf_steady_ms() - begin < LONG_MS / 2);
}

CASE(a_helper_is_not_left_behind)
{
    char number[32];
    snprintf(number, sizeof(number), "%d", vmaf_process_id());
    free(ask(LIMIT_MS, "be-seen", number));
    assert_true(wait_until_seen(number, false));
    const char *const arguments[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", NULL};
    const VmafHelper helper = {own_path, arguments, LONG_MS, 4096, says_end};
    char *text;
    assert_int_equal(vmaf_helper_run(&helper, &text), -E2BIG);
}

static void expect_supervised(const char *what, const char *expected)
{
    VmafChildResult result = RUN(LONG_MS, "supervise", what);
    assert_int_equal(result.ending, VMAF_CHILD_EXITED);
    assert_string_equal(result.output, expected);
    vmaf_child_result_free(&result);
}

CASE(supervised_work_is_told_about)
{
    expect_supervised("say", "report 1\nend 0 5 printed 1\n");
    expect_supervised("abort", "end 1 SIGABRT printed 0\n");
    expect_supervised("fault", "end 1 SIGSEGV printed 0\n");
    expect_supervised("hang", "end 2 - printed 0\n");
    /* It goes on while it works; Wine does not tell the processor time of others. */
    const bool is_wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
    expect_supervised("spin", is_wine ? "end 2 - printed 0\n" : "end 0 0 printed 0\n");
}

/* ---- State ---- */

static LONG WINAPI handle_exception(EXCEPTION_POINTERS *exception)
{
    return EXCEPTION_CONTINUE_SEARCH;
}

static void handle_nothing(int number)
{
}

CASE(what_a_module_changes_is_put_back)
{
    VmafProcessState *before;
    VmafSignalHandlers handlers;
    char why[64] = "";
    wchar_t folder[MAX_PATH], now[MAX_PATH];
    GetCurrentDirectoryW(MAX_PATH, folder);
    assert_int_equal(vmaf_process_state_capture(&before, VMAF_PROCESS_ALL), 0);
    assert_true(vmaf_process_state_restore(before, "", why, sizeof(why)));
    SetCurrentDirectoryW(L"C:\\windows");
    assert_false(vmaf_process_state_restore(before, "", why, sizeof(why)));
    assert_string_equal(why, "changed the current directory");
    GetCurrentDirectoryW(MAX_PATH, now);
    assert_true(!wcscmp(folder, now));
    const UINT mode = SetErrorMode(SEM_NOALIGNMENTFAULTEXCEPT | SEM_FAILCRITICALERRORS);
    SetErrorMode(mode ^ SEM_FAILCRITICALERRORS);
    assert_false(vmaf_process_state_restore(before, "", why, sizeof(why)));
    assert_string_equal(why, "changed the error mode");
    SetUnhandledExceptionFilter(handle_exception);
    assert_false(vmaf_process_state_restore(before, "", why, sizeof(why)));
    assert_string_equal(why, "changed the handler of exceptions");
    const HANDLE output = GetStdHandle(STD_OUTPUT_HANDLE);
    SetStdHandle(STD_OUTPUT_HANDLE, NULL);
    assert_false(vmaf_process_state_restore(before, "", why, sizeof(why)));
    assert_ptr_equal(GetStdHandle(STD_OUTPUT_HANDLE), output);
    assert_true(vmaf_process_state_restore(before, "", why, sizeof(why)));
    vmaf_process_state_free(before);

    signal(SIGTERM, handle_nothing);
    vmaf_signal_handlers_keep(&handlers);
    signal(SIGTERM, SIG_IGN);
    vmaf_signal_handlers_restore(&handlers);
    assert_ptr_equal(signal(SIGTERM, SIG_DFL), handle_nothing);
}

CASE(a_module_is_blamed_for_its_own_handlers_only)
{
    VmafProcessState *before;
    char why[64] = "";
    wchar_t folder[MAX_PATH];
    GetCurrentDirectoryW(MAX_PATH, folder);
    assert_int_equal(vmaf_process_state_capture(&before, VMAF_PROCESS_OWN), 0);
    SetCurrentDirectoryW(L"C:\\windows");
    const LPTOP_LEVEL_EXCEPTION_FILTER filter = SetUnhandledExceptionFilter(handle_exception);
    assert_true(vmaf_process_state_restore(before, "C:/another.dll", why, sizeof(why)));
    assert_false(vmaf_process_state_restore(before, own_path, why, sizeof(why)));
    assert_string_equal(why, "changed the handler of exceptions");
    assert_ptr_equal(SetUnhandledExceptionFilter(filter), filter);
    vmaf_process_state_free(before);
    SetCurrentDirectoryW(folder);
}

CASE(ctrl_c_is_noted_once)
{
    static atomic_bool flag;
    vmaf_interrupts_note(&flag);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
        AllocConsole();
        if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0))
            skip(); /* nothing that anybody could type into */
    }
    for (int i = 0; i < 200 && !atomic_load(&flag); i++)
        vmaf_sleep_ns(10 * NS_PER_MS);
    assert_true(atomic_load(&flag));
}

int main(int argc, char **argv)
{
    const int status = argc > 1 ? play(argc, argv) : NOTHING_TO_PLAY;
    if (status != NOTHING_TO_PLAY)
        return status;
    wchar_t path[MAX_PATH];
    GetModuleFileNameW(NULL, path, MAX_PATH);
    own_path = vmaf_narrow_text(path);
    return run_cases(argc, argv);
}
