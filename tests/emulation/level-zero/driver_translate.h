/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_TRANSLATE_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

/* SPIR-V to LLVM's bitcode, by the translator that builds use the other way round. */

/* Whether there is a translator. */
bool translator_start(void);
/* The bitcode, which has to be given back, or NULL; *log gets what the translator says. What was
 * translated before is in POCL_CACHE_DIR, beside what pocl keeps there. */
unsigned char *translator_run(const void *spirv, size_t size, size_t *bitcode_size, char **log);

#endif
