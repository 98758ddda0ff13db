int printf(const char *, ...);
int puts(const char *);
unsigned char uc = 200; signed char sc = -100; short sh = -30000; unsigned short us = 60000; long lo = -5; unsigned long ul = 7;
long long ll = (-9223372036854775807ll - 1); unsigned un = 4000000000u; int in = (-2147483647 - 1); _Bool bo = 3;
float f = 0.1f, small = 1e-45f, big = 3.4e38f; double d = 0.1, tiny = 5e-324, mz = -0.0; long double ld = 0.1L, deep = 1e-4940L, huge = 1e4000L;
double infinite = __builtin_inf(), minus = -__builtin_inf(), nan = __builtin_nan("");
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
int (*table[2])(int) = { twice, square };
static int (*choose(int n))(int) { return table[n & 1]; }
static int sum(int n, ...) {
  __builtin_va_list l, m; int t = 0; __builtin_va_start(l, n); __builtin_va_copy(m, l);
  while (n--) t += __builtin_va_arg(l, int);
  t += __builtin_va_arg(m, int); __builtin_va_end(l); __builtin_va_end(m); return t;
}
static double walk(const char *form, __builtin_va_list l) {
  double t = 0;
  for (; *form; form++) if (*form == 'd') t += __builtin_va_arg(l, double); else if (*form == 'l') t += __builtin_va_arg(l, long long); else t += *__builtin_va_arg(l, short *);
  return t;
}
static double mixed(const char *form, ...) { __builtin_va_list l; __builtin_va_start(l, form); double t = walk(form, l); __builtin_va_end(l); return t; }
int old(a, b, c) char a; float b; short *c; { return a + (int)(b * 10) + *c; }
int index_of = 1, slots[4];
static int moving(void) { index_of++; return index_of * 11; }
static int arrays(int n, int m) {
  int a[n], b[n][m], i, j, t = 0; int (*p)[m] = b;
  for (i = 0; i < n; i++) { a[i] = i; for (j = 0; j < m; j++) b[i][j] = i * j + a[i]; }
  for (i = 0; i < n; i++) for (j = 0; j < m; j++) t += p[i][j];
  return t + (int)(sizeof b / sizeof **b) + (int)(&b[n - 1] - p);
}
static int computed(int n) { static void *labels[] = { &&zero, &&one, &&two }; int t = 0; goto *labels[n % 3]; zero: t += 1; one: t += 10; two: t += 100; return t; }
int main(void) {
  int x = 7; volatile int zero = 0;
  printf("%d %d %d %d %ld %lu %lld %u %d %d\n", uc + sc, uc >> 1, sh * 2, us << 1, lo >> 1, ul - 8, ll, un, in, bo);
  printf("%d %d %d %d\n", (unsigned char)(uc + 100), (signed char)(sc - 100), uc < sc, (short)(us + 1));
  uc += 100; sc -= 100; us *= us; sh >>= 2; printf("%d %d %d %d\n", uc, sc, us, sh);
  printf("%d %d %d %d\n", lo < ul, (int)(lo % 3), (int)(un / 3), -7 / 2 % 2);
  printf("%.9g %.9g %.9g %.17g %.17g %g %.21Lg %Lg %Lg\n", f, small, big, d, tiny, mz, ld, deep, huge);
  printf("%g %g %d %d %d %d\n", infinite, minus, nan != nan, __builtin_isnan(nan), !!__builtin_signbit(mz), __builtin_isinf(minus) != 0);
  printf("%.17g %.9g %d %d\n", __builtin_fabs(-d), __builtin_sqrt(f), __builtin_popcount(un), __builtin_clzll(5ull));
  printf("%x %d %d\n", __builtin_bswap32(0x12345678), __builtin_ffs(40), __builtin_ctz(96));
  printf("%d %d %d\n", table[0](21), (*table[1])(7), choose(3)(5) + choose(x)(1));
  printf("%d %.2f\n", sum(3, 10, 20, 30), mixed("dlsd", 1.5, 1ll << 33, &sh, 0.25));
  printf("%d\n", old('a', 1.5f, &sh));
  slots[index_of] = moving(); printf("%d %d\n", slots[1], slots[2]);
  printf("%d %d %d %d\n", arrays(4, 5), computed(0), computed(1), computed(2));
  { int x = 3; { int x = 1; printf("%d\n", x + (zero ? 5 : 6)); x++; } printf("%d\n", x); }
  for (int i = 0; i < 3; i++) { int y = ({ int k = i * 2; k + 1; }); printf("%d ", y && zero ? 1 : y || 1 / zero); }
  puts("\ttab\\ \"quoted\" \x7f\200\3771"); int unix_ = 5;
  switch (x + unix_) { case 1 ... 3: puts("low"); break; case 12: puts("twelve"); default: puts("on"); case 13: x++; }
  again: if (x++ < 12) { if (x == 10) goto again; printf("%d ", x); goto again; }
  do { x--; if (x == 6) continue; if (x < 3) break; } while (x != 1);
  while (x++ < 10) { if (x == 4) continue; if (x == 8) break; printf("%d;", x); }
  float sum_of = f + small * 3; double quotient = f / 3; sum_of += 0.7; printf("%.9g %.17g\n", sum_of, quotient);
  printf("%d %d %u %lld %llu\n", (int)-3.99, (int)1e5f, (unsigned)3e9, (long long)-1e15, (unsigned long long)1e19);
  return x;
}
