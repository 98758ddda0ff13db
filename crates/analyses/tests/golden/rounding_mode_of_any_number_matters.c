// default: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
int fesetround(int);
int __VERIFIER_nondet_int(void);
int large = 16777217;
int main(void) {
    fesetround(__VERIFIER_nondet_int());
    float converted = large;
    if (converted != 16777216) reach_error();
    return 0;
}
