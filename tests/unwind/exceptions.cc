/* Frames of the C++ runtime: stacks inside destructors while an exception passes, in handlers, and in between. */
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unwind/subjects.h"

namespace
{

struct visitor {
    ~visitor() { visit(); }
};

__attribute__((noinline)) int thrower(int n, const std::string &why)
{
    visitor v;
    if (n == 0)
        throw std::runtime_error(why + " thrown");
    int r = thrower(n - 1, why + ".");
    return r + static_cast<int>(why.size());
}

__attribute__((noinline)) int catcher(int n)
{
    try {
        return thrower(n % 5, "why");
    } catch (const std::exception &e) {
        visit();
        if (n > 0)
            return catcher(n - 1);
        return static_cast<int>(std::string(e.what()).size());
    }
}

} // namespace

extern "C" void subject_exceptions(void)
{
    static volatile int sink;
    for (int i = 0; i < 4; i++)
        sink = catcher(i);
    std::vector<int> v = {5, 3, 9, 1, 7, 2};
    std::sort(v.begin(), v.end(), [](int a, int b) {
        visit();
        return a < b;
    });
    std::function<int(int)> f = [&](int n) {
        visit();
        return n ? f(n - 1) + v[0] : 0;
    };
    sink = f(5);
}
