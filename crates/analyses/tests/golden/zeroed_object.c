// k-induction: UNKNOWN
// predicate: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
extern void *calloc(unsigned long, unsigned long);
extern int __VERIFIER_nondet_int(void);
struct setting { int number; };
struct device { struct setting *setting; };
// Every run that would come to the error follows a null pointer first.
int main(void) {
    struct device *device = calloc(1, sizeof(struct device));
    while (__VERIFIER_nondet_int()) {
        if (device->setting->number != 10) return 0;
        reach_error();
    }
    return 0;
}
