// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
int low, high;
int main(void) { int *a = &low, *b = &high; if (a > b) reach_error(); if (b - a == 7) reach_error(); return 0; }
