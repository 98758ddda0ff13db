// symbolic: FALSE
// bmc: FALSE
// k-induction: FALSE
/* Objects of types whose operations are not modelled have a size, and initialisers do not end the program at its start. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef float four __attribute__((vector_size(16)));
static four global = {1, 2, 3, 4};
const four fixed;
double _Complex number = 1.0;
double _Complex numbers[2];
struct mixed { int first; four middle; int last; } record = {1, {2, 3, 4, 5}, 6};
static four same(four given) { return given; }
int main(void) {
    four copy = global, other;
    other = same(copy);
    other = fixed;
    if (sizeof copy != 16 || sizeof record != 48) return 1;
    if (record.first + record.last == 7 && __VERIFIER_nondet_int() == 987654) reach_error();
    return 0;
}
