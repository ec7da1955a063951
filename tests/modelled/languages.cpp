/* languages.cpp - clocks and waits as C++ makes them. Prints the name of each, the seconds that it should take, or a clock show,
 * and those that it does. The argument is the number of cores. */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>
#ifdef RANKS
#include <mpi.h>
#endif

using namespace std::chrono;
static const auto unit = milliseconds(20);

template <class Clock, class Work> static void show(const char *name, Work work)
{
    const auto begun = Clock::now();
    work();
    std::printf("%s\t0.02\t%.6f\n", name, duration<double>(Clock::now() - begun).count());
}

int main(int argc, char **argv)
{
#ifdef RANKS
    MPI_Init(&argc, &argv);
#endif
    std::mutex mutex;
    std::condition_variable condition;
    std::counting_semaphore<4> semaphore(0);
    show<steady_clock>("this_thread::sleep_for", [] { std::this_thread::sleep_for(unit); });
    show<system_clock>("this_thread::sleep_until", [] { std::this_thread::sleep_until(system_clock::now() + unit); });
    show<high_resolution_clock>("thread::join", [] { std::thread([] { std::this_thread::sleep_for(unit); }).join(); });
    show<steady_clock>("condition_variable::wait_for", [&] {
        std::unique_lock lock(mutex);
        condition.wait_for(lock, unit);
    });
    show<steady_clock>("condition_variable::wait_until", [&] {
        std::unique_lock lock(mutex);
        condition.wait_until(lock, system_clock::now() + unit);
    });
    show<steady_clock>("counting_semaphore::try_acquire_for", [&] { (void)semaphore.try_acquire_for(unit); });
    show<steady_clock>("timed_mutex::try_lock_for", [] {
        std::timed_mutex timed;
        timed.lock();
        std::thread([&] { (void)timed.try_lock_for(unit); }).join();
    });
    show<steady_clock>("future::get", [] { std::async(std::launch::async, [] { std::this_thread::sleep_for(unit); }).get(); });
    show<steady_clock>("future::wait_for", [] {
        std::promise<int> promise;
        promise.get_future().wait_for(unit);
    });
    std::printf("thread::hardware_concurrency\t%d\t%u\n", argc > 1 ? std::atoi(argv[1]) : 1, std::thread::hardware_concurrency());
#ifdef RANKS
    MPI_Finalize();
#endif
}
