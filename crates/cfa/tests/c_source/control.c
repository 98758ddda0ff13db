int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);
void reach_error(void);
void abort(void);
int printf(const char *, ...);
static int seen;
static int check(int value) { seen++; return value > 3; }
static int nested(int n) {
  int total = 0, i, j;
  for (i = 0; i < n; i++) {
    int fresh;
    for (j = 0; j < n; j++) {
      if (i == j) continue;
      if (i * j == 12) goto done;
      if (total > 200) { total = -1; break; }
      total += i - j;
      if (check(total) && check(i) || total == 5) total++;
      else { total--; if (total == 77) return 5; }
    }
    fresh = total;
    while (fresh > 10) { fresh -= 3; if (fresh == 13) return fresh; }
    total += fresh;
  }
  total += 1000;
done:
  return total;
}
static int machine(int input) {
  static int state = 1;
  switch (state) {
    case 1: if (input == 1) state = 2; else if (input == 2) { state = 3; break; } else return -1;
    case 2: seen += 2; if (input & 1) break;
    case 3: state = input % 4; return 3;
    case 0: default: state = 1;
  }
  return state;
}
static int two_entries(int n) { int k = 0; if (n & 1) goto middle; top: k += 2; middle: k++; if (k < n) goto top; return k; }
int main(void) {
  int x = __VERIFIER_nondet_int(), y, rounds = 0;
  __VERIFIER_assume(x > -100);
  y = nested(x % 9);
  while (rounds++ < 6) {
    int input = __VERIFIER_nondet_uchar();
    if (input == 255) abort();
    y += machine(input % 5);
    if (y == 4711) { reach_error(); }
    printf("%d %d\n", y, seen);
  }
  y += two_entries(x & 15);
  if (y % 5 == 2)
    reach_error();
  else if (y % 7 == 1) { for (;;) { if (y++ > 100) break; y += 3; } }
  printf("%d\n", y);
  return y & 63;
}
