// default: TRUE
// bmc: TRUE
// symbolic: TRUE
// value: TRUE
extern void reach_error(void);
int fesetround(int);
double rint(double), roundeven(double), sqrt(double), nearbyint(double), ldexp(double, int);
long lrint(double);
double half = 2.5, two = 2, least = 5e-324;
int main(void) {
    if (rint(half) != 2 || lrint(half) != 2 || ldexp(least, -1) != 0) reach_error();
    double root = sqrt(two);
    fesetround(0x800);
    if (rint(half) != 3 || lrint(half) != 3 || nearbyint(-half) != -2 || roundeven(half) != 2) reach_error();
    if (sqrt(two) != root || ldexp(least, -1) != least) reach_error();
    fesetround(0x400);
    if (sqrt(two) >= root || rint(half) != 2) reach_error();
    return 0;
}
