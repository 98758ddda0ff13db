int printf(const char *, ...);
int knr(a, b) char a;
float b;
{
    return a + (int)b;
}
struct { unsigned b : 3; } q = { 5 };
int main() {
    printf("%d\n", knr(65 + 256, 2.9));
    q.b /= -1;
    printf("%d\n", q.b);
    q.b = 6;
    q.b %= -4;
    printf("%d\n", q.b);
    struct { unsigned a : 3; int b : 5; } s;
    int i = -8;
    s.a = 3;
    s.b = -8;
    s.b /= s.a;
    i %= s.a;
    printf("%d %d\n", s.b, i);
    return 0;
}
