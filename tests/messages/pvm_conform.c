/* pvm_conform.c - the frame of the cases: spawns the slaves, runs them, collects what the tasks say, prints it. */
#include "pvm_conform.h"

#include <stdarg.h>

enum { TEXT_MOST = 2048, PATIENCE = 20 };
enum { TAG_START = 1, TAG_TEXT, TAG_ARRIVED, TAG_GO_ON, TAG_END, TAG_NOTICE };

int me, np = 1, all[MOST_TASKS];
char own_path[4096], **words;

static char text[TEXT_MOST];
static bool complained, handed_in;
static int frame; /* the context of this file */

static void say_list(const char *format, va_list list)
{
    const size_t used = strlen(text), space = used > 0;

    if (used + space + 1 >= sizeof text) return;
    if (space) strcpy(text + used, " ");
    vsnprintf(text + used + space, sizeof text - used - space, format, list);
}

void say(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

void expect(bool fine, const char *format, ...)
{
    va_list list;

    if (fine || complained) return;
    complained = true;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

const char *code_name(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = { { PvmOk, "Ok" },
                  { PvmBadParam, "BadParam" },
                  { PvmMismatch, "Mismatch" },
                  { PvmOverflow, "Overflow" },
                  { PvmNoData, "NoData" },
                  { PvmNoHost, "NoHost" },
                  { PvmNoFile, "NoFile" },
                  { PvmDenied, "Denied" },
                  { PvmNoMem, "NoMem" },
                  { PvmBadMsg, "BadMsg" },
                  { PvmSysErr, "SysErr" },
                  { PvmNoBuf, "NoBuf" },
                  { PvmNoSuchBuf, "NoSuchBuf" },
                  { PvmNullGroup, "NullGroup" },
                  { PvmDupGroup, "DupGroup" },
                  { PvmNoGroup, "NoGroup" },
                  { PvmNotInGroup, "NotInGroup" },
                  { PvmNoInst, "NoInst" },
                  { PvmHostFail, "HostFail" },
                  { PvmNoParent, "NoParent" },
                  { PvmNotImpl, "NotImpl" },
                  { PvmDSysErr, "DSysErr" },
                  { PvmBadVersion, "BadVersion" },
                  { PvmOutOfRes, "OutOfRes" },
                  { PvmDupHost, "DupHost" },
                  { PvmCantStart, "CantStart" },
                  { PvmAlready, "Already" },
                  { PvmNoTask, "NoTask" },
                  { PvmNotFound, "NotFound" },
                  { PvmExists, "Exists" },
                  { PvmHostrNMstr, "HostrNMstr" },
                  { PvmParentNotSet, "ParentNotSet" } };

    for (int i = 0; i < COUNT_OF(names); ++i)
        if (names[i].code == code) return names[i].name;
    return "another code";
}

void say_code(const char *what, int code)
{
    if (*what) say("%s", what);
    if (code > 0)
        say("%d", code);
    else
        say("%s", code_name(code));
}

void say_some(const char *what, int code)
{
    if (*what) say("%s", what);
    say("%s", code > 0 ? "some" : code_name(code));
}

void say_tid(const char *what, int tid)
{
    if (*what) say("%s", what);
    for (int i = 0; i < np; ++i)
        if (all[i] == tid) {
            say("%d", i);
            return;
        }
    if (tid == pvm_tidtohost(all[0]))
        say("daemon");
    else
        say("%s", tid == 0 ? "none" : tid == -1 ? "any" : tid > 0 ? "another" : code_name(tid));
}

void say_message(int buffer)
{
    int bytes, tag, tid, code = pvm_bufinfo(buffer, &bytes, &tag, &tid);

    if (code < 0) {
        say_code("bufinfo", code);
        return;
    }
    say("tag %d", tag);
    say_tid("from", tid);
}

void say_ints(const char *what, const int *a, int count)
{
    if (*what) say("%s", what);
    for (int i = 0; i < count; ++i) say("%d", a[i]);
}

void send_int(int to, int tag, int value)
{
    int code;

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    code = pvm_send(to, tag);
    if (code < 0) say_code("send", code);
}

int recv_int(int from, int tag)
{
    int value = -1, code = pvm_recv(from, tag);

    if (code > 0) code = pvm_upkint(&value, 1, 1);
    if (code < 0) say_code("recv", code);
    return value;
}

int pass(void)
{
    int code = pvm_send(pvm_mytid(), 77);

    return code < 0 ? code : pvm_recv(pvm_mytid(), 77);
}

/* -- in the frame's context, and with buffers of its own --------------------------------------------------------------- */

static int kept_context, kept_sent, kept_received;

static void frame_enter(void)
{
    kept_context = pvm_setcontext(frame);
    kept_received = pvm_setrbuf(0);
    kept_sent = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
}

static void frame_leave(void)
{
    const int received = pvm_setrbuf(kept_received);

    if (received > 0) pvm_freebuf(received);
    pvm_freebuf(pvm_setsbuf(kept_sent));
    pvm_setcontext(kept_context);
}

static void tell(int tid, int tag)
{
    pvm_freebuf(pvm_setsbuf(pvm_mkbuf(PvmDataDefault)));
    pvm_send(tid, tag);
}

void arrive(void)
{
    frame_enter();
    if (me > 0) {
        tell(all[0], TAG_ARRIVED);
        pvm_recv(all[0], TAG_GO_ON);
    } else {
        for (int i = 1; i < np; ++i) pvm_recv(all[i], TAG_ARRIVED);
        for (int i = 1; i < np; ++i) tell(all[i], TAG_GO_ON);
    }
    frame_leave();
}

void hand_in(void)
{
    frame_enter();
    pvm_pkstr(text);
    pvm_send(all[0], TAG_TEXT);
    frame_leave();
    handed_in = true;
}

void hand_in_and_exit(void)
{
    hand_in();
    pvm_exit();
    exit(0);
}

void hand_in_and_hang(void)
{
    hand_in();
    arrive();
    pvm_setcontext(frame);
    pvm_recv(-1, TAG_NOTICE + 1); /* never comes */
}

void wait_for_end(int tid)
{
    frame_enter();
    pvm_notify(PvmTaskExit, TAG_NOTICE, 1, &tid);
    pvm_recv(-1, TAG_NOTICE);
    frame_leave();
}

/* -- the master --------------------------------------------------------------------------------------------------------- */

static bool slaves_start(const pvm_case *it)
{
    char number[16], *arguments[] = { (char *)it->name, number, "two words", "", NULL };
    int started = it->slaves;

    np = it->slaves + 1;
    snprintf(number, sizeof number, "%d", frame);
    if (it->slaves > 0) started = pvm_spawn(own_path, arguments, PvmTaskDefault, NULL, it->slaves, all + 1);
    if (started < it->slaves) return false;
    frame_enter();
    for (int i = 1; i < np; ++i) {
        pvm_freebuf(pvm_setsbuf(pvm_mkbuf(PvmDataDefault)));
        pvm_pkint(&i, 1, 1);
        pvm_pkint(&np, 1, 1);
        pvm_pkint(all, np, 1);
        pvm_send(all[i], TAG_START);
    }
    frame_leave();
    return true;
}

static void slaves_end(char texts[][TEXT_MOST])
{
    frame_enter();
    for (int i = 1; i < np; ++i) {
        struct timeval most = { PATIENCE, 0 };
        strcpy(texts[i], "says nothing");
        if (pvm_trecv(all[i], TAG_TEXT, &most) > 0) pvm_upkstr(texts[i]);
    }
    for (int i = 1; i < np; ++i) tell(all[i], TAG_END);
    frame_leave();
}

static void print(const char *name, char texts[][TEXT_MOST])
{
    printf("%s:", name);
    for (int first = 0, next; first < np; first = next) {
        for (next = first + 1; next < np; ++next)
            if (strcmp(texts[first], texts[next]) != 0) break;
        printf(first > 0 ? " | " : " ");
        if (next > first + 1)
            printf("%d-%d: ", first, next - 1);
        else
            printf("%d: ", first);
        printf("%s", *texts[first] ? texts[first] : "ok");
    }
    printf("\n");
    fflush(stdout);
}

static void run(const pvm_case *it)
{
    static char texts[MOST_TASKS][TEXT_MOST];

    text[0] = '\0';
    complained = false;
    if (!slaves_start(it)) {
        printf("%s: cannot spawn\n", it->name);
        return;
    }
    it->run();
    while (pvm_nrecv(-1, -1) > 0) say("and a message that nobody wanted");
    strcpy(texts[0], text);
    slaves_end(texts);
    print(it->name, texts);
}

/* -- a slave ------------------------------------------------------------------------------------------------------------- */

/* No case's: tells the one whose tid it has got who its parent is, and what PVM_CONFORM is in its environment. */
static int stranger(char **arguments)
{
    const char *value = getenv("PVM_CONFORM");
    int parent = pvm_parent(), *tids, count = pvm_siblings(&tids);

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&parent, 1, 1);
    pvm_pkint(&count, 1, 1);
    pvm_pkstr((char *)(value ? value : "unknown"));
    pvm_send(atoi(arguments[0]), 1);
    pvm_exit();
    return 0;
}

static int slave(const pvm_case *it)
{
    pvm_setcontext(frame);
    pvm_recv(pvm_parent(), TAG_START);
    pvm_upkint(&me, 1, 1);
    pvm_upkint(&np, 1, 1);
    pvm_upkint(all, np, 1);
    pvm_freebuf(pvm_setrbuf(0));
    pvm_setcontext(PvmBaseContext);
    it->run();
    if (!handed_in) hand_in();
    pvm_setcontext(frame);
    pvm_recv(all[0], TAG_END);
    pvm_exit();
    return 0;
}

static bool named(const char *name, const char *topic, int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0 || strcmp(argv[i], topic) == 0) return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        const pvm_case *cases;
    } topics[] = {
        { "tasks", pvm_conform_tasks },   { "buffers", pvm_conform_buffers }, { "messages", pvm_conform_messages },
        { "groups", pvm_conform_groups }, { "mailbox", pvm_conform_mailbox },
    };
    ssize_t length = readlink("/proc/self/exe", own_path, sizeof own_path - 1);
    const bool spawned = argc > 2 && (strcmp(argv[1], "stranger") == 0 || atoi(argv[2]) > 0);

    own_path[length > 0 ? length : 0] = '\0';
    alarm(60); /* a slave of a case that went wrong does not stay */
    if (pvm_mytid() < 0) return 2;
    pvm_setopt(PvmAutoErr, 0);
    if (spawned && strcmp(argv[1], "stranger") == 0) return stranger(argv + 2);
    if (spawned) {
        frame = atoi(argv[2]);
        words = argv + 3;
    } else {
        all[0] = pvm_mytid();
        frame = pvm_newcontext();
    }
    for (int t = 0; t < COUNT_OF(topics); ++t)
        for (const pvm_case *it = topics[t].cases; it->name != NULL; ++it) {
            if (spawned && strcmp(it->name, argv[1]) == 0) return slave(it);
            if (!spawned && named(it->name, topics[t].name, argc, argv)) run(it);
        }
    pvm_exit();
    return 0;
}
