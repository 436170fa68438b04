/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A plugin for QEMU's user mode emulation that counts executed guest instructions, and writes their
 * number to stderr at the end: see arm_instructions.sh. The declarations are those that QEMU's
 * documentation of TCG plugins describes, version 1 of the interface. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t Plugin;
struct qemu_plugin_tb;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(Plugin id,
                                           void (*translated)(Plugin, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int add, void *sum,
                                              uint64_t term);
void qemu_plugin_register_atexit_cb(Plugin id, void (*ended)(Plugin, void *), void *data);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(Plugin id, const void *info, int argc, char **argv);

static uint64_t executed; /* exact for one thread */

static void count(Plugin id, struct qemu_plugin_tb *block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &executed, qemu_plugin_tb_n_insns(block));
}

static void print(Plugin id, void *data)
{
    (void)id;
    (void)data;
    fprintf(stderr, "instructions: %llu\n", (unsigned long long)executed);
}

static int qemu_plugin_install(Plugin id, const void *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count);
    qemu_plugin_register_atexit_cb(id, print, NULL);
    return 0;
}
