/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_FATAL_READ_H
#define TESTS_SUPPORT_FATAL_READ_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a program that reads this byte is ended for it. It is tried, and this one lives on. */
bool read_is_fatal(const volatile uint8_t *byte);

#endif
