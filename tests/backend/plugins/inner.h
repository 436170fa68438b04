/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_PLUGINS_INNER_H
#define TESTS_BACKEND_PLUGINS_INNER_H

/*
 * Backends for tests are made around the example: they hand its functions on, and change what they
 * are about. The sources of the example are linked into each, with the entry under this name.
 */

#include "libvmaf/backend.h"

const VmafBackend *inner_backend_entry(void);

#ifndef BACKEND_NAME
#error "the build states the name of the backend"
#endif

#endif
