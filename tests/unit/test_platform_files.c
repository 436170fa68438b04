/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files, paths and inputs of src/platform. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/text.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"

static bool is_inherited(int descriptor)
{
    return !(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
}

CASE(letters_are_alike_whatever_their_case)
{
    assert_true(vmaf_ascii_alike("Report.JSON", "rEPORT.json"));
    assert_true(vmaf_ascii_alike("", ""));
    assert_false(vmaf_ascii_alike("xml", "xmlns"));
    assert_false(vmaf_ascii_alike("xmlns", "xml"));
    assert_false(vmaf_ascii_alike("@", "`")); /* as far apart as letters of both cases */
    assert_true(vmaf_ascii_begins_alike("XMLns", "xml", 3));
    assert_false(vmaf_ascii_begins_alike("XM", "xml", 3));
}

#define TEST(function) CASE_WITH(function, test_folder_enter, test_folder_remove)

TEST(status_tells_kind_size_and_identity)
{
    VmafFileStatus file, link, other, folder_status, pipe_status;
    file_put_text("file", "twelve bytes");
    file_put_text("other", "twelve bytes");
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(vmaf_file_status_at("file", &file), 0);
    assert_int_equal(vmaf_file_status_at("link", &link), 0);
    assert_int_equal(vmaf_file_status_at("other", &other), 0);
    assert_int_equal(vmaf_file_status_at(".", &folder_status), 0);
    assert_int_equal(vmaf_file_status_at("pipe", &pipe_status), 0);
    assert_int_equal(vmaf_file_status_at("nothing", &other), -ENOENT);
    assert_int_equal(file.kind, VMAF_FILE_REGULAR);
    assert_int_equal(file.size, 12);
    assert_int_equal(folder_status.kind, VMAF_FILE_FOLDER);
    assert_int_equal(pipe_status.kind, VMAF_FILE_PIPE);
    assert_true(vmaf_file_is_same(&file, &link));
    assert_false(vmaf_file_is_same(&file, &other));

    struct timespec times[2] = {{0, UTIME_OMIT}, {1000000000, 7}};
    assert_int_equal(utimensat(AT_FDCWD, "file", times, 0), 0);
    VmafFile opened;
    assert_int_equal(vmaf_file_open(&opened, "file"), 0);
    assert_int_equal(vmaf_file_status(&opened, &other), 0);
    vmaf_file_close(&opened);
    assert_true(vmaf_file_is_same(&file, &other));
    assert_true(other.modified_ns == INT64_C(1000000000000000007));
    assert_true(other.changed_ns > file.changed_ns);
}

TEST(files_are_read_and_written_at_any_position)
{
    VmafFile file;
    char text[16] = "";
    size_t got;
    assert_int_equal(vmaf_file_create(&file, "file"), 0);
    assert_false(is_inherited((int)file.handle));
    assert_int_equal(vmaf_file_write_at(&file, "def", 3, 3), 0);
    assert_int_equal(vmaf_file_write_at(&file, "abc", 3, 0), 0);
    vmaf_file_close(&file);
    assert_int_equal(file.handle, -1);
    vmaf_file_close(&file); /* no file is allowed */
    assert_int_equal(vmaf_file_open(&file, "file"), 0);
    assert_false(is_inherited((int)file.handle));
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
    assert_int_equal(vmaf_file_create(&file, "file"), 0); /* is empty again */
    vmaf_file_close(&file);
    VmafFileStatus status;
    assert_int_equal(vmaf_file_status_at("file", &status), 0);
    assert_int_equal(status.size, 0);
}

TEST(only_files_up_to_a_size_are_loaded)
{
    char *content;
    size_t size;
    file_put_text("file", "content");
    assert_int_equal(vmaf_file_load("file", 7, &content, &size), 0);
    assert_int_equal(size, 7);
    assert_string_equal(content, "content");
    free(content);
    assert_int_equal(vmaf_file_load("file", 6, &content, &size), -EFBIG);
    assert_null(content);
    assert_int_equal(vmaf_file_load("nothing", 7, &content, &size), -ENOENT);
    assert_int_equal(vmaf_file_load(".", 1 << 20, &content, &size), -EINVAL);
    assert_int_equal(mkfifo("pipe", 0600), 0); /* without waiting for somebody to write */
    assert_int_equal(vmaf_file_load("pipe", 7, &content, &size), -EINVAL);
    assert_int_equal(size, 0);
}

TEST(links_are_followed_to_what_is_missing)
{
    char *target;
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("folder/second", "first"), 0);
    assert_int_equal(symlink("missing", "folder/second"), 0);
    assert_int_equal(vmaf_path_behind_links("first", &target), 0);
    assert_string_equal(target, "folder/missing");
    free(target);
    assert_int_equal(vmaf_path_real("first", &target), -ENOENT);
    assert_null(target);
    file_put_text("folder/missing", "");
    assert_int_equal(vmaf_path_real("first", &target), 0);
    assert_string_equal(target + strlen(target) - strlen("/folder/missing"), "/folder/missing");
    free(target);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(vmaf_path_behind_links("loop", &target), -ELOOP);
    assert_null(target);
}

TEST(a_path_for_output_is_judged_without_touching_it)
{
    file_put_text("file", "");
    assert_int_equal(symlink("missing/file", "astray"), 0);
    assert_int_equal(vmaf_path_check_output("file"), 0);
    assert_int_equal(vmaf_path_check_output("new"), 0);
    assert_int_equal(access("new", F_OK), -1);
    assert_int_equal(vmaf_path_check_output(""), -ENOENT);
    assert_int_equal(vmaf_path_check_output("."), -EISDIR);
    assert_int_equal(vmaf_path_check_output("missing/file"), -ENOENT);
    assert_int_equal(vmaf_path_check_output("astray"), -ENOENT);
    assert_int_equal(vmaf_path_check_output("file/file"), -ENOTDIR);
    if (geteuid() == 0)
        return; /* who may write everywhere */
    assert_int_equal(chmod("file", 0400), 0);
    assert_int_equal(vmaf_path_check_output("file"), -EACCES);
    assert_int_equal(mkdir("closed", 0500), 0);
    assert_int_equal(vmaf_path_check_output("closed/new"), -EACCES);
}

TEST(folders_are_made_with_those_above)
{
    VmafFileStatus status;
    assert_int_equal(vmaf_folder_make("a/b//c/"), 0);
    assert_int_equal(vmaf_folder_make("a/b/c"), 0);
    assert_int_equal(vmaf_file_status_at("a/b/c", &status), 0);
    assert_int_equal(status.kind, VMAF_FILE_FOLDER);
    file_put_text("file", "");
    assert_int_equal(vmaf_folder_make("file/below"), -ENOTDIR);
    assert_int_equal(vmaf_folder_make(""), -ENOENT);
}

static bool has_letter_a(const char *name)
{
    return strchr(name, 'a') != NULL;
}

TEST(folders_are_listed_in_order)
{
    char **names;
    unsigned count;
    file_put_text("ba", "");
    file_put_text("b", "");
    file_put_text("aa", "");
    file_put_text("Za", "");
    assert_int_equal(vmaf_folder_list(".", has_letter_a, &names, &count), 0);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "Za");
    assert_string_equal(names[1], "aa");
    assert_string_equal(names[2], "ba");
    vmaf_folder_list_free(names, count);
    assert_int_equal(vmaf_folder_list("nothing", has_letter_a, &names, &count), -ENOENT);
    assert_int_equal(vmaf_folder_list("ba", has_letter_a, &names, &count), -ENOTDIR);
    assert_int_equal(count, 0);
}

TEST(private_files_are_for_their_owner_alone)
{
    VmafAtomicFile *file;
    struct stat status;
    const mode_t mask = umask(0);
    assert_int_equal(vmaf_atomic_file_open_private(&file, "private"), 0);
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    assert_int_equal(vmaf_atomic_file_open(&file, "public"), 0);
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    umask(mask);
    assert_int_equal(stat("private", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat("public", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666);
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

    const int keep = open("file", O_RDONLY), before = dup(STDIN_FILENO);
    lseek(keep, 3, SEEK_SET);
    dup2(keep, STDIN_FILENO);
    assert_int_equal(vmaf_input_open(&input, NULL), 0);
    assert_false(is_inherited((int)input.file.handle));
    dup2(before, STDIN_FILENO);
    assert_true(input.is_file);
    assert_int_equal(input.begin, 3);
    vmaf_input_close(&input);
    close(keep);
    close(before);
}

/* The file is the pipe, of which the reader has taken all and waits for more, or is about to. */
static void *interrupt_reader(void *argument)
{
    const VmafInput *input = argument;
    for (int waiting = 1; waiting;)
        assert_int_equal(ioctl((int)input->file.handle, FIONREAD, &waiting), 0);
    vmaf_input_interrupt(input);
    return NULL;
}

TEST(a_wait_for_a_pipe_is_interrupted)
{
    VmafInput input;
    char byte;
    size_t got;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const int writer = open("pipe", O_RDWR);
    assert_true(writer >= 0);
    for (int round = 0; round < 200; round++) {
        assert_int_equal(vmaf_input_open(&input, "pipe"), 0);
        assert_false(input.is_file);
        for (int i = 0; i < 2; i++)
            assert_false(is_inherited((int)input.wake[i]));
        pthread_t thread;
        assert_int_equal(write(writer, "x", 1), 1);
        assert_int_equal(pthread_create(&thread, NULL, interrupt_reader, &input), 0);
        assert_int_equal(vmaf_input_read(&input, &byte, 1, 0, &got), 0);
        assert_int_equal(got, 1);
        assert_int_equal(vmaf_input_read(&input, &byte, 1, 0, &got), -ECANCELED);
        assert_int_equal(vmaf_input_read(&input, &byte, 1, 0, &got), -ECANCELED);
        pthread_join(thread, NULL);
        vmaf_input_close(&input);
    }
    close(writer);
}

TEST(what_a_program_does_first)
{
    const pid_t child = fork();
    if (child == 0) {
        close(STDIN_FILENO);
        close(STDERR_FILENO);
        if (vmaf_process_prepare() < 0)
            _exit(1);
        const int next = open("file", O_WRONLY | O_CREAT, 0600);
        const struct rlimit limit = {4, 4};
        setrlimit(RLIMIT_FSIZE, &limit);
        if (next <= STDERR_FILENO)
            _exit(2);
        _exit(write(next, "12345678", 8) == 4 && write(next, "5", 1) < 0 && errno == EFBIG ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
