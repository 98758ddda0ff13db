// symbolic: UNKNOWN
/* The same through a pointer that is set before the program begins. */
extern void reach_error(void);
double _Complex number = 2.0;
double _Complex *pointer = &number;
int main(void) {
    if (*(double *)pointer == 5.0) reach_error();
    return 0;
}
