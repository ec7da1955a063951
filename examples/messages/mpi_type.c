/* mpi_type.c - MPI datatypes and packing. A type is a list of blocks of contiguous elements, and the list may be
 * repeated with a stride; the elements are types again, down to basic ones. */
#include "mpi_core.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/*=============================================================================
 * MARK: - >>predefined types
 *===========================================================================*/

#define BASIC(which, text, type)                                                                                       \
    MESSAGES_STEADY                                                                                                    \
    struct mpi_type simkit_mpi_type_##which = { .basic = 1 + NUMBER_##which,                                           \
                                                .committed = true,                                                     \
                                                .dense = true,                                                         \
                                                .size = sizeof(type),                                                  \
                                                .elements = 1,                                                         \
                                                .alignment = __alignof__(type),                                        \
                                                .ub = sizeof(type),                                                    \
                                                .true_ub = sizeof(type),                                               \
                                                .combiner = MPI_COMBINER_NAMED,                                        \
                                                .name = "MPI_" text };

BASICS(BASIC)

#define PAIR(which, text, value, index)                                                                                \
    typedef struct pair_##which {                                                                                      \
        value v;                                                                                                       \
        index i;                                                                                                       \
    } pair_##which;                                                                                                    \
    static mpi_block pair_blocks_##which[] = { { 0, 1, &simkit_mpi_type_pair_value_##which },                          \
                                               { offsetof(pair_##which, i), 1, &simkit_mpi_type_##index } };           \
    MESSAGES_STEADY                                                                                                    \
    struct mpi_type simkit_mpi_type_##which = { .basic = 1 + NUMBER_##which,                                           \
                                                .committed = true,                                                     \
                                                .dense = sizeof(pair_##which) == sizeof(value) + sizeof(index),        \
                                                .size = sizeof(value) + sizeof(index),                                 \
                                                .elements = 2,                                                         \
                                                .ub = sizeof(pair_##which),                                            \
                                                .true_ub = offsetof(pair_##which, i) + sizeof(index),                  \
                                                .count = 2,                                                            \
                                                .times = 1,                                                            \
                                                .blocks = pair_blocks_##which,                                         \
                                                .combiner = MPI_COMBINER_NAMED,                                        \
                                                .name = "MPI_" text };
#define simkit_mpi_type_pair_value_float_int simkit_mpi_type_float
#define simkit_mpi_type_pair_value_2real simkit_mpi_type_float
#define simkit_mpi_type_pair_value_2double_precision simkit_mpi_type_double
#define simkit_mpi_type_pair_value_2integer simkit_mpi_type_int
#define simkit_mpi_type_pair_value_double_int simkit_mpi_type_double
#define simkit_mpi_type_pair_value_long_int simkit_mpi_type_long
#define simkit_mpi_type_pair_value_2int simkit_mpi_type_int
#define simkit_mpi_type_pair_value_short_int simkit_mpi_type_short
#define simkit_mpi_type_pair_value_long_double_int simkit_mpi_type_long_double
PAIRS(PAIR)

MESSAGES_STEADY struct mpi_type simkit_mpi_type_lb = {
    .basic = 1 + NUMBERS, .committed = true, .combiner = MPI_COMBINER_NAMED, .name = "MPI_LB"
};
MESSAGES_STEADY struct mpi_type simkit_mpi_type_ub = {
    .basic = 2 + NUMBERS, .committed = true, .combiner = MPI_COMBINER_NAMED, .name = "MPI_UB"
};

/*=============================================================================
 * MARK: - >>packing
 *===========================================================================*/

static ptrdiff_t type__extent_of(MPI_Datatype t)
{
    return t->ub - t->lb;
}

/* The state of a walk through a type: remaining bytes of the message, and its buffer. */
typedef struct cursor {
    char *packed;
    size_t left;
    bool packing;
    mpi_visit *visit; /* called for each piece, which is then not copied; NULL: pieces are copied */
    void *user;
} cursor;

/* Addresses are numbers here: MPI_BOTTOM is 0, and a type may begin before its buffer. */
static void type__walk(cursor *c, uintptr_t data, size_t count, MPI_Datatype t)
{
    if (t->dense || (t->count == 0 && t->basic)) {
        size_t bytes = count * t->size;
        if (bytes > c->left) bytes = c->left;
        if (bytes == 0) return;
        if (c->visit)
            c->visit(c->user, data, bytes);
        else if (c->packing)
            memcpy(c->packed, (const void *)data, bytes);
        else
            memcpy((void *)data, c->packed, bytes);
        if (!c->visit) c->packed += bytes;
        c->left -= bytes;
        return;
    }
    for (size_t i = 0; i < count && c->left > 0; i++, data += (uintptr_t)type__extent_of(t))
        for (size_t k = 0; k < t->times && c->left > 0; ++k) {
            const uintptr_t at = data + k * (uintptr_t)t->stride;
            for (size_t b = 0; b < t->count && c->left > 0; ++b)
                type__walk(c, at + (uintptr_t)t->blocks[b].place, t->blocks[b].count, t->blocks[b].type);
        }
}

size_t mpi_pack(void *packed, const void *data, size_t count, MPI_Datatype t)
{
    cursor c = { packed, count * t->size, true, NULL, NULL };
    type__walk(&c, (uintptr_t)data, count, t);
    return count * t->size;
}

size_t mpi_unpack(void *data, const void *packed, size_t bytes, size_t count, MPI_Datatype t)
{
    size_t most = count * t->size;
    cursor c = { (char *)(uintptr_t)packed, bytes < most ? bytes : most, false, NULL, NULL };
    most = c.left;
    type__walk(&c, (uintptr_t)data, count, t);
    return most;
}

void mpi_type_pieces(MPI_Datatype t, mpi_visit *visit, void *user)
{
    cursor c = { NULL, t->size, false, visit, user };
    type__walk(&c, 0, 1, t);
}

MPI_Datatype mpi_type_element(MPI_Datatype t)
{
    MPI_Datatype found = NULL;
    if (t->basic) return t->size > 0 ? t : NULL;
    for (size_t b = 0; b < t->count; ++b) {
        if (t->blocks[b].count * t->blocks[b].type->size == 0) continue;
        MPI_Datatype one = mpi_type_element(t->blocks[b].type);
        if (!one || (found && found != one)) return NULL;
        found = one;
    }
    return found;
}

/* Counts the basic elements in so many bytes of a type; returns the remaining bytes. */
static size_t type__count_elements(size_t *bytes, size_t count, MPI_Datatype t)
{
    size_t found = 0;
    if (t->size == 0) return 0;
    if (t->basic && t->count == 0) {
        found = *bytes / t->size;
        if (found > count) found = count;
        *bytes -= found * t->size;
        return found;
    }
    size_t whole = *bytes / t->size;
    if (whole > count) whole = count;
    found = whole * t->elements;
    *bytes -= whole * t->size;
    if (whole == count || *bytes == 0) return found;
    for (size_t k = 0; k < t->times; ++k)
        for (size_t b = 0; b < t->count; ++b) {
            size_t before = *bytes, wanted = t->blocks[b].count * t->blocks[b].type->size;
            found += type__count_elements(bytes, t->blocks[b].count, t->blocks[b].type);
            if (before - *bytes < wanted) return found;
        }
    return found;
}

size_t mpi_elements(size_t bytes, MPI_Datatype t)
{
    size_t left = bytes, found = type__count_elements(&left, SIZE_MAX, t);
    return left > 0 ? SIZE_MAX : found;
}

void *mpi_room(size_t count, MPI_Datatype t, void **block)
{
    ptrdiff_t low = t->true_lb < t->lb ? t->true_lb : t->lb, high = t->true_ub > t->ub ? t->true_ub : t->ub;
    if (count > 1) {
        ptrdiff_t more = (ptrdiff_t)(count - 1) * type__extent_of(t);
        if (more > 0)
            high += more;
        else
            low += more;
    }
    *block = malloc(high - low > 0 ? (size_t)(high - low) : 1);
    if (!*block) messages_end(1, "%s: no memory for %zu elements", messages_self->name, count);
    return (char *)*block - low;
}

void mpi_copy(const void *from, size_t from_count, MPI_Datatype from_type, void *to, size_t to_count,
              MPI_Datatype to_type)
{
    size_t bytes = from_count * from_type->size;
    if (bytes == 0 || (from == to && from_type == to_type)) return;
    char *packed = malloc(bytes);
    if (!packed) messages_end(1, "%s: no memory for %zu bytes", messages_self->name, bytes);
    mpi_pack(packed, from, from_count, from_type);
    mpi_unpack(to, packed, bytes, to_count, to_type);
    free(packed);
}

/*=============================================================================
 * MARK: - >>constructors
 *===========================================================================*/

const char *mpi_basic_name(int basic)
{
#define NAME(which, text, type) "MPI_" text,
#define PAIR_NAME(which, text, value, index) "MPI_" text,
    static const char *const names[] = { BASICS(NAME) PAIRS(PAIR_NAME) "MPI_LB", "MPI_UB" };
    return names[basic - 1];
}

MPI_Datatype mpi_basic_type(int basic)
{
#define ADDRESS(which, text, type) &simkit_mpi_type_##which,
#define PAIR_ADDRESS(which, text, value, index) &simkit_mpi_type_##which,
    static const MPI_Datatype types[] = { BASICS(ADDRESS) PAIRS(PAIR_ADDRESS) };
    return types[basic - 1];
}

size_t mpi_basic_size(int basic)
{
#define SIZE_OF(which, text, type) sizeof(type),
    static const unsigned char sizes[] = { BASICS(SIZE_OF) };
    return basic >= 1 && (size_t)basic <= sizeof sizes ? sizes[basic - 1] : 0;
}

/* Returns the class of a basic type. Elements of one message must be of one class: of one kind and size. */
static size_t type__class_of(uint32_t basic)
{
    enum { INTEGERS = 1, REALS, COMPLEXES };
    size_t kind = INTEGERS; /* with characters and logicals */
    switch (basic - 1) {
    case NUMBER_float:
    case NUMBER_double:
    case NUMBER_long_double:
    case NUMBER_real:
    case NUMBER_double_precision:
    case NUMBER_real4:
    case NUMBER_real8:
    case NUMBER_real16: kind = REALS; break;
    case NUMBER_c_float_complex:
    case NUMBER_c_double_complex:
    case NUMBER_c_long_double_complex:
    case NUMBER_complex:
    case NUMBER_double_complex:
    case NUMBER_cxx_float_complex:
    case NUMBER_cxx_double_complex:
    case NUMBER_cxx_long_double_complex:
    case NUMBER_complex8:
    case NUMBER_complex16:
    case NUMBER_complex32: kind = COMPLEXES; break;
    default: break;
    }
    return kind << 8 | mpi_basic_size((int)basic);
}

bool messages_types_match(uint32_t one, uint32_t other)
{
    const uint32_t byte = 1 + NUMBER_byte, packed = 1 + NUMBER_packed;
    if (one == other || one == 0 || other == 0 || one == byte || other == byte || one == packed || other == packed)
        return true;
    /* A message of one kind may be the first elements of a mixed type. */
    return one != MPI_MIXED && (other == MPI_MIXED || type__class_of(one) == type__class_of(other));
}

static uint32_t type__elements_find(MPI_Datatype t)
{
    uint32_t found = 0;
    for (size_t b = 0; b < t->count; ++b) {
        const mpi_block *k = &t->blocks[b];
        if (k->count == 0 || k->type->size == 0) continue;
        const uint32_t one = k->type->basic ? mpi_elements_of(k->type) : type__elements_find(k->type);
        if (!one || found == one) continue;
        if (found && (one == MPI_MIXED || type__class_of(found) != type__class_of(one))) return MPI_MIXED;
        if (!found) found = one;
    }
    return found;
}

uint32_t mpi_elements_of(MPI_Datatype t)
{
    if (!t->basic) return t->of;
    if (t->count == 0) return t->size == 0 ? 0 : (uint32_t)t->basic;
    return t->blocks[0].type == t->blocks[1].type ? (uint32_t)t->blocks[0].type->basic : MPI_MIXED; /* a pair */
}

void mpi_type_hold(MPI_Datatype t)
{
    if (t->references > 0) ++t->references;
}

void mpi_type_drop(MPI_Datatype t)
{
    if (t->references == 0 || --t->references > 0) return;
    t->references = 1; /* it is there while functions of the program delete its attributes, and they may use it */
    mpi_attributes_free(MPI_OF_TYPE, t, &t->attributes);
    if (--t->references > 0) return;
    for (size_t i = 0; i < t->count; ++i) mpi_type_drop(t->blocks[i].type);
    for (int i = 0; i < t->type_count; ++i) mpi_type_drop(t->types[i]);
    free(t->blocks);
    free(t->integers);
    free(t->addresses);
    free(t->types);
    t->freed = true;
    mpi_unmade(&t->made);
    mpi_retire(t);
}

/* Drops a type that only another type refers to. */
static void type__let(MPI_Datatype t)
{
    mpi_unmade(&t->made);
    mpi_type_drop(t);
}

static const char *type__maker_of(int combiner)
{
    switch (combiner) {
    case MPI_COMBINER_DUP: return "MPI_Type_dup";
    case MPI_COMBINER_CONTIGUOUS: return "MPI_Type_contiguous";
    case MPI_COMBINER_VECTOR: return "MPI_Type_vector";
    case MPI_COMBINER_HVECTOR: return "MPI_Type_create_hvector";
    case MPI_COMBINER_INDEXED: return "MPI_Type_indexed";
    case MPI_COMBINER_HINDEXED: return "MPI_Type_create_hindexed";
    case MPI_COMBINER_INDEXED_BLOCK: return "MPI_Type_create_indexed_block";
    case MPI_COMBINER_HINDEXED_BLOCK: return "MPI_Type_create_hindexed_block";
    case MPI_COMBINER_STRUCT: return "MPI_Type_create_struct";
    case MPI_COMBINER_SUBARRAY: return "MPI_Type_create_subarray";
    case MPI_COMBINER_DARRAY: return "MPI_Type_create_darray";
    case MPI_COMBINER_RESIZED: return "MPI_Type_create_resized";
    default: return "another call";
    }
}

static MPI_Datatype type__new(int combiner, size_t blocks)
{
    MPI_Datatype t = mpi_new(1, sizeof *t);
    t->made = mpi_made(MPI_TYPES, type__maker_of(combiner));
    t->references = 1;
    t->combiner = combiner;
    t->times = 1;
    t->blocks = mpi_new(blocks, sizeof *t->blocks);
    return t;
}

static void type__block_add(MPI_Datatype t, ptrdiff_t place, size_t count, MPI_Datatype old)
{
    mpi_block *b = &t->blocks[t->count++];
    b->place = place;
    b->count = count;
    b->type = old;
    mpi_type_hold(old);
}

static size_t type__alignment_of(MPI_Datatype t)
{
    if (t->basic && t->count == 0) return t->size == 0 ? 1 : t->alignment;
    size_t most = 1;
    for (size_t b = 0; b < t->count; ++b) {
        size_t one = type__alignment_of(t->blocks[b].type);
        if (one > most) most = one;
    }
    return most;
}

/* Computes the sizes and bounds of a type from its blocks. */
static void type__measure(MPI_Datatype t)
{
    bool any = false, any_true = false, padded = t->combiner == MPI_COMBINER_STRUCT;
    ptrdiff_t lb = 0, ub = 0, true_lb = 0, true_ub = 0, low_mark = 0, high_mark = 0;
    for (size_t b = 0; b < t->count; ++b) {
        const mpi_block *k = &t->blocks[b];
        MPI_Datatype old = k->type;
        if (old == MPI_LB || old == MPI_UB) {
            ptrdiff_t at = k->place;
            if (old == MPI_LB && (!t->set_lb || at < low_mark)) low_mark = at, t->set_lb = true;
            if (old == MPI_UB && (!t->set_ub || at > high_mark)) high_mark = at, t->set_ub = true;
            continue;
        }
        if (k->count == 0) continue;
        ptrdiff_t more = (ptrdiff_t)(k->count - 1) * type__extent_of(old), less = more < 0 ? more : 0;
        if (more < 0) more = 0;
        for (int end = 0; end < 2; ++end) { /* the first and the last repetition */
            ptrdiff_t at = k->place + (end ? (ptrdiff_t)(t->times - 1) * t->stride : 0);
            ptrdiff_t low = at + old->lb + less, high = at + old->ub + more;
            if (old->set_lb && (!t->set_lb || low < low_mark)) low_mark = low, t->set_lb = true;
            if (old->set_ub && (!t->set_ub || high > high_mark)) high_mark = high, t->set_ub = true;
            if (!any || low < lb) lb = low;
            if (!any || high > ub) ub = high;
            any = true;
            if (old->size == 0) continue;
            low = at + old->true_lb + less;
            high = at + old->true_ub + more;
            if (!any_true || low < true_lb) true_lb = low;
            if (!any_true || high > true_ub) true_ub = high;
            any_true = true;
        }
        t->size += k->count * old->size;
        t->elements += k->count * old->elements;
    }
    t->size *= t->times;
    t->elements *= t->times;
    if (padded && any) { /* as in a struct */
        ptrdiff_t step = (ptrdiff_t)type__alignment_of(t), over = (ub - lb) % step;
        if (over > 0) ub += step - over;
    }
    t->lb = t->set_lb ? low_mark : lb;
    t->ub = t->set_ub ? high_mark : ub;
    t->true_lb = true_lb;
    t->true_ub = true_ub;
    if (t->times == 0 || t->size == 0) {
        if (!t->set_lb) t->lb = 0;
        if (!t->set_ub) t->ub = 0;
        t->true_lb = t->true_ub = 0;
    }
    t->dense = t->lb == 0 && t->true_lb == 0 && t->ub == (ptrdiff_t)t->size && t->true_ub == (ptrdiff_t)t->size &&
               t->times == 1 && t->count == 1 && t->blocks[0].type->dense && t->blocks[0].place == 0;
}

/* Stores the arguments of the constructor, for PMPI_Type_get_contents(). */
static void type__tell(MPI_Datatype t, int integers, int addresses, int types)
{
    t->integer_count = integers;
    t->address_count = addresses;
    t->type_count = types;
    t->integers = mpi_new((size_t)integers, sizeof *t->integers);
    t->addresses = mpi_new((size_t)addresses, sizeof *t->addresses);
    t->types = mpi_new((size_t)types, sizeof *t->types);
}

static void type__tell_type(MPI_Datatype t, int at, MPI_Datatype old)
{
    t->types[at] = old;
    mpi_type_hold(old);
}

static int type__check(int count, MPI_Datatype old, const void *type)
{
    if (count < 0) return MPI_ERR_COUNT;
    if (!mpi_type_is(old)) return MPI_ERR_TYPE;
    return type ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The lengths of blocks, and a second array beside them. */
static int type__check_blocks(int count, const int lengths[], const void *places)
{
    if (count > 0 && (!lengths || !places)) return MPI_ERR_ARG;
    for (int i = 0; i < count; ++i)
        if (lengths[i] < 0) return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

int PMPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type)
{
    int code = type__check(count, old, type);
    if (code) return mpi_fail(NULL, code);
    MPI_Datatype t = type__new(MPI_COMBINER_CONTIGUOUS, 1);
    type__block_add(t, 0, (size_t)count, old);
    type__tell(t, 1, 0, 1);
    t->integers[0] = count;
    type__tell_type(t, 0, old);
    type__measure(t);
    *type = t;
    return MPI_SUCCESS;
}

static int type__make_vector(int combiner, int count, int length, MPI_Aint stride, ptrdiff_t bytes, MPI_Datatype old,
                             MPI_Datatype *type)
{
    int code = type__check(count, old, type);
    if (code || length < 0) return mpi_fail(NULL, code ? code : MPI_ERR_ARG);
    MPI_Datatype t = type__new(combiner, 1);
    type__block_add(t, 0, (size_t)length, old);
    t->times = (size_t)count;
    t->stride = bytes;
    const bool in_bytes = combiner == MPI_COMBINER_HVECTOR;
    type__tell(t, in_bytes ? 2 : 3, in_bytes, 1);
    t->integers[0] = count;
    t->integers[1] = length;
    if (in_bytes)
        t->addresses[0] = stride;
    else
        t->integers[2] = (int)stride;
    type__tell_type(t, 0, old);
    type__measure(t);
    if (count > 1 && t->size && bytes == (ptrdiff_t)length * type__extent_of(old)) { /* it is contiguous */
        t->times = 1;
        t->blocks[0].count = (size_t)count * (size_t)length;
        t->stride = 0;
        t->dense = old->dense && t->lb == 0 && t->ub == (ptrdiff_t)t->size;
    }
    *type = t;
    return MPI_SUCCESS;
}

int PMPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *type)
{
    ptrdiff_t extent = old ? type__extent_of(old) : 0;
    return MPI_AS(type__make_vector(MPI_COMBINER_VECTOR, count, length, stride, stride * extent, old, type));
}

int PMPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type)
{
    return MPI_AS(type__make_vector(MPI_COMBINER_HVECTOR, count, length, stride, stride, old, type));
}

int PMPI_Type_indexed(int count, const int lengths[], const int places[], MPI_Datatype old, MPI_Datatype *type)
{
    int code = type__check(count, old, type);
    if (!code) code = type__check_blocks(count, lengths, places);
    if (code) return mpi_fail(NULL, code);
    MPI_Datatype t = type__new(MPI_COMBINER_INDEXED, (size_t)count);
    type__tell(t, 2 * count + 1, 0, 1);
    t->integers[0] = count;
    for (int i = 0; i < count; ++i) {
        type__block_add(t, places[i] * type__extent_of(old), (size_t)lengths[i], old);
        t->integers[1 + i] = lengths[i];
        t->integers[1 + count + i] = places[i];
    }
    type__tell_type(t, 0, old);
    type__measure(t);
    *type = t;
    return MPI_SUCCESS;
}

int PMPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype old,
                              MPI_Datatype *type)
{
    int code = type__check(count, old, type);
    if (!code) code = type__check_blocks(count, lengths, places);
    if (code) return mpi_fail(NULL, code);
    MPI_Datatype t = type__new(MPI_COMBINER_HINDEXED, (size_t)count);
    type__tell(t, count + 1, count, 1);
    t->integers[0] = count;
    for (int i = 0; i < count; ++i) {
        type__block_add(t, places[i], (size_t)lengths[i], old);
        t->integers[1 + i] = lengths[i];
        t->addresses[i] = places[i];
    }
    type__tell_type(t, 0, old);
    type__measure(t);
    *type = t;
    return MPI_SUCCESS;
}

/* One of the block types: all blocks have this length. `places` in elements, or `bytes`. */
static int type__make_blocks(int combiner, int count, int length, const int places[], const MPI_Aint bytes[],
                             MPI_Datatype old, MPI_Datatype *type)
{
    int code = type__check(count, old, type);
    if (code || length < 0 || (count > 0 && !places && !bytes)) return mpi_fail(NULL, code ? code : MPI_ERR_ARG);
    MPI_Datatype t = type__new(combiner, (size_t)count);
    type__tell(t, places ? count + 2 : 2, bytes ? count : 0, 1);
    t->integers[0] = count;
    t->integers[1] = length;
    for (int i = 0; i < count; ++i) {
        type__block_add(t, places ? places[i] * type__extent_of(old) : bytes[i], (size_t)length, old);
        if (places)
            t->integers[2 + i] = places[i];
        else
            t->addresses[i] = bytes[i];
    }
    type__tell_type(t, 0, old);
    type__measure(t);
    *type = t;
    return MPI_SUCCESS;
}

int PMPI_Type_create_indexed_block(int count, int length, const int places[], MPI_Datatype old, MPI_Datatype *type)
{
    return MPI_AS(type__make_blocks(MPI_COMBINER_INDEXED_BLOCK, count, length, places, NULL, old, type));
}

int PMPI_Type_create_hindexed_block(int count, int length, const MPI_Aint places[], MPI_Datatype old,
                                    MPI_Datatype *type)
{
    return MPI_AS(type__make_blocks(MPI_COMBINER_HINDEXED_BLOCK, count, length, NULL, places, old, type));
}

int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[],
                            MPI_Datatype *type)
{
    if (count < 0) return mpi_fail(NULL, MPI_ERR_COUNT);
    if (!type || (count > 0 && !types) || type__check_blocks(count, lengths, places))
        return mpi_fail(NULL, MPI_ERR_ARG);
    for (int i = 0; i < count; ++i)
        if (!mpi_type_is(types[i])) return mpi_fail(NULL, MPI_ERR_TYPE);
    MPI_Datatype t = type__new(MPI_COMBINER_STRUCT, (size_t)count);
    type__tell(t, count + 1, count, count);
    t->integers[0] = count;
    for (int i = 0; i < count; ++i) {
        type__block_add(t, places[i], (size_t)lengths[i], types[i]);
        t->integers[1 + i] = lengths[i];
        t->addresses[i] = places[i];
        type__tell_type(t, i, types[i]);
    }
    type__measure(t);
    *type = t;
    return MPI_SUCCESS;
}

int PMPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type)
{
    int code = type__check(0, old, type);
    if (code) return mpi_fail(NULL, code);
    MPI_Datatype t = type__new(MPI_COMBINER_RESIZED, 1);
    type__block_add(t, 0, 1, old);
    type__measure(t);
    t->lb = lb;
    t->ub = lb + extent;
    t->set_lb = t->set_ub = true;
    t->dense = t->dense && lb == 0 && extent == (ptrdiff_t)t->size;
    type__tell(t, 0, 2, 1);
    t->addresses[0] = lb;
    t->addresses[1] = extent;
    type__tell_type(t, 0, old);
    *type = t;
    return MPI_SUCCESS;
}

int PMPI_Type_dup(MPI_Datatype old, MPI_Datatype *type)
{
    int code = type__check(0, old, type);
    if (code) return mpi_fail(NULL, code);
    MPI_Datatype t = type__new(MPI_COMBINER_DUP, 1);
    type__block_add(t, 0, 1, old);
    type__measure(t);
    t->lb = old->lb;
    t->ub = old->ub;
    t->set_lb = old->set_lb;
    t->set_ub = old->set_ub;
    t->dense = old->dense;
    t->committed = old->committed;
    t->of = (unsigned char)mpi_elements_of(old);
    type__tell(t, 0, 0, 1);
    type__tell_type(t, 0, old);
    code = mpi_attributes_copy(MPI_OF_TYPE, old, old->attributes, &t->attributes);
    if (code) {
        mpi_type_drop(t);
        *type = MPI_DATATYPE_NULL;
        return mpi_fail(NULL, code);
    }
    *type = t;
    return MPI_SUCCESS;
}

/* Adds dimensions from the fastest one outwards; the extent is that of the whole array. */
int PMPI_Type_create_subarray(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order,
                              MPI_Datatype old, MPI_Datatype *type)
{
    int code = type__check(dimensions, old, type);
    if (code || dimensions < 1) return mpi_fail(NULL, code ? code : MPI_ERR_ARG);
    if (!sizes || !subsizes || !starts) return mpi_fail(NULL, MPI_ERR_ARG);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) return mpi_fail(NULL, MPI_ERR_ARG);
    for (int i = 0; i < dimensions; ++i)
        if (sizes[i] < 1 || subsizes[i] < 1 || starts[i] < 0 || starts[i] + subsizes[i] > sizes[i])
            return mpi_fail(NULL, MPI_ERR_ARG);
    MPI_Datatype inner = old;
    ptrdiff_t stride = type__extent_of(old), place = 0;
    mpi_type_hold(old);
    for (int i = 0; i < dimensions; ++i) {
        int d = order == MPI_ORDER_C ? dimensions - 1 - i : i;
        MPI_Datatype outer;
        if (i == 0)
            PMPI_Type_contiguous(subsizes[d], inner, &outer);
        else
            PMPI_Type_create_hvector(subsizes[d], 1, stride, inner, &outer);
        type__let(inner);
        inner = outer;
        place += starts[d] * stride;
        stride *= sizes[d];
    }
    MPI_Datatype t = type__new(MPI_COMBINER_SUBARRAY, 1);
    type__block_add(t, place, 1, inner);
    type__let(inner);
    type__measure(t);
    t->lb = 0;
    t->ub = stride;
    t->set_lb = t->set_ub = true;
    t->dense = t->dense && place == 0 && t->ub == (ptrdiff_t)t->size;
    type__tell(t, 3 * dimensions + 2, 0, 1);
    t->integers[0] = dimensions;
    for (int i = 0; i < dimensions; ++i) {
        t->integers[1 + i] = sizes[i];
        t->integers[1 + dimensions + i] = subsizes[i];
        t->integers[1 + 2 * dimensions + i] = starts[i];
    }
    t->integers[1 + 3 * dimensions] = order;
    type__tell_type(t, 0, old);
    *type = t;
    return MPI_SUCCESS;
}

/* A process's part of one dimension of a distributed array. */
static int type__distributed(int size, int processes, int mine, int how, int argument, ptrdiff_t stride,
                             MPI_Datatype old, MPI_Datatype *type)
{
    int block = argument, count = 0;
    if (how == MPI_DISTRIBUTE_NONE) block = size, processes = 1, mine = 0;
    if (how == MPI_DISTRIBUTE_BLOCK && argument == MPI_DISTRIBUTE_DFLT_DARG) block = (size + processes - 1) / processes;
    if (how == MPI_DISTRIBUTE_CYCLIC && argument == MPI_DISTRIBUTE_DFLT_DARG) block = 1;
    if (block < 1 || (how == MPI_DISTRIBUTE_BLOCK && (long long)block * processes < size)) return MPI_ERR_ARG;
    for (long long at = (long long)mine * block; at < size; at += (long long)block * processes) ++count;
    int *lengths = mpi_new((size_t)count, sizeof *lengths);
    MPI_Aint *places = mpi_new((size_t)count, sizeof *places);
    for (int i = 0; i < count; ++i) {
        long long at = ((long long)i * processes + mine) * block;
        lengths[i] = (int)(size - at < block ? size - at : block);
        places[i] = at * stride;
    }
    MPI_Datatype spaced;
    PMPI_Type_create_resized(old, 0, stride, &spaced);
    int code = PMPI_Type_create_hindexed(count, lengths, places, spaced, type);
    type__let(spaced);
    free(lengths);
    free(places);
    return code;
}

int PMPI_Type_create_darray(int size, int rank, int dimensions, const int sizes[], const int distributions[],
                            const int arguments[], const int processes[], int order, MPI_Datatype old,
                            MPI_Datatype *type)
{
    int code = type__check(dimensions, old, type), rest = rank, grid = 1;
    if (code || dimensions < 1) return mpi_fail(NULL, code ? code : MPI_ERR_ARG);
    if (!sizes || !distributions || !arguments || !processes) return mpi_fail(NULL, MPI_ERR_ARG);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) return mpi_fail(NULL, MPI_ERR_ARG);
    for (int i = 0; i < dimensions; ++i) grid *= processes[i];
    if (grid != size || rank < 0 || rank >= size) return mpi_fail(NULL, MPI_ERR_ARG);
    int *at = mpi_new((size_t)dimensions, sizeof *at);
    for (int i = dimensions - 1; i >= 0; --i) { /* ranks are in row-major order */
        at[i] = rest % processes[i];
        rest /= processes[i];
    }
    MPI_Datatype inner = old;
    ptrdiff_t stride = type__extent_of(old);
    mpi_type_hold(old);
    for (int i = 0; i < dimensions && code == MPI_SUCCESS; ++i) {
        int d = order == MPI_ORDER_C ? dimensions - 1 - i : i;
        MPI_Datatype outer;
        code = type__distributed(sizes[d], processes[d], at[d], distributions[d], arguments[d], stride, inner, &outer);
        if (code) break;
        type__let(inner);
        inner = outer;
        stride *= sizes[d];
    }
    free(at);
    if (code) {
        type__let(inner);
        return mpi_fail(NULL, code);
    }
    MPI_Datatype t = type__new(MPI_COMBINER_DARRAY, 1);
    type__block_add(t, 0, 1, inner);
    type__let(inner);
    type__measure(t);
    t->lb = 0;
    t->ub = stride;
    t->set_lb = t->set_ub = true;
    t->dense = false;
    type__tell(t, 4 * dimensions + 4, 0, 1);
    t->integers[0] = size;
    t->integers[1] = rank;
    t->integers[2] = dimensions;
    for (int i = 0; i < dimensions; ++i) {
        t->integers[3 + i] = sizes[i];
        t->integers[3 + dimensions + i] = distributions[i];
        t->integers[3 + 2 * dimensions + i] = arguments[i];
        t->integers[3 + 3 * dimensions + i] = processes[i];
    }
    t->integers[3 + 4 * dimensions] = order;
    type__tell_type(t, 0, old);
    *type = t;
    return MPI_SUCCESS;
}

int PMPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type)
{
    return MPI_AS(PMPI_Type_create_hvector(count, length, stride, old, type));
}

int PMPI_Type_hindexed(int count, int lengths[], MPI_Aint places[], MPI_Datatype old, MPI_Datatype *type)
{
    return MPI_AS(PMPI_Type_create_hindexed(count, lengths, places, old, type));
}

int PMPI_Type_struct(int count, int lengths[], MPI_Aint places[], MPI_Datatype types[], MPI_Datatype *type)
{
    return MPI_AS(PMPI_Type_create_struct(count, lengths, places, types, type));
}

/*=============================================================================
 * MARK: - >>types by size and precision
 *===========================================================================*/

int PMPI_Type_match_size(int which, int size, MPI_Datatype *type)
{
    const MPI_Datatype reals[] = { MPI_REAL4, MPI_REAL8, MPI_REAL16 };
    const MPI_Datatype integers[] = { MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16 };
    const MPI_Datatype complexes[] = { MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32 };
    const MPI_Datatype *list = which == MPI_TYPECLASS_REAL      ? reals
                               : which == MPI_TYPECLASS_INTEGER ? integers
                                                                : complexes;
    const size_t count = which == MPI_TYPECLASS_INTEGER ? 5 : 3;
    if (!type || (which != MPI_TYPECLASS_REAL && which != MPI_TYPECLASS_INTEGER && which != MPI_TYPECLASS_COMPLEX))
        return mpi_fail(NULL, MPI_ERR_ARG);
    for (size_t i = 0; i < count; ++i)
        if ((int)list[i]->size == size) {
            *type = list[i];
            return MPI_SUCCESS;
        }
    return mpi_fail(NULL, MPI_ERR_ARG);
}

/* Types by precision and range are predefined ones, of which each is made once. */
static int type__of_precision(int combiner, int precision, int range, MPI_Datatype basic, MPI_Datatype *type)
{
    static MPI_Datatype *made;
    static int count;
    if (!type || !basic) return MPI_ERR_ARG;
    const int integers = combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2,
              asked[2] = { integers == 1 ? range : precision, range };
    for (int i = 0; i < count; ++i)
        if (made[i]->combiner == combiner && memcmp(made[i]->integers, asked, (size_t)integers * sizeof *asked) == 0) {
            *type = made[i];
            return MPI_SUCCESS;
        }
    MPI_Datatype *more = realloc(made, (size_t)(count + 1) * sizeof *made), t = mpi_new(1, sizeof *t);
    if (!more) messages_end(1, "%s: no memory for a type", messages_self->name);
    made = more;
    *t = *basic;
    t->attributes = NULL;
    t->number = 0;
    t->combiner = combiner;
    type__tell(t, integers, 0, 0);
    memcpy(t->integers, asked, (size_t)integers * sizeof *asked);
    *type = made[count++] = t;
    return MPI_SUCCESS;
}

int PMPI_Type_create_f90_integer(int range, MPI_Datatype *type)
{
    static const int most[] = { 2, 4, 9, 18, 38 };
    const MPI_Datatype types[] = { MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16 };
    int i = 0;
    while (i < 5 && range > most[i]) ++i;
    return mpi_fail(NULL, type__of_precision(MPI_COMBINER_F90_INTEGER, 0, range, i < 5 ? types[i] : NULL, type));
}

/* The place of the smallest real type of this decimal precision and range: float, double, long double; 3: none. */
static int type__real_of(int precision, int range)
{
    static const int digits[] = { FLT_DIG, DBL_DIG, LDBL_DIG };
    static const int exponents[] = { -FLT_MIN_10_EXP, -DBL_MIN_10_EXP, -LDBL_MIN_10_EXP };
    int i = 0;
    if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) return 3;
    while (i < 3 && (precision > digits[i] || range > exponents[i])) ++i; /* MPI_UNDEFINED is less than any */
    return i;
}

int PMPI_Type_create_f90_real(int precision, int range, MPI_Datatype *type)
{
    const MPI_Datatype types[] = { MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, NULL };
    const MPI_Datatype found = types[type__real_of(precision, range)];
    return mpi_fail(NULL, type__of_precision(MPI_COMBINER_F90_REAL, precision, range, found, type));
}

int PMPI_Type_create_f90_complex(int precision, int range, MPI_Datatype *type)
{
    const MPI_Datatype types[] = { MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, NULL };
    const MPI_Datatype found = types[type__real_of(precision, range)];
    return mpi_fail(NULL, type__of_precision(MPI_COMBINER_F90_COMPLEX, precision, range, found, type));
}

/*=============================================================================
 * MARK: - >>queries
 *===========================================================================*/

int PMPI_Type_commit(MPI_Datatype *type)
{
    if (!type || !mpi_type_is(*type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    (*type)->committed = true;
    if (!(*type)->basic) (*type)->of = (unsigned char)type__elements_find(*type);
    return MPI_SUCCESS;
}

int PMPI_Type_free(MPI_Datatype *type)
{
    if (!type || !mpi_type_is(*type) || (*type)->references == 0) return mpi_fail(NULL, MPI_ERR_TYPE);
    mpi_unmade(&(*type)->made);
    mpi_type_drop(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype t, int *size)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!size) return mpi_fail(NULL, MPI_ERR_ARG);
    *size = t->size > INT_MAX ? MPI_UNDEFINED : (int)t->size;
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype t, MPI_Aint *lb, MPI_Aint *extent)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!lb || !extent) return mpi_fail(NULL, MPI_ERR_ARG);
    *lb = t->lb;
    *extent = type__extent_of(t);
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype t, MPI_Aint *lb, MPI_Aint *extent)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!lb || !extent) return mpi_fail(NULL, MPI_ERR_ARG);
    *lb = t->true_lb;
    *extent = t->true_ub - t->true_lb;
    return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype t, MPI_Count *size)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!size) return mpi_fail(NULL, MPI_ERR_ARG);
    *size = (MPI_Count)t->size;
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent_x(MPI_Datatype t, MPI_Count *lb, MPI_Count *extent)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!lb || !extent) return mpi_fail(NULL, MPI_ERR_ARG);
    *lb = t->lb;
    *extent = type__extent_of(t);
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent_x(MPI_Datatype t, MPI_Count *lb, MPI_Count *extent)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!lb || !extent) return mpi_fail(NULL, MPI_ERR_ARG);
    *lb = t->true_lb;
    *extent = t->true_ub - t->true_lb;
    return MPI_SUCCESS;
}

int PMPI_Type_extent(MPI_Datatype t, MPI_Aint *extent)
{
    MPI_Aint lb;
    return MPI_AS(PMPI_Type_get_extent(t, &lb, extent));
}

int PMPI_Type_lb(MPI_Datatype t, MPI_Aint *lb)
{
    MPI_Aint extent;
    return MPI_AS(PMPI_Type_get_extent(t, lb, &extent));
}

int PMPI_Type_ub(MPI_Datatype t, MPI_Aint *ub)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!ub) return mpi_fail(NULL, MPI_ERR_ARG);
    *ub = t->ub;
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype t, int *integers, int *addresses, int *types, int *combiner)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!integers || !addresses || !types || !combiner) return mpi_fail(NULL, MPI_ERR_ARG);
    *integers = t->integer_count;
    *addresses = t->address_count;
    *types = t->type_count;
    *combiner = t->combiner;
    return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype t, int integers, int addresses, int types, int integer[], MPI_Aint address[],
                           MPI_Datatype old[])
{
    if (!mpi_type_is(t) || t->combiner == MPI_COMBINER_NAMED) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (integers < t->integer_count || addresses < t->address_count || types < t->type_count)
        return mpi_fail(NULL, MPI_ERR_ARG);
    for (int i = 0; i < t->integer_count; ++i) integer[i] = t->integers[i];
    for (int i = 0; i < t->address_count; ++i) address[i] = t->addresses[i];
    for (int i = 0; i < t->type_count; ++i) {
        old[i] = t->types[i];
        mpi_type_hold(old[i]);
    }
    return MPI_SUCCESS;
}

int PMPI_Type_set_name(MPI_Datatype t, const char *name)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!name) return mpi_fail(NULL, MPI_ERR_ARG);
    mpi_type_changes(t);
    strncpy(t->name, name, sizeof t->name - 1);
    return MPI_SUCCESS;
}

int PMPI_Type_get_name(MPI_Datatype t, char *name, int *length)
{
    if (!mpi_type_is(t)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!name || !length) return mpi_fail(NULL, MPI_ERR_ARG);
    strcpy(name, t->name);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

int PMPI_Get_address(const void *place, MPI_Aint *address)
{
    if (!address) return mpi_fail(NULL, MPI_ERR_ARG);
    *address = (MPI_Aint)(intptr_t)place;
    return MPI_SUCCESS;
}

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint distance)
{
    return base + distance;
}

MPI_Aint PMPI_Aint_diff(MPI_Aint one, MPI_Aint other)
{
    return one - other;
}

int PMPI_Address(void *place, MPI_Aint *address)
{
    return MPI_AS(PMPI_Get_address(place, address));
}

int PMPI_Pack_size(int count, MPI_Datatype t, MPI_Comm comm, int *size)
{
    if (count < 0) return mpi_fail(comm, MPI_ERR_COUNT);
    if (!mpi_type_is(t)) return mpi_fail(comm, MPI_ERR_TYPE);
    if (!size) return mpi_fail(comm, MPI_ERR_ARG);
    *size = (int)((size_t)count * t->size);
    return MPI_SUCCESS;
}

int PMPI_Pack(const void *data, int count, MPI_Datatype t, void *packed, int size, int *position, MPI_Comm comm)
{
    int code = mpi_comm_check(comm);
    if (!code) code = mpi_data_check(data, count, t);
    if (code) return mpi_fail(code == MPI_ERR_COMM ? NULL : comm, code);
    if (!packed || !position) return mpi_fail(comm, MPI_ERR_ARG);
    if (*position < 0 || (size_t)count * t->size > (size_t)(size - *position)) return mpi_fail(comm, MPI_ERR_TRUNCATE);
    *position += (int)mpi_pack((char *)packed + *position, data, (size_t)count, t);
    return MPI_SUCCESS;
}

int PMPI_Unpack(const void *packed, int size, int *position, void *data, int count, MPI_Datatype t, MPI_Comm comm)
{
    int code = mpi_comm_check(comm);
    if (!code) code = mpi_data_check(data, count, t);
    if (code) return mpi_fail(code == MPI_ERR_COMM ? NULL : comm, code);
    if (!packed || !position) return mpi_fail(comm, MPI_ERR_ARG);
    if (*position < 0 || (size_t)count * t->size > (size_t)(size - *position)) return mpi_fail(comm, MPI_ERR_TRUNCATE);
    *position += (int)mpi_unpack(data, (const char *)packed + *position, (size_t)count * t->size, (size_t)count, t);
    return MPI_SUCCESS;
}

/* clang-format off */
MPI_FIRST(Type_contiguous) MPI_FIRST(Type_vector) MPI_FIRST(Type_create_hvector) MPI_FIRST(Type_indexed)
MPI_FIRST(Type_create_hindexed) MPI_FIRST(Type_create_indexed_block) MPI_FIRST(Type_create_struct)
MPI_FIRST(Type_create_resized) MPI_FIRST(Type_dup) MPI_FIRST(Type_create_subarray) MPI_FIRST(Type_create_darray)
MPI_FIRST(Type_hvector) MPI_FIRST(Type_hindexed) MPI_FIRST(Type_struct) MPI_FIRST(Type_commit) MPI_FIRST(Type_free)
MPI_FIRST(Type_size) MPI_FIRST(Type_get_extent) MPI_FIRST(Type_get_true_extent) MPI_FIRST(Type_extent)
MPI_FIRST(Type_lb) MPI_FIRST(Type_ub) MPI_FIRST(Type_get_envelope) MPI_FIRST(Type_get_contents)
MPI_FIRST(Type_set_name) MPI_FIRST(Type_get_name) MPI_FIRST(Get_address) MPI_FIRST(Address) MPI_FIRST(Pack_size)
MPI_FIRST(Pack) MPI_FIRST(Unpack) MPI_FIRST(Type_create_hindexed_block) MPI_FIRST(Type_size_x)
MPI_FIRST(Type_get_extent_x) MPI_FIRST(Type_get_true_extent_x) MPI_FIRST(Type_match_size)
MPI_FIRST(Type_create_f90_integer) MPI_FIRST(Type_create_f90_real) MPI_FIRST(Type_create_f90_complex)
MPI_FIRST(Aint_add) MPI_FIRST(Aint_diff)
    /* clang-format on */
