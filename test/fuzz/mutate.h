/*
 * A custom mutator for inputs that hold an .htrace file: it takes the file apart into header,
 * segments, fields of their messages and the JSON inside, changes one level and mends the lengths
 * above it, most of the time. A target that wants it includes this header and says where the file
 * begins; mutate.c does the rest.
 */
#ifndef TS_FUZZ_MUTATE_H
#define TS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the input before the file; SIZE_MAX: its first line. Defined by the target. */
extern const size_t fuzz_prefix;

/* libFuzzer's hooks, and the function of libFuzzer that they may call. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
