// The GNU multiple precision library, as Swift sees it: gmp.h names its functions through macros,
// which Swift does not import. Each macro becomes an inline function of the same meaning; no logic
// here.
#pragma once

#include <gmp.h>

static inline const char *gmpz_version(void) { return gmp_version; }

static inline void gmpz_init(mpz_ptr x) { mpz_init(x); }
static inline void gmpz_clear(mpz_ptr x) { mpz_clear(x); }
static inline void gmpz_set_ui(mpz_ptr r, unsigned long x) { mpz_set_ui(r, x); }
static inline void gmpz_set_bit(mpz_ptr r, mp_bitcnt_t bit) { mpz_setbit(r, bit); }

static inline void gmpz_multiply_small(mpz_ptr r, mpz_srcptr a, long b) { mpz_mul_si(r, a, b); }
static inline void gmpz_add_multiple(mpz_ptr r, mpz_srcptr a, unsigned long b) { mpz_addmul_ui(r, a, b); }
static inline void gmpz_sub_multiple(mpz_ptr r, mpz_srcptr a, unsigned long b) { mpz_submul_ui(r, a, b); }
static inline void gmpz_add_ui(mpz_ptr r, mpz_srcptr a, unsigned long b) { mpz_add_ui(r, a, b); }
static inline void gmpz_sub(mpz_ptr r, mpz_srcptr a, mpz_srcptr b) { mpz_sub(r, a, b); }
static inline void gmpz_sub_ui(mpz_ptr r, mpz_srcptr a, unsigned long b) { mpz_sub_ui(r, a, b); }
static inline void gmpz_mul(mpz_ptr r, mpz_srcptr a, mpz_srcptr b) { mpz_mul(r, a, b); }
static inline void gmpz_divide_exact_small(mpz_ptr q, mpz_srcptr n, unsigned long d) { mpz_divexact_ui(q, n, d); }
static inline void gmpz_power(mpz_ptr r, unsigned long base, unsigned long e) { mpz_ui_pow_ui(r, base, e); }
static inline void gmpz_fibonacci(mpz_ptr r, unsigned long n) { mpz_fib_ui(r, n); }
static inline unsigned long gmpz_remainder(mpz_srcptr n, unsigned long d) { return mpz_fdiv_ui(n, d); }

static inline int gmpz_sign(mpz_srcptr a) { return mpz_sgn(a); }
static inline int gmpz_compare(mpz_srcptr a, mpz_srcptr b) { return mpz_cmp(a, b); }
static inline size_t gmpz_size_in_base(mpz_srcptr a, int base) { return mpz_sizeinbase(a, base); }
static inline char *gmpz_get_str(char *text, int base, mpz_srcptr a) { return mpz_get_str(text, base, a); }

static inline size_t gmpz_limb_count(mpz_srcptr a) { return mpz_size(a); }
static inline const mp_limb_t *gmpz_limbs_read(mpz_srcptr a) { return mpz_limbs_read(a); }
static inline mp_limb_t *gmpz_limbs_write(mpz_ptr a, mp_size_t limbs) { return mpz_limbs_write(a, limbs); }
static inline void gmpz_limbs_finish(mpz_ptr a, mp_size_t limbs) { mpz_limbs_finish(a, limbs); }

static inline void gmpn_multiply(mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn) { mpn_mul(r, a, an, b, bn); }
static inline void gmpn_square(mp_limb_t *r, const mp_limb_t *a, mp_size_t n) { mpn_sqr(r, a, n); }
static inline mp_limb_t gmpn_multiply_small(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, mp_limb_t b) { return mpn_mul_1(r, a, n, b); }
static inline mp_limb_t gmpn_add_small(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, mp_limb_t b) { return mpn_add_1(r, a, n, b); }
static inline mp_limb_t gmpn_sub_small(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, mp_limb_t b) { return mpn_sub_1(r, a, n, b); }
static inline mp_limb_t gmpn_add(mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn) { return mpn_add(r, a, an, b, bn); }
static inline mp_limb_t gmpn_add_n(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n) { return mpn_add_n(r, a, b, n); }
static inline mp_limb_t gmpn_sub_n(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n) { return mpn_sub_n(r, a, b, n); }
static inline mp_limb_t gmpn_neg(mp_limb_t *r, const mp_limb_t *a, mp_size_t n) { return mpn_neg(r, a, n); }
static inline mp_limb_t gmpn_shift_right(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, unsigned bits) { return mpn_rshift(r, a, n, bits); }
static inline void gmpn_divide(mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *d, mp_size_t dn) { mpn_tdiv_qr(q, r, 0, a, an, d, dn); }
static inline mp_limb_t gmpn_rest(const mp_limb_t *a, mp_size_t n, mp_limb_t d) { return mpn_mod_1(a, n, d); }
static inline mp_limb_t gmpn_divide_small(mp_limb_t *q, const mp_limb_t *a, mp_size_t n, mp_limb_t d) { return mpn_divrem_1(q, 0, a, n, d); }

// Products modulo W - 1 and W + 1 with W = 2^(64 n), of which GMP's own products of large numbers
// consist. They are in the library, not in gmp.h, and are the same in all versions 5 and 6.
extern int __gmpn_fft_best_k(mp_size_t, int);
extern mp_size_t __gmpn_fft_next_size(mp_size_t, int);
extern mp_limb_t __gmpn_mul_fft(mp_limb_t *, mp_size_t, const mp_limb_t *, mp_size_t, const mp_limb_t *, mp_size_t, int);
extern void __gmpn_mulmod_bnm1(mp_limb_t *, mp_size_t, const mp_limb_t *, mp_size_t, const mp_limb_t *, mp_size_t, mp_limb_t *);
extern void __gmpn_sqrmod_bnm1(mp_limb_t *, mp_size_t, const mp_limb_t *, mp_size_t, mp_limb_t *);

static inline int gmpn_transform_depth(mp_size_t n, int square) { return __gmpn_fft_best_k(n, square); }
static inline mp_size_t gmpn_transform_size(mp_size_t n, int depth) { return __gmpn_fft_next_size(n, depth); }
static inline mp_limb_t gmpn_multiply_plus(mp_limb_t *r, mp_size_t n, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn, int depth) { return __gmpn_mul_fft(r, n, a, an, b, bn, depth); }
static inline void gmpn_multiply_minus(mp_limb_t *r, mp_size_t n, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn, mp_limb_t *scratch) { __gmpn_mulmod_bnm1(r, n, a, an, b, bn, scratch); }
static inline void gmpn_square_minus(mp_limb_t *r, mp_size_t n, const mp_limb_t *a, mp_size_t an, mp_limb_t *scratch) { __gmpn_sqrmod_bnm1(r, n, a, an, scratch); }
