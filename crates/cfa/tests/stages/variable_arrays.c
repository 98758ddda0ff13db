// stage: labels
int f(int n) {
  int a[n];
  char *p = __builtin_alloca(n);
  a[n - 1] = 3;
  p[0] = 1;
  return a[n - 1] + sizeof a;
}
