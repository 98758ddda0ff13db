int printf(const char *, ...);
int log_;
static void cl(int *p) {
    log_ = log_ * 10 + *p;
}
int useclean(int n) {
    int a __attribute__((cleanup(cl))) = 1;
    {
        int b __attribute__((cleanup(cl))) = 2;
        if (n == 1) return log_ * 1000;
    }
    for (int i = 0; i < 3; i++) {
        int c __attribute__((cleanup(cl))) = 3;
        if (i == 1) break;
        if (i == 0) continue;
    }
    return log_;
}
struct big { long a[20]; };
struct big mkb(int x) {
    struct big b = { { [3] = x } };
    return b;
}
long sumb(struct big b) {
    long s = 0;
    for (int i = 0; i < 20; i++) s += b.a[i] * i;
    b.a[0] = 99;
    return s;
}
typedef struct { unsigned f1 : 1, f2 : 31; long long f3 : 33; _Bool f4 : 1; } bits;
int shortc(int a, int b, int c) {
    return a && b || c && !a;
}
int ord;
int o(int k) {
    ord = ord * 10 + k;
    return k;
}
int nested(int n) {
    int r = 0;
    for (int i = 0; i < n; i++) {
        switch (i) {
            case 0: continue;
            case 1: {
                int j = 5;
                while (j--) {
                    if (j == 2) break;
                    r += j;
                }
                break;
            }
            case 2: r += 100;
            default: if (i > 4) goto out;
            r++;
        }
        r *= 2;
    }
    out: return r;
}
struct list { int v; struct list *next; };
int walk(struct list *l) {
    int s = 0;
    while (l) {
        s = s * 10 + l->v;
        l = l->next;
    }
    return s;
}
int rec(int n, int *acc) {
    if (n == 0) return *acc;
    *acc += n;
    int r = rec(n - 1, acc);
    return r + (n & 1 ? n : 0);
}
void swapi(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}
static int apply(int (*f)(int, int), int a, int b) {
    return f(a, b);
}
static int sub(int a, int b) {
    return a - b;
}
static int mul(int a, int b) {
    return a * b;
}
int (*ops[2])(int, int) = { sub, mul };
char *names[] = { "zero", "one", [3] = "three" };
int *ip = &(int){
    7
};
int off = (int)&((struct list *)0)->next;
double fd(float a, double b, long double c) {
    return a * b + (double)c;
}
int vlasum(int n) {
    int r = 0;
    for (int k = 1; k <= n; k++) {
        int a[k];
        for (int i = 0; i < k; i++) a[i] = k;
        for (int i = 0; i < k; i++) r += a[i];
        r += sizeof a;
    }
    return r;
}
int vla3(int n) {
    char a[n][n + 1][2];
    a[n - 1][n][1] = 5;
    a[0][1][0] = 2;
    return sizeof a + sizeof a[0] + sizeof a[0][0] + a[n - 1][n][1] + *a[0][1];
}
int empty_loops(void) {
    int i = 0;
    for (; i < 5; i++) ;
    while (i-- > 0) ;
    do ;
    while (i++ < 3);
    return i;
}
unsigned long sx(signed char c) {
    return c;
}
int tern(int a) {
    return a > 0 ? a > 10 ? 1 : 2 : a < -10 ? 3 : 4;
}
int cmp(unsigned a, int b) {
    return (a < b) * 8 + (a == b) * 4 + ((long long)a < b) * 2 + (a > 5u);
}
void outp(int x, int *r) {
    if (x) *r = 1;
    else *r = 2;
}
static inline int sgn(int x) {
    return (x > 0) - (x < 0);
}
int se(int x) {
    return ({ int y = x; if (y > 3) y = 3; y; }) + ({ x++; x; });
}
int gotoin(int x) {
    if (x) goto in;
    while (x < 5) {
        x += 10;
        in: x++;
    }
    return x;
}
int main(int argc, char **argv) {
    printf("%d", useclean(0));
    printf(" %d\n", log_);
    log_ = 0;
    printf("%d %d\n", useclean(1), log_);
    printf("%ld\n", sumb(mkb(7)) + mkb(3).a[3]);
    bits bt = { 1, 77, -5, 3 };
    bt.f1++;
    bt.f2 <<= 25;
    bt.f3 *= 2;
    bt.f4 ^= 1;
    printf("%d %d %ld %d %d\n", bt.f1, bt.f2, (long)bt.f3, bt.f4, (int)sizeof bt);
    for (int i = 0; i < 8; i++) printf("%d", shortc(i & 1, i & 2, i & 4));
    printf("\n");
    int z = o(1) + o(2) * o(3);
    printf("%d %d\n", z, ord);
    ord = 0;
    z = (o(1), o(2)) ? o(3) : o(4);
    printf("%d %d\n", z, ord);
    ord = 0;
    z = o(0) && o(1) || o(2);
    printf("%d %d\n", z, ord);
    printf("%d %d %d\n", nested(3), nested(5), nested(9));
    struct list l3 = { 3, 0 }, l2 = { 2, &l3 }, l1 = { 1, &l2 };
    printf("%d\n", walk(&l1));
    int acc = 0;
    printf("%d %d\n", rec(5, &acc), acc);
    int p = 1, q = 2;
    swapi(&p, &q);
    printf("%d%d\n", p, q);
    printf("%d %d %d\n", apply(sub, 9, 4), apply(ops[1], 3, 4), ops[p > 1](5, 6));
    printf("%s %s %d %d %d\n", names[1], names[3], names[2] == 0, *ip, off);
    printf("%f\n", fd(1.5f, 2.25, 3.125L));
    printf("%d %d\n", vlasum(4), vla3(3));
    printf("%d %lu\n", empty_loops(), sx(-3) + 10);
    printf("%d%d%d%d\n", tern(20), tern(5), tern(-20), tern(0));
    printf("%d %d %d\n", cmp(3, -1), cmp(7, 7), cmp(0xffffffffu, -1));
    outp(0, &p);
    printf("%d %d\n", p, sgn(-5) * 10 + sgn(9));
    printf("%d %d\n", se(9), gotoin(1));
    int m = 5;
    m++;
    unsigned char k = 0;
    k--;
    k >>= 3;
    k |= 0x40;
    k = ~k;
    k = -k;
    k %= 50;
    printf("%d\n", k);
    long long ll = -7;
    printf("%lld %lld %d\n", ll / 2, ll % 3, (int)(ll >> 1));
    unsigned uu = 7;
    uu = -uu / 3;
    printf("%u %d\n", uu, -7 / 2);
    float f = 16777217;
    printf("%f %d\n", f, (int)-2.9);
    printf("%d\n", (0.1 + 0.2 == 0.3) + 2 * (0.1f + 0.2f == 0.3f));
    _Bool bb = 0.3;
    bb += 5;
    printf("%d %d\n", bb, (_Bool)&m);
    struct { struct { int a, b; } v[2]; char t[3]; } nn = { { { 1, 2 }, { .b = m } }, { 'x' } }, *np = &nn;
    np->v[1].a = np->v[0].b++;
    printf("%d %d %d %c\n", nn.v[1].a, nn.v[0].b, nn.v[1].b > 0, np->t[0]);
    nn.v[0] = nn.v[1];
    printf("%d\n", nn.v[0].a);
    int arr2[] = { [5] = 1, [2] = 3, 4 };
    printf("%d %d\n", (int)(sizeof arr2 / 4), arr2[3]);
    char str[2][4] = { "abcd", "e" };
    printf("%.4s %s\n", str[0], str[1]);
    const char *t = "tab\tq\0z";
    printf("%d %d\n", t[3], (int)sizeof "ab\0c");
    printf("%d\n", __builtin_constant_p(argc) ? 9 : (int)__builtin_strlen("four"));
    int (*pa)[3] = &(int[3]){
        1, 2, 3
    };
    printf("%d %d\n", (*pa)[2], (int)sizeof *pa);
    union { struct { unsigned lo : 4, hi : 4; }; unsigned char all; } un = { .all = 0xa5 };
    un.hi ^= 3;
    printf("%x %d\n", un.all, un.lo);
    int w = 0;
    for (unsigned char c = 250; c; c++) w++;
    printf("%d\n", w);
    int x1 = 5, *px = &x1, **ppx = &px;
    **ppx += 3;
    (*px)++;
    printf("%d\n", x1);
    x1 = 4;
    while (x1 --> 0) if (x1 == 1) continue;
    else w += x1;
    printf("%d %d\n", w, x1);
    printf("%d\n", sizeof(int) + sizeof w > 7 ? 'y' : 'n');
    volatile struct {
        int a : 3;
    }
    vs = { 2 };
    vs.a += 3;
    printf("%d\n", vs.a);
    return 0;
}
