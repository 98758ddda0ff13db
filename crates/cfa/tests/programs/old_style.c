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
    return 0;
}
