// value: TRUE
// bmc: TRUE
extern void reach_error(void);
struct inner { char c; short s; };
struct outer { int n; struct inner in[3]; unsigned f : 3; signed g : 5; };
union mixed { unsigned word; unsigned char bytes[4]; };
struct outer make(int n) {
    struct outer o = {0};
    int i;
    o.n = n;
    for (i = 0; i < 3; i++) {
        o.in[i].c = (char)(n + i);
        o.in[i].s = (short)(n * i);
    }
    o.f = 13;
    o.g = -3;
    return o;
}
int main(void) {
    struct outer a = make(40), b;
    union mixed u;
    b = a;
    a.in[1].s = 0;
    u.word = 0x01020304u;
    u.bytes[2] = 0xff;
    if (b.in[1].s != 40 || b.in[2].c != 42 || b.f != 5 || b.g != -3) reach_error();
    if (u.word != 0x01ff0304u) reach_error();
    return 0;
}
