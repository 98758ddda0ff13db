// value: UNKNOWN
// bmc: TRUE
extern void reach_error(void);
struct bits { unsigned f : 3; signed g : 5; };
int main(void) {
    struct bits b;
    b.f = 13;
    b.g = -3;
    if (b.f != 5 || b.g != -3) reach_error();
    return 0;
}
