/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_PNG_H
#define HTML_PNG_H

#include "html/page.h"

/* The image as a PNG file (ISO/IEC 15948), to be freed. NULL if memory runs out. */
unsigned char *png_encode(const HtmlImage *image, size_t *size);

/* Prints bytes in Base64 (RFC 4648). */
void base64_print(FILE *out, const unsigned char *bytes, size_t size);

#endif
