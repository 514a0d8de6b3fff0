// libxxhash, as Swift sees it.
#pragma once

#include <xxhash.h>
