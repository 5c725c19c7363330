/*
 * A pool of workers behind one parser: it takes a log apart, line by line, and hands the lines out. Parsing is the
 * work; what is left for the pool is next to nothing.
 */
#include "work.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int WORKERS = 3, LINES = 50;
constexpr int64_t PARSE_US = 4000;

struct Line {
    std::map<std::string, std::string> fields;
};

class Pool {
  public:
    Pool()
    {
        for (int i = 0; i < WORKERS; i++)
            threads_.emplace_back(&Pool::work, this);
    }
    void submit(Line line)
    {
        std::lock_guard<std::mutex> held(lock_);
        lines_.push_back(std::move(line));
        has_lines_.notify_one();
    }
    size_t finish()
    {
        {
            std::lock_guard<std::mutex> held(lock_);
            over_ = true;
            has_lines_.notify_all();
        }
        for (auto &t : threads_)
            t.join();
        return count_;
    }

  private:
    bool next(Line &line)
    {
        std::unique_lock<std::mutex> held(lock_);
        has_lines_.wait(held, [this] { return over_ || !lines_.empty(); });
        if (lines_.empty())
            return false;
        line = std::move(lines_.front());
        lines_.pop_front();
        return true;
    }
    void store(const Line &line)
    {
        std::lock_guard<std::mutex> held(results_);
        count_ += line.fields.count("status");
    }
    void work()
    {
        for (Line line; next(line);)
            store(line);
    }

    std::mutex lock_, results_;
    std::condition_variable has_lines_;
    std::deque<Line> lines_;
    std::vector<std::thread> threads_;
    size_t count_ = 0;
    bool over_ = false;
};

NOINLINE Line split(const std::string &text)
{
    Line line;
    size_t at = 0;
    while (at < text.size()) {
        size_t end = text.find(' ', at), equals = text.find('=', at);
        end = end == std::string::npos ? text.size() : end;
        if (equals < end)
            line.fields[text.substr(at, equals - at)] = text.substr(equals + 1, end - equals - 1);
        at = end + 1;
    }
    return line;
}

/* With all the formats that a line may have. */
NOINLINE Line parse_line(const std::string &text)
{
    Line line;
    FOR_CPU_US(PARSE_US)
        line = split(text);
    return line;
}

NOINLINE void parse_log(Pool &pool)
{
    for (int i = 0; i < LINES; i++) {
        std::string text = "time=" + std::to_string(i) + " host=example status=200 path=/index.html bytes=4711";
        pool.submit(parse_line(text));
    }
}

} // namespace

int main()
{
    Pool pool;
    parse_log(pool);
    printf("%zu lines\n", pool.finish());
    return 0;
}
