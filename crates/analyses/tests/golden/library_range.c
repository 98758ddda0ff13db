// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
int rand(void);
int getpid(void);
int main(void) { if (rand() < 0 || getpid() <= 0) reach_error(); return 0; }
