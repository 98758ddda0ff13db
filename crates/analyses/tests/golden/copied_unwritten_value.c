// default: FALSE
extern void reach_error(void);
struct Record { int number; char letter; };
int main(void) { struct Record original, copy; copy = original; if (copy.number == 5) reach_error(); return 0; }
