/* pvm_conform_tasks.c - tasks: who they are, how they come and go; hosts; options and errors. */
#include "pvm_conform.h"

enum { TAG = 1, NOTICE = 50 };

/* -- who is who ----------------------------------------------------------------------------------------------------------- */

static void parent_of_master(void)
{
    say_code("parent", pvm_parent());
}

static void mytid(void)
{
    say("%s", pvm_mytid() == pvm_mytid() && pvm_mytid() > 0 ? "the same" : "another");
    say_tid("mytid", pvm_mytid());
}

static void tids_unique(void)
{
    for (int i = 0; i < np; ++i)
        for (int j = 0; j < i; ++j) expect(all[i] != all[j], "%d and %d have the same tid", i, j);
}

static void tids_of_slaves(void)
{
    say_tid("mytid", pvm_mytid());
    say_tid("parent", pvm_parent());
}

static void siblings(void)
{
    int *tids = NULL, count = pvm_siblings(&tids);

    say_code("siblings", count);
    for (int i = 0; i < count; ++i) say_tid("", tids[i]);
}

static void arguments_of_slaves(void)
{
    int count = 0;

    if (me == 0) return;
    while (words[count]) ++count;
    say("%d beside, '%s', '%s'", count, words[0], words[1]);
}

/* -- spawn ---------------------------------------------------------------------------------------------------------------- */

/* Spawns strangers, and says what came of it. */
static void spawn_strangers(int flags, char *where, int count)
{
    char number[16], *arguments[] = { "stranger", number, NULL };
    int tids[4] = { 0, 0, 0, 0 }, code;

    snprintf(number, sizeof number, "%d", pvm_mytid());
    code = pvm_spawn(own_path, arguments, flags, where, count, tids);
    say_code("spawn", code);
    for (int i = 0; i < count; ++i) say("%s", tids[i] > 0 ? "tid" : code_name(tids[i]));
    for (int i = 0; i < code; ++i) {
        char value[32];
        int parent, many;
        pvm_recv(tids[i], TAG);
        pvm_upkint(&parent, 1, 1);
        pvm_upkint(&many, 1, 1);
        pvm_upkstr(value);
        if (i > 0) continue;
        say_tid("parent", parent);
        say_code("siblings", many);
        if (flags == PvmTaskHost) expect(pvm_tidtohost(tids[i]) == pvm_tidtohost(pvm_mytid()), "elsewhere");
    }
}

static void spawn_one(void)
{
    spawn_strangers(PvmTaskDefault, NULL, 1);
}

static void spawn_three(void)
{
    spawn_strangers(PvmTaskDefault, "", 3);
}

static struct pvmhostinfo *own_host(void)
{
    struct pvmhostinfo *hosts = NULL;
    int count = 0;

    pvm_config(&count, NULL, &hosts);
    for (int i = 0; i < count; ++i)
        if (hosts[i].hi_tid == pvm_tidtohost(pvm_mytid())) return &hosts[i];
    say("has no host");
    exit(1);
}

static void spawn_on_host(void)
{
    spawn_strangers(PvmTaskHost, own_host()->hi_name, 2);
}

static void spawn_on_this_host(void)
{
    spawn_strangers(PvmTaskHost, ".", 1);
}

static void spawn_on_architecture(void)
{
    spawn_strangers(PvmTaskArch, own_host()->hi_arch, 1);
}

static void spawn_on_unknown_host(void)
{
    spawn_strangers(PvmTaskHost, "nowhere", 2);
}

static void spawn_on_unknown_architecture(void)
{
    spawn_strangers(PvmTaskArch, "NOSUCH", 2);
}

static void spawn_on_no_host(void)
{
    spawn_strangers(PvmTaskHost, NULL, 1);
}

static void spawn_without_parent(void)
{
    spawn_strangers(PvmNoSpawnParent, NULL, 2);
}

static void spawn_missing_program(void)
{
    int tids[3] = { 1, 1, 1 };

    say_code("spawn", pvm_spawn("/nowhere/missing", NULL, PvmTaskDefault, NULL, 2, tids));
    for (int i = 0; i < 2; ++i) say("%s", tids[i] > 0 ? "tid" : code_name(tids[i]));
    say("%d", tids[2]);
}

static void spawn_wrong_count(void)
{
    int tid = 1;

    say_code("zero", pvm_spawn(own_path, NULL, PvmTaskDefault, NULL, 0, &tid));
    say_code("negative", pvm_spawn(own_path, NULL, PvmTaskDefault, NULL, -1, &tid));
    say("%d", tid);
}

static void spawn_without_tids(void)
{
    char number[16], *arguments[] = { "stranger", number, NULL };

    snprintf(number, sizeof number, "%d", pvm_mytid());
    say_code("spawn", pvm_spawn(own_path, arguments, PvmTaskDefault, NULL, 1, NULL));
    say("tag %d", pvm_recv(-1, TAG) > 0 ? TAG : -1);
}

static void exported(void)
{
    char number[16], *arguments[] = { "stranger", number, NULL }, value[32] = "";
    int parent, many, tid;

    snprintf(number, sizeof number, "%d", pvm_mytid());
    setenv("PVM_CONFORM", "told", 1);
    say_code("export", pvm_export("PVM_CONFORM"));
    pvm_spawn(own_path, arguments, PvmTaskDefault, NULL, 1, &tid);
    pvm_recv(tid, TAG);
    pvm_upkint(&parent, 1, 1);
    pvm_upkint(&many, 1, 1);
    pvm_upkstr(value);
    say("%s", value);
    say_code("unexport", pvm_unexport("PVM_CONFORM"));
}

/* The slaves of a slave have it as their parent. */
static void spawn_by_slave(void)
{
    if (me == 1) spawn_strangers(PvmTaskDefault, NULL, 2);
}

/* -- notices ---------------------------------------------------------------------------------------------------------------- */

static void say_notice(int tag)
{
    int tid = 0, bytes, found, from, buffer = pvm_recv(-1, tag);

    say_code("upkint", pvm_upkint(&tid, 1, 1));
    say_code("more", pvm_upkint(&bytes, 1, 1));
    pvm_bufinfo(buffer, &bytes, &found, &from);
    say("tag %d", found);
    say_tid("of", tid);
}

static void notify_exit(void)
{
    if (me > 0) {
        arrive();
        hand_in_and_exit();
    }
    say_code("notify", pvm_notify(PvmTaskExit, NOTICE, 1, all + 1));
    say_code("nrecv", pvm_nrecv(-1, NOTICE));
    arrive();
    say_notice(NOTICE);
}

static void notify_sender(void)
{
    int bytes, tag, tid = 0;

    if (me > 0) {
        arrive();
        hand_in_and_exit();
    }
    pvm_notify(PvmTaskExit, NOTICE, 1, all + 1);
    arrive();
    pvm_bufinfo(pvm_recv(-1, NOTICE), &bytes, &tag, &tid);
    say("%s", tid == all[1] ? "the task" : (tid & 0x3ffff) == 0 ? "a daemon" : "another");
}

static void notify_several(void)
{
    if (me > 0) {
        arrive();
        hand_in_and_exit();
    }
    say_code("notify", pvm_notify(PvmTaskExit, NOTICE, np - 1, all + 1));
    arrive();
    for (int i = 1, seen = 0; i < np; ++i) {
        int tid = recv_int(-1, NOTICE);
        for (int j = 1; j < np; ++j)
            if (all[j] == tid) seen |= 1 << j;
        if (i == np - 1) say("seen %d", seen);
    }
    say_code("more", pvm_nrecv(-1, NOTICE));
}

static void notify_killed(void)
{
    if (me > 0) hand_in_and_hang();
    arrive();
    pvm_notify(PvmTaskExit, NOTICE, 1, all + 1);
    say_code("kill", pvm_kill(all[1]));
    say_notice(NOTICE);
}

static void notify_ended_before(void)
{
    if (me > 0) hand_in_and_exit();
    wait_for_end(all[1]);
    say_code("notify", pvm_notify(PvmTaskExit, NOTICE, 1, all + 1));
    say_notice(NOTICE);
}

static void notify_cancel(void)
{
    if (me > 0) {
        arrive();
        hand_in_and_exit();
    }
    pvm_notify(PvmTaskExit, NOTICE, 1, all + 1);
    say_code("cancel", pvm_notify(PvmTaskExit | PvmNotifyCancel, NOTICE, 1, all + 1));
    say_notice(NOTICE);
    arrive();
    wait_for_end(all[1]);
    say_code("more", pvm_nrecv(-1, NOTICE));
}

static void notify_twice(void)
{
    if (me > 0) {
        arrive();
        hand_in_and_exit();
    }
    pvm_notify(PvmTaskExit, NOTICE, 1, all + 1);
    pvm_notify(PvmTaskExit, NOTICE + 1, 1, all + 1);
    arrive();
    say_notice(NOTICE + 1);
    say_notice(NOTICE);
}

/* A slave is told of another. */
static void notify_slave(void)
{
    if (me == 1) {
        pvm_notify(PvmTaskExit, NOTICE, 1, all + 2);
        arrive();
        say_notice(NOTICE);
    } else {
        arrive();
        if (me == 2) hand_in_and_exit();
    }
}

static void notify_context(void)
{
    int before;

    if (me > 0) {
        arrive();
        hand_in_and_exit();
    }
    before = pvm_setcontext(pvm_newcontext());
    pvm_notify(PvmTaskExit, NOTICE, 1, all + 1);
    pvm_setcontext(before);
    arrive();
    wait_for_end(all[1]);
    say_code("outside", pvm_nrecv(-1, NOTICE));
}

static void notify_errors(void)
{
    int tid = pvm_mytid(), wrong = 0;

    say_code("what 0", pvm_notify(0, NOTICE, 1, &tid));
    say_code("what 9", pvm_notify(9, NOTICE, 1, &tid));
    say_code("count 0", pvm_notify(PvmTaskExit, NOTICE, 0, &tid));
    say_code("count -1", pvm_notify(PvmTaskExit, NOTICE, -1, &tid));
    say_code("tid 0", pvm_notify(PvmTaskExit, NOTICE, 1, &wrong));
}

/* -- exit, kill, pstat, tasks ------------------------------------------------------------------------------------------------ */

/* What was sent before its sender ended does not get lost. */
static void exit_after_send(void)
{
    if (me > 0) {
        send_int(all[0], TAG, 7);
        hand_in_and_exit();
    }
    wait_for_end(all[1]);
    say("%d", recv_int(all[1], TAG));
}

static void exit_of_process(void)
{
    if (me > 0) {
        hand_in();
        exit(3);
    }
    pvm_notify(PvmTaskExit, NOTICE, 1, all + 1);
    say_notice(NOTICE);
}

static void kill_sleeping(void)
{
    if (me > 0) {
        hand_in();
        arrive();
        for (;;) sleep(1);
    }
    arrive();
    say_code("kill", pvm_kill(all[1]));
    wait_for_end(all[1]);
    say_code("pstat", pvm_pstat(all[1]));
}

static void kill_ended(void)
{
    if (me > 0) hand_in_and_exit();
    wait_for_end(all[1]);
    say_code("kill", pvm_kill(all[1]));
}

static void kill_errors(void)
{
    say_code("0", pvm_kill(0));
    say_code("-1", pvm_kill(-1));
    say_code("daemon", pvm_kill(pvm_tidtohost(pvm_mytid())));
}

static void pstat(void)
{
    if (me == 1) hand_in_and_exit();
    if (me > 1) return;
    wait_for_end(all[1]);
    say_code("mine", pvm_pstat(pvm_mytid()));
    say_code("slave's", pvm_pstat(all[2]));
    say_code("ended", pvm_pstat(all[1]));
}

static void pstat_errors(void)
{
    say_code("0", pvm_pstat(0));
    say_code("-1", pvm_pstat(-1));
    say_code("unknown", pvm_pstat(pvm_tidtohost(pvm_mytid()) + 0x3fff0));
    say_code("daemon", pvm_pstat(pvm_tidtohost(pvm_mytid())));
}

/* The tasks of this case, among others. */
static void tasks_all(void)
{
    struct pvmtaskinfo *infos = NULL;
    int count = 0;

    arrive();
    if (me == 0) {
        say_code("tasks", pvm_tasks(0, &count, &infos));
        for (int i = 0; i < np; ++i)
            for (int k = 0; k < count; ++k)
                if (infos[k].ti_tid == all[i]) {
                    say_tid("", infos[k].ti_tid);
                    say_tid("of", infos[k].ti_ptid);
                    expect(infos[k].ti_host == pvm_tidtohost(all[i]), "elsewhere");
                    expect(strcmp(infos[k].ti_a_out, i > 0 ? own_path : "") == 0, "'%s'", infos[k].ti_a_out);
                }
    }
    arrive();
}

static void tasks_one(void)
{
    struct pvmtaskinfo *infos = NULL;
    int count = 0;

    arrive();
    if (me == 0) {
        say_code("tasks", pvm_tasks(all[1], &count, &infos));
        say("count %d", count);
        if (count == 1) say_tid("", infos[0].ti_tid);
        say_code("no list", pvm_tasks(all[1], NULL, NULL));
    }
    arrive();
}

static void tasks_of_host(void)
{
    struct pvmtaskinfo *infos = NULL;
    int count = 0;

    say_code("tasks", pvm_tasks(pvm_tidtohost(pvm_mytid()), &count, &infos));
    for (int i = 0; i < count; ++i)
        if (infos[i].ti_tid == pvm_mytid()) say("among them");
}

static void tasks_errors(void)
{
    struct pvmtaskinfo *infos = NULL;
    int count = 7;

    if (me == 1) hand_in_and_exit();
    wait_for_end(all[1]);
    say_code("ended", pvm_tasks(all[1], &count, &infos));
    say("count %d", count);
    say_code("host", pvm_tasks(0x7fc0000, &count, &infos));
    say_code("-1", pvm_tasks(-1, &count, &infos));
}

/* -- hosts ------------------------------------------------------------------------------------------------------------------- */

static void config(void)
{
    struct pvmhostinfo *hosts = NULL;
    int count = 0, architectures = 0;

    say_code("config", pvm_config(&count, &architectures, &hosts));
    expect(count >= 1 && architectures >= 1 && architectures <= count, "%d hosts, %d", count, architectures);
    for (int i = 0; i < count; ++i) {
        expect(*hosts[i].hi_name && *hosts[i].hi_arch, "no name");
        expect(hosts[i].hi_speed > 0, "speed %d", hosts[i].hi_speed);
        expect(hosts[i].hi_tid > 0 && (hosts[i].hi_tid & 0x3ffff) == 0, "tid %x", (unsigned)hosts[i].hi_tid);
    }
    say_code("nothing", pvm_config(NULL, NULL, NULL));
}

static void mstat(void)
{
    say_code("here", pvm_mstat(own_host()->hi_name));
    say_code("nowhere", pvm_mstat("nowhere"));
}

static void tidtohost(void)
{
    say("%s", pvm_tidtohost(pvm_mytid()) == own_host()->hi_tid ? "mine" : "another");
    say("%s", pvm_tidtohost(own_host()->hi_tid) == own_host()->hi_tid ? "its own" : "another");
}

static void hosts_errors(void)
{
    char *none[] = { "nowhere" };
    int code = 7;

    say_code("add 0", pvm_addhosts(none, 0, &code));
    say_code("delete", pvm_delhosts(none, 1, &code));
    say_code("", code);
    say_code("delete 0", pvm_delhosts(none, 0, &code));
}

static void archcode(void)
{
    say_some("mine", pvm_archcode(own_host()->hi_arch));
    say_some("unknown", pvm_archcode("NOSUCH"));
}

/* -- options and errors ------------------------------------------------------------------------------------------------------- */

static void options_first(void)
{
    say("route %d", pvm_getopt(PvmRoute));
    say("mask %d", pvm_getopt(PvmDebugMask));
    say_tid("output", pvm_getopt(PvmOutputTid));
    say("code %d", pvm_getopt(PvmOutputCode));
    say("trace %d %d", pvm_getopt(PvmTraceTid), pvm_getopt(PvmTraceCode));
    say("fragments %d", pvm_getopt(PvmFragSize));
    say("reserved %d", pvm_getopt(PvmResvTids));
    say("show %d", pvm_getopt(PvmShowTids));
    say("noreset %d", pvm_getopt(PvmNoReset));
}

static void options_of_slave(void)
{
    if (me == 0) return;
    say("mine %s", pvm_getopt(PvmSelfOutputTid) == 0 ? "none" : "some");
    say("autoerr %d", pvm_setopt(PvmAutoErr, 1));
}

static void options_set(void)
{
    static const int what[] = { PvmRoute, PvmAutoErr, PvmFragSize, PvmResvTids, PvmShowTids };
    static const int value[] = { PvmRouteDirect, 2, 2000, 1, 0 };

    for (int i = 0; i < COUNT_OF(what); ++i) {
        say("%d", pvm_setopt(what[i], value[i]));
        say("%d", pvm_getopt(what[i]));
        say("%d", pvm_setopt(what[i], what[i] == PvmRoute      ? PvmAllowDirect
                                      : what[i] == PvmAutoErr  ? 0
                                      : what[i] == PvmFragSize ? 4080
                                                               : what[i] == PvmShowTids));
    }
}

static void options_errors(void)
{
    say_code("what 0", pvm_setopt(0, 1));
    say_code("what 99", pvm_setopt(99, 1));
    say_code("get 0", pvm_getopt(0));
    say_code("get 99", pvm_getopt(99));
    say_code("route 7", pvm_setopt(PvmRoute, 7));
    say_code("route", pvm_getopt(PvmRoute));
    say_code("fragments", pvm_setopt(PvmFragSize, 1));
}

static void errors_texts(void)
{
    static const int codes[] = { PvmOk,        PvmBadParam,  PvmMismatch, PvmOverflow, PvmNoData,     PvmNoHost,
                                 PvmNoFile,    PvmDenied,    PvmNoMem,    PvmBadMsg,   PvmSysErr,     PvmNoBuf,
                                 PvmNoSuchBuf, PvmNullGroup, PvmDupGroup, PvmNoGroup,  PvmNotInGroup, PvmNoInst,
                                 PvmHostFail,  PvmNoParent,  PvmNotImpl,  PvmDSysErr,  PvmBadVersion, PvmOutOfRes,
                                 PvmDupHost,   PvmCantStart, PvmAlready,  PvmNoTask,   PvmNotFound,   PvmExists };

    for (int i = 0; i < COUNT_OF(codes); ++i) {
        pvm_errno = codes[i];
        say("%s%s", pvm_strerror(), i + 1 < COUNT_OF(codes) ? "," : "");
    }
}

static void errors_errno(void)
{
    pvm_errno = 0;
    pvm_send(pvm_mytid(), -5);
    say_code("errno", pvm_errno);
    pvm_freebuf(12345678);
    say_code("errno", pvm_errno);
    pvm_initsend(PvmDataDefault);
    say_code("after success", pvm_errno);
    say_code("perror", pvm_perror("pvm_conform"));
}

static void version(void)
{
    say("%s", pvm_version());
    say("%s", strcmp(pvm_version(), PVM_VER) == 0 ? "as the header's" : "another");
}

const pvm_case pvm_conform_tasks[] = {
    CASE(parent_of_master, 0),
    CASE(mytid, 2),
    CASE(tids_unique, 5),
    CASE(tids_of_slaves, 3),
    CASE(siblings, 3),
    CASE(arguments_of_slaves, 1),
    CASE(spawn_one, 0),
    CASE(spawn_three, 0),
    CASE(spawn_on_host, 0),
    CASE(spawn_on_this_host, 0),
    CASE(spawn_on_architecture, 0),
    CASE(spawn_on_unknown_host, 0),
    CASE(spawn_on_unknown_architecture, 0),
    CASE(spawn_on_no_host, 0),
    CASE(spawn_without_parent, 0),
    CASE(spawn_missing_program, 0),
    CASE(spawn_wrong_count, 0),
    CASE(spawn_without_tids, 0),
    CASE(exported, 0),
    CASE(spawn_by_slave, 2),
    CASE(notify_exit, 1),
    CASE(notify_sender, 1),
    CASE(notify_several, 3),
    CASE(notify_killed, 1),
    CASE(notify_ended_before, 1),
    CASE(notify_cancel, 1),
    CASE(notify_twice, 1),
    CASE(notify_slave, 2),
    CASE(notify_context, 1),
    CASE(notify_errors, 0),
    CASE(exit_after_send, 1),
    CASE(exit_of_process, 1),
    CASE(kill_sleeping, 1),
    CASE(kill_ended, 1),
    CASE(kill_errors, 0),
    CASE(pstat, 2),
    CASE(pstat_errors, 0),
    CASE(tasks_all, 2),
    CASE(tasks_one, 1),
    CASE(tasks_of_host, 0),
    CASE(tasks_errors, 1),
    CASE(config, 0),
    CASE(mstat, 0),
    CASE(tidtohost, 0),
    CASE(hosts_errors, 0),
    CASE(archcode, 0),
    CASE(options_first, 0),
    CASE(options_of_slave, 1),
    CASE(options_set, 0),
    CASE(options_errors, 0),
    CASE(errors_texts, 0),
    CASE(errors_errno, 0),
    CASE(version, 0),
    NO_MORE_CASES,
};
