// symbolic: UNKNOWN
/* The bytes of floats are compared, not their values: not modelled. */
extern void reach_error(void);
int main(void) {
    float object = -0.0f, expected = 0.0f, wanted = 1.0f;
    if (!__atomic_compare_exchange(&object, &expected, &wanted, 0, 5, 5)) reach_error();
    return 0;
}
