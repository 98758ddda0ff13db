// symbolic: UNKNOWN
// bmc: UNKNOWN
/* A complex number as a condition is not modelled. */
extern void reach_error(void);
double _Complex number = 1.0;
int main(void) {
    if (number) reach_error();
    return 0;
}
