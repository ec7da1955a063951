! mpi.f90 - the module mpi: mpif.h, and interfaces of the calls that take data of any type. Arrays of counts
! may be anything, too, because beside MPI_IN_PLACE programs pass a number.
module mpi
  implicit none
  include 'mpif.h'
  interface
    subroutine MPI_SEND(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, ierror
    end subroutine
    subroutine MPI_BSEND(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, ierror
    end subroutine
    subroutine MPI_SSEND(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, ierror
    end subroutine
    subroutine MPI_RSEND(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, ierror
    end subroutine
    subroutine MPI_RECV(buf, count, datatype, source, tag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, source, tag, comm, ierror, status(MPI_STATUS_SIZE)
    end subroutine
    subroutine MPI_ISEND(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_IBSEND(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_ISSEND(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_IRSEND(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_SEND_INIT(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_BSEND_INIT(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_SSEND_INIT(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_RSEND_INIT(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, tag, comm, request, ierror
    end subroutine
    subroutine MPI_IRECV(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, source, tag, comm, request, ierror
    end subroutine
    subroutine MPI_RECV_INIT(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, source, tag, comm, request, ierror
    end subroutine
    subroutine MPI_SENDRECV(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, dest, sendtag, recvcount, recvtype, source, recvtag, comm, ierror, status(MPI_STATUS_SIZE)
    end subroutine
    subroutine MPI_SENDRECV_REPLACE(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, dest, sendtag, source, recvtag, comm, ierror, status(MPI_STATUS_SIZE)
    end subroutine
    subroutine MPI_BUFFER_ATTACH(buf, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: size, ierror
    end subroutine
    subroutine MPI_BUFFER_DETACH(buf, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: size, ierror
    end subroutine
    subroutine MPI_BCAST(buf, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, root, comm, ierror
    end subroutine
    subroutine MPI_REDUCE(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, root, comm, ierror
    end subroutine
    subroutine MPI_REDUCE_LOCAL(sendbuf, recvbuf, count, datatype, op, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, ierror
    end subroutine
    subroutine MPI_ALLREDUCE(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, ierror
    end subroutine
    subroutine MPI_SCAN(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, ierror
    end subroutine
    subroutine MPI_EXSCAN(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, ierror
    end subroutine
    subroutine MPI_REDUCE_SCATTER(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts
      integer :: datatype, op, comm, ierror
    end subroutine
    subroutine MPI_GATHER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, root, comm, ierror
    end subroutine
    subroutine MPI_SCATTER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, root, comm, ierror
    end subroutine
    subroutine MPI_ALLGATHER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, ierror
    end subroutine
    subroutine MPI_ALLTOALL(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, ierror
    end subroutine
    subroutine MPI_GATHERV(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts, displs
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts, displs
      integer :: sendcount, sendtype, recvtype, root, comm, ierror
    end subroutine
    subroutine MPI_SCATTERV(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, displs, recvbuf
      type(*), dimension(*) :: sendbuf, sendcounts, displs, recvbuf
      integer :: sendtype, recvcount, recvtype, root, comm, ierror
    end subroutine
    subroutine MPI_ALLGATHERV(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts, displs
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts, displs
      integer :: sendcount, sendtype, recvtype, comm, ierror
    end subroutine
    subroutine MPI_ALLTOALLV(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      integer :: sendtype, recvtype, comm, ierror
    end subroutine
    subroutine MPI_ALLTOALLW(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      integer :: comm, ierror
    end subroutine
    subroutine MPI_WIN_CREATE(base, size, disp_unit, info, comm, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      type(*), dimension(*) :: base
      integer :: disp_unit, info, comm, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: size
    end subroutine
    subroutine MPI_WIN_ATTACH(win, base, size, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      type(*), dimension(*) :: base
      integer :: win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: size
    end subroutine
    subroutine MPI_WIN_DETACH(win, base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      type(*), dimension(*) :: base
      integer :: win, ierror
    end subroutine
    subroutine MPI_PUT(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      type(*), dimension(*) :: origin_addr
      integer :: origin_count, origin_datatype, target_rank, target_count, target_datatype, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_GET(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      type(*), dimension(*) :: origin_addr
      integer :: origin_count, origin_datatype, target_rank, target_count, target_datatype, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_ACCUMULATE(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      type(*), dimension(*) :: origin_addr
      integer :: origin_count, origin_datatype, target_rank, target_count, target_datatype, op, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_GET_ACCUMULATE(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr, result_addr
      type(*), dimension(*) :: origin_addr, result_addr
      integer :: origin_count, origin_datatype, result_count, result_datatype, target_rank
      integer :: target_count, target_datatype, op, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_RPUT(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      type(*), dimension(*) :: origin_addr
      integer :: origin_count, origin_datatype, target_rank, target_count, target_datatype, win, request, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_RGET(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      type(*), dimension(*) :: origin_addr
      integer :: origin_count, origin_datatype, target_rank, target_count, target_datatype, win, request, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_RACCUMULATE(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      type(*), dimension(*) :: origin_addr
      integer :: origin_count, origin_datatype, target_rank, target_count, target_datatype, op, win, request, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_RGET_ACCUMULATE(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr, result_addr
      type(*), dimension(*) :: origin_addr, result_addr
      integer :: origin_count, origin_datatype, result_count, result_datatype, target_rank
      integer :: target_count, target_datatype, op, win, request, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_FETCH_AND_OP(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr, result_addr
      type(*), dimension(*) :: origin_addr, result_addr
      integer :: datatype, target_rank, op, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_COMPARE_AND_SWAP(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, &
        win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr, compare_addr, result_addr
      type(*), dimension(*) :: origin_addr, compare_addr, result_addr
      integer :: datatype, target_rank, win, ierror
      integer(kind=MPI_ADDRESS_KIND) :: target_disp
    end subroutine
    subroutine MPI_REDUCE_SCATTER_BLOCK(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, ierror
    end subroutine
    subroutine MPI_IBCAST(buf, count, datatype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, root, comm, request, ierror
    end subroutine
    subroutine MPI_IREDUCE(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, root, comm, request, ierror
    end subroutine
    subroutine MPI_IALLREDUCE(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, request, ierror
    end subroutine
    subroutine MPI_ISCAN(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, request, ierror
    end subroutine
    subroutine MPI_IEXSCAN(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, request, ierror
    end subroutine
    subroutine MPI_IREDUCE_SCATTER(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts
      integer :: datatype, op, comm, request, ierror
    end subroutine
    subroutine MPI_IGATHER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, root, comm, request, ierror
    end subroutine
    subroutine MPI_ISCATTER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, root, comm, request, ierror
    end subroutine
    subroutine MPI_IALLGATHER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_IALLTOALL(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_IGATHERV(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts, displs
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts, displs
      integer :: sendcount, sendtype, recvtype, root, comm, request, ierror
    end subroutine
    subroutine MPI_ISCATTERV(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, displs, recvbuf
      type(*), dimension(*) :: sendbuf, sendcounts, displs, recvbuf
      integer :: sendtype, recvcount, recvtype, root, comm, request, ierror
    end subroutine
    subroutine MPI_IALLGATHERV(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts, displs
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts, displs
      integer :: sendcount, sendtype, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_IALLTOALLV(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      integer :: sendtype, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_IALLTOALLW(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      integer :: comm, request, ierror
    end subroutine
    subroutine MPI_IREDUCE_SCATTER_BLOCK(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm, request, ierror
    end subroutine
    subroutine MPI_NEIGHBOR_ALLGATHER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, ierror
    end subroutine
    subroutine MPI_INEIGHBOR_ALLGATHER(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_NEIGHBOR_ALLGATHERV(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts, displs
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts, displs
      integer :: sendcount, sendtype, recvtype, comm, ierror
    end subroutine
    subroutine MPI_INEIGHBOR_ALLGATHERV(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf, recvcounts, displs
      type(*), dimension(*) :: sendbuf, recvbuf, recvcounts, displs
      integer :: sendcount, sendtype, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_NEIGHBOR_ALLTOALL(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, ierror
    end subroutine
    subroutine MPI_INEIGHBOR_ALLTOALL(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, recvbuf
      type(*), dimension(*) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_NEIGHBOR_ALLTOALLV(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
        comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      integer :: sendtype, recvtype, comm, ierror
    end subroutine
    subroutine MPI_INEIGHBOR_ALLTOALLV(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls
      integer :: sendtype, recvtype, comm, request, ierror
    end subroutine
    subroutine MPI_NEIGHBOR_ALLTOALLW(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      integer :: comm, ierror
    end subroutine
    subroutine MPI_INEIGHBOR_ALLTOALLW(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      type(*), dimension(*) :: sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      integer :: comm, request, ierror
    end subroutine
    subroutine MPI_GET_ADDRESS(location, address, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      type(*), dimension(*) :: location
      integer :: ierror
      integer(kind=MPI_ADDRESS_KIND) :: address
    end subroutine
    subroutine MPI_PACK(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf, outbuf
      type(*), dimension(*) :: inbuf, outbuf
      integer :: incount, datatype, outsize, position, comm, ierror
    end subroutine
    subroutine MPI_UNPACK(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf, outbuf
      type(*), dimension(*) :: inbuf, outbuf
      integer :: insize, position, outcount, datatype, comm, ierror
    end subroutine
    subroutine MPI_MRECV(buf, count, datatype, message, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, message, ierror, status(MPI_STATUS_SIZE)
    end subroutine
    subroutine MPI_IMRECV(buf, count, datatype, message, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count, datatype, message, request, ierror
    end subroutine
    subroutine MPI_FREE_MEM(base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      type(*), dimension(*) :: base
      integer :: ierror
    end subroutine
    subroutine MPI_PACK_EXTERNAL(datarep, inbuf, incount, datatype, outbuf, outsize, position, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf, outbuf
      type(*), dimension(*) :: inbuf, outbuf
      character(len=*) :: datarep
      integer :: incount, datatype, ierror
      integer(kind=MPI_ADDRESS_KIND) :: outsize, position
    end subroutine
    subroutine MPI_UNPACK_EXTERNAL(datarep, inbuf, insize, position, outbuf, outcount, datatype, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf, outbuf
      type(*), dimension(*) :: inbuf, outbuf
      character(len=*) :: datarep
      integer :: outcount, datatype, ierror
      integer(kind=MPI_ADDRESS_KIND) :: insize, position
    end subroutine
    subroutine MPI_SIZEOF(x, size, ierror) bind(c, name='simkit_mpi_sizeof')
      type(*), dimension(..) :: x
      integer :: size, ierror
    end subroutine
  end interface
end module mpi
