// symbolic: UNKNOWN
// bmc: UNKNOWN
/* The initialiser is not modelled, so that no value of the object may be relied on. */
extern void reach_error(void);
double _Complex number = 2.0;
int main(void) {
    if (*(double *)&number == 5.0) reach_error();
    return 0;
}
