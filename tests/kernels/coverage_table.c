/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The table of docs/backends.md that says what backends compute, made of the metrics:
 *
 *     coverage_table              prints it
 *     coverage_table FILE         0 if the file has it between its two marks, else 1
 *     coverage_table FILE write   puts it there
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "metrics/framework/extractor.h"

enum { AMPLE = 1024, ROOM = 1 << 16 };

static const char begin_mark[] = "<!-- coverage -->\n", end_mark[] = "<!-- end of coverage -->\n";

typedef struct Text {
    size_t length;
    char text[ROOM];
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text->text + text->length, ROOM - text->length, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= ROOM - text->length)
        abort();
    text->length += (size_t)n;
}

/* -- what the library takes -- */

static void *default_options(const FeatureExtractor *extractor)
{
    void *options = calloc(1, extractor->options_size + 1);
    if (!options)
        abort();
    for (const OptionSpec *spec = extractor->options; spec->name; spec++)
        option_set_default(options, spec);
    return options;
}

static bool takes(const FeatureExtractor *extractor, const void *options,
                  enum VmafPixelFormat pixels, unsigned depth, unsigned size)
{
    PictureFormat format;
    return !picture_format_init(&format, pixels, depth, size, size) &&
           !extractor_check_format(extractor, options, &format, NULL);
}

static bool metric_takes(const VmafMetric *metric, enum VmafPixelFormat pixels, unsigned depth,
                         unsigned size)
{
    return (metric->pixel_formats >> pixels & 1) && depth >= metric->depth_min &&
           depth <= metric->depth_max && size >= metric->width_min && size >= metric->height_min;
}

/* What of it the metric does not. */
static void add_gaps(Text *text, const FeatureExtractor *extractor, const VmafMetric *metric)
{
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                   VMAF_PIX_FMT_YUV444P, VMAF_PIX_FMT_YUV400P};
    static const char *const names[] = {"4:2:0", "4:2:2", "4:4:4", "4:0:0"};
    void *options = default_options(extractor);
    const size_t before = text->length;
    for (int f = 0; f < 4; f++) {
        for (unsigned depth = 8; depth <= 16; depth++) {
            if (takes(extractor, options, formats[f], depth, AMPLE) &&
                !metric_takes(metric, formats[f], depth, AMPLE))
                add(text, "%s%s at %u bits", text->length > before ? ", " : "", names[f], depth);
        }
    }
    unsigned smallest = AMPLE;
    for (unsigned size = AMPLE; size > 0; size--) {
        if (takes(extractor, options, VMAF_PIX_FMT_YUV444P, 8, size))
            smallest = size;
    }
    if (metric->width_min > smallest)
        add(text, "%spictures below %u samples", text->length > before ? ", " : "",
            metric->width_min);
    for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
        if ((spec->flags & OPTION_ACCUMULATE) && !vmaf_metric_option(metric, spec->name))
            add(text, "%s`%s`", text->length > before ? ", " : "", spec->name);
    }
    if (metric->declines)
        add(text, "%s%s", text->length > before ? ", " : "", metric->declines);
    free(options);
}

static void add_row(Text *text, const FeatureExtractor *extractor)
{
    const VmafMetric *metric = vmaf_metric_find(extractor->name);
    if (!metric) {
        add(text, "| `%s` | no | | |\n", extractor->name);
        return;
    }
    add(text, "| `%s` | exactly | ", extractor->name);
    if (metric->record_size_of)
        add(text, "bytes");
    else
        add(text, metric->record_size == sizeof(uint64_t) ? "a sum" : "%u sums",
            (unsigned)(metric->record_size / sizeof(uint64_t)));
    add(text, " | ");
    add_gaps(text, extractor, metric);
    add(text, " |\n");
}

static void add_table(Text *text)
{
    add(text, "| feature | computed by backends | record | what they leave to the CPU |\n");
    add(text, "|---|---|---|---|\n");
    for (unsigned i = 0; registry_get(i); i++) {
        if (registry_get(i)->accumulate)
            add_row(text, registry_get(i));
    }
}

/* -- the file -- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, 4 * ROOM) : NULL;
    if (!text || fread(text, 1, 4 * ROOM - 1, file) == 4 * ROOM - 1) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static int write_file(const char *path, const char *head, size_t head_size, const Text *table,
                      const char *tail)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 2;
    fwrite(head, 1, head_size, file);
    fwrite(table->text, 1, table->length, file);
    fputs(tail, file);
    return fclose(file) ? 2 : 0;
}

int main(int argc, char *argv[])
{
    static Text table;
    add_table(&table);
    if (argc < 2)
        return fputs(table.text, stdout) < 0;
    char *file = read_file(argv[1]);
    char *head = strstr(file, begin_mark), *tail = head ? strstr(head, end_mark) : NULL;
    if (!tail) {
        fprintf(stderr, "%s has no marks\n", argv[1]);
        return 2;
    }
    head += strlen(begin_mark);
    int status = 0;
    if (argc > 2)
        status = write_file(argv[1], file, (size_t)(head - file), &table, tail);
    else if ((size_t)(tail - head) != table.length || memcmp(head, table.text, table.length) != 0) {
        fprintf(stderr, "the table of %s is not that of the metrics: coverage_table %s write\n",
                argv[1], argv[1]);
        status = 1;
    }
    free(file);
    return status;
}
