// value: FALSE
// bmc: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
void *malloc(__SIZE_TYPE__);
int main(void) {
    int *p = malloc(sizeof(int)), *q = malloc(sizeof(int));
    *p = 1;
    *q = 2;
    if (__VERIFIER_nondet_int() == 77) q = p;
    *q = 3;
    if (*p == 3) reach_error();
    return 0;
}
