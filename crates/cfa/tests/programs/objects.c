int printf(const char *, ...);
void abort(void);
struct s { int a; unsigned b : 3; signed c : 5; char d[4]; };
struct p { struct s in; struct p *next; };
int g;
int *gp = &g;
char *str = "hello";
char buf[3] = "abc";
struct s gs = { .b = 5, .d = "xy" };
static int tab[5] = { [2] = 7, 8 };
int f(int x) {
    return x + g;
}
int setg(int v) {
    int old = g;
    g = v;
    return old;
}
struct s mk(int a) {
    struct s r = { a, 2, -3, "q" };
    return r;
}
int vf(int n, ...) {
    __builtin_va_list ap, ap2;
    __builtin_va_start(ap, n);
    __builtin_va_copy(ap2, ap);
    int s = 0;
    while (n--) s += __builtin_va_arg(ap, int);
    s = s * 100 + __builtin_va_arg(ap2, int);
    __builtin_va_end(ap);
    return s;
}
double vd(int n, ...) {
    __builtin_va_list ap;
    __builtin_va_start(ap, n);
    double s = 0;
    while (n--) {
        s += __builtin_va_arg(ap, double);
        s += __builtin_va_arg(ap, long);
    }
    __builtin_va_end(ap);
    return s;
}
int cg(int i) {
    static void *t[] = { &&a, &&b, &&c };
    int n = 0;
    again: goto *t[i];
    a: return n + 1;
    b: n += 10;
    i = 2;
    goto again;
    c: i = 0;
    n += 100;
    goto *t[i];
}
int cd(int i) {
    static const int d[] = { &&a - &&a, &&b - &&a };
    goto *(&&a + d[i]);
    a: return 1;
    b: return 2;
}
long vla(int n, int m) {
    int a[n][m];
    long s = sizeof a + sizeof a[0];
    n += 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i*j + 1;
    int (*q)[m] = a + 1;
    m++;
    return s + a[n-1][m-2] * 1000 + (*q)[1] * 7 + (q - a) + (&a[2] - &a[0]) + sizeof *q;
}
int vp(int n, int a[n][n]) {
    int s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s = s * 3 + a[i][j];
    return s;
}
int sw(int x) {
    int r = 0;
    switch (x) {
        int z;
        case 1: case 2: return 5;
        case 10 ... 20: x++;
        r++;
        default: x += 2;
        break;
        case -3: x = 0;
        {
            case 77: r += 9;
        }
    }
    return x * 10 + r;
}
int duff(int n) {
    int c = 0;
    switch (n % 4) {
        case 0: do {
            c++;
            case 3: c += 10;
            case 2: c += 100;
            case 1: c += 1000;
        } while ((n -= 4) > 0);
    }
    return c;
}
unsigned long long sl(long long v) {
    switch (v) {
        case 0x100000000LL: return 1;
        case -1: return 2;
        default: return 3;
    }
}
static int cnt(void) {
    static int c = 5;
    return c++;
}
int knr(a, b) char a;
float b;
{
    return a + (int)b;
}
union u { int i; float f; unsigned char c[4]; struct { short lo, hi; }; };
#pragma pack(1)
struct pk { char a; int b; short c : 9; long long d : 40; };
#pragma pack()
struct flex { int n; int v[]; } fx = { 3, { 1, 2, 3 } };
typedef int (*fn)(int);
fn pick(int w) {
    return w ? f : setg;
}
int fact(int n) {
    return n < 2 ? 1 : n * fact(n - 1);
}
_Bool tobool(double d) {
    return d;
}
int two(int a, int b) {
    return a * 10 + b;
}
enum e { A = -1, B, C };
int main(void) {
    int x = 3, y;
    char c;
    _Bool b = 2;
    struct p q = { { 1, 2, 3, "abc" }, 0 };
    struct p *pp = &q;
    y = x++;
    printf("%d %d\n", x, y);
    y = ++x - 1;
    c = x;
    c += 300;
    printf("%d %d %d\n", x, y, c);
    b--;
    printf("%d ", b);
    b--;
    printf("%d ", b);
    b++;
    b++;
    printf("%d\n", b);
    q.in.b += 7;
    q.in.c = q.in.b = 13;
    printf("%d %d\n", q.in.b, q.in.c);
    y = (q.in.c = 31);
    printf("%d\n", y);
    printf("%d %d\n", q.in.b++, --q.in.c);
    printf("%d %d\n", q.in.b, q.in.c);
    q.in.b = 5;
    printf("%d %d\n", q.in.b, q.in.b - 6 < 0);
    pp->in.d[x - 3] = 'z';
    printf("%s %d\n", q.in.d, mk(4).a + mk(7).c + mk(1).d[0]);
    g = 2;
    y = x && (y || !f(g));
    printf("%d\n", y);
    y = (x - 5) ?: 42;
    printf("%d\n", y);
    y = x ?: 7;
    printf("%d\n", y);
    y = g ? f(1) : 2;
    printf("%d\n", y);
    y = ({ int t = x; t * 2; });
    struct p *old = pp;
    pp = &(struct p){
        .next = pp, .in.a = 9
    };
    printf("%d %d %d\n", y, pp->next == old, pp->in.a + pp->in.d[2]);
    int i = 0;
    int arr[12] = {1,2,3,4,5,6,7,8,9,10,11,12};
    arr[i++] = 50;
    arr[i] += arr[i - 1] * 2;
    printf("%d %d %d\n", arr[0], arr[1], i);
    g = 5;
    y = g + setg(8);
    printf("%d\n", y);
    g = 5;
    y = (g + 1) - setg(9);
    printf("%d %d\n", y, g);
    y = two(setg(1), setg(2));
    printf("%d\n", y);
    arr[g] = setg(4);
    printf("%d %d\n", arr[1], arr[4]);
    g = 3;
    g += setg(10);
    printf("%d\n", g);
    int *e = arr + 4;
    printf("%d %d %d %ld\n", e[-1], *(e + 1), 2[e], (long)(e - arr));
    e++;
    e -= 2;
    printf("%d %d\n", *e, e[1]);
    printf("%d %d %d\n", sw(1) + sw(15), sw(99), sw(-3) * 100 + sw(77));
    printf("%d %d %d %d\n", duff(8), duff(5), duff(6), duff(7));
    printf("%llu %llu %llu\n", sl(0x100000000LL), sl(-1), sl(0));
    printf("%d %d %d %d\n", cg(0), cg(1), cg(2), cd(1));
    printf("%ld\n", vla(3, 4));
    int sq[2][2] = {{1,2},{3}};
    printf("%d\n", vp(2, sq));
    printf("%d %d %f\n", vf(3, 1, 2, 3), vf(1, 9), vd(2, 1.5, 2L, 2.25, 3L));
    printf("%d %d %d\n", cnt(), cnt() * 0, cnt());
    union u un;
    un.f = 1.0f;
    printf("%x %d %d\n", un.i, un.hi, un.c[3]);
    struct pk k = { 1, -2, 255, -5 };
    k.c++;
    k.d *= 3;
    printf("%d %d %d %lld %d\n", k.a, k.b, k.c, (long long)k.d, (int)sizeof k);
    printf("%d %d %d\n", fx.v[2], fx.n, (int)sizeof fx);
    printf("%d %d\n", pick(1)(4), (*pick(0))(1));
    printf("%d\n", fact(6));
    printf("%d %d\n", tobool(0.5), tobool(0.0));
    unsigned char uc = 250;
    uc += 10;
    uc <<= 1;
    printf("%d\n", uc);
    short sh = 32767;
    sh++;
    printf("%d\n", sh);
    unsigned u = 1;
    u -= 2;
    printf("%u %d\n", u, -1 < (int)u);
    printf("%d\n", -1 > 0u);
    float fl = 0.1f;
    double d = fl;
    d++;
    fl += d;
    long double ld = fl;
    ld *= 3;
    printf("%f %f %f\n", fl, d, (double)ld);
    i = fl;
    i += 2.7;
    printf("%d\n", i);
    u = 3000000000.5;
    printf("%u\n", u);
    int r;
    y = __builtin_add_overflow(2147483647, 1, &r);
    printf("%d %d\n", y, r);
    unsigned char ru;
    y = __builtin_mul_overflow(200, 2, &ru);
    printf("%d %d\n", y, ru);
    unsigned long long ull;
    y = __builtin_mul_overflow(~0ull, ~0ull, &ull);
    printf("%d %llu\n", y, ull);
    long lo;
    y = __builtin_sub_overflow(5u, 7ul, &lo);
    printf("%d %ld\n", y, lo);
    int at = 5;
    printf("%d ", __sync_fetch_and_add(&at, 3));
    printf("%d ", __sync_bool_compare_and_swap(&at, 8, 20));
    printf("%d ", __sync_val_compare_and_swap(&at, 8, 21));
    printf("%d ", __atomic_exchange_n(&at, 4, 5));
    int ex = 4;
    printf("%d ", __atomic_compare_exchange_n(&at, &ex, 11, 0, 5, 5));
    printf("%d %d ", __atomic_compare_exchange_n(&at, &ex, 12, 0, 5, 5), ex);
    __atomic_store_n(&at, 77, 5);
    printf("%d %d %d\n", __atomic_load_n(&at, 5), __atomic_add_fetch(&at, 2, 5), __sync_lock_test_and_set(&at, 1));
    printf("%d %d %d %d\n", __builtin_isnan(d), __builtin_isinf(1.0 / 0.0), __builtin_popcount(255), __builtin_clz(1));
    printf("%d %d %d\n", __builtin_ctz(8), __builtin_ffs(0), (int)__builtin_bswap32(0x01020304));
    printf("%d %d %d %d %d\n", __builtin_fpclassify(0,1,2,3,4,0.0), __builtin_fpclassify(0,1,2,3,4,1e-310), __builtin_fpclassify(0,1,2,3,4,1.5), __builtin_fpclassify(0,1,2,3,4,-1.0/0), __builtin_fpclassify(0,1,2,3,4,0.0/0));
    printf("%d %s %d%d%d %d\n", buf[2], str, tab[2], tab[3], tab[4], gs.b);
    char s2[] = "init";
    char s3[10] = "ab";
    s3[1] = 'X';
    printf("%s %s %d\n", s2, s3, s3[9]);
    struct { int a, b[3]; struct s z; } ds = { .b[1] = 4, .z.c = -2, .a = x };
    printf("%d %d %d %d\n", ds.a, ds.b[1], ds.z.c, ds.z.a);
    struct s sa = mk(1), sb;
    sb = sa;
    sb.d[0]++;
    sa = x ? sb : sa;
    printf("%s %d\n", sa.d, (sb = mk(2), sb).a + (sa = sb).a);
    int *pi = (int[]){
        4, 5, 6
    };
    printf("%d\n", pi[1] + *gp * 0);
    char *al = __builtin_alloca(10);
    al[9] = 3;
    printf("%d\n", al[9]);
    for (i = 0, y = 0; i < 10; i++) {
        if (i == 3) continue;
        if (i == 7) break;
        y += i;
        int z = i;
        y ^= z;
    }
    printf("%d %d\n", i, y);
    do {
        y--;
    } while (y > 0 && y % 7);
    printf("%d\n", y);
    while (1) {
        if (!--i) goto done;
    }
    done: printf("%d %d\n", i, !(x && y) + !!x);
    enum e ee = A;
    printf("%d %d\n", ee < B, C);
    volatile int vo = 3;
    vo++;
    printf("%d\n", vo);
    y = (x = 3, x + 1);
    printf("%d\n", y);
    int m[2][3] = {{1},{4,5}};
    int (*mp)[3] = m;
    printf("%d %d %d\n", mp[1][1], (*(mp + 1))[0], (int)sizeof m / (int)sizeof *m);
    x = y = 7;
    printf("%d\n", x + y);
    long long L = 1;
    L = L << 40 | 5;
    printf("%lld %d\n", L, (int)(L >> 38));
    c = 200;
    printf("%d %u\n", c, (unsigned)c);
    printf("%d\n", (char)(c ? x : 1));
    const char *w2 = 0;
    printf("%d %d\n", w2 == 0, w2 ? 1 : 0);
    if (x == 7 && ({ int k2 = y; k2 > 3; }) || abort == 0) printf("ok\n");
    printf("%d\n", x > 3 ? y > 100 ? 1 : 2 : 3);
    unsigned bf = 3;
    printf("%d\n", (int)(bf - 5 > 0));
    x = 10;
    x -= 3;
    printf("%d\n", x);
    goto end;
    x = 99;
    end: return x & 0;
}
