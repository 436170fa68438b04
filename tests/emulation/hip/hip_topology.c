/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What the kernel's driver says of the machine's GPUs: files with a line for each property. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "chips.h"
#include "hip.h"
#include "hip_control.h"

enum { PATH_SIZE = 512 };

static int write_node(const char *path, int number, const char *properties)
{
    char name[PATH_SIZE];
    snprintf(name, sizeof(name), "%.400s/%d", path, number);
    if (mkdir(name, 0777) != 0 && errno != EEXIST)
        return -errno;
    snprintf(name, sizeof(name), "%.400s/%d/properties", path, number);
    FILE *file = fopen(name, "w");
    if (!file)
        return -errno;
    const bool is_written = fputs(properties, file) >= 0;
    return fclose(file) == 0 && is_written ? 0 : -EIO;
}

static int write_device(const char *path, int number, const MachineDevice *device)
{
    char text[1024];
    uint64_t unique;
    memcpy(&unique, device->uuid, sizeof(unique));
    snprintf(text, sizeof(text),
             "cpu_cores_count 0\nsimd_count %d\nmem_banks_count 1\ncaches_count 0\n"
             "io_links_count 1\nmax_waves_per_simd 16\nlds_size_in_kb 64\n"
             "wave_front_size %d\narray_count 1\ngfx_target_version %u\nvendor_id %u\n"
             "device_id %u\nlocation_id %u\ndomain %u\ndrm_render_minor %d\nunique_id %" PRIu64
             "\nmax_engine_clk_fcompute 2000\n",
             2 * device->multiprocessors, strncmp(device->chip, "gfx9", 4) == 0 ? 64 : 32,
             chip_target_version(device->chip), device->vendor_id, device->product_id,
             device->pci_bus << 8 | device->pci_device << 3, device->pci_domain, 127 + number,
             unique);
    return write_node(path, number, text);
}

int emulated_hip_topology(const char *path)
{
    int number = 0;
    machine_lock();
    int status = write_node(path, number++,
                            "cpu_cores_count 16\nsimd_count 0\ngfx_target_version 0\n"
                            "vendor_id 0\ndevice_id 0\nlocation_id 0\ndomain 0\n");
    for (int i = 0; i < emulated_machine.n_devices && status == 0; i++) {
        const MachineDevice *device = &emulated_machine.devices[i];
        if (!device->own[DEVICE_HAS_NO_TOPOLOGY])
            status = write_device(path, number++, device);
    }
    machine_unlock();
    return status;
}
