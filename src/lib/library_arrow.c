/*
 * Rows as a stream of the Arrow C data interface: record batches of at most BATCH_ROWS rows, fewer
 * when their texts are long.
 *
 * SQLite's values have types of their own, Arrow's columns have one. A column's type is the one
 * that it is declared with in its table; what the rows of the first batch hold widens it (integers
 * and reals: float64; any text: utf8; any bytes: binary) and decides it when nothing is declared.
 * Those rows are held until then. A later value that does not fit fails get_next.
 *
 * Schemas and batches have memory of their own contexts: a consumer may keep them and release them
 * in another thread, after the stream and the session.
 */
#include "lib/arrow.h"
#include "lib/library.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>

enum { BATCH_ROWS = 65536, BATCH_BYTES = 64 << 20 };

typedef struct arrow_stream {
    tst_rows *rows;
    tst_type *types; /* of the columns */
    uint64_t row;    /* number of the next one, for messages */
} arrow_stream;

static arrow_stream *stream_of(struct ArrowArrayStream *s)
{
    return s->private_data;
}

/* What Arrow wants of a call that failed. */
static int error_number(ts_code code)
{
    return code == TS_OK                ? 0
           : code == TS_ERR_NOMEM       ? ENOMEM
           : code == TS_ERR_INTERRUPTED ? ECANCELED
           : code == TS_ERR_USAGE       ? EINVAL
                                        : EIO;
}

/* --- memory that outlives the session ------------------------------------------------------ */

/* What a schema or a batch is made of; its blocks are freed with it. Consumers may move columns out
 * of their parent and release them later, in any thread, so that each of them has a share. */
typedef struct owned {
    ts_ctx ctx;
    ts_vec blocks; /* void * */
    atomic_size_t shares;
} owned;

static ts_code owned_new(owned **out, const ts_ctx *session)
{
    ts_ctx ctx;
    ts_ctx_init(&ctx);
    ctx.allocator = session->allocator;
    *out = ts_zalloc(&ctx, 1, sizeof **out);
    if (*out == NULL) {
        return TS_ERR_NOMEM;
    }
    (*out)->ctx = ctx;
    atomic_init(&(*out)->shares, 1);
    return TS_OK;
}

static void owned_free(owned *o)
{
    if (o == NULL) {
        return;
    }
    void **blocks = o->blocks.p;
    for (size_t i = 0; i < o->blocks.n; i++) {
        ts_free(&o->ctx, blocks[i]);
    }
    ts_vec_free(&o->ctx, &o->blocks);
    ts_ctx ctx = o->ctx;
    ts_free(&ctx, o);
}

static owned *owned_share(owned *o)
{
    atomic_fetch_add_explicit(&o->shares, 1, memory_order_relaxed);
    return o;
}

/* Gives a share back. */
static void owned_drop(owned *o)
{
    if (atomic_fetch_sub_explicit(&o->shares, 1, memory_order_acq_rel) == 1) {
        owned_free(o);
    }
}

/* The block is freed with the others; also when this fails. */
static ts_code owned_keep(owned *o, void *block)
{
    ts_code code = block == NULL ? TS_OK : ts_vec_push(&o->ctx, &o->blocks, &block, sizeof block);
    if (code != TS_OK) {
        ts_free(&o->ctx, block);
    }
    return code;
}

/* Zeroed; NULL without memory. */
static void *owned_alloc(owned *o, size_t n, size_t size)
{
    void *block = ts_zalloc(&o->ctx, n == 0 ? 1 : n, size);
    return block == NULL || owned_keep(o, block) != TS_OK ? NULL : block;
}

/* --- the schema ---------------------------------------------------------------------------- */

static const char *format_of(tst_type type)
{
    return type == TST_INT64 ? "l" : type == TST_DOUBLE ? "g" : type == TST_BLOB ? "z" : "u";
}

static void release_child_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
    owned_drop(schema->private_data);
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL) {
            schema->children[i]->release(schema->children[i]);
        }
    }
    schema->release = NULL;
    owned_drop(schema->private_data);
}

static ts_code make_schema(struct ArrowSchema *out, owned *o, const arrow_stream *s)
{
    const size_t n = (size_t)s->rows->columns;
    struct ArrowSchema *columns;
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = s->rows->columns,
                                .release = release_schema,
                                .private_data = o};
    TS_NEED(&o->ctx, out->children = owned_alloc(o, n, sizeof *out->children));
    TS_NEED(&o->ctx, columns = owned_alloc(o, n, sizeof *columns));
    for (size_t i = 0; i < n; i++) {
        const char *name = tst_rows_name(s->rows, (int)i);
        char *copy = ts_strndup(&o->ctx, name == NULL ? "" : name, name == NULL ? 0 : strlen(name));
        TS_NEED(&o->ctx, copy);
        TS_TRY(owned_keep(o, copy));
        columns[i] = (struct ArrowSchema){.format = format_of(s->types[i]),
                                          .name = copy,
                                          .flags = ARROW_FLAG_NULLABLE,
                                          .release = release_child_schema,
                                          .private_data = owned_share(o)};
        out->children[i] = &columns[i];
    }
    return TS_OK;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const arrow_stream *s = stream_of(stream);
    tst_session *session = s->rows->session;
    owned *o;
    library_begin(session);
    ts_code code = owned_new(&o, &session->ctx);
    TS_STEP(code, make_schema(out, o, s));
    if (code != TS_OK) {
        out->release = NULL;
        owned_free(o);
        ts_fail(&session->ctx, TS_ERR_NOMEM, "out of memory: the schema of %d columns",
                s->rows->columns);
    }
    (void)library_end(session, code);
    return error_number(code);
}

/* --- batches ------------------------------------------------------------------------------- */

/* A column of the batch that is being filled. */
typedef struct arrow_column {
    tst_type type;
    ts_buf bits;    /* validity, least significant bit first; empty while nothing is NULL */
    ts_buf values;  /* of 8 bytes; or bytes of texts */
    ts_buf offsets; /* int32_t: where each text begins, and the end of the last */
    int64_t nulls;
} arrow_column;

typedef struct filling {
    owned *o;
    arrow_column *columns;
    size_t count;
    size_t rows;
    size_t bytes; /* of texts */
} filling;

static ts_code put_valid(ts_ctx *ctx, arrow_column *c, size_t row, bool valid)
{
    if (valid && c->nulls == 0) {
        return TS_OK;
    }
    while (c->bits.n <= row / 8) {
        TS_TRY(ts_buf_putc(ctx, &c->bits, (char)0));
    }
    if (!valid && c->nulls == 0) { /* all before it are there */
        for (size_t i = 0; i < row; i++) {
            c->bits.p[i / 8] = (char)((uint8_t)c->bits.p[i / 8] | 1U << i % 8);
        }
    }
    if (valid) {
        c->bits.p[row / 8] = (char)((uint8_t)c->bits.p[row / 8] | 1U << row % 8);
    }
    c->nulls += valid ? 0 : 1;
    return TS_OK;
}

static ts_code put_offset(ts_ctx *ctx, arrow_column *c)
{
    const int32_t at = (int32_t)c->values.n;
    return ts_buf_put(ctx, &c->offsets, &at, sizeof at);
}

static ts_code does_not_fit(const arrow_stream *s, int column, const char *has, tst_type type)
{
    return ts_fail(&s->rows->session->ctx, TS_ERR_USAGE,
                   "row %" PRIu64 " of the column \"%s\" has %s, and the column is %s: use CAST",
                   s->row + 1, tst_rows_name(s->rows, column), has,
                   type == TST_INT64    ? "of integers"
                   : type == TST_DOUBLE ? "of reals"
                                        : "of texts");
}

static const char *name_of(tst_type type)
{
    return type == TST_INT64    ? "an integer"
           : type == TST_DOUBLE ? "a real"
           : type == TST_TEXT   ? "a text"
                                : "bytes";
}

static ts_code put_number(filling *f, arrow_stream *s, int i, const library_cell *cell)
{
    arrow_column *c = &f->columns[i];
    const double real = cell->type == TST_INT64 ? (double)cell->i : cell->r;
    const bool fits = cell->type == TST_NULL || cell->type == TST_INT64 ||
                      (c->type == TST_DOUBLE && cell->type == TST_DOUBLE);
    if (!fits) {
        return does_not_fit(s, i, name_of(cell->type), c->type);
    }
    return c->type == TST_DOUBLE ? ts_buf_put(&f->o->ctx, &c->values, &real, sizeof real)
                                 : ts_buf_put(&f->o->ctx, &c->values, &cell->i, sizeof cell->i);
}

static ts_code put_text(filling *f, arrow_stream *s, int i, const library_cell *cell)
{
    arrow_column *c = &f->columns[i];
    size_t n = 0;
    const char *p = cell->type == TST_NULL ? NULL : tst_rows_text(s->rows, i, &n);
    if (c->type == TST_TEXT && n > 0 && !ts_utf8_valid(p, n)) {
        return does_not_fit(s, i, "bytes that are not UTF-8", c->type);
    }
    if (n > INT32_MAX - c->values.n) {
        return ts_fail(&s->rows->session->ctx, TS_ERR_LIMIT,
                       "texts of one batch have more than 2 GiB");
    }
    TS_TRY(n == 0 ? TS_OK : ts_buf_put(&f->o->ctx, &c->values, p, n));
    f->bytes += n;
    return put_offset(&f->o->ctx, c);
}

static ts_code put_row(filling *f, arrow_stream *s)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < f->count && code == TS_OK; i++) {
        const library_cell cell = library_cell_of(s->rows, (int)i);
        arrow_column *c = &f->columns[i];
        const bool text = c->type == TST_TEXT || c->type == TST_BLOB;
        code = put_valid(&f->o->ctx, c, f->rows, cell.type != TST_NULL);
        TS_STEP(code, text ? put_text(f, s, (int)i, &cell) : put_number(f, s, (int)i, &cell));
    }
    f->rows++;
    s->row++;
    return code;
}

static ts_code begin_filling(filling *f, owned *o, const arrow_stream *s)
{
    *f = (filling){.o = o, .count = (size_t)s->rows->columns};
    TS_NEED(&o->ctx, f->columns = owned_alloc(o, f->count, sizeof *f->columns));
    for (size_t i = 0; i < f->count; i++) {
        f->columns[i].type = s->types[i];
        TS_TRY(s->types[i] == TST_TEXT || s->types[i] == TST_BLOB
                   ? put_offset(&o->ctx, &f->columns[i])
                   : TS_OK);
    }
    return TS_OK;
}

static void release_child_array(struct ArrowArray *array)
{
    array->release = NULL;
    owned_drop(array->private_data);
}

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) {
            array->children[i]->release(array->children[i]);
        }
    }
    array->release = NULL;
    owned_drop(array->private_data);
}

/* The buffer's memory becomes the batch's. */
static ts_code give_buffer(const void **out, owned *o, ts_buf *buf)
{
    static const uint8_t nothing[8];
    void *p = buf->p;
    *buf = (ts_buf){0};
    *out = p != NULL ? p : nothing;
    return owned_keep(o, p);
}

static ts_code make_column(struct ArrowArray *out, filling *f, arrow_column *c)
{
    const bool text = c->type == TST_TEXT || c->type == TST_BLOB;
    *out = (struct ArrowArray){.length = (int64_t)f->rows,
                               .null_count = c->nulls,
                               .n_buffers = text ? 3 : 2,
                               .release = release_child_array,
                               .private_data = owned_share(f->o)};
    TS_NEED(&f->o->ctx, out->buffers = owned_alloc(f->o, 3, sizeof *out->buffers));
    TS_TRY(c->nulls == 0 ? TS_OK : give_buffer(&out->buffers[0], f->o, &c->bits));
    TS_TRY(text ? give_buffer(&out->buffers[1], f->o, &c->offsets) : TS_OK);
    return give_buffer(&out->buffers[text ? 2 : 1], f->o, &c->values);
}

static ts_code make_array(struct ArrowArray *out, filling *f)
{
    struct ArrowArray *columns;
    *out = (struct ArrowArray){.length = (int64_t)f->rows,
                               .n_buffers = 1,
                               .n_children = (int64_t)f->count,
                               .release = release_array,
                               .private_data = f->o};
    TS_NEED(&f->o->ctx, out->buffers = owned_alloc(f->o, 1, sizeof *out->buffers));
    TS_NEED(&f->o->ctx, out->children = owned_alloc(f->o, f->count, sizeof *out->children));
    TS_NEED(&f->o->ctx, columns = owned_alloc(f->o, f->count, sizeof *columns));
    for (size_t i = 0; i < f->count; i++) {
        TS_TRY(make_column(&columns[i], f, &f->columns[i]));
        out->children[i] = &columns[i];
    }
    return TS_OK;
}

static void free_filling(filling *f)
{
    for (size_t i = 0; f->columns != NULL && i < f->count; i++) {
        ts_buf_free(&f->o->ctx, &f->columns[i].bits);
        ts_buf_free(&f->o->ctx, &f->columns[i].values);
        ts_buf_free(&f->o->ctx, &f->columns[i].offsets);
    }
}

/* An error of the batch's own memory becomes one of the session's. */
static ts_code own_error(const arrow_stream *s, const owned *o, ts_code code)
{
    if (code != TS_OK && o != NULL && o->ctx.error.code == code) {
        s->rows->session->ctx.error = o->ctx.error;
    }
    return code;
}

static ts_code fill(filling *f, arrow_stream *s)
{
    ts_code code = TS_OK;
    bool row = true;
    while (code == TS_OK && f->rows < BATCH_ROWS && f->bytes < BATCH_BYTES) {
        code = library_step(&row, s->rows);
        if (code != TS_OK || !row) {
            break;
        }
        code = put_row(f, s);
    }
    return code;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    arrow_stream *s = stream_of(stream);
    tst_session *session = s->rows->session;
    filling f = {0};
    owned *o;
    *out = (struct ArrowArray){.release = NULL};
    library_begin(session);
    ts_code code = owned_new(&o, &session->ctx);
    TS_STEP_IF(code, o == NULL, TS_ERR_NOMEM);
    TS_STEP(code, begin_filling(&f, o, s));
    TS_STEP(code, fill(&f, s));
    TS_STEP_IF(code, f.rows > 0, make_array(out, &f));
    code = own_error(s, o, code);
    free_filling(&f);
    if (code != TS_OK || f.rows == 0) {
        out->release = NULL;
        owned_free(o);
    }
    (void)library_end(session, code);
    return error_number(code);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return tst_message(stream_of(stream)->rows->session);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    arrow_stream *s = stream_of(stream);
    ts_ctx *ctx = &s->rows->session->ctx;
    tst_rows_free(s->rows);
    ts_free(ctx, s->types);
    ts_free(ctx, s);
    stream->release = NULL;
}

/* --- types --------------------------------------------------------------------------------- */

/* The type that takes values of both. */
static tst_type widen(tst_type a, tst_type b)
{
    if (a == TST_NULL || a == b) {
        return b;
    }
    if (b == TST_NULL) {
        return a;
    }
    return a == TST_BLOB || b == TST_BLOB   ? TST_BLOB
           : a == TST_TEXT || b == TST_TEXT ? TST_TEXT
                                            : TST_DOUBLE;
}

static ts_code look_at_rows(arrow_stream *s)
{
    tst_rows *rows = s->rows;
    ts_code code = TS_OK;
    bool row = true;
    for (int i = 0; i < rows->columns; i++) {
        s->types[i] = library_declared(rows, i);
    }
    if (rows->steps == NULL) { /* all are held: those of the first batch are looked at */
        for (size_t n = 0; n < BATCH_ROWS && code == TS_OK && row; n++) {
            code = library_step(&row, rows);
            for (int i = 0; i < rows->columns && row; i++) {
                s->types[i] = widen(s->types[i], library_cell_of(rows, i).type);
            }
        }
        rows->held_at = 0;
        return code;
    }
    for (size_t n = 0; n < BATCH_ROWS && rows->held.n < BATCH_BYTES && code == TS_OK; n++) {
        code = ts_steps_next(&row, rows->steps);
        if (code != TS_OK || !row) {
            break;
        }
        rows->row = true;
        rows->is_held = false;
        for (int i = 0; i < rows->columns; i++) {
            s->types[i] = widen(s->types[i], library_cell_of(rows, i).type);
        }
        code = library_hold(rows);
    }
    return code;
}

/* A column that has nothing but NULL, and no type in a table, is one of texts. */
static ts_code find_types(arrow_stream *s)
{
    TS_TRY(look_at_rows(s));
    for (int i = 0; i < s->rows->columns; i++) {
        s->types[i] = s->types[i] == TST_NULL ? TST_TEXT : s->types[i];
    }
    return TS_OK;
}

int tst_rows_arrow(struct ArrowArrayStream *out, tst_rows *rows)
{
    tst_session *session = rows->session;
    ts_ctx *ctx = &session->ctx;
    *out = (struct ArrowArrayStream){.release = NULL};
    library_begin(session);
    arrow_stream *s = ts_zalloc(ctx, 1, sizeof *s);
    tst_type *types = ts_zalloc(ctx, (size_t)rows->columns + 1, sizeof *types);
    if (s == NULL || types == NULL) {
        ts_free(ctx, s);
        ts_free(ctx, types);
        tst_rows_free(rows);
        return library_end(session, ctx->error.code);
    }
    *s = (arrow_stream){.rows = rows, .types = types};
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, s};
    ts_code code = find_types(s);
    if (code != TS_OK) {
        out->release(out);
    }
    return library_end(session, code);
}
