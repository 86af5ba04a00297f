/*
 * Ids of call paths for links: the same path has the same id whatever else is in the database,
 * what is selected of it, and in another database.
 *
 * An id is 64 bits of SipHash-1-3 (base/hash.h) with a key of zeros over the id of the caller, 0
 * for none, the key of the method, and the line that runs where paths of several lines are apart. A
 * key is the same hash over the method's texts and, where it has no name, its line. The key need
 * not be secret: no table of ours has its slots by these ids.
 */
#ifndef TS_MODEL_PATH_IDS_H
#define TS_MODEL_PATH_IDS_H

#include "base/json_out.h"
#include "model/call_paths.h"
#include "model/call_stacks.h"
#include "model/stack_tree.h"

/* What makes methods of several recordings one; what is not recorded is empty. Of a text its first
 * TS_SCAN_TEXT_MAX bytes count. */
typedef struct ts_method_parts {
    ts_text library, package, class, name, signature, file;
    int64_t line; /* TS_METHOD_NO_LINE: not recorded; counts where the name is empty */
} ts_method_parts;

#define TS_METHOD_NO_LINE INT64_MIN

/* Never 0, which is the key of no method. */
uint64_t ts_method_key(const ts_method_parts *method);

/* above: id of the caller, or 0. line: TS_PATH_NO_LINE where it does not count. */
uint64_t ts_path_id(uint64_t above, uint64_t method_key, int32_t line);

/* Keys of the methods of call paths, by their places; kept by the model, or by the paths. */
ts_code ts_method_keys(const uint64_t **out, ts_model *m, const ts_paths *paths);

/* Keys of the first n frames of a profile: each that of the first method with the frame; 0: none.
 * The caller has set out to 0; where a key is there it stays. */
void ts_frame_keys(uint64_t *out, const ts_calls *p);

/* Ids of all nodes of a tree; keys: by method. above: of what is above its roots. */
void ts_tree_path_ids(uint64_t *out, const ts_tree *t, const uint64_t *keys, uint64_t above);

/*
 * Makes ids different: of equal ones the later gets the next number that is free, and is marked in
 * `moved` (by place): it means something in this list only.
 */
ts_code ts_path_ids_part(uint64_t *ids, bool *moved, ts_ctx *ctx, uint32_t n);

/* 16 hexadecimal digits: how ids are written. False: the text is none. */
enum { TS_PATH_DIGITS = 16 };
void ts_path_id_put(ts_jout *out, const char *key, uint64_t id);
bool ts_path_id_parse(uint64_t *out, ts_text text);

#endif
