/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_INTERNAL_H
#define VMAF_HIP_INTERNAL_H

#include "hip_layer.h"
#include "hip_runtime.h"
#include "streams/driver_calls.h"

/* What streams/stream_layer.h wants of an API, on HIP. A device's handle is its number, and in the
 * upper half one more than the number, for hip_chip_with_code, of the chip whose code it takes,
 * where its chip is unknown. */

enum { HIP_CHIP_SIZE = 24 }; /* bytes of a name such as "gfx90a" or "gfx9-4-generic" */

typedef struct HipDevice {
    VmafStreamDevice base;
    int number;
    char chip[HIP_CHIP_SIZE]; /* or the architecture that the driver took for it */
} HipDevice;

/* hip_device.c; complete once the library is loaded */
extern VmafDriverCalls hip_calls;
void hip_fill_calls(void);

/* hip_error.c */
int hip_error_of(HipResult result); /* as a negative errno */
/* "hipErrorName (text)", or the number. */
void hip_describe_result(HipResult result, char *text, size_t size);
/* 0, or the error as a negative errno, and stores what went wrong. */
int hip_done(VmafStreamDevice *device, HipResult result, const char *what);
/* The same result: if it is an error, hip_restore or hip_forget_errors takes it out of the
 * runtime's memory of this thread. */
HipResult hip_note(HipResult result);
void hip_forget_errors(void);
/* Each thread has a current device. Makes this one current, until hip_restore; not nested. After an
 * error there is nothing to restore. */
HipResult hip_make_current(int number);
void hip_restore(void);

/* hip_topology.c. The folder is another one in tests only. */
extern const char *hip_topology_folder;
/* Names the chip at a PCI address, "gfx1030". False: nothing is known of it. */
bool hip_topology_chip(const char *pci, char chip[HIP_CHIP_SIZE]);
bool hip_topology_has_gpu(void);

/* hip_physical.c: the devices of the system */
int hip_start(char *reason, size_t reason_size);
uint32_t hip_count(void);
bool hip_describe(uint32_t index, VmafStreamCandidate *candidate);
/* Sets number and chip to those of the candidate. */
void hip_adopt(HipDevice *device, const VmafStreamCandidate *candidate);

/* hip_image.c */
int hip_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                     const VmafBackendImport *picture);

/* hip_kernel.c */
enum HipCodeFit { HIP_CODE_NOT, HIP_CODE_FAMILY, HIP_CODE_TWIN, HIP_CODE_OWN };
/* How code for an architecture suits a chip: not, made for its family, for a chip with the same
 * code, or for itself. */
enum HipCodeFit hip_code_fits(const char *architecture, const char *chip);
/* Number i of the chips and families that a kernel has code for, and that code. NULL: there are not
 * so many. */
const char *hip_chip_with_code(const VmafKernel *kernel, size_t i, const VmafKernelCode **code);
/* The image for a chip of code that suits it. *copy is NULL, or the image's memory, which is to be
 * freed after the module is unloaded: the runtime may read it until then. NULL: no memory. */
const void *hip_code_for(const VmafKernelCode *code, const char *chip, void **copy);
int hip_kernel_load(VmafStreamDevice *device, VmafStreamKernel *kernel, const VmafKernel *source);

/* hip_copy.c */
int hip_copy(VmafStreamDevice *device, void *stream, const VmafStreamRows *rows);

#endif
