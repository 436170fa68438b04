/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "error_document.h"

#include "exit_status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* Writes and closes. */
static int print_document(const ErrorDocument *document, FILE *out)
{
    fputs("{\"error\": ", out);
    print_string(out, document->error);
    fputs(", \"backend_requested\": ", out);
    print_string(out, document->backend);
    /* The name of the decision record is a constant that readers of the document look for. */
    fprintf(out, ", \"errno\": %d, \"adr\": \"ADR-0498\", \"exit_code\": %d",
            document->error_number, STATUS_BACKEND);
    if (document->during_run)
        fprintf(out, ", \"frame\": %u", document->frame);
    if (document->detail) {
        fputs(", \"detail\": ", out);
        print_string(out, document->detail);
    }
    fputs("}\n", out);
    int err = ferror(out) ? -EIO : 0;
    return fclose(out) ? -errno : err;
}

static int write_directly(const ErrorDocument *document, const char *path)
{
    FILE *out = fopen(path, "we");
    return out ? print_document(document, out) : -errno;
}

static int replace_file(const ErrorDocument *document, const char *path, mode_t mode)
{
    char *temporary;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return -ENOMEM;
    int err = 0;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        err = -errno;
        goto free_name;
    }
    FILE *out = fdopen(fd, "w");
    if (!out) {
        err = -errno;
        close(fd);
        goto remove_file;
    }
    fchmod(fd, mode);
    err = print_document(document, out);
    if (!err && rename(temporary, path))
        err = -errno;

remove_file:
    if (err)
        unlink(temporary);
free_name:
    free(temporary);
    return err;
}

int error_document_write(const ErrorDocument *document, const char *path)
{
    struct stat status;
    if (!stat(path, &status)) {
        if (!S_ISREG(status.st_mode))
            return write_directly(document, path);
        /* What a link points to is replaced, not the link. */
        char *target = realpath(path, NULL);
        if (!target)
            return -errno;
        int err = replace_file(document, target, status.st_mode & 0777);
        free(target);
        return err;
    }
    mode_t mask = umask(0);
    umask(mask);
    return replace_file(document, path, 0666 & ~mask);
}
