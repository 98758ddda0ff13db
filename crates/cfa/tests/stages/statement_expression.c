// stage: labels
int f(int a) {
  int m = ({ int t = a * 2; t + 1; });
  return m;
}
