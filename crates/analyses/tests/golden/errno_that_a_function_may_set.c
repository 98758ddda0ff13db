// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// random: UNKNOWN
extern void reach_error(void);
int *__errno_location(void);
double sqrt(double);
double negative = -1;
int main(void) {
    *__errno_location() = 0;
    double root = sqrt(negative);
    if (*__errno_location() == 0) reach_error();
    return root == 0;
}
