// Many images, some at a time, as one would write it without Stint: set FILTER FOLDER THREADS IN...
// Each is turned upright and written to the folder as a JPEG of its own name.
#include <stdlib.h>
#include "filters.h"

static const char *filter, *folder;
// Held while a graph is made or dropped, never while one is evaluated. libvips compiles loops with
// Orc for a graph and frees them with it, and Orc 0.4.33 frees without a lock of its own: two
// threads at once end the program with signal 11 now and then.
static GMutex graphs;

static VipsImage *thumbnail(const char *path) {
  VipsImage *lying, *memory, *out;
  g_mutex_lock(&graphs);
  DO(vips_thumbnail(path, &lying, 400, "no_rotate", TRUE, NULL));
  g_mutex_unlock(&graphs);
  if (vips_image_get_orientation(lying) == 1) return lying;
  if (!(memory = vips_image_copy_memory(lying))) vips_error_exit(NULL);
  g_mutex_lock(&graphs);
  DO(vips_autorot(memory, &out, NULL));
  g_object_unref(memory);
  g_object_unref(lying);
  g_mutex_unlock(&graphs);
  return out;
}

static VipsImage *filtered(const char *path) {
  VipsImage *in, *out;
  // An image that must be turned is read into memory first.
  DO(vips_jpegload(path, &in, "access", VIPS_ACCESS_SEQUENTIAL, "autorotate", TRUE, NULL));
  g_mutex_lock(&graphs);
  if (g_str_equal(filter, "resize")) DO(vips_resize(in, &out, 0.25, NULL));
  else if (g_str_equal(filter, "blur")) out = blur(in, 2);
  else out = sharpen(in, 1, 1);
  g_object_unref(in);
  g_mutex_unlock(&graphs);
  return out;
}

static void convert(gpointer path, gpointer unused) {
  gchar *name = g_path_get_basename(path), *to = g_build_filename(folder, name, NULL);
  VipsImage *out = g_str_equal(filter, "thumbnail") ? thumbnail(path) : filtered(path);
  DO(vips_image_write_to_file(out, to, NULL));
  g_mutex_lock(&graphs);
  g_object_unref(out);
  g_mutex_unlock(&graphs);
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
