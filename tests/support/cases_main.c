/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Of programs that bring no main. */
#include "support/cases.h"

int main(int argc, char **argv)
{
    return run_cases(argc, argv);
}
