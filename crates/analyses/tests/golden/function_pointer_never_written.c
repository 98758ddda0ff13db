// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// k-induction: UNKNOWN
extern void reach_error(void);
struct Device { int (*start)(void); };
int main(void) { struct Device device; device.start(); reach_error(); return 0; }
