/* mpi_external.c - MPI packing for other machines: the form external32 of MPI 3.1, section 13.5.2. Numbers are big-endian,
 * of sizes that are the same everywhere, real ones as IEEE 754 has them, without gaps. */
#include "mpi_core.h"

#include <string.h>

enum { BIG_ENDIAN_HERE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* The parts of a basic type: one, or two of a complex number. */
typedef struct form {
    size_t parts, here, there; /* sizes of a part on this machine and in external32 [B] */
    bool negative;             /* a number of fewer bytes there may be negative */
    bool long_double;
} form;

static form external__form_of(MPI_Datatype t)
{
    form f = { 1, t->size, t->size, false, false };
    switch (t->basic - 1) {
    case NUMBER_wchar:
        f.there = 2;
        f.negative = (wchar_t)-1 < (wchar_t)1;
        break;
    case NUMBER_long:
        f.negative = true;
        f.there = 4;
        break;
    case NUMBER_unsigned_long: f.there = 4; break;
    case NUMBER_long_double:
        f.long_double = true;
        f.there = 16;
        break;
    case NUMBER_c_long_double_complex:
    case NUMBER_cxx_long_double_complex: f = (form){ 2, sizeof(long double), 16, false, true }; break;
    case NUMBER_c_float_complex:
    case NUMBER_c_double_complex:
    case NUMBER_cxx_float_complex:
    case NUMBER_cxx_double_complex:
    case NUMBER_complex:
    case NUMBER_double_complex:
    case NUMBER_complex8:
    case NUMBER_complex16:
    case NUMBER_complex32:
        f.parts = 2;
        f.here = f.there = t->size / 2;
        break;
    default: break;
    }
    return f;
}

static bool external__is_basic(MPI_Datatype t)
{
    return t->basic && t->count == 0;
}

static size_t external__size_of(MPI_Datatype t)
{
    if (external__is_basic(t)) {
        const form f = external__form_of(t);
        return f.parts * f.there;
    }
    size_t bytes = 0;
    for (size_t b = 0; b < t->count; ++b) bytes += t->blocks[b].count * external__size_of(t->blocks[b].type);
    return bytes * t->times;
}

/* The place of a byte, counted from the least significant one, in a number of this machine. */
static size_t external__place(size_t byte, size_t size)
{
    return BIG_ENDIAN_HERE ? size - 1 - byte : byte;
}

static void external__write(unsigned char *there, const unsigned char *here, size_t size, size_t external)
{
    for (size_t i = 0; i < external; ++i)
        there[external - 1 - i] = i < size ? here[external__place(i, size)] : (unsigned char)0;
}

static void external__read(unsigned char *here, const unsigned char *there, size_t size, size_t external, bool negative)
{
    const unsigned char rest = negative && (there[0] & 0x80) ? 0xff : 0;
    for (size_t i = 0; i < size; ++i) here[external__place(i, size)] = i < external ? there[external - 1 - i] : rest;
}

static void external__element(form f, unsigned char *here, unsigned char *packed, bool packing)
{
    for (size_t i = 0; i < f.parts; ++i, here += f.here, packed += f.there) {
        if (f.long_double) { /* its format differs between machines */
            long double value;
            mpi_real16 quad;
            if (packing) {
                memcpy(&value, here, sizeof value);
                quad = (mpi_real16)value;
                external__write(packed, (unsigned char *)&quad, sizeof quad, f.there);
            } else {
                external__read((unsigned char *)&quad, packed, sizeof quad, f.there, false);
                value = (long double)quad;
                memcpy(here, &value, sizeof value);
            }
        } else if (packing) {
            external__write(packed, here, f.here, f.there);
        } else {
            external__read(here, packed, f.here, f.there, f.negative);
        }
    }
}

/* Converts elements of a type; returns the place after them. Addresses are numbers, as in mpi_type.c. */
static unsigned char *external__walk(uintptr_t data, size_t count, MPI_Datatype t, unsigned char *packed, bool packing)
{
    if (external__is_basic(t)) {
        const form f = external__form_of(t);
        for (size_t i = 0; i < count; ++i, data += t->size, packed += f.parts * f.there)
            external__element(f, (unsigned char *)data, packed, packing);
        return packed;
    }
    for (size_t i = 0; i < count; ++i, data += (uintptr_t)(t->ub - t->lb))
        for (size_t k = 0; k < t->times; ++k)
            for (size_t b = 0; b < t->count; ++b)
                packed = external__walk(data + k * (uintptr_t)t->stride + (uintptr_t)t->blocks[b].place,
                                        t->blocks[b].count, t->blocks[b].type, packed, packing);
    return packed;
}

static int external__convert(const char *name, const void *data, int count, MPI_Datatype type, const void *packed,
                             MPI_Aint size, MPI_Aint *position, bool packing)
{
    int code = mpi_data_check(data, count, type);
    if (code) return code;
    if (!name || !packed || !position || *position < 0 || size < 0) return MPI_ERR_ARG;
    if (strcmp(name, "external32") != 0) return MPI_ERR_ARG;
    const size_t bytes = (size_t)count * external__size_of(type);
    if (*position > size || bytes > (size_t)(size - *position)) return MPI_ERR_TRUNCATE;
    external__walk((uintptr_t)data, (size_t)count, type, (unsigned char *)(uintptr_t)packed + *position, packing);
    *position += (MPI_Aint)bytes;
    return MPI_SUCCESS;
}

int PMPI_Pack_external(const char *name, const void *data, int count, MPI_Datatype type, void *packed, MPI_Aint size,
                       MPI_Aint *position)
{
    return mpi_fail(NULL, external__convert(name, data, count, type, packed, size, position, true));
}

int PMPI_Unpack_external(const char *name, const void *packed, MPI_Aint size, MPI_Aint *position, void *data, int count,
                         MPI_Datatype type)
{
    return mpi_fail(NULL, external__convert(name, data, count, type, packed, size, position, false));
}

int PMPI_Pack_external_size(const char *name, int count, MPI_Datatype type, MPI_Aint *size)
{
    if (count < 0) return mpi_fail(NULL, MPI_ERR_COUNT);
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!size || !name || strcmp(name, "external32") != 0) return mpi_fail(NULL, MPI_ERR_ARG);
    *size = (MPI_Aint)((size_t)count * external__size_of(type));
    return MPI_SUCCESS;
}

/* clang-format off */
MPI_FIRST(Pack_external) MPI_FIRST(Unpack_external) MPI_FIRST(Pack_external_size)
    /* clang-format on */
