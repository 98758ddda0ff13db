// The program that the paper on exchange automata explains its idea with: four branches, of which one is never taken.

extern int input(void);
extern void reach_error(void);

int main(void) {
    int x = input();
    if (x < 5)
        return 0;
    x++;
    if (x == 5) {
        reach_error();
        return 1;
    }
    return 2;
}
