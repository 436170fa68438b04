/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/device_description.h"

#include <stdio.h>
#include <string.h>

typedef struct PciAddress {
    unsigned domain, bus, device, function;
} PciAddress;

/* Drivers write the domain with four digits or with eight. */
static bool parse_pci(const char *text, PciAddress *address)
{
    *address = (PciAddress){0};
    return sscanf(text, "%8x:%2x:%2x.%1x", &address->domain, &address->bus, &address->device,
                  &address->function) == 4;
}

/* Zeros are what drivers write that do not know. */
static bool same_pci(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    PciAddress x, y;
    return (a->identities & b->identities & VMAF_BACKEND_IDENTITY_PCI) && parse_pci(a->pci, &x) &&
           parse_pci(b->pci, &y) && x.domain == y.domain && x.bus == y.bus &&
           x.device == y.device && x.function == y.function &&
           (x.domain || x.bus || x.device || x.function);
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
    unsigned all = 0;
    for (size_t i = 0; i < size; i++)
        all |= a[i];
    return all && !memcmp(a, b, size);
}

static bool same_uuid(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    return (a->identities & b->identities & VMAF_BACKEND_IDENTITY_UUID) &&
           same_bytes(a->uuid, b->uuid, sizeof(a->uuid));
}

static bool same_luid(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    return (a->identities & b->identities & VMAF_BACKEND_IDENTITY_LUID) &&
           same_bytes(a->luid, b->luid, sizeof(a->luid));
}

void device_description_mark_parts(BackendDeviceDescription devices[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        BackendDeviceDescription *a = &devices[i];
        for (unsigned k = 0; k < count && !a->is_part; k++) {
            const BackendDeviceDescription *b = &devices[k];
            a->is_part = k != i && same_pci(a, b) && !same_uuid(a, b) &&
                         !strncmp(a->driver, b->driver, sizeof(a->driver));
        }
    }
}

/* Vendors disagree on what a UUID is made from, so that one may differ where the address agrees. */
bool device_description_same(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    return same_uuid(a, b) || same_luid(a, b) || (!a->is_part && !b->is_part && same_pci(a, b));
}
