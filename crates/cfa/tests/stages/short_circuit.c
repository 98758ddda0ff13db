// stage: cfa
int f(int a, int b, int c) {
  if (a && (b || !c))
    return 1;
  int v = a || b;
  return v ? b : c;
}
