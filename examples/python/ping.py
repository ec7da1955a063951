#!/usr/bin/env python3
"""How long does a message take to a neighbour and back, and which part of it is the wire? examples/ping.c, in Python.

    python3 examples/python/ping.py
"""
import kit

LATENCY, BANDWIDTH = 50e-6, 125e6  # [s], [B/s]
k = kit.load()


def player(p, pong, ping, size, took):
    start = k.simkit_clock_now(p.world)
    yield p.send(pong, size, "ping")
    yield p.receive(ping)
    took.append(k.simkit_clock_now(p.world) - start)


def wall(p, pong, ping):
    ball = yield p.receive(pong)
    yield p.send(ping, ball.bytes, "pong")


def play(size):
    """Plays once in a world of its own; gives the round trip [s]."""
    world = k.simkit_world_open(k.simkit_world_desc(latency=LATENCY))
    computer, took = k.simkit_node_desc(up_bandwidth=BANDWIDTH, down_bandwidth=BANDWIDTH), []
    here, there = k.simkit_node_add(world, computer), k.simkit_node_add(world, computer)
    ping, pong = k.simkit_mailbox_open(world, here, "ping"), k.simkit_mailbox_open(world, there, "pong")
    kit.Process(k, world, player, pong, ping, size, took, node=here)
    kit.Process(k, world, wall, pong, ping, node=there)
    kit.run(k, world)
    k.simkit_world_close(world)
    return took[0]


print("    bytes   simulated [s]  2 (l + s/b) [s]   share of the wire")
way, equal, size = k.netmodel_link(latency=LATENCY, byte_time=1 / BANDWIDTH), True, 1.0
while size <= 1e8:
    simulated, closed = play(size), 2 * k.netmodel_link_time(way, size)
    wire = 2 * size * way.byte_time / closed
    equal = equal and abs(simulated / closed - 1) < 1e-12
    print(f"{size:9.0f}   {simulated:13.6f}    {closed:13.6f}   {100 * wire:5.1f} %  |{'#' * int(40 * wire + 0.5):40}|")
    size *= 10
print("\nsimulated and closed form are equal" if equal else "\nSIMULATED AND CLOSED FORM DIFFER")
