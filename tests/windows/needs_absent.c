/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A module, and the library that it needs and does not find. */

int absent_function(void);

#ifdef ABSENT
int absent_function(void)
{
    return 1;
}
#else
int needs_absent(void);
int needs_absent(void)
{
    return absent_function();
}
#endif
