/* As zstd.h: nothing is compressed here. */
typedef unsigned long lzo_uint;
typedef unsigned char lzo_byte;
typedef void *lzo_voidp;
enum { LZO1X_MEM_COMPRESS = 1, LZO_E_OK = 0 };
static inline int lzo1x_decompress(const lzo_byte *, lzo_uint, lzo_byte *, lzo_uint *, lzo_voidp)
{
    return 1;
}
static inline int lzo1x_1_compress(const lzo_byte *, lzo_uint, lzo_byte *, lzo_uint *, lzo_voidp)
{
    return 1;
}
