// stage: cfa
int f(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (i == 3)
      continue;
    while (s > 10)
      s -= 2;
    do
      s++;
    while (s < i);
    if (s == 100)
      break;
  }
  return s;
}
