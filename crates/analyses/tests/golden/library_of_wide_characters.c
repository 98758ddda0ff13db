// default: TRUE
// bmc: TRUE
// symbolic: TRUE
// model: LP64
extern void reach_error(void);
int *wcscpy(int *, const int *);
unsigned long wcslen(const int *);
int main(void) { int text[8]; wcscpy(text, L"ab"); if (text[1] != L'b' || wcslen(text) != 2) reach_error(); return 0; }
