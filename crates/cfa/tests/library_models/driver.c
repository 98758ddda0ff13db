typedef __typeof__(sizeof 0) size_t;
int printf(const char *, ...);
int *__errno_location(void);

static unsigned long long state;
static unsigned int any(unsigned int limit) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned int)(state >> 33) % limit;
}

/* Two texts, two wide texts, two blocks without an end, a place to write to, numbers. */
static char s_space[32], t_space[32], out[96], *s, *t, z[16], y_block[16];
static int ws_space[32], wt_space[32], wout[96], *ws, *wt, wz[16];
static int c, k, i, j;
static size_t n;
static long long g, h;
static double x, y, w;
static float xf, yf, wf;
static long double xl, yl, wl;

static int letter(int kind) {
  if (kind == 0) return "aAbB"[any(4)];
  if (kind == 1) return 1 + (int)any(255);
  if (kind == 2) return "0123456789aZx+- "[any(16)];
  return "ab,; "[any(5)];
}

static char *text(char *space, int kind) {
  int at, length = (int)any(14);
  char *start = space + any(8);
  for (at = 0; at < 32; at++) space[at] = (char)letter(kind);
  start[length] = 0;
  return start;
}

static int *wide_text(int *space, int kind) {
  int at, length = (int)any(14);
  int *start = space + any(8);
  for (at = 0; at < 32; at++) space[at] = letter(kind);
  start[length] = 0;
  return start;
}

static double any_double(void) {
  static const double special[] = { 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, 1e-320, 5e-324, -5e-324, 2.2250738585072014e-308,
    1.7976931348623157e308, -1.7976931348623157e308, 4503599627370495.5, 4503599627370497.0, 9007199254740993.0, 0.1, 1e22 };
  union { double value; unsigned long long bits; } u;
  switch (any(5)) {
    case 0: return special[any(sizeof special / sizeof *special)];
    case 1: u.bits = any(2) ? 0x7ff0000000000000ULL : 0xfff0000000000000ULL; u.bits |= any(3) ? 0 : 1ULL << 51; return u.value;
    case 2: return ((int)any(20001) - 10000) / 8.0;
    case 3: u.bits = (unsigned long long)any(0x7fffffff) << 31 | any(0x7fffffff); u.bits |= (unsigned long long)any(4) << 62; return u.value;
    default:
      u.bits = (unsigned long long)any(0x7fffffff) << 31 | any(0x7fffffff);
      u.bits = (u.bits & 0x800fffffffffffffULL) | (unsigned long long)(1013 + any(20)) << 52 | (unsigned long long)any(2) << 63;
      return u.value;
  }
}

static float any_float(void) {
  static const float special[] = { 0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 1e-40f, 1e-45f, 1.17549435e-38f, 3.40282347e38f, 16777217.0f, 8388607.5f };
  union { float value; unsigned int bits; } u;
  switch (any(5)) {
    case 0: return special[any(sizeof special / sizeof *special)];
    case 1: u.bits = any(2) ? 0x7f800000U : 0xff800000U; u.bits |= any(3) ? 0 : 1U << 22; return u.value;
    case 2: return ((int)any(20001) - 10000) / 8.0f;
    case 3: u.bits = any(0x7fffffff) ^ any(2) << 31; return u.value;
    default: u.bits = any(0x7fffff) | (117 + any(20)) << 23 | any(2) << 31; return u.value;
  }
}

static long double any_long_double(void) {
  union { long double value; struct { unsigned long long digits; unsigned short exponent; } bits; } u;
  switch (any(4)) {
    case 0: return any_double();
    case 1: u.value = 0; u.bits.digits = (unsigned long long)any(0x7fffffff) << 20 | any(1000); u.bits.exponent = any(2) << 15; return u.value;
    case 2:
      u.value = 0;
      u.bits.digits = 1ULL << 63 | (unsigned long long)any(0x7fffffff) << 31 | any(0x7fffffff);
      u.bits.exponent = (unsigned short)(1 + any(32766)) | any(2) << 15;
      return u.value;
    default:
      u.value = 0;
      u.bits.digits = 1ULL << 63 | (unsigned long long)any(0x7fffffff) << 31 | any(0x7fffffff);
      u.bits.exponent = (unsigned short)(16373 + any(20)) | any(2) << 15;
      return u.value;
  }
}

static void prepare(void) {
  int at, kind = (int)any(4);
  for (at = 0; at < 96; at++) { out[at] = (char)('A' + any(26)); wout[at] = 'A' + (int)any(26); }
  s = text(s_space, kind);
  t = text(t_space, kind);
  ws = wide_text(ws_space, kind);
  wt = wide_text(wt_space, kind);
  for (at = 0; at < 16; at++) { z[at] = (char)letter(kind); y_block[at] = any(4) ? z[at] : (char)letter(kind); wz[at] = letter(kind); }
  c = any(4) ? letter(kind) : (int)any(300) - 20;
  n = any(17);
  k = (int)any(17);
  i = (int)any(0x7fffffff) - (int)any(0x7fffffff);
  j = 1 + (int)any(20);
  g = (long long)(((unsigned long long)any(0x7fffffff) << 33) + any(0x7fffffff)) >> any(60);
  h = 1 + any(1000000);
  x = any_double(); y = any_double(); w = any_double();
  xf = any_float(); yf = any_float(); wf = any_float();
  xl = any_long_double(); yl = any_long_double(); wl = any_long_double();
  *__errno_location() = 0;
}

static void I(long long value) { printf(" %lld", value); }
static void S(int value) { printf(" %d", value < 0 ? -1 : value > 0); }
static void P(const void *pointer, const void *base) { printf(" %d", pointer ? (int)((const char *)pointer - (const char *)base) : -1); }
static void H(const void *bytes, size_t length) {
  unsigned int sum = 7;
  size_t at;
  for (at = 0; at < length; at++) sum = sum * 31 + ((const unsigned char *)bytes)[at];
  printf(" %x", sum);
}
static void O(void) { H(out, sizeof out); }
static void W(void) { H(wout, sizeof wout); }
static void E(void) { printf(" errno %d", *__errno_location()); }
static void V(double value) {
  union { double value; unsigned long long bits; } u;
  u.value = value;
  if (value != value) printf(" nan"); else printf(" %llx", u.bits);
}
static void Vf(float value) {
  union { float value; unsigned int bits; } u;
  u.value = value;
  if (value != value) printf(" nan"); else printf(" %x", u.bits);
}
static void Vl(long double value) {
  union { long double value; struct { unsigned long long digits; unsigned short exponent; } bits; } u;
  u.value = value;
  if (value != value) printf(" nan"); else printf(" %x:%llx", u.bits.exponent, u.bits.digits);
}
static int compare(const void *a, const void *b) { return *(const signed char *)a - *(const signed char *)b; }
