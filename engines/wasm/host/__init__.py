"""The host of the guest: memory, files, system calls, clock, threads, exceptions, fonts."""
