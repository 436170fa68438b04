/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TUNE_ENCODER_FIXTURE_H
#define TESTS_TUNE_ENCODER_FIXTURE_H

/* The table of encoders that the program has, and what an encode with one of them would run. */
#include "tune/encode/encode_request.h"

/* How command lines begin, and what those of a first video stream alone have. */
#define START "ffmpeg -y -nostdin -hide_banner -loglevel level+info -nostats -progress pipe:1 "
#define ONLY  "-map 0:0 -r 24000/1001 -an -sn -dn "
#define COUNT "settb=1001/24000,setpts=N"

extern EncoderTable encoders;

/* Around a group of tests. */
int open_encoders(void **state);
int close_encoders(void **state);
/* Fails the test if there is none. */
const Encoder *find_encoder(const char *name);

/* Of in.mkv to out.mkv, at the quality that the encoder has by itself. It sets the source. */
extern TuneSource source;
EncodeRequest request_of(const char *encoder);
/* Its command, as a line for a shell. */
void expect_pass(const EncodeRequest *request, EncodePass pass, const char *expected);
void expect_command(const EncodeRequest *request, const char *expected);

#endif
