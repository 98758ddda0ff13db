// stage: cfa
_Bool b;
__int128 big;
unsigned __int128 ubig;
float f;
long double ld;
volatile int port;
void g(long l, unsigned long ul, short s) {
  b = l;
  big = (__int128)l << 70;
  ubig = ul * ubig + 1;
  f = l;
  ld = f + 0.5L;
  port = s;
  port;
  s = l ^ ul;
}
