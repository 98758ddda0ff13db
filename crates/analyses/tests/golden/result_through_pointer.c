// value: FALSE
// bmc: FALSE
extern void reach_error(void);
int x = 1;
static int two(void) {
    int i, n = 0;
    for (i = 0; i < 2; i++) n++;
    return n;
}
int main(void) {
    int *p = &x;
    *p = two();
    if (x == 2) reach_error();
    return 0;
}
