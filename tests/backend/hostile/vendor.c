/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vendor's library that a machine without the driver lacks. */
#include <stdint.h>

int32_t vmaf_test_vendor_function(void);

int32_t vmaf_test_vendor_function(void)
{
    return 0;
}
