/* Between the farm and icecream's scheduler: its sources as they are, on sockets whose other ends are the farm's daemons. time()
 * and random() are the farm's. Its main loop does not run: what it would do when a message arrives is done in deliver(). Left
 * out of it: that the scheduler tries to connect to each daemon once a minute, and other schedulers. */
#define main icecream_main
#include "scheduler/scheduler.cpp"
#undef main

#include "farm.h"

namespace
{
/* A daemon's end of a connection. */
struct wire : MsgChannel {
    wire(int end, struct sockaddr *address, socklen_t bytes) : MsgChannel(end, address, bytes, false)
    {
    }
};
struct connection {
    wire *daemon;
    CompileServer *scheduler;
};
vector<connection> wires;
map<string, int> numbers; /* of addresses */

const Environments compilers(1, make_pair(string("x86_64"), string("gcc")));

/* The scheduler reads what was sent and does what it can; then the daemons read its answers. */
void deliver(int machine, const Msg &message)
{
    CompileServer *cs = wires[(size_t)machine].scheduler;
    if (!wires[(size_t)machine].daemon->send_msg(message)) abort();
    while (!cs->read_a_bit() || cs->has_msg())
        if (!handle_activity(cs)) break;
    while (empty_queue()) {
    }
    for (size_t i = 0; i < wires.size(); ++i) {
        wire *daemon = wires[i].daemon;
        while (!daemon->read_a_bit() || daemon->has_msg()) {
            Msg *answer = daemon->get_msg(0);
            if (!answer) abort();
            if (UseCSMsg *use = dynamic_cast<UseCSMsg *>(answer))
                farm_answer(use->client_id, use->job_id, numbers[use->hostname]);
            if (NoCSMsg *no = dynamic_cast<NoCSMsg *>(answer)) farm_answer(no->client_id, no->job_id, (int)i);
            delete answer;
        }
    }
}
} // namespace

extern "C" time_t time(time_t *into) noexcept
{
    const time_t now = 1000000000 + (time_t)farm_now();
    if (into) *into = now;
    return now;
}

extern "C" long random(void) noexcept
{
    return (long)(farm_random() >> 1);
}

bool scheduler_open(int machines, const unsigned cores[])
{
    setup_debug(0, "");
    for (int i = 0; i < machines; ++i) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return perror("socketpair"), false;
        struct sockaddr_in address = sockaddr_in();
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(0x0a000001u + (unsigned)i);
        connection c;
        c.scheduler = new CompileServer(ends[0], (struct sockaddr *)&address, sizeof address, false);
        c.daemon = new wire(ends[1], (struct sockaddr *)&address, sizeof address);
        for (int round = 0; round < 2; ++round) /* they agree on a version of the protocol */
            if (!c.daemon->read_a_bit() || !c.scheduler->read_a_bit()) return fputs("no protocol\n", stderr), false;
        c.daemon->read_a_bit();
        fd2cs[c.scheduler->fd] = c.scheduler;
        numbers[c.scheduler->name] = i;
        wires.push_back(c);
        LoginMsg login(10245, c.scheduler->name, "x86_64", 0);
        login.envs = compilers;
        login.max_kids = cores[i];
        login.chroot_possible = true;
        deliver(i, login);
    }
    return css.size() == (size_t)machines;
}

bool scheduler_is_patched(void)
{
#ifdef PICK_SERVER_H
    return true;
#else
    return false;
#endif
}

void scheduler_close(void)
{
    while (!css.empty()) handle_end(css.front(), nullptr);
    for (size_t i = 0; i < wires.size(); ++i) delete wires[i].daemon;
    wires.clear();
    numbers.clear();
    all_job_stats.clear();
    cum_job_stats = JobStat();
}

void scheduler_request(int machine, unsigned client, unsigned clients)
{
    GetCSMsg message(compilers, "file.cpp", CompileJob::Lang_CXX, 1, "x86_64", 0, "", 0, 0, 0, clients);
    message.client_id = client;
    deliver(machine, message);
}

void scheduler_stats(int machine, unsigned load, unsigned average, unsigned clients)
{
    StatsMsg message;
    message.load = load;
    message.loadAvg1 = message.loadAvg5 = message.loadAvg10 = average;
    message.freeMem = 8000;
    message.client_count = clients;
    deliver(machine, message);
}

void scheduler_begin(int machine, unsigned job, unsigned clients)
{
    deliver(machine, JobBeginMsg(job, clients));
}

void scheduler_done(int machine, unsigned job, bool server, double real, double user, double bytes, unsigned clients)
{
    JobDoneMsg message((int)job, 0, server ? JobDoneMsg::FROM_SERVER : JobDoneMsg::FROM_SUBMITTER, clients);
    message.real_msec = (uint32_t)real;
    message.user_msec = (uint32_t)user;
    message.out_uncompressed = (uint32_t)bytes;
    deliver(machine, message);
}
