/*
 * mkviews OUT FILE...: writes OUT, the C source of ts_views (tables/schema.h), from the views of
 * all formats. It is built and run before the library that its output is part of.
 *
 * FILE is one of:
 *
 *   <name>_constants.h   "#define TS_NAME 64" or "#define TS_NAME "text"": constants that code and
 *                        views share. ${TS_NAME} in a view stands for the value.
 *   pieces.sql           parts that several views share: "-- piece: NAME parameter...", comments,
 *                        then the text. ${NAME|argument|...} in a view stands for the text, with
 *                        ${parameter} in it replaced. Arguments may hold such names themselves.
 *   <view>.sql           one view:
 *
 *       -- topic: NAME of a TS_TOPIC of a format
 *       -- order: N      its place among all views; no two have the same
 *       -- What the view answers, in one or more lines.
 *       -- column: name | type | unit | what NULL means | what it means
 *       -- column: name = table.column        (means the same as that column of a table)
 *       CREATE VIEW name AS ...
 *
 *     "-- replaces: table" instead of all this: a view with the name and columns of that table,
 * which may take its place. It becomes ts_view_<name> and is not in the list. Comments of the form
 * that begins with a slash and an asterisk are for readers of the file.
 */
#include "tables/schema.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_VIEWS = 256,
    MAX_COLUMNS = 64,
    MAX_NAMES = 512, /* pieces and constants */
    MAX_PARAMETERS = 4,
    MAX_DEPTH = 16
};

typedef struct piece {
    char *name;
    char *text;
    unsigned parameter_count;
    char *parameters[MAX_PARAMETERS];
} piece;

typedef struct column {
    char *name;
    const char *type; /* of enum ts_column_type */
    const char *unit;
    const char *null_meaning;
    const char *doc;
} column;

typedef struct view {
    const char *file;
    char *name;
    char *topic;
    char *doc;
    char *sql;            /* expanded */
    const char *replaces; /* name of the table */
    long order;
    unsigned column_count;
    column columns[MAX_COLUMNS];
} view;

static piece pieces[MAX_NAMES];
static unsigned piece_count;
static view views[MAX_VIEWS];
static unsigned view_count;

/* The columns of all tables, for "column: name = table.column". */
static const struct {
    const char *table;
    const char *name;
    const char *type;
    const char *unit;
    const char *null_meaning;
    const char *doc;
} table_columns[] = {
#define TS_INT(t, c, u, n, d) {#t, #c, "TS_COL_INT", u, n, d},
#define TS_REAL(t, c, u, n, d) {#t, #c, "TS_COL_REAL", u, n, d},
#define TS_STR(t, c, u, n, d) {#t, #c, "TS_COL_TEXT", u, n, d},
#define TS_KEY(t, c, d) {#t, #c, "TS_COL_INT", "", "", d},
#include "tables/formats/each.h"
};

static const char *const topics[] = {
#define TS_TOPIC(name, title, doc) #name,
#include "tables/formats/each.h"
};

static void fail(const char *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

static void fail(const char *file, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "mkviews: %s: ", file);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

/* --- texts --------------------------------------------------------------------------------- */

static char *copy(const char *p, size_t n)
{
    char *text = strndup(p, n);
    if (text == NULL) {
        fail("mkviews", "cannot allocate %zu bytes", n);
    }
    return text;
}

/* Without blanks at both ends. */
static char *trimmed(const char *p, size_t n)
{
    while (n > 0 && isspace((unsigned char)*p)) {
        p++;
        n--;
    }
    while (n > 0 && isspace((unsigned char)p[n - 1])) {
        n--;
    }
    return copy(p, n);
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    FILE *f = fopen(path, "rb");
    int c;
    if (f == NULL || out == NULL) {
        fail(path, "cannot be read");
    }
    while ((c = getc(f)) != EOF) {
        fputc(c, out);
    }
    fclose(f);
    if (fclose(out) != 0) {
        fail(path, "cannot be held");
    }
    return text;
}

/* The line at *at, without its end; moves *at after it. False at the end of the text. */
static bool next_line(const char **line, size_t *n, const char **at)
{
    if (**at == '\0') {
        return false;
    }
    *line = *at;
    *n = strcspn(*at, "\n");
    *at += *n + ((*at)[*n] == '\n' ? 1 : 0);
    return true;
}

/* What follows "-- key: " in the line, or NULL. */
static const char *value_of(size_t *left, const char *line, size_t n, const char *key)
{
    size_t length = strlen(key);
    if (n < length + 4 || memcmp(line, "-- ", 3) != 0 || memcmp(line + 3, key, length) != 0 ||
        line[3 + length] != ':') {
        return NULL;
    }
    *left = n - length - 4;
    return line + length + 4;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* --- constants and pieces ------------------------------------------------------------------ */

static piece *find_piece(const char *name, size_t n)
{
    for (unsigned i = 0; i < piece_count; i++) {
        if (strlen(pieces[i].name) == n && memcmp(pieces[i].name, name, n) == 0) {
            return &pieces[i];
        }
    }
    return NULL;
}

static piece *add_piece(const char *file, const char *name, size_t n)
{
    if (piece_count == MAX_NAMES) {
        fail(file, "more than %d names", MAX_NAMES);
    }
    if (find_piece(name, n) != NULL) {
        fail(file, "%.*s is defined twice", (int)n, name);
    }
    pieces[piece_count].name = copy(name, n);
    return &pieces[piece_count++];
}

/* "text" becomes 'text'; a number stays. */
static char *constant_value(const char *file, const char *p, size_t n)
{
    char *value = trimmed(p, n);
    size_t length = strlen(value);
    if (length >= 2 && value[0] == '"' && value[length - 1] == '"' &&
        strcspn(value + 1, "'\\\"") == length - 2) {
        value[0] = '\'';
        value[length - 1] = '\'';
    } else if (length == 0 || strspn(value, "0123456789") != length) {
        fail(file, "%s is neither a decimal number nor a simple text", value);
    }
    return value;
}

static void read_constants(const char *file, const char *text)
{
    static const char define[] = "#define TS_";
    const char *line;
    size_t n;
    while (next_line(&line, &n, &text)) {
        if (n < sizeof define - 1 || memcmp(line, define, sizeof define - 1) != 0) {
            continue;
        }
        const char *name = line + 8;
        size_t length = strcspn(name, " \n");
        if (name + length < line + n) { /* else the guard of the file */
            const char *value = name + length;
            add_piece(file, name, length)->text =
                constant_value(file, value, n - (size_t)(value - line));
        }
    }
}

static piece *begin_piece(const char *file, const char *p, size_t n)
{
    char *words = trimmed(p, n);
    char *rest = NULL;
    char *word = strtok_r(words, " ", &rest);
    if (word == NULL) {
        fail(file, "a piece has no name");
    }
    piece *made = add_piece(file, word, strlen(word));
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        if (made->parameter_count == MAX_PARAMETERS) {
            fail(file, "%s has more than %d parameters", made->name, MAX_PARAMETERS);
        }
        made->parameters[made->parameter_count++] = copy(word, strlen(word));
    }
    free(words);
    return made;
}

static void end_piece(const char *file, piece *made, const char *from, const char *to)
{
    while (to > from && to[-1] == '\n') {
        to--;
    }
    if (made != NULL && to == from) {
        fail(file, "%s is empty", made->name);
    }
    if (made != NULL) {
        made->text = copy(from, (size_t)(to - from));
    }
}

static void read_pieces(const char *file, const char *text)
{
    piece *made = NULL;
    const char *body = text;
    const char *line;
    size_t n;
    size_t left;
    while (next_line(&line, &n, &text)) {
        const char *value = value_of(&left, line, n, "piece");
        if (value != NULL) {
            end_piece(file, made, body, line);
            made = begin_piece(file, value, left);
            body = text;
        } else if (body == line && n >= 2 && memcmp(line, "--", 2) == 0) {
            body = text; /* a comment before the text of the piece */
        }
    }
    end_piece(file, made, body, text);
}

/* --- expansion ----------------------------------------------------------------------------- */

typedef struct scope {
    const char *file;
    const piece *piece; /* whose parameters have the arguments; NULL in a view */
    char *arguments[MAX_PARAMETERS];
    unsigned depth;
} scope;

static char *expand(const scope *in, const char *p, size_t n);

/* The end of the argument or name at p: the bar or brace that belongs to it. */
static const char *part_end(const scope *in, const char *p, const char *end)
{
    unsigned open = 0;
    for (; p < end; p++) {
        if (p + 1 < end && p[0] == '$' && p[1] == '{') {
            open++;
        } else if (*p == '}' && open > 0) {
            open--;
        } else if (open == 0 && (*p == '}' || *p == '|')) {
            return p;
        }
    }
    fail(in->file, "a brace is not closed");
}

/* The text that "${" before p begins; *at = after its "}". */
static char *expand_name(const char **at, const scope *in, const char *p, const char *end)
{
    const char *stop = part_end(in, p, end);
    size_t n = (size_t)(stop - p);
    scope inner = {.file = in->file, .depth = in->depth + 1};
    unsigned count = 0;
    for (unsigned i = 0; in->piece != NULL && i < in->piece->parameter_count; i++) {
        if (strlen(in->piece->parameters[i]) == n && memcmp(in->piece->parameters[i], p, n) == 0) {
            *at = stop + 1;
            return copy(in->arguments[i], strlen(in->arguments[i]));
        }
    }
    inner.piece = find_piece(p, n);
    if (inner.piece == NULL) {
        fail(in->file, "${%.*s} is not defined", (int)n, p);
    }
    while (*stop == '|') {
        const char *argument = stop + 1;
        stop = part_end(in, argument, end);
        if (count == inner.piece->parameter_count) {
            fail(in->file, "${%s} has too many arguments", inner.piece->name);
        }
        inner.arguments[count++] = expand(in, argument, (size_t)(stop - argument));
    }
    if (count != inner.piece->parameter_count) {
        fail(in->file, "${%s} has too few arguments", inner.piece->name);
    }
    if (inner.depth > MAX_DEPTH) {
        fail(in->file, "${%s} stands in itself", inner.piece->name);
    }
    char *text = expand(&inner, inner.piece->text, strlen(inner.piece->text));
    while (count > 0) {
        free(inner.arguments[--count]);
    }
    *at = stop + 1;
    return text;
}

static char *expand(const scope *in, const char *p, size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *end = p + n;
    if (out == NULL) {
        fail(in->file, "cannot allocate memory");
    }
    while (p < end) {
        if (p + 1 < end && p[0] == '$' && p[1] == '{') {
            char *part = expand_name(&p, in, p + 2, end);
            fputs(part, out);
            free(part);
        } else {
            fputc(*p++, out);
        }
    }
    if (fclose(out) != 0) {
        fail(in->file, "cannot allocate memory");
    }
    return text;
}

/* --- views --------------------------------------------------------------------------------- */

static void column_of_table(const char *file, column *c, const char *p)
{
    for (size_t i = 0; i < sizeof table_columns / sizeof table_columns[0]; i++) {
        size_t n = strlen(table_columns[i].table);
        if (strncmp(p, table_columns[i].table, n) == 0 && p[n] == '.' &&
            strcmp(p + n + 1, table_columns[i].name) == 0) {
            c->type = table_columns[i].type;
            c->unit = table_columns[i].unit;
            c->null_meaning = table_columns[i].null_meaning;
            c->doc = table_columns[i].doc;
            return;
        }
    }
    fail(file, "there is no column %s", p);
}

static void add_column(view *v, const char *p, size_t n)
{
    static const char *const types[][2] = {
        {"INTEGER", "TS_COL_INT"}, {"REAL", "TS_COL_REAL"}, {"TEXT", "TS_COL_TEXT"}};
    char *cells[5];
    char *line = trimmed(p, n);
    const char *at = line;
    char *same = strstr(line, " = ");
    unsigned count = 0;
    if (v->column_count == MAX_COLUMNS) {
        fail(v->file, "more than %d columns", MAX_COLUMNS);
    }
    column *c = &v->columns[v->column_count++];
    if (same != NULL && strchr(line, '|') == NULL) {
        c->name = trimmed(line, (size_t)(same - line));
        column_of_table(v->file, c, same + 3);
        free(line);
        return;
    }
    while (count < 5) {
        size_t length = count == 4 ? strlen(at) : strcspn(at, "|");
        cells[count++] = trimmed(at, length);
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    if (count < 5 || cells[0][0] == '\0' || cells[4][0] == '\0') {
        fail(v->file, "not \"name | type | unit | NULL | meaning\": %s", line);
    }
    *c = (column){cells[0], NULL, cells[2], cells[3], cells[4]};
    for (size_t i = 0; i < 3; i++) {
        c->type = strcmp(cells[1], types[i][0]) == 0 ? types[i][1] : c->type;
    }
    if (c->type == NULL) {
        fail(v->file, "%s is no type of a column", cells[1]);
    }
    free(cells[1]);
    free(line);
}

/* One comment line of the head. */
static void head_line(view *v, FILE *doc, const char *line, size_t n)
{
    size_t left;
    const char *p;
    if ((p = value_of(&left, line, n, "topic")) != NULL) {
        v->topic = trimmed(p, left);
    } else if ((p = value_of(&left, line, n, "order")) != NULL) {
        v->order = strtol(p, NULL, 10);
    } else if ((p = value_of(&left, line, n, "replaces")) != NULL) {
        v->replaces = trimmed(p, left);
    } else if ((p = value_of(&left, line, n, "column")) != NULL) {
        add_column(v, p, left);
    } else if (v->column_count > 0) {
        fail(v->file, "behind the columns: %.*s", (int)n, line);
    } else if (n > 3) {
        fprintf(doc, "%s%.*s", ftell(doc) == 0 ? "" : " ", (int)(n - 3), line + 3);
    }
}

/* What must hold of a view that was read. */
static void check_view(const view *v)
{
    char begin[200];
    const char *name = v->replaces != NULL ? v->replaces : v->name;
    bool known = v->replaces != NULL;
    snprintf(begin, sizeof begin, "CREATE VIEW %s AS\n", name);
    if (strncmp(v->sql, begin, strlen(begin)) != 0) {
        fail(v->file, "does not begin with CREATE VIEW %s AS and a new line", name);
    }
    for (size_t i = 0; v->topic != NULL && i < sizeof topics / sizeof topics[0]; i++) {
        known = known || strcmp(v->topic, topics[i]) == 0;
    }
    if (!known) {
        fail(v->file, "the topic is missing or of no format");
    }
    if (!v->replaces && (v->order <= 0 || v->doc[0] == '\0' || v->column_count == 0)) {
        fail(v->file, "the order, the description or the columns are missing");
    }
    for (unsigned i = 0; i < view_count; i++) {
        if (strcmp(views[i].name, v->name) == 0 ||
            (!v->replaces && !views[i].replaces && views[i].order == v->order)) {
            fail(v->file, "has the name or the order of %s", views[i].file);
        }
    }
    for (unsigned i = 0; i < v->column_count; i++) {
        for (unsigned k = 0; k < i; k++) {
            if (strcmp(v->columns[i].name, v->columns[k].name) == 0) {
                fail(v->file, "the column %s is there twice", v->columns[i].name);
            }
        }
    }
}

static void read_view(const char *file, const char *text)
{
    const char *at = text;
    const char *line = "";
    const char *name = base_name(file);
    scope outer = {.file = file};
    size_t n;
    size_t doc_size;
    if (view_count == MAX_VIEWS) {
        fail(file, "more than %d views", MAX_VIEWS);
    }
    view *v = &views[view_count];
    FILE *doc = open_memstream(&v->doc, &doc_size);
    if (doc == NULL) {
        fail(file, "cannot allocate memory");
    }
    v->file = file;
    v->name = copy(name, strcspn(name, "."));
    while (next_line(&line, &n, &at) && strncmp(line, "CREATE", 6) != 0) {
        if (n >= 2 && line[0] == '/' && line[1] == '*') {
            const char *end = strstr(line, "*/\n");
            at = end == NULL ? at + strlen(at) : end + 3;
        } else if (n >= 2 && memcmp(line, "--", 2) == 0) {
            head_line(v, doc, line, n);
        } else if (n > 0) {
            fail(file, "neither a comment nor CREATE: %.*s", (int)n, line);
        }
    }
    fclose(doc);
    n = strlen(line);
    while (n > 0 && line[n - 1] == '\n') {
        n--;
    }
    v->sql = expand(&outer, line, n);
    check_view(v);
    view_count++;
}

/* --- output -------------------------------------------------------------------------------- */

/* A text as C has it, a line of it on each line. */
static void put_text(FILE *out, const char *text, const char *indent)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        if (*text != '\n') {
            fputc(*text, out);
        } else {
            fprintf(out, "\\n%s%s%s", "\"\n", indent, "\"");
        }
    }
    fputc('"', out);
}

static void put_columns(FILE *out, const view *v)
{
    fprintf(out, "\nstatic const ts_column columns_%s[] = {\n", v->name);
    for (unsigned i = 0; i < v->column_count; i++) {
        const column *c = &v->columns[i];
        fprintf(out, "    {\"%s\", %s, ", c->name, c->type);
        put_text(out, c->unit, "     ");
        fputs(", ", out);
        put_text(out, c->null_meaning, "     ");
        fputs(", ", out);
        put_text(out, c->doc, "     ");
        fputs(", 0},\n", out);
    }
    fputs("};\n", out);
}

static int by_order(const void *a, const void *b)
{
    const view *left = a;
    const view *right = b;
    return left->order < right->order ? -1 : left->order > right->order;
}

static void put_views(FILE *out)
{
    fputs("/* Made by tools/mkviews.c from src/tables/formats. */\n"
          "#include \"tables/schema.h\"\n"
          "#include \"tables/views_impl.h\"\n",
          out);
    qsort(views, view_count, sizeof views[0], by_order);
    for (unsigned i = 0; i < view_count; i++) {
        if (views[i].replaces) {
            fprintf(out, "\nconst char ts_view_%s[] =\n    ", views[i].name);
            put_text(out, views[i].sql, "    ");
            fputs(";\n", out);
        } else {
            put_columns(out, &views[i]);
        }
    }
    fputs("\nconst ts_view ts_views[] = {\n", out);
    for (unsigned i = 0; i < view_count; i++) {
        const view *v = &views[i];
        if (!v->replaces) {
            fprintf(out, "    {\"%s\", \"%s\",\n     ", v->name, v->topic);
            put_text(out, v->doc, "     ");
            fprintf(out, ",\n     columns_%s, %u,\n     ", v->name, v->column_count);
            put_text(out, v->sql, "     ");
            fputs("},\n", out);
        }
    }
    fputs("};\n\nconst unsigned ts_view_count = sizeof ts_views / sizeof ts_views[0];\n", out);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text);
    size_t k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

/* Reads the files of one kind: names are known before they are used. */
static void read_kind(int argc, char **argv, unsigned kind)
{
    for (int i = 2; i < argc; i++) {
        bool constants = ends_with(argv[i], "_constants.h");
        bool shared = strcmp(base_name(argv[i]), "pieces.sql") == 0;
        if ((constants ? 0u : shared ? 1u : 2u) == kind) {
            char *text = read_file(argv[i]);
            (constants ? read_constants : shared ? read_pieces : read_view)(argv[i], text);
            free(text);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: mkviews OUT FILE...\n");
        return EXIT_FAILURE;
    }
    for (unsigned kind = 0; kind < 3; kind++) {
        read_kind(argc, argv, kind);
    }
    FILE *out = fopen(argv[1], "wb");
    if (out == NULL) {
        fail(argv[1], "cannot be written");
    }
    put_views(out);
    if (fclose(out) != 0) {
        fail(argv[1], "cannot be written");
    }
    return EXIT_SUCCESS;
}
