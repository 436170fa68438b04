/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/messages.h"
#include "tune/encoders/encoder.h"

#include <errno.h>
#include <string.h>

const Encoder *encoder_find(const EncoderTable *table, const char *name, Message *message)
{
    Suggestion suggestion = {.wanted = name};
    for (size_t i = 0; i < table->n; i++) {
        if (!strcmp(table->encoders[i].name, name))
            return &table->encoders[i];
        suggestion_offer(&suggestion, table->encoders[i].name);
    }
    const char *meant = suggestion_result(&suggestion);
    message_set(message, -EINVAL, "unknown encoder '%s'%s%s%s", name,
                meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return NULL;
}

const EncoderPreset *encoder_find_preset(const Encoder *encoder, const char *name, Message *message)
{
    if (!name)
        name = encoder->default_preset;
    for (size_t i = 0; i < encoder->n_presets; i++)
        if (!strcmp(encoder->presets[i].name, name))
            return &encoder->presets[i];
    char known[256] = "";
    for (size_t i = 0; i < encoder->n_presets; i++) {
        if (strlen(known) + strlen(encoder->presets[i].name) + 3 > sizeof(known))
            break;
        strcat(known, i > 0 ? ", " : "");
        strcat(known, encoder->presets[i].name);
    }
    message_set(message, -EINVAL, "%s has no preset '%s'; it has %s", encoder->name, name, known);
    return NULL;
}
