/* examples/messages: what messages, connections, windows and shared links take on the virtual clock, in closed form. */
#include "programs.h"

/* The LogGOPS parameters L = 2500, o = 1500, G = 6 ns, as delays. */
static const char loggops[] = "[machine]\nlook = 0 s\n[node node]\nsend = 1500 ns\nreceive = 1500 ns\n"
                              "transmit = 1 B: 2500 ns, 1000001 B: 6002500 ns\n";

/* Against LogGOPSim, which gives these times for these parameters. */
static void trees_take_what_loggopsim_says(void **state)
{
    (void)state;
    run_on(loggops, NOTHING "SIMKIT_NP=8 SIMKIT_ALGORITHMS=bcast=binomial", "patterns bcast 1");
    prints("4500 8500 8500 12500 8500 12500 12500 16500\n");
    run_on(loggops, NOTHING "SIMKIT_NP=6 SIMKIT_ALGORITHMS=bcast=binomial", "patterns bcast 1");
    prints("4500 8500 8500 12500 7000 11000\n");
    run_on(loggops, NOTHING "SIMKIT_NP=6 SIMKIT_ALGORITHMS=bcast=binomial-nearest", "patterns bcast 1");
    prints("4500 8500 7000 11000 8500 12500\n");
    run_on(loggops, NOTHING "SIMKIT_NP=8", "patterns barrier");
    prints("16500 16500 16500 16500 16500 16500 16500 16500\n");
    run_on(loggops, NOTHING "SIMKIT_NP=16", "patterns barrier");
    assert_memory_equal(output, "22000 22000 ", 12);
    run_on(loggops, NOTHING "SIMKIT_NP=32", "patterns barrier");
    assert_memory_equal(output, "27500 27500 ", 12);
}

/* A connection takes a message there and one back, 54 us each; the side that comes first waits for the other. */
static void connections_take_two_messages(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=2", "ports time");
    prints("0.1083 ms\n0.1061 ms\n");
    run(NOTHING "SIMKIT_NP=2", "ports late");
    prints("10.0061 ms\n10.1083 ms\n"); /* the later side sends first, so the other one is through with its answer */
}

static void ports_serve_and_refuse(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=4", "ports all"); /* in the order of virtual time */
    prints("served 3\nserved 2\nserved 1\n");
    run(NOTHING "SIMKIT_NP=2", "ports refused");
    prints("PORT at 0.500 s, null 1, then PORT\n");
    run(NOTHING "SIMKIT_NP=2", "ports wrong");
    assert_non_null(strstr(output, "1: connect PORT accept PORT close PORT unpublish SERVICE lookup NAME\n"));
    run(NOTHING "SIMKIT_NP=2", "ports poll");
    prints("found at 0.2500 s\n");
    run(NOTHING "SIMKIT_NP=2", "ports spawn");
    prints("children 3\nchildren 3\n");
    run(NOTHING "SIMKIT_NP=2", "ports nobody");
    assert_int_equal(status, 1);
    says("deadlock at ");
    says("rank 0 has waited in MPI_Comm_accept since 4.512e-06 s for MPI_Comm_connect at port simkit:8\n");
    says("rank 1 has waited in MPI_Comm_connect since 6.3219483e-05 s for MPI_Comm_accept at port simkit:6\n");
    run(NOTHING "SIMKIT_NP=1", "ports fatal");
    assert_int_equal(status, 1);
    says("rank 0 in MPI_Comm_connect at 0 s: MPI_ERR_PORT: there is no port 'elsewhere', or it is closed");
}

static void a_message_takes_the_sum_of_its_delays(void **state)
{
    (void)state;
    /* 10 kB: send 120 us, transmit 100 + 1000 us, receive 230 us */
    run_on(ether, NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
    prints("2900000 1570000\n");
    /* 1 MB waits for its receiver: it asks, hears, and then comes; what sending takes is paid before it asks */
    run_on(ether, NOTHING "SIMKIT_NP=2", "patterns pingpong 1000000");
    double back, there;
    assert_int_equal(sscanf(output, "%lf %lf", &back, &there), 2);
    assert_true(fabs(back - 2 * (10.02e6 + 0.3e6 + 100e6 + 20.03e6)) < 1.0);
}

/* A message of 10 kB is copied by its sender and by its receiver, one of 1 MB only by its receiver; each copy moves two bytes for
 * each one. Ranks compute for 1 and 2 ms. */
static void messages_within_a_host_take_copies(void **state)
{
    static const struct {
        const char *keys, *small, *large, *computed;
    } cases[] = {
        { "", "0 0\n", "0 0\n", "1000000 2000000\n" },
        { "copy = 1 us + 1 GB/s", "42000 31000\n", "2006000 1006000\n", "1000000 2000000\n" },
        { "copy = 0 B: 1 us, 10 kB: 11 us", "42000 31000\n", "2006000 1006000\n", "1000000 2000000\n" },
        { "copy = 1 us + 1 GB/s\nself_transmit = 5 us", "10000 5000\n", "30000 30000\n", "1000000 2000000\n" },
        { "copy = 1 us + 1 GB/s\nself_send = 2 us", "26000 15000\n", "2010000 1010000\n", "1000000 2000000\n" },
        { "copy = 1 us + 1 GB/s\nmemory_bandwidth = 2 GB/s", "42000 31000\n", "2006000 1006000\n",
          "1000000 2000000\n" },
        { "memory_bandwidth = 2 GB/s", "40000 30000\n", "2000000 1000000\n", "1000000 2000000\n" },
        { "memory_bandwidth = 1 GB/s", NULL, NULL, "2000000 3000000\n" },
        { "memory_bandwidth = 1 GB/s\nspeed = 0.5", NULL, NULL, "2000000 4000000\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        static const char one_host[] = "[machine]\nlook = 0 s\neager = 64 KiB\n[node a]\ncount = 1\ncores = 4\n%s\n";
        const char *const wanted[] = { cases[i].small, cases[i].large, cases[i].computed };
        const char *const programs_of[] = { "patterns pingpong 10000", "patterns pingpong 1000000",
                                            "patterns compute" };
        char text[256];
        snprintf(text, sizeof text, one_host, cases[i].keys);
        for (int k = 0; k < 3; ++k) {
            double there, back, at, then;
            if (!wanted[k]) continue;
            run_on(text, NOTHING "SIMKIT_NP=2 SIMKIT_MEMORY_RATE='1 GB/s'", programs_of[k]);
            assert_int_equal(sscanf(wanted[k], "%lf %lf", &there, &back), 2);
            assert_int_equal(sscanf(output, "%lf %lf", &at, &then), 2);
            /* times are gathered by further messages of some bytes */
            if (fabs(at - there) > 20 || fabs(then - back) > 20) prints(wanted[k]);
        }
    }
}

/* Measured only where two ranks share a host. */
static void copies_are_measured_here(void **state)
{
    static const char hosts[] = "[machine]\neager = 64 KiB\n[node a]\ncount = 2\ncores = 2\n%s";
    char text[160];
    (void)state;
    for (int i = 0; i < 3; ++i) {
        double latency = 0, rate = 0;
        snprintf(text, sizeof text, hosts, i == 2 ? "copy = 1 us + 1 GB/s\n" : "");
        run_on(text, i == 1 ? "SIMKIT_REPORT=- SIMKIT_NP=1" : "SIMKIT_REPORT=- SIMKIT_NP=2", "patterns barrier");
        const char *line = strstr(errors, "messages within a host: copy = ");
        assert_true((line != NULL) == (i == 0));
        if (!line) continue;
        assert_int_equal(
            sscanf(line, "messages within a host: copy = %lf us + %lf GB/s, measured on this machine", &latency, &rate),
            2);
        assert_true(latency > 0 && latency < 100 && rate > 0.01 && rate < 1000);
    }
}

/* As a send call where the library asks first instead of copying. */
static void a_delay_may_fall_with_the_size(void **state)
{
    static const char falls[] = "[network]\nlatency = 100 us\n[node node]\nbandwidth = 10 MB/s\n"
                                "send = 0 B: 20 us, 8 kB: 60 us, 8 kB: 30 us, 12 kB: 10 us\n";
    (void)state;
    /* 10 kB: send 20 us, transmit 100 + 1000 us, and the peer has sent it back 20 us later */
    run_on(falls, NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
    prints("2240000 1140000\n");
}

/* What the calls of one-sided communication cost in messages, of 64 B for each access and 32 B for the rest. */
static void accesses_take_the_sum_of_their_messages(void **state)
{
    static const char nodes[] = "[machine]\neager = 64 KiB\n%s[network]\nlatency = 100 us\n[node node]\ncores = 2\n"
                                "bandwidth = 10 MB/s\nsend = 20 us + 100 MB/s\nreceive = 30 us + 50 MB/s\n";
    char machine[300];
    (void)state;
    snprintf(machine, sizeof machine, nodes, "");
    /* n bytes take s(n) = 20 us + 10 ns/B * n, l(n) = 100 us + 100 ns/B * n, r(n) = 30 us + 20 ns/B * n, in all m(n);
     * a fence: rank 1 sends 8 B, rank 0 answers with 4 B, then a barrier */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows fence 0");
    prints("451560 351560\n");
    /* with a put before it: s(64 + 1000) + l(64 + 1000), the 8 B behind it: 0.8 us + r(8), m(4), m(0) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows fence 1000");
    prints("568520 468520\n");
    /* lock: m(32) to ask, m(32) back; the put and the unlock: m(64 + 1000 + 32); the receipt: m(32) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows lock 1000");
    prints("754960 0\n");
    /* a large put asks first: l(0) + l(0) + m(64 + 100 000); the unlock has come meanwhile: r(32) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows lock 100000");
    prints("13851440 0\n");
    /* nothing is asked for the lock: m(64), m(32 + 1000); then the receipt, 2 m(32) */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows get 1000");
    prints("750800 0\n");
    /* ten small puts go together: m(10 * 164 + 32) + m(32); of larger ones not more than 8192 B */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows many 100");
    prints("521520 0\n");
    /* post: m(32); the put with the end of the epoch: m(64 + 1000 + 32), of which the origin only waits for s() */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows pscw 1000");
    prints("185120 446640\n");
    /* a target that computes is no hindrance, */
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows busy 1000");
    prints("754960 10000000\n");
    /* but if messages are only received in calls, the request for the lock waits for its next one */
    snprintf(machine, sizeof machine, nodes, "progress = calls\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "windows busy 1000");
    prints("10631440 10000000\n");
}

/* Random accesses, with any types and each synchronization, do to the windows what an obvious model does. */
static void accesses_do_what_they_should(void **state)
{
    static const char one_host[] = "[node node]\ncores = 8\ncount = 1\n";
    static const char *const flavors[] = { "create", "allocate", "dynamic" };
    (void)state;
    for (int ranks = 1; ranks <= 5; ++ranks)
        for (int i = 0; i < 3; ++i) {
            char settings[64], program[64];
            snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks);
            snprintf(program, sizeof program, "windows random 20 %s", flavors[i]);
            run(settings, program);
            prints("0\n");
        }
    run_on(one_host, "SIMKIT_NP=4", "windows random 20 shared");
    prints("0\n");
    run_on(one_host, "SIMKIT_NP=4", "windows shared");
    prints("0\n");
    /* the same where all messages ask first, and overtake each other */
    run_on("[machine]\neager = 64 B\n[node node]\nbandwidth = 10 MB/s\nsend = 1 us\nreceive = 2 us\n", "SIMKIT_NP=4",
           "windows random 20");
    prints("0\n");
    run_on(ether, "SIMKIT_NP=5", "windows exclude 10");
    prints("50 0\n");
    run_on(ether, "SIMKIT_NP=64", "windows count 20");
    prints("1280 0\n");
    run("SIMKIT_NP=6", "windows maximum");
    prints("4 of 2\n");
    run("SIMKIT_NP=2", "windows errors");
    prints("range fine range flavor other fine fine range \n");
    for (int ranks = 1; ranks <= 4; ++ranks) {
        char settings[64];
        snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks);
        run_on(ether, settings, "windows halo");
        prints("0\n");
    }
    run("SIMKIT_NP=3", "windows nobody");
    assert_int_equal(status, 1);
    says("rank 0 has waited in MPI_Win_wait");
    says("for MPI_Win_complete of those that access the window of rank 0");
    says("for the lock of the window of rank 2");
}

/* Each direction has its own pair; the file has them in any order. */
static void pairs_of_hosts_have_delays_of_their_own(void **state)
{
    static const char pairs[] =
        "[machine]\neager = 64 KiB\n[network]\nlatency = 100 us\n[node a]\nbandwidth = 10 MB/s\n"
        "send = 20 us + 100 MB/s\nreceive = 30 us + 50 MB/s\n[node b]\n[node c]\n"
        "[pair c a]\nlatency = 1 s\n[pair b a]\nlatency = 400 us\n[pair b c]\nlatency = 1 s\n"
        "[pair a c]\nreceive = 1 s\n[pair a b]\nlatency = 200 us\nreceive = 1 us\n[pair a a]\n";
    (void)state;
    /* 10 kB there: 120 us + 200 + 1000 us + 1 us; and back: 120 us + 400 + 1000 us + 230 us */
    run_on(pairs, NOTHING "SIMKIT_NP=3", "patterns pingpong 10000");
    prints("3071000 1441000 0\n");
}

/* A slow pair leaves the rest of its sender's link to others, and its messages share what it carries. */
static void pairs_of_hosts_have_bandwidths_of_their_own(void **state)
{
    static const char pair[] = "[machine]\neager = 10 MB\n[network]\nsharing = maxmin\n[node a]\nbandwidth = 10 MB/s\n"
                               "[node b]\n[node c]\n[pair a b]\nbandwidth = 1 MB/s\n";
    (void)state;
    run_on(pair, NOTHING "SIMKIT_NP=3", "patterns two 1000000"); /* 1 s at 1 MB/s; the other 1 MB at 9 MB/s */
    prints("0 1000000000 111111111\n");
    run_on("[machine]\neager = 10 MB\n[node a]\nbandwidth = 10 MB/s\n[node b]\ncores = 2\n[pair a b]\nbandwidth = 1 "
           "MB/s\n",
           NOTHING "SIMKIT_NP=3", "patterns two 1000000"); /* both to one host, over the pair's link */
    prints("0 2000000000 2000000000\n");
    run_on("[machine]\neager = 10 MB\n[node a]\n[node b]\n[pair a b]\nbandwidth = 1 MB/s\n", NOTHING "SIMKIT_NP=2",
           "patterns pingpong 1000000"); /* hosts without links */
    prints("1000000000 1000000000\n");
}

static void large_messages_go_in_parts(void **state)
{
    const char *const links =
        "[machine]\neager = 64 KiB\n%s[network]\nlatency = 100 us\n[node node]\nbandwidth = 10 MB/s\n";
    char machine[200];
    (void)state;
    /* the question and its answer take 100 us each, then come 100 us and 100 ms */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns send 1000000");
    prints("100300000 100300000\n");
    /* a matched probe, which takes 1 us, and 1 ms of computation delay the answer */
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns matched 1000000");
    prints("101301000 101301000\n");
    /* 50 kB of it go with the question; the sender is through when all but 100 kB have gone */
    snprintf(machine, sizeof machine, links, "early = 50 kB\nbuffer = 100 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns send 1000000");
    prints("90300000 100300000\n");
    /* of 120 kB the rest finds room at once */
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns send 120000");
    prints("5300000 12300000\n");
    /* the answer waits for 6 ms of other bytes that go its way */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns behind 1000000");
    prints("106200000 106200000\n");
}

static void an_answer_waits_for_what_is_handed_over(void **state)
{
    const char *const links =
        "[machine]\neager = 1 kB\n%s[network]\nlatency = 10 us\n[node node]\nbandwidth = 10 MB/s\n";
    char machine[200];
    double first, second;
    (void)state;
    /* Four times 1 MB each way: 100 ms each, for both ways at once, and 30 us to ask and hear. Rank 1 begins 1 ms later. */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns swap 1000000");
    assert_int_equal(sscanf(output, "%lf %lf", &first, &second), 2);
    assert_true(fabs(second - (1e6 + 4 * 100.03e6)) < 20e3);
    /* An answer that finds a large message on its way waits for 200 kB of it. The part of 50 kB that is being transferred
     * counts as a whole, so it waits for 15 to 20 ms; its own message takes 5 ms. */
    snprintf(machine, sizeof machine, links, "ahead = 200 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns behind_large 1000000");
    assert_int_equal(sscanf(output, "%lf %lf", &first, &second), 2);
    assert_true(first > 10e6 + 15e6 + 5e6 && first < 10e6 + 20e6 + 5e6 + 0.1e6);
    snprintf(machine, sizeof machine, links, "ahead = 0 B\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns behind_large 1000000");
    assert_int_equal(sscanf(output, "%lf %lf", &first, &second), 2);
    assert_true(first > 10e6 + 5e6 && first < 10e6 + 5e6 + 0.1e6);
}

static void what_follows_costs_less(void **state)
{
    const char *const costs = "[machine]\nheader = 100 B\nheader_more = 20 B\n[network]\nlatency = 100 us\n"
                              "[operation messages]\nspacing = 1 ms\nrepeated = 50 %\n"
                              "[node node]\nbandwidth = 1 MB/s\nsend = 10 us\nreceive = 8 us\nwatch = 6 us\n"
                              "wake = 5 us\nsend_more = 1 us\nreceive_more = 2 us\n";
    (void)state;
    /* After computing the first send takes 10 us, the others, which find it on its way, 1 us each. The receiver computes
     * for longer than they need to arrive: 8 us for the first, 2 us for what is found with it. */
    run_on(costs, NOTHING "SIMKIT_NP=2", "patterns row 2000");
    prints("1012000 2012000\n");
    /* It waits: woken while the 100 B of the first header pass, from 1110 to 1210 us; the next ones come 20 and 40 us later.
     * None finds others, and without computing each takes half of 8 us. */
    run_on(costs, NOTHING "SIMKIT_NP=2", "patterns row 0");
    prints("1012000 1254000\n");
    /* of the receives a quarter */
    run_on("[machine]\nheader = 100 B\nheader_more = 20 B\n[network]\nlatency = 100 us\n"
           "[operation messages]\nspacing = 1 ms\nrepeated = 50 %\nrepeated_receive = 25 %\n"
           "[node node]\nbandwidth = 1 MB/s\nsend = 10 us\nreceive = 8 us\nsend_more = 1 us\n",
           NOTHING "SIMKIT_NP=2", "patterns row 0");
    prints("1012000 1252000\n");
}

static void a_receiver_of_a_busy_computer_is_awake(void **state)
{
    const char *const nodes = "[machine]\nlook = 1 us\n%s[node node]\n%ssend = 10 us\nreceive = 8 us\nwatch = 6 us\n"
                              "wake = 5 us\n%s";
    char machine[200];
    (void)state;
    /* There and back: each sends for 10 us, is woken in 5 us, watches for 6 us and receives for 8 us. */
    snprintf(machine, sizeof machine, nodes, "", "count = 4\nhosts = 2\n", "watch_busy = 1 us\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
    prints("58000 39000\n");
    /* On one computer the sender was active when the message came, which then takes 1 us instead of 5 and 6; at the end
     * rank 0 shares the core with rank 1, which sends its time and then ends. */
    const char *const one[] = { "count = 4\nhosts = 1\n", "hosts = 1\n" };
    for (int i = 0; i < 2; ++i) {
        snprintf(machine, sizeof machine, nodes, "", one[i], "watch_busy = 1 us\n");
        run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
        prints("47000 29000\n");
    }
    snprintf(machine, sizeof machine, nodes, "", one[0], "");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
    prints("72000 39000\n");
    /* but not if the message comes 100 us later */
    snprintf(machine, sizeof machine, nodes, "[network]\nlatency = 100 us\n", one[0], "watch_busy = 1 us\n");
    run_on(machine, NOTHING "SIMKIT_NP=2", "patterns pingpong");
    prints("258000 139000\n");
}

static void a_look_takes_longer_with_more_connections(void **state)
{
    (void)state;
    run_on("[machine]\nlook = 2 us\nlook_more = 3 us\n[node node]\n", NOTHING "SIMKIT_NP=3", "patterns looks");
    prints("10000 4000 4000\n"); /* 2 us, and 2 + 2 * 3 us after two messages */
}

static void a_link_takes_messages_in_their_order(void **state)
{
    const char *const links = "[machine]\n%s[node node]\nbandwidth = 1 MB/s\n";
    char machine[200];
    (void)state;
    /* two messages of 1000 B to two others share the link of their sender, or come one after the other */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=3", "patterns two 1000");
    prints("0 2000000 2000000\n");
    snprintf(machine, sizeof machine, links, "queue = 2 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=3", "patterns two 1000");
    prints("0 1000000 2000000\n");
    /* they are larger than the queue: they take turns */
    snprintf(machine, sizeof machine, links, "queue = 500 B\n");
    run_on(machine, NOTHING "SIMKIT_NP=3", "patterns two 1000");
    prints("0 2000000 2000000\n");
}

static void a_switch_stores_small_messages(void **state)
{
    const char *const links =
        "[machine]\nqueue = 10 kB\n%s[network]\nsharing = maxmin\n[node node]\nbandwidth = 1 MB/s\n";
    char machine[200];
    (void)state;
    /* Ranks 1 and 2 send 10 kB each to rank 0, whose link takes 20 ms for them. Then 1 sends to 3. Its first message is in
     * the queue for 10 ms, but leaves at half the speed, so the next one has the other half until 20 ms. For 8 us
     * a third message, of 8 B, takes its turn: rank 1 says when it was through. */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=4", "patterns crowd 10000");
    prints("20000000 0 0 25008000\n");
    /* if it is stored, it leaves at full speed, after 10 ms; what is too large is not */
    snprintf(machine, sizeof machine, links, "buffer = 10 kB\n");
    run_on(machine, NOTHING "SIMKIT_NP=4", "patterns crowd 10000");
    prints("20000000 0 0 20000000\n");
    snprintf(machine, sizeof machine, links, "buffer = 9999 B\n");
    run_on(machine, NOTHING "SIMKIT_NP=4", "patterns crowd 10000");
    prints("20000000 0 0 25008000\n");
}

static void acknowledgements_take_their_part_of_a_link(void **state)
{
    const char *const links =
        "[machine]\n%sacknowledge = 73 B\n[network]\nsharing = maxmin\n[node node]\nbandwidth = 1 MB/s\n";
    const char *const buffers[] = { "queue = 2 kB\n", "queue = 2 kB\nbuffer = 20 kB\n" };
    char machine[200];
    (void)state;
    for (int i = 0; i < 2; ++i) {
        snprintf(machine, sizeof machine, links, buffers[i]);
        /* ten packets: a host that only receives has nothing to send but acknowledgements */
        run_on(machine, NOTHING "SIMKIT_NP=3", "patterns send 14600");
        prints("0 14600000 0\n");
        /* 730 B beside what each sends to another one than that from which it receives */
        run_on(machine, NOTHING "SIMKIT_NP=3", "patterns round 14600");
        prints("15330000 15330000 15330000\n");
        /* two acknowledge with what they send to each other */
        run_on(machine, NOTHING "SIMKIT_NP=2", "patterns round 14600");
        prints("14600000 14600000\n");
    }
}

static void links_are_shared_as_the_machine_says(void **state)
{
    const char *const links = "[machine]\neager = 1 MB\n[network]\n%s[node fast]\nbandwidth = 20 MB/s\n"
                              "[node slow]\nbandwidth = 10 MB/s\n[node third]\n[node fourth]\nbandwidth = 1 MB/s\n";
    char machine[300];
    (void)state;
    /* 100 kB to each: a third of the first one's link, of which the last can use but 1 MB/s */
    snprintf(machine, sizeof machine, links, "");
    run_on(machine, NOTHING "SIMKIT_NP=4 SIMKIT_ALGORITHMS=bcast=linear", "patterns bcast 100000");
    prints("0 15000000 15000000 100000000\n");
    snprintf(machine, sizeof machine, links, "sharing = maxmin\n");
    run_on(machine, NOTHING "SIMKIT_NP=4 SIMKIT_ALGORITHMS=bcast=linear", "patterns bcast 100000");
    prints("0 10526316 10526316 100000000\n");
}

/* Two clusters of two hosts: 10 MB/s in a cluster, and 1 MB/s and 900 us more between them. */
static const char clusters[] =
    "[network]\nlatency = 100 us\n[node a]\ncount = 2\nbandwidth = 10 MB/s\n[node b]\ncount = 2\n"
    "[link thin]\nbandwidth = 1 MB/s\nlatency = 900 us\n[route a b]\nlinks = thin\n";

static const char joined[] =
    "[network]\nlatency = 100 us\ntopology = clusters\nhosts = 2, 2\nlink_bandwidth = 10 MB/s\n"
    "joints = 1-2\njoint_bandwidth = 1 MB/s\njoint_latency = 900 us\n[node n]\n";

static void ranks_are_placed_on_a_network(void **state)
{
    char path[80], settings[200];
    (void)state;
    snprintf(path, sizeof path, "%s.place", machine);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=3 SIMKIT_PLACE=%s", path);
    for (int i = 0; i < 2; ++i) {
        const char *text = i ? joined : clusters;
        /* 10 kB there and back: 100 us + 1 ms each in a cluster, 1 ms + 10 ms each between them */
        run_on(text, NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
        prints("2200000 1100000\n");
        run_on(text, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=block", "patterns pingpong 10000");
        prints("2200000 1100000\n");
        run_on(text, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=round-robin", "patterns pingpong 10000");
        prints("22000000 11000000\n");
        /* 50 kB from each of two ranks, over the link that both share: 1 ms + 100 ms; within a cluster 100 us + 5 ms */
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(i ? "n0\nn2 # the other cluster\nn3\n" : "a0\nb0 # the other cluster\nb1\n", file);
        fclose(file);
        run_on(text, settings, "patterns gather 50000");
        prints("101000000 0 0\n");
        assert_non_null(file = fopen(path, "w"));
        fputs("1\n0\n2\n", file);
        fclose(file);
        run_on(text, settings, "patterns gather 50000");
        prints("51000000 0 0\n");
        assert_non_null(file = fopen(path, "w"));
        fputs("1\n 4\n", file);
        fclose(file);
        run_on(text, settings, "patterns gather 50000");
        says(".place:2:2: there is no node 4: the last is 3");
        assert_int_equal(status, 2);
    }
    remove(path);
    /* Ranks on one host share memory. */
    run_on("[node a]\ncores = 2\ncount = 4\n", "SIMKIT_NP=6", "conform split_by_memory");
    prints("split_by_memory: 0-4: ok | 5: null\n");
    /* Ranks on the cores of hosts: node after node, or one on each in turn. */
    static const char two[] =
        "[network]\nlatency = 100 us\n[node a]\ncores = 2\nbandwidth = 10 MB/s\nself_transmit = 1 us\n[node b]\n";
    run_on(two, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=block", "patterns pingpong 10000");
    prints("2000 1000\n");
    run_on(two, NOTHING "SIMKIT_NP=2 SIMKIT_PLACE=round-robin", "patterns pingpong 10000");
    prints("2200000 1100000\n");
    /* A cable beside the network: 50 us + 100 us each way. */
    run_on("[network]\nlatency = 100 us\n[node a]\ncount = 2\nbandwidth = 10 MB/s\n[link cable]\nbandwidth = 100 MB/s\n"
           "latency = 50 us\n[route a0 a1]\nlinks = cable\ndirect = yes\n",
           NOTHING "SIMKIT_NP=2", "patterns pingpong 10000");
    prints("300000 150000\n");
    /* A TCP window of 1 kB and a round trip of 200 us: 5 MB/s. */
    run_on("[network]\nlatency = 100 us\nwindow = 1 kB\n[node a]\nbandwidth = 10 MB/s\n", NOTHING "SIMKIT_NP=2",
           "patterns pingpong 10000");
    prints("4200000 2100000\n");
}

static void senders_to_one_share_its_link(void **state)
{
    double times[4];
    (void)state;
    /* three messages of 50 kB into one: 20 us + 500 us, 100 us, then 15 ms for all; receives of 1.03 ms one by one */
    run_on(ether, NOTHING "SIMKIT_NP=4", "patterns gather 50000");
    assert_int_equal(sscanf(output, "%lf %lf %lf %lf", &times[0], &times[1], &times[2], &times[3]), 4);
    assert_true(fabs(times[0] - (620e3 + 15e6 + 3 * 1030e3)) < 1.0);
    assert_true(fabs(times[3] - 520e3) < 1.0);
}

static void tasks_on_one_core_share_it(void **state)
{
    (void)state;
    run_on("[node node]\ncount = 1\n", NOTHING "SIMKIT_NP=2", "patterns compute");
    prints("2000000 3000000\n");
    run_on("[node node]\ncount = 1\ncores = 2\n", NOTHING "SIMKIT_NP=2", "patterns compute");
    prints("1000000 2000000\n");
    run_on("[node node]\nspeed = 0.4\n", NOTHING "SIMKIT_NP=2", "patterns compute");
    prints("2500000 5000000\n");
}

static void parameters_change_during_a_run(void **state)
{
    (void)state;
    run_on("[machine]\nlook = 0 s\n[node node]\ncount = 1\ncores = 4\n", NOTHING "SIMKIT_NP=2", "patterns change");
    prints("5000000 5000000\n");
    run_on("[node node]\ncount = 2\n", NOTHING "SIMKIT_NP=2", "patterns change");
    prints("cannot change\n2000000 2000000\n"); /* they are called node0 and node1 */
}

static void transfers_go_on_while_ranks_compute(void **state)
{
    double times[2];
    (void)state;
    /* 5 kB: 70 us sending, then 600 us on the way, within the millisecond that both compute */
    run_on(ether, NOTHING "SIMKIT_NP=2", "patterns overlap 5000");
    assert_int_equal(sscanf(output, "%lf %lf", &times[0], &times[1]), 2);
    assert_true(fabs(times[0] - 1070e3) < 1 && fabs(times[1] - 1130e3) < 1);
}

static void a_wildcard_takes_what_is_first_in_virtual_time(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=9", "patterns wildcard");
    prints("7 6 5 4 3 2 1 0 \n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_take_what_loggopsim_says),
        cmocka_unit_test(connections_take_two_messages),
        cmocka_unit_test(ports_serve_and_refuse),
        cmocka_unit_test(a_message_takes_the_sum_of_its_delays),
        cmocka_unit_test(messages_within_a_host_take_copies),
        cmocka_unit_test(copies_are_measured_here),
        cmocka_unit_test(a_delay_may_fall_with_the_size),
        cmocka_unit_test(accesses_take_the_sum_of_their_messages),
        cmocka_unit_test(accesses_do_what_they_should),
        cmocka_unit_test(pairs_of_hosts_have_delays_of_their_own),
        cmocka_unit_test(pairs_of_hosts_have_bandwidths_of_their_own),
        cmocka_unit_test(large_messages_go_in_parts),
        cmocka_unit_test(an_answer_waits_for_what_is_handed_over),
        cmocka_unit_test(what_follows_costs_less),
        cmocka_unit_test(a_receiver_of_a_busy_computer_is_awake),
        cmocka_unit_test(a_look_takes_longer_with_more_connections),
        cmocka_unit_test(a_link_takes_messages_in_their_order),
        cmocka_unit_test(a_switch_stores_small_messages),
        cmocka_unit_test(acknowledgements_take_their_part_of_a_link),
        cmocka_unit_test(links_are_shared_as_the_machine_says),
        cmocka_unit_test(ranks_are_placed_on_a_network),
        cmocka_unit_test(senders_to_one_share_its_link),
        cmocka_unit_test(tasks_on_one_core_share_it),
        cmocka_unit_test(parameters_change_during_a_run),
        cmocka_unit_test(transfers_go_on_while_ranks_compute),
        cmocka_unit_test(a_wildcard_takes_what_is_first_in_virtual_time),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
