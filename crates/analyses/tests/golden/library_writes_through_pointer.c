// default: UNKNOWN
// bmc: UNKNOWN
// symbolic: UNKNOWN
// value: UNKNOWN
// random: UNKNOWN
extern void reach_error(void);
int pipe(int ends[2]);
int main(void) { int ends[2] = { -1, -1 }; pipe(ends); if (ends[0] != -1) reach_error(); return 0; }
