/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_INTERNAL_H
#define VMAF_HIP_INTERNAL_H

#include "cuda/cuda_internal.h"

/* What is HIP's own. The layer itself, and what it wants of these files, is in plugins/cuda, under
 * the names of hip_names.h. */

enum { HIP_CHIP_SIZE = sizeof(((CudaDevice *)0)->chip) };

/* -- hip_driver.c -- */

/* Loads the library: the one that the process has already, else the newest. 0; -ENODEV with a
 * reason. Any thread. */
int hip_load(char *reason, size_t reason_size);
/* The same result: if it is an error, hip_restore or hip_forget_errors takes it out of the
 * runtime's memory of this thread. */
hipError_t hip_note(hipError_t result);
void hip_forget_errors(void);
/* Each thread has a current device. Makes this one current, until hip_restore; not nested. After an
 * error there is nothing to restore. */
hipError_t hip_make_current(int number);
void hip_restore(void);

/* -- hip_topology.c -- */

/* The folder is another one in tests only. */
extern const char *hip_topology_folder;
/* Names the chip at a PCI address, "gfx1030". False: nothing is known of it. */
bool hip_topology_chip(const char *pci, char chip[HIP_CHIP_SIZE]);
bool hip_topology_has_gpu(void);

/* -- hip_kernel.c -- */

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

#endif
