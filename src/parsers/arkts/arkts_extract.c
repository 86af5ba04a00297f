/* -s: the recordings as files of their own, byte by byte as they were recorded. */
#include "parsers/arkts/arkts_run.h"

#include "base/utf8.h"

ts_code extract_begin(ts_job *job, extract_file *file, const char *name)
{
    const ts_extract *extract = job->options->extract;
    if (extract == NULL || file->file != NULL) {
        return TS_OK;
    }
    file->held_n = 0;
    return extract->begin(extract->user, &file->file, job->name, name);
}

/* A high surrogate in three bytes (ED A0..AF xx), or the beginning of one. */
static size_t high_at_end(const char *p, size_t n)
{
    for (size_t len = n < 3 ? n : 3; len > 0; len--) {
        const unsigned char *u = (const unsigned char *)p + n - len;
        if (u[0] == 0xed && (len < 2 || (u[1] & 0xf0) == 0xa0)) {
            return len;
        }
    }
    return 0;
}

/* Writes what was held back, together with the low surrogate that follows when there is one. */
static ts_code write_held(ts_job *job, extract_file *file, const char **p, size_t *n)
{
    const ts_extract *extract = job->options->extract;
    while (file->held_n < 3 && *n > 0) { /* the sequence itself may have been cut */
        file->held[file->held_n++] = *(*p)++;
        (*n)--;
    }
    if (file->held_n == 3 && *n >= 3 && (unsigned char)(*p)[0] == 0xed &&
        ((unsigned char)(*p)[1] & 0xf0) == 0xb0 && ((unsigned char)file->held[1] & 0xf0) == 0xa0) {
        uint32_t high = ((uint32_t)(unsigned char)file->held[1] & 0x0f) << 6 |
                        ((uint32_t)(unsigned char)file->held[2] & 0x3f);
        uint32_t low = ((uint32_t)(unsigned char)(*p)[1] & 0x0f) << 6 |
                       ((uint32_t)(unsigned char)(*p)[2] & 0x3f);
        char utf8[4];
        size_t len = ts_utf8_encode(utf8, 0x10000 + (high << 10 | low));
        *p += 3;
        *n -= 3;
        file->held_n = 0;
        return extract->write(file->file, utf8, len);
    }
    size_t held = file->held_n;
    file->held_n = 0;
    return held == 0 ? TS_OK : extract->write(file->file, file->held, held);
}

ts_code extract_write(ts_job *job, extract_file *file, bool joined, const char *p, size_t n)
{
    const ts_extract *extract = job->options->extract;
    size_t keep;
    ts_code code = TS_OK;
    if (extract == NULL || file->file == NULL || n == 0) {
        return TS_OK;
    }
    if (!joined) {
        return extract->write(file->file, p, n);
    }
    if (file->held_n > 0) {
        code = write_held(job, file, &p, &n);
    }
    keep = high_at_end(p, n);
    TS_STEP_IF(code, n > keep, extract->write(file->file, p, n - keep));
    memcpy(file->held, p + n - keep, keep);
    file->held_n = keep;
    return code;
}

ts_code extract_end(ts_job *job, extract_file *file, bool complete)
{
    const ts_extract *extract = job->options->extract;
    void *open = file->file;
    ts_code code = TS_OK;
    ts_code end;
    if (extract == NULL || open == NULL) {
        return TS_OK;
    }
    if (file->held_n > 0) {
        code = extract->write(open, file->held, file->held_n);
    }
    file->file = NULL;
    file->held_n = 0;
    end = extract->end(open, complete);
    return code != TS_OK ? code : end;
}

void extract_drop(ts_job *job, extract_file *file)
{
    if (file->file != NULL) {
        job->options->extract->drop(file->file);
        file->file = NULL;
    }
}
