/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_CODE_NOTES_H
#define TESTS_EMULATION_HIP_CODE_NOTES_H

#include <stddef.h>

#include "code_object.h"

/* Fills in target and kernels from the note NT_AMDGPU_METADATA. False, and a text. */
bool code_notes_read(CodeObject *object, const void *note, size_t size,
                     char error[CODE_OBJECT_ERROR_SIZE]);

#endif
