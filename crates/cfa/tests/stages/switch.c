// stage: labels
int f(int n) {
  int r = 0;
  switch (n) {
  case 1:
    r = 1;
  case 2 ... 4:
    r += 2;
    break;
  default:
    r = 9;
    break;
  case -1:
    return 0;
  }
  return r;
}
