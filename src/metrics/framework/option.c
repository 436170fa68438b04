/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/option.h"

const OptionSpec no_options[] = {{0}};
