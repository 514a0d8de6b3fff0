#pragma once

#include "CStintSpawn.h"

#include <sys/types.h>

// Looks after a command, in a child that was forked off with all signals blocked, and ends as the
// command ends.
_Noreturn void stint_keep(const stint_spawn_request *request, pid_t parent);

// Starts the command of a request. Returns its number, with the error of its start or 0.
pid_t stint_start_kept(const stint_spawn_request *request, int *error);
