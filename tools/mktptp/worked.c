/* A trace of a few events whose bytes were worked out by hand from the format's description. */
#include "tptp.h"

#include <string.h>

enum { THREAD = 8, METHOD = 6523, CLASS = 6529, CLASS_OBJECT = 6530, OBJECT = 7001 };

static void put_thread(tp_encoder *encoder, int64_t time)
{
    tp_event event = {.kind = TP_threadStart};
    tp_event *e = &event;

    TP_SET(e, threadStart, threadId, 1);
    TP_SET(e, threadStart, time, time);
    TP_TEXT(e, threadStart, groupName, "system");
    TP_SET(e, threadStart, objIdRef, 1);
    TP_TEXT(e, threadStart, threadName, "Reference Handler");
    tp_encode(encoder, e);
}

static void put_definitions(tp_encoder *encoder, int64_t time)
{
    tp_event event = {.kind = TP_classDef};
    tp_event *e = &event;

    TP_SET(e, classDef, threadIdRef, THREAD);
    TP_SET(e, classDef, time, time);
    TP_SET(e, classDef, classId, CLASS);
    TP_TEXT(e, classDef, sourceName, "ToolButton.java");
    TP_SET(e, classDef, objIdRef, CLASS_OBJECT);
    TP_TEXT(e, classDef, name, "CH.ifa.draw.standard.ToolButton");
    tp_encode(encoder, e);
    event = (tp_event){.kind = TP_methodDef};
    TP_TEXT(e, methodDef, name, "paint");
    TP_TEXT(e, methodDef, signature, "(Ljava/awt/Graphics;)V");
    TP_SET(e, methodDef, startLineNumber, 123);
    TP_SET(e, methodDef, endLineNumber, 129);
    TP_SET(e, methodDef, classIdRef, CLASS);
    TP_SET(e, methodDef, methodId, METHOD);
    tp_encode(encoder, e);
}

static void put_call(tp_encoder *encoder, int64_t time)
{
    tp_event event = {.kind = TP_methodEntry};
    tp_event *e = &event;

    TP_SET(e, methodEntry, threadIdRef, THREAD);
    TP_SET(e, methodEntry, time, time);
    TP_SET(e, methodEntry, methodIdRef, METHOD);
    TP_SET(e, methodEntry, ticket, 4336);
    TP_SET(e, methodEntry, classIdRef, CLASS);
    TP_SET(e, methodEntry, stackDepth, 32);
    tp_encode(encoder, e);
    event = (tp_event){.kind = TP_methodExit};
    TP_SET(e, methodExit, threadIdRef, THREAD);
    TP_SET(e, methodExit, time, time + 133000);
    TP_SET(e, methodExit, ticket, 4336);
    TP_SET(e, methodExit, threadCpuTime, 120000);
    TP_SET(e, methodExit, methodIdRef, METHOD);
    TP_SET(e, methodExit, classIdRef, CLASS);
    tp_encode(encoder, e);
}

static void put_object(tp_encoder *encoder, int64_t time)
{
    tp_event event = {.kind = TP_objAlloc};
    tp_event *e = &event;

    TP_SET(e, objAlloc, threadIdRef, THREAD);
    TP_SET(e, objAlloc, time, time);
    TP_SET(e, objAlloc, objId, OBJECT);
    TP_SET(e, objAlloc, size, 48);
    TP_SET(e, objAlloc, line, 125);
    TP_SET(e, objAlloc, methodIdRef, METHOD);
    TP_SET(e, objAlloc, classIdRef, CLASS);
    tp_encode(encoder, e);
    event = (tp_event){.kind = TP_monWait, .frames = 2};
    TP_SET(e, monWait, threadIdRef, THREAD);
    TP_SET(e, monWait, time, time);
    TP_SET(e, monWait, objIdRef, OBJECT);
    TP_SET(e, monWait, timeout, 1000);
    e->methods[0] = "java.lang.Object.wait";
    e->methods[1] = "a.B.run";
    e->lines[0] = 485;
    e->lines[1] = 17;
    tp_encode(encoder, e);
}

void tp_worked_write(tp_encoder *encoder)
{
    /* An event with the number of no table, of a time when ids were 32 bit numbers. */
    static const char *const skipped =
        "20003c0000000000000001000000b17b931ed0abd1410000000001000000"
        "5265666572656e63652048616e646c65720073797374656d000000000000";
    int64_t time = encoder->c->start;
    mk_buf b = {0};

    put_thread(encoder, time);
    put_definitions(encoder, time);
    put_call(encoder, time);
    put_object(encoder, time);
    mk_hex(&b, skipped);
    if (!encoder->xml && strcmp(encoder->c->endian, "little") == 0 &&
        strcmp(encoder->c->size, "inclusive") == 0)
        tp_output_put(encoder->out, b.p, b.n);
    mk_buf_free(&b);
}
