/* pvm_conform_mailbox.c - messages that have names, and the older numbers that have. */
#include "pvm_conform.h"

static int put(char *name, int value, int flags)
{
    int buffer = pvm_mkbuf(PvmDataDefault), before = pvm_setsbuf(buffer), code;

    pvm_pkint(&value, 1, 1);
    pvm_setsbuf(before);
    code = pvm_putinfo(name, buffer, flags);
    pvm_freebuf(buffer);
    return code;
}

/* What is received, or the code. */
static void say_info(char *name, int index, int flags)
{
    int value = -1, code = pvm_recvinfo(name, index, flags);

    if (code > 0) code = pvm_upkint(&value, 1, 1);
    if (code < 0)
        say("%s", code_name(code));
    else
        say("%d", value);
}

static void say_index(const char *what, int code)
{
    if (code < 0)
        say_code(what, code);
    else
        say("%s %d", what, code);
}

/* What pvm_delinfo() returns if it is no error is open. */
static void say_deleted(char *name, int index)
{
    int code = pvm_delinfo(name, index, PvmMboxDefault);

    say("delete %s", code < 0 ? code_name(code) : "Ok");
}

static void mbox_put(void)
{
    say_index("put", put("put", 5, PvmMboxDefault));
    say_info("put", 0, PvmMboxDefault);
    say_info("put", 0, PvmMboxDefault);
    say_deleted("put", 0);
    say_info("put", 0, PvmMboxDefault);
    say_deleted("put", 0);
}

static void mbox_put_twice(void)
{
    say_index("put", put("twice", 1, PvmMboxDefault));
    say_index("again", put("twice", 2, PvmMboxDefault));
    say_index("multi", put("twice", 3, PvmMboxMultiInstance));
    say_index("overwritable", put("twice", 4, PvmMboxOverWritable));
    say_info("twice", 0, PvmMboxDefault);
    pvm_delinfo("twice", 0, PvmMboxDefault);
    say_info("twice", 0, PvmMboxDefault);
}

static void mbox_multi(void)
{
    for (int i = 0; i < 4; ++i) say_index("", put("multi", 10 * i, PvmMboxMultiInstance));
    for (int i = 0; i < 5; ++i) say_info("multi", i, PvmMboxDefault);
    say_deleted("multi", 1);
    say_info("multi", 1, PvmMboxDefault);
    say_info("multi", 1, PvmMboxFirstAvail);
    say_info("multi", 0, PvmMboxFirstAvail);
    say_info("multi", 4, PvmMboxFirstAvail);
    say_index("default", put("multi", 99, PvmMboxDefault));
    for (int i = 0; i < 4; ++i) pvm_delinfo("multi", i, PvmMboxDefault);
    say_info("multi", 0, PvmMboxFirstAvail);
}

/* An index that is free is given again? */
static void mbox_multi_reuse(void)
{
    for (int i = 0; i < 3; ++i) put("reuse", i, PvmMboxMultiInstance);
    pvm_delinfo("reuse", 1, PvmMboxDefault);
    say_index("next", put("reuse", 7, PvmMboxMultiInstance));
    for (int i = 0; i < 4; ++i) say_info("reuse", i, PvmMboxDefault);
    for (int i = 0; i < 4; ++i) pvm_delinfo("reuse", i, PvmMboxDefault);
}

static void mbox_overwrite(void)
{
    say_index("put", put("over", 1, PvmMboxOverWritable));
    say_index("again", put("over", 2, PvmMboxOverWritable));
    say_info("over", 0, PvmMboxDefault);
    say_index("locked", put("over", 3, PvmMboxDefault));
    say_info("over", 0, PvmMboxDefault);
    say_index("after that", put("over", 4, PvmMboxOverWritable));
    say_info("over", 0, PvmMboxDefault);
    say_deleted("over", 0);
}

static void mbox_read_and_delete(void)
{
    put("take", 3, PvmMboxDefault);
    say_info("take", 0, PvmMboxReadAndDelete);
    say_info("take", 0, PvmMboxReadAndDelete);
    for (int i = 0; i < 3; ++i) put("take", i, PvmMboxMultiInstance);
    for (int i = 0; i < 4; ++i) say_info("take", 0, PvmMboxFirstAvail | PvmMboxReadAndDelete);
}

/* Between tasks: who may read, overwrite and delete what. */
static void mbox_of_another(void)
{
    if (me == 1) {
        put("locked", 1, PvmMboxDefault);
        put("open", 2, PvmMboxOverWritable);
        put("several", 3, PvmMboxMultiInstance);
    }
    arrive();
    if (me == 0) {
        say_info("locked", 0, PvmMboxDefault);
        say_deleted("locked", 0);
        say_info("locked", 0, PvmMboxReadAndDelete);
        say_index("overwrite", put("locked", 9, PvmMboxDefault));
        say_index("add", put("locked", 8, PvmMboxMultiInstance));
        say_code("default", put("several", 7, PvmMboxDefault));
        say_index("overwrite", put("open", 4, PvmMboxOverWritable));
        say_info("open", 0, PvmMboxDefault);
        say_index("add", put("several", 5, PvmMboxMultiInstance));
        say_deleted("several", 0);
        say_deleted("several", 1);
    }
    arrive();
    if (me == 1) {
        say_info("open", 0, PvmMboxDefault);
        say_deleted("open", 0);
        say_deleted("locked", 0);
        say_deleted("several", 0);
    }
    arrive();
    pvm_delinfo("locked", 1, PvmMboxDefault);
}

static void mbox_owner_ends(void)
{
    if (me == 1) {
        put("mortal", 1, PvmMboxDefault);
        put("lasting", 2, PvmMboxPersistent | PvmMboxOverWritable);
        hand_in_and_exit();
    }
    wait_for_end(all[1]);
    say_info("mortal", 0, PvmMboxDefault);
    say_info("lasting", 0, PvmMboxDefault);
    say_deleted("lasting", 0);
    say_info("lasting", 0, PvmMboxDefault);
}

static void mbox_owner_killed(void)
{
    if (me == 1) {
        put("mortal2", 1, PvmMboxMultiInstance);
        put("lasting2", 2, PvmMboxPersistent | PvmMboxOverWritable);
        hand_in_and_hang();
    }
    arrive();
    pvm_kill(all[1]);
    wait_for_end(all[1]);
    say_info("mortal2", 0, PvmMboxDefault);
    say_info("lasting2", 0, PvmMboxReadAndDelete);
    say_info("lasting2", 0, PvmMboxDefault);
}

static void mbox_wait(void)
{
    if (me == 1) {
        usleep(5000);
        put("waited", 6, PvmMboxPersistent | PvmMboxOverWritable);
    } else {
        say_info("waited", 0, PvmMboxWaitForInfo);
        arrive();
        say_deleted("waited", 0);
        return;
    }
    arrive();
}

static void mbox_errors(void)
{
    int buffer = pvm_initsend(PvmDataDefault);

    say_code("no name", pvm_putinfo(NULL, buffer, PvmMboxDefault));
    say_code("empty name", pvm_putinfo("", buffer, PvmMboxDefault));
    say_code("recv no name", pvm_recvinfo(NULL, 0, PvmMboxDefault));
    say_code("recv", pvm_recvinfo("errors", 0, PvmMboxDefault));
    say_code("errno", pvm_errno);
    say_code("recv -1", pvm_recvinfo("errors", -1, PvmMboxDefault));
    say_deleted("errors", 0);
    say_deleted(NULL, 0);
}

/* What was received before is freed, even if nothing is found. */
static void mbox_buffers(void)
{
    int buffer, value = 0, bytes = 0;

    put("buffers", 8, PvmMboxDefault);
    send_int(all[0], 1, 4);
    buffer = pvm_recv(-1, 1);
    say_code("", pvm_recvinfo("nothing", 0, PvmMboxDefault));
    say("%s", pvm_getrbuf() == buffer ? "kept" : "not kept");
    pvm_setrbuf(0);
    buffer = pvm_recvinfo("buffers", 0, PvmMboxDefault);
    say("%s", pvm_getrbuf() == buffer ? "current" : "another");
    say_code("", pvm_bufinfo(buffer, &bytes, NULL, NULL));
    say_code("", pvm_upkint(&value, 1, 1));
    say_code("more", pvm_upkint(&bytes, 1, 1));
    say("%d", value);
    pvm_delinfo("buffers", 0, PvmMboxDefault);
}

static void mbox_contents(void)
{
    double x[3] = { 1, 2.5, -4 }, y[3] = { 0 };
    int buffer = pvm_initsend(PvmDataRaw), bytes = 0;
    char text[32] = "";

    pvm_pkdouble(x, 3, 1);
    pvm_pkstr("and a text");
    say_index("", pvm_putinfo("contents", buffer, PvmMboxDefault));
    pvm_bufinfo(pvm_recvinfo("contents", 0, PvmMboxDefault), &bytes, NULL, NULL);
    say_code("", pvm_upkdouble(y, 3, 1));
    say_code("", pvm_upkstr(text));
    say("%g %g %g %s", y[0], y[1], y[2], text);
    pvm_delinfo("contents", 0, PvmMboxDefault);
}

/* A message as it came is kept there. */
static void mbox_received(void)
{
    int value = 0;

    if (me == 1) {
        send_int(all[0], 9, 90);
        return;
    }
    say_index("", pvm_putinfo("received", pvm_recv(all[1], 9), PvmMboxDefault));
    pvm_recvinfo("received", 0, PvmMboxReadAndDelete);
    pvm_upkint(&value, 1, 1);
    say("%d", value);
}

static void say_classes(char *pattern)
{
    struct pvmmboxinfo *infos = NULL;
    int count = 0, code = pvm_getmboxinfo(pattern, &count, &infos);

    say_code("", code);
    for (int i = 0; i < count && code >= 0; ++i)
        if (strncmp(infos[i].mi_name, "class_", 6) == 0) {
            say("%s", infos[i].mi_name);
            for (int k = 0; k < infos[i].mi_nentries; ++k) {
                say("[%d] %d", infos[i].mi_indices[k], infos[i].mi_flags[k]);
                say_tid("of", infos[i].mi_owners[k]);
            }
        }
}

static void mbox_classes(void)
{
    if (me == 1) {
        put("class_a", 1, PvmMboxMultiInstance);
        put("class_a", 2, PvmMboxMultiInstance | PvmMboxOverWritable);
    }
    arrive();
    if (me == 0) {
        put("class_a", 3, PvmMboxMultiInstance);
        put("class_b", 4, PvmMboxOverWritable);
        say_classes("class_a");
        say_classes("class_b");
        say_classes("class_nothing");
    }
    arrive();
    for (int i = 0; i < 3; ++i) pvm_delinfo("class_a", i, PvmMboxDefault); /* each can but its own */
    pvm_delinfo("class_b", 0, PvmMboxDefault);
}

/* A name stands for all that have it in them. */
static void mbox_patterns(void)
{
    static char *const names[] = { "class_z", "class_x", "class_xy", "class_y" };

    for (int i = 0; i < COUNT_OF(names); ++i) put(names[i], i, PvmMboxDefault);
    say_classes("*");
    say_classes("class_x");
    say_classes("class_");
    say_classes("none");
    for (int i = 0; i < COUNT_OF(names); ++i) pvm_delinfo(names[i], 0, PvmMboxDefault);
}

static void mbox_owner_gone(void)
{
    if (me == 1) {
        put("class_gone", 1, PvmMboxPersistent | PvmMboxOverWritable);
        hand_in_and_exit();
    }
    wait_for_end(all[1]);
    say_classes("class_gone");
    pvm_delinfo("class_gone", 0, PvmMboxDefault);
}

/* -- the older ones ---------------------------------------------------------------------------------------------------------------- */

static void insert_lookup_delete(void)
{
    int value = 0;

    say_index("insert", pvm_insert("old", 3, 30));
    say_index("insert", pvm_insert("old", 3, 31));
    say_index("insert", pvm_insert("old", -1, 32));
    say_index("lookup", pvm_lookup("old", 3, &value));
    say("%d", value);
    say_index("lookup", pvm_lookup("old", 0, &value));
    say("%d", value);
    say_index("lookup", pvm_lookup("old", 1, &value));
    say("delete %s", pvm_delete("old", 0) < 0 ? "fails" : "Ok");
    say("delete %s", pvm_delete("old", 3) < 0 ? "fails" : "Ok");
    say("delete %s", pvm_delete("old", 3) < 0 ? "fails" : "Ok");
    say_index("lookup", pvm_lookup("old", 3, &value));
}

static void lookup_first(void)
{
    int value = 0;

    say_index("insert", pvm_insert("first", 4, 40));
    say_index("insert", pvm_insert("first", 2, 20));
    say_index("lookup", pvm_lookup("first", -1, &value));
    say("%d", value);
    pvm_delete("first", 2);
    pvm_delete("first", 4);
}

const pvm_case pvm_conform_mailbox[] = {
    CASE(mbox_put, 0),          CASE(mbox_put_twice, 0),
    CASE(mbox_multi, 0),        CASE(mbox_multi_reuse, 0),
    CASE(mbox_overwrite, 0),    CASE(mbox_read_and_delete, 0),
    CASE(mbox_of_another, 1),   CASE(mbox_owner_ends, 1),
    CASE(mbox_owner_killed, 1), CASE(mbox_wait, 1),
    CASE(mbox_errors, 0),       CASE(mbox_buffers, 0),
    CASE(mbox_contents, 0),     CASE(mbox_received, 1),
    CASE(mbox_classes, 1),      CASE(mbox_patterns, 0),
    CASE(mbox_owner_gone, 1),   CASE(insert_lookup_delete, 0),
    CASE(lookup_first, 0),      NO_MORE_CASES,
};
