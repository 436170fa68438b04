/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_ASSETS_H
#define HTML_ASSETS_H

#include <stddef.h>

/* page.css and page.js, which the build makes C of. */
extern const char html_style_sheet[], html_script[];
extern const size_t html_style_sheet_size, html_script_size;

#endif
