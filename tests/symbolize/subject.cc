// Something for optimisers to inline, instantiate, clone and split.
#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace shop {
struct item {
    std::string name;
    int price;
};

static inline int discounted(int price, int percent)
{
    if (percent < 0 || percent > 100)
        throw std::out_of_range("percent");
    return price - price * percent / 100;
}

template <class T> T total(const std::vector<item> &items, T start)
{
    for (const item &i : items)
        start += discounted(i.price, static_cast<int>(i.name.size()));
    return start;
}
} // namespace shop

int main(int argc, char **argv)
{
    std::vector<shop::item> items;
    std::map<std::string, std::vector<int>> by_name;
    std::regex word("[a-z]+(-[a-z]+)*");
    for (int i = 0; i < argc * 8; i++) {
        std::string name = argv[i % argc];
        if (std::regex_search(name, word))
            by_name[name].push_back(i);
        items.push_back({name, i});
    }
    std::sort(items.begin(), items.end(), [](const shop::item &a, const shop::item &b) { return a.name < b.name; });
    std::printf("%ld %zu\n", shop::total<long>(items, 0), by_name.size());
}
