// The GNU multiple precision library, as Swift sees it. Macros become inline functions; no logic here.
#pragma once

#include <gmp.h>
