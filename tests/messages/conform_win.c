/* conform_win.c - one-sided communication. */
#include "conform.h"

#define MANY 64

static int mine[MANY];

static MPI_Win window(void)
{
    MPI_Win win;

    for (int i = 0; i < MANY; ++i) mine[i] = -1;
    MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

static int right(void)
{
    return (me + 1) % np;
}

static int left(void)
{
    return (me + np - 1) % np;
}

/* -- windows -- */

static void win_attributes(void)
{
    MPI_Win win = window();
    void *base;
    MPI_Aint *bytes;
    int *number, flag;

    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    say("base %s", flag && base == mine ? "its own" : "another");
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    say("bytes %d", flag ? (int)*bytes : -1);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag);
    say("unit %d", flag ? *number : -1);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag);
    say("flavor %s", flag && *number == MPI_WIN_FLAVOR_CREATE ? "create" : "another");
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag);
    say("model %s", flag && *number == MPI_WIN_UNIFIED ? "unified" : "another");
    MPI_Win_free(&win);
    say("%s", win == MPI_WIN_NULL ? "null" : "not null");
}

static void win_group(void)
{
    MPI_Win win = window();
    MPI_Group world, group;
    int result;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_get_group(win, &group);
    MPI_Group_compare(world, group, &result);
    say("%s", compared(result));
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
}

static void win_names(void)
{
    MPI_Win win = window();
    char name[MPI_MAX_OBJECT_NAME] = "?";
    int length = -1;

    MPI_Win_set_name(win, "the window");
    MPI_Win_get_name(win, name, &length);
    say("'%s' %d", name, length);
    MPI_Win_free(&win);
}

static int deleted;

static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
    (void)win;
    (void)key;
    deleted += *(int *)value + *(int *)extra;
    return MPI_SUCCESS;
}

static void win_keys(void)
{
    MPI_Win win = window();
    int one = 1, ten = 10, key = 0, flag = 7, *found = NULL;

    deleted = 0;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &ten);
    MPI_Win_get_attr(win, key, &found, &flag);
    say("unset %d", flag);
    MPI_Win_set_attr(win, key, &one);
    MPI_Win_get_attr(win, key, &found, &flag);
    say("set %d %d", flag, flag ? *found : -1);
    MPI_Win_delete_attr(win, key);
    say("deleted %d", deleted);
    MPI_Win_set_attr(win, key, &ten);
    MPI_Win_free_keyval(&key);
    say("%s", key == MPI_KEYVAL_INVALID ? "invalid" : "valid");
    MPI_Win_free(&win);
    say("at the end %d", deleted);
}

static int handled;

static void on_error(MPI_Win *win, int *code, ...)
{
    (void)win;
    MPI_Error_class(*code, &handled);
}

static void win_handlers(void)
{
    MPI_Win win = window();
    MPI_Errhandler handler, found;
    int data = 0;

    MPI_Win_create_errhandler(on_error, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Win_get_errhandler(win, &found);
    say("%s", found == handler ? "the same" : "another");
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    handled = MPI_SUCCESS;
    MPI_Put(&data, 1, MPI_INT, np, 0, 1, MPI_INT, win);
    say_class("called with", handled);
    handled = MPI_SUCCESS;
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    say_class("called with", handled);
    MPI_Win_free(&win);
    MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_errhandler(win, &found);
    say("at first %s", found == MPI_ERRORS_ARE_FATAL ? "fatal" : "another");
    MPI_Win_free(&win);
}

static void win_info(void)
{
    MPI_Win win = window();
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "false");
    say_class("set", MPI_Win_set_info(win, info));
    MPI_Info_free(&info);
    say_class("get", MPI_Win_get_info(win, &info));
    say("%s", info == MPI_INFO_NULL ? "null" : "an object");
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

static void win_allocated(void)
{
    MPI_Win win;
    int *base = NULL, *flavor, flag, got = -1;
    MPI_Aint *bytes;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    say("%s %d", *flavor == MPI_WIN_FLAVOR_ALLOCATE ? "allocate" : "another", (int)*bytes);
    for (int i = 0; i < 8; ++i) base[i] = 10 * me + i;
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, right(), 3, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    say("got %d", got);
    MPI_Put(&me, 1, MPI_INT, right(), 7, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    say("from %d", base[7]);
    MPI_Win_free(&win);
}

static void win_units_differ(void)
{
    MPI_Win win;
    int data = 100 + me, unit = me % 2 == 0 ? 1 : (int)sizeof(int), theirs = right() % 2 == 0 ? (int)sizeof(int) : 1;

    for (int i = 0; i < MANY; ++i) mine[i] = -1;
    MPI_Win_create(mine, sizeof mine, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&data, 1, MPI_INT, right(), 2 * theirs, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    say_ints("", mine, 4);
    MPI_Win_free(&win);
}

static void win_of_some_is_empty(void)
{
    MPI_Win win;
    int data = 5 + me;

    mine[0] = -1;
    MPI_Win_create(me == 0 ? mine : NULL, me == 0 ? sizeof mine : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == np - 1) MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (me == 0) say("%d", mine[0]);
    MPI_Win_free(&win);
}

static void win_of_some_ranks(void)
{
    MPI_Comm half;
    MPI_Win win;
    int rank, size, data;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    mine[0] = -1;
    MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, half, &win);
    data = 100 * me;
    MPI_Win_fence(0, win);
    MPI_Put(&data, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    say("%d", mine[0]);
    MPI_Win_free(&win);
    MPI_Comm_free(&half);
}

/* -- fence -- */

static void win_fence_puts(void)
{
    MPI_Win win = window();
    int data[4];

    fill(data, 4, me + 1);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(data, 4, MPI_INT, right(), 2, 4, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    say_ints("", mine, 8);
    MPI_Win_free(&win);
}

static void win_fence_gets(void)
{
    MPI_Win win = window();
    int data[4] = { 0 };

    fill(mine, 8, me + 1);
    MPI_Win_fence(0, win);
    MPI_Get(data, 3, MPI_INT, left(), 5, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    say_ints("", data, 4);
    MPI_Win_free(&win);
}

static void win_fence_to_itself(void)
{
    MPI_Win win = window();
    int data = 77, got = 0;

    mine[1] = 12;
    MPI_Win_fence(0, win);
    MPI_Put(&data, 1, MPI_INT, me, 0, 1, MPI_INT, win);
    MPI_Get(&got, 1, MPI_INT, me, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    say("%d %d", mine[0], got);
    MPI_Win_free(&win);
}

static void win_fence_sums(void)
{
    MPI_Win win = window();
    int data[2] = { me + 1, 10 * (me + 1) };

    mine[0] = mine[1] = 1000;
    MPI_Win_fence(0, win);
    for (int i = 0; i < np; ++i) MPI_Accumulate(data, 2, MPI_INT, i, 0, 2, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    say_ints("", mine, 3);
    MPI_Win_free(&win);
}

static void win_fence_all_to_all(void)
{
    MPI_Win win = window();

    MPI_Win_fence(0, win);
    for (int round = 0; round < 3; ++round) {
        int data[16];
        for (int i = 0; i < np; ++i) data[i] = 1000 * round + 10 * me + i;
        for (int i = 0; i < np; ++i) MPI_Put(&data[i], 1, MPI_INT, i, me, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        for (int i = 0; i < np; ++i) expect(mine[i] == 1000 * round + 10 * i + me, "[%d] %d", i, mine[i]);
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
}

static void win_fence_large(void)
{
    enum { COUNT = 100000 };
    int *memory = room(COUNT * sizeof(int)), *data = room(COUNT * sizeof(int));
    MPI_Win win;

    fill(data, COUNT, me);
    MPI_Win_create(memory, COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(data, COUNT, MPI_INT, right(), 0, COUNT, MPI_INT, win);
    MPI_Win_fence(0, win);
    expect_filled(memory, COUNT, left());
    memset(data, 0, COUNT * sizeof(int));
    MPI_Win_fence(0, win);
    MPI_Get(data, COUNT, MPI_INT, right(), 0, COUNT, MPI_INT, win);
    MPI_Win_fence(0, win);
    expect_filled(data, COUNT, me);
    MPI_Win_free(&win);
    free(data);
    free(memory);
}

/* -- types -- */

static void win_vector_at_target(void)
{
    MPI_Win win = window();
    MPI_Datatype every_third;
    int data[4];

    fill(data, 4, me + 1);
    MPI_Type_vector(4, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    MPI_Win_fence(0, win);
    MPI_Put(data, 4, MPI_INT, right(), 1, 1, every_third, win);
    MPI_Type_free(&every_third);
    MPI_Win_fence(0, win);
    say_ints("", mine, 12);
    MPI_Win_free(&win);
}

static void win_vector_at_origin(void)
{
    MPI_Win win = window();
    MPI_Datatype every_second;
    int data[8];

    for (int i = 0; i < 8; ++i) mine[i] = 100 * me + i;
    for (int i = 0; i < 8; ++i) data[i] = -i;
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Win_fence(0, win);
    MPI_Get(data, 1, every_second, right(), 4, 3, MPI_INT, win);
    MPI_Type_free(&every_second);
    MPI_Win_fence(0, win);
    say_ints("", data, 8);
    MPI_Win_free(&win);
}

static void win_indexed_sums(void)
{
    MPI_Win win = window();
    MPI_Datatype some;
    const int lengths[] = { 2, 1 }, places[] = { 4, 0 };
    int data[3] = { 1, 2, 3 };

    for (int i = 0; i < 8; ++i) mine[i] = 100;
    MPI_Type_indexed(2, lengths, places, MPI_INT, &some);
    MPI_Type_commit(&some);
    MPI_Win_fence(0, win);
    MPI_Accumulate(data, 3, MPI_INT, right(), 1, 1, some, MPI_SUM, win);
    MPI_Accumulate(data, 3, MPI_INT, right(), 1, 1, some, MPI_SUM, win);
    MPI_Win_fence(0, win);
    say_ints("", mine, 8);
    MPI_Type_free(&some);
    MPI_Win_free(&win);
}

static void win_structs(void)
{
    typedef struct particle {
        char kind;
        double place[2];
        int charge;
    } particle;
    particle memory[4], data[2];
    const int lengths[] = { 1, 2, 1 };
    const MPI_Aint places[] = { offsetof(particle, kind), offsetof(particle, place), offsetof(particle, charge) };
    const MPI_Datatype types[] = { MPI_CHAR, MPI_DOUBLE, MPI_INT };
    MPI_Datatype raw, type;
    MPI_Win win;

    memset(memory, 0, sizeof memory);
    memset(data, 0, sizeof data);
    for (int i = 0; i < 2; ++i) {
        data[i].kind = (char)('a' + i);
        data[i].place[0] = me + 0.25;
        data[i].place[1] = me + 0.5 * i;
        data[i].charge = 10 * me + i;
    }
    MPI_Type_create_struct(3, lengths, places, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(particle), &type);
    MPI_Type_commit(&type);
    MPI_Win_create(memory, sizeof memory, sizeof(particle), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(data, 2, type, right(), 1, 2, type, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; ++i)
        say("%d%c %g %g %d", i, memory[i].kind ? memory[i].kind : '-', memory[i].place[0], memory[i].place[1],
            memory[i].charge);
    MPI_Win_free(&win);
    MPI_Type_free(&type);
    MPI_Type_free(&raw);
}

static void win_operations(void)
{
    const struct {
        const char *name;
        MPI_Op op;
    } ops[] = { { "max", MPI_MAX },   { "min", MPI_MIN },   { "sum", MPI_SUM },        { "prod", MPI_PROD },
                { "land", MPI_LAND }, { "lor", MPI_LOR },   { "lxor", MPI_LXOR },      { "band", MPI_BAND },
                { "bor", MPI_BOR },   { "bxor", MPI_BXOR }, { "replace", MPI_REPLACE } };
    MPI_Win win = window();

    for (int i = 0; i < COUNT_OF(ops); ++i) mine[i] = 6;
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT_OF(ops); ++i) {
        const int data = 3;
        MPI_Accumulate(&data, 1, MPI_INT, right(), i, 1, MPI_INT, ops[i].op, win);
    }
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT_OF(ops); ++i) say("%s %d", ops[i].name, mine[i]);
    MPI_Win_free(&win);
}

static void win_maxloc(void)
{
    struct {
        int value, rank; /* Open MPI refuses MPI_DOUBLE_INT */
    } memory = { 0, -1 }, data = { (me * 7) % 5, me };
    MPI_Win win;

    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < np; ++i) MPI_Accumulate(&data, 1, MPI_2INT, i, 0, 1, MPI_2INT, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    say("%d of %d", memory.value, memory.rank);
    MPI_Win_free(&win);
}

/* -- post, start, complete, wait -- */

static MPI_Group group_of(int one, int other)
{
    MPI_Group world, group;
    const int ranks[] = { one, other };

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, one == other ? 1 : 2, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

static void win_pscw_ring(void)
{
    MPI_Win win = window();
    MPI_Group to = group_of(right(), right()), from = group_of(left(), left());

    for (int round = 0; round < 3; ++round) {
        const int data = 100 * round + me;
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&data, 1, MPI_INT, right(), round, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        say("%d", mine[round]);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_free(&win);
}

static void win_pscw_neighbors(void)
{
    MPI_Win win = window();
    MPI_Group both = group_of(left(), right());
    int got[2] = { 0, 0 };

    mine[0] = 10 * me;
    MPI_Win_post(both, 0, win);
    MPI_Win_start(both, 0, win);
    MPI_Put(&me, 1, MPI_INT, left(), 2, 1, MPI_INT, win);
    MPI_Put(&me, 1, MPI_INT, right(), 1, 1, MPI_INT, win);
    MPI_Get(&got[0], 1, MPI_INT, left(), 0, 1, MPI_INT, win);
    MPI_Get(&got[1], 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    say_ints("", mine, 3);
    say_ints("got", got, 2);
    MPI_Group_free(&both);
    MPI_Win_free(&win);
}

static void win_pscw_test(void)
{
    MPI_Win win = window();
    MPI_Group other = me < 2 ? group_of(1 - me, 1 - me) : MPI_GROUP_NULL;
    int flag = 0, data = 42;

    if (me == 0) {
        MPI_Win_start(other, 0, win);
        MPI_Put(&data, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    } else if (me == 1) {
        MPI_Win_post(other, 0, win);
        while (!flag) MPI_Win_test(win, &flag);
        say("%d", mine[0]);
    }
    if (me < 2) MPI_Group_free(&other);
    MPI_Win_free(&win);
}

/* -- locks -- */

static void win_lock_puts(void)
{
    MPI_Win win = window();

    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    MPI_Put(&me, 1, MPI_INT, right(), 3, 1, MPI_INT, win);
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    say_ints("", mine, 5);
    MPI_Win_unlock(me, win);
    MPI_Win_free(&win);
}

/* Each rank reads, computes and writes under an exclusive lock. */
static void win_lock_excludes(void)
{
    MPI_Win win = window();

    mine[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 10; ++i) {
        int value = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        ++value;
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        say("%d", mine[0] == 10 * np ? 1 : mine[0]);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void win_lock_all_counts(void)
{
    MPI_Win win = window();
    int seen[MANY] = { 0 }, tickets[8];

    mine[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 4; ++i) {
        const int one = 1;
        MPI_Fetch_and_op(&one, &tickets[i], MPI_INT, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        if (i > 0) expect(tickets[i] > tickets[i - 1], "%d after %d", tickets[i], tickets[i - 1]);
        MPI_Put(&one, 1, MPI_INT, 0, 1 + tickets[i], 1, MPI_INT, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(seen, 1 + 4 * np, MPI_INT, 0, 0, 1 + 4 * np, MPI_INT, win);
    MPI_Win_unlock(0, win);
    say("%d", seen[0] == 4 * np ? 1 : seen[0]);
    for (int i = 0; i < 4 * np; ++i) expect(seen[1 + i] == 1, "ticket %d", i);
    MPI_Win_free(&win);
}

static void win_compare_and_swap(void)
{
    MPI_Win win = window();
    int won = 0, old = -5;
    const int before = -1;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Compare_and_swap(&me, &before, &old, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
    MPI_Win_unlock_all(win);
    old = old == -1;
    MPI_Reduce(&old, &won, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        say("%d won, %s", won, mine[0] >= 0 && mine[0] < np ? "a rank" : "nobody");
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void win_get_accumulate(void)
{
    MPI_Win win = window();
    int data[3] = { 1, 2, 3 }, got[3] = { 0 }, now[3] = { 0 };

    for (int i = 0; i < 3; ++i) mine[i] = 10 * me + i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, win);
    MPI_Get_accumulate(data, 3, MPI_INT, got, 3, MPI_INT, right(), 0, 3, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(right(), win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, now, 3, MPI_INT, right(), 0, 3, MPI_INT, MPI_NO_OP, win);
    MPI_Win_unlock(right(), win);
    say_ints("before", got, 3);
    say_ints("after", now, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

static void win_flushes(void)
{
    MPI_Win win = window();
    int data = 10 + me, got = 0;

    MPI_Win_lock_all(0, win);
    MPI_Put(&data, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    say_class("local", MPI_Win_flush_local(right(), win));
    data = 0;
    say_class("local all", MPI_Win_flush_local_all(win));
    say_class("one", MPI_Win_flush(right(), win));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(&got, 1, MPI_INT, left(), 0, 1, MPI_INT, win);
    say_class("all", MPI_Win_flush_all(win));
    say("%d", got - 10 == (left() + np - 1) % np);
    say_class("sync", MPI_Win_sync(win));
    say("%d", mine[0]);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* A rank that polls its own memory, in a loop that makes no other call. */
static void win_polling(void)
{
    MPI_Win win = window();
    const int data = 9;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&data, 1, MPI_INT, 1, 5, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
    } else if (me == 1) {
        volatile int *flag = &mine[5];
        while (*flag != 9) MPI_Win_sync(win);
        say("%d", *flag);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void win_several_locks(void)
{
    MPI_Win win = window();

    for (int i = 0; i < np; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
        MPI_Put(&me, 1, MPI_INT, i, me, 1, MPI_INT, win);
    }
    for (int i = np - 1; i >= 0; --i) MPI_Win_unlock(i, win);
    MPI_Barrier(MPI_COMM_WORLD);
    say_ints("", mine, np);
    MPI_Win_free(&win);
}

static void win_nocheck(void)
{
    MPI_Win win = window();

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), MPI_MODE_NOCHECK, win);
    MPI_Put(&me, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    say("%d", mine[0]);
    MPI_Win_free(&win);
}

/* -- requests -- */

static void win_requests(void)
{
    MPI_Win win = window();
    MPI_Request requests[2];
    MPI_Status status;
    int data = 50 + me, more = 7, got = 0, old = 0;

    mine[1] = 100 * me;
    mine[2] = me;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Rput(&data, 1, MPI_INT, right(), 0, 1, MPI_INT, win, &requests[0]);
    MPI_Rget(&got, 1, MPI_INT, right(), 1, 1, MPI_INT, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("got %d %s", got, requests[1] == MPI_REQUEST_NULL ? "null" : "left");
    MPI_Raccumulate(&more, 1, MPI_INT, right(), 2, 1, MPI_INT, MPI_SUM, win, &requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Win_flush(right(), win);
    MPI_Rget_accumulate(&more, 1, MPI_INT, &old, 1, MPI_INT, right(), 2, 1, MPI_INT, MPI_SUM, win, &requests[0]);
    MPI_Wait(&requests[0], &status);
    say("old %d", old);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    say_ints("", mine, 3);
    MPI_Win_free(&win);
}

/* -- dynamic and shared windows -- */

static void win_dynamic(void)
{
    MPI_Win win;
    MPI_Aint address, theirs[16];
    int *flavor, flag, data = 30 + me;

    for (int i = 0; i < 4; ++i) mine[i] = -1;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    say("%s", *flavor == MPI_WIN_FLAVOR_DYNAMIC ? "dynamic" : "another");
    say_class("attach", MPI_Win_attach(win, mine, sizeof mine));
    MPI_Get_address(&mine[2], &address);
    MPI_Allgather(&address, 1, MPI_AINT, theirs, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Put(&data, 1, MPI_INT, right(), theirs[right()], 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    say_ints("", mine, 4);
    say_class("detach", MPI_Win_detach(win, mine));
    MPI_Win_free(&win);
}

static void win_shared(void)
{
    MPI_Comm host;
    MPI_Win win;
    int *base = NULL, *first = NULL, unit = 0, rank, size, sum = 0, *flavor, flag;
    MPI_Aint bytes = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &size);
    MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, host, &base, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    say("%s", *flavor == MPI_WIN_FLAVOR_SHARED ? "shared" : "another");
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
    say("%d %d", (int)bytes, unit);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; ++i) base[i] = 1;
    MPI_Win_fence(0, win);
    expect(base == first + 4 * rank, "not contiguous");
    for (int i = 0; i < 4 * size; ++i) sum += first[i];
    expect(sum == 4 * size, "sum %d", sum);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 2, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    expect(base[2] == (rank + size - 1) % size, "put %d", base[2]);
    MPI_Win_free(&win);
    MPI_Comm_free(&host);
}

/* -- errors -- */

static void win_bad_windows(void)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Errhandler handler;
    int data = 0, flag;

    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    say_class("put", MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    say_class("get", MPI_Get(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    say_class("accumulate", MPI_Accumulate(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    say_class("fence", MPI_Win_fence(0, win));
    say_class("lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    say_class("unlock", MPI_Win_unlock(0, win));
    say_class("lock all", MPI_Win_lock_all(0, win));
    say_class("flush", MPI_Win_flush(0, win));
    say_class("complete", MPI_Win_complete(win));
    say_class("wait", MPI_Win_wait(win));
    say_class("test", MPI_Win_test(win, &flag));
    say_class("sync", MPI_Win_sync(win));
    say_class("free", MPI_Win_free(&win));
    say_class("attr", MPI_Win_get_attr(win, MPI_WIN_BASE, &data, &flag));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

static void win_bad_creation(void)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Comm comm;
    void *base;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    say_class("bytes", MPI_Win_create(mine, -1, 1, MPI_INFO_NULL, comm, &win));
    say_class("unit", MPI_Win_create(mine, 4, 0, MPI_INFO_NULL, comm, &win));
    say_class("win", MPI_Win_create(mine, 4, 1, MPI_INFO_NULL, comm, NULL));
    say_class("allocate bytes", MPI_Win_allocate(-1, 1, MPI_INFO_NULL, comm, &base, &win));
    say_class("allocate unit", MPI_Win_allocate(4, -3, MPI_INFO_NULL, comm, &base, &win));
    say_class("shared bytes", MPI_Win_allocate_shared(-1, 1, MPI_INFO_NULL, comm, &base, &win));
    MPI_Comm_free(&comm);
}

static void win_bad_arguments(void)
{
    MPI_Win win = window();
    MPI_Datatype type;
    int data[2] = { 0, 0 };

    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Win_fence(0, win);
    say_class("count", MPI_Put(data, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
    say_class("target count", MPI_Put(data, 1, MPI_INT, 0, 0, -1, MPI_INT, win));
    say_class("type", MPI_Put(data, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
    say_class("target type", MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, win));
    say_class("not committed", MPI_Put(data, 1, type, 0, 0, 1, type, win));
    say_class("rank", MPI_Put(data, 1, MPI_INT, np, 0, 1, MPI_INT, win));
    say_class("rank", MPI_Get(data, 1, MPI_INT, -7, 0, 1, MPI_INT, win));
    say_class("place", MPI_Put(data, 1, MPI_INT, 0, -1, 1, MPI_INT, win));
    say_class("null rank", MPI_Put(data, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    say_class("null rank", MPI_Get(data, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    say_class("nothing", MPI_Put(data, 0, MPI_INT, 0, 0, 0, MPI_INT, win));
    say_class("op", MPI_Accumulate(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
    say_class("assert", MPI_Win_fence(12345, win));
    say_class("fence", MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    MPI_Type_free(&type);
    MPI_Win_free(&win);
}

static void sums(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; ++i) ((int *)inout)[i] += ((int *)in)[i];
}

static void win_bad_operations(void)
{
    MPI_Win win = window();
    MPI_Op own;
    int data = 0;

    MPI_Op_create(sums, 1, &own);
    MPI_Win_fence(0, win);
    say_class("of the program", MPI_Accumulate(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, own, win));
    MPI_Win_fence(0, win);
    MPI_Op_free(&own);
    MPI_Win_free(&win);
}

static void win_bad_locks(void)
{
    MPI_Win win = window();

    say_class("type", MPI_Win_lock(99, 0, 0, win));
    say_class("rank", MPI_Win_lock(MPI_LOCK_SHARED, np, 0, win));
    say_class("rank", MPI_Win_lock(MPI_LOCK_SHARED, -5, 0, win));
    say_class("assert", MPI_Win_lock(MPI_LOCK_SHARED, 0, 4096, win));
    say_class("null rank", MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win));
    say_class("null rank", MPI_Win_unlock(MPI_PROC_NULL, win));
    say_class("all", MPI_Win_lock_all(4096, win));
    say_class("unlock rank", MPI_Win_unlock(np, win));
    MPI_Win_free(&win);
}

static void win_not_synchronized(void)
{
    MPI_Win win = window();
    int data = 0, flag;

    say_class("put", MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    say_class("get", MPI_Get(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    say_class("accumulate", MPI_Accumulate(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    say_class("unlock", MPI_Win_unlock(0, win));
    say_class("unlock all", MPI_Win_unlock_all(win));
    say_class("flush", MPI_Win_flush(0, win));
    say_class("flush all", MPI_Win_flush_all(win));
    say_class("complete", MPI_Win_complete(win));
    say_class("wait", MPI_Win_wait(win));
    say_class("test", MPI_Win_test(win, &flag));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

static void win_epochs_do_not_mix(void)
{
    MPI_Win win = window();
    MPI_Group own = group_of(me, me);
    MPI_Request request = MPI_REQUEST_NULL;
    int data = 0;

    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    say_class("again", MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
    say_class("fence", MPI_Win_fence(0, win));
    say_class("start", MPI_Win_start(own, 0, win));
    MPI_Win_unlock(me, win);
    MPI_Win_lock_all(0, win);
    say_class("lock", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win));
    say_class("all again", MPI_Win_lock_all(0, win));
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    say_class("requested", MPI_Rput(&data, 1, MPI_INT, me, 0, 1, MPI_INT, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Group_free(&own);
    MPI_Win_free(&win);
}

static void win_flavors(void)
{
    MPI_Win win = window();
    MPI_Aint bytes;
    int unit;
    void *base;

    say_class("query", MPI_Win_shared_query(win, 0, &bytes, &unit, &base));
    MPI_Win_free(&win);
}

static void win_null_arguments(void)
{
    MPI_Win win = window();
    int flag;
    char name[MPI_MAX_OBJECT_NAME];

    say_class("group", MPI_Win_get_group(win, NULL));
    say_class("name", MPI_Win_get_name(win, NULL, &flag));
    say_class("length", MPI_Win_get_name(win, name, NULL));
    say_class("set name", MPI_Win_set_name(win, NULL));
    say_class("attr", MPI_Win_get_attr(win, MPI_WIN_BASE, NULL, &flag));
    say_class("handler", MPI_Win_get_errhandler(win, NULL));
    say_class("info", MPI_Win_get_info(win, NULL));
    MPI_Win_free(&win);
}

const conform_case conform_win[] = { CASE(win_attributes, 1),
                                     CASE(win_group, 1),
                                     CASE(win_names, 1),
                                     CASE(win_keys, 1),
                                     CASE(win_handlers, 1),
                                     CASE(win_info, 1),
                                     CASE(win_allocated, 1),
                                     CASE(win_units_differ, 1),
                                     CASE(win_of_some_is_empty, 1),
                                     CASE(win_of_some_ranks, 1),
                                     CASE(win_fence_puts, 1),
                                     CASE(win_fence_gets, 1),
                                     CASE(win_fence_to_itself, 1),
                                     CASE(win_fence_sums, 1),
                                     CASE(win_fence_all_to_all, 1),
                                     CASE(win_fence_large, 1),
                                     CASE(win_vector_at_target, 1),
                                     CASE(win_vector_at_origin, 1),
                                     CASE(win_indexed_sums, 1),
                                     CASE(win_structs, 1),
                                     CASE(win_operations, 1),
                                     CASE(win_maxloc, 1),
                                     CASE(win_pscw_ring, 1),
                                     CASE(win_pscw_neighbors, 1),
                                     CASE(win_pscw_test, 2),
                                     CASE(win_lock_puts, 1),
                                     CASE(win_lock_excludes, 1),
                                     CASE(win_lock_all_counts, 1),
                                     CASE(win_compare_and_swap, 1),
                                     CASE(win_get_accumulate, 1),
                                     CASE(win_flushes, 1),
                                     CASE(win_polling, 2),
                                     CASE(win_several_locks, 1),
                                     CASE(win_nocheck, 1),
                                     CASE(win_requests, 1),
                                     CASE(win_dynamic, 1),
                                     CASE(win_shared, 1),
                                     CASE(win_bad_windows, 1),
                                     CASE(win_bad_creation, 1),
                                     CASE(win_bad_arguments, 1),
                                     CASE(win_bad_operations, 1),
                                     CASE(win_bad_locks, 1),
                                     CASE(win_not_synchronized, 1),
                                     CASE(win_epochs_do_not_mix, 1),
                                     CASE(win_flavors, 1),
                                     CASE(win_null_arguments, 1),
                                     NO_MORE_CASES };
