// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
extern void reach_error(void);
int main(void) { int value = 1; int *place; if (place != 0) place = &value; *place = 3; if (value != 3) reach_error(); return 0; }
