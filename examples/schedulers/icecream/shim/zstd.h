/* Files are compressed on their way between client and compile server. Between them and the scheduler nothing is. */
#include <stddef.h>
#define ZSTD_COMPRESSBOUND(n) (n)
static inline size_t ZSTD_compress(void *, size_t, const void *, size_t, int)
{
    return 0;
}
static inline size_t ZSTD_decompress(void *, size_t, const void *, size_t)
{
    return 0;
}
static inline unsigned ZSTD_isError(size_t)
{
    return 1;
}
static inline const char *ZSTD_getErrorName(size_t)
{
    return "nothing is compressed here";
}
