// default: TRUE
// bmc: TRUE
// symbolic: TRUE
// model: LP64
extern void reach_error(void);
int fesetround(int);
int fegetround(void);
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float(), low, high;
    if (!(x >= 1 && x <= 2)) return 0;
    fesetround(0x400);
    low = x + 1e-10f;
    fesetround(0x800);
    high = x + 1e-10f;
    if (low >= high || low != x || fegetround() != 0x800) reach_error();
    return 0;
}
