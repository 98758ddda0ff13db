int printf(const char *, ...);
int atexit(void (*)(void));
void exit(int);
int fesetround(int);
int fegetround(void);
double sqrt(double);
double rint(double);
float fmaf(float, float, float);
long lrint(double);
double remquo(double, double, int *);
volatile double one = 1, three = 3, tenth = 0.1;
float narrow = 0.1f;
static void show(const char *name, double value) {
  union { double value; unsigned long long bits; } u;
  u.value = value;
  printf("%s %llx\n", name, u.bits);
}
static double sum(int n, ...) {
  double total = 0;
  __builtin_va_list list;
  __builtin_va_start(list, n);
  while (n-- > 0) total += __builtin_va_arg(list, double);
  __builtin_va_end(list);
  return total;
}
static void last(void) { printf("last %d\n", fegetround()); }
static void first(void) { show("first", one / three); }
static void again(void) { atexit(first); }
int main(void) {
  int modes[] = { 0, 0x400, 0x800, 0xc00, 5 }, m, quotient = 0;
  atexit(last);
  atexit(again);
  for (m = 0; m < 5; m++) {
    float part[3] = { narrow * 3, tenth, narrow * narrow };
    double total = 0, d;
    long double wide = one;
    long long large = 9007199254740993LL;
    float f;
    int i;
    printf("mode %d %d\n", m, fesetround(modes[m]) == 0);
    show("part", part[0] + part[1] * part[2]);
    for (d = 0; d < 1; d += tenth) total += d * d;
    show("total", total);
    show("sum", sum(3, tenth, one / three, -tenth));
    f = large; show("large", f); d = large; show("large", d); f += 123456789; show("more", f); f++; show("more", f);
    wide /= 3; show("wide", wide); show("root", sqrt(three)); show("rint", rint(2.5 * one)); show("fma", fmaf(narrow, narrow, -part[2]));
    printf("%ld %d\n", lrint(-2.5 * one), (int)(tenth * 10));
    show("rest", remquo(one, tenth, &quotient)); printf("%d\n", quotient);
    show("constant", 1.0 / 3.0); show("constant", -0.1 * 3.0); show("overflow", 1.7976931348623157e308 * 10); show("zero", one - one);
    i = 7; i *= 1.1; printf("%d\n", i);
    if (one / three * 3 < 1 && tenth * 3 > 0.3) printf("below\n");
    show("choice", total > 1 ? total / 3 : total * tenth);
    fesetround(0);
  }
  fesetround(0x800);
  if (one / three * 3 > 2) return 3;
  exit(4);
}
