// libvips, as Swift sees it. Only macros and variadic functions are wrapped; there is no logic
// here.
#pragma once

#include <vips/vips.h>
#include <vips/vector.h>

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
static inline GType stint_type_flags(void) { return G_TYPE_FLAGS; }
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
