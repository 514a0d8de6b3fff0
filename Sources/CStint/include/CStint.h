// What Swift cannot say: kernel timers, spawning, getopt_long, sanitizer notes. Every function
// returns 0 or a non-negative value on success and -errno on failure, unless its comment says
// otherwise.
#pragma once

#include "CStintClock.h"
#include "CStintThread.h"
#include "CStintOptions.h"
#include "CStintFile.h"
#include "CStintProcess.h"
#include "CStintTimer.h"
#include "CStintPidfd.h"
#include "CStintProbe.h"
#include "CStintSocket.h"
#include "CStintSpawn.h"
