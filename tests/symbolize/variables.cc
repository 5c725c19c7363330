// Objects in all the places that C++ has for them.
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <utility>

#include "variables.h"

#define AS(name, line, object, symbol, variable)                                                                      \
    must_be(name, line, const_cast<const void *>(static_cast<const volatile void *>(&(object))), symbol,              \
            const_cast<const void *>(static_cast<const volatile void *>(&(variable))))

// clang says of a static member only where it is declared.
#ifdef __clang__
#define DEFINED(declared, defined) declared
#else
#define DEFINED(declared, defined) defined
#endif

struct nothing {};

struct counted {
    long count;
    std::mutex guard;
    virtual ~counted() {}
};

struct base : nothing {
    pthread_mutex_t lock;
    long users;
};

struct lockable : std::mutex {
    int depth;
};

struct left : virtual counted {
    std::atomic<int> turns;
};

LINE_OF(plain); std::mutex plain;
extern "C" { LINE_OF(in_c); std::mutex in_c; }

namespace shop {
template <class T> struct box {
    T content;
    std::mutex lock;
    LINE_OF(all_declared); static std::mutex all;
};
LINE_OF(all); template <class T> std::mutex box<T>::all;

class cache : public base, public counted {
public:
    LINE_OF(config_declared); static pthread_mutex_t config;
    LINE_OF(later); static inline std::mutex later;
    struct shard {
        std::mutex lock;
        std::condition_variable changed;
        std::atomic<long> users;
        union {
            pthread_mutex_t mutex;
            char pad[256];
        };
        lockable locks[2];
    };
    shard shards[4];
    std::array<shard, 3> spare;
    std::pair<int, std::mutex> both;
    int refill(int n);
};
LINE_OF(config); pthread_mutex_t cache::config = PTHREAD_MUTEX_INITIALIZER;
LINE_OF(stock); cache stock;
LINE_OF(boxes); box<int> boxes[2];
namespace detail {
LINE_OF(nested); box<std::pair<int, long>> nested;
}
namespace {
LINE_OF(unseen); std::mutex unseen;
}

__attribute__((noinline)) int cache::refill(int n)
{
    LINE_OF(in_method); static shard in_method[2];
    AS("shop::cache::refill(int)::in_method[1].lock", line_of_in_method, in_method[1].lock,
       "shop::cache::refill(int)::in_method", in_method);
    return n;
}

inline int counter(int n)
{
    LINE_OF(calls); static std::mutex calls;
    AS("shop::counter(int)::calls", line_of_calls, calls, "shop::counter(int)::calls", calls);
    return n;
}
} // namespace shop

LINE_OF(diamond); left diamond;
LINE_OF(derived); lockable derived[3];

static __attribute__((noinline)) void in_function()
{
    LINE_OF(once); static std::once_flag once;
    AS("in_function()::once", line_of_once, once, "in_function()::once", once);
}

int main()
{
    using namespace shop;
    SAME(plain);
    SAME(in_c);
    AS("derived[1]", line_of_derived, derived[1], "derived", derived);
    AS("shop::cache::config", DEFINED(cache::line_of_config_declared, line_of_config), cache::config,
       "shop::cache::config", cache::config);
    AS("shop::cache::later", cache::line_of_later, cache::later, "shop::cache::later", cache::later);
    AS("shop::box<int>::all", DEFINED(box<int>::line_of_all_declared, line_of_all), box<int>::all,
       "shop::box<int>::all", box<int>::all);
    AS("shop::stock.lock", line_of_stock, stock.lock, "shop::stock", stock);
    AS("shop::stock.guard", line_of_stock, stock.guard, "shop::stock", stock);
    AS("shop::stock.users", line_of_stock, stock.users, "shop::stock", stock);
    AS("shop::stock.shards[0].lock", line_of_stock, stock.shards[0], "shop::stock", stock);
    AS("shop::stock.shards[2].changed", line_of_stock, stock.shards[2].changed, "shop::stock", stock);
    AS("shop::stock.shards[3].users", line_of_stock, stock.shards[3].users, "shop::stock", stock);
    AS("shop::stock.shards[3].mutex", line_of_stock, stock.shards[3].pad, "shop::stock", stock);
    AS("shop::stock.shards[3].locks[1]", line_of_stock, stock.shards[3].locks[1], "shop::stock", stock);
    AS("shop::stock.spare[2].lock", line_of_stock, stock.spare[2].lock, "shop::stock", stock);
    AS("shop::stock.both", line_of_stock, stock.both.second, "shop::stock", stock);
    AS("shop::boxes[1].lock", line_of_boxes, boxes[1].lock, "shop::boxes", boxes);
    AS("shop::detail::nested.lock", detail::line_of_nested, detail::nested.lock, "shop::detail::nested",
       detail::nested);
    AS("shop::(anonymous namespace)::unseen", line_of_unseen, unseen, "shop::(anonymous namespace)::unseen", unseen);
    AS("diamond.turns", line_of_diamond, diamond.turns, "diamond", diamond);
    stock.refill(1);
    counter(1);
    in_function();
    unseen.lock();
}
