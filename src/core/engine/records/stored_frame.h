/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_RECORDS_STORED_FRAME_H
#define CORE_ENGINE_RECORDS_STORED_FRAME_H

/* The records of a frame in the queue as data that is kept elsewhere, and back: the same bytes on
 * every machine. */

#include "engine/queue/frame.h"
#include "engine/records/stored_layout.h"

/* Packs a retired frame; `data` has room for layout->n_bytes, and is filled in completely. */
void stored_frame_pack(const RecordLayout *layout, const WorkList *work, const FrameQueue *queue,
                       const Frame *frame, unsigned char *data);

/*
 * Takes the wanted records out of the data of a frame, which has stored->n_bytes and may be
 * anything, into a block of records as the work list has it. 0; with a reason -EBADMSG for a record
 * that no frame pair can have, -ENODATA if there is none.
 */
int stored_frame_unpack(const StoredLayout *stored, const WorkList *work, const RequestMask *wanted,
                        const unsigned char *data, unsigned char *records, Reason *why);

#endif
