/*
 * An index of words over some documents, a thread for each. One of the documents is the encyclopaedia.
 */
#include "work.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int DOCUMENTS = 4;
constexpr int64_t LETTER_US = 8000, BOOK_US = 200000;

struct Document {
    std::string title, text;
    int64_t index_us; /* how long it is */
    std::map<std::string, int> words;
    size_t entries = 0;
};

std::string make_text(int seed)
{
    std::string text;
    for (int i = 0; i < 400; i++)
        text += "word" + std::to_string((i * seed) % 97) + (i % 9 ? " " : ". ");
    return text;
}

NOINLINE void count_words(const std::string &text, std::map<std::string, int> &words)
{
    size_t at = 0;
    while (at < text.size()) {
        size_t end = text.find(' ', at);
        end = end == std::string::npos ? text.size() : end;
        if (end > at)
            words[text.substr(at, end - at)]++;
        at = end + 1;
    }
}

NOINLINE void index_document(Document &d)
{
    FOR_CPU_US(d.index_us)
        count_words(d.text, d.words);
    d.entries = d.words.size();
}

void indexer(Document *d) { index_document(*d); }

NOINLINE std::map<std::string, int> merge(const std::vector<Document> &documents)
{
    std::map<std::string, int> all;
    for (const Document &d : documents)
        for (const auto &word : d.words)
            all[word.first] += word.second > 0;
    return all;
}

NOINLINE void index_all(std::vector<Document> &documents)
{
    std::vector<std::thread> threads;
    for (Document &d : documents)
        threads.emplace_back(indexer, &d);
    for (std::thread &t : threads)
        t.join();
}

} // namespace

int main()
{
    std::vector<Document> documents;
    for (int i = 0; i < DOCUMENTS; i++) {
        Document d;
        d.title = i == 1 ? "encyclopaedia" : "letter " + std::to_string(i);
        d.text = make_text(i + 2);
        d.index_us = i == 1 ? BOOK_US : LETTER_US;
        documents.push_back(d);
    }
    index_all(documents);
    size_t entries = 0;
    for (const Document &d : documents) {
        CHECK(d.entries > 0);
        entries += d.entries;
    }
    std::map<std::string, int> all = merge(documents);
    CHECK(all.size() <= entries);
    printf("%d documents, %zu words\n", DOCUMENTS, all.size());
    return 0;
}
