! A program in fixed form, with mpif.h: pi by the midpoint rule.
      program main
      implicit none
      include 'mpif.h'
      integer rank, size, ierr, i, n
      double precision h, x, mine, pi
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
      n = 0
      if (rank .eq. 0) n = 1000
      call mpi_bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      h = 1.0d0 / n
      mine = 0
      do 10 i = rank + 1, n, size
        x = h * (i - 0.5d0)
        mine = mine + 4 / (1 + x * x)
 10   continue
      mine = mine * h
      call total(mine, pi)
      print '(a, i2, a, f9.6)', 'rank', rank, ': pi is', pi
      call mpi_finalize(ierr)
      end

      subroutine total(mine, pi)
      implicit none
      include 'mpif.h'
      integer ierr
      double precision mine, pi, start
      start = mpi_wtime()
      call mpi_allreduce(mine, pi, 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     +                   MPI_COMM_WORLD, ierr)
      if (mpi_wtime() .lt. start) call mpi_abort(MPI_COMM_WORLD, 3,
     +                                           ierr)
      end
