/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_TEST_FOLDER_H
#define TESTS_SUPPORT_TEST_FOLDER_H

/*
 * A fresh empty folder, which is the working directory of a test: setup and teardown of cmocka.
 *
 *     cmocka_unit_test_setup_teardown(test, test_folder_enter, test_folder_remove)
 *
 * One at a time. Both return 0, or -1.
 */
int test_folder_enter(void **state);
/* Removes it with all that the test left there, whatever the modes of the files. */
int test_folder_remove(void **state);
/* Its absolute path. */
const char *test_folder_path(void);

#endif
