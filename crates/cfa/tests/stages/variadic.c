// stage: labels
int sum(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int s = 0;
  while (n--)
    s += __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return s;
}
