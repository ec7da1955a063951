/* Customers queue for one clerk: how long does a customer take? examples/mm1.c, as a C++ program would write it.
 * c++ -O2 -DSIMKIT_STATIC -I. examples/cpp/mm1.cpp -o mm1 -lm && ./mm1
 *
 * A world in a unique_ptr, results as exceptions, descriptions that begin empty, and callbacks that are member functions or
 * lambdas without a capture. An exception must not leave the body of a process: it is caught there and thrown behind the run. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

//! [world]
struct closes {
    void operator()(simkit_world *world) const { simkit_world_close(world); }
};
using world_pointer = std::unique_ptr<simkit_world, closes>;

void check(simkit_world *world, simkit_result result)
{
    if (result != SIMKIT_OK) throw std::runtime_error(world ? simkit_world_why(world) : simkit_result_text(result));
}

world_pointer open(const simkit_world_desc &desc = {})
{
    simkit_world *world = nullptr;
    check(nullptr, simkit_world_open(&desc, &world));
    return world_pointer(world);
}
//! [world]

class bank {
public:
    static constexpr int customers = 200000;

    explicit bank(double load) : load_(load)
    {
        simkit_resource_desc clerk{};
        clerk.name = "clerk";
        check(world(), simkit_resource_open(world(), &clerk, &clerk_));
        start<bank, &bank::street>(this);
    }

    double run()
    {
        check(world(), simkit_world_run(world()));
        if (failure_) std::rethrow_exception(failure_);
        return took_ / customers;
    }

private:
    //! [process]
    /* A process whose body is a member function. */
    template <class T, void (T::*body)()> void start(T *object)
    {
        simkit_process_desc desc{};
        desc.user = object;
        desc.body = [](simkit_world *world, void *user) {
            T *self = static_cast<T *>(user);
            try {
                (self->*body)();
            } catch (...) {
                self->failure_ = std::current_exception();
                simkit_world_stop(world);
            }
        };
        check(world(), simkit_process_start(world(), &desc, nullptr));
    }
    //! [process]

    void customer()
    {
        const double arrived = simkit_clock_now(world());
        check(world(), simkit_process_acquire(world(), clerk_, 1, 0));
        check(world(), simkit_process_wait(world(), simkit_random_exponential(&services_, 1)));
        check(world(), simkit_resource_release(world(), clerk_, 1));
        took_ += simkit_clock_now(world()) - arrived;
    }

    void street()
    {
        for (int i = 0; i < customers; ++i) {
            check(world(), simkit_process_wait(world(), simkit_random_exponential(&arrivals_, 1 / load_)));
            start<bank, &bank::customer>(this);
        }
    }

    simkit_world *world() const { return world_.get(); }

    world_pointer world_ = open();
    simkit_resource clerk_ = 0;
    simkit_random arrivals_ = simkit_random_stream(world_.get(), 1), services_ = simkit_random_stream(world_.get(), 2);
    double load_, took_ = 0;
    std::exception_ptr failure_;
};

} // namespace

int main()
try {
    bool near = true;
    std::printf("load   simulated    theory\n");
    for (int percent = 20; percent <= 80; percent += 20) {
        const double load = percent / 100., mean = bank(load).run(), theory = 1 / (1 - load);
        const std::string bar(static_cast<size_t>(8 * mean + 0.5), '#');
        std::printf("%3d %%  %7.2f s  %7.2f s  %s\n", percent, mean, theory, bar.c_str());
        near = near && mean > 0.95 * theory && mean < 1.05 * theory;
    }
    std::printf("\n%s\n", near ? "simulation and theory agree within 5 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 5 %");
    return !near;
} catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
