/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels are source text; the system compiles it, and keeps what it made. */
#include <errno.h>

#include "metal_internal.h"

/* Owned by the caller. Floating point as written: no contraction, no reordering. */
static MetalObject new_options(void)
{
    const MetalObject options = metal_init(metal_alloc(objc_getClass("MTLCompileOptions")));
    if (!options)
        return NULL;
    metal_set_fast_math(options, 0);
    if (metal_responds_to(options, sel_registerName("setMathMode:")))
        metal_set_math_mode(options, METAL_MATH_MODE_SAFE);
    metal_set_language_version(options, METAL_LANGUAGE_2_3);
    return options;
}

static MetalObject string_of(const char *text)
{
    return metal_string(objc_getClass("NSString"), text);
}

/* The kernel as a function, owned by the caller. */
static int compile(MetalDevice *device, const VmafKernel *source, MetalObject *function)
{
    MetalObject error = NULL;
    const MetalObject text = string_of(source->codes[0].code);
    const MetalObject options = new_options();
    if (!text || !options)
        return vmaf_stream_failed(&device->head, -ENOMEM, "a kernel", "");
    const MetalObject library = metal_new_library(device->device, text, options, &error);
    metal_release(options);
    if (!library)
        return vmaf_stream_fail(&device->head, -EIO, "the kernel %s does not compile: %s",
                                source->name, metal_words(error));
    *function = metal_new_function(library, string_of(source->name));
    metal_release(library);
    return *function ? 0
                     : vmaf_stream_fail(&device->head, -EIO, "the kernel %s is not in its text",
                                        source->name);
}

int metal_kernel_load(VmafStreamDevice *base, VmafStreamKernel *loaded, const VmafKernel *source)
{
    MetalDevice *device = (MetalDevice *)base;
    MetalKernel *kernel = (MetalKernel *)loaded;
    MetalObject function, error = NULL;
    const int err = compile(device, source, &function);
    if (err)
        return err;
    kernel->pipeline = metal_new_pipeline(device->device, function, &error);
    metal_release(function);
    if (!kernel->pipeline)
        return vmaf_stream_fail(base, -EIO, "the kernel %s has no pipeline: %s", source->name,
                                metal_words(error));
    const MetalUInteger lanes = (MetalUInteger)source->lanes[0] * source->lanes[1];
    if (metal_max_threads(kernel->pipeline) >= lanes)
        return 0;
    metal_kernel_unload(base, loaded);
    return vmaf_stream_fail(base, -ENOTSUP, "the kernel %s cannot run with %lu lanes", source->name,
                            lanes);
}

void metal_kernel_unload(VmafStreamDevice *device, VmafStreamKernel *unloaded)
{
    MetalKernel *kernel = (MetalKernel *)unloaded;
    (void)device;
    metal_release(kernel->pipeline);
    kernel->pipeline = NULL;
}
