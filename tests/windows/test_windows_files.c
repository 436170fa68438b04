/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files, paths, inputs and texts of src/platform/windows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "platform/windows/internal.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"

#include <sddl.h>

#define STRANGE "\xc3\xa4 \xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x8e\xac" /* of no code page alone */

#define TEST(function) CASE_WITH(function, test_folder_enter, test_folder_remove)

TEST(status_tells_kind_size_and_identity)
{
    VmafFileStatus file, again, other, folder;
    file_put_text(STRANGE, "twelve bytes");
    file_put_text("other", "twelve bytes");
    assert_int_equal(vmaf_file_status_at(STRANGE, &file), 0);
    assert_int_equal(vmaf_file_status_at(".\\" STRANGE, &again), 0);
    assert_int_equal(vmaf_file_status_at("other", &other), 0);
    assert_int_equal(vmaf_file_status_at(".", &folder), 0);
    assert_int_equal(file.kind, VMAF_FILE_REGULAR);
    assert_int_equal(folder.kind, VMAF_FILE_FOLDER);
    assert_int_equal(file.size, 12);
    assert_true(vmaf_file_is_same(&file, &again));
    assert_false(vmaf_file_is_same(&file, &other));
    const int64_t age = vmaf_time_of_day_ns() - file.modified_ns;
    assert_true(age > -INT64_C(10000000000) && age < INT64_C(600000000000));
    assert_int_equal(vmaf_file_status_at("nothing", &other), -ENOENT);
    assert_int_equal(vmaf_file_status_at("nothing/file", &other), -ENOENT);
    assert_int_equal(vmaf_file_status_at("other/file", &other), -ENOTDIR);
    assert_int_equal(vmaf_file_status_at("\xff", &other), -EILSEQ);
    assert_int_equal(vmaf_file_status_at("", &other), -ENOENT);
}

TEST(files_are_read_and_written_at_any_position)
{
    VmafFile file;
    VmafFileStatus status;
    char text[16] = "";
    size_t got;
    const int64_t far_away = INT64_C(5000000000); /* more than 32 bits */
    assert_int_equal(vmaf_file_create(&file, STRANGE), 0);
    assert_int_equal(vmaf_file_write_at(&file, "def", 3, 3), 0);
    assert_int_equal(vmaf_file_write_at(&file, "abc", 3, 0), 0);
    vmaf_file_close(&file);
    assert_int_equal(file.handle, -1);
    vmaf_file_close(&file); /* no file is allowed */
    assert_int_equal(vmaf_file_open(&file, STRANGE), 0);
    assert_int_equal(vmaf_file_read_at(&file, text, 3, 2, &got), 0);
    assert_int_equal(got, 3);
    assert_string_equal(text, "cde");
    assert_int_equal(vmaf_file_read_at(&file, text, 3, 5, &got), 0);
    assert_int_equal(got, 1);
    assert_int_equal(vmaf_file_read_at(&file, text, 3, 6, &got), 0);
    assert_int_equal(got, 0);
    vmaf_file_close(&file);
    assert_int_equal(vmaf_file_open(&file, "nothing"), -ENOENT);
    assert_int_equal(vmaf_file_create(&file, "nothing/file"), -ENOENT);

    assert_int_equal(vmaf_file_create(&file, "large"), 0);
    assert_int_equal(vmaf_file_write_at(&file, "end", 3, far_away), 0);
    vmaf_file_close(&file);
    assert_int_equal(vmaf_file_status_at("large", &status), 0);
    assert_true(status.size == far_away + 3);
    assert_int_equal(vmaf_file_open(&file, "large"), 0);
    memset(text, 0, sizeof(text));
    assert_int_equal(vmaf_file_read_at(&file, text, 3, far_away, &got), 0);
    assert_string_equal(text, "end");
    VmafFileWindow window;
    assert_int_equal(vmaf_file_window_open(&window, &file, far_away - 70000, 70003), 0);
    assert_int_equal(vmaf_file_window_bring_in(&window), 0);
    assert_int_equal(window.data[0], 0);
    assert_memory_equal(window.data + 70000, "end", 3);
    vmaf_file_window_close(&window);
    vmaf_file_close(&file);
    assert_int_equal(vmaf_file_open_to_append(&file, "large", 2), 0);
    assert_int_equal(vmaf_file_write_at(&file, "x", 1, 2), 0);
    vmaf_file_close(&file);
    assert_int_equal(vmaf_file_status_at("large", &status), 0);
    assert_int_equal(status.size, 3);
}

TEST(a_window_needs_all_its_bytes)
{
    VmafFile file;
    VmafFileWindow window = {0};
    file_put_text("file", "content");
    assert_int_equal(vmaf_file_open(&file, "file"), 0);
    assert_int_equal(vmaf_file_window_open(&window, &file, 3, 4), 0);
    assert_memory_equal(window.data, "tent", 4);
    vmaf_file_window_close(&window);
    assert_null(window.mapping);
    assert_true(vmaf_file_window_open(&window, &file, 0, 1 << 20) < 0);
    vmaf_file_close(&file);
}

TEST(only_files_up_to_a_size_are_loaded)
{
    char *content;
    size_t size;
    file_put_text("file", "con\r\ntent");
    assert_int_equal(vmaf_file_load("file", 9, &content, &size), 0);
    assert_int_equal(size, 9);
    assert_string_equal(content, "con\r\ntent"); /* nobody touches line ends */
    free(content);
    assert_int_equal(vmaf_file_load("file", 8, &content, &size), -EFBIG);
    assert_null(content);
    assert_int_equal(vmaf_file_load("nothing", 7, &content, &size), -ENOENT);
    assert_int_equal(vmaf_file_load(".", 7, &content, &size), -EINVAL);
}

TEST(paths_have_separators_of_two_kinds)
{
    assert_string_equal(vmaf_path_name("a/b\\c"), "c");
    assert_string_equal(vmaf_path_name("a\\b/c.d"), "c.d");
    assert_string_equal(vmaf_path_name("C:file"), "file");
    assert_string_equal(vmaf_path_name("file:x"), "file:x"); /* not a drive */
    assert_string_equal(vmaf_path_name("a/"), "");
    assert_true(vmaf_path_is_absolute("C:\\x"));
    assert_true(vmaf_path_is_absolute("z:/x"));
    assert_true(vmaf_path_is_absolute("\\\\server\\share"));
    assert_false(vmaf_path_is_absolute("C:x"));
    assert_false(vmaf_path_is_absolute("/x")); /* of whatever drive is current */
    assert_false(vmaf_path_is_absolute("x"));

    char list[] = "path=C:/a:b=c:D:\\x:E:y", *rest = list;
    static const char *const parts[] = {"path=C:/a", "b=c", "D:\\x", "E", "y"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        assert_string_equal(vmaf_path_next_part(&rest), parts[i]);
    assert_null(vmaf_path_next_part(&rest));

    char *real, *same;
    file_put_text("file", "");
    assert_int_equal(vmaf_path_real("file", &real), 0);
    assert_int_equal(vmaf_path_real(".\\file", &same), 0);
    assert_string_equal(real, same);
    assert_true(vmaf_path_is_absolute(real));
    assert_null(strchr(real, '\\'));
    assert_non_null(strstr(real, "vmaf test \xc3\xbc\xe6\xbc\xa2"));
    free(real);
    free(same);
    assert_int_equal(vmaf_path_real("nothing", &real), -ENOENT);
    assert_null(real);
}

TEST(long_paths_work)
{
    char path[700];
    VmafFileStatus status;
    strcpy(path, test_folder_path());
    for (int i = 0; i < 6; i++)
        strcat(path, "/a folder with a name of more than fifty characters, no less");
    assert_true(strlen(path) > 300);
    assert_int_equal(vmaf_folder_make(path), 0);
    strcat(path, "/file");
    file_put_text(path, "x");
    assert_int_equal(vmaf_file_status_at(path, &status), 0);
    assert_int_equal(status.size, 1);
    assert_int_equal(remove(path), 0);
}

TEST(a_path_for_output_is_judged_without_touching_it)
{
    VmafFileStatus status;
    file_put_text("file", "");
    assert_int_equal(vmaf_path_check_output("file"), 0);
    assert_int_equal(vmaf_path_check_output("new"), 0);
    assert_int_equal(vmaf_file_status_at("new", &status), -ENOENT);
    assert_int_equal(vmaf_path_check_output(""), -ENOENT);
    assert_int_equal(vmaf_path_check_output("."), -EISDIR);
    assert_int_equal(vmaf_path_check_output("missing/file"), -ENOENT);
    assert_int_equal(vmaf_path_check_output("file/file"), -ENOTDIR);
}

static bool has_letter_a(const char *name)
{
    return strchr(name, 'a') != NULL;
}

TEST(folders_are_made_and_listed)
{
    char **names;
    unsigned count;
    VmafFileStatus status;
    assert_int_equal(vmaf_folder_make("x/b//c\\"), 0);
    assert_int_equal(vmaf_folder_make("x\\b/c"), 0);
    assert_int_equal(vmaf_file_status_at("x/b/c", &status), 0);
    assert_int_equal(status.kind, VMAF_FILE_FOLDER);
    file_put_text("ba", "");
    assert_int_equal(vmaf_folder_make("ba/below"), -ENOTDIR);
    file_put_text("aa " STRANGE, "");
    file_put_text("b", "");
    file_put_text("Za", "");
    assert_int_equal(vmaf_folder_list(".", has_letter_a, &names, &count), 0);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "Za");
    assert_string_equal(names[1], "aa " STRANGE);
    assert_string_equal(names[2], "ba");
    vmaf_folder_list_free(names, count);
    assert_int_equal(vmaf_folder_list("nothing", has_letter_a, &names, &count), -ENOENT);
    assert_int_equal(vmaf_folder_list("ba", has_letter_a, &names, &count), -ENOTDIR);
}

static unsigned count_files(void)
{
    char **names;
    unsigned count;
    assert_int_equal(vmaf_folder_list(".", has_letter_a, &names, &count), 0);
    vmaf_folder_list_free(names, count);
    return count;
}

static void expect_content(const char *path, const char *expected)
{
    char *content;
    size_t size;
    assert_int_equal(vmaf_file_load(path, 1 << 20, &content, &size), 0);
    assert_string_equal(content, expected);
    free(content);
}

TEST(a_file_appears_complete_or_not_at_all)
{
    VmafAtomicFile *file;
    VmafFileStatus status;
    assert_int_equal(vmaf_atomic_file_open(&file, "a " STRANGE), 0);
    vmaf_atomic_file_puts(file, "one\n");
    assert_int_equal(vmaf_file_status_at("a " STRANGE, &status), -ENOENT);
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    expect_content("a " STRANGE, "one\n"); /* no other line end */

    assert_int_equal(vmaf_atomic_file_open(&file, "a " STRANGE), 0);
    vmaf_atomic_file_puts(file, "two");
    expect_content("a " STRANGE, "one\n");
    vmaf_atomic_file_abandon(file);
    expect_content("a " STRANGE, "one\n");

    assert_int_equal(vmaf_atomic_file_open_private(&file, "a " STRANGE), 0);
    vmaf_atomic_file_puts(file, "three");
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    expect_content("a " STRANGE, "three");
    assert_int_equal(count_files(), 1); /* nothing is left behind */
    assert_int_equal(vmaf_atomic_file_open(&file, "."), -EISDIR);
    assert_int_equal(vmaf_atomic_file_open(&file, "missing/a"), -ENOENT);
    assert_int_equal(vmaf_atomic_file_open(&file, ""), -ENOENT);

    bool begins_anew;
    assert_int_equal(vmaf_atomic_file_open_growing(&file, "a growing", &begins_anew), 0);
    assert_true(begins_anew);
    vmaf_atomic_file_puts(file, "line");
    assert_int_equal(vmaf_atomic_file_flush(file), 0);
    expect_content("a growing", "line"); /* as it is written */
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
}

TEST(a_protected_file_is_not_replaced)
{
    VmafAtomicFile *file;
    file_put_text("a", "kept");
    wchar_t *wide = vmaf_wide_text("a");
    assert_true(SetFileAttributesW(wide, FILE_ATTRIBUTE_READONLY));
    const HANDLE probe = CreateFileW(wide, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    const int expected = probe == INVALID_HANDLE_VALUE ? -EACCES : 0; /* Wine, for root */
    if (probe != INVALID_HANDLE_VALUE)
        CloseHandle(probe);
    const int checked = vmaf_path_check_output("a"), opened = vmaf_atomic_file_open(&file, "a");
    if (!opened)
        vmaf_atomic_file_abandon(file);
    assert_true(SetFileAttributesW(wide, FILE_ATTRIBUTE_NORMAL));
    free(wide);
    assert_int_equal(checked, expected);
    assert_int_equal(opened, expected);
    expect_content("a", "kept");
}

TEST(streams_in_memory_keep_all)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (int i = 0; i < 20000; i++)
        fprintf(out, "%d\n", i);
    fputc('\0', out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, 10 * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 10000 * 6 + 1);
    assert_memory_equal(text, "0\n1\n2\n", 6);
    assert_string_equal(text + size - 7, "19999\n");
    free(text);
}

TEST(files_of_the_c_library_have_any_name)
{
    char line[16];
    FILE *file = fopen(STRANGE, "w");
    assert_non_null(file);
    fputs("a\nb\n", file);
    assert_int_equal(fclose(file), 0);
    expect_content(STRANGE, "a\nb\n");
    file_put_text("other", "");
    assert_int_equal(rename(STRANGE, "other"), 0); /* takes its place */
    file = fopen("other", "re");
    assert_non_null(fgets(line, sizeof(line), file));
    assert_string_equal(line, "a\n");
    fclose(file);
    assert_int_equal(remove("other"), 0);
    assert_null(fopen("other", "r"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(remove("other"), -1);
    assert_string_equal(strerror(ETIMEDOUT), "Connection timed out");
    assert_string_equal(strerror(ENOENT), "No such file or directory");
}

TEST(the_environment_is_in_utf8)
{
    SetEnvironmentVariableW(L"VMAF_TEST_VALUE", L"\x00e4\x6f22");
    const char *value = getenv("VMAF_TEST_VALUE");
    assert_string_equal(value, "\xc3\xa4\xe6\xbc\xa2");
    SetEnvironmentVariableW(L"VMAF_TEST_VALUE", L"other");
    assert_string_equal(value, "\xc3\xa4\xe6\xbc\xa2"); /* it stays */
    assert_string_equal(secure_getenv("VMAF_TEST_VALUE"), "other");
    SetEnvironmentVariableW(L"VMAF_TEST_VALUE", NULL);
    assert_null(getenv("VMAF_TEST_VALUE"));
}

TEST(inputs_are_files_or_pipes)
{
    VmafInput input;
    char text[16] = "";
    size_t got;
    file_put_text("file", "some bytes");
    assert_int_equal(vmaf_input_open(&input, "file"), 0);
    assert_true(input.is_file);
    assert_int_equal(input.begin, 0);
    assert_int_equal(input.status.size, 10);
    assert_int_equal(vmaf_input_read(&input, text, 5, 5, &got), 0);
    assert_int_equal(got, 5);
    assert_string_equal(text, "bytes");
    vmaf_input_close(&input);
    assert_int_equal(vmaf_input_open(&input, "."), -EISDIR);
    vmaf_input_close(&input);
    assert_int_equal(vmaf_input_open(&input, "nothing"), -ENOENT);
    vmaf_input_close(&input);
}

typedef struct Writer {
    HANDLE pipe;
    size_t size;
} Writer;

static void *write_all(void *argument)
{
    const Writer *writer = argument;
    static unsigned char bytes[100003];
    DWORD n;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t done = 0; done < writer->size; done += sizeof(bytes))
        WriteFile(writer->pipe, bytes, sizeof(bytes), &n, NULL);
    CloseHandle(writer->pipe);
    return NULL;
}

static void open_pipe_as_stdin(VmafInput *input, HANDLE *writer)
{
    HANDLE reader;
    const HANDLE before = GetStdHandle(STD_INPUT_HANDLE);
    assert_true(CreatePipe(&reader, writer, NULL, 0));
    SetStdHandle(STD_INPUT_HANDLE, reader);
    assert_int_equal(vmaf_input_open(input, NULL), 0);
    SetStdHandle(STD_INPUT_HANDLE, before);
    CloseHandle(reader);
    assert_false(input->is_file);
}

TEST(pipes_lose_nothing)
{
    VmafInput input;
    Writer writer = {.size = 100003 * 50};
    VmafThread thread;
    static unsigned char bytes[70001];
    size_t got, total = 0;
    bool same = true;
    open_pipe_as_stdin(&input, &writer.pipe);
    assert_int_equal(vmaf_thread_start(&thread, write_all, &writer), 0);
    do {
        assert_int_equal(vmaf_input_read(&input, bytes, sizeof(bytes), 0, &got), 0);
        for (size_t i = 0; i < got; i++, total++) {
            const size_t at = total % 100003;
            same &= bytes[i] == (unsigned char)(at * 7 + at / 251);
        }
    } while (got);
    assert_int_equal(total, writer.size);
    assert_true(same);
    vmaf_thread_join(thread);
    vmaf_input_close(&input);
}

static void *interrupt_later(void *input)
{
    vmaf_sleep_ns(50 * 1000 * 1000);
    vmaf_input_interrupt(input);
    return NULL;
}

TEST(a_wait_for_a_pipe_is_interrupted)
{
    VmafInput input;
    VmafThread thread;
    HANDLE writer;
    DWORD n;
    char byte = 0;
    size_t got;
    open_pipe_as_stdin(&input, &writer);
    WriteFile(writer, "x", 1, &n, NULL);
    assert_int_equal(vmaf_input_read(&input, &byte, 1, 0, &got), 0);
    assert_int_equal(got, 1);
    assert_int_equal(byte, 'x');
    assert_int_equal(vmaf_thread_start(&thread, interrupt_later, &input), 0);
    assert_int_equal(vmaf_input_read(&input, &byte, 1, 0, &got), -ECANCELED);
    assert_int_equal(vmaf_input_read(&input, &byte, 1, 0, &got), -ECANCELED);
    vmaf_thread_join(thread);
    vmaf_input_close(&input); /* although the pipe is still open */
    CloseHandle(writer);
}

TEST(the_cache_is_the_users)
{
    VmafUserCache cache;
    char bytes[16];
    size_t length;
    wchar_t *wide = vmaf_wide_text(test_folder_path());
    SetEnvironmentVariableW(L"LOCALAPPDATA", wide);
    free(wide);
    assert_false(vmaf_user_cache_open(&cache, "kept", false));
    assert_false(vmaf_user_cache_is_open(&cache));
    assert_true(vmaf_user_cache_open(&cache, "kept", true));
    assert_int_equal(vmaf_user_cache_write(&cache, "entry", "one", 3), 0);
    assert_int_equal(vmaf_user_cache_write(&cache, "entry", "two!", 4), 0);
    assert_true(vmaf_user_cache_read(&cache, "entry", bytes, sizeof(bytes), &length));
    assert_int_equal(length, 4);
    assert_memory_equal(bytes, "two!", 4);
    assert_false(vmaf_user_cache_read(&cache, "entry", bytes, 4, &length)); /* must be fewer */
    assert_false(vmaf_user_cache_read(&cache, "nothing", bytes, sizeof(bytes), &length));
    vmaf_user_cache_close(&cache);
    char **names;
    unsigned count;
    assert_int_equal(vmaf_folder_list("kept", has_letter_a, &names, &count), 0);
    assert_int_equal(count, 0); /* "entry" alone */
    vmaf_folder_list_free(names, count);
    SetEnvironmentVariableW(L"LOCALAPPDATA", L"relative");
    assert_false(vmaf_user_cache_open(&cache, "kept", true));
}

static bool is_elevated(void)
{
    HANDLE token;
    TOKEN_ELEVATION elevation = {0};
    DWORD size;
    assert_true(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token));
    GetTokenInformation(token, TokenElevation, &elevation, sizeof(elevation), &size);
    CloseHandle(token);
    return elevation.TokenIsElevated;
}

static void allow(const wchar_t *path, const wchar_t *rights)
{
    PSECURITY_DESCRIPTOR security;
    assert_true(ConvertStringSecurityDescriptorToSecurityDescriptorW(rights, SDDL_REVISION_1,
                                                                     &security, NULL));
    assert_true(SetFileSecurityW(path, DACL_SECURITY_INFORMATION, security));
    LocalFree(security);
}

TEST(administrators_load_what_nobody_else_can_change)
{
    char *resolved, *folder, why[256] = "";
    file_put_text("file", "");
    assert_int_equal(vmaf_path_real(".", &folder), 0);
    allow(L".", L"D:P(A;;FA;;;BA)(A;;FA;;;OW)");
    allow(L"file", L"D:P(A;;FA;;;BA)(A;;FA;;;OW)(A;;FR;;;WD)");
    const int accepted = vmaf_privilege_resolve_file(&resolved, "file", folder, why, sizeof(why));
    assert_string_equal(why, "");
    assert_int_equal(accepted, 0);
    free(resolved);
    allow(L"file", L"D:P(A;;FA;;;BA)(A;;FA;;;OW)(A;;FRFW;;;WD)");
    const int err = vmaf_privilege_resolve_file(&resolved, "file", folder, why, sizeof(why));
    assert_int_equal(err, is_elevated() ? -EACCES : 0);
    if (err)
        assert_non_null(strstr(why, "writable by others"));
    free(resolved);
    allow(L"file", L"D:P(A;;FA;;;BA)(A;;FA;;;OW)");
    allow(L".", L"D:P(A;;FA;;;BA)(A;;FA;;;OW)(A;;0x2;;;WD)"); /* who may put another file there */
    assert_int_equal(vmaf_privilege_resolve_file(&resolved, "file", folder, why, sizeof(why)),
                     is_elevated() ? -EACCES : 0);
    free(resolved);
    free(folder);
}
