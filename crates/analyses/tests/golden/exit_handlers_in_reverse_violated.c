// default: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
int atexit(void (*)(void));
void exit(int);
int state;
static void first(void) { state++; }
static void second(void) { if (state == 1) reach_error(); }
static void leave(int status) { exit(status); }
int main(void) {
    atexit(second);
    atexit(first);
    leave(1);
    return 0;
}
