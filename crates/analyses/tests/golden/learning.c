// value: TRUE
// bmc: TRUE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    unsigned u = (unsigned)__VERIFIER_nondet_int();
    _Bool b = __VERIFIER_nondet_bool();
    if (!(x - 3 != 4) && x != 7) reach_error();
    if (c == 300) reach_error();
    if (c == 200 && (signed char)c != -56) reach_error();
    if (u < 1 && u != 0) reach_error();
    if (!b && b) reach_error();
    if ((x == 5) != 0 && x != 5) reach_error();
    return 0;
}
