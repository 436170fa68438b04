/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_BUILTIN_TABLE_H
#define TUNE_ENCODERS_BUILTIN_TABLE_H

/* The text of encoders.json, made by embed.cmake. */
extern const char encoders_builtin_table[];

#endif
