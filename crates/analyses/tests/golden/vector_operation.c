// symbolic: UNKNOWN
// bmc: UNKNOWN
// value: UNKNOWN
/* Every operation on a vector is a step that is not modelled. */
extern void reach_error(void);
typedef int four __attribute__((vector_size(16)));
four global = {5, 10, 15, 20};
int main(void) {
    four sum = global + global;
    if (sum[1] == 20) reach_error();
    return 0;
}
