/* Names of frames by language, and units and events of values: the tables of the description. */
#include "tables/frame_names.h"
#include "tables/profile_kinds.h"
#include "support.h"

static void assert_part(const char *what, ts_text got, const char *expected)
{
    if (expected == NULL ? got.p != NULL : !ts_text_is(got, expected)) {
        print_error("%s: '%.*s' instead of '%s'\n", what, (int)got.n, got.p == NULL ? "" : got.p,
                    expected == NULL ? "NULL" : expected);
        fail();
    }
}

/* --- frames --------------------------------------------------------------------------------- */

typedef struct frame_case {
    ts_language language;
    const char *raw, *file, *image;
    const char *package, *cls, *name, *library;
} frame_case;

static const frame_case frames[] = {
    {TS_LANG_GO, "github.com/gin-gonic/gin.(*Engine).ServeHTTP",
     "/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/gin.go", "/bin/app", "github.com/gin-gonic/gin",
     "(*Engine)", "ServeHTTP", "github.com/gin-gonic/gin@v1.9.1"},
    {TS_LANG_GO, "main.(*List[...]).Push", "main.go", NULL, "main", "(*List[...])", "Push", NULL},
    {TS_LANG_GO, "main.Map[go.shape.int_0,go.shape.string_1]", "m.go", NULL, "main", NULL,
     "Map[go.shape.int_0,go.shape.string_1]", NULL},
    {TS_LANG_GO, "main.work.func1", "main.go", NULL, "main", NULL, "work.func1", NULL},
    {TS_LANG_GO, "main.glob..func2", "main.go", NULL, "main", NULL, "glob..func2", NULL},
    {TS_LANG_GO, "main.work.gowrap1", "main.go", NULL, "main", NULL, "work.gowrap1", NULL},
    {TS_LANG_GO, "net/http.HandlerFunc.ServeHTTP", "/usr/lib/go/src/net/http/server.go", NULL,
     "net/http", "HandlerFunc", "ServeHTTP", "Standard Library"},
    {TS_LANG_GO, "gopkg.in/yaml%2ev3.Unmarshal", "yaml.go", NULL, "gopkg.in/yaml.v3", NULL,
     "Unmarshal", NULL},
    {TS_LANG_GO, "gopkg.in/yaml%2ev3.(*Node).Decode", "yaml.go", NULL, "gopkg.in/yaml.v3",
     "(*Node)", "Decode", NULL},
    {TS_LANG_GO, "gopkg.in/yaml%2ev3.init.0", "yaml.go", NULL, "gopkg.in/yaml.v3", NULL, "init.0",
     NULL},
    {TS_LANG_GO, "main.init.0", "main.go", NULL, "main", NULL, "init.0", NULL},
    {TS_LANG_GO, "main.init.1.func2", "main.go", NULL, "main", NULL, "init.1.func2", NULL},
    {TS_LANG_GO, "main.work.func1-range2", "main.go", NULL, "main", NULL, "work.func1-range2",
     NULL},
    {TS_LANG_GO, "main.Map[gopkg.in/yaml%2ev3.Node]", "m.go", NULL, "main", NULL,
     "Map[gopkg.in/yaml.v3.Node]", NULL},
    {TS_LANG_GO, "x.org/caf%c3%a9.Open", "m.go", NULL, "x.org/caf\xc3\xa9", NULL, "Open", NULL},
    {TS_LANG_GO, "x.org/caf%c3.Open", "m.go", NULL, "x.org/caf%c3", NULL, "Open", NULL},
    {TS_LANG_GO, "runtime.mcall", "asm_amd64.s", NULL, "runtime", NULL, "mcall",
     "Standard Library"},
    {TS_LANG_GO, "cmpbody", "", NULL, NULL, NULL, "cmpbody", NULL},
    {TS_LANG_PYTHON, "<module>", "/app/site-packages/requests/api.py", NULL, "requests.api", NULL,
     "<module>", "requests"},
    {TS_LANG_PYTHON, "run", "/usr/lib/python3/dist-packages/six.py", NULL, "six", NULL, "run",
     "six"},
    {TS_LANG_PYTHON, "get", "/x/site-packages/a/b/__init__.py", NULL, "a.b", NULL, "get", "a"},
    {TS_LANG_PYTHON, "run", "/usr/lib/python3.11/threading.py", NULL, "threading", NULL, "run",
     "Standard Library"},
    {TS_LANG_PYTHON, "_find", "<frozen importlib._bootstrap>", NULL, NULL, NULL, "_find",
     "Standard Library"},
    {TS_LANG_PYTHON, "<lambda>", "/app/main.py", NULL, "main", NULL, "<lambda>", NULL},
    {TS_LANG_PHP, "App\\User::save", "u.php", NULL, NULL, "App\\User", "save", NULL},
    {TS_LANG_DOTNET, "|lm:System.Private.CoreLib |ns:System.Threading |ct:Thread |fn:Sleep", NULL,
     NULL, "System.Threading", "Thread", "Sleep", "System.Private.CoreLib"},
    {TS_LANG_NODEJS, "/app/a:b.js:run:12", NULL, NULL, NULL, NULL, "run", NULL},
    {TS_LANG_UNKNOWN, "malloc", NULL, "/usr/lib/libc.so.6", NULL, NULL, "malloc", "libc.so.6"},
    {TS_LANG_JAVA, "java/util/HashMap.put", NULL, NULL, "java.util", "HashMap", "put",
     "Standard Library"},
    {TS_LANG_JAVA, "demo.prof.Work$$Lambda$91+0x00007f861400a220/494317290.run", NULL, NULL,
     "demo.prof", "Work$$Lambda$91", "run", NULL},
    {TS_LANG_JAVA, "Interpreter", NULL, NULL, NULL, NULL, "Interpreter", NULL},
};

static void test_frames(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_buf scratch = {0};
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        const frame_case *c = &frames[i];
        ts_frame_parts f;
        assert_ok(ctx, ts_frame_split(ctx, &f, &scratch, c->language, ts_text_of(c->raw),
                                      ts_text_of(c->file), ts_text_of(c->image)));
        assert_part(c->raw, f.package, c->package);
        assert_part(c->raw, f.cls, c->cls);
        assert_part(c->raw, f.name, c->name);
        assert_part(c->raw, f.library, c->library);
        if (c->language == TS_LANG_NODEJS) {
            assert_part(c->raw, f.file, "/app/a:b.js");
            assert_true(f.has_line);
            assert_int_equal(f.line, 12);
        }
    }
    assert_part("class", ts_frame_class(TS_LANG_GO, TS_TEXT_LIT("(*List[...])")), "List");
    assert_part("class", ts_frame_class(TS_LANG_GO, TS_TEXT_LIT("HandlerFunc")), "HandlerFunc");
    assert_part("class", ts_frame_class(TS_LANG_JAVA, TS_TEXT_LIT("(*A)")), "(*A)");
    ts_buf_free(ctx, &scratch);
    test_ctx_free(ctx);
}

/* No name makes it read or write beyond its texts. */
static void test_odd_names(void **state)
{
    static const char *const odd[] = {"",       ".",           "..",
                                      "/",      "a/",          "a.",
                                      ".a",     "/.",          "(*",
                                      "(*).",   "a.(*).",      "a.(*).b",
                                      "[",      "a.[",         "%",
                                      "%2",     "a%2e",        "a%2e.b",
                                      "a%zz.b", "::",          "a::",
                                      "::a",    "|fn:",        "|fn:|lm:",
                                      ":",      "::1",         "a:1",
                                      ":a:",    "(",           ")",
                                      "a.b(",   "/lib/python", "/lib/python3/",
                                      ".py",    "/__init__.py"};
    ts_ctx *ctx = test_ctx_new();
    ts_buf scratch = {0};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        for (size_t j = 0; j < sizeof odd / sizeof odd[0]; j++) {
            for (ts_language l = TS_LANG_UNKNOWN; l <= TS_LANG_CPP; l++) {
                ts_frame_parts f;
                assert_ok(ctx, ts_frame_split(ctx, &f, &scratch, l, ts_text_of(odd[i]),
                                              ts_text_of(odd[j]), ts_text_of(odd[j])));
                assert_non_null(f.name.p);
                assert_true(scratch.n <= 3 * (strlen(odd[i]) + strlen(odd[j])) + 16);
            }
        }
    }
    ts_buf_free(ctx, &scratch);
    test_ctx_free(ctx);
}

static void test_languages(void **state)
{
    static const struct {
        const char *name;
        const char *expected;
    } cases[] = {{"Go", "golang"},
                 {"golang", "golang"},
                 {"node.js", "nodejs"},
                 {"JS", "nodejs"},
                 {"kotlin", "java"},
                 {".NET", "dotnet"},
                 {"pyroscope-rs", "rust"},
                 {"c++", "cpp"},
                 {"PHP", "php"},
                 {"cobol", NULL},
                 {"", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = ts_language_name(ts_language_of(ts_text_of(cases[i].name)));
        assert_part(cases[i].name, ts_text_of(got), cases[i].expected);
    }
    assert_int_equal(ts_language_of(TS_TEXT_NULL), TS_LANG_UNKNOWN);
    assert_int_equal(ts_language_of_file(TS_TEXT_LIT("/x/main.go")), TS_LANG_GO);
    assert_int_equal(ts_language_of_file(TS_TEXT_LIT("/x/main.py")), TS_LANG_PYTHON);
    assert_int_equal(ts_language_of_file(TS_TEXT_LIT("go")), TS_LANG_UNKNOWN);
    assert_int_equal(ts_language_of_file(TS_TEXT_NULL), TS_LANG_UNKNOWN);
}

/* --- Java ----------------------------------------------------------------------------------- */

/* The three names of the seed's example of a flame graph, letter by letter. */
static void test_java_methods(void **state)
{
    static const struct {
        const char *cls, *name, *descriptor, *expected;
    } cases[] = {
        {"TaskProcessor", "processTasks",
         "(Ljava/util/List;ILjava/util/concurrent/TimeUnit;Ldemo/TaskMethod;)Ljava/util/List;",
         "List TaskProcessor.processTasks(List, int, TimeUnit, TaskMethod)"},
        {"Unsafe", "park", "(ZJ)V", "Unsafe.park(boolean, long)"},
        {"SocketInputStream", "socketRead0", "(Ljava/io/FileDescriptor;[BIII)I",
         "SocketInputStream.socketRead0(FileDescriptor, byte[], int, int, int)"},
        {"A", "f", "()[[D", "double[][] A.f()"},
        {"A", "f", "([[Ljava/util/Map$Entry;)V", "A.f(Map$Entry[][])"},
        {"A", "f", "()V", "A.f()"},
        {"A", "f", "", "A.f"},
        {"A", "f", "()L;", "A.f"},
        {"A", "f", "(Q)V", "A.f"},
        {"A", "f", "(I", "A.f"},
        {"A", "f", "(I)VV", "A.f"},
        {"", "malloc", NULL, "malloc"},
    };
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        out.n = 0;
        assert_ok(ctx, ts_java_method(ctx, &out, ts_text_of(cases[i].cls),
                                      ts_text_of(cases[i].name), ts_text_of(cases[i].descriptor)));
        assert_part("method", ts_buf_text(&out), cases[i].expected);
    }
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

static void test_java_classes(void **state)
{
    static const struct {
        const char *symbol, *expected;
    } cases[] = {
        {"java/util/HashMap", "java.util.HashMap"},
        {"java.util.HashMap$Node", "java.util.HashMap$Node"},
        {"demo/prof/Work$$Lambda$91+0x00007f861400a220/494317290", "demo.prof.Work$$Lambda$91"},
        {"demo/Work$$Lambda/0x0000000009047000", "demo.Work$$Lambda"},
        {"demo/Work$$Lambda$218/124351398", "demo.Work$$Lambda$218"},
        {"[Ljava/lang/Object;", "java.lang.Object[]"},
        {"[[I", "int[][]"},
        {"[", "["},
        {"", ""},
    };
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    ts_text package, cls;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        out.n = 0;
        assert_ok(ctx, ts_java_class(ctx, &out, ts_text_of(cases[i].symbol)));
        assert_part(cases[i].symbol, ts_buf_text(&out), cases[i].expected);
    }
    ts_java_split(&package, &cls, TS_TEXT_LIT("java.util.HashMap$Node"));
    assert_part("package", package, "java.util");
    assert_part("class", cls, "HashMap$Node");
    ts_java_split(&package, &cls, TS_TEXT_LIT("Main"));
    assert_part("package", package, NULL);
    assert_part("class", cls, "Main");
    out.n = 0;
    assert_ok(ctx, ts_java_modifiers(ctx, &out, 0x1 | 0x8 | 0x10 | 0x20 | 0x100));
    assert_part("flags", ts_buf_text(&out), "public static final synchronized native");
    out.n = 0;
    assert_ok(ctx, ts_java_modifiers(ctx, &out, 0x2 | 0x40 | 0x80 | 0x1000));
    assert_part("flags", ts_buf_text(&out), "private");
    assert_part("library", ts_java_library(TS_TEXT_LIT("com.sun.management"), TS_TEXT_NULL),
                "Standard Library");
    assert_part("library", ts_java_library(TS_TEXT_LIT("sunny.side"), TS_TEXT_LIT("app.core")),
                "app.core");
    assert_part("library", ts_java_library(TS_TEXT_LIT("x"), TS_TEXT_LIT("java.base")),
                "Standard Library");
    assert_part("library", ts_java_library(TS_TEXT_LIT("org.xml.saxon"), TS_TEXT_NULL), NULL);
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

/* --- values --------------------------------------------------------------------------------- */

static void test_units(void **state)
{
    static const struct {
        const char *unit;
        ts_value_kind kind;
        int64_t scale;
    } cases[] = {
        {"nanoseconds", TS_VALUE_DURATION, 1},
        {"ms", TS_VALUE_DURATION, 1000000},
        {"\xC2\xB5s", TS_VALUE_DURATION, 1000},
        {"Hours", TS_VALUE_DURATION, 3600000000000},
        {"m", TS_VALUE_DURATION, 60000000000},
        {"bytes", TS_VALUE_MEMORY, 1},
        {"KiB", TS_VALUE_MEMORY, 1024},
        {"kilobytes", TS_VALUE_MEMORY, 1024},
        {"pb", TS_VALUE_MEMORY, 1125899906842624},
        {"count", TS_VALUE_COUNT, 1},
        {"objects", TS_VALUE_COUNT, 1},
        {"", TS_VALUE_COUNT, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ts_value_unit u = ts_value_unit_of(ts_text_of(cases[i].unit));
        assert_int_equal(u.kind, cases[i].kind);
        assert_int_equal(u.scale, cases[i].scale);
    }
}

static void test_events(void **state)
{
    static const struct {
        const char *type, *file, *event, *cause;
    } cases[] = {
        {"samples", NULL, "cpu-samples", "cpu"},
        {"cpu", NULL, "cpu-time", "cpu"},
        {"wall-time", NULL, "wall-time", "wall"},
        {"alloc_objects", NULL, "alloc-samples", "alloc"},
        {"alloc-size", NULL, "alloc-space", "alloc"},
        {"inuse_objects", NULL, "heap-live-objects", "heap"},
        {"heap-space", NULL, "heap-space", "heap"},
        {"delay", "delta-mutex.pprof", "mutex", "lock"},
        {"delay", NULL, "block", "lock"},
        {"contentions", "delta-mutex.pprof", "mutex-contentions", "lock"},
        {"contentions", "b.pprof", "block-contentions", "lock"},
        {"goroutine", NULL, "goroutines", "goroutine"},
        {"exception", NULL, "exception-samples", "exception"},
        {"lock-count", NULL, "lock-acquire", "lock"},
        {"lock-time", NULL, "lock-acquire-wait", "lock"},
        {"lock-release-hold", NULL, "lock-release-hold", "lock"},
        {"", "inuse_space.pprof", "heap-space", "heap"},
        {"", "cpu.pprof", "cpu-samples", "cpu"},
        {"", NULL, "", ""},
        {"custom", NULL, "custom", "custom"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ts_text event = ts_value_event(ts_text_of(cases[i].type), ts_text_of(cases[i].file));
        assert_part(cases[i].type, event, cases[i].event);
        assert_part(cases[i].type, ts_sample_cause(event), cases[i].cause);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),       cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_languages),    cmocka_unit_test(test_java_methods),
        cmocka_unit_test(test_java_classes), cmocka_unit_test(test_units),
        cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
