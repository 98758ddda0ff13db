// value: TRUE
// bmc: TRUE
extern void reach_error(void);
int x = 1, y = 2;
void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}
int main(void) {
    int *p = &x, **q = &p;
    swap(&x, &y);
    **q += 5;
    *q = &y;
    *p = 9;
    if (x != 7 || y != 9) reach_error();
    return 0;
}
