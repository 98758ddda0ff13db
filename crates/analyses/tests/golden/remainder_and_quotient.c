// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
double remquo(double, double, int *);
double seven = 7;
int main(void) {
    int quotient = 0;
    if (remquo(seven, 2, &quotient) != -1 || quotient != 4) reach_error();
    if (remquo(-seven, 4, &quotient) != 1 || quotient != -2) reach_error();
    return 0;
}
