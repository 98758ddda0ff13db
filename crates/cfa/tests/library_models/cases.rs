//! One line for each library function: its declaration, and what the driver does with it in one round. The variables are those
//! that `prepare` in `driver.c` sets; the functions with names of one letter print.

pub type Case = (&'static str, &'static str);

/// Texts and blocks of memory.
pub const TEXTS: &[Case] = &[
    ("size_t strlen(const char *)", "I(strlen(s));"),
    ("size_t strnlen(const char *, size_t)", "I(strnlen(s, n)); I(strnlen(z, k));"),
    ("char *strcpy(char *, const char *)", "P(strcpy(out, s), out); O();"),
    ("char *stpcpy(char *, const char *)", "P(stpcpy(out + k, s), out); O();"),
    ("char *strncpy(char *, const char *, size_t)", "P(strncpy(out, s, n), out); strncpy(out + 40, z, k); O();"),
    (
        "char *stpncpy(char *, const char *, size_t)",
        "P(stpncpy(out, s, n), out); P(stpncpy(out + 40, z, k), out); O();",
    ),
    ("char *strcat(char *, const char *)", "out[k] = 0; P(strcat(out, s), out); O();"),
    ("char *strncat(char *, const char *, size_t)", "out[k] = 0; P(strncat(out, s, n), out); strncat(out, z, k); O();"),
    ("int strcmp(const char *, const char *)", "S(strcmp(s, t));"),
    ("int strcoll(const char *, const char *)", "S(strcoll(s, t));"),
    ("int strncmp(const char *, const char *, size_t)", "S(strncmp(s, t, n)); S(strncmp(z, y_block, n));"),
    ("int strcasecmp(const char *, const char *)", "S(strcasecmp(s, t));"),
    ("int strncasecmp(const char *, const char *, size_t)", "S(strncasecmp(s, t, n)); S(strncasecmp(z, y_block, n));"),
    ("char *strchr(const char *, int)", "P(strchr(s, c), s); P(strchr(s, 0), s);"),
    ("char *index(const char *, int)", "P(index(s, c), s);"),
    ("char *strchrnul(const char *, int)", "P(strchrnul(s, c), s);"),
    ("char *strrchr(const char *, int)", "P(strrchr(s, c), s); P(strrchr(s, 0), s);"),
    ("char *rindex(const char *, int)", "P(rindex(s, c), s);"),
    ("char *strstr(const char *, const char *)", "t[k % 3] = 0; P(strstr(s, t), s);"),
    ("char *strcasestr(const char *, const char *)", "t[k % 3] = 0; P(strcasestr(s, t), s);"),
    ("size_t strspn(const char *, const char *)", "I(strspn(s, t));"),
    ("size_t strcspn(const char *, const char *)", "t[k % 3] = 0; I(strcspn(s, t));"),
    ("char *strpbrk(const char *, const char *)", "t[k % 3] = 0; P(strpbrk(s, t), s);"),
    (
        "char *strtok(char *, const char *)",
        "P(strtok(s, \",; \"), s); P(strtok(0, \",\"), s); P(strtok(0, \"a\"), s); H(s_space, 32);",
    ),
    (
        "char *strtok_r(char *, const char *, char **)",
        "char *r; P(strtok_r(s, \",; \", &r), s); P(strtok_r(0, \"ab\", &r), s); H(s_space, 32);",
    ),
    (
        "char *strsep(char **, const char *)",
        "char *r = s; P(strsep(&r, \",; \"), s); P(r, s); P(strsep(&r, \"ab\"), s); H(s_space, 32);",
    ),
    ("char *strdup(const char *)", "char *d = strdup(s); I(strlen(d)); H(d, strlen(d) + 1);"),
    (
        "char *strndup(const char *, size_t)",
        "char *d = strndup(s, n); H(d, strlen(d) + 1); d = strndup(z, k); H(d, strlen(d) + 1);",
    ),
    ("int memcmp(const void *, const void *, size_t)", "S(memcmp(z, y_block, n));"),
    ("int bcmp(const void *, const void *, size_t)", "I(bcmp(z, y_block, n) != 0);"),
    ("void *memchr(const void *, int, size_t)", "P(memchr(z, c, n), z);"),
    ("void *memrchr(const void *, int, size_t)", "P(memrchr(z, c, n), z);"),
    ("void *rawmemchr(const void *, int)", "P(rawmemchr(s, 0), s); P(rawmemchr(z, z[k % 16]), z);"),
    ("void *memmem(const void *, size_t, const void *, size_t)", "P(memmem(z, n, y_block + 3, k % 4), z);"),
    ("void *memccpy(void *, const void *, int, size_t)", "P(memccpy(out, z, c, n), out); O();"),
    ("void *memcpy(void *, const void *, size_t)", "P(memcpy(out, z, n), out); O();"),
    ("void *mempcpy(void *, const void *, size_t)", "P(mempcpy(out, z, n), out); O();"),
    ("void *memmove(void *, const void *, size_t)", "P(memmove(out + k, out + 8, n), out); O();"),
    ("void bcopy(const void *, void *, size_t)", "bcopy(out + k, out + 8, n); O();"),
    ("void *memset(void *, int, size_t)", "P(memset(out + k, c, n), out); O();"),
    ("void bzero(void *, size_t)", "bzero(out + k, n); O();"),
    ("void explicit_bzero(void *, size_t)", "explicit_bzero(out + k, n); O();"),
    ("void swab(const void *, void *, __typeof__((char *)0 - (char *)0))", "swab(z, out, k); O();"),
    ("void *malloc(size_t)", "char *d = malloc(n + 1); I(d != 0); d[n] = 1; I(d[n]);"),
    ("void *calloc(size_t, size_t)", "char *d = calloc(k, 3); H(d, 3 * k);"),
    (
        "void *realloc(void *, size_t)",
        "char *d = realloc(strdup(s), 40); H(d, strlen(d) + 1); d = realloc(d, 1); I(d[0]);",
    ),
    (
        "void *reallocarray(void *, size_t, size_t)",
        "char *d = reallocarray(0, n + 1, 3); d[3 * n] = 5; I(d[3 * n]); I(reallocarray(d, ~(size_t)0 / 2, j + 2) == 0); E();",
    ),
    ("void *aligned_alloc(size_t, size_t)", "char *d = aligned_alloc(16, 32); d[31] = 1; I(d[31]);"),
    ("int posix_memalign(void **, size_t, size_t)", "void *d = 0; I(posix_memalign(&d, k, 16)); I(d != 0);"),
    (
        "void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *))",
        "P(lfind(&y_block[3], z, &n, 1, compare), z);",
    ),
    (
        "void qsort(void *, size_t, size_t, int (*)(const void *, const void *))",
        "qsort(z, n, 1, compare); H(z, 16); qsort(out, k, 3, compare);",
    ),
    (
        "void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *))",
        "qsort(z, 16, 1, compare); char *d = bsearch(y_block, z, 16, 1, compare); I(d ? *d : 999);",
    ),
    ("int snprintf(char *, size_t, const char *, ...)", "I(snprintf(out, n, \"%d%s%x\", i, s, j)); O();"),
    ("int sprintf(char *, const char *, ...)", "I(sprintf(out, \"%5d|%-4c|%.3s|%lld\", k, 'q', s, g)); O();"),
];

/// The checked forms, within their limits.
pub const CHECKED: &[Case] = &[
    ("void *__memcpy_chk(void *, const void *, size_t, size_t)", "P(__memcpy_chk(out, z, n, 16), out); O();"),
    (
        "void *__memmove_chk(void *, const void *, size_t, size_t)",
        "P(__memmove_chk(out + k, out + 8, n, 96 - k), out); O();",
    ),
    ("void *__mempcpy_chk(void *, const void *, size_t, size_t)", "P(__mempcpy_chk(out, z, n, 16), out); O();"),
    ("void *__memset_chk(void *, int, size_t, size_t)", "P(__memset_chk(out, c, n, 16), out); O();"),
    ("void __explicit_bzero_chk(void *, size_t, size_t)", "__explicit_bzero_chk(out, n, 16); O();"),
    ("char *__strcpy_chk(char *, const char *, size_t)", "P(__strcpy_chk(out, s, 14), out); O();"),
    ("char *__stpcpy_chk(char *, const char *, size_t)", "P(__stpcpy_chk(out, s, 14), out); O();"),
    ("char *__strncpy_chk(char *, const char *, size_t, size_t)", "P(__strncpy_chk(out, s, n, 16), out); O();"),
    ("char *__stpncpy_chk(char *, const char *, size_t, size_t)", "P(__stpncpy_chk(out, s, n, 16), out); O();"),
    ("char *__strcat_chk(char *, const char *, size_t)", "out[k] = 0; P(__strcat_chk(out, s, 32), out); O();"),
    (
        "char *__strncat_chk(char *, const char *, size_t, size_t)",
        "out[k] = 0; P(__strncat_chk(out, s, n, 32), out); O();",
    ),
];

/// Texts of wide characters.
pub const WIDE: &[Case] = &[
    ("size_t wcslen(const int *)", "I(wcslen(ws));"),
    ("size_t wcsnlen(const int *, size_t)", "I(wcsnlen(ws, n)); I(wcsnlen(wz, k));"),
    ("int *wcscpy(int *, const int *)", "P(wcscpy(wout, ws), wout); W();"),
    ("int *wcpcpy(int *, const int *)", "P(wcpcpy(wout, ws), wout); W();"),
    ("int *wcsncpy(int *, const int *, size_t)", "P(wcsncpy(wout, ws, n), wout); wcsncpy(wout + 40, wz, k); W();"),
    (
        "int *wcpncpy(int *, const int *, size_t)",
        "P(wcpncpy(wout, ws, n), wout); P(wcpncpy(wout + 40, wz, k), wout); W();",
    ),
    ("int *wcscat(int *, const int *)", "wout[k] = 0; P(wcscat(wout, ws), wout); W();"),
    (
        "int *wcsncat(int *, const int *, size_t)",
        "wout[k] = 0; P(wcsncat(wout, ws, n), wout); wcsncat(wout, wz, k); W();",
    ),
    ("int wcscmp(const int *, const int *)", "S(wcscmp(ws, wt));"),
    ("int wcscoll(const int *, const int *)", "S(wcscoll(ws, wt));"),
    ("int wcsncmp(const int *, const int *, size_t)", "S(wcsncmp(ws, wt, n)); S(wcsncmp(wz, ws_space, n));"),
    ("int wcscasecmp(const int *, const int *)", "S(wcscasecmp(ws, wt));"),
    ("int wcsncasecmp(const int *, const int *, size_t)", "S(wcsncasecmp(ws, wt, n));"),
    ("int *wcschr(const int *, int)", "P(wcschr(ws, c), ws); P(wcschr(ws, 0), ws);"),
    ("int *wcschrnul(const int *, int)", "P(wcschrnul(ws, c), ws);"),
    ("int *wcsrchr(const int *, int)", "P(wcsrchr(ws, c), ws);"),
    ("int *wcsstr(const int *, const int *)", "wt[k % 3] = 0; P(wcsstr(ws, wt), ws);"),
    ("size_t wcsspn(const int *, const int *)", "I(wcsspn(ws, wt));"),
    ("size_t wcscspn(const int *, const int *)", "wt[k % 3] = 0; I(wcscspn(ws, wt));"),
    ("int *wcspbrk(const int *, const int *)", "wt[k % 3] = 0; P(wcspbrk(ws, wt), ws);"),
    (
        "int *wcstok(int *, const int *, int **)",
        "int *r; wt[k % 3] = 0; P(wcstok(ws, wt, &r), ws); P(wcstok(0, wt, &r), ws); H(ws_space, 128);",
    ),
    ("int *wcsdup(const int *)", "int *d = wcsdup(ws); H(d, (wcslen(d) + 1) * 4);"),
    ("int *wmemcpy(int *, const int *, size_t)", "P(wmemcpy(wout, wz, n), wout); W();"),
    ("int *wmempcpy(int *, const int *, size_t)", "P(wmempcpy(wout, wz, n), wout); W();"),
    ("int *wmemmove(int *, const int *, size_t)", "P(wmemmove(wout + k, wout + 8, n), wout); W();"),
    ("int *wmemset(int *, int, size_t)", "P(wmemset(wout + k, c, n), wout); W();"),
    ("int wmemcmp(const int *, const int *, size_t)", "S(wmemcmp(wz, ws_space, n));"),
    ("int *wmemchr(const int *, int, size_t)", "P(wmemchr(wz, c, n), wz);"),
    ("long wcstol(const int *, int **, int)", "int *r = 0; I(wcstol(ws, &r, k)); P(r, ws); E();"),
    ("long long wcstoll(const int *, int **, int)", "int *r = 0; I(wcstoll(ws, &r, k)); P(r, ws); E();"),
    ("unsigned long wcstoul(const int *, int **, int)", "int *r = 0; I(wcstoul(ws, &r, k)); P(r, ws); E();"),
    ("unsigned long long wcstoull(const int *, int **, int)", "int *r = 0; I(wcstoull(ws, &r, k)); P(r, ws); E();"),
];

/// Integers: from texts, of characters, bits.
pub const NUMBERS: &[Case] = &[
    ("long strtol(const char *, char **, int)", "char *r = 0; I(strtol(number(), &r, base())); P(r, out); E();"),
    ("long long strtoll(const char *, char **, int)", "char *r = 0; I(strtoll(number(), &r, base())); P(r, out); E();"),
    (
        "unsigned long strtoul(const char *, char **, int)",
        "char *r = 0; I(strtoul(number(), &r, base())); P(r, out); E();",
    ),
    (
        "unsigned long long strtoull(const char *, char **, int)",
        "char *r = 0; I(strtoull(number(), &r, base())); P(r, out); E();",
    ),
    ("__INTMAX_TYPE__ strtoimax(const char *, char **, int)", "I(strtoimax(number(), 0, base())); E();"),
    ("__UINTMAX_TYPE__ strtoumax(const char *, char **, int)", "I(strtoumax(number(), 0, base())); E();"),
    ("int atoi(const char *)", "out[0] = 0; snprintf(out, 96, \" %d%s\", i, s); I(atoi(out));"),
    ("long atol(const char *)", "out[0] = 0; snprintf(out, 96, \"%d%s\", i, s); I(atol(out));"),
    ("long long atoll(const char *)", "I(atoll(number()));"),
    ("int abs(int)", "I(abs(i));"),
    ("long labs(long)", "I(labs(i));"),
    ("long long llabs(long long)", "I(llabs(g));"),
    ("__INTMAX_TYPE__ imaxabs(__INTMAX_TYPE__)", "I(imaxabs(g));"),
    ("struct two_ints { int quot, rem; } div(int, int)", "struct two_ints r = div(i, j); I(r.quot); I(r.rem);"),
    ("struct two_longs { long quot, rem; } ldiv(long, long)", "struct two_longs r = ldiv(i, j); I(r.quot); I(r.rem);"),
    (
        "struct two_long_longs { long long quot, rem; } lldiv(long long, long long)",
        "struct two_long_longs r = lldiv(g, h); I(r.quot); I(r.rem);",
    ),
    ("int ffs(int)", "I(ffs(i)); I(ffs(0)); I(ffs(1 << k));"),
    ("int ffsl(long)", "I(ffsl(i)); I(ffsl(1L << k));"),
    ("int ffsll(long long)", "I(ffsll(g)); I(ffsll(0));"),
    ("unsigned int htonl(unsigned int)", "I(htonl(i));"),
    ("unsigned int ntohl(unsigned int)", "I(ntohl(i));"),
    ("unsigned short htons(unsigned short)", "I(htons(i));"),
    ("unsigned short ntohs(unsigned short)", "I(ntohs(i));"),
    ("int isupper(int)", "I(isupper(byte()));"),
    ("int islower(int)", "I(islower(byte()));"),
    ("int isdigit(int)", "I(isdigit(byte()) != 0);"),
    ("int isalpha(int)", "I(isalpha(byte()));"),
    ("int isalnum(int)", "I(isalnum(byte()));"),
    ("int isspace(int)", "I(isspace(byte()));"),
    ("int isblank(int)", "I(isblank(byte()));"),
    ("int iscntrl(int)", "I(iscntrl(byte()));"),
    ("int isprint(int)", "I(isprint(byte()));"),
    ("int isgraph(int)", "I(isgraph(byte()));"),
    ("int ispunct(int)", "I(ispunct(byte()));"),
    ("int isxdigit(int)", "I(isxdigit(byte()));"),
    ("int isascii(int)", "I(isascii(c));"),
    ("int toascii(int)", "I(toascii(i));"),
    ("int toupper(int)", "I(toupper(byte()));"),
    ("int tolower(int)", "I(tolower(byte()));"),
    ("const unsigned short **__ctype_b_loc(void)", "I((*__ctype_b_loc())[byte()]);"),
    ("const int **__ctype_toupper_loc(void)", "I((*__ctype_toupper_loc())[byte()]);"),
    ("const int **__ctype_tolower_loc(void)", "I((*__ctype_tolower_loc())[byte()]);"),
    ("char *gettext(const char *)", "P(gettext(s), s);"),
    ("char *dgettext(const char *, const char *)", "P(dgettext(t, s), s);"),
    ("char *dcgettext(const char *, const char *, int)", "P(dcgettext(t, s, 5), s);"),
    ("char *ngettext(const char *, const char *, unsigned long)", "P(ngettext(s, s + 1, k % 3), s);"),
];

/// What the cases about numbers use: a text that begins like a number, a base, a value of `unsigned char` or -1.
pub const NUMBERS_HELP: &str = r#"
int snprintf(char *, size_t, const char *, ...);
static char *number(void) {
  static const char *const starts[] = { "", "-", "+", "  ", "\t-", "0x", "0X", "0", "-0x", "92233720368547758", "184467440737095516", "-92233720368547758", "2147483", "42949672", "- ", "0xg", "zz", "-214748364" };
  snprintf(out, 96, "%s%s", starts[any(18)], any(3) ? s : "");
  if (any(2)) snprintf(out, 96, "%s%d%s", starts[any(18)], any(200), any(2) ? s : "");
  return out;
}
static int base(void) { switch (any(5)) { case 0: return 0; case 1: return 16; case 2: return (int)any(40) - 2; default: return 10; } }
static int byte(void) { return (int)any(257) - 1; }
"#;

/// Functions on floats: `R` is the type, `#` its suffix.
pub const FLOATS: &[Case] = &[
    ("int __isinf#(R)", "I(__isinf#(x#));"),
    ("int __isnan#(R)", "I(__isnan#(x#) != 0);"),
    ("int __finite#(R)", "I(__finite#(x#) != 0);"),
    ("int __signbit#(R)", "I(__signbit#(x#) != 0);"),
    ("int __fpclassify#(R)", "I(__fpclassify#(x#));"),
    ("R fabs#(R)", "V#(fabs#(x#));"),
    ("R copysign#(R, R)", "V#(copysign#(x#, y#));"),
    ("R sqrt#(R)", "V#(sqrt#(x#));"),
    ("R floor#(R)", "V#(floor#(x#));"),
    ("R ceil#(R)", "V#(ceil#(x#));"),
    ("R trunc#(R)", "V#(trunc#(x#));"),
    ("R round#(R)", "V#(round#(x#));"),
    ("R roundeven#(R)", "V#(roundeven#(x#));"),
    ("R rint#(R)", "V#(rint#(x#));"),
    ("R nearbyint#(R)", "V#(nearbyint#(x#));"),
    ("long lrint#(R)", "if (x# > -1e9 && x# < 1e9) I(lrint#(x#));"),
    ("long long llrint#(R)", "if (x# > -1e18 && x# < 1e18) I(llrint#(x#));"),
    ("long lround#(R)", "if (x# > -1e9 && x# < 1e9) I(lround#(x#));"),
    ("long long llround#(R)", "if (x# > -1e18 && x# < 1e18) I(llround#(x#));"),
    ("R fmin#(R, R)", "if (x# != y#) V#(fmin#(x#, y#));"),
    ("R fmax#(R, R)", "if (x# != y#) V#(fmax#(x#, y#));"),
    ("R fdim#(R, R)", "V#(fdim#(x#, y#));"),
    ("R fmod#(R, R)", "V#(fmod#(x#, y#));"),
    ("R remainder#(R, R)", "V#(remainder#(x#, y#));"),
    ("R drem#(R, R)", "V#(drem#(x#, y#));"),
    ("R modf#(R, R *)", "R r; V#(modf#(x#, &r)); V#(r);"),
    (
        "R ldexp#(R, int)",
        "V#(ldexp#(x#, (int)any(60) - 30)); V#(ldexp#(x#, (int)any(40000) - 20000)); V#(ldexp#(x#, i));",
    ),
    ("R scalbn#(R, int)", "V#(scalbn#(x#, (int)any(600) - 300));"),
    ("R scalbln#(R, long)", "V#(scalbln#(x#, (int)any(600) - 300)); V#(scalbln#(x#, i));"),
    ("R frexp#(R, int *)", "if (x# - x# == 0) { int r; V#(frexp#(x#, &r)); I(r); }"),
    ("int ilogb#(R)", "I(ilogb#(x#));"),
    ("R logb#(R)", "V#(logb#(x#));"),
    ("R nextafter#(R, R)", "V#(nextafter#(x#, y#));"),
    ("R nextup#(R)", "V#(nextup#(x#));"),
    ("R nextdown#(R)", "V#(nextdown#(x#));"),
    ("R fma#(R, R, R)", "V#(fma#(x#, y#, w#)); V#(fma#(x#, y#, -(x# * y#)));"),
    ("R remquo#(R, R, int *)", "int r = 5; V#(remquo#(x#, y#, &r)); I(r); V#(remquo#(x#, x# / j, &r)); I(r);"),
    ("R nan#(const char *)", "V#(nan#(\"\"));"),
];

/// The operations that depend on the rounding mode.
pub const ROUNDING: &[Case] = &[
    ("int fesetround(int)", "I(fesetround(i)); I(fesetround(1)); I(fesetround(3072)); I(fesetround(1024 * k));"),
    ("int fegetround(void)", "I(fegetround());"),
    ("int add(void)", "V(x + y); Vf(xf + yf); Vl(xl + yl); V(x + xf); x += y; V(x); x++; V(x);"),
    ("int subtract(void)", "V(x - y); Vf(xf - yf); Vl(xl - yl); V(x - x); Vf(-xf - yf); x -= y; V(x); x--; V(x);"),
    ("int multiply(void)", "V(x * y); Vf(xf * yf); Vl(xl * yl); Vf(xf *= y);"),
    ("int divide(void)", "V(x / y); Vf(xf / yf); Vl(xl / yl); V(1 / x); V(1.0 / 3.0);"),
    ("int narrow(void)", "Vf((float)x); V((double)xl); Vf((float)xl); xf = x; Vf(xf); V((double)xf);"),
    (
        "int convert(void)",
        "Vf((float)i); V((double)g); Vf((float)g); Vl((long double)g); Vf((unsigned int)i); V((unsigned long long)g); Vf((unsigned long long)g);",
    ),
];

/// What the cases about rounding use: a mode that can be set.
pub const ROUNDING_HELP: &str = r#"
int fesetround(int);
static int mode(void) { return 1024 * (int)any(4); }
"#;
