// stage: cfa
extern int external(const char *, ...);
int f(int **pp, char *s, int n) {
  int *p = *pp;
  p[n] = *s++;
  *p++ = 2;
  long d = p - *pp;
  if (p != 0 && s)
    return external("%d", *p, d);
  int (*g)(const char *, ...) = external;
  return g(s);
}
