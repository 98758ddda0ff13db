// stage: labels
int f(int n) {
  static void *table[] = { &&one, &&two };
  goto *table[n & 1];
one:
  return 1;
two:
  return 2;
}
