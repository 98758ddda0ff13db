// default: TRUE
// bmc: TRUE
// symbolic: TRUE
// model: LP64
extern void reach_error(void);
__WCHAR_TYPE__ *wcscpy(__WCHAR_TYPE__ *, const __WCHAR_TYPE__ *);
__SIZE_TYPE__ wcslen(const __WCHAR_TYPE__ *);
int main(void) { __WCHAR_TYPE__ text[8]; wcscpy(text, L"ab"); if (text[1] != L'b' || wcslen(text) != 2) reach_error(); return 0; }
