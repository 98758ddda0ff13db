// value: FALSE
// bmc: FALSE
// symbolic: FALSE
extern void reach_error(void);
void *malloc(__SIZE_TYPE__);
struct Machine { void *owner; int count; int state; };
int main(void) {
    struct Machine *machine = malloc(sizeof(struct Machine));
    if (machine->owner == 0) return 1;
    machine->state = 1;
    while (machine->state < 3) {
        if (machine->count != 7) return 2;
        machine->state++;
    }
    reach_error();
    return 0;
}
