/* Names of classes and methods of the Java VM, as people write them (profiles.md 8). */
#ifndef TS_PARSERS_JFR_NAMES_H
#define TS_PARSERS_JFR_NAMES_H

#include "base/buf.h"

/*
 * Appends the name of a class: "java/util/HashMap" is java.util.HashMap, "[[I" is int[][]; what
 * the VM appends to the names of hidden classes is left out.
 */
ts_code jfr_class_name(ts_ctx *ctx, ts_buf *out, ts_text raw);

/* Appends modifiers in the usual order ("public static"). */
ts_code jfr_modifiers(ts_ctx *ctx, ts_buf *out, uint32_t bits);

/* Does a class of this package, or of this module, belong to the JDK? */
bool jfr_is_standard(ts_text module, ts_text package);

#endif
