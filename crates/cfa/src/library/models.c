//= __tandem_strlen
__typeof__(sizeof 0) __tandem_strlen(const char *s) { __typeof__(sizeof 0) n = 0; while (s[n]) n++; return n; }

//= __tandem_strnlen
__typeof__(sizeof 0) __tandem_strnlen(const char *s, __typeof__(sizeof 0) limit) { __typeof__(sizeof 0) n = 0; while (n < limit && s[n]) n++; return n; }

//= __tandem_strcpy
char *__tandem_strcpy(char *to, const char *from) { __typeof__(sizeof 0) i = 0; while ((to[i] = from[i])) i++; return to; }

//= __tandem_stpcpy
char *__tandem_stpcpy(char *to, const char *from) { while ((*to = *from)) { to++; from++; } return to; }

//= __tandem_strncpy
char *__tandem_strncpy(char *to, const char *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0;
  while (i < n && from[i]) { to[i] = from[i]; i++; }
  while (i < n) to[i++] = 0;
  return to;
}

//= __tandem_strcat
char *__tandem_strcat(char *to, const char *from) {
  __typeof__(sizeof 0) i = 0, j = 0;
  while (to[i]) i++;
  while ((to[i++] = from[j++])) ;
  return to;
}

//= __tandem_strncat
char *__tandem_strncat(char *to, const char *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0, j = 0;
  while (to[i]) i++;
  while (j < n && from[j]) to[i++] = from[j++];
  to[i] = 0;
  return to;
}

//= __tandem_strcmp
int __tandem_strcmp(const char *a, const char *b) {
  __typeof__(sizeof 0) i = 0;
  while (a[i] && a[i] == b[i]) i++;
  return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

//= __tandem_strncmp
int __tandem_strncmp(const char *a, const char *b, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0;
  while (i < n && a[i] && a[i] == b[i]) i++;
  return i == n ? 0 : (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

//= __tandem_strcasecmp
int __tandem_strcasecmp(const char *a, const char *b) {
  __typeof__(sizeof 0) i = 0;
  for (;;) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || x == 0) return x - y;
    i++;
  }
}

//= __tandem_strncasecmp
int __tandem_strncasecmp(const char *a, const char *b, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || x == 0) return x - y;
  }
  return 0;
}

//= __tandem_strchr
char *__tandem_strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c) return (char *)s;
    if (!*s) return (char *)0;
  }
}

//= __tandem_strchrnul
char *__tandem_strchrnul(const char *s, int c) { while (*s && *s != (char)c) s++; return (char *)s; }

//= __tandem_strrchr
char *__tandem_strrchr(const char *s, int c) {
  char *found = (char *)0;
  for (;; s++) {
    if (*s == (char)c) found = (char *)s;
    if (!*s) return found;
  }
}

//= __tandem_strstr
char *__tandem_strstr(const char *s, const char *part) {
  for (;; s++) {
    __typeof__(sizeof 0) i = 0;
    while (part[i] && s[i] == part[i]) i++;
    if (!part[i]) return (char *)s;
    if (!*s) return (char *)0;
  }
}

//= __tandem_strspn
__typeof__(sizeof 0) __tandem_strspn(const char *s, const char *set) {
  __typeof__(sizeof 0) n = 0;
  for (; s[n]; n++) {
    __typeof__(sizeof 0) i = 0;
    while (set[i] && set[i] != s[n]) i++;
    if (!set[i]) break;
  }
  return n;
}

//= __tandem_strcspn
__typeof__(sizeof 0) __tandem_strcspn(const char *s, const char *set) {
  __typeof__(sizeof 0) n = 0;
  for (; s[n]; n++) {
    __typeof__(sizeof 0) i = 0;
    while (set[i] && set[i] != s[n]) i++;
    if (set[i]) break;
  }
  return n;
}

//= __tandem_strpbrk
char *__tandem_strpbrk(const char *s, const char *set) {
  for (; *s; s++) {
    __typeof__(sizeof 0) i = 0;
    while (set[i] && set[i] != *s) i++;
    if (set[i]) return (char *)s;
  }
  return (char *)0;
}

//= __tandem_strtok
char *__tandem_strtok(char *s, const char *set) {
  static char *rest;
  char *start;
  __typeof__(sizeof 0) i;
  if (!s) s = rest;
  if (!s) return (char *)0;
  for (; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (!set[i]) break;
  }
  if (!*s) { rest = (char *)0; return (char *)0; }
  start = s;
  for (; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (set[i]) { *s = 0; rest = s + 1; return start; }
  }
  rest = (char *)0;
  return start;
}

//= __tandem_strdup
void *__tandem_malloc(__typeof__(sizeof 0));
char *__tandem_strdup(const char *s) {
  __typeof__(sizeof 0) n = 0, i;
  char *copy;
  while (s[n]) n++;
  copy = (char *)__tandem_malloc(n + 1);
  if (copy) for (i = 0; i <= n; i++) copy[i] = s[i];
  return copy;
}

//= __tandem_strndup
void *__tandem_malloc(__typeof__(sizeof 0));
char *__tandem_strndup(const char *s, __typeof__(sizeof 0) limit) {
  __typeof__(sizeof 0) n = 0, i;
  char *copy;
  while (n < limit && s[n]) n++;
  copy = (char *)__tandem_malloc(n + 1);
  if (copy) { for (i = 0; i < n; i++) copy[i] = s[i]; copy[n] = 0; }
  return copy;
}

//= __tandem_memcmp
int __tandem_memcmp(const void *a, const void *b, __typeof__(sizeof 0) n) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) if (x[i] != y[i]) return (int)x[i] - (int)y[i];
  return 0;
}

//= __tandem_memchr
void *__tandem_memchr(const void *s, int c, __typeof__(sizeof 0) n) {
  const unsigned char *x = (const unsigned char *)s;
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) if (x[i] == (unsigned char)c) return (void *)(x + i);
  return (void *)0;
}

//= __tandem_memrchr
void *__tandem_memrchr(const void *s, int c, __typeof__(sizeof 0) n) {
  const unsigned char *x = (const unsigned char *)s;
  while (n) { n--; if (x[n] == (unsigned char)c) return (void *)(x + n); }
  return (void *)0;
}

//= __tandem_mempcpy
void *__tandem_memcpy(void *, const void *, __typeof__(sizeof 0));
void *__tandem_mempcpy(void *to, const void *from, __typeof__(sizeof 0) n) { __tandem_memcpy(to, from, n); return (char *)to + n; }

//= __tandem_bzero
void *__tandem_memset(void *, int, __typeof__(sizeof 0));
void __tandem_bzero(void *s, __typeof__(sizeof 0) n) { __tandem_memset(s, 0, n); }

//= __tandem_bcopy
void *__tandem_memmove(void *, const void *, __typeof__(sizeof 0));
void __tandem_bcopy(const void *from, void *to, __typeof__(sizeof 0) n) { __tandem_memmove(to, from, n); }

//= __tandem_aligned_alloc
void *__tandem_malloc(__typeof__(sizeof 0));
void *__tandem_aligned_alloc(__typeof__(sizeof 0) alignment, __typeof__(sizeof 0) size) { return __tandem_malloc(size); }

//= __tandem_abs
int __tandem_abs(int x) { return x < 0 ? -x : x; }

//= __tandem_labs
long __tandem_labs(long x) { return x < 0 ? -x : x; }

//= __tandem_llabs
long long __tandem_llabs(long long x) { return x < 0 ? -x : x; }

//= __tandem_isdigit
int __tandem_isdigit(int c) { return c >= '0' && c <= '9'; }

//= __tandem_isascii
int __tandem_isascii(int c) { return c >= 0 && c < 128; }

//= __tandem_toupper
int __tandem_toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }

//= __tandem_tolower
int __tandem_tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

//= __tandem_ctype_b_loc
const unsigned short **__tandem_ctype_b_loc(void) {
  static const unsigned short table[384] = {
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 8195, 8194, 8194, 8194, 8194, 2,
2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 24577, 49156, 49156, 49156, 49156, 49156, 49156, 49156,
49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 55304, 55304, 55304, 55304, 55304, 55304, 55304,
55304, 55304, 55304, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 54536, 54536, 54536, 54536, 54536,
54536, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440,
50440, 50440, 50440, 50440, 50440, 50440, 49156, 49156, 49156, 49156, 49156, 49156, 54792, 54792, 54792,
54792, 54792, 54792, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696,
50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 49156, 49156, 49156, 49156, 2, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
0, 0, 0, 0, 0, 0, 0, 0, 0 };
  static const unsigned short *start = table + 128;
  return &start;
}

//= __tandem_ctype_toupper_loc
const int **__tandem_ctype_toupper_loc(void) {
  static const int table[384] = {
128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149,
150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171,
172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193,
194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215,
216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237,
238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1, 0, 1, 2, 3, 4, 5, 6,
7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34,
35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88,
89, 90, 91, 92, 93, 94, 95, 96, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
84, 85, 86, 87, 88, 89, 90, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138,
139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160,
161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182,
183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204,
205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226,
227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248,
249, 250, 251, 252, 253, 254, 255 };
  static const int *start = table + 128;
  return &start;
}

//= __tandem_ctype_tolower_loc
const int **__tandem_ctype_tolower_loc(void) {
  static const int table[384] = {
128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149,
150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171,
172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193,
194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215,
216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237,
238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1, 0, 1, 2, 3, 4, 5, 6,
7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34,
35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
62, 63, 64, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116,
117, 118, 119, 120, 121, 122, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255 };
  static const int *start = table + 128;
  return &start;
}

//= __tandem_errno_location
int __tandem_errno_number;
int *__tandem_errno_location(void) { return &__tandem_errno_number; }

//= __tandem_assert
void __tandem___assert_fail(void);
void __tandem_assert(int condition) { if (!condition) __tandem___assert_fail(); }

//= __tandem_isinf
int __tandem_isinf(double x) { return x > 1.7976931348623157e308 ? 1 : x < -1.7976931348623157e308 ? -1 : 0; }

//= __tandem_fpclassify
int __tandem_fpclassify(double x) {
  double a = x < 0 ? -x : x;
  return x != x ? 0 : a > 1.7976931348623157e308 ? 1 : a == 0 ? 2 : a < 2.2250738585072014e-308 ? 3 : 4;
}

//= __tandem_fdim
double __tandem_fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }

//= __tandem_modf
double __tandem_trunc(double);
double __tandem_copysign(double, double);
double __tandem_modf(double x, double *whole) {
  double integral = __tandem_trunc(x);
  *whole = integral;
  return __tandem_copysign(x == integral ? 0 : x - integral, x);
}

//= __tandem_lrint
double __tandem_rint(double);
long __tandem_lrint(double x) { return (long)__tandem_rint(x); }

//= __tandem_llrint
double __tandem_rint(double);
long long __tandem_llrint(double x) { return (long long)__tandem_rint(x); }

//= __tandem_lround
double __tandem_round(double);
long __tandem_lround(double x) { return (long)__tandem_round(x); }

//= __tandem_llround
double __tandem_round(double);
long long __tandem_llround(double x) { return (long long)__tandem_round(x); }

//= __tandem_huge_val
double __tandem_huge_val(void) { double zero = 0; return 1 / zero; }

//= __tandem_nan
double __tandem_nan(const char *tag) { double x = 0; x = x / x; return -x; }

//= __tandem_isinff
int __tandem_isinff(float x) { return x > 3.40282346638528859812e38F ? 1 : x < -3.40282346638528859812e38F ? -1 : 0; }

//= __tandem_fpclassifyf
int __tandem_fpclassifyf(float x) {
  float a = x < 0 ? -x : x;
  return x != x ? 0 : a > 3.40282346638528859812e38F ? 1 : a == 0 ? 2 : a < 1.17549435082228750797e-38F ? 3 : 4;
}

//= __tandem_fdimf
float __tandem_fdimf(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }

//= __tandem_modff
float __tandem_truncf(float);
float __tandem_copysignf(float, float);
float __tandem_modff(float x, float *whole) {
  float integral = __tandem_truncf(x);
  *whole = integral;
  return __tandem_copysignf(x == integral ? 0 : x - integral, x);
}

//= __tandem_lrintf
float __tandem_rintf(float);
long __tandem_lrintf(float x) { return (long)__tandem_rintf(x); }

//= __tandem_llrintf
float __tandem_rintf(float);
long long __tandem_llrintf(float x) { return (long long)__tandem_rintf(x); }

//= __tandem_lroundf
float __tandem_roundf(float);
long __tandem_lroundf(float x) { return (long)__tandem_roundf(x); }

//= __tandem_llroundf
float __tandem_roundf(float);
long long __tandem_llroundf(float x) { return (long long)__tandem_roundf(x); }

//= __tandem_huge_valf
float __tandem_huge_valf(void) { float zero = 0; return 1 / zero; }

//= __tandem_nanf
float __tandem_nanf(const char *tag) { float x = 0; x = x / x; return -x; }

//= __tandem_isinfl
int __tandem_isinfl(long double x) { return x > 1.18973149535723176502e4932L ? 1 : x < -1.18973149535723176502e4932L ? -1 : 0; }

//= __tandem_fpclassifyl
int __tandem_fpclassifyl(long double x) {
  long double a = x < 0 ? -x : x;
  return x != x ? 0 : a > 1.18973149535723176502e4932L ? 1 : a == 0 ? 2 : a < 3.36210314311209350626e-4932L ? 3 : 4;
}

//= __tandem_fdiml
long double __tandem_fdiml(long double x, long double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }

//= __tandem_modfl
long double __tandem_truncl(long double);
long double __tandem_copysignl(long double, long double);
long double __tandem_modfl(long double x, long double *whole) {
  long double integral = __tandem_truncl(x);
  *whole = integral;
  return __tandem_copysignl(x == integral ? 0 : x - integral, x);
}

//= __tandem_lrintl
long double __tandem_rintl(long double);
long __tandem_lrintl(long double x) { return (long)__tandem_rintl(x); }

//= __tandem_llrintl
long double __tandem_rintl(long double);
long long __tandem_llrintl(long double x) { return (long long)__tandem_rintl(x); }

//= __tandem_lroundl
long double __tandem_roundl(long double);
long __tandem_lroundl(long double x) { return (long)__tandem_roundl(x); }

//= __tandem_llroundl
long double __tandem_roundl(long double);
long long __tandem_llroundl(long double x) { return (long long)__tandem_roundl(x); }

//= __tandem_huge_vall
long double __tandem_huge_vall(void) { long double zero = 0; return 1 / zero; }

//= __tandem_nanl
long double __tandem_nanl(const char *tag) { long double x = 0; x = x / x; return -x; }

//= __tandem_qsort
void *__tandem_malloc(__typeof__(sizeof 0));
void __tandem_free(void *);
void *__tandem_memcpy(void *, const void *, __typeof__(sizeof 0));
void __tandem_qsort(void *base, __typeof__(sizeof 0) count, __typeof__(sizeof 0) size, int (*compare)(const void *, const void *)) {
  char *from = (char *)base, *to, *spare, *swap;
  __typeof__(sizeof 0) width, left;
  if (count < 2 || size == 0) return;
  spare = (char *)__tandem_malloc(count * size);
  if (!spare) return;
  to = spare;
  for (width = 1; width < count; width *= 2) {
    for (left = 0; left < count; left += 2 * width) {
      __typeof__(sizeof 0) middle = left + width < count ? left + width : count;
      __typeof__(sizeof 0) end = left + 2 * width < count ? left + 2 * width : count;
      __typeof__(sizeof 0) i = left, j = middle, k = left;
      while (k < end) {
        if (i < middle && (j >= end || compare(from + i * size, from + j * size) <= 0)) {
          __tandem_memcpy(to + k * size, from + i * size, size);
          i++;
        } else {
          __tandem_memcpy(to + k * size, from + j * size, size);
          j++;
        }
        k++;
      }
    }
    swap = from;
    from = to;
    to = swap;
  }
  if (from != (char *)base) __tandem_memcpy(base, from, count * size);
  __tandem_free(spare);
}

//= __tandem_bsearch
void *__tandem_bsearch(const void *key, const void *base, __typeof__(sizeof 0) count, __typeof__(sizeof 0) size, int (*compare)(const void *, const void *)) {
  __typeof__(sizeof 0) low = 0, high = count;
  while (low < high) {
    __typeof__(sizeof 0) middle = low + (high - low) / 2;
    void *item = (char *)base + middle * size;
    int order = compare(key, item);
    if (order == 0) return item;
    if (order < 0) high = middle; else low = middle + 1;
  }
  return (void *)0;
}

//= __tandem_arguments
extern _Bool __tandem_arguments_are_long;
extern char __tandem_argument_0[16], __tandem_argument_1[16], __tandem_argument_2[16], __tandem_argument_3[16], __tandem_argument_4[16], __tandem_argument_5[16], __tandem_argument_6[16], __tandem_argument_7[16];
static char *__tandem_argument_list[9] = {__tandem_argument_0, __tandem_argument_1, __tandem_argument_2, __tandem_argument_3, __tandem_argument_4, __tandem_argument_5, __tandem_argument_6, __tandem_argument_7};
void __tandem_assume(int);
char **__tandem_arguments(int count, char **others) {
  __tandem_assume(count >= 1);
  if (count > 8 || __tandem_arguments_are_long) return others;
  __tandem_argument_0[15] = 0; __tandem_argument_1[15] = 0; __tandem_argument_2[15] = 0; __tandem_argument_3[15] = 0; __tandem_argument_4[15] = 0; __tandem_argument_5[15] = 0; __tandem_argument_6[15] = 0; __tandem_argument_7[15] = 0;
  __tandem_argument_list[count] = (char *)0;
  return __tandem_argument_list;
}

//= __tandem_strtol
int *__tandem_errno_location(void);
long __tandem_strtol(const char *s, char **end, int base) {
  const char *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (unsigned long)((~0UL) >> 1) + (unsigned long)negative;
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long)digit) / (unsigned long)base) over = 1;
    value = value * (unsigned long)base + (unsigned long)digit;
    last = p + 1;
  }
  if (end) *end = (char *)last;
  if (over) { *__tandem_errno_location() = 34; return negative ? (long)(~((~0UL) >> 1)) : (long)((~0UL) >> 1); }
  return negative ? (long)(0 - value) : (long)value;
}

//= __tandem_strtoll
int *__tandem_errno_location(void);
long long __tandem_strtoll(const char *s, char **end, int base) {
  const char *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (unsigned long long)((~0ULL) >> 1) + (unsigned long long)negative;
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long long)digit) / (unsigned long long)base) over = 1;
    value = value * (unsigned long long)base + (unsigned long long)digit;
    last = p + 1;
  }
  if (end) *end = (char *)last;
  if (over) { *__tandem_errno_location() = 34; return negative ? (long long)(~((~0ULL) >> 1)) : (long long)((~0ULL) >> 1); }
  return negative ? (long long)(0 - value) : (long long)value;
}

//= __tandem_strtoul
int *__tandem_errno_location(void);
unsigned long __tandem_strtoul(const char *s, char **end, int base) {
  const char *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (~0UL);
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long)digit) / (unsigned long)base) over = 1;
    value = value * (unsigned long)base + (unsigned long)digit;
    last = p + 1;
  }
  if (end) *end = (char *)last;
  if (over) { *__tandem_errno_location() = 34; return (~0UL); }
  return negative ? (unsigned long)(0 - value) : (unsigned long)value;
}

//= __tandem_strtoull
int *__tandem_errno_location(void);
unsigned long long __tandem_strtoull(const char *s, char **end, int base) {
  const char *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (~0ULL);
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long long)digit) / (unsigned long long)base) over = 1;
    value = value * (unsigned long long)base + (unsigned long long)digit;
    last = p + 1;
  }
  if (end) *end = (char *)last;
  if (over) { *__tandem_errno_location() = 34; return (~0ULL); }
  return negative ? (unsigned long long)(0 - value) : (unsigned long long)value;
}

//= __tandem_wcstol
int *__tandem_errno_location(void);
long __tandem_wcstol(const int *s, int **end, int base) {
  const int *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (unsigned long)((~0UL) >> 1) + (unsigned long)negative;
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long)digit) / (unsigned long)base) over = 1;
    value = value * (unsigned long)base + (unsigned long)digit;
    last = p + 1;
  }
  if (end) *end = (int *)last;
  if (over) { *__tandem_errno_location() = 34; return negative ? (long)(~((~0UL) >> 1)) : (long)((~0UL) >> 1); }
  return negative ? (long)(0 - value) : (long)value;
}

//= __tandem_wcstoll
int *__tandem_errno_location(void);
long long __tandem_wcstoll(const int *s, int **end, int base) {
  const int *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (unsigned long long)((~0ULL) >> 1) + (unsigned long long)negative;
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long long)digit) / (unsigned long long)base) over = 1;
    value = value * (unsigned long long)base + (unsigned long long)digit;
    last = p + 1;
  }
  if (end) *end = (int *)last;
  if (over) { *__tandem_errno_location() = 34; return negative ? (long long)(~((~0ULL) >> 1)) : (long long)((~0ULL) >> 1); }
  return negative ? (long long)(0 - value) : (long long)value;
}

//= __tandem_wcstoul
int *__tandem_errno_location(void);
unsigned long __tandem_wcstoul(const int *s, int **end, int base) {
  const int *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (~0UL);
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long)digit) / (unsigned long)base) over = 1;
    value = value * (unsigned long)base + (unsigned long)digit;
    last = p + 1;
  }
  if (end) *end = (int *)last;
  if (over) { *__tandem_errno_location() = 34; return (~0UL); }
  return negative ? (unsigned long)(0 - value) : (unsigned long)value;
}

//= __tandem_wcstoull
int *__tandem_errno_location(void);
unsigned long long __tandem_wcstoull(const int *s, int **end, int base) {
  const int *p = s, *last = s;
  int negative = 0, over = 0;
  unsigned long long value = 0, limit;
  if (base < 0 || base == 1 || base > 36) { *__tandem_errno_location() = 22; return 0; }
  while (*p == ' ' || (*p >= 9 && *p <= 13)) p++;
  if (*p == '+' || *p == '-') { negative = *p == '-'; p++; }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
      && ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  } else if (base == 0) base = *p == '0' ? 8 : 10;
  limit = (~0ULL);
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0'
      : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
      : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > (limit - (unsigned long long)digit) / (unsigned long long)base) over = 1;
    value = value * (unsigned long long)base + (unsigned long long)digit;
    last = p + 1;
  }
  if (end) *end = (int *)last;
  if (over) { *__tandem_errno_location() = 34; return (~0ULL); }
  return negative ? (unsigned long long)(0 - value) : (unsigned long long)value;
}

//= __tandem_atoi
long __tandem_strtol(const char *, char **, int);
int __tandem_atoi(const char *s) { return (int)__tandem_strtol(s, (char **)0, 10); }

//= __tandem_atol
long __tandem_strtol(const char *, char **, int);
long __tandem_atol(const char *s) { return __tandem_strtol(s, (char **)0, 10); }

//= __tandem_atoll
long long __tandem_strtoll(const char *, char **, int);
long long __tandem_atoll(const char *s) { return __tandem_strtoll(s, (char **)0, 10); }

//= __tandem_posix_memalign
void *__tandem_malloc(__typeof__(sizeof 0));
int __tandem_posix_memalign(void **to, __typeof__(sizeof 0) alignment, __typeof__(sizeof 0) size) {
  if (alignment == 0 || (alignment & (alignment - 1)) || alignment % sizeof(void *)) return 22;
  *to = __tandem_malloc(size);
  return 0;
}

//= __tandem_reallocarray
void *__tandem_realloc(void *, __typeof__(sizeof 0));
int *__tandem_errno_location(void);
void *__tandem_reallocarray(void *old, __typeof__(sizeof 0) count, __typeof__(sizeof 0) size) {
  if (size && count > ~(__typeof__(sizeof 0))0 / size) { *__tandem_errno_location() = 12; return (void *)0; }
  return __tandem_realloc(old, count * size);
}

//= __tandem_change_errno
int *__tandem_errno_location(void);
int __tandem_any_errno(void);
void __tandem_change_errno(void) { int number = __tandem_any_errno(); if (number) *__tandem_errno_location() = number; }

//= __tandem_isupper
int __tandem_isupper(int c) { return c >= 'A' && c <= 'Z' ? 256 : 0; }

//= __tandem_islower
int __tandem_islower(int c) { return c >= 'a' && c <= 'z' ? 512 : 0; }

//= __tandem_isalpha
int __tandem_isalpha(int c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 1024 : 0; }

//= __tandem_isalnum
int __tandem_isalnum(int c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? 8 : 0; }

//= __tandem_isspace
int __tandem_isspace(int c) { return c == ' ' || (c >= 9 && c <= 13) ? 8192 : 0; }

//= __tandem_isblank
int __tandem_isblank(int c) { return c == ' ' || c == 9 ? 1 : 0; }

//= __tandem_iscntrl
int __tandem_iscntrl(int c) { return (c >= 0 && c < 32) || c == 127 ? 2 : 0; }

//= __tandem_isprint
int __tandem_isprint(int c) { return c >= 32 && c < 127 ? 16384 : 0; }

//= __tandem_isgraph
int __tandem_isgraph(int c) { return c > 32 && c < 127 ? 32768 : 0; }

//= __tandem_ispunct
int __tandem_ispunct(int c) { return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126) ? 4 : 0; }

//= __tandem_isxdigit
int __tandem_isxdigit(int c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ? 4096 : 0; }

//= __tandem_toascii
int __tandem_toascii(int c) { return c & 127; }

//= __tandem_memmem
void *__tandem_memmem(const void *s, __typeof__(sizeof 0) n, const void *part, __typeof__(sizeof 0) m) {
  const unsigned char *x = (const unsigned char *)s, *y = (const unsigned char *)part;
  __typeof__(sizeof 0) at, i;
  for (at = 0; m <= n && at <= n - m; at++) {
    for (i = 0; i < m && x[at + i] == y[i]; i++) ;
    if (i == m) return (void *)(x + at);
  }
  return (void *)0;
}

//= __tandem_memccpy
void *__tandem_memccpy(void *to, const void *from, int c, __typeof__(sizeof 0) n) {
  unsigned char *x = (unsigned char *)to;
  const unsigned char *y = (const unsigned char *)from;
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) {
    x[i] = y[i];
    if (y[i] == (unsigned char)c) return (void *)(x + i + 1);
  }
  return (void *)0;
}

//= __tandem_rawmemchr
void *__tandem_rawmemchr(const void *s, int c) {
  const unsigned char *x = (const unsigned char *)s;
  while (*x != (unsigned char)c) x++;
  return (void *)x;
}

//= __tandem_stpncpy
char *__tandem_stpncpy(char *to, const char *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0, end;
  while (i < n && from[i]) { to[i] = from[i]; i++; }
  end = i;
  while (i < n) to[i++] = 0;
  return to + end;
}

//= __tandem_strcasestr
char *__tandem_strcasestr(const char *s, const char *part) {
  for (;; s++) {
    __typeof__(sizeof 0) i = 0;
    for (; part[i]; i++) {
      int x = (unsigned char)s[i], y = (unsigned char)part[i];
      if (x >= 'A' && x <= 'Z') x += 32;
      if (y >= 'A' && y <= 'Z') y += 32;
      if (x != y) break;
    }
    if (!part[i]) return (char *)s;
    if (!*s) return (char *)0;
  }
}

//= __tandem_strsep
char *__tandem_strsep(char **rest, const char *set) {
  char *start = *rest, *s;
  __typeof__(sizeof 0) i;
  if (!start) return (char *)0;
  for (s = start; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (set[i]) { *s = 0; *rest = s + 1; return start; }
  }
  *rest = (char *)0;
  return start;
}

//= __tandem_strtok_r
char *__tandem_strtok_r(char *s, const char *set, char **rest) {
  char *start;
  __typeof__(sizeof 0) i;
  if (!s) s = *rest;
  for (; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (!set[i]) break;
  }
  if (!*s) { *rest = s; return (char *)0; }
  start = s;
  for (; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (set[i]) { *s = 0; *rest = s + 1; return start; }
  }
  *rest = s;
  return start;
}

//= __tandem_swab
void __tandem_swab(const void *from, void *to, long n) {
  const char *x = (const char *)from;
  char *y = (char *)to;
  long i;
  for (i = 0; i + 1 < n; i += 2) { char first = x[i], second = x[i + 1]; y[i] = second; y[i + 1] = first; }
}

//= __tandem_lfind
void *__tandem_lfind(const void *key, const void *base, __typeof__(sizeof 0) *count, __typeof__(sizeof 0) size, int (*compare)(const void *, const void *)) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < *count; i++) {
    const void *item = (const char *)base + i * size;
    if (compare(key, item) == 0) return (void *)item;
  }
  return (void *)0;
}

//= __tandem_ffs
int __tandem_ffs(int x) { return __builtin_ffs(x); }

//= __tandem_ffsl
int __tandem_ffsl(long x) { return __builtin_ffsl(x); }

//= __tandem_ffsll
int __tandem_ffsll(long long x) { return __builtin_ffsll(x); }

//= __tandem_htonl
unsigned int __tandem_htonl(unsigned int x) { return __builtin_bswap32(x); }

//= __tandem_htons
unsigned short __tandem_htons(unsigned short x) { return __builtin_bswap16(x); }

//= __tandem_div
struct __tandem_div_result { int quot; int rem; };
struct __tandem_div_result __tandem_div(int a, int b) { struct __tandem_div_result r; r.quot = a / b; r.rem = a % b; return r; }

//= __tandem_ldiv
struct __tandem_ldiv_result { long quot; long rem; };
struct __tandem_ldiv_result __tandem_ldiv(long a, long b) { struct __tandem_ldiv_result r; r.quot = a / b; r.rem = a % b; return r; }

//= __tandem_lldiv
struct __tandem_lldiv_result { long long quot; long long rem; };
struct __tandem_lldiv_result __tandem_lldiv(long long a, long long b) {
  struct __tandem_lldiv_result r;
  r.quot = a / b;
  r.rem = a % b;
  return r;
}

//= __tandem_rand_r
int __tandem_any_int(void);
int __tandem_rand(void);
int __tandem_rand_r(unsigned int *seed) { *seed = (unsigned int)__tandem_any_int(); return __tandem_rand(); }

//= __tandem_time
long __tandem_any_long(void);
long __tandem_time(long *to) { long now = __tandem_any_long(); if (to) *to = now; return now; }

//= __tandem_clock_gettime
int __tandem_any_int(void);
long __tandem_any_long(void);
long __tandem_any_nanoseconds(void);
int __tandem_clock_gettime(int clock, long *to) {
  if (__tandem_any_int()) return -1;
  to[0] = __tandem_any_long();
  to[1] = __tandem_any_nanoseconds();
  return 0;
}

//= __tandem_gettimeofday
long __tandem_any_long(void);
long __tandem_any_microseconds(void);
void __tandem_unmodelled_gettimeofday(void);
int __tandem_gettimeofday(long *to, void *zone) {
  if (zone) __tandem_unmodelled_gettimeofday();
  if (to) { to[0] = __tandem_any_long(); to[1] = __tandem_any_microseconds(); }
  return 0;
}

//= __tandem_setvbuf
int __tandem_any_int(void);
void __tandem_unmodelled_setvbuf(void);
int __tandem_setvbuf(void *stream, char *buffer, int mode, __typeof__(sizeof 0) size) {
  if (buffer) __tandem_unmodelled_setvbuf();
  return __tandem_any_int();
}

//= __tandem_setbuf
void __tandem_unmodelled_setbuf(void);
void __tandem_setbuf(void *stream, char *buffer) { if (buffer) __tandem_unmodelled_setbuf(); }

//= __tandem_error
void __tandem_exit(int);
void __tandem_error(int status, int number, const char *format, ...) { if (status) __tandem_exit(status); }

//= __tandem_error_at_line
void __tandem_exit(int);
void __tandem_error_at_line(int status, int number, const char *file, unsigned int line, const char *format, ...) {
  if (status) __tandem_exit(status);
}

//= __tandem_gettext
char *__tandem_gettext(const char *text) { return (char *)text; }

//= __tandem_dgettext
char *__tandem_dgettext(const char *domain, const char *text) { return (char *)text; }

//= __tandem_dcgettext
char *__tandem_dcgettext(const char *domain, const char *text, int category) { return (char *)text; }

//= __tandem_ngettext
char *__tandem_ngettext(const char *one, const char *more, unsigned long n) { return (char *)(n == 1 ? one : more); }

//= __tandem_assume_aligned
void *__tandem_assume_aligned(const void *p, __typeof__(sizeof 0) alignment, ...) { return (void *)p; }

//= __tandem_fesetround
int __tandem_rounding_mode;
int __tandem_fesetround(int mode) { if (mode & ~3072) return 1; __tandem_rounding_mode = mode; return 0; }

//= __tandem_fegetround
int __tandem_rounding_mode;
int __tandem_fegetround(void) { return __tandem_rounding_mode; }

//= __tandem_memcpy_chk
void *__tandem_memcpy(void *, const void *, __typeof__(sizeof 0));
void __tandem_abort(void);
void *__tandem_memcpy_chk(void *to, const void *from, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  return __tandem_memcpy(to, from, n);
}

//= __tandem_memmove_chk
void *__tandem_memmove(void *, const void *, __typeof__(sizeof 0));
void __tandem_abort(void);
void *__tandem_memmove_chk(void *to, const void *from, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  return __tandem_memmove(to, from, n);
}

//= __tandem_mempcpy_chk
void *__tandem_mempcpy(void *, const void *, __typeof__(sizeof 0));
void __tandem_abort(void);
void *__tandem_mempcpy_chk(void *to, const void *from, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  return __tandem_mempcpy(to, from, n);
}

//= __tandem_memset_chk
void *__tandem_memset(void *, int, __typeof__(sizeof 0));
void __tandem_abort(void);
void *__tandem_memset_chk(void *to, int c, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  return __tandem_memset(to, c, n);
}

//= __tandem_explicit_bzero_chk
void __tandem_explicit_bzero(void *, __typeof__(sizeof 0));
void __tandem_abort(void);
void __tandem_explicit_bzero_chk(void *to, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  __tandem_explicit_bzero(to, n);
}

//= __tandem_strcpy_chk
char *__tandem_strcpy(char *, const char *);
void __tandem_abort(void);
char *__tandem_strcpy_chk(char *to, const char *from, __typeof__(sizeof 0) size) {
  __typeof__(sizeof 0) length = 0;
  while (from[length]) length++;
  if (length >= size) __tandem_abort();
  return __tandem_strcpy(to, from);
}

//= __tandem_stpcpy_chk
char *__tandem_stpcpy(char *, const char *);
void __tandem_abort(void);
char *__tandem_stpcpy_chk(char *to, const char *from, __typeof__(sizeof 0) size) {
  __typeof__(sizeof 0) length = 0;
  while (from[length]) length++;
  if (length >= size) __tandem_abort();
  return __tandem_stpcpy(to, from);
}

//= __tandem_strncpy_chk
char *__tandem_strncpy(char *, const char *, __typeof__(sizeof 0));
void __tandem_abort(void);
char *__tandem_strncpy_chk(char *to, const char *from, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  return __tandem_strncpy(to, from, n);
}

//= __tandem_stpncpy_chk
char *__tandem_stpncpy(char *, const char *, __typeof__(sizeof 0));
void __tandem_abort(void);
char *__tandem_stpncpy_chk(char *to, const char *from, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  if (n > size) __tandem_abort();
  return __tandem_stpncpy(to, from, n);
}

//= __tandem_strcat_chk
char *__tandem_strcat(char *, const char *);
void __tandem_abort(void);
char *__tandem_strcat_chk(char *to, const char *from, __typeof__(sizeof 0) size) {
  __typeof__(sizeof 0) length = 0, at = 0;
  while (to[at]) at++;
  while (from[length]) length++;
  length += at;
  if (length >= size) __tandem_abort();
  return __tandem_strcat(to, from);
}

//= __tandem_strncat_chk
char *__tandem_strncat(char *, const char *, __typeof__(sizeof 0));
void __tandem_abort(void);
char *__tandem_strncat_chk(char *to, const char *from, __typeof__(sizeof 0) n, __typeof__(sizeof 0) size) {
  __typeof__(sizeof 0) length = 0, at = 0;
  while (to[at]) at++;
  while (length < n && from[length]) length++;
  length += at;
  if (length >= size) __tandem_abort();
  return __tandem_strncat(to, from, n);
}

//= __tandem_explicit_bzero
void *__tandem_memset(void *, int, __typeof__(sizeof 0));
void __tandem_explicit_bzero(void *s, __typeof__(sizeof 0) n) { __tandem_memset(s, 0, n); }

//= __tandem_wcslen
__typeof__(sizeof 0) __tandem_wcslen(const int *s) { __typeof__(sizeof 0) n = 0; while (s[n]) n++; return n; }

//= __tandem_wcsnlen
__typeof__(sizeof 0) __tandem_wcsnlen(const int *s, __typeof__(sizeof 0) limit) { __typeof__(sizeof 0) n = 0; while (n < limit && s[n]) n++; return n; }

//= __tandem_wcscpy
int *__tandem_wcscpy(int *to, const int *from) { __typeof__(sizeof 0) i = 0; while ((to[i] = from[i])) i++; return to; }

//= __tandem_wcpcpy
int *__tandem_wcpcpy(int *to, const int *from) { while ((*to = *from)) { to++; from++; } return to; }

//= __tandem_wcsncpy
int *__tandem_wcsncpy(int *to, const int *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0;
  while (i < n && from[i]) { to[i] = from[i]; i++; }
  while (i < n) to[i++] = 0;
  return to;
}

//= __tandem_wcscat
int *__tandem_wcscat(int *to, const int *from) {
  __typeof__(sizeof 0) i = 0, j = 0;
  while (to[i]) i++;
  while ((to[i++] = from[j++])) ;
  return to;
}

//= __tandem_wcsncat
int *__tandem_wcsncat(int *to, const int *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0, j = 0;
  while (to[i]) i++;
  while (j < n && from[j]) to[i++] = from[j++];
  to[i] = 0;
  return to;
}

//= __tandem_wcschr
int *__tandem_wcschr(const int *s, int c) {
  for (;; s++) {
    if (*s == c) return (int *)s;
    if (!*s) return (int *)0;
  }
}

//= __tandem_wcschrnul
int *__tandem_wcschrnul(const int *s, int c) { while (*s && *s != c) s++; return (int *)s; }

//= __tandem_wcsrchr
int *__tandem_wcsrchr(const int *s, int c) {
  int *found = (int *)0;
  for (;; s++) {
    if (*s == c) found = (int *)s;
    if (!*s) return found;
  }
}

//= __tandem_wcsstr
int *__tandem_wcsstr(const int *s, const int *part) {
  for (;; s++) {
    __typeof__(sizeof 0) i = 0;
    while (part[i] && s[i] == part[i]) i++;
    if (!part[i]) return (int *)s;
    if (!*s) return (int *)0;
  }
}

//= __tandem_wcsspn
__typeof__(sizeof 0) __tandem_wcsspn(const int *s, const int *set) {
  __typeof__(sizeof 0) n = 0;
  for (; s[n]; n++) {
    __typeof__(sizeof 0) i = 0;
    while (set[i] && set[i] != s[n]) i++;
    if (!set[i]) break;
  }
  return n;
}

//= __tandem_wcscspn
__typeof__(sizeof 0) __tandem_wcscspn(const int *s, const int *set) {
  __typeof__(sizeof 0) n = 0;
  for (; s[n]; n++) {
    __typeof__(sizeof 0) i = 0;
    while (set[i] && set[i] != s[n]) i++;
    if (set[i]) break;
  }
  return n;
}

//= __tandem_wcspbrk
int *__tandem_wcspbrk(const int *s, const int *set) {
  for (; *s; s++) {
    __typeof__(sizeof 0) i = 0;
    while (set[i] && set[i] != *s) i++;
    if (set[i]) return (int *)s;
  }
  return (int *)0;
}

//= __tandem_wcscasecmp
int __tandem_wcscasecmp(const int *a, const int *b) {
  __typeof__(sizeof 0) i = 0;
  for (;;) {
    int x = a[i], y = b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || x == 0) return x - y;
    i++;
  }
}

//= __tandem_wcsncasecmp
int __tandem_wcsncasecmp(const int *a, const int *b, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) {
    int x = a[i], y = b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || x == 0) return x - y;
  }
  return 0;
}

//= __tandem_wcpncpy
int *__tandem_wcpncpy(int *to, const int *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0, end;
  while (i < n && from[i]) { to[i] = from[i]; i++; }
  end = i;
  while (i < n) to[i++] = 0;
  return to + end;
}

//= __tandem_wcscmp
int __tandem_wcscmp(const int *a, const int *b) {
  __typeof__(sizeof 0) i = 0;
  while (a[i] && a[i] == b[i]) i++;
  return a[i] == b[i] ? 0 : a[i] < b[i] ? -1 : 1;
}

//= __tandem_wcsncmp
int __tandem_wcsncmp(const int *a, const int *b, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i = 0;
  while (i < n && a[i] && a[i] == b[i]) i++;
  return i == n || a[i] == b[i] ? 0 : a[i] < b[i] ? -1 : 1;
}

//= __tandem_wcstok
int *__tandem_wcstok(int *s, const int *set, int **rest) {
  int *start;
  __typeof__(sizeof 0) i;
  if (!s) s = *rest;
  if (!s) return (int *)0;
  for (; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (!set[i]) break;
  }
  if (!*s) { *rest = (int *)0; return (int *)0; }
  start = s;
  for (; *s; s++) {
    for (i = 0; set[i] && set[i] != *s; i++) ;
    if (set[i]) { *s = 0; *rest = s + 1; return start; }
  }
  *rest = (int *)0;
  return start;
}

//= __tandem_wcsdup
void *__tandem_malloc(__typeof__(sizeof 0));
int *__tandem_wcsdup(const int *s) {
  __typeof__(sizeof 0) n = 0, i;
  int *copy;
  while (s[n]) n++;
  copy = (int *)__tandem_malloc((n + 1) * sizeof(int));
  if (copy) for (i = 0; i <= n; i++) copy[i] = s[i];
  return copy;
}

//= __tandem_wmemcpy
int *__tandem_wmemcpy(int *to, const int *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) to[i] = from[i];
  return to;
}

//= __tandem_wmempcpy
int *__tandem_wmempcpy(int *to, const int *from, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) to[i] = from[i];
  return to + n;
}

//= __tandem_wmemmove
void *__tandem_memmove(void *, const void *, __typeof__(sizeof 0));
int *__tandem_wmemmove(int *to, const int *from, __typeof__(sizeof 0) n) { return (int *)__tandem_memmove(to, from, n * sizeof(int)); }

//= __tandem_wmemset
int *__tandem_wmemset(int *to, int c, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) to[i] = c;
  return to;
}

//= __tandem_wmemcmp
int __tandem_wmemcmp(const int *a, const int *b, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

//= __tandem_wmemchr
int *__tandem_wmemchr(const int *s, int c, __typeof__(sizeof 0) n) {
  __typeof__(sizeof 0) i;
  for (i = 0; i < n; i++) if (s[i] == c) return (int *)(s + i);
  return (int *)0;
}

//= __tandem_ldexp
double __tandem_ldexp(double x, int n) {
  union { double value; unsigned long long bits; } u;
  unsigned long long sign, digits;
  long long exponent;
  u.value = x;
  sign = u.bits >> 63 << 63;
  exponent = (long long)(u.bits >> 52 & 2047);
  digits = u.bits & ((1ULL << 52) - 1);
  if (exponent == 2047) return x + x;
  if (exponent == 0) {
    int shift;
    if (digits == 0) return x;
    shift = __builtin_clzll(digits) - 11;
    digits = digits << shift & ((1ULL << 52) - 1);
    exponent = 1 - shift;
  }
  exponent += n;
  if (exponent >= 2047) { u.bits = sign | (((unsigned long long)2047 << 52) - 1); return u.value * 2; }
  if (exponent >= 1) { u.bits = sign | (unsigned long long)exponent << 52 | digits; return u.value; }
  if (exponent < -54) exponent = -54;
  u.bits = sign | (unsigned long long)(exponent + 56) << 52 | digits;
  return u.value * 0x1p-56;
}

//= __tandem_scalbln
double __tandem_ldexp(double, int);
double __tandem_scalbln(double x, long n) { return __tandem_ldexp(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

//= __tandem_frexp
double __tandem_frexp(double x, int *to) {
  union { double value; unsigned long long bits; } u;
  unsigned long long digits;
  int exponent;
  u.value = x;
  exponent = (int)(u.bits >> 52 & 2047);
  digits = u.bits & ((1ULL << 52) - 1);
  *to = 0;
  if (exponent == 2047) return x + x;
  if (exponent == 0) {
    int shift;
    if (digits == 0) return x;
    shift = __builtin_clzll(digits) - 11;
    digits = (digits << shift) & ((1ULL << 52) - 1);
    exponent = 1 - shift;
  }
  *to = exponent - 1022;
  u.bits = u.bits >> 63 << 63 | (unsigned long long)1022 << 52 | digits;
  return u.value;
}

//= __tandem_ilogb
int __tandem_ilogb(double x) {
  union { double value; unsigned long long bits; } u;
  int exponent;
  u.value = x;
  exponent = (int)(u.bits >> 52 & 2047);
  if (x != x || x == 0) return -2147483647 - 1;
  if (exponent == 2047) return 2147483647;
  if (exponent == 0) return 1 - (__builtin_clzll(u.bits & ((1ULL << 52) - 1)) - 11) - 1023;
  return exponent - 1023;
}

//= __tandem_logb
int __tandem_ilogb(double);
double __tandem_logb(double x) {
  union { double value; unsigned long long bits; } u;
  u.value = x;
  if ((u.bits >> 52 & 2047) == 2047) return x * x;
  if (x == 0) { u.bits = (unsigned long long)1 << 63 | (unsigned long long)2047 << 52; return u.value; }
  return (double)__tandem_ilogb(x);
}

//= __tandem_nextafter
double __tandem_nextafter(double x, double y) {
  union { double value; unsigned long long bits; } u;
  u.value = x;
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) {
    union { double value; unsigned long long bits; } v;
    v.value = y;
    u.bits = (v.bits >> 63 << 63) | 1;
    return u.value;
  }
  if ((x < y) == (x > 0)) u.bits++; else u.bits--;
  return u.value;
}

//= __tandem_nextup
double __tandem_nextup(double x) {
  union { double value; unsigned long long bits; } u;
  u.value = x;
  if (x != x) return x + x;
  if (x == 0) { u.bits = 1; return u.value; }
  if (x > 0) { if ((u.bits >> 52 & 2047) != 2047) u.bits++; } else u.bits--;
  return u.value;
}

//= __tandem_nextdown
double __tandem_nextup(double);
double __tandem_nextdown(double x) { return -__tandem_nextup(-x); }

//= __tandem_ldexpf
float __tandem_ldexpf(float x, int n) {
  union { float value; unsigned int bits; } u;
  unsigned int sign, digits;
  long long exponent;
  u.value = x;
  sign = u.bits >> 31 << 31;
  exponent = (long long)(u.bits >> 23 & 255);
  digits = u.bits & ((1U << 23) - 1);
  if (exponent == 255) return x + x;
  if (exponent == 0) {
    int shift;
    if (digits == 0) return x;
    shift = __builtin_clz(digits) - 8;
    digits = digits << shift & ((1U << 23) - 1);
    exponent = 1 - shift;
  }
  exponent += n;
  if (exponent >= 255) { u.bits = sign | (((unsigned int)255 << 23) - 1); return u.value * 2; }
  if (exponent >= 1) { u.bits = sign | (unsigned int)exponent << 23 | digits; return u.value; }
  if (exponent < -25) exponent = -25;
  u.bits = sign | (unsigned int)(exponent + 27) << 23 | digits;
  return u.value * 0x1p-27F;
}

//= __tandem_scalblnf
float __tandem_ldexpf(float, int);
float __tandem_scalblnf(float x, long n) { return __tandem_ldexpf(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

//= __tandem_frexpf
float __tandem_frexpf(float x, int *to) {
  union { float value; unsigned int bits; } u;
  unsigned int digits;
  int exponent;
  u.value = x;
  exponent = (int)(u.bits >> 23 & 255);
  digits = u.bits & ((1U << 23) - 1);
  *to = 0;
  if (exponent == 255) return x + x;
  if (exponent == 0) {
    int shift;
    if (digits == 0) return x;
    shift = __builtin_clz(digits) - 8;
    digits = (digits << shift) & ((1U << 23) - 1);
    exponent = 1 - shift;
  }
  *to = exponent - 126;
  u.bits = u.bits >> 31 << 31 | (unsigned int)126 << 23 | digits;
  return u.value;
}

//= __tandem_ilogbf
int __tandem_ilogbf(float x) {
  union { float value; unsigned int bits; } u;
  int exponent;
  u.value = x;
  exponent = (int)(u.bits >> 23 & 255);
  if (x != x || x == 0) return -2147483647 - 1;
  if (exponent == 255) return 2147483647;
  if (exponent == 0) return 1 - (__builtin_clz(u.bits & ((1U << 23) - 1)) - 8) - 127;
  return exponent - 127;
}

//= __tandem_logbf
int __tandem_ilogbf(float);
float __tandem_logbf(float x) {
  union { float value; unsigned int bits; } u;
  u.value = x;
  if ((u.bits >> 23 & 255) == 255) return x * x;
  if (x == 0) { u.bits = (unsigned int)1 << 31 | (unsigned int)255 << 23; return u.value; }
  return (float)__tandem_ilogbf(x);
}

//= __tandem_nextafterf
float __tandem_nextafterf(float x, float y) {
  union { float value; unsigned int bits; } u;
  u.value = x;
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) {
    union { float value; unsigned int bits; } v;
    v.value = y;
    u.bits = (v.bits >> 31 << 31) | 1;
    return u.value;
  }
  if ((x < y) == (x > 0)) u.bits++; else u.bits--;
  return u.value;
}

//= __tandem_nextupf
float __tandem_nextupf(float x) {
  union { float value; unsigned int bits; } u;
  u.value = x;
  if (x != x) return x + x;
  if (x == 0) { u.bits = 1; return u.value; }
  if (x > 0) { if ((u.bits >> 23 & 255) != 255) u.bits++; } else u.bits--;
  return u.value;
}

//= __tandem_nextdownf
float __tandem_nextupf(float);
float __tandem_nextdownf(float x) { return -__tandem_nextupf(-x); }

//= __tandem_ldexpl
long double __tandem_ldexpl(long double x, int n) {
  union { long double value; struct { unsigned long long digits; unsigned short top; } parts; } u;
  unsigned int sign;
  long long exponent;
  u.value = x;
  sign = u.parts.top & 32768U;
  exponent = u.parts.top & 32767;
  if (exponent == 32767) return x + x;
  if (exponent == 0) {
    int shift;
    if (u.parts.digits == 0) return x;
    shift = __builtin_clzll(u.parts.digits);
    u.parts.digits <<= shift;
    exponent = 1 - shift;
  }
  exponent += n;
  if (exponent >= 32767) { u.parts.digits = ~0ULL; u.parts.top = (unsigned short)(sign | 32766); return u.value * 2; }
  if (exponent >= 1) { u.parts.top = (unsigned short)(sign | (unsigned int)exponent); return u.value; }
  if (exponent < -66) exponent = -66;
  u.parts.top = (unsigned short)(sign | (unsigned int)(exponent + 68));
  return u.value * 0x1p-68L;
}

//= __tandem_scalblnl
long double __tandem_ldexpl(long double, int);
long double __tandem_scalblnl(long double x, long n) { return __tandem_ldexpl(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

//= __tandem_frexpl
long double __tandem_frexpl(long double x, int *to) {
  union { long double value; struct { unsigned long long digits; unsigned short top; } parts; } u;
  int exponent;
  u.value = x;
  exponent = u.parts.top & 32767;
  *to = 0;
  if (exponent == 32767) return x + x;
  if (exponent == 0) {
    int shift;
    if (u.parts.digits == 0) return x;
    shift = __builtin_clzll(u.parts.digits);
    u.parts.digits <<= shift;
    exponent = 1 - shift;
  }
  *to = exponent - 16382;
  u.parts.top = (unsigned short)((u.parts.top & 32768U) | 16382);
  return u.value;
}

//= __tandem_ilogbl
int __tandem_ilogbl(long double x) {
  union { long double value; struct { unsigned long long digits; unsigned short top; } parts; } u;
  int exponent;
  u.value = x;
  exponent = u.parts.top & 32767;
  if (x != x || x == 0) return -2147483647 - 1;
  if (exponent == 32767) return 2147483647;
  if (exponent == 0) return 1 - __builtin_clzll(u.parts.digits) - 16383;
  return exponent - 16383;
}

//= __tandem_logbl
int __tandem_ilogbl(long double);
long double __tandem_logbl(long double x) {
  union { long double value; struct { unsigned long long digits; unsigned short top; } parts; } u;
  u.value = x;
  if ((u.parts.top & 32767) == 32767) return x * x;
  if (x == 0) { u.parts.digits = 1ULL << 63; u.parts.top = 65535; return u.value; }
  return (long double)__tandem_ilogbl(x);
}

//= __tandem_nextafterl
long double __tandem_nextafterl(long double x, long double y) {
  union { long double value; struct { unsigned long long digits; unsigned short top; } parts; } u;
  int exponent;
  u.value = x;
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) {
    u.value = y;
    u.parts.digits = 1;
    u.parts.top = (unsigned short)(u.parts.top & 32768U);
    return u.value;
  }
  exponent = u.parts.top & 32767;
  if ((x < y) == (x > 0)) {
    u.parts.digits++;
    if (u.parts.digits == 0) { u.parts.digits = 1ULL << 63; u.parts.top++; }
    else if (exponent == 0 && u.parts.digits >> 63) u.parts.top++;
  } else {
    u.parts.digits--;
    if (exponent && !(u.parts.digits >> 63)) {
      if (exponent > 1) u.parts.digits |= 1ULL << 63;
      u.parts.top--;
    }
  }
  return u.value;
}

//= __tandem_nextupl
long double __tandem_nextafterl(long double, long double);
long double __tandem_huge_vall(void);
long double __tandem_nextupl(long double x) { return __tandem_nextafterl(x, __tandem_huge_vall()); }

//= __tandem_nextdownl
long double __tandem_nextafterl(long double, long double);
long double __tandem_huge_vall(void);
long double __tandem_nextdownl(long double x) { return __tandem_nextafterl(x, -__tandem_huge_vall()); }

//= __tandem_remquo
double __tandem_fabs(double);
double __tandem_fmod(double, double);
int __tandem_signbit(double);
double __tandem_remquo(double x, double y, int *quotient) {
  double rest = __tandem_fabs(x), divisor = __tandem_fabs(y), half = divisor / 2;
  int count = 0;
  if (x != x || y != y || rest > 0x1.fffffffffffffp1023 || y == 0) return (x * y) / (x * y);
  if (divisor <= 0x1.fffffffffffffp1023 / 8) rest = __tandem_fmod(rest, 8 * divisor);
  if (divisor <= 0x1.fffffffffffffp1023 / 4 && rest >= 4 * divisor) { rest -= 4 * divisor; count += 4; }
  if (divisor <= 0x1.fffffffffffffp1023 / 2 && rest >= 2 * divisor) { rest -= 2 * divisor; count += 2; }
  if (divisor < 0x1p-1021 ? rest + rest > divisor : rest > half) {
    rest -= divisor;
    count++;
    if (divisor < 0x1p-1021 ? rest + rest >= divisor : rest >= half) { rest -= divisor; count++; }
  }
  *quotient = !__tandem_signbit(x) == !__tandem_signbit(y) ? count : -count;
  if (rest == 0) rest = 0;
  return __tandem_signbit(x) ? -rest : rest;
}

//= __tandem_remquof
float __tandem_fabsf(float);
float __tandem_fmodf(float, float);
int __tandem_signbitf(float);
float __tandem_remquof(float x, float y, int *quotient) {
  float rest = __tandem_fabsf(x), divisor = __tandem_fabsf(y), half = divisor / 2;
  int count = 0;
  if (x != x || y != y || rest > 0x1.fffffep127F || y == 0) return (x * y) / (x * y);
  if (divisor <= 0x1.fffffep127F / 8) rest = __tandem_fmodf(rest, 8 * divisor);
  if (divisor <= 0x1.fffffep127F / 4 && rest >= 4 * divisor) { rest -= 4 * divisor; count += 4; }
  if (divisor <= 0x1.fffffep127F / 2 && rest >= 2 * divisor) { rest -= 2 * divisor; count += 2; }
  if (divisor < 0x1p-125F ? rest + rest > divisor : rest > half) {
    rest -= divisor;
    count++;
    if (divisor < 0x1p-125F ? rest + rest >= divisor : rest >= half) { rest -= divisor; count++; }
  }
  *quotient = !__tandem_signbitf(x) == !__tandem_signbitf(y) ? count : -count;
  if (rest == 0) rest = 0;
  return __tandem_signbitf(x) ? -rest : rest;
}

//= __tandem_remquol
long double __tandem_fabsl(long double);
long double __tandem_fmodl(long double, long double);
int __tandem_signbitl(long double);
long double __tandem_remquol(long double x, long double y, int *quotient) {
  long double rest = __tandem_fabsl(x), divisor = __tandem_fabsl(y), half = divisor / 2;
  int count = 0;
  if (x != x || y != y || rest > 0x1.fffffffffffffffep16383L || y == 0) return (x * y) / (x * y);
  if (divisor <= 0x1.fffffffffffffffep16383L / 8) rest = __tandem_fmodl(rest, 8 * divisor);
  if (divisor <= 0x1.fffffffffffffffep16383L / 4 && rest >= 4 * divisor) { rest -= 4 * divisor; count += 4; }
  if (divisor <= 0x1.fffffffffffffffep16383L / 2 && rest >= 2 * divisor) { rest -= 2 * divisor; count += 2; }
  if (divisor < 0x1p-16381L ? rest + rest > divisor : rest > half) {
    rest -= divisor;
    count++;
    if (divisor < 0x1p-16381L ? rest + rest >= divisor : rest >= half) { rest -= divisor; count++; }
  }
  *quotient = !__tandem_signbitl(x) == !__tandem_signbitl(y) ? count : -count;
  if (rest == 0) rest = 0;
  return __tandem_signbitl(x) ? -rest : rest;
}

//= __tandem_atexit
void __tandem__exit(int);
void __tandem_unmodelled_atexit(void);
static void (*__tandem_exit_handlers[32])(void);
static int __tandem_exit_handler_count;
int __tandem_atexit(void (*handler)(void)) {
  if (__tandem_exit_handler_count >= 32) __tandem_unmodelled_atexit();
  __tandem_exit_handlers[__tandem_exit_handler_count] = handler;
  __tandem_exit_handler_count++;
  return 0;
}
void __tandem_run_exit_handlers(void) {
  while (__tandem_exit_handler_count > 0) {
    __tandem_exit_handler_count--;
    __tandem_exit_handlers[__tandem_exit_handler_count]();
  }
}
void __tandem_exit_behind_handlers(int status, ...) {
  __tandem_run_exit_handlers();
  __tandem__exit(status);
}
