/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plugins that do no good: what they do is done in the helper process. */
#include <stddef.h>

#include "libvmaf/backend.h"
#include "platform/time.h"

const VmafBackend *vmaf_backend_entry(void)
{
#ifdef PLUGIN_crashes
    static const VmafBackend *const *volatile nothing;
    return *nothing;
#else
    for (;;)
        vmaf_sleep_ns(1000000);
#endif
}
