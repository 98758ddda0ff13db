// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// value: UNKNOWN
// predicate: UNKNOWN
extern void reach_error(void);
typedef int operation(int);
extern operation *chosen(void);
int main(void) { operation *apply = chosen(); if (apply != 0 && apply(2) == 4) reach_error(); return 0; }
