// default: TRUE
// bmc: TRUE
// symbolic: TRUE
extern void reach_error(void);
void *memcpy(void *, const void *, __SIZE_TYPE__);
struct Record { int number; char letter; long large; };
static int same(struct Record copy, struct Record *original) { return copy.number == original->number; }
static struct Record returned(struct Record *original) { return *original; }
int main(void) {
    struct Record original, assigned, copied, back;
    assigned = original;
    memcpy(&copied, &original, sizeof original);
    back = returned(&original);
    if (assigned.number != original.number || copied.letter != original.letter || back.large != original.large) reach_error();
    if (!same(original, &original)) reach_error();
    return 0;
}
