/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The header of the tree only adds to that of version 1.0, behind the ends of its structures. */
#include <string.h>

#include "backend/abi_1_0/layout.h"
#include "support/cases.h"
#include <libvmaf/backend.h>

CASE(given_the_members_1_0_then_they_are_where_they_were)
{
    assert_int_equal(n_members_now, n_members_1_0);
    for (size_t i = 0; i < n_members_now; i++) {
        const Member *then = &members_1_0[i], *now = &members_now[i];
        if (then->offset != now->offset || then->size != now->size)
            print_error("%s.%s has moved\n", then->structure, then->name);
        assert_int_equal(then->offset, now->offset);
        assert_int_equal(then->size, now->size);
        assert_true(now->structure_size >= then->structure_size);
    }
}

/* Not into the padding at its end, either, which counts in a struct_size of 1.0. */
CASE(given_structures_that_grew_then_the_new_begins_behind_the_old)
{
    static const struct {
        const char *structure;
        size_t offset; /* of the first member that is not in 1.0 */
        size_t size;
    } grown[] = {
        {"VmafBackendProbe", offsetof(VmafBackendProbe, n_unusable), sizeof(VmafBackendProbe)},
        {"VmafBackendDeviceInfo", offsetof(VmafBackendDeviceInfo, identities),
         sizeof(VmafBackendDeviceInfo)},
        {"VmafBackendDeviceParams", offsetof(VmafBackendDeviceParams, lock),
         sizeof(VmafBackendDeviceParams)},
        {"VmafBackendImport", offsetof(VmafBackendImport, layout), sizeof(VmafBackendImport)},
        {"VmafBackend", offsetof(VmafBackend, buffer_mark), sizeof(VmafBackend)},
    };
    for (size_t i = 0; i < n_members_now; i++) {
        const Member *then = &members_1_0[i];
        size_t size = then->structure_size;
        for (size_t k = 0; k < sizeof(grown) / sizeof(grown[0]); k++) {
            if (strcmp(grown[k].structure, then->structure) != 0)
                continue;
            assert_int_equal(grown[k].offset, then->structure_size);
            size = grown[k].size;
        }
        if (size != members_now[i].structure_size)
            print_error("%s has grown, and is not in the list above\n", then->structure);
        assert_int_equal(size, members_now[i].structure_size);
    }
}
