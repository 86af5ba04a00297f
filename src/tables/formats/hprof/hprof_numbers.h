/* Numbers in columns of java_heap_object and java_heap_reference. */
#ifndef TS_FORMATS_HPROF_NUMBERS_H
#define TS_FORMATS_HPROF_NUMBERS_H

/* java_heap_object.kind */
#define TS_JAVA_ROOT 0
#define TS_JAVA_CLASS 1
#define TS_JAVA_INSTANCE 2
#define TS_JAVA_OBJECT_ARRAY 3
#define TS_JAVA_PRIMITIVE_ARRAY 4
#define TS_JAVA_BOOT_LOADER 5

/* java_heap_reference.type */
#define TS_JAVA_REF_CLASS 0
#define TS_JAVA_REF_SUPER 1
#define TS_JAVA_REF_LOADER 2
#define TS_JAVA_REF_STATIC 3
#define TS_JAVA_REF_FIELD 4
#define TS_JAVA_REF_ELEMENT 5
#define TS_JAVA_REF_ROOT 6
#define TS_JAVA_REF_LOCAL 7

/* java_heap_reference.strength */
#define TS_JAVA_STRONG 0
#define TS_JAVA_SOFT 1
#define TS_JAVA_WEAK 2
#define TS_JAVA_PHANTOM 3
#define TS_JAVA_FINAL 4
#define TS_JAVA_UNFINALIZED 5

/* Bytes of a text in java_heap_string. */
#define TS_JAVA_TEXT 65536

#endif
