// stage: cfa
int a[4] = { 1, [3] = 4 };
char s[] = "text";
char *p = s + 1;
int *q = &a[2];
double table[2][2] = { { 1 }, { 2, 3.5 } };
int (*handler)(int);
int id(int x) { return x; }
int (*other)(int) = id;
int f(void) {
  int b[3] = { 7, 8 };
  const char *m = "hello";
  struct { int u; char v[4]; } w = { 1, "ab" };
  return b[1] + m[0] + w.v[1];
}
