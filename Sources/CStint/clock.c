#include "CStint.h"
