// What the programs here have in common: filters of 8 bits, computed as Stint computes them.
#include <math.h>
#include <vips/vips.h>

#define DO(call) do { if (call) vips_error_exit(NULL); } while (0)

static VipsImage *blur(VipsImage *in, double sigma) {
  VipsImage *out;
  DO(vips_gaussblur(in, &out, sigma, "precision", VIPS_PRECISION_INTEGER, NULL));
  return out;
}

// in + amount * (one - other), each difference of 8 bits looked up
static VipsImage *add_difference(VipsImage *in, VipsImage *one, VipsImage *other, double amount) {
  VipsImage *inverted, *index, *difference, *sum, *out;
  gint16 entries[511];
  for (int i = 0; i < 511; i++) entries[i] = rint(amount * (i - 255));
  VipsImage *table = vips_image_new_from_memory_copy(entries, sizeof entries, 511, 1, 1, VIPS_FORMAT_SHORT);
  DO(vips_invert(other, &inverted, NULL) || vips_add(one, inverted, &index, NULL) ||
     vips_maplut(index, &difference, table, NULL) || vips_add(in, difference, &sum, NULL) ||
     vips_cast(sum, &out, VIPS_FORMAT_UCHAR, NULL));
  // An image keeps what it is made from.
  VipsImage *between[] = {table, inverted, index, difference, sum};
  for (int i = 0; i < 5; i++) g_object_unref(between[i]);
  return out;
}

static VipsImage *sharpen(VipsImage *in, double sigma, double amount) {
  VipsImage *blurred = blur(in, sigma), *out = add_difference(in, in, blurred, amount);
  g_object_unref(blurred);
  return out;
}
