/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where programs begin on Windows, which hands them their arguments in UTF-16. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/windows/internal.h"

int main(int argc, char **argv);
int wmain(int argc, wchar_t **wide_arguments);

int wmain(int argc, wchar_t **wide_arguments)
{
    char **arguments = calloc((size_t)argc + 1, sizeof(*arguments));
    for (int i = 0; arguments && i < argc; i++) {
        arguments[i] = vmaf_narrow_text(wide_arguments[i]);
        if (!arguments[i])
            arguments = NULL;
    }
    if (!arguments) {
        fputs("out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    return main(argc, arguments); /* which may keep them */
}
