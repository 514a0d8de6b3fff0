// zlib, as Swift sees it. Only macros are wrapped; there is no logic here.
#pragma once

#include <zlib.h>

static inline int stint_deflate_init(z_stream *stream, int level, int window_bits, int memory_level, int strategy) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, strategy);
}

static inline int stint_inflate_init(z_stream *stream) {
  return inflateInit(stream);
}
