// conform_cxx.cpp - threads of C++20. It prints the same with real threads and on the virtual clock.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::mutex lock;
static std::atomic<int> destroyed{ 0 }, constructed{ 0 };

struct Local {
    int value = 5;
    Local() { ++constructed; }
    ~Local()
    {
        std::lock_guard<std::mutex> guard(lock);
        ++destroyed;
    }
};
static thread_local Local local;

static int slow_static()
{
    static const int value = [] {
        std::this_thread::sleep_for(5ms);
        return 11;
    }();
    return value;
}

// Waits for a variable without any call: only preemption lets the others go on.
static std::atomic<bool> flag{ false };
static long spin()
{
    while (!flag.load(std::memory_order_acquire)) {}
    return 1;
}

int main()
{
    std::vector<std::thread> threads;
    long counter = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&counter, i] {
            local.value += i;
            for (int k = 0; k < 100; ++k) {
                std::lock_guard<std::mutex> guard(lock);
                const long before = counter;
                if (k % 50 == 0) std::this_thread::sleep_for(1ms);
                counter = before + 1;
            }
            if (local.value != 5 + i) std::puts("a thread-local variable is wrong");
        });
    for (auto &t : threads) t.join();
    threads.clear();
    std::printf("counted %ld, constructed %d, destroyed %d\n", counter, constructed.load(), destroyed.load());
    std::printf("cores %d\n", std::thread::hardware_concurrency() >= 1);

    std::vector<std::future<int>> futures;
    for (int i = 0; i < 4; ++i) futures.push_back(std::async(std::launch::async, [i] { return slow_static() + i; }));
    for (auto &f : futures) std::printf("future %d\n", f.get());
    auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("thrown in a thread"); });
    try {
        failing.get();
    } catch (const std::exception &e) {
        std::printf("caught: %s\n", e.what());
    }
    std::promise<int> promise;
    std::printf("ready %d\n", promise.get_future().wait_for(5ms) == std::future_status::ready);

    std::once_flag once;
    int calls = 0;
    for (int i = 0; i < 3; ++i)
        try {
            std::call_once(once, [&calls] {
                if (++calls < 3) throw std::runtime_error("again");
            });
        } catch (const std::runtime_error &e) {
            std::printf("once: %s\n", e.what());
        }
    std::printf("calls %d\n", calls);

    std::timed_mutex timed;
    timed.lock();
    std::thread([&timed] { std::printf("try_lock_for %d\n", timed.try_lock_for(5ms)); }).join();
    timed.unlock();
    std::recursive_mutex recursive;
    recursive.lock();
    std::printf("recursive %d\n", recursive.try_lock());
    std::shared_mutex shared;
    shared.lock_shared();
    std::thread([&shared] { std::printf("shared %d, alone %d\n", shared.try_lock_shared() && (shared.unlock_shared(), true), shared.try_lock()); }).join();
    shared.unlock_shared();

    std::condition_variable condition;
    bool ready = false;
    std::thread waiter([&] {
        std::unique_lock<std::mutex> guard(lock);
        std::printf("wait_for %d\n", condition.wait_for(guard, 5ms, [&ready] { return ready; }));
        condition.wait(guard, [&ready] { return ready; });
        std::puts("it is ready");
    });
    std::this_thread::sleep_for(20ms);
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
    }
    condition.notify_all();
    waiter.join();

    std::latch latch(3);
    std::counting_semaphore<8> semaphore(0);
    std::atomic<int> rounds{ 0 };
    std::barrier barrier(2, [&rounds]() noexcept { ++rounds; });
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&] {
            latch.arrive_and_wait();
            semaphore.acquire();
            for (int k = 0; k < 5; ++k) barrier.arrive_and_wait();
        });
    latch.count_down();
    std::this_thread::sleep_for(2ms);
    semaphore.release(2);
    for (auto &t : threads) t.join();
    threads.clear();
    std::printf("rounds %d\n", rounds.load());

    std::atomic<int> word{ 0 };
    std::thread changer([&word] {
        std::this_thread::sleep_for(5ms);
        word = 1;
        word.notify_all();
    });
    word.wait(0);
    changer.join();
    std::printf("word %d\n", word.load());

    auto spinner = std::async(std::launch::async, spin);
    std::this_thread::sleep_for(5ms);
    flag.store(true, std::memory_order_release);
    std::printf("spun %ld\n", spinner.get());

    std::jthread stopped([](std::stop_token token) {
        while (!token.stop_requested()) std::this_thread::sleep_for(1ms);
        std::puts("stopped");
    });
    stopped.request_stop();
    stopped.join();
    const auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_until(before + 10ms);
    std::printf("slept %d\n", std::chrono::steady_clock::now() - before >= 10ms);
    return 0;
}
