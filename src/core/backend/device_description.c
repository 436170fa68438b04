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

static bool same_pci(const char *a, const char *b)
{
    PciAddress x, y;
    return parse_pci(a, &x) && parse_pci(b, &y) && x.domain == y.domain && x.bus == y.bus &&
           x.device == y.device && x.function == y.function;
}

/* Vendors disagree on what a UUID is made from, so that one may differ where the address agrees. */
bool device_description_same(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    const uint32_t both = a->identities & b->identities;
    return ((both & VMAF_BACKEND_IDENTITY_PCI) && same_pci(a->pci, b->pci)) ||
           ((both & VMAF_BACKEND_IDENTITY_UUID) && !memcmp(a->uuid, b->uuid, sizeof(a->uuid))) ||
           ((both & VMAF_BACKEND_IDENTITY_LUID) && !memcmp(a->luid, b->luid, sizeof(a->luid)));
}
