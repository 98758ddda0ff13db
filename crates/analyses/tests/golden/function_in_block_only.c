// symbolic: FALSE
/* A function whose only declaration stands in a block has no body: any value. */
extern void reach_error(void);
int main(void) {
    int outside(int);
    if (outside(4) == 9) reach_error();
    return 0;
}
