/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_CONDITION_FEATURES_H
#define TUNE_COMMANDS_CONDITION_FEATURES_H

/* Conditions are about scores, and scores are of features: those that nobody named are added. */

#include "tune/commands/session/session.h"

/* Sets session->features. 0; -EINVAL: no feature has such a score; -ENOMEM; and why. */
int session_find_features(Session *session, Message *why);

#endif
