/*
 * nvtx: a program that was built with NVTX, as far as an injected library can see: it has tables of functions, loads
 * the library that NVTX_INJECTION64_PATH names when it is there, and calls what that has put into the tables. What a
 * trace has of these calls is printed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <wchar.h>

#include "program.h"

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *text;
        const wchar_t *wide;
        void *registered;
    } message;
};
enum { TEXT = 1, WIDE = 2, REGISTERED = 3 };
#define ATTRIBUTES(...) (&(struct attributes){.version = 3, .size = sizeof(struct attributes), __VA_ARGS__})

/* X(place, result, name, parameters): as in the header's two tables. */
#define CORE(X)                                                                                                        \
    X(1, void, MarkEx, (const struct attributes *))                                                                    \
    X(2, void, MarkA, (const char *))                                                                                  \
    X(3, void, MarkW, (const wchar_t *))                                                                               \
    X(4, uint64_t, RangeStartEx, (const struct attributes *))                                                          \
    X(5, uint64_t, RangeStartA, (const char *))                                                                        \
    X(6, uint64_t, RangeStartW, (const wchar_t *))                                                                     \
    X(7, void, RangeEnd, (uint64_t))                                                                                   \
    X(8, int, RangePushEx, (const struct attributes *))                                                                \
    X(9, int, RangePushA, (const char *))                                                                              \
    X(10, int, RangePushW, (const wchar_t *))                                                                          \
    X(11, int, RangePop, (void))                                                                                       \
    X(12, void, NameCategoryA, (uint32_t, const char *))                                                               \
    X(13, void, NameCategoryW, (uint32_t, const wchar_t *))                                                            \
    X(14, void, NameOsThreadA, (uint32_t, const char *))                                                               \
    X(15, void, NameOsThreadW, (uint32_t, const wchar_t *))
#define CORE2(X)                                                                                                       \
    X(1, void, DomainMarkEx, (void *, const struct attributes *))                                                      \
    X(2, uint64_t, DomainRangeStartEx, (void *, const struct attributes *))                                            \
    X(3, void, DomainRangeEnd, (void *, uint64_t))                                                                     \
    X(4, int, DomainRangePushEx, (void *, const struct attributes *))                                                  \
    X(5, int, DomainRangePop, (void *))                                                                                \
    X(6, void *, DomainResourceCreate, (void *, void *))                                                               \
    X(7, void, DomainResourceDestroy, (void *))                                                                        \
    X(8, void, DomainNameCategoryA, (void *, uint32_t, const char *))                                                  \
    X(9, void, DomainNameCategoryW, (void *, uint32_t, const wchar_t *))                                               \
    X(10, void *, DomainRegisterStringA, (void *, const char *))                                                       \
    X(11, void *, DomainRegisterStringW, (void *, const wchar_t *))                                                    \
    X(12, void *, DomainCreateA, (const char *))                                                                       \
    X(13, void *, DomainCreateW, (const wchar_t *))                                                                    \
    X(14, void, DomainDestroy, (void *))                                                                               \
    X(15, void, Initialize, (const void *))

#define POINTER(place, result, name, parameters) static result(*nvtx##name) parameters;
CORE(POINTER)
CORE2(POINTER)

#define PLACE(place, result, name, parameters) [place] = (void **)(void *)&nvtx##name,
static void **core[16] = {CORE(PLACE)}, **core2[16] = {CORE2(PLACE)};
static unsigned sizes = 16;

static int get_module_table(int module, void ****table, unsigned *size)
{
    *table = module == 1 ? core : core2;
    *size = sizes;
    return module == 1 || module == 5;
}

static const void *get_table(uint32_t id)
{
    static const struct {
        size_t size;
        int (*get)(int module, void ****table, unsigned *size);
    } callbacks = {sizeof callbacks, get_module_table};
    return id == 1 ? &callbacks : NULL;
}

/* As the header does it. */
static void initialize(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    if (!library)
        return;
    int (*init)(const void *(*)(uint32_t)) =
        (int (*)(const void *(*)(uint32_t)))(uintptr_t)dlsym(library, "InitializeInjectionNvtx2");
    CHECK(init && init(get_table) == 1);
}

#define CALL(name, ...) (nvtx##name ? nvtx##name(__VA_ARGS__) : (void)0)
#define GET(name, ...) (nvtx##name ? nvtx##name(__VA_ARGS__) : 0)
#define LEVEL(name, ...) CHECK((nvtx##name ? nvtx##name(__VA_ARGS__) : -2) == -2)

static void *domain, *registered;

static NOINLINE void nested(void)
{
    LEVEL(RangePushA, "outer");
    LEVEL(RangePushEx, ATTRIBUTES(.message_type = TEXT, .message.text = "inner"));
    LEVEL(DomainRangePushEx, domain, ATTRIBUTES(.message_type = REGISTERED, .message.registered = registered));
    LEVEL(DomainRangePushEx, domain, ATTRIBUTES(.message_type = WIDE, .message.wide = L"wide"));
    LEVEL(DomainRangePushEx, domain, NULL);
    LEVEL(DomainRangePop, domain);
    LEVEL(DomainRangePop, domain);
    LEVEL(DomainRangePop, domain);
    LEVEL(RangePop);
    LEVEL(RangePop);
    LEVEL(RangePop);
    NO_TAIL_CALL();
}

static void *ranges(void *self)
{
    introduce(self);
    errno = 77;
    nested();
    CHECK(errno == 77);
    return NULL;
}

static uint64_t started;

static void *ends_it(void *self)
{
    introduce(self);
    CALL(NameOsThreadA, (uint32_t)syscall(SYS_gettid), "ends what another one began");
    CALL(NameOsThreadA, (uint32_t)getpid(), "not mine");
    CALL(RangeEnd, started);
    return NULL;
}

static void *tasks(void *self)
{
    static struct thread other;
    introduce(self);
    started = GET(RangeStartA, "started");
    uint64_t a = GET(RangeStartEx, ATTRIBUTES(.message_type = TEXT, .message.text = "a"));
    uint64_t b = GET(DomainRangeStartEx, domain, ATTRIBUTES(.message_type = 0));
    CHECK(!nvtxRangeEnd || !a || (a != b && a != started));
    CALL(DomainRangeEnd, domain, a);
    CALL(DomainRangeEnd, domain, b);
    CALL(RangeEnd, 0);
    spawn(&other, ends_it);
    join(&other);
    return NULL;
}

static void *marks(void *self)
{
    introduce(self);
    CALL(NameCategoryA, 3, "was three");
    CALL(NameCategoryA, 3, "three");
    CALL(DomainNameCategoryA, domain, 3, "another three");
    CALL(MarkA, "plain");
    CALL(MarkEx, ATTRIBUTES(.message_type = TEXT, .message.text = "attributes"));
    CALL(MarkEx, ATTRIBUTES(.category = 3, .message_type = TEXT, .message.text = "of three"));
    CALL(DomainMarkEx, domain, ATTRIBUTES(.category = 3, .message_type = REGISTERED, .message.registered = registered));
    CALL(DomainMarkEx, domain, ATTRIBUTES(.category = 4, .message_type = REGISTERED, .message.registered = registered));
    CALL(MarkEx, &(struct attributes){.size = 8, .category = 3, .message_type = TEXT, .message.text = "beyond"});
    CALL(MarkA, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    static void *(*const all[])(void *) = {ranges, tasks, marks};
    static struct thread threads[3];
    if (argc > 1 && !strcmp(argv[1], "old"))
        sizes = 2; /* an older header has fewer */
    initialize();
    domain = GET(DomainCreateA, "domain");
    registered = GET(DomainRegisterStringA, domain, "registered");
    CHECK(registered == GET(DomainRegisterStringA, NULL, "registered"));
    for (int i = 0; i < 3; i++) {
        spawn(&threads[i], all[i]);
        join(&threads[i]);
    }
    CHECK(!nvtxMarkW && !nvtxInitialize && !nvtxDomainResourceCreate && !nvtxDomainDestroy);
    if (argc > 1) {
        CHECK(sizes == 16 || (!nvtxRangePop && !nvtxMarkA));
        puts("trace: annotations ranges\ntrace: annotations tasks\ntrace: annotations ends_it");
        puts(sizes == 16 ? "trace: annotations marks"
                         : "trace: annotations marks log:nvtx=attributes log:nvtx=of_three log:nvtx= log:nvtx= "
                           "log:nvtx=");
        return 0;
    }
    puts("trace: annotations ranges region+outer region+inner region+registered region+domain region+domain "
         "region-domain region-domain region-registered region-inner region-outer");
    puts("trace: annotations tasks task+started task+a task+domain task-a task-domain");
    puts("trace: annotations ends_it label:ends_what_another_one_began task-started");
    puts("trace: annotations marks log:nvtx=plain log:nvtx=attributes log:three=of_three "
         "log:another_three=registered log:domain=registered log:nvtx= log:nvtx=");
    return 0;
}
