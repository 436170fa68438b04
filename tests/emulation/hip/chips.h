/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_CHIPS_H
#define TESTS_EMULATION_HIP_CHIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AMD's chips, as code objects name them. */

/* Whether a chip is known: "gfx1030", "gfx906:sramecc+:xnack-". */
bool chip_is_known(const char *chip);

/* What the kernel's topology says of it, also if it is not known: 100300 for gfx1030. 0: this is no
 * name of a chip. */
unsigned chip_target_version(const char *chip);

enum ChipMatch {
    CHIP_MATCHES,
    CHIP_DIFFERS,       /* the code is for another one */
    CHIP_CONTRADICTION, /* the flags of the code do not say what the target does */
};

/* Whether code runs there that has these flags (of its ELF header) and this target (of its notes,
 * behind "amdgcn-amd-amdhsa--"). A text says why it does not. */
enum ChipMatch chip_match(const char *chip, uint32_t flags, const char *target, char *error,
                          size_t size);

#endif
