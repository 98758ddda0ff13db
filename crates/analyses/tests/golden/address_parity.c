// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// random: UNKNOWN
extern void reach_error(void);
char first, second, third;
int main(void) { if (((unsigned long)&first & 1) + ((unsigned long)&second & 1) + ((unsigned long)&third & 1) > 0) reach_error(); return 0; }
