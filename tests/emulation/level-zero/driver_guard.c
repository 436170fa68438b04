/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_module.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guarded_memory.h"

enum { MAX_PAGES = 4096 };

static struct sigaction before;
static atomic_uint n_pages;
static uint64_t pages[MAX_PAGES];
static const char *running;

static void print_error(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* What is not between allocations is an ordinary crash: it happens again with the old handler. */
static void on_access(int signal, siginfo_t *info, void *machine_state)
{
    (void)signal;
    (void)machine_state;
    const uint64_t address = (uintptr_t)info->si_addr;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned i = guarded_is_gap(address) ? atomic_fetch_add(&n_pages, 1) : MAX_PAGES;
    if (i < MAX_PAGES) {
        pages[i] = address;
        if (mprotect((void *)(uintptr_t)(address / page * page), page, PROT_READ | PROT_WRITE) == 0)
            return;
    }
    if (guarded_is_own_range(address)) {
        print_error("emulated Level Zero: while kernel ");
        print_error(running);
        print_error(" runs, something accesses memory of devices that it was not given\n");
    }
    sigaction(SIGSEGV, &before, NULL);
}

void guard_begin(const char *kernel)
{
    struct sigaction action = {.sa_sigaction = on_access, .sa_flags = SA_SIGINFO | SA_NODEFER};
    running = kernel;
    atomic_store(&n_pages, 0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
}

unsigned guard_end(uint64_t *first)
{
    sigaction(SIGSEGV, &before, NULL);
    const unsigned all = atomic_load(&n_pages);
    const unsigned n = all < MAX_PAGES ? all : MAX_PAGES;
    *first = n ? pages[0] : 0;
    for (unsigned i = 0; i < n; i++)
        guarded_close_gap(pages[i]);
    return n;
}
