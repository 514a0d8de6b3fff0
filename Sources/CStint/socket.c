#define _GNU_SOURCE
#include "CStint.h"
#include "CStintSocket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

int stint_socket_pair(int *first, int *second) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
  *first = pair[0];
  *second = pair[1];
  return 0;
}

static int option(int descriptor, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  if (getsockopt(descriptor, SOL_SOCKET, name, &value, &size) < 0) return -errno;
  return value;
}

int stint_socket_peer(int descriptor) {
  int domain = option(descriptor, SO_DOMAIN);
  if (domain < 0) return domain;
  int type = option(descriptor, SO_TYPE);
  if (type < 0) return type;
  if (domain != AF_UNIX || type != SOCK_STREAM) return -EPROTOTYPE;
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
  return peer.pid;
}
