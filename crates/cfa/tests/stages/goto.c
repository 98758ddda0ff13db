// stage: labels
int f(int n) {
again:
  if (n > 10) {
    n -= 3;
    goto again;
  }
  if (n < 0)
    goto out;
  n = 5;
out:
  return n;
}
