/* mpi_op.c - MPI reduction operations, by type. */
#include "mpi_core.h"

#include <stdlib.h>
#include <string.h>

enum { MAX, MIN, SUM, PROD, LAND, BAND, LOR, BOR, LXOR, BXOR, MAXLOC, MINLOC, REPLACE, NOTHING, OWN };

#define OP(name, which_)                                                                                               \
    struct mpi_op simkit_mpi_op_##name = { .which = which_, .commutes = which_ != REPLACE && which_ != NOTHING };
OP(max, MAX)
OP(min, MIN)
OP(sum, SUM)
OP(prod, PROD)
OP(land, LAND)
OP(band, BAND)
OP(lor, LOR)
OP(bor, BOR)
OP(lxor, LXOR)
OP(bxor, BXOR)
OP(maxloc, MAXLOC)
OP(minloc, MINLOC)
OP(replace, REPLACE)
OP(no_op, NOTHING)

/* The number of a user-defined operation depends only on whether it commutes. */
int mpi_op_number(MPI_Op op)
{
    return op->function ? OWN + !op->commutes : op->which;
}

MPI_Op mpi_op_of(int number)
{
    static const MPI_Op all[] = { MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                                  MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP };
    return all[number];
}

const char *mpi_op_name(int number)
{
    static const char *const names[] = { "MPI_MAX",
                                         "MPI_MIN",
                                         "MPI_SUM",
                                         "MPI_PROD",
                                         "MPI_LAND",
                                         "MPI_BAND",
                                         "MPI_LOR",
                                         "MPI_BOR",
                                         "MPI_LXOR",
                                         "MPI_BXOR",
                                         "MPI_MAXLOC",
                                         "MPI_MINLOC",
                                         "MPI_REPLACE",
                                         "MPI_NO_OP",
                                         "a user-defined operation",
                                         "an operation of the program that does not commute" };
    return names[number];
}

typedef enum family { TEXT, INTEGERS, FORTRAN_INTEGERS, FLOATS, COMPLEXES, LOGICALS, BYTES, PAIRED, OTHERS } family;

static family op__family_of(MPI_Datatype type)
{
    switch (type->basic - 1) {
    case NUMBER_byte: return BYTES;
    case NUMBER_c_bool:
    case NUMBER_cxx_bool:
    case NUMBER_logical:
    case NUMBER_logical1:
    case NUMBER_logical2:
    case NUMBER_logical4:
    case NUMBER_logical8: return LOGICALS;
    case NUMBER_float:
    case NUMBER_double:
    case NUMBER_long_double:
    case NUMBER_real:
    case NUMBER_real4:
    case NUMBER_real8:
    case NUMBER_real16:
    case NUMBER_double_precision: return FLOATS;
    case NUMBER_c_float_complex:
    case NUMBER_c_double_complex:
    case NUMBER_c_long_double_complex:
    case NUMBER_cxx_float_complex:
    case NUMBER_cxx_double_complex:
    case NUMBER_cxx_long_double_complex:
    case NUMBER_complex:
    case NUMBER_complex8:
    case NUMBER_complex16:
    case NUMBER_complex32:
    case NUMBER_double_complex: return COMPLEXES;
    case NUMBER_integer:
    case NUMBER_integer1:
    case NUMBER_integer2:
    case NUMBER_integer4:
    case NUMBER_integer8:
    case NUMBER_integer16: return FORTRAN_INTEGERS;
    case NUMBER_character:
    case NUMBER_wchar:
    case NUMBER_packed: return TEXT;
    default: break;
    }
    if (type->basic == 0 || type->size == 0) return OTHERS;
    return type->count ? PAIRED : INTEGERS;
}

enum { FREED = -1 }; /* number of references of an operation that was freed */

static bool op__is(MPI_Op op)
{
    return op && op->references != FREED;
}

int mpi_op_check(MPI_Op op, MPI_Datatype type)
{
    if (!op__is(op)) return MPI_ERR_OP;
    if (op->function) return MPI_SUCCESS;
    const family f = op__family_of(type);
    const bool integers = f == INTEGERS || f == FORTRAN_INTEGERS;
    bool may = false;
    switch (op->which) {
    case MAX:
    case MIN: may = integers || f == FLOATS; break;
    case SUM:
    case PROD: may = integers || f == FLOATS || f == COMPLEXES; break;
    case LAND:
    case LOR:
    case LXOR: may = f == INTEGERS || f == LOGICALS; break;
    case BAND:
    case BOR:
    case BXOR: may = integers || f == BYTES; break;
    case MAXLOC:
    case MINLOC: may = f == PAIRED; break;
    default: break;
    }
    return may ? MPI_SUCCESS : MPI_ERR_OP;
}

/* clang-format off */
#define EACH(type, result)                                                                                             \
    do {                                                                                                               \
        const type *a = in;                                                                                            \
        type *b = inout;                                                                                               \
        for (int i = 0; i < count; ++i) b[i] = (type)(result);                                                         \
        return;                                                                                                        \
    } while (0)

#define ORDERED(type)                                                                                                  \
    case MAX: EACH(type, a[i] > b[i] ? a[i] : b[i]);                                                                   \
    case MIN: EACH(type, a[i] < b[i] ? a[i] : b[i]);
#define ADDED(type)                                                                                                    \
    case SUM: EACH(type, a[i] + b[i]);                                                                                 \
    case PROD: EACH(type, a[i] * b[i]);
#define LOGICAL(type)                                                                                                  \
    case LAND: EACH(type, a[i] && b[i]);                                                                               \
    case LOR: EACH(type, a[i] || b[i]);                                                                                \
    case LXOR: EACH(type, !a[i] != !b[i]);
#define BITWISE(type)                                                                                                  \
    case BAND: EACH(type, a[i] & b[i]);                                                                                \
    case BOR: EACH(type, a[i] | b[i]);                                                                                 \
    case BXOR: EACH(type, a[i] ^ b[i]);

#define INTEGER(which, type)                                                                                           \
    case NUMBER_##which:                                                                                               \
        switch (op) { ORDERED(type) ADDED(type) LOGICAL(type) BITWISE(type) default: return; }
#define FLOATING(which, type)                                                                                          \
    case NUMBER_##which:                                                                                               \
        switch (op) { ORDERED(type) ADDED(type) default: return; }
#define COMPLEX(which, type)                                                                                           \
    case NUMBER_##which:                                                                                               \
        switch (op) { ADDED(type) default: return; }
/* clang-format on */

/* Of equal values the lower index wins. */
#define PAIRWISE(which, text, value, index)                                                                            \
    case NUMBER_##which: {                                                                                             \
        typedef struct {                                                                                               \
            value v;                                                                                                   \
            index i;                                                                                                   \
        } pair;                                                                                                        \
        const pair *a = in;                                                                                            \
        pair *b = inout;                                                                                               \
        for (int i = 0; i < count; ++i) {                                                                              \
            if (op == MAXLOC ? a[i].v > b[i].v : a[i].v < b[i].v)                                                      \
                b[i] = a[i];                                                                                           \
            else if (!(op == MAXLOC ? a[i].v < b[i].v : a[i].v > b[i].v) && a[i].i < b[i].i)                           \
                b[i].i = a[i].i;                                                                                       \
        }                                                                                                              \
        return;                                                                                                        \
    }

static void op__reduce(int op, int basic, const void *in, void *inout, int count)
{
    switch (basic) {
        INTEGER(char, char) /* MPI does not have it; all implementations do */
        INTEGER(signed_char, signed char)
        INTEGER(unsigned_char, unsigned char)
        INTEGER(byte, unsigned char)
        INTEGER(short, short)
        INTEGER(unsigned_short, unsigned short)
        INTEGER(int, int)
        INTEGER(unsigned, unsigned)
        INTEGER(long, long)
        INTEGER(unsigned_long, unsigned long)
        INTEGER(long_long_int, long long)
        INTEGER(unsigned_long_long, unsigned long long)
        INTEGER(int8_t, int8_t)
        INTEGER(int16_t, int16_t)
        INTEGER(int32_t, int32_t)
        INTEGER(int64_t, int64_t)
        INTEGER(uint8_t, uint8_t)
        INTEGER(uint16_t, uint16_t)
        INTEGER(uint32_t, uint32_t)
        INTEGER(uint64_t, uint64_t)
        INTEGER(aint, MPI_Aint)
        INTEGER(offset, MPI_Offset)
        INTEGER(integer, int)
        INTEGER(integer1, int8_t)
        INTEGER(integer2, int16_t)
        INTEGER(integer4, int32_t)
        INTEGER(integer8, int64_t)
        INTEGER(integer16, mpi_integer16)
        INTEGER(count, MPI_Count)
        INTEGER(logical, int)
        INTEGER(logical1, int8_t)
        INTEGER(logical2, int16_t)
        INTEGER(logical4, int32_t)
        INTEGER(logical8, int64_t)
    case NUMBER_cxx_bool:
    case NUMBER_c_bool:
        switch (op) {
            LOGICAL(_Bool) default : return;
        }
        FLOATING(float, float)
        FLOATING(double, double)
        FLOATING(long_double, long double)
        FLOATING(real, float)
        FLOATING(double_precision, double)
        FLOATING(real4, float)
        FLOATING(real8, double)
        FLOATING(real16, mpi_real16)
        COMPLEX(c_float_complex, float _Complex)
        COMPLEX(c_double_complex, double _Complex)
        COMPLEX(c_long_double_complex, long double _Complex)
        COMPLEX(complex, float _Complex)
        COMPLEX(double_complex, double _Complex)
        COMPLEX(cxx_float_complex, float _Complex)
        COMPLEX(cxx_double_complex, double _Complex)
        COMPLEX(cxx_long_double_complex, long double _Complex)
        COMPLEX(complex8, float _Complex)
        COMPLEX(complex16, double _Complex)
        COMPLEX(complex32, mpi_complex32)
        PAIRS(PAIRWISE)
    default: return;
    }
}

int mpi_reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    int code = mpi_op_check(op, type);
    if (code) return code;
    if (count == 0) return MPI_SUCCESS;
    if (!op->function) {
        op__reduce(op->which, type->basic - 1, in, inout, count);
        return MPI_SUCCESS;
    }
    const mpi_interlude i = mpi_interlude_begin();
    op->function((void *)(uintptr_t)in, inout, &count, &type);
    mpi_interlude_end(&i);
    return MPI_SUCCESS;
}

int PMPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
    if (!op) return mpi_fail(NULL, MPI_ERR_OP);
    if (!function) return mpi_fail(NULL, MPI_ERR_ARG);
    MPI_Op o = calloc(1, sizeof *o);
    if (!o) return mpi_fail(NULL, MPI_ERR_NO_MEM);
    o->references = 1;
    o->which = OWN;
    o->commutes = commutes != 0;
    o->function = function;
    o->made = mpi_made(MPI_OPERATIONS, "MPI_Op_create");
    *op = o;
    return MPI_SUCCESS;
}

void mpi_op_hold(MPI_Op op)
{
    if (op->references > 0) ++op->references;
}

void mpi_op_drop(MPI_Op op)
{
    if (op->references <= 0 || --op->references > 0) return;
    op->references = FREED;
    mpi_unmade(&op->made);
    mpi_retire(op);
}

int PMPI_Op_free(MPI_Op *op)
{
    if (!op || !op__is(*op) || (*op)->references == 0) return mpi_fail(NULL, MPI_ERR_OP);
    mpi_op_drop(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int PMPI_Op_commutative(MPI_Op op, int *commutes)
{
    if (!op) return mpi_fail(NULL, MPI_ERR_OP);
    if (!commutes) return mpi_fail(NULL, MPI_ERR_ARG);
    *commutes = op->commutes;
    return MPI_SUCCESS;
}

int PMPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    int code = mpi_data_check(inout, count, type);
    return mpi_fail(NULL, code ? code : mpi_reduce(in, inout, count, type, op));
}

/* clang-format off */
MPI_FIRST(Op_create) MPI_FIRST(Op_free) MPI_FIRST(Op_commutative) MPI_FIRST(Reduce_local)
    /* clang-format on */
