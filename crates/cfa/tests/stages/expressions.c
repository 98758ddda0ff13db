// stage: cfa
int x, y;
unsigned char c;
double d;
int f(int a) {
  x = a + y * 2;
  c += x;
  d = -d / 3;
  y = x++ + --a;
  return (x, a << 2);
}
