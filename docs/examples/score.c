/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Scores a distorted video against its reference with the default VMAF model.
 *
 *   score reference.yuv distorted.yuv 1920 1080     raw 4:2:0 video with 8 bits per sample
 *   score                                           a clip that the program makes up
 *
 *   cc score.c -o score $(pkg-config --cflags --libs libvmaf)
 */
#include <libvmaf/libvmaf.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the frames come from. */
typedef struct Source {
    FILE *file[2]; /* reference, distorted; NULL: made up */
    unsigned width, height;
    unsigned n_frames; /* of a clip that is made up */
} Source;

/*
 * Fills a picture with the next frame of a file. Rows of a picture are `stride` bytes apart, rows
 * of the file follow each other. Returns 1, or 0 at the end of the file.
 */
static int read_picture(FILE *file, VmafPicture *pic)
{
    for (int p = 0; p < 3; p++) {
        uint8_t *row = pic->data[p];
        for (unsigned y = 0; y < pic->h[p]; y++) {
            if (fread(row, 1, pic->w[p], file) != pic->w[p])
                return 0;
            row += pic->stride[p];
        }
    }
    return 1;
}

/* A moving slope; the distorted one loses its two lowest bits. */
static void make_picture(VmafPicture *pic, int distorted, unsigned frame)
{
    for (int p = 0; p < 3; p++) {
        uint8_t *row = pic->data[p];
        for (unsigned y = 0; y < pic->h[p]; y++) {
            for (unsigned x = 0; x < pic->w[p]; x++) {
                unsigned sample = (3 * x + 2 * y + 5 * frame + x * y / 16) & 255;
                row[x] = (uint8_t)(distorted ? sample & ~3u : sample);
            }
            row += pic->stride[p];
        }
    }
}

/* Returns 1; 0 at the end; negative if there is no memory. */
static int next_picture(const Source *source, int distorted, unsigned frame, VmafPicture *pic)
{
    /* A picture starts with one reference, which belongs to us until it is handed over. */
    int err = vmaf_picture_alloc(pic, VMAF_PIX_FMT_YUV420P, 8, source->width, source->height);
    if (err)
        return err;
    int more = 1;
    if (source->file[distorted])
        more = read_picture(source->file[distorted], pic);
    else if (frame < source->n_frames)
        make_picture(pic, distorted, frame);
    else
        more = 0;
    if (!more)
        vmaf_picture_unref(pic);
    return more;
}

/* Hands over all frames. Returns their number, or a negative error. */
static int read_frames(VmafContext *vmaf, const Source *source)
{
    for (unsigned frame = 0;; frame++) {
        VmafPicture ref, dist;
        int more = next_picture(source, 0, frame, &ref);
        if (more <= 0)
            return more < 0 ? more : (int)frame;
        more = next_picture(source, 1, frame, &dist);
        if (more <= 0) {
            vmaf_picture_unref(&ref);
            return more < 0 ? more : (int)frame;
        }
        int err = vmaf_read_pictures(vmaf, &ref, &dist, frame);
        if (err) {
            /* On failure the pictures are still ours; on success they are not, and are zeroed. */
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dist);
            return err;
        }
    }
}

static int print_scores(VmafContext *vmaf, VmafModel *model, unsigned n_frames)
{
    for (unsigned i = 0; i < n_frames; i++) {
        double score, psnr;
        int err = vmaf_score_at_index(vmaf, model, &score, i);
        if (!err)
            err = vmaf_feature_score_at_index(vmaf, "psnr_y", &psnr, i);
        if (err)
            return err;
        printf("frame %u: VMAF %.6f, luma PSNR %.6f dB\n", i, score, psnr);
    }
    double mean;
    int err = vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &mean, 0, n_frames - 1);
    if (!err)
        printf("mean of %u frames: VMAF %.6f\n", n_frames, mean);
    return err;
}

static int score(const Source *source)
{
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_WARNING, .n_threads = 4};
    VmafModelConfig model_cfg = {.name = "vmaf"};

    int err = vmaf_init(&vmaf, cfg);
    if (!err)
        err = vmaf_model_load(&model, &model_cfg, "vmaf_v0.6.1");

    /* What is to be computed must be known before the first frame. */
    if (!err)
        err = vmaf_use_features_from_model(vmaf, model);
    if (!err)
        err = vmaf_use_feature(vmaf, "psnr", NULL);

    int n_frames = err ? err : read_frames(vmaf, source);
    if (n_frames < 0)
        err = n_frames;
    if (!err && n_frames == 0)
        fputs("there are no frames\n", stderr);

    /* A pair of NULL ends the stream: scores of the last frame are complete after it. */
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (!err)
        err = print_scores(vmaf, model, (unsigned)n_frames);
    if (err)
        fprintf(stderr, "error: %s\n", strerror(-err));

    vmaf_model_destroy(model);
    if (vmaf)
        vmaf_close(vmaf);
    return err;
}

int main(int argc, char **argv)
{
    Source source = {.width = 320, .height = 180, .n_frames = 5};
    if (argc == 5) {
        for (int i = 0; i < 2; i++) {
            source.file[i] = fopen(argv[1 + i], "rb");
            if (!source.file[i]) {
                perror(argv[1 + i]);
                return EXIT_FAILURE;
            }
        }
        source.width = (unsigned)strtoul(argv[3], NULL, 10);
        source.height = (unsigned)strtoul(argv[4], NULL, 10);
    } else if (argc != 1) {
        fprintf(stderr, "usage: %s [reference.yuv distorted.yuv width height]\n", argv[0]);
        return EXIT_FAILURE;
    }

    int err = score(&source);
    for (int i = 0; i < 2; i++) {
        if (source.file[i])
            fclose(source.file[i]);
    }
    return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
