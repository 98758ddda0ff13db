// value: TRUE
// bmc: TRUE
extern void reach_error(void);
int main(void) {
    double d = 0.1, sum = 0;
    float f = 0.1f;
    int i;
    for (i = 0; i < 10; i++) sum += d;
    if (sum == 1.0) reach_error();
    if ((double)f == d) reach_error();
    if ((int)(sum * 10) != 9) reach_error();
    if (-0.0 != 0.0) reach_error();
    return 0;
}
