// A graph of oneTBB that counts: two nodes, each of whose bodies is a task of ITT notify where the program asks for that.
#include <atomic>
#include <cstdio>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>

int main()
{
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
    std::atomic<long> sum(0);
    tbb::flow::graph graph;
    tbb::flow::function_node<int, int> square(graph, tbb::flow::unlimited, [](int n) { return n * n; });
    tbb::flow::function_node<int, int> add(graph, tbb::flow::serial, [&](int n) {
        sum += n;
        return 0;
    });
    tbb::flow::make_edge(square, add);
    for (int i = 1; i <= 100; i++)
        square.try_put(i);
    graph.wait_for_all();
    std::printf("%ld\n", sum.load());
    return 0;
}
