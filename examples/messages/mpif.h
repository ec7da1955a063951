! mpif.h - MPI for Fortran programs, in fixed and in free form. fortran.c has the calls; simf90 finds both.
! Numbers of handles are those that fortran.c gives them when a program begins.
      integer MPI_VERSION, MPI_SUBVERSION
      parameter (MPI_VERSION = 3, MPI_SUBVERSION = 1)
! A status
      integer MPI_STATUS_SIZE
      parameter (MPI_STATUS_SIZE = 6)
      integer MPI_SOURCE
      parameter (MPI_SOURCE = 1)
      integer MPI_TAG
      parameter (MPI_TAG = 2)
      integer MPI_ERROR
      parameter (MPI_ERROR = 3)
! Numbers
      integer MPI_PROC_NULL
      parameter (MPI_PROC_NULL = -2)
      integer MPI_ANY_SOURCE
      parameter (MPI_ANY_SOURCE = -1)
      integer MPI_ANY_TAG
      parameter (MPI_ANY_TAG = -1)
      integer MPI_ROOT
      parameter (MPI_ROOT = -3)
      integer MPI_UNDEFINED
      parameter (MPI_UNDEFINED = -32766)
      integer MPI_KEYVAL_INVALID
      parameter (MPI_KEYVAL_INVALID = -1)
      integer MPI_BSEND_OVERHEAD
      parameter (MPI_BSEND_OVERHEAD = 128)
      integer MPI_IDENT
      parameter (MPI_IDENT = 0)
      integer MPI_CONGRUENT
      parameter (MPI_CONGRUENT = 1)
      integer MPI_SIMILAR
      parameter (MPI_SIMILAR = 2)
      integer MPI_UNEQUAL
      parameter (MPI_UNEQUAL = 3)
      integer MPI_GRAPH
      parameter (MPI_GRAPH = 1)
      integer MPI_CART
      parameter (MPI_CART = 2)
      integer MPI_DIST_GRAPH
      parameter (MPI_DIST_GRAPH = 3)
      integer MPI_THREAD_SINGLE
      parameter (MPI_THREAD_SINGLE = 0)
      integer MPI_THREAD_FUNNELED
      parameter (MPI_THREAD_FUNNELED = 1)
      integer MPI_THREAD_SERIALIZED
      parameter (MPI_THREAD_SERIALIZED = 2)
      integer MPI_THREAD_MULTIPLE
      parameter (MPI_THREAD_MULTIPLE = 3)
      integer MPI_ORDER_C
      parameter (MPI_ORDER_C = 56)
      integer MPI_ORDER_FORTRAN
      parameter (MPI_ORDER_FORTRAN = 57)
      integer MPI_TAG_UB
      parameter (MPI_TAG_UB = 1)
      integer MPI_HOST
      parameter (MPI_HOST = 2)
      integer MPI_IO
      parameter (MPI_IO = 3)
      integer MPI_WTIME_IS_GLOBAL
      parameter (MPI_WTIME_IS_GLOBAL = 4)
      integer MPI_SUCCESS
      parameter (MPI_SUCCESS = 0)
      integer MPI_ERR_BUFFER
      parameter (MPI_ERR_BUFFER = 1)
      integer MPI_ERR_COUNT
      parameter (MPI_ERR_COUNT = 2)
      integer MPI_ERR_TYPE
      parameter (MPI_ERR_TYPE = 3)
      integer MPI_ERR_TAG
      parameter (MPI_ERR_TAG = 4)
      integer MPI_ERR_COMM
      parameter (MPI_ERR_COMM = 5)
      integer MPI_ERR_RANK
      parameter (MPI_ERR_RANK = 6)
      integer MPI_ERR_REQUEST
      parameter (MPI_ERR_REQUEST = 7)
      integer MPI_ERR_ROOT
      parameter (MPI_ERR_ROOT = 8)
      integer MPI_ERR_GROUP
      parameter (MPI_ERR_GROUP = 9)
      integer MPI_ERR_OP
      parameter (MPI_ERR_OP = 10)
      integer MPI_ERR_TOPOLOGY
      parameter (MPI_ERR_TOPOLOGY = 11)
      integer MPI_ERR_DIMS
      parameter (MPI_ERR_DIMS = 12)
      integer MPI_ERR_ARG
      parameter (MPI_ERR_ARG = 13)
      integer MPI_ERR_UNKNOWN
      parameter (MPI_ERR_UNKNOWN = 14)
      integer MPI_ERR_TRUNCATE
      parameter (MPI_ERR_TRUNCATE = 15)
      integer MPI_ERR_OTHER
      parameter (MPI_ERR_OTHER = 16)
      integer MPI_ERR_INTERN
      parameter (MPI_ERR_INTERN = 17)
      integer MPI_ERR_IN_STATUS
      parameter (MPI_ERR_IN_STATUS = 18)
      integer MPI_ERR_PENDING
      parameter (MPI_ERR_PENDING = 19)
      integer MPI_ERR_LASTCODE
      parameter (MPI_ERR_LASTCODE = 92)
      integer MPI_ERR_KEYVAL
      parameter (MPI_ERR_KEYVAL = 20)
      integer MPI_ERR_NO_MEM
      parameter (MPI_ERR_NO_MEM = 21)
      integer MPI_ERR_BASE
      parameter (MPI_ERR_BASE = 22)
      integer MPI_ERR_INFO
      parameter (MPI_ERR_INFO = 23)
      integer MPI_ERR_PORT
      parameter (MPI_ERR_PORT = 28)
      integer MPI_ERR_SERVICE
      parameter (MPI_ERR_SERVICE = 29)
      integer MPI_ERR_NAME
      parameter (MPI_ERR_NAME = 30)
      integer MPI_UNIVERSE_SIZE
      parameter (MPI_UNIVERSE_SIZE = 5)
      integer MPI_APPNUM
      parameter (MPI_APPNUM = 6)
      integer MPI_LASTUSEDCODE
      parameter (MPI_LASTUSEDCODE = 7)
      integer MPI_DISTRIBUTE_BLOCK
      parameter (MPI_DISTRIBUTE_BLOCK = 121)
      integer MPI_DISTRIBUTE_CYCLIC
      parameter (MPI_DISTRIBUTE_CYCLIC = 122)
      integer MPI_DISTRIBUTE_NONE
      parameter (MPI_DISTRIBUTE_NONE = 123)
      integer MPI_DISTRIBUTE_DFLT_DARG
      parameter (MPI_DISTRIBUTE_DFLT_DARG = -49767)
      integer MPI_COMBINER_NAMED
      parameter (MPI_COMBINER_NAMED = 1)
      integer MPI_COMBINER_DUP
      parameter (MPI_COMBINER_DUP = 2)
      integer MPI_COMBINER_CONTIGUOUS
      parameter (MPI_COMBINER_CONTIGUOUS = 3)
      integer MPI_COMBINER_VECTOR
      parameter (MPI_COMBINER_VECTOR = 4)
      integer MPI_COMBINER_HVECTOR
      parameter (MPI_COMBINER_HVECTOR = 5)
      integer MPI_COMBINER_INDEXED
      parameter (MPI_COMBINER_INDEXED = 6)
      integer MPI_COMBINER_HINDEXED
      parameter (MPI_COMBINER_HINDEXED = 7)
      integer MPI_COMBINER_INDEXED_BLOCK
      parameter (MPI_COMBINER_INDEXED_BLOCK = 8)
      integer MPI_COMBINER_STRUCT
      parameter (MPI_COMBINER_STRUCT = 9)
      integer MPI_COMBINER_SUBARRAY
      parameter (MPI_COMBINER_SUBARRAY = 10)
      integer MPI_COMBINER_DARRAY
      parameter (MPI_COMBINER_DARRAY = 11)
      integer MPI_COMBINER_RESIZED
      parameter (MPI_COMBINER_RESIZED = 12)
      integer MPI_MAX_PROCESSOR_NAME
      parameter (MPI_MAX_PROCESSOR_NAME = 255)
      integer MPI_MAX_PORT_NAME
      parameter (MPI_MAX_PORT_NAME = 1023)
      integer MPI_MAX_ERROR_STRING
      parameter (MPI_MAX_ERROR_STRING = 511)
      integer MPI_MAX_OBJECT_NAME
      parameter (MPI_MAX_OBJECT_NAME = 63)
      integer MPI_COMBINER_HVECTOR_INTEGER
      parameter (MPI_COMBINER_HVECTOR_INTEGER = 17)
      integer MPI_COMBINER_HINDEXED_INTEGER
      parameter (MPI_COMBINER_HINDEXED_INTEGER = 18)
      integer MPI_COMBINER_STRUCT_INTEGER
      parameter (MPI_COMBINER_STRUCT_INTEGER = 19)
      integer MPI_COMBINER_F90_REAL
      parameter (MPI_COMBINER_F90_REAL = 14)
      integer MPI_COMBINER_F90_COMPLEX
      parameter (MPI_COMBINER_F90_COMPLEX = 15)
      integer MPI_COMBINER_F90_INTEGER
      parameter (MPI_COMBINER_F90_INTEGER = 16)
      integer MPI_COMBINER_HINDEXED_BLOCK
      parameter (MPI_COMBINER_HINDEXED_BLOCK = 13)
      integer MPI_COMM_TYPE_SHARED
      parameter (MPI_COMM_TYPE_SHARED = 1)
      integer MPI_TYPECLASS_INTEGER
      parameter (MPI_TYPECLASS_INTEGER = 2)
      integer MPI_TYPECLASS_REAL
      parameter (MPI_TYPECLASS_REAL = 1)
      integer MPI_TYPECLASS_COMPLEX
      parameter (MPI_TYPECLASS_COMPLEX = 3)
      integer MPI_ERR_INFO_KEY
      parameter (MPI_ERR_INFO_KEY = 24)
      integer MPI_ERR_INFO_VALUE
      parameter (MPI_ERR_INFO_VALUE = 25)
      integer MPI_ERR_INFO_NOKEY
      parameter (MPI_ERR_INFO_NOKEY = 26)
      integer MPI_ERR_SPAWN
      parameter (MPI_ERR_SPAWN = 27)
      integer MPI_ERR_UNSUPPORTED_OPERATION
      parameter (MPI_ERR_UNSUPPORTED_OPERATION = 31)
      integer MPI_MAX_INFO_KEY
      parameter (MPI_MAX_INFO_KEY = 35)
      integer MPI_MAX_INFO_VAL
      parameter (MPI_MAX_INFO_VAL = 255)
      integer MPI_MAX_LIBRARY_VERSION_STRING
      parameter (MPI_MAX_LIBRARY_VERSION_STRING = 255)
      integer MPI_MAX_DATAREP_STRING
      parameter (MPI_MAX_DATAREP_STRING = 127)
      integer MPI_WIN_BASE
      parameter (MPI_WIN_BASE = 1)
      integer MPI_WIN_SIZE
      parameter (MPI_WIN_SIZE = 2)
      integer MPI_WIN_DISP_UNIT
      parameter (MPI_WIN_DISP_UNIT = 3)
      integer MPI_WIN_CREATE_FLAVOR
      parameter (MPI_WIN_CREATE_FLAVOR = 4)
      integer MPI_WIN_MODEL
      parameter (MPI_WIN_MODEL = 5)
      integer MPI_WIN_FLAVOR_CREATE
      parameter (MPI_WIN_FLAVOR_CREATE = 1)
      integer MPI_WIN_FLAVOR_ALLOCATE
      parameter (MPI_WIN_FLAVOR_ALLOCATE = 2)
      integer MPI_WIN_FLAVOR_DYNAMIC
      parameter (MPI_WIN_FLAVOR_DYNAMIC = 3)
      integer MPI_WIN_FLAVOR_SHARED
      parameter (MPI_WIN_FLAVOR_SHARED = 4)
      integer MPI_WIN_UNIFIED
      parameter (MPI_WIN_UNIFIED = 0)
      integer MPI_WIN_SEPARATE
      parameter (MPI_WIN_SEPARATE = 1)
      integer MPI_LOCK_EXCLUSIVE
      parameter (MPI_LOCK_EXCLUSIVE = 1)
      integer MPI_LOCK_SHARED
      parameter (MPI_LOCK_SHARED = 2)
      integer MPI_MODE_NOCHECK
      parameter (MPI_MODE_NOCHECK = 1)
      integer MPI_MODE_NOPRECEDE
      parameter (MPI_MODE_NOPRECEDE = 2)
      integer MPI_MODE_NOPUT
      parameter (MPI_MODE_NOPUT = 4)
      integer MPI_MODE_NOSTORE
      parameter (MPI_MODE_NOSTORE = 8)
      integer MPI_MODE_NOSUCCEED
      parameter (MPI_MODE_NOSUCCEED = 16)
      integer MPI_ERR_WIN
      parameter (MPI_ERR_WIN = 57)
      integer MPI_ERR_SIZE
      parameter (MPI_ERR_SIZE = 55)
      integer MPI_ERR_DISP
      parameter (MPI_ERR_DISP = 37)
      integer MPI_ERR_ASSERT
      parameter (MPI_ERR_ASSERT = 34)
      integer MPI_ERR_LOCKTYPE
      parameter (MPI_ERR_LOCKTYPE = 43)
      integer MPI_ERR_RMA_ATTACH
      parameter (MPI_ERR_RMA_ATTACH = 49)
      integer MPI_ERR_RMA_CONFLICT
      parameter (MPI_ERR_RMA_CONFLICT = 50)
      integer MPI_ERR_RMA_FLAVOR
      parameter (MPI_ERR_RMA_FLAVOR = 51)
      integer MPI_ERR_RMA_RANGE
      parameter (MPI_ERR_RMA_RANGE = 52)
      integer MPI_ERR_RMA_SHARED
      parameter (MPI_ERR_RMA_SHARED = 53)
      integer MPI_ERR_RMA_SYNC
      parameter (MPI_ERR_RMA_SYNC = 54)
      integer MPI_ERR_ACCESS
      parameter (MPI_ERR_ACCESS = 32)
      integer MPI_ERR_AMODE
      parameter (MPI_ERR_AMODE = 33)
      integer MPI_ERR_BAD_FILE
      parameter (MPI_ERR_BAD_FILE = 35)
      integer MPI_ERR_CONVERSION
      parameter (MPI_ERR_CONVERSION = 36)
      integer MPI_ERR_DUP_DATAREP
      parameter (MPI_ERR_DUP_DATAREP = 38)
      integer MPI_ERR_FILE
      parameter (MPI_ERR_FILE = 39)
      integer MPI_ERR_FILE_EXISTS
      parameter (MPI_ERR_FILE_EXISTS = 40)
      integer MPI_ERR_FILE_IN_USE
      parameter (MPI_ERR_FILE_IN_USE = 41)
      integer MPI_ERR_IO
      parameter (MPI_ERR_IO = 42)
      integer MPI_ERR_NO_SPACE
      parameter (MPI_ERR_NO_SPACE = 44)
      integer MPI_ERR_NO_SUCH_FILE
      parameter (MPI_ERR_NO_SUCH_FILE = 45)
      integer MPI_ERR_NOT_SAME
      parameter (MPI_ERR_NOT_SAME = 46)
      integer MPI_ERR_QUOTA
      parameter (MPI_ERR_QUOTA = 47)
      integer MPI_ERR_READ_ONLY
      parameter (MPI_ERR_READ_ONLY = 48)
      integer MPI_ERR_UNSUPPORTED_DATAREP
      parameter (MPI_ERR_UNSUPPORTED_DATAREP = 56)
      integer MPI_MODE_CREATE
      parameter (MPI_MODE_CREATE = 1)
      integer MPI_MODE_RDONLY
      parameter (MPI_MODE_RDONLY = 2)
      integer MPI_MODE_WRONLY
      parameter (MPI_MODE_WRONLY = 4)
      integer MPI_MODE_RDWR
      parameter (MPI_MODE_RDWR = 8)
      integer MPI_MODE_DELETE_ON_CLOSE
      parameter (MPI_MODE_DELETE_ON_CLOSE = 16)
      integer MPI_MODE_UNIQUE_OPEN
      parameter (MPI_MODE_UNIQUE_OPEN = 32)
      integer MPI_MODE_EXCL
      parameter (MPI_MODE_EXCL = 64)
      integer MPI_MODE_APPEND
      parameter (MPI_MODE_APPEND = 128)
      integer MPI_MODE_SEQUENTIAL
      parameter (MPI_MODE_SEQUENTIAL = 256)
      integer MPI_SEEK_SET
      parameter (MPI_SEEK_SET = 600)
      integer MPI_SEEK_CUR
      parameter (MPI_SEEK_CUR = 602)
      integer MPI_SEEK_END
      parameter (MPI_SEEK_END = 604)
      integer(kind=8) MPI_DISPLACEMENT_CURRENT
      parameter (MPI_DISPLACEMENT_CURRENT = -54278278)
! Kinds
      integer MPI_ADDRESS_KIND
      parameter (MPI_ADDRESS_KIND = 8)
      integer MPI_COUNT_KIND
      parameter (MPI_COUNT_KIND = 8)
      integer MPI_OFFSET_KIND
      parameter (MPI_OFFSET_KIND = 8)
      integer MPI_INTEGER_KIND
      parameter (MPI_INTEGER_KIND = 4)
! Handles
      integer MPI_COMM_NULL
      parameter (MPI_COMM_NULL = 0)
      integer MPI_GROUP_NULL
      parameter (MPI_GROUP_NULL = 0)
      integer MPI_REQUEST_NULL
      parameter (MPI_REQUEST_NULL = 0)
      integer MPI_WIN_NULL
      parameter (MPI_WIN_NULL = 0)
      integer MPI_FILE_NULL
      parameter (MPI_FILE_NULL = 0)
      integer MPI_OP_NULL
      parameter (MPI_OP_NULL = 0)
      integer MPI_ERRHANDLER_NULL
      parameter (MPI_ERRHANDLER_NULL = 0)
      integer MPI_INFO_NULL
      parameter (MPI_INFO_NULL = 0)
      integer MPI_INFO_ENV
      parameter (MPI_INFO_ENV = 1)
      integer MPI_DATATYPE_NULL
      parameter (MPI_DATATYPE_NULL = 0)
      integer MPI_MESSAGE_NULL
      parameter (MPI_MESSAGE_NULL = 0)
      integer MPI_MESSAGE_NO_PROC
      parameter (MPI_MESSAGE_NO_PROC = 1)
      integer MPI_COMM_WORLD
      parameter (MPI_COMM_WORLD = 1)
      integer MPI_COMM_SELF
      parameter (MPI_COMM_SELF = 2)
      integer MPI_GROUP_EMPTY
      parameter (MPI_GROUP_EMPTY = 1)
      integer MPI_ERRORS_ARE_FATAL
      parameter (MPI_ERRORS_ARE_FATAL = 1)
      integer MPI_ERRORS_RETURN
      parameter (MPI_ERRORS_RETURN = 2)
      integer MPI_CHARACTER
      parameter (MPI_CHARACTER = 1)
      integer MPI_LOGICAL
      parameter (MPI_LOGICAL = 2)
      integer MPI_INTEGER
      parameter (MPI_INTEGER = 3)
      integer MPI_REAL
      parameter (MPI_REAL = 4)
      integer MPI_DOUBLE_PRECISION
      parameter (MPI_DOUBLE_PRECISION = 5)
      integer MPI_COMPLEX
      parameter (MPI_COMPLEX = 6)
      integer MPI_DOUBLE_COMPLEX
      parameter (MPI_DOUBLE_COMPLEX = 7)
      integer MPI_BYTE
      parameter (MPI_BYTE = 8)
      integer MPI_PACKED
      parameter (MPI_PACKED = 9)
      integer MPI_INTEGER1
      parameter (MPI_INTEGER1 = 10)
      integer MPI_INTEGER2
      parameter (MPI_INTEGER2 = 11)
      integer MPI_INTEGER8
      parameter (MPI_INTEGER8 = 12)
      integer MPI_2INTEGER
      parameter (MPI_2INTEGER = 13)
      integer MPI_LB
      parameter (MPI_LB = 14)
      integer MPI_UB
      parameter (MPI_UB = 15)
      integer MPI_AINT
      parameter (MPI_AINT = 16)
      integer MPI_OFFSET
      parameter (MPI_OFFSET = 17)
      integer MPI_CHAR
      parameter (MPI_CHAR = 18)
      integer MPI_INT
      parameter (MPI_INT = 19)
      integer MPI_FLOAT
      parameter (MPI_FLOAT = 20)
      integer MPI_DOUBLE
      parameter (MPI_DOUBLE = 21)
      integer MPI_LONG
      parameter (MPI_LONG = 22)
      integer MPI_LONG_LONG
      parameter (MPI_LONG_LONG = 23)
      integer MPI_UNSIGNED
      parameter (MPI_UNSIGNED = 24)
      integer MPI_SIGNED_CHAR
      parameter (MPI_SIGNED_CHAR = 25)
      integer MPI_UNSIGNED_CHAR
      parameter (MPI_UNSIGNED_CHAR = 26)
      integer MPI_WCHAR
      parameter (MPI_WCHAR = 27)
      integer MPI_SHORT
      parameter (MPI_SHORT = 28)
      integer MPI_UNSIGNED_SHORT
      parameter (MPI_UNSIGNED_SHORT = 29)
      integer MPI_UNSIGNED_LONG
      parameter (MPI_UNSIGNED_LONG = 30)
      integer MPI_UNSIGNED_LONG_LONG
      parameter (MPI_UNSIGNED_LONG_LONG = 31)
      integer MPI_LONG_DOUBLE
      parameter (MPI_LONG_DOUBLE = 32)
      integer MPI_FLOAT_INT
      parameter (MPI_FLOAT_INT = 33)
      integer MPI_DOUBLE_INT
      parameter (MPI_DOUBLE_INT = 34)
      integer MPI_LONG_INT
      parameter (MPI_LONG_INT = 35)
      integer MPI_SHORT_INT
      parameter (MPI_SHORT_INT = 36)
      integer MPI_LONG_DOUBLE_INT
      parameter (MPI_LONG_DOUBLE_INT = 37)
      integer MPI_UINT8_T
      parameter (MPI_UINT8_T = 38)
      integer MPI_UINT16_T
      parameter (MPI_UINT16_T = 39)
      integer MPI_UINT32_T
      parameter (MPI_UINT32_T = 40)
      integer MPI_UINT64_T
      parameter (MPI_UINT64_T = 41)
      integer MPI_INT32_T
      parameter (MPI_INT32_T = 42)
      integer MPI_C_BOOL
      parameter (MPI_C_BOOL = 43)
      integer MPI_C_FLOAT_COMPLEX
      parameter (MPI_C_FLOAT_COMPLEX = 44)
      integer MPI_C_DOUBLE_COMPLEX
      parameter (MPI_C_DOUBLE_COMPLEX = 45)
      integer MPI_C_LONG_DOUBLE_COMPLEX
      parameter (MPI_C_LONG_DOUBLE_COMPLEX = 46)
      integer MPI_2REAL
      parameter (MPI_2REAL = 47)
      integer MPI_2DOUBLE_PRECISION
      parameter (MPI_2DOUBLE_PRECISION = 48)
      integer MPI_COUNT
      parameter (MPI_COUNT = 49)
      integer MPI_INTEGER16
      parameter (MPI_INTEGER16 = 50)
      integer MPI_REAL16
      parameter (MPI_REAL16 = 51)
      integer MPI_COMPLEX32
      parameter (MPI_COMPLEX32 = 52)
      integer MPI_LOGICAL1
      parameter (MPI_LOGICAL1 = 53)
      integer MPI_LOGICAL2
      parameter (MPI_LOGICAL2 = 54)
      integer MPI_LOGICAL8
      parameter (MPI_LOGICAL8 = 55)
      integer MPI_INT8_T
      parameter (MPI_INT8_T = 56)
      integer MPI_INT16_T
      parameter (MPI_INT16_T = 57)
      integer MPI_INT64_T
      parameter (MPI_INT64_T = 58)
      integer MPI_2INT
      parameter (MPI_2INT = 59)
      integer MPI_LONG_LONG_INT
      parameter (MPI_LONG_LONG_INT = 23)
      integer MPI_C_COMPLEX
      parameter (MPI_C_COMPLEX = 44)
      integer MPI_INTEGER4
      parameter (MPI_INTEGER4 = 60)
      integer MPI_REAL4
      parameter (MPI_REAL4 = 61)
      integer MPI_REAL8
      parameter (MPI_REAL8 = 62)
      integer MPI_COMPLEX8
      parameter (MPI_COMPLEX8 = 63)
      integer MPI_COMPLEX16
      parameter (MPI_COMPLEX16 = 64)
      integer MPI_LOGICAL4
      parameter (MPI_LOGICAL4 = 65)
      integer MPI_MAX
      parameter (MPI_MAX = 1)
      integer MPI_MIN
      parameter (MPI_MIN = 2)
      integer MPI_SUM
      parameter (MPI_SUM = 3)
      integer MPI_PROD
      parameter (MPI_PROD = 4)
      integer MPI_LAND
      parameter (MPI_LAND = 5)
      integer MPI_BAND
      parameter (MPI_BAND = 6)
      integer MPI_LOR
      parameter (MPI_LOR = 7)
      integer MPI_BOR
      parameter (MPI_BOR = 8)
      integer MPI_LXOR
      parameter (MPI_LXOR = 9)
      integer MPI_BXOR
      parameter (MPI_BXOR = 10)
      integer MPI_MAXLOC
      parameter (MPI_MAXLOC = 11)
      integer MPI_MINLOC
      parameter (MPI_MINLOC = 12)
      integer MPI_REPLACE
      parameter (MPI_REPLACE = 13)
      integer MPI_NO_OP
      parameter (MPI_NO_OP = 14)
! Places that stand for something else
      integer MPI_BOTTOM, MPI_IN_PLACE
      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1)
      character*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)
      integer MPI_ERRCODES_IGNORE(1)
      common /mpi_simkit_argv/ MPI_ARGV_NULL
      common /mpi_simkit_argvs/ MPI_ARGVS_NULL
      common /mpi_simkit_codes/ MPI_ERRCODES_IGNORE
      common /mpi_simkit_bottom/ MPI_BOTTOM
      common /mpi_simkit_place/ MPI_IN_PLACE
      common /mpi_simkit_ignore/ MPI_STATUS_IGNORE
      common /mpi_simkit_ignores/ MPI_STATUSES_IGNORE
      integer MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      common /mpi_simkit_unweighted/ MPI_UNWEIGHTED
      common /mpi_simkit_weightless/ MPI_WEIGHTS_EMPTY
! Functions
      integer(kind=MPI_ADDRESS_KIND) MPI_AINT_ADD, MPI_AINT_DIFF
      external MPI_AINT_ADD, MPI_AINT_DIFF
      double precision MPI_WTIME, MPI_WTICK
      external MPI_WTIME, MPI_WTICK
      double precision PMPI_WTIME, PMPI_WTICK
      external PMPI_WTIME, PMPI_WTICK
      external MPI_NULL_COPY_FN, MPI_DUP_FN, MPI_NULL_DELETE_FN
      external MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN
      external MPI_COMM_NULL_DELETE_FN
      external MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN
      external MPI_TYPE_NULL_DELETE_FN
      external MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN
      external MPI_WIN_NULL_DELETE_FN
