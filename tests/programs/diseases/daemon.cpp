/*
 * A daemon with three parts that have nothing to do with each other: sessions, metrics, and a cache of names. Somebody
 * once made a single lock for "the globals", and it has stayed.
 */
#include "work.h"

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int ROUNDS = 22;
constexpr int64_t EXPIRE_US = 2500, RENDER_US = 2500, REFRESH_US = 2500;

std::mutex globals_lock;
line globals_line = {3, 0, 0};

/* --- sessions ----------------------------------------------------------------------------------------------------- */

struct Session {
    long last_seen = 0;
    std::string user;
};
std::map<int, Session> sessions;

NOINLINE size_t count_expired(long now)
{
    size_t n = 0;
    for (const auto &s : sessions)
        n += s.second.last_seen + 30 < now;
    return n;
}

NOINLINE void expire_sessions(long now)
{
    std::lock_guard<std::mutex> held(globals_lock);
    line_have_turn(&globals_line);
    size_t expired = 0;
    FOR_CPU_US(EXPIRE_US)
        expired = count_expired(now);
    if (expired)
        sessions[(int)now % 100].last_seen = now;
}

void session_keeper()
{
    for (int i = 0; i < ROUNDS; i++) {
        line_stand(&globals_line);
        expire_sessions(i);
        line_leave(&globals_line);
    }
    line_add(&globals_line.members, -1);
}

/* --- metrics ------------------------------------------------------------------------------------------------------ */

std::vector<uint64_t> counters(4096);

NOINLINE uint64_t sum_counters()
{
    uint64_t sum = 0;
    for (uint64_t c : counters)
        sum += c;
    return sum;
}

NOINLINE void render_metrics(size_t i)
{
    std::lock_guard<std::mutex> held(globals_lock);
    line_have_turn(&globals_line);
    uint64_t sum = 0;
    FOR_CPU_US(RENDER_US)
        sum = sum_counters();
    counters[i % counters.size()] += sum % 3 + 1;
}

void metrics_exporter()
{
    for (size_t i = 0; i < ROUNDS; i++) {
        line_stand(&globals_line);
        render_metrics(i);
        line_leave(&globals_line);
    }
    line_add(&globals_line.members, -1);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

std::map<std::string, uint64_t> names;

NOINLINE uint64_t resolve(const std::string &name)
{
    uint64_t hash = FIRST_HASH;
    for (char c : name)
        MIX(hash, (unsigned char)c);
    return hash;
}

NOINLINE void refresh_names(int i)
{
    std::lock_guard<std::mutex> held(globals_lock);
    line_have_turn(&globals_line);
    std::string name = "host" + std::to_string(i % 16) + ".example.com";
    FOR_CPU_US(REFRESH_US)
        for (const char *suffix : {"", ".local", ".lan", ".home", ".office", ".test"})
            names[name + suffix] = resolve(name + suffix);
}

void name_resolver()
{
    for (int i = 0; i < ROUNDS; i++) {
        line_stand(&globals_line);
        refresh_names(i);
        line_leave(&globals_line);
    }
    line_add(&globals_line.members, -1);
}

} // namespace

int main()
{
    for (int i = 0; i < 100; i++)
        sessions[i] = {i, "user" + std::to_string(i)};
    std::thread parts[] = {std::thread(session_keeper), std::thread(metrics_exporter), std::thread(name_resolver)};
    for (auto &part : parts)
        part.join();
    printf("%zu sessions, %zu names\n", sessions.size(), names.size());
    return 0;
}
