/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Chips by what the kernel's driver says of them, which needs no rights and starts nothing. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_internal.h"
#include "platform/file.h"
#include "platform/path.h"

enum { PROPERTIES_MAX = 1 << 16 };

const char *hip_topology_folder = "/sys/class/kfd/kfd/topology/nodes";

/* A node of the topology; processors have version 0. */
typedef struct Node {
    unsigned long domain, location, version;
} Node;

static bool is_number(const char *name)
{
    return name[0] && strspn(name, "0123456789") == strlen(name);
}

/* The value of a line "name value"; 0 if there is none. */
static unsigned long value_of(const char *properties, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = properties; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return strtoul(line + length, NULL, 10);
    }
    return 0;
}

static bool read_node(const char *name, Node *node)
{
    char path[256], *properties;
    size_t size;
    const int length = snprintf(path, sizeof(path), "%s/%s/properties", hip_topology_folder, name);
    if (length < 0 || (size_t)length >= sizeof(path) ||
        vmaf_file_load(path, PROPERTIES_MAX, &properties, &size))
        return false;
    *node = (Node){value_of(properties, "domain"), value_of(properties, "location_id"),
                   value_of(properties, "gfx_target_version")};
    free(properties);
    return node->version != 0;
}

static bool is_at(const Node *node, const char *pci)
{
    unsigned domain, bus, device, function;
    if (sscanf(pci, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
        return false;
    return node->domain == domain && node->location == (bus << 8 | device << 3 | function);
}

/* Calls it for each GPU until it returns true; whether it did. */
static bool find_node(bool (*is_wanted)(void *cookie, const Node *node), void *cookie)
{
    char **names;
    unsigned count;
    bool found = false;
    if (vmaf_folder_list(hip_topology_folder, is_number, &names, &count))
        return false;
    for (unsigned i = 0; i < count && !found; i++) {
        Node node;
        found = read_node(names[i], &node) && is_wanted(cookie, &node);
    }
    vmaf_folder_list_free(names, count);
    return found;
}

typedef struct Search {
    const char *pci;
    char *chip;
} Search;

/* Version 90010 is 9.0.10, and gfx90a. */
static bool name_chip(void *cookie, const Node *node)
{
    const Search *search = cookie;
    if (!is_at(node, search->pci))
        return false;
    snprintf(search->chip, HIP_CHIP_SIZE, "gfx%lu%lx%lx", node->version / 10000 % 100,
             node->version / 100 % 100, node->version % 100);
    return true;
}

/* ROCm takes devices for other chips than they are if its variable says so, for all of them or for
 * one; the kernel knows nothing of that. */
static bool is_overridden(void)
{
    static const char variable[] = "HSA_OVERRIDE_GFX_VERSION";
    char name[sizeof(variable) + 4];
    bool found = getenv(variable) != NULL;
    for (int device = 0; device < VMAF_STREAM_MAX_DEVICES && !found; device++) {
        snprintf(name, sizeof(name), "%s_%d", variable, device);
        found = getenv(name) != NULL;
    }
    return found;
}

bool hip_topology_chip(const char *pci, char chip[HIP_CHIP_SIZE])
{
    Search search = {pci, chip};
    return !is_overridden() && find_node(name_chip, &search);
}

static bool is_any(void *cookie, const Node *node)
{
    (void)cookie;
    (void)node;
    return true;
}

bool hip_topology_has_gpu(void)
{
    return find_node(is_any, NULL);
}
