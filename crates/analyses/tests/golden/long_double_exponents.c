// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
long double ldexpl(long double, int), frexpl(long double, int *), nextafterl(long double, long double);
int ilogbl(long double);
long double three = 3;
int main(void) {
    int exponent;
    if (ldexpl(three, 4) != 48 || frexpl(three, &exponent) != 0.75L || exponent != 2) reach_error();
    if (ilogbl(three) != 1 || nextafterl(three, 4) <= three || nextafterl(three, 2) >= three) reach_error();
    return 0;
}
