// A named pipeline as one graph of libvips, as one would write it without Stint: pipeline NAME IN OUT[OPTIONS]
// Prints the seconds that it waited for the disk at the end, because Stint waits too.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "filters.h"

static VipsImage *tone(VipsImage *in) {
  VipsImage *toned, *out;
  guchar entries[256];
  for (int i = 0; i < 256; i++) {
    double bright = rint(255 * pow(i / 255.0, 1 / 1.8));
    entries[i] = rint(fmin(fmax(127.5 + (bright - 127.5) * tan(1.15 * M_PI / 4) + 0.05 * 255, 0), 255));
  }
  VipsImage *table = vips_image_new_from_memory_copy(entries, sizeof entries, 256, 1, 1, VIPS_FORMAT_UCHAR);
  DO(vips_maplut(in, &toned, table, NULL) || vips_hist_equal(toned, &out, NULL));
  return out;
}

// Statistics between neighbourhoods: equalising wants the whole of what was blurred.
static VipsImage *scan(VipsImage *in) {
  VipsImage *equalised, *out;
  DO(vips_hist_equal(blur(in, 1.5), &equalised, NULL) || vips_median(sharpen(equalised, 1.5, 0.8), &out, 3, NULL));
  return out;
}

static VipsImage *clahe(VipsImage *in) {
  VipsImage *sum, *whole, *grey, *levelled, *weights = vips_image_new_matrixv(3, 1, 0.2126, 0.7152, 0.0722);
  DO(vips_recomb(in, &sum, weights, NULL) || vips_rint(sum, &whole, NULL) ||
     vips_cast(whole, &grey, VIPS_FORMAT_UCHAR, NULL) ||
     vips_hist_local(grey, &levelled, 65, 65, "max_slope", 50, NULL));
  return add_difference(in, levelled, grey, 1);
}

int main(int argc, char **argv) {
  VipsImage *in, *out;
  if (argc != 4 || VIPS_INIT(argv[0])) return 64;
  const char *name = argv[1], *to = vips_filename_get_filename(argv[3]);
  // Equalising looks at the input twice; everything else reads it once, from top to bottom.
  gboolean once = !g_str_equal(name, "tone") && !g_str_equal(name, "scan");
  if (!(in = vips_image_new_from_file(argv[2], "access", once ? VIPS_ACCESS_SEQUENTIAL : VIPS_ACCESS_RANDOM, NULL)))
    vips_error_exit(NULL);
  if (g_str_equal(name, "blur-sharpen")) out = sharpen(blur(in, 2), 1.5, 0.8);
  else if (g_str_equal(name, "denoise")) DO(vips_median(in, &out, 3, NULL));
  else if (g_str_equal(name, "edges")) DO(vips_canny(in, &out, "sigma", 1.4, "precision", VIPS_PRECISION_INTEGER, NULL));
  else if (g_str_equal(name, "tone")) out = tone(in);
  else if (g_str_equal(name, "scan")) out = scan(in);
  else if (g_str_equal(name, "scale")) {
    DO(vips_resize(in, &out, 0.5, NULL));
    out = sharpen(out, 1, 1);
  }
  else if (g_str_equal(name, "clahe")) out = clahe(in);
  else if (g_str_equal(name, "copy") || g_str_equal(name, "lay")) out = in;
  else return 64;
  DO(vips_copy(out, &out, "interpretation", in->Type, NULL));
  // A camera that was held sideways: its pixels lie, and a tag says how they are to be turned.
  if (g_str_equal(name, "lay")) vips_image_set_int(out, "orientation", 6);
  DO(vips_image_write_to_file(out, argv[3], NULL));
  gint64 written = g_get_monotonic_time();
  int file = open(to, O_RDONLY);
  if (file < 0 || fsync(file) || close(file)) return 74;
  printf("%.6f\n", (g_get_monotonic_time() - written) / 1e6);
  return 0;
}
