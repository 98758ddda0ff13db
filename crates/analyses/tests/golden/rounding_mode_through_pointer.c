// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// random: UNKNOWN
extern void reach_error(void);
int fesetround(int);
double rint(double);
double half = 2.5;
int main(void) {
    double (*function)(double) = rint;
    fesetround(0x800);
    if (function(half) != 3) reach_error();
    return 0;
}
