/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: the text of a support-vector machine, up to its first zero byte. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/svr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double features[MODEL_MAX_FEATURES] = {0.5, -1, 1e300, 0, 2};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';

    SvrTable *svr;
    Reason why = {""};
    int err = libsvm_parse(&svr, text, &why);
    if (err ? svr || !*why.text : !svr)
        abort();
    if (svr) {
        if (svr->dimensions > MODEL_MAX_FEATURES || svr->n_vectors > size)
            abort();
        for (unsigned n = 0; n <= MODEL_MAX_FEATURES; n += 16)
            (void)svr_predict(svr, features, n);
        svr_destroy(svr);
    }
    free(text);
    return 0;
}
