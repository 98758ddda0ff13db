int printf(const char *, ...);
typedef __typeof__(sizeof 0) size_t;
struct bits { unsigned a : 3; int b : 5; unsigned long long c : 33; _Bool d : 1; char e; int : 0; short f : 9; } bits = { 5, -3, 0x1ffffffffull, 1, 'x', -200 };
struct __attribute__((packed)) packed { char c; int i; short s : 5; long long l; double d; } packed = { 1, 0x01020304, -2, 1ll << 40, 2.5 };
struct aligned { char c; int i __attribute__((aligned(16))); } aligned[2] = { { 1, 2 }, { 3, 4 } };
struct outer { struct { int x, y; }; union { int u; float g; struct { short lo, hi; }; }; enum { RED, BLUE = 7 } colour; } outer = { .y = 4, .hi = 3, .colour = BLUE };
union odd { struct { int a, b; } p; long long q; char text[12]; } odds[] = { { .p = { 1, 2 } }, { .q = 5 }, { .text = "seven" } };
struct flexible { int n; short data[]; } flexible = { 3, { 7, 8, 9 } };
extern struct flexible later; void *to_later = &later; static struct flexible early = { 1, { 5 } }; struct flexible later = { 2, { 6, 7 } };
struct list { struct list *next; int (*call)(struct list *); const char *name; int *where; };
static int first(struct list *l) { return l->where[1]; }
static int second(struct list *l) { return l->next->call(l->next) + 1; }
extern struct list head;
static int numbers[4] = { [1] = 10, [3] = 30 };
struct list tail = { &head, first, "tail", numbers }, head = { &tail, second, "he??/ad\001" "1", &numbers[2] };
char exact[3] = "abc", grid[2][4] = { "ab", { 'c' } };
__typeof__(L'a') wide[] = L"w\u20ac"; int *pointer = &((int []){ 4, 5, 6 })[1];
const char *strings[] = { "one", 0, "three" + 2 };
static struct bits make(int n) { struct bits b = { n, n, n, n, n, n }; return b; }
static int take(struct bits b, struct outer o) { return b.a + b.b + (int)b.c + b.d + b.e + b.f + o.x + o.y + o.lo; }
int main(void) {
  struct bits copy = bits, other = make(6);
  copy.a += 4; copy.b -= 20; copy.c++; copy.f = 255; copy.f++;
  printf("%d %d %llx %d %d %d %d\n", copy.a, copy.b, (unsigned long long)copy.c, copy.d, copy.e, copy.f, (int)sizeof copy);
  printf("%d %x %d %lld %f\n", (int)sizeof packed, packed.i, packed.s, packed.l, packed.d);
  printf("%d %d %d\n", (int)sizeof aligned, aligned[0].i, aligned[1].c);
  outer.x = outer.u; printf("%d %d %d %d %d\n", outer.x, outer.y, outer.lo, outer.hi, outer.colour);
  printf("%d %lld %s %d\n", odds[0].p.b, odds[1].q, odds[2].text, (int)sizeof odds);
  printf("%d %d %d\n", flexible.n, flexible.data[2], (int)sizeof flexible);
  printf("%d %d %s %s\n", head.call(&head), tail.where[3], head.name, tail.name);
  printf("%.3s %s %s %x %x %d %d %d\n", exact, grid[0], grid[1], (int)wide[0], (int)wide[1], (int)sizeof wide, *pointer, pointer[1]);
  printf("%s %s %d %d\n", strings[0], strings[2], strings[1] == 0, take(other, outer));
  printf("%d %d\n", ((struct flexible *)to_later)->data[1], early.data[0]);
  struct outer array[3] = { outer, { .x = 1 } }; array[2] = array[0]; array[1].g = 1.5f;
  printf("%d %d %x\n", array[2].y, array[1].x, array[1].u);
  return 0;
}
