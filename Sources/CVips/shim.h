// libvips, as Swift sees it, and of libtiff and libjpeg what says that a file is damaged. Only
// macros, variadic functions and jumps are wrapped.
#pragma once

#include <setjmp.h>
#include <stdio.h>
#include <tiffio.h>
#include <vips/vips.h>
#include <vips/vector.h>
// After stdio.h.
#include <jpeglib.h>
#include <jerror.h>

/// Starts the library; it takes the program's name only for its messages. Returns 0, or -1 with the
/// reason in vips_error_buffer().
static inline int stint_vips_init(const char *program) {
  return VIPS_INIT(program);
}

// The fundamental types of GObject, which are macros.
static inline GType stint_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType stint_type_int(void) { return G_TYPE_INT; }
static inline GType stint_type_uint64(void) { return G_TYPE_UINT64; }
static inline GType stint_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType stint_type_string(void) { return G_TYPE_STRING; }
static inline GType stint_type_enum(void) { return G_TYPE_ENUM; }
static inline GType stint_type_object(void) { return G_TYPE_OBJECT; }
static inline GType stint_type_array_double(void) { return VIPS_TYPE_ARRAY_DOUBLE; }
static inline GType stint_type_array_image(void) { return VIPS_TYPE_ARRAY_IMAGE; }
static inline GType stint_type_blob(void) { return VIPS_TYPE_BLOB; }
static inline GType stint_type_fundamental(GType type) { return G_TYPE_FUNDAMENTAL(type); }
static inline gboolean stint_type_is_a(GType type, GType ancestor) { return g_type_is_a(type, ancestor); }

/// The type of an operation's property, or 0 if it has none of that name.
static inline GType stint_vips_property_type(VipsOperation *operation, const char *name) {
  GParamSpec *property = g_object_class_find_property(G_OBJECT_GET_CLASS(operation), name);
  return property ? G_PARAM_SPEC_VALUE_TYPE(property) : 0;
}

static inline GObject *stint_vips_operation_object(VipsOperation *operation) { return G_OBJECT(operation); }
static inline VipsObject *stint_vips_operation_base(VipsOperation *operation) { return VIPS_OBJECT(operation); }
static inline GObject *stint_vips_image_object(VipsImage *image) { return G_OBJECT(image); }

/// The image in a value of type object; the value keeps its own reference.
static inline VipsImage *stint_vips_value_image(const GValue *value) {
  GObject *object = g_value_get_object(value);
  return object && VIPS_IS_IMAGE(object) ? VIPS_IMAGE(object) : NULL;
}

/// The address of a pixel that lies in the region's valid rectangle.
static inline const unsigned char *stint_vips_region_address(VipsRegion *region, int left, int top) {
  return VIPS_REGION_ADDR(region, left, top);
}

/// What a check of a JPEG stream finds.
typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf exit;
  /// 0 while the header is read, 1 while pixels are decoded, 2 after the last row.
  int part;
  /// How many messages tell of damage.
  long faults;
  /// The first of them.
  char text[JMSG_LENGTH_MAX];
} stint_jpeg_check;

static inline void stint_jpeg_note(j_common_ptr info) {
  stint_jpeg_check *check = (stint_jpeg_check *)info->err;
  if (check->faults++ == 0) check->manager.format_message(info, check->text);
}

/// A warning has a level below zero.
static inline void stint_jpeg_message(j_common_ptr info, int level) {
  int part = ((stint_jpeg_check *)info->err)->part;
  if (level >= 0 || part == 0) return;
  // A few bytes between the end of a scan and the next marker are padding. Many are pixels that
  // were to follow.
  if (info->err->msg_code == JWRN_EXTRANEOUS_DATA ? info->err->msg_parm.i[0] > 32 : part == 1)
    stint_jpeg_note(info);
}

static inline void stint_jpeg_exit(j_common_ptr info) {
  stint_jpeg_note(info);
  longjmp(((stint_jpeg_check *)info->err)->exit, 1);
}

/// Decodes a JPEG stream at the smallest size, and counts what libjpeg says of damage.
///
/// `tables` is a stream with tables alone, as TIFF has it for all tiles of an image, or NULL.
/// `file` is read from where it stands; it stays open.
static inline void stint_jpeg_examine(
    stint_jpeg_check *check, const unsigned char *tables, size_t tables_bytes, FILE *file) {
  struct jpeg_decompress_struct info;
  memset(&info, 0, sizeof info);
  memset(check, 0, sizeof *check);
  info.err = jpeg_std_error(&check->manager);
  check->manager.emit_message = stint_jpeg_message;
  check->manager.error_exit = stint_jpeg_exit;
  unsigned char *volatile row = NULL;
  if (setjmp(check->exit) == 0) {
    jpeg_create_decompress(&info);
    if (tables) {
      jpeg_mem_src(&info, tables, tables_bytes);
      jpeg_read_header(&info, FALSE);
      // The next source is of another kind.
      info.src = NULL;
    }
    jpeg_stdio_src(&info, file);
    jpeg_read_header(&info, TRUE);
    check->part = 1;
    info.scale_num = 1;
    info.scale_denom = 8;
    info.dct_method = JDCT_FASTEST;
    info.do_fancy_upsampling = FALSE;
    info.out_color_space = info.jpeg_color_space;
    jpeg_start_decompress(&info);
    row = (unsigned char *)malloc((size_t)info.output_width * info.output_components);
    while (row && info.output_scanline < info.output_height) {
      JSAMPROW rows[1] = {row};
      jpeg_read_scanlines(&info, rows, 1);
    }
    check->part = 2;
    jpeg_finish_decompress(&info);
  }
  free(row);
  jpeg_destroy_decompress(&info);
}
