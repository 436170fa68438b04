/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "definition/option.h"

const OptionSpec no_options[] = {{0}};
