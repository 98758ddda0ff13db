// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// random: UNKNOWN
extern void reach_error(void);
int rand(void);
int main(void) { if (rand() == 12345) reach_error(); return 0; }
