! Calls of the module mpi_f08, on four ranks; prints what Open MPI prints: f08.txt.
module functions
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: handled = 0, freed = 0
contains
  ! The sum, and 1 more.
  subroutine add_odd(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, (/ len /))
    call c_f_pointer(inoutvec, inout, (/ len /))
    if (datatype == MPI_INTEGER) inout = inout + in + 1
  end subroutine
  subroutine handle(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code, which
    call MPI_Error_class(error_code, which)
    if (comm /= MPI_COMM_NULL .and. which == MPI_ERR_RANK) handled = handled + 1
  end subroutine
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    flag = oldcomm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID
    attribute_val_out = attribute_val_in + extra_state
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (comm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID) freed = freed + int(attribute_val + extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 3
    ierror = MPI_SUCCESS
  end subroutine
  subroutine let_go(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    freed = freed + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) freed = freed + 100 * int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
end module

program f08
  use mpi_f08
  use functions
  implicit none
  integer :: rank, size, left, right, i, number, other, ierror, a(8), b(8), c(32), counts(4), places(4), dims(2), coords(2)
  integer :: position, key
  integer, volatile :: pinned ! changes in a call that does not name it
  integer(kind=MPI_ADDRESS_KIND) :: extra, lower, extent, at(2)
  integer(kind=MPI_COUNT_KIND) :: long
  double precision :: x(6, 4), y(6, 4), start
  logical :: flag, periods(2)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=64) :: packed
  type(MPI_Comm) :: world, part, grid, inter
  type(MPI_Group) :: group, some
  type(MPI_Datatype) :: column, pair
  type(MPI_Op) :: op
  type(MPI_Request) :: requests(4), request
  type(MPI_Status) :: status, statuses(4)
  type(MPI_Message) :: message
  type(MPI_Info) :: info
  type(MPI_Errhandler) :: handler

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(comm=MPI_COMM_WORLD, size=size, ierror=ierror)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call MPI_Get_processor_name(name, number)
  start = MPI_Wtime()
  call report('begin', (/ ierror, merge(1, 0, len_trim(name) == number), merge(1, 0, MPI_Wtime() >= start), 0 /))

  ! point to point
  a = (/ (10 * rank + i, i = 1, 8) /)
  b = 0
  call MPI_Sendrecv(a, 8, MPI_INTEGER, right, 1, b, 8, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_INTEGER, number)
  call report('sendrecv', (/ b(8), status%MPI_SOURCE, status%MPI_TAG, number /))
  call MPI_Irecv(b(1), 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(b(5), 4, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Isend(a(1), 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3))
  call MPI_Isend(a(5), 4, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(4))
  call MPI_Waitall(4, requests, statuses)
  call report('waitall', (/ b(1), b(8), statuses(1)%MPI_SOURCE, statuses(2)%MPI_TAG /))
  call MPI_Send(a, 2, MPI_INTEGER, right, 4, MPI_COMM_WORLD)
  call MPI_Irecv(b, 2, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(2))
  requests(1) = MPI_REQUEST_NULL
  call MPI_Waitany(2, requests, number, MPI_STATUS_IGNORE)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call report('waitany', (/ number, merge(1, 0, requests(2) == MPI_REQUEST_NULL), b(2), 0 /))
  call MPI_Send(a, 3, MPI_INTEGER, right, 5, MPI_COMM_WORLD)
  call MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, message, status)
  call MPI_Mrecv(b, 3, MPI_INTEGER, message, status)
  call MPI_Get_elements_x(status, MPI_INTEGER, long)
  call report('mprobe', (/ int(long), b(3), status%MPI_TAG, merge(1, 0, message == MPI_MESSAGE_NULL) /))
  call MPI_Recv_init(b, 1, MPI_INTEGER, left, 6, MPI_COMM_WORLD, request)
  do i = 1, 2
    call MPI_Start(request)
    call MPI_Send(a(i), 1, MPI_INTEGER, right, 6, MPI_COMM_WORLD)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, status)
    end do
  end do
  call MPI_Request_free(request)
  call report('persistent', (/ b(1), merge(1, 0, request /= MPI_REQUEST_NULL), 0, 0 /))
  extra = 7
  call MPI_Grequest_start(query, let_go, cancel, extra, request)
  call MPI_Cancel(request)
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_count(status, MPI_INTEGER, number)
  call report('grequest', (/ number, status%MPI_SOURCE, freed, 0 /))

  ! collective calls
  call MPI_Comm_dup(MPI_COMM_WORLD, world)
  number = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, world)
  other = rank
  call MPI_Bcast(other, 1, MPI_INTEGER, 2, world)
  call report('in place', (/ number, other, 0, 0 /))
  counts = (/ 1, 2, 3, 2 /)
  places = (/ 0, 1, 3, 6 /)
  c = 0
  call MPI_Allgatherv(a, counts(rank + 1), MPI_INTEGER, c, counts, places, MPI_INTEGER, world)
  call report('allgatherv', (/ c(1), c(3), c(6), c(8) /))
  call MPI_Alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, world)
  call MPI_Op_create(add_odd, .true., op)
  call MPI_Reduce(rank, number, 1, MPI_INTEGER, op, 0, world)
  if (rank > 0) number = 0
  call MPI_Op_free(op)
  call MPI_Barrier(world)
  call report('operation', (/ b(1), b(8), number, merge(1, 0, op == MPI_OP_NULL) /))

  ! communicators
  call MPI_Comm_split(world, mod(rank, 2), -rank, part)
  call MPI_Comm_rank(part, number)
  call MPI_Intercomm_create(part, 0, world, 3 - mod(rank, 2), 9, inter)
  call MPI_Comm_remote_size(inter, other)
  call MPI_Comm_test_inter(inter, flag)
  call MPI_Comm_free(inter)
  call report('split', (/ number, other, merge(1, 0, flag), merge(1, 0, inter == MPI_COMM_NULL) /))
  call MPI_Comm_group(world, group)
  call MPI_Group_range_incl(group, 1, reshape((/ 3, 1, -1 /), (/ 3, 1 /)), some)
  call MPI_Group_rank(some, number)
  call MPI_Group_translate_ranks(some, 2, (/ 0, 2 /), group, places)
  call MPI_Group_free(some)
  call report('groups', (/ merge(-1, number, number == MPI_UNDEFINED), places(1), places(2), merge(1, 0, some == MPI_GROUP_NULL) /))
  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call MPI_Cart_create(world, 2, dims, (/ .true., .false. /), .false., grid)
  call MPI_Cart_shift(grid, 0, 1, number, other)
  call MPI_Cart_get(grid, 2, dims, periods, coords)
  call report('grid', (/ number, other, coords(2), merge(1, 0, periods(1) .and. .not. periods(2)) /))
  call MPI_Comm_set_name(grid, 'the grid')
  name = '?'
  call MPI_Comm_get_name(grid, name, number)
  call report('name', (/ number, merge(1, 0, name == 'the grid'), 0, 0 /))
  extra = 5
  call MPI_Comm_create_keyval(copy, release, key, extra)
  lower = 100 * rank
  call MPI_Comm_set_attr(world, key, lower)
  call MPI_Comm_free(part)
  call MPI_Comm_dup(world, part)
  call MPI_Comm_get_attr(part, key, extent, flag)
  freed = 0
  call MPI_Comm_free(part)
  call report('attributes', (/ merge(1, 0, flag), int(extent), freed, 0 /))
  call MPI_Comm_delete_attr(world, key)
  call MPI_Comm_free_keyval(key)

  ! errors
  call MPI_Comm_create_errhandler(handle, handler)
  call MPI_Comm_set_errhandler(world, handler)
  call MPI_Send(a, 1, MPI_INTEGER, 99, 0, world, ierror)
  call MPI_Send(a, 1, MPI_INTEGER, 98, 0, world)
  call MPI_Error_class(ierror, number)
  call MPI_Errhandler_free(handler)
  call report('errors', (/ handled, merge(1, 0, number == MPI_ERR_RANK), merge(1, 0, handler == MPI_ERRHANDLER_NULL), 0 /))
  call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN)
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'a', 'b c')
  name = '?'
  call MPI_Info_get(info, 'a', 5, name, flag)
  call MPI_Info_free(info)
  call report('info', (/ merge(1, 0, flag), merge(1, 0, name == 'b c'), merge(1, 0, info == MPI_INFO_NULL), 0 /))

  ! types
  x = reshape((/ (dble(100 * rank + i), i = 1, 24) /), (/ 6, 4 /))
  y = 0
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)
  call MPI_Sendrecv(x(3, 1), 1, column, right, 0, y, 4, MPI_DOUBLE_PRECISION, left, 0, world, MPI_STATUS_IGNORE)
  call MPI_Type_get_extent(column, lower, extent)
  call report('vector', (/ int(y(1, 1)), int(y(4, 1)), int(lower), int(extent) /))
  call MPI_Get_address(x(1, 1), at(1))
  call MPI_Get_address(pinned, at(2))
  call MPI_Type_create_struct(2, (/ 2, 1 /), at, (/ MPI_DOUBLE_PRECISION, MPI_INTEGER /), pair)
  call MPI_Type_commit(pair)
  pinned = rank
  call MPI_Bcast(MPI_BOTTOM, 1, pair, 3, world)
  call report('struct', (/ int(x(2, 1)), pinned, 0, 0 /))
  call MPI_Type_free(pair)
  position = 0
  call MPI_Pack(a, 2, MPI_INTEGER, packed, 64, position, world)
  position = 0
  call MPI_Unpack(packed, 64, position, b, 2, MPI_INTEGER, world)
  call MPI_Sizeof(x, number)
  call report('pack', (/ b(2), position, number, merge(1, 0, pair == MPI_DATATYPE_NULL) /))
  call MPI_Type_free(column)
  call MPI_Comm_free(grid)
  call MPI_Comm_free(world)
  call MPI_Finalize()

contains

  ! Prints four numbers of each rank.
  subroutine report(what, numbers)
    character(len=*), intent(in) :: what
    integer, intent(in) :: numbers(4)
    integer :: all(4, 4)
    call MPI_Gather(numbers, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) write (*, '(a, t14, 16i6)') what, all
  end subroutine
end program
