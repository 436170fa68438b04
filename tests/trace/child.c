/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trace/child.h"
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

const char *child_folder(void)
{
    static char folder[] = "/tmp/vmaf-trace-XXXXXX/";
    static char name[sizeof(folder)];
    if (!name[0]) {
        strcpy(name, folder);
        name[strlen(name) - 1] = '\0';
        assert_non_null(mkdtemp(name));
        strcat(name, "/");
    }
    return name;
}

const char *child_file(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s%s", child_folder(), name);
    return path;
}

int child_remove_folder(void **state)
{
    char command[512];
    snprintf(command, sizeof(command), "rm -rf %s", child_folder());
    return system(command);
}

void *child_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

/* Until the other end is closed. What does not fit is read and dropped. */
static void read_all(int file, char *text, size_t size)
{
    size_t n = 0;
    char byte;
    while (read(file, &byte, 1) == 1) {
        if (n + 1 < size)
            text[n++] = byte;
    }
    text[n] = '\0';
}

int child_run(const char *path, void (*function)(void *argument), void *argument, char *messages,
              size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (!process) {
        if (messages)
            dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (path)
            setenv("VMAF_TRACE", path, 1);
        else
            unsetenv("VMAF_TRACE");
        function(argument);
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    if (messages)
        read_all(ends[0], messages, size);
    close(ends[0]);
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return process;
}
