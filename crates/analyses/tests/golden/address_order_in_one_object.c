// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int main(void) { int row[4]; int *a = row, *b = row + 3; if (a >= b || b - a != 3 || a == b) reach_error(); return 0; }
