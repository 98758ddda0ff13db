int printf(const char *, ...);
typedef __int128 wide;
int main(void) {
    wide w = -1;
    w <<= 100;
    w /= 3;
    printf("%llx %llx\n", (unsigned long long)w, (unsigned long long)(w >> 64));
    unsigned __int128 u = w;
    printf("%d %d\n", u > 5, w > 5);
    u *= u;
    u++;
    printf("%llx %llx\n", (unsigned long long)u, (unsigned long long)(u >> 64));
    switch (w >> 90) {
        case -1: printf("minus one\n");
        break;
        default: printf("%d\n", (int)(w >> 90));
    }
    return 0;
}
