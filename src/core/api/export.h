/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_API_EXPORT_H
#define CORE_API_EXPORT_H

/* Marks the definition of a public function; everything else stays inside the shared library. */
#define VMAF_API __attribute__((visibility("default")))

#endif
