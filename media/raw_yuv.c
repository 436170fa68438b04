/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/raw_yuv.h"

#include <string.h>

int raw_yuv_begin_frame(Input *input, Message *why)
{
    int at_end = input_at_end(input);
    if (at_end < 0)
        return message_set(why, at_end, "%s", strerror(-at_end));
    return !at_end;
}
