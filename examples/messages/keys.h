/* keys.h - the keys of a machine file that only message-passing programs look for; docs/messages.md describes them. hosts.c
 * reads them, and other programs that read machine files skip them: KEY(name, kind, field, part). */
#ifndef MESSAGES_KEYS_H
#define MESSAGES_KEYS_H

#define MESSAGES_NODE_KEYS(KEY)                                                                                        \
    KEY("type", TEXT, type, 0)                                                                                         \
    KEY("placement", PLACEMENT, only_asked, 0)                                                                         \
    KEY("initialise", TIME, initialise, 0)                                                                             \
    KEY("spawn", TIME, spawn, 0)                                                                                       \
    KEY("pack", DELAY, delays.pack, PACK)                                                                              \
    KEY("send", DELAY, delays.send, SEND)                                                                              \
    KEY("transmit", DELAY, delays.transmit, TRANSMIT)                                                                  \
    KEY("receive", DELAY, delays.receive, RECEIVE)                                                                     \
    KEY("watch", DELAY, watch, 0)                                                                                      \
    KEY("watch_busy", TIME, watch_busy, 0)                                                                             \
    KEY("disk_cache", SIZE, disk.cache, 0)                                                                             \
    KEY("disk_bandwidth", RATE, disk.bandwidth, 0)                                                                     \
    KEY("disk_latency", TIME, disk.latency, 0)                                                                         \
    KEY("wake", TIME, wake, 0)                                                                                         \
    KEY("sockets", COUNT, sockets, 0)                                                                                  \
    KEY("core_quota", TIME, core_quota, 0)                                                                             \
    KEY("copy", DELAY, copy, COPY)                                                                                     \
    KEY("send_more", TIME, send_more, 0)                                                                               \
    KEY("receive_more", TIME, receive_more, 0)                                                                         \
    KEY("self_send", SELF_DELAY, self.send, SEND)                                                                      \
    KEY("self_transmit", SELF_DELAY, self.transmit, TRANSMIT)                                                          \
    KEY("self_receive", SELF_DELAY, self.receive, RECEIVE)

#define MESSAGES_MACHINE_KEYS(KEY)                                                                                     \
    KEY("users", TEXT, users, 0)                                                                                       \
    KEY("look", TIME, look, 0)                                                                                         \
    KEY("look_more", TIME, look_more, 0)                                                                               \
    KEY("eager", SIZE, eager, 0)                                                                                       \
    KEY("early", SIZE, early, 0)                                                                                       \
    KEY("buffer", SIZE, buffer, 0)                                                                                     \
    KEY("ahead", SIZE, ahead, 0)                                                                                       \
    KEY("queue", SIZE, queue, 0)                                                                                       \
    KEY("header", SIZE, header, 0)                                                                                     \
    KEY("header_more", SIZE, header_more, 0)                                                                           \
    KEY("acknowledge", SIZE, acknowledge, 0)                                                                           \
    KEY("progress", PROGRESS, progress_in_calls, 0)

#define MESSAGES_PAIR_KEYS(KEY)                                                                                        \
    KEY("pack", DELAY, delays.pack, PACK)                                                                              \
    KEY("send", DELAY, delays.send, SEND)                                                                              \
    KEY("transmit", DELAY, delays.transmit, TRANSMIT)                                                                  \
    KEY("receive", DELAY, delays.receive, RECEIVE)

#endif
