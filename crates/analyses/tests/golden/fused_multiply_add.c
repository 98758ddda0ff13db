// default: TRUE
// bmc: TRUE
// symbolic: TRUE
// value: TRUE
extern void reach_error(void);
double fma(double, double, double);
float fmaf(float, float, float);
double x = 1.0000000000000002;
float f = 1.0000001f;
int main(void) {
    double product = x * x;
    float square = f * f;
    if (fma(x, x, -product) == 0 || fma(x, x, -product) > 1e-30) reach_error();
    if (fmaf(f, f, -square) == 0 || fma(2, 3, 4) != 10) reach_error();
    return 0;
}
