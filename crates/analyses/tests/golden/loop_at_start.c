// predicate: FALSE
extern void reach_error(void);
int state = 1;
int main(void) {
    while (1) {
        state = state + 1;
        if (state == 5) reach_error();
    }
}
