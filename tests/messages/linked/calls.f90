! Calls of the module mpi, on four ranks; prints what Open MPI prints: calls.txt.
program calls
  use mpi
  implicit none
  integer :: rank, size, ierror, left, right, i, number, flag_count, others, world, group, part
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4), requests(4), done(4), dims(2), coords(2)
  integer :: column, block, pair, sub, total, position, lengths(2), types(2), counts(4), places(4)
  integer(kind=MPI_ADDRESS_KIND) :: at(3), lower, extent
  double precision :: x(6, 4), y(6, 4), start
  integer :: a(8), b(8), c(32)
  real :: r
  complex(kind=8) :: z, zs
  logical :: flag, periods(2), all_true
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=12) :: word
  character(len=64) :: packed
  type particle
    sequence
    double precision :: place
    integer :: kind
    integer :: unused
  end type
  type(particle) :: p
  external add_odd

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  call report('ranks', (/ rank, size, ierror, 0 /))
  call MPI_INITIALIZED(flag, ierror)
  call report('initialized', (/ merge(1, 0, flag), 0, 0, 0 /))
  call MPI_GET_PROCESSOR_NAME(name, number, ierror)
  call report('name', (/ merge(1, 0, len_trim(name) == number), 0, 0, 0 /))
  start = MPI_WTIME()
  call report('time', (/ merge(1, 0, MPI_WTIME() >= start), merge(1, 0, MPI_WTICK() > 0), 0, 0 /))

  ! point to point
  a = (/ (10 * rank + i, i = 1, 8) /)
  b = 0
  if (rank == 0) call MPI_SEND(a, 8, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierror)
  if (rank == 0) call MPI_SSEND(a(2), 1, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, ierror)
  if (rank == 1) then
    call MPI_PROBE(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status, ierror)
    call MPI_GET_COUNT(status, MPI_INTEGER, number, ierror)
    call MPI_RECV(b, number, MPI_INTEGER, status(MPI_SOURCE), MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
    call MPI_RECV(b(1), 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call report('send', (/ b(1), b(8), status(MPI_SOURCE), status(MPI_TAG) /))
  else
    call report('send', (/ 0, 0, 0, 0 /))
  end if
  call MPI_IRECV(b, 8, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_ISEND(a, 8, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_WAIT(requests(1), status, ierror)
  call MPI_WAIT(requests(2), MPI_STATUS_IGNORE, ierror)
  call report('wait', (/ b(8), status(MPI_SOURCE), merge(1, 0, requests(1) == MPI_REQUEST_NULL), 0 /))
  call MPI_IRECV(b(1), 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_IRECV(b(5), 4, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_ISEND(a(1), 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3), ierror)
  call MPI_ISEND(a(5), 4, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(4), ierror)
  call MPI_WAITALL(4, requests, statuses, ierror)
  call report('waitall', (/ b(1), b(8), statuses(MPI_SOURCE, 1), statuses(MPI_TAG, 2) /))
  call MPI_IRECV(b(1), 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierror)
  requests(2) = MPI_REQUEST_NULL
  call MPI_SEND(a(5), 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierror)
  call MPI_WAITANY(2, requests, number, status, ierror)
  call MPI_WAITANY(2, requests, others, status, ierror)
  call report('waitany', (/ number, merge(1, 0, others == MPI_UNDEFINED), b(4), requests(1) - MPI_REQUEST_NULL /))
  call MPI_IRECV(b(1), 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_SEND(a(1), 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierror)
  requests(1) = MPI_REQUEST_NULL
  call MPI_WAITSOME(2, requests, flag_count, done, statuses, ierror)
  call report('waitsome', (/ flag_count, done(1), statuses(MPI_SOURCE, 1), b(4) /))
  call MPI_IRECV(b(1), 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_SEND(a(1), 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_TEST(requests(1), flag, status, ierror)
  end do
  call report('test', (/ status(MPI_SOURCE), b(4), merge(1, 0, requests(1) == MPI_REQUEST_NULL), 0 /))
  call MPI_SENDRECV(a, 2, MPI_INTEGER, right, 3, b, 8, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status, ierror)
  call MPI_SENDRECV_REPLACE(b, 1, MPI_INTEGER, right, 4, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call report('sendrecv', (/ b(1), b(2), status(MPI_SOURCE), 0 /))
  call MPI_SEND_INIT(a, 1, MPI_INTEGER, right, 8, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_RECV_INIT(b, 1, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(2), ierror)
  total = 0
  do i = 1, 3
    a(1) = 100 * rank + i
    call MPI_STARTALL(2, requests, ierror)
    call MPI_WAITALL(2, requests, MPI_STATUSES_IGNORE, ierror)
    total = total + b(1)
  end do
  call MPI_REQUEST_FREE(requests(1), ierror)
  call MPI_REQUEST_FREE(requests(2), ierror)
  call report('persistent', (/ total, merge(1, 0, requests(2) == MPI_REQUEST_NULL), 0, 0 /))
  do i = 1, 1000 ! numbers of requests are used again
    call MPI_IRECV(b, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_SEND(i, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, ierror)
    call MPI_WAIT(requests(1), status, ierror)
  end do
  call report('many', (/ b(1), 0, 0, 0 /))

  ! collective calls
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  word = 'nothing'
  if (rank == 2) word = 'broadcast'
  call MPI_BCAST(word, 12, MPI_CHARACTER, 2, MPI_COMM_WORLD, ierror)
  call report('bcast', (/ merge(1, 0, word == 'broadcast'), 0, 0, 0 /))
  r = real(rank) + 0.5
  call MPI_ALLREDUCE(MPI_IN_PLACE, r, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_REDUCE(rank, number, 1, MPI_INTEGER, MPI_MAX, 3, MPI_COMM_WORLD, ierror)
  if (rank /= 3) number = -1
  z = cmplx(rank, -rank, kind=8)
  call MPI_ALLREDUCE(z, zs, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierror)
  call report('reduce', (/ int(r), number, int(dble(zs)), int(aimag(zs)) /))
  flag = rank /= 1
  call MPI_ALLREDUCE(flag, all_true, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
  a(1) = mod(rank, 2)
  a(2) = rank
  call MPI_ALLREDUCE(a, b, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
  call report('land, maxloc', (/ merge(1, 0, all_true), b(1), b(2), 0 /))
  a = (/ (10 * rank + i, i = 1, 8) /)
  call MPI_SCAN(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  counts = (/ 1, 2, 1, 1 /)
  call MPI_REDUCE_SCATTER(a, b(2), counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call report('scan', (/ b(1), b(2), 0, 0 /))
  call MPI_ALLGATHER(a, 2, MPI_INTEGER, c, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_SCATTER(c, 2, MPI_INTEGER, b, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  call report('allgather', (/ c(1), c(8), b(1), b(2) /))
  call MPI_ALLTOALL(a, 2, MPI_INTEGER, c, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call report('alltoall', (/ c(1), c(2), c(7), c(8) /))
  c = 0
  counts = (/ 1, 2, 3, 2 /)
  places = (/ 0, 1, 3, 6 /)
  call MPI_ALLGATHERV(a, counts(rank + 1), MPI_INTEGER, c, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_SCATTERV(c, counts, places, MPI_INTEGER, b, counts(rank + 1), MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call report('gatherv', (/ c(1), c(8), b(1), b(counts(rank + 1)) /))
  c = 0
  call MPI_GATHERV(a, counts(rank + 1), MPI_INTEGER, c, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call report('gatherv', c(1:4))
  counts = 1
  places = (/ 3, 2, 1, 0 /)
  call MPI_ALLTOALLV(a, counts, places, MPI_INTEGER, c, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call report('alltoallv', c(1:4))
  call MPI_OP_CREATE(add_odd, .true., number, ierror)
  call MPI_ALLREDUCE(a, b, 2, MPI_INTEGER, number, MPI_COMM_WORLD, ierror)
  call MPI_OP_FREE(number, ierror)
  call report('op_create', (/ b(1), b(2), merge(1, 0, number == MPI_OP_NULL), 0 /))

  ! communicators
  call MPI_COMM_DUP(MPI_COMM_WORLD, world, ierror)
  call MPI_COMM_SPLIT(world, mod(rank, 2), -rank, part, ierror)
  call MPI_COMM_RANK(part, number, ierror)
  call MPI_COMM_SIZE(part, others, ierror)
  call MPI_COMM_COMPARE(world, MPI_COMM_WORLD, i, ierror)
  call report('split', (/ number, others, merge(1, 0, i == MPI_CONGRUENT), 0 /))
  call MPI_COMM_FREE(part, ierror)
  call MPI_COMM_GROUP(world, group, ierror)
  call MPI_GROUP_INCL(group, 2, (/ 3, 1 /), part, ierror)
  call MPI_COMM_CREATE(world, part, sub, ierror)
  number = -1
  if (sub /= MPI_COMM_NULL) call MPI_COMM_RANK(sub, number, ierror)
  call MPI_GROUP_RANK(part, others, ierror)
  call report('groups', (/ number, merge(-1, others, others == MPI_UNDEFINED), 0, 0 /))
  call MPI_GROUP_FREE(part, ierror)
  call MPI_GROUP_FREE(group, ierror)
  dims = 0
  call MPI_DIMS_CREATE(4, 2, dims, ierror)
  periods = (/ .true., .false. /)
  call MPI_CART_CREATE(world, 2, dims, periods, .false., part, ierror)
  call MPI_CART_COORDS(part, rank, 2, coords, ierror)
  call MPI_CART_SHIFT(part, 1, 1, left, right, ierror)
  call report('cart', (/ coords(1), coords(2), max(left, -1), max(right, -1) /))
  call MPI_CART_SUB(part, (/ .true., .false. /), sub, ierror)
  call MPI_COMM_SIZE(sub, number, ierror)
  call report('cart_sub', (/ number, 0, 0, 0 /))
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)

  ! types
  do i = 1, 4
    x(:, i) = (/ (100 * rank + 10 * i + number, number = 1, 6) /)
  end do
  y = 0
  call MPI_TYPE_VECTOR(4, 1, 6, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_TYPE_COMMIT(column, ierror)
  call MPI_SENDRECV(x(2, 1), 1, column, right, 1, y(3, 1), 1, column, left, 1, world, MPI_STATUS_IGNORE, ierror)
  call MPI_TYPE_SIZE(column, number, ierror)
  call MPI_TYPE_GET_EXTENT(column, lower, extent, ierror)
  call report('vector', (/ int(y(3, 1)), int(y(3, 4)), number, int(extent) /))
  call MPI_TYPE_CONTIGUOUS(6, MPI_REAL8, block, ierror)
  call MPI_TYPE_COMMIT(block, ierror)
  call MPI_SENDRECV(x(1, 4), 1, block, right, 1, y, 6, MPI_REAL8, left, 1, world, MPI_STATUS_IGNORE, ierror)
  call report('contiguous', (/ int(y(1, 1)), int(y(6, 1)), 0, 0 /))
  call MPI_TYPE_CREATE_SUBARRAY(2, (/ 6, 4 /), (/ 2, 2 /), (/ 1, 2 /), MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, sub, ierror)
  call MPI_TYPE_COMMIT(sub, ierror)
  call MPI_SENDRECV(x, 1, sub, right, 1, y, 4, MPI_DOUBLE_PRECISION, left, 1, world, status, ierror)
  call MPI_GET_COUNT(status, MPI_DOUBLE_PRECISION, number, ierror)
  call report('subarray', (/ int(y(1, 1)), int(y(4, 1)), number, 0 /))
  p = particle(0.25d0 * rank, rank, 0)
  call MPI_GET_ADDRESS(p%place, at(1), ierror)
  call MPI_GET_ADDRESS(p%kind, at(2), ierror)
  lengths = 1
  types = (/ MPI_DOUBLE_PRECISION, MPI_INTEGER /)
  call MPI_TYPE_CREATE_STRUCT(2, lengths, at(1:2), types, pair, ierror) ! absolute addresses
  call MPI_TYPE_COMMIT(pair, ierror)
  call MPI_BCAST(MPI_BOTTOM, 1, pair, 3, world, ierror)
  call report('struct', (/ int(100 * p%place), p%kind, 0, 0 /))
  position = 0
  call MPI_PACK(rank, 1, MPI_INTEGER, packed, 64, position, world, ierror)
  call MPI_PACK(x, 2, MPI_DOUBLE_PRECISION, packed, 64, position, world, ierror)
  call MPI_BCAST(packed, 64, MPI_PACKED, 2, world, ierror)
  position = 0
  call MPI_UNPACK(packed, 64, position, number, 1, MPI_INTEGER, world, ierror)
  call MPI_UNPACK(packed, 64, position, y, 2, MPI_DOUBLE_PRECISION, world, ierror)
  call report('pack', (/ number, int(y(2, 1)), position, 0 /))
  call MPI_TYPE_FREE(pair, ierror)
  call report('free', (/ merge(1, 0, pair == MPI_DATATYPE_NULL), 0, 0, 0 /))

  ! attributes
  extent = 7
  lower = 1000 + rank
  call MPI_COMM_CREATE_KEYVAL(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, number, extent, ierror)
  call MPI_COMM_SET_ATTR(world, number, lower, ierror)
  call MPI_COMM_DUP(world, part, ierror)
  extent = 0
  call MPI_COMM_GET_ATTR(part, number, extent, flag, ierror)
  call report('attributes', (/ merge(1, 0, flag), int(extent), 0, 0 /))
  call MPI_COMM_FREE(part, ierror)
  call MPI_COMM_FREE_KEYVAL(number, ierror)

  ! errors
  call MPI_COMM_SET_ERRHANDLER(world, MPI_ERRORS_RETURN, ierror)
  call MPI_SEND(a, 1, MPI_INTEGER, 99, 0, world, i)
  call MPI_ERROR_CLASS(i, number, ierror)
  call MPI_COMM_GET_ATTR(world, MPI_TAG_UB, extent, flag, ierror)
  call report('error', (/ merge(1, 0, number == MPI_ERR_RANK), merge(1, 0, flag .and. extent >= 32767), 0, 0 /))
  call MPI_COMM_FREE(world, ierror)
  call MPI_FINALIZE(ierror)

contains

  ! Prints four numbers of each rank.
  subroutine report(what, numbers)
    character(len=*), intent(in) :: what
    integer, intent(in) :: numbers(4)
    integer :: all(4, 4), error
    call MPI_GATHER(numbers, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) write (*, '(a, t14, 16i6)') what, all
  end subroutine
end program

! The sum, and 1 more.
subroutine add_odd(in, inout, count, datatype)
  use mpi
  implicit none
  integer :: count, datatype, in(count), inout(count)
  if (datatype == MPI_INTEGER) inout = inout + in + 1
end subroutine
