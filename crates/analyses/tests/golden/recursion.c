// value: TRUE
extern void reach_error(void);
int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
int by_address(int n) {
    int local = n;
    int *p = &local;
    if (n > 0) by_address(n - 1);
    return *p;
}
int main(void) {
    if (ackermann(2, 3) != 9 || by_address(5) != 5) reach_error();
    return 0;
}
