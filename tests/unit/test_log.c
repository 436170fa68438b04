/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cases.h"
#include "support/log.h"
#include "support/test_folder.h"

#ifndef O_BINARY
#define O_BINARY 0 /* of systems where that is no difference */
#endif

/* Standard error goes to a file, or to a pseudo-terminal, while a test logs. */
typedef struct Capture {
    int saved, reader;
    char text[256 * 1024];
} Capture;

static Capture capture;

static void begin(int reader, int writer)
{
    fflush(stderr);
    capture.reader = reader;
    capture.saved = dup(STDERR_FILENO);
    assert_true(capture.saved >= 0);
    assert_true(dup2(writer, STDERR_FILENO) >= 0);
    if (writer != reader)
        close(writer);
}

static void begin_file(void)
{
    const int fd = open("log", O_RDWR | O_CREAT | O_TRUNC | O_BINARY, 0600);
    assert_true(fd >= 0);
    begin(fd, fd);
}

static const char *end(void)
{
    fflush(stderr);
    dup2(capture.saved, STDERR_FILENO);
    close(capture.saved);
    lseek(capture.reader, 0, SEEK_SET);
    ssize_t n = read(capture.reader, capture.text, sizeof(capture.text) - 1);
    close(capture.reader);
    assert_true(n >= 0);
    capture.text[n] = '\0';
    return capture.text;
}

CASE(lines_have_the_form_of_libvmaf)
{
    const Logger logger = {VMAF_LOG_LEVEL_DEBUG};
    begin_file();
    log_message(&logger, VMAF_LOG_LEVEL_ERROR, "problem with \"%s\" at index %u", "adm", 7);
    log_message(&logger, VMAF_LOG_LEVEL_WARNING, "%d%%", 50);
    log_message(&logger, VMAF_LOG_LEVEL_INFO, "plain");
    log_message(&logger, VMAF_LOG_LEVEL_DEBUG, "%.1f", 1.5);
    assert_string_equal(end(), "libvmaf ERROR problem with \"adm\" at index 7\n"
                               "libvmaf WARNING 50%\n"
                               "libvmaf INFO plain\n"
                               "libvmaf DEBUG 1.5\n");
}

CASE(control_characters_do_not_reach_the_terminal)
{
    const Logger logger = {VMAF_LOG_LEVEL_DEBUG};
    begin_file();
    log_message(&logger, VMAF_LOG_LEVEL_ERROR, "feature \"%s\"", "a\033[2Jb\n\x7f");
    log_message(&logger, VMAF_LOG_LEVEL_ERROR, "%s",
                "\xc2\x9b"
                "31m \xe2\x81\xa9 \xe2\x80\xae");
    log_message(&logger, VMAF_LOG_LEVEL_ERROR, "%s", "\xc3\xa4\xe2\x82\xac \xff\xc3");
    assert_string_equal(end(), "libvmaf ERROR feature \"a\\x1b[2Jb\\x0a\\x7f\"\n"
                               "libvmaf ERROR \\xc2\\x9b31m \\xe2\\x81\\xa9 \\xe2\\x80\\xae\n"
                               "libvmaf ERROR \xc3\xa4\xe2\x82\xac \\xff\\xc3\n");
}

CASE(what_ranks_above_the_level_is_not_shown)
{
    static const char *const expected[] = {"", "1", "12", "123", "1234"};
    for (int level = VMAF_LOG_LEVEL_NONE; level <= VMAF_LOG_LEVEL_DEBUG; level++) {
        const Logger logger = {(enum VmafLogLevel)level};
        begin_file();
        for (int rank = VMAF_LOG_LEVEL_NONE; rank <= VMAF_LOG_LEVEL_DEBUG; rank++)
            log_message(&logger, (enum VmafLogLevel)rank, "%d", rank);
        const char *text = end();
        char digits[8] = "";
        for (; *text; text++) {
            if (*text >= '0' && *text <= '9')
                strncat(digits, text, 1);
        }
        assert_string_equal(digits, expected[level]);
    }
}

CASE(without_a_logger_the_process_level_counts)
{
    begin_file();
    log_message(NULL, VMAF_LOG_LEVEL_INFO, "shown by default");
    log_message(NULL, VMAF_LOG_LEVEL_DEBUG, "hidden");
    log_set_process_level(VMAF_LOG_LEVEL_NONE);
    log_message(NULL, VMAF_LOG_LEVEL_ERROR, "hidden");
    log_set_process_level(VMAF_LOG_LEVEL_DEBUG);
    log_message(NULL, VMAF_LOG_LEVEL_DEBUG, "shown");
    log_set_process_level(VMAF_LOG_LEVEL_INFO);
    assert_string_equal(end(), "libvmaf INFO shown by default\nlibvmaf DEBUG shown\n");
}

#ifndef _WIN32 /* where a pseudo-terminal is a process of its own */
CASE(a_terminal_gets_colours)
{
    const Logger logger = {VMAF_LOG_LEVEL_DEBUG};
    int controller = posix_openpt(O_RDWR | O_NOCTTY);
    if (controller < 0 || grantpt(controller) < 0 || unlockpt(controller) < 0) {
        print_message("no pseudo-terminals here\n");
        skip();
    }
    int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
    if (terminal < 0) {
        print_message("no pseudo-terminals here\n");
        skip();
    }
    begin(controller, terminal);
    log_message(&logger, VMAF_LOG_LEVEL_ERROR, "x");
    assert_string_equal(end(), "\033[35mlibvmaf\033[0m \033[31mERROR\033[0m x\r\n");
}
#endif

CASE(long_lines_are_cut_and_errno_survives)
{
    static char text[10000];
    memset(text, 'a', sizeof(text) - 1);
    const Logger logger = {VMAF_LOG_LEVEL_INFO};
    begin_file();
    errno = ERANGE;
    log_message(&logger, VMAF_LOG_LEVEL_INFO, "%s", text);
    assert_int_equal(errno, ERANGE);
    const char *line = end();
    size_t n = strlen(line);
    assert_true(n > 4096 && n < sizeof(text));
    assert_int_equal(line[n - 1], '\n');
    assert_int_equal(line[n - 2], 'a');
}

enum { N_THREADS = 8, N_LINES = 200 };

static void *log_lines(void *thread)
{
    const Logger logger = {VMAF_LOG_LEVEL_INFO};
    char text[64];
    memset(text, 'a' + *(int *)thread, sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (int i = 0; i < N_LINES; i++)
        log_message(&logger, VMAF_LOG_LEVEL_INFO, "%s", text);
    return NULL;
}

CASE(lines_of_several_threads_stay_whole)
{
    pthread_t threads[N_THREADS];
    int numbers[N_THREADS];
    begin_file();
    for (int i = 0; i < N_THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, log_lines, &numbers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);

    int lines[N_THREADS] = {0};
    static const char prefix[] = "libvmaf INFO ";
    for (const char *line = end(); *line; line = strchr(line, '\n') + 1) {
        assert_memory_equal(line, prefix, sizeof(prefix) - 1);
        const char *letters = line + sizeof(prefix) - 1;
        int number = *letters - 'a';
        assert_in_range(number, 0, N_THREADS - 1);
        for (int i = 0; i < 63; i++)
            assert_int_equal(letters[i], *letters);
        assert_int_equal(letters[63], '\n');
        lines[number]++;
    }
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(lines[i], N_LINES);
}

CASE(a_reason_is_stored_and_cut)
{
    Reason why;
    assert_int_equal(reason_set(&why, -EINVAL, "%s must be at least %d", "width", 17), -EINVAL);
    assert_string_equal(why.text, "width must be at least 17");

    static char text[1000];
    memset(text, 'b', sizeof(text) - 1);
    assert_int_equal(reason_set(&why, -ENOMEM, "%s", text), -ENOMEM);
    assert_int_equal(strlen(why.text), sizeof(why.text) - 1);
    assert_int_equal(reason_set(NULL, -EIO, "nobody asked"), -EIO);
}

CASES_SHARE(test_folder_enter, test_folder_remove);
