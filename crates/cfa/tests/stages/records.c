// stage: cfa
struct point { int x, y; };
struct line { struct point from, to; };
union number { int i; float f; };
struct flags { unsigned a : 3; int b : 5; unsigned : 0; unsigned c : 1; };
struct __attribute__((packed)) tight { char c; int i; };
struct line l = { .to = { 1, .y = 2 } };
struct tight t;
struct point swap(struct point p) {
  struct point q = { p.y };
  q.y = p.x;
  return q;
}
int g(struct line *p, union number *n, struct flags *f) {
  p->from = swap(p->to);
  n->f = 1.5f;
  f->b += f->a;
  t.i = n->i;
  return p->from.x;
}
