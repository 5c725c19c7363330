/*
 * A mailbox: clients leave requests, and a server answers them. The server looks into the box every millisecond.
 */
#include "work.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

constexpr int REQUESTS = 16, LOOKS = 6;
constexpr int64_t ANSWER_US = 500;

struct Answer {
    std::mutex lock;
    std::condition_variable arrived;
    bool there = false;
    uint64_t value = 0;

    void set(uint64_t v)
    {
        std::lock_guard<std::mutex> held(lock);
        value = v;
        there = true;
        arrived.notify_one();
    }
    uint64_t get()
    {
        std::unique_lock<std::mutex> held(lock);
        arrived.wait(held, [this] { return there; });
        return value;
    }
};

struct Request {
    std::string words;
    std::shared_ptr<Answer> answer;
};

class Mailbox {
  public:
    void put(Request r)
    {
        std::lock_guard<std::mutex> held(lock_);
        requests_.push_back(std::move(r));
    }
    bool take(Request &r)
    {
        std::lock_guard<std::mutex> held(lock_);
        looks++;
        if (requests_.empty())
            return false;
        r = std::move(requests_.front());
        requests_.pop_front();
        return true;
    }
    std::atomic<int> looks{0};

  private:
    std::mutex lock_;
    std::deque<Request> requests_;
};

Mailbox mailbox;

NOINLINE uint64_t digest(const std::string &words)
{
    uint64_t hash = FIRST_HASH;
    for (char c : words)
        MIX(hash, (unsigned char)c);
    return hash;
}

NOINLINE void poll_mailbox(Request &r)
{
    while (!mailbox.take(r))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void serve()
{
    for (int i = 0; i < REQUESTS; i++) {
        Request r;
        poll_mailbox(r);
        uint64_t hash = 0;
        FOR_CPU_US(ANSWER_US)
            hash = digest(r.words);
        r.answer->set(hash);
    }
}

/* As long as somebody reads the last answer, the server has looked several times. */
NOINLINE void read_answer(uint64_t value, uint64_t expected)
{
    CHECK(value == expected);
    int looks = mailbox.looks;
    while (mailbox.looks < looks + LOOKS)
        FOR_CPU_US(100)
            CHECK(digest("the answer") != 0);
}

void ask()
{
    for (int i = 0; i < REQUESTS; i++) {
        Request r{"request " + std::to_string(i), std::make_shared<Answer>()};
        std::shared_ptr<Answer> answer = r.answer;
        mailbox.put(r);
        uint64_t value = answer->get();
        if (i + 1 < REQUESTS)
            read_answer(value, digest(r.words));
    }
}

} // namespace

int main()
{
    std::thread server(serve), client(ask);
    client.join();
    server.join();
    printf("%d answers\n", REQUESTS);
    return 0;
}
