/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "encoder_fixture.h"
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>

EncoderTable encoders;
TuneSource source;

int open_encoders(void **state)
{
    Message message = {""};
    const int err = encoder_table_open(&encoders, NULL, &message);
    if (err)
        fprintf(stderr, "%s\n", message.text);
    return err;
}

int close_encoders(void **state)
{
    encoder_table_close(&encoders);
    return 0;
}

const Encoder *find_encoder(const char *name)
{
    Message message;
    const Encoder *encoder = encoder_find(&encoders, name, &message);
    assert_non_null(encoder);
    return encoder;
}

EncodeRequest request_of(const char *encoder)
{
    const Encoder *found = find_encoder(encoder);
    source =
        (TuneSource){.encoded_path = "in.mkv", .rate = {24000, 1001}, .stored_rate = {24000, 1001}};
    return (EncodeRequest){
        .source = &source,
        .settings = {.ffmpeg = "ffmpeg"},
        .spec = {.encoder = found, .q = found->default_q},
        .output = "out.mkv",
    };
}

void expect_pass(const EncodeRequest *request, EncodePass pass, const char *expected)
{
    ArgumentList command;
    Message message = {""};
    assert_int_equal(encode_command(request, &pass, &command, &message), 0);
    char *line = arguments_line(&command, " ", QUOTES_WHERE_NEEDED);
    assert_string_equal(line, expected);
    assert_null(command.items[command.n]);
    free(line);
    arguments_free(&command);
}

void expect_command(const EncodeRequest *request, const char *expected)
{
    expect_pass(request, (EncodePass){.number = 0}, expected);
}
