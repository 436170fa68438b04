/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

#include "platform/file.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"

static void assert_content(const char *path, const char *expected)
{
    char *text = file_content(path);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_entries(const char *path, int expected)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    assert_int_equal(count, expected);
}

static void write_text(const char *path, const char *text)
{
    VmafAtomicFile *file;
    assert_int_equal(vmaf_atomic_file_open(&file, path), 0);
    vmaf_atomic_file_puts(file, text);
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
}

#define IN_FOLDER(test) CASE_WITH(test, test_folder_enter, test_folder_remove)

IN_FOLDER(a_new_file_appears_at_commit)
{
    VmafAtomicFile *file;
    mode_t mask = umask(027);
    assert_int_equal(vmaf_atomic_file_open(&file, "new"), 0);
    vmaf_atomic_file_puts(file, "one ");
    vmaf_atomic_file_write(file, "two!", 3);
    assert_int_equal(access("new", F_OK), -1);
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    umask(mask);

    assert_content("new", "one two");
    assert_entries(".", 1);
    struct stat status;
    assert_int_equal(stat("new", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

IN_FOLDER(an_existing_file_is_replaced_only_at_commit)
{
    VmafAtomicFile *file;
    file_put_text("old", "before");
    /* More than the umask leaves to new files. */
    mode_t mask = umask(077);
    assert_int_equal(chmod("old", 0664), 0);
    assert_int_equal(vmaf_atomic_file_open(&file, "old"), 0);
    vmaf_atomic_file_puts(file, "after");
    assert_content("old", "before");
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    assert_content("old", "after");
    assert_entries(".", 1);
    struct stat status;
    assert_int_equal(stat("old", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0664);

    /* And less: nobody may look into the report while it is written, either. */
    umask(0);
    assert_int_equal(chmod("old", 0600), 0);
    assert_int_equal(vmaf_atomic_file_open(&file, "old"), 0);
    DIR *dir = opendir(".");
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' && strstr(entry->d_name, ".tmp")) {
            assert_int_equal(stat(entry->d_name, &status), 0);
            assert_int_equal(status.st_mode & 0777, 0600);
        }
    }
    closedir(dir);
    assert_entries(".", 2);
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    umask(mask);
    assert_int_equal(stat("old", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

IN_FOLDER(abandoning_leaves_everything_as_it_was)
{
    VmafAtomicFile *file;
    file_put_text("old", "before");
    assert_int_equal(vmaf_atomic_file_open(&file, "old"), 0);
    vmaf_atomic_file_puts(file, "after");
    vmaf_atomic_file_abandon(file);
    assert_int_equal(vmaf_atomic_file_open(&file, "new"), 0);
    vmaf_atomic_file_abandon(file);
    vmaf_atomic_file_abandon(NULL);
    assert_content("old", "before");
    assert_entries(".", 1);
}

IN_FOLDER(data_of_any_size_arrives)
{
    enum { SIZE = 300000 };
    static unsigned char data[SIZE], back[SIZE + 1];
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(i * 7 + i / 251);
    static const size_t pieces[] = {1, 100, 65535, 65536, 65537, SIZE};
    for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
        VmafAtomicFile *file;
        assert_int_equal(vmaf_atomic_file_open(&file, "data"), 0);
        for (size_t done = 0; done < SIZE;) {
            size_t n = SIZE - done < pieces[p] ? SIZE - done : pieces[p];
            vmaf_atomic_file_write(file, data + done, n);
            done += n;
        }
        assert_int_equal(vmaf_atomic_file_commit(file), 0);
        FILE *written = fopen("data", "rb");
        assert_non_null(written);
        assert_int_equal(fread(back, 1, sizeof(back), written), SIZE);
        fclose(written);
        assert_memory_equal(back, data, SIZE);
    }
}

IN_FOLDER(links_are_followed)
{
    struct stat status;
    assert_int_equal(mkdir("real", 0755), 0);
    file_put_text("real/file", "before");
    assert_int_equal(symlink("real/file", "link"), 0);
    write_text("link", "after");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_content("real/file", "after");
    assert_entries("real", 1);

    assert_int_equal(symlink("real/absent", "dangling"), 0);
    write_text("dangling", "created");
    assert_content("real/absent", "created");
    assert_int_equal(lstat("dangling", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_entries("real", 2);

    /* A chain, with a link that is relative to its own folder, and an absolute one. */
    char absolute[128];
    snprintf(absolute, sizeof(absolute), "%s/real/second", test_folder_path());
    assert_int_equal(symlink(absolute, "third"), 0);
    assert_int_equal(symlink("last", "real/second"), 0);
    write_text("third", "at the end");
    assert_content("real/last", "at the end");
    assert_entries("real", 4);
    VmafAtomicFile *file;
    assert_int_equal(symlink("no/such/folder", "nowhere"), 0);
    assert_int_equal(vmaf_atomic_file_open(&file, "nowhere"), -ENOENT);
}

IN_FOLDER(what_cannot_be_opened_is_an_error)
{
    VmafAtomicFile *file;
    assert_int_equal(vmaf_atomic_file_open(&file, "no/such/folder"), -ENOENT);
    assert_null(file);
    assert_int_equal(vmaf_atomic_file_open(&file, ""), -ENOENT);
    assert_int_equal(vmaf_atomic_file_open(&file, "."), -EISDIR);
    assert_int_equal(vmaf_atomic_file_open(&file, "absent/"), -ENOENT);
    file_put_text("plain", "");
    assert_int_equal(vmaf_atomic_file_open(&file, "plain/below"), -ENOTDIR);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(vmaf_atomic_file_open(&file, "loop"), -ELOOP);
    assert_null(file);
}

/* Runs a check in a child that is not root, for whom permissions do not count. */
static void as_ordinary_user(void (*check)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
            _exit(77);
        check();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("cannot become an ordinary user here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void check(int condition)
{
    if (!condition)
        _exit(1);
}

static void use_locked_folder(void)
{
    VmafAtomicFile *file;
    check(vmaf_atomic_file_open(&file, "locked/new") == -EACCES);
    check(file == NULL);
    check(vmaf_atomic_file_open(&file, "locked/protected") == -EACCES);

    /* No room for a temporary file, but the file itself may be written. */
    check(vmaf_atomic_file_open(&file, "locked/writable") == 0);
    vmaf_atomic_file_puts(file, "new");
    check(vmaf_atomic_file_commit(file) == 0);
}

IN_FOLDER(permissions_of_folder_and_file_count)
{
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(mkdir("locked", 0755), 0);
    file_put_text("locked/protected", "kept");
    file_put_text("locked/writable", "longer than the new text");
    assert_int_equal(chmod("locked/protected", 0444), 0);
    assert_int_equal(chmod("locked/writable", 0666), 0);
    assert_int_equal(chmod("locked", 0555), 0);
    as_ordinary_user(use_locked_folder);
    assert_content("locked/protected", "kept");
    assert_content("locked/writable", "new");
    assert_entries("locked", 2);
}

static void use_protected_file(void)
{
    VmafAtomicFile *file;
    check(vmaf_atomic_file_open(&file, "protected") == -EACCES);
}

IN_FOLDER(a_write_protected_file_is_not_replaced)
{
    assert_int_equal(chmod(".", 0777), 0);
    file_put_text("protected", "kept");
    assert_int_equal(chmod("protected", 0444), 0);
    as_ordinary_user(use_protected_file);
    assert_content("protected", "kept");
    assert_entries(".", 1);
}

IN_FOLDER(a_full_disk_is_reported)
{
    if (access("/dev/full", W_OK) < 0) {
        print_message("no /dev/full here\n");
        skip();
    }
    VmafAtomicFile *file;
    assert_int_equal(vmaf_atomic_file_open(&file, "/dev/full"), 0);
    vmaf_atomic_file_puts(file, "x");
    assert_int_equal(vmaf_atomic_file_commit(file), -ENOSPC);

    /* The first error counts, and nothing is written after it. */
    static char large[200000];
    assert_int_equal(vmaf_atomic_file_open(&file, "/dev/full"), 0);
    vmaf_atomic_file_write(file, large, sizeof(large));
    vmaf_atomic_file_puts(file, "x");
    assert_int_equal(vmaf_atomic_file_commit(file), -ENOSPC);
}

static void exceed_the_file_size_limit(void)
{
    static char large[200000];
    struct rlimit limit;
    check(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    check(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 100000;
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    VmafAtomicFile *file;
    check(vmaf_atomic_file_open(&file, "old") == 0);
    for (size_t i = 0; i < sizeof(large); i += 1000)
        vmaf_atomic_file_write(file, large + i, 1000);
    check(vmaf_atomic_file_commit(file) == -EFBIG);
}

IN_FOLDER(a_failed_write_leaves_the_old_file)
{
    file_put_text("old", "before");
    assert_int_equal(chmod(".", 0777), 0);
    assert_int_equal(chmod("old", 0666), 0);
    as_ordinary_user(exceed_the_file_size_limit);
    assert_content("old", "before");
    assert_entries(".", 1);
}

static void exceed_the_limit_behind_a_link(void)
{
    static char large[100000];
    check(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    const struct rlimit limit = {.rlim_cur = 70000, .rlim_max = 70000};
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    VmafAtomicFile *file;
    check(vmaf_atomic_file_open(&file, "dangling") == 0);
    vmaf_atomic_file_write(file, large, 50000);
    vmaf_atomic_file_write(file, large, 50000);
    check(vmaf_atomic_file_commit(file) == -EFBIG);
}

IN_FOLDER(a_failed_write_behind_a_dangling_link_leaves_nothing)
{
    assert_int_equal(chmod(".", 0777), 0);
    assert_int_equal(symlink("absent", "dangling"), 0);
    as_ordinary_user(exceed_the_limit_behind_a_link);
    assert_entries(".", 1);
}

IN_FOLDER(pipes_are_written_directly)
{
    VmafAtomicFile *file;
    char text[16] = "";
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(vmaf_atomic_file_open(&file, "pipe"), 0);
    vmaf_atomic_file_puts(file, "through");
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    assert_int_equal(read(reader, text, sizeof(text)), 7);
    assert_string_equal(text, "through");
    close(reader);
    assert_entries(".", 1);
}

IN_FOLDER(redirected_standard_output_is_written_in_place)
{
    file_put_text("log", "before ");
    struct stat before, after;
    assert_int_equal(stat("log", &before), 0);

    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int log = open("log", O_WRONLY | O_APPEND);
    assert_true(saved >= 0 && log >= 0);
    dup2(log, STDOUT_FILENO);
    close(log);
    VmafAtomicFile *file;
    int err = vmaf_atomic_file_open(&file, "/dev/stdout");
    if (!err) {
        vmaf_atomic_file_puts(file, "report");
        err = vmaf_atomic_file_commit(file);
    }
    ssize_t written = write(STDOUT_FILENO, " after", 6);
    dup2(saved, STDOUT_FILENO);
    close(saved);

    assert_int_equal(err, 0);
    assert_int_equal(written, 6);
    assert_content("log", "before report after");
    assert_int_equal(stat("log", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

#ifdef __linux__
static void write_mount_point(void)
{
    if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWNS | CLONE_NEWUSER) < 0)
        _exit(77);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("outside", "inside", NULL, MS_BIND, NULL) < 0)
        _exit(77);
    VmafAtomicFile *file;
    check(vmaf_atomic_file_open(&file, "inside") == 0);
    vmaf_atomic_file_puts(file, "new");
    check(vmaf_atomic_file_commit(file) == 0);
}

IN_FOLDER(a_file_mounted_into_a_container_is_written)
{
    file_put_text("outside", "longer than the new text");
    file_put_text("inside", "hidden");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        write_mount_point();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("mounting is not permitted here\n");
        skip();
    }
    assert_int_equal(status, 0);
    assert_content("outside", "new");
    assert_content("inside", "hidden");
    assert_entries(".", 2);
}
#endif

IN_FOLDER(a_growing_file_is_read_while_it_grows)
{
    VmafAtomicFile *file;
    bool begins_anew;
    write_text("lines", "what was in it before");
    assert_int_equal(symlink("lines", "link"), 0);
    assert_int_equal(vmaf_atomic_file_open_growing(&file, "link", &begins_anew), 0);
    assert_true(begins_anew);
    assert_content("lines", "");
    vmaf_atomic_file_puts(file, "one\n");
    assert_content("lines", "");
    assert_int_equal(vmaf_atomic_file_flush(file), 0);
    assert_content("lines", "one\n");
    vmaf_atomic_file_puts(file, "two\n");
    assert_int_equal(vmaf_atomic_file_commit(file), 0);
    assert_content("lines", "one\ntwo\n");

    assert_int_equal(vmaf_atomic_file_open_growing(&file, "new", &begins_anew), 0);
    assert_true(begins_anew);
    assert_content("new", "");
    vmaf_atomic_file_abandon(file);

    assert_int_equal(vmaf_atomic_file_open_growing(&file, "none/new", &begins_anew), -ENOENT);
    assert_null(file);
    if (access("/dev/full", W_OK))
        return;
    assert_int_equal(vmaf_atomic_file_open_growing(&file, "/dev/full", &begins_anew), 0);
    assert_false(begins_anew);
    vmaf_atomic_file_puts(file, "one\n");
    assert_int_equal(vmaf_atomic_file_flush(file), -ENOSPC);
    assert_int_equal(vmaf_atomic_file_commit(file), -ENOSPC);
}
