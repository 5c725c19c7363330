/*
 * A bank: transfers are made under the lock of the accounts, and each is noted in the audit log, which has a lock of its
 * own. An archivist packs the log now and then, under that lock.
 */
#include "work.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int TELLERS = 3, ARCHIVES = 20, PER_ARCHIVE = 3;
constexpr int64_t PACK_US = 8000, TRANSFER_US = 100;

struct Entry {
    int from, to;
    long amount;
};

int accounts_demand, log_demand;
std::atomic<bool> over{false};
std::atomic<int> transfers{0}, archives{0};

class AuditLog {
  public:
    void append(const Entry &e)
    {
        line_add(&log_demand, 1);
        std::lock_guard<std::mutex> held(lock_);
        entries_.push_back(e);
        line_add(&log_demand, -1);
    }
    void archive()
    {
        std::lock_guard<std::mutex> held(lock_);
        archives++;
        while (line_value(&log_demand) < 1 || line_value(&accounts_demand) < TELLERS)
            packed_ = pack(entries_);
        FOR_CPU_US(PACK_US)
            packed_ = pack(entries_);
        entries_.clear();
    }

  private:
    static NOINLINE uint64_t pack(const std::vector<Entry> &entries)
    {
        uint64_t hash = FIRST_HASH;
        for (int round = 0; round < 64; round++)
            for (const Entry &e : entries)
                MIX(hash, (uint64_t)e.amount);
        return hash;
    }

    std::mutex lock_;
    std::vector<Entry> entries_;
    uint64_t packed_ = 0;
};

AuditLog audit_log;

class Accounts {
  public:
    explicit Accounts(int n)
    {
        for (int i = 0; i < n; i++)
            balance_[i] = 1000;
    }
    void transfer(int from, int to, long amount)
    {
        std::lock_guard<std::mutex> held(lock_);
        FOR_CPU_US(TRANSFER_US) {
            balance_[from] -= amount;
            balance_[to] += amount;
        }
        audit_log.append({from, to, amount});
        transfers++;
    }
    long total()
    {
        std::lock_guard<std::mutex> held(lock_);
        long sum = 0;
        for (const auto &b : balance_)
            sum += b.second;
        return sum;
    }

  private:
    std::mutex lock_;
    std::map<int, long> balance_;
};

Accounts accounts(100);

void teller(int seed)
{
    for (int i = seed; !over; i++) {
        line_add(&accounts_demand, 1);
        accounts.transfer(i % 100, i * 7 % 100, 1);
        line_add(&accounts_demand, -1);
    }
}

/* Again after some transfers; they go on while it packs. */
void archivist()
{
    while (archives < ARCHIVES) {
        int n = transfers;
        audit_log.archive();
        while (transfers < n + PER_ARCHIVE)
            std::this_thread::yield();
    }
    over = true;
}

} // namespace

int main()
{
    std::vector<std::thread> tellers;
    for (int i = 0; i < TELLERS; i++)
        tellers.emplace_back(teller, i * 1000);
    std::thread packs(archivist);
    packs.join();
    for (auto &t : tellers)
        t.join();
    CHECK(accounts.total() == 100 * 1000);
    printf("%d archives\n", ARCHIVES);
    return 0;
}
