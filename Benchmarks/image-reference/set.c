// Many images, some at a time, as one would write it without Stint: set FILTER FOLDER THREADS IN...
// Each is turned upright and written to the folder as a JPEG of its own name.
#include <stdlib.h>
#include "filters.h"

static const char *filter, *folder;

static VipsImage *filtered(const char *path) {
  VipsImage *in, *out;
  if (g_str_equal(filter, "thumbnail")) {
    DO(vips_thumbnail(path, &out, 400, NULL));
    return out;
  }
  // An image that must be turned is read into memory first.
  DO(vips_jpegload(path, &in, "access", VIPS_ACCESS_SEQUENTIAL, "autorotate", TRUE, NULL));
  if (g_str_equal(filter, "resize")) DO(vips_resize(in, &out, 0.25, NULL));
  else if (g_str_equal(filter, "blur")) out = blur(in, 2);
  else out = sharpen(in, 1, 1);
  g_object_unref(in);
  return out;
}

static void convert(gpointer path, gpointer unused) {
  gchar *name = g_path_get_basename(path), *to = g_build_filename(folder, name, NULL);
  VipsImage *out = filtered(path);
  DO(vips_image_write_to_file(out, to, NULL));
  g_object_unref(out);
  g_free(to);
  g_free(name);
  vips_thread_shutdown();
}

int main(int argc, char **argv) {
  if (argc < 5 || VIPS_INIT(argv[0])) return 64;
  filter = argv[1];
  folder = argv[2];
  // Each image by one thread: there are always more images.
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  GThreadPool *threads = g_thread_pool_new(convert, NULL, atoi(argv[3]), TRUE, NULL);
  for (int i = 4; i < argc; i++) g_thread_pool_push(threads, argv[i], NULL);
  g_thread_pool_free(threads, FALSE, TRUE);
  return 0;
}
