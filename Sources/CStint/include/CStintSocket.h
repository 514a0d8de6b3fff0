// Socket pairs between a supervisor and its child.
// Every function returns 0 or a non-negative value on success and -errno on failure.
#pragma once

/// Makes a pair of connected stream sockets, both close-on-exec.
int stint_socket_pair(int *_Nonnull first, int *_Nonnull second);

/// The process that made a stream socket's pair. -EPROTOTYPE if the descriptor is no local stream
/// socket.
int stint_socket_peer(int descriptor);
