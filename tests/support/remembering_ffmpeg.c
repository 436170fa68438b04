/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ffmpeg and ffprobe for tests that start them many times: what the real ones have made of the same
 * arguments and the same files, during one run of tests, is given again. What depends on more, they
 * do themselves. REAL_FFMPEG: the program; FFMPEG_ANSWERS: an existing folder for its answers */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static char real[PATH_BYTES], answer[PATH_BYTES];
static uint64_t sums[2] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f};

static void add(const void *data, size_t size)
{
    const char *at = data;
    sums[1] += size;
    for (size_t n; size > 0; at += n, size -= n) {
        uint64_t word = 0;
        n = size < sizeof(word) ? size : sizeof(word);
        memcpy(&word, at, n);
        sums[0] = (sums[0] ^ word) * 0xff51afd7ed558ccd;
        sums[0] ^= sums[0] >> 32;
        sums[1] = (sums[1] + word) * 0x9fb21c651e98df25;
        sums[1] ^= sums[1] >> 28;
    }
}

static void add_word(const char *word)
{
    add(word, strlen(word) + 1);
}

static bool is_file(const char *path, struct stat *status)
{
    return stat(path, status) == 0 && S_ISREG(status->st_mode);
}

static bool add_file(const char *path)
{
    struct stat status;
    const int file = is_file(path, &status) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    void *data =
        status.st_size ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (data == MAP_FAILED)
        return false;
    add(data, (size_t)status.st_size);
    return true;
}

static bool copy(const char *from, int out)
{
    char data[1 << 16];
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t n = in < 0 ? -1 : 0;
    while (in >= 0 && (n = read(in, data, sizeof(data))) > 0)
        for (ssize_t at = 0, done; at < n; at += done)
            if ((done = write(out, data + at, (size_t)(n - at))) < 0)
                return false;
    close(in);
    return n == 0;
}

static bool copy_to(const char *from, const char *to)
{
    const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool is_done = out >= 0 && copy(from, out);
    return (out < 0 || close(out) == 0) && is_done;
}

static const char *path_of(const char *word)
{
    return strncmp(word, "file:", 5) == 0 ? word + 5 : word;
}

static bool ends(const char *text, const char *end)
{
    const size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

static bool is_any(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

static bool names_others(const char *path)
{
    return ends(path, ".m3u8") || ends(path, ".mpd") || ends(path, ".ffconcat");
}

/* Whether the answer depends on nothing but the arguments and the files that are read, which are
 * summed. `made`: the only output, if that is a file. */
static bool sum_up(const char *called, int argc, char **argv, const char *made)
{
    static const char *const several_files[] = {"hls", "dash", "segment", NULL};
    static const char *const other_files[] = {"-pass", "-attach", "-n", NULL};
    const char *before = "", *format = "";
    struct stat status;
    if (made && (strchr(made, '%') || names_others(made) ||
                 (stat(made, &status) == 0 && !S_ISREG(status.st_mode))))
        return false;
    add_word(called);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const bool is_last = i == argc - 1;
        if (strcmp(before, "-i") == 0 || (is_last && strcmp(called, "ffprobe") == 0)) {
            const char *path = path_of(word);
            if (strcmp(format, "lavfi") == 0)
                add_word(word);
            else if (strcmp(format, "concat") == 0 || names_others(path) || !add_file(path))
                return false;
            format = "";
        } else if (strcmp(before, "-f") == 0) {
            if (is_any(word, several_files))
                return false;
            format = word;
            add_word(word);
        } else if (is_any(word, other_files) || strncmp(word, "-hls", 4) == 0 ||
                   strstr(word, "stats=")) {
            return false;
        } else {
            add_word(made && is_last ? strrchr(made, '.') ? strrchr(made, '.') : "" : word);
        }
        before = word;
    }
    return true;
}

static const char *in(const char *folder, const char *name)
{
    static char paths[4][PATH_BYTES + 16];
    static size_t n;
    char *path = paths[n++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

/* The real one: its answer is left in a folder. */
static int ask(const char *folder, char **argv)
{
    int status = 0;
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        const int out = open(in(folder, "out"), O_WRONLY | O_CREAT, 0666);
        const int err = open(in(folder, "err"), O_WRONLY | O_CREAT, 0666);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
            execv(real, argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void forget(const char *folder)
{
    static const char *const names[] = {"out", "err", "made", "status"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(in(folder, names[i]));
    rmdir(folder);
}

static int tell(const char *folder, int status)
{
    copy(in(folder, "out"), STDOUT_FILENO);
    copy(in(folder, "err"), STDERR_FILENO);
    return status;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *called = slash ? slash + 1 : argv[0], *made = NULL;
    const char *program = getenv("REAL_FFMPEG"), *answers = getenv("FFMPEG_ANSWERS");
    static const char *const inputs[] = {"-i", "-filter_complex", NULL};
    int status = 0;
    if (!program || !answers)
        return 127;
    snprintf(real, sizeof(real), "%.*s/%s", (int)(strrchr(program, '/') - program), program,
             called);
    for (int i = 1; i < argc && strcmp(called, "ffmpeg") == 0; i++)
        if (is_any(argv[i], inputs) && strcmp(argv[argc - 1], "-") != 0)
            made = path_of(argv[argc - 1]);
    if (!sum_up(called, argc, argv, made))
        return execv(real, argv);
    snprintf(answer, sizeof(answer), "%s/%016llx%016llx", answers, (unsigned long long)sums[0],
             (unsigned long long)sums[1]);
    FILE *known = fopen(in(answer, "status"), "r");
    if (known && fscanf(known, "%d", &status) == 1) {
        if (!made || copy_to(in(answer, "made"), made))
            return tell(answer, status);
        unlink(made); /* a disk that is full, perhaps */
        return execv(real, argv);
    }
    char own[PATH_BYTES + 32];
    snprintf(own, sizeof(own), "%s.%d", answer, (int)getpid());
    if (mkdir(own, 0777) < 0)
        return execv(real, argv);
    status = ask(own, argv);
    FILE *file = fopen(in(own, "status"), "w");
    const bool is_kept = status < 128 &&
                         (!made || (status == 0 && copy_to(made, in(own, "made")))) && file &&
                         fprintf(file, "%d\n", status) > 0;
    if (file && fclose(file) == 0 && is_kept && rename(own, answer) == 0)
        return tell(answer, status);
    tell(own, status);
    forget(own);
    return status;
}
