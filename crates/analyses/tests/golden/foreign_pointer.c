// value: TRUE
// bmc: TRUE
extern void reach_error(void);
extern int *outside(void);
int x = 1;
int main(void) {
    int *p = outside();
    *p = 2;
    if (x != 1) reach_error();
    return 0;
}
