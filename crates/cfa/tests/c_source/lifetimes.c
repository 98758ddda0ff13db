int __VERIFIER_nondet_int(void);
static int again(int n) {
  int t = 0;
  for (int i = 0; i < n; i++) {
    int x;
    if (i > 0) t += x & 1;
    x = i;
    { int y[2]; y[i & 1] = x; t += y[0] != y[1]; }
    struct { int a, b; } s, u;
    s.a = i; u = s; t += u.b & 1;
  }
  return t;
}
static int back(int n) {
  int t = 0;
top: ;
  int x, *p = &x;
  if (n-- > 0) { t += *p & 3; *p = 1; goto top; }
  return t;
}
int main(void) {
  int x = __VERIFIER_nondet_int() & 3, y;
  if (x == 1) y = 4;
  return again(x) + back(x) + (y & 7);
}
