/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Programs with borrowed rights write no trace and load no library that the environment names. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libvmaf/libvmaf.h"
#include "support/cases.h"
#include "trace/child.h"

enum { NOBODY = 65534, SKIPPED = 77 };

/* How the copy of this program ends. */
enum { WITHOUT_RIGHTS = 10, WITH_RIGHTS = 20, LOADED = 1 };

static int run_as_copy(const char *library)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE};
    if (vmaf_init(&vmaf, cfg) || vmaf_close(vmaf))
        return 1;
    const int loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD) ? LOADED : 0;
    return (getauxval(AT_SECURE) ? WITH_RIGHTS : WITHOUT_RIGHTS) + loaded;
}

/* Runs a copy of this program with that mode, which belongs to somebody else. */
static int run_copy(unsigned mode)
{
    char command[2048], copy[512];
    snprintf(copy, sizeof(copy), "%s", child_file("program"));
    snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), copy);
    assert_int_equal(system(command), 0);
    assert_int_equal(chmod(child_folder(), 0777), 0);
    assert_int_equal(chown(copy, NOBODY, NOBODY), 0);
    assert_int_equal(chmod(copy, mode), 0);
    const char *library = getenv("TRACE_INJECTION");
    snprintf(command, sizeof(command), "VMAF_TRACE=%s NVTX_INJECTION64_PATH=%s %s --copy %s",
             child_file("trace.json"), library, copy, library);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    unlink(copy);
    return WEXITSTATUS(status);
}

CASE(given_borrowed_rights_then_nothing_is_traced)
{
    assert_int_equal(run_copy(0755), WITHOUT_RIGHTS + LOADED);
    assert_int_equal(access(child_file("trace.json"), F_OK), 0);
    unlink(child_file("trace.json"));
    const int end = run_copy(04755);
    if (end == WITHOUT_RIGHTS + LOADED) {
        print_message("skipped: set-uid does nothing here (nosuid?)\n");
        skip();
    }
    assert_int_equal(end, WITH_RIGHTS);
    assert_int_equal(access(child_file("trace.json"), F_OK), -1);
}

CASES_SHARE(NULL, child_remove_folder);

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--copy"))
        return run_as_copy(argv[1]);
    if (geteuid() != 0) {
        puts("skipped: only the superuser can make a program that belongs to somebody else");
        return SKIPPED;
    }
    return run_cases(argc, argv);
}
