/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hip.h"

/* Of events: what the driver has, too; there are more, of caches. */
enum { EVENT_FLAGS = 7 };

HipResult hipStreamCreate(CudaStream *stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamCreate(stream, 0));
}

HipResult hipStreamCreateWithFlags(CudaStream *stream, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamCreate(stream, flags));
}

HipResult hipStreamCreateWithPriority(CudaStream *stream, unsigned flags, int priority)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamCreateWithPriority(stream, flags, priority));
}

HipResult hipStreamGetFlags(CudaStream stream, unsigned *flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamGetFlags(stream, flags));
}

HipResult hipStreamGetPriority(CudaStream stream, int *priority)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamGetPriority(stream, priority));
}

HipResult hipStreamDestroy(CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamDestroy_v2(stream));
}

HipResult hipStreamSynchronize(CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamSynchronize(stream));
}

HipResult hipStreamQuery(CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamQuery(stream));
}

HipResult hipStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamWaitEvent(stream, event, flags));
}

HipResult hipStreamAddCallback(CudaStream stream, HipStreamCallback callback, void *data,
                               unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamAddCallback(stream, callback, data, flags));
}

/* -- events -- */

HipResult hipEventCreate(CudaEvent *event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventCreate(event, 0));
}

HipResult hipEventCreateWithFlags(CudaEvent *event, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventCreate(event, flags & EVENT_FLAGS));
}

HipResult hipEventDestroy(CudaEvent event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventDestroy_v2(event));
}

HipResult hipEventRecord(CudaEvent event, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventRecord(event, stream));
}

HipResult hipEventQuery(CudaEvent event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventQuery(event));
}

HipResult hipEventSynchronize(CudaEvent event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventSynchronize(event));
}

HipResult hipEventElapsedTime(float *milliseconds, CudaEvent begin, CudaEvent end)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventElapsedTime(milliseconds, begin, end));
}
