// stage: cfa
int x;
static int zero;
struct x { int x; };
int type(int x) {
  struct x s = { x };
  {
    int x = s.x;
    { int x = 2; zero = x; }
    return x + zero;
  }
}
