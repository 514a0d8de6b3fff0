// libvips, as Swift sees it. Only macros and variadic functions are wrapped; there is no logic here.
#pragma once

#include <vips/vips.h>

/// Starts the library; it takes the program's name only for its messages. Returns 0, or -1 with the reason in vips_error_buffer().
static inline int stint_vips_init(const char *program) {
  return VIPS_INIT(program);
}
