/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "chips.h"

#include <stdio.h>
#include <string.h>

/* Bits of the flags, since version 4 of the format. */
enum {
    FLAG_CHIP = 0xff,
    FLAG_XNACK = 0x300,
    FLAG_SRAMECC = 0xc00,
    XNACK_ANY = 0x100,
    SRAMECC_ANY = 0x400,
};

typedef struct Chip {
    const char *name;
    uint32_t flag;
    const char *family;    /* whose code it runs, too; NULL: it has none */
    unsigned has_features; /* FLAG_XNACK, FLAG_SRAMECC */
} Chip;

/* Flags and features as clang 22 writes them. */
static const Chip chips[] = {
    {"gfx900", 0x2c, "gfx9-generic", FLAG_XNACK},
    {"gfx902", 0x2d, "gfx9-generic", FLAG_XNACK},
    {"gfx904", 0x2e, "gfx9-generic", FLAG_XNACK},
    {"gfx906", 0x2f, "gfx9-generic", FLAG_XNACK | FLAG_SRAMECC},
    {"gfx908", 0x30, NULL, FLAG_XNACK | FLAG_SRAMECC},
    {"gfx909", 0x31, "gfx9-generic", FLAG_XNACK},
    {"gfx90a", 0x3f, NULL, FLAG_XNACK | FLAG_SRAMECC},
    {"gfx90c", 0x32, "gfx9-generic", FLAG_XNACK},
    {"gfx942", 0x4c, "gfx9-4-generic", FLAG_XNACK | FLAG_SRAMECC},
    {"gfx950", 0x4f, "gfx9-4-generic", FLAG_XNACK | FLAG_SRAMECC},
    {"gfx1010", 0x33, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1011", 0x34, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1012", 0x35, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1013", 0x42, "gfx10-1-generic", FLAG_XNACK},
    {"gfx1030", 0x36, "gfx10-3-generic", 0},
    {"gfx1031", 0x37, "gfx10-3-generic", 0},
    {"gfx1032", 0x38, "gfx10-3-generic", 0},
    {"gfx1033", 0x39, "gfx10-3-generic", 0},
    {"gfx1034", 0x3e, "gfx10-3-generic", 0},
    {"gfx1035", 0x3d, "gfx10-3-generic", 0},
    {"gfx1036", 0x45, "gfx10-3-generic", 0},
    {"gfx1100", 0x41, "gfx11-generic", 0},
    {"gfx1101", 0x46, "gfx11-generic", 0},
    {"gfx1102", 0x47, "gfx11-generic", 0},
    {"gfx1103", 0x44, "gfx11-generic", 0},
    {"gfx1150", 0x43, "gfx11-generic", 0},
    {"gfx1151", 0x4a, "gfx11-generic", 0},
    {"gfx1152", 0x55, "gfx11-generic", 0},
    {"gfx1153", 0x58, "gfx11-generic", 0},
    {"gfx1200", 0x48, "gfx12-generic", 0},
    {"gfx1201", 0x4e, "gfx12-generic", 0},
    {"gfx9-generic", 0x51, NULL, FLAG_XNACK},
    {"gfx9-4-generic", 0x5f, NULL, FLAG_XNACK | FLAG_SRAMECC},
    {"gfx10-1-generic", 0x52, NULL, FLAG_XNACK},
    {"gfx10-3-generic", 0x53, NULL, 0},
    {"gfx11-generic", 0x54, NULL, 0},
    {"gfx12-generic", 0x59, NULL, 0},
};

/* The chip of a name, which features may follow. */
static const Chip *find(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        if (strlen(chips[i].name) == length && memcmp(chips[i].name, name, length) == 0)
            return &chips[i];
    }
    return NULL;
}

bool chip_is_known(const char *chip)
{
    return find(chip) && !strstr(chip, "generic");
}

unsigned chip_target_version(const char *chip)
{
    unsigned number, stepping, length = (unsigned)strcspn(chip, ":");
    char digits[16];
    if (length < 6 || length >= sizeof(digits))
        return 0;
    memcpy(digits, chip, length);
    digits[length] = '\0';
    if (sscanf(digits + length - 1, "%x", &stepping) != 1)
        return 0;
    digits[length - 1] = '\0';
    if (sscanf(digits, "gfx%u", &number) != 1)
        return 0;
    return number / 10 * 10000 + number % 10 * 100 + stepping;
}

/* What a name says of a feature: 0 nothing, otherwise '+' or '-'. */
static char feature(const char *name, const char *which)
{
    const char *found = strstr(name, which);
    return found ? found[strlen(which)] : '\0';
}

/* Whether the flags say of a feature what the target does, and the chip has it so. */
static enum ChipMatch match_feature(const char *chip, const char *target, const char *which,
                                    uint32_t flags, uint32_t any, bool has_feature)
{
    static const char states[] = {'\0', '\0', '-', '+'}; /* there is none, any, off, on */
    const uint32_t state = flags / any & 3;
    const char wanted = feature(target, which), there = feature(chip, which);
    if (states[state] != wanted || (state != 0) != has_feature)
        return CHIP_CONTRADICTION;
    return wanted && wanted != (there ? there : '-') ? CHIP_DIFFERS : CHIP_MATCHES;
}

enum ChipMatch chip_match(const char *chip, uint32_t flags, const char *target, char *error,
                          size_t size)
{
    const Chip *device = find(chip), *code = find(target);
    enum ChipMatch match = CHIP_CONTRADICTION;
    if (code && code->flag == (flags & FLAG_CHIP)) {
        match = match_feature(chip, target, ":xnack", flags, XNACK_ANY,
                              code->has_features & FLAG_XNACK);
        if (match != CHIP_CONTRADICTION) {
            const enum ChipMatch other = match_feature(chip, target, ":sramecc", flags, SRAMECC_ANY,
                                                       code->has_features & FLAG_SRAMECC);
            match = other != CHIP_MATCHES ? other : match;
        }
    }
    if (match == CHIP_CONTRADICTION) {
        snprintf(error, size, "the flags %#x are not those of code for %s", flags, target);
        return match;
    }
    if (!device || (device != code && (!device->family || strcmp(device->family, code->name) != 0)))
        match = CHIP_DIFFERS;
    if (match == CHIP_DIFFERS)
        snprintf(error, size, "code for %s on a %s", target, chip);
    return match;
}
