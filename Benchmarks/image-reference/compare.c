// Whether two files have the same pixels: compare A B. 0 if they do; 1 with the greatest difference if not.
#include <stdio.h>
#include <vips/vips.h>

static VipsImage *open_image(const char *path) {
  VipsImage *image = vips_image_new_from_file(path, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
  if (!image) vips_error_exit(NULL);
  return image;
}

int main(int argc, char **argv) {
  if (argc != 3 || VIPS_INIT(argv[0])) return 64;
  VipsImage *a = open_image(argv[1]), *b = open_image(argv[2]), *difference, *distance;
  if (a->Xsize != b->Xsize || a->Ysize != b->Ysize || a->Bands != b->Bands || a->BandFmt != b->BandFmt) {
    printf("%d x %d pixels of %d bands beside %d x %d of %d\n", a->Xsize, a->Ysize, a->Bands, b->Xsize, b->Ysize, b->Bands);
    return 1;
  }
  double most;
  if (vips_subtract(a, b, &difference, NULL) || vips_abs(difference, &distance, NULL) || vips_max(distance, &most, NULL))
    vips_error_exit(NULL);
  if (most == 0) return 0;
  printf("samples that differ by up to %g\n", most);
  return 1;
}
