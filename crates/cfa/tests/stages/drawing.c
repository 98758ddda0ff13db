// stage: dot
int main(void) {
  int x = 0;
  while (x < 5)
    x++;
  return x;
}
